//! From an expression to memory: into a new array, into an array that exists, or in words.

use crate::exec::{self, Exec, work_of};
use crate::expr::{Binding, Expr, Operand, Tree, Whole};
use crate::kernel::{self, Store, Update, Worker, Write, compute};
use crate::ops::Op;
use crate::plan::{Explanation, OperandLayout, Operands, Plan, result_order};
use crate::types::{Array, ViewMut};
use bcast::Error;
use ndcore::{Axes, Dimension, Dyn, Element, Layout};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

fn layout_of<R: Dimension>(layout: &Layout<R>, element_size: usize) -> OperandLayout {
    OperandLayout { strides: layout.strides().iter().copied().collect(), element_size }
}

/// The layout of a new result.
fn result_layout<R: Dimension>(shape: &[usize], operands: &Operands) -> Result<Layout<R>, Error> {
    let order = result_order(shape, operands.as_slice());
    Ok(Layout::nested(R::shape(shape)?, &order)?)
}

/// A result about to be computed: in memory taken over from a dropped array, or in fresh memory.
pub(crate) enum Fresh<T: Element, R: Dimension> {
    Recycled(Array<T, R>),
    Uninit(Array<MaybeUninit<T>, R>),
}

impl<T: Element, R: Dimension> Fresh<T, R> {
    pub(crate) fn new(layout: Layout<R>) -> Result<Self, Error> {
        Ok(match Array::recycled(layout) {
            Some(recycled) => Fresh::Recycled(recycled),
            None => Fresh::Uninit(Array::uninit(layout)?),
        })
    }

    pub(crate) fn slots(&mut self) -> ViewMut<'_, MaybeUninit<T>, R> {
        match self {
            Fresh::Recycled(array) => slots(array.view_mut()),
            Fresh::Uninit(array) => array.view_mut(),
        }
    }

    /// The array, of whose elements `written` have been written: whoever fills it counts each element of its slots once.
    pub(crate) fn finish(self, written: usize) -> Array<T, R> {
        match self {
            Fresh::Recycled(array) => array,
            Fresh::Uninit(array) => {
                assert_eq!(written, array.len(), "every element of a result is written");
                // SAFETY: `compute`, `fold` and the like store each element of the parts they are given once and count them, the parts do not
                // overlap, and the count is that of all elements.
                unsafe { array.assume_init() }
            }
        }
    }
}

/// The elements of an array as slots for [`Write`].
#[inline]
fn slots<T: Element, R: Dimension>(out: ViewMut<'_, T, R>) -> ViewMut<'_, MaybeUninit<T>, R> {
    // SAFETY: whoever gets these slots in this crate stores computed values only.
    unsafe { out.into_uninit() }
}

/// An expression and where its results go, without the expression's types: the way from here to the kernel is compiled once for each type of
/// output.
pub(crate) trait Pass<Slot: Element>: Sync {
    /// As [`Expr::COST`].
    fn cost(&self) -> usize;

    /// The nodes of the expression.
    fn describe<'a>(&'a self, tree: &mut Tree<'a>);

    /// Computes a part of the output that begins at index `start` of the loops. Returns the number of elements stored.
    fn task(&self, binding: Binding<'_>, exec: &Exec, out: ndcore::ViewMut<'_, Slot, Dyn>, start: &[usize]) -> usize;
}

/// An expression bound for a destination.
struct To<'a, E, D>(&'a E, &'a D);

impl<E: Expr, D: Store<E::Elem>> Pass<D::Slot> for To<'_, E, D> {
    fn cost(&self) -> usize {
        E::COST
    }

    fn describe<'a>(&'a self, tree: &mut Tree<'a>) {
        self.0.describe(tree);
    }

    fn task(
        &self,
        mut binding: Binding<'_>,
        exec: &Exec,
        out: ndcore::ViewMut<'_, D::Slot, Dyn>,
        start: &[usize],
    ) -> usize {
        let (source, plan) = (self.0.bind(&mut binding), binding.plan());
        compute(&mut Worker { source, store: self.1, isa: exec.isa, streamed: plan.streamed }, plan, out, start)
    }
}

/// The tree of an expression.
fn tree_of<Slot: Element>(pass: &dyn Pass<Slot>) -> Tree<'_> {
    let mut tree = Tree::default();
    pass.describe(&mut tree);
    tree
}

/// Computes an expression as a new array.
pub(crate) fn eval<E>(expr: &E, exec: &Exec) -> Result<Array<E::Elem, E::Rank>, Error>
where
    E: Expr<Rank: Dimension>,
{
    match eval_flat(expr, exec)? {
        Some(done) => Ok(done),
        None => eval_planned(&To(expr, &Write), exec),
    }
}

/// A new array computed by a plan.
fn eval_planned<T: Element, R: Dimension>(
    pass: &dyn Pass<MaybeUninit<T>>,
    exec: &Exec,
) -> Result<Array<T, R>, Error> {
    let tree = tree_of(pass);
    let shape = tree.shape()?;
    let operands = tree.operands(&shape)?;
    let mut out = Fresh::<T, R>::new(result_layout(&shape, &operands)?)?;
    let written = fill(pass, &operands, out.slots().as_dyn_mut(), exec);
    Ok(out.finish(written))
}

/// A new array computed by one run, if that is all there is to do, or takes less than to plan.
#[inline]
fn eval_flat<E>(expr: &E, exec: &Exec) -> Result<Option<Array<E::Elem, E::Rank>>, Error>
where
    E: Expr<Rank: Dimension>,
{
    let Some((shape, strides)) = expr.model() else { return Ok(None) };
    let (len, work) = (shape.iter().product(), work_of(size_of::<E::Elem>(), E::COST));
    if exec.tasks(len, work) > 1 || len > FLAT {
        return Ok(None);
    }
    // The model may be of a lower rank than the result.
    let Ok(own) = <E::Rank as Dimension>::shape(shape) else { return Ok(None) };
    let layout = Layout::strided(own, strides, 0, len).ok().filter(Layout::is_contiguous);
    let Some(layout) = layout else { return Ok(None) };
    // If others lie otherwise, this one must be row-major: that makes the result so.
    let spreads = exec.is_tiny(len, work);
    let mut buffers = E::Buffers::default();
    let Some(block) = expr.flat(&Whole { shape, strides, len, dims: None, spreads }, &mut buffers) else {
        return Ok(None);
    };
    let mut data = ndcore::reserved(len, shape)?;
    kernel::run(exec.isa, false, &Write, &mut data.spare_capacity_mut()[..len], block);
    // SAFETY: there is room for as many, and the kernel stores every element of the slots it is given.
    unsafe { data.set_len(len) };
    Ok(Some(Array::from_layout_vec(layout, data)?))
}

/// The most elements of a new array that is not worth recycled memory, and so no plan either.
const FLAT: usize = 1 << 14;

/// As [`fill`], if there is nothing to plan: everything lies in memory in one order, without gaps, or is brought into it sooner than a plan is
/// made; and it is not worth several threads.
#[inline]
fn fill_flat<E: Expr, D: Store<E::Elem>, R: Dimension>(
    expr: &E,
    store: &D,
    out: &mut ViewMut<'_, D::Slot, R>,
    exec: &Exec,
) -> bool {
    let (len, work) = (out.len(), work_of(size_of::<D::Slot>(), E::COST));
    if exec.tasks(len, work) > 1 {
        return false;
    }
    let spreads = exec.is_tiny(len, work);
    let whole = Whole { shape: out.shape(), strides: out.strides(), len, dims: None, spreads };
    let mut buffers = E::Buffers::default();
    let Some(block) = expr.flat(&whole, &mut buffers) else { return false };
    let Some(slots) = out.view_mut().into_slice_memory_order() else { return false };
    kernel::run(exec.isa, false, store, slots, block);
    true
}

/// Runs an expression, whose shape is that of `out`, over `out`. Returns the number of elements stored.
fn fill<Slot: Element>(
    pass: &dyn Pass<Slot>,
    operands: &Operands,
    out: ViewMut<'_, Slot, Dyn>,
    exec: &Exec,
) -> usize {
    if out.is_empty() {
        return 0;
    }
    let shape: Axes<usize> = out.shape().iter().copied().collect();
    let plan = Plan::new(&shape, &layout_of(out.layout(), size_of::<Slot>()), operands.as_slice(), exec.cache);
    let out = out.nested(&plan.nest);
    let binding = Binding::new(&shape, operands, &plan);
    let tasks = exec.tasks(out.len(), work_of(size_of::<Slot>(), pass.cost()));
    exec::run(&plan, tasks, out, &|part, start| pass.task(binding, exec, part, start))
}

/// Runs an expression over memory that exists, if it fits.
#[inline]
pub(crate) fn store<E: Expr, D: Store<E::Elem>, R: Dimension>(
    expr: &E,
    store: &D,
    mut out: ViewMut<'_, D::Slot, R>,
    exec: &Exec,
) -> Result<(), Error> {
    if fill_flat(expr, store, &mut out, exec) {
        Ok(())
    } else {
        store_planned(&To(expr, store), out.as_dyn_mut(), exec)
    }
}

fn store_planned<Slot: Element>(
    pass: &dyn Pass<Slot>,
    out: ViewMut<'_, Slot, Dyn>,
    exec: &Exec,
) -> Result<(), Error> {
    let tree = tree_of(pass);
    tree.check_fits(out.shape())?;
    let operands = tree.operands(out.shape())?;
    fill(pass, &operands, out, exec);
    Ok(())
}

/// Arrays and views that an expression can be assigned to.
pub trait Assign<T: Element, R: Dimension> {
    /// The destination.
    #[doc(hidden)]
    fn destination(&mut self) -> ViewMut<'_, T, R>;

    /// Computes an expression into this memory, in one pass. Nothing is allocated.
    ///
    /// The expression has this shape, or is a scalar, or repeats where its extent is 1 or along the axes that
    /// [`along`](Expr::along) leaves out; this array itself never changes its shape.
    ///
    /// # Errors
    /// If the operands' shapes do not fit each other or this one: see [`bcast::ErrorKind`]. Nothing is written then.
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
    fn assign<E: Operand<T, R>>(&mut self, expr: E) -> Result<(), Error>
    where
        E::Expr: Expr<Elem = T>,
    {
        self.assign_with(expr, &Exec::default())
    }

    /// As [`assign`](Self::assign), by the given way of execution.
    ///
    /// # Errors
    /// As for [`assign`](Self::assign).
    fn assign_with<E: Operand<T, R>>(&mut self, expr: E, exec: &Exec) -> Result<(), Error>
    where
        E::Expr: Expr<Elem = T>,
    {
        store(&expr.into_expr(), &Write, slots(self.destination()), exec)
    }

    /// Combines each element with that of an expression: `x.update(ops::Add, &y)` is `x += &y` without the panic.
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
    fn update<O, E: Operand<T, R>>(&mut self, op: O, expr: E) -> Result<(), Error>
    where
        O: Op<(T, <E::Expr as Expr>::Elem), Output = T>,
    {
        self.update_with(op, expr, &Exec::default())
    }

    /// As [`update`](Self::update), by the given way of execution.
    ///
    /// # Errors
    /// As for [`assign`](Self::assign).
    fn update_with<O, E: Operand<T, R>>(&mut self, op: O, expr: E, exec: &Exec) -> Result<(), Error>
    where
        O: Op<(T, <E::Expr as Expr>::Elem), Output = T>,
    {
        store(&expr.into_expr(), &Update { op, output: PhantomData }, self.destination(), exec)
    }
}

impl<T: Element, R: Dimension> Assign<T, R> for Array<T, R> {
    fn destination(&mut self) -> ViewMut<'_, T, R> {
        self.view_mut()
    }
}

impl<T: Element, R: Dimension> Assign<T, R> for ViewMut<'_, T, R> {
    fn destination(&mut self) -> ViewMut<'_, T, R> {
        self.view_mut()
    }
}

/// How an expression would be computed as a new array.
pub(crate) fn explain<E: Expr>(expr: &E, exec: &Exec) -> Result<Explanation, Error> {
    let mut tree = Tree::default();
    expr.describe(&mut tree);
    let shape = tree.shape()?;
    let operands = tree.operands(&shape)?;
    let output = layout_of(&result_layout::<Dyn>(&shape, &operands)?, size_of::<E::Elem>());
    let plan = (!shape.contains(&0)).then(|| Plan::new(&shape, &output, operands.as_slice(), exec.cache));
    let tasks = exec.tasks(shape.iter().product(), work_of(size_of::<E::Elem>(), E::COST));
    Ok(Explanation {
        shape: shape.to_vec(),
        output,
        operands: operands.as_slice().to_vec(),
        exec: *exec,
        tasks,
        plan,
    })
}
