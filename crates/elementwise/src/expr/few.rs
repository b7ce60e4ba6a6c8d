//! Few elements that plainly repeat: bound without a plan, in rows, one by one, or to copies.
//!
//! To plan takes longer than to compute a few elements; so does to look first whether an expression
//! is of such a kind. So the binders here find that out while they bind; all are compiled as part of
//! the caller, but for what does not depend on the expression.

use super::Expr;
use super::alike::is_same;
use super::along::TooManyAxes;
use super::bind::{Binder, Viewed};
use crate::kernel::{Indices, Leaf, Source};
use ndcore::{Axes, Element, Few, Packed, Room, Runs};
use std::mem::ManuallyDrop;

/// What has been met of an expression in a result: how its arrays repeat there, if that is plain,
/// because each has the shape, or extents of 1 instead, or lies by itself along axes of it; and
/// because nothing is to be computed before the rest. Then a few elements need no plan.
#[derive(Clone, Copy, Debug)]
struct Met<'a> {
    /// The axes that the next arrays lie along, if not along all.
    dims: Option<&'a Axes<u16>>,
    found: bool,
    /// The axes along which some array does not repeat, as bits.
    covered: u64,
    /// Whether an array as large as the result is in row-major order, whether some array is not,
    /// and whether one repeats.
    ordered: bool,
    disordered: bool,
    repeats: bool,
    /// Whether something must not repeat.
    strict: bool,
}

impl<'a> Met<'a> {
    #[inline(always)]
    fn nothing() -> Self {
        Met {
            dims: None,
            found: true,
            covered: 0,
            ordered: false,
            disordered: false,
            repeats: false,
            strict: false,
        }
    }

    /// An array.
    #[inline(always)]
    fn array(&mut self, lies: Lies) {
        self.found &= lies.fits();
        self.covered |= lies.0;
        self.ordered |= lies.0 & (IN_ORDER | WHOLE) == IN_ORDER | WHOLE;
        self.disordered |= lies.0 & IN_ORDER == 0;
        self.repeats |= lies.0 & WHOLE == 0;
    }

    /// What follows lies along these axes: by itself, as in what it is part of, each of its arrays
    /// does.
    #[inline(always)]
    fn along(&mut self, dims: &'a Result<Axes<u16>, TooManyAxes>) {
        match dims {
            Ok(dims) if self.dims.is_none() => self.dims = Some(dims),
            _ => self.found = false,
        }
    }

    /// What must not lie along some axes.
    #[inline(always)]
    fn unlifted(&mut self) {
        self.found &= self.dims.is_none();
    }

    /// Three nodes that have one shape.
    #[inline(always)]
    fn exact(&mut self) {
        self.unlifted();
        self.strict = true;
    }

    /// The operands follow of an operation that is computed before the rest if it repeats. Returns
    /// what [`leave`](Self::leave) is given.
    #[inline(always)]
    fn enter(&mut self) -> u64 {
        std::mem::take(&mut self.covered)
    }

    /// They have been met, in a result of this shape.
    #[inline(always)]
    fn leave(&mut self, entered: u64, shape: &[usize]) {
        self.found &= is_covered(self.covered, shape);
        self.covered |= entered;
    }

    /// Whether a new result is in row-major order, if it is plain how the expression repeats:
    /// because one of the arrays that are as large is, or all are.
    #[inline(always)]
    fn row_major(&self) -> Option<bool> {
        // Where shapes have to be equal nothing repeats.
        let plain = self.found && !(self.strict && self.repeats) && self.dims.is_none();
        plain.then_some(self.ordered || !self.disordered)
    }
}

/// Whether arrays together are as large as a result of this shape: then what is computed of all of
/// them does not repeat.
#[inline]
fn is_covered(covered: u64, shape: &[usize]) -> bool {
    shape.iter().enumerate().all(|(axis, &extent)| extent == 1 || covered & (1 << axis) != 0)
}

/// How an array lies in a result: the axes along which it does not repeat, as bits, and two bits
/// more. One number, because several would be returned in memory, and waited for.
#[derive(Clone, Copy, Debug)]
struct Lies(u64);

/// Whether it has the shape of the result.
const WHOLE: u64 = 1 << 32;

/// Whether its axes are nested in row-major order.
const IN_ORDER: u64 = 1 << 33;

impl Lies {
    /// What does not fit.
    const NOT: Lies = Lies(1 << 34);

    fn fits(self) -> bool {
        self.0 < Self::NOT.0
    }

    /// An array that lies along these axes, or along all.
    #[inline(never)]
    fn of(result: &[usize], dims: Option<&Axes<u16>>, shape: &[usize], strides: &[isize]) -> Self {
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
        if dims.is_none() && is_same(shape, result) {
            lies |= WHOLE;
        }
        if is_ordered(shape, strides) {
            lies |= IN_ORDER;
        }
        Lies(lies)
    }
}

/// How the arrays of an expression without buffers are read as runs, if all of them can be.
trait Reading<'a> {
    /// The result's shape.
    fn shape(&self) -> &[usize];

    /// How an array lies, along these axes, or along all of them.
    #[inline(always)]
    fn lies(&self, dims: Option<&Axes<u16>>, shape: &[usize], strides: &[isize]) -> Lies {
        Lies::of(self.shape(), dims, shape, strides)
    }

    /// The elements of an array that fits.
    fn read<L: Viewed>(
        &mut self,
        array: &'a L,
        dims: Option<&Axes<u16>>,
    ) -> Option<Runs<'a, L::Elem>>;
}

/// Binds an expression, and finds out on the way whether it can be read so: to look first takes as
/// long again.
struct Finding<'a, W> {
    way: W,
    met: Met<'a>,
}

/// An expression without buffers but for its own results, bound to what takes no plan: nothing has
/// to be dropped.
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

impl<'a, W: Reading<'a>> Finding<'a, W> {
    #[inline(always)]
    fn bind<E: Expr>(expr: &'a E, way: W) -> Option<Found<E::Source<'a>>> {
        let mut finding = Finding { way, met: Met::nothing() };
        let source = ManuallyDrop::new(expr.bind(&mut finding));
        finding.met.row_major().map(|row_major| Found { source, row_major })
    }
}

impl<'a, W: Reading<'a>> Binder<'a> for Finding<'a, W> {
    #[inline(always)]
    fn leaf<L: Viewed>(&mut self, array: &'a L) -> Leaf<'a, L::Elem> {
        let (view, dims) = (array.viewed(), self.met.dims);
        self.met.array(self.way.lies(dims, view.shape(), view.strides()));
        let runs = if self.met.found { self.way.read(array, dims) } else { None };
        self.met.found &= runs.is_some();
        Leaf::Flat(runs.unwrap_or(Runs::none()))
    }

    #[inline(always)]
    fn along(&mut self, dims: &'a Result<Axes<u16>, TooManyAxes>) {
        self.met.along(dims);
    }

    #[inline(always)]
    fn end_along(&mut self) {
        self.met.dims = None;
    }

    // They take loops.
    #[inline(always)]
    fn generated<T: Element>(&mut self) -> Option<(Box<[Indices<'a>; 1]>, Packed<T>)> {
        self.met.found = false;
        None
    }

    #[inline(always)]
    fn exact(&mut self) {
        self.met.exact();
    }

    #[inline(always)]
    fn enter(&mut self, _: bool) -> u64 {
        self.met.enter()
    }

    #[inline(always)]
    fn leave(&mut self, entered: u64) {
        self.met.leave(entered, self.way.shape());
    }
}

/// The rows of a result of one axis or two: each array has rows of unit stride, or one that repeats.
struct Rows<'a> {
    shape: &'a [usize],
    count: usize,
    len: usize,
    /// Which rows, if not all: the first, and how many.
    some: Option<(usize, usize)>,
}

impl<'a> Reading<'a> for Rows<'_> {
    #[inline(always)]
    fn shape(&self) -> &[usize] {
        self.shape
    }

    #[inline(always)]
    fn lies(&self, dims: Option<&Axes<u16>>, shape: &[usize], strides: &[isize]) -> Lies {
        let (ndim, own) = (self.shape.len(), shape.len());
        let last = match dims {
            None => own == ndim,
            Some(dims) => {
                dims.len() == own
                    && own <= ndim
                    && (ndim - own..).zip(dims.iter()).all(|(to, &dim)| usize::from(dim) == to)
            }
        };
        let (rows, len, apart) = match (shape, strides) {
            (&[len], &[_]) => (1, len, usize::MAX),
            (&[rows, len], &[distance, _]) => (rows, len, distance.unsigned_abs()),
            _ => return Lies::NOT,
        };
        if !last || len != self.len || (rows != self.count && rows != 1) {
            return Lies::NOT;
        }
        let all = if rows == self.count { 0b11 } else { 1 << (ndim - 1) };
        let whole = if rows == self.count && own == ndim { WHOLE } else { 0 };
        Lies(all | whole | if rows == 1 || apart >= len { IN_ORDER } else { 0 })
    }

    #[inline(always)]
    fn read<L: Viewed>(
        &mut self,
        array: &'a L,
        _: Option<&Axes<u16>>,
    ) -> Option<Runs<'a, L::Elem>> {
        let rows = array.viewed().rows_of(self.count, self.len)?;
        Some(self.some.map_or(rows, |(first, count)| rows.some(first, count)))
    }
}

/// Binds an expression to all rows of a result of this shape, of one axis or two, if each array has
/// rows of unit stride, or one that repeats.
#[inline(always)]
pub fn in_rows<'a, E: Expr>(expr: &'a E, shape: &[usize]) -> Option<Found<E::Source<'a>>> {
    in_some_rows(expr, shape, None)
}

/// As [`in_rows`], to the rows from the first of these numbers on, so many as the second one says.
///
/// # Panics
/// If there are fewer.
#[inline(always)]
pub fn in_some_rows<'a, E: Expr>(
    expr: &'a E,
    shape: &[usize],
    some: Option<(usize, usize)>,
) -> Option<Found<E::Source<'a>>> {
    let (count, len) = match *shape {
        [len] => (1, len),
        [count, len] => (count, len),
        _ => return None,
    };
    Finding::bind(expr, Rows { shape, count, len, some })
}

/// The rows of the matrix along the last two axes of a result, at an index along the others.
struct Slab<'a> {
    shape: &'a [usize],
    index: &'a [usize],
}

impl<'a> Reading<'a> for Slab<'_> {
    #[inline(always)]
    fn shape(&self) -> &[usize] {
        self.shape
    }

    // Not inlined: compiled once for each kind of array.
    #[inline(never)]
    fn read<L: Viewed>(
        &mut self,
        array: &'a L,
        dims: Option<&Axes<u16>>,
    ) -> Option<Runs<'a, L::Elem>> {
        array.viewed().slab_of(self.shape, dims.map(|dims| &dims[..]), self.index)
    }
}

/// Binds an expression to the rows of the matrix along the last two axes of a result of three or
/// more, at an index along the others, if each array has rows of unit stride, or one that repeats.
#[inline(always)]
pub fn in_slab<'a, E: Expr>(
    expr: &'a E,
    shape: &[usize],
    index: &[usize],
) -> Option<Found<E::Source<'a>>> {
    Finding::bind(expr, Slab { shape, index })
}

/// The elements of a result of one axis, each a run, whatever the strides.
struct Line<'a>(&'a [usize]);

impl<'a> Reading<'a> for Line<'_> {
    #[inline(always)]
    fn shape(&self) -> &[usize] {
        self.0
    }

    #[inline(always)]
    fn lies(&self, dims: Option<&Axes<u16>>, shape: &[usize], _: &[isize]) -> Lies {
        match (dims, self.0, shape) {
            (None, &[len], &[own]) if own == len && len > 0 => Lies(1 | WHOLE | IN_ORDER),
            _ => Lies::NOT,
        }
    }

    #[inline(always)]
    fn read<L: Viewed>(
        &mut self,
        array: &'a L,
        _: Option<&Axes<u16>>,
    ) -> Option<Runs<'a, L::Elem>> {
        Some(array.viewed().each_of_line())
    }
}

/// Binds an expression to runs of one element each, if all arrays have the one axis of the result,
/// or there are none.
#[inline(always)]
pub fn in_line<'a, E: Expr>(expr: &'a E, shape: &[usize]) -> Option<Found<E::Source<'a>>> {
    Finding::bind(expr, Line(shape))
}

/// All elements in row-major order, copied where they lie otherwise.
struct Copies<'r, 'a> {
    shape: &'r [usize],
    room: Room<'a>,
}

impl<'a> Reading<'a> for Copies<'_, 'a> {
    #[inline(always)]
    fn shape(&self) -> &[usize] {
        self.shape
    }

    #[inline(always)]
    fn read<L: Viewed>(
        &mut self,
        array: &'a L,
        dims: Option<&Axes<u16>>,
    ) -> Option<Runs<'a, L::Elem>> {
        self.slice(array, dims).map(Runs::from)
    }
}

impl<'a> Copies<'_, 'a> {
    // Not inlined: compiled once for each kind of array.
    #[inline(never)]
    fn slice<L: Viewed>(
        &mut self,
        array: &'a L,
        dims: Option<&Axes<u16>>,
    ) -> Option<&'a [L::Elem]> {
        let view = array.viewed();
        let slice = view.as_slice().filter(|_| dims.is_none() && is_same(view.shape(), self.shape));
        let copied = |room| view.copy_few(self.shape, dims.map(|dims| &dims[..]), room);
        slice.or_else(|| copied(&mut self.room).map(|copy| &*copy))
    }
}

/// Binds an expression to one run in row-major order, of copies where arrays lie otherwise, if there
/// is room for them.
#[inline(always)]
pub fn copied<'a, E: Expr>(
    expr: &'a E,
    shape: &[usize],
    few: &'a mut Few,
) -> Option<Found<E::Source<'a>>> {
    Finding::bind(expr, Copies { shape, room: few.room() })
}

/// Whether it is plain how an expression with buffers repeats in a result of some shape, as it is
/// shown to a [`Tree`](super::Tree).
#[derive(Clone, Copy, Debug)]
pub struct Plain<'a> {
    shape: &'a [usize],
    met: Met<'a>,
    /// Whether an operation takes long.
    long: bool,
}

impl<'a> Plain<'a> {
    /// In a result of this shape.
    #[inline]
    pub fn of(shape: &'a [usize]) -> Self {
        Plain { shape, met: Met::nothing(), long: false }
    }

    /// Whether a new result is in row-major order, if it is plain how the expression repeats:
    /// because one of the arrays that are as large is, or all are.
    #[inline]
    pub fn row_major(&self) -> Option<bool> {
        // An operation that takes long is computed before the rest where it repeats.
        let fits = is_covered(self.met.covered, self.shape) || !self.long;
        if fits { self.met.row_major() } else { None }
    }

    /// An array.
    #[inline]
    pub fn array(&mut self, shape: &[usize], strides: &[isize]) {
        self.met.array(Lies::of(self.shape, self.met.dims, shape, strides));
    }

    /// Elements that are a function of their index.
    pub fn function(&mut self, shape: Option<&[usize]>, axis: Option<usize>) {
        self.met.unlifted();
        self.met.found &= shape.is_none_or(|shape| shape == self.shape)
            && axis.is_none_or(|axis| axis < self.shape.len());
        // One that fits any shape may repeat.
        self.met.repeats |= shape.is_none();
        self.met.covered = if shape.is_some() { u64::MAX } else { self.met.covered };
    }

    /// What follows lies along these axes.
    #[inline]
    pub fn lift(&mut self, dims: &'a Result<Axes<u16>, TooManyAxes>, ndim: Option<usize>) {
        self.met.along(dims);
        self.met.found &= ndim.is_none_or(|ndim| ndim == self.shape.len());
    }

    /// What lies along axes is over.
    #[inline]
    pub fn unlift(&mut self) {
        self.met.dims = None;
    }

    /// Three nodes that have one shape.
    #[inline]
    pub fn exact(&mut self) {
        self.met.exact();
    }

    /// An operation that goes through a buffer, unless it is the root.
    #[inline]
    pub fn long(&mut self, root: bool) {
        self.long = true;
        self.met.strict |= !root;
    }
}

/// Whether strides go down from axis to axis.
#[inline]
fn is_ordered(shape: &[usize], strides: &[isize]) -> bool {
    let mut outer = usize::MAX;
    shape.iter().zip(strides).all(|(extent, stride)| {
        let inside = *extent == 1 || (stride.unsigned_abs() < outer && *stride != 0);
        outer = if *extent == 1 { outer } else { stride.unsigned_abs() };
        inside
    })
}

/// The elements of a row that takes longer to copy than to find.
pub const LONG_ROW: usize = 8;
