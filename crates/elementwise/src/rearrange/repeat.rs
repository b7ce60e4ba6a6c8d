//! Elements over and over: tiles, repeated slices, Kronecker products.

use super::take::take;
use super::{check_axis, refuse, with_elements};
use crate::eval::{Elements, FEW_BYTES};
use crate::expr::{Expr, RankOf, ResultRank, settled};
use crate::ops::{Mul, Op};
use crate::types::{Array, View};
use bcast::Error;
use ndcore::{
    Axes, Dimension, Dyn, Element, Layout, LayoutErrorKind, MAX_NDIM, reserved, reserved_for_array,
};
use std::iter::repeat_n;

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
    let mut shape = R::zero_shape(extents.len());
    for (product, (&extent, &times)) in shape.as_mut().iter_mut().zip(extents.iter().zip(times)) {
        let Some(extent) = extent.checked_mul(times) else {
            return refuse(LayoutErrorKind::SizeOverflow { shape: [extent, times].into() });
        };
        *product = extent;
    }
    let layout = Layout::<R>::c_order(shape)?;
    if is_few::<T, R>(&layout)
        && let Some(values) = view.as_slice()
    {
        let mut results = reserved_for_array(layout.size(), layout.shape())?;
        append_tiles(values, extents, times, &mut results);
        return Ok(Array::from_layout_vec(layout, results)?);
    }
    let (mut repeated, mut ndim, mut dims) = ([0; 2 * MAX_NDIM], 0, Axes::new());
    for (&extent, &times) in extents.iter().zip(times) {
        // In row-major order, those of an axis come after the times it is repeated.
        if times != 1 {
            repeated[ndim] = times;
            ndim += 1;
        }
        dims.push(ndim);
        repeated[ndim] = extent;
        ndim += 1;
    }
    spread(view, &repeated[..ndim], &dims, layout.shape())
}

/// Whether there are results, and so few that a plan would take longer.
fn is_few<T: Element, R: Dimension>(layout: &Layout<R>) -> bool {
    layout.size() > 0 && layout.size().saturating_mul(size_of::<T>()) <= FEW_BYTES
}

/// Appends elements in row-major order, of which there are some, so many times along each axis.
fn append_tiles<T: Element>(
    values: &[T],
    extents: &[usize],
    times: &[usize],
    results: &mut Vec<T>,
) {
    let ([extent, extents @ ..], [times, after @ ..]) = (extents, times) else {
        return results.extend_from_slice(values);
    };
    let first = results.len();
    if after.iter().all(|&times| times == 1) {
        results.extend_from_slice(values);
    } else {
        for values in values.chunks_exact(values.len() / extent) {
            append_tiles(values, extents, after, results);
        }
    }
    let end = results.len();
    for _ in 1..*times {
        results.extend_from_within(first..end);
    }
}

pub(super) fn repeat<T: Element, R: Dimension>(
    view: View<'_, T, R>,
    axis: usize,
    times: usize,
) -> Result<Array<T, R>, Error> {
    check_axis(axis, view.shape())?;
    let mut shape = view.dim();
    let extent = shape.as_ref()[axis];
    let Some(product) = extent.checked_mul(times) else {
        return refuse(LayoutErrorKind::SizeOverflow { shape: [extent, times].into() });
    };
    shape.as_mut()[axis] = product;
    let layout = Layout::<R>::c_order(shape)?;
    if is_few::<T, R>(&layout)
        && let Some(values) = view.as_slice()
    {
        let mut results = reserved_for_array(layout.size(), layout.shape())?;
        match view.shape()[axis + 1..].iter().product() {
            1 => values.iter().for_each(|&value| results.extend(repeat_n(value, times))),
            inner => values.chunks_exact(inner).for_each(|values| {
                (0..times).for_each(|_| results.extend_from_slice(values));
            }),
        }
        return Ok(Array::from_layout_vec(layout, results)?);
    }
    let shape = layout.shape();
    if view.ndim() == MAX_NDIM {
        // No axis is left for the times: but slices can be taken several times.
        if layout.size() == 0 {
            return Ok(Array::from_layout_vec(layout, Vec::new())?);
        }
        let mut indices = reserved(product, shape)?;
        indices.extend((0..product).map(|number| number / times));
        return take(view, axis, &indices);
    }
    let mut repeated: Axes<usize> = view.shape().iter().copied().collect();
    repeated.insert(axis + 1, times);
    let own = |other: usize| if other <= axis { other } else { other + 1 };
    let dims: Axes<usize> = (0..shape.len()).map(own).collect();
    spread(view, &repeated, &dims, shape)
}

/// The Kronecker product: each element of `a` times all of `b`, as blocks. On one thread.
///
/// # Errors
/// If the ranks differ, or the result does not fit in memory.
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
    let mut shape = R::zero_shape(ndim);
    for (product, (&a, &b)) in shape.as_mut().iter_mut().zip(a.shape().iter().zip(b.shape())) {
        let Some(extent) = a.checked_mul(b) else {
            return refuse(LayoutErrorKind::SizeOverflow { shape: [a, b].into() });
        };
        *product = extent;
    }
    let layout = Layout::<R>::c_order(shape)?;
    // Not by a plan, whose runs would be the rows of `b`: to enter a loop for each takes longer.
    let mut results = reserved_for_array(layout.size(), layout.shape())?;
    if layout.size() > 0 {
        let (of_a, of_b) = (Elements::row_major(&a)?.values, Elements::row_major(&b)?.values);
        append_products((&of_a, a.shape()), (&of_b, b.shape()), &mut results);
    }
    Ok(Array::from_layout_vec(layout, results)?)
}

/// Appends the Kronecker product of elements in row-major order, of which there are some, and of as
/// many axes.
fn append_products<T: Element>(
    (a, of_a): (&[T], &[usize]),
    (b, of_b): (&[T], &[usize]),
    results: &mut Vec<T>,
) where
    Mul: Op<(T, T), Output = T>,
{
    match (of_a, of_b) {
        (&[outer, ref of_a @ ..], &[inner, ref of_b @ ..]) if !of_a.is_empty() => {
            for a in a.chunks_exact(a.len() / outer) {
                for b in b.chunks_exact(b.len() / inner) {
                    append_products((a, of_a), (b, of_b), results);
                }
            }
        }
        _ => a.iter().for_each(|&a| results.extend(b.iter().map(|&b| Mul.apply((a, b))))),
    }
}
