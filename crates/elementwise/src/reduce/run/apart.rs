//! Totals of elements in memory that have gaps between them.

use super::total::{run_of_block, slice_total};
use super::{SMALL, in_any_order};
use crate::eval::FEW_BYTES;
use crate::exec::{Exec, work_of};
use crate::kernel::{fold_apart, fold_blocks, fold_row, most_few};
use crate::reduce::Reduction;
use ndcore::{Dimension, Element, Few, Packed, Spaced, View, Window};

/// The total of few elements that have gaps between them: where they lie, if that is at equal
/// distances, and else from a copy, unless there is no memory for it.
#[inline(always)]
pub(super) fn few_total<T: Element, R: Dimension, F: Reduction<T>>(
    view: View<'_, T, R, crate::Fused>,
    op: &F,
) -> Option<F::Total> {
    // What is common is told apart here, so that its view need not lie in memory.
    match R::NDIM {
        Some(1) => view.spaced().map(|spaced| spaced_total(spaced, op)),
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
    fold_apart(op, window, N * N)
}

/// So many elements that lie apart take less time than the choice of an instruction set: they are
/// not loaded as vectors, whichever is chosen.
const fn few<T, F: Reduction<T>>() -> usize {
    if F::COST == 1 { most_few::<T>(F::COST) } else { crate::plan::LANES }
}

/// The total of few elements that lie at equal distances.
#[inline(never)]
fn spaced_total<T: Element, F: Reduction<T>>(spaced: Spaced<'_, T>, op: &F) -> F::Total {
    match F::JOINS && spaced.len() <= few::<T, F>() {
        true => fold_apart(op, spaced, spaced.len()),
        false => fold_row(op, Exec::current_isa(), spaced, spaced.len()),
    }
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
    match view.spaced() {
        Some(spaced) => Some(spaced_total(spaced, op)),
        None => copied_total(view, op),
    }
}

/// The total of elements that lie apart, if that takes no plan: of such as lie at small and equal
/// distances, where they are; of few others, from a copy.
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
    if let Some(spaced) = view.spaced()
        && spaced.distance().saturating_mul(size_of::<T>()) <= NEAR_BYTES
    {
        return Some(fold_blocks(op, exec.isa, spaced, len, run));
    }
    let mut copy = Packed::new();
    if len.saturating_mul(size_of::<T>()) > FEW_BYTES || !copy.reserve(len) {
        return None;
    }
    view.copy_row_major::<u8>(view.shape(), None, &mut copy);
    Some(fold_blocks(op, exec.isa, copy.as_slice(), len, run))
}

/// Elements within so many bytes of each other share cache lines.
const NEAR_BYTES: usize = 32;

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
