//! Iteration in logical (row-major) order.

use crate::dimension::Dimension;
use crate::element::Element;
use crate::layout::Layout;
use crate::raw::{View, ViewMut};
use std::iter::FusedIterator;
use std::slice;

/// The indices and places of a layout, in logical order.
#[derive(Clone, Debug)]
struct Walk<R: Dimension> {
    layout: Layout<R>,
    index: R::Shape,
    place: isize,
    left: usize,
}

impl<R: Dimension> Walk<R> {
    fn new(layout: Layout<R>) -> Self {
        let mut index = layout.raw_shape();
        index.as_mut().fill(0);
        Walk { layout, index, place: layout.offset() as isize, left: layout.size() }
    }

    #[inline]
    fn next(&mut self) -> Option<(R::Shape, usize)> {
        self.left = self.left.checked_sub(1)?;
        let now = (self.index, self.place as usize);
        for axis in (0..self.layout.ndim()).rev() {
            let index = &mut self.index.as_mut()[axis];
            *index += 1;
            self.place = self.place.wrapping_add(self.layout.strides()[axis]);
            if *index < self.layout.shape()[axis] {
                break;
            }
            self.place = self.place.wrapping_sub((*index as isize).wrapping_mul(self.layout.strides()[axis]));
            *index = 0;
        }
        Some(now)
    }
}

/// The elements of an array in logical order: what `iter` returns.
#[derive(Clone, Debug)]
pub struct Iter<'a, T: Element, R: Dimension>(Elements<'a, T, R>);

#[derive(Clone, Debug)]
enum Elements<'a, T: Element, R: Dimension> {
    /// Side by side: at the speed of a slice.
    Slice(slice::Iter<'a, T>),
    Strided(View<'a, T, R>, Walk<R>),
}

impl<'a, T: Element, R: Dimension> Iter<'a, T, R> {
    pub(crate) fn new(view: View<'a, T, R>) -> Self {
        Iter(match view.as_slice() {
            Some(slice) => Elements::Slice(slice.iter()),
            None => Elements::Strided(view, Walk::new(*view.layout())),
        })
    }
}

impl<'a, T: Element, R: Dimension> Iterator for Iter<'a, T, R> {
    type Item = &'a T;

    #[inline]
    fn next(&mut self) -> Option<&'a T> {
        match &mut self.0 {
            Elements::Slice(iter) => iter.next(),
            Elements::Strided(view, walk) => walk.next().map(|(_, place)| view.at(place)),
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = match &self.0 {
            Elements::Slice(iter) => iter.len(),
            Elements::Strided(_, walk) => walk.left,
        };
        (left, Some(left))
    }

    #[inline]
    fn fold<B, F: FnMut(B, &'a T) -> B>(self, init: B, mut f: F) -> B {
        match self.0 {
            Elements::Slice(iter) => iter.fold(init, f),
            Elements::Strided(view, mut walk) => {
                let mut value = init;
                while let Some((_, place)) = walk.next() {
                    value = f(value, view.at(place));
                }
                value
            }
        }
    }
}

impl<T: Element, R: Dimension> ExactSizeIterator for Iter<'_, T, R> {}
impl<T: Element, R: Dimension> FusedIterator for Iter<'_, T, R> {}

/// The elements with their indices, in logical order: what `indexed_iter` returns.
#[derive(Clone, Debug)]
pub struct IndexedIter<'a, T: Element, R: Dimension> {
    view: View<'a, T, R>,
    walk: Walk<R>,
}

impl<'a, T: Element, R: Dimension> IndexedIter<'a, T, R> {
    pub(crate) fn new(view: View<'a, T, R>) -> Self {
        IndexedIter { view, walk: Walk::new(*view.layout()) }
    }
}

impl<'a, T: Element, R: Dimension> Iterator for IndexedIter<'a, T, R> {
    type Item = (R::Shape, &'a T);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.walk.next().map(|(index, place)| (index, self.view.at(place)))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.walk.left, Some(self.walk.left))
    }
}

impl<T: Element, R: Dimension> ExactSizeIterator for IndexedIter<'_, T, R> {}
impl<T: Element, R: Dimension> FusedIterator for IndexedIter<'_, T, R> {}

/// The elements for writing, in logical order: what `iter_mut` returns.
#[derive(Debug)]
pub struct IterMut<'a, T: Element, R: Dimension> {
    view: ViewMut<'a, T, R>,
    walk: Walk<R>,
}

impl<'a, T: Element, R: Dimension> IterMut<'a, T, R> {
    pub(crate) fn new(view: ViewMut<'a, T, R>) -> Self {
        let walk = Walk::new(*view.layout());
        IterMut { view, walk }
    }
}

impl<'a, T: Element, R: Dimension> Iterator for IterMut<'a, T, R> {
    type Item = &'a mut T;

    #[inline]
    fn next(&mut self) -> Option<&'a mut T> {
        let (_, place) = self.walk.next()?;
        let element = self.view.pointer(place);
        // SAFETY: in bounds by `pointer`. The walk visits each index once, two indices never reach one element (I3), and nothing else
        // is done with the view, so that this is the only reference to an element that is exclusive for 'a (I2).
        Some(unsafe { &mut *element })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.walk.left, Some(self.walk.left))
    }
}

impl<T: Element, R: Dimension> ExactSizeIterator for IterMut<'_, T, R> {}
impl<T: Element, R: Dimension> FusedIterator for IterMut<'_, T, R> {}

/// The subviews along an axis: what `axis_iter` returns.
#[derive(Clone, Debug)]
pub struct AxisIter<'a, T: Element, R: Dimension, E> {
    view: View<'a, T, R, E>,
    axis: usize,
    next: usize,
}

impl<'a, T: Element, R: Dimension, E> AxisIter<'a, T, R, E> {
    /// `axis` exists.
    pub(crate) fn new(view: View<'a, T, R, E>, axis: usize) -> Self {
        AxisIter { view, axis, next: 0 }
    }
}

impl<'a, T: Element, R: Dimension, E> Iterator for AxisIter<'a, T, R, E> {
    type Item = View<'a, T, R::Smaller, E>;

    fn next(&mut self) -> Option<Self::Item> {
        let layout = self.view.layout().index(self.axis, self.next).ok()?;
        self.next += 1;
        Some(self.view.derive(layout))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.view.layout().shape()[self.axis] - self.next;
        (left, Some(left))
    }
}

impl<T: Element, R: Dimension, E> ExactSizeIterator for AxisIter<'_, T, R, E> {}
impl<T: Element, R: Dimension, E> FusedIterator for AxisIter<'_, T, R, E> {}
