//! What a run reads: each leaf hands over unit-stride blocks, as they lie or packed.

// Users never hold one of these.
#![allow(missing_debug_implementations)]

use super::block::{AppliedBlock, Block, Splat};
use super::isa::Isa;
use super::store::compute;
use super::walk::{Region, Run};
use crate::ops::Op;
use crate::plan::Access;
use ndcore::{Element, Extents, Nested, Packed, Runs, boxed};

/// An expression bound to memory and loops, with the buffers of one task.
pub trait Source {
    /// The element type.
    type Elem: Element;
    /// The elements of a run.
    type Block<'b>: Block<Elem = Self::Elem>
    where
        Self: 'b;

    /// Packs what has to be packed for the runs of a box. False if there is no memory for it.
    fn fetch(&mut self, region: &Region) -> bool;

    /// The elements of a run of the box that was fetched last, as an operand.
    fn block<'b>(&'b mut self, run: &Run<'_>) -> Self::Block<'b>;

    /// The same as the whole expression: an operation at the root is left to [`Block::root`].
    #[inline(always)]
    fn root<'b>(&'b mut self, run: &Run<'_>) -> Self::Block<'b> {
        self.block(run)
    }

    /// All elements, of a source that was bound to memory as it lies and has no buffers.
    fn flat<'b>(&'b self) -> Self::Block<'b>;
}

/// An array in the order of the loops.
pub enum Leaf<'a, T: Element> {
    /// All of it is one run, or several.
    Flat(Runs<'a, T>),
    /// So is a copy of it.
    Copied(Packed<T>),
    /// It is read run by run. In a box, because leaves are moved a lot while they are bound.
    Nested(Box<[Walked<'a, T>; 1]>),
    /// It is not read, because what it is an operand of has been computed before.
    Absent,
}

/// A view in the order of the loops, and a buffer for a box of it.
pub struct Walked<'a, T: Element> {
    view: Nested<'a, T>,
    access: Access,
    /// Whether it lies in the output, so that a run of it is copied before that is written.
    lent: bool,
    /// The most elements of a box that are in the buffer at a time.
    most: usize,
    /// What the buffer is filled by: by less than the width that it is read in, it would be waited
    /// for.
    isa: Isa,
    buffer: Packed<T>,
    /// Which box the buffer holds: boxes along an axis where the leaf repeats begin at the same
    /// place.
    holds: Option<(usize, Extents)>,
}

impl<'a, T: Element> Leaf<'a, T> {
    /// With a buffer for at most so many elements, if one is needed; `None` if there is no memory.
    pub fn nested(
        view: Nested<'a, T>,
        access: Access,
        lent: bool,
        most: usize,
        isa: Isa,
    ) -> Option<Self> {
        let buffer = Packed::new();
        boxed(Walked { view, access, lent, most, isa, buffer, holds: None }).map(Leaf::Nested)
    }
}

impl<T: Element> Walked<'_, T> {
    fn fetch(&mut self, region: &Region) -> bool {
        if self.access == Access::Direct && !self.lent {
            return true;
        }
        let len = region.extents.iter().product::<usize>();
        if !self.buffer.reserve(len.min(self.most)) {
            return false;
        }
        if self.access != Access::Packed {
            return true;
        }
        let place = self.view.place(&region.start);
        let held =
            |(held, extents): &(usize, Extents)| *held == place && *extents == region.extents;
        if !self.holds.as_ref().is_some_and(held) {
            self.view.pack(&region.start, &region.extents, &mut self.buffer);
            self.holds = Some((place, region.extents.clone()));
        }
        true
    }

    fn block(&mut self, run: &Run<'_>) -> Runs<'_, T> {
        const LIES: &str = "what is not packed has unit stride";
        if run.count > 1 {
            if self.access == Access::Packed {
                let elements = &self.buffer.as_slice()[run.number * run.whole..];
                return Runs::rows(elements, run.count, run.whole);
            }
            assert!(self.access == Access::Direct && !self.lent, "several runs as they lie");
            return self.view.runs(run.start, run.along, run.count, run.whole).expect(LIES);
        }
        let elements = match self.access {
            Access::Direct => {
                let elements =
                    &self.view.run(run.start, run.whole).expect(LIES)[run.from..][..run.len];
                if !self.lent {
                    return elements.into();
                }
                self.buffer.initialise(run.len, |slots| slots.write_copy_of_slice(elements))
            }
            Access::Splat => {
                let place = self.view.place(run.start);
                let held = self.holds.as_ref().is_some_and(|(held, _)| *held == place);
                if !held || self.buffer.as_slice().len() < run.len {
                    let (isa, value) = (self.isa, Splat(self.view.at(run.start)));
                    self.buffer.initialise(run.len, |slots| compute(isa, slots, value));
                    self.holds = Some((place, Extents::new()));
                }
                &self.buffer.as_slice()[..run.len]
            }
            Access::Packed => {
                &self.buffer.as_slice()[run.number * run.whole + run.from..][..run.len]
            }
        };
        elements.into()
    }
}

impl<T: Element> Source for Leaf<'_, T> {
    type Elem = T;
    type Block<'b>
        = Runs<'b, T>
    where
        Self: 'b;

    // Not inlined, as `block`.
    #[inline(never)]
    fn fetch(&mut self, region: &Region) -> bool {
        if let Leaf::Nested(walked) = self { walked[0].fetch(region) } else { true }
    }

    // Not inlined: one copy serves all expressions.
    #[inline(never)]
    fn block<'b>(&'b mut self, run: &Run<'_>) -> Runs<'b, T> {
        match self {
            Leaf::Flat(runs) => part(runs.first(), run),
            Leaf::Copied(copy) => part(copy.as_slice(), run),
            Leaf::Nested(walked) => walked[0].block(run),
            Leaf::Absent => Runs::none(),
        }
    }

    #[inline(always)]
    fn flat(&self) -> Runs<'_, T> {
        if let Leaf::Flat(runs) = self { *runs } else { Runs::none() }
    }
}

/// The elements of a run of what is one: none if there are too few, which the kernel refuses.
#[inline(always)]
fn part<'b, T>(slice: &'b [T], run: &Run<'_>) -> Runs<'b, T> {
    slice.get(run.from..).and_then(|rest| rest.get(..run.len)).unwrap_or(&[]).into()
}

impl<T: Element> Source for Splat<T> {
    type Elem = T;
    type Block<'b> = Splat<T>;

    #[inline]
    fn fetch(&mut self, _: &Region) -> bool {
        true
    }

    #[inline(always)]
    fn block(&mut self, _: &Run<'_>) -> Splat<T> {
        *self
    }

    #[inline(always)]
    fn flat(&self) -> Splat<T> {
        *self
    }
}

/// An operation on a source.
pub struct Applied<'a, O, S, T: Element> {
    pub op: &'a O,
    pub args: S,
    /// Where the results are, if they go through a buffer.
    pub ready: Option<Box<[Ready<'a, T>; 1]>>,
}

/// Where the results of a buffered operation are.
pub enum Ready<'a, T: Element> {
    /// Computed before, at their own size.
    Hoisted(Leaf<'a, T>),
    /// Computed run by run.
    Buffer(Packed<T>, Isa),
}

impl<O: Op<S::Elem>, S: Source> Source for Applied<'_, O, S, O::Output> {
    type Elem = O::Output;
    type Block<'b>
        = AppliedBlock<'b, O, S::Block<'b>, O::Output>
    where
        Self: 'b;

    #[inline]
    fn fetch(&mut self, region: &Region) -> bool {
        if O::BUFFERED
            && let Some([Ready::Hoisted(leaf)]) = self.ready.as_deref_mut()
        {
            leaf.fetch(region)
        } else {
            self.args.fetch(region)
        }
    }

    #[inline(always)]
    fn block<'b>(&'b mut self, run: &Run<'_>) -> Self::Block<'b> {
        let (op, args) = (self.op, self.args.block(run));
        if !O::BUFFERED {
            return AppliedBlock::new(op, args);
        }
        let ready = match self.ready.as_deref_mut() {
            Some([Ready::Hoisted(leaf)]) => leaf.block(run),
            Some([Ready::Buffer(buffer, isa)]) => {
                let computed = buffer
                    .initialise(run.len, |slots| compute(*isa, slots, AppliedBlock::new(op, args)));
                Runs::from(&*computed)
            }
            None => Runs::none(),
        };
        AppliedBlock { op, args, ready }
    }

    #[inline(always)]
    fn root<'b>(&'b mut self, run: &Run<'_>) -> Self::Block<'b> {
        AppliedBlock::new(self.op, self.args.block(run))
    }

    #[inline(always)]
    fn flat<'b>(&'b self) -> Self::Block<'b> {
        AppliedBlock::new(self.op, self.args.flat())
    }
}

macro_rules! tuples {
    ($($($part:ident $index:tt),*;)*) => {$(
        impl<$($part: Source),*> Source for ($($part,)*) {
            type Elem = ($($part::Elem,)*);
            type Block<'b> = ($($part::Block<'b>,)*) where Self: 'b;

            #[inline]
            fn fetch(&mut self, region: &Region) -> bool {
                $(self.$index.fetch(region))&&*
            }

            #[inline(always)]
            fn block<'b>(&'b mut self, run: &Run<'_>) -> Self::Block<'b> {
                ($(self.$index.block(run),)*)
            }

            #[inline(always)]
            fn flat<'b>(&'b self) -> Self::Block<'b> {
                ($(self.$index.flat(),)*)
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
