//! What goes along an axis and needs its elements in memory: scans, softmax, sorting, quantiles.
//!
//! Here is what each method promises; how it is done, in the modules, by what it needs in memory:
//! whole lanes (`memory`), elements in any order ([`Contiguous`]), or elements one by one
//! (`folds`).

mod folds;
mod histogram;
mod memory;
mod quantiles;
mod sorting;

pub use quantiles::QuantileMethod;

use super::ReduceAxes;
use super::scans::{CumMax, CumMin, CumProd, CumSum, CumSumExact, Scan, scan, scan_few};
use super::softmax::{is_narrow, softmax, softmax_of_rows, softmax_turned};
use crate::eval::{Contiguous, eval};
use crate::exec::Exec;
use crate::expr::{Apply, Borrowed, Expr, RankOf, ResultRank, settled};
use crate::number::{Float, Number, Ordered};
use crate::ops::{Cast, CastTo, Op, Sub};
use crate::rearrange::{check_axis, with_elements};
use crate::threads::OnThreads;
use crate::types::{Array, View};
use bcast::Error;
use ndcore::{Dimension, Element, IntoAxis, Rank};

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
        let (x, axis) = (settled(self), axis.into_axis());
        let elements = Contiguous::of(&x)?;
        if const { Self::Elem::EXACT }
            && let Ok(sums) = scan_of(&CumSumExact, &elements, axis)
        {
            return Ok(sums);
        }
        scan_of(&CumSum, &elements, axis)
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
        let x = settled(self);
        scan_of(&op, &Contiguous::of(&x)?, axis.into_axis())
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
        with_elements(&settled(self), |view| {
            check_axis(axis, view.shape())?;
            let extent = view.shape()[axis];
            let (low, high) = (0..extent.saturating_sub(1), extent.min(1)..extent);
            let (low, high) = (view.slice_axis(axis, low, 1)?, view.slice_axis(axis, high, 1)?);
            Apply::new(Sub, (high, low)).eval()
        })
    }

    /// The exponentials, divided by their sum along the given axes. Computed relative to the
    /// largest element, so that nothing overflows; `f16` and `bf16` in `f32`, and rounded once. In
    /// one pass over memory, a part that fits in a cache after the other, unless it goes along all
    /// axes.
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
        sorting::sort(&settled(self), axis.into_axis())
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
        sorting::argsort(&settled(self), axis.into_axis())
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
        sorting::top_k(&settled(self), axis.into_axis(), k)
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
        quantiles::quantile(&settled(self), q, method)
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
        quantiles::quantile_axis(&settled(self), axis.into_axis(), q, method)
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
        sorting::unique(&settled(self))
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
        Self::Elem: CastTo<f64>,
    {
        histogram::histogram(&settled(self), bins, low, high)
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
        folds::fold(settled(self), init, f)
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
    fn fold_axis<B: Element, F: Fn(B, Self::Elem) -> B + OnThreads>(
        self,
        axis: impl IntoAxis,
        init: B,
        f: F,
    ) -> Result<Array<B, <RankOf<Self> as Dimension>::Smaller>, Error> {
        folds::fold_axis(&settled(self), axis.into_axis(), init, f)
    }

    /// What a closure makes of each lane along an axis: an array without that axis. Large arrays
    /// are shared out among threads.
    ///
    /// # Errors
    /// If the operands' shapes do not fit each other, or there is no such axis.
    ///
    /// ```
    /// use elementwise::{Lanewise, Reductions, array};
    /// let a = array![[3, 1, 2], [4, 6, 5]];
    /// let ranges = a.map_axis(1, |lane| lane.iter().max().unwrap() - lane.iter().min().unwrap())?;
    /// assert_eq!(ranges, array![2, 2]);
    /// // What may fail is unwrapped, or lanes are gone over one by one.
    /// assert_eq!(a.map_axis(1, |lane| lane.sum().unwrap())?, array![6, 15]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn map_axis<U, F>(
        self,
        axis: impl IntoAxis,
        f: F,
    ) -> Result<Array<U, <RankOf<Self> as Dimension>::Smaller>, Error>
    where
        U: Element,
        F: Fn(View<'_, Self::Elem, Rank<1>>) -> U + OnThreads,
    {
        folds::map_axis(&settled(self), axis.into_axis(), f)
    }
}

impl<E: Expr<Rank: ResultRank>> Lanewise for E {}

/// A scan along an axis.
fn scan_of<T: Element, R: Dimension, S: Scan<T>>(
    op: &S,
    elements: &Contiguous<'_, T, R>,
    axis: usize,
) -> Result<Array<S::Output, R>, Error> {
    if let Some(few) = scan_few(op, elements.view(), axis) {
        return few;
    }
    check_axis(axis, elements.view().shape())?;
    scan(op, elements, axis, &Exec::current())
}

fn softmax_along<E, Ax>(expr: &E, axes: &Ax, logarithm: bool) -> Result<Same<E, E::Elem>, Error>
where
    E: Expr<Elem: Float, Rank: Dimension>,
    Ax: ReduceAxes<E::Rank>,
{
    if const { is_narrow::<E::Elem>() } {
        let wide = eval(&Apply::new(Cast::<<E::Elem as Float>::Compute>::new(), Borrowed(expr)))?;
        return eval(&Apply::new(
            Cast::new(),
            softmax_along(&wide.view(), axes, logarithm)?.view(),
        ));
    }
    let exec = Exec::current();
    if let Some(view) = expr.in_memory() {
        let mask = axes.mask(view.shape())?;
        if let Some(of_rows) = softmax_of_rows(&view, mask, logarithm, &exec) {
            return of_rows;
        }
        if let Some(turned) = softmax_turned(&view, mask, logarithm, &exec)? {
            return Ok(turned);
        }
    }
    let axes = axes.list(&expr.result_shape()?)?;
    let elements = Contiguous::of(expr)?;
    let (view, order) = (elements.view().as_dyn(), elements.order());
    Ok(softmax(view, &order, &axes, logarithm, &exec)?.into_rank()?)
}
