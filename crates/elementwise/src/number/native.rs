//! [`Native`]: the floating-point types of the machine, and sums of squares in them.

use super::{Monoid, one_nan};
use crate::math::Math;
use crate::ops::Add;
use crate::reduce::Accumulator;

/// Floating-point types that the machine computes in: `f32` and `f64`.
pub trait Native: Accumulator + Monoid<Add> + num_traits::Float + Math + Into<f64> {
    /// The exponential of anything less does not matter beside 1; that of this is a normal number.
    const LEAST_EXPONENT: Self;
    /// What adds up squares.
    type Squares: Accumulator + Monoid<Add>;

    /// The square.
    fn squares(self) -> Self::Squares;
    /// The square root of a sum of squares.
    fn root(squares: Self::Squares) -> f64;
    /// Whether no square of a sum of squares that matters can have overflowed or underflowed.
    fn is_usual(square: f64) -> bool;
}

impl Native for f32 {
    const LEAST_EXPONENT: f32 = -87.0;
    type Squares = f64;

    // No square of an `f32` overflows or underflows in `f64`.
    #[inline(always)]
    fn squares(self) -> f64 {
        f64::from(self) * f64::from(self)
    }

    fn root(squares: f64) -> f64 {
        // Before the root: the compiler may take a NaN of that for the one it is asked for.
        one_nan(squares).sqrt()
    }

    fn is_usual(_: f64) -> bool {
        true
    }
}

/// Numbers beyond 2^512 have squares that `f64` does not hold; divided by this, all have.
const SCALE: f64 = f64::from_bits((1023 + 600) << 52);

/// From here on, squares that underflow do not matter.
const LEAST_SQUARES: f64 = f64::from_bits((1023 - 900) << 52);

impl Native for f64 {
    const LEAST_EXPONENT: f64 = -708.0;
    /// Those of the numbers as they are, scaled down, and scaled up: in one of the sums, nothing
    /// that matters overflows or underflows.
    type Squares = (f64, f64, f64);

    #[inline(always)]
    fn squares(self) -> (f64, f64, f64) {
        let (down, up) = (self * (1.0 / SCALE), self * SCALE);
        (self * self, down * down, up * up)
    }

    fn root((squares, down, up): (f64, f64, f64)) -> f64 {
        if !squares.is_finite() {
            down.sqrt() * SCALE
        } else if squares < LEAST_SQUARES {
            up.sqrt() / SCALE
        } else {
            squares.sqrt()
        }
    }

    fn is_usual(square: f64) -> bool {
        (LEAST_SQUARES..=f64::MAX).contains(&square)
    }
}
