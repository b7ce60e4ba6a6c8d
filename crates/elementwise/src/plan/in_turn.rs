//! Plans of passes whose elements are met in row-major order, whatever lies how in memory.

use super::boxes::BOX_BYTES;
use super::{Operands, Plan, bytes};
use crate::trace;
use bcast::Error;
use ndcore::{Axes, Extents, Nest};

impl Plan {
    /// As [`of_result`](Self::of_result), with all loops in row-major order, forwards, and boxes
    /// that follow each other in it. It is not for several threads.
    ///
    /// # Errors
    /// As for that.
    pub fn in_turn(
        shape: &[usize],
        output: &[isize],
        element_size: usize,
        operands: &Operands,
    ) -> Result<Plan, Error> {
        let _span = trace::plan(shape, operands.len());
        let order: Axes<u8> = (0..shape.len() as u8).collect();
        let nest = Nest { order, flips: 0, joins: 0 };
        let mut plan = Plan::new(shape, output, operands, nest)?;
        let n = plan.ndim();
        plan.folds = n..n;
        plan.blocks = Extents::filled(1, n);
        plan.steps = Extents::filled(0, n);
        plan.boxes = Extents::filled(1, n);
        // The innermost loops, as far as they fit, are a stretch of the row-major order.
        let mut room = BOX_BYTES / operands.largest().max(element_size);
        for axis in (0..n).rev() {
            plan.boxes[axis] = plan.loops[axis].min(room.max(1));
            room /= plan.loops[axis];
            if plan.boxes[axis] < plan.loops[axis] {
                break;
            }
        }
        plan.one_run();
        plan.tile = plan.boxes.clone();
        plan.cuts = plan.loops.clone();
        plan.choose_piece(operands);
        plan.bytes = bytes(shape, output, element_size, operands);
        Ok(plan)
    }
}
