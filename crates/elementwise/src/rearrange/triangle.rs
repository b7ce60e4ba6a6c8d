//! Matrices without what is above or below a diagonal.

use crate::eval::eval;
use crate::expr::Expr;
use crate::types::Array;
use bcast::Error;
use ndcore::{Dimension, Element};
use num_traits::Zero;

/// Each matrix of the last two axes with zeros above diagonal `k`, or below it.
pub(super) fn without_triangle<E>(
    expr: &E,
    k: isize,
    above: bool,
) -> Result<Array<E::Elem, E::Rank>, Error>
where
    E: Expr<Elem: Element + Zero, Rank: Dimension>,
{
    let mut out = eval(expr)?;
    let Some(rows) = out.ndim().checked_sub(2) else { return Ok(out) };
    let columns = rows + 1;
    let [row_stride, column_stride] =
        [rows, columns].map(|axis| out.strides()[axis].unsigned_abs());
    let by_rows = column_stride <= row_stride;
    let (lane, other) = if by_rows { (columns, rows) } else { (rows, columns) };
    let (extent, others) = (out.shape()[lane] as i128, out.shape()[other]);
    // Without elements there may be very many lanes.
    if out.is_empty() {
        return Ok(out);
    }
    for (number, mut lane) in out.lanes_mut(lane)?.enumerate() {
        let own = (number % others) as i128;
        // Where a lane crosses the diagonal, and whether what is to go lies before that.
        let (edge, before) = match (by_rows, above) {
            (true, false) => (own + k as i128, true),
            (true, true) => (own + k as i128 + 1, false),
            (false, false) => (own - k as i128 + 1, false),
            (false, true) => (own - k as i128, true),
        };
        let edge = edge.clamp(0, extent) as usize;
        let range = if before { 0..edge } else { edge..extent as usize };
        lane.slice_axis_mut(0, range, 1)?.fill(E::Elem::zero());
    }
    Ok(out)
}
