//! The elements of an expression as a slice.

use super::eval_by;
use crate::exec::Exec;
use crate::expr::Expr;
use crate::types::{Array, View};
use bcast::Error;
use ndcore::{Axes, Dimension, Dyn, Element};

/// The elements of an expression in memory without gaps: those of an array, or computed; the one
/// way to get at them as a slice.
pub(crate) enum Contiguous<'a, T: Element> {
    There(View<'a, T, Dyn>),
    Computed(Array<T, Dyn>),
}

impl<'a, T: Element> Contiguous<'a, T> {
    /// In whatever order of the axes.
    pub(crate) fn of<E>(expr: &'a E, exec: &Exec) -> Result<Self, Error>
    where
        E: Expr<Elem = T, Rank: Dimension>,
    {
        match expr.in_memory().filter(|view| view.as_slice_memory_order().is_some()) {
            Some(view) => Ok(Contiguous::There(view.as_dyn())),
            None => Ok(Contiguous::Computed(eval_by(expr, exec)?.into_dyn())),
        }
    }

    pub(crate) fn view(&self) -> View<'_, T, Dyn> {
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
        let layout = *self.view().layout();
        let mut order: Axes<usize> = (0..layout.ndim()).collect();
        // Axes of extent 1 have any stride; they go first.
        order.sort_by_key(|&axis| match layout.shape()[axis] {
            0 | 1 => (0, 0),
            _ => (1, -(layout.strides()[axis].unsigned_abs() as i64)),
        });
        order
    }
}
