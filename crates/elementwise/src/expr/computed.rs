//! [`Computed`]: what repeats in a larger result is computed once, at its own size.

use super::{Binding, Expr, Flat, Tree, Whole};
use crate::exec::Exec;
use crate::kernel::Leaf;
use crate::types::Array;
use bcast::Error;
use ndcore::{Dimension, Dyn, Packed};
use std::sync::OnceLock;

/// The result of an expression as an operand of another one: what [`Expr::along`] makes of operations.
///
/// It is computed when it is first asked for, and kept.
pub struct Computed<E: Expr> {
    expr: E,
    result: OnceLock<Result<Array<E::Elem, Dyn>, Error>>,
}

impl<E: Expr> Computed<E> {
    pub(super) fn new(expr: E) -> Self {
        Computed { expr, result: OnceLock::new() }
    }

    fn result(&self) -> Result<&Array<E::Elem, Dyn>, &Error>
    where
        E::Rank: Dimension,
    {
        let compute = || Ok(crate::eval::eval(&self.expr, &Exec::default())?.into_dyn());
        self.result.get_or_init(compute).as_ref()
    }
}

impl<E: Expr<Rank: Dimension>> Expr for Computed<E> {
    type Elem = E::Elem;
    type Rank = E::Rank;
    type Source<'s>
        = Leaf<'s, E::Elem>
    where
        Self: 's;
    const COST: usize = 0;
    type Lifted = Self;

    fn lift(self) -> Self {
        self
    }

    fn describe<'s>(&'s self, tree: &mut Tree<'s>) {
        match self.result() {
            Ok(array) => tree.leaf(array.shape(), array.strides(), size_of::<E::Elem>()),
            Err(error) => tree.error(error),
        }
    }

    fn bind<'s>(&'s self, binding: &mut Binding<'_>) -> Leaf<'s, E::Elem> {
        binding.leaf(self.result().expect("an expression with an error is not bound").view())
    }

    fn model(&self) -> Option<(&[usize], &[isize])> {
        None
    }

    type Buffers = Packed<E::Elem>;

    fn flat<'s>(&'s self, to: &Whole<'_>, buffer: &'s mut Packed<E::Elem>) -> Option<Flat<'s, Self>> {
        to.spread(self.result().ok()?.view(), buffer)
    }
}

impl<E: Expr> std::fmt::Debug for Computed<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Computed").field("done", &self.result.get().is_some()).finish_non_exhaustive()
    }
}
