//! The trigonometric functions and their inverses.

use super::SHIFT;
use crate::math::{angles, at_most, poly};
use std::f32::consts::{FRAC_2_PI, FRAC_PI_2, FRAC_PI_4};

/// What is missing from the `f32` next to pi / 2, and again from the sum of the two.
const FRAC_PI_2_LOW: f32 = -4.371_139e-8;
const FRAC_PI_2_LOWEST: f32 = -1.715_124_5e-15;

/// Up to this magnitude [`sin`] and [`cos`] are right.
pub const ORDINARY_ANGLE: f32 = 262_144.0;

angles!(f32 u32);

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
pub fn atan(x: f32) -> f32 {
    // The arc of z is that of x less `base`: z is x, or (x - 1) / (x + 1), or -1 / x.
    let magnitude = at_most(x.abs(), 1e9);
    let (small, large) = (magnitude < 0.5, magnitude > 2.0);
    let n = if small { magnitude } else { magnitude - 1.0 };
    let n = if large { -1.0 } else { n };
    let d = if small { 1.0 } else { magnitude + 1.0 };
    let lost = if small || large { 0.0 } else { magnitude - (d - 1.0) };
    let d = if large { magnitude } else { d };
    let base = if small { 0.0 } else { FRAC_PI_4 };
    let base = if large { FRAC_PI_2 } else { base };
    let base_low = if small { 0.0 } else { 0.5 * FRAC_PI_2_LOW };
    let base_low = if large { FRAC_PI_2_LOW } else { base_low };
    let inverse = 1.0 / d;
    let z = n * inverse;
    let residue = z.mul_add(-lost, z.mul_add(-d, n));
    let square = z * z;
    let p = poly! {
        square, -0.333_333_28, 0.199_995_56, -0.142_731_5, 0.109_488_37, -0.080_108_18,
        0.039_067_477
    };
    let rest = (z * square).mul_add(p, residue * inverse);
    arc(base, base_low, z, rest).copysign(x)
}

/// The arc sine of a magnitude up to a half, or else that of the sine of half of what is left of a
/// quarter turn, as a sum `z + rest`; and whether it is the latter.
#[inline(always)]
fn arc_sine(magnitude: f32) -> (f32, f32, bool) {
    let large = magnitude > 0.5;
    let square = if large { magnitude.mul_add(-0.5, 0.5) } else { magnitude * magnitude };
    let root = square.sqrt();
    let z = if large { root } else { magnitude };
    // What the root was rounded by: none, where it is 0.
    let lost = root.mul_add(-root, square) * (0.5 / root);
    let lost = if large && magnitude < 1.0 { lost } else { 0.0 };
    let p = poly! {
        square, 0.166_666_6, 0.075_005_19, 0.044_514_377, 0.031_827_77, 0.014_367_226, 0.037_611_492
    };
    (z, (z * square).mul_add(p, lost), large)
}

/// base + base_low + z + rest, where z is not larger than base, or base is 0.
#[inline(always)]
fn arc(base: f32, base_low: f32, z: f32, rest: f32) -> f32 {
    let sum = base + z;
    sum + ((z - (sum - base)) + (base_low + rest))
}

#[inline(always)]
pub fn asin(x: f32) -> f32 {
    let (z, rest, large) = arc_sine(x.abs());
    let y = arc(FRAC_PI_2, FRAC_PI_2_LOW, -2.0 * z, -2.0 * rest);
    (if large { y } else { z + rest }).copysign(x)
}

#[inline(always)]
pub fn acos(x: f32) -> f32 {
    let (z, rest, large) = arc_sine(x.abs());
    let sign = if large { 2.0_f32.copysign(x) } else { -1.0_f32.copysign(x) };
    let turns = if x > 0.0 { 0.0 } else { 2.0 };
    let turns = if large { turns } else { 1.0 };
    arc(turns * FRAC_PI_2, turns * FRAC_PI_2_LOW, sign * z, sign * rest)
}
