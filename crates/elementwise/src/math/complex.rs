//! Functions of complex numbers of `f64`, as C's Annex G has them: branch cuts, where the sign of a
//! zero says which side, infinities, NaN; and no overflow or cancellation in between.
//!
//! Those of `f32` are these, rounded.

use super::{Math, double};
use num_complex::Complex;
use std::f64::consts::{FRAC_PI_2, LN_2, LOG2_E, LOG10_E};

type C = Complex<f64>;

const EPSILON: f64 = f64::EPSILON;
const INFINITY: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// Not a number, in both parts.
const NOT: C = C { re: NAN, im: NAN };
/// Beyond this, squares overflow or what is added to a number is lost.
const LARGE: f64 = 1.0 / EPSILON;

#[inline(always)]
fn of(re: f64, im: f64) -> C {
    C { re, im }
}

/// i z
#[inline(always)]
fn turned(z: C) -> C {
    of(-z.im, z.re)
}

/// -i z
#[inline(always)]
fn turned_back(z: C) -> C {
    of(z.im, -z.re)
}

/// The parts exchanged: what is odd and real on the real axis is, so exchanged, what is so on the
/// imaginary one.
#[inline(always)]
fn exchanged(z: C) -> C {
    of(z.im, z.re)
}

/// x 2^n, without overflow in between; `n` of at most three times the exponents there are.
#[inline(always)]
fn ldexp(x: f64, n: f64) -> f64 {
    let third = (n / 3.0).round();
    let power = |n: f64| f64::from_bits(((n as i64 + 1023) as u64) << 52);
    // The larger factors last, of a number that becomes small: it is rounded once.
    x * power(third) * power(third) * power(n - 2.0 * third)
}

/// The exponent of the larger part, as a number.
#[inline(always)]
fn exponent(z: C) -> f64 {
    let larger = z.re.abs().max(z.im.abs());
    let (normal, more) =
        if larger < f64::MIN_POSITIVE { (larger * 2_f64.powi(54), -54.0) } else { (larger, 0.0) };
    (normal.to_bits() >> 52) as f64 - 1023.0 + more
}

/// ln |z|
#[inline(always)]
fn ln_modulus(z: C) -> f64 {
    if z.re.is_infinite() || z.im.is_infinite() {
        return INFINITY;
    }
    let (x, y) = (z.re.abs(), z.im.abs());
    let (large, small) = if x < y { (y, x) } else { (x, y) };
    if large == 0.0 {
        return -INFINITY;
    }
    // Not of NaN, which no scaling would end.
    let (huge, tiny) = (large > 1e150, large < 1e-150);
    if huge || tiny {
        let n = exponent(z);
        return n.mul_add(LN_2, ln_modulus(of(ldexp(large, -n), ldexp(small, -n))));
    }
    if (0.5..2.0).contains(&large) {
        // Near 1, where nearly all of a logarithm of the modulus would cancel.
        let product = (large - 1.0) * (large + 1.0);
        return 0.5 * Math::ln_1p(small.mul_add(small, product));
    }
    Math::ln(double::hypot(large, small))
}

/// The principal logarithm; the cut is the negative real axis.
#[inline(always)]
pub fn ln(z: C) -> C {
    of(ln_modulus(z), double::atan2(z.im, z.re))
}

#[inline(always)]
pub fn log2(z: C) -> C {
    let w = ln(z);
    let re = if z.im == 0.0 { Math::log2(z.re.abs()) } else { w.re * LOG2_E };
    of(re, w.im * LOG2_E)
}

#[inline(always)]
pub fn log10(z: C) -> C {
    let w = ln(z);
    let re = if z.im == 0.0 { Math::log10(z.re.abs()) } else { w.re * LOG10_E };
    of(re, w.im * LOG10_E)
}

/// ln(1 + z); the cut is the real axis below -1.
#[inline(always)]
pub fn ln_1p(z: C) -> C {
    let C { re: x, im: y } = z;
    if x.abs() > LARGE || y.abs() > LARGE {
        return ln(z);
    }
    // |1 + z|^2 = 1 + x (2 + x) + y^2
    let re = if x.abs() < 0.5 && y.abs() < 0.5 {
        0.5 * Math::ln_1p(y.mul_add(y, x * (2.0 + x)))
    } else {
        ln_modulus(of(1.0 + x, y))
    };
    of(re, double::atan2(y, 1.0 + x))
}

/// `(m, n)` such that e^x is m 2^n, of any finite or infinite x: what is beyond the numbers, and
/// what other factors cannot bring back, is limited.
#[inline(always)]
fn exp_parts(x: f64) -> (f64, f64) {
    let (n, s) = double::exp_parts(x.clamp(-1600.0, 1600.0));
    (1.0 + s, n)
}

/// m 2^n e^(i y), for y other than 0 where m is infinite.
#[inline(always)]
fn of_angle((m, n): (f64, f64), y: f64) -> C {
    // A sine may be below the normal numbers, where the product is not.
    let (lifted, lift) = (Math::sin(y) * 2_f64.powi(200), 200.0);
    of(ldexp(m * Math::cos(y), n), ldexp(m * lifted, n - lift))
}

/// Of a power that grows with |x|, where that is infinite: e^(i y) times infinity.
#[inline(always)]
fn infinite(y: f64) -> C {
    if !y.is_finite() {
        return of(INFINITY, NAN);
    }
    let im = if y == 0.0 { y } else { INFINITY * Math::sin(y) };
    of(INFINITY * Math::cos(y), im)
}

#[inline(always)]
pub fn exp(z: C) -> C {
    let C { re: x, im: y } = z;
    if y == 0.0 {
        return of(Math::exp(x), y);
    }
    if x == INFINITY {
        return infinite(y);
    }
    if x == -INFINITY {
        let (c, s) = if y.is_finite() { (Math::cos(y), Math::sin(y)) } else { (1.0, y) };
        return of(0.0_f64.copysign(c), 0.0_f64.copysign(s));
    }
    if !y.is_finite() || x.is_nan() {
        return NOT;
    }
    of_angle(exp_parts(x), y)
}

/// 2^z. The angle is y times 106 bits of ln 2; of many turns fewer digits are left, beyond 2^50
/// none.
#[inline(always)]
pub fn exp2(z: C) -> C {
    let C { re: x, im: y } = z;
    if y == 0.0 {
        return of(Math::exp2(x), y);
    }
    if !x.is_finite() || !y.is_finite() {
        return exp(of(x, y));
    }
    let n = x.clamp(-2200.0, 2200.0).round();
    let m = Math::exp2((x - n).clamp(-1.0, 1.0));
    let angle = y * LN_2;
    let low = y.mul_add(LN_2, -angle) + y * double::LN_2_LOW;
    let low = if y.abs() < 1.0 / EPSILON { low } else { 0.0 };
    let (sin, cos) = (Math::sin(angle), Math::cos(angle));
    of(ldexp(m * low.mul_add(-sin, cos), n), ldexp(m * low.mul_add(cos, sin), n))
}

/// e^z - 1: the real part is (e^x - 1) cos y - 2 sin(y / 2)^2.
#[inline(always)]
pub fn exp_m1(z: C) -> C {
    let C { re: x, im: y } = z;
    if y == 0.0 {
        return of(Math::exp_m1(x), y);
    }
    // Nothing is left of the 1.
    if x > 40.0 || !x.is_finite() || !y.is_finite() {
        let w = exp(z);
        return of(w.re - 1.0, w.im);
    }
    let half_sine = Math::sin(0.5 * y);
    let re = Math::exp_m1(x) * Math::cos(y) - 2.0 * half_sine * half_sine;
    of(re, Math::exp(x) * Math::sin(y))
}

/// 1 / (1 + e^-z)
#[inline(always)]
pub fn logistic(z: C) -> C {
    let C { re: x, im: y } = z;
    if y == 0.0 {
        // The derivative is positive.
        return of(Math::logistic(x), y);
    }
    // Of 1 + e^z nothing but one of the two is left.
    if x < -40.0 {
        return exp(z);
    }
    if x > 40.0 {
        let w = exp(-z);
        return of(1.0 - w.re, -w.im);
    }
    if !y.is_finite() || x.is_nan() {
        return NOT;
    }
    // By w = e^-z or e^z, that of modulus below 1; near -1, 1 + w is 1 - |w| + 2 |w| cos(y / 2)^2.
    let down = -x.abs();
    let (modulus, half, sin) = (Math::exp(down), Math::cos(0.5 * y), Math::sin(y));
    let w = of(modulus * Math::cos(y), modulus * (if x < 0.0 { sin } else { -sin }));
    let above_one = of((2.0 * modulus * half).mul_add(half, -Math::exp_m1(down)), w.im);
    let quotient = if x < 0.0 { quotient(w, above_one) } else { recip(above_one) };
    // The sign that a part below the smallest number loses.
    of(quotient.re, quotient.im.copysign(sin))
}

/// The principal square root; the cut is the negative real axis.
#[inline(always)]
pub fn sqrt(z: C) -> C {
    let C { re: x, im: y } = z;
    if y.is_infinite() {
        return of(INFINITY, y);
    }
    if x.is_infinite() {
        // 0, or NaN if y is.
        let none = 0.0 * y;
        return if x < 0.0 {
            of(none.abs(), INFINITY.copysign(y))
        } else {
            of(x, none.copysign(y))
        };
    }
    if x.is_nan() || y.is_nan() {
        return NOT;
    }
    if x == 0.0 && y == 0.0 {
        return of(0.0, y);
    }
    // Scaled by an even power of 2.
    let n = 2.0 * (0.5 * exponent(z)).floor();
    let (a, b) = (ldexp(x.abs(), -n), ldexp(y.abs(), -n));
    let root = (0.5 * (a + double::hypot(a, b))).sqrt();
    let (large, small) = (ldexp(root, 0.5 * n), ldexp(0.5 * b / root, 0.5 * n));
    if x < 0.0 { of(small, large.copysign(y)) } else { of(large, small.copysign(y)) }
}

#[inline(always)]
pub fn rsqrt(z: C) -> C {
    recip(sqrt(z))
}

/// The principal cube root, of a third of the angle.
#[inline(always)]
pub fn cbrt(z: C) -> C {
    let angle = double::atan2(z.im, z.re) / 3.0;
    let (cos, sin) = (Math::cos(angle), Math::sin(angle));
    if z.re.is_infinite() || z.im.is_infinite() {
        return of(INFINITY * cos, if sin == 0.0 { sin } else { INFINITY * sin });
    }
    if z.re == 0.0 && z.im == 0.0 {
        return of(0.0, z.im);
    }
    let n = 3.0 * (exponent(z) / 3.0).floor();
    let modulus = Math::cbrt(double::hypot(ldexp(z.re, -n), ldexp(z.im, -n)));
    of(ldexp(modulus * cos, n / 3.0), ldexp(modulus * sin, n / 3.0))
}

/// The power, e^(w ln z); 1 for w = 0.
#[inline(always)]
pub fn pow(z: C, w: C) -> C {
    if w.re == 0.0 && w.im == 0.0 {
        return of(1.0, 0.0);
    }
    if w.im == 0.0 && z.im == 0.0 && z.re >= 0.0 {
        return of(double::pow(z.re, w.re), 0.0);
    }
    if z.re == 0.0 && z.im == 0.0 {
        // The modulus is 0 or infinite by the real part, the angle nowhere.
        return if w.re > 0.0 { of(0.0, 0.0) } else { NOT };
    }
    let ln = ln(z);
    exp(of(w.re * ln.re - w.im * ln.im, w.im.mul_add(ln.re, w.re * ln.im)))
}

/// sinh(x + i y) = sinh x cos y + i cosh x sin y
#[inline(always)]
pub fn sinh(z: C) -> C {
    let C { re: x, im: y } = z;
    if y == 0.0 {
        return of(Math::sinh(x), y);
    }
    if x == 0.0 && !y.is_finite() {
        return of(x, Math::sin(y));
    }
    if x.is_infinite() {
        let w = infinite(y);
        return of(if x < 0.0 { -w.re } else { w.re }, w.im);
    }
    if x.is_nan() || !y.is_finite() {
        return NOT;
    }
    if x.abs() < 40.0 {
        return of(Math::sinh(x) * Math::cos(y), Math::cosh(x) * Math::sin(y));
    }
    // Half of e^|x| is both.
    let (m, n) = exp_parts(x.abs());
    let w = of_angle((m, n - 1.0), y);
    of(if x < 0.0 { -w.re } else { w.re }, w.im)
}

/// cosh(x + i y) = cosh x cos y + i sinh x sin y
#[inline(always)]
pub fn cosh(z: C) -> C {
    let C { re: x, im: y } = z;
    if y == 0.0 {
        return of(Math::cosh(x), 0.0_f64.copysign(x) * y);
    }
    if x == 0.0 {
        let sin = Math::sin(y);
        return of(Math::cos(y), if sin.is_nan() { x } else { x * sin });
    }
    if x.is_infinite() {
        let w = infinite(y);
        return of(w.re, if x < 0.0 { -w.im } else { w.im });
    }
    if x.is_nan() || !y.is_finite() {
        return NOT;
    }
    if x.abs() < 40.0 {
        return of(Math::cosh(x) * Math::cos(y), Math::sinh(x) * Math::sin(y));
    }
    let (m, n) = exp_parts(x.abs());
    let w = of_angle((m, n - 1.0), y);
    of(w.re, if x < 0.0 { -w.im } else { w.im })
}

/// Kahan, "Branch cuts for complex elementary functions", 1987.
#[inline(always)]
pub fn tanh(z: C) -> C {
    let C { re: x, im: y } = z;
    if x.is_infinite() {
        let turns = if y.is_finite() { Math::sin(y) * Math::cos(y) } else { y };
        return of(1.0_f64.copysign(x), 0.0_f64.copysign(turns));
    }
    if y == 0.0 {
        return of(Math::tanh(x), y);
    }
    if x == 0.0 {
        return of(x, Math::tan(y));
    }
    if x.is_nan() || !y.is_finite() {
        return NOT;
    }
    if x.abs() > 40.0 {
        let (m, n) = exp_parts(-2.0 * x.abs());
        let turns = 4.0 * Math::sin(y) * Math::cos(y);
        return of(1.0_f64.copysign(x), ldexp(m * turns, n));
    }
    let (tan, sinh) = (Math::tan(y), Math::sinh(x));
    let slope = tan.mul_add(tan, 1.0);
    let below = (slope * sinh).mul_add(sinh, 1.0);
    let cosh = sinh.mul_add(sinh, 1.0).sqrt();
    of(slope * cosh * sinh / below, tan / below)
}

#[inline(always)]
pub fn sin(z: C) -> C {
    turned_back(sinh(turned(z)))
}

#[inline(always)]
pub fn cos(z: C) -> C {
    cosh(turned(z))
}

#[inline(always)]
pub fn tan(z: C) -> C {
    turned_back(tanh(turned(z)))
}

/// For x and y not negative and moderate: the inverse hyperbolic sine of x + i y as its real part,
/// and the sine and the cosine of its imaginary part, both times the same factor.
///
/// Hull, Fairgrieve and Tang, "Implementing the complex arcsine and arccosine functions using
/// exception handling", ACM TOMS 23(3), 1997. Through x + i y goes the ellipse with the foci i and
/// -i whose half axis is a: asinh(x + i y) = acosh a + i asin(y / a).
#[inline(always)]
fn inverse(x: f64, y: f64) -> (f64, f64, f64) {
    /// Half of what `hypot(x, side)` is above `-side`, without cancellation.
    fn half_excess(x: f64, side: f64, hypot: f64) -> f64 {
        match side {
            _ if side < 0.0 => 0.5 * (hypot - side),
            _ if side == 0.0 => 0.5 * x,
            _ => 0.5 * x * x / (hypot + side),
        }
    }
    let (far, near) = (double::hypot(x, y + 1.0), double::hypot(x, y - 1.0));
    let a = (0.5 * (far + near)).max(1.0);
    // Beside the segment between the foci, or what continues it, the ellipse has no width.
    let flat = x < EPSILON * (y - 1.0).abs();
    let at_focus = y == 1.0 && x < EPSILON * EPSILON / 128.0;
    let re = if a >= 10.0 {
        Math::ln(a + (a * a - 1.0).sqrt())
    } else if at_focus {
        x.sqrt()
    } else if !flat {
        let excess = half_excess(x, 1.0 + y, far) + half_excess(x, 1.0 - y, near);
        Math::ln_1p(excess + (excess * (a + 1.0)).sqrt())
    } else if y < 1.0 {
        x / ((1.0 - y) * (1.0 + y)).sqrt()
    } else {
        Math::ln_1p((y - 1.0) + ((y - 1.0) * (y + 1.0)).sqrt())
    };
    // y and sqrt(a^2 - y^2), scaled where they would be below the normal numbers.
    let (sin, cos) = if y == 1.0 && x < EPSILON / 128.0 {
        (y, x.sqrt() * (0.5 * (a + y)).sqrt())
    } else if !flat {
        let excess = half_excess(x, y + 1.0, far) + half_excess(x, y - 1.0, near);
        (y, (excess * (a + y)).sqrt())
    } else if y > 1.0 {
        let scale = 4.0 * LARGE * LARGE;
        (y * scale, x * scale * y / ((y + 1.0) * (y - 1.0)).sqrt())
    } else {
        (y, ((1.0 - y) * (1.0 + y)).sqrt())
    };
    (re, sin, cos)
}

/// The cuts are the imaginary axis above i and below -i.
#[inline(always)]
pub fn asinh(z: C) -> C {
    let C { re: x, im: y } = z;
    let (a, b) = (x.abs(), y.abs());
    if x.is_nan() || y.is_nan() {
        return match () {
            _ if x.is_infinite() => of(x, NAN),
            _ if y.is_infinite() => of(y, NAN),
            _ if y == 0.0 => of(NAN, y),
            _ => NOT,
        };
    }
    if a > LARGE || b > LARGE {
        let w = ln(of(a, b));
        return of((w.re + LN_2).copysign(x), w.im.copysign(y));
    }
    // Nothing is left of the third power.
    if a < 1e-9 && b < 1e-9 {
        return z;
    }
    let (re, sin, cos) = inverse(a, b);
    of(re.copysign(x), double::atan2(sin, cos).copysign(y))
}

/// The cuts are the real axis above 1 and below -1.
#[inline(always)]
pub fn asin(z: C) -> C {
    exchanged(asinh(exchanged(z)))
}

/// The cuts are those of the arc sine.
#[inline(always)]
pub fn acos(z: C) -> C {
    let C { re: x, im: y } = z;
    let (a, b) = (x.abs(), y.abs());
    if x.is_nan() || y.is_nan() {
        return match () {
            _ if x.is_infinite() => of(NAN, -INFINITY),
            _ if y.is_infinite() => of(NAN, -y),
            _ if x == 0.0 => of(FRAC_PI_2, NAN),
            _ => NOT,
        };
    }
    let (re, im) = if a > LARGE || b > LARGE {
        let w = ln(of(x, b));
        (w.im, w.re + LN_2)
    } else {
        let (im, sin, cos) = inverse(b, a);
        (double::atan2(cos, sin.copysign(x)), im)
    };
    of(re, if y.is_sign_negative() { im } else { -im })
}

/// The cut is the real axis below 1.
#[inline(always)]
pub fn acosh(z: C) -> C {
    let w = acos(z);
    match (w.re.is_nan(), w.im.is_nan()) {
        (true, true) => NOT,
        (true, false) => of(w.im.abs(), NAN),
        (false, true) => NOT,
        _ => of(w.im.abs(), w.re.copysign(z.im)),
    }
}

/// The cuts are the real axis from 1 and from -1 on.
#[inline(always)]
pub fn atanh(z: C) -> C {
    let C { re: x, im: y } = z;
    let (a, b) = (x.abs(), y.abs());
    if y == 0.0 && a <= 1.0 {
        return of(Math::atanh(x), y);
    }
    if x == 0.0 {
        return of(x, Math::atan(y));
    }
    if x.is_nan() || y.is_nan() {
        return match () {
            _ if x.is_infinite() => of(0.0_f64.copysign(x), NAN),
            _ if y.is_infinite() => of(0.0_f64.copysign(x), FRAC_PI_2.copysign(y)),
            _ => NOT,
        };
    }
    if a > LARGE || b > LARGE {
        // 1 / z
        let w = recip(z);
        return of(w.re.abs().copysign(x), FRAC_PI_2.copysign(y));
    }
    if a < 1e-9 && b < 1e-9 {
        return z;
    }
    let re = if a == 1.0 && b < EPSILON {
        0.5 * (LN_2 - Math::ln(b))
    } else {
        0.25 * Math::ln_1p(4.0 * a / (a - 1.0).mul_add(a - 1.0, b * b))
    };
    let im = 0.5 * double::atan2(2.0 * b, b.mul_add(-b, (1.0 - a) * (1.0 + a)));
    of(re.copysign(x), im.copysign(y))
}

/// The cuts are the imaginary axis from i and from -i on.
#[inline(always)]
pub fn atan(z: C) -> C {
    exchanged(atanh(exchanged(z)))
}

/// The number of modulus 1 in the same direction; 0 for 0.
#[inline(always)]
pub fn direction(z: C) -> C {
    if z.re.is_nan() || z.im.is_nan() {
        return NOT;
    }
    if z.re == 0.0 && z.im == 0.0 {
        return z;
    }
    // An infinite part counts as 1, beside which a finite one is 0.
    let any = z.re.is_infinite() || z.im.is_infinite();
    let n = if any { 0.0 } else { exponent(z) };
    let (x, y) = if any { (unit(z.re), unit(z.im)) } else { (ldexp(z.re, -n), ldexp(z.im, -n)) };
    let modulus = double::hypot(x, y);
    of(x / modulus, y / modulus)
}

/// 1 for what is infinite, 0 for what is not, with the sign.
#[inline(always)]
fn unit(x: f64) -> f64 {
    (if x.abs() == INFINITY { 1.0_f64 } else { 0.0 }).copysign(x)
}

/// The quotient, as Annex G has it: what is not zero over zero is infinite, and a finite number
/// over an infinite one zero. Free of branches. `SCALED` where squares may overflow or vanish.
#[inline(always)]
pub fn quotient_of<const SCALED: bool>(z: C, w: C) -> C {
    let is_infinite = |z: C| z.re.abs() == INFINITY || z.im.abs() == INFINITY;
    let is_finite = |z: C| z.re.abs() < INFINITY && z.im.abs() < INFINITY;
    let above = is_infinite(z) && is_finite(w);
    let below = is_infinite(w) && is_finite(z);
    let by_zero = w.re == 0.0 && w.im == 0.0;
    let (a, b) = if above { (unit(z.re), unit(z.im)) } else { (z.re, z.im) };
    let (c, d) = if below { (unit(w.re), unit(w.im)) } else { (w.re, w.im) };
    let c = if by_zero { 1.0_f64.copysign(c) } else { c };
    let ((a, b), up) = if SCALED { scaled(a, b) } else { ((a, b), 0) };
    let ((c, d), down) = if SCALED { scaled(c, d) } else { ((c, d), 0) };
    let square = c.mul_add(c, d * d);
    let re = sum_of_products(a, c, b, d) / square;
    let im = sum_of_products(b, c, -a, d) / square;
    let limit = if below { 0.0 } else { 1.0 };
    let limit = if above || by_zero { INFINITY } else { limit };
    // By half of the power twice, which alone may be beyond what there is.
    let power = (up + 2046).wrapping_sub(down);
    let half = if SCALED { f64::from_bits((power >> 1) << 52) } else { 1.0 };
    let other = if SCALED { f64::from_bits((power - (power >> 1)) << 52) } else { 1.0 };
    let back = |x: f64| x * half * other * limit;
    of(back(re), back(im))
}

/// The quotient of numbers of any size.
#[inline(always)]
fn quotient(z: C, w: C) -> C {
    quotient_of::<true>(z, w)
}

/// 1 / w, as [`quotient_of`], whose signs of zeros are those of the conjugate.
#[inline(always)]
pub fn recip(w: C) -> C {
    let is_infinite = w.re.abs() == INFINITY || w.im.abs() == INFINITY;
    let (c, d) = if is_infinite { (unit(w.re), unit(w.im)) } else { (w.re, w.im) };
    let by_zero = c == 0.0 && d == 0.0;
    let c = if by_zero { 1.0_f64.copysign(c) } else { c };
    let ((c, d), exponent) = scaled(c, d);
    let square = c.mul_add(c, d * d);
    let limit = if is_infinite { 0.0 } else { 1.0 };
    let limit = if by_zero { INFINITY } else { limit };
    // Once more by the same power, which both parts were multiplied by.
    let power = f64::from_bits((2046 - exponent) << 52);
    let back = |x: f64| x / square * power * limit;
    of(back(c), back(-d))
}

/// The parts times a power of 2, such that no product of them overflows, and what vanishes is
/// nothing beside the rest; and the exponent of that power, as the bits of a number have it,
/// negated.
#[inline(always)]
fn scaled(x: f64, y: f64) -> ((f64, f64), u64) {
    let (a, b) = (x.abs().to_bits(), y.abs().to_bits());
    let exponent = (if a > b { a } else { b }) >> 52;
    let exponent = if exponent < 1 { 1 } else { exponent };
    let exponent = if exponent > 2044 { 2044 } else { exponent };
    let power = f64::from_bits((2046 - exponent) << 52);
    ((x * power, y * power), exponent)
}

/// a c + b d, within a unit and a half in the last place (Jeannerod, Louvet and Muller, "Further
/// analysis of Kahan's algorithm for the accurate computation of 2x2 determinants", 2013).
#[inline(always)]
fn sum_of_products(a: f64, c: f64, b: f64, d: f64) -> f64 {
    let product = b * d;
    let lost = b.mul_add(d, -product);
    a.mul_add(c, product) + lost
}
