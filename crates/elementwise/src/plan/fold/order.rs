//! The order of the loops of a reduction, and which of them are folded.

use super::super::order::axes_at;
use super::super::{Operands, result_order};
use super::{LANES, SHORT_BLOCK, SHORT_RUN};
use ndcore::{Axes, Nest};
use smallvec::{SmallVec, smallvec};
use std::ops::Range;

/// The axes from the outermost loop, which of them are folded, and whether two axes of the results
/// have been swapped.
pub(super) fn order(
    shape: &[usize],
    blocks: &[usize],
    single: Option<usize>,
    operands: &Operands,
    numbers: &[isize],
) -> (Axes<u8>, Range<usize>, bool) {
    let folded = |axis: usize| blocks[axis] > 1 || single == Some(axis);
    let mut order = Axes::<u8>::new();
    for &axis in result_order(shape, operands).iter() {
        if shape[usize::from(axis)] > 1 && !folded(axis.into()) {
            order.push(axis);
        }
    }
    let outputs = order.len();
    for axis in (0..shape.len()).filter(|&axis| folded(axis)) {
        order.push(axis as u8);
    }
    let all = order.len();
    let mut swapped = is_better_swapped(shape, blocks, operands, &order, outputs);
    if swapped {
        order.swap(outputs - 2, outputs - 1);
    }
    let folded_len =
        order[outputs..].iter().map(|&axis| shape[usize::from(axis)]).product::<usize>();
    let last = order[..outputs].last().map(|&axis| usize::from(axis));
    // Shorter than a vector, they are not worth a call each, however few results there are.
    let beside = order[outputs..].iter().map(|&axis| usize::from(axis));
    let beside = beside.filter(|&axis| operands.iter().any(|(_, strides)| strides[axis] == 1));
    let least = match beside.map(|axis| shape[axis]).max() {
        Some(extent) if folded_len < LANES => extent + 1,
        _ => LANES,
    };
    let windows = folded_len < SHORT_BLOCK && last.is_some_and(|last| shape[last] >= least);
    let mut across = None;
    for (_, strides) in operands.iter() {
        let repeats = order[outputs..].iter().all(|&axis| strides[usize::from(axis)] == 0);
        if repeats && single.is_none() {
            continue;
        }
        let axes = order.iter().map(|&axis| usize::from(axis));
        let lies = |axis: &usize| strides[*axis] != 0;
        // Along a folded axis, if it is all the same: not so of short windows, where what is folded
        // is side by side as well.
        let beside = |axis: usize| folded(axis) && !(windows && strides[axis] == 1);
        let closest =
            axes.filter(lies).min_by_key(|&axis| (strides[axis].unsigned_abs(), !beside(axis)));
        if let Some(axis) = closest.filter(|&axis| !folded(axis)) {
            across = Some(axis as u8);
        }
    }
    let alone = single.is_some() && outputs > 0;
    let packed =
        across.is_none() && (alone || packs_across(shape, blocks, operands, &order, outputs));
    // The longer one is what results lie side by side along, or rows are read as they lie.
    let rows = across.is_none() && !packed && !rows_lie(blocks, operands, &order[outputs..]);
    if swapped && (rows || across.is_some_and(|axis| axis != order[outputs - 1])) {
        order.swap(outputs - 2, outputs - 1);
        swapped = false;
    }
    let run = match across {
        Some(run) => run,
        None if packed => order[outputs - 1],
        None => return (order, outputs..all, swapped),
    };
    // With the axes that are one walk with it, from the innermost.
    let mut tail: SmallVec<[u8; 4]> = smallvec![run];
    while let Some(&outer) = order[..outputs].iter().find(|&&outer| {
        let inner = usize::from(tail[tail.len() - 1]);
        let one_walk = |strides: &[isize]| is_one_walk(shape, strides, outer.into(), inner);
        !swapped
            && !tail.contains(&outer)
            && operands.iter().all(|(_, strides)| one_walk(strides))
            && one_walk(numbers)
    }) {
        tail.push(outer);
    }
    let mut rotated: Axes<u8> = order.iter().copied().filter(|axis| !tail.contains(axis)).collect();
    tail.iter().rev().for_each(|&axis| rotated.push(axis));
    (rotated, outputs - tail.len()..all - tail.len(), swapped)
}

/// Whether the last axis of the results is so short, and the one before it so much longer, that the
/// longer one goes inside: if each step of the last one but one was a call for a few short blocks,
/// calls would take longer than what they do. The distances of many points from a few centres.
fn is_better_swapped(
    shape: &[usize],
    blocks: &[usize],
    operands: &Operands,
    order: &[u8],
    outputs: usize,
) -> bool {
    let (results, folded) = order.split_at(outputs);
    let ([.., long, few], Some(&first)) = (results, folded.first()) else { return false };
    let (long, few, first) = (usize::from(*long), usize::from(*few), usize::from(first));
    let len = folded.iter().map(|&axis| blocks[usize::from(axis)]).product::<usize>();
    let whole = folded.iter().all(|&axis| blocks[usize::from(axis)] == shape[usize::from(axis)]);
    // What is one walk is read so.
    let one_walk = |outer: usize, inner: usize| {
        operands.iter().all(|(_, strides)| is_one_walk(shape, strides, outer, inner))
    };
    // Where both are as short as this, it takes longer to bring the results back into their order.
    let worth = shape[few] <= 4 || len > 4;
    whole
        && worth
        && len < SHORT_RUN
        && shape[few] < LANES
        && shape[long] >= 4 * LANES
        && !operands.has_buffers()
        && !operands.are_one_by_one()
        && !one_walk(long, few)
        && !one_walk(few, first)
}

/// Whether results whose elements lie side by side are folded side by side nevertheless: short
/// blocks have to be packed, unless those of neighbours lie one after the other, and if they are,
/// it may as well be in the order in which vectors are full.
fn packs_across(
    shape: &[usize],
    blocks: &[usize],
    operands: &Operands,
    order: &[u8],
    outputs: usize,
) -> bool {
    let (results, folded) = order.split_at(outputs);
    let (Some(&last), Some(_)) = (results.last(), folded.first()) else { return false };
    let of = |extents: &[usize]| {
        folded.iter().map(|&axis| extents[usize::from(axis)]).product::<usize>()
    };
    let short = of(blocks) == of(shape) && of(blocks) < SHORT_BLOCK;
    // One walk through the last loop over results and those that are folded.
    let lies = |strides: &[isize]| {
        order[outputs - 1..]
            .windows(2)
            .all(|pair| is_one_walk(shape, strides, pair[0].into(), pair[1].into()))
    };
    short
        && !rows_lie(blocks, operands, folded)
        && !operands.has_buffers()
        && shape[usize::from(last)] >= LANES
        && !operands.iter().all(|(_, strides)| lies(strides))
}

/// Whether rows fill vectors by themselves, and are read as they lie.
fn rows_lie(blocks: &[usize], operands: &Operands, folded: &[u8]) -> bool {
    let [axis] = *folded else { return false };
    let axis = usize::from(axis);
    blocks[axis] >= LANES && operands.iter().all(|(_, strides)| strides[axis] == 1)
}

/// Whether an operand goes on along `outer` where it ends along `inner`.
fn is_one_walk(shape: &[usize], strides: &[isize], outer: usize, inner: usize) -> bool {
    strides[outer] == strides[inner].wrapping_mul(shape[inner] as isize)
}

/// Joins loops of the same kind that all operands walk as one.
pub(super) fn nest(
    shape: &[usize],
    blocks: &[usize],
    operands: &Operands,
    numbers: &[isize],
    (order, swapped): (Axes<u8>, bool),
    folds: &Range<usize>,
) -> Nest {
    let mut nest = Nest { order, flips: 0, joins: 0 };
    let kind = |position: usize| (position >= folds.start, position >= folds.end);
    for position in 1..nest.order.len() {
        let (outer, inner) = axes_at(&nest, position);
        // A block ends where an axis ends.
        let whole = !folds.contains(&position) || blocks[inner] == shape[inner];
        let one_walk = |strides: &[isize]| is_one_walk(shape, strides, outer, inner);
        // What has been swapped is no walk in the results.
        if kind(position - 1) == kind(position)
            && (!swapped || folds.contains(&position))
            && whole
            && operands.iter().all(|(_, strides)| one_walk(strides))
            && one_walk(numbers)
        {
            nest.joins |= 1 << position;
        }
    }
    nest
}
