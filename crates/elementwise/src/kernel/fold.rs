//! Reductions: a destination with a few accumulators for many elements.
//!
//! A run of an expression goes to its accumulators from memory: from that of the array, if the expression is no more than one, or else from a
//! short buffer, into which the one inner loop of the expression stores it. So a reduction adds no loop to an expression.

use super::source::{Block, Region, Run, Source};
use super::{Sink, Write, isa, next_box, next_run};
use crate::kernel::Isa;
use crate::plan::{Folding, LANES};
use crate::reduce::{Accumulator, Lanes, Place, Reduction};
use ndcore::{Axes, Dyn, Element, ViewMut};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// The elements of an expression that are computed at a time.
const PIECE: usize = 512;

/// Where a task gets the elements of its runs from, without the type of the expression.
pub trait Values<T> {
    /// Packs what has to be packed for the runs of a box.
    fn fetch(&mut self, region: &Region);

    /// The elements of a run, or a piece of one.
    fn values(&mut self, run: &Run<'_>) -> &[T];
}

/// A bound expression and a buffer for its elements.
pub struct Reader<S: Source> {
    source: S,
    isa: Isa,
    buffer: Vec<MaybeUninit<S::Elem>>,
}

impl<S: Source> Reader<S> {
    pub fn new(source: S, isa: Isa) -> Self {
        Reader { source, isa, buffer: Vec::new() }
    }
}

impl<S: Source> Values<S::Elem> for Reader<S> {
    fn fetch(&mut self, region: &Region) {
        self.source.fetch(region);
    }

    fn values(&mut self, run: &Run<'_>) -> &[S::Elem] {
        block_values(self.source.block(run), self.isa, run.len, &mut self.buffer)
    }
}

/// The elements of a block: as they lie, or else computed into the buffer.
#[inline]
pub fn block_values<'b, B: Block<Elem: Element> + 'b>(
    block: B,
    isa: Isa,
    len: usize,
    buffer: &'b mut Vec<MaybeUninit<B::Elem>>,
) -> &'b [B::Elem] {
    if let Some(values) = block.as_slice() {
        return values;
    }
    if buffer.len() < len {
        buffer.resize(len, MaybeUninit::uninit());
    }
    isa::run(isa, false, &Write, &mut buffer[..len], block);
    // SAFETY: the kernel stores every element of the slots it is given.
    unsafe { buffer[..len].assume_init_ref() }
}

/// Adds the elements of a run to accumulators: element `i` to lane `i % LANES` of accumulator `i / LANES`, and then those from the first one on
/// again.
struct Fold<'a, F> {
    op: &'a F,
    /// The number of the first element.
    from: usize,
}

impl<T: Element, F: Reduction<T>> Sink<T> for Fold<'_, F> {
    type Slot = Lanes<F, T>;

    fn blank(&self) -> Option<Self::Slot> {
        None
    }

    #[inline(always)]
    fn run<B: Block<Elem = T>>(&self, slots: &mut [Self::Slot], block: B, start: usize) {
        let Some(values) = block.as_slice() else { return };
        let (mut at, lane, count) = (self.from / LANES, self.from % LANES, slots.len());
        let mut values = &values[start..];
        if lane > 0 {
            let (head, rest) = values.split_at((LANES - lane).min(values.len()));
            add(self.op, &mut slots[at % count], head, lane, at / count);
            values = rest;
            at += 1;
        }
        let (whole, rest) = values.as_chunks::<LANES>();
        if let [slot] = slots {
            // In registers.
            let mut lanes = *slot;
            for values in whole {
                add_all(self.op, &mut lanes, values, at);
                at += 1;
            }
            *slot = lanes;
        } else {
            let (mut round, mut place) = (at / count, at % count);
            for values in whole {
                // By way of a copy: else accumulators that stay as they are are not stored at all, which takes longer.
                let mut lanes = slots[place];
                add_all(self.op, &mut lanes, values, round);
                slots[place] = lanes;
                place += 1;
                if place == count {
                    (place, round) = (0, round + 1);
                }
            }
            at += whole.len();
        }
        if !rest.is_empty() {
            add(self.op, &mut slots[at % count], rest, 0, at / count);
        }
    }
}

#[inline(always)]
fn add_all<T: Element, F: Reduction<T>>(op: &F, lanes: &mut Lanes<F, T>, values: &[T; LANES], round: usize) {
    for (i, &value) in values.iter().enumerate() {
        let lane = F::Acc::get(lanes, i);
        F::Acc::set(lanes, i, op.step(lane, value, round));
    }
}

#[inline(always)]
fn add<T: Element, F: Reduction<T>>(op: &F, lanes: &mut Lanes<F, T>, values: &[T], first: usize, round: usize) {
    for (i, &value) in values.iter().enumerate() {
        let lane = F::Acc::get(lanes, first + i);
        F::Acc::set(lanes, first + i, op.step(lane, value, round));
    }
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

/// Merges the accumulators of results that lie side by side, each over its lanes, by halves.
struct Merge<'a, F, T> {
    op: &'a F,
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

    fn blank(&self) -> Option<F::Total> {
        None
    }

    #[inline(always)]
    fn run<B: Block<Elem = Lanes<F, T>>>(&self, out: &mut [F::Total], block: B, start: usize) {
        let Some(slots) = block.as_slice() else { return };
        let lanes = self.len.min(LANES);
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
                let mut accs: [F::Acc; LANES] = std::array::from_fn(|number| lane_of(number % lanes, 0));
                halve!(lanes, |low, high| accs[low] = self.op.join(accs[low], accs[high]));
                *total = self.op.total(accs[0], whole(0));
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
pub fn fold_block<T: Element, F: Reduction<T>>(op: &F, isa: Isa, values: &[T]) -> F::Total {
    let mut slot = [op.start().spread()];
    isa::run(isa, false, &Fold { op, from: 0 }, &mut slot, values);
    let mut total = [op.total(op.start(), Place { first: 0, len: 0 })];
    let merge = Merge { op, len: values.len(), before: 0, step: 0, pitch: 1, elements: PhantomData };
    isa::run(isa, false, &merge, &mut total, &slot[..]);
    total[0]
}

/// Computes the totals of one part of the results: `out` is the part, in the order of the loops, with as many elements along loops that are folded as there
/// are blocks; `start` is the index where it begins. Returns the number of totals stored.
pub fn fold<T: Element, F: Reduction<T>, S: Slots<F::Total>>(
    values: &mut dyn Values<T>,
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
        let len = folds.clone().map(|axis| block.extents[axis]).product();
        // Rows of results that are not one run with the next begin at an accumulator.
        let pitch = if joined { width } else { width.next_multiple_of(LANES) };
        accumulators.clear();
        accumulators.resize((pitch * LANES.min(len)).div_ceil(LANES), op.start().spread());
        let mut to = Tile { op, isa, accumulators: &mut accumulators, width, pitch };
        to.take(values, folding, &block);
        totals.clear();
        totals.resize(width, op.total(op.start(), Place { first: 0, len: 0 }));
        let merge = Merge { op, len, before, step, pitch, elements: PhantomData };
        isa::run(isa, false, &merge, &mut totals, &accumulators[..]);
        let to = out.run_mut(&corner, width).expect("results lie side by side");
        for (slot, &total) in to.iter_mut().zip(&totals) {
            done += usize::from(slots.put(slot, total));
        }
        if !next_box(&mut corner, &shape, &tile) {
            return done;
        }
    }
}

/// Results that are computed side by side.
struct Tile<'a, F, L> {
    op: &'a F,
    isa: Isa,
    accumulators: &'a mut [L],
    width: usize,
    pitch: usize,
}

impl<F, L> Tile<'_, F, L> {
    /// Takes the elements of a block: box by box, run by run.
    fn take<T: Element>(&mut self, values: &mut dyn Values<T>, folding: &Folding, block: &Region)
    where
        F: Reduction<T, Acc: Accumulator<Lanes = L>>,
        L: Element,
    {
        let plan = &folding.plan;
        let piece = plan.piece.min(PIECE);
        let (mut corner, mut region) = (Axes::filled(0, block.extents.len()), *block);
        // Whole along the loops over results.
        let steps: Axes<usize> = (0..corner.len())
            .map(|axis| if folding.folds.contains(&axis) { plan.boxes[axis] } else { block.extents[axis] })
            .collect();
        // The number of elements before, of each result.
        let mut before = 0;
        loop {
            for axis in folding.folds.clone() {
                region.start[axis] = block.start[axis] + corner[axis];
                region.extents[axis] = plan.boxes[axis].min(block.extents[axis] - corner[axis]);
            }
            values.fetch(&region);
            let len: usize = region.extents[plan.run_axis..].iter().product();
            let runs: usize = region.extents[..plan.run_axis].iter().product();
            let mut first = region.start;
            for number in 0..runs {
                for from in (0..len).step_by(piece) {
                    let run = Run { start: &first, number, whole: len, from, len: piece.min(len - from) };
                    let fold = Fold { op: self.op, from: before * self.pitch + from };
                    isa::run(self.isa, false, &fold, self.accumulators, values.values(&run));
                }
                before += len / self.width;
                next_run(&mut first, &region.start, &region.extents, plan.run_axis);
            }
            if !next_box(&mut corner, &block.extents, &steps) {
                return;
            }
        }
    }
}
