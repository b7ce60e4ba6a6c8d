//! Ranks of expressions in their types.

use super::{Expr, Settled};
use crate::types::ViewMut;
use ndcore::{Dimension, Dyn, MaxRank, Rank};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// The rank of an expression that takes the rank of what it meets: a scalar, or an operand made
/// with [`along`](crate::Expr::along).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Floating;

/// The rank of an expression that stands under NumPy's rule: beside another one, it lies along the
/// last axes of the result. See [`numpy`](crate::numpy).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NumpyRank<R>(PhantomData<R>);

/// A rank, [`Floating`], or a [`NumpyRank`].
pub trait ExprRank: Send + Sync + 'static {
    /// That under NumPy's rule.
    type Numpy: ExprRank;

    /// Copies the elements of an expression of this rank, if they lie in memory already, as an
    /// array of the shape of the output, and both lie so that it takes no plan; whether that was
    /// so.
    #[doc(hidden)]
    #[inline(always)]
    fn copy<E: Expr<Rank = Self>, S: Dimension>(
        _: &E,
        _: &mut ViewMut<'_, MaybeUninit<E::Elem>, S>,
    ) -> bool {
        false
    }
}

impl ExprRank for Floating {
    type Numpy = Floating;
}
impl<R: Dimension> ExprRank for R {
    type Numpy = NumpyRank<R>;

    #[inline(always)]
    fn copy<E: Expr<Rank = R>, S: Dimension>(
        expr: &E,
        out: &mut ViewMut<'_, MaybeUninit<E::Elem>, S>,
    ) -> bool {
        expr.in_memory().is_some_and(|view| view.shape() == out.shape() && out.copy_of(&view))
    }
}
impl<R: Dimension> ExprRank for NumpyRank<R> {
    type Numpy = NumpyRank<R>;
}

/// The rank of an expression that can be computed: a rank, or a [`NumpyRank`]; not one that has yet
/// to meet it.
pub trait ResultRank: ExprRank {
    /// The rank of the result.
    type Dim: Dimension;

    /// An expression of this rank as one of that.
    #[doc(hidden)]
    type Settled<E: Expr<Rank = Self>>: Expr<Elem = E::Elem, Rank = Self::Dim>;

    /// Makes it.
    #[doc(hidden)]
    fn settle<E: Expr<Rank = Self>>(expr: E) -> Self::Settled<E>;
}

#[diagnostic::do_not_recommend]
impl<R: Dimension> ResultRank for R {
    type Dim = R;
    type Settled<E: Expr<Rank = R>> = E;

    #[inline(always)]
    fn settle<E: Expr<Rank = R>>(expr: E) -> E {
        expr
    }
}

#[diagnostic::do_not_recommend]
impl<R: Dimension> ResultRank for NumpyRank<R> {
    type Dim = R;
    type Settled<E: Expr<Rank = Self>> = Settled<E, R>;

    #[inline(always)]
    fn settle<E: Expr<Rank = Self>>(expr: E) -> Settled<E, R> {
        Settled::new(expr)
    }
}

/// The rank of the result of an expression.
pub type RankOf<E> = <<E as Expr>::Rank as ResultRank>::Dim;

/// A node with the rank of its result.
#[inline(always)]
pub(crate) fn settled<E: Expr<Rank: ResultRank>>(
    expr: E,
) -> <E::Rank as ResultRank>::Settled<E::Node> {
    <E::Rank as ResultRank>::settle(expr.into_node())
}

/// An operand of rank `Self` may stand beside one of rank `Other` without further words, and the
/// result has rank `Output`.
///
/// That is so for equal ranks, for rank 0 beside any other, for a [`Floating`] rank, for [`Dyn`],
/// which is checked at run time, and by NumPy's rule for what was put under it.
#[diagnostic::on_unimplemented(
    message = "operands of unequal rank: `{Self}` beside `{Other}`",
    label = "the ranks differ, and broadcasting is explicit",
    note = "say which axes of the result the operand of lower rank lies along, `v.along([axis, ..])`; for a matrix `x` and a vector `v`:\n  `&x + v.along([1])`  one element of `v` for each column (it is added to each row)\n  `&x + v.along([0])`  one element of `v` for each row (it is added to each column)",
    note = "a result of a reduction keeps its place with `keep`: `&x - x.mean_axis(keep(1))?`",
    note = "or in XLA's form, `zerostride::add(&x, &v, [1])`; or by NumPy's rule, `numpy(&x) + numpy(&v)`"
)]
pub trait MeetsRank<Other: ExprRank>: ExprRank {
    /// The rank of the result.
    type Output: ExprRank;
}

// The compiler would list these implementations as advice where ranks differ, and they are none.
macro_rules! meets {
    ($([$($generics:tt)*] $left:ty, $right:ty => $output:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> MeetsRank<$right> for $left {
            type Output = $output;
        }
    )*};
}
meets! {
    [R: Dimension] R, R => R;
    [R: Dimension] R, Floating => R;
    [R: Dimension] Floating, R => R;
    [] Floating, Floating => Floating;
    [R: Dimension] NumpyRank<R>, Floating => Self;
    [R: Dimension] Floating, NumpyRank<R> => NumpyRank<R>;
    [R: MaxRank<S>, S: Dimension] NumpyRank<R>, NumpyRank<S> => NumpyRank<R::Output>;
    // Beside what is not under the rule, the lower rank must be the one that is.
    [R: MaxRank<S, Output = S>, S: Dimension] NumpyRank<R>, S => S;
    [R: MaxRank<S, Output = S>, S: Dimension] S, NumpyRank<R> => S;
    [] Dyn, Rank<0> => Dyn;
    [] Rank<0>, Dyn => Dyn;
}
macro_rules! meets_scalars_and_dyn {
    ($($n:literal)*) => {$(
        meets! {
            [] Rank<0>, Rank<$n> => Rank<$n>;
            [] Rank<$n>, Rank<0> => Rank<$n>;
            [] Dyn, Rank<$n> => Dyn;
            [] Rank<$n>, Dyn => Dyn;
        }
    )*};
}
meets_scalars_and_dyn! { 1 2 3 4 5 6 7 8 }
