//! Plans of results that have an element for each index: how their loops are cut into boxes and
//! runs.

use super::{Access, LINE, Operands, PIECE_BYTES, Plan, bytes, order};
use crate::trace;
use bcast::Error;
use ndcore::{Axes, Extents};
use smallvec::SmallVec;

/// The bytes that one packed operand of a box may take.
pub(super) const BOX_BYTES: usize = 1 << 14;
/// The bytes of all packed operands in a tile: half of a second-level cache.
const TILE_BYTES: usize = 1 << 18;
/// The bytes of a tile along a loop other than the innermost, where a packed operand lies side by
/// side: two lines of the cache.
const TILE_SIDE: usize = 2 * LINE;
/// The bytes of all packed operands in a tile of what does not stay in a cache. Then a tile has one
/// line along the loops other than the innermost: what hardware fetches beside it is there still
/// when the next tile reads it, and beside two lines it would fetch a third.
const LARGE_TILE: usize = 1 << 19;
/// The bytes of an operand that are read again for each pass of an outer loop: they stay in a
/// first-level cache.
const REUSED_BYTES: usize = 1 << 14;
/// The elements of a box that is only packed, not transposed: a few such boxes stay in the
/// first-level cache.
const BLOCK: usize = 1024;
/// Runs of fewer elements than this are joined across gaps of the output.
const SHORT_RUN: usize = 64;
/// Runs of fewer bytes are worth joining, if that only takes packing; and are not worth storing
/// past the cache.
const LONG_RUN: usize = 1024;
/// The same where the result is stored past the cache: of the lines at both ends of a run, parts go
/// through the cache.
const STREAMED_RUN: usize = 1 << 13;
/// The same where the runs are stacked: a cache line.
const STACKED_RUN: usize = 64;
/// And where they are, but lie apart in the output.
const APART_RUN: usize = 256;
/// A result of fewer bytes is one box: to choose another takes longer than it saves.
const SMALL: usize = 1 << 12;

impl Plan {
    /// Plans a pass over a result of shape `shape`, lying in memory by the strides `output`, of
    /// elements of this size, from these operands.
    ///
    /// `shape` has no zero extent, and all strides have one entry for each axis. The result of a
    /// pass that moves more than `cache` bytes is stored past the cache.
    ///
    /// # Errors
    /// If there is no memory for the lists of many operands.
    pub fn of_result(
        shape: &[usize],
        output: &[isize],
        element_size: usize,
        operands: &Operands,
        cache: usize,
    ) -> Result<Plan, Error> {
        let _span = trace::plan(shape, operands.len());
        let nest = order::of_result(shape, output, operands);
        let mut plan = Plan::new(shape, output, operands, nest)?;
        let n = plan.ndim();
        let largest = operands.largest().max(element_size);
        plan.folds = n..n;
        plan.blocks = Extents::filled(1, n);
        plan.steps = Extents::filled(0, n);
        plan.boxes = plan.loops.clone();
        plan.bytes = bytes(shape, output, element_size, operands);
        let large = plan.bytes > cache;
        if plan.loops.iter().product::<usize>().saturating_mul(largest) <= SMALL {
            plan.one_box(operands, element_size);
        } else {
            plan.choose_boxes(operands, element_size, largest, large);
        }
        plan.cuts = plan.cuts();
        plan.tile = plan.boxes.clone();
        plan.stacked = plan.can_be_stacked(operands);
        plan.choose_piece(operands);
        let long = plan.run_len().saturating_mul(element_size) >= LONG_RUN;
        plan.streamed = large && !plan.scattered && long;
        Ok(plan)
    }

    /// A small result, in one box; in one run, if that only takes packing.
    fn one_box(&mut self, operands: &Operands, element_size: usize) {
        self.settle();
        if self.packs() {
            let joined = self.run_axis;
            self.run_axis = self.ndim() - 1;
            self.choose_access();
            let long = self.run_len() * element_size >= STACKED_RUN;
            if long && self.can_be_stacked(operands) && !self.stacks_apart() {
                return;
            }
            self.run_axis = joined;
            self.choose_access();
        }
        if self.run_len() < self.box_len() && (self.run_len() < SHORT_RUN || self.packs()) {
            self.one_run();
        }
    }

    /// Better one long run through buffers than many short ones.
    pub(super) fn one_run(&mut self) {
        self.run_axis = 0;
        self.scattered = !self.is_one_run(self.out());
        self.choose_access();
    }

    /// Whether a box lies side by side as a whole by these strides.
    fn is_one_run(&self, strides: &[isize]) -> bool {
        let mut expected = 1;
        (0..self.ndim()).rev().all(|axis| {
            let side_by_side = self.boxes[axis] == 1 || strides[axis] == expected;
            expected *= self.boxes[axis] as isize;
            side_by_side && (axis == 0 || self.boxes[axis] == self.loops[axis])
        })
    }

    /// The loops over which the innermost operands and the output walk are cut into boxes.
    fn choose_boxes(
        &mut self,
        operands: &Operands,
        element_size: usize,
        largest: usize,
        large: bool,
    ) {
        let inner = self.ndim() - 1;
        self.boxes.iter_mut().take(inner).for_each(|extent| *extent = 1);
        self.settle();
        let least = match self.can_be_stacked(operands) {
            true if self.stacks_apart() => APART_RUN,
            // What is stored past the cache is so in long runs.
            _ if large => STREAMED_RUN,
            true => STACKED_RUN,
            false => LONG_RUN,
        };
        if !self.packs() && (inner == 0 || self.loops[inner] * element_size >= least) {
            // Everything is read and written as it lies: nothing needs a box, unless to read again
            // what is still in the cache.
            self.cut_for_reuse(operands);
            return;
        }
        // The loops along which some operand lies closest, if that is not the innermost one:
        // reading it there in short stretches would waste most of each cache line, so the box is
        // cut from those loops too.
        let (mut tiled, mut buffers) = (SmallVec::<[usize; 4]>::from_slice(&[inner]), 0);
        for strides in self.ins().filter(|strides| strides[inner] != 0) {
            let closest = (0..=inner)
                .filter(|&axis| strides[axis] != 0)
                .min_by_key(|&axis| (strides[axis].unsigned_abs(), inner - axis));
            if let Some(axis) = closest.filter(|axis| *axis != inner) {
                buffers += 1;
                if !tiled.contains(&axis) {
                    tiled.push(axis);
                }
            }
        }
        if tiled.len() > 1 {
            self.cut_tile(&tiled, largest, buffers, large);
        } else {
            // While a box is packed, nothing is stored, and what comes next is on its way the
            // sooner the shorter that takes: so where results are stored past the cache, boxes are
            // larger only to join short runs, and for small elements.
            let short = self.loops[inner].saturating_mul(element_size) < STREAMED_RUN;
            let times = match large {
                true if short => 4,
                true => (4 / element_size.max(1)).max(1),
                false => 1,
            };
            let capacity = (times * BOX_BYTES / largest.max(4)).max(64);
            self.cut_block(inner, element_size, capacity, times * BLOCK);
        }
        self.settle();
        // To copy rows takes less than to enter the loop for each, as long as they are short; and
        // less still if the output need not be copied.
        let least = match self.is_one_run(self.out()) {
            true if large => STREAMED_RUN,
            true => LONG_RUN,
            false => LONG_RUN / 2,
        };
        let short = self.run_len() * element_size < least;
        if short && self.box_len() >= 4 * self.run_len() {
            self.one_run();
        }
    }

    /// No boxes; but if an operand repeats along an outer loop, and is too long to stay in a cache
    /// until then, parts of the innermost loop, with all of that outer loop for each.
    fn cut_for_reuse(&mut self, operands: &Operands) {
        let inner = self.ndim() - 1;
        self.boxes = self.loops.clone();
        for number in 0..operands.len() {
            let size = operands.get(number).element_size;
            let strides: Axes<isize> = self.operand(number).iter().copied().collect();
            let repeats = |axis: usize| strides[axis] == 0 && self.loops[axis] > 1;
            let long = self.loops[inner].saturating_mul(size) > TILE_BYTES;
            if strides[inner] != 0 && long && (0..inner).any(repeats) {
                for axis in 0..inner {
                    self.boxes[axis] = if repeats(axis) { self.loops[axis] } else { 1 };
                }
                self.boxes[inner] = (REUSED_BYTES / size.max(1)).max(1);
                return;
            }
        }
    }

    /// A box along several loops: long in the innermost one, a few cache lines in the others.
    fn cut_tile(&mut self, tiled: &[usize], size: usize, buffers: usize, large: bool) {
        let (bytes, side) = if large { (LARGE_TILE, LINE) } else { (TILE_BYTES, TILE_SIDE) };
        let mut room = (bytes / buffers / size).max(1);
        let side = ((side >> (2 * (tiled.len() - 2))).max(LINE) / size.min(LINE)).max(1);
        // Where the innermost loop is short, as many as make a box that is worth its own.
        let least = (BLOCK / self.loops[tiled[0]]).next_multiple_of((LINE / size.min(LINE)).max(1));
        for &axis in &tiled[1..] {
            self.boxes[axis] = self.loops[axis].min(side.max(least));
            room /= self.boxes[axis];
        }
        let (inner, extent) = (tiled[0], self.loops[tiled[0]]);
        // An odd number of lines: at a distance of many lines that are a power of two, all rows of
        // a box would share a few places of the cache.
        let odd = |len: usize| (((len * size).div_ceil(LINE) | 1) * LINE / size).max(1);
        let parts = extent.div_ceil(room.max(1));
        self.boxes[inner] = match odd(extent.div_ceil(parts)) {
            len if len < extent => len,
            _ if (extent * size).is_multiple_of(16 * LINE) => odd(extent.div_ceil(2)).min(extent),
            _ => extent,
        };
    }

    /// A box of as many of the innermost elements as fit, across loops that are short; else of
    /// about `block` elements.
    fn cut_block(&mut self, inner: usize, element_size: usize, capacity: usize, block: usize) {
        let out: Axes<isize> = self.out().iter().copied().collect();
        let mut len = 1;
        for axis in (0..=inner).rev() {
            // Across a gap in the output there is nothing to gain, unless the runs are too short by
            // themselves.
            let joined =
                axis == inner || out[axis] == self.loops[axis + 1] as isize * out[axis + 1];
            if !joined && len >= SHORT_RUN {
                break;
            }
            // A whole loop if that fits at all: then what repeats across it is packed once. Else
            // equal parts of it.
            let extent = self.loops[axis];
            self.boxes[axis] = if extent.saturating_mul(len) <= capacity {
                extent
            } else {
                let part = extent.div_ceil(extent.div_ceil((block / len).max(1)));
                // Whole cache lines.
                let ending = (len * element_size).max(1).trailing_zeros();
                part.next_multiple_of(LINE >> ending.min(LINE.trailing_zeros())).min(extent)
            };
            len *= self.boxes[axis];
            if self.boxes[axis] < extent || len >= block {
                break;
            }
        }
    }

    /// Whether the runs, as they are now, may be stacked.
    fn can_be_stacked(&self, operands: &Operands) -> bool {
        let whole = self.boxes[self.run_axis..] == self.loops[self.run_axis..];
        // What is one value along a run is gathered run by run, if it fits in a buffer.
        let short = |number: usize| {
            let size = operands.get(number).element_size;
            self.run_len().saturating_mul(size) <= PIECE_BYTES
        };
        let unpacked = self.access.iter().enumerate().all(|(number, access)| match access {
            Access::Direct => true,
            Access::Splat => short(number),
            Access::Packed => false,
        });
        let free = !self.scattered && !operands.has_buffers() && !operands.are_one_by_one();
        self.run_axis > 0 && whole && unpacked && free
    }

    /// Whether runs that are stacked lie apart in the output, where each is stored by a call.
    pub fn stacks_apart(&self) -> bool {
        self.out()[self.run_axis - 1] != self.run_len() as isize
    }

    /// Finds the runs of the output in a box, and which operands lie side by side along them.
    fn settle(&mut self) {
        let inner = self.ndim() - 1;
        self.scattered = self.out()[inner] != 1 && self.loops[inner] != 1;
        let mut axis = inner;
        while axis > 0 {
            let out = self.out();
            let whole = self.boxes[axis] == self.loops[axis];
            let side_by_side =
                self.scattered || out[axis - 1] == self.loops[axis] as isize * out[axis];
            if !(whole && side_by_side && self.boxes[axis - 1] > 1) {
                break;
            }
            axis -= 1;
        }
        self.run_axis = axis;
        self.choose_access();
    }

    /// Between boxes; through runs at whole cache lines; between runs anywhere, if they are not in
    /// boxes.
    fn cuts(&self) -> Extents {
        let boxed = self.packs() || self.boxes != self.loops;
        (0..self.ndim())
            .map(|axis| match axis.cmp(&self.run_axis) {
                std::cmp::Ordering::Less if boxed => self.boxes[axis],
                std::cmp::Ordering::Less => 1,
                std::cmp::Ordering::Equal if self.boxes[axis] == self.loops[axis] => {
                    LINE.min(self.loops[axis])
                }
                _ => self.boxes[axis],
            })
            .collect()
    }
}
