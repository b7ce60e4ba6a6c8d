//! One result of rows that lie apart: its elements are numbered on from row to row.

use super::accumulate::{
    add, add_all, add_near, halve_lanes, join, step_all, step_some, stretch_before,
};
use super::load::{each_lane, load_all};
use super::row::{Aligned, by_memory, join_all};
use super::rows::MergedBlocks;
use super::{ROUNDS, is_wide};
use crate::kernel::isa::{Isa, Kernel, Single};
use crate::kernel::{Block, Reads};
use crate::plan::LANES;
use crate::reduce::{Accumulator, Lanes, Place, Reduction};
use ndcore::Element;
use std::hint::black_box;
use std::marker::PhantomData;
use std::mem::take;
use std::sync::atomic::{Ordering, compiler_fence};

/// Adds the elements of rows that lie apart to the accumulators of one result: the same as row by
/// row by [`Folding`](super::accumulate::Folding), to the bit.
///
/// Rows end anywhere among the lanes. What is left of a row is brought together with the beginning
/// of the next one: to fill a vector in part, twice for each row, would take longer.
pub(super) struct FoldingApart<'k, F, B> {
    pub(super) op: &'k F,
    pub(super) block: B,
    /// The number of the first element among those of the result.
    pub(super) from: usize,
    /// The first run of the block that is a row, the number of rows, and the elements of each: as
    /// many as lanes, or more.
    pub(super) first: usize,
    pub(super) count: usize,
    pub(super) width: usize,
    /// Whether stretches are joined.
    pub(super) stretched: bool,
}

impl<T: Element, F: Reduction<T>, B: Block<Elem = T>> Kernel for FoldingApart<'_, F, B> {
    type Slot = Lanes<F, T>;
    of_block!();
}

impl<T: Element, F: Reduction<T>, B: Block<Elem = T>> FoldingApart<'_, F, B> {
    #[inline(always)]
    fn fold<const PLAIN: bool>(&self, slots: &mut [Lanes<F, T>]) {
        let FoldingApart { op, block, from, first, count, width, stretched } = *self;
        let enough = first + count <= block.runs() && width <= block.root_len();
        assert!(width >= LANES && enough, "rows of whole vectors, in the block");
        if count == 0 {
            return;
        }
        let (slot, joined) = slots.split_first_mut().expect("accumulators of one result");
        let (mut at, mut lane) = (from / LANES, from % LANES);
        if PLAIN {
            let mut stretch = stretch_before(from);
            for row in first..first + count {
                let mut i = 0;
                while i < width {
                    if stretched && at / ROUNDS != stretch {
                        stretch = at / ROUNDS;
                        joined.iter_mut().for_each(|joined| join(op, joined, slot));
                        *slot = op.start().spread();
                    }
                    let some = (LANES - lane).min(width - i);
                    // SAFETY: so many are left of the row, at least one.
                    unsafe { add::<T, F, B>(op, slot, block.run(row), i..i + some, lane, at) };
                    (i, lane) = (i + some, lane + some);
                    if lane == LANES {
                        (lane, at) = (0, at + 1);
                    }
                }
            }
            return;
        }
        let (mut begin, mut held) = (0, 0);
        if lane > 0 {
            begin = LANES - lane;
            // SAFETY: a row has as many elements as lanes.
            unsafe { add::<T, F, B>(op, slot, block.run(first), 0..begin, lane, at) };
            at += 1;
        }
        // In registers.
        let (mut lanes, mut stretch) = (*slot, stretch_before(from));
        // As in `Folding`.
        macro_rules! turn {
            () => {
                if stretched && at / ROUNDS != stretch {
                    stretch = at / ROUNDS;
                    joined.iter_mut().for_each(|joined| join(op, joined, &lanes));
                    lanes = op.start().spread();
                }
            };
        }
        // What is left of a row are the first elements of the second third; those of the next one
        // follow. Of both, as many are copied as lanes, and before the rounds of the row: what has
        // just been stored in parts is waited for.
        // SAFETY: a row is not empty.
        let fill = unsafe { block.run(first).reads().root::<false>(0) }.0;
        let mut ends = Aligned([fill; 3 * LANES]);
        let end = first + count;
        for row in first..end {
            let (run, mut i) = (block.run(row), take(&mut begin));
            if held > 0 {
                turn!();
                step_all::<T, F>(op, &mut lanes, each_lane(|k| ends.0[LANES + k]), at);
                (i, at) = (LANES - held, at + 1);
            }
            held = (width - i) % LANES;
            if held > 0 {
                // SAFETY: a row has as many elements as lanes.
                let last = unsafe { load_all(run, width - LANES) };
                ends.0[held..][..LANES].copy_from_slice(&last);
                if row + 1 < end {
                    // SAFETY: as above.
                    let next = unsafe { load_all(block.run(row + 1), 0) };
                    ends.0[LANES + held..][..LANES].copy_from_slice(&next);
                }
            }
            while width - i >= LANES {
                turn!();
                let rounds = (width - i) / LANES;
                let rounds = if stretched { rounds.min(ROUNDS - at % ROUNDS) } else { rounds };
                for _ in 0..rounds {
                    // SAFETY: so many rounds are left of the row.
                    unsafe { add_all::<T, F, B>(op, &mut lanes, run, i, at) };
                    // As for [one row](super::row).
                    compiler_fence(Ordering::SeqCst);
                    (i, at) = (i + LANES, at + 1);
                }
            }
        }
        if held > 0 {
            turn!();
        }
        let _ = stretch;
        *slot = lanes;
        step_some::<T, F>(op, slot, &ends.0[LANES..][..held], 0, at);
    }
}

/// Folds results that follow each other in the runs of a block, which are rows of all of them: the
/// same as [`FoldingApart`] one by one, to the bit.
struct Totalling<'k, F, B> {
    op: &'k F,
    block: B,
    /// The number of the first result.
    from: usize,
    /// As of [`FoldingApart`].
    first: usize,
    count: usize,
    width: usize,
}

impl<T: Element, F: Reduction<T>, B: Block<Elem = T>> Kernel for Totalling<'_, F, B> {
    type Slot = F::Total;
    of_block!();
}

impl<T: Element, F: Reduction<T>, B: Block<Elem = T>> Totalling<'_, F, B> {
    #[inline(always)]
    fn fold<const PLAIN: bool>(&self, totals: &mut [F::Total]) {
        let Totalling { op, from, first, count, width, .. } = *self;
        for (number, total) in (from..).zip(totals) {
            let (block, mut slots) = (self.block.skip(number * width), [op.start().spread(); 2]);
            let stretched = count * width > LANES * ROUNDS;
            let rows = FoldingApart { op, block, from: 0, first, count, width, stretched };
            rows.fold::<PLAIN>(&mut slots);
            // Through memory: else the compiler keeps the lanes in the order in which they are put
            // together, and moves all that is added to them into it.
            let [all, joined] = black_box(&mut slots);
            if stretched {
                join(op, joined, all);
            }
            let all = if stretched { joined } else { all };
            halve_lanes(op, all);
            *total = op.total(F::Acc::get(all, 0), Place::lane(first * width, count * width));
        }
    }
}

/// The totals of results from this number on, whose elements are in the first `rows` runs of a
/// block: `width` of each in each run, one result after the other. They are all in one block of the
/// reduction, which joins, and `width` is as many as lanes, or more.
pub fn fold_between<B: Block<Elem: Element>, F: Reduction<B::Elem>>(
    op: &F,
    isa: Isa,
    block: B,
    (rows, width): (usize, usize),
    from: usize,
    totals: &mut [F::Total],
) {
    isa.dispatch(&Totalling { op, block, from, first: 0, count: rows, width }, totals);
}

/// Folds runs of a block, whole rounds of lanes each, which are one block of the reduction, in
/// registers: the same as [`FoldingApart`], to the bit.
struct WholeRows<'k, F, B> {
    op: &'k F,
    /// The first of the runs, and how many there are.
    first: usize,
    count: usize,
    block: PhantomData<B>,
}

impl<T: Element, F: Reduction<T>, B: Block<Elem = T>> Single for WholeRows<'_, F, B> {
    type Block = B;
    type Held = B::Ops;
    type Output = F::Total;
    const VECTORS: bool = !F::SELDOM;
    const WIDE: bool = is_wide::<T, F>();

    #[inline(always)]
    fn run(self, block: B, ops: B::Ops, width: usize) -> F::Total {
        let (op, block, end) = (self.op, block.held(ops), self.first + self.count);
        let enough = end <= block.runs() && width <= block.root_len();
        let whole = width >= LANES && width.is_multiple_of(LANES);
        assert!(F::JOINS && whole && enough, "rows of whole rounds");
        let (mut joined, mut lanes, mut round) = (op.start().spread(), op.start().spread(), 0);
        for row in self.first..end {
            let run = block.run(row);
            for first in (0..width).step_by(LANES) {
                if round > 0 && round % ROUNDS == 0 {
                    join(op, &mut joined, &lanes);
                    lanes = op.start().spread();
                }
                // SAFETY: a round is left of the row, which is in the block. That it begins near
                // the row's beginning is for speed alone.
                unsafe { add_near::<T, F, B>(op, &mut lanes, run, first, round) };
                // As for [one row](super::row).
                compiler_fence(Ordering::SeqCst);
                round += 1;
            }
        }
        if round > ROUNDS {
            join(op, &mut joined, &lanes);
            lanes = joined;
        }
        let mut accs = [op.start(); LANES];
        for (lane, acc) in accs.iter_mut().enumerate() {
            *acc = F::Acc::get(&lanes, lane);
        }
        let acc = join_all(op, by_memory::<LANES, 4, _>(accs));
        op.total(acc, Place::lane(self.first * width, self.count * width))
    }

    #[inline(always)]
    fn run_wide(self, block: B, ops: B::Ops, width: usize) -> F::Total {
        self.run(block, ops, width)
    }
}

/// The total of some runs of a block, whole rounds of lanes each.
// Not inlined: of what the other function keeps in memory, it needs nothing.
#[inline(never)]
fn total_of_whole<B: Block<Elem: Element>, F: Reduction<B::Elem>>(
    op: &F,
    isa: Isa,
    block: B,
    (first, count): (usize, usize),
    width: usize,
) -> F::Total {
    let rows = WholeRows { op, first, count, block: PhantomData };
    isa.single(rows, block, block.ops(), width)
}

/// The total of some runs of a block, of any width.
#[inline(never)]
fn total_of_any<B: Block<Elem: Element>, F: Reduction<B::Elem>>(
    op: &F,
    isa: Isa,
    block: B,
    (first, count): (usize, usize),
    width: usize,
) -> F::Total {
    let mut total = [op.total(op.start(), Place::lane(0, 0))];
    isa.dispatch(&Totalling { op, block, from: 0, first, count, width }, &mut total);
    total[0]
}

/// The total of the first `rows` runs of a block, which are rows of one result, `each` of them a
/// block of the reduction: of one that joins, of as many elements each as lanes, or more. The same
/// as by plans, to the bit.
pub fn fold_rows_apart<B: Block<Elem: Element>, F: Reduction<B::Elem>>(
    op: &F,
    isa: Isa,
    block: B,
    (rows, width): (usize, usize),
    each: usize,
) -> F::Total {
    let total = |first: usize| {
        let count = each.min(rows - first);
        match width.is_multiple_of(LANES) {
            true => total_of_whole(op, isa, block, (first, count), width),
            false => total_of_any(op, isa, block, (first, count), width),
        }
    };
    if rows <= each {
        return total(0);
    }
    let mut merged = MergedBlocks::new(op);
    (0..rows).step_by(each).for_each(|first| merged.add(total(first)));
    merged.total()
}
