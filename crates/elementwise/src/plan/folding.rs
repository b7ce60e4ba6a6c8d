//! Plans of reductions: which elements are added up together, and in which order they are read.
//!
//! The first question is answered by the shape alone ([`blocks`]): so a result depends on no layout, no instruction set, and no number of
//! threads. The second is the planner's.

use super::{Access, BOX_BYTES, LINE, OperandLayout, Plan, SPLAT_BYTES, loops_of, result_order};
use ndcore::{Axes, Nest};
use smallvec::{SmallVec, smallvec};
use std::ops::Range;

/// The elements of a block are dealt out in turn to so many accumulators.
pub const LANES: usize = 16;
/// The most elements of a block.
pub const BLOCK_LEN: usize = 4096;
/// The bytes of the accumulators of results that are computed side by side.
const ACCUMULATOR_BYTES: usize = 1 << 18;
/// Blocks of fewer elements than this are not worth a run of their own.
const SHORT_BLOCK: usize = 64;
/// Nor are runs of fewer, where operands are packed.
const SHORT_RUN: usize = 512;
/// The most results that are computed in turns.
const MOST_TURNS: usize = 256;

/// The extents of a block: of the elements that one set of accumulators takes. Along axes that are not in `reduced`, 1.
///
/// Innermost axes belong to a block as a whole while there is room for [`BLOCK_LEN`] elements; the next one is cut into equal parts, and
/// further ones into single steps. So the elements of a block follow each other in the order of the reduced axes.
pub fn blocks(shape: &[usize], reduced: u32) -> Axes<usize> {
    parts(shape, |axis| reduced & (1 << axis) != 0, BLOCK_LEN)
}

/// Extents that hold at most `room` elements of consecutive indices.
fn parts(extents: &[usize], cut: impl Fn(usize) -> bool, room: usize) -> Axes<usize> {
    let mut part = Axes::filled(1, extents.len());
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
    part
}

/// How the expression of a reduction is walked. The results are those of the blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folding {
    /// The loops, and how the operands are read; a box is what is packed at a time. Cuts are those of the results.
    pub plan: Plan,
    /// The extents of a block along the loops: 1 outside of `folds`.
    pub blocks: Axes<usize>,
    /// The loops within a block, in logical order. Those before them are loops over results; so is the one after them, if there is one: along
    /// it, results are computed side by side.
    pub folds: Range<usize>,
    /// The number of results side by side.
    pub width: usize,
    /// The number of results along the loop before `folds` that are computed in turns, run by run; 1 if each is computed at a stretch.
    pub turns: usize,
    /// How far one step of each loop moves on among the reduced elements in row-major order; 0 along axes that are not reduced.
    pub steps: Axes<isize>,
}

impl Folding {
    /// Plans a reduction of an expression of this shape along these axes. `slot` is the size of an accumulator, in bytes.
    ///
    /// `shape` has no zero extent.
    pub fn new(shape: &[usize], reduced: u32, operands: &[OperandLayout], slot: usize) -> Folding {
        let blocks = &blocks(shape, reduced)[..];
        // The order of the reduced elements, as if it were an operand: what is joined has to be one walk there too.
        let mut numbers = OperandLayout { strides: Axes::filled(0, shape.len()), element_size: 0 };
        let mut step = 1;
        for axis in (0..shape.len()).rev().filter(|axis| reduced & (1 << axis) != 0) {
            numbers.strides[axis] = step;
            step *= shape[axis] as isize;
        }
        let (order, folds) = order(shape, blocks, operands, &numbers);
        let nest = nest(shape, blocks, operands, &numbers, order, &folds);
        // The position of a loop is that of its first axis.
        let joined = |position: usize| nest.joins & (1 << position) != 0;
        let before = |end: usize| (0..end).filter(|&position| !joined(position)).count();
        let mut extents = Axes::new();
        for (position, &axis) in nest.order.iter().enumerate() {
            match (joined(position), extents.len()) {
                (true, last) => extents[last - 1] *= blocks[axis],
                _ => extents.push(blocks[axis]),
            }
        }
        let folds = before(folds.start)..before(folds.end);
        let (loops, mut steps) = loops_of(shape, &numbers.strides, &nest);
        if extents.is_empty() {
            extents.push(1);
            steps[0] = 0;
        }
        let ins: SmallVec<[Axes<isize>; 4]> =
            operands.iter().map(|operand| loops_of(shape, &operand.strides, &nest).1).collect();
        let plan = Plan {
            nest,
            loops,
            boxes: extents,
            cuts: loops,
            run_axis: loops.len() - 1,
            scattered: false,
            streamed: false,
            access: smallvec![Access::Direct; ins.len()],
            piece: usize::MAX,
            bytes: super::bytes(shape, &OperandLayout { element_size: 0, ..numbers }, operands),
        };
        let mut folding = Folding { plan, blocks: extents, folds, width: 1, turns: 1, steps };
        let largest = operands.iter().map(|operand| operand.element_size).max().unwrap_or(1).max(1);
        folding.choose_boxes(&ins, largest, slot);
        folding.choose_turns(&ins);
        folding.choose_cuts();
        if folding.plan.access.contains(&Access::Splat) {
            folding.plan.piece = (SPLAT_BYTES / largest).max(1);
        }
        folding
    }

    /// Whether results are computed side by side.
    fn is_across(&self) -> bool {
        self.folds.end < self.plan.loops.len()
    }

    fn choose_boxes(&mut self, ins: &[Axes<isize>], largest: usize, slot: usize) {
        let inner = self.plan.loops.len() - 1;
        if self.is_across() {
            self.width = self.plan.loops[inner].min(ACCUMULATOR_BYTES / LANES / slot.max(1)).max(1);
            self.plan.boxes[inner] = self.width;
        }
        self.plan.run_axis = inner;
        self.plan.pack_what_is_not_one_run(ins);
        if !self.plan.access.contains(&Access::Packed) {
            self.lengthen(ins);
        }
        // A run costs something in itself, and more so if an operand has to be brought into a buffer for it.
        let direct = self.plan.access.iter().all(|access| *access == Access::Direct);
        let least = if direct { SHORT_BLOCK } else { SHORT_RUN };
        let short = self.plan.run_len() < least && self.plan.box_len() >= 4 * self.plan.run_len();
        if short && self.folds.start < self.plan.run_axis {
            self.plan.run_axis = self.folds.start;
            self.plan.pack_what_is_not_one_run(ins);
        }
        if self.plan.access.contains(&Access::Packed) {
            self.cut_to_pack(largest);
            self.plan.pack_what_is_not_one_run(ins);
        }
    }

    /// Takes further loops into the run, where all operands go on along them.
    fn lengthen(&mut self, ins: &[Axes<isize>]) {
        let plan = &mut self.plan;
        while plan.run_axis > self.folds.start && plan.boxes[plan.run_axis] == plan.loops[plan.run_axis] {
            let (outer, axis) = (plan.run_axis - 1, plan.run_axis);
            if !ins.iter().all(|strides| strides[outer] == strides[axis] * plan.loops[axis] as isize) {
                break;
            }
            plan.run_axis = outer;
        }
    }

    /// A part of a block that is worth packing.
    fn cut_to_pack(&mut self, largest: usize) {
        let (inner, room) = (self.plan.loops.len() - 1, 2 * BOX_BYTES / largest);
        if self.is_across() {
            let side = if self.block_len() <= LANES { 1024 } else { 128 };
            self.width = self.width.min(side.min(room / LANES).max(LANES));
            self.plan.boxes[inner] = self.width;
        }
        let folds = self.folds.clone();
        let part = parts(&self.blocks, |axis| folds.contains(&axis), (room / self.width).max(LANES));
        for axis in folds {
            self.plan.boxes[axis] = part[axis];
        }
    }

    /// If a block is several runs far apart, between which those of the next results lie, results take turns: then memory is read in its own order.
    fn choose_turns(&mut self, ins: &[Axes<isize>]) {
        let Range { start, end } = self.folds;
        if self.is_across() || start == 0 || self.plan.run_axis == start || start == end || self.plan.packs() {
            return;
        }
        let (results, folded) = (start - 1, start);
        if ins.iter().all(|strides| strides[results].unsigned_abs() <= strides[folded].unsigned_abs()) {
            self.turns = self.plan.loops[results].min(MOST_TURNS);
        }
    }

    fn choose_cuts(&mut self) {
        let inner = self.plan.loops.len() - 1;
        self.plan.cuts = Axes::filled(1, inner + 1);
        if self.is_across() {
            // A run through several rows, read as it lies, has all of each.
            let whole = self.plan.run_axis < inner && self.plan.access.contains(&Access::Direct);
            self.plan.cuts[inner] = if whole { self.plan.loops[inner] } else { LINE };
        }
    }

    /// The most tasks to split this into among so many threads: where results lie side by side, each task goes through memory in steps from row to
    /// row, and narrow ones are slow.
    pub fn most_tasks(&self, threads: usize) -> usize {
        if self.is_across() || self.turns > 1 { 2 * threads } else { usize::MAX }
    }

    /// The number of elements of a block.
    pub fn block_len(&self) -> usize {
        self.blocks.iter().product()
    }
}

/// The axes from the outermost loop, and which of them are folded.
fn order(
    shape: &[usize],
    blocks: &[usize],
    operands: &[OperandLayout],
    numbers: &OperandLayout,
) -> (Axes<usize>, Range<usize>) {
    let folded = |axis: usize| blocks[axis] > 1;
    let mut order: Axes<usize> = Axes::new();
    for &axis in result_order(shape, operands).iter().filter(|&&axis| shape[axis] > 1 && !folded(axis)) {
        order.push(axis);
    }
    let outputs = order.len();
    for axis in (0..shape.len()).filter(|&axis| folded(axis)) {
        order.push(axis);
    }
    let all = order.len();
    let mut across = None;
    let varies = |operand: &&OperandLayout| order[outputs..].iter().any(|&axis| operand.strides[axis] != 0);
    for operand in operands.iter().filter(varies) {
        let lies = |axis: &usize| operand.strides[*axis] != 0;
        let closest = (0..all).map(|at| order[at]).filter(lies).min_by_key(|&axis| {
            // Along a folded axis, if it is all the same.
            (operand.strides[axis].unsigned_abs(), !folded(axis))
        });
        if let Some(axis) = closest.filter(|&axis| !folded(axis)) {
            across = Some(axis);
        }
    }
    let block: usize = blocks.iter().product();
    if across.is_none() && block < SHORT_BLOCK && outputs > 0 {
        across = Some(order[outputs - 1]);
    }
    let Some(run) = across else { return (order, outputs..all) };
    // With the axes that are one walk with it, from the innermost.
    let mut tail: SmallVec<[usize; 4]> = smallvec![run];
    while let Some(&outer) = order[..outputs].iter().find(|&&outer| {
        let inner = tail[tail.len() - 1];
        let one_walk = |operand| is_one_walk(shape, operand, outer, inner);
        !tail.contains(&outer) && operands.iter().all(one_walk) && one_walk(numbers)
    }) {
        tail.push(outer);
    }
    let mut rotated: Axes<usize> = order.iter().copied().filter(|axis| !tail.contains(axis)).collect();
    tail.iter().rev().for_each(|&axis| rotated.push(axis));
    (rotated, outputs - tail.len()..all - tail.len())
}

/// Whether an operand goes on along `outer` where it ends along `inner`.
fn is_one_walk(shape: &[usize], operand: &OperandLayout, outer: usize, inner: usize) -> bool {
    operand.strides[outer] == operand.strides[inner].wrapping_mul(shape[inner] as isize)
}

/// Joins loops of the same kind that all operands walk as one.
fn nest(
    shape: &[usize],
    blocks: &[usize],
    operands: &[OperandLayout],
    numbers: &OperandLayout,
    order: Axes<usize>,
    folds: &Range<usize>,
) -> Nest {
    let mut nest = Nest { order, flips: 0, joins: 0 };
    let kind = |position: usize| (position >= folds.start, position >= folds.end);
    for position in 1..nest.order.len() {
        let (outer, inner) = (nest.order[position - 1], nest.order[position]);
        // A block ends where an axis ends.
        let whole = !folds.contains(&position) || blocks[inner] == shape[inner];
        let one_walk = |operand| is_one_walk(shape, operand, outer, inner);
        if kind(position - 1) == kind(position) && whole && operands.iter().all(one_walk) && one_walk(numbers) {
            nest.joins |= 1 << position;
        }
    }
    nest
}
