//! Reductions by a plan: of any expression, along any axes.

use super::slabs::totals_by_slabs;
use super::{is_computed_before, pieces_of, worth_pieces};
use crate::eval::{Makes, Pass, To, computed_by, execute, tree_of};
use crate::exec::{Exec, additions, work_of};
use crate::expr::{Alike, Binding, Expr, Hoisting, Pieces, Tree};
use crate::kernel::{Fold, MergedBlocks, Slots, Write};
use crate::plan::{Explanation, Operands, Plan, Source, blocks, result_order};
use crate::reduce::{ReduceAxes, Reduction};
use crate::types::{Array, View};
use bcast::{Error, ErrorKind};
use ndcore::{Axes, Dimension, Dyn, Element, Filled, Layout, List, Part, size_of_shape};
use std::cmp::Reverse;
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
    fn blank(&self) -> Self::Slot {
        MaybeUninit::uninit()
    }

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
    fn blank(&self) -> Self::Slot {
        MaybeUninit::uninit()
    }

    #[inline]
    fn put(&self, slot: &mut MaybeUninit<Total>, total: Total) -> bool {
        slot.write(total);
        true
    }
}

/// An expression, what an element of it costs, a reduction of it, and where the totals go; of all
/// elements if `ALL`.
struct Reduced<'a, E, F, S, const ALL: bool>((&'a E, usize), &'a F, &'a S);

impl<E: Expr, F: Reduction<E::Elem>, S: Slots<F::Total>, const ALL: bool> Pass<S::Slot>
    for Reduced<'_, E, F, S, ALL>
{
    fn work(&self) -> usize {
        work_of(size_of::<E::Elem>(), self.0.1 + F::COST)
    }

    fn describe<'a>(&'a self, tree: &mut Tree<'a>) {
        self.0.0.describe(tree);
    }

    fn hoist(&self, hoisting: &mut Hoisting<'_>) -> Result<(), Error> {
        if E::BUFFERED { self.0.0.hoist(hoisting) } else { Ok(()) }
    }

    fn task<'b>(
        &self,
        binding: Binding<'_>,
        plan: &Plan,
        part: Part<'b, S::Slot>,
        start: &[usize],
    ) -> Result<Filled<'b>, Error> {
        let fold = Fold::<E::Elem, F, S, ALL>::new(self.1, self.2, part, plan, binding.isa);
        fold.walk(binding.bind(self.0.0)?, start)?.ok_or_else(|| self.2.failure())
    }
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

/// Reduces what is too large to be computed at once, along some axes, which the result keeps. Also
/// the axes, as bits.
#[inline(never)]
pub(super) fn keeping_by_slabs<T: Element, F: Reduction<T>>(
    pass: &dyn Makes<T>,
    op: &F,
    axes: &dyn Fn(&[usize]) -> Result<u32, Error>,
    exec: &Exec,
) -> Result<(Array<F::Output, Dyn>, u32), Error> {
    let tree = tree_of(pass);
    let shape = tree.shape()?;
    let reduced = axes(&shape)?;
    let extents = Extents::new(&shape, reduced)?;
    if extents.len == 0 || extents.results == 0 {
        return Ok((of_nothing(op, &shape, &extents)?, reduced));
    }
    let blocks = blocks(&shape, reduced);
    let totals = totals_by_slabs(pass, op, &shape, &extents, &blocks, exec)?;
    Ok((merged(op, totals, &extents)?, reduced))
}

/// Reduces elements in memory, or what has another [`Form`](crate::expr::Form) that is folded,
/// along some axes, or `ALL`, which the result keeps. Also the axes, as bits.
pub(super) fn keeping<const ALL: bool, E: Expr, F: Reduction<E::Elem>>(
    expr: &E,
    op: &F,
    axes: &dyn Fn(&[usize]) -> Result<u32, Error>,
    exec: &Exec,
) -> Result<(Array<F::Output, Dyn>, u32), Error> {
    let mut tree = Tree::default();
    expr.describe(&mut tree);
    let shape = tree.shape()?;
    let reduced = axes(&shape)?;
    let extents = Extents::new(&shape, reduced)?;
    if extents.len == 0 || extents.results == 0 {
        return Ok((of_nothing(op, &shape, &extents)?, reduced));
    }
    let operands = tree.operands(&shape)?;
    let blocks = blocks(&shape, reduced);
    let plan = Plan::of_fold(&shape, reduced, &blocks, &operands, size_of::<F::Acc>());
    let result =
        by_plan::<ALL, _, _>((expr, E::COST), op, &shape, &extents, (&operands, &plan), exec);
    Ok((result?, reduced))
}

/// As [`keeping`], of what is computed piece by piece where it is read; `None` if that would be in
/// pieces too short, or of no elements.
pub(super) fn keeping_by_pieces<const ALL: bool, T: Element, F: Reduction<T>>(
    pieces: &Pieces<'_, T>,
    op: &F,
    axes: &dyn Fn(&[usize]) -> Result<u32, Error>,
    exec: &Exec,
) -> Result<Option<(Array<F::Output, Dyn>, u32)>, Error> {
    let (shape, strides) = pieces.layout();
    let reduced = axes(shape)?;
    let extents = Extents::new(shape, reduced)?;
    if extents.len == 0 || extents.results == 0 {
        return Ok(None);
    }
    let operands = Operands::computed(shape, strides, size_of::<T>(), pieces_of::<T>());
    let blocks = blocks(shape, reduced);
    let plan = Plan::of_fold(shape, reduced, &blocks, &operands, size_of::<F::Acc>());
    if !plan.reads_pieces() {
        return Ok(None);
    }
    let result = by_plan::<ALL, _, _>(
        (pieces, pieces.cost()),
        op,
        shape,
        &extents,
        (&operands, &plan),
        exec,
    );
    Ok(Some((result?, reduced)))
}

/// Reduces what has elements, each of this cost, and results, by a plan.
fn by_plan<const ALL: bool, E: Expr, F: Reduction<E::Elem>>(
    expr: (&E, usize),
    op: &F,
    shape: &[usize],
    extents: &Extents,
    (operands, plan): (&Operands, &Plan),
    exec: &Exec,
) -> Result<Array<F::Output, Dyn>, Error> {
    let grid = extents.grid(&blocks(shape, extents.reduced), shape);
    if grid != extents.kept {
        let pass = Reduced::<_, _, _, ALL>(expr, op, &Keep);
        let totals = folded(&pass, shape, operands, plan, grid, exec)?;
        return merged(op, totals, extents);
    }
    let error = OnceLock::new();
    let finish = Finish { op, len: extents.len, error: &error, elements: PhantomData };
    folded(&Reduced::<_, _, _, ALL>(expr, op, &finish), shape, operands, plan, grid, exec)
}

/// The totals of blocks of an expression of this shape, which has elements and results; so many of
/// each result come before them.
pub fn totals<E: Expr<Rank: Dimension>, F: Reduction<E::Elem>>(
    expr: &E,
    op: &F,
    shape: &[usize],
    extents: &Extents,
    blocks: &[usize],
    first: usize,
    exec: &Exec,
) -> Result<Array<F::Total, Dyn>, Error> {
    if const { E::IN_MEMORY } {
        let view = expr.in_memory().expect("elements in memory");
        return totals_of(&view, op, shape, extents, blocks, first, exec);
    }
    let array = computed_by::<_, E::Rank>(&To(expr, &Write), &Alike::find(expr))?;
    totals_of(&array.view(), op, shape, extents, blocks, first, exec)
}

/// The same of elements in memory.
pub(super) fn totals_of<T: Element, R: Dimension, F: Reduction<T>>(
    view: &View<'_, T, R>,
    op: &F,
    shape: &[usize],
    extents: &Extents,
    blocks: &[usize],
    first: usize,
    exec: &Exec,
) -> Result<Array<F::Total, Dyn>, Error> {
    let mut tree = Tree::default();
    view.describe(&mut tree);
    let operands = tree.operands(shape)?;
    let mut plan = Plan::of_fold(shape, extents.reduced, blocks, &operands, size_of::<F::Acc>());
    plan.first = first;
    let grid = extents.grid(blocks, shape);
    folded(&Reduced::<_, _, _, false>((view, 0), op, &Keep), shape, &operands, &plan, grid, exec)
}

/// The results of the totals of blocks.
pub fn results<T, F: Reduction<T>>(
    op: &F,
    totals: Vec<F::Total>,
    shape: &[usize],
    extents: &Extents,
    blocks: &[usize],
) -> Result<Array<F::Output, Dyn>, Error> {
    if extents.len == 0 || extents.results == 0 {
        return of_nothing(op, shape, extents);
    }
    merged(op, Array::from_shape_vec(extents.grid(blocks, shape), totals)?, extents)
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

/// The totals of blocks, or the results if each is one block, in the order of the loops; or of the
/// results, if they are scattered.
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
    let loops = plan.nest.order.iter().map(|&axis| usize::from(axis));
    if plan.scattered {
        // Those that are folded may be joined.
        let results = result_order(shape, operands);
        let results = results.iter().map(|&axis| usize::from(axis));
        loops.filter(|&axis| grid[axis] == 1).for_each(|axis| order.push(axis));
        results.filter(|&axis| grid[axis] > 1).for_each(|axis| order.push(axis));
    } else {
        loops.for_each(|axis| order.push(axis));
    }
    let layout = Layout::<Dyn>::nested(grid, &order)?;
    Array::build(layout, |out| execute(pass, shape, operands, plan, out, exec))
}

/// The results of the totals of the blocks of each: of as many totals as are a block, one, and so
/// on until one is left. They are few, one of thousands of elements.
fn merged<T, F: Reduction<T>>(
    op: &F,
    mut totals: Array<F::Total, Dyn>,
    extents: &Extents,
) -> Result<Array<F::Output, Dyn>, Error> {
    // Axes stay nested as they are.
    let mut order: Axes<usize> = (0..totals.ndim()).collect();
    order.sort_by_key(|&axis| Reverse(totals.strides()[axis]));
    while totals.shape() != extents.kept() {
        let shape: Axes<usize> = totals.shape().iter().copied().collect();
        let blocks = blocks(&shape, extents.reduced);
        let grid = extents.grid(&blocks, &shape);
        let nested: Axes<usize> = order.iter().map(|&axis| grid[axis]).collect();
        let layout = Layout::<Dyn>::nested(grid, &order)?;
        let mut next = with_room(layout.size())?;
        for_each_index(&nested, |place| {
            let mut first = Axes::filled(0, shape.len());
            for (&axis, &i) in order.iter().zip(place) {
                first[axis] = i * blocks[axis];
            }
            let end = |(axis, &at): (usize, &usize)| blocks[axis].min(shape[axis] - at);
            let block: Axes<usize> = first.iter().enumerate().map(end).collect();
            let mut merged = MergedBlocks::new(op);
            for_each_index(&block, |index| {
                let at: Axes<usize> = first.iter().zip(index).map(|(from, i)| from + i).collect();
                merged.add(totals[&at[..]]);
            });
            next.push(merged.total());
        });
        totals = Array::from_layout_vec(layout, next)?;
    }
    let (layout, totals) = totals.into_layout_vec();
    let mut results = with_room(totals.len())?;
    for total in totals {
        results.push(op.finish(total, extents.len)?);
    }
    Ok(Array::from_layout_vec(layout, results)?)
}

/// A list with room for so many.
pub(super) fn with_room<T>(len: usize) -> Result<Vec<T>, Error> {
    let mut list = Vec::new();
    list.try_reserve_exact(len).map_err(|_| Error::no_memory())?;
    Ok(list)
}

/// Calls a function with each index of a shape that has some, in row-major order.
fn for_each_index(shape: &[usize], mut f: impl FnMut(&[usize])) {
    let mut index: Axes<usize> = Axes::filled(0, shape.len());
    loop {
        f(&index);
        let Some(axis) = (0..shape.len()).rev().find(|&axis| index[axis] + 1 < shape[axis]) else {
            return;
        };
        index[axis] += 1;
        index[axis + 1..].fill(0);
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
    let blocks = blocks(&shape, extents.reduced);
    let plan = |operands: &Operands| {
        let some = extents.len > 0 && extents.results > 0;
        let acc = size_of::<F::Acc>();
        some.then(|| Plan::of_fold(&shape, extents.reduced, &blocks, operands, acc))
    };
    let (alike, size) = (Alike::find(expr), size_of::<E::Elem>());
    let pieces = worth_pieces::<E>(&alike).and_then(|(shape, strides)| {
        let operands = Operands::computed(shape, strides, size, pieces_of::<E::Elem>());
        let plan = plan(&operands).filter(Plan::reads_pieces)?;
        Some((operands, Some(plan)))
    });
    let (operands, plan) = match pieces {
        Some(pieces) => pieces,
        None => {
            let operands = match is_computed_before::<E>(&shape) || !E::FORM.is_folded() {
                true => {
                    let own =
                        Layout::<Dyn>::c_order(shape.iter().copied().collect::<Axes<usize>>())?;
                    let strides = alike.layout().map_or(own.strides(), |(_, strides)| strides);
                    let mut operands = Operands::new(shape.len());
                    operands.push(&shape, strides, size, &None, Source::Hoisted);
                    operands
                }
                false => tree.operands(&shape)?,
            };
            let plan = plan(&operands);
            (operands, plan)
        }
    };
    let strides = Layout::<Dyn>::c_order(extents.kept)?;
    let packing = plan.as_ref().map_or(0, |plan| plan.packing(&operands));
    let work = work_of(size_of::<E::Elem>(), E::COST + F::COST) + packing;
    let most = plan.as_ref().map_or(1, |plan| plan.most_tasks(rayon::current_num_threads()));
    let len = shape.iter().product();
    let work = (additions(len, work), exec.tasks_at_rest(len, work).min(most));
    Ok(Explanation::new(&extents.kept, strides.strides(), size, operands, *exec, work, plan))
}
