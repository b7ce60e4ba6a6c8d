//! The header of a `.safetensors` file, which is JSON: checked once, then read where it is needed.
//! No list of it is kept.

use crate::ElementKind;
use crate::error::{FileError, FileErrorKind as Kind};
use crate::text::{self, Parsed, shape_of};
use ndcore::{Axes, LayoutErrorKind, MAX_NDIM};
use std::borrow::Cow;
use std::ops::Range;

/// What a file says of an array.
#[derive(Clone, Copy, Debug)]
pub struct Tensor<'h> {
    name: &'h str,
    dtype: &'h str,
    shape: Axes<usize>,
    range: (u64, u64),
    place: usize,
}

impl<'h> Tensor<'h> {
    /// Its name.
    pub fn name(&self) -> Cow<'h, str> {
        if self.name.contains('\\') {
            Cow::Owned(unescaped(self.name).collect())
        } else {
            Cow::Borrowed(self.name)
        }
    }

    pub(super) fn is_named(&self, name: &str) -> bool {
        unescaped(self.name).eq(name.chars())
    }

    /// The type of its elements, as the format says it: `F32`.
    pub fn dtype(&self) -> &'h str {
        self.dtype
    }

    /// The type of its elements, if it is one of those that can be read.
    pub fn element(&self) -> Option<ElementKind> {
        ElementKind::ALL.into_iter().find(|kind| kind.in_safetensors() == Some(self.dtype))
    }

    /// Its shape.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Where its elements lie in the data, in bytes.
    pub fn range(&self) -> Range<u64> {
        self.range.0..self.range.1
    }

    /// Where it begins in the header.
    pub(super) fn place(&self) -> u64 {
        self.place as u64
    }
}

/// The arrays of a file, in the order of its header.
#[derive(Clone, Debug)]
pub struct Tensors<'h>(Items<'h>);

impl<'h> Tensors<'h> {
    pub(super) fn of(header: &'h [u8]) -> Self {
        Tensors(Items::of(header))
    }
}

impl<'h> Iterator for Tensors<'h> {
    type Item = Tensor<'h>;

    fn next(&mut self) -> Option<Tensor<'h>> {
        loop {
            // The header has been checked: it has no errors.
            match self.0.next_item().ok()?? {
                Item::Tensor(tensor) => return Some(tensor),
                Item::Metadata(_) => {}
            }
        }
    }
}

/// The text about the arrays of a file: keys and values.
#[derive(Clone, Debug)]
pub struct Metadata<'h>(Option<Parser<'h>>, bool);

impl<'h> Metadata<'h> {
    pub(super) fn of(header: &'h [u8]) -> Self {
        let mut items = Items::of(header);
        while let Ok(Some(item)) = items.next_item() {
            if let Item::Metadata(inner) = item {
                return Metadata(Some(inner), true);
            }
        }
        Metadata(None, true)
    }
}

impl Iterator for Metadata<'_> {
    type Item = (String, String);

    fn next(&mut self) -> Option<(String, String)> {
        let parser = self.0.as_mut()?;
        let (key, _) = parser.member(&mut self.1).ok()??;
        let value = parser.string("a text").ok()?;
        Some((unescaped(key).collect(), unescaped(value).collect()))
    }
}

/// Checks all of a header, of a file with so many bytes of data.
pub(super) fn check(header: &[u8], data: u64) -> Result<(), FileError> {
    let refuse = |(at, kind): (usize, Kind)| FileError::at(8 + at as u64, kind);
    if let Err(err) = std::str::from_utf8(header) {
        let at = err.valid_up_to();
        return Err(refuse(Parser { text: header, at }.unexpected(at, "a header in UTF-8")));
    }
    let count = {
        let (mut items, mut count) = (Items::of(header), 0);
        while let Some(item) = items.next_item().map_err(refuse)? {
            count += usize::from(matches!(item, Item::Tensor(_)));
        }
        count
    };
    let mut places = Vec::new();
    if places.try_reserve_exact(count).is_err() {
        let bytes = count * size_of::<(u64, u64, usize)>();
        let kind = LayoutErrorKind::AllocationFailed { shape: [count].into(), bytes };
        return Err(FileError::at(8, Kind::Shape(kind.into())));
    }
    places.extend(Tensors::of(header).map(|tensor| (tensor.range.0, tensor.range.1, tensor.place)));
    places.sort_unstable();
    let mut expected = 0;
    for &(begin, end, place) in &places {
        if begin != expected || end < begin || end > data {
            return Err(refuse((place, Kind::Place { expected, begin, end })));
        }
        expected = end;
    }
    if expected != data {
        let what = "data, by the header";
        return Err(FileError::at(
            8 + header.len() as u64,
            Kind::Truncated { what, expected, found: data },
        ));
    }
    let name =
        |place: usize| Parser { text: header, at: place }.string("a name").unwrap_or_default();
    places.sort_unstable_by(|a, b| unescaped(name(a.2)).cmp(unescaped(name(b.2))));
    let twice =
        places.windows(2).find(|pair| unescaped(name(pair[0].2)).eq(unescaped(name(pair[1].2))));
    match twice {
        Some(pair) => {
            let place = pair[0].2.max(pair[1].2);
            let own: String = unescaped(name(place)).collect();
            Err(refuse((place, Kind::Duplicate)).in_part(&own))
        }
        None => Ok(()),
    }
}

enum Item<'h> {
    Tensor(Tensor<'h>),
    /// At the first of its keys.
    Metadata(Parser<'h>),
}

#[derive(Clone, Debug)]
struct Items<'h> {
    parser: Parser<'h>,
    begun: bool,
    first: bool,
    metadata: bool,
    ended: bool,
}

impl<'h> Items<'h> {
    fn of(header: &'h [u8]) -> Self {
        let parser = Parser { text: header, at: 0 };
        Items { parser, begun: false, first: true, metadata: false, ended: false }
    }

    fn next_item(&mut self) -> Parsed<Option<Item<'h>>> {
        if self.ended {
            return Ok(None);
        }
        let parser = &mut self.parser;
        if !self.begun {
            if parser.text.first() != Some(&b'{') {
                return Err(parser.unexpected(0, "a header, which begins with {"));
            }
            parser.at = 1;
            self.begun = true;
        }
        let Some((name, place)) = parser.member(&mut self.first)? else {
            self.ended = true;
            parser.space();
            if parser.at < parser.text.len() {
                return Err(parser.unexpected(parser.at, "spaces after the header"));
            }
            return Ok(None);
        };
        if unescaped(name).eq("__metadata__".chars()) {
            if std::mem::replace(&mut self.metadata, true) {
                return Err((place, Kind::Entry { expected: "\"__metadata__\"" }));
            }
            parser.expect(b'{', "texts about the arrays, which begin with {")?;
            let inner = parser.clone();
            let mut first = true;
            while parser.member(&mut first)?.is_some() {
                parser.string("a text in quotes")?;
            }
            return Ok(Some(Item::Metadata(inner)));
        }
        Ok(Some(Item::Tensor(parser.tensor(name, place)?)))
    }
}

type Parser<'h> = text::Parser<'h, true>;

impl<'h> Parser<'h> {
    /// The next key of an object, and its place; `None` after the last one.
    fn member(&mut self, first: &mut bool) -> Parsed<Option<(&'h str, usize)>> {
        if self.found(b'}') {
            return Ok(None);
        }
        if !std::mem::replace(first, false) {
            self.expect(b',', "a comma or }")?;
        }
        self.space();
        let place = self.at;
        let key = self.string("a key in quotes")?;
        self.expect(b':', "a colon after a key")?;
        Ok(Some((key, place)))
    }

    /// A text in quotes, still with its escapes, which are checked.
    fn string(&mut self, expected: &'static str) -> Parsed<&'h str> {
        self.expect(b'"', expected)?;
        let begin = self.at;
        loop {
            match self.text.get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    let escape = self.text.get(self.at + 1);
                    self.at += match escape {
                        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
                        Some(b'u') if hex(self.text, self.at + 2).is_some() => 6,
                        _ => return Err(self.unexpected(self.at, "an escape of JSON")),
                    };
                }
                Some(0..b' ') | None => {
                    return Err(self.unexpected(self.at, "a text with an end"));
                }
                Some(_) => self.at += 1,
            }
        }
        let text = std::str::from_utf8(&self.text[begin..self.at]);
        self.at += 1;
        text.map_err(|_| self.unexpected(begin, "a text in UTF-8"))
    }

    fn number(&mut self) -> Parsed<u64> {
        self.space();
        let begin = self.at;
        let value = self.digits();
        value.ok_or_else(|| self.unexpected(begin, "a whole number of at most 64 bits"))
    }

    /// A list of numbers, each of which is given away; how many there were.
    fn numbers(&mut self, mut give: impl FnMut(u64)) -> Parsed<usize> {
        self.expect(b'[', "a list of numbers")?;
        let mut count = 0;
        while !self.found(b']') {
            if count > 0 {
                self.expect(b',', "a comma or ] after a number")?;
            }
            give(self.number()?);
            count += 1;
        }
        Ok(count)
    }

    fn tensor(&mut self, name: &'h str, place: usize) -> Parsed<Tensor<'h>> {
        self.expect(b'{', "what is said of an array, which begins with {")?;
        let (mut dtype, mut shape, mut range) = (None, None, None);
        let mut first = true;
        while let Some((key, at)) = self.member(&mut first)? {
            let again = match key {
                "dtype" => dtype.replace(self.string("a type in quotes")?).is_some(),
                "shape" => shape.replace(self.shape()?).is_some(),
                "data_offsets" => range.replace(self.range()?).is_some(),
                _ => {
                    let expected = "the key \"dtype\", \"shape\" or \"data_offsets\"";
                    return Err(self.unexpected(at, expected));
                }
            };
            if again {
                let expected = "each of \"dtype\", \"shape\" and \"data_offsets\"";
                return Err((at, Kind::Entry { expected }));
            }
        }
        let missing = |expected| (place, Kind::Entry { expected });
        Ok(Tensor {
            name,
            dtype: dtype.ok_or_else(|| missing("\"dtype\""))?,
            shape: shape.ok_or_else(|| missing("\"shape\""))?,
            range: range.ok_or_else(|| missing("\"data_offsets\""))?,
            place,
        })
    }

    fn shape(&mut self) -> Parsed<Axes<usize>> {
        self.space();
        let begin = self.at;
        let mut shape = Axes::new();
        let ndim = self.numbers(|extent| {
            if shape.len() < MAX_NDIM {
                shape.push(usize::try_from(extent).unwrap_or(usize::MAX));
            }
        })?;
        shape_of(begin, ndim, shape)
    }

    fn range(&mut self) -> Parsed<(u64, u64)> {
        self.space();
        let begin = self.at;
        let (mut range, mut at) = ([0; 2], 0);
        let count = self.numbers(|number| {
            if let Some(own) = range.get_mut(at) {
                *own = number;
            }
            at += 1;
        })?;
        if count != 2 {
            return Err(self.unexpected(begin, "two offsets"));
        }
        Ok((range[0], range[1]))
    }
}

/// Four hexadecimal digits.
fn hex(text: &[u8], at: usize) -> Option<u32> {
    let digits = text.get(at..at.checked_add(4)?)?;
    let digits = digits.iter().map(|digit| char::from(*digit).to_digit(16));
    digits.into_iter().try_fold(0, |value, digit| Some(value * 16 + digit?))
}

/// The characters of a text of JSON, whose escapes have been checked. Halves of a pair that stand
/// alone become U+FFFD.
fn unescaped(text: &str) -> impl Iterator<Item = char> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut chars = rest.chars();
        let first = chars.next()?;
        if first != '\\' {
            rest = chars.as_str();
            return Some(first);
        }
        let escape = chars.next()?;
        rest = chars.as_str();
        Some(match escape {
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let unit = hex(rest.as_bytes(), 0)?;
                rest = &rest[4..];
                let low = rest.strip_prefix("\\u").and_then(|low| hex(low.as_bytes(), 0));
                match low {
                    Some(low @ 0xDC00..0xE000) if (0xD800..0xDC00).contains(&unit) => {
                        rest = &rest[6..];
                        let scalar = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                        char::from_u32(scalar).unwrap_or(char::REPLACEMENT_CHARACTER)
                    }
                    _ => char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER),
                }
            }
            other => other,
        })
    })
}
