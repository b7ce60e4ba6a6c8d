//! Scalar functions that need more than an operator. All are free of branches that a vector could not follow.

use crate::types::for_types;
use num_complex::Complex;

/// Division that neither traps nor panics.
pub(super) trait IntMath {
    /// Truncated quotient; all ones for a zero divisor.
    fn quotient(self, divisor: Self) -> Self;
    /// `self - quotient * divisor`; `self` for a zero divisor.
    fn remainder(self, divisor: Self) -> Self;
}

macro_rules! int_math {
    ($type:ty, ()) => {
        impl IntMath for $type {
            #[inline(always)]
            fn quotient(self, divisor: $type) -> $type {
                let quotient = self.wrapping_div(if divisor == 0 { 1 } else { divisor });
                if divisor == 0 { !0 } else { quotient }
            }

            #[inline(always)]
            fn remainder(self, divisor: $type) -> $type {
                let remainder = self.wrapping_rem(if divisor == 0 { 1 } else { divisor });
                if divisor == 0 { self } else { remainder }
            }
        }
    };
}
for_types!(ints => int_math!());

/// Maximum and minimum of IEEE 754-2019.
pub(super) trait FloatMath {
    fn ieee_maximum(self, other: Self) -> Self;
    fn ieee_minimum(self, other: Self) -> Self;
}

macro_rules! ieee {
    ($type:ty, ()) => {
        impl FloatMath for $type {
            #[inline(always)]
            fn ieee_maximum(self, other: $type) -> $type {
                // Equal values differ at most in the sign of a zero: + unless both are -.
                let equal = <$type>::from_bits(self.to_bits() & other.to_bits());
                let ordered = if self > other {
                    self
                } else if self < other {
                    other
                } else {
                    equal
                };
                if self.is_nan() {
                    self
                } else if other.is_nan() {
                    other
                } else {
                    ordered
                }
            }

            #[inline(always)]
            fn ieee_minimum(self, other: $type) -> $type {
                let equal = <$type>::from_bits(self.to_bits() | other.to_bits());
                let ordered = if self < other {
                    self
                } else if self > other {
                    other
                } else {
                    equal
                };
                if self.is_nan() {
                    self
                } else if other.is_nan() {
                    other
                } else {
                    ordered
                }
            }
        }
    };
}
for_types!(floats => ieee!());

/// Complex numbers: the type of their parts, and division.
pub trait ComplexMath {
    /// The type of the real and the imaginary part.
    type Real: ndcore::Element;

    /// The quotient; finite whenever it and the operands are.
    fn quotient(self, divisor: Self) -> Self;
}

macro_rules! complex_math {
    ($real:ident) => {
        impl ComplexMath for Complex<$real> {
            type Real = $real;

            /// Smith's method (Algorithm 116, CACM 5(8), 1962): scaled by the larger part of the divisor, so that the squares of the parts
            /// cannot overflow.
            #[inline(always)]
            fn quotient(self, divisor: Self) -> Self {
                let Complex { re: a, im: b } = self;
                let Complex { re: c, im: d } = divisor;
                let by_real = c.abs() >= d.abs();
                let (large, small) = if by_real { (c, d) } else { (d, c) };
                let ratio = if large == 0.0 { 0.0 } else { small / large };
                let scale = large + small * ratio;
                if by_real {
                    Complex::new((a + b * ratio) / scale, (b - a * ratio) / scale)
                } else {
                    Complex::new((a * ratio + b) / scale, (b * ratio - a) / scale)
                }
            }
        }
    };
}
complex_math!(f32);
complex_math!(f64);
