//! Functions of `f64`, in `f64`.

use super::poly;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_PI, FRAC_2_SQRT_PI, FRAC_PI_2, LN_2, LOG2_E};

/// Added to a number of magnitude below 2^51, this rounds it to an integer, which its last bits
/// then are.
pub const SHIFT: f64 = 1.5 * 4_503_599_627_370_496.0;
/// What is missing from the `f64` next to ln 2, to pi / 2, and again from the sum of the latter
/// two.
pub const LN_2_LOW: f64 = 2.319_046_813_846_3e-17;
const FRAC_PI_2_LOW: f64 = 6.123_233_995_736_766e-17;
const FRAC_PI_2_LOWEST: f64 = -1.497_384_904_859_183_3e-33;
/// What is missing from the `f64` next to the root of 1/2.
const FRAC_1_SQRT_2_LOW: f64 = -4.833_646_656_726_457e-17;

/// 2^n from n + `SHIFT`, for n from -1022 to 1023.
#[inline(always)]
fn power_of_two(shifted: f64) -> f64 {
    f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52)
}

/// `(n, s)` such that e^x = 2^n (1 + s).
#[inline(always)]
pub fn exp_parts(x: f64) -> (f64, f64) {
    let (n, r, tail) = exp_terms(x);
    (n, tail + r)
}

/// As [`exp_parts`], of x + more, where that is small.
#[inline(always)]
fn exp_parts_of_sum(x: f64, more: f64) -> (f64, f64) {
    let (n, r, tail) = exp_terms(x);
    (n, more.mul_add(1.0 + (tail + r), tail) + r)
}

/// `(n, r, tail)` such that e^x = 2^n (1 + r + tail), where tail is the smaller.
#[inline(always)]
fn exp_terms(x: f64) -> (f64, f64, f64) {
    let n = x.mul_add(LOG2_E, SHIFT) - SHIFT;
    // Exact: a multiple of the last bit of ln 2, and small.
    let high = n.mul_add(-LN_2, x);
    let r = n.mul_add(-LN_2_LOW, high);
    let low = n.mul_add(-LN_2_LOW, high - r);
    let q = poly!(
        r,
        0.5,
        0.166_666_666_666_666_7,
        0.041_666_666_666_666_67,
        0.008_333_333_333_325_544,
        0.001_388_888_888_888_332_7,
        0.000_198_412_698_768_643_56,
        2.480_158_732_700_718_7e-5,
        2.755_725_283_351_691e-6,
        2.755_727_181_021_98e-7,
        2.510_627_473_357_329_6e-8,
        2.091_544_229_778_011_6e-9
    );
    (n, r, (r * r).mul_add(q, low))
}

/// y 2^n, in two steps, because 2^n alone may be above or below what there is.
#[inline(always)]
fn scale(y: f64, n: f64) -> f64 {
    let half = n.mul_add(0.5, SHIFT);
    let rest = (n - (half - SHIFT)) + SHIFT;
    y * power_of_two(half) * power_of_two(rest)
}

/// The smaller number, or `x` if that is NaN.
#[inline(always)]
fn at_most(x: f64, limit: f64) -> f64 {
    if limit < x { limit } else { x }
}

/// The larger number, or `x` if that is NaN.
#[inline(always)]
fn at_least(x: f64, limit: f64) -> f64 {
    if limit > x { limit } else { x }
}

#[inline(always)]
pub fn exp(x: f64) -> f64 {
    let (n, s) = exp_parts(at_least(at_most(x, 710.0), -746.0));
    scale(s + 1.0, n)
}

/// Where [`exp_usual`] is right: where the result is a normal number.
#[inline(always)]
pub fn has_usual_exp(x: f64) -> bool {
    x.abs() <= 708.0
}

#[inline(always)]
pub fn exp_usual(x: f64) -> f64 {
    let (n, s) = exp_parts(x);
    f64::from_bits((s + 1.0).to_bits().wrapping_add((n + SHIFT).to_bits() << 52))
}

#[inline(always)]
pub fn ln(x: f64) -> f64 {
    let subnormal = x < f64::MIN_POSITIVE;
    let normal = if subnormal { x * 18_014_398_509_481_984.0 } else { x };
    super::ln_edges(x, ln_normal(normal, if subnormal { -54.0 } else { 0.0 }), f64::INFINITY)
}

/// Where [`ln_usual`] is right: for positive normal numbers.
#[inline(always)]
pub fn has_usual_ln(x: f64) -> bool {
    (f64::MIN_POSITIVE..=f64::MAX).contains(&x)
}

#[inline(always)]
pub fn ln_usual(x: f64) -> f64 {
    ln_normal(x, 0.0)
}

/// ln(2^more x)
#[inline(always)]
fn ln_normal(x: f64, more: f64) -> f64 {
    // x = 2^k m, with m from sqrt(1/2) to sqrt(2).
    const ROOT: u64 = 0x3fe6_a09e_667f_3bcd;
    let bits = x.to_bits().wrapping_sub(ROOT);
    // The upper bits as a number, by way of the float that has them last.
    let k = f64::from_bits((bits.wrapping_add(1 << 63) >> 52) | SHIFT.to_bits()) - (SHIFT + 2048.0)
        + more;
    let f = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) + ROOT) - 1.0;
    // ln((1 + s) / (1 - s)), arranged so that what is rounded is small.
    let s = f / (2.0 + f);
    let square = s * s;
    let p = poly!(
        square,
        0.666_666_666_666_667,
        0.399_999_999_998_981_9,
        0.285_714_286_265_702_06,
        0.222_222_110_378_165_9,
        0.181_828_961_834_834_85,
        0.153_314_872_358_657_34,
        0.146_193_434_535_126_15
    );
    let half_square = 0.5 * f * f;
    let rounded_off = f.mul_add(0.5 * f, -half_square);
    // The upper 33 bits of ln 2, and the rest of it.
    let tail = s.mul_add(half_square + square * p, k * 1.908_214_929_270_587_7e-10) - rounded_off;
    k.mul_add(0.693_147_180_369_123_8, f - (half_square - tail))
}

/// Up to this magnitude [`sin`] and [`cos`] are right.
pub const ORDINARY_ANGLE: f64 = 1e8;

/// `(q, r, low)`: the number of quarter turns nearest to x, in the last two bits, and what is left,
/// as a sum.
#[inline(always)]
fn quarter_turns(x: f64) -> (u64, f64, f64) {
    let shifted = x.mul_add(FRAC_2_PI, SHIFT);
    let n = shifted - SHIFT;
    let high = n.mul_add(-FRAC_PI_2, x);
    let cut = n * FRAC_PI_2_LOW;
    let r = high - cut;
    let low = n.mul_add(-FRAC_PI_2_LOWEST, ((high - r) - cut) - n.mul_add(FRAC_PI_2_LOW, -cut));
    (shifted.to_bits(), r, low)
}

/// The sine and the cosine of r + low, each as a sum.
#[inline(always)]
fn sine_and_cosine(r: f64, low: f64) -> ((f64, f64), (f64, f64)) {
    let square = r * r;
    let s = poly!(
        square,
        -0.166_666_666_666_666_66,
        0.008_333_333_333_333_331,
        -0.000_198_412_698_412_650_4,
        2.755_731_921_932_058e-6,
        -2.505_210_622_599_44e-8,
        1.605_853_059_664_595_3e-10,
        -7.586_636_882_825_159e-13
    );
    let s = (r, (r * square).mul_add(s, low));
    let c = poly!(
        square,
        0.041_666_666_666_666_664,
        -0.001_388_888_888_888_888_7,
        2.480_158_730_158_463_2e-5,
        -2.755_731_922_139_249e-7,
        2.087_675_578_749_260_4e-9,
        -1.147_046_031_920_951_1e-11,
        4.745_838_412_531_023e-14
    );
    let most = square.mul_add(-0.5, 1.0);
    let rest = square.mul_add(-0.5, 1.0 - most);
    (s, (most, (square * square).mul_add(c, (-low).mul_add(r, rest))))
}

/// The sine of q quarter turns and r + low.
#[inline(always)]
fn sine(q: u64, r: f64, low: f64) -> f64 {
    let (s, c) = sine_and_cosine(r, low);
    let y = if q & 1 == 0 { s.0 + s.1 } else { c.0 + c.1 };
    f64::from_bits(y.to_bits() ^ ((q & 2) << 62))
}

#[inline(always)]
pub fn sin(x: f64) -> f64 {
    let (q, r, low) = quarter_turns(x);
    let y = sine(q, r, low);
    if x == 0.0 { x } else { y }
}

#[inline(always)]
pub fn cos(x: f64) -> f64 {
    let (q, r, low) = quarter_turns(x);
    sine(q.wrapping_add(1), r, low)
}

#[inline(always)]
pub fn tan(x: f64) -> f64 {
    let (q, r, low) = quarter_turns(x);
    let (s, c) = sine_and_cosine(r, low);
    // After an odd number of quarter turns it is -cos / sin.
    let (above, below) = if q & 1 == 0 { (s, c) } else { ((-c.0, -c.1), s) };
    // The quotient of sums, rounded once.
    let (n, d) = (above.0 + above.1, below.0 + below.1);
    let (n_low, d_low) = ((above.0 - n) + above.1, (below.0 - d) + below.1);
    let y = n / d;
    let residue = (-y).mul_add(d_low, (-y).mul_add(d, n) + n_low);
    if x == 0.0 { x } else { y + residue / d }
}

/// `(y, n)` such that 1 / (1 + 2^n (1 + s)) = y 2^n, for a number 2^n (1 + s) that may be too large
/// to write down.
#[inline(always)]
fn reciprocal_above_one(n: f64, s: f64) -> (f64, f64) {
    let scaled = at_most(n, 512.0);
    let power = power_of_two(scaled + SHIFT);
    // The denominator as a sum.
    let most = power + 1.0;
    let lost = if n > 0.0 { 1.0 - (most - power) } else { power - (most - 1.0) };
    let part = power * s;
    let d = most + part;
    let low = (part - (d - most)) + lost;
    let y = 1.0 / d;
    let residue = low.mul_add(-y, (-d).mul_add(y, 1.0));
    (residue.mul_add(y, y), scaled - n)
}

#[inline(always)]
pub fn logistic(x: f64) -> f64 {
    let (n, s) = exp_parts(-at_least(at_most(x, 700.0), -746.0));
    let (y, n) = reciprocal_above_one(n, s);
    y * power_of_two(n + SHIFT)
}

/// Where [`logistic_usual`] and [`silu_usual`] are right: where nothing has to be scaled.
#[inline(always)]
pub fn has_usual_logistic(x: f64) -> bool {
    x.abs() <= 350.0
}

#[inline(always)]
pub fn logistic_usual(x: f64) -> f64 {
    let (n, s) = exp_parts(-x);
    reciprocal_above_one(n, s).0
}

#[inline(always)]
pub fn silu_usual(x: f64) -> f64 {
    x * logistic_usual(x)
}

/// x / (1 + e^-x)
#[inline(always)]
pub fn silu(x: f64) -> f64 {
    let (n, s) = exp_parts(-at_least(at_most(x, 700.0), -760.0));
    let (y, n) = reciprocal_above_one(n, s);
    // Beyond, the result is below the smallest number.
    if x < -760.0 { -0.0 } else { x * y * power_of_two(n + SHIFT) }
}

/// x / (1 + e^(-2u)) with u = sqrt(2 / pi) (x + 0.044715 x^3): Hendrycks and Gimpel, "Gaussian
/// error linear units", 2016.
#[inline(always)]
pub fn gelu_tanh(x: f64) -> f64 {
    // 2u as a sum: an error in it counts as many times as it is large.
    const ONE: (f64, f64) = (1.595_769_121_605_730_8, -9.969_308_809_110_92e-17);
    const THREE: (f64, f64) = (0.071_354_816_272_600_25, -6.175_149_918_155_315e-19);
    let limited = at_least(at_most(x, 25.0), -25.0);
    let square = limited * limited;
    let square_low = limited.mul_add(limited, -square);
    let cubic = THREE.0 * square;
    let cubic_low = THREE.0.mul_add(square, -cubic) + THREE.0.mul_add(square_low, THREE.1 * square);
    let factor = ONE.0 + cubic;
    let other = factor - ONE.0;
    let factor_low = (ONE.0 - (factor - other)) + (cubic - other) + (cubic_low + ONE.1);
    let twice = limited * factor;
    let twice_low = limited.mul_add(factor, -twice) + limited * factor_low;
    let (n, s) = exp_parts_of_sum(-at_least(at_most(twice, 700.0), -760.0), -twice_low);
    let (y, n) = reciprocal_above_one(n, s);
    // Beyond, the result is below the smallest number.
    if x < -25.0 { -0.0 } else { x * y * power_of_two(n + SHIFT) }
}

#[inline(always)]
pub fn rsqrt(x: f64) -> f64 {
    let root = x.sqrt();
    let y = 1.0 / root;
    // What the root and the quotient were rounded by.
    let residue = (-root).mul_add(y, 1.0) - 0.5 * (-root).mul_add(root, x) * y * y;
    let better = residue.mul_add(y, y);
    if x > 0.0 && x < f64::INFINITY { better } else { y }
}

/// ln(1 + e^x), without overflow.
#[inline(always)]
pub fn softplus(x: f64) -> f64 {
    let ln = pxfm::f_log1p(exp(-x.abs()));
    if x > 0.0 { x + ln } else { ln }
}

/// erf(x) for |x| up to 1, as a sum.
#[inline(always)]
fn erf_small(x: f64) -> (f64, f64) {
    let square = x * x;
    // The leading coefficient is 2 / sqrt(pi), of which 1 is added last.
    let p = poly!(
        square,
        0.128_379_167_095_512_58,
        -0.376_126_389_031_837_5,
        0.112_837_916_709_548_79,
        -0.026_866_170_645_076_792,
        0.005_223_977_624_818_014_5,
        -0.000_854_832_698_083_379,
        0.000_120_553_311_116_427_1,
        -1.492_559_526_683_118_2e-5,
        1.646_100_048_412_136_8e-6,
        -1.635_031_270_105_469_5e-7,
        1.465_977_527_404_743_6e-8,
        -1.137_284_885_679_167_4e-9,
        5.957_176_147_748_911e-11
    );
    let y = x.mul_add(p, x);
    (y, x.mul_add(p, x - y))
}

/// `(y, y_low, n)` such that erfc(x + low) is (y + y_low) 2^n, for x from 0.75 on.
#[inline(always)]
fn erfc_large(x: f64, low: f64) -> (f64, f64, f64) {
    let x = at_most(x, 28.0);
    // erfc(x) e^(x^2) (x + 3) is smooth in t = (x - 3) / (x + 3).
    let d = x + 3.0;
    let d_low = (x - (d - 3.0)) + low;
    let q = 1.0 / d;
    let residue = q.mul_add(-d_low, (-q).mul_add(d, 1.0)) * q;
    let part = 6.0 * q;
    let t = 1.0 - part;
    let other = t - 1.0;
    let t_low = (1.0 - (t - other)) - (part + other) - (q.mul_add(6.0, -part) + 6.0 * residue);
    let rest = poly!(
        t,
        -0.310_467_261_900_548_5,
        0.119_527_761_287_317_11,
        -0.026_827_234_625_326_327,
        -0.001_212_416_627_640_094_6,
        0.003_034_062_018_384_860_6,
        -0.000_548_309_692_767_901_4,
        -0.000_276_778_034_748_755_45,
        0.000_107_561_579_128_012_51,
        3.039_936_829_432_868_7e-5,
        -1.747_160_270_046_299_6e-5,
        -4.753_783_926_540_361e-6,
        2.770_968_984_210_692_6e-6,
        1.008_510_260_519_662_9e-6,
        -4.242_867_786_943_836_4e-7,
        -2.421_513_777_151_532_5e-7,
        7.118_351_660_862_766e-8,
        4.770_426_395_416_037_6e-8,
        -1.738_777_032_971_557_5e-8
    );
    // The first three terms with what they are rounded by, and the coefficients of two as sums: the
    // error of the rest is small beside them.
    const FIRST: (f64, f64) = (1.074_006_907_088_339_8, -8.726_970_582_552_123e-17);
    const SECOND: (f64, f64) = (-0.883_394_453_169_883_7, -9.257_927_257_861_808e-18);
    const THIRD: f64 = 0.590_228_357_104_101_4;
    let i = t.mul_add(rest, THIRD);
    let i_low = t.mul_add(rest, THIRD - i);
    let h = t.mul_add(i, SECOND.0);
    let h_low = t.mul_add(i_low, t.mul_add(i, SECOND.0 - h) + SECOND.1);
    let g = t.mul_add(h, FIRST.0);
    // What is missing from t counts by the derivative, of which two terms are enough.
    let g_low =
        t_low.mul_add(t.mul_add(i, h), t.mul_add(h_low, t.mul_add(h, FIRST.0 - g) + FIRST.1));
    let y = g * q;
    let y_low = g_low.mul_add(q, g.mul_add(q, -y)) + g * residue;
    // e^(-x^2), the square as a sum.
    let square = x * x;
    let square_low = (x + x).mul_add(low, x.mul_add(x, -square));
    let (n, r, tail) = exp_terms(-square);
    let tail = (-square_low).mul_add(1.0 + (tail + r), tail);
    let s = r + tail;
    let s_low = (r - s) + tail;
    // (y + y_low) (1 + s + s_low), where nothing but the last sum is rounded that counts.
    let product = y * s;
    let product_low = y.mul_add(s_low, y.mul_add(s, -product) + y_low.mul_add(s, y_low));
    let sum = y + product;
    (sum, ((y - sum) + product) + product_low, n)
}

#[inline(always)]
pub fn erf(x: f64) -> f64 {
    let magnitude = x.abs();
    let (tail, tail_low, n) = erfc_large(magnitude, 0.0);
    let large = (1.0 - scale(tail + tail_low, n)).copysign(x);
    if magnitude < 1.0 { erf_small(x).0 } else { large }
}

#[inline(always)]
pub fn erfc(x: f64) -> f64 {
    let magnitude = x.abs();
    let (tail, tail_low, n) = erfc_large(magnitude, 0.0);
    let tail = scale(tail + tail_low, n);
    let large = if x > 0.0 { tail } else { 2.0 - tail };
    let (erf, low) = erf_small(x);
    if magnitude < 0.75 { (1.0 - erf) - low } else { large }
}

/// Beyond this magnitude gelu(x) is x, or below the smallest number.
const GELU_END: f64 = 39.5;

/// x times the normal distribution function: x / 2 erfc(-x / sqrt(2)).
#[inline(always)]
pub fn gelu(x: f64) -> f64 {
    // The argument as a sum: an error in it counts as many times as its square is large.
    let magnitude = at_most(x.abs(), GELU_END);
    let z = magnitude * FRAC_1_SQRT_2;
    let low = magnitude.mul_add(FRAC_1_SQRT_2, -z) + magnitude * FRAC_1_SQRT_2_LOW;
    let (erf, erf_low) = erf_small(z);
    // What is missing from z counts by the derivative, 2 / sqrt(pi) e^(-z^2).
    let square = z * z;
    let erf_low = (low * FRAC_2_SQRT_PI).mul_add(
        square.mul_add(square.mul_add(square.mul_add(-1.0 / 6.0, 0.5), -1.0), 1.0),
        erf_low,
    );
    // Each as a sum, and times a power of two that comes last: the factor alone may be below the
    // normal numbers where the product is not.
    let (tail, tail_low, n) = erfc_large(z, low);
    let (sign, is_small) = (if x < 0.0 { -1.0 } else { 1.0 }, z < 0.75);
    // Of a positive number 2 - erfc, near 0 both by way of erf.
    let (one, part, part_low) = if is_small {
        (1.0, sign * erf, sign * erf_low)
    } else {
        let power = power_of_two(at_least(n, -1000.0) + SHIFT);
        (2.0, -tail * power, -tail_low * power)
    };
    let sum = one + part;
    let sum_low = ((one - sum) + part) + part_low;
    let is_tail = x < 0.0 && !is_small;
    let (factor, factor_low) = if is_tail { (tail, tail_low) } else { (sum, sum_low) };
    let half = 0.5 * magnitude.copysign(x);
    let y = half * factor;
    let y = y + half.mul_add(factor_low, half.mul_add(factor, -y));
    let y = scale(y, if is_tail { n } else { 0.0 });
    // Nothing is lost of the halves of what is not far from 0, and neither here.
    if x.abs() < 1e-300 {
        0.5 * x
    } else if x > GELU_END {
        x
    } else {
        y
    }
}
