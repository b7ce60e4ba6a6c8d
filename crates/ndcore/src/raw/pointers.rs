//! Views of memory of which only an address is known.

use super::{Memory, View, ViewMut};
use crate::dimension::{Dimension, IntoLayout, IntoShape};
use crate::element::Item;
use crate::error::{LayoutError, LayoutErrorKind};
use crate::layout::Layout;
use crate::list::List;
use std::ptr::NonNull;

impl<'a, T: Item, R: Dimension, E> View<'a, T, R, E> {
    /// A view of elements of which only the address is known: that of the one with index 0, and the
    /// strides, in elements, by which the others lie from there. For memory of other libraries;
    /// [`from_strided`](Self::from_strided) is the checked way for slices.
    ///
    /// # Errors
    /// [`RankMismatch`](crate::LayoutErrorKind::RankMismatch),
    /// [`SizeOverflow`](crate::LayoutErrorKind::SizeOverflow) if elements would lie further apart
    /// than memory reaches.
    ///
    /// # Safety
    /// If there are elements, all that these strides reach lie in one allocation, aligned, and for
    /// `'a` they are initialised and written by nobody.
    ///
    /// ```
    /// use ndcore::View2;
    /// let data = [1, 2, 3, 4, 5, 6];
    /// // SAFETY: from the last element backwards, all six are reached.
    /// let view: View2<i32> = unsafe { View2::from_raw(&data[5], [2, 3], &[-3, -1])? };
    /// assert_eq!(view.to_vec(), [6, 5, 4, 3, 2, 1]);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    pub unsafe fn from_raw<S: IntoShape<Rank = R>>(
        first: *const T,
        shape: S,
        strides: &[isize],
    ) -> Result<Self, LayoutError> {
        let (memory, layout) = raw_parts(first.cast_mut(), shape.into_shape()?, strides)?;
        Ok(View::of_memory(memory, layout))
    }
}

/// The memory that a layout reaches from an address on, and the layout over it.
fn raw_parts<'a, T, R: Dimension>(
    first: *mut T,
    shape: R::Shape,
    strides: &[isize],
) -> Result<(Memory<'a, T>, Layout<R>), LayoutError> {
    let overflow = || LayoutErrorKind::SizeOverflow { shape: List::of(&shape.as_ref()) };
    let (mut below, mut above) = (0_usize, 0_usize);
    let empty = shape.as_ref().contains(&0);
    if !empty {
        for (&extent, &stride) in shape.as_ref().iter().zip(strides) {
            let side = if stride < 0 { &mut below } else { &mut above };
            let reach = (extent - 1).checked_mul(stride.unsigned_abs());
            *side = reach.and_then(|reach| side.checked_add(reach)).ok_or_else(overflow)?;
        }
    }
    let len = if empty { 0 } else { below.saturating_add(above).saturating_add(1) };
    let bytes = len.checked_mul(size_of::<T>().max(1));
    bytes.filter(|bytes| *bytes <= isize::MAX as usize).ok_or_else(overflow)?;
    let layout = Layout::strided(shape, strides, below, len)?;
    let start = if empty { std::ptr::dangling_mut() } else { first.wrapping_sub(below) };
    let Some(start) = NonNull::new(start) else {
        return Err(LayoutErrorKind::OutOfReach {
            shape: List::of(&shape.as_ref()),
            strides: List::of(&strides),
            offset: below,
            len: 0,
        }
        .into());
    };
    Ok((Memory::of(NonNull::slice_from_raw_parts(start, len)), layout))
}

impl<'a, T: Item, R: Dimension, E> ViewMut<'a, T, R, E> {
    /// As [`View::from_raw`], for writing.
    ///
    /// # Errors
    /// As there, and [`Aliased`](crate::LayoutErrorKind::Aliased).
    ///
    /// # Safety
    /// As there, and for `'a` nobody else reads or writes these elements.
    pub unsafe fn from_raw<S: IntoShape<Rank = R>>(
        first: *mut T,
        shape: S,
        strides: &[isize],
    ) -> Result<Self, LayoutError> {
        let (memory, layout) = raw_parts(first, shape.into_shape()?, strides)?;
        layout.check_unique()?;
        // SAFETY: the layout reaches only this memory (I1, checked when it was made) and no element
        // twice (I3); the rest is the caller's promise (I2).
        Ok(unsafe { ViewMut::of_memory(memory, layout) })
    }
}

impl<'a, T: Item, R: Dimension, E> View<'a, T, R, E> {
    /// A view of elements without gaps that a pointer leads to, in row-major order, or in
    /// column-major order for a shape with [`f()`](crate::ShapeBuilder::f).
    ///
    /// # Safety
    /// As for [`from_raw`](Self::from_raw).
    ///
    /// # Errors
    /// [`SizeOverflow`](crate::LayoutErrorKind::SizeOverflow),
    /// [`RankTooHigh`](crate::LayoutErrorKind::RankTooHigh).
    ///
    /// ```
    /// let data = [1, 2, 3, 4];
    /// // SAFETY: as many elements lie there.
    /// let matrix = unsafe { ndcore::View2::from_shape_ptr((2, 2), data.as_ptr()) }?;
    /// assert_eq!(matrix[(1, 0)], 3);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    pub unsafe fn from_shape_ptr<S: IntoLayout<Rank = R>>(
        shape: S,
        pointer: *const T,
    ) -> Result<Self, LayoutError> {
        let layout = shape.into_layout()?;
        // SAFETY: the caller's promise.
        unsafe { Self::from_raw(pointer, layout.raw_shape(), layout.strides()) }
    }
}

impl<'a, T: Item, R: Dimension, E> ViewMut<'a, T, R, E> {
    /// As [`View::from_shape_ptr`], for writing.
    ///
    /// # Safety
    /// As for [`from_raw`](Self::from_raw).
    ///
    /// # Errors
    /// As for [`View::from_shape_ptr`].
    pub unsafe fn from_shape_ptr<S: IntoLayout<Rank = R>>(
        shape: S,
        pointer: *mut T,
    ) -> Result<Self, LayoutError> {
        let layout = shape.into_layout()?;
        // SAFETY: the caller's promise.
        unsafe { Self::from_raw(pointer, layout.raw_shape(), layout.strides()) }
    }
}
