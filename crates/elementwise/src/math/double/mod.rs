//! Functions of `f64`, in `f64`.
//!
//! A pair of numbers is a sum, the first of them rounded from it: what the second one has is lost
//! last.

mod angle;
mod error_function;
mod exponential;
mod logarithm;
mod power;
mod root;

pub use angle::*;
pub use error_function::*;
pub use exponential::*;
pub use logarithm::*;
pub use power::*;
pub use root::*;

/// Added to a number of magnitude below 2^51, this rounds it to an integer, which its last bits
/// then are.
pub const SHIFT: f64 = 1.5 * 4_503_599_627_370_496.0;

/// What is missing from the `f64` next to ln 2, and to log2 e.
pub const LN_2_LOW: f64 = 2.319_046_813_846_3e-17;
const LOG2_E_LOW: f64 = 2.035_527_374_093_103_3e-17;

/// 2^n from n + `SHIFT`, for n from -1022 to 1023.
#[inline(always)]
fn power_of_two(shifted: f64) -> f64 {
    f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52)
}

/// y 2^n, in two steps, because 2^n alone may be above or below what there is.
#[inline(always)]
fn scale(y: f64, n: f64) -> f64 {
    let half = n.mul_add(0.5, SHIFT);
    let rest = (n - (half - SHIFT)) + SHIFT;
    y * power_of_two(half) * power_of_two(rest)
}

/// a + b, where a is 0 or not the smaller one.
#[inline(always)]
fn sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// 1 + a.
#[inline(always)]
fn one_plus(a: f64) -> (f64, f64) {
    let sum = 1.0 + a;
    (sum, if a < 1.0 { a - (sum - 1.0) } else { 1.0 - (sum - a) })
}

/// a b.
#[inline(always)]
fn product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    (product, a.mul_add(b, -product))
}

/// a / b.
#[inline(always)]
fn quotient(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    let inverse = 1.0 / b.0;
    let quotient = a.0 * inverse;
    let residue = (-quotient).mul_add(b.0, a.0) + (-quotient).mul_add(b.1, a.1);
    (quotient, residue * inverse)
}

/// The square root of a sum that is not negative.
#[inline(always)]
fn root_of(a: (f64, f64)) -> (f64, f64) {
    let root = a.0.sqrt();
    let residue = (-root).mul_add(root, a.0) + a.1;
    (root, if root > 0.0 { 0.5 * residue / root } else { 0.0 })
}
