//! The operations that every type of a class has, as bounds for generic code.

use super::*;
use crate::{Number, Ordered, Scalar};

/// A trait that is nothing but its bounds.
macro_rules! bounds {
    ($($(#[$attribute:meta])* $name:ident: $first:path $(, $bound:path)* $(,)?;)*) => {$(
        $(#[$attribute])*
        pub trait $name: $first $(+ $bound)* {}

        impl<T: $first $(+ $bound)*> $name for T {}
    )*};
}

bounds! {
    /// Element types with the arithmetic that every number has: all but `bool`.
    ///
    /// A bound for generic code: `fn scale<T: Numeric>(x: &Array2<T>, s: T)` may write `x * s`.
    Numeric:
        Scalar,
        Binary<Add, Output = Self>,
        Binary<Sub, Output = Self>,
        Binary<Mul, Output = Self>,
        Binary<Div, Output = Self>,
        Binary<Equal, Output = bool>,
        Binary<NotEqual, Output = bool>,
        Unary<Neg, Output = Self>,
        Unary<Square, Output = Self>;

    /// Numbers that are ordered: integers and floating point, not complex.
    Real:
        Number<RealPart = Self>,
        Ordered,
        num_traits::NumCast,
        num_traits::Bounded,
        Binary<Rem, Output = Self>,
        Binary<Maximum, Output = Self>,
        Binary<Minimum, Output = Self>,
        Binary<Pow, Output = Self>,
        Binary<Less, Output = bool>,
        Binary<LessEqual, Output = bool>,
        Binary<Greater, Output = bool>,
        Binary<GreaterEqual, Output = bool>;

    /// Element types with all functions of floating-point numbers, and their comparisons: what
    /// [`Float`](crate::Float) has of the table of operations.
    FloatFunctions:
        Functions,
        Binary<Fmax, Output = Self>,
        Binary<Fmin, Output = Self>,
        Binary<Atan2, Output = Self>,
        Binary<Hypot, Output = Self>,
        Binary<Copysign, Output = Self>,
        Binary<NextAfter, Output = Self>,
        Binary<TotalEqual, Output = bool>,
        Binary<TotalNotEqual, Output = bool>,
        Binary<TotalLess, Output = bool>,
        Binary<TotalLessEqual, Output = bool>,
        Binary<TotalGreater, Output = bool>,
        Binary<TotalGreaterEqual, Output = bool>,
        Unary<IsFinite, Output = bool>,
        Unary<IsNan, Output = bool>,
        Unary<IsInfinite, Output = bool>,
        Unary<Abs, Output = Self>,
        Unary<Sign, Output = Self>,
        Unary<Floor, Output = Self>,
        Unary<Ceil, Output = Self>,
        Unary<Trunc, Output = Self>,
        Unary<Round, Output = Self>,
        Unary<RoundTiesEven, Output = Self>,
        Unary<Relu, Output = Self>;

    /// The functions that are rounded.
    Functions:
        Unary<Recip, Output = Self>,
        Unary<Exp, Output = Self>,
        Unary<Exp2, Output = Self>,
        Unary<ExpM1, Output = Self>,
        Unary<Ln, Output = Self>,
        Unary<Ln1p, Output = Self>,
        Unary<Log2, Output = Self>,
        Unary<Log10, Output = Self>,
        Unary<Logistic, Output = Self>,
        Unary<Sqrt, Output = Self>,
        Unary<Rsqrt, Output = Self>,
        Unary<Cbrt, Output = Self>,
        Unary<Sin, Output = Self>,
        Unary<Cos, Output = Self>,
        Unary<Tan, Output = Self>,
        Unary<Asin, Output = Self>,
        Unary<Acos, Output = Self>,
        Unary<Atan, Output = Self>,
        Unary<Sinh, Output = Self>,
        Unary<Cosh, Output = Self>,
        Unary<Tanh, Output = Self>,
        Unary<Asinh, Output = Self>,
        Unary<Acosh, Output = Self>,
        Unary<Atanh, Output = Self>,
        Unary<Erf, Output = Self>,
        Unary<Erfc, Output = Self>,
        Unary<Gamma, Output = Self>,
        Unary<Lgamma, Output = Self>,
        Unary<Gelu, Output = Self>,
        Unary<GeluTanh, Output = Self>,
        Unary<Silu, Output = Self>,
        Unary<Softplus, Output = Self>;
}
