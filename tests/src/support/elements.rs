//! The element types, with values to test them on.

use crate::naive::scalar::Scalar;
use zerostride::{Complex, bf16, f16};

/// An element type with values to test it on.
pub trait TestElement: Scalar {
    /// An ordinary small value; that of the next number is another one.
    fn nth(number: usize) -> Self;

    /// What lies between the elements of an array with gaps. No result that is compared with it in
    /// the tests is equal to it, but for `bool`.
    fn poison() -> Self;

    /// The values at which operations have corners.
    fn corners() -> Vec<Self>;
}

macro_rules! integers {
    ($($type:ident)*) => {$(
        impl TestElement for $type {
            fn nth(number: usize) -> Self {
                // Small, so that nothing overflows in any type, and of both signs where there are
                // two.
                (number % 11) as $type - if $type::MIN == 0 { 0 } else { 5 }
            }
            fn poison() -> Self {
                121
            }
            fn corners() -> Vec<Self> {
                let (min, max) = ($type::MIN, $type::MAX);
                let mut all = vec![min, min + 1, max / 2, max / 2 + 1, max - 1, max, 0, 1, 2, 3, 7, 100];
                if min != 0 {
                    all.extend([0, 1, 2, 7, 100].map(|x: $type| (0 as $type).wrapping_sub(x)));
                }
                all
            }
        }
    )*};
}
integers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

impl TestElement for bool {
    fn nth(number: usize) -> Self {
        number % 3 == 1 || number % 7 == 2
    }
    fn poison() -> Self {
        true
    }
    fn corners() -> Vec<Self> {
        vec![false, true]
    }
}

macro_rules! floats {
    ($($type:ident from $part:ident: |$x:ident| $of:expr;)*) => {$(
        impl TestElement for $type {
            fn nth(number: usize) -> Self {
                let $x = (number % 23) as $part * 0.5 - 4.0;
                $of
            }
            fn poison() -> Self {
                let $x = 121.0;
                $of
            }
            fn corners() -> Vec<Self> {
                let zero = {
                    let $x = 0.0;
                    $of
                };
                let smallest = $type::from_bits(1);
                let positive = [
                    zero,
                    smallest,
                    $type::from_bits(3),
                    $type::from_bits($type::MIN_POSITIVE.to_bits() - 1),
                    $type::MIN_POSITIVE,
                    $type::EPSILON,
                    $type::MAX,
                    $type::INFINITY,
                    $type::NAN,
                ];
                let ordinary = [0.5 as $part, 1.0, 1.5, 2.0, 3.0, 7.0, 100.0].map(|$x| $of);
                positive.into_iter().chain(ordinary).flat_map(|x| [x, -x]).collect()
            }
        }
    )*};
}
floats! {
    f32 from f32: |x| x;
    f64 from f64: |x| x;
    f16 from f32: |x| f16::from_f32(x);
    bf16 from f32: |x| bf16::from_f32(x);
}

macro_rules! complexes {
    ($($part:ident)*) => {$(
        impl TestElement for Complex<$part> {
            fn nth(number: usize) -> Self {
                Complex::new((number % 7) as $part - 3.0, (number % 5) as $part * 0.5 + 0.5)
            }
            fn poison() -> Self {
                Complex::new(121.0, 121.0)
            }
            fn corners() -> Vec<Self> {
                let parts = [0.0, -0.0, 1.0, -2.5, $part::from_bits(1), $part::MAX, $part::INFINITY, $part::NAN];
                parts.into_iter().flat_map(|re| parts.map(|im| Complex::new(re, im))).collect()
            }
        }
    )*};
}
complexes!(f32 f64);
