//! Softmax: a distribution over the elements along some axes.

use super::{LogSumExp, Place, Reduction};
use crate::math::Math;
use crate::ops::{CastTo, Op};
use bcast::Error;
use half::{bf16, f16};
use ndcore::Element;

/// Floating-point types with a softmax. It is computed in [`Wide`](Self::Wide).
#[diagnostic::on_unimplemented(
    message = "`softmax` is not defined for elements of type `{Self}`",
    note = "it is for floating-point numbers; `.cast::<U>()` converts"
)]
pub trait Softmax: Element {
    /// `f32` or `f64`.
    type Wide: Element;

    /// The largest element, and the sum of the exponentials relative to it.
    #[doc(hidden)]
    fn split(total: (f64, f64)) -> (Self::Wide, Self::Wide);
    #[doc(hidden)]
    fn normal(self, max: Self::Wide, sum: Self::Wide) -> Self;
    #[doc(hidden)]
    fn log_normal(self, max: Self::Wide, sum: Self::Wide) -> Self;
}

macro_rules! softmax {
    ($($type:ty: $wide:ty, |$value:ident| $widen:expr, |$result:ident| $narrow:expr;)*) => {$(
        impl Softmax for $type {
            type Wide = $wide;

            #[inline(always)]
            fn split((max, sum): (f64, f64)) -> ($wide, $wide) {
                (max as $wide, sum as $wide)
            }

            #[inline(always)]
            fn normal(self, max: $wide, sum: $wide) -> Self {
                let $value = self;
                let $result = Math::exp($widen - max) / sum;
                $narrow
            }

            #[inline(always)]
            fn log_normal(self, max: $wide, sum: $wide) -> Self {
                let $value = self;
                let $result = ($widen - max) - Math::ln(sum);
                $narrow
            }
        }
    )*};
}
softmax! {
    f32: f32, |x| x, |y| y;
    f64: f64, |x| x, |y| y;
    f16: f32, |x| CastTo::<f32>::cast_to(x), |y| CastTo::<f16>::cast_to(y);
    bf16: f32, |x| CastTo::<f32>::cast_to(x), |y| CastTo::<bf16>::cast_to(y);
}

/// What [`LogSumExp`] knows before it takes the logarithm.
#[derive(Clone, Copy, Debug)]
pub struct Parts;

impl<T: Softmax> Reduction<T> for Parts
where
    LogSumExp: Reduction<T, Total = (f64, f64)>,
{
    type Acc = <LogSumExp as Reduction<T>>::Acc;
    type Total = (f64, f64);
    type Output = (T::Wide, T::Wide);
    const NAME: &'static str = "softmax";
    const COST: usize = <LogSumExp as Reduction<T>>::COST;

    #[inline(always)]
    fn start(&self) -> Self::Acc {
        LogSumExp.start()
    }

    #[inline(always)]
    fn step(&self, acc: Self::Acc, value: T, round: usize) -> Self::Acc {
        LogSumExp.step(acc, value, round)
    }

    #[inline(always)]
    fn total(&self, acc: Self::Acc, place: Place) -> (f64, f64) {
        LogSumExp.total(acc, place)
    }

    #[inline(always)]
    fn merge(&self, a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
        Reduction::<T>::merge(&LogSumExp, a, b)
    }

    #[inline(always)]
    fn finish(&self, total: (f64, f64), _: usize) -> Result<Self::Output, Error> {
        Ok(T::split(total))
    }

    fn empty(&self) -> Option<Self::Output> {
        Some(T::split((f64::NEG_INFINITY, 0.0)))
    }
}

/// The operation of [`Lanewise::softmax`](super::Lanewise::softmax), on an element and what the reduction gave.
pub(super) struct Normal;
/// The same of its logarithm.
pub(super) struct LogNormal;

impl<T: Softmax> Op<(T, (T::Wide, T::Wide))> for Normal {
    type Output = T;
    const COST: usize = 20;

    #[inline(always)]
    fn apply(&self, (x, (max, sum)): (T, (T::Wide, T::Wide))) -> T {
        x.normal(max, sum)
    }
}

impl<T: Softmax> Op<(T, (T::Wide, T::Wide))> for LogNormal {
    type Output = T;
    const COST: usize = 20;

    #[inline(always)]
    fn apply(&self, (x, (max, sum)): (T, (T::Wide, T::Wide))) -> T {
        x.log_normal(max, sum)
    }
}
