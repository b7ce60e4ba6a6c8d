//! Equality: the same shape and equal elements at each index, whatever the layouts.

use crate::array::Array;
use crate::dimension::Dimension;
use crate::element::Item;
use crate::iter::Lane;
use crate::raw::{View, ViewMut};
use crate::shared::{ArcArray, CowArray};
use crate::walk::Walk;
use std::cmp::Reverse;

/// Equality of elements of one shape, line by line, in the order in which they lie in memory.
fn equal_lines<A: Item + PartialEq<B>, B: Item, R: Dimension, S: Dimension, E, F>(
    a: &View<'_, A, R, E>,
    b: &View<'_, B, S, F>,
) -> bool {
    let (mut a_layout, mut b_layout) = (*a.layout(), *b.layout());
    // Few take no longer in any order.
    if a.len() > 256 && !(a_layout.is_in_memory_order() && b_layout.is_in_memory_order()) {
        (a_layout, b_layout) = a_layout.in_memory_order_with(&b_layout);
        let (a, b) = (a.derived(a_layout), b.derived(b_layout));
        if let (Some(a), Some(b)) = (a.as_slice(), b.as_slice()) {
            return equal_slices(a, b);
        }
    }
    let (shape, a_strides, b_strides) = (a_layout.shape(), a_layout.strides(), b_layout.strides());
    let steps =
        |axis: usize| a_strides[axis].unsigned_abs().saturating_add(b_strides[axis].unsigned_abs());
    // To begin a line takes longer than to compare a few elements that lie farther apart.
    let best = |&axis: &usize| (shape[axis].min(SHORT), Reverse(steps(axis)));
    let Some(axis) = (0..shape.len()).max_by_key(best) else {
        return a.iter().eq(b.iter());
    };
    let mut a_lines = Walk::new(a_layout.without(axis, a_layout.offset()));
    let mut b_lines = Walk::new(b_layout.without(axis, b_layout.offset()));
    let (len, a_step, b_step) = (shape[axis], a_strides[axis], b_strides[axis]);
    while let (Some((_, a_place)), Some((_, b_place))) = (a_lines.next(), b_lines.next()) {
        if !equal_lane(
            &Lane::new(a.memory(), a_place, a_step, len),
            &Lane::new(b.memory(), b_place, b_step, len),
        ) {
            return false;
        }
    }
    true
}

/// So few elements are a short line.
const SHORT: usize = 8;

#[inline]
fn equal_lane<A: Item + PartialEq<B>, B: Item>(a: &Lane<'_, A>, b: &Lane<'_, B>) -> bool {
    match (a.as_slice(), b.as_slice()) {
        (Some(a), Some(b)) => equal_slices(a, b),
        _ => a.len() == b.len() && (0..a.len()).all(|i| a.at(i) == b.at(i)),
    }
}

/// Slices of equal length, a few elements at a time: to look for the end after each costs more
/// than comparing.
#[inline]
fn equal_slices<A: Item + PartialEq<B>, B: Item>(a: &[A], b: &[B]) -> bool {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let whole = a.iter().zip(b).all(|(a, b)| {
        let [p, q] = [(a[0] == b[0]) & (a[1] == b[1]), (a[2] == b[2]) & (a[3] == b[3])];
        let [r, s] = [(a[4] == b[4]) & (a[5] == b[5]), (a[6] == b[6]) & (a[7] == b[7])];
        p & q & r & s
    });
    whole && a_rest == b_rest
}

macro_rules! equality {
    ($($left:ty, $right:ty;)*) => {$(
        impl<A: Item + PartialEq<B>, B: Item, R: Dimension, S: Dimension, E, F> PartialEq<$right> for $left {
            /// Ranks may differ in type: a `Dyn` array equals a typed one of the same shape and
            /// elements.
            #[inline]
            fn eq(&self, other: &$right) -> bool {
                if self.shape() != other.shape() {
                    return false;
                }
                match (self.as_slice(), other.as_slice()) {
                    (Some(a), Some(b)) => equal_slices(a, b),
                    _ => equal_lines(&self.view(), &other.view()),
                }
            }
        }

        impl<A: Item + PartialEq<B>, B: Item, R: Dimension, S: Dimension, E, F> PartialEq<&$right> for $left {
            #[inline]
            fn eq(&self, other: &&$right) -> bool {
                *self == **other
            }
        }

        impl<A: Item + PartialEq<B>, B: Item, R: Dimension, S: Dimension, E, F> PartialEq<$right> for &$left {
            #[inline]
            fn eq(&self, other: &$right) -> bool {
                **self == *other
            }
        }
    )*};
}

pairs_of_kinds!(equality);

impl<T: Item + Eq, R: Dimension, E> Eq for Array<T, R, E> {}
impl<T: Item + Eq, R: Dimension, E> Eq for View<'_, T, R, E> {}
impl<T: Item + Eq, R: Dimension, E> Eq for ViewMut<'_, T, R, E> {}
impl<T: Item + Eq, R: Dimension, E> Eq for ArcArray<T, R, E> {}
impl<T: Item + Eq, R: Dimension, E> Eq for CowArray<'_, T, R, E> {}
