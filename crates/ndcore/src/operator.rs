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

/// What another macro makes of each operand that is an array of elements of some type.
macro_rules! for_operands {
    ($each:ident!($($args:tt)*) $type:ty) => {
        $each!(@ $($args)* ['a] &'a Array<$type, R, E>);
        $each!(@ $($args)* [] Array<$type, R, E>);
        $each!(@ $($args)* ['a] View<'a, $type, R, E>);
        $each!(@ $($args)* ['a, 'b] &'a View<'b, $type, R, E>);
        $each!(@ $($args)* ['a, 'b] &'a ViewMut<'b, $type, R, E>);
        $each!(@ $($args)* ['a] ViewMut<'a, $type, R, E>);
        $each!(@ $($args)* ['a] &'a ArcArray<$type, R, E>);
        $each!(@ $($args)* [] ArcArray<$type, R, E>);
        $each!(@ $($args)* ['a, 'b] &'a CowArray<'b, $type, R, E>);
        $each!(@ $($args)* ['a] CowArray<'a, $type, R, E>);
    };
}

macro_rules! binary_operators {
    ($($(#[$doc:meta])* $Op:ident $method:ident $Assign:ident $assign:ident: $($class:ident)*;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $Op;

        for_operands!(binary_operators!($Op $method) T);
        binary_operators!(= $Op $Assign $assign [] Array<T, R, E>);
        binary_operators!(= $Op $Assign $assign ['a] ViewMut<'a, T, R, E>);
        binary_operators!(= $Op $Assign $assign [] ArcArray<T, R, E>);
        binary_operators!(= $Op $Assign $assign ['a] CowArray<'a, T, R, E>);
        $( crate::for_types!($class => left_scalar!($Op $method)); )*
    )*};
    (= $Op:ident $Assign:ident $assign:ident [$($lt:lifetime),*] $lhs:ty) => {
        impl<$($lt,)* T: Element, R: Dimension, E, Rhs> std::ops::$Assign<Rhs> for $lhs
        where
            E: AssignOperator<$Op, $lhs, Rhs>,
        {
            #[inline(always)]
            #[track_caller]
            fn $assign(&mut self, rhs: Rhs) {
                E::assign(self, rhs);
            }
        }
    };
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
        for_operands!(left_scalar!($type, $Op $method) $type);
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

        for_operands!(unary_operators!($Op $method) T);
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
