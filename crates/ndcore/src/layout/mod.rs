//! [`Layout`]: where the elements of an array lie, as numbers. No element, no memory, no unsafe.
//!
//! Every operation here that derives a layout from another one keeps to the places the first one
//! reaches: it selects, reorders, groups or repeats them, and never adds one (`change.rs`).
//! The folder `raw` builds on that.

mod change;

use change::check_permutation;
pub(crate) use change::every;
pub use change::expand_strides;

use crate::axes::Axes;
use crate::dimension::Dimension;
use crate::error::{LayoutError, LayoutErrorKind as Kind};
use crate::list::List;
use std::ops::Range;

/// Shape, strides and the place of the first element, all in elements.
///
/// The element with index `i` lies at `offset + i[0] * strides[0] + i[1] * strides[1] + ..`.
/// Strides may be negative (a reversed axis) or zero (a repeated one).
///
/// ```
/// use ndcore::{Layout, Rank};
/// let rows: Layout<Rank<2>> = Layout::c_order([2, 3]).unwrap();
/// assert_eq!(rows.strides(), [3, 1]);
/// let columns = rows.permute(&[1, 0]).unwrap();
/// assert_eq!((columns.shape(), columns.strides()), (&[3, 2][..], &[1, 3][..]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout<R: Dimension> {
    shape: R::Shape,
    strides: R::Strides,
    offset: usize,
}

/// The number of elements of a shape, if it and the products of all its non-zero extents can be a
/// size in memory.
///
/// ```
/// assert_eq!(ndcore::size_of_shape(&[2, 3]).unwrap(), 6);
/// assert_eq!(ndcore::size_of_shape(&[0, 3]).unwrap(), 0);
/// assert!(ndcore::size_of_shape(&[usize::MAX, 3]).is_err());
/// ```
///
/// # Errors
/// [`SizeOverflow`](Kind::SizeOverflow) if the product of the non-zero extents is above
/// `isize::MAX`.
#[inline]
pub fn size_of_shape(shape: &[usize]) -> Result<usize, LayoutError> {
    // The zero extents are left out of the check so that every sub-shape is known to be sound, too.
    let (mut product, mut empty) = (1_usize, false);
    for &extent in shape {
        empty |= extent == 0;
        product = match product.checked_mul(extent.max(1)) {
            Some(product) if product <= isize::MAX as usize => product,
            _ => return Err(size_overflow(shape)),
        };
    }
    Ok(if empty { 0 } else { product })
}

#[cold]
#[inline(never)]
fn size_overflow(shape: &[usize]) -> LayoutError {
    Kind::SizeOverflow { shape: List::of(&shape) }.into()
}

impl<R: Dimension> Layout<R> {
    /// Row-major (C) order from offset 0: the last axis has stride 1.
    ///
    /// # Errors
    /// [`SizeOverflow`](Kind::SizeOverflow).
    #[inline]
    pub fn c_order(shape: R::Shape) -> Result<Self, LayoutError> {
        Self::packed(shape, |number, ndim| ndim - 1 - number)
    }

    /// Column-major (Fortran) order from offset 0: the first axis has stride 1.
    ///
    /// # Errors
    /// [`SizeOverflow`](Kind::SizeOverflow).
    #[inline]
    pub fn f_order(shape: R::Shape) -> Result<Self, LayoutError> {
        Self::packed(shape, |number, _| number)
    }

    /// Without gaps, the axes nested in the given order: `outer_to_inner` lists each axis once.
    ///
    /// # Errors
    /// [`SizeOverflow`](Kind::SizeOverflow); [`NotAPermutation`](Kind::NotAPermutation).
    pub fn nested(shape: R::Shape, outer_to_inner: &[usize]) -> Result<Self, LayoutError> {
        check_permutation(outer_to_inner, shape.as_ref().len())?;
        Self::packed(shape, |number, ndim| outer_to_inner[ndim - 1 - number])
    }

    /// The same layout, whose strides along axes of extent 1, which lead nowhere, are those of
    /// row-major order: so that they do not tell how a result was computed.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn with_units_settled(mut self) -> Self {
        let mut below = 1_isize;
        for (stride, &extent) in self.strides.as_mut().iter_mut().zip(self.shape.as_ref()).rev() {
            if extent == 1 {
                *stride = below;
            }
            below = below.wrapping_mul(extent.max(1) as isize);
        }
        self
    }

    /// Without gaps, by a function that says which axis is the one of a number, from the inside to
    /// the outside, of so many.
    #[inline]
    fn packed(
        shape: R::Shape,
        axis_of: impl Fn(usize, usize) -> usize,
    ) -> Result<Self, LayoutError> {
        let extents = shape.as_ref();
        size_of_shape(extents)?;
        let mut strides = R::zero_strides(extents.len());
        let (mut stride, mut number) = (1_usize, 0);
        while number < extents.len() {
            let axis = axis_of(number, extents.len());
            strides.as_mut()[axis] = stride as isize;
            stride *= extents[axis].max(1);
            number += 1;
        }
        Ok(Layout { shape, strides, offset: 0 })
    }

    /// A layout from offset 0 with this shape and these strides, but along axes of extent 1 those
    /// of [`with_units_settled`](Self::with_units_settled), if they leave no gaps.
    #[doc(hidden)]
    #[inline]
    pub fn without_gaps(shape: &[usize], strides: &[isize]) -> Option<Self> {
        let mut own = R::zero_strides(shape.len());
        if own.as_ref().len() != strides.len() {
            return None;
        }
        let (mut below, mut row_major) = (1_usize, true);
        let axes = shape.iter().zip(strides).zip(own.as_mut().iter_mut());
        for ((&extent, &stride), own) in axes.rev() {
            *own = if extent == 1 { below as isize } else { stride };
            row_major &= *own == below as isize;
            below = below.checked_mul(extent)?;
        }
        let layout = Layout { shape: R::shape(shape).ok()?, strides: own, offset: 0 };
        (below > 0 && below <= isize::MAX as usize && (row_major || layout.is_contiguous()))
            .then_some(layout)
    }

    /// Any layout over data of `len` elements.
    ///
    /// # Errors
    /// [`RankMismatch`](Kind::RankMismatch) if the number of strides is not the rank;
    /// [`SizeOverflow`](Kind::SizeOverflow); [`OutOfReach`](Kind::OutOfReach) if some index leaves
    /// the data. A layout without elements reaches nothing, whatever its strides and offset.
    #[inline]
    pub fn strided(
        shape: R::Shape,
        strides: &[isize],
        offset: usize,
        len: usize,
    ) -> Result<Self, LayoutError> {
        let ndim = shape.as_ref().len();
        if strides.len() != ndim {
            return Err(Kind::RankMismatch { expected: ndim, found: strides.len() }.into());
        }
        let mut own = R::zero_strides(ndim);
        own.as_mut().copy_from_slice(strides);
        let mut layout = Layout { shape, strides: own, offset };
        if size_of_shape(shape.as_ref())? == 0 {
            layout.offset = 0;
        }
        layout.check_reach(len)?;
        Ok(layout)
    }

    /// Refuses a layout that reaches outside data of `len` elements.
    ///
    /// # Errors
    /// [`OutOfReach`](Kind::OutOfReach).
    #[inline]
    pub fn check_reach(&self, len: usize) -> Result<(), LayoutError> {
        if self.is_within(len.min(isize::MAX as usize)) {
            Ok(())
        } else {
            Err(self.out_of_reach(len))
        }
    }

    /// Whether every element lies in `0..len`. `len` is at most `isize::MAX`.
    #[inline]
    pub(crate) fn is_within(&self, len: usize) -> bool {
        if self.offset >= len {
            return self.is_empty();
        }
        self.left_beside((self.offset, len - 1 - self.offset)).is_some() || self.is_empty()
    }

    /// How many places are left below and above what the axes reach, of so many below and above the
    /// first element.
    #[inline]
    pub(crate) fn left_beside(&self, room: (usize, usize)) -> Option<(usize, usize)> {
        let (mut below, mut above) = room;
        let (shape, strides) = (self.shape(), self.strides());
        let mut axis = 0;
        while axis < shape.len() {
            // Of an extent of 0 the last index wraps to one that fits nowhere, or to no step.
            let (last, stride) = (shape[axis].wrapping_sub(1), strides[axis]);
            let reach = last.checked_mul(stride.unsigned_abs())?;
            let side = if stride >= 0 { &mut above } else { &mut below };
            *side = side.checked_sub(reach)?;
            axis += 1;
        }
        Some((below, above))
    }

    #[cold]
    #[inline(never)]
    fn out_of_reach(self, len: usize) -> LayoutError {
        out_of_reach(self.shape(), self.strides(), self.offset, len)
    }

    /// Refuses a layout by which two indices could reach one element.
    ///
    /// The exact question is hard (it is a knapsack problem), so this asks for a little more: with
    /// the axes sorted by stride, each stride is larger than all that the axes below it reach
    /// together. Whatever slicing and permuting makes of an array fulfils it.
    ///
    /// # Errors
    /// [`Aliased`](Kind::Aliased).
    pub fn check_unique(&self) -> Result<(), LayoutError> {
        check_unique(self.shape(), self.strides())
    }

    /// The smallest range of places that holds every element; `None` if it overflows or starts
    /// below 0.
    pub fn hull(&self) -> Option<Range<usize>> {
        hull(self.shape(), self.strides(), self.offset)
    }

    /// The parts of a layout as one. Whoever makes a view of it checks its reach.
    #[inline]
    pub(crate) fn of(shape: R::Shape, strides: R::Strides, offset: usize) -> Self {
        Layout { shape, strides, offset }.settled()
    }

    /// Whether this may be the layout of an array of memory of so many elements: see I7.
    ///
    /// # Errors
    /// [`OutOfReach`](Kind::OutOfReach), [`Aliased`](Kind::Aliased).
    // By value: who looks at a layout after its address was handed on finds it in memory.
    #[cold]
    #[inline(never)]
    pub(crate) fn check_owned(self, len: usize) -> Result<(), LayoutError> {
        self.check_reach(len)?;
        // What is without gaps, which is seen sooner, reaches nothing twice.
        if self.is_contiguous() { Ok(()) } else { self.check_unique() }
    }

    /// The same layout, from offset 0 on if it has no elements: then its place means nothing, and
    /// might lie outside of the memory.
    #[inline]
    pub(crate) fn settled(mut self) -> Self {
        if self.is_empty() {
            self.offset = 0;
        }
        self
    }

    /// The extents.
    #[inline]
    pub fn shape(&self) -> &[usize] {
        self.shape.as_ref()
    }

    /// The extents, in the rank's own type.
    #[inline]
    pub fn raw_shape(&self) -> R::Shape {
        self.shape
    }

    /// The strides, in the rank's own type.
    #[inline]
    pub(crate) fn raw_strides(&self) -> R::Strides {
        self.strides
    }

    /// The strides, in elements.
    #[inline]
    pub fn strides(&self) -> &[isize] {
        self.strides.as_ref()
    }

    /// Where the first element lies.
    #[inline]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The number of axes.
    #[inline]
    pub fn ndim(&self) -> usize {
        self.shape().len()
    }

    /// The number of elements.
    #[inline]
    pub fn size(&self) -> usize {
        let shape = self.shape();
        let (mut size, mut axis) = (1_usize, 0);
        while axis < shape.len() {
            // Cannot overflow: every constructor checked the product of the non-zero extents.
            size *= shape[axis];
            axis += 1;
        }
        size
    }

    /// Whether there are no elements.
    #[inline]
    pub fn is_empty(&self) -> bool {
        let shape = self.shape();
        let mut axis = 0;
        while axis < shape.len() {
            if shape[axis] == 0 {
                return true;
            }
            axis += 1;
        }
        false
    }

    /// Whether the elements lie side by side in row-major (C) order.
    #[inline]
    pub fn is_c_contiguous(&self) -> bool {
        let (shape, strides) = (self.shape(), self.strides());
        let (mut expected, mut axis) = (1, shape.len());
        while axis > 0 {
            axis -= 1;
            if shape[axis] != 1 {
                if strides[axis] != expected {
                    return self.is_empty();
                }
                expected = expected.wrapping_mul(shape[axis] as isize);
            }
        }
        true
    }

    /// Whether the elements lie side by side in column-major (Fortran) order.
    #[inline]
    pub fn is_f_contiguous(&self) -> bool {
        let (mut expected, mut packed, mut empty) = (1, true, false);
        for (&extent, &stride) in self.shape().iter().zip(self.strides()) {
            packed &= extent == 1 || stride == expected;
            empty |= extent == 0;
            expected = expected.wrapping_mul(extent as isize);
        }
        packed || empty
    }

    /// Whether the elements lie side by side in the order of some permutation of the axes.
    #[inline]
    pub fn is_contiguous(&self) -> bool {
        // A vector has no other order.
        self.is_c_contiguous()
            || (R::NDIM != Some(1) && self.spans_its_size() && self.is_permuted_contiguous())
    }

    #[inline]
    fn is_permuted_contiguous(&self) -> bool {
        // Copies: a call that might keep a reference to a layout would keep that in memory all the
        // time.
        let (shape, strides) = (self.shape, self.strides);
        is_permuted_contiguous(shape.as_ref(), strides.as_ref())
    }

    /// Whether the places reached, if the axes go forwards, are as many as the elements: no more
    /// than a first look.
    #[inline]
    fn spans_its_size(&self) -> bool {
        let (mut span, mut size) = (0_usize, 1_usize);
        for (&extent, &stride) in self.shape().iter().zip(self.strides()) {
            if extent == 0 {
                return true;
            }
            span = span.wrapping_add((extent - 1).wrapping_mul(stride as usize));
            size = size.wrapping_mul(extent);
        }
        span.wrapping_add(1) == size
    }

    /// The place and the length of a row of rank 2, if its elements lie side by side.
    #[inline]
    pub(crate) fn line(&self, row: usize) -> Option<(usize, usize)> {
        let (&[rows, len], &[pitch, stride]) = (self.shape(), self.strides()) else {
            return None;
        };
        let unit = stride == 1 || len == 1;
        let place = (self.offset as isize).wrapping_add((row as isize).wrapping_mul(pitch));
        (row < rows && unit).then_some((place as usize, len))
    }

    /// The place of an index, or `None` if the index does not fit the shape.
    #[inline]
    pub fn place(&self, index: &[usize]) -> Option<usize> {
        let (shape, strides) = (self.shape(), self.strides());
        if index.len() != shape.len() || index.len() != strides.len() {
            return None;
        }
        let (mut place, mut axis) = (self.offset, 0);
        while axis < index.len() {
            if index[axis] >= shape[axis] {
                return None;
            }
            place = place.wrapping_add(index[axis].wrapping_mul(strides[axis] as usize));
            axis += 1;
        }
        Some(place)
    }

    /// The place of an index of the layout; of any other, some place.
    #[inline]
    pub(crate) fn place_unchecked(&self, index: &[usize]) -> usize {
        let steps = index.iter().zip(self.strides());
        steps.fold(self.offset, |place, (index, stride)| {
            place.wrapping_add(index.wrapping_mul(*stride as usize))
        })
    }

    #[inline]
    pub(crate) fn check_axis(&self, axis: usize) -> Result<(), LayoutError> {
        if axis < self.ndim() { Ok(()) } else { Err(self.no_axis(axis)) }
    }

    // By value, here and below: an array whose layout a call was told the address of has it read
    // again for each element of the loops that follow (over `d[[i, j]]`: half as long again).
    #[cold]
    #[inline(never)]
    pub(crate) fn no_axis(self, axis: usize) -> LayoutError {
        no_axis(self.shape(), axis)
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn no_index(self, axis: usize, index: isize) -> LayoutError {
        no_index(self.shape(), axis, index)
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn no_range(self, axis: usize, start: isize, end: isize) -> LayoutError {
        no_range(self.shape(), axis, start, end)
    }
}

// What follows knows no rank: it is compiled here, and not once for each rank where it is used.

/// As [`Layout::check_unique`].
fn check_unique(shape: &[usize], strides: &[isize]) -> Result<(), LayoutError> {
    if shape.contains(&0) {
        return Ok(());
    }
    let steps = shape.iter().zip(strides).filter(|(extent, _)| **extent > 1);
    let mut axes: Axes<(usize, usize)> =
        steps.map(|(&extent, stride)| (stride.unsigned_abs(), extent)).collect();
    axes.sort_unstable();
    let mut reach = 0_usize;
    for &(stride, extent) in axes.iter() {
        if stride <= reach {
            let (shape, strides) = (List::of(shape), List::of(strides));
            return Err(Kind::Aliased { shape, strides }.into());
        }
        reach = reach.saturating_add(stride.saturating_mul(extent - 1));
    }
    Ok(())
}

/// As [`Layout::hull`].
fn hull(shape: &[usize], strides: &[isize], offset: usize) -> Option<Range<usize>> {
    if shape.contains(&0) {
        return Some(0..0);
    }
    let first = isize::try_from(offset).ok()?;
    let (mut low, mut high) = (first, first);
    for (&extent, &stride) in shape.iter().zip(strides) {
        let reach = isize::try_from(extent - 1).ok()?.checked_mul(stride)?;
        if reach < 0 {
            low = low.checked_add(reach)?;
        } else {
            high = high.checked_add(reach)?;
        }
    }
    Some(usize::try_from(low).ok()?..usize::try_from(high).ok()?.checked_add(1)?)
}

/// Whether elements lie side by side in the order of some permutation of the axes.
#[inline(never)]
fn is_permuted_contiguous(shape: &[usize], strides: &[isize]) -> bool {
    let (mut expected, mut left) = (1, 0);
    for &extent in shape {
        if extent == 0 {
            return true;
        }
        left += usize::from(extent != 1);
    }
    // From the inside to the outside; no two are equal, because each one is longer than all before.
    while left > 0 {
        let axes = shape.iter().zip(strides);
        let Some((&extent, _)) =
            axes.filter(|(extent, _)| **extent != 1).find(|axis| *axis.1 == expected)
        else {
            return false;
        };
        expected = expected.wrapping_mul(extent as isize);
        left -= 1;
    }
    true
}

fn out_of_reach(shape: &[usize], strides: &[isize], offset: usize, len: usize) -> LayoutError {
    Kind::OutOfReach { shape: List::of(shape), strides: List::of(strides), offset, len }.into()
}

fn no_axis(shape: &[usize], axis: usize) -> LayoutError {
    Kind::AxisOutOfRange { axis, shape: List::of(shape) }.into()
}

fn no_index(shape: &[usize], axis: usize, index: isize) -> LayoutError {
    Kind::IndexOutOfRange { index, axis, shape: List::of(shape) }.into()
}

fn no_range(shape: &[usize], axis: usize, start: isize, end: isize) -> LayoutError {
    Kind::SliceOutOfRange { start, end, axis, shape: List::of(shape) }.into()
}

/// How the axes of a shape become loops: in which order, which of them backwards, which two as one.
///
/// Only a description: [`View::nested`](crate::View::nested) applies it, and by doing so proves
/// that it fits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nest {
    /// The axes from the outermost loop to the innermost. Axes of extent 1 may be left out.
    pub order: Axes<u8>,
    /// Bit `a`: axis `a` is walked from its last index to its first.
    pub flips: u32,
    /// Bit `p`: the loop at position `p` of `order` is joined to the one before it. Bit 0 is never
    /// set.
    pub joins: u32,
}

#[cold]
#[inline(never)]
pub(crate) fn zero_step() -> LayoutError {
    Kind::ZeroStep.into()
}

#[cold]
#[inline(never)]
pub(crate) fn rank_mismatch(expected: usize, found: usize) -> LayoutError {
    Kind::RankMismatch { expected, found }.into()
}

#[cold]
#[inline(never)]
pub(crate) fn rank_too_high(ndim: usize) -> LayoutError {
    Kind::RankTooHigh { ndim }.into()
}
