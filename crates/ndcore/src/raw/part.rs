//! [`Part`] and [`Filled`]: outputs in parts, and the proof that all of one has been initialised.
//! The invariants I5 and I6 are at the head of [`nested`](super::nested).

use super::copies::unpack;
use super::nested::Places;
use super::packed::Packed;
use super::rows_mut::RowsMut;
use super::{Memory, ViewMut};
use crate::dimension::Dimension;
use crate::element::Element;
use crate::layout::Nest;
use crate::short::{Extents, Short};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::ControlFlow;

/// A part of an output in the order of loops: exclusive, to be filled or changed.
#[derive(Debug)]
pub struct Part<'b, S> {
    memory: Memory<'b, S>,
    places: Places,
    exclusive: PhantomData<&'b mut [S]>,
}

/// The proof that elements of an output have been initialised: how many, and of which one. Joined
/// from the proofs of its parts, that of the whole output makes it an array.
#[derive(Debug)]
#[must_use = "without it the output is lost"]
pub struct Filled<'b> {
    output: usize,
    count: usize,
    parts: PhantomData<&'b mut ()>,
}

impl Filled<'_> {
    /// The proof for both parts.
    ///
    /// # Panics
    /// If they are parts of two outputs.
    #[inline]
    pub fn join(self, other: Self) -> Self {
        assert_eq!(self.output, other.output, "parts of two outputs");
        Filled { count: self.count + other.count, ..self }
    }
}

impl<'b, T: Element, R: Dimension, E> ViewMut<'b, T, R, E> {
    /// The elements in the order of loops.
    ///
    /// # Panics
    /// If the nest does not fit: see [`View::nested`](crate::View::nested).
    pub fn into_part(self, nest: &Nest) -> Part<'b, T> {
        let layout = self.layout();
        let places = Places::new(layout.shape(), layout.strides(), layout.offset(), nest);
        Part { memory: self.memory, places, exclusive: PhantomData }
    }

    /// The proof that this view has been filled.
    ///
    /// # Safety
    /// Every element of it has been initialised.
    #[inline]
    pub unsafe fn assume_filled(self) -> Filled<'b> {
        let output = self.memory.data.as_ptr().addr();
        Filled { output, count: self.layout().size(), parts: PhantomData }
    }

    /// The proof that a view without elements has been filled.
    ///
    /// # Panics
    /// If there are elements.
    pub fn filled_without_elements(self) -> Filled<'b> {
        assert_eq!(self.layout().size(), 0, "a view without elements");
        Filled { output: self.memory.data.as_ptr().addr(), count: 0, parts: PhantomData }
    }

    /// What tells the proof of all its elements from others.
    #[inline]
    pub(crate) fn place_of_filled(&self) -> Output {
        Output { output: self.memory.data.as_ptr().addr(), count: self.layout().size() }
    }
}

/// An output, and the number of its elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    output: usize,
    count: usize,
}

impl Output {
    /// Whether this proof is that of all its elements.
    #[inline]
    pub(crate) fn is_all(self, filled: &Filled<'_>) -> bool {
        filled.output == self.output && filled.count == self.count
    }
}

impl<'b, S: Element> Part<'b, S> {
    /// The extents of the loops.
    #[inline]
    pub fn extents(&self) -> &[usize] {
        &self.places.extents
    }

    /// The number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.places.extents.iter().product()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Splits the part in two before index `mid` of a loop.
    ///
    /// # Panics
    /// If `mid` is above the extent.
    pub fn split_at(self, axis: usize, mid: usize) -> (Self, Self) {
        let Part { memory, places, .. } = self;
        let (low, high) = places.split_at(axis, mid);
        // The two reach different elements, because no element is reached by two indices (I5).
        let part = |places| Part { memory, places, exclusive: PhantomData };
        (part(low), part(high))
    }

    /// The `len` elements from index `start` on, if they lie side by side in memory.
    ///
    /// # Panics
    /// If `start` is not an index of the loops or fewer than `len` elements follow it.
    #[inline]
    pub fn run_mut(&mut self, start: &[usize], len: usize) -> Option<&mut [S]> {
        let first = self.memory.pointer(self.places.run(start, len)?, len);
        // SAFETY: `pointer` has checked the bounds; exclusive while the part is borrowed by I2, I5.
        Some(unsafe { std::slice::from_raw_parts_mut(first, len) })
    }

    /// The runs of `len` elements that begin at index `start` and at the `count - 1` indices after
    /// it along a loop.
    ///
    /// # Panics
    /// If the elements of a run do not lie side by side, or as for
    /// [`Nested::runs`](super::Nested::runs).
    #[inline]
    pub fn rows_mut(
        &mut self,
        start: &[usize],
        along: usize,
        count: usize,
        len: usize,
    ) -> RowsMut<'_, S> {
        let places = self.places.runs(start, along, count, len);
        let (place, distance) = places.expect("runs of unit stride");
        let last = distance.wrapping_mul(count as isize - 1);
        let _ = self.memory.pointer(place.wrapping_add_signed(last), len);
        // In bounds, as just checked of the first and the last; exclusive while the part is
        // borrowed by I2, and no two share an element by I5: I10.
        RowsMut::at(self.memory.pointer(place, len), distance, count, len)
    }

    /// As [`Nested::pack`](super::Nested::pack).
    ///
    /// # Panics
    /// As for [`Nested::pack`](super::Nested::pack).
    pub fn pack(&self, start: &[usize], extents: &[usize], to: &mut Packed<S>) {
        let mut axes = Short::new();
        let (place, len) = self.places.walk(start, extents, &mut axes);
        to.copy(self.memory, place, &axes, len);
    }

    /// Copies the front of `from`, in the order of the loops, to the box of `extents` elements that
    /// begins at index `start`.
    ///
    /// # Panics
    /// If the box leaves the loops, or `from` is shorter than the box.
    pub fn unpack(&mut self, start: &[usize], extents: &[usize], from: &[S]) {
        let mut axes = Short::new();
        let (place, len) = self.places.walk(start, extents, &mut axes);
        if len > 0 {
            unpack(self.memory, place, &axes, &from[..len]);
        }
    }

    /// The proof that this part has been filled.
    ///
    /// # Safety
    /// Every element of it has been initialised.
    #[inline]
    pub unsafe fn assume_filled(self) -> Filled<'b> {
        let output = self.memory.data.as_ptr().addr();
        Filled { output, count: self.len(), parts: PhantomData }
    }
}

impl<'b, T: Element> Part<'b, MaybeUninit<T>> {
    /// Fills a part that lies side by side as a whole, by a function that returns the same slots,
    /// initialised.
    ///
    /// # Errors
    /// Those of the function.
    ///
    /// # Panics
    /// If it does not lie side by side, or the function returns something else.
    pub fn fill<Err>(
        mut self,
        f: impl FnOnce(&mut [MaybeUninit<T>]) -> Result<&mut [T], Err>,
    ) -> Result<Filled<'b>, Err> {
        let (start, len) = (Extents::filled(0, self.extents().len()), self.len());
        if len > 0 {
            let slots = self.run_mut(&start, len).expect("a part that lies side by side");
            let first = slots.as_ptr().cast::<T>();
            let filled = f(slots)?;
            assert!(filled.as_ptr() == first && filled.len() == len, "the slots, initialised");
        }
        // SAFETY: there are no others, and these have been returned as what is initialised.
        Ok(unsafe { self.assume_filled() })
    }
}

impl<'b, T: Element> Part<'b, MaybeUninit<T>> {
    /// Fills a part that lies side by side with values that a function gives one after the other;
    /// it gets the number of each.
    ///
    /// # Panics
    /// If the part does not lie side by side.
    pub fn fill_with(self, mut value: impl FnMut(usize) -> T) -> Filled<'b> {
        let filled = self.fill(|slots| {
            for (number, slot) in slots.iter_mut().enumerate() {
                slot.write(value(number));
            }
            // SAFETY: each of them has been written.
            Ok::<_, std::convert::Infallible>(unsafe { slots.assume_init_mut() })
        });
        let Ok(filled) = filled;
        filled
    }

    /// Fills a part that lies side by side with the first values of an iterator, whose own loops it
    /// is left to.
    ///
    /// # Panics
    /// If the part does not lie side by side, or there are fewer values.
    pub fn fill_from(self, mut values: impl Iterator<Item = T>) -> Filled<'b> {
        let filled = self.fill(|slots| {
            let mut left = slots.iter_mut();
            let _ = values.try_for_each(|value| match left.next() {
                Some(slot) => {
                    slot.write(value);
                    ControlFlow::Continue(())
                }
                None => ControlFlow::Break(()),
            });
            assert!(left.len() == 0, "a value for each slot");
            // SAFETY: each of them has been written, as just seen.
            Ok::<_, std::convert::Infallible>(unsafe { slots.assume_init_mut() })
        });
        let Ok(filled) = filled;
        filled
    }

    /// Fills a part that lies side by side with runs of `len` elements that a function gives one
    /// after the other.
    ///
    /// # Panics
    /// If the part does not lie side by side, is not a whole number of runs, or a run has another
    /// length.
    pub fn fill_runs<'s>(self, len: usize, mut run: impl FnMut() -> &'s [T]) -> Filled<'b> {
        let filled = self.fill(|slots| {
            assert!(slots.len().is_multiple_of(len), "a whole number of runs");
            fill_rows(slots, len, |_, slots| {
                Ok::<_, std::convert::Infallible>(slots.write_copy_of_slice(run()))
            })
        });
        let Ok(filled) = filled;
        filled
    }
}

/// Fills slots by rows of so many, of which the last may be shorter: a function returns the slots
/// of the row whose number it is given, initialised.
///
/// # Errors
/// Those of the function.
///
/// # Panics
/// If it returns other slots, or rows have no elements.
///
/// ```
/// use std::mem::MaybeUninit;
/// let mut slots = [MaybeUninit::uninit(); 5];
/// let filled = ndcore::fill_rows(&mut slots, 2, |row, slots| {
///     Ok::<_, ()>(slots.write_copy_of_slice(&[row; 2][..slots.len()]))
/// });
/// assert_eq!(filled.unwrap(), [0, 0, 1, 1, 2]);
/// ```
#[inline]
pub fn fill_rows<T, Err>(
    slots: &mut [MaybeUninit<T>],
    len: usize,
    mut fill: impl FnMut(usize, &mut [MaybeUninit<T>]) -> Result<&mut [T], Err>,
) -> Result<&mut [T], Err> {
    for (row, slots) in slots.chunks_mut(len).enumerate() {
        let (first, len) = (slots.as_ptr().cast::<T>(), slots.len());
        let filled = fill(row, slots)?;
        assert!(filled.as_ptr() == first && filled.len() == len, "the slots, initialised");
    }
    // SAFETY: the rows are all of the slots, and each came back as what is initialised.
    Ok(unsafe { slots.assume_init_mut() })
}
