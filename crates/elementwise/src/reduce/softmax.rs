//! Softmax: a distribution over the elements along some axes.
//!
//! Nothing is rounded to 16 bits but the result: numbers of 16 bits are widened before all of this,
//! and narrowed after it ([`is_narrow`]).

use super::run::{SMALL, along as reduced, slice_total};
use super::{Compiled, Max, MonoidReduction, Named, Reduction, keep};
use crate::eval::{eval_by, write};
use crate::exec::{Exec, work_of};
use crate::expr::{Apply, Expr, Lazy};
use crate::help;
use crate::kernel::{AppliedBlock, Isa, Write, compute};
use crate::math::Math;
use crate::number::Float;
use crate::ops::{Add, Cast, CastTo, Mul, Op};
use crate::types::{Array, View, ViewMut};
use bcast::Error;
use ndcore::{Axes, Dimension, Dyn, Filled, Layout, Packed};
use std::mem::MaybeUninit;

/// An element in the type that it is computed in.
#[inline(always)]
fn wide<T: Float>(x: T) -> T::Compute {
    x.cast_to()
}

/// Whether functions of the elements are computed in a wider type.
pub(super) const fn is_narrow<T: Float>() -> bool {
    size_of::<T>() < size_of::<T::Compute>()
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

/// What a number is above the largest, less another number.
struct Less;

impl<T: Float> Op<((T, T), T)> for Less {
    type Output = T;
    const COST: usize = 1;

    #[inline(always)]
    fn apply(&self, ((x, max), logarithm): ((T, T), T)) -> T {
        (wide(x) - wide(max) - wide(logarithm)).cast_to()
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
    type Output = T;
    const COMPILED: Option<&'static Compiled<T, f64, T>> = T::SUMS;

    #[inline(always)]
    fn lift(&self, x: T) -> T::Acc {
        x.lift()
    }

    #[inline(always)]
    fn total(&self, acc: T::Acc) -> f64 {
        T::total(acc)
    }

    #[inline(always)]
    fn finish(&self, total: f64, _: usize) -> Result<T, Error> {
        Ok(T::rounded((self.0)(total)))
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
    ) -> Lazy<impl Expr<Elem = T::Compute, Rank = R> + 'a> {
        Apply::lazy(ExpLess, (widened(x), widened(max)))
    }

    /// The reduction of the exponentials: what they are multiplied by, or for the logarithm of
    /// softmax, what is subtracted from it.
    pub fn sum<T: Float>(
        logarithm: bool,
    ) -> impl Reduction<T::Compute, Total = f64, Output = T::Compute> + Copy {
        OfSum(if logarithm { f64::ln } else { f64::recip })
    }

    /// Softmax.
    pub fn softmax<'a, T: Float, R: Dimension, E: Expr<Elem = T, Rank = R> + 'a>(
        x: E,
        max: View<'a, T, R>,
        shares: View<'a, T::Compute, R>,
    ) -> Lazy<impl Expr<Elem = T, Rank = R> + 'a> {
        let exponentials = Apply::new(ExpLess, (widened(x), widened(max)));
        Apply::lazy(Cast::new(), Apply::new(Mul, (exponentials, shares)))
    }

    /// Its logarithm.
    pub fn log_softmax<'a, T: Float, R: Dimension, E: Expr<Elem = T, Rank = R> + 'a>(
        x: E,
        max: View<'a, T, R>,
        logarithms: View<'a, T::Compute, R>,
    ) -> Lazy<impl Expr<Elem = T, Rank = R> + 'a> {
        Apply::lazy(Cast::new(), Apply::new(Less, ((widened(x), widened(max)), logarithms)))
    }
}

/// The elements in the type that is computed in.
fn widened<T: Float, E: Expr<Elem = T>>(x: E) -> Apply<Cast<T::Compute>, E> {
    Apply::new(Cast::new(), x)
}

/// The work for each element, in additions.
const WORK: usize = 40;

/// The bytes of what is computed at a time, so that it stays in a second-level cache from one step
/// to the next.
const SLAB_BYTES: usize = 1 << 18;

/// Where a result goes.
type Out<'b, T> = ViewMut<'b, MaybeUninit<T>, Dyn>;

/// Softmax along these axes, or its logarithm, of elements without gaps; `order` has the axes from
/// the outermost in memory.
pub(super) fn softmax<T: Float>(
    x: View<'_, T, Dyn>,
    order: &[usize],
    axes: &[usize],
    logarithm: bool,
    exec: &Exec,
) -> Result<Array<T, Dyn>, Error> {
    let mask = axes.iter().fold(0, |mask, axis| mask | 1 << axis);
    if let Some(of_rows) = softmax_of_rows(&x, mask, logarithm, exec) {
        return of_rows;
    }
    let shape = x.layout().raw_shape();
    let layout = Layout::nested(shape, order)?.with_units_settled();
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

/// The most elements of short rows that are computed at a time, and the most that need no memory
/// beside the result.
const ROWS: usize = 1 << 10;
const FEW: usize = 64;

/// Of rows of unit stride that follow each other, each of at most [`SMALL`] elements, which are not
/// worth threads: some rows at a time, because a call for each would take longer than a few
/// exponentials. `None` if it is something else.
pub(super) fn softmax_of_rows<T: Float, R: Dimension>(
    x: &View<'_, T, R>,
    axes: u32,
    logarithm: bool,
    exec: &Exec,
) -> Option<Result<Array<T, R>, Error>> {
    let (elements, &len) = (x.as_slice()?, x.shape().last()?);
    let is_last = axes == 1 << (x.ndim() - 1);
    let serial = exec.tasks(elements.len(), work_of(size_of::<T>(), WORK)) <= 1;
    if !is_last || !(1..=SMALL).contains(&len) || !serial {
        return None;
    }
    Some((|| {
        let most = (ROWS / len).max(1) * len;
        let (mut few, mut many) = ([T::LOWEST; FEW], Packed::new());
        let max = if elements.len() <= FEW {
            &mut few[..]
        } else {
            if !many.reserve(most) {
                return Err(Error::no_memory());
            }
            many.fill(T::LOWEST, most.min(elements.len()));
            many.as_mut_slice()
        };
        Array::build_rows(Layout::c_order(x.layout().raw_shape())?, most, |number, slots| {
            let rows = &elements[number * most..][..slots.len()];
            Ok(some_rows(rows, len, &mut max[..rows.len()], slots, logarithm, exec.isa))
        })
    })())
}

/// Of some rows; with a place for the largest element of each, for each of its elements.
fn some_rows<'b, T: Float>(
    rows: &[T],
    len: usize,
    max: &mut [T],
    slots: &'b mut [MaybeUninit<T>],
    logarithm: bool,
    isa: Isa,
) -> &'b mut [T] {
    for (max, row) in max.chunks_exact_mut(len).zip(rows.chunks_exact(len)) {
        max.fill(result_of(row, &Max));
    }
    let max = &*max;
    let out = compute(isa, slots, AppliedBlock::new(&ExpLess, (rows, max)));
    for (number, out) in out.chunks_exact_mut(len).enumerate() {
        if logarithm {
            let (first, of_sum) = (number * len, result_of(out, &OfSum(f64::ln)));
            for (i, out) in out.iter_mut().enumerate() {
                *out = Less.apply(((rows[first + i], max[first]), of_sum));
            }
        } else {
            let share = result_of(out, &OfSum(f64::recip));
            out.iter_mut().for_each(|x| *x = Mul.apply((*x, share)));
        }
    }
    out
}

/// What a row reduces to.
fn result_of<T: Float, F: Reduction<T>>(row: &[T], op: &F) -> F::Output {
    op.finish(slice_total(row, op), row.len()).expect("a row has elements")
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
    write(&Apply::new(Mul, (exponentials.view(), shares.view())), &Write, out, exec)
}
