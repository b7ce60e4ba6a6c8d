//! Elements over and over: tiles, repeated slices, Kronecker products.

use super::take::take;
use super::{check_axis, refuse, with_elements};
use crate::eval::{Elements, in_order};
use crate::exec::Exec;
use crate::expr::{Apply, Expr, RankOf, ResultRank, settled};
use crate::ops::{Mul, Op};
use crate::types::{Array, View};
use bcast::Error;
use ndcore::{
    Axes, Dimension, Dyn, Element, Layout, LayoutErrorKind, MAX_NDIM, reserved, size_of_shape,
};

/// A view that repeats, as an array in row-major order of another shape.
fn spread<T: Element, R: Dimension>(
    view: View<'_, T, R>,
    repeated: &[usize],
    dims: &[usize],
    shape: &[usize],
) -> Result<Array<T, R>, Error> {
    let view = view.expand::<Dyn>(Dyn::shape(repeated)?, dims)?;
    let values = Elements::row_major(&view)?.take_values()?;
    Ok(Array::from_layout_vec(Layout::c_order(R::shape(shape)?)?, values)?)
}

pub(super) fn tile<T: Element, R: Dimension>(
    view: View<'_, T, R>,
    times: &[usize],
) -> Result<Array<T, R>, Error> {
    let extents = view.shape();
    if times.len() != extents.len() {
        let (expected, found) = (extents.len(), times.len());
        return refuse(LayoutErrorKind::RankMismatch { expected, found });
    }
    let (mut repeated, mut dims, mut shape) = (Vec::new(), Vec::new(), Vec::new());
    for (&extent, &times) in extents.iter().zip(times) {
        // In row-major order, those of an axis come after the times it is repeated.
        if times != 1 {
            repeated.push(times);
        }
        dims.push(repeated.len());
        repeated.push(extent);
        let Some(product) = extent.checked_mul(times) else {
            return refuse(LayoutErrorKind::SizeOverflow { shape: [extent, times].into() });
        };
        shape.push(product);
    }
    spread(view, &repeated, &dims, &shape)
}

pub(super) fn repeat<T: Element, R: Dimension>(
    view: View<'_, T, R>,
    axis: usize,
    times: usize,
) -> Result<Array<T, R>, Error> {
    check_axis(axis, view.shape())?;
    let mut shape = view.shape().to_vec();
    let mut repeated = shape.clone();
    repeated.insert(axis + 1, times);
    let Some(product) = shape[axis].checked_mul(times) else {
        return refuse(LayoutErrorKind::SizeOverflow { shape: [shape[axis], times].into() });
    };
    shape[axis] = product;
    if repeated.len() > MAX_NDIM {
        // No axis is left for the times: but slices can be taken several times.
        if size_of_shape(&shape)? == 0 {
            return Ok(Array::<_, Dyn>::from_shape_vec(shape, Vec::new())?.into_rank()?);
        }
        let mut indices = reserved(product, &shape)?;
        indices.extend((0..product).map(|number| number / times));
        return take(view, axis, &indices);
    }
    let own = |other: usize| if other <= axis { other } else { other + 1 };
    let dims: Vec<usize> = (0..shape.len()).map(own).collect();
    spread(view, &repeated, &dims, &shape)
}

/// The Kronecker product: each element of `a` times all of `b`, as blocks.
///
/// # Errors
/// If the result does not fit in memory, or twice its rank is above [`MAX_NDIM`].
///
/// ```
/// use elementwise::{array, kron};
/// let product = kron(&array![[1, 2]], &array![[1, 0], [0, 1]])?;
/// assert_eq!(product, array![[1, 0, 2, 0], [0, 1, 0, 2]]);
/// # Ok::<(), elementwise::Error>(())
/// ```
pub fn kron<A, B>(a: A, b: B) -> Result<Array<<A as Expr>::Elem, RankOf<A>>, Error>
where
    A: Expr<Rank: ResultRank>,
    B: Expr<Elem = A::Elem, Rank: ResultRank<Dim = RankOf<A>>>,
    Mul: Op<(A::Elem, A::Elem), Output = A::Elem>,
{
    with_elements(&settled(a), |a| with_elements(&settled(b), |b| kron_of(a, b)))
}

fn kron_of<T: Element, R: Dimension>(
    a: View<'_, T, R>,
    b: View<'_, T, R>,
) -> Result<Array<T, R>, Error>
where
    Mul: Op<(T, T), Output = T>,
{
    let ndim = a.ndim();
    if b.ndim() != ndim {
        return refuse(LayoutErrorKind::RankMismatch { expected: ndim, found: b.ndim() });
    }
    if 2 * ndim > MAX_NDIM {
        return refuse(LayoutErrorKind::RankTooHigh { ndim: 2 * ndim });
    }
    let (mut blocks, mut shape) = (Vec::new(), Vec::new());
    for (&a, &b) in a.shape().iter().zip(b.shape()) {
        blocks.extend([a, b]);
        let Some(product) = a.checked_mul(b) else {
            return refuse(LayoutErrorKind::SizeOverflow { shape: [a, b].into() });
        };
        shape.push(product);
    }
    let extents = Dyn::shape(&blocks)?;
    let outer: Vec<usize> = (0..ndim).map(|axis| 2 * axis).collect();
    let inner: Vec<usize> = (0..ndim).map(|axis| 2 * axis + 1).collect();
    let (a, b) = (a.expand::<Dyn>(extents, &outer)?, b.expand::<Dyn>(extents, &inner)?);
    let order: Axes<usize> = (0..blocks.len()).collect();
    let product = in_order(&Apply::new(Mul, (a, b)), &blocks, &order, &Exec::current())?;
    Ok(product.into_shape(&shape[..])?.into_rank()?)
}
