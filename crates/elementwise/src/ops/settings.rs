//! Operations that carry settings, and those of three operands that are not generic over the
//! element type.

use super::half_float::HalfFloat;
use super::{Canonical, Op};
use half::{bf16, f16};

/// `a * b + c`, rounded once.
///
/// The operations `*` and `+` are never contracted to this by themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MulAdd;

/// Element types of [`MulAdd`] and [`LeakyRelu`].
pub trait WithSettings: ndcore::Element {
    /// `self * factor + summand`, rounded once.
    fn fused(self, factor: Self, summand: Self) -> Self;

    /// `self` where that is positive, else `slope * self`.
    fn leaky(self, slope: Self) -> Self;
}

macro_rules! fused {
    ($($type:ty: |$a:ident, $b:ident, $c:ident| $body:expr, |$x:ident, $slope:ident| $leaky:expr;)*) => {$(
        impl WithSettings for $type {
            #[inline(always)]
            fn fused(self, $b: $type, $c: $type) -> $type {
                let $a = self;
                $body
            }

            #[inline(always)]
            fn leaky(self, $slope: $type) -> $type {
                let $x = self;
                $leaky
            }
        }
    )*};
}

fused! {
    f32: |a, b, c| a.mul_add(b, c).canonical(),
        |x, slope| (if x > 0.0 { x } else { slope * x }).canonical();
    f64: |a, b, c| a.mul_add(b, c).canonical(),
        |x, slope| (if x > 0.0 { x } else { slope * x }).canonical();
    f16: |a, b, c| HalfFloat::fused(a, b, c).canonical(),
        |x, slope| x.zip(slope, |x, slope| if x > 0.0 { x } else { slope * x }).canonical();
    bf16: |a, b, c| HalfFloat::fused(a, b, c).canonical(),
        |x, slope| x.zip(slope, |x, slope| if x > 0.0 { x } else { slope * x }).canonical();
}

impl<T: WithSettings> Op<(T, T, T)> for MulAdd {
    type Output = T;
    const COST: usize = 1;
    const NAME: Option<&'static str> = Some("mul_add");

    #[inline(always)]
    fn apply(&self, (a, b, c): (T, T, T)) -> T {
        a.fused(b, c)
    }
}

/// `x` where that is positive, else `slope * x`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeakyRelu<T>(pub T);

impl<T: WithSettings> Op<T> for LeakyRelu<T> {
    type Output = T;
    const COST: usize = 1;
    const NAME: Option<&'static str> = Some("leaky_relu");

    fn settings(&self) -> Option<&dyn std::any::Any> {
        Some(&self.0)
    }

    #[inline(always)]
    fn apply(&self, x: T) -> T {
        x.leaky(self.0)
    }
}

/// The value that a format with these numbers of bits would keep: the mantissa rounded, ties to
/// even; then values beyond the exponents infinite, and those below zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReducePrecision {
    /// The bits of the exponent; at least 1.
    pub exponent: u32,
    /// The bits of the mantissa. Without any, there is no NaN: it becomes infinite.
    pub mantissa: u32,
}

macro_rules! reduce_precision {
    ($($type:ty, $bits:ty, $exponent:literal, $mantissa:literal;)*) => {$(
        impl Op<$type> for ReducePrecision {
            type Output = $type;
            const COST: usize = 2;
            const NAME: Option<&'static str> = Some("reduce_precision");

            fn settings(&self) -> Option<&dyn std::any::Any> {
                Some(self)
            }

            #[inline(always)]
            fn apply(&self, x: $type) -> $type {
                const INFINITY: $bits = ((1 << $exponent) - 1) << $mantissa;
                let bits = x.to_bits();
                let (sign, magnitude) = (bits & !(<$bits>::MAX >> 1), bits & (<$bits>::MAX >> 1));
                // The mantissa.
                let cut = $mantissa - self.mantissa.min($mantissa);
                let ulp: $bits = 1 << cut;
                let odd = (magnitude >> cut) & 1;
                let rounded = if cut == 0 { magnitude } else { (magnitude + (ulp >> 1) - 1 + odd) & !(ulp - 1) };
                // The exponent.
                let bias = (1 << ($exponent - 1)) - 1;
                let reach = (1 << (self.exponent.clamp(1, $exponent) - 1)) - 1;
                let (lowest, highest): ($bits, $bits) = (bias - reach, bias + reach);
                let narrower = self.exponent < $exponent;
                let too_large = narrower && (rounded & INFINITY) > highest << $mantissa;
                let too_small = narrower && (rounded & INFINITY) <= lowest << $mantissa;
                let limited = if too_large {
                    INFINITY
                } else if too_small {
                    0
                } else {
                    rounded
                };
                let nan = if self.mantissa > 0 { magnitude } else { INFINITY };
                <$type>::from_bits(sign | if magnitude > INFINITY { nan } else { limited })
            }
        }
    )*};
}

reduce_precision! {
    f32, u32, 8, 23;
    f64, u64, 11, 52;
    f16, u16, 5, 10;
    bf16, u16, 8, 7;
}

/// The same bits as another type of the same size.
#[derive(Clone, Copy, Debug)]
pub struct Bitcast<U>(std::marker::PhantomData<fn() -> U>);

impl<U> Bitcast<U> {
    pub(crate) fn new() -> Self {
        Bitcast(std::marker::PhantomData)
    }
}

impl<T: bytemuck::NoUninit, U: bytemuck::AnyBitPattern + ndcore::Element> Op<T> for Bitcast<U> {
    type Output = U;
    const COST: usize = 1;
    const NAME: Option<&'static str> = Some("bitcast");

    #[inline(always)]
    fn apply(&self, value: T) -> U {
        bytemuck::must_cast(value)
    }
}
