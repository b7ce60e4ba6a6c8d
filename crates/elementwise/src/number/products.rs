//! [`ProductOf`]: the types that products of two elements are added up in.

use super::{Monoid, Number, overflow};
use crate::ops::{Add, Binary, CastTo, Mul};
use crate::reduce::dot::Dot;
use crate::reduce::{Accumulator, Reduction, Sum};
use bcast::Error;
use half::{bf16, f16};
use ndcore::Element;

/// The product of two elements of type `T`, and what adds up products: see [`Number::Product`].
///
/// A number is the product of two of its own type, rounded as by the operation; integers and
/// numbers of 16 bits have a wider one.
pub trait ProductOf<T>: Element {
    /// What adds up the products of a block, of which there are at most 4096.
    type Acc: Accumulator + Monoid<Add>;
    /// Holds every product, and their sums.
    type Wide: Accumulator + Monoid<Add>;
    /// The reduction that adds up products: of a number's own type, their sum, so that it has the
    /// same kernels.
    type Fold: Reduction<Self, Total = Self::Wide, Output = T> + Default;

    /// The product.
    fn of(a: T, b: T) -> Self;

    /// The sum of one product.
    fn lift(self) -> Self::Acc;

    /// The sum of a block.
    fn total(acc: Self::Acc) -> Self::Wide;

    /// The sum as an element, as by [`Number::narrow`].
    ///
    /// # Errors
    /// If an integer type does not hold it.
    fn narrow(wide: Self::Wide) -> Result<T, Error>;
}

impl<T: Number> ProductOf<T> for T {
    type Acc = <T as Number>::Acc;
    type Wide = <T as Number>::Wide;
    type Fold = Sum;

    #[inline(always)]
    fn of(a: T, b: T) -> T {
        Binary::<Mul>::binary(a, b)
    }

    #[inline(always)]
    fn lift(self) -> Self::Acc {
        Number::lift(self)
    }

    #[inline(always)]
    fn total(acc: Self::Acc) -> Self::Wide {
        <T as Number>::total(acc)
    }

    #[inline(always)]
    fn narrow(wide: Self::Wide) -> Result<T, Error> {
        <T as Number>::narrow(wide, "dot")
    }
}

/// Integers of at most 32 bits, of which products are integers of twice as many; and numbers of 16
/// bits: `f32` holds all digits of a product of two.
macro_rules! products {
    ($($type:ident in $product:ident;)*) => {$(
        impl ProductOf<$type> for $product {
            type Acc = <$product as Number>::Acc;
            type Wide = <$product as Number>::Wide;
            type Fold = Dot<$type>;

            #[inline(always)]
            fn of(a: $type, b: $type) -> $product {
                CastTo::<$product>::cast_to(a) * CastTo::<$product>::cast_to(b)
            }

            #[inline(always)]
            fn lift(self) -> Self::Acc {
                Number::lift(self)
            }

            #[inline(always)]
            fn total(acc: Self::Acc) -> Self::Wide {
                <$product as Number>::total(acc)
            }

            #[inline(always)]
            fn narrow(wide: Self::Wide) -> Result<$type, Error> {
                Number::narrow(wide, "dot")
            }
        }
    )*};
}
products! {
    i8 in i16; i16 in i32; i32 in i64;
    u8 in u16; u16 in u32; u32 in u64;
    f16 in f32; bf16 in f32;
}

/// Integers of up to 64 bits, whose sums of products do not fit in 128. A block adds up the
/// products above 2^96, and all that wraps around; blocks are added up in halves, above 2^64 and
/// below.
macro_rules! wide_products {
    ($($type:ident in $product:ident;)*) => {$(
        impl ProductOf<$type> for $product {
            type Acc = (i64, i128);
            type Wide = (i128, i128);
            type Fold = Dot<$type>;

            #[inline(always)]
            fn of(a: $type, b: $type) -> $product {
                a as $product * b as $product
            }

            #[inline(always)]
            fn lift(self) -> (i64, i128) {
                ((self >> 96) as i64, self as i128)
            }

            // The sum of the lower parts is less than 2^108: so what wraps around tells it.
            #[inline(always)]
            fn total((upper, all): (i64, i128)) -> (i128, i128) {
                let upper = i128::from(upper);
                let lower = all.wrapping_sub(upper << 96);
                ((upper << 32) + (lower >> 64), i128::from(lower as u64))
            }

            #[inline]
            fn narrow((upper, lower): (i128, i128)) -> Result<$type, Error> {
                // What the lower parts carry.
                let upper = upper + (lower >> 64);
                let whole = |upper: i128| upper | i128::from(lower as u64);
                let value = upper.checked_mul(1 << 64).map(whole);
                let sum = value.and_then(|value| $type::try_from(value).ok());
                sum.ok_or_else(|| overflow("dot", value, stringify!($type)))
            }
        }
    )*};
}
wide_products! {
    i64 in i128; isize in i128;
    u64 in u128; usize in u128;
}
