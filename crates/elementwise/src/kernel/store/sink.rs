//! An expression bound for a destination, without its type ([`Computes`]), and the part of an
//! output that a plan stores it in.

use super::Store;
use super::storing::Storing;
use crate::kernel::isa::{self, Isa};
use crate::kernel::source::Source;
use crate::kernel::walk::{Region, Run, Task, walk};
use crate::plan::Plan;
use bcast::Error;
use ndcore::{Element, Filled, Packed, Part, RowsMut, SLABS};
use std::mem::MaybeUninit;

/// What computes the elements of an expression, without its type.
///
/// # Safety
/// `store` puts a value into each slot that it is given, by a [`Store`]: so slots that need not
/// hold a value do then.
pub unsafe trait Computes<Slot: Element> {
    /// As [`Source::fetch`].
    fn fetch(&mut self, region: &Region) -> bool;

    /// Stores a run in rows of slots, or several runs; past the cache if they are streamed. Those
    /// of several matrices are the rows of the source of these numbers, if there are as many.
    ///
    /// # Panics
    /// If there are fewer elements, or other runs than rows that lie apart.
    fn store(&mut self, isa: Isa, rows: RowsMut<'_, Slot>, run: &Run<'_>, streamed: bool);
}

/// A source, and what becomes of its elements.
pub struct Computing<'k, S, D> {
    /// Where it is kept is the caller's: to move it takes as long as to compute a few elements.
    pub source: &'k mut S,
    pub store: &'k D,
}

// SAFETY: each row is given to `Storing`, whose `run` puts a value into each slot, or panics.
unsafe impl<S: Source, D: Store<S::Elem>> Computes<D::Slot> for Computing<'_, S, D> {
    fn fetch(&mut self, region: &Region) -> bool {
        self.source.fetch(region)
    }

    fn store(&mut self, isa: Isa, mut rows: RowsMut<'_, D::Slot>, run: &Run<'_>, streamed: bool) {
        let Computing { source, store } = self;
        let (block, streamed) = (source.root(run), D::OVERWRITES && streamed);
        let each = |storing: &Storing<'_, D, S::Block<'_>>, slots: &mut [D::Slot]| {
            isa.dispatch(storing, slots);
        };
        for number in 0..rows.slabs() {
            let rows = rows.slab(number);
            Storing::rows::<false>(*store, (&block, Some(number)), rows, streamed, each);
        }
    }
}

/// The same with a source that it keeps.
pub struct Keeping<'k, S, D> {
    pub source: S,
    pub store: &'k D,
}

// SAFETY: as for `Computing`, which it calls.
unsafe impl<S: Source, D: Store<S::Elem>> Computes<D::Slot> for Keeping<'_, S, D> {
    fn fetch(&mut self, region: &Region) -> bool {
        self.source.fetch(region)
    }

    fn store(&mut self, isa: Isa, rows: RowsMut<'_, D::Slot>, run: &Run<'_>, streamed: bool) {
        let Keeping { source, store } = self;
        Computing { source, store: *store }.store(isa, rows, run, streamed);
    }
}

/// Computes the elements of a run into slots, those of so many matrices of equal size.
///
/// # Panics
/// As for [`Computes::store`].
pub fn compute_run<'s, T: Element>(
    isa: Isa,
    slots: &'s mut [MaybeUninit<T>],
    computes: &mut dyn Computes<MaybeUninit<T>>,
    run: &Run<'_>,
    matrices: usize,
) -> &'s mut [T] {
    let mut places = [0; SLABS];
    computes.store(isa, RowsMut::from(&mut *slots).in_slabs(matrices, &mut places), run, false);
    // SAFETY: the rows are all of the slots, and `store` has put a value into each.
    unsafe { slots.assume_init_mut() }
}

/// A part of an output that has a slot for each element.
#[derive(Debug)]
pub struct Stores<'t, 'b, S: Element> {
    /// As [`Store::blank`].
    blank: Option<S>,
    part: Part<'b, S>,
    plan: &'t Plan,
    /// A box of the output, if that does not lie side by side.
    buffer: Packed<S>,
    isa: Isa,
}

impl<'t, 'b, S: Element> Stores<'t, 'b, S> {
    pub fn new(blank: Option<S>, part: Part<'b, S>, plan: &'t Plan, isa: Isa) -> Self {
        Stores { blank, part, plan, buffer: Packed::new(), isa }
    }

    /// Computes the part, which begins at index `start` of the output.
    ///
    /// # Errors
    /// If there is no memory for its buffer.
    pub fn walk(
        mut self,
        computes: &mut dyn Computes<S>,
        start: &[usize],
    ) -> Result<Filled<'b>, Error> {
        let extents = ndcore::Extents::from_slice(self.part.extents());
        walk(self.plan, start, &extents, &mut Storage { stores: &mut self, computes })?;
        // SAFETY: `walk` has gone over every element of the part; `Computes::store` has put a value
        // into the slot of each, in the part itself or in a buffer that `close` has copied to it.
        Ok(unsafe { self.assume_filled() })
    }

    /// The slots of a run, or of several: past the cache, and where they lie apart, each is a row
    /// by itself.
    fn rows(&mut self, run: &Run<'_>) -> RowsMut<'_, S> {
        if self.plan.scattered {
            let slots = &mut self.buffer.as_mut_slice()[run.number * run.whole + run.from..];
            return (&mut slots[..run.len]).into();
        }
        if run.count > 1 && (self.plan.streamed || self.plan.stacks_apart()) {
            assert!(run.len == run.whole, "several runs are whole");
            return self.part.rows_mut(run.within, run.along, run.count, run.whole);
        }
        let slots = self.part.run_mut(run.within, run.count * run.whole);
        let slots = slots.expect("an output that is not scattered has unit stride");
        (&mut slots[run.from..][..run.count * run.len]).into()
    }

    /// The proof that the part has been filled.
    ///
    /// # Safety
    /// Every element of it has been initialised.
    unsafe fn assume_filled(self) -> Filled<'b> {
        if self.plan.streamed {
            isa::fence();
        }
        // SAFETY: the caller's promise.
        unsafe { self.part.assume_filled() }
    }
}

/// What is stored in a part, and what computes it.
struct Storage<'k, 't, 'b, S: Element> {
    stores: &'k mut Stores<'t, 'b, S>,
    computes: &'k mut dyn Computes<S>,
}

impl<S: Element> Task for Storage<'_, '_, '_, S> {
    fn open(&mut self, corner: &[usize], tile: &Region) -> bool {
        let Stores { plan, buffer, part, blank, .. } = &mut *self.stores;
        if plan.scattered {
            let len = tile.extents.iter().product();
            if !buffer.reserve(len) {
                return false;
            }
            match *blank {
                Some(blank) => buffer.fill(blank, len),
                None => part.pack(corner, &tile.extents, buffer),
            }
        }
        true
    }

    fn fetch(&mut self, region: &Region) -> bool {
        self.computes.fetch(region)
    }

    fn run(&mut self, run: &Run<'_>) {
        let (isa, streamed) = (self.stores.isa, self.stores.plan.streamed);
        self.computes.store(isa, self.stores.rows(run), run, streamed);
    }

    fn close(&mut self, corner: &[usize], tile: &Region) {
        if self.stores.plan.scattered {
            self.stores.part.unpack(corner, &tile.extents, self.stores.buffer.as_slice());
        }
    }
}
