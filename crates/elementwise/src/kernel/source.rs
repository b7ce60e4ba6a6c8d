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
    /// Along this axis of the loops the runs lie far apart: ask for one that comes later.
    pub far_apart: Option<usize>,
}

/// An expression bound to memory and loops, with the buffers of one task.
pub trait Source {
    /// The element type.
    type Elem: Element;
    /// The elements of a run.
    type Block<'b>: Block<Elem = Self::Elem>
    where
        Self: 'b;

    /// Packs what has to be packed for the runs of a box.
    fn fetch(&mut self, region: &Region);

    /// The elements of a run of the box that was fetched last.
    fn block<'b>(&'b self, run: &Run<'_>) -> Self::Block<'b>;
}

/// The elements of a run.
pub trait Block: Copy {
    /// The element type.
    type Elem;

    /// The number of elements; a scalar has any number.
    fn len(&self) -> usize;

    /// Element `i`. Not checked: a check for each leaf and element, or slices cut to one length so that the compiler can drop them, would be
    /// most of what it has to compile.
    ///
    /// # Safety
    /// `i` is less than [`len`](Self::len).
    unsafe fn get(&self, i: usize) -> Self::Elem;
}

/// A view in the order of the loops, and a buffer for a box of it.
pub struct Leaf<'a, T: Element> {
    view: View<'a, T, Dyn>,
    packed: bool,
    buffer: Packed<T>,
    /// Which box the buffer holds: boxes along an axis where the leaf repeats begin at the same place.
    holds: Option<(usize, Axes<usize>)>,
}

impl<'a, T: Element> Leaf<'a, T> {
    pub fn new(view: View<'a, T, Dyn>, packed: bool) -> Self {
        Leaf { view, packed, buffer: Packed::new(), holds: None }
    }
}

impl<T: Element> Source for Leaf<'_, T> {
    type Elem = T;
    type Block<'b>
        = &'b [T]
    where
        Self: 'b;

    // Not inlined, as `block`: one copy serves all expressions.
    #[inline(never)]
    fn fetch(&mut self, region: &Region) {
        if !self.packed {
            return;
        }
        let place = self.view.layout().place(&region.start).expect("a box begins at an index of the view");
        if self.holds != Some((place, region.extents)) {
            self.view.pack(&region.start, &region.extents, &mut self.buffer);
            self.holds = Some((place, region.extents));
        }
    }

    #[inline(never)]
    fn block<'b>(&'b self, run: &Run<'_>) -> &'b [T] {
        if self.packed {
            return &self.buffer.as_slice()[run.number * run.len..][..run.len];
        }
        if let Some(axis) = run.far_apart {
            self.view.prefetch(run.start, axis, super::AHEAD, run.len);
        }
        self.view.run(run.start, run.len).expect("what is not packed lies side by side")
    }
}

impl<T: Copy> Block for &[T] {
    type Elem = T;

    #[inline(always)]
    fn len(&self) -> usize {
        <[T]>::len(self)
    }

    #[inline(always)]
    unsafe fn get(&self, i: usize) -> T {
        // SAFETY: the caller's promise.
        unsafe { *self.get_unchecked(i) }
    }
}

/// A scalar.
#[derive(Clone, Copy)]
pub struct Splat<T>(pub T);

impl<T: Element> Source for Splat<T> {
    type Elem = T;
    type Block<'b> = Splat<T>;

    #[inline]
    fn fetch(&mut self, _: &Region) {}

    #[inline]
    fn block(&self, _: &Run<'_>) -> Splat<T> {
        *self
    }
}

impl<T: Copy> Block for Splat<T> {
    type Elem = T;

    #[inline(always)]
    fn len(&self) -> usize {
        usize::MAX
    }

    #[inline(always)]
    unsafe fn get(&self, _: usize) -> T {
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
    type Block<'b>
        = AppliedBlock<'b, O, S::Block<'b>>
    where
        Self: 'b;

    #[inline]
    fn fetch(&mut self, region: &Region) {
        self.args.fetch(region);
    }

    #[inline]
    fn block<'b>(&'b self, run: &Run<'_>) -> Self::Block<'b> {
        AppliedBlock { op: self.op, args: self.args.block(run) }
    }
}

impl<O: Op<B::Elem>, B: Block> Block for AppliedBlock<'_, O, B> {
    type Elem = O::Output;

    #[inline(always)]
    fn len(&self) -> usize {
        self.args.len()
    }

    #[inline(always)]
    unsafe fn get(&self, i: usize) -> O::Output {
        // SAFETY: the caller's promise.
        self.op.apply(unsafe { self.args.get(i) })
    }
}

macro_rules! tuples {
    ($($($part:ident $index:tt),*;)*) => {$(
        impl<$($part: Source),*> Source for ($($part,)*) {
            type Elem = ($($part::Elem,)*);
            type Block<'b> = ($($part::Block<'b>,)*) where Self: 'b;

            #[inline]
            fn fetch(&mut self, region: &Region) {
                $(self.$index.fetch(region);)*
            }

            #[inline]
            fn block<'b>(&'b self, run: &Run<'_>) -> Self::Block<'b> {
                ($(self.$index.block(run),)*)
            }
        }

        impl<$($part: Block),*> Block for ($($part,)*) {
            type Elem = ($($part::Elem,)*);

            #[inline(always)]
            fn len(&self) -> usize {
                usize::MAX$(.min(self.$index.len()))*
            }

            #[inline(always)]
            unsafe fn get(&self, i: usize) -> Self::Elem {
                // SAFETY: the caller's promise; no part is shorter than the whole.
                unsafe { ($(self.$index.get(i),)*) }
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
