//! [`View`] and [`ViewMut`]: from numbers to memory. All pointers of the crate are dereferenced
//! in this folder.
//!
//! Invariants, cited by the proofs:
//! * I1: the layout of a view reaches only `0..len` of the memory at `data` (checked in O(rank)
//!   whenever a view is made, but for those of one index of another view, and its halves).
//! * I2: for `'a`, the elements that a view's layout reaches are initialised; those of a [`View`]
//!   are written by nobody, those of a [`ViewMut`] are reached by nobody else. A view made from
//!   another one reaches a subset of its elements, because every operation of `layout.rs` keeps to
//!   the places of the layout it starts from.
//! * I3: the layout of a [`ViewMut`] reaches no element by two indices.
//! * I4: the first `len` elements of a [`Packed`] are initialised.
//! * I8: the layout of a view reaches the elements of a [`Spaced`] or a [`Plane`].
//! * I9: a slice, or the layout of a view, reaches the elements of each run of a [`Runs`]; of runs
//!   that are gathered, those of one are in a buffer.
//! * I11: nobody else reaches the buffer of a [`Gather`].
//! * I12: for as long as a [`Room`] has been lent, what it remembers lies there: so many values of
//!   that type, which nobody writes.
//! * I10: the elements of each row of a [`RowsMut`] or a [`LinesMut`] are in bounds, reached by
//!   nobody else, and by no two rows.
//! * I7: the layout of an `Array` reaches only its buffer, and no element of it twice (checked
//!   whenever an array is made of a layout; where a buffer changes its length, in `grow.rs`, the
//!   layout reaches none of what goes).

use crate::dimension::Dimension;
use crate::layout::Layout;

mod cloned;
mod complex;
mod copies;
mod lines_mut;
mod memory;
mod nested;
mod pack;
mod packed;
mod part;
mod pointers;
mod rows_mut;
mod runs;
mod slabs;
mod spaced;
mod unit;
mod view;
mod view_mut;

pub use lines_mut::LinesMut;
pub(crate) use memory::Memory;
pub use nested::{Dim, Nested};
pub use packed::{Few, Packed, Room};
pub use part::{Filled, Part, fill_rows};
pub use rows_mut::RowsMut;
pub use runs::{Fill, Gather, Runs, Starts};
pub use slabs::{Rows, SLABS};
pub use spaced::{Plane, Spaced, Strip, Window};
pub(crate) use unit::has_unit;

use std::marker::PhantomData;

/// A borrowed array: elements that lie in someone else's memory, by a [`Layout`]. `Copy`, as `&[T]`
/// is.
///
/// Whatever is derived from a `View<'a>` lives as long as `'a`, not as long as the view.
///
/// ```
/// use ndcore::{View1, View2, s};
/// fn last_row(data: &[f32]) -> View1<'_, f32> {
///     let matrix = View2::from_slice([2, 3], data).unwrap();
///     matrix.slice(s![-1, ..]).unwrap() // outlives `matrix`
/// }
/// assert_eq!(last_row(&[1., 2., 3., 4., 5., 6.]).to_vec(), [4., 5., 6.]);
/// ```
#[must_use = "the array itself stays as it is: `let b = a.swap_axes(0, 1)?`"]
pub struct View<'a, T, R: Dimension, E = ()> {
    memory: Memory<'a, T>,
    layout: Layout<R>,
    engine: PhantomData<fn() -> E>,
}

/// A mutably borrowed array, as `&mut [T]` is a mutably borrowed slice.
///
/// ```
/// use ndcore::{Array2, s};
/// let mut a = Array2::full([2, 3], 0);
/// a.slice_mut(s![.., 1]).unwrap().fill(7);
/// assert_eq!(a.to_vec(), [0, 7, 0, 0, 7, 0]);
/// ```
#[must_use = "the array itself stays as it is: `let b = a.swap_axes(0, 1)?`"]
pub struct ViewMut<'a, T, R: Dimension, E = ()> {
    memory: Memory<'a, T>,
    layout: Layout<R>,
    engine: PhantomData<fn() -> E>,
    exclusive: PhantomData<&'a mut [T]>,
}

copied! {
    [T, R: Dimension, E] View<'_, T, R, E>;
}
