//! Softmax: a distribution over the elements along some axes.

use super::run::{SMALL, along as reduced, slice_total};
use super::{Max, MonoidReduction, Named, Reduction, keep};
use crate::eval::{Contiguous, eval_by, write};
use crate::exec::{Exec, work_of};
use crate::expr::{Apply, Expr, Lazy};
use crate::help;
use crate::kernel::{AppliedBlock, Write, compute};
use crate::math::Math;
use crate::number::Float;
use crate::ops::{Add, CastTo, Op};
use crate::types::{Array, View, ViewMut};
use bcast::Error;
use ndcore::{Axes, Dimension, Dyn, Filled, Layout, Packed};
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
    const COST: usize = 1;

    #[inline(always)]
    fn apply(&self, (x, share): (T, T::Compute)) -> T {
        (wide(x) * share).cast_to()
    }
}

/// What a number is above the largest, less a number of the wider type.
struct Less;

impl<T: Float> Op<((T, T), T::Compute)> for Less {
    type Output = T;
    const COST: usize = 1;

    #[inline(always)]
    fn apply(&self, ((x, max), logarithm): ((T, T), T::Compute)) -> T {
        (wide(x) - wide(max) - logarithm).cast_to()
    }
}

/// A function of the sum.
#[derive(Clone, Copy)]
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

/// The steps of softmax, for elements that are not all in one place: with the largest elements
/// `max` and what [`sum`](Self::sum) makes of the [`exponentials`](Self::exponentials), both with
/// the axes kept. The bits are those of [`Lanewise::softmax`](super::Lanewise::softmax).
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct SoftmaxSteps;

impl SoftmaxSteps {
    /// The exponentials of the elements less the largest.
    pub fn exponentials<'a, T: Float, R: Dimension, E: Expr<Elem = T, Rank = R> + 'a>(
        x: E,
        max: View<'a, T, R>,
    ) -> Lazy<impl Expr<Elem = T, Rank = R> + 'a> {
        Apply::lazy(ExpLess, (x, max))
    }

    /// The reduction of the exponentials: what they are multiplied by, or for the logarithm of
    /// softmax, what is subtracted from it.
    pub fn sum<T: Float>(
        logarithm: bool,
    ) -> impl Reduction<T, Total = f64, Output = T::Compute> + Copy {
        OfSum(if logarithm { f64::ln } else { f64::recip })
    }

    /// Softmax.
    pub fn softmax<'a, T: Float, R: Dimension, E: Expr<Elem = T, Rank = R> + 'a>(
        x: E,
        max: View<'a, T, R>,
        shares: View<'a, T::Compute, R>,
    ) -> Lazy<impl Expr<Elem = T, Rank = R> + 'a> {
        Apply::lazy(Scaled, (Apply::new(ExpLess, (x, max)), shares))
    }

    /// Its logarithm.
    pub fn log_softmax<'a, T: Float, R: Dimension, E: Expr<Elem = T, Rank = R> + 'a>(
        x: E,
        max: View<'a, T, R>,
        logarithms: View<'a, T::Compute, R>,
    ) -> Lazy<impl Expr<Elem = T, Rank = R> + 'a> {
        Apply::lazy(Less, ((x, max), logarithms))
    }
}

/// The work for each element, in additions.
const WORK: usize = 40;

/// The bytes of what is computed at a time, so that it stays in a second-level cache from one step
/// to the next.
const SLAB_BYTES: usize = 1 << 18;

/// Where a result goes.
type Out<'b, T> = ViewMut<'b, MaybeUninit<T>, Dyn>;

/// Softmax along these axes, or its logarithm.
pub(super) fn softmax<T: Float>(
    from: &Contiguous<'_, T>,
    axes: &[usize],
    logarithm: bool,
    exec: &Exec,
) -> Result<Array<T, Dyn>, Error> {
    let x = from.view();
    if let Some(elements) = x.as_slice()
        && let [axis] = *axes
        && axis + 1 == x.ndim()
        && (1..=SMALL).contains(&x.shape()[axis])
        && exec.tasks(elements.len(), work_of(size_of::<T>(), WORK)) <= 1
    {
        return of_rows(elements, &x, logarithm, exec);
    }
    let order = from.order();
    let shape = x.layout().raw_shape();
    let layout = Layout::nested(shape, &order)?;
    let len = layout.size();
    Array::build(layout, |out| {
        if len == 0 {
            return Ok(out.filled_without_elements());
        }
        let parallel = exec.tasks(len, work_of(size_of::<T>(), WORK)) > 1;
        let Some(&axis) = order.iter().find(|axis| !axes.contains(axis) && shape[**axis] > 1)
        else {
            return slab_softmax(x, out, axes, logarithm, exec);
        };
        let slab = (SLAB_BYTES / size_of::<T>() * shape[axis] / len).max(1);
        // The result goes past the cache slab by slab if it would as a whole.
        let cache = if 2 * size_of::<T>() * len > exec.cache { 0 } else { usize::MAX };
        let serial = Exec { parallel: false, cache, ..*exec };
        slabs(x, out, axis, slab, parallel, &SlabOf { axes, logarithm, exec: &serial })
    })
}

/// The most elements of short rows that are computed at a time.
const ROWS: usize = 1 << 10;

/// Of rows of unit stride that follow each other, each of at most [`SMALL`] elements: some rows at a
/// time, because a call for each would take longer than a few exponentials.
fn of_rows<T: Float>(
    elements: &[T],
    x: &View<'_, T, Dyn>,
    logarithm: bool,
    exec: &Exec,
) -> Result<Array<T, Dyn>, Error> {
    let len = x.shape()[x.ndim() - 1];
    let layout = Layout::c_order(x.layout().raw_shape())?;
    let most = (ROWS / len).max(1) * len;
    let (mut exponentials, mut max, mut of_sums) = (Packed::new(), Packed::new(), Packed::new());
    if !(exponentials.reserve(most) && max.reserve(most) && of_sums.reserve(most)) {
        return Err(Error::no_memory());
    }
    let of_sum = OfSum(if logarithm { f64::ln } else { f64::recip });
    Array::build_rows(layout, most, |number, slots| {
        let rows = &elements[number * most..][..slots.len()];
        let max = for_each_row(&mut max, rows, len, &Max);
        let block = AppliedBlock::new(&ExpLess, (rows, max));
        let exponentials =
            &*exponentials.initialise(rows.len(), |slots| compute(exec.isa, slots, block));
        let of_sums = for_each_row(&mut of_sums, exponentials, len, &of_sum);
        if logarithm {
            let block = AppliedBlock::new(&Less, ((rows, max), of_sums));
            return Ok(compute(exec.isa, slots, block));
        }
        let block = AppliedBlock::new(&Scaled, (exponentials, of_sums));
        Ok(compute(exec.isa, slots, block))
    })
}

/// What rows of so many elements reduce to, for each of their elements.
fn for_each_row<'b, T: Float, F: Reduction<T>>(
    buffer: &'b mut Packed<F::Output>,
    rows: &[T],
    len: usize,
    op: &F,
) -> &'b [F::Output] {
    let of = |row| op.finish(slice_total(row, op), len).expect("a row has elements");
    buffer.fill(of(&rows[..len]), rows.len());
    let each = buffer.as_mut_slice().chunks_exact_mut(len).zip(rows.chunks_exact(len));
    each.skip(1).for_each(|(slots, row)| slots.fill(of(row)));
    buffer.as_slice()
}

/// What is computed of a slab.
struct SlabOf<'s> {
    axes: &'s [usize],
    logarithm: bool,
    exec: &'s Exec,
}

/// Halves along an axis until a part is a slab.
fn slabs<'b, T: Float>(
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
    let (low, high) = if parallel { help::join(low, high) } else { (low(), high()) };
    Ok(low?.join(high?))
}

fn slab_softmax<'b, T: Float>(
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
