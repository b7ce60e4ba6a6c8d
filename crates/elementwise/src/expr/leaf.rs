//! The leaves: arrays and views, owned arrays, scalars.

use super::{
    Binder, ElementType, Expr, ExprRank, Floating, MeetsRank, Operand, SameElement, Visitor,
};
use crate::kernel::{Leaf, Splat};
use crate::types::{ArcArray, Array, CowArray, Scalar, View, ViewMut};
use ndcore::{Dimension, Element};

/// What has a view is a leaf, and stands for itself as an operand.
macro_rules! leaves {
    ($([$($lt:tt)*] $type:ty;)*) => {$(
        impl<$($lt)* T: Element, R: Dimension> Expr for $type {
            type Elem = T;
            type Rank = R;
            type Source<'s> = Leaf<'s, T> where Self: 's;
            const COST: usize = 0;

            #[inline(always)]
            fn describe<'s, V: Visitor<'s>>(&'s self, visitor: &mut V) {
                visitor.leaf(self.shape(), self.strides(), ElementType::of::<T>());
            }

            #[inline(always)]
            fn bind<'s, B: Binder<'s>>(&'s self, binder: &mut B) -> Leaf<'s, T> {
                binder.leaf(|| self.view(), |len| self.memory_from_first(len))
            }

            #[inline(always)]
            fn in_memory(&self) -> Option<View<'_, T, R>> {
                Some(self.view())
            }
        }

        impl<$($lt)* T, R, U, Q> Operand<U, Q> for $type
        where
            T: Element + SameElement<U>,
            R: Dimension + MeetsRank<Q>,
            Q: ExprRank,
        {
            type Expr = Self;

            #[inline]
            fn into_expr(self) -> Self {
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
}

impl<T: Element, R: Dimension> Owned<T, R> {
    fn memory_from_first(&self, len: usize) -> Option<&[T]> {
        self.0.memory_from_first(len)
    }
}

impl<T, R, U, Q> Operand<U, Q> for Array<T, R>
where
    T: Element + SameElement<U>,
    R: Dimension + MeetsRank<Q>,
    Q: ExprRank,
{
    type Expr = Owned<T, R>;

    fn into_expr(self) -> Owned<T, R> {
        Owned(self)
    }
}

impl<'b, T, R, U, Q> Operand<U, Q> for &View<'b, T, R>
where
    T: Element + SameElement<U>,
    R: Dimension + MeetsRank<Q>,
    Q: ExprRank,
{
    type Expr = View<'b, T, R>;

    fn into_expr(self) -> View<'b, T, R> {
        *self
    }
}

/// A scalar in an expression: the same value for every element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constant<T>(pub T);

impl<T: Element> Expr for Constant<T> {
    type Elem = T;
    type Rank = Floating;
    type Source<'s> = Splat<T>;
    const COST: usize = 0;

    #[inline(always)]
    fn describe<'s, V: Visitor<'s>>(&'s self, visitor: &mut V) {
        visitor.scalar(&self.0, ElementType::of::<T>());
    }

    #[inline(always)]
    fn bind<'s, B: Binder<'s>>(&'s self, _: &mut B) -> Splat<T> {
        Splat(self.0)
    }
}

impl<T: Scalar, Q: ExprRank> Operand<T, Q> for T {
    type Expr = Constant<T>;

    #[inline]
    fn into_expr(self) -> Constant<T> {
        Constant(self)
    }
}
