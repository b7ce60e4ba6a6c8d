//! Indexing: `a[[i, j]]`.

use crate::array::Array;
use crate::axes::Axes;
use crate::dimension::{Dimension, Dyn, Rank};
use crate::element::Item;
use crate::layout::Layout;
use crate::raw::{View, ViewMut};
use crate::shared::{ArcArray, CowArray};
use std::ops::{Index, IndexMut};

/// An index into arrays of rank `R`: `[i, j]` or `(i, j)` for rank 2, `i` or `[i]` for rank 1, and
/// for [`Dyn`] any array or slice of numbers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an index into an array of {R}",
    note = "an index has one number for each axis, such as `a[[i, j]]` for a matrix",
    note = "a mask is no index: `a.compress(&mask)?` takes the elements for which it is true, `mask.select(&a, 0.0)` puts something else in place of the others; nor is a range: `a.slice(s![1..3])?`"
)]
pub trait NdIndex<R: Dimension> {
    /// The numbers, one per axis.
    fn as_index<O>(&self, with: impl FnOnce(&[usize]) -> O) -> O;
}

#[diagnostic::do_not_recommend]
impl<const N: usize> NdIndex<Rank<N>> for [usize; N]
where
    Rank<N>: Dimension,
{
    #[inline]
    fn as_index<O>(&self, with: impl FnOnce(&[usize]) -> O) -> O {
        with(self)
    }
}

#[diagnostic::do_not_recommend]
impl<const N: usize> NdIndex<Dyn> for [usize; N] {
    #[inline]
    fn as_index<O>(&self, with: impl FnOnce(&[usize]) -> O) -> O {
        with(self)
    }
}

#[diagnostic::do_not_recommend]
impl NdIndex<Dyn> for &[usize] {
    #[inline]
    fn as_index<O>(&self, with: impl FnOnce(&[usize]) -> O) -> O {
        with(self)
    }
}

#[diagnostic::do_not_recommend]
impl NdIndex<Dyn> for Axes<usize> {
    #[inline]
    fn as_index<O>(&self, with: impl FnOnce(&[usize]) -> O) -> O {
        with(self)
    }
}

#[diagnostic::do_not_recommend]
impl NdIndex<Rank<1>> for usize {
    #[inline]
    fn as_index<O>(&self, with: impl FnOnce(&[usize]) -> O) -> O {
        with(&[*self])
    }
}

macro_rules! tuple_indices {
    ($($n:literal: ($($index:ident)*);)*) => {$(
        #[diagnostic::do_not_recommend]
        impl NdIndex<Rank<$n>> for ($(tuple_indices!(@usize $index),)*) {
            #[inline]
            fn as_index<O>(&self, with: impl FnOnce(&[usize]) -> O) -> O {
                let ($($index,)*) = *self;
                with(&[$($index),*])
            }
        }
    )*};
    (@usize $index:ident) => { usize };
}

tuple_indices! {
    0: ();
    1: (a);
    2: (a b);
    3: (a b c);
    4: (a b c d);
    5: (a b c d e);
    6: (a b c d e f);
    7: (a b c d e f g);
    8: (a b c d e f g h);
}

/// Says of which shape an index is out of range, and in a debug build which index. In a release the
/// index is not said: where a panic speaks of what changes in a loop, compilers cannot look at
/// bounds before the loop, which is half the time of a product of matrices written with indices.
#[inline(always)]
#[track_caller]
fn no_element<R: Dimension>(layout: &Layout<R>, index: &impl NdIndex<R>) -> ! {
    match cfg!(debug_assertions) {
        true => out_of_range::<R>(layout.raw_shape(), index.as_index(R::shape).ok()),
        false => some_out_of_range::<R>(layout.raw_shape()),
    }
}

/// By value, here and below, so that the caller can keep the index in registers.
#[cold]
#[inline(never)]
#[track_caller]
fn out_of_range<R: Dimension>(shape: R::Shape, index: Option<R::Shape>) -> ! {
    let index = index.as_ref().map_or(&[][..], AsRef::as_ref);
    panic!("index {index:?} is out of range for shape {:?}", shape.as_ref())
}

#[cold]
#[inline(never)]
#[track_caller]
fn some_out_of_range<R: Dimension>(shape: R::Shape) -> ! {
    panic!("an index is out of range for shape {:?}; a debug build says which", shape.as_ref())
}

/// The place of an index.
///
/// # Panics
/// If it is out of range.
#[inline]
#[track_caller]
pub(crate) fn place<R: Dimension, I: NdIndex<R>>(layout: &Layout<R>, index: I) -> usize {
    match index.as_index(|index| layout.place(index)) {
        Some(place) => place,
        None => out_of_range::<R>(layout.raw_shape(), index.as_index(R::shape).ok()),
    }
}

macro_rules! indexing {
    ($type:ty) => {
        impl<T: Item, R: Dimension, I: NdIndex<R>, E> Index<I> for $type {
            type Output = T;

            /// # Panics
            /// If the index is out of range; `get` does not panic. Which index it is, only a
            /// debug build says, so that loops over indices look at their bounds once.
            #[inline]
            #[track_caller]
            fn index(&self, index: I) -> &T {
                match index.as_index(|index| self.element(index)) {
                    Ok(element) => element,
                    Err(array) => no_element(array.layout(), &index),
                }
            }
        }
    };
    (mut $type:ty) => {
        indexing!($type);

        impl<T: Item, R: Dimension, I: NdIndex<R>, E> IndexMut<I> for $type {
            #[inline]
            #[track_caller]
            fn index_mut(&mut self, index: I) -> &mut T {
                match index.as_index(|index| self.element_mut(index)) {
                    Ok(element) => element,
                    Err(array) => no_element(array.layout(), &index),
                }
            }
        }
    };
}

indexing!(View<'_, T, R, E>);
indexing!(mut ViewMut<'_, T, R, E>);
indexing!(mut Array<T, R, E>);
indexing!(mut ArcArray<T, R, E>);
indexing!(mut CowArray<'_, T, R, E>);
