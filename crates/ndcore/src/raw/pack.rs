//! The copier: elements along loops, into slots in the order of these.

use super::has_unit;
use super::memory::{Memory, prefetch};
use super::packed::Few;
use crate::LINE;
use crate::element::Element;
use crate::turn::{self, Lines};
use std::mem::MaybeUninit;
use std::ops::Range;

impl<T: Element> Memory<'_, T> {
    /// Copies the elements that lie at `place` and along `axes` (length and stride, the outermost
    /// first) into `to`, one for each slot. All of them may be read.
    #[inline]
    pub(super) fn pack<'t>(
        &self,
        place: usize,
        axes: &[(usize, isize)],
        to: &'t mut [MaybeUninit<T>],
    ) -> &'t mut [T] {
        if const { has_unit::<T>() } {
            self.pack_units(place, axes, to);
        } else {
            self.pack_any(place, axes, to, || false);
        }
        // SAFETY: `pack_axes`, `pack_rows` and `pack_few` write each slot: they cut them into as
        // many equal parts as the loops say, and each of the functions below writes all of what it
        // is given.
        unsafe { to.assume_init_mut() }
    }

    /// As [`pack`](Self::pack), of elements which may say that they are plain bits, without
    /// padding.
    #[inline]
    pub(super) fn pack_any(
        &self,
        place: usize,
        axes: &[(usize, isize)],
        to: &mut [MaybeUninit<T>],
        plain: fn() -> bool,
    ) {
        match *axes {
            _ if to.is_empty() => {}
            // The loops below take longer to choose among than to copy a few elements.
            [(len, stride)] => self.pack_line(place, len, stride, to),
            [down, (columns, 1)] if to.len() <= SHORT_BOX || columns > 4 => {
                self.pack_rows(place, down, columns, to)
            }
            [down, across] if to.len() <= SHORT_BOX || are_short::<T>(down, across) => {
                self.pack_few(place, down, across, to)
            }
            _ => self.pack_axes(place, axes, to, plain),
        }
    }

    /// As [`pack_axes`](Self::pack_axes), of rows of unit stride.
    #[inline]
    fn pack_rows(
        &self,
        place: usize,
        (rows, down): (usize, isize),
        columns: usize,
        to: &mut [MaybeUninit<T>],
    ) {
        assert!(to.len() == rows * columns, "a slot for each element");
        let first = self.plane(place, (rows, down), (columns, 1)).cast_const();
        for (row, to) in to.chunks_exact_mut(columns).enumerate() {
            let row = first.wrapping_offset(row as isize * down);
            // SAFETY: `plane` has checked the bounds; readable by what `pack` asks for.
            copy_run(unsafe { std::slice::from_raw_parts(row, columns) }, to);
        }
    }

    /// As [`pack_axes`](Self::pack_axes) of two axes, one element at a time.
    #[inline]
    fn pack_few(
        &self,
        place: usize,
        (rows, down): (usize, isize),
        (columns, across): (usize, isize),
        to: &mut [MaybeUninit<T>],
    ) {
        assert!(to.len() == rows * columns, "a slot for each element");
        let first = self.plane(place, (rows, down), (columns, across));
        let mut left = to;
        for row in 0..rows {
            let (to, rest) = std::mem::take(&mut left).split_at_mut(columns);
            left = rest;
            let first = first.wrapping_offset(row as isize * down);
            // SAFETY: `plane` has checked the bounds; readable by what `pack` asks for.
            let read = |i: usize| unsafe { first.offset(i as isize * across).read() };
            let (fours, rest) = to.as_chunks_mut::<4>();
            let whole = 4 * fours.len();
            for (k, four) in fours.iter_mut().enumerate() {
                let k = 4 * k;
                *four = [read(k), read(k + 1), read(k + 2), read(k + 3)].map(MaybeUninit::new);
            }
            for (k, to) in rest.iter_mut().enumerate() {
                to.write(read(whole + k));
            }
        }
    }

    /// The address of the first of some elements that lie along two axes, all of them in bounds.
    #[inline]
    pub(super) fn plane(
        &self,
        place: usize,
        (rows, down): (usize, isize),
        (columns, across): (usize, isize),
    ) -> *mut T {
        let last = |len: usize, stride: isize| (len as isize - 1).checked_mul(stride);
        let inside = |by: isize| place.wrapping_add_signed(by) < self.len;
        // The four corners. Since `self.len` is at most `isize::MAX`, what wraps is above it.
        let corners = last(rows, down).zip(last(columns, across));
        let corners = corners.is_some_and(|(down, across)| {
            inside(0) && inside(down) && inside(across) && inside(down.wrapping_add(across))
        });
        assert!(corners, "elements outside of their memory");
        self.address(place)
    }

    /// The element at a place.
    #[inline]
    fn at(&self, place: usize) -> T {
        self.stretch(place, 1)[0]
    }

    /// Copies the elements at `place`, `place + stride`, ..
    #[inline]
    fn gather(&self, place: usize, stride: isize, to: &mut [MaybeUninit<T>]) {
        let first = self.strided(place, stride, to.len());
        // SAFETY: `strided` has checked the bounds; readable by what `pack` asks for.
        let read = |i: usize| unsafe { first.offset(i as isize * stride).read() };
        // Four at a time are stored as one.
        let (fours, rest) = to.as_chunks_mut::<4>();
        let whole = 4 * fours.len();
        // Across gaps the processor's own prefetching falls behind.
        let ahead =
            (AHEAD_BYTES / (stride.unsigned_abs() * size_of::<T>()).max(1)).max(AHEAD) as isize;
        for (k, four) in fours.iter_mut().enumerate() {
            prefetch::<true, T>(*self, place as isize + (4 * k as isize + ahead) * stride, 1);
            four.write_copy_of_slice(&[
                read(4 * k),
                read(4 * k + 1),
                read(4 * k + 2),
                read(4 * k + 3),
            ]);
        }
        for (k, to) in rest.iter_mut().enumerate() {
            to.write(read(whole + k));
        }
    }

    /// Writes all of `to`, whose length is the product of the lengths in `axes`; `axes` lists
    /// (length, stride) from the outermost.
    #[inline(never)]
    fn pack_axes(
        &self,
        place: usize,
        axes: &[(usize, isize)],
        to: &mut [MaybeUninit<T>],
        plain: fn() -> bool,
    ) {
        match *axes {
            [] => self.pack_line(place, 1, 1, to),
            [(len, stride)] => self.pack_line(place, len, stride, to),
            [(rows, 1), ref between @ .., (columns, stride)] if stride.unsigned_abs() > 1 => {
                let pitch = to.len() / rows;
                if between.is_empty() && is_by_lines(rows, columns, to) && plain() {
                    return self.pack_by_lines(place, rows, (columns, stride), to, plain);
                }
                // Where there are axes in between, a row is written over all of them before the
                // next ones are: of the rows that are read, all of each line is used by then.
                let some = match between.is_empty() {
                    true => ROWS,
                    false => (ROWS_BYTES / size_of::<T>().max(1)).max(1),
                };
                let turn = Turn { pitch, easy: is_easy(to, pitch), plain };
                for first in (0..rows).step_by(some) {
                    let (rows, to) = (some.min(rows - first), &mut to[first * pitch..]);
                    let columns = (columns, stride);
                    self.pack_transposed(place + first, rows, between, columns, to, turn);
                }
            }
            [(_, stride), (len, 0)] if len < SHORT_LINE => {
                self.pack_repeated(place, stride, len, to)
            }
            [(_, 0), (len, 1)] if len <= SHORT_COPY => self.pack_again(place, (1, 0), len, to),
            [outer, (_, 0), (len, 1)] if len <= SHORT_COPY => {
                self.pack_again(place, outer, len, to)
            }
            [(_, 0), ref inner @ ..] => {
                let period = inner.iter().map(|(len, _)| len).product();
                self.pack_axes(place, inner, &mut to[..period], plain);
                let mut filled = period;
                while filled < to.len() {
                    let more = filled.min(to.len() - filled);
                    to.copy_within(..more, filled);
                    filled += more;
                }
            }
            [rows, (2, 1)] => self.pack_narrow::<2>(place, (1, 0), rows, to),
            [rows, (3, 1)] => self.pack_narrow::<3>(place, (1, 0), rows, to),
            [rows, (4, 1)] => self.pack_narrow::<4>(place, (1, 0), rows, to),
            [outer, rows, (2, 1)] if rows.0 <= FEW_ROWS => {
                self.pack_narrow::<2>(place, outer, rows, to)
            }
            [outer, rows, (3, 1)] if rows.0 <= FEW_ROWS => {
                self.pack_narrow::<3>(place, outer, rows, to)
            }
            [outer, rows, (4, 1)] if rows.0 <= FEW_ROWS => {
                self.pack_narrow::<4>(place, outer, rows, to)
            }
            [outer, rows, (8, 1)] if rows.0 <= FEW_ROWS => {
                self.pack_narrow::<8>(place, outer, rows, to)
            }
            [down, (columns, 1)] => self.pack_rows(place, down, columns, to),
            [(len, stride), ref inner @ ..] => {
                let period = to.len() / len;
                for (i, to) in to.chunks_exact_mut(period).enumerate() {
                    let place = (place as isize + i as isize * stride) as usize;
                    self.pack_axes(place, inner, to, plain);
                }
            }
        }
    }

    /// `len` elements that lie `stride` apart.
    // A function by itself, in which the slots are known to lie where nothing else does, and which
    // leaves the registers of its callers alone.
    #[inline(never)]
    pub(super) fn pack_line(
        &self,
        place: usize,
        len: usize,
        stride: isize,
        to: &mut [MaybeUninit<T>],
    ) {
        match stride {
            1 => copy_run(self.stretch(place, len), to),
            0 => to.fill(MaybeUninit::new(self.at(place))),
            -1 => self.backwards(place, len, to),
            2 => self.every::<2>(place, to),
            3 => self.every::<3>(place, to),
            4 => self.every::<4>(place, to),
            _ => self.gather(place, stride, to),
        }
    }

    /// Elements that lie side by side, the last one first. Many are fetched ahead of their use, as
    /// for [`every`](Self::every).
    #[inline]
    fn backwards(&self, place: usize, len: usize, to: &mut [MaybeUninit<T>]) {
        let from = self.stretch(place + 1 - len, len);
        let copy = |to: &mut [MaybeUninit<T>], from: &[T]| {
            to.iter_mut().zip(from.iter().rev()).for_each(|(to, from)| _ = to.write(*from));
        };
        if size_of_val(from) <= AHEAD_BYTES {
            return copy(to, from);
        }
        let some = (4 * LINE / size_of::<T>().max(1)).max(1);
        let ahead = (AHEAD_BYTES / size_of::<T>().max(1)) as isize;
        for (number, (to, from)) in to.chunks_mut(some).zip(from.rchunks(some)).enumerate() {
            prefetch::<true, T>(
                *self,
                place as isize - ((number + 1) * some) as isize - ahead,
                some,
            );
            copy(to, from);
        }
    }

    /// Elements that lie so few apart that each cache line has several: known to the compiler,
    /// which then reads vectors.
    #[inline]
    fn every<const STRIDE: usize>(&self, place: usize, to: &mut [MaybeUninit<T>]) {
        let Some((last, to)) = to.split_last_mut() else { return };
        let from = self.stretch(place, to.len() * STRIDE + 1);
        let (from, rest) = from.as_chunks::<STRIDE>();
        last.write(rest[0]);
        // A page ends soon, and the processor does not fetch beyond one by itself.
        let far = size_of_val(from) > AHEAD_BYTES;
        let ahead = (AHEAD_BYTES / size_of::<T>().max(1)) as isize;
        let (eights, few) = to.as_chunks_mut::<8>();
        let (from, rest) = from.as_chunks::<8>();
        // Without a loop over the eight: one for whatever number leaves some of them to be copied
        // one by one.
        for (number, (to, from)) in eights.iter_mut().zip(from).enumerate() {
            if far {
                prefetch::<true, T>(
                    *self,
                    (place + number * 8 * STRIDE) as isize + ahead,
                    8 * STRIDE,
                );
            }
            *to = from.map(|some| MaybeUninit::new(some[0]));
        }
        for (to, from) in few.iter_mut().zip(rest) {
            to.write(from[0]);
        }
    }

    /// Elements that lie `stride` apart, each `times` over: a few, such as the channels of a pixel.
    fn pack_repeated(&self, place: usize, stride: isize, times: usize, to: &mut [MaybeUninit<T>]) {
        fn known<const N: usize, T: Element>(to: &mut [MaybeUninit<T>], from: &[T]) {
            for (to, from) in to.as_chunks_mut().0.iter_mut().zip(from) {
                *to = [MaybeUninit::new(*from); N];
            }
        }
        let repeat = |to: &mut [MaybeUninit<T>], from: &T| {
            let (whole, rest) = to.as_chunks_mut::<16>();
            whole.iter_mut().for_each(|to| *to = [MaybeUninit::new(*from); 16]);
            rest.iter_mut().for_each(|to| _ = to.write(*from));
        };
        let len = to.len() / times;
        if stride == 1 {
            let from = self.stretch(place, len);
            match times {
                // Lengths known to the compiler: straight stores in place of a loop for each
                // element.
                2 => known::<2, T>(to, from),
                3 => known::<3, T>(to, from),
                4 => known::<4, T>(to, from),
                _ => to.chunks_exact_mut(times).zip(from).for_each(|(to, from)| repeat(to, from)),
            }
        } else {
            for (i, to) in to.chunks_exact_mut(times).enumerate() {
                repeat(to, &self.at((place as isize + i as isize * stride) as usize));
            }
        }
    }

    /// Rows of so few elements side by side that the compiler knows, such as the channels of a
    /// pixel, or those of blocks of an image: to begin a row takes longer.
    fn pack_narrow<const N: usize>(
        &self,
        place: usize,
        (count, apart): (usize, isize),
        (rows, stride): (usize, isize),
        to: &mut [MaybeUninit<T>],
    ) {
        let first = self.plane(place, (rows, stride), (N, 1));
        let last = (count as isize - 1).checked_mul(apart).expect("elements in bounds");
        // Between the first and the last, none lies further on than one of the two.
        let _ = self.plane(place.wrapping_add_signed(last), (rows, stride), (N, 1));
        let blocks = to.as_chunks_mut::<N>().0.chunks_exact_mut(rows);
        for (block, to) in (0..count as isize).zip(blocks) {
            for (row, to) in (0..rows as isize).zip(to) {
                let from = first.wrapping_offset(block * apart + row * stride);
                // SAFETY: `plane` has checked the bounds; readable by what `pack` asks for.
                let from = unsafe { from.cast::<[T; N]>().read() };
                *to = from.map(MaybeUninit::new);
            }
        }
    }

    /// `len` elements side by side, again and again, and then those `stride` further on: a few,
    /// such as the coordinates of points.
    fn pack_again(
        &self,
        place: usize,
        (count, stride): (usize, isize),
        len: usize,
        to: &mut [MaybeUninit<T>],
    ) {
        /// Copies whose length is known to the compiler, and so no loop each.
        #[inline(always)]
        fn copy<const N: usize, T: Element>(from: &[T], to: &mut [MaybeUninit<T>]) {
            let from: &[T; N] = from.try_into().expect("as many elements");
            for to in to.as_chunks_mut::<N>().0 {
                to.write_copy_of_slice(from);
            }
        }
        let period = to.len() / count;
        let parts = to.chunks_exact_mut(period).enumerate().map(|(i, to)| {
            let place = (place as isize + i as isize * stride) as usize;
            (self.stretch(place, len), to)
        });
        match len {
            2 => parts.for_each(|(from, to)| copy::<2, T>(from, to)),
            3 => parts.for_each(|(from, to)| copy::<3, T>(from, to)),
            4 => parts.for_each(|(from, to)| copy::<4, T>(from, to)),
            8 => parts.for_each(|(from, to)| copy::<8, T>(from, to)),
            16 => parts.for_each(|(from, to)| copy::<16, T>(from, to)),
            _ => parts.for_each(|(from, to)| {
                for to in to.chunks_exact_mut(len) {
                    to.iter_mut().zip(from).for_each(|(to, from)| _ = to.write(*from));
                }
            }),
        }
    }

    /// As [`pack_axes`](Self::pack_axes) of two axes, the outer one of unit stride, where
    /// [`is_by_lines`] says so: as many rows at a time as each line that is read has elements, by
    /// way of a buffer. So what is written lies side by
    /// side: what goes to one page after the other, and across lines, takes longer.
    fn pack_by_lines(
        &self,
        place: usize,
        rows: usize,
        (columns, stride): (usize, isize),
        to: &mut [MaybeUninit<T>],
        plain: fn() -> bool,
    ) {
        let (line, pitch) = (LINE / size_of::<T>(), to.len() / rows);
        let mut buffer = Few::<BUFFER_BYTES>::of_bytes();
        let some = SIDE_BY_SIDE;
        for row in (0..rows).step_by(line) {
            let row = row.min(rows - line);
            for column in (0..columns).step_by(some) {
                let len = some.min(columns - column);
                // An odd number of lines: rows do not share one place of a cache.
                let apart = (len.div_ceil(line) | 1) * line;
                let from = place.wrapping_add_signed(column as isize * stride) + row;
                let buffer = buffer.slots(line * apart).expect("a buffer of as many");
                let turn = Turn { pitch: apart, easy: true, plain };
                self.pack_transposed(from, line, &[], (len, stride), buffer, turn);
                for (buffer, row) in buffer.chunks_exact(apart).zip(row..) {
                    let slots = &mut to[row * pitch + column..][..len];
                    slots.copy_from_slice(&buffer[..len]);
                }
            }
        }
    }

    /// Of axes of which the outermost has unit stride, a few rows, whose lines stay in the cache
    /// until they are full: `to[i * pitch + j]` becomes the element at `place + i + j * stride`,
    /// for each index along the axes in between.
    fn pack_transposed(
        &self,
        place: usize,
        rows: usize,
        between: &[(usize, isize)],
        (columns, stride): (usize, isize),
        to: &mut [MaybeUninit<T>],
        turn: Turn,
    ) {
        if let [(len, apart), ref between @ ..] = *between {
            let period = between.iter().map(|(len, _)| len).product::<usize>() * columns;
            for i in 0..len {
                let place = (place as isize + i as isize * apart) as usize;
                let to = &mut to[i * period..];
                self.pack_transposed(place, rows, between, (columns, stride), to, turn);
            }
            return;
        }
        // The last element of each column.
        self.strided(place + rows - 1, stride, columns);
        // Columns of which a first-level cache has so many lines: of those that lie pages apart all
        // have one place in it.
        let apart = stride.unsigned_abs().saturating_mul(size_of::<T>());
        let held = WAYS * (PAGE >> apart.trailing_zeros().min(PAGE.ilog2())).min(PAGE / LINE);
        // What lies in a second-level cache comes soon enough: then it is better written in order,
        // line by line, than read so.
        let near = columns.saturating_mul(apart) <= NEAR_BYTES && columns.min(NEAR_LINES) <= held;
        let side_by_side = match near {
            true => NEAR_LINES,
            // One at a time of those that are longer than a line.
            false => (LINE / size_of::<T>().max(1)).max(1),
        };
        let from = self.strided(place, stride, columns);
        let crowded = held < side_by_side + AHEAD;
        // The next columns lie far away, each on its own: no hardware prefetcher sees them coming.
        let fetch = |read: Range<usize>| {
            if near {
                return;
            }
            let ahead = if crowded { 2 * AHEAD } else { AHEAD };
            for column in (read.start + ahead)..(read.end + ahead).min(columns) {
                let place = place as isize + column as isize * stride;
                match crowded {
                    true => prefetch::<false, T>(*self, place, rows),
                    false => prefetch::<true, T>(*self, place, rows),
                }
            }
        };
        let Turn { pitch, easy, plain } = turn;
        let whole = easy && columns.saturating_mul(apart) <= WHOLE_BYTES;
        let lines = Lines { from, stride, rows, columns, pitch, side_by_side, whole, plain };
        // SAFETY: the columns begin within the memory, and the last of them ends within it, by the
        // checks above; so does each element between them, which may be read by what `pack` asks
        // for; elements are plain if `pack_any` was told so.
        unsafe { turn::transpose(lines, to, fetch) };
    }
}

/// How rows are written that were columns.
#[derive(Clone, Copy)]
struct Turn {
    /// From row to row.
    pitch: usize,
    /// Whether a vector here and one there takes no longer than those of one row after the other.
    easy: bool,
    /// Whether elements are plain bits, without padding.
    plain: fn() -> bool,
}

/// Whether a vector here and one there takes no longer than row after row: into a first-level
/// cache, and where none lies on two lines.
#[inline]
fn is_easy<T>(to: &[T], pitch: usize) -> bool {
    size_of_val(to) <= BUFFER_BYTES || begin_lines(to, pitch)
}

/// Whether it pays to write so many rows and columns as [`Memory::pack_by_lines`] does.
#[inline]
fn is_by_lines<T: Element>(rows: usize, columns: usize, to: &[MaybeUninit<T>]) -> bool {
    let line = const { if has_unit::<T>() { LINE / size_of::<T>() } else { 0 } };
    let pitch = to.len() / rows;
    let odd = pitch / line.max(1) % 2 == 1;
    let many = line > 1 && rows >= line && columns >= line;
    let bytes = size_of_val(to);
    many && bytes > NEAR_BYTES && bytes <= FAR_BYTES && !(begin_lines(to, pitch) && odd)
}

/// Whether each row begins with a line.
#[inline]
fn begin_lines<T>(to: &[T], pitch: usize) -> bool {
    (to.as_ptr().addr() | pitch.wrapping_mul(size_of::<T>())).is_multiple_of(LINE)
}

/// Whether some rows of elements that lie near each other, or are few, are so short that a loop for
/// each would take longer than to copy it.
#[inline]
fn are_short<T>((rows, down): (usize, isize), (columns, across): (usize, isize)) -> bool {
    let (runs, few) = (across == 1, rows * columns * size_of::<T>() <= SHORT_BYTES);
    let (apart, across) = (down.unsigned_abs(), across.unsigned_abs());
    let near = (1..=4).contains(&across) && apart > across;
    !runs && across > 0 && (columns <= SHORT_COPY && near || columns <= 2 * SHORT_COPY && few)
}

/// Copies elements side by side.
#[inline(always)]
pub(super) fn copy_run<T: Element>(from: &[T], to: &mut [MaybeUninit<T>]) {
    // To call for a copy of a few would take longer than to make it.
    if from.len() <= const { if size_of::<T>() < 4 { SHORT_COPY } else { 256 / size_of::<T>() } } {
        copy_short(from, to);
    } else {
        to.write_copy_of_slice(from);
    }
}

/// Copies a few elements: as two halves that may overlap; fewer than four, one by one. Of a loop
/// over parts, compilers make the call that takes longer.
#[inline(always)]
fn copy_short<T: Element>(from: &[T], to: &mut [MaybeUninit<T>]) {
    assert_eq!(from.len(), to.len(), "a slot for each element");
    match from.len() {
        ..4 => {
            copy_ends::<1, T>(from, to);
            if let ([_, two, ..], [_, to, ..]) = (from, to) {
                to.write(*two);
            }
        }
        4..=8 => copy_ends::<4, T>(from, to),
        9..=16 => copy_ends::<8, T>(from, to),
        17..=32 => copy_ends::<16, T>(from, to),
        33..=64 => copy_ends::<32, T>(from, to),
        _ => {
            to.write_copy_of_slice(from);
        }
    }
}

/// Copies the first and the last elements, if there are so many.
#[inline(always)]
fn copy_ends<const N: usize, T: Element>(from: &[T], to: &mut [MaybeUninit<T>]) {
    if let (Some(first), Some(to)) = (from.first_chunk::<N>(), to.first_chunk_mut::<N>()) {
        to.write_copy_of_slice(first);
    }
    if let (Some(last), Some(to)) = (from.last_chunk::<N>(), to.last_chunk_mut::<N>()) {
        to.write_copy_of_slice(last);
    }
}

/// How many columns are transposed into a buffer at a time, and its size, which a first-level cache
/// holds: an odd number of lines for each row, and as many rows as elements of a line.
const SIDE_BY_SIDE: usize = 512;
const BUFFER_BYTES: usize = (SIDE_BY_SIDE + LINE) * LINE;

/// How many rows are transposed at a time.
pub(super) const ROWS: usize = 128;

/// The bytes of each line that are, where lines lie along several axes.
const ROWS_BYTES: usize = LINE;

/// How many columns, or elements far from each other, are fetched ahead of their use.
pub(super) const AHEAD: usize = 16;

/// The bytes of a page, and of each way of a first-level cache, which has at least so many ways.
const PAGE: usize = 1 << 12;
const WAYS: usize = 8;

/// Columns that lie within so many bytes are not fetched, and no more than that are not written by
/// lines.
const NEAR_BYTES: usize = 1 << 20;

/// More than this is not written by lines: it is waited for in either order.
const FAR_BYTES: usize = 4 << 20;

/// The lines of columns that lie within so many bytes come soon enough to be read as a whole, each
/// once. Those from afar are waited for less if they are read in parts, once they were fetched.
const WHOLE_BYTES: usize = 2 << 20;

/// How many lines of a cache are read again and again until they are used up.
const NEAR_LINES: usize = 256;

/// How many bytes ahead of their use elements near each other are fetched.
const AHEAD_BYTES: usize = 1536;

/// So few narrow rows of a block are not worth a call.
const FEW_ROWS: usize = 16;

/// Copies of so few elements are made one by one.
pub(super) const SHORT_COPY: usize = 16;

/// Boxes of so few elements are copied by the simplest loop.
const SHORT_BOX: usize = 64;

/// Rows of so many bytes altogether lie near each other, whatever lies between them.
const SHORT_BYTES: usize = 1 << 12;

/// Lines of fewer elements than this are not worth a loop of their own.
const SHORT_LINE: usize = 512;
