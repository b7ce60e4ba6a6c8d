//! Other forms of an array: its diagonal, merged axes, another shape, arrays like it; and elements
//! without a check. Written once for all that has elements, as in `methods.rs`.

use crate::array::Array;
use crate::axis::IntoAxis;
use crate::buffer::Buffer;
use crate::dimension::{Dimension, IntoLayout, Order, Rank};
use crate::element::Item;
use crate::error::{LayoutError, or_panic};
use crate::index::NdIndex;
use crate::layout::Layout;
use crate::parts::{self, AxisWindows, Subviews};
use crate::raw::{View, ViewMut};
use crate::shared::{ArcArray, CowArray};
use crate::slice::SliceRange;
use num_traits::{One, Zero};

macro_rules! reading {
    ($lt:lifetime) => {
        /// What a function makes of each lane along an axis, one after the other.
        #[doc(hidden)]
        #[inline(always)]
        pub fn map_lanes<U: Item, Err: From<LayoutError>>(
            &self,
            axis: usize,
            f: impl FnMut(View<'_, T, Rank<1>, E>) -> U,
        ) -> Result<Array<U, R::Smaller, E>, Err> {
            let layout = Layout::c_order(self.layout().along(axis)?.1.raw_shape())?;
            let mut data = Buffer::reserved(layout.size(), layout.shape())?;
            self.lanes(axis)?.map_to(&mut data, f);
            Array::from_flat(layout, data)
        }

        /// An array of this shape, with its axes nested in the same order, of copies of one value.
        ///
        /// # Panics
        /// If it does not fit in memory.
        ///
        /// ```
        /// let a = ndcore::array![[1, 2, 3], [4, 5, 6]];
        /// assert_eq!(a.full_like(0.5), ndcore::Array2::full([2, 3], 0.5));
        /// assert_eq!(a.t().full_like(0_u8).strides(), [1, 3]);
        /// ```
        #[track_caller]
        pub fn full_like<U: Item>(&self, value: U) -> Array<U, R, E> {
            or_panic(self.layout().alike().and_then(|layout| Array::full_in(layout, value)))
        }

        /// An array of zeros of this shape, with its axes nested in the same order.
        ///
        /// # Panics
        /// If it does not fit in memory.
        ///
        /// ```
        /// use ndcore::array;
        /// assert_eq!(array![[1, 2], [3, 4]].zeros_like(), array![[0, 0], [0, 0]]);
        /// ```
        #[track_caller]
        pub fn zeros_like(&self) -> Array<T, R, E>
        where
            T: Zero,
        {
            self.full_like(T::zero())
        }

        /// An array of ones of this shape, with its axes nested in the same order.
        ///
        /// # Panics
        /// If it does not fit in memory.
        ///
        /// ```
        /// use ndcore::array;
        /// assert_eq!(array![[1., 2.], [3., 4.]].ones_like(), array![[1., 1.], [1., 1.]]);
        /// ```
        #[track_caller]
        pub fn ones_like(&self) -> Array<T, R, E>
        where
            T: One,
        {
            self.full_like(T::one())
        }

        /// The elements whose indices are equal along all axes, as a view.
        ///
        /// ```
        /// let a = ndcore::array![[1, 2, 3], [4, 5, 6]];
        /// assert_eq!(a.diag().to_vec(), [1, 5]);
        /// ```
        pub fn diag(&self) -> View<$lt, T, Rank<1>, E> {
            self.derived(self.layout().diagonal())
        }

        /// A view with axis `take` merged into axis `into`: that one has the indices of both, its
        /// own the fastest, and `take` an extent of 1 (of 0, if there are no elements).
        ///
        /// # Errors
        /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange);
        /// [`NotOneWalk`](crate::LayoutErrorKind::NotOneWalk) if no stride walks both as one.
        ///
        /// ```
        /// let a = ndcore::Array3::from_fn([2, 3, 4], |[i, j, k]| 100 * i + 10 * j + k);
        /// let merged = a.merge_axes(1, 2)?;
        /// assert_eq!((merged.shape(), merged[[1, 0, 5]]), (&[2, 1, 12][..], 111));
        /// assert!(a.merge_axes(2, 1).is_err());
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        pub fn merge_axes(
            &self,
            take: impl IntoAxis,
            into: impl IntoAxis,
        ) -> Result<View<$lt, T, R, E>, LayoutError> {
            Ok(self.derived(self.layout().merge(take.into_axis(), into.into_axis())?))
        }

        /// The address of the element of index 0; of an empty array, of nothing. The others lie by
        /// the strides from there.
        ///
        /// ```
        /// let a = ndcore::array![[1, 2], [3, 4]];
        /// assert_eq!(a.flip(0)?.as_ptr(), &a[[1, 0]]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        pub fn as_ptr(&self) -> *const T {
            self.elements().address(self.layout().offset())
        }

        /// The stride of an axis, in elements.
        ///
        /// # Panics
        /// If there is no such axis; `strides().get(axis)` does not panic.
        ///
        /// ```
        /// assert_eq!(ndcore::array![[1, 2, 3], [4, 5, 6]].stride_of(0), 3);
        /// ```
        #[track_caller]
        pub fn stride_of(&self, axis: impl IntoAxis) -> isize {
            self.strides()[axis.into_axis()]
        }

        /// As [`axis_windows`](Self::axis_windows), one window every `step` indices.
        ///
        /// # Errors
        /// As for `axis_windows`; also [`EmptyPart`](crate::LayoutErrorKind::EmptyPart) if `step`
        /// is 0.
        ///
        /// ```
        /// let a = ndcore::array![1, 2, 3, 4, 5];
        /// let windows: Vec<_> = a.axis_windows_with_stride(0, 3, 2)?.map(|w| w.to_vec()).collect();
        /// assert_eq!(windows, [[1, 2, 3], [3, 4, 5]]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        pub fn axis_windows_with_stride(
            &self,
            axis: impl IntoAxis,
            size: usize,
            step: usize,
        ) -> Result<AxisWindows<$lt, T, R, E>, LayoutError> {
            Ok(Subviews::new(self.elements(), self.layout().slabs(axis.into_axis(), size, step)?))
        }

        /// The same elements side by side in row-major order: a view if they lie so, else a copy.
        ///
        /// # Panics
        /// If a copy does not fit in memory.
        ///
        /// ```
        /// let a = ndcore::array![[1, 2], [3, 4]];
        /// assert!(a.as_standard_layout().is_view());
        /// assert_eq!(a.t().as_standard_layout().as_slice(), Some(&[1, 3, 2, 4][..]));
        /// ```
        #[track_caller]
        pub fn as_standard_layout(&self) -> CowArray<$lt, T, R, E> {
            if self.is_standard_layout() {
                CowArray::Borrowed(self.derived(*self.layout()))
            } else {
                CowArray::Owned(self.to_owned())
            }
        }

        /// The elements in logical order under another shape: a view if strides can express it,
        /// else a copy. For a shape with [`f()`](crate::ShapeBuilder::f), or with an
        /// [`Order`](crate::Order), in that order of both shapes.
        ///
        /// # Errors
        /// [`ReshapeLength`](crate::LayoutErrorKind::ReshapeLength),
        /// [`AllocationFailed`](crate::LayoutErrorKind::AllocationFailed).
        ///
        /// ```
        /// use ndcore::{Order, array};
        /// let a = array![[1, 2, 3], [4, 5, 6]];
        /// assert!(a.to_shape([3, 2])?.is_view());
        /// assert_eq!(a.t().to_shape(6)?, array![1, 4, 2, 5, 3, 6]);
        /// assert_eq!(a.to_shape((6, Order::F))?, array![1, 4, 2, 5, 3, 6]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        pub fn to_shape<S: IntoLayout>(
            &self,
            shape: S,
        ) -> Result<CowArray<$lt, T, S::Rank, E>, LayoutError> {
            let order = shape.order();
            let layout = shape.into_layout()?;
            if let Some(layout) = self.layout().reshaped(layout.raw_shape(), order)? {
                return Ok(CowArray::Borrowed(self.derived(layout)));
            }
            let data = match order {
                Order::RowMajor => self.try_to_vec()?,
                Order::ColumnMajor => self.t().try_to_vec()?,
            };
            Ok(CowArray::Owned(Array::from_shape_vec_raw(layout, data)?))
        }

        /// All elements in logical order along one axis: a view if strides can express it, else a
        /// copy.
        ///
        /// # Panics
        /// If a copy does not fit in memory.
        ///
        /// ```
        /// assert_eq!(ndcore::array![[1, 2], [3, 4]].t().flatten(), ndcore::array![1, 3, 2, 4]);
        /// ```
        #[track_caller]
        pub fn flatten(&self) -> CowArray<$lt, T, Rank<1>, E> {
            or_panic(self.to_shape(self.len()))
        }

        /// The element at an index, without a check.
        ///
        /// # Safety
        /// The index is one of the array.
        ///
        /// ```
        /// let a = ndcore::array![[1, 2], [3, 4]];
        /// // SAFETY: the shape is [2, 2].
        /// assert_eq!(unsafe { *a.uget([1, 0]) }, 3);
        /// ```
        #[inline]
        pub unsafe fn uget<I: NdIndex<R>>(&self, index: I) -> &$lt T {
            let place = index.as_index(|index| self.layout().place_unchecked(index));
            // SAFETY: by the caller's promise the layout reaches the place, so that it is in bounds
            // (I1, I7) and readable (I2).
            unsafe { self.elements().reference(place) }
        }
    };
}

macro_rules! writing {
    () => {
        /// The elements whose indices are equal along all axes, for writing.
        ///
        /// ```
        /// let mut a = ndcore::array![[1, 2, 3], [4, 5, 6]];
        /// a.diag_mut().fill(0);
        /// assert_eq!(a.to_vec(), [0, 2, 3, 4, 0, 6]);
        /// ```
        pub fn diag_mut(&mut self) -> ViewMut<'_, T, Rank<1>, E> {
            self.unshare();
            let layout = self.layout().diagonal();
            self.derived_mut(layout)
        }

        /// As [`as_ptr`](Self::as_ptr), to write to.
        pub fn as_mut_ptr(&mut self) -> *mut T {
            let view = self.view_mut();
            view.memory().address(view.layout().offset())
        }

        /// As [`slice_axis`](Self::slice_axis), for writing.
        ///
        /// # Errors
        /// As for `slice_axis`.
        ///
        /// ```
        /// let mut a = ndcore::array![1, 2, 3, 4];
        /// a.slice_axis_mut(0, 1..4, 2)?.fill(0);
        /// assert_eq!(a.to_vec(), [1, 0, 3, 0]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        pub fn slice_axis_mut(
            &mut self,
            axis: impl IntoAxis,
            range: impl SliceRange,
            step: isize,
        ) -> Result<ViewMut<'_, T, R, E>, LayoutError> {
            self.unshare();
            let layout = self.layout().slice_range(axis.into_axis(), range, step)?;
            Ok(self.derived_mut(layout))
        }

        /// The element at an index for writing, without a check.
        ///
        /// # Safety
        /// The index is one of the array.
        ///
        /// ```
        /// let mut a = ndcore::array![[1, 2], [3, 4]];
        /// // SAFETY: the shape is [2, 2].
        /// unsafe { *a.uget_mut((1, 0)) = 7 };
        /// assert_eq!(a.to_vec(), [1, 2, 7, 4]);
        /// ```
        #[inline]
        pub unsafe fn uget_mut<I: NdIndex<R>>(&mut self, index: I) -> &mut T {
            self.unshare();
            let place = index.as_index(|index| self.layout().place_unchecked(index));
            // SAFETY: by the caller's promise the layout reaches the place, so that it is in bounds
            // (I1, I7), and reached by nobody else while this is borrowed (I2).
            unsafe { self.view_mut().into_reference(place) }
        }

        /// Combines each element with the one before it along an axis, from the first on: the
        /// closure gets the element before, which is done, and the one to change. With `+=`, the
        /// sums up to each element.
        ///
        /// # Errors
        /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange).
        ///
        /// ```
        /// let mut a = ndcore::array![[1, 2, 3], [4, 5, 6]];
        /// a.accumulate_axis_inplace(1, |before, x| *x += before)?;
        /// assert_eq!(a.to_vec(), [1, 3, 6, 4, 9, 15]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        pub fn accumulate_axis_inplace(
            &mut self,
            axis: impl IntoAxis,
            f: impl FnMut(&T, &mut T),
        ) -> Result<(), LayoutError> {
            accumulate(self.view_mut(), axis.into_axis(), f)
        }

        /// What a closure makes of each lane along an axis, which it may change; serially, in
        /// logical order.
        ///
        /// # Errors
        /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange);
        /// [`AllocationFailed`](crate::LayoutErrorKind::AllocationFailed).
        ///
        /// ```
        /// use ndcore::array;
        /// let mut a = array![[3, 1, 2], [4, 6, 5]];
        /// let largest = a.map_axis_mut(1, |mut lane| {
        ///     lane.as_slice_mut().unwrap().sort();
        ///     lane[2]
        /// })?;
        /// assert_eq!((a, largest), (array![[1, 2, 3], [4, 5, 6]], array![3, 6]));
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        pub fn map_axis_mut<U: Item>(
            &mut self,
            axis: impl IntoAxis,
            f: impl FnMut(ViewMut<'_, T, Rank<1>, E>) -> U,
        ) -> Result<Array<U, R::Smaller, E>, LayoutError> {
            let axis = axis.into_axis();
            let starts = self.layout().along(axis)?.1;
            let lanes = parts::lanes_along_mut(self.view_mut(), axis)?;
            let layout = Layout::c_order(starts.raw_shape())?;
            let mut data = Buffer::reserved(layout.size(), layout.shape())?;
            lanes.map_to(&mut data, f);
            Array::from_shape_vec_raw(layout, data)
        }
    };
}

methods_of_kinds!();

impl<'a, T: Item, E> View<'a, T, Rank<0>, E> {
    /// The one element.
    ///
    /// ```
    /// assert_eq!(ndcore::Array0::full([], 7).view().into_scalar(), &7);
    /// ```
    pub fn into_scalar(self) -> &'a T {
        self.element(&[]).ok().expect("an array of rank 0 has one element")
    }
}

/// See `accumulate_axis_inplace`. Along the axis that lies closest together it goes lane by lane,
/// along others one slice after the other.
fn accumulate<T: Item, R: Dimension, E>(
    mut view: ViewMut<'_, T, R, E>,
    axis: usize,
    mut f: impl FnMut(&T, &mut T),
) -> Result<(), LayoutError> {
    let (shape, strides) = (view.layout().raw_shape(), view.layout().raw_strides());
    let (shape, strides) = (shape.as_ref(), strides.as_ref());
    view.layout().along(axis)?;
    let nearer = |other: usize| {
        shape[other] > 1 && strides[other].unsigned_abs() < strides[axis].unsigned_abs()
    };
    if !(0..shape.len()).any(nearer) {
        for mut lane in view.lanes_mut(axis)? {
            let mut elements = lane.iter_mut();
            let Some(mut before) = elements.next() else { break };
            for element in elements {
                f(before, element);
                before = element;
            }
        }
        return Ok(());
    }
    let len = shape[1..].iter().product::<usize>();
    if axis == 0
        && len > 0
        && let Some(all) = view.as_slice_mut()
    {
        // Slices that follow each other: to make views of them takes longer than short ones.
        let mut rest = all;
        while rest.len() > len {
            let (before, after) = rest.split_at_mut(len);
            after.iter_mut().zip(before).for_each(|(x, y)| f(y, x));
            rest = after;
        }
        return Ok(());
    }
    let mut slices = parts::along_mut(view, axis)?;
    let Some(mut before) = slices.next() else { return Ok(()) };
    for mut slice in slices {
        match (slice.as_slice_mut(), before.as_slice()) {
            (Some(to), Some(from)) => to.iter_mut().zip(from).for_each(|(x, y)| f(y, x)),
            _ => slice.iter_mut().zip(before.iter()).for_each(|(x, y)| f(y, x)),
        }
        before = slice;
    }
    Ok(())
}
