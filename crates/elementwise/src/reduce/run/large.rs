//! Reductions by accumulators so large that dozens of them, which the kernels have on the stack,
//! may not fit there: one block after the other, by lists. The order is that of the kernels.

use super::Results;
use super::planned::{Along, with_room};
use crate::eval::eval;
use crate::expr::{Borrowed, Expr};
use crate::kernel::{Finish, ROUNDS};
use crate::plan::LANES;
use crate::reduce::{Place, Reduction};
use crate::types::{Array, View};
use bcast::Error;
use ndcore::{Axes, Dimension, Dyn, Element};

/// The largest accumulators of kernels.
const LARGEST: usize = 256;

/// Whether those of a reduction are larger.
pub const fn is_large<T: Element, F: Reduction<T>>() -> bool {
    size_of::<F::Acc>() > LARGEST || size_of::<F::Total>() > LARGEST
}

/// Reduces an expression along the axes of a mask, which the result keeps. Also the mask.
#[inline(never)]
pub fn of_large<E, F>(
    expr: &E,
    op: &F,
    axes: super::AxesOf<'_>,
) -> Result<(Array<F::Output, Dyn>, u32), Error>
where
    E: Expr<Rank: Dimension>,
    F: Reduction<E::Elem>,
{
    match expr.in_memory() {
        Some(view) => of_view(view.as_dyn(), op, axes),
        None => of_view(eval(&Borrowed(expr))?.view().as_dyn(), op, axes),
    }
}

fn of_view<T: Element, F: Reduction<T>>(
    view: View<'_, T, Dyn>,
    op: &F,
    axes: super::AxesOf<'_>,
) -> Result<(Array<F::Output, Dyn>, u32), Error> {
    let (reduced, finish) = (axes(view.shape())?, Results::of(op));
    let along = Along::new(view.shape(), reduced)?;
    if let Some(result) = along.of_nothing(&finish)? {
        return Ok((result, reduced));
    }
    let mut totals = each_block(view, &along, |first, block| total_of(op, first, block))?;
    while totals.shape() != along.extents.kept() {
        let next = Along::new(totals.shape(), reduced)?;
        let merged = each_block(totals.view(), &next, |_, totals| {
            let merge = |a, b| op.merge(a, b);
            let step = |lane: Option<F::Total>, total, _| lane.map_or(total, |a| merge(a, total));
            Ok(halves(lanes(totals, step, Some(&merge))?, merge))
        })?;
        totals = merged;
    }
    let mut results = ndcore::reserved_for_array(totals.len(), totals.shape())?;
    for &total in totals.iter() {
        results.push(finish.one(total, along.extents.len)?);
    }
    Ok((
        Array::from_shape_vec(
            along.extents.kept().iter().copied().collect::<Axes<usize>>(),
            results,
        )?,
        reduced,
    ))
}

/// What a function makes of each block, which it is given with the number of its first element
/// among those of the result.
fn each_block<T: Element, U: Element>(
    view: View<'_, T, Dyn>,
    along: &Along<'_>,
    mut f: impl FnMut(usize, View<'_, T, Dyn>) -> Result<U, Error>,
) -> Result<Array<U, Dyn>, Error> {
    let grid = along.grid();
    let count = grid.iter().product();
    let mut made = ndcore::reserved_for_array(count, &grid)?;
    for number in 0..count {
        let (mut block, mut rest) = (view, number);
        let (mut first, mut below) = (0, 1);
        for axis in (0..grid.len()).rev() {
            let (place, extent) = (rest % grid[axis], along.shape[axis]);
            rest /= grid[axis];
            let is_reduced = along.extents.reduced & (1 << axis) != 0;
            let len = if is_reduced { along.blocks[axis] } else { 1 };
            let (start, end) = (place * len, extent.min((place + 1) * len));
            block = block.slice_axis(axis, start..end, 1)?;
            if is_reduced {
                (first, below) = (first + start * below, below * extent);
            }
        }
        made.push(f(first, block)?);
    }
    Ok(Array::from_shape_vec(grid, made)?)
}

/// The total of a block.
fn total_of<T: Element, F: Reduction<T>>(
    op: &F,
    first: usize,
    block: View<'_, T, Dyn>,
) -> Result<F::Total, Error> {
    let join = |a, b| op.join(a, b);
    let step = |lane: Option<F::Acc>, value, round| {
        op.step(lane.unwrap_or_else(|| op.start()), value, round)
    };
    if F::JOINS {
        let all = halves(lanes(block, step, Some(&join))?, join);
        return Ok(op.total(all, Place::lane(first, block.len())));
    }
    let mut totals = with_room(LANES)?;
    for (lane, acc) in lanes(block, step, None)?.into_iter().enumerate() {
        let place = Place::lane(first + lane, (block.len() - lane).div_ceil(LANES));
        totals.push(op.total(acc, place));
    }
    Ok(halves(totals, |a, b| op.merge(a, b)))
}

/// What `step` makes of the elements of each lane, and `join` of the stretches of each, if
/// there are such.
fn lanes<V: Element, A: Copy>(
    view: View<'_, V, Dyn>,
    step: impl Fn(Option<A>, V, usize) -> A,
    join: Option<&dyn Fn(A, A) -> A>,
) -> Result<Vec<A>, Error> {
    let (mut lanes, mut stretch) = (with_room(LANES)?, with_room(LANES)?);
    // Row by row: an iterator of elements asks for memory if the rank is not known.
    let rows = view.rows().flat_map(|row| row.into_iter());
    for (i, &value) in rows.enumerate() {
        let (lane, round) = (i % LANES, i / LANES);
        if let Some(join) = join
            && i > 0
            && i % (LANES * ROUNDS) == 0
        {
            put_together(join, &mut lanes, &mut stretch);
        }
        match stretch.get_mut(lane) {
            Some(lane) => *lane = step(Some(*lane), value, round),
            None => stretch.push(step(None, value, round)),
        }
    }
    match join {
        Some(join) => put_together(join, &mut lanes, &mut stretch),
        None => lanes = stretch,
    }
    Ok(lanes)
}

/// Joins a stretch to what came before it.
fn put_together<A: Copy>(join: &dyn Fn(A, A) -> A, lanes: &mut Vec<A>, stretch: &mut Vec<A>) {
    for (lane, acc) in stretch.drain(..).enumerate() {
        match lanes.get_mut(lane) {
            Some(lane) => *lane = join(*lane, acc),
            None => lanes.push(acc),
        }
    }
}

/// Some lanes, put together by halves.
fn halves<A: Copy>(mut lanes: Vec<A>, together: impl Fn(A, A) -> A) -> A {
    for half in [8, 4, 2, 1] {
        for low in 0..half.min(lanes.len().saturating_sub(half)) {
            lanes[low] = together(lanes[low], lanes[low + half]);
        }
        lanes.truncate(half);
    }
    lanes[0]
}
