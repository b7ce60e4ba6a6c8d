//! Destinations with a slot for each element: what is done with a slot ([`Write`], [`Update`]), the
//! loop that does it, and an expression bound for one, without its type ([`Computes`]).

use super::block::{Block, Line, Reads};
use super::isa::{self, Isa, Kernel};
use super::source::Source;
use super::walk::{Region, Run, Task, walk};
use crate::ops::{Op, UNKNOWN_COST};
use crate::plan::Plan;
use crate::types::ViewMut;
use bcast::Error;
use ndcore::{Dimension, Element, Filled, LinesMut, Packed, Part, RowsMut, SLABS};
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

impl<T: Element, V, F: Fn(&mut T, V) + Sync> Store<V> for Call<F, T> {
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

/// The loop that stores a block: its runs one after the other.
struct Storing<'k, D, B: Block> {
    store: &'k D,
    reads: B::Reads,
    /// How many runs the block has, from the first of `reads` on, and of how many elements of each
    /// there is a slot: at most as many as there are.
    runs: usize,
    len: usize,
    /// The block, if some of its runs are gathered: each before it is stored.
    gathers: Option<&'k B>,
    /// Whether past the cache.
    streamed: bool,
}

impl<'k, B: Block, D: Store<B::Elem>> Storing<'k, D, B> {
    /// For rows of so many slots, of all runs of a block or of one.
    ///
    /// # Panics
    /// If the block has fewer elements.
    #[inline(always)]
    fn new(store: &'k D, block: &'k B, slots: usize, streamed: bool) -> Self {
        let runs = block.runs();
        let len = block.root_len().min(slots);
        // In this form without a division, which takes longer than a vector.
        let some = len.saturating_mul(runs) >= slots;
        assert!(some, "a block has as many elements as are stored");
        let (reads, streamed) = (block.reads(), streamed && len == slots);
        Storing { store, reads, runs, len, gathers: None, streamed }
    }

    /// Gives each row of slots to a function, with what is stored there: the run of its number of
    /// the block, or all runs, if there is one row; of the matrix of this number, if there are
    /// several. If it is `HERE`, what finds a run is part of the caller.
    ///
    /// # Panics
    /// If there are fewer runs, or elements.
    #[inline(always)]
    fn rows<const HERE: bool>(
        store: &'k D,
        (block, matrix): (&'k B, Option<usize>),
        mut rows: RowsMut<'_, D::Slot>,
        streamed: bool,
        mut each: impl FnMut(&Self, &mut [D::Slot]),
    ) {
        let all = Self::new(store, block, rows.len(), streamed);
        let one = rows.count() == 1;
        let gathers = (!HERE && one && block.gathers()).then_some(block);
        assert!(one || rows.count() <= all.runs, "as many runs as rows");
        for number in 0..rows.count() {
            let (reads, runs) =
                (block.reads_of::<HERE>(matrix, number), if one { all.runs } else { 1 });
            each(&Storing { reads, runs, gathers, ..all }, rows.row(number));
        }
    }
}

impl<B: Block, D: Store<B::Elem>> Kernel for Storing<'_, D, B> {
    type Slot = D::Slot;
    const WIDE: bool = B::WIDE && D::WIDE;
    const STREAMS: bool = D::OVERWRITES;
    // What is made of many operations: functions, and what is done with 16-bit floats, each of
    // which takes some ten to be converted.
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
            if let Some(block) = self.gathers {
                gather(block, number);
            }
            self.one(number, slots, start);
        }
    }

    #[inline(always)]
    fn stretch(&self, slots: &mut [D::Slot], start: usize) {
        self.reads.prefetch::<true>(start, slots.len());
        self.one(0, slots, start);
    }

    // One run by itself.
    #[inline(always)]
    fn before(&self, slots: &[D::Slot]) -> usize {
        let one = slots.len() <= self.len && size_of_val(slots) >= ALIGNED_BYTES;
        if one { before_line(slots) } else { 0 }
    }
}

/// Gathers what of a block is gathered for the run of this number.
// Not inlined: once for all instruction sets.
#[inline(never)]
fn gather<B: Block>(block: &B, number: usize) {
    let _ = block.run(number);
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
        // Without an iterator, which in a build that optimises little takes longer than the rest.
        let (mut all, mut i) = (true, 0);
        while i < slots.len() {
            // SAFETY: `one` gives a run that the block has, and has looked at its length: so
            // `start + i` is less than it.
            let (value, usual) = unsafe { reads.root::<USUAL>(start.wrapping_add(i)) };
            all &= usual;
            if STORED {
                self.store.put(&mut slots[i], value);
            }
            i += 1;
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

/// As [`compute`], of a block that is one run, and gathers nothing; if past the cache, then
/// [`fence`](isa::fence) must follow before another thread reads the slots.
pub fn compute_flat<B: Block<Elem: Element>>(
    isa: Isa,
    slots: &mut [MaybeUninit<B::Elem>],
    block: B,
    streamed: bool,
) -> &mut [B::Elem] {
    isa.dispatch(&Storing::new(&Write, &block, slots.len(), streamed), slots);
    // SAFETY: as for `compute`.
    unsafe { slots.assume_init_mut() }
}

/// Combines slots with the elements of a block's root.
#[inline(always)]
pub fn update<B: Block, D: Store<B::Elem>>(isa: Isa, store: &D, slots: &mut [D::Slot], block: B) {
    let each = |storing: &Storing<'_, D, B>, slots: &mut [D::Slot]| isa.dispatch(storing, slots);
    Storing::rows::<false>(store, (&block, None), slots.into(), false, each);
}

/// As [`update`], of a block that is one run, and gathers nothing. What is done with it is moved:
/// the caller's does not lie in memory for this call.
#[inline(always)]
pub fn update_flat<B: Block, D: Store<B::Elem>>(
    isa: Isa,
    store: D,
    slots: &mut [D::Slot],
    block: B,
) {
    if !copied::<B, D>(slots, &block) {
        isa.dispatch(&Storing::<D, B>::new(&store, &block, slots.len(), false), slots);
    }
}

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
    pub source: S,
    pub store: &'k D,
}

// As `boxed` makes them.
// SAFETY: each row is given to `Storing`, whose `run` puts a value into each slot, or panics.
unsafe impl<S: Source, D: Store<S::Elem>> Computes<D::Slot> for [Computing<'_, S, D>; 1] {
    fn fetch(&mut self, region: &Region) -> bool {
        self[0].source.fetch(region)
    }

    fn store(&mut self, isa: Isa, mut rows: RowsMut<'_, D::Slot>, run: &Run<'_>, streamed: bool) {
        let [Computing { source, store }] = self;
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

/// Copies elements of one run that are stored as they are and lie so; whether they do.
#[inline(always)]
fn copied<B: Block, D: Store<B::Elem>>(slots: &mut [D::Slot], block: &B) -> bool {
    let from = block.side_by_side().and_then(|from| from.get(..slots.len()));
    from.is_some_and(|from| D::copy(slots, from))
}

/// As [`update`], of one run, as part of the caller: for a few elements.
#[inline(always)]
pub fn update_here<B: Block, D: Store<B::Elem>>(store: &D, slots: &mut [D::Slot], block: B) {
    if copied::<B, D>(slots, &block) {
        return;
    }
    Storing::<D, B>::new(store, &block, slots.len(), false).one(0, slots, 0);
}

/// As [`update_here`], in rows of slots of any stride, each of which is the line of its number.
///
/// # Panics
/// If there are fewer lines, or shorter ones.
#[inline(always)]
pub fn update_lines_here<B: Block, D: Store<B::Elem>>(
    store: &D,
    mut lines: LinesMut<'_, D::Slot>,
    block: B,
) {
    assert!(lines.count() <= block.runs(), "as many lines as rows");
    for number in 0..lines.count() {
        let line = Line(block.line(number));
        assert!(lines.len() <= line.root_len(), "an element for each slot");
        let reads = line.reads();
        for i in 0..lines.len() {
            // SAFETY: as just asked.
            let (value, _) = unsafe { reads.root::<false>(i) };
            store.put(lines.slot(number, i), value);
        }
    }
}

/// As [`update_here`], in rows of slots, each of which is the run of its number.
///
/// # Panics
/// If there are fewer runs, or shorter ones.
#[inline(always)]
pub fn update_rows_here<B: Block, D: Store<B::Elem>>(
    store: &D,
    rows: RowsMut<'_, D::Slot>,
    block: B,
) {
    matrix_here(store, rows, (&block, None));
}

/// As [`update_rows_here`], of the matrix of this number.
#[inline(always)]
fn matrix_here<B: Block, D: Store<B::Elem>>(
    store: &D,
    rows: RowsMut<'_, D::Slot>,
    block: (&B, Option<usize>),
) {
    Storing::rows::<true>(store, block, rows, false, |storing, slots| storing.one(0, slots, 0));
}

/// As [`update_rows_here`], of several matrices: [`Computes::store`] as part of the caller.
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
        matrix_here(store, rows.slab(number), (&block, Some(number)));
    }
}

/// As [`compute_here`], in so many rows of so many slots; one by one, if some array is `strided`.
///
/// # Panics
/// If these are not all of the slots, or as for [`update_rows_here`].
#[inline(always)]
pub fn compute_rows_here<B: Block<Elem: Element>>(
    slots: &mut [MaybeUninit<B::Elem>],
    (count, len): (usize, usize),
    block: B,
    strided: bool,
) -> &mut [B::Elem] {
    let rows = RowsMut::from(&mut *slots).cut(count, len);
    match strided {
        true => update_lines_here(&Write, rows.lines(), block),
        false => update_rows_here(&Write, rows, block),
    }
    // SAFETY: the rows are all of the slots, and both put a value into each slot of each, which
    // `Write` initialises.
    unsafe { slots.assume_init_mut() }
}

/// As [`compute_rows_here`], one by one, in column-major order.
///
/// # Panics
/// As for [`compute_rows_here`].
#[inline(always)]
pub fn compute_turned_here<B: Block<Elem: Element>>(
    slots: &mut [MaybeUninit<B::Elem>],
    (count, len): (usize, usize),
    block: B,
) -> &mut [B::Elem] {
    update_lines_here(&Write, RowsMut::from(&mut *slots).cut(len, count).lines().t(), block);
    // SAFETY: the lines are all of the slots, and `update_lines_here` puts a value into each of
    // them, which `Write` initialises.
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
