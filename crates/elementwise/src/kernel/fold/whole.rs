//! Few elements without a plan, all of a source as it lies.

use super::ROUNDS;
use super::accumulate::{Folding, FoldingRows, Shape, finish, twice};
use super::columns::Columns;
use super::rows::Rows;
use crate::kernel::Source;
use crate::kernel::isa::Isa;
use crate::kernel::walk::Run;
use crate::plan::{LANES, folds_columns};
use crate::reduce::{Accumulator, Place, Reduction};
use ndcore::Packed;

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
    if folds_columns(len, inner) {
        let (mut few, mut more) = ([nothing; 32], Packed::new());
        let totals = match inner {
            ..=32 => &mut few[..inner],
            _ => {
                more.fill(nothing, inner);
                more.as_mut_slice()
            }
        };
        for result in 0..outer {
            let all = len * inner;
            let block = source.root(&Run { from: result * all, len: all, ..Run::flat(all) });
            let columns = Columns { op, block, len, columns: inner, apart: false };
            isa.dispatch(&columns, totals);
            put(totals);
        }
        return;
    }
    // Those of each lane begin with a vector, unless they are few.
    let wide = inner >= 4 * LANES;
    let (pitch, twice) = match wide {
        true => (inner.next_multiple_of(LANES), twice::<S::Block<'_>>(inner)),
        false => (inner, 0),
    };
    let shape = Shape { lanes: len.min(LANES), pitch, len, twice, ..Shape::default() };
    let stretched = F::JOINS && len > LANES * ROUNDS;
    let slots = (pitch * shape.lanes).div_ceil(LANES) * if stretched { 2 } else { 1 };
    let (mut accumulators, mut totals) = (Packed::new(), Packed::new());
    totals.fill(nothing, inner);
    for result in 0..outer {
        accumulators.fill(op.start().spread(), slots);
        let (slots, totals) = (accumulators.as_mut_slice(), totals.as_mut_slice());
        let (all, stretch) = (len * inner, stretched.then_some(0));
        let block = source.root(&Run { from: result * all, len: all, ..Run::flat(all) });
        if wide {
            let (width, apart) = (inner, false);
            let rows = FoldingRows { op, block, width, apart, first: 0, count: len, stretch };
            isa.dispatch(&rows, slots);
        } else {
            isa.dispatch(&Folding { op, block, from: 0, len: all, stretch }, slots);
        }
        finish(op, isa, slots, stretched, shape, totals);
        put(totals);
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
        let block = source.root(&Run { from: first * len, len: all, ..Run::flat(all) });
        isa.dispatch(&Rows { op, block, from: 0, len, all, before: 0, per_result: 1 }, totals);
        put(totals);
    }
}
