//! Softmax: a distribution over the elements along some axes.

use super::run::along as reduced;
use super::sums::adds_up;
use super::{Max, Place, ReduceAxes, Reduction, Summand, keep};
use crate::eval::{Contiguous, eval_by, write};
use crate::exec::{Exec, work_of};
use crate::expr::Apply;
use crate::kernel::Write;
use crate::math::Math;
use crate::ops::{CastTo, Op};
use crate::types::{Array, View, ViewMut};
use bcast::Error;
use half::{bf16, f16};
use ndcore::{Axes, Dyn, Element, Filled, Layout};
use std::mem::MaybeUninit;

/// Floating-point types with a softmax.
#[diagnostic::on_unimplemented(
    message = "`softmax` is not defined for elements of type `{Self}`",
    note = "it is for floating-point numbers; `.cast::<U>()` converts"
)]
pub trait Softmax: Summand<Total = f64> + super::Extreme + num_traits::Zero {
    /// `f32` or `f64`, in which it is computed.
    #[doc(hidden)]
    type Wide: Element;

    #[doc(hidden)]
    fn wide(self) -> Self::Wide;
    #[doc(hidden)]
    fn narrow(wide: Self::Wide) -> Self;
    #[doc(hidden)]
    fn rounded(number: f64) -> Self::Wide;
    #[doc(hidden)]
    fn less(a: Self::Wide, b: Self::Wide) -> Self::Wide;
    #[doc(hidden)]
    fn times(a: Self::Wide, b: Self::Wide) -> Self::Wide;
    #[doc(hidden)]
    fn exp(x: Self::Wide) -> Self::Wide;
    #[doc(hidden)]
    fn has_usual_exp(x: Self::Wide) -> bool;
    #[doc(hidden)]
    fn exp_usual(x: Self::Wide) -> Self::Wide;
}

macro_rules! softmax {
    ($($type:ty: $wide:ty;)*) => {$(
        impl Softmax for $type {
            type Wide = $wide;

            #[inline(always)]
            fn wide(self) -> $wide {
                CastTo::<$wide>::cast_to(self)
            }

            #[inline(always)]
            fn narrow(wide: $wide) -> $type {
                CastTo::<$type>::cast_to(wide)
            }

            #[inline(always)]
            fn rounded(number: f64) -> $wide {
                number as $wide
            }

            #[inline(always)]
            fn less(a: $wide, b: $wide) -> $wide {
                a - b
            }

            #[inline(always)]
            fn times(a: $wide, b: $wide) -> $wide {
                a * b
            }

            #[inline(always)]
            fn exp(x: $wide) -> $wide {
                Math::exp(x)
            }

            #[inline(always)]
            fn has_usual_exp(x: $wide) -> bool {
                Math::has_usual_exp(x)
            }

            #[inline(always)]
            fn exp_usual(x: $wide) -> $wide {
                Math::exp_usual(x)
            }
        }
    )*};
}
softmax! {
    f32: f32;
    f64: f64;
    f16: f32;
    bf16: f32;
}

/// The exponential of the difference of two numbers.
struct ExpLess;

impl<T: Softmax> Op<(T, T)> for ExpLess {
    type Output = T;
    const COST: usize = 20;
    const RARE: bool = true;

    #[inline(always)]
    fn apply(&self, (x, max): (T, T)) -> T {
        T::narrow(T::exp(T::less(x.wide(), max.wide())))
    }

    #[inline(always)]
    fn is_usual(&self, (x, max): (T, T)) -> bool {
        T::has_usual_exp(T::less(x.wide(), max.wide()))
    }

    #[inline(always)]
    fn apply_usual(&self, (x, max): (T, T)) -> T {
        T::narrow(T::exp_usual(T::less(x.wide(), max.wide())))
    }
}

/// The product with a number of the wider type.
struct Scaled;

impl<T: Softmax> Op<(T, T::Wide)> for Scaled {
    type Output = T;
    const COST: usize = 1;

    #[inline(always)]
    fn apply(&self, (x, share): (T, T::Wide)) -> T {
        T::narrow(T::times(x.wide(), share))
    }
}

/// What a number is above the largest, less a number of the wider type.
struct Less;

impl<T: Softmax> Op<((T, T), T::Wide)> for Less {
    type Output = T;
    const COST: usize = 1;

    #[inline(always)]
    fn apply(&self, ((x, max), logarithm): ((T, T), T::Wide)) -> T {
        T::narrow(T::less(T::less(x.wide(), max.wide()), logarithm))
    }
}

/// A function of the sum.
struct OfSum(fn(f64) -> f64);

impl<T: Softmax> Reduction<T> for OfSum {
    adds_up!();
    type Output = T::Wide;
    const NAME: &'static str = "softmax";

    #[inline(always)]
    fn finish(&self, total: f64, _: usize) -> Result<T::Wide, Error> {
        Ok(T::rounded((self.0)(total)))
    }
}

/// The bytes of what is computed at a time, so that it stays in a second-level cache from one step to the next.
const SLAB_BYTES: usize = 1 << 18;

/// Where a result goes.
type Out<'b, T> = ViewMut<'b, MaybeUninit<T>, Dyn>;

/// Softmax along these axes, or its logarithm.
pub(super) fn softmax<T: Softmax>(
    from: &Contiguous<'_, T>,
    axes: &[usize],
    logarithm: bool,
    exec: &Exec,
) -> Result<Array<T, Dyn>, Error> {
    let (x, order) = (from.view(), from.order());
    let shape = x.layout().raw_shape();
    let layout = Layout::nested(shape, &order)?;
    let len = layout.size();
    Array::build(layout, |out| {
        if len == 0 {
            return Ok(out.filled_without_elements());
        }
        let parallel = exec.tasks(len, work_of(size_of::<T>(), 40)) > 1;
        let Some(&axis) = order.iter().find(|axis| !axes.contains(axis) && shape[**axis] > 1) else {
            return slab_softmax(x, out, axes, logarithm, exec);
        };
        let slab = (SLAB_BYTES / size_of::<T>() * shape[axis] / len).max(1);
        // The result goes past the cache slab by slab if it would as a whole.
        let cache = if 2 * size_of::<T>() * len > exec.cache { 0 } else { usize::MAX };
        let serial = Exec { parallel: false, cache, ..*exec };
        slabs(x, out, axis, slab, parallel, &SlabOf { axes, logarithm, exec: &serial })
    })
}

/// What is computed of a slab.
struct SlabOf<'s> {
    axes: &'s [usize],
    logarithm: bool,
    exec: &'s Exec,
}

/// Halves along an axis until a part is a slab.
fn slabs<'b, T: Softmax>(
    x: View<'_, T, Dyn>,
    out: Out<'b, T>,
    axis: usize,
    slab: usize,
    parallel: bool,
    of: &SlabOf<'_>,
) -> Result<Filled<'b>, Error> {
    let extent = out.shape()[axis];
    if extent <= slab {
        return slab_softmax(x, out, of.axes, of.logarithm, of.exec);
    }
    let mid = extent / 2;
    let (low, high) = out.split_at(axis, mid)?;
    let (x_low, x_high) = (x.slice_axis(axis, 0..mid, 1)?, x.slice_axis(axis, mid..extent, 1)?);
    let low = || slabs(x_low, low, axis, slab, parallel, of);
    let high = || slabs(x_high, high, axis, slab, parallel, of);
    let (low, high) = if parallel { rayon::join(low, high) } else { (low(), high()) };
    Ok(low?.join(high?))
}

fn slab_softmax<'b, T: Softmax>(
    x: View<'_, T, Dyn>,
    out: Out<'b, T>,
    axes: &[usize],
    logarithm: bool,
    exec: &Exec,
) -> Result<Filled<'b>, Error> {
    let along = keep(axes.iter().copied().collect::<Axes<usize>>());
    let max = reduced(&x, &Max, &along, exec)?;
    let max = max.view();
    if logarithm {
        let exponentials = Apply::new(ExpLess, (x, max));
        let logarithms = reduced(&exponentials, &OfSum(f64::ln), &along, exec)?;
        return write(&Apply::new(Less, ((x, max), logarithms.view())), &Write, out, exec);
    }
    let kept = Exec { cache: usize::MAX, ..*exec };
    let exponentials = eval_by(&Apply::new(ExpLess, (x, max)), &kept)?;
    let shares = reduced(&exponentials.view(), &OfSum(f64::recip), &along, exec)?;
    write(&Apply::new(Scaled, (exponentials.view(), shares.view())), &Write, out, exec)
}

/// The axes of a mask.
pub(super) fn axes_of<R: ndcore::Dimension, Ax: ReduceAxes<R>>(
    axes: &Ax,
    shape: &[usize],
) -> Result<Axes<usize>, Error> {
    let mask = axes.mask(shape)?;
    Ok((0..shape.len()).filter(|axis| mask & (1 << axis) != 0).collect())
}
