//! Sums, means and the Euclidean norm.

use super::{Accumulator, Place, Reduction};
use crate::ops::CastTo;
use bcast::{Error, ErrorKind};
use half::{bf16, f16};
use ndcore::Element;
use num_complex::Complex;

/// The sum. Integers are added up in a type in which the sum cannot wrap, and the result is `i64` or `u64` (`isize` or `usize` for those), or an
/// error if it does not fit there; `f16` and `bf16` in `f32`; blocks of floating-point numbers in `f64`. The result is rounded once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum;

/// The sum modulo 2 to the number of bits, in the type of the elements.
#[derive(Clone, Copy, Debug, Default)]
pub struct SumWrapping;

/// The arithmetic mean: the sum divided by the number of elements, rounded once. Of integers, `f64`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mean;

/// The Euclidean norm: the square root of the sum of squares. The squares are added up in `f64`.
#[derive(Clone, Copy, Debug, Default)]
pub struct NormL2;

/// Element types that can be added up.
#[diagnostic::on_unimplemented(
    message = "elements of type `{Self}` cannot be added up",
    note = "docs/ops.md lists the types of each reduction; `.cast::<U>()` converts"
)]
pub trait Summand: Element {
    /// What adds up the elements of a block.
    type Acc: Accumulator;
    /// What adds up blocks.
    type Total: Element;
    /// The type of the sum.
    type Sum: Element;
    /// The type of the mean.
    type Mean: Element;

    /// The sum of nothing.
    fn nothing() -> Self::Acc;
    /// The sum so far and this element.
    fn add_to(self, acc: Self::Acc) -> Self::Acc;
    /// Two sums within a block as one.
    fn join(a: Self::Acc, b: Self::Acc) -> Self::Acc;
    /// The sum of a block.
    fn total(acc: Self::Acc) -> Self::Total;
    /// Two sums as one.
    fn merge(a: Self::Total, b: Self::Total) -> Self::Total;
    /// The sum.
    ///
    /// # Errors
    /// If the type does not hold it.
    fn sum(total: Self::Total) -> Result<Self::Sum, Error>;
    /// The mean of so many.
    fn mean(total: Self::Total, len: usize) -> Self::Mean;

    /// What adds up elements one after the other.
    type Running: Element;
    /// The sum of nothing.
    fn started() -> Self::Running;
    /// The sum so far and this element.
    fn go_on(self, sum: Self::Running) -> Self::Running;
    /// The sum so far.
    ///
    /// # Errors
    /// If the type does not hold it.
    fn so_far(sum: Self::Running) -> Result<Self::Sum, Error>;
}

/// The running sum of integers.
macro_rules! running_integers {
    ($sum:ident) => {
        /// The sum, and whether it ever did not fit.
        type Running = ($sum, bool);

        #[inline(always)]
        fn started() -> ($sum, bool) {
            (0, false)
        }

        #[inline(always)]
        fn go_on(self, (sum, over): ($sum, bool)) -> ($sum, bool) {
            let (sum, now) = sum.overflowing_add(self as $sum);
            (sum, over | now)
        }

        #[inline(always)]
        fn so_far((sum, over): ($sum, bool)) -> Result<$sum, Error> {
            if over { Err(overflow("cumsum", None, stringify!($sum))) } else { Ok(sum) }
        }
    };
}

/// The running sum of other numbers: that of a block.
macro_rules! running {
    () => {
        type Running = Self::Acc;

        #[inline(always)]
        fn started() -> Self::Acc {
            Self::nothing()
        }

        #[inline(always)]
        fn go_on(self, sum: Self::Acc) -> Self::Acc {
            self.add_to(sum)
        }

        #[inline(always)]
        fn so_far(sum: Self::Acc) -> Result<Self::Sum, Error> {
            Self::sum(Self::total(sum))
        }
    };
}

macro_rules! integers {
    ($($type:ty: $acc:ty => $sum:ident;)*) => {$(
        impl Summand for $type {
            type Acc = $acc;
            type Total = i128;
            type Sum = $sum;
            type Mean = f64;
            running_integers!($sum);

            #[inline(always)]
            fn nothing() -> $acc {
                0
            }

            // A block has at most 4096 elements: nothing wraps.
            #[inline(always)]
            fn add_to(self, acc: $acc) -> $acc {
                acc.wrapping_add(<$acc>::from(self))
            }

            #[inline(always)]
            fn join(a: $acc, b: $acc) -> $acc {
                a.wrapping_add(b)
            }

            #[inline(always)]
            fn total(acc: $acc) -> i128 {
                acc.into()
            }

            #[inline(always)]
            fn merge(a: i128, b: i128) -> i128 {
                a + b
            }

            fn sum(total: i128) -> Result<$sum, Error> {
                $sum::try_from(total).map_err(|_| overflow("sum", Some(total), stringify!($sum)))
            }

            fn mean(total: i128, len: usize) -> f64 {
                total as f64 / len as f64
            }
        }
    )*};
}
integers! {
    i8: i32 => i64;
    i16: i32 => i64;
    i32: i64 => i64;
    u8: u32 => u64;
    u16: u32 => u64;
    u32: u64 => u64;
    bool: u32 => u64;
}

/// An integer result that does not fit.
#[cold]
pub(super) fn overflow(op: &'static str, value: Option<i128>, output: &'static str) -> Error {
    ErrorKind::ReductionOverflow { op, value, output }.into()
}

/// Those of 64 bits: the upper and the lower halves apart.
macro_rules! wide_integers {
    ($($type:ident: $acc:ty;)*) => {$(
        impl Summand for $type {
            type Acc = ($acc, $acc);
            type Total = i128;
            type Sum = $type;
            type Mean = f64;
            running_integers!($type);

            #[inline(always)]
            fn nothing() -> ($acc, $acc) {
                (0, 0)
            }

            #[inline(always)]
            fn add_to(self, (high, low): ($acc, $acc)) -> ($acc, $acc) {
                let value = self as $acc;
                (high.wrapping_add(value >> 32), low.wrapping_add(value & 0xffff_ffff))
            }

            #[inline(always)]
            fn join(a: ($acc, $acc), b: ($acc, $acc)) -> ($acc, $acc) {
                (a.0.wrapping_add(b.0), a.1.wrapping_add(b.1))
            }

            #[inline(always)]
            fn total((high, low): ($acc, $acc)) -> i128 {
                (i128::from(high) << 32) + i128::from(low)
            }

            #[inline(always)]
            fn merge(a: i128, b: i128) -> i128 {
                a + b
            }

            fn sum(total: i128) -> Result<$type, Error> {
                $type::try_from(total).map_err(|_| overflow("sum", Some(total), stringify!($type)))
            }

            fn mean(total: i128, len: usize) -> f64 {
                total as f64 / len as f64
            }
        }
    )*};
}
wide_integers! {
    i64: i64;
    isize: i64;
    u64: u64;
    usize: u64;
}

macro_rules! floats {
    ($($type:ty: $acc:ty, |$value:ident| $wide:expr, |$total:ident| $narrow:expr;)*) => {$(
        impl Summand for $type {
            type Acc = $acc;
            type Total = f64;
            type Sum = $type;
            type Mean = $type;
            running!();

            // The number to which anything can be added without a change.
            #[inline(always)]
            fn nothing() -> $acc {
                -0.0
            }

            #[inline(always)]
            fn add_to(self, acc: $acc) -> $acc {
                let $value = self;
                acc + $wide
            }

            #[inline(always)]
            fn join(a: $acc, b: $acc) -> $acc {
                a + b
            }

            #[inline(always)]
            fn total(acc: $acc) -> f64 {
                acc.into()
            }

            #[inline(always)]
            fn merge(a: f64, b: f64) -> f64 {
                a + b
            }

            #[inline(always)]
            fn sum($total: f64) -> Result<$type, Error> {
                Ok($narrow)
            }

            #[inline(always)]
            fn mean(total: f64, len: usize) -> $type {
                let $total = total / len as f64;
                $narrow
            }
        }
    )*};
}
floats! {
    f32: f32, |value| value, |total| total as f32;
    f64: f64, |value| value, |total| total;
    f16: f32, |value| CastTo::<f32>::cast_to(value), |total| f16::from_f64(total);
    bf16: f32, |value| CastTo::<f32>::cast_to(value), |total| bf16::from_f64(total);
}

macro_rules! complexes {
    ($($part:ty),*) => {$(
        impl Summand for Complex<$part> {
            type Acc = ($part, $part);
            type Total = Complex<f64>;
            type Sum = Complex<$part>;
            type Mean = Complex<$part>;
            running!();

            #[inline(always)]
            fn nothing() -> ($part, $part) {
                (-0.0, -0.0)
            }

            #[inline(always)]
            fn add_to(self, (re, im): ($part, $part)) -> ($part, $part) {
                (re + self.re, im + self.im)
            }

            #[inline(always)]
            fn join(a: ($part, $part), b: ($part, $part)) -> ($part, $part) {
                (a.0 + b.0, a.1 + b.1)
            }

            #[inline(always)]
            fn total((re, im): ($part, $part)) -> Complex<f64> {
                Complex::new(re.into(), im.into())
            }

            #[inline(always)]
            fn merge(a: Complex<f64>, b: Complex<f64>) -> Complex<f64> {
                a + b
            }

            fn sum(total: Complex<f64>) -> Result<Complex<$part>, Error> {
                Ok(Complex::new(total.re as $part, total.im as $part))
            }

            fn mean(total: Complex<f64>, len: usize) -> Complex<$part> {
                let mean = total / len as f64;
                Complex::new(mean.re as $part, mean.im as $part)
            }
        }
    )*};
}
complexes! { f32, f64 }

/// The parts that reductions share which add up.
macro_rules! adds_up {
    () => {
        type Acc = T::Acc;
        type Total = T::Total;

        #[inline(always)]
        fn start(&self) -> T::Acc {
            T::nothing()
        }

        #[inline(always)]
        fn step(&self, acc: T::Acc, value: T, _: usize) -> T::Acc {
            value.add_to(acc)
        }

        const JOINS: bool = true;

        #[inline(always)]
        fn join(&self, a: T::Acc, b: T::Acc) -> T::Acc {
            T::join(a, b)
        }

        #[inline(always)]
        fn total(&self, acc: T::Acc, _: Place) -> T::Total {
            T::total(acc)
        }

        #[inline(always)]
        fn merge(&self, a: T::Total, b: T::Total) -> T::Total {
            T::merge(a, b)
        }
    };
}
pub(super) use adds_up;

impl<T: Summand<Sum: num_traits::Zero>> Reduction<T> for Sum {
    adds_up!();
    type Output = T::Sum;
    const NAME: &'static str = "sum";

    #[inline(always)]
    fn finish(&self, total: T::Total, _: usize) -> Result<T::Sum, Error> {
        T::sum(total)
    }

    fn empty(&self) -> Option<T::Sum> {
        Some(num_traits::zero())
    }
}

impl<T: Summand> Reduction<T> for Mean {
    adds_up!();
    type Output = T::Mean;
    const NAME: &'static str = "mean";

    #[inline(always)]
    fn finish(&self, total: T::Total, len: usize) -> Result<T::Mean, Error> {
        Ok(T::mean(total, len))
    }
}

impl<T: Accumulator + num_traits::WrappingAdd + num_traits::Zero> Reduction<T> for SumWrapping {
    type Acc = T;
    type Total = T;
    type Output = T;
    const NAME: &'static str = "sum_wrapping";

    #[inline(always)]
    fn start(&self) -> T {
        T::zero()
    }

    #[inline(always)]
    fn step(&self, acc: T, value: T, _: usize) -> T {
        acc.wrapping_add(&value)
    }

    #[inline(always)]
    fn total(&self, acc: T, _: Place) -> T {
        acc
    }

    #[inline(always)]
    fn merge(&self, a: T, b: T) -> T {
        a.wrapping_add(&b)
    }

    #[inline(always)]
    fn finish(&self, total: T, _: usize) -> Result<T, Error> {
        Ok(total)
    }

    fn empty(&self) -> Option<T> {
        Some(T::zero())
    }
}

macro_rules! norms {
    ($($type:ty: $output:ty, |$value:ident| $square:expr, |$norm:ident| $narrow:expr;)*) => {$(
        impl Reduction<$type> for NormL2 {
            type Acc = f64;
            type Total = f64;
            type Output = $output;
            const NAME: &'static str = "norm_l2";
            const COST: usize = 2;

            #[inline(always)]
            fn start(&self) -> f64 {
                0.0
            }

            #[inline(always)]
            fn step(&self, acc: f64, $value: $type, _: usize) -> f64 {
                acc + $square
            }

            const JOINS: bool = true;

            #[inline(always)]
            fn join(&self, a: f64, b: f64) -> f64 {
                a + b
            }

            #[inline(always)]
            fn total(&self, acc: f64, _: Place) -> f64 {
                acc
            }

            #[inline(always)]
            fn merge(&self, a: f64, b: f64) -> f64 {
                a + b
            }

            #[inline(always)]
            fn finish(&self, total: f64, _: usize) -> Result<$output, Error> {
                let $norm = total.sqrt();
                Ok($narrow)
            }

            fn empty(&self) -> Option<$output> {
                let $norm = 0.0;
                Some($narrow)
            }
        }
    )*};
}
norms! {
    f32: f32, |value| square(f64::from(value)), |norm| norm as f32;
    f64: f64, |value| square(value), |norm| norm;
    f16: f16, |value| square(f64::from(CastTo::<f32>::cast_to(value))), |norm| f16::from_f64(norm);
    bf16: bf16, |value| square(f64::from(CastTo::<f32>::cast_to(value))), |norm| bf16::from_f64(norm);
    Complex<f32>: f32, |value| square(f64::from(value.re)) + square(f64::from(value.im)), |norm| norm as f32;
    Complex<f64>: f64, |value| square(value.re) + square(value.im), |norm| norm;
}

#[inline(always)]
fn square(x: f64) -> f64 {
    x * x
}
