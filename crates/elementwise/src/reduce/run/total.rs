//! The total of all elements.

use super::apart::{few_total, total_apart};
use super::planned::keeping;
use super::{SMALL, buffered, computed_before, in_any_order, is_row_major};
use crate::eval::{BUFFERED, FEW_BYTES, Root, apart, most_of_line};
use crate::exec::{Exec, work_of};
use crate::expr::{Alike, Binding, Expr, Tree, copied, in_line, in_rows};
use crate::kernel::{
    FEWEST, Isa, Line, Run, Source, fold_apart, fold_blocks, fold_few, fold_row, fold_rows_apart,
    most_few,
};
use crate::plan::{BLOCK_LEN, LANES, blocks};
use crate::reduce::{Place, Reduction};
use bcast::Error;
use ndcore::{Dimension, Element, Few, Layout, Rank, Runs};

/// Reduces all elements of an expression.
// The expression by value: see `apart`.
#[inline(always)]
pub fn all<E, F>(expr: E, op: &F) -> Result<F::Output, Error>
where
    E: Expr<Rank: Dimension>,
    F: Reduction<E::Elem>,
{
    // In `const` blocks: what is never run is not compiled then.
    if const { E::IN_MEMORY } {
        let view = expr.in_memory().expect("elements in memory");
        return match view.as_slice() {
            Some(slice) if (1..=SMALL).contains(&slice.len()) => {
                op.finish(slice_total(slice, op), slice.len())
            }
            None if (1..=SMALL).contains(&view.len()) => {
                let total = few_total(view, op).ok_or_else(Error::no_memory)?;
                op.finish(total, view.len())
            }
            // By value: if a call might keep a reference to an array, compilers have to read where
            // its elements are again and again in all loops of the caller. And moved: what no call
            // gets a reference to is read word by word, as it was written; a copy as a whole would
            // wait for words that have just been written.
            _ => apart(move || all_of(&view, op)),
        };
    }
    if const { F::JOINS && !E::BUFFERS && E::COST <= SHORT } {
        let alike = Alike::find(&expr);
        if let Some((shape, strides)) = alike.layout() {
            let len = shape.iter().product::<usize>();
            // So few elements are reduced in place: even to call a kernel would take longer.
            if (1..=most_few::<E::Elem>(E::COST + F::COST)).contains(&len)
                && is_row_major(shape, strides)
            {
                let total = fold_few(op, Alike::bind(&expr, len).flat(), len);
                return op.finish(total, len);
            }
        }
    }
    apart(move || all_of(&expr, op))
}

/// As [`all`], by a reduction that is an error where the result is not that of another one: then,
/// and where to compute elements twice might show, there is none.
#[inline(always)]
pub fn all_usual<'e, E, F>(expr: &'e E, op: &F) -> Option<F::Output>
where
    E: Expr<Rank: Dimension>,
    F: Reduction<E::Elem>,
{
    if const { E::IN_MEMORY } {
        return all(expr.in_memory()?, op).ok();
    }
    if const { Root::<'e, E>::PURE } { all_of(expr, op).ok() } else { None }
}

/// The total of few elements that are one block.
// Not inlined: it is the same for all arrays. The total and not the result, which would be returned
// in memory, because it may be an error.
#[inline(never)]
pub fn slice_total<T: Element, F: Reduction<T>>(slice: &[T], op: &F) -> F::Total {
    if F::EXACT && !F::JOINS && slice.len() <= FEWEST_IN_TURN {
        let of = |acc, (round, value): (usize, &T)| op.step(acc, *value, round);
        let acc = slice.iter().enumerate().fold(op.start(), of);
        return op.total(acc, Place { first: 0, len: slice.len(), step: 1 });
    }
    match F::JOINS && slice.len() <= FEWEST.min(few::<T, F>()) {
        true => fold_few(op, slice, slice.len()),
        false => row_total(slice, op),
    }
}

/// So few elements take one accumulator less time than vectors of them.
const FEWEST_IN_TURN: usize = 12;

/// As [`slice_total`], of more.
#[inline(never)]
fn row_total<T: Element, F: Reduction<T>>(slice: &[T], op: &F) -> F::Total {
    match F::JOINS && slice.len() <= few::<T, F>() {
        true => fold_few(op, slice, slice.len()),
        false => fold_row(op, Exec::current_isa(), Runs::from(slice), slice.len()),
    }
}

/// So many elements of a slice take less time than the choice of an instruction set: the baseline
/// adds well, but compares badly.
const fn few<T, F: Reduction<T>>() -> usize {
    if F::COST == 1 { most_few::<T>(F::COST) } else { LANES }
}

/// As [`all`], of any number of elements.
#[inline(always)]
pub fn all_of<'e, E, F>(expr: &'e E, op: &F) -> Result<F::Output, Error>
where
    E: Expr<Rank: Dimension>,
    F: Reduction<E::Elem>,
{
    if const { Root::<'e, E>::RARE } {
        match computed_before(expr, &Exec::current())? {
            Some(array) => all_elements(&array.view(), op),
            None => all_elements(&buffered(expr), op),
        }
    } else {
        all_elements(expr, op)
    }
}

#[inline(never)]
fn all_elements<E, F>(expr: &E, op: &F) -> Result<F::Output, Error>
where
    E: Expr<Rank: Dimension>,
    F: Reduction<E::Elem>,
{
    if const { in_any_order::<E::Elem, F>() && E::IN_MEMORY }
        && let Some(view) = expr.in_memory()
        && !is_row_major(view.shape(), view.strides())
        && !view.is_empty()
        && let Some(slice) = view.as_slice_memory_order()
    {
        return all_elements(&crate::types::View::<_, Rank<1>>::from(slice), op);
    }
    let alike = Alike::find(expr);
    let flat = Flat::of::<E, F>(&alike);
    // So few elements are one block, and need no options but the instruction set.
    if const { !E::BUFFERS_WITHIN && !F::ENDS }
        && let Some(Flat { len: len @ ..=SMALL, run: Some(_) }) = flat
    {
        let total = fold_row(op, Exec::current_isa(), Alike::bind(expr, len).flat(), len);
        return op.finish(total, len);
    }
    if let Some((total, len)) = alike.first().and_then(|shape| total_of_line(expr, op, shape)) {
        return op.finish(total, len);
    }
    if const { E::IN_MEMORY }
        && let Some(view) = expr.in_memory()
        && view.strides().last() != Some(&1)
        && !is_row_major(view.shape(), view.strides())
        && !view.is_empty()
        && let Some(total) = total_apart(view, op)
    {
        return op.finish(total, view.len());
    }
    let exec = Exec::current();
    let total = match flat {
        Some(Flat { len, run: Some(run) }) => total_of_flat(expr, op, &exec, len, run)?,
        _ => None,
    };
    let total = total
        .or_else(|| total_of_rows(expr, op, &exec, alike.first()?))
        .or_else(|| total_of_copy(expr, op, &exec, alike.first()?));
    let total = match total {
        None => total_of_copies(expr, op, &exec)?,
        some => some,
    };
    if let Some((total, len)) = total {
        return op.finish(total, len);
    }
    let result = keeping::<true, _, _>(expr, op, &|shape| Ok((1 << shape.len()) - 1), &exec)?.0;
    Ok(*result.iter().next().expect("a reduction over all axes has one result"))
}

/// A total, and of how many elements it is.
type Total<T> = Option<(T, usize)>;

/// The elements of an expression whose arrays all lie alike.
struct Flat {
    len: usize,
    /// The elements of a block, if blocks follow each other in memory.
    run: Option<usize>,
}

impl Flat {
    #[inline(always)]
    fn of<E: Expr<Rank: Dimension>, F: Reduction<E::Elem>>(alike: &Alike<'_>) -> Option<Self> {
        let (shape, strides) = alike.layout()?;
        let len = shape.iter().product::<usize>();
        let follow = (1..=MOST_FLAT).contains(&len)
            && (is_row_major(shape, strides)
                || (in_any_order::<E::Elem, F>()
                    && Layout::<E::Rank>::without_gaps(shape, strides).is_some()));
        let run = if follow { run_of_block(shape, len) } else { None };
        Some(Flat { len, run })
    }
}

/// What a step costs, of an expression and its reduction.
const fn work<E: Expr, F: Reduction<E::Elem>>() -> usize {
    work_of(size_of::<E::Elem>(), E::COST + F::COST)
}

/// The total of elements that lie side by side, in blocks of `run`, if that is not worth threads.
#[inline(always)]
fn total_of_flat<E, F>(
    expr: &E,
    op: &F,
    exec: &Exec,
    len: usize,
    run: usize,
) -> Result<Total<F::Total>, Error>
where
    E: Expr<Rank: Dimension>,
    F: Reduction<E::Elem>,
{
    let isa = exec.isa;
    let serial = exec.tasks(len, work::<E, F>()) <= 1 && (!E::BUFFERS || len <= BUFFERED);
    if const { F::ENDS && !E::BUFFERS_WITHIN } {
        // Of what is worth threads only the first elements: all are looked at again.
        let most = if serial { len } else { SMALL.min(len) };
        let (total, ends) = total_to_end(expr, op, isa, len, most);
        if ends || most == len {
            return Ok(Some((total, len)));
        }
    }
    if len > SMALL && !serial {
        return Ok(None);
    }
    let total_of = |block| match len <= SMALL {
        true => fold_row(op, isa, block, len),
        false => fold_blocks(op, isa, block, len, run),
    };
    if const { !E::BUFFERS_WITHIN } {
        return Ok(Some((total_of(Alike::bind(expr, len).flat()), len)));
    }
    let mut source = Binding::flat(std::array::from_ref(&len), isa).bind(expr)?;
    Ok(Some((total_of(source.root(&Run::flat(len))), len)))
}

/// The total of a few elements along lines, each at its own distances.
#[inline(always)]
fn total_of_line<E, F>(expr: &E, op: &F, shape: &[usize]) -> Total<F::Total>
where
    E: Expr<Rank: Dimension>,
    F: Reduction<E::Elem>,
{
    let &[len] = shape else { return None };
    let most = most_few::<E::Elem>(E::COST + F::COST).min(most_of_line::<E, E::Rank>());
    if const { !F::JOINS || most_of_line::<E, E::Rank>() == 0 } || !(1..=most).contains(&len) {
        return None;
    }
    let line = in_line(expr, shape)?;
    // Made where it goes, as in `dot_of_spaced`.
    Some((fold_apart(op, Line(line.block()), len), len))
}

/// The total of a matrix whose rows each lie in one stretch, if it is not worth threads.
#[inline(always)]
fn total_of_rows<E, F>(expr: &E, op: &F, exec: &Exec, shape: &[usize]) -> Total<F::Total>
where
    E: Expr<Rank: Dimension>,
    F: Reduction<E::Elem>,
{
    if const { E::BUFFERS_WITHIN || !F::JOINS } {
        return None;
    }
    let (rows, each) = rows_of_blocks(shape)?;
    let len = rows.0 * rows.1;
    if exec.tasks(len, work::<E, F>()) > 1 {
        return None;
    }
    let source = in_rows(expr, shape)?;
    Some((fold_rows_apart(op, exec.isa, source.block(), rows, each), len))
}

/// The total of a few elements, of which what does not lie side by side is copied.
#[inline(always)]
fn total_of_copy<E, F>(expr: &E, op: &F, exec: &Exec, shape: &[usize]) -> Total<F::Total>
where
    E: Expr<Rank: Dimension>,
    F: Reduction<E::Elem>,
{
    let len = shape.iter().fold(1_usize, |len, &extent| len.saturating_mul(extent));
    if const { E::BUFFERS_WITHIN } || !(1..=SMALL).contains(&len) {
        return None;
    }
    let mut room = Few::new();
    let copies = copied(expr, shape, &mut room)?;
    Some((fold_row(op, exec.isa, copies.block(), len), len))
}

/// As [`total_of_copy`], of more elements than there is room for on the stack, as long as to plan
/// takes longer than the copies.
fn total_of_copies<E, F>(expr: &E, op: &F, exec: &Exec) -> Result<Total<F::Total>, Error>
where
    E: Expr<Rank: Dimension>,
    F: Reduction<E::Elem>,
{
    let mut tree = Tree::default();
    expr.describe(&mut tree);
    let Some((shape, len)) = tree.plain_shape(false) else { return Ok(None) };
    let few = len.saturating_mul(size_of::<E::Elem>()) <= FEW_BYTES
        && (!E::BUFFERS_WITHIN || len <= BUFFERED);
    match run_of_block(&shape, len) {
        Some(run) if few && exec.tasks(len, work::<E, F>()) <= 1 => {
            let mut source = Binding::copied(&shape, exec.isa).bind(expr)?;
            let block = source.root(&Run::flat(len));
            Ok(Some((fold_blocks(op, exec.isa, block, len, run), len)))
        }
        _ => Ok(None),
    }
}

/// The total of the first `most` of the `len` elements of an expression without buffers that lie
/// side by side, or of those up to where a total ends; and whether one does.
#[inline(never)]
fn total_to_end<E: Expr, F: Reduction<E::Elem>>(
    expr: &E,
    op: &F,
    isa: Isa,
    len: usize,
    most: usize,
) -> (F::Total, bool) {
    let mut source = Alike::bind(expr, len);
    let (mut from, mut piece) = (0, 64);
    let mut total = None;
    loop {
        let run = Run::part(from, piece.min(most - from), len);
        let next = fold_row(op, isa, source.root(&run), run.len);
        let all = total.map_or(next, |total| op.merge(total, next));
        from += run.len;
        if op.ends(all) || from == most {
            return (all, op.ends(all));
        }
        (total, piece) = (Some(all), (2 * piece).min(BLOCK_LEN));
    }
}

/// The most elements of a vector that are reduced without a plan: the totals of their blocks are
/// one block.
pub(super) const MOST_FLAT: usize = BLOCK_LEN * BLOCK_LEN;

/// Expressions of this cost, as closures are taken to have, are short enough to be part of the
/// caller.
const SHORT: usize = 64;

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
