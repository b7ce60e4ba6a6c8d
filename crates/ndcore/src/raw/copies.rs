//! Copies of views: to a list in row-major order and back, and from one view to another.

use super::nested::{Dim, walks};
use super::pack::{SHORT_COPY, copy_run};
use super::packed::{Origin, Packed, Room};
use super::part::Filled;
use super::unit::{copy_units, unpack_units};
use super::{Memory, View, ViewMut, has_unit};
use crate::dimension::Dimension;
use crate::element::Element;
use crate::layout::Layout;
use crate::short::Short;
use std::mem::MaybeUninit;

impl<T: Element, R: Dimension, E> View<'_, T, R, E> {
    /// Copies the elements in row-major order, as they are met in a larger shape: see
    /// [`nested`](Self::nested).
    ///
    /// # Panics
    /// If the view does not fit the shape.
    pub fn copy_row_major<D: Dim>(&self, shape: &[usize], dims: Option<&[D]>, to: &mut Packed<T>) {
        let (layout, mut axes) = (self.layout(), Short::new());
        let len = D::walk(shape, dims, (layout.shape(), layout.strides()), &mut axes);
        to.copy(self.memory, layout.offset(), &axes, len);
    }

    /// As [`copy_row_major`](Self::copy_row_major), into memory on the stack, if it has room for
    /// so many.
    ///
    /// # Panics
    /// If the view does not fit the shape.
    pub fn copy_few<'s, D: Dim>(
        &self,
        shape: &[usize],
        dims: Option<&[D]>,
        to: &mut Room<'s>,
    ) -> Option<&'s mut [T]> {
        let (layout, mut axes) = (self.layout(), Short::new());
        let len = D::walk(shape, dims, (layout.shape(), layout.strides()), &mut axes);
        Some(self.memory.pack(layout.offset(), &axes, to.slots(len)?))
    }
}

impl<'a, T: Element, R: Dimension, E> View<'a, T, R, E> {
    /// As [`copy_few`](Self::copy_few), to be read: what was copied last is not copied again.
    ///
    /// # Panics
    /// If the view does not fit the shape.
    pub fn copy_again<D: Dim>(
        &self,
        shape: &[usize],
        dims: Option<&[D]>,
        to: &mut Room<'a>,
    ) -> Option<&'a [T]> {
        let (layout, mut axes) = (self.layout(), Short::new());
        let len = D::walk(shape, dims, (layout.shape(), layout.strides()), &mut axes);
        let origin = Origin::new(self.memory.address(layout.offset()).cast_const(), &axes);
        if let Some(copy) = origin.as_ref().and_then(|origin| to.copy(origin, len)) {
            return Some(copy);
        }
        let copy = &*self.memory.pack(layout.offset(), &axes, to.slots(len)?);
        Some(match origin {
            Some(origin) => to.keep_copy(origin, copy),
            None => copy,
        })
    }
}

impl<T: Element, R: Dimension, E> ViewMut<'_, T, R, E> {
    /// Copies the elements in row-major order.
    pub fn copy_to_row_major(&self, to: &mut Packed<T>) {
        let layout = self.layout();
        let mut axes = Short::new();
        let len = walks(layout.shape(), layout.strides(), &mut axes);
        to.copy(self.memory, layout.offset(), &axes, len);
    }

    /// Overwrites the elements with others in row-major order.
    ///
    /// # Panics
    /// If there are fewer.
    pub fn copy_from_row_major(&mut self, from: &[T]) {
        let layout = *self.layout();
        let mut axes = Short::new();
        let len = walks(layout.shape(), layout.strides(), &mut axes);
        if len > 0 {
            unpack(self.memory, layout.offset(), &axes, &from[..len]);
        }
    }
}

impl<T: Element, R: Dimension, E> ViewMut<'_, MaybeUninit<T>, R, E> {
    /// Copies a view of the same shape to here, if it takes no longer than to go over the elements
    /// once: where this is in row-major or column-major order, or neither is turned against the
    /// other, or lines are short. Returns whether it has.
    ///
    /// # Panics
    /// If the shapes differ.
    #[doc(hidden)]
    pub fn copy_of<S: Dimension, F>(&mut self, from: &View<'_, T, S, F>) -> bool {
        let (to, layout) = (&self.layout, from.layout());
        assert_eq!(to.shape(), layout.shape(), "a slot for each element");
        // Few rows of unit stride: to look for those that are one walk would take longer.
        if let (&[rows, columns], &[read, 1], &[written, 1]) =
            (to.shape(), layout.strides(), to.strides())
            && (1..=FEW).contains(&(rows * columns))
        {
            let loops = [(rows, read, written), (columns, 1, 1)];
            copy((from.memory, layout.offset()), (self.memory, to.offset()), &loops);
            return true;
        }
        if to.is_c_contiguous() {
            let mut axes = Short::new();
            let len = walks(layout.shape(), layout.strides(), &mut axes);
            let first = self.memory.pointer(to.offset(), len);
            // SAFETY: the layout reaches so many one after the other, in bounds by I1 and
            // exclusively by I2.
            let slots = unsafe { std::slice::from_raw_parts_mut(first, len) };
            from.memory.pack(layout.offset(), &axes, slots);
            return true;
        }
        if to.is_f_contiguous() {
            return self.t_mut().copy_of(&from.t());
        }
        if to.is_empty() {
            return true;
        }
        let loops = loops_of_both(layout, to);
        // Where one is turned against the other, lines are read or written again and again: from
        // the nearest cache, if they are few.
        let turned = loops.last().is_some_and(|&(len, read, written)| {
            let nearer = |by: isize, than: isize| by.unsigned_abs() < than.unsigned_abs();
            // Lines that lie pages apart all have one place in a cache.
            let pitch = read.unsigned_abs().max(written.unsigned_abs()) * size_of::<T>();
            let near = len <= NEAR_LINES && to.size() > FEW && !pitch.is_multiple_of(PAGE);
            !near && loops.iter().any(|&(_, by, to)| nearer(by, read) || nearer(to, written))
        });
        if turned {
            return false;
        }
        copy((from.memory, layout.offset()), (self.memory, to.offset()), &loops);
        true
    }
}

/// So many lines of a cache are in the nearest one when they are met again.
const NEAR_LINES: usize = 128;

/// The bytes of a page.
const PAGE: usize = 1 << 12;

/// So few elements in rows of unit stride are copied row by row without a look at what could be
/// joined; of so few others, each is copied by itself in less time than to begin rows of them.
const FEW: usize = 512;

/// The loops over elements and as many slots, with those joined that are one walk in both: length
/// and both strides, the outermost first.
// Inlined: a list that is returned is moved, which is waited for.
#[inline(always)]
fn loops_of_both<R: Dimension, S: Dimension>(
    from: &Layout<S>,
    to: &Layout<R>,
) -> Short<(usize, isize, isize)> {
    let mut loops = Short::<(usize, isize, isize)>::new();
    let strides = from.strides().iter().zip(to.strides());
    for (&extent, (&from, &to)) in to.shape().iter().zip(strides) {
        let along = |stride: isize| stride.wrapping_mul(extent as isize);
        match loops.last_mut() {
            _ if extent == 1 => {}
            Some(last) if (last.1, last.2) == (along(from), along(to)) => {
                *last = (last.0 * extent, from, to);
            }
            _ => loops.push((extent, from, to)),
        }
    }
    loops
}

/// Copies elements, of which the first ones begin at these places, and the others lie along `loops`
/// (length and both strides, the outermost first). All may be read and written, and are reached
/// once.
#[inline]
fn copy<T: Element>(
    from: (Memory<'_, T>, usize),
    to: (Memory<'_, MaybeUninit<T>>, usize),
    loops: &[(usize, isize, isize)],
) {
    if const { has_unit::<T>() } {
        copy_units(from, to, loops)
    } else {
        copy_loops(from, to, loops)
    }
}

/// As [`copy`], of elements as they are.
#[inline]
pub(super) fn copy_loops<T: Element>(
    from: (Memory<'_, T>, usize),
    to: (Memory<'_, MaybeUninit<T>>, usize),
    loops: &[(usize, isize, isize)],
) {
    let (&(len, along, step), outer) = loops.split_last().unwrap_or((&(1, 1, 1), &[]));
    match (along, step) {
        (1, 1) => copy_rows::<true, _>(from, to, outer, len, 1, 1),
        _ => copy_rows::<false, _>(from, to, outer, len, along, step),
    }
}

/// Copies `count` rows of so few elements that the compiler knows: to begin a row takes longer.
#[inline(always)]
fn copy_narrow<const N: usize, T: Element>(
    (from, source): (Memory<'_, T>, usize),
    (to, place): (Memory<'_, MaybeUninit<T>>, usize),
    (count, read, written): (usize, isize, isize),
    (along, step): (isize, isize),
) {
    let first = from.plane(source, (count, read), (N, along));
    let slots = to.plane(place, (count, written), (N, step));
    for row in 0..count as isize {
        let (first, slots) =
            (first.wrapping_offset(row * read), slots.wrapping_offset(row * written));
        let elements: [T; N] = std::array::from_fn(|i| {
            // SAFETY: `plane` has checked the bounds; readable by I2.
            unsafe { first.offset(i as isize * along).read() }
        });
        for (i, element) in elements.into_iter().enumerate() {
            // SAFETY: `plane` has checked the bounds; exclusive by I2.
            unsafe { (*slots.offset(i as isize * step)).write(element) };
        }
    }
}

/// Copies rows of `len` elements at two strides (`along` to read, `step` to write), of which the
/// first begin at these places, and the others at those along `loops` (length and both strides, the
/// outermost first). All may be read and written, and are reached once. If `RUNS`, both strides
/// are 1.
// Number by number: what is copied as a whole waits for numbers that have just been written.
fn copy_rows<const RUNS: bool, T: Element>(
    (from, source): (Memory<'_, T>, usize),
    (to, place): (Memory<'_, MaybeUninit<T>>, usize),
    loops: &[(usize, isize, isize)],
    len: usize,
    along: isize,
    step: isize,
) {
    let (&(count, read, written), inner) = loops.split_first().unwrap_or((&(1, 0, 0), &[]));
    let (mut source, mut place) = (source, place);
    if inner.is_empty() && count > 1 {
        let (from, to) = ((from, source), (to, place));
        let (rows, steps) = ((count, read, written), if RUNS { (1, 1) } else { (along, step) });
        match len {
            2 => return copy_narrow::<2, _>(from, to, rows, steps),
            3 => return copy_narrow::<3, _>(from, to, rows, steps),
            4 => return copy_narrow::<4, _>(from, to, rows, steps),
            _ => {}
        }
    }
    for _ in 0..count {
        match (along, step) {
            _ if !inner.is_empty() => {
                copy_rows::<RUNS, _>((from, source), (to, place), inner, len, along, step)
            }
            (_, step) if RUNS || step == 1 => {
                // SAFETY: `pointer` has checked the bounds; exclusive by I2.
                let slots = unsafe { std::slice::from_raw_parts_mut(to.pointer(place, len), len) };
                match along {
                    along if RUNS || along == 1 => copy_run(from.stretch(source, len), slots),
                    _ => from.pack_line(source, len, along, slots),
                }
            }
            _ => {
                let first = from.strided(source, along, len);
                let slots = to.strided(place, step, len);
                // SAFETY: `strided` has checked the bounds; readable by I2.
                let read = |i: isize| unsafe { first.offset(i * along).read() };
                // SAFETY: `strided` has checked the bounds; exclusive by I2.
                let write = |i: isize, value| unsafe { (*slots.offset(i * step)).write(value) };
                let len = len as isize;
                // Four are read before any of them is written: the compiler does not know that what
                // is written lies elsewhere.
                for i in (0..len / 4).map(|four| 4 * four) {
                    let [a, b, c, d] = [read(i), read(i + 1), read(i + 2), read(i + 3)];
                    _ = (write(i, a), write(i + 1, b), write(i + 2, c), write(i + 3, d));
                }
                for i in len / 4 * 4..len {
                    write(i, read(i));
                }
            }
        }
        source = source.wrapping_add_signed(read);
        place = place.wrapping_add_signed(written);
    }
}

/// Writes elements to the places along `axes` (length and stride, the outermost first), all of
/// which may be written to and are reached once.
#[inline]
pub(super) fn unpack<S: Element>(
    memory: Memory<'_, S>,
    place: usize,
    axes: &[(usize, isize)],
    from: &[S],
) {
    if const { has_unit::<S>() } {
        unpack_units(memory, place, axes, from);
    } else {
        unpack_any(memory, place, axes, from);
    }
}

/// As [`unpack`], of elements as they are.
#[inline]
pub(super) fn unpack_any<S: Element>(
    memory: Memory<'_, S>,
    place: usize,
    axes: &[(usize, isize)],
    from: &[S],
) {
    match *axes {
        [] => scatter(memory, place, 1, from),
        [(_, stride)] => scatter(memory, place, stride, from),
        [(len, stride), ref inner @ ..] => {
            let period = from.len() / len;
            for (i, from) in from.chunks_exact(period).enumerate() {
                let place = (place as isize + i as isize * stride) as usize;
                match *inner {
                    [(_, stride)] => scatter(memory, place, stride, from),
                    _ => unpack_any(memory, place, inner, from),
                }
            }
        }
    }
}

/// Writes elements to `place`, `place + stride`, .., all of which may be written to.
#[inline]
fn scatter<S: Element>(memory: Memory<'_, S>, place: usize, stride: isize, from: &[S]) {
    let first = memory.strided(place, stride, from.len());
    if stride == 1 && from.len() > SHORT_COPY {
        // SAFETY: `strided` has checked the bounds; exclusive, as `unpack` asks for, so that `from`
        // lies elsewhere.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), first, from.len()) };
        return;
    }
    // SAFETY: `strided` has checked the bounds; exclusive, as `unpack` asks for.
    let write = |i: usize, value: S| unsafe { first.offset(i as isize * stride).write(value) };
    let (fours, rest) = from.as_chunks::<4>();
    for (i, &[a, b, c, d]) in fours.iter().enumerate() {
        write(4 * i, a);
        write(4 * i + 1, b);
        write(4 * i + 2, c);
        write(4 * i + 3, d);
    }
    for (i, &value) in rest.iter().enumerate() {
        write(4 * fours.len() + i, value);
    }
}

impl<'b, T: Element, R: Dimension, E> ViewMut<'b, MaybeUninit<T>, R, E> {
    /// Fills the slots with the elements of a view of the same shape, serially.
    ///
    /// # Panics
    /// If the shapes differ.
    pub fn fill_from(self, from: &View<'_, T, R, E>) -> Filled<'b> {
        let (mut to, mut own) = (*self.layout(), *from.layout());
        assert_eq!(to.shape(), own.shape(), "a view of the same shape");
        if to.is_empty() {
            return self.filled_without_elements();
        }
        // From the inside of the slots to the outside.
        if to.strides().first() < to.strides().last() {
            (to, own) = (to.reversed(), own.reversed());
        }
        if to.is_c_contiguous() {
            let mut axes = Short::new();
            let len = walks(own.shape(), own.strides(), &mut axes);
            let first = self.memory.pointer(to.offset(), len);
            // SAFETY: `pointer` has checked the bounds; the places are those of the view, which is
            // given up, so that nobody else reaches them (I2).
            let slots = unsafe { std::slice::from_raw_parts_mut(first, len) };
            from.memory.pack(own.offset(), &axes, slots);
        } else {
            let loops = loops_of_both(&own, &to);
            copy((from.memory, own.offset()), (self.memory, to.offset()), &loops);
        }
        // SAFETY: there are some elements, and the loops are over all of them.
        unsafe { self.assume_filled() }
    }
}
