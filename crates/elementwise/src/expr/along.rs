//! Explicit broadcasting: [`Along`].

use super::{Binder, Expr, ExprRank, Facts, Floating, Hoisting, Visitor};
use crate::kernel::Source;
use bcast::{Error, ErrorKind, binary_shape};
use ndcore::{Axes, Dimension, MAX_NDIM, MaxRank, Rank};
use std::marker::PhantomData;

/// An expression that lies along some axes of a result of higher rank, and repeats along the
/// others: what [`Expr::along`] makes.
///
/// `R` is [`Floating`] until it meets an operand with a rank; in the named functions, which know
/// both operands, it is the rank of the result.
#[derive(Clone, Copy, Debug)]
pub struct Along<E, R> {
    expr: E,
    /// In a few bytes, because expressions are moved a lot.
    dims: Result<Axes<u16>, TooManyAxes>,
    /// The rank of the result, where it is known.
    ndim: Option<usize>,
    rank: PhantomData<R>,
}

impl<E, R> Along<E, R> {
    #[inline]
    pub(crate) fn new(expr: E, dims: &[usize]) -> Self {
        Along { expr, dims: short(dims), ndim: None, rank: PhantomData }
    }

    pub(crate) fn of_rank(expr: E, dims: &[usize], ndim: usize) -> Self {
        Along { expr, dims: short(dims), ndim: Some(ndim), rank: PhantomData }
    }
}

/// Why no rank has some dims: they ask for so many axes. It is kept for `eval`, because building an
/// expression never fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyAxes(usize);

impl From<TooManyAxes> for Error {
    #[cold]
    fn from(TooManyAxes(ndim): TooManyAxes) -> Self {
        ErrorKind::RankTooHigh { ndim, max: MAX_NDIM }.into()
    }
}

/// The dims, if there is a rank that has them.
#[inline]
fn short(dims: &[usize]) -> Result<Axes<u16>, TooManyAxes> {
    let mut axes = Axes::new();
    if dims.len() > MAX_NDIM {
        return Err(TooManyAxes(dims.len()));
    }
    for &dim in dims {
        axes.push(u16::try_from(dim).map_err(|_| TooManyAxes(dim.saturating_add(1)))?);
    }
    Ok(axes)
}

impl<E: Expr, R: ExprRank> Expr for Along<E, R> {
    type Elem = E::Elem;
    type Rank = R;
    itself!();
    const FACTS: Facts = Facts { alike: false, form: E::FACTS.form.alone(), ..E::FACTS.placed() };

    #[inline(always)]
    fn describe<'s, V: Visitor<'s> + ?Sized>(&'s self, visitor: &mut V) {
        visitor.along(&self.dims, self.ndim);
        self.expr.describe(visitor);
        visitor.end_along();
    }

    #[inline(always)]
    fn bind<'s, B: Binder<'s>>(
        &'s self,
        binder: &mut B,
    ) -> impl Source<Elem = E::Elem> + use<'s, B, E, R> {
        binder.along(&self.dims);
        let source = self.expr.bind(binder);
        binder.end_along();
        source
    }

    fn hoist(&self, hoisting: &mut Hoisting<'_>) -> Result<(), Error> {
        self.expr.hoist(hoisting)
    }

    fn hoist_within(&self, hoisting: &mut Hoisting<'_>) -> Result<(), Error> {
        self.expr.hoist_within(hoisting)
    }
}

/// The higher of two expressions' ranks; a scalar has rank 0.
pub trait HigherRank<Other> {
    /// The higher rank.
    type Output: Dimension;
}

impl<R: MaxRank<S>, S: Dimension> HigherRank<S> for R {
    type Output = R::Output;
}
impl<R: Dimension> HigherRank<Floating> for R {
    type Output = R;
}
impl<R: Dimension> HigherRank<R> for Floating {
    type Output = R;
}
impl HigherRank<Floating> for Floating {
    type Output = Rank<0>;
}

/// Two expressions of any ranks, of which the one of lower rank can be placed in the rank of the
/// other.
pub trait Pair {
    /// Both in the higher rank.
    type Placed: Expr;

    /// Places the expression of lower rank along axes `dims` of the other, by XLA's binary rule.
    ///
    /// # Errors
    /// See [`bcast::binary_shape`].
    fn place(self, dims: &[usize]) -> Result<Self::Placed, Error>;
}

impl<A: Expr, B: Expr, R: Dimension> Pair for (A, B)
where
    A::Rank: HigherRank<B::Rank, Output = R>,
{
    type Placed = (Along<A, R>, Along<B, R>);

    fn place(self, dims: &[usize]) -> Result<Self::Placed, Error> {
        let (lhs, rhs) = (self.0.result_shape()?, self.1.result_shape()?);
        binary_shape(&lhs, &rhs, dims)?;
        let ndim = lhs.len().max(rhs.len());
        // The rule has been checked: the higher rank lies along all axes, a scalar along none, the
        // lower rank along `dims`.
        let all: Axes<usize> = (0..ndim).collect();
        let placed = |shape: &[usize]| if shape.len() == ndim { &all[..] } else { dims };
        Ok((Along::of_rank(self.0, placed(&lhs), ndim), Along::of_rank(self.1, placed(&rhs), ndim)))
    }
}
