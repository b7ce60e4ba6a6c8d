//! Arrays made of the elements of others: joined, taken, repeated, moved.
//!
//! What is copied, is copied by the engine, as an expression is computed: in tiles where the orders
//! of the axes differ, and by several threads where that pays. Pieces too small to be planned are
//! copied line by line.

#![forbid(unsafe_code)]

use crate::eval::{eval_by, in_order, write};
use crate::exec::{self, Cuts, Exec};
use crate::expr::{Expr, RankOf, ResultRank, settled};
use crate::help;
use crate::kernel::Write;
use crate::ops::{self, Op};
use crate::types::{Array, CowArray, View, ViewMut};
use bcast::Error;
use ndcore::{
    Axes, Dimension, Dyn, Element, Extents, Filled, IntoAxis, IntoShape, Layout, LayoutError,
    LayoutErrorKind, List, MAX_NDIM, Nest, Part, Rank, reserved, reserved_for_array, size_of_shape,
};
use num_traits::Zero;
use rayon::prelude::*;
use std::mem::MaybeUninit;

/// A piece of fewer bytes is copied without a plan.
const PIECE: usize = 1 << 14;

fn refuse<T>(kind: LayoutErrorKind) -> Result<T, Error> {
    Err(LayoutError::from(kind).into())
}

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
fn joined<T: Element, R: Dimension>(
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
const IN_TURN: usize = 1 << 15;

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

/// Refuses an axis that a shape does not have.
pub(crate) fn check_axis(axis: usize, shape: &[usize]) -> Result<(), Error> {
    if axis < shape.len() {
        return Ok(());
    }
    refuse(LayoutErrorKind::AxisOutOfRange { axis, shape: List::of(&shape) })
}

/// The elements of an expression: those of an array where they lie, or computed.
pub(crate) fn elements_of<'a, E>(
    expr: &'a E,
    exec: &Exec,
) -> Result<CowArray<'a, E::Elem, Dyn>, Error>
where
    E: Expr<Rank: Dimension>,
{
    match expr.in_memory() {
        Some(view) => Ok(CowArray::from(view.as_dyn())),
        None => Ok(CowArray::from(eval_by(expr, exec)?.into_dyn())),
    }
}

/// As [`elements_of`], in row-major order without gaps.
pub(crate) fn row_major_of<'a, E>(
    expr: &'a E,
    exec: &Exec,
) -> Result<CowArray<'a, E::Elem, Dyn>, Error>
where
    E: Expr<Rank: Dimension>,
{
    match expr.in_memory().filter(|view| view.is_standard_layout()) {
        Some(view) => Ok(CowArray::from(view.as_dyn())),
        None => {
            let shape = expr.result_shape()?;
            let order: Axes<usize> = (0..shape.len()).collect();
            Ok(CowArray::from(in_order(expr, &shape, &order, exec)?))
        }
    }
}

/// A new vector, of which parts are filled by a function that gets the number of their first
/// element; they begin at a multiple of `unit`. `work` is that of an element: see
/// [`work_of`](exec::work_of).
pub(crate) fn in_parts<T: Element>(
    len: usize,
    unit: usize,
    work: usize,
    exec: &Exec,
    fill: &(dyn for<'b> Fn(Part<'b, MaybeUninit<T>>, usize) -> Filled<'b> + Sync),
) -> Result<Array<T, Rank<1>>, Error> {
    Array::build(Layout::c_order([len])?, |slots| {
        if len == 0 {
            return Ok(slots.filled_without_elements());
        }
        let nest = Nest { order: std::iter::once(0).collect(), ..Nest::default() };
        let part = slots.into_part(&nest);
        let start = Extents::filled(0, part.extents().len());
        let enough = len.div_ceil(exec.tasks(len, work).max(1));
        let cuts = Cuts { at: &[unit], best: &[unit] };
        exec::split(cuts, part, start, enough, &|part, start| Ok(fill(part, start[0])))
    })
}

/// The axes of a layout from the outermost one in memory.
fn memory_order<R: Dimension>(layout: &Layout<R>) -> Axes<usize> {
    let mut order: Axes<usize> = (0..layout.ndim()).collect();
    order.sort_by_key(|&axis| std::cmp::Reverse(layout.strides()[axis].unsigned_abs()));
    order
}

/// As [`taken`], of few elements in row-major order.
#[inline(never)]
fn taken_in_turn<T: Element, R: Dimension>(
    elements: &[T],
    layout: &Layout<R>,
    axis: usize,
    indices: &[usize],
) -> Result<Array<T, R>, Error> {
    let (extent, inner) =
        (layout.shape()[axis], layout.shape()[axis + 1..].iter().product::<usize>());
    let mut shape = layout.raw_shape();
    shape.as_mut()[axis] = indices.len();
    let layout = Layout::c_order(shape)?;
    let mut data = reserved_for_array(layout.size(), layout.shape())?;
    if layout.size() > 0 {
        for slices in elements.chunks_exact(extent * inner) {
            if inner == 1 {
                data.extend(indices.iter().map(|&index| slices[index]));
                continue;
            }
            for &index in indices {
                data.extend_from_slice(&slices[index * inner..][..inner]);
            }
        }
    }
    Array::from_flat(layout, data)
}

/// The same, of a line with gaps, or a part of a matrix with rows of unit stride.
#[inline(never)]
fn taken_apart<T: Element, R: Dimension>(
    view: &View<'_, T, R>,
    axis: usize,
    indices: &[usize],
) -> Result<Option<Array<T, R>>, Error> {
    let mut shape = view.dim();
    shape.as_mut()[axis] = indices.len();
    let layout = Layout::<R>::c_order(shape)?;
    let reserved = || reserved_for_array(layout.size(), layout.shape());
    let data = if view.ndim() == 1 {
        let (line, mut data) = (view.as_rank::<Rank<1>>()?, reserved()?);
        data.extend(indices.iter().map(|&index| line[index]));
        data
    } else if view.ndim() == 2 && view.line(0).is_some() {
        let mut data = reserved()?;
        let rows = if axis == 0 { indices.len() } else { view.shape()[0] };
        for row in 0..rows {
            let row = view.line(if axis == 0 { indices[row] } else { row });
            let row = row.expect("rows of unit stride");
            match axis {
                0 => data.extend_from_slice(row),
                _ => data.extend(indices.iter().map(|&index| row[index])),
            }
        }
        data
    } else {
        return Ok(None);
    };
    Ok(Some(Array::from_flat::<Error>(layout, data)?))
}

/// Refuses indices that an axis does not have.
fn check_indices(shape: &[usize], axis: usize, indices: &[usize]) -> Result<(), Error> {
    check_axis(axis, shape)?;
    match indices.iter().find(|index| **index >= shape[axis]) {
        None => Ok(()),
        Some(&index) => refuse(LayoutErrorKind::IndexOutOfRange {
            index: isize::try_from(index).unwrap_or(isize::MAX),
            axis,
            shape: List::of(&shape),
        }),
    }
}

/// The slices of a contiguous array at these indices along an axis.
fn taken<T: Element>(
    view: &View<'_, T, Dyn>,
    axis: usize,
    indices: &[usize],
    exec: &Exec,
) -> Result<Array<T, Dyn>, Error> {
    let order = if view.is_standard_layout() {
        (0..view.ndim()).collect()
    } else {
        memory_order(view.layout())
    };
    let memory = view.as_slice_memory_order().expect("a contiguous array");
    let mut shape = view.dim();
    let extent = shape[axis];
    shape[axis] = indices.len();
    let layout = Layout::<Dyn>::nested(shape, &order)?;
    let inner: usize = order
        .iter()
        .skip_while(|&&other| other != axis)
        .skip(1)
        .map(|&other| shape[other])
        .product();
    let count = indices.len();
    let flat = in_parts(layout.size(), inner.max(1), size_of::<T>(), exec, &|part, start| {
        // Of the slice along the axis that comes next: which one it is, and where it begins that it
        // is one of.
        let (mut number, mut base) =
            (start / inner % count, start / inner / count * extent * inner);
        let mut next = move || {
            let place = base + indices[number] * inner;
            number += 1;
            if number == count {
                (number, base) = (0, base + extent * inner);
            }
            place
        };
        if inner == 1 {
            part.fill_with(|_| memory[next()])
        } else {
            part.fill_runs(inner, || {
                let place = next();
                &memory[place..place + inner]
            })
        }
    })?;
    Ok(flat.with_layout(shape, layout.strides())?)
}

/// A view that repeats, as an array in row-major order of another shape.
fn spread<T: Element, R: Dimension>(
    view: &View<'_, T, Dyn>,
    repeated: &[usize],
    dims: &[usize],
    shape: &[usize],
    exec: &Exec,
) -> Result<Array<T, R>, Error> {
    let view = view.expand::<Dyn>(Dyn::shape(repeated)?, dims)?;
    let order: Axes<usize> = (0..repeated.len()).collect();
    let copy = in_order(&view, repeated, &order, exec)?;
    Ok(copy.into_shape(shape)?.into_rank()?)
}

/// Sets to zero what is above diagonal `k` of each matrix of the last two axes, or below it.
fn clear_triangle<T: Element + Zero>(
    mut out: ViewMut<'_, T, Dyn>,
    k: isize,
    above: bool,
) -> Result<(), Error> {
    let Some(rows) = out.ndim().checked_sub(2) else { return Ok(()) };
    let columns = rows + 1;
    let strides = [out.strides()[rows], out.strides()[columns]].map(isize::unsigned_abs);
    let by_rows = strides[1] <= strides[0];
    let (lane, other) = if by_rows { (columns, rows) } else { (rows, columns) };
    let extent = out.shape()[lane];
    // Without elements there may be very many lanes.
    let lanes = if out.is_empty() { 0 } else { out.shape()[other] };
    for index in 0..lanes {
        let own = index as i128;
        // Where a lane crosses the diagonal, and whether what is to go lies before that.
        let (edge, before) = match (by_rows, above) {
            (true, false) => (own + k as i128, true),
            (true, true) => (own + k as i128 + 1, false),
            (false, false) => (own - k as i128 + 1, false),
            (false, true) => (own - k as i128, true),
        };
        let edge = edge.clamp(0, extent as i128) as usize;
        let range = if before { 0..edge } else { edge..extent };
        if !range.is_empty() {
            let mut slice = out.slice_axis_mut(other, index..index + 1, 1)?;
            slice.slice_axis_mut(lane, range, 1)?.fill(T::zero());
        }
    }
    Ok(())
}

/// An array of the rank of an expression.
type Same<E> = Array<<E as Expr>::Elem, RankOf<E>>;

/// What takes, repeats and moves elements: arrays made of those of another one.
///
/// These take arrays, views and expressions; an expression is computed into an array of its own
/// first.
pub trait Rearrange: Expr<Rank: ResultRank> {
    /// The slices at these indices along an axis, in this order; in `ndarray`, `select`. Indices may
    /// repeat.
    ///
    /// # Errors
    /// If there is no such axis, or it has no such index.
    ///
    /// ```
    /// use elementwise::{Rearrange, array};
    /// let a = array![[1, 2, 3], [4, 5, 6]];
    /// assert_eq!(a.take(1, &[2, 0, 0])?, array![[3, 1, 1], [6, 4, 4]]);
    /// assert_eq!(
    ///     a.take(0, &[0, 2]).unwrap_err().to_string(),
    ///     "index 2 is out of range for axis 0 of shape [2, 3]"
    /// );
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn take(self, axis: impl IntoAxis, indices: &[usize]) -> Result<Same<Self>, Error> {
        let (axis, exec) = (axis.into_axis(), Exec::current());
        let this = settled(self);
        // In the rank that is known: to move lists of axes would take longer than few elements.
        if let Some(view) = this.in_memory() {
            check_indices(view.shape(), axis, indices)?;
            let each = view.len() / view.shape()[axis].max(1);
            let few = indices.len().saturating_mul(each) <= IN_TURN;
            if few && exec.tasks(IN_TURN, size_of::<Self::Elem>()) <= 1 {
                if let Some(elements) = view.as_slice() {
                    return taken_in_turn(elements, view.layout(), axis, indices);
                }
                let apart = view.as_slice_memory_order().is_none();
                if apart && let Some(array) = taken_apart(&view, axis, indices)? {
                    return Ok(array);
                }
            }
        }
        let source = elements_of(&this, &exec)?;
        let view = source.view();
        check_indices(view.shape(), axis, indices)?;
        let extent = view.shape()[axis];
        let array = if view.as_slice_memory_order().is_some() {
            taken(&view, axis, indices, &exec)?
        } else if indices.len() > extent / 4 {
            taken(&row_major_of(&view, &exec)?.view(), axis, indices, &exec)?
        } else {
            let slice = |&index: &usize| view.slice_axis(axis, index..index + 1, 1);
            let pieces = indices.iter().map(slice).collect::<Result<Vec<_>, _>>()?;
            joined(view.dim(), axis, &pieces)?
        };
        Ok(array.into_rank()?)
    }

    /// The elements for which a mask of the same shape is true, in logical (row-major) order; in
    /// NumPy, `x[mask]`.
    ///
    /// # Errors
    /// If the mask has another shape ([`MaskShape`](LayoutErrorKind::MaskShape)).
    ///
    /// ```
    /// use elementwise::{BinaryMethods, Rearrange, array};
    /// let a = array![[1, -2], [-3, 4]];
    /// assert_eq!(a.compress(a.greater(0))?, array![1, 4]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn compress<M>(self, mask: M) -> Result<Array<Self::Elem, Rank<1>>, Error>
    where
        M: Expr<Elem = bool, Rank: ResultRank>,
    {
        let exec = Exec::current();
        let (this, mask) = (settled(self), settled(mask));
        let (source, mask) = (row_major_of(&this, &exec)?, row_major_of(&mask, &exec)?);
        if source.shape() != mask.shape() {
            let (mask, shape) = (List::of(&mask.shape()), List::of(&source.shape()));
            return refuse(LayoutErrorKind::MaskShape { mask, shape });
        }
        const ORDER: &str = "row-major order";
        let (elements, mask) = (source.as_slice().expect(ORDER), mask.as_slice().expect(ORDER));
        chosen(elements, mask, &exec)
    }

    /// The slices along an axis for which a mask of its extent is true.
    ///
    /// # Errors
    /// If there is no such axis, or the mask has not its extent
    /// ([`MaskShape`](LayoutErrorKind::MaskShape)).
    ///
    /// ```
    /// use elementwise::{Rearrange, array};
    /// let a = array![[1, 2, 3], [4, 5, 6]];
    /// assert_eq!(a.compress_axis(1, &[true, false, true])?, array![[1, 3], [4, 6]]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn compress_axis(self, axis: impl IntoAxis, mask: &[bool]) -> Result<Same<Self>, Error> {
        let (axis, shape) = (axis.into_axis(), self.result_shape()?);
        check_axis(axis, &shape)?;
        if mask.len() != shape[axis] {
            let (mask, shape) = ([mask.len()].into(), [shape[axis]].into());
            return refuse(LayoutErrorKind::MaskShape { mask, shape });
        }
        let indices: Vec<usize> = (0..mask.len()).filter(|&index| mask[index]).collect();
        self.take(axis, &indices)
    }

    /// The elements moved `shift` places along an axis; those that leave it at one end come in at
    /// the other one.
    ///
    /// # Errors
    /// If there is no such axis.
    ///
    /// ```
    /// use elementwise::{Rearrange, array};
    /// let a = array![1, 2, 3, 4, 5];
    /// assert_eq!(a.roll(0, 2)?, array![4, 5, 1, 2, 3]);
    /// assert_eq!(a.roll(0, -1)?, array![2, 3, 4, 5, 1]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn roll(self, axis: impl IntoAxis, shift: isize) -> Result<Same<Self>, Error> {
        let (axis, exec) = (axis.into_axis(), Exec::current());
        let this = settled(self);
        let source = elements_of(&this, &exec)?;
        let view = source.view();
        check_axis(axis, view.shape())?;
        let extent = view.shape()[axis];
        let by = (shift as i128).rem_euclid((extent as i128).max(1)) as usize;
        let (low, high) = view.split_at(axis, extent - by)?;
        Ok(joined(view.dim(), axis, &[high, low])?.into_rank()?)
    }

    /// The whole array so many times along each axis, side by side.
    ///
    /// # Errors
    /// If the result does not fit in memory, or its rank and the number of the axes that repeat are
    /// above [`MAX_NDIM`] together.
    ///
    /// ```
    /// use elementwise::{Rearrange, array};
    /// assert_eq!(array![[1, 2]].tile([2, 2])?, array![[1, 2, 1, 2], [1, 2, 1, 2]]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn tile(self, times: impl IntoShape<Rank = RankOf<Self>>) -> Result<Same<Self>, Error> {
        let (times, exec) = (times.into_shape()?, Exec::current());
        let this = settled(self);
        let source = elements_of(&this, &exec)?;
        let (extents, times) = (source.shape(), times.as_ref());
        if times.len() != extents.len() {
            let (expected, found) = (extents.len(), times.len());
            return refuse(LayoutErrorKind::RankMismatch { expected, found });
        }
        let (mut repeated, mut dims, mut shape) = (Vec::new(), Vec::new(), Vec::new());
        for (&extent, &times) in extents.iter().zip(times) {
            // In row-major order, those of an axis come after the times it is repeated.
            if times != 1 {
                repeated.push(times);
            }
            dims.push(repeated.len());
            repeated.push(extent);
            let Some(product) = extent.checked_mul(times) else {
                return refuse(LayoutErrorKind::SizeOverflow { shape: [extent, times].into() });
            };
            shape.push(product);
        }
        spread(&source.view(), &repeated, &dims, &shape, &exec)
    }

    /// Each slice along an axis so many times, one after the other.
    ///
    /// # Errors
    /// If there is no such axis, or the result does not fit in memory.
    ///
    /// ```
    /// use elementwise::{Rearrange, array};
    /// assert_eq!(array![[1, 2]].repeat(1, 2)?, array![[1, 1, 2, 2]]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn repeat(self, axis: impl IntoAxis, times: usize) -> Result<Same<Self>, Error> {
        let (axis, exec) = (axis.into_axis(), Exec::current());
        let this = settled(self);
        let source = elements_of(&this, &exec)?;
        check_axis(axis, source.shape())?;
        let mut shape = source.shape().to_vec();
        let mut repeated = shape.clone();
        repeated.insert(axis + 1, times);
        let Some(product) = shape[axis].checked_mul(times) else {
            return refuse(LayoutErrorKind::SizeOverflow { shape: [shape[axis], times].into() });
        };
        shape[axis] = product;
        if repeated.len() > MAX_NDIM {
            // No axis is left for the times: but slices can be taken several times.
            if size_of_shape(&shape)? == 0 {
                return Ok(Array::<_, Dyn>::from_shape_vec(shape, Vec::new())?.into_rank()?);
            }
            let mut indices = reserved(product, &shape)?;
            indices.extend((0..product).map(|number| number / times));
            return Ok(source.take(axis, &indices)?.into_rank()?);
        }
        let own = |other: usize| if other <= axis { other } else { other + 1 };
        let dims: Vec<usize> = (0..shape.len()).map(own).collect();
        spread(&source.view(), &repeated, &dims, &shape, &exec)
    }

    /// Each matrix of the last two axes with zeros below its diagonal `k`: 0 is the main one,
    /// higher ones lie above it. Of a rank below 2, a copy.
    ///
    /// # Errors
    /// If the operands' shapes do not fit each other, or the result does not fit in memory.
    ///
    /// ```
    /// use elementwise::{Rearrange, array};
    /// let a = array![[1, 2, 3], [4, 5, 6], [7, 8, 9]];
    /// assert_eq!(a.triu(0)?, array![[1, 2, 3], [0, 5, 6], [0, 0, 9]]);
    /// assert_eq!(a.triu(1)?, array![[0, 2, 3], [0, 0, 6], [0, 0, 0]]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn triu(self, k: isize) -> Result<Same<Self>, Error>
    where
        Self::Elem: Zero,
    {
        let mut out = eval_by(&settled(self), &Exec::current())?;
        clear_triangle(out.as_dyn_mut(), k, false)?;
        Ok(out)
    }

    /// Each matrix of the last two axes with zeros above its diagonal `k`: 0 is the main one,
    /// higher ones lie above it. Of a rank below 2, a copy.
    ///
    /// # Errors
    /// If the operands' shapes do not fit each other, or the result does not fit in memory.
    ///
    /// ```
    /// use elementwise::{Rearrange, array};
    /// let a = array![[1, 2, 3], [4, 5, 6], [7, 8, 9]];
    /// assert_eq!(a.tril(0)?, array![[1, 0, 0], [4, 5, 0], [7, 8, 9]]);
    /// assert_eq!(a.tril(-1)?, array![[0, 0, 0], [4, 0, 0], [7, 8, 0]]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn tril(self, k: isize) -> Result<Same<Self>, Error>
    where
        Self::Elem: Zero,
    {
        let mut out = eval_by(&settled(self), &Exec::current())?;
        clear_triangle(out.as_dyn_mut(), k, true)?;
        Ok(out)
    }
}

impl<E: Expr<Rank: ResultRank>> Rearrange for E {}

/// The elements for which a mask of the same length is true.
fn chosen<T: Element>(
    elements: &[T],
    mask: &[bool],
    exec: &Exec,
) -> Result<Array<T, Rank<1>>, Error> {
    /// What is counted at a time, so that a part of the result knows where it begins.
    const STRETCH: usize = 1 << 14;
    let count = |mask: &[bool]| mask.iter().map(|&is| usize::from(is)).sum::<usize>();
    let counts: Vec<usize> = if exec.tasks(mask.len(), 1) > 1 {
        mask.par_chunks(STRETCH).map(count).collect()
    } else {
        mask.chunks(STRETCH).map(count).collect()
    };
    let mut before = Vec::with_capacity(counts.len());
    let len = counts.iter().fold(0, |sum, count| {
        before.push(sum);
        sum + count
    });
    in_parts(len, 1, size_of::<T>() + 4, exec, &|part, start| {
        let stretch = before.partition_point(|&sum| sum <= start) - 1;
        let first = stretch * STRETCH;
        let mut rest = mask[first..].iter().zip(&elements[first..]).filter(|(is, _)| **is);
        let mut left = start - before[stretch];
        part.fill_with(|_| {
            while left > 0 {
                left -= 1;
                rest.next();
            }
            *rest.next().expect("as many as were counted").1
        })
    })
}

/// The Kronecker product: each element of `a` times all of `b`, as blocks.
///
/// # Errors
/// If the result does not fit in memory, or twice its rank is above [`MAX_NDIM`].
///
/// ```
/// use elementwise::{array, kron};
/// let product = kron(&array![[1, 2]], &array![[1, 0], [0, 1]])?;
/// assert_eq!(product, array![[1, 0, 2, 0], [0, 1, 0, 2]]);
/// # Ok::<(), elementwise::Error>(())
/// ```
pub fn kron<A, B>(a: A, b: B) -> Result<Same<A>, Error>
where
    A: Expr<Rank: ResultRank>,
    B: Expr<Elem = A::Elem, Rank: ResultRank<Dim = RankOf<A>>>,
    ops::Mul: Op<(A::Elem, A::Elem), Output = A::Elem>,
{
    let exec = Exec::current();
    let (a, b) = (settled(a), settled(b));
    let (a, b) = (elements_of(&a, &exec)?, elements_of(&b, &exec)?);
    let ndim = a.ndim();
    if b.ndim() != ndim {
        return refuse(LayoutErrorKind::RankMismatch { expected: ndim, found: b.ndim() });
    }
    if 2 * ndim > MAX_NDIM {
        return refuse(LayoutErrorKind::RankTooHigh { ndim: 2 * ndim });
    }
    let (mut blocks, mut shape) = (Vec::new(), Vec::new());
    for (&a, &b) in a.shape().iter().zip(b.shape()) {
        blocks.extend([a, b]);
        let Some(product) = a.checked_mul(b) else {
            return refuse(LayoutErrorKind::SizeOverflow { shape: [a, b].into() });
        };
        shape.push(product);
    }
    let extents = Dyn::shape(&blocks)?;
    let outer: Vec<usize> = (0..ndim).map(|axis| 2 * axis).collect();
    let inner: Vec<usize> = (0..ndim).map(|axis| 2 * axis + 1).collect();
    let (a, b) =
        (a.view().expand::<Dyn>(extents, &outer)?, b.view().expand::<Dyn>(extents, &inner)?);
    let order: Axes<usize> = (0..blocks.len()).collect();
    let product = crate::expr::Apply::new(ops::Mul, (a, b));
    let product = in_order(&product, &blocks, &order, &exec)?;
    Ok(product.into_shape(&shape[..])?.into_rank()?)
}
