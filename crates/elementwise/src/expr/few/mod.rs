//! Few elements that plainly repeat: bound without a plan, in rows, one by one, or to copies.
//!
//! To plan takes longer than to compute a few elements; so does to look first whether an expression
//! is of such a kind. So it is found out while the expression is bound, leaf by leaf, and noted in
//! [`Met`]. What each leaf is read from is said by [`Reading`], or, of what is compiled as part of
//! the caller, by the binders of `lines`.

mod lines;
mod reading;

pub use lines::{FEW_IN_LINES, Lines, Merged, go_one_by_one, in_line, in_same_lines, in_same_rows};
pub use reading::{LONG_ROW, Reading, copied, in_rows, rows_of};

use super::IDENTITY;
use super::alike::is_same;
use super::along::TooManyAxes;
use crate::kernel::Source;
use ndcore::Axes;
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
    /// The bits of [`Lies`] that were said of some array, or anything else.
    bits: u64,
}

impl<'a> Met<'a> {
    #[inline(always)]
    pub fn nothing() -> Self {
        Met { dims: None, last: false, bits: 0 }
    }

    /// Whether it does not matter how the arrays are ordered.
    #[inline]
    pub fn any_order(&mut self, any: bool) {
        self.bits |= bit(any, ORDERED);
    }

    /// An array.
    #[inline(always)]
    fn array(&mut self, lies: Lies) {
        self.bits |= lies.0 | bit(self.dims.is_none(), ARRAY);
    }

    /// Elements that are a function of their index, of this shape and along this axis, if so, in a
    /// result of another shape.
    fn function(&mut self, shape: Option<&[usize]>, axis: Option<usize>, result: &[usize]) {
        self.unlifted();
        let fits = shape.is_none_or(|shape| is_same(shape, result))
            && axis.is_none_or(|axis| axis < result.len());
        self.bits |= bit(self.last || !fits, UNFIT);
        // An axis that is not there may have any number.
        let along = |axis: usize| 1_u64.checked_shl(axis as u32).unwrap_or(0);
        self.bits |= axis.map_or(AXES, along) & AXES;
    }

    /// What follows lies along these axes: by itself, as in what it is part of, each of its arrays
    /// does.
    #[inline(always)]
    pub fn along(&mut self, dims: &'a Result<Axes<u16>, TooManyAxes>) {
        match dims {
            Ok(dims) if self.dims.is_none() && !self.last => self.dims = Some(dims),
            _ => self.refuse(),
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
        self.bits |= bit(self.dims.is_some(), UNFIT);
    }

    /// Nothing takes it.
    #[inline(always)]
    pub fn refuse(&mut self) {
        self.bits |= UNFIT;
    }

    /// Whether it may be taken yet.
    #[inline(always)]
    fn found(&self) -> bool {
        self.bits & UNFIT == 0
    }

    /// The axes of a result that an array lies along, if not along all; so many axes they have.
    #[inline(always)]
    fn dims_of(&self, result: usize, own: usize) -> Option<&'a [u16]> {
        match self.last && own < result {
            true => IDENTITY.get(result - own..result),
            false => self.dims,
        }
    }

    /// What was met since [`enter`](Self::enter) has the shape of the result, or the one that is
    /// `exact`, as the bits of its axes; unless it is a scalar, or lies along axes.
    #[inline(always)]
    pub fn end_exact(&mut self, entered: u64, exact: &mut Option<u64>, shape: &[usize]) {
        self.unlifted();
        let axes = self.bits & AXES;
        let repeats = self.bits & ARRAY != 0 && !is_covered(self.bits, shape);
        // What lies along axes takes any shape, and is not looked at beside one that repeats. Nor
        // is what has the shape of the result told from it.
        let own = if repeats { axes } else { AXES };
        if self.bits & (ARRAY | AXES) != 0 {
            // Under NumPy's rule the ranks might differ.
            let differs = *exact.get_or_insert(own) != own || (repeats && self.last);
            self.bits |= bit(differs, UNFIT);
        }
        self.bits |= entered;
    }

    /// The operands follow of an operation that is computed before the rest if it repeats. Returns
    /// what [`leave`](Self::leave) is given.
    #[inline(always)]
    pub fn enter(&mut self) -> u64 {
        let entered = self.bits & (AXES | ARRAY);
        self.bits -= entered;
        entered
    }

    /// The axes along which they differ, if they repeat in a result of this shape, and it is plain
    /// how.
    pub fn repeats(&self, shape: &[usize]) -> Option<u64> {
        (self.found() && !is_covered(self.bits, shape)).then_some(self.bits & AXES)
    }

    /// They have been met, in a result of this shape, of an operation of this cost, unless that is
    /// not known.
    #[inline(always)]
    pub fn leave(&mut self, entered: u64, cost: Option<usize>, shape: &[usize]) {
        let little =
            || is_covered(self.bits, shape) || cost.is_some_and(|cost| is_little(cost, shape));
        self.bits |= bit(!little(), UNFIT) | entered;
    }

    /// Whether a new result is in row-major order, if it is plain how the expression repeats:
    /// because one of the arrays that are as large is, or all are.
    #[inline(always)]
    pub fn row_major(&self) -> Option<bool> {
        self.is_plain().then_some(self.bits & (ORDERED | DISORDERED) != DISORDERED)
    }

    /// Whether all arrays are in row-major order, and one is as large as the result: then another
    /// order of axes would not be that of a new one.
    pub fn all_row_major(&self) -> bool {
        self.is_plain() && self.bits & (ORDERED | DISORDERED) == ORDERED
    }

    /// The same of column-major order; of a matrix, whose arrays have been looked at so.
    #[inline(always)]
    pub fn all_turned(&self) -> bool {
        self.is_plain() && self.bits & (TURNED | UNTURNED) == TURNED
    }

    /// Whether it is plain how the expression repeats.
    #[inline(always)]
    fn is_plain(&self) -> bool {
        self.found() && self.dims.is_none()
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

/// How an array lies in a result, as bits. One number, because several would be returned in memory,
/// and waited for; and each says what can be said of several arrays together, if it is of one.
#[derive(Clone, Copy, Debug)]
struct Lies(u64);

/// The axes along which it does not repeat.
const AXES: u64 = (1 << 32) - 1;

/// Of what has been met: some array is not said to lie along axes.
const ARRAY: u64 = 1 << 32;

/// It has the shape of the result, repeats along no axis, and is in row-major order.
const ORDERED: u64 = 1 << 33;

/// Its axes are not nested in row-major order, those left out along which it repeats.
const DISORDERED: u64 = 1 << 34;

/// The same of column-major order; said of arrays in a matrix alone, others are not in it.
const TURNED: u64 = 1 << 35;
const UNTURNED: u64 = 1 << 36;

/// It does not fit.
const UNFIT: u64 = 1 << 37;

/// A bit, if that is so.
#[inline(always)]
fn bit(so: bool, bit: u64) -> u64 {
    if so { bit } else { 0 }
}

impl Lies {
    /// What does not fit.
    const NOT: Lies = Lies(UNFIT);

    /// An array that lies along these axes, or along all.
    #[inline(never)]
    fn of(result: &[usize], dims: Option<&[u16]>, shape: &[usize], strides: &[isize]) -> Self {
        let along = dims.map_or(result.len(), |dims| dims.len());
        if shape.len() != along {
            return Self::NOT;
        }
        let (mut lies, mut next) = (UNTURNED, 0);
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
        let ordered = is_ordered(shape.iter().copied(), strides.iter().copied());
        let whole = dims.is_none() && !repeats && is_same(shape, result);
        lies |= bit(ordered && whole, ORDERED) | bit(!ordered, DISORDERED);
        Lies(lies)
    }
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
