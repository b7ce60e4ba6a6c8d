//! What gives an array or a view up for a part or another form of it. Written once for all that has
//! elements, as in `methods.rs`.

use crate::array::Array;
use crate::axis::{IntoAxes, IntoAxis};
use crate::dimension::{Dimension, Dyn, IntoLayout, Order, Rank};
use crate::element::Item;
use crate::error::{LayoutError, or_panic};
use crate::raw::{View, ViewMut};
use crate::shared::{ArcArray, CowArray};
use crate::slice::{FitsRank, SliceElem, SliceRange, Slices};

/// What gives an array or a mutable view up for a part or another form of it.
macro_rules! moving {
    ($($of:tt)*) => {
        /// The elements that [`s!`](crate::s) selects; the others are given up, but their memory is
        /// not.
        ///
        /// # Errors
        /// See [`Layout::slice`](crate::Layout::slice).
        ///
        /// ```
        /// use ndcore::{array, s};
        /// let mut a = array![[1, 2, 3], [4, 5, 6]];
        /// assert_eq!(a.view_mut().slice_move(s![1, ..;2])?.to_vec(), [4, 6]);
        /// assert_eq!(a.slice_move(s![.., 1..])?, array![[2, 3], [5, 6]]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        #[inline]
        pub fn slice_move<I: FitsRank<R>, O: Dimension, L: AsRef<[SliceElem]>>(
            self,
            slices: Slices<I, O, L>,
        ) -> Result<$($of)* T, O, E>, LayoutError> {
            let layout = self.layout().slice(&slices)?;
            Ok(self.derive(layout))
        }

        /// The elements whose index along `axis` is in `range`, every `step`-th of them, as
        /// `slice_axis`: axis by axis, in code for any rank.
        ///
        /// # Errors
        /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange),
        /// [`SliceOutOfRange`](crate::LayoutErrorKind::SliceOutOfRange), [`ZeroStep`](crate::LayoutErrorKind::ZeroStep).
        ///
        /// ```
        /// let mut a = ndcore::Array3::<i32>::zeros([3, 3, 3]);
        /// let mut inner = a.view_mut();
        /// for axis in 0..3 {
        ///     inner = inner.slice_axis_move(axis, 1..-1, 1)?;
        /// }
        /// inner.fill(1);
        /// assert_eq!(a.iter().sum::<i32>(), 1);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        #[inline]
        pub fn slice_axis_move(
            self,
            axis: impl IntoAxis,
            range: impl SliceRange,
            step: isize,
        ) -> Result<Self, LayoutError> {
            let layout = self.layout().slice_range(axis.into_axis(), range, step)?;
            Ok(self.derive(layout))
        }

        /// The elements whose index along `axis` is `index`, without that axis.
        ///
        /// # Errors
        /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange),
        /// [`IndexOutOfRange`](crate::LayoutErrorKind::IndexOutOfRange).
        ///
        /// ```
        /// let a = ndcore::array![[1, 2], [3, 4]];
        /// assert_eq!(a.index_axis_move(0, 1)?.to_vec(), [3, 4]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        #[inline]
        pub fn index_axis_move(
            self,
            axis: impl IntoAxis,
            index: usize,
        ) -> Result<$($of)* T, R::Smaller, E>, LayoutError> {
            let layout = self.layout().index(axis.into_axis(), index)?;
            Ok(self.derive(layout))
        }

        /// The same elements with a new axis of extent 1 before axis `axis`.
        ///
        /// # Errors
        /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange),
        /// [`RankTooHigh`](crate::LayoutErrorKind::RankTooHigh).
        ///
        /// ```
        /// assert_eq!(ndcore::array![1, 2].insert_axis_move(1)?.shape(), [2, 1]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        #[inline]
        pub fn insert_axis_move(self, axis: impl IntoAxis) -> Result<$($of)* T, R::Larger, E>, LayoutError> {
            let layout = self.layout().insert(axis.into_axis())?;
            Ok(self.derive(layout))
        }

        /// The same elements without an axis of extent 1.
        ///
        /// # Errors
        /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange),
        /// [`AxisNotOne`](crate::LayoutErrorKind::AxisNotOne).
        ///
        /// ```
        /// assert_eq!(ndcore::array![[1, 2]].remove_axis_move(0)?.shape(), [2]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        #[inline]
        pub fn remove_axis_move(self, axis: impl IntoAxis) -> Result<$($of)* T, R::Smaller, E>, LayoutError> {
            let layout = self.layout().remove(axis.into_axis())?;
            Ok(self.derive(layout))
        }

        /// The same elements with axis `axes[i]` as axis `i`; moves nothing. Of a view of them,
        /// `permuted_axes`.
        ///
        /// # Errors
        /// [`NotAPermutation`](crate::LayoutErrorKind::NotAPermutation).
        ///
        /// ```
        /// use ndcore::Array3;
        /// let picture = Array3::full([480, 640, 3], 0_u8).permute([2, 0, 1])?;
        /// assert_eq!(picture.shape(), [3, 480, 640]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        #[inline]
        pub fn permute(self, axes: impl IntoAxes<R>) -> Result<Self, LayoutError> {
            let layout = self.layout().permute(axes.into_axes()?.as_ref())?;
            Ok(self.derive(layout))
        }

        /// The same elements with the axes in reverse order; moves nothing.
        ///
        /// ```
        /// assert_eq!(ndcore::array![[1, 2, 3]].reversed_axes().shape(), [3, 1]);
        /// ```
        pub fn reversed_axes(self) -> Self {
            let layout = self.layout().reversed();
            self.derive(layout)
        }

        /// The same elements with the rank known only at run time; moves nothing.
        ///
        /// ```
        /// assert_eq!(ndcore::array![[1, 2, 3]].into_dyn().shape(), [1, 3]);
        /// ```
        pub fn into_dyn(self) -> $($of)* T, Dyn, E> {
            let layout = self.layout().to_dyn();
            self.derive(layout)
        }

        /// The same elements with the rank in another type; moves nothing.
        ///
        /// # Errors
        /// [`RankMismatch`](crate::LayoutErrorKind::RankMismatch).
        ///
        /// ```
        /// use ndcore::{array, Array2, Rank};
        /// let a = array![[1, 2]].into_dyn();
        /// let b: Array2<i32> = a.into_rank::<Rank<2>>()?;
        /// assert!(b.into_rank::<Rank<3>>().is_err());
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        pub fn into_rank<S: Dimension>(self) -> Result<$($of)* T, S, E>, LayoutError> {
            let layout = self.layout().to_rank()?;
            Ok(self.derive(layout))
        }

        /// The elements whose indices are equal along all axes; the others are given up, but their
        /// memory is not.
        ///
        /// ```
        /// assert_eq!(ndcore::array![[1, 2], [3, 4]].into_diag().to_vec(), [1, 4]);
        /// ```
        pub fn into_diag(self) -> $($of)* T, Rank<1>, E> {
            let layout = self.layout().diagonal();
            self.derive(layout)
        }

        /// [`into_shape`](Self::into_shape) by `ndarray`'s name.
        ///
        /// # Errors
        /// As for `into_shape`.
        ///
        /// ```
        /// use ndcore::{Order, array};
        /// let a = array![[1, 2], [3, 4]].into_shape_with_order(((4,), Order::F))?;
        /// assert_eq!(a.to_vec(), [1, 3, 2, 4]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        pub fn into_shape_with_order<S: IntoLayout>(
            self,
            shape: S,
        ) -> Result<$($of)* T, S::Rank, E>, LayoutError> {
            self.into_shape(shape)
        }
    };
}

/// [`moving!`], of what owns its elements or can get some to own.
macro_rules! moving_owned {
    ($($of:tt)*) => {
        moving!($($of)*);

        /// The same elements in logical (row-major) order along one axis. Moves nothing if strides
        /// can express that; otherwise the elements are copied.
        ///
        /// # Panics
        /// If a copy does not fit in memory.
        ///
        /// ```
        /// assert_eq!(ndcore::array![[1, 2], [3, 4]].into_flat().to_vec(), [1, 2, 3, 4]);
        /// ```
        #[track_caller]
        pub fn into_flat(self) -> $($of)* T, Rank<1>, E> {
            let len = self.len();
            or_panic(self.into_shape(len))
        }

        /// The same elements under another shape, in row-major order, or in column-major order for
        /// a shape with [`f()`](crate::ShapeBuilder::f) or [`Order::ColumnMajor`]: in that order of
        /// both shapes. Moves nothing if strides can express that; otherwise the elements are
        /// copied.
        ///
        /// # Errors
        /// [`ReshapeLength`](crate::LayoutErrorKind::ReshapeLength), [`AllocationFailed`](crate::LayoutErrorKind::AllocationFailed).
        ///
        /// ```
        /// use ndcore::{Order, ShapeBuilder, array};
        /// let a = array![[1, 2, 3], [4, 5, 6]];
        /// assert_eq!(a.clone().into_shape([3, 2])?, array![[1, 2], [3, 4], [5, 6]]);
        /// assert_eq!(a.clone().into_shape([3, 2].f())?, array![[1, 5], [4, 3], [2, 6]]);
        /// assert_eq!(a.reversed_axes().into_shape(6)?, array![1, 4, 2, 5, 3, 6]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        pub fn into_shape<S: IntoLayout>(
            self,
            shape: S,
        ) -> Result<$($of)* T, S::Rank, E>, LayoutError> {
            let order = shape.order();
            let layout = shape.into_layout()?;
            if let Some(layout) = self.layout().reshaped(layout.raw_shape(), order)? {
                return Ok(self.derive(layout));
            }
            let this = self.into_owned();
            let data = match order {
                Order::RowMajor => this.try_into_vec()?,
                Order::ColumnMajor => this.reversed_axes().try_into_vec()?,
            };
            Ok(Array::from_shape_vec_raw(layout, data)?.into())
        }
    };
}

/// [`moving!`], of views.
macro_rules! moving_view {
    ($($of:tt)*) => {
        moving!($($of)*);

        /// The same elements under another shape, in row-major order, or in column-major order for
        /// a shape with [`f()`](crate::ShapeBuilder::f) or [`Order::ColumnMajor`]: in that order of
        /// both shapes.
        ///
        /// # Errors
        /// [`ReshapeLength`](crate::LayoutErrorKind::ReshapeLength), [`ReshapeNeedsCopy`](crate::LayoutErrorKind::ReshapeNeedsCopy) if
        /// no strides express it.
        ///
        /// ```
        /// let mut a = ndcore::array![1, 2, 3, 4];
        /// a.view_mut().into_shape([2, 2])?.row_mut(1).fill(0);
        /// assert_eq!(a.view().into_shape([2, 2])?, ndcore::array![[1, 2], [0, 0]]);
        /// let part = a.slice_mut(ndcore::s![..;-1])?.into_shape([2, 2])?;
        /// assert!(part.into_shape_with_order(((4,), ndcore::Order::F)).is_err());
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        pub fn into_shape<S: IntoLayout>(
            self,
            shape: S,
        ) -> Result<$($of)* T, S::Rank, E>, LayoutError> {
            let order = shape.order();
            let layout = shape.into_layout()?;
            let layout = self.layout().reshape_in(layout.raw_shape(), order)?;
            Ok(self.derive(layout))
        }

        /// A copy of the elements in an array of their own: [`to_owned`](Self::to_owned).
        ///
        /// # Panics
        /// If it does not fit in memory.
        ///
        /// ```
        /// assert_eq!(ndcore::array![[1, 2], [3, 4]].row(1).into_owned(), ndcore::array![3, 4]);
        /// ```
        #[track_caller]
        pub fn into_owned(self) -> Array<T, R, E> {
            self.to_owned()
        }
    };
}

impl<T: Item, R: Dimension, E> Array<T, R, E> {
    moving_owned!(Array<);

    /// This array: for code that takes any kind.
    ///
    /// ```
    /// assert_eq!(ndcore::array![1, 2].into_owned(), ndcore::array![1, 2]);
    /// ```
    pub fn into_owned(self) -> Self {
        self
    }
}

impl<T: Item, R: Dimension, E> ArcArray<T, R, E> {
    moving_owned!(ArcArray<);

    /// This array: for code that takes any kind.
    ///
    /// ```
    /// let shared = ndcore::array![1, 2].into_shared();
    /// assert_eq!(shared.clone().into_shared().as_ptr(), shared.as_ptr());
    /// ```
    pub fn into_shared(self) -> Self {
        self
    }
}

impl<'a, T: Item, R: Dimension, E> CowArray<'a, T, R, E> {
    moving_owned!(CowArray<'a,);

    /// The elements, of its own, to be shared.
    ///
    /// # Panics
    /// If this is a view, and a copy does not fit in memory.
    ///
    /// ```
    /// let a = ndcore::array![[1, 2], [3, 4]];
    /// assert_eq!(a.as_standard_layout().into_shared(), a);
    /// ```
    #[track_caller]
    pub fn into_shared(self) -> ArcArray<T, R, E> {
        self.into_owned().into_shared()
    }
}

impl<'a, T: Item, R: Dimension, E> View<'a, T, R, E> {
    moving_view!(View<'a,);
}

impl<'a, T: Item, R: Dimension, E> ViewMut<'a, T, R, E> {
    moving_view!(ViewMut<'a,);
}
