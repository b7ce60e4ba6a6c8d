//! The fused loop: a task walks its part of the loops box by box and run by run, and computes each run in one loop over unit-stride
//! blocks.

mod isa;
mod source;

pub use isa::Isa;
pub use source::{Applied, Block, Leaf, Source, Splat};

use crate::ops::Op;
use crate::plan::{BOX_CAPACITY, Plan};
use ndcore::{Axes, Dyn, Element, Packed, ViewMut};
use source::{Region, Run};
use std::mem::MaybeUninit;

/// What becomes of a computed element: the destination's side of the inner loop.
pub trait Store<V>: Sync {
    /// What lies in the output's memory.
    type Slot: Element;

    /// Stores an element.
    fn put(&self, slot: &mut Self::Slot, value: V);
}

/// Overwrites the output, which need not be initialised.
#[derive(Clone, Copy, Debug)]
pub struct Write;

impl<V: Element> Store<V> for Write {
    type Slot = MaybeUninit<V>;

    #[inline(always)]
    fn put(&self, slot: &mut MaybeUninit<V>, value: V) {
        slot.write(value);
    }
}

/// Combines the output with what is computed: `x += ..`.
#[derive(Clone, Copy, Debug)]
pub struct Update<O, T> {
    pub op: O,
    pub output: std::marker::PhantomData<fn() -> T>,
}

impl<T: Element, V, O: Op<(T, V), Output = T>> Store<V> for Update<O, T> {
    type Slot = T;

    #[inline(always)]
    fn put(&self, slot: &mut T, value: V) {
        *slot = self.op.apply((*slot, value));
    }
}

/// Computes one part of the output: `out` is the part, in the order of the plan's loops, and `start` the index where it begins. Returns the number
/// of elements stored, each exactly once.
pub fn compute<S: Source, D: Store<S::Elem>>(
    source: &S,
    store: &D,
    plan: &Plan,
    isa: Isa,
    mut out: ViewMut<'_, D::Slot, Dyn>,
    start: &[usize],
) -> usize {
    let mut scratch = S::scratch();
    let mut buffer = Packed::<D::Slot, BOX_CAPACITY>::new();
    let mut done = 0;
    let shape: Axes<usize> = out.shape().iter().copied().collect();
    let mut corner = Axes::filled(0, shape.len());
    loop {
        // A box: its corner within `out` and within the whole, and its extents, cut at the end of `out`.
        let mut region = Region { start: corner, extents: plan.boxes };
        for axis in 0..shape.len() {
            region.start[axis] += start[axis];
            region.extents[axis] = plan.boxes[axis].min(shape[axis] - corner[axis]);
        }
        source.fetch(&mut scratch, &region);
        let len = region.extents[plan.run_axis..].iter().product();
        if plan.scattered {
            out.as_dyn().pack(&corner, &region.extents, &mut buffer);
        }
        let mut first = region.start;
        let mut number = 0;
        loop {
            let run = Run { start: &first, number, len };
            let block = source.block(&scratch, &run);
            if plan.scattered {
                isa::run(isa, store, &mut buffer.as_mut_slice()[number * len..][..len], block);
            } else {
                let mut within = first;
                within.iter_mut().zip(start).for_each(|(index, start)| *index -= start);
                let slots = out.run_mut(&within, len).expect("an output that is not scattered lies side by side");
                isa::run(isa, store, slots, block);
            }
            done += len;
            number += 1;
            if !advance(&mut first[..plan.run_axis], &region.start, &region.extents, |_| 1) {
                break;
            }
        }
        if plan.scattered {
            out.unpack(&corner, &region.extents, buffer.as_slice());
        }
        if !advance(&mut corner, &Axes::filled(0, shape.len()), &shape, |axis| plan.boxes[axis]) {
            return done;
        }
    }
}

/// Moves an index to the next one in row-major order, by `step` along each axis, within `extents` from `start`; false at the end.
#[inline]
fn advance(index: &mut [usize], start: &[usize], extents: &[usize], step: impl Fn(usize) -> usize) -> bool {
    for axis in (0..index.len()).rev() {
        index[axis] += step(axis);
        if index[axis] < start[axis] + extents[axis] {
            return true;
        }
        index[axis] = start[axis];
    }
    false
}
