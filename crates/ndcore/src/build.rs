//! Arrays that are computed into memory of their own, with proof that all of it was written.

use crate::array::Array;
use crate::buffer::Buffer;
use crate::dimension::Dimension;
use crate::element::Element;
use crate::error::LayoutError;
use crate::layout::Layout;
use crate::raw::{Filled, ViewMut, fill_rows};
use std::mem::MaybeUninit;

impl<T: Element, R: Dimension, E> Array<T, R, E> {
    /// A new array of this layout, filled by a function: it gets the elements as slots that need
    /// not be initialised, and returns the proof that it has filled them all.
    ///
    /// The layout has no gaps. Large arrays may lie in memory that a dropped one had.
    ///
    /// # Errors
    /// Those of the function; [`AllocationFailed`](crate::LayoutErrorKind::AllocationFailed);
    /// [`OutOfReach`](crate::LayoutErrorKind::OutOfReach) or
    /// [`Aliased`](crate::LayoutErrorKind::Aliased) if the layout has gaps or repeats.
    ///
    /// # Panics
    /// If the proof is not that of all elements of this array.
    #[inline]
    pub fn build<Err: From<LayoutError>>(
        layout: Layout<R>,
        fill: impl for<'b> FnOnce(ViewMut<'b, MaybeUninit<T>, R, E>) -> Result<Filled<'b>, Err>,
    ) -> Result<Self, Err> {
        const ALL: &str = "every element of a new array is filled";
        let mut fresh = Array::uninit_in(layout)?;
        let view = fresh.view_mut();
        let place = view.place_of_filled();
        assert!(place.is_all(&fill(view)?), "{ALL}");
        // SAFETY: by I6 the proof counts elements of this array, each once, and it counts all.
        Ok(unsafe { fresh.assume_init() })
    }

    /// As [`build`](Self::build), for few elements, in the order of memory: the function returns
    /// the slots that it is given, initialised.
    ///
    /// # Errors
    /// As for [`build`](Self::build).
    ///
    /// # Panics
    /// If the function returns other slots.
    #[inline]
    pub fn build_flat<Err: From<LayoutError>>(
        layout: Layout<R>,
        fill: impl FnOnce(&mut [MaybeUninit<T>]) -> Result<&mut [T], Err>,
    ) -> Result<Self, Err> {
        // The shape by itself: of a layout that a call might look at, which lies in memory, the
        // parts would be waited for when it is moved.
        let (len, shape) = (layout.size(), layout.raw_shape());
        let mut data = Buffer::reserved(len, shape.as_ref())?;
        let slots = &mut data.spare_capacity_mut()[..len];
        let first = slots.as_ptr().cast::<T>();
        let filled = fill(slots)?;
        assert!(filled.as_ptr() == first && filled.len() == len, "the slots, initialised");
        // SAFETY: there is room for as many, and all of them came back as what is initialised.
        unsafe { data.set_len(len) };
        Self::from_flat(layout, data)
    }

    /// As [`build_flat`](Self::build_flat), by rows of so many elements, of which the last may be
    /// shorter: the function returns the slots of the row whose number it is given, initialised.
    ///
    /// # Errors
    /// As for [`build`](Self::build).
    ///
    /// # Panics
    /// If the function returns other slots, or rows have no elements.
    #[inline]
    pub fn build_rows<Err: From<LayoutError>>(
        layout: Layout<R>,
        len: usize,
        fill: impl FnMut(usize, &mut [MaybeUninit<T>]) -> Result<&mut [T], Err>,
    ) -> Result<Self, Err> {
        Self::build_flat(layout, |slots| fill_rows(slots, len, fill))
    }
}
