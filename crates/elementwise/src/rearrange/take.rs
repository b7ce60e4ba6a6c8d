//! Elements and slices by their indices, or by a mask.

use super::join::{IN_TURN, joined};
use super::{check_axis, in_parts, refuse};
use crate::eval::{Elements, To, in_order};
use crate::exec::Exec;
use crate::expr::{Borrowed, Expr};
use crate::kernel::Write;
use crate::types::{Array, View};
use bcast::Error;
use ndcore::{
    Axes, Dimension, Dyn, Element, Layout, LayoutErrorKind, List, Rank, reserved,
    reserved_for_array,
};
use rayon::prelude::*;

/// Takes the elements of a lane at these indices.
#[inline(always)]
fn take_of_lane<T: Copy>(to: &mut [T], from: &[T], indices: &[usize]) {
    // By fours: to begin a loop for the few there often are takes longer than they.
    let ((fours, rest), (to, to_rest)) = (indices.as_chunks::<4>(), to.as_chunks_mut::<4>());
    for (to, indices) in to.iter_mut().zip(fours) {
        *to = indices.map(|index| from[index]);
    }
    match (to_rest, rest) {
        ([x], &[a]) => *x = from[a],
        ([x, y], &[a, b]) => (*x, *y) = (from[a], from[b]),
        ([x, y, z], &[a, b, c]) => (*x, *y, *z) = (from[a], from[b], from[c]),
        _ => (),
    }
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
    if inner == 1 && layout.size() > 0 {
        data.resize(layout.size(), elements[0]);
        let lanes = data.chunks_exact_mut(indices.len()).zip(elements.chunks_exact(extent));
        lanes.for_each(|(to, from)| take_of_lane(to, from, indices));
    } else if layout.size() > 0 {
        for slices in elements.chunks_exact(extent * inner) {
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
        Axes::outermost_first(view.strides())
    };
    let memory = view.as_slice_memory_order().expect("a contiguous array");
    let mut shape = view.dim();
    let extent = shape[axis];
    shape[axis] = indices.len();
    let layout = Layout::<Dyn>::nested(shape, &order)?.with_units_settled();
    let inner: usize = order
        .iter()
        .skip_while(|&&other| other != axis)
        .skip(1)
        .map(|&other| shape[other])
        .product();
    let count = indices.len();
    let flat = in_parts(layout.size(), inner.max(1), size_of::<T>(), exec, &|part, start| {
        if inner == 1 {
            let lanes = (start / count..memory.len() / extent).flat_map(|lane| {
                let from = &memory[lane * extent..][..extent];
                indices.iter().map(move |&index| from[index])
            });
            return part.fill_from(lanes.skip(start % count));
        }
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
        part.fill_runs(inner, || {
            let place = next();
            &memory[place..place + inner]
        })
    })?;
    Ok(flat.with_layout(shape, layout.strides())?)
}

pub(super) fn take<T: Element, R: Dimension>(
    view: View<'_, T, R>,
    axis: usize,
    indices: &[usize],
) -> Result<Array<T, R>, Error> {
    let exec = Exec::current();
    check_indices(view.shape(), axis, indices)?;
    let each = view.len() / view.shape()[axis].max(1);
    let few = indices.len().saturating_mul(each) <= IN_TURN;
    if few && exec.tasks(IN_TURN, size_of::<T>()) <= 1 {
        if let Some(elements) = view.as_slice() {
            return taken_in_turn(elements, view.layout(), axis, indices);
        }
        let apart = view.as_slice_memory_order().is_none();
        if apart && let Some(array) = taken_apart(&view, axis, indices)? {
            return Ok(array);
        }
    }
    let extent = view.shape()[axis];
    let array = if view.as_slice_memory_order().is_some() {
        taken(&view.as_dyn(), axis, indices, &exec)?
    } else if indices.len() > extent / 4 {
        let order: Axes<usize> = (0..view.ndim()).collect();
        let pass = To(Borrowed(&view), &Write);
        taken(&in_order(&pass, view.shape(), &order, &exec)?.view(), axis, indices, &exec)?
    } else {
        let slice = |&index: &usize| view.slice_axis(axis, index..index + 1, 1);
        let pieces = indices.iter().map(slice).collect::<Result<Vec<_>, _>>()?;
        return joined(view.dim(), axis, &pieces);
    };
    Ok(array.into_rank()?)
}

pub(super) fn compress_axis<T: Element, R: Dimension>(
    view: View<'_, T, R>,
    axis: usize,
    mask: &[bool],
) -> Result<Array<T, R>, Error> {
    check_axis(axis, view.shape())?;
    let extent = view.shape()[axis];
    if mask.len() != extent {
        let (mask, shape) = ([mask.len()].into(), [extent].into());
        return refuse(LayoutErrorKind::MaskShape { mask, shape });
    }
    let indices: Vec<usize> = (0..extent).filter(|&index| mask[index]).collect();
    take(view, axis, &indices)
}

pub(super) fn compress<E, M>(expr: &E, mask: &M) -> Result<Array<E::Elem, Rank<1>>, Error>
where
    E: Expr<Rank: Dimension>,
    M: Expr<Elem = bool, Rank: Dimension>,
{
    let (elements, mask) = (Elements::row_major(expr)?, Elements::row_major(mask)?);
    if elements.shape.as_ref() != mask.shape.as_ref() {
        let (mask, shape) = (List::of(&mask.shape.as_ref()), List::of(&elements.shape.as_ref()));
        return refuse(LayoutErrorKind::MaskShape { mask, shape });
    }
    chosen(&elements.values, &mask.values)
}

/// The elements for which a mask of the same length is true.
fn chosen<T: Element>(elements: &[T], mask: &[bool]) -> Result<Array<T, Rank<1>>, Error> {
    /// What a task takes, so that it is known beforehand where in the result that begins.
    const STRETCH: usize = 1 << 14;
    // As many as a byte counts, so that it goes by vectors of bytes.
    let few = |mask: &[bool]| usize::from(mask.iter().map(|&is| u8::from(is)).sum::<u8>());
    let count = |mask: &[bool]| mask.chunks(255).map(few).sum::<usize>();
    let room = |len: usize| -> Result<Vec<T>, Error> {
        let mut chosen = reserved_for_array(len, &[len])?;
        if let Some(&any) = elements.first() {
            chosen.resize(len, any);
        }
        Ok(chosen)
    };
    // To count so few takes as long as to choose them.
    if mask.len() <= 64 {
        let mut chosen = room(mask.len())?;
        let count = choose(elements, mask, &mut chosen);
        chosen.truncate(count);
        return Ok(Array::from_vec(chosen));
    }
    if Exec::current().tasks(mask.len(), size_of::<T>() + 4) <= 1 {
        let mut chosen = room(count(mask))?;
        choose(elements, mask, &mut chosen);
        return Ok(Array::from_vec(chosen));
    }
    let counts: Vec<usize> = mask.par_chunks(STRETCH).map(count).collect();
    let mut chosen = room(counts.iter().sum())?;
    let mut rest = &mut chosen[..];
    let mut parts: Vec<&mut [T]> = reserved(counts.len(), &[counts.len()])?;
    parts.extend(counts.iter().map(|&count| rest.split_off_mut(..count).expect("the sum")));
    let stretches = elements.par_chunks(STRETCH).zip(mask.par_chunks(STRETCH)).zip(parts);
    stretches.for_each(|((elements, mask), part)| {
        choose(elements, mask, part);
    });
    Ok(Array::from_vec(chosen))
}

/// Puts the elements for which a mask is true where there is room for so many, and returns how
/// many those are. Each goes to the place of the next one that is chosen, where that overwrites it:
/// masks are hard to guess, and jumps that depend on them take longer.
fn choose<T: Copy>(elements: &[T], mask: &[bool], chosen: &mut [T]) -> usize {
    let mut count = 0;
    for (&element, &is) in elements.iter().zip(mask) {
        let Some(place) = chosen.get_mut(count) else { break };
        *place = element;
        count += usize::from(is);
    }
    count
}
