//! What repeats among few elements: computed once, and copied.

use crate::kernel::block::{Block, Reads};
use ndcore::Element;
use std::mem::MaybeUninit;

/// Along which axes of a result of few elements those of an operand differ, as bits: along the
/// others they repeat.
#[derive(Clone, Copy, Debug)]
pub struct Repeats<'a> {
    pub shape: &'a [usize],
    pub axes: u64,
}

impl Repeats<'_> {
    /// Puts a value into each slot, those of a result in row-major order: one of those that are the
    /// same is computed by a function, which is given where some begin, and puts a value into each.
    ///
    /// # Panics
    /// If there are not as many slots.
    fn spread<T: Copy>(
        self,
        slots: &mut [MaybeUninit<T>],
        compute: &mut dyn FnMut(usize, &mut [MaybeUninit<T>]),
    ) {
        let Repeats { shape, axes } = self;
        assert_eq!(slots.len(), shape.iter().product::<usize>(), "one slot an element");
        let differs = |axis: usize| axes & (1 << axis) != 0;
        // The last axes, along which they all differ, or repeat, are a row.
        let of_row = shape.len().checked_sub(1).is_some_and(differs);
        let outer = (0..shape.len()).rposition(|axis| differs(axis) != of_row);
        let outer = outer.map_or(0, |axis| axis + 1);
        let len = shape[outer..].iter().product::<usize>().max(1);
        for (number, start) in (0..slots.len()).step_by(len).enumerate() {
            match repeated(&shape[..outer], axes, number) {
                Some(back) => {
                    slots.copy_within(start - back * len..start - back * len + len, start)
                }
                None if of_row => compute(start, &mut slots[start..start + len]),
                None => {
                    compute(start, &mut slots[start..=start]);
                    let value = slots[start];
                    slots[start + 1..start + len].fill(value);
                }
            }
        }
    }
}

/// How many rows before this one, of a result with these outer axes, there is one that is the same,
/// if it is the next one before along an axis.
fn repeated(outer: &[usize], axes: u64, number: usize) -> Option<usize> {
    let (mut rest, mut back) = (number, 1);
    for (axis, &extent) in outer.iter().enumerate().rev() {
        if axes & (1 << axis) == 0 && !rest.is_multiple_of(extent) {
            return Some(back);
        }
        rest /= extent;
        back *= extent;
    }
    None
}

/// Computes the elements of a block's root, which repeat so, into slots: each once.
///
/// # Panics
/// If there are fewer elements, or not as many slots.
#[inline(always)]
pub fn compute_once<'s, B: Block<Elem: Element>>(
    slots: &'s mut [MaybeUninit<B::Elem>],
    repeats: Repeats<'_>,
    block: B,
) -> &'s mut [B::Elem] {
    assert!(slots.len() <= block.root_len(), "an element for each slot");
    let reads = block.reads();
    repeats.spread(slots, &mut |start, slots| {
        for (i, slot) in slots.iter_mut().enumerate() {
            // SAFETY: `spread` gives a part of the slots and where that begins among them, of which
            // there are no more than elements.
            slot.write(unsafe { reads.root::<false>(start + i) }.0);
        }
    });
    // SAFETY: `spread` has put a value into each slot.
    unsafe { slots.assume_init_mut() }
}
