//! [`Writer`], [`Filler`] and [`Reader`]: files that are larger than memory, some rows at a time.

use super::{Header, open};
use crate::data::{self, Elements};
use crate::error::{FileError, FileErrorKind as Kind};
use crate::{Array, FileElement, View};
use ndcore::{Axes, Dimension, IntoShape, LayoutError, LayoutErrorKind};
use std::fmt;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Writes a `.npy` file row by row, or many rows at a time: a row is an index along axis 0, with
/// all that belongs to it. How many there will be need not be known.
///
/// The file is whole after [`finish`](Self::finish), or each [`flush`](Self::flush).
///
/// ```
/// use arrayfile::npy;
/// use elementwise::{Array2, array};
/// use ndcore::Rank;
/// let path = std::env::temp_dir().join(format!("rows-{}.npy", std::process::id()));
/// let mut writer = npy::Writer::<f32, Rank<2>>::create(&path, [3])?;
/// writer.write(&array![[1., 2., 3.], [4., 5., 6.]])?;
/// writer.write(&array![[7., 8., 9.]])?;
/// assert_eq!(writer.finish()?, 3);
///
/// let all: Array2<f32> = npy::read(&path)?;
/// assert_eq!(all.shape(), [3, 3]);
/// assert!(npy::Writer::<f32, Rank<2>>::create(&path, [3])?.write(&array![[1., 2.]]).is_err());
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), arrayfile::FileError>(())
/// ```
pub struct Writer<T: FileElement, R: Dimension> {
    file: File,
    path: PathBuf,
    /// The rows written, and the extents of each.
    shape: Axes<usize>,
    /// The bytes of the header, whatever the number of rows.
    start: u64,
    end: u64,
    types: PhantomData<fn(T, R)>,
}

impl<T: FileElement, R: Dimension> Writer<T, R> {
    /// Creates a file, in place of what was there, for rows of this shape.
    ///
    /// # Errors
    /// If the file cannot be created; if `R` is of rank 0, which has no rows, or a row has more
    /// axes than fit with the one of the rows.
    pub fn create<S: IntoShape<Rank = R::Smaller>>(
        path: impl AsRef<Path>,
        row: S,
    ) -> Result<Self, FileError> {
        let path = path.as_ref().to_path_buf();
        let made = row.into_shape().and_then(|row| {
            has_rows(R::NDIM)?;
            let mut extents = vec![0];
            extents.extend_from_slice(row.as_ref());
            R::shape(&extents)?;
            ndcore::size_of_shape(&extents)?;
            let mut shape = Axes::new();
            extents.into_iter().for_each(|extent| shape.push(extent));
            Ok(shape)
        });
        let shape = made.map_err(|err| FileError::at(0, err).of(&path))?;
        let file = File::create(&path)
            .map_err(|err| FileError::io(0, "creating the file", err).of(&path))?;
        // Room for as many rows as can be counted.
        let mut most = shape;
        most[0] = usize::MAX;
        let start = Header::new(T::KIND, false, most).data_start();
        let mut writer = Writer { file, path, shape, start, end: start, types: PhantomData };
        writer.flush()?;
        Ok(writer)
    }

    /// Writes rows after those that are there: all of an array or a view.
    ///
    /// # Errors
    /// If the rows are not of the shape of those before, or the file cannot be written. Then the
    /// rows are not part of it.
    pub fn write<'a>(&mut self, rows: impl Into<View<'a, T, R>>) -> Result<(), FileError> {
        let view = rows.into();
        self.append(&view).map_err(|err| err.of(&self.path))
    }

    fn append(&mut self, view: &View<'_, T, R>) -> Result<(), FileError> {
        let refuse = |err| FileError::io(self.end, "writing the data", err);
        if view.shape().get(1..) != Some(&self.shape[1..]) {
            let expected = self.shape[1..].to_vec();
            let found = view.shape().get(1..).unwrap_or_default().to_vec();
            return Err(FileError::at(self.end, Kind::Rows { expected, found }));
        }
        let mut shape = self.shape;
        shape[0] = shape[0].saturating_add(view.shape()[0]);
        let bytes = data::byte_length(&shape, T::KIND);
        let bytes = bytes.map_err(|kind| FileError::at(self.end, kind))?;
        // What a write that failed has left is overwritten.
        self.file.seek(SeekFrom::Start(self.end)).map_err(refuse)?;
        data::write(&mut self.file, view).map_err(refuse)?;
        (self.shape, self.end) = (shape, self.start + bytes);
        Ok(())
    }

    /// The rows written.
    pub fn rows(&self) -> usize {
        self.shape[0]
    }

    /// Says in the file how many rows there are, so that others can read it.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn flush(&mut self) -> Result<(), FileError> {
        let header = Header::new(T::KIND, false, self.shape).to_bytes(self.start as usize);
        self.file
            .seek(SeekFrom::Start(0))
            .and_then(|_| self.file.write_all(&header))
            .and_then(|()| self.file.set_len(self.end))
            .map_err(|err| FileError::io(0, "writing the header", err).of(&self.path))
    }

    /// Ends the file, and says how many rows it has.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(mut self) -> Result<usize, FileError> {
        self.flush()?;
        Ok(self.rows())
    }
}

impl<T: FileElement, R: Dimension> fmt::Debug for Writer<T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("path", &self.path).field("shape", &self.shape).finish()
    }
}

/// Writes rows of a `.npy` file whose shape is known, in any order: so several threads or processes
/// can fill one file, each with a `Filler` of its own.
///
/// The file has its length from the beginning, and zeros where nothing is written: whether all rows
/// are is for the caller to know.
///
/// ```
/// use arrayfile::npy;
/// use elementwise::{Array2, array};
/// use ndcore::Rank;
/// let path = std::env::temp_dir().join(format!("filler-{}.npy", std::process::id()));
/// let mut first = npy::Filler::<f32, Rank<2>>::create(&path, [3, 2])?;
/// let mut second = npy::Filler::<f32, Rank<2>>::open(&path)?;
/// second.write(2, &array![[5., 6.]])?;
/// first.write(0, &array![[1., 2.], [3., 4.]])?;
/// assert!(first.write(2, &array![[1., 2.], [3., 4.]]).is_err());
///
/// let all: Array2<f32> = npy::read(&path)?;
/// assert_eq!(all, array![[1., 2.], [3., 4.], [5., 6.]]);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), arrayfile::FileError>(())
/// ```
pub struct Filler<T: FileElement, R: Dimension> {
    file: File,
    path: PathBuf,
    header: Header,
    types: PhantomData<fn(T, R)>,
}

impl<T: FileElement, R: Dimension> Filler<T, R> {
    /// Creates a file, in place of what was there, for an array of this shape.
    ///
    /// # Errors
    /// If the file cannot be created; if `R` is of rank 0, which has no rows.
    pub fn create<S: IntoShape<Rank = R>>(
        path: impl AsRef<Path>,
        shape: S,
    ) -> Result<Self, FileError> {
        let path = path.as_ref().to_path_buf();
        let made = shape.into_shape().and_then(|shape| {
            has_rows(Some(shape.as_ref().len()))?;
            Ok(shape.as_ref().iter().copied().collect::<Axes<usize>>())
        });
        let shape = made.map_err(|err| FileError::at(0, err).of(&path))?;
        let header = Header::new(T::KIND, false, shape);
        let create = || {
            let mut file = File::create(&path)?;
            file.write_all(&header.to_bytes(0))?;
            Ok(file)
        };
        let refuse = |err| FileError::io(0, "creating the file", err).of(&path);
        let file = create().map_err(refuse)?;
        let bytes = data::byte_length(header.shape(), T::KIND);
        let bytes = bytes.map_err(|kind| FileError::at(0, kind).of(&path))?;
        file.set_len(header.data_start() + bytes).map_err(refuse)?;
        Ok(Filler { file, path, header, types: PhantomData })
    }

    /// Opens a file that was created so, to fill it too.
    ///
    /// # Errors
    /// As for [`Reader::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let Reader { path, header, .. } = Reader::<T, R>::open(path)?;
        let refuse = |err| FileError::io(0, "opening the file to write", err).of(&path);
        let file = File::options().write(true).open(&path).map_err(refuse)?;
        Ok(Filler { file, path, header, types: PhantomData })
    }

    /// Writes rows, from row `first` on: all of an array or a view.
    ///
    /// # Errors
    /// If the file has no such rows, or rows of another shape; if it cannot be written.
    pub fn write<'a>(
        &mut self,
        first: usize,
        rows: impl Into<View<'a, T, R>>,
    ) -> Result<(), FileError> {
        let view = rows.into();
        self.fill(first, &view).map_err(|err| err.of(&self.path))
    }

    fn fill(&mut self, first: usize, view: &View<'_, T, R>) -> Result<(), FileError> {
        let (start, shape) = (self.header.data_start(), self.header.shape());
        if view.shape().get(1..) != Some(&shape[1..]) {
            let expected = shape[1..].to_vec();
            let found = view.shape().get(1..).unwrap_or_default().to_vec();
            return Err(FileError::at(start, Kind::Rows { expected, found }));
        }
        let end = first.saturating_add(view.shape()[0]);
        if end > shape[0] {
            let kind = Kind::RowRange { rows: shape[0], start: first, end };
            return Err(FileError::at(start, kind));
        }
        // No more than the whole array has, whose bytes can be counted.
        let mut before: Axes<usize> = shape.iter().copied().collect();
        before[0] = first;
        let before =
            data::byte_length(&before, T::KIND).map_err(|kind| FileError::at(start, kind))?;
        let refuse = |err| FileError::io(start + before, "writing the data", err);
        self.file.seek(SeekFrom::Start(start + before)).map_err(refuse)?;
        data::write(&mut self.file, view).map_err(refuse)
    }
}

impl<T: FileElement, R: Dimension> fmt::Debug for Filler<T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Filler").field("path", &self.path).field("header", &self.header).finish()
    }
}

/// Reads a `.npy` file some rows at a time: a row is an index along axis 0.
///
/// ```
/// use arrayfile::npy;
/// use elementwise::array;
/// use ndcore::Rank;
/// let path = std::env::temp_dir().join(format!("reader-{}.npy", std::process::id()));
/// npy::write(&path, &array![[1, 2], [3, 4], [5, 6]])?;
/// let mut reader = npy::Reader::<i32, Rank<2>>::open(&path)?;
/// assert_eq!(reader.rows(), 3);
/// assert_eq!(reader.read(1..3)?, array![[3, 4], [5, 6]]);
/// assert!(reader.read(2..4).is_err());
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), arrayfile::FileError>(())
/// ```
pub struct Reader<T: FileElement, R: Dimension> {
    file: File,
    path: PathBuf,
    header: Header,
    elements: Elements<R>,
    types: PhantomData<fn() -> T>,
}

impl<T: FileElement, R: Dimension> Reader<T, R> {
    /// Opens a file.
    ///
    /// # Errors
    /// As for [`read`](super::read); if the array is of rank 0, which has no rows, or in
    /// column-major order, in which rows do not lie side by side.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let opened = open(path).and_then(|(mut file, length)| {
            let header = Header::read_from(&mut file)?;
            let elements = header.elements_within::<T, R>(length)?;
            if header.is_column_major() && !elements.layout.is_c_contiguous() {
                return Err(FileError::at(header.data_start(), Kind::ColumnMajor));
            }
            has_rows(Some(header.shape().len())).map_err(|err| FileError::at(0, err))?;
            let path = path.to_path_buf();
            Ok(Reader { file, path, header, elements, types: PhantomData })
        });
        opened.map_err(|err| err.of(path))
    }

    /// What the file says of its array.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.header.shape()[0]
    }

    /// Reads some rows.
    ///
    /// # Errors
    /// If there are no such rows, or the file cannot be read.
    pub fn read(&mut self, rows: Range<usize>) -> Result<Array<T, R>, FileError> {
        let start = self.header.data_start();
        let refuse = |at, kind: Kind| FileError::at(at, kind);
        let (mut shape, all) = (Axes::new(), self.rows());
        self.header.shape().iter().for_each(|extent| shape.push(*extent));
        if rows.start > rows.end || rows.end > all {
            let kind = Kind::RowRange { rows: all, start: rows.start, end: rows.end };
            return Err(refuse(start, kind).of(&self.path));
        }
        // No more than the whole array has, whose bytes can be counted.
        shape[0] = rows.start;
        let before = data::byte_length(&shape, T::KIND);
        shape[0] = rows.end - rows.start;
        let elements = Elements::<R>::new(&shape, false, self.elements.swapped);
        let place = before.and_then(|before| elements.map(|elements| (start + before, elements)));
        place
            .map_err(|kind| refuse(start, kind))
            .and_then(|(at, elements)| {
                elements.read_file(&self.file, at).map_err(|err| err.shifted(at))
            })
            .map_err(|err| err.of(&self.path))
    }
}

impl<T: FileElement, R: Dimension> fmt::Debug for Reader<T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("path", &self.path).field("header", &self.header).finish()
    }
}

fn has_rows(ndim: Option<usize>) -> Result<(), LayoutError> {
    if ndim == Some(0) {
        return Err(LayoutErrorKind::AxisOutOfRange { axis: 0, shape: [].into() }.into());
    }
    Ok(())
}
