//! The columns of matrices that have few of them, one matrix after the other: fewer at a time than
//! [`Columns`](super::columns::Columns) takes, of which most would be left over.

use super::columns::by_halves;
use super::whole::Folded;
use super::{PLAIN, ROUNDS};
use crate::kernel::isa::{Isa, Kernel};
use crate::plan::LANES;
use crate::reduce::{Place, Reduction};
use ndcore::Element;

/// Matrices have fewer columns, and a result fewer elements that are dealt out to lanes: of one
/// stretch.
const NARROW: usize = LANES;
const LONGEST: usize = LANES * ROUNDS;

/// So many columns are folded at a time, if there are as many.
const SOME: usize = 4;

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
    const WIDE: bool = false;

    #[inline(always)]
    fn run(&self, totals: &mut [F::Total], _: usize) {
        self.fold::<PLAIN>(totals);
    }

    #[inline(always)]
    fn run_wide(&self, totals: &mut [F::Total], _: usize) {
        self.fold::<false>(totals);
    }
}

impl<T: Element, F: Reduction<T>> Narrow<'_, F, T> {
    #[inline(always)]
    fn fold<const PLAIN: bool>(&self, totals: &mut [F::Total]) {
        let columns = self.columns;
        let matrices = self.elements.chunks_exact(self.len * columns);
        for (matrix, totals) in matrices.zip(totals.chunks_exact_mut(columns)) {
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
        let (op, len) = (self.op, self.len);
        let nothing = [op.start(); N];
        if F::EXACT {
            let place = Place { first: 0, len, step: 1 };
            return self.taken(matrix, column, (0, 1)).map(
                #[inline(always)]
                |acc| op.total(acc, place),
            );
        }
        let place = |lane: usize| Place::lane(lane, (len - lane).div_ceil(LANES));
        if !F::JOINS {
            return by_halves::<_, false>(
                len,
                [op.total(op.start(), Place::lane(0, 0)); N],
                #[inline(always)]
                |lane| {
                    self.taken(matrix, column, (lane, LANES)).map(
                        #[inline(always)]
                        |acc| op.total(acc, place(lane)),
                    )
                },
                #[inline(always)]
                |low, high| {
                    each(
                        low,
                        high,
                        #[inline(always)]
                        |low, high| op.merge(low, high),
                    )
                },
            );
        }
        // One element for each lane takes no loop.
        let accs = match len {
            ..=LANES => by_halves::<_, true>(
                len,
                nothing,
                #[inline(always)]
                |lane| self.step(nothing, matrix, column, (lane, 0)),
                #[inline(always)]
                |low, high| {
                    each(
                        low,
                        high,
                        #[inline(always)]
                        |low, high| op.join(low, high),
                    )
                },
            ),
            _ => by_halves::<_, false>(
                len,
                nothing,
                #[inline(always)]
                |lane| self.taken(matrix, column, (lane, LANES)),
                #[inline(always)]
                |low, high| {
                    each(
                        low,
                        high,
                        #[inline(always)]
                        |low, high| op.join(low, high),
                    )
                },
            ),
        };
        accs.map(
            #[inline(always)]
            |acc| op.total(acc, Place::lane(0, len)),
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

/// What becomes of two by two.
#[inline(always)]
fn each<X: Copy, const N: usize>(low: [X; N], high: [X; N], of: impl Fn(X, X) -> X) -> [X; N] {
    std::array::from_fn(
        #[inline(always)]
        |k| of(low[k], high[k]),
    )
}

/// As [`fold_all`](super::fold_all), of few columns; whether there are few.
pub fn fold_narrow<T: Element, F: Reduction<T>>(
    op: &F,
    isa: Isa,
    elements: &[T],
    Folded { outer, len, inner }: Folded,
    put: &mut dyn FnMut(&[F::Total]),
) -> bool {
    // Totals that are merged one by one are as many divisions.
    let fewest = if F::EXACT || F::JOINS { 2 } else { SOME };
    let enough = (fewest..NARROW).contains(&inner) && (F::EXACT || len <= LONGEST);
    if enough {
        let nothing = op.total(op.start(), Place::lane(0, 0));
        match outer * inner {
            ..=NARROW => {
                some_at_a_time(op, isa, elements, (len, inner), &mut [nothing; NARROW], put)
            }
            _ => some_at_a_time(op, isa, elements, (len, inner), &mut [nothing; 4 * NARROW], put),
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
    (len, columns): (usize, usize),
    totals: &mut [F::Total],
    put: &mut dyn FnMut(&[F::Total]),
) {
    let some = totals.len() / columns * columns;
    for elements in elements.chunks(some * len) {
        let totals = &mut totals[..elements.len() / len];
        isa.dispatch(&Narrow { op, elements, len, columns }, totals);
        put(totals);
    }
}
