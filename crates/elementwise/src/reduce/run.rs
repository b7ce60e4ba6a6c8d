//! From an expression and a reduction to memory.
//!
//! The totals of blocks are the output of a plan; if a result has several, they are reduced by the
//! same means until one is left. Few elements, and vectors, are folded without a plan, to the same
//! bits.

use super::{Place, Plain, ReduceAxes, Reduction, Sum};
use crate::eval::{BUFFERED, FEW_BYTES, Pass, apart, eval_by, execute, may_be_line};
use crate::exec::{Exec, additions, work_of};
use crate::expr::{Alike, Binding, Expr, Hoisting, Lines, Owned, Plain as Plainly, Tree};
use crate::kernel::{
    AppliedBlock, Block, Fold, Folded, Isa, Line, MOST_FEW, Run, Slots, Source, fold_all,
    fold_apart, fold_block, fold_blocks, fold_each, fold_few, fold_products, fold_row,
    fold_rows_apart,
};
use crate::number::{Monoid, Number};
use crate::ops::{Add, Mul};
use crate::plan::{BLOCK_LEN, Explanation, LANES, Operands, Plan, blocks, folds_columns};
use crate::trace;
use crate::types::Array;
use bcast::{Error, ErrorKind};
use ndcore::{
    Axes, Dimension, Dyn, Element, Few, Filled, Layout, List, Packed, Part, Rank, Short, Spaced,
    View, Window, reserved_for_array, size_of_shape,
};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::sync::OnceLock;

/// Totals that are results.
struct Finish<'a, F, T> {
    op: &'a F,
    len: usize,
    /// The first that could not be stored.
    error: &'a OnceLock<Error>,
    elements: PhantomData<fn(T)>,
}

impl<F: Reduction<T>, T> Slots<F::Total> for Finish<'_, F, T> {
    type Slot = MaybeUninit<F::Output>;

    #[inline]
    fn put(&self, slot: &mut MaybeUninit<F::Output>, total: F::Total) -> bool {
        match self.op.finish(total, self.len) {
            Ok(value) => {
                slot.write(value);
                true
            }
            Err(error) => {
                let _ = self.error.set(error);
                false
            }
        }
    }

    fn failure(&self) -> Error {
        self.error.get().cloned().expect("a total was not stored because of an error")
    }
}

/// Totals as they are.
struct Keep;

impl<Total: Element> Slots<Total> for Keep {
    type Slot = MaybeUninit<Total>;

    #[inline]
    fn put(&self, slot: &mut MaybeUninit<Total>, total: Total) -> bool {
        slot.write(total);
        true
    }
}

/// An expression, a reduction of it, and where the totals go.
struct Reduced<'a, E, F, S>(&'a E, &'a F, &'a S);

impl<E: Expr, F: Reduction<E::Elem>, S: Slots<F::Total>> Pass<S::Slot> for Reduced<'_, E, F, S> {
    fn work(&self) -> usize {
        work_of(size_of::<E::Elem>(), E::COST + F::COST)
    }

    fn describe<'a>(&'a self, tree: &mut Tree<'a>) {
        self.0.describe(tree);
    }

    fn hoist(&self, hoisting: &mut Hoisting<'_>) -> Result<(), Error> {
        if E::BUFFERED { self.0.hoist(hoisting) } else { Ok(()) }
    }

    fn task<'b>(
        &self,
        binding: Binding<'_>,
        plan: &Plan,
        part: Part<'b, S::Slot>,
        start: &[usize],
    ) -> Result<Filled<'b>, Error> {
        let fold = Fold::<E::Elem, F, S>::new(self.1, self.2, part, plan, binding.isa);
        fold.walk(binding.bind(self.0)?, start)?.ok_or_else(|| self.2.failure())
    }
}

/// Puts the totals of the blocks of a result together.
struct Merging<'a, F, T> {
    op: &'a F,
    /// The number of elements of a result.
    len: usize,
    elements: PhantomData<fn(T)>,
}

impl<F: Reduction<T>, T> Reduction<F::Total> for Merging<'_, F, T> {
    type Acc = Plain<Option<F::Total>>;
    type Total = Plain<Option<F::Total>>;
    type Output = F::Output;
    const NAME: &'static str = F::NAME;
    const COST: usize = 8;

    #[inline(always)]
    fn start(&self) -> Self::Acc {
        Plain(None)
    }

    #[inline(always)]
    fn step(&self, acc: Self::Acc, value: F::Total, _: usize) -> Self::Acc {
        self.merge(acc, Plain(Some(value)))
    }

    #[inline(always)]
    fn total(&self, acc: Self::Acc, _: Place) -> Self::Total {
        acc
    }

    #[inline(always)]
    fn merge(&self, a: Self::Total, b: Self::Total) -> Self::Total {
        Plain(match (a.0, b.0) {
            (Some(a), Some(b)) => Some(self.op.merge(a, b)),
            (one, None) | (None, one) => one,
        })
    }

    fn finish(&self, total: Self::Total, _: usize) -> Result<F::Output, Error> {
        self.op.finish(total.0.expect("there is a block"), self.len)
    }
}

/// Merged totals that are merged again.
struct Unwrap;

impl<Total: Element> Slots<Plain<Option<Total>>> for Unwrap {
    type Slot = MaybeUninit<Total>;

    #[inline]
    fn put(&self, slot: &mut MaybeUninit<Total>, total: Plain<Option<Total>>) -> bool {
        total.0.is_some_and(|total| {
            slot.write(total);
            true
        })
    }
}

/// What an expression is at its root.
struct Root<'e, E>(PhantomData<&'e E>);

impl<'e, E: Expr> Root<'e, E> {
    /// As [`Block::PURE`].
    const PURE: bool = <<E::Source<'e> as Source>::Block<'e> as Block>::PURE;

    /// As [`Block::RARE`].
    const RARE: bool = <<E::Source<'e> as Source>::Block<'e> as Block>::RARE;
}

/// Fewer bytes of elements whose operation at the root has rare arguments are computed before they
/// are reduced: one loop computes them by vectors, and another one adds them, where both in one
/// take several times as long.
const COMPUTED_BEFORE: usize = 1 << 20;

/// Whether so many elements are.
#[inline(always)]
fn is_computed_before<T>(len: usize) -> bool {
    len.saturating_mul(size_of::<T>()) <= COMPUTED_BEFORE
}

/// Reduces an expression along some axes.
pub fn along<'e, E, F, A>(
    expr: &'e E,
    op: &F,
    axes: &A,
    exec: &Exec,
) -> Result<Array<F::Output, A::Rank>, Error>
where
    E: Expr<Rank: Dimension>,
    F: Reduction<E::Elem>,
    A: ReduceAxes<E::Rank>,
{
    // Few elements, of which those of a result are one block: there is nothing to plan. Results are
    // returned as they come, because to hand them on would take as long as to add few elements.
    let mut alike = Alike::unknown();
    expr.describe(&mut alike);
    let work = work_of(size_of::<E::Elem>(), E::COST + F::COST);
    if Root::<'e, E>::RARE
        && let Some((shape, _)) = alike.layout()
        && is_computed_before::<E::Elem>(shape.iter().product())
    {
        return along(&eval_by(expr, exec)?.view(), op, axes, exec);
    }
    if let Some((shape, strides)) = alike.layout() {
        let len = shape.iter().product::<usize>();
        let serial = len <= SOME_ALONG && exec.tasks(len, work) <= 1;
        let mask = axes.mask(shape)?;
        let some = |folded: &Folded| {
            len <= FEW_ALONG || (folded.inner <= FEW_ASIDE && (!E::BUFFERED || len <= BUFFERED))
        };
        if let Some(folded) = folded_in_memory(shape, strides, mask).filter(some)
            && serial
        {
            let _span =
                (len > FEW_ALONG).then(|| trace::one_run(shape, len * size_of::<E::Elem>()));
            if !E::BUFFERED_WITHIN {
                let mut source = Alike::bind(expr, len);
                if folded.inner == 1 || folded.outer == 1 {
                    return results_of::<E, F, A>(op, shape, mask, folded.len, &mut |put| {
                        fold_block(op, exec.isa, source.flat(), false, folded, put);
                    });
                }
                return few_results::<E, F, A>(op, shape, mask, folded, &mut source, exec);
            }
            let mut source = Binding::flat(std::array::from_ref(&len), exec.isa).bind(expr)?;
            return few_results::<E, F, A>(op, shape, mask, folded, &mut source, exec);
        }
        if is_row_major(shape, strides) {
            return along_by_plan(expr, op, axes, exec);
        }
    }
    let alike = alike.first();
    if let Some(&[rows, len]) = alike
        && !E::BUFFERED_WITHIN
        && (if F::JOINS { 2 } else { 2 * LANES }..=SOME_ALONG).contains(&len)
        && (1..=SOME_ALONG).contains(&rows)
        && rows * len <= SOME_ALONG
        && exec.tasks(rows * len, work) <= 1
    {
        let shape = [rows, len];
        let mut plain = Plainly::of(&shape);
        expr.describe(&mut plain);
        if let Some(small) = plain.rows()
            && let Ok(mask @ 1..=2) = axes.mask(&shape)
            && (mask == 2 || len >= LANES || folds_columns(rows, len))
            && let Some(folded) = folded_axes(&shape, mask)
        {
            let source = small.bind(expr);
            return results_of::<E, F, A>(op, &shape, mask, folded.len, &mut |put| {
                fold_block(op, exec.isa, source.flat(), true, folded, put);
            });
        }
    }
    let mut tree = Tree::default();
    expr.describe(&mut tree);
    // It matters to results of several axes alone in which order those lie.
    let ordered = A::Rank::NDIM.is_none_or(|ndim| ndim > 1);
    if let Some((shape, len)) = tree.plain_shape(ordered)
        && len.saturating_mul(size_of::<E::Elem>()) <= FEW_BYTES
        && exec.tasks(len, work) <= 1
        && let Ok(mask) = axes.mask(&shape)
        && let Some(folded) = folded_axes(&shape, mask)
    {
        let mut source = Binding::copied(&shape, exec.isa).bind(expr)?;
        return few_results::<E, F, A>(op, &shape, mask, folded, &mut source, exec);
    }
    along_by_plan(expr, op, axes, exec)
}

/// As [`along`], of what is worth a plan.
#[inline(never)]
fn along_by_plan<E, F, A>(
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
    let (keepdims, reduced) = keeping(expr, op, &|shape| axes.mask(shape), exec)?;
    without::<_, E::Rank, A>(keepdims, reduced)
}

/// A result that has the axes that are reduced, as the axes want it.
pub fn without<T: Element, R: Dimension, A: ReduceAxes<R>>(
    keepdims: Array<T, Dyn>,
    reduced: u32,
) -> Result<Array<T, A::Rank>, Error> {
    if A::KEEPS {
        return Ok(keepdims.into_rank()?);
    }
    let kept = |axis: &usize| reduced & (1 << axis) == 0;
    let (mut extents, mut strides) = (Axes::new(), Axes::new());
    for axis in (0..keepdims.ndim()).filter(kept) {
        extents.push(keepdims.shape()[axis]);
        strides.push(keepdims.strides()[axis]);
    }
    let shape = A::Rank::shape(&extents)?;
    Ok(keepdims.with_layout(shape, &strides)?)
}

/// The most elements that are not worth a plan where they lie in row-major order.
const FEW_ALONG: usize = 1 << 13;

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

/// As [`folded_axes`], in the order of memory, if that has no gaps, and the axes that are reduced,
/// and those that are not, follow each other in it as in the shape.
fn folded_in_memory(shape: &[usize], strides: &[isize], mask: u32) -> Option<Folded> {
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
    let some = folded.outer > 0 && folded.inner > 0 && (1..=BLOCK_LEN).contains(&folded.len);
    some.then_some(folded)
}

/// The results of few elements, of which a source gives stretches.
// Not inlined: it is called in several places.
#[inline(never)]
fn few_results<E, F, A>(
    op: &F,
    shape: &[usize],
    mask: u32,
    folded: Folded,
    source: &mut E::Source<'_>,
    exec: &Exec,
) -> Result<Array<F::Output, A::Rank>, Error>
where
    E: Expr<Rank: Dimension>,
    F: Reduction<E::Elem>,
    A: ReduceAxes<E::Rank>,
{
    results_of::<E, F, A>(op, shape, mask, folded.len, &mut |put| {
        fold_all(op, exec.isa, source, folded, put);
    })
}

/// What takes totals, in the order of their results.
type Put<'a, Total> = &'a mut dyn FnMut(&[Total]);

/// The results of `len` elements each, in row-major order, whose totals `fold` gives.
#[inline(always)]
fn results_of<E, F, A>(
    op: &F,
    shape: &[usize],
    mask: u32,
    len: usize,
    fold: &mut dyn FnMut(Put<'_, F::Total>),
) -> Result<Array<F::Output, A::Rank>, Error>
where
    E: Expr<Rank: Dimension>,
    F: Reduction<E::Elem>,
    A: ReduceAxes<E::Rank>,
{
    let mut extents = Short::new();
    for (axis, &extent) in shape.iter().enumerate() {
        match mask & (1 << axis) != 0 {
            false => extents.push(extent),
            true if A::KEEPS => extents.push(1),
            true => {}
        }
    }
    let layout = Layout::<A::Rank>::c_order(A::Rank::shape(&extents)?)?;
    let mut results = reserved_for_array(layout.size(), layout.shape())?;
    let mut error = None;
    let mut put = |totals: &[F::Total]| {
        for &total in totals {
            match op.finish(total, len) {
                Ok(result) => results.push(result),
                Err(err) => error = Some(err),
            }
        }
    };
    fold(&mut put);
    match error {
        Some(error) => Err(error),
        None => Array::from_flat(layout, results),
    }
}

/// Expressions of this cost, as closures are taken to have, are short enough to be part of the
/// caller.
const SHORT: usize = 64;

/// The most elements that are not worth threads, whatever is computed of them.
pub(super) const SMALL: usize = 1 << 10;

/// The most elements of a vector that are reduced without a plan: the totals of their blocks are
/// one block.
const MOST_FLAT: usize = BLOCK_LEN * BLOCK_LEN;

/// Reduces all elements of an expression.
// The expression by value: see `apart`.
#[inline(always)]
pub fn all<E, F>(expr: E, op: &F) -> Result<F::Output, Error>
where
    E: Expr<Rank: Dimension>,
    F: Reduction<E::Elem>,
{
    if let Some(view) = expr.in_memory() {
        match view.as_slice() {
            Some(slice) if (1..=SMALL).contains(&slice.len()) => {
                return op.finish(slice_total(slice, op), slice.len());
            }
            None if (1..=SMALL).contains(&view.len()) => {
                let total = few_total(view, op).ok_or_else(Error::no_memory)?;
                return op.finish(total, view.len());
            }
            // By value: if a call might keep a reference to an array, compilers have to read where
            // its elements are again and again in all loops of the caller.
            _ => return all_of(&view, op),
        }
    } else if F::JOINS && !E::BUFFERED && E::COST <= SHORT {
        let mut alike = Alike::unknown();
        expr.describe(&mut alike);
        if let Some((shape, strides)) = alike.layout() {
            let len = shape.iter().product::<usize>();
            // So few elements are reduced in place: even to call a kernel would take longer.
            if (1..=MOST_FEW).contains(&len) && is_row_major(shape, strides) {
                let total = fold_few(op, Alike::bind(&expr, len).flat(), len);
                return op.finish(total, len);
            }
        }
    }
    apart(move || all_of(&expr, op))
}

/// As [`all`], by a reduction that is an error where the result is not that of another one: then,
/// and where to compute elements twice might show, there is none.
#[inline(always)]
pub fn all_usual<'e, E, F>(expr: &'e E, op: &F) -> Option<F::Output>
where
    E: Expr<Rank: Dimension>,
    F: Reduction<E::Elem>,
{
    match expr.in_memory() {
        Some(view) => all(view, op).ok(),
        None if Root::<'e, E>::PURE => all_of(expr, op).ok(),
        None => None,
    }
}

/// As [`all_usual`], along some axes.
pub fn along_usual<'e, E, F, A>(
    expr: &'e E,
    op: &F,
    axes: &A,
    exec: &Exec,
) -> Option<Array<F::Output, A::Rank>>
where
    E: Expr<Rank: Dimension>,
    F: Reduction<E::Elem>,
    A: ReduceAxes<E::Rank>,
{
    if Root::<'e, E>::PURE { along(expr, op, axes, exec).ok() } else { None }
}

/// The total of few elements that are one block.
// Not inlined: it is the same for all arrays. The total and not the result, which would be returned
// in memory, because it may be an error.
#[inline(never)]
pub(super) fn slice_total<T: Element, F: Reduction<T>>(slice: &[T], op: &F) -> F::Total {
    let len = slice.len();
    // The baseline adds well, but compares badly.
    let few = if F::COST == 1 { MOST_FEW } else { LANES };
    match F::JOINS && len <= few {
        true => fold_few(op, slice, len),
        false => fold_row(op, Exec::current_isa(), slice, len),
    }
}

/// Whether it does not matter in which order the elements are taken.
const fn in_any_order<T, F: Reduction<T>>() -> bool {
    F::EXACT && F::JOINS
}

/// As [`all`], of any number of elements.
#[inline(never)]
pub fn all_of<'e, E, F>(expr: &'e E, op: &F) -> Result<F::Output, Error>
where
    E: Expr<Rank: Dimension>,
    F: Reduction<E::Elem>,
{
    if in_any_order::<E::Elem, F>()
        && let Some(view) = expr.in_memory()
        && !is_row_major(view.shape(), view.strides())
        && let Some(slice) = view.as_slice_memory_order()
    {
        return all_of(&crate::types::View::<_, Rank<1>>::from(slice), op);
    }
    let mut alike = Alike::unknown();
    expr.describe(&mut alike);
    let layout = alike.layout().map(|(shape, strides)| {
        let len = shape.iter().product::<usize>();
        let flat = is_row_major(shape, strides)
            || (in_any_order::<E::Elem, F>()
                && Layout::<E::Rank>::without_gaps(shape, strides).is_some());
        (shape, len, (1..=MOST_FLAT).contains(&len) && flat)
    });
    // So few elements are one block, and need no options but the instruction set.
    if !E::BUFFERED_WITHIN
        && !Root::<'e, E>::RARE
        && !F::ENDS
        && let Some((_, len @ ..=SMALL, true)) = layout
    {
        let total = fold_row(op, Exec::current_isa(), Alike::bind(expr, len).flat(), len);
        return op.finish(total, len);
    }
    if let Some(view) = expr.in_memory()
        && view.strides().last() != Some(&1)
        && !is_row_major(view.shape(), view.strides())
        && !view.is_empty()
        && let Some(total) = total_apart(view, op)
    {
        return op.finish(total, view.len());
    }
    let exec = Exec::current();
    if let Some((shape, len, flat)) = layout {
        if Root::<'e, E>::RARE && is_computed_before::<E::Elem>(len) {
            return all_of(&eval_by(expr, &exec)?.view(), op);
        }
        if flat && let Some(run) = run_of_block(shape, len) {
            let work = work_of(size_of::<E::Elem>(), E::COST + F::COST);
            let serial = exec.tasks(len, work) <= 1 && (!E::BUFFERED || len <= BUFFERED);
            if F::ENDS && !E::BUFFERED_WITHIN {
                // Of what is worth threads only the first elements: all are looked at again.
                let most = if serial { len } else { SMALL };
                let (total, ends) = total_to_end(expr, op, exec.isa, len, most);
                if ends || serial {
                    return op.finish(total, len);
                }
            }
            if len <= SMALL || serial {
                let isa = exec.isa;
                let total_of = |block| match len <= SMALL {
                    true => fold_row(op, isa, block, len),
                    false => fold_blocks(op, isa, block, len, run),
                };
                if !E::BUFFERED_WITHIN {
                    return op.finish(total_of(Alike::bind(expr, len).flat()), len);
                }
                let mut source = Binding::flat(std::array::from_ref(&len), isa).bind(expr)?;
                return op.finish(total_of(source.root(&Run::flat(len))), len);
            }
        }
    }
    if const { may_be_line::<E, E::Rank>() }
        && let Some(&[len]) = alike.first()
        && (1..=SMALL).contains(&len)
        && Lines::are_all(expr, len)
    {
        let source = Lines::bind(expr);
        let block = Line(source.flat());
        let total = match F::JOINS && len <= MOST_FEW {
            true => fold_apart(op, block, len),
            false => fold_row(op, exec.isa, block, len),
        };
        return op.finish(total, len);
    }
    if !E::BUFFERED_WITHIN
        && let Some(shape) = alike.first()
    {
        let len = shape.iter().fold(1_usize, |len, &extent| len.saturating_mul(extent));
        let work = work_of(size_of::<E::Elem>(), E::COST + F::COST);
        if F::JOINS
            && let Some((rows, each)) = rows_of_blocks(shape)
            && exec.tasks(len, work) <= 1
        {
            let mut plain = Plainly::of(shape);
            expr.describe(&mut plain);
            if let Some(small) = plain.rows() {
                let source = small.bind(expr);
                let total = fold_rows_apart(op, exec.isa, source.flat(), rows, each);
                return op.finish(total, len);
            }
        }
        let (mut plain, mut room) = (Plainly::of(shape), Few::new());
        if (1..=SMALL).contains(&len) {
            expr.describe(&mut plain);
            if let Some(small) = plain.copied(&mut room) {
                let total = fold_row(op, exec.isa, small.bind(expr).flat(), len);
                return op.finish(total, len);
            }
        }
    }
    let result = keeping(expr, op, &|shape| Ok((1 << shape.len()) - 1), &exec)?.0;
    Ok(*result.iter().next().expect("a reduction over all axes has one result"))
}

/// The total of the first `most` of the `len` elements of an expression without buffers that lie
/// side by side, or of those up to where a total ends; and whether one does.
#[inline(never)]
fn total_to_end<E: Expr, F: Reduction<E::Elem>>(
    expr: &E,
    op: &F,
    isa: Isa,
    len: usize,
    most: usize,
) -> (F::Total, bool) {
    let mut source = Alike::bind(expr, len);
    let (mut from, mut piece) = (0, 64);
    let mut total = None;
    loop {
        let run = Run { from, len: piece.min(most - from), ..Run::flat(len) };
        let next = fold_row(op, isa, source.root(&run), run.len);
        let all = total.map_or(next, |total| op.merge(total, next));
        from += run.len;
        if op.ends(all) || from == most {
            return (all, op.ends(all));
        }
        (total, piece) = (Some(all), (2 * piece).min(BLOCK_LEN));
    }
}

/// The sum of the products of the elements of two lists of one length, as [`all`] adds them up. To
/// ask for the instruction set takes longer than few elements.
#[cfg_attr(not(feature = "matmul"), allow(dead_code))]
#[inline(always)]
pub fn dot_of<T: Number>(isa: impl FnOnce() -> Isa, a: &[T], b: &[T]) -> Result<T, Error> {
    let few = a.len() <= MOST_FEW;
    let total = if few { few_products(a, b) } else { products(isa(), a, b) };
    Reduction::<T>::finish(&Sum, total, a.len())
}

/// As [`dot_of`], of elements that lie at equal distances, as many of each and not many.
#[cfg_attr(not(feature = "matmul"), allow(dead_code))]
#[inline(never)]
pub fn dot_of_spaced<T: Number>(a: Spaced<'_, T>, b: Spaced<'_, T>) -> Result<T, Error> {
    let (block, len) = (AppliedBlock::new(&Mul, (a, b)), a.len());
    let total = match len <= MOST_FEW {
        true => fold_apart(&Sum, block, len),
        false => fold_row(&Sum, Exec::current_isa(), block, len),
    };
    Reduction::<T>::finish(&Sum, total, len)
}

/// The total of the products of few elements.
#[cfg_attr(not(feature = "matmul"), allow(dead_code))]
#[inline(never)]
fn few_products<T: Number>(a: &[T], b: &[T]) -> T::Wide {
    fold_few(&Sum, AppliedBlock::new(&Mul, (a, b)), a.len())
}

/// As [`few_products`], of more.
// Not inlined: beside the shorter way, this one was compiled to slower code.
#[cfg_attr(not(feature = "matmul"), allow(dead_code))]
#[inline(never)]
fn products<T: Number>(isa: Isa, a: &[T], b: &[T]) -> T::Wide {
    let len = a.len();
    let block = AppliedBlock::new(&Mul, (a, b));
    if len <= SMALL {
        fold_row(&Sum, isa, block, len)
    } else {
        fold_blocks(&Sum, isa, block, len, blocks(&[len], 1)[0])
    }
}

/// As [`dot_of`], of each of several lists of as many elements as `b`, of which there are some, and
/// `b`; `side_by_side` are all of the lists, if they lie one after the other.
#[cfg_attr(not(feature = "matmul"), allow(dead_code))]
pub fn dots_of<'a, T: Number>(
    isa: Isa,
    list: impl Fn(usize) -> &'a [T] + Sync,
    side_by_side: Option<&[T]>,
    b: &[T],
    results: &mut [T],
) -> Result<(), Error> {
    let len = b.len();
    if len > SMALL {
        for (number, result) in results.iter_mut().enumerate() {
            *result = dot_of(|| isa, list(number), b)?;
        }
        return Ok(());
    }
    let mut totals = [<T::Wide as Monoid<Add>>::IDENTITY; 32];
    let some = totals.len();
    for (part, results) in results.chunks_mut(some).enumerate() {
        let (totals, first) = (&mut totals[..results.len()], part * some);
        let rows = side_by_side.map(|all| &all[first * len..][..results.len() * len]);
        if !rows.is_some_and(|rows| fold_products(&Sum, isa, rows, b, totals)) {
            fold_each(
                &Sum,
                isa,
                #[inline(always)]
                |number| AppliedBlock::new(&Mul, (list(first + number), b)),
                len,
                totals,
            );
        }
        for (result, &total) in results.iter_mut().zip(&*totals) {
            *result = Reduction::<T>::finish(&Sum, total, len)?;
        }
    }
    Ok(())
}

/// The longest lists that [`dot_of`] takes.
#[cfg_attr(not(feature = "matmul"), allow(dead_code))]
pub const MOST_OF_DOT: usize = MOST_FLAT;

/// The total of few elements that have gaps between them: where they lie, if that is at equal
/// distances, and else from a copy, unless there is no memory for it.
#[inline(always)]
fn few_total<T: Element, R: Dimension, F: Reduction<T>>(
    view: View<'_, T, R, crate::Fused>,
    op: &F,
) -> Option<F::Total> {
    // What is common is told apart here, so that its view need not lie in memory.
    match R::NDIM {
        Some(1) => view.spaced().map(|spaced| spaced_total(spaced, op)),
        Some(2) if F::JOINS => match view.window::<3>() {
            Some(window) => Some(window_total(window, op)),
            None => total_with_gaps(view, op),
        },
        _ => total_with_gaps(view, op),
    }
}

/// The total of a small window: by a size that the compiler knows, because to find the elements
/// would take longest.
#[inline(never)]
fn window_total<const N: usize, T: Element, F: Reduction<T>>(
    window: Window<'_, T, N>,
    op: &F,
) -> F::Total {
    fold_apart(op, window, N * N)
}

/// The total of few elements that lie at equal distances.
#[inline(never)]
fn spaced_total<T: Element, F: Reduction<T>>(spaced: Spaced<'_, T>, op: &F) -> F::Total {
    match F::JOINS && F::COST == 1 && spaced.len() <= MOST_FEW {
        true => fold_apart(op, spaced, spaced.len()),
        false => fold_row(op, Exec::current_isa(), spaced, spaced.len()),
    }
}

/// As [`few_total`], of any rank.
#[inline(never)]
fn total_with_gaps<T: Element, R: Dimension, F: Reduction<T>>(
    view: View<'_, T, R, crate::Fused>,
    op: &F,
) -> Option<F::Total> {
    if in_any_order::<T, F>()
        && let Some(slice) = view.as_slice_memory_order()
    {
        return Some(slice_total(slice, op));
    }
    if F::JOINS && view.ndim() == 2 {
        if let Some(window) = view.window::<3>() {
            return Some(window_total(window, op));
        } else if let Some(window) = view.window::<2>() {
            return Some(window_total(window, op));
        } else if let Some(window) = view.window::<4>() {
            return Some(window_total(window, op));
        }
    }
    match view.spaced() {
        Some(spaced) => Some(spaced_total(spaced, op)),
        None => copied_total(view, op),
    }
}

/// The total of elements that lie apart, if that takes no plan: of such as lie at small and equal
/// distances, where they are; of few others, from a copy.
#[inline(never)]
fn total_apart<T: Element, R: Dimension, F: Reduction<T>>(
    view: View<'_, T, R, crate::Fused>,
    op: &F,
) -> Option<F::Total> {
    let (exec, len) = (Exec::current(), view.len());
    if exec.tasks(len, work_of(size_of::<T>(), 1 + F::COST)) > 1 {
        return None;
    }
    if len <= SMALL {
        return copied_total(view, op);
    }
    let run = run_of_block(view.shape(), len)?;
    if let Some(spaced) = view.spaced()
        && spaced.distance().saturating_mul(size_of::<T>()) <= NEAR_BYTES
    {
        return Some(fold_blocks(op, exec.isa, spaced, len, run));
    }
    let mut copy = Packed::new();
    if len.saturating_mul(size_of::<T>()) > FEW_BYTES || !copy.reserve(len) {
        return None;
    }
    view.copy_row_major::<u8>(view.shape(), None, &mut copy);
    Some(fold_blocks(op, exec.isa, copy.as_slice(), len, run))
}

/// Elements within so many bytes of each other share cache lines.
const NEAR_BYTES: usize = 32;

/// The total of few elements from a copy.
#[inline(never)]
fn copied_total<T: Element, R: Dimension, F: Reduction<T>>(
    view: View<'_, T, R, crate::Fused>,
    op: &F,
) -> Option<F::Total> {
    let len = view.len();
    let mut few = Few::new();
    if let Some(copy) = view.copy_few::<u8>(view.shape(), None, &mut few.room()) {
        return Some(slice_total(copy, op));
    }
    let mut copy = Packed::new();
    if !copy.reserve(len) {
        return None;
    }
    view.copy_row_major::<u8>(view.shape(), None, &mut copy);
    Some(slice_total(copy.as_slice(), op))
}

/// The number of elements of a block of all elements of a shape, if each block but the last has as
/// many, and their totals are one block: then blocks of what lies in row-major order follow each
/// other.
fn run_of_block(shape: &[usize], len: usize) -> Option<usize> {
    if len <= BLOCK_LEN {
        return Some(len);
    }
    let blocks = blocks(shape, u32::MAX);
    let outermost = shape.iter().position(|&extent| extent != 1)?;
    let whole = blocks[outermost + 1..] == shape[outermost + 1..];
    let run = blocks.iter().product();
    (whole && len.div_ceil(run) <= BLOCK_LEN).then_some(run)
}

/// The number of rows of a matrix and the elements of each, and the rows of a block of all its
/// elements but the last: if rows fill vectors, each is all in one block, and the totals of blocks
/// are one block.
fn rows_of_blocks(shape: &[usize]) -> Option<((usize, usize), usize)> {
    let &[rows, len] = shape else { return None };
    if rows == 0 || !(LANES..=BLOCK_LEN).contains(&len) {
        return None;
    }
    let each = match rows.checked_mul(len)? {
        ..=BLOCK_LEN => rows,
        _ => blocks(shape, 3)[0],
    };
    (rows.div_ceil(each) <= BLOCK_LEN).then_some(((rows, len), each))
}

/// Whether elements lie in row-major order, without gaps.
#[inline]
fn is_row_major(shape: &[usize], strides: &[isize]) -> bool {
    let mut below = 1;
    for (&extent, &stride) in shape.iter().zip(strides).rev() {
        if extent != 1 && stride != below {
            return false;
        }
        below *= extent as isize;
    }
    true
}

/// Which axes of which shape are reduced.
#[derive(Clone, Copy, Debug)]
pub struct Extents {
    /// The extents of the result, 1 along the axes that are reduced.
    kept: Axes<usize>,
    /// The axes that are reduced, as bits.
    pub reduced: u32,
    /// The number of elements of each result, and of the results.
    pub len: usize,
    pub results: usize,
}

impl Extents {
    pub fn new(shape: &[usize], reduced: u32) -> Result<Self, Error> {
        let is_reduced = |axis: usize| reduced & (1 << axis) != 0;
        let kept = |axis: usize| if is_reduced(axis) { 1 } else { shape[axis] };
        let kept: Axes<usize> = (0..shape.len()).map(kept).collect();
        let taken = (0..shape.len()).filter(|&axis| is_reduced(axis));
        let taken: Axes<usize> = taken.map(|axis| shape[axis]).collect();
        size_of_shape(shape)?;
        let (len, results) = (size_of_shape(&taken)?, size_of_shape(&kept)?);
        Ok(Extents { kept, reduced, len, results })
    }

    /// The extents of the result, 1 along the axes that are reduced.
    pub fn kept(&self) -> &[usize] {
        &self.kept
    }

    /// The extents of the totals of blocks.
    pub fn grid(&self, blocks: &[usize], shape: &[usize]) -> Axes<usize> {
        let extent = |axis: usize| {
            let reduced = self.reduced & (1 << axis) != 0;
            if reduced { shape[axis].div_ceil(blocks[axis]) } else { shape[axis] }
        };
        (0..shape.len()).map(extent).collect()
    }
}

/// Reduces an expression along some axes, which the result keeps. Also the axes, as bits.
fn keeping<E, F>(
    expr: &E,
    op: &F,
    axes: &dyn Fn(&[usize]) -> Result<u32, Error>,
    exec: &Exec,
) -> Result<(Array<F::Output, Dyn>, u32), Error>
where
    E: Expr,
    F: Reduction<E::Elem>,
{
    let mut tree = Tree::default();
    expr.describe(&mut tree);
    let shape = tree.shape()?;
    let reduced = axes(&shape)?;
    let extents = Extents::new(&shape, reduced)?;
    if extents.len == 0 || extents.results == 0 {
        return Ok((of_nothing(op, &shape, &extents)?, reduced));
    }
    let error = OnceLock::new();
    let len = extents.len;
    let finish = Finish { op, len, error: &error, elements: PhantomData };
    let blocks = blocks(&shape, reduced);
    let grid = extents.grid(&blocks, &shape);
    let operands = tree.operands(&shape)?;
    let plan = Plan::of_fold(&shape, reduced, &blocks, &operands, size_of::<F::Acc>());
    let result = if grid == extents.kept {
        folded(&Reduced(expr, op, &finish), &shape, &operands, &plan, grid, exec)
    } else {
        folded(&Reduced(expr, op, &Keep), &shape, &operands, &plan, grid, exec)
            .and_then(|totals| merged(op, totals, &extents, &finish, exec))
    };
    Ok((result?, reduced))
}

/// The totals of blocks of an expression of this shape, which has elements and results.
pub fn totals<E: Expr, F: Reduction<E::Elem>>(
    expr: &E,
    op: &F,
    shape: &[usize],
    extents: &Extents,
    blocks: &[usize],
    exec: &Exec,
) -> Result<Array<F::Total, Dyn>, Error> {
    let mut tree = Tree::default();
    expr.describe(&mut tree);
    let operands = tree.operands(shape)?;
    let plan = Plan::of_fold(shape, extents.reduced, blocks, &operands, size_of::<F::Acc>());
    let grid = extents.grid(blocks, shape);
    folded(&Reduced(expr, op, &Keep), shape, &operands, &plan, grid, exec)
}

/// The results of the totals of blocks.
pub fn results<T, F: Reduction<T>>(
    op: &F,
    totals: Vec<F::Total>,
    shape: &[usize],
    extents: &Extents,
    blocks: &[usize],
    exec: &Exec,
) -> Result<Array<F::Output, Dyn>, Error> {
    if extents.len == 0 || extents.results == 0 {
        return of_nothing(op, shape, extents);
    }
    let totals = Array::from_shape_vec(extents.grid(blocks, shape), totals)?;
    let (error, len) = (OnceLock::new(), extents.len);
    let finish = Finish { op, len, error: &error, elements: PhantomData };
    merged(op, totals, extents, &finish, exec)
}

/// The result of no elements, or of no results.
fn of_nothing<T, F: Reduction<T>>(
    op: &F,
    shape: &[usize],
    extents: &Extents,
) -> Result<Array<F::Output, Dyn>, Error> {
    let is_reduced = |axis: &usize| extents.reduced & (1 << axis) != 0;
    // Without results there is none that is not defined.
    if extents.results == 0 {
        return Ok(Array::from_shape_vec(extents.kept, Vec::new())?);
    }
    let result = op.empty().ok_or_else(|| ErrorKind::NoElements {
        op: F::NAME,
        shape: List::of(&shape),
        axes: (0..shape.len()).filter(is_reduced).collect(),
    })?;
    Ok(Array::try_full(extents.kept, result)?)
}

/// The totals of blocks, or the results if each is one block, in the order of the loops.
fn folded<T: Element>(
    pass: &dyn Pass<MaybeUninit<T>>,
    shape: &[usize],
    operands: &Operands,
    plan: &Plan,
    grid: Axes<usize>,
    exec: &Exec,
) -> Result<Array<T, Dyn>, Error> {
    let in_loops = |axis: usize| plan.nest.order.contains(&(axis as u8));
    // Axes of extent 1 go first.
    let mut order: Axes<usize> = (0..grid.len()).filter(|&axis| !in_loops(axis)).collect();
    plan.nest.order.iter().for_each(|&axis| order.push(axis.into()));
    let layout = Layout::<Dyn>::nested(grid, &order)?;
    Array::build(layout, |out| execute(pass, shape, operands, plan, out, exec))
}

/// Merges the totals of the blocks of each result, by the same means.
fn merged<T, F: Reduction<T>>(
    op: &F,
    mut totals: Array<F::Total, Dyn>,
    extents: &Extents,
    finish: &Finish<'_, F, T>,
    exec: &Exec,
) -> Result<Array<F::Output, Dyn>, Error> {
    let merging = Merging { op, len: extents.len, elements: PhantomData::<fn(T)> };
    let error = finish.error;
    let last = Finish { op: &merging, len: extents.len, error, elements: PhantomData };
    loop {
        let shape: Axes<usize> = totals.shape().iter().copied().collect();
        let of = Extents::new(&shape, extents.reduced)?;
        let blocks = blocks(&shape, of.reduced);
        let grid = of.grid(&blocks, &shape);
        let source = Owned::new(totals);
        let mut tree = Tree::default();
        source.describe(&mut tree);
        let operands = tree.operands(&shape)?;
        let slot = size_of::<<Merging<'_, F, T> as Reduction<F::Total>>::Acc>();
        let plan = Plan::of_fold(&shape, of.reduced, &blocks, &operands, slot);
        if grid == extents.kept {
            let pass = Reduced(&source, &merging, &last);
            return folded(&pass, &shape, &operands, &plan, grid, exec);
        }
        let pass = Reduced(&source, &merging, &Unwrap);
        totals = folded(&pass, &shape, &operands, &plan, grid, exec)?;
    }
}

/// How a reduction along some axes would be computed.
pub fn explain<E, F, A>(expr: &E, _: &F, axes: &A, exec: &Exec) -> Result<Explanation, Error>
where
    E: Expr<Rank: Dimension>,
    F: Reduction<E::Elem>,
    A: ReduceAxes<E::Rank>,
{
    let mut tree = Tree::default();
    expr.describe(&mut tree);
    let shape = tree.shape()?;
    let extents = Extents::new(&shape, axes.mask(&shape)?)?;
    let operands = tree.operands(&shape)?;
    let strides = Layout::<Dyn>::c_order(extents.kept)?;
    let blocks = blocks(&shape, extents.reduced);
    let plan = (extents.len > 0 && extents.results > 0)
        .then(|| Plan::of_fold(&shape, extents.reduced, &blocks, &operands, size_of::<F::Acc>()));
    let packing = plan.as_ref().map_or(0, |plan| plan.packing(&operands));
    let work = work_of(size_of::<E::Elem>(), E::COST + F::COST) + packing;
    let most = plan.as_ref().map_or(1, |plan| plan.most_tasks(rayon::current_num_threads()));
    let (len, size) = (shape.iter().product(), size_of::<E::Elem>());
    let work = (additions(len, work), exec.tasks(len, work).min(most));
    Ok(Explanation::new(&extents.kept, strides.strides(), size, operands, *exec, work, plan))
}
