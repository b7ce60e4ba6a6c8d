//! Indexing: `a[[i, j]]`.

use crate::array::Array;
use crate::axes::Axes;
use crate::dimension::{Dimension, Dyn, Rank};
use crate::element::Element;
use crate::layout::Layout;
use crate::raw::{View, ViewMut};
use std::ops::{Index, IndexMut};

/// An index into arrays of rank `R`: `[i, j]` or `(i, j)` for rank 2, `i` or `[i]` for rank 1, and for [`Dyn`] any array or slice
/// of numbers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an index into an array of {R}",
    note = "an index has one number for each axis, such as `a[[i, j]]` for a matrix"
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
    fn as_index<O>(&self, with: impl FnOnce(&[usize]) -> O) -> O {
        with(self)
    }
}

#[diagnostic::do_not_recommend]
impl NdIndex<Dyn> for &[usize] {
    fn as_index<O>(&self, with: impl FnOnce(&[usize]) -> O) -> O {
        with(self)
    }
}

#[diagnostic::do_not_recommend]
impl NdIndex<Dyn> for Axes<usize> {
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

#[diagnostic::do_not_recommend]
impl NdIndex<Rank<2>> for (usize, usize) {
    #[inline]
    fn as_index<O>(&self, with: impl FnOnce(&[usize]) -> O) -> O {
        with(&[self.0, self.1])
    }
}

#[diagnostic::do_not_recommend]
impl NdIndex<Rank<3>> for (usize, usize, usize) {
    #[inline]
    fn as_index<O>(&self, with: impl FnOnce(&[usize]) -> O) -> O {
        with(&[self.0, self.1, self.2])
    }
}

/// The place of an index.
#[inline]
pub(crate) fn place<R: Dimension, I: NdIndex<R>>(layout: &Layout<R>, index: &I) -> Option<usize> {
    index.as_index(|index| layout.place(index))
}

#[inline]
fn place_or_panic<R: Dimension, I: NdIndex<R>>(layout: &Layout<R>, index: &I) -> usize {
    index.as_index(|index| {
        layout
            .place(index)
            .unwrap_or_else(|| panic!("index {index:?} is out of range for shape {:?}", layout.shape()))
    })
}

impl<T: Element, R: Dimension, I: NdIndex<R>, E> Index<I> for View<'_, T, R, E> {
    type Output = T;

    /// # Panics
    /// If the index is out of range; [`get`](View::get) does not panic.
    #[inline]
    fn index(&self, index: I) -> &T {
        self.at(place_or_panic(self.layout(), &index))
    }
}

impl<T: Element, R: Dimension, I: NdIndex<R>, E> Index<I> for ViewMut<'_, T, R, E> {
    type Output = T;

    /// # Panics
    /// If the index is out of range; [`get`](ViewMut::get) does not panic.
    #[inline]
    fn index(&self, index: I) -> &T {
        self.view().at(place_or_panic(self.layout(), &index))
    }
}

impl<T: Element, R: Dimension, I: NdIndex<R>, E> IndexMut<I> for ViewMut<'_, T, R, E> {
    #[inline]
    fn index_mut(&mut self, index: I) -> &mut T {
        let place = place_or_panic(self.layout(), &index);
        &mut self.view_mut().into_stretch(place, 1)[0]
    }
}

impl<T: Element, R: Dimension, I: NdIndex<R>, E> Index<I> for Array<T, R, E> {
    type Output = T;

    /// # Panics
    /// If the index is out of range; [`get`](Array::get) does not panic.
    #[inline]
    fn index(&self, index: I) -> &T {
        &self.memory()[place_or_panic(self.layout(), &index)]
    }
}

impl<T: Element, R: Dimension, I: NdIndex<R>, E> IndexMut<I> for Array<T, R, E> {
    #[inline]
    fn index_mut(&mut self, index: I) -> &mut T {
        let place = place_or_panic(self.layout(), &index);
        &mut self.memory_mut()[place]
    }
}
