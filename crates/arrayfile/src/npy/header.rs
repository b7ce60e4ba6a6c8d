//! [`Header`]: what a `.npy` file says of its array.

use crate::data::{Elements, byte_length, read_full};
use crate::error::{FileError, FileErrorKind as Kind, shown};
use crate::text::{self, Parsed, shape_of};
use crate::{ElementKind, FileElement, View};
use ndcore::{Axes, Dimension, MAX_NDIM};
use std::io::Read;

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// Longer headers are not read: those of arrays have some 200 bytes, and NumPy reads 10,000.
const LIMIT: usize = 1 << 14;
/// The data begin at a multiple of it, so that a map can be viewed by vectors.
const ALIGNMENT: usize = 64;

/// What a `.npy` file says of its array: shape, order and type of the elements.
///
/// ```
/// use arrayfile::{ElementKind, npy};
/// let mut bytes = Vec::new();
/// npy::write_to(&mut bytes, &elementwise::array![[1.0_f32, 2.0, 3.0]])?;
/// let header = npy::Header::read_from(&mut &bytes[..])?;
/// assert_eq!(header.shape(), [1, 3]);
/// assert_eq!(header.element(), Some(ElementKind::F32));
/// # Ok::<(), arrayfile::FileError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    version: (u8, u8),
    descr: String,
    /// Where the type of the elements is in the file, and where the shape.
    places: (u64, u64),
    column_major: bool,
    shape: Axes<usize>,
    data_start: u64,
}

const NATIVE: char = if cfg!(target_endian = "little") { '<' } else { '>' };

impl Header {
    /// The header of a file in which this view is written.
    pub(super) fn of<T: FileElement, R: Dimension>(view: &View<'_, T, R>) -> Header {
        let layout = view.layout();
        let column_major = layout.is_f_contiguous() && !layout.is_c_contiguous();
        let mut shape = Axes::new();
        view.shape().iter().for_each(|extent| shape.push(*extent));
        Header::new(T::KIND, column_major, shape)
    }

    pub(super) fn new(kind: ElementKind, column_major: bool, shape: Axes<usize>) -> Header {
        let order = if kind.size() == 1 { '|' } else { NATIVE };
        let descr = format!("{order}{}", kind.in_npy());
        let places = (0, 0);
        let mut header =
            Header { version: (1, 0), descr, places, column_major, shape, data_start: 0 };
        header.data_start = header.to_bytes(0).len() as u64;
        header
    }

    /// The header as it is written: at least so many bytes, and a multiple of [`ALIGNMENT`].
    pub(super) fn to_bytes(&self, least: usize) -> Vec<u8> {
        let order = if self.column_major { "True" } else { "False" };
        let mut shape: String = self.shape.iter().map(|extent| format!("{extent}, ")).collect();
        if self.shape.len() > 1 {
            shape.truncate(shape.len() - 2);
        }
        let shape = shape.trim_end();
        let text = format!(
            "{{'descr': '{}', 'fortran_order': {order}, 'shape': ({shape}), }}",
            self.descr
        );
        let before = MAGIC.len() + 4;
        let all = (before + text.len() + 1).next_multiple_of(ALIGNMENT).max(least);
        let mut bytes = Vec::with_capacity(all);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&[1, 0]);
        // At most 16 extents of 20 digits, some 500 bytes.
        bytes.extend_from_slice(&((all - before) as u16).to_le_bytes());
        bytes.extend_from_slice(text.as_bytes());
        bytes.resize(all - 1, b' ');
        bytes.push(b'\n');
        bytes
    }

    /// Reads the header, and leaves the source at the first element.
    ///
    /// # Errors
    /// If it is not that of a `.npy` file of version 1.0, 2.0 or 3.0, or speaks of an array with
    /// more than 16 axes or more elements than memory can hold.
    pub fn read_from(source: &mut (impl Read + ?Sized)) -> Result<Header, FileError> {
        let mut prefix = [0; 8];
        let mut found = read(source, &mut prefix, 0)?;
        found = &found[..found.len().min(MAGIC.len())];
        if found != MAGIC {
            return Err(FileError::at(
                0,
                Kind::Magic { what: "a .npy file", expected: MAGIC, found: found.to_vec() },
            ));
        }
        let version = (prefix[6], prefix[7]);
        let wide = match version {
            (1, 0) => false,
            (2 | 3, 0) => true,
            (major, minor) => return Err(FileError::at(6, Kind::Version { major, minor })),
        };
        let mut length = [0; 4];
        let digits = if wide { 4 } else { 2 };
        read_exact(source, &mut length[..digits], 8, "the length of the header")?;
        let (length, start) = (u32::from_le_bytes(length) as usize, 8 + digits as u64);
        if length > LIMIT {
            let kind = Kind::HeaderTooLong { length: length as u64, limit: LIMIT as u64 };
            return Err(FileError::at(8, kind));
        }
        let mut buffer = [0; LIMIT];
        let text = &mut buffer[..length];
        read_exact(source, text, start, "the header")?;
        let mut header = Parser { text, at: 0 }
            .dictionary()
            .map_err(|(at, kind)| FileError::at(start + at as u64, kind))?;
        header.version = version;
        header.places.0 += start;
        header.places.1 += start;
        header.data_start = start + length as u64;
        Ok(header)
    }

    /// The version of the format.
    pub fn version(&self) -> (u8, u8) {
        self.version
    }

    /// The shape.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Whether the elements lie in column-major (Fortran) order.
    pub fn is_column_major(&self) -> bool {
        self.column_major
    }

    /// The type of the elements as NumPy says it: `<f4`.
    pub fn descr(&self) -> &str {
        &self.descr
    }

    /// The type of the elements, if it is one of those that can be read.
    ///
    /// `V2` are any two bytes; they are taken for a `bf16`, which NumPy writes so.
    pub fn element(&self) -> Option<ElementKind> {
        let mut letters = self.descr.chars();
        let order = letters.next()?;
        let kind = ElementKind::ALL.into_iter().find(|kind| kind.in_npy() == letters.as_str())?;
        let fits = match order {
            '<' | '>' | '=' => true,
            '|' => kind.size() == 1 || kind == ElementKind::BF16,
            _ => false,
        };
        fits.then_some(kind)
    }

    /// Where the elements begin, in bytes.
    pub fn data_start(&self) -> u64 {
        self.data_start
    }

    /// The bytes of the elements; `None` if their type is none that can be read, or they are more
    /// than memory can hold.
    pub fn data_length(&self) -> Option<u64> {
        byte_length(self.shape(), self.element()?).ok()
    }

    /// The elements, if they are of this type and rank.
    pub(crate) fn elements<T: FileElement, R: Dimension>(&self) -> Result<Elements<R>, FileError> {
        if self.element() != Some(T::KIND) {
            let found = shown(self.descr.as_bytes(), 40);
            let kind = Kind::Element { expected: T::KIND, found: format!("'{found}'") };
            return Err(FileError::at(self.places.0, kind));
        }
        let swapped = self.descr.starts_with(if NATIVE == '<' { '>' } else { '<' });
        let elements = Elements::new(self.shape(), self.column_major, swapped);
        let checked = elements.and_then(|elements| elements.bytes::<T>().map(|_| elements));
        checked.map_err(|kind| FileError::at(self.places.1, kind))
    }

    /// The elements, if they are of this type and rank, and a file of so many bytes holds them.
    pub(crate) fn elements_within<T: FileElement, R: Dimension>(
        &self,
        length: u64,
    ) -> Result<Elements<R>, FileError> {
        let elements = self.elements::<T, R>()?;
        let refuse = |kind| FileError::at(self.data_start, kind);
        let expected = elements.bytes::<T>().map_err(refuse)?;
        let found = length.saturating_sub(self.data_start);
        if expected > found {
            let shape = self.shape().to_vec();
            return Err(refuse(Kind::Length { element: T::KIND, shape, expected, found }));
        }
        Ok(elements)
    }
}

fn read<'b>(
    source: &mut (impl Read + ?Sized),
    bytes: &'b mut [u8],
    at: u64,
) -> Result<&'b [u8], FileError> {
    let found =
        read_full(source, bytes).map_err(|err| FileError::io(at, "reading the header", err))?;
    Ok(&bytes[..found])
}

fn read_exact(
    source: &mut (impl Read + ?Sized),
    bytes: &mut [u8],
    at: u64,
    what: &'static str,
) -> Result<(), FileError> {
    let expected = bytes.len() as u64;
    let found = read(source, bytes, at)?.len() as u64;
    if found < expected {
        return Err(FileError::at(at + found, Kind::Truncated { what, expected, found }));
    }
    Ok(())
}

/// Reads a dictionary as Python writes it.
type Parser<'a> = text::Parser<'a, false>;

impl<'a> Parser<'a> {
    fn dictionary(mut self) -> Parsed<Header> {
        let (mut descr, mut column_major, mut shape) = (None, None, None);
        self.expect(b'{', "a dictionary, which begins with {")?;
        while !self.found(b'}') {
            let begin = self.at;
            let key = self.string("a key in quotes, or }")?;
            self.expect(b':', "a colon after a key")?;
            self.space();
            let place = self.at;
            let again = match key {
                b"descr" => descr.replace((self.descr()?, place)).is_some(),
                b"fortran_order" => column_major.replace(self.truth()?).is_some(),
                b"shape" => shape.replace((self.shape()?, place)).is_some(),
                _ => {
                    let expected = "the key 'descr', 'fortran_order' or 'shape'";
                    return Err(self.unexpected(begin, expected));
                }
            };
            if again {
                let expected = "each of 'descr', 'fortran_order' and 'shape'";
                return Err((begin, Kind::Entry { expected }));
            }
            if !self.found(b',') {
                self.expect(b'}', "a comma or } after a value")?;
                break;
            }
        }
        self.space();
        if self.at < self.text.len() {
            return Err(self.unexpected(self.at, "spaces after the dictionary"));
        }
        let missing = |expected| (0, Kind::Entry { expected });
        let (descr, descr_place) = descr.ok_or_else(|| missing("'descr'"))?;
        let (shape, shape_place) = shape.ok_or_else(|| missing("'shape'"))?;
        Ok(Header {
            version: (1, 0),
            descr,
            places: (descr_place as u64, shape_place as u64),
            column_major: column_major.ok_or_else(|| missing("'fortran_order'"))?,
            shape,
            data_start: 0,
        })
    }

    /// A text in quotes of either kind, without escapes: no type or key has any.
    fn string(&mut self, expected: &'static str) -> Parsed<&'a [u8]> {
        self.space();
        let begin = self.at;
        let rest = &self.text[begin..];
        let end = match rest {
            [quote @ (b'\'' | b'"'), inner @ ..] => inner.iter().position(|byte| byte == quote),
            _ => None,
        };
        let Some(end) = end else {
            return Err(self.unexpected(begin, expected));
        };
        self.at = begin + end + 2;
        Ok(&rest[1..=end])
    }

    /// A type: in quotes; that of records, a list, is kept as its text, since none can be read.
    fn descr(&mut self) -> Parsed<String> {
        if self.text.get(self.at) != Some(&b'[') {
            let text = self.string("a type in quotes")?;
            return Ok(String::from_utf8_lossy(text).into_owned());
        }
        let (begin, mut depth) = (self.at, 0_usize);
        while let Some(byte) = self.text.get(self.at) {
            match byte {
                b'\'' | b'"' => {
                    self.string("a text with an end")?;
                    continue;
                }
                b'[' | b'(' => depth += 1,
                b']' | b')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Ok(String::from_utf8_lossy(&self.text[begin..self.at]).into_owned());
            }
        }
        Err(self.unexpected(begin, "a list of fields with an end"))
    }

    fn truth(&mut self) -> Parsed<bool> {
        for (word, value) in [(&b"True"[..], true), (b"False", false)] {
            if self.text[self.at..].starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.unexpected(self.at, "True or False"))
    }

    fn shape(&mut self) -> Parsed<Axes<usize>> {
        let begin = self.at;
        self.expect(b'(', "a shape, which begins with (")?;
        let mut shape = Axes::new();
        let mut ndim = 0;
        // One axis needs a comma: `(3,)`. NumPy itself reads `(3)` as no shape.
        let mut comma = true;
        while !self.found(b')') {
            if !comma {
                return Err(self.unexpected(self.at, "a comma or ) after an extent"));
            }
            let extent = self.extent()?;
            ndim += 1;
            if ndim <= MAX_NDIM {
                shape.push(extent);
            }
            comma = self.found(b',');
        }
        if ndim == 1 && !comma {
            return Err(self.unexpected(begin, "a shape, of one axis with a comma"));
        }
        shape_of(begin, ndim, shape)
    }

    fn extent(&mut self) -> Parsed<usize> {
        self.space();
        let begin = self.at;
        let value = self.digits().and_then(|value| usize::try_from(value).ok());
        // Python 2 marked long integers so.
        self.at += usize::from(self.at > begin && self.text.get(self.at) == Some(&b'L'));
        value.ok_or_else(|| {
            self.unexpected(begin, "an extent, which is a whole number that memory can hold")
        })
    }
}
