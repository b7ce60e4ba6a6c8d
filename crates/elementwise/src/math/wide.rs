//! Functions of `f32` by way of `f64`, which has digits to spare: what would need care there is
//! plain here.

use super::{double, poly};
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, LN_2, LOG2_E, SQRT_2};

/// What is missing from the `f64` next to pi / 2.
const FRAC_PI_2_LOW: f64 = 6.123_233_995_736_766e-17;

#[inline(always)]
pub fn sinh(x: f32) -> f32 {
    let wide = f64::from(if 90.0 < x.abs() { 90.0_f32.copysign(x) } else { x });
    let square = wide * wide;
    let p = poly!(square, 1.0 / 6.0, 1.0 / 120.0, 1.0 / 5040.0);
    let small = (wide * square).mul_add(p, wide);
    let large = 0.5 * (exp_near(wide) - exp_near(-wide));
    let y = if wide.abs() < 0.3 { small } else { large };
    if x == 0.0 { x } else { y as f32 }
}

#[inline(always)]
pub fn cosh(x: f32) -> f32 {
    let wide = f64::from(if 90.0 < x.abs() { 90.0 } else { x });
    (0.5 * (exp_near(wide) + exp_near(-wide))) as f32
}

/// The tangent of what is less than an eighth of a turn from a multiple of a quarter turn, or minus
/// the reciprocal of that.
#[inline(always)]
pub fn tan(x: f32) -> f32 {
    let wide = f64::from(x);
    let shifted = wide.mul_add(FRAC_2_PI, double::SHIFT);
    let n = shifted - double::SHIFT;
    let r = n.mul_add(-FRAC_PI_2_LOW, n.mul_add(-FRAC_PI_2, wide));
    let square = r * r;
    let p = poly! {
        square, 0.333_333_316_921_482, 0.133_334_169_390_484_26, 0.053_953_742_844_973_555,
        0.021_990_542_225_097_203, 0.008_310_640_960_407_126, 0.005_033_025_747_576_304,
        -0.000_636_386_732_864_404_9, 0.002_057_684_945_680_023_6
    };
    let t = (r * square).mul_add(p, r);
    let y = if shifted.to_bits() & 1 == 0 { t } else { -reciprocal(t as f32, t) };
    if x == 0.0 { x } else { y as f32 }
}

/// Declares functions that need nothing but digits to spare.
macro_rules! plain {
    ($($name:ident)*) => {$(
        #[inline(always)]
        pub fn $name(x: f32) -> f32 {
            double::$name(f64::from(x)) as f32
        }
    )*};
}

plain! { asinh acosh atanh }

/// Of a logarithm with 53 bits enough are left for the 24 of the result.
#[inline(always)]
pub fn pow(x: f32, y: f32) -> f32 {
    double::power(f64::from(x), f64::from(y), |x| (double::ln_usual(x), 0.0)) as f32
}

#[inline(always)]
pub fn atan2(y: f32, x: f32) -> f32 {
    double::atan2(f64::from(y), f64::from(x)) as f32
}

#[inline(always)]
pub fn hypot(x: f32, y: f32) -> f32 {
    let (x, y) = (f64::from(x.abs()), f64::from(y.abs()));
    let root = x.mul_add(x, y * y).sqrt();
    let is_infinite = x == f64::INFINITY || y == f64::INFINITY;
    if is_infinite { f32::INFINITY } else { root as f32 }
}

#[inline(always)]
pub fn rsqrt(x: f32) -> f32 {
    (1.0 / f64::from(x).sqrt()) as f32
}

#[inline(always)]
pub fn cbrt(x: f32) -> f32 {
    let magnitude = x.abs();
    let subnormal = magnitude < f32::MIN_POSITIVE;
    let normal = if subnormal { magnitude * 16_777_216.0 } else { magnitude };
    // A third of the exponent and the digits: 5 bits, and after two steps of Halley's method more
    // than 40.
    let start = f64::from(f32::from_bits(normal.to_bits() / 3 + 709_958_130));
    let wide = f64::from(normal);
    let step = |y: f64| {
        let cube = y * y * y;
        y * (wide + wide + cube) / (wide + cube + cube)
    };
    let root = step(step(start)) * if subnormal { 1.0 / 256.0 } else { 1.0 };
    let ordinary = magnitude > 0.0 && magnitude < f32::INFINITY;
    (if ordinary { root as f32 } else { magnitude }).copysign(x)
}

/// e^(a^2 / 2) times the normal distribution function of -a, by a, which is also given as `f32`,
/// and positive; times e^exponent, which is that of -a^2 / 2.
#[inline(always)]
fn normal_tail(single: f32, a: f64, exponent: f64) -> f64 {
    // Times a + 3.5, it is smooth in t = (a - 3.5) / (a + 3.5).
    let i = reciprocal(single + 3.5, a + 3.5);
    let t = i.mul_add(-7.0, 1.0);
    let g = poly! {
        t, 0.744_416_074_034_314_4, -0.565_561_743_902_134_9, 0.315_425_057_038_773_05,
        -0.116_053_068_569_819_26, 0.017_406_268_207_244_217, 0.006_493_245_563_244_709_5,
        -0.003_174_811_201_984_559_3, -0.000_494_976_649_289_562_9, 0.000_421_165_487_257_987_47,
        0.000_110_284_257_432_521_62
    };
    i * g * exp_near(exponent)
}

/// x times the normal distribution function: x / 2 erfc(-x / sqrt(2)), which for negative x is the
/// tail, and for positive x is that subtracted from x.
#[inline(always)]
pub fn gelu(x: f32) -> f32 {
    // Beyond, the tail is below the smallest number.
    let magnitude = if 14.6 < x.abs() { 14.6 } else { x.abs() };
    let a = f64::from(magnitude);
    let tail = a * normal_tail(magnitude, a, -0.5 * a * a);
    let base = if x.is_sign_negative() { -0.0 } else { x };
    base - tail as f32
}

/// Twice the normal distribution function of -x sqrt(2).
#[inline(always)]
pub fn erfc(x: f32) -> f32 {
    let magnitude = if 10.3 < x.abs() { 10.3 } else { x.abs() };
    let z = f64::from(magnitude);
    let a = z * SQRT_2;
    let tail = 2.0 * normal_tail(a as f32, a, -z * z);
    (if x < 0.0 { 2.0 - tail } else { tail }) as f32
}

/// 1 / d, from the same number as `f32`: the division of those takes an eighth of the time.
#[inline(always)]
fn reciprocal(single: f32, d: f64) -> f64 {
    let i = f64::from(1.0 / single);
    i.mul_add((-i).mul_add(d, 1.0), i)
}

/// e^x to 29 bits, for x of magnitude below 700.
#[inline(always)]
fn exp_near(x: f64) -> f64 {
    let shifted = x.mul_add(LOG2_E, double::SHIFT);
    let r = (shifted - double::SHIFT).mul_add(-LN_2, x);
    let e = poly! {
        r, 1.000_000_000_554_664_3, 1.000_000_036_344_513_2, 0.499_999_920_745_958_06,
        0.166_664_200_736_655_64, 0.041_668_226_314_875_385, 0.008_374_823_950_543_857,
        0.001_383_682_851_039_542_7
    };
    f64::from_bits(e.to_bits().wrapping_add(shifted.to_bits() << 52))
}
