//! The rows of integers.

use super::{Integer, Monoid, Number, overflow};
#[cfg(feature = "matmul")]
use crate::matmul;
use crate::ops::Mul;
use crate::reduce::compiled::compiled;
use crate::reduce::{Compiled, Max, Min, OwnType, Plain, Sum};
use bcast::Error;

/// A product of integers. Sign and magnitude apart, because the magnitude of a product grows with
/// each factor that is not zero: so whether the product of all fits does not depend on their order.
#[derive(Clone, Copy, Debug)]
pub struct IntegerProduct {
    /// The largest there is if it does not fit.
    magnitude: u64,
    /// The highest bit is that of the sign, the lowest is set if the magnitude does not fit.
    flags: u64,
}

impl IntegerProduct {
    /// One factor.
    #[inline(always)]
    fn of(factor: i128) -> Plain<Self> {
        let sign = (factor >> 64) as u64 & (1 << 63);
        Plain(IntegerProduct { magnitude: factor.unsigned_abs() as u64, flags: sign })
    }

    /// The numbers it is made of.
    pub(crate) fn parts(self) -> (u64, u64) {
        (self.magnitude, self.flags)
    }

    /// And back.
    pub(crate) fn of_parts((magnitude, flags): (u64, u64)) -> Self {
        IntegerProduct { magnitude, flags }
    }

    /// The product, if it is known.
    fn value(self) -> Option<i128> {
        let (magnitude, negative) = (i128::from(self.magnitude), self.flags >> 63 != 0);
        // Nothing that did not fit matters beside a zero.
        let fits = self.magnitude == 0 || self.flags & 1 == 0;
        fits.then_some(if negative { -magnitude } else { magnitude })
    }
}

impl Monoid<Mul> for Plain<IntegerProduct> {
    const IDENTITY: Self = Plain(IntegerProduct { magnitude: 1, flags: 0 });

    #[inline(always)]
    fn combine(self, other: Self) -> Self {
        let (magnitude, overflows) = self.0.magnitude.overflowing_mul(other.0.magnitude);
        // If neither of two that do not fit is beside a zero, their product does not fit either.
        let flags = (self.0.flags ^ other.0.flags) | u64::from(overflows);
        Plain(IntegerProduct { magnitude: if overflows { u64::MAX } else { magnitude }, flags })
    }
}

/// How many integers are looked at for their magnitudes before their products are added up: they
/// stay in the cache until then.
const LOOKED_AT: usize = 1 << 10;

/// The products of so few integers are added up one by one: whether that overflows takes no longer
/// to see than their magnitudes.
const MOST_CHECKED: usize = 1 << 5;

/// Integers: the unsigned type of the same size, that of products, what adds up products of few
/// bits, and what adds up a block: a wider type, or the upper halves, and all that wraps around.
macro_rules! integers {
    ($($type:ident $unsigned:ident $product:ident $sum:ident
        |$x:ident| $modulus:expr, $acc:tt;)*) => {$(
        impl Integer for $type {
            if_compiled! { extremes $type =>
                const MINIMA: Option<&'static Compiled<$type, $type, $type>> =
                    compiled!(Compiled<$type, $type, $type>, Min);
                const MAXIMA: Option<&'static Compiled<$type, $type, $type>> =
                    compiled!(Compiled<$type, $type, $type>, Max);
            }

            #[inline(always)]
            fn add_in_own_type(self, other: $type, over: &mut $type) -> $type {
                let sum = self.wrapping_add(other);
                // The highest bit is that of the carry, or says that the sum has another sign than
                // both.
                *over |= if $type::MIN == 0 {
                    (self & other) | ((self | other) & !sum)
                } else {
                    (sum ^ self) & (sum ^ other)
                };
                sum
            }

            #[inline(always)]
            fn is_over(self) -> bool {
                self.leading_zeros() == 0
            }

            #[inline(always)]
            fn sum_of_list(list: &[$type]) -> ($type, bool) {
                // Counted by hand, as below.
                let mut i = 0;
                if $type::BITS <= 16 {
                    let mut sum = 0_i32;
                    while i < list.len() {
                        sum = sum.wrapping_add(list[i] as i32);
                        i += 1;
                    }
                    return (sum as $type, sum as $type as i32 == sum);
                }
                if $type::BITS == 32 {
                    let mut sum = 0_i64;
                    while i < list.len() {
                        sum = sum.wrapping_add(list[i] as i64);
                        i += 1;
                    }
                    return (sum as $type, sum as $type as i64 == sum);
                }
                // The highest bits, or those that differ from the one below, of all.
                let (mut sum, mut bits): ($type, $type) = (0, 0);
                while i < list.len() {
                    sum = sum.wrapping_add(list[i]);
                    bits |= if $type::MIN == 0 { list[i] } else { list[i] ^ (list[i] << 1) };
                    i += 1;
                }
                // A sum has as many bits more as their number has.
                (sum, bits.leading_zeros() >= list.len().next_power_of_two().trailing_zeros())
            }
        }

        impl Number for $type {
            const EXACT: bool = true;
            const IN_OWN_TYPE: Option<&'static OwnType<$type, $type>> = {
                static SUMS: OwnType<$type, $type> = OwnType::of(0);
                Some(&SUMS)
            };
            if_compiled! { integer $type =>
                const SUMS: Option<&'static Compiled<$type, i128, $type>> =
                    compiled!(Compiled<$type, i128, $type>, Sum);
            }
            if_compiled! { product $type =>
                #[cfg(feature = "matmul")]
                const PRODUCTS: Option<&'static matmul::CompiledProducts<$type>> =
                    compiled!(matmul::CompiledProducts<$type>);
            }

            type Wide = i128;
            type Acc = $acc;
            type Factor = Plain<IntegerProduct>;
            type Product = $product;
            type Modulus = $unsigned;
            type RealPart = $type;

            #[inline(always)]
            fn widen(self) -> i128 {
                self as i128
            }

            #[inline(always)]
            fn narrow(wide: i128, op: &'static str) -> Result<$type, Error> {
                $type::try_from(wide).map_err(|_| overflow(op, Some(wide), stringify!($type)))
            }

            #[inline(always)]
            fn checked_sum(self, other: $type) -> ($type, bool) {
                let (sum, overflows) = self.overflowing_add(other);
                (sum, !overflows)
            }

            #[inline(always)]
            fn sum_in_vectors(self, other: $type) -> ($type, bool) {
                let sum = self.wrapping_add(other);
                let fits = if $type::MIN == 0 {
                    sum >= self
                } else {
                    ((sum ^ self) & (sum ^ other)) >> ($type::BITS - 1) == 0
                };
                (sum, fits)
            }

            #[inline(always)]
            fn lift(self) -> $acc {
                integers!(@lift self, $acc)
            }

            #[inline(always)]
            fn total(acc: $acc) -> i128 {
                integers!(@total acc, $acc)
            }

            #[inline(always)]
            fn factor(self) -> Self::Factor {
                IntegerProduct::of(self as i128)
            }

            #[inline(always)]
            fn of_factor(factor: Self::Factor, op: &'static str) -> Result<$type, Error> {
                let value = factor.0.value();
                let product = value.and_then(|value| $type::try_from(value).ok());
                product.ok_or_else(|| overflow(op, value, stringify!($type)))
            }

            #[inline(always)]
            fn modulus(self) -> $unsigned {
                let $x = self;
                $modulus
            }

            #[inline(always)]
            fn dot_of_few_bits(a: &[$type], b: &[$type]) -> Option<$type> {
                let mut sum: $sum = 0;
                if a.len() <= MOST_CHECKED {
                    let product = |a: $type, b: $type| (a as $sum).checked_mul(b as $sum);
                    let (fours, rest) = a.as_chunks::<4>();
                    let (of_b, rest_of_b) = b.as_chunks::<4>();
                    for (a, b) in fours.iter().zip(of_b) {
                        for (&a, &b) in a.iter().zip(b) {
                            sum = sum.checked_add(product(a, b)?)?;
                        }
                    }
                    for (&a, &b) in rest.iter().zip(rest_of_b) {
                        sum = sum.checked_add(product(a, b)?)?;
                    }
                    return $type::try_from(sum).ok();
                }
                for (a, b) in a.chunks(LOOKED_AT).zip(b.chunks(LOOKED_AT)) {
                    if !integers!(@fits a, b, a.len(), $type, $sum) {
                        return None;
                    }
                    let (mut part, mut i): ($sum, usize) = (0, 0);
                    // Counted by hand, as below.
                    while i < a.len().min(b.len()) {
                        part = part.wrapping_add((a[i] as $sum).wrapping_mul(b[i] as $sum));
                        i += 1;
                    }
                    sum = sum.checked_add(part)?;
                }
                $type::try_from(sum).ok()
            }

            #[inline(always)]
            fn has_few_bits(a: &[$type], b: &[$type], count: usize) -> bool {
                integers!(@fits a, b, count, $type, $type)
            }
        }
    )*};
    // A number of so many bits is below that power of two, and above or equal to its negative.
    (@fits $a:expr, $b:expr, $count:expr, $type:ident, $sum:ident) => {{
        let bits = |list: &[$type]| {
            let sign = |x: $type| if $type::MIN == 0 { 0 } else { x >> ($type::BITS - 1) };
            let (mut all, mut i): ($type, usize) = (0, 0);
            // Counted by hand: in a debug build an iterator takes several calls for each element.
            while i < list.len() {
                all |= list[i] ^ sign(list[i]);
                i += 1;
            }
            $type::BITS - all.leading_zeros()
        };
        let of_count = usize::BITS - $count.leading_zeros();
        bits($a) + bits($b) + of_count < $sum::BITS - 1
    }};
    (@lift $x:expr, ($high:ty, $low:ty)) => { (($x as $high) >> 32, $x as $low) };
    (@lift $x:expr, $acc:ty) => { <$acc>::from($x) };
    // The sum of the lower halves is less than 2^44: so what wraps around tells it, and has the
    // lower half of the whole sum. That is put together from 64-bit numbers, of which there are
    // vectors.
    (@total $acc:expr, ($high:ty, $low:ty)) => {{
        let (upper, all) = $acc;
        let lower = all.wrapping_sub((upper as $low) << 32) as u64;
        let above = upper + (lower >> 32) as $high;
        (i128::from(above >> 32) << 64) | i128::from(all as u64)
    }};
    (@total $acc:expr, $type:ty) => { i128::from($acc) };
}
integers! {
    i8 u8 i16 i64 |x| x.unsigned_abs(), i32;
    i16 u16 i32 i64 |x| x.unsigned_abs(), i32;
    i32 u32 i64 i64 |x| x.unsigned_abs(), i64;
    i64 u64 i128 i64 |x| x.unsigned_abs(), (i64, i64);
    isize usize i128 i64 |x| x.unsigned_abs(), (i64, i64);
    u8 u8 u16 u64 |x| x, u32;
    u16 u16 u32 u64 |x| x, u32;
    u32 u32 u64 u64 |x| x, u64;
    u64 u64 u128 u64 |x| x, (u64, u64);
    usize usize u128 u64 |x| x, (u64, u64);
}
