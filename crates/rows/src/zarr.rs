//! Zarr arrays of version 3, in directories, by the crate `zarrs`: rows read of them ([`Absent`]),
//! and arrays written by their rows ([`Zarr`]). The feature `zarr`.

use crate::error::{Error, ErrorKind};
use crate::input::{Input, Source};
use crate::rows::Rows;
use crate::write::{Format, Sink, beside};
use arrayfile::{ElementKind, FileElement, View};
use bytemuck::checked::{self, CheckedCastError};
use elementwise::{Array, Assign, Dimension, Expr, ResultRank, SliceElem, Slices};
use elementwise::{Dyn, Term};
use rayon::prelude::*;
use std::borrow::Cow;
use std::error::Error as StdError;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use zarrs::array::codec::GzipCodec;
use zarrs::array::{
    ArrayBuilder, ArrayBytes, ArrayMetadataOptions, ArraySubset, CodecOptions, DataType, FillValue,
    data_type,
};
use zarrs::filesystem::FilesystemStore;
use zarrs::storage::{
    Bytes, OffsetBytesIterator, ReadableStorageTraits, StorageError, StoreKey, StorePrefix,
    WritableStorageTraits,
};

/// The array of a directory is its root.
const ROOT: &str = "/";
/// What says that a directory is an array.
const METADATA: &str = "zarr.json";
/// The bytes of a chunk, about, unless others are asked for.
const CHUNK: usize = 4 << 20;

/// What a chunk that is not there means, to [`Rows::open_zarr`].
///
/// A chunk whose elements are all the fill value need not be stored, and zarr-python does not store
/// it unless it is told to. But a chunk that was lost, or never written because a program ended
/// early, looks the same. Chunks in shards are different: the index of a shard says which of them
/// are the fill value, so only a shard can be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent {
    /// Something is missing: reading it is an error. [`Rows::write_zarr`] stores every chunk.
    IsError,
    /// Its elements are the array's fill value.
    IsFill,
}

/// How [`Rows::write_zarr`] stores an array: in chunks of whole rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Zarr {
    /// The rows of a chunk, at least one; `None` for some 4 MiB of them. A rank and a slab have
    /// whole chunks.
    pub rows: Option<usize>,
    /// The level of compression by gzip, from 0 to 9; `None` to store the elements as they are.
    pub gzip: Option<u32>,
}

/// What can be wrong with a Zarr array, or with one of its chunks.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ZarrError {
    /// Elements of another type than asked for.
    #[error("expected elements of type {expected}, found {found}")]
    Element {
        /// The type asked for.
        expected: ElementKind,
        /// The type in the array, as Zarr calls it.
        found: String,
    },
    /// Another rank than asked for, or one without rows.
    #[error("expected an array of rank {expected} that has rows, found one of shape {found:?}")]
    Rank {
        /// The rank asked for.
        expected: String,
        /// The shape of the array.
        found: Vec<u64>,
    },
    /// A chunk is not there: see [`Absent`].
    #[error("expected a chunk, found none; Absent::IsFill takes it for the fill value")]
    Absent,
    /// A chunk holds bytes that are no elements of the type.
    #[error("expected elements of type {expected}, found other bytes")]
    Bytes {
        /// The type.
        expected: ElementKind,
    },
    /// A directory that is no array is not replaced by one.
    #[error("expected a Zarr array to replace, or nothing, found something else")]
    Taken,
    /// What the crate `zarrs` says, for example of a chunk that ends too early.
    #[error("{0}")]
    Other(Box<dyn StdError + Send + Sync>),
}

impl ZarrError {
    #[cold]
    fn of(self, path: &Path, doing: &'static str) -> Error {
        ErrorKind::Zarr { path: path.to_path_buf(), doing, error: self }.into()
    }
}

/// What `zarrs` says, as an error of this path.
fn refused<E: StdError + Send + Sync + 'static>(
    path: &Path,
    doing: &'static str,
) -> impl Fn(E) -> Error {
    move |error| ZarrError::Other(Box::new(error)).of(path, doing)
}

/// What Zarr calls the elements; `None` if it has no name for them.
fn type_of(kind: ElementKind) -> Option<DataType> {
    Some(match kind {
        ElementKind::Bool => data_type::bool(),
        ElementKind::I8 => data_type::int8(),
        ElementKind::I16 => data_type::int16(),
        ElementKind::I32 => data_type::int32(),
        ElementKind::I64 => data_type::int64(),
        ElementKind::U8 => data_type::uint8(),
        ElementKind::U16 => data_type::uint16(),
        ElementKind::U32 => data_type::uint32(),
        ElementKind::U64 => data_type::uint64(),
        ElementKind::F16 => data_type::float16(),
        ElementKind::BF16 => data_type::bfloat16(),
        ElementKind::F32 => data_type::float32(),
        ElementKind::F64 => data_type::float64(),
        ElementKind::C64 => data_type::complex64(),
        ElementKind::C128 => data_type::complex128(),
        _ => return None,
    })
}

/// The bytes of a chunk as elements: where they lie, if that suits elements.
fn elements<T: FileElement>(bytes: &[u8]) -> Result<Cow<'_, [T]>, ZarrError> {
    let refuse = || ZarrError::Bytes { expected: T::KIND };
    match checked::try_cast_slice(bytes) {
        Ok(elements) => Ok(Cow::Borrowed(elements)),
        Err(CheckedCastError::InvalidBitPattern) => Err(refuse()),
        Err(CheckedCastError::PodCastError(_)) => bytes
            .chunks_exact(size_of::<T>())
            .map(|bytes| checked::try_pod_read_unaligned(bytes).map_err(|_| refuse()))
            .collect(),
    }
}

/// Ranges as a slice of any rank.
fn slices(ranges: &[Range<u64>]) -> Vec<SliceElem> {
    let elem = |range: &Range<u64>| SliceElem::Range {
        start: range.start as isize,
        end: Some(range.end as isize),
        step: 1,
    };
    ranges.iter().map(elem).collect()
}

/// An array that is read.
struct Reader<R> {
    path: PathBuf,
    array: Arc<zarrs::array::Array<FilesystemStore>>,
    shape: Vec<usize>,
    absent: Absent,
    rank: std::marker::PhantomData<fn() -> R>,
}

/// A chunk, or the part of it that is asked for.
struct Part {
    /// Where it is in the array.
    place: Vec<Range<u64>>,
    /// `None` for the fill value.
    bytes: Option<ArrayBytes<'static>>,
}

impl<R: Dimension> Reader<R> {
    fn open<T: FileElement>(path: &Path, absent: Absent) -> Result<Self, Error> {
        const DOING: &str = "opening the array";
        let store = FilesystemStore::new(path).map_err(refused(path, DOING))?;
        let array = zarrs::array::Array::open(Arc::new(store), ROOT);
        let array = array.map_err(refused(path, DOING))?;
        if type_of(T::KIND).as_ref() != Some(array.data_type()) {
            // Its names in both versions of the format, of which the first is that of this one.
            let names = array.data_type().to_string();
            let found = names.split(" / ").next().unwrap_or_default().to_string();
            return Err(ZarrError::Element { expected: T::KIND, found }.of(path, DOING));
        }
        let extents = array.shape().iter().map(|extent| usize::try_from(*extent).ok());
        let shape: Option<Vec<usize>> = extents.collect();
        let fits = |shape: &Vec<usize>| {
            !shape.is_empty()
                && R::shape(shape)
                    .is_ok_and(|shape| R::NDIM.is_none_or(|n| n == shape.as_ref().len()))
        };
        let Some(shape) = shape.filter(fits) else {
            let expected = R::NDIM.map_or("any".to_string(), |ndim| ndim.to_string());
            let found = array.shape().to_vec();
            return Err(ZarrError::Rank { expected, found }.of(path, DOING));
        };
        let (path, array, rank) = (path.to_path_buf(), Arc::new(array), Default::default());
        Ok(Reader { path, array, shape, absent, rank })
    }

    /// What a chunk has of these rows.
    fn part(&self, index: &[u64], rows: &ArraySubset) -> Result<Part, Error> {
        const DOING: &str = "reading a chunk";
        let file = self.path.join(self.array.chunk_key(index).as_str());
        let chunk = self.array.chunk_subset(index).map_err(refused(&file, DOING))?;
        let place = chunk.overlap(rows).map_err(refused(&file, DOING))?;
        let bytes = if place == chunk {
            self.array.retrieve_chunk_if_exists(index).map_err(refused(&file, DOING))?
        } else {
            let size = self.array.storage().size_key(&self.array.chunk_key(index));
            if size.map_err(refused(&file, DOING))?.is_some() {
                let within = place.relative_to(chunk.start()).map_err(refused(&file, DOING))?;
                let part = self.array.retrieve_chunk_subset(index, &within);
                Some(part.map_err(refused(&file, DOING))?)
            } else {
                None
            }
        };
        if bytes.is_none() && self.absent == Absent::IsError {
            return Err(ZarrError::Absent.of(&file, DOING));
        }
        Ok(Part { place: place.to_ranges(), bytes })
    }

    /// Puts a part where it belongs, in an array of rows from `first` on.
    fn put<T: FileElement>(
        &self,
        part: &Part,
        first: u64,
        out: &mut Array<T, R>,
    ) -> Result<(), Error> {
        const DOING: &str = "reading a chunk";
        let fails = |error: ZarrError| error.of(&self.path, DOING);
        let mut place = part.place.clone();
        place[0] = place[0].start - first..place[0].end - first;
        let mut out = out.view_mut().into_dyn();
        let place = slices(&place);
        let mut to = out.slice_mut(Slices::from_slice(&place))?;
        let fill = self.array.fill_value().as_ne_bytes();
        match &part.bytes {
            None => {
                let value = checked::try_pod_read_unaligned(fill);
                to.fill(value.map_err(|_| fails(ZarrError::Bytes { expected: T::KIND }))?);
            }
            Some(ArrayBytes::Fixed(bytes)) => {
                let elements = elements::<T>(bytes).map_err(fails)?;
                let shape = Dyn::shape(to.shape())?;
                to.assign(View::<T, Dyn>::from_slice(shape, &elements)?)?;
            }
            Some(_) => return Err(fails(ZarrError::Bytes { expected: T::KIND })),
        }
        Ok(())
    }
}

impl<T: FileElement, R: Dimension> Source<T, R> for Reader<R> {
    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn read(&mut self, rows: Range<usize>) -> Result<Array<T, R>, Error> {
        let all = self.shape[0];
        if rows.start > rows.end || rows.end > all {
            let path = self.path.display();
            return Err(format!("{path} has rows 0..{all}, not {rows:?}").into());
        }
        let mut shape = self.shape.clone();
        shape[0] = rows.len();
        let mut out = Array::<T, R>::try_full(R::shape(&shape)?, T::zeroed())?;
        if out.is_empty() {
            return Ok(out);
        }
        let mut ranges: Vec<Range<u64>> = self.shape.iter().map(|&n| 0..n as u64).collect();
        ranges[0] = rows.start as u64..rows.end as u64;
        let subset = ArraySubset::new_with_ranges(&ranges);
        let refuse = refused(&self.path, "finding the chunks of rows");
        let chunks = self.array.chunks_in_array_subset(&subset).map_err(refuse)?;
        let chunks = chunks.ok_or_else(|| {
            let error = ZarrError::Other("a grid of chunks without bounds".into());
            error.of(&self.path, "finding the chunks of rows")
        })?;
        let indices: Vec<Vec<u64>> = chunks.indices().into_iter().map(|i| i.to_vec()).collect();
        // As many at a time as threads: so many are in memory beside the rows.
        for some in indices.chunks(rayon::current_num_threads()) {
            let parts: Vec<_> = some.par_iter().map(|index| self.part(index, &subset)).collect();
            for part in parts {
                self.put(&part?, rows.start as u64, &mut out)?;
            }
        }
        Ok(out)
    }

    fn again(&self) -> Result<Box<dyn Source<T, R>>, Error> {
        let (path, array, shape) = (self.path.clone(), self.array.clone(), self.shape.clone());
        Ok(Box::new(Reader::<R> { path, array, shape, absent: self.absent, rank: self.rank }))
    }
}

impl Rows<'_> {
    /// A Zarr array of version 3, in a directory, with these rows, to be read as a file that
    /// [`open`](Self::open) gives is. Chunks are of any shape, in shards or not, as they are or
    /// compressed by gzip; by any other codec of the crate `zarrs`, if a program asks it for the
    /// feature (`zarrs = { version = "0.23", default-features = false, features = ["zstd"] }`).
    ///
    /// Chunks are decoded by all threads; as many chunks as threads are in memory beside the slabs.
    /// Slabs of whole chunks are read once, others in part several times.
    ///
    /// # Errors
    /// If the array cannot be opened or is not of this type and rank, on any rank; if it has fewer
    /// rows. In closures: if a chunk cannot be decoded, ends too early, or is not there
    /// ([`Absent::IsError`]): the error names the chunk's file.
    ///
    /// ```
    /// use elementwise::{Array2, Rank, Sum, s};
    /// use rows::{Absent, Rows, Slabs, Solo, Zarr};
    /// let path = std::env::temp_dir().join(format!("open-{}.zarr", std::process::id()));
    /// let x = Array2::<f32>::from_fn([10_000, 3], |[i, j]| (i + j) as f32);
    /// let rows = Rows::new(&Solo, [10_000, 3]).in_slabs(Slabs { bytes: 10_000, ahead: 2 });
    /// let gzip = Zarr { rows: Some(1000), gzip: Some(1) };
    /// rows.write_zarr(&path, gzip, |range| Ok(x.slice(s![range, ..])? * 2.0))?;
    ///
    /// let y = rows.open_zarr::<f32, Rank<2>>(&path, Absent::IsError)?;
    /// assert_eq!(rows.reduce(|range| Ok(y.rows(range)? * 0.5), Sum, 0)?, x.sum_axis(0)?);
    /// # use elementwise::Reductions;
    /// # std::fs::remove_dir_all(&path).unwrap();
    /// # Ok::<(), rows::Error>(())
    /// ```
    pub fn open_zarr<T: FileElement, R: Dimension>(
        &self,
        path: impl AsRef<Path>,
        absent: Absent,
    ) -> Result<Input<T, R>, Error> {
        let path = path.as_ref();
        self.opened(path, || Ok(Box::new(Reader::<R>::open::<T>(path, absent)?)))
    }

    /// As [`write`](Self::write), as a Zarr array of version 3 in a directory, in place of the
    /// array that was there: each rank the chunks of its rows.
    ///
    /// # Errors
    /// As for `write`; if what was there is no Zarr array; if Zarr has no name for the elements.
    ///
    /// ```
    /// use elementwise::{Array2, s};
    /// use rows::{Rows, Zarr, threads};
    /// let path = std::env::temp_dir().join(format!("write-{}.zarr", std::process::id()));
    /// let x = Array2::<f32>::from_fn([1000, 3], |[i, j]| (i * j) as f32);
    /// threads(3, |comm| {
    ///     let rows = Rows::new(comm, x.shape());
    ///     let chunks = Zarr { rows: Some(100), gzip: None };
    ///     rows.write_zarr(&path, chunks, |range| Ok(x.slice(s![range, ..])? * 2.0))
    /// })?;
    /// assert_eq!(std::fs::read_dir(path.join("c")).unwrap().count(), 10);
    /// # std::fs::remove_dir_all(&path).unwrap();
    /// # Ok::<(), rows::Error>(())
    /// ```
    pub fn write_zarr<E>(
        &self,
        path: impl AsRef<Path>,
        zarr: Zarr,
        body: impl Fn(Range<usize>) -> Result<E, Error>,
    ) -> Result<(), Error>
    where
        E: Term<Expr: Expr<Elem: FileElement, Rank: ResultRank>>,
    {
        self.write_as::<E, _>(zarr, path.as_ref(), body)
    }
}

/// A directory to write chunks in: a file for each. Whether they are on the disk is left to the
/// system, as it is for other files; the store of `zarrs` waits for each.
#[derive(Debug)]
struct Directory(PathBuf);

impl Directory {
    fn array(path: &Path) -> Arc<Self> {
        Arc::new(Directory(path.to_path_buf()))
    }
}

impl WritableStorageTraits for Directory {
    fn set(&self, key: &StoreKey, value: Bytes) -> Result<(), StorageError> {
        let file = self.0.join(key.as_str());
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent)?;
        }
        Ok(fs::write(file, value)?)
    }

    fn set_partial_many(&self, _: &StoreKey, _: OffsetBytesIterator) -> Result<(), StorageError> {
        Err(StorageError::Unsupported("chunks are written whole".into()))
    }

    fn erase(&self, key: &StoreKey) -> Result<(), StorageError> {
        match fs::remove_file(self.0.join(key.as_str())) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    fn erase_prefix(&self, prefix: &StorePrefix) -> Result<(), StorageError> {
        match fs::remove_dir_all(self.0.join(prefix.as_str())) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    fn supports_set_partial(&self) -> bool {
        false
    }
}

/// An array that is written.
struct Writer {
    path: PathBuf,
    array: zarrs::array::Array<Directory>,
    /// The rows of a chunk, and the bytes of all of it.
    rows: usize,
    bytes: usize,
}

impl Zarr {
    /// The array in a directory: that which this writes, for which nothing has to be read.
    fn array<T: FileElement>(
        &self,
        path: &Path,
        shape: &[usize],
    ) -> Result<zarrs::array::Array<Directory>, Error> {
        const DOING: &str = "describing the array";
        let Some(kind) = type_of(T::KIND) else {
            let found = "none".to_string();
            return Err(ZarrError::Element { expected: T::KIND, found }.of(path, DOING));
        };
        let mut chunk: Vec<u64> = shape.iter().map(|&extent| extent.max(1) as u64).collect();
        chunk[0] = self.group(shape, size_of::<T>()) as u64;
        let fill = FillValue::new(bytemuck::bytes_of(&T::zeroed()).to_vec());
        let shape: Vec<u64> = shape.iter().map(|&extent| extent as u64).collect();
        let mut builder = ArrayBuilder::new(shape, chunk, kind, fill);
        if let Some(level) = self.gzip {
            let gzip = GzipCodec::new(level).map_err(refused(path, DOING))?;
            builder.bytes_to_bytes_codecs(vec![Arc::new(gzip)]);
        }
        builder.build(Directory::array(path), ROOT).map_err(refused(path, DOING))
    }
}

impl Format for Zarr {
    fn group(&self, shape: &[usize], size: usize) -> usize {
        let row = shape[1..].iter().product::<usize>().max(1) * size.max(1);
        self.rows.unwrap_or(CHUNK / row).max(1)
    }

    fn create<T: FileElement, R: Dimension>(
        &self,
        partial: &Path,
        path: &Path,
        shape: R::Shape,
    ) -> Result<(), Error> {
        // Said before all is computed.
        let empty = || fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
        if fs::symlink_metadata(path).is_ok() && !path.join(METADATA).is_file() && !empty() {
            return Err(ZarrError::Taken.of(path, "replacing the array"));
        }
        let refuse = |error| {
            let (path, doing) = (partial.to_path_buf(), "creating the file");
            Error::from(ErrorKind::Io { path, doing, error })
        };
        fs::create_dir(partial).map_err(refuse)?;
        let plain = ArrayMetadataOptions::default().with_include_zarrs_metadata(false);
        let array = self.array::<T>(partial, shape.as_ref())?;
        array.store_metadata_opt(&plain).map_err(refused(partial, "describing the array"))
    }

    fn open<T: FileElement, R: Dimension>(
        &self,
        partial: &Path,
        shape: R::Shape,
    ) -> Result<impl Sink<T, R> + 'static, Error> {
        let (shape, size) = (shape.as_ref(), size_of::<T>());
        let array = self.array::<T>(partial, shape)?;
        let rows = self.group(shape, size);
        let bytes = shape[1..].iter().map(|&extent| extent.max(1)).product::<usize>() * size * rows;
        Ok(Writer { path: partial.to_path_buf(), array, rows, bytes })
    }

    fn rename(&self, partial: &Path, path: &Path) -> io::Result<()> {
        if !path.join(METADATA).is_file() {
            return fs::rename(partial, path);
        }
        // A directory that is not empty has to be out of the way first.
        let before = beside(&path.with_extension("before"), std::process::id());
        fs::rename(path, &before)?;
        if let Err(error) = fs::rename(partial, path) {
            fs::rename(&before, path)?;
            return Err(error);
        }
        fs::remove_dir_all(before)
    }

    fn remove(&self, partial: &Path) -> io::Result<()> {
        fs::remove_dir_all(partial)
    }
}

impl<T: FileElement, R: Dimension> Sink<T, R> for Writer {
    fn write(&mut self, first: usize, rows: &View<'_, T, R>) -> Result<(), Error> {
        let shape = rows.shape().to_vec();
        let row = shape[1..].iter().product::<usize>();
        if row == 0 {
            return Ok(());
        }
        let elements = rows.as_slice().expect("rows in row-major order");
        // Chunks without elements other than the fill value, too: see `Absent`.
        let options = CodecOptions::default().with_store_empty_chunks(true);
        let chunks: Vec<_> = elements.chunks(self.rows * row).enumerate().collect();
        chunks.into_par_iter().try_for_each(|(number, elements)| {
            let mut index = vec![0; shape.len()];
            index[0] = (first / self.rows + number) as u64;
            let mut bytes = Cow::Borrowed(bytemuck::cast_slice::<T, u8>(elements));
            if bytes.len() < self.bytes {
                // The last chunk is as long as others.
                bytes.to_mut().resize(self.bytes, 0);
            }
            let stored = self.array.store_chunk_opt(&index, ArrayBytes::new_flen(bytes), &options);
            let file = self.path.join(self.array.chunk_key(&index).as_str());
            stored.map_err(refused(&file, "writing a chunk"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_element_has_a_name() {
        for kind in ElementKind::ALL {
            let name = type_of(kind);
            assert_eq!(name.and_then(|name| name.fixed_size()), Some(kind.size()), "{kind}");
        }
    }
}
