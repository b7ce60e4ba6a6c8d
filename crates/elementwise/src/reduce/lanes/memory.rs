//! The lanes along an axis, one after the other in memory, and arrays of what becomes of them.

use crate::eval::{Elements, with_last};
use crate::exec::{Exec, work_of};
use crate::expr::Expr;
use crate::types::Array;
use bcast::Error;
use ndcore::{Axes, Dimension, Element, Layout, reserved, reserved_for_array};
use rayon::prelude::*;
use smallvec::SmallVec;

/// The work of sorting an element, in additions.
const SORTING: usize = 32;

/// Whether it is worth several threads to sort so many elements.
pub(super) fn is_worth_threads<T>(len: usize, exec: &Exec) -> bool {
    exec.tasks(len, work_of(size_of::<T>(), SORTING)) > 1
}

/// As many copies of a value, for an array: `vec![value; len]`, if there is memory for it.
pub(super) fn filled<U: Element>(value: U, len: usize) -> Result<Vec<U>, Error> {
    let mut values = reserved_for_array(len, &[len])?;
    values.resize(len, value);
    Ok(values)
}

/// A list to work with; it asks for memory if it has more than a few elements.
pub(super) type Few<U> = SmallVec<[U; 32]>;

/// Puts other values into a list, if there is memory for them.
pub(super) fn relist<U>(
    list: &mut Few<U>,
    values: impl ExactSizeIterator<Item = U>,
) -> Result<(), Error> {
    list.clear();
    if list.capacity() < values.len() {
        *list = Few::from_vec(reserved(values.len(), &[values.len()])?);
    }
    list.extend(values);
    Ok(())
}

/// The lanes along an axis, one after the other.
pub(super) struct Lanes<'a, T: Element, R: Dimension> {
    pub(super) elements: Elements<'a, T, R>,
    axis: usize,
}

impl<'a, T: Element, R: Dimension> Lanes<'a, T, R> {
    #[inline(always)]
    pub(super) fn of<E>(expr: &'a E, axis: usize) -> Result<Self, Error>
    where
        E: Expr<Elem = T, Rank = R>,
    {
        Ok(Lanes { elements: Elements::along(expr, axis)?, axis })
    }

    pub(super) fn shape(&self) -> &[usize] {
        self.elements.shape.as_ref()
    }

    /// The elements of a lane.
    pub(super) fn extent(&self) -> usize {
        self.shape()[self.axis]
    }

    /// Calls `f` with each lane, its part of `out`, of which there are `len` for each, and a list
    /// that a thread keeps from one lane to the next; whether threads are left for the lane.
    pub(super) fn each<U: Send, L: Send>(
        &self,
        out: &mut [U],
        len: usize,
        exec: &Exec,
        f: impl Fn(&mut Few<L>, &[T], &mut [U], bool) -> Result<(), Error> + Sync,
    ) -> Result<(), Error> {
        let (values, extent) = (&self.elements.values, self.extent());
        if extent == 0 || len == 0 {
            return Ok(());
        }
        let parallel = is_worth_threads::<T>(values.len(), exec);
        if parallel && values.len() > extent {
            let lanes = values.par_chunks_exact(extent).zip(out.par_chunks_exact_mut(len));
            lanes.try_for_each_init(Few::new, |list, (lane, out)| f(list, lane, out, false))
        } else {
            let mut list = Few::new();
            let mut lanes = values.chunks_exact(extent).zip(out.chunks_exact_mut(len));
            lanes.try_for_each(|(lane, out)| f(&mut list, lane, out, parallel))
        }
    }

    /// Lanes of `len` elements as an array, in which they lie along the axis again.
    #[inline]
    pub(super) fn array<U: Element>(
        &self,
        values: Vec<U>,
        len: usize,
    ) -> Result<Array<U, R>, Error> {
        let (mut shape, axis) = (self.elements.shape, self.axis);
        shape.as_mut()[axis] = len;
        let ndim = shape.as_ref().len();
        let layout = if axis + 1 == ndim {
            Layout::c_order(shape)?
        } else {
            Layout::nested(shape, &with_last(Some(axis), ndim))?.with_units_settled()
        };
        Array::from_flat(layout, values)
    }

    /// One element for each lane as an array, without the axis.
    pub(super) fn without_axis<U: Element>(
        &self,
        values: Vec<U>,
    ) -> Result<Array<U, R::Smaller>, Error> {
        let mut shape: Axes<usize> = self.shape().iter().copied().collect();
        shape.remove(self.axis);
        Array::from_flat(Layout::c_order(R::Smaller::shape(&shape)?)?, values)
    }

    /// The number of elements if there were so many along the axis.
    pub(super) fn count(&self, len: usize) -> usize {
        let extents = self.shape().iter().enumerate();
        extents.map(|(axis, &extent)| if axis == self.axis { len } else { extent }).product()
    }
}
