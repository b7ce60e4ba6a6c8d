//! What goes along an axis and needs its elements in memory: scans, softmax, sorting, quantiles.

use super::ReduceAxes;
use super::order::{QuantileMethod, ascending, check_q, descending, quantile};
use super::run::is_row_major;
use super::scans::{CumMax, CumMin, CumProd, CumSum, Scan, scan, scan_few};
use super::softmax::{softmax, softmax_of_rows};
use crate::eval::{Contiguous, apart, eval, in_order};
use crate::exec::{Exec, work_of};
use crate::expr::{Alike, Apply, Expr, RankOf, ResultRank, in_line, settled};
use crate::kernel::{Line, Source, fold_in_order};
use crate::number::{Float, Number, Ordered};
use crate::ops::{Op, Sub};
use crate::rearrange::{check_axis, elements_of, in_parts, row_major_of};
use crate::types::{Array, View};
use bcast::{Error, ErrorKind};
use ndcore::{Axes, Dimension, Dyn, Element, IntoAxis, List, Rank, Text, reserved};
use rayon::prelude::*;

/// The elements of an expression in row-major order.
fn row_major<E>(expr: &E, exec: &Exec) -> Result<Vec<E::Elem>, Error>
where
    E: Expr<Rank: Dimension>,
{
    let shape = expr.result_shape()?;
    let all: Axes<usize> = (0..shape.len()).collect();
    Ok(in_order(expr, &shape, &all, exec)?.try_into_vec()?)
}

/// The elements of what is not in memory, or repeats too often, taken one after the other in
/// row-major order: each as it is computed, where that is plain. Not so of functions, which take far
/// less time by vectors.
fn fold_computed<E: Expr<Rank: Dimension>, B>(
    expr: &E,
    init: B,
    f: impl FnMut(B, E::Elem) -> B,
) -> Result<B, Error> {
    if const { !E::BUFFERS && !E::IN_MEMORY } {
        let alike = Alike::find(expr);
        if let Some((shape, strides)) = alike.layout()
            && is_row_major(shape, strides)
        {
            let len = shape.iter().product();
            return Ok(fold_in_order(Alike::bind(expr, len).flat(), len, init, f));
        }
        if matches!(<E::Rank as Dimension>::NDIM, Some(1))
            && let Some(shape @ &[len]) = alike.first()
            && let Some(line) = in_line(expr, shape)
        {
            return Ok(fold_in_order(Line(line.block()), len, init, f));
        }
    }
    Ok(fold_view(new_array(expr)?.view(), init, f))
}

/// The elements of a view taken one after the other, in row-major order.
#[inline(always)]
fn fold_view<T: Element, R: Dimension, B>(
    view: View<'_, T, R>,
    init: B,
    mut f: impl FnMut(B, T) -> B,
) -> B {
    if let Some(slice) = view.as_slice() {
        return slice.iter().copied().fold(init, f);
    }
    // The rows of a small window are met sooner than an iterator over all of it is made.
    if matches!(R::NDIM, Some(2)) && view.strides()[1] == 1 {
        let mut value = init;
        for row in 0..view.shape()[0] {
            let row = view.line(row).expect("rows of unit stride");
            value = row.iter().copied().fold(value, &mut f);
        }
        return value;
    }
    view.iter().copied().fold(init, f)
}

/// Whether a view has more elements than there are between its first and its last one in memory.
#[inline(never)]
fn repeats<T: Element, R: Dimension>(view: &View<'_, T, R>) -> bool {
    let axes = view.shape().iter().zip(view.strides());
    let reach = axes.fold(1_usize, |reach, (extent, stride)| {
        reach.saturating_add(extent.saturating_sub(1).saturating_mul(stride.unsigned_abs()))
    });
    view.len() > reach
}

/// The elements of an expression in a new array.
#[inline(never)]
fn new_array<E>(expr: &E) -> Result<Array<E::Elem, E::Rank>, Error>
where
    E: Expr<Rank: Dimension>,
{
    eval(expr)
}

/// The most elements that are folded lane by lane, however their lanes lie.
const FOLDED_IN_PLACE: usize = 1 << 8;

/// The lanes that a task folds at a time.
const FOLDED_SIDE_BY_SIDE: usize = 1 << 10;

/// As many copies of a value: `vec![value; len]`, if there is memory for it.
fn filled<U: Clone>(value: U, len: usize) -> Result<Vec<U>, Error> {
    let mut values = reserved(len, &[len])?;
    values.resize(len, value);
    Ok(values)
}

/// An empty list with room for `len` elements.
fn listed<U>(len: usize) -> Result<Vec<U>, Error> {
    Ok(reserved(len, &[len])?)
}

/// The work of sorting an element, in additions.
const SORTING: usize = 32;

/// The lanes along an axis, one after the other.
struct Lanes<T> {
    values: Vec<T>,
    shape: Axes<usize>,
    axis: usize,
}

impl<T: Element> Lanes<T> {
    fn of<E: Expr<Elem = T, Rank: Dimension>>(
        expr: &E,
        axis: usize,
        exec: &Exec,
    ) -> Result<Self, Error> {
        let shape = expr.result_shape()?;
        check_axis(axis, &shape)?;
        if let Some(view) = expr.in_memory()
            && axis + 1 == shape.len()
            && let Some(elements) = view.as_slice()
            && exec.tasks(elements.len(), work_of(size_of::<T>(), 1)) <= 1
        {
            let mut values = listed(elements.len())?;
            values.extend_from_slice(elements);
            return Ok(Lanes { values, shape, axis });
        }
        let order: Axes<usize> =
            (0..shape.len()).filter(|&other| other != axis).chain([axis]).collect();
        let array = in_order(expr, &shape, &order, exec)?;
        let extents: Axes<usize> = order.iter().map(|&axis| shape[axis]).collect();
        let strides: Axes<isize> = order.iter().map(|&axis| array.strides()[axis]).collect();
        let values = array.with_layout::<Dyn>(extents, &strides)?.into_vec();
        Ok(Lanes { values, shape, axis })
    }

    fn extent(&self) -> usize {
        self.shape[self.axis]
    }

    /// Whether there is work for several threads.
    fn is_worth_threads(&self, exec: &Exec) -> bool {
        exec.tasks(self.values.len(), work_of(size_of::<T>(), SORTING)) > 1
    }

    /// Calls `f` with each lane and its part of `out`, of which there are `len` for each.
    fn each<U: Send>(
        &mut self,
        out: &mut [U],
        len: usize,
        exec: &Exec,
        f: impl Fn(&mut [T], &mut [U]) -> Result<(), Error> + Sync,
    ) -> Result<(), Error> {
        let extent = self.extent();
        if extent == 0 || len == 0 {
            return Ok(());
        }
        if self.is_worth_threads(exec) {
            let lanes = self.values.par_chunks_mut(extent).zip(out.par_chunks_mut(len));
            lanes.try_for_each(|(lane, out)| f(lane, out))
        } else {
            self.values
                .chunks_mut(extent)
                .zip(out.chunks_mut(len))
                .try_for_each(|(lane, out)| f(lane, out))
        }
    }

    /// Lanes of `len` elements as an array, in which they lie along the axis again.
    fn array<U: Element, R: Dimension>(
        &self,
        values: Vec<U>,
        len: usize,
    ) -> Result<Array<U, R>, Error> {
        let mut shape = self.shape;
        shape[self.axis] = len;
        let mut strides = Axes::filled(1, shape.len());
        let mut below = len as isize;
        for axis in (0..shape.len()).rev().filter(|&axis| axis != self.axis) {
            strides[axis] = below;
            below *= shape[axis] as isize;
        }
        Ok(Array::from_strided_vec(shape, &strides, 0, values)?.into_rank()?)
    }

    /// Another number of elements along the axis.
    fn count(&self, len: usize) -> usize {
        (0..self.shape.len())
            .map(|axis| if axis == self.axis { len } else { self.shape[axis] })
            .product()
    }
}

/// An array of the rank of an expression.
type Same<E, T> = Array<T, RankOf<E>>;
/// One of a rank less.
type Less<E, T> = Array<T, <RankOf<E> as Dimension>::Smaller>;

/// What goes along an axis: scans, softmax, sorting, quantiles.
///
/// Like [`Reductions`](super::Reductions) these take arrays, views and expressions, and their
/// results depend on no layout, instruction set or number of threads: scans go along the axis in
/// order. An expression is computed into an array of its own first.
pub trait Lanewise: Expr<Rank: ResultRank> {
    /// The sums of the elements up to each one along an axis, added up in order; of floating-point
    /// numbers in `f64`, and each rounded once.
    ///
    /// # Errors
    /// If the operands' shapes do not fit each other, there is no such axis, or a sum of integers
    /// does not fit in their type: `x.cast::<i64>().cumsum(axis)` has room for larger ones.
    ///
    /// ```
    /// use elementwise::{Lanewise, array};
    /// assert_eq!(array![[1, 2], [3, 4]].cumsum(0)?, array![[1, 2], [4, 6]]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn cumsum(self, axis: impl IntoAxis) -> Result<Same<Self, Self::Elem>, Error>
    where
        Self::Elem: Number,
    {
        self.scan(CumSum, axis)
    }

    /// The products of the elements up to each one along an axis.
    ///
    /// # Errors
    /// As for [`cumsum`](Self::cumsum).
    ///
    /// ```
    /// use elementwise::{Lanewise, array};
    /// assert_eq!(array![1.0, 2.0, 3.0].cumprod(0)?.to_vec(), [1.0, 2.0, 6.0]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn cumprod(self, axis: impl IntoAxis) -> Result<Same<Self, Self::Elem>, Error>
    where
        Self::Elem: Number,
    {
        self.scan(CumProd, axis)
    }

    /// The largest element up to each one along an axis, +0 above -0; NaN from the first NaN on.
    ///
    /// # Errors
    /// If the operands' shapes do not fit each other, or there is no such axis.
    ///
    /// ```
    /// use elementwise::{Lanewise, array};
    /// assert_eq!(array![1, 3, 2].cummax(0)?.to_vec(), [1, 3, 3]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn cummax(self, axis: impl IntoAxis) -> Result<Same<Self, Self::Elem>, Error>
    where
        Self::Elem: Ordered,
    {
        self.scan(CumMax, axis)
    }

    /// The smallest element up to each one along an axis, -0 below +0; NaN from the first NaN on.
    ///
    /// # Errors
    /// As for [`cummax`](Self::cummax).
    ///
    /// ```
    /// use elementwise::{Lanewise, array};
    /// assert_eq!(array![2, 3, 1].cummin(0)?.to_vec(), [2, 2, 1]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn cummin(self, axis: impl IntoAxis) -> Result<Same<Self, Self::Elem>, Error>
    where
        Self::Elem: Ordered,
    {
        self.scan(CumMin, axis)
    }

    /// Any [`Scan`] along an axis.
    ///
    /// # Errors
    /// If the operands' shapes do not fit each other, there is no such axis, or a result does not
    /// fit in its type.
    fn scan<S: Scan<Self::Elem>>(
        self,
        op: S,
        axis: impl IntoAxis,
    ) -> Result<Same<Self, S::Output>, Error> {
        let axis = axis.into_axis();
        let exec = Exec::current();
        let x = settled(self);
        if let Some(few) = x.in_memory().and_then(|view| scan_few(&op, view, axis)) {
            return few;
        }
        check_axis(axis, &x.result_shape()?)?;
        Ok(scan(&op, &Contiguous::of(&x, &exec)?, axis, &exec)?.into_rank()?)
    }

    /// The differences between neighbours along an axis, each element less the one before it; one
    /// less of them than elements, if there are any.
    ///
    /// # Errors
    /// If the operands' shapes do not fit each other, or there is no such axis.
    ///
    /// ```
    /// use elementwise::{Lanewise, array};
    /// assert_eq!(array![1, 4, 9, 16].diff(0)?.to_vec(), [3, 5, 7]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn diff(self, axis: impl IntoAxis) -> Result<Same<Self, Self::Elem>, Error>
    where
        Sub: Op<(Self::Elem, Self::Elem), Output = Self::Elem>,
    {
        let axis = axis.into_axis();
        let exec = Exec::current();
        let x = settled(self);
        let shape = x.result_shape()?;
        check_axis(axis, &shape)?;
        let lying = Contiguous::of(&x, &exec)?;
        let (view, extent) = (lying.view(), shape[axis]);
        let part = |from: usize, to: usize| -> Result<View<'_, Self::Elem, Dyn>, Error> {
            Ok(view.slice_axis(axis, from..to, 1)?)
        };
        let (low, high) = (part(0, extent.saturating_sub(1))?, part(extent.min(1), extent)?);
        Ok(Apply::new(Sub, (high, low)).eval()?.into_rank()?)
    }

    /// The exponentials, divided by their sum along the given axes. Computed relative to the
    /// largest element, so that nothing overflows; `f16` and `bf16` in `f32`. In one pass over
    /// memory, a part that fits in a cache after the other, unless it goes along all axes.
    ///
    /// # Errors
    /// If the operands' shapes do not fit each other, or there is no such axis.
    ///
    /// ```
    /// use elementwise::{Lanewise, array};
    /// let p = array![[0.0_f64, 0.0], [1000.0, 0.0]].softmax(1)?;
    /// assert_eq!(p, array![[0.5, 0.5], [1.0, 0.0]]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn softmax<Ax: ReduceAxes<RankOf<Self>>>(
        self,
        axes: Ax,
    ) -> Result<Same<Self, Self::Elem>, Error>
    where
        Self::Elem: Float,
    {
        softmax_along(&settled(self), &axes, false)
    }

    /// The logarithm of [`softmax`](Self::softmax), which does not underflow.
    ///
    /// # Errors
    /// As for [`softmax`](Self::softmax).
    ///
    /// ```
    /// use elementwise::{Lanewise, array};
    /// let p = array![0.0_f64, -1000.0].log_softmax(0)?;
    /// assert_eq!(p.to_vec(), [0.0, -1000.0]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn log_softmax<Ax: ReduceAxes<RankOf<Self>>>(
        self,
        axes: Ax,
    ) -> Result<Same<Self, Self::Elem>, Error>
    where
        Self::Elem: Float,
    {
        softmax_along(&settled(self), &axes, true)
    }

    /// The elements in ascending order along an axis, NaN after all others.
    ///
    /// # Errors
    /// If the operands' shapes do not fit each other, or there is no such axis.
    ///
    /// ```
    /// use elementwise::{Lanewise, array};
    /// assert_eq!(array![[3, 1, 2], [0, 5, 4]].sort(1)?, array![[1, 2, 3], [0, 4, 5]]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn sort(self, axis: impl IntoAxis) -> Result<Same<Self, Self::Elem>, Error>
    where
        Self::Elem: Ordered,
    {
        let axis = axis.into_axis();
        let exec = Exec::current();
        let mut lanes = Lanes::of(&settled(self), axis, &exec)?;
        let (extent, mut none) = (lanes.extent(), filled((), lanes.values.len())?);
        let alone = lanes.is_worth_threads(&exec) && lanes.values.len() == extent;
        lanes.each(&mut none, extent, &exec, |lane, _| {
            Ordered::sort(lane, alone);
            Ok(())
        })?;
        let values = std::mem::take(&mut lanes.values);
        lanes.array(values, extent)
    }

    /// The indices along an axis in the ascending order of their elements, NaN after all others,
    /// and equal elements in the order in which they are.
    ///
    /// # Errors
    /// As for [`sort`](Self::sort).
    ///
    /// ```
    /// use elementwise::{Lanewise, array};
    /// assert_eq!(array![3.0, 1.0, f64::NAN, 1.0].argsort(0)?.to_vec(), [1, 3, 0, 2]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn argsort(self, axis: impl IntoAxis) -> Result<Same<Self, usize>, Error>
    where
        Self::Elem: Ordered,
    {
        let axis = axis.into_axis();
        let exec = Exec::current();
        let mut lanes = Lanes::of(&settled(self), axis, &exec)?;
        let (extent, mut indices) = (lanes.extent(), filled(0, lanes.values.len())?);
        let alone = lanes.is_worth_threads(&exec) && lanes.values.len() == extent;
        lanes.each(&mut indices, extent, &exec, |lane, indices| {
            // With their elements, which would else be looked up all over the lane.
            let mut all: Vec<(Self::Elem, usize)> = listed(lane.len())?;
            all.extend(lane.iter().copied().zip(0..));
            let order = |a: &(Self::Elem, usize), b: &(Self::Elem, usize)| {
                ascending(&a.0, &b.0).then(a.1.cmp(&b.1))
            };
            if alone {
                all.par_sort_unstable_by(order);
            } else {
                all.sort_unstable_by(order);
            }
            indices.iter_mut().zip(all).for_each(|(index, (_, i))| *index = i);
            Ok(())
        })?;
        lanes.array(indices, extent)
    }

    /// The `k` largest elements along an axis, the largest first, NaN after all others, and their
    /// indices; of equal elements the first.
    ///
    /// # Errors
    /// If the operands' shapes do not fit each other, there is no such axis, or it has fewer
    /// elements.
    ///
    /// ```
    /// use elementwise::{Lanewise, array};
    /// let (values, indices) = array![3, 9, 4, 9].top_k(0, 3)?;
    /// assert_eq!((values.to_vec(), indices.to_vec()), (vec![9, 9, 4], vec![1, 3, 2]));
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn top_k(
        self,
        axis: impl IntoAxis,
        k: usize,
    ) -> Result<(Same<Self, Self::Elem>, Same<Self, usize>), Error>
    where
        Self::Elem: Ordered,
    {
        let axis = axis.into_axis();
        let exec = Exec::current();
        let mut lanes = Lanes::of(&settled(self), axis, &exec)?;
        if k > lanes.extent() {
            return Err(ErrorKind::TooFewAlongAxis {
                op: "top_k",
                axis,
                wanted: k,
                shape: List::of(&lanes.shape),
            }
            .into());
        }
        let mut indices = filled(0, lanes.count(k))?;
        lanes.each(&mut indices, k, &exec, |lane, indices| {
            let mut all: Vec<usize> = listed(lane.len())?;
            all.extend(0..lane.len());
            let order = |a: &usize, b: &usize| descending(&lane[*a], &lane[*b]).then(a.cmp(b));
            if k < all.len() {
                all.select_nth_unstable_by(k - 1, order);
            }
            all[..k].sort_unstable_by(order);
            indices.copy_from_slice(&all[..k]);
            Ok(())
        })?;
        let (extent, chosen) = (lanes.extent().max(1), indices.chunks(k.max(1)));
        let chosen = chosen
            .zip(lanes.values.chunks(extent))
            .flat_map(|(chosen, lane)| chosen.iter().map(|&i| lane[i]));
        let mut values = listed(lanes.count(k))?;
        values.extend(chosen);
        Ok((lanes.array(values, k)?, lanes.array(indices, k)?))
    }

    /// The quantile `q` (from 0 to 1) of all elements: where it falls between two of them, the
    /// point in proportion between; NaN if there is a NaN. In NumPy, `quantile` with the method
    /// `linear`.
    ///
    /// # Errors
    /// If the operands' shapes do not fit each other, there are no elements, or `q` is not from 0
    /// to 1.
    ///
    /// ```
    /// use elementwise::{Expr, Lanewise, array};
    /// assert_eq!(array![1.0, 2.0, 3.0, 4.0].quantile(0.25)?, 1.75);
    /// assert_eq!(array![1, 2, 3, 4].cast::<f64>().quantile(0.25)?, 1.75);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn quantile(self, q: f64) -> Result<Self::Elem, Error>
    where
        Self::Elem: Float,
    {
        self.quantile_by(q, QuantileMethod::Linear)
    }

    /// As [`quantile`](Self::quantile), along an axis.
    ///
    /// # Errors
    /// As for [`quantile`](Self::quantile), and if there is no such axis.
    ///
    /// ```
    /// use elementwise::{Lanewise, array};
    /// assert_eq!(array![[1.0_f64, 2.0], [3.0, 6.0]].quantile_axis(0, 0.5)?.to_vec(), [2.0, 4.0]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn quantile_axis(self, axis: impl IntoAxis, q: f64) -> Result<Less<Self, Self::Elem>, Error>
    where
        Self::Elem: Float,
    {
        self.quantile_axis_by(axis, q, QuantileMethod::Linear)
    }

    /// As [`quantile`](Self::quantile), by another method: see [`QuantileMethod`].
    ///
    /// # Errors
    /// As for [`quantile`](Self::quantile).
    ///
    /// ```
    /// use elementwise::{Lanewise, QuantileMethod, array};
    /// assert_eq!(array![10.0, 40.0, 20.0].quantile_by(0.75, QuantileMethod::Lower)?, 20.0);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn quantile_by(self, q: f64, method: QuantileMethod) -> Result<Self::Elem, Error>
    where
        Self::Elem: Float,
    {
        let shape = self.result_shape()?;
        check_q(q)?;
        let exec = Exec::current();
        let mut values = row_major(&settled(self), &exec)?;
        if values.is_empty() {
            let axes = (0..shape.len()).collect();
            return Err(
                ErrorKind::NoElements { op: "quantile", shape: List::of(&shape), axes }.into()
            );
        }
        Ok(quantile(&mut values, q, method))
    }

    /// As [`quantile_by`](Self::quantile_by), along an axis.
    ///
    /// # Errors
    /// As for [`quantile_axis`](Self::quantile_axis).
    fn quantile_axis_by(
        self,
        axis: impl IntoAxis,
        q: f64,
        method: QuantileMethod,
    ) -> Result<Less<Self, Self::Elem>, Error>
    where
        Self::Elem: Float,
    {
        let axis = axis.into_axis();
        let exec = Exec::current();
        check_q(q)?;
        let mut lanes = Lanes::of(&settled(self), axis, &exec)?;
        if lanes.extent() == 0 && lanes.count(1) > 0 {
            return Err(ErrorKind::NoElements {
                op: "quantile",
                shape: List::of(&lanes.shape),
                axes: [axis].into(),
            }
            .into());
        }
        let mut results = filled(num_traits::zero(), lanes.count(1))?;
        lanes.each(&mut results, 1, &exec, |lane, result| {
            result[0] = quantile(lane, q, method);
            Ok(())
        })?;
        let array: Array<_, Dyn> = lanes.array(results, 1)?;
        let removed = array.view().remove_axis(axis)?.try_to_owned()?;
        Ok(removed.into_rank()?)
    }

    /// The median of all elements: the quantile 0.5.
    ///
    /// # Errors
    /// As for [`quantile`](Self::quantile).
    ///
    /// ```
    /// use elementwise::{Lanewise, array};
    /// assert_eq!(array![3.0, 1.0, 2.0, 10.0].median()?, 2.5);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn median(self) -> Result<Self::Elem, Error>
    where
        Self::Elem: Float,
    {
        self.quantile(0.5)
    }

    /// As [`median`](Self::median), along an axis.
    ///
    /// # Errors
    /// As for [`quantile_axis`](Self::quantile_axis).
    fn median_axis(self, axis: impl IntoAxis) -> Result<Less<Self, Self::Elem>, Error>
    where
        Self::Elem: Float,
    {
        self.quantile_axis(axis, 0.5)
    }

    /// The different elements in ascending order, NaN (once) last, and how often each occurs.
    ///
    /// # Errors
    /// If the operands' shapes do not fit each other.
    ///
    /// ```
    /// use elementwise::{Lanewise, array};
    /// let (values, counts) = array![[3, 1], [1, 3]].unique()?;
    /// assert_eq!((values.to_vec(), counts.to_vec()), (vec![1, 3], vec![2, 2]));
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn unique(self) -> Result<(Array<Self::Elem, Rank<1>>, Array<usize, Rank<1>>), Error>
    where
        Self::Elem: Ordered,
    {
        let exec = Exec::current();
        let mut all = row_major(&settled(self), &exec)?;
        let parallel = exec.tasks(all.len(), work_of(size_of::<Self::Elem>(), SORTING)) > 1;
        Ordered::sort(&mut all, parallel);
        let same = |a: &Self::Elem, b: &Self::Elem| ascending(a, b).is_eq();
        let number = all.chunk_by(same).count();
        let (mut values, mut counts) = (listed(number)?, listed(number)?);
        for equal in all.chunk_by(same) {
            values.push(equal[0]);
            counts.push(equal.len());
        }
        Ok((Array::from_vec(values), Array::from_vec(counts)))
    }

    /// How many elements lie in each of `bins` equal parts of the range from `low` to `high`, and
    /// the ends of the parts. An element on the border of two belongs to the upper one, the last
    /// part includes its end, and elements outside of the range, or NaN, are not counted.
    ///
    /// # Errors
    /// If the operands' shapes do not fit each other, there are no bins or too many for the memory,
    /// or the range is empty or not finite.
    ///
    /// ```
    /// use elementwise::{Lanewise, array};
    /// let (counts, edges) = array![0.1, 0.6, 0.7, 1.0, 7.0].histogram(2, 0.0, 1.0)?;
    /// assert_eq!((counts.to_vec(), edges.to_vec()), (vec![1, 3], vec![0.0, 0.5, 1.0]));
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn histogram(
        self,
        bins: usize,
        low: f64,
        high: f64,
    ) -> Result<(Array<usize, Rank<1>>, Array<f64, Rank<1>>), Error>
    where
        Self::Elem: crate::ops::CastTo<f64>,
    {
        if bins == 0 || !(high - low).is_finite() || low >= high {
            return Err(ErrorKind::Histogram {
                bins,
                range: Text::of(format_args!(
                    "{} to {}",
                    Text::of_number(low),
                    Text::of_number(high)
                )),
            }
            .into());
        }
        let edge = |number: usize| match number {
            last if last == bins => high,
            number => low + (high - low) * (number as f64 / bins as f64),
        };
        let mut counts = filled(0_usize, bins)?;
        let mut edges = filled(high, bins.saturating_add(1))?;
        edges.iter_mut().enumerate().for_each(|(number, end)| *end = edge(number));
        // Of a very narrow range it may be more than there are numbers for.
        let per_unit = bins as f64 / (high - low);
        let place = |value: f64| match per_unit.is_finite() {
            true => (value - low) * per_unit,
            false => (value - low) / (high - low) * bins as f64,
        };
        for &value in Contiguous::of(&settled(self), &Exec::current())?.memory() {
            let value: f64 = crate::ops::CastTo::cast_to(value);
            if !(low..=high).contains(&value) {
                continue;
            }
            // It is rounded; the ends decide.
            let mut bin = (place(value) as usize).min(bins - 1);
            while bin > 0 && value < edges[bin] {
                bin -= 1;
            }
            while bin + 1 < bins && value >= edges[bin + 1] {
                bin += 1;
            }
            counts[bin] += 1;
        }
        Ok((Array::from_vec(counts), Array::from_vec(edges)))
    }

    /// All elements taken one after the other, in row-major order, by a closure of what has come of
    /// those before.
    ///
    /// # Errors
    /// If the operands' shapes do not fit each other.
    ///
    /// ```
    /// use elementwise::{Lanewise, array};
    /// let digits = array![[1, 2], [3, 4]];
    /// assert_eq!(digits.fold(0, |number, digit| 10 * number + digit)?, 1234);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    #[inline(always)]
    fn fold<B, F: FnMut(B, Self::Elem) -> B>(self, init: B, f: F) -> Result<B, Error> {
        // What repeats more often than can be counted has an error: of the memory for a copy.
        let in_place = |view: &View<'_, Self::Elem, RankOf<Self>>| {
            view.len() <= FOLDED_IN_PLACE || !repeats(view)
        };
        let this = settled(self);
        if let Some(view) = this.in_memory()
            && in_place(&view)
        {
            return Ok(fold_view(view, init, f));
        }
        apart(move || fold_computed(&this, init, f))
    }

    /// As [`fold`](Self::fold), along an axis: in order, with a beginning of its own for each
    /// result.
    ///
    /// # Errors
    /// If the operands' shapes do not fit each other, or there is no such axis.
    ///
    /// ```
    /// use elementwise::{Lanewise, array};
    /// let digits = array![[1, 2], [3, 4]];
    /// assert_eq!(digits.fold_axis(0, 0, |number, digit| 10 * number + digit)?.to_vec(), [13, 24]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn fold_axis<B: Element, F: Fn(B, Self::Elem) -> B + Sync>(
        self,
        axis: impl IntoAxis,
        init: B,
        f: F,
    ) -> Result<Array<B, <RankOf<Self> as Dimension>::Smaller>, Error> {
        let (axis, exec) = (axis.into_axis(), Exec::current());
        let this = settled(self);
        let folded = |lane: View<'_, Self::Elem, Rank<1>>| lane.iter().copied().fold(init, &f);
        let work = work_of(size_of::<Self::Elem>(), 8);
        if let Some(view) = this.in_memory()
            && (view.len() <= FOLDED_IN_PLACE || view.strides().get(axis) == Some(&1))
            && exec.tasks(view.len(), work) <= 1
        {
            return view.map_lanes(axis, folded);
        }
        // Of other lanes, all that lie side by side are folded at a time, so that memory is read in
        // its order.
        let x = row_major_of(&this, &exec)?;
        let mut kept = x.dim();
        check_axis(axis, &kept)?;
        let len = kept.remove(axis);
        let inner = kept[axis..].iter().product::<usize>();
        let elements = x.as_slice().expect("row-major order");
        let mut results = filled(init, kept.iter().product())?;
        let fold = |number: usize, first: usize, results: &mut [B]| {
            for number in number * len..(number + 1) * len {
                let elements = &elements[number * inner + first..];
                for (result, &x) in results.iter_mut().zip(elements) {
                    *result = f(*result, x);
                }
            }
        };
        if exec.tasks(elements.len(), work) <= 1 {
            let each = results.chunks_mut(inner.max(1)).enumerate();
            each.for_each(|(number, results)| fold(number, 0, results));
        } else {
            results.par_chunks_mut(inner.max(1)).enumerate().for_each(|(number, results)| {
                let parts = results.par_chunks_mut(FOLDED_SIDE_BY_SIDE).enumerate();
                parts.for_each(|(part, results)| fold(number, part * FOLDED_SIDE_BY_SIDE, results));
            });
        }
        Ok(Array::from_shape_vec(kept, results)?.into_rank()?)
    }

    /// What a closure makes of each lane along an axis: an array without that axis. Large arrays
    /// are shared out among threads.
    ///
    /// # Errors
    /// If the operands' shapes do not fit each other, or there is no such axis.
    ///
    /// ```
    /// use elementwise::{Lanewise, array};
    /// let a = array![[3, 1, 2], [4, 6, 5]];
    /// let ranges = a.map_axis(1, |lane| lane.iter().max().unwrap() - lane.iter().min().unwrap())?;
    /// assert_eq!(ranges, array![2, 2]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn map_axis<U, F>(
        self,
        axis: impl IntoAxis,
        f: F,
    ) -> Result<Array<U, <RankOf<Self> as Dimension>::Smaller>, Error>
    where
        U: Element,
        F: Fn(View<'_, Self::Elem, Rank<1>>) -> U + Sync,
    {
        let (axis, exec) = (axis.into_axis(), Exec::current());
        let this = settled(self);
        let work = work_of(size_of::<Self::Elem>(), 32);
        if let Some(view) = this.in_memory()
            && exec.tasks(view.len(), work) <= 1
        {
            return view.map_lanes(axis, f);
        }
        let source = elements_of(&this, &exec)?;
        let (view, mut shape) =
            (source.view(), Axes::from_slice(source.shape()).unwrap_or_default());
        let lanes = view.lanes(axis)?;
        let work = work.saturating_mul(shape.remove(axis).max(1));
        let results = in_parts(lanes.len(), 1, work, &exec, &|part, start| {
            let mut lanes = lanes.clone().split_at(start).1;
            part.fill_with(|_| f(lanes.next().expect("a lane for each result")))
        })?;
        Ok(results.into_shape(shape)?.into_rank()?)
    }
}

impl<E: Expr<Rank: ResultRank>> Lanewise for E {}

fn softmax_along<E, Ax>(expr: &E, axes: &Ax, logarithm: bool) -> Result<Same<E, E::Elem>, Error>
where
    E: Expr<Elem: Float, Rank: Dimension>,
    Ax: ReduceAxes<E::Rank>,
{
    let exec = Exec::current();
    if let Some(view) = expr.in_memory()
        && let Some(of_rows) = softmax_of_rows(&view, axes.mask(view.shape())?, logarithm, &exec)
    {
        return of_rows;
    }
    let axes = axes.list(&expr.result_shape()?)?;
    Ok(softmax(&Contiguous::of(expr, &exec)?, &axes, logarithm, &exec)?.into_rank()?)
}
