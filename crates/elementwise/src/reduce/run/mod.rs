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
use crate::eval::{BUFFERED, eval_by};
use crate::exec::Exec;
use crate::expr::{Alike, Apply, Borrowed, Expr};
use crate::ops::Op;
use crate::types::Array;
use bcast::Error;
use ndcore::{Dimension, Element};

/// What the elements of an expression are, as an operation: so what it is done to is an operand, and
/// goes through a buffer if its results do.
struct Unchanged;

impl<T: Element> Op<T> for Unchanged {
    type Output = T;
    const COST: usize = 0;
    const NAME: Option<&'static str> = Some("unchanged");

    #[inline(always)]
    fn apply(&self, value: T) -> T {
        value
    }
}

/// An expression as it is reduced if its operation at the root has rare arguments: one loop computes
/// elements by vectors, into a buffer, and another one adds them, where both in one take several
/// times as long, to compile too.
#[inline(always)]
fn buffered<E: Expr>(expr: &E) -> Apply<Unchanged, Borrowed<'_, E>> {
    Apply::new(Unchanged, Borrowed(expr))
}

/// Whether the results of such an operation are more than a buffer holds, and few enough to be computed
/// before they are reduced, which threads share better: the shape and strides of them then.
fn is_computed_before<E: Expr>(expr: &E) -> Option<(&[usize], &[isize])> {
    const MOST_BYTES: usize = 1 << 20;
    let (shape, strides) = Alike::find(expr).layout()?;
    let len = shape.iter().product::<usize>();
    let some = len > BUFFERED && len.saturating_mul(size_of::<E::Elem>()) <= MOST_BYTES;
    some.then_some((shape, strides))
}

/// The results, if they are.
fn computed_before<E>(expr: &E, exec: &Exec) -> Result<Option<Array<E::Elem, E::Rank>>, Error>
where
    E: Expr<Rank: Dimension>,
{
    is_computed_before(expr).map(|_| eval_by(expr, exec)).transpose()
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
