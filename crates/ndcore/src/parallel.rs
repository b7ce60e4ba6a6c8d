//! Elements and parts of arrays as rayon's parallel iterators: `a.rows().into_par_iter()`,
//! `a.par_iter()`.

use crate::array::Array;
use crate::dimension::Dimension;
use crate::element::Item;
use crate::iter::{Iter, IterMut};
use crate::parts::{AxisChunks, AxisChunksMut, Subviews, SubviewsMut};
use crate::raw::{View, ViewMut};
use crate::shared::{ArcArray, CowArray};
use rayon::iter::plumbing::{Consumer, Producer, ProducerCallback, UnindexedConsumer, bridge};
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

/// An iterator whose items several threads share out: what `into_par_iter` returns.
///
/// ```
/// use ndcore::array;
/// use rayon::prelude::*;
/// let mut a = array![[1, 2], [3, 4], [5, 6]];
/// a.rows_mut().into_par_iter().enumerate().for_each(|(i, mut row)| row[0] = i);
/// let sums: Vec<usize> = a.rows().into_par_iter().map(|row| row.iter().sum()).collect();
/// assert_eq!(sums, [2, 5, 8]);
/// assert_eq!(a.par_iter().sum::<usize>(), 15);
/// ```
#[derive(Clone, Debug)]
pub struct Parallel<I>(I);

/// An iterator that can be cut in two.
pub trait Halves: ExactSizeIterator + DoubleEndedIterator + Send {
    /// The first `count` items, of which there are as many, and the others.
    fn halves(self, count: usize) -> (Self, Self)
    where
        Self: Sized;
}

macro_rules! halves {
    ($([$($generics:tt)*] $name:ty;)*) => {$(
        impl<'a, $($generics)*, E> Halves for $name {
            fn halves(self, count: usize) -> (Self, Self) {
                self.split_at(count)
            }
        }

        impl<'a, $($generics)*, E> IntoParallelIterator for $name {
            type Item = <Self as Iterator>::Item;
            type Iter = Parallel<Self>;

            fn into_par_iter(self) -> Parallel<Self> {
                Parallel(self)
            }
        }
    )*};
}

halves! {
    [T: Item, O: Dimension, I: Dimension] Subviews<'a, T, O, I, E>;
    [T: Item, O: Dimension, I: Dimension] SubviewsMut<'a, T, O, I, E>;
    [T: Item, R: Dimension] AxisChunks<'a, T, R, E>;
    [T: Item, R: Dimension] AxisChunksMut<'a, T, R, E>;
}

macro_rules! elements {
    ($iter:ident: $($array:ty => $item:ty, |$this:ident| $elements:expr;)*) => {
        impl<'a, T: Item, R: Dimension> Halves for $iter<'a, T, R> {
            fn halves(self, count: usize) -> (Self, Self) {
                self.split_at(count)
            }
        }
        $(
            impl<'a, T: Item, R: Dimension, E> IntoParallelIterator for $array {
                type Item = $item;
                type Iter = Parallel<$iter<'a, T, R>>;

                fn into_par_iter(self) -> Self::Iter {
                    let $this = self;
                    Parallel($elements)
                }
            }
        )*
    };
}

elements! {
    Iter:
    &'a Array<T, R, E> => &'a T, |this| this.iter();
    View<'a, T, R, E> => &'a T, |this| this.iter();
    &View<'a, T, R, E> => &'a T, |this| this.iter();
    &'a ViewMut<'_, T, R, E> => &'a T, |this| this.iter();
    &'a ArcArray<T, R, E> => &'a T, |this| this.iter();
    &'a CowArray<'_, T, R, E> => &'a T, |this| this.iter();
}
elements! {
    IterMut:
    &'a mut Array<T, R, E> => &'a mut T, |this| this.iter_mut();
    &'a mut ViewMut<'_, T, R, E> => &'a mut T, |this| this.iter_mut();
    &'a mut ArcArray<T, R, E> => &'a mut T, |this| this.iter_mut();
    &'a mut CowArray<'_, T, R, E> => &'a mut T, |this| this.iter_mut();
    ViewMut<'a, T, R, E> => &'a mut T, |this| this.into_iter();
}

impl<I: Halves<Item: Send>> ParallelIterator for Parallel<I> {
    type Item = I::Item;

    fn drive_unindexed<C: UnindexedConsumer<I::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

impl<I: Halves<Item: Send>> IndexedParallelIterator for Parallel<I> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn drive<C: Consumer<I::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn with_producer<B: ProducerCallback<I::Item>>(self, callback: B) -> B::Output {
        callback.callback(self)
    }
}

impl<I: Halves<Item: Send>> Producer for Parallel<I> {
    type Item = I::Item;
    type IntoIter = I;

    fn into_iter(self) -> I {
        self.0
    }

    fn split_at(self, count: usize) -> (Self, Self) {
        let (first, rest) = self.0.halves(count);
        (Parallel(first), Parallel(rest))
    }
}
