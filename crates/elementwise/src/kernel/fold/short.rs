//! Short rows of a list, one after the other: a loop for each length, or for each number of
//! elements that are more than whole rounds. Other rows: [`rows`](super::rows).

use super::columns::by_halves;
use super::row::{join_all, total_of_row};
use super::{PLAIN, is_wide};
use crate::kernel::Reads;
use crate::kernel::isa::{Isa, Kernel};
use crate::plan::LANES;
use crate::reduce::{Place, Reduction};
use ndcore::Element;

/// Whether there is a loop for rows of so many elements: not for reductions that are compiled where
/// they are used, as these are many loops. Nor for longer rows of integers, of which the compiler
/// may change the order: of unknown rounds it gathers the same lane.
#[inline(always)]
pub const fn has_loop<T: Element, F: Reduction<T>>(len: usize) -> bool {
    if !F::JOINS || F::COMPILED.is_none() || F::COST > 3 || size_of::<F::Acc>() > 8 {
        return false;
    }
    let rounds = F::COST == 1 && !F::REORDERED && len <= LONGEST && !len.is_multiple_of(LANES);
    2 <= len && (len <= LANES || rounds)
}

/// Folds the rows of a list, for which [there is a loop](has_loop), each into its total.
#[inline(always)]
pub fn fold_short_rows<T: Element, F: Reduction<T>>(
    op: &F,
    isa: Isa,
    elements: &[T],
    len: usize,
    totals: &mut [F::Total],
) {
    assert!(has_loop::<T, F>(len) && elements.len() == totals.len() * len, "short rows");
    if const { has_loop::<T, F>(LANES) } {
        isa.dispatch(&ShortRows { op, elements, len }, totals);
    }
}

/// The longest rows of which a loop for what is left by whole rounds saves anything.
const LONGEST: usize = 8 * LANES;

/// Folds rows of so many elements.
struct ShortRows<'k, F, T> {
    op: &'k F,
    elements: &'k [T],
    len: usize,
}

impl<T: Element, F: Reduction<T>> Kernel for ShortRows<'_, F, T> {
    type Slot = F::Total;
    type Held = ();
    const VECTORS: bool = !F::SELDOM;
    const WIDE: bool = is_wide::<T, F>();

    #[inline(always)]
    fn held(&self) {}

    #[inline(always)]
    fn run(&self, (): (), totals: &mut [F::Total], _: usize) {
        if !PLAIN {
            return self.fold(totals);
        }
        for (row, total) in totals.iter_mut().enumerate() {
            let place = Place::lane(0, self.len);
            *total = total_of_row::<PLAIN, T, F, _>(self.op, self.elements, row * self.len, place);
        }
    }

    #[inline(always)]
    fn run_wide(&self, (): (), totals: &mut [F::Total], _: usize) {
        self.fold(totals);
    }
}

impl<T: Element, F: Reduction<T>> ShortRows<'_, F, T> {
    #[inline(always)]
    fn fold(&self, totals: &mut [F::Total]) {
        macro_rules! by {
            ($fold:ident, $number:expr, $($some:literal)*) => {
                match $number {
                    $($some => self.$fold::<$some>(totals),)*
                    _ => unreachable!("a length for which there is a loop"),
                }
            };
        }
        match self.len {
            ..=LANES => by!(whole, self.len, 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16),
            _ if F::COST == 1 && !F::REORDERED => {
                by!(rounds, self.len % LANES, 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
            }
            _ => unreachable!("a length for which there is a loop"),
        }
    }

    /// Folds rows of so many elements, at most one of each lane.
    #[inline(always)]
    fn whole<const LEN: usize>(&self, totals: &mut [F::Total]) {
        let op = self.op;
        for (row, total) in self.elements.as_chunks::<LEN>().0.iter().zip(totals) {
            let acc = by_halves::<_, false>(
                LEN,
                op.start(),
                #[inline(always)]
                |lane| op.step(op.start(), row[lane], 0),
                #[inline(always)]
                |low, high| op.join(low, high),
            );
            *total = op.total(acc, Place::lane(0, LEN));
        }
    }

    /// Folds rows of whole rounds and so many elements more.
    #[inline(always)]
    fn rounds<const MORE: usize>(&self, totals: &mut [F::Total]) {
        let (op, len) = (self.op, self.len);
        let rounds = len / LANES;
        assert!(self.elements.len() == totals.len() * len && len == rounds * LANES + MORE);
        for (row, total) in totals.iter_mut().enumerate() {
            // SAFETY: as just checked, there are so many rows of as many elements.
            let at = |i: usize| unsafe { self.elements.root::<false>(row * len + i) }.0;
            let mut lanes = [op.start(); LANES];
            for round in 0..rounds {
                for (k, lane) in lanes.iter_mut().enumerate() {
                    *lane = op.step(*lane, at(round * LANES + k), round);
                }
            }
            for (k, lane) in lanes[..MORE].iter_mut().enumerate() {
                *lane = op.step(*lane, at(rounds * LANES + k), rounds);
            }
            *total = op.total(join_all(op, lanes), Place::lane(0, len));
        }
    }
}
