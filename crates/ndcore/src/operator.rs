//! Rust's operators on arrays, handed on to an engine.
//!
//! Only the crate that defines a type may give it operators, and this crate computes nothing. So
//! each operator on an array asks the array's engine, its last type parameter, what it means: `&a +
//! &b` is what `E: Add<(&Array<..>, &Array<..>)>` says it is, so an engine adds pairs. The traits
//! are those of the standard library, because the compiler then speaks of what does not fit, and
//! not of engines. The crate `elementwise` implements them for its engine, `Fused`.

use crate::array::Array;
use crate::dimension::Dimension;
use crate::element::Element;
use crate::raw::{View, ViewMut};
use crate::shared::{ArcArray, CowArray};

/// What an engine makes of `O operand`.
pub trait UnaryOperator<O, Operand> {
    /// What it makes.
    type Output;

    /// Makes it.
    fn unary(operand: Operand) -> Self::Output;
}

/// What an engine does for `lhs O= rhs`.
pub trait AssignOperator<O, Lhs, Rhs> {
    /// Does it.
    ///
    /// # Panics
    /// If `rhs` does not fit `lhs`: an assignment operator has no other way to say so.
    #[track_caller]
    fn assign(lhs: &mut Lhs, rhs: Rhs);
}

macro_rules! binary_operators {
    ($($(#[$doc:meta])* $Op:ident $method:ident $Assign:ident $assign:ident: $($class:ident)*;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $Op;

        binary_operators!(@ $Op $method ['a] &'a Array<T, R, E>);
        binary_operators!(@ $Op $method [] Array<T, R, E>);
        binary_operators!(@ $Op $method ['a] View<'a, T, R, E>);
        binary_operators!(@ $Op $method ['a, 'b] &'a View<'b, T, R, E>);
        binary_operators!(@ $Op $method ['a, 'b] &'a ViewMut<'b, T, R, E>);
        binary_operators!(@ $Op $method ['a] ViewMut<'a, T, R, E>);
        binary_operators!(@ $Op $method ['a] &'a ArcArray<T, R, E>);
        binary_operators!(@ $Op $method [] ArcArray<T, R, E>);
        binary_operators!(@ $Op $method ['a, 'b] &'a CowArray<'b, T, R, E>);
        binary_operators!(@ $Op $method ['a] CowArray<'a, T, R, E>);

        impl<T: Element, R: Dimension, E, Rhs> std::ops::$Assign<Rhs> for Array<T, R, E>
        where
            E: AssignOperator<$Op, Array<T, R, E>, Rhs>,
        {
            #[inline(always)]
            #[track_caller]
            fn $assign(&mut self, rhs: Rhs) {
                E::assign(self, rhs);
            }
        }

        impl<'a, T: Element, R: Dimension, E, Rhs> std::ops::$Assign<Rhs> for ViewMut<'a, T, R, E>
        where
            E: AssignOperator<$Op, ViewMut<'a, T, R, E>, Rhs>,
        {
            #[inline(always)]
            #[track_caller]
            fn $assign(&mut self, rhs: Rhs) {
                E::assign(self, rhs);
            }
        }

        impl<T: Element, R: Dimension, E, Rhs> std::ops::$Assign<Rhs> for ArcArray<T, R, E>
        where
            E: AssignOperator<$Op, ArcArray<T, R, E>, Rhs>,
        {
            #[inline(always)]
            #[track_caller]
            fn $assign(&mut self, rhs: Rhs) {
                E::assign(self, rhs);
            }
        }

        impl<'a, T: Element, R: Dimension, E, Rhs> std::ops::$Assign<Rhs> for CowArray<'a, T, R, E>
        where
            E: AssignOperator<$Op, CowArray<'a, T, R, E>, Rhs>,
        {
            #[inline(always)]
            #[track_caller]
            fn $assign(&mut self, rhs: Rhs) {
                E::assign(self, rhs);
            }
        }

        $( crate::for_types!($class => left_scalar!($Op $method)); )*
    )*};
    (@ $Op:ident $method:ident [$($lt:lifetime),*] $lhs:ty) => {
        impl<$($lt,)* T: Element, R: Dimension, E, Rhs> std::ops::$Op<Rhs> for $lhs
        where
            E: Default + std::ops::$Op<($lhs, Rhs)>,
        {
            type Output = E::Output;

            #[inline(always)]
            fn $method(self, rhs: Rhs) -> E::Output {
                E::default().$method((self, rhs))
            }
        }
    };
}

macro_rules! left_scalar {
    ($type:ty, ($Op:ident $method:ident)) => {
        left_scalar!(@ $type, $Op $method ['a] &'a Array<$type, R, E>);
        left_scalar!(@ $type, $Op $method [] Array<$type, R, E>);
        left_scalar!(@ $type, $Op $method ['a] View<'a, $type, R, E>);
        left_scalar!(@ $type, $Op $method ['a, 'b] &'a View<'b, $type, R, E>);
        left_scalar!(@ $type, $Op $method ['a, 'b] &'a ViewMut<'b, $type, R, E>);
        left_scalar!(@ $type, $Op $method ['a] ViewMut<'a, $type, R, E>);
        left_scalar!(@ $type, $Op $method ['a] &'a ArcArray<$type, R, E>);
        left_scalar!(@ $type, $Op $method [] ArcArray<$type, R, E>);
        left_scalar!(@ $type, $Op $method ['a, 'b] &'a CowArray<'b, $type, R, E>);
        left_scalar!(@ $type, $Op $method ['a] CowArray<'a, $type, R, E>);
    };
    (@ $type:ty, $Op:ident $method:ident [$($lt:lifetime),*] $rhs:ty) => {
        impl<$($lt,)* R: Dimension, E> std::ops::$Op<$rhs> for $type
        where
            E: Default + std::ops::$Op<($type, $rhs)>,
        {
            type Output = E::Output;

            #[inline(always)]
            fn $method(self, rhs: $rhs) -> E::Output {
                E::default().$method((self, rhs))
            }
        }
    };
}

binary_operators! {
    /// `a + b`
    Add add AddAssign add_assign: ints floats halves complexes bools;
    /// `a - b`
    Sub sub SubAssign sub_assign: ints floats halves complexes;
    /// `a * b`
    Mul mul MulAssign mul_assign: ints floats halves complexes bools;
    /// `a / b`
    Div div DivAssign div_assign: ints floats halves complexes;
    /// `a % b`
    Rem rem RemAssign rem_assign: ints floats halves;
    /// `a & b`
    BitAnd bitand BitAndAssign bitand_assign: ints bools;
    /// `a | b`
    BitOr bitor BitOrAssign bitor_assign: ints bools;
    /// `a ^ b`
    BitXor bitxor BitXorAssign bitxor_assign: ints bools;
    /// `a << b`
    Shl shl ShlAssign shl_assign: ints;
    /// `a >> b`
    Shr shr ShrAssign shr_assign: ints;
}

macro_rules! unary_operators {
    ($($(#[$doc:meta])* $Op:ident $method:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $Op;

        unary_operators!(@ $Op $method ['a] &'a Array<T, R, E>);
        unary_operators!(@ $Op $method [] Array<T, R, E>);
        unary_operators!(@ $Op $method ['a] View<'a, T, R, E>);
        unary_operators!(@ $Op $method ['a, 'b] &'a View<'b, T, R, E>);
        unary_operators!(@ $Op $method ['a, 'b] &'a ViewMut<'b, T, R, E>);
        unary_operators!(@ $Op $method ['a] ViewMut<'a, T, R, E>);
        unary_operators!(@ $Op $method ['a] &'a ArcArray<T, R, E>);
        unary_operators!(@ $Op $method [] ArcArray<T, R, E>);
        unary_operators!(@ $Op $method ['a, 'b] &'a CowArray<'b, T, R, E>);
        unary_operators!(@ $Op $method ['a] CowArray<'a, T, R, E>);
    )*};
    (@ $Op:ident $method:ident [$($lt:lifetime),*] $operand:ty) => {
        impl<$($lt,)* T: Element, R: Dimension, E> std::ops::$Op for $operand
        where
            E: UnaryOperator<$Op, $operand>,
        {
            type Output = E::Output;

            #[inline]
            fn $method(self) -> E::Output {
                E::unary(self)
            }
        }
    };
}

unary_operators! {
    /// `-a`
    Neg neg;
    /// `!a`
    Not not;
}
