//! Plans of reductions: which elements are folded together, and in which order they are read.
//!
//! The first question is answered by the shape alone ([`blocks`]): so a result depends on no
//! layout, no instruction set, and no number of threads. The second is the planner's.

mod boxes;
mod order;

use super::{Operands, Plan, bytes};
use crate::trace;
use bcast::Error;
use ndcore::{Axes, Extents};
use order::{nest, order};

/// The elements of a block are dealt out in turn to so many accumulators.
pub const LANES: usize = 16;
/// The most elements of a block.
pub const BLOCK_LEN: usize = 4096;
/// Blocks of fewer elements than this are not worth a run of their own.
const SHORT_BLOCK: usize = 64;
/// Nor are runs of fewer, where operands are packed.
const SHORT_RUN: usize = 512;

/// So many columns of rows that overlap are looked at as if they were all, because all are near.
pub const fn near_columns(rows: usize) -> usize {
    let some = 0x4000 / if rows > 0 { rows } else { 1 } / LANES * LANES;
    if some > 30 * LANES { 30 * LANES } else { some }
}

/// Whether so many rows of so many results are folded in registers, column by column: each row is
/// another place of memory, and those of many go through accumulators in memory instead.
pub const fn folds_columns(rows: usize, columns: usize) -> bool {
    // Rows that lie so far apart share their places in the nearest cache.
    let collide = columns.is_multiple_of(512);
    let most = match rows.saturating_mul(columns) {
        0..=0x4000 if !collide => 16 * LANES,
        ..=0x1_0000 if !collide => 2 * LANES,
        _ => LANES,
    };
    rows <= most
}

/// The extents of a block: of the elements that one set of accumulators takes. Along axes that are
/// not in `reduced`, 1.
///
/// Innermost axes belong to a block as a whole while there is room for [`BLOCK_LEN`] elements; the
/// next one is cut into equal parts, and further ones into single steps. So the elements of a block
/// follow each other in the order of the reduced axes.
pub fn blocks(shape: &[usize], reduced: u32) -> Axes<usize> {
    let mut blocks = Axes::filled(1, shape.len());
    parts(shape, |axis| reduced & (1 << axis) != 0, BLOCK_LEN, &mut blocks);
    blocks
}

/// Extents that hold at most `room` elements of consecutive indices.
fn parts(extents: &[usize], cut: impl Fn(usize) -> bool, room: usize, part: &mut [usize]) {
    let mut len = 1;
    for axis in (0..extents.len()).rev().filter(|&axis| cut(axis)) {
        let most = (room / len).max(1);
        if extents[axis] > most {
            let even = extents[axis].div_ceil(extents[axis].div_ceil(most));
            part[axis] = if len == 1 { even.next_multiple_of(LANES).min(most) } else { even };
            break;
        }
        part[axis] = extents[axis].max(1);
        len *= part[axis];
    }
}

impl Plan {
    /// Plans a reduction of an expression of this shape along these axes, in these [`blocks`].
    /// `slot` is the size of an accumulator, in bytes.
    ///
    /// `shape` has no zero extent.
    ///
    /// # Errors
    /// If there is no memory for the lists of many operands.
    pub fn of_fold(
        shape: &[usize],
        reduced: u32,
        blocks: &[usize],
        operands: &Operands,
        slot: usize,
    ) -> Result<Plan, Error> {
        let _span = trace::plan(shape, operands.len());
        // The order of the reduced elements, as if it were an operand: what is joined has to be one
        // walk there too.
        let mut numbers = Axes::filled(0_isize, shape.len());
        let mut step = 1;
        for axis in (0..shape.len()).rev().filter(|axis| reduced & (1 << axis) != 0) {
            numbers[axis] = step;
            step *= shape[axis] as isize;
        }
        // If each result has one element, they are folded along an axis nevertheless: side by side.
        let single = match blocks.iter().all(|&extent| extent <= 1) {
            true => (0..shape.len()).find(|axis| reduced & (1 << axis) != 0 && shape[*axis] == 1),
            false => None,
        };
        let (order, folds, swapped) = order(shape, blocks, single, operands, &numbers);
        let nest = nest(shape, blocks, operands, &numbers, (order, swapped), &folds);
        // The position of a loop is that of its first axis.
        let joined = |position: usize| nest.joins & (1 << position) != 0;
        let before = |end: usize| (0..end).filter(|&position| !joined(position)).count();
        let mut extents = Extents::new();
        for (position, &axis) in nest.order.iter().enumerate() {
            match (joined(position), extents.len()) {
                (true, last) => extents[last - 1] *= blocks[usize::from(axis)],
                _ => extents.push(blocks[usize::from(axis)]),
            }
        }
        let folds = before(folds.start)..before(folds.end);
        let mut plan = Plan::new(shape, &numbers, operands, nest)?;
        if extents.is_empty() {
            extents.push(1);
        }
        // Without loops, nothing moves on.
        let moves = !plan.nest.order.is_empty();
        plan.steps = plan.out().iter().map(|&step| if moves { step as usize } else { 0 }).collect();
        plan.folds = folds;
        plan.scattered = swapped;
        plan.run_axis = plan.ndim() - 1;
        plan.blocks = extents.clone();
        plan.tile = Extents::filled(1, plan.ndim());
        plan.boxes = extents;
        plan.bytes = bytes(shape, &numbers, 0, operands);
        // The blocks of one result may lie side by side; but for a total of all there are no
        // kernels that take columns in registers, or rows by a list.
        let all = (0..shape.len()).all(|axis| reduced & (1 << axis) != 0);
        let by_lists = plan.is_across() && !all;
        plan.choose_fold_boxes(operands, slot, by_lists);
        if operands.pieces().is_none() {
            plan.choose_turns();
        }
        plan.choose_whole_blocks(operands, by_lists);
        plan.choose_fold_cuts();
        plan.choose_piece(operands);
        Ok(plan)
    }
}
