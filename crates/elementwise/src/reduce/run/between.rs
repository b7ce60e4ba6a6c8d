//! Results along axes that are kept between others that are reduced, of elements in row-major
//! order: as they lie, and without a plan.

use super::Put;
use crate::kernel::{Isa, fold_between, fold_rows_apart};
use crate::plan::{BLOCK_LEN, LANES, blocks};
use crate::reduce::{Place, Reduction};
use crate::types::View;
use ndcore::{Dimension, Element, Runs};

/// Axes that are kept between others that are reduced: the sums of channels over a batch and all
/// places.
#[derive(Clone, Copy)]
pub struct Between {
    /// The extents of those before, of those that are kept, and of those after.
    rows: usize,
    results: usize,
    width: usize,
    /// The rows of a block, but for the last one.
    each: usize,
}

/// Elements in row-major order, if the axes of a mask are such, and a row fills vectors.
// Not inlined: once for each type of elements.
#[inline(never)]
pub fn between<'a, T: Element, R: Dimension>(
    view: &View<'a, T, R>,
    mask: u32,
) -> Option<(&'a [T], Between)> {
    let (shape, mut extents, mut place, mut before) = (view.shape(), [1; 3], 0, 0_u32);
    for (axis, &extent) in shape.iter().enumerate().filter(|(_, extent)| **extent != 1) {
        let is_reduced = mask & (1 << axis) != 0;
        place += usize::from(is_reduced == (place == 1));
        *extents.get_mut(place)? *= extent;
        before |= if place == 0 { 1 << axis } else { 0 };
    }
    let [rows, results, width] = extents;
    if before == 0 || results == 0 || rows == 0 || !(LANES..=BLOCK_LEN).contains(&width) {
        return None;
    }
    let each = match rows.checked_mul(width)? {
        ..=BLOCK_LEN => rows,
        // Of several axes before, one block may end within each.
        _ if before.is_power_of_two() => blocks(shape, mask)[before.trailing_zeros() as usize],
        _ => return None,
    };
    let some = place == 2 && rows.div_ceil(each) <= BLOCK_LEN;
    some.then_some((view.as_slice()?, Between { rows, results, width, each }))
}

/// The totals of elements along axes before and after others.
pub fn of_between<T: Element, F: Reduction<T>>(
    op: &F,
    isa: Isa,
    elements: &[T],
    &Between { rows, results, width, each }: &Between,
    put: Put<'_, F::Total>,
) {
    let all = Runs::rows(elements, rows, results * width);
    let mut totals = [op.total(op.start(), Place::lane(0, 0)); SOME];
    for first in (0..results).step_by(SOME) {
        let totals = &mut totals[..SOME.min(results - first)];
        if rows <= each {
            fold_between(op, isa, all, (rows, width), first, totals);
        } else {
            for (number, total) in (first..).zip(&mut *totals) {
                *total = fold_rows_apart(op, isa, all.skip(number * width), (rows, width), each);
            }
        }
        put(totals);
    }
}

/// So many totals are handed on at a time.
const SOME: usize = 16;
