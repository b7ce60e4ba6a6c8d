//! The fused loop: a task walks its part of the loops box by box and run by run, and computes each run in one loop over unit-stride
//! blocks.

mod fold;
mod isa;
mod source;
mod stream;

pub use fold::{Reader, Slots, Values, fold, fold_block, merge_blocks};
pub use isa::{Isa, run};
pub use source::{Applied, AppliedBlock, Block, Leaf, Region, Run, Source, Splat};

use crate::ops::Op;
use crate::plan::Plan;
use ndcore::{Axes, Dyn, Element, Packed, ViewMut};
use std::mem::MaybeUninit;

/// What becomes of the computed elements of a run: the destination's side of the inner loop.
pub trait Sink<V> {
    /// What lies in the output's memory.
    type Slot: Element;

    /// What a slot may hold before it is stored to; `None` if its value is needed.
    #[inline(always)]
    fn blank(&self) -> Option<Self::Slot> {
        None
    }

    /// Takes the elements of `block` from `start` on. Compiled for each instruction set: mark it as `#[inline(always)]`.
    fn run<B: Block<Elem = V>>(&self, out: &mut [Self::Slot], block: B, start: usize);
}

/// A destination with a slot for each element.
pub trait Store<V>: Sink<V> + Sync {
    /// Stores an element.
    fn put(&self, slot: &mut Self::Slot, value: V);
}

/// Overwrites the output, which need not be initialised.
#[derive(Clone, Copy, Debug)]
pub struct Write;

impl<V: Element> Sink<V> for Write {
    type Slot = MaybeUninit<V>;

    #[inline(always)]
    fn blank(&self) -> Option<MaybeUninit<V>> {
        Some(MaybeUninit::uninit())
    }

    #[inline(always)]
    fn run<B: Block<Elem = V>>(&self, out: &mut [MaybeUninit<V>], block: B, start: usize) {
        isa::run_any(self, out, block, start);
    }
}

impl<V: Element> Store<V> for Write {
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

impl<T: Element, V, O: Op<(T, V), Output = T>> Sink<V> for Update<O, T> {
    type Slot = T;

    #[inline(always)]
    fn run<B: Block<Elem = V>>(&self, out: &mut [T], block: B, start: usize) {
        isa::run_any(self, out, block, start);
    }
}

impl<T: Element, V, O: Op<(T, V), Output = T>> Store<V> for Update<O, T> {
    #[inline(always)]
    fn put(&self, slot: &mut T, value: V) {
        *slot = self.op.apply((*slot, value));
    }
}

/// What a task does with its part of the output, without the types of the expression: so the walk over boxes and runs is compiled once for each type
/// of output.
pub trait Work<Slot> {
    /// Packs what has to be packed for the runs of a box.
    fn fetch(&mut self, region: &Region);

    /// Computes a run, or a piece of one.
    fn run(&mut self, run: &Run<'_>, slots: &mut [Slot]);

    /// As [`Sink::blank`].
    fn blank(&self) -> Option<Slot>;
}

/// A bound expression and where its results go.
pub struct Worker<'a, S, D> {
    pub source: S,
    pub store: &'a D,
    pub isa: Isa,
    pub streamed: bool,
}

impl<S: Source, D: Sink<S::Elem>> Work<D::Slot> for Worker<'_, S, D> {
    fn fetch(&mut self, region: &Region) {
        self.source.fetch(region);
    }

    fn run(&mut self, run: &Run<'_>, slots: &mut [D::Slot]) {
        isa::run(self.isa, self.streamed, self.store, slots, self.source.block(run));
    }

    fn blank(&self) -> Option<D::Slot> {
        self.store.blank()
    }
}

/// Computes one part of the output: `out` is the part, in the order of the plan's loops, and `start` the index where it begins. Returns the number
/// of elements stored, each exactly once.
pub fn compute<T: Element>(
    work: &mut dyn Work<T>,
    plan: &Plan,
    mut out: ViewMut<'_, T, Dyn>,
    start: &[usize],
) -> usize {
    let mut buffer = Packed::<T>::new();
    let shape: Axes<usize> = out.shape().iter().copied().collect();
    // With this, runs partition their box, as boxes partition `out`: that each element is stored once does not hang on the plan. (Through a
    // buffer, which has the shape of the box, they do so anyway.)
    let whole = |axis: usize| plan.boxes[axis] >= shape[axis];
    assert!(
        plan.scattered || (plan.run_axis + 1..shape.len()).all(whole),
        "a run is only cut along its outermost loop"
    );
    let mut done = 0;
    // A box: its corner within `out`, its corner within the whole, and its extents, cut at the end of `out`.
    let mut corner = Axes::filled(0, shape.len());
    let mut region = Region { start: start.iter().copied().collect(), extents: plan.boxes };
    loop {
        for axis in 0..shape.len() {
            region.start[axis] = start[axis] + corner[axis];
            region.extents[axis] = plan.boxes[axis].min(shape[axis] - corner[axis]);
        }
        work.fetch(&region);
        if plan.scattered {
            match work.blank() {
                Some(blank) => buffer.fill(blank, region.extents.iter().product()),
                None => out.as_dyn().pack(&corner, &region.extents, &mut buffer),
            }
        }
        let len = region.extents[plan.run_axis..].iter().product();
        let runs: usize = region.extents[..plan.run_axis].iter().product();
        // The first element of a run, within `out` and within the whole.
        let (mut within, mut first) = (corner, region.start);
        for number in 0..runs {
            let slots = if plan.scattered {
                &mut buffer.as_mut_slice()[number * len..][..len]
            } else {
                out.run_mut(&within, len).expect("an output that is not scattered lies side by side")
            };
            let mut from = 0;
            for piece in slots.chunks_mut(plan.piece) {
                let run = Run { start: &first, number, whole: len, from, len: piece.len() };
                work.run(&run, piece);
                from += run.len;
            }
            next_run(&mut within, &corner, &region.extents, plan.run_axis);
            next_run(&mut first, &region.start, &region.extents, plan.run_axis);
        }
        done += runs * len;
        if plan.scattered {
            out.unpack(&corner, &region.extents, buffer.as_slice());
        }
        if !next_box(&mut corner, &shape, &plan.boxes) {
            break;
        }
    }
    if plan.streamed {
        #[cfg(target_arch = "x86_64")]
        stream::fence();
    }
    done
}

/// Moves the index of a run to the next one of its box.
#[inline]
fn next_run(index: &mut [usize], start: &[usize], extents: &[usize], run_axis: usize) {
    for axis in (0..run_axis).rev() {
        index[axis] += 1;
        if index[axis] < start[axis] + extents[axis] {
            return;
        }
        index[axis] = start[axis];
    }
}

/// Moves the corner of a box to the next one; false after the last.
#[inline]
pub fn next_box(corner: &mut [usize], shape: &[usize], boxes: &[usize]) -> bool {
    for axis in (0..shape.len()).rev() {
        corner[axis] += boxes[axis];
        if corner[axis] < shape[axis] {
            return true;
        }
        corner[axis] = 0;
    }
    false
}
