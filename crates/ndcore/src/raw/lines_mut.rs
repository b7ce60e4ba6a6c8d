//! [`LinesMut`]: rows of any stride that lie at equal distances, to be written.

use std::marker::PhantomData;

/// Rows of one length and one stride, at equal distances, to be written.
///
/// I10: for `'a`, nobody else reaches the elements of a row, and no two rows share one; they are in
/// bounds.
#[derive(Debug)]
pub struct LinesMut<'a, T> {
    first: *mut T,
    distance: isize,
    count: usize,
    stride: isize,
    len: usize,
    elements: PhantomData<&'a mut [T]>,
}

impl<T> LinesMut<'_, T> {
    /// Their transpose.
    #[inline(always)]
    #[must_use]
    pub fn t(self) -> Self {
        // I10: the same elements.
        LinesMut {
            distance: self.stride,
            count: self.len,
            stride: self.distance,
            len: self.count,
            ..self
        }
    }

    /// So many rows this far apart, and so many elements of each, that far apart. I10 is the
    /// caller's.
    #[inline(always)]
    pub(super) fn new(
        first: *mut T,
        (distance, count): (isize, usize),
        (stride, len): (isize, usize),
    ) -> Self {
        LinesMut { first, distance, count, stride, len, elements: PhantomData }
    }

    /// How many rows there are.
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The elements of a row.
    #[inline(always)]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// An element of a row.
    ///
    /// # Panics
    /// If there is none of these numbers.
    #[inline(always)]
    pub fn slot(&mut self, row: usize, i: usize) -> &mut T {
        assert!(row < self.count && i < self.len, "an element of a row of as many as there are");
        let row = self.first.wrapping_offset(self.distance.wrapping_mul(row as isize));
        // SAFETY: by I10; exclusive while this is borrowed.
        unsafe { &mut *row.wrapping_offset(self.stride.wrapping_mul(i as isize)) }
    }
}
