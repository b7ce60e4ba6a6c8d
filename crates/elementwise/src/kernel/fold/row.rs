//! One row, in registers: the same as by accumulators in memory, to the bit.

use super::accumulate::{add, add_all, add_near, halve_lanes, join, merge_lanes};
use super::columns::by_halves;
use super::load::each_lane;
use super::{PLAIN, ROUNDS, is_wide};
use crate::kernel::isa::{Isa, Kernel, Single};
use crate::kernel::{Block, Reads};
use crate::plan::LANES;
use crate::reduce::{Accumulator, Place, Reduction};
use ndcore::Element;
use std::hint::black_box;
use std::marker::PhantomData;
use std::sync::atomic::{Ordering, compiler_fence};

/// The elements of so many rounds are a stretch.
const STRETCH: usize = LANES * ROUNDS;

/// Whether few rows are of at most [`MOST_FEW_OF_LIST`] elements, unless there are several for a
/// result: as many are folded without a choice of the instruction set.
pub(super) const fn is_of_many<T: Element, F: Reduction<T>>() -> bool {
    F::JOINS && F::COST == 1 && !F::EXACT && !F::REORDERED && size_of::<F::Acc>() <= 8
}

/// As [`total_of_row`], where that is so: those few are folded by what is compiled once, for the
/// baseline.
#[inline(always)]
pub(super) fn total_of_long_row<T: Element, F: Reduction<T>, B: Block<Elem = T>>(
    op: &F,
    block: B,
    start: usize,
    place: Place,
) -> F::Total {
    if place.len <= MOST_FEW_OF_LIST {
        return total_of_row::<true, T, F, B>(op, block, start, place);
    }
    assert!(start + place.len <= block.root_len(), "a block is as long as its run");
    let len = place.len;
    // SAFETY: as just checked, there are so many.
    let acc = unsafe {
        match (len <= STRETCH, len.is_multiple_of(LANES)) {
            (true, true) => acc_of_rounds::<true, B, F>(op, block, start, len),
            (true, false) => {
                join_all(op, lanes_of::<LANES, 4, true, B, F>(op, block, start, len, 0))
            }
            (false, _) => acc_of_stretches::<B, F>(op, block, start, len),
        }
    };
    op.total(acc, place)
}

/// The total of the `place.len` elements of a block from `start` on, which are one block of the
/// reduction; by as little code as can be, if that is asked for.
#[inline(always)]
pub(super) fn total_of_row<const PLAIN: bool, T: Element, F: Reduction<T>, B: Block<Elem = T>>(
    op: &F,
    block: B,
    start: usize,
    place: Place,
) -> F::Total {
    let end = start + place.len;
    assert!(place.len > 0 && end <= block.root_len(), "a block is as long as its run");
    if PLAIN {
        // SAFETY: as just checked, there are so many.
        return unsafe { plain_total(op, block, start, place) };
    }
    if F::JOINS {
        // SAFETY: as just checked, there are so many.
        return op.total(unsafe { acc_of_row::<B, F>(op, block, start, place.len) }, place);
    }
    if F::EXACT && place.len < 2 * LANES {
        // SAFETY: as just checked, there are so many.
        return unsafe { exact_total_of_few(op, block, start, place) };
    }
    if place.len <= LANES {
        // Each has a lane by itself: the others take no time.
        let of = |lane: usize| {
            // SAFETY: as just checked, there are so many.
            let value = unsafe { block.reads().root::<false>(start + lane) }.0;
            op.total(op.step(op.start(), value, 0), Place::lane(place.first + lane, 1))
        };
        return by_halves::<_, false>(place.len, of(0), of, |low, high| op.merge(low, high));
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
    // All lanes hold something: without choices, for the sake of vectors.
    let (each, more) = (place.len / LANES, place.len % LANES);
    let mut totals = op.total(op.start(), Place::lane(0, 0)).spread();
    for lane in 0..LANES {
        let place = Place::lane(place.first + lane, each + usize::from(lane < more));
        F::Total::set(&mut totals, lane, op.total(F::Acc::get(&lanes, lane), place));
    }
    merge_lanes(op, &mut totals, LANES)
}

/// The total of some elements of a block from `start` on, by accumulators in memory.
///
/// # Safety
/// They are in the block, and there is at least one.
// Not inlined: it is the same for all kernels.
#[inline(never)]
unsafe fn plain_total<T: Element, F: Reduction<T>, B: Block<Elem = T>>(
    op: &F,
    block: B,
    start: usize,
    place: Place,
) -> F::Total {
    let (nothing, end) = (op.start().spread(), start + place.len);
    let (mut joined, mut lanes, mut i, mut round) = (nothing, nothing, start, 0);
    while i < end {
        if F::JOINS && round > 0 && round % ROUNDS == 0 {
            join(op, &mut joined, &lanes);
            lanes = nothing;
        }
        let some = (end - i).min(LANES);
        // SAFETY: the caller's promise: so many are left, at least one.
        unsafe { add::<T, F, B>(op, &mut lanes, block, i..i + some, 0, round) };
        (i, round) = (i + some, round + 1);
    }
    if F::JOINS {
        if round > ROUNDS {
            join(op, &mut joined, &lanes);
            lanes = joined;
        }
        halve_lanes(op, &mut lanes);
        return op.total(F::Acc::get(&lanes, 0), place);
    }
    let (some, mut totals) =
        (place.len.min(LANES), op.total(op.start(), Place::lane(0, 0)).spread());
    for lane in 0..some {
        let of_lane = Place::lane(place.first + lane, (place.len - lane).div_ceil(LANES));
        F::Total::set(&mut totals, lane, op.total(F::Acc::get(&lanes, lane), of_lane));
    }
    merge_lanes(op, &mut totals, some)
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
    let at = |i: usize| unsafe { block.reads().root::<false>(start + i) }.0;
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
    match len <= STRETCH || F::REORDERED {
        // SAFETY: the caller's promise.
        true => unsafe { acc_of_stretch::<MOST_FEW_OF_LIST, _, _>(op, block, start, len) },
        // SAFETY: the caller's promise.
        false => unsafe { acc_of_stretches::<B, F>(op, block, start, len) },
    }
}

/// As [`acc_of_row`], of more elements than one stretch.
///
/// # Safety
/// As for [`acc_of_row`].
#[inline(always)]
unsafe fn acc_of_stretches<B: Block<Elem: Element>, F: Reduction<B::Elem>>(
    op: &F,
    block: B,
    start: usize,
    len: usize,
) -> F::Acc {
    let (end, mut i, mut round) = (start + len, start, 0);
    // Whole stretches by a loop of its own, whose length the compiler knows: so they do not wait
    // for each other.
    let mut joined = op.start().spread();
    while end - i >= STRETCH {
        let mut stretch = op.start().spread();
        // Once for all rounds: nothing that repeats has so many elements.
        let (from, at) = block.beginning_at(i);
        for k in 0..ROUNDS {
            // SAFETY: the caller's promise: so many rounds are left.
            unsafe { add_near::<B::Elem, F, B>(op, &mut stretch, from, at + k * LANES, round + k) };
            // Costs nothing. Else the compiler takes the same lane of several rounds of integers,
            // whose order it may change, and gathers them.
            compiler_fence(Ordering::SeqCst);
        }
        (i, round) = (i + STRETCH, round + ROUNDS);
        join(op, &mut joined, &stretch);
    }
    let mut lanes = [op.start(); LANES];
    for (i, lane) in lanes.iter_mut().enumerate() {
        *lane = F::Acc::get(&joined, i);
    }
    lanes = by_memory::<LANES, 4, _>(lanes);
    if i < end {
        // SAFETY: as above: there are some.
        let rest = unsafe { lanes_of::<LANES, 4, true, B, F>(op, block, i, end - i, round) };
        for (lane, more) in lanes.iter_mut().zip(rest) {
            *lane = op.join(*lane, more);
        }
    }
    join_all(op, lanes)
}

/// At the beginning of a cache line: what is stored by vectors across two lines is not read back at
/// once.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Aligned<T>(pub(super) T);

/// Some accumulators, up to four groups of `G`, by way of memory: what they come from and what
/// becomes of them is not compiled into one. That the groups lie side by side the compiler does not
/// know then either: else it may read the last of one together with the first of the next, which
/// were not stored together, and waits until both have left for the cache.
#[inline(always)]
pub(super) fn by_memory<const N: usize, const G: usize, A: Copy>(mut lanes: [A; N]) -> [A; N] {
    let stored = Aligned(lanes);
    let (groups, _) = stored.0.as_chunks::<G>();
    let mut parts = [&groups[0]; 4];
    for (part, group) in parts.iter_mut().zip(groups) {
        *part = group;
    }
    let parts = black_box(parts);
    for (group, part) in lanes.as_chunks_mut::<G>().0.iter_mut().zip(parts) {
        *group = *part;
    }
    lanes
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
    let acc = unsafe {
        match (size_of::<F::Acc>(), len) {
            // In any order: one vector of accumulators. Of several, compilers make halves.
            (8, _) if F::EXACT && !F::REORDERED => exact_acc_of_few::<2, _, _>(op, block, 0, len),
            (4, _) if F::EXACT && !F::REORDERED => exact_acc_of_few::<4, _, _>(op, block, 0, len),
            _ => acc_of_stretch::<MOST_FEW, _, _>(op, block, 0, len),
        }
    };
    op.total(acc, Place::lane(0, len))
}

/// Of so many elements the accumulators stay in registers: a function that adds up no more needs no
/// room in memory, which to make takes as long.
pub const FEWEST: usize = 2 * LANES;

/// So many elements take less time than the choice of an instruction set, where all that is read is
/// bound for it.
const MOST_FEW: usize = 12 * LANES;

/// The same of a list, for which nothing is bound: a kernel is called sooner.
pub const MOST_FEW_OF_LIST: usize = 4 * LANES - 1;

/// How many elements of a type, in operations of this cost, take less time than the choice of an
/// instruction set: fewer if wider vectors would save more.
pub const fn most_few<T>(cost: usize) -> usize {
    if cost <= 3 && size_of::<T>() >= 4 { MOST_FEW } else { 4 * LANES }
}

/// What becomes of `len` elements of a block from `start` on, of as many rounds as are not joined
/// with others. The accumulators of up to `FEW` elements are put together without memory.
///
/// # Safety
/// They are in the block, and there is at least one.
#[inline(always)]
unsafe fn acc_of_stretch<const FEW: usize, B: Block<Elem: Element>, F: Reduction<B::Elem>>(
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
    if F::REORDERED {
        // SAFETY: the caller's promise.
        return unsafe { reordered_acc(op, block, start, len) };
    }
    if size_of::<F::Acc>() > 8 && (F::EXACT || len > LANES) {
        if F::EXACT && len <= 4 * LANES {
            // SAFETY: the caller's promise.
            return unsafe { exact_acc_of_few::<2, _, _>(op, block, start, len) };
        }
        // SAFETY: the caller's promise.
        return unsafe { acc_of_several(op, block, start, len) };
    }
    if F::EXACT && len > LANES && !len.is_multiple_of(LANES) {
        // SAFETY: the caller's promise.
        return unsafe { exact_acc_of_few::<LANES, _, _>(op, block, start, len) };
    }
    // Accumulators of which vectors hold few are taken apart fast enough without memory.
    let long = len > if size_of::<F::Acc>() < 8 { FEWEST } else { FEW };
    // Fewer lanes, if the others would hold nothing.
    match len {
        0..=2 => fold!(2, 2, false),
        3..=4 => fold!(4, 4, false),
        5..=8 => fold!(8, 4, false),
        9.. if len.is_multiple_of(LANES) => match long {
            // SAFETY: the caller's promise.
            true => unsafe { acc_of_rounds::<true, B, F>(op, block, start, len) },
            // SAFETY: as above.
            false => unsafe { acc_of_rounds::<false, B, F>(op, block, start, len) },
        },
        _ if long => fold!(16, 4, true),
        // SAFETY: the caller's promise: there are as many elements.
        9..LANES if F::JOINS => unsafe { acc_of_halves(op, block, start, len) },
        _ => fold!(16, 4, false),
    }
}

/// As [`acc_of_row`], one after the other: compilers make of that what is best.
///
/// # Safety
/// As for [`acc_of_row`].
#[inline(always)]
unsafe fn reordered_acc<B: Block<Elem: Element>, F: Reduction<B::Elem>>(
    op: &F,
    block: B,
    start: usize,
    len: usize,
) -> F::Acc {
    let mut acc = op.start();
    for i in start..start + len {
        // SAFETY: the caller's promise.
        acc = op.step(acc, unsafe { block.reads().root::<false>(i) }.0, 0);
    }
    acc
}

/// As [`acc_of_stretch`], of few elements in any order.
///
/// # Safety
/// As for [`acc_of_stretch`].
#[inline(always)]
unsafe fn exact_acc_of_few<const N: usize, B: Block<Elem: Element>, F: Reduction<B::Elem>>(
    op: &F,
    block: B,
    start: usize,
    len: usize,
) -> F::Acc {
    // SAFETY: the caller's promise, if `i` is less than the length.
    let at = |i: usize| unsafe { block.reads().root::<false>(start + i) }.0;
    let (mut accs, mut i, mut round) = ([op.start(); N], 0, 0);
    while len - i >= N {
        for (k, acc) in accs.iter_mut().enumerate() {
            *acc = op.step(*acc, at(i + k), round);
        }
        (i, round) = (i + N, round + 1);
    }
    // By halves: of each the compiler knows the accumulators, so that these stay in vectors. Those
    // of a half have taken one of each before.
    macro_rules! some {
        ($($some:literal)*) => {$(
            if const { N > $some } && len - i >= $some {
                for (k, acc) in accs.iter_mut().enumerate().take($some) {
                    *acc = op.step(*acc, at(i + k), round);
                }
                (i, round) = (i + $some, round + 1);
            }
        )*};
    }
    some!(8 4 2 1);
    let _ = round;
    debug_assert_eq!(i, len, "less than a round is left, and less than half of that each time");
    join_all(op, accs)
}

/// As [`acc_of_stretch`], of accumulators of several parts: each part of all of them lies together,
/// because to bring them together at last would take longer than to add the elements.
///
/// # Safety
/// As for [`acc_of_stretch`].
#[inline(always)]
unsafe fn acc_of_several<B: Block<Elem: Element>, F: Reduction<B::Elem>>(
    op: &F,
    block: B,
    start: usize,
    len: usize,
) -> F::Acc {
    let (mut lanes, end) = (op.start().spread(), start + len);
    let (mut i, mut round) = (start, 0);
    while end - i >= LANES {
        // SAFETY: the caller's promise: a round is left.
        unsafe { add_all::<B::Elem, F, B>(op, &mut lanes, block, i, round) };
        (i, round) = (i + LANES, round + 1);
    }
    if i < end {
        // SAFETY: as above: there are some.
        unsafe { add::<B::Elem, F, B>(op, &mut lanes, block, i..end, 0, round) };
    }
    halve_lanes(op, &mut lanes);
    F::Acc::get(&lanes, 0)
}

/// As [`acc_of_stretch`], of elements that fill half of the lanes, and of the others some, which
/// are joined with those of the first half as they are read.
///
/// # Safety
/// As for [`acc_of_stretch`]; there are as many.
#[inline(always)]
unsafe fn acc_of_halves<B: Block<Elem: Element>, F: Reduction<B::Elem>>(
    op: &F,
    block: B,
    start: usize,
    len: usize,
) -> F::Acc {
    const HALF: usize = LANES / 2;
    let of = |k: usize| {
        // SAFETY: the caller's promise, of a `k` below the length.
        op.step(op.start(), unsafe { block.reads().root::<false>(start + k) }.0, 0)
    };
    let mut lanes: [F::Acc; HALF] = each_lane(of);
    // By twos: a vector of the largest, of which one by itself is added to its first element.
    for (group, lanes) in lanes.as_chunks_mut::<2>().0.iter_mut().enumerate() {
        let first = HALF + 2 * group;
        if first + 1 < len {
            let both = [of(first), of(first + 1)];
            *lanes = [op.join(lanes[0], both[0]), op.join(lanes[1], both[1])];
        } else if first < len {
            lanes[0] = op.join(lanes[0], of(first));
        }
    }
    join_all(op, lanes)
}

/// As [`acc_of_stretch`], of elements that fill all lanes: nothing is left at last, so that
/// compilers see whole vectors.
///
/// # Safety
/// As for [`acc_of_stretch`].
#[inline(always)]
unsafe fn acc_of_rounds<const LONG: bool, B: Block<Elem: Element>, F: Reduction<B::Elem>>(
    op: &F,
    block: B,
    start: usize,
    len: usize,
) -> F::Acc {
    let mut lanes = [op.start(); LANES];
    for round in 0..len / LANES {
        let first = start + round * LANES;
        for (k, lane) in lanes.iter_mut().enumerate() {
            // SAFETY: the caller's promise: a round is left.
            let value = unsafe { block.reads().root::<false>(first + k) }.0;
            *lane = op.step(*lane, value, round);
        }
    }
    if LONG {
        // Half of them are left, of which vectors are made; through memory: see `lanes_of`.
        let mut half = [op.start(); LANES / 2];
        for (k, half) in half.iter_mut().enumerate() {
            *half = op.join(lanes[k], lanes[k + LANES / 2]);
        }
        return join_all(op, by_memory::<{ LANES / 2 }, 2, _>(half));
    }
    join_all(op, lanes)
}

/// The accumulators of `len` elements of a block from `start` on: that with number `i % N` takes
/// element `i`. What does not fill them goes to groups of `G` of them: for each place of its end
/// the compiler knows the accumulators, which so stay in registers.
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
        for (k, lane) in lanes.iter_mut().enumerate() {
            // SAFETY: the caller's promise: `N` elements are left.
            let value = unsafe { block.reads().root::<false>(i + k) }.0;
            *lane = op.step(*lane, value, round);
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
                let value = unsafe { block.reads().root::<false>(i + first + k) }.0;
                *lane = op.step(*lane, value, round);
            }
        } else if rest > first {
            let mut part = [op.start(); G];
            for (k, acc) in part.iter_mut().enumerate().take(G - 1) {
                if first + k < rest {
                    // SAFETY: the caller's promise: `rest` elements are left.
                    let value = unsafe { block.reads().root::<false>(i + first + k) }.0;
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
        // By a few accumulators: of those that are compared, each takes several instructions.
        _ if F::EXACT => return fold_few(op, block, len),
        1..=2 => acc_apart::<1, _, _>(op, block, len),
        3..=4 => acc_apart::<2, _, _>(op, block, len),
        5..=8 => acc_apart::<4, _, _>(op, block, len),
        9..=16 => acc_apart::<8, _, _>(op, block, len),
        _ => return fold_few(op, block, len),
    };
    op.total(acc, Place::lane(0, len))
}

/// As [`fold_apart`], of a square of which the compiler knows the side: for others nothing is
/// compiled.
#[inline(always)]
pub fn fold_square<const N: usize, B: Block<Elem: Element>, F: Reduction<B::Elem>>(
    op: &F,
    block: B,
) -> F::Total {
    let acc = match N {
        2 => acc_apart::<2, _, _>(op, block, N * N),
        _ if F::EXACT => return fold_few(op, block, N * N),
        3 | 4 => acc_apart::<8, _, _>(op, block, N * N),
        _ => return fold_apart(op, block, N * N),
    };
    op.total(acc, Place::lane(0, N * N))
}

/// The accumulator of `HALF` to twice as many elements, of which each has a lane.
#[inline(always)]
fn acc_apart<const HALF: usize, B: Block<Elem: Element>, F: Reduction<B::Elem>>(
    op: &F,
    block: B,
    len: usize,
) -> F::Acc {
    let enough = (HALF..=2 * HALF).contains(&len) && len <= block.root_len();
    assert!(F::JOINS && enough, "as many elements");
    let of = |k: usize| {
        // SAFETY: below the length, as just checked, and where it is called.
        let value = unsafe { block.reads().root::<false>(k) }.0;
        op.step(op.start(), value, 0)
    };
    // Not by `each_lane`: sums of rows of four become a loop over vectors of rows in this form.
    let mut lanes = std::array::from_fn(of);
    for (k, lane) in lanes.iter_mut().enumerate() {
        // One by one: what lies apart is not loaded as vectors.
        if HALF + k < len {
            *lane = op.join(*lane, of(HALF + k));
        }
    }
    join_all::<HALF, _, _>(op, lanes)
}

/// Joins the upper half of some accumulators, a power of two, with the lower one, until one is
/// left. Those that hold nothing are what changes nothing.
#[inline(always)]
pub(super) fn join_all<const N: usize, T: Element, F: Reduction<T>>(
    op: &F,
    mut lanes: [F::Acc; N],
) -> F::Acc {
    let mut half = N / 2;
    while half > 0 {
        for i in 0..half {
            lanes[i] = op.join(lanes[i], lanes[i + half]);
        }
        half /= 2;
    }
    lanes[0]
}

/// Folds one row: as [`Rows`], but with nothing to set up.
struct Row<'k, F, B> {
    op: &'k F,
    /// The number of the first element among those of its result.
    first: usize,
    block: PhantomData<B>,
}

impl<T: Element, F: Reduction<T>, B: Block<Elem = T>> Single for Row<'_, F, B> {
    type Block = B;
    type Held = B::Ops;
    type Output = F::Total;
    const VECTORS: bool = !F::SELDOM;
    const WIDE: bool = is_wide::<T, F>();

    #[inline(always)]
    fn run(self, block: B, ops: B::Ops, len: usize) -> F::Total {
        total_of_row::<PLAIN, T, F, B>(self.op, block.held(ops), 0, Place::lane(self.first, len))
    }

    #[inline(always)]
    fn run_wide(self, block: B, ops: B::Ops, len: usize) -> F::Total {
        let (block, place) = (block.held(ops), Place::lane(self.first, len));
        if const { is_of_many::<T, F>() } {
            return total_of_long_row::<T, F, B>(self.op, block, 0, place);
        }
        total_of_row::<false, T, F, B>(self.op, block, 0, place)
    }
}

/// As [`fold_few`], of a reduction that does not join, and no more elements than lanes: each has
/// one by itself.
#[inline(always)]
pub fn fold_lanes<B: Block<Elem: Element>, F: Reduction<B::Elem>>(
    op: &F,
    block: B,
    len: usize,
) -> F::Total {
    // Nothing but what such few take is compiled then.
    assert!(!F::JOINS && (1..=LANES).contains(&len), "few elements");
    total_of_row::<false, B::Elem, F, B>(op, block, 0, Place::lane(0, len))
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
    fold_row_after(op, isa, block, 0, len)
}

/// As [`fold_row`], of a block of a result that has others before it, of so many elements.
#[inline]
pub(super) fn fold_row_after<B: Block<Elem: Element>, F: Reduction<B::Elem>>(
    op: &F,
    isa: Isa,
    block: B,
    first: usize,
    len: usize,
) -> F::Total {
    isa.single(Row { op, first, block: PhantomData }, block, block.ops(), len)
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
    type Held = ();
    const WIDE: bool = super::is_wide::<T, F>();

    #[inline(always)]
    fn held(&self) {}

    #[inline(always)]
    fn run(&self, (): (), totals: &mut [F::Total], _: usize) {
        for (number, total) in totals.iter_mut().enumerate() {
            let place = Place::lane(0, self.len);
            *total = total_of_row::<false, T, F, B>(self.op, (self.block_of)(number), 0, place);
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
