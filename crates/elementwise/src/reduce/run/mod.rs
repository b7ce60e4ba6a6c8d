//! From an expression and a reduction to memory.
//!
//! What is reduced is read from memory: what is no array, nor one of the few
//! [forms](crate::expr::Form) that are folded as they are read, is computed for that, by one of
//! these: few elements on the stack; what lies alike piece by piece, where a plan reads it
//! ([`Pieces`](crate::expr::Pieces)); anything else as a whole if that stays in a cache, and slab
//! by slab if not (`slabs`). So all of this is compiled once for each type of elements, and not for
//! each expression.
//!
//! Any elements are reduced by a plan (`planned`): the totals of blocks are its output, and if a
//! result has several, they are reduced by the same means until one is left. What is small, or lies
//! in one stretch, is told apart first, and folded without a plan to the same bits: all elements in
//! `total`, elements with gaps between them in `apart`, products of two lists in `products`, results
//! along some axes in `along`, and around axes between those in `between`. Each of these is a list of
//! ways, the cheapest to enter first. Before them, some sums are computed in the type of the
//! elements (`own_type`).
//!
//! Accumulators too large for kernels go their own way (`large`).
//!
//! What depends on no types but those of the elements and the totals is what
//! [`Compiled`](super::Compiled) lists: it is found there, if there is a list, or else compiled in
//! the caller's crate.

mod along;
mod apart;
mod between;
mod large;
mod own_type;
mod planned;
#[cfg(feature = "matmul")]
mod products;
mod slabs;
mod total;

pub use along::{Put, along, along_computed, along_usual, of_rows, without};
#[cfg(feature = "matmul")]
pub use along::{is_windows, results_of_totals};
pub use apart::plane_total;
pub use between::{Between, of_between};
pub use own_type::OwnType;
use planned::Results;
pub use planned::{Extents, explain, keeping, results, totals};
#[cfg(feature = "matmul")]
pub use products::{
    MOST_OF_DOT, dot_of, dot_of_few, dot_of_many_spaced, dot_of_spaced, dots_of, total_of_lists,
};
pub(super) use total::slice_total;
pub use total::{all, all_elements, all_of, all_usual, of_slice, total_computed};

use super::Reduction;
use crate::eval::{FEW_BYTES, Makes, computed_by, stretched, tree_of};
use crate::expr::{Alike, Bindable, Form, Pieces};
use crate::plan::LANES;
use crate::types::Array;
use bcast::Error;
use ndcore::{Dimension, Dyn, Element};

/// Of what is no array, elements of so many bytes are computed before they are reduced: they stay
/// in a cache until then.
const MOST_COMPUTED: usize = 1 << 20;

/// The bytes of what is computed at a time to be folded at once: with what it is computed from,
/// they stay in the nearest cache.
const PIECE_BYTES: usize = 1 << 13;

/// So many elements.
const fn pieces_of<T>() -> usize {
    let size = size_of::<T>();
    let some = PIECE_BYTES / if size > 0 { size } else { 1 };
    if some < LANES { LANES } else { some / LANES * LANES }
}

/// The elements of what is no array, if they are few enough to be computed before they are reduced,
/// and not piece by piece.
// Not inlined: once for each type of elements.
#[inline(never)]
fn computed_before<T: Element, R: Dimension>(
    pass: &Makes<'_, T>,
    alike: &Alike<'_>,
    form: Form,
) -> Result<Option<Array<T, R>>, Error> {
    if !form.is_folded() && worth_pieces(alike).is_some() {
        return Ok(None);
    }
    // Extents of 1 of the first array may stretch, and under NumPy's rule its rank.
    let known = alike.layout().map(|(shape, _)| shape).or_else(|| {
        let typed = |shape: &&[usize]| R::NDIM == Some(shape.len()) && !shape.contains(&1);
        alike.first().filter(typed)
    });
    let stretched = if known.is_none() { stretched::<_, R>(pass, alike.first()) } else { None };
    let few = match known.or(stretched.as_deref()) {
        Some(shape) => is_computed_before::<T>(shape, most_computed(form)),
        None => is_computed_before::<T>(&tree_of(pass).shape()?, most_computed(form)),
    };
    match (few, &stretched) {
        (false, _) => Ok(None),
        (true, None) => computed_by(pass, alike).map(Some),
        (true, Some(shape)) => computed_by(pass, &alike.stretched_to(shape)).map(Some),
    }
}

/// The axes of a shape that are reduced, as bits.
pub type AxesOf<'a> = &'a dyn Fn(&[usize]) -> Result<u32, Error>;

/// An expression that is no array, nor folded as it is read, without its type.
#[derive(Clone, Copy)]
pub struct Computed<'a, T: Element> {
    pass: &'a dyn Bindable<T>,
    alike: Alike<'a>,
    /// What an element costs.
    cost: usize,
}

impl<'a, T: Element> Computed<'a, T> {
    /// It as an array of which pieces are computed where it is read, if it is worth it.
    fn in_pieces(&self) -> Option<Pieces<'a, T>> {
        Some(Pieces::new(self.pass, worth_pieces(&self.alike)?))
    }

    /// All of its elements.
    fn whole(&self) -> Result<Array<T, Dyn>, Error> {
        computed_by(self.pass, &self.alike)
    }
}

/// The shape and the strides of all arrays of an expression, if it is computed piece by piece while
/// it is reduced.
fn worth_pieces<'a>(alike: &Alike<'a>) -> Option<(&'a [usize], &'a [isize])> {
    let (shape, strides) = alike.layout()?;
    let len = shape.iter().product::<usize>();
    (len > LEAST_OF_PIECES && is_row_major(shape, strides)).then_some((shape, strides))
}

/// So many elements take less time as a whole.
const LEAST_OF_PIECES: usize = 1 << 14;

/// The most bytes of an expression that is computed as a whole before it is reduced.
fn most_computed(form: Form) -> usize {
    match form {
        Form::Array => 0,
        form if form.is_folded() => FEW_BYTES,
        _ => MOST_COMPUTED,
    }
}

/// Whether an expression of this shape is.
fn is_computed_before<T>(shape: &[usize], most: usize) -> bool {
    let bytes = |bytes: usize, &extent| bytes.saturating_mul(extent);
    most > 0 && shape.iter().fold(size_of::<T>().max(1), bytes) <= most
}

/// The most elements that are not worth threads, whatever is computed of them.
pub(super) const SMALL: usize = 1 << 10;

/// Whether it does not matter in which order the elements are taken.
const fn in_any_order<T: Element, F: Reduction<T>>() -> bool {
    F::EXACT && F::JOINS
}

/// Whether elements lie in row-major order, without gaps.
#[inline]
pub fn is_row_major(shape: &[usize], strides: &[isize]) -> bool {
    let mut below = 1;
    for (&extent, &stride) in shape.iter().zip(strides).rev() {
        if extent != 1 && stride != below {
            return false;
        }
        below *= extent as isize;
    }
    true
}
