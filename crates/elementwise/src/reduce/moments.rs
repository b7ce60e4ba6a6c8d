//! Variance and standard deviation, and the logarithm of a sum of exponentials: those that carry more than one number.

use super::{Accumulator, Place, Reduction};
use crate::ops::CastTo;
use bcast::{Error, ErrorKind};
use half::{bf16, f16};

/// The variance: the sum of the squared distances from the mean, divided by the number of elements less `ddof`. In one pass over the elements: each
/// accumulator by Welford's recurrence ("Note on a method for calculating corrected sums of squares and products", 1962), merged by that of Chan,
/// Golub and LeVeque ("Updating formulae and a pairwise algorithm for computing sample variances", 1979), in `f64`. The relative error is about the
/// rounding error of the type times the mean by the standard deviation, where the sum of squares less the square of the sum has the square of that; for
/// `f32` far from zero, `x.cast::<f64>().var(..)` is exact to `f64`, and as fast if the memory is what limits it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Var {
    /// What is taken off the number of elements: 0 for a whole population, 1 for a sample of it.
    pub ddof: f64,
}

/// The standard deviation: the square root of [`Var`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Std {
    /// As [`Var::ddof`].
    pub ddof: f64,
}

/// The mean of some elements, the sum of their squared distances from it, and their number.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    mean: f64,
    squares: f64,
    len: f64,
}

impl Spread {
    #[inline(always)]
    fn merge(self, other: Spread) -> Spread {
        let len = self.len + other.len;
        let (distance, share) = (other.mean - self.mean, other.len / len);
        Spread {
            mean: self.mean + distance * share,
            squares: self.squares + other.squares + distance * distance * self.len * share,
            len,
        }
    }

    fn var(self, op: &'static str, ddof: f64) -> Result<f64, Error> {
        let freedom = self.len - ddof;
        if freedom > 0.0 {
            Ok(self.squares / freedom)
        } else {
            Err(ErrorKind::TooFewElements { op, len: self.len as usize, ddof: format!("{ddof}") }.into())
        }
    }
}

/// Real numbers that have a variance.
macro_rules! variances {
    ($($type:ty: $acc:ty => $output:ty, |$value:ident| $wide:expr, |$result:ident| $narrow:expr;)*) => {$(
        variances! { @ Var "var" |var| var; $type: $acc => $output, |$value| $wide, |$result| $narrow; }
        variances! { @ Std "std" |var| var.sqrt(); $type: $acc => $output, |$value| $wide, |$result| $narrow; }
    )*};
    (@ $reduction:ident $name:literal |$var:ident| $of:expr;
       $type:ty: $acc:ty => $output:ty, |$value:ident| $wide:expr, |$result:ident| $narrow:expr;) => {
        impl Reduction<$type> for $reduction {
            /// The mean so far, and the sum of the squared distances from it.
            type Acc = ($acc, $acc);
            type Total = Spread;
            type Output = $output;
            const NAME: &'static str = $name;
            const COST: usize = 5;

            #[inline(always)]
            fn start(&self) -> ($acc, $acc) {
                (0.0, 0.0)
            }

            #[inline(always)]
            fn step(&self, (mean, squares): ($acc, $acc), $value: $type, round: usize) -> ($acc, $acc) {
                let value: $acc = $wide;
                let distance = value - mean;
                let mean = mean + distance * (1.0 / (round + 1) as $acc);
                (mean, squares + distance * (value - mean))
            }

            #[inline(always)]
            fn total(&self, (mean, squares): ($acc, $acc), place: Place) -> Spread {
                Spread { mean: mean.into(), squares: squares.into(), len: place.len as f64 }
            }

            #[inline(always)]
            fn merge(&self, a: Spread, b: Spread) -> Spread {
                a.merge(b)
            }

            fn finish(&self, total: Spread, _: usize) -> Result<$output, Error> {
                let $var = total.var($name, self.ddof)?;
                let $result = $of;
                Ok($narrow)
            }
        }
    };
}
variances! {
    f32: f32 => f32, |x| x, |y| y as f32;
    f64: f64 => f64, |x| x, |y| y;
    f16: f32 => f16, |x| CastTo::<f32>::cast_to(x), |y| f16::from_f64(y);
    bf16: f32 => bf16, |x| CastTo::<f32>::cast_to(x), |y| bf16::from_f64(y);
    i8: f64 => f64, |x| x.into(), |y| y;
    i16: f64 => f64, |x| x.into(), |y| y;
    i32: f64 => f64, |x| x.into(), |y| y;
    i64: f64 => f64, |x| x as f64, |y| y;
    isize: f64 => f64, |x| x as f64, |y| y;
    u8: f64 => f64, |x| x.into(), |y| y;
    u16: f64 => f64, |x| x.into(), |y| y;
    u32: f64 => f64, |x| x.into(), |y| y;
    u64: f64 => f64, |x| x as f64, |y| y;
    usize: f64 => f64, |x| x as f64, |y| y;
}

/// The logarithm of the sum of the exponentials, in one pass and without overflow: the sum is kept relative to the largest element so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogSumExp;

/// A floating-point type for [`LogSumExp`].
trait Exponent: Accumulator + num_traits::Float + crate::math::Math + Into<f64> {
    /// Below this the exponential does not matter beside 1, and is a normal number here.
    const LEAST: Self;
}
impl Exponent for f32 {
    const LEAST: f32 = -87.0;
}
impl Exponent for f64 {
    const LEAST: f64 = -708.0;
}

/// The largest element, and the sum of the exponentials relative to it; with a further element of exponential `sum` relative to it.
#[inline(always)]
fn further<T: Exponent>((max, sum): (T, T), value: T, more: T) -> (T, T) {
    // Infinities have no distance from themselves.
    let distance = if value == max { T::zero() } else { value - max };
    let exponent = -distance.abs();
    let shrink = crate::math::Math::exp_usual(if exponent < T::LEAST { T::LEAST } else { exponent });
    let shrink = if exponent.is_nan() { exponent } else { shrink };
    if distance > T::zero() { (value, sum * shrink + more) } else { (max, sum + more * shrink) }
}

macro_rules! log_sum_exp {
    ($($type:ty: $acc:ty, |$value:ident| $wide:expr, |$result:ident| $narrow:expr;)*) => {$(
        impl Reduction<$type> for LogSumExp {
            type Acc = ($acc, $acc);
            type Total = (f64, f64);
            type Output = $type;
            const NAME: &'static str = "log_sum_exp";
            const COST: usize = 24;

            #[inline(always)]
            fn start(&self) -> ($acc, $acc) {
                (<$acc>::NEG_INFINITY, 0.0)
            }

            #[inline(always)]
            fn step(&self, acc: ($acc, $acc), $value: $type, _: usize) -> ($acc, $acc) {
                further(acc, $wide, 1.0)
            }

            #[inline(always)]
            fn total(&self, (max, sum): ($acc, $acc), _: Place) -> (f64, f64) {
                (max.into(), sum.into())
            }

            #[inline(always)]
            fn merge(&self, a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
                further(a, b.0, b.1)
            }

            fn finish(&self, (max, sum): (f64, f64), _: usize) -> Result<$type, Error> {
                let $result = max + sum.ln();
                Ok($narrow)
            }

            fn empty(&self) -> Option<$type> {
                let $result = f64::NEG_INFINITY;
                Some($narrow)
            }
        }
    )*};
}
log_sum_exp! {
    f32: f32, |x| x, |y| y as f32;
    f64: f64, |x| x, |y| y;
    f16: f32, |x| CastTo::<f32>::cast_to(x), |y| f16::from_f64(y);
    bf16: f32, |x| CastTo::<f32>::cast_to(x), |y| bf16::from_f64(y);
}
