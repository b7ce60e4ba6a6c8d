//! Results side by side in registers: the columns of few rows ([`Columns`]), and what short rows
//! share with them.

use super::accumulate::{join, step_all};
use super::load::{load, load_all, load_some};
use crate::kernel::Block;
use crate::kernel::isa::Kernel;
use crate::plan::LANES;
use crate::reduce::{Accumulator, Lanes, Place, Reduction};
use ndcore::Element;

/// The totals of as many results side by side as lanes, of so many elements each, of which `load`
/// gives those with one number: the accumulators of one lane of all of them lie together, so
/// that what comes after the elements, which for few elements is most of the work, is done for all
/// of them at a time. The same as one by one, to the bit.
#[inline(always)]
pub(super) fn fold_side_by_side<T: Element, F: Reduction<T>>(
    op: &F,
    len: usize,
    before: usize,
    load: impl Fn(usize) -> [T; LANES],
) -> [F::Total; LANES] {
    if F::EXACT || F::JOINS {
        let (accs, place) = if F::EXACT {
            (taken(op, len, &load, 0, 1), Place { first: before, len, step: 1 })
        } else {
            let joined = by_halves(
                len,
                op.start().spread(),
                #[inline(always)]
                |lane| taken(op, len, &load, lane, LANES),
                #[inline(always)]
                |mut low, high| {
                    join(op, &mut low, &high);
                    low
                },
            );
            (joined, Place::lane(before, len))
        };
        return std::array::from_fn(
            #[inline(always)]
            |result| op.total(F::Acc::get(&accs, result), place),
        );
    }
    let nothing = op.total(op.start(), Place::lane(0, 0));
    let mut totals = [nothing.spread(); LANES];
    for (lane, totals) in totals.iter_mut().enumerate().take(len) {
        let accs = taken(op, len, &load, lane, LANES);
        let place = Place::lane(before + lane, (len - lane).div_ceil(LANES));
        for result in 0..LANES {
            F::Total::set(totals, result, op.total(F::Acc::get(&accs, result), place));
        }
    }
    for half in [8, 4, 2, 1] {
        let (low, high) = totals.split_at_mut(half);
        for (low, high) in low.iter_mut().zip(&*high).take(len.saturating_sub(half)) {
            for result in 0..LANES {
                let (a, b) = (F::Total::get(low, result), F::Total::get(high, result));
                F::Total::set(low, result, op.merge(a, b));
            }
        }
    }
    std::array::from_fn(
        #[inline(always)]
        |result| F::Total::get(&totals[0], result),
    )
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
pub(super) fn by_halves<X: Copy>(
    len: usize,
    nothing: X,
    of_lane: impl Fn(usize) -> X,
    joined: impl Fn(X, X) -> X,
) -> X {
    // Held in a list, they would be waited for.
    let (mut all, mut half) = (nothing, nothing);
    for number in 0..4 {
        let lane = number >> 1 | (number & 1) << 1;
        if lane < len {
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
            half = if lane < 2 { quarter } else { joined(half, quarter) };
        }
        if number == 1 {
            all = half;
        }
    }
    if len > 1 { joined(all, half) } else { all }
}

/// Folds the columns of few rows, so many at a time, of one matrix after the other: the same as by
/// [`Folding`], [`Halving`] and [`Totalling`], to the bit, but with little to set up.
pub(super) struct Columns<'k, F, B> {
    pub(super) op: &'k F,
    pub(super) block: B,
    /// The number of rows, at most those of a stretch, and of columns.
    pub(super) len: usize,
    pub(super) columns: usize,
}

impl<T: Element, F: Reduction<T>, B: Block<Elem = T>> Kernel for Columns<'_, F, B> {
    type Slot = F::Total;

    #[inline(always)]
    fn run(&self, totals: &mut [F::Total], _: usize) {
        let columns = self.columns;
        assert!(columns > 0 && totals.len().is_multiple_of(columns), "whole rows of results");
        assert!(self.len * totals.len() <= self.block.root_len(), "all rows");
        for (number, totals) in totals.chunks_exact_mut(columns).enumerate() {
            let first = number * self.len * columns;
            let mut column = 0;
            while column < columns {
                // The last ones once more, if there are not as many left; but not of what shows.
                if B::PURE && columns >= LANES {
                    column = column.min(columns - LANES);
                }
                let some = (columns - column).min(LANES);
                // Each by itself: with a choice in the loop, the compiler uses no vectors.
                let all = if some == LANES {
                    fold_side_by_side(
                        self.op,
                        self.len,
                        0,
                        #[inline(always)]
                        |row| {
                            // SAFETY: so many columns are left, of a row that is in the block.
                            unsafe { load_all(self.block, first + row * columns + column) }
                        },
                    )
                } else {
                    fold_side_by_side(
                        self.op,
                        self.len,
                        0,
                        #[inline(always)]
                        |row| {
                            let start = first + row * columns + column;
                            // SAFETY: as above.
                            unsafe {
                                // What shows is computed once.
                                match B::PURE {
                                    true => load_some(self.block, start, some),
                                    false => load::<LANES, false, B>(self.block, start, some).0,
                                }
                            }
                        },
                    )
                };
                totals[column..column + some].copy_from_slice(&all[..some]);
                column += some;
            }
        }
    }
}
