//! [`Spaced`]: elements that lie at equal distances.

use super::{Memory, View};
use crate::dimension::Dimension;
use crate::element::Element;

/// The elements of a view that lie at equal distances in memory, as loops read them: a column, a
/// diagonal, every other element.
#[derive(Clone, Copy, Debug)]
pub struct Spaced<'a, T> {
    memory: Memory<'a, T>,
    /// I8: the layout of a view of this memory reaches the `len` places from this one on.
    place: usize,
    stride: isize,
    len: usize,
}

impl<'a, T: Element, R: Dimension, E> View<'a, T, R, E> {
    /// The elements in logical order, if there are some and they lie at equal distances.
    #[doc(hidden)]
    #[inline]
    pub fn spaced(&self) -> Option<Spaced<'a, T>> {
        let (mut len, mut stride) = (1_usize, 1_isize);
        for (&extent, &outer) in self.shape().iter().zip(self.strides()).rev() {
            match (extent, len) {
                (0, _) => return None,
                (1, _) => {}
                (_, 1) => (len, stride) = (extent, outer),
                _ if outer == stride.wrapping_mul(len as isize) => len *= extent,
                _ => return None,
            }
        }
        Some(Spaced { memory: self.memory, place: self.layout().offset(), stride, len })
    }
}

impl<T: Copy> Spaced<'_, T> {
    /// How many there are, at least one.
    #[inline(always)]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Element `i`.
    ///
    /// # Safety
    /// `i` is less than [`len`](Self::len).
    #[inline(always)]
    pub unsafe fn get(&self, i: usize) -> T {
        let place = self.place.wrapping_add_signed(self.stride.wrapping_mul(i as isize));
        // SAFETY: by I8 and the caller's promise a view's layout reaches this place: so it is in
        // bounds (I1) and readable (I2).
        unsafe { *self.memory.reference(place) }
    }
}
