//! Accumulators in memory, of any number of elements: elements are added to them ([`Folding`]), and
//! they become totals ([`finish`]). What the other kernels here do must have the same bits.

use super::ROUNDS;
use super::columns::merge_side_by_side;
use super::load::{each_lane, load, load_all, load_near, load_read, load_some_read};
use crate::kernel::isa::{Isa, Kernel};
use crate::kernel::{Block, Reads, Run, Source};
use crate::plan::LANES;
use crate::reduce::{Accumulator, Lanes, Place, Reduction, Totals};
use ndcore::Element;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::{Ordering, compiler_fence};

/// With results side by side, an accumulator takes the elements of so many rounds at a time, if a
/// run has as many: they lie in as many places of memory, each of which is read in its order.
const AT_ONCE: usize = 4;
/// And of so many where accumulators of more than these bytes lie in a second-level cache: what is
/// folded comes from farther away.
const AT_ONCE_FAR: usize = 2 * AT_ONCE;
const NEAR_BYTES: usize = 1 << 15;
const _: () = assert!(ROUNDS.is_multiple_of(AT_ONCE_FAR), "a stretch ends with some");

/// Adds the elements of a run to accumulators.
pub(super) struct Folding<'k, F, B> {
    pub(super) op: &'k F,
    pub(super) block: B,
    /// The place of the first element, as if lanes went on for ever, and the number of elements.
    pub(super) from: usize,
    pub(super) len: usize,
    /// Which stretch of rounds the accumulators hold, if stretches are joined: then the second half
    /// of the slots is what has come of those before.
    pub(super) stretch: Option<usize>,
}

impl<T: Element, F: Reduction<T>, B: Block<Elem = T>> Kernel for Folding<'_, F, B> {
    type Slot = Lanes<F, T>;
    of_block!();
}

impl<T: Element, F: Reduction<T>, B: Block<Elem = T>> Folding<'_, F, B> {
    #[inline(always)]
    fn fold<const PLAIN: bool>(&self, slots: &mut [Lanes<F, T>]) {
        assert!(self.len <= self.block.root_len(), "a block is as long as its run");
        let count = if self.stretch.is_some() { slots.len() / 2 } else { slots.len() };
        let (slots, joined) = slots.split_at_mut(count);
        let per = count * ROUNDS;
        let mut stretch = self.stretch.unwrap_or(0);
        // Joins what has come of a stretch to what came before it, once its rounds are over.
        macro_rules! turn_to {
            ($at:expr) => {
                if self.stretch.is_some() && $at / per != stretch {
                    stretch = $at / per;
                    for (joined, slot) in joined.iter_mut().zip(&mut *slots) {
                        join(self.op, joined, slot);
                        *slot = self.op.start().spread();
                    }
                }
            };
        }
        let (mut i, mut at, mut lane) = (0, self.from / LANES, self.from % LANES);
        if const { PLAIN } {
            while i < self.len {
                turn_to!(at);
                let some = (LANES - lane).min(self.len - i);
                let slot = &mut slots[at % count];
                // SAFETY: so many are left before the end of the block, at least one.
                unsafe { add::<T, F, B>(self.op, slot, self.block, i..i + some, lane, at / count) };
                (i, at, lane) = (i + some, at + 1, 0);
            }
            return;
        }
        turn_to!(at);
        if lane > 0 {
            let head = (LANES - lane).min(self.len);
            let slot = &mut slots[at % count];
            // SAFETY: `head` is at least 1, and at most the length, which is at most the block's.
            unsafe { add::<T, F, B>(self.op, slot, self.block, 0..head, lane, at / count) };
            (i, at) = (head, at + 1);
        }
        if count == 1 {
            // In registers.
            while self.len - i >= LANES {
                turn_to!(at);
                let mut rounds = (self.len - i) / LANES;
                if self.stretch.is_some() {
                    rounds = rounds.min(ROUNDS - at % ROUNDS);
                }
                let mut lanes = slots[0];
                for _ in 0..rounds {
                    // SAFETY: so many rounds are left before the end of the block.
                    unsafe { add_all::<T, F, B>(self.op, &mut lanes, self.block, i, at) };
                    // As for [one row](super::row).
                    compiler_fence(Ordering::SeqCst);
                    (i, at) = (i + LANES, at + 1);
                }
                slots[0] = lanes;
            }
        } else {
            let (mut round, mut place) = (at / count, at % count);
            // Several rounds of each accumulator, while it is in registers.
            let whole = count * LANES;
            while place == 0 && self.len - i >= 2 * whole {
                turn_to!(at);
                let mut rounds = ((self.len - i) / whole).min(AT_ONCE);
                if self.stretch.is_some() {
                    rounds = rounds.min(ROUNDS - round % ROUNDS);
                }
                for (place, slot) in slots.iter_mut().enumerate() {
                    let mut lanes = *slot;
                    for k in 0..rounds {
                        let start = i + k * whole + place * LANES;
                        // SAFETY: so many whole rounds are left before the end of the block.
                        unsafe {
                            add_apart::<T, F, B>(self.op, &mut lanes, self.block, start, round + k)
                        };
                    }
                    compiler_fence(Ordering::SeqCst);
                    *slot = lanes;
                }
                (i, at, round) = (i + rounds * whole, at + rounds * count, round + rounds);
            }
            while self.len - i >= LANES {
                if place == 0 {
                    turn_to!(at);
                }
                let mut lanes = slots[place];
                // SAFETY: a round is left before the end of the block.
                unsafe { add_all::<T, F, B>(self.op, &mut lanes, self.block, i, round) };
                // Costs nothing. Else the compiler stores only those accumulators of a maximum that
                // change, with instructions that take many times longer than to store all.
                compiler_fence(Ordering::SeqCst);
                slots[place] = lanes;
                (i, at, place) = (i + LANES, at + 1, place + 1);
                if place == count {
                    (place, round) = (0, round + 1);
                }
            }
        }
        if i < self.len {
            turn_to!(at);
            let _ = stretch;
            let slot = &mut slots[at % count];
            // SAFETY: some are left before the end of the block.
            unsafe { add::<T, F, B>(self.op, slot, self.block, i..self.len, 0, at / count) };
        }
    }
}

/// The stretch of the last element before that of this number, if there is one accumulator.
pub(super) fn stretch_before(from: usize) -> usize {
    from.saturating_sub(1) / (LANES * ROUNDS)
}

/// Adds rows of results side by side to accumulators: the same as one after the other by
/// [`Folding`], to the bit.
pub(super) struct FoldingRows<'k, F, B> {
    pub(super) op: &'k F,
    pub(super) block: B,
    /// The number of results, and whether each row is a run of the block; else one follows the
    /// other.
    pub(super) width: usize,
    pub(super) apart: bool,
    /// The number of the first row among those of the results, and how many there are.
    pub(super) first: usize,
    pub(super) count: usize,
    /// As [`Folding::stretch`].
    pub(super) stretch: Option<usize>,
}

impl<T: Element, F: Reduction<T>, B: Block<Elem = T>> Kernel for FoldingRows<'_, F, B> {
    type Slot = Lanes<F, T>;
    of_block!();
}

impl<T: Element, F: Reduction<T>, B: Block<Elem = T>> FoldingRows<'_, F, B> {
    #[inline(always)]
    fn fold<const PLAIN: bool>(&self, slots: &mut [Lanes<F, T>]) {
        let FoldingRows { op, block, width, apart, first, count, .. } = *self;
        let enough = if apart { count <= block.runs() } else { count * width <= block.root_len() };
        assert!(enough && width <= block.root_len(), "as many rows as are folded");
        let pitch = width.div_ceil(LANES);
        let halves = if self.stretch.is_some() { 2 } else { 1 };
        let (slots, joined) = slots.split_at_mut(slots.len() / halves);
        let mut stretch = self.stretch.unwrap_or(0);
        let at_once = if size_of_val(slots) > NEAR_BYTES { AT_ONCE_FAR } else { AT_ONCE };
        let mut row = 0;
        while row < count {
            let (lane, round) = ((first + row) % LANES, (first + row) / LANES);
            if self.stretch.is_some() && round / ROUNDS != stretch {
                stretch = round / ROUNDS;
                for (joined, slot) in joined.iter_mut().zip(&mut *slots) {
                    join(op, joined, slot);
                    *slot = op.start().spread();
                }
            }
            if const { PLAIN } {
                self.add_rows::<1>(&mut slots[lane * pitch..][..pitch], row, round);
                row += 1;
                continue;
            }
            // Several rounds of each accumulator, while it is in registers.
            let rounds = if lane == 0 { (count - row) / LANES } else { 0 };
            row += match rounds.min(at_once - round % at_once) {
                AT_ONCE_FAR.. => self.add_rounds::<AT_ONCE_FAR>(slots, row, round),
                AT_ONCE.. => self.add_rounds::<AT_ONCE>(slots, row, round),
                2.. => self.add_rounds::<2>(slots, row, round),
                _ => {
                    self.add_rows::<1>(&mut slots[lane * pitch..][..pitch], row, round);
                    1
                }
            };
        }
    }
}

impl<T: Element, F: Reduction<T>, B: Block<Elem = T>> FoldingRows<'_, F, B> {
    /// Adds the rows of `N` rounds to the accumulators of all lanes; returns how many they are.
    #[inline(always)]
    fn add_rounds<const N: usize>(
        &self,
        slots: &mut [Lanes<F, T>],
        row: usize,
        round: usize,
    ) -> usize {
        for (lane, slots) in slots.chunks_exact_mut(self.width.div_ceil(LANES)).enumerate() {
            self.add_rows::<N>(slots, row + lane, round);
        }
        N * LANES
    }

    /// Adds the rows of `N` rounds to the accumulators of a lane, from the row of this number on.
    #[inline(always)]
    fn add_rows<const N: usize>(&self, slots: &mut [Lanes<F, T>], row: usize, round: usize) {
        let FoldingRows { op, block, width, apart, .. } = *self;
        // The number of runs and of elements from a row to the next.
        let (runs, each) = if apart { (1, 0) } else { (0, width) };
        // What is read of them alone: a list of blocks would be in memory, and waited for.
        let rows: [(B::Reads, usize); N] = each_lane(
            #[inline(always)]
            |k| {
                let row = row + k * LANES;
                (block.run(row * runs).reads(), row * each)
            },
        );
        let (whole, rest) = slots.split_at_mut(width / LANES);
        for (place, slot) in whole.iter_mut().enumerate() {
            let mut lanes = *slot;
            for (k, &(row, start)) in rows.iter().enumerate() {
                // SAFETY: `place` is less than the whole vectors of a row, which is in the block.
                let values = unsafe { load_read(row, start + place * LANES) };
                step_all::<T, F>(op, &mut lanes, values, round + k);
                // Costs nothing. Else the compiler takes the same lane of several rounds of
                // integers, whose order it may change, and gathers them; and after the last round,
                // as in `Folding`.
                compiler_fence(Ordering::SeqCst);
            }
            *slot = lanes;
        }
        for slot in rest {
            for (k, &(row, start)) in rows.iter().enumerate() {
                let end = start + width;
                if last_is_whole(width) {
                    // SAFETY: there are as many elements as lanes before the end.
                    let values = unsafe { load_read(row, end - LANES) };
                    step_all::<T, F>(op, slot, values, round + k);
                } else {
                    let len = width % LANES;
                    // SAFETY: a slot that is not whole has the elements from here to the end.
                    let values = unsafe { load_some_read(row, end - len, len) };
                    step_some::<T, F>(op, slot, &values[..len], 0, round + k);
                }
            }
        }
    }
}

/// Whether the last accumulators of a row of so many results are those of its last results, as many
/// as lanes, of which some are others' too.
const fn last_is_whole(len: usize) -> bool {
    len > LANES && !len.is_multiple_of(LANES)
}

/// How many of the last accumulators of a row are of results that others are of, too.
pub(super) const fn twice(len: usize) -> usize {
    if last_is_whole(len) { LANES - len % LANES } else { 0 }
}

/// Adds the elements of a block from `start` on, one to each lane, and asks for those that are
/// reached soon, in the order of memory.
///
/// # Safety
/// As for [`add_apart`].
#[inline(always)]
pub(super) unsafe fn add_all<T: Element, F: Reduction<T>, B: Block<Elem = T>>(
    op: &F,
    lanes: &mut Lanes<F, T>,
    block: B,
    start: usize,
    round: usize,
) {
    let (from, at) = block.beginning_at(start);
    // SAFETY: the caller's promise.
    unsafe { add_near::<T, F, B>(op, lanes, from, at, round) };
}

/// As [`add_all`], from a place near the beginning on: see [`load_near`].
///
/// # Safety
/// There are as many elements from `start` on as lanes.
#[inline(always)]
pub(super) unsafe fn add_near<T: Element, F: Reduction<T>, B: Block<Elem = T>>(
    op: &F,
    lanes: &mut Lanes<F, T>,
    block: B,
    start: usize,
    round: usize,
) {
    block.reads().prefetch::<true>(start, LANES);
    // SAFETY: the caller's promise.
    step_all::<T, F>(op, lanes, unsafe { load_near(block, start) }, round);
}

/// The same of elements in one of several places that are read in turn: what is asked for in all of
/// them would push each other out of the nearest cache. (Sums along the first axis took 1.3 times
/// as long.)
///
/// # Safety
/// There are as many elements from `start` on as lanes.
#[inline(always)]
unsafe fn add_apart<T: Element, F: Reduction<T>, B: Block<Elem = T>>(
    op: &F,
    lanes: &mut Lanes<F, T>,
    block: B,
    start: usize,
    round: usize,
) {
    // SAFETY: the caller's promise.
    step_all::<T, F>(op, lanes, unsafe { load_all(block, start) }, round);
}

/// Adds as many elements as lanes, one to each.
#[inline(always)]
pub(super) fn step_all<T: Element, F: Reduction<T>>(
    op: &F,
    lanes: &mut Lanes<F, T>,
    values: [T; LANES],
    round: usize,
) {
    let mut lane = 0;
    // Counted by hand: in a debug build an iterator takes several calls for each element.
    while lane < LANES {
        let acc = F::Acc::get(lanes, lane);
        F::Acc::set(lanes, lane, op.step(acc, values[lane], round));
        lane += 1;
    }
}

/// Adds the elements of a range of a block, at most as many as there are lanes from `first` on.
///
/// # Safety
/// They are in the block, and there is at least one.
#[inline(always)]
pub(super) unsafe fn add<T: Element, F: Reduction<T>, B: Block<Elem = T>>(
    op: &F,
    lanes: &mut Lanes<F, T>,
    block: B,
    range: Range<usize>,
    first: usize,
    round: usize,
) {
    // SAFETY: the caller's promise.
    let values = unsafe { load(block, range.start, range.len()) };
    step_some::<T, F>(op, lanes, &values[..range.len()], first, round);
}

/// Adds some elements, one to each lane from `first` on.
#[inline(always)]
pub(super) fn step_some<T: Element, F: Reduction<T>>(
    op: &F,
    lanes: &mut Lanes<F, T>,
    values: &[T],
    first: usize,
    round: usize,
) {
    for (i, &value) in values.iter().enumerate() {
        let acc = F::Acc::get(lanes, first + i);
        F::Acc::set(lanes, first + i, op.step(acc, value, round));
    }
}

/// Joins accumulators with others, lane by lane.
#[inline(always)]
pub(super) fn join<T: Element, F: Reduction<T>>(op: &F, low: &mut Lanes<F, T>, high: &Lanes<F, T>) {
    for i in 0..LANES {
        let joined = op.join(F::Acc::get(low, i), F::Acc::get(high, i));
        F::Acc::set(low, i, joined);
    }
}

/// Puts the lanes of results together: the upper half of so many with the lower one, until one is
/// left; if the reduction joins, as accumulators.
struct Halving<'k, F, T> {
    op: &'k F,
    /// The number of lanes that hold something.
    lanes: usize,
    /// The number of results from one lane to the next.
    pitch: usize,
    elements: PhantomData<fn() -> T>,
}

impl<T: Element, F: Reduction<T>> Kernel for Halving<'_, F, T> {
    type Slot = Lanes<F, T>;
    type Held = ();
    const VECTORS: bool = !F::SELDOM;
    const WIDE: bool = super::is_wide::<T, F>();

    #[inline(always)]
    fn held(&self) {}

    #[inline(always)]
    fn run(&self, (): (), slots: &mut [Self::Slot], _: usize) {
        if let ([slot], 1) = (&mut *slots, self.pitch) {
            return halve_lanes(self.op, slot);
        }
        for half in [8, 4, 2, 1] {
            self.halve(slots, half);
        }
    }
}

impl<T: Element, F: Reduction<T>> Halving<'_, F, T> {
    #[inline(always)]
    fn halve(&self, slots: &mut [Lanes<F, T>], half: usize) {
        if self.lanes <= half {
            return;
        }
        let shift = half * self.pitch;
        let count = (self.lanes - half).min(half) * self.pitch;
        if shift.is_multiple_of(LANES) {
            let (low, high) = slots.split_at_mut(shift / LANES);
            for (low, high) in low.iter_mut().zip(&*high).take(count.div_ceil(LANES)) {
                join(self.op, low, high);
            }
            return;
        }
        for i in 0..count {
            let high = lane_of::<F, T>(slots, i + shift);
            let joined = self.op.join(lane_of::<F, T>(slots, i), high);
            F::Acc::set(&mut slots[i / LANES], i % LANES, joined);
        }
    }
}

#[inline(always)]
fn lane_of<F: Reduction<T>, T: Element>(slots: &[Lanes<F, T>], i: usize) -> F::Acc {
    F::Acc::get(&slots[i / LANES], i % LANES)
}

/// Makes the totals of results from their accumulators.
struct Totalling<'k, F: Reduction<T>, T: Element> {
    op: &'k F,
    slots: &'k [Lanes<F, T>],
    lanes: usize,
    pitch: usize,
    /// Where the first result is among those of a lane.
    from: usize,
    /// The number of elements of each result, and of those before them.
    len: usize,
    before: usize,
    /// How much later those of each next result come.
    step: usize,
}

impl<T: Element, F: Reduction<T>> Kernel for Totalling<'_, F, T> {
    type Slot = F::Total;
    type Held = ();
    const VECTORS: bool = !F::SELDOM;
    const WIDE: bool = super::is_wide::<T, F>();

    #[inline(always)]
    fn held(&self) {}

    #[inline(always)]
    fn run(&self, (): (), totals: &mut [F::Total], _: usize) {
        self.make::<{ super::PLAIN }>(totals);
    }

    #[inline(always)]
    fn run_wide(&self, (): (), totals: &mut [F::Total], _: usize) {
        self.make::<false>(totals);
    }
}

impl<T: Element, F: Reduction<T>> Totalling<'_, F, T> {
    #[inline(always)]
    fn make<const PLAIN: bool>(&self, totals: &mut [F::Total]) {
        if F::JOINS {
            // Those of a slot at a time, for the sake of vectors.
            let (mut rest, mut at, mut before) = (totals, self.from, self.before);
            while !rest.is_empty() {
                let (slot, lane) = (&self.slots[at / LANES], at % LANES);
                let (some, others) = rest.split_at_mut((LANES - lane).min(rest.len()));
                if some.len() == LANES {
                    self.of_slot(slot, 0, before, some);
                } else {
                    self.of_slot(slot, lane, before, some);
                }
                (at, before) = (at + some.len(), before + some.len() * self.step);
                rest = others;
            }
            return;
        }
        let mut done = 0;
        if const { !PLAIN } && self.pitch.is_multiple_of(LANES) && self.from.is_multiple_of(LANES) {
            for (number, totals) in totals.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
                let before = self.before + number * LANES * self.step;
                *totals = merge_side_by_side::<T, F>(
                    self.op,
                    (self.len, before, self.step),
                    #[inline(always)]
                    |lane| self.slots[(lane * self.pitch + self.from) / LANES + number],
                );
                done += LANES;
            }
        }
        for (r, total) in totals.iter_mut().enumerate().skip(done) {
            let first = self.before + r * self.step;
            // The totals of the lanes, merged by halves.
            let of = |lane: usize| {
                let place = Place::lane(first + lane, (self.len - lane).div_ceil(LANES));
                let at = lane * self.pitch + self.from + r;
                self.op.total(lane_of::<F, T>(self.slots, at), place)
            };
            let mut all = of(0).spread();
            for lane in 1..self.lanes {
                F::Total::set(&mut all, lane, of(lane));
            }
            *total = merge_lanes(self.op, &mut all, self.lanes);
        }
    }

    /// The totals of a slot's lanes from one on.
    #[inline(always)]
    fn of_slot(&self, slot: &Lanes<F, T>, lane: usize, before: usize, totals: &mut [F::Total]) {
        for (i, total) in totals.iter_mut().enumerate().take(LANES) {
            let place = Place::lane(before + i * self.step, self.len);
            *total = self.op.total(F::Acc::get(slot, lane + i), place);
        }
    }
}

/// Merges the upper half of so many totals with the lower one, until one is left.
#[inline(always)]
pub(super) fn merge_lanes<T: Element, F: Reduction<T>>(
    op: &F,
    totals: &mut Totals<F, T>,
    lanes: usize,
) -> F::Total {
    macro_rules! halve {
        ($lanes:ident: $($half:literal)*) => {$(
            for low in 0..$half.min($lanes.saturating_sub($half)) {
                let high = F::Total::get(totals, low + $half);
                F::Total::set(totals, low, op.merge(F::Total::get(totals, low), high));
            }
        )*};
    }
    // If there is one of each lane, without loops, which take longer.
    if lanes == LANES {
        halve!(LANES: 8 4 2 1);
    } else {
        halve!(lanes: 8 4 2 1);
    }
    F::Total::get(totals, 0)
}

/// Joins the upper half of the lanes of one accumulator with the lower one, until one is left.
/// Lanes that hold nothing are what changes nothing.
#[inline(always)]
pub(super) fn halve_lanes<T: Element, F: Reduction<T>>(op: &F, lanes: &mut Lanes<F, T>) {
    // All lanes each time, so that they stay in registers; what becomes of the upper ones does not
    // matter.
    macro_rules! halve {
        ($($half:literal)*) => {$(
            let mut upper = *lanes;
            for i in 0..LANES {
                F::Acc::set(&mut upper, i, F::Acc::get(lanes, (i + $half) % LANES));
            }
            join(op, lanes, &upper);
        )*};
    }
    halve!(8 4 2 1);
}

/// Where the accumulators of some results are, and which elements they have taken.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shape {
    pub(super) lanes: usize,
    pub(super) pitch: usize,
    pub(super) len: usize,
    pub(super) before: usize,
    pub(super) step: usize,
    /// How many results before the end of a lane are others' too: see [`last_is_whole`].
    pub(super) twice: usize,
}

/// The total of a block of a source that is one run of `whole` elements: so many from this one on,
/// read piece by piece. The same as of all at once, to the bit.
pub fn fold_pieces<S: Source, F: Reduction<S::Elem>>(
    op: &F,
    isa: Isa,
    source: &mut S,
    whole: usize,
    (first, len): (usize, usize),
    piece: usize,
) -> F::Total {
    let stretched = F::JOINS && len > LANES * ROUNDS;
    let mut slots = [op.start().spread(); 2];
    let slots = &mut slots[..1 + usize::from(stretched)];
    for from in (0..len).step_by(piece) {
        let run = Run::part(first + from, piece.min(len - from), whole);
        let stretch = stretched.then_some(stretch_before(from));
        let block = source.root(&run);
        isa.dispatch(&Folding { op, block, from, len: run.len, stretch }, slots);
    }
    let lanes = len.min(LANES);
    let shape = Shape { lanes, pitch: 1, len, before: first, ..Shape::default() };
    let mut total = [op.total(op.start(), Place::lane(0, 0))];
    finish(op, isa, slots, stretched, shape, &mut total);
    total[0]
}

/// From accumulators to totals.
#[inline]
pub(super) fn finish<T: Element, F: Reduction<T>>(
    op: &F,
    isa: Isa,
    slots: &mut [Lanes<F, T>],
    stretched: bool,
    Shape { lanes, pitch, len, before, step, twice }: Shape,
    totals: &mut [F::Total],
) {
    let mut slots = slots;
    if stretched {
        let (last, joined) = slots.split_at_mut(slots.len() / 2);
        for (joined, last) in joined.iter_mut().zip(last) {
            join(op, joined, last);
        }
        slots = joined;
    }
    if F::JOINS {
        isa.dispatch(&Halving { op, lanes, pitch, elements: PhantomData }, slots);
    }
    let of = |from: usize, before: usize, totals: &mut [F::Total]| {
        isa.dispatch(&Totalling { op, slots, lanes, pitch, from, len, before, step }, totals);
    };
    if twice == 0 {
        return of(0, before, totals);
    }
    let (totals, last) = totals.split_at_mut(totals.len() / LANES * LANES);
    of(0, before, totals);
    of(totals.len() + twice, before + totals.len() * step, last);
}
