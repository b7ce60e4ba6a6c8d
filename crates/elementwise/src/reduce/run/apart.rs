//! Totals of elements in memory that have gaps between them.

use super::total::{IN_PLACE, in_lanes, in_place, of_slice, run_of_block, slice_total};
use super::{SMALL, in_any_order};
use crate::eval::FEW_BYTES;
use crate::exec::{Exec, work_of};
use crate::kernel::{
    fold_apart, fold_blocks, fold_few, fold_lanes, fold_rows_apart, fold_square, most_few,
};
use crate::plan::LANES;
use crate::reduce::Reduction;
use crate::reduce::compiled::by_compiled;
use ndcore::{Dimension, Element, Few, Packed, Plane, Runs, Spaced, View, Window};

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
            let plane = view.plane()?;
            if let Some(window) = plane.window::<3>() {
                return Some(window_total(window, op));
            } else if let Some(window) = plane.window::<2>() {
                return Some(window_total(window, op));
            } else if let Some(window) = plane.window::<5>() {
                return Some(window_total(window, op));
            }
            by_compiled!(F::COMPILED, |compiled| (compiled.plane)(&plane), plane_total(&plane, op))
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

/// The total of few elements of a matrix, of a reduction that joins, unless there is no memory for
/// a copy. Where rows fill vectors, they are read where they are: what has just been copied would
/// be waited for.
// By reference, and each way a function by itself: with all of them, it would take as long to make
// room on the stack as to add up a few elements.
#[inline(never)]
pub fn plane_total<T: Element, F: Reduction<T>>(plane: &Plane<'_, T>, op: &F) -> Option<F::Total> {
    let (rows, columns) = plane.extents();
    if in_any_order::<T, F>()
        && let Some(slice) = plane.as_slice_of_columns()
    {
        return Some(slice_total(slice, op));
    }
    if (columns == 1 || plane.along() != 1)
        && let spaced @ Some(_) = plane.spaced()
        && let total @ Some(_) = spaced_total(spaced, op)
    {
        return total;
    }
    match columns {
        8 if rows <= few::<T, F>() / 8 && plane.along() == 1 => {
            Some(strip_total::<8, _, _>(plane, op))
        }
        4 if rows <= few::<T, F>() / 4 && plane.along() == 1 => {
            Some(strip_total::<4, _, _>(plane, op))
        }
        2 if rows <= few::<T, F>() / 2 && plane.along() == 1 => {
            Some(strip_total::<2, _, _>(plane, op))
        }
        LANES.. if plane.along() == 1 && columns % LANES == 0 => rows_total(plane, op),
        _ if rows * columns <= LANES => few_of_plane(plane, op),
        _ => copied_plane(plane, op),
    }
}

/// As [`plane_total`], of rows of `N`.
#[inline(never)]
fn strip_total<const N: usize, T: Element, F: Reduction<T>>(
    plane: &Plane<'_, T>,
    op: &F,
) -> F::Total {
    let strip = plane.strip::<N>().expect("rows of so many, as just seen");
    fold_few(op, strip, strip.len())
}

/// As [`plane_total`], of rows of unit stride that fill vectors.
#[inline(never)]
fn rows_total<T: Element, F: Reduction<T>>(plane: &Plane<'_, T>, op: &F) -> Option<F::Total> {
    let (rows, columns) = plane.extents();
    let isa = Exec::current_isa();
    Some(fold_rows_apart(op, isa, plane.runs()?, (rows, columns), rows))
}

/// As [`plane_total`], of no more elements than lanes.
#[inline(never)]
fn few_of_plane<T: Element, F: Reduction<T>>(plane: &Plane<'_, T>, op: &F) -> Option<F::Total> {
    let mut few = Few::<{ 16 * LANES }>::of_bytes();
    let (rows, columns) = plane.extents();
    let Some(slots) = few.slots(rows * columns) else { return copied_plane(plane, op) };
    let copy = plane.copy_to(slots)?;
    Some(fold_apart(op, &*copy, copy.len()))
}

/// As [`plane_total`], from a copy.
#[inline(never)]
fn copied_plane<T: Element, F: Reduction<T>>(plane: &Plane<'_, T>, op: &F) -> Option<F::Total> {
    let (rows, columns) = plane.extents();
    let (len, mut few, mut more) = (rows * columns, Few::new(), Packed::new());
    let copy = match few.slots(len) {
        Some(slots) => plane.copy_to(slots)?,
        None if !more.reserve(len) => return None,
        None => more.try_initialise(len, |slots| plane.copy_to(slots).ok_or(())).ok()?,
    };
    Some(of_slice(copy, op))
}

/// So many elements that lie apart take less time than the choice of an instruction set: they are
/// not loaded as vectors, whichever is chosen.
const fn few<T: Element, F: Reduction<T>>() -> usize {
    if F::COST == 1 { most_few::<T>(F::COST) } else { LANES }
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
    if F::JOINS
        && let Some(plane) = view.plane()
    {
        return by_compiled!(
            F::COMPILED,
            |compiled| (compiled.plane)(&plane),
            plane_total(&plane, op)
        );
    }
    if in_any_order::<T, F>()
        && let Some(slice) = view.as_slice_memory_order()
    {
        return Some(slice_total(slice, op));
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
