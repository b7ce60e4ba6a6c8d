//! How an expression would be computed, in words.

use super::result_layout;
use crate::exec::{Exec, additions, work_of};
use crate::expr::{Expr, Tree};
use crate::plan::{Explanation, Operands, Plan};
use bcast::Error;
use ndcore::{Dimension, Dyn, Layout};

/// How an expression would be computed as a new array.
pub(crate) fn explain<E: Expr>(expr: &E, exec: &Exec) -> Result<Explanation, Error> {
    let tree = Tree::of(expr);
    let shape = tree.shape()?;
    let operands = tree.operands(&shape)?;
    let layout = result_layout::<Dyn>(&shape, &operands)?;
    explain_in(&layout, size_of::<E::Elem>(), operands, E::FACTS.cost, exec)
}

/// How an expression would be computed into memory that exists.
pub(super) fn explain_store<E: Expr, R: Dimension>(
    expr: &E,
    layout: &Layout<R>,
    exec: &Exec,
) -> Result<Explanation, Error> {
    let tree = Tree::of(expr);
    tree.check_fits(layout.shape())?;
    let operands = tree.operands(layout.shape())?;
    explain_in(layout, size_of::<E::Elem>(), operands, E::FACTS.cost, exec)
}

fn explain_in<R: Dimension>(
    layout: &Layout<R>,
    size: usize,
    operands: Operands,
    cost: usize,
    exec: &Exec,
) -> Result<Explanation, Error> {
    let (shape, strides) = (layout.shape(), layout.strides());
    let some = !shape.contains(&0);
    let plan = some.then(|| Plan::of_result(shape, strides, size, &operands, exec.cache));
    let plan = plan.transpose()?;
    let packing = plan.as_ref().map_or(0, |plan| plan.packing(&operands));
    let (len, work) = (layout.size(), work_of(size, cost) + packing);
    let work = (additions(len, work), exec.tasks_at_rest(len, work));
    Ok(Explanation::new(shape, strides, size, operands, *exec, work, plan))
}
