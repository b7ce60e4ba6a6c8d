//! [`Subviews`]: parts of an array that are alike, one after the other.

use crate::dimension::{Dimension, Rank};
use crate::element::Element;
use crate::error::LayoutError;
use crate::layout::Layout;
use crate::raw::{Memory, View, ViewMut};
use crate::walk::Walk;
use std::fmt;
use std::iter::FusedIterator;
use std::marker::PhantomData;

/// Parts of an array that are alike, as views of rank `I`, in the logical order of an array of rank
/// `O` whose elements they would be: lanes, rows, chunks, windows.
///
/// Steps from either end cost no more than making the view.
#[derive(Clone)]
pub struct Subviews<'a, T: Element, O: Dimension, I: Dimension, E = ()> {
    parts: Parts<'a, T, O, I>,
    engine: PhantomData<fn() -> E>,
}

/// As [`Subviews`], for writing: no two of the parts have an element in common.
pub struct SubviewsMut<'a, T: Element, O: Dimension, I: Dimension, E = ()> {
    parts: Parts<'a, T, O, I>,
    engine: PhantomData<fn() -> E>,
    exclusive: PhantomData<&'a mut [T]>,
}

/// The subviews at index 0, 1, .. of an axis: what `axis_iter` returns.
pub type AxisIter<'a, T, R, E = ()> = Subviews<'a, T, Rank<1>, <R as Dimension>::Smaller, E>;
/// The subviews at index 0, 1, .. of an axis, for writing: what `axis_iter_mut` returns.
pub type AxisIterMut<'a, T, R, E = ()> = SubviewsMut<'a, T, Rank<1>, <R as Dimension>::Smaller, E>;

/// Where parts lie that are alike.
#[derive(Clone)]
struct Parts<'a, T, O: Dimension, I: Dimension> {
    memory: Memory<'a, T>,
    /// Where each begins.
    walk: Walk<O>,
    /// What each is like.
    part: Layout<I>,
}

/// The two layouts that a layout splits in: of where each part begins, and of each part.
pub(crate) type Split<O, I> = (Layout<O>, Layout<I>);

impl<'a, T, O: Dimension, I: Dimension> Parts<'a, T, O, I> {
    #[inline]
    fn new(memory: Memory<'a, T>, (starts, part): Split<O, I>) -> Self {
        // Parts without elements lie nowhere, wherever they begin.
        let starts = if part.is_empty() { starts.standing_still() } else { starts };
        Parts { memory, walk: Walk::new(starts), part }
    }
}

impl<'a, T: Element, O: Dimension, I: Dimension, E> Subviews<'a, T, O, I, E> {
    /// The split is one of the layout of a view of this memory.
    #[inline]
    pub(crate) fn new(memory: Memory<'a, T>, split: Split<O, I>) -> Self {
        Subviews { parts: Parts::new(memory, split), engine: PhantomData }
    }
}

impl<'a, T: Element, O: Dimension, I: Dimension, E> SubviewsMut<'a, T, O, I, E> {
    /// # Safety
    /// The split is one of the layout of the view, into parts that have no element in common and
    /// reach none twice.
    #[inline]
    unsafe fn new<R: Dimension>(view: ViewMut<'a, T, R, E>, split: Split<O, I>) -> Self {
        SubviewsMut { parts: Parts::new(view.memory(), split), engine: PhantomData, exclusive: PhantomData }
    }

    #[inline]
    fn give(memory: Memory<'a, T>, part: Layout<I>) -> ViewMut<'a, T, I, E> {
        // SAFETY: each part is given out once. `new` demands that they have no element in common
        // and reach none twice (I3), and the view that they are parts of is given up (I2).
        unsafe { ViewMut::part(memory, part) }
    }
}

impl<'a, T: Element, I: Dimension, E> SubviewsMut<'a, T, Rank<1>, I, E> {
    /// Along an axis of a view.
    ///
    /// # Errors
    /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange).
    #[inline]
    pub(crate) fn along<R>(view: ViewMut<'a, T, R, E>, axis: usize) -> Result<Self, LayoutError>
    where
        R: Dimension<Smaller = I>,
    {
        let split = view.layout().along(axis)?;
        // SAFETY: two indices never reach one element (I3).
        Ok(unsafe { SubviewsMut::new(view, split) })
    }
}

macro_rules! subviews {
    ($name:ident, $view:ident, $give:expr) => {
        impl<'a, T: Element, O: Dimension, I: Dimension, E> Iterator for $name<'a, T, O, I, E> {
            type Item = $view<'a, T, I, E>;

            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                let (_, place) = self.parts.walk.next()?;
                Some($give(self.parts.memory, self.parts.part.at(place)))
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                (self.parts.walk.len(), Some(self.parts.walk.len()))
            }

            #[inline]
            fn nth(&mut self, n: usize) -> Option<Self::Item> {
                self.parts.walk.skip(n);
                self.next()
            }
        }

        impl<T: Element, O: Dimension, I: Dimension, E> DoubleEndedIterator for $name<'_, T, O, I, E> {
            #[inline]
            fn next_back(&mut self) -> Option<Self::Item> {
                let (_, place) = self.parts.walk.next_back()?;
                Some($give(self.parts.memory, self.parts.part.at(place)))
            }

            #[inline]
            fn nth_back(&mut self, n: usize) -> Option<Self::Item> {
                self.parts.walk.skip_back(n);
                self.next_back()
            }
        }

        impl<T: Element, O: Dimension, I: Dimension, E> ExactSizeIterator for $name<'_, T, O, I, E> {}
        impl<T: Element, O: Dimension, I: Dimension, E> FusedIterator for $name<'_, T, O, I, E> {}

        impl<T: Element + fmt::Debug, O: Dimension, I: Dimension, E> fmt::Debug for $name<'_, T, O, I, E> {
            /// What is left: the parts that were given out are not looked at.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let left = Subviews::<T, O, I, E> { parts: self.parts.clone(), engine: PhantomData };
                f.write_str(concat!(stringify!($name), " "))?;
                f.debug_list().entries(left).finish()
            }
        }
    };
}

subviews!(Subviews, View, View::part);
subviews!(SubviewsMut, ViewMut, Self::give);
