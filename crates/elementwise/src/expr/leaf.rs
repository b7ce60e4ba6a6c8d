//! The leaves: arrays and views, owned arrays, scalars.

use super::{Binding, Expr, ExprRank, Floating, MeetsRank, Operand, SameElement, Tree, Whole};
use crate::kernel::{Leaf, Splat};
use crate::types::{Array, Scalar, View, ViewMut};
use ndcore::{Dimension, Dyn, Element, Packed};

/// What has a view is a leaf, and stands for itself as an operand.
macro_rules! leaves {
    ($([$($lt:tt)*] $type:ty;)*) => {$(
        impl<$($lt)* T: Element, R: Dimension> Expr for $type {
            type Elem = T;
            type Rank = R;
            type Source<'s> = Leaf<'s, T> where Self: 's;
            const COST: usize = 0;
            type Lifted = Self;

            #[inline]
            fn lift(self) -> Self {
                self
            }

            #[inline]
            fn describe<'s>(&'s self, tree: &mut Tree<'s>) {
                tree.leaf(self.shape(), self.strides(), size_of::<T>());
            }

            fn bind<'s>(&'s self, binding: &mut Binding<'_>) -> Leaf<'s, T> {
                binding.leaf(self.view())
            }

            #[inline]
            fn model(&self) -> Option<(&[usize], &[isize])> {
                Some((self.shape(), self.strides()))
            }

            fn in_memory(&self) -> Option<View<'_, T, Dyn>> {
                Some(self.view().as_dyn())
            }

            type Buffers = Packed<T>;

            // Or else, where there are several arrays, it becomes a call for each.
            #[inline(always)]
            fn flat<'s>(&'s self, to: &Whole<'_>, buffer: &'s mut Packed<T>) -> Option<&'s [T]> {
                let same = to.dims.is_none() && self.shape() == to.shape && self.strides() == to.strides;
                if same { self.memory_from_first(to.len) } else { to.spread(self.view(), buffer) }
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
    [] Owned<T, R>;
}

/// An array given by value: the expression owns it.
pub struct Owned<T: Element, R: Dimension>(pub(super) Array<T, R>);

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
    type Lifted = Self;

    #[inline]
    fn lift(self) -> Self {
        self
    }

    #[inline]
    fn describe<'s>(&'s self, tree: &mut Tree<'s>) {
        tree.scalar();
    }

    #[inline]
    fn bind(&self, _: &mut Binding<'_>) -> Splat<T> {
        Splat(self.0)
    }

    #[inline]
    fn model(&self) -> Option<(&[usize], &[isize])> {
        None
    }

    type Buffers = ();

    #[inline]
    fn flat(&self, _: &Whole<'_>, _: &mut ()) -> Option<Splat<T>> {
        Some(Splat(self.0))
    }
}

impl<T: Scalar, Q: ExprRank> Operand<T, Q> for T {
    type Expr = Constant<T>;

    #[inline]
    fn into_expr(self) -> Constant<T> {
        Constant(self)
    }
}
