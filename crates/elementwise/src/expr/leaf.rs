//! The leaves: arrays and views, owned arrays, scalars.

use super::{Expr, ExprRank, Extents, Floating, MeetsRank, Operand, SameElement};
use crate::kernel::{Leaf, Splat};
use crate::plan::Operands;
use crate::types::{Array, Scalar, View, ViewMut};
use bcast::Error;
use ndcore::{Axes, Dimension, Dyn, Element, Nest};

fn view_extents<T: Element, R: Dimension>(view: View<'_, T, R>) -> Extents {
    Extents::Fixed(view.shape().iter().copied().collect())
}

/// The axes of the result that an operand lies along. One element lies everywhere, whatever axes it was given.
fn dims_of<'d, T: Element, R: Dimension>(view: &View<'_, T, R>, dims: &'d [usize]) -> &'d [usize] {
    if view.ndim() == 0 { &[] } else { dims }
}

fn view_operands<T: Element, R: Dimension>(
    view: View<'_, T, R>,
    shape: &[usize],
    dims: &[usize],
    to: &mut Operands,
) -> Result<(), Error> {
    to.push(view.layout().expand_strides(shape, dims_of(&view, dims))?, size_of::<T>());
    Ok(())
}

fn bind_view<'a, T: Element, R: Dimension>(
    view: View<'a, T, R>,
    shape: &[usize],
    dims: &[usize],
    nest: &Nest,
    packed: &mut dyn Iterator<Item = bool>,
) -> Leaf<'a, T> {
    let shape = shape.iter().copied().collect();
    let placed = view.expand::<Dyn>(shape, dims_of(&view, dims)).expect("it was placed so when the plan was made");
    Leaf::new(placed.nested(nest), packed.next().expect("the plan has an entry for each leaf"))
}

/// What has a view is a leaf, and stands for itself as an operand.
macro_rules! leaves {
    ($([$($lt:tt)*] $type:ty;)*) => {$(
        impl<$($lt)* T: Element, R: Dimension> Expr for $type {
            type Elem = T;
            type Rank = R;
            type Source<'s> = Leaf<'s, T> where Self: 's;

            fn extents(&self) -> Result<Extents, Error> {
                Ok(view_extents(self.view()))
            }

            #[inline]
            fn model(&self) -> Option<(&[usize], &[isize])> {
                Some((self.shape(), self.strides()))
            }

            #[inline]
            fn flat<'s>(&'s self, shape: &[usize], strides: &[isize]) -> Option<&'s [T]> {
                let same = self.shape() == shape && self.strides() == strides;
                if same { self.view().as_slice_memory_order() } else { None }
            }

            fn operands(&self, shape: &[usize], dims: &[usize], to: &mut Operands) -> Result<(), Error> {
                view_operands(self.view(), shape, dims, to)
            }

            fn bind<'s>(
                &'s self,
                shape: &[usize],
                dims: &[usize],
                nest: &Nest,
                packed: &mut dyn Iterator<Item = bool>,
            ) -> Leaf<'s, T> {
                bind_view(self.view(), shape, dims, nest, packed)
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

    fn extents(&self) -> Result<Extents, Error> {
        Ok(Extents::Fixed(Axes::new()))
    }

    #[inline]
    fn model(&self) -> Option<(&[usize], &[isize])> {
        None
    }

    #[inline]
    fn flat(&self, _: &[usize], _: &[isize]) -> Option<Splat<T>> {
        Some(Splat(self.0))
    }

    fn operands(&self, _: &[usize], _: &[usize], _: &mut Operands) -> Result<(), Error> {
        Ok(())
    }

    fn bind(&self, _: &[usize], _: &[usize], _: &Nest, _: &mut dyn Iterator<Item = bool>) -> Splat<T> {
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
