//! Reductions by a plan: of any expression, along any axes.

use super::slabs::totals_by_slabs;
use super::{
    AxesOf, Computed, MOST_COMPUTED, is_computed_before, most_computed, pieces_of, worth_pieces,
};
use crate::eval::{Pass, To, computed_by, execute, hoist, tree_of};
use crate::exec::{Exec, additions, work_of};
use crate::expr::{Alike, Binding, Borrowed, Expr, Hoisting, Tree};
use crate::kernel::{Finish, Finished, Write, merge_blocks};
use crate::plan::{Explanation, Operands, Plan, Source, blocks, result_order};
use crate::reduce::{ReduceAxes, Reduction};
use crate::types::{Array, View};
use bcast::{Error, ErrorKind};
use ndcore::{Axes, Dimension, Dyn, Element, Filled, Layout, List, Part, size_of_shape};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// The results of a reduction.
pub struct Results<'a, F, T>(pub &'a F, PhantomData<fn(T)>);

impl<'a, F, T> Results<'a, F, T> {
    pub fn of(op: &'a F) -> Self {
        Results(op, PhantomData)
    }
}

impl<T: Element, F: Reduction<T>> Finish<F::Total, F::Output> for Results<'_, F, T> {
    #[inline(always)]
    fn one(&self, total: F::Total, len: usize) -> Result<F::Output, Error> {
        self.0.finish(total, len)
    }

    fn of_nothing(&self, shape: &[usize], axes: u32) -> Result<F::Output, Error> {
        self.0.empty().ok_or_else(|| no_elements(F::NAME, shape, axes))
    }
}

/// What there is to say of a reduction of no elements along these axes of this shape.
// Once for all reductions: it is compiled with the library, and not for each of a program.
#[cold]
fn no_elements(op: &'static str, shape: &[usize], axes: u32) -> Error {
    let is_reduced = |axis: &usize| axes & (1 << axis) != 0;
    let axes = (0..shape.len()).filter(is_reduced).collect();
    ErrorKind::NoElements { op, shape: List::of(shape), axes }.into()
}

/// Totals as they are.
struct Keep;

impl<Total: Element> Finish<Total, Total> for Keep {
    #[inline(always)]
    fn one(&self, total: Total, _: usize) -> Result<Total, Error> {
        Ok(total)
    }

    fn of_nothing(&self, _: &[usize], _: u32) -> Result<Total, Error> {
        unreachable!("blocks have elements")
    }
}

/// An expression, what an element of it costs, a reduction of it, and what becomes of the totals of
/// so many elements; of all elements if `ALL`.
struct Reduced<'a, E, F: Reduction<E::Elem>, O, const ALL: bool>
where
    E: Expr,
{
    expr: (&'a E, usize),
    op: &'a F,
    finish: (&'a dyn Finish<F::Total, O>, usize),
}

impl<E: Expr, F: Reduction<E::Elem>, O: Element, const ALL: bool> Pass<MaybeUninit<O>>
    for Reduced<'_, E, F, O, ALL>
{
    fn work(&self) -> usize {
        work_of(size_of::<E::Elem>(), self.expr.1 + F::COST)
    }

    fn hoist(&self, hoisting: &mut Hoisting<'_>) -> Result<(), Error> {
        if const { E::FACTS.buffered } { self.expr.0.hoist(hoisting) } else { Ok(()) }
    }

    fn task<'b>(
        &self,
        binding: Binding<'_>,
        plan: &Plan,
        part: Part<'b, MaybeUninit<O>>,
        start: &[usize],
    ) -> Result<Filled<'b>, Error> {
        let (finished, isa) = (Finished::new(self.finish, part, plan), binding.isa);
        // For as long as this takes: what it refers to may live longer than the expression.
        let mut binding: Binding<'_> = binding;
        let mut source = binding.bound(self.expr.0);
        binding.fits(false)?;
        finished.fold::<ALL, _, _>(self.op, (plan, isa), &mut source, start)
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

/// What is reduced, of what shape, along which axes.
pub(super) struct Along<'s> {
    pub(super) shape: &'s [usize],
    pub(super) extents: Extents,
    /// The extents of a block.
    pub(super) blocks: Axes<usize>,
}

impl<'s> Along<'s> {
    pub(super) fn new(shape: &'s [usize], reduced: u32) -> Result<Self, Error> {
        let extents = Extents::new(shape, reduced)?;
        Ok(Along { shape, extents, blocks: blocks(shape, reduced) })
    }

    /// The same axes of a part of these extents, with blocks of these.
    pub(super) fn of_slab<'p>(
        &self,
        shape: &'p [usize],
        blocks: &[usize],
    ) -> Result<Along<'p>, Error> {
        let extents = Extents::new(shape, self.extents.reduced)?;
        Ok(Along { shape, extents, blocks: blocks.iter().copied().collect() })
    }

    /// The plan of a reduction of these operands.
    fn plan(&self, operands: &Operands, acc: usize) -> Result<Plan, Error> {
        Plan::of_fold(self.shape, self.extents.reduced, &self.blocks, operands, acc)
    }

    /// The extents of the totals of blocks.
    pub(super) fn grid(&self) -> Axes<usize> {
        self.extents.grid(&self.blocks, self.shape)
    }

    /// Whether a result has several blocks.
    fn is_in_blocks(&self) -> bool {
        self.grid() != self.extents.kept
    }

    /// The one result of no elements for each, or no results, if that is so.
    pub(super) fn of_nothing<Total: Copy, O: Element>(
        &self,
        finish: &dyn Finish<Total, O>,
    ) -> Result<Option<Array<O, Dyn>>, Error> {
        if self.extents.results == 0 {
            // Without results there is none that is not defined.
            return Ok(Some(Array::from_shape_vec(self.extents.kept, Vec::new())?));
        }
        if self.extents.len > 0 {
            return Ok(None);
        }
        let result = finish.of_nothing(self.shape, self.extents.reduced)?;
        Ok(Some(Array::try_full(self.extents.kept, result)?))
    }
}

/// What is reduced by a plan: an expression, what each element of it costs, its operands, and the
/// plan.
struct Planned<'p, E> {
    expr: (&'p E, usize),
    operands: &'p Operands,
    plan: &'p Plan,
}

impl<E: Expr> Planned<'_, E> {
    /// The totals of blocks, or what becomes of them, of so many elements; there are some.
    fn folded<const ALL: bool, F: Reduction<E::Elem>, O: Element>(
        &self,
        op: &F,
        along: &Along<'_>,
        finish: (&dyn Finish<F::Total, O>, usize),
        exec: &Exec,
    ) -> Result<Array<O, Dyn>, Error> {
        let pass = Reduced::<_, _, _, ALL> { expr: self.expr, op, finish };
        folded(&pass, along.shape, self.operands, self.plan, along.grid(), exec)
    }

    /// The results, of which there are some.
    fn results<const ALL: bool, F: Reduction<E::Elem>, O: Element>(
        &self,
        op: &F,
        along: &Along<'_>,
        finish: &dyn Finish<F::Total, O>,
        exec: &Exec,
    ) -> Result<Array<O, Dyn>, Error> {
        if along.is_in_blocks() {
            let totals = self.folded::<ALL, _, _>(op, along, (&Keep, 0), exec)?;
            return merged(&merging(op), totals, &along.extents, finish);
        }
        self.folded::<ALL, _, _>(op, along, (finish, along.extents.len), exec)
    }
}

/// Reduces elements in memory, or what has another [`Form`](crate::expr::Form) that is folded,
/// along some axes, or `ALL`, which the result keeps. Also the axes, as bits.
pub fn keeping<const ALL: bool, E: Expr, F: Reduction<E::Elem>, O: Element>(
    expr: &E,
    op: &F,
    axes: AxesOf<'_>,
    finish: &dyn Finish<F::Total, O>,
    exec: &Exec,
) -> Result<(Array<O, Dyn>, u32), Error> {
    let tree = Tree::of(expr);
    let shape = tree.shape()?;
    let reduced = axes(&shape)?;
    let along = Along::new(&shape, reduced)?;
    if let Some(result) = along.of_nothing(finish)? {
        return Ok((result, reduced));
    }
    let operands = tree.operands(&shape)?;
    let plan = along.plan(&operands, size_of::<F::Acc>())?;
    let planned = Planned { expr: (expr, E::FACTS.cost), operands: &operands, plan: &plan };
    Ok((planned.results::<ALL, _, _>(op, &along, finish, exec)?, reduced))
}

/// As [`keeping`], of what is no array; `None` if it is to be computed as a whole first.
pub(super) fn keeping_computed<T: Element, F: Reduction<T>, O: Element>(
    computed: &Computed<'_, T>,
    op: &F,
    axes: AxesOf<'_>,
    finish: &dyn Finish<F::Total, O>,
    exec: &Exec,
) -> Result<Option<(Array<O, Dyn>, u32)>, Error> {
    if let Some(pieces) = computed.in_pieces() {
        let (shape, strides) = pieces.layout();
        let reduced = axes(shape)?;
        let along = Along::new(shape, reduced)?;
        let operands = Operands::computed(shape, strides, size_of::<T>(), pieces_of::<T>());
        let plan = along.plan(&operands, size_of::<F::Acc>())?;
        if plan.reads_pieces() {
            let expr = (&pieces, computed.cost);
            let planned = Planned { expr, operands: &operands, plan: &plan };
            return Ok(Some((planned.results::<false, _, _>(op, &along, finish, exec)?, reduced)));
        }
    }
    let shape = tree_of(computed.pass).shape()?;
    if is_computed_before::<T>(&shape, MOST_COMPUTED) {
        return Ok(None);
    }
    let reduced = axes(&shape)?;
    let along = Along::new(&shape, reduced)?;
    if let Some(result) = along.of_nothing(finish)? {
        return Ok(Some((result, reduced)));
    }
    let totals_of = |view: &View<'_, T, Dyn>, along: &Along<'_>, first, exec: &Exec| {
        totals_of(view, op, along, first, exec)
    };
    let totals = totals_by_slabs(computed.pass, F::COST, &along, &totals_of, exec)?;
    Ok(Some((merged(&merging(op), totals, &along.extents, finish)?, reduced)))
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
    let along = Along { shape, extents: *extents, blocks: blocks.iter().copied().collect() };
    if const { E::FACTS.in_memory } {
        let view = expr.in_memory().expect("elements in memory");
        return totals_of(&view, op, &along, first, exec);
    }
    let array = computed_by::<_, E::Rank>(&To(Borrowed(expr), &Write), &Alike::find(expr))?;
    totals_of(&array.view(), op, &along, first, exec)
}

/// The same of elements in memory.
pub(super) fn totals_of<T: Element, R: Dimension, F: Reduction<T>>(
    view: &View<'_, T, R>,
    op: &F,
    along: &Along<'_>,
    first: usize,
    exec: &Exec,
) -> Result<Array<F::Total, Dyn>, Error> {
    let tree = Tree::of(view);
    let operands = tree.operands(along.shape)?;
    let mut plan = along.plan(&operands, size_of::<F::Acc>())?;
    plan.first = first;
    let planned = Planned { expr: (view, 0), operands: &operands, plan: &plan };
    planned.folded::<false, _, _>(op, along, (&Keep, 0), exec)
}

/// The results of the totals of blocks.
pub fn results<T: Element, F: Reduction<T>>(
    op: &F,
    totals: Vec<F::Total>,
    shape: &[usize],
    extents: &Extents,
) -> Result<Array<F::Output, Dyn>, Error> {
    let (along, finish) = (Along::new(shape, extents.reduced)?, Results::of(op));
    match along.of_nothing(&finish)? {
        Some(result) => Ok(result),
        None => {
            let totals = Array::from_shape_vec(along.grid(), totals)?;
            merged(&merging(op), totals, extents, &finish)
        }
    }
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
    let layout = layout_of_totals(shape, operands, plan, grid)?;
    let hoisted = hoist(pass, operands, exec)?;
    Array::build(layout, |out| execute(pass, shape, (operands, &hoisted), plan, out, exec))
}

/// How the totals of a plan lie.
fn layout_of_totals(
    shape: &[usize],
    operands: &Operands,
    plan: &Plan,
    grid: Axes<usize>,
) -> Result<Layout<Dyn>, Error> {
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
    Ok(Layout::<Dyn>::nested(grid, &order)?)
}

/// What merges the totals of blocks that follow each other.
type Merge<'m, Total> = &'m dyn Fn(&[Total]) -> Total;

/// That of a reduction.
fn merging<T: Element, F: Reduction<T>>(op: &F) -> impl Fn(&[F::Total]) -> F::Total {
    move |totals| merge_blocks(op, totals)
}

/// The results of the totals of the blocks of each: of as many totals as are a block, one, and so
/// on until one is left. They are few, one of thousands of elements.
fn merged<Total: Element, O: Element>(
    merge: Merge<'_, Total>,
    mut totals: Array<Total, Dyn>,
    extents: &Extents,
    finish: &dyn Finish<Total, O>,
) -> Result<Array<O, Dyn>, Error> {
    let order = Axes::outermost_first(totals.strides());
    while totals.shape() != extents.kept() {
        let level = Level::new(totals.shape(), extents, &order)?;
        let mut next = with_room(level.layout.size())?;
        let mut block = with_room(level.blocks.iter().product())?;
        for_each_index(&level.nested, &mut |place| {
            block.clear();
            level.each_of(place, &mut |at| block.push(totals[at]));
            next.push(merge(&block));
        });
        totals = Array::from_layout_vec(level.layout, next)?;
    }
    let (layout, totals) = totals.into_layout_vec();
    let mut results = with_room(totals.len())?;
    finish.append(&mut results, &totals, extents.len)?;
    Ok(Array::from_layout_vec(layout, results)?)
}

/// Totals of which blocks are merged.
struct Level<'l> {
    shape: Axes<usize>,
    blocks: Axes<usize>,
    order: &'l [usize],
    /// The extents of what comes of them, nested as they are, and how that lies.
    nested: Axes<usize>,
    layout: Layout<Dyn>,
}

impl<'l> Level<'l> {
    fn new(shape: &[usize], extents: &Extents, order: &'l [usize]) -> Result<Self, Error> {
        let blocks = blocks(shape, extents.reduced);
        let grid = extents.grid(&blocks, shape);
        let nested = order.iter().map(|&axis| grid[axis]).collect();
        let layout = Layout::<Dyn>::nested(grid, order)?;
        Ok(Level { shape: shape.iter().copied().collect(), blocks, order, nested, layout })
    }

    /// Calls a function with the index of each total of the block at this place.
    fn each_of(&self, place: &[usize], f: &mut dyn FnMut(&[usize])) {
        let mut first = Axes::filled(0, self.shape.len());
        for (&axis, &i) in self.order.iter().zip(place) {
            first[axis] = i * self.blocks[axis];
        }
        let end = |(axis, &at): (usize, &usize)| self.blocks[axis].min(self.shape[axis] - at);
        let block: Axes<usize> = first.iter().enumerate().map(end).collect();
        for_each_index(&block, &mut |index| {
            let at: Axes<usize> = first.iter().zip(index).map(|(from, i)| from + i).collect();
            f(&at);
        });
    }
}

/// A list with room for so many.
pub(super) fn with_room<T>(len: usize) -> Result<Vec<T>, Error> {
    let mut list = Vec::new();
    list.try_reserve_exact(len).map_err(|_| Error::no_memory())?;
    Ok(list)
}

/// Calls a function with each index of a shape that has some, in row-major order.
fn for_each_index(shape: &[usize], f: &mut dyn FnMut(&[usize])) {
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
    let tree = Tree::of(expr);
    let shape = tree.shape()?;
    let extents = Extents::new(&shape, axes.mask(&shape)?)?;
    let blocks = blocks(&shape, extents.reduced);
    let plan = |operands: &Operands| {
        let some = extents.len > 0 && extents.results > 0;
        let acc = size_of::<F::Acc>();
        some.then(|| Plan::of_fold(&shape, extents.reduced, &blocks, operands, acc)).transpose()
    };
    let (alike, size) = (Alike::find(expr), size_of::<E::Elem>());
    let worth = worth_pieces(&alike).filter(|_| const { !E::FACTS.form.is_folded() });
    let pieces = match worth {
        Some((shape, strides)) => {
            let operands = Operands::computed(shape, strides, size, pieces_of::<E::Elem>());
            let plan = plan(&operands)?.filter(Plan::reads_pieces);
            plan.map(|plan| (operands, Some(plan)))
        }
        None => None,
    };
    let (operands, plan) = match pieces {
        Some(pieces) => pieces,
        None => {
            let before = is_computed_before::<E::Elem>(&shape, most_computed(E::FACTS.form));
            let operands = match before || const { !E::FACTS.form.is_folded() } {
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
            let plan = plan(&operands)?;
            (operands, plan)
        }
    };
    let strides = Layout::<Dyn>::c_order(extents.kept)?;
    let packing = plan.as_ref().map_or(0, |plan| plan.packing(&operands));
    let work = work_of(size_of::<E::Elem>(), E::FACTS.cost + F::COST) + packing;
    let most = plan.as_ref().map_or(1, |plan| plan.most_tasks(rayon::current_num_threads()));
    let len = shape.iter().product();
    let work = (additions(len, work), exec.tasks_at_rest(len, work).min(most));
    Ok(Explanation::new(&extents.kept, strides.strides(), size, operands, *exec, work, plan))
}
