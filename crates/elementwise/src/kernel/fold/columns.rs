//! Results side by side in registers: the columns of few rows ([`Columns`]), and what short rows
//! share with them.

use super::ROUNDS;
use super::accumulate::{join, step_all};
use super::load::{each_lane, load_near, load_some};
use super::row::{Aligned, total_of_row};
use crate::kernel::block::{Block, Reads, reaches};
use crate::kernel::isa::Kernel;
use crate::plan::LANES;
use crate::reduce::{Accumulator, Lanes, Place, Reduction};
use ndcore::{Element, Runs};
use std::hint::{assert_unchecked, black_box};
use std::mem::take;

/// The totals of as many results side by side as lanes, of so many elements each, of which `load`
/// gives those with one number: the accumulators of one lane of all of them lie together, so
/// that what comes after the elements, which for few elements is most of the work, is done for all
/// of them at a time. The same as one by one, to the bit. `UNROLLED` takes half of the time for
/// many calls of one length, but more to compile, and to begin with.
#[inline(always)]
pub(super) fn fold_side_by_side<T: Element, F: Reduction<T>, const UNROLLED: bool>(
    op: &F,
    len: usize,
    before: usize,
    load: impl Fn(usize) -> [T; LANES],
) -> [F::Total; LANES] {
    if F::EXACT || F::JOINS {
        let (accs, place) = if F::EXACT {
            let mut accs = taken(op, len, &load, 0, 1);
            if size_of::<F::Acc>() > size_of::<T>() {
                // Through memory. Else the compiler keeps the parts beside the elements one by one,
                // because that is how they are taken apart at last.
                accs = black_box(&mut Aligned(accs)).0;
            }
            (accs, Place { first: before, len, step: 1 })
        } else {
            let nothing = op.start().spread();
            let joined = if len <= 2 * LANES {
                // One element for each lane, or two, take no loop.
                by_halves::<_, UNROLLED>(
                    len,
                    nothing,
                    #[inline(always)]
                    |lane| {
                        let mut accs = nothing;
                        step_all::<T, F>(op, &mut accs, load(lane), 0);
                        if lane + LANES < len {
                            step_all::<T, F>(op, &mut accs, load(lane + LANES), 1);
                        }
                        accs
                    },
                    #[inline(always)]
                    |low, high| joined_of::<T, F>(op, low, high),
                )
            } else {
                by_halves::<_, false>(
                    len,
                    nothing,
                    #[inline(always)]
                    |lane| taken(op, len, &load, lane, LANES),
                    #[inline(always)]
                    |low, high| joined_of::<T, F>(op, low, high),
                )
            };
            (joined, Place::lane(before, len))
        };
        return each_lane(
            #[inline(always)]
            |result| op.total(F::Acc::get(&accs, result), place),
        );
    }
    merge_side_by_side::<T, F>(
        op,
        (len, before, 0),
        #[inline(always)]
        |lane| taken(op, len, &load, lane, LANES),
    )
}

/// The totals of as many results side by side as lanes, of so many elements each, the first of
/// which has number `before`, and that of each next result one `step` later: from the accumulators
/// of each lane, whose totals are merged by halves.
#[inline(always)]
pub(super) fn merge_side_by_side<T: Element, F: Reduction<T>>(
    op: &F,
    (len, before, step): (usize, usize, usize),
    of_lane: impl Fn(usize) -> Lanes<F, T>,
) -> [F::Total; LANES] {
    // What holds all lanes is as long to be set up as few lanes take.
    match len {
        0..=4 => merge_lanes_side_by_side::<T, F, 4>(op, (len, before, step), of_lane),
        _ => merge_lanes_side_by_side::<T, F, LANES>(op, (len, before, step), of_lane),
    }
}

/// The same, of at most so many lanes.
#[inline(always)]
fn merge_lanes_side_by_side<T: Element, F: Reduction<T>, const MOST: usize>(
    op: &F,
    (len, before, step): (usize, usize, usize),
    of_lane: impl Fn(usize) -> Lanes<F, T>,
) -> [F::Total; LANES] {
    let nothing = op.total(op.start(), Place::lane(0, 0));
    let mut totals = [nothing.spread(); MOST];
    for (lane, totals) in totals.iter_mut().enumerate().take(len) {
        let accs = of_lane(lane);
        for result in 0..LANES {
            let first = before + result * step + lane;
            let place = Place::lane(first, (len - lane).div_ceil(LANES));
            F::Total::set(totals, result, op.total(F::Acc::get(&accs, result), place));
        }
    }
    for half in [8, 4, 2, 1] {
        let Some((low, high)) = totals.split_at_mut_checked(half) else { continue };
        for (low, high) in low.iter_mut().zip(&*high).take(len.saturating_sub(half)) {
            for result in 0..LANES {
                let (a, b) = (F::Total::get(low, result), F::Total::get(high, result));
                F::Total::set(low, result, op.merge(a, b));
            }
        }
    }
    each_lane(
        #[inline(always)]
        |result| F::Total::get(&totals[0], result),
    )
}

/// Accumulators that have been joined with others, lane by lane.
#[inline(always)]
fn joined_of<T: Element, F: Reduction<T>>(
    op: &F,
    mut low: Lanes<F, T>,
    high: Lanes<F, T>,
) -> Lanes<F, T> {
    join(op, &mut low, &high);
    low
}

/// What one accumulator for each result side by side has taken: the elements from `first` on, so
/// many apart.
#[inline(always)]
pub(super) fn taken<T: Element, F: Reduction<T>>(
    op: &F,
    len: usize,
    load: &impl Fn(usize) -> [T; LANES],
    first: usize,
    step: usize,
) -> Lanes<F, T> {
    let (mut accs, mut i, mut round) = (op.start().spread(), first, 0);
    while i < len {
        step_all::<T, F>(op, &mut accs, load(i), round);
        (i, round) = (i + step, round + 1);
    }
    accs
}

/// What all lanes that hold something have come to, of `len` elements: the upper half of them with
/// the lower one, until one is left. Each lane is asked for when it is needed, so that few are held
/// at a time.
#[inline(always)]
pub fn by_halves<X: Copy, const UNROLLED: bool>(
    len: usize,
    nothing: X,
    of_lane: impl Fn(usize) -> X,
    joined: impl Fn(X, X) -> X,
) -> X {
    // Held in a list, they would be waited for.
    let (mut all, mut half) = (nothing, nothing);
    if UNROLLED {
        if len > 0 {
            all = quarter(0, len, &of_lane, &joined);
        }
        if len > 2 {
            all = joined(all, quarter(2, len, &of_lane, &joined));
        }
        if len > 1 {
            half = quarter(1, len, &of_lane, &joined);
        }
        if len > 3 {
            half = joined(half, quarter(3, len, &of_lane, &joined));
        }
    } else {
        for number in 0..4 {
            let lane = number >> 1 | (number & 1) << 1;
            if lane < len {
                let quarter = quarter(lane, len, &of_lane, &joined);
                half = if lane < 2 { quarter } else { joined(half, quarter) };
            }
            if number == 1 {
                all = half;
            }
        }
    }
    if len > 1 { joined(all, half) } else { all }
}

/// What the lanes have come to of which there is one in four, from one of the first four on.
#[inline(always)]
fn quarter<X: Copy>(
    lane: usize,
    len: usize,
    of_lane: &impl Fn(usize) -> X,
    joined: &impl Fn(X, X) -> X,
) -> X {
    let mut quarter = of_lane(lane);
    if lane + 8 < len {
        quarter = joined(quarter, of_lane(lane + 8));
    }
    if lane + 4 < len {
        let mut other = of_lane(lane + 4);
        if lane + 12 < len {
            other = joined(other, of_lane(lane + 12));
        }
        quarter = joined(quarter, other);
    }
    quarter
}

/// The rows of a stretch.
const STRETCH: usize = LANES * ROUNDS;

/// Whether each column is brought together and folded as a row: where there are far fewer than are
/// folded side by side, and what comes after the elements is most of the work.
const fn by_itself(len: usize, columns: usize) -> bool {
    columns <= 4 && len <= STRETCH
}

/// Whether a column of such elements has room on the stack.
const fn is_not_large<T>() -> bool {
    size_of::<T>() <= 16
}

/// The total of a column of at most so many rows, which there are.
#[inline(always)]
fn total_of_column<const PLAIN: bool, const MOST: usize, T: Element, F: Reduction<T>>(
    op: &F,
    (before, len): (usize, usize),
    element: impl Fn(usize) -> T,
) -> F::Total {
    let mut column = [element(0); MOST];
    for (row, value) in column[..len].iter_mut().enumerate().skip(1) {
        *value = element(row);
    }
    // As a run, of which there are totals in any case.
    total_of_row::<PLAIN, T, F, _>(op, Runs::from(&column[..len]), 0, Place::lane(before, len))
}

/// Folds the columns of few rows, so many at a time, of one matrix after the other: the same as by
/// [`Folding`], [`Halving`] and [`Totalling`], to the bit, but with little to set up.
pub(super) struct Columns<'k, F, B, const LISTED: bool> {
    pub(super) op: &'k F,
    pub(super) block: B,
    /// The number of rows, at most those of a stretch, and of columns.
    pub(super) len: usize,
    pub(super) columns: usize,
    /// If rows are not `LISTED`, whether each is a run of the block; then there is one matrix.
    pub(super) apart: bool,
    /// How many elements of each result come before.
    pub(super) before: usize,
}

impl<T: Element, F: Reduction<T>, B: Block<Elem = T>, const LISTED: bool> Kernel
    for Columns<'_, F, B, LISTED>
{
    type Slot = F::Total;
    of_block!();
}

impl<T: Element, F: Reduction<T>, B: Block<Elem = T>, const LISTED: bool>
    Columns<'_, F, B, LISTED>
{
    #[inline(always)]
    fn fold<const PLAIN: bool>(&self, totals: &mut [F::Total]) {
        let (len, columns) = (self.len, self.columns);
        // A division takes as long as some elements.
        let whole = totals.len() == columns || totals.len().is_multiple_of(columns);
        assert!(columns > 0 && whole, "whole rows of results");
        // The number of runs and of elements from a row to the next.
        let (runs, each) = if self.apart || LISTED { (1, 0) } else { (0, columns) };
        if LISTED {
            let rows = totals.len() / columns * len;
            assert!(rows <= self.block.rows() && reaches(&self.block, columns), "all rows");
        } else if self.apart {
            assert!(len <= self.block.runs() && totals.len() == columns, "all rows");
            assert!(columns <= self.block.root_len(), "whole rows");
        } else {
            assert!(len * totals.len() <= self.block.root_len(), "all rows");
            assert!(self.block.runs() > 0, "a run");
        }
        let (mut rest, mut first_row) = (totals, 0);
        while let Some((totals, after)) = take(&mut rest).split_at_mut_checked(columns) {
            let first = first_row * each;
            let plain = const { PLAIN && is_not_large::<T>() };
            let mut column = 0;
            while column < columns {
                // The last ones once more, if there are not as many left.
                if !plain && columns >= LANES {
                    column = column.min(columns - LANES);
                }
                let some = (columns - column).min(LANES);
                let (from, at) = self.block.beginning_at(first + column);
                let row_of = |row: usize| {
                    if LISTED {
                        // SAFETY: of each matrix there are so many: as checked.
                        unsafe { assert_unchecked(first_row + row < from.rows()) };
                        return (from.row(first_row + row), at);
                    }
                    // SAFETY: there are as many runs as rows, or it is the first one: as checked.
                    unsafe { assert_unchecked(row * runs < from.runs()) };
                    (from.run(row * runs), at + row * each)
                };
                let (op, all) = (self.op, (self.before, len));
                let element = |row: usize| {
                    let (block, start) = row_of(row);
                    // SAFETY: the column is in each row, which is in the block.
                    unsafe { block.reads().root::<false>(start) }.0
                };
                // What is in `const` is not compiled where it is not so.
                if const { PLAIN && is_not_large::<T>() } {
                    totals[column] = total_of_column::<true, STRETCH, T, F>(op, all, element);
                    column += 1;
                    continue;
                }
                if const { !F::JOINS && !F::EXACT } && by_itself(len, columns) {
                    totals[column] = match len {
                        0..=16 => total_of_column::<false, 16, T, F>(op, all, element),
                        17..=64 => total_of_column::<false, 64, T, F>(op, all, element),
                        _ => total_of_column::<false, STRETCH, T, F>(op, all, element),
                    };
                    column += 1;
                    continue;
                }
                // Each by itself: with a choice in the loop, the compiler uses no vectors.
                if some == LANES {
                    let all = fold_side_by_side::<T, F, LISTED>(
                        self.op,
                        self.len,
                        self.before,
                        #[inline(always)]
                        |row| {
                            let (block, start) = row_of(row);
                            // SAFETY: so many columns are left, of a row that is in the block.
                            unsafe { load_near(block, start) }
                        },
                    );
                    // A copy of known length is no call.
                    totals[column..][..LANES].copy_from_slice(&all);
                } else {
                    let all = fold_side_by_side::<T, F, false>(
                        self.op,
                        self.len,
                        self.before,
                        #[inline(always)]
                        |row| {
                            let (block, start) = row_of(row);
                            // SAFETY: as above.
                            unsafe { load_some(block, start, some) }
                        },
                    );
                    totals[column..].copy_from_slice(&all[..some]);
                }
                column += some;
            }
            (rest, first_row) = (after, first_row + len);
        }
    }
}
