//! From an expression and a reduction to memory.

use super::{Lanes, ReduceAxes, Reduction};
use crate::eval::Fresh;
use crate::exec::{self, Exec, work_of};
use crate::expr::{Binding, Expr, Tree, Whole};
use crate::kernel::{self, Reader, Slots, Values, fold, fold_block, merge_blocks};
use crate::plan::{BLOCK_LEN, Folding};
use crate::types::Array;
use bcast::{Error, ErrorKind};
use ndcore::{Axes, Dimension, Dyn, Element, Layout, Nest, Packed, size_of_shape};
use std::mem::MaybeUninit;
use std::sync::OnceLock;

/// What is reduced, without the expression's type: the rest is compiled once for each reduction and type of elements.
trait Feed<T, F: Reduction<T>>: Sync {
    /// As [`Expr::COST`].
    fn cost(&self) -> usize;

    /// The nodes of the expression.
    fn describe<'a>(&'a self, tree: &mut Tree<'a>);

    /// Lends `to` what adds up the runs of one task.
    fn feed(&self, binding: Binding<'_>, exec: &Exec, to: &mut dyn FnMut(&mut dyn Values<Lanes<F, T>>));
}

struct From<'a, E, F>(&'a E, &'a F);

impl<E: Expr, F: Reduction<E::Elem>> Feed<E::Elem, F> for From<'_, E, F> {
    fn cost(&self) -> usize {
        E::COST
    }

    fn describe<'a>(&'a self, tree: &mut Tree<'a>) {
        self.0.describe(tree);
    }

    fn feed(&self, mut binding: Binding<'_>, exec: &Exec, to: &mut dyn FnMut(&mut dyn Values<Lanes<F, E::Elem>>)) {
        to(&mut Reader { source: self.0.bind(&mut binding), op: self.1, isa: exec.isa });
    }
}

/// Totals that are results.
struct Finish<'a, F> {
    op: &'a F,
    len: usize,
    /// The first that could not be stored.
    error: &'a OnceLock<Error>,
}

impl<F, T, Total, Output: Element> Slots<Total> for (Finish<'_, F>, std::marker::PhantomData<fn(T)>)
where
    F: Reduction<T, Total = Total, Output = Output>,
{
    type Slot = MaybeUninit<Output>;

    #[inline]
    fn put(&self, slot: &mut MaybeUninit<Output>, total: Total) -> bool {
        match self.0.op.finish(total, self.0.len) {
            Ok(value) => {
                slot.write(value);
                true
            }
            Err(error) => {
                self.0.error.get_or_init(|| error);
                false
            }
        }
    }
}

/// Totals as they are.
struct Store;

impl<Total: Element> Slots<Total> for Store {
    type Slot = MaybeUninit<Total>;

    #[inline]
    fn put(&self, slot: &mut MaybeUninit<Total>, total: Total) -> bool {
        slot.write(total);
        true
    }
}

/// Reduces an expression along some axes.
pub fn along<E, F, A>(expr: &E, op: &F, axes: &A, exec: &Exec) -> Result<Array<F::Output, A::Rank>, Error>
where
    E: Expr<Rank: Dimension>,
    F: Reduction<E::Elem>,
    A: ReduceAxes<E::Rank>,
{
    let (keepdims, reduced) = along_kept(&From(expr, op), op, &|shape| axes.mask(shape), exec)?;
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

/// Reduces all elements of an expression.
pub fn all<E, F>(expr: &E, op: &F, exec: &Exec) -> Result<F::Output, Error>
where
    E: Expr<Rank: Dimension>,
    F: Reduction<E::Elem>,
{
    if let Some(result) = all_flat(expr, op, exec) {
        return result;
    }
    let result = along_kept(&From(expr, op), op, &|shape| Ok((1 << shape.len()) - 1), exec)?.0;
    Ok(*result.iter().next().expect("a reduction over all axes has one result"))
}

/// Reduces all elements of one block that lie in memory in logical order: there is nothing to plan.
fn all_flat<E, F>(expr: &E, op: &F, exec: &Exec) -> Option<Result<F::Output, Error>>
where
    E: Expr<Rank: Dimension>,
    F: Reduction<E::Elem>,
{
    let (shape, strides) = expr.model()?;
    E::Rank::shape(shape).ok()?;
    let len = shape.iter().try_fold(1_usize, |len, &extent| len.checked_mul(extent))?;
    let work = work_of(size_of::<E::Elem>(), E::COST + F::COST);
    if len == 0 || len > BLOCK_LEN || exec.tasks(len, work) > 1 {
        return None;
    }
    let whole = Whole { shape, strides, len, dims: None, spreads: exec.is_tiny(len, work) };
    if !whole.is_row_major() {
        return None;
    }
    let mut buffers = E::Buffers::default();
    let block = expr.flat(&whole, &mut buffers)?;
    Some(op.finish(fold_block(op, exec.isa, block, len), len))
}

/// Reduces an expression along some axes, which the result keeps. Also the axes, as bits.
fn along_kept<T: Element, F: Reduction<T>>(
    feed: &dyn Feed<T, F>,
    op: &F,
    axes: &dyn Fn(&[usize]) -> Result<u32, Error>,
    exec: &Exec,
) -> Result<(Array<F::Output, Dyn>, u32), Error> {
    let mut tree = Tree::default();
    feed.describe(&mut tree);
    let shape = tree.shape()?;
    let operands = tree.operands(&shape)?;
    let reduced = axes(&shape)?;
    let is_reduced = |axis: usize| reduced & (1 << axis) != 0;
    let of = |axis: usize, extent: usize| if is_reduced(axis) { extent } else { shape[axis] };
    let kept: Axes<usize> = (0..shape.len()).map(|axis| of(axis, 1)).collect();
    let taken: Axes<usize> = (0..shape.len()).filter(|&axis| is_reduced(axis)).map(|axis| shape[axis]).collect();
    let (len, results) = (size_of_shape(&taken)?, size_of_shape(&kept)?);
    size_of_shape(&shape)?;
    if len == 0 {
        let result = op.empty().ok_or_else(|| ErrorKind::NoElements {
            op: F::NAME,
            shape: shape.to_vec(),
            axes: (0..shape.len()).filter(|&axis| is_reduced(axis)).collect(),
        });
        // Without results there is none that is not defined.
        return match result {
            Err(_) if results == 0 => Ok((Array::from_shape_vec(kept, Vec::new())?, reduced)),
            result => Ok((Array::try_full(kept, result?)?, reduced)),
        };
    }
    if results == 0 {
        return Ok((Array::from_shape_vec(kept, Vec::new())?, reduced));
    }
    let folding = Folding::new(&shape, reduced, operands.as_slice(), size_of::<F::Acc>());
    let blocks = crate::plan::blocks(&shape, reduced);
    let grid: Axes<usize> = (0..shape.len()).map(|axis| of(axis, shape[axis].div_ceil(blocks[axis]))).collect();
    let run = Run { feed, op, folding: &folding, shape: &shape, operands: &operands, exec };
    let error = OnceLock::new();
    let finish = (Finish { op, len, error: &error }, std::marker::PhantomData);
    // The results lie in the order of the loops.
    let order = full_order(&folding.plan.nest.order, shape.len());
    let mut out = Fresh::<F::Output, Dyn>::new(Layout::nested(kept, &order)?)?;
    let done = if grid == kept {
        run.fold(&mut out, &finish)
    } else {
        let mut totals = Fresh::<F::Total, Dyn>::new(Layout::nested(grid, &order)?)?;
        let done = run.fold(&mut totals, &Store);
        merge(op, &totals.finish(done), &kept, reduced, &order, &mut out, &finish)
    };
    match error.into_inner() {
        Some(error) => Err(error),
        None => Ok((out.finish(done), reduced)),
    }
}

/// The axes of the loops, and before them those of extent 1.
fn full_order(order: &[usize], ndim: usize) -> Axes<usize> {
    let mut full: Axes<usize> = (0..ndim).filter(|axis| !order.contains(axis)).collect();
    order.iter().for_each(|&axis| full.push(axis));
    full
}

/// A reduction that is planned.
struct Run<'a, T, F> {
    feed: &'a dyn Feed<T, F>,
    op: &'a F,
    folding: &'a Folding,
    shape: &'a [usize],
    operands: &'a crate::plan::Operands,
    exec: &'a Exec,
}

impl<T: Element, F: Reduction<T>> Run<'_, T, F> {
    /// Computes the totals of all blocks. Returns the number of those stored.
    fn fold<O: Element, S>(&self, out: &mut Fresh<O, Dyn>, slots: &S) -> usize
    where
        S: Slots<F::Total, Slot = MaybeUninit<O>>,
    {
        let Run { feed, op, folding, shape, operands, exec } = *self;
        let out = out.slots().nested(&folding.plan.nest);
        let binding = Binding::new(shape, operands, &folding.plan);
        let work = work_of(size_of::<T>(), feed.cost() + F::COST);
        let tasks = exec.tasks(shape.iter().product(), work).min(folding.most_tasks(rayon::current_num_threads()));
        exec::run(&folding.plan, tasks, out, &|mut part, start| {
            let mut done = 0;
            feed.feed(binding, exec, &mut |values| {
                done = fold(values, op, exec.isa, folding, part.view_mut(), start, slots);
            });
            done
        })
    }
}

/// Merges the totals of the blocks of each result. Returns the number of results stored.
fn merge<T: Element, F: Reduction<T>, O: Element>(
    op: &F,
    totals: &Array<F::Total, Dyn>,
    kept: &[usize],
    reduced: u32,
    order: &[usize],
    out: &mut Fresh<O, Dyn>,
    slots: &impl Slots<F::Total, Slot = MaybeUninit<O>>,
) -> usize {
    /// The results that are merged side by side.
    const WIDTH: usize = 512;
    let is_reduced = |axis: &usize| reduced & (1 << axis) != 0;
    // The innermost axis of the results lies inside those of the blocks, which are in logical order.
    let mut results: Axes<usize> = order.iter().copied().filter(|axis| !is_reduced(axis)).collect();
    let inner: Axes<usize> = results.iter().copied().skip(results.len().saturating_sub(1)).collect();
    results = results.iter().copied().take(results.len().saturating_sub(1)).collect();
    let mut nest = Nest { order: results, flips: 0, joins: 0 };
    (0..kept.len()).filter(is_reduced).for_each(|axis| nest.order.push(axis));
    inner.iter().for_each(|&axis| nest.order.push(axis));
    let totals = totals.view().nested(&nest);
    let mut out = out.slots().nested(&nest);
    let extents: Axes<usize> = out.shape().iter().copied().collect();
    let last = extents.len() - 1;
    let mut boxes = Axes::filled(1, extents.len());
    boxes[last] = if inner.is_empty() { 1 } else { WIDTH };
    let mut buffer = Packed::new();
    let (mut corner, mut done) = (Axes::filled(0, extents.len()), 0);
    loop {
        let width = boxes[last].min(extents[last] - corner[last]);
        // All blocks of these results.
        let part: Axes<usize> = (0..extents.len())
            .map(|axis| if axis == last && !inner.is_empty() { width } else { totals.shape()[axis] / extents[axis] })
            .collect();
        totals.pack(&corner, &part, &mut buffer);
        merge_blocks(op, buffer.as_mut_slice(), width);
        let to = out.run_mut(&corner, width).expect("results lie side by side");
        for (slot, &total) in to.iter_mut().zip(buffer.as_slice()) {
            done += usize::from(slots.put(slot, total));
        }
        if !kernel::next_box(&mut corner, &extents, &boxes) {
            return done;
        }
    }
}
