//! Boxes, tiles and runs of reductions: what one call of a kernel folds, and what is packed for it.

use super::super::boxes::BOX_BYTES;
use super::super::{Access, LINE, Operands, Plan};
use super::{LANES, SHORT_BLOCK, SHORT_RUN, folds_columns, near_columns, parts};
use ndcore::Extents;
use std::ops::Range;

/// The bytes of the accumulators of results that are folded side by side.
const ACCUMULATOR_BYTES: usize = 1 << 18;
/// With fewer blocks and results than this, threads may be without work.
const ENOUGH_PARTS: usize = 64;
/// Rows are shared out in parts of no fewer elements.
const MIN_COLUMNS: usize = 256;
/// Less is read by one thread: measured on two cores, rows in parts take a third more below this,
/// and gain above it only where one thread cannot use all of the memory's bandwidth.
const SHARED_BYTES: usize = 1 << 25;
/// Rows of at least so many results are not joined to fill vectors.
const WIDE: usize = 4 * LANES;
/// The most blocks of a run.
const MOST_BLOCKS: usize = 256;
/// The bytes of several blocks that are packed together, which a second-level cache holds.
const SEVERAL_BYTES: usize = 1 << 18;
/// The bytes of each column that are worth being read for itself.
const SEVERAL_LINES: usize = 128;
/// So many blocks have room in the nearest cache, if they are short enough to be packed because of
/// what repeats along each.
const SEVERAL: usize = 4;
/// The most results side by side that are folded in registers at a time.
const MOST_COLUMNS: usize = 1024;
/// The most results whose runs take turns.
const MOST_TURNS: usize = 256;

impl Plan {
    pub(super) fn choose_fold_boxes(&mut self, operands: &Operands, slot: usize, by_lists: bool) {
        let inner = self.ndim() - 1;
        if self.is_across() {
            let few = self.block_len() <= 4 * LANES || self.bytes <= 1 << 20;
            let room = if few { 1 << 15 } else { ACCUMULATOR_BYTES };
            let width = room / self.block_len().min(LANES) / slot.max(1);
            let width = width.min(operands.pieces().unwrap_or(usize::MAX));
            let width = self.loops[inner].min(width).max(1);
            self.set_width(width);
        }
        self.run_axis = inner;
        self.choose_access();
        if by_lists && self.repeats_beside(operands) {
            self.stacked = true;
            self.choose_columns();
            return;
        }
        let wide = self.width() >= WIDE;
        if !self.access.contains(&Access::Packed) && !wide {
            self.lengthen();
        }
        self.stacked = by_lists && self.is_stacked(operands);
        if self.stacked {
            // Few rows are folded in registers, unless their elements take long runs.
            if let Some(some) = operands.pieces() {
                self.cut_folds(some / self.width());
            } else if !operands.takes_long_runs()
                && self.has_whole_blocks()
                && folds_columns(self.block_len(), self.columns_apart())
            {
                self.choose_columns();
            }
            return;
        }
        // A run costs something in itself, and more so if an operand has to be brought into a
        // buffer for it.
        let least = if self.is_direct() { SHORT_BLOCK } else { SHORT_RUN };
        let short = self.run_len() < least && self.box_len() >= 4 * self.run_len();
        self.stacked = self.goes_on_apart(operands);
        if self.stacked
            && let Some(some) = operands.pieces()
        {
            self.cut_folds(some);
        }
        if short && self.folds.start < self.run_axis && !self.stacked {
            self.run_axis = self.folds.start;
            self.choose_access();
        }
        if self.access.contains(&Access::Packed) {
            self.cut_to_pack(operands.largest());
            self.choose_access();
        }
    }

    /// Whether short blocks of results side by side are read as they lie, but for operands that
    /// repeat along the results: rows of a block are folded by one call. The weights of a filter.
    fn repeats_beside(&self, operands: &Operands) -> bool {
        let of = |kind: Access| self.access.iter().filter(|access| **access == kind).count();
        let (direct, splat) = (of(Access::Direct), of(Access::Splat));
        let short = self.has_whole_blocks() && self.block_len() < SHORT_BLOCK;
        let fits = short && self.width() >= LANES && !self.scattered;
        let free = !operands.has_buffers() && !operands.takes_long_runs();
        fits && free && direct > 0 && splat > 0 && direct + splat == self.access.len()
    }

    /// Few rows of results side by side, of one block each, are folded in registers by one call,
    /// with those of the loop before them. A tile has results of further loops, too: to open and
    /// close it takes longer than a few short rows.
    fn choose_columns(&mut self) {
        let inner = self.ndim() - 1;
        self.whole_blocks = true;
        let parts = self.loops[inner].div_ceil(MOST_COLUMNS);
        let width = self.loops[inner].div_ceil(parts).next_multiple_of(LANES);
        self.set_width(width.min(self.loops[inner]));
        let (mut axis, mut room) = (self.folds.start, MOST_COLUMNS / self.width());
        while parts == 1 && axis > 0 && room > 0 && !self.scattered {
            axis -= 1;
            let results = self.loops[axis].min(room);
            (self.tile[axis], self.boxes[axis]) = (results, results);
            room = if results < self.loops[axis] { 0 } else { room / results };
        }
    }

    /// How many columns there are, or only those that are read together if rows overlap: then they
    /// are near, however many there are.
    fn columns_apart(&self) -> usize {
        let (inner, outer) = (self.ndim() - 1, self.folds.start);
        let columns = self.loops[inner];
        let overlap = |strides: &[isize]| strides[outer].unsigned_abs() < columns;
        match self.folds.len() == 1 && self.ins().all(overlap) {
            true => columns.min(near_columns(self.block_len())),
            false => columns,
        }
    }

    /// Whether each result is one block.
    fn has_whole_blocks(&self) -> bool {
        self.folds.clone().all(|axis| self.blocks[axis] == self.loops[axis])
    }

    /// Whether rows of results side by side are folded by one call, wherever they lie.
    fn is_stacked(&self, operands: &Operands) -> bool {
        self.run_axis == self.ndim() - 1
            && self.width() >= LANES
            && self.is_direct()
            && !operands.has_buffers()
    }

    /// Whether the rows of a result are folded by one call, wherever they lie: not if results take
    /// turns.
    fn goes_on_apart(&self, operands: &Operands) -> bool {
        !self.is_across()
            && self.run_axis == self.ndim() - 1
            && self.run_axis > self.folds.start
            && self.run_len() >= LANES
            && self.is_direct()
            && !operands.has_buffers()
            && self.turns().is_none()
    }

    /// The number of results side by side.
    pub fn width(&self) -> usize {
        if self.is_across() { self.tile[self.ndim() - 1] } else { 1 }
    }

    /// Whether there is work for several threads, but too few results and blocks to share it out
    /// unless rows are cut: a run of several rows has all of each.
    fn needs_columns(&self) -> bool {
        let inner = self.ndim() - 1;
        let others: usize =
            (0..inner).map(|axis| self.loops[axis].div_ceil(self.blocks[axis])).product();
        let columns = self.loops[inner] / MIN_COLUMNS;
        self.is_across() && others < ENOUGH_PARTS && columns > 1 && self.bytes >= SHARED_BYTES
    }

    fn set_width(&mut self, width: usize) {
        let inner = self.ndim() - 1;
        self.boxes[inner] = width;
        self.tile[inner] = width;
    }

    /// Takes further loops into the run, where all operands go on along them.
    fn lengthen(&mut self) {
        while self.run_axis > self.folds.start
            && self.boxes[self.run_axis] == self.loops[self.run_axis]
        {
            if !self.goes_on(self.run_axis) {
                break;
            }
            self.run_axis -= 1;
        }
    }

    /// Whether all operands go on along the loop before this one where they end along this one.
    fn goes_on(&self, axis: usize) -> bool {
        let extent = self.loops[axis] as isize;
        self.ins().all(|strides| strides[axis - 1] == strides[axis] * extent)
    }

    /// A part of a block that is worth packing.
    fn cut_to_pack(&mut self, largest: usize) {
        let room = 2 * BOX_BYTES / largest;
        if self.is_across() {
            let side = if self.block_len() <= LANES { 1024 } else { 128 };
            self.set_width(self.width().min(side.min(room / LANES).max(LANES)));
        }
        self.cut_folds((room / self.width()).max(LANES));
    }

    /// Boxes of at most so many elements of each result, or one.
    fn cut_folds(&mut self, room: usize) {
        let folds = self.folds.clone();
        let mut part = self.boxes.clone();
        part[folds.clone()].fill(1);
        parts(&self.blocks, |axis| folds.contains(&axis), room.max(1), &mut part);
        self.boxes = part;
    }

    /// If a block is several runs far apart, between which those of the next results lie, results
    /// take turns: then memory is read in its own order.
    pub(super) fn choose_turns(&mut self) {
        let Some(results) = self.turns() else { return };
        let turns = self.loops[results].min(MOST_TURNS);
        self.turning = Some(results);
        self.tile[results] = turns;
        self.boxes[results] = turns;
    }

    /// The loop along which results take turns.
    fn turns(&self) -> Option<usize> {
        let Range { start, end } = self.folds;
        let in_place = self.is_across() || start == 0 || start == end;
        if in_place || self.run_axis == start || self.packs() {
            return None;
        }
        let (results, folded) = (start - 1, start);
        let closer =
            |strides: &[isize]| strides[results].unsigned_abs() <= strides[folded].unsigned_abs();
        (self.ins().all(closer) && self.loops[results] > 1).then_some(results)
    }

    /// If blocks lie one after the other in all operands, or are short enough to be packed so, a
    /// run is as many as there are; if each is a run, several are taken at once.
    pub(super) fn choose_whole_blocks(&mut self, operands: &Operands, by_lists: bool) {
        let inner = self.ndim() - 1;
        if operands.has_buffers() || self.turning.is_some() || self.stacked {
            return;
        }
        let whole = self.has_whole_blocks();
        let short = whole && self.block_len() < SHORT_BLOCK && !self.folds.is_empty();
        if self.is_across() {
            if by_lists && short && self.access.contains(&Access::Packed) {
                self.pack_whole_blocks(operands.largest());
            }
            return;
        }
        let direct = self.is_direct();
        let one_loop = self.folds == (inner..inner + 1) && self.run_axis == inner;
        // Blocks of several results that lie one after the other.
        let goes_on = inner > 0 && self.goes_on(inner);
        // Or that lie apart, of as many elements as fill vectors.
        let apart = whole && inner > 0 && self.steps[inner - 1] == 0 && self.block_len() >= LANES;
        if direct && one_loop && apart && !goes_on {
            (self.whole_blocks, self.stacked) = (true, true);
            // Those of further loops too, which are taken by calls of their own: to open and close
            // a tile takes longer than a few short blocks.
            // As many in each of the few outer steps, where results have been swapped.
            let few = if self.scattered { self.loops[inner - 2] } else { 1 };
            let (mut axis, mut room) = (inner, MOST_BLOCKS / few);
            while axis > 0 && self.steps[axis - 1] == 0 && room > 0 {
                axis -= 1;
                let results = self.loops[axis].min(room);
                (self.tile[axis], self.boxes[axis]) = (results, results);
                let ends = results < self.loops[axis] || self.scattered;
                room = if ends { 0 } else { room / results };
            }
            if self.scattered {
                (self.tile[inner - 2], self.boxes[inner - 2]) = (few, few);
            }
            return;
        }
        if !direct || !one_loop || (short && !goes_on) {
            let room = BOX_BYTES / operands.largest();
            let has = |kind: Access| self.access.contains(&kind);
            // What repeats along few elements: to fill a buffer for each block takes longer than to
            // copy it into one for several.
            let few =
                has(Access::Splat) && has(Access::Direct) && self.block_len() <= room / SEVERAL;
            let packed = self.access.iter().all(|access| *access == Access::Packed);
            if short || (whole && (packed || few) && self.block_len() <= room) {
                self.pack_whole_blocks(operands.largest());
            } else if !whole {
                self.pack_several_blocks(operands.largest());
            }
            return;
        }
        if let Some(some) = operands.pieces() {
            self.piece = some / self.block_len() * self.block_len();
            if self.piece == 0 {
                return;
            }
        }
        self.whole_blocks = true;
        let block = self.blocks[inner];
        let mut results = self.loops[inner].div_ceil(block);
        // Those of further loops too, if none ends within a block: the next ones of the same
        // result, and those of further results.
        let even = self.loops[inner].is_multiple_of(block);
        let mut axis = inner;
        while even && axis > 0 && results < MOST_BLOCKS {
            let next = self.steps[axis - 1] == self.loops[axis] * self.steps[axis];
            if !(next || self.steps[axis - 1] == 0) || !self.goes_on(axis) {
                break;
            }
            axis -= 1;
            results *= self.loops[axis];
        }
        self.run_axis = axis;
        let mut room = MOST_BLOCKS;
        for at in (axis..=inner).rev() {
            let steps = self.loops[at].div_ceil(self.blocks[at]);
            self.tile[at] = steps.min(room.max(1));
            self.boxes[at] = (self.tile[at] * self.blocks[at]).min(self.loops[at]);
            room /= steps.max(1);
        }
    }

    /// Boxes of as many blocks as are worth packing.
    fn pack_whole_blocks(&mut self, largest: usize) {
        let (mut axis, mut len) = (self.folds.start, self.block_len());
        let room = 2 * BOX_BYTES / largest;
        self.boxes = self.blocks.clone();
        let mut all = true;
        // All of the few outer steps, where results have been swapped.
        let few = self.scattered && self.is_across();
        if self.is_across() {
            let inner = self.ndim() - 1;
            let steps = if few { self.loops[axis - 1] } else { 1 };
            let of = |room: usize| (room / len / steps / LANES * LANES).max(LANES);
            // Boxes of all operands stay in the nearest cache, unless runs got short by it.
            let most = of(room / 2).max(of(room).min(WIDE));
            all = self.loops[inner] <= most || few;
            self.set_width(self.loops[inner].min(most));
            len *= self.width();
        }
        while all && axis > 0 && self.steps[axis - 1] == 0 {
            axis -= 1;
            let most = if few { self.loops[axis] } else { (room / len).max(1) };
            self.boxes[axis] = self.loops[axis].min(most);
            self.tile[axis] = self.boxes[axis];
            len *= self.boxes[axis];
            if self.boxes[axis] < self.loops[axis] || few {
                break;
            }
        }
        self.whole_blocks = true;
        self.run_axis = axis;
        self.choose_access();
        for access in &mut self.access {
            // A buffer of one value would cut blocks.
            if *access == Access::Splat {
                *access = Access::Packed;
            }
        }
    }

    /// Boxes of several blocks that follow each other, where an operand that is packed for them
    /// lies closest along the loop that cuts them: to read one block at a time would waste most of
    /// each cache line.
    fn pack_several_blocks(&mut self, largest: usize) {
        let (folds, inner) = (self.folds.clone(), self.ndim() - 1);
        let Some(cut) = folds.clone().rev().find(|&axis| self.blocks[axis] < self.loops[axis])
        else {
            return;
        };
        let closest = |strides: &[isize]| {
            let [along, inner] = [cut, inner].map(|axis| strides[axis].unsigned_abs());
            along != 0 && along < inner
        };
        // As many as fill a few cache lines, or the nearest cache.
        let block = self.block_len() * largest;
        let least = (SEVERAL_LINES / largest).div_ceil(self.blocks[cut]);
        let several = least
            .max(2 * BOX_BYTES / block)
            .min(SEVERAL_BYTES / block)
            .min(self.loops[cut].div_ceil(self.blocks[cut]));
        let splat = self.access.contains(&Access::Splat);
        if splat || several < 2 || cut == inner || !self.ins().any(closest) {
            return;
        }
        self.boxes = self.blocks.clone();
        self.boxes[cut] = (several * self.blocks[cut]).min(self.loops[cut]);
        self.tile[cut] = several;
        self.run_axis = cut;
        self.whole_blocks = true;
        self.choose_access();
    }

    pub(super) fn choose_fold_cuts(&mut self) {
        let inner = self.ndim() - 1;
        self.cuts = Extents::filled(1, inner + 1);
        if self.scattered {
            // Results of the few outer steps lie on the same cache lines.
            let few = self.folds.start - if self.is_across() { 1 } else { 2 };
            self.cuts[few] = self.loops[few];
        }
        if self.is_across() {
            // A run through several rows, read as it lies, has all of each.
            let whole = self.run_axis < inner && self.access.contains(&Access::Direct);
            // So has one through the blocks of several rows of results.
            let joined = self.run_axis < self.folds.start && !self.scattered;
            // And one through a tile of several rows.
            let several = self.whole_blocks && self.tile[..inner].iter().any(|&rows| rows > 1);
            self.cuts[inner] = match whole || joined || several && !self.scattered {
                true => self.loops[inner],
                false if self.needs_columns() => MIN_COLUMNS,
                false => LINE,
            };
        }
    }
}
