//! What takes no plan: expressions whose arrays lie alike, and few elements that plainly repeat.
//!
//! To plan takes longer than to compute a few elements; so does to be called for each of them. The
//! visitors here find out whether an expression is of these kinds, and the binders bind it then; all
//! are compiled as part of the caller, but for what does not depend on the expression.

use super::along::TooManyAxes;
use super::bind::{Binder, Viewed, in_memory_order};
use super::tree::{ElementType, OfIndex, Operation};
use super::{Expr, Visitor};
use crate::kernel::Leaf;
use ndcore::{Axes, Few, Room, Runs};
use std::any::Any;
use std::mem::ManuallyDrop;

/// Whether all arrays of an expression lie alike, and how: then there is nothing to plan.
#[derive(Clone, Copy, Debug)]
pub struct Alike<'a> {
    shape: &'a [usize],
    strides: &'a [isize],
    known: bool,
    alike: bool,
    /// Whether the next arrays lie along some axes only.
    lifted: bool,
}

impl<'a> Alike<'a> {
    /// Binds an expression without buffers, which has been shown to this, to the memory of its
    /// arrays: see [`Source::flat`](crate::kernel::Source::flat). Nothing has to be dropped then,
    /// and to find that out takes as long as to add a few elements.
    #[inline(always)]
    pub fn bind<'s, E: Expr>(expr: &'s E, len: usize) -> ManuallyDrop<E::Source<'s>> {
        ManuallyDrop::new(expr.bind(&mut Flat(len)))
    }

    /// As the first array that does not lie along some axes only.
    #[inline(always)]
    pub fn unknown() -> Self {
        Alike { shape: &[], strides: &[], known: false, alike: true, lifted: false }
    }

    /// As an array of this shape and these strides.
    #[inline(always)]
    pub fn of(shape: &'a [usize], strides: &'a [isize]) -> Self {
        Alike { shape, strides, known: true, alike: true, lifted: false }
    }

    /// The shape and the strides, if they are those of all arrays.
    #[inline(always)]
    pub fn layout(&self) -> Option<(&'a [usize], &'a [isize])> {
        (self.known && self.alike).then_some((self.shape, self.strides))
    }

    /// The shape of the first array that does not lie along some axes only.
    #[inline(always)]
    pub fn first(&self) -> Option<&'a [usize]> {
        self.known.then_some(self.shape)
    }
}

impl<'a> Visitor<'a> for Alike<'a> {
    #[inline(always)]
    fn leaf(&mut self, shape: &'a [usize], strides: &'a [isize], _: ElementType) {
        if self.lifted {
            return;
        }
        if self.known {
            self.alike &= self.shape == shape && self.strides == strides;
        } else {
            (self.shape, self.strides, self.known) = (shape, strides, true);
        }
    }

    #[inline(always)]
    fn scalar(&mut self, _: &'a dyn Any, _: ElementType) {}

    #[inline(always)]
    fn generated(&mut self, _: OfIndex<'a>) {
        self.alike = false;
    }

    #[inline(always)]
    fn along(&mut self, _: &'a Result<Axes<u16>, TooManyAxes>, _: Option<usize>) {
        (self.alike, self.lifted) = (false, true);
    }

    #[inline(always)]
    fn end_along(&mut self) {
        self.lifted = false;
    }

    // Where all ranks are equal, which is looked at, it says nothing.
    #[inline(always)]
    fn numpy(&mut self) {}

    #[inline(always)]
    fn join(&mut self, _: usize) {}

    #[inline(always)]
    fn exact(&mut self) {}

    #[inline(always)]
    fn op(&mut self, _: Operation<'a>) {}
}

/// To the memory of all arrays as it lies, because they all lie as the result does, of an
/// expression without buffers. As [`Binding::flat`](super::Binding::flat), but compiled as part of the caller.
#[derive(Clone, Copy, Debug)]
struct Flat(usize);

impl<'a> Binder<'a> for Flat {
    #[inline(always)]
    fn leaf<L: Viewed>(&mut self, array: &'a L) -> Leaf<'a, L::Elem> {
        in_memory_order(array, self.0)
    }
}

/// Whether all arrays of an expression have one axis of the same extent as the result, by whatever
/// strides.
#[derive(Clone, Copy, Debug)]
pub struct Lines {
    len: usize,
    all: bool,
}

impl Lines {
    /// Of an expression without buffers, in a result of so many elements.
    #[inline(always)]
    pub fn are_all<E: Expr>(expr: &E, len: usize) -> bool {
        let mut lines = Lines { len, all: len > 0 };
        expr.describe(&mut lines);
        lines.all
    }

    /// Binds such an expression to runs of one element each: nothing has to be dropped then.
    #[inline(always)]
    pub fn bind<'s, E: Expr>(expr: &'s E) -> ManuallyDrop<E::Source<'s>> {
        ManuallyDrop::new(expr.bind(&mut Line))
    }
}

impl<'a> Visitor<'a> for Lines {
    #[inline(always)]
    fn leaf(&mut self, shape: &'a [usize], _: &'a [isize], _: ElementType) {
        self.all &= shape == [self.len];
    }

    #[inline(always)]
    fn scalar(&mut self, _: &'a dyn Any, _: ElementType) {}

    #[inline(always)]
    fn generated(&mut self, _: OfIndex<'a>) {
        self.all = false;
    }

    #[inline(always)]
    fn along(&mut self, _: &'a Result<Axes<u16>, TooManyAxes>, _: Option<usize>) {
        self.all = false;
    }

    // Nor here.
    #[inline(always)]
    fn numpy(&mut self) {}

    #[inline(always)]
    fn join(&mut self, _: usize) {}

    #[inline(always)]
    fn exact(&mut self) {}

    #[inline(always)]
    fn op(&mut self, _: Operation<'a>) {}
}

/// To the elements of lines, each a run.
#[derive(Clone, Copy, Debug)]
struct Line;

impl<'a> Binder<'a> for Line {
    #[inline(always)]
    fn leaf<L: Viewed>(&mut self, array: &'a L) -> Leaf<'a, L::Elem> {
        Leaf::Flat(array.viewed().each_of_line())
    }
}

/// Whether it is plain how an expression repeats in a result of some shape: each array has the
/// shape, or extents of 1 instead, or lies by itself along axes of it; and nothing is to be computed
/// before the rest. Then a few elements need no plan.
#[derive(Clone, Copy, Debug)]
pub struct Plain<'a> {
    shape: &'a [usize],
    /// The axes that the next arrays lie along, if not along all.
    lifted: Option<&'a Axes<u16>>,
    found: bool,
    /// How many arrays have all of the shape, whether one has it in row-major order, whether one
    /// repeats in it, and whether one is not in row-major order.
    wholes: usize,
    /// The axes along which some array does not repeat, as bits.
    covered: usize,
    ordered: bool,
    repeats: bool,
    disordered: bool,
    /// Whether an operation takes long, and whether something must not repeat.
    long: bool,
    strict: bool,
    /// Whether all arrays have rows of unit stride along the last axis, or one that repeats.
    in_rows: bool,
    /// The memory that a copy of each array takes, if there is room: see [`Few::after`].
    copies: Option<usize>,
}

impl<'a> Plain<'a> {
    /// In a result of this shape.
    #[inline]
    pub fn of(shape: &'a [usize]) -> Self {
        Plain {
            shape,
            lifted: None,
            found: true,
            wholes: 0,
            covered: 0,
            ordered: false,
            repeats: false,
            disordered: false,
            long: false,
            strict: false,
            in_rows: !shape.is_empty(),
            copies: Some(0),
        }
    }

    /// Of an expression without buffers but for its own results, in a result of this shape.
    #[inline(always)]
    pub fn of_expr<E: Expr>(expr: &'a E, shape: &'a [usize]) -> Self {
        let mut plain = Plain::of(shape);
        expr.describe(&mut plain);
        if E::BUFFERED {
            plain.long(true);
        }
        plain
    }

    /// That of the result.
    #[inline]
    pub fn shape(&self) -> &'a [usize] {
        self.shape
    }

    /// Whether a new result is in row-major order, if it is plain how the expression repeats:
    /// because one of the arrays that are as large is, or all are.
    #[inline]
    pub fn row_major(&self) -> Option<bool> {
        // An operation that takes long is computed before the rest where it repeats, and where
        // shapes have to be equal nothing does.
        let plain = self.found
            && (self.is_covered() || !self.long)
            && !(self.strict && self.repeats)
            && self.lifted.is_none();
        plain.then_some(self.ordered || !self.disordered)
    }

    /// Whether the arrays together are as large as the result: then what is computed of all of them
    /// does not repeat.
    #[inline]
    fn is_covered(&self) -> bool {
        let axes = self.shape.iter().enumerate();
        let all = axes.fold(0, |all, (axis, &extent)| all | usize::from(extent != 1) << axis);
        self.covered & all == all
    }

    /// How to bind the expression, which has no buffers, if it is plain and copies of its arrays
    /// fit into memory on the stack: to all of a result in row-major order.
    #[inline]
    pub fn copied(&self, few: &'a mut Few) -> Option<Small<'a>> {
        let plain = self.row_major().is_some() && self.copies.is_some();
        plain.then(|| Small { shape: self.shape, dims: None, of: Of::Copies(few.room()) })
    }

    /// How to bind the expression, which has no buffers, to the rows of all arrays: if the result
    /// has one axis or two, and each array rows of unit stride, or one that repeats.
    #[inline]
    pub fn rows(&self) -> Option<Small<'a>> {
        let plain = self.row_major().is_some() && self.in_rows && self.shape.len() <= 2;
        plain.then_some(Small { shape: self.shape, dims: None, of: Of::Rows })
    }

    /// How to bind the expression to `count` rows from `first` on, if there are [rows](Self::rows).
    #[inline]
    pub fn some_rows(&self, first: usize, count: usize) -> Small<'a> {
        Small { shape: self.shape, dims: None, of: Of::Some(first, count) }
    }

    /// Whether the result has three axes or more, and each array rows, of this many elements at
    /// least, of unit stride, or one that repeats: then the matrices along the last two axes are
    /// bound one by one.
    #[inline]
    pub fn has_slabs(&self, least: usize) -> bool {
        let in_slabs = self.shape.len() > 2 && self.shape[self.shape.len() - 1] >= least;
        in_slabs && self.in_rows && self.row_major().is_some()
    }

    /// How to bind the expression to the rows of all arrays in the matrix at this index of the outer
    /// axes, if it [has](Self::has_slabs) such.
    #[inline]
    pub fn slab<'s>(&self, index: &'s [usize]) -> Small<'s>
    where
        'a: 's,
    {
        Small { shape: self.shape, dims: None, of: Of::Slab(index) }
    }

    /// The same, if the rows are long enough to be worth more than copies.
    #[inline]
    pub fn long_rows(&self) -> Option<Small<'a>> {
        self.rows().filter(|_| self.shape.last().is_some_and(|&len| len >= LONG_ROW))
    }

    /// Whether there are no arrays: the expression has one value, whatever the result.
    #[inline]
    pub fn is_constant(&self) -> bool {
        self.found && self.wholes == 0 && !self.repeats
    }

    /// Whether the result is of one axis, and it (`apart`) or some array is not one run of unit
    /// stride.
    #[inline]
    pub fn is_line(&self, apart: bool) -> bool {
        self.shape.len() == 1 && (apart || !self.in_rows) && self.row_major().is_some()
    }

    /// How to bind the expression, which has no buffers and is [constant](Self::is_constant) or a
    /// [line](Self::is_line): to runs of one element each.
    #[inline]
    pub fn one_by_one(&self) -> Small<'a> {
        Small { shape: self.shape, dims: None, of: Of::Line }
    }

    /// An array, with elements of so many bytes.
    #[inline(never)]
    pub fn array(&mut self, shape: &'a [usize], strides: &'a [isize], size: usize) {
        let (in_order, result) = (is_ordered(shape, strides), self.shape);
        self.disordered |= !in_order;
        let fits = |own: usize, to: usize| own == to || own == 1;
        // The axis that lies along the last one of the result.
        let last = result.len().wrapping_sub(1);
        let mut inner = last;
        let equal = match self.lifted {
            None => {
                let equal = is_same(shape, result);
                for (axis, (own, to)) in shape.iter().zip(result).enumerate() {
                    self.covered |= usize::from(own == to) << axis;
                }
                self.found &= equal
                    || (shape.len() == result.len()
                        && shape.iter().zip(result).all(|(own, to)| fits(*own, *to)));
                equal
            }
            Some(dims) => {
                let (mut next, mut along) = (0, shape.len() == dims.len());
                for (own, dim) in shape.iter().zip(dims.iter()) {
                    let dim = usize::from(*dim);
                    along &= dim >= next && dim < result.len() && fits(*own, result[dim]);
                    self.covered |= usize::from(along && *own == result[dim]) << dim;
                    next = dim + 1;
                }
                self.found &= along;
                let lies = |&dim: &u16| usize::from(dim) == last;
                inner = dims.iter().position(lies).unwrap_or(usize::MAX);
                false
            }
        };
        self.wholes += usize::from(equal);
        self.ordered |= in_order && equal;
        self.repeats |= !equal;
        self.in_rows = self.in_rows
            && self.found
            && shape
                .get(inner)
                .is_some_and(|&len| len == result[last] && (len == 1 || strides[inner] == 1));
        if self.found {
            let len = result.iter().product();
            self.copies = self.copies.and_then(|used| Few::after(used, len, size));
        }
    }

    /// Elements that are a function of their index.
    pub fn function(&mut self, shape: Option<&'a [usize]>, axis: Option<usize>) {
        self.unlifted();
        self.found &= shape.is_none_or(|shape| shape == self.shape)
            && axis.is_none_or(|axis| axis < self.shape.len());
        // One that fits any shape may repeat.
        self.repeats |= shape.is_none();
        self.wholes += usize::from(shape.is_some());
        self.covered = if shape.is_some() { usize::MAX } else { self.covered };
        // They take loops.
        (self.in_rows, self.copies) = (false, None);
    }

    /// What follows lies along these axes: by itself, as in what it is part of, each of its arrays
    /// does.
    #[inline(never)]
    pub fn lift(&mut self, dims: &'a Result<Axes<u16>, TooManyAxes>, ndim: Option<usize>) {
        match dims {
            Ok(dims) if self.lifted.is_none() && ndim.is_none_or(|n| n == self.shape.len()) => {
                self.lifted = Some(dims);
            }
            _ => self.found = false,
        }
    }

    /// What lies along axes is over.
    #[inline]
    pub fn unlift(&mut self) {
        self.lifted = None;
    }

    /// What must not lie along some axes.
    #[inline]
    pub fn unlifted(&mut self) {
        self.found &= self.lifted.is_none();
    }

    /// Three nodes that have one shape.
    #[inline]
    pub fn strict(&mut self) {
        self.unlifted();
        self.strict = true;
    }

    /// An operation that goes through a buffer, unless it is the root.
    #[inline]
    pub fn long(&mut self, root: bool) {
        self.long = true;
        self.strict |= !root;
    }
}

impl<'a> Visitor<'a> for Plain<'a> {
    #[inline(always)]
    fn leaf(&mut self, shape: &'a [usize], strides: &'a [isize], element: ElementType) {
        self.array(shape, strides, element.size);
    }

    #[inline(always)]
    fn scalar(&mut self, _: &'a dyn Any, _: ElementType) {}

    #[inline(always)]
    fn generated(&mut self, of_index: OfIndex<'a>) {
        self.function(of_index.shape, of_index.axis);
    }

    #[inline(always)]
    fn along(&mut self, dims: &'a Result<Axes<u16>, TooManyAxes>, ndim: Option<usize>) {
        self.lift(dims, ndim);
    }

    #[inline(always)]
    fn end_along(&mut self) {
        self.unlift();
    }

    // Where all ranks are equal, which is looked at, NumPy's rule says nothing.
    #[inline(always)]
    fn numpy(&mut self) {}

    #[inline(always)]
    fn join(&mut self, _: usize) {}

    #[inline(always)]
    fn exact(&mut self) {
        self.strict();
    }

    // Whoever shows expressions with buffers to this, says which operation is the root.
    #[inline(always)]
    fn op(&mut self, _: Operation<'a>) {}

    #[inline(always)]
    fn enter(&mut self) -> usize {
        std::mem::take(&mut self.covered)
    }

    // What repeats is computed before the rest.
    #[inline(always)]
    fn leave(&mut self, entered: usize) {
        self.found &= self.is_covered();
        self.covered |= entered;
    }
}

/// Whether two shapes are equal. For so few numbers, a function that compares memory takes longer
/// to call.
#[inline(always)]
fn is_same(a: &[usize], b: &[usize]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b)
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

/// To few elements of each array, of an expression without buffers.
#[derive(Debug)]
pub struct Small<'a> {
    shape: &'a [usize],
    dims: Option<&'a Axes<u16>>,
    of: Of<'a>,
}

/// Which elements those are.
#[derive(Debug)]
enum Of<'a> {
    /// All, copied in row-major order where they lie otherwise.
    Copies(Room<'a>),
    /// All, as rows.
    Rows,
    /// So many of the rows from this one on.
    Some(usize, usize),
    /// Those at an index of all axes but the last two, as rows.
    Slab(&'a [usize]),
    /// All, each by itself: of a result of one axis.
    Line,
}

impl<'a> Small<'a> {
    /// Binds an expression: nothing has to be dropped then.
    #[inline(always)]
    pub fn bind<'s, E: Expr>(self, expr: &'s E) -> ManuallyDrop<E::Source<'s>>
    where
        'a: 's,
    {
        let mut binder: Small<'s> = self;
        ManuallyDrop::new(expr.bind(&mut binder))
    }

    // Not inlined: compiled once for each kind of array.
    #[inline(never)]
    fn elements<L: Viewed>(&mut self, array: &'a L) -> Runs<'a, L::Elem> {
        let dims = self.dims;
        let view = array.viewed();
        match &mut self.of {
            Of::Rows => match view.as_slice() {
                // One row, without looking further.
                Some(slice) if dims.is_none() && self.shape.len() == 1 && slice.len() > 1 => {
                    slice.into()
                }
                _ => view
                    .rows_of(self.shape, dims.map(|dims| &dims[..]))
                    .expect("rows of unit stride"),
            },
            Of::Some(first, count) => view
                .rows_of(self.shape, dims.map(|dims| &dims[..]))
                .expect("rows of unit stride")
                .some(*first, *count),
            Of::Slab(index) => view
                .slab_of(self.shape, dims.map(|dims| &dims[..]), index)
                .expect("rows of unit stride"),
            Of::Line => view.line_of(self.shape, dims.map(|dims| &dims[..])),
            Of::Copies(room) => match view.as_slice() {
                Some(slice) if dims.is_none() && is_same(view.shape(), self.shape) => slice.into(),
                _ => view
                    .copy_few(self.shape, dims.map(|dims| &dims[..]), room)
                    .map(|copy| Runs::from(&*copy))
                    .expect("room for a copy of each array"),
            },
        }
    }
}

impl<'a> Binder<'a> for Small<'a> {
    #[inline(always)]
    fn leaf<L: Viewed>(&mut self, array: &'a L) -> Leaf<'a, L::Elem> {
        Leaf::Flat(self.elements(array))
    }

    #[inline(always)]
    fn along(&mut self, dims: &'a Result<Axes<u16>, TooManyAxes>) {
        self.dims = dims.as_ref().ok();
    }

    #[inline(always)]
    fn end_along(&mut self) {
        self.dims = None;
    }
}
