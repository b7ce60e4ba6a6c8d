//! Logarithms.

use super::LOG2_E_LOW;
use crate::math::{ln_edges, poly};
use std::f32::consts::{LOG2_E, LOG10_E};

#[inline(always)]
pub fn ln(x: f32) -> f32 {
    let subnormal = x < f32::MIN_POSITIVE;
    let normal = if subnormal { x * 8_388_608.0 } else { x };
    ln_edges(x, ln_normal(normal, if subnormal { -23.0 } else { 0.0 }), f32::INFINITY)
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
    let (k, f) = ln_parts(x);
    ln_of_parts(k + more, f, ln_tail(f))
}

/// `(k, f)` such that a normal number is 2^k (1 + f), with 1 + f from sqrt(1/2) to sqrt(2).
#[inline(always)]
fn ln_parts(x: f32) -> (f32, f32) {
    const ROOT: i32 = 0x3f35_04f3;
    let bits = (x.to_bits() as i32).wrapping_sub(ROOT);
    let k = (bits >> 23) as f32;
    (k, f32::from_bits(((bits & 0x007f_ffff) + ROOT) as u32) - 1.0)
}

/// ln(1 + f) - f
#[inline(always)]
fn ln_tail(f: f32) -> f32 {
    let p = poly! {
        f, 0.333_333_3, -0.249_999_97, 0.200_007_16, -0.166_678_02, 0.142_490_58, -0.124_256_87,
        0.116_854_2, -0.114_797_34, 0.069_716_115
    };
    let square = f * f;
    (p * f).mul_add(square, square * -0.5)
}

/// k ln 2 + f + tail
#[inline(always)]
fn ln_of_parts(k: f32, f: f32, tail: f32) -> f32 {
    // 355 / 512 and the rest of ln 2.
    let tail = k.mul_add(-2.121_944_4e-4, tail);
    k.mul_add(0.693_359_375, f + tail)
}

/// ln(1 + x)
#[inline(always)]
pub fn ln_1p(x: f32) -> f32 {
    let sum = 1.0 + x;
    let lost = if x < 1.0 { x - (sum - 1.0) } else { 1.0 - (sum - x) };
    let (k, f) = ln_parts(sum);
    let y = ln_edges(sum, ln_of_parts(k, f, ln_tail(f) + lost / sum), f32::INFINITY);
    if x == 0.0 { x } else { y }
}

/// The logarithm to another base than e: of that, the logarithms of e and of 2, each as a sum, the
/// first part of the latter one so short that its products with small integers are exact.
#[inline(always)]
fn log(x: f32, e: (f32, f32), two: (f32, f32)) -> f32 {
    let subnormal = x < f32::MIN_POSITIVE;
    let normal = if subnormal { x * 8_388_608.0 } else { x };
    let (k, f) = ln_parts(normal);
    let k = if subnormal { k - 23.0 } else { k };
    // (f + tail + low) e, the first product not rounded, nor half of the square in `tail`.
    let square = f * f;
    let low = f.mul_add(f, -square) * -0.5;
    let y = f * e.0;
    let y_low = f.mul_add(e.1, f.mul_add(e.0, -y));
    let y_low = ln_tail(f).mul_add(e.0, low.mul_add(e.0, y_low));
    let most = k * two.0;
    let sum = most + y;
    let y = sum + ((y - (sum - most)) + k.mul_add(two.1, y_low));
    ln_edges(x, y, f32::INFINITY)
}

#[inline(always)]
pub fn log2(x: f32) -> f32 {
    log(x, (LOG2_E, LOG2_E_LOW), (1.0, 0.0))
}

#[inline(always)]
pub fn log10(x: f32) -> f32 {
    log(x, (LOG10_E, -1.010_305_3e-8), (0.301_025_39, 4.605_039e-6))
}
