//! The smallest and the largest element, and where they are.

use super::{Accumulator, Place, Reduction};
use crate::ops::{CastTo, Fmax, Fmin, Op};
use bcast::Error;
use half::{bf16, f16};

/// The largest element; NaN if there is one. Of zeros of either sign, any.
#[derive(Clone, Copy, Debug, Default)]
pub struct Max;

/// The smallest element; NaN if there is one. Of zeros of either sign, any.
#[derive(Clone, Copy, Debug, Default)]
pub struct Min;

/// The largest element that is not NaN; NaN if there is none.
#[derive(Clone, Copy, Debug, Default)]
pub struct NanMax;

/// The smallest element that is not NaN; NaN if there is none.
#[derive(Clone, Copy, Debug, Default)]
pub struct NanMin;

/// The number of the first largest element among those reduced, in row-major order; of the first NaN if there is one.
#[derive(Clone, Copy, Debug, Default)]
pub struct ArgMax;

/// The number of the first smallest element among those reduced, in row-major order; of the first NaN if there is one.
#[derive(Clone, Copy, Debug, Default)]
pub struct ArgMin;

/// Element types in a row from the smallest to the largest.
#[diagnostic::on_unimplemented(
    message = "elements of type `{Self}` have no smallest and largest",
    note = "docs/ops.md lists the types of each reduction; `.cast::<U>()` converts"
)]
pub trait Extreme: Accumulator {
    /// The number of a round, in as many bits as the element has; there are at most 256.
    type Round: Accumulator;

    /// What no element is below.
    const LOWEST: Self;
    /// What no element is above.
    const HIGHEST: Self;
    /// NaN, if the type has it.
    const NAN: Option<Self>;

    /// Whether this is above the other; false for NaN.
    fn above(self, other: Self) -> bool;
    /// Whether this is NaN.
    fn undefined(self) -> bool;
    /// Whether a NaN has been seen; nothing for types without it.
    type Flag: Accumulator;

    /// No.
    const UNSEEN: Self::Flag;

    /// Whether one has been seen, now that this element has.
    fn see(self, flag: Self::Flag) -> Self::Flag;
    /// Whether one has been seen by either.
    fn seen(a: Self::Flag, b: Self::Flag) -> Self::Flag;
    /// The largest or smallest element, or NaN if one has been seen.
    fn unless(self, flag: Self::Flag) -> Self;

    /// A round in few bits.
    fn round(number: usize) -> Self::Round;
    /// And back.
    fn number(round: Self::Round) -> usize;
}

/// The flag of a type with NaN, as bits in the width of the type, or of one without.
macro_rules! flag {
    (none, $round:ty) => {
        type Flag = ();
        const UNSEEN: () = ();

        #[inline(always)]
        fn see(self, (): ()) {}

        #[inline(always)]
        fn seen((): (), (): ()) {}

        #[inline(always)]
        fn unless(self, (): ()) -> Self {
            self
        }
    };
    (some, $round:ty) => {
        type Flag = $round;
        const UNSEEN: $round = 0;

        #[inline(always)]
        fn see(self, flag: $round) -> $round {
            flag | if self.undefined() { <$round>::MAX } else { 0 }
        }

        #[inline(always)]
        fn seen(a: $round, b: $round) -> $round {
            a | b
        }

        #[inline(always)]
        fn unless(self, flag: $round) -> Self {
            if flag == 0 { self } else { Self::NAN }
        }
    };
}

macro_rules! extremes {
    ($($type:ty: $round:ty, $low:expr, $high:expr, $nan:expr, |$a:ident, $b:ident| $above:expr, $undefined:expr, $flag:ident;)*) => {$(
        impl Extreme for $type {
            type Round = $round;
            const LOWEST: Self = $low;
            const HIGHEST: Self = $high;
            const NAN: Option<Self> = $nan;
            flag!($flag, $round);

            #[inline(always)]
            fn above(self, other: Self) -> bool {
                let ($a, $b) = (self, other);
                $above
            }

            #[inline(always)]
            fn undefined(self) -> bool {
                let $a = self;
                $undefined
            }

            #[inline(always)]
            fn round(number: usize) -> $round {
                number as $round
            }

            #[inline(always)]
            fn number(round: $round) -> usize {
                round as usize
            }
        }
    )*};
}
macro_rules! integers {
    ($($type:ident: $round:ty;)*) => {
        extremes! { $($type: $round, $type::MIN, $type::MAX, None, |a, b| a > b, { let _ = a; false }, none;)* }
    };
}
integers! {
    i8: u8; i16: u16; i32: u32; i64: u64; isize: u64;
    u8: u8; u16: u16; u32: u32; u64: u64; usize: u64;
}
#[inline(always)]
fn wide<T: CastTo<f32>>(x: T) -> f32 {
    x.cast_to()
}
extremes! {
    bool: u8, false, true, None, |a, b| a & !b, { let _ = a; false }, none;
    f32: u32, f32::NEG_INFINITY, f32::INFINITY, Some(f32::NAN), |a, b| a > b, a.is_nan(), some;
    f64: u64, f64::NEG_INFINITY, f64::INFINITY, Some(f64::NAN), |a, b| a > b, a.is_nan(), some;
    f16: u16, f16::NEG_INFINITY, f16::INFINITY, Some(f16::NAN), |a, b| wide(a) > wide(b), wide(a).is_nan(), some;
    bf16: u16, bf16::NEG_INFINITY, bf16::INFINITY, Some(bf16::NAN), |a, b| wide(a) > wide(b), wide(a).is_nan(), some;
}

/// Reductions by an operation of the table that keeps one of two elements.
macro_rules! by_operation {
    ($($reduction:ident $op:ident $name:literal |$type:ident| $start:expr;)*) => {$(
        impl<$type: Extreme> Reduction<$type> for $reduction
        where
            $op: Op<($type, $type), Output = $type>,
        {
            type Acc = $type;
            type Total = $type;
            type Output = $type;
            const NAME: &'static str = $name;

            #[inline(always)]
            fn start(&self) -> $type {
                $start
            }

            #[inline(always)]
            fn step(&self, acc: $type, value: $type, _: usize) -> $type {
                $op.apply((acc, value))
            }

            const JOINS: bool = true;

            #[inline(always)]
            fn join(&self, a: $type, b: $type) -> $type {
                $op.apply((a, b))
            }

            #[inline(always)]
            fn total(&self, acc: $type, _: Place) -> $type {
                acc
            }

            #[inline(always)]
            fn merge(&self, a: $type, b: $type) -> $type {
                $op.apply((a, b))
            }

            #[inline(always)]
            fn finish(&self, total: $type, _: usize) -> Result<$type, Error> {
                Ok(total)
            }
        }
    )*};
}
by_operation! {
    NanMax Fmax "nanmax" |T| T::NAN.unwrap_or(T::LOWEST);
    NanMin Fmin "nanmin" |T| T::NAN.unwrap_or(T::HIGHEST);
}

/// Reductions to one of the elements, unless there is a NaN: `$value` instead of `$best` if that is better.
macro_rules! strict {
    ($($reduction:ident $name:literal $start:ident |$value:ident, $best:ident| $better:expr;)*) => {$(
        impl<T: Extreme> Reduction<T> for $reduction {
            /// The extreme so far, of elements that are not NaN, and whether there was one that is.
            type Acc = (T, T::Flag);
            type Total = (T, T::Flag);
            type Output = T;
            const NAME: &'static str = $name;
            const COST: usize = 2;
            const JOINS: bool = true;

            #[inline(always)]
            fn start(&self) -> (T, T::Flag) {
                (T::$start, T::UNSEEN)
            }

            // Of equal elements, as zeros of either sign are, the one that was taken first stays.
            #[inline(always)]
            fn step(&self, ($best, flag): (T, T::Flag), $value: T, _: usize) -> (T, T::Flag) {
                (if $better { $value } else { $best }, $value.see(flag))
            }

            #[inline(always)]
            fn join(&self, a: (T, T::Flag), b: (T, T::Flag)) -> (T, T::Flag) {
                let ($best, $value) = (a.0, b.0);
                (if $better { $value } else { $best }, T::seen(a.1, b.1))
            }

            #[inline(always)]
            fn total(&self, acc: (T, T::Flag), _: Place) -> (T, T::Flag) {
                acc
            }

            #[inline(always)]
            fn merge(&self, a: (T, T::Flag), b: (T, T::Flag)) -> (T, T::Flag) {
                self.join(a, b)
            }

            #[inline(always)]
            fn finish(&self, (best, flag): (T, T::Flag), _: usize) -> Result<T, Error> {
                Ok(best.unless(flag))
            }
        }
    )*};
}
strict! {
    Max "max" LOWEST |value, best| value.above(best);
    Min "min" HIGHEST |value, best| best.above(value);
}

/// `$a` comes before `$b` as the extreme that is looked for.
macro_rules! arguments {
    ($($reduction:ident $name:literal $start:ident |$a:ident, $b:ident| $beats:expr;)*) => {$(
        impl<T: Extreme> Reduction<T> for $reduction {
            /// The extreme so far, and the round it came in.
            type Acc = (T, T::Round);
            /// The same with its number.
            type Total = (T, usize);
            type Output = usize;
            const NAME: &'static str = $name;
            const COST: usize = 4;

            // If nothing beats this, everything is equal to it, and the first one is the first.
            #[inline(always)]
            fn start(&self) -> (T, T::Round) {
                (T::$start, T::round(0))
            }

            #[inline(always)]
            fn step(&self, (best, at): (T, T::Round), value: T, round: usize) -> (T, T::Round) {
                let ($a, $b) = (value, best);
                let better = $beats | (value.undefined() & !best.undefined());
                (if better { value } else { best }, if better { T::round(round) } else { at })
            }

            #[inline(always)]
            fn total(&self, (best, round): (T, T::Round), place: Place) -> (T, usize) {
                (best, place.number(T::number(round)))
            }

            #[inline(always)]
            fn merge(&self, a: (T, usize), b: (T, usize)) -> (T, usize) {
                let beats = |$a: T, $b: T| $beats | ($a.undefined() & !$b.undefined());
                let later = a.1 < b.1;
                if beats(b.0, a.0) || (!later && !beats(a.0, b.0)) { b } else { a }
            }

            #[inline(always)]
            fn finish(&self, (_, number): (T, usize), _: usize) -> Result<usize, Error> {
                Ok(number)
            }
        }
    )*};
}
arguments! {
    ArgMax "argmax" LOWEST |a, b| a.above(b);
    ArgMin "argmin" HIGHEST |a, b| b.above(a);
}
