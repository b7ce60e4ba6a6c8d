//! The table of operations. A row is an operation: from it come the unit type, the function, the method, the element types and the line in
//! the documentation. `docs/adding-an-op.md` explains the row.

use super::half_float::HalfFloat;
use super::scalar::{ComplexMath, FloatMath, IntMath};
use super::{Binary, Op, OpInfo, Unary};
use crate::expr::{Apply, Expr, Floating, Operand, Pair};
use crate::types::for_types;
use bcast::Error;
pub use ndcore::operator::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Sub};

/// The names of the element types in a row's arms.
macro_rules! type_names {
    ($($class:ident)*) => { &[$(type_names!(@ $class),)*] };
    (@ signed) => { "i8..i64" };
    (@ unsigned) => { "u8..u64" };
    (@ ints) => { "i8..i64, u8..u64" };
    (@ floats) => { "f32, f64" };
    (@ halves) => { "f16, bf16" };
    (@ complexes) => { "Complex<f32>, Complex<f64>" };
    (@ bools) => { "bool" };
}

macro_rules! unary_impl {
    ($type:ty, ($Op:ident, $output:ty, $a:ident, $body:expr)) => {
        impl Unary<$Op> for $type {
            type Output = $output;

            #[inline(always)]
            fn unary(self) -> $output {
                let $a = self;
                $body
            }
        }
    };
}

macro_rules! binary_impl {
    ($type:ty, ($Op:ident, $output:ty, $a:ident, $b:ident, $body:expr)) => {
        impl Binary<$Op> for $type {
            type Output = $output;

            #[inline(always)]
            fn binary(self, rhs: $type) -> $output {
                let ($a, $b) = (self, rhs);
                $body
            }
        }
    };
}

macro_rules! unary_ops {
    ($group:ident, operators: $(
        $(#[doc = $doc:literal])+
        $Op:ident $name:ident $stablehlo:literal { $($class:ident -> $output:ty: |$a:ident| $body:expr;)+ }
    )+) => {
        $(
            impl<T: Unary<$Op>> Op<T> for $Op {
                type Output = T::Output;

                #[inline(always)]
                fn apply(&self, a: T) -> T::Output {
                    a.unary()
                }
            }

            $( for_types!($class => unary_impl!($Op, $output, $a, $body)); )+
        )+

        /// The functions and the rows of these operations.
        pub mod $group {
            use super::*;

            $(
                $(#[doc = $doc])+
                #[inline]
                pub fn $name<T: ndcore::Element, A: Operand<T, Floating>>(a: A) -> Apply<$Op, A::Expr> {
                    Apply::new($Op, a.into_expr())
                }
            )+

            pub(super) const ROWS: &[OpInfo] = &[$(OpInfo {
                name: stringify!($name),
                stablehlo: $stablehlo,
                arity: 1,
                types: type_names!($($class)+),
                doc: concat!($($doc),+),
            }),+];
        }
    };
    ($group:ident, methods $Methods:ident: $(
        $(#[doc = $doc:literal])+
        $Op:ident $name:ident $stablehlo:literal { $($class:ident -> $output:ty: |$a:ident| $body:expr;)+ }
    )+) => {
        unary_ops! {
            $group, operators: $(
                $(#[doc = $doc])+
                $Op $name $stablehlo { $($class -> $output: |$a| $body;)+ }
            )+
        }

        $(
            $(#[doc = $doc])+
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            pub struct $Op;
        )+

        /// The operations of one operand that have no operator, as methods of every expression, array and view.
        pub trait $Methods: Expr {
            $(
                $(#[doc = $doc])+
                #[inline]
                fn $name(self) -> Apply<$Op, Self>
                where
                    $Op: Op<Self::Elem>,
                {
                    Apply::new($Op, self)
                }
            )+
        }

        impl<E: Expr> $Methods for E {}
    };
}

macro_rules! binary_ops {
    ($group:ident, operators: $(
        $(#[doc = $doc:literal])+
        $Op:ident $name:ident $stablehlo:literal { $($class:ident -> $output:ty: |$a:ident, $b:ident| $body:expr;)+ }
    )+) => {
        $(
            impl<T: Binary<$Op>> Op<(T, T)> for $Op {
                type Output = T::Output;

                #[inline(always)]
                fn apply(&self, (a, b): (T, T)) -> T::Output {
                    a.binary(b)
                }
            }

            $( for_types!($class => binary_impl!($Op, $output, $a, $b, $body)); )+
        )+

        /// The functions and the rows of these operations.
        pub mod $group {
            use super::*;

            $(
                $(#[doc = $doc])+
                ///
                /// XLA's form: `dims` are the `broadcast_dimensions` of the operand of lower rank, whichever side it is on; none (`[]`)
                /// for equal ranks and for scalars. The result is an expression whose shape has been checked.
                ///
                /// # Errors
                /// See [`bcast::binary_shape`].
                #[inline]
                pub fn $name<T, A, B, D>(
                    a: A,
                    b: B,
                    dims: D,
                ) -> Result<Apply<$Op, <(A::Expr, B::Expr) as Pair>::Placed>, Error>
                where
                    T: ndcore::Element,
                    A: Operand<T, Floating>,
                    B: Operand<T, Floating>,
                    D: AsRef<[usize]>,
                    (A::Expr, B::Expr): Pair,
                {
                    Ok(Apply::new($Op, (a.into_expr(), b.into_expr()).place(dims.as_ref())?))
                }
            )+

            pub(super) const ROWS: &[OpInfo] = &[$(OpInfo {
                name: stringify!($name),
                stablehlo: $stablehlo,
                arity: 2,
                types: type_names!($($class)+),
                doc: concat!($($doc),+),
            }),+];
        }
    };
    ($group:ident, methods $Methods:ident: $(
        $(#[doc = $doc:literal])+
        $Op:ident $name:ident $stablehlo:literal { $($class:ident -> $output:ty: |$a:ident, $b:ident| $body:expr;)+ }
    )+) => {
        binary_ops! {
            $group, operators: $(
                $(#[doc = $doc])+
                $Op $name $stablehlo { $($class -> $output: |$a, $b| $body;)+ }
            )+
        }

        $(
            $(#[doc = $doc])+
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            pub struct $Op;
        )+

        /// The operations of two operands that have no operator, as methods of every expression, array and view.
        pub trait $Methods: Expr {
            $(
                $(#[doc = $doc])+
                #[inline]
                fn $name<B>(self, rhs: B) -> Apply<$Op, (Self, B::Expr)>
                where
                    B: Operand<Self::Elem, Self::Rank>,
                {
                    Apply::new($Op, (self, rhs.into_expr()))
                }
            )+
        }

        impl<E: Expr> $Methods for E {}
    };
}

unary_ops! {
    sign, operators:
    /// The negated value; integers wrap around.
    Neg neg "negate" {
        ints -> Self: |a| a.wrapping_neg();
        floats -> Self: |a| -a;
        halves -> Self: |a| Self::from_bits(a.to_bits() ^ 0x8000);
        complexes -> Self: |a| -a;
    }
    /// Bitwise complement; logical for `bool`.
    Not not "not" {
        ints -> Self: |a| !a;
        bools -> Self: |a| !a;
    }
}

unary_ops! {
    math, methods UnaryMethods:
    /// The absolute value; of the smallest signed integer, itself; of a complex number, its modulus, which is real.
    Abs abs "abs" {
        signed -> Self: |a| a.wrapping_abs();
        floats -> Self: |a| a.abs();
        halves -> Self: |a| Self::from_bits(a.to_bits() & 0x7fff);
        complexes -> <Self as ComplexMath>::Real: |a| a.norm();
    }
    /// The square root; NaN below zero, -0 for -0; of a complex number, the principal one.
    Sqrt sqrt "sqrt" {
        floats -> Self: |a| a.sqrt();
        halves -> Self: |a| a.map(f32::sqrt);
        complexes -> Self: |a| a.sqrt();
    }
}

binary_ops! {
    arithmetic, operators:
    /// The sum; integers wrap around, `bool` is logical or.
    Add add "add" {
        ints -> Self: |a, b| a.wrapping_add(b);
        floats -> Self: |a, b| a + b;
        halves -> Self: |a, b| a.zip(b, |a, b| a + b);
        complexes -> Self: |a, b| a + b;
        bools -> Self: |a, b| a | b;
    }
    /// The difference; integers wrap around.
    Sub sub "subtract" {
        ints -> Self: |a, b| a.wrapping_sub(b);
        floats -> Self: |a, b| a - b;
        halves -> Self: |a, b| a.zip(b, |a, b| a - b);
        complexes -> Self: |a, b| a - b;
    }
    /// The product; integers wrap around, `bool` is logical and.
    Mul mul "multiply" {
        ints -> Self: |a, b| a.wrapping_mul(b);
        floats -> Self: |a, b| a * b;
        halves -> Self: |a, b| a.zip(b, |a, b| a * b);
        complexes -> Self: |a, b| a * b;
        bools -> Self: |a, b| a & b;
    }
    /// The quotient; integers truncate toward zero, `x / 0` has all bits set, and the smallest integer by -1 is itself.
    Div div "divide" {
        ints -> Self: |a, b| a.quotient(b);
        floats -> Self: |a, b| a / b;
        halves -> Self: |a, b| a.zip(b, |a, b| a / b);
        complexes -> Self: |a, b| a.quotient(b);
    }
    /// The remainder with the sign of the dividend (C's `fmod`); of integers, `x % 0` is `x`, and the smallest integer by -1 leaves 0.
    Rem rem "remainder" {
        ints -> Self: |a, b| a.remainder(b);
        floats -> Self: |a, b| a % b;
        halves -> Self: |a, b| a.zip(b, |a, b| a % b);
    }
    /// Bitwise and; logical for `bool`.
    BitAnd and "and" {
        ints -> Self: |a, b| a & b;
        bools -> Self: |a, b| a & b;
    }
    /// Bitwise or; logical for `bool`.
    BitOr or "or" {
        ints -> Self: |a, b| a | b;
        bools -> Self: |a, b| a | b;
    }
    /// Bitwise exclusive or; logical for `bool`.
    BitXor xor "xor" {
        ints -> Self: |a, b| a ^ b;
        bools -> Self: |a, b| a ^ b;
    }
}

binary_ops! {
    comparison, methods BinaryMethods:
    /// The larger value; NaN if either is (IEEE 754-2019 `maximum`), and -0 < +0; `bool` is logical or.
    Maximum maximum "maximum" {
        ints -> Self: |a, b| a.max(b);
        floats -> Self: |a, b| a.ieee_maximum(b);
        halves -> Self: |a, b| a.zip(b, f32::ieee_maximum);
        bools -> Self: |a, b| a | b;
    }
    /// The smaller value; NaN if either is (IEEE 754-2019 `minimum`), and -0 < +0; `bool` is logical and.
    Minimum minimum "minimum" {
        ints -> Self: |a, b| a.min(b);
        floats -> Self: |a, b| a.ieee_minimum(b);
        halves -> Self: |a, b| a.zip(b, f32::ieee_minimum);
        bools -> Self: |a, b| a & b;
    }
    /// Whether the operands are equal; NaN equals nothing, -0 equals +0.
    Equal equal "compare EQ" {
        ints -> bool: |a, b| a == b;
        floats -> bool: |a, b| a == b;
        halves -> bool: |a, b| a.widen() == b.widen();
        complexes -> bool: |a, b| a == b;
        bools -> bool: |a, b| a == b;
    }
    /// Whether the operands are not equal; NaN differs from everything, itself too.
    NotEqual not_equal "compare NE" {
        ints -> bool: |a, b| a != b;
        floats -> bool: |a, b| a != b;
        halves -> bool: |a, b| a.widen() != b.widen();
        complexes -> bool: |a, b| a != b;
        bools -> bool: |a, b| a != b;
    }
    /// Whether the left operand is less; false if either is NaN; false is less than true.
    Less less "compare LT" {
        ints -> bool: |a, b| a < b;
        floats -> bool: |a, b| a < b;
        halves -> bool: |a, b| a.widen() < b.widen();
        bools -> bool: |a, b| !a & b;
    }
    /// Whether the left operand is less or equal; false if either is NaN.
    LessEqual less_equal "compare LE" {
        ints -> bool: |a, b| a <= b;
        floats -> bool: |a, b| a <= b;
        halves -> bool: |a, b| a.widen() <= b.widen();
        bools -> bool: |a, b| !a | b;
    }
    /// Whether the left operand is greater; false if either is NaN.
    Greater greater "compare GT" {
        ints -> bool: |a, b| a > b;
        floats -> bool: |a, b| a > b;
        halves -> bool: |a, b| a.widen() > b.widen();
        bools -> bool: |a, b| a & !b;
    }
    /// Whether the left operand is greater or equal; false if either is NaN.
    GreaterEqual greater_equal "compare GE" {
        ints -> bool: |a, b| a >= b;
        floats -> bool: |a, b| a >= b;
        halves -> bool: |a, b| a.widen() >= b.widen();
        bools -> bool: |a, b| a | !b;
    }
}

/// Chooses an element of `t` where `p` is true, of `f` where it is false.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Select;

impl<T: ndcore::Element> Op<(bool, T, T)> for Select {
    type Output = T;

    #[inline(always)]
    fn apply(&self, (p, t, f): (bool, T, T)) -> T {
        if p { t } else { f }
    }
}

/// Limits `x` to between `lo` and `hi`: `minimum(maximum(x, lo), hi)`, so NaN anywhere gives NaN and `lo > hi` gives `hi`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clamp;

impl<T: Binary<Maximum, Output = T> + Binary<Minimum, Output = T>> Op<(T, T, T)> for Clamp {
    type Output = T;

    #[inline(always)]
    fn apply(&self, (lo, x, hi): (T, T, T)) -> T {
        Minimum.apply((Maximum.apply((x, lo)), hi))
    }
}

/// The operations of three operands and the conversions, which are generic and so have no arms.
const OTHER_OPS: &[OpInfo] = &[
    OpInfo {
        name: "select",
        stablehlo: "select",
        arity: 3,
        types: &["bool with any two alike"],
        doc: " Chooses an element of the second operand where the first is true, of the third where it is false.",
    },
    OpInfo {
        name: "clamp",
        stablehlo: "clamp",
        arity: 3,
        types: &["i8..i64, u8..u64", "f32, f64", "f16, bf16", "bool"],
        doc: " Limits the second operand to between the first and the third; NaN anywhere gives NaN.",
    },
    OpInfo {
        name: "cast",
        stablehlo: "convert",
        arity: 1,
        types: &["any to any"],
        doc: " Converts: float to integer truncates, saturates and takes NaN to 0; integer to integer wraps; to `bool`, non-zero.",
    },
];

/// Every operation, in the order of the table.
pub fn all_ops() -> impl Iterator<Item = &'static OpInfo> {
    [sign::ROWS, math::ROWS, arithmetic::ROWS, comparison::ROWS, OTHER_OPS].into_iter().flatten()
}

/// Every operation as a function.
pub mod functions {
    pub use super::{arithmetic::*, comparison::*, math::*, sign::*};
    pub use crate::expr::{clamp, select};
}
