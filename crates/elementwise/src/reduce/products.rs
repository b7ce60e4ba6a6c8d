//! Products.

use super::sums::overflow;
use super::{Accumulator, Place, Reduction};
use crate::ops::CastTo;
use bcast::Error;
use half::{bf16, f16};
use ndcore::Element;
use num_complex::Complex;

/// The product. Of integers, `i64` or `u64` (`isize` or `usize` for those), or an error if it does not fit there; `f16` and `bf16` are multiplied in
/// `f32`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Product;

/// The product modulo 2 to the number of bits, in the type of the elements.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProductWrapping;

/// Element types that can be multiplied with each other.
#[diagnostic::on_unimplemented(
    message = "elements of type `{Self}` have no product",
    note = "docs/ops.md lists the types of each reduction; `.cast::<U>()` converts"
)]
pub trait Factor: Element {
    /// What multiplies the elements.
    type Acc: Accumulator;
    /// The type of the product.
    type Product: Element;

    /// One.
    fn one() -> Self::Acc;
    /// This element.
    fn widen(self) -> Self::Acc;
    /// A product.
    fn times(a: Self::Acc, b: Self::Acc) -> Self::Acc;
    /// The product of all.
    ///
    /// # Errors
    /// If the type does not hold it.
    fn product(acc: Self::Acc) -> Result<Self::Product, Error>;
}

macro_rules! integers {
    ($($type:ty => $product:ident;)*) => {$(
        impl Factor for $type {
            /// The product, and whether it did not fit: then the number means nothing, except that it is not zero.
            type Acc = ($product, bool);
            type Product = $product;

            #[inline(always)]
            fn one() -> ($product, bool) {
                (1, false)
            }

            #[inline(always)]
            fn widen(self) -> ($product, bool) {
                (self as $product, false)
            }

            #[inline(always)]
            fn times((a, a_over): ($product, bool), (b, b_over): ($product, bool)) -> ($product, bool) {
                // Nothing that did not fit matters beside a zero.
                match a.overflowing_mul(b) {
                    _ if a == 0 || b == 0 => (0, false),
                    (_, true) => (1, true),
                    (product, _) if a_over || b_over => (product | 1, true),
                    (product, _) => (product, false),
                }
            }

            fn product((product, over): ($product, bool)) -> Result<$product, Error> {
                if over { Err(overflow("product", None, stringify!($product))) } else { Ok(product) }
            }
        }
    )*};
}
integers! {
    i8 => i64; i16 => i64; i32 => i64; i64 => i64; isize => isize;
    u8 => u64; u16 => u64; u32 => u64; u64 => u64; usize => usize;
}

macro_rules! floats {
    ($($type:ty: $acc:ty, $one:expr, |$value:ident| $wide:expr, |$total:ident| $narrow:expr;)*) => {$(
        impl Factor for $type {
            type Acc = $acc;
            type Product = $type;

            #[inline(always)]
            fn one() -> $acc {
                $one
            }

            #[inline(always)]
            fn widen(self) -> $acc {
                let $value = self;
                $wide
            }

            #[inline(always)]
            fn times(a: $acc, b: $acc) -> $acc {
                a * b
            }

            #[inline(always)]
            fn product($total: $acc) -> Result<$type, Error> {
                Ok($narrow)
            }
        }
    )*};
}
floats! {
    f32: f32, 1.0, |value| value, |total| total;
    f64: f64, 1.0, |value| value, |total| total;
    f16: f32, 1.0, |value| CastTo::<f32>::cast_to(value), |total| f16::from_f32(total);
    bf16: f32, 1.0, |value| CastTo::<f32>::cast_to(value), |total| bf16::from_f32(total);
    Complex<f32>: Complex<f32>, Complex::new(1.0, 0.0), |value| value, |total| total;
    Complex<f64>: Complex<f64>, Complex::new(1.0, 0.0), |value| value, |total| total;
}

impl<T: Factor> Reduction<T> for Product {
    type Acc = T::Acc;
    type Total = T::Acc;
    type Output = T::Product;
    const NAME: &'static str = "product";

    #[inline(always)]
    fn start(&self) -> T::Acc {
        T::one()
    }

    #[inline(always)]
    fn step(&self, acc: T::Acc, value: T, _: usize) -> T::Acc {
        T::times(acc, value.widen())
    }

    const JOINS: bool = true;

    #[inline(always)]
    fn join(&self, a: T::Acc, b: T::Acc) -> T::Acc {
        T::times(a, b)
    }

    #[inline(always)]
    fn total(&self, acc: T::Acc, _: Place) -> T::Acc {
        acc
    }

    #[inline(always)]
    fn merge(&self, a: T::Acc, b: T::Acc) -> T::Acc {
        T::times(a, b)
    }

    #[inline(always)]
    fn finish(&self, total: T::Acc, _: usize) -> Result<T::Product, Error> {
        T::product(total)
    }

    fn empty(&self) -> Option<T::Product> {
        T::product(T::one()).ok()
    }
}

impl<T: Accumulator + num_traits::WrappingMul + num_traits::One> Reduction<T> for ProductWrapping {
    type Acc = T;
    type Total = T;
    type Output = T;
    const NAME: &'static str = "product_wrapping";

    #[inline(always)]
    fn start(&self) -> T {
        T::one()
    }

    #[inline(always)]
    fn step(&self, acc: T, value: T, _: usize) -> T {
        acc.wrapping_mul(&value)
    }

    #[inline(always)]
    fn total(&self, acc: T, _: Place) -> T {
        acc
    }

    #[inline(always)]
    fn merge(&self, a: T, b: T) -> T {
        a.wrapping_mul(&b)
    }

    #[inline(always)]
    fn finish(&self, total: T, _: usize) -> Result<T, Error> {
        Ok(total)
    }

    fn empty(&self) -> Option<T> {
        Some(T::one())
    }
}
