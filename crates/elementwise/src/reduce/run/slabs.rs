//! What is no array, and too large to be computed at once: slab by slab, of which each is reduced
//! while it is in a cache.

use super::planned::{Along, with_room};
use crate::eval::{Makes, Pass, hoist, tree_of};
use crate::exec::{self, Cuts, Exec, work_of};
use crate::expr::{Binding, Hoisted};
use crate::plan::{Operands, Plan};
use crate::types::{Array, View};
use bcast::Error;
use ndcore::{Axes, Dyn, Element, Layout, Nest};

/// The bytes of a slab: a part of a second-level cache.
const SLAB_BYTES: usize = 1 << 18;

/// The least steps of a slab that is cut along the last axis, whatever bytes these are: of blocks
/// of 4096 elements, 2 MiB of `f64`.
const LEAST_STEPS: usize = 64;

/// What reduces elements in memory to the totals of blocks, of which so many come before.
pub type TotalsOf<'t, T, Total> =
    &'t (dyn Fn(&View<'_, T, Dyn>, &Along<'_>, usize, &Exec) -> Totals<Total> + Sync);

type Totals<Total> = Result<Array<Total, Dyn>, Error>;

/// The totals of the blocks of an expression of this shape, which has elements and results, by a
/// reduction that costs so much for each element.
pub fn totals_by_slabs<T: Element, Total: Element>(
    pass: &Makes<'_, T>,
    cost: usize,
    along: &Along<'_>,
    totals_of: TotalsOf<'_, T, Total>,
    exec: &Exec,
) -> Totals<Total> {
    let whole = Whole::new(pass, along, cost, exec)?;
    let (slabs, serial) = (&whole.slabs, exec.parallel(false));
    let layout = Layout::<Dyn>::c_order([whole.count()].into_iter().collect())?;
    let totals = Array::build(layout, |out| {
        let part = out.into_part(&Nest { order: [0].into_iter().collect(), ..Nest::default() });
        let start = ndcore::Extents::filled(0, 1);
        let (at, best) = ([whole.cut], [slabs.unit * slabs.steps]);
        let cuts = Cuts { at: &at, best: &best };
        exec::split(cuts, part, start, whole.count().div_ceil(whole.tasks), &|part, start| {
            let len = part.len();
            let mut all = with_room(len)?;
            while all.len() < len {
                let slab = slabs.at(start[0] + all.len(), len - all.len());
                let elements = whole.compute(&slab, serial.isa)?;
                let of_slab = along.of_slab(&slab.extents, &slab.blocks)?;
                let totals = totals_of(&elements.view(), &of_slab, slab.first, &serial)?;
                match totals.as_slice() {
                    Some(totals) => all.extend_from_slice(totals),
                    None => all.extend(totals.iter().copied()),
                }
            }
            part.fill(|slots| Ok(slots.write_copy_of_slice(&all)))
        })
    })?;
    Ok(totals.into_shape(slabs.grid)?)
}

/// An expression of which parts are computed by one plan.
struct Whole<'w, T: Element> {
    pass: &'w Makes<'w, T>,
    shape: &'w [usize],
    operands: Operands,
    plan: Plan,
    hoisted: Hoisted,
    slabs: Slabs<'w>,
    /// The blocks from one place where tasks may begin to the next, and the most tasks.
    cut: usize,
    tasks: usize,
}

impl<'w, T: Element> Whole<'w, T> {
    /// For a reduction that costs so much for each element.
    fn new(
        pass: &'w Makes<'w, T>,
        along: &Along<'w>,
        cost: usize,
        exec: &Exec,
    ) -> Result<Self, Error> {
        let shape = along.shape;
        let operands = tree_of(pass).operands(shape)?;
        let slabs = Slabs::new(shape, along, size_of::<T>());
        // As a slab lies, which is read again at once. Where slabs are cut, operands go on beyond
        // them: planned as if they did not, nothing is taken across the ends of rows.
        let layout = Layout::<Dyn>::c_order(slabs.at(0, slabs.grid.iter().product()).extents)?;
        let mut loops: Axes<usize> = shape.iter().copied().collect();
        let whole_axis = slabs.steps == slabs.grid[slabs.axis];
        loops[slabs.axis] += usize::from(!whole_axis);
        let plan =
            Plan::of_result(&loops, layout.strides(), size_of::<T>(), &operands, usize::MAX)?;
        let hoisted = hoist(&pass, &operands, exec)?;
        let work = pass.work() + work_of(size_of::<T>(), cost) + plan.packing(&operands);
        let tasks = exec.tasks(shape.iter().product(), work).max(1);
        // Where slabs have all of an axis, each has.
        let cut = slabs.unit * if whole_axis { slabs.steps } else { 1 };
        Ok(Whole { pass, shape, operands, plan, hoisted, slabs, cut, tasks })
    }

    /// The number of blocks.
    fn count(&self) -> usize {
        self.slabs.grid.iter().product()
    }

    /// The elements of a slab, in row-major order.
    fn compute(&self, slab: &Slab, isa: crate::kernel::Isa) -> Result<Array<T, Dyn>, Error> {
        let nest = &self.plan.nest;
        // Where it begins along the loops.
        let mut start = ndcore::Extents::new();
        for (position, &axis) in nest.order.iter().enumerate() {
            let axis = usize::from(axis);
            let end = slab.start[axis] + slab.extents[axis];
            let at = match nest.flips & (1 << axis) != 0 {
                true => self.shape[axis] - end,
                false => slab.start[axis],
            };
            if nest.joins & (1 << position) != 0 {
                let outer = start.last_mut().expect("the first loop is not joined");
                *outer = *outer * self.shape[axis] + at;
            } else {
                start.push(at);
            }
        }
        if start.is_empty() {
            start.push(0);
        }
        Array::build(Layout::<Dyn>::c_order(slab.extents)?, |out| {
            let Whole { pass, shape, operands, plan, hoisted, .. } = self;
            let binding = Binding::planned(shape, operands, plan, hoisted, isa);
            pass.task(binding, plan, out.into_part(nest), &start)
        })
    }
}

/// The blocks of a shape in slabs: some that follow each other in row-major order.
struct Slabs<'s> {
    shape: &'s [usize],
    /// The elements of a block along each axis, 1 along those that are not reduced; and the blocks.
    blocks: Axes<usize>,
    grid: Axes<usize>,
    /// How far a step along each axis moves on among the elements of a result.
    numbers: Axes<usize>,
    /// The axis along which slabs are cut, the most blocks of one along it, and the blocks of one
    /// step.
    axis: usize,
    steps: usize,
    unit: usize,
}

/// One of them.
struct Slab {
    start: Axes<usize>,
    extents: Axes<usize>,
    /// The elements of a block along each axis.
    blocks: Axes<usize>,
    /// The number of its first element among those of the result.
    first: usize,
}

impl<'s> Slabs<'s> {
    fn new(shape: &'s [usize], along: &Along<'_>, size: usize) -> Self {
        let (blocks, reduced, grid) = (&along.blocks, along.extents.reduced, along.grid());
        let (mut own, mut numbers) = (Axes::filled(1, shape.len()), Axes::filled(0, shape.len()));
        let mut step = 1;
        for axis in (0..shape.len()).rev().filter(|axis| reduced & (1 << axis) != 0) {
            (own[axis], numbers[axis]) = (blocks[axis], step);
            step *= shape[axis];
        }
        let most = (SLAB_BYTES / size.max(1)).max(1);
        // Of so many elements is one step along an axis: of a block along those before it, and all
        // of those within it.
        let each = |axis: usize| own[..=axis].iter().chain(&shape[axis + 1..]).product::<usize>();
        let last = shape.len() - 1;
        let axis = (0..last).find(|&axis| each(axis) <= most).unwrap_or(last);
        // Of a few columns at a time, less than lines of the cache would be used.
        let least = if axis == last { LEAST_STEPS } else { 1 };
        let steps = (most / each(axis)).max(least).min(grid[axis]);
        let unit = grid[axis + 1..].iter().product();
        Slabs { shape, blocks: own, grid, numbers, axis, steps, unit }
    }

    /// The slab that begins with the block of this number, of at most so many blocks.
    fn at(&self, block: usize, most: usize) -> Slab {
        let (mut start, mut extents) = (Axes::filled(0, self.shape.len()), Axes::new());
        let mut number = block / self.unit;
        let mut steps = self.steps.min(most / self.unit);
        for axis in (0..=self.axis).rev() {
            let index = number % self.grid[axis];
            number /= self.grid[axis];
            start[axis] = index * self.blocks[axis];
            if axis == self.axis {
                steps = steps.min(self.grid[axis] - index);
            }
        }
        for (axis, &extent) in self.shape.iter().enumerate() {
            let steps = if axis == self.axis { steps } else { 1 };
            let part = (steps * self.blocks[axis]).min(extent - start[axis]);
            extents.push(if axis <= self.axis { part } else { extent });
        }
        let blocks = self.blocks.iter().zip(&extents[..]).map(|(&block, &all)| block.min(all));
        let first = start.iter().zip(&self.numbers[..]).map(|(at, by)| at * by).sum();
        Slab { start, extents, blocks: blocks.collect(), first }
    }
}
