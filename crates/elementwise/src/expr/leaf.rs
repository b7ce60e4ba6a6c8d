//! The leaves: arrays and views, owned arrays, scalars.

use super::bind::Viewed;
use super::{Binder, ElementType, Expr, Floating, Term, Visitor};
use crate::kernel::{Leaf, Splat};
use crate::types::{ArcArray, Array, CowArray, Scalar, View, ViewMut, for_types};
use ndcore::{Dimension, Element};

/// What has a view is a leaf, and stands for itself as an operand.
macro_rules! leaves {
    ($([$($lt:tt)*] $type:ty;)*) => {$(
        impl<$($lt)* T: Element, R: Dimension> Expr for $type {
            type Elem = T;
            type Rank = R;
            type Node = Self;
            type Source<'s> = Leaf<'s, T> where Self: 's;
            const COST: usize = 0;
            const BUFFERED: bool = false;

            #[inline(always)]
            fn into_node(self) -> Self {
                self
            }

            #[inline(always)]
            fn describe<'s, V: Visitor<'s>>(&'s self, visitor: &mut V) {
                visitor.leaf(self.shape(), self.strides(), ElementType::of::<T>());
            }

            #[inline(always)]
            fn bind<'s, B: Binder<'s>>(&'s self, binder: &mut B) -> Leaf<'s, T> {
                binder.leaf(self)
            }

            #[inline(always)]
            fn in_memory(&self) -> Option<View<'_, T, R>> {
                Some(self.view())
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
        }

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

leaves! {
    ['a,] &'a Array<T, R>;
    ['a,] View<'a, T, R>;
    ['a, 'b,] &'a ViewMut<'b, T, R>;
    ['a,] &'a ArcArray<T, R>;
    ['a, 'b,] &'a CowArray<'b, T, R>;
    [] Owned<T, R>;
}

/// An array given by value: the expression owns it.
pub struct Owned<T: Element, R: Dimension>(pub(crate) Array<T, R>);

impl<T: Element + std::fmt::Debug, R: Dimension> std::fmt::Debug for Owned<T, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: Element, R: Dimension> Owned<T, R> {
    fn view(&self) -> View<'_, T, R> {
        self.0.view()
    }

    fn shape(&self) -> &[usize] {
        self.0.shape()
    }

    fn strides(&self) -> &[isize] {
        self.0.strides()
    }

    fn memory_from_first(&self, len: usize) -> Option<&[T]> {
        self.0.memory_from_first(len)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, R: Dimension> Term for Array<T, R> {
    type Expr = Owned<T, R>;

    fn into_term(self) -> Owned<T, R> {
        Owned(self)
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
    type Node = Self;
    type Source<'s> = Splat<T>;
    const COST: usize = 0;
    const BUFFERED: bool = false;

    #[inline(always)]
    fn into_node(self) -> Self {
        self
    }

    #[inline(always)]
    fn describe<'s, V: Visitor<'s>>(&'s self, visitor: &mut V) {
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
