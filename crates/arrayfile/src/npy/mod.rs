//! `.npy` files of NumPy: one array each.
//!
//! All versions of the format (1.0, 2.0 and 3.0), both orders of the axes and both byte orders are
//! read. Written is version 1.0, in the byte order of this machine, which every NumPy reads: in
//! column-major order if the array lies so, else in row-major order. `bf16`, which NumPy has not,
//! is written as `V2`, as the package `ml_dtypes` does.
//!
//! ```
//! use arrayfile::npy;
//! use elementwise::{Array2, array};
//! let path = std::env::temp_dir().join(format!("doc-{}.npy", std::process::id()));
//! npy::write(&path, &array![[1, 2, 3], [4, 5, 6]])?;
//! let back: Array2<i32> = npy::read(&path)?;
//! assert_eq!(back, array![[1, 2, 3], [4, 5, 6]]);
//!
//! let err = npy::read::<f64, ndcore::Rank<2>>(&path).unwrap_err();
//! assert!(err.to_string().ends_with("expected elements of type f64, found '<i4'"));
//! # std::fs::remove_file(&path).unwrap();
//! # Ok::<(), arrayfile::FileError>(())
//! ```

mod header;
mod rows;

pub use header::Header;
pub use rows::{Filler, Reader, Writer};

use crate::data;
use crate::error::FileError;
use crate::{Array, FileElement, View};
use ndcore::Dimension;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

/// Reads the array of a file.
///
/// Memory is asked for only after the length of the file has been compared with what its header
/// says. What follows the array is not looked at. All threads read, unless
/// [`Exec`](elementwise::Exec) says otherwise.
///
/// # Errors
/// If the file cannot be read, is not what it should be, or holds elements of another type or an
/// array of another rank; `R` may be [`Dyn`](ndcore::Dyn), for any.
pub fn read<T: FileElement, R: Dimension>(
    path: impl AsRef<Path>,
) -> Result<Array<T, R>, FileError> {
    let path = path.as_ref();
    open(path)
        .and_then(|(mut file, length)| {
            let header = Header::read_from(&mut file)?;
            let elements = header.elements_within::<T, R>(length)?;
            let start = header.data_start();
            elements.read_file(&file, start).map_err(|err| err.shifted(start))
        })
        .map_err(|err| err.of(path))
}

/// Reads an array of a stream, and leaves the stream where it ends.
///
/// How much there will be is not known beforehand, so memory is asked for as the elements come.
///
/// # Errors
/// As for [`read`].
pub fn read_from<T: FileElement, R: Dimension>(
    source: &mut (impl Read + ?Sized),
) -> Result<Array<T, R>, FileError> {
    let header = Header::read_from(source)?;
    let elements = header.elements::<T, R>()?;
    elements.read(source, false).map_err(|err| err.shifted(header.data_start()))
}

/// A view of the array in the bytes of a file, most often a [`Map`](crate::Map): nothing is copied.
///
/// # Errors
/// As for [`read`], and if the elements cannot be viewed where they lie: in the other byte order
/// ([`ByteOrder`](crate::FileErrorKind::ByteOrder)), or at an address that does not suit them
/// ([`Unaligned`](crate::FileErrorKind::Unaligned)).
///
/// ```
/// use arrayfile::{View, npy};
/// let mut bytes = Vec::new();
/// npy::write_to(&mut bytes, &elementwise::array![1_u8, 2, 3])?;
/// let view: View<u8, ndcore::Rank<1>> = npy::view(&bytes)?;
/// assert_eq!(view.to_vec(), [1, 2, 3]);
/// # Ok::<(), arrayfile::FileError>(())
/// ```
pub fn view<T: FileElement, R: Dimension>(
    bytes: &(impl AsRef<[u8]> + ?Sized),
) -> Result<View<'_, T, R>, FileError> {
    let bytes = bytes.as_ref();
    let header = Header::read_from(&mut &bytes[..])?;
    let start = header.data_start();
    let elements = header.elements_within::<T, R>(bytes.len() as u64)?;
    let length = elements.bytes::<T>().map_err(|kind| FileError::at(start, kind))?;
    // Both fit: `elements_within` has compared them with the length of the slice.
    let data = &bytes[start as usize..(start + length) as usize];
    elements.view(data).map_err(|err| err.shifted(start))
}

/// Writes an array or a view as a file, in place of what was there.
///
/// # Errors
/// If the file cannot be written.
pub fn write<'a, T: FileElement, R: Dimension>(
    path: impl AsRef<Path>,
    array: impl Into<View<'a, T, R>>,
) -> Result<(), FileError> {
    let path = path.as_ref();
    File::create(path)
        .map_err(|err| FileError::io(0, "creating the file", err))
        .and_then(|mut file| write_to(&mut file, array))
        .map_err(|err| err.of(path))
}

/// Writes an array or a view to a stream.
///
/// # Errors
/// If the stream cannot be written to.
pub fn write_to<'a, T: FileElement, R: Dimension>(
    to: &mut (impl Write + ?Sized),
    array: impl Into<View<'a, T, R>>,
) -> Result<(), FileError> {
    let view = array.into();
    let header = Header::of(&view);
    to.write_all(&header.to_bytes(0)).map_err(|err| FileError::io(0, "writing the header", err))?;
    let view = if header.is_column_major() { view.t() } else { view };
    data::write(to, &view)
        .map_err(|err| FileError::io(header.data_start(), "writing the data", err))
}

/// A file to read from, and its length.
fn open(path: &Path) -> Result<(File, u64), FileError> {
    let refuse = |err| FileError::io(0, "opening the file", err);
    let file = File::open(path).map_err(refuse)?;
    let length = file.metadata().map_err(refuse)?.len();
    Ok((file, length))
}
