//! From an expression and a reduction to memory.
//!
//! Any expression is reduced by a plan (`planned`): the totals of blocks are its output, and if a
//! result has several, they are reduced by the same means until one is left. What is small, or lies
//! in one stretch, is told apart first, and folded without a plan to the same bits: all elements in
//! `total`, elements with gaps between them in `apart`, products of two lists in `products`, and
//! results along some axes in `along`. Each of these is a list of ways, the cheapest to enter first.

mod along;
mod apart;
mod planned;
#[cfg_attr(not(feature = "matmul"), allow(dead_code))]
mod products;
mod total;

#[cfg(feature = "matmul")]
pub use along::append_results;
pub use along::{along, along_usual, without};
pub use planned::{Extents, explain, results, totals};
#[cfg(feature = "matmul")]
pub use products::{MOST_OF_DOT, dot_of, dot_of_spaced, dots_of};
pub(super) use total::slice_total;
pub use total::{all, all_of, all_usual};

use super::Reduction;

/// Fewer bytes of elements whose operation at the root has rare arguments are computed before they
/// are reduced: one loop computes them by vectors, and another one adds them, where both in one
/// take several times as long.
const COMPUTED_BEFORE: usize = 1 << 20;

/// Whether so many elements are.
#[inline(always)]
fn is_computed_before<T>(len: usize) -> bool {
    len.saturating_mul(size_of::<T>()) <= COMPUTED_BEFORE
}

/// The most elements that are not worth threads, whatever is computed of them.
pub(super) const SMALL: usize = 1 << 10;

/// Whether it does not matter in which order the elements are taken.
const fn in_any_order<T, F: Reduction<T>>() -> bool {
    F::EXACT && F::JOINS
}

/// Whether elements lie in row-major order, without gaps.
#[inline]
pub(super) fn is_row_major(shape: &[usize], strides: &[isize]) -> bool {
    let mut below = 1;
    for (&extent, &stride) in shape.iter().zip(strides).rev() {
        if extent != 1 && stride != below {
            return false;
        }
        below *= extent as isize;
    }
    true
}
