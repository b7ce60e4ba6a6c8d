//! Scans: along lanes in memory, element by element.

use super::isa::{Isa, Kernel};
use crate::reduce::{Scan, does_not_fit};
use bcast::Error;
use ndcore::Element;
use rayon::prelude::*;
use std::array::from_fn;
use std::cell::{Cell, RefCell};
use std::mem::MaybeUninit;
use std::sync::atomic::{Ordering, compiler_fence};

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
    assert!(values.len().is_multiple_of((extent * stride).max(1)), "whole lanes");
    let Some(&first) = values.first() else { return Ok(&mut []) };
    let (block, any) = (extent * stride, op.output(op.step(op.start(), first))?);
    let done = if stride == 1 {
        // Several lanes at a time, of short ones many.
        let some = AT_ONCE * block;
        in_parts(values, slots, some * (PART / some).max(1), tasks, |values, slots| {
            let scanning = Scanning { op, any, values, extent, error: Cell::new(None) };
            isa.dispatch(&scanning, slots);
            scanning.error.into_inner()
        })
    } else if const { size_of::<S::Carry>() <= 16 } && stride <= NARROW {
        in_parts(values, slots, block, tasks, |values, slots| {
            let scanning = ScanningNarrow { op, any, values, stride, error: Cell::new(None) };
            isa.dispatch(&scanning, slots);
            scanning.error.into_inner()
        })
    } else {
        // Along the lanes a block of memory goes on row by row; so many lanes side by side that
        // what they carry stays near, but no narrower than it takes to share them out: each row is
        // another place of memory, and short ones are slow.
        let blocks = values.len() / block;
        let parts = tasks.min(2 * rayon::current_num_threads()).div_ceil(blocks.max(1));
        let width = stride.min(4096).min(stride.div_ceil(parts).next_multiple_of(64));
        let mut parts: Vec<Rows<'_, T, S::Output>> = Vec::new();
        let count = blocks * stride.div_ceil(width);
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
        // Short rows that follow each other are one place of memory.
        let apart = width < stride || width * size_of::<T>() >= LONG_ROW;
        let some = if apart { ROWS } else { 1 };
        if tasks > 1 {
            parts.into_par_iter().try_for_each(|part| part.scan(isa, (op, any), some))
        } else {
            parts.into_iter().try_for_each(|part| part.scan(isa, (op, any), some))
        }
    };
    done?;
    // SAFETY: without an error, each lane, each block of lanes, or each row of each part, was given
    // to a kernel that has written all of its slots; the chunks are all of them, and whole.
    Ok(unsafe { slots.assume_init_mut() })
}

/// Scans parts of so many elements, in parallel if that is several tasks; of their errors, one.
fn in_parts<T: Element, O: Element>(
    values: &[T],
    slots: &mut [MaybeUninit<O>],
    part: usize,
    tasks: usize,
    scan: impl Fn(&[T], &mut [MaybeUninit<O>]) -> Option<Error> + Sync,
) -> Result<(), Error> {
    let scan = |(values, slots): (&_, &mut _)| scan(values, slots).map_or(Ok(()), Err);
    if tasks > 1 {
        values.par_chunks(part).zip(slots.par_chunks_mut(part)).try_for_each(scan)
    } else {
        values.chunks(part).zip(slots.chunks_mut(part)).try_for_each(scan)
    }
}

/// The lanes that are scanned at the same time.
const AT_ONCE: usize = 8;
/// Lanes of fewer elements go one after the other: the processor is at several of them anyway.
const SHORT: usize = 64;
/// Lanes of fewer elements go by way of copies: several of them lie on a page, whose lines are
/// fetched best in their order.
const LONG: usize = 128;
/// The elements of short lanes that are scanned by one call, at least.
const PART: usize = 1 << 12;
/// The elements of each of them that are copied at a time.
const TILE: usize = 64;

/// So few lanes side by side are scanned by one call: what they carry stays near.
const NARROW: usize = 64;

/// A few lanes that lie side by side: row by row.
struct ScanningNarrow<'k, S: Scan<T>, T> {
    op: &'k S,
    any: S::Output,
    values: &'k [T],
    /// How many there are.
    stride: usize,
    error: Cell<Option<Error>>,
}

impl<T: Element, S: Scan<T>> Kernel for ScanningNarrow<'_, S, T> {
    type Slot = MaybeUninit<S::Output>;
    type Held = ();

    #[inline(always)]
    fn held(&self) {}

    #[inline(always)]
    fn run(&self, (): (), slots: &mut [Self::Slot], _: usize) {
        match self.stride {
            2 => self.known::<2>(slots),
            3 => self.known::<3>(slots),
            4 => self.known::<4>(slots),
            5 => self.known::<5>(slots),
            6 => self.known::<6>(slots),
            7 => self.known::<7>(slots),
            8 => self.known::<8>(slots),
            stride => {
                let carries = &mut [self.op.start(); NARROW][..stride];
                let rows = slots.chunks_exact_mut(stride).zip(self.values.chunks_exact(stride));
                rows.for_each(|(slots, values)| {
                    step((self.op, self.any), carries, values, slots, &self.error)
                });
            }
        }
    }
}

impl<T: Element, S: Scan<T>> ScanningNarrow<'_, S, T> {
    /// Of so many lanes that what they carry is in registers.
    #[inline(always)]
    fn known<const N: usize>(&self, slots: &mut [MaybeUninit<S::Output>]) {
        let mut carries = [self.op.start(); N];
        let rows = slots.as_chunks_mut::<N>().0.iter_mut().zip(self.values.as_chunks::<N>().0);
        rows.for_each(|(slots, values)| {
            step((self.op, self.any), &mut carries, values, slots, &self.error)
        });
    }
}

/// Takes one element of some lanes each further. A result that does not fit is `any`.
#[inline(always)]
fn step<T: Element, S: Scan<T>>(
    (op, any): (&S, S::Output),
    carries: &mut [S::Carry],
    values: &[T],
    slots: &mut [MaybeUninit<S::Output>],
    error: &Cell<Option<Error>>,
) {
    // Looked at once: so that these are vectors.
    let mut fit = true;
    for ((slot, &value), carry) in slots.iter_mut().zip(values).zip(carries.iter_mut()) {
        let (after, result) = op.next(*carry, value);
        *carry = after;
        fit &= result.is_some();
        slot.write(result.unwrap_or(any));
    }
    if !fit {
        fail(op, carries, error);
    }
}

/// Keeps what is wrong with a result so far, if it is the first.
#[cold]
#[inline(never)]
fn fail<T, S: Scan<T>>(op: &S, carries: &[S::Carry], error: &Cell<Option<Error>>) {
    error.set(Some(error.take().unwrap_or_else(|| does_not_fit(op, carries))));
}

/// Whole lanes, one after the other.
struct Scanning<'k, S: Scan<T>, T> {
    op: &'k S,
    any: S::Output,
    values: &'k [T],
    extent: usize,
    error: Cell<Option<Error>>,
}

impl<T: Element, S: Scan<T>> Kernel for Scanning<'_, S, T> {
    type Slot = MaybeUninit<S::Output>;
    type Held = ();
    // Wider blocks take longer to turn.
    const WIDE: bool = false;

    #[inline(always)]
    fn held(&self) {}

    #[inline(always)]
    fn run(&self, (): (), slots: &mut [Self::Slot], _: usize) {
        let (extent, mut done) = (self.extent, 0);
        // Larger elements are no numbers, and would be many on the stack.
        if const { !S::LANE_BY_LANE && size_of::<T>() <= 16 && size_of::<S::Output>() <= 16 }
            && extent >= SHORT
        {
            let some = AT_ONCE * extent;
            while slots.len() - done >= some {
                let (values, slots) = (&self.values[done..][..some], &mut slots[done..][..some]);
                if const { size_of::<S::Carry>() == 8 } && extent >= LONG {
                    self.turned(values, slots);
                } else {
                    self.several(values, slots);
                }
                done += some;
            }
        }
        let (slots, values) = (&mut slots[done..], &self.values[done..]);
        for (slots, values) in slots.chunks_mut(extent).zip(values.chunks(extent)) {
            self.lane(self.op.start(), values, slots);
        }
    }
}

impl<T: Element, S: Scan<T>> Scanning<'_, S, T> {
    /// Goes along one lane, from what is carried to it on.
    #[inline(always)]
    fn lane(&self, mut carry: S::Carry, values: &[T], slots: &mut [MaybeUninit<S::Output>]) {
        for (slot, &value) in slots.iter_mut().zip(values) {
            carry = put((self.op, self.any), carry, value, slot, &self.error);
        }
    }

    /// As [`several`](Self::several), block by block, each of which the compiler turns in
    /// registers: so what is carried, of the size of a large number, is in vectors.
    #[inline(always)]
    fn turned(&self, values: &[T], slots: &mut [MaybeUninit<S::Output>]) {
        const WHOLE: &str = "a block of each lane";
        let (op, extent) = (self.op, self.extent);
        let mut carries = [op.start(); AT_ONCE];
        let mut first = 0;
        while extent - first >= AT_ONCE {
            let block: [[T; AT_ONCE]; AT_ONCE] = from_fn(
                #[inline(always)]
                |lane| *values[lane * extent + first..].first_chunk().expect(WHOLE),
            );
            let mut results = [[MaybeUninit::uninit(); AT_ONCE]; AT_ONCE];
            for (i, slots) in results.iter_mut().enumerate() {
                let values: [T; AT_ONCE] = from_fn(
                    #[inline(always)]
                    |lane| block[lane][i],
                );
                step((op, self.any), &mut carries, &values, slots, &self.error);
            }
            for lane in 0..AT_ONCE {
                let to = slots[lane * extent + first..].first_chunk_mut::<AT_ONCE>().expect(WHOLE);
                *to = from_fn(
                    #[inline(always)]
                    |i| results[i][lane],
                );
            }
            // Costs nothing. Else the compiler may make vectors of several blocks.
            compiler_fence(Ordering::SeqCst);
            first += AT_ONCE;
        }
        for (lane, carry) in carries.into_iter().enumerate() {
            let rest = lane * extent + first..(lane + 1) * extent;
            self.lane(carry, &values[rest.clone()], &mut slots[rest]);
        }
    }

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
                    let (op, slot) = ((self.op, self.any), &mut results[lane][i]);
                    *carry = put(op, *carry, tile[lane][i], slot, &self.error);
                }
            }
            for (results, at) in results.iter().zip(places) {
                slots[at..at + count].copy_from_slice(&results[..count]);
            }
        }
    }
}

/// Takes one element further, and stores the result, or keeps the error, if it is the first.
#[inline(always)]
fn put<T, S: Scan<T>>(
    (op, any): (&S, S::Output),
    carry: S::Carry,
    value: T,
    slot: &mut MaybeUninit<S::Output>,
    error: &Cell<Option<Error>>,
) -> S::Carry {
    let (carry, result) = op.next_alone(carry, value);
    if result.is_none() {
        fail(op, &[carry], error);
    }
    slot.write(result.unwrap_or(any));
    carry
}

/// A row: its slots and its elements.
type Row<'r, T, O> = (&'r mut [MaybeUninit<O>], &'r [T]);

/// The rows of lanes that lie side by side.
struct Rows<'r, T, O>(Vec<Row<'r, T, O>>);

impl<T: Element, O: Element> Rows<'_, T, O> {
    fn scan<S: Scan<T, Output = O>>(
        mut self,
        isa: Isa,
        (op, any): (&S, O),
        some: usize,
    ) -> Result<(), Error> {
        let width = self.0.first().map_or(0, |(slots, _)| slots.len());
        let mut carries = Vec::new();
        carries.try_reserve_exact(width).map_err(|_| Error::no_memory())?;
        carries.resize(width, op.start());
        for rows in self.0.chunks_mut(some) {
            let rows = ScanningRows { op, any, rows: RefCell::new(rows), error: Cell::new(None) };
            isa.dispatch(&rows, &mut carries);
            if let Some(error) = rows.error.into_inner() {
                return Err(error);
            }
        }
        Ok(())
    }
}

/// The rows that are gone over at a time: what is carried is read and written once for them, and
/// the processor is at as many places of memory.
const ROWS: usize = 4;
/// Rows of so many bytes are, even if they follow each other.
const LONG_ROW: usize = 1 << 13;

/// An element of each lane, or some: the slots are what is carried.
struct ScanningRows<'k, 'r, S: Scan<T>, T> {
    op: &'k S,
    any: S::Output,
    rows: RefCell<&'k mut [Row<'r, T, S::Output>]>,
    error: Cell<Option<Error>>,
}

impl<T: Element, S: Scan<T>> Kernel for ScanningRows<'_, '_, S, T> {
    type Slot = S::Carry;
    type Held = ();

    #[inline(always)]
    fn held(&self) {}

    #[inline(always)]
    fn run(&self, (): (), carries: &mut [S::Carry], _: usize) {
        let mut rows = self.rows.borrow_mut();
        let done = match rows.first_chunk_mut() {
            // A cache line of each row, if they are large. Larger elements are no numbers, as
            // above.
            Some(rows) if const { size_of::<T>() <= 4 } => self.some::<16>(carries, rows),
            Some(rows) if const { size_of::<T>() <= 16 } => self.some::<8>(carries, rows),
            _ => 0,
        };
        let carries = &mut carries[done..];
        for (slots, values) in rows.iter_mut() {
            let (op, slots) = ((self.op, self.any), &mut slots[done..]);
            step(op, carries, &values[done..], slots, &self.error);
        }
    }
}

impl<T: Element, S: Scan<T>> ScanningRows<'_, '_, S, T> {
    /// Goes over some rows, `N` lanes at a time: meanwhile what these carry is in registers.
    /// Returns how many lanes are done: fewer than that are left.
    #[inline(always)]
    fn some<const N: usize>(
        &self,
        carries: &mut [S::Carry],
        rows: &mut [Row<'_, T, S::Output>; ROWS],
    ) -> usize {
        let chunks = carries.as_chunks_mut::<N>().0;
        let count = chunks.len();
        let mut rows = rows.each_mut().map(
            #[inline(always)]
            |(slots, values)| {
                let slots = &mut slots.as_chunks_mut::<N>().0[..count];
                (slots, &values.as_chunks::<N>().0[..count])
            },
        );
        for (number, carries) in chunks.iter_mut().enumerate() {
            // Copies, which nothing else refers to.
            let mut some = *carries;
            for (slots, values) in &mut rows {
                let values = values[number];
                let op = (self.op, self.any);
                step(op, &mut some, &values, &mut slots[number], &self.error);
            }
            *carries = some;
            // Costs nothing. Else the compiler gathers the elements of several chunks.
            compiler_fence(Ordering::SeqCst);
        }
        count * N
    }
}
