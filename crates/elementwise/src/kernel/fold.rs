//! Reductions: a destination with a few accumulators for many elements.

use super::source::{Block, Region, Run, Source};
use super::{Sink, isa, next_box, next_run};
use crate::kernel::Isa;
use crate::plan::{Folding, LANES};
use crate::reduce::{Accumulator, Lanes, Place, Reduction};
use ndcore::{Axes, Dyn, Element, ViewMut};
use std::marker::PhantomData;

/// What adds the elements of an expression to accumulators, without the expression's type.
pub trait Values<L> {
    /// Packs what has to be packed for the runs of a box.
    fn fetch(&mut self, region: &Region);

    /// Adds the elements of a run, or a piece of one, of which the first has number `from`: see [`Fold`].
    fn add(&mut self, run: &Run<'_>, from: usize, slots: &mut [L]);
}

/// A bound expression and what it is added up by.
pub struct Reader<'a, S, F> {
    pub source: S,
    pub op: &'a F,
    pub isa: Isa,
}

impl<S: Source, F: Reduction<S::Elem>> Values<Lanes<F, S::Elem>> for Reader<'_, S, F> {
    fn fetch(&mut self, region: &Region) {
        self.source.fetch(region);
    }

    fn add(&mut self, run: &Run<'_>, from: usize, slots: &mut [Lanes<F, S::Elem>]) {
        isa::run(self.isa, false, &Fold { op: self.op, from, len: run.len }, slots, self.source.block(run));
    }
}

/// Adds the elements of a run to accumulators: element `i` to lane `i % LANES` of accumulator `i / LANES`, and then those from the first one on
/// again.
struct Fold<'a, F> {
    op: &'a F,
    /// The number of the first element.
    from: usize,
    /// The number of elements.
    len: usize,
}

impl<T: Element, F: Reduction<T>> Sink<T> for Fold<'_, F> {
    type Slot = Lanes<F, T>;

    #[inline(always)]
    fn run<B: Block<Elem = T>>(&self, slots: &mut [Self::Slot], block: B, start: usize) {
        assert!(start <= block.len() && self.len <= block.len() - start, "a block is as long as its run");
        let (mut at, lane, count) = (self.from / LANES, self.from % LANES, slots.len());
        let (mut i, end) = (start, start + self.len);
        if lane > 0 {
            let head = (LANES - lane).min(self.len);
            self.add(&mut slots[at % count], block, i, head, lane, at / count);
            i += head;
            at += 1;
        }
        if let [slot] = slots {
            // In registers.
            let mut lanes = *slot;
            while end - i >= LANES {
                self.add_all(&mut lanes, block, i, at);
                (i, at) = (i + LANES, at + 1);
            }
            *slot = lanes;
        } else {
            let (mut round, mut place) = (at / count, at % count);
            while end - i >= LANES {
                let mut lanes = slots[place];
                self.add_all(&mut lanes, block, i, round);
                // Costs nothing. Else the compiler stores only those accumulators of a maximum that change, with instructions that take
                // many times longer than to store all.
                std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst);
                slots[place] = lanes;
                (i, at, place) = (i + LANES, at + 1, place + 1);
                if place == count {
                    (place, round) = (0, round + 1);
                }
            }
        }
        if i < end {
            self.add(&mut slots[at % count], block, i, end - i, 0, at / count);
        }
    }
}

impl<F> Fold<'_, F> {
    /// Adds the elements from `start` on, one to each lane. They are in the block.
    #[inline(always)]
    fn add_all<B: Block<Elem: Element>>(&self, lanes: &mut Lanes<F, B::Elem>, block: B, start: usize, round: usize)
    where
        F: Reduction<B::Elem>,
    {
        let (mut values, usual) = load::<true, B>(block, start, LANES);
        if B::RARE && !usual {
            values = load::<false, B>(block, start, LANES).0;
        }
        for (lane, value) in values.into_iter().enumerate() {
            let acc = F::Acc::get(lanes, lane);
            F::Acc::set(lanes, lane, self.op.step(acc, value, round));
        }
    }

    /// Adds so many elements, from lane `first` on.
    #[inline(always)]
    fn add<B: Block<Elem: Element>>(
        &self,
        lanes: &mut Lanes<F, B::Elem>,
        block: B,
        start: usize,
        len: usize,
        first: usize,
        round: usize,
    ) where
        F: Reduction<B::Elem>,
    {
        let values = load::<false, B>(block, start, len).0;
        for (i, &value) in values[..len].iter().enumerate() {
            let acc = F::Acc::get(lanes, first + i);
            F::Acc::set(lanes, first + i, self.op.step(acc, value, round));
        }
    }
}

/// The `len` elements of a block from `start` on, from 1 to [`LANES`], and whether they may be used if they are taken to be `USUAL`.
#[inline(always)]
fn load<const USUAL: bool, B: Block<Elem: Copy>>(block: B, start: usize, len: usize) -> ([B::Elem; LANES], bool) {
    assert!(start <= block.len() && len <= block.len() - start && len > 0, "a block is as long as its run");
    let get = |lane: usize| {
        // SAFETY: `lane` is below `len`, so by the line above `start + lane` is below `block.len()`.
        unsafe { block.get::<USUAL>(start + lane) }
    };
    let (first, mut all) = get(0);
    let mut values = [first; LANES];
    for (lane, value) in values.iter_mut().enumerate().take(len) {
        let (element, usual) = get(lane);
        *value = element;
        all &= usual;
    }
    (values, all)
}

/// Puts together the upper half of so many with the lower one, at most [`LANES`], until one is left.
// A macro: closures are not always inlined, and then compiled for the baseline.
macro_rules! halve {
    ($count:expr, |$low:ident, $high:ident| $put:expr) => {
        let mut half = LANES / 2;
        while half > 0 {
            for $low in 0..half {
                let $high = $low + half;
                if $high < $count {
                    $put;
                }
            }
            half /= 2;
        }
    };
}

/// Joins accumulators with others, each with its own.
struct Join<'a, F, T>(&'a F, PhantomData<fn() -> T>);

impl<T: Element, F: Reduction<T>> Sink<Lanes<F, T>> for Join<'_, F, T> {
    type Slot = Lanes<F, T>;

    #[inline(always)]
    fn run<B: Block<Elem = Lanes<F, T>>>(&self, low: &mut [Self::Slot], block: B, start: usize) {
        let Some(high) = block.as_slice() else { return };
        for (low, high) in low.iter_mut().zip(&high[start..]) {
            let mut joined = *low;
            join(self.0, &mut joined, high);
            *low = joined;
        }
    }
}

/// Joins the upper half of the lanes with the lower one, as long as they lie in whole accumulators. Returns the number of lanes that are left.
fn join_halves<T: Element, F: Reduction<T>>(
    op: &F,
    isa: Isa,
    slots: &mut [Lanes<F, T>],
    pitch: usize,
    mut lanes: usize,
) -> usize {
    let mut half = LANES / 2;
    while F::JOINS && half > 0 && (half * pitch).is_multiple_of(LANES) {
        if lanes > half {
            let (low, high) = slots.split_at_mut(half * pitch / LANES);
            let len = ((lanes - half) * pitch).div_ceil(LANES);
            isa::run(isa, false, &Join(op, PhantomData), &mut low[..len], &high[..len]);
            lanes = half;
        }
        half /= 2;
    }
    lanes
}

/// Merges the accumulators of results that lie side by side, each over its lanes, by halves.
struct Merge<'a, F, T> {
    op: &'a F,
    /// The number of lanes that are left: see [`join_halves`].
    lanes: usize,
    /// The number of elements of each result, and of those before them.
    len: usize,
    before: usize,
    /// How much later those of each next result come.
    step: usize,
    /// The number of results from one lane to the next.
    pitch: usize,
    elements: PhantomData<fn() -> T>,
}

impl<T: Element, F: Reduction<T>> Sink<Lanes<F, T>> for Merge<'_, F, T> {
    type Slot = F::Total;

    #[inline(always)]
    fn run<B: Block<Elem = Lanes<F, T>>>(&self, out: &mut [F::Total], block: B, start: usize) {
        let Some(slots) = block.as_slice() else { return };
        let lanes = self.lanes;
        let place = |number: usize, result: usize| Place {
            first: self.before + result * self.step + number,
            len: (self.len - number).div_ceil(LANES),
        };
        let lane_of = |number: usize, i: usize| {
            let at = number * self.pitch + start + i;
            F::Acc::get(&slots[at / LANES], at % LANES)
        };
        if F::JOINS {
            let whole = |result: usize| Place { len: self.len, ..place(0, result) };
            if let [total] = &mut *out {
                let mut accs = self.op.start().spread();
                for number in 0..lanes {
                    F::Acc::set(&mut accs, number, lane_of(number, 0));
                }
                halve!(lanes, |low, high| {
                    let joined = self.op.join(F::Acc::get(&accs, low), F::Acc::get(&accs, high));
                    F::Acc::set(&mut accs, low, joined);
                });
                *total = self.op.total(F::Acc::get(&accs, 0), whole(0));
                return;
            }
            for (part, out) in out.chunks_mut(LANES).enumerate() {
                let from = part * LANES;
                // A row of results for each lane, as wide as an accumulator; the upper half of them joined with the lower one at once.
                let mut rows = [self.row(slots, start + from, 0, out.len()); LANES / 2];
                for (low, row) in rows.iter_mut().enumerate().take(lanes) {
                    *row = self.row(slots, start + from, low, out.len());
                    if low + LANES / 2 < lanes {
                        let high = self.row(slots, start + from, low + LANES / 2, out.len());
                        join(self.op, row, &high);
                    }
                }
                halve!(lanes.min(LANES / 2), |low, high| {
                    let high = rows[high];
                    join(self.op, &mut rows[low], &high);
                });
                for (i, total) in out.iter_mut().enumerate() {
                    *total = self.op.total(F::Acc::get(&rows[0], i), whole(from + i));
                }
            }
            return;
        }
        if let ([slot], [total]) = (slots, &mut *out) {
            // One result: lane by lane.
            let first = self.op.total(F::Acc::get(slot, 0), place(0, 0));
            let mut totals = [first; LANES];
            for (number, total) in totals.iter_mut().enumerate().take(lanes).skip(1) {
                *total = self.op.total(F::Acc::get(slot, number), place(number, 0));
            }
            halve!(lanes, |low, high| totals[low] = self.op.merge(totals[low], totals[high]));
            *total = totals[0];
            return;
        }
        for (part, out) in out.chunks_mut(LANES).enumerate() {
            let from = part * LANES;
            let first = self.op.total(lane_of(0, from), place(0, from));
            let mut totals = [[first; LANES]; LANES];
            for (number, row) in totals.iter_mut().enumerate().take(lanes) {
                let first = number * self.pitch + start + from;
                if first.is_multiple_of(LANES) {
                    let slot = &slots[first / LANES];
                    for (i, total) in row.iter_mut().enumerate() {
                        *total = self.op.total(F::Acc::get(slot, i), place(number, from + i));
                    }
                } else {
                    for (i, total) in row.iter_mut().enumerate().take(out.len()) {
                        *total = self.op.total(lane_of(number, from + i), place(number, from + i));
                    }
                }
            }
            halve!(lanes, |low, high| {
                let high = totals[high];
                for (low, high) in totals[low].iter_mut().zip(high) {
                    *low = self.op.merge(*low, high);
                }
            });
            out.copy_from_slice(&totals[0][..out.len()]);
        }
    }
}

impl<F, T: Element> Merge<'_, F, T>
where
    F: Reduction<T>,
{
    /// Those of a lane, of the results from number `from` on.
    #[inline(always)]
    fn row(&self, slots: &[Lanes<F, T>], from: usize, lane: usize, len: usize) -> Lanes<F, T> {
        let first = lane * self.pitch + from;
        let mut row = slots[first / LANES];
        if !first.is_multiple_of(LANES) {
            for i in 0..len {
                let at = first + i;
                F::Acc::set(&mut row, i, F::Acc::get(&slots[at / LANES], at % LANES));
            }
        }
        row
    }
}

#[inline(always)]
fn join<T: Element, F: Reduction<T>>(op: &F, low: &mut Lanes<F, T>, high: &Lanes<F, T>) {
    for i in 0..LANES {
        let joined = op.join(F::Acc::get(low, i), F::Acc::get(high, i));
        F::Acc::set(low, i, joined);
    }
}

/// The totals of several blocks, merged two by two, and so on.
pub fn merge_blocks<T: Element, F: Reduction<T>>(op: &F, totals: &mut [F::Total], width: usize) {
    let count = totals.len() / width;
    let mut step = 1;
    while step < count {
        for low in (0..count - step).step_by(2 * step) {
            let (low, high) = totals[low * width..].split_at_mut(step * width);
            for (low, high) in low[..width].iter_mut().zip(&*high) {
                *low = op.merge(*low, *high);
            }
        }
        step *= 2;
    }
}

/// What becomes of totals: the slots of the result, or of the totals of the blocks.
pub trait Slots<Total>: Sync {
    /// What lies in the output's memory.
    type Slot: Element;

    /// Stores a total; false if it could not be.
    fn put(&self, slot: &mut Self::Slot, total: Total) -> bool;
}

/// The total of few elements, which are one block.
pub fn fold_block<B: Block<Elem: Element>, F: Reduction<B::Elem>>(
    op: &F,
    isa: Isa,
    values: B,
    len: usize,
) -> F::Total {
    let mut slot = [op.start().spread()];
    isa::run(isa, false, &Fold { op, from: 0, len }, &mut slot, values);
    let mut total = [op.total(op.start(), Place { first: 0, len: 0 })];
    let merge = Merge { op, lanes: len.min(LANES), len, before: 0, step: 0, pitch: 1, elements: PhantomData };
    isa::run(isa, false, &merge, &mut total, &slot[..]);
    total[0]
}

/// Computes the totals of one part of the results: `out` is the part, in the order of the loops, with as many elements along loops that are folded as there
/// are blocks; `start` is the index where it begins. Returns the number of totals stored.
pub fn fold<T: Element, F: Reduction<T>, S: Slots<F::Total>>(
    values: &mut dyn Values<Lanes<F, T>>,
    op: &F,
    isa: Isa,
    folding: &Folding,
    mut out: ViewMut<'_, S::Slot, Dyn>,
    start: &[usize],
    slots: &S,
) -> usize {
    let (plan, folds) = (&folding.plan, folding.folds.clone());
    let shape: Axes<usize> = out.shape().iter().copied().collect();
    let inner = shape.len() - 1;
    let across = folds.end <= inner;
    // Tiles of results: side by side along the innermost loop.
    let mut tile = Axes::filled(1, shape.len());
    if across {
        tile[inner] = folding.width;
    }
    // Or one after the other, in turns, along the loop before those that are folded.
    let turning = folds.start.wrapping_sub(1);
    if folding.turns > 1 {
        tile[turning] = folding.turns;
    }
    let joined = !across || plan.run_axis < folds.end;
    let (mut accumulators, mut totals) = (Vec::new(), Vec::new());
    let mut done = 0;
    let mut corner = Axes::filled(0, shape.len());
    let mut block = Region { start: corner, extents: folding.blocks };
    loop {
        let mut before = 0;
        for axis in 0..shape.len() {
            block.start[axis] = (start[axis] + corner[axis]) * folding.blocks[axis];
            block.extents[axis] = folding.blocks[axis].min(plan.loops[axis] - block.start[axis]);
            before += block.start[axis] * folding.steps[axis] as usize;
        }
        let (mut width, mut step) = (1, 0);
        if across {
            width = folding.width.min(shape[inner] - corner[inner]);
            step = folding.steps[inner] as usize;
            block.extents[inner] = width;
        }
        let turns = if folding.turns > 1 { folding.turns.min(shape[turning] - corner[turning]) } else { 1 };
        let len = folds.clone().map(|axis| block.extents[axis]).product();
        // Rows of results that are not one run with the next begin at an accumulator.
        let pitch = if joined { width } else { width.next_multiple_of(LANES) };
        let each = (pitch * LANES.min(len)).div_ceil(LANES);
        accumulators.clear();
        accumulators.resize(turns * each, op.start().spread());
        let mut to = Tile { accumulators: &mut accumulators, width, pitch, turns, turning };
        to.take(values, folding, &block);
        totals.clear();
        totals.resize(width, op.total(op.start(), Place { first: 0, len: 0 }));
        let mut at = corner;
        for accumulators in accumulators.chunks_mut(each) {
            let lanes = join_halves(op, isa, accumulators, pitch, LANES.min(len));
            let merge = Merge { op, lanes, len, before, step, pitch, elements: PhantomData };
            isa::run(isa, false, &merge, &mut totals, &*accumulators);
            let to = out.run_mut(&at, width).expect("results lie side by side");
            for (slot, &total) in to.iter_mut().zip(&totals) {
                done += usize::from(slots.put(slot, total));
            }
            if turns > 1 {
                at[turning] += 1;
                before += folding.steps[turning] as usize;
            }
        }
        if !next_box(&mut corner, &shape, &tile) {
            return done;
        }
    }
}

/// Results that are computed side by side.
struct Tile<'a, L> {
    accumulators: &'a mut [L],
    width: usize,
    pitch: usize,
    /// The results that take turns, and along which loop.
    turns: usize,
    turning: usize,
}

impl<L> Tile<'_, L> {
    /// Takes the elements of a block: box by box, run by run.
    fn take(&mut self, values: &mut dyn Values<L>, folding: &Folding, block: &Region) {
        let (plan, folds) = (&folding.plan, folding.folds.clone());
        let (mut corner, mut region) = (Axes::filled(0, block.extents.len()), *block);
        // The number of elements before, of each result.
        let mut before = 0;
        loop {
            for axis in folds.clone() {
                region.start[axis] = block.start[axis] + corner[axis];
                region.extents[axis] = plan.boxes[axis].min(block.extents[axis] - corner[axis]);
            }
            values.fetch(&region);
            let len: usize = region.extents[plan.run_axis..].iter().product();
            let runs: usize = region.extents[..plan.run_axis].iter().product();
            let mut first = region.start;
            for number in 0..runs {
                let each = self.accumulators.len() / self.turns;
                let mut at = first;
                for accumulators in self.accumulators.chunks_mut(each) {
                    for from in (0..len).step_by(plan.piece) {
                        let run = Run { start: &at, number, whole: len, from, len: plan.piece.min(len - from) };
                        values.add(&run, before * self.pitch + from, accumulators);
                    }
                    if self.turns > 1 {
                        at[self.turning] += 1;
                    }
                }
                before += len / self.width;
                next_run(&mut first, &region.start, &region.extents, plan.run_axis);
            }
            if !next_box(&mut corner[folds.clone()], &block.extents[folds.clone()], &plan.boxes[folds.clone()]) {
                return;
            }
        }
    }
}
