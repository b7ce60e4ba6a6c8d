//! Bound one by one, or row by row, as part of the caller: with less to set up than a `Binding`.

use super::{AXES, DISORDERED, Found, Lies, Met, ORDERED, TURNED, UNTURNED, bit};
use crate::expr::Expr;
use crate::expr::alike::is_same;
use crate::expr::along::TooManyAxes;
use crate::expr::bind::{Binder, Viewed};
use crate::kernel::{Source, Stored};
use crate::types::View;
use ndcore::{Axes, Dimension, Element, LINE, Runs};
use std::cmp::Ordering;
use std::mem::ManuallyDrop;

/// Binds an expression to the elements of a result of one axis, each a run, whatever the strides;
/// or to the rows of a matrix, of unit stride if `BY_ROWS`. It is compiled as part of the caller.
struct Line<'a, const BY_ROWS: bool> {
    shape: &'a [usize],
    met: Met<'a>,
}

impl<'a, const BY_ROWS: bool> Binder<'a> for Line<'a, BY_ROWS> {
    type Leaf<T: Element> = Runs<'a, T>;

    #[inline(always)]
    fn leaf<L: Viewed>(&mut self, array: &'a L) -> Runs<'a, L::Elem> {
        let view = array.viewed();
        let (runs, axes) = match (self.shape, view.shape()) {
            (&[len], &[own]) if own == len => (view.lines_of::<u16>(1, (1, len), None), 0b1),
            (&[count, len], &[rows, own]) if (rows, own) == (count, len) => {
                let rows = view.lines_of::<u16>(2, (count, len), None);
                (rows.filter(|(rows, _)| !BY_ROWS || rows.stride() == 1), 0b11)
            }
            _ => (None, 0),
        };
        let lies = if runs.is_some() { Lies(axes | ORDERED | UNTURNED) } else { Lies::NOT };
        self.met.array(lies);
        runs.map_or(Runs::none(), |(runs, _)| runs)
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
        let len = shape[0].saturating_mul(shape[1]);
        Lines { shape, met: Met::nothing(), few: len <= FEW_IN_LINES, strided: false }
    }

    /// Binds an expression without buffers: nothing has to be dropped.
    #[inline(always)]
    pub fn bind<E: Expr>(
        &mut self,
        expr: &'a E,
    ) -> ManuallyDrop<impl Source<Elem = E::Elem> + use<'a, E>> {
        ManuallyDrop::new(expr.bind(self))
    }

    /// How a new result is stored, if what has been bound is the rows: `None`, too, if it is one of
    /// many elements, and not in row-major order.
    #[inline(always)]
    pub fn stored(&self) -> Option<Stored> {
        match self.met.row_major()? {
            true => Some(self.in_any_order()),
            false => (self.few && self.met.all_turned()).then_some(Stored::Turned),
        }
    }

    /// The same, if it does not matter in which order.
    #[inline(always)]
    pub fn in_rows(&self) -> Option<Stored> {
        self.met.row_major().map(|_| self.in_any_order())
    }

    #[inline(always)]
    fn in_any_order(&self) -> Stored {
        if self.strided { Stored::OneByOne } else { Stored::InRows }
    }

    /// The rows of an array; none of what does not fit.
    // Not inlined: once for each type of arrays.
    #[inline(never)]
    fn rows<T: Element, R: Dimension>(&mut self, view: &View<'a, T, R>) -> Runs<'a, T> {
        let &[count, len] = self.shape;
        let dims = self.met.dims_of(2, view.shape().len());
        let some = |rows: &Runs<'_, T>| {
            go_one_by_one(
                count.saturating_mul(len),
                size_of::<T>(),
                &[rows.distance(), rows.stride()],
            )
        };
        match lines(view, 2, (count, len), dims) {
            Some((lies, rows)) if rows.stride() == 1 || self.few || some(&rows) => {
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
    type Leaf<T: Element> = Runs<'a, T>;

    #[inline(always)]
    fn leaf<L: Viewed>(&mut self, array: &'a L) -> Runs<'a, L::Elem> {
        self.rows(&array.viewed())
    }

    #[inline(always)]
    fn met(&mut self) -> Option<(&mut Met<'a>, &[usize])> {
        Some((&mut self.met, self.shape))
    }
}

/// Binds an expression to the elements of a result of several axes in row-major order, as those of
/// a matrix, if all arrays lie so there: with less to set up than a [`Binding`], and as part of the
/// caller, but for arrays.
pub struct Merged<'a> {
    shape: &'a [usize],
    rows: (usize, usize),
    met: Met<'a>,
    strided: bool,
}

impl<'a> Merged<'a> {
    /// To a result of this shape, as so many rows of so many elements.
    #[inline(always)]
    pub fn new(shape: &'a [usize], rows: (usize, usize)) -> Self {
        Merged { shape, rows, met: Met::nothing(), strided: false }
    }

    /// Binds an expression without buffers: nothing has to be dropped.
    #[inline(always)]
    pub fn bind<E: Expr>(
        &mut self,
        expr: &'a E,
    ) -> ManuallyDrop<impl Source<Elem = E::Elem> + use<'a, E>> {
        ManuallyDrop::new(expr.bind(self))
    }

    /// How a result is stored, if what has been bound is the rows: by rows only, if there are more
    /// than few elements. One that is `new` is in row-major order, as its arrays have to be.
    #[inline(always)]
    pub fn stored(&self, new: bool) -> Option<Stored> {
        let row_major = self.met.row_major()?;
        match self.strided {
            _ if new && !row_major => None,
            false => Some(Stored::InRows),
            true => (self.rows.0 * self.rows.1 <= FEW_IN_LINES).then_some(Stored::OneByOne),
        }
    }

    // Not inlined: once for each type of arrays.
    #[inline(never)]
    fn rows<T: Element, R: Dimension>(&mut self, view: &View<'a, T, R>) -> Runs<'a, T> {
        let (rows, own) = (self.rows, view.shape());
        let dims = self.met.dims_of(self.shape.len(), own.len());
        let Some(runs) = view.merged_rows(self.shape, dims, rows) else {
            self.met.refuse();
            return Runs::none();
        };
        let (down, across) = (runs.distance().unsigned_abs(), runs.stride().unsigned_abs());
        let whole = dims.is_none() && is_same(own, self.shape);
        self.strided |= runs.stride() != 1;
        self.met.array(match whole {
            true if rows.0 > 1 && rows.1 > 1 && across > down => Lies(AXES | DISORDERED),
            true => Lies(AXES | ORDERED),
            false => Lies::of(self.shape, dims, own, view.strides()),
        });
        runs
    }
}

impl<'a> Binder<'a> for Merged<'a> {
    type Leaf<T: Element> = Runs<'a, T>;

    #[inline(always)]
    fn leaf<L: Viewed>(&mut self, array: &'a L) -> Runs<'a, L::Elem> {
        self.rows(&array.viewed())
    }

    #[inline(always)]
    fn met(&mut self) -> Option<(&mut Met<'a>, &[usize])> {
        Some((&mut self.met, self.shape))
    }
}

/// More elements than these, one by one, take longer than to copy what has no unit stride.
pub const FEW_IN_LINES: usize = 1 << 8;

/// So many that lie near to each other, or far apart, do not; and so many of rows that are closer
/// to each other than their elements are.
const SOME_IN_LINES: usize = 1 << 20;
const SOME_IN_TURNED: usize = 1 << 14;

/// Whether to go over so many elements of this size and these strides one by one takes less time
/// than to copy them: if those of a row lie near to each other, though not side by side, or all so
/// far apart that each has a line of the cache of its own.
#[inline(always)]
pub const fn go_one_by_one(len: usize, size: usize, strides: &[isize]) -> bool {
    match *strides {
        [.., stride] if matches!(stride.unsigned_abs(), 2..=4) => len <= SOME_IN_LINES,
        [outer, inner] => {
            let (outer, inner) = (outer.unsigned_abs(), inner.unsigned_abs());
            let line = LINE / if size > 0 { size } else { LINE };
            let most = if outer >= inner { SOME_IN_LINES } else { SOME_IN_TURNED };
            outer >= line && inner >= line && len <= most
        }
        _ => false,
    }
}

/// Binds an expression to runs of one element each, if all arrays have the one axis of the result,
/// or there are none.
#[inline(always)]
pub fn in_line<'a, E: Expr>(
    expr: &'a E,
    shape: &'a [usize],
) -> Option<Found<impl Source<Elem = E::Elem> + use<'a, E>>> {
    if shape.len() == 1 { in_same::<true, _>(expr, shape) } else { None }
}

/// Binds an expression to the rows of a matrix, if all arrays have its two axes, and rows of unit
/// stride.
#[inline(always)]
pub fn in_same_rows<'a, E: Expr>(
    expr: &'a E,
    shape: &'a [usize; 2],
) -> Option<Found<impl Source<Elem = E::Elem> + use<'a, E>>> {
    in_same::<true, _>(expr, shape)
}

/// As [`in_same_rows`], whatever the strides.
#[inline(always)]
pub fn in_same_lines<'a, E: Expr>(
    expr: &'a E,
    shape: &'a [usize; 2],
) -> Option<Found<impl Source<Elem = E::Elem> + use<'a, E>>> {
    in_same::<false, _>(expr, shape)
}

/// By a [`Line`].
#[inline(always)]
fn in_same<'a, const BY_ROWS: bool, E: Expr>(
    expr: &'a E,
    shape: &'a [usize],
) -> Option<Found<impl Source<Elem = E::Elem> + use<'a, BY_ROWS, E>>> {
    let mut line = Line::<BY_ROWS> { shape, met: Met::nothing() };
    let source = ManuallyDrop::new(expr.bind(&mut line));
    line.met.row_major().map(|row_major| Found { source, row_major })
}

/// An array in the rows of a result of one axis or two, if it fits there: how it lies, and its rows
/// of any stride.
#[inline(always)]
pub(super) fn lines<'a, T: Element, R: Dimension>(
    view: &View<'a, T, R>,
    ndim: usize,
    (count, len): (usize, usize),
    dims: Option<&[u16]>,
) -> Option<(Lies, Runs<'a, T>)> {
    let (runs, (rows, columns)) = view.lines_of(ndim, (count, len), dims)?;
    let (distance, stride) = (runs.distance(), runs.stride());
    if rows != 1 && columns != 1 && distance != 0 && stride != 0 {
        let lies = match stride.unsigned_abs().cmp(&distance.unsigned_abs()) {
            Ordering::Less => 0b11 | ORDERED | UNTURNED,
            Ordering::Greater => 0b11 | DISORDERED | TURNED,
            Ordering::Equal => 0b11 | DISORDERED | UNTURNED,
        };
        return Some((Lies(lies), runs));
    }
    let down = bit(ndim == 2 && rows == count, 1);
    let across = bit(columns == len, 1 << (ndim - 1));
    let whole = view.shape().len() == ndim
        && (rows, columns) == (count, len)
        && (distance != 0 || count == 1)
        && (stride != 0 || len == 1);
    Some((Lies(down | across | bit(whole, ORDERED | TURNED)), runs))
}
