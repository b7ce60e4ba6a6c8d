//! Memory that exists: assignments and updates.

use super::ways::*;
use super::{Elementwise, To, at_own_size, fill, tree_of};
use crate::exec::{Exec, work_of};
use crate::expr::{
    Alike, Binding, Borrowed, Expr, ExprRank, FEW_IN_LINES, LONG_ROW, Lines, Merged, Owned,
    Reading, Unfit, axes_of_rows, fits, go_one_by_one, in_line, merged_rows, show,
};
use crate::kernel::{self, Isa, Source, Store, Stored};
use crate::ops::UNKNOWN_COST;
use crate::plan::LANES;
use crate::trace;
use crate::types::ViewMut;
use bcast::Error;
use ndcore::{Axes, Dimension, Dyn, Element, Few, Filled, Packed, RowsMut, SLABS};

/// Runs an expression over memory that exists, if it fits, by the options that hold here.
// The expression and what is done with it by value: see `apart`. Those with closures are moved to
// other ways: the numbers that a closure has are in registers then, and not in memory that each
// element which is stored might change.
#[inline(always)]
pub(crate) fn store<E: Expr, D: Store<E::Elem>, R: Dimension>(
    expr: E,
    store: D,
    mut out: ViewMut<'_, D::Slot, R>,
) -> Result<(), Error> {
    if const { E::FACTS.alike && !E::FACTS.buffers_within } {
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
        if const { E::FACTS.cost < LONG && most_of_line::<E, R>() > 0 }
            && len <= FEW_OF_LINE
            && is_line::<D, E>(len)
            && let Some(line) = in_line(&expr, layout.shape())
            && let Some(slots) = out.lines_mut()
        {
            // One by one: to call a kernel for each would take longer.
            kernel::update_lines_here(&store, slots, line.block());
            return Ok(());
        }
    }
    let shape = out.layout().raw_shape();
    // To move an expression, which has just been written by parts, takes longer than to add some
    // elements. The output is moved, and here alone: if this call had a reference to it, it would
    // lie in memory for the ways above, too, and wait for what the caller has just written.
    if const { E::FACTS.pure && D::COST != UNKNOWN_COST } {
        let mut out = out;
        return store_otherwise(&expr, &store, &mut out, shape);
    }
    match const { E::FACTS.alike } {
        // What is most often few elements that lie alike.
        true => seldom(move || store_otherwise(&expr, &store, &mut out, shape)),
        false => apart(move || store_otherwise(&expr, &store, &mut out, shape)),
    }
}

/// As [`store`], of whatever is not as plain: computed in place if they are few elements that
/// plainly repeat, or few rows.
#[inline(never)]
fn store_otherwise<E: Expr, D: Store<E::Elem>, R: Dimension>(
    expr: &E,
    store: &D,
    // By reference: a copy as a whole waits for what has just been written, by parts.
    out: &mut ViewMut<'_, D::Slot, R>,
    // By itself: the layout has just been written, by parts, and to read it at once waits until it
    // is in memory.
    shape: R::Shape,
) -> Result<(), Error> {
    let shape = shape.as_ref();
    // Each by itself: to make room for all that the last way needs takes as long as to store a few.
    let column_major = out.strides().first() == Some(&1);
    if copy_array(expr, store, out)
        // What lies in column-major order may be one run.
        || (const { may_be_alike::<E>() } && column_major && store_alike(expr, store, out, shape))
        || (const { may_be_short::<E, R>() } && store_short(expr, store, out, shape))
        || (const { may_be_alike::<E>() } && !column_major && store_alike(expr, store, out, shape))
        || (const { may_be_here_merged::<E, R>() } && store_merged(expr, store, out, shape))
    {
        return Ok(());
    }
    store_apart(expr, store, out, shape)
}

/// Whether its arrays may lie alike, and are then one run.
const fn may_be_alike<E: Expr>() -> bool {
    E::FACTS.alike && !E::FACTS.buffers_within && bytes_here::<E>() > 0
}

/// Stores few rows, or few elements of a matrix, without a plan, if arrays have rows there; whether
/// that was so.
// Not inlined: see `store_otherwise`.
#[inline(never)]
fn store_short<E: Expr, D: Store<E::Elem>, R: Dimension>(
    expr: &E,
    store: &D,
    out: &mut ViewMut<'_, D::Slot, R>,
    shape: &[usize],
) -> bool {
    if let &[count, len] = shape
        && let one_by_one = go_one_by_one(out.len(), size_of::<D::Slot>(), out.strides())
        && (is_short::<E, D>(count, len) || (one_by_one && are_some_in_lines::<E, D>(count, len)))
        && let shape = [count, len]
        && let mut lines = Lines::new(&shape)
        && let source = lines.bind(expr)
        && let Some(stored) = lines.in_rows()
    {
        if stored == Stored::InRows
            && let Some(rows) = out.unit_rows_mut()
        {
            kernel::update_rows_here(store, rows.cut(count, len), source.flat());
            return true;
        }
        if (one_by_one || count * len <= FEW_IN_LINES)
            && let Some(slots) = out.lines_mut()
        {
            kernel::update_lines_here(store, slots, source.flat());
            return true;
        }
    }
    false
}

/// Stores an expression of arrays that lie alike, in another order than the row-major one, as one
/// run; whether that was so.
// Not inlined: see `store_otherwise`.
#[inline(never)]
fn store_alike<E: Expr, D: Store<E::Elem>, R: Dimension>(
    expr: &E,
    store: &D,
    out: &mut ViewMut<'_, D::Slot, R>,
    shape: &[usize],
) -> bool {
    let some = (1..=FLAT_BYTES).contains(&bytes_of::<D::Slot>(1, out.len()));
    if some && !out.layout().is_c_contiguous() {
        let (layout, len) = (*out.layout(), out.len());
        let mut alike = Alike::of(shape, layout.strides());
        expr.describe(&mut alike);
        if alike.layout().is_some()
            && let Some(isa) = serial::<E, D>(len)
            && let Some(slots) = out.as_slice_memory_order_mut()
        {
            let source = Alike::bind(expr, len);
            kernel::update(isa, store, slots, source.flat());
            return true;
        }
    }
    false
}

/// Stores few elements of more than two axes as those of a matrix, if all arrays lie so; whether
/// that was so.
// Not inlined: see `store_otherwise`.
#[inline(never)]
fn store_merged<E: Expr, D: Store<E::Elem>, R: Dimension>(
    expr: &E,
    store: &D,
    out: &mut ViewMut<'_, D::Slot, R>,
    shape: &[usize],
) -> bool {
    if let Some((rows, _)) = merged_rows(shape, out.strides(), |visitor| show(expr, visitor))
        && let (count, len) = rows
        && (len >= LANES || count * len <= FEW_IN_LINES)
        && let one_by_one = go_one_by_one(out.len(), size_of::<D::Slot>(), out.strides())
        && (is_short::<E, D>(count, len) || (one_by_one && are_some_in_lines::<E, D>(count, len)))
        && let mut merged = Merged::new(shape, (count, len))
        && let source = merged.bind(expr)
        && let Some(stored) = merged.stored(false)
    {
        if stored == Stored::InRows
            && let Some(rows) = out.merged_rows_mut((count, len))
        {
            kernel::update_rows_here(store, rows, source.flat());
            return true;
        }
        if (one_by_one || count * len <= FEW_IN_LINES)
            && let Some(slots) = out.merged_lines_mut((count, len))
        {
            kernel::update_lines_here(store, slots, source.flat());
            return true;
        }
    }
    false
}

/// As [`store_otherwise`], of what is stored in no plainer way.
#[inline(never)]
fn store_apart<E: Expr, D: Store<E::Elem>, R: Dimension>(
    expr: &E,
    store: &D,
    out: &mut ViewMut<'_, D::Slot, R>,
    shape: &[usize],
) -> Result<(), Error> {
    if const { !E::FACTS.buffers_within && bytes_here::<E>() > 0 && matches!(R::NDIM, Some(3..)) }
        && let axes = axes_of_rows(shape, out.strides(), |visitor| show(expr, visitor))
        && let len = shape[shape.len() - axes..].iter().product::<usize>()
        && is_short::<E, D>(out.len() / len.max(1), len)
        && store_slabs(expr, out, (shape, axes), Isa::BASELINE, |expr, binding, rows| {
            let mut source = binding.bound(expr);
            binding.fits(false)?;
            kernel::update_slabs_here(store, rows, &mut source);
            Ok(())
        })?
    {
        return Ok(());
    }
    // Closures over what has gaps, one by one; shorter expressions have been so.
    if const { E::FACTS.cost >= LONG && most_of_line::<E, R>() > 0 }
        && out.len() <= const { most_of_line::<E, R>() }
        && !out.layout().is_c_contiguous()
        && is_line::<D, E>(out.len())
        && let Some(line) = in_line(expr, shape)
        && let Some(slots) = out.lines_mut()
    {
        kernel::update_lines_here(store, slots, line.block());
        return Ok(());
    }
    if const { !E::FACTS.buffers_within }
        && store_few(&To(Borrowed(expr), store), out, shape, const { bytes_here::<E>() })?
    {
        return Ok(());
    }
    store_planned(expr, store, out)
}

/// As [`store`], of more than few elements, or arrays that lie in no plainer way.
#[inline(never)]
fn store_planned<E: Expr, D: Store<E::Elem>, R: Dimension>(
    expr: &E,
    store: &D,
    out: &mut ViewMut<'_, D::Slot, R>,
) -> Result<(), Error> {
    let (layout, pass) = (*out.layout(), &To(Borrowed(expr), store));
    let mut alike = Alike::of(layout.shape(), layout.strides());
    expr.describe(&mut alike);
    let flat =
        alike.layout().is_some() && (const { !E::FACTS.buffered } || layout.size() <= BUFFERED);
    if (flat && store_flat(pass, out)?)
        || (const { E::FACTS.buffers_within } && store_few(pass, out, layout.shape(), 0)?)
    {
        return Ok(());
    }
    store_any(pass, out.view_mut().into_dyn(), &|extents, exec, then| {
        // In a `const` block: that of each type of elements is as much as all else here.
        match const { E::FACTS.buffered } {
            true => then(&To(Owned::new(at_own_size(expr, extents, exec)?), store)),
            false => unreachable!("what repeats goes through a buffer"),
        }
    })
}

/// The instruction set, if so many elements are not worth threads.
fn serial<E: Expr, D: Store<E::Elem>>(len: usize) -> Option<Isa> {
    isa_if_serial(len, work_of(size_of::<D::Slot>(), E::FACTS.cost + D::COST))
}

/// Stores an array as it is, without a plan, if that is what the expression is, and the output is
/// in row-major order, or the rows of both have unit stride: straight from where its elements lie
/// to where they go.
#[inline(always)]
fn copy_array<E: Expr, D: Store<E::Elem>, R: Dimension>(
    expr: &E,
    _: &D,
    out: &mut ViewMut<'_, D::Slot, R>,
) -> bool {
    if const { E::FACTS.cost > 0 || !D::OVERWRITES } {
        return false;
    }
    let (len, size) = (out.len(), size_of::<D::Slot>());
    let few = (1..=FLAT_BYTES).contains(&len.saturating_mul(size));
    if !few || (len > SURELY_LINE && isa_if_serial(len, work_of(size, 0)).is_none()) {
        return false;
    }
    D::as_they_are(out).is_some_and(|out| <E::Rank as ExprRank>::copy(expr, out))
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
    let Some(few) = FewOf::new::<Slot>(shape, pass.work(), tiny, None) else { return Ok(false) };
    // Not as a copy of the layout, which would wait for what has just been written of it.
    let apart = !out.layout().is_c_contiguous();
    let in_rows = !pass.facts().buffers_within;
    if in_rows
        && may_have_slabs::<R>()
        && shape.len() > 2
        && out.strides()[shape.len() - 1] == 1
        && let axes = axes_of_rows(shape, out.strides(), |visitor| pass.describe(visitor))
        && let len = shape[shape.len() - axes..].iter().product::<usize>()
        && len >= (if few.tiny || apart { 1 } else { LONG_ROW })
        && store_slabs(pass, out, (shape, axes), few.isa, |pass, binding, rows| {
            pass.store_few(binding, rows)
        })?
    {
        return Ok(true);
    }
    let mut room = Few::new();
    if in_rows
        && let Some(as_rows) = few.rows::<Slot>(shape, apart, pass.facts())
        && let mut binding = Binding::few(shape, as_rows.reading(&mut room), few.isa)
        && let Some(rows) = out.unit_rows_mut()
        && fits(pass.store_few(&mut binding, rows))?.is_some()
    {
        return Ok(true);
    }
    if let Some(bands) = few.bands::<Slot>(shape, pass.facts())
        && let Some(slots) = out.as_slice_mut()
        && store_bands(pass, slots, shape, bands)?
    {
        return Ok(true);
    }
    if few.bytes <= FEW_BYTES
        && out.layout().is_f_contiguous()
        && let turned = shape.iter().rev().copied().collect::<Axes<usize>>()
        && let order = (0..shape.len()).rev().collect::<Axes<usize>>()
        && let mut room = Few::new()
        && let nested = (Reading::Nested { order: &order, room: room.room(), as_they_lie: false })
        && let mut binding = Binding::few(&turned, nested, few.isa)
        && let Some(slots) = out.as_slice_memory_order_mut()
        && fits(pass.store_few(&mut binding, slots.into()))?.is_some()
    {
        return Ok(true);
    }
    let (mut room, mut own, mut heap) = (Few::new(), Few::new(), Packed::new());
    let Some(mut binding) = few.copies(shape, &mut room) else { return Ok(false) };
    if let Some(slots) = out.as_slice_mut() {
        return Ok(fits(pass.store_few(&mut binding, slots.into()))?.is_some());
    }
    let copy = match out.view().copy_few::<u8>(shape, None, &mut own.room()) {
        Some(copy) => copy,
        None if heap.reserve(out.len()) => {
            out.copy_to_row_major(&mut heap);
            heap.as_mut_slice()
        }
        None => return Ok(false),
    };
    if fits(pass.store_few(&mut binding, (&mut *copy).into()))?.is_none() {
        return Ok(false);
    }
    out.copy_from_row_major(copy);
    Ok(true)
}

/// As [`store_few`], band by band.
fn store_bands<Slot: Element>(
    pass: &dyn Elementwise<Slot>,
    slots: &mut [Slot],
    shape: &[usize],
    bands: Bands,
) -> Result<bool, Error> {
    let (bytes, mut span) = (size_of_val(slots), None);
    for (number, slots) in slots.chunks_mut(bands.len()).enumerate() {
        let (mut extents, mut room) = (shape.iter().copied().collect(), BandRoom::of_bytes());
        let mut band = bands.binding(&mut extents, (number, slots.len()), &mut room);
        // What fits in one of them, fits in all.
        if fits(pass.store_few(&mut band, slots.into()))?.is_none() {
            return Ok(false);
        }
        span.get_or_insert_with(|| trace::unplanned("Bands", shape, bytes));
    }
    Ok(true)
}

/// As [`store_few`], of three axes or more with rows of unit stride along so many of the last axes:
/// some matrices after the others, by a function that is given what is stored, how it is bound to
/// some of them, and their rows.
#[inline(always)]
fn store_slabs<P: ?Sized, Slot: Element, R: Dimension>(
    of: &P,
    out: &mut ViewMut<'_, Slot, R>,
    (shape, axes): (&[usize], usize),
    isa: Isa,
    store: impl for<'a> Fn(&'a P, &mut Binding<'a>, RowsMut<'_, Slot>) -> Result<(), Unfit>,
) -> Result<bool, Error> {
    let slabs = shape[..shape.len() - 1 - axes].iter().product();
    for first in (0..slabs).step_by(SLABS) {
        let (mut room, mut own) = (Few::new(), Few::new());
        let some = ((first, SLABS.min(slabs - first)), axes);
        let Some(rows) = out.slabs_mut(some, &mut own.room()) else { return Ok(false) };
        // What fits in some of them, fits in all.
        if fits(store(of, &mut in_slabs(shape, some, &mut room, isa), rows))?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Calls a function with a pass that copies from memory what repeats in its output.
type Repeating<'r, Slot> = dyn Fn(&[usize], &Exec, Takes<'_, Slot>) -> Result<(), Error> + 'r;

/// What takes a pass.
type Takes<'t, Slot> = &'t mut dyn FnMut(&dyn Elementwise<Slot>) -> Result<(), Error>;

/// As one run over the memory of all arrays, which lie as the output does, if it has no gaps, and
/// it is not worth threads; whether that was so.
#[inline(never)]
fn store_flat<Slot: Element, R: Dimension>(
    pass: &dyn Elementwise<Slot>,
    out: &mut ViewMut<'_, Slot, R>,
) -> Result<bool, Error> {
    let len = out.len();
    // What would be stored past the cache, has a plan.
    if len * size_of::<Slot>() > FLAT_BYTES {
        return Ok(false);
    }
    let exec = &Exec::current();
    if exec.tasks(len, pass.work()) > 1 {
        return Ok(false);
    }
    let Some(slots) = out.as_slice_memory_order_mut() else { return Ok(false) };
    let mut room = Few::new();
    let binding = Binding::flat(std::array::from_ref(&len), exec.isa);
    let mut binding = binding.with_room(&mut room);
    pass.store_few(&mut binding, slots.into())?;
    Ok(true)
}

/// By a plan.
#[inline(never)]
fn store_any<Slot: Element>(
    pass: &dyn Elementwise<Slot>,
    mut out: ViewMut<'_, Slot, Dyn>,
    repeating: &Repeating<'_, Slot>,
) -> Result<(), Error> {
    let exec = &Exec::current();
    let tree = tree_of(pass);
    tree.check_fits(out.shape())?;
    if let Some(extents) = tree.repeats(out.shape())? {
        return repeating(&extents, exec, &mut |copy| {
            let layout = *out.layout();
            if store_few(copy, &mut out, layout.shape(), 0)? {
                return Ok(());
            }
            let operands = tree_of(copy).operands(out.shape())?;
            fill(copy, &operands, out.view_mut(), exec).map(drop)
        });
    }
    let operands = tree.operands(out.shape())?;
    let _ = fill(pass, &operands, out, exec)?;
    Ok(())
}

/// Computes an expression into memory that need not be initialised, and has its shape.
pub(crate) fn write<'b, E, D>(
    expr: &E,
    store: &D,
    out: ViewMut<'b, D::Slot, Dyn>,
    exec: &Exec,
) -> Result<Filled<'b>, Error>
where
    E: Expr,
    D: Store<E::Elem>,
{
    write_any(&To(Borrowed(expr), store), out, exec)
}

#[inline(never)]
pub(super) fn write_any<'b, Slot: Element>(
    pass: &dyn Elementwise<Slot>,
    out: ViewMut<'b, Slot, Dyn>,
    exec: &Exec,
) -> Result<Filled<'b>, Error> {
    let operands = tree_of(pass).operands(out.shape())?;
    fill(pass, &operands, out, exec)
}
