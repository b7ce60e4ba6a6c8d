//! Scalar functions that need more than an operator. All are free of branches that a vector could
//! not follow.

use crate::math;
use crate::types::for_types;
use num_complex::Complex;

/// Division that neither traps nor panics.
pub(super) trait IntMath {
    /// Truncated quotient; all ones for a zero divisor.
    fn quotient(self, divisor: Self) -> Self;
    /// `self - quotient * divisor`; `self` for a zero divisor.
    fn remainder(self, divisor: Self) -> Self;
    /// Wraps around; by a negative exponent, the integer part of the power.
    fn power(self, exponent: Self) -> Self;
    /// 0 for a negative amount, or one that is not below the width.
    fn shift_left(self, amount: Self) -> Self;
    /// As for `shift_left`.
    fn shift_right_logical(self, amount: Self) -> Self;
    /// As many copies of the highest bit, for such an amount.
    fn shift_right_arithmetic(self, amount: Self) -> Self;
}

/// The truncated quotient of integers, of which the divisor is neither 0 nor -1.
///
/// By a float type, if there is one of enough bits: processors have vectors of floats to divide,
/// and none of integers; and by the reciprocal, which is computed once for a divisor that is the
/// same for all elements. What is divided is taken to be a half more, away from 0: so the quotient,
/// of `n` bits, lies at least `2^-(n + 1)` of itself from the integers on both sides, and half of
/// that is more than what it is rounded by. A half less, it is nearest to the one that is wanted,
/// to which it is rounded where the float has no more bits: the lowest ones then are those of the
/// integer. (A conversion is made one by one, because of what floats it has to look out for.)
macro_rules! truncated {
    ($a:expr, $b:expr, $type:ty, ) => {
        $a.wrapping_div($b)
    };
    ($a:expr, $b:expr, $type:ty, $float:ident) => {{
        const INTEGERS: $float = 1.5 * (1_u64 << ($float::MANTISSA_DIGITS - 1)) as $float;
        let half = if $a < 0 { -0.5 } else { 0.5 };
        let quotient = ($a as $float + half) * (1.0 / $b as $float);
        (quotient - (0.5 as $float).copysign(quotient) + INTEGERS).to_bits() as $type
    }};
}

macro_rules! int_math {
    ($type:ty, ($signed:ty, $unsigned:ty, $($float:ident)?)) => {
        impl IntMath for $type {
            #[inline(always)]
            #[allow(unused_comparisons)]
            fn quotient(self, divisor: $type) -> $type {
                let negates = <$type>::MIN < 0 && divisor == !0;
                let by = if divisor == 0 || negates { 1 } else { divisor };
                let quotient = truncated!(self, by, $type, $($float)?);
                match () {
                    () if divisor == 0 => !0,
                    () if negates => self.wrapping_neg(),
                    () => quotient,
                }
            }

            #[inline(always)]
            fn remainder(self, divisor: $type) -> $type {
                self.wrapping_sub(self.quotient(divisor).wrapping_mul(divisor))
            }

            #[inline(always)]
            #[allow(unused_comparisons)]
            fn power(self, exponent: $type) -> $type {
                let (mut power, mut base, mut left) = (1 as $type, self, exponent as $unsigned);
                if exponent < 0 {
                    // 1 and -1 are their own reciprocals; of all other numbers, they have no
                    // integer part.
                    let unit = self == 1 || self == !0;
                    base = if unit { self } else { 0 };
                    left = if unit { left & 1 } else { 1 };
                }
                while left != 0 {
                    power = if left & 1 == 1 { power.wrapping_mul(base) } else { power };
                    base = base.wrapping_mul(base);
                    left >>= 1;
                }
                power
            }

            #[inline(always)]
            fn shift_left(self, amount: $type) -> $type {
                let fits = (amount as $unsigned) < <$type>::BITS as $unsigned;
                if fits { self.wrapping_shl(amount as u32) } else { 0 }
            }

            #[inline(always)]
            fn shift_right_logical(self, amount: $type) -> $type {
                let fits = (amount as $unsigned) < <$type>::BITS as $unsigned;
                if fits { (self as $unsigned).wrapping_shr(amount as u32) as $type } else { 0 }
            }

            #[inline(always)]
            fn shift_right_arithmetic(self, amount: $type) -> $type {
                let fits = (amount as $unsigned) < <$type>::BITS as $unsigned;
                (self as $signed).wrapping_shr(if fits { amount as u32 } else { <$type>::BITS - 1 })
                    as $type
            }
        }
    };
}
macro_rules! int_maths {
    ($($signed:ident $unsigned:ident $($float:ident)?;)*) => {$(
        int_math!($signed, ($signed, $unsigned, $($float)?));
        int_math!($unsigned, ($signed, $unsigned, $($float)?));
    )*};
}
int_maths! {
    i8 u8 f32;
    i16 u16 f32;
    i32 u32 f64;
    i64 u64;
    isize usize;
}

/// Results in which every NaN is the same one: positive, quiet, and without a payload.
///
/// What a NaN is made of is up to the processor where it is made of numbers, and to the order of
/// the operands where it is made of other NaN, which the compiler may exchange. Then the bits would
/// depend on the instruction set, and on where in a vector an element lies.
pub(super) trait Canonical: Sized {
    /// The same value.
    #[inline(always)]
    fn canonical(self) -> Self {
        self
    }
}

macro_rules! no_nan {
    ($type:ty, ()) => {
        impl Canonical for $type {}
    };
}
for_types!(ints => no_nan!());
for_types!(bools => no_nan!());

macro_rules! one_nan {
    ($type:ty, ()) => {
        impl Canonical for $type {
            #[inline(always)]
            fn canonical(self) -> $type {
                if self.is_nan() { <$type>::NAN } else { self }
            }
        }
    };
}
for_types!(floats => one_nan!());
for_types!(halves => one_nan!());

impl<T: Canonical> Canonical for Complex<T> {
    #[inline(always)]
    fn canonical(self) -> Self {
        Complex::new(self.re.canonical(), self.im.canonical())
    }
}

/// Maximum and minimum of IEEE 754-2019.
pub(super) trait FloatMath {
    /// NaN if either is, as [`Canonical`] has it.
    fn ieee_maximum(self, other: Self) -> Self;
    fn ieee_minimum(self, other: Self) -> Self;
    /// -1, 1, or the number itself if it is a zero or NaN.
    fn direction(self) -> Self;
    /// The square root, with the NaN of [`Canonical`].
    fn root(self) -> Self;
    fn power(self, exponent: Self) -> Self;
    /// Whether `small_power` is right: the exponent is 2, 3 or 4, and neither the power nor what is
    /// lost of it in between is beyond what there is.
    fn has_small_power(self, exponent: Self) -> bool;
    fn small_power(self, exponent: Self) -> Self;
    /// Of the point (x, self).
    fn angle(self, x: Self) -> Self;
    /// Of the hypotenuse.
    fn length(self, other: Self) -> Self;
}

macro_rules! ieee {
    ($type:ty, $small:expr, $pow:path, $atan2:path, $hypot:path) => {
        impl FloatMath for $type {
            #[inline(always)]
            fn direction(self) -> $type {
                let sign = if self < 0.0 { -1.0 } else { self };
                if self > 0.0 { 1.0 } else { sign }
            }

            #[inline(always)]
            fn root(self) -> $type {
                let root = self.sqrt();
                // By its bits: whether a root is NaN the compiler takes for a test of the operand,
                // which the instruction makes anyway, and leaves out.
                let is_nan = root.abs().to_bits() > <$type>::INFINITY.to_bits();
                if is_nan { <$type>::NAN } else { root }
            }

            #[inline(always)]
            fn power(self, exponent: $type) -> $type {
                let power = $pow(self, exponent);
                if self.has_small_power(exponent) { self.small_power(exponent) } else { power }
            }

            #[inline(always)]
            fn has_small_power(self, exponent: $type) -> bool {
                let is_near = $small.contains(&self.abs()) || self == 0.0;
                (exponent == 2.0 && !self.is_nan())
                    | ((exponent == 3.0) | (exponent == 4.0)) & is_near
            }

            #[inline(always)]
            fn small_power(self, exponent: $type) -> $type {
                let square = self * self;
                let lost = self.mul_add(self, -square);
                // What is lost of the square is kept for what it is multiplied by: one rounding.
                let (factor, more) = if exponent == 3.0 {
                    (self, lost * self)
                } else {
                    (square, 2.0 * square * lost)
                };
                let power = square.mul_add(factor, more);
                if exponent == 2.0 { square } else { power }
            }

            #[inline(always)]
            fn angle(self, x: $type) -> $type {
                $atan2(self, x)
            }

            #[inline(always)]
            fn length(self, other: $type) -> $type {
                $hypot(self, other)
            }

            #[inline(always)]
            fn ieee_maximum(self, other: $type) -> $type {
                let larger = if self > other { self } else { other };
                // Equal values differ at most in the sign of a zero: + unless both are -.
                let equal = <$type>::from_bits(self.to_bits() & other.to_bits());
                let ordered = if self == other { equal } else { larger };
                if self.is_nan() || other.is_nan() { <$type>::NAN } else { ordered }
            }

            #[inline(always)]
            fn ieee_minimum(self, other: $type) -> $type {
                let smaller = if self < other { self } else { other };
                let equal = <$type>::from_bits(self.to_bits() | other.to_bits());
                let ordered = if self == other { equal } else { smaller };
                if self.is_nan() || other.is_nan() { <$type>::NAN } else { ordered }
            }
        }
    };
}
ieee!(f32, (1e-8..1e9), math::wide::pow, math::wide::atan2, math::wide::hypot);
ieee!(f64, (1e-75..1e76), math::double::pow, math::double::atan2, math::double::hypot);

/// Floating-point numbers by their bits.
pub(super) trait Ordered: Copy {
    /// An integer that grows in the total order of IEEE 754: -NaN, -infinity, .., -0, +0, ..,
    /// infinity, NaN.
    type Rank: Ord;
    fn rank(self) -> Self::Rank;
    /// The neighbour in the direction of `other`.
    fn next_after(self, other: Self) -> Self;
}

macro_rules! ordered {
    ($($type:ty, $signed:ty, $unsigned:ty;)*) => {$(
        impl Ordered for $type {
            type Rank = $signed;

            #[inline(always)]
            fn rank(self) -> $signed {
                // Negative numbers in reverse.
                let bits = self.to_bits() as $signed;
                bits ^ (((bits >> (<$signed>::BITS - 1)) as $unsigned) >> 1) as $signed
            }

            #[inline(always)]
            fn next_after(self, other: $type) -> $type {
                let (from, to) = (self.rank(), other.rank());
                // -0 and 0 are neighbours by their bits, but one number.
                let magnitude = self.to_bits() & <$signed>::MAX as $unsigned;
                let is_nan = self != self || other != other;
                let up = from < to;
                // Away from zero if that is where the other lies.
                let away = up == (self.to_bits() >> (<$unsigned>::BITS - 1) == 0);
                let step = if away { self.to_bits().wrapping_add(1) } else { self.to_bits().wrapping_sub(1) };
                let sign = (<$unsigned>::MAX ^ <$signed>::MAX as $unsigned) & other.to_bits();
                let next = if magnitude == 0 { sign | 1 } else { step };
                let moved = if self == other { other } else { <$type>::from_bits(next) };
                if is_nan { <$type>::NAN } else { moved }
            }
        }
    )*};
}
ordered! {
    f32, i32, u32;
    f64, i64, u64;
    half::f16, i16, u16;
    half::bf16, i16, u16;
}

/// For each function of one complex operand: its declaration, or its definition for parts of a
/// type.
macro_rules! complex_functions {
    ($what:ident $real:ident) => {
        complex_functions! { $what $real:
            exp exp2 exp_m1 ln ln_1p log2 log10 logistic sqrt rsqrt cbrt sin cos tan asin acos atan
            sinh cosh tanh asinh acosh atanh recip direction
        }
    };
    (declare $real:ident: $($name:ident)*) => {$(
        /// See the table of operations; `direction` is the sign.
        fn $name(self) -> Self;
    )*};
    (define $real:ident: $($name:ident)*) => {$(
        #[inline(always)]
        fn $name(self) -> Self {
            let w = math::complex::$name(Complex::new(self.re.into(), self.im.into()));
            Complex::new(w.re as $real, w.im as $real)
        }
    )*};
}

/// Complex numbers: the type of their parts, and their functions, as C's Annex G has them.
pub trait ComplexMath: Copy {
    /// The type of the real and the imaginary part.
    type Real: ndcore::Element;

    /// Without overflow in between.
    fn modulus(self) -> Self::Real;
    /// Finite whenever it and the operands are.
    fn quotient(self, divisor: Self) -> Self;
    /// The principal value, e^(exponent ln z).
    fn power(self, exponent: Self) -> Self;
    complex_functions!(declare Real);
}

macro_rules! complex_math {
    ($real:ident, $hypot:path, $scaled:literal) => {
        impl ComplexMath for Complex<$real> {
            type Real = $real;

            #[inline(always)]
            fn modulus(self) -> $real {
                $hypot(self.re, self.im)
            }

            #[inline(always)]
            fn quotient(self, divisor: Self) -> Self {
                let z = Complex::new(self.re.into(), self.im.into());
                let w = Complex::new(divisor.re.into(), divisor.im.into());
                let q = math::complex::quotient_of::<$scaled>(z, w);
                Complex::new(q.re as $real, q.im as $real)
            }

            #[inline(always)]
            fn power(self, exponent: Self) -> Self {
                let z = Complex::new(self.re.into(), self.im.into());
                let w = Complex::new(exponent.re.into(), exponent.im.into());
                let power = math::complex::pow(z, w);
                Complex::new(power.re as $real, power.im as $real)
            }

            complex_functions!(define $real);
        }
    };
}
// By way of `f64`, in which neither the squares of an `f32` overflow nor their sums.
complex_math!(f32, math::wide::hypot, false);
complex_math!(f64, math::double::hypot, true);

#[cfg(test)]
mod tests {
    use super::IntMath;

    macro_rules! divides {
        ($($type:ident: $values:expr;)*) => {$({
            let values: Vec<$type> = $values;
            for &a in &values {
                for &b in &values {
                    let (quotient, remainder) = match b {
                        0 => (!0, a),
                        _ => (a.wrapping_div(b), a.wrapping_rem(b)),
                    };
                    let found = (a.quotient(b), a.remainder(b));
                    assert_eq!(found, (quotient, remainder), "{a} by {b}, {}", stringify!($type));
                }
            }
        })*};
    }

    /// Integers near powers of two, and some others.
    fn some(bits: u32) -> Vec<u64> {
        let powers = (0..=bits).map(|power| (1_u128 << power) as u64);
        let edges =
            powers.flat_map(|power| (0..7).map(move |by| power.wrapping_add(by).wrapping_sub(3)));
        let others = (1..200_u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (i % 64));
        edges.chain(others).collect()
    }

    #[test]
    fn quotients_and_remainders_are_those_of_integers() {
        divides! {
            i8: (i8::MIN..=i8::MAX).collect();
            u8: (0..=u8::MAX).collect();
            i16: some(16).into_iter().map(|value| value as i16).collect();
            u16: some(16).into_iter().map(|value| value as u16).collect();
            i32: some(32).into_iter().map(|value| value as i32).collect();
            u32: some(32).into_iter().map(|value| value as u32).collect();
            i64: some(64).into_iter().map(|value| value as i64).collect();
            u64: some(64);
        }
    }
}
