//! The columns of matrices that have few of them, one matrix after the other: fewer at a time than
//! [`Columns`](super::columns::Columns) takes, of which most would be left over.

use super::columns::by_halves;
use super::load::each_lane;
use super::whole::Folded;
use super::{PLAIN, ROUNDS};
use crate::kernel::isa::{Isa, Kernel};
use crate::plan::LANES;
use crate::reduce::{Place, Reduction};
use ndcore::Element;
use std::mem::take;

/// The most elements of a result: those of one stretch.
const LONGEST: usize = LANES * ROUNDS;

/// The most columns that are folded here, of so many rows: else as many as
/// [`Columns`](super::columns::Columns) takes are there. It takes longer to begin with, and less
/// where accumulators have several parts.
const fn most_narrow<T: Element, F: Reduction<T>>(len: usize) -> usize {
    match F::EXACT && !F::JOINS {
        true => 3 * LANES / 4,
        false if len <= FEW => NARROW,
        false => LANES - 1,
    }
}

/// The most columns of few rows.
const NARROW: usize = 4 * LANES;

/// So many columns are folded at a time, if there are as many.
const SOME: usize = 4;

/// So few elements of a result are merged without a loop, if that is no more than some divisions.
const FEW: usize = 4;

/// Whether it is.
const fn merges_fast<T: Element, F: Reduction<T>>() -> bool {
    F::COST < 8
}

/// Folds the columns of matrices in row-major order, each of as many rows as a result has elements:
/// the same as by [`Columns`](super::columns::Columns), to the bit.
struct Narrow<'k, F, T> {
    op: &'k F,
    elements: &'k [T],
    len: usize,
    columns: usize,
}

impl<T: Element, F: Reduction<T>> Kernel for Narrow<'_, F, T> {
    type Slot = F::Total;
    type Held = ();
    const VECTORS: bool = !F::SELDOM;
    const WIDE: bool = false;

    #[inline(always)]
    fn held(&self) {}

    #[inline(always)]
    fn run(&self, (): (), totals: &mut [F::Total], _: usize) {
        self.fold::<PLAIN>(totals);
    }

    #[inline(always)]
    fn run_wide(&self, (): (), totals: &mut [F::Total], _: usize) {
        self.fold::<false>(totals);
    }
}

impl<T: Element, F: Reduction<T>> Narrow<'_, F, T> {
    #[inline(always)]
    fn fold<const PLAIN: bool>(&self, totals: &mut [F::Total]) {
        let columns = self.columns;
        let (mut elements, mut rest) = (self.elements, totals);
        // Without a division, which takes as long as some elements.
        while let Some((totals, after)) = take(&mut rest).split_at_mut_checked(columns) {
            let (matrix, further) = elements.split_at(self.len * columns);
            (elements, rest) = (further, after);
            if !PLAIN && columns >= SOME {
                for column in (0..columns).step_by(SOME) {
                    // The last ones once more, if there are not as many left.
                    let column = column.min(columns - SOME);
                    totals[column..][..SOME].copy_from_slice(&self.some::<SOME>(matrix, column));
                }
            } else {
                for (column, total) in totals.iter_mut().enumerate() {
                    [*total] = self.some::<1>(matrix, column);
                }
            }
        }
    }

    /// The totals of so many columns of a matrix, from this one on.
    #[inline(always)]
    fn some<const N: usize>(&self, matrix: &[T], column: usize) -> [F::Total; N] {
        // In `const` blocks: what is never run is not compiled then.
        if const { F::EXACT } {
            self.by_twos(matrix, column)
        } else if const { F::JOINS } {
            self.by_joining(matrix, column)
        } else {
            self.by_merging(matrix, column)
        }
    }

    /// As [`some`](Self::some), if accumulators are joined.
    #[inline(always)]
    fn by_joining<const N: usize>(&self, matrix: &[T], column: usize) -> [F::Total; N] {
        let (op, len) = (self.op, self.len);
        let nothing = [op.start(); N];
        let accs = match len {
            // One element for each lane takes no loop.
            ..=LANES => by_halves::<_, true>(
                len,
                nothing,
                #[inline(always)]
                |lane| self.step(nothing, matrix, column, (lane, 0)),
                #[inline(always)]
                |low, high| self.joined(low, high),
            ),
            _ => by_halves::<_, false>(
                len,
                nothing,
                #[inline(always)]
                |lane| self.taken(matrix, column, (lane, LANES)),
                #[inline(always)]
                |low, high| self.joined(low, high),
            ),
        };
        accs.map(
            #[inline(always)]
            |acc| op.total(acc, Place::lane(0, len)),
        )
    }

    /// The total of one column of few elements, which takes less time than the choice of an
    /// instruction set.
    #[inline(always)]
    fn few(&self, column: usize) -> F::Total {
        let (op, len) = (self.op, self.len);
        let [acc] = by_halves::<_, false>(
            len,
            [op.start()],
            |lane| self.step([op.start()], self.elements, column, (lane, 0)),
            |low, high| self.joined(low, high),
        );
        op.total(acc, Place::lane(0, len))
    }

    /// As [`some`](Self::some), if each accumulator becomes a total, and those are merged.
    #[inline(always)]
    fn by_merging<const N: usize>(&self, matrix: &[T], column: usize) -> [F::Total; N] {
        let (op, len) = (self.op, self.len);
        let nothing = [op.total(op.start(), Place::lane(0, 0)); N];
        match len {
            ..=FEW if const { merges_fast::<T, F>() } => by_halves::<_, true>(
                len,
                nothing,
                #[inline(always)]
                |lane| {
                    self.step([op.start(); N], matrix, column, (lane, 0)).map(
                        #[inline(always)]
                        |acc| op.total(acc, Place::lane(lane, 1)),
                    )
                },
                #[inline(always)]
                |low, high| self.merged(low, high),
            ),
            _ => by_halves::<_, false>(
                len,
                nothing,
                #[inline(always)]
                |lane| {
                    let place = Place::lane(lane, (len - lane).div_ceil(LANES));
                    self.taken(matrix, column, (lane, LANES)).map(
                        #[inline(always)]
                        |acc| op.total(acc, place),
                    )
                },
                #[inline(always)]
                |low, high| self.merged(low, high),
            ),
        }
    }

    #[inline(always)]
    fn joined<const N: usize>(&self, mut low: [F::Acc; N], high: [F::Acc; N]) -> [F::Acc; N] {
        for (low, high) in low.iter_mut().zip(high) {
            *low = self.op.join(*low, high);
        }
        low
    }

    #[inline(always)]
    fn merged<const N: usize>(&self, mut low: [F::Total; N], high: [F::Total; N]) -> [F::Total; N] {
        for (low, high) in low.iter_mut().zip(high) {
            *low = self.op.merge(*low, high);
        }
        low
    }

    /// As [`some`](Self::some), if it does not matter in which order rows are taken: every other
    /// one by one of two accumulators, which do not wait for each other.
    #[inline(always)]
    fn by_twos<const N: usize>(&self, matrix: &[T], column: usize) -> [F::Total; N] {
        let (op, len) = (self.op, self.len);
        let (mut even, mut odd) = ([op.start(); N], [op.start(); N]);
        let mut row = 0;
        while row + 1 < len {
            even = self.step(even, matrix, column, (row, row / 2));
            odd = self.step(odd, matrix, column, (row + 1, row / 2));
            row += 2;
        }
        if row < len {
            even = self.step(even, matrix, column, (row, row / 2));
        }
        each_lane(
            #[inline(always)]
            |k| {
                let total = op.total(even[k], Place { first: 0, len: len.div_ceil(2), step: 2 });
                if len == 1 {
                    return total;
                }
                op.merge(total, op.total(odd[k], Place { first: 1, len: len / 2, step: 2 }))
            },
        )
    }

    /// What accumulators of so many columns have taken: a row, and each so many rows after it.
    #[inline(always)]
    fn taken<const N: usize>(
        &self,
        matrix: &[T],
        column: usize,
        (mut row, every): (usize, usize),
    ) -> [F::Acc; N] {
        let (mut accs, mut round) = ([self.op.start(); N], 0);
        while row < self.len {
            accs = self.step(accs, matrix, column, (row, round));
            (row, round) = (row + every, round + 1);
        }
        accs
    }

    /// Accumulators one row further.
    #[inline(always)]
    fn step<const N: usize>(
        &self,
        mut accs: [F::Acc; N],
        matrix: &[T],
        column: usize,
        (row, round): (usize, usize),
    ) -> [F::Acc; N] {
        let values = &matrix[row * self.columns + column..][..N];
        for (acc, value) in accs.iter_mut().zip(values) {
            *acc = self.op.step(*acc, *value, round);
        }
        accs
    }
}

/// As [`fold_all`](super::fold_all), of few columns; whether there are few.
pub fn fold_narrow<T: Element, F: Reduction<T>>(
    op: &F,
    isa: Isa,
    elements: &[T],
    folded: &Folded,
    put: &mut dyn FnMut(&[F::Total]),
) -> bool {
    let &Folded { outer, len, inner } = folded;
    // Of totals that are merged one by one in a loop, those of fewer columns take longer.
    let one_by_one = F::EXACT || F::JOINS || (len <= FEW && merges_fast::<T, F>());
    let fewest = if one_by_one { 2 } else { SOME };
    let enough = (fewest..=most_narrow::<T, F>(len)).contains(&inner) && len <= LONGEST;
    if enough {
        let nothing = op.total(op.start(), Place::lane(0, 0));
        if const { F::JOINS } && outer == 1 && inner <= SOME && len <= FEW {
            let mut totals = [nothing; SOME];
            let columns = Narrow { op, elements, len, columns: inner };
            for (column, total) in totals[..inner].iter_mut().enumerate() {
                *total = columns.few(column);
            }
            put(&totals[..inner]);
            return true;
        }
        match outer * inner {
            ..=LANES => some_at_a_time(op, isa, elements, folded, &mut [nothing; LANES], put),
            _ => some_at_a_time(op, isa, elements, folded, &mut [nothing; NARROW], put),
        }
    }
    enough
}

/// As many matrices at a time as there is room for totals.
#[inline]
fn some_at_a_time<T: Element, F: Reduction<T>>(
    op: &F,
    isa: Isa,
    elements: &[T],
    &Folded { outer, len, inner: columns }: &Folded,
    totals: &mut [F::Total],
    put: &mut dyn FnMut(&[F::Total]),
) {
    let some = if outer * columns <= totals.len() { outer } else { totals.len() / columns };
    let mut left = outer;
    for elements in elements.chunks(some * columns * len) {
        let count = some.min(left);
        let totals = &mut totals[..count * columns];
        isa.dispatch(&Narrow { op, elements, len, columns }, totals);
        put(totals);
        left -= count;
    }
}
