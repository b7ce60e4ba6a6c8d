//! Few elements without a plan, all of a source as it lies.

use super::ROUNDS;
use super::accumulate::{Folding, FoldingRows, Shape, finish, twice};
use super::columns::Columns;
use super::rows::Rows;
use crate::kernel::isa::Isa;
use crate::kernel::walk::Run;
use crate::kernel::{Block, Source};
use crate::plan::{LANES, folds_columns};
use crate::reduce::{Accumulator, Lanes, Place, Reduction};
use ndcore::{Element, Packed};

/// The extents of few elements in row-major order, of which those of one axis are folded: results,
/// the elements of each, results.
#[derive(Clone, Copy, Debug)]
pub struct Folded {
    pub outer: usize,
    pub len: usize,
    pub inner: usize,
}

/// Folds few elements of a source, of which those of a result are one block; gives `put` the totals
/// in the order of the results.
pub fn fold_all<S: Source, F: Reduction<S::Elem>>(
    op: &F,
    isa: Isa,
    source: &mut S,
    Folded { outer, len, inner }: Folded,
    put: &mut dyn FnMut(&[F::Total]),
) {
    let nothing = op.total(op.start(), Place::lane(0, 0));
    if inner == 1 {
        // As many as are folded at a time: a long list takes longer to set up.
        return match outer {
            ..32 => fold_rows(op, isa, source, (outer, len), &mut [nothing; 32], put),
            _ => fold_rows(op, isa, source, (outer, len), &mut [nothing; 256], put),
        };
    }
    let mut columns = FoldedColumns::new(op, isa, len, inner, false);
    for result in 0..outer {
        let all = len * inner;
        let block = source.root(&Run::part(result * all, all, all));
        put(columns.fold(block));
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
    Folded { outer, len, inner }: Folded,
    put: &mut dyn FnMut(&[F::Total]),
) {
    if inner > 1 {
        assert_eq!(outer, 1, "one matrix");
        return put(FoldedColumns::new(op, isa, len, inner, apart).fold(block));
    }
    let nothing = op.total(op.start(), Place::lane(0, 0));
    match outer {
        ..32 => rows_of_block(op, isa, block, apart, (outer, len), &mut [nothing; 32], put),
        _ => rows_of_block(op, isa, block, apart, (outer, len), &mut [nothing; 256], put),
    }
}

/// Folds the rows of a block, which follow each other or are its runs, as many at a time as there is
/// room for totals.
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
        let rows = Rows { op, block, apart, from, len, all, before: 0, per_result: 1 };
        isa.dispatch(&rows, totals);
        put(totals);
    }
}

/// What folds the columns of few rows, in registers or by accumulators in memory.
struct FoldedColumns<'k, T: Element, F: Reduction<T>> {
    op: &'k F,
    isa: Isa,
    len: usize,
    columns: usize,
    /// Whether each row is a run of the block, and whether rows begin with a vector of accumulators:
    /// not if they are short.
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
            let columns = Columns::<_, _, false> { op, block, len, columns, apart };
            isa.dispatch(&columns, totals);
            return totals;
        }
        // Those of each lane begin with a vector, unless they are few.
        let (pitch, twice) = match wide {
            true => (columns.next_multiple_of(LANES), twice::<B>(columns)),
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

/// Folds rows of a source, so many of so many elements each, as many at a time as `totals` has.
#[inline(always)]
fn fold_rows<S: Source, F: Reduction<S::Elem>>(
    op: &F,
    isa: Isa,
    source: &mut S,
    (rows, len): (usize, usize),
    totals: &mut [F::Total],
    put: &mut dyn FnMut(&[F::Total]),
) {
    let some = totals.len();
    for first in (0..rows).step_by(some) {
        let totals = &mut totals[..some.min(rows - first)];
        let all = totals.len() * len;
        let block = source.root(&Run::part(first * len, all, all));
        let rows = Rows { op, block, apart: false, from: 0, len, all, before: 0, per_result: 1 };
        isa.dispatch(&rows, totals);
        put(totals);
    }
}
