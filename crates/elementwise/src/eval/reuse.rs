//! Results in the memory of an array that the expression owns.

use super::assign::slots;
use super::ways::{Tiny, bytes_here, isa_if_serial};
use super::{To, fill, result_layout};
use crate::exec::{Exec, work_of};
use crate::expr::{Alike, Borrowed, Expr, Owned, Tree};
use crate::kernel::{self, Run, Source, Write};
use crate::types::Array;
use bcast::Error;
use ndcore::{Dimension, Layout, Packed};

/// The least bytes of a result that is computed in the memory of an operand, of those that are more
/// than few: fewer lie in a cache in other memory, too, and pieces are copied.
pub(super) const REUSED_BYTES: usize = 1 << 17;

/// The same if that takes a plan: runs are copied before they are written then, and what a cache
/// holds is computed sooner in other memory.
const REUSED_BY_PLAN: usize = 1 << 20;

/// The bytes of the largest array that an expression owns, of those that may become the result.
#[inline(always)]
pub(super) fn owned_bytes<E>(expr: &mut E) -> usize
where
    E: Expr<Rank: Dimension>,
{
    let mut bytes = 0;
    expr.owned(&mut |owned| {
        if let Some(owned) = owned.downcast_mut::<Owned<E::Elem, E::Rank>>() {
            bytes = bytes.max(owned.bytes());
        }
    });
    bytes
}

/// As [`eval_reusing`], of so few elements that they are computed as part of the caller, all of
/// them before the first is stored: to get memory takes longer than to compute them.
#[inline(always)]
pub(super) fn eval_few_reusing<E>(expr: &mut E) -> Option<Array<E::Elem, E::Rank>>
where
    E: Expr<Rank: Dimension>,
{
    if const { !E::FACTS.alike || E::FACTS.buffers_within || bytes_here::<E>() == 0 } {
        return None;
    }
    let alike = Alike::find(&*expr);
    let (shape, strides) = alike.layout()?;
    let len = shape.iter().product::<usize>();
    if len == 0 || len.saturating_mul(size_of::<E::Elem>()) > const { bytes_here::<E>() } {
        return None;
    }
    let layout = Layout::<E::Rank>::without_gaps(shape, strides)?;
    let lies = (layout.shape(), layout.strides());
    // Before anything is computed: closures are called once for each element.
    if !owns_one_that_lies(expr, lies) {
        return None;
    }
    let mut room = Tiny::of_bytes();
    let values = kernel::compute_here(room.slots(len)?, Alike::bind(expr, len).flat());
    let mut found = None;
    expr.owned(&mut |owned| {
        if let (None, Some(owned)) = (&found, owned.downcast_mut::<Owned<_, E::Rank>>())
            && owned.overwrite(lies, 0, values)
        {
            found = owned.give(lies.0, lies.1);
        }
    });
    found
}

/// Whether an expression owns an array of this shape and these strides, which may become the
/// result.
#[inline(always)]
fn owns_one_that_lies<E>(expr: &mut E, (shape, strides): (&[usize], &[isize])) -> bool
where
    E: Expr<Rank: Dimension>,
{
    let mut found = false;
    expr.owned(&mut |owned| {
        let owned = owned.downcast_ref::<Owned<E::Elem, E::Rank>>();
        found |= owned.is_some_and(|owned| owned.lies(shape, strides));
    });
    found
}

/// Computes an expression in the memory of an array that it owns, if one lies as the result does.
#[inline(never)]
pub(super) fn eval_reusing<E>(expr: &mut E) -> Option<Result<Array<E::Elem, E::Rank>, Error>>
where
    E: Expr<Rank: Dimension>,
{
    if let Some(array) = eval_in_pieces(expr) {
        return Some(Ok(array));
    }
    if owned_bytes(expr) < REUSED_BY_PLAN {
        return None;
    }
    let tree = Tree::of(expr);
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
    let filled =
        fill(&To(Borrowed(&*expr), &Write), &operands, slots(out).into_dyn(), &exec).map(drop);
    Some(filled.map(|()| array))
}

/// As [`eval_reusing`], of arrays that lie alike, without buffers, and not worth threads: pieces of
/// the result, each of which is copied to the array that the expression owns when all of it has
/// been read. That takes no plan.
fn eval_in_pieces<E>(expr: &mut E) -> Option<Array<E::Elem, E::Rank>>
where
    E: Expr<Rank: Dimension>,
{
    /// A piece, and what is read for it, stay in the nearest cache.
    const PIECE_BYTES: usize = 1 << 14;
    if const { E::FACTS.buffers_within } {
        return None;
    }
    let (shape, strides) = Alike::find(&*expr).layout()?;
    let layout = Layout::<E::Rank>::without_gaps(shape, strides)?;
    let (len, work) = (layout.size(), work_of(size_of::<E::Elem>(), E::FACTS.cost));
    let isa = isa_if_serial(len, work)?;
    if !owns_one_that_lies(expr, (layout.shape(), layout.strides())) {
        return None;
    }
    let piece = (PIECE_BYTES / size_of::<E::Elem>().max(1)).max(1);
    let mut buffer = Packed::<E::Elem>::new();
    if !buffer.reserve(piece.min(len)) {
        return None;
    }
    for from in (0..len).step_by(piece) {
        let (count, mut source) = (piece.min(len - from), Alike::bind(expr, len));
        let root = source.root(&Run::part(from, count, len));
        let values = buffer.initialise(count, |slots| kernel::compute(isa, slots, root));
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
