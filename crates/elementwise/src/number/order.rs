//! [`Ordered`]: what elements compare by.

use super::{Integer, Monoid, Number};
use crate::ops::{CastTo, Minimum};
use crate::reduce::compiled::compiled;
use crate::reduce::{Accumulator, ArgMax, ArgMin, Compiled, Max, Min};
use crate::types::for_types;
use half::{bf16, f16};
use ndcore::Element;
use rayon::slice::ParallelSliceMut;

/// Element types in order from the smallest to the largest: integers, floating-point numbers and
/// `bool`.
#[diagnostic::on_unimplemented(
    message = "elements of type `{Self}` have no order",
    label = "it takes integers, floating-point numbers or `bool`",
    note = "of complex numbers, absolute values and parts have: `x.abs()`, `x.real()`, `x.imag()`"
)]
pub trait Ordered: crate::Scalar + Accumulator + PartialOrd {
    /// Values in the same order, but NaN below all others and -0 below 0, of which vectors find the
    /// least in few instructions.
    type Key: Accumulator + Monoid<Minimum> + PartialOrd;
    /// The number of a round (see [`Reduction::step`](crate::Reduction::step)), in as many bits as
    /// the element has; there are at most 256.
    type Round: Accumulator + Monoid<Minimum>;

    /// What no element is below.
    const LOWEST: Self;
    /// What no element is above.
    const HIGHEST: Self;

    /// Extremes, and their places, as they are compiled with this crate, if they are.
    #[doc(hidden)]
    const MINIMA: Option<&'static Compiled<Self, Self::Key, Self>> = None;
    #[doc(hidden)]
    const MAXIMA: Option<&'static Compiled<Self, Self::Key, Self>> = None;
    #[doc(hidden)]
    const ARGMINIMA: Option<&'static Compiled<Self, (Self, usize), usize>> = None;
    #[doc(hidden)]
    const ARGMAXIMA: Option<&'static Compiled<Self, (Self, usize), usize>> = None;

    /// The element as a key.
    fn key(self) -> Self::Key;
    /// The element of a key; NaN with one sign and payload.
    fn of_key(key: Self::Key) -> Self;
    /// The element as far from the other end of the order; NaN stays NaN.
    #[must_use]
    fn reversed(self) -> Self;
    /// The element whose [`reversed`](Self::reversed) one has this key; NaN with one sign and
    /// payload.
    #[inline(always)]
    fn of_reversed_key(key: Self::Key) -> Self {
        let element = Self::of_key(key);
        if element.is_undefined() { element } else { element.reversed() }
    }
    /// Whether this is NaN.
    fn is_undefined(self) -> bool;
    /// Whether this is above the other, or NaN beside a number.
    fn above(self, other: Self) -> bool;
    /// Whether this is below the other, or NaN beside a number.
    fn below(self, other: Self) -> bool;
    /// Puts elements into ascending order, -0 before +0 and NaN after all others; by several
    /// threads if `parallel`.
    fn sort(values: &mut [Self], parallel: bool);
    /// An integer of as many bits.
    #[doc(hidden)]
    type OrderBits: Ord + Element;
    /// The element as an integer, in the order of [`sort`](Self::sort): different ones of different
    /// elements. To compare integers takes one instruction, which leads to no jumps.
    #[doc(hidden)]
    fn order_bits(self) -> Self::OrderBits;
    /// And back.
    #[doc(hidden)]
    fn of_order_bits(bits: Self::OrderBits) -> Self;
    /// An integer in the same order that is the same of zeros of either sign, and of all NaN; of
    /// elements of up to four bytes, it has 32 bits.
    #[doc(hidden)]
    fn order_place(self) -> u64;
    /// A round in few bits.
    fn round(number: usize) -> Self::Round;
    /// And back.
    fn number(round: Self::Round) -> usize;
}

/// The parts of [`Ordered`] that are alike for all types.
macro_rules! rounds {
    ($round:ty) => {
        type Round = $round;

        #[inline(always)]
        fn round(number: usize) -> $round {
            number as $round
        }

        #[inline(always)]
        fn number(round: $round) -> usize {
            round as usize
        }
    };
}

/// Types without NaN, which are keys themselves.
macro_rules! discrete {
    ($type:ty, ($round:ty, $lowest:expr, $highest:expr, [$minima:expr, $maxima:expr])) => {
        impl Ordered for $type {
            type Key = $type;
            const MINIMA: Option<&'static Compiled<$type, $type, $type>> = $minima;
            const MAXIMA: Option<&'static Compiled<$type, $type, $type>> = $maxima;
            const LOWEST: Self = $lowest;
            const HIGHEST: Self = $highest;
            rounds!($round);

            #[inline(always)]
            fn key(self) -> $type {
                self
            }

            #[inline(always)]
            fn of_key(key: $type) -> $type {
                key
            }

            #[inline(always)]
            fn reversed(self) -> $type {
                !self
            }

            #[inline(always)]
            fn is_undefined(self) -> bool {
                false
            }

            #[inline(always)]
            fn above(self, other: Self) -> bool {
                self > other
            }

            #[inline(always)]
            fn below(self, other: Self) -> bool {
                self < other
            }

            fn sort(values: &mut [Self], parallel: bool) {
                if parallel { values.par_sort_unstable() } else { values.sort_unstable() }
            }

            type OrderBits = $type;

            #[inline(always)]
            fn order_bits(self) -> $type {
                self
            }

            #[inline(always)]
            fn of_order_bits(bits: $type) -> $type {
                bits
            }

            #[inline(always)]
            fn order_place(self) -> u64 {
                (self as i128 - $lowest as i128) as u64
            }
        }
    };
}
discrete!(bool, (u8, false, true, [None, None]));
for_types!(ints => discrete!(
    <Self as Number>::Modulus, Self::MIN, Self::MAX, [Integer::MINIMA, Integer::MAXIMA]
));

/// Types with NaN: their keys, and the type they compare in.
macro_rules! with_nan {
    ($(
        $type:ident as $wide:ty, $round:ty, $key:ty:
        |$x:ident| $to_key:expr, |$bits:ident| $from_key:expr;
    )*) => {$(
        impl Ordered for $type {
            type Key = $key;
            if_compiled! { float $type =>
                const MINIMA: Option<&'static Compiled<$type, $key, $type>> =
                    compiled!(Compiled<$type, $key, $type>, Min);
                const MAXIMA: Option<&'static Compiled<$type, $key, $type>> =
                    compiled!(Compiled<$type, $key, $type>, Max);
                const ARGMINIMA: Option<&'static Compiled<$type, ($type, usize), usize>> =
                    compiled!(Compiled<$type, ($type, usize), usize>, ArgMin);
                const ARGMAXIMA: Option<&'static Compiled<$type, ($type, usize), usize>> =
                    compiled!(Compiled<$type, ($type, usize), usize>, ArgMax);
            }
            const LOWEST: Self = <$type>::NEG_INFINITY;
            const HIGHEST: Self = <$type>::INFINITY;
            rounds!($round);

            #[inline(always)]
            fn key(self) -> $key {
                let $x = self;
                $to_key
            }

            #[inline(always)]
            fn of_key($bits: $key) -> $type {
                let value = $from_key;
                if value.is_nan() { <$type>::NAN } else { value }
            }

            #[inline(always)]
            fn reversed(self) -> $type {
                -self
            }

            #[inline(always)]
            fn is_undefined(self) -> bool {
                CastTo::<$wide>::cast_to(self).is_nan()
            }

            #[inline(always)]
            #[allow(clippy::neg_cmp_op_on_partial_ord, reason = "true beside NaN")]
            fn above(self, other: Self) -> bool {
                let (a, b): ($wide, $wide) = (self.cast_to(), other.cast_to());
                !(a <= b) & !b.is_nan()
            }

            #[inline(always)]
            #[allow(clippy::neg_cmp_op_on_partial_ord, reason = "true beside NaN")]
            fn below(self, other: Self) -> bool {
                let (a, b): ($wide, $wide) = (self.cast_to(), other.cast_to());
                !(a >= b) & !b.is_nan()
            }

            fn sort(values: &mut [Self], parallel: bool) {
                let bits: &mut [$round] = bytemuck::must_cast_slice_mut(values);
                bits.iter_mut().for_each(|bits| *bits = <$type>::from_bits(*bits).order_bits());
                if parallel { bits.par_sort_unstable() } else { bits.sort_unstable() }
                bits.iter_mut().for_each(|bits| *bits = Self::of_order_bits(*bits).to_bits());
            }

            type OrderBits = $round;

            // Those of negative numbers in reverse, and then moved down so far that those of
            // negative NaN come round to above those of positive ones.
            #[inline(always)]
            fn order_bits(self) -> $round {
                const SIGN: $round = 1 << (<$round>::BITS - 1);
                let bits = self.to_bits();
                let ordered = if bits & SIGN == 0 { bits | SIGN } else { !bits };
                ordered.wrapping_sub(!Self::LOWEST.to_bits())
            }

            #[inline(always)]
            fn of_order_bits(bits: $round) -> $type {
                const SIGN: $round = 1 << (<$round>::BITS - 1);
                let ordered = bits.wrapping_add(!Self::LOWEST.to_bits());
                <$type>::from_bits(if ordered & SIGN == 0 { !ordered } else { ordered ^ SIGN })
            }

            #[inline(always)]
            fn order_place(self) -> u64 {
                let bits = match self.to_bits() << 1 {
                    0 => <$type>::from_bits(0).order_bits(),
                    _ => self.order_bits(),
                };
                (if bits > Self::HIGHEST.order_bits() { <$round>::MAX } else { bits }).into()
            }
        }
    )*};
}

/// The bits of a floating-point number in the order of the numbers, negative ones in reverse, and
/// then moved up so far that positive NaN come round to below negative ones; and back.
macro_rules! key {
    (of $x:expr, $infinity:expr, $signed:ty, $unsigned:ty) => {{
        let bits = $x.to_bits() as $signed;
        let ordered = bits ^ (((bits >> (<$signed>::BITS - 1)) as $unsigned) >> 1) as $signed;
        ordered.wrapping_add(<$signed>::MAX - $infinity.to_bits() as $signed)
    }};
    (from $key:expr, $infinity:expr, $signed:ty, $unsigned:ty) => {{
        let ordered = $key.wrapping_sub(<$signed>::MAX - $infinity.to_bits() as $signed);
        (ordered ^ (((ordered >> (<$signed>::BITS - 1)) as $unsigned) >> 1) as $signed) as $unsigned
    }};
}

with_nan! {
    f32 as f32, u32, f32: |x| x, |x| x;
    f64 as f64, u64, f64: |x| x, |x| x;
    f16 as f32, u16, i16: |x| key!(of x, f16::INFINITY, i16, u16),
        |key| f16::from_bits(key!(from key, f16::INFINITY, i16, u16));
    bf16 as f32, u16, i16: |x| key!(of x, bf16::INFINITY, i16, u16),
        |key| bf16::from_bits(key!(from key, bf16::INFINITY, i16, u16));
}
