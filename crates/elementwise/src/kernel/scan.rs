//! Scans: along lanes in memory, element by element.

use super::isa::{Isa, Kernel};
use crate::reduce::Scan;
use bcast::Error;
use ndcore::Element;
use rayon::prelude::*;
use std::cell::{Cell, RefCell};
use std::mem::MaybeUninit;

/// Lanes in memory without gaps: of `extent` elements, `stride` apart.
#[derive(Clone, Copy, Debug)]
pub struct Lanes {
    pub extent: usize,
    pub stride: usize,
}

/// The results of a scan along lanes; of its errors, one.
pub fn scan<'s, T: Element, S: Scan<T>>(
    isa: Isa,
    op: &S,
    values: &[T],
    slots: &'s mut [MaybeUninit<S::Output>],
    lanes: Lanes,
    tasks: usize,
) -> Result<&'s mut [S::Output], Error> {
    assert_eq!(values.len(), slots.len(), "a result for each element");
    let Lanes { extent, stride } = lanes;
    let done = if stride == 1 {
        // Several lanes at a time, of short ones many.
        let some = |(slots, values): (&mut [_], &[T])| {
            let scanning = Scanning { op, values, extent, error: Cell::new(None) };
            isa.dispatch(&scanning, slots);
            scanning.error.into_inner().map_or(Ok(()), Err)
        };
        let part = AT_ONCE * extent * (PART / (AT_ONCE * extent).max(1)).max(1);
        if tasks > 1 {
            slots.par_chunks_mut(part).zip(values.par_chunks(part)).try_for_each(some)
        } else {
            slots.chunks_mut(part).zip(values.chunks(part)).try_for_each(some)
        }
    } else {
        // Along the lanes a block of memory goes on row by row; so many lanes side by side that
        // what they carry stays in a first-level cache.
        let width = stride.min(4096).min(stride.div_ceil(tasks).next_multiple_of(64));
        let mut parts: Vec<Rows<'_, T, S::Output>> = Vec::new();
        let block = extent * stride;
        let count = values.len() / block.max(1) * stride.div_ceil(width);
        parts.try_reserve_exact(count).map_err(|_| Error::no_memory())?;
        for (slots, values) in slots.chunks_mut(block).zip(values.chunks(block)) {
            let first = parts.len();
            parts.resize_with(first + stride.div_ceil(width), || Rows(Vec::new()));
            for part in &mut parts[first..] {
                part.0.try_reserve_exact(extent).map_err(|_| Error::no_memory())?;
            }
            for (slots, values) in slots.chunks_mut(stride).zip(values.chunks(stride)) {
                let pieces = slots.chunks_mut(width).zip(values.chunks(width));
                parts[first..].iter_mut().zip(pieces).for_each(|(part, row)| part.0.push(row));
            }
        }
        if tasks > 1 {
            parts.into_par_iter().try_for_each(|part| part.scan(isa, op))
        } else {
            parts.into_iter().try_for_each(|part| part.scan(isa, op))
        }
    };
    done?;
    // SAFETY: without an error, each lane, or each row of each part, was given to a kernel that has
    // written all of its slots; the chunks are all of them.
    Ok(unsafe { slots.assume_init_mut() })
}

/// The lanes that are scanned at the same time.
const AT_ONCE: usize = 8;
/// Lanes of fewer elements go one after the other: the processor is at several of them anyway.
const SHORT: usize = 64;
/// The elements of short lanes that are scanned by one call, at least.
const PART: usize = 1 << 12;
/// The elements of each of them that are copied at a time.
const TILE: usize = 64;

/// Whole lanes, one after the other.
struct Scanning<'k, S, T> {
    op: &'k S,
    values: &'k [T],
    extent: usize,
    error: Cell<Option<Error>>,
}

impl<T: Element, S: Scan<T>> Kernel for Scanning<'_, S, T> {
    type Slot = MaybeUninit<S::Output>;

    #[inline(always)]
    fn run(&self, slots: &mut [Self::Slot], _: usize) {
        let (extent, mut done) = (self.extent, 0);
        // Larger elements are no numbers, and would be many on the stack.
        if const { size_of::<T>() <= 16 && size_of::<S::Output>() <= 16 } && extent >= SHORT {
            let some = AT_ONCE * extent;
            while slots.len() - done >= some {
                self.several(&self.values[done..][..some], &mut slots[done..][..some]);
                done += some;
            }
        }
        let (slots, values) = (&mut slots[done..], &self.values[done..]);
        for (slots, values) in slots.chunks_mut(extent).zip(values.chunks(extent)) {
            let mut carry = self.op.start();
            for (slot, &value) in slots.iter_mut().zip(values) {
                carry = self.op.step(carry, value);
                put(self.op, carry, slot, &self.error);
            }
        }
    }
}

impl<T: Element, S: Scan<T>> Scanning<'_, S, T> {
    /// Goes along [`AT_ONCE`] lanes: each waits for itself only.
    #[inline(always)]
    fn several(&self, values: &[T], slots: &mut [MaybeUninit<S::Output>]) {
        let extent = self.extent;
        let mut carries = [self.op.start(); AT_ONCE];
        // By way of copies: lanes a power of two apart would push each other's lines out of
        // the cache.
        let mut tile = [[values[0]; TILE]; AT_ONCE];
        let mut results = [[MaybeUninit::uninit(); TILE]; AT_ONCE];
        for first in (0..extent).step_by(TILE) {
            let count = TILE.min(extent - first);
            let places = (0..AT_ONCE).map(|lane| lane * extent + first);
            for (tile, at) in tile.iter_mut().zip(places.clone()) {
                tile[..count].copy_from_slice(&values[at..at + count]);
            }
            for i in 0..count {
                for (lane, carry) in carries.iter_mut().enumerate() {
                    *carry = self.op.step(*carry, tile[lane][i]);
                    put(self.op, *carry, &mut results[lane][i], &self.error);
                }
            }
            for (results, at) in results.iter().zip(places) {
                slots[at..at + count].copy_from_slice(&results[..count]);
            }
        }
    }
}

/// Stores the result so far, or keeps the error, if it is the first.
#[inline(always)]
fn put<T, S: Scan<T>>(
    op: &S,
    carry: S::Carry,
    slot: &mut MaybeUninit<S::Output>,
    error: &Cell<Option<Error>>,
) {
    match op.output(carry) {
        Ok(value) => {
            slot.write(value);
        }
        // The first one is kept.
        Err(err) => error.set(Some(error.take().unwrap_or(err))),
    }
}

/// A row: its slots and its elements.
type Row<'r, T, O> = (&'r mut [MaybeUninit<O>], &'r [T]);

/// The rows of lanes that lie side by side.
struct Rows<'r, T, O>(Vec<Row<'r, T, O>>);

impl<T: Element, O: Element> Rows<'_, T, O> {
    fn scan<S: Scan<T, Output = O>>(self, isa: Isa, op: &S) -> Result<(), Error> {
        let width = self.0.first().map_or(0, |(slots, _)| slots.len());
        let mut carries = Vec::new();
        carries.try_reserve_exact(width).map_err(|_| Error::no_memory())?;
        carries.resize(width, op.start());
        let carries = RefCell::new(carries);
        for (slots, values) in self.0 {
            let row = ScanningRow { op, values, carries: &carries, error: Cell::new(None) };
            isa.dispatch(&row, slots);
            if let Some(error) = row.error.into_inner() {
                return Err(error);
            }
        }
        Ok(())
    }
}

/// One element of each lane.
struct ScanningRow<'k, S: Scan<T>, T> {
    op: &'k S,
    values: &'k [T],
    carries: &'k RefCell<Vec<S::Carry>>,
    error: Cell<Option<Error>>,
}

impl<T: Element, S: Scan<T>> Kernel for ScanningRow<'_, S, T> {
    type Slot = MaybeUninit<S::Output>;

    #[inline(always)]
    fn run(&self, slots: &mut [Self::Slot], _: usize) {
        let mut carries = self.carries.borrow_mut();
        let all = slots.iter_mut().zip(self.values).zip(carries.iter_mut());
        for ((slot, &value), carry) in all {
            *carry = self.op.step(*carry, value);
            put(self.op, *carry, slot, &self.error);
        }
    }
}
