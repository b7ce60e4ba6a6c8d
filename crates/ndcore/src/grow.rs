//! Arrays that grow along an axis, or lose an index of it.

use crate::array::Array;
use crate::axes::Axes;
use crate::axis::IntoAxis;
use crate::buffer::{Buffer, reserved};
use crate::dimension::{Dimension, Dyn, Rank};
use crate::element::Item;
use crate::error::{LayoutError, LayoutErrorKind as Kind};
use crate::layout::Layout;
use crate::list::List;
use crate::raw::View;

/// An array can grow along an axis without moving if that is the outermost one in memory, and there
/// are no gaps: then what is added comes after the rest.
impl<R: Dimension> Layout<R> {
    /// Whether `axis`, which exists, is the outermost one of a layout without gaps.
    fn can_grow(&self, axis: usize) -> bool {
        let slice = self.without(axis, 0);
        let outermost = self.shape()[axis] <= 1 || self.strides()[axis] == slice.size() as isize;
        outermost && slice.is_contiguous()
    }

    /// The axes from the outermost one in memory, which is `axis`.
    fn growing_order(&self, axis: usize) -> Axes<usize> {
        // Of an axis of extent 1 the place does not matter.
        let mut strides: Axes<isize> = self.strides().iter().copied().collect();
        strides[axis] = isize::MAX;
        Axes::outermost_first(&strides)
    }

    /// The same with `axis` outermost, of this extent, and the others as they lie; in row-major
    /// order, if `axis` is not the outermost one.
    // Row-major order is found as part of the caller: what a call returns in memory is waited for.
    #[inline(always)]
    fn growing(&self, axis: usize, extent: usize) -> Result<Self, LayoutError> {
        let mut shape = self.raw_shape();
        shape.as_mut()[axis] = extent;
        if axis == 0 && self.without(0, 0).is_c_contiguous() {
            return Self::c_order(shape);
        }
        self.growing_in_order(axis, shape)
    }

    /// As [`growing`](Self::growing), if the others do not lie in row-major order.
    #[inline(never)]
    fn growing_in_order(&self, axis: usize, shape: R::Shape) -> Result<Self, LayoutError> {
        let order: Axes<usize> = if self.can_grow(axis) {
            self.growing_order(axis)
        } else {
            std::iter::once(axis).chain((0..self.ndim()).filter(|&other| other != axis)).collect()
        };
        Self::nested(shape, &order)
    }
}

impl<T: Item, R: Dimension, E> Array<T, R, E> {
    /// Adds the elements of an array of the same shape but along `axis`, at the end of that axis.
    ///
    /// If `axis` is the outermost one in memory, as axis 0 of a new array is, the elements there
    /// stay where they are, or move together when the memory is full: which is rare, because it
    /// then becomes at least twice as large. Else they are copied first, so that `axis` becomes the
    /// outermost one, and to append again moves nothing.
    ///
    /// # Errors
    /// [`AxisOutOfRange`](Kind::AxisOutOfRange); [`JoinShape`](Kind::JoinShape) if another extent
    /// differs; [`SizeOverflow`](Kind::SizeOverflow), [`AllocationFailed`](Kind::AllocationFailed).
    /// The array is as it was then.
    ///
    /// ```
    /// use ndcore::array;
    /// let mut a = array![[1, 2], [3, 4]];
    /// a.append(0, &array![[5, 6]])?;
    /// a.append(1, &array![[0], [0], [0]])?;
    /// assert_eq!(a, array![[1, 2, 0], [3, 4, 0], [5, 6, 0]]);
    /// assert_eq!(
    ///     a.append(0, &array![[1, 2]]).unwrap_err().to_string(),
    ///     "array 1 of shape [1, 2] cannot be joined to one of shape [3, 3] along axis 0: \
    ///      all other extents must be equal"
    /// );
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    pub fn append<'v>(
        &mut self,
        axis: impl IntoAxis,
        array: impl Into<View<'v, T, R, E>>,
    ) -> Result<(), LayoutError>
    where
        E: 'v,
    {
        let (axis, array) = (axis.into_axis(), array.into());
        let (_, own) = self.layout().along(axis)?;
        let same = |other: usize| other == axis || self.shape()[other] == array.shape()[other];
        if self.ndim() != array.ndim() || !(0..self.ndim()).all(same) {
            return Err(self.cannot_join(axis, array.shape()));
        }
        // Not the whole array's order: without elements, that says nothing of the other axes.
        let c_order = axis == 0 && own.is_c_contiguous();
        self.grow(axis, array.shape()[axis], |layout, data| match c_order {
            true => array.append_to(data),
            false => array.as_dyn().permuted_axes(layout.growing_order(axis))?.append_to(data),
        })
    }

    /// Adds one index at the end of an axis: the elements of an array without that axis. See
    /// [`append`](Self::append) for what moves.
    ///
    /// # Errors
    /// As for `append`.
    ///
    /// ```
    /// use ndcore::{Array2, Array3};
    /// let mut frames = Array3::zeros([0, 2, 3]);
    /// for value in [1, 2] {
    ///     frames.push(0, &Array2::full([2, 3], value))?;
    /// }
    /// assert_eq!(frames.shape(), [2, 2, 3]);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    pub fn push<'v>(
        &mut self,
        axis: impl IntoAxis,
        slice: impl Into<View<'v, T, R::Smaller, E>>,
    ) -> Result<(), LayoutError>
    where
        E: 'v,
    {
        let (axis, slice) = (axis.into_axis(), slice.into());
        let (_, own) = self.layout().along(axis)?;
        if own.shape() != slice.shape() {
            let (before, after) = slice.shape().split_at(axis.min(slice.ndim()));
            let found: List<usize> = before.iter().chain(&[1]).chain(after).copied().collect();
            return Err(self.cannot_join(axis, &found));
        }
        let c_order = own.is_c_contiguous();
        self.grow(axis, 1, |layout, data| match c_order {
            true => slice.append_to(data),
            false => {
                let slice = slice.as_dyn().insert_axis(axis)?;
                slice.permuted_axes(layout.growing_order(axis))?.append_to(data)
            }
        })
    }

    /// Makes room for `additional` indices at the end of an axis, so that to
    /// [`append`](Self::append) them moves nothing.
    ///
    /// # Errors
    /// [`AxisOutOfRange`](Kind::AxisOutOfRange); [`SizeOverflow`](Kind::SizeOverflow),
    /// [`AllocationFailed`](Kind::AllocationFailed).
    ///
    /// ```
    /// let mut a = ndcore::Array2::<f32>::zeros([0, 3]);
    /// a.reserve(0, 100)?;
    /// let first = a.as_ptr();
    /// for _ in 0..100 {
    ///     a.push_row(&[1., 2., 3.])?;
    /// }
    /// assert_eq!(a.as_ptr(), first);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    pub fn reserve(&mut self, axis: impl IntoAxis, additional: usize) -> Result<(), LayoutError> {
        let axis = axis.into_axis();
        self.layout().along(axis)?;
        self.make_room(axis, additional).map(|_| ())
    }

    /// Takes one index of an axis away; those after it move up.
    ///
    /// # Errors
    /// [`AxisOutOfRange`](Kind::AxisOutOfRange), [`IndexOutOfRange`](Kind::IndexOutOfRange).
    ///
    /// ```
    /// use ndcore::array;
    /// let mut a = array![[1, 2, 3], [4, 5, 6]];
    /// a.remove_index(1, 0)?;
    /// assert_eq!(a, array![[2, 3], [5, 6]]);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    pub fn remove_index(&mut self, axis: impl IntoAxis, index: usize) -> Result<(), LayoutError> {
        let axis = axis.into_axis();
        self.layout().index(axis, index)?;
        let last = self.shape()[axis] - 1;
        for to in index..last {
            let (mut low, high) = self.view_mut().split_at(axis, to + 1)?;
            let from = high.index_axis(axis, 0)?;
            let mut to = low.index_axis_mut(axis, to)?;
            to.iter_mut().zip(&from).for_each(|(to, from)| to.clone_from(from));
        }
        let own = *self.layout();
        let layout = own.with_extent(axis, last);
        let (buffer, to) = self.parts_mut();
        *to = layout;
        if own.can_grow(axis) {
            // What is left over lies at the end: it is dropped now, elsewhere with the array.
            buffer.vec_mut().truncate(layout.offset() + layout.size());
        }
        Ok(())
    }

    #[cold]
    fn cannot_join(&self, axis: usize, found: &[usize]) -> LayoutError {
        let (expected, found) = (List::of(&self.shape()), List::of(&found));
        Kind::JoinShape { axis, array: 1, expected, found }.into()
    }

    /// The layout with `additional` more indices along an axis, which exists, in memory that has
    /// room for them; the elements there are where this layout has them, and end the memory.
    fn make_room(&mut self, axis: usize, additional: usize) -> Result<Layout<R>, LayoutError> {
        let extent = self.shape()[axis];
        let too_large = || Kind::SizeOverflow { shape: [extent, additional].into() };
        let extent = extent.checked_add(additional).ok_or_else(too_large)?;
        let own = *self.layout();
        // More rows of what is in row-major order: nothing else changes, but for axes of extent 1,
        // whose strides say nothing.
        let rows = axis == 0
            && own.shape()[0] > 1
            && own.shape()[1..].iter().all(|&extent| extent > 1)
            && own.is_c_contiguous();
        let size = if rows { extent.checked_mul(own.strides()[0].unsigned_abs()) } else { None };
        let grown = match size.and_then(|size| isize::try_from(size).ok()) {
            Some(_) => own.shifted(0_usize.wrapping_sub(own.offset())).with_extent(0, extent),
            None => own.growing(axis, extent)?,
        };
        let failed = || -> LayoutError {
            let bytes = grown.size().saturating_mul(size_of::<T>());
            Kind::AllocationFailed { shape: List::of(&grown.shape()), bytes }.into()
        };
        let more = grown.size() - own.size();
        let mut first = own.offset();
        if rows || own.can_grow(axis) || own.is_empty() {
            let (buffer, _) = self.parts_mut();
            let data = buffer.vec_mut();
            if own.is_empty() {
                (first, _) = (0, data.clear());
            }
            data.truncate(first + own.size());
            if !buffer.make_room(more) {
                return Err(failed());
            }
        } else {
            let order = grown.growing_order(axis);
            let mut data = Buffer::reserved(grown.size(), grown.shape())?;
            self.as_dyn().permuted_axes(order)?.append_to(&mut data)?;
            let moved = Array::from_shape_vec_raw(own.growing(axis, own.shape()[axis])?, data)?;
            *self = moved;
            first = 0;
        }
        Ok(grown.shifted(first))
    }

    /// Adds `additional` indices at the end of an axis, which exists. Their elements are appended
    /// by a function, which gets the layout with them.
    fn grow(
        &mut self,
        axis: usize,
        additional: usize,
        append: impl FnOnce(&Layout<R>, &mut Vec<T>) -> Result<(), LayoutError>,
    ) -> Result<(), LayoutError> {
        let layout = self.make_room(axis, additional)?;
        let (buffer, own) = self.parts_mut();
        append(&layout, buffer.vec_mut())?;
        layout.check_reach(buffer.as_slice().len())?;
        // Without gaps, and so unique (I7).
        *own = layout;
        Ok(())
    }
}

impl<T: Item, R: Dimension, E> Array<T, R, E> {
    /// Clones of the elements of arrays side by side along an axis that they have, in row-major
    /// order; the other extents are equal. Serially, of any [`Item`]: of plain values, the engine's
    /// `concatenate` does the same in parallel.
    ///
    /// # Errors
    /// [`NothingToJoin`](Kind::NothingToJoin), [`AxisOutOfRange`](Kind::AxisOutOfRange),
    /// [`JoinShape`](Kind::JoinShape), [`SizeOverflow`](Kind::SizeOverflow),
    /// [`AllocationFailed`](Kind::AllocationFailed).
    ///
    /// ```
    /// use ndcore::{Array2, array};
    /// let a = array![["a", "b"], ["c", "d"]].map_ref(|text| text.to_string());
    /// let both = Array2::concat(1, &[a.view(), a.t()])?;
    /// assert_eq!(both, array![["a", "b", "a", "c"], ["c", "d", "b", "d"]]);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    pub fn concat(axis: impl IntoAxis, arrays: &[View<'_, T, R, E>]) -> Result<Self, LayoutError> {
        let axis = axis.into_axis();
        let first = arrays.first().ok_or(Kind::NothingToJoin { axis })?;
        first.layout().along(axis)?;
        let (mut shape, mut extent) = (first.dim(), 0_usize);
        for (number, array) in arrays.iter().enumerate() {
            let same = |other: usize| first.shape().get(other) == array.shape().get(other);
            let rank = first.ndim().max(array.ndim());
            if axis >= array.ndim() || !(0..rank).all(|other| other == axis || same(other)) {
                let (expected, found) = (List::of(&first.shape()), List::of(&array.shape()));
                return Err(Kind::JoinShape { axis, array: number, expected, found }.into());
            }
            let too_large = || Kind::SizeOverflow { shape: [extent, array.shape()[axis]].into() };
            extent = extent.checked_add(array.shape()[axis]).ok_or_else(too_large)?;
        }
        shape.as_mut()[axis] = extent;
        let layout = Layout::c_order(shape)?;
        let mut data = Buffer::reserved(layout.size(), layout.shape())?;
        let mut pieces = reserved(arrays.len(), &[arrays.len()])?;
        pieces.extend(arrays.iter().map(View::as_dyn));
        append_all(&pieces, axis, &mut data)?;
        Array::from_shape_vec_raw(layout, data)
    }

    /// Clones of the elements of arrays of one shape, one after the other along a new axis, in
    /// row-major order. Serially, of any [`Item`]: of plain values, the engine's `stack` does the
    /// same in parallel.
    ///
    /// # Errors
    /// [`NothingToJoin`](Kind::NothingToJoin), [`AxisOutOfRange`](Kind::AxisOutOfRange),
    /// [`JoinShape`](Kind::JoinShape), [`RankTooHigh`](Kind::RankTooHigh),
    /// [`SizeOverflow`](Kind::SizeOverflow), [`AllocationFailed`](Kind::AllocationFailed).
    ///
    /// ```
    /// use ndcore::{Array2, array};
    /// let a = array![["a", "b"], ["c", "d"]].map_ref(|text| text.to_string());
    /// let rows = Array2::stack(0, &[a.row(1), a.row(0), a.row(1)])?;
    /// assert_eq!(rows, array![["c", "d"], ["a", "b"], ["c", "d"]]);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    pub fn stack(
        axis: impl IntoAxis,
        arrays: &[View<'_, T, R::Smaller, E>],
    ) -> Result<Self, LayoutError> {
        let axis = axis.into_axis();
        let mut pieces = reserved(arrays.len(), &[arrays.len()])?;
        for array in arrays {
            pieces.push(array.as_dyn().insert_axis(axis)?);
        }
        let joined = Array::<T, Dyn, E>::concat(axis, &pieces)?;
        joined.into_rank()
    }
}

/// Appends clones of the elements of arrays side by side along an axis, in row-major order.
fn append_all<T: Item, E>(
    arrays: &[View<'_, T, Dyn, E>],
    axis: usize,
    data: &mut Vec<T>,
) -> Result<(), LayoutError> {
    let Some(outer) = axis.checked_sub(1) else {
        return arrays.iter().try_for_each(|array| array.append_to(data));
    };
    // Without elements there may be very many slices.
    if arrays.iter().all(|array| array.is_empty()) {
        return Ok(());
    }
    let mut slices = reserved(arrays.len(), &[arrays.len()])?;
    (0..arrays[0].shape()[0]).try_for_each(|index| {
        slices.clear();
        for array in arrays {
            slices.push(array.index_axis(0, index)?);
        }
        append_all(&slices, outer, data)
    })
}

impl<T: Item, R: Dimension, E> View<'_, T, R, E> {
    /// Appends the elements in logical order to a list.
    fn append_to(&self, data: &mut Vec<T>) -> Result<(), LayoutError> {
        if data.try_reserve(self.len()).is_err() {
            let bytes = self.len().saturating_mul(size_of::<T>());
            return Err(Kind::AllocationFailed { shape: List::of(&self.shape()), bytes }.into());
        }
        self.clone_to_vec(data);
        Ok(())
    }
}

impl<T: Item, E> Array<T, Rank<2>, E> {
    /// Adds a row at the end: [`push`](Self::push) along axis 0.
    ///
    /// # Errors
    /// As for [`append`](Self::append).
    ///
    /// ```
    /// use ndcore::{Array2, array};
    /// let mut a = Array2::zeros([0, 2]);
    /// a.push_row(&[1, 2])?;
    /// a.push_row(&array![3, 4])?;
    /// assert_eq!(a, array![[1, 2], [3, 4]]);
    /// assert!(a.push_row(&[1, 2, 3]).is_err());
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    pub fn push_row<'v>(
        &mut self,
        row: impl Into<View<'v, T, Rank<1>, E>>,
    ) -> Result<(), LayoutError>
    where
        E: 'v,
    {
        self.push(0, row)
    }

    /// Adds a column at the end: [`push`](Self::push) along axis 1.
    ///
    /// # Errors
    /// As for [`append`](Self::append).
    ///
    /// ```
    /// use ndcore::{Array2, array};
    /// let mut a = array![[1, 2], [3, 4]];
    /// a.push_column(&[5, 6])?;
    /// assert_eq!(a, array![[1, 2, 5], [3, 4, 6]]);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    pub fn push_column<'v>(
        &mut self,
        column: impl Into<View<'v, T, Rank<1>, E>>,
    ) -> Result<(), LayoutError>
    where
        E: 'v,
    {
        self.push(1, column)
    }
}
