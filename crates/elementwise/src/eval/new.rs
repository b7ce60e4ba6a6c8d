//! New arrays.

use super::reuse::{REUSED_BYTES, eval_few_reusing, eval_reusing, owned_bytes};
use super::store::write_any;
use super::ways::*;
use super::{Makes, To, fill_with, hoist, nested_layout, tree_of};
use crate::exec::{Exec, work_of};
use crate::expr::{
    Alike, Binding, Borrowed, Expr, FEW_IN_LINES, Hoisted, Lines, Merged, Reading, Unfit,
    axes_of_rows, copied, fits, in_line, in_same_rows, merged_rows, result_of, show, stretch,
};
use crate::kernel::{self, Block, Isa, Source, Stored, Write};
use crate::plan::{LANES, result_order};
use crate::reduce::is_row_major;
use crate::trace;
use crate::types::Array;
use bcast::Error;
use ndcore::{Axes, Dimension, Dyn, Element, Few, Layout, Packed, SLABS, Short};
use std::mem::MaybeUninit;

/// The elements of an expression, computed on the stack, if there are so few that they are computed
/// as part of the caller, and they lie in row-major order, along one axis, in rows of a matrix, or
/// plainly repeat.
#[inline(always)]
pub(crate) fn compute_few<'r, E>(expr: &E, room: &'r mut Tiny) -> Option<&'r [E::Elem]>
where
    E: Expr<Rank: Dimension>,
{
    let few = const {
        let size = size_of::<E::Elem>();
        bytes_here::<E>() / if size > 0 { size } else { 1 }
    };
    if const {
        let here = may_be_here::<E, E::Rank>() || may_be_here_copied::<E, E::Rank>();
        !E::FACTS.alike && !here
    } {
        return None;
    }
    if const { bytes_here::<E>() == 0 || E::FACTS.buffers_within } {
        return compute_some(expr, room);
    }
    let alike = Alike::find(expr);
    if const { E::FACTS.alike }
        && let Some((shape, strides)) = alike.layout()
        && let len = shape.iter().product()
        && (1..=few).contains(&len)
        && is_row_major(shape, strides)
    {
        return Some(kernel::compute_here(room.slots(len)?, Alike::bind(expr, len).flat()));
    }
    if const { E::FACTS.alike && most_of_line::<E, E::Rank>() > 0 }
        && let Some(shape @ &[len]) = alike.first()
        && (1..=few).contains(&len)
        && let Some(line) = in_line(expr, shape)
    {
        return Some(kernel::compute_rows_here(
            room.slots(len)?,
            (1, len),
            line.block(),
            Stored::OneByOne,
        ));
    }
    // Windows, without what a binding asks.
    if const { E::FACTS.alike && may_be_here::<E, E::Rank>() }
        && let Some(&[count, len]) = alike.first()
        && (1..=few).contains(&count.saturating_mul(len))
        && let shape = [count, len]
        && let Some(rows) = in_same_rows(expr, &shape)
    {
        let slots = room.slots(count * len)?;
        return Some(kernel::compute_rows_here(slots, (count, len), rows.block(), Stored::InRows));
    }
    // Other rows: more of these, because else there would be a plan.
    if const { may_be_here::<E, E::Rank>() }
        && let Some(first) = alike.first()
        && let Some(shape) = result_of(expr, first)
        && let &[count, len] = shape.as_ref()
        && (1..=2 * few).contains(&count.saturating_mul(len))
    {
        return compute_rows(expr, [count, len], room);
    }
    if const { may_be_here_copied::<E, E::Rank>() }
        && let Some(first) = alike.first()
        && let Some(shape) = result_of(expr, first)
        && (1..=few)
            .contains(&shape.as_ref().iter().fold(1, |len, &n| usize::saturating_mul(len, n)))
    {
        // Each by itself: to make room for copies takes as long as to compute a few.
        let room = match const { may_be_here_merged::<E, E::Rank>() } {
            true => match compute_merged(expr, shape.as_ref(), room) {
                Ok(elements) => return Some(elements),
                Err(room) => room,
            },
            false => room,
        };
        return compute_copied(expr, shape.as_ref(), room);
    }
    None
}

/// As [`compute_few`], of more axes, as of a matrix, if all arrays lie so; or the room again.
#[inline(never)]
fn compute_merged<'r, E>(
    expr: &E,
    shape: &[usize],
    room: &'r mut Tiny,
) -> Result<&'r [E::Elem], &'r mut Tiny>
where
    E: Expr<Rank: Dimension>,
{
    let may_hold = const { align_of::<E::Elem>() <= align_of::<Tiny>() };
    let layout = E::Rank::shape(shape).and_then(Layout::<E::Rank>::c_order);
    let rows_of = |own: Layout<_>| merged_rows(shape, own.strides(), |visitor| show(expr, visitor));
    let rows = layout.ok().and_then(rows_of).filter(|&rows| are_few_rows(rows));
    let rows = rows.map(|(rows, _)| rows);
    let mut merged = Merged::new(shape, rows.unwrap_or_default());
    let source = merged.bind(expr);
    match (rows, merged.stored(false)) {
        (Some((count, len)), Some(stored)) if may_hold => {
            let slots = room.slots(count * len).expect("room for few");
            Ok(kernel::compute_rows_here(slots, (count, len), source.flat(), stored))
        }
        _ => Err(room),
    }
}

/// As [`compute_few`], of more axes, from copies where arrays do not lie in row-major order.
#[inline(never)]
fn compute_copied<'r, E>(expr: &E, shape: &[usize], room: &'r mut Tiny) -> Option<&'r [E::Elem]>
where
    E: Expr<Rank: Dimension>,
{
    let mut read = Few::new();
    let found = copied(expr, shape, &mut read).filter(|found| found.row_major)?;
    let slots = room.slots(shape.iter().product())?;
    Some(kernel::compute_here(slots, found.block()))
}

/// As [`compute_few`], of a matrix in rows.
#[inline(never)]
fn compute_rows<'r, E>(expr: &E, shape: [usize; 2], room: &'r mut Tiny) -> Option<&'r [E::Elem]>
where
    E: Expr<Rank: Dimension>,
{
    let mut lines = Lines::new(&shape);
    let source = lines.bind(expr);
    let stored = lines.in_rows()?;
    let slots = room.slots(shape[0] * shape[1])?;
    Some(kernel::compute_rows_here(slots, shape.into(), source.flat(), stored))
}

/// The elements of an expression along one axis that do not lie side by side, at most so many,
/// computed where there is room, if they are not worth threads; what they are for costs so much.
#[inline(never)]
pub(crate) fn compute_line<'r, E>(
    expr: &E,
    (most, cost): (usize, usize),
    (few, more): (&'r mut Few, &'r mut Packed<E::Elem>),
) -> Option<&'r [E::Elem]>
where
    E: Expr<Rank: Dimension>,
{
    let alike = Alike::find(expr);
    let shape @ &[len] = alike.first()? else { return None };
    if !(1..=most).contains(&len) || !is_short_line::<E>(len, size_of::<E::Elem>(), cost) {
        return None;
    }
    if alike.layout().is_some_and(|(shape, strides)| is_row_major(shape, strides)) {
        return None;
    }
    let line = in_line(expr, shape)?;
    match few.slots(len) {
        Some(slots) => Some(one_by_one(slots, line.block())),
        None if more.reserve(len) => {
            let all =
                more.try_initialise(len, |slots| Ok::<_, ()>(one_by_one(slots, line.block())));
            all.ok().map(|all| &*all)
        }
        None => None,
    }
}

/// Computes the elements of a line.
fn one_by_one<B: Block<Elem: Element>>(
    slots: &mut [MaybeUninit<B::Elem>],
    line: B,
) -> &mut [B::Elem] {
    let len = slots.len();
    kernel::compute_rows_here(slots, (1, len), line, Stored::OneByOne)
}

/// As [`compute_few`], by kernels, in row-major order.
#[inline(never)]
fn compute_some<'r, E>(expr: &E, room: &'r mut Tiny) -> Option<&'r [E::Elem]>
where
    E: Expr<Rank: Dimension>,
{
    let alike = Alike::find(expr);
    let (shape, strides) = alike.layout()?;
    let len = shape.iter().product();
    if len == 0 || !is_row_major(shape, strides) {
        return None;
    }
    let slots = room.slots(len)?;
    let isa = isa_if_serial(len, work_of(size_of::<E::Elem>(), E::FACTS.cost))?;
    let mut few = Few::new();
    let mut source = Alike::bind_few(expr, len, &mut few, isa)?;
    Some(kernel::compute(isa, slots, source.few_root()))
}

/// As [`eval`], of an expression that may own an array whose memory becomes that of the result.
#[inline]
pub(crate) fn eval_value<E>(expr: E) -> Evaluated<E>
where
    E: Expr<Rank: Dimension>,
{
    // By a constant: see `Evaluates`.
    let owned: Option<fn(E) -> Evaluated<E>> =
        const { if E::FACTS.owns { Some(eval_owned) } else { None } };
    match owned {
        Some(eval) => eval(expr),
        None => eval(&expr),
    }
}

/// As [`eval_value`], of one that owns an array.
#[inline(always)]
fn eval_owned<E>(mut expr: E) -> Evaluated<E>
where
    E: Expr<Rank: Dimension>,
{
    if let Some(array) = eval_few_reusing(&mut expr) {
        return Ok(array);
    }
    // Not inlined, and not called for few elements.
    if owned_bytes(&mut expr) >= REUSED_BYTES
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
    if const { E::FACTS.alike && !E::FACTS.buffers_within }
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
    // What a call returns is taken apart: else the result of the way above lies in memory, too.
    let array = eval_otherwise(expr, &alike)?;
    Ok(array)
}

/// As [`eval`], of arrays that do not lie alike, of which one may have this shape: computed in
/// place if they are few elements that plainly repeat.
#[inline(never)]
fn eval_otherwise<E>(expr: &E, alike: &Alike<'_>) -> Result<Array<E::Elem, E::Rank>, Error>
where
    E: Expr<Rank: Dimension>,
{
    let pass = &To(Borrowed(expr), &Write);
    if const { E::FACTS.alike && E::FACTS.buffers_within }
        && let Some((shape, strides)) = alike.layout()
    {
        let len = shape.iter().product();
        // So few, that what is moved about takes longer than to compute them.
        let mut few = Few::new();
        if bytes_of::<E::Elem>(1, len) <= TINY_BYTES
            && let Some(isa) = isa_if_serial(len, work_of(size_of::<E::Elem>(), E::FACTS.cost))
            && let Some(layout) = Layout::<E::Rank>::without_gaps(shape, strides)
            && let Some(mut source) = Alike::bind_few(expr, len, &mut few, isa)
        {
            return Array::build_flat(layout, |slots| {
                Ok(kernel::compute(isa, slots, source.few_root()))
            });
        }
        if len <= BUFFERED {
            return eval_alike(pass, shape, strides, len);
        }
    }
    let eval: Evaluates<E> = const {
        if most_of_line::<E, E::Rank>() > 0 {
            eval_line
        } else if may_be_here::<E, E::Rank>() {
            eval_rows
        } else if E::FACTS.alike && may_be_here_merged::<E, E::Rank>() {
            eval_merged
        } else {
            eval_apart
        }
    };
    eval(expr, alike)
}

/// What comes of an expression.
type Evaluated<E> = Result<Array<<E as Expr>::Elem, <E as Expr>::Rank>, Error>;

/// Computes an expression in which this was found. Of functions that a constant might point to, the
/// compiler does not even look for what they would call, as it does in what is never run.
type Evaluates<E> = fn(&E, &Alike<'_>) -> Evaluated<E>;

/// As [`eval_otherwise`], of which nothing is compiled as part of the caller.
#[inline(always)]
fn eval_apart<E>(expr: &E, alike: &Alike<'_>) -> Evaluated<E>
where
    E: Expr<Rank: Dimension>,
{
    eval_found(&To(Borrowed(expr), &Write), alike, const { bytes_here::<E>() }, true)
}

/// As [`eval_otherwise`], of elements along one axis that lie apart, one by one.
#[inline(always)]
fn eval_line<E>(expr: &E, alike: &Alike<'_>) -> Evaluated<E>
where
    E: Expr<Rank: Dimension>,
{
    if let Some(shape @ &[len]) = alike.first()
        && len <= const { most_of_line::<E, E::Rank>() }
        && is_line::<Write, E>(len)
        && let Some(line) = in_line(expr, shape)
    {
        let layout = Layout::<E::Rank>::c_order(E::Rank::shape(shape)?)?;
        return Array::build_flat(layout, |slots| {
            Ok(kernel::compute_rows_here(slots, (1, len), line.block(), Stored::OneByOne))
        });
    }
    eval_apart(expr, alike)
}

/// As [`eval_otherwise`], of a matrix in rows.
#[inline(always)]
fn eval_rows<E>(expr: &E, alike: &Alike<'_>) -> Evaluated<E>
where
    E: Expr<Rank: Dimension>,
{
    if let Some(first) = alike.first()
        && let Some(own) = result_of(expr, first)
        && let &[count, len] = own.as_ref()
        && let shape = [count, len]
        && (is_short::<E, Write>(count, len)
            || (alike.goes_one_by_one::<E::Elem>() && are_some_in_lines::<E, Write>(count, len)))
        && let mut lines = Lines::new(&shape)
        && let source = lines.bind(expr)
        && let Some(stored) = lines.stored()
    {
        let layout = match stored {
            Stored::Turned => Layout::<E::Rank>::f_order(own)?.with_units_settled(),
            _ => Layout::<E::Rank>::c_order(own)?,
        };
        return Array::build_flat(layout, |slots| {
            Ok(kernel::compute_rows_here(slots, (count, len), source.flat(), stored))
        });
    }
    eval_apart(expr, alike)
}

/// As [`eval_otherwise`], of more axes, as of a matrix.
#[inline(always)]
fn eval_merged<E>(expr: &E, alike: &Alike<'_>) -> Evaluated<E>
where
    E: Expr<Rank: Dimension>,
{
    if let Some(first) = alike.first()
        && let Some(own) = result_of(expr, first)
        && let Ok(layout) = Layout::<E::Rank>::c_order(own)
        && let (own, strides) = (layout.shape(), layout.strides())
        && let Some(rows) = merged_rows(own, strides, |visitor| show(expr, visitor))
        && are_few_rows(rows)
        && let ((count, len), _) = rows
        && (len >= LANES || count * len <= FEW_IN_LINES)
        && (is_short::<E, Write>(count, len)
            || (alike.goes_one_by_one::<E::Elem>() && are_some_in_lines::<E, Write>(count, len)))
        && let mut merged = Merged::new(own, (count, len))
        && let source = merged.bind(expr)
        && let Some(stored) = merged.stored(true)
    {
        return Array::build_flat(layout, |slots| {
            Ok(kernel::compute_rows_here(slots, (count, len), source.flat(), stored))
        });
    }
    eval_apart(expr, alike)
}

/// The shape of the result of an expression in which an array has this one, if that may be another
/// one, and is plain: because extents of 1 of this one may stretch, and under NumPy's rule that of
/// an array may be a lower rank than that of the result.
#[inline]
pub(crate) fn stretched<T: Element, R: Dimension>(
    pass: &Makes<'_, T>,
    shape: Option<&[usize]>,
) -> Option<Short<usize>> {
    let first = shape?;
    let may_stretch = first.contains(&1) || R::shape(first).is_err();
    may_stretch.then(|| {
        let mut shape = Short::filled(1, R::NDIM.unwrap_or(first.len()));
        stretch(&mut shape, |visitor| pass.describe(visitor)).then_some(shape)
    })?
}

/// As [`eval`], of an expression that is not known, in which this was found: of which nothing is
/// compiled as part of the caller: few elements take longer, and the compiler less. If it is not
/// `ordered`, it does not matter in which order the elements lie.
#[inline(never)]
pub(crate) fn eval_pass<T: Element, R: Dimension>(
    pass: &Makes<'_, T>,
    alike: &Alike<'_>,
    ordered: bool,
) -> Result<Array<T, R>, Error> {
    let facts = pass.facts();
    if let Some((shape, strides)) = alike.layout() {
        let len = shape.iter().product::<usize>();
        let most = match (facts.alike, facts.buffers_within) {
            (false, _) => 0,
            (true, true) => BUFFERED,
            (true, false) => usize::MAX,
        };
        if len <= most && len.saturating_mul(size_of::<T>()) <= FLAT_BYTES {
            return eval_alike(pass, shape, strides, len);
        }
    }
    eval_found(pass, alike, 0, ordered)
}

/// Of fewer elements in windows that overlap, to look for the best order takes longer.
const SOME_IN_WINDOWS: usize = 1 << 9;

/// As [`eval`], of arrays that do not lie alike, as was found; so many bytes are `tiny`.
#[inline(never)]
fn eval_found<T: Element, R: Dimension>(
    pass: &Makes<'_, T>,
    alike: &Alike<'_>,
    tiny: usize,
    ordered: bool,
) -> Result<Array<T, R>, Error> {
    let turned = alike.is_turned();
    if (turned || (ordered && alike.is_permuted()))
        && let Some(array) = eval_as_they_lie(pass, alike, turned)?
    {
        return Ok(array);
    }
    if !ordered
        && let Some(shape) = alike.first()
        && shape.iter().fold(1, |len: usize, &n| len.saturating_mul(n)) >= SOME_IN_WINDOWS
        && let Some(order) = alike.windows_outermost()
        // Under NumPy's rule the array may be of a lower rank than the result.
        && order.len() == shape.len()
        && R::shape(shape).is_ok()
        && let Some(few) = FewOf::new::<T>(shape, pass.work(), 0, None)
        && few.bytes <= FEW_BYTES
        && let Some(array) = eval_nested(pass, shape, (&order, false), (few.isa, None))?
    {
        return Ok(array);
    }
    eval_few(pass, alike.first(), tiny, ordered, None)
}

/// As [`eval_pass`], where it does not matter in which order the elements lie.
pub(crate) fn computed_by<T: Element, R: Dimension>(
    pass: &Makes<'_, T>,
    alike: &Alike<'_>,
) -> Result<Array<T, R>, Error> {
    eval_pass(pass, alike, false)
}

/// Of fewer bytes, to see which axes have rows together takes longer than to copy them.
const SOME_ROWS: usize = 1 << 11;

/// As [`eval`], without a plan if it is plain how few elements repeat in a result of this shape, or
/// of the one that it is [`stretched`] to. So many bytes are `tiny`.
#[inline(never)]
fn eval_few<T: Element, R: Dimension>(
    pass: &Makes<'_, T>,
    shape: Option<&[usize]>,
    tiny: usize,
    ordered: bool,
    exec: Option<&Exec>,
) -> Result<Array<T, R>, Error> {
    let all = stretched::<_, R>(pass, shape);
    if let Some(shape) = all.as_deref().or(shape)
        && let Some(few) = FewOf::new::<T>(shape, pass.work(), tiny, exec)
        && let Ok(own) = R::shape(shape)
    {
        let (layout, in_rows) = (Layout::<R>::c_order(own)?, !pass.facts().buffers_within);
        let ordered = ordered || few.bytes > FEW_BYTES;
        if in_rows
            && may_have_slabs::<R>()
            && shape.len() > 2
            && let axes = match few.bytes >= SOME_ROWS {
                true => axes_of_rows(shape, layout.strides(), |visitor| pass.describe(visitor)),
                false => 1,
            }
            && FewOf::takes_slabs(shape, axes)
            && few.is_of_use(|| {
                let mut room = Few::new();
                let mut binding = in_slabs(shape, ((0, 1), axes), &mut room, few.isa);
                pass.few(&mut binding, &mut []).map(|_| ())
            })?
            && let Some(array) = eval_slabs(pass, (layout, axes), few.isa)?
        {
            return Ok(array);
        }
        let mut turned = false;
        if in_rows
            && let Some(rows) = few.rows::<T>(shape, false, pass.facts())
            && few.is_of_use(|| {
                let mut room = Few::new();
                let mut binding = Binding::few(shape, rows.reading(&mut room), few.isa);
                binding.met.any_order(!ordered);
                pass.few(&mut binding, &mut []).map(|_| ())
            })?
        {
            let mut room = Few::new();
            let mut binding = Binding::few(shape, rows.reading(&mut room), few.isa);
            binding.met.any_order(!ordered);
            // What is made of the result of a call, and moved once more, is waited for.
            match Array::build_flat(layout, |slots| pass.few(&mut binding, slots)) {
                Ok(array) => return Ok(array),
                Err(Unfit::Error(error)) => return Err(error),
                Err(Unfit::Way) => turned = binding.met.row_major().is_some(),
            }
        }
        if !turned
            && let Some(bands) = few.bands::<T>(shape, pass.facts())
            && let Some(array) = eval_bands(pass, layout, bands, ordered)?
        {
            return Ok(array);
        }
        let mut room = Few::new();
        if !turned && let Some(binding) = few.copies(shape, &mut room) {
            let mut binding = binding.ordered(ordered);
            match Array::build_flat(layout, |slots| pass.few(&mut binding, slots)) {
                Ok(array) => return Ok(array),
                Err(Unfit::Error(error)) => return Err(error),
                Err(Unfit::Way) => turned = binding.met.row_major().is_some(),
            }
        }
        if turned && let Some(array) = eval_turned(pass, shape, few.isa)? {
            return Ok(array);
        }
    }
    eval_any(pass, ordered, exec)
}

/// As [`eval_few`], its axes nested in another order than the row-major one, if all arrays are in
/// that order, or repeat.
#[inline(never)]
fn eval_as_they_lie<T: Element, R: Dimension>(
    pass: &Makes<'_, T>,
    alike: &Alike<'_>,
    turned: bool,
) -> Result<Option<Array<T, R>>, Error> {
    let (all, order) = (stretched::<_, R>(pass, alike.first()), alike.order(turned));
    // Under NumPy's rule the array may be of a lower rank than the result.
    let shape = all.as_deref().or(alike.first()).filter(|shape| shape.len() == order.len());
    if let Some(shape) = shape
        && let Some(few) = FewOf::new::<T>(shape, pass.work(), 0, None)
        && few.bytes <= FEW_BYTES
    {
        return eval_nested(pass, shape, (&order, true), (few.isa, None));
    }
    Ok(None)
}

/// As [`eval_few`], in column-major order, if all arrays are in that order, or repeat.
#[inline(never)]
fn eval_turned<T: Element, R: Dimension>(
    pass: &Makes<'_, T>,
    shape: &[usize],
    isa: Isa,
) -> Result<Option<Array<T, R>>, Error> {
    let order: Axes<usize> = (0..shape.len()).rev().collect();
    eval_nested(pass, shape, (&order, true), (isa, None))
}

/// As [`eval_few`], its axes nested in this order, the outermost first: if all arrays are in that
/// order, or repeat, or if that does not matter. With what was computed before the rest, if it was
/// asked what is.
fn eval_nested<T: Element, R: Dimension>(
    pass: &Makes<'_, T>,
    shape: &[usize],
    (order, as_they_lie): (&[usize], bool),
    (isa, hoisted): (Isa, Option<&Hoisted>),
) -> Result<Option<Array<T, R>>, Error> {
    let layout = Layout::<R>::nested(R::shape(shape)?, order)?.with_units_settled();
    let nested: Axes<usize> = order.iter().map(|&axis| shape[axis]).collect();
    let mut room = Few::new();
    let reading = Reading::Nested { order, room: room.room(), as_they_lie };
    let binding = Binding::few(&nested, reading, isa).ordered(as_they_lie);
    let mut binding = binding.with_hoisted(hoisted);
    fits(Array::build_flat(layout, |slots| pass.few(&mut binding, slots)))
}

/// As [`eval_few`], of three axes or more with rows of unit stride along so many of the last axes:
/// some matrices after the others.
#[inline(never)]
fn eval_slabs<T: Element, R: Dimension>(
    pass: &Makes<'_, T>,
    (layout, axes): (Layout<R>, usize),
    isa: Isa,
) -> Result<Option<Array<T, R>>, Error> {
    let shape = layout.shape();
    let slab: usize = shape[shape.len() - 1 - axes..].iter().product();
    fits(Array::build_rows(layout, SLABS * slab, |some, slots| {
        let mut room = Few::new();
        let some = ((some * SLABS, slots.len() / slab), axes);
        pass.few(&mut in_slabs(shape, some, &mut room, isa), slots)
    }))
}

/// As [`eval_few`], band by band.
#[inline(never)]
fn eval_bands<T: Element, R: Dimension>(
    pass: &Makes<'_, T>,
    layout: Layout<R>,
    bands: Bands,
    ordered: bool,
) -> Result<Option<Array<T, R>>, Error> {
    let mut span = None;
    fits(Array::build_rows(layout, bands.len(), |number, slots| {
        let mut shape = layout.shape().iter().copied().collect();
        let mut room = BandRoom::of_bytes();
        let band = bands.binding(&mut shape, (number, slots.len()), &mut room);
        let band = pass.few(&mut band.ordered(ordered), slots)?;
        let bytes = layout.size() * size_of::<T>();
        span.get_or_insert_with(|| trace::unplanned("Bands", layout.shape(), bytes));
        Ok(band)
    }))
}

/// Computes an expression as a new array.
pub(crate) fn eval_by<E>(expr: &E, exec: &Exec) -> Result<Array<E::Elem, E::Rank>, Error>
where
    E: Expr<Rank: Dimension>,
{
    eval_few(&To(Borrowed(expr), &Write), Alike::find(expr).first(), 0, true, Some(exec))
}

/// A new array as one run over the memory of all arrays, whose shape and strides these are, if they
/// have no gaps, and it is not worth threads.
#[inline(never)]
fn eval_alike<T: Element, R: Dimension>(
    pass: &Makes<'_, T>,
    shape: &[usize],
    strides: &[isize],
    len: usize,
) -> Result<Array<T, R>, Error> {
    let exec = Exec::current();
    // That of the arrays may be a lower rank than that of the result.
    match Layout::<R>::without_gaps(shape, strides) {
        Some(layout) if exec.tasks(len, pass.work()) <= 1 => {
            let _span = trace::unplanned("OneRun", shape, len * size_of::<T>());
            let mut room = Few::new();
            let binding = Binding::flat(std::array::from_ref(&len), exec.isa);
            let mut binding = binding.with_room(&mut room);
            Ok(Array::build_flat(layout, |slots| pass.few(&mut binding, slots))?)
        }
        _ => eval_few(pass, Some(shape), 0, true, Some(&exec)),
    }
}

/// A new array, by a plan.
#[inline(never)]
fn eval_any<T: Element, R: Dimension>(
    pass: &Makes<'_, T>,
    ordered: bool,
    exec: Option<&Exec>,
) -> Result<Array<T, R>, Error> {
    let exec = &exec.map_or_else(Exec::current, |exec| *exec);
    let tree = tree_of(pass);
    let shape = tree.shape()?;
    let operands = tree.operands(&shape)?;
    let bytes = bytes_of::<T>(shape.iter().fold(1, |len, &n| usize::saturating_mul(len, n)), 1);
    // However many threads there are, few elements lie alike.
    let order = match ordered || bytes > FEW_BYTES {
        true => result_order(&shape, &operands),
        false => (0..shape.len() as u8).collect(),
    };
    let hoisted = hoist(&pass, &operands, exec)?;
    // From copies of what lies otherwise or repeats: so few take less time than their plan.
    if let Some(few) = FewOf::new::<T>(&shape, pass.work(), 0, Some(exec))
        && few.bytes <= FEW_BYTES
        && let order = order.iter().map(|&axis| axis.into()).collect::<Axes<usize>>()
        && let Some(array) = eval_nested(pass, &shape, (&order, false), (few.isa, Some(&hoisted)))?
    {
        return Ok(array);
    }
    let layout = nested_layout::<R>(&shape, &order)?;
    Array::build(layout, |out| fill_with(pass, (&operands, &hoisted), out.into_dyn(), exec))
}

/// Computes an expression that repeats in a result, at its own size: the extents along the axes of
/// the result, 1 where it repeats. In row-major order.
pub(crate) fn at_own_size<E: Expr>(
    expr: &E,
    extents: &[usize],
    exec: &Exec,
) -> Result<Array<E::Elem, Dyn>, Error> {
    new_of_size(&To(Borrowed(expr), &Write), extents, exec)
}

/// As [`at_own_size`], of a pass.
#[inline(never)]
pub(crate) fn new_of_size<T: Element>(
    pass: &Makes<'_, T>,
    extents: &[usize],
    exec: &Exec,
) -> Result<Array<T, Dyn>, Error> {
    let layout = Layout::<Dyn>::c_order(Dyn::shape(extents)?)?;
    if let Some(few) = FewOf::new::<T>(extents, pass.work(), 0, Some(exec))
        && let mut room = Few::new()
        && let Some(binding) = few.copies(extents, &mut room)
        && let mut binding = binding.ordered(false)
        && let Some(array) = fits(Array::build_flat(layout, |slots| pass.few(&mut binding, slots)))?
    {
        return Ok(array);
    }
    // It is read again at once.
    Array::build(layout, |out| write_any(pass, out, &exec.cache(usize::MAX)))
}

/// The elements of a pass in a new array in which the axes are nested in this order, the outermost
/// first.
pub(crate) fn in_order<T: Element>(
    pass: &Makes<'_, T>,
    shape: &[usize],
    order: &[usize],
    exec: &Exec,
) -> Result<Array<T, Dyn>, Error> {
    let layout = Layout::<Dyn>::nested(Dyn::shape(shape)?, order)?.with_units_settled();
    Array::build(layout, |out| write_any(pass, out, exec))
}
