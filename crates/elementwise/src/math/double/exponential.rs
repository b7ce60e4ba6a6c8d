//! The exponential, and what is made of it.

use super::{LN_2_LOW, LOG2_E_LOW, SHIFT, power_of_two, product, quotient, scale, sum};
use crate::math::{at_least, at_most, poly};
use std::f64::consts::{LN_2, LOG2_E};

/// `(n, s)` such that e^x = 2^n (1 + s).
#[inline(always)]
pub fn exp_parts(x: f64) -> (f64, f64) {
    let (n, r, tail) = exp_terms(x);
    (n, tail + r)
}

/// `(n, r, tail)` such that e^x = 2^n (1 + r + tail), where tail is the smaller.
#[inline(always)]
pub(super) fn exp_terms(x: f64) -> (f64, f64, f64) {
    let n = x.mul_add(LOG2_E, SHIFT) - SHIFT;
    // Exact: a multiple of the last bit of ln 2, and small.
    let high = n.mul_add(-LN_2, x);
    let r = n.mul_add(-LN_2_LOW, high);
    (n, r, exp_tail(r, n.mul_add(-LN_2_LOW, high - r)))
}

/// e^(r + low) - 1 - r.
#[inline(always)]
fn exp_tail(r: f64, low: f64) -> f64 {
    let q = poly! {
        r, 0.5, 0.166_666_666_666_666_7, 0.041_666_666_666_666_67, 0.008_333_333_333_325_544,
        0.001_388_888_888_888_332_7, 0.000_198_412_698_768_643_56, 2.480_158_732_700_718_7e-5,
        2.755_725_283_351_691e-6, 2.755_727_181_021_98e-7, 2.510_627_473_357_329_6e-8,
        2.091_544_229_778_011_6e-9
    };
    (r * r).mul_add(q, low)
}

/// 1 + r + tail, of which nothing but the last sum is rounded that counts: what is exact remains
/// so.
#[inline(always)]
fn one_plus_terms(r: f64, tail: f64) -> f64 {
    let (one, low) = sum(1.0, r);
    one + (low + tail)
}

/// e^(x + more), where the second number is small: `(y, n)` for y 2^n.
#[inline(always)]
pub(super) fn exp_of_sum(x: f64, more: f64) -> (f64, f64) {
    let (n, r, tail) = exp_terms(x);
    (one_plus_terms(r, more.mul_add(1.0 + (tail + r), tail)), n)
}

#[inline(always)]
pub fn exp(x: f64) -> f64 {
    let (n, r, tail) = exp_terms(at_least(at_most(x, 710.0), -746.0));
    scale(one_plus_terms(r, tail), n)
}

/// Where [`exp_usual`] is right: where the result is a normal number.
#[inline(always)]
pub fn has_usual_exp(x: f64) -> bool {
    x.abs() <= 708.0
}

#[inline(always)]
pub fn exp_usual(x: f64) -> f64 {
    let (n, r, tail) = exp_terms(x);
    let y = one_plus_terms(r, tail);
    f64::from_bits(y.to_bits().wrapping_add((n + SHIFT).to_bits() << 52))
}

#[inline(always)]
pub fn exp2(x: f64) -> f64 {
    let x = at_least(at_most(x, 1025.0), -1080.0);
    let n = (x + SHIFT) - SHIFT;
    let part = x - n;
    let (r, low) = product(part, LN_2);
    scale(one_plus_terms(r, exp_tail(r, part.mul_add(LN_2_LOW, low))), n)
}

/// `(s, low, n)` such that e^x - 1 is (s + low) 2^n, for x from -700 on. The latter sum is not
/// rounded: what the second number has is small, but not as small as that.
#[inline(always)]
fn exp_m1_terms(x: f64) -> (f64, f64, f64) {
    let (n, r, tail) = exp_terms(x);
    // Beyond, the 1 does not count.
    let scaled = at_most(n, 1000.0);
    let power = power_of_two(scaled + SHIFT);
    let most = power - 1.0;
    let lost = if n > 0.0 { (power - most) - 1.0 } else { power - (most + 1.0) };
    let (s, low) = sum(most, power * r);
    (s, low + power.mul_add(tail, lost), n - scaled)
}

#[inline(always)]
pub fn exp_m1(x: f64) -> f64 {
    let (s, low, n) = exp_m1_terms(at_least(at_most(x, 711.0), -700.0));
    let y = (s + low) * power_of_two(n + SHIFT);
    if x == 0.0 { x } else { y }
}

/// (e^2x - 1) / (e^2x + 1)
#[inline(always)]
pub fn tanh(x: f64) -> f64 {
    // Beyond, it is 1.
    let limited = at_most(x.abs(), 22.0);
    let (s, low, _) = exp_m1_terms(limited + limited);
    let above = sum(s, low);
    let below = if above.0 < 2.0 { sum(2.0, above.0) } else { sum(above.0, 2.0) };
    let (y, y_low) = quotient(above, (below.0, below.1 + above.1));
    (y + y_low).copysign(x)
}

/// (e^x + sign e^-x) / 2, for x that is not negative, and a sign of 1 or -1.
#[inline(always)]
fn exp_and_inverse(x: f64, sign: f64) -> f64 {
    let (n, r, tail) = exp_terms(at_most(x, 712.0));
    // e^x is 2^n (1 + t), and e^-x is 2^-n (1 - q) with q = t / (1 + t).
    let t = sum(r, tail);
    let one = sum(1.0, t.0);
    let q = quotient(t, (one.0, one.1 + t.1));
    // By 2^n / 2: (1 + weight) + t - weight q. Beyond 2^60 the second one does not count.
    let weight = sign * power_of_two(at_most(n, 60.0).mul_add(-2.0, SHIFT));
    let (y, low) = sum(1.0, weight);
    let (y, more) = sum(y, t.0);
    let (y, most) = sum(y, -weight * q.0);
    let low = low + more + most + (-weight).mul_add(q.1, t.1);
    scale(y + low, n - 1.0)
}

#[inline(always)]
pub fn sinh(x: f64) -> f64 {
    exp_and_inverse(x.abs(), -1.0).copysign(x)
}

#[inline(always)]
pub fn cosh(x: f64) -> f64 {
    exp_and_inverse(x.abs(), 1.0)
}

/// `(y, n)` such that 1 / (1 + 2^n (1 + s)) = y 2^n, for a number 2^n (1 + s) that may be too large
/// to write down.
#[inline(always)]
fn reciprocal_above_one(n: f64, s: f64) -> (f64, f64) {
    let scaled = at_most(n, 512.0);
    let power = power_of_two(scaled + SHIFT);
    // The denominator as a sum.
    let most = power + 1.0;
    let lost = if n > 0.0 { 1.0 - (most - power) } else { power - (most - 1.0) };
    let part = power * s;
    let d = most + part;
    let low = (part - (d - most)) + lost;
    let y = 1.0 / d;
    let residue = low.mul_add(-y, (-d).mul_add(y, 1.0));
    (residue.mul_add(y, y), scaled - n)
}

#[inline(always)]
pub fn logistic(x: f64) -> f64 {
    let (n, s) = exp_parts(-at_least(at_most(x, 700.0), -746.0));
    let (y, n) = reciprocal_above_one(n, s);
    y * power_of_two(n + SHIFT)
}

/// Where [`logistic_usual`] is right: where nothing has to be scaled.
#[inline(always)]
pub fn has_usual_logistic(x: f64) -> bool {
    x.abs() <= 350.0
}

#[inline(always)]
pub fn logistic_usual(x: f64) -> f64 {
    let (n, s) = exp_parts(-x);
    reciprocal_above_one(n, s).0
}

/// (2^r - 1) / r, for r of magnitude at most a half.
#[inline(always)]
fn power_terms(r: f64) -> f64 {
    let p = poly! {
        r, 0.240_226_506_959_100_97, 0.055_504_108_664_821_6, 0.009_618_129_107_606_888,
        0.001_333_355_814_641_693_6, 0.000_154_035_304_417_360_5, 1.525_273_382_983_612e-5,
        1.321_544_258_792_169e-6, 1.017_806_244_584_577_4e-7, 7.072_585_949_269_223e-9,
        4.454_960_598_186_518_6e-10
    };
    // The largest term last, so that it is all that is rounded.
    r.mul_add(p, LN_2)
}

/// `(n + SHIFT, r)` such that 2^(x (factor + low)) is 2^n 2^r.
#[inline(always)]
fn power_parts(x: f64, factor: f64, low: f64) -> (f64, f64) {
    let shifted = x.mul_add(factor, SHIFT);
    (shifted, x.mul_add(low, x.mul_add(factor, SHIFT - shifted)))
}

/// Where [`silu_usual`] is right: where 1 + 2^n is exact.
#[inline(always)]
pub fn has_usual_silu(x: f64) -> bool {
    x.abs() <= 36.0
}

#[inline(always)]
pub fn silu_usual(x: f64) -> f64 {
    let (shifted, r) = power_parts(x, -LOG2_E, -LOG2_E_LOW);
    let power = power_of_two(shifted);
    x / (power * r).mul_add(power_terms(r), power + 1.0)
}

/// x / (1 + e^-x)
#[inline(always)]
pub fn silu(x: f64) -> f64 {
    let (n, s) = exp_parts(-at_least(at_most(x, 700.0), -760.0));
    let (y, n) = reciprocal_above_one(n, s);
    // Beyond, the result is below the smallest number.
    let rare = if x < -760.0 { -0.0 } else { x * y * power_of_two(n + SHIFT) };
    if has_usual_silu(x) { silu_usual(x) } else { rare }
}

/// x / (1 + e^(-2u)) with u = sqrt(2 / pi) (x + 0.044715 x^3): Hendrycks and Gimpel, "Gaussian
/// error linear units", 2016.
#[inline(always)]
pub fn gelu_tanh(x: f64) -> f64 {
    // -2u / (x ln 2) as a sum: an error in it counts as many times as u is large.
    const ONE: (f64, f64) = (-2.302_208_198_144_324_8, -1.313_282_604_076_971_2e-16);
    const THREE: (f64, f64) = (-0.102_943_239_580_023_5, 5.978_177_400_718_744e-18);
    // Below, the result is less than the smallest number; above, it is x.
    let above = at_least(x, -22.0);
    let limited = at_most(above, 9.0);
    let square = limited * limited;
    let square_low = limited.mul_add(limited, -square);
    let cubic = THREE.0 * square;
    let cubic_low = THREE.0.mul_add(square, -cubic)
        + THREE.0.mul_add(square_low, THREE.1.mul_add(square, ONE.1));
    let factor = ONE.0 + cubic;
    let other = factor - ONE.0;
    let factor_low = cubic_low + ((ONE.0 - (factor - other)) + (cubic - other));
    let (shifted, r) = power_parts(limited, factor, factor_low);
    // 1 + 2^n + (2^(n + r) - 2^n), the latter two of which are scaled to 2^512 where they are
    // above.
    let n = shifted - SHIFT;
    let scaled = at_most(n, 512.0);
    let power = power_of_two(scaled + SHIFT);
    let (most, q) = (power + 1.0, power_terms(r));
    let usual = (power * r).mul_add(q, most);
    // The 1 counts for more than a quarter of the last place, and 1 + 2^n is rounded.
    let exact = most + (power * r).mul_add(q, 1.0 - (most - power));
    let d = if n == 53.0 || n == 54.0 { exact } else { usual };
    above / d * power_of_two((scaled - n) + SHIFT)
}
