//! Results along some axes.

use super::between::{between, of_between};
use super::large::{is_large, of_large};
use super::own_type::{has_columns, sums_in_own_type};
use super::planned::{Results, keeping, keeping_computed};
use super::{AxesOf, Computed, SMALL, computed_before, is_row_major, slice_total};
use crate::eval::{FEW_BYTES, Tiny, To, compute_few};
use crate::exec::{Exec, work_of};
use crate::expr::{Alike, Borrowed, Expr, is_ordered, result_of};
use crate::kernel::{
    self, Finish, Folded, Isa, Source, Write, fold_all, fold_block, fold_narrow, fold_short_rows,
    has_loop,
};
use crate::plan::{BLOCK_LEN, LANES, folds_columns, near_columns};
use crate::reduce::compiled::by_compiled;
use crate::reduce::{Place, ReduceAxes, Reduction};
use crate::trace;
use crate::types::{Array, View};
use bcast::Error;
use ndcore::{Axes, Dimension, Dyn, Element, Few, Layout, Packed, Runs, Short, reserved_for_array};

/// Reduces an expression along some axes.
pub fn along<E, F, A>(
    expr: &E,
    op: &F,
    axes: &A,
    exec: &Exec,
) -> Result<Array<F::Output, A::Rank>, Error>
where
    E: Expr<Rank: Dimension>,
    F: Reduction<E::Elem>,
    A: ReduceAxes<E::Rank>,
{
    // In `const` blocks: what is never run is not compiled then.
    if const { is_large::<E::Elem, F>() } {
        let (result, reduced) = of_large(expr, op, &|shape: &[usize]| axes.mask(shape))?;
        return without::<_, E::Rank, A>(result, reduced);
    }
    if const { E::FACTS.in_memory } {
        return along_axes(&expr.in_memory().expect("elements in memory"), op, axes, exec);
    }
    let alike = Alike::find(expr);
    let mut few = Few::new();
    if const { E::FACTS.alike && !E::FACTS.buffers_within }
        && let Some((shape, strides)) = alike.layout()
        && let len @ 1.. = shape.iter().product()
        && len.saturating_mul(size_of::<E::Elem>()) <= Few::BYTES
        && is_row_major(shape, strides)
        && let (Some(slots), Ok(shape)) = (few.slots(len), E::Rank::shape(shape))
    {
        let (layout, source) = (Layout::c_order(shape)?, Alike::bind(expr, len));
        let elements = kernel::compute(exec.isa, slots, source.flat());
        return along_axes(&View::from_layout_slice(layout, elements)?, op, axes, exec);
    }
    // What is for very few is compiled as part of this.
    let mut tiny = Tiny::of_bytes();
    if const { E::FACTS.form.is_folded() }
        && let Some(elements) = compute_few(expr, &mut tiny)
        && let Some(first) = alike.first()
        && let Some(shape) = result_of(expr, first)
    {
        let layout = Layout::c_order(shape)?;
        return along_axes(&View::from_layout_slice(layout, elements)?, op, axes, exec);
    }
    let pass = To(Borrowed(expr), &Write);
    let axes_of: AxesOf<'_> = &|shape| axes.mask(shape);
    let finish: &dyn Finish<_, _> = &Results::of(op);
    if let Some(array) = computed_before(&pass, &alike, E::FACTS.form)? {
        return along_axes(&array.view(), op, axes, exec);
    }
    let (result, reduced) = if const { E::FACTS.form.is_folded() } {
        keeping::<false, _, _, _>(expr, op, axes_of, finish, exec)?
    } else {
        let computed = Computed { pass: &pass, alike, cost: E::FACTS.cost };
        by_compiled!(
            F::COMPILED,
            |compiled| (compiled.along_computed)(&computed, axes_of, finish, exec),
            along_computed(&computed, op, axes_of, finish, exec)
        )?
    };
    without::<_, E::Rank, A>(result, reduced)
}

/// As [`along`], of an expression whose type is not known. Also the axes, as bits, which the result
/// keeps.
pub fn along_computed<T: Element, F: Reduction<T>>(
    computed: &Computed<'_, T>,
    op: &F,
    axes: AxesOf<'_>,
    finish: &dyn Finish<F::Total, F::Output>,
    exec: &Exec,
) -> Result<(Array<F::Output, Dyn>, u32), Error> {
    match keeping_computed(computed, op, axes, finish, exec)? {
        Some(result) => Ok(result),
        None => keeping::<false, _, _, _>(&computed.whole()?.view(), op, axes, finish, exec),
    }
}

/// As [`along`], of elements in memory.
#[inline(never)]
fn along_axes<T: Element, R: Dimension, F: Reduction<T>, A: ReduceAxes<R>>(
    view: &View<'_, T, R>,
    op: &F,
    axes: &A,
    exec: &Exec,
) -> Result<Array<F::Output, A::Rank>, Error> {
    let (shape, strides, len) = (view.shape(), view.strides(), view.len());
    let mask = axes.mask(shape)?;
    // Where it cannot pay, even to ask takes as long as a few elements.
    if let Some(own) = const { F::IN_OWN_TYPE }
        && (const { F::EXACT } || has_columns(shape, mask))
    {
        let mut extents = Short::new();
        kept_extents(shape, mask, A::KEEPS, &mut extents);
        let layout = Layout::<A::Rank>::c_order(A::Rank::shape(&extents)?)?;
        if let Some(sums) = sums_in_own_type(own, view, mask, &layout, exec)? {
            return Array::from_flat(layout, sums);
        }
    }
    if exec.tasks(len, work_of(size_of::<T>(), F::COST)) <= 1 {
        let few = folded_few(view, mask);
        let several = few.is_none() && mask.count_ones() > 1;
        let between = if F::JOINS && several { between(view, mask) } else { None };
        if few.is_some() || between.is_some() || is_some_along(view) {
            let _span = ((few.is_some() || between.is_some()) && len > FEW_ALONG)
                .then(|| trace::unplanned("OneRun", shape, len * size_of::<T>()));
            // Results are returned as they come, because to hand them on would take as long as to
            // add few elements. Number by number: what is copied as a whole waits for numbers that
            // have just been written.
            let results = results_of::<T, F, R, A>(op, shape, mask, |put| match (few, between) {
                (Some((elements, folded)), _) => {
                    fold(op, exec.isa, elements, &folded, put);
                    Ok(true)
                }
                (None, Some((elements, between))) => {
                    by_compiled!(
                        F::COMPILED,
                        |compiled| (compiled.between)(exec.isa, elements, &between, put),
                        of_between(op, exec.isa, elements, &between, put)
                    );
                    Ok(true)
                }
                (None, None) => {
                    // It matters to results of several axes alone in which order those lie.
                    let any_order = A::Rank::NDIM.is_some_and(|ndim| ndim <= 1)
                        || is_ordered(kept(shape, mask), kept(strides, mask));
                    few_along(view, op, (mask, any_order), exec.isa, put)
                }
            });
            if let Some(results) = results? {
                return Ok(results);
            }
        }
    }
    let axes: AxesOf<'_> = &|_| Ok(mask);
    let finish: &dyn Finish<_, _> = &Results::of(op);
    let (results, reduced) = by_compiled!(
        F::COMPILED,
        |compiled| (compiled.along)(&view.as_dyn(), axes, finish, exec),
        keeping::<false, _, _, _>(view, op, axes, finish, exec)
    )?;
    without::<_, R, A>(results, reduced)
}

/// What belongs to the axes that are not in a mask.
fn kept<T: Copy>(all: &[T], mask: u32) -> impl Iterator<Item = T> + '_ {
    all.iter().enumerate().filter(move |(axis, _)| mask & (1 << axis) == 0).map(|(_, &of)| of)
}

/// Few elements as they lie in memory, if those of a result are one block: there is nothing to
/// plan.
#[inline(always)]
fn folded_few<'a, T: Element, R: Dimension>(
    view: &View<'a, T, R>,
    mask: u32,
) -> Option<(&'a [T], Folded)> {
    let (elements, folded) = (view.len() <= SOME_ALONG).then(|| folded(view, mask))??;
    let few = elements.len() <= FEW_ALONG || folded.inner <= FEW_ASIDE;
    (few && folded.len <= BLOCK_LEN).then_some((elements, folded))
}

/// Elements as they lie in memory, if the axes that are reduced follow each other there.
#[inline(always)]
pub(super) fn folded<'a, T: Element, R: Dimension>(
    view: &View<'a, T, R>,
    mask: u32,
) -> Option<(&'a [T], Folded)> {
    let (shape, axis, len) = (view.shape(), mask.trailing_zeros() as usize, view.len());
    // Number by number: what is copied as a whole waits for numbers that have just been written.
    let (elements, outer, each, inner) = match view.as_slice() {
        // What is most common.
        Some(elements) if mask.is_power_of_two() && axis < shape.len() => {
            let outer = shape[..axis].iter().product::<usize>();
            let inner = shape[axis + 1..].iter().product::<usize>();
            if len == 0 {
                return None;
            }
            (elements, outer, shape[axis], inner)
        }
        _ => {
            let elements = view.as_slice_memory_order()?;
            let Folded { outer, len, inner } = follow_in_memory(shape, view.strides(), mask)?;
            (elements, outer, len, inner)
        }
    };
    Some((elements, Folded { outer, len: each, inner }))
}

/// Whether there are some elements, which may be few enough for [`few_along`].
fn is_some_along<T: Element, R: Dimension>(view: &View<'_, T, R>) -> bool {
    let (len, bytes) = (view.len(), view.len().saturating_mul(size_of::<T>()));
    (1..=SOME_ALONG).contains(&len)
        && (bytes <= FEW_BYTES || !is_row_major(view.shape(), view.strides()))
}

/// Reduces a few elements along the axes of a mask, where they lie or from a copy, to totals in
/// row-major order; whether that is so. Of results of several axes, only if they may have `any
/// order`.
fn few_along<T: Element, R: Dimension, F: Reduction<T>>(
    view: &View<'_, T, R>,
    op: &F,
    (mask, any_order): (u32, bool),
    isa: Isa,
    put: Put<'_, F::Total>,
) -> Result<bool, Error> {
    let (shape, len) = (view.shape(), view.len());
    if !is_some_along(view) {
        return Ok(false);
    }
    let windows = mask == 2 && is_windows(shape, view.strides());
    let (matrix, across) = if windows { (view.t(), 1) } else { (*view, mask) };
    if let &[rows, each] = matrix.shape()
        && (if F::JOINS { 2 } else { 2 * LANES }..=SOME_ALONG).contains(&each)
        && across.is_power_of_two()
        // Fewer columns are folded faster from a copy, in which they are rows of one.
        && (across == 2 || each >= LANES)
        && let Some(runs) = matrix.rows_of(rows, each)
        && let Some(folded) = folded_axes(matrix.shape(), across)
    {
        let row = |number| matrix.line(number).expect("rows of unit stride");
        if across == 2 && few_rows(op, (rows, each), row, put) {
            return Ok(true);
        }
        let mut all = |runs, folded: &Folded| row_by_row(op, isa, runs, folded, put);
        if !windows || folds_columns(rows, each) || !folds_columns(rows, near_columns(rows)) {
            all(runs, &folded);
            return Ok(true);
        }
        // In parts, each of as few columns as are folded in registers: they are all near. Not one
        // by itself, which would be a row.
        let (mut left, some) = (matrix, near_columns(rows));
        while left.shape()[1] > 0 {
            let columns = left.shape()[1];
            let (part, others) =
                left.split_at(1, if columns <= some + 1 { columns } else { some })?;
            let inner = part.shape()[1];
            if let Some(runs) = part.rows_of(rows, inner) {
                all(runs, &Folded { inner, ..folded });
            }
            left = others;
        }
        return Ok(true);
    }
    if len.saturating_mul(size_of::<T>()) > FEW_BYTES || !any_order {
        return Ok(false);
    }
    // As rows, if axes between those that are reduced are not: these go before them.
    let (order, folded) = match folded_axes(shape, mask) {
        Some(folded) => (None, folded),
        None => match as_rows(shape, mask) {
            Some((order, folded)) => (Some(order), folded),
            None => return Ok(false),
        },
    };
    let (mut few, mut more) = (Few::new(), Packed::new());
    let mut places = Axes::filled(0_u8, shape.len());
    let extents: Short<usize> = match &order {
        None => Short::from_slice(shape),
        Some(order) => {
            (0..).zip(&order[..]).for_each(|(place, &axis)| places[usize::from(axis)] = place);
            order.iter().map(|&axis| shape[usize::from(axis)]).collect()
        }
    };
    let places = order.is_some().then_some(&places[..]);
    let copy = match view.copy_few(&extents, places, &mut few.room()) {
        Some(copy) => &*copy,
        None => {
            if !more.reserve(len) {
                return Err(Error::no_memory());
            }
            view.copy_row_major(&extents, places, &mut more);
            more.as_slice()
        }
    };
    fold(op, isa, copy, &folded, put);
    Ok(true)
}

/// Whether rows are windows that overlap: then they are as well the rows of another matrix, which
/// has fewer and longer ones.
pub fn is_windows(shape: &[usize], strides: &[isize]) -> bool {
    matches!((shape, strides), (&[rows, each], [1, 1]) if rows >= LANES && each < rows)
}

/// So few rows are folded one by one: to call a kernel for all of them takes longer. More of what
/// is added up, if there is no loop for their length and all of them are not many elements.
const FEW_ROWS: usize = 4;
const SOME_ROWS: usize = 2 * LANES;
const SOME_SUMMED: usize = 3 << 8;

/// Folds elements in row-major order, of which those of a result are one block.
#[inline(always)]
fn fold<T: Element, F: Reduction<T>>(
    op: &F,
    isa: Isa,
    elements: &[T],
    folded: &Folded,
    put: Put<'_, F::Total>,
) {
    by_compiled!(
        F::COMPILED,
        |compiled| (compiled.rows)(isa, elements, folded, put),
        of_rows(op, isa, elements, folded, put)
    )
}

/// Folds runs of one block, row by row.
fn row_by_row<T: Element, F: Reduction<T>>(
    op: &F,
    isa: Isa,
    runs: Runs<'_, T>,
    folded: &Folded,
    put: Put<'_, F::Total>,
) {
    by_compiled!(
        F::COMPILED,
        |compiled| (compiled.row_by_row)(isa, runs, folded, put),
        fold_block(op, isa, runs, true, folded, put)
    );
}

/// Folds few rows that are added up, each by itself, without a choice of the instruction set;
/// whether they are.
#[inline(always)]
fn few_rows<'a, T: Element, F: Reduction<T>>(
    op: &F,
    (rows, len): (usize, usize),
    row: impl Fn(usize) -> &'a [T],
    put: Put<'_, F::Total>,
) -> bool {
    let few = rows <= SOME_ROWS && (1..=4 * LANES).contains(&len) && rows * len <= SOME_SUMMED;
    if !few || const { !F::JOINS || F::COST != 1 } {
        return false;
    }
    let mut totals = [op.total(op.start(), Place::lane(0, 0)); SOME_ROWS];
    for (number, total) in totals[..rows].iter_mut().enumerate() {
        *total = kernel::fold_few(op, row(number), len);
    }
    put(&totals[..rows]);
    true
}

/// As [`fold`], compiled here.
pub fn of_rows<T: Element, F: Reduction<T>>(
    op: &F,
    isa: Isa,
    elements: &[T],
    folded: &Folded,
    put: Put<'_, F::Total>,
) {
    let &Folded { outer, len, inner } = folded;
    let nothing = op.total(op.start(), Place::lane(0, 0));
    if inner == 1 && (FEW_ROWS + 1..=SOME_ROWS).contains(&outer) && has_loop::<T, F>(len) {
        let mut totals = [nothing; SOME_ROWS];
        fold_short_rows(op, isa, elements, len, &mut totals[..outer]);
        return put(&totals[..outer]);
    }
    if inner == 1 && few_rows(op, (outer, len), |number| &elements[number * len..][..len], put) {
        return;
    }
    if inner == 1 && outer <= FEW_ROWS && len <= SMALL {
        let mut totals = [nothing; FEW_ROWS];
        // Without a division, which takes as long as a few elements.
        let mut rest = elements;
        for total in &mut totals[..outer] {
            let (row, after) = rest.split_at(len);
            (*total, rest) = (slice_total(row, op), after);
        }
        return put(&totals[..outer]);
    }
    if !fold_narrow(op, isa, elements, folded, put) {
        fold_all(op, isa, elements, folded, put);
    }
}

/// As [`all_usual`](super::all_usual), along some axes.
pub fn along_usual<E, F, A>(
    expr: &E,
    op: &F,
    axes: &A,
    exec: &Exec,
) -> Option<Array<F::Output, A::Rank>>
where
    E: Expr<Rank: Dimension>,
    F: Reduction<E::Elem>,
    A: ReduceAxes<E::Rank>,
{
    if const { E::FACTS.pure } { along(expr, op, axes, exec).ok() } else { None }
}

/// A result that has the axes that are reduced, as the axes want it.
pub fn without<T: Element, R: Dimension, A: ReduceAxes<R>>(
    keepdims: Array<T, Dyn>,
    reduced: u32,
) -> Result<Array<T, A::Rank>, Error> {
    if A::KEEPS {
        let layout = keepdims.layout().with_units_settled();
        let shape = A::Rank::shape(layout.shape())?;
        return Ok(keepdims.with_layout(shape, layout.strides())?);
    }
    let kept = |axis: &usize| reduced & (1 << axis) == 0;
    let (mut extents, mut strides) = (Axes::new(), Axes::new());
    for axis in (0..keepdims.ndim()).filter(kept) {
        extents.push(keepdims.shape()[axis]);
        strides.push(keepdims.strides()[axis]);
    }
    let (shape, len) = (A::Rank::shape(&extents)?, keepdims.len());
    let layout = Layout::<A::Rank>::strided(shape, &strides, 0, len)?.with_units_settled();
    Ok(keepdims.with_layout(shape, layout.strides())?)
}

/// The most elements that are not worth a plan where they lie in row-major order.
pub(super) const FEW_ALONG: usize = 1 << 13;

/// The same if nothing goes through buffers and at most so many results lie side by side, whose
/// accumulators stay in a second-level cache: then memory is read in its order.
const SOME_ALONG: usize = 1 << 17;

const FEW_ASIDE: usize = 1 << 10;

/// The extents before, of and after the reduced axes, if those follow each other and hold one
/// block.
fn folded_axes(shape: &[usize], mask: u32) -> Option<Folded> {
    let mut strides = Axes::filled(0, shape.len());
    let mut below = 1;
    for (stride, extent) in strides.iter_mut().zip(shape).rev() {
        *stride = below as isize;
        below *= extent;
    }
    folded_in_memory(shape, &strides, mask)
}

/// The axes in the order of which the results are rows: those that are reduced go last; and the
/// extents of that. `None` if a result is not one block, or there is none.
fn as_rows(shape: &[usize], mask: u32) -> Option<(Axes<u8>, Folded)> {
    let mut order = Axes::new();
    let mut folded = Folded { outer: 1, len: 1, inner: 1 };
    for reduced in [false, true] {
        let extent = if reduced { &mut folded.len } else { &mut folded.outer };
        for axis in (0..shape.len()).filter(|axis| (mask & (1 << axis) != 0) == reduced) {
            order.push(axis as u8);
            *extent *= shape[axis];
        }
    }
    let some = folded.outer > 0 && (1..=BLOCK_LEN).contains(&folded.len);
    some.then_some((order, folded))
}

/// As [`folded_axes`], in the order of memory, if that has no gaps, and the axes that are reduced,
/// and those that are not, follow each other in it as in the shape.
fn folded_in_memory(shape: &[usize], strides: &[isize], mask: u32) -> Option<Folded> {
    follow_in_memory(shape, strides, mask).filter(|folded| folded.len <= BLOCK_LEN)
}

/// The same of more than one block.
fn follow_in_memory(shape: &[usize], strides: &[isize], mask: u32) -> Option<Folded> {
    let mut folded = Folded { outer: 1, len: 1, inner: 1 };
    let (mut below, mut last, mut seen) = (1, [usize::MAX; 2], [false; 2]);
    let mut left: u32 =
        (0..shape.len()).filter(|&axis| shape[axis] != 1).fold(0, |all, n| all | 1 << n);
    // From the innermost axis outwards.
    while left != 0 {
        let mut axis = left.ilog2() as usize;
        if strides[axis] != below {
            let closest = |axis: &usize| left & (1_u32 << axis) != 0 && strides[*axis] == below;
            axis = (0..axis).rev().find(closest)?;
        }
        let reduced = mask & (1 << axis) != 0;
        match (reduced, seen) {
            (true, [_, true]) => return None,
            (true, _) => folded.len *= shape[axis],
            (false, [false, _]) => folded.inner *= shape[axis],
            (false, _) => folded.outer *= shape[axis],
        }
        // Whether one that is reduced was met, and one that is not after it.
        seen = [seen[0] || reduced, seen[1] || (seen[0] && !reduced)];
        let last = &mut last[usize::from(reduced)];
        if axis > *last {
            return None;
        }
        (*last, left) = (axis, left & !(1 << axis));
        below *= shape[axis] as isize;
    }
    (folded.outer > 0 && folded.inner > 0 && folded.len > 0).then_some(folded)
}

/// What takes totals, in the order of their results.
pub type Put<'a, Total> = &'a mut dyn FnMut(&[Total]);

/// The results of these totals, of `len` elements each, in a form of which compilers make vectors.
/// If one is an error, that is kept, and the results are of no use: of some of them there may be
/// none.
#[inline(always)]
pub fn results_of_totals<'t, T: Element, F: Reduction<T>>(
    op: &'t F,
    totals: &'t [F::Total],
    len: usize,
    error: &'t mut Option<Error>,
) -> impl ExactSizeIterator<Item = F::Output> + use<'t, T, F> {
    // What stands for an error.
    let other = totals.first().and_then(|&first| {
        let first = op.finish(first, len);
        first.map_err(|err| *error = Some(err)).ok()
    });
    let totals = if other.is_some() { totals } else { &[] };
    totals.iter().map(move |&total| {
        op.finish(total, len).unwrap_or_else(|err| {
            *error = Some(err);
            other.expect("there is a first one")
        })
    })
}

/// Appends the extents of a result along the axes of a mask, which it may keep; returns the number
/// of elements of each.
// Not inlined: with a rank that is known, compilers take seconds to make loops of two steps into
// something else.
#[inline(never)]
fn kept_extents(shape: &[usize], mask: u32, keeps: bool, extents: &mut Short<usize>) -> usize {
    let mut len = 1;
    for (axis, &extent) in shape.iter().enumerate() {
        match mask & (1 << axis) != 0 {
            false => extents.push(extent),
            true => {
                len *= extent;
                if keeps {
                    extents.push(1);
                }
            }
        }
    }
    len
}

/// The results along the axes of a mask, in row-major order, whose totals `fold` gives; `None` if
/// it says that it does not.
#[inline(always)]
fn results_of<T: Element, F: Reduction<T>, R: Dimension, A: ReduceAxes<R>>(
    op: &F,
    shape: &[usize],
    mask: u32,
    fold: impl FnOnce(Put<'_, F::Total>) -> Result<bool, Error>,
) -> Result<Option<Array<F::Output, A::Rank>>, Error> {
    let mut extents = Short::new();
    let len = kept_extents(shape, mask, A::KEEPS, &mut extents);
    let layout = Layout::<A::Rank>::c_order(A::Rank::shape(&extents)?)?;
    let mut results = reserved_for_array(layout.size(), layout.shape())?;
    let mut error = None;
    let mut put = |totals: &[F::Total]| {
        // How many there are is known for certain: no check for each.
        results.extend(results_of_totals::<T, F>(op, totals, len, &mut error));
    };
    let done = fold(&mut put)?;
    match error {
        Some(error) => Err(error),
        None if done => Array::from_flat(layout, results).map(Some),
        None => Ok(None),
    }
}
