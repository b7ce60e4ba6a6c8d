//! The elements of an expression as a slice.

use super::ways::FEW_BYTES;
use super::{Makes, To, eval, in_order};
use crate::exec::Exec;
use crate::expr::{Alike, Borrowed, Expr};
use crate::kernel::Write;
use crate::rearrange::check_axis;
use crate::types::{Array, View};
use bcast::Error;
use ndcore::{Axes, Dimension, Dyn, Element, LayoutError, reserved_for_array};
use std::borrow::Cow;

/// The elements of an expression in memory without gaps, in whatever order of the axes: those of an
/// array, or computed.
pub(crate) enum Contiguous<'a, T: Element, R: Dimension> {
    There(View<'a, T, R>),
    Computed(Array<T, R>),
}

impl<'a, T: Element, R: Dimension> Contiguous<'a, T, R> {
    #[inline(always)]
    pub(crate) fn of<E: Expr<Elem = T, Rank = R>>(expr: &'a E) -> Result<Self, Error> {
        match expr.in_memory().filter(|view| view.as_slice_memory_order().is_some()) {
            Some(view) => Ok(Contiguous::There(view)),
            None => Ok(Contiguous::Computed(eval(expr)?)),
        }
    }

    pub(crate) fn view(&self) -> View<'_, T, R> {
        match self {
            Contiguous::There(view) => *view,
            Contiguous::Computed(array) => array.view(),
        }
    }

    /// The elements in the order of memory.
    pub(crate) fn memory(&self) -> &[T] {
        const LIES: &str = "it was found to have no gaps";
        match self {
            Contiguous::There(view) => view.as_slice_memory_order().expect(LIES),
            Contiguous::Computed(array) => array.as_slice_memory_order().expect(LIES),
        }
    }

    /// The axes from the outermost in memory.
    pub(crate) fn order(&self) -> Axes<usize> {
        let view = self.view();
        // Axes of extent 1 have any stride; they go first.
        let stride = |(&extent, &stride)| if extent <= 1 { isize::MAX } else { stride };
        let strides: Axes<isize> = view.shape().iter().zip(view.strides()).map(stride).collect();
        Axes::outermost_first(&strides)
    }
}

/// The elements of an expression one after the other: those of an array where they lie so, or else
/// copied or computed; and the shape of the expression.
pub(crate) struct Elements<'a, T: Element, R: Dimension> {
    pub(crate) values: Cow<'a, [T]>,
    pub(crate) shape: R::Shape,
}

impl<'a, T: Element, R: Dimension> Elements<'a, T, R> {
    /// In row-major order.
    #[inline(always)]
    pub(crate) fn row_major<E>(expr: &'a E) -> Result<Self, Error>
    where
        E: Expr<Elem = T, Rank = R>,
    {
        Elements::of(expr, None)
    }

    /// Lane by lane along an axis, the lanes in row-major order.
    #[inline(always)]
    pub(crate) fn along<E>(expr: &'a E, axis: usize) -> Result<Self, Error>
    where
        E: Expr<Elem = T, Rank = R>,
    {
        Elements::of(expr, Some(axis))
    }

    /// In row-major order of the axes, of which one comes last.
    // What lies so is found as part of the caller: what a call returns in memory is waited for.
    #[inline(always)]
    fn of<E>(expr: &'a E, last: Option<usize>) -> Result<Self, Error>
    where
        E: Expr<Elem = T, Rank = R>,
    {
        if let Some(view) = expr.in_memory()
            && last.is_none_or(|last| view.ndim().checked_sub(1) == Some(last))
            && let Some(slice) = view.as_slice()
        {
            return Ok(Elements { values: Cow::Borrowed(slice), shape: view.dim() });
        }
        Elements::gathered(expr, last)
    }

    /// As [`of`](Self::of), of what lies otherwise, or is computed.
    #[inline(never)]
    fn gathered<E>(expr: &'a E, last: Option<usize>) -> Result<Self, Error>
    where
        E: Expr<Elem = T, Rank = R>,
    {
        // To plan, or to ask for the shape of an expression, takes longer than to compute few
        // elements and to copy them.
        let few = |len: usize| len.saturating_mul(size_of::<T>()) <= FEW_BYTES;
        if let Some(view) = expr.in_memory()
            && few(view.len())
        {
            let values = Cow::Owned(turned(view, last)?.try_to_vec()?);
            return Ok(Elements { values, shape: view.dim() });
        }
        if const { !E::FACTS.in_memory }
            && Alike::find(expr).first().is_some_and(|shape| few(shape.iter().product()))
        {
            let array = eval(expr)?;
            let (shape, turned) = (array.dim(), turned(array.view(), last)?);
            let in_place = turned.strides() == array.strides();
            let values = if in_place { array.try_into_vec() } else { turned.try_to_vec() };
            return Ok(Elements { values: Cow::Owned(values?), shape });
        }
        let extents = expr.result_shape()?;
        last.map_or(Ok(()), |last| check_axis(last, &extents))?;
        let values = in_order_of(&To(Borrowed(expr), &Write), &extents, last)?;
        Ok(Elements { values: Cow::Owned(values), shape: R::shape(&extents)? })
    }

    /// Takes the elements out, to be changed: copied, if they are those of an array.
    #[inline]
    pub(crate) fn take_values(&mut self) -> Result<Vec<T>, LayoutError> {
        match std::mem::take(&mut self.values) {
            Cow::Owned(values) => Ok(values),
            Cow::Borrowed(elements) => {
                let mut values = reserved_for_array(elements.len(), self.shape.as_ref())?;
                values.extend_from_slice(elements);
                Ok(values)
            }
        }
    }
}

/// The elements of an expression of this shape in row-major order, but that one axis comes last.
// Not inlined: once for each type of elements.
#[inline(never)]
fn in_order_of<T: Element>(
    pass: &Makes<'_, T>,
    shape: &[usize],
    last: Option<usize>,
) -> Result<Vec<T>, Error> {
    let order = with_last(last, shape.len());
    let array = in_order(pass, shape, &order, &Exec::current())?;
    let shape: Axes<usize> = order.iter().map(|&axis| shape[axis]).collect();
    let strides: Axes<isize> = order.iter().map(|&axis| array.strides()[axis]).collect();
    Ok(array.with_layout::<Dyn>(shape, &strides)?.try_into_vec()?)
}

/// All axes, of which one comes last.
pub(crate) fn with_last(last: Option<usize>, ndim: usize) -> Axes<usize> {
    (0..ndim).filter(|&axis| Some(axis) != last).chain(last).collect()
}

/// A view whose axes are in this order.
fn turned<T: Element, R: Dimension>(
    view: View<'_, T, R>,
    last: Option<usize>,
) -> Result<View<'_, T, R>, Error> {
    let Some(last) = last else { return Ok(view) };
    check_axis(last, view.shape())?;
    if last + 1 == view.ndim() {
        return Ok(view);
    }
    Ok(view.permuted_axes(R::shape(&with_last(Some(last), view.ndim()))?)?)
}
