//! `.safetensors` files: arrays by name, and some text about them.
//!
//! ```
//! use arrayfile::safetensors::{SafeTensors, Writer};
//! use elementwise::{Array2, array};
//! use half::bf16;
//! let path = std::env::temp_dir().join(format!("doc-{}.safetensors", std::process::id()));
//! let weights = array![[bf16::ONE, bf16::ZERO], [bf16::ZERO, bf16::ONE]];
//! Writer::new().metadata("format", "pt").add("weights", &weights)?.write(&path)?;
//!
//! let file = SafeTensors::open(&path)?;
//! let back: Array2<bf16> = file.read("weights")?;
//! assert_eq!(back, weights);
//! let tensor = file.tensors().next().unwrap();
//! assert_eq!((tensor.name(), tensor.dtype(), tensor.shape()), ("weights".into(), "BF16", &[2, 2][..]));
//! # std::fs::remove_file(&path).unwrap();
//! # Ok::<(), arrayfile::FileError>(())
//! ```

mod header;
mod writer;

pub use header::{Metadata, Tensor, Tensors};
pub use writer::Writer;

use crate::data::{Elements, read_full};
use crate::error::{FileError, FileErrorKind as Kind, shown};
use crate::{Array, FileElement, View};
use ndcore::Dimension;
use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Headers that are longer are not read: that is how far the format allows them.
const LIMIT: u64 = 100_000_000;

/// The header of a file, and the file: as a [`File`], of which arrays are read
/// ([`open`](SafeTensors::open)), or as bytes, of which arrays can be viewed where they lie
/// ([`from_bytes`](SafeTensors::from_bytes)).
///
/// All of the header is checked at first: that names are given once, and that the arrays follow
/// each other without gaps up to the end of the file.
pub struct SafeTensors<S> {
    source: S,
    path: Option<PathBuf>,
    header: Vec<u8>,
}

/// Where the data begin: after the length of the header, and the header.
fn data_start(header_length: usize) -> u64 {
    8 + header_length as u64
}

impl SafeTensors<File> {
    /// Opens a file, of which the header is read.
    ///
    /// # Errors
    /// If it cannot be read, or is not what it should be.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let open = || {
            let refuse = |err| FileError::io(0, "opening the file", err);
            let mut file = File::open(path).map_err(refuse)?;
            let length = file.metadata().map_err(refuse)?.len();
            let mut prefix = [0; 8];
            let doing = "reading the header";
            let found =
                read_full(&mut file, &mut prefix).map_err(|err| FileError::io(0, doing, err))?;
            let header_length = header_length(&prefix[..found], length)?;
            let mut header = vec![0; header_length];
            let found =
                read_full(&mut file, &mut header).map_err(|err| FileError::io(8, doing, err))?;
            header::check(&header[..found], length - data_start(header_length))?;
            Ok(SafeTensors { source: file, path: Some(path.into()), header })
        };
        open().map_err(|err: FileError| err.of(path))
    }

    /// Reads an array.
    ///
    /// # Errors
    /// [`Missing`](Kind::Missing); if the file cannot be read, or its array is of another type or
    /// rank; `R` may be [`Dyn`](ndcore::Dyn), for any.
    pub fn read<T: FileElement, R: Dimension>(&self, name: &str) -> Result<Array<T, R>, FileError> {
        let start = data_start(self.header.len());
        let read = find(&self.header, name).and_then(|tensor| {
            let elements = elements::<T, R>(&tensor)?;
            let at = start + tensor.range().start;
            // The ranges end with the file, as `open` found it.
            elements.read_file(&self.source, at).map_err(|err| err.shifted(at))
        });
        read.map_err(|err| err.in_part(name).located(self.path.as_deref()))
    }
}

impl<S> SafeTensors<S> {
    /// The arrays, in the order of the header.
    pub fn tensors(&self) -> Tensors<'_> {
        Tensors::of(&self.header)
    }

    /// The text about the arrays: keys and values.
    pub fn metadata(&self) -> Metadata<'_> {
        Metadata::of(&self.header)
    }
}

impl<B: AsRef<[u8]>> SafeTensors<B> {
    /// The file with these bytes, most often a [`Map`](crate::Map).
    ///
    /// # Errors
    /// If they are not what they should be.
    pub fn from_bytes(bytes: B) -> Result<Self, FileError> {
        let all = bytes.as_ref();
        let header_length = header_length(&all[..all.len().min(8)], all.len() as u64)?;
        let data = data_start(header_length);
        // `header_length` has compared it with the number of bytes.
        header::check(&all[8..data as usize], all.len() as u64 - data)?;
        let header = all[8..data as usize].to_vec();
        Ok(SafeTensors { source: bytes, path: None, header })
    }

    /// A view of an array where it lies: nothing is copied.
    ///
    /// # Errors
    /// As for [`to_array`](Self::to_array), and if the elements lie at an address that does not
    /// suit them ([`Unaligned`](Kind::Unaligned)), as some programs write them.
    ///
    /// ```
    /// use arrayfile::{Map, View, safetensors::{SafeTensors, Writer}};
    /// use ndcore::Rank;
    /// let path = std::env::temp_dir().join(format!("view-{}.safetensors", std::process::id()));
    /// Writer::new().add("x", &elementwise::array![1.0_f32, 2.0])?.write(&path)?;
    /// // SAFETY: nobody else knows of this file.
    /// let file = SafeTensors::from_bytes(unsafe { Map::open(&path)? })?;
    /// let x: View<f32, Rank<1>> = file.view("x")?;
    /// assert_eq!(x.as_slice(), Some(&[1.0, 2.0][..]));
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), arrayfile::FileError>(())
    /// ```
    pub fn view<T: FileElement, R: Dimension>(
        &self,
        name: &str,
    ) -> Result<View<'_, T, R>, FileError> {
        self.with_bytes::<T, R, _>(name, |elements, bytes| elements.view(bytes))
    }

    /// A copy of an array, wherever it lies.
    ///
    /// # Errors
    /// [`Missing`](Kind::Missing); if the array is of another type or rank.
    pub fn to_array<T: FileElement, R: Dimension>(
        &self,
        name: &str,
    ) -> Result<Array<T, R>, FileError> {
        self.with_bytes::<T, R, _>(name, |elements, mut bytes| elements.read(&mut bytes, true))
    }

    fn with_bytes<'s, T: FileElement, R: Dimension, O>(
        &'s self,
        name: &str,
        work: impl FnOnce(Elements<R>, &'s [u8]) -> Result<O, FileError>,
    ) -> Result<O, FileError> {
        let start = data_start(self.header.len());
        let done = find(&self.header, name).and_then(|tensor| {
            let elements = elements::<T, R>(&tensor)?;
            let range = tensor.range();
            let (begin, end) = (start + range.start, start + range.end);
            let bytes = self.source.as_ref().get(begin as usize..end as usize);
            // The ranges end with the bytes, as `from_bytes` found them.
            work(elements, bytes.unwrap_or_default()).map_err(|err| err.shifted(begin))
        });
        done.map_err(|err| err.in_part(name).located(self.path.as_deref()))
    }
}

impl<S> fmt::Debug for SafeTensors<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SafeTensors")
            .field("path", &self.path)
            .field("header_length", &self.header.len())
            .finish()
    }
}

/// The length of the header, if a file of so many bytes has it.
fn header_length(prefix: &[u8], length: u64) -> Result<usize, FileError> {
    let Ok(prefix) = <[u8; 8]>::try_from(prefix) else {
        let found = prefix.len() as u64;
        let what = "the length of the header";
        return Err(FileError::at(found, Kind::Truncated { what, expected: 8, found }));
    };
    let header = u64::from_le_bytes(prefix);
    if header > LIMIT {
        return Err(FileError::at(0, Kind::HeaderTooLong { length: header, limit: LIMIT }));
    }
    let found = length.saturating_sub(8);
    if header > found {
        let kind = Kind::Truncated { what: "the header", expected: header, found };
        return Err(FileError::at(8 + found, kind));
    }
    Ok(header as usize)
}

fn find<'h>(header: &'h [u8], name: &str) -> Result<Tensor<'h>, FileError> {
    let own = Tensors::of(header).find(|tensor| tensor.is_named(name));
    own.ok_or_else(|| {
        let names = Tensors::of(header).take(8).map(|tensor| {
            let name = tensor.name();
            format!("\"{}\"", shown(name.as_bytes(), 40))
        });
        FileError::at(8, Kind::Missing { there: names.collect::<Vec<_>>().join(", ") })
    })
}

/// The elements of an array, if they are of this type and rank, and as many as there are bytes.
fn elements<T: FileElement, R: Dimension>(tensor: &Tensor<'_>) -> Result<Elements<R>, FileError> {
    let refuse = |kind| FileError::at(8 + tensor.place(), kind);
    if tensor.element() != Some(T::KIND) {
        let found = format!("\"{}\"", shown(tensor.dtype().as_bytes(), 40));
        return Err(refuse(Kind::Element { expected: T::KIND, found }));
    }
    let swapped = cfg!(target_endian = "big");
    let elements = Elements::<R>::new(tensor.shape(), false, swapped).map_err(refuse)?;
    let range = tensor.range();
    elements.check_length::<T>(range.end - range.start).map_err(refuse)?;
    Ok(elements)
}
