//! [`Runs`]: runs of unit stride that lie at equal distances.

use super::nested::{Nested, place};
use super::{Memory, View};
use crate::MAX_NDIM;
use crate::dimension::Dimension;
use crate::element::Element;
use std::marker::PhantomData;

/// Runs of one length, at equal distances, as loops read them: the rows of a matrix, a row that
/// repeats, a slice.
///
/// I9: the elements of each run are readable for `'a`: the layout of a view reaches them.
#[derive(Debug)]
pub struct Runs<'a, T> {
    first: *const T,
    distance: isize,
    count: usize,
    len: usize,
    elements: PhantomData<&'a [T]>,
}

impl<T> Clone for Runs<'_, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Runs<'_, T> {}

impl<'a, T> From<&'a [T]> for Runs<'a, T> {
    /// One run.
    #[inline(always)]
    fn from(slice: &'a [T]) -> Self {
        let first = slice.as_ptr();
        Runs { first, distance: 0, count: 1, len: slice.len(), elements: PhantomData }
    }
}

impl<'a, T: Element, R: Dimension, E> View<'a, T, R, E> {
    /// The rows of a matrix of `count` rows of `len` elements, if this is that matrix, one row of
    /// it, or its only row as a vector, with rows of unit stride: a row repeats.
    // Inlined: what is returned in memory is waited for.
    #[doc(hidden)]
    #[inline(always)]
    pub fn rows_of(&self, count: usize, len: usize) -> Option<Runs<'a, T>> {
        let (own, rows, distance, stride) = match (self.layout.shape(), self.layout.strides()) {
            (&[own], &[stride]) => (own, 1, 0, stride),
            (&[rows, own], &[distance, stride]) => (own, rows, distance, stride),
            _ => return None,
        };
        let fits = own == len && (rows == count || rows == 1) && (stride == 1 || len == 1);
        if !fits || count == 0 || len == 0 {
            return None;
        }
        let distance = if rows == 1 { 0 } else { distance };
        let first = self.memory.reached(self.layout.offset(), distance, rows);
        // A view with elements reaches all of them by I1 and I2: I9.
        Some(Runs { first, distance, count, len, elements: PhantomData })
    }
}

impl<'a, T: Element, R: Dimension, E> View<'a, T, R, E> {
    /// Of a result of more than two axes, the rows of the matrix along the last two, at this index
    /// along the others, if each has unit stride: axis `i` lies along axis `dims[i]` of it (without
    /// `dims`, along itself), and the elements repeat along all others and where the extent is 1.
    ///
    /// # Panics
    /// If the view does not fit the shape, or the shape has no such index.
    #[doc(hidden)]
    pub fn slab_of<D: Copy + Into<usize>>(
        &self,
        shape: &[usize],
        dims: Option<&[D]>,
        index: &[usize],
    ) -> Option<Runs<'a, T>> {
        let (layout, mut along) = (self.layout(), [0_isize; MAX_NDIM]);
        let along = &mut along[..shape.len()];
        place(shape, dims, (layout.shape(), layout.strides()), along);
        let (outer, &[count, len]) = shape.split_last_chunk().expect("two axes or more");
        let (steps, &[distance, stride]) = along.split_last_chunk().expect("as many strides");
        let inside = index.len() == outer.len() && index.iter().zip(outer).all(|(i, to)| i < to);
        assert!(inside, "an index of the outer axes");
        if stride != 1 && len > 1 {
            return None;
        }
        let mut first = layout.offset();
        for (&i, &step) in index.iter().zip(steps) {
            first = first.wrapping_add_signed(step.wrapping_mul(i as isize));
        }
        // As for `rows_of`: I9.
        (count > 0 && len > 0).then(|| Runs::of(&self.memory, first, distance, count, len))
    }

    /// The elements of a view of one axis, each as a run; none of what has no elements, or another
    /// rank. Without a panic, which callers would have to provide for.
    #[doc(hidden)]
    #[inline(always)]
    pub fn each_of_line(&self) -> Runs<'a, T> {
        let (&[len], &[stride]) = (self.layout.shape(), self.layout.strides()) else {
            return Runs::none();
        };
        if len == 0 {
            return Runs::none();
        }
        let first = self.memory.reached(self.layout.offset(), stride, len);
        // A view with elements reaches all of them by I1 and I2: I9.
        Runs { first, distance: stride, count: len, len: 1, elements: PhantomData }
    }
}

impl<'a, T: Element> Nested<'a, T> {
    /// The runs of `len` elements that begin at index `start` and at the `count - 1` indices after
    /// it along a loop, if each has unit stride.
    ///
    /// # Panics
    /// If they leave the loops, or run across the one along which they follow each other.
    #[inline]
    pub fn runs(
        &self,
        start: &[usize],
        along: usize,
        count: usize,
        len: usize,
    ) -> Option<Runs<'a, T>> {
        let (place, distance) = self.places.runs(start, along, count, len)?;
        Some(Runs::of(&self.memory, place, distance, count, len))
    }
}

impl<'a, T> Runs<'a, T> {
    /// So many runs, of equal length, one after the other.
    ///
    /// # Panics
    /// If the slice is shorter.
    #[inline]
    pub fn rows(slice: &'a [T], count: usize, len: usize) -> Self {
        let all = count.checked_mul(len).expect("as many elements as the slice has, or less");
        if count == 0 {
            return Runs::none();
        }
        // I9: each of them is a part of the slice.
        Runs { distance: len as isize, count, len, ..Runs::from(&slice[..all]) }
    }

    /// One run without elements.
    #[inline(always)]
    pub fn none() -> Self {
        Runs::from(&[][..])
    }

    /// Runs, all of whose elements a view of this memory reaches.
    ///
    /// # Panics
    /// If the first or the last run leaves the memory.
    #[inline]
    fn of(memory: &Memory<'a, T>, place: usize, distance: isize, count: usize, len: usize) -> Self {
        let last = distance.wrapping_mul(count as isize - 1);
        let _ = memory.pointer(place.wrapping_add_signed(last), len);
        let first = memory.pointer(place, len).cast_const();
        Runs { first, distance, count, len, elements: PhantomData }
    }

    /// So many of the runs, from one on.
    ///
    /// # Panics
    /// If there are fewer.
    #[inline]
    pub fn some(self, first: usize, count: usize) -> Self {
        assert!(first <= self.count && count <= self.count - first, "as many runs");
        let distance = self.distance.wrapping_mul(first as isize);
        // I9: they are some of these.
        Runs { first: self.first.wrapping_offset(distance), count, ..self }
    }

    /// The elements of a run.
    #[inline(always)]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// How far they lie apart, in elements.
    #[inline(always)]
    pub fn distance(&self) -> isize {
        self.distance
    }

    /// How many runs there are.
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.count
    }

    /// One of the runs; the last one, if there is none of this number: a check in loops over runs
    /// would be a loop more for each list.
    #[inline(always)]
    pub fn run(&self, number: usize) -> Self {
        // As a comparison, which compilers leave out where they know the answer.
        let last = self.count.saturating_sub(1);
        let number = if number < self.count { number } else { last };
        let first = self.first.wrapping_offset(self.distance.wrapping_mul(number as isize));
        Runs { first, count: 1, ..*self }
    }

    /// The runs without so many elements at the beginning of each, as far as there are any.
    #[inline(always)]
    pub fn skip(&self, count: usize) -> Self {
        let count = count.min(self.len);
        // I9 of fewer elements.
        Runs { first: self.first.wrapping_add(count), len: self.len - count, ..*self }
    }

    /// The first run.
    #[inline(always)]
    pub fn first(&self) -> &'a [T] {
        // SAFETY: I9.
        unsafe { std::slice::from_raw_parts(self.first, self.len) }
    }
}

impl<T: Copy> Runs<'_, T> {
    /// Element `i` of the first run.
    ///
    /// # Safety
    /// `i` is less than [`len`](Self::len).
    #[inline(always)]
    pub unsafe fn get(&self, i: usize) -> T {
        // SAFETY: by I9 and the caller's promise.
        unsafe { *self.first.add(i) }
    }
}
