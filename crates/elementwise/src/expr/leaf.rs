//! The leaves: arrays and views, owned arrays, scalars.

use super::bind::Viewed;
use super::{Binder, ElementType, Elements, Expr, Facts, Floating, Form, Lazy, Term, Visitor};
use crate::kernel::Splat;
use crate::types::{ArcArray, Array, CowArray, Scalar, View, ViewMut, for_types};
use ndcore::{Dimension, Element};
use std::any::Any;

/// What has a view is a leaf.
macro_rules! leaves {
    ($([$($lt:tt)*] $type:ty $({owns: $owns:literal, $($owned:tt)*} {$($lent:tt)*})?;)*) => {$(
        impl<$($lt)* T: Element, R: Dimension> Expr for $type {
            type Elem = T;
            type Rank = R;
            itself!();
            const FACTS: Facts = Facts { $(owns: $owns,)? ..Facts::ARRAY };

            #[inline(always)]
            fn describe<'s, V: Visitor<'s> + ?Sized>(&'s self, visitor: &mut V) {
                visitor.elements(self);
                visitor.leaf(self.shape(), self.strides(), ElementType::of::<T>());
            }

            #[inline(always)]
            fn bind<'s, B: Binder<'s>>(&'s self, binder: &mut B) -> B::Leaf<T> {
                binder.leaf(self)
            }

            #[inline(always)]
            fn in_memory(&self) -> Option<View<'_, T, R>> {
                Some(self.view())
            }

            $($($owned)*)?
        }

        impl<$($lt)* T: Element, R: Dimension> Elements for $type {
            fn at(&self, index: &[usize]) -> Option<&dyn Any> {
                let element: &T = self.get(R::shape(index).ok()?)?;
                Some(element)
            }
        }

        impl<$($lt)* T: Element, R: Dimension> Viewed for $type {
            type Elem = T;
            type Rank = R;

            #[inline(always)]
            fn viewed(&self) -> View<'_, T, R> {
                self.view()
            }

            #[inline(always)]
            fn in_memory_order(&self, len: usize) -> Option<&[T]> {
                self.memory_from_first(len)
            }

            $($($lent)*)?
        }
    )*};
}

/// What stands for itself as an operand.
macro_rules! terms {
    ($([$($lt:tt)*] $type:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($lt)* T: Element, R: Dimension> Term for $type {
            type Expr = Self;

            #[inline(always)]
            fn into_term(self) -> Self {
                self
            }
        }
    )*};
}
// Not a reference to a view: as an operand the view itself stands for it, which is less to look at.
terms! {
    ['a,] &'a Array<T, R>;
    ['a,] View<'a, T, R>;
    ['a, 'b,] &'a ViewMut<'b, T, R>;
    ['a,] &'a ArcArray<T, R>;
    ['a, 'b,] &'a CowArray<'b, T, R>;
    [] Shared<T, R>;
    [] Owned<T, R>;
}

leaves! {
    ['a,] &'a Array<T, R>;
    ['a,] View<'a, T, R>;
    ['a, 'b,] &'a View<'b, T, R>;
    ['a, 'b,] &'a ViewMut<'b, T, R>;
    ['a,] &'a ArcArray<T, R>;
    ['a, 'b,] &'a CowArray<'b, T, R>;
    [] Shared<T, R>;
    [] Owned<T, R> {
        owns: true,

        #[inline(always)]
        fn owned(&mut self, each: &mut dyn FnMut(&mut dyn Any)) {
            each(self);
        }
    } {
        fn is_lent(&self) -> bool {
            Owned::is_lent(self)
        }
    };
}

/// A shared array given by value: expressions that are returned from where the array was made have
/// it, and `clone` moves nothing.
///
/// ```
/// use elementwise::{ArcArray1, Expr, Lazy, Shared, array};
/// let x: ArcArray1<i32> = array![1, 2, 3].into_shared();
/// let square = |x: Lazy<Shared<i32, _>>| x.clone() * x;
/// assert_eq!(square(Shared::lazy(x)).eval()?.to_vec(), [1, 4, 9]);
/// # Ok::<(), elementwise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Shared<T: Element, R: Dimension>(ArcArray<T, R>);

impl<T: Element, R: Dimension> Shared<T, R> {
    /// An array as an expression.
    pub fn lazy(array: ArcArray<T, R>) -> Lazy<Self> {
        Expr::lazy(Shared(array))
    }

    /// A view of the elements.
    #[inline]
    pub fn view(&self) -> View<'_, T, R> {
        self.0.view()
    }

    #[inline]
    fn shape(&self) -> &[usize] {
        self.0.layout().shape()
    }

    fn get(&self, index: R::Shape) -> Option<&T> {
        self.0.get(index)
    }

    #[inline]
    fn strides(&self) -> &[isize] {
        self.0.layout().strides()
    }

    #[inline]
    fn memory_from_first(&self, len: usize) -> Option<&[T]> {
        self.0.memory_from_first(len)
    }
}

/// An array given by value: the expression owns it, and its memory may become that of the result.
pub struct Owned<T: Element, R: Dimension>(Held<T, R>);

enum Held<T: Element, R: Dimension> {
    Here(Array<T, R>),
    /// It is the result, of which the elements are read before they are overwritten.
    Lent(View<'static, T, R>),
    Given,
}

impl<T: Element + std::fmt::Debug, R: Dimension> std::fmt::Debug for Owned<T, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Held::Here(array) => array.fmt(f),
            _ => f.write_str("given away"),
        }
    }
}

impl<T: Element, R: Dimension> Owned<T, R> {
    pub(crate) fn new(array: Array<T, R>) -> Self {
        Owned(Held::Here(array))
    }

    /// The bytes of the elements, if the array is here.
    #[inline]
    pub(crate) fn bytes(&self) -> usize {
        self.shape().iter().product::<usize>() * size_of::<T>()
    }

    /// The array, if it is here.
    pub(crate) fn into_array(self) -> Option<Array<T, R>> {
        if let Held::Here(array) = self.0 { Some(array) } else { None }
    }

    /// Its shape and strides.
    #[inline]
    pub(crate) fn layout(&self) -> (&[usize], &[isize]) {
        (self.shape(), self.strides())
    }

    /// Gives the array away, if it has this shape and these strides; then it must be lent.
    #[inline]
    pub(crate) fn give(&mut self, shape: &[usize], strides: &[isize]) -> Option<Array<T, R>> {
        if !self.lies(shape, strides) {
            return None;
        }
        match std::mem::replace(&mut self.0, Held::Given) {
            Held::Here(array) => Some(array),
            _ => None,
        }
    }

    /// Whether the array is here, and has this shape and these strides.
    #[inline]
    pub(crate) fn lies(&self, shape: &[usize], strides: &[isize]) -> bool {
        matches!(&self.0, Held::Here(array) if array.shape() == shape && array.strides() == strides)
    }

    /// Overwrites elements, from this place in the order of memory on. False if the array has
    /// another layout than this one, or gaps.
    #[inline]
    pub(crate) fn overwrite(
        &mut self,
        (shape, strides): (&[usize], &[isize]),
        from: usize,
        values: &[T],
    ) -> bool {
        if !self.lies(shape, strides) {
            return false;
        }
        let Held::Here(array) = &mut self.0 else { return false };
        let mut view = array.view_mut();
        let Some(all) = view.as_slice_memory_order_mut() else { return false };
        all[from..][..values.len()].copy_from_slice(values);
        true
    }

    /// Takes a view of what was given away, if this one was.
    pub(crate) fn settle(&mut self, view: View<'static, T, R>) {
        if let Held::Given = self.0 {
            self.0 = Held::Lent(view);
        }
    }

    /// Whether what is read is overwritten later.
    pub(crate) fn is_lent(&self) -> bool {
        matches!(self.0, Held::Lent(_))
    }

    #[inline]
    fn view(&self) -> View<'_, T, R> {
        match &self.0 {
            Held::Here(array) => array.view(),
            Held::Lent(view) => *view,
            Held::Given => unreachable!("what was given away is lent"),
        }
    }

    #[inline]
    fn shape(&self) -> &[usize] {
        match &self.0 {
            Held::Here(array) => array.shape(),
            Held::Lent(view) => view.layout().shape(),
            Held::Given => &[],
        }
    }

    #[inline]
    fn strides(&self) -> &[isize] {
        match &self.0 {
            Held::Here(array) => array.strides(),
            Held::Lent(view) => view.layout().strides(),
            Held::Given => &[],
        }
    }

    fn get(&self, index: R::Shape) -> Option<&T> {
        match &self.0 {
            Held::Here(array) => array.get(index),
            Held::Lent(view) => view.get(index),
            Held::Given => None,
        }
    }

    #[inline]
    fn memory_from_first(&self, len: usize) -> Option<&[T]> {
        match &self.0 {
            Held::Here(array) => array.memory_from_first(len),
            // Only for the moment: see `alias`.
            _ => None,
        }
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, R: Dimension> Term for Array<T, R> {
    type Expr = Owned<T, R>;

    fn into_term(self) -> Owned<T, R> {
        Owned::new(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, R: Dimension> Term for ArcArray<T, R> {
    type Expr = Shared<T, R>;

    fn into_term(self) -> Shared<T, R> {
        Shared(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, R: Dimension> Term for CowArray<'_, T, R> {
    type Expr = Owned<T, R>;

    /// A copy of a view, as the result may be in its memory.
    fn into_term(self) -> Owned<T, R> {
        Owned::new(self.into_owned())
    }
}

/// Where a function has an array by `&mut`: `x.dot(w)`.
#[diagnostic::do_not_recommend]
impl<'a, T: Element, R: Dimension> Term for &'a mut Array<T, R> {
    type Expr = &'a Array<T, R>;

    #[inline(always)]
    fn into_term(self) -> &'a Array<T, R> {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<'b, T: Element, R: Dimension> Term for ViewMut<'b, T, R> {
    type Expr = View<'b, T, R>;

    #[inline(always)]
    fn into_term(self) -> View<'b, T, R> {
        self.into_view()
    }
}

#[diagnostic::do_not_recommend]
impl<'b, T: Element, R: Dimension> Term for &View<'b, T, R> {
    type Expr = View<'b, T, R>;

    #[inline(always)]
    fn into_term(self) -> View<'b, T, R> {
        *self
    }
}

/// A scalar in an expression: the same value for every element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constant<T>(pub T);

impl<T: Element> Expr for Constant<T> {
    type Elem = T;
    type Rank = Floating;
    itself!();
    const FACTS: Facts = Facts { form: Form::Scalar, ..Facts::LEAF };

    #[inline(always)]
    fn describe<'s, V: Visitor<'s> + ?Sized>(&'s self, visitor: &mut V) {
        visitor.scalar(&self.0, ElementType::of::<T>());
    }

    #[inline(always)]
    fn bind<'s, B: Binder<'s>>(&'s self, _: &mut B) -> Splat<T> {
        Splat(self.0)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Scalar> Term for T {
    type Expr = Constant<T>;

    #[inline(always)]
    fn into_term(self) -> Constant<T> {
        Constant(self)
    }
}

macro_rules! scalar_reference {
    ($type:ty, ()) => {
        #[diagnostic::do_not_recommend]
        impl Term for &$type {
            type Expr = Constant<$type>;

            #[inline(always)]
            fn into_term(self) -> Constant<$type> {
                Constant(*self)
            }
        }
    };
}
// Not for every `Scalar`: another crate might implement that for a reference.
for_types!(all => scalar_reference!());
