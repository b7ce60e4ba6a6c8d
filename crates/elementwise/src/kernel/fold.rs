//! The sink of a reduction: a few accumulators for many elements.
//!
//! Element `i` of a result's block goes to lane `i % LANES` of its accumulator; with results side
//! by side, all accumulators of a tile lie in one list, lane by lane, so that a row of results is a
//! run of neighbours in it: the element of result `r` with number `i` has place `(i % LANES) *
//! pitch + r`.

use super::isa::{Isa, Kernel};
use super::walk::{Region, Run, Sink};
use super::{Block, Source};
use crate::plan::{LANES, Plan};
use crate::reduce::{Accumulator, Lanes, Place, Reduction, Totals};
use bcast::Error;
use ndcore::{Element, Extents, Filled, Packed, Part};
use std::hint::black_box;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::{Ordering, compiler_fence};

/// If a reduction joins, a lane takes so many elements, in as many rounds, before what has come of
/// them is joined to what came before: rounding errors then grow with the rounds and with the
/// joins, not with their product, and the sums of several such stretches do not wait for each
/// other.
const ROUNDS: usize = 16;

/// With results side by side, an accumulator takes the elements of so many rounds at a time, if a
/// run has as many: they lie in as many places of memory, each of which is read in its order.
const AT_ONCE: usize = 8;

/// What becomes of totals: the slots of the result, or of the totals of the blocks.
pub trait Slots<Total>: Sync {
    /// What lies in the output's memory.
    type Slot: Element;

    /// Stores a total; false if it could not be.
    fn put(&self, slot: &mut Self::Slot, total: Total) -> bool;

    /// Why one could not be.
    fn failure(&self) -> Error {
        unreachable!("every total can be stored as it is")
    }
}

/// Adds the elements of a run to accumulators.
struct Folding<'k, F, B> {
    op: &'k F,
    block: B,
    /// The place of the first element, as if lanes went on for ever, and the number of elements.
    from: usize,
    len: usize,
    /// Which stretch of rounds the accumulators hold, if stretches are joined: then the second half
    /// of the slots is what has come of those before.
    stretch: Option<usize>,
}

impl<T: Element, F: Reduction<T>, B: Block<Elem = T>> Kernel for Folding<'_, F, B> {
    type Slot = Lanes<F, T>;

    #[inline(always)]
    fn run(&self, slots: &mut [Self::Slot], _: usize) {
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
        let (mut i, mut at, lane) = (0, self.from / LANES, self.from % LANES);
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
                            add_all::<T, F, B>(self.op, &mut lanes, self.block, start, round + k)
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

/// Adds the elements of a block from `start` on, one to each lane.
///
/// # Safety
/// There are as many elements from `start` on as lanes.
#[inline(always)]
unsafe fn add_all<T: Element, F: Reduction<T>, B: Block<Elem = T>>(
    op: &F,
    lanes: &mut Lanes<F, T>,
    block: B,
    start: usize,
    round: usize,
) {
    // SAFETY: the caller's promise.
    step_all::<T, F>(op, lanes, unsafe { load_all(block, start) }, round);
}

/// As many elements of a block from `start` on as lanes.
///
/// # Safety
/// There are as many.
#[inline(always)]
unsafe fn load_all<B: Block<Elem: Element>>(block: B, start: usize) -> [B::Elem; LANES] {
    let mut usual = true;
    // Not as [`load`]: without the first element, the others would be no whole vectors.
    let mut values = std::array::from_fn(
        #[inline(always)]
        |lane| {
            // SAFETY: the caller's promise.
            let (element, now) = unsafe { block.root::<true>(start + lane) };
            usual &= now;
            element
        },
    );
    if B::RARE && !usual {
        // SAFETY: the caller's promise.
        values = unsafe { load::<LANES, false, B>(block, start, LANES) }.0;
    }
    values
}

/// Adds as many elements as lanes, one to each.
#[inline(always)]
fn step_all<T: Element, F: Reduction<T>>(
    op: &F,
    lanes: &mut Lanes<F, T>,
    values: [T; LANES],
    round: usize,
) {
    for (lane, value) in values.into_iter().enumerate() {
        let acc = F::Acc::get(lanes, lane);
        F::Acc::set(lanes, lane, op.step(acc, value, round));
    }
}

/// Elements of the block from `start` on, `stride` apart.
///
/// # Safety
/// They are in the block, as many as lanes.
#[inline(always)]
unsafe fn load_apart<B: Block<Elem: Element>>(
    block: B,
    start: usize,
    stride: usize,
) -> [B::Elem; LANES] {
    // SAFETY: the caller's promise.
    let mut values = [unsafe { block.root::<false>(start) }.0; LANES];
    for (row, value) in values.iter_mut().enumerate().skip(1) {
        // SAFETY: the caller's promise: `row` is less than the number of lanes.
        *value = unsafe { block.root::<false>(start + row * stride) }.0;
    }
    values
}

/// The `len` elements of a block from `start` on, at most as many as lanes, and the last of them
/// where there is none: without a list in memory, which would be waited for.
///
/// # Safety
/// They are in the block, and there is at least one.
#[inline(always)]
unsafe fn load_some<B: Block<Elem: Element>>(
    block: B,
    start: usize,
    len: usize,
) -> [B::Elem; LANES] {
    std::array::from_fn(
        #[inline(always)]
        |lane| {
            // SAFETY: the caller's promise.
            unsafe { block.root::<false>(start + lane.min(len - 1)) }.0
        },
    )
}

/// Adds the elements of a range of a block, fewer than lanes, from lane `first` on.
///
/// # Safety
/// They are in the block, and there is at least one.
#[inline(always)]
unsafe fn add<T: Element, F: Reduction<T>, B: Block<Elem = T>>(
    op: &F,
    lanes: &mut Lanes<F, T>,
    block: B,
    range: Range<usize>,
    first: usize,
    round: usize,
) {
    // SAFETY: the caller's promise.
    let values = unsafe { load::<LANES, false, B>(block, range.start, range.len()) }.0;
    for (i, &value) in values[..range.len()].iter().enumerate() {
        let acc = F::Acc::get(lanes, first + i);
        F::Acc::set(lanes, first + i, op.step(acc, value, round));
    }
}

/// The `len` elements of the block from `start` on, from 1 to `N`, and whether they may be
/// used if they are taken to be `USUAL`.
///
/// # Safety
/// They are in the block, and there is at least one.
#[inline(always)]
unsafe fn load<const N: usize, const USUAL: bool, B: Block<Elem: Element>>(
    block: B,
    start: usize,
    len: usize,
) -> ([B::Elem; N], bool) {
    // SAFETY: the caller's promise: there is at least one.
    let (first, mut usual) = unsafe { block.root::<USUAL>(start) };
    let mut values = [first; N];
    for (lane, value) in values.iter_mut().enumerate().take(len).skip(1) {
        // SAFETY: the caller's promise: there are `len`, and `lane` is less.
        let (element, now) = unsafe { block.root::<USUAL>(start + lane) };
        *value = element;
        usual &= now;
    }
    (values, usual)
}

/// Joins accumulators with others, lane by lane.
#[inline(always)]
fn join<T: Element, F: Reduction<T>>(op: &F, low: &mut Lanes<F, T>, high: &Lanes<F, T>) {
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

    #[inline(always)]
    fn run(&self, slots: &mut [Self::Slot], _: usize) {
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
    /// The number of elements of each result, and of those before them.
    len: usize,
    before: usize,
    /// How much later those of each next result come.
    step: usize,
}

impl<T: Element, F: Reduction<T>> Kernel for Totalling<'_, F, T> {
    type Slot = F::Total;

    #[inline(always)]
    fn run(&self, totals: &mut [F::Total], start: usize) {
        for (r, total) in totals.iter_mut().enumerate() {
            let (r, first) = (start + r, self.before + (start + r) * self.step);
            if F::JOINS {
                let acc = lane_of::<F, T>(self.slots, r);
                *total = self.op.total(acc, Place::lane(first, self.len));
                continue;
            }
            // The totals of the lanes, merged by halves.
            let of = |lane: usize| {
                let place = Place::lane(first + lane, (self.len - lane).div_ceil(LANES));
                self.op.total(lane_of::<F, T>(self.slots, lane * self.pitch + r), place)
            };
            let mut all = of(0).spread();
            for lane in 1..self.lanes {
                F::Total::set(&mut all, lane, of(lane));
            }
            *total = merge_lanes(self.op, &mut all, self.lanes);
        }
    }
}

/// Merges the upper half of so many totals with the lower one, until one is left.
#[inline(always)]
fn merge_lanes<T: Element, F: Reduction<T>>(
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

/// Folds whole blocks that lie one after the other, each into its total, in registers: the same as
/// by [`Folding`], [`Halving`] and [`Totalling`], to the bit.
struct Rows<'k, F, B> {
    op: &'k F,
    block: B,
    /// The first element.
    from: usize,
    /// The number of elements of each block, and of all of them: the last may have fewer.
    len: usize,
    all: usize,
    /// The number of the first element among those of its result, and the blocks that a result has.
    before: usize,
    per_result: usize,
}

impl<T: Element, F: Reduction<T>, B: Block<Elem = T>> Kernel for Rows<'_, F, B> {
    type Slot = F::Total;

    #[inline(always)]
    fn run(&self, totals: &mut [F::Total], _: usize) {
        assert_eq!(totals.len(), self.all.div_ceil(self.len), "whole blocks");
        let mut row = 0;
        // One that is shorter than the others is left to the end.
        let whole = self.all / self.len;
        // Some rows may be folded twice: not so of what shows.
        let side_by_side = goes_side_by_side::<T, F, B>(self.len);
        if side_by_side && whole >= LANES && self.per_result == 1 {
            assert!(self.from + self.all <= self.block.root_len(), "a block is as long as its run");
            while row < whole {
                // The last ones once more, if there are not as many left.
                row = row.min(whole - LANES);
                let start = self.from + row * self.len;
                let some = fold_side_by_side(
                    self.op,
                    self.len,
                    self.before,
                    #[inline(always)]
                    |i| {
                        // SAFETY: as many rows follow within `all`, which is in the block; `i` is
                        // less than the length of a row.
                        unsafe { load_apart(self.block, start + i, self.len) }
                    },
                );
                totals[row..row + LANES].copy_from_slice(&some);
                row += LANES;
            }
        }
        self.each(
            totals,
            row,
            #[inline(always)]
            |start, place| total_of_row::<T, F, B>(self.op, self.block, start, place),
        );
    }
}

/// Rows of fewer elements than two rounds are folded side by side: the accumulators of one lane of
/// as many rows as there are lanes lie together, so that what comes after the elements, which for
/// short rows is most of the work, is done for all of them at a time. Not so if accumulators are
/// joined by something as simple as an addition, unless rows are very short: then each row is in
/// vectors by itself. What gains little is not compiled twice.
#[inline(always)]
const fn goes_side_by_side<T: Element, F: Reduction<T>, B: Block<Elem = T>>(len: usize) -> bool {
    B::PURE && !B::RARE && len < 2 * LANES && !(joins_simply::<T, F>() && len > FEW_OF_SUM)
}

/// The most elements of a row that do not fill vectors of their own.
const FEW_OF_SUM: usize = 4;

/// Whether accumulators are joined by something as simple as an addition, which the compiler does
/// by vectors wherever they are.
const fn joins_simply<T: Element, F: Reduction<T>>() -> bool {
    F::JOINS && F::COST == 1
}

impl<T: Element, F: Reduction<T>, B: Block<Elem = T>> Rows<'_, F, B> {
    /// Calls a function with the first element of each row from the given one on, and its place
    /// among those of its result, for its total.
    #[inline(always)]
    fn each(
        &self,
        totals: &mut [F::Total],
        from: usize,
        total_of: impl Fn(usize, Place) -> F::Total,
    ) {
        let mut turn = 0;
        for (row, total) in totals.iter_mut().enumerate().skip(from) {
            let start = row * self.len;
            let len = self.len.min(self.all - start);
            *total = total_of(self.from + start, Place::lane(self.before + turn * self.len, len));
            turn = if turn + 1 == self.per_result { 0 } else { turn + 1 };
        }
    }
}

/// The totals of as many results side by side as lanes, of so many elements each, of which `load`
/// gives those with one number: the accumulators of one lane of all of them lie together, so
/// that what comes after the elements, which for few elements is most of the work, is done for all
/// of them at a time. The same as one by one, to the bit.
#[inline(always)]
fn fold_side_by_side<T: Element, F: Reduction<T>>(
    op: &F,
    len: usize,
    before: usize,
    load: impl Fn(usize) -> [T; LANES],
) -> [F::Total; LANES] {
    if F::EXACT || F::JOINS {
        let (accs, place) = if F::EXACT {
            (taken(op, len, &load, 0, 1), Place { first: before, len, step: 1 })
        } else {
            let joined = by_halves(
                len,
                op.start().spread(),
                #[inline(always)]
                |lane| taken(op, len, &load, lane, LANES),
                #[inline(always)]
                |mut low, high| {
                    join(op, &mut low, &high);
                    low
                },
            );
            (joined, Place::lane(before, len))
        };
        return std::array::from_fn(
            #[inline(always)]
            |result| op.total(F::Acc::get(&accs, result), place),
        );
    }
    let nothing = op.total(op.start(), Place::lane(0, 0));
    let mut totals = [nothing.spread(); LANES];
    for (lane, totals) in totals.iter_mut().enumerate().take(len) {
        let accs = taken(op, len, &load, lane, LANES);
        let place = Place::lane(before + lane, (len - lane).div_ceil(LANES));
        for result in 0..LANES {
            F::Total::set(totals, result, op.total(F::Acc::get(&accs, result), place));
        }
    }
    for half in [8, 4, 2, 1] {
        let (low, high) = totals.split_at_mut(half);
        for (low, high) in low.iter_mut().zip(&*high).take(len.saturating_sub(half)) {
            for result in 0..LANES {
                let (a, b) = (F::Total::get(low, result), F::Total::get(high, result));
                F::Total::set(low, result, op.merge(a, b));
            }
        }
    }
    std::array::from_fn(
        #[inline(always)]
        |result| F::Total::get(&totals[0], result),
    )
}

/// What one accumulator for each result side by side has taken: the elements from `first` on, so
/// many apart.
#[inline(always)]
fn taken<T: Element, F: Reduction<T>>(
    op: &F,
    len: usize,
    load: &impl Fn(usize) -> [T; LANES],
    first: usize,
    step: usize,
) -> Lanes<F, T> {
    let (mut accs, mut i, mut round) = (op.start().spread(), first, 0);
    while i < len {
        step_all::<T, F>(op, &mut accs, load(i), round);
        (i, round) = (i + step, round + 1);
    }
    accs
}

/// What all lanes that hold something have come to, of `len` elements: the upper half of them with
/// the lower one, until one is left. Each lane is asked for when it is needed, so that few are held
/// at a time.
#[inline(always)]
fn by_halves<X: Copy>(
    len: usize,
    nothing: X,
    of_lane: impl Fn(usize) -> X,
    joined: impl Fn(X, X) -> X,
) -> X {
    // Held in a list, they would be waited for.
    let (mut all, mut half) = (nothing, nothing);
    for number in 0..4 {
        let lane = number >> 1 | (number & 1) << 1;
        if lane < len {
            let mut quarter = of_lane(lane);
            if lane + 8 < len {
                quarter = joined(quarter, of_lane(lane + 8));
            }
            if lane + 4 < len {
                let mut other = of_lane(lane + 4);
                if lane + 12 < len {
                    other = joined(other, of_lane(lane + 12));
                }
                quarter = joined(quarter, other);
            }
            half = if lane < 2 { quarter } else { joined(half, quarter) };
        }
        if number == 1 {
            all = half;
        }
    }
    if len > 1 { joined(all, half) } else { all }
}

/// Folds the columns of few rows, so many at a time, of one matrix after the other: the same as by
/// [`Folding`], [`Halving`] and [`Totalling`], to the bit, but with little to set up.
struct Columns<'k, F, B> {
    op: &'k F,
    block: B,
    /// The number of rows, at most those of a stretch, and of columns.
    len: usize,
    columns: usize,
}

impl<T: Element, F: Reduction<T>, B: Block<Elem = T>> Kernel for Columns<'_, F, B> {
    type Slot = F::Total;

    #[inline(always)]
    fn run(&self, totals: &mut [F::Total], _: usize) {
        let columns = self.columns;
        assert!(columns > 0 && totals.len().is_multiple_of(columns), "whole rows of results");
        assert!(self.len * totals.len() <= self.block.root_len(), "all rows");
        for (number, totals) in totals.chunks_exact_mut(columns).enumerate() {
            let first = number * self.len * columns;
            let mut column = 0;
            while column < columns {
                // The last ones once more, if there are not as many left; but not of what shows.
                if B::PURE && columns >= LANES {
                    column = column.min(columns - LANES);
                }
                let some = (columns - column).min(LANES);
                // Each by itself: with a choice in the loop, the compiler uses no vectors.
                let all = if some == LANES {
                    fold_side_by_side(
                        self.op,
                        self.len,
                        0,
                        #[inline(always)]
                        |row| {
                            // SAFETY: so many columns are left, of a row that is in the block.
                            unsafe { load_all(self.block, first + row * columns + column) }
                        },
                    )
                } else {
                    fold_side_by_side(
                        self.op,
                        self.len,
                        0,
                        #[inline(always)]
                        |row| {
                            let start = first + row * columns + column;
                            // SAFETY: as above.
                            unsafe {
                                // What shows is computed once.
                                match B::PURE {
                                    true => load_some(self.block, start, some),
                                    false => load::<LANES, false, B>(self.block, start, some).0,
                                }
                            }
                        },
                    )
                };
                totals[column..column + some].copy_from_slice(&all[..some]);
                column += some;
            }
        }
    }
}

/// The total of the `place.len` elements of a block from `start` on, which are one block of the
/// reduction.
#[inline(always)]
fn total_of_row<T: Element, F: Reduction<T>, B: Block<Elem = T>>(
    op: &F,
    block: B,
    start: usize,
    place: Place,
) -> F::Total {
    let end = start + place.len;
    assert!(place.len > 0 && end <= block.root_len(), "a block is as long as its run");
    if F::JOINS {
        // SAFETY: as just checked, there are so many.
        return op.total(unsafe { acc_of_row(op, block, start, place.len) }, place);
    }
    if F::EXACT && place.len < 2 * LANES {
        // SAFETY: as just checked, there are so many.
        return unsafe { exact_total_of_few(op, block, start, place) };
    }
    if place.len <= LANES / 2 {
        // Each has a lane by itself: the others take no time.
        let of = |lane: usize| {
            // SAFETY: as just checked, there are so many.
            let value = unsafe { block.root::<false>(start + lane) }.0;
            op.total(op.step(op.start(), value, 0), Place::lane(place.first + lane, 1))
        };
        return by_halves(place.len, of(0), of, |low, high| op.merge(low, high));
    }
    let (mut lanes, mut i, mut round) = (op.start().spread(), start, 0);
    while end - i >= LANES {
        // SAFETY: a round is left before the end, which is in the block.
        unsafe { add_all::<T, F, B>(op, &mut lanes, block, i, round) };
        (i, round) = (i + LANES, round + 1);
    }
    if i < end {
        // SAFETY: some are left before the end, which is in the block.
        unsafe { add::<T, F, B>(op, &mut lanes, block, i..end, 0, round) };
    }
    let filled = place.len.min(LANES);
    let of = |lane: usize| {
        let place = Place::lane(place.first + lane, (place.len - lane).div_ceil(LANES));
        op.total(F::Acc::get(&lanes, lane), place)
    };
    let mut totals = of(0).spread();
    for lane in 1..filled {
        F::Total::set(&mut totals, lane, of(lane));
    }
    merge_lanes(op, &mut totals, filled)
}

/// The total of few elements of a block from `start` on, of a reduction that is exact: by as few
/// accumulators as are not waited for, of which each is a total before all are merged.
///
/// # Safety
/// They are in the block, and there is at least one.
#[inline(always)]
unsafe fn exact_total_of_few<T: Element, F: Reduction<T>, B: Block<Elem = T>>(
    op: &F,
    block: B,
    start: usize,
    place: Place,
) -> F::Total {
    const N: usize = 4;
    // SAFETY: the caller's promise, if `i` is less than the number of elements.
    let at = |i: usize| unsafe { block.root::<false>(start + i) }.0;
    let mut accs = [op.start(); N];
    let (mut i, mut round) = (0, 0);
    while place.len - i >= N {
        for (k, acc) in accs.iter_mut().enumerate() {
            *acc = op.step(*acc, at(i + k), round);
        }
        (i, round) = (i + N, round + 1);
    }
    for (k, acc) in accs.iter_mut().enumerate().take(N - 1) {
        if i + k < place.len {
            *acc = op.step(*acc, at(i + k), round);
        }
    }
    let of = |k: usize| {
        let len = (place.len - k).div_ceil(N);
        op.total(accs[k], Place { first: place.first + k, len, step: N })
    };
    let mut total = of(0);
    for k in 1..N {
        if k < place.len {
            total = op.merge(total, of(k));
        }
    }
    total
}

/// What becomes of `len` elements of a block from `start` on, which are one block of a reduction
/// that joins.
///
/// # Safety
/// They are in the block, and there is at least one.
#[inline(always)]
unsafe fn acc_of_row<B: Block<Elem: Element>, F: Reduction<B::Elem>>(
    op: &F,
    block: B,
    start: usize,
    len: usize,
) -> F::Acc {
    const STRETCH: usize = LANES * ROUNDS;
    if len <= STRETCH {
        // SAFETY: the caller's promise.
        return unsafe { acc_of_stretch(op, block, start, len) };
    }
    let (end, mut i, mut round) = (start + len, start, 0);
    // Whole stretches by a loop of its own, whose length the compiler knows: so they do not wait for
    // each other.
    let mut joined = op.start().spread();
    while end - i >= STRETCH {
        let mut stretch = op.start().spread();
        for k in 0..ROUNDS {
            // SAFETY: the caller's promise: so many rounds are left.
            unsafe { add_all::<B::Elem, F, B>(op, &mut stretch, block, i + k * LANES, round + k) };
        }
        (i, round) = (i + STRETCH, round + ROUNDS);
        join(op, &mut joined, &stretch);
    }
    // Through memory: see `lanes_of`.
    joined = black_box(&mut Aligned(joined)).0;
    if i < end {
        // SAFETY: as above: there are some.
        let lanes = unsafe { lanes_of::<LANES, 4, true, B, F>(op, block, i, end - i, round) };
        for (i, &lane) in lanes.iter().enumerate() {
            let low = F::Acc::get(&joined, i);
            F::Acc::set(&mut joined, i, op.join(low, lane));
        }
    }
    let mut lanes = [op.start(); LANES];
    for (i, lane) in lanes.iter_mut().enumerate() {
        *lane = F::Acc::get(&joined, i);
    }
    join_all(op, lanes)
}

/// At the beginning of a cache line: what is stored by vectors across two lines is not read back at
/// once.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Aligned<T>(T);

/// Joins the upper half of the lanes of one accumulator with the lower one, until one is left.
/// Lanes that hold nothing are what changes nothing.
#[inline(always)]
fn halve_lanes<T: Element, F: Reduction<T>>(op: &F, lanes: &mut Lanes<F, T>) {
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

/// The total of few elements of a block, which are one block of a reduction that joins: the same as
/// by [`Fold`], to the bit. Without a choice of the instruction set, which would take longer.
#[inline(always)]
pub fn fold_few<B: Block<Elem: Element>, F: Reduction<B::Elem>>(
    op: &F,
    block: B,
    len: usize,
) -> F::Total {
    assert!(F::JOINS && (1..=MOST_FEW).contains(&len), "few elements");
    assert!(len <= block.root_len(), "a block is as long as its run");
    // SAFETY: as just checked.
    let acc = unsafe { acc_of_stretch(op, block, 0, len) };
    op.total(acc, Place::lane(0, len))
}

/// So many elements take less time than the choice of an instruction set.
pub const MOST_FEW: usize = 4 * LANES;

/// What becomes of `len` elements of a block from `start` on, of as many rounds as are not joined
/// with others.
///
/// # Safety
/// They are in the block, and there is at least one.
#[inline(always)]
unsafe fn acc_of_stretch<B: Block<Elem: Element>, F: Reduction<B::Elem>>(
    op: &F,
    block: B,
    start: usize,
    len: usize,
) -> F::Acc {
    macro_rules! fold {
        ($n:literal, $group:literal, $long:literal) => {
            // SAFETY: the caller's promise.
            join_all(op, unsafe { lanes_of::<$n, $group, $long, B, F>(op, block, start, len, 0) })
        };
    }
    // Fewer lanes, if the others would hold nothing.
    match len {
        0..=2 => fold!(2, 2, false),
        3..=4 => fold!(4, 4, false),
        5..=8 => fold!(8, 4, false),
        9..=MOST_FEW => fold!(16, 4, false),
        _ => fold!(16, 4, true),
    }
}

/// The accumulators of `len` elements of a block from `start` on: that with number `i % N` takes
/// element `i`. What does not fill them goes to groups of `G` of them: for each place of its end the
/// compiler knows the accumulators, which so stay in registers.
///
/// # Safety
/// As for [`acc_of_stretch`].
#[inline(always)]
unsafe fn lanes_of<
    const N: usize,
    const G: usize,
    const LONG: bool,
    B: Block<Elem: Element>,
    F: Reduction<B::Elem>,
>(
    op: &F,
    block: B,
    start: usize,
    len: usize,
    mut round: usize,
) -> [F::Acc; N] {
    let mut lanes = [op.start(); N];
    let (end, mut i) = (start + len, start);
    while end - i >= N {
        // SAFETY: the caller's promise: `N` elements are left.
        let usual = B::RARE.then(|| unsafe { load::<N, true, B>(block, i, N) });
        for k in 0..N {
            let value = match usual {
                Some((values, true)) => values[k],
                // SAFETY: as above.
                _ => unsafe { block.root::<false>(i + k) }.0,
            };
            lanes[k] = op.step(lanes[k], value, round);
        }
        (i, round) = (i + N, round + 1);
    }
    if LONG {
        // Through memory. Else the compiler takes the accumulators by twos, because so few are left
        // at last; which costs few elements less than this does.
        lanes = black_box(&mut Aligned(lanes)).0;
    }
    let rest = end - i;
    for (group, lanes) in lanes.as_chunks_mut::<G>().0.iter_mut().enumerate() {
        let first = group * G;
        if rest >= first + G {
            for (k, lane) in lanes.iter_mut().enumerate() {
                // SAFETY: the caller's promise: `first + G` elements are left.
                let value = unsafe { block.root::<false>(i + first + k) }.0;
                *lane = op.step(*lane, value, round);
            }
        } else if rest > first {
            let mut part = [op.start(); G];
            for (k, acc) in part.iter_mut().enumerate().take(G - 1) {
                if first + k < rest {
                    // SAFETY: the caller's promise: `rest` elements are left.
                    let value = unsafe { block.root::<false>(i + first + k) }.0;
                    *acc = op.step(*acc, value, round);
                }
            }
            for (lane, acc) in lanes.iter_mut().zip(part) {
                *lane = op.join(*lane, acc);
            }
        }
    }
    lanes
}

/// As [`fold_few`], of elements that lie apart: each is found by itself, one as good as another, so
/// that nothing is a loop.
#[inline(always)]
pub fn fold_apart<B: Block<Elem: Element>, F: Reduction<B::Elem>>(
    op: &F,
    block: B,
    len: usize,
) -> F::Total {
    let acc = match len {
        1..=4 => acc_apart::<4, _, _>(op, block, len),
        5..=8 => acc_apart::<8, _, _>(op, block, len),
        9..=16 => acc_apart::<16, _, _>(op, block, len),
        _ => return fold_few(op, block, len),
    };
    op.total(acc, Place::lane(0, len))
}

/// The accumulator of so many elements, of which each has a lane.
#[inline(always)]
fn acc_apart<const N: usize, B: Block<Elem: Element>, F: Reduction<B::Elem>>(
    op: &F,
    block: B,
    len: usize,
) -> F::Acc {
    assert!(F::JOINS && (1..=N).contains(&len) && len <= block.root_len(), "as many elements");
    let lanes = std::array::from_fn(|k| {
        // SAFETY: below the length, as just checked. Lanes beyond take the last element, and drop
        // it.
        let value = unsafe { block.root::<false>(k.min(len - 1)) }.0;
        let taken = op.step(op.start(), value, 0);
        if k < len { taken } else { op.start() }
    });
    join_all::<N, _, _>(op, lanes)
}

/// Joins the upper half of some accumulators, a power of two, with the lower one, until one is
/// left. Those that hold nothing are what changes nothing.
#[inline(always)]
fn join_all<const N: usize, T: Element, F: Reduction<T>>(op: &F, mut lanes: [F::Acc; N]) -> F::Acc {
    let mut half = N / 2;
    while half > 0 {
        for i in 0..half {
            lanes[i] = op.join(lanes[i], lanes[i + half]);
        }
        half /= 2;
    }
    lanes[0]
}

/// Folds one row: as [`Rows`], but with little to set up.
struct Row<'k, F, B> {
    op: &'k F,
    block: B,
    len: usize,
}

impl<T: Element, F: Reduction<T>, B: Block<Elem = T>> Kernel for Row<'_, F, B> {
    type Slot = F::Total;

    // Few elements fill no wider vectors.
    const WIDE: bool = false;

    #[inline(always)]
    fn run(&self, totals: &mut [F::Total], _: usize) {
        for total in totals {
            let place = Place::lane(0, self.len);
            *total = total_of_row::<T, F, B>(self.op, self.block, 0, place);
        }
    }
}

/// The total of the elements of a block, which are one block of the reduction: the same as by
/// [`Fold`].
#[inline]
pub fn fold_row<B: Block<Elem: Element>, F: Reduction<B::Elem>>(
    op: &F,
    isa: Isa,
    block: B,
    len: usize,
) -> F::Total {
    let mut total = [op.total(op.start(), Place::lane(0, 0))];
    isa.dispatch(&Row { op, block, len }, &mut total);
    total[0]
}

/// Folds several blocks of so many elements, each one block of the reduction.
struct Each<'k, F, G> {
    op: &'k F,
    block_of: G,
    len: usize,
}

impl<T: Element, F: Reduction<T>, B: Block<Elem = T>, G: Fn(usize) -> B + Sync> Kernel
    for Each<'_, F, G>
{
    type Slot = F::Total;

    #[inline(always)]
    fn run(&self, totals: &mut [F::Total], _: usize) {
        for (number, total) in totals.iter_mut().enumerate() {
            let place = Place::lane(0, self.len);
            *total = total_of_row::<T, F, B>(self.op, (self.block_of)(number), 0, place);
        }
    }
}

/// The totals of several blocks of so many elements, each as by [`fold_row`].
#[cfg_attr(not(feature = "matmul"), allow(dead_code))]
pub fn fold_each<B: Block<Elem: Element>, F: Reduction<B::Elem>>(
    op: &F,
    isa: Isa,
    block_of: impl Fn(usize) -> B + Sync,
    len: usize,
    totals: &mut [F::Total],
) {
    isa.dispatch(&Each { op, block_of, len }, totals);
}

/// The total of the elements of a block, which are one or more blocks of the reduction, at most
/// [`BLOCK_LEN`](crate::plan::BLOCK_LEN), each of so many elements but for the last: the same as by
/// plans, to the bit.
pub fn fold_blocks<B: Block<Elem: Element>, F: Reduction<B::Elem>>(
    op: &F,
    isa: Isa,
    block: B,
    all: usize,
    len: usize,
) -> F::Total {
    /// As many as are folded at a time.
    const SOME: usize = 32;
    let nothing = op.total(op.start(), Place::lane(0, 0));
    let (mut totals, mut lanes) = ([nothing; SOME], nothing.spread());
    let mut number = 0;
    for before in (0..all).step_by(SOME * len) {
        let part = (all - before).min(SOME * len);
        let totals = &mut totals[..part.div_ceil(len)];
        let rows = Rows { op, block, from: before, len, all: part, before, per_result: SOME };
        isa.dispatch(&rows, totals);
        for &mut total in totals {
            let lane = number % LANES;
            let before = F::Total::get(&lanes, lane);
            let total = if number < LANES { total } else { op.merge(before, total) };
            F::Total::set(&mut lanes, lane, total);
            number += 1;
        }
    }
    merge_lanes(op, &mut lanes, number.min(LANES))
}

/// The extents of few elements in row-major order, of which those of one axis are folded: results,
/// the elements of each, results.
#[derive(Clone, Copy, Debug)]
pub struct Folded {
    pub outer: usize,
    pub len: usize,
    pub inner: usize,
}

/// The most elements whose columns are read one after the other: they stay in the nearest cache.
const FEW_OF_COLUMNS: usize = 1 << 14;

/// Folds few elements of a source, of which those of a result are one block; gives `put` the totals
/// in the order of the results.
pub fn fold_all<S: Source, F: Reduction<S::Elem>>(
    op: &F,
    isa: Isa,
    source: &mut S,
    Folded { outer, len, inner }: Folded,
    put: &mut dyn FnMut(&[F::Total]),
) {
    let nothing = op.total(op.start(), Place::lane(0, 0));
    if inner == 1 {
        // As many as are folded at a time: a long list takes longer to set up.
        return match outer {
            ..32 => fold_rows(op, isa, source, (outer, len), &mut [nothing; 32], put),
            _ => fold_rows(op, isa, source, (outer, len), &mut [nothing; 256], put),
        };
    }
    if len <= LANES * ROUNDS && len * inner <= FEW_OF_COLUMNS {
        let (mut few, mut more) = ([nothing; 32], Packed::new());
        let totals = match inner {
            ..=32 => &mut few[..inner],
            _ => {
                more.fill(nothing, inner);
                more.as_mut_slice()
            }
        };
        for result in 0..outer {
            let all = len * inner;
            let block = source.root(&Run { from: result * all, len: all, ..Run::flat(all) });
            isa.dispatch(&Columns { op, block, len, columns: inner }, totals);
            put(totals);
        }
        return;
    }
    let shape = Shape { lanes: len.min(LANES), pitch: inner, len, before: 0, step: 0 };
    let stretched = F::JOINS && len > LANES * ROUNDS;
    let slots = (inner * shape.lanes).div_ceil(LANES) * if stretched { 2 } else { 1 };
    let (mut accumulators, mut totals) = (Packed::new(), Packed::new());
    for result in 0..outer {
        accumulators.fill(op.start().spread(), slots);
        totals.fill(nothing, inner);
        let (slots, totals) = (accumulators.as_mut_slice(), totals.as_mut_slice());
        let all = len * inner;
        let block = source.root(&Run { from: result * all, len: all, ..Run::flat(all) });
        let stretch = stretched.then_some(0);
        isa.dispatch(&Folding { op, block, from: 0, len: len * inner, stretch }, slots);
        finish(op, isa, slots, stretched, shape, totals);
        put(totals);
    }
}

/// Folds rows of a source, so many of so many elements each, as many at a time as `totals` has.
#[inline(always)]
fn fold_rows<S: Source, F: Reduction<S::Elem>>(
    op: &F,
    isa: Isa,
    source: &mut S,
    (rows, len): (usize, usize),
    totals: &mut [F::Total],
    put: &mut dyn FnMut(&[F::Total]),
) {
    let some = totals.len();
    for first in (0..rows).step_by(some) {
        let totals = &mut totals[..some.min(rows - first)];
        let all = totals.len() * len;
        let block = source.root(&Run { from: first * len, len: all, ..Run::flat(all) });
        isa.dispatch(&Rows { op, block, from: 0, len, all, before: 0, per_result: 1 }, totals);
        put(totals);
    }
}

/// Where the accumulators of some results are, and which elements they have taken.
#[derive(Clone, Copy, Debug, Default)]
struct Shape {
    lanes: usize,
    pitch: usize,
    len: usize,
    before: usize,
    step: usize,
}

/// From accumulators to totals.
#[inline]
fn finish<T: Element, F: Reduction<T>>(
    op: &F,
    isa: Isa,
    slots: &mut [Lanes<F, T>],
    stretched: bool,
    Shape { lanes, pitch, len, before, step }: Shape,
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
    isa.dispatch(&Totalling { op, slots, lanes, pitch, len, before, step }, totals);
}

/// The sink of a part of the totals of a reduction.
pub struct Fold<'t, 'b, T: Element, F: Reduction<T>, S: Slots<F::Total>> {
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
    stored: bool,
}

impl<'t, 'b, T: Element, F: Reduction<T>, S: Slots<F::Total>> Fold<'t, 'b, T, F, S> {
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
            stored: true,
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
        super::walk_into(self.plan, start, source, &mut self)?;
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
        stored.then(|| unsafe { part.assume_filled() })
    }
}

impl<T: Element, F: Reduction<T>, S: Slots<F::Total>> Sink<T> for Fold<'_, '_, T, F, S> {
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
        // Rows of results that are not one run with the next begin at an accumulator.
        if plan.whole_blocks {
            let blocks = |axis: usize| tile.extents[axis].div_ceil(plan.blocks[axis]);
            self.width = (plan.run_axis..plan.ndim()).map(blocks).product();
            let before = tile.start.iter().zip(&plan.steps).map(|(start, step)| start * step).sum();
            let pitch = if across { tile.extents[inner] } else { 1 };
            self.shape = Shape { len: plan.block_len(), pitch, before, ..Shape::default() };
            if !self.totals.reserve(self.width) {
                return false;
            }
            let nothing = Place::lane(0, 0);
            self.totals.fill(self.op.total(self.op.start(), nothing), self.width);
            return true;
        }
        let joined = !across || plan.run_axis < plan.folds.end;
        let pitch = if joined { self.width } else { self.width.next_multiple_of(LANES) };
        let (lanes, step) = (len.min(LANES), if across { plan.steps[inner] } else { 0 });
        let before = tile.start.iter().zip(&plan.steps).map(|(start, step)| start * step).sum();
        self.shape = Shape { lanes, pitch, len, before, step };
        self.stretch = (F::JOINS && len > LANES * ROUNDS).then_some(0);
        let halves = if self.stretch.is_some() { 2 } else { 1 };
        self.each = halves * (pitch * lanes).div_ceil(LANES);
        let slots = self.turns * self.each;
        if !self.totals.reserve(self.width) || !self.accumulators.reserve(slots) {
            return false;
        }
        self.accumulators.fill(self.op.start().spread(), slots);
        true
    }

    #[inline]
    fn run<B: Block<Elem = T>>(&mut self, run: &Run<'_>, block: B) {
        if self.plan.whole_blocks {
            let Shape { len, before, pitch, .. } = self.shape;
            if self.plan.is_across() {
                let columns = Columns { op: self.op, block, len, columns: pitch };
                return self.isa.dispatch(&columns, self.totals.as_mut_slice());
            }
            let inner = self.plan.ndim() - 1;
            let per_result = self.plan.loops[inner].div_ceil(self.plan.blocks[inner]);
            let rows = Rows { op: self.op, block, from: 0, len, all: run.len, before, per_result };
            return self.isa.dispatch(&rows, self.totals.as_mut_slice());
        }
        let turn = self.plan.turning.map_or(0, |axis| run.start[axis] - self.tile_start);
        let slots = &mut self.accumulators.as_mut_slice()[turn * self.each..][..self.each];
        let from = run.before / self.width * self.shape.pitch + run.from;
        let stretch = self.stretch.map(|_| {
            let per = LANES * ROUNDS * self.shape.pitch;
            // That of the last element before this one.
            from.saturating_sub(1) / per
        });
        self.isa.dispatch(&Folding { op: self.op, block, from, len: run.len, stretch }, slots);
    }

    fn close(&mut self, corner: &[usize], _: &Region) {
        let mut at = Extents::from_slice(corner);
        if self.plan.whole_blocks {
            let to = self.part.run_mut(&at, self.width).expect("results have unit stride");
            for (slot, &total) in to.iter_mut().zip(self.totals.as_slice()) {
                self.stored &= self.slots.put(slot, total);
            }
            return;
        }
        let nothing = Place::lane(0, 0);
        self.totals.fill(self.op.total(self.op.start(), nothing), self.width);
        for slots in self.accumulators.as_mut_slice().chunks_mut(self.each) {
            let totals = self.totals.as_mut_slice();
            finish(self.op, self.isa, slots, self.stretch.is_some(), self.shape, totals);
            let to = self.part.run_mut(&at, self.width).expect("results have unit stride");
            for (slot, &total) in to.iter_mut().zip(&*totals) {
                self.stored &= self.slots.put(slot, total);
            }
            if let Some(axis) = self.plan.turning {
                at[axis] += 1;
                self.shape.before += self.plan.steps[axis];
            }
        }
    }
}
