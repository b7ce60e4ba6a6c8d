//! Totals of elements in memory that have gaps between them.

use super::total::{IN_PLACE, in_lanes, in_place, run_of_block, slice_total};
use super::{SMALL, in_any_order};
use crate::eval::FEW_BYTES;
use crate::exec::{Exec, work_of};
use crate::kernel::{fold_apart, fold_blocks, fold_lanes, fold_square, most_few};
use crate::reduce::Reduction;
use ndcore::{Dimension, Element, Few, Packed, Runs, Spaced, View, Window};

/// The total of few elements that have gaps between them: where they lie, if that is at equal
/// distances, and else from a copy, unless there is no memory for it.
#[inline(always)]
pub(super) fn few_total<T: Element, R: Dimension, F: Reduction<T>>(
    view: View<'_, T, R, crate::Fused>,
    op: &F,
) -> Option<F::Total> {
    // What is common is told apart here, so that its view need not lie in memory.
    match R::NDIM {
        Some(1) => {
            let spaced = view.spaced();
            if const { in_place::<T, F>() }
                && let Some(spaced) = spaced
                && spaced.len() <= IN_PLACE
            {
                return Some(fold_apart(op, spaced, spaced.len()));
            }
            match spaced_total(spaced, op) {
                None => copied_total(view, op),
                total => total,
            }
        }
        Some(2) if F::JOINS => {
            if let Some(window) = view.window::<3>() {
                return Some(window_total(window, op));
            } else if let Some(window) = view.window::<2>() {
                return Some(window_total(window, op));
            } else if let Some(window) = view.window::<5>() {
                return Some(window_total(window, op));
            }
            total_with_gaps(view, op)
        }
        _ => total_with_gaps(view, op),
    }
}

/// The total of a small window: by a size that the compiler knows, because to find the elements
/// would take longest.
#[inline(never)]
fn window_total<const N: usize, T: Element, F: Reduction<T>>(
    window: Window<'_, T, N>,
    op: &F,
) -> F::Total {
    fold_square::<N, _, _>(op, window)
}

/// So many elements that lie apart take less time than the choice of an instruction set: they are
/// not loaded as vectors, whichever is chosen.
const fn few<T: Element, F: Reduction<T>>() -> usize {
    if F::COST == 1 { most_few::<T>(F::COST) } else { crate::plan::LANES }
}

/// The total of few elements that lie at equal distances, so few that a copy would take longer.
// Not one of those that are compiled with this crate: what is handed to a function that is not
// known here lies in memory, and is waited for.
#[inline(never)]
fn spaced_total<T: Element, F: Reduction<T>>(
    spaced: Option<Spaced<'_, T>>,
    op: &F,
) -> Option<F::Total> {
    let spaced = spaced?;
    let len = spaced.len();
    if in_lanes::<T, F>(len) {
        return Some(fold_lanes(op, spaced, len));
    }
    (F::JOINS && len <= few::<T, F>()).then(|| fold_apart(op, spaced, len))
}

/// As [`few_total`], of any rank.
#[inline(never)]
fn total_with_gaps<T: Element, R: Dimension, F: Reduction<T>>(
    view: View<'_, T, R, crate::Fused>,
    op: &F,
) -> Option<F::Total> {
    if in_any_order::<T, F>()
        && let Some(slice) = view.as_slice_memory_order()
    {
        return Some(slice_total(slice, op));
    }
    if F::JOINS && view.ndim() == 2 {
        if let Some(window) = view.window::<3>() {
            return Some(window_total(window, op));
        } else if let Some(window) = view.window::<4>() {
            return Some(window_total(window, op));
        }
    }
    match spaced_total(view.spaced(), op) {
        None => copied_total(view, op),
        total => total,
    }
}

/// The total of few elements that lie apart, from a copy, which takes no plan.
#[inline(never)]
pub(super) fn total_apart<T: Element, R: Dimension, F: Reduction<T>>(
    view: View<'_, T, R, crate::Fused>,
    op: &F,
) -> Option<F::Total> {
    let (exec, len) = (Exec::current(), view.len());
    if exec.tasks(len, work_of(size_of::<T>(), 1 + F::COST)) > 1 {
        return None;
    }
    if len <= SMALL {
        return copied_total(view, op);
    }
    let run = run_of_block(view.shape(), len)?;
    let mut copy = Packed::new();
    if len.saturating_mul(size_of::<T>()) > FEW_BYTES || !copy.reserve(len) {
        return None;
    }
    view.copy_row_major::<u8>(view.shape(), None, &mut copy);
    Some(fold_blocks(op, exec.isa, Runs::from(copy.as_slice()), (0, len), run))
}

/// The total of few elements from a copy.
#[inline(never)]
fn copied_total<T: Element, R: Dimension, F: Reduction<T>>(
    view: View<'_, T, R, crate::Fused>,
    op: &F,
) -> Option<F::Total> {
    let len = view.len();
    let mut few = Few::new();
    if let Some(copy) = view.copy_few::<u8>(view.shape(), None, &mut few.room()) {
        return Some(slice_total(copy, op));
    }
    let mut copy = Packed::new();
    if !copy.reserve(len) {
        return None;
    }
    view.copy_row_major::<u8>(view.shape(), None, &mut copy);
    Some(slice_total(copy.as_slice(), op))
}
