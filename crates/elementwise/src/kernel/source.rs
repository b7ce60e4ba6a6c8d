//! What a run reads: each leaf hands over unit-stride blocks, as they lie or packed.

// Users never hold one of these.
#![allow(missing_debug_implementations)]

use crate::ops::Op;
use crate::plan::Access;
use ndcore::{Axes, Dyn, Element, Packed, View};

/// A box of the loops: its first index and its extents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    pub start: Axes<usize>,
    pub extents: Axes<usize>,
}

/// A run within a box, or a piece of one.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The index of the run's first element.
    pub start: &'a [usize],
    /// The number of the run in its box.
    pub number: usize,
    /// The length of the run.
    pub whole: usize,
    /// Where the piece begins in the run, and its length.
    pub from: usize,
    pub len: usize,
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
    fn block<'b>(&'b mut self, run: &Run<'_>) -> Self::Block<'b>;
}

/// The elements of a run.
pub trait Block: Copy {
    /// The element type.
    type Elem;

    /// The number of elements; a scalar has any number.
    fn len(&self) -> usize;

    /// Whether some operation has rare arguments: see [`Op::RARE`].
    const RARE: bool;

    /// The elements, if they lie in memory already.
    #[inline(always)]
    fn as_slice<'s>(self) -> Option<&'s [Self::Elem]>
    where
        Self: 's,
    {
        None
    }

    /// Element `i`; and if `USUAL`, whether it may be used: then rare arguments are not expected. Not checked: a check for each leaf and
    /// element, or slices cut to one length so that the compiler can drop them, would be most of what it has to compile.
    ///
    /// # Safety
    /// `i` is less than [`len`](Self::len).
    unsafe fn get<const USUAL: bool>(&self, i: usize) -> (Self::Elem, bool);
}

/// A view in the order of the loops, and a buffer for a box of it.
pub struct Leaf<'a, T: Element> {
    view: View<'a, T, Dyn>,
    access: Access,
    buffer: Packed<T>,
    /// Which box the buffer holds: boxes along an axis where the leaf repeats begin at the same place.
    holds: Option<(usize, Axes<usize>)>,
}

impl<'a, T: Element> Leaf<'a, T> {
    pub fn new(view: View<'a, T, Dyn>, access: Access) -> Self {
        Leaf { view, access, buffer: Packed::new(), holds: None }
    }

    fn place(&self, index: &[usize]) -> usize {
        self.view.layout().place(index).expect("boxes and runs begin at an index of the view")
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
        if self.access != Access::Packed {
            return;
        }
        let place = self.place(&region.start);
        if self.holds != Some((place, region.extents)) {
            self.view.pack(&region.start, &region.extents, &mut self.buffer);
            self.holds = Some((place, region.extents));
        }
    }

    #[inline(never)]
    fn block<'b>(&'b mut self, run: &Run<'_>) -> &'b [T] {
        const LIES: &str = "what is not packed lies side by side";
        match self.access {
            Access::Direct => &self.view.run(run.start, run.whole).expect(LIES)[run.from..][..run.len],
            Access::Splat => {
                let place = self.place(run.start);
                let held = self.holds.is_some_and(|(held, _)| held == place);
                if !held || self.buffer.as_slice().len() < run.len {
                    self.buffer.fill(self.view.run(run.start, 1).expect(LIES)[0], run.len);
                    self.holds = Some((place, Axes::new()));
                }
                &self.buffer.as_slice()[..run.len]
            }
            Access::Packed => &self.buffer.as_slice()[run.number * run.whole + run.from..][..run.len],
        }
    }
}

impl<T: Copy> Block for &[T] {
    type Elem = T;
    const RARE: bool = false;

    #[inline(always)]
    fn as_slice<'s>(self) -> Option<&'s [T]>
    where
        Self: 's,
    {
        Some(self)
    }

    #[inline(always)]
    fn len(&self) -> usize {
        <[T]>::len(self)
    }

    #[inline(always)]
    unsafe fn get<const USUAL: bool>(&self, i: usize) -> (T, bool) {
        // SAFETY: the caller's promise.
        (unsafe { *self.get_unchecked(i) }, true)
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
    fn block(&mut self, _: &Run<'_>) -> Splat<T> {
        *self
    }
}

impl<T: Copy> Block for Splat<T> {
    type Elem = T;
    const RARE: bool = false;

    #[inline(always)]
    fn len(&self) -> usize {
        usize::MAX
    }

    #[inline(always)]
    unsafe fn get<const USUAL: bool>(&self, _: usize) -> (T, bool) {
        (self.0, true)
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
    fn block<'b>(&'b mut self, run: &Run<'_>) -> Self::Block<'b> {
        AppliedBlock { op: self.op, args: self.args.block(run) }
    }
}

impl<O: Op<B::Elem>, B: Block<Elem: Copy>> Block for AppliedBlock<'_, O, B> {
    type Elem = O::Output;
    const RARE: bool = O::RARE || B::RARE;

    #[inline(always)]
    fn len(&self) -> usize {
        self.args.len()
    }

    #[inline(always)]
    unsafe fn get<const USUAL: bool>(&self, i: usize) -> (O::Output, bool) {
        // SAFETY: the caller's promise.
        let (args, usual) = unsafe { self.args.get::<USUAL>(i) };
        if USUAL && O::RARE {
            (self.op.apply_usual(args), usual & self.op.is_usual(args))
        } else {
            (self.op.apply(args), usual)
        }
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
            fn block<'b>(&'b mut self, run: &Run<'_>) -> Self::Block<'b> {
                ($(self.$index.block(run),)*)
            }
        }

        impl<$($part: Block),*> Block for ($($part,)*) {
            type Elem = ($($part::Elem,)*);
            const RARE: bool = false $(|| $part::RARE)*;

            #[inline(always)]
            fn len(&self) -> usize {
                usize::MAX$(.min(self.$index.len()))*
            }

            #[inline(always)]
            unsafe fn get<const USUAL: bool>(&self, i: usize) -> (Self::Elem, bool) {
                // SAFETY: the caller's promise; no part is shorter than the whole.
                let parts = unsafe { ($(self.$index.get::<USUAL>(i),)*) };
                (($(parts.$index.0,)*), true $(& parts.$index.1)*)
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
