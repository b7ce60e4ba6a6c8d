//! [`Runs`]: runs that lie at equal distances, to be read.

use super::memory::{Memory, prefetch_from};
use super::packed::{Origin, Room};
use super::slabs::Rows;
use crate::element::Element;
use std::cell::Cell;
use std::hint::assert_unchecked;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

/// Runs of one length, at equal distances, as loops read them: the rows of a matrix, a row that
/// repeats, a slice; or rows, at places of which there is a list; or what is gathered run by run.
/// Most have unit stride. Of those that have another one, a run is its first element for loops over
/// elements that lie side by side, and all of it is a [`line`](Self::line).
///
/// I9: the elements of each run, and of each row, are readable for `'a`: the layout of a view
/// reaches them. Of runs that are gathered, those of the one that was asked for last, which is the
/// first one before any was.
#[derive(Debug)]
pub struct Runs<'a, T> {
    first: *const T,
    distance: isize,
    count: usize,
    len: usize,
    stride: isize,
    /// Whether each goes on for ever.
    endless: bool,
    /// Whether another run may be copied to where this one is.
    shared: bool,
    /// Where rows begin, from the first run on; not how the runs lie.
    rows: &'a [isize],
    gather: Option<&'a Gather<'a, T>>,
    elements: PhantomData<&'a [T]>,
}

/// What fills slots with copies of one value.
pub type Fill<T> = fn(&mut [MaybeUninit<T>], T);

/// What copies runs that have no unit stride, or repeat one element: each to the same place, when
/// it is asked for.
#[derive(Debug)]
pub struct Gather<'a, T> {
    memory: Memory<'a, T>,
    place: usize,
    distance: isize,
    stride: isize,
    /// Of registers as wide as those that read it: else it would be waited for.
    fill: Fill<T>,
    /// I11: for `'a`, there is room for `len` elements here, and nobody has a reference to them.
    /// They are initialised once a run has been copied.
    to: NonNull<MaybeUninit<T>>,
    len: usize,
    /// How far from the first run the one lies that is there.
    holds: Cell<isize>,
}

impl<'a, T: Element> Gather<'a, T> {
    /// Copies the first run into these slots. I11 is the caller's.
    #[inline]
    pub(super) fn new(
        memory: Memory<'a, T>,
        place: usize,
        (distance, stride): (isize, isize),
        fill: Fill<T>,
        to: &mut [MaybeUninit<T>],
    ) -> Self {
        let (len, to) = (to.len(), NonNull::from(to).cast());
        let holds = Cell::new(0);
        let gather = Gather { memory, place, distance, stride, fill, to, len, holds };
        gather.copy(0);
        gather
    }

    // Not inlined: once for each type of elements.
    #[inline(never)]
    fn copy(&self, by: isize) {
        // SAFETY: I11.
        let to = unsafe { NonNull::slice_from_raw_parts(self.to, self.len).as_mut() };
        let place = self.place.wrapping_add_signed(by);
        if self.stride == 0 && self.len > 0 {
            (self.fill)(to, self.memory.stretch(place, 1)[0]);
        } else {
            self.memory.pack(place, &[(self.len, self.stride)], to);
        }
        self.holds.set(by);
    }
}

impl<T> Gather<'_, T> {
    /// How far from the first run one lies.
    #[inline(always)]
    fn by(&self, number: usize) -> isize {
        self.distance.wrapping_mul(number as isize)
    }
}

copied! {
    [T] Runs<'_, T>;
    [T] Starts<'_, T>;
}

impl<'a, T> From<&'a [T]> for Runs<'a, T> {
    /// One run.
    #[inline(always)]
    fn from(slice: &'a [T]) -> Self {
        Runs::every(slice.as_ptr(), 0, 1, slice.len())
    }
}

impl<'a, T> Runs<'a, T> {
    /// Runs that end, and no rows. I9 is the caller's.
    #[inline(always)]
    pub(super) fn every(first: *const T, distance: isize, count: usize, len: usize) -> Self {
        let (stride, elements) = (1, PhantomData);
        let (endless, shared, gather) = (false, false, None);
        Runs { first, distance, count, len, stride, endless, shared, rows: &[], gather, elements }
    }

    /// As [`every`](Self::every), of another stride. I9 is the caller's.
    #[inline(always)]
    pub(super) fn strided(self, stride: isize) -> Self {
        Runs { stride, ..self }
    }

    /// Rows at these places, from the first run on. I9 is the caller's.
    #[inline(always)]
    pub(super) fn at_rows(self, rows: &'a [isize]) -> Self {
        Runs { rows, ..self }
    }

    /// So many runs that are gathered.
    #[inline]
    pub(super) fn gathered(gather: &'a Gather<'a, T>, count: usize) -> Self {
        let first = gather.to.as_ptr().cast_const().cast();
        // I9 by I11: the first one has been copied.
        Runs { shared: true, gather: Some(gather), ..Runs::every(first, 0, count, gather.len) }
    }

    /// Whether each run is copied when it is asked for.
    #[inline(always)]
    pub fn gathers(&self) -> bool {
        self.gather.is_some()
    }

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

    /// The same runs, each of which goes on for ever, like one that repeats: who skips some
    /// elements is given the same ones.
    #[inline]
    pub fn endless(self) -> Self {
        Runs { endless: true, ..self }
    }

    /// Rows of `len` elements of a slice, which begin at these places.
    ///
    /// # Panics
    /// If they leave the slice.
    pub fn placed(slice: &'a [T], rows: &'a Rows, len: usize) -> Self {
        let end = usize::try_from(rows.high).ok().and_then(|high| high.checked_add(len));
        let inside = rows.low == 0 && end.is_some_and(|end| end <= slice.len());
        assert!(inside, "rows leave their slice");
        // I9: each of them is a part of the slice.
        Runs { rows: &rows.places, ..Runs::every(slice.as_ptr(), 0, 1, len) }
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
    pub(super) fn of(
        memory: &Memory<'a, T>,
        place: usize,
        distance: isize,
        count: usize,
        len: usize,
    ) -> Self {
        let last = distance.wrapping_mul(count as isize - 1);
        let _ = memory.pointer(place.wrapping_add_signed(last), len);
        let first = memory.pointer(place, len).cast_const();
        Runs::every(first, distance, count, len)
    }

    /// The elements of a run that lie side by side.
    #[inline(always)]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        if self.stride == 1 { self.len } else { self.len.min(1) }
    }

    /// The elements of a run, each as a run: of the last one, if there is none of this number; none
    /// of runs of which another one may be copied to where one is.
    #[inline(always)]
    pub fn line(&self, number: usize) -> Self {
        let last = self.count.saturating_sub(1);
        let by = self.distance.wrapping_mul(number.min(last) as isize);
        let count = if self.count > 0 && !self.shared { self.len } else { 0 };
        // I9: they are elements of a run, if there are some.
        Runs::every(self.first.wrapping_offset(by), self.stride, count, count.min(1))
    }

    /// How far the elements of a run lie apart.
    #[inline(always)]
    pub fn stride(&self) -> isize {
        self.stride
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

    /// How many rows there are.
    #[inline(always)]
    pub fn rows_len(&self) -> usize {
        self.rows.len()
    }

    /// One of the rows; the first run, if there is none of this number.
    #[inline(always)]
    pub fn row(&self, number: usize) -> Self {
        let place = if number < self.rows.len() { self.rows[number] } else { 0 };
        Runs { first: self.first.wrapping_offset(place), rows: &[], ..*self }
    }

    /// The runs without so many elements at the beginning of each, as far as there are any.
    #[inline(always)]
    pub fn skip(&self, count: usize) -> Self {
        let len = self.len();
        let count = if self.endless { 0 } else { count.min(len) };
        // I9 of fewer elements.
        Runs { first: self.first.wrapping_add(count), len: len - count, stride: 1, ..*self }
    }

    /// The first run.
    ///
    /// # Panics
    /// If another one may be copied to where it is.
    #[inline(always)]
    pub fn first(&self) -> &'a [T] {
        assert!(!self.shared, "a run that stays");
        // SAFETY: I9.
        unsafe { std::slice::from_raw_parts(self.first, self.len()) }
    }
}

impl<T: Element> Runs<'_, T> {
    /// One of the runs; the last one, if there is none of this number: a check in loops over runs
    /// would be a loop more for each list. Of runs that are gathered, there is one at a time.
    #[inline(always)]
    pub fn run(&self, number: usize) -> Self {
        let to = (self.distance, self.count, number);
        let first = first_of_run(self.first, to, self.gather);
        Runs { first, count: 1, gather: None, ..*self }
    }
}

impl<'a, T: Element> Runs<'a, T> {
    /// Where a run of a row lies: [`starts`](Self::starts) of the [`run`](Self::run) of the
    /// [`row`](Self::row), compiled once for each type of elements.
    #[inline(always)]
    pub fn starts_of(&self, row: usize, run: usize) -> Starts<'a, T> {
        let place = if row < self.rows.len() { self.rows[row] } else { 0 };
        let first = self.first.wrapping_offset(place);
        let first = found_run(first, (self.distance, self.count, run), self.gather);
        Starts { first, distance: self.distance, elements: PhantomData }
    }
}

/// As [`first_of_run`], compiled once. Number by number: what is handed on in memory lies there
/// with all that it is part of.
#[inline(never)]
fn found_run<T: Element>(
    first: *const T,
    to: (isize, usize, usize),
    gather: Option<&Gather<'_, T>>,
) -> *const T {
    first_of_run(first, to, gather)
}

/// Where the first element of the run of this number lies, or of the last one. One that is gathered
/// is copied there.
#[inline(always)]
fn first_of_run<T: Element>(
    first: *const T,
    (distance, count, number): (isize, usize, usize),
    gather: Option<&Gather<'_, T>>,
) -> *const T {
    // As a comparison, which compilers leave out where they know the answer.
    let number = if number < count { number } else { count.saturating_sub(1) };
    match gather {
        Some(gather) => {
            let by = gather.by(number);
            if by != gather.holds.get() {
                gather.copy(by);
            }
            first
        }
        None => first.wrapping_offset(distance.wrapping_mul(number as isize)),
    }
}

impl<'a, T: Element> Runs<'a, T> {
    /// The elements of all runs, whatever their stride, one after the other: of few, or of those
    /// that repeat or lie near to each other, which are found in less time than
    /// [`copy_again`](super::View::copy_again) takes. None if there is no room for them, or some
    /// are gathered.
    #[inline(never)]
    pub fn copied(&self, to: &mut Room<'a>) -> Option<Self> {
        let (count, len, stride) = (self.count, self.len, self.stride);
        let all = count.checked_mul(len).filter(|&all| all > 0 && !self.shared)?;
        let origin = Origin::new(self.first, &[(count, self.distance), (len, stride)])?;
        if let Some(copy) = to.copy(&origin, all) {
            return Some(Runs::rows(copy, count, len));
        }
        let slots = to.slots(all)?;
        self.put(slots);
        // SAFETY: as many rows of `len` as there are slots, in each of which an element was put.
        let copy = unsafe { slots.assume_init_ref() };
        Some(Runs::rows(to.keep_copy(origin, copy), count, len))
    }

    /// Puts the elements of all runs into these slots: as many as there are, of runs that are not
    /// gathered.
    #[inline(always)]
    fn put(&self, slots: &mut [MaybeUninit<T>]) {
        let Runs { mut first, count, len, stride, .. } = *self;
        assert!(len > 0 && !self.shared && count.checked_mul(len) == Some(slots.len()));
        if len >= VECTORS && matches!(stride, -1 | 2..=4) {
            return self.put_long(slots);
        }
        for row in slots.chunks_exact_mut(len) {
            // SAFETY: I9: of each run there are as many elements as the row has, at multiples of
            // the stride.
            let at = |i: isize| MaybeUninit::new(unsafe { *first.wrapping_offset(i * stride) });
            if stride == 0 {
                row.fill(at(0));
            } else {
                // Four at once: to count them takes as long as to copy them.
                let (fours, rest) = row.as_chunks_mut::<4>();
                let (many, places) = (4 * fours.len() as isize, (0..).step_by(4));
                for (four, i) in fours.iter_mut().zip(places) {
                    *four = [at(i), at(i + 1), at(i + 2), at(i + 3)];
                }
                rest.iter_mut().zip(many..).for_each(|(slot, i)| *slot = at(i));
            }
            first = first.wrapping_offset(self.distance);
        }
    }

    /// As [`put`](Self::put), of long rows: of strides that the compiler knows, it makes vectors.
    #[inline(never)]
    fn put_long(&self, slots: &mut [MaybeUninit<T>]) {
        for (number, row) in slots.chunks_exact_mut(self.len).enumerate() {
            let line = Starts { distance: 0, ..self.line(number).starts() };
            // SAFETY: I9: the line has as many elements as the row, at multiples of its stride.
            let at =
                |place: isize| unsafe { Starts { first: line.first.offset(place), ..line }.get(0) };
            let mut each = |stride: isize| {
                let slots = row.iter_mut().zip(0..);
                slots.for_each(|(slot, i)| *slot = MaybeUninit::new(at(i * stride)));
            };
            match self.stride {
                2 => each(2),
                3 => each(3),
                4 => each(4),
                -1 => each(-1),
                stride => each(stride),
            }
        }
    }
}

/// So many elements of a row are worth the checks before vectors.
const VECTORS: usize = 32;

/// Where the first element of a run lies, and how far it is to the next run: what is left of
/// [`Runs`] in a loop over elements that are known to be there.
#[derive(Debug)]
pub struct Starts<'a, T> {
    first: *const T,
    distance: isize,
    elements: PhantomData<&'a [T]>,
}

impl<'a, T> Runs<'a, T> {
    /// Where they lie.
    #[inline(always)]
    pub fn starts(&self) -> Starts<'a, T> {
        Starts { first: self.first, distance: self.distance, elements: PhantomData }
    }
}

impl<T: Copy> Starts<'_, T> {
    /// From the run of this number on, without so many elements at the beginning of each.
    #[inline(always)]
    pub fn at(&self, run: usize, count: usize) -> Self {
        let by = self.distance.wrapping_mul(run as isize).wrapping_add(count as isize);
        Starts { first: self.first.wrapping_offset(by), ..*self }
    }

    /// Asks for the memory of `len` elements, so many bytes after element `i` of the first run;
    /// there may be none.
    #[inline(always)]
    pub fn prefetch(&self, i: usize, len: usize, bytes: usize) {
        prefetch_from::<true, T>(self.first.wrapping_add(i).wrapping_byte_add(bytes), len);
    }

    /// Element `i` of the first run.
    ///
    /// It is read whatever becomes of it: compilers move no read beyond what they are asked to
    /// believe and cannot prove. What is read on one side of a branch alone (of `a || b && c` by a
    /// closure) makes a loop that takes one element at a time.
    ///
    /// # Safety
    /// The [`Runs`] that this was made of have this run, and it is longer than `i`.
    #[inline(always)]
    pub unsafe fn get(&self, i: usize) -> T {
        // SAFETY: by I9 and the caller's promise; an element that has bytes lies in an allocation,
        // whose end is an address too.
        unsafe {
            let element = self.first.add(i);
            let value = *element;
            assert_unchecked(size_of::<T>() == 0 || element.addr() != usize::MAX);
            value
        }
    }
}
