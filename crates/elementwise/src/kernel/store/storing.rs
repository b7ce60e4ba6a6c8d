//! The loop that stores the elements of a block, and who calls it.

use super::{Store, Write};
use crate::kernel::block::{Block, HasOps, Line, Reads};
use crate::kernel::isa::{Isa, Kernel, run_baseline};
use crate::kernel::source::Source;
use crate::kernel::walk::Run;
use crate::ops::UNKNOWN_COST;
use ndcore::{Element, LinesMut, RowsMut};
use std::mem::MaybeUninit;

/// The loop that stores a block: its runs one after the other.
pub(super) struct Storing<'k, D, B: Block> {
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
        Storing { store, reads, runs, len, streamed }
    }

    /// Gives each row of slots to a function, with what is stored there: the run of its number of
    /// the block, or all runs, if there is one row; of the matrix of this number, if there are
    /// several. If it is `HERE`, what finds a run is part of the caller.
    ///
    /// # Panics
    /// If there are fewer runs, or elements.
    #[inline(always)]
    pub(super) fn rows<const HERE: bool>(
        store: &'k D,
        (block, matrix): (&'k B, Option<usize>),
        mut rows: RowsMut<'_, D::Slot>,
        streamed: bool,
        mut each: impl FnMut(&Storing<'_, D, B>, &mut [D::Slot]),
    ) {
        let all: Storing<'_, D, B> = Self::new(store, block, rows.len(), streamed);
        // Of runs that are gathered, there is one at a time. An attempt without slots gathers none.
        if !HERE && rows.count() == 1 && rows.len() > 0 && block.gathers() {
            rows = rows.cut(all.runs, all.len);
        }
        let one = rows.count() == 1;
        assert!(one || rows.count() <= all.runs, "as many runs as rows");
        for number in 0..rows.count() {
            let (reads, runs) =
                (block.reads_of::<HERE>(matrix, number), if one { all.runs } else { 1 });
            each(&Storing { reads, runs, ..all }, rows.row(number));
        }
    }
}

impl<B: Block, D: Store<B::Elem>> Kernel for Storing<'_, D, B> {
    type Slot = D::Slot;
    type Held = (D, <B::Reads as HasOps>::Ops);
    const WIDE: bool = B::WIDE && D::WIDE;
    const STREAMS: bool = D::OVERWRITES;
    // What is made of many operations: functions, and what is done with 16-bit floats, each of
    // which takes some ten to be converted.
    const STREAMS_WIDE: bool = B::RARE || B::MULTIPLY_ADDS || size_of::<D::Slot>() == 2;

    #[inline(always)]
    fn held(&self) -> Self::Held {
        (*self.store, self.reads.ops())
    }

    #[inline(always)]
    fn blank(&self) -> Option<D::Slot> {
        self.store.blank()
    }

    #[inline(always)]
    fn streamed(&self) -> bool {
        self.streamed
    }

    #[inline(always)]
    fn run(&self, held: Self::Held, slots: &mut [D::Slot], start: usize) {
        for (number, slots) in slots.chunks_mut(self.len.max(1)).enumerate() {
            self.one(held, number, slots, start);
        }
    }

    #[inline(always)]
    fn stretch(&self, held: Self::Held, slots: &mut [D::Slot], start: usize) {
        self.reads.prefetch::<true>(start, slots.len());
        self.one(held, 0, slots, start);
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

/// More elements than these are worth a call.
pub const FEW_HELD: usize = 16;

/// The elements among which one rare argument makes all take the slower way.
const PART: usize = 256;

impl<B: Block, D: Store<B::Elem>> Storing<'_, D, B> {
    /// Stores the elements of a run of the block from this one on.
    #[inline(always)]
    fn one(
        &self,
        (store, ops): <Self as Kernel>::Held,
        number: usize,
        slots: &mut [D::Slot],
        start: usize,
    ) {
        let inside = start <= self.len && slots.len() <= self.len - start;
        assert!(number < self.runs && inside, "a run of as many as there are, which is as long");
        let from = if B::Reads::SKIPS { start } else { 0 };
        let (reads, first) = (self.reads.held(ops).at(number, from), start - from);
        if !B::RARE {
            Self::each::<false, true>(&store, reads, slots, first);
            return;
        }
        for (number, part) in slots.chunks_mut(PART).enumerate() {
            let from = if B::Reads::SKIPS { number * PART } else { 0 };
            let (reads, first) = (reads.at(0, from), first + (number * PART - from));
            if Self::each::<true, false>(&store, reads, part, first) {
                Self::each::<true, true>(&store, reads, part, first);
            } else {
                Self::each::<false, true>(&store, reads, part, first);
            }
        }
    }

    /// Whether what is done with a slot, or operations, hold something that a closure might choose
    /// by: of a number that is multiplied with, the compiler makes a vector wherever it lies.
    const CHOOSES: bool =
        D::COST >= UNKNOWN_COST && size_of::<D>() > 0 || size_of::<<B::Reads as HasOps>::Ops>() > 0;

    /// Stores the elements of the first run from this one on, as part of the caller: unless there
    /// are some, and a closure that captures something, for the sake of [`Kernel::Held`].
    #[inline(always)]
    fn here(&self, slots: &mut [D::Slot], start: usize) {
        if const { Self::CHOOSES } && slots.len() > FEW_HELD {
            run_baseline(self, self.held(), slots, start);
        } else {
            self.one(self.held(), 0, slots, start);
        }
    }

    /// Computes each element from this one on, and stores it if `STORED`. Returns whether all
    /// arguments were usual, if they are taken to be `USUAL`.
    #[inline(always)]
    fn each<const USUAL: bool, const STORED: bool>(
        store: &D,
        reads: B::Reads,
        slots: &mut [D::Slot],
        first: usize,
    ) -> bool {
        // Without an iterator, which in a build that optimises little takes longer than the rest.
        let (mut all, mut i) = (true, 0);
        while i < slots.len() {
            // SAFETY: `one` gives a run that the block has, and has looked at its length: so there
            // is an element `first + i` of these.
            let (value, usual) = unsafe { reads.root::<USUAL>(first.wrapping_add(i)) };
            all &= usual;
            if STORED {
                store.put(&mut slots[i], value);
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

/// As [`compute_here`], of as many elements as there are slots, from this one on.
///
/// # Panics
/// If there are fewer.
#[inline(always)]
pub fn compute_part_here<'s, B: Block<Elem: Element>>(
    slots: &'s mut [MaybeUninit<B::Elem>],
    block: &B,
    start: usize,
) -> &'s mut [B::Elem] {
    let end = start.saturating_add(slots.len());
    Storing::<Write, B>::new(&Write, block, end, false).here(slots, start);
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
    Storing::<D, B>::new(store, &block, slots.len(), false).here(slots, 0);
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
    Storing::rows::<true>(store, block, rows, false, |storing, slots| storing.here(slots, 0));
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

/// In which order the slots of a matrix of few elements are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// Row by row, each of unit stride.
    InRows,
    /// One by one, row by row, because some array has no rows of unit stride.
    OneByOne,
    /// The same, in column-major order.
    Turned,
}

/// As [`compute_here`], of a matrix of so many rows of so many elements, which is `stored` so.
///
/// # Panics
/// If these are not all of the slots, or as for [`update_rows_here`].
#[inline(always)]
pub fn compute_rows_here<B: Block<Elem: Element>>(
    slots: &mut [MaybeUninit<B::Elem>],
    (count, len): (usize, usize),
    block: B,
    stored: Stored,
) -> &mut [B::Elem] {
    let rows = RowsMut::from(&mut *slots);
    match stored {
        Stored::InRows => update_rows_here(&Write, rows.cut(count, len), block),
        // One loop for both.
        by_lines => {
            let lines = match by_lines {
                Stored::Turned => rows.cut(len, count).lines().t(),
                _ => rows.cut(count, len).lines(),
            };
            update_lines_here(&Write, lines, block);
        }
    }
    // SAFETY: the rows, or the lines, are all of the slots, and both put a value into each slot of
    // each, which `Write` initialises.
    unsafe { slots.assume_init_mut() }
}
