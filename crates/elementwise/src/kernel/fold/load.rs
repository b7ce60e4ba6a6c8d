//! Elements of a block as many as lanes, or some of them.

use crate::kernel::{Block, Reads};
use crate::plan::LANES;
use ndcore::Element;
use std::mem::MaybeUninit;

/// A function of each lane. As `std::array::from_fn`, which is a call where the function is long:
/// of the instructions of the baseline then, whatever the loop is compiled for.
#[inline(always)]
pub(super) fn each_lane<const N: usize, V: Copy>(of: impl Fn(usize) -> V) -> [V; N] {
    let mut lanes = [const { MaybeUninit::uninit() }; N];
    let mut k = 0;
    // Counted by hand: in a debug build an iterator takes several calls for each element.
    while k < N {
        lanes[k] = MaybeUninit::new(of(k));
        k += 1;
    }
    // SAFETY: each has just been written.
    unsafe { lanes.as_ptr().cast::<[V; N]>().read() }
}

/// As many elements of a block from `start` on as lanes.
///
/// # Safety
/// There are as many.
#[inline(always)]
pub(super) unsafe fn load_all<B: Block<Elem: Element>>(block: B, start: usize) -> [B::Elem; LANES] {
    let (from, at) = block.beginning_at(start);
    // SAFETY: the caller's promise.
    unsafe { load_near(from, at) }
}

/// The same, of a place near the beginning: what repeats has no more elements than that.
///
/// # Safety
/// There are as many.
#[inline(always)]
pub(super) unsafe fn load_near<B: Block<Elem: Element>>(
    block: B,
    start: usize,
) -> [B::Elem; LANES] {
    // SAFETY: the caller's promise.
    unsafe { load_read(block.reads(), start) }
}

/// The same of what a loop reads of a block.
///
/// # Safety
/// There are as many.
#[inline(always)]
pub(super) unsafe fn load_read<R: Reads<Elem: Element>>(
    reads: R,
    start: usize,
) -> [R::Elem; LANES] {
    // Not as [`load`]: without the first element, the others would be no whole vectors.
    each_lane(
        #[inline(always)]
        |lane| {
            // SAFETY: the caller's promise: the sum is less than a length. To the compiler this
            // says that the elements lie side by side.
            unsafe { reads.root::<false>(start.unchecked_add(lane)) }.0
        },
    )
}

/// Elements of the block from `start` on, `stride` apart.
///
/// # Safety
/// They are in the block, as many as lanes.
#[inline(always)]
pub(super) unsafe fn load_apart<B: Block<Elem: Element>>(
    block: B,
    start: usize,
    stride: usize,
) -> [B::Elem; LANES] {
    // SAFETY: the caller's promise.
    let mut values = [unsafe { block.reads().root::<false>(start) }.0; LANES];
    for (row, value) in values.iter_mut().enumerate().skip(1) {
        // SAFETY: the caller's promise: `row` is less than the number of lanes.
        *value = unsafe { block.reads().root::<false>(start + row * stride) }.0;
    }
    values
}

/// The `len` elements of a block from `start` on, at most as many as lanes, and the last of them
/// where there is none: without a list in memory, which would be waited for.
///
/// # Safety
/// They are in the block, and there is at least one.
#[inline(always)]
pub(super) unsafe fn load_some<B: Block<Elem: Element>>(
    block: B,
    start: usize,
    len: usize,
) -> [B::Elem; LANES] {
    each_lane(
        #[inline(always)]
        |lane| {
            // SAFETY: the caller's promise.
            unsafe { block.reads().root::<false>(start + lane.min(len - 1)) }.0
        },
    )
}

/// The `len` elements of the block from `start` on, from 1 to as many as lanes.
///
/// # Safety
/// They are in the block, and there is at least one.
#[inline(always)]
pub(super) unsafe fn load<B: Block<Elem: Element>>(
    block: B,
    start: usize,
    len: usize,
) -> [B::Elem; LANES] {
    // SAFETY: the caller's promise.
    unsafe { load_some_read(block.reads(), start, len) }
}

/// The same of what a loop reads of a block.
///
/// # Safety
/// They are in the block, and there is at least one.
#[inline(always)]
pub(super) unsafe fn load_some_read<R: Reads<Elem: Element>>(
    reads: R,
    start: usize,
    len: usize,
) -> [R::Elem; LANES] {
    // SAFETY: the caller's promise: there is at least one.
    let mut values = [unsafe { reads.root::<false>(start) }.0; LANES];
    for (lane, value) in values.iter_mut().enumerate().take(len).skip(1) {
        // SAFETY: the caller's promise: there are `len`, and `lane` is less.
        *value = unsafe { reads.root::<false>(start + lane) }.0;
    }
    values
}
