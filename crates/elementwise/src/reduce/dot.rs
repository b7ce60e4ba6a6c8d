//! The sum of products, as products of vectors are computed: [`Dot`] of [`Times`].

#![forbid(unsafe_code)]

use super::{MonoidReduction, Named};
use crate::number::{Number, ProductOf};
use crate::ops::{Add, Mul, Op};
use bcast::Error;
use std::marker::PhantomData;

/// What holds the sum of any number of products of elements.
pub(crate) type DotTotal<T> = <<T as Number>::Product as ProductOf<T>>::Wide;

/// The multiplication of two elements, whose result holds every product: see [`Number::Product`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times;

impl<T: Number> Op<(T, T)> for Times {
    type Output = T::Product;
    // To those who plan, it is the multiplication.
    const COST: usize = <Mul as Op<(T, T)>>::COST;
    const MULTIPLY_ADDS: bool = <Mul as Op<(T, T)>>::MULTIPLY_ADDS;
    const NAME: Option<&'static str> = <Mul as Op<(T, T)>>::NAME;

    #[inline(always)]
    fn apply(&self, (a, b): (T, T)) -> T::Product {
        T::Product::of(a, b)
    }
}

/// What adds up the products of elements of type `T`.
pub(crate) fn sum_of_products<T: Number>() -> <T::Product as ProductOf<T>>::Fold {
    Default::default()
}

/// The sum of what [`Times`] makes of elements of type `T`, where that is of another type: rounded
/// once, or for integers an error if it does not fit in `T`.
#[derive(Debug)]
pub struct Dot<T>(PhantomData<fn() -> T>);

impl<T> Default for Dot<T> {
    fn default() -> Self {
        Dot(PhantomData)
    }
}

impl<T> Named for Dot<T> {
    const NAME: &'static str = "dot";
}

impl<T: Number> MonoidReduction<T::Product> for Dot<T> {
    type Op = Add;
    type Acc = <T::Product as ProductOf<T>>::Acc;
    type Total = DotTotal<T>;
    type Output = T;
    const EXACT: bool = T::EXACT;

    #[inline(always)]
    fn lift(&self, product: T::Product) -> Self::Acc {
        product.lift()
    }

    #[inline(always)]
    fn total(&self, acc: Self::Acc) -> Self::Total {
        T::Product::total(acc)
    }

    #[inline(always)]
    fn finish(&self, total: Self::Total, _: usize) -> Result<T, Error> {
        T::Product::narrow(total)
    }

    fn empty(&self) -> Option<T> {
        Some(T::zero())
    }
}
