//! [`Parser`]: what the headers that are text are read by.

use crate::error::{FileErrorKind as Kind, shown};
use ndcore::{Axes, LayoutErrorKind, MAX_NDIM};

/// A header, and how far it is read: as JSON, or else as Python, where a form feed is a space too.
#[derive(Clone, Debug)]
pub(crate) struct Parser<'h, const JSON: bool> {
    pub(crate) text: &'h [u8],
    pub(crate) at: usize,
}

/// What was read; an error comes with its place in the text.
pub(crate) type Parsed<T> = Result<T, (usize, Kind)>;

impl<const JSON: bool> Parser<'_, JSON> {
    pub(crate) fn space(&mut self) {
        let is_space = |byte: &u8| byte.is_ascii_whitespace() && !(JSON && *byte == b'\x0C');
        while self.text.get(self.at).is_some_and(is_space) {
            self.at += 1;
        }
    }

    /// Whether this comes next; then it is passed.
    pub(crate) fn found(&mut self, byte: u8) -> bool {
        self.space();
        let found = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    pub(crate) fn expect(&mut self, byte: u8, expected: &'static str) -> Parsed<()> {
        if self.found(byte) { Ok(()) } else { Err(self.unexpected(self.at, expected)) }
    }

    #[cold]
    pub(crate) fn unexpected(&self, at: usize, expected: &'static str) -> (usize, Kind) {
        let rest = &self.text[at.min(self.text.len())..];
        (at, Kind::Header { expected, found: shown(rest, 20) })
    }

    /// The number that comes next; `None` if there is none, or it is above 64 bits.
    pub(crate) fn digits(&mut self) -> Option<u64> {
        let begin = self.at;
        let mut value = Some(0_u64);
        while let Some(digit) = self.text.get(self.at).filter(|byte| byte.is_ascii_digit()) {
            let digit = u64::from(digit - b'0');
            value = value.and_then(|value| value.checked_mul(10)?.checked_add(digit));
            self.at += 1;
        }
        value.filter(|_| self.at > begin)
    }
}

/// A shape that memory can hold, of so many axes, the first of which these are; it stands at this
/// place.
pub(crate) fn shape_of(at: usize, ndim: usize, shape: Axes<usize>) -> Parsed<Axes<usize>> {
    if ndim > MAX_NDIM {
        return Err((at, Kind::Shape(LayoutErrorKind::RankTooHigh { ndim }.into())));
    }
    match ndcore::size_of_shape(&shape) {
        Ok(_) => Ok(shape),
        Err(err) => Err((at, err.into())),
    }
}
