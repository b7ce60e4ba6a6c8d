//! Iteration over elements in logical (row-major) order.

use crate::buffer::append_each;
use crate::dimension::Dimension;
use crate::element::Item;
use crate::line::{Elements, Line};
use crate::raw::{Memory, View, ViewMut};
use std::fmt;
use std::hint::assert_unchecked;
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::ops::DerefMut;
use std::slice;

/// How elements lie: side by side, as a slice, of which the compiler makes better loops; or else.
// Which of them it is in memory of its own: that it is a slice, a loop would else tell by whether
// the slice's address is one, which changes each time round.
#[derive(Clone)]
#[repr(u8)]
enum Way<S, T: Item, R: Dimension> {
    Side(S),
    Lines(R::Kept<Elements<T, R>>),
}

/// The elements of an array in logical order: what `iter` returns.
#[derive(Clone)]
pub struct Iter<'a, T: Item, R: Dimension>(Way<slice::Iter<'a, T>, T, R>);

impl<'a, T: Item, R: Dimension> Iter<'a, T, R> {
    #[inline]
    pub(crate) fn new<E>(view: &View<'a, T, R, E>) -> Self {
        // To look for lines takes a call where the rank is not known, and its axes are moved.
        if const { R::NDIM.is_none() }
            && let Some(slice) = view.as_slice()
        {
            return Iter(Way::Side(slice.iter()));
        }
        Iter(Self::ways(Elements::new(view)))
    }

    /// Appends clones of the elements of a view to a list that has room for them.
    // Inlined always: if it is depends on what else is compiled beside it, and takes some a fourth
    // less time.
    #[inline(always)]
    pub(crate) fn clone_all<E>(view: &View<'a, T, R, E>, to: &mut Vec<T>) {
        // Not by an iterator, which asks for memory if the rank is not known.
        let mut elements = Elements::new(view);
        let mut line = elements.first_line();
        loop {
            // Of a line that lives for as long as the view at most: nothing of it is kept.
            Lane(line).clone_to(to);
            match elements.next_line() {
                Some(next) => line = next,
                None => break,
            }
        }
    }
}

/// Evenly spaced elements, for reading.
pub(crate) struct Lane<'a, T>(Line<'a, T>);

impl<'a, T: Item> Lane<'a, T> {
    /// The elements at `place`, `place + stride`, .., all of which the layout of a view of this
    /// memory reaches.
    #[inline]
    pub fn new(memory: Memory<'a, T>, place: usize, stride: isize, len: usize) -> Self {
        Lane(Line::new(memory, place, stride, len))
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    #[inline]
    pub fn at(&self, i: usize) -> &'a T {
        assert!(i < self.len());
        let (first, stride) = self.0.steps();
        // SAFETY: the lane has an element `i`, which a view's layout reaches.
        unsafe { shared(first.offset(i as isize * stride)) }
    }

    /// Appends clones of the elements to a list that has room for them.
    fn clone_to(&self, to: &mut Vec<T>) {
        match self.as_slice() {
            Some(slice) => to.extend_from_slice(slice),
            None => {
                let (first, stride) = self.0.steps();
                // SAFETY: the lane has an element `i`, which a view's layout reaches.
                let element =
                    |i: usize| unsafe { shared(first.offset(i as isize * stride)) }.clone();
                append_each(to, self.len(), element);
            }
        }
    }

    /// The elements as a slice, if they lie side by side.
    #[inline]
    pub fn as_slice(&self) -> Option<&'a [T]> {
        let first = self.0.side_by_side()?;
        // SAFETY: as many elements lie side by side from there on, in bounds, and a view's layout
        // reaches them: readable for 'a by I2.
        Some(unsafe { slice::from_raw_parts(first, self.0.len()) })
    }
}

/// The elements for writing, in logical order: what `iter_mut` returns.
pub struct IterMut<'a, T: Item, R: Dimension> {
    elements: Way<slice::IterMut<'a, T>, T, R>,
    exclusive: PhantomData<&'a mut T>,
}

/// The first `count` elements, and the others; all and none, if there are no more.
fn parts<T: Item, R: Dimension, K>(elements: K, count: usize) -> (K, K)
where
    K: Clone + DerefMut<Target = Elements<T, R>>,
{
    let (mut first, mut rest) = (elements.clone(), elements);
    rest.skip(count);
    first.skip_back(rest.len());
    (first, rest)
}

impl<T: Item, R: Dimension> Iter<'_, T, R> {
    /// The first `count` elements that are left, and the others; all and none, if there are no
    /// more.
    ///
    /// ```
    /// let a = ndcore::array![[1, 2], [3, 4]];
    /// let (first, rest) = a.t().iter().split_at(3);
    /// assert_eq!((first.len(), rest.copied().collect()), (3, vec![4]));
    /// ```
    pub fn split_at(self, count: usize) -> (Self, Self) {
        match self.0 {
            Way::Side(side) => {
                let (first, rest) = side.as_slice().split_at(count.min(side.len()));
                (Iter(Way::Side(first.iter())), Iter(Way::Side(rest.iter())))
            }
            Way::Lines(lines) => {
                let (first, rest) = parts(lines, count);
                (Iter(Way::Lines(first)), Iter(Way::Lines(rest)))
            }
        }
    }
}

impl<T: Item, R: Dimension> IterMut<'_, T, R> {
    /// The first `count` elements that are left, and the others; all and none, if there are no
    /// more.
    pub fn split_at(self, count: usize) -> (Self, Self) {
        let part = |elements| IterMut { elements, exclusive: PhantomData };
        match self.elements {
            Way::Side(side) => {
                let count = count.min(side.len());
                let (first, rest) = side.into_slice().split_at_mut(count);
                (part(Way::Side(first.iter_mut())), part(Way::Side(rest.iter_mut())))
            }
            Way::Lines(lines) => {
                // No element is in both.
                let (first, rest) = parts(lines, count);
                (part(Way::Lines(first)), part(Way::Lines(rest)))
            }
        }
    }
}

impl<'a, T: Item, R: Dimension> IterMut<'a, T, R> {
    #[inline]
    pub(crate) fn new<E>(view: ViewMut<'a, T, R, E>) -> Self {
        let elements = Self::ways(Elements::new(&view.into_view()));
        IterMut { elements, exclusive: PhantomData }
    }
}

macro_rules! elements {
    ($name:ident, $element:ty, $this:ident => $ways:expr, $reference:ident, $slice:path, $side:ident $iter:ident, $side_of:ident => $pointer:expr) => {
        impl<'a, T: Item, R: Dimension> $name<'a, T, R> {
            #[inline]
            fn give(element: *mut T) -> $element {
                // SAFETY: called with what `Elements` gives alone: the addresses of the elements
                // that the layout of the view in `new` reaches, each once.
                unsafe { $reference(element) }
            }

            /// The elements of a line that lie side by side.
            #[inline]
            fn side(first: *mut T, len: usize) -> slice::$side<'a, T> {
                // SAFETY: as many lie side by side from there on; else as in `give`.
                unsafe {
                    assert_unchecked(!first.is_null());
                    $slice(first, len)
                }
                .$iter()
            }

            #[inline]
            fn ways(elements: Elements<T, R>) -> Way<slice::$side<'a, T>, T, R> {
                match elements.one_side() {
                    Some((first, len)) => Way::Side(Self::side(first, len)),
                    None => Way::Lines(elements.into()),
                }
            }

            /// [`fold`](Iterator::fold) as part of the caller: what a closure captures is read
            /// again for each element where this is a function of its own.
            #[doc(hidden)]
            #[inline(always)]
            pub fn fold_here<B>(self, init: B, mut f: impl FnMut(B, $element) -> B) -> B {
                let $this = self;
                // In the same loops: to compile others takes as long again.
                let (mut line, mut lines) = match $ways {
                    Way::Side($side_of) => {
                        let len = $side_of.len();
                        (Line::of_side_by_side($pointer, len), None)
                    }
                    Way::Lines(mut lines) => (lines.first_line(), Some(lines)),
                };
                let mut value = init;
                loop {
                    if let Some(first) = line.side_by_side() {
                        value = Self::side(first, line.len()).fold(value, &mut f);
                    } else {
                        while let Some(element) = line.next() {
                            value = f(value, Self::give(element));
                        }
                    }
                    match lines.as_mut().and_then(|lines| lines.next_line()) {
                        Some(next) => line = next,
                        None => return value,
                    }
                }
            }
        }

        impl<'a, T: Item, R: Dimension> Iterator for $name<'a, T, R> {
            type Item = $element;

            #[inline]
            fn next(&mut self) -> Option<$element> {
                let $this = self;
                match &mut $ways {
                    Way::Side(side) => side.next(),
                    Way::Lines(lines) => lines.next().map(Self::give),
                }
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                let $this = self;
                let left = match &$ways {
                    Way::Side(side) => side.len(),
                    Way::Lines(lines) => lines.len(),
                };
                (left, Some(left))
            }

            #[inline]
            fn nth(&mut self, n: usize) -> Option<$element> {
                let $this = self;
                match &mut $ways {
                    Way::Side(side) => side.nth(n),
                    Way::Lines(lines) => {
                        lines.skip(n);
                        lines.next().map(Self::give)
                    }
                }
            }

            #[inline]
            fn fold<B, F: FnMut(B, $element) -> B>(self, init: B, f: F) -> B {
                self.fold_here(init, f)
            }
        }

        impl<T: Item, R: Dimension> DoubleEndedIterator for $name<'_, T, R> {
            #[inline]
            fn next_back(&mut self) -> Option<Self::Item> {
                let $this = self;
                match &mut $ways {
                    Way::Side(side) => side.next_back(),
                    Way::Lines(lines) => lines.next_back().map(Self::give),
                }
            }

            #[inline]
            fn nth_back(&mut self, n: usize) -> Option<Self::Item> {
                let $this = self;
                match &mut $ways {
                    Way::Side(side) => side.nth_back(n),
                    Way::Lines(lines) => {
                        lines.skip_back(n);
                        lines.next_back().map(Self::give)
                    }
                }
            }
        }

        impl<T: Item, R: Dimension> ExactSizeIterator for $name<'_, T, R> {}
        impl<T: Item, R: Dimension> FusedIterator for $name<'_, T, R> {}

        impl<T: Item + fmt::Debug, R: Dimension> fmt::Debug for $name<'_, T, R> {
            /// What is left: the elements that were given out are not looked at.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let $this = self;
                let left = match &$ways {
                    Way::Side(side) => Way::Side(side.as_slice().iter()),
                    Way::Lines(lines) => Way::Lines(lines.clone()),
                };
                f.write_str(concat!(stringify!($name), " "))?;
                f.debug_list().entries(Iter::<T, R>(left)).finish()
            }
        }
    };
}

elements!(Iter, &'a T, this => this.0, shared, slice::from_raw_parts, Iter iter,
    side => side.as_slice().as_ptr().cast_mut());
elements!(IterMut, &'a mut T, this => this.elements, exclusive, slice::from_raw_parts_mut, IterMut iter_mut,
    side => side.into_slice().as_mut_ptr());

/// An element that an iterator gives out for reading.
///
/// # Safety
/// The layout of a view that lives for `'a` reaches it.
#[inline]
pub(crate) unsafe fn shared<'a, T>(element: *mut T) -> &'a T {
    // SAFETY: what a view's layout reaches is in bounds (I1) and readable for 'a (I2), so that it
    // has an address; loops end where there is none.
    unsafe {
        assert_unchecked(!element.is_null());
        &*element
    }
}

/// An element that an iterator gives out for writing.
///
/// # Safety
/// The layout of a mutable view that lives for `'a` and is given up reaches it, and the iterator
/// gives out each index once.
#[inline]
pub(crate) unsafe fn exclusive<'a, T>(element: *mut T) -> &'a mut T {
    // SAFETY: what a view's layout reaches is in bounds (I1) and reached by nobody else for 'a
    // (I2). Two indices never reach one element (I3), so that this is the only reference to it.
    unsafe {
        assert_unchecked(!element.is_null());
        &mut *element
    }
}
