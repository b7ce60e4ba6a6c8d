//! The error function.

use super::SHIFT;
use super::exponential::{power_terms, shifted_power};
use crate::math::{at_most, poly};

#[inline(always)]
pub fn erf(x: f32) -> f32 {
    // Beyond, it is 1.
    let magnitude = at_most(x.abs(), 4.0);
    let square = magnitude * magnitude;
    let p = poly! {
        square, 0.128_379_17, -0.376_126_3, 0.112_836_23, -0.026_855_405, 0.005_191_226,
        -0.000_803_246_2, 7.907_749_4e-5
    };
    let small = magnitude.mul_add(p, magnitude);
    // 1 - 2^t, of which the term of degree 1 counts most: `factor` is rounded, `low` what it lost.
    const ONE: f32 = -1.629_517_1;
    let q = poly! {
        magnitude, -0.913_783_8, -0.156_152_37, 0.036_199_298, -0.006_002_323_2, 0.000_623_666_3,
        -3.016_415_6e-5
    };
    let factor = magnitude.mul_add(q, ONE);
    let low = magnitude.mul_add(q, ONE - factor);
    let shifted = magnitude.mul_add(factor, SHIFT);
    let r = magnitude.mul_add(factor, SHIFT - shifted) + magnitude.mul_add(low, 0.000_246_061_6);
    let power = shifted_power(shifted);
    let large = (power * -r).mul_add(power_terms(r), 1.0 - power);
    (if magnitude < 0.9 { small } else { large }).copysign(x)
}
