//! Functions of `f32` by way of `f64`, which has digits to spare: what would need care there is
//! plain here.

use super::{double, poly};
use std::f64::consts::{LN_2, LOG2_E, LOG10_E};

#[inline(always)]
pub fn exp2(x: f32) -> f32 {
    double::exp(f64::from(x) * LN_2) as f32
}

#[inline(always)]
pub fn exp_m1(x: f32) -> f32 {
    let wide = f64::from(x);
    // Where too many digits cancel, two terms of the series.
    let y =
        if wide.abs() < 1e-5 { wide.mul_add(0.5 * wide, wide) } else { double::exp(wide) - 1.0 };
    if x == 0.0 { x } else { y as f32 }
}

#[inline(always)]
pub fn ln_1p(x: f32) -> f32 {
    let wide = f64::from(x);
    let sum = 1.0 + wide;
    // What the sum has lost counts only where it is near 1.
    let lost = if wide < 1.0 { wide - (sum - 1.0) } else { 0.0 };
    let y = (double::ln(sum) + lost) as f32;
    if x == 0.0 { x } else { y }
}

#[inline(always)]
pub fn log2(x: f32) -> f32 {
    (double::ln(f64::from(x)) * LOG2_E) as f32
}

#[inline(always)]
pub fn log10(x: f32) -> f32 {
    (double::ln(f64::from(x)) * LOG10_E) as f32
}

#[inline(always)]
pub fn sinh(x: f32) -> f32 {
    let wide = f64::from(x);
    let square = wide * wide;
    let small = wide.mul_add(square * square.mul_add(1.0 / 120.0, 1.0 / 6.0), wide);
    let e = double::exp(wide);
    let y = if wide.abs() < 0.01 { small } else { 0.5 * (e - 1.0 / e) };
    if x == 0.0 { x } else { y as f32 }
}

#[inline(always)]
pub fn cosh(x: f32) -> f32 {
    let e = double::exp(f64::from(x));
    (0.5 * (e + 1.0 / e)) as f32
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

plain! { tan asin acos atan asinh acosh atanh erf erfc }

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

/// ln(1 + e^x), without overflow.
#[inline(always)]
pub fn softplus(x: f32) -> f32 {
    let wide = f64::from(x);
    let e = double::exp(-wide.abs());
    let sum = 1.0 + e;
    let ln = double::ln(sum) + (e - (sum - 1.0));
    (if wide > 0.0 { wide + ln } else { ln }) as f32
}

/// x times the normal distribution function: x / 2 erfc(-x / sqrt(2)), which for negative x is the
/// tail `a q(a)` with a = -x, and for positive x is that subtracted from x.
#[inline(always)]
pub fn gelu(x: f32) -> f32 {
    // Beyond, the tail is below the smallest number.
    let magnitude = if 14.6 < x.abs() { 14.6 } else { x.abs() };
    let a = f64::from(magnitude);
    // q(a) e^(a^2 / 2) (a + 3.5) is smooth in t = (a - 3.5) / (a + 3.5).
    let i = reciprocal(magnitude + 3.5, a + 3.5);
    let t = i.mul_add(-7.0, 1.0);
    let g = poly!(
        t,
        0.744_416_074_034_314_4,
        -0.565_561_743_902_134_9,
        0.315_425_057_038_773_05,
        -0.116_053_068_569_819_26,
        0.017_406_268_207_244_217,
        0.006_493_245_563_244_709_5,
        -0.003_174_811_201_984_559_3,
        -0.000_494_976_649_289_562_9,
        0.000_421_165_487_257_987_47,
        0.000_110_284_257_432_521_62
    );
    let tail = a * i * g * exp_near(-0.5 * a * a);
    let base = if x.is_sign_negative() { -0.0 } else { x };
    base - tail as f32
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
    let e = poly!(
        r,
        1.000_000_000_554_664_3,
        1.000_000_036_344_513_2,
        0.499_999_920_745_958_06,
        0.166_664_200_736_655_64,
        0.041_668_226_314_875_385,
        0.008_374_823_950_543_857,
        0.001_383_682_851_039_542_7
    );
    f64::from_bits(e.to_bits().wrapping_add(shifted.to_bits() << 52))
}
