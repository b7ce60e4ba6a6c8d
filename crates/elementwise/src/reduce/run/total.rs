//! The total of all elements.

use super::apart::{few_total, total_apart};
use super::large::{is_large, of_large};
use super::own_type::FEW_IN_OWN_TYPE;
use super::planned::{Results, keeping, keeping_computed};
use super::{Computed, SMALL, computed_before, in_any_order, is_row_major, pieces_of};
use crate::eval::{
    Makes, Tiny, To, apart, compute_few, compute_line, isa_if_serial, most_of_line, seldom,
};
use crate::exec::{Exec, work_of};
use crate::expr::{Alike, Binding, Blocks, Borrowed, Expr};
use crate::kernel::{
    self, FEWEST, Finish, Isa, MOST_FEW_OF_LIST, MergedBlocks, Run, Source, Write, fold_apart,
    fold_blocks, fold_few, fold_lanes, fold_near_blocks, fold_pieces, fold_row, fold_rows_apart,
    most_few,
};
use crate::plan::{BLOCK_LEN, LANES, blocks};
use crate::reduce::compiled::by_compiled;
use crate::reduce::{Place, Reduction, finish_one};
use crate::types::{Array, View};
use bcast::Error;
use ndcore::{Dimension, Dyn, Element, Few, Packed, Rank, Runs};

/// Reduces all elements of an expression.
// The expression by value: see `apart`.
#[inline(always)]
pub fn all<E, F>(expr: E, op: &F) -> Result<F::Output, Error>
where
    E: Expr<Rank: Dimension>,
    F: Reduction<E::Elem>,
{
    // In `const` blocks: what is never run is not compiled then.
    if const { is_large::<E::Elem, F>() } {
        return the_one(of_large(&expr, op, &ALL_AXES)?.0);
    }
    if const { E::FACTS.in_memory } {
        let view = expr.in_memory().expect("elements in memory");
        // Of floating-point numbers there is no such sum of a list: known here, so that nothing of it
        // is left in loops over rows.
        if const { F::EXACT }
            && let Some(own) = const { F::IN_OWN_TYPE }
            && let Some(sum_of) = own.slice
            && let Some(slice) = view.as_slice()
            && (1..=FEW_IN_OWN_TYPE).contains(&slice.len())
            && let Some(sum) = sum_of(slice)
        {
            return Ok(sum);
        }
        return match view.as_slice() {
            Some(slice) if (1..=most_of_slice::<_, F>()).contains(&slice.len()) => {
                let total = match const { in_place::<E::Elem, F>() } && slice.len() <= IN_PLACE {
                    true => fold_apart(op, slice, slice.len()),
                    false => slice_total(slice, op),
                };
                finish_one(op, total, slice.len())
            }
            None if (1..=SMALL).contains(&view.len()) => {
                let total = few_total(view, op).ok_or_else(Error::no_memory)?;
                finish_one(op, total, view.len())
            }
            // By value: if a call might keep a reference to an array, compilers have to read where
            // its elements are again and again in all loops of the caller. And moved: what no call
            // gets a reference to is read word by word, as it was written; a copy as a whole would
            // wait for words that have just been written.
            _ => apart(move || all_in_memory(view, op)),
        };
    }
    if const { E::FACTS.form.is_folded() && F::JOINS } {
        let alike = Alike::find(&expr);
        // So few elements are reduced in place: even to call a kernel would take longer.
        if let Some((shape, strides)) = alike.layout()
            && let len = shape.iter().product::<usize>()
            && (1..=most_few::<E::Elem>(E::FACTS.cost + F::COST)).contains(&len)
            && is_row_major(shape, strides)
        {
            let total = fold_few(op, Alike::bind(&expr, len).flat(), len);
            return finish_one(op, total, len);
        }
    }
    let mut few = Tiny::of_bytes();
    if const { E::FACTS.form.is_folded() && F::JOINS } {
        if let Some(elements) = compute_few(&expr, &mut few) {
            return finish_one(op, seldom(|| slice_total(elements, op)), elements.len());
        }
        return seldom(move || all_of(&expr, op));
    }
    if let Some(elements) = compute_few(&expr, &mut few) {
        return finish_one(op, slice_total(elements, op), elements.len());
    }
    apart(move || all_of(&expr, op))
}

/// As [`all`], by a reduction that is an error where the result is not that of another one: then,
/// and where to compute elements twice might show, there is none.
#[inline(always)]
pub fn all_usual<E, F>(expr: &E, op: &F) -> Option<F::Output>
where
    E: Expr<Rank: Dimension>,
    F: Reduction<E::Elem>,
{
    if const { E::FACTS.in_memory } {
        return all(expr.in_memory()?, op).ok();
    }
    if const { !E::FACTS.pure } {
        return None;
    }
    let mut few = Tiny::of_bytes();
    if let Some(elements) = compute_few(expr, &mut few) {
        return finish_one(op, slice_total(elements, op), elements.len()).ok();
    }
    all_of(expr, op).ok()
}

/// The most elements of a list that are reduced without a question: one block, which is not worth
/// threads. Where a reduction may end soon, as many as take no time.
const fn most_of_slice<T: Element, F: Reduction<T>>() -> usize {
    if F::ENDS { SMALL } else { BLOCK_LEN }
}

/// Whether few elements are reduced as part of the caller. What a loop over rows adds up stays in
/// a register then: to write it to memory and read it again for each call takes longer than they.
/// By [`fold_apart`], also where they lie side by side: what has just been written, as the
/// difference of two points, is waited for if it is loaded as other vectors than it was stored.
#[inline(always)]
pub(super) const fn in_place<T: Element, F: Reduction<T>>() -> bool {
    F::JOINS && !F::EXACT && F::COST == 1 && size_of::<F::Acc>() <= 8
}

/// The coordinates of a point, a colour, a few neighbours. For more, the code wherever a total is
/// asked for would grow by more than that saves.
pub(super) const IN_PLACE: usize = 8;

/// The total of few elements that are one block.
// The total and not the result, which would be returned in memory, because it may be an error.
#[inline(always)]
pub fn slice_total<T: Element, F: Reduction<T>>(slice: &[T], op: &F) -> F::Total {
    by_compiled!(F::COMPILED, |compiled| (compiled.slice)(slice), of_slice_here(slice, op))
}

/// As [`slice_total`], compiled here.
// Not inlined: it is the same for all arrays.
#[inline(never)]
fn of_slice_here<T: Element, F: Reduction<T>>(slice: &[T], op: &F) -> F::Total {
    of_slice(slice, op)
}

/// As [`slice_total`], compiled as part of the caller.
#[inline(always)]
pub fn of_slice<T: Element, F: Reduction<T>>(slice: &[T], op: &F) -> F::Total {
    if F::EXACT && !F::JOINS && slice.len() <= FEWEST_IN_TURN {
        let of = |acc, (round, value): (usize, &T)| op.step(acc, *value, round);
        let acc = slice.iter().enumerate().fold(op.start(), of);
        return op.total(acc, Place { first: 0, len: slice.len(), step: 1 });
    }
    if in_lanes::<T, F>(slice.len()) {
        return fold_lanes(op, slice, slice.len());
    }
    match F::JOINS && slice.len() <= FEWEST.min(few::<T, F>()) {
        true => fold_few(op, slice, slice.len()),
        false => row_total(slice, op),
    }
}

/// Whether so few elements, each with a lane by itself, take less time than the choice of an
/// instruction set: fewer of exponentials.
pub(super) const fn in_lanes<T: Element, F: Reduction<T>>(len: usize) -> bool {
    !F::EXACT && !F::JOINS && len <= if F::COST <= 5 { LANES } else { 4 }
}

/// So few elements take one accumulator less time than vectors of them.
const FEWEST_IN_TURN: usize = 12;

/// As [`slice_total`], of more.
#[inline(never)]
fn row_total<T: Element, F: Reduction<T>>(slice: &[T], op: &F) -> F::Total {
    match Exec::known_isa() {
        Some(isa) if !F::JOINS || slice.len() > few::<T, F>() => {
            fold_row(op, isa, slice, slice.len())
        }
        _ => few_or_first_total(slice, op),
    }
}

/// As [`row_total`], of so few that the choice of an instruction set takes longer than they, or the
/// first ones for which there is one.
// Not inlined: what it needs, the others would save and restore.
#[inline(never)]
fn few_or_first_total<T: Element, F: Reduction<T>>(slice: &[T], op: &F) -> F::Total {
    match F::JOINS && slice.len() <= few::<T, F>() {
        true => fold_few(op, slice, slice.len()),
        false => fold_row(op, Exec::current_isa(), slice, slice.len()),
    }
}

/// So many elements of a slice take less time than the choice of an instruction set: the baseline
/// adds well, but compares badly.
const fn few<T: Element, F: Reduction<T>>() -> usize {
    match F::COST {
        // As many lanes as there are do not fit in the registers of the baseline.
        1 if !F::EXACT && size_of::<F::Acc>() > 8 => LANES,
        1 if F::REORDERED || size_of::<F::Acc>() > size_of::<T>() => 2 * LANES,
        1 => MOST_FEW_OF_LIST,
        2 if F::EXACT && size_of::<T>() <= 4 => 3 * LANES - 1,
        2 if F::EXACT => 2 * LANES,
        _ => LANES,
    }
}

/// As [`all`], of any number of elements.
pub fn all_of<E, F>(expr: &E, op: &F) -> Result<F::Output, Error>
where
    E: Expr<Rank: Dimension>,
    F: Reduction<E::Elem>,
{
    if const { E::FACTS.in_memory } {
        return all_in_memory(expr.in_memory().expect("elements in memory"), op);
    }
    if const { !F::ENDS && most_of_line::<E, E::Rank>() > 0 } {
        let (most, mut few, mut more) = (most_of_line::<E, E::Rank>(), Few::new(), Packed::new());
        if let Some(line) = compute_line(expr, (most, F::COST), (&mut few, &mut more)) {
            return finish_one(op, line_total(line, op, Exec::current_isa()), line.len());
        }
    }
    let alike = Alike::find(expr);
    if let Some((shape, _)) = alike.layout()
        && shape.contains(&0)
    {
        return Results::of(op).of_nothing(shape, ALL_AXES(shape)?);
    }
    match const { E::FACTS.form.is_folded() } {
        true => all_folded(expr, &alike, op),
        false => all_computed(expr, alike, op),
    }
}

/// As [`all_of`], of what is folded as it is read.
fn all_folded<E, F>(expr: &E, alike: &Alike<'_>, op: &F) -> Result<F::Output, Error>
where
    E: Expr<Rank: Dimension>,
    F: Reduction<E::Elem>,
{
    let exec = Exec::current();
    let work = work_of(size_of::<E::Elem>(), E::FACTS.cost + F::COST);
    if !F::ENDS
        && let Some((len, run)) = in_blocks(alike)
        && exec.tasks(len, work) <= 1
    {
        let source = Alike::bind(expr, len);
        let total = match len <= BLOCK_LEN {
            true => fold_row(op, exec.isa, source.flat(), len),
            false => fold_blocks(op, exec.isa, source.flat(), (0, len), run),
        };
        return finish_one(op, total, len);
    }
    if let Some(array) =
        computed_before::<_, E::Rank>(&To(Borrowed(expr), &Write), alike, E::FACTS.form)?
    {
        return all_in_memory(array.view(), op);
    }
    the_one(keeping::<true, _, _, _>(expr, op, &ALL_AXES, &Results::of(op), &exec)?.0)
}

/// As [`all_of`], of what is computed first.
fn all_computed<E, F>(expr: &E, alike: Alike<'_>, op: &F) -> Result<F::Output, Error>
where
    E: Expr<Rank: Dimension>,
    F: Reduction<E::Elem>,
{
    let pass = To(Borrowed(expr), &Write);
    let rows = alike.layout().filter(|(shape, strides)| is_row_major(shape, strides));
    if let Some((shape, _)) = rows {
        let (len, mut few) = (shape.iter().product(), Few::new());
        // So few are not worth to forget the type.
        if const { E::FACTS.alike && !E::FACTS.buffers_within && !F::ENDS }
            && (1..=SMALL).contains(&len)
            && let Some(slots) = few.slots(len)
            && let Some(isa) = isa_if_serial(len, work_of(size_of::<E::Elem>(), E::FACTS.cost))
        {
            let elements = kernel::compute(isa, slots, Alike::bind(expr, len).flat());
            return finish_one(op, slice_total(elements, op), len);
        }
    } else if let Some(array) = computed_before::<_, E::Rank>(&pass, &alike, E::FACTS.form)? {
        return all_in_memory(array.view(), op);
    }
    let computed = Computed { pass: &pass, alike, cost: E::FACTS.cost };
    let finish: &dyn Finish<_, _> = &Results::of(op);
    by_compiled!(
        F::COMPILED,
        |compiled| (compiled.all_computed)(&computed, finish),
        total_computed(&computed, op, finish)
    )
}

/// What may end early computes so few elements all the same: to be asked for parts of them takes
/// longer.
const FEW_THAT_END: usize = 1 << 8;

/// As [`all_computed`], of an expression whose type is not known.
pub fn total_computed<T: Element, F: Reduction<T>>(
    computed: &Computed<'_, T>,
    op: &F,
    finish: &dyn Finish<F::Total, F::Output>,
) -> Result<F::Output, Error> {
    let (alike, exec) = (computed.alike, Exec::current());
    let work = work_of(size_of::<T>(), computed.cost + F::COST);
    // Where blocks follow each other, each is folded while it is in the nearest cache.
    if let Some((len, run)) = in_blocks(&alike)
        && let serial = exec.tasks(len, work) <= 1
        && (serial || F::ENDS)
    {
        let mut room = Few::new();
        let mut binding = Binding::flat(std::array::from_ref(&len), exec.isa).with_room(&mut room);
        let total = if len <= const { if F::ENDS { FEW_THAT_END } else { BLOCK_LEN } } {
            let pass: &Makes<'_, T> = computed.pass;
            let (mut few, mut more) = (Few::new(), Packed::new());
            let elements = match few.slots(len) {
                Some(slots) => pass.few(&mut binding, slots)?,
                None if more.reserve(len) => {
                    more.try_initialise(len, |slots| pass.few(&mut binding, slots))?
                }
                None => return Err(Error::no_memory()),
            };
            Some(slice_total(elements, op))
        } else {
            let mut source = Blocks::bind(computed.pass, &mut binding);
            binding.fits(false)?;
            total_in_turn(&mut source, op, exec.isa, (len, run, pieces_of::<T>()), serial)
        };
        if let Some(total) = total {
            return finish.one(total, len);
        }
    }
    match keeping_computed(computed, op, &ALL_AXES, finish, &exec)? {
        Some((result, _)) => the_one(result),
        None => all_elements(computed.whole()?.view(), op, finish),
    }
}

/// The total of elements along one axis, of any number of blocks that are not worth threads.
fn line_total<T: Element, F: Reduction<T>>(elements: &[T], op: &F, isa: Isa) -> F::Total {
    match elements.len() {
        ..=BLOCK_LEN => slice_total(elements, op),
        len => total_of_blocks(op, isa, elements, blocks(&[len], 1)[0]),
    }
}

/// The elements of arrays that lie alike in row-major order, and those of a block, if the blocks of
/// all elements follow each other.
#[inline(never)]
fn in_blocks(alike: &Alike<'_>) -> Option<(usize, usize)> {
    let (shape, strides) = alike.layout()?;
    let len = shape.iter().product();
    if !is_row_major(shape, strides) || !(1..=MOST_FLAT).contains(&len) {
        return None;
    }
    Some((len, run_of_block(shape, len)?))
}

/// Reduces all elements in memory.
fn all_in_memory<T: Element, R: Dimension, F: Reduction<T>>(
    view: View<'_, T, R>,
    op: &F,
) -> Result<F::Output, Error> {
    let results = Results::of(op);
    if view.is_empty() {
        return results.of_nothing(view.shape(), ALL_AXES(view.shape())?);
    }
    let finish: &dyn Finish<_, _> = &results;
    by_compiled!(
        F::COMPILED,
        |compiled| (compiled.all)(view.as_dyn(), finish),
        all_elements(view.as_dyn(), op, finish)
    )
}

/// As [`all_in_memory`], compiled here.
#[inline(never)]
pub fn all_elements<T: Element, F: Reduction<T>>(
    mut view: View<'_, T, Dyn>,
    op: &F,
    finish: &dyn Finish<F::Total, F::Output>,
) -> Result<F::Output, Error> {
    if const { in_any_order::<T, F>() }
        && let Some(slice @ [_, ..]) = view.as_slice_memory_order()
    {
        view = View::<_, Rank<1>>::from(slice).into_dyn();
    }
    let (shape, strides, len) = (view.shape(), view.strides(), view.len());
    let row_major = is_row_major(shape, strides);
    let slice = view.as_slice();
    // So few elements are one block, and need no options but the instruction set.
    if let Some(slice @ [_, ..]) = slice.filter(|slice| slice.len() <= BLOCK_LEN && !F::ENDS) {
        return finish.one(fold_row(op, Exec::current_isa(), slice, len), len);
    }
    let exec = Exec::current();
    let by_plan = || {
        // In a list there is one along axes as well.
        let keeping = match const { F::COMPILED.is_some() } {
            true => keeping::<false, _, F, _>,
            false => keeping::<true, _, F, _>,
        };
        the_one(keeping(&view, op, &ALL_AXES, finish, &exec)?.0)
    };
    if len == 0 {
        return finish.of_nothing(shape, ALL_AXES(shape)?);
    }
    if !row_major
        && strides.last() != Some(&1)
        && let Some(total) = total_apart(view, op)
    {
        return finish.one(total, len);
    }
    let serial = exec.tasks(len, work_of(size_of::<T>(), F::COST)) <= 1;
    let total = match slice {
        Some(slice) if len <= MOST_FLAT && (serial || F::ENDS) => {
            total_of_slice(op, &exec, slice, shape, serial)
        }
        None if serial => total_of_rows(op, &exec, &view).or_else(|| total_apart(view, op)),
        _ => None,
    };
    match total {
        Some(total) => finish.one(total, len),
        None => by_plan(),
    }
}

/// All axes of a shape, as bits.
const ALL_AXES: fn(&[usize]) -> Result<u32, Error> = |shape| Ok((1 << shape.len()) - 1);

/// The result of a reduction of all elements.
fn the_one<T: Element>(result: Array<T, Dyn>) -> Result<T, Error> {
    Ok(*result.iter().next().expect("a reduction over all axes has one result"))
}

/// The total of the elements of an array of this shape that lie side by side, if blocks follow each
/// other; of what is worth threads only if it ends soon.
fn total_of_slice<T: Element, F: Reduction<T>>(
    op: &F,
    exec: &Exec,
    slice: &[T],
    shape: &[usize],
    serial: bool,
) -> Option<F::Total> {
    let (isa, len) = (exec.isa, slice.len());
    let run = run_of_block(shape, len)?;
    if F::ENDS {
        let mut source = Runs::from(slice);
        return total_in_turn(&mut source, op, isa, (len, run, usize::MAX), serial);
    }
    Some(total_of_blocks(op, isa, slice, run))
}

/// The total of elements that lie side by side, in blocks of so many.
fn total_of_blocks<T: Element, F: Reduction<T>>(
    op: &F,
    isa: Isa,
    slice: &[T],
    run: usize,
) -> F::Total {
    match size_of_val(slice) <= NEAR {
        true => fold_near_blocks(op, isa, slice, slice.len(), run),
        false => fold_blocks(op, isa, Runs::from(slice), (0, slice.len()), run),
    }
}

/// So many bytes are read again from a cache so near that nothing needs to be fetched in time.
pub(super) const NEAR: usize = 1 << 18;

/// The total of a matrix whose rows each lie in one stretch.
fn total_of_rows<T: Element, R: Dimension, F: Reduction<T>>(
    op: &F,
    exec: &Exec,
    view: &View<'_, T, R>,
) -> Option<F::Total> {
    if !F::JOINS {
        return None;
    }
    let (rows, each) = rows_of_blocks(view.shape())?;
    Some(fold_rows_apart(op, exec.isa, view.rows_of(rows.0, rows.1)?, rows, each))
}

/// The total of the elements of a source that is one run, in blocks of `run`, of which one is
/// folded after the other, piece by piece. Of a reduction that ends, of those up to where a total
/// does; and only of the first ones, if all are worth threads.
fn total_in_turn<S: Source, F: Reduction<S::Elem>>(
    source: &mut S,
    op: &F,
    isa: Isa,
    (len, run, piece): (usize, usize, usize),
    serial: bool,
) -> Option<F::Total> {
    let mut fold = |from: usize, most: usize| {
        let part = most.min(len - from);
        if part > piece {
            return (fold_pieces(op, isa, source, len, (from, part), piece), part);
        }
        let run = Run::part(from, part, len);
        (fold_blocks(op, isa, source.root(&run), (from, part), part), part)
    };
    let (mut total, mut from) = fold(0, if F::ENDS { 64 } else { run });
    if F::ENDS {
        // Of what is worth threads only the first elements: all are looked at again.
        let (most, mut piece) = (if serial { len } else { SMALL.min(len) }, 128);
        while from < most && !op.ends(total) {
            let (next, taken) = fold(from, piece.min(most - from));
            (total, from, piece) =
                (op.merge(total, next), from + taken, (2 * piece).min(BLOCK_LEN));
        }
        return (from == len || op.ends(total)).then_some(total);
    }
    if from == len {
        return Some(total);
    }
    let mut merged = MergedBlocks::new(op);
    merged.add(total);
    while from < len {
        let (next, taken) = fold(from, run);
        merged.add(next);
        from += taken;
    }
    Some(merged.total())
}

/// The most elements of a vector that are reduced without a plan: the totals of their blocks are
/// one block.
pub(super) const MOST_FLAT: usize = BLOCK_LEN * BLOCK_LEN;

/// The number of elements of a block of all elements of a shape, if each block but the last has as
/// many, and their totals are one block: then blocks of what lies in row-major order follow each
/// other.
pub(super) fn run_of_block(shape: &[usize], len: usize) -> Option<usize> {
    if len <= BLOCK_LEN {
        return Some(len);
    }
    let blocks = blocks(shape, u32::MAX);
    let outermost = shape.iter().position(|&extent| extent != 1)?;
    let whole = blocks[outermost + 1..] == shape[outermost + 1..];
    let run = blocks.iter().product();
    (whole && len.div_ceil(run) <= BLOCK_LEN).then_some(run)
}

/// The number of rows of a matrix and the elements of each, and the rows of a block of all its
/// elements but the last: if rows fill vectors, each is all in one block, and the totals of blocks
/// are one block.
fn rows_of_blocks(shape: &[usize]) -> Option<((usize, usize), usize)> {
    let &[rows, len] = shape else { return None };
    if rows == 0 || !(LANES..=BLOCK_LEN).contains(&len) {
        return None;
    }
    let each = match rows.checked_mul(len)? {
        ..=BLOCK_LEN => rows,
        _ => blocks(shape, 3)[0],
    };
    (rows.div_ceil(each) <= BLOCK_LEN).then_some(((rows, len), each))
}
