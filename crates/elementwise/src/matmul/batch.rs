//! Batches of matrices: shapes, threads, and batches of few elements.

use super::dot::check_dot;
use super::product::{FEW, Product, RowMajor, Rows, split};
use super::tasks;
use crate::eval::eval_by;
use crate::exec::Exec;
use crate::expr::Expr;
use crate::help;
use crate::kernel::Isa;
use crate::number::Number;
use crate::reduce::compiled::by_compiled;
use crate::types::{Array, View, ViewMut};
use bcast::{Error, ErrorKind, degenerate_shape};
use ndcore::{Axes, Dimension, Dyn, List};

/// A computed expression, or the array it is.
pub(super) fn lying<E: Expr<Rank: Dimension>, U>(
    expr: &E,
    exec: &Exec,
    f: impl FnOnce(View<'_, E::Elem, Dyn>) -> Result<U, Error>,
) -> Result<U, Error> {
    match expr.in_memory() {
        Some(view) => f(view.as_dyn()),
        None => f(eval_by(expr, exec)?.view().as_dyn()),
    }
}

/// The shape of the product of these, if they are matrices, or batches of them, that fit.
pub(super) fn check_product(a: &[usize], b: &[usize]) -> Result<Axes<usize>, Error> {
    let ndim = a.len();
    if ndim < 2 || ndim != b.len() {
        return Err(ErrorKind::MatrixProduct { lhs: List::of(&a), rhs: List::of(&b) }.into());
    }
    check_dot(a, b)?;
    let mut shape = degenerate_shape(&a[..ndim - 2], &b[..ndim - 2])?;
    shape.push(a[ndim - 2]);
    shape.push(b[ndim - 1]);
    Ok(shape)
}

pub(super) fn product<T, A, B>(a: &A, b: &B, exec: &Exec) -> Result<Array<T, A::Rank>, Error>
where
    T: Number,
    A: Expr<Elem = T, Rank: Dimension>,
    B: Expr<Elem = T, Rank: Dimension>,
{
    lying(a, exec, |a| {
        lying(b, exec, |b| {
            let product = by_compiled!(
                T::PRODUCTS,
                |compiled| (compiled.matrices)(a, b, exec),
                product_of_views(a, b, exec)
            )?;
            Ok(product.into_rank()?)
        })
    })
}

/// The products of a batch of matrices.
pub(super) fn product_of_views<T: Number>(
    a: View<'_, T, Dyn>,
    b: View<'_, T, Dyn>,
    exec: &Exec,
) -> Result<Array<T, Dyn>, Error> {
    let shape = check_product(a.shape(), b.shape())?;
    let mut c = Array::<T, Dyn>::try_full(shape, T::zero())?;
    let depth = a.shape()[a.ndim() - 1];
    let tasks = tasks(c.len(), depth, exec);
    if depth > 0 && !c.is_empty() && !(tasks < 2 && few_of_batch(exec.isa, a, b, &mut c)?) {
        let all: Axes<usize> = (0..c.ndim()).collect();
        let batch = &c.shape()[..c.ndim() - 2];
        let whole = |x: View<'_, T, Dyn>| -> Axes<usize> {
            batch.iter().chain(&x.shape()[c.ndim() - 2..]).copied().collect()
        };
        let (of_a, of_b) = (whole(a), whole(b));
        let (a, b) = (a.expand::<Dyn>(of_a, &all)?, b.expand::<Dyn>(of_b, &all)?);
        batches(c.view_mut(), [T::one(), T::zero()], a, b, tasks)?;
    }
    Ok(c)
}

/// The products of all matrices of a batch, of which there are some.
fn batches<T: Number>(
    c: ViewMut<'_, T, Dyn>,
    [alpha, beta]: [T; 2],
    a: View<'_, T, Dyn>,
    b: View<'_, T, Dyn>,
    tasks: usize,
) -> Result<(), Error> {
    let ndim = c.ndim();
    if ndim == 2 {
        let (c, a, b) = (c.into_rank()?, a.into_rank()?, b.into_rank()?);
        return split(Product { c, alpha, a, b, beta }, tasks);
    }
    let (count, mut c) = (c.shape()[0], c);
    if count == 1 || tasks < 2 {
        for i in 0..count {
            let (a, b) = (a.index_axis(0, i)?, b.index_axis(0, i)?);
            batches(c.index_axis_mut(0, i)?, [alpha, beta], a, b, tasks)?;
        }
        return Ok(());
    }
    let mid = count / 2;
    let (low_c, high_c) = c.split_at(0, mid)?;
    let (low_a, high_a) = (a.slice_axis(0, 0..mid, 1)?, a.slice_axis(0, mid..count, 1)?);
    let (low_b, high_b) = (b.slice_axis(0, 0..mid, 1)?, b.slice_axis(0, mid..count, 1)?);
    let low = || batches(low_c, [alpha, beta], low_a, low_b, tasks / 2);
    let high = || batches(high_c, [alpha, beta], high_a, high_b, tasks - tasks / 2);
    let (low, high) = help::join(low, high);
    low.and(high)
}

/// The products of a batch of matrices of few elements, or of one of them and all: without a view
/// for each, of copies in row-major order of what lies otherwise. False of others.
fn few_of_batch<T: Number>(
    isa: Isa,
    a: View<'_, T, Dyn>,
    b: View<'_, T, Dyn>,
    c: &mut Array<T, Dyn>,
) -> Result<bool, Error> {
    let (m, k, n) = (a.shape()[a.ndim() - 2], a.shape()[a.ndim() - 1], b.shape()[b.ndim() - 1]);
    let count = c.len() / (m * n);
    if !T::BY_OPERATIONS || m.saturating_mul(k).saturating_mul(n) > FEW {
        return Ok(false);
    }
    let (a, b) = (RowMajor::of(a)?, RowMajor::of(b)?);
    let (a, b, Some(slots)) = (a.slice(), b.slice(), c.as_slice_mut()) else { return Ok(false) };
    let step = |all: &[T], each: usize| match all.len() {
        len if len == each => Some(0),
        len if len == each * count => Some(each),
        _ => None,
    };
    let (Some(next_a), Some(next_b)) = (step(a, m * k), step(b, k * n)) else { return Ok(false) };
    for (i, slots) in slots.chunks_exact_mut(m * n).enumerate() {
        let (a, b) = (&a[i * next_a..][..m * k], &b[i * next_b..][..k * n]);
        isa.dispatch(&Rows { a, b, k, n, alpha: T::one(), beta: T::zero() }, slots);
    }
    Ok(true)
}
