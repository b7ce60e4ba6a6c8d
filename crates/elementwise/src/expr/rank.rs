//! Ranks of expressions in their types.

use ndcore::{Dimension, Dyn, Rank};

/// The rank of an expression that takes the rank of what it meets: a scalar, or an operand made
/// with [`along`](crate::Expr::along).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Floating;

/// A rank, or [`Floating`].
pub trait ExprRank: Send + Sync + 'static {}

impl ExprRank for Floating {}
impl<R: Dimension> ExprRank for R {}

/// An operand of rank `Self` may stand beside one of rank `Other` without further words, and the
/// result has rank `Output`.
///
/// That is so for equal ranks, for rank 0 beside any other, for a [`Floating`] rank, and for
/// [`Dyn`], which is checked at run time.
#[diagnostic::on_unimplemented(
    message = "operands of unequal rank: `{Self}` beside `{Other}`",
    label = "the ranks differ, and broadcasting is explicit",
    note = "say which axes of the result the operand of lower rank lies along: `v.along([axis, ..])`, for example `&x + v.along([1])` to add a vector to each row of a matrix",
    note = "or in XLA's form: `zerostride::add(&x, &v, [1])`"
)]
pub trait MeetsRank<Other: ExprRank>: ExprRank {
    /// The rank of the result.
    type Output: ExprRank;
}

// The compiler would list these implementations as advice where ranks differ, and they are none.
#[diagnostic::do_not_recommend]
impl<R: Dimension> MeetsRank<R> for R {
    type Output = R;
}
#[diagnostic::do_not_recommend]
impl<R: Dimension> MeetsRank<Floating> for R {
    type Output = R;
}
#[diagnostic::do_not_recommend]
impl<R: Dimension> MeetsRank<R> for Floating {
    type Output = R;
}
#[diagnostic::do_not_recommend]
impl MeetsRank<Floating> for Floating {
    type Output = Floating;
}

macro_rules! meets {
    ($($left:ty, $right:ty => $output:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl MeetsRank<$right> for $left {
            type Output = $output;
        }
    )*};
}
macro_rules! meets_scalars_and_dyn {
    ($($n:literal)*) => {$(
        meets! {
            Rank<0>, Rank<$n> => Rank<$n>;
            Rank<$n>, Rank<0> => Rank<$n>;
            Dyn, Rank<$n> => Dyn;
            Rank<$n>, Dyn => Dyn;
        }
    )*};
}
meets_scalars_and_dyn! { 1 2 3 4 5 6 7 8 }
meets! {
    Dyn, Rank<0> => Dyn;
    Rank<0>, Dyn => Dyn;
}
