//! Softmax: a distribution over the elements along some axes.
//!
//! Nothing is rounded to 16 bits but the result: numbers of 16 bits are widened before all of this,
//! and narrowed after it ([`is_narrow`]).

use super::run::{along as reduced, slice_total};
use super::{Compiled, Max, MonoidReduction, Named, Reduction, keep};
use crate::eval::{eval_by, write};
use crate::exec::{Exec, work_of};
use crate::expr::{Apply, Expr, Lazy};
use crate::help;
use crate::kernel::{AppliedBlock, Splat, Write, compute, compute_flat, fence};
use crate::math::Math;
use crate::number::Float;
use crate::ops::{Add, Cast, CastTo, Mul, Op};
use crate::plan::BLOCK_LEN;
use crate::types::{Array, View, ViewMut};
use bcast::Error;
use ndcore::{
    Axes, Dimension, Dyn, Element, Filled, Layout, Nest, Packed, Rank, Runs, fill_rows, reserved,
};
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
#[derive(Clone, Copy)]
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
#[derive(Clone, Copy)]
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
        let cache = if streams(&x, exec) { 0 } else { usize::MAX };
        let serial = Exec { parallel: false, cache, ..*exec };
        slabs(x, out, axis, slab, parallel, &SlabOf { axes, logarithm, exec: &serial })
    })
}

/// The elements of short rows that are computed at a time, the most of them that need no memory
/// beside the result, and those of any row whose exponentials are computed while as many are asked
/// for, at a time.
const SOME: usize = 1 << 10;
const FEW: usize = 64;
const PIECE: usize = 128;

/// The elements of rows of unit stride that follow each other, and the length of a row, if softmax
/// along these axes is that of each row, and a row stays in a second-level cache.
fn in_rows<'x, T: Element, R: Dimension>(
    x: &View<'x, T, R>,
    axes: u32,
) -> Option<(&'x [T], usize)> {
    let (elements, &len) = (x.as_slice()?, x.shape().last()?);
    let is_last = axes == 1 << (x.ndim() - 1);
    (is_last && (1..=SLAB_BYTES / size_of::<T>()).contains(&len)).then_some((elements, len))
}

/// Of rows that are not worth threads, without a plan; `None` if it is something else.
pub(super) fn softmax_of_rows<T: Float, R: Dimension>(
    x: &View<'_, T, R>,
    axes: u32,
    logarithm: bool,
    exec: &Exec,
) -> Option<Result<Array<T, R>, Error>> {
    let (elements, len) = in_rows(x, axes)?;
    let serial = exec.tasks(elements.len(), work_of(size_of::<T>(), WORK)) <= 1;
    serial.then(|| {
        let rows = OfRows { elements, len, logarithm, exec, streamed: streams(x, exec) };
        let layout = Layout::c_order(x.layout().raw_shape())?;
        Array::build_flat(layout, |slots| rows.softmax(slots))
    })
}

/// So many elements take less time as rows, with copies before and after, than by the reductions
/// and passes of many.
const FEW_TURNED: usize = 1 << 10;

/// Of few elements in row-major order, along one axis that is not the last one: of a copy in which
/// it is, if that is not worth threads; `None` if it is something else.
pub(super) fn softmax_turned<T: Float, R: Dimension>(
    x: &View<'_, T, R>,
    axes: u32,
    logarithm: bool,
    exec: &Exec,
) -> Result<Option<Array<T, R>>, Error> {
    let few = (1..=FEW_TURNED).contains(&x.len()) && x.as_slice().is_some();
    if !few || axes.count_ones() != 1 {
        return Ok(None);
    }
    let (axis, last) = (axes.trailing_zeros() as usize, x.ndim() - 1);
    let order: Axes<usize> = (0..axis).chain(axis + 1..=last).chain([axis]).collect();
    let back: Axes<usize> = (0..axis).chain([last]).chain(axis..last).collect();
    let turned = x.permuted_axes(R::shape(&order)?)?.to_owned();
    match softmax_of_rows(&turned.view(), 1 << last, logarithm, exec) {
        Some(rows) => Ok(Some(rows?.permuted_axes(R::shape(&back)?)?.to_owned())),
        None => Ok(None),
    }
}

/// Whether the result goes past the cache.
fn streams<T: Element, R: Dimension>(x: &View<'_, T, R>, exec: &Exec) -> bool {
    2 * size_of::<T>() * x.len() > exec.cache
}

/// Rows that follow each other: some of them at a time, or a longer one by itself, go through all
/// steps while they are in a near cache; a longer one by way of memory beside the result.
struct OfRows<'r, T> {
    elements: &'r [T],
    /// The elements of a row.
    len: usize,
    logarithm: bool,
    exec: &'r Exec,
    streamed: bool,
}

impl<T: Float> OfRows<'_, T> {
    fn softmax<'b>(&self, slots: &'b mut [MaybeUninit<T>]) -> Result<&'b mut [T], Error> {
        let some = (SOME / self.len).max(1) * self.len;
        // A place for the largest element of each row, for each of its elements.
        let places = some.min(SOME).min(self.elements.len());
        let (mut few, mut many) = ([T::LOWEST; FEW], Packed::new());
        let max = if places <= FEW {
            &mut few[..places]
        } else {
            if !many.reserve(places) {
                return Err(Error::no_memory());
            }
            many.fill(T::LOWEST, places);
            many.as_mut_slice()
        };
        let (isa, streamed, one) = (self.exec.isa, self.streamed, some == self.len);
        let mut aside = reserved::<T>(if streamed || one { some } else { 0 }, &[])?;
        let filled = fill_rows(slots, some, |number, slots| {
            let rows = &self.elements[number * some..][..slots.len()];
            if !streamed && !one {
                let values = self.exponentials(rows, max, slots)?;
                self.finish(rows, max, values)?;
                return Ok(values);
            }
            let aside = &mut aside.spare_capacity_mut()[..slots.len()];
            let values = self.exponentials(rows, max, aside)?;
            if !one {
                self.finish(rows, max, values)?;
                return Ok(compute_flat(isa, slots, &*values, streamed));
            }
            let (values, max) = (&*values, Splat(max[0]));
            Ok(if self.logarithm {
                let logarithm = Splat(self.result_of(values, &OfSum(f64::ln))?);
                let block = AppliedBlock::new(Less, ((rows, max), logarithm));
                compute_flat(isa, slots, block, streamed)
            } else {
                let share = Splat(self.result_of(values, &OfSum(f64::recip))?);
                compute_flat(isa, slots, AppliedBlock::new(Mul, (values, share)), streamed)
            })
        });
        if streamed {
            fence();
        }
        filled
    }

    /// The exponentials of the elements of some rows, less the largest ones, which are put in their
    /// places.
    fn exponentials<'b>(
        &self,
        rows: &[T],
        max: &mut [T],
        slots: &'b mut [MaybeUninit<T>],
    ) -> Result<&'b mut [T], Error> {
        // There is one row if it has more elements than there are places.
        for (max, row) in max.chunks_mut(self.len).zip(rows.chunks_exact(self.len)) {
            max.fill(self.result_of(row, &Max)?);
        }
        let max = &*max;
        let most = if self.streamed { PIECE } else { usize::MAX };
        let (piece, ahead) = (max.len().min(most), size_of_val(rows));
        fill_rows(slots, piece, |number, slots| {
            let first = number * piece;
            let x = &rows[first..][..slots.len()];
            // As much as is computed meanwhile of what comes after these rows.
            if self.streamed {
                Runs::from(x).starts().prefetch(0, x.len(), ahead);
            }
            let max = &max[if rows.len() > max.len() { 0 } else { first }..][..x.len()];
            Ok(compute(self.exec.isa, slots, AppliedBlock::new(ExpLess, (x, max))))
        })
    }

    /// Makes of the exponentials of short rows what is wanted.
    fn finish(&self, rows: &[T], max: &[T], values: &mut [T]) -> Result<(), Error> {
        let values = values.chunks_exact_mut(self.len).zip(rows.chunks_exact(self.len));
        for ((values, row), max) in values.zip(max.chunks(self.len)) {
            if self.logarithm {
                let of_sum = self.result_of(values, &OfSum(f64::ln))?;
                for (value, &x) in values.iter_mut().zip(row) {
                    *value = Less.apply(((x, max[0]), of_sum));
                }
            } else {
                let share = self.result_of(values, &OfSum(f64::recip))?;
                values.iter_mut().for_each(|x| *x = Mul.apply((*x, share)));
            }
        }
        Ok(())
    }

    /// What a row reduces to.
    fn result_of<F: Reduction<T, Output = T>>(&self, row: &[T], op: &F) -> Result<T, Error> {
        if row.len() <= BLOCK_LEN {
            return op.finish(slice_total(row, op), row.len());
        }
        let row = View::from_layout_slice(Layout::<Rank<1>>::c_order([row.len()])?, row)?;
        Ok(reduced(&row, op, &keep([0]), self.exec)?[0])
    }
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
    let mask = axes.iter().fold(0, |mask, axis| mask | 1 << axis);
    if let Some((elements, len)) = in_rows(&x, mask)
        && out.layout().is_c_contiguous()
    {
        let rows = OfRows { elements, len, logarithm, exec, streamed: exec.cache == 0 };
        let nest = Nest { order: (0..x.ndim() as u8).collect(), ..Nest::default() };
        return out.into_part(&nest).fill(|slots| rows.softmax(slots));
    }
    let along = keep(axes.iter().copied().collect::<Axes<usize>>());
    let max = reduced(&x, &Max, &along, exec)?;
    let max = max.view();
    if logarithm {
        let exponentials = Apply::new(ExpLess, (x, max));
        let logarithms = reduced(&exponentials, &OfSum(f64::ln), &along, exec)?;
        return write(
            &Apply::new(Less, ((x, max), logarithms.view())),
            &Write,
            out.into_dyn(),
            exec,
        );
    }
    let kept = Exec { cache: usize::MAX, ..*exec };
    let exponentials = eval_by(&Apply::new(ExpLess, (x, max)), &kept)?;
    let shares = reduced(&exponentials.view(), &OfSum(f64::recip), &along, exec)?;
    write(&Apply::new(Mul, (exponentials.view(), shares.view())), &Write, out.into_dyn(), exec)
}
