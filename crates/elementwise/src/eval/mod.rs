//! From an expression to memory: into a new array, into an array that exists, or in words.
//!
//! There are four ways, and the first that fits is taken. Arrays that lie alike, without gaps, are
//! one run over their memory ([`Alike`]), and lines one by one ([`in_line`]); windows, and rows
//! beside one that repeats, are computed row by row, and few elements of a matrix whose rows have
//! other strides, one by one ([`Lines`]); few elements of more axes from copies on the stack, and
//! more of them from copies on the heap ([`Reading::Copies`]); for anything else, and for what is
//! worth several threads, there is a plan. The first three are there because to plan takes longer
//! than to compute a few elements.
//! What is for very few is compiled as part of the caller; the rest sees the expression as
//! [`Elementwise`].
//!
//! Which way is taken is decided in `ways`, for new arrays in `new`, for those that exist in
//! `store`.
//!
//! [`Alike`]: crate::expr::Alike
//! [`in_line`]: crate::expr::in_line
//! [`Lines`]: crate::expr::Lines
//! [`Reading::Copies`]: crate::expr::Reading::Copies

mod assign;
mod contiguous;
mod explain;
mod new;
mod reuse;
mod store;
mod ways;

pub use assign::Assign;
pub(crate) use contiguous::{Contiguous, Elements, with_last};
pub(crate) use explain::explain;
pub(crate) use new::{
    at_own_size, compute_few, compute_line, computed_by, eval, eval_by, eval_pass, eval_value,
    in_order, new_of_size, stretched,
};
pub(crate) use store::{store, write};
pub(crate) use ways::{BUFFERED, FEW_BYTES, Tiny, apart, isa_if_serial, most_of_line, seldom};

use crate::exec::{self, Exec, work_of};
use crate::expr::{Binding, Expr, Facts, Hoisted, Hoisting, Tree, Unfit, Visitor, show};
use crate::kernel::{self, Computes, Computing, Run, Store, Stores};
use crate::ops::UNKNOWN_COST;
use crate::plan::{Operands, Plan, result_order};
use crate::types::ViewMut;
use bcast::Error;
use ndcore::{Axes, Dimension, Dyn, Element, Filled, Layout, Part, RowsMut};
use std::mem::MaybeUninit;

/// The layout of a new result.
fn result_layout<R: Dimension>(shape: &[usize], operands: &Operands) -> Result<Layout<R>, Error> {
    nested_layout(shape, &result_order(shape, operands))
}

/// The layout of a new result whose axes are nested in this order, the outermost first.
fn nested_layout<R: Dimension>(shape: &[usize], order: &[u8]) -> Result<Layout<R>, Error> {
    Ok(if order.is_sorted() {
        Layout::c_order(R::shape(shape)?)?
    } else {
        let order: Axes<usize> = order.iter().map(|&axis| axis.into()).collect();
        Layout::nested(R::shape(shape)?, &order)?.with_units_settled()
    })
}

/// An expression and what becomes of its elements, without their types: the way from here to the
/// kernel is compiled once for each type of output.
pub(crate) trait Pass<Slot: Element>: Sync {
    /// The work of an element: see [`work_of`].
    fn work(&self) -> usize;

    /// Whether it is known what an element takes: not so if there is a closure.
    fn is_known(&self) -> bool {
        true
    }

    /// As [`Expr::hoist`].
    fn hoist(&self, hoisting: &mut Hoisting<'_>) -> Result<(), Error>;

    /// Computes a part of the output that begins at index `start` of the loops.
    fn task<'b>(
        &self,
        binding: Binding<'_>,
        plan: &Plan,
        part: Part<'b, Slot>,
        start: &[usize],
    ) -> Result<Filled<'b>, Error>;
}

/// A pass over an output that has a slot for each element. All that is compiled for each expression
/// of a destination, but for what is part of the caller.
pub(crate) trait Elementwise<Slot: Element>: Sync {
    /// What is known of the expression.
    fn facts(&self) -> &'static Facts;

    /// What an element costs, and what becomes of it.
    fn cost(&self) -> usize;

    /// As [`Pass::is_known`].
    fn is_known(&self) -> bool;

    /// Shows the nodes of the expression.
    fn describe<'a>(&'a self, visitor: &mut dyn Visitor<'a>);

    /// As [`Expr::hoist_within`].
    fn hoist(&self, hoisting: &mut Hoisting<'_>) -> Result<(), Error>;

    /// As [`Store::blank`].
    fn blank(&self) -> Option<Slot>;

    /// Binds the expression, and calls a function, once, with what computes its elements then,
    /// unless that does not fit, in a `new` result or another one.
    fn bound<'a>(
        &'a self,
        binding: &mut Binding<'a>,
        new: bool,
        then: &mut dyn FnMut(&mut dyn Computes<Slot>) -> Result<(), Error>,
    ) -> Result<(), Unfit>;
}

/// A pass that makes a new array.
pub(crate) type Makes<'p, T> = dyn Elementwise<MaybeUninit<T>> + 'p;

impl<'p, Slot: Element> dyn Elementwise<Slot> + 'p {
    /// The work of an element: see [`work_of`].
    pub(crate) fn work(&self) -> usize {
        work_of(size_of::<Slot>(), self.cost())
    }

    /// Computes few elements without a plan, in rows, or as one run in row-major order.
    fn store_few<'a>(
        &'a self,
        binding: &mut Binding<'a>,
        rows: RowsMut<'_, Slot>,
    ) -> Result<(), Unfit> {
        let (isa, run, mut rows) = (binding.isa, Run::flat(rows.len()), Some(rows));
        self.bound(binding, false, &mut |computes| {
            computes.store(isa, rows.take().expect("called once"), &run, false);
            Ok(())
        })
    }
}

impl<'p, T: Element> Makes<'p, T> {
    /// As `store_few`, of a result in row-major order.
    pub(crate) fn few<'a, 's>(
        &'a self,
        binding: &mut Binding<'a>,
        slots: &'s mut [MaybeUninit<T>],
    ) -> Result<&'s mut [T], Unfit> {
        let (isa, slabs, mut slots, mut made) = (binding.isa, binding.slabs(), Some(slots), None);
        self.bound(binding, true, &mut |computes| {
            let slots = slots.take().expect("called once");
            let run = Run::flat(slots.len());
            made = Some(kernel::compute_run(isa, slots, computes, &run, slabs));
            Ok(())
        })?;
        Ok(made.expect("called"))
    }
}

impl<Slot: Element> Pass<Slot> for &(dyn Elementwise<Slot> + '_) {
    fn work(&self) -> usize {
        (**self).work()
    }

    fn is_known(&self) -> bool {
        (**self).is_known()
    }

    fn hoist(&self, hoisting: &mut Hoisting<'_>) -> Result<(), Error> {
        (**self).hoist(hoisting)
    }

    fn task<'b>(
        &self,
        binding: Binding<'_>,
        plan: &Plan,
        part: Part<'b, Slot>,
        start: &[usize],
    ) -> Result<Filled<'b>, Error> {
        // For as long as this takes: what it refers to may live longer than the expression.
        let mut binding: Binding<'_> = binding;
        let mut stores = Some(Stores::new(self.blank(), part, plan, binding.isa));
        let mut filled = None;
        self.bound(&mut binding, false, &mut |computes| {
            filled = Some(stores.take().expect("called once").walk(computes, start)?);
            Ok(())
        })?;
        Ok(filled.expect("called"))
    }
}

/// The tree of the expression of a pass.
pub(crate) fn tree_of<'p, Slot: Element>(pass: &'p dyn Elementwise<Slot>) -> Tree<'p> {
    let mut tree = Tree::default();
    pass.describe(&mut tree);
    tree
}

/// Computes what is computed before the rest.
pub(crate) fn hoist<Slot: Element>(
    pass: &dyn Pass<Slot>,
    operands: &Operands,
    exec: &Exec,
) -> Result<Hoisted, Error> {
    if !operands.has_hoists() {
        return Ok(Hoisted::default());
    }
    let mut hoisting = Hoisting::new(operands.hoists(), exec)?;
    pass.hoist(&mut hoisting)?;
    Ok(hoisting.finish())
}

/// Runs a pass by a plan over an output, of which there is some, with what was computed before.
// Whatever the rank of the output: nothing of this is compiled for each.
pub(crate) fn execute<'b, Slot: Element>(
    pass: &dyn Pass<Slot>,
    shape: &[usize],
    (operands, hoisted): (&Operands, &Hoisted),
    plan: &Plan,
    out: ViewMut<'b, Slot, Dyn>,
    exec: &Exec,
) -> Result<Filled<'b>, Error> {
    let (len, work) = (shape.iter().product(), pass.work() + plan.packing(operands));
    let mut tasks = exec.tasks_of(len, work, size_of::<Slot>(), pass.is_known());
    if tasks.count > 1 {
        tasks.count = tasks.count.min(plan.most_tasks(rayon::current_num_threads()));
    }
    let out = out.into_part(&plan.nest);
    exec::run(plan, tasks, out, &|part, start| {
        let binding = Binding::planned(shape, operands, plan, hoisted, exec.isa);
        pass.task(binding, plan, part, start)
    })
}

/// An expression bound for a destination.
pub(crate) struct To<'d, E, D>(pub E, pub &'d D);

impl<E: Expr, D: Store<E::Elem>> Elementwise<D::Slot> for To<'_, E, D> {
    fn facts(&self) -> &'static Facts {
        &E::FACTS
    }

    fn cost(&self) -> usize {
        E::FACTS.cost + D::COST
    }

    fn is_known(&self) -> bool {
        E::FACTS.pure && D::COST != UNKNOWN_COST
    }

    fn describe<'a>(&'a self, visitor: &mut dyn Visitor<'a>) {
        show(&self.0, visitor);
    }

    fn hoist(&self, hoisting: &mut Hoisting<'_>) -> Result<(), Error> {
        type Hoists<E> = fn(&E, &mut Hoisting<'_>) -> Result<(), Error>;
        // By a constant: see `Evaluates` in `new`.
        match const { if E::FACTS.buffered { Some(E::hoist_within as Hoists<E>) } else { None } } {
            Some(hoist) => hoist(&self.0, hoisting),
            None => Ok(()),
        }
    }

    fn blank(&self) -> Option<D::Slot> {
        self.1.blank()
    }

    fn bound<'a>(
        &'a self,
        binding: &mut Binding<'a>,
        new: bool,
        then: &mut dyn FnMut(&mut dyn Computes<D::Slot>) -> Result<(), Error>,
    ) -> Result<(), Unfit> {
        let mut source = binding.bound(&self.0);
        let mut computing = Computing { source: &mut source, store: self.1 };
        binding.fits(new)?;
        then(&mut computing).map_err(Unfit::Error)
    }
}

/// Runs a pass, whose shape is that of `out`, over all of it.
fn fill<'b, Slot: Element>(
    pass: &dyn Elementwise<Slot>,
    operands: &Operands,
    out: ViewMut<'b, Slot, Dyn>,
    exec: &Exec,
) -> Result<Filled<'b>, Error> {
    // Whatever the size is: it may have errors, or effects.
    let hoisted = hoist(&pass, operands, exec)?;
    fill_with(pass, (operands, &hoisted), out, exec)
}

/// As [`fill`], with what was computed before.
fn fill_with<'b, Slot: Element>(
    pass: &dyn Elementwise<Slot>,
    (operands, hoisted): (&Operands, &Hoisted),
    out: ViewMut<'b, Slot, Dyn>,
    exec: &Exec,
) -> Result<Filled<'b>, Error> {
    let layout = *out.layout();
    if layout.shape().contains(&0) {
        return Ok(out.filled_without_elements());
    }
    let shape = layout.shape();
    let plan = Plan::of_result(shape, layout.strides(), size_of::<Slot>(), operands, exec.cache)?;
    execute(&pass, shape, (operands, hoisted), &plan, out, exec)
}
