//! The sink of a plan: which kernel takes a run, and where the totals of a tile go.

use super::ROUNDS;
use super::accumulate::{Folding, FoldingRows, Putting, Shape, finish, twice};
use super::apart::FoldingApart;
use super::columns::Columns;
use super::rows::Rows;
use crate::kernel::isa::Isa;
use crate::kernel::walk::{self, Region, Run, Sink};
use crate::kernel::{Block, Source};
use crate::plan::{LANES, Plan};
use crate::reduce::{Accumulator, Lanes, Place, Reduction};
use bcast::Error;
use ndcore::{Element, Extents, Filled, Packed, Part};
use std::cell::Cell;

/// What becomes of totals: the slots of the result, or of the totals of the blocks.
pub trait Slots<Total>: Sync {
    /// What lies in the output's memory.
    type Slot: Element;

    /// What a slot may hold before a total is stored.
    fn blank(&self) -> Self::Slot;

    /// Stores a total; false if it could not be.
    fn put(&self, slot: &mut Self::Slot, total: Total) -> bool;

    /// Why one could not be.
    fn failure(&self) -> Error {
        unreachable!("every total can be stored as it is")
    }
}

/// The sink of a part of the totals of a reduction; of all elements if `ALL`, whose one result has
/// no others beside it.
pub struct Fold<'t, 'b, T: Element, F: Reduction<T>, S: Slots<F::Total>, const ALL: bool> {
    op: &'t F,
    slots: &'t S,
    part: Part<'b, S::Slot>,
    plan: &'t Plan,
    isa: Isa,
    accumulators: Packed<Lanes<F, T>>,
    totals: Packed<F::Total>,
    shape: Shape,
    width: usize,
    /// The number of results in turns, and of the accumulators of each.
    turns: usize,
    each: usize,
    /// As [`Folding::stretch`].
    stretch: Option<usize>,
    tile_start: usize,
    /// The extents of what is stored at a time, and room for it; only used if results are
    /// scattered.
    extents: Extents,
    buffer: Packed<S::Slot>,
    stored: Cell<bool>,
}

impl<'t, 'b, T: Element, F: Reduction<T>, S: Slots<F::Total>, const ALL: bool>
    Fold<'t, 'b, T, F, S, ALL>
{
    #[inline(never)]
    pub fn new(op: &'t F, slots: &'t S, part: Part<'b, S::Slot>, plan: &'t Plan, isa: Isa) -> Self {
        Fold {
            op,
            slots,
            part,
            plan,
            isa,
            accumulators: Packed::new(),
            totals: Packed::new(),
            shape: Shape::default(),
            width: 1,
            turns: 1,
            each: 1,
            stretch: None,
            tile_start: 0,
            extents: Extents::new(),
            buffer: Packed::new(),
            stored: Cell::new(true),
        }
    }

    /// Computes the part, which begins at index `start` of the output, from a source; `None` if
    /// some total could not be stored.
    #[inline(always)]
    pub fn walk(
        mut self,
        source: impl Source<Elem = T>,
        start: &[usize],
    ) -> Result<Option<Filled<'b>>, Error> {
        walk::walk_into(self.plan, start, source, &mut self)?;
        // SAFETY: `walk` has closed a tile for every element of the part, and `close` has stored a
        // total for each of the tile, unless `stored` is false.
        Ok(unsafe { self.assume_filled() })
    }

    /// The proof that the part has been filled, unless some total could not be stored.
    ///
    /// # Safety
    /// A total has been stored for each element of it, unless `stored` is false.
    #[inline(never)]
    unsafe fn assume_filled(self) -> Option<Filled<'b>> {
        let Fold { part, stored, .. } = self;
        // SAFETY: the caller's promise.
        stored.get().then(|| unsafe { part.assume_filled() })
    }
}

impl<T: Element, F: Reduction<T>, S: Slots<F::Total>, const ALL: bool> Fold<'_, '_, T, F, S, ALL> {
    /// Takes the elements of a run.
    #[inline(always)]
    fn fold<B: Block<Elem = T>>(&mut self, run: &Run<'_>, block: B) {
        let (isa, op, apart) = (self.isa, self.op, self.plan.stacked);
        if self.plan.whole_blocks {
            let Shape { len, before, pitch, .. } = self.shape;
            if const { !ALL } && self.plan.is_across() {
                let columns =
                    Columns::<_, _, true> { op, block, len, columns: pitch, apart, before };
                // Those of some rows of results, or of all.
                let (first, count) = match apart {
                    true => (run.number / len * pitch, run.count / len * pitch),
                    false => (0, self.width),
                };
                let totals = &mut self.totals.as_mut_slice()[first..][..count];
                return isa.dispatch(&columns, totals);
            }
            let blocks = |axis: usize| self.plan.loops[axis].div_ceil(self.plan.blocks[axis]);
            let per_result = self.plan.folds.clone().map(blocks).product();
            let all = run.count * run.len;
            let rows = Rows { op, block, apart, from: 0, len, all, before, per_result };
            // Rows that lie apart are taken in several calls; so are those that are computed, whole
            // rows at a time.
            let (first, count) =
                if apart { (run.number, run.count) } else { (run.from / len, all.div_ceil(len)) };
            return isa.dispatch(&rows, &mut self.totals.as_mut_slice()[first..][..count]);
        }
        let turn = self.plan.turning.map_or(0, |axis| run.start[axis] - self.tile_start);
        let slots = &mut self.accumulators.as_mut_slice()[turn * self.each..][..self.each];
        if const { !ALL } && apart && self.plan.is_across() {
            self.shape.twice = twice(self.width);
            let (width, first, count) = (self.width, run.before / self.width, run.count);
            let stretch = self.stretch.map(|_| first.saturating_sub(1) / (LANES * ROUNDS));
            let folding = FoldingRows { op, block, width, apart, first, count, stretch };
            return isa.dispatch(&folding, slots);
        }
        if apart {
            let (from, first, count, width) = (run.before, 0, run.count, run.len);
            let stretched = self.stretch.is_some();
            let rows = FoldingApart { op, block, from, first, count, width, stretched };
            return isa.dispatch(&rows, slots);
        }
        let from = run.before / self.width * self.shape.pitch + run.from;
        let stretch = self.stretch.map(|_| {
            let per = LANES * ROUNDS * self.shape.pitch;
            // That of the last element before this one.
            from.saturating_sub(1) / per
        });
        isa.dispatch(&Folding { op, block, from, len: run.len, stretch }, slots);
    }
}

impl<T: Element, F: Reduction<T>, S: Slots<F::Total>, const ALL: bool> Sink<T>
    for Fold<'_, '_, T, F, S, ALL>
{
    #[inline(never)]
    fn extents(&self) -> Extents {
        Extents::from_slice(self.part.extents())
    }

    fn open(&mut self, _: &[usize], tile: &Region) -> bool {
        let plan = self.plan;
        let (across, inner) = (plan.is_across(), plan.ndim() - 1);
        self.width = if across { tile.extents[inner] } else { 1 };
        self.turns = plan.turning.map_or(1, |axis| tile.extents[axis]);
        self.tile_start = plan.turning.map_or(0, |axis| tile.start[axis]);
        let len = tile.extents[plan.folds.clone()].iter().product::<usize>();
        let moved = tile.start.iter().zip(&plan.steps).map(|(start, step)| start * step);
        let before = plan.first + moved.sum::<usize>();
        // Rows of results that are not one run with the next begin at an accumulator.
        if plan.whole_blocks {
            let blocks = |axis: usize| tile.extents[axis].div_ceil(plan.blocks[axis]);
            self.width = (0..plan.ndim()).map(blocks).product();
            if plan.scattered {
                self.extents = (0..plan.ndim()).map(blocks).collect();
            }
            let pitch = if across { tile.extents[inner] } else { 1 };
            self.shape = Shape { len: plan.block_len(), pitch, before, ..Shape::default() };
            return self.make_totals();
        }
        if plan.scattered {
            self.extents = Extents::filled(1, plan.ndim());
            self.extents[inner] = self.width;
        }
        let joined = !across || plan.run_axis < plan.folds.end;
        let pitch = if joined { self.width } else { self.width.next_multiple_of(LANES) };
        let (lanes, step) = (len.min(LANES), if across { plan.steps[inner] } else { 0 });
        self.shape = Shape { lanes, pitch, len, before, step, twice: 0 };
        self.stretch = (F::JOINS && len > LANES * ROUNDS).then_some(0);
        let halves = if self.stretch.is_some() { 2 } else { 1 };
        self.each = halves * (pitch * lanes).div_ceil(LANES);
        let slots = self.turns * self.each;
        if !self.accumulators.reserve(slots) {
            return false;
        }
        self.accumulators.fill(self.op.start().spread(), slots);
        self.make_totals()
    }

    #[inline]
    fn run<From: Source<Elem = T>>(&mut self, run: &Run<'_>, source: &mut From) {
        self.fold(run, source.root(run));
    }

    fn close(&mut self, corner: &[usize], _: &Region) {
        let mut at = Extents::from_slice(corner);
        if self.plan.whole_blocks {
            return self.put(&at);
        }
        for turn in 0..self.turns {
            let slots = &mut self.accumulators.as_mut_slice()[turn * self.each..][..self.each];
            let totals = &mut self.totals.as_mut_slice()[..self.width];
            finish(self.op, self.isa, slots, self.stretch.is_some(), self.shape, totals);
            self.put(&at);
            if let Some(axis) = self.plan.turning {
                at[axis] += 1;
                self.shape.before += self.plan.steps[axis];
            }
        }
    }
}

impl<T: Element, F: Reduction<T>, S: Slots<F::Total>, const ALL: bool> Fold<'_, '_, T, F, S, ALL> {
    /// Makes room for the totals of a row of results. False if there is no memory for it.
    fn make_totals(&mut self) -> bool {
        let enough = self.totals.as_slice().len() >= self.width;
        if !enough && self.totals.reserve(self.width) {
            let nothing = Place::lane(0, 0);
            self.totals.fill(self.op.total(self.op.start(), nothing), self.width);
        }
        if self.plan.scattered && self.buffer.as_slice().len() < self.width {
            if !self.buffer.reserve(self.width) {
                return false;
            }
            self.buffer.fill(self.slots.blank(), self.width);
        }
        self.totals.as_slice().len() >= self.width
    }

    /// Stores the totals of a row of results, or of a box of them, which begins at this index of
    /// the part.
    fn put(&mut self, at: &[usize]) {
        let totals = &self.totals.as_slice()[..self.width];
        let putting = Putting { to: self.slots, totals, stored: &self.stored };
        if self.plan.scattered {
            self.isa.dispatch(&putting, &mut self.buffer.as_mut_slice()[..self.width]);
            return self.part.unpack(at, &self.extents, self.buffer.as_slice());
        }
        let to = self.part.run_mut(at, self.width).expect("results have unit stride");
        self.isa.dispatch(&putting, to);
    }
}
