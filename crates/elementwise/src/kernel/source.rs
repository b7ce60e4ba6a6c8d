//! What a run reads: each leaf hands over unit-stride blocks, as they lie or packed.

// Users never hold one of these.
#![allow(missing_debug_implementations)]

use crate::ops::Op;
use ndcore::{Axes, Dyn, Element, Packed, View};

/// A box of the loops: its first index and its extents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    pub start: Axes<usize>,
    pub extents: Axes<usize>,
}

/// A run within a box: the index of its first element, its number in the box, and its length.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    pub start: &'a [usize],
    pub number: usize,
    pub len: usize,
}

/// An expression bound to memory and loops, shared by all tasks.
pub trait Source: Sync {
    /// The element type.
    type Elem: Element;
    /// The buffers that a task needs.
    type Scratch;
    /// The elements of a run.
    type Block<'b>: Block<Elem = Self::Elem>
    where
        Self: 'b;

    /// Buffers for a task, empty.
    fn scratch() -> Self::Scratch;

    /// Packs what has to be packed for the runs of a box.
    fn fetch(&self, scratch: &mut Self::Scratch, region: &Region);

    /// Asks for the elements that a later run along `axis` will read as they lie.
    fn prefetch(&self, first: &[usize], axis: usize, len: usize);

    /// The elements of a run of the box that was fetched last.
    fn block<'b>(&'b self, scratch: &'b Self::Scratch, run: &Run<'_>) -> Self::Block<'b>;
}

/// The elements of a run.
pub trait Block: Copy {
    /// The element type.
    type Elem;

    /// The `len` elements from `start` on.
    fn part(self, start: usize, len: usize) -> Self;

    /// Element `i`.
    fn get(&self, i: usize) -> Self::Elem;
}

/// A view in the order of the loops.
pub struct Leaf<'a, T> {
    view: View<'a, T, Dyn>,
    packed: bool,
}

impl<'a, T: Element> Leaf<'a, T> {
    pub fn new(view: View<'a, T, Dyn>, packed: bool) -> Self {
        Leaf { view, packed }
    }
}

/// A leaf's buffer, and which box it holds: boxes along an axis where the leaf repeats begin at the same place.
pub struct LeafScratch<T: Element> {
    elements: Packed<T>,
    holds: Option<(usize, Axes<usize>)>,
}

impl<T: Element> Source for Leaf<'_, T> {
    type Elem = T;
    type Scratch = LeafScratch<T>;
    type Block<'b>
        = &'b [T]
    where
        Self: 'b;

    #[inline]
    fn scratch() -> LeafScratch<T> {
        LeafScratch { elements: Packed::new(), holds: None }
    }

    // Not inlined, as the two below: one copy serves all expressions.
    #[inline(never)]
    fn fetch(&self, scratch: &mut LeafScratch<T>, region: &Region) {
        if !self.packed {
            return;
        }
        let place = self.view.layout().place(&region.start).expect("a box begins at an index of the view");
        if scratch.holds != Some((place, region.extents)) {
            self.view.pack(&region.start, &region.extents, &mut scratch.elements);
            scratch.holds = Some((place, region.extents));
        }
    }

    #[inline(never)]
    fn prefetch(&self, first: &[usize], axis: usize, len: usize) {
        if !self.packed {
            self.view.prefetch(first, axis, super::AHEAD, len);
        }
    }

    #[inline(never)]
    fn block<'b>(&'b self, scratch: &'b LeafScratch<T>, run: &Run<'_>) -> &'b [T] {
        if self.packed {
            &scratch.elements.as_slice()[run.number * run.len..][..run.len]
        } else {
            self.view.run(run.start, run.len).expect("what is not packed lies side by side")
        }
    }
}

impl<T: Copy> Block for &[T] {
    type Elem = T;

    #[inline(always)]
    fn part(self, start: usize, len: usize) -> Self {
        &self[start..][..len]
    }

    #[inline(always)]
    fn get(&self, i: usize) -> T {
        self[i]
    }
}

/// A scalar.
#[derive(Clone, Copy)]
pub struct Splat<T>(pub T);

impl<T: Element> Source for Splat<T> {
    type Elem = T;
    type Scratch = ();
    type Block<'b> = Splat<T>;

    #[inline]
    fn scratch() {}

    #[inline]
    fn fetch(&self, _: &mut (), _: &Region) {}

    #[inline]
    fn prefetch(&self, _: &[usize], _: usize, _: usize) {}

    #[inline]
    fn block<'b>(&'b self, _: &'b (), _: &Run<'_>) -> Splat<T> {
        *self
    }
}

impl<T: Copy> Block for Splat<T> {
    type Elem = T;

    #[inline(always)]
    fn part(self, _: usize, _: usize) -> Self {
        self
    }

    #[inline(always)]
    fn get(&self, _: usize) -> T {
        self.0
    }
}

/// An operation on a source.
pub struct Applied<'a, O, S> {
    pub op: &'a O,
    pub args: S,
}

/// An operation on a block.
pub struct AppliedBlock<'b, O, B> {
    pub op: &'b O,
    pub args: B,
}

impl<O, B: Copy> Clone for AppliedBlock<'_, O, B> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<O, B: Copy> Copy for AppliedBlock<'_, O, B> {}

impl<O: Op<S::Elem>, S: Source> Source for Applied<'_, O, S> {
    type Elem = O::Output;
    type Scratch = S::Scratch;
    type Block<'b>
        = AppliedBlock<'b, O, S::Block<'b>>
    where
        Self: 'b;

    #[inline]
    fn scratch() -> S::Scratch {
        S::scratch()
    }

    #[inline]
    fn fetch(&self, scratch: &mut S::Scratch, region: &Region) {
        self.args.fetch(scratch, region);
    }

    #[inline]
    fn prefetch(&self, first: &[usize], axis: usize, len: usize) {
        self.args.prefetch(first, axis, len);
    }

    #[inline]
    fn block<'b>(&'b self, scratch: &'b S::Scratch, run: &Run<'_>) -> Self::Block<'b> {
        AppliedBlock { op: self.op, args: self.args.block(scratch, run) }
    }
}

impl<O: Op<B::Elem>, B: Block> Block for AppliedBlock<'_, O, B> {
    type Elem = O::Output;

    #[inline(always)]
    fn part(self, start: usize, len: usize) -> Self {
        AppliedBlock { op: self.op, args: self.args.part(start, len) }
    }

    #[inline(always)]
    fn get(&self, i: usize) -> O::Output {
        self.op.apply(self.args.get(i))
    }
}

macro_rules! tuples {
    ($($($part:ident $index:tt),*;)*) => {$(
        impl<$($part: Source),*> Source for ($($part,)*) {
            type Elem = ($($part::Elem,)*);
            type Scratch = ($($part::Scratch,)*);
            type Block<'b> = ($($part::Block<'b>,)*) where Self: 'b;

            #[inline]
            fn scratch() -> Self::Scratch {
                ($($part::scratch(),)*)
            }

            #[inline]
            fn fetch(&self, scratch: &mut Self::Scratch, region: &Region) {
                $(self.$index.fetch(&mut scratch.$index, region);)*
            }

            #[inline]
            fn prefetch(&self, first: &[usize], axis: usize, len: usize) {
                $(self.$index.prefetch(first, axis, len);)*
            }

            #[inline]
            fn block<'b>(&'b self, scratch: &'b Self::Scratch, run: &Run<'_>) -> Self::Block<'b> {
                ($(self.$index.block(&scratch.$index, run),)*)
            }
        }

        impl<$($part: Block),*> Block for ($($part,)*) {
            type Elem = ($($part::Elem,)*);

            #[inline(always)]
            fn part(self, start: usize, len: usize) -> Self {
                ($(self.$index.part(start, len),)*)
            }

            #[inline(always)]
            fn get(&self, i: usize) -> Self::Elem {
                ($(self.$index.get(i),)*)
            }
        }
    )*};
}

tuples! {
    A 0;
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
    A 0, B 1, C 2, D 3, E 4;
    A 0, B 1, C 2, D 3, E 4, F 5;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7;
}
