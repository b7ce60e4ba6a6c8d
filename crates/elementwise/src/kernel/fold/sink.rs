//! The sink of a plan: which kernel takes a run ([`Fold`]), and where the totals of a tile go
//! ([`Finished`]).

use super::ROUNDS;
use super::accumulate::{Folding, FoldingRows, Shape, finish, twice};
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
use std::mem::MaybeUninit;

/// What totals become: results, or, of blocks, what they are. Called through a table of functions,
/// so that reductions that differ in nothing else have the same kernels.
pub trait Finish<Total: Copy, Output>: Sync {
    /// What the total of `len` elements becomes.
    fn one(&self, total: Total, len: usize) -> Result<Output, Error>;

    /// What there is for no elements, along these axes of this shape.
    fn of_nothing(&self, shape: &[usize], axes: u32) -> Result<Output, Error>;

    /// Appends what totals become to a list that has room for them, unless there is an error.
    fn append(&self, results: &mut Vec<Output>, totals: &[Total], len: usize) -> Result<(), Error> {
        for &total in totals {
            results.push(self.one(total, len)?);
        }
        Ok(())
    }

    /// What totals become, each in its slot, unless there is an error.
    fn all(
        &self,
        slots: &mut [MaybeUninit<Output>],
        totals: &[Total],
        len: usize,
    ) -> Result<(), Error> {
        assert_eq!(slots.len(), totals.len(), "a total for each slot");
        for (slot, &total) in slots.iter_mut().zip(totals) {
            slot.write(self.one(total, len)?);
        }
        Ok(())
    }
}

/// Where the totals of a part of an output go: known to the fold without the type of the results.
pub trait Totals<Total: Copy> {
    /// The extents of the part.
    fn extents(&self) -> &[usize];

    /// Makes room for so many results at a time. False if there is no memory for it.
    fn reserve(&mut self, width: usize) -> bool;

    /// Stores the totals of a row of results, or of a box of them of these extents, which begins at
    /// this index of the part.
    fn put(&mut self, at: &[usize], extents: &[usize], totals: &[Total]);
}

/// A part of an output into which totals go as what they become.
pub struct Finished<'t, 'b, Total, O: Element> {
    finish: &'t dyn Finish<Total, O>,
    /// The number of elements of a result.
    len: usize,
    part: Part<'b, MaybeUninit<O>>,
    /// Whether results lie apart, and room for what is stored at a time if so.
    scattered: bool,
    buffer: Packed<MaybeUninit<O>>,
    /// Why a total could not be stored.
    error: Option<Error>,
}

impl<'t, 'b, Total: Copy, O: Element> Finished<'t, 'b, Total, O> {
    /// The results of so many elements each.
    pub fn new(
        (finish, len): (&'t dyn Finish<Total, O>, usize),
        part: Part<'b, MaybeUninit<O>>,
        plan: &Plan,
    ) -> Self {
        let (scattered, buffer) = (plan.scattered, Packed::new());
        Finished { finish, len, part, scattered, buffer, error: None }
    }

    /// Folds the elements of a source into it; it begins at index `start` of the output.
    #[inline(always)]
    pub fn fold<const ALL: bool, S: Source, F: Reduction<S::Elem, Total = Total>>(
        mut self,
        op: &F,
        (plan, isa): (&Plan, Isa),
        source: &mut S,
        start: &[usize],
    ) -> Result<Filled<'b>, Error> {
        walk::walk_into(
            plan,
            start,
            source,
            &mut Fold::<_, F, ALL>::new(op, &mut self, plan, isa),
        )?;
        // SAFETY: `walk` has closed a tile for every element of the part, and `Fold::close` has put
        // a total for each of the tile, which `put` has stored, unless there was an error.
        unsafe { self.assume_filled() }
    }

    /// The proof that the part has been filled, or why it has not.
    ///
    /// # Safety
    /// A total has been stored for each element of it, unless there is an error.
    #[inline(never)]
    unsafe fn assume_filled(self) -> Result<Filled<'b>, Error> {
        match self.error {
            // SAFETY: the caller's promise.
            None => Ok(unsafe { self.part.assume_filled() }),
            Some(error) => Err(error),
        }
    }
}

impl<Total: Copy, O: Element> Totals<Total> for Finished<'_, '_, Total, O> {
    fn extents(&self) -> &[usize] {
        self.part.extents()
    }

    fn reserve(&mut self, width: usize) -> bool {
        if self.scattered && self.buffer.as_slice().len() < width {
            if !self.buffer.reserve(width) {
                return false;
            }
            self.buffer.fill(MaybeUninit::uninit(), width);
        }
        true
    }

    fn put(&mut self, at: &[usize], extents: &[usize], totals: &[Total]) {
        let slots = match self.scattered {
            true => &mut self.buffer.as_mut_slice()[..totals.len()],
            false => self.part.run_mut(at, totals.len()).expect("results have unit stride"),
        };
        if let Err(error) = self.finish.all(slots, totals, self.len) {
            self.error.get_or_insert(error);
        }
        if self.scattered {
            self.part.unpack(at, extents, self.buffer.as_slice());
        }
    }
}

/// What is known of an open tile.
#[derive(Default)]
struct Opened {
    shape: Shape,
    /// The number of results side by side, or of the totals of whole blocks.
    width: usize,
    /// The number of results in turns, and of the accumulators of each; none of whole blocks.
    turns: usize,
    each: usize,
    /// As [`Folding::stretch`].
    stretch: Option<usize>,
    start: usize,
    /// The extents of what is stored at a time; only used if results are scattered.
    extents: Extents,
}

impl Opened {
    /// Of a tile, by a reduction that joins or not.
    fn new(plan: &Plan, tile: &Region, joins: bool) -> Self {
        let (across, inner) = (plan.is_across(), plan.ndim() - 1);
        let mut opened = Opened {
            width: if across { tile.extents[inner] } else { 1 },
            turns: plan.turning.map_or(1, |axis| tile.extents[axis]),
            start: plan.turning.map_or(0, |axis| tile.start[axis]),
            ..Opened::default()
        };
        let len = tile.extents[plan.folds.clone()].iter().product::<usize>();
        let moved = tile.start.iter().zip(&plan.steps).map(|(start, step)| start * step);
        let before = plan.first + moved.sum::<usize>();
        // Rows of results that are not one run with the next begin at an accumulator.
        if plan.whole_blocks {
            let blocks = |axis: usize| tile.extents[axis].div_ceil(plan.blocks[axis]);
            opened.width = (0..plan.ndim()).map(blocks).product();
            if plan.scattered {
                opened.extents = (0..plan.ndim()).map(blocks).collect();
            }
            let pitch = if across { tile.extents[inner] } else { 1 };
            opened.shape = Shape { len: plan.block_len(), pitch, before, ..Shape::default() };
            return opened;
        }
        if plan.scattered {
            opened.extents = Extents::filled(1, plan.ndim());
            opened.extents[inner] = opened.width;
        }
        let joined = !across || plan.run_axis < plan.folds.end;
        let width = opened.width;
        let pitch = if joined { width } else { width.next_multiple_of(LANES) };
        let (lanes, step) = (len.min(LANES), if across { plan.steps[inner] } else { 0 });
        opened.shape = Shape { lanes, pitch, len, before, step, twice: 0 };
        opened.stretch = (joins && len > LANES * ROUNDS).then_some(0);
        let halves = if opened.stretch.is_some() { 2 } else { 1 };
        opened.each = halves * (pitch * lanes).div_ceil(LANES);
        opened
    }
}

/// The sink of a part of the totals of a reduction; of all elements if `ALL`, whose one result has
/// no others beside it.
struct Fold<'t, T: Element, F: Reduction<T>, const ALL: bool> {
    op: &'t F,
    to: &'t mut dyn Totals<F::Total>,
    plan: &'t Plan,
    isa: Isa,
    accumulators: Packed<Lanes<F, T>>,
    totals: Packed<F::Total>,
    opened: Opened,
}

impl<'t, T: Element, F: Reduction<T>, const ALL: bool> Fold<'t, T, F, ALL> {
    #[inline(never)]
    fn new(op: &'t F, to: &'t mut dyn Totals<F::Total>, plan: &'t Plan, isa: Isa) -> Self {
        let (accumulators, totals) = (Packed::new(), Packed::new());
        Fold { op, to, plan, isa, accumulators, totals, opened: Opened::default() }
    }

    /// Takes the elements of a run.
    // Not inlined: once for all sources that have such blocks.
    #[inline(never)]
    fn fold<B: Block<Elem = T>>(&mut self, run: &Run<'_>, block: B) {
        let (isa, op, apart) = (self.isa, self.op, self.plan.stacked);
        if self.plan.whole_blocks {
            let Shape { len, before, pitch, .. } = self.opened.shape;
            if const { !ALL } && self.plan.is_across() {
                let columns =
                    Columns::<_, _, true> { op, block, len, columns: pitch, apart, before };
                // Those of some rows of results, or of all.
                let (first, count) = match apart {
                    true => (run.number / len * pitch, run.count / len * pitch),
                    false => (0, self.opened.width),
                };
                let totals = &mut self.totals.as_mut_slice()[first..][..count];
                return isa.dispatch(&columns, totals);
            }
            let blocks = |axis: usize| self.plan.loops[axis].div_ceil(self.plan.blocks[axis]);
            let inner = self.plan.run_axis..self.plan.ndim();
            let per_result = inner.filter(|&axis| self.plan.steps[axis] > 0).map(blocks).product();
            let all = run.count * run.len;
            let rows =
                Rows::<_, _, ALL> { op, block, apart, from: 0, len, all, before, per_result };
            // Rows that lie apart are taken in several calls; so are those that are computed, whole
            // rows at a time.
            let (first, count) =
                if apart { (run.number, run.count) } else { (run.from / len, all.div_ceil(len)) };
            return rows.by(isa, &mut self.totals.as_mut_slice()[first..][..count]);
        }
        let turn = self.plan.turning.map_or(0, |axis| run.start[axis] - self.opened.start);
        let slots =
            &mut self.accumulators.as_mut_slice()[turn * self.opened.each..][..self.opened.each];
        if const { !ALL } && apart && self.plan.is_across() {
            self.opened.shape.twice = twice(self.opened.width);
            let (width, first, count) =
                (self.opened.width, run.before / self.opened.width, run.count);
            let stretch = self.opened.stretch.map(|_| first.saturating_sub(1) / (LANES * ROUNDS));
            let folding = FoldingRows { op, block, width, apart, first, count, stretch };
            return isa.dispatch(&folding, slots);
        }
        if apart {
            let (from, first, count, width) = (run.before, 0, run.count, run.len);
            let stretched = self.opened.stretch.is_some();
            let rows = FoldingApart { op, block, from, first, count, width, stretched };
            return isa.dispatch(&rows, slots);
        }
        let from = run.before / self.opened.width * self.opened.shape.pitch + run.from;
        let stretch = self.opened.stretch.map(|_| {
            let per = LANES * ROUNDS * self.opened.shape.pitch;
            // That of the last element before this one.
            from.saturating_sub(1) / per
        });
        let len = run.len;
        isa.dispatch(&Folding { op, block, from, len, stretch }, slots);
    }
}

impl<T: Element, F: Reduction<T>, const ALL: bool> Sink<T> for Fold<'_, T, F, ALL> {
    #[inline(never)]
    fn extents(&self) -> Extents {
        Extents::from_slice(self.to.extents())
    }

    fn open(&mut self, _: &[usize], tile: &Region) -> bool {
        self.opened = Opened::new(self.plan, tile, F::JOINS);
        if self.opened.each > 0 {
            let slots = self.opened.turns * self.opened.each;
            if !self.accumulators.reserve(slots) {
                return false;
            }
            self.accumulators.fill(self.op.start().spread(), slots);
        }
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
        for turn in 0..self.opened.turns {
            let slots = &mut self.accumulators.as_mut_slice()[turn * self.opened.each..]
                [..self.opened.each];
            let totals = &mut self.totals.as_mut_slice()[..self.opened.width];
            finish(
                self.op,
                self.isa,
                slots,
                self.opened.stretch.is_some(),
                self.opened.shape,
                totals,
            );
            self.put(&at);
            if let Some(axis) = self.plan.turning {
                at[axis] += 1;
                self.opened.shape.before += self.plan.steps[axis];
            }
        }
    }
}

impl<T: Element, F: Reduction<T>, const ALL: bool> Fold<'_, T, F, ALL> {
    /// Makes room for the totals of a row of results. False if there is no memory for it.
    fn make_totals(&mut self) -> bool {
        let enough = self.totals.as_slice().len() >= self.opened.width;
        if !enough && self.totals.reserve(self.opened.width) {
            let nothing = Place::lane(0, 0);
            self.totals.fill(self.op.total(self.op.start(), nothing), self.opened.width);
        }
        self.totals.as_slice().len() >= self.opened.width && self.to.reserve(self.opened.width)
    }

    /// Puts the totals of a row of results, or of a box of them, which begins at this index of the
    /// part.
    fn put(&mut self, at: &[usize]) {
        let totals = &self.totals.as_slice()[..self.opened.width];
        self.to.put(at, &self.opened.extents, totals);
    }
}
