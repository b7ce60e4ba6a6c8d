//! The same bits as elements of another type, where they lie, as the crate `bytemuck` allows it.

use crate::array::Array;
use crate::dimension::Dimension;
use crate::element::Element;
use crate::error::{LayoutError, LayoutErrorKind as Kind};
use crate::layout::Layout;
use crate::list::List;
use crate::raw::{View, ViewMut};
use bytemuck::{AnyBitPattern, NoUninit};

/// The layout of elements of another size over the same memory: the last axis becomes longer or
/// shorter. From the place of the first element on, in elements of the new size.
fn cast_layout<R: Dimension>(
    layout: &Layout<R>,
    from: usize,
    to: usize,
) -> Result<Layout<R>, LayoutError> {
    let refuse =
        || LayoutError::from(Kind::BitcastSize { shape: List::of(&layout.shape()), from, to });
    if from == to {
        return Ok(layout.at(0));
    }
    // Only elements that lie in memory without gaps, in row-major order, are those of a slice.
    if !layout.is_c_contiguous() || from == 0 || to == 0 {
        return Err(refuse());
    }
    let mut shape = layout.raw_shape();
    let last = shape.as_mut().last_mut().ok_or_else(refuse)?;
    let bytes = last.checked_mul(from).ok_or_else(refuse)?;
    if bytes % to != 0 {
        return Err(refuse());
    }
    *last = bytes / to;
    Layout::c_order(shape)
}

impl<'a, T: Element + NoUninit, R: Dimension, E> View<'a, T, R, E> {
    /// The same bits as elements of another type, where they lie. Elements of another size make the
    /// last axis longer or shorter, and have to lie in row-major order.
    ///
    /// # Errors
    /// [`BitcastSize`](Kind::BitcastSize) if the layout does not allow it, or the address does not
    /// suit the new elements.
    ///
    /// ```
    /// let a = ndcore::array![[1.0_f32, -2.0], [0.5, 0.0]];
    /// let bits = a.view().cast_elements::<u32>()?;
    /// assert_eq!(bits[[0, 0]], 1.0_f32.to_bits());
    /// let bytes = a.view().cast_elements::<u8>()?;
    /// assert_eq!(bytes.shape(), [2, 8]);
    /// assert!(a.t().cast_elements::<u32>().is_ok());
    /// assert!(a.t().cast_elements::<u8>().is_err());
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    pub fn cast_elements<U: Element + AnyBitPattern>(
        &self,
    ) -> Result<View<'a, U, R, E>, LayoutError> {
        let refuse = || Kind::BitcastSize {
            shape: List::of(&self.shape()),
            from: size_of::<T>(),
            to: size_of::<U>(),
        };
        let layout = cast_layout(self.layout(), size_of::<T>(), size_of::<U>())?;
        // In the order of memory the elements are a slice; which one is which, the layout says.
        let elements = self.as_slice_memory_order().ok_or_else(refuse)?;
        if elements.is_empty() {
            // Nothing lies anywhere, at an address that may suit `T` only.
            return View::over(&[], layout);
        }
        View::over(bytemuck::try_cast_slice(elements).map_err(|_| refuse())?, layout)
    }
}

impl<'a, T: Element + NoUninit + AnyBitPattern, R: Dimension, E> ViewMut<'a, T, R, E> {
    /// As [`View::cast_elements`], for writing.
    ///
    /// # Errors
    /// As there.
    ///
    /// ```
    /// let mut a = ndcore::array![1_u32, 2];
    /// a.view_mut().cast_elements::<[u8; 4]>()?[[0]] = [0xFF; 4];
    /// assert_eq!(a.to_vec(), [u32::MAX, 2]);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    pub fn cast_elements<U: Element + NoUninit + AnyBitPattern>(
        self,
    ) -> Result<ViewMut<'a, U, R, E>, LayoutError> {
        let shape = List::of(self.shape());
        let refuse = || Kind::BitcastSize { shape, from: size_of::<T>(), to: size_of::<U>() };
        let layout = cast_layout(self.layout(), size_of::<T>(), size_of::<U>())?;
        let Some(elements) = self.into_slice_memory_order() else {
            return Err(refuse().into());
        };
        if elements.is_empty() {
            return ViewMut::over(&mut [], layout);
        }
        match bytemuck::try_cast_slice_mut(elements) {
            Ok(elements) => ViewMut::over(elements, layout),
            Err(_) => Err(refuse().into()),
        }
    }
}

impl<T: Element + NoUninit, R: Dimension, E> Array<T, R, E> {
    /// As [`View::cast_elements`].
    ///
    /// # Errors
    /// As there.
    pub fn cast_elements<U: Element + AnyBitPattern>(
        &self,
    ) -> Result<View<'_, U, R, E>, LayoutError> {
        self.view().cast_elements()
    }
}
