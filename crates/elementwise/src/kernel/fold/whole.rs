//! Few elements without a plan, all of a source as it lies.

use super::ROUNDS;
use super::accumulate::{Folding, FoldingRows, Shape, finish, twice};
use super::columns::Columns;
use super::rows::Rows;
use crate::kernel::Block;
use crate::kernel::isa::Isa;
use crate::plan::{LANES, folds_columns};
use crate::reduce::{Accumulator, Lanes, Place, Reduction};
use ndcore::{Element, Packed, Runs};

/// The extents of few elements in row-major order, of which those of one axis are folded: results,
/// the elements of each, results.
#[derive(Clone, Copy, Debug)]
pub struct Folded {
    pub outer: usize,
    pub len: usize,
    pub inner: usize,
}

/// Folds few elements in row-major order, of which those of a result are one block; gives `put` the
/// totals in the order of the results.
pub fn fold_all<T: Element, F: Reduction<T>>(
    op: &F,
    isa: Isa,
    elements: &[T],
    folded: &Folded,
    put: &mut dyn FnMut(&[F::Total]),
) {
    let &Folded { outer, len, inner } = folded;
    if inner == 1 || outer == 1 {
        return fold_block(op, isa, Runs::from(elements), false, folded, put);
    }
    let mut columns = FoldedColumns::new(op, isa, len, inner, false);
    for matrix in elements.chunks_exact(len * inner) {
        put(columns.fold(Runs::from(matrix)));
    }
}

/// As [`fold_all`], of all elements of a block, along each of the rows of a matrix or down its
/// columns. The rows follow each other, or lie `apart` as the first runs of the block.
// By the block: what a source gives for each stretch is waited for longer than to add few elements.
pub fn fold_block<B: Block<Elem: Element>, F: Reduction<B::Elem>>(
    op: &F,
    isa: Isa,
    block: B,
    apart: bool,
    &Folded { outer, len, inner }: &Folded,
    put: &mut dyn FnMut(&[F::Total]),
) {
    if inner > 1 {
        assert_eq!(outer, 1, "one matrix");
        return put(FoldedColumns::new(op, isa, len, inner, apart).fold(block));
    }
    let nothing = op.total(op.start(), Place::lane(0, 0));
    match outer {
        0..=32 => rows_of_block(op, isa, block, apart, (outer, len), &mut [nothing; 32], put),
        33..=64 => rows_of_block(op, isa, block, apart, (outer, len), &mut [nothing; 64], put),
        _ => rows_of_block(op, isa, block, apart, (outer, len), &mut [nothing; 256], put),
    }
}

/// Folds the rows of a block, which follow each other or are its runs, as many at a time as there
/// is room for totals.
#[inline]
fn rows_of_block<B: Block<Elem: Element>, F: Reduction<B::Elem>>(
    op: &F,
    isa: Isa,
    block: B,
    apart: bool,
    (rows, len): (usize, usize),
    totals: &mut [F::Total],
    put: &mut dyn FnMut(&[F::Total]),
) {
    let some = totals.len();
    for first in (0..rows).step_by(some) {
        let totals = &mut totals[..some.min(rows - first)];
        let (from, all) = (if apart { first } else { first * len }, totals.len() * len);
        let rows =
            Rows::<_, _, false> { op, block, apart, from, len, all, before: 0, per_result: 1 };
        rows.by(isa, totals);
        put(totals);
    }
}

/// What folds the columns of few rows, in registers or by accumulators in memory.
struct FoldedColumns<'k, T: Element, F: Reduction<T>> {
    op: &'k F,
    isa: Isa,
    len: usize,
    columns: usize,
    /// Whether each row is a run of the block, and whether rows begin with a vector of
    /// accumulators: not if they are short.
    apart: bool,
    wide: bool,
    few: [F::Total; 32],
    totals: Packed<F::Total>,
    accumulators: Packed<Lanes<F, T>>,
}

impl<'k, T: Element, F: Reduction<T>> FoldedColumns<'k, T, F> {
    fn new(op: &'k F, isa: Isa, len: usize, columns: usize, apart: bool) -> Self {
        let nothing = op.total(op.start(), Place::lane(0, 0));
        let (mut totals, few) = (Packed::new(), [nothing; 32]);
        if columns > few.len() {
            totals.fill(nothing, columns);
        }
        let (wide, accumulators) = (apart || columns >= 4 * LANES, Packed::new());
        FoldedColumns { op, isa, len, columns, apart, wide, few, totals, accumulators }
    }

    /// The totals of the columns of a block.
    fn fold<B: Block<Elem = T>>(&mut self, block: B) -> &[F::Total] {
        let FoldedColumns { op, isa, len, columns, apart, wide, .. } = *self;
        let totals = match columns {
            ..=32 => &mut self.few[..columns],
            _ => self.totals.as_mut_slice(),
        };
        if folds_columns(len, columns) {
            let columns = Columns::<_, _, false> { op, block, len, columns, apart, before: 0 };
            isa.dispatch(&columns, totals);
            return totals;
        }
        // Those of each lane begin with a vector, unless they are few.
        let (pitch, twice) = match wide {
            true => (columns.next_multiple_of(LANES), twice(columns)),
            false => (columns, 0),
        };
        let shape = Shape { lanes: len.min(LANES), pitch, len, twice, ..Shape::default() };
        let stretched = F::JOINS && len > LANES * ROUNDS;
        let slots = (pitch * shape.lanes).div_ceil(LANES) * if stretched { 2 } else { 1 };
        self.accumulators.fill(op.start().spread(), slots);
        let (slots, stretch) = (self.accumulators.as_mut_slice(), stretched.then_some(0));
        if wide {
            let (width, count) = (columns, len);
            let rows = FoldingRows { op, block, width, apart, first: 0, count, stretch };
            isa.dispatch(&rows, slots);
        } else {
            isa.dispatch(&Folding { op, block, from: 0, len: len * columns, stretch }, slots);
        }
        finish(op, isa, slots, stretched, shape, totals);
        totals
    }
}
