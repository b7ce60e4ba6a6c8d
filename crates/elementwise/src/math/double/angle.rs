//! Functions of angles, and their inverses.

use super::{SHIFT, product, root_of, sum};
use crate::math::{angles, poly};
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, FRAC_PI_4};

/// What is missing from the `f64` next to pi / 2, and again from the sum of the two.
const FRAC_PI_2_LOW: f64 = 6.123_233_995_736_766e-17;
const FRAC_PI_2_LOWEST: f64 = -1.497_384_904_859_183_3e-33;

/// Up to this magnitude [`sin`] and [`cos`] are right.
pub const ORDINARY_ANGLE: f64 = 1e8;

angles!(f64 u64);

/// The sine and the cosine of r + low, each as a sum.
#[inline(always)]
fn sine_and_cosine(r: f64, low: f64) -> ((f64, f64), (f64, f64)) {
    let square = r * r;
    let s = poly! {
        square, -0.166_666_666_666_666_66, 0.008_333_333_333_333_331, -0.000_198_412_698_412_650_4,
        2.755_731_921_932_058e-6, -2.505_210_622_599_44e-8, 1.605_853_059_664_595_3e-10,
        -7.586_636_882_825_159e-13
    };
    let s = (r, (r * square).mul_add(s, low));
    let c = poly! {
        square, 0.041_666_666_666_666_664, -0.001_388_888_888_888_888_7, 2.480_158_730_158_463_2e-5,
        -2.755_731_922_139_249e-7, 2.087_675_578_749_260_4e-9, -1.147_046_031_920_951_1e-11,
        4.745_838_412_531_023e-14
    };
    let most = square.mul_add(-0.5, 1.0);
    let rest = square.mul_add(-0.5, 1.0 - most);
    (s, (most, (square * square).mul_add(c, (-low).mul_add(r, rest))))
}

/// The sine of q quarter turns and r + low.
#[inline(always)]
fn sine(q: u64, r: f64, low: f64) -> f64 {
    let (s, c) = sine_and_cosine(r, low);
    let y = if q & 1 == 0 { s.0 + s.1 } else { c.0 + c.1 };
    f64::from_bits(y.to_bits() ^ ((q & 2) << 62))
}

#[inline(always)]
pub fn tan(x: f64) -> f64 {
    let (q, r, low) = quarter_turns(x);
    let (s, c) = sine_and_cosine(r, low);
    // After an odd number of quarter turns it is -cos / sin.
    let (above, below) = if q & 1 == 0 { (s, c) } else { ((-c.0, -c.1), s) };
    // The quotient of sums, rounded once.
    let (n, d) = (above.0 + above.1, below.0 + below.1);
    let (n_low, d_low) = ((above.0 - n) + above.1, (below.0 - d) + below.1);
    let y = n / d;
    let residue = (-y).mul_add(d_low, (-y).mul_add(d, n) + n_low);
    if x == 0.0 { x } else { y + residue / d }
}

#[inline(always)]
pub fn atan(x: f64) -> f64 {
    // Beyond, it is pi / 2.
    let magnitude = if x.abs() > 1e300 { 1e300 } else { x.abs() };
    let is_steep = magnitude > 1.0;
    let (a, b) = if is_steep { (1.0, magnitude) } else { (magnitude, 1.0) };
    atan_of_quotient(a, b, is_steep, false).copysign(x)
}

/// The angle of the point (x, y).
#[inline(always)]
pub fn atan2(y: f64, x: f64) -> f64 {
    let is_steep = y.abs() > x.abs();
    let (a, b) = if is_steep { (x.abs(), y.abs()) } else { (y.abs(), x.abs()) };
    // Of two infinities the quotient is 1, and of two zeros 0.
    let finite = if a == f64::INFINITY { 1.0 } else { a * 0.0 };
    let (a, b) = if b == f64::INFINITY { (finite, 1.0) } else { (a, b) };
    // The sum of two large numbers overflows, and residues of two small ones vanish.
    let factor = if b > 1e300 { 2_f64.powi(-10) } else { 1.0 };
    let factor = if b < 1e-150 { 2_f64.powi(600) } else { factor };
    let b = if b == 0.0 { 1.0 } else { b * factor };
    atan_of_quotient(a * factor, b, is_steep, x.is_sign_negative()).copysign(y)
}

/// The arc tangent of a / b, for numbers that are not negative, the first not the larger one; then,
/// if asked for, pi / 2 less that; and then pi less that.
#[inline(always)]
fn atan_of_quotient(a: f64, b: f64, is_steep: bool, is_left: bool) -> f64 {
    const TAN_PI_8: f64 = 0.414_213_562_373_095_03;
    // pi / 4 and the arc tangent of (a - b) / (a + b), where the quotient is far from 0.
    let is_far = a > TAN_PI_8 * b;
    let (less, more) = (sum(b, -a), sum(b, a));
    let above = if is_far { (-less.0, -less.1) } else { (a, 0.0) };
    let below = if is_far { more } else { (b, 0.0) };
    let t = above.0 / below.0;
    let residue = (-t).mul_add(below.0, above.0) + (-t).mul_add(below.1, above.1);
    let square = t * t;
    let p = poly! {
        square, -0.333_333_333_333_333_3, 0.199_999_999_999_998_04, -0.142_857_142_856_597_8,
        0.111_111_111_051_505_88, -0.090_909_087_532_591_12, 0.076_922_963_680_422_96,
        -0.066_664_247_602_005_2, 0.058_789_275_544_738_07, -0.052_304_436_406_869_48,
        0.045_515_447_340_221_615, -0.034_569_315_063_326_09, 0.016_284_375_050_043_393
    };
    let rest = (t * square).mul_add(p, residue / below.0);
    // The multiple of pi / 4 that comes first, and the sign of what comes after it.
    let (k, sign) = if is_far { (1.0, 1.0) } else { (0.0, 1.0) };
    let (k, sign) = if is_steep { (2.0 - k, -sign) } else { (k, sign) };
    let (k, sign) = if is_left { (4.0 - k, -sign) } else { (k, sign) };
    let base = product(k, FRAC_PI_4);
    let base_low = k.mul_add(0.5 * FRAC_PI_2_LOW, base.1);
    let (y, low) = sum(base.0, sign * t);
    y + (low + sign.mul_add(rest, base_low))
}

/// `(s, low, rest)` such that the arc sine of x is s + low + rest for x up to 1/2, and from there
/// on pi / 2 less twice that.
#[inline(always)]
fn asin_terms(magnitude: f64) -> (f64, f64) {
    let is_near = magnitude < 0.5;
    let square = if is_near { magnitude * magnitude } else { 0.5 * (1.0 - magnitude) };
    let (root, root_low) = root_of((square, 0.0));
    let (s, low) = if is_near { (magnitude, 0.0) } else { (root, root_low) };
    let p = poly! {
        square, 0.166_666_666_666_666_66, 0.075_000_000_000_001_18, 0.044_642_857_142_551_895,
        0.030_381_944_475_532_34, 0.022_372_157_443_507_22, 0.017_352_816_540_325_496,
        0.013_963_780_012_203_57, 0.011_566_459_612_121_669, 0.009_621_842_970_100_282,
        0.009_319_560_794_767_446, 0.003_044_879_909_455_677_3, 0.019_554_513_336_123_378,
        -0.019_241_671_746_643_04, 0.029_612_011_264_955_12
    };
    (s, (s * square).mul_add(p, low))
}

#[inline(always)]
pub fn asin(x: f64) -> f64 {
    let magnitude = x.abs();
    let (s, rest) = asin_terms(magnitude);
    let (y, low) = sum(FRAC_PI_2, -2.0 * s);
    let far = y + (low + rest.mul_add(-2.0, FRAC_PI_2_LOW));
    (if magnitude < 0.5 { s + rest } else { far }).copysign(x)
}

#[inline(always)]
pub fn acos(x: f64) -> f64 {
    let magnitude = x.abs();
    let (s, rest) = asin_terms(magnitude);
    // pi / 2 less the arc sine; or twice that of the root; or pi less that.
    let is_near = magnitude < 0.5;
    let sign = if x > 0.0 { 1.0 } else { -1.0 };
    let (base, factor) = if is_near { (1.0, -sign) } else { (1.0 - sign, 2.0 * sign) };
    let (y, low) = sum(base * FRAC_PI_2, factor * s);
    y + (low + factor.mul_add(rest, base * FRAC_PI_2_LOW))
}
