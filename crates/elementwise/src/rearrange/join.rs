//! Arrays side by side.

use super::{check_axis, refuse};
use crate::eval::write;
use crate::exec::Exec;
use crate::help;
use crate::kernel::Write;
use crate::types::{Array, View, ViewMut};
use bcast::Error;
use ndcore::{
    Dimension, Element, Filled, IntoAxis, Layout, LayoutErrorKind, List, reserved_for_array,
};
use std::mem::MaybeUninit;

/// A piece of fewer bytes is copied without a plan.
const PIECE: usize = 1 << 14;

/// Fills slots with pieces side by side along an axis, whose extents add up to that of the slots.
fn fill_joined<'b, T: Element, R: Dimension>(
    slots: ViewMut<'b, MaybeUninit<T>, R>,
    axis: usize,
    pieces: &[View<'_, T, R>],
    exec: &Exec,
) -> Result<Filled<'b>, Error> {
    match pieces {
        [] => return Ok(slots.filled_without_elements()),
        [piece] if piece.len() * size_of::<T>() < PIECE => return Ok(slots.fill_from(piece)),
        [piece] => return write(&piece.as_dyn(), &Write, slots.into_dyn(), exec),
        _ => {}
    }
    let (low, high) = pieces.split_at(pieces.len() / 2);
    let mid = low.iter().map(|piece| piece.shape()[axis]).sum();
    let parallel = exec.tasks(slots.shape().iter().product(), size_of::<T>()) > 1;
    let (low_slots, high_slots) = slots.split_at(axis, mid)?;
    let low = || fill_joined(low_slots, axis, low, exec);
    let high = || fill_joined(high_slots, axis, high, exec);
    let (low, high) = if parallel { help::join(low, high) } else { (low(), high()) };
    Ok(low?.join(high?))
}

/// A new array of pieces side by side along an axis. It is in row-major order, unless all of them
/// are in column-major order.
pub(super) fn joined<T: Element, R: Dimension>(
    mut shape: R::Shape,
    axis: usize,
    pieces: &[View<'_, T, R>],
) -> Result<Array<T, R>, Error> {
    let extents = pieces.iter().map(|piece| piece.shape()[axis]);
    let extent = extents.clone().try_fold(0_usize, usize::checked_add);
    let Some(extent) = extent else {
        return refuse(LayoutErrorKind::SizeOverflow { shape: extents.collect() });
    };
    shape.as_mut()[axis] = extent;
    let column_major = |piece: &View<'_, T, R>| {
        piece.layout().is_f_contiguous() && !piece.layout().is_c_contiguous()
    };
    let layout = if !pieces.is_empty() && pieces.iter().all(column_major) {
        Layout::f_order(shape)?
    } else {
        Layout::c_order(shape)?
    };
    let exec = Exec::current();
    if layout.is_c_contiguous()
        && layout.size() <= IN_TURN
        && exec.tasks(layout.size(), size_of::<T>()) <= 1
        && let Some(array) = joined_in_turn(layout, axis, pieces)
    {
        return array;
    }
    Array::build(layout, |slots| fill_joined(slots, axis, pieces, &exec))
}

/// The most elements that are joined one piece of memory after the other.
pub(super) const IN_TURN: usize = 1 << 15;

/// As [`joined`], of pieces in row-major order, whose parts follow each other in the result. `None`
/// if they lie otherwise.
fn joined_in_turn<T: Element, R: Dimension>(
    layout: Layout<R>,
    axis: usize,
    pieces: &[View<'_, T, R>],
) -> Option<Result<Array<T, R>, Error>> {
    let (outer, inner) = layout.shape().split_at(axis);
    let outer: usize = outer.iter().product();
    let inner: usize = inner[1..].iter().product();
    // Each part has to be worth a copy.
    if outer > 1 && layout.size() < 4 * outer * pieces.len() {
        return None;
    }
    let mut data = match reserved_for_array(layout.size(), layout.shape()) {
        Ok(data) => data,
        Err(error) => return Some(Err(error.into())),
    };
    for number in 0..outer {
        for piece in pieces {
            let len = piece.shape()[axis] * inner;
            data.extend_from_slice(&piece.as_slice()?[number * len..][..len]);
        }
    }
    Some(Array::from_layout_vec(layout, data).map_err(Error::from))
}

/// That arrays have the same extents but along an axis.
fn check_joinable<T: Element, R: Dimension>(
    axis: usize,
    arrays: &[View<'_, T, R>],
    along: Option<usize>,
) -> Result<(), Error> {
    let Some((first, rest)) = arrays.split_first() else {
        return refuse(LayoutErrorKind::NothingToJoin { axis });
    };
    for (number, array) in rest.iter().enumerate() {
        let mut extents = first.shape().iter().zip(array.shape()).enumerate();
        let same = extents.all(|(other, (a, b))| a == b || along == Some(other));
        if !same || first.ndim() != array.ndim() {
            return refuse(LayoutErrorKind::JoinShape {
                axis,
                array: number + 1,
                expected: List::of(&first.shape()),
                found: List::of(&array.shape()),
            });
        }
    }
    Ok(())
}

/// Arrays side by side along an axis that they have; the other extents are equal.
///
/// The macro [`concatenate!`](crate::concatenate!) takes arrays and views of any kind.
///
/// # Errors
/// If there are no arrays ([`NothingToJoin`](LayoutErrorKind::NothingToJoin)), no such axis, or
/// arrays that do not fit each other ([`JoinShape`](LayoutErrorKind::JoinShape)).
///
/// ```
/// use elementwise::{Axis, array, concatenate};
/// let (a, b) = (array![[1, 2], [3, 4]], array![[5, 6]]);
/// assert_eq!(concatenate(0, &[a.view(), b.view()])?, array![[1, 2], [3, 4], [5, 6]]);
/// assert_eq!(concatenate![Axis(1), a, b.t(), a]?.shape(), [2, 5]);
/// assert_eq!(
///     concatenate(1, &[a.view(), b.view()]).unwrap_err().to_string(),
///     "array 1 of shape [1, 2] cannot be joined to one of shape [2, 2] along axis 1: \
///      all other extents must be equal"
/// );
/// # Ok::<(), elementwise::Error>(())
/// ```
pub fn concatenate<T: Element, R: Dimension>(
    axis: impl IntoAxis,
    arrays: &[View<'_, T, R>],
) -> Result<Array<T, R>, Error> {
    let axis = axis.into_axis();
    check_joinable(axis, arrays, Some(axis))?;
    let first = &arrays[0];
    check_axis(axis, first.shape())?;
    joined(first.dim(), axis, arrays)
}

/// Arrays of one shape one after the other along a new axis.
///
/// The macro [`stack!`](crate::stack!) takes arrays and views of any kind.
///
/// # Errors
/// If there are no arrays ([`NothingToJoin`](LayoutErrorKind::NothingToJoin)), the new axis is
/// beyond the end, or shapes differ ([`JoinShape`](LayoutErrorKind::JoinShape)).
///
/// ```
/// use elementwise::{Axis, array, stack};
/// let (a, b) = (array![1, 2, 3], array![4, 5, 6]);
/// assert_eq!(stack(0, &[a.view(), b.view()])?, array![[1, 2, 3], [4, 5, 6]]);
/// assert_eq!(stack![Axis(1), a, b]?, array![[1, 4], [2, 5], [3, 6]]);
/// # Ok::<(), elementwise::Error>(())
/// ```
pub fn stack<T: Element, R: Dimension>(
    axis: impl IntoAxis,
    arrays: &[View<'_, T, R>],
) -> Result<Array<T, R::Larger>, Error> {
    let axis = axis.into_axis();
    check_joinable(axis, arrays, None)?;
    let pieces =
        arrays.iter().map(|array| array.insert_axis(axis)).collect::<Result<Vec<_>, _>>()?;
    joined(pieces[0].dim(), axis, &pieces)
}

/// [`concatenate`](crate::concatenate()) of arrays and views, by name: `concatenate![axis, a, b]`.
#[macro_export]
macro_rules! concatenate {
    ($axis:expr, $($array:expr),+ $(,)?) => {
        $crate::concatenate($axis, &[$($crate::View::from(&$array)),+])
    };
}

/// [`stack`](crate::stack()) of arrays and views, by name: `stack![axis, a, b]`.
#[macro_export]
macro_rules! stack {
    ($axis:expr, $($array:expr),+ $(,)?) => {
        $crate::stack($axis, &[$($crate::View::from(&$array)),+])
    };
}

pub(super) fn roll<T: Element, R: Dimension>(
    view: View<'_, T, R>,
    axis: usize,
    shift: isize,
) -> Result<Array<T, R>, Error> {
    check_axis(axis, view.shape())?;
    let extent = view.shape()[axis];
    let by = (shift as i128).rem_euclid((extent as i128).max(1)) as usize;
    let (low, high) = view.split_at(axis, extent - by)?;
    joined(view.dim(), axis, &[high, low])
}
