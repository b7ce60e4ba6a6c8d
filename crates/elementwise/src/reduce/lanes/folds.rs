//! Closures over elements one after the other, and over lanes.

use super::super::run::is_row_major;
use super::memory::filled;
use crate::eval::{Elements, apart, eval};
use crate::exec::{Exec, work_of};
use crate::expr::{Alike, Expr, in_line, in_same_lines, in_same_rows};
use crate::kernel::{Block, Line, Source, fold_in_order};
use crate::rearrange::{check_axis, in_parts, with_elements};
use crate::types::{Array, View};
use bcast::Error;
use ndcore::{Axes, Dimension, Element, Layout, Rank};
use rayon::prelude::*;

/// One of a rank less than that of an expression.
type Less<E, T> = Array<T, <<E as Expr>::Rank as Dimension>::Smaller>;

/// The elements of what does not lie alike in memory, or repeats too often, taken one after the
/// other in row-major order: each as it is computed, where that is plain.
fn fold_computed<E: Expr<Rank: Dimension>, B>(
    expr: &E,
    init: B,
    f: impl FnMut(B, E::Elem) -> B,
) -> Result<B, Error> {
    // Arrays that lie in different orders: their elements are read where they are, if those are in a
    // near cache.
    if const { folds_each::<E>() && matches!(<E::Rank as Dimension>::NDIM, Some(2)) }
        && let Some(&[count, len]) = Alike::find(expr).first()
        && count.saturating_mul(len).saturating_mul(size_of::<E::Elem>()) <= NEAR_BYTES
        && let shape = [count, len]
        && let Some(lines) = in_same_lines(expr, &shape)
    {
        let (mut value, mut f, block) = (init, f, lines.block());
        for row in 0..count {
            value = fold_in_order(Line(block.line(row)), len, value, &mut f);
        }
        return Ok(value);
    }
    if const { folds_each::<E>() }
        && matches!(<E::Rank as Dimension>::NDIM, Some(1))
        && let Some(shape @ &[len]) = Alike::find(expr).first()
        && let Some(line) = in_line(expr, shape)
    {
        return Ok(fold_in_order(Line(line.block().line(0)), len, init, f));
    }
    Ok(fold_view(new_array(expr)?.view(), init, f))
}

/// So many bytes are read in any order as soon as copied to another one.
const NEAR_BYTES: usize = 1 << 21;

/// Whether what is not in memory may be taken as it is computed: not so of functions, which take
/// far less time by vectors.
const fn folds_each<E: Expr>() -> bool {
    !E::FACTS.buffers && !E::FACTS.in_memory
}

/// The elements of a view taken one after the other, in row-major order.
#[inline(always)]
fn fold_view<T: Element, R: Dimension, B>(
    view: View<'_, T, R>,
    init: B,
    mut f: impl FnMut(B, T) -> B,
) -> B {
    if let Some(slice) = view.as_slice() {
        return slice.iter().copied().fold(init, f);
    }
    // The rows of a small window are met sooner than an iterator over all of it is made.
    if matches!(R::NDIM, Some(2)) && view.strides()[1] == 1 {
        let mut value = init;
        for row in 0..view.shape()[0] {
            let row = view.line(row).expect("rows of unit stride");
            value = row.iter().copied().fold(value, &mut f);
        }
        return value;
    }
    view.iter().copied().fold(init, f)
}

/// Whether a view has more elements than there are between its first and its last one in memory.
#[inline(always)]
fn repeats<T: Element, R: Dimension>(view: &View<'_, T, R>) -> bool {
    match view.strides() {
        // Without a call, which would be told where the view lies: it would be copied to there.
        [stride] => *stride == 0,
        strides => view.len() > reach(view.shape(), strides),
    }
}

/// How many elements there are from the first to the last one in memory.
#[inline(never)]
fn reach(shape: &[usize], strides: &[isize]) -> usize {
    shape.iter().zip(strides).fold(1_usize, |reach, (extent, stride)| {
        reach.saturating_add(extent.saturating_sub(1).saturating_mul(stride.unsigned_abs()))
    })
}

/// The elements of an expression in a new array.
#[inline(never)]
fn new_array<E>(expr: &E) -> Result<Array<E::Elem, E::Rank>, Error>
where
    E: Expr<Rank: Dimension>,
{
    eval(expr)
}

/// The most elements that are folded lane by lane, however their lanes lie.
const FOLDED_IN_PLACE: usize = 1 << 8;

/// Lanes that lie one after the other are folded so many at the same time.
const LANES_AT_ONCE: usize = 8;

/// The lanes side by side that a task folds at a time.
const FOLDED_SIDE_BY_SIDE: usize = 1 << 10;

#[inline(always)]
pub(super) fn fold<E, B>(expr: E, init: B, mut f: impl FnMut(B, E::Elem) -> B) -> Result<B, Error>
where
    E: Expr<Rank: Dimension>,
{
    // What repeats more often than can be counted has an error: of the memory for a copy.
    let in_place =
        |view: &View<'_, E::Elem, E::Rank>| view.len() <= FOLDED_IN_PLACE || !repeats(view);
    if let Some(view) = expr.in_memory() {
        if in_place(&view) {
            return Ok(fold_view(view, init, f));
        }
        // Not of what the view was taken from: that would be in memory, and waited for.
        return apart(move || Ok(fold_view(new_array(&view)?.view(), init, f)));
    }
    // As part of the caller: to hand on several views takes as long as to fold few elements.
    if const { folds_each::<E>() && E::FACTS.alike }
        && let Some((shape, strides)) = Alike::find(&expr).layout()
        && is_row_major(shape, strides)
    {
        let len = shape.iter().product();
        return Ok(fold_in_order(Alike::bind(&expr, len).flat(), len, init, f));
    }
    if const { folds_each::<E>() && matches!(<E::Rank as Dimension>::NDIM, Some(2)) }
        && let Some(&[count, len]) = Alike::find(&expr).first()
        && let shape = [count, len]
        && let Some(rows) = in_same_rows(&expr, &shape)
    {
        let (mut value, block) = (init, rows.block());
        for row in 0..count {
            value = fold_in_order(block.run(row), len, value, &mut f);
        }
        return Ok(value);
    }
    apart(move || fold_computed(&expr, init, f))
}

pub(super) fn fold_axis<E, B>(
    expr: &E,
    axis: usize,
    init: B,
    f: impl Fn(B, E::Elem) -> B + Sync,
) -> Result<Less<E, B>, Error>
where
    E: Expr<Rank: Dimension>,
    B: Element,
{
    let exec = Exec::current();
    let folded = |lane: View<'_, E::Elem, Rank<1>>| lane.iter().copied().fold(init, &f);
    let work = work_of(size_of::<E::Elem>(), 8);
    if let Some(view) = expr.in_memory()
        && (view.len() <= FOLDED_IN_PLACE
            || (view.strides().get(axis) == Some(&1) && view.as_slice().is_none()))
        && exec.tasks(view.len(), work) <= 1
    {
        return view.map_lanes(axis, folded);
    }
    // Of other lanes, all that lie side by side are folded at a time, so that memory is read in
    // its order.
    let Elements { values, shape } = Elements::row_major(expr)?;
    check_axis(axis, shape.as_ref())?;
    let mut kept: Axes<usize> = shape.as_ref().iter().copied().collect();
    let len = kept.remove(axis);
    let inner = kept[axis..].iter().product::<usize>();
    let mut results = filled(init, kept.iter().product())?;
    let lanes = |number: usize, results: &mut [B]| {
        let first = number * LANES_AT_ONCE;
        fold_lanes(&values[first * len..][..results.len() * len], results, &f);
    };
    let fold = |number: usize, first: usize, results: &mut [B]| {
        for number in number * len..(number + 1) * len {
            let elements = &values[number * inner + first..];
            for (result, &x) in results.iter_mut().zip(elements) {
                *result = f(*result, x);
            }
        }
    };
    let parallel = exec.tasks(values.len(), work) > 1;
    match inner == 1 && len > 0 {
        true => each_part(&mut results, LANES_AT_ONCE, parallel, &lanes),
        false => each_part(&mut results, inner, parallel, &|number, results| {
            let some = if parallel { FOLDED_SIDE_BY_SIDE } else { results.len() };
            each_part(results, some, parallel, &|part, results| fold(number, part * some, results));
        }),
    }
    let layout = Layout::c_order(<E::Rank as Dimension>::Smaller::shape(&kept)?)?;
    Ok(Array::from_layout_vec(layout, results)?)
}

/// Calls a function with each part of so many results, but perhaps the last one, and its number.
// For each type of results, whatever is folded: else all that threads take is compiled for each
// closure.
#[inline(never)]
fn each_part<B: Element>(
    results: &mut [B],
    len: usize,
    parallel: bool,
    f: &(dyn Fn(usize, &mut [B]) + Sync),
) {
    let len = len.max(1);
    match parallel {
        true => results.par_chunks_mut(len).enumerate().for_each(|(number, part)| f(number, part)),
        false => results.chunks_mut(len).enumerate().for_each(|(number, part)| f(number, part)),
    }
}

/// Folds lanes that lie one after the other into as many results, where they begin: at the same
/// time, if there are as many as [`LANES_AT_ONCE`], so that each waits for itself only.
#[inline(always)]
fn fold_lanes<T: Element, B: Element>(values: &[T], results: &mut [B], f: &impl Fn(B, T) -> B) {
    let len = values.len() / results.len();
    if let Ok(results) = <&mut [B; LANES_AT_ONCE]>::try_from(&mut *results) {
        let lanes: [&[T]; LANES_AT_ONCE] = std::array::from_fn(|lane| &values[lane * len..][..len]);
        let mut folded = *results;
        for k in 0..len {
            for (folded, lane) in folded.iter_mut().zip(&lanes) {
                *folded = f(*folded, lane[k]);
            }
        }
        *results = folded;
    } else {
        for (result, lane) in results.iter_mut().zip(values.chunks_exact(len)) {
            *result = lane.iter().copied().fold(*result, f);
        }
    }
}

pub(super) fn map_axis<E, U>(
    expr: &E,
    axis: usize,
    f: impl Fn(View<'_, E::Elem, Rank<1>>) -> U + Sync,
) -> Result<Less<E, U>, Error>
where
    E: Expr<Rank: Dimension>,
    U: Element,
{
    let exec = Exec::current();
    let work = work_of(size_of::<E::Elem>(), 32);
    if let Some(view) = expr.in_memory()
        && exec.tasks(view.len(), work) <= 1
    {
        return view.map_lanes(axis, f);
    }
    with_elements(expr, |view| {
        let lanes = view.lanes(axis)?;
        let mut shape: Axes<usize> = view.shape().iter().copied().collect();
        let work = work.saturating_mul(shape.remove(axis).max(1));
        let results = in_parts(lanes.len(), 1, work, &exec, &|part, start| {
            let mut lanes = lanes.clone().split_at(start).1;
            part.fill_with(|_| f(lanes.next().expect("a lane for each result")))
        })?;
        Ok(results.into_shape(shape)?.into_rank()?)
    })
}
