//! The methods [`dot`](super::Matrix::dot) by the ranks of the operands; two vectors.

use super::batch::product;
use super::product::serial;
use super::vector::{products_of_any_rows, products_of_computed_rows};
use crate::eval::eval;
use crate::exec::{Exec, work_of};
use crate::expr::{Apply, Expr};
use crate::number::Number;
use crate::reduce::compiled::by_compiled;
use crate::reduce::{
    MOST_OF_DOT, Times, all, dot_of, dot_of_many_spaced, dot_of_spaced, sum_of_products,
};
use crate::types::{Array, View};
use bcast::{Error, ErrorKind};
use ndcore::{Dimension, Element, List, Rank};

/// The ranks of the operands of [`Matrix::dot`](crate::Matrix::dot), and what comes of them.
#[diagnostic::on_unimplemented(
    message = "`dot` of operands of ranks `{Self}` and `{R}`",
    note = "it is for vectors and matrices; `matmul` is for batches of matrices"
)]
pub trait DotRank<R: Dimension, T: Element>: Dimension {
    /// The result: a scalar, a vector or a matrix.
    type Output;

    #[doc(hidden)]
    fn dot<A, B>(a: A, b: B) -> Result<Self::Output, Error>
    where
        A: Expr<Elem = T, Rank = Self>,
        B: Expr<Elem = T, Rank = R>,
        T: Number;
}

/// The ranks, the result, and how the operands are put together.
macro_rules! dots {
    ($($a_rank:literal $b_rank:literal => $output:ty: |$a:ident, $b:ident| $body:expr;)*) => {$(
        impl<T: Element> DotRank<Rank<$b_rank>, T> for Rank<$a_rank> {
            type Output = $output;

            // What asks for little is part of the caller: so views need not lie in memory.
            #[inline(always)]
            fn dot<A, B>($a: A, $b: B) -> Result<$output, Error>
            where
                A: Expr<Elem = T, Rank = Self>,
                B: Expr<Elem = T, Rank = Rank<$b_rank>>,
                T: Number,
            {
                $body
            }
        }
    )*};
}
dots! {
    1 1 => T: |a, b| {
        if let (Some(a), Some(b)) = (a.in_memory(), b.in_memory())
            && (1..=MOST_SERIAL).contains(&a.len())
            && a.len() == b.len()
        {
            if let (Some(a), Some(b)) = (a.as_slice(), b.as_slice()) {
                return dot_of(a, b);
            }
            if let (Some(a), Some(b)) = (a.spaced(), b.spaced()) {
                return dot_of_spaced(a, b);
            }
        }
        // What a call returns is taken apart: else the result is in memory for both ways, and the
        // one above, which is a few nanoseconds, waits for it.
        let dot = dot_otherwise(a, b)?;
        Ok(dot)
    };
    2 1 => Array<T, Rank<1>>: |a, b| {
        let mut results = Vec::new();
        match (a.in_memory(), b.in_memory()) {
            (Some(a), Some(b)) => products_of_any_rows(&a, &b, false, &mut results)?,
            _ => products_of_computed_rows(&a, &b, false, &mut results)?,
        }
        Ok(Array::from_vec(results))
    };
    1 2 => Array<T, Rank<1>>: |a, b| {
        let mut results = Vec::new();
        match (a.in_memory(), b.in_memory()) {
            (Some(a), Some(b)) => products_of_any_rows(&b.t(), &a, true, &mut results)?,
            _ => products_of_computed_rows(&b, &a, true, &mut results)?,
        }
        Ok(Array::from_vec(results))
    };
    2 2 => Array<T, Rank<2>>: |a, b| {
        if const { !A::FACTS.in_memory || !B::FACTS.in_memory } {
            return product_of_computed(&a, &b);
        }
        let in_memory = "elements in memory";
        let (a, b) = (a.in_memory().expect(in_memory), b.in_memory().expect(in_memory));
        if let Some(result) =
            by_compiled!(T::PRODUCTS, |compiled| (compiled.serial)(a, b), serial(a, b))
        {
            return result;
        }
        product(&a, &b, &Exec::current())
    };
}

/// The product of two matrices of which one at least is computed first: as an array, which takes
/// no plan if it has few elements.
#[inline(never)]
fn product_of_computed<A, B, T>(a: &A, b: &B) -> Result<Array<T, Rank<2>>, Error>
where
    A: Expr<Elem = T, Rank = Rank<2>>,
    B: Expr<Elem = T, Rank = Rank<2>>,
    T: Number,
{
    let (left, right);
    let a = match a.in_memory() {
        Some(view) => view,
        None => {
            left = eval(a)?;
            left.view()
        }
    };
    let b = match b.in_memory() {
        Some(view) => view,
        None => {
            right = eval(b)?;
            right.view()
        }
    };
    Rank::<2>::dot(a, b)
}

/// The longest vectors that are multiplied without a thought of threads.
const MOST_SERIAL: usize = 1 << 10;

/// The product of whatever two vectors.
#[inline(never)]
fn dot_otherwise<A, B, T>(a: A, b: B) -> Result<T, Error>
where
    A: Expr<Elem = T, Rank = Rank<1>>,
    B: Expr<Elem = T, Rank = Rank<1>>,
    T: Number,
{
    check_inner(&a, &b)?;
    // What is never run is not compiled.
    if const { A::FACTS.in_memory && B::FACTS.in_memory } {
        let in_memory = "elements in memory";
        let (a, b) = (a.in_memory().expect(in_memory), b.in_memory().expect(in_memory));
        return match a.is_empty() {
            true => dot_of(&[], &[]),
            false => {
                by_compiled!(T::PRODUCTS, |compiled| (compiled.views)(a, b), dot_of_views(a, b))
            }
        };
    }
    all(Apply::new(Times, (a, b)), &sum_of_products::<T>())
}

/// As [`dot_otherwise`], once for each type of elements.
#[inline(never)]
pub(super) fn dot_of_views<T: Number>(
    a: View<'_, T, Rank<1>>,
    b: View<'_, T, Rank<1>>,
) -> Result<T, Error> {
    let len = a.len();
    if len <= MOST_OF_DOT && Exec::current().tasks(len, work_of(size_of::<T>(), 2)) <= 1 {
        if let (Some(a), Some(b)) = (a.as_slice(), b.as_slice()) {
            return dot_of(a, b);
        }
        // Columns are read where they lie: a plan would copy them first.
        if let (Some(a), Some(b)) = (a.spaced(), b.spaced()) {
            return dot_of_many_spaced(a, b);
        }
    }
    all(Apply::new(Times, (a, b)), &sum_of_products::<T>())
}

/// As [`check_dot`], of expressions.
#[inline(always)]
fn check_inner<A, B>(a: &A, b: &B) -> Result<(), Error>
where
    A: Expr<Rank: Dimension>,
    B: Expr<Rank: Dimension>,
{
    match (a.in_memory(), b.in_memory()) {
        (Some(a), Some(b)) => check_dot(a.shape(), b.shape()),
        _ => check_dot(&a.result_shape()?, &b.result_shape()?),
    }
}

/// Refuses operands of which the inner axes differ: broadcasting would take one of extent 1 for
/// all.
#[inline]
pub(super) fn check_dot(a: &[usize], b: &[usize]) -> Result<(), Error> {
    let inner = if b.len() == 1 { b[0] } else { b[b.len() - 2] };
    if a.last() == Some(&inner) {
        return Ok(());
    }
    Err(ErrorKind::MatrixProduct { lhs: List::of(&a), rhs: List::of(&b) }.into())
}
