//! What a closure makes of elements one after the other: no accumulators, and one way to go.

use crate::kernel::block::{Block, Reads};
use crate::kernel::store::compute_part_here;
use ndcore::Element;
use std::mem::MaybeUninit;

/// So many elements are computed before a closure is given them one after the other.
const PART: usize = 64;

/// What a closure makes of the first `len` elements of a block's root, one after the other.
#[inline(always)]
pub fn fold_in_order<B: Block<Elem: Element>, A>(
    block: B,
    len: usize,
    init: A,
    mut f: impl FnMut(A, B::Elem) -> A,
) -> A {
    assert!(len <= block.root_len(), "a block is as long as its run");
    let mut value = init;
    // Of numbers, computed in vectors first: between two steps of `most.max(x)` compilers put three
    // instructions if `x` is computed there, and one if it is read. Not of tuples of them, which
    // would be taken apart again.
    if const { size_of::<B::Elem>() == align_of::<B::Elem>() } && len >= PART / 4 {
        let mut slots = [MaybeUninit::uninit(); PART];
        let mut start = 0;
        while start < len {
            let slots = &mut slots[..PART.min(len - start)];
            let part = compute_part_here(slots, &block, start);
            value = part.iter().copied().fold(value, &mut f);
            start += part.len();
        }
        return value;
    }
    for i in 0..len {
        // SAFETY: below the length, as just checked.
        value = f(value, unsafe { block.reads().root::<false>(i) }.0);
    }
    value
}
