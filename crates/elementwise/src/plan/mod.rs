//! From strides to loops: which axis is walked where, which loops are folded, what is read as it
//! lies and what is packed first, in which boxes.
//!
//! Integers in, integers out; no element, no memory. Everything here is advice: a wrong plan costs
//! time or ends in a panic where it is applied (`ndcore` derives every layout again, checked),
//! never in memory it should not touch.

#![forbid(unsafe_code)]

mod boxes;
mod explain;
mod fold;
mod in_turn;
mod operands;
mod order;

pub use explain::Explanation;
pub(crate) use fold::near_columns;
pub use fold::{BLOCK_LEN, LANES, blocks, folds_columns};
pub use operands::{Operand, Operands, Source};
pub use order::result_order;

use bcast::Error;
use ndcore::{Extents, Nest};
use smallvec::SmallVec;
use std::ops::Range;

/// How an operand is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// As it lies: along a run it has unit stride.
    Direct,
    /// It is one value along each run, which fills a buffer; of runs that are stacked, as many
    /// elements of it as lanes.
    Splat,
    /// Box by box through a buffer.
    Packed,
}

/// What kind of a plan it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One run over the memory of all operands as it lies.
    Flat,
    /// One run, after what lies otherwise has been copied into its order.
    CopyThenFlat,
    /// Loops over runs.
    Nested,
}

/// How an expression is walked: loops, of which some are folded, in tiles of results, in boxes of
/// what is packed at a time, in runs of the innermost loops.
///
/// The output of a plan without folded loops is the result. That of one with them has an element
/// for each block of elements that are folded together: see [`blocks`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The axes of the shape as loops.
    pub nest: Nest,
    /// The extents of the loops, from the outermost; at least one loop.
    pub loops: Extents,
    /// The strides of the output along the loops, then those of each operand.
    strides: SmallVec<[isize; 16]>,
    /// The loops within a block, in logical order. Those before them are loops over results; so is
    /// the one after them, if there is one: along it, results are computed side by side.
    pub folds: Range<usize>,
    /// The extents of a block along the loops: 1 outside of `folds`.
    pub blocks: Extents,
    /// The extents of a tile of the output: what is opened and closed at a time.
    pub tile: Extents,
    /// The extents of a box: what is packed and read at a time. Along loops beyond `run_axis` it is
    /// the whole loop, or the whole block.
    pub boxes: Extents,
    /// Where the output may be cut between threads: at multiples of these.
    pub cuts: Extents,
    /// From this loop on, a box is one run of the innermost loop.
    pub run_axis: usize,
    /// A loop over results whose runs take turns, though it lies outside of those that are folded.
    pub turning: Option<usize>,
    /// Whether a run is one or more whole blocks, each of which is folded in registers.
    pub whole_blocks: bool,
    /// Whether the output is computed into a buffer and copied from there, because it does not lie
    /// side by side, or, of a reduction, in another order than the loops.
    pub scattered: bool,
    /// Whether the runs along the loop before `run_axis` are taken at once, because nothing goes
    /// through a buffer: computed by one call where they lie one after the other in the output, or
    /// are folded.
    pub stacked: bool,
    /// Whether the output is stored past the cache, because it would not stay there.
    pub streamed: bool,
    /// How each operand is read.
    pub access: SmallVec<[Access; 8]>,
    /// The most elements of a run that are computed at a time: as many as fill a buffer.
    pub piece: usize,
    /// The least bytes the pass must move: each operand's distinct elements once, and the result
    /// once.
    pub bytes: usize,
    /// How far one step of each loop moves on among the folded elements in row-major order; 0 along
    /// loops that are not folded.
    pub steps: Extents,
    /// How many elements of each result come before the first, because it is folded in parts.
    pub first: usize,
}

/// The bytes of a buffer for a piece of a run.
const PIECE_BYTES: usize = 1 << 12;

/// Fewer elements, or rows of results side by side, are not worth being computed for themselves;
/// nor are such rows of fewer bytes.
const LEAST_PIECE: usize = 64;
const LEAST_ACROSS: usize = 1 << 20;

/// The bytes of what is copied before it is overwritten, so that it is still in the nearest cache.
const COPIED_BYTES: usize = 1 << 14;

/// The bytes of a cache line.
const LINE: usize = ndcore::LINE;

impl Plan {
    /// The loops of a nest over this shape, with nothing decided yet.
    ///
    /// # Errors
    /// If there is no memory for the lists of many operands.
    fn new(
        shape: &[usize],
        output: &[isize],
        operands: &Operands,
        nest: Nest,
    ) -> Result<Plan, Error> {
        let (mut access, mut strides) = (SmallVec::new(), SmallVec::new());
        let all = (operands.len() + 1) * nest.order.len().max(1);
        if access.try_reserve(operands.len()).is_err() || strides.try_reserve(all).is_err() {
            return Err(Error::no_memory());
        }
        access.resize(operands.len(), Access::Direct);
        let mut plan = Plan {
            nest,
            loops: Extents::new(),
            strides,
            folds: 0..0,
            blocks: Extents::new(),
            tile: Extents::new(),
            boxes: Extents::new(),
            cuts: Extents::new(),
            run_axis: 0,
            turning: None,
            whole_blocks: false,
            scattered: false,
            stacked: false,
            streamed: false,
            access,
            piece: usize::MAX,
            bytes: 0,
            steps: Extents::new(),
            first: 0,
        };
        plan.push_strides(shape, output);
        for (_, strides) in operands.iter() {
            plan.push_strides(shape, strides);
        }
        Ok(plan)
    }

    /// Appends strides along the loops, as the views will derive theirs; with the first, the loops.
    fn push_strides(&mut self, shape: &[usize], strides: &[isize]) {
        let first = self.strides.is_empty();
        for (position, &axis) in self.nest.order.iter().enumerate() {
            let axis = usize::from(axis);
            let flipped = self.nest.flips & (1 << axis) != 0;
            let stride = if flipped { strides[axis].wrapping_neg() } else { strides[axis] };
            if self.nest.joins & (1 << position) != 0 {
                *self.strides.last_mut().expect("the first loop is not joined") = stride;
                if first {
                    *self.loops.last_mut().expect("the first loop is not joined") *= shape[axis];
                }
            } else {
                self.strides.push(stride);
                if first {
                    self.loops.push(shape[axis]);
                }
            }
        }
        if self.nest.order.is_empty() {
            self.strides.push(1);
            if first {
                self.loops.push(1);
            }
        }
    }

    /// The number of loops.
    #[inline]
    pub fn ndim(&self) -> usize {
        self.loops.len()
    }

    /// The output's strides along the loops.
    #[inline]
    fn out(&self) -> &[isize] {
        &self.strides[..self.ndim()]
    }

    /// An operand's strides along the loops.
    #[inline]
    pub fn operand(&self, number: usize) -> &[isize] {
        &self.strides[(number + 1) * self.ndim()..][..self.ndim()]
    }

    /// The strides of all operands along the loops.
    #[inline]
    fn ins(&self) -> impl Iterator<Item = &[isize]> {
        (0..self.access.len()).map(|number| self.operand(number))
    }

    /// Whether something goes through a buffer box by box.
    fn packs(&self) -> bool {
        self.scattered || self.access.contains(&Access::Packed)
    }

    /// Whether all operands are read as they lie.
    fn is_direct(&self) -> bool {
        self.access.iter().all(|access| *access == Access::Direct)
    }

    /// What kind it is.
    pub fn kind(&self) -> Kind {
        match self.run_axis == 0 && self.boxes == self.loops {
            true if self.packs() => Kind::CopyThenFlat,
            true => Kind::Flat,
            false => Kind::Nested,
        }
    }

    /// The number of elements of a whole box.
    pub fn box_len(&self) -> usize {
        self.boxes.iter().product()
    }

    /// The number of elements of a whole run.
    pub fn run_len(&self) -> usize {
        self.boxes[self.run_axis..].iter().product()
    }

    /// The most elements that the buffer of an operand has that is read so, but for what is listed
    /// with [rows](Self::rows_along).
    pub fn buffer_len(&self, access: Access) -> usize {
        match access {
            Access::Packed => self.box_len(),
            _ => self.run_len().min(self.piece),
        }
    }

    /// Whether what is computed piece by piece is read as it would lie, in pieces that are worth
    /// it.
    pub fn reads_pieces(&self) -> bool {
        let long = self.most_at_a_time() >= LEAST_PIECE.min(self.block_len());
        // Of results side by side, accumulators go through memory for each row: of few rows, or
        // where all stays in a cache, that takes longer than what it saves.
        let many = self.block_len() >= LEAST_PIECE && self.bytes > LEAST_ACROSS;
        self.is_direct() && !self.scattered && long && (many || !self.is_across() || !self.stacked)
    }

    /// The most elements of an operand that are read at a time: of all runs of a box that are taken
    /// at once.
    pub fn most_at_a_time(&self) -> usize {
        if self.stacked { self.box_len() } else { self.run_len().min(self.piece) }
    }

    /// The loops along which rows lie of which there is a list, those of several blocks of results
    /// side by side: each block is folded in registers, column by column.
    pub fn rows_along(&self) -> Option<Range<usize>> {
        // All that a box has: what repeats values for the rows does so once for each box.
        let several = |axis: &usize| self.boxes[*axis] > 1;
        let first = match self.stacked {
            true => (0..self.folds.start).find(several).unwrap_or(self.folds.start),
            false => self.run_axis,
        };
        (self.whole_blocks && self.is_across()).then(|| first..self.ndim() - 1)
    }

    /// The number of elements of a block.
    pub fn block_len(&self) -> usize {
        self.blocks.iter().product()
    }

    /// Whether results are folded side by side.
    pub fn is_across(&self) -> bool {
        !self.folds.is_empty() && self.folds.end < self.ndim()
    }

    /// The most tasks to split this into among so many threads: where results are folded side by
    /// side, each task goes through memory in steps from row to row, and narrow ones are slow.
    pub fn most_tasks(&self, threads: usize) -> usize {
        if self.is_across() || self.turning.is_some() { 2 * threads } else { usize::MAX }
    }

    /// What it takes to pack the operands of an element, in quarters of an addition of `f32`: each
    /// is moved to a buffer and back.
    pub(crate) fn packing(&self, operands: &Operands) -> usize {
        let packed = self
            .access
            .iter()
            .zip(operands.iter())
            .filter(|(access, _)| **access == Access::Packed);
        packed.map(|(_, (operand, _))| 2 * operand.element_size).sum()
    }

    /// How each operand is read, as the boxes and the runs are now.
    fn choose_access(&mut self) {
        for number in 0..self.access.len() {
            self.access[number] = self.access_of(self.operand(number));
        }
    }

    fn access_of(&self, strides: &[isize]) -> Access {
        let (mut repeats, mut apart, mut expected) = (true, false, 1);
        for axis in (self.run_axis..self.ndim()).rev() {
            // A run that is cut along an inner axis is one in the buffer of the output only.
            apart |= axis > self.run_axis && self.boxes[axis] != self.loops[axis];
            if self.boxes[axis] != 1 {
                repeats &= strides[axis] == 0;
                apart |= strides[axis] != expected;
                expected *= self.boxes[axis] as isize;
            }
        }
        match (repeats && expected > 1, apart) {
            (true, _) => Access::Splat,
            (_, true) => Access::Packed,
            _ => Access::Direct,
        }
    }

    /// Runs go in pieces where buffers hold one value, the results of an operation, or what is
    /// copied before it is overwritten.
    fn choose_piece(&mut self, operands: &Operands) {
        let splat = self.access.contains(&Access::Splat) && !self.stacked;
        if let Some(some) = operands.pieces() {
            if !self.stacked && !self.whole_blocks {
                self.piece = some;
            }
        } else if splat || operands.has_buffers() {
            self.piece = (PIECE_BYTES / operands.largest()).max(1);
        } else if operands.are_one_by_one() {
            self.piece = (COPIED_BYTES / operands.largest()).max(1);
        }
    }
}

/// Each operand's distinct elements and the result's, in bytes.
fn bytes(shape: &[usize], output: &[isize], element_size: usize, operands: &Operands) -> usize {
    let distinct = |strides: &[isize], size: usize| {
        let extents = shape.iter().zip(strides).filter(|(_, stride)| **stride != 0);
        extents.map(|(extent, _)| *extent).product::<usize>().saturating_mul(size)
    };
    let all = operands.iter().map(|(operand, strides)| distinct(strides, operand.element_size));
    all.fold(distinct(output, element_size), usize::saturating_add)
}
