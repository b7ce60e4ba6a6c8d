//! The one walk over a plan: tiles of the output, boxes of what is read, runs.
//!
//! It knows neither element types nor operations, and is compiled once.

use super::source::Source;
use crate::plan::Plan;
use bcast::Error;
use ndcore::Extents;

/// A box of the loops: its first index and its extents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Region {
    pub start: Extents,
    pub extents: Extents,
}

/// A run within a box, or a piece of one.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The index of the run's first element.
    pub start: &'a [usize],
    /// The same within the part of the output that is computed.
    pub within: &'a [usize],
    /// The number of the run in its box.
    pub number: usize,
    /// The number of elements of the runs before it in its tile. Runs of results that take turns
    /// have the same.
    pub before: usize,
    /// The length of the run.
    pub whole: usize,
    /// Where the piece begins in the run, and its length.
    pub from: usize,
    pub len: usize,
    /// How many whole runs these are, which follow each other along this loop.
    pub count: usize,
    pub along: usize,
    /// Whether it is all that there is, of a source that was bound without a plan.
    pub all: bool,
}

impl Run<'static> {
    /// So many elements as one run.
    #[inline(always)]
    pub fn flat(len: usize) -> Self {
        let (start, within) = (&[0], &[0]);
        Run {
            start,
            within,
            number: 0,
            before: 0,
            whole: len,
            from: 0,
            len,
            count: 1,
            along: 0,
            all: true,
        }
    }

    /// The elements from one on of so many that are one run.
    #[inline(always)]
    pub fn part(from: usize, len: usize, whole: usize) -> Self {
        Run { from, len, all: false, ..Run::flat(whole) }
    }
}

impl Run<'_> {
    /// One of several runs, whose indices are put into `place`.
    #[inline(never)]
    pub fn one<'p>(&self, number: usize, place: &'p mut [Extents; 2]) -> Run<'p> {
        *place = [self.start, self.within].map(|index| {
            let mut index = Extents::from_slice(index);
            index[self.along] += number;
            index
        });
        let [start, within] = &*place;
        Run { start, within, count: 1, number: self.number + number, ..*self }
    }
}

/// What a task does with its part of the output, without types: so the walk is compiled once.
pub trait Task {
    /// Makes ready for a tile of the output: its first index within the part, and its elements in
    /// the loops. False if there is no memory for it.
    fn open(&mut self, corner: &[usize], tile: &Region) -> bool;

    /// Packs what has to be packed for the runs of a box. False if there is no memory for it.
    fn fetch(&mut self, region: &Region) -> bool;

    /// Takes a run, or a piece of one.
    fn run(&mut self, run: &Run<'_>);

    /// Ends a tile.
    fn close(&mut self, corner: &[usize], tile: &Region);
}

/// What becomes of the elements of an expression: a destination, which need not be memory.
pub trait Sink<T> {
    /// The extents of the part of the output.
    fn extents(&self) -> Extents;

    /// As [`Task::open`].
    fn open(&mut self, corner: &[usize], tile: &Region) -> bool;

    /// Takes the elements of a run, which are those of a source's root.
    fn run<S: Source<Elem = T>>(&mut self, run: &Run<'_>, source: &mut S);

    /// As [`Task::close`].
    fn close(&mut self, corner: &[usize], tile: &Region);
}

/// A bound expression and where its elements go.
struct Bound<'k, S, K> {
    source: &'k mut S,
    sink: &'k mut K,
}

/// Walks the part of the output that a sink has, which begins at index `start` of the output, over
/// the elements of a source.
#[inline(always)]
pub fn walk_into<S: Source, K: Sink<S::Elem>>(
    plan: &Plan,
    start: &[usize],
    source: &mut S,
    sink: &mut K,
) -> Result<(), Error> {
    let extents = sink.extents();
    walk(plan, start, &extents, &mut Bound { source, sink })
}

impl<S: Source, K: Sink<S::Elem>> Task for Bound<'_, S, K> {
    fn open(&mut self, corner: &[usize], tile: &Region) -> bool {
        self.sink.open(corner, tile)
    }

    fn fetch(&mut self, region: &Region) -> bool {
        self.source.fetch(region)
    }

    fn run(&mut self, run: &Run<'_>) {
        self.sink.run(run, self.source);
    }

    fn close(&mut self, corner: &[usize], tile: &Region) {
        self.sink.close(corner, tile);
    }
}

/// Walks a part of the output: it begins at index `start` of the output, and has these extents.
/// Each element of it is in one tile, and each element of a tile's boxes in one run; unless there
/// is no memory for a tile, which is an error.
#[inline(never)]
pub fn walk(
    plan: &Plan,
    start: &[usize],
    part: &[usize],
    task: &mut dyn Task,
) -> Result<(), Error> {
    let n = part.len();
    // With this, runs partition their box, whatever the plan: each ends where the next one begins.
    let limit = if plan.folds.is_empty() { part } else { &plan.loops[..] };
    let whole =
        |axis: usize| plan.scattered || !plan.folds.is_empty() || plan.boxes[axis] >= limit[axis];
    assert!((plan.run_axis + 1..n).all(whole), "a run is only cut along its outermost loop");
    let zeros = Extents::filled(0, n);
    let mut corner = zeros.clone();
    let mut tile = Region { start: zeros.clone(), extents: plan.loops.clone() };
    let mut region = tile.clone();
    let (mut first, mut within) = (zeros.clone(), zeros.clone());
    loop {
        for axis in 0..n {
            let (from, block) = (start[axis] + corner[axis], plan.blocks[axis]);
            let steps = plan.tile[axis].min(part[axis] - corner[axis]);
            tile.start[axis] = from * block;
            tile.extents[axis] = (steps * block).min(plan.loops[axis] - from * block);
        }
        if !task.open(&corner, &tile) {
            return Err(Error::no_memory());
        }
        let mut before = 0;
        let folds = plan.folds.clone();
        region.clone_from(&tile);
        loop {
            for axis in folds.clone() {
                let end = tile.start[axis] + tile.extents[axis];
                region.extents[axis] = plan.boxes[axis].min(end - region.start[axis]);
            }
            if !task.fetch(&region) {
                return Err(Error::no_memory());
            }
            first.copy_from_slice(&region.start);
            within.copy_from_slice(&corner);
            let whole = region.extents[plan.run_axis..].iter().product::<usize>();
            let runs: usize = region.extents[..plan.run_axis].iter().product();
            let turns = plan.turning.map_or(1, |axis| region.extents[axis]);
            // Runs that are stacked are taken at once, along the innermost of the loops over them;
            // or along all those of which there is a list.
            let (count, along) = match plan.rows_along() {
                _ if !plan.stacked => (1, plan.run_axis),
                Some(rows) => (region.extents[rows.clone()].iter().product(), rows.start),
                None => (region.extents[plan.run_axis - 1], plan.run_axis - 1),
            };
            for number in (0..runs).step_by(count) {
                let mut from = 0;
                while from < whole {
                    let len = plan.piece.min(whole - from);
                    let (start, within) = (&first[..], &within[..]);
                    let all = false;
                    let run =
                        Run { start, within, number, before, whole, from, len, count, along, all };
                    task.run(&run);
                    from += len;
                }
                if (number + 1) % turns == 0 {
                    before += count * whole;
                }
                next_run(plan.turning, along, &region, &mut first, &mut within);
            }
            if !next_part(&mut region.start, &tile, &plan.boxes, folds.clone()) {
                break;
            }
        }
        task.close(&corner, &tile);
        if !next_box(&mut corner, part, &plan.tile) {
            return Ok(());
        }
    }
}

/// Moves the index of a run to the next one of its box, along so many of the outer loops: along the
/// one in which results take turns first. `within` goes along; where loops are folded it means
/// nothing.
#[inline]
fn next_run(
    turning: Option<usize>,
    loops: usize,
    region: &Region,
    index: &mut [usize],
    within: &mut [usize],
) {
    let (index, within) = (&mut index[..loops], &mut within[..loops]);
    let (start, extents) = (&region.start[..loops], &region.extents[..loops]);
    let mut step = |axis: usize| {
        index[axis] += 1;
        within[axis] = within[axis].wrapping_add(1);
        let inside = index[axis] < start[axis] + extents[axis];
        if !inside {
            index[axis] = start[axis];
            within[axis] = within[axis].wrapping_sub(extents[axis]);
        }
        inside
    };
    if let Some(turning) = turning {
        if step(turning) {
            return;
        }
        let _ = (0..loops).rev().any(|axis| axis != turning && step(axis));
        return;
    }
    for axis in (0..loops).rev() {
        if step(axis) {
            return;
        }
    }
}

/// Moves the corner of a box to the next one of its tile, along some loops; false after the last.
fn next_part(
    corner: &mut [usize],
    tile: &Region,
    boxes: &[usize],
    axes: std::ops::Range<usize>,
) -> bool {
    for axis in axes.rev() {
        corner[axis] += boxes[axis];
        if corner[axis] < tile.start[axis] + tile.extents[axis] {
            return true;
        }
        corner[axis] = tile.start[axis];
    }
    false
}

/// Moves the corner of a box to the next one; false after the last.
#[inline]
fn next_box(corner: &mut [usize], shape: &[usize], boxes: &[usize]) -> bool {
    for axis in (0..shape.len()).rev() {
        corner[axis] += boxes[axis];
        if corner[axis] < shape[axis] {
            return true;
        }
        corner[axis] = 0;
    }
    false
}
