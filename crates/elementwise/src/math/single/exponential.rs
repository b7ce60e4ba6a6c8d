//! The exponential, and what is made of it.

use super::{LOG2_E_LOW, SHIFT, integer, power_of_two, scale};
use crate::math::{at_least, at_most, poly};
use std::f32::consts::{LN_2, LOG2_E};

/// What is missing from the `f32` next to ln 2.
const LN_2_LOW: f32 = -1.904_654_3e-9;

/// `(n + SHIFT, r, low)` such that e^x = 2^n e^(r + low), for x of magnitude below 2^20.
#[inline(always)]
fn exp_reduced(x: f32) -> (f32, f32, f32) {
    let shifted = x.mul_add(LOG2_E, SHIFT);
    let n = shifted - SHIFT;
    // Exact: a multiple of the last bit of ln 2, and small.
    let high = n.mul_add(-LN_2, x);
    let r = n.mul_add(-LN_2_LOW, high);
    (shifted, r, n.mul_add(-LN_2_LOW, high - r))
}

/// `(n, s)` such that e^x = 2^n (1 + s).
#[inline(always)]
fn exp_parts(x: f32) -> (i32, f32) {
    let (shifted, r, low) = exp_reduced(x);
    let q = poly!(r, 0.5, 0.166_665_73, 0.041_666_55, 0.008_363_774, 0.001_392_692_7);
    (integer(shifted), (r * r).mul_add(q, low) + r)
}

#[inline(always)]
pub fn exp(x: f32) -> f32 {
    let (n, s) = exp_parts(at_least(at_most(x, 89.0), -104.0));
    scale(s + 1.0, n)
}

/// Where [`exp_usual`] is right: where the result is a normal number.
#[inline(always)]
pub fn has_usual_exp(x: f32) -> bool {
    x.abs() <= 87.0
}

#[inline(always)]
pub fn exp_usual(x: f32) -> f32 {
    let (n, s) = exp_parts(x);
    f32::from_bits((s + 1.0).to_bits().wrapping_add((n as u32) << 23))
}

/// (2^r - 1) / r, for r of magnitude at most a half.
#[inline(always)]
pub(super) fn power_terms(r: f32) -> f32 {
    let p = poly!(r, 0.240_226_5, 0.055_503_592, 0.009_618_069, 0.001_339_114_7, 0.000_154_600_58);
    // The largest term last, so that it is all that is rounded.
    r.mul_add(p, LN_2)
}

/// `(n + SHIFT, r)` such that 2^(x (factor + low)) is 2^n 2^r.
#[inline(always)]
fn power_parts(x: f32, factor: f32, low: f32) -> (f32, f32) {
    let shifted = x.mul_add(factor, SHIFT);
    (shifted, x.mul_add(low, x.mul_add(factor, SHIFT - shifted)))
}

/// 2^n from n + `SHIFT`, for n from -126 to 127.
#[inline(always)]
pub(super) fn shifted_power(shifted: f32) -> f32 {
    f32::from_bits((shifted.to_bits() << 23).wrapping_add(1.0_f32.to_bits()))
}

#[inline(always)]
pub fn exp2(x: f32) -> f32 {
    let limited = at_least(at_most(x, 129.0), -151.0);
    let shifted = limited + SHIFT;
    let r = limited - (shifted - SHIFT);
    scale(r.mul_add(power_terms(r), 1.0), integer(shifted))
}

#[inline(always)]
pub fn exp_m1(x: f32) -> f32 {
    let (shifted, r, low) = exp_reduced(at_least(at_most(x, 88.8), -30.0));
    // e^r - 1 is r + tail.
    let square = r * r;
    let low = r.mul_add(r, -square).mul_add(0.5, low);
    let q = poly!(r, 0.166_666_67, 0.041_666_463, 0.008_333_209, 0.001_393_513_6, 0.000_199_434_99);
    let tail = (square * r).mul_add(q, 0.5 * square) + low;
    // 2^n - 1 + 2^n (r + tail), the first sum of which is not rounded. What is above 2^64 is scaled
    // to that again: the 1 does not count there.
    let n = integer(shifted);
    let rest = if n > 64 { n - 64 } else { 0 };
    let power = power_of_two(n - rest);
    let most = power - 1.0;
    let sum = power.mul_add(r, most);
    let lost = power.mul_add(r, most - sum) + ((power - most) - 1.0);
    let y = (sum + power.mul_add(tail, lost)) * power_of_two(rest);
    if x == 0.0 { x } else { y }
}

/// 1 + 2^(x (factor + low)), where 2 to the integer nearest to that is added to 1 exactly.
#[inline(always)]
fn one_plus_power(x: f32, factor: f32, low: f32) -> f32 {
    let (shifted, r) = power_parts(x, factor, low);
    let power = shifted_power(shifted);
    (power * r).mul_add(power_terms(r), power + 1.0)
}

#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let magnitude = x.abs();
    let square = magnitude * magnitude;
    let p = poly! {
        square, 0.133_331_75, -0.053_950_716, 0.021_774_355, -0.008_571_074, 0.003_048_123_6,
        -0.000_821_204, 0.000_116_208_64
    };
    // The largest term last, so that it is all that is rounded.
    let p = square.mul_add(p, -0.333_333_28);
    let small = (magnitude * square).mul_add(p, magnitude);
    // 1 - 2 / (1 + e^2x)
    let limited = at_most(magnitude, 10.0);
    let large = 1.0 - 2.0 / one_plus_power(limited, 2.0 * LOG2_E, 2.0 * LOG2_E_LOW);
    (if magnitude < 1.0 { small } else { large }).copysign(x)
}

/// 1 / (most + lost + part), where most is at least as large as part, and both as lost.
#[inline(always)]
fn reciprocal(most: f32, lost: f32, part: f32) -> f32 {
    // The denominator as a sum.
    let d = most + part;
    let low = (part - (d - most)) + lost;
    let y = 1.0 / d;
    let residue = low.mul_add(-y, (-d).mul_add(y, 1.0));
    residue.mul_add(y, y)
}

/// `(y, n)` such that 1 / (1 + 2^n (1 + s)) = y 2^n, for a number 2^n (1 + s) that may be too large
/// to write down.
#[inline(always)]
fn reciprocal_above_one(n: i32, s: f32) -> (f32, i32) {
    let scaled = if n < 64 { n } else { 64 };
    let power = power_of_two(scaled);
    let most = power + 1.0;
    let lost = if n > 0 { 1.0 - (most - power) } else { power - (most - 1.0) };
    (reciprocal(most, lost, power * s), scaled - n)
}

/// `(y, n)` such that the logistic function of x, 1 / (1 + e^-x), is y 2^n.
#[inline(always)]
fn logistic_parts(x: f32) -> (f32, i32) {
    let (n, s) = exp_parts(-at_least(at_most(x, 80.0), -110.0));
    reciprocal_above_one(n, s)
}

/// Where [`logistic_usual`] is right: where 1 + 2^n is exact.
#[inline(always)]
pub fn has_usual_logistic(x: f32) -> bool {
    x.abs() <= 15.9
}

#[inline(always)]
pub fn logistic_usual(x: f32) -> f32 {
    let (n, s) = exp_parts(-x);
    let power = power_of_two(n);
    reciprocal(power + 1.0, 0.0, power * s)
}

#[inline(always)]
pub fn logistic(x: f32) -> f32 {
    let (y, n) = logistic_parts(x);
    y * power_of_two(n)
}

/// Where [`silu_usual`] is right, likewise.
#[inline(always)]
pub fn has_usual_silu(x: f32) -> bool {
    x.abs() <= 15.9
}

#[inline(always)]
pub fn silu_usual(x: f32) -> f32 {
    x / one_plus_power(x, -LOG2_E, -LOG2_E_LOW)
}

/// x / (1 + e^-x)
#[inline(always)]
pub fn silu(x: f32) -> f32 {
    let (y, n) = logistic_parts(x);
    let rare = x * y * power_of_two(n);
    // Beyond, the result is below the smallest number.
    let rare = if x < -110.0 { -0.0 } else { rare };
    if has_usual_silu(x) { silu_usual(x) } else { rare }
}

/// x / (1 + e^(-2u)) with u = sqrt(2 / pi) (x + 0.044715 x^3): Hendrycks and Gimpel, "Gaussian
/// error linear units", 2016.
#[inline(always)]
pub fn gelu_tanh(x: f32) -> f32 {
    // -2u / (x ln 2) as a sum: an error in it counts as many times as u is large.
    const ONE: (f32, f32) = (-2.302_208_2, -1.294_840_2e-8);
    const THREE: (f32, f32) = (-0.102_943_24, 2.016_198_5e-9);
    // Below, the result is less than the smallest number; above, it is x.
    let above = at_least(x, -11.0);
    let limited = at_most(above, 7.0);
    let square = limited * limited;
    let square_low = limited.mul_add(limited, -square);
    let cubic = THREE.0 * square;
    let cubic_low = THREE.0.mul_add(square, -cubic)
        + THREE.0.mul_add(square_low, THREE.1.mul_add(square, ONE.1));
    let factor = ONE.0 + cubic;
    let other = factor - ONE.0;
    let factor_low = cubic_low + ((ONE.0 - (factor - other)) + (cubic - other));
    let (shifted, r) = power_parts(limited, factor, factor_low);
    // 1 + 2^n + (2^(n + r) - 2^n), the latter two of which are scaled to 2^64 where they are above.
    let n = integer(shifted);
    let rest = if n > 64 { n - 64 } else { 0 };
    let power = power_of_two(n - rest);
    let (most, q) = (power + 1.0, power_terms(r));
    let usual = (power * r).mul_add(q, most);
    // The 1 counts for more than a quarter of the last place, and 1 + 2^n is rounded.
    let exact = most + (power * r).mul_add(q, 1.0 - (most - power));
    let d = if n == 24 || n == 25 { exact } else { usual };
    above / d * power_of_two(-rest)
}

/// ln(1 + e^x), without overflow.
#[inline(always)]
pub fn softplus(x: f32) -> f32 {
    let (shifted, r) = power_parts(at_most(x.abs(), 104.0), -LOG2_E, -LOG2_E_LOW);
    let e = scale(r.mul_add(power_terms(r), 1.0), integer(shifted));
    // ln(1 + e) / e is the largest term and p.
    let d = e - 0.5;
    let p = poly! {
        d, -0.288_527_13, 0.132_609_04, -0.067_686_82, 0.036_634_788, -0.020_581_914, 0.011_580_224,
        -0.006_690_558_5, 0.005_245_7, -0.003_346_977
    };
    let p = d.mul_add(p, 2.753_846_8e-8);
    e.mul_add(0.810_930_2, e * p) + at_least(x, 0.0)
}
