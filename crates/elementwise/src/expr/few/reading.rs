//! Bound to what is read as runs, by a [`Binding`].

use super::lines::lines;
use super::{DISORDERED, Found, Lies, Met, is_same};
use crate::expr::bind::{Binding, Viewed};
use crate::expr::{Expr, Generator};
use crate::kernel::{Isa, Leaf, Source, Splat, compute, in_turn};
use crate::types::View;
use ndcore::{Axes, Dimension, Element, Few, Packed, Room, Runs};
use std::mem::ManuallyDrop;

/// How the arrays of an expression are read as runs, if all of them can be. Those of one with
/// buffers are read as one run, and the buffers are where the copies are.
#[derive(Debug)]
pub enum Reading<'a> {
    /// The rows of a result of one axis or two: each array has rows of unit stride, or one that
    /// repeats; or is copied, if there is room for that.
    Rows {
        /// How many, and how long.
        count: usize,
        len: usize,
        room: Room<'a>,
        /// Whether there is room for copies, and whether an array is gathered row by row if there
        /// is none for all of it.
        copies: bool,
        gathers: bool,
    },
    /// The rows of so many matrices of a result, from one on, if there is room for where they lie;
    /// along so many of the last axes together.
    Slabs { some: (usize, usize), axes: usize, room: Room<'a> },
    /// All elements in row-major order, copied where they lie otherwise; on the heap, if there is
    /// no more room and that is allowed. Those of a band of a larger result, if so: from which
    /// index along the first axis on, and how many there are of all of it; as rows, if these are
    /// long. It has no buffers.
    Copies { room: Room<'a>, heap: bool, band: Option<(usize, usize)> },
    /// The same of a result whose axes are nested in this order, the outermost first, as are those
    /// of each array: its shape is given in this order. If that is to be the order of a new one,
    /// only if all arrays are in it (`as_they_lie`), or repeat.
    Nested { order: &'a [usize], room: Room<'a>, as_they_lie: bool },
}

impl<'a> Reading<'a> {
    /// Where the buffers are of what is read as one run, and whether they may be on the heap.
    #[inline(always)]
    pub fn room(&mut self) -> (Option<&mut Room<'a>>, bool) {
        match self {
            Reading::Copies { room, heap, band: None } => (Some(room), *heap),
            Reading::Nested { room, .. } => (Some(room), false),
            _ => (None, false),
        }
    }
}

impl<'a> Met<'a> {
    /// The elements of an array in a result of this shape, if all that was met can be read so.
    #[inline(always)]
    pub fn read<L: Viewed>(
        &mut self,
        reading: &mut Reading<'a>,
        shape: &[usize],
        isa: Isa,
        array: &'a L,
    ) -> Leaf<'a, L::Elem> {
        let view = array.viewed();
        let dims = self.dims_of(shape.len(), view.shape().len());
        if let Reading::Rows { count, len, room, copies, .. } = reading
            && let Some((lies, rows)) = lines(&view, shape.len(), (*count, *len), dims)
        {
            if rows.stride() == 1 {
                self.array(lies);
                return self.leaf(Some(rows), room);
            }
            // By itself: else those of unit stride would lie in memory, too.
            let apart = rows;
            if *copies
                && is_copied(&apart)
                && let Some(rows) = apart.copied(room)
            {
                self.array(lies);
                return self.leaf(Some(rows), room);
            }
        }
        self.other(reading, shape, isa, &view)
    }

    /// Runs, if they are found, and there is room for where they lie.
    #[inline(always)]
    fn leaf<T: Element>(&mut self, runs: Option<Runs<'a, T>>, room: &mut Room<'a>) -> Leaf<'a, T> {
        match runs.and_then(|runs| Leaf::flat(runs, room)) {
            Some(leaf) => leaf,
            None => self.refused(),
        }
    }

    /// What is not read in this way.
    fn refused<T: Element>(&mut self) -> Leaf<'a, T> {
        self.refuse();
        Leaf::Absent
    }

    /// As [`read`](Self::read), of what has no rows of unit stride, or in another way.
    #[inline(never)]
    fn other<T: Element, R: Dimension>(
        &mut self,
        reading: &mut Reading<'a>,
        shape: &[usize],
        isa: Isa,
        view: &View<'a, T, R>,
    ) -> Leaf<'a, T> {
        if let Reading::Nested { order, room, as_they_lie } = reading {
            return self.nested(order, (room, *as_they_lie), shape, view);
        }
        let dims = self.dims_of(shape.len(), view.shape().len());
        let part;
        let view = match *reading {
            Reading::Copies { band: Some(band), .. } => {
                let Some(some) = in_band(*view, shape, dims, band) else { return self.refused() };
                part = some;
                &part
            }
            _ => view,
        };
        if let (Reading::Copies { band: Some(_), room, .. }, &[count, len]) = (&mut *reading, shape)
            && len >= LONG_OF_BAND
        {
            // All operands of a band as rows: what lies so, and is the same for all, is not copied.
            let Some((lies, rows)) = lines(view, 2, (count, len), dims) else {
                return self.refused();
            };
            self.array(lies);
            let rows = match rows.stride() {
                1 => Some(rows),
                _ if is_copied(&rows) => rows.copied(room),
                _ => view.copy_again(shape, dims, room).map(|copy| Runs::rows(copy, count, len)),
            };
            return self.leaf(rows, room);
        }
        self.array(Lies::of(shape, dims, view.shape(), view.strides()));
        let found = self.found();
        match reading {
            Reading::Rows { count, len, room, copies: true, gathers } if found => {
                let rows = match view.copy_again(shape, dims, room) {
                    Some(copy) => Some(Runs::rows(copy, *count, *len)),
                    None if *gathers => view.gathered_rows(shape, dims, room, isa.fill()),
                    None => None,
                };
                self.leaf(rows, room)
            }
            Reading::Slabs { some, axes, room } if found => {
                self.leaf(view.slabs_of(shape, dims, (*some, *axes), room), room)
            }
            Reading::Copies { room, heap: true, .. } if found => {
                let leaf = in_row_major(view, shape, dims, room)
                    .and_then(|runs| Leaf::flat_or_kept(runs, Some(room)))
                    .or_else(|| on_heap(view, shape, dims));
                leaf.unwrap_or_else(|| self.refused())
            }
            Reading::Copies { room, .. } if found => {
                self.leaf(in_row_major(view, shape, dims, room), room)
            }
            _ => self.refused(),
        }
    }

    /// As [`other`](Self::other), of an array in a result whose axes are nested in this order.
    #[inline(never)]
    fn nested<T: Element, R: Dimension>(
        &mut self,
        order: &[usize],
        (room, as_they_lie): (&mut Room<'a>, bool),
        shape: &[usize],
        view: &View<'a, T, R>,
    ) -> Leaf<'a, T> {
        let own = view.shape().len();
        let dims = self.dims_of(shape.len(), own);
        let mut places = Axes::<u16>::new();
        let nested = match dims {
            None => R::shape(order),
            // Each of its axes in the order of the places that they have in the result.
            Some(dims) => {
                let mut axes = Axes::<usize>::new();
                for (place, &axis) in order.iter().enumerate() {
                    if let Some(own) = dims.iter().position(|&dim| usize::from(dim) == axis) {
                        axes.push(own);
                        places.push(place as u16);
                    }
                }
                R::shape(&axes)
            }
        };
        let view = nested.ok().and_then(|nested| view.permuted_axes(nested).ok());
        let dims = dims.map(|_| &places[..]);
        let leaf = view.and_then(|view| {
            self.array(Lies::of(shape, dims, view.shape(), view.strides()));
            match self.found() && !(as_they_lie && self.bits & DISORDERED != 0) {
                true => in_row_major(&view, shape, dims, room)
                    .and_then(|runs| Leaf::flat_or_kept(runs, Some(room)))
                    .or_else(|| on_heap(&view, shape, dims)),
                false => None,
            }
        });
        leaf.unwrap_or_else(|| self.refused())
    }

    /// All elements of a result of this shape that are a function of their index, if they can be
    /// read so.
    pub fn generated<G: Generator>(
        &mut self,
        reading: &mut Reading<'a>,
        shape: &[usize],
        isa: Isa,
        generator: &G,
    ) -> Leaf<'a, G::Elem> {
        self.function(generator.shape(), generator.axis(), shape);
        let len = shape.iter().product();
        if self.found()
            && let Reading::Copies { room, heap, band: None } = reading
        {
            // To be overwritten.
            let first = Splat(generator.at(&Axes::<usize>::filled(0, shape.len())));
            if let Some(slots) = room.slots(len) {
                let elements = compute(isa, slots, first);
                in_turn(generator, shape, elements);
                let runs = (&*elements).into();
                let leaf = match *heap {
                    true => Leaf::flat_or_kept(runs, Some(room)),
                    false => Leaf::flat(runs, room),
                };
                return leaf.unwrap_or_else(|| self.refused());
            }
            let mut elements = Packed::new();
            if *heap && elements.reserve(len) {
                elements.initialise(len, |slots| compute(isa, slots, first));
                in_turn(generator, shape, elements.as_mut_slice());
                if let Some(leaf) = Leaf::copied(elements) {
                    return leaf;
                }
            }
        }
        self.refused()
    }
}

/// The elements of an array in row-major order in a result of this shape, copied where they lie
/// otherwise, if there is room.
#[inline(always)]
fn in_row_major<'a, T: Element, R: Dimension>(
    view: &View<'a, T, R>,
    shape: &[usize],
    dims: Option<&[u16]>,
    room: &mut Room<'a>,
) -> Option<Runs<'a, T>> {
    let whole = dims.is_none() && is_same(view.shape(), shape);
    if let Some(slice) = view.as_slice().filter(|_| whole) {
        return Some(slice.into());
    }
    let copy = view.copy_again(shape, dims, room)?;
    Some(copy.into())
}

/// What of an array lies in a band of a result, of which this is the shape: all of it, unless the
/// array has the first axis of the result. None, if it does not fit. See [`Reading::Copies`].
fn in_band<'a, T: Element, R: Dimension>(
    view: View<'a, T, R>,
    shape: &[usize],
    dims: Option<&[u16]>,
    (first, whole): (usize, usize),
) -> Option<View<'a, T, R>> {
    let has_first = match dims {
        None => view.shape().len() == shape.len(),
        Some(dims) => dims.first() == Some(&0),
    };
    match view.shape().first() {
        // One with as many rows as the band alone has would fit that.
        Some(&own) if has_first && own == whole => {
            view.slice_axis_move(0, first..first + shape[0], 1).ok()
        }
        Some(&own) if has_first && own != 1 => None,
        _ => Some(view),
    }
}

/// A copy in row-major order, if there is memory for it.
fn on_heap<'a, T: Element, R: Dimension>(
    view: &View<'a, T, R>,
    shape: &[usize],
    dims: Option<&[u16]>,
) -> Option<Leaf<'a, T>> {
    let mut copy = Packed::new();
    if !copy.reserve(shape.iter().product()) {
        return None;
    }
    view.copy_row_major(shape, dims, &mut copy);
    Leaf::copied(copy)
}

/// How many rows a result of this shape has, and how long, if it has one axis or two.
#[inline(always)]
pub fn rows_of(shape: &[usize]) -> Option<(usize, usize)> {
    match *shape {
        [len] => Some((1, len)),
        [count, len] => Some((count, len)),
        _ => None,
    }
}

/// Binds an expression to all rows of a result of this shape, of one axis or two, if each array has
/// rows of unit stride, or one that repeats.
#[inline(always)]
pub fn in_rows<'a, E: Expr>(
    expr: &'a E,
    shape: &'a [usize],
    few: &'a mut Few,
) -> Option<Found<impl Source<Elem = E::Elem> + use<'a, E>>> {
    let (count, len) = rows_of(shape)?;
    let room = few.room();
    let rows = Reading::Rows { count, len, room, copies: false, gathers: false };
    found(expr, Binding::few(shape, rows, Isa::BASELINE))
}

/// Binds an expression to one run in row-major order, of copies where arrays lie otherwise, if
/// there is room for them.
#[inline(always)]
pub fn copied<'a, E: Expr>(
    expr: &'a E,
    shape: &'a [usize],
    few: &'a mut Few,
) -> Option<Found<impl Source<Elem = E::Elem> + use<'a, E>>> {
    let copies = Reading::Copies { room: few.room(), heap: false, band: None };
    found(expr, Binding::few(shape, copies, Isa::BASELINE))
}

/// Binds an expression so, if all of it can be.
#[inline(always)]
fn found<'a, E: Expr>(
    expr: &'a E,
    mut binding: Binding<'a>,
) -> Option<Found<impl Source<Elem = E::Elem> + use<'a, E>>> {
    let source = ManuallyDrop::new(binding.bound(expr));
    binding.met.row_major().map(|row_major| Found { source, row_major })
}

/// More elements take longer to copy one by one than by squares and whole lines.
const FEW_COPIED: usize = 1 << 8;

/// Elements no further apart lie near to each other.
const NEAR: usize = 4;

/// Whether rows are copied one by one: few, or what repeats or lies near to each other.
#[inline]
fn is_copied<T>(rows: &Runs<'_, T>) -> bool {
    rows.stride().unsigned_abs() <= NEAR || rows.count() * rows.line(0).count() <= FEW_COPIED
}

/// Shorter rows of a band take longer to go over one by one than to copy those that repeat.
const LONG_OF_BAND: usize = 1 << 7;

/// The elements of a row that takes longer to copy than to find.
pub const LONG_ROW: usize = 8;
