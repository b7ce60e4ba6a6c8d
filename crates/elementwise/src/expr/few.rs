//! Few elements that plainly repeat: bound without a plan, in rows, one by one, or to copies.
//!
//! To plan takes longer than to compute a few elements; so does to look first whether an expression
//! is of such a kind. So it is found out while the expression is bound, leaf by leaf.

use super::alike::is_same;
use super::along::TooManyAxes;
use super::bind::{Binder, Binding, Viewed};
use super::{Expr, Generator, IDENTITY};
use crate::kernel::{Isa, Leaf, Source, Splat, compute, in_turn};
use crate::types::View;
use ndcore::{Axes, Dimension, Element, Few, Packed, Room, Runs};
use std::mem::ManuallyDrop;

/// What has been met of an expression in a result: how its arrays repeat there, if that is plain,
/// because each has the shape, or extents of 1 instead, or lies by itself along axes of it; and
/// because nothing is to be computed before the rest. Then a few elements need no plan.
#[derive(Clone, Copy, Debug)]
pub struct Met<'a> {
    /// The axes that the next arrays lie along, if not along all; or whether they lie along as many
    /// of the last ones as they have.
    dims: Option<&'a [u16]>,
    last: bool,
    found: bool,
    /// The axes along which some array does not repeat, as bits.
    covered: u64,
    /// Whether an array as large as the result is in row-major order, and whether some array is
    /// not.
    ordered: bool,
    disordered: bool,
    /// The same of column-major order, if it is known.
    turned: bool,
    unturned: bool,
}

impl<'a> Met<'a> {
    #[inline(always)]
    pub fn nothing() -> Self {
        Met {
            dims: None,
            last: false,
            found: true,
            covered: 0,
            ordered: false,
            disordered: false,
            turned: false,
            unturned: false,
        }
    }

    /// Whether it does not matter how the arrays are ordered.
    #[inline]
    pub fn any_order(&mut self, any: bool) {
        self.ordered |= any;
    }

    /// An array.
    #[inline(always)]
    fn array(&mut self, lies: Lies) {
        self.found &= lies.fits();
        self.covered |= lies.0 | if self.dims.is_none() { ARRAY } else { 0 };
        self.ordered |= lies.0 & (IN_ORDER | WHOLE) == IN_ORDER | WHOLE;
        self.disordered |= lies.0 & IN_ORDER == 0;
        self.turned |= lies.0 & (TURNED | WHOLE) == TURNED | WHOLE;
        self.unturned |= lies.0 & TURNED == 0;
    }

    /// Elements that are a function of their index, of this shape and along this axis, if so, in a
    /// result of another shape.
    fn function(&mut self, shape: Option<&[usize]>, axis: Option<usize>, result: &[usize]) {
        self.unlifted();
        self.found &= !self.last;
        self.found &= shape.is_none_or(|shape| is_same(shape, result))
            && axis.is_none_or(|axis| axis < result.len());
        // An axis that is not there may have any number.
        let along = |axis: usize| 1_u64.checked_shl(axis as u32).unwrap_or(0);
        self.covered |= axis.map_or(!ARRAY, along);
    }

    /// What follows lies along these axes: by itself, as in what it is part of, each of its arrays
    /// does.
    #[inline(always)]
    pub fn along(&mut self, dims: &'a Result<Axes<u16>, TooManyAxes>) {
        match dims {
            Ok(dims) if self.dims.is_none() && !self.last => self.dims = Some(dims),
            _ => self.found = false,
        }
    }

    /// What lies along axes is over.
    #[inline(always)]
    pub fn end_along(&mut self) {
        self.dims = None;
    }

    /// What follows lies along the last axes. Returns what [`end_numpy`](Self::end_numpy) is given.
    #[inline(always)]
    pub fn numpy(&mut self) -> bool {
        self.unlifted();
        std::mem::replace(&mut self.last, true)
    }

    /// What lies along the last axes is over.
    #[inline(always)]
    pub fn end_numpy(&mut self, outer: bool) {
        self.last = outer;
    }

    /// What must not lie along some axes.
    #[inline(always)]
    fn unlifted(&mut self) {
        self.found &= self.dims.is_none();
    }

    /// The axes of a result that an array lies along, if not along all; so many axes they have.
    #[inline(always)]
    fn dims_of(&self, result: usize, own: usize) -> Option<&'a [u16]> {
        match self.last && own < result {
            true => IDENTITY.get(result - own..result),
            false => self.dims,
        }
    }

    /// What was met since [`enter`](Self::enter) has the shape of the result, unless it is a
    /// scalar, or lies along axes.
    #[inline(always)]
    pub fn end_exact(&mut self, entered: u64, shape: &[usize]) {
        self.unlifted();
        self.found &= self.covered & ARRAY == 0 || is_covered(self.covered, shape);
        self.covered |= entered;
    }

    /// The operands follow of an operation that is computed before the rest if it repeats. Returns
    /// what [`leave`](Self::leave) is given.
    #[inline(always)]
    pub fn enter(&mut self) -> u64 {
        std::mem::take(&mut self.covered)
    }

    /// They have been met, in a result of this shape, of an operation of this cost, unless that is
    /// not known.
    #[inline(always)]
    pub fn leave(&mut self, entered: u64, cost: Option<usize>, shape: &[usize]) {
        self.found &=
            is_covered(self.covered, shape) || cost.is_some_and(|cost| is_little(cost, shape));
        self.covered |= entered;
    }

    /// Whether a new result is in row-major order, if it is plain how the expression repeats:
    /// because one of the arrays that are as large is, or all are.
    #[inline(always)]
    pub fn row_major(&self) -> Option<bool> {
        self.is_plain().then_some(self.ordered || !self.disordered)
    }

    /// Whether all arrays are in row-major order, and one is as large as the result: then another
    /// order of axes would not be that of a new one.
    pub fn all_row_major(&self) -> bool {
        self.is_plain() && self.ordered && !self.disordered
    }

    /// The same of column-major order; of a matrix, whose arrays have been looked at so.
    #[inline(always)]
    pub fn all_turned(&self) -> bool {
        self.is_plain() && self.turned && !self.unturned
    }

    /// Whether it is plain how the expression repeats.
    #[inline(always)]
    fn is_plain(&self) -> bool {
        self.found && self.dims.is_none()
    }
}

/// What takes long is computed again wherever it repeats, if that is so little work altogether, in
/// additions of `f32`: to compute it before the rest takes a plan, which takes longer.
const REPEATED: usize = 1 << 12;

/// What an operation of this cost takes of that for an element: next to nothing where it is
/// computed as part of what it is an operand of.
pub const fn again(cost: usize, fuses: bool) -> usize {
    if fuses { 1 } else { cost }
}

/// Whether an operation of this cost is little work for all elements of a result of this shape.
fn is_little(cost: usize, shape: &[usize]) -> bool {
    shape.iter().fold(cost, |work, &extent| work.saturating_mul(extent)) <= REPEATED
}

/// Whether arrays together are as large as a result of this shape: then what is computed of all of
/// them does not repeat.
#[inline]
fn is_covered(covered: u64, shape: &[usize]) -> bool {
    shape.iter().enumerate().all(|(axis, &extent)| extent == 1 || covered & (1 << axis) != 0)
}

/// How an array lies in a result: the axes along which it does not repeat, as bits, and three
/// bits more. One number, because several would be returned in memory, and waited for.
#[derive(Clone, Copy, Debug)]
struct Lies(u64);

/// Of what has been met: whether some array is not said to lie along axes.
const ARRAY: u64 = 1 << 63;

/// Whether it has the shape of the result, and repeats along no axis.
const WHOLE: u64 = 1 << 32;

/// Whether its axes are nested in row-major order, but for those along which it repeats.
const IN_ORDER: u64 = 1 << 33;

/// Whether they are nested in column-major order so; said of arrays in a matrix alone.
const TURNED: u64 = 1 << 34;

impl Lies {
    /// What does not fit.
    const NOT: Lies = Lies(1 << 35);

    fn fits(self) -> bool {
        self.0 < Self::NOT.0
    }

    /// An array that lies along these axes, or along all.
    #[inline(never)]
    fn of(result: &[usize], dims: Option<&[u16]>, shape: &[usize], strides: &[isize]) -> Self {
        let along = dims.map_or(result.len(), |dims| dims.len());
        if shape.len() != along {
            return Self::NOT;
        }
        let (mut lies, mut next) = (0, 0);
        for (axis, &own) in shape.iter().enumerate() {
            let to = dims.map_or(axis, |dims| usize::from(dims[axis]));
            if to < next || to >= result.len() || (own != 1 && own != result[to]) {
                return Self::NOT;
            }
            lies |= u64::from(own == result[to]) << to;
            next = to + 1;
        }
        let mut extents = shape.iter().zip(strides);
        let repeats = extents.any(|(&extent, &stride)| extent != 1 && stride == 0);
        if dims.is_none() && !repeats && is_same(shape, result) {
            lies |= WHOLE;
        }
        if is_ordered(shape.iter().copied(), strides.iter().copied()) {
            lies |= IN_ORDER;
        }
        Lies(lies)
    }
}

/// An expression without buffers but for its own results, bound to what takes no plan, on the
/// stack: nothing has to be dropped.
pub struct Found<S> {
    source: ManuallyDrop<S>,
    /// Whether a new result is in row-major order.
    pub row_major: bool,
}

impl<S: Source> Found<S> {
    /// All runs.
    #[inline(always)]
    pub fn block(&self) -> S::Block<'_> {
        self.source.flat()
    }
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
        room: Option<Room<'a>>,
        /// Whether it is gathered row by row if there is no room for all of it.
        gathers: bool,
    },
    /// The rows of so many matrices along the last two axes of a result, from one on, if there is
    /// room for where they lie.
    Slabs { some: (usize, usize), room: Room<'a> },
    /// All elements in row-major order, copied where they lie otherwise; on the heap, if there is
    /// no more room and that is allowed. Those of a band of a larger result, if so: from which
    /// index along the first axis on, and how many there are of all of it.
    Copies { room: Room<'a>, heap: bool, band: Option<(usize, usize)> },
    /// The same of a result whose axes are in reverse order, as are those of each array; of a `new`
    /// one, only if all arrays are in that order, or repeat.
    Turned { room: Room<'a>, new: bool },
}

impl<'a> Reading<'a> {
    /// Where the buffers are of what is read as one run, and whether they may be on the heap.
    #[inline(always)]
    pub fn room(&mut self) -> (Option<&mut Room<'a>>, bool) {
        match self {
            Reading::Copies { room, heap, .. } => (Some(room), *heap),
            Reading::Turned { room, .. } => (Some(room), false),
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
        if let Reading::Rows { count, len, .. } = *reading
            && let Some((lies, rows)) = lines(&view, shape.len(), (count, len), dims)
            && rows.stride() == 1
        {
            self.array(lies);
            return Leaf::Flat(rows);
        }
        self.other(reading, shape, isa, &view)
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
        if let Reading::Turned { room, new } = reading {
            return self.turned((room, *new), shape, view);
        }
        let dims = self.dims_of(shape.len(), view.shape().len());
        let part;
        let view = match *reading {
            Reading::Copies { band: Some(band), .. } => {
                let Some(some) = in_band(*view, shape, dims, band) else {
                    self.found = false;
                    return Leaf::Absent;
                };
                part = some;
                &part
            }
            _ => view,
        };
        self.array(Lies::of(shape, dims, view.shape(), view.strides()));
        if self.found {
            match reading {
                Reading::Rows { count, len, room: Some(room), gathers } => {
                    if let Some(copy) = view.copy_few(shape, dims, room) {
                        return Leaf::Flat(Runs::rows(copy, *count, *len));
                    }
                    if *gathers
                        && let Some(rows) = view.gathered_rows(shape, dims, room, isa.fill())
                    {
                        return Leaf::Flat(rows);
                    }
                }
                Reading::Rows { .. } | Reading::Turned { .. } => {}
                Reading::Slabs { some, room } => {
                    if let Some(rows) = view.slabs_of(shape, dims, *some, room) {
                        return Leaf::Flat(rows);
                    }
                }
                Reading::Copies { room, heap, .. } => {
                    if let Some(leaf) = in_row_major(view, shape, dims, room) {
                        return leaf;
                    }
                    if *heap && let Some(leaf) = on_heap(view, shape, dims) {
                        return leaf;
                    }
                }
            }
        }
        self.found = false;
        Leaf::Absent
    }

    /// As [`other`](Self::other), of an array with its axes in reverse order.
    #[inline(never)]
    fn turned<T: Element, R: Dimension>(
        &mut self,
        (room, new): (&mut Room<'a>, bool),
        shape: &[usize],
        view: &View<'a, T, R>,
    ) -> Leaf<'a, T> {
        let (view, axes) = (view.t(), shape.len() as u16);
        let dims = self.dims_of(shape.len(), view.shape().len());
        let dims = dims.map(|dims| {
            dims.iter().rev().map(|&dim| axes.wrapping_sub(1 + dim)).collect::<Axes<u16>>()
        });
        self.array(Lies::of(shape, dims.as_deref(), view.shape(), view.strides()));
        let leaf = match self.found && !(new && self.disordered) {
            true => in_row_major(&view, shape, dims.as_deref(), room)
                .or_else(|| on_heap(&view, shape, dims.as_deref())),
            false => None,
        };
        self.found = leaf.is_some();
        leaf.unwrap_or(Leaf::Absent)
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
        if self.found
            && let Reading::Copies { room, heap, band: None } = reading
        {
            // To be overwritten.
            let first = Splat(generator.at(&Axes::<usize>::filled(0, shape.len())));
            if let Some(slots) = room.slots(len) {
                let elements = compute(isa, slots, first);
                in_turn(generator, shape, elements);
                return Leaf::Flat((&*elements).into());
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
        self.found = false;
        Leaf::Absent
    }

    /// Nothing takes it.
    #[inline(always)]
    pub fn refuse(&mut self) {
        self.found = false;
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
) -> Option<Leaf<'a, T>> {
    let whole = dims.is_none() && is_same(view.shape(), shape);
    if let Some(slice) = view.as_slice().filter(|_| whole) {
        return Some(Leaf::Flat(slice.into()));
    }
    let copy = view.copy_few(shape, dims, room)?;
    Some(Leaf::Flat((&*copy).into()))
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

/// An array in the rows of a result of one axis or two, if it fits there: how it lies, and its rows
/// of any stride.
#[inline(always)]
fn lines<'a, T: Element, R: Dimension>(
    view: &View<'a, T, R>,
    ndim: usize,
    (count, len): (usize, usize),
    dims: Option<&[u16]>,
) -> Option<(Lies, Runs<'a, T>)> {
    let (runs, (rows, columns)) = view.lines_of(ndim, (count, len), dims)?;
    let (distance, stride) = (runs.distance().unsigned_abs(), runs.stride().unsigned_abs());
    let down = if ndim == 2 && rows == count { 1 } else { 0 };
    let across = if columns == len { 1 << (ndim - 1) } else { 0 };
    let (is_row, is_column) = (rows == 1 || distance == 0, columns == 1 || stride == 0);
    let whole = view.shape().len() == ndim
        && (rows, columns) == (count, len)
        && (distance != 0 || count == 1)
        && (stride != 0 || len == 1);
    let one = is_row || is_column;
    let in_order = if one || stride < distance { IN_ORDER } else { 0 };
    let turned = if one || distance < stride { TURNED } else { 0 };
    let whole = if whole { WHOLE } else { 0 };
    Some((Lies(down | across | whole | in_order | turned), runs))
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
) -> Option<Found<impl Source<Elem = E::Elem> + use<'a, E>>> {
    let (count, len) = rows_of(shape)?;
    let rows = Reading::Rows { count, len, room: None, gathers: false };
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

/// Binds an expression to the elements of a result of one axis, each a run, whatever the strides;
/// or to rows of unit stride of a matrix. It is compiled as part of the caller.
struct Line<'a> {
    shape: &'a [usize],
    met: Met<'a>,
}

impl<'a> Binder<'a> for Line<'a> {
    #[inline(always)]
    fn leaf<L: Viewed>(&mut self, array: &'a L) -> Leaf<'a, L::Elem> {
        let view = array.viewed();
        let (runs, axes) = match (self.shape, view.shape()) {
            (&[len], &[own]) if own == len => (view.lines_of::<u16>(1, (1, len), None), 0b1),
            (&[count, len], &[rows, own]) if (rows, own) == (count, len) => {
                let rows = view.lines_of::<u16>(2, (count, len), None);
                (rows.filter(|(rows, _)| rows.stride() == 1), 0b11)
            }
            _ => (None, 0),
        };
        let lies = if runs.is_some() { Lies(axes | WHOLE | IN_ORDER) } else { Lies::NOT };
        self.met.array(lies);
        Leaf::Flat(runs.map_or(Runs::none(), |(runs, _)| runs))
    }

    #[inline(always)]
    fn along(&mut self, _: &'a Result<Axes<u16>, TooManyAxes>) {
        self.met.refuse();
    }

    #[inline(always)]
    fn met(&mut self) -> Option<(&mut Met<'a>, &[usize])> {
        Some((&mut self.met, self.shape))
    }
}

/// Binds an expression to the rows of a matrix, of any stride if they are few elements: with less
/// to set up than a [`Binding`], and as part of the caller, but for arrays. What it has found is
/// asked of it after that: handed on together with what is bound, both would lie in memory.
pub struct Lines<'a> {
    shape: &'a [usize; 2],
    met: Met<'a>,
    few: bool,
    strided: bool,
}

impl<'a> Lines<'a> {
    #[inline(always)]
    pub fn new(shape: &'a [usize; 2]) -> Self {
        let few = shape[0].saturating_mul(shape[1]) <= FEW_IN_LINES;
        Lines { shape, met: Met::nothing(), few, strided: false }
    }

    /// Binds an expression without buffers: nothing has to be dropped.
    #[inline(always)]
    pub fn bind<E: Expr>(
        &mut self,
        expr: &'a E,
    ) -> ManuallyDrop<impl Source<Elem = E::Elem> + use<'a, E>> {
        ManuallyDrop::new(expr.bind(self))
    }

    /// Whether a new result is in row-major order, if what has been bound is the rows.
    #[inline(always)]
    pub fn row_major(&self) -> Option<bool> {
        self.met.row_major()
    }

    /// Whether it is in column-major order.
    #[inline(always)]
    pub fn turned(&self) -> bool {
        self.few && self.met.all_turned()
    }

    /// Whether some array has another stride than the unit one.
    #[inline(always)]
    pub fn strided(&self) -> bool {
        self.strided
    }

    /// The rows of an array; none of what does not fit.
    // Not inlined: once for each type of arrays.
    #[inline(never)]
    fn rows<T: Element, R: Dimension>(&mut self, view: &View<'a, T, R>) -> Runs<'a, T> {
        let &[count, len] = self.shape;
        let dims = self.met.dims_of(2, view.shape().len());
        match lines(view, 2, (count, len), dims) {
            Some((lies, rows)) if rows.stride() == 1 || self.few => {
                self.met.array(lies);
                self.strided |= rows.stride() != 1;
                rows
            }
            _ => {
                self.met.refuse();
                Runs::none()
            }
        }
    }
}

impl<'a> Binder<'a> for Lines<'a> {
    #[inline(always)]
    fn leaf<L: Viewed>(&mut self, array: &'a L) -> Leaf<'a, L::Elem> {
        Leaf::Flat(self.rows(&array.viewed()))
    }

    #[inline(always)]
    fn met(&mut self) -> Option<(&mut Met<'a>, &[usize])> {
        Some((&mut self.met, self.shape))
    }
}

/// More elements than these, one by one, take longer than to copy what has no unit stride.
pub const FEW_IN_LINES: usize = 1 << 9;

/// Binds an expression to runs of one element each, if all arrays have the one axis of the result,
/// or there are none.
#[inline(always)]
pub fn in_line<'a, E: Expr>(
    expr: &'a E,
    shape: &'a [usize],
) -> Option<Found<impl Source<Elem = E::Elem> + use<'a, E>>> {
    if shape.len() == 1 { in_same(expr, shape) } else { None }
}

/// Binds an expression to the rows of a matrix, if all arrays have its two axes, and rows of unit
/// stride.
#[inline(always)]
pub fn in_same_rows<'a, E: Expr>(
    expr: &'a E,
    shape: &'a [usize; 2],
) -> Option<Found<impl Source<Elem = E::Elem> + use<'a, E>>> {
    in_same(expr, shape)
}

/// By a [`Line`].
#[inline(always)]
fn in_same<'a, E: Expr>(
    expr: &'a E,
    shape: &'a [usize],
) -> Option<Found<impl Source<Elem = E::Elem> + use<'a, E>>> {
    let mut line = Line { shape, met: Met::nothing() };
    let source = ManuallyDrop::new(expr.bind(&mut line));
    line.met.row_major().map(|row_major| Found { source, row_major })
}

/// Whether strides go down from axis to axis, but for those along which elements repeat.
#[inline]
pub fn is_ordered(
    shape: impl IntoIterator<Item = usize>,
    strides: impl IntoIterator<Item = isize>,
) -> bool {
    let mut outer = usize::MAX;
    shape.into_iter().zip(strides).all(|(extent, stride)| {
        let repeats = extent == 1 || stride == 0;
        let inside = repeats || stride.unsigned_abs() < outer;
        outer = if repeats { outer } else { stride.unsigned_abs() };
        inside
    })
}

/// The elements of a row that takes longer to copy than to find.
pub const LONG_ROW: usize = 8;
