//! Layouts of some of the elements of others, or of all in another order, or repeated.

use super::{Layout, rank_too_high, size_of_shape, zero_step};
use crate::axes::{Axes, MAX_NDIM};
use crate::dimension::{Dimension, Dyn, Order, Rank};
use crate::error::{LayoutError, LayoutErrorKind as Kind};
use crate::list::List;
use crate::raw::Dim;
use std::ops::Range;

/// Copies as many elements as there are; few of them one by one, and without a loop, which would be
/// looked at too late.
#[inline(always)]
fn copy_each<T: Copy>(to: &mut [T], from: &[T]) {
    match (to, from) {
        ([a], &[x]) => *a = x,
        ([a, b], &[x, y]) => (*a, *b) = (x, y),
        ([a, b, c], &[x, y, z]) => (*a, *b, *c) = (x, y, z),
        (to, from) => to.copy_from_slice(from),
    }
}

impl<R: Dimension> Layout<R> {
    /// The same, extent by extent where they are few and their number is known: compilers know the
    /// extents of a copy to be those of the original then, and look at the bounds of both once.
    #[inline(always)]
    pub(crate) fn by_parts(&self) -> Self {
        let Some(ndim) = R::NDIM else { return *self };
        let (mut shape, mut strides) = (R::zero_shape(ndim), R::zero_strides(ndim));
        copy_each(shape.as_mut(), self.shape.as_ref());
        copy_each(strides.as_mut(), self.strides.as_ref());
        Layout { shape, strides, offset: self.offset }
    }

    /// The same layout `by` places further on.
    #[inline]
    pub(crate) fn shifted(&self, by: usize) -> Self {
        Layout { offset: self.offset.wrapping_add(by), ..*self }.settled()
    }

    /// The same layout with another extent and stride along an axis, from another place on.
    #[inline]
    fn with_axis(&self, axis: usize, extent: usize, stride: isize, offset: usize) -> Self {
        let mut out = *self;
        let (shape, strides) = (out.shape.as_mut(), out.strides.as_mut());
        let mut at = 0;
        // A loop, because an array written at an index known only at run time cannot be kept in
        // registers.
        while at < shape.len() {
            if at == axis {
                (shape[at], strides[at]) = (extent, stride);
            }
            at += 1;
        }
        out.offset = offset;
        out.settled()
    }

    /// The first indices along an axis, `extent` of them.
    #[inline]
    pub(crate) fn with_extent(&self, axis: usize, extent: usize) -> Self {
        self.with_axis(axis, extent, self.strides()[axis], self.offset)
    }

    /// All axes of an extent other than 1.
    pub(crate) fn squeeze(&self) -> Layout<Dyn> {
        let mut out =
            Layout::<Dyn> { shape: Axes::new(), strides: Axes::new(), offset: self.offset };
        for (&extent, &stride) in self.shape().iter().zip(self.strides()) {
            if extent != 1 {
                out.shape.push(extent);
                out.strides.push(stride);
            }
        }
        out
    }

    /// The elements whose indices are equal along all axes. Of rank 0, the one element.
    pub(crate) fn diagonal(self) -> Layout<Rank<1>> {
        let len = self.shape().iter().copied().min().unwrap_or(1);
        // With one element the stride is never used, and the sum might not fit.
        let stride = self.strides().iter().fold(0_isize, |sum, stride| sum.wrapping_add(*stride));
        Layout::of([len], [if len > 1 { stride } else { 0 }], self.offset)
    }

    /// The same elements with axis `take` merged into another one: that one has all their indices,
    /// its own the fastest, and `take` has an extent of 1, or of 0 if there are no elements.
    ///
    /// # Errors
    /// [`AxisOutOfRange`](Kind::AxisOutOfRange); [`NotOneWalk`](Kind::NotOneWalk) if no stride
    /// walks the two as one, or they are one axis with an extent above 1.
    pub(crate) fn merge(&self, take: usize, into: usize) -> Result<Self, LayoutError> {
        self.check_axis(take)?;
        self.check_axis(into)?;
        let (taken, own) = (self.shape()[take], self.shape()[into]);
        let (far, near) = (self.strides()[take], self.strides()[into]);
        if taken <= 1 && take == into {
            return Ok(*self);
        }
        let (extent, stride) = match (taken, own) {
            _ if take == into => return Err(self.not_one_walk(take, into)),
            (0, _) | (_, 0) => (0, 0),
            (1, _) => (own, near),
            (_, 1) => (taken, far),
            _ if far == near.wrapping_mul(own as isize) => (taken * own, near),
            _ => return Err(self.not_one_walk(take, into)),
        };
        let rest = usize::from(extent > 0);
        Ok(self.with_axis(into, extent, stride, self.offset).with_axis(take, rest, 0, self.offset))
    }

    #[cold]
    #[inline(never)]
    fn not_one_walk(self, take: usize, into: usize) -> LayoutError {
        not_one_walk(self.shape(), self.strides(), take, into)
    }

    /// Without gaps, with the axes nested as they are here: as NumPy orders what is made like an
    /// array.
    pub(crate) fn alike(&self) -> Result<Self, LayoutError> {
        if self.is_c_contiguous() {
            return Self::c_order(self.shape);
        }
        Self::nested(self.shape, &Axes::outermost_first(self.strides()))
    }

    /// As [`reshape`](Self::reshape), in another order of the elements.
    ///
    /// # Errors
    /// As for `reshape`.
    #[inline]
    pub(crate) fn reshape_in<S: Dimension>(
        &self,
        shape: S::Shape,
        order: Order,
    ) -> Result<Layout<S>, LayoutError> {
        if order == Order::RowMajor
            && let Some(layout) = self.in_rows_of(shape)
        {
            return Ok(layout);
        }
        self.reshape_otherwise(shape, order)
    }

    #[inline(never)]
    fn reshape_otherwise<S: Dimension>(
        &self,
        shape: S::Shape,
        order: Order,
    ) -> Result<Layout<S>, LayoutError> {
        match self.reshaped(shape, order)? {
            Some(layout) => Ok(layout),
            None => Err(self.needs_copy(shape.as_ref())),
        }
    }

    /// The elements in row-major order under another shape of as many, where they lie so: which is
    /// so most often.
    #[inline(always)]
    fn in_rows_of<S: Dimension>(&self, shape: S::Shape) -> Option<Layout<S>> {
        if !self.is_c_contiguous() {
            return None;
        }
        let layout = Layout::<S>::c_order(shape).ok()?;
        (layout.size() == self.size()).then_some(Layout { offset: self.offset, ..layout })
    }

    #[cold]
    #[inline(never)]
    fn needs_copy(&self, shape: &[usize]) -> LayoutError {
        let (from, strides) = (List::of(&self.shape()), List::of(&self.strides()));
        Kind::ReshapeNeedsCopy { from, strides, to: List::of(&shape) }.into()
    }

    /// As [`reshape_in`](Self::reshape_in); none if no strides express it. (An error takes longer
    /// to make than few elements to copy.)
    pub(crate) fn reshaped<S: Dimension>(
        &self,
        shape: S::Shape,
        order: Order,
    ) -> Result<Option<Layout<S>>, LayoutError> {
        let (from_len, to_len) = (self.size(), size_of_shape(shape.as_ref())?);
        if from_len != to_len {
            return Err(Kind::ReshapeLength {
                from: List::of(&self.shape()),
                from_len,
                to: List::of(&shape.as_ref()),
                to_len,
            }
            .into());
        }
        if order == Order::RowMajor {
            return self.regrouped(shape);
        }
        // Column-major order is row-major order with the axes reversed.
        let mut backwards = shape;
        backwards.as_mut().reverse();
        Ok(self.reversed().regrouped::<S>(backwards)?.map(|layout| layout.reversed()))
    }

    /// The two sides of index `mid` of an axis.
    ///
    /// # Errors
    /// [`AxisOutOfRange`](Kind::AxisOutOfRange); [`SliceOutOfRange`](Kind::SliceOutOfRange) if
    /// `mid` is above the extent.
    #[inline(always)]
    pub(crate) fn split(&self, axis: usize, mid: usize) -> Result<(Self, Self), LayoutError> {
        if axis >= self.ndim() {
            return Err(self.no_axis(axis));
        }
        let (extent, stride) = (self.shape()[axis], self.strides()[axis]);
        if mid > extent {
            return Err(self.no_range(axis, 0, isize::try_from(mid).unwrap_or(isize::MAX)));
        }
        let steps = mid.wrapping_mul(stride as usize);
        let low = self.with_axis(axis, mid, stride, self.offset);
        Ok((low, self.with_axis(axis, extent - mid, stride, self.offset.wrapping_add(steps))))
    }

    /// The indices along an axis, and what the elements of each are like.
    ///
    /// # Errors
    /// [`AxisOutOfRange`](Kind::AxisOutOfRange).
    #[inline]
    pub(crate) fn along(
        &self,
        axis: usize,
    ) -> Result<(Layout<Rank<1>>, Layout<R::Smaller>), LayoutError> {
        if axis >= self.ndim() {
            return Err(self.no_axis(axis));
        }
        let indices = Layout::of([self.shape()[axis]], [self.strides()[axis]], self.offset);
        Ok((indices, self.without(axis, self.offset)))
    }

    /// The same shape and strides from another place on.
    #[inline]
    pub(crate) fn at(&self, offset: usize) -> Self {
        Layout { offset, ..*self }
    }

    /// The same extents at one place over and over.
    #[inline]
    pub(crate) fn standing_still(&self) -> Self {
        Layout { shape: self.shape, strides: R::zero_strides(self.ndim()), offset: 0 }
    }

    /// The innermost axes that are one walk as a line: the layout of the lines' first elements
    /// (`None` if all is one line), the length of each line and its stride.
    #[inline]
    pub(crate) fn lines(&self) -> (Option<Self>, usize, isize) {
        let (shape, strides) = (self.shape(), self.strides());
        let (mut len, mut stride) = (1_usize, 1);
        let mut axis = shape.len();
        while axis > 0 {
            let (extent, step) = (shape[axis - 1], strides[axis - 1]);
            if extent != 1 {
                if len == 1 {
                    stride = step;
                } else if step != stride.wrapping_mul(len as isize) {
                    return (Some(self.outermost(axis)), len, stride);
                }
                // Cannot overflow: no constructor lets the product of all extents do so.
                len *= extent;
            }
            axis -= 1;
        }
        (None, len, stride)
    }

    /// The distance and the stride of the elements as `count` rows of `len` in row-major order, if
    /// the axes of a row are one walk, and those before them another one.
    #[inline]
    pub(crate) fn in_rows(&self, rows: (usize, usize)) -> Option<(isize, isize)> {
        merged(self.shape(), self.strides(), rows)
    }

    /// The same of a result of this shape in which this is met: axis `i` lies along axis `dims[i]`
    /// of it, by rising numbers (without `dims`, along itself), and the elements repeat along all
    /// others and where the extent is 1. None, too, if it does not fit.
    #[inline]
    pub(crate) fn in_rows_within<D: Dim>(
        &self,
        shape: &[usize],
        dims: Option<&[D]>,
        rows: (usize, usize),
    ) -> Option<(isize, isize)> {
        if dims.is_none() && self.shape() == shape {
            return self.in_rows(rows);
        }
        if self.ndim() != dims.map_or(shape.len(), <[D]>::len) {
            return None;
        }
        let (mut along, mut next) = ([0_isize; MAX_NDIM], 0);
        for (axis, (&own, &stride)) in self.shape().iter().zip(self.strides()).enumerate() {
            let to = dims.map_or(axis, |dims| dims[axis].into());
            let extent = *shape.get(to).filter(|_| to >= next)?;
            if own == extent {
                along[to] = stride;
            } else if own != 1 {
                return None;
            }
            next = to + 1;
        }
        merged(shape, &along[..shape.len()], rows)
    }

    /// Whether the elements lie in memory in this order, with or without gaps: strides fall, and
    /// none is negative.
    #[inline]
    pub(crate) fn is_in_memory_order(&self) -> bool {
        let strides = self.strides();
        let next = strides.iter().skip(1).chain(&[0]);
        strides.iter().zip(next).all(|(stride, next)| stride >= next)
    }

    /// The same elements as they lie in memory: along the axes by falling strides, each forwards.
    #[inline]
    pub(crate) fn in_memory_order(&self) -> Self {
        self.in_memory_order_with(self).0
    }

    /// As [`in_memory_order`](Self::in_memory_order), with another layout of the same shape, whose
    /// axes follow those of this one: by the strides of both, forwards where both are backwards.
    // Not inlined: once for each rank.
    #[inline(never)]
    pub(crate) fn in_memory_order_with<S: Dimension>(
        &self,
        other: &Layout<S>,
    ) -> (Self, Layout<S>) {
        let (mut a, mut b) = (*self, *other);
        for axis in 0..a.ndim() {
            if a.strides()[axis] < 0
                && b.strides()[axis] < 0
                && let (Ok(flipped), Ok(other)) = (a.flip(axis), b.flip(axis))
            {
                (a, b) = (flipped, other);
            }
            let steps = |a: &Self, b: &Layout<S>, axis: usize| {
                let of = |stride: isize| stride.unsigned_abs();
                of(a.strides()[axis]).saturating_add(of(b.strides()[axis]))
            };
            let mut to = axis;
            while to > 0 && steps(&a, &b, to - 1) < steps(&a, &b, to) {
                a.shape.as_mut().swap(to - 1, to);
                a.strides.as_mut().swap(to - 1, to);
                b.shape.as_mut().swap(to - 1, to);
                b.strides.as_mut().swap(to - 1, to);
                to -= 1;
            }
        }
        (a, b)
    }

    /// The elements of index 0 along all but the first `axes` axes.
    #[inline]
    pub(crate) fn outermost(&self, axes: usize) -> Self {
        let mut out = *self;
        out.shape.as_mut()[axes..].fill(1);
        out
    }

    /// The same places in the same order, with the rank in another type.
    ///
    /// # Errors
    /// [`RankMismatch`](Kind::RankMismatch) if the rank is another one;
    /// [`RankTooHigh`](Kind::RankTooHigh).
    #[inline]
    pub fn to_rank<S: Dimension>(&self) -> Result<Layout<S>, LayoutError> {
        Ok(self.with_axes(S::shape(self.shape())?, self.strides()))
    }

    /// The same layout in dynamic rank.
    #[inline]
    pub fn to_dyn(&self) -> Layout<Dyn> {
        let mut out =
            Layout::<Dyn> { shape: Axes::new(), strides: Axes::new(), offset: self.offset };
        for (&extent, &stride) in self.shape().iter().zip(self.strides()) {
            out.shape.push(extent);
            out.strides.push(stride);
        }
        out
    }

    #[inline]
    fn with_axes<S: Dimension>(&self, shape: S::Shape, strides: &[isize]) -> Layout<S> {
        let mut own = S::zero_strides(strides.len());
        own.as_mut().copy_from_slice(strides);
        Layout { shape, strides: own, offset: self.offset }
    }

    /// Axis `i` of the result is axis `axes[i]` of this layout.
    ///
    /// # Errors
    /// [`NotAPermutation`](Kind::NotAPermutation).
    #[inline]
    pub fn permute(&self, axes: &[usize]) -> Result<Self, LayoutError> {
        check_permutation(axes, self.ndim())?;
        let mut out = *self;
        for (to, &from) in axes.iter().enumerate() {
            out.shape.as_mut()[to] = self.shape()[from];
            out.strides.as_mut()[to] = self.strides()[from];
        }
        Ok(out)
    }

    /// The axes in reverse order.
    #[inline]
    pub fn reversed(&self) -> Self {
        let mut out = *self;
        out.shape.as_mut().reverse();
        out.strides.as_mut().reverse();
        out
    }

    /// Exchanges two axes.
    ///
    /// # Errors
    /// [`AxisOutOfRange`](Kind::AxisOutOfRange).
    #[inline]
    pub fn swap(&self, a: usize, b: usize) -> Result<Self, LayoutError> {
        self.check_axis(a)?;
        self.check_axis(b)?;
        let other = |axis: usize| {
            if axis == a {
                b
            } else if axis == b {
                a
            } else {
                axis
            }
        };
        let mut out = *self;
        let mut to = 0;
        while to < self.ndim() {
            out.shape.as_mut()[to] = self.shape()[other(to)];
            out.strides.as_mut()[to] = self.strides()[other(to)];
            to += 1;
        }
        Ok(out)
    }

    /// A new axis of extent 1 before axis `axis` (at the end, if `axis` is the rank).
    ///
    /// # Errors
    /// [`AxisOutOfRange`](Kind::AxisOutOfRange); [`RankTooHigh`](Kind::RankTooHigh).
    #[inline]
    pub fn insert(&self, axis: usize) -> Result<Layout<R::Larger>, LayoutError> {
        let ndim = self.ndim();
        if axis > ndim {
            return Err(self.no_axis(axis));
        }
        if ndim == MAX_NDIM {
            return Err(rank_too_high(ndim + 1));
        }
        let mut shape = R::Larger::zero_shape(ndim + 1);
        let mut strides = R::Larger::zero_strides(ndim + 1);
        let (to_shape, to_strides) = (shape.as_mut(), strides.as_mut());
        let mut to = 0;
        while to <= ndim {
            // Before the new axis each keeps its number, after it has the next one.
            let from = if to < axis { to } else { to.wrapping_sub(1) };
            if to == axis {
                to_shape[to] = 1;
            } else {
                to_shape[to] = self.shape()[from];
                to_strides[to] = self.strides()[from];
            }
            to += 1;
        }
        Ok(Layout { shape, strides, offset: self.offset })
    }

    /// The elements whose index along `axis` is `index`, without that axis.
    ///
    /// # Errors
    /// [`AxisOutOfRange`](Kind::AxisOutOfRange); [`IndexOutOfRange`](Kind::IndexOutOfRange).
    #[inline]
    pub fn index(&self, axis: usize, index: usize) -> Result<Layout<R::Smaller>, LayoutError> {
        if axis >= self.ndim() {
            return Err(self.no_axis(axis));
        }
        if index >= self.shape()[axis] {
            return Err(self.no_index(axis, isize::try_from(index).unwrap_or(isize::MAX)));
        }
        let steps = index.wrapping_mul(self.strides()[axis] as usize);
        Ok(self.without(axis, self.offset.wrapping_add(steps)))
    }

    /// The same layout without an axis, which exists, and from another place on. Without elements
    /// that may be any place.
    #[inline]
    pub(crate) fn without(&self, axis: usize, offset: usize) -> Layout<R::Smaller> {
        let ndim = self.ndim();
        let mut shape = R::Smaller::zero_shape(ndim - 1);
        let mut strides = R::Smaller::zero_strides(ndim - 1);
        let (to_shape, to_strides) = (shape.as_mut(), strides.as_mut());
        let mut to = 0;
        while to < ndim - 1 {
            let from = if to < axis { to } else { to + 1 };
            to_shape[to] = self.shape()[from];
            to_strides[to] = self.strides()[from];
            to += 1;
        }
        Layout { shape, strides, offset }
    }

    /// Removes an axis of extent 1.
    ///
    /// # Errors
    /// [`AxisOutOfRange`](Kind::AxisOutOfRange); [`AxisNotOne`](Kind::AxisNotOne).
    #[inline]
    pub fn remove(&self, axis: usize) -> Result<Layout<R::Smaller>, LayoutError> {
        self.check_axis(axis)?;
        if self.shape()[axis] != 1 {
            return Err(self.not_one(axis));
        }
        Ok(self.without(axis, self.offset))
    }

    #[cold]
    #[inline(never)]
    fn not_one(self, axis: usize) -> LayoutError {
        not_one(self.shape(), axis)
    }

    /// Reverses the order along an axis.
    ///
    /// # Errors
    /// [`AxisOutOfRange`](Kind::AxisOutOfRange).
    #[inline]
    pub fn flip(&self, axis: usize) -> Result<Self, LayoutError> {
        self.check_axis(axis)?;
        let (extent, stride) = (self.shape()[axis], self.strides()[axis]);
        // Wrapping: along an axis of extent 1 any stride is allowed, even `isize::MIN`, and
        // without elements any stride and place are.
        let steps = extent.wrapping_sub(1).wrapping_mul(stride as usize);
        Ok(self.with_axis(axis, extent, stride.wrapping_neg(), self.offset.wrapping_add(steps)))
    }

    /// Keeps `start..end` of an axis, every `step`-th element of it; a negative `step` walks that
    /// range backwards from its last element.
    ///
    /// # Errors
    /// [`AxisOutOfRange`](Kind::AxisOutOfRange); [`SliceOutOfRange`](Kind::SliceOutOfRange);
    /// [`ZeroStep`](Kind::ZeroStep).
    #[inline]
    pub fn slice_axis(
        &self,
        axis: usize,
        range: Range<usize>,
        step: isize,
    ) -> Result<Self, LayoutError> {
        self.check_axis(axis)?;
        if step == 0 {
            return Err(zero_step());
        }
        if range.start > range.end || range.end > self.shape()[axis] {
            let int = |bound| isize::try_from(bound).unwrap_or(isize::MAX);
            return Err(self.no_range(axis, int(range.start), int(range.end)));
        }
        let stride = self.strides()[axis];
        let (extent, first, step) = every(range, step, stride);
        let offset = self.offset.wrapping_add(first.wrapping_mul(stride as usize));
        Ok(self.with_axis(axis, extent, step, offset))
    }

    /// The same elements in the same logical (row-major) order under another shape, if strides can
    /// express it.
    ///
    /// # Errors
    /// [`SizeOverflow`](Kind::SizeOverflow); [`ReshapeLength`](Kind::ReshapeLength) if the number
    /// of elements is another one; [`ReshapeNeedsCopy`](Kind::ReshapeNeedsCopy) if no such layout
    /// exists.
    #[inline]
    pub fn reshape<S: Dimension>(&self, shape: S::Shape) -> Result<Layout<S>, LayoutError> {
        self.reshape_in(shape, Order::RowMajor)
    }

    /// The same elements under another shape of as many, in row-major order; none if no strides
    /// express it.
    fn regrouped<S: Dimension>(&self, shape: S::Shape) -> Result<Option<Layout<S>>, LayoutError> {
        if let Some(layout) = self.in_rows_of(shape) {
            return Ok(Some(layout));
        }
        let mut out = Layout::<S>::c_order(shape)?;
        out.offset = self.offset;
        // Join what can be joined, innermost first; each joined group must then be split by some of
        // the new axes exactly.
        let mut groups: Axes<(usize, isize)> = Axes::new();
        for (&extent, &stride) in self.shape().iter().zip(self.strides()).rev() {
            match groups.last_mut() {
                _ if extent == 1 => {}
                Some((size, inner)) if inner.wrapping_mul(*size as isize) == stride => {
                    *size *= extent
                }
                _ => groups.push((extent, stride)),
            }
        }
        let mut groups = groups.iter().copied();
        let (mut left, mut stride) = (1, 0);
        for (&extent, out_stride) in shape.as_ref().iter().zip(out.strides.as_mut()).rev() {
            if extent == 1 {
                continue;
            }
            if left == 1 {
                (left, stride) = groups.next().unwrap_or((1, 0));
            }
            if left % extent != 0 {
                return Ok(None);
            }
            *out_stride = stride;
            // Wrapping: after the last axis of a group it is not used.
            stride = stride.wrapping_mul(extent as isize);
            left /= extent;
        }
        Ok(Some(out))
    }

    /// Places this layout in a larger shape: axis `i` lies along axis `dims[i]` of the result, and
    /// the elements repeat, with stride 0, along every axis that no `dims[i]` names and along every
    /// axis where this layout's own extent is 1.
    ///
    /// This is the mechanism of broadcasting; the rules, with their errors, are in the crate
    /// `bcast`.
    ///
    /// # Errors
    /// [`RankMismatch`](Kind::RankMismatch) if `dims` has not one entry per axis;
    /// [`NotAPermutation`](Kind::NotAPermutation) if an entry of `dims` is repeated or out of
    /// range; [`LengthMismatch`](Kind::LengthMismatch) if an extent is neither 1 nor that of the
    /// axis it lies along; [`SizeOverflow`](Kind::SizeOverflow).
    pub fn expand<S: Dimension>(
        &self,
        shape: S::Shape,
        dims: &[usize],
    ) -> Result<Layout<S>, LayoutError> {
        let strides = expand_strides(self.shape(), self.strides(), shape.as_ref(), dims)?;
        Ok(self.with_axes(shape, &strides).settled())
    }
}

/// The strides of [`Layout::expand`], for a layout of shape `from` and these strides in a result of
/// shape `to`.
///
/// ```
/// assert_eq!(&ndcore::expand_strides(&[3, 1], &[4, 1], &[2, 3, 5], &[1, 2]).unwrap()[..], [0, 4, 0]);
/// ```
///
/// # Errors
/// As for [`Layout::expand`].
pub fn expand_strides(
    from: &[usize],
    strides: &[isize],
    to: &[usize],
    dims: &[usize],
) -> Result<Axes<isize>, LayoutError> {
    size_of_shape(to)?;
    if dims.len() != from.len() {
        return Err(Kind::RankMismatch { expected: from.len(), found: dims.len() }.into());
    }
    let mut expanded = Axes::filled(0, to.len());
    let mut named = 0_u32;
    for (axis, &dim) in dims.iter().enumerate() {
        if dim >= to.len() || named & (1 << dim) != 0 {
            return Err(Kind::NotAPermutation { axes: List::of(&dims), ndim: to.len() }.into());
        }
        named |= 1 << dim;
        if from[axis] == 1 {
            continue;
        }
        if from[axis] != to[dim] {
            return Err(Kind::LengthMismatch {
                shape: List::of(&to),
                needed: to[dim],
                found: from[axis],
            }
            .into());
        }
        expanded[dim] = strides[axis];
    }
    Ok(expanded)
}

/// Every `step`-th index of a range along an axis of this stride: how many there are, the first of
/// them, and the stride between them.
#[inline]
pub(crate) fn every(range: Range<usize>, step: isize, stride: isize) -> (usize, usize, isize) {
    let len = range.end - range.start;
    // Most steps are 1, and a division takes longer than all the rest.
    let extent = if step == 1 { len } else { len.div_ceil(step.unsigned_abs()) };
    let first = if step > 0 { range.start } else { range.end.wrapping_sub(1) };
    // With one element the stride is never used, and the product might not fit.
    let stride = if extent <= 1 { 0 } else { stride.wrapping_mul(step) };
    (extent, first, stride)
}

fn not_one_walk(shape: &[usize], strides: &[isize], take: usize, into: usize) -> LayoutError {
    let (shape, strides) = (List::of(shape), List::of(strides));
    Kind::NotOneWalk { take, into, shape, strides }.into()
}

fn not_one(shape: &[usize], axis: usize) -> LayoutError {
    Kind::AxisNotOne { axis, shape: List::of(shape) }.into()
}

#[inline]
pub(super) fn check_permutation(axes: &[usize], ndim: usize) -> Result<(), LayoutError> {
    let mut seen = 0_u32;
    for &axis in axes {
        if axis < ndim {
            seen |= 1 << axis;
        }
    }
    if axes.len() == ndim && seen.count_ones() as usize == ndim {
        Ok(())
    } else {
        Err(not_a_permutation(axes, ndim))
    }
}

#[cold]
#[inline(never)]
fn not_a_permutation(axes: &[usize], ndim: usize) -> LayoutError {
    Kind::NotAPermutation { axes: List::of(&axes), ndim }.into()
}

/// The distance and the stride of what has this shape and these strides as `count` rows of `len` in
/// row-major order, if the axes of a row are one walk, and those before them another one.
#[inline]
fn merged(
    shape: &[usize],
    strides: &[isize],
    (count, len): (usize, usize),
) -> Option<(isize, isize)> {
    let mut axes = shape.iter().zip(strides).rev();
    let mut walk = |all: usize| {
        let (mut own, mut stride) = (1, 1);
        while own < all {
            let (&extent, &step) = axes.next()?;
            match own {
                _ if extent == 1 => continue,
                1 => stride = step,
                own if step == stride.wrapping_mul(own as isize) => {}
                _ => return None,
            }
            own *= extent;
        }
        (own == all).then_some(stride)
    };
    let (stride, distance) = (walk(len)?, walk(count)?);
    (axes.all(|(&extent, _)| extent == 1)).then_some((distance, stride))
}
