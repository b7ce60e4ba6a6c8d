//! Softmax: a distribution over the elements along some axes.

use super::lanes::Lying;
use super::{Max, MonoidReduction, Named, ReduceAxes, Reductions, keep};
use crate::eval::{Fresh, store};
use crate::exec::{Exec, work_of};
use crate::expr::{Apply, Expr};
use crate::kernel::Write;
use crate::math::Math;
use crate::number::Float;
use crate::ops::{Add, CastTo, Op};
use crate::types::{Array, View, ViewMut};
use bcast::Error;
use ndcore::{Axes, Dyn, Element, Layout};
use std::mem::MaybeUninit;

/// An element in the type that it is computed in.
#[inline(always)]
fn wide<T: Float>(x: T) -> T::Compute {
    x.cast_to()
}

/// The exponential of the difference of two numbers.
struct ExpLess;

impl<T: Float> Op<(T, T)> for ExpLess {
    type Output = T;
    const COST: usize = 20;
    const RARE: bool = true;

    #[inline(always)]
    fn apply(&self, (x, max): (T, T)) -> T {
        Math::exp(wide(x) - wide(max)).cast_to()
    }

    #[inline(always)]
    fn is_usual(&self, (x, max): (T, T)) -> bool {
        Math::has_usual_exp(wide(x) - wide(max))
    }

    #[inline(always)]
    fn apply_usual(&self, (x, max): (T, T)) -> T {
        Math::exp_usual(wide(x) - wide(max)).cast_to()
    }
}

/// The product with a number of the wider type.
struct Scaled;

impl<T: Float> Op<(T, T::Compute)> for Scaled {
    type Output = T;

    #[inline(always)]
    fn apply(&self, (x, share): (T, T::Compute)) -> T {
        (wide(x) * share).cast_to()
    }
}

/// What a number is above the largest, less a number of the wider type.
struct Less;

impl<T: Float> Op<((T, T), T::Compute)> for Less {
    type Output = T;

    #[inline(always)]
    fn apply(&self, ((x, max), logarithm): ((T, T), T::Compute)) -> T {
        (wide(x) - wide(max) - logarithm).cast_to()
    }
}

/// A function of the sum.
struct OfSum(fn(f64) -> f64);

impl Named for OfSum {
    const NAME: &'static str = "softmax";
}

impl<T: Float> MonoidReduction<T> for OfSum {
    type Op = Add;
    type Acc = T::Acc;
    type Total = f64;
    type Output = T::Compute;

    #[inline(always)]
    fn lift(&self, x: T) -> T::Acc {
        x.lift()
    }

    #[inline(always)]
    fn total(&self, acc: T::Acc) -> f64 {
        T::total(acc)
    }

    #[inline(always)]
    fn finish(&self, total: f64, _: usize) -> Result<T::Compute, Error> {
        Ok(T::Compute::rounded((self.0)(total)))
    }
}

/// The bytes of what is computed at a time, so that it stays in a second-level cache from one step to the next.
const SLAB_BYTES: usize = 1 << 18;

/// Where a result goes.
type Out<'a, T> = ViewMut<'a, MaybeUninit<T>, Dyn>;

/// Softmax along these axes, or its logarithm.
pub(super) fn softmax<T: Float>(
    from: &Lying<'_, T>,
    axes: &[usize],
    logarithm: bool,
    exec: &Exec,
) -> Result<Array<T, Dyn>, Error> {
    let (x, order) = (from.view(), from.order());
    let shape = x.layout().raw_shape();
    let layout = Layout::nested(shape, &order)?;
    let (mut out, len) = (Fresh::new(layout)?, layout.size());
    if len == 0 {
        return Ok(out.finish(0));
    }
    let parallel = exec.tasks(len, work_of(size_of::<T>(), 40)) > 1;
    match order.iter().find(|axis| !axes.contains(axis) && shape[**axis] > 1) {
        Some(&axis) => {
            let slab = (SLAB_BYTES / size_of::<T>() * shape[axis] / len).max(1);
            // The result goes past the cache slab by slab if it would as a whole.
            let cache = if 2 * size_of::<T>() * len > exec.cache { 0 } else { usize::MAX };
            let serial = Exec { parallel: false, cache, ..*exec };
            let one = |x: View<'_, T, Dyn>, out: Out<'_, T>| slab_softmax(x, out, axes, logarithm, &serial);
            slabs(x, out.slots(), axis, slab, parallel, &one)?;
        }
        None => slab_softmax(x, out.slots(), axes, logarithm, exec)?,
    }
    Ok(out.finish(len))
}

/// Halves along an axis until a part is a slab.
fn slabs<T: Element>(
    x: View<'_, T, Dyn>,
    out: Out<'_, T>,
    axis: usize,
    slab: usize,
    parallel: bool,
    f: &(dyn Fn(View<'_, T, Dyn>, Out<'_, T>) -> Result<(), Error> + Sync),
) -> Result<(), Error> {
    let extent = out.shape()[axis];
    if extent <= slab {
        return f(x, out);
    }
    let mid = extent / 2;
    let (low, high) = out.split_at(axis, mid)?;
    let (x_low, x_high) = (x.slice_axis(axis, 0..mid, 1)?, x.slice_axis(axis, mid..extent, 1)?);
    let low = || slabs(x_low, low, axis, slab, parallel, f);
    let high = || slabs(x_high, high, axis, slab, parallel, f);
    let (low, high) = if parallel { rayon::join(low, high) } else { (low(), high()) };
    low.and(high)
}

fn slab_softmax<T: Float>(
    x: View<'_, T, Dyn>,
    out: Out<'_, T>,
    axes: &[usize],
    logarithm: bool,
    exec: &Exec,
) -> Result<(), Error> {
    let along = || keep(axes.iter().copied().collect::<Axes<usize>>());
    let max = x.reduce_by_with(Max, along(), exec)?;
    let max = max.view();
    if logarithm {
        let logarithms = Apply::new(ExpLess, (x, max)).reduce_by_with(OfSum(f64::ln), along(), exec)?;
        return store(&Apply::new(Less, ((x, max), logarithms.view())), &Write, out, exec);
    }
    let exponentials = Apply::new(ExpLess, (x, max)).eval_with(&Exec { cache: usize::MAX, ..*exec })?;
    let shares = exponentials.view().reduce_by_with(OfSum(f64::recip), along(), exec)?;
    store(&Apply::new(Scaled, (exponentials.view(), shares.view())), &Write, out, exec)
}

/// The axes of a mask.
pub(super) fn axes_of<R: ndcore::Dimension, Ax: ReduceAxes<R>>(
    axes: &Ax,
    shape: &[usize],
) -> Result<Axes<usize>, Error> {
    let mask = axes.mask(shape)?;
    Ok((0..shape.len()).filter(|axis| mask & (1 << axis) != 0).collect())
}
