//! The operators of Rust: what the engine makes of those on arrays and views, and those of
//! expressions.

use super::{Apply, Constant, Expr, ExprRank, Lazy, Operand, Term};
use crate::Assign;
use crate::ops::{self, Op};
use crate::types::{ArcArray, Array, CowArray, Fused, ViewMut, for_types};
use ndcore::operator::{AssignOperator, UnaryOperator};
use ndcore::{Dimension, Element};

/// An array or a view on the left of an operator, or on the right of a scalar.
macro_rules! array_operators {
    ($($Op:ident $method:ident;)*) => {$(
        impl<Lhs, Rhs, T> std::ops::$Op<(Lhs, Rhs)> for Fused
        where
            Lhs: Term<Expr: Expr<Elem = T>>,
            Rhs: Operand<T, <Lhs::Expr as Expr>::Rank>,
            // Not of `Rhs`'s own element type: that it is `T` is for `Operand` to say, which
            // explains itself.
            ops::$Op: Op<(T, T)>,
        {
            type Output = Lazy<Apply<ops::$Op, (Lhs::Expr, Rhs::Expr)>>;

            #[inline(always)]
            fn $method(self, (lhs, rhs): (Lhs, Rhs)) -> Self::Output {
                Apply::lazy(ops::$Op, (lhs.into_term(), rhs.into_expr()))
            }
        }
    )*};
}

array_operators! {
    Add add;
    Sub sub;
    Mul mul;
    Div div;
    Rem rem;
    BitAnd bitand;
    BitOr bitor;
    BitXor bitxor;
    Shl shl;
    Shr shr;
}

impl<O, A> UnaryOperator<O, A> for Fused
where
    A: Term,
    O: Op<<A::Expr as Expr>::Elem> + Default,
{
    type Output = Lazy<Apply<O, A::Expr>>;

    #[inline]
    fn unary(operand: A) -> Self::Output {
        Apply::lazy(O::default(), operand.into_term())
    }
}

/// What an operator does with an error.
#[cold]
#[track_caller]
fn refuse(err: &bcast::Error) -> ! {
    panic!("{err}");
}

macro_rules! assign_operators {
    ($([$($lt:lifetime),*] $lhs:ty;)*) => {$(
        impl<$($lt,)* T, R, O, Rhs> AssignOperator<O, $lhs, Rhs> for Fused
        where
            T: Element,
            R: Dimension,
            Rhs: Operand<T, R>,
            O: Op<(T, <Rhs::Expr as Expr>::Elem), Output = T> + Default,
        {
            // Always inlined: what is handed over by its parts and read as a whole is waited for.
            #[inline(always)]
            #[track_caller]
            fn assign(lhs: &mut $lhs, rhs: Rhs) {
                if let Err(err) = lhs.update(O::default(), rhs) {
                    refuse(&err);
                }
            }
        }
    )*};
}

assign_operators! {
    [] Array<T, R>;
    ['a] ViewMut<'a, T, R>;
    [] ArcArray<T, R>;
    ['a] CowArray<'a, T, R>;
}

/// An expression on the left of an operator, and a scalar on the left of an expression: by value,
/// and by reference if the expression can be cloned.
macro_rules! expr_operators {
    ($($Op:ident $method:ident: $($class:ident)*;)*) => {$(
        expr_operators!(@ $Op $method [E: Expr<Elem = T, Rank = R>] Lazy<E>, |lhs| lhs.0);
        expr_operators!(
            @ $Op $method [E: Expr<Elem = T, Rank = R> + Clone] &Lazy<E>, |lhs| lhs.0.clone()
        );
        $( for_types!($class => left_scalar!($Op $method)); )*
    )*};
    (@ $Op:ident $method:ident [$($expr:tt)*] $lhs:ty, |$this:ident| $node:expr) => {
        impl<$($expr)*, Rhs, T, R> std::ops::$Op<Rhs> for $lhs
        where
            R: ExprRank,
            Rhs: Operand<T, R>,
            ops::$Op: Op<(T, T)>,
        {
            type Output = Lazy<Apply<ops::$Op, (E, Rhs::Expr)>>;

            #[inline]
            fn $method(self, rhs: Rhs) -> Self::Output {
                let $this = self;
                Apply::lazy(ops::$Op, ($node, rhs.into_expr()))
            }
        }
    };
}

macro_rules! left_scalar {
    ($type:ty, ($Op:ident $method:ident)) => {
        left_scalar!(@ $type, $Op $method [Expr<Elem = $type>] Lazy<E>, |rhs| rhs.0);
        left_scalar!(
            @ $type, $Op $method [Expr<Elem = $type> + Clone] &Lazy<E>, |rhs| rhs.0.clone()
        );
    };
    (@ $type:ty, $Op:ident $method:ident [$($expr:tt)*] $rhs:ty, |$this:ident| $node:expr) => {
        #[diagnostic::do_not_recommend]
        impl<E: $($expr)*> std::ops::$Op<$rhs> for $type {
            type Output = Lazy<Apply<ops::$Op, (Constant<$type>, E)>>;

            #[inline]
            fn $method(self, rhs: $rhs) -> Self::Output {
                let $this = rhs;
                Apply::lazy(ops::$Op, (Constant(self), $node))
            }
        }
    };
}

expr_operators! {
    Add add: ints floats halves complexes bools;
    Sub sub: ints floats halves complexes;
    Mul mul: ints floats halves complexes bools;
    Div div: ints floats halves complexes;
    Rem rem: ints floats halves;
    BitAnd bitand: ints bools;
    BitOr bitor: ints bools;
    BitXor bitxor: ints bools;
    Shl shl: ints;
    Shr shr: ints;
}

macro_rules! unary_expr_operators {
    ($($Op:ident $method:ident;)*) => {$(
        unary_expr_operators!(@ $Op $method [E: Expr] Lazy<E>, |operand| operand.0);
        unary_expr_operators!(
            @ $Op $method [E: Expr + Clone] &Lazy<E>, |operand| operand.0.clone()
        );
    )*};
    (@ $Op:ident $method:ident [$($expr:tt)*] $operand:ty, |$this:ident| $node:expr) => {
        impl<$($expr)*> std::ops::$Op for $operand
        where
            ops::$Op: Op<E::Elem>,
        {
            type Output = Lazy<Apply<ops::$Op, E>>;

            #[inline]
            fn $method(self) -> Self::Output {
                let $this = self;
                Apply::lazy(ops::$Op, $node)
            }
        }
    };
}

unary_expr_operators! {
    Neg neg;
    Not not;
}
