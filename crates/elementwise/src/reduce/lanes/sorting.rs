//! Sorting: the elements, their indices, the largest, and those that differ.

use super::memory::{Few, Lanes, filled, is_worth_threads, relist};
use crate::eval::Elements;
use crate::exec::Exec;
use crate::expr::Expr;
use crate::number::Ordered;
use crate::types::Array;
use bcast::{Error, ErrorKind};
use ndcore::{Dimension, List, Rank, reserved, reserved_for_array};
use rayon::prelude::*;

pub(super) fn sort<E>(expr: &E, axis: usize) -> Result<Array<E::Elem, E::Rank>, Error>
where
    E: Expr<Elem: Ordered, Rank: Dimension>,
{
    let exec = Exec::current();
    let mut lanes = Lanes::of(expr, axis)?;
    let (extent, mut values) = (lanes.extent(), lanes.elements.take_values()?);
    let parallel = is_worth_threads::<E::Elem>(values.len(), &exec);
    if parallel && values.len() > extent {
        values.par_chunks_mut(extent).for_each(|lane| Ordered::sort(lane, false));
    } else {
        values.chunks_mut(extent.max(1)).for_each(|lane| Ordered::sort(lane, parallel));
    }
    lanes.array(values, extent)
}

/// The place of an element in an order, and below it its index: one number, which is compared in an
/// instruction or two, and by which equal elements stay in the order in which they are.
trait Numbered: Ord + Send {
    fn new(place: u64, index: usize) -> Self;
    fn index(&self) -> usize;
}

impl Numbered for u64 {
    #[inline(always)]
    fn new(place: u64, index: usize) -> u64 {
        place << 32 | index as u64
    }

    #[inline(always)]
    fn index(&self) -> usize {
        *self as u32 as usize
    }
}

impl Numbered for u128 {
    #[inline(always)]
    fn new(place: u64, index: usize) -> u128 {
        u128::from(place) << 64 | index as u128
    }

    #[inline(always)]
    fn index(&self) -> usize {
        *self as u64 as usize
    }
}

/// Whether places and indices of lanes of so many elements fit in 32 bits.
fn is_short<T>(extent: usize) -> bool {
    size_of::<T>() <= 4 && u32::try_from(extent).is_ok()
}

pub(super) fn argsort<E>(expr: &E, axis: usize) -> Result<Array<usize, E::Rank>, Error>
where
    E: Expr<Elem: Ordered, Rank: Dimension>,
{
    let exec = Exec::current();
    let lanes = Lanes::of(expr, axis)?;
    let extent = lanes.extent();
    let mut indices = filled(0, lanes.elements.values.len())?;
    if is_short::<E::Elem>(extent) {
        lanes.each(&mut indices, extent, &exec, first::<u64, _>(Ordered::order_place))?;
    } else {
        lanes.each(&mut indices, extent, &exec, first::<u128, _>(Ordered::order_place))?;
    }
    lanes.array(indices, extent)
}

type Largest<E> = (Array<<E as Expr>::Elem, <E as Expr>::Rank>, Array<usize, <E as Expr>::Rank>);

pub(super) fn top_k<E>(expr: &E, axis: usize, k: usize) -> Result<Largest<E>, Error>
where
    E: Expr<Elem: Ordered, Rank: Dimension>,
{
    let exec = Exec::current();
    let lanes = Lanes::of(expr, axis)?;
    let extent = lanes.extent();
    if k > extent {
        let shape = List::of(&lanes.shape());
        return Err(ErrorKind::TooFewAlongAxis { op: "top_k", axis, wanted: k, shape }.into());
    }
    let mut indices = filled(0, lanes.count(k))?;
    // In descending order, but NaN after all others.
    let place = |x: E::Elem| x.reversed().order_place();
    if is_short::<E::Elem>(extent) {
        lanes.each(&mut indices, k, &exec, first::<u64, _>(place))?;
    } else {
        lanes.each(&mut indices, k, &exec, first::<u128, _>(place))?;
    }
    let chosen = indices.chunks(k.max(1)).zip(lanes.elements.values.chunks(extent.max(1)));
    let mut values = reserved_for_array(indices.len(), lanes.shape())?;
    chosen.for_each(|(chosen, lane)| values.extend(chosen.iter().map(|&index| lane[index])));
    Ok((lanes.array(values, k)?, lanes.array(indices, k)?))
}

/// Finds the indices of as many elements of a lane as there is room for, of which the places come
/// first, in the order of their places.
fn first<N: Numbered, T: Copy>(
    place: impl Fn(T) -> u64 + Sync,
) -> impl Fn(&mut Few<N>, &[T], &mut [usize], bool) -> Result<(), Error> + Sync {
    move |list, lane, indices, parallel| {
        relist(list, lane.iter().enumerate().map(|(index, &x)| N::new(place(x), index)))?;
        let count = indices.len();
        if count < list.len() {
            list.select_nth_unstable(count - 1);
        }
        let list = &mut list[..count];
        if parallel {
            list.par_sort_unstable();
        } else {
            list.sort_unstable();
        }
        indices.iter_mut().zip(list).for_each(|(index, one)| *index = one.index());
        Ok(())
    }
}

type Counted<T> = (Array<T, Rank<1>>, Array<usize, Rank<1>>);

pub(super) fn unique<E>(expr: &E) -> Result<Counted<E::Elem>, Error>
where
    E: Expr<Elem: Ordered, Rank: Dimension>,
{
    let exec = Exec::current();
    let mut all = Elements::row_major(expr)?.take_values()?;
    let parallel = is_worth_threads::<E::Elem>(all.len(), &exec);
    Ordered::sort(&mut all, parallel);
    let same = |a: &E::Elem, b: &E::Elem| a.order_place() == b.order_place();
    let number = all.chunk_by(same).count();
    let (mut values, mut counts) = (reserved(number, &[number])?, reserved(number, &[number])?);
    for equal in all.chunk_by(same) {
        values.push(equal[0]);
        counts.push(equal.len());
    }
    Ok((Array::from_vec(values), Array::from_vec(counts)))
}
