//! Logarithms, and what is made of them.

use super::{LOG2_E_LOW, SHIFT, exp, one_plus, product, quotient, root_of, sum};
use crate::math::{ln_edges, poly};
use std::f64::consts::{LOG2_E, LOG10_2, LOG10_E};

/// The upper 33 bits of ln 2, and the rest of it.
pub(super) const LN_2_UPPER: f64 = 0.693_147_180_369_123_8;
pub(super) const LN_2_REST: f64 = 1.908_214_929_270_587_7e-10;
/// What is missing from the `f64` next to 1 / ln 10, and to log10 2.
const LOG10_E_LOW: f64 = 1.098_319_650_216_765e-17;
const LOG10_2_LOW: f64 = -2.803_728_127_785_170_4e-18;

#[inline(always)]
pub fn ln(x: f64) -> f64 {
    let (normal, more) = normal(x);
    ln_edges(x, ln_normal(normal, more), f64::INFINITY)
}

/// Where [`ln_usual`] is right: for positive normal numbers.
#[inline(always)]
pub fn has_usual_ln(x: f64) -> bool {
    (f64::MIN_POSITIVE..=f64::MAX).contains(&x)
}

#[inline(always)]
pub fn ln_usual(x: f64) -> f64 {
    ln_normal(x, 0.0)
}

/// `(y, n)` such that x = 2^n y, where y is normal if x is positive.
#[inline(always)]
pub(super) fn normal(x: f64) -> (f64, f64) {
    let subnormal = x < f64::MIN_POSITIVE;
    let normal = if subnormal { x * 18_014_398_509_481_984.0 } else { x };
    (normal, if subnormal { -54.0 } else { 0.0 })
}

/// `(k, f)` such that x = 2^k (1 + f), with 1 + f from sqrt(1/2) to sqrt(2).
#[inline(always)]
pub(super) fn exponent_and_fraction(x: f64) -> (f64, f64) {
    const ROOT: u64 = 0x3fe6_a09e_667f_3bcd;
    let bits = x.to_bits().wrapping_sub(ROOT);
    // The upper bits as a number, by way of the float that has them last.
    let upper = f64::from_bits((bits.wrapping_add(1 << 63) >> 52) | SHIFT.to_bits());
    let f = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) + ROOT) - 1.0;
    (upper - (SHIFT + 2048.0), f)
}

/// `(half, tail)` such that ln(1 + f) + low = f - (half - tail), arranged so that what is rounded
/// is small.
#[inline(always)]
fn series(f: f64, low: f64) -> (f64, f64) {
    // ln((1 + s) / (1 - s))
    let s = f / (2.0 + f);
    let square = s * s;
    let p = poly! {
        square, 0.666_666_666_666_667, 0.399_999_999_998_981_9, 0.285_714_286_265_702_06,
        0.222_222_110_378_165_9, 0.181_828_961_834_834_85, 0.153_314_872_358_657_34,
        0.146_193_434_535_126_15
    };
    let half = 0.5 * f * f;
    let rounded_off = f.mul_add(0.5 * f, -half);
    (half, s.mul_add(half + square * p, low) - rounded_off)
}

/// ln(2^more x)
#[inline(always)]
fn ln_normal(x: f64, more: f64) -> f64 {
    let (k, f) = exponent_and_fraction(x);
    let k = k + more;
    let (half, tail) = series(f, k * LN_2_REST);
    k.mul_add(LN_2_UPPER, f - (half - tail))
}

/// ln(2^more x), for a positive x; infinity of that.
#[inline(always)]
fn ln_of_sum(x: (f64, f64), more: f64) -> f64 {
    let (k, f) = exponent_and_fraction(x.0);
    let k = k + more;
    let (half, tail) = series(f, k.mul_add(LN_2_REST, x.1 / x.0));
    let y = k.mul_add(LN_2_UPPER, f - (half - tail));
    if x.0 < f64::INFINITY { y } else { x.0 }
}

/// `(k, high, low)` such that ln(x) = k ln 2 + high + low, for a positive x.
#[inline(always)]
fn ln_terms(x: f64) -> (f64, f64, f64) {
    let (normal, more) = normal(x);
    let (k, f) = exponent_and_fraction(normal);
    let (half, tail) = series(f, 0.0);
    let (high, low) = sum(f, -half);
    (k + more, high, low + tail)
}

#[inline(always)]
pub fn log2(x: f64) -> f64 {
    let (k, high, low) = ln_terms(x);
    let part = product(high, LOG2_E);
    let (y, y_low) = sum(k, part.0);
    let low = low.mul_add(LOG2_E, high.mul_add(LOG2_E_LOW, part.1)) + y_low;
    ln_edges(x, y + low, f64::INFINITY)
}

#[inline(always)]
pub fn log10(x: f64) -> f64 {
    let (k, high, low) = ln_terms(x);
    let part = product(high, LOG10_E);
    let most = product(k, LOG10_2);
    let (y, y_low) = sum(most.0, part.0);
    let low = low.mul_add(LOG10_E, high.mul_add(LOG10_E_LOW, part.1));
    let low = low + k.mul_add(LOG10_2_LOW, most.1) + y_low;
    ln_edges(x, y + low, f64::INFINITY)
}

#[inline(always)]
pub fn ln_1p(x: f64) -> f64 {
    let sum = one_plus(x);
    let y = ln_edges(sum.0, ln_of_sum(sum, 0.0), f64::INFINITY);
    if x == 0.0 { x } else { y }
}

/// ln(1 + e^x), without overflow.
#[inline(always)]
pub fn softplus(x: f64) -> f64 {
    let ln = ln_of_sum(one_plus(exp(-x.abs())), 0.0);
    if x > 0.0 { x + ln } else { ln }
}

/// From here on ln(2x) is what the inverse hyperbolic sine and cosine are.
const FAR: f64 = 1e9;

/// ln(x + sqrt(1 + x^2))
#[inline(always)]
pub fn asinh(x: f64) -> f64 {
    let magnitude = x.abs();
    let is_far = magnitude > FAR;
    let near = if is_far { 1.0 } else { magnitude };
    // 1 + z with z = x + x^2 / (1 + sqrt(1 + x^2)).
    let square = near * near;
    let (z, z_low) = sum(near, square / (1.0 + near.mul_add(near, 1.0).sqrt()));
    let (y, low) = one_plus(z);
    let (argument, more) = if is_far { ((magnitude, 0.0), 1.0) } else { ((y, low + z_low), 0.0) };
    ln_of_sum(argument, more).copysign(x)
}

/// ln(x + sqrt(x^2 - 1))
#[inline(always)]
pub fn acosh(x: f64) -> f64 {
    let is_far = x > FAR;
    let near = if is_far { 2.0 } else { x };
    // 1 + z with z = t + sqrt(t (2 + t)) and t = x - 1.
    let t = near - 1.0;
    let factor = if t < 2.0 { sum(2.0, t) } else { sum(t, 2.0) };
    let square = product(t, factor.0);
    let (root, root_low) = root_of((square.0, t.mul_add(factor.1, square.1)));
    let (z, z_low) = sum(root, t);
    let (y, low) = one_plus(z);
    let (argument, more) =
        if is_far { ((x, 0.0), 1.0) } else { ((y, low + (z_low + root_low)), 0.0) };
    let y = ln_of_sum(argument, more);
    if x < 1.0 { f64::NAN } else { y }
}

/// ln((1 + x) / (1 - x)) / 2
#[inline(always)]
pub fn atanh(x: f64) -> f64 {
    let magnitude = x.abs();
    // 1 + q with q = 2x / (1 - x).
    let (q, q_low) = quotient((magnitude + magnitude, 0.0), sum(1.0, -magnitude));
    let (y, low) = one_plus(q);
    let y = 0.5 * ln_of_sum((y, low + q_low), 0.0);
    let y = if magnitude == 1.0 { f64::INFINITY } else { y };
    (if magnitude > 1.0 { f64::NAN } else { y }).copysign(x)
}
