//! One result of rows that lie apart: its elements are numbered on from row to row.

use super::accumulate::{Folding, halve_lanes, join, stretch_before};
use super::load::load_all;
use super::rows::MergedBlocks;
use crate::kernel::isa::{Isa, Kernel};
use crate::kernel::{Block, Reads};
use crate::plan::LANES;
use crate::reduce::{Accumulator, Lanes, Place, Reduction};
use ndcore::{Element, LINE, Packed, Runs};

/// Longer rows are folded where they lie: their ends take no time then.
const MOST_COPIED: usize = 256;

/// Adds the elements of rows that lie apart to the accumulators of one result: the same as row by
/// row by [`Folding`], to the bit.
///
/// Rows end anywhere among the lanes. So that vectors need not, short ones are copied one after the
/// other before they are folded: to fill a vector in part would take longer.
pub(super) struct FoldingApart<'k, F, B> {
    pub(super) op: &'k F,
    pub(super) block: B,
    /// The number of the first element among those of the result.
    pub(super) from: usize,
    /// The first run of the block that is a row, the number of rows, and the elements of each: as
    /// many as lanes, or more.
    pub(super) first: usize,
    pub(super) count: usize,
    pub(super) width: usize,
    /// Whether stretches are joined: see [`Folding::stretch`].
    pub(super) stretched: bool,
}

impl<T: Element, F: Reduction<T>, B: Block<Elem = T>> FoldingApart<'_, F, B> {
    /// To these accumulators, with room for the copies.
    pub(super) fn fold(&self, isa: Isa, slots: &mut [Lanes<F, T>], copies: &mut Packed<T>) {
        let FoldingApart { op, block, first, count, width, .. } = *self;
        let enough = first + count <= block.runs() && width <= block.root_len();
        assert!(width >= LANES && enough, "rows of whole vectors, in the block");
        let mut from = self.from;
        let most = (2 * MOST_COPIED / width).clamp(1, count.max(1));
        let room = most * width + 2 * LANES + LINE;
        // Whether none ends within a vector.
        let whole = from.is_multiple_of(LANES) && width.is_multiple_of(LANES);
        let copied = width <= MOST_COPIED && size_of::<T>() <= 16;
        if count == 0 || whole || !copied || !copies.reserve(room) {
            let stretch = self.stretch(from);
            let rows = Folding { op, block, first, count, from, len: width, stretch };
            return isa.dispatch(&rows, slots);
        }
        if copies.as_slice().len() < room {
            // SAFETY: there is a row, which is not empty.
            copies.fill(unsafe { block.run(first).reads().root::<false>(0) }.0, room);
        }
        // From a cache line on.
        let copies = copies.as_mut_slice();
        let aligned = copies.as_ptr().align_offset(LINE).min(LINE / size_of::<T>().max(1));
        let (copies, mut held) = (&mut copies[aligned..], 0);
        let end = first + count;
        for row in (first..end).step_by(most) {
            let rows = most.min(end - row);
            let last = row + rows == end;
            let copying = Copying { block, first: row, width, held };
            isa.dispatch(&copying, &mut copies[..held + rows * width]);
            held += rows * width;
            // Up to where a vector of accumulators ends, but for the last ones.
            let rest = if last { 0 } else { (from + held) % LANES };
            let (len, stretch) = (held - rest, self.stretch(from));
            let block = Runs::from(&copies[..len]);
            isa.dispatch(&Folding { op, block, first: 0, count: 1, from, len, stretch }, slots);
            copies.copy_within(len..len + rest, 0);
            (from, held) = (from + len, rest);
        }
    }
}

impl<F, B> FoldingApart<'_, F, B> {
    /// The stretch of the last element before that of this number.
    #[inline(always)]
    fn stretch(&self, from: usize) -> Option<usize> {
        self.stretched.then(|| stretch_before(from))
    }
}

/// Copies rows of a block, each as long as a vector or longer, one after the other, behind what is
/// held already.
struct Copying<B> {
    block: B,
    first: usize,
    width: usize,
    held: usize,
}

impl<T: Element, B: Block<Elem = T>> Kernel for Copying<B> {
    type Slot = T;
    const WIDE: bool = false;

    #[inline(always)]
    fn run(&self, slots: &mut [T], _: usize) {
        let Copying { block, first, width, mut held } = *self;
        let enough = width <= block.root_len() && width >= LANES;
        assert!(enough && first + (slots.len() - held) / width <= block.runs(), "as many rows");
        for row in first.. {
            let Some(to) = slots.get_mut(held..held + width) else { return };
            let run = block.run(row);
            // Whole lines are stored at once, so that it matters only to the ends where they are.
            let line = LANES - held % LANES;
            // SAFETY: a row has as many elements as lanes.
            to[..LANES].copy_from_slice(&unsafe { load_all(run, 0) });
            for (place, to) in to[line..].as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
                // SAFETY: so many are in a row.
                *to = unsafe { load_all(run, line + place * LANES) };
            }
            // SAFETY: as above.
            to[width - LANES..].copy_from_slice(&unsafe { load_all(run, width - LANES) });
            held += width;
        }
    }
}

/// The total of the first `rows` runs of a block, which are rows of one result, `each` of them a
/// block of the reduction: of one that joins, of as many elements each as lanes, or more. The same
/// as by plans, to the bit.
pub fn fold_rows_apart<B: Block<Elem: Element>, F: Reduction<B::Elem>>(
    op: &F,
    isa: Isa,
    block: B,
    (rows, width): (usize, usize),
    each: usize,
) -> F::Total {
    let mut copies = Packed::new();
    let mut total = |first: usize| {
        let (count, mut slots) = (each.min(rows - first), [op.start().spread(); 2]);
        let stretched = true;
        let rows = FoldingApart { op, block, from: 0, first, count, width, stretched };
        rows.fold(isa, &mut slots, &mut copies);
        let [last, mut all] = slots;
        join(op, &mut all, &last);
        halve_lanes(op, &mut all);
        op.total(F::Acc::get(&all, 0), Place::lane(first * width, count * width))
    };
    if rows <= each {
        return total(0);
    }
    let mut merged = MergedBlocks::new(op);
    (0..rows).step_by(each).for_each(|first| merged.add(total(first)));
    merged.total()
}
