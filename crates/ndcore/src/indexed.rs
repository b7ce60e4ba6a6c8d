//! Iteration over elements in logical (row-major) order, with their indices.

use crate::dimension::Dimension;
use crate::element::Item;
use crate::iter::{exclusive, shared};
use crate::line::Line;
use crate::raw::{Memory, View, ViewMut};
use crate::walk::Walk;
use std::fmt;
use std::iter::FusedIterator;
use std::marker::PhantomData;

/// The addresses and indices of the elements of a view, row by row: along a row all that is counted
/// is the last part of the index. Each is given out once, from either end.
#[derive(Clone)]
struct Indexed<'a, T, R: Dimension> {
    memory: Memory<'a, T>,
    stride: isize,
    /// The index of the next element, and what is left of the row it lies on.
    index: R::Shape,
    row: Line<'a, T>,
    /// What comes after that row.
    walk: Walk<R>,
}

impl<'a, T: Item, R: Dimension> Indexed<'a, T, R> {
    #[inline]
    fn new<E>(view: &View<'a, T, R, E>) -> Self {
        let layout = *view.layout();
        let stride = layout.strides().last().copied().unwrap_or(1);
        let index = R::zero_shape(layout.ndim());
        let walk = Walk::new(layout);
        Indexed { memory: view.memory(), stride, index, row: Line::empty(), walk }
    }

    #[inline]
    fn len(&self) -> usize {
        self.row.len() + self.walk.len()
    }

    /// So many elements from a place on that the walk has given.
    #[inline]
    fn line(&self, place: usize, len: usize) -> Line<'a, T> {
        Line::reached(self.memory, place, self.stride, len)
    }

    /// Makes an index that which is so many steps further on in its row. In place: an index of a
    /// rank that is not known is long.
    #[inline]
    fn go_on(index: &mut R::Shape, steps: usize) {
        if let Some(last) = index.as_mut().last_mut() {
            *last += steps;
        }
    }

    /// Goes to the next row, if one is left.
    #[inline]
    fn next_row(&mut self) -> Option<()> {
        let (index, place, len) = self.walk.next_row()?;
        (self.index, self.row) = (index, self.line(place, len));
        Some(())
    }

    #[inline]
    fn next(&mut self) -> Option<(R::Shape, *mut T)> {
        if self.row.len() == 0 {
            self.next_row()?;
        }
        let element = self.row.next()?;
        let index = self.index;
        Self::go_on(&mut self.index, 1);
        Some((index, element))
    }

    #[inline]
    fn next_back(&mut self) -> Option<(R::Shape, *mut T)> {
        if let Some((index, place)) = self.walk.next_back() {
            return Some((index, self.line(place, 1).next()?));
        }
        let element = self.row.next_back()?;
        let mut index = self.index;
        Self::go_on(&mut index, self.row.len());
        Some((index, element))
    }

    /// Leaves out the next `count` elements; all, if there are no more.
    #[inline]
    fn skip(&mut self, count: usize) {
        let in_row = count.min(self.row.len());
        self.row.skip(in_row);
        Self::go_on(&mut self.index, in_row);
        if count > in_row {
            self.walk.skip(count - in_row);
        }
    }

    /// Leaves out the last `count` elements; all, if there are no more.
    #[inline]
    fn skip_back(&mut self, count: usize) {
        let after = count.min(self.walk.len());
        self.walk.skip_back(after);
        self.row.skip_back((count - after).min(self.row.len()));
    }
}

/// The elements with their indices, in logical order: what `indexed_iter` returns.
#[derive(Clone)]
pub struct IndexedIter<'a, T: Item, R: Dimension>(Indexed<'a, T, R>);

/// The elements with their indices for writing, in logical order: what `indexed_iter_mut` returns.
pub struct IndexedIterMut<'a, T: Item, R: Dimension>(Indexed<'a, T, R>, PhantomData<&'a mut T>);

impl<'a, T: Item, R: Dimension> IndexedIter<'a, T, R> {
    #[inline]
    pub(crate) fn new<E>(view: &View<'a, T, R, E>) -> Self {
        IndexedIter(Indexed::new(view))
    }
}

impl<'a, T: Item, R: Dimension> IndexedIterMut<'a, T, R> {
    #[inline]
    pub(crate) fn new<E>(view: ViewMut<'a, T, R, E>) -> Self {
        IndexedIterMut(Indexed::new(&view.into_view()), PhantomData)
    }
}

macro_rules! indexed_elements {
    ($name:ident, $element:ty, $reference:ident) => {
        impl<'a, T: Item, R: Dimension> $name<'a, T, R> {
            #[inline]
            fn give(element: *mut T) -> $element {
                // SAFETY: called with what `Indexed` gives alone: the addresses of the elements
                // that the layout of the view in `new` reaches, each once.
                unsafe { $reference(element) }
            }
        }

        impl<'a, T: Item, R: Dimension> Iterator for $name<'a, T, R> {
            type Item = (R::Shape, $element);

            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                let (index, element) = self.0.next()?;
                Some((index, Self::give(element)))
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                (self.0.len(), Some(self.0.len()))
            }

            #[inline]
            fn nth(&mut self, n: usize) -> Option<Self::Item> {
                self.0.skip(n);
                self.next()
            }

            #[inline]
            fn fold<B, F: FnMut(B, Self::Item) -> B>(mut self, init: B, mut f: F) -> B {
                let mut value = init;
                loop {
                    while let Some(element) = self.0.row.next() {
                        value = f(value, (self.0.index, Self::give(element)));
                        Indexed::<T, R>::go_on(&mut self.0.index, 1);
                    }
                    if self.0.next_row().is_none() {
                        return value;
                    }
                }
            }
        }

        impl<'a, T: Item, R: Dimension> DoubleEndedIterator for $name<'a, T, R> {
            #[inline]
            fn next_back(&mut self) -> Option<Self::Item> {
                let (index, element) = self.0.next_back()?;
                Some((index, Self::give(element)))
            }

            #[inline]
            fn nth_back(&mut self, n: usize) -> Option<Self::Item> {
                self.0.skip_back(n);
                self.next_back()
            }
        }

        impl<T: Item, R: Dimension> ExactSizeIterator for $name<'_, T, R> {}
        impl<T: Item, R: Dimension> FusedIterator for $name<'_, T, R> {}

        impl<T: Item + fmt::Debug, R: Dimension> fmt::Debug for $name<'_, T, R> {
            /// What is left: the elements that were given out are not looked at.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), " "))?;
                f.debug_list().entries(IndexedIter(self.0.clone())).finish()
            }
        }
    };
}

indexed_elements!(IndexedIter, &'a T, shared);
indexed_elements!(IndexedIterMut, &'a mut T, exclusive);
