//! One pass over one or several destinations, of which a closure gets each element.

use crate::eval::{BUFFERED, apart, isa_if_serial};
use crate::exec::{self, Exec, work_of};
use crate::expr::{
    Alike, Binder, Binding, ElementType, Expr, Facts, Floating, Hoisted, Hoisting, MeetsRank, Tree,
    Visitor, copied, in_line, in_rows,
};
use crate::kernel::{
    Block, EachSlot, InTurn, Isa, Lends, Line, Outputs, Parts, Run, Shared, Source as _, Splat,
    each,
};
use crate::ops::UNKNOWN_COST;
use crate::plan::{Operands, Plan, Source};
use crate::threads::OnThreads;
use crate::types::{ArcArray, Array, CowArray, Fused, ViewMut};
use bcast::{Error, ErrorKind};
use ndcore::{Axes, Dimension, Element, Few, List};
use std::cell::RefCell;

/// The most bytes of the first output that take no plan.
const FLAT_BYTES: usize = 1 << 22;

/// The elements of one or several destinations, for a closure to change.
///
/// Implemented for tuples of up to six `&mut array`, `&mut view` or mutable views, all of one
/// shape.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are not destinations",
    note = "destinations are a tuple of up to six `&mut array` or mutable views of one rank: `(&mut a, &mut b)`",
    note = "where nothing is written: `a.iter().zip(&b).for_each(..)`, or `zip((&a, &b)).fold(..)`"
)]
pub trait Destinations {
    /// Their element types, as a tuple.
    type Elems: Outputs;
    /// Their rank.
    type Rank: Dimension;

    /// The destinations as views.
    #[doc(hidden)]
    fn views<'s>(&'s mut self) -> <Self::Elems as Outputs>::Views<'s, Self::Rank, Fused>;
}

/// One of [`Destinations`].
pub trait Destination {
    /// The element type.
    type Elem: Element;
    /// The rank.
    type Rank: Dimension;

    /// The destination as a view.
    #[doc(hidden)]
    fn target(&mut self) -> ViewMut<'_, Self::Elem, Self::Rank>;
}

macro_rules! destinations {
    ($([$($lt:lifetime),*] $type:ty;)*) => {$(
        impl<$($lt,)* T: Element, R: Dimension> Destination for $type {
            type Elem = T;
            type Rank = R;

            fn target(&mut self) -> ViewMut<'_, T, R> {
                self.view_mut()
            }
        }
    )*};
}
destinations! {
    ['a] &'a mut Array<T, R>;
    ['a] &'a mut ArcArray<T, R>;
    ['a, 'b] &'a mut CowArray<'b, T, R>;
    ['a, 'b] &'a mut ViewMut<'b, T, R>;
    ['a] ViewMut<'a, T, R>;
}

macro_rules! tuples {
    ($($first:ident $(, $part:ident $index:tt)*;)*) => {$(
        impl<R: Dimension, $first: Destination<Rank = R> $(, $part: Destination<Rank = R>)*>
            Destinations for ($first, $($part,)*)
        {
            type Elems = ($first::Elem, $($part::Elem,)*);
            type Rank = R;

            fn views<'s>(&'s mut self) -> <Self::Elems as Outputs>::Views<'s, R, Fused> {
                (self.0.target(), $(self.$index.target(),)*)
            }
        }
    )*};
}
tuples! {
    A;
    A, B 1;
    A, B 1, C 2;
    A, B 1, C 2, D 3;
    A, B 1, C 2, D 3, E 4;
    A, B 1, C 2, D 3, E 4, F 5;
}

/// No operands: an expression for passes that read nothing but their destinations.
impl Expr for () {
    type Elem = ();
    type Rank = Floating;
    type Node = Self;
    const FACTS: Facts = Facts::LEAF;

    #[inline(always)]
    fn into_node(self) {}

    #[inline(always)]
    fn describe<'a, V: Visitor<'a> + ?Sized>(&'a self, visitor: &mut V) {
        visitor.scalar(self, ElementType::of::<()>());
    }

    #[inline(always)]
    #[allow(refining_impl_trait, reason = "as for leaves")]
    fn bind<'a, B: Binder<'a>>(&'a self, _: &mut B) -> Splat<()> {
        Splat(())
    }
}

/// Calls a closure with each element of several destinations, to be changed, and those of an
/// expression: one pass, in parallel where that pays, with any element types. In `ndarray`,
/// `Zip::from(&mut a).and(&mut b).and(&c).par_for_each(..)`.
///
/// The destinations have one shape. The expression fits it as in
/// [`Assign::assign`](crate::Assign::assign): it may repeat; a tuple of [`zip`](crate::zip) gives
/// several elements, and `()` nothing. [`for_each_in_turn`] takes closures that change what they
/// capture.
///
/// # Errors
/// If the shapes do not fit: see [`bcast::ErrorKind`]. Nothing is changed then.
///
/// ```
/// use elementwise::{array, for_each, zip};
/// let (mut position, mut velocity) = (array![0.0, 0.0], array![1.0, 2.0]);
/// let (force, mass) = (array![0.5, 0.5], array![1_u8, 2]);
/// for_each((&mut position, &mut velocity), zip((&force, &mass)), |(x, v), (f, m)| {
///     *v += f / f64::from(m);
///     *x += *v;
/// })?;
/// assert_eq!((position, velocity), (array![1.5, 2.25], array![1.5, 2.25]));
/// # Ok::<(), elementwise::Error>(())
/// ```
#[inline(always)]
pub fn for_each<D, E, F>(mut destinations: D, expr: E, f: F) -> Result<(), Error>
where
    D: Destinations,
    E: Expr<Rank: MeetsRank<D::Rank>>,
    F: Fn(<D::Elems as Outputs>::Slots<'_>, E::Elem) + OnThreads,
{
    run::<D::Elems, _, _, _>(destinations.views(), &(expr.into_node(),), Shared(f))
}

/// As [`for_each`], for one element after the other in row-major order, on this thread: so the
/// closure may change what it captures.
///
/// # Errors
/// As for [`for_each`].
///
/// ```
/// use elementwise::{array, for_each_in_turn};
/// let (mut ranks, mut seen) = (array![[0, 0], [0, 0]], array![[false, false], [false, false]]);
/// let mut next = 0;
/// for_each_in_turn((ranks.t_mut(), seen.t_mut()), (), |(rank, seen), ()| {
///     (*rank, *seen) = (next, true);
///     next += 1;
/// })?;
/// assert_eq!(ranks, array![[0, 2], [1, 3]]);
/// # Ok::<(), elementwise::Error>(())
/// ```
#[inline(always)]
pub fn for_each_in_turn<D, E, F>(mut destinations: D, expr: E, f: F) -> Result<(), Error>
where
    D: Destinations,
    E: Expr<Rank: MeetsRank<D::Rank>>,
    F: FnMut(<D::Elems as Outputs>::Slots<'_>, E::Elem),
{
    run_in_turn::<D::Elems, _, _>(destinations.views(), expr.into_node(), f)
}

/// What a pass knows of its outputs.
struct Outline {
    shape: Axes<usize>,
    strides: Axes<isize>,
    size: usize,
    /// Whether all lie alike.
    alike: bool,
}

/// Looks at the outputs; an error if they have different shapes.
fn outline<O: Outputs, R: Dimension>(views: &O::Views<'_, R, Fused>) -> Result<Outline, Error> {
    let mut all = None::<Outline>;
    let mut misfit = None;
    O::layouts::<R, Fused>(views, &mut |shape, strides, size| match &mut all {
        None => {
            let (shape, strides) =
                (shape.iter().copied().collect(), strides.iter().copied().collect());
            all = Some(Outline { shape, strides, size, alike: true });
        }
        Some(all) if *shape == *all.shape => {
            all.alike &= *strides == *all.strides;
        }
        Some(all) => {
            misfit.get_or_insert_with(|| ErrorKind::DoesNotFit {
                value: List::of(&shape),
                destination: List::of(&all.shape),
            });
        }
    });
    match misfit {
        Some(misfit) => Err(misfit.into()),
        None => Ok(all.expect("there is a first output")),
    }
}

/// The operands of an expression in the outputs, and then the outputs but the first; `None` if
/// there are no elements.
fn operands<O: Outputs, E: Expr, R: Dimension>(
    views: &O::Views<'_, R, Fused>,
    expr: &E,
    Outline { shape, alike, .. }: &Outline,
) -> Result<Option<Operands>, Error> {
    let tree = Tree::of(expr);
    tree.check_fits(shape)?;
    if shape.contains(&0) {
        return Ok(None);
    }
    let mut operands = tree.operands(shape)?;
    if !alike {
        operands.take_one_by_one();
    }
    let mut first = true;
    O::layouts::<R, Fused>(views, &mut |shape, strides, size| {
        if !std::mem::take(&mut first) {
            operands.push(shape, strides, size, &None, Source::Leaf);
        }
    });
    Ok(Some(operands))
}

fn hoisted<E: Expr>(expr: &E, operands: &Operands, exec: &Exec) -> Result<Hoisted, Error> {
    if !operands.has_hoists() {
        return Ok(Hoisted::default());
    }
    let mut hoisting = Hoisting::new(operands.hoists(), exec)?;
    expr.hoist(&mut hoisting)?;
    Ok(hoisting.finish())
}

/// How a function is called for each slot of one run.
#[derive(Clone, Copy)]
enum By {
    /// By a loop that is part of the caller, of the baseline.
    Caller,
    /// By a function for this instruction set.
    Isa(Isa),
}

impl By {
    /// Calls it, with the elements of a block.
    #[inline(always)]
    fn each<O: Outputs, B: Block, F: EachSlot<O, B::Elem>>(
        self,
        f: F,
        (first, rest): (&mut [O::First], O::Rest<'_>),
        block: B,
    ) {
        match self {
            By::Caller => O::each(f, block, first, rest),
            By::Isa(isa) => each::<O, _, F>(isa, f, first, rest, block),
        }
    }
}

/// As one run over the memory of all arrays, if they lie alike without gaps, in the way that `by`
/// gives for so many elements; whether that was so.
#[inline(always)]
fn run_flat<O: Outputs, R: Dimension, E: Expr, F: EachSlot<O, E::Elem>>(
    views: &mut O::Views<'_, R, Fused>,
    expr: &E,
    f: F,
    row_major: bool,
    by: impl FnOnce(usize) -> Option<By>,
) -> Result<bool, Error> {
    let Some(&layout) = O::alike::<R, Fused>(views) else { return Ok(false) };
    let mut alike = Alike::of(layout.shape(), layout.strides());
    expr.describe(&mut alike);
    let len = layout.size();
    if alike.layout().is_none() || (const { E::FACTS.buffers } && len > BUFFERED) {
        return Ok(false);
    }
    let Some(by) = by(len) else { return Ok(false) };
    let Some(slots) = O::slices::<R, Fused>(views, row_major) else { return Ok(false) };
    if const { E::FACTS.buffers_within } {
        let By::Isa(isa) = by else { unreachable!("what needs buffers is dear") };
        let mut room = Few::new();
        let mut binding = Binding::flat(std::array::from_ref(&len), isa).with_room(&mut room);
        let mut source = binding.bound(expr);
        binding.fits(false)?;
        by.each::<O, _, F>(f, slots, source.root(&Run::flat(len)));
    } else {
        by.each::<O, _, F>(f, slots, Alike::bind(expr, len).flat());
    }
    Ok(true)
}

/// Whether much is computed before a closure is called: a function for the instruction set pays.
const fn is_dear(operands: Facts) -> bool {
    operands.buffers || operands.vectors || operands.multiply_adds
}

/// The most bytes of outputs that are gone over as part of the caller.
const FEW_BYTES: usize = 1 << 9;

/// Calls a function with each element of the outputs, in parallel where that pays.
#[inline(always)]
fn run<O: Outputs, R: Dimension, E: Expr, F: EachSlot<O, E::Elem> + Sync>(
    mut views: O::Views<'_, R, Fused>,
    expr: &E,
    f: F,
) -> Result<(), Error> {
    let serial = |len: usize| {
        let bytes = len.saturating_mul(O::BYTES);
        // So few take less time than to ask how to run.
        if bytes <= FEW_BYTES && const { !is_dear(E::FACTS) } {
            return Some(By::Caller);
        }
        let flat = bytes <= FLAT_BYTES;
        if flat {
            isa_if_serial(len, work_of(O::BYTES, E::FACTS.cost + UNKNOWN_COST)).map(By::Isa)
        } else {
            None
        }
    };
    if run_flat::<O, R, E, F>(&mut views, expr, f, false, serial)? {
        return Ok(());
    }
    // Columns: so few take less time than to hand them on.
    if const { matches!(R::NDIM, Some(1)) && !is_dear(E::FACTS) }
        && let Some(layout) = O::alike::<R, Fused>(&views)
        && let &[len] = layout.shape()
        && len.saturating_mul(O::BYTES) <= 4 * FEW_BYTES
        && let Some(line) = in_line(expr, &[len])
    {
        O::one_by_one::<R, Fused, _, F>(f, Line(line.block().line(0)), &mut views);
        return Ok(());
    }
    apart(move || run_by_plan::<O, R, E, F>(views, expr, f))
}

/// The most elements of outputs with gaps that are taken one by one, and what they may cost
/// together: no instruction set makes vectors of them.
const FEW: usize = 1 << 12;
const FEW_WORK: usize = 1 << 15;

/// Row by row, or one by one in row-major order, of few elements that plainly repeat, in the way
/// that `by` gives for so many elements; whether that was so.
#[inline(always)]
fn run_few<O: Outputs, R: Dimension, E: Expr, F: EachSlot<O, E::Elem>>(
    views: &mut O::Views<'_, R, Fused>,
    expr: &E,
    f: F,
    shape: &[usize],
    by: impl FnOnce(usize) -> Option<By>,
) -> bool {
    // Extents above what there is room for could overflow.
    let len = shape.iter().fold(1_usize, |len, &extent| len.saturating_mul(extent));
    if const { E::FACTS.buffers_within } || len == 0 {
        return false;
    }
    let Some(by) = by(len) else { return false };
    let rows = match shape {
        [_] => 1,
        &[rows, _] => rows,
        _ => 0,
    };
    let mut few = Few::new();
    if rows > 0
        && O::rows::<R, Fused>(views, 0).is_some()
        && let Some(source) = in_rows(expr, shape, &mut few)
    {
        let block = source.block();
        for row in 0..rows {
            let slots = O::rows::<R, Fused>(views, row).expect("rows of unit stride");
            by.each::<O, _, F>(f, slots, block.run(row));
        }
        return true;
    }
    // A vector has no other order in which it would be gone over.
    if (len > FEW && shape.len() != 1) || len * E::FACTS.cost > FEW_WORK {
        return false;
    }
    let mut few = Few::new();
    if let Some(line) = in_line(expr, shape) {
        O::one_by_one::<R, Fused, _, F>(f, Line(line.block().line(0)), views);
    } else if let Some(copies) = copied(expr, shape, &mut few) {
        O::one_by_one::<R, Fused, _, F>(f, copies.block(), views);
    } else {
        return false;
    }
    true
}

/// As [`run`], by a plan.
#[inline(never)]
fn run_by_plan<O: Outputs, R: Dimension, E: Expr, F: EachSlot<O, E::Elem> + Sync>(
    mut views: O::Views<'_, R, Fused>,
    expr: &E,
    f: F,
) -> Result<(), Error> {
    let exec = Exec::current();
    let tasks = |len| exec.tasks(len, work_of(O::BYTES, E::FACTS.cost + UNKNOWN_COST));
    // Most often they lie alike, and there is nothing to list.
    let alike = O::alike::<R, Fused>(&views).copied();
    let found = if alike.is_some() { None } else { Some(outline::<O, R>(&views)?) };
    let serial = |len: usize| {
        let few = len.saturating_mul(O::BYTES) <= FLAT_BYTES && tasks(len) <= 1;
        few.then_some(By::Isa(exec.isa))
    };
    let of_all = found.as_ref().map(|found| &found.shape[..]);
    let shape = alike.as_ref().map(|alike| alike.shape()).or(of_all).expect("one of both");
    if run_few::<O, R, E, F>(&mut views, expr, f, shape, serial) {
        return Ok(());
    }
    let outline = found.map_or_else(|| outline::<O, R>(&views), Ok)?;
    let shape = &outline.shape[..];
    let work = work_of(O::BYTES, E::FACTS.cost + UNKNOWN_COST);
    let tasks = exec.tasks_of(shape.iter().product(), work, O::BYTES, false);
    let Some(operands) = operands::<O, E, R>(&views, expr, &outline)? else { return Ok(()) };
    let plan = Plan::of_result(shape, &outline.strides, outline.size, &operands, exec.cache)?;
    let hoisted = hoisted(expr, &operands, &exec)?;
    let parts = Parts::<O>(O::targets(views, &plan));
    exec::run(&plan, tasks, parts, &|part, start| {
        let mut binding = Binding::planned(shape, &operands, &plan, &hoisted, exec.isa);
        let mut source = binding.bound(expr);
        binding.fits(false)?;
        Lends::new(f, part, &plan, exec.isa).walk(&mut source, start)
    })
}

/// As [`run`], in row-major order on this thread.
#[inline(always)]
pub(super) fn run_in_turn<O: Outputs, R: Dimension, E: Expr>(
    mut views: O::Views<'_, R, Fused>,
    expr: E,
    f: impl FnMut(O::Slots<'_>, E::Elem),
) -> Result<(), Error> {
    let expr = &(expr,);
    // What a closure carries from element to element stays in registers where the loop is part of
    // the caller, and is kept in memory by a function for an instruction set.
    let by = |_| {
        let dear = const { is_dear(E::FACTS) };
        Some(if dear { By::Isa(Exec::current().isa) } else { By::Caller })
    };
    let f = InTurn(RefCell::new(f));
    if run_flat::<O, R, _, _>(&mut views, expr, &f, true, by)? {
        return Ok(());
    }
    if let Some(&layout) = O::alike::<R, Fused>(&views)
        && run_few::<O, R, _, _>(&mut views, expr, &f, layout.shape(), by)
    {
        return Ok(());
    }
    let InTurn(f) = f;
    apart(move || run_in_turn_by_plan::<O, R, _, _>(views, expr, &InTurn(f)))
}

/// As [`run_in_turn`], whatever lies how.
#[inline(never)]
fn run_in_turn_by_plan<O: Outputs, R: Dimension, E: Expr, F: EachSlot<O, E::Elem>>(
    mut views: O::Views<'_, R, Fused>,
    expr: &E,
    f: F,
) -> Result<(), Error> {
    let exec = Exec::current();
    let outline = outline::<O, R>(&views)?;
    let shape = &outline.shape[..];
    if run_few::<O, R, E, F>(&mut views, expr, f, shape, |_| Some(By::Isa(exec.isa))) {
        return Ok(());
    }
    let Some(operands) = operands::<O, E, R>(&views, expr, &outline)? else { return Ok(()) };
    let plan = Plan::in_turn(shape, &outline.strides, outline.size, &operands)?;
    let hoisted = hoisted(expr, &operands, &exec)?;
    let mut binding = Binding::planned(shape, &operands, &plan, &hoisted, exec.isa);
    let mut source = binding.bound(expr);
    binding.fits(false)?;
    let parts = Parts::<O>(O::targets(views, &plan));
    let start = ndcore::Extents::filled(0, plan.ndim());
    Lends::new(f, parts, &plan, exec.isa).walk(&mut source, &start)
}
