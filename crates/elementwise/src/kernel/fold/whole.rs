//! Few elements without a plan, all of a source as it lies.

use super::ROUNDS;
use super::accumulate::{Folding, Shape, finish};
use super::columns::Columns;
use super::rows::Rows;
use crate::kernel::Source;
use crate::kernel::isa::Isa;
use crate::kernel::walk::Run;
use crate::plan::LANES;
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

/// The most elements whose columns are read one after the other: they stay in the nearest cache.
const FEW_OF_COLUMNS: usize = 1 << 14;

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
    if len <= LANES * ROUNDS && len * inner <= FEW_OF_COLUMNS {
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
            isa.dispatch(&Columns { op, block, len, columns: inner }, totals);
            put(totals);
        }
        return;
    }
    let shape = Shape { lanes: len.min(LANES), pitch: inner, len, before: 0, step: 0 };
    let stretched = F::JOINS && len > LANES * ROUNDS;
    let slots = (inner * shape.lanes).div_ceil(LANES) * if stretched { 2 } else { 1 };
    let (mut accumulators, mut totals) = (Packed::new(), Packed::new());
    for result in 0..outer {
        accumulators.fill(op.start().spread(), slots);
        totals.fill(nothing, inner);
        let (slots, totals) = (accumulators.as_mut_slice(), totals.as_mut_slice());
        let all = len * inner;
        let block = source.root(&Run { from: result * all, len: all, ..Run::flat(all) });
        let stretch = stretched.then_some(0);
        isa.dispatch(&Folding { op, block, from: 0, len: len * inner, stretch }, slots);
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
