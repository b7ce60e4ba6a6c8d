//! Destinations with a slot for each element: what is done with a slot ([`Write`], [`Update`],
//! [`Call`]), the loop that does it (`storing`), what repeats among few elements (`repeats`), and
//! the sink of a plan (`sink`).

mod groups;
mod repeats;
mod sink;
mod storing;

pub use groups::ByGroups;
pub use repeats::{Repeats, compute_once};
pub use sink::{Computes, Computing, Keeping, Stores, compute_run};
pub use storing::{
    FEW_HELD, Stored, compute, compute_flat, compute_here, compute_part_here, compute_rows_here,
    update, update_flat, update_here, update_lines_here, update_rows_here, update_slabs_here,
};

use crate::ops::{Op, UNKNOWN_COST};
use crate::threads::OnThreads;
use crate::types::ViewMut;
use ndcore::{Dimension, Element};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// What is done with a slot.
pub trait Store<V>: Copy + Sync {
    /// What lies in the output's memory.
    type Slot: Element;

    /// Whether the output may be written past the cache, whatever it held.
    const OVERWRITES: bool;

    /// What it takes beside the element, as the [`COST`](Op::COST) of an operation.
    const COST: usize = 0;

    /// As [`Block::WIDE`].
    const WIDE: bool = true;

    /// What a slot may hold before; `None` if its value is needed.
    fn blank(&self) -> Option<Self::Slot>;

    /// Stores an element.
    fn put(&self, slot: &mut Self::Slot, value: V);

    /// Stores elements that lie side by side, of which there are as many as slots, if they are
    /// stored as they are; whether that was so.
    #[inline(always)]
    fn copy(_: &mut [Self::Slot], _: &[V]) -> bool {
        false
    }

    /// The output, if elements are stored in it as they are.
    #[inline(always)]
    fn as_they_are<'o, 'b, R: Dimension>(
        _: &'o mut ViewMut<'b, Self::Slot, R>,
    ) -> Option<&'o mut ViewMut<'b, MaybeUninit<V>, R>> {
        None
    }
}

/// Overwrites the output, which need not be initialised.
#[derive(Clone, Copy, Debug)]
pub struct Write;

impl<V: Element> Store<V> for Write {
    type Slot = MaybeUninit<V>;
    const OVERWRITES: bool = true;

    #[inline(always)]
    fn blank(&self) -> Option<MaybeUninit<V>> {
        Some(MaybeUninit::uninit())
    }

    #[inline(always)]
    fn put(&self, slot: &mut MaybeUninit<V>, value: V) {
        slot.write(value);
    }

    #[inline(always)]
    fn copy(slots: &mut [MaybeUninit<V>], from: &[V]) -> bool {
        copy(slots, from);
        true
    }

    #[inline(always)]
    fn as_they_are<'o, 'b, R: Dimension>(
        out: &'o mut ViewMut<'b, MaybeUninit<V>, R>,
    ) -> Option<&'o mut ViewMut<'b, MaybeUninit<V>, R>> {
        Some(out)
    }
}

/// Copies elements to as many slots: the fewest as part of the caller, as two pieces that may have
/// elements in common, because to go over them or to call a function would take longer.
#[inline(always)]
fn copy<T: Element>(to: &mut [MaybeUninit<T>], from: &[T]) {
    #[inline(always)]
    fn ends<const N: usize, T: Element>(to: &mut [MaybeUninit<T>], from: &[T]) -> Option<()> {
        to.first_chunk_mut::<N>()?.write_copy_of_slice(from.first_chunk::<N>()?);
        to.last_chunk_mut::<N>()?.write_copy_of_slice(from.last_chunk::<N>()?);
        Some(())
    }
    let copied = match from.len() {
        1 => ends::<1, T>(to, from),
        2..=3 => ends::<2, T>(to, from),
        4..=8 => ends::<4, T>(to, from),
        9..=16 => ends::<8, T>(to, from),
        _ => None,
    };
    if copied.is_none() {
        to.write_copy_of_slice(from);
    }
}

/// Combines the output with what is computed: `x += ..`.
#[derive(Clone, Copy, Debug)]
pub struct Update<O, T> {
    pub op: O,
    pub output: PhantomData<fn() -> T>,
}

impl<T: Element, V, O: Op<(T, V), Output = T>> Store<V> for Update<O, T> {
    type Slot = T;
    const OVERWRITES: bool = false;
    const COST: usize = O::COST;
    const WIDE: bool = O::WIDE;

    #[inline(always)]
    fn blank(&self) -> Option<T> {
        None
    }

    #[inline(always)]
    fn put(&self, slot: &mut T, value: V) {
        *slot = self.op.apply((*slot, value));
    }
}

/// Of slots up to so many bytes, a closure is lent a copy. So a loop stores to each slot, whatever
/// the closure decides: what is stored only here and there is not vectorised.
pub const LENT_COPY: usize = 16;

/// Calls a closure with the slot and the element.
#[derive(Clone, Copy, Debug)]
pub struct Call<F, T> {
    pub f: F,
    pub output: PhantomData<fn() -> T>,
}

impl<T: Element, V, F: Fn(&mut T, V) + OnThreads> Store<V> for Call<F, T> {
    type Slot = T;
    const OVERWRITES: bool = false;
    const COST: usize = UNKNOWN_COST;
    const WIDE: bool = false;

    #[inline(always)]
    fn blank(&self) -> Option<T> {
        None
    }

    #[inline(always)]
    fn put(&self, slot: &mut T, value: V) {
        if size_of::<T>() > LENT_COPY {
            return (self.f)(slot, value);
        }
        let mut copy = *slot;
        (self.f)(&mut copy, value);
        *slot = copy;
    }
}
