//! What can be assigned to.

use super::explain::explain_store;
use super::store;
use crate::exec::Exec;
use crate::expr::{Expr, Operand};
use crate::kernel::{Update, Write};
use crate::ops::Op;
use crate::plan::Explanation;
use crate::types::{ArcArray, Array, CowArray, ViewMut};
use bcast::Error;
use ndcore::{Dimension, Element};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Arrays and views that an expression can be assigned to.
pub trait Assign<T: Element, R: Dimension> {
    /// The destination.
    #[doc(hidden)]
    fn destination(&mut self) -> ViewMut<'_, T, R>;

    /// Computes an expression into this memory, in one pass. Nothing is allocated.
    ///
    /// The expression has this shape, or is a scalar, or repeats where its extent is 1 or along the
    /// axes that [`along`](Expr::along) leaves out; this array itself never changes its shape.
    ///
    /// # Errors
    /// If the operands' shapes do not fit each other or this one: see [`bcast::ErrorKind`]. Nothing
    /// is written then.
    ///
    /// ```
    /// use elementwise::{Assign, Expr};
    /// use elementwise::{array, s};
    /// let v = array![1, 2];
    /// let mut out = array![[0, 0, 0], [0, 0, 0]];
    /// out.slice_mut(s![.., ..;2])?.assign(v.along([0]))?;
    /// assert_eq!(out, array![[1, 0, 1], [2, 0, 2]]);
    /// assert!(out.assign(array![[1, 2]].view()).is_err());
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    #[inline(always)]
    fn assign<E: Operand<T, R>>(&mut self, expr: E) -> Result<(), Error>
    where
        E::Expr: Expr<Elem = T>,
    {
        store(expr.into_expr(), Write, slots(self.destination()))
    }

    /// How [`assign`](Self::assign) would compute an expression into this memory; an update walks
    /// the same loops. Print it.
    ///
    /// # Errors
    /// As for [`assign`](Self::assign).
    ///
    /// ```
    /// use elementwise::{Array2, Assign};
    /// let (mut x, y) = (Array2::<f32>::zeros([64, 64]), Array2::<f32>::ones([64, 64]));
    /// assert!(x.explain_assign(&y)?.to_string().contains("flat: one run"));
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn explain_assign<E: Operand<T, R>>(&mut self, expr: E) -> Result<Explanation, Error>
    where
        E::Expr: Expr<Elem = T>,
    {
        explain_store(&expr.into_expr(), self.destination().layout(), &Exec::current())
    }

    /// Combines each element with that of an expression: `x.update(ops::Add, &y)` is `x += &y`
    /// without the panic.
    ///
    /// # Errors
    /// As for [`assign`](Self::assign).
    ///
    /// ```
    /// use elementwise::{Assign, ops};
    /// let mut x = elementwise::array![1, 2, 3];
    /// x.update(ops::Add, 10)?;
    /// x *= 2;
    /// assert_eq!(x.to_vec(), [22, 24, 26]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    #[inline(always)]
    fn update<O, E: Operand<T, R>>(&mut self, op: O, expr: E) -> Result<(), Error>
    where
        O: Op<(T, <E::Expr as Expr>::Elem), Output = T>,
    {
        let update = Update { op, output: PhantomData };
        store(expr.into_expr(), update, self.destination())
    }
}

/// The elements of an array as slots for [`Write`].
#[inline]
pub(super) fn slots<T: Element, R: Dimension>(
    out: ViewMut<'_, T, R>,
) -> ViewMut<'_, MaybeUninit<T>, R> {
    // SAFETY: they go to passes that store by `Write` alone, which puts computed values into slots.
    unsafe { out.into_uninit() }
}

impl<T: Element, R: Dimension> Assign<T, R> for Array<T, R> {
    #[inline]
    fn destination(&mut self) -> ViewMut<'_, T, R> {
        self.view_mut()
    }
}

impl<T: Element, R: Dimension> Assign<T, R> for ViewMut<'_, T, R> {
    #[inline]
    fn destination(&mut self) -> ViewMut<'_, T, R> {
        self.view_mut()
    }
}

impl<T: Element, R: Dimension> Assign<T, R> for ArcArray<T, R> {
    fn destination(&mut self) -> ViewMut<'_, T, R> {
        self.view_mut()
    }
}

impl<T: Element, R: Dimension> Assign<T, R> for CowArray<'_, T, R> {
    fn destination(&mut self) -> ViewMut<'_, T, R> {
        self.view_mut()
    }
}
