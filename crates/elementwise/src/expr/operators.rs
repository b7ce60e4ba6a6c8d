//! The operators of Rust: what the engine makes of those on arrays and views, and those of
//! expressions.

use super::{Along, Apply, Constant, Expr, ExprRank, Floating, Numpy, Operand};
use crate::Assign;
use crate::ops::{self, Op};
use crate::types::{ArcArray, Array, CowArray, Fused, Scalar, View, ViewMut, for_types};
use ndcore::operator::{AssignOperator, BinaryOperator, UnaryOperator};
use ndcore::{Dimension, Element};

/// An array or view on the left of an operator.
macro_rules! array_operators {
    ($([$($lt:lifetime),*] $lhs:ty;)*) => {$(
        impl<$($lt,)* T, R, O, Rhs> BinaryOperator<O, $lhs, Rhs> for Fused
        where
            T: Element,
            R: Dimension,
            Rhs: Operand<T, R>,
            // Not of `Rhs`'s own element type: that it is `T` is for `Operand` to say, which
            // explains itself.
            O: Op<(T, T)> + Default,
        {
            type Output = Apply<O, (<$lhs as Operand<T, Floating>>::Expr, Rhs::Expr)>;

            #[inline]
            fn binary(lhs: $lhs, rhs: Rhs) -> Self::Output {
                Apply::new(O::default(), (Operand::<T, Floating>::into_expr(lhs), rhs.into_expr()))
            }
        }

        impl<$($lt,)* T, R, O> BinaryOperator<O, T, $lhs> for Fused
        where
            T: Scalar,
            R: Dimension,
            O: Op<(T, T)> + Default,
        {
            type Output = Apply<O, (Constant<T>, <$lhs as Operand<T, Floating>>::Expr)>;

            #[inline]
            fn binary(lhs: T, rhs: $lhs) -> Self::Output {
                Apply::new(O::default(), (Constant(lhs), Operand::<T, Floating>::into_expr(rhs)))
            }
        }

        impl<$($lt,)* T, R, O> UnaryOperator<O, $lhs> for Fused
        where
            T: Element,
            R: Dimension,
            O: Op<T> + Default,
        {
            type Output = Apply<O, <$lhs as Operand<T, Floating>>::Expr>;

            #[inline]
            fn unary(operand: $lhs) -> Self::Output {
                Apply::new(O::default(), Operand::<T, Floating>::into_expr(operand))
            }
        }
    )*};
}

array_operators! {
    ['a] &'a Array<T, R>;
    [] Array<T, R>;
    ['a] View<'a, T, R>;
    ['a, 'b] &'a View<'b, T, R>;
    ['a, 'b] &'a ViewMut<'b, T, R>;
    ['a] &'a ArcArray<T, R>;
    ['a, 'b] &'a CowArray<'b, T, R>;
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
            fn assign(lhs: &mut $lhs, rhs: Rhs) {
                if let Err(err) = lhs.update(O::default(), rhs) {
                    panic!("{err}");
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

/// An expression on the left of an operator, and a scalar on the left of an expression.
macro_rules! expr_operators {
    ($($Op:ident $method:ident: $($class:ident)*;)*) => {$(
        expr_operators!(@ $Op $method [O: Op<E::Elem>, E: Expr] Apply<O, E>);
        expr_operators!(@ $Op $method [E: Expr, Q: ExprRank] Along<E, Q>);
        $( for_types!($class => left_scalar!($Op $method)); )*
    )*};
    (@ $Op:ident $method:ident [$($generics:tt)*] $lhs:ty) => {
        impl<$($generics)*, Rhs, T, R> std::ops::$Op<Rhs> for $lhs
        where
            $lhs: Expr<Elem = T, Rank = R>,
            R: ExprRank,
            Rhs: Operand<T, R>,
            ops::$Op: Op<(T, T)>,
        {
            type Output = Apply<ops::$Op, ($lhs, Rhs::Expr)>;

            #[inline]
            fn $method(self, rhs: Rhs) -> Self::Output {
                Apply::new(ops::$Op, (self, rhs.into_expr()))
            }
        }
    };
}

macro_rules! left_scalar {
    ($type:ty, ($Op:ident $method:ident)) => {
        left_scalar!(@ $type, $Op $method [O: Op<E::Elem, Output = $type>, E: Expr] Apply<O, E>);
        left_scalar!(@ $type, $Op $method [E: Expr<Elem = $type>, Q: ExprRank] Along<E, Q>);

        impl<E: Expr<Elem = $type>> std::ops::$Op<Numpy<E>> for $type {
            type Output = Numpy<Apply<ops::$Op, (Constant<$type>, E)>>;

            fn $method(self, rhs: Numpy<E>) -> Self::Output {
                Numpy(Apply::new(ops::$Op, (Constant(self), rhs.0)))
            }
        }
    };
    (@ $type:ty, $Op:ident $method:ident [$($generics:tt)*] $rhs:ty) => {
        impl<$($generics)*> std::ops::$Op<$rhs> for $type {
            type Output = Apply<ops::$Op, (Constant<$type>, $rhs)>;

            #[inline]
            fn $method(self, rhs: $rhs) -> Self::Output {
                Apply::new(ops::$Op, (Constant(self), rhs))
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
}

macro_rules! unary_expr_operators {
    ($($Op:ident $method:ident;)*) => {$(
        unary_expr_operators!(@ $Op $method [O: Op<E::Elem>, E: Expr] Apply<O, E>);
        unary_expr_operators!(@ $Op $method [E: Expr, Q: ExprRank] Along<E, Q>);
    )*};
    (@ $Op:ident $method:ident [$($generics:tt)*] $operand:ty) => {
        impl<$($generics)*> std::ops::$Op for $operand
        where
            ops::$Op: Op<<$operand as Expr>::Elem>,
        {
            type Output = Apply<ops::$Op, $operand>;

            #[inline]
            fn $method(self) -> Self::Output {
                Apply::new(ops::$Op, self)
            }
        }
    };
}

unary_expr_operators! {
    Neg neg;
    Not not;
}
