//! Leaves that are not in memory: functions of the index, computed run by run into a buffer.

// Users never hold one of these.
#![allow(missing_debug_implementations)]

use super::source::{Leaf, Source};
use super::walk::{Region, Run};
use crate::expr::Generator;
use ndcore::{Axes, Heap, Nest, Packed, Runs};

/// From loops to the indices of a leaf.
#[derive(Clone, Debug)]
pub struct Indices<'a> {
    shape: &'a [usize],
    nest: &'a Nest,
    /// The axes of the result that the leaf's own axes lie along; `None` if each along itself.
    dims: Option<Axes<u8>>,
    run_axis: usize,
    /// The box that is read.
    region: Region,
}

impl<'a> Indices<'a> {
    /// In the loops of a plan.
    pub fn nested(
        shape: &'a [usize],
        nest: &'a Nest,
        dims: Option<Axes<u8>>,
        run_axis: usize,
    ) -> Self {
        Indices { shape, nest, dims, run_axis, region: Region::default() }
    }

    /// The axis of the result at a position of the nest, and whether it goes on the loop of the one
    /// before it.
    fn axis(&self, position: usize) -> (usize, bool, bool) {
        let nest = self.nest;
        let axis = usize::from(nest.order[position]);
        (axis, nest.joins & (1 << position) != 0, nest.flips & (1 << axis) != 0)
    }

    /// The index in the result at these places of the loops; and from there on along the innermost
    /// axis: which one, how many elements, whether backwards.
    fn at(&self, loops: &[usize]) -> (Axes<usize>, Option<(usize, usize, bool)>) {
        let mut index = Axes::filled(0, self.shape.len());
        let (mut number, mut line) = (loops.len(), None);
        let mut place = 0;
        let mut begins = true;
        for position in (0..self.nest.order.len()).rev() {
            let (axis, joined, flipped) = self.axis(position);
            if begins {
                number -= 1;
                place = loops[number];
            }
            let extent = self.shape[axis];
            // The outermost of joined axes has what is left.
            let own = if joined { place % extent } else { place };
            place /= extent;
            begins = !joined;
            index[axis] = if flipped { extent - 1 - own } else { own };
            if line.is_none() {
                line = Some((axis, extent - own, flipped));
            }
        }
        (index, line)
    }

    /// Moves an index on to where the innermost axis begins again, in the loop that it is part of,
    /// which goes on. Returns the elements of that axis.
    fn next(&self, index: &mut [usize]) -> usize {
        let last = self.nest.order.len() - 1;
        for position in (0..=last).rev() {
            let (axis, joined, flipped) = self.axis(position);
            let extent = self.shape[axis];
            let (first, end) = if flipped { (extent - 1, 0) } else { (0, extent - 1) };
            // The innermost one is over.
            if position < last && index[axis] != end {
                index[axis] = if flipped { index[axis] - 1 } else { index[axis] + 1 };
                break;
            }
            index[axis] = first;
            if !joined {
                break;
            }
        }
        self.shape[self.axis(last).0]
    }
}

/// A function of the index.
pub enum Generated<'a, G: Generator> {
    /// All elements, which have been computed, or are not read.
    All(Leaf<'a, G::Elem>),
    /// Computed run by run.
    Walked(Heap<Walked<'a, G>>),
}

/// A function of the index, bound to loops.
pub struct Walked<'a, G: Generator> {
    generator: &'a G,
    indices: Indices<'a>,
    buffer: Packed<G::Elem>,
}

impl<'a, G: Generator> Generated<'a, G> {
    /// In loops, with a buffer for those of a run; `None` if there is no memory.
    pub fn walked(generator: &'a G, indices: Indices<'a>, buffer: Packed<G::Elem>) -> Option<Self> {
        Heap::new(Walked { generator, indices, buffer }).map(Generated::Walked)
    }
}

/// Calls a generator for all elements of a result of this shape, in row-major order.
pub fn in_turn<G: Generator>(generator: &G, shape: &[usize], out: &mut [G::Elem]) {
    let Some((&len, outer)) = shape.split_last() else {
        return out.fill(generator.at(&[]));
    };
    let mut index = Axes::<usize>::filled(0, shape.len());
    for row in out.chunks_exact_mut(len) {
        generator.line(&index, outer.len(), false, row);
        for axis in (0..outer.len()).rev() {
            index[axis] += 1;
            if index[axis] < outer[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
}

/// Calls the generator for `out.len()` elements from an index of the result on, along an axis.
fn line<G: Generator>(
    generator: &G,
    dims: Option<&Axes<u8>>,
    index: &Axes<usize>,
    (axis, backwards): (Option<usize>, bool),
    out: &mut [G::Elem],
) {
    let shape = generator.shape();
    let repeats = |own: usize| shape.is_some_and(|shape| shape[own] == 1);
    let mut own = match dims {
        None => *index,
        Some(dims) => dims.iter().map(|&dim| index[usize::from(dim)]).collect(),
    };
    (0..own.len()).filter(|&axis| repeats(axis)).for_each(|axis| own[axis] = 0);
    let axis = axis.and_then(|axis| match dims {
        None => Some(axis),
        Some(dims) => dims.iter().position(|&dim| usize::from(dim) == axis),
    });
    match axis.filter(|&axis| !repeats(axis)) {
        Some(axis) => generator.line(&own, axis, backwards, out),
        None => out.fill(generator.at(&own)),
    }
}

impl<G: Generator> Source for Generated<'_, G> {
    type Elem = G::Elem;
    type Block<'b>
        = Runs<'b, G::Elem>
    where
        Self: 'b;

    fn fetch(&mut self, region: &Region) -> bool {
        if let Generated::Walked(walked) = self {
            walked.indices.region.clone_from(region);
        }
        true
    }

    #[inline(always)]
    fn flat(&self) -> Runs<'_, G::Elem> {
        match self {
            Generated::All(leaf) => leaf.flat(),
            Generated::Walked(_) => Runs::none(),
        }
    }

    #[inline(always)]
    fn block<'b>(&'b mut self, run: &Run<'_>) -> Runs<'b, G::Elem> {
        match self {
            Generated::All(leaf) => leaf.block(run),
            Generated::Walked(walked) => walked.block(run).into(),
        }
    }
}

impl<G: Generator> Walked<'_, G> {
    // Not inlined: one copy serves all expressions.
    #[inline(never)]
    fn block(&mut self, run: &Run<'_>) -> &[G::Elem] {
        if run.len == 0 {
            return &[];
        }
        let indices = &self.indices;
        let Region { start, extents } = &indices.region;
        // Where the piece begins.
        let (n, mut rest) = (start.len(), run.from);
        let mut loops = start.clone();
        loops.copy_from_slice(run.start);
        for axis in (indices.run_axis..n).rev() {
            let (own, extent) = (loops[axis] - start[axis] + rest, extents[axis]);
            let inside = if axis == indices.run_axis { own } else { own % extent };
            rest = if axis == indices.run_axis { 0 } else { own / extent };
            loops[axis] = start[axis] + inside;
        }
        if self.buffer.as_slice().len() < run.len {
            // To be overwritten.
            let own = indices.dims.as_ref().map_or(indices.shape.len(), |dims| dims.len());
            self.buffer.fill(self.generator.at(&Axes::<usize>::filled(0, own)), run.len);
        }
        let out = &mut self.buffer.as_mut_slice()[..run.len];
        // Whether an index of the result is one of the leaf.
        let plain = indices.dims.is_none()
            && self.generator.shape().is_none_or(|shape| !shape.contains(&1));
        let mut filled = 0;
        let (mut index, mut inner) = indices.at(&loops);
        while filled < run.len {
            let left = match n.checked_sub(1) {
                Some(last) => start[last] + extents[last] - loops[last],
                None => 1,
            };
            let (axis, backwards, len) = match inner {
                Some((axis, len, backwards)) => (Some(axis), backwards, len.min(left)),
                None => (None, false, left),
            };
            let len = len.min(run.len - filled);
            let out = &mut out[filled..][..len];
            match axis {
                Some(axis) if plain => self.generator.line(&index, axis, backwards, out),
                _ => line(self.generator, indices.dims.as_ref(), &index, (axis, backwards), out),
            }
            filled += len;
            if filled == run.len {
                break;
            }
            if len < left
                && let Some((_, own, _)) = &mut inner
                && *own == len
            {
                loops[n - 1] += len;
                *own = indices.next(&mut index);
                continue;
            }
            // To the next line of the box.
            let mut step = len;
            for axis in (indices.run_axis..n).rev() {
                loops[axis] += step;
                if loops[axis] < start[axis] + extents[axis] || axis == indices.run_axis {
                    break;
                }
                loops[axis] = start[axis];
                step = 1;
            }
            (index, inner) = indices.at(&loops);
        }
        &self.buffer.as_slice()[..run.len]
    }
}
