//! Sums in the type of the elements, where those of a result are few: to widen what has come of
//! them, and narrow each sum, takes several times as long as to add them up.
//!
//! Those of integers are exact, if none of them overflows on the way; else all of them are computed
//! in a wider type. Those of floating-point numbers are the same as by the kernels, to the bit:
//! what their lanes hold has this type, and one block of them is widened and narrowed back.

use super::along::folded;
use crate::exec::{self, Cuts, Exec, Parted, work_of};
use crate::kernel::{Folded, Isa, Kernel};
use crate::number::{Inexact, Integer};
use crate::plan::{BLOCK_LEN, LANES};
use crate::trace;
use crate::types::View;
use bcast::Error;
use ndcore::{Dimension, Element, Extents, LINE, Layout, reserved_for_array};
use std::cell::Cell;
use std::fmt;

/// Sums in the type of the elements, as they are compiled with this crate.
pub struct OwnType<T: Element, Output: Element> {
    nothing: Output,
    /// The sum of a list, if there is such a function, and it does not overflow.
    pub(super) slice: Option<fn(&[T]) -> Option<Output>>,
    /// Whether sums of these extents are computed so: lists for `some` have at most 4096 elements.
    takes: fn(&Folded) -> bool,
    /// Those of some results, from the one of a number on; whether none of them overflows.
    some: fn(Isa, &[T], &Folded, usize, &mut [Output]) -> bool,
}

impl<T: Element, Output: Element> fmt::Debug for OwnType<T, Output> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnType").finish_non_exhaustive()
    }
}

impl<T: Integer> OwnType<T, T> {
    /// Those of integers, of which 0 is `nothing`.
    pub(crate) const fn of(nothing: T) -> Self {
        OwnType {
            nothing,
            slice: Some(|slice| {
                let (sum, fits) = T::sum_of_list(slice);
                fits.then_some(sum)
            }),
            takes: |folded| match folded.inner {
                1 => folded.len <= BLOCK_LEN,
                inner => inner >= FEW_COLUMNS,
            },
            some: |isa, elements, folded, first, results| {
                let sums = Sums { elements, folded: *folded, first, fit: Cell::new(true) };
                isa.dispatch(&sums, results);
                sums.fit.get()
            },
        }
    }
}

impl<T: Inexact<Acc = T>> OwnType<T, T> {
    /// Those of floating-point numbers, of which 0 is `nothing`: the mean, or the sum.
    pub(crate) const fn of_columns<const MEAN: bool>(nothing: T) -> Self {
        OwnType {
            nothing,
            slice: None,
            takes: |&Folded { len, inner, .. }| {
                let many = if len <= FEWEST_ROWS { SOME_COLUMNS } else { MANY_COLUMNS };
                (2..=FEW_ROWS).contains(&len) && inner >= many
            },
            some: |isa, elements, folded, first, results| {
                let columns = Columns::<MEAN, T> { elements, folded: *folded, first };
                isa.dispatch(&columns, results);
                true
            },
        }
    }
}

/// At most so many rows of at least so many columns are added up in this way.
const FEW_ROWS: usize = 64;
const MANY_COLUMNS: usize = 1 << 8;

/// Of fewer rows, fewer columns are.
const FEWEST_ROWS: usize = 8;
const SOME_COLUMNS: usize = 1 << 6;

/// Whether the last axis is not reduced, and long enough that there may be so many columns.
#[inline(always)]
pub(super) fn has_columns(shape: &[usize], mask: u32) -> bool {
    let last = shape.len().wrapping_sub(1);
    shape.last().is_some_and(|&columns| columns >= SOME_COLUMNS && mask & (1 << last) == 0)
}

/// The most elements of a list that are added up without a choice of the instruction set; of more,
/// wider types take no longer.
pub(super) const FEW_IN_OWN_TYPE: usize = 1 << 5;

/// Fewer results side by side are added up as rows of several.
const FEW_COLUMNS: usize = 16;

/// The bytes of results side by side that are worth a thread: two that read parts of shorter rows
/// by turns take longer than one. Of more elements than these bytes threads share rows, by a plan,
/// if so not all of them would have some.
const SHARED_BYTES: usize = 1 << 12;
const MOST_OF_FEW: usize = 1 << 24;

/// With fewer results, threads share the elements of each.
const FEW_TO_SHARE: usize = 1 << 6;

/// The sums along the axes of a mask, in a layout of as many elements in row-major order, if they
/// are computed so, and none of them overflows.
pub(super) fn sums_in_own_type<T, O, R, S>(
    own: &OwnType<T, O>,
    view: &View<'_, T, R>,
    mask: u32,
    layout: &Layout<S>,
    exec: &Exec,
) -> Result<Option<Vec<O>>, Error>
where
    T: Element,
    O: Element,
    R: Dimension,
    S: Dimension,
{
    let Some((elements, folded)) = folded(view, mask) else { return Ok(None) };
    let (len, count) = (elements.len(), folded.outer * folded.inner);
    let mut tasks = exec.tasks(len, work_of(size_of::<T>(), 1));
    let shared = tasks > 1 && count < FEW_TO_SHARE;
    if folded.inner > 1 {
        let worth = count * size_of::<T>() / SHARED_BYTES;
        if worth < tasks && tasks > 1 && size_of_val(elements) > MOST_OF_FEW {
            return Ok(None);
        }
        tasks = tasks.min(worth);
    }
    if len == 0 || shared || layout.size() != count || !(own.takes)(&folded) {
        return Ok(None);
    }
    let _span = (len > super::along::FEW_ALONG)
        .then(|| trace::unplanned("OneRun", view.shape(), size_of_val(elements)));
    let mut sums = reserved_for_array(count, layout.shape())?;
    sums.resize(count, own.nothing);
    let fit = if tasks <= 1 {
        (own.some)(exec.isa, elements, &folded, 0, &mut sums)
    } else {
        let (enough, line) = (count.div_ceil(tasks), [(LINE / size_of::<O>().max(1)).max(1)]);
        let (cuts, results) = (Cuts { at: &line, best: &line }, Results::of(&mut sums));
        exec::split(cuts, results, Extents::filled(0, 1), enough, &|results, start| {
            Ok((own.some)(exec.isa, elements, &folded, start[0], results.sums))
        })?
    };
    Ok(fit.then_some(sums))
}

/// Some results, which threads share.
struct Results<'s, T> {
    sums: &'s mut [T],
    extents: [usize; 1],
}

impl<'s, T> Results<'s, T> {
    fn of(sums: &'s mut [T]) -> Self {
        Results { extents: [sums.len()], sums }
    }
}

impl<T: Element> Parted for Results<'_, T> {
    /// Whether all sums are right.
    type Done = bool;

    fn extents(&self) -> &[usize] {
        &self.extents
    }

    fn split_at(self, _: usize, mid: usize) -> (Self, Self) {
        let (low, high) = self.sums.split_at_mut(mid);
        (Results::of(low), Results::of(high))
    }

    fn join(one: bool, other: bool) -> bool {
        one && other
    }
}

/// Results side by side that are left, a piece at a time.
struct Pieces<'s, T> {
    folded: Folded,
    /// The number of the next one.
    number: usize,
    left: &'s mut [T],
    most: usize,
}

impl<'s, T> Pieces<'s, T> {
    /// The next ones, at most `most`, and the place of the first element of the first of them.
    #[inline(always)]
    fn next(&mut self) -> Option<(&'s mut [T], usize)> {
        let Folded { len, inner, .. } = self.folded;
        let (outer, column) = (self.number / inner, self.number % inner);
        let some = self.left.len().min(inner - column).min(self.most);
        self.number += some;
        let piece = self.left.split_off_mut(..some).filter(|piece| !piece.is_empty())?;
        Some((piece, outer * len * inner + column))
    }
}

/// The bytes of a piece of results: with a row of their elements they stay in the nearest cache.
const PIECE_BYTES: usize = 1 << 13;

/// Sums of results from one on.
struct Sums<'a, T> {
    elements: &'a [T],
    folded: Folded,
    first: usize,
    fit: Cell<bool>,
}

impl<T: Integer> Kernel for Sums<'_, T> {
    type Slot = T;
    type Held = ();

    #[inline(always)]
    fn held(&self) {}

    #[inline(always)]
    fn run(&self, (): (), sums: &mut [T], start: usize) {
        let Folded { len, inner, .. } = self.folded;
        let (number, mut over, mut fit) = (self.first + start, T::zero(), self.fit.get());
        if inner == 1 {
            let rows = self.elements[number * len..].chunks_exact(len);
            for (sum, row) in sums.iter_mut().zip(rows) {
                let (of_row, fits) = T::sum_of_list(row);
                (*sum, fit) = (of_row, fit & fits);
                if !fit {
                    break;
                }
            }
            return self.fit.set(fit);
        }
        let most = PIECE_BYTES / size_of::<T>();
        let mut pieces = Pieces { folded: self.folded, number, left: sums, most };
        while let Some((sums, place)) = pieces.next() {
            let some = sums.len();
            sums.copy_from_slice(&self.elements[place..][..some]);
            for row in 1..len {
                let row = &self.elements[place + row * inner..][..some];
                for (sum, &x) in sums.iter_mut().zip(row) {
                    *sum = sum.add_in_own_type(x, &mut over);
                }
            }
            if over.is_over() {
                break;
            }
        }
        self.fit.set(fit && !over.is_over());
    }
}

/// The columns of few rows.
struct Columns<'a, const MEAN: bool, T> {
    elements: &'a [T],
    folded: Folded,
    first: usize,
}

/// So many columns at a time, of which all lanes stay in the nearest cache.
const SIDE: usize = 64;

impl<const MEAN: bool, T: Inexact<Acc = T>> Kernel for Columns<'_, MEAN, T> {
    type Slot = T;
    type Held = ();

    #[inline(always)]
    fn held(&self) {}

    #[inline(always)]
    fn run(&self, (): (), sums: &mut [T], start: usize) {
        let Folded { len, inner, .. } = self.folded;
        // Each of the first rows has a lane, and is added to the one that its lane is joined with
        // first, or which follows it there.
        let apart = if len > LANES { LANES } else { len.next_power_of_two() / 2 };
        let number = self.first + start;
        let mut pieces = Pieces { folded: self.folded, number, left: sums, most: SIDE };
        let mut lanes = [[T::zero(); SIDE]; LANES];
        while let Some((sums, place)) = pieces.next() {
            let some = sums.len();
            let row = |row: usize| &self.elements[place + row * inner..][..some];
            if apart == 1 {
                self.finish(sums, row(0), row(1));
                continue;
            }
            for (number, lane) in lanes[..apart].iter_mut().enumerate() {
                match number + apart < len {
                    true => add_both(&mut lane[..some], row(number), row(number + apart)),
                    false => lane[..some].copy_from_slice(row(number)),
                }
            }
            for number in 2 * apart..len {
                let lane = &mut lanes[number % LANES][..some];
                add_to(lane, row(number));
            }
            let mut half = apart / 2;
            while half > 1 {
                let (low, high) = lanes.split_at_mut(half);
                for (low, high) in low.iter_mut().zip(high) {
                    add_to(&mut low[..some], &high[..some]);
                }
                half /= 2;
            }
            self.finish(sums, &lanes[0][..some], &lanes[1][..some]);
        }
    }
}

impl<const MEAN: bool, T: Inexact<Acc = T>> Columns<'_, MEAN, T> {
    /// The results of the last two lanes.
    #[inline(always)]
    fn finish(&self, sums: &mut [T], a: &[T], b: &[T]) {
        for ((sum, &a), &b) in sums.iter_mut().zip(a).zip(b) {
            let acc = a + b;
            let total = T::total(acc);
            let total = if MEAN { total / self.folded.len as f64 } else { total };
            *sum = T::narrow(total, "sum").unwrap_or(acc);
        }
    }
}

/// Adds the elements of one list to those of another.
#[inline(always)]
fn add_to<T: Inexact>(to: &mut [T], from: &[T]) {
    for (to, &from) in to.iter_mut().zip(from) {
        *to += from;
    }
}

/// The sums of the elements of two lists.
#[inline(always)]
fn add_both<T: Inexact>(to: &mut [T], a: &[T], b: &[T]) {
    for ((to, &a), &b) in to.iter_mut().zip(a).zip(b) {
        *to = a + b;
    }
}
