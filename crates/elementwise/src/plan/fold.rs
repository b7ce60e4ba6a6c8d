//! Plans of reductions: which elements are folded together, and in which order they are read.
//!
//! The first question is answered by the shape alone ([`blocks`]): so a result depends on no
//! layout, no instruction set, and no number of threads. The second is the planner's.

use super::boxes::BOX_BYTES;
use super::order::axes_at;
use super::{Access, LINE, Operands, Plan, bytes, result_order};
use crate::trace;
use bcast::Error;
use ndcore::{Axes, Extents, Nest};
use smallvec::{SmallVec, smallvec};
use std::ops::Range;

/// The elements of a block are dealt out in turn to so many accumulators.
pub const LANES: usize = 16;
/// The most elements of a block.
pub const BLOCK_LEN: usize = 4096;
/// The bytes of the accumulators of results that are folded side by side.
const ACCUMULATOR_BYTES: usize = 1 << 18;
/// With fewer blocks and results than this, threads may be without work.
const ENOUGH_PARTS: usize = 64;
/// Rows are shared out in parts of no fewer elements.
const MIN_COLUMNS: usize = 256;
/// Less is read by one thread: measured on two cores, rows in parts take a third more below this,
/// and gain above it only where one thread cannot use all of the memory's bandwidth.
const SHARED_BYTES: usize = 1 << 25;
/// Blocks of fewer elements than this are not worth a run of their own.
const SHORT_BLOCK: usize = 64;
/// Nor are runs of fewer, where operands are packed.
const SHORT_RUN: usize = 512;
/// Rows of at least so many results are not joined to fill vectors.
const WIDE: usize = 4 * LANES;
/// The most blocks of a run.
const MOST_BLOCKS: usize = 256;
/// The bytes of several blocks that are packed together, which a second-level cache holds.
const SEVERAL_BYTES: usize = 1 << 18;
/// The bytes of each column that are worth being read for itself.
const SEVERAL_LINES: usize = 128;
/// The most results side by side that are folded in registers at a time.
const MOST_COLUMNS: usize = 1024;
/// The most results whose runs take turns.
const MOST_TURNS: usize = 256;

/// Whether so many rows of so many results are folded in registers, column by column: each row is
/// another place of memory, and those of many go through accumulators in memory instead.
pub const fn folds_columns(rows: usize, columns: usize) -> bool {
    // Rows that lie so far apart share their places in the nearest cache.
    let collide = columns.is_multiple_of(512);
    let most = match rows.saturating_mul(columns) {
        0..=0x4000 if !collide => 16 * LANES,
        ..=0x1_0000 if !collide => 2 * LANES,
        _ => LANES,
    };
    rows <= most
}

/// The extents of a block: of the elements that one set of accumulators takes. Along axes that are
/// not in `reduced`, 1.
///
/// Innermost axes belong to a block as a whole while there is room for [`BLOCK_LEN`] elements; the
/// next one is cut into equal parts, and further ones into single steps. So the elements of a block
/// follow each other in the order of the reduced axes.
pub fn blocks(shape: &[usize], reduced: u32) -> Axes<usize> {
    let mut blocks = Axes::filled(1, shape.len());
    parts(shape, |axis| reduced & (1 << axis) != 0, BLOCK_LEN, &mut blocks);
    blocks
}

/// Extents that hold at most `room` elements of consecutive indices.
fn parts(extents: &[usize], cut: impl Fn(usize) -> bool, room: usize, part: &mut [usize]) {
    let mut len = 1;
    for axis in (0..extents.len()).rev().filter(|&axis| cut(axis)) {
        let most = (room / len).max(1);
        if extents[axis] > most {
            let even = extents[axis].div_ceil(extents[axis].div_ceil(most));
            part[axis] = if len == 1 { even.next_multiple_of(LANES).min(most) } else { even };
            break;
        }
        part[axis] = extents[axis].max(1);
        len *= part[axis];
    }
}

impl Plan {
    /// Plans a reduction of an expression of this shape along these axes, in these [`blocks`].
    /// `slot` is the size of an accumulator, in bytes.
    ///
    /// `shape` has no zero extent.
    ///
    /// # Errors
    /// If there is no memory for the lists of many operands.
    pub fn of_fold(
        shape: &[usize],
        reduced: u32,
        blocks: &[usize],
        operands: &Operands,
        slot: usize,
    ) -> Result<Plan, Error> {
        let _span = trace::plan(shape, operands.len());
        // The order of the reduced elements, as if it were an operand: what is joined has to be one
        // walk there too.
        let mut numbers = Axes::filled(0_isize, shape.len());
        let mut step = 1;
        for axis in (0..shape.len()).rev().filter(|axis| reduced & (1 << axis) != 0) {
            numbers[axis] = step;
            step *= shape[axis] as isize;
        }
        // If each result has one element, they are folded along an axis nevertheless: side by side.
        let single = match blocks.iter().all(|&extent| extent <= 1) {
            true => (0..shape.len()).find(|axis| reduced & (1 << axis) != 0 && shape[*axis] == 1),
            false => None,
        };
        let (order, folds, swapped) = order(shape, blocks, single, operands, &numbers);
        let nest = nest(shape, blocks, operands, &numbers, (order, swapped), &folds);
        // The position of a loop is that of its first axis.
        let joined = |position: usize| nest.joins & (1 << position) != 0;
        let before = |end: usize| (0..end).filter(|&position| !joined(position)).count();
        let mut extents = Extents::new();
        for (position, &axis) in nest.order.iter().enumerate() {
            match (joined(position), extents.len()) {
                (true, last) => extents[last - 1] *= blocks[usize::from(axis)],
                _ => extents.push(blocks[usize::from(axis)]),
            }
        }
        let folds = before(folds.start)..before(folds.end);
        let mut plan = Plan::new(shape, &numbers, operands, nest)?;
        if extents.is_empty() {
            extents.push(1);
        }
        // Without loops, nothing moves on.
        let moves = !plan.nest.order.is_empty();
        plan.steps = plan.out().iter().map(|&step| if moves { step as usize } else { 0 }).collect();
        plan.folds = folds;
        plan.scattered = swapped;
        plan.run_axis = plan.ndim() - 1;
        plan.blocks = extents.clone();
        plan.tile = Extents::filled(1, plan.ndim());
        plan.boxes = extents;
        plan.bytes = bytes(shape, &numbers, 0, operands);
        // The blocks of one result may lie side by side; but for a total of all there are no
        // kernels that take columns in registers, or rows by a list.
        let all = (0..shape.len()).all(|axis| reduced & (1 << axis) != 0);
        let by_lists = plan.is_across() && !all;
        plan.choose_fold_boxes(operands, slot, by_lists);
        if operands.pieces().is_none() {
            plan.choose_turns();
        }
        plan.choose_whole_blocks(operands, by_lists);
        plan.choose_fold_cuts();
        plan.choose_piece(operands);
        Ok(plan)
    }

    fn choose_fold_boxes(&mut self, operands: &Operands, slot: usize, by_lists: bool) {
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
                && folds_columns(self.block_len(), self.loops[self.ndim() - 1])
            {
                self.choose_columns();
            }
            return;
        }
        // A run costs something in itself, and more so if an operand has to be brought into a
        // buffer for it.
        let direct = self.access.iter().all(|access| *access == Access::Direct);
        let least = if direct { SHORT_BLOCK } else { SHORT_RUN };
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

    /// Whether each result is one block.
    fn has_whole_blocks(&self) -> bool {
        self.folds.clone().all(|axis| self.blocks[axis] == self.loops[axis])
    }

    /// Whether rows of results side by side are folded by one call, wherever they lie.
    fn is_stacked(&self, operands: &Operands) -> bool {
        let direct = self.access.iter().all(|access| *access == Access::Direct);
        self.run_axis == self.ndim() - 1
            && self.width() >= LANES
            && direct
            && !operands.has_buffers()
    }

    /// Whether the rows of a result are folded by one call, wherever they lie: not if results take
    /// turns.
    fn goes_on_apart(&self, operands: &Operands) -> bool {
        let direct = self.access.iter().all(|access| *access == Access::Direct);
        !self.is_across()
            && self.run_axis == self.ndim() - 1
            && self.run_axis > self.folds.start
            && self.run_len() >= LANES
            && direct
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
            let (outer, axis) = (self.run_axis - 1, self.run_axis);
            let extent = self.loops[axis] as isize;
            if !self.ins().all(|strides| strides[outer] == strides[axis] * extent) {
                break;
            }
            self.run_axis = outer;
        }
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
    fn choose_turns(&mut self) {
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
    fn choose_whole_blocks(&mut self, operands: &Operands, by_lists: bool) {
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
        let direct = self.access.iter().all(|access| *access == Access::Direct);
        let one_loop = self.folds == (inner..inner + 1) && self.run_axis == inner;
        // Blocks of several results that lie one after the other.
        let goes_on = inner > 0 && {
            let extent = self.loops[inner] as isize;
            self.ins().all(|strides| strides[inner - 1] == strides[inner] * extent)
        };
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
            let packed = self.access.iter().all(|access| *access == Access::Packed);
            if short || (whole && packed && self.block_len() <= room) {
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
        // Those of further results too, if none ends within a block.
        let even = self.loops[inner].is_multiple_of(block);
        let mut axis = inner;
        while even && axis > 0 && results < MOST_BLOCKS {
            let extent = self.loops[axis] as isize;
            let goes_on = |strides: &[isize]| strides[axis - 1] == strides[axis] * extent;
            if self.steps[axis - 1] != 0 || !self.ins().all(goes_on) {
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

    fn choose_fold_cuts(&mut self) {
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

/// The axes from the outermost loop, which of them are folded, and whether two axes of the results
/// have been swapped.
fn order(
    shape: &[usize],
    blocks: &[usize],
    single: Option<usize>,
    operands: &Operands,
    numbers: &[isize],
) -> (Axes<u8>, Range<usize>, bool) {
    let folded = |axis: usize| blocks[axis] > 1 || single == Some(axis);
    let mut order = Axes::<u8>::new();
    for &axis in result_order(shape, operands).iter() {
        if shape[usize::from(axis)] > 1 && !folded(axis.into()) {
            order.push(axis);
        }
    }
    let outputs = order.len();
    for axis in (0..shape.len()).filter(|&axis| folded(axis)) {
        order.push(axis as u8);
    }
    let all = order.len();
    let mut swapped = is_better_swapped(shape, blocks, operands, &order, outputs);
    if swapped {
        order.swap(outputs - 2, outputs - 1);
    }
    let folded_len =
        order[outputs..].iter().map(|&axis| shape[usize::from(axis)]).product::<usize>();
    let last = order[..outputs].last().map(|&axis| usize::from(axis));
    // Shorter than a vector, they are not worth a call each, however few results there are.
    let beside = order[outputs..].iter().map(|&axis| usize::from(axis));
    let beside = beside.filter(|&axis| operands.iter().any(|(_, strides)| strides[axis] == 1));
    let least = match beside.map(|axis| shape[axis]).max() {
        Some(extent) if folded_len < LANES => extent + 1,
        _ => LANES,
    };
    let windows = folded_len < SHORT_BLOCK && last.is_some_and(|last| shape[last] >= least);
    let mut across = None;
    for (_, strides) in operands.iter() {
        let repeats = order[outputs..].iter().all(|&axis| strides[usize::from(axis)] == 0);
        if repeats && single.is_none() {
            continue;
        }
        let axes = order.iter().map(|&axis| usize::from(axis));
        let lies = |axis: &usize| strides[*axis] != 0;
        // Along a folded axis, if it is all the same: not so of short windows, where what is folded
        // is side by side as well.
        let beside = |axis: usize| folded(axis) && !(windows && strides[axis] == 1);
        let closest =
            axes.filter(lies).min_by_key(|&axis| (strides[axis].unsigned_abs(), !beside(axis)));
        if let Some(axis) = closest.filter(|&axis| !folded(axis)) {
            across = Some(axis as u8);
        }
    }
    let alone = single.is_some() && outputs > 0;
    let packed =
        across.is_none() && (alone || packs_across(shape, blocks, operands, &order, outputs));
    // The longer one is what results lie side by side along, or rows are read as they lie.
    let rows = across.is_none() && !packed && !rows_lie(blocks, operands, &order[outputs..]);
    if swapped && (rows || across.is_some_and(|axis| axis != order[outputs - 1])) {
        order.swap(outputs - 2, outputs - 1);
        swapped = false;
    }
    let run = match across {
        Some(run) => run,
        None if packed => order[outputs - 1],
        None => return (order, outputs..all, swapped),
    };
    // With the axes that are one walk with it, from the innermost.
    let mut tail: SmallVec<[u8; 4]> = smallvec![run];
    while let Some(&outer) = order[..outputs].iter().find(|&&outer| {
        let inner = usize::from(tail[tail.len() - 1]);
        let one_walk = |strides: &[isize]| is_one_walk(shape, strides, outer.into(), inner);
        !swapped
            && !tail.contains(&outer)
            && operands.iter().all(|(_, strides)| one_walk(strides))
            && one_walk(numbers)
    }) {
        tail.push(outer);
    }
    let mut rotated: Axes<u8> = order.iter().copied().filter(|axis| !tail.contains(axis)).collect();
    tail.iter().rev().for_each(|&axis| rotated.push(axis));
    (rotated, outputs - tail.len()..all - tail.len(), swapped)
}

/// Whether the last axis of the results is so short, and the one before it so much longer, that the
/// longer one goes inside: if each step of the last one but one was a call for a few short blocks,
/// calls would take longer than what they do. The distances of many points from a few centres.
fn is_better_swapped(
    shape: &[usize],
    blocks: &[usize],
    operands: &Operands,
    order: &[u8],
    outputs: usize,
) -> bool {
    let (results, folded) = order.split_at(outputs);
    let ([.., long, few], Some(&first)) = (results, folded.first()) else { return false };
    let (long, few, first) = (usize::from(*long), usize::from(*few), usize::from(first));
    let len = folded.iter().map(|&axis| blocks[usize::from(axis)]).product::<usize>();
    let whole = folded.iter().all(|&axis| blocks[usize::from(axis)] == shape[usize::from(axis)]);
    // What is one walk is read so.
    let one_walk = |outer: usize, inner: usize| {
        operands.iter().all(|(_, strides)| is_one_walk(shape, strides, outer, inner))
    };
    // Where both are as short as this, it takes longer to bring the results back into their order.
    let worth = shape[few] <= 4 || len > 4;
    whole
        && worth
        && len < SHORT_RUN
        && shape[few] < LANES
        && shape[long] >= 4 * LANES
        && !operands.has_buffers()
        && !operands.are_one_by_one()
        && !one_walk(long, few)
        && !one_walk(few, first)
}

/// Whether results whose elements lie side by side are folded side by side nevertheless: short
/// blocks have to be packed, unless those of neighbours lie one after the other, and if they are,
/// it may as well be in the order in which vectors are full.
fn packs_across(
    shape: &[usize],
    blocks: &[usize],
    operands: &Operands,
    order: &[u8],
    outputs: usize,
) -> bool {
    let (results, folded) = order.split_at(outputs);
    let (Some(&last), Some(_)) = (results.last(), folded.first()) else { return false };
    let of = |extents: &[usize]| {
        folded.iter().map(|&axis| extents[usize::from(axis)]).product::<usize>()
    };
    let short = of(blocks) == of(shape) && of(blocks) < SHORT_BLOCK;
    // One walk through the last loop over results and those that are folded.
    let lies = |strides: &[isize]| {
        order[outputs - 1..]
            .windows(2)
            .all(|pair| is_one_walk(shape, strides, pair[0].into(), pair[1].into()))
    };
    short
        && !rows_lie(blocks, operands, folded)
        && !operands.has_buffers()
        && shape[usize::from(last)] >= LANES
        && !operands.iter().all(|(_, strides)| lies(strides))
}

/// Whether rows fill vectors by themselves, and are read as they lie.
fn rows_lie(blocks: &[usize], operands: &Operands, folded: &[u8]) -> bool {
    let [axis] = *folded else { return false };
    let axis = usize::from(axis);
    blocks[axis] >= LANES && operands.iter().all(|(_, strides)| strides[axis] == 1)
}

/// Whether an operand goes on along `outer` where it ends along `inner`.
fn is_one_walk(shape: &[usize], strides: &[isize], outer: usize, inner: usize) -> bool {
    strides[outer] == strides[inner].wrapping_mul(shape[inner] as isize)
}

/// Joins loops of the same kind that all operands walk as one.
fn nest(
    shape: &[usize],
    blocks: &[usize],
    operands: &Operands,
    numbers: &[isize],
    (order, swapped): (Axes<u8>, bool),
    folds: &Range<usize>,
) -> Nest {
    let mut nest = Nest { order, flips: 0, joins: 0 };
    let kind = |position: usize| (position >= folds.start, position >= folds.end);
    for position in 1..nest.order.len() {
        let (outer, inner) = axes_at(&nest, position);
        // A block ends where an axis ends.
        let whole = !folds.contains(&position) || blocks[inner] == shape[inner];
        let one_walk = |strides: &[isize]| is_one_walk(shape, strides, outer, inner);
        // What has been swapped is no walk in the results.
        if kind(position - 1) == kind(position)
            && (!swapped || folds.contains(&position))
            && whole
            && operands.iter().all(|(_, strides)| one_walk(strides))
            && one_walk(numbers)
        {
            nest.joins |= 1 << position;
        }
    }
    nest
}
