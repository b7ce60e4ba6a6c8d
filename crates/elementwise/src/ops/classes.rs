//! The operations that every type of a class has, as bounds for generic code.

use super::*;
use crate::{Number, Ordered, Scalar};

/// A trait that is nothing but its bounds: other traits, and operations by the type of what they
/// give.
macro_rules! bounds {
    ($(
        $(#[$attribute:meta])*
        $name:ident: $($bound:path),* { $($kind:ident -> $result:ty: $($op:ident)*;)* }
    )*) => {$(
        $(#[$attribute])*
        pub trait $name: $($bound +)* $($($kind<$op, Output = $result> +)*)* {}

        impl<T: $($bound +)* $($($kind<$op, Output = $result> +)*)*> $name for T {}
    )*};
}

bounds! {
    /// Element types with the arithmetic that every number has: all but `bool`.
    ///
    /// A bound for generic code: `fn scale<T: Numeric>(x: &Array2<T>, s: T)` may write `x * s`.
    Numeric: Scalar {
        Binary -> Self: Add Sub Mul Div;
        Binary -> bool: Equal NotEqual;
        Unary -> Self: Neg Square;
    }

    /// Numbers that are ordered: integers and floating point, not complex.
    Real: Number<RealPart = Self>, Ordered, num_traits::NumCast {
        Binary -> Self: Rem Maximum Minimum Pow;
        Binary -> bool: Less LessEqual Greater GreaterEqual;
    }

    /// Element types with all functions of floating-point numbers, and their comparisons: what
    /// [`Float`](crate::Float) has of the table of operations.
    FloatFunctions: Functions {
        Binary -> Self: Fmax Fmin Atan2 Hypot Copysign NextAfter;
        Binary -> bool: TotalEqual TotalNotEqual TotalLess TotalLessEqual TotalGreater
            TotalGreaterEqual;
        Unary -> bool: IsFinite IsNan IsInfinite;
        Unary -> Self: Abs Sign Floor Ceil Trunc Round RoundTiesEven Relu;
    }

    /// The functions that are rounded.
    Functions: {
        Unary -> Self: Recip Exp Exp2 ExpM1 Ln Ln1p Log2 Log10 Logistic Sqrt Rsqrt Cbrt Sin Cos
            Tan Asin Acos Atan Sinh Cosh Tanh Asinh Acosh Atanh Erf Erfc Gamma Lgamma Gelu GeluTanh
            Silu Softplus;
    }
}
