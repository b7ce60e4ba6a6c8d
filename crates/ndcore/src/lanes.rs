//! Parts of arrays: rows, lanes, chunks, windows; and single elements. Written once for [`Array`],
//! [`View`] and [`ViewMut`], as in `methods.rs`.

use crate::array::Array;
use crate::axis::IntoAxis;
use crate::dimension::{Dimension, Dyn, IntoShape, Rank};
use crate::element::Item;
use crate::error::LayoutError;
use crate::index::{self, NdIndex};
use crate::parts::{
    self, AxisChunks, AxisChunksMut, AxisIter, AxisIterMut, AxisWindows, ExactChunks,
};
use crate::parts::{ExactChunksMut, Lanes, LanesMut, Subviews, Windows};
use crate::raw::{View, ViewMut};
use crate::shared::{ArcArray, CowArray};

macro_rules! reading {
    ($lt:lifetime) => {
        /// The subviews at index 0, 1, .. of the first axis; of rank 0, the one element.
        ///
        /// ```
        /// let a = ndcore::array![[1, 2], [3, 4]];
        /// let sums: Vec<i32> = a.outer_iter().map(|row| row.iter().sum()).collect();
        /// assert_eq!(sums, [3, 7]);
        /// ```
        #[inline]
        pub fn outer_iter(&self) -> AxisIter<$lt, T, R, E> {
            Subviews::new(self.elements(), self.layout().outer())
        }

        /// The lanes along an axis: one view of rank 1 for each index along the other axes.
        ///
        /// # Errors
        /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange).
        ///
        /// ```
        /// use ndcore::{array, Axis};
        /// let a = array![[[1, 2], [3, 4]], [[5, 6], [7, 8]]];
        /// let lanes: Vec<_> = a.lanes(Axis(1))?.map(|lane| lane.to_vec()).collect();
        /// assert_eq!(lanes, [[1, 3], [2, 4], [5, 7], [6, 8]]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        #[inline]
        pub fn lanes(&self, axis: impl IntoAxis) -> Result<Lanes<$lt, T, R, E>, LayoutError> {
            Ok(Subviews::new(self.elements(), self.layout().lanes_along(axis.into_axis())?))
        }

        /// The lanes along the last axis: for a matrix, its rows. Of rank 0, the one element.
        ///
        /// ```
        /// let a = ndcore::array![[1, 2, 3], [4, 5, 6]];
        /// let last: Vec<i32> = a.rows().map(|row| row[2]).collect();
        /// assert_eq!(last, [3, 6]);
        /// ```
        #[inline]
        pub fn rows(&self) -> Lanes<$lt, T, R, E> {
            Subviews::new(self.elements(), self.layout().lanes_at(true))
        }

        /// The lanes along the first axis: for a matrix, its columns. Of rank 0, the one element.
        ///
        /// ```
        /// let a = ndcore::array![[1, 2, 3], [4, 5, 6]];
        /// let sums: Vec<i32> = a.columns().map(|column| column.iter().sum()).collect();
        /// assert_eq!(sums, [5, 7, 9]);
        /// ```
        #[inline]
        pub fn columns(&self) -> Lanes<$lt, T, R, E> {
            Subviews::new(self.elements(), self.layout().lanes_at(false))
        }

        /// Slices of an axis, `size` indices at a time; the last one is shorter if the extent is
        /// not a multiple of `size`.
        ///
        /// # Errors
        /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange);
        /// [`EmptyPart`](crate::LayoutErrorKind::EmptyPart) if `size` is 0.
        ///
        /// ```
        /// let a = ndcore::array![1, 2, 3, 4, 5];
        /// let chunks: Vec<_> = a.axis_chunks(0, 2)?.map(|chunk| chunk.to_vec()).collect();
        /// assert_eq!(chunks, [vec![1, 2], vec![3, 4], vec![5]]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        #[inline]
        pub fn axis_chunks(
            &self,
            axis: impl IntoAxis,
            size: usize,
        ) -> Result<AxisChunks<$lt, T, R, E>, LayoutError> {
            AxisChunks::new(self.derived(*self.layout()), axis.into_axis(), size)
        }

        /// [`axis_chunks`](Self::axis_chunks) by `ndarray`'s name.
        ///
        /// # Errors
        /// As for `axis_chunks`.
        ///
        /// ```
        /// use ndcore::{array, Axis};
        /// assert_eq!(array![1, 2, 3, 4, 5].axis_chunks_iter(Axis(0), 2)?.len(), 3);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        #[inline]
        pub fn axis_chunks_iter(
            &self,
            axis: impl IntoAxis,
            size: usize,
        ) -> Result<AxisChunks<$lt, T, R, E>, LayoutError> {
            self.axis_chunks(axis, size)
        }

        /// Boxes of this shape side by side, in logical order. What is left at the end of an axis
        /// whose extent is not a multiple is in no box.
        ///
        /// # Errors
        /// [`EmptyPart`](crate::LayoutErrorKind::EmptyPart) if an extent is 0;
        /// [`RankMismatch`](crate::LayoutErrorKind::RankMismatch).
        ///
        /// ```
        /// let a = ndcore::Array2::from_fn([4, 5], |[i, j]| 10 * i + j);
        /// let corners: Vec<usize> = a.exact_chunks([2, 2])?.map(|chunk| chunk[[0, 0]]).collect();
        /// assert_eq!(corners, [0, 2, 20, 22]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        #[inline]
        pub fn exact_chunks<S: IntoShape<Rank = R>>(
            &self,
            shape: S,
        ) -> Result<ExactChunks<$lt, T, R, E>, LayoutError> {
            let shape = shape.into_shape()?;
            Ok(Subviews::new(self.elements(), self.layout().boxes(shape.as_ref(), shape.as_ref())?))
        }

        /// All boxes of this shape, in logical order: each differs by one step along one axis from
        /// the next, so that they overlap. None, if the shape is larger than the array's.
        ///
        /// # Errors
        /// [`EmptyPart`](crate::LayoutErrorKind::EmptyPart) if an extent is 0;
        /// [`RankMismatch`](crate::LayoutErrorKind::RankMismatch).
        ///
        /// ```
        /// let a = ndcore::array![[1, 2, 3], [4, 5, 6]];
        /// let sums: Vec<i32> = a.windows([2, 2])?.map(|window| window.iter().sum()).collect();
        /// assert_eq!(sums, [12, 16]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        #[inline]
        pub fn windows<S: IntoShape<Rank = R>>(&self, shape: S) -> Result<Windows<$lt, T, R, E>, LayoutError> {
            let shape = shape.into_shape()?;
            let mut steps = shape;
            steps.as_mut().fill(1);
            Ok(Subviews::new(self.elements(), self.layout().boxes(shape.as_ref(), steps.as_ref())?))
        }

        /// As [`windows`](Self::windows), one window every so many steps along each axis.
        ///
        /// # Errors
        /// As for `windows`; also [`EmptyPart`](crate::LayoutErrorKind::EmptyPart) if a step is 0.
        ///
        /// ```
        /// let a = ndcore::array![1, 2, 3, 4, 5, 6];
        /// let every_other: Vec<_> = a.windows_with_stride(3, 2)?.map(|w| w.to_vec()).collect();
        /// assert_eq!(every_other, [[1, 2, 3], [3, 4, 5]]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        #[inline]
        pub fn windows_with_stride<S: IntoShape<Rank = R>, P: IntoShape<Rank = R>>(
            &self,
            shape: S,
            steps: P,
        ) -> Result<Windows<$lt, T, R, E>, LayoutError> {
            let (shape, steps) = (shape.into_shape()?, steps.into_shape()?);
            Ok(Subviews::new(self.elements(), self.layout().boxes(shape.as_ref(), steps.as_ref())?))
        }

        /// All slices of `size` indices of an axis, as one view: the axis counts them, and a new
        /// one, the last, goes along each. Nothing is copied; operations on it run as on any
        /// operand, so that filters and moving statistics are one pass.
        ///
        /// NumPy's function of this name.
        ///
        /// # Errors
        /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange),
        /// [`RankTooHigh`](crate::LayoutErrorKind::RankTooHigh);
        /// [`EmptyPart`](crate::LayoutErrorKind::EmptyPart) if `size` is 0;
        /// [`SliceOutOfRange`](crate::LayoutErrorKind::SliceOutOfRange) if the axis is shorter;
        /// [`SizeOverflow`](crate::LayoutErrorKind::SizeOverflow) if there are too many elements:
        /// each counts as often as it is met.
        ///
        /// ```
        /// let a = ndcore::array![1, 2, 3, 4];
        /// let windows = a.sliding_window_view(0, 3)?;
        /// assert_eq!(windows, ndcore::array![[1, 2, 3], [2, 3, 4]]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        #[inline]
        pub fn sliding_window_view(
            &self,
            axis: impl IntoAxis,
            size: usize,
        ) -> Result<View<$lt, T, R::Larger, E>, LayoutError> {
            Ok(self.derived(self.layout().sliding(axis.into_axis(), size)?))
        }

        /// All slices of `size` indices of an axis, each one step further than the one before.
        ///
        /// # Errors
        /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange);
        /// [`EmptyPart`](crate::LayoutErrorKind::EmptyPart) if `size` is 0.
        ///
        /// ```
        /// let a = ndcore::array![[1, 2, 3], [4, 5, 6]];
        /// let pairs: Vec<_> = a.axis_windows(1, 2)?.map(|pair| pair.to_vec()).collect();
        /// assert_eq!(pairs, [[1, 2, 4, 5], [2, 3, 5, 6]]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        #[inline]
        pub fn axis_windows(
            &self,
            axis: impl IntoAxis,
            size: usize,
        ) -> Result<AxisWindows<$lt, T, R, E>, LayoutError> {
            Ok(Subviews::new(self.elements(), self.layout().slabs(axis.into_axis(), size, 1)?))
        }

        /// The first element in logical order, if there is one.
        ///
        /// ```
        /// let a = ndcore::array![[1, 2], [3, 4]];
        /// assert_eq!((a.first(), a.last()), (Some(&1), Some(&4)));
        /// ```
        #[inline]
        pub fn first(&self) -> Option<&$lt T> {
            self.element(R::zero_shape(self.ndim()).as_ref()).ok()
        }

        /// The last element in logical order, if there is one.
        ///
        /// ```
        /// assert_eq!(ndcore::Array2::<u8>::zeros([0, 3]).last(), None);
        /// ```
        #[inline]
        pub fn last(&self) -> Option<&$lt T> {
            let mut index = self.dim();
            // Of an extent of 0 the last index wraps to one that does not exist.
            index.as_mut().iter_mut().for_each(|last| *last = last.wrapping_sub(1));
            self.element(index.as_ref()).ok()
        }

        /// A view without the axes of extent 1.
        ///
        /// ```
        /// assert_eq!(ndcore::Array3::full([1, 5, 1], 0).squeeze().shape(), [5]);
        /// ```
        pub fn squeeze(&self) -> View<$lt, T, Dyn, E> {
            self.derived(self.layout().squeeze())
        }

        /// The extent of an axis.
        ///
        /// # Panics
        /// If there is no such axis; `shape().get(axis)` does not panic.
        ///
        /// ```
        /// use ndcore::{array, Axis};
        /// assert_eq!(array![[1, 2, 3]].len_of(Axis(1)), 3);
        /// ```
        #[inline]
        #[track_caller]
        pub fn len_of(&self, axis: impl IntoAxis) -> usize {
            self.shape()[axis.into_axis()]
        }
    };
}

macro_rules! writing {
    () => {
        /// As [`outer_iter`](Self::outer_iter), for writing.
        ///
        /// ```
        /// let mut a = ndcore::array![[1, 2], [3, 4]];
        /// a.outer_iter_mut().for_each(|mut row| row.fill(0));
        /// assert_eq!(a.to_vec(), [0; 4]);
        /// ```
        #[inline]
        pub fn outer_iter_mut(&mut self) -> AxisIterMut<'_, T, R, E> {
            parts::outer_mut(self.view_mut())
        }

        /// As [`lanes`](Self::lanes), for writing.
        ///
        /// # Errors
        /// As for `lanes`.
        ///
        /// ```
        /// let mut a = ndcore::array![[1, 2], [3, 4]];
        /// a.lanes_mut(0)?.for_each(|mut column| column.swap(0, 1));
        /// assert_eq!(a.to_vec(), [3, 4, 1, 2]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        #[inline]
        pub fn lanes_mut(
            &mut self,
            axis: impl IntoAxis,
        ) -> Result<LanesMut<'_, T, R, E>, LayoutError> {
            parts::lanes_along_mut(self.view_mut(), axis.into_axis())
        }

        /// As [`rows`](Self::rows), for writing.
        ///
        /// ```
        /// let mut a = ndcore::array![[1, 2], [3, 4]];
        /// a.rows_mut().enumerate().for_each(|(i, mut row)| row.fill(i));
        /// assert_eq!(a.to_vec(), [0, 0, 1, 1]);
        /// ```
        #[inline]
        pub fn rows_mut(&mut self) -> LanesMut<'_, T, R, E> {
            parts::lanes_at_mut(self.view_mut(), true)
        }

        /// As [`columns`](Self::columns), for writing.
        ///
        /// ```
        /// let mut a = ndcore::array![[1, 2], [3, 4]];
        /// a.columns_mut().enumerate().for_each(|(j, mut column)| column.fill(j));
        /// assert_eq!(a.to_vec(), [0, 1, 0, 1]);
        /// ```
        #[inline]
        pub fn columns_mut(&mut self) -> LanesMut<'_, T, R, E> {
            parts::lanes_at_mut(self.view_mut(), false)
        }

        /// As [`axis_chunks`](Self::axis_chunks), for writing.
        ///
        /// # Errors
        /// As for `axis_chunks`.
        ///
        /// ```
        /// let mut a = ndcore::array![1, 2, 3, 4, 5];
        /// a.axis_chunks_mut(0, 2)?.enumerate().for_each(|(i, mut chunk)| chunk.fill(i));
        /// assert_eq!(a.to_vec(), [0, 0, 1, 1, 2]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        #[inline]
        pub fn axis_chunks_mut(
            &mut self,
            axis: impl IntoAxis,
            size: usize,
        ) -> Result<AxisChunksMut<'_, T, R, E>, LayoutError> {
            AxisChunksMut::new(self.view_mut(), axis.into_axis(), size)
        }

        /// [`axis_chunks_mut`](Self::axis_chunks_mut) by `ndarray`'s name.
        ///
        /// # Errors
        /// As for `axis_chunks`.
        ///
        /// ```
        /// use ndcore::{array, Axis};
        /// let mut a = array![1, 2, 3];
        /// a.axis_chunks_iter_mut(Axis(0), 2)?.for_each(|mut chunk| chunk.fill(0));
        /// assert_eq!(a.to_vec(), [0; 3]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        #[inline]
        pub fn axis_chunks_iter_mut(
            &mut self,
            axis: impl IntoAxis,
            size: usize,
        ) -> Result<AxisChunksMut<'_, T, R, E>, LayoutError> {
            self.axis_chunks_mut(axis, size)
        }

        /// As [`exact_chunks`](Self::exact_chunks), for writing.
        ///
        /// # Errors
        /// As for `exact_chunks`.
        ///
        /// ```
        /// let mut a = ndcore::Array2::full([2, 4], 0);
        /// a.exact_chunks_mut([2, 2])?.enumerate().for_each(|(i, mut chunk)| chunk.fill(i));
        /// assert_eq!(a.to_vec(), [0, 0, 1, 1, 0, 0, 1, 1]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        #[inline]
        pub fn exact_chunks_mut<S: IntoShape<Rank = R>>(
            &mut self,
            shape: S,
        ) -> Result<ExactChunksMut<'_, T, R, E>, LayoutError> {
            parts::boxes_mut(self.view_mut(), shape.into_shape()?.as_ref())
        }

        /// The first element in logical order for writing, if there is one.
        ///
        /// ```
        /// let mut a = ndcore::array![1, 2, 3];
        /// *a.first_mut().unwrap() = 7;
        /// *a.last_mut().unwrap() = 9;
        /// assert_eq!(a.to_vec(), [7, 2, 9]);
        /// ```
        #[inline]
        pub fn first_mut(&mut self) -> Option<&mut T> {
            self.element_mut(R::zero_shape(self.ndim()).as_ref()).ok()
        }

        /// The last element in logical order for writing, if there is one.
        #[inline]
        pub fn last_mut(&mut self) -> Option<&mut T> {
            let mut index = self.dim();
            index.as_mut().iter_mut().for_each(|last| *last = last.wrapping_sub(1));
            self.element_mut(index.as_ref()).ok()
        }

        /// Exchanges two elements.
        ///
        /// # Panics
        /// If an index is out of range.
        ///
        /// ```
        /// let mut a = ndcore::array![[1, 2], [3, 4]];
        /// a.swap([0, 0], [1, 1]);
        /// assert_eq!(a.to_vec(), [4, 2, 3, 1]);
        /// ```
        #[inline]
        #[track_caller]
        pub fn swap<I: NdIndex<R> + Clone>(&mut self, a: I, b: I) {
            let mut view = self.view_mut();
            let (a, b) = (index::place(view.layout(), a), index::place(view.layout(), b));
            // SAFETY: the layout reaches the places of its indices.
            unsafe { view.exchange(a, b) };
        }
    };
}

methods_of_kinds!();

impl<'a, T: Item, R: Dimension, E> View<'a, T, R, E> {
    /// Splits the view in two before index `mid` of an axis.
    ///
    /// # Errors
    /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange);
    /// [`SliceOutOfRange`](crate::LayoutErrorKind::SliceOutOfRange) if `mid` is above the extent.
    ///
    /// ```
    /// let a = ndcore::array![[1, 2, 3], [4, 5, 6]];
    /// let (left, right) = a.view().split_at(1, 1)?;
    /// assert_eq!((left.to_vec(), right.to_vec()), (vec![1, 4], vec![2, 3, 5, 6]));
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    #[inline(always)]
    pub fn split_at(self, axis: impl IntoAxis, mid: usize) -> Result<(Self, Self), LayoutError> {
        let (low, high) = self.layout().split(axis.into_axis(), mid)?;
        Ok((self.derive(low), self.derive(high)))
    }
}

/// What only matrices have.
macro_rules! matrix {
    ($lt:lifetime) => {
        /// A row.
        ///
        /// # Panics
        /// If there is no such row; `index_axis(0, i)` does not panic.
        ///
        /// ```
        /// assert_eq!(ndcore::array![[1, 2], [3, 4]].row(1).to_vec(), [3, 4]);
        /// ```
        #[inline]
        #[track_caller]
        pub fn row(&self, i: usize) -> View<$lt, T, Rank<1>, E> {
            match self.view().at_index(0, i) {
                Ok(row) => row,
                Err(err) => refused(&err),
            }
        }

        /// A column.
        ///
        /// # Panics
        /// If there is no such column; `index_axis(1, j)` does not panic.
        ///
        /// ```
        /// assert_eq!(ndcore::array![[1, 2], [3, 4]].column(1).to_vec(), [2, 4]);
        /// ```
        #[inline]
        #[track_caller]
        pub fn column(&self, j: usize) -> View<$lt, T, Rank<1>, E> {
            match self.view().at_index(1, j) {
                Ok(column) => column,
                Err(err) => refused(&err),
            }
        }

        /// The number of rows: the extent of axis 0.
        ///
        /// ```
        /// let a = ndcore::array![[1, 2, 3], [4, 5, 6]];
        /// assert_eq!((a.nrows(), a.ncols(), a.is_square()), (2, 3, false));
        /// ```
        #[inline]
        pub fn nrows(&self) -> usize {
            self.shape()[0]
        }

        /// The number of columns: the extent of axis 1.
        #[inline]
        pub fn ncols(&self) -> usize {
            self.shape()[1]
        }

        /// Whether there are as many rows as columns.
        #[inline]
        pub fn is_square(&self) -> bool {
            self.nrows() == self.ncols()
        }
    };
}

macro_rules! matrix_mut {
    () => {
        /// A row for writing.
        ///
        /// # Panics
        /// If there is no such row; `index_axis_mut(0, i)` does not panic.
        ///
        /// ```
        /// let mut a = ndcore::array![[1, 2], [3, 4]];
        /// a.row_mut(1).fill(0);
        /// assert_eq!(a.to_vec(), [1, 2, 0, 0]);
        /// ```
        #[inline]
        #[track_caller]
        pub fn row_mut(&mut self, i: usize) -> ViewMut<'_, T, Rank<1>, E> {
            match self.view_mut().at_index(0, i) {
                Ok(row) => row,
                Err(err) => refused(&err),
            }
        }

        /// A column for writing.
        ///
        /// # Panics
        /// If there is no such column; `index_axis_mut(1, j)` does not panic.
        ///
        /// ```
        /// let mut a = ndcore::array![[1, 2], [3, 4]];
        /// a.column_mut(1).fill(0);
        /// assert_eq!(a.to_vec(), [1, 0, 3, 0]);
        /// ```
        #[inline]
        #[track_caller]
        pub fn column_mut(&mut self, j: usize) -> ViewMut<'_, T, Rank<1>, E> {
            match self.view_mut().at_index(1, j) {
                Ok(column) => column,
                Err(err) => refused(&err),
            }
        }
    };
}

#[cold]
#[inline(never)]
#[track_caller]
fn refused(err: &LayoutError) -> ! {
    panic!("{err}")
}

methods_of_kinds!([] Rank<2>, matrix, matrix_mut);

impl<T: Item, E> Array<T, Rank<0>, E> {
    /// The one element.
    ///
    /// ```
    /// assert_eq!(ndcore::Array0::full([], 7).into_scalar(), 7);
    /// ```
    #[inline]
    pub fn into_scalar(self) -> T {
        let (buffer, layout) = self.into_parts();
        buffer.into_vec().swap_remove(layout.offset())
    }
}
