//! Rows in one call: side by side if they are short, a few at a time if they lie apart, else one by
//! one.

use super::ROUNDS;
use super::columns::{by_halves, fold_side_by_side};
use super::load::load_apart;
use super::row::{Aligned, fold_row_after, is_of_many, join_all, total_of_long_row, total_of_row};
use super::short::{fold_short_rows, has_loop};
use crate::kernel::isa::{Isa, Kernel};
use crate::kernel::{AppliedBlock, Block, Reads, Splat};
use crate::ops::Op;
use crate::plan::LANES;
use crate::reduce::{Place, Reduction};
use ndcore::Element;
use std::hint::black_box;
use std::sync::atomic::{Ordering, compiler_fence};

/// Folds whole blocks, each into its total, in registers: the same as by [`Folding`], [`Halving`]
/// and [`Totalling`], to the bit. If `ALL`, they are the blocks of one result, of which each is as
/// long as can be: then nothing is compiled but what takes them one by one.
pub(super) struct Rows<'k, F, B, const ALL: bool> {
    pub(super) op: &'k F,
    pub(super) block: B,
    /// Whether each is a run of the block; else they lie one after the other.
    pub(super) apart: bool,
    /// The first element, or the first run.
    pub(super) from: usize,
    /// The number of elements of each block, and of all of them: the last may have fewer.
    pub(super) len: usize,
    pub(super) all: usize,
    /// The number of the first element among those of its result, and the blocks that a result has.
    pub(super) before: usize,
    pub(super) per_result: usize,
}

impl<T: Element, F: Reduction<T>, B: Block<Elem = T>, const ALL: bool> Kernel
    for Rows<'_, F, B, ALL>
{
    type Slot = F::Total;
    of_block!();
}

impl<T: Element, F: Reduction<T>, B: Block<Elem = T>, const ALL: bool> Rows<'_, F, B, ALL> {
    /// Folds all of them by this instruction set, by loops for short rows if there are.
    #[inline(always)]
    pub(super) fn by(&self, isa: Isa, totals: &mut [F::Total]) {
        if const { !ALL && B::STORED }
            && has_loop::<T, F>(self.len)
            && (self.per_result, self.apart, self.all) == (1, false, totals.len() * self.len)
            && let Some(elements) = self.block.side_by_side()
        {
            return fold_short_rows(
                self.op,
                isa,
                &elements[self.from..][..self.all],
                self.len,
                totals,
            );
        }
        isa.dispatch(self, totals);
    }

    #[inline(always)]
    fn fold<const PLAIN: bool>(&self, totals: &mut [F::Total]) {
        // Without a division, which takes as long as some elements.
        let most = totals.len() * self.len;
        assert!(self.all <= most && most - self.all < self.len, "whole blocks");
        let mut row = 0;
        // One that is shorter than the others is left to the end.
        let whole = totals.len() - usize::from(self.all < most);
        if self.apart {
            assert!(self.per_result == 1 && whole == totals.len(), "each is all of a result");
            assert!(self.from + whole <= self.block.runs(), "as many rows as are folded");
        }
        // In `const` blocks: what is never run is not compiled then.
        if const { !PLAIN && !ALL && joins_in_memory::<T, F, B>() }
            && self.per_result == 1
            && whole == totals.len()
        {
            let whole_rounds = self.len > LANES && self.len.is_multiple_of(LANES);
            let apart = self.apart && self.len >= LANES;
            let several = whole_rounds || apart || fills_lanes::<T, F>(self.len);
            // Of what is gathered, there is one run at a time.
            if several && self.len <= LANES * ROUNDS && !self.block.gathers() {
                row = self.several(totals);
            }
        }
        if const { !PLAIN && !ALL }
            && goes_side_by_side::<T, F>(self.len)
            && row == 0
            && whole >= LANES
            && self.per_result == 1
            && !self.apart
        {
            assert!(self.from + self.all <= self.block.root_len(), "a block is as long as its run");
            if F::EXACT || F::JOINS {
                // Lengths known to the compiler: it reads vectors of several rows, and takes them
                // apart.
                row = match self.len {
                    2 => self.short::<2>(&mut totals[..whole]),
                    3 => self.short::<3>(&mut totals[..whole]),
                    4 => self.short::<4>(&mut totals[..whole]),
                    _ => 0,
                };
            }
            while row < whole && worth_side_by_side::<T, F>(whole - row) {
                // The last ones once more, if there are not as many left.
                row = row.min(whole - LANES);
                let start = self.from + row * self.len;
                let some = fold_side_by_side::<T, F, false>(
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
        let mut turn = 0;
        for (row, total) in totals.iter_mut().enumerate().skip(row) {
            let len = self.len.min(self.all - row * self.len);
            let place = Place::lane(self.before + turn * self.len, len);
            // Compiled once.
            let (block, start) = match self.apart {
                true => (self.block.run(self.from + row), 0),
                false => (self.block, self.from + row * self.len),
            };
            *total = match const { ALL && !PLAIN && is_of_many::<T, F>() } {
                true => total_of_long_row::<T, F, B>(self.op, block, start, place),
                false => total_of_row::<PLAIN, T, F, B>(self.op, block, start, place),
            };
            turn = if turn + 1 == self.per_result { 0 } else { turn + 1 };
        }
    }
}

impl<T: Element, F: Reduction<T>, B: Block<Elem = T>, const ALL: bool> Rows<'_, F, B, ALL> {
    /// Folds rows that fill all lanes, some at a time: their accumulators are joined together,
    /// through memory, so that none of that is waited for. Returns how many: what is left is fewer
    /// than that.
    #[inline(always)]
    fn several(&self, totals: &mut [F::Total]) -> usize {
        let (op, len) = (self.op, self.len);
        let place = Place::lane(self.before, len);
        let all = if self.apart { len } else { self.from + self.all };
        assert!(all <= self.block.root_len(), "a block is as long as its run");
        let groups = totals.as_chunks_mut::<SOME>().0;
        if fills_lanes::<T, F>(len) {
            let mut quarters = Aligned([[op.start(); QUARTER]; SOME]);
            for (number, totals) in groups.iter_mut().enumerate() {
                match self.apart {
                    true => self.quarters_apart(number, &mut quarters.0),
                    false => {
                        let rows = self.block.skip(self.from + number * SOME * len).reads();
                        for (k, quarter) in quarters.0.iter_mut().enumerate() {
                            // SAFETY: there are as many whole rows as totals, which `fold` has
                            // checked, all of them in the block, which was just checked.
                            let half = unsafe { half_of_row::<T, F, B>(op, rows, k * len, len) };
                            *quarter = quarter_of::<T, F>(op, &half);
                        }
                    }
                }
                let all = joined_rows::<T, F>(op, &black_box(&mut quarters).0);
                *totals = all.map(|acc| op.total(acc, place));
            }
            return groups.len() * SOME;
        }
        let mut accs = Aligned([[op.start(); LANES]; SOME]);
        for (number, totals) in groups.iter_mut().enumerate() {
            self.each_of_some(
                number,
                &mut accs.0,
                #[inline(always)]
                |row, start, lanes| {
                    // SAFETY: there are as many whole rows as totals, which `fold` has checked, all
                    // of them in the block, which was just checked.
                    unsafe { take_row::<T, F, B>(op, row.skip(start), len, lanes) };
                },
            );
            for (total, lanes) in totals.iter_mut().zip(&mut black_box(&mut accs).0) {
                let acc = match len.is_multiple_of(LANES) {
                    true => join_all::<HALF, T, F>(op, std::array::from_fn(|lane| lanes[lane])),
                    false => join_all::<LANES, T, F>(op, *lanes),
                };
                *total = op.total(acc, place);
                // Costs nothing. Else the compiler gathers the same lane of several rows.
                compiler_fence(Ordering::SeqCst);
            }
        }
        groups.len() * SOME
    }

    /// The last four lanes of each row of a group that fills lanes, where rows lie apart.
    #[inline(always)]
    fn quarters_apart(&self, number: usize, quarters: &mut [[F::Acc; QUARTER]; SOME]) {
        let (op, len, first) = (self.op, self.len, self.from + number * SOME);
        // Once for all rows: to look for each of them takes as long as to fold it.
        let rows = self.block.reads();
        if const { size_of::<F::Acc>() >= 8 } {
            for (k, quarter) in quarters.iter_mut().enumerate() {
                // SAFETY: there are as many whole rows as totals, and none is gathered, which
                // `fold` has checked; each has as many elements, which `several` has.
                let half = unsafe { half_of_row::<T, F, B>(op, rows.at(first + k, 0), 0, len) };
                *quarter = quarter_of::<T, F>(op, &half);
            }
            return;
        }
        // As many are stored as fill a vector: of fewer, the compiler makes vectors of as few for
        // all that comes before.
        let mut halves = Aligned([[op.start(); HALF]; SOME]);
        for (k, half) in halves.0.iter_mut().enumerate() {
            // SAFETY: as above.
            *half = unsafe { half_of_row::<T, F, B>(op, rows.at(first + k, 0), 0, len) };
        }
        for (quarter, half) in quarters.iter_mut().zip(&black_box(&mut halves).0) {
            *quarter = quarter_of::<T, F>(op, half);
            compiler_fence(Ordering::SeqCst);
        }
    }

    /// Gives `take` the rows of a group, each as a block and where it starts there.
    #[inline(always)]
    fn each_of_some<A>(&self, number: usize, to: &mut [A; SOME], take: impl Fn(B, usize, &mut A)) {
        let first = number * SOME;
        // Without a choice for each row.
        if self.apart {
            for (k, to) in to.iter_mut().enumerate() {
                take(self.block.run(self.from + first + k), 0, to);
            }
        } else {
            let rows = self.block.skip(self.from + first * self.len);
            for (k, to) in to.iter_mut().enumerate() {
                take(rows, k * self.len, to);
            }
        }
    }

    /// Folds rows of so many elements, of which the accumulators are joined or take all. Returns
    /// how many.
    #[inline(always)]
    fn short<const LEN: usize>(&self, totals: &mut [F::Total]) -> usize {
        let op = self.op;
        assert!(self.from + totals.len() * LEN <= self.block.root_len(), "as many rows");
        for (row, total) in totals.iter_mut().enumerate() {
            let start = self.from + row * LEN;
            *total = if F::EXACT {
                let mut acc = op.start();
                for i in 0..LEN {
                    // SAFETY: as just checked, there are so many rows of as many elements.
                    let value = unsafe { self.block.reads().root::<false>(start + i) }.0;
                    acc = op.step(acc, value, i);
                }
                op.total(acc, Place { first: self.before, len: LEN, step: 1 })
            } else {
                let acc = by_halves::<_, false>(
                    LEN,
                    op.start(),
                    #[inline(always)]
                    |lane| {
                        // SAFETY: as above.
                        let value = unsafe { self.block.reads().root::<false>(start + lane) }.0;
                        op.step(op.start(), value, 0)
                    },
                    #[inline(always)]
                    |low, high| op.join(low, high),
                );
                op.total(acc, Place::lane(self.before, LEN))
            };
        }
        totals.len()
    }
}

/// Joins the last four lanes of each of some rows: those of two rows make a vector, and of four.
#[inline(always)]
fn joined_rows<T: Element, F: Reduction<T>>(
    op: &F,
    rows: &[[F::Acc; QUARTER]; SOME],
) -> [F::Acc; SOME] {
    let join = |low: [F::Acc; QUARTER], high: [F::Acc; QUARTER]| -> [F::Acc; QUARTER] {
        std::array::from_fn(|i| op.join(low[i], high[i]))
    };
    let mut pairs = Aligned([[op.start(); QUARTER]; SOME / 2]);
    for (pair, [a, b]) in pairs.0.iter_mut().zip(rows.as_chunks().0) {
        *pair = join([a[0], a[1], b[0], b[1]], [a[2], a[3], b[2], b[3]]);
        compiler_fence(Ordering::SeqCst);
    }
    let mut all = [op.start(); SOME];
    for (all, [a, b]) in all.as_chunks_mut().0.iter_mut().zip(pairs.0.as_chunks().0) {
        let both = join([a[0], b[0], a[2], b[2]], [a[1], b[1], a[3], b[3]]);
        *all = [both[0], both[2], both[1], both[3]];
    }
    all
}

/// The accumulators of `len` elements of a row, which fill lanes ([`fills_lanes`]), from `start`
/// on: the two halves of the lanes joined, in registers.
///
/// # Safety
/// There are as many.
#[inline(always)]
unsafe fn half_of_row<T: Element, F: Reduction<T>, B: Block<Elem = T>>(
    op: &F,
    row: B::Reads,
    start: usize,
    len: usize,
) -> [F::Acc; HALF] {
    // SAFETY: the caller's promise, if it is less than the length.
    let at = |i: usize| unsafe { row.root::<false>(start + i) }.0;
    if len == HALF {
        return std::array::from_fn(|k| op.step(op.start(), at(k), 0));
    }
    let mut lanes = [op.start(); LANES];
    for round in 0..len / LANES {
        for (k, lane) in lanes.iter_mut().enumerate() {
            *lane = op.step(*lane, at(round * LANES + k), round);
        }
    }
    std::array::from_fn(|k| op.join(lanes[k], lanes[k + HALF]))
}

/// The two halves of what is left of the lanes joined.
#[inline(always)]
fn quarter_of<T: Element, F: Reduction<T>>(op: &F, half: &[F::Acc; HALF]) -> [F::Acc; QUARTER] {
    std::array::from_fn(|k| op.join(half[k], half[k + QUARTER]))
}

/// The accumulators of the first `len` elements of a row. If all have as many, those of the upper
/// half of the lanes are joined with the lower ones, in registers.
///
/// # Safety
/// There are as many.
#[inline(always)]
unsafe fn take_row<T: Element, F: Reduction<T>, B: Block<Elem = T>>(
    op: &F,
    row: B,
    len: usize,
    to: &mut [F::Acc; LANES],
) {
    let mut lanes = [op.start(); LANES];
    let rounds = len / LANES;
    for round in 0..rounds {
        let row = row.skip(round * LANES);
        for (k, lane) in lanes.iter_mut().enumerate() {
            // SAFETY: the caller's promise: a round is left.
            *lane = op.step(*lane, unsafe { row.reads().root::<false>(k) }.0, round);
        }
    }
    if len.is_multiple_of(LANES) {
        for (k, to) in to[..HALF].iter_mut().enumerate() {
            *to = op.join(lanes[k], lanes[k + HALF]);
        }
        return;
    }
    *to = lanes;
    // By halves: each has a length that the compiler knows, and begins after those before it.
    let rest = row.skip(rounds * LANES);
    macro_rules! some {
        ($($some:literal after $before:literal)*) => {$(
            if len & $some != 0 {
                let at = len & $before;
                let row = rest.skip(at);
                for (k, lane) in to[at..][..$some].iter_mut().enumerate() {
                    // SAFETY: the caller's promise: so many are left.
                    *lane = op.step(*lane, unsafe { row.reads().root::<false>(k) }.0, rounds);
                }
            }
        )*};
    }
    some!(8 after 0  4 after 8  2 after 12  1 after 14);
}

/// Whether rows of so many elements fill all lanes, or half of them, and it pays to join those by
/// vectors of several rows: not if that is more than an addition.
const fn fills_lanes<T: Element, F: Reduction<T>>(len: usize) -> bool {
    joins_simply::<T, F>() && (len == HALF || len.is_multiple_of(LANES))
}

/// As many rows as are folded at a time, if rows fill lanes.
const SOME: usize = 8;

/// Half of the lanes.
const HALF: usize = LANES / 2;

/// A quarter.
const QUARTER: usize = LANES / 4;

/// Whether the accumulators of several rows are joined together, through memory.
const fn joins_in_memory<T: Element, F: Reduction<T>, B: Block<Elem = T>>() -> bool {
    F::JOINS && !F::REORDERED && B::SKIPS && size_of::<F::Acc>() <= 8
}

/// Rows of fewer elements than two rounds are folded side by side: the accumulators of one lane of
/// as many rows as there are lanes lie together, so that what comes after the elements, which for
/// short rows is most of the work, is done for all of them at a time. Not so if accumulators are
/// joined by something as simple as an addition, unless rows are very short: then each row is in
/// vectors by itself. What gains little is not compiled twice.
#[inline(always)]
pub(super) const fn goes_side_by_side<T: Element, F: Reduction<T>>(len: usize) -> bool {
    len < 2 * LANES && !(joins_simply::<T, F>() && len > FEW_OF_SUM)
}

/// Whether so many rows, or the last of them together with others before, are folded side by side.
#[inline(always)]
const fn worth_side_by_side<T: Element, F: Reduction<T>>(rows: usize) -> bool {
    rows >= LANES / 2 || !joins_simply::<T, F>()
}

/// The most elements of a row that are not folded by themselves.
const FEW_OF_SUM: usize = 11;

/// Whether accumulators are joined by something as simple as an addition, which the compiler does
/// by vectors wherever they are.
const fn joins_simply<T: Element, F: Reduction<T>>() -> bool {
    F::JOINS && F::COST == 1
}

/// Folds the products of rows, which lie one after the other, and a list of as many elements, each
/// into its total, side by side.
struct Products<'k, F, M, T> {
    op: &'k F,
    times: &'k M,
    rows: &'k [T],
    by: &'k [T],
}

impl<T: Element, M: Op<(T, T)>, F: Reduction<M::Output>> Kernel for Products<'_, F, M, T> {
    type Slot = F::Total;
    type Held = ();
    const WIDE: bool = false;

    #[inline(always)]
    fn held(&self) {}

    #[inline(always)]
    fn run(&self, (): (), totals: &mut [F::Total], _: usize) {
        let Products { op, times, rows, by } = *self;
        let (count, len) = (totals.len(), by.len());
        assert!(count >= LANES && rows.len() == count * len, "rows, side by side");
        let mut row = 0;
        while row < count && worth_side_by_side::<M::Output, F>(count - row) {
            // The last ones once more, if there are not as many left.
            row = row.min(count - LANES);
            let some = fold_side_by_side::<M::Output, F, false>(
                op,
                len,
                0,
                #[inline(always)]
                |i| {
                    let block = AppliedBlock::new(*times, (rows, Splat(by[i])));
                    // SAFETY: as just checked: as many rows follow, and `i` is less than the length
                    // of one.
                    unsafe { load_apart(block, row * len + i, len) }
                },
            );
            totals[row..row + LANES].copy_from_slice(&some);
            row += LANES;
        }
        for (row, total) in totals.iter_mut().enumerate().skip(row) {
            let block = AppliedBlock::new(*times, (&rows[row * len..][..len], by));
            *total = total_of_row::<false, M::Output, F, _>(op, block, 0, Place::lane(0, len));
        }
    }
}

/// The totals of the products of rows, which lie one after the other, and a list, as by
/// [`fold_row`](super::fold_row), if they are short rows, and enough; whether that is so.
#[cfg_attr(not(feature = "matmul"), allow(dead_code))]
pub fn fold_products<T: Element, M: Op<(T, T)>, F: Reduction<M::Output>>(
    op: &F,
    times: &M,
    isa: Isa,
    rows: &[T],
    by: &[T],
    totals: &mut [F::Total],
) -> bool {
    let enough = totals.len() >= LANES && (1..=FEW_OF_SUM).contains(&by.len());
    if enough {
        isa.dispatch(&Products { op, times, rows, by }, totals);
    }
    enough
}

/// The total of the elements of a block, which are one or more blocks of the reduction, at most
/// [`BLOCK_LEN`](crate::plan::BLOCK_LEN), each of so many elements but for the last: the same as by
/// plans, to the bit. They are `all` elements, and `first` come before them.
pub fn fold_blocks<B: Block<Elem: Element>, F: Reduction<B::Elem>>(
    op: &F,
    isa: Isa,
    block: B,
    (first, all): (usize, usize),
    len: usize,
) -> F::Total {
    /// As many as are folded at a time.
    const SOME: usize = 32;
    let nothing = op.total(op.start(), Place::lane(0, 0));
    let (mut totals, mut merged) = ([nothing; SOME], MergedBlocks::new(op));
    for from in (0..all).step_by(SOME * len) {
        let part = (all - from).min(SOME * len);
        let totals = &mut totals[..part.div_ceil(len)];
        let (apart, before) = (false, first + from);
        let per_result = SOME;
        let rows =
            Rows::<_, _, true> { op, block, apart, from, len, all: part, before, per_result };
        isa.dispatch(&rows, totals);
        totals.iter().for_each(|&total| merged.add(total));
    }
    merged.total()
}

/// The totals of the blocks of a result, at most as many as a block has elements, in one: the same
/// as by plans, to the bit. Stretches of totals are merged like those of elements: without them the
/// sum of 10^7 equal `f64` was off by 20 ULP.
pub struct MergedBlocks<'k, F: Reduction<T>, T: Element> {
    op: &'k F,
    lanes: [F::Total; LANES],
    /// The lanes of the stretches before this one, if there are any.
    before: Option<[F::Total; LANES]>,
    /// How many totals are in this stretch.
    count: usize,
}

impl<'k, T: Element, F: Reduction<T>> MergedBlocks<'k, F, T> {
    pub fn new(op: &'k F) -> Self {
        let nothing = op.total(op.start(), Place::lane(0, 0));
        MergedBlocks { op, lanes: [nothing; LANES], before: None, count: 0 }
    }

    /// Adds the total of the next block.
    #[inline]
    pub fn add(&mut self, total: F::Total) {
        if self.count == LANES * ROUNDS {
            self.end_stretch();
        }
        let lane = &mut self.lanes[self.count % LANES];
        *lane = if self.count < LANES { total } else { self.op.merge(*lane, total) };
        self.count += 1;
    }

    #[inline(never)]
    fn end_stretch(&mut self) {
        let count = std::mem::take(&mut self.count).min(LANES);
        match &mut self.before {
            None => self.before = Some(self.lanes),
            Some(before) => {
                for (before, &lane) in before.iter_mut().zip(&self.lanes[..count]) {
                    *before = self.op.merge(*before, lane);
                }
            }
        }
    }

    pub fn total(mut self) -> F::Total {
        let mut count = self.count.min(LANES);
        if self.before.is_some() {
            self.end_stretch();
            count = LANES;
        }
        let mut lanes = self.before.unwrap_or(self.lanes);
        for half in [8, 4, 2, 1] {
            for low in 0..half.min(count.saturating_sub(half)) {
                lanes[low] = self.op.merge(lanes[low], lanes[low + half]);
            }
        }
        lanes[0]
    }
}

/// As [`fold_blocks`] of all elements of a result, one by one: faster where what is read is in a
/// near cache. Beyond it, the other one asks for it in time.
pub fn fold_near_blocks<B: Block<Elem: Element>, F: Reduction<B::Elem>>(
    op: &F,
    isa: Isa,
    block: B,
    all: usize,
    len: usize,
) -> F::Total {
    assert!(B::SKIPS, "a block begins anywhere");
    let mut merged = MergedBlocks::new(op);
    for from in (0..all).step_by(len) {
        merged.add(fold_row_after(op, isa, block.skip(from), from, len.min(all - from)));
    }
    merged.total()
}

/// The totals of blocks in one, as by [`MergedBlocks`].
pub fn merge_blocks<T: Element, F: Reduction<T>>(op: &F, totals: &[F::Total]) -> F::Total {
    let mut merged = MergedBlocks::new(op);
    totals.iter().for_each(|&total| merged.add(total));
    merged.total()
}
