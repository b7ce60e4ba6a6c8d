//! Roots.

use super::{product, root_of, sum};

#[inline(always)]
pub fn rsqrt(x: f64) -> f64 {
    let root = x.sqrt();
    let y = 1.0 / root;
    // What the root and the quotient were rounded by.
    let residue = (-root).mul_add(y, 1.0) - 0.5 * (-root).mul_add(root, x) * y * y;
    let better = residue.mul_add(y, y);
    if x > 0.0 && x < f64::INFINITY { better } else { y }
}

/// The cube root.
#[inline(always)]
pub fn cbrt(x: f64) -> f64 {
    let magnitude = x.abs();
    // Neither its cube nor what that is rounded by may be beyond what there is.
    let (factor, back) =
        if magnitude > 1e200 { (2_f64.powi(-300), 2_f64.powi(100)) } else { (1.0, 1.0) };
    let (factor, back) =
        if magnitude < 1e-200 { (2_f64.powi(300), 2_f64.powi(-100)) } else { (factor, back) };
    let scaled = magnitude * factor;
    // A third of the exponent and the digits: 5 bits, and after two steps of Halley's method more
    // than 40.
    let third = ((scaled.to_bits() >> 32) * 0xaaaa_aaab) >> 33;
    let start = f64::from_bits((third + 715_094_163) << 32);
    let step = |y: f64| {
        let cube = y * y * y;
        y * (scaled + scaled + cube) / (scaled + cube + cube)
    };
    let y = step(step(start));
    // One of Newton's, with the cube as a sum.
    let square = product(y, y);
    let cube = product(square.0, y);
    let residue = (scaled - cube.0) - square.1.mul_add(y, cube.1);
    let root = (y + residue / (3.0 * square.0)) * back;
    let is_ordinary = magnitude > 0.0 && magnitude < f64::INFINITY;
    (if is_ordinary { root } else { magnitude }).copysign(x)
}

/// The square root of x^2 + y^2, without overflow.
#[inline(always)]
pub fn hypot(x: f64, y: f64) -> f64 {
    let (x, y) = (x.abs(), y.abs());
    let (large, small) = if x > y { (x, y) } else { (y, x) };
    let (factor, back) =
        if large > 1e150 { (2_f64.powi(-600), 2_f64.powi(600)) } else { (1.0, 1.0) };
    let (factor, back) =
        if large < 1e-150 { (2_f64.powi(600), 2_f64.powi(-600)) } else { (factor, back) };
    let (large, small) = (large * factor, small * factor);
    let (first, second) = (product(large, large), product(small, small));
    let squares = sum(first.0, second.0);
    let (root, low) = root_of((squares.0, squares.1 + (first.1 + second.1)));
    let is_infinite = x == f64::INFINITY || y == f64::INFINITY;
    if is_infinite { f64::INFINITY } else { (root + low) * back }
}
