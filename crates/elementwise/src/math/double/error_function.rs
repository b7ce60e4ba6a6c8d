//! The error function, and what is made of it.

use super::exponential::exp_terms;
use super::{SHIFT, power_of_two, scale};
use crate::math::{at_least, at_most, poly};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

/// What is missing from the `f64` next to the root of 1/2.
const FRAC_1_SQRT_2_LOW: f64 = -4.833_646_656_726_457e-17;

/// erf(x) for |x| up to 1, as a sum.
#[inline(always)]
fn erf_small(x: f64) -> (f64, f64) {
    let square = x * x;
    // The leading coefficient is 2 / sqrt(pi), of which 1 is added last.
    let p = poly! {
        square, 0.128_379_167_095_512_58, -0.376_126_389_031_837_5, 0.112_837_916_709_548_79,
        -0.026_866_170_645_076_792, 0.005_223_977_624_818_014_5, -0.000_854_832_698_083_379,
        0.000_120_553_311_116_427_1, -1.492_559_526_683_118_2e-5, 1.646_100_048_412_136_8e-6,
        -1.635_031_270_105_469_5e-7, 1.465_977_527_404_743_6e-8, -1.137_284_885_679_167_4e-9,
        5.957_176_147_748_911e-11
    };
    let y = x.mul_add(p, x);
    (y, x.mul_add(p, x - y))
}

/// `(y, y_low, n)` such that erfc(x + low) is (y + y_low) 2^n, for x from 0.75 on.
#[inline(always)]
fn erfc_large(x: f64, low: f64) -> (f64, f64, f64) {
    let x = at_most(x, 28.0);
    // erfc(x) e^(x^2) (x + 3) is smooth in t = (x - 3) / (x + 3).
    let d = x + 3.0;
    let d_low = (x - (d - 3.0)) + low;
    let q = 1.0 / d;
    let residue = q.mul_add(-d_low, (-q).mul_add(d, 1.0)) * q;
    let part = 6.0 * q;
    let t = 1.0 - part;
    let other = t - 1.0;
    let t_low = (1.0 - (t - other)) - (part + other) - (q.mul_add(6.0, -part) + 6.0 * residue);
    let rest = poly! {
        t, -0.310_467_261_900_548_5, 0.119_527_761_287_317_11, -0.026_827_234_625_326_327,
        -0.001_212_416_627_640_094_6, 0.003_034_062_018_384_860_6, -0.000_548_309_692_767_901_4,
        -0.000_276_778_034_748_755_45, 0.000_107_561_579_128_012_51, 3.039_936_829_432_868_7e-5,
        -1.747_160_270_046_299_6e-5, -4.753_783_926_540_361e-6, 2.770_968_984_210_692_6e-6,
        1.008_510_260_519_662_9e-6, -4.242_867_786_943_836_4e-7, -2.421_513_777_151_532_5e-7,
        7.118_351_660_862_766e-8, 4.770_426_395_416_037_6e-8, -1.738_777_032_971_557_5e-8
    };
    // The first three terms with what they are rounded by, and the coefficients of two as sums: the
    // error of the rest is small beside them.
    const FIRST: (f64, f64) = (1.074_006_907_088_339_8, -8.726_970_582_552_123e-17);
    const SECOND: (f64, f64) = (-0.883_394_453_169_883_7, -9.257_927_257_861_808e-18);
    const THIRD: f64 = 0.590_228_357_104_101_4;
    let i = t.mul_add(rest, THIRD);
    let i_low = t.mul_add(rest, THIRD - i);
    let h = t.mul_add(i, SECOND.0);
    let h_low = t.mul_add(i_low, t.mul_add(i, SECOND.0 - h) + SECOND.1);
    let g = t.mul_add(h, FIRST.0);
    // What is missing from t counts by the derivative, of which two terms are enough.
    let g_low =
        t_low.mul_add(t.mul_add(i, h), t.mul_add(h_low, t.mul_add(h, FIRST.0 - g) + FIRST.1));
    let y = g * q;
    let y_low = g_low.mul_add(q, g.mul_add(q, -y)) + g * residue;
    // e^(-x^2), the square as a sum.
    let square = x * x;
    let square_low = (x + x).mul_add(low, x.mul_add(x, -square));
    let (n, r, tail) = exp_terms(-square);
    let tail = (-square_low).mul_add(1.0 + (tail + r), tail);
    let s = r + tail;
    let s_low = (r - s) + tail;
    // (y + y_low) (1 + s + s_low), where nothing but the last sum is rounded that counts.
    let product = y * s;
    let product_low = y.mul_add(s_low, y.mul_add(s, -product) + y_low.mul_add(s, y_low));
    let sum = y + product;
    (sum, ((y - sum) + product) + product_low, n)
}

#[inline(always)]
pub fn erf(x: f64) -> f64 {
    let magnitude = x.abs();
    let (tail, tail_low, n) = erfc_large(magnitude, 0.0);
    let large = (1.0 - scale(tail + tail_low, n)).copysign(x);
    if magnitude < 1.0 { erf_small(x).0 } else { large }
}

#[inline(always)]
pub fn erfc(x: f64) -> f64 {
    let magnitude = x.abs();
    let (tail, tail_low, n) = erfc_large(magnitude, 0.0);
    let tail = scale(tail + tail_low, n);
    let large = if x > 0.0 { tail } else { 2.0 - tail };
    let (erf, low) = erf_small(x);
    if magnitude < 0.75 { (1.0 - erf) - low } else { large }
}

/// Beyond this magnitude gelu(x) is x, or below the smallest number.
const GELU_END: f64 = 39.5;

/// x times the normal distribution function: x / 2 erfc(-x / sqrt(2)).
#[inline(always)]
pub fn gelu(x: f64) -> f64 {
    // The argument as a sum: an error in it counts as many times as its square is large.
    let magnitude = at_most(x.abs(), GELU_END);
    let z = magnitude * FRAC_1_SQRT_2;
    let low = magnitude.mul_add(FRAC_1_SQRT_2, -z) + magnitude * FRAC_1_SQRT_2_LOW;
    let (erf, erf_low) = erf_small(z);
    // What is missing from z counts by the derivative, 2 / sqrt(pi) e^(-z^2).
    let square = z * z;
    let erf_low = (low * FRAC_2_SQRT_PI).mul_add(
        square.mul_add(square.mul_add(square.mul_add(-1.0 / 6.0, 0.5), -1.0), 1.0),
        erf_low,
    );
    // Each as a sum, and times a power of two that comes last: the factor alone may be below the
    // normal numbers where the product is not.
    let (tail, tail_low, n) = erfc_large(z, low);
    let (sign, is_small) = (if x < 0.0 { -1.0 } else { 1.0 }, z < 0.75);
    // Of a positive number 2 - erfc, near 0 both by way of erf.
    let (one, part, part_low) = if is_small {
        (1.0, sign * erf, sign * erf_low)
    } else {
        let power = power_of_two(at_least(n, -1000.0) + SHIFT);
        (2.0, -tail * power, -tail_low * power)
    };
    let sum = one + part;
    let sum_low = ((one - sum) + part) + part_low;
    let is_tail = x < 0.0 && !is_small;
    let (factor, factor_low) = if is_tail { (tail, tail_low) } else { (sum, sum_low) };
    let half = 0.5 * magnitude.copysign(x);
    let y = half * factor;
    let y = y + half.mul_add(factor_low, half.mul_add(factor, -y));
    let y = scale(y, if is_tail { n } else { 0.0 });
    // Nothing is lost of the halves of what is not far from 0, and neither here.
    if x.abs() < 1e-300 {
        0.5 * x
    } else if x > GELU_END {
        x
    } else {
        y
    }
}
