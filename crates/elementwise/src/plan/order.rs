//! The order of axes: of a new result in memory, and of the loops over it.

use super::Operands;
use ndcore::{Axes, Nest};

/// The order of the axes of a new result, from the outermost: row-major, unless all operands that
/// tell two axes apart agree on the other order. Axes along which an operand repeats, and axes of
/// extent 1, do not vote.
pub fn result_order(shape: &[usize], operands: &Operands) -> Axes<u8> {
    let mut order: Axes<u8> = (0..shape.len() as u8).collect();
    // Axes of extent 1 stay where they are, and are between no others.
    let places: Axes<usize> = (0..shape.len()).filter(|&axis| shape[axis] != 1).collect();
    // Insertion sort: the votes are not transitive, so a sort that relies on that could do
    // anything.
    for end in 1..places.len() {
        let mut at = end;
        while at > 0 {
            let (outer, inner) = (places[at - 1], places[at]);
            if !votes_to_swap(operands, order[outer].into(), order[inner].into()) {
                break;
            }
            order.swap(outer, inner);
            at -= 1;
        }
    }
    order
}

/// Whether axis `outer` should be inside axis `inner` instead.
fn votes_to_swap(operands: &Operands, outer: usize, inner: usize) -> bool {
    let mut swap = false;
    for (_, strides) in operands.iter() {
        let (o, i) = (strides[outer].unsigned_abs(), strides[inner].unsigned_abs());
        if o == 0 || i == 0 || o == i {
            continue;
        }
        if o > i {
            return false;
        }
        swap = true;
    }
    swap
}

/// The loops over a result: the axes by the output's strides, the outermost first, each walked so
/// that the output goes forwards, and joined where output and operands all allow it.
pub(super) fn of_result(shape: &[usize], output: &[isize], operands: &Operands) -> Nest {
    let mut order = Axes::<u8>::new();
    let mut flips = 0;
    for axis in 0..shape.len() {
        if shape[axis] == 1 {
            continue;
        }
        if output[axis] < 0 {
            flips |= 1 << axis;
        }
        // Insertion sort; most often the axes are in order already.
        let mut at = order.len();
        order.push(axis as u8);
        let stride = |axis: u8| output[usize::from(axis)].unsigned_abs();
        while at > 0 && stride(order[at - 1]) < stride(order[at]) {
            order.swap(at - 1, at);
            at -= 1;
        }
    }
    let mut nest = Nest { order, flips, joins: 0 };
    for position in 1..nest.order.len() {
        let (outer, inner) = axes_at(&nest, position);
        let flipped = |axis: usize| flips & (1 << axis) != 0;
        let sign = if flipped(outer) == flipped(inner) { 1 } else { -1 };
        let extent = sign * shape[inner] as isize;
        let one_walk = |strides: &[isize]| strides[outer] == strides[inner].wrapping_mul(extent);
        if one_walk(output) && operands.iter().all(|(_, strides)| one_walk(strides)) {
            nest.joins |= 1 << position;
        }
    }
    nest
}

/// The axes of a loop and of the one before it.
pub(super) fn axes_at(nest: &Nest, position: usize) -> (usize, usize) {
    (nest.order[position - 1].into(), nest.order[position].into())
}
