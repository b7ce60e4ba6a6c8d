//! From an expression to memory: into a new array, into an array that exists, or in words.
//!
//! There are four ways, and the first that fits is taken. Arrays that lie alike, without gaps, are
//! one run over their memory ([`Alike`]), and lines one by one ([`in_line`]); windows, and rows
//! beside one that repeats, are computed row by row, and very few elements that plainly repeat from
//! copies on the stack ([`Reading`], [`in_rows_here`]); few elements, through copies in buffers
//! ([`Tree::plain`]); for anything else, and for what is worth several threads, there is a plan.
//! The first three are there because to plan takes longer than to compute a few elements. What is
//! for very few is compiled as part of the caller; the rest sees the expression as a [`Pass`].

use crate::exec::{self, Exec, additions, work_of};
use crate::expr::{
    Alike, Binding, Expr, Hoisted, Hoisting, LONG_ROW, Operand, Owned, Reading, Tree, Unfit, fits,
    in_line, in_rows, in_rows_here, in_some_rows, rows_of,
};
use crate::kernel::{self, Block, Isa, Run, Source, Store, Stores, Update, Write};
use crate::ops::{Op, UNKNOWN_COST};
use crate::plan::{Explanation, Operands, Plan, result_order};
use crate::trace;
use crate::types::{ArcArray, Array, CowArray, View, ViewMut};
use bcast::Error;
use ndcore::{Axes, Dimension, Dyn, Element, Few, Filled, Layout, Packed, Part, RowsMut, SLABS};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// The layout of a new result.
fn result_layout<R: Dimension>(shape: &[usize], operands: &Operands) -> Result<Layout<R>, Error> {
    let order = result_order(shape, operands);
    Ok(if order.is_sorted() {
        Layout::c_order(R::shape(shape)?)?
    } else {
        let order: Axes<usize> = order.iter().map(|&axis| axis.into()).collect();
        Layout::nested(R::shape(shape)?, &order)?
    })
}

/// An expression and what becomes of its elements, without their types: the way from here to the
/// kernel is compiled once for each type of output.
pub(crate) trait Pass<Slot: Element>: Sync {
    /// The work of an element: see [`work_of`].
    fn work(&self) -> usize;

    /// The nodes of the expression.
    fn describe<'a>(&'a self, tree: &mut Tree<'a>);

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

/// A pass over an output that has a slot for each element.
pub(crate) trait Elementwise<Slot: Element>: Pass<Slot> {
    /// Computes few elements without a plan, in rows, or as one run in row-major order.
    fn few<'a>(&'a self, binding: &mut Binding<'a>, rows: RowsMut<'_, Slot>) -> Result<(), Unfit>;

    /// As [`Store::blank`].
    fn blank(&self) -> Option<Slot>;
}

/// A pass that makes a new array.
pub(crate) trait Makes<T: Element>: Pass<MaybeUninit<T>> {
    /// As [`Elementwise::few`], of a result in row-major order.
    fn few<'a, 's>(
        &'a self,
        binding: &mut Binding<'a>,
        slots: &'s mut [MaybeUninit<T>],
    ) -> Result<&'s mut [T], Unfit>;
}

/// A result of fewer bytes is computed as one run, after what lies otherwise has been copied: to
/// plan takes longer.
pub(crate) const FEW_BYTES: usize = 1 << 16;

/// The tree of the expression of a pass.
pub(crate) fn tree_of<Slot: Element>(pass: &dyn Pass<Slot>) -> Tree<'_> {
    let mut tree = Tree::default();
    pass.describe(&mut tree);
    tree
}

/// Computes what is computed before the rest.
fn hoist<Slot: Element>(
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

/// Runs a pass by a plan over an output, of which there is some.
pub(crate) fn execute<'b, Slot: Element, R: Dimension>(
    pass: &dyn Pass<Slot>,
    shape: &[usize],
    operands: &Operands,
    plan: &Plan,
    out: ViewMut<'b, Slot, R>,
    exec: &Exec,
) -> Result<Filled<'b>, Error> {
    let hoisted = hoist(pass, operands, exec)?;
    let tasks = exec.tasks(shape.iter().product(), pass.work() + plan.packing(operands));
    let tasks =
        if tasks > 1 { tasks.min(plan.most_tasks(rayon::current_num_threads())) } else { 1 };
    let out = out.into_part(&plan.nest);
    exec::run(plan, tasks, out, &|part, start| {
        let binding = Binding::planned(shape, operands, plan, &hoisted, exec.isa);
        pass.task(binding, plan, part, start)
    })
}

/// An expression bound for a destination.
struct To<'a, E, D>(&'a E, &'a D);

impl<E: Expr, D: Store<E::Elem>> Pass<D::Slot> for To<'_, E, D> {
    fn work(&self) -> usize {
        work_of(size_of::<D::Slot>(), E::COST + D::COST)
    }

    fn describe<'a>(&'a self, tree: &mut Tree<'a>) {
        self.0.describe(tree);
    }

    fn hoist(&self, hoisting: &mut Hoisting<'_>) -> Result<(), Error> {
        if E::BUFFERED { self.0.hoist(hoisting) } else { Ok(()) }
    }

    fn task<'b>(
        &self,
        binding: Binding<'_>,
        plan: &Plan,
        part: Part<'b, D::Slot>,
        start: &[usize],
    ) -> Result<Filled<'b>, Error> {
        let stores = Stores::new(self.1, part, plan, binding.isa);
        stores.walk(binding.bind(self.0)?, start)
    }
}

impl<E: Expr, D: Store<E::Elem>> Elementwise<D::Slot> for To<'_, E, D> {
    fn few<'a>(
        &'a self,
        binding: &mut Binding<'a>,
        rows: RowsMut<'_, D::Slot>,
    ) -> Result<(), Unfit> {
        let mut source = binding.bound(self.0);
        binding.fits(false)?;
        let run = Run::flat(rows.len());
        kernel::store_run(binding.isa, self.1, rows, &mut source, &run, false);
        Ok(())
    }

    fn blank(&self) -> Option<D::Slot> {
        self.1.blank()
    }
}

impl<E: Expr> Makes<E::Elem> for To<'_, E, Write> {
    fn few<'a, 's>(
        &'a self,
        binding: &mut Binding<'a>,
        slots: &'s mut [MaybeUninit<E::Elem>],
    ) -> Result<&'s mut [E::Elem], Unfit> {
        let mut source = binding.bound(self.0);
        binding.fits(true)?;
        Ok(kernel::compute_all(binding.isa, slots, &mut source, binding.slabs()))
    }
}

/// A result of so few bytes is computed in place, as part of the caller.
const TINY_BYTES: usize = 1 << 9;

/// Expressions of this cost are worth an instruction set, however few the elements.
const LONG: usize = 8;

/// Those of up to this cost are computed in place for all of [`TINY_BYTES`]; of twice the cost, for
/// half of them.
const SHORT: usize = 3;

/// The same of a closure, which may take long or not.
const CLOSURE_BYTES: usize = 1 << 7;

/// Those of this cost take longer than to plan.
pub(crate) const LONGER: usize = 32;

/// The most bytes of a result that is computed row by row without a plan.
const ROWS_BYTES: usize = FLAT_BYTES;

/// The most elements that are computed as one run through buffers.
pub(crate) const BUFFERED: usize = 1 << 12;

/// What an expression is at its root.
pub(crate) struct Root<'e, E>(PhantomData<&'e E>);

impl<'e, E: Expr> Root<'e, E> {
    /// As [`Block::PURE`].
    pub const PURE: bool = <<E::Source<'e> as Source>::Block<'e> as Block>::PURE;

    /// As [`Block::RARE`].
    pub const RARE: bool = <<E::Source<'e> as Source>::Block<'e> as Block>::RARE;
}

/// How a flat result is computed that is not worth threads.
#[derive(Clone, Copy)]
enum How {
    /// As part of the caller: to call a kernel would take longer.
    Here,
    /// By the kernel for an instruction set.
    By(Isa),
}

impl How {
    /// For `len` elements, if that is not worth threads.
    #[inline(always)]
    fn of<D: Store<E::Elem>, E: Expr>(len: usize) -> Option<Self> {
        if len
            <= const {
                bytes_here::<E>() / if size_of::<D::Slot>() > 0 { size_of::<D::Slot>() } else { 1 }
            }
        {
            return Some(How::Here);
        }
        isa_if_serial(len, work_of(size_of::<D::Slot>(), E::COST + D::COST)).map(How::By)
    }

    /// Computes the elements of a block of an expression into slots.
    #[inline(always)]
    fn compute<E: Expr, B: Block<Elem = E::Elem>>(
        self,
        slots: &mut [MaybeUninit<E::Elem>],
        block: B,
    ) -> &mut [E::Elem] {
        match self {
            How::Here if const { bytes_here::<E>() > 0 } => kernel::compute_here(slots, block),
            // Never: said in a way that leaves no copy of the loop in the caller.
            How::Here => kernel::compute(Isa::BASELINE, slots, block),
            How::By(isa) => kernel::compute(isa, slots, block),
        }
    }

    /// Combines slots with the elements of a block of an expression.
    #[inline(always)]
    fn update<E: Expr, D: Store<E::Elem>, B: Block<Elem = E::Elem>>(
        self,
        store: &D,
        slots: &mut [D::Slot],
        block: B,
    ) {
        match self {
            How::Here if const { bytes_here::<E>() > 0 } => {
                kernel::update_here(store, slots, block)
            }
            // Never, as above.
            How::Here => kernel::update(Isa::BASELINE, store, slots, block),
            How::By(isa) => kernel::update(isa, store, slots, block),
        }
    }
}

/// The most bytes of a result of an expression that is computed as part of the caller.
const fn bytes_here<'e, E: Expr + 'e>() -> usize {
    if E::COST < LONG {
        TINY_BYTES * SHORT / if E::COST > SHORT { E::COST } else { SHORT }
    } else if E::COST < LONG + UNKNOWN_COST && !E::BUFFERS_WITHIN && !Root::<'e, E>::PURE {
        CLOSURE_BYTES
    } else {
        0
    }
}

/// The instruction set that holds here, if so many elements are not worth threads.
// Not inlined: it does not depend on the expression.
#[inline(never)]
pub(crate) fn isa_if_serial(len: usize, work: usize) -> Option<Isa> {
    let exec = Exec::current();
    (exec.tasks(len, work) <= 1).then_some(exec.isa)
}

/// As [`eval`], of an expression that may own an array whose memory becomes that of the result.
#[inline]
pub(crate) fn eval_value<E>(mut expr: E) -> Result<Array<E::Elem, E::Rank>, Error>
where
    E: Expr<Rank: Dimension>,
{
    if E::OWNS
        && let Some(result) = eval_reusing(&mut expr)
    {
        return result;
    }
    eval(&expr)
}

/// Computes an expression as a new array, by the options that hold here.
#[inline]
pub(crate) fn eval<E>(expr: &E) -> Result<Array<E::Elem, E::Rank>, Error>
where
    E: Expr<Rank: Dimension>,
{
    let alike = Alike::find(expr);
    // What would be stored past the cache, has a plan.
    if const { E::ALIKE && !E::BUFFERS_WITHIN }
        && let Some((shape, strides)) = alike.layout()
        && let len = shape.iter().product()
        && let Some(how) = How::of::<Write, E>(len)
        && len.saturating_mul(size_of::<E::Elem>()) <= FLAT_BYTES
        && let Some(layout) = Layout::<E::Rank>::without_gaps(shape, strides)
    {
        let source = Alike::bind(expr, len);
        // By itself: an array that was made in memory, and is moved, is waited for.
        let array = Array::build_flat::<Error>(layout, |slots| {
            Ok(how.compute::<E, _>(slots, source.flat()))
        })?;
        return Ok(array);
    }
    eval_otherwise(expr, &alike)
}

/// As [`eval`], of arrays that do not lie alike, of which one may have this shape: computed in
/// place if they are few elements that plainly repeat.
#[inline(never)]
fn eval_otherwise<E>(expr: &E, alike: &Alike<'_>) -> Result<Array<E::Elem, E::Rank>, Error>
where
    E: Expr<Rank: Dimension>,
{
    let shape = alike.first();
    if const { E::ALIKE && E::BUFFERS_WITHIN }
        && let Some((shape, strides)) = alike.layout()
    {
        let len = shape.iter().product();
        if len <= BUFFERED {
            return eval_alike(&To(expr, &Write), shape, strides, len);
        }
    }
    if const { most_of_line::<E, E::Rank>() > 0 }
        && let Some(shape @ &[len]) = shape
        && len <= const { most_of_line::<E, E::Rank>() }
        && let Some(line) = in_line(expr, shape)
    {
        let layout = Layout::<E::Rank>::c_order(E::Rank::shape(shape)?)?;
        return Array::build_flat(layout, |slots| {
            Ok(kernel::compute_here(slots, kernel::Line(line.block())))
        });
    }
    if const { may_be_short::<E, E::Rank>() }
        && let Some(&[count, len]) = shape
        && (1..=const { bytes_here::<E>() }).contains(&bytes_of::<E::Elem>(count, len))
        && let (shape, mut few) = ([count, len], Few::new())
        && let Some(rows) = in_rows_here(expr, &shape, &mut few)
        && rows.row_major
    {
        let layout = Layout::<E::Rank>::c_order(E::Rank::shape(&[count, len])?)?;
        return Array::build_flat(layout, |slots| {
            Ok(kernel::compute_rows_here(slots, (count, len), rows.block()))
        });
    }
    match shape {
        Some(shape) if const { may_be_few::<E>() } => {
            eval_few(&To(expr, &Write), shape, const { bytes_here::<E>() })
        }
        _ => eval_any(&To(expr, &Write), None),
    }
}

/// How few elements that plainly repeat are computed without a plan.
struct FewOf {
    bytes: usize,
    isa: Isa,
    /// Whether so few that to copy what lies otherwise takes longer than to go over any rows.
    tiny: bool,
}

impl FewOf {
    /// Of a result of this shape, if it is some elements, and few; `tiny` are so many bytes.
    #[inline]
    fn new<Slot>(shape: &[usize], work: usize, tiny: usize) -> Option<Self> {
        // Extents above what there is room for could overflow.
        let len = shape.iter().fold(1_usize, |len, &extent| len.saturating_mul(extent));
        // Elements without size count, too: they are gone over.
        let bytes = len.saturating_mul(size_of::<Slot>().max(1));
        if len == 0 || bytes > ROWS_BYTES {
            return None;
        }
        if bytes <= tiny {
            return Some(FewOf { bytes, isa: Isa::BASELINE, tiny: true });
        }
        Some(FewOf { bytes, isa: isa_if_serial(len, work)?, tiny: false })
    }

    /// Whether to go over the rows of a result of this shape takes no longer than to copy what lies
    /// otherwise.
    #[inline]
    fn takes_rows(&self, shape: &[usize]) -> bool {
        self.tiny || shape.last().is_some_and(|&len| len >= LONG_ROW)
    }

    /// All of a result of this shape: rows, if it has one axis or two, and that is worth it.
    #[inline]
    fn binding<'a>(&self, shape: &'a [usize], room: &'a mut Few) -> Binding<'a> {
        let rows = if self.takes_rows(shape) { rows_of(shape) } else { None };
        let reading = match rows {
            Some((count, len)) => Reading::Rows { count, len, room: Some(room.room()) },
            None => Reading::Copies(room.room()),
        };
        Binding::few(shape, reading, self.isa)
    }

    /// Whether to ask for the memory of a result: of much, not before it is known that all of it
    /// can be computed so, which an attempt to compute nothing says.
    fn is_of_use<'a, T: Element>(
        &self,
        pass: &'a dyn Makes<T>,
        mut binding: Binding<'a>,
    ) -> Result<bool, Error> {
        let large = self.bytes > Few::BYTES;
        Ok(!large || fits(pass.few(&mut binding, &mut []))?.is_some())
    }
}

/// As [`eval`], without a plan if it is plain how few elements repeat in a result of this shape; or
/// of another one, because extents of 1 of this one may stretch. So many bytes are `tiny`.
#[inline(never)]
fn eval_few<T: Element, R: Dimension>(
    pass: &dyn Makes<T>,
    shape: &[usize],
    tiny: usize,
) -> Result<Array<T, R>, Error> {
    let all = if shape.contains(&1) { tree_of(pass).stretched() } else { None };
    let shape = all.as_deref().unwrap_or(shape);
    // Under NumPy's rule, that of an array may be a lower rank than that of the result.
    if let (Some(few), Ok(own)) = (FewOf::new::<T>(shape, pass.work(), tiny), R::shape(shape)) {
        let layout = Layout::<R>::c_order(own)?;
        if may_have_slabs::<R>()
            && let [outer @ .., _, len] = shape
            && *len >= LONG_ROW
            && !outer.is_empty()
            && let mut room = Few::new()
            && few.is_of_use(pass, in_slabs(shape, (0, 1), &mut room, few.isa))?
            && let Some(array) = eval_slabs(pass, layout, few.isa)?
        {
            return Ok(array);
        }
        let mut room = Few::new();
        if few.is_of_use(pass, few.binding(shape, &mut room))? {
            let mut binding = few.binding(shape, &mut room);
            let array = Array::build_flat(layout, |slots| pass.few(&mut binding, slots));
            if let Some(array) = fits(array)? {
                return Ok(array);
            }
        }
    }
    eval_any(pass, None)
}

/// So many matrices along the last two axes of a result, from one on.
fn in_slabs<'a>(
    shape: &'a [usize],
    some: (usize, usize),
    room: &'a mut Few,
    isa: Isa,
) -> Binding<'a> {
    Binding::few(shape, Reading::Slabs { some, room: room.room() }, isa)
}

/// As [`eval_few`], of three axes or more with rows of unit stride: some matrices along the last two
/// after the others.
#[inline(never)]
fn eval_slabs<T: Element, R: Dimension>(
    pass: &dyn Makes<T>,
    layout: Layout<R>,
    isa: Isa,
) -> Result<Option<Array<T, R>>, Error> {
    let shape = layout.shape();
    let slab: usize = shape[shape.len() - 2..].iter().product();
    fits(Array::build_rows(layout, SLABS * slab, |some, slots| {
        let mut room = Few::new();
        pass.few(&mut in_slabs(shape, (some * SLABS, slots.len() / slab), &mut room, isa), slots)
    }))
}

/// The least bytes of a result that is computed in the memory of an operand: to find that out takes
/// longer than to get fewer.
const REUSED_BYTES: usize = 1 << 11;

/// The same if that takes a plan.
const REUSED_BY_PLAN: usize = 1 << 14;

/// Computes an expression in the memory of an array that it owns, if one lies as the result does.
#[inline(never)]
fn eval_reusing<E>(expr: &mut E) -> Option<Result<Array<E::Elem, E::Rank>, Error>>
where
    E: Expr<Rank: Dimension>,
{
    let mut bytes = 0;
    expr.owned(&mut |owned| {
        if let Some(owned) = owned.downcast_mut::<Owned<E::Elem, E::Rank>>() {
            bytes = bytes.max(owned.bytes());
        }
    });
    if bytes < REUSED_BYTES {
        return None;
    }
    if let Some(array) = eval_in_pieces(expr) {
        return Some(Ok(array));
    }
    if bytes < REUSED_BY_PLAN {
        return None;
    }
    let mut tree = Tree::default();
    expr.describe(&mut tree);
    // Errors are found again.
    let shape = tree.shape().ok()?;
    let mut operands = tree.operands(&shape).ok()?;
    operands.take_one_by_one();
    let layout = result_layout::<E::Rank>(&shape, &operands).ok()?;
    drop(tree);
    let mut found = None;
    let (shape, strides) = (layout.shape(), layout.strides());
    expr.owned(&mut |owned| {
        if let (None, Some(owned)) = (&found, owned.downcast_mut::<Owned<E::Elem, E::Rank>>()) {
            found = owned.give(shape, strides);
        }
    });
    let mut array = found?;
    // What is overwritten soon after it was read is in the cache.
    let exec = Exec::current().cache(usize::MAX);
    let out = array.view_mut();
    // SAFETY: the expression reads by it only here, while the array lives, and only copies of runs
    // or boxes, which are made before those are written; what a task reads, no other one writes,
    // because the operand has the shape of the output.
    let alias = unsafe { out.alias() };
    expr.owned(&mut |owned| {
        if let Some(owned) = owned.downcast_mut::<Owned<E::Elem, E::Rank>>() {
            owned.settle(alias);
        }
    });
    let filled = fill(&To(&*expr, &Write), &operands, slots(out), &exec).map(drop);
    Some(filled.map(|()| array))
}

/// As [`eval_reusing`], of arrays that lie alike, or have rows that lie as those of a matrix or
/// repeat, without buffers, and not worth threads: pieces of the result, each of which is copied to
/// the array that the expression owns when all of it has been read. That takes no plan.
fn eval_in_pieces<E>(expr: &mut E) -> Option<Array<E::Elem, E::Rank>>
where
    E: Expr<Rank: Dimension>,
{
    /// A piece, and what is read for it, stay in the nearest cache.
    const PIECE_BYTES: usize = 1 << 14;
    let alike = Alike::find(&*expr);
    if E::BUFFERS_WITHIN {
        return None;
    }
    let (layout, rows) = match (alike.layout(), alike.first()) {
        (Some((shape, strides)), _) => (Layout::<E::Rank>::without_gaps(shape, strides)?, None),
        (None, Some(&[count, len])) if const { may_be_few::<E>() } => {
            let shape = [count, len];
            if len < LONG_ROW || !in_rows(expr, &shape)?.row_major {
                return None;
            }
            (Layout::c_order(E::Rank::shape(&shape).ok()?).ok()?, Some(shape))
        }
        _ => return None,
    };
    let (len, work) = (layout.size(), work_of(size_of::<E::Elem>(), E::COST));
    let isa = isa_if_serial(len, work)?;
    let row = rows.map_or(1, |[_, len]| len.max(1));
    let piece = (PIECE_BYTES / size_of::<E::Elem>().max(1) / row).max(1) * row;
    let mut buffer = Packed::<E::Elem>::new();
    if !buffer.reserve(piece.min(len)) {
        return None;
    }
    for from in (0..len).step_by(piece) {
        let count = piece.min(len - from);
        let values = match &rows {
            None => {
                let mut source = Alike::bind(expr, len);
                let run = Run::part(from, count, len);
                buffer.initialise(count, |slots| kernel::compute(isa, slots, source.root(&run)))
            }
            Some(shape) => {
                let some = (from / row, count / row);
                let rows = in_some_rows(expr, shape, some).expect("rows, as before");
                buffer.initialise(count, |slots| kernel::compute(isa, slots, rows.block()))
            }
        };
        let mut written = false;
        expr.owned(&mut |owned| {
            if let (false, Some(owned)) = (written, owned.downcast_mut::<Owned<_, E::Rank>>()) {
                written = owned.overwrite((layout.shape(), layout.strides()), from, values);
            }
        });
        if !written {
            assert_eq!(from, 0, "what takes the first piece takes all");
            return None;
        }
    }
    let mut found = None;
    expr.owned(&mut |owned| {
        if let (None, Some(owned)) = (&found, owned.downcast_mut::<Owned<_, E::Rank>>()) {
            found = owned.give(layout.shape(), layout.strides());
        }
    });
    found
}

/// Computes an expression as a new array.
pub(crate) fn eval_by<E>(expr: &E, exec: &Exec) -> Result<Array<E::Elem, E::Rank>, Error>
where
    E: Expr<Rank: Dimension>,
{
    eval_any(&To(expr, &Write), Some(exec))
}

/// A new array as one run over the memory of all arrays, whose shape and strides these are, if they
/// have no gaps, and it is not worth threads.
#[inline(never)]
fn eval_alike<T: Element, R: Dimension>(
    pass: &dyn Makes<T>,
    shape: &[usize],
    strides: &[isize],
    len: usize,
) -> Result<Array<T, R>, Error> {
    let exec = Exec::current();
    // That of the arrays may be a lower rank than that of the result.
    match Layout::<R>::without_gaps(shape, strides) {
        Some(layout) if exec.tasks(len, pass.work()) <= 1 => {
            let _span = trace::one_run(shape, len * size_of::<T>());
            let mut binding = Binding::flat(std::array::from_ref(&len), exec.isa);
            Ok(Array::build_flat(layout, |slots| pass.few(&mut binding, slots))?)
        }
        _ => eval_any(pass, Some(&exec)),
    }
}

/// A new array, as one run of few elements if it is plain how the expression repeats in them; else
/// by a plan.
#[inline(never)]
fn eval_any<T: Element, R: Dimension>(
    pass: &dyn Makes<T>,
    exec: Option<&Exec>,
) -> Result<Array<T, R>, Error> {
    let exec = &exec.map_or_else(Exec::current, |exec| *exec);
    let mut tree = Tree::default();
    pass.describe(&mut tree);
    if let Some((shape, len)) = tree.plain_shape(true)
        && len.saturating_mul(size_of::<T>()) <= FEW_BYTES
        && exec.tasks(len, pass.work()) <= 1
    {
        let layout = Layout::<R>::c_order(R::shape(&shape)?)?;
        let mut binding = Binding::copied(&shape, exec.isa);
        return Ok(Array::build_flat(layout, |slots| pass.few(&mut binding, slots))?);
    }
    let shape = tree.shape()?;
    let operands = tree.operands(&shape)?;
    let layout = result_layout::<R>(&shape, &operands)?;
    Array::build(layout, |out| fill(pass, &operands, out, exec))
}

/// Runs a pass, whose shape is that of `out`, over all of it.
fn fill<'b, Slot: Element, R: Dimension>(
    pass: &dyn Pass<Slot>,
    operands: &Operands,
    out: ViewMut<'b, Slot, R>,
    exec: &Exec,
) -> Result<Filled<'b>, Error> {
    let layout = *out.layout();
    if layout.shape().contains(&0) {
        // It may have errors, or effects.
        hoist(pass, operands, exec)?;
        return Ok(out.filled_without_elements());
    }
    let shape = layout.shape();
    let plan = Plan::of_result(shape, layout.strides(), size_of::<Slot>(), operands, exec.cache);
    execute(pass, shape, operands, &plan, out, exec)
}

/// Runs an expression over memory that exists, if it fits, by the options that hold here.
// The expression by value: see `apart`.
#[inline(always)]
pub(crate) fn store<E: Expr, D: Store<E::Elem>, R: Dimension>(
    expr: E,
    store: &D,
    mut out: ViewMut<'_, D::Slot, R>,
) -> Result<(), Error> {
    if const { E::ALIKE && !E::BUFFERS_WITHIN } {
        let layout = *out.layout();
        let mut alike = Alike::of(layout.shape(), layout.strides());
        expr.describe(&mut alike);
        let len = layout.size();
        // What would be stored past the cache, has a plan.
        if alike.layout().is_some()
            && len <= FLAT_BYTES / size_of::<D::Slot>().max(1)
            && let Some(how) = How::of::<D, E>(len)
            && let Some(slots) = out.as_slice_mut()
        {
            let source = Alike::bind(&expr, len);
            how.update::<E, _, _>(store, slots, source.flat());
            return Ok(());
        }
        // A closure is not compiled as part of the caller once more.
        if const { E::COST < LONG && most_of_line::<E, R>() > 0 }
            && len <= FEW_OF_LINE
            && let Some(line) = in_line(&expr, layout.shape())
        {
            store_line(store, &mut out, line.block());
            return Ok(());
        }
    }
    let shape = out.layout().raw_shape();
    apart(move || store_otherwise(&expr, store, out, shape))
}

/// Calls a function that owns what it needs. What a call might keep a reference to lies in memory
/// all the time; so views of a few elements would be written, and waited for, before those are
/// read.
#[inline(never)]
pub(crate) fn apart<R>(f: impl FnOnce() -> R) -> R {
    f()
}

/// The most elements of a line with gaps that are not worth a plan.
const FEW_OF_LINE: usize = 1 << 12;

/// The same if there is a closure.
const FEW_CALLS: usize = 1 << 9;

/// The most elements of a line of an expression that are computed one by one. Asked in `const`
/// blocks: what is never run is not compiled then.
pub(crate) const fn most_of_line<'e, E: Expr + 'e, R: Dimension>() -> usize {
    if !matches!(R::NDIM, Some(1)) || E::BUFFERS_WITHIN {
        0
    } else if E::COST < LONG {
        FEW_OF_LINE
    } else if E::COST < LONG + UNKNOWN_COST && !Root::<'e, E>::PURE {
        FEW_CALLS
    } else {
        0
    }
}

/// Whether an expression is computed without a plan, if it is few elements that plainly repeat: if
/// it has no buffers but for its own results, and takes no longer than a copy. Asked as
/// [`most_of_line`] is.
const fn may_be_few<E: Expr>() -> bool {
    !E::BUFFERS_WITHIN && E::COST < LONGER
}

/// A row of at most so many bytes is computed as part of the caller.
const SHORT_ROW: usize = 1 << 8;

/// Whether rows of a result of this rank may be so short that they are computed as part of the
/// caller: to call a kernel for each would take longer. Asked as [`most_of_line`] is.
const fn may_be_short<E: Expr, R: Dimension>() -> bool {
    may_be_few::<E>() && bytes_here::<E>() > 0 && matches!(R::NDIM, Some(2))
}

/// The bytes of so many rows; elements without size count as one, because they are gone over.
#[inline(always)]
fn bytes_of<T>(count: usize, len: usize) -> usize {
    count.saturating_mul(len).saturating_mul(size_of::<T>().max(1))
}

/// Whether so many rows are.
#[inline(always)]
fn is_short<E: Expr, D: Store<E::Elem>>(count: usize, len: usize) -> bool {
    let (row, all) = (bytes_of::<D::Slot>(1, len), bytes_of::<D::Slot>(count, len));
    if len == 0 || count == 0 || all > ROWS_BYTES {
        return false;
    }
    let work = work_of(size_of::<D::Slot>(), E::COST + D::COST);
    all <= const { bytes_here::<E>() }
        || (E::COST < LONG && row <= SHORT_ROW && isa_if_serial(count * len, work).is_some())
}

/// Stores as many runs of one element each as there are slots, one by one: to call a kernel for
/// each would take longer.
#[inline(always)]
fn store_line<B: Block, D: Store<B::Elem>, R: Dimension>(
    store: &D,
    out: &mut ViewMut<'_, D::Slot, R>,
    block: B,
) {
    let (runs, mut number) = (block.runs(), 0);
    assert!(out.len() <= runs, "as many runs of one element as are stored");
    out.iter_mut().for_each(|slot| {
        if number < runs {
            kernel::update_here(store, std::slice::from_mut(slot), block.run(number));
        }
        number += 1;
    });
}

/// As [`store`], of whatever is not as plain: computed in place if they are few elements that
/// plainly repeat, or few rows.
#[inline(never)]
fn store_otherwise<E: Expr, D: Store<E::Elem>, R: Dimension>(
    expr: &E,
    store: &D,
    mut out: ViewMut<'_, D::Slot, R>,
    // By itself: the layout has just been written, by parts, and to read it at once waits until it
    // is in memory.
    shape: R::Shape,
) -> Result<(), Error> {
    let shape = shape.as_ref();
    if copy_array(expr, store, &mut out) {
        return Ok(());
    }
    if const { may_be_short::<E, R>() }
        && let &[count, len] = shape
        && is_short::<E, D>(count, len)
        && let Some(rows) = out.unit_rows_mut()
        && let (shape, mut few) = ([count, len], Few::new())
        && let Some(found) = in_rows_here(expr, &shape, &mut few)
    {
        kernel::update_rows_here(store, rows.cut(count, len), found.block());
        return Ok(());
    }
    if const { may_be_few::<E>() && bytes_here::<E>() > 0 && matches!(R::NDIM, Some(3..)) }
        && let Some(&len) = shape.last()
        && is_short::<E, D>(out.len() / len.max(1), len)
        && store_slabs(expr, &mut out, shape, Isa::BASELINE, |expr, binding, rows| {
            let mut source = binding.bound(expr);
            binding.fits(false)?;
            kernel::update_slabs_here(store, rows, &mut source);
            Ok(())
        })?
    {
        return Ok(());
    }
    // Closures over what has gaps, one by one; shorter expressions have been so.
    if const { E::COST >= LONG && most_of_line::<E, R>() > 0 }
        && out.len() <= const { most_of_line::<E, R>() }
        && !out.layout().is_c_contiguous()
        && let Some(line) = in_line(expr, shape)
    {
        store_line(store, &mut out, line.block());
        return Ok(());
    }
    if const { may_be_few::<E>() }
        && store_few(&To(expr, store), &mut out, shape, const { bytes_here::<E>() })?
    {
        return Ok(());
    }
    let layout = *out.layout();
    let mut alike = Alike::of(shape, layout.strides());
    expr.describe(&mut alike);
    let flat = alike.layout().is_some() && (!E::BUFFERED || layout.size() <= BUFFERED);
    store_any(&To(expr, store), out, flat, &|extents, exec, then| {
        then(&Once(Owned::new(at_own_size(expr, extents, exec)?), store))
    })
}

/// Stores an array as it is, without a plan, if that is what the expression is, and the output is
/// in row-major order, or the rows of both have unit stride: straight from where its elements lie to
/// where they go.
#[inline(always)]
fn copy_array<E: Expr, D: Store<E::Elem>, R: Dimension>(
    expr: &E,
    _: &D,
    out: &mut ViewMut<'_, D::Slot, R>,
) -> bool {
    if E::COST > 0 || !D::OVERWRITES {
        return false;
    }
    let (len, size) = (out.len(), size_of::<D::Slot>());
    let few = (1..=FLAT_BYTES).contains(&len.saturating_mul(size));
    if !few || isa_if_serial(len, work_of(size, 0)).is_none() {
        return false;
    }
    D::as_they_are(out).is_some_and(|out| expr.copy_to(out))
}

/// Stores few elements that plainly repeat, without a plan; whether that was so. So many bytes are
/// `tiny`.
#[inline(never)]
fn store_few<Slot: Element, R: Dimension>(
    pass: &dyn Elementwise<Slot>,
    out: &mut ViewMut<'_, Slot, R>,
    shape: &[usize],
    tiny: usize,
) -> Result<bool, Error> {
    let Some(few) = FewOf::new::<Slot>(shape, pass.work(), tiny) else { return Ok(false) };
    // Not as a copy of the layout, which would wait for what has just been written of it.
    let apart = !out.layout().is_c_contiguous();
    if may_have_slabs::<R>()
        && let [.., _, _, len] = *shape
        && out.strides()[shape.len() - 1] == 1
        && len >= (if few.tiny || apart { 1 } else { LONG_ROW })
        && store_slabs(pass, out, shape, few.isa, |pass, binding, rows| pass.few(binding, rows))?
    {
        return Ok(true);
    }
    let (mut room, mut own) = (Few::new(), Few::new());
    let mut binding = few.binding(shape, &mut room);
    // Copies are of unit stride, too, but have no rows.
    if (!apart || binding.has_rows())
        && let Some(rows) = out.unit_rows_mut()
    {
        return Ok(fits(pass.few(&mut binding, rows))?.is_some());
    }
    let Some(copy) = out.view().copy_few::<u8>(shape, None, &mut own.room()) else {
        return Ok(false);
    };
    if fits(pass.few(&mut binding, (&mut *copy).into()))?.is_none() {
        return Ok(false);
    }
    out.copy_from_row_major(copy);
    Ok(true)
}

/// Whether a result of this rank may have three axes or more.
const fn may_have_slabs<R: Dimension>() -> bool {
    !matches!(R::NDIM, Some(0..=2))
}

/// As [`store_few`], of three axes or more with rows of unit stride: some matrices along the last
/// two after the others, by a function that is given what is stored, how it is bound to some of
/// them, and their rows.
#[inline(always)]
fn store_slabs<P: ?Sized, Slot: Element, R: Dimension>(
    of: &P,
    out: &mut ViewMut<'_, Slot, R>,
    shape: &[usize],
    isa: Isa,
    store: impl for<'a> Fn(&'a P, &mut Binding<'a>, RowsMut<'_, Slot>) -> Result<(), Unfit>,
) -> Result<bool, Error> {
    let slabs = shape[..shape.len() - 2].iter().product();
    for first in (0..slabs).step_by(SLABS) {
        let (mut room, mut own) = (Few::new(), Few::new());
        let some = (first, SLABS.min(slabs - first));
        let Some(rows) = out.slabs_mut(some, &mut own.room()) else { return Ok(false) };
        // What fits in some of them, fits in all.
        if fits(store(of, &mut in_slabs(shape, some, &mut room, isa), rows))?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The most bytes of a flat result that is computed without a plan.
const FLAT_BYTES: usize = 1 << 22;

/// Calls a function with a pass that copies from memory what repeats in its output.
type Repeating<'r, Slot> = dyn Fn(&[usize], &Exec, Takes<'_, Slot>) -> Result<(), Error> + 'r;

/// What takes a pass.
type Takes<'t, Slot> = &'t mut dyn FnMut(&dyn Pass<Slot>) -> Result<(), Error>;

/// As one run over the memory of all arrays, if they lie as the output does (`alike`); as one run
/// of few elements, if it is plain how the expression repeats in them; else by a plan.
#[inline(never)]
fn store_any<Slot: Element, R: Dimension>(
    pass: &dyn Elementwise<Slot>,
    mut out: ViewMut<'_, Slot, R>,
    alike: bool,
    repeating: &Repeating<'_, Slot>,
) -> Result<(), Error> {
    let exec = &Exec::current();
    let len = out.len();
    // What would be stored past the cache, has a plan.
    if alike
        && len * size_of::<Slot>() <= FLAT_BYTES
        && exec.tasks(len, pass.work()) <= 1
        && let Some(slots) = out.as_slice_memory_order_mut()
    {
        let mut binding = Binding::flat(std::array::from_ref(&len), exec.isa);
        return Ok(pass.few(&mut binding, slots.into())?);
    }
    let mut tree = Tree::default();
    pass.describe(&mut tree);
    if (1..=FEW_BYTES).contains(&(len * size_of::<Slot>()))
        && tree.plain(out.shape()).is_some()
        && exec.tasks(len, pass.work()) <= 1
    {
        return store_some(pass, exec.isa, out);
    }
    tree.check_fits(out.shape())?;
    if let Some(extents) = tree.repeats(out.shape())? {
        return repeating(&extents, exec, &mut |copy| {
            let operands = tree_of(copy).operands(out.shape())?;
            fill(copy, &operands, out.view_mut(), exec).map(drop)
        });
    }
    let operands = tree.operands(out.shape())?;
    let _ = fill(pass, &operands, out, exec)?;
    Ok(())
}

/// Runs few elements, of which there are some, over memory that exists.
fn store_some<Slot: Element, R: Dimension>(
    pass: &dyn Elementwise<Slot>,
    isa: Isa,
    mut out: ViewMut<'_, Slot, R>,
) -> Result<(), Error> {
    let layout = *out.layout();
    let mut binding = Binding::copied(layout.shape(), isa);
    if let Some(slots) = out.as_slice_mut() {
        return Ok(pass.few(&mut binding, slots.into())?);
    }
    let mut buffer = Packed::new();
    if !buffer.reserve(out.len()) {
        return Err(Error::no_memory());
    }
    match pass.blank() {
        Some(blank) => buffer.fill(blank, out.len()),
        None => out.copy_to_row_major(&mut buffer),
    }
    pass.few(&mut binding, buffer.as_mut_slice().into())?;
    out.copy_from_row_major(buffer.as_slice());
    Ok(())
}

/// What was computed once and repeats in a destination.
struct Once<'a, T: Element, D>(Owned<T, Dyn>, &'a D);

impl<T: Element, D: Store<T>> Pass<D::Slot> for Once<'_, T, D> {
    fn work(&self) -> usize {
        size_of::<D::Slot>()
    }

    fn describe<'a>(&'a self, tree: &mut Tree<'a>) {
        self.0.describe(tree);
    }

    fn hoist(&self, _: &mut Hoisting<'_>) -> Result<(), Error> {
        Ok(())
    }

    fn task<'b>(
        &self,
        binding: Binding<'_>,
        plan: &Plan,
        part: Part<'b, D::Slot>,
        start: &[usize],
    ) -> Result<Filled<'b>, Error> {
        let stores = Stores::new(self.1, part, plan, binding.isa);
        stores.walk(binding.bind(&self.0)?, start)
    }
}

/// Computes an expression that repeats in a result, at its own size: the extents along the axes of
/// the result, 1 where it repeats. In row-major order.
pub(crate) fn at_own_size<E: Expr>(
    expr: &E,
    extents: &[usize],
    exec: &Exec,
) -> Result<Array<E::Elem, Dyn>, Error> {
    // It is read again at once.
    new_of(&To(expr, &Write), extents, &exec.cache(usize::MAX))
}

#[inline(never)]
fn new_of<T: Element>(
    pass: &dyn Pass<MaybeUninit<T>>,
    extents: &[usize],
    exec: &Exec,
) -> Result<Array<T, Dyn>, Error> {
    let layout = Layout::<Dyn>::c_order(Dyn::shape(extents)?)?;
    Array::build(layout, |out| write_any(pass, out, exec))
}

/// Computes an expression into memory that need not be initialised, and has its shape.
pub(crate) fn write<'b, E, D, R: Dimension>(
    expr: &E,
    store: &D,
    out: ViewMut<'b, D::Slot, R>,
    exec: &Exec,
) -> Result<Filled<'b>, Error>
where
    E: Expr,
    D: Store<E::Elem>,
{
    write_any(&To(expr, store), out, exec)
}

#[inline(never)]
fn write_any<'b, Slot: Element, R: Dimension>(
    pass: &dyn Pass<Slot>,
    out: ViewMut<'b, Slot, R>,
    exec: &Exec,
) -> Result<Filled<'b>, Error> {
    let operands = tree_of(pass).operands(out.shape())?;
    fill(pass, &operands, out, exec)
}

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

/// The elements of an expression in a new array in which the axes are nested in this order, the
/// outermost first.
pub(crate) fn in_order<E: Expr>(
    expr: &E,
    shape: &[usize],
    order: &[usize],
    exec: &Exec,
) -> Result<Array<E::Elem, Dyn>, Error> {
    let layout = Layout::<Dyn>::nested(Dyn::shape(shape)?, order)?;
    Array::build(layout, |out| write(expr, &Write, out, exec))
}

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
        store(expr.into_expr(), &Write, slots(self.destination()))
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
        store(expr.into_expr(), &update, self.destination())
    }
}

/// The elements of an array as slots for [`Write`].
#[inline]
fn slots<T: Element, R: Dimension>(out: ViewMut<'_, T, R>) -> ViewMut<'_, MaybeUninit<T>, R> {
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

/// How an expression would be computed as a new array.
pub(crate) fn explain<E: Expr>(expr: &E, exec: &Exec) -> Result<Explanation, Error> {
    let mut tree = Tree::default();
    expr.describe(&mut tree);
    let shape = tree.shape()?;
    let operands = tree.operands(&shape)?;
    let layout = result_layout::<Dyn>(&shape, &operands)?;
    explain_in(&layout, size_of::<E::Elem>(), operands, E::COST, exec)
}

/// How an expression would be computed into memory that exists.
fn explain_store<E: Expr, R: Dimension>(
    expr: &E,
    layout: &Layout<R>,
    exec: &Exec,
) -> Result<Explanation, Error> {
    let mut tree = Tree::default();
    expr.describe(&mut tree);
    tree.check_fits(layout.shape())?;
    let operands = tree.operands(layout.shape())?;
    explain_in(layout, size_of::<E::Elem>(), operands, E::COST, exec)
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
    let packing = plan.as_ref().map_or(0, |plan| plan.packing(&operands));
    let (len, work) = (layout.size(), work_of(size, cost) + packing);
    let work = (additions(len, work), exec.tasks_at_rest(len, work));
    Ok(Explanation::new(shape, strides, size, operands, *exec, work, plan))
}
