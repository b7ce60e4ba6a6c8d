//! NumPy's right-aligned rule, only when asked for by name.

use super::along::HigherRank;
use super::{
    Along, Apply, Binder, Constant, Expr, Floating, Hoisting, Operand, SameElement, Visitor,
};
use crate::ops;
use crate::types::Scalar;
use bcast::{Error, numpy_shape, suffix_dims};
use ndcore::Dimension;

/// An expression whose operators align the last axes of their operands, as NumPy does: what
/// [`numpy`] makes.
///
/// Both sides of an operator must be so wrapped, or one of them a scalar.
#[derive(Clone, Copy, Debug)]
pub struct Numpy<E>(pub(super) E);

/// Opts in to NumPy's broadcasting rule: `numpy(&x) + numpy(&v)` aligns the last axes of the two.
///
/// ```
/// use elementwise::{Expr, numpy};
/// use elementwise::array;
/// let (x, v) = (array![[1, 2, 3], [4, 5, 6]], array![10, 20, 30]);
/// let y = (numpy(&x) + numpy(&v)).eval()?;
/// assert_eq!(y, array![[11, 22, 33], [14, 25, 36]]);
/// # Ok::<(), elementwise::Error>(())
/// ```
pub fn numpy<T, A: Operand<T, Floating>>(operand: A) -> Numpy<A::Expr> {
    Numpy(operand.into_expr())
}

impl<E: Expr> Expr for Numpy<E> {
    type Elem = E::Elem;
    type Rank = E::Rank;
    type Source<'s>
        = E::Source<'s>
    where
        Self: 's;
    const COST: usize = E::COST;
    const BUFFERED: bool = E::BUFFERED;

    #[inline(always)]
    fn describe<'s, V: Visitor<'s>>(&'s self, visitor: &mut V) {
        self.0.describe(visitor);
    }

    #[inline(always)]
    fn bind<'s, B: Binder<'s>>(&'s self, binder: &mut B) -> Self::Source<'s> {
        self.0.bind(binder)
    }

    fn hoist(&self, hoisting: &mut Hoisting<'_>) -> Result<(), Error> {
        self.0.hoist(hoisting)
    }
}

/// Two expressions in the higher of their ranks, the last axes aligned.
fn align<A: Expr, B: Expr, R: Dimension>(lhs: A, rhs: B) -> (Along<A, R>, Along<B, R>) {
    let ranks = lhs.result_shape().and_then(|lhs| {
        let rhs = rhs.result_shape()?;
        numpy_shape(&lhs, &rhs)?;
        Ok((lhs.len(), rhs.len()))
    });
    match ranks {
        Ok((l, r)) => {
            let ndim = l.max(r);
            let (l, r) = (suffix_dims(l, ndim), suffix_dims(r, ndim));
            (Along::of_rank(lhs, Ok(&l), ndim), Along::of_rank(rhs, Ok(&r), ndim))
        }
        // Building an expression never fails; the error comes out where the shape is asked for.
        Err(err) => (Along::of_rank(lhs, Err(err.clone()), 0), Along::of_rank(rhs, Err(err), 0)),
    }
}

macro_rules! numpy_operators {
    ($($Op:ident $method:ident;)*) => {$(
        impl<A, B, R> std::ops::$Op<Numpy<B>> for Numpy<A>
        where
            A: Expr<Rank: HigherRank<B::Rank, Output = R>>,
            B: Expr<Elem: SameElement<A::Elem>>,
            R: Dimension,
            ops::$Op: ops::Op<(A::Elem, A::Elem)>,
        {
            type Output = Numpy<Apply<ops::$Op, (Along<A, R>, Along<B, R>)>>;

            fn $method(self, rhs: Numpy<B>) -> Self::Output {
                Numpy(Apply::new(ops::$Op, align(self.0, rhs.0)))
            }
        }

        impl<T: Scalar, A: Expr<Elem = T>> std::ops::$Op<T> for Numpy<A>
        where
            ops::$Op: ops::Op<(T, T)>,
        {
            type Output = Numpy<Apply<ops::$Op, (A, Constant<T>)>>;

            fn $method(self, rhs: T) -> Self::Output {
                Numpy(Apply::new(ops::$Op, (self.0, Constant(rhs))))
            }
        }
    )*};
}

numpy_operators! {
    Add add;
    Sub sub;
    Mul mul;
    Div div;
    Rem rem;
    BitAnd bitand;
    BitOr bitor;
    BitXor bitxor;
}

macro_rules! numpy_unary_operators {
    ($($Op:ident $method:ident;)*) => {$(
        impl<E: Expr> std::ops::$Op for Numpy<E>
        where
            ops::$Op: ops::Op<E::Elem>,
        {
            type Output = Numpy<Apply<ops::$Op, E>>;

            fn $method(self) -> Self::Output {
                Numpy(Apply::new(ops::$Op, self.0))
            }
        }
    )*};
}

numpy_unary_operators! {
    Neg neg;
    Not not;
}
