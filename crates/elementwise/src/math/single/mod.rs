//! Functions of `f32`, in `f32`: those that are asked for most, and so have to keep up with memory.

mod angle;
mod error_function;
mod exponential;
mod logarithm;

pub use angle::*;
pub use error_function::*;
pub use exponential::*;
pub use logarithm::*;

/// Added to a number of magnitude below 2^22, this rounds it to an integer, which its last bits
/// then are.
const SHIFT: f32 = 1.5 * 8_388_608.0;

/// What is missing from the `f32` next to log2 e.
const LOG2_E_LOW: f32 = 1.925_963e-8;

/// The integer that was rounded to by adding [`SHIFT`].
#[inline(always)]
fn integer(shifted: f32) -> i32 {
    (shifted.to_bits() as i32).wrapping_sub(SHIFT.to_bits() as i32)
}

/// 2^n, for n from -126 to 127.
#[inline(always)]
fn power_of_two(n: i32) -> f32 {
    f32::from_bits(((n + 127) as u32) << 23)
}

/// y 2^n, in two steps, because 2^n alone may be above or below what there is.
#[inline(always)]
fn scale(y: f32, n: i32) -> f32 {
    let half = n >> 1;
    y * power_of_two(half) * power_of_two(n - half)
}
