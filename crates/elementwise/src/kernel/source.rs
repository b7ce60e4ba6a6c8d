//! What a run reads: each leaf hands over unit-stride blocks, as they lie or packed.

// Users never hold one of these.
#![allow(missing_debug_implementations)]

use super::block::{AppliedBlock, Block, Splat};
use super::isa::Isa;
use super::store::{Repeats, compute, compute_once};
use super::walk::{Region, Run};
use crate::ops::Op;
use crate::plan::{Access, LANES};
use ndcore::{Element, Extents, Gather, Heap, Nested, Packed, Room, Rows, Runs};
use std::mem::MaybeUninit;
use std::ops::Range;

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

    /// The same of one whose buffers have room for all: see [`Ready::Few`].
    #[inline(always)]
    fn few<'b>(&'b mut self) -> Self::Block<'b> {
        self.flat()
    }

    /// The same as the whole expression: see [`root`](Self::root).
    #[inline(always)]
    fn few_root<'b>(&'b mut self) -> Self::Block<'b> {
        self.few()
    }
}

/// An array in the order of the loops, by what says where it lies: leaves are moved a lot while
/// they are bound.
pub enum Leaf<'a, T: Element> {
    /// All of it is one run, or several.
    Flat(&'a Runs<'a, T>),
    /// It has memory of its own, or there was no room for what says where it lies.
    Kept(Heap<Kept<'a, T>>),
    /// It is not read, because what it is an operand of has been computed before.
    Absent,
}

/// What has memory of its own.
#[allow(clippy::large_enum_variant, reason = "it is on the heap")]
pub enum Kept<'a, T: Element> {
    /// As [`Leaf::Flat`].
    Flat(Runs<'a, T>),
    /// A copy, which is one run.
    Copied(Packed<T>),
    /// What is read run by run.
    Nested(Walked<'a, T>),
}

const LIES: &str = "what is not packed has unit stride";

/// A view in the order of the loops, and a buffer for a box of it.
pub struct Walked<'a, T: Element> {
    view: Nested<'a, T>,
    access: Access,
    /// Whether it lies in the output, so that a run of it is copied before that is written.
    lent: bool,
    /// The loops along which rows lie, if there are rows; whether they lie apart, or follow each
    /// other in a box; where they are, and their length in a box.
    listed: Option<Range<usize>>,
    apart: bool,
    rows: Rows,
    row_len: usize,
    /// The most elements of a box that are in the buffer at a time.
    most: usize,
    /// What the buffer is filled by: by less than the width that it is read in, it would be waited
    /// for.
    isa: Isa,
    buffer: Packed<T>,
    /// What fills it, run by run, of several runs of one value each.
    gather: Option<Gather<'a, T>>,
    /// Which box the buffer holds: boxes along an axis where the leaf repeats begin at the same
    /// place.
    holds: Option<(usize, Extents)>,
}

impl<'a, T: Element> Leaf<'a, T> {
    /// Runs, of which is noted in a room where they lie; `None` if it has not as much.
    #[inline(always)]
    pub fn flat(runs: Runs<'a, T>, room: &mut Room<'a>) -> Option<Self> {
        let [slot] = room.slots(1)? else { return None };
        Some(Leaf::Flat(slot.write(runs)))
    }

    /// The same, on the heap if there is no room; `None` if there is no memory. What is bound has
    /// to be dropped then.
    #[inline]
    pub fn flat_or_kept(runs: Runs<'a, T>, room: Option<&mut Room<'a>>) -> Option<Self> {
        let flat = room.and_then(|room| Leaf::flat(runs, room));
        flat.or_else(|| Heap::new(Kept::Flat(runs)).map(Leaf::Kept))
    }

    /// With a buffer for at most so many elements, if one is needed; `None` if there is no memory.
    pub fn nested(
        view: Nested<'a, T>,
        access: Access,
        lent: bool,
        most: usize,
        (listed, apart): (Option<Range<usize>>, bool),
        isa: Isa,
    ) -> Option<Self> {
        let (buffer, rows, row_len) = (Packed::new(), Rows::default(), 0);
        let walked = Walked {
            view,
            access,
            lent,
            listed,
            apart,
            rows,
            row_len,
            most,
            isa,
            buffer,
            gather: None,
            holds: None,
        };
        Heap::new(Kept::Nested(walked)).map(Leaf::Kept)
    }

    /// A copy; `None` if there is no memory.
    pub fn copied(copy: Packed<T>) -> Option<Self> {
        Heap::new(Kept::Copied(copy)).map(Leaf::Kept)
    }
}

impl<T: Element> Walked<'_, T> {
    fn fetch(&mut self, region: &Region) -> bool {
        let listed = self.listed.clone();
        let len = region.extents.iter().product::<usize>();
        if self.access == Access::Direct && !self.lent {
            return listed.is_none_or(|along| match self.apart {
                true => self.rows.along(&self.view, along.start, &region.extents[along]),
                false => self.rows_of_box(region, along),
            });
        }
        if !self.buffer.reserve(len.min(self.most)) {
            return false;
        }
        if self.access != Access::Packed && listed.is_none() {
            return true;
        }
        let place = self.view.place(&region.start);
        let held =
            |(held, extents): &(usize, Extents)| *held == place && *extents == region.extents;
        if self.holds.as_ref().is_some_and(held) {
            return true;
        }
        let done = match (self.access, listed) {
            (Access::Packed, along) => {
                self.view.pack(&region.start, &region.extents, &mut self.buffer);
                along.is_none_or(|along| self.rows_of_box(region, along))
            }
            (_, Some(along)) => self.repeat_rows(region, along),
            _ => true,
        };
        self.holds = done.then(|| (place, region.extents.clone()));
        done
    }

    fn block(&mut self, run: &Run<'_>) -> Runs<'_, T> {
        if self.listed.is_some() {
            return self.row_runs(run);
        }
        if run.count > 1 {
            if self.access == Access::Packed {
                let elements = &self.buffer.as_slice()[run.number * run.whole..];
                return Runs::rows(elements, run.count, run.whole);
            }
            if self.access == Access::Splat {
                let some = (run.count, run.whole);
                let to = (&mut self.gather, &mut self.buffer);
                return self.view.splats(run.start, run.along, some, to, self.isa.fill());
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

impl<T: Element> Walked<'_, T> {
    /// The rows of a box follow each other. False if there is no memory for their places.
    fn rows_of_box(&mut self, region: &Region, along: Range<usize>) -> bool {
        let len = region.extents[along.end..].iter().product::<usize>();
        let count = region.extents[along].iter().product::<usize>();
        self.rows.len() == count && self.row_len == len || {
            self.row_len = len;
            self.rows.set(count, |row| (row * len) as isize)
        }
    }

    /// Copies the values that rows of a box repeat, as many of each as are taken at a time. False
    /// if there is no memory for them.
    fn repeat_rows(&mut self, region: &Region, along: Range<usize>) -> bool {
        let extents = &region.extents[along.clone()];
        let count: usize = extents.iter().product();
        let mut at = region.start.clone();
        let mut value = |number: usize| {
            let mut rest = number;
            for axis in along.clone().rev() {
                at[axis] = region.start[axis] + rest % region.extents[axis];
                rest /= region.extents[axis];
            }
            (self.view.place(&at), self.view.at(&at))
        };
        // Most often those of each step of the outermost loop are the same.
        let inner = count / extents[0];
        let alike = extents[0] > 1 && value(0).0 == value(inner).0;
        let distinct = if alike { inner } else { count };
        if !self.buffer.reserve(distinct * LANES) {
            return false;
        }
        self.buffer.fill(value(0).1, distinct * LANES);
        let each = self.buffer.as_mut_slice().chunks_exact_mut(LANES);
        each.enumerate().for_each(|(number, copies)| copies.fill(value(number).1));
        self.rows.set(count, |number| (number % distinct * LANES) as isize)
    }

    /// The rows that were listed last.
    fn row_runs(&self, run: &Run<'_>) -> Runs<'_, T> {
        assert!(!self.lent, "rows are read as they lie");
        let elements = match self.access {
            Access::Direct if self.apart => {
                return self.view.rows(run.start, &self.rows, run.whole).expect(LIES);
            }
            Access::Direct => self.view.run(run.start, run.whole).expect(LIES),
            _ => self.buffer.as_slice(),
        };
        match self.access {
            Access::Splat => Runs::placed(elements, &self.rows, LANES).endless(),
            _ => Runs::placed(elements, &self.rows, self.row_len),
        }
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
        match self {
            Leaf::Kept(kept) => match &mut **kept {
                Kept::Nested(walked) => walked.fetch(region),
                Kept::Flat(_) | Kept::Copied(_) => true,
            },
            _ => true,
        }
    }

    #[inline(always)]
    fn block<'b>(&'b mut self, run: &Run<'_>) -> Runs<'b, T> {
        match self {
            // What is returned in memory would be waited for.
            Leaf::Flat(runs) if run.all => **runs,
            _ => self.run(run),
        }
    }

    #[inline(always)]
    fn flat(&self) -> Runs<'_, T> {
        if let Leaf::Flat(runs) = self { **runs } else { Runs::none() }
    }
}

impl<T: Element> Leaf<'_, T> {
    // Not inlined: one copy serves all expressions.
    #[inline(never)]
    fn run<'b>(&'b mut self, run: &Run<'_>) -> Runs<'b, T> {
        match self {
            Leaf::Flat(runs) => part(runs.first(), run),
            Leaf::Kept(kept) => match &mut **kept {
                Kept::Flat(runs) if run.all => *runs,
                Kept::Flat(runs) => part(runs.first(), run),
                Kept::Copied(copy) => part(copy.as_slice(), run),
                Kept::Nested(walked) => walked.block(run),
            },
            Leaf::Absent => Runs::none(),
        }
    }
}

/// The elements of a run of what is one: none if there are too few, which the kernel refuses.
#[inline(always)]
fn part<'b, T>(slice: &'b [T], run: &Run<'_>) -> Runs<'b, T> {
    slice.get(run.from..).and_then(|rest| rest.get(..run.len)).unwrap_or(&[]).into()
}

/// What takes no buffer, bound as part of the caller.
impl<'a, T: Element> Source for Runs<'a, T> {
    type Elem = T;
    type Block<'b>
        = Runs<'a, T>
    where
        Self: 'b;

    #[inline(always)]
    fn fetch(&mut self, _: &Region) -> bool {
        true
    }

    #[inline(always)]
    fn block(&mut self, run: &Run<'_>) -> Runs<'a, T> {
        if run.all { *self } else { part(self.first(), run) }
    }

    #[inline(always)]
    fn flat(&self) -> Runs<'a, T> {
        *self
    }
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
    pub ready: Ready<'a, T>,
}

/// Where the results of a buffered operation are.
pub enum Ready<'a, T: Element> {
    /// Nowhere: they are computed where they are read, or not read.
    Not,
    /// Computed run by run, of few elements, for which to get a buffer takes longer than to compute
    /// them; or all at once, if some repeat that are not to be computed again.
    Few(&'a mut FewResults<'a, T>),
    /// Somewhere else: on the heap, as what a leaf keeps.
    Kept(Heap<Results<'a, T>>),
}

/// Room for few results, by which instruction set they are computed, and whether some repeat.
pub struct FewResults<'a, T: Element> {
    pub slots: &'a mut [MaybeUninit<T>],
    pub isa: Isa,
    pub repeats: Option<Repeats<'a>>,
}

/// Where results are that have memory of their own.
pub enum Results<'a, T: Element> {
    /// Computed before, at their own size.
    Hoisted(Leaf<'a, T>),
    /// Computed run by run.
    Buffer(Packed<T>, Isa),
}

/// Where results of a run go, by which instruction set, and whether some repeat.
pub type Slots<'b, T> = (Isa, &'b mut [MaybeUninit<T>], Option<Repeats<'b>>);

impl<'a, T: Element> Ready<'a, T> {
    /// In a room, if it has as much.
    pub fn few(
        room: &mut Room<'a>,
        len: usize,
        isa: Isa,
        repeats: Option<Repeats<'a>>,
    ) -> Option<Self> {
        let slots = room.slots(len)?;
        let [few] = room.slots(1)? else { return None };
        Some(Ready::Few(few.write(FewResults { slots, isa, repeats })))
    }

    /// Whether they were computed before.
    #[inline(always)]
    pub fn is_hoisted(&self) -> bool {
        matches!(self, Ready::Kept(kept) if matches!(**kept, Results::Hoisted(_)))
    }

    /// As [`Source::fetch`], if they were computed before.
    #[inline(always)]
    pub fn fetch(&mut self, region: &Region) -> Option<bool> {
        match self {
            Ready::Kept(kept) => match &mut **kept {
                Results::Hoisted(leaf) => Some(leaf.fetch(region)),
                Results::Buffer(..) => None,
            },
            _ => None,
        }
    }

    /// Those of a run, which a function computes into slots if they were not computed before.
    #[inline(always)]
    pub fn block<'b>(
        &'b mut self,
        run: &Run<'_>,
        compute: impl FnOnce(Slots<'b, T>) -> Option<&'b mut [T]>,
    ) -> Option<Runs<'b, T>> {
        let (isa, slots, repeats) = match self {
            Ready::Not => return None,
            Ready::Few(few) => (few.isa, &mut few.slots[..run.len], few.repeats),
            Ready::Kept(kept) => match &mut **kept {
                Results::Hoisted(leaf) => return Some(leaf.block(run)),
                Results::Buffer(buffer, isa) => (*isa, buffer.room(run.len), None),
            },
        };
        compute((isa, slots, repeats)).map(|computed| Runs::from(&*computed))
    }
}

impl<O: Op<S::Elem>, S: Source> Source for Applied<'_, O, S, O::Output> {
    type Elem = O::Output;
    type Block<'b>
        = AppliedBlock<'b, O, S::Block<'b>, O::Output>
    where
        Self: 'b;

    #[inline]
    fn fetch(&mut self, region: &Region) -> bool {
        let before = if O::BUFFERED { self.ready.fetch(region) } else { None };
        before.unwrap_or_else(|| self.args.fetch(region))
    }

    #[inline(always)]
    fn block<'b>(&'b mut self, run: &Run<'_>) -> Self::Block<'b> {
        let (op, args) = (*self.op, self.args.block(run));
        if !O::BUFFERED {
            return AppliedBlock::new(op, args);
        }
        let ready = self.ready.block(
            run,
            #[inline(always)]
            |slots| Some(compute_ready(slots, AppliedBlock::new(op, args))),
        );
        AppliedBlock { op, args, ready }
    }

    #[inline(always)]
    fn root<'b>(&'b mut self, run: &Run<'_>) -> Self::Block<'b> {
        AppliedBlock::new(*self.op, self.args.block(run))
    }

    #[inline(always)]
    fn flat<'b>(&'b self) -> Self::Block<'b> {
        AppliedBlock::new(*self.op, self.args.flat())
    }

    #[inline(always)]
    fn few<'b>(&'b mut self) -> Self::Block<'b> {
        let (op, args) = (*self.op, self.args.few());
        let ready = match &mut self.ready {
            Ready::Few(few) if O::BUFFERED => {
                let slots = (few.isa, &mut *few.slots, few.repeats);
                Some(Runs::from(&*compute_ready(slots, AppliedBlock::new(op, args))))
            }
            _ => None,
        };
        AppliedBlock { op, args, ready }
    }

    #[inline(always)]
    fn few_root<'b>(&'b mut self) -> Self::Block<'b> {
        AppliedBlock::new(*self.op, self.args.few())
    }
}

/// Computes the results of an operation on a block where they are ready then: each once, if they
/// are those of a closure.
#[inline(always)]
fn compute_ready<'b, O: Op<B::Elem>, B: Block<Elem: Copy>>(
    (isa, slots, repeats): Slots<'b, O::Output>,
    block: AppliedBlock<'_, O, B, O::Output>,
) -> &'b mut [O::Output] {
    match repeats {
        Some(repeats) if O::NAME.is_none() => compute_once(slots, repeats, block),
        _ => compute(isa, slots, block),
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

            #[inline(always)]
            fn few<'b>(&'b mut self) -> Self::Block<'b> {
                ($(self.$index.few(),)*)
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
