//! [`RowsMut`]: rows of unit stride that lie at equal distances, to be written.

use super::LinesMut;
use super::slabs::SLABS;
use std::marker::PhantomData;

/// Rows of one length, at equal distances, to be written: of a slice, a matrix, or loops; or of
/// several matrices, at places of which there is a list.
///
/// I10: for `'a`, nobody else reaches the elements of a row, and no two rows share one; they are in
/// bounds.
#[derive(Debug)]
pub struct RowsMut<'a, T> {
    first: *mut T,
    distance: isize,
    count: usize,
    len: usize,
    /// Where such rows begin, of several matrices, from the first row on.
    slabs: &'a [isize],
    elements: PhantomData<&'a mut [T]>,
}

impl<'a, T> From<&'a mut [T]> for RowsMut<'a, T> {
    /// One row.
    #[inline(always)]
    fn from(slice: &'a mut [T]) -> Self {
        RowsMut::at(slice.as_mut_ptr(), 0, 1, slice.len())
    }
}

impl<'a, T> RowsMut<'a, T> {
    /// I10 is the caller's.
    #[inline(always)]
    pub(super) fn at(first: *mut T, distance: isize, count: usize, len: usize) -> Self {
        RowsMut { first, distance, count, len, slabs: &[], elements: PhantomData }
    }

    /// The same rows of matrices at these places, from the first row on. I10 is the caller's.
    #[inline(always)]
    pub(super) fn at_slabs(self, slabs: &'a [isize]) -> Self {
        RowsMut { slabs, ..self }
    }

    /// How many matrices there are.
    #[inline(always)]
    pub fn slabs(&self) -> usize {
        self.slabs.len().max(1)
    }

    /// The rows of one of the matrices.
    ///
    /// # Panics
    /// If there is none of this number.
    #[inline(always)]
    pub fn slab(&mut self, number: usize) -> RowsMut<'_, T> {
        assert!(number < self.slabs(), "a matrix of as many as there are");
        let place = if self.slabs.is_empty() { 0 } else { self.slabs[number] };
        // I10: they are some of these.
        RowsMut::at(self.first.wrapping_offset(place), self.distance, self.count, self.len)
    }

    /// How many rows there are, of each matrix.
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

    /// So many rows of equal length, if this is one row.
    ///
    /// # Panics
    /// If it has another number of elements.
    #[inline(always)]
    pub fn cut(self, count: usize, len: usize) -> Self {
        if self.count != 1 {
            return self;
        }
        assert!(count.checked_mul(len) == Some(self.len), "as many elements in all");
        // I10: they are parts of the one row.
        RowsMut::at(self.first, len as isize, count, len)
    }

    /// So many matrices of equal size, each as one row, if this is one row; a list is to hold where
    /// they are.
    ///
    /// # Panics
    /// If they are more than [`SLABS`], or do not divide it.
    #[inline]
    pub fn in_slabs(self, count: usize, places: &'a mut [isize; SLABS]) -> Self {
        if count <= 1 || self.count != 1 {
            return self;
        }
        let len = self.len / count;
        assert!(len * count == self.len && count <= SLABS, "matrices of equal size");
        for (number, place) in places[..count].iter_mut().enumerate() {
            *place = (number * len) as isize;
        }
        // I10: they are parts of the one row.
        RowsMut { slabs: &places[..count], ..RowsMut::at(self.first, 0, 1, len) }
    }

    /// The rows of the first matrix, element by element.
    #[inline(always)]
    pub fn lines(self) -> LinesMut<'a, T> {
        // I10: they are these.
        let count = if self.len > 0 { self.count } else { 0 };
        LinesMut::new(self.first, (self.distance, count), (1, self.len))
    }

    /// A row, of the first matrix.
    ///
    /// # Panics
    /// If there is none of this number.
    #[inline(always)]
    pub fn row(&mut self, number: usize) -> &mut [T] {
        assert!(number < self.count, "a row of as many as there are");
        let first = self.first.wrapping_offset(self.distance.wrapping_mul(number as isize));
        // SAFETY: by I10; exclusive while this is borrowed.
        unsafe { std::slice::from_raw_parts_mut(first, self.len) }
    }
}
