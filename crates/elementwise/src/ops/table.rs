//! The table of operations. A row is an operation: from it come the unit type, the function, the
//! method, the element types and the line in the documentation. `docs/adding-an-op.md` explains the
//! row.

// A type of several tokens is in parentheses, so that the macros take it as one.
#![allow(unused_parens)]

use super::half_float::HalfFloat;
use super::rows::{binary_impl, binary_ops, op, or, result, type_names, unary_impl, unary_ops};
use super::scalar::{ComplexMath, FloatMath, IntMath, Ordered};
use super::{Binary, Op, OpInfo, Unary};
use crate::expr::{Apply, Expr, Floating, Lazy, Operand, Pair};
use crate::math::Math;
use crate::types::for_types;
use bcast::Error;
pub use ndcore::operator::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};

unary_ops! {
    sign, operators:
    /// The negated value; integers wrap around.
    Neg neg "negate" {
        ints -> Self: |a| a.wrapping_neg();
        floats -> Self, raw: |a| -a;
        halves -> Self, raw: |a| Self::from_bits(a.to_bits() ^ 0x8000);
        complexes -> Self, raw: |a| -a;
    }
    /// Bitwise complement; logical for `bool`.
    Not not "not" {
        ints -> Self: |a| !a;
        bools -> Self: |a| !a;
    }
}

unary_ops! {
    math, methods UnaryMethods:
    /// The absolute value; of the smallest signed integer, itself; of a complex number, its
    /// modulus, which is real.
    Abs abs "abs | int s = shift_right_arithmetic(a, 63); sub(xor(a, s), s)" {
        signed -> Self: |a| a.wrapping_abs();
        floats -> Self, raw: |a| a.abs();
        halves -> Self, raw: |a| Self::from_bits(a.to_bits() & 0x7fff);
        complexes costs 12 -> (<Self as ComplexMath>::Real): |a| a.modulus();
    }
    /// The sign: -1, 0 or 1; -0 for -0, NaN for NaN; of a complex number, the number of modulus 1
    /// in its direction.
    Sign sign "sign" alias "signum" costs 2 {
        signed -> Self: |a| a.signum();
        floats -> Self, raw: |a| a.direction();
        halves -> Self, raw: |a| a.map(FloatMath::direction);
        complexes costs 16 -> Self: |a| ComplexMath::direction(a);
    }
    /// The square; integers wrap around.
    Square square "mul(a, a)" {
        ints -> Self: |a| a.wrapping_mul(a);
        floats -> Self, raw: |a| a * a;
        halves -> Self, raw: |a| a.map(|a| a * a);
        complexes -> Self, raw: |a| a * a;
    }
    /// The reciprocal, 1 / x.
    Recip recip "div(1, a)" costs 2 {
        floats -> Self: |a| 1.0 / a;
        halves -> Self: |a| a.map(|a| 1.0 / a);
        complexes costs 24 -> Self: |a| ComplexMath::recip(a);
    }
    /// The largest integer not above.
    Floor floor "floor" {
        floats -> Self: |a| a.floor();
        halves -> Self: |a| a.map(f32::floor);
    }
    /// The smallest integer not below; -0 for -0.5.
    Ceil ceil "ceil" {
        floats -> Self: |a| a.ceil();
        halves -> Self: |a| a.map(f32::ceil);
    }
    /// The integer part.
    Trunc trunc "select(less(a, 0), ceil(a), floor(a))" {
        floats -> Self: |a| a.trunc();
        halves -> Self: |a| a.map(f32::trunc);
    }
    /// The nearest integer; of two, the one farther from zero.
    Round round "round_nearest_afz" costs 2 {
        floats -> Self: |a| a.round();
        halves -> Self: |a| a.map(f32::round);
    }
    /// The nearest integer; of two, the even one.
    RoundTiesEven round_ties_even "round_nearest_even" {
        floats -> Self: |a| a.round_ties_even();
        halves -> Self: |a| a.map(f32::round_ties_even);
    }
    /// Whether the value is neither infinite nor NaN.
    IsFinite is_finite "is_finite" {
        floats -> bool: |a| a.is_finite();
        halves -> bool: |a| a.widen().is_finite();
    }
    /// Whether the value is NaN.
    IsNan is_nan "not_equal(a, a)" {
        floats -> bool: |a| a.is_nan();
        halves -> bool: |a| a.widen().is_nan();
    }
    /// Whether the value is infinite.
    IsInfinite is_infinite "equal(abs(a), inf)" {
        floats -> bool: |a| a.is_infinite();
        halves -> bool: |a| a.widen().is_infinite();
    }
    /// The number of one bits.
    Popcount popcount "popcnt" costs 4 {
        ints -> Self: |a| a.count_ones() as Self;
    }
    /// The number of zero bits above the highest one bit; the width for 0.
    CountLeadingZeros count_leading_zeros "count_leading_zeros" costs 4 {
        ints -> Self: |a| a.leading_zeros() as Self;
    }
    /// The exponential, e^x.
    Exp exp "exponential" within "1 ULP" costs 8 {
        floats -> Self: |a| Math::exp(a), a.has_usual_exp() => a.exp_usual();
        halves -> Self: |a| a.map(Math::exp);
        complexes costs 128 -> Self: |a| ComplexMath::exp(a);
    }
    /// 2^x.
    Exp2 exp2 "pow(2, a) | complex complex_exp2(a)" within "1 ULP" costs 8 {
        floats -> Self: |a| Math::exp2(a);
        halves -> Self: |a| a.map(Math::exp2);
        complexes costs 192 -> Self: |a| ComplexMath::exp2(a);
    }
    /// e^x - 1, without the loss of digits near 0.
    ExpM1 exp_m1 "exponential_minus_one" within "1 ULP" costs 12 {
        floats -> Self: |a| Math::exp_m1(a);
        halves -> Self: |a| a.map(Math::exp_m1);
        complexes costs 256 -> Self: |a| ComplexMath::exp_m1(a);
    }
    /// The natural logarithm; -infinity for 0, NaN below.
    Ln ln "log" within "1 ULP" costs 8 {
        floats -> Self: |a| Math::ln(a), a.has_usual_ln() => a.ln_usual();
        halves -> Self: |a| a.map(Math::ln);
        complexes costs 256 -> Self: |a| ComplexMath::ln(a);
    }
    /// ln(1 + x), without the loss of digits near 0; -infinity for -1, -0 for -0.
    Ln1p ln_1p "log_plus_one" within "1 ULP" costs 12 {
        floats -> Self: |a| Math::ln_1p(a);
        halves -> Self: |a| a.map(Math::ln_1p);
        complexes costs 256 -> Self: |a| ComplexMath::ln_1p(a);
    }
    /// The logarithm to base 2.
    Log2 log2 "div(ln(a), 0.6931471805599453) | complex complex_log2(a)" within "1 ULP" costs 12 {
        floats -> Self: |a| Math::log2(a);
        halves -> Self: |a| a.map(Math::log2);
        complexes costs 256 -> Self: |a| ComplexMath::log2(a);
    }
    /// The logarithm to base 10.
    Log10 log10 "div(ln(a), 2.302585092994046) | complex complex_log10(a)" within "1 ULP" costs 16 {
        floats -> Self: |a| Math::log10(a);
        halves -> Self: |a| a.map(Math::log10);
        complexes costs 256 -> Self: |a| ComplexMath::log10(a);
    }
    /// The logistic function, 1 / (1 + e^-x).
    Logistic logistic "logistic" alias "sigmoid" within "1 ULP" costs 12 {
        floats -> Self: |a| Math::logistic(a), a.has_usual_logistic() => a.logistic_usual();
        halves -> Self: |a| a.map(Math::logistic);
        complexes costs 384 -> Self: |a| ComplexMath::logistic(a);
    }
    /// The square root; NaN below zero, -0 for -0; of a complex number, the principal one.
    Sqrt sqrt "sqrt" within "0.5 ULP" costs 4 {
        floats -> Self, raw: |a| a.root();
        halves -> Self: |a| a.map(f32::sqrt);
        complexes costs 256 -> Self: |a| ComplexMath::sqrt(a);
    }
    /// The reciprocal of the square root; infinity of the same sign for 0 and -0.
    Rsqrt rsqrt "rsqrt" within "1 ULP" costs 8 {
        floats -> Self: |a| Math::rsqrt(a);
        halves -> Self: |a| a.map(Math::rsqrt);
        complexes costs 256 -> Self: |a| ComplexMath::rsqrt(a);
    }
    /// The cube root, of negative numbers too; -0 for -0; of a complex number, the principal one.
    Cbrt cbrt "cbrt | complex complex_cbrt(a)" within "1 ULP" costs 16 {
        floats -> Self: |a| Math::cbrt(a);
        halves -> Self: |a| a.map(Math::cbrt);
        complexes costs 512 -> Self: |a| ComplexMath::cbrt(a);
    }
    /// The sine of an angle in radians, of any magnitude.
    Sin sin "sine" within "1 ULP" costs 12 {
        floats -> Self: |a| Math::sin(a), a.has_near() => a.near_sin();
        halves -> Self: |a| a.map(Math::sin), a.widen().has_near() => a.map(Math::near_sin);
        complexes costs 256 -> Self: |a| ComplexMath::sin(a);
    }
    /// The cosine of an angle in radians, of any magnitude.
    Cos cos "cosine" within "1 ULP" costs 12 {
        floats -> Self: |a| Math::cos(a), a.has_near() => a.near_cos();
        halves -> Self: |a| a.map(Math::cos), a.widen().has_near() => a.map(Math::near_cos);
        complexes costs 256 -> Self: |a| ComplexMath::cos(a);
    }
    /// The tangent of an angle in radians, of any magnitude.
    Tan tan "tan" within "1 ULP" costs 16 {
        floats -> Self: |a| Math::tan(a), a.has_near() => a.near_tan();
        halves -> Self: |a| a.map(Math::tan), a.widen().has_near() => a.map(Math::near_tan);
        complexes costs 256 -> Self: |a| ComplexMath::tan(a);
    }
    /// The arc sine, from -pi/2 to pi/2; NaN beyond 1.
    Asin asin "atan2(a, sqrt(mul(sub(1, a), add(1, a)))) | complex complex_asin(a)" within "1 ULP" costs 12 {
        floats -> Self: |a| Math::asin(a);
        halves -> Self: |a| a.map(Math::asin);
        complexes costs 384 -> Self: |a| ComplexMath::asin(a);
    }
    /// The arc cosine, from 0 to pi; NaN beyond 1.
    Acos acos "atan2(sqrt(mul(sub(1, a), add(1, a))), a) | complex complex_acos(a)" within "1 ULP" costs 12 {
        floats -> Self: |a| Math::acos(a);
        halves -> Self: |a| a.map(Math::acos);
        complexes costs 384 -> Self: |a| ComplexMath::acos(a);
    }
    /// The arc tangent, from -pi/2 to pi/2.
    Atan atan "atan2(a, 1) | complex complex_atan(a)" within "1 ULP" costs 16 {
        floats -> Self: |a| Math::atan(a);
        halves -> Self: |a| a.map(Math::atan);
        complexes costs 96 -> Self: |a| ComplexMath::atan(a);
    }
    /// The hyperbolic sine.
    Sinh sinh "real_sinh(a) | complex complex_sinh(a)" within "1 ULP" costs 16 {
        floats -> Self: |a| Math::sinh(a);
        halves -> Self: |a| a.map(Math::sinh);
        complexes costs 256 -> Self: |a| ComplexMath::sinh(a);
    }
    /// The hyperbolic cosine.
    Cosh cosh "real_cosh(a) | complex complex_cosh(a)" within "1 ULP" costs 16 {
        floats -> Self: |a| Math::cosh(a);
        halves -> Self: |a| a.map(Math::cosh);
        complexes costs 256 -> Self: |a| ComplexMath::cosh(a);
    }
    /// The hyperbolic tangent.
    Tanh tanh "tanh" within "1 ULP" costs 16 {
        floats -> Self: |a| Math::tanh(a);
        halves -> Self: |a| a.map(Math::tanh);
        complexes costs 256 -> Self: |a| ComplexMath::tanh(a);
    }
    /// The inverse of the hyperbolic sine.
    Asinh asinh "real_asinh(a) | complex complex_asinh(a)" within "1 ULP" costs 24 {
        floats -> Self: |a| Math::asinh(a);
        halves -> Self: |a| a.map(Math::asinh);
        complexes costs 384 -> Self: |a| ComplexMath::asinh(a);
    }
    /// The inverse of the hyperbolic cosine; NaN below 1.
    Acosh acosh "real_acosh(a) | complex complex_acosh(a)" within "1 ULP" costs 24 {
        floats -> Self: |a| Math::acosh(a);
        halves -> Self: |a| a.map(Math::acosh);
        complexes costs 384 -> Self: |a| ComplexMath::acosh(a);
    }
    /// The inverse of the hyperbolic tangent; infinite for 1 and -1, NaN beyond.
    Atanh atanh "mul(0.5, sub(ln_1p(a), ln_1p(neg(a))))" within "1 ULP" costs 16 {
        floats -> Self: |a| Math::atanh(a);
        halves -> Self: |a| a.map(Math::atanh);
        complexes costs 96 -> Self: |a| ComplexMath::atanh(a);
    }
    /// The error function.
    Erf erf "real_erf(a)" within "1 ULP" costs 24 {
        floats -> Self: |a| Math::erf(a);
        halves -> Self: |a| a.map(Math::erf);
    }
    /// 1 - erf(x), without the loss of digits for large x.
    Erfc erfc "real_erfc(a)" within "1 ULP" costs 32 {
        floats -> Self: |a| Math::erfc(a);
        halves -> Self: |a| a.map(Math::erfc);
    }
    /// The gamma function; NaN for negative integers, infinite for 0 and -0.
    Gamma gamma "real_gamma(a)" within "2 ULP" costs 64 {
        floats -> Self: |a| Math::gamma(a);
        halves -> Self: |a| a.map(Math::gamma);
    }
    /// The logarithm of the absolute value of the gamma function.
    Lgamma lgamma "real_lgamma(a)" within "2 ULP" costs 64 {
        floats -> Self: |a| Math::lgamma(a);
        halves -> Self: |a| a.map(Math::lgamma);
    }
    /// The positive part: `maximum(x, 0)`; NaN for NaN.
    Relu relu "maximum(a, 0)" {
        signed -> Self: |a| a.max(0);
        floats -> Self, raw: |a| if a <= 0.0 { 0.0 } else { a };
        halves -> Self, raw: |a| a.map(|a| if a <= 0.0 { 0.0 } else { a });
    }
    /// x times the normal distribution function: x / 2 erfc(-x / sqrt 2).
    Gelu gelu "select(equal(a, -inf), -0.0, mul(mul(0.5, a), erfc(mul(a, -0.7071067811865476))))" within "2 ULP" costs 32 {
        floats -> Self: |a| Math::gelu(a);
        halves -> Self: |a| a.map(Math::gelu);
    }
    /// The approximation of `gelu` with a hyperbolic tangent: x / 2 (1 + tanh(sqrt(2 / pi) (x +
    /// 0.044715 x^3))).
    GeluTanh gelu_tanh "select(equal(a, -inf), -0.0, real_gelu_tanh(a))" within "2 ULP" costs 24 {
        floats -> Self: |a| Math::gelu_tanh(a);
        halves -> Self: |a| a.map(Math::gelu_tanh);
    }
    /// The sigmoid-weighted linear unit, x times its logistic function.
    Silu silu "select(equal(a, -inf), -0.0, mul(a, logistic(a)))" within "2 ULP" costs 16 {
        floats -> Self: |a| Math::silu(a), a.has_usual_silu() => a.silu_usual();
        halves -> Self: |a| a.map(Math::silu);
    }
    /// ln(1 + e^x), without overflow.
    Softplus softplus "add(maximum(a, 0), ln_1p(exp(neg(abs(a)))))" within "2 ULP" costs 24 {
        floats -> Self: |a| Math::softplus(a);
        halves -> Self: |a| a.map(Math::softplus);
    }
    /// The real part; of a real number, itself.
    RealPart real "real" {
        floats -> Self, raw: |a| a;
        complexes -> (<Self as ComplexMath>::Real), raw: |a| a.re;
    }
    /// The imaginary part; of a real number, 0.
    ImagPart imag "imag" {
        floats -> Self, raw: |_a| 0.0;
        complexes -> (<Self as ComplexMath>::Real), raw: |a| a.im;
    }
    /// The complex conjugate.
    Conj conj "complex(real(a), neg(imag(a)))" {
        complexes -> Self, raw: |a| a.conj();
    }
}

binary_ops! {
    arithmetic, operators:
    /// The sum; integers wrap around, `bool` is logical or.
    Add add "add" {
        ints -> Self: |a, b| a.wrapping_add(b);
        floats -> Self, raw: |a, b| a + b;
        halves -> Self, raw: |a, b| a.zip(b, |a, b| a + b);
        complexes -> Self, raw: |a, b| a + b;
        bools -> Self: |a, b| a | b;
    }
    /// The difference; integers wrap around.
    Sub sub "subtract" {
        ints -> Self: |a, b| a.wrapping_sub(b);
        floats -> Self, raw: |a, b| a - b;
        halves -> Self, raw: |a, b| a.zip(b, |a, b| a - b);
        complexes -> Self, raw: |a, b| a - b;
    }
    /// The product; integers wrap around, `bool` is logical and.
    Mul mul "multiply" {
        ints -> Self: |a, b| a.wrapping_mul(b);
        floats -> Self, raw: |a, b| a * b;
        halves -> Self, raw: |a, b| a.zip(b, |a, b| a * b);
        complexes -> Self, raw: |a, b| a * b;
        bools -> Self: |a, b| a & b;
    }
    /// The quotient; integers truncate toward zero, `x / 0` has all bits set, and the smallest
    /// integer by -1 is itself.
    Div div "divide" {
        ints -> Self: |a, b| a.quotient(b);
        floats -> Self: |a, b| a / b;
        halves -> Self: |a, b| a.zip(b, |a, b| a / b);
        complexes costs 24 -> Self: |a, b| a.quotient(b);
    }
    /// The remainder with the sign of the dividend (C's `fmod`); of integers, `x % 0` is `x`, and
    /// the smallest integer by -1 leaves 0.
    Rem rem "remainder" {
        ints -> Self: |a, b| a.remainder(b);
        floats -> Self: |a, b| a % b;
        halves -> Self: |a, b| a.zip(b, |a, b| a % b);
    }
    /// Bitwise and; logical for `bool`.
    BitAnd and "and" {
        ints -> Self: |a, b| a & b;
        bools -> Self: |a, b| a & b;
    }
    /// Bitwise or; logical for `bool`.
    BitOr or "or" {
        ints -> Self: |a, b| a | b;
        bools -> Self: |a, b| a | b;
    }
    /// Bitwise exclusive or; logical for `bool`.
    BitXor xor "xor" {
        ints -> Self: |a, b| a ^ b;
        bools -> Self: |a, b| a ^ b;
    }
    /// The operator `<<`: as `shift_left`.
    Shl shl "shift_left" costs 2 {
        ints -> Self: |a, b| a.shift_left(b);
    }
    /// The operator `>>`: as `shift_right_arithmetic` of signed integers, and as
    /// `shift_right_logical` of unsigned ones.
    Shr shr "shift_right_arithmetic | unsigned shift_right_logical(a, b)" costs 2 {
        signed -> Self: |a, b| a.shift_right_arithmetic(b);
        unsigned -> Self: |a, b| a.shift_right_logical(b);
    }
}

binary_ops! {
    comparison, methods BinaryMethods:
    /// The larger value; NaN if either is (IEEE 754-2019 `maximum`), and -0 < +0; `bool` is logical
    /// or.
    Maximum maximum "maximum" {
        ints -> Self: |a, b| a.max(b);
        floats -> Self, raw: |a, b| a.ieee_maximum(b);
        halves -> Self, raw: |a, b| a.zip(b, f32::ieee_maximum);
        bools -> Self: |a, b| a | b;
    }
    /// The smaller value; NaN if either is (IEEE 754-2019 `minimum`), and -0 < +0; `bool` is
    /// logical and.
    Minimum minimum "minimum" {
        ints -> Self: |a, b| a.min(b);
        floats -> Self, raw: |a, b| a.ieee_minimum(b);
        halves -> Self, raw: |a, b| a.zip(b, f32::ieee_minimum);
        bools -> Self: |a, b| a & b;
    }
    /// The larger value; where one is NaN, the other.
    Fmax fmax "select(is_nan(a), b, select(is_nan(b), a, maximum(a, b)))" {
        floats -> Self: |a, b| if a.is_nan() { b } else if b.is_nan() { a } else { a.ieee_maximum(b) };
        halves -> Self: |a, b| a.zip(b, |a, b| if a.is_nan() { b } else if b.is_nan() { a } else { a.ieee_maximum(b) });
    }
    /// The smaller value; where one is NaN, the other.
    Fmin fmin "select(is_nan(a), b, select(is_nan(b), a, minimum(a, b)))" {
        floats -> Self: |a, b| if a.is_nan() { b } else if b.is_nan() { a } else { a.ieee_minimum(b) };
        halves -> Self: |a, b| a.zip(b, |a, b| if a.is_nan() { b } else if b.is_nan() { a } else { a.ieee_minimum(b) });
    }
    /// The left operand to the power of the right one, as C's `pow`; of integers, wrapping around,
    /// with 0^0 = 1, and for a negative exponent 1 of base 1, -1 or 1 of base -1, and else 0.
    Pow pow "power | int integer_power(a, b)" within "1 ULP" costs 48 {
        ints -> Self: |a, b| a.power(b);
        floats -> Self: |a, b| a.power(b), a.has_small_power(b) => a.small_power(b);
        halves -> Self: |a, b| a.zip(b, FloatMath::power);
        complexes costs 512 -> Self: |a, b| a.power(b);
    }
    /// The angle of the point (right, left), from -pi to pi.
    Atan2 atan2 "atan2" within "1 ULP" costs 24 {
        floats -> Self: |a, b| a.angle(b);
        halves -> Self: |a, b| a.zip(b, FloatMath::angle);
    }
    /// The length of the hypotenuse, without overflow in between; infinite if either operand is,
    /// even beside NaN.
    Hypot hypot "select(or(is_infinite(a), is_infinite(b)), inf, abs(complex(a, b)))" within "1 ULP" costs 12 {
        floats -> Self: |a, b| a.length(b);
        halves -> Self: |a, b| a.zip(b, FloatMath::length);
    }
    /// The magnitude of the left operand with the sign of the right one.
    Copysign copysign "select(less(signed_bits(b), 0), neg(abs(a)), abs(a))" {
        floats -> Self, raw: |a, b| a.copysign(b);
        halves -> Self, raw: |a, b| Self::from_bits((a.to_bits() & 0x7fff) | (b.to_bits() & 0x8000));
    }
    /// The next value after the left operand in the direction of the right one; the right one if
    /// they are equal, NaN if either is.
    NextAfter next_after "real_next_after(a, b)" costs 4 {
        floats -> Self, raw: |a, b| a.next_after(b);
        halves -> Self, raw: |a, b| a.next_after(b);
    }
    /// The bits of the left operand moved up by the right one; 0 if that is negative or not below
    /// the width.
    ShiftLeft shift_left "shift_left" costs 2 {
        ints -> Self: |a, b| a.shift_left(b);
    }
    /// The bits of the left operand moved down by the right one, zeros above them; 0 if that is
    /// negative or not below the width.
    ShiftRightLogical shift_right_logical "shift_right_logical" costs 2 {
        ints -> Self: |a, b| a.shift_right_logical(b);
    }
    /// The bits of the left operand moved down by the right one, copies of the highest bit above
    /// them; all of them that if it is negative or not below the width.
    ShiftRightArithmetic shift_right_arithmetic "shift_right_arithmetic" costs 2 {
        ints -> Self: |a, b| a.shift_right_arithmetic(b);
    }
    /// The sum; the nearest value that the type has, where it does not fit.
    SaturatingAdd saturating_add "none" costs 2 {
        ints -> Self: |a, b| a.saturating_add(b);
    }
    /// Whether the sum does not fit in the type.
    AddOverflows add_overflows "none" costs 2 {
        ints -> bool: |a, b| a.overflowing_add(b).1;
    }
    /// The difference; the nearest value that the type has, where it does not fit.
    SaturatingSub saturating_sub "none" costs 2 {
        ints -> Self: |a, b| a.saturating_sub(b);
    }
    /// Whether the difference does not fit in the type.
    SubOverflows sub_overflows "none" costs 2 {
        ints -> bool: |a, b| a.overflowing_sub(b).1;
    }
    /// The product; the nearest value that the type has, where it does not fit.
    SaturatingMul saturating_mul "none" costs 2 {
        ints -> Self: |a, b| a.saturating_mul(b);
    }
    /// Whether the product does not fit in the type.
    MulOverflows mul_overflows "none" costs 2 {
        ints -> bool: |a, b| a.overflowing_mul(b).1;
    }
    /// The complex number with these parts.
    ComplexFrom complex "complex" {
        floats -> (num_complex::Complex<Self>), raw: |a, b| num_complex::Complex::new(a, b);
    }
    /// Whether the operands are equal; NaN equals nothing, -0 equals +0.
    Equal equal "compare EQ" {
        ints -> bool: |a, b| a == b;
        floats -> bool: |a, b| a == b;
        halves -> bool: |a, b| a.widen() == b.widen();
        complexes -> bool: |a, b| a == b;
        bools -> bool: |a, b| a == b;
    }
    /// Whether the operands are not equal; NaN differs from everything, itself too.
    NotEqual not_equal "compare NE" {
        ints -> bool: |a, b| a != b;
        floats -> bool: |a, b| a != b;
        halves -> bool: |a, b| a.widen() != b.widen();
        complexes -> bool: |a, b| a != b;
        bools -> bool: |a, b| a != b;
    }
    /// Whether the left operand is less; false if either is NaN; false is less than true.
    Less less "compare LT" {
        ints -> bool: |a, b| a < b;
        floats -> bool: |a, b| a < b;
        halves -> bool: |a, b| a.widen() < b.widen();
        bools -> bool: |a, b| !a & b;
    }
    /// Whether the left operand is less or equal; false if either is NaN.
    LessEqual less_equal "compare LE" {
        ints -> bool: |a, b| a <= b;
        floats -> bool: |a, b| a <= b;
        halves -> bool: |a, b| a.widen() <= b.widen();
        bools -> bool: |a, b| !a | b;
    }
    /// Whether the left operand is greater; false if either is NaN.
    Greater greater "compare GT" {
        ints -> bool: |a, b| a > b;
        floats -> bool: |a, b| a > b;
        halves -> bool: |a, b| a.widen() > b.widen();
        bools -> bool: |a, b| a & !b;
    }
    /// Whether the left operand is greater or equal; false if either is NaN.
    GreaterEqual greater_equal "compare GE" {
        ints -> bool: |a, b| a >= b;
        floats -> bool: |a, b| a >= b;
        halves -> bool: |a, b| a.widen() >= b.widen();
        bools -> bool: |a, b| a | !b;
    }
    /// Whether the left operand is equal to the right one in the total order: -NaN, -infinity, ..,
    /// -0, +0, .., infinity, NaN.
    TotalEqual total_equal "compare EQ TOTALORDER" {
        floats -> bool: |a, b| a.rank() == b.rank();
        halves -> bool: |a, b| a.rank() == b.rank();
    }
    /// Whether the left operand is other than the right one in the total order: -NaN, -infinity,
    /// .., -0, +0, .., infinity, NaN.
    TotalNotEqual total_not_equal "compare NE TOTALORDER" {
        floats -> bool: |a, b| a.rank() != b.rank();
        halves -> bool: |a, b| a.rank() != b.rank();
    }
    /// Whether the left operand is below the right one in the total order: -NaN, -infinity, .., -0,
    /// +0, .., infinity, NaN.
    TotalLess total_less "compare LT TOTALORDER" {
        floats -> bool: |a, b| a.rank() < b.rank();
        halves -> bool: |a, b| a.rank() < b.rank();
    }
    /// Whether the left operand is below or equal to the right one in the total order: -NaN,
    /// -infinity, .., -0, +0, .., infinity, NaN.
    TotalLessEqual total_less_equal "compare LE TOTALORDER" {
        floats -> bool: |a, b| a.rank() <= b.rank();
        halves -> bool: |a, b| a.rank() <= b.rank();
    }
    /// Whether the left operand is above the right one in the total order: -NaN, -infinity, .., -0,
    /// +0, .., infinity, NaN.
    TotalGreater total_greater "compare GT TOTALORDER" {
        floats -> bool: |a, b| a.rank() > b.rank();
        halves -> bool: |a, b| a.rank() > b.rank();
    }
    /// Whether the left operand is above or equal to the right one in the total order: -NaN,
    /// -infinity, .., -0, +0, .., infinity, NaN.
    TotalGreaterEqual total_greater_equal "compare GE TOTALORDER" {
        floats -> bool: |a, b| a.rank() >= b.rank();
        halves -> bool: |a, b| a.rank() >= b.rank();
    }
}

/// Chooses an element of `t` where `p` is true, of `f` where it is false.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Select;

impl<T: ndcore::Element> Op<(bool, T, T)> for Select {
    type Output = T;
    const COST: usize = 1;
    const NAME: Option<&'static str> = Some("select");

    #[inline(always)]
    fn apply(&self, (p, t, f): (bool, T, T)) -> T {
        if p { t } else { f }
    }
}

/// Limits `x` to between `lo` and `hi`: `minimum(maximum(x, lo), hi)`, so NaN anywhere gives NaN
/// and `lo > hi` gives `hi`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clamp;

impl<T: Binary<Maximum, Output = T> + Binary<Minimum, Output = T>> Op<(T, T, T)> for Clamp {
    type Output = T;
    const COST: usize = 1;
    const NAME: Option<&'static str> = Some("clamp");

    #[inline(always)]
    fn apply(&self, (lo, x, hi): (T, T, T)) -> T {
        Minimum.apply((Maximum.apply((x, lo)), hi))
    }
}

/// The operations of three operands and the conversions, which are generic and so have no arms.
const OTHER_OPS: &[OpInfo] = &[
    OpInfo {
        name: "select",
        stablehlo: "select",
        arity: 3,
        types: &["bool with any two alike"],
        accuracy: "",
        doc: " Chooses an element of the second operand where the first is true, of the third where it is false.",
    },
    OpInfo {
        name: "clamp",
        stablehlo: "clamp",
        arity: 3,
        types: &["i8..i64, u8..u64", "f32, f64", "f16, bf16", "bool"],
        accuracy: "",
        doc: " Limits the second operand to between the first and the third; NaN anywhere gives NaN.",
    },
    OpInfo {
        name: "cast",
        stablehlo: "convert",
        arity: 1,
        types: &["any to any"],
        accuracy: "",
        doc: " Converts: float to integer truncates, saturates and takes NaN to 0; integer to integer wraps; to `bool`, non-zero.",
    },
    OpInfo {
        name: "bitcast",
        stablehlo: "bitcast_convert",
        arity: 1,
        types: &["any to any of the same size, but to bool"],
        accuracy: "",
        doc: " The same bits as another type; `bitcast_split` and `bitcast_join` change the size, and so the rank.",
    },
    OpInfo {
        name: "mul_add",
        stablehlo: "none",
        arity: 3,
        types: &["f32, f64", "f16, bf16"],
        accuracy: "",
        doc: " `a * b + c`, rounded once.",
    },
    OpInfo {
        name: "leaky_relu",
        stablehlo: "select(greater(a, 0), a, mul(setting, a))",
        arity: 1,
        types: &["f32, f64", "f16, bf16"],
        accuracy: "",
        doc: " x where it is positive, else a slope times x.",
    },
    OpInfo {
        name: "reduce_precision",
        stablehlo: "reduce_precision",
        arity: 1,
        types: &["f32, f64", "f16, bf16"],
        accuracy: "",
        doc: " Rounds to a format with fewer bits of exponent and mantissa.",
    },
];

/// Every operation, in the order of the table.
pub fn all_ops() -> impl Iterator<Item = &'static OpInfo> {
    [sign::ROWS, math::ROWS, arithmetic::ROWS, comparison::ROWS, OTHER_OPS].into_iter().flatten()
}

/// Every operation as a function.
pub mod functions {
    pub use super::{arithmetic::*, comparison::*, math::*, sign::*};
    pub use crate::expr::{clamp, select};
}
