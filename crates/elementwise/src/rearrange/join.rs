//! Arrays side by side.

use super::{check_axis, refuse};
use crate::eval::write;
use crate::exec::Exec;
use crate::help;
use crate::kernel::Write;
use crate::types::{Array, View, ViewMut};
use bcast::Error;
use ndcore::{
    Axes, Dimension, Element, Filled, IntoAxis, LINE, Layout, LayoutErrorKind, List, reserved,
    reserved_for_array,
};
use std::mem::MaybeUninit;

/// A piece of fewer bytes is copied without a plan.
const PIECE: usize = 1 << 15;

/// The bytes of a band: they stay in a first-level cache while one piece after the other puts a
/// few bytes into each line of it, or in a second-level one while they are turned.
const BAND: usize = 1 << 14;
const TURNED_BAND: usize = 1 << 19;

/// Fewer elements of a piece take longer to be cut off than to come from memory.
const LEAST_OF_PIECE: usize = 1 << 6;

/// More pieces take longer to put a few bytes at a time than side by side, and all at once from
/// there.
const FEW_PIECES: usize = 8;

/// The axis across which slots of this layout are cut into bands for pieces along an axis: the
/// outermost one. `None`, if there is none outside of that along which they lie: then the pieces
/// follow each other.
fn across_bands<R: Dimension>(layout: &Layout<R>, axis: usize) -> Option<usize> {
    let (shape, strides) = (layout.shape(), layout.strides());
    let outside = |&other: &usize| shape[other] > 1 && strides[other] > strides[axis];
    (0..shape.len()).filter(outside).max_by_key(|&other| strides[other])
}

/// The most bytes that one of several pieces has side by side in slots of this layout, if that is
/// few: put there as a whole, each of the pieces would have all lines come from memory.
fn narrow<T: Element, R: Dimension>(
    layout: &Layout<R>,
    axis: usize,
    pieces: &[View<'_, T, R>],
) -> Option<usize> {
    let widest = pieces.iter().map(|piece| piece.shape()[axis]).max().filter(|_| pieces.len() > 1);
    let run = widest?.saturating_mul(layout.strides()[axis].unsigned_abs());
    let bytes = run.saturating_mul(size_of::<T>());
    (bytes <= 4 * LINE && across_bands(layout, axis).is_some()).then_some(bytes)
}

/// Fills slots with a view of the same shape.
fn fill<'b, T: Element, R: Dimension>(
    slots: ViewMut<'b, MaybeUninit<T>, R>,
    piece: &View<'_, T, R>,
    exec: &Exec,
) -> Result<Filled<'b>, Error> {
    match piece.len() * size_of::<T>() < PIECE {
        true => Ok(slots.fill_from(piece)),
        false => write(&piece.as_dyn(), &Write, slots.into_dyn(), exec),
    }
}

/// As [`fill_joined`], of pieces that are [`narrow`], band by band; `turned`, if they are put side
/// by side before.
fn fill_narrow<'b, T: Element, R: Dimension>(
    slots: ViewMut<'b, MaybeUninit<T>, R>,
    axis: usize,
    pieces: &[View<'_, T, R>],
    turned: bool,
    exec: &Exec,
) -> Result<Filled<'b>, Error> {
    let (len, band) = (slots.layout().size(), if turned { TURNED_BAND } else { BAND });
    let across = across_bands(slots.layout(), axis);
    let fits = len.saturating_mul(size_of::<T>()) <= band;
    let Some(across) = across.filter(|_| !fits && len / pieces.len() >= 2 * LEAST_OF_PIECE) else {
        return match turned && across.is_some() {
            true => fill_turned(slots, axis, pieces, exec),
            false => fill_one_by_one(slots, axis, pieces, exec),
        };
    };
    let (count, mid) = (pieces.len(), slots.shape()[across] / 2);
    let (mut low, mut high) = (reserved(count, &[count])?, reserved(count, &[count])?);
    for piece in pieces {
        let (before, after) = piece.split_at(across, mid)?;
        low.push(before);
        high.push(after);
    }
    let (low_slots, high_slots) = slots.split_at(across, mid)?;
    let low = || fill_narrow(low_slots, axis, &low, turned, exec);
    let high = || fill_narrow(high_slots, axis, &high, turned, exec);
    let parallel = exec.tasks(len, size_of::<T>()) > 1;
    let (low, high) = if parallel { help::join(low, high) } else { (low(), high()) };
    Ok(low?.join(high?))
}

/// As [`fill_joined`], from a copy in which the pieces lie one after the other.
fn fill_turned<'b, T: Element, R: Dimension>(
    slots: ViewMut<'b, MaybeUninit<T>, R>,
    axis: usize,
    pieces: &[View<'_, T, R>],
    exec: &Exec,
) -> Result<Filled<'b>, Error> {
    let ndim = slots.shape().len();
    let axes = |of: &dyn Fn(usize) -> usize| R::shape(&(0..ndim).map(of).collect::<Axes<_>>());
    let to_front = axes(&|n| if n == 0 { axis } else { n - usize::from(n <= axis) })?;
    let back = axes(&|n| if n == axis { 0 } else { n + usize::from(n < axis) })?;
    let mut front = reserved(pieces.len(), &[pieces.len()])?;
    for piece in pieces {
        front.push(piece.permuted_axes(to_front)?);
    }
    // Laid out by rows, whatever the pieces: one after the other.
    let shape: Axes<usize> = (0..ndim).map(|n| slots.shape()[to_front.as_ref()[n]]).collect();
    let copy = joined_as(Layout::c_order(R::shape(&shape)?)?, 0, &front, exec)?;
    fill(slots, &copy.permuted_axes(back)?, exec)
}

/// Fills slots with pieces side by side along an axis, whose extents add up to that of the slots.
fn fill_joined<'b, T: Element, R: Dimension>(
    slots: ViewMut<'b, MaybeUninit<T>, R>,
    axis: usize,
    pieces: &[View<'_, T, R>],
    exec: &Exec,
) -> Result<Filled<'b>, Error> {
    let parallel = exec.tasks(slots.shape().iter().product(), size_of::<T>()) > 1;
    if parallel && pieces.len() > 1 {
        let (low, high) = pieces.split_at(pieces.len() / 2);
        let mid = low.iter().map(|piece| piece.shape()[axis]).sum();
        let (low_slots, high_slots) = slots.split_at(axis, mid)?;
        let (low, high) = help::join(
            || fill_joined(low_slots, axis, low, exec),
            || fill_joined(high_slots, axis, high, exec),
        );
        return Ok(low?.join(high?));
    }
    fill_one_by_one(slots, axis, pieces, exec)
}

/// As [`fill_joined`], one piece after the other.
fn fill_one_by_one<'b, T: Element, R: Dimension>(
    slots: ViewMut<'b, MaybeUninit<T>, R>,
    axis: usize,
    pieces: &[View<'_, T, R>],
    exec: &Exec,
) -> Result<Filled<'b>, Error> {
    let Some((last, pieces)) = pieces.split_last() else {
        return Ok(slots.filled_without_elements());
    };
    let (mut left, mut filled) = (slots, None::<Filled<'b>>);
    for piece in pieces {
        let (slots, others) = left.split_at(axis, piece.shape()[axis])?;
        let more = fill(slots, piece, exec)?;
        filled = Some(match filled {
            Some(filled) => filled.join(more),
            None => more,
        });
        left = others;
    }
    let more = fill(left, last, exec)?;
    Ok(match filled {
        Some(filled) => filled.join(more),
        None => more,
    })
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
    joined_as(layout, axis, pieces, &Exec::current())
}

/// As [`joined`], laid out so: in row-major or column-major order.
fn joined_as<T: Element, R: Dimension>(
    layout: Layout<R>,
    axis: usize,
    pieces: &[View<'_, T, R>],
    exec: &Exec,
) -> Result<Array<T, R>, Error> {
    let extents = pieces.iter().map(|piece| piece.shape()[axis]);
    let joined = if layout.is_c_contiguous() {
        let elements = pieces.iter().map(|piece| piece.as_slice());
        in_turn(&layout, axis, true, extents.zip(elements), exec)
    } else {
        let elements = pieces.iter().map(|piece| piece.reversed_axes().as_slice());
        in_turn(&layout, axis, false, extents.zip(elements), exec)
    };
    if let Some(data) = joined {
        return Ok(Array::from_layout_vec(layout, data?)?);
    }
    Array::build(layout, |slots| match narrow(&layout, axis, pieces) {
        Some(bytes) => {
            let turned = pieces.len() > FEW_PIECES && bytes <= LINE;
            fill_narrow(slots, axis, pieces, turned, exec)
        }
        None => fill_joined(slots, axis, pieces, exec),
    })
}

/// The most elements that are joined one piece of memory after the other.
pub(super) const IN_TURN: usize = 1 << 15;

/// So many parts of a piece are joined so, however short.
const FEW_PARTS: usize = 8;

/// The elements of [`joined`] pieces in the order of the result, row-major or column-major, if they
/// are few and lie without gaps in the same order: their parts follow each other, each of some
/// elements. Of each piece the extent along the axis, and the elements. `None` of others.
fn in_turn<'a, T: Element, R: Dimension>(
    layout: &Layout<R>,
    axis: usize,
    row_major: bool,
    pieces: impl Iterator<Item = (usize, Option<&'a [T]>)> + Clone,
    exec: &Exec,
) -> Option<Result<Vec<T>, Error>> {
    let (size, shape) = (layout.size(), layout.shape());
    // Of nothing there may be any number of parts.
    if size == 0 || size > IN_TURN || exec.tasks(size, size_of::<T>()) > 1 {
        return None;
    }
    let (mut outer, mut inner) = (1, 1);
    for (other, &extent) in shape.iter().enumerate() {
        if other != axis {
            *(if (other < axis) == row_major { &mut outer } else { &mut inner }) *= extent;
        }
    }
    // Many parts that are not worth a copy each.
    if outer > FEW_PARTS && size / 16 < outer.saturating_mul(pieces.clone().count()) {
        return None;
    }
    let mut data = match reserved_for_array(size, shape) {
        Ok(data) => data,
        Err(error) => return Some(Err(error.into())),
    };
    for number in 0..outer {
        for (extent, elements) in pieces.clone() {
            let len = extent * inner;
            data.extend_from_slice(&elements?[number * len..][..len]);
        }
    }
    Some(Ok(data))
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
    let mut shape = arrays[0].insert_axis(axis)?.dim();
    shape.as_mut()[axis] = arrays.len();
    let layout = Layout::c_order(shape)?;
    let elements = arrays.iter().map(|array| (1, array.as_slice()));
    if let Some(data) = in_turn(&layout, axis, true, elements, &Exec::current()) {
        return Ok(Array::from_layout_vec(layout, data?)?);
    }
    let mut pieces = reserved(arrays.len(), &[arrays.len()])?;
    for array in arrays {
        pieces.push(array.insert_axis(axis)?);
    }
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
