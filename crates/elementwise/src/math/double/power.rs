//! Powers.

use super::exponential::exp_of_sum;
use super::logarithm::{LN_2_REST, LN_2_UPPER, exponent_and_fraction, normal};
use super::{product, quotient, scale, sum};
use crate::math::{at_least, at_most, poly};

#[inline(always)]
pub fn pow(x: f64, y: f64) -> f64 {
    power(x, y, ln_of_magnitude)
}

/// x to the power of y, given the logarithm of a positive finite number.
#[inline(always)]
pub fn power(x: f64, y: f64, ln: impl Fn(f64) -> (f64, f64)) -> f64 {
    let magnitude = x.abs();
    let (ln, ln_low) = ln(magnitude);
    let ln = if magnitude == 0.0 { f64::NEG_INFINITY } else { ln };
    let ln = if magnitude < f64::INFINITY { ln } else { magnitude };
    let (part, low) = product(y, ln);
    // Beyond, the result is 0 or infinite, and what is below there may be NaN.
    let is_near = part.abs() < 800.0;
    let low = if is_near { y.mul_add(ln_low, low) } else { 0.0 };
    let (digits, n) = exp_of_sum(at_least(at_most(part, 800.0), -800.0), low);
    let result = scale(digits, n);
    let is_integer = y.floor() == y;
    let is_odd = is_integer && (0.5 * y).floor() != 0.5 * y;
    let result = if x.is_sign_negative() && is_odd { -result } else { result };
    // A root of a negative number.
    let is_root = x < 0.0 && magnitude < f64::INFINITY && !is_integer;
    let result = if is_root { f64::NAN } else { result };
    // Whatever the other one is, NaN among it.
    let is_one = y == 0.0 || x == 1.0 || (x == -1.0 && y.abs() == f64::INFINITY);
    if is_one { 1.0 } else { result }
}

/// ln(x), which has 65 bits: as many as the largest power takes from them.
#[inline(always)]
fn ln_of_magnitude(x: f64) -> (f64, f64) {
    let (normal, more) = normal(x);
    let (k, f) = exponent_and_fraction(normal);
    let k = k + more;
    // ln((1 + s) / (1 - s)) = 2s (1 + s^2 / 3 + s^4 / 5 + ..), the first two terms as sums.
    let s = quotient((f, 0.0), sum(2.0, f));
    let square = product(s.0, s.0);
    let square = (square.0, (s.0 + s.0).mul_add(s.1, square.1));
    let p = poly! {
        square.0, 0.2, 0.142_857_142_857_146_85, 0.111_111_111_108_263_83, 0.090_909_091_680_499_24,
        0.076_922_974_435_035_9, 0.066_674_043_994_061_7, 0.058_530_632_322_816_99,
        0.058_621_635_304_233_734
    };
    const THIRD: (f64, f64) = (1.0 / 3.0, 1.850_371_707_708_594e-17);
    let factor = sum(THIRD.0, square.0 * p);
    let factor = (factor.0, factor.1 + THIRD.1);
    let rest = product(square.0, factor.0);
    let rest_low = square.0.mul_add(factor.1, square.1.mul_add(factor.0, rest.1));
    let twice = (s.0 + s.0, s.1 + s.1);
    let rest = {
        let part = product(twice.0, rest.0);
        (part.0, twice.0.mul_add(rest_low, twice.1.mul_add(rest.0, part.1)))
    };
    let (y, low) = sum(twice.0, rest.0);
    let low = low + (twice.1 + rest.1);
    let (y, y_low) = {
        let first = sum(k * LN_2_UPPER, y);
        (first.0, first.1 + k.mul_add(LN_2_REST, low))
    };
    sum(y, y_low)
}
