//! [`Runs`] and [`RowsMut`]: runs of unit stride that lie at equal distances, to be read and to be
//! written.

use super::nested::{Dim, Nested, Places, walks};
use super::packed::{Packed, Room};
use super::{Memory, View, ViewMut, prefetch_from};
use crate::MAX_NDIM;
use crate::dimension::Dimension;
use crate::element::Element;
use crate::short::{Extents, Short};
use std::cell::Cell;
use std::hint::assert_unchecked;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

/// Runs of one length, at equal distances, as loops read them: the rows of a matrix, a row that
/// repeats, a slice; or rows, at places of which there is a list; or what is gathered run by run.
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
    fn new(
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
        Some(Runs::every(first, distance, count, len))
    }
}

impl<'a, T: Element, R: Dimension, E> View<'a, T, R, E> {
    /// The rows of a result of this shape, of one axis or two, as the view is met there: axis `i`
    /// lies along axis `dims[i]` of it (without `dims`, along itself), and the elements repeat
    /// along all others and where the extent is 1. They are gathered, if there is room for one, and
    /// if its elements lie so near to each other that it takes no longer than to copy all at once.
    ///
    /// # Panics
    /// If the view does not fit the shape, or that has no elements, or other axes.
    #[doc(hidden)]
    pub fn gathered_rows<D: Dim>(
        &self,
        shape: &[usize],
        dims: Option<&[D]>,
        room: &mut Room<'a>,
        fill: Fill<T>,
    ) -> Option<Runs<'a, T>> {
        let mut along = [0_isize; 2];
        let layout = self.layout();
        D::place(shape, dims, (layout.shape(), layout.strides()), &mut along[2 - shape.len()..]);
        let (count, len) = match *shape {
            [len] => (1, len),
            [count, len] => (count, len),
            _ => panic!("one axis or two"),
        };
        if along[1].unsigned_abs() > NEAR {
            return None;
        }
        let (place, steps) = (layout.offset(), (along[0], along[1]));
        let gather = Gather::new(self.memory, place, steps, fill, room.slots(len)?);
        Some(Runs::gathered(room.slots(1)?.first_mut()?.write(gather), count))
    }
}

/// How far apart the elements of a row lie at most that is gathered.
const NEAR: usize = 8;

/// The matrices along the last two axes whose places one list has.
pub const SLABS: usize = 32;

/// Where the elements lie along loops of these extents and strides, from the one of this number in
/// row-major order on.
fn places_from<'s>(
    extents: &'s [usize],
    strides: &'s [isize],
    number: usize,
) -> impl FnMut() -> isize + 's {
    let (mut index, mut left) = (Extents::filled(0, extents.len()), number);
    for (index, &extent) in index.iter_mut().zip(extents).rev() {
        (*index, left) = (left % extent, left / extent);
    }
    move || {
        let place = index.iter().zip(strides).map(|(&i, by)| i as isize * by).sum();
        for (index, &extent) in index.iter_mut().zip(extents).rev() {
            *index += 1;
            if *index < extent {
                break;
            }
            *index = 0;
        }
        place
    }
}

/// The place of the first of so many of the matrices along the last two axes, from one on in
/// row-major order along the `outer` axes, from the first one of all on; and the places of all of
/// them from that one on, if they are several, and there is room for them. One has no list: it is
/// rows.
///
/// # Panics
/// If there are not as many, or they are more than [`SLABS`].
fn slabs<'s>(
    outer: &[usize],
    steps: &[isize],
    (first, count): (usize, usize),
    room: &mut Room<'s>,
) -> Option<(isize, &'s [isize])> {
    let all = outer.iter().product();
    assert!(count > 0 && first < all && count <= all - first, "as many matrices as there are");
    let mut next = places_from(outer, steps, first);
    let place = next();
    if count == 1 {
        return Some((place, &[]));
    }
    let mut places = [0; SLABS];
    places[1..count].fill_with(|| next() - place);
    Some((place, room.slots(count)?.write_copy_of_slice(&places[..count])))
}

/// Of some matrices along the last two axes of a shape, whose elements lie by these strides: the
/// place of the first, and the places of all, as [`slabs`] gives them, and how far rows lie apart.
/// If there are elements, each row has unit stride, and there is room.
fn slabs_along<'s>(
    shape: &[usize],
    along: &[isize],
    some: (usize, usize),
    room: &mut Room<'s>,
) -> Option<(isize, &'s [isize], isize)> {
    let (outer, &[count, len]) = shape.split_last_chunk()?;
    let (steps, &[distance, stride]) = along.split_last_chunk()?;
    if count == 0 || len == 0 || (stride != 1 && len > 1) {
        return None;
    }
    let (place, rows) = slabs(outer, steps, some, room)?;
    Some((place, rows, distance))
}

/// Where rows repeat one element each, the loops over copies of all elements, of each one as often
/// as a row has it, and how many these are; the strides become those of the copies.
fn once_each(
    shape: &[usize],
    along: &mut [isize],
    axes: &mut Short<(usize, isize)>,
) -> Option<usize> {
    let &[.., count, len] = shape else { return None };
    let last = shape.len() - 1;
    if count == 0 || len <= 1 || along[last] != 0 {
        return None;
    }
    let once = |axis: usize| if along[axis] == 0 && axis < last { 1 } else { shape[axis] };
    let own = (0..=last).map(once).collect::<Extents>();
    let all = walks(&own, along, axes);
    let mut below = 1;
    for (step, &extent) in along.iter_mut().zip(&own).rev() {
        *step = if extent == 1 { 0 } else { below };
        below *= extent as isize;
    }
    Some(all)
}

impl<'a, T: Element, R: Dimension, E> View<'a, T, R, E> {
    /// Of a result of more than two axes, the rows of so many matrices along the last two, from one
    /// on in row-major order along the others, if each has unit stride, and there is room for where
    /// they lie: axis `i` lies along axis `dims[i]` of it (without `dims`, along itself), and the
    /// elements repeat along all others and where the extent is 1.
    ///
    /// # Panics
    /// If the view does not fit the shape, there are not as many, or they are more than [`SLABS`].
    #[doc(hidden)]
    pub fn slabs_of<D: Dim>(
        &self,
        shape: &[usize],
        dims: Option<&[D]>,
        some: (usize, usize),
        room: &mut Room<'a>,
    ) -> Option<Runs<'a, T>> {
        let (layout, mut along) = (self.layout(), [0_isize; MAX_NDIM]);
        let along = &mut along[..shape.len()];
        D::place(shape, dims, (layout.shape(), layout.strides()), along);
        let mut axes = Short::new();
        let copy = match once_each(shape, along, &mut axes) {
            Some(len) => Some(self.memory.pack(layout.offset(), &axes, room.slots(len)?)),
            None => None,
        };
        let (place, rows, distance) = slabs_along(shape, along, some, room)?;
        let [count, len] = *shape.last_chunk()?;
        let runs = match copy {
            // I9: the copy has a row for each index, at these distances.
            Some(copy) => Runs::every(copy.as_ptr().wrapping_offset(place), distance, count, len),
            // As for `rows_of`: I9, of the first and, because the indices are of this shape, of
            // all.
            None => {
                let first = layout.offset().wrapping_add_signed(place);
                Runs::of(&self.memory, first, distance, count, len)
            }
        };
        Some(Runs { rows, ..runs })
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
        Runs::every(first, stride, len, 1)
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

    /// The runs of `len` elements, each of which is one value, that begin at index `start` and at
    /// the `count - 1` indices after it along a loop: gathered in a buffer.
    ///
    /// # Panics
    /// If they leave the loop.
    #[inline]
    pub fn splats<'s>(
        &'s self,
        start: &[usize],
        along: usize,
        (count, len): (usize, usize),
        (gather, to): (&'s mut Option<Gather<'a, T>>, &'s mut Packed<T>),
        fill: Fill<T>,
    ) -> Runs<'s, T> {
        let (place, distance) = self.places.runs(start, along, count, 1).expect("one element");
        let slots = to.room(len);
        let gather = gather.insert(Gather::new(self.memory, place, (distance, 0), fill, slots));
        Runs::gathered(gather, count)
    }

    /// The rows of `len` elements whose first elements lie at these places from index `start` on,
    /// if each has unit stride.
    ///
    /// # Panics
    /// If the places are not those of loops of this view, or leave them.
    pub fn rows(&self, start: &[usize], rows: &'a Rows, len: usize) -> Option<Runs<'a, T>> {
        let place = self.places.rows(start, rows, len)?;
        let ends = [rows.low, rows.high].map(|end| place.wrapping_add_signed(end));
        for end in ends {
            let _ = self.memory.pointer(end, len);
        }
        let first = self.memory.pointer(place, len).cast_const();
        // The loops reach all of them by I5: I9.
        Some(Runs { rows: &rows.places, ..Runs::every(first, 0, 1, len) })
    }
}

/// Where rows lie, from the first one on.
#[derive(Debug, Default)]
pub struct Rows {
    places: Vec<isize>,
    /// The least and the greatest place.
    low: isize,
    high: isize,
    /// The loops of a view that they lie along, the extents of these, and their strides.
    pub(super) along: Option<(usize, Extents, Short<isize>)>,
}

impl Rows {
    /// The places in row-major order along some loops of a view from `first` on. False if there is
    /// no memory for them.
    pub fn along<T>(&mut self, view: &Nested<'_, T>, first: usize, extents: &[usize]) -> bool {
        self.along_loops(&view.places, first, extents)
    }

    fn along_loops(&mut self, places: &Places, first: usize, extents: &[usize]) -> bool {
        let strides = &places.strides()[first..][..extents.len()];
        let kept = |(at, of, by): &(usize, Extents, Short<isize>)| {
            *at == first && **of == *extents && **by == *strides
        };
        if self.along.as_ref().is_some_and(kept) {
            return true;
        }
        let mut next = places_from(extents, strides, 0);
        let done = self.set_each(extents.iter().product(), &mut |_| next());
        let along = (first, Extents::from_slice(extents), Short::from_slice(strides));
        self.along = done.then_some(along);
        done
    }

    /// The places of so many rows, each a function of its number. False if there is no memory.
    pub fn set(&mut self, count: usize, mut place: impl FnMut(usize) -> isize) -> bool {
        self.set_each(count, &mut place)
    }

    fn set_each(&mut self, count: usize, place: &mut dyn FnMut(usize) -> isize) -> bool {
        (self.low, self.high, self.along) = (0, 0, None);
        self.places.clear();
        if self.places.try_reserve_exact(count).is_err() {
            return false;
        }
        self.places.extend((0..count).map(place));
        for &place in &self.places {
            (self.low, self.high) = (self.low.min(place), self.high.max(place));
        }
        true
    }

    /// How many there are.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.places.len()
    }
}

impl<'a, T> Runs<'a, T> {
    /// Runs that end, and no rows. I9 is the caller's.
    #[inline(always)]
    fn every(first: *const T, distance: isize, count: usize, len: usize) -> Self {
        let elements = PhantomData;
        let (endless, shared, gather) = (false, false, None);
        Runs { first, distance, count, len, endless, shared, rows: &[], gather, elements }
    }

    /// So many runs that are gathered.
    #[inline]
    fn gathered(gather: &'a Gather<'a, T>, count: usize) -> Self {
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
    fn of(memory: &Memory<'a, T>, place: usize, distance: isize, count: usize, len: usize) -> Self {
        let last = distance.wrapping_mul(count as isize - 1);
        let _ = memory.pointer(place.wrapping_add_signed(last), len);
        let first = memory.pointer(place, len).cast_const();
        Runs::every(first, distance, count, len)
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
        let count = if self.endless { 0 } else { count.min(self.len) };
        // I9 of fewer elements.
        Runs { first: self.first.wrapping_add(count), len: self.len - count, ..*self }
    }

    /// The first run.
    ///
    /// # Panics
    /// If another one may be copied to where it is.
    #[inline(always)]
    pub fn first(&self) -> &'a [T] {
        assert!(!self.shared, "a run that stays");
        // SAFETY: I9.
        unsafe { std::slice::from_raw_parts(self.first, self.len) }
    }
}

impl<T: Element> Runs<'_, T> {
    /// One of the runs; the last one, if there is none of this number: a check in loops over runs
    /// would be a loop more for each list. Of runs that are gathered, there is one at a time.
    #[inline(always)]
    pub fn run(&self, number: usize) -> Self {
        // As a comparison, which compilers leave out where they know the answer.
        let last = self.count.saturating_sub(1);
        let number = if number < self.count { number } else { last };
        if let Some(gather) = self.gather {
            let by = gather.by(number);
            if by != gather.holds.get() {
                gather.copy(by);
            }
            return Runs { count: 1, gather: None, ..*self };
        }
        let first = self.first.wrapping_offset(self.distance.wrapping_mul(number as isize));
        Runs { first, count: 1, ..*self }
    }
}

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
    /// The run of this number.
    #[inline(always)]
    pub fn run(&self, number: usize) -> Self {
        let by = self.distance.wrapping_mul(number as isize);
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

    /// As [`cut`](Self::cut), into rows of so many elements.
    ///
    /// # Panics
    /// If these are not all.
    #[inline]
    pub fn cut_by(self, len: usize) -> Self {
        if self.count == 1 && len > 0 {
            let count = self.len / len;
            self.cut(count, len)
        } else {
            self
        }
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

impl<T, R: Dimension, E> ViewMut<'_, T, R, E> {
    /// The rows of so many matrices along the last two axes, from one on in row-major order along
    /// the others, if they have elements, of unit stride, and there is room for where they lie.
    ///
    /// # Panics
    /// If there are not as many, or they are more than [`SLABS`].
    #[doc(hidden)]
    pub fn slabs_mut<'v>(
        &'v mut self,
        some: (usize, usize),
        room: &mut Room<'v>,
    ) -> Option<RowsMut<'v, T>> {
        let (shape, strides) = (self.layout.shape(), self.layout.strides());
        let (place, slabs, distance) = slabs_along(shape, strides, some, room)?;
        let [count, len] = *shape.last_chunk()?;
        let first = self.memory.address(self.layout.offset().wrapping_add_signed(place));
        // The layout reaches all of them, each by one index: I10 by I1, I2 and I3.
        Some(RowsMut { slabs, ..RowsMut::at(first, distance, count, len) })
    }

    /// All elements as rows in row-major order, if they are one stretch of memory, or those of a
    /// matrix, or a vector, with unit stride.
    #[doc(hidden)]
    #[inline]
    pub fn unit_rows_mut(&mut self) -> Option<RowsMut<'_, T>> {
        let rows = match (self.layout.shape(), self.layout.strides()) {
            _ if self.layout.is_c_contiguous() => (self.layout.size(), 0, 1),
            (&[len], &[1]) => (len, 0, 1),
            (&[count, len], &[distance, stride]) if stride == 1 || len == 1 => {
                (len, distance, count)
            }
            _ => return None,
        };
        let (len, distance, count) = rows;
        let offset = self.layout.offset();
        let first = if len > 0 && count > 0 {
            self.memory.address(offset)
        } else {
            self.memory.pointer(0, 0)
        };
        // The layout reaches all of them, each by one index: I10 by I1, I2 and I3.
        Some(RowsMut::at(first, distance, count, len))
    }
}
