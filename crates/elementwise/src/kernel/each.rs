//! Destinations of closures: the sink that lends the slots of one or several outputs, and the
//! elements of an expression beside them, to a function.

// Users never hold one of these.
#![allow(missing_debug_implementations)]

use super::Source;
use super::block::{Block, Reads, has_runs};
use super::isa::{Isa, Kernel};
use super::store::LENT_COPY;
use super::walk::{Region, Run, Sink, walk_into};
use crate::exec::Parted;
use crate::plan::{Access, Plan};
use bcast::Error;
use ndcore::{Dimension, Element, Extents, Layout, Packed, Part, ViewMut};
use std::cell::{Cell, RefCell};

/// A part of one output: its slots as they lie, or a box of them in a buffer.
pub struct Target<'b, S: Element> {
    part: Part<'b, S>,
    packed: bool,
    buffer: Packed<S>,
}

impl<'b, S: Element> Target<'b, S> {
    /// The first output is what the plan has as its output; number `number` of `others` is its
    /// operand as many before the end.
    fn new<R: Dimension, E>(view: ViewMut<'b, S, R, E>, plan: &Plan, after: Option<usize>) -> Self {
        let packed = match after {
            None => plan.scattered,
            Some(after) => plan.access[plan.access.len() - after] != Access::Direct,
        };
        Target { part: view.into_part(&plan.nest), packed, buffer: Packed::new() }
    }

    fn open(&mut self, corner: &[usize], tile: &Region) -> bool {
        if self.packed {
            if !self.buffer.reserve(tile.extents.iter().product()) {
                return false;
            }
            self.part.pack(corner, &tile.extents, &mut self.buffer);
        }
        true
    }

    #[inline]
    fn slots(&mut self, run: &Run<'_>) -> &mut [S] {
        if self.packed {
            &mut self.buffer.as_mut_slice()[run.number * run.whole + run.from..][..run.len]
        } else {
            let slots = self.part.run_mut(run.within, run.count * run.whole);
            let slots = slots.expect("what is not packed has unit stride");
            &mut slots[run.from..][..run.count * run.len]
        }
    }

    fn close(&mut self, corner: &[usize], tile: &Region) {
        if self.packed {
            self.part.unpack(corner, &tile.extents, self.buffer.as_slice());
        }
    }

    fn split_at(self, axis: usize, mid: usize) -> (Self, Self) {
        let (low, high) = self.part.split_at(axis, mid);
        let target = |part| Target { part, packed: self.packed, buffer: Packed::new() };
        (target(low), target(high))
    }
}

#[inline(always)]
fn slice_of<'s, S: Element, R: Dimension, E>(
    view: &'s mut ViewMut<'_, S, R, E>,
    row_major: bool,
) -> Option<&'s mut [S]> {
    if row_major { view.as_slice_mut() } else { view.as_slice_memory_order_mut() }
}

#[inline(always)]
fn row_of<'s, S: Element, R: Dimension, E>(
    view: &'s mut ViewMut<'_, S, R, E>,
    row: usize,
) -> Option<&'s mut [S]> {
    if view.ndim() == 1 { view.as_slice_mut() } else { view.line_mut(row) }
}

/// The element types of one or several outputs, as a tuple.
pub trait Outputs: 'static {
    /// The element type of the first.
    type First: Element;
    /// One slot of each.
    type Slots<'s>;
    /// A slice of slots of each but the first.
    type Rest<'s>;
    /// The same elements as views.
    type Views<'b, R: Dimension, E>;
    /// A part of each.
    type Targets<'b>: Send;

    /// The bytes of an element of each.
    const BYTES: usize;

    /// Shows each output: its shape, its strides and the size of its elements.
    fn layouts<R: Dimension, E>(
        views: &Self::Views<'_, R, E>,
        show: &mut dyn FnMut(&[usize], &[isize], usize),
    );
    /// The layout of all, if they lie alike.
    fn alike<'v, R: Dimension, E>(views: &'v Self::Views<'_, R, E>) -> Option<&'v Layout<R>>;
    /// All slots of each in the order of memory, or in row-major order; `None` if there are gaps,
    /// or the order is another one.
    fn slices<'s, R: Dimension, E>(
        views: &'s mut Self::Views<'_, R, E>,
        row_major: bool,
    ) -> Option<(&'s mut [Self::First], Self::Rest<'s>)>;
    /// The slots of a row of each, of one axis or two, if they lie side by side.
    fn rows<'s, R: Dimension, E>(
        views: &'s mut Self::Views<'_, R, E>,
        row: usize,
    ) -> Option<(&'s mut [Self::First], Self::Rest<'s>)>;
    /// Calls a function for each slot of all, in logical order, wherever they lie, with as many
    /// elements of a block as there are.
    fn one_by_one<R: Dimension, E, B: Block, F: EachSlot<Self, B::Elem>>(
        f: F,
        block: B,
        views: &mut Self::Views<'_, R, E>,
    ) where
        Self: Sized;
    /// The outputs in the order of a plan's loops. The first is the plan's output, the others are
    /// its last operands.
    fn targets<'b, R: Dimension, E>(views: Self::Views<'b, R, E>, plan: &Plan)
    -> Self::Targets<'b>;
    /// The part of the first.
    fn first<'t, 'b>(targets: &'t Self::Targets<'b>) -> &'t Part<'b, Self::First>;
    /// As [`Part::split_at`].
    fn split_at<'b>(
        targets: Self::Targets<'b>,
        axis: usize,
        mid: usize,
    ) -> (Self::Targets<'b>, Self::Targets<'b>);
    /// As [`Task::open`](super::walk::Task::open).
    fn open(targets: &mut Self::Targets<'_>, corner: &[usize], tile: &Region) -> bool;
    /// The slots of a run.
    fn slots<'s>(
        targets: &'s mut Self::Targets<'_>,
        run: &Run<'_>,
    ) -> (&'s mut [Self::First], Self::Rest<'s>);
    /// As [`Task::close`](super::walk::Task::close).
    fn close(targets: &mut Self::Targets<'_>, corner: &[usize], tile: &Region);
    /// Calls a function for each slot of a run.
    fn each<B: Block, F: EachSlot<Self, B::Elem>>(
        f: F,
        block: B,
        first: &mut [Self::First],
        rest: Self::Rest<'_>,
    ) where
        Self: Sized;
}

macro_rules! outputs {
    ($($first:ident $(, $part:ident $index:tt $after:literal)*;)*) => {$(
        #[allow(non_snake_case)]
        impl<$first: Element $(, $part: Element)*> Outputs for ($first, $($part,)*) {
            type First = $first;
            type Slots<'s> = (&'s mut $first, $(&'s mut $part,)*);
            type Rest<'s> = ($(&'s mut [$part],)*);
            type Views<'b, R: Dimension, E> = (ViewMut<'b, $first, R, E>, $(ViewMut<'b, $part, R, E>,)*);
            type Targets<'b> = (Target<'b, $first>, $(Target<'b, $part>,)*);

            const BYTES: usize = size_of::<$first>() $(+ size_of::<$part>())*;

            fn layouts<R: Dimension, E>(
                views: &Self::Views<'_, R, E>,
                show: &mut dyn FnMut(&[usize], &[isize], usize),
            ) {
                let layout = views.0.layout();
                show(layout.shape(), layout.strides(), size_of::<$first>());
                $(
                    let layout = views.$index.layout();
                    show(layout.shape(), layout.strides(), size_of::<$part>());
                )*
            }

            #[inline(always)]
            fn alike<'v, R: Dimension, E>(
                views: &'v Self::Views<'_, R, E>,
            ) -> Option<&'v Layout<R>> {
                let first = views.0.layout();
                $(
                    let layout = views.$index.layout();
                    if layout.shape() != first.shape() || layout.strides() != first.strides() {
                        return None;
                    }
                )*
                Some(first)
            }

            #[inline(always)]
            fn slices<'s, R: Dimension, E>(
                views: &'s mut Self::Views<'_, R, E>,
                row_major: bool,
            ) -> Option<(&'s mut [$first], Self::Rest<'s>)> {
                Some((
                    slice_of(&mut views.0, row_major)?,
                    ($(slice_of(&mut views.$index, row_major)?,)*),
                ))
            }

            #[inline(always)]
            fn rows<'s, R: Dimension, E>(
                views: &'s mut Self::Views<'_, R, E>,
                row: usize,
            ) -> Option<(&'s mut [$first], Self::Rest<'s>)> {
                Some((row_of(&mut views.0, row)?, ($(row_of(&mut views.$index, row)?,)*)))
            }

            #[inline(always)]
            fn one_by_one<R: Dimension, E, Elems: Block, Each: EachSlot<Self, Elems::Elem>>(
                f: Each,
                block: Elems,
                views: &mut Self::Views<'_, R, E>,
            ) {
                assert!(views.0.len() <= block.len(), "a block is as long as its run");
                let read = block.reads();
                if let (Some(mut $first), $(Some(mut $part),)*) =
                    (views.0.lines_mut(), $(views.$index.lines_mut(),)*)
                {
                    let (count, len) = ($first.count(), $first.len());
                    $(assert!((count, len) == ($part.count(), $part.len()), "of one shape");)*
                    for row in 0..count {
                        for i in 0..len {
                            // SAFETY: there are `count * len` slots, and no more than elements.
                            let element = unsafe { read.get(row * len + i) };
                            f.each(($first.slot(row, i), $($part.slot(row, i),)*), element);
                        }
                    }
                    return;
                }
                // Of a vector or a matrix, that was all.
                if const { matches!(R::NDIM, Some(1 | 2)) } {
                    return;
                }
                $(let mut $part = views.$index.iter_mut();)*
                for (i, $first) in views.0.iter_mut().enumerate() {
                    $(let Some($part) = $part.next() else { return };)*
                    // SAFETY: there are as many slots as `i` is below, and no more than elements.
                    f.each(($first, $($part,)*), unsafe { read.get(i) });
                }
            }

            fn targets<'b, R: Dimension, E>(
                views: Self::Views<'b, R, E>,
                plan: &Plan,
            ) -> Self::Targets<'b> {
                (Target::new(views.0, plan, None), $(Target::new(views.$index, plan, Some($after)),)*)
            }

            fn first<'t, 'b>(targets: &'t Self::Targets<'b>) -> &'t Part<'b, $first> {
                &targets.0.part
            }

            fn split_at<'b>(
                targets: Self::Targets<'b>,
                axis: usize,
                mid: usize,
            ) -> (Self::Targets<'b>, Self::Targets<'b>) {
                let ($first, $($part,)*) = targets;
                let ($first, $($part,)*) = ($first.split_at(axis, mid), $($part.split_at(axis, mid),)*);
                (($first.0, $($part.0,)*), ($first.1, $($part.1,)*))
            }

            fn open(targets: &mut Self::Targets<'_>, corner: &[usize], tile: &Region) -> bool {
                targets.0.open(corner, tile) $(&& targets.$index.open(corner, tile))*
            }

            #[inline]
            fn slots<'s>(
                targets: &'s mut Self::Targets<'_>,
                run: &Run<'_>,
            ) -> (&'s mut [$first], Self::Rest<'s>) {
                (targets.0.slots(run), ($(targets.$index.slots(run),)*))
            }

            fn close(targets: &mut Self::Targets<'_>, corner: &[usize], tile: &Region) {
                targets.0.close(corner, tile);
                $(targets.$index.close(corner, tile);)*
            }

            #[inline(always)]
            fn each<Elems: Block, Each: EachSlot<Self, Elems::Elem>>(
                f: Each,
                block: Elems,
                $first: &mut [$first],
                ($($part,)*): Self::Rest<'_>,
            ) {
                let whole = block.len().clamp(1, $first.len().max(1));
                assert!(has_runs(&block, $first.len(), whole), "as many runs as slots");
                $(let mut $part = $part.chunks_mut(whole);)*
                for (number, $first) in $first.chunks_mut(whole).enumerate() {
                    $(let $part = $part.next().expect("as many slots of each");)*
                    one_run(f, block.run(number), $first, $($part),*);
                }

                // As a function's own parameters, the slots of each output are known to overlap
                // nothing else, such as what a closure has references to.
                #[inline(always)]
                #[allow(clippy::too_many_arguments)]
                fn one_run<
                    $first: Element,
                    $($part: Element,)*
                    Elems: Block,
                    Each: EachSlot<($first, $($part,)*), Elems::Elem>,
                >(
                    f: Each,
                    block: Elems,
                    $first: &mut [$first],
                    $($part: &mut [$part]),*
                ) {
                    let len = $first.len();
                    assert!(len <= block.len(), "a block is as long as its run");
                    $(let $part = &mut $part[..len];)*
                    for i in 0..len {
                        // SAFETY: `i` is below `len`, which was compared with the block's length.
                        let value = unsafe { block.reads().get(i) };
                        if <($first, $($part,)*)>::BYTES > LENT_COPY {
                            f.each((&mut $first[i], $(&mut $part[i],)*), value);
                            continue;
                        }
                        let mut copies = ($first[i], $($part[i],)*);
                        f.each((&mut copies.0, $(&mut copies.$index,)*), value);
                        $first[i] = copies.0;
                        $($part[i] = copies.$index;)*
                    }
                }
            }
        }
    )*};
}
// How many before the end of a plan's operands an output is.
outputs! {
    A;
    A, B 1 1;
    A, B 1 2, C 2 1;
    A, B 1 3, C 2 2, D 3 1;
    A, B 1 4, C 2 3, D 3 2, E_ 4 1;
    A, B 1 5, C 2 4, D 3 3, E_ 4 2, F_ 5 1;
}

/// What is done with one slot of each output, and an element of an expression.
pub trait EachSlot<O: Outputs, V>: Copy {
    /// Does it.
    fn each(&self, slots: O::Slots<'_>, value: V);
}

/// By a closure that may be called by any number of threads at a time.
#[derive(Clone, Copy)]
pub struct Shared<F>(pub F);

impl<O: Outputs, V, F: Fn(O::Slots<'_>, V) + Copy> EachSlot<O, (V,)> for Shared<F> {
    #[inline(always)]
    fn each(&self, slots: O::Slots<'_>, (value,): (V,)) {
        (self.0)(slots, value);
    }
}

/// By a closure that is called for one element after the other.
pub struct InTurn<F>(pub RefCell<F>);

impl<O: Outputs, V, F: FnMut(O::Slots<'_>, V)> EachSlot<O, (V,)> for &InTurn<F> {
    #[inline(always)]
    fn each(&self, slots: O::Slots<'_>, (value,): (V,)) {
        (self.0.borrow_mut())(slots, value);
    }
}

/// The loop over the slots of a run: those of the first output are what the kernel writes to, those
/// of the others are lent to it.
struct Lending<'s, O: Outputs, F, B> {
    f: F,
    block: B,
    rest: Cell<Option<O::Rest<'s>>>,
}

impl<O: Outputs, B: Block, F: EachSlot<O, B::Elem>> Kernel for Lending<'_, O, F, B> {
    type Slot = O::First;
    type Held = (F, B::Ops);

    // See [`Kernel::WIDE`].
    const WIDE: bool = false;

    #[inline(always)]
    fn held(&self) -> Self::Held {
        (self.f, self.block.ops())
    }

    #[inline(always)]
    fn run(&self, (f, ops): Self::Held, slots: &mut [O::First], _: usize) {
        if let Some(rest) = self.rest.take() {
            O::each(f, self.block.held(ops), slots, rest);
        }
    }
}

/// Calls a function for each slot of a run, with the elements of a block.
#[inline(always)]
pub fn each<O: Outputs, B: Block, F: EachSlot<O, B::Elem>>(
    isa: Isa,
    f: F,
    first: &mut [O::First],
    rest: O::Rest<'_>,
    block: B,
) {
    isa.dispatch(&Lending::<'_, O, F, B> { f, block, rest: Cell::new(Some(rest)) }, first);
}

/// A part of each of several outputs.
pub struct Parts<'b, O: Outputs>(pub O::Targets<'b>);

impl<O: Outputs> Parted for Parts<'_, O> {
    type Done = ();

    fn extents(&self) -> &[usize] {
        O::first(&self.0).extents()
    }

    fn split_at(self, axis: usize, mid: usize) -> (Self, Self) {
        let (low, high) = O::split_at(self.0, axis, mid);
        (Parts(low), Parts(high))
    }

    fn join((): (), (): ()) {}
}

/// The sink of a part of several outputs.
pub struct Lends<'t, 'b, O: Outputs, F> {
    f: F,
    targets: O::Targets<'b>,
    plan: &'t Plan,
    isa: Isa,
}

impl<'t, 'b, O: Outputs, F> Lends<'t, 'b, O, F> {
    pub fn new(f: F, parts: Parts<'b, O>, plan: &'t Plan, isa: Isa) -> Self {
        Lends { f, targets: parts.0, plan, isa }
    }

    /// Goes over the parts, which begin at index `start` of the outputs, with a source.
    ///
    /// # Errors
    /// If there is no memory for its buffers.
    pub fn walk<T: Source>(mut self, source: &mut T, start: &[usize]) -> Result<(), Error>
    where
        F: EachSlot<O, T::Elem>,
    {
        walk_into(self.plan, start, source, &mut self)
    }
}

impl<O: Outputs, F: EachSlot<O, V>, V> Sink<V> for Lends<'_, '_, O, F> {
    fn extents(&self) -> Extents {
        Extents::from_slice(O::first(&self.targets).extents())
    }

    fn open(&mut self, corner: &[usize], tile: &Region) -> bool {
        O::open(&mut self.targets, corner, tile)
    }

    #[inline]
    fn run<S: Source<Elem = V>>(&mut self, run: &Run<'_>, source: &mut S) {
        let block = source.root(run);
        let apart = run.count > 1 && self.plan.stacks_apart();
        for number in 0..if apart { run.count } else { 1 } {
            let mut place = Default::default();
            let (one, block) = match apart {
                true => (&run.one(number, &mut place), block.run(number)),
                false => (run, block),
            };
            let (first, rest) = O::slots(&mut self.targets, one);
            each::<O, _, F>(self.isa, self.f, first, rest, block);
        }
    }

    fn close(&mut self, corner: &[usize], tile: &Region) {
        O::close(&mut self.targets, corner, tile);
    }
}
