//! Arrays made of the elements of others: joined, taken, repeated, moved.
//!
//! What is copied, is copied by the engine, as an expression is computed: in tiles where the orders
//! of the axes differ, and by several threads where that pays. Pieces too small to be planned are
//! copied line by line.

#![forbid(unsafe_code)]

mod join;
mod repeat;
mod take;
mod triangle;

pub use join::{concatenate, stack};
pub use repeat::kron;

use crate::eval::eval;
use crate::exec::{self, Cuts, Exec};
use crate::expr::{Expr, RankOf, ResultRank, settled};
use crate::types::{Array, View};
use bcast::Error;
use ndcore::{
    Dimension, Element, Extents, Filled, IntoAxis, IntoShape, Layout, LayoutError, LayoutErrorKind,
    List, Nest, Part, Rank,
};
use num_traits::Zero;
use std::borrow::Cow;
use std::mem::MaybeUninit;

fn refuse<T>(kind: LayoutErrorKind) -> Result<T, Error> {
    Err(LayoutError::from(kind).into())
}

/// Refuses an axis that a shape does not have.
pub(crate) fn check_axis(axis: usize, shape: &[usize]) -> Result<(), Error> {
    if axis < shape.len() {
        return Ok(());
    }
    refuse(LayoutErrorKind::AxisOutOfRange { axis, shape: List::of(&shape) })
}

/// Calls a function with the elements of an expression: those of an array where they lie, or
/// computed.
pub(crate) fn with_elements<E, U>(
    expr: &E,
    f: impl FnOnce(View<'_, E::Elem, E::Rank>) -> Result<U, Error>,
) -> Result<U, Error>
where
    E: Expr<Rank: Dimension>,
{
    let computed;
    f(match expr.in_memory() {
        Some(view) => view,
        None => {
            computed = eval(expr)?;
            computed.view()
        }
    })
}

/// A new vector, of which parts are filled by a function that gets the number of their first
/// element; they begin at a multiple of `unit`. `work` is that of an element: see
/// [`work_of`](exec::work_of).
pub(crate) fn in_parts<T: Element>(
    len: usize,
    unit: usize,
    work: usize,
    exec: &Exec,
    fill: &(dyn for<'b> Fn(Part<'b, MaybeUninit<T>>, usize) -> Filled<'b> + Sync),
) -> Result<Array<T, Rank<1>>, Error> {
    Array::build(Layout::c_order([len])?, |slots| {
        if len == 0 {
            return Ok(slots.filled_without_elements());
        }
        let nest = Nest { order: std::iter::once(0).collect(), ..Nest::default() };
        let part = slots.into_part(&nest);
        let start = Extents::filled(0, part.extents().len());
        let enough = len.div_ceil(exec.tasks(len, work).max(1));
        let cuts = Cuts { at: &[unit], best: &[unit] };
        exec::split(cuts, part, start, enough, &|part, start| Ok(fill(part, start[0])))
    })
}

/// The elements of a vector as a list: a copy, if they lie apart.
fn listed<'a, T: Element>(vector: View<'a, T, Rank<1>>) -> Result<Cow<'a, [T]>, Error> {
    Ok(match vector.as_slice() {
        Some(list) => Cow::Borrowed(list),
        None => Cow::Owned(vector.try_to_vec()?),
    })
}

/// An array of the rank of an expression.
type Same<E> = Array<<E as Expr>::Elem, RankOf<E>>;

/// What takes, repeats and moves elements: arrays made of those of another one.
///
/// These take arrays, views and expressions; an expression is computed into an array of its own
/// first.
pub trait Rearrange: Expr<Rank: ResultRank> {
    /// The slices at these indices along an axis, in this order; in `ndarray`, `select`. Indices
    /// may repeat. They are a list, a `Vec` or a vector: `&[2, 0]`, `&x.argsort(0)?`.
    ///
    /// # Errors
    /// If there is no such axis, or it has no such index.
    ///
    /// ```
    /// use elementwise::{Rearrange, array};
    /// let a = array![[1, 2, 3], [4, 5, 6]];
    /// assert_eq!(a.take(1, &[2, 0, 0])?, array![[3, 1, 1], [6, 4, 4]]);
    /// assert_eq!(
    ///     a.take(0, &[0, 2]).unwrap_err().to_string(),
    ///     "index 2 is out of range for axis 0 of shape [2, 3]"
    /// );
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn take<'i>(
        self,
        axis: impl IntoAxis,
        indices: impl Into<View<'i, usize, Rank<1>>>,
    ) -> Result<Same<Self>, Error> {
        let (axis, indices) = (axis.into_axis(), listed(indices.into())?);
        with_elements(&settled(self), |view| take::take(view, axis, &indices))
    }

    /// The elements for which a mask of the same shape is true, in logical (row-major) order; in
    /// NumPy, `x[mask]`.
    ///
    /// # Errors
    /// If the mask has another shape ([`MaskShape`](LayoutErrorKind::MaskShape)).
    ///
    /// ```
    /// use elementwise::{BinaryMethods, Rearrange, array};
    /// let a = array![[1, -2], [-3, 4]];
    /// assert_eq!(a.compress(a.greater(0))?, array![1, 4]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn compress<M>(self, mask: M) -> Result<Array<Self::Elem, Rank<1>>, Error>
    where
        M: Expr<Elem = bool, Rank: ResultRank>,
    {
        take::compress(&settled(self), &settled(mask))
    }

    /// The slices along an axis for which a mask of its extent is true: a list, a `Vec` or a
    /// vector.
    ///
    /// # Errors
    /// If there is no such axis, or the mask has not its extent
    /// ([`MaskShape`](LayoutErrorKind::MaskShape)).
    ///
    /// ```
    /// use elementwise::{Rearrange, array};
    /// let a = array![[1, 2, 3], [4, 5, 6]];
    /// assert_eq!(a.compress_axis(1, &[true, false, true])?, array![[1, 3], [4, 6]]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn compress_axis<'m>(
        self,
        axis: impl IntoAxis,
        mask: impl Into<View<'m, bool, Rank<1>>>,
    ) -> Result<Same<Self>, Error> {
        let (axis, mask) = (axis.into_axis(), listed(mask.into())?);
        with_elements(&settled(self), |view| take::compress_axis(view, axis, &mask))
    }

    /// The elements moved `shift` places along an axis; those that leave it at one end come in at
    /// the other one.
    ///
    /// # Errors
    /// If there is no such axis.
    ///
    /// ```
    /// use elementwise::{Rearrange, array};
    /// let a = array![1, 2, 3, 4, 5];
    /// assert_eq!(a.roll(0, 2)?, array![4, 5, 1, 2, 3]);
    /// assert_eq!(a.roll(0, -1)?, array![2, 3, 4, 5, 1]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn roll(self, axis: impl IntoAxis, shift: isize) -> Result<Same<Self>, Error> {
        with_elements(&settled(self), |view| join::roll(view, axis.into_axis(), shift))
    }

    /// The whole array so many times along each axis, side by side.
    ///
    /// # Errors
    /// If the result does not fit in memory, or its rank and the number of the axes that repeat are
    /// above [`MAX_NDIM`](ndcore::MAX_NDIM) together.
    ///
    /// ```
    /// use elementwise::{Rearrange, array};
    /// assert_eq!(array![[1, 2]].tile([2, 2])?, array![[1, 2, 1, 2], [1, 2, 1, 2]]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn tile(self, times: impl IntoShape<Rank = RankOf<Self>>) -> Result<Same<Self>, Error> {
        let times = times.into_shape()?;
        with_elements(&settled(self), |view| repeat::tile(view, times.as_ref()))
    }

    /// Each slice along an axis so many times, one after the other.
    ///
    /// # Errors
    /// If there is no such axis, or the result does not fit in memory.
    ///
    /// ```
    /// use elementwise::{Rearrange, array};
    /// assert_eq!(array![[1, 2]].repeat(1, 2)?, array![[1, 1, 2, 2]]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn repeat(self, axis: impl IntoAxis, times: usize) -> Result<Same<Self>, Error> {
        with_elements(&settled(self), |view| repeat::repeat(view, axis.into_axis(), times))
    }

    /// Each matrix of the last two axes with zeros below its diagonal `k`: 0 is the main one,
    /// higher ones lie above it. Of a rank below 2, a copy.
    ///
    /// # Errors
    /// If the operands' shapes do not fit each other, or the result does not fit in memory.
    ///
    /// ```
    /// use elementwise::{Rearrange, array};
    /// let a = array![[1, 2, 3], [4, 5, 6], [7, 8, 9]];
    /// assert_eq!(a.triu(0)?, array![[1, 2, 3], [0, 5, 6], [0, 0, 9]]);
    /// assert_eq!(a.triu(1)?, array![[0, 2, 3], [0, 0, 6], [0, 0, 0]]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn triu(self, k: isize) -> Result<Same<Self>, Error>
    where
        Self::Elem: Zero,
    {
        triangle::without_triangle(&settled(self), k, false)
    }

    /// Each matrix of the last two axes with zeros above its diagonal `k`: 0 is the main one,
    /// higher ones lie above it. Of a rank below 2, a copy.
    ///
    /// # Errors
    /// If the operands' shapes do not fit each other, or the result does not fit in memory.
    ///
    /// ```
    /// use elementwise::{Rearrange, array};
    /// let a = array![[1, 2, 3], [4, 5, 6], [7, 8, 9]];
    /// assert_eq!(a.tril(0)?, array![[1, 0, 0], [4, 5, 0], [7, 8, 9]]);
    /// assert_eq!(a.tril(-1)?, array![[0, 0, 0], [4, 0, 0], [7, 8, 0]]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn tril(self, k: isize) -> Result<Same<Self>, Error>
    where
        Self::Elem: Zero,
    {
        triangle::without_triangle(&settled(self), k, true)
    }
}

impl<E: Expr<Rank: ResultRank>> Rearrange for E {}
