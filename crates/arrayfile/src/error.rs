//! [`FileError`]: what can be wrong with a file, and where.

use crate::ElementKind;
use ndcore::LayoutError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a file could not be read or written: which file, which part of it, at which byte, and what
/// was expected there. One word in size; match on [`kind`](FileError::kind).
///
/// ```
/// # #[cfg(feature = "npy")] {
/// use arrayfile::{FileErrorKind, npy};
/// let err = npy::read_from::<f32, ndcore::Dyn>(&mut &b"PK\x03\x04 and so on"[..]).unwrap_err();
/// assert!(matches!(err.kind(), FileErrorKind::Magic { .. }));
/// assert_eq!(err.offset(), 0);
/// assert_eq!(
///     err.to_string(),
///     r#"at byte 0: expected "\x93NUMPY", with which a .npy file begins, found "PK\x03\x04 a""#
/// );
/// # }
/// ```
pub struct FileError(Box<Inner>);

struct Inner {
    path: Option<PathBuf>,
    part: Option<String>,
    offset: u64,
    kind: FileErrorKind,
}

/// The kinds of [`FileError`], each with the values at fault.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileErrorKind {
    /// The system could not do what was asked.
    #[error("{doing}: {error}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// What the system says.
        error: io::Error,
    },
    /// The file begins with other bytes than files of its kind do.
    #[error("expected \"{}\", with which {what} begins, found \"{}\"", .expected.escape_ascii(), .found.escape_ascii())]
    Magic {
        /// What begins so.
        what: &'static str,
        /// The bytes expected.
        expected: &'static [u8],
        /// The bytes found.
        found: Vec<u8>,
    },
    /// A version of the format that is not known.
    #[error("expected a version from 1.0 to 3.0, found {major}.{minor}")]
    Version {
        /// The number before the point.
        major: u8,
        /// The number after it.
        minor: u8,
    },
    /// The file ends too early.
    #[error("expected {expected} bytes of {what}, found {found}")]
    Truncated {
        /// What should be there.
        what: &'static str,
        /// Its bytes.
        expected: u64,
        /// The bytes that are there.
        found: u64,
    },
    /// A header that is longer than any that an array needs.
    #[error("expected a header of at most {limit} bytes, found one of {length}")]
    HeaderTooLong {
        /// The length.
        length: u64,
        /// The most that is read.
        limit: u64,
    },
    /// A header that is not written as it should be.
    #[error("expected {expected}, found \"{found}\"")]
    Header {
        /// What should be there.
        expected: &'static str,
        /// What is there, escaped, its first characters.
        found: String,
    },
    /// An entry of a header that is missing, or given twice.
    #[error("expected {expected} exactly once in the header")]
    Entry {
        /// The entry.
        expected: &'static str,
    },
    /// Elements of another type than asked for.
    #[error("expected elements of type {expected}, found {found}")]
    Element {
        /// The type asked for.
        expected: ElementKind,
        /// The type in the file, as the file says it.
        found: String,
    },
    /// A byte that is no `bool`.
    #[error("expected a bool, which is 0 or 1, found a byte of {found}")]
    Bool {
        /// The byte.
        found: u8,
    },
    /// A shape that does not fit: another rank, or more than memory can hold.
    #[error("{0}")]
    Shape(LayoutError),
    /// Data of another length than the shape and the type say.
    #[error(
        "expected {expected} bytes of data for elements of type {element} and shape {shape:?}, found {found}"
    )]
    Length {
        /// The type of the elements.
        element: ElementKind,
        /// The shape.
        shape: Vec<usize>,
        /// The bytes that they need.
        expected: u64,
        /// The bytes that are there.
        found: u64,
    },
    /// A view needs elements at addresses that are multiples of their alignment; read them instead.
    #[error("expected data at a multiple of {alignment} bytes, for a view; it can be read")]
    Unaligned {
        /// The alignment of the elements.
        alignment: usize,
    },
    /// A view needs elements in the byte order of this machine; read them instead.
    #[error("expected data in the byte order of this machine, for a view; it can be read")]
    ByteOrder,
    /// A view needs data that is not compressed; read it instead.
    #[error("expected data that is not compressed, for a view; it can be read")]
    Compressed,
    /// Rows are read and written one by one in row-major order only.
    #[error("expected data in row-major order, to read or write rows of it")]
    ColumnMajor,
    /// A way to compress that is not known.
    #[error("expected data that is stored or deflated, found method {method}")]
    Method {
        /// The number of the method.
        method: u16,
    },
    /// An archive that is not put together as it should be.
    #[error("expected a zip archive: {reason}")]
    Archive {
        /// What is wrong with it.
        reason: String,
    },
    /// There is no array of this name.
    #[error("expected an array of this name; there are {there}")]
    Missing {
        /// The names there are, the first ones of them.
        there: String,
    },
    /// Two arrays have one name.
    #[error("expected each name once, found this one twice")]
    Duplicate,
    /// Elements that the format does not have.
    #[error("expected elements that the format has, found {element}")]
    NotInFormat {
        /// Their type.
        element: ElementKind,
    },
    /// Parts of a file that overlap, or leave bytes that belong to nothing.
    #[error("expected data from byte {expected} of the data on, found {begin}..{end}")]
    Place {
        /// Where the data before it ends.
        expected: u64,
        /// Where this begins.
        begin: u64,
        /// Where it ends.
        end: u64,
    },
    /// Rows of another shape than those before.
    #[error("expected rows of shape {expected:?}, found {found:?}")]
    Rows {
        /// The shape of the rows in the file.
        expected: Vec<usize>,
        /// The shape of those given.
        found: Vec<usize>,
    },
    /// Rows that the file does not have.
    #[error("expected rows within 0..{rows}, found {start}..{end}")]
    RowRange {
        /// How many rows there are.
        rows: usize,
        /// The first row asked for.
        start: usize,
        /// The row after the last one asked for.
        end: usize,
    },
}

impl FileError {
    /// What went wrong, with the values at fault.
    pub fn kind(&self) -> &FileErrorKind {
        &self.0.kind
    }

    /// The same by value.
    pub fn into_kind(self) -> FileErrorKind {
        self.0.kind
    }

    /// The file, where there is one: not for bytes and streams.
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// The name of the array, in files of several.
    pub fn part(&self) -> Option<&str> {
        self.0.part.as_deref()
    }

    /// The byte at which something else was expected, from the start of the file; of an array in an
    /// archive, from the start of that array's `.npy` file.
    pub fn offset(&self) -> u64 {
        self.0.offset
    }

    // Errors are rare: keep their allocation out of the callers' hot code.
    #[cold]
    pub(crate) fn at(offset: u64, kind: impl Into<FileErrorKind>) -> Self {
        FileError(Box::new(Inner { path: None, part: None, offset, kind: kind.into() }))
    }

    #[cold]
    pub(crate) fn io(offset: u64, doing: &'static str, error: io::Error) -> Self {
        Self::at(offset, FileErrorKind::Io { doing, error })
    }

    /// The same, further on.
    pub(crate) fn shifted(mut self, by: u64) -> Self {
        self.0.offset = self.0.offset.saturating_add(by);
        self
    }

    /// The same, of a file.
    pub(crate) fn of(mut self, path: &Path) -> Self {
        self.0.path.get_or_insert_with(|| path.to_path_buf());
        self
    }

    /// The same, of a file, where there is one.
    #[cfg(any(feature = "npz", feature = "safetensors"))]
    pub(crate) fn located(self, path: Option<&Path>) -> Self {
        match path {
            Some(path) => self.of(path),
            None => self,
        }
    }

    /// The same, of an array in a file of several.
    #[cfg(any(feature = "npz", feature = "safetensors"))]
    pub(crate) fn in_part(mut self, part: &str) -> Self {
        self.0.part.get_or_insert_with(|| shown(part.as_bytes(), 100));
        self
    }
}

/// The first bytes of a text that may be anything, for a message.
pub(crate) fn shown(text: &[u8], most: usize) -> String {
    let mut out = String::new();
    for letter in String::from_utf8_lossy(&text[..text.len().min(most)]).chars() {
        if letter.is_control() { out.extend(letter.escape_default()) } else { out.push(letter) }
    }
    if text.len() > most {
        out.push_str(" ..");
    }
    out
}

impl From<ndcore::LayoutError> for FileErrorKind {
    fn from(error: ndcore::LayoutError) -> Self {
        FileErrorKind::Shape(error)
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.0.path {
            write!(f, "{}, ", path.display())?;
        }
        if let Some(part) = &self.0.part {
            write!(f, "array \"{part}\", ")?;
        }
        write!(f, "at byte {}: {}", self.0.offset, self.0.kind)
    }
}

impl fmt::Debug for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileError")
            .field("path", &self.0.path)
            .field("part", &self.0.part)
            .field("offset", &self.0.offset)
            .field("kind", &self.0.kind)
            .finish()
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.kind {
            FileErrorKind::Io { error, .. } => Some(error),
            FileErrorKind::Shape(kind) => Some(kind),
            _ => None,
        }
    }
}
