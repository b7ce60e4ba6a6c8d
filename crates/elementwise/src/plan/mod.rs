//! From strides to loops: which axis is walked where, what is read as it lies and what is packed first, in which boxes.
//!
//! Integers in, integers out; no element, no memory. Everything here is advice: a wrong plan costs time or ends in a panic where it is
//! applied (`ndcore` derives every layout again, checked), never in memory it should not touch.

#![forbid(unsafe_code)]

mod explain;
mod folding;

pub use explain::Explanation;
pub use folding::{BLOCK_LEN, Folding, LANES, blocks};

use ndcore::{Axes, Nest};
use smallvec::{SmallVec, smallvec};

/// The bytes that one packed operand of a box may take.
const BOX_BYTES: usize = 1 << 14;
/// The bytes of all packed operands in a tile: half of a second-level cache.
const TILE_BYTES: usize = 1 << 18;
/// The bytes of a tile along an axis other than the innermost, where a packed operand lies side by side.
const TILE_SIDE: usize = 256;
/// The bytes of an operand that are read again for each pass of an outer loop: they stay in a first-level cache.
const REUSED_BYTES: usize = 1 << 14;
/// The bytes of a cache line.
const LINE: usize = 64;
/// The elements of a box that is only packed, not transposed: a few such boxes stay in the first-level cache.
const BLOCK: usize = 1024;
/// Runs of fewer elements than this are not worth a loop of their own, even where the output has gaps.
const SHORT_RUN: usize = 16;
/// Runs of fewer bytes are worth joining, if that only takes packing; and are not worth storing past the cache.
const LONG_RUN: usize = 1024;
/// The most bytes of one value that is repeated for the length of a run.
const SPLAT_BYTES: usize = 1 << 11;

/// Where one operand's elements lie in the result: its strides along the axes of the result, zero where it repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperandLayout {
    /// The strides, in elements.
    pub strides: Axes<isize>,
    /// The size of an element, in bytes.
    pub element_size: usize,
}

/// The operands of an expression, in the order of its leaves. Scalars are not among them.
#[derive(Clone, Debug, Default)]
pub struct Operands {
    /// On the stack for the expressions people write, so that small arrays cost no allocation.
    list: SmallVec<[OperandLayout; 4]>,
    dims: SmallVec<[Axes<usize>; 4]>,
}

impl Operands {
    /// Adds the next leaf: its layout in the result, and the axes of the result that its own axes lie along.
    pub fn push(&mut self, strides: Axes<isize>, element_size: usize, dims: Axes<usize>) {
        self.list.push(OperandLayout { strides, element_size });
        self.dims.push(dims);
    }

    /// The operands.
    pub fn as_slice(&self) -> &[OperandLayout] {
        &self.list
    }

    /// The axes of the result that operand `number`'s own axes lie along.
    pub fn dims(&self, number: usize) -> &[usize] {
        &self.dims[number]
    }
}

/// How an operand is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// As it lies: along a run of the output, it lies side by side too.
    Direct,
    /// It is one value along each run, which fills a buffer.
    Splat,
    /// Box by box through a buffer.
    Packed,
}

/// How an expression is walked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The axes of the result as loops.
    pub nest: Nest,
    /// The extents of the loops, from the outermost; at least one loop.
    pub loops: Axes<usize>,
    /// The extents of a box: what is packed, read and written at a time. Along loops beyond `run_axis` it is the whole loop.
    pub boxes: Axes<usize>,
    /// Where the loops may be cut between threads: at multiples of these.
    pub cuts: Axes<usize>,
    /// From this loop on, a box lies side by side in the output (or its buffer): one run of the innermost loop.
    pub run_axis: usize,
    /// Whether the output is computed into a buffer and copied from there, because it does not lie side by side.
    pub scattered: bool,
    /// Whether the output is stored past the cache, because it would not stay there.
    pub streamed: bool,
    /// How each operand is read.
    pub access: SmallVec<[Access; 8]>,
    /// The most elements of a run that are computed at a time: where an operand is one value, it fills no more than that.
    pub piece: usize,
    /// The least bytes the pass must move: each operand's distinct elements once, and the result once.
    pub bytes: usize,
}

impl Plan {
    /// Plans a pass over a result of shape `shape`, lying in memory by `output`, from these operands.
    ///
    /// `shape` has no zero extent, and all strides have one entry for each axis. `cache` is the size of the last-level cache, in bytes.
    pub fn new(shape: &[usize], output: &OperandLayout, operands: &[OperandLayout], cache: usize) -> Plan {
        let nest = nest(shape, output, operands);
        // The loops' strides, derived as the views will derive theirs.
        let walk = |operand: &OperandLayout| -> Axes<isize> { loops_of(shape, &operand.strides, &nest).1 };
        let loops = loops_of(shape, &output.strides, &nest).0;
        let out = walk(output);
        let ins: SmallVec<[Axes<isize>; 4]> = operands.iter().map(walk).collect();

        let mut plan = Plan {
            nest,
            loops,
            boxes: loops,
            cuts: loops,
            run_axis: 0,
            scattered: false,
            streamed: false,
            access: smallvec![Access::Direct; ins.len()],
            piece: usize::MAX,
            bytes: bytes(shape, output, operands),
        };
        let largest = operands.iter().map(|operand| operand.element_size).fold(output.element_size, usize::max);
        plan.choose_boxes(&out, &ins, operands, output.element_size, largest.max(1));
        plan.cuts = plan.cuts();
        if plan.access.contains(&Access::Splat) {
            plan.piece = (SPLAT_BYTES / largest.max(1)).max(1);
        }
        plan.streamed = plan.bytes > cache && !plan.scattered && plan.run_len() * output.element_size >= LONG_RUN;
        plan
    }

    /// The loops over which the innermost operands and the output walk are cut into boxes.
    ///
    /// `element_size` is that of the output, `largest` the largest of all.
    fn choose_boxes(
        &mut self,
        out: &[isize],
        ins: &[Axes<isize>],
        sizes: &[OperandLayout],
        element_size: usize,
        largest: usize,
    ) {
        let inner = self.loops.len() - 1;
        self.boxes.iter_mut().take(inner).for_each(|extent| *extent = 1);
        self.settle(out, ins);
        if !self.packs() && (inner == 0 || self.loops[inner] * element_size >= LONG_RUN) {
            // Everything is read and written as it lies: nothing needs a box, unless to read again what is still in the cache.
            self.cut_for_reuse(ins, sizes);
            return;
        }
        // The axes along which some operand lies closest, if that is not the innermost loop: reading it there in short stretches would waste
        // most of each cache line, so the box is cut from those axes too.
        let (mut tiled, mut buffers) = (Axes::<usize>::new(), 0);
        tiled.push(inner);
        for strides in ins.iter().filter(|strides| strides[inner] != 0) {
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
            self.cut_tile(&tiled, largest, buffers);
        } else {
            self.cut_block(inner, out, element_size, (BOX_BYTES / largest.max(4)).max(64));
        }
        self.settle(out, ins);
        if self.run_len() < SHORT_RUN && self.box_len() >= 4 * self.run_len() {
            // Better one long run through buffers than many short ones.
            self.run_axis = 0;
            self.scattered = true;
            self.pack_what_is_not_one_run(ins);
        }
    }

    /// No boxes; but if an operand repeats along an outer loop, and is too long to stay in a cache until then, parts of the innermost loop,
    /// with all of that outer loop for each.
    fn cut_for_reuse(&mut self, ins: &[Axes<isize>], sizes: &[OperandLayout]) {
        let inner = self.loops.len() - 1;
        self.boxes = self.loops;
        for (strides, operand) in ins.iter().zip(sizes) {
            let repeats = |axis: usize| strides[axis] == 0 && self.loops[axis] > 1;
            if strides[inner] != 0 && self.loops[inner] * operand.element_size > TILE_BYTES && (0..inner).any(repeats)
            {
                for axis in 0..inner {
                    self.boxes[axis] = if repeats(axis) { self.loops[axis] } else { 1 };
                }
                self.boxes[inner] = REUSED_BYTES / operand.element_size.max(1);
                return;
            }
        }
    }

    /// A box along several axes: long in the innermost one, a few cache lines in the others.
    fn cut_tile(&mut self, tiled: &[usize], size: usize, buffers: usize) {
        let mut room = TILE_BYTES / buffers / size;
        let side = (TILE_SIDE >> (2 * (tiled.len() - 2))).max(LINE) / size.min(LINE);
        for &axis in &tiled[1..] {
            self.boxes[axis] = self.loops[axis].min(side);
            room /= self.boxes[axis];
        }
        let (inner, extent) = (tiled[0], self.loops[tiled[0]]);
        // An odd number of lines: at a distance of many lines that are a power of two, all rows of a box would share a few places of the cache.
        let odd = |len: usize| ((len * size).div_ceil(LINE) | 1) * LINE / size;
        let parts = extent.div_ceil(room.max(1));
        self.boxes[inner] = match odd(extent.div_ceil(parts)) {
            len if len < extent => len,
            _ if (extent * size).is_multiple_of(16 * LINE) => odd(extent.div_ceil(2)).min(extent),
            _ => extent,
        };
    }

    /// A box of as many of the innermost elements as fit, across loops that are short.
    fn cut_block(&mut self, inner: usize, out: &[isize], element_size: usize, capacity: usize) {
        let mut len = 1;
        for axis in (0..=inner).rev() {
            // Across a gap in the output there is nothing to gain, unless the runs are too short by themselves.
            let joined = axis == inner || out[axis] == self.loops[axis + 1] as isize * out[axis + 1];
            if !joined && len >= SHORT_RUN {
                break;
            }
            // A whole loop if that fits at all: then what repeats across it is packed once. Else equal parts of it.
            let extent = self.loops[axis];
            self.boxes[axis] = if extent * len <= capacity {
                extent
            } else {
                let part = extent.div_ceil(extent.div_ceil((BLOCK / len).max(1)));
                // Whole cache lines.
                let lines = LINE >> (len * element_size).trailing_zeros().min(LINE.trailing_zeros());
                part.next_multiple_of(lines).min(extent)
            };
            len *= self.boxes[axis];
            if self.boxes[axis] < extent || len >= BLOCK {
                break;
            }
        }
    }

    /// Finds the runs of the output in a box, and which operands lie side by side along them.
    fn settle(&mut self, out: &[isize], ins: &[Axes<isize>]) {
        let inner = self.loops.len() - 1;
        self.scattered = out[inner] != 1 && self.loops[inner] != 1;
        let mut axis = inner;
        while axis > 0 {
            let whole = self.boxes[axis] == self.loops[axis];
            let side_by_side = self.scattered || out[axis - 1] == self.loops[axis] as isize * out[axis];
            if !(whole && side_by_side && self.boxes[axis - 1] > 1) {
                break;
            }
            axis -= 1;
        }
        self.run_axis = axis;
        self.pack_what_is_not_one_run(ins);
    }

    fn pack_what_is_not_one_run(&mut self, ins: &[Axes<isize>]) {
        let (boxes, loops, run_axis) = (self.boxes, self.loops, self.run_axis);
        for (access, strides) in self.access.iter_mut().zip(ins) {
            let mut run = (run_axis..boxes.len()).rev().filter(|&axis| boxes[axis] != 1);
            let repeats = run.clone().all(|axis| strides[axis] == 0) && run.clone().next().is_some();
            let mut expected = 1;
            let apart = run.any(|axis| {
                let apart = strides[axis] != expected;
                expected *= boxes[axis] as isize;
                apart
            });
            // A run that is cut along an inner axis is one in the buffer of the output only.
            let cut = (run_axis + 1..boxes.len()).any(|axis| boxes[axis] != loops[axis]);
            *access = match (repeats, apart || cut) {
                (true, _) => Access::Splat,
                (_, true) => Access::Packed,
                _ => Access::Direct,
            };
        }
    }

    /// Whether something goes through a buffer box by box.
    fn packs(&self) -> bool {
        self.scattered || self.access.contains(&Access::Packed)
    }

    /// Between boxes; through runs at whole cache lines; between runs anywhere, if they are not in boxes.
    fn cuts(&self) -> Axes<usize> {
        let boxed = self.packs() || self.boxes != self.loops;
        (0..self.loops.len())
            .map(|axis| match axis.cmp(&self.run_axis) {
                std::cmp::Ordering::Less if boxed => self.boxes[axis],
                std::cmp::Ordering::Less => 1,
                std::cmp::Ordering::Equal if self.boxes[axis] == self.loops[axis] => LINE.min(self.loops[axis]),
                _ => self.boxes[axis],
            })
            .collect()
    }

    /// The number of elements of a whole box.
    pub fn box_len(&self) -> usize {
        self.boxes.iter().product()
    }

    /// The number of elements of a whole run.
    pub fn run_len(&self) -> usize {
        self.boxes[self.run_axis..].iter().product()
    }
}

/// The order of the axes of a new result, from the outermost: row-major, unless all operands that tell two axes apart agree on the other
/// order. Axes along which an operand repeats, and axes of extent 1, do not vote.
pub fn result_order(shape: &[usize], operands: &[OperandLayout]) -> Axes<usize> {
    let mut order: Axes<usize> = (0..shape.len()).collect();
    // Insertion sort: the votes are not transitive, so a sort that relies on that could do anything.
    for end in 1..order.len() {
        let mut at = end;
        while at > 0 && votes_to_swap(shape, operands, order[at - 1], order[at]) {
            order.swap(at - 1, at);
            at -= 1;
        }
    }
    order
}

/// Whether axis `outer` should be inside axis `inner` instead.
fn votes_to_swap(shape: &[usize], operands: &[OperandLayout], outer: usize, inner: usize) -> bool {
    if shape[outer] == 1 || shape[inner] == 1 {
        return false;
    }
    let mut swap = false;
    for operand in operands {
        let (o, i) = (operand.strides[outer].unsigned_abs(), operand.strides[inner].unsigned_abs());
        if o == 0 || i == 0 || o == i {
            continue;
        }
        if o > i {
            return false;
        }
        swap = true;
    }
    swap
}

/// The loops: the axes by the output's strides, the outermost first, each walked so that the output goes forwards, and joined where output
/// and operands all allow it.
fn nest(shape: &[usize], output: &OperandLayout, operands: &[OperandLayout]) -> Nest {
    let mut order: Axes<usize> = (0..shape.len()).filter(|&axis| shape[axis] != 1).collect();
    order.sort_unstable_by_key(|&axis| std::cmp::Reverse(output.strides[axis].unsigned_abs()));
    let mut nest = Nest { order, flips: 0, joins: 0 };
    for &axis in order.iter() {
        if output.strides[axis] < 0 {
            nest.flips |= 1 << axis;
        }
    }
    for position in 1..order.len() {
        let (outer, inner) = (order[position - 1], order[position]);
        let flipped = |axis: usize| nest.flips & (1 << axis) != 0;
        let one_walk = |operand: &OperandLayout| {
            let sign = if flipped(outer) == flipped(inner) { 1 } else { -1 };
            operand.strides[outer] == operand.strides[inner].wrapping_mul(sign * shape[inner] as isize)
        };
        if one_walk(output) && operands.iter().all(one_walk) {
            nest.joins |= 1 << position;
        }
    }
    nest
}

/// The extents and strides of the loops.
fn loops_of(shape: &[usize], strides: &[isize], nest: &Nest) -> (Axes<usize>, Axes<isize>) {
    let (mut extents, mut steps) = (Axes::new(), Axes::new());
    for (position, &axis) in nest.order.iter().enumerate() {
        let stride = if nest.flips & (1 << axis) != 0 { strides[axis].wrapping_neg() } else { strides[axis] };
        if nest.joins & (1 << position) != 0 {
            let last = extents.len() - 1;
            extents[last] *= shape[axis];
            steps[last] = stride;
        } else {
            extents.push(shape[axis]);
            steps.push(stride);
        }
    }
    if extents.is_empty() {
        extents.push(1);
        steps.push(1);
    }
    (extents, steps)
}

fn bytes(shape: &[usize], output: &OperandLayout, operands: &[OperandLayout]) -> usize {
    let distinct = |operand: &OperandLayout| {
        let extents = shape.iter().zip(operand.strides.iter()).filter(|(_, stride)| **stride != 0);
        extents.map(|(extent, _)| *extent).product::<usize>().saturating_mul(operand.element_size)
    };
    operands.iter().map(distinct).fold(distinct(output), usize::saturating_add)
}
