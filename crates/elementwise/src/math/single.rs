//! Functions of `f32`, in `f32`: those that are asked for most, and so have to keep up with memory.

use super::poly;
use std::f32::consts::{FRAC_2_PI, FRAC_PI_2, LN_2, LOG2_E};

/// Added to a number of magnitude below 2^22, this rounds it to an integer, which its last bits
/// then are.
const SHIFT: f32 = 1.5 * 8_388_608.0;
/// What is missing from the `f32` next to ln 2, to log2 e, to pi / 2, and again from the sum of the
/// latter two.
const LN_2_LOW: f32 = -1.904_654_3e-9;
const LOG2_E_LOW: f32 = 1.925_963e-8;
const FRAC_PI_2_LOW: f32 = -4.371_139e-8;
const FRAC_PI_2_LOWEST: f32 = -1.715_124_5e-15;

/// 2^n, for n from -126 to 127.
#[inline(always)]
fn power_of_two(n: i32) -> f32 {
    f32::from_bits(((n + 127) as u32) << 23)
}

/// `(n, s)` such that e^x = 2^n (1 + s), for x of magnitude below 2^20.
#[inline(always)]
fn exp_parts(x: f32) -> (i32, f32) {
    let (n, r, tail) = exp_terms(x);
    (n, tail + r)
}

/// As [`exp_parts`], of x + more, where that is small.
#[inline(always)]
fn exp_parts_of_sum(x: f32, more: f32) -> (i32, f32) {
    let (n, r, tail) = exp_terms(x);
    (n, more.mul_add(1.0 + (tail + r), tail) + r)
}

/// `(n, r, tail)` such that e^x = 2^n (1 + r + tail), where tail is the smaller.
#[inline(always)]
fn exp_terms(x: f32) -> (i32, f32, f32) {
    let shifted = x.mul_add(LOG2_E, SHIFT);
    let n = shifted - SHIFT;
    // Exact: a multiple of the last bit of ln 2, and small.
    let high = n.mul_add(-LN_2, x);
    let r = n.mul_add(-LN_2_LOW, high);
    let low = n.mul_add(-LN_2_LOW, high - r);
    let q = poly!(r, 0.5, 0.166_665_73, 0.041_666_55, 0.008_363_774, 0.001_392_692_7);
    let tail = (r * r).mul_add(q, low);
    ((shifted.to_bits() as i32).wrapping_sub(SHIFT.to_bits() as i32), r, tail)
}

/// The smaller number, or `x` if that is NaN.
#[inline(always)]
fn at_most(x: f32, limit: f32) -> f32 {
    if limit < x { limit } else { x }
}

/// The larger number, or `x` if that is NaN.
#[inline(always)]
fn at_least(x: f32, limit: f32) -> f32 {
    if limit > x { limit } else { x }
}

#[inline(always)]
pub fn exp(x: f32) -> f32 {
    let (n, s) = exp_parts(at_least(at_most(x, 89.0), -104.0));
    // In two steps, because 2^n alone may be above or below what there is.
    let half = n >> 1;
    (s + 1.0) * power_of_two(half) * power_of_two(n - half)
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

#[inline(always)]
pub fn ln(x: f32) -> f32 {
    let subnormal = x < f32::MIN_POSITIVE;
    let normal = if subnormal { x * 8_388_608.0 } else { x };
    super::ln_edges(x, ln_normal(normal, if subnormal { -23.0 } else { 0.0 }), f32::INFINITY)
}

/// Where [`ln_usual`] is right: for positive normal numbers.
#[inline(always)]
pub fn has_usual_ln(x: f32) -> bool {
    (f32::MIN_POSITIVE..=f32::MAX).contains(&x)
}

#[inline(always)]
pub fn ln_usual(x: f32) -> f32 {
    ln_normal(x, 0.0)
}

/// ln(2^more x)
#[inline(always)]
fn ln_normal(x: f32, more: f32) -> f32 {
    // x = 2^k m, with m from sqrt(1/2) to sqrt(2).
    const ROOT: i32 = 0x3f35_04f3;
    let bits = (x.to_bits() as i32).wrapping_sub(ROOT);
    let k = (bits >> 23) as f32 + more;
    let f = f32::from_bits(((bits & 0x007f_ffff) + ROOT) as u32) - 1.0;
    let p = poly!(
        f,
        0.333_333_3,
        -0.249_999_97,
        0.200_007_16,
        -0.166_678_02,
        0.142_490_58,
        -0.124_256_87,
        0.116_854_2,
        -0.114_797_34,
        0.069_716_115
    );
    let square = f * f;
    let tail = (p * f).mul_add(square, square * -0.5);
    // 355 / 512 and the rest of ln 2.
    let tail = k.mul_add(-2.121_944_4e-4, tail);
    k.mul_add(0.693_359_375, f + tail)
}

/// Up to this magnitude [`sin`] and [`cos`] are right.
pub const ORDINARY_ANGLE: f32 = 262_144.0;

/// `(q, r, low)`: the number of quarter turns nearest to x, in the last two bits, and what is left,
/// as a sum.
#[inline(always)]
fn quarter_turns(x: f32) -> (u32, f32, f32) {
    let shifted = x.mul_add(FRAC_2_PI, SHIFT);
    let n = shifted - SHIFT;
    let high = n.mul_add(-FRAC_PI_2, x);
    let cut = n * FRAC_PI_2_LOW;
    let r = high - cut;
    let low = n.mul_add(-FRAC_PI_2_LOWEST, ((high - r) - cut) - n.mul_add(FRAC_PI_2_LOW, -cut));
    (shifted.to_bits(), r, low)
}

/// The sine of q quarter turns and r + low.
#[inline(always)]
fn sine(q: u32, r: f32, low: f32) -> f32 {
    let square = r * r;
    let s = poly!(square, -0.166_666_67, 0.008_333_332, -0.000_198_400_84, 2.724_962e-6);
    let s = r + (r * square).mul_add(s, low);
    let c = poly!(square, 0.041_666_668, -0.001_388_888_8, 2.480_059_8e-5, -2.730_070_4e-7);
    let most = square.mul_add(-0.5, 1.0);
    let rest = square.mul_add(-0.5, 1.0 - most);
    let c = most + (square * square).mul_add(c, (-low).mul_add(r, rest));
    let y = if q & 1 == 0 { s } else { c };
    f32::from_bits(y.to_bits() ^ ((q & 2) << 30))
}

#[inline(always)]
pub fn sin(x: f32) -> f32 {
    let (q, r, low) = quarter_turns(x);
    let y = sine(q, r, low);
    if x == 0.0 { x } else { y }
}

#[inline(always)]
pub fn cos(x: f32) -> f32 {
    let (q, r, low) = quarter_turns(x);
    sine(q.wrapping_add(1), r, low)
}

/// 1 + 2^(x (factor + low)), where 2 to the integer nearest to that is added to 1 exactly; within
/// 1.5 units of the last place.
#[inline(always)]
fn one_plus_power(x: f32, factor: f32, low: f32) -> f32 {
    let shifted = x.mul_add(factor, SHIFT);
    let r = x.mul_add(low, x.mul_add(factor, SHIFT - shifted));
    // (2^r - 1) / r
    let q = poly!(
        r,
        0.693_147_2,
        0.240_226_51,
        0.055_503_57,
        0.009_618_083,
        0.001_339_086_3,
        0.000_154_531_63
    );
    let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(1.0_f32.to_bits()));
    (power * r).mul_add(q, power + 1.0)
}

#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let magnitude = x.abs();
    let square = magnitude * magnitude;
    let p = poly!(
        square,
        0.133_331_75,
        -0.053_950_716,
        0.021_774_355,
        -0.008_571_074,
        0.003_048_123_6,
        -0.000_821_204,
        0.000_116_208_64
    );
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

/// Where [`gelu_tanh_usual`] is right: where the larger of the two terms of its exponent is that
/// of degree 1.
#[inline(always)]
pub fn has_usual_gelu_tanh(x: f32) -> bool {
    x.abs() <= 4.7
}

#[inline(always)]
pub fn gelu_tanh_usual(x: f32) -> f32 {
    // -2u / (x ln 2) as a sum: an error in it counts as many times as u is large.
    const ONE: (f32, f32) = (-2.302_208_2, -1.294_840_2e-8);
    const THREE: (f32, f32) = (-0.102_943_24, 2.016_198_5e-9);
    let square = x * x;
    let square_low = x.mul_add(x, -square);
    let factor = THREE.0.mul_add(square, ONE.0);
    // Exact: neither is twice as large as the other.
    let cut = THREE.0.mul_add(square, ONE.0 - factor);
    let low = THREE.0.mul_add(square_low, THREE.1.mul_add(square, ONE.1)) + cut;
    x / one_plus_power(x, factor, low)
}

/// x / (1 + e^(-2u)) with u = sqrt(2 / pi) (x + 0.044715 x^3): Hendrycks and Gimpel, "Gaussian
/// error linear units", 2016.
#[inline(always)]
pub fn gelu_tanh(x: f32) -> f32 {
    // 2u as a sum.
    const ONE: (f32, f32) = (1.595_769_2, -4.534_068e-8);
    const THREE: (f32, f32) = (0.071_354_814, 2.398_832_4e-9);
    let limited = at_least(at_most(x, 14.0), -14.0);
    let square = limited * limited;
    let square_low = limited.mul_add(limited, -square);
    let cubic = THREE.0 * square;
    let cubic_low = THREE.0.mul_add(square, -cubic) + THREE.0.mul_add(square_low, THREE.1 * square);
    let factor = ONE.0 + cubic;
    let other = factor - ONE.0;
    let factor_low = (ONE.0 - (factor - other)) + (cubic - other) + (cubic_low + ONE.1);
    let twice = limited * factor;
    let twice_low = limited.mul_add(factor, -twice) + limited * factor_low;
    let (n, s) = exp_parts_of_sum(-at_least(at_most(twice, 80.0), -110.0), -twice_low);
    let (y, n) = reciprocal_above_one(n, s);
    // Beyond, the result is below the smallest number.
    let rare = if twice < -110.0 { -0.0 } else { x * y * power_of_two(n) };
    if has_usual_gelu_tanh(x) { gelu_tanh_usual(x) } else { rare }
}
