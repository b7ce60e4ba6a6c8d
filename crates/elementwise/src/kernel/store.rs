//! Destinations with a slot for each element: [`Write`] and [`Update`].

use super::block::{Block, Reads};
use super::isa::{self, Isa, Kernel};
use super::source::Source;
use super::walk::{Region, Run, Sink};
use crate::ops::{Op, UNKNOWN_COST};
use crate::plan::Plan;
use crate::types::ViewMut;
use bcast::Error;
use ndcore::{Dimension, Element, Filled, IterMut, Packed, Part, RowsMut, SLABS};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// What is done with a slot.
pub trait Store<V>: Sync {
    /// What lies in the output's memory.
    type Slot: Element;

    /// Whether the output may be written past the cache, whatever it held.
    const OVERWRITES: bool;

    /// What it takes beside the element, as the [`COST`](Op::COST) of an operation.
    const COST: usize = 0;

    /// As [`Block::PURE`].
    const PURE: bool = true;

    /// What a slot may hold before; `None` if its value is needed.
    fn blank(&self) -> Option<Self::Slot>;

    /// Stores an element.
    fn put(&self, slot: &mut Self::Slot, value: V);

    /// Stores few elements that lie side by side, of which there are as many as slots, if they are
    /// stored as they are; whether that was so.
    #[inline(always)]
    fn copy_few(_: &mut [Self::Slot], _: &[V]) -> bool {
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
    fn copy_few(slots: &mut [MaybeUninit<V>], from: &[V]) -> bool {
        copy_few(slots, from);
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
fn copy_few<T: Element>(to: &mut [MaybeUninit<T>], from: &[T]) {
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

    #[inline(always)]
    fn blank(&self) -> Option<T> {
        None
    }

    #[inline(always)]
    fn put(&self, slot: &mut T, value: V) {
        *slot = self.op.apply((*slot, value));
    }
}

/// Calls a closure with the slot and the element.
#[derive(Clone, Copy, Debug)]
pub struct Call<F, T> {
    pub f: F,
    pub output: PhantomData<fn() -> T>,
}

impl<T: Element, V, F: Fn(&mut T, V) + Sync> Store<V> for Call<F, T> {
    type Slot = T;
    const OVERWRITES: bool = false;
    const COST: usize = UNKNOWN_COST;
    const PURE: bool = false;

    #[inline(always)]
    fn blank(&self) -> Option<T> {
        None
    }

    #[inline(always)]
    fn put(&self, slot: &mut T, value: V) {
        (self.f)(slot, value);
    }
}

/// The loop that stores a block: its runs one after the other.
struct Storing<'k, D, B: Block> {
    store: &'k D,
    reads: B::Reads,
    /// How many runs the block has, from the first of `reads` on, and of how many elements of each
    /// there is a slot: at most as many as there are.
    runs: usize,
    len: usize,
    /// Whether past the cache.
    streamed: bool,
}

impl<'k, B: Block, D: Store<B::Elem>> Storing<'k, D, B> {
    /// For a row of so many slots.
    ///
    /// # Panics
    /// If the block has fewer elements.
    #[inline(always)]
    fn new(store: &'k D, block: &B, slots: usize, streamed: bool) -> Self {
        let runs = block.runs();
        let len = block.root_len().min(slots);
        // In this form without a division, which takes longer than a vector.
        let some = len.saturating_mul(runs) >= slots;
        assert!(some, "a block has as many elements as are stored");
        Storing { store, reads: block.reads(), runs, len, streamed: streamed && len == slots }
    }
}

impl<B: Block, D: Store<B::Elem>> Kernel for Storing<'_, D, B> {
    type Slot = D::Slot;
    const WIDE: bool = B::PURE && D::PURE;
    const STREAMS: bool = D::OVERWRITES;
    // What is made of many operations: functions, and what is done with 16-bit floats, each of which
    // takes some ten to be converted.
    const STREAMS_WIDE: bool = B::RARE || B::MULTIPLY_ADDS || size_of::<D::Slot>() == 2;

    #[inline(always)]
    fn blank(&self) -> Option<D::Slot> {
        self.store.blank()
    }

    #[inline(always)]
    fn streamed(&self) -> bool {
        self.streamed
    }

    #[inline(always)]
    fn run(&self, slots: &mut [D::Slot], start: usize) {
        for (number, slots) in slots.chunks_mut(self.len.max(1)).enumerate() {
            self.one(number, slots, start);
        }
    }

    #[inline(always)]
    fn stretch(&self, slots: &mut [D::Slot], start: usize) {
        self.one(0, slots, start);
    }

    // One run by itself.
    #[inline(always)]
    fn before(&self, slots: &[D::Slot]) -> usize {
        let one = slots.len() <= self.len && size_of_val(slots) >= ALIGNED_BYTES;
        if one { before_line(slots) } else { 0 }
    }
}

/// So many bytes are worth it to be stored from a cache line on.
const ALIGNED_BYTES: usize = 1 << 10;

/// How many slots lie before the first that begins a cache line; all, if there is none.
#[inline(always)]
fn before_line<S>(slots: &[S]) -> usize {
    slots.as_ptr().align_offset(ndcore::LINE).min(slots.len())
}

/// The elements among which one rare argument makes all take the slower way.
const PART: usize = 256;

impl<B: Block, D: Store<B::Elem>> Storing<'_, D, B> {
    /// Goes over rows, each of which is the run of its number; or over one, of all runs.
    // Not inlined: once for each expression, whatever becomes of it.
    #[inline(never)]
    fn rows(&self, isa: Isa, block: &B, rows: RowsMut<'_, D::Slot>) {
        let mut rows = if block.gathers() { rows.cut_by(self.len) } else { rows };
        if rows.count() == 1 {
            return isa.dispatch(self, rows.row(0));
        }
        for number in 0..rows.count() {
            isa.dispatch(&self.by_itself(block, number), rows.row(number));
        }
    }

    /// One of the runs.
    #[inline(always)]
    fn by_itself(&self, block: &B, number: usize) -> Self {
        assert!(number < self.runs, "as many runs as rows");
        Storing { reads: block.run(number).reads(), runs: 1, ..*self }
    }

    /// Stores the elements of a run of the block from this one on.
    #[inline(always)]
    fn one(&self, number: usize, slots: &mut [D::Slot], start: usize) {
        let inside = start <= self.len && slots.len() <= self.len - start;
        assert!(number < self.runs && inside, "a run of as many as there are, which is as long");
        let reads = self.reads.run(number);
        if !B::RARE {
            self.each::<false, true>(reads, slots, start);
            return;
        }
        for (number, part) in slots.chunks_mut(PART).enumerate() {
            let first = start + number * PART;
            if self.each::<true, false>(reads, part, first) {
                self.each::<true, true>(reads, part, first);
            } else {
                self.each::<false, true>(reads, part, first);
            }
        }
    }

    /// Computes each element, and stores it if `STORED`. Returns whether all arguments were usual,
    /// if they are taken to be `USUAL`.
    #[inline(always)]
    fn each<const USUAL: bool, const STORED: bool>(
        &self,
        reads: B::Reads,
        slots: &mut [D::Slot],
        start: usize,
    ) -> bool {
        let mut all = true;
        for (i, slot) in slots.iter_mut().enumerate() {
            // SAFETY: `one` gives a run that the block has, and has looked at its length: so
            // `start + i` is less than it.
            let (value, usual) = unsafe { reads.root::<USUAL>(start + i) };
            all &= usual;
            if STORED {
                self.store.put(slot, value);
            }
        }
        all
    }
}

/// Computes the elements of a block's root into slots.
#[inline(always)]
pub fn compute<B: Block<Elem: Element>>(
    isa: Isa,
    slots: &mut [MaybeUninit<B::Elem>],
    block: B,
) -> &mut [B::Elem] {
    update(isa, &Write, slots, block);
    // SAFETY: `Storing::run` puts a value into each slot that it is given, and `Write` initialises
    // it so.
    unsafe { slots.assume_init_mut() }
}

/// Combines slots with the elements of a block's root.
#[inline(always)]
pub fn update<B: Block, D: Store<B::Elem>>(isa: Isa, store: &D, slots: &mut [D::Slot], block: B) {
    update_rows(isa, store, slots.into(), block, false);
}

/// As [`update`], of a block that is one run, and gathers nothing.
#[inline(always)]
pub fn update_flat<B: Block, D: Store<B::Elem>>(
    isa: Isa,
    store: &D,
    slots: &mut [D::Slot],
    block: B,
) {
    isa.dispatch(&Storing::<D, B>::new(store, &block, slots.len(), false), slots);
}

/// Stores a run of a source in rows of slots, or several runs; past the cache if they are streamed.
/// Those of several matrices are the rows of the source of these numbers, if there are as many.
///
/// # Panics
/// If there are fewer elements, or other runs than rows that lie apart.
// Not inlined: once for each expression, whatever becomes of it.
#[inline(never)]
pub fn store_run<S: Source, D: Store<S::Elem>>(
    isa: Isa,
    store: &D,
    mut rows: RowsMut<'_, D::Slot>,
    source: &mut S,
    run: &Run<'_>,
    streamed: bool,
) {
    let block = source.root(run);
    for number in 0..rows.slabs() {
        update_rows(isa, store, rows.slab(number), block.row(number), streamed);
    }
}

/// Computes all elements of a source into slots, those of so many matrices of equal size.
///
/// # Panics
/// As for [`store_run`].
#[inline(always)]
pub fn compute_all<'s, S: Source>(
    isa: Isa,
    slots: &'s mut [MaybeUninit<S::Elem>],
    source: &mut S,
    slabs: usize,
) -> &'s mut [S::Elem] {
    let (run, mut places) = (Run::flat(slots.len()), [0; SLABS]);
    let rows = RowsMut::from(&mut *slots).in_slabs(slabs, &mut places);
    store_run(isa, &Write, rows, source, &run, false);
    // SAFETY: as for `compute`.
    unsafe { slots.assume_init_mut() }
}

/// As [`store_run`], of a block.
#[inline(always)]
fn update_rows<B: Block, D: Store<B::Elem>>(
    isa: Isa,
    store: &D,
    rows: RowsMut<'_, D::Slot>,
    block: B,
    streamed: bool,
) {
    let kernel = Storing::<D, B>::new(store, &block, rows.len(), D::OVERWRITES && streamed);
    kernel.rows(isa, &block, rows);
}

/// As [`compute`], of one run, as part of the caller: for a few elements.
#[inline(always)]
pub fn compute_here<B: Block<Elem: Element>>(
    slots: &mut [MaybeUninit<B::Elem>],
    block: B,
) -> &mut [B::Elem] {
    update_here(&Write, slots, block);
    // SAFETY: as for `compute`.
    unsafe { slots.assume_init_mut() }
}

/// As [`update`], of one run, as part of the caller: for a few elements.
#[inline(always)]
pub fn update_here<B: Block, D: Store<B::Elem>>(store: &D, slots: &mut [D::Slot], block: B) {
    if let Some(from) = block.side_by_side().and_then(|from| from.get(..slots.len()))
        && D::copy_few(slots, from)
    {
        return;
    }
    Storing::<D, B>::new(store, &block, slots.len(), false).one(0, slots, 0);
}

/// As [`update_here`], of slots that lie apart, one after the other.
///
/// # Panics
/// If there are more slots than elements.
#[inline(always)]
pub fn update_each_here<B: Block, D: Store<B::Elem>, R: Dimension>(
    store: &D,
    slots: IterMut<'_, D::Slot, R>,
    block: B,
) {
    let (len, reads) = (block.root_len(), block.reads());
    assert!(slots.len() <= len, "an element for each slot");
    // The number is handed on: what a closure counts lies in memory.
    slots.fold_here(0, move |i, slot| {
        // Asked again: an iterator is not trusted to give as many as it says.
        if i < len {
            // SAFETY: as just asked.
            store.put(slot, unsafe { reads.root::<false>(i) }.0);
        }
        i + 1
    });
}

/// As [`update_here`], in rows of slots, each of which is the run of its number.
///
/// # Panics
/// If there are fewer runs, or shorter ones.
#[inline(always)]
pub fn update_rows_here<B: Block, D: Store<B::Elem>>(
    store: &D,
    mut rows: RowsMut<'_, D::Slot>,
    block: B,
) {
    let storing = Storing::<D, B>::new(store, &block, rows.len(), false);
    for number in 0..rows.count() {
        storing.by_itself(&block, number).one(0, rows.row(number), 0);
    }
}

/// As [`update_rows_here`], of several matrices: [`store_run`] as part of the caller.
///
/// # Panics
/// As for [`update_rows_here`].
#[inline(always)]
pub fn update_slabs_here<S: Source, D: Store<S::Elem>>(
    store: &D,
    mut rows: RowsMut<'_, D::Slot>,
    source: &mut S,
) {
    let block = source.root(&Run::flat(rows.len()));
    for number in 0..rows.slabs() {
        update_rows_here(store, rows.slab(number), block.row(number));
    }
}

/// As [`compute_here`], in so many rows of so many slots.
///
/// # Panics
/// If these are not all of the slots, or as for [`update_rows_here`].
#[inline(always)]
pub fn compute_rows_here<B: Block<Elem: Element>>(
    slots: &mut [MaybeUninit<B::Elem>],
    (count, len): (usize, usize),
    block: B,
) -> &mut [B::Elem] {
    update_rows_here(&Write, RowsMut::from(&mut *slots).cut(count, len), block);
    // SAFETY: the rows are all of the slots, and `update_rows_here` puts a value into each slot of
    // each, which `Write` initialises.
    unsafe { slots.assume_init_mut() }
}

/// What computes elements by groups, which depend on the number of the group alone.
pub trait ByGroups {
    /// An element.
    type Elem: Element;
    /// An array of them.
    type Group: AsRef<[Self::Elem]>;

    /// The elements of a group. Mark it as `#[inline(always)]`, as the loop of a kernel.
    fn group(&self, number: usize) -> Self::Group;
}

/// The loop that stores groups.
struct Generating<'g, G>(&'g G);

impl<G: ByGroups> Kernel for Generating<'_, G> {
    type Slot = MaybeUninit<G::Elem>;

    #[inline(always)]
    fn run(&self, slots: &mut [Self::Slot], _: usize) {
        let len = const { size_of::<G::Group>() / size_of::<G::Elem>() };
        let whole = slots.len() / len;
        let mut groups = slots.chunks_exact_mut(len);
        for (number, slots) in groups.by_ref().enumerate() {
            slots.write_copy_of_slice(self.0.group(number).as_ref());
        }
        let rest = groups.into_remainder();
        if !rest.is_empty() {
            rest.write_copy_of_slice(&self.0.group(whole).as_ref()[..rest.len()]);
        }
    }
}

impl Isa {
    /// Fills slots with groups, from the first on; of the last one, with what there is room for.
    ///
    /// # Panics
    /// If a group is something else than its elements.
    #[doc(hidden)]
    pub fn generate<'s, G: ByGroups>(
        self,
        generator: &G,
        slots: &'s mut [MaybeUninit<G::Elem>],
    ) -> &'s mut [G::Elem] {
        self.dispatch(&Generating(generator), slots);
        // SAFETY: the chunks and the rest are all slots, and `Generating::run` has copied as many
        // elements to each of them as it has slots, or panicked.
        unsafe { slots.assume_init_mut() }
    }
}

/// The sink of a part of an output that has a slot for each element.
#[derive(Debug)]
pub struct Stores<'t, 'b, D, S: Element> {
    store: &'t D,
    part: Part<'b, S>,
    plan: &'t Plan,
    /// A box of the output, if that does not lie side by side.
    buffer: Packed<S>,
    isa: Isa,
}

impl<'t, 'b, D, S: Element> Stores<'t, 'b, D, S> {
    // What does not know the expression is not inlined into what is compiled for each.
    #[inline(never)]
    pub fn new(store: &'t D, part: Part<'b, S>, plan: &'t Plan, isa: Isa) -> Self {
        Stores { store, part, plan, buffer: Packed::new(), isa }
    }

    /// Computes the part, which begins at index `start` of the output, from a source.
    ///
    /// # Errors
    /// If there is no memory for its buffer.
    #[inline(always)]
    pub fn walk<T>(mut self, source: T, start: &[usize]) -> Result<Filled<'b>, Error>
    where
        T: Source,
        D: Store<T::Elem, Slot = S>,
    {
        super::walk_into(self.plan, start, source, &mut self)?;
        // SAFETY: `walk` has gone over every element of the part; its runs are stored by kernels
        // which put a value into each slot, into the part itself or into a buffer that `close` has
        // copied to it; and what is not overwritten was initialised before.
        Ok(unsafe { self.assume_filled() })
    }

    /// The slots of a run, or of several: past the cache, and where they lie apart, each is a row
    /// by itself.
    #[inline(never)]
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
    #[inline(never)]
    unsafe fn assume_filled(self) -> Filled<'b> {
        if self.plan.streamed {
            isa::fence();
        }
        // SAFETY: the caller's promise.
        unsafe { self.part.assume_filled() }
    }
}

impl<D: Store<T>, T> Sink<T> for Stores<'_, '_, D, D::Slot> {
    #[inline(never)]
    fn extents(&self) -> ndcore::Extents {
        ndcore::Extents::from_slice(self.part.extents())
    }

    fn open(&mut self, corner: &[usize], tile: &Region) -> bool {
        if self.plan.scattered {
            if !self.buffer.reserve(tile.extents.iter().product()) {
                return false;
            }
            match self.store.blank() {
                Some(blank) => self.buffer.fill(blank, tile.extents.iter().product()),
                None => self.part.pack(corner, &tile.extents, &mut self.buffer),
            }
        }
        true
    }

    #[inline]
    fn run<S: Source<Elem = T>>(&mut self, run: &Run<'_>, source: &mut S) {
        let (isa, store, streamed) = (self.isa, self.store, self.plan.streamed);
        store_run(isa, store, self.rows(run), source, run, streamed);
    }

    fn close(&mut self, corner: &[usize], tile: &Region) {
        if self.plan.scattered {
            self.part.unpack(corner, &tile.extents, self.buffer.as_slice());
        }
    }
}
