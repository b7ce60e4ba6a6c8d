//! [`Monoid`]: what reductions of numbers combine by.

use crate::ops::{Add, Maximum, Minimum, Mul};
use crate::types::for_types;
use ndcore::Element;
use num_complex::Complex;

/// Values that the operation `O` makes a monoid: it is associative and commutative (but for
/// rounding), and has an identity.
///
/// See [`MonoidReduction`](crate::MonoidReduction) for what it is good for.
pub trait Monoid<O>: Element {
    /// The value that changes no other.
    const IDENTITY: Self;

    /// Whether the operation is one of integers, of which compilers know that the order does not
    /// matter: they find a better one than any that is written down.
    const REORDERED: bool = false;

    /// The operation.
    #[must_use]
    fn combine(self, other: Self) -> Self;
}

macro_rules! monoid {
    ($type:ty, ($op:ty, $identity:expr, |$a:ident, $b:ident| $combined:expr $(, $reordered:expr)?)) => {
        impl Monoid<$op> for $type {
            const IDENTITY: Self = $identity;
            $(const REORDERED: bool = $reordered;)?

            #[inline(always)]
            fn combine(self, $b: Self) -> Self {
                let $a = self;
                $combined
            }
        }
    };
}
for_types!(ints => monoid!(Add, 0, |a, b| a.wrapping_add(b), true));
for_types!(ints => monoid!(Mul, 1, |a, b| a.wrapping_mul(b), true));
for_types!(ints => monoid!(Minimum, Self::MAX, |a, b| a.min(b), true));
monoid!(i128, (Add, 0, |a, b| a.wrapping_add(b)));
// A sum that begins with +0 would lose the sign of -0.
for_types!(floats => monoid!(Add, -0.0, |a, b| a + b));
for_types!(floats => monoid!(Mul, 1.0, |a, b| a * b));
for_types!(floats => monoid!(Minimum, Self::INFINITY, |a, b| {
    // Two instructions of a vector: each is `b` or `a` where neither is less. Equal numbers differ
    // at most in the sign of a zero, and what is or-ed with NaN is NaN: so -0 is below +0, and NaN
    // stays.
    let (low, other) = (if a < b { a } else { b }, if b < a { b } else { a });
    Self::from_bits(low.to_bits() | other.to_bits())
}));
for_types!(complexes => monoid!(Add, Complex::new(-0.0, -0.0), |a, b| a + b));
for_types!(complexes => monoid!(Mul, Complex::new(1.0, 0.0), |a, b| a * b));
monoid!(bool, (Minimum, true, |a, b| a & b));
monoid!(bool, (Maximum, false, |a, b| a | b));

/// Part by part.
macro_rules! tuples {
    ($($($part:ident $index:tt),*;)*) => {$(
        impl<O, $($part: Monoid<O>),*> Monoid<O> for ($($part,)*) {
            const IDENTITY: Self = ($($part::IDENTITY,)*);
            const REORDERED: bool = $($part::REORDERED)&&*;

            #[inline(always)]
            fn combine(self, other: Self) -> Self {
                ($(self.$index.combine(other.$index),)*)
            }
        }
    )*};
}
tuples! {
    A 0, B 1;
    A 0, B 1, C 2;
}
