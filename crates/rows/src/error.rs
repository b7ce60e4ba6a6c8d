//! [`Error`]: what went wrong, on which rank, with which rows.

use arrayfile::FileError;
use elementwise::LayoutError;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

/// Why a program of rows could not go on: which rank failed, with which rows, and why. All ranks
/// that took part get the same words. One word in size; match on [`kind`](Error::kind).
///
/// A closure returns it by `?` from errors of arrays and files, and from texts:
///
/// ```
/// use rows::{Error, Rows, Solo};
/// use elementwise::{Array2, Sum};
/// let rows = Rows::new(&Solo, [4, 3]);
/// let refuse = |_| -> Result<Array2<f32>, Error> { Err("no data".into()) };
/// let err = rows.reduce(refuse, Sum, 0).unwrap_err();
/// assert_eq!(err.to_string(), "rank 0, rows 0..4: no data");
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    rank: Option<usize>,
    rows: Option<Range<usize>>,
    /// Whether all ranks know of it.
    agreed: bool,
    kind: ErrorKind,
}

/// The kinds of [`Error`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Shapes do not fit, or a reduction has no result.
    #[error("{0}")]
    Array(elementwise::Error),
    /// A file could not be read or written.
    #[error("{0}")]
    File(FileError),
    /// The system could not do something with a file.
    #[error("{}: {doing}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// What the system says.
        error: std::io::Error,
    },
    /// A Zarr array, or one of its chunks, could not be read or written.
    #[cfg(feature = "zarr")]
    #[error("{}: {doing}: {error}", path.display())]
    Zarr {
        /// The directory of the array, or the file of the chunk.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// What was wrong.
        error: crate::ZarrError,
    },
    /// What a closure says itself.
    #[error("{0}")]
    Message(String),
    /// A closure has panicked.
    #[error("panicked: {0}")]
    Panicked(String),
    /// What another rank says: the words of its error.
    #[error("{0}")]
    Elsewhere(String),
    /// Another rank has ended while this one waited for it.
    #[error("rank {rank} has ended, and takes no part any more")]
    Gone {
        /// The rank.
        rank: usize,
    },
    /// Ranks do not agree on what they compute.
    #[error("{0}")]
    Disagree(String),
}

impl Error {
    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The rank that failed, if it is one.
    pub fn rank(&self) -> Option<usize> {
        self.0.rank
    }

    /// The rows that it was busy with.
    pub fn rows(&self) -> Option<Range<usize>> {
        self.0.rows.clone()
    }

    /// Whether all ranks have got this error: it came of what they do together.
    pub fn is_everywhere(&self) -> bool {
        self.0.agreed
    }

    /// The same, of these rows, unless it says others.
    #[must_use]
    pub(crate) fn with_rows(mut self, rows: &Range<usize>) -> Self {
        self.0.rows.get_or_insert_with(|| rows.clone());
        self
    }

    /// The same, of this rank, unless it says another.
    #[must_use]
    pub(crate) fn of_rank(mut self, rank: usize) -> Self {
        self.0.rank.get_or_insert(rank);
        self
    }

    /// The same, known to all ranks.
    #[must_use]
    pub(crate) fn agreed(mut self) -> Self {
        self.0.agreed = true;
        self
    }

    /// The error as another rank gets it.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![1];
        let rows = self.rows();
        bytes.push(u8::from(rows.is_some()));
        let rows = rows.unwrap_or(0..0);
        bytes.extend_from_slice(&(rows.start as u64).to_le_bytes());
        bytes.extend_from_slice(&(rows.end as u64).to_le_bytes());
        bytes.extend_from_slice(self.kind().to_string().as_bytes());
        bytes
    }

    /// And back; `None` if the bytes are none of an error.
    pub(crate) fn of_bytes(bytes: &[u8], rank: usize) -> Option<Error> {
        let (&[1, some], rest) = bytes.split_first_chunk::<2>()? else { return None };
        let (start, rest) = rest.split_first_chunk::<8>()?;
        let (end, text) = rest.split_first_chunk::<8>()?;
        let [start, end] = [start, end].map(|row| u64::from_le_bytes(*row) as usize);
        let error = Error::from(ErrorKind::Elsewhere(String::from_utf8_lossy(text).into_owned()));
        let error = if some != 0 { error.with_rows(&(start..end)) } else { error };
        Some(error.of_rank(rank).agreed())
    }
}

impl From<ErrorKind> for Error {
    #[cold]
    fn from(kind: ErrorKind) -> Self {
        Error(Box::new(Inner { rank: None, rows: None, agreed: false, kind }))
    }
}

impl From<elementwise::Error> for Error {
    fn from(error: elementwise::Error) -> Self {
        ErrorKind::Array(error).into()
    }
}

impl From<LayoutError> for Error {
    fn from(error: LayoutError) -> Self {
        elementwise::Error::from(error).into()
    }
}

impl From<FileError> for Error {
    fn from(error: FileError) -> Self {
        ErrorKind::File(error).into()
    }
}

impl From<String> for Error {
    fn from(text: String) -> Self {
        ErrorKind::Message(text).into()
    }
}

impl From<&str> for Error {
    fn from(text: &str) -> Self {
        text.to_string().into()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.0.rank, &self.0.rows) {
            (Some(rank), Some(rows)) => write!(f, "rank {rank}, rows {rows:?}: ")?,
            (Some(rank), None) => write!(f, "rank {rank}: ")?,
            (None, Some(rows)) => write!(f, "rows {rows:?}: ")?,
            (None, None) => {}
        }
        self.0.kind.fmt(f)
    }
}

/// The same words as `Display`: so `unwrap`, and `main` that returns an error, are readable.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self.kind() {
            ErrorKind::Array(error) => Some(error),
            ErrorKind::File(error) => Some(error),
            ErrorKind::Io { error, .. } => Some(error),
            #[cfg(feature = "zarr")]
            ErrorKind::Zarr { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// What a panic says.
pub(crate) fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_string(),
        (_, Some(text)) => text.clone(),
        _ => "without a text".to_string(),
    }
}
