//! The edges of the functions, row by row as the semantics list them. Each table says where its
//! answers come from.

use conformance::support::Report;
use zerostride::prelude::*;
use zerostride::{Complex, bitcast_join, bitcast_split};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// Equal to the bit, but that one NaN is as good as another.
fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

macro_rules! unary {
    ($report:ident: $($name:ident($x:expr) = $want:expr;)*) => {$(
        let x: f64 = $x;
        let got = array![x, x, x].$name().eval().expect("it fits").to_vec()[2];
        $report.row(format_args!("{}({x})", stringify!($name)), (!same(got, $want)).then(|| format!("{got}")));
        let single = array![x as f32].$name().eval().expect("it fits").to_vec()[0];
        let near = same(f64::from(single), f64::from($want as f32));
        $report.row(format_args!("{}({x}_f32)", stringify!($name)), (!near).then(|| format!("{single}")));
    )*};
}

macro_rules! binary {
    ($report:ident: $($name:ident($x:expr, $y:expr) = $want:expr;)*) => {$(
        let (x, y): (f64, f64) = ($x, $y);
        let got = array![x].$name(&array![y]).eval().expect("they fit").to_vec()[0];
        $report.row(format_args!("{}({x}, {y})", stringify!($name)), (!same(got, $want)).then(|| format!("{got}")));
        let single = array![x as f32].$name(&array![y as f32]).eval().expect("they fit").to_vec()[0];
        let near = same(f64::from(single), f64::from($want as f32));
        $report.row(format_args!("{}({x}_f32, {y})", stringify!($name)), (!near).then(|| format!("{single}")));
    )*};
}

/// IEEE 754-2019 and C23, annex F, which StableHLO's specification and XLA's documentation refer
/// to.
#[test]
fn functions_of_one_operand() {
    let mut report = Report::new("edges");
    unary! { report:
        exp(0.0) = 1.0; exp(-INF) = 0.0; exp(INF) = INF; exp(NAN) = NAN; exp(800.0) = INF; exp(-800.0) = 0.0;
        exp2(0.0) = 1.0; exp2(3.0) = 8.0; exp2(-INF) = 0.0; exp2(INF) = INF; exp2(NAN) = NAN;
        exp_m1(0.0) = 0.0; exp_m1(-0.0) = -0.0; exp_m1(-INF) = -1.0; exp_m1(INF) = INF; exp_m1(NAN) = NAN;
        ln(1.0) = 0.0; ln(0.0) = -INF; ln(-0.0) = -INF; ln(-1.0) = NAN; ln(INF) = INF; ln(NAN) = NAN; ln(-INF) = NAN;
        ln_1p(0.0) = 0.0; ln_1p(-0.0) = -0.0; ln_1p(-1.0) = -INF; ln_1p(-2.0) = NAN; ln_1p(INF) = INF; ln_1p(NAN) = NAN;
        log2(8.0) = 3.0; log2(1.0) = 0.0; log2(0.0) = -INF; log2(-1.0) = NAN; log2(INF) = INF;
        log10(1000.0) = 3.0; log10(1.0) = 0.0; log10(0.0) = -INF; log10(-1.0) = NAN; log10(INF) = INF;
        logistic(0.0) = 0.5; logistic(INF) = 1.0; logistic(-INF) = 0.0; logistic(NAN) = NAN; logistic(100.0) = 1.0;
        sqrt(-0.0) = -0.0; sqrt(-1.0) = NAN; sqrt(INF) = INF; sqrt(4.0) = 2.0;
        rsqrt(0.0) = INF; rsqrt(-0.0) = -INF; rsqrt(INF) = 0.0; rsqrt(-1.0) = NAN; rsqrt(4.0) = 0.5; rsqrt(NAN) = NAN;
        cbrt(-8.0) = -2.0; cbrt(27.0) = 3.0; cbrt(-0.0) = -0.0; cbrt(INF) = INF; cbrt(-INF) = -INF; cbrt(NAN) = NAN;
        sin(0.0) = 0.0; sin(-0.0) = -0.0; sin(INF) = NAN; sin(NAN) = NAN; sin(-INF) = NAN;
        cos(0.0) = 1.0; cos(-0.0) = 1.0; cos(INF) = NAN; cos(NAN) = NAN;
        tan(0.0) = 0.0; tan(-0.0) = -0.0; tan(INF) = NAN; tan(NAN) = NAN;
        asin(-0.0) = -0.0; asin(2.0) = NAN; acos(1.0) = 0.0; acos(-2.0) = NAN; atan(-0.0) = -0.0;
        sinh(-0.0) = -0.0; sinh(INF) = INF; sinh(-INF) = -INF; cosh(0.0) = 1.0; cosh(-INF) = INF;
        tanh(0.0) = 0.0; tanh(-0.0) = -0.0; tanh(INF) = 1.0; tanh(-INF) = -1.0; tanh(NAN) = NAN; tanh(50.0) = 1.0;
        asinh(-0.0) = -0.0; asinh(-INF) = -INF; acosh(1.0) = 0.0; acosh(0.5) = NAN; atanh(1.0) = INF; atanh(-1.0) = -INF;
        atanh(2.0) = NAN; erf(-0.0) = -0.0; erf(INF) = 1.0; erf(-INF) = -1.0; erf(NAN) = NAN; erfc(INF) = 0.0; erfc(-INF) = 2.0;
        erfc(0.0) = 1.0; gamma(5.0) = 24.0; gamma(0.0) = INF; gamma(-0.0) = -INF; gamma(-1.0) = NAN; gamma(-INF) = NAN;
        gamma(INF) = INF; lgamma(1.0) = 0.0; lgamma(2.0) = 0.0; lgamma(0.0) = INF; lgamma(-1.0) = INF; lgamma(-INF) = INF;
        floor(-0.5) = -1.0; floor(-0.0) = -0.0; ceil(-0.5) = -0.0; ceil(0.5) = 1.0; trunc(-1.7) = -1.0; trunc(NAN) = NAN;
        round(0.5) = 1.0; round(2.5) = 3.0; round(-0.5) = -1.0; round(-0.2) = -0.0; round(INF) = INF;
        round_ties_even(0.5) = 0.0; round_ties_even(1.5) = 2.0; round_ties_even(2.5) = 2.0; round_ties_even(-0.5) = -0.0;
        sign(-0.0) = -0.0; sign(0.0) = 0.0; sign(-3.0) = -1.0; sign(NAN) = NAN; sign(INF) = 1.0;
        abs(-0.0) = 0.0; recip(0.0) = INF; recip(-0.0) = -INF; recip(INF) = 0.0; square(-3.0) = 9.0;
        relu(-1.0) = 0.0; relu(NAN) = NAN; relu(2.0) = 2.0; relu(-0.0) = 0.0;
        gelu(0.0) = 0.0; gelu(-INF) = -0.0; gelu(INF) = INF; gelu_tanh(0.0) = 0.0; gelu_tanh(-INF) = -0.0; gelu_tanh(INF) = INF;
        silu(0.0) = 0.0; silu(-INF) = -0.0; silu(INF) = INF; softplus(-INF) = 0.0; softplus(INF) = INF; softplus(NAN) = NAN;
        real(-2.0) = -2.0; imag(-2.0) = 0.0;
    }
    // The largest `f32` below 0.5, of which a careless `floor(x + 0.5)` makes 1: StableHLO's note
    // on round_nearest_afz.
    report.equal(
        "round",
        array![0.499_999_97_f32].round().eval().expect("it fits").to_vec(),
        vec![0.0],
    );
    // Subnormal numbers are kept: choice 9 of the semantics.
    report.equal(
        "sign",
        array![1e-320_f64, -5e-324].sign().eval().expect("it fits").to_vec(),
        vec![1.0, -1.0],
    );
    // XLA's documentation: exp of an f32 beyond 88.7.
    report.equal(
        "exp(89)",
        array![89.0_f32].exp().eval().expect("it fits").to_vec(),
        vec![f32::INFINITY],
    );
    report.finish(250);
}

/// C23, annex F; for `hypot` and `atan2` as well; `next_after` as C's `nextafter`.
#[test]
fn functions_of_two_operands() {
    let mut report = Report::new("edges of two operands");
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};
    binary! { report:
        pow(0.0, 0.0) = 1.0; pow(1.0, NAN) = 1.0; pow(NAN, 0.0) = 1.0; pow(-8.0, 1.0 / 3.0) = NAN; pow(-1.0, INF) = 1.0;
        pow(0.0, -1.0) = INF; pow(-0.0, -1.0) = -INF; pow(-0.0, -2.0) = INF; pow(2.0, INF) = INF; pow(0.5, INF) = 0.0;
        pow(-2.0, 3.0) = -8.0; pow(INF, -1.0) = 0.0; pow(-INF, 3.0) = -INF; pow(2.0, 0.5) = std::f64::consts::SQRT_2;
        atan2(0.0, 0.0) = 0.0; atan2(-0.0, 0.0) = -0.0; atan2(0.0, -0.0) = PI; atan2(-0.0, -0.0) = -PI;
        atan2(INF, INF) = FRAC_PI_4; atan2(INF, -INF) = 3.0 * FRAC_PI_4; atan2(1.0, 0.0) = FRAC_PI_2; atan2(NAN, 1.0) = NAN;
        hypot(3.0, 4.0) = 5.0; hypot(INF, NAN) = INF; hypot(NAN, 1.0) = NAN; hypot(-0.0, -0.0) = 0.0;
        copysign(3.0, -0.0) = -3.0; copysign(-3.0, 1.0) = 3.0;
        next_after(1.0, 1.0) = 1.0; next_after(NAN, 1.0) = NAN; next_after(-0.0, 0.0) = 0.0;
        fmax(1.0, NAN) = 1.0; fmax(NAN, 2.0) = 2.0; fmin(NAN, NAN) = NAN; fmin(-0.0, 0.0) = -0.0; fmax(-0.0, 0.0) = 0.0;
    }
    let next = array![0.0_f64, 0.0, f64::MAX]
        .next_after(&array![1.0, -1.0, INF])
        .eval()
        .expect("they fit")
        .to_vec();
    report.equal("next_after reaches subnormals", next, vec![5e-324, -5e-324, INF]);
    report.finish(60);
}

/// The runs of XLA that the semantics record, and the choices made there where sources differ.
#[test]
fn integers() {
    let mut report = Report::new("edges of integers");
    let pow = |a: i32, b: i32| array![a].pow(&array![b]).eval().expect("they fit").to_vec()[0];
    for (a, b, want) in [
        (0, 0, 1),
        (3, 4, 81),
        (2, 31, i32::MIN),
        (2, 32, 0),
        (1, -5, 1),
        (-1, -3, -1),
        (-1, -4, 1),
        (0, -1, 0),
        (7, -2, 0),
    ] {
        report.equal(format_args!("{a} to the power of {b}"), pow(a, b), want);
    }
    let shifts = |a: i32, b: i32| {
        let (a, b) = (array![a], array![b]);
        let one = |x: Array1<i32>| x.to_vec()[0];
        [
            one(a.shift_left(&b).eval().expect("they fit")),
            one(a.shift_right_logical(&b).eval().expect("they fit")),
            one(a.shift_right_arithmetic(&b).eval().expect("they fit")),
        ]
    };
    report.equal("shifts by 32", shifts(-5, 32), [0, 0, -1]);
    report.equal("shifts by -1", shifts(-5, -1), [0, 0, -1]);
    report.equal("shifts by 1", shifts(-5, 1), [-10, 0x7fff_fffd, -3]);
    report.equal("shifts by 31", shifts(5, 31), [i32::MIN, 0, 0]);
    let top = array![0x8000_0000_u32]
        .shift_right_arithmetic(&array![32_u32])
        .eval()
        .expect("they fit")
        .to_vec();
    report.equal("an unsigned arithmetic shift", top, vec![u32::MAX]);
    let zeros = array![0_i32, -1, 1].count_leading_zeros().eval().expect("it fits").to_vec();
    report.equal("leading zeros", zeros, vec![32, 0, 31]);
    let ones = array![0_i32, -1, 5].popcount().eval().expect("it fits").to_vec();
    report.equal("one bits", ones, vec![0, 32, 2]);
    report.equal(
        "sign",
        array![i8::MIN, 0, 5].sign().eval().expect("it fits").to_vec(),
        vec![-1, 0, 1],
    );
    report.finish(15);
}

/// The runs of XLA: total order, reduce_precision, bitcast_convert.
#[test]
fn bits() {
    let mut report = Report::new("bits");
    let (a, b) = (array![f32::NAN, -0.0, -f32::NAN], array![f32::NAN, 0.0, f32::NEG_INFINITY]);
    report.equal(
        "total_equal",
        a.total_equal(&b).eval().expect("they fit").to_vec(),
        vec![true, false, false],
    );
    report.equal(
        "total_less",
        a.total_less(&b).eval().expect("they fit").to_vec(),
        vec![false, true, true],
    );
    let x = array![1.0_f32, 1.0 + 1.0 / 2048.0, 65519.0, 65520.0, 1e-10, -1e-10, f32::NAN, 6.1e-5];
    let reduced = x.reduce_precision(5, 10).eval().expect("it fits").to_vec();
    let want = vec![1.0, 1.0, 65504.0, f32::INFINITY, 0.0, -0.0, f32::NAN, 0.0];
    let to_bits = |x: Vec<f32>| {
        x.into_iter().map(|x| if x.is_nan() { 1 } else { x.to_bits() }).collect::<Vec<_>>()
    };
    report.equal("reduce_precision(5, 10)", to_bits(reduced), to_bits(want));
    let no_mantissa =
        array![f32::NAN, 1.5, 1.2].reduce_precision(8, 0).eval().expect("it fits").to_vec();
    report.equal("reduce_precision(8, 0)", no_mantissa, vec![f32::INFINITY, 2.0, 1.0]);
    report.equal(
        "bitcast",
        array![1.0_f32].bitcast::<u32>().eval().expect("it fits").to_vec(),
        vec![0x3f80_0000],
    );
    let bytes =
        bitcast_split::<u8, _, _>(array![1.0_f32, -2.0].view()).expect("4 is a multiple of 1");
    report.equal(
        "split",
        (bytes.shape().to_vec(), bytes.to_vec()),
        (vec![2, 4], vec![0, 0, 128, 63, 0, 0, 0, 192]),
    );
    let joined = bitcast_join::<f32, _, _>(bytes.view()).expect("rows of 4");
    report.equal("join", joined, array![1.0, -2.0]);
    let wrong = bitcast_join::<f64, _, _>(bytes.view()).expect_err("rows of 4 bytes").to_string();
    report.equal(
        "error",
        wrong,
        "shape [2, 4] of elements of 1 bytes has no form in elements of 8 bytes".to_owned(),
    );
    let wrong = bitcast_split::<f32, _, _>(bytes.view()).expect_err("4 bytes of 1").to_string();
    report.equal(
        "error",
        wrong,
        "shape [2, 4] of elements of 1 bytes has no form in elements of 4 bytes".to_owned(),
    );
    report.finish(9);
}

/// Ternary operations and those with settings.
#[test]
fn settings() {
    let mut report = Report::new("settings");
    let x = array![-2.0_f64, 3.0, NAN, -0.0];
    let leaky = x.leaky_relu(0.5).eval().expect("it fits").to_vec();
    report.holds("leaky_relu", leaky.iter().zip([-1.0, 3.0, NAN, -0.0]).all(|(a, b)| same(*a, b)));
    let fused = array![0.1_f64].mul_add(10.0, -1.0).eval().expect("it fits").to_vec();
    report.equal("mul_add", fused, vec![0.1_f64.mul_add(10.0, -1.0)]);
    report.holds("mul_add is not * and +", 0.1_f64 * 10.0 - 1.0 == 0.0);
    let z = array![Complex::new(3.0_f64, -4.0)];
    report.equal("real", z.real().eval().expect("it fits").to_vec(), vec![3.0]);
    report.equal("imag", z.imag().eval().expect("it fits").to_vec(), vec![-4.0]);
    report.equal("conj", z.conj().eval().expect("it fits").to_vec(), vec![Complex::new(3.0, 4.0)]);
    report.equal("sign", z.sign().eval().expect("it fits").to_vec(), vec![Complex::new(0.6, -0.8)]);
    let from_parts = array![3.0_f64].complex(&array![-4.0]).eval().expect("they fit");
    report.equal("complex", from_parts.to_vec(), z.to_vec());
    let close = |got: Complex<f64>, re: f64, im: f64| (got - Complex::new(re, im)).norm() < 1e-14;
    let of = |z: Complex<f64>| array![z];
    let tiny = Complex::new(1e-9, 1e-9);
    let exp_m1 = of(tiny).exp_m1().eval().expect("it fits").to_vec()[0];
    report.holds("exp_m1 of a small complex number", (exp_m1 - tiny).norm() < 2e-18 * 1.5);
    let ln_1p = of(tiny).ln_1p().eval().expect("it fits").to_vec()[0];
    report.holds("ln_1p of a small complex number", (ln_1p - tiny).norm() < 2e-18 * 1.5);
    let turn =
        of(Complex::new(0.0, std::f64::consts::PI)).exp().eval().expect("it fits").to_vec()[0];
    report.holds("e^(i pi)", close(turn, -1.0, 0.0));
    report.finish(11);
}

/// A function of a complex number, for both types.
type OfComplex = (fn(Complex<f64>) -> Complex<f64>, fn(Complex<f32>) -> Complex<f32>);

macro_rules! of_complex {
    ($name:ident) => {
        (
            |z| array![z].$name().eval().expect("it fits").to_vec()[0],
            |z| array![z].$name().eval().expect("it fits").to_vec()[0],
        )
    };
}

/// Whether a part is as wanted: to the bit, or up to its sign; of `f32`, the nearest.
fn part_is(got: f64, want: f64, sign: bool, single: bool) -> bool {
    let want = if single { f64::from(want as f32) } else { want };
    let near = |a: f64, b: f64| same(a, b) || (a - b).abs() <= b.abs() * 2.5e-16;
    near(got, want) || (!sign && near(got.abs(), want.abs()))
}

fn check_complex(
    report: &mut Report,
    name: &str,
    (double, single): OfComplex,
    (x, y): (f64, f64),
    (re, im): (f64, f64),
    signs: (bool, bool),
) {
    let w = double(Complex::new(x, y));
    let right = part_is(w.re, re, signs.0, false) && part_is(w.im, im, signs.1, false);
    report.row(format_args!("{name}({x} + {y} i)"), (!right).then(|| format!("{w}")));
    let w = single(Complex::new(x as f32, y as f32));
    let right = part_is(w.re.into(), re, signs.0, true) && part_is(w.im.into(), im, signs.1, true);
    report.row(format_args!("{name}({x} + {y} i) of f32"), (!right).then(|| format!("{w}")));
}

/// C17, annex G.6, in its order: where the upper half plane says all, the lower one is its mirror
/// image. `~` before a part leaves its sign open.
macro_rules! annex_g {
    ($report:ident: $($name:ident: $(($x:expr, $y:expr) = ($($part:tt)*);)*)*) => {$(
        $(annex_g!(@ $report $name ($x, $y) $($part)*);)*
    )*};
    (@ $report:ident $name:ident $z:tt ~$re:expr, ~$im:expr) => {
        check_complex($report, stringify!($name), of_complex!($name), $z, ($re, $im), (false, false));
    };
    (@ $report:ident $name:ident $z:tt ~$re:expr, $im:expr) => {
        check_complex($report, stringify!($name), of_complex!($name), $z, ($re, $im), (false, true));
    };
    (@ $report:ident $name:ident $z:tt $re:expr, ~$im:expr) => {
        check_complex($report, stringify!($name), of_complex!($name), $z, ($re, $im), (true, false));
    };
    (@ $report:ident $name:ident $z:tt $re:expr, $im:expr) => {
        check_complex($report, stringify!($name), of_complex!($name), $z, ($re, $im), (true, true));
    };
}

#[test]
fn zeros_of_complex_functions_have_the_sign_of_the_limit() {
    // sinh(x + i y) = sinh x cos y + .., sin(x + i y) = .. + i cos x sinh y.
    let mut report = Report::new("signs of zeros");
    for (zero, angle) in [(0.0, 1.0), (0.0, 2.0), (-0.0, 1.0), (-0.0, 2.0), (0.0, -2.0_f64)] {
        let want = (zero * angle.cos()).is_sign_negative();
        let sinh = array![Complex::new(zero, angle)].sinh().eval().expect("it fits").to_vec()[0];
        let sin = array![Complex::new(angle, zero)].sin().eval().expect("it fits").to_vec()[0];
        for (name, part) in [("sinh", sinh.re), ("sin", sin.im)] {
            let right = part == 0.0 && part.is_sign_negative() == want;
            let row = format_args!("{name} of {zero:?} and {angle}");
            report.row(row, (!right).then(|| format!("{part:?}")));
        }
    }
    report.finish(10);
}

#[test]
fn complex_functions() {
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};
    const PI_3_4: f64 = 3.0 * FRAC_PI_4;
    let mut all = Report::new("complex edges");
    let report = &mut all;
    annex_g! { report:
        acos:
            (0.0, 0.0) = (FRAC_PI_2, -0.0); (-0.0, 0.0) = (FRAC_PI_2, -0.0); (0.0, NAN) = (FRAC_PI_2, NAN);
            (1.5, INF) = (FRAC_PI_2, -INF); (1.5, NAN) = (NAN, NAN); (-INF, 1.5) = (PI, -INF);
            (INF, 1.5) = (0.0, -INF); (-INF, INF) = (PI_3_4, -INF); (INF, INF) = (FRAC_PI_4, -INF);
            (INF, NAN) = (NAN, ~INF); (-INF, NAN) = (NAN, ~INF); (NAN, 1.5) = (NAN, NAN);
            (NAN, INF) = (NAN, -INF); (NAN, NAN) = (NAN, NAN);
            (1.0, 0.0) = (0.0, -0.0); (1.0, -0.0) = (0.0, 0.0); (-1.0, 0.0) = (PI, -0.0);
        acosh:
            (0.0, 0.0) = (0.0, FRAC_PI_2); (-0.0, 0.0) = (0.0, FRAC_PI_2); (1.5, INF) = (INF, FRAC_PI_2);
            (1.5, NAN) = (NAN, NAN); (-INF, 1.5) = (INF, PI); (INF, 1.5) = (INF, 0.0);
            (-INF, INF) = (INF, PI_3_4); (INF, INF) = (INF, FRAC_PI_4); (INF, NAN) = (INF, NAN);
            (-INF, NAN) = (INF, NAN); (NAN, 1.5) = (NAN, NAN); (NAN, INF) = (INF, NAN); (NAN, NAN) = (NAN, NAN);
            (-2.0, 0.0) = (1.316_957_896_924_816_7, PI); (-2.0, -0.0) = (1.316_957_896_924_816_7, -PI);
        asinh:
            (0.0, 0.0) = (0.0, 0.0); (1.5, INF) = (INF, FRAC_PI_2); (1.5, NAN) = (NAN, NAN); (INF, 1.5) = (INF, 0.0);
            (INF, INF) = (INF, FRAC_PI_4); (INF, NAN) = (INF, NAN); (NAN, 0.0) = (NAN, 0.0); (NAN, 1.5) = (NAN, NAN);
            (NAN, INF) = (~INF, NAN); (NAN, NAN) = (NAN, NAN);
        atanh:
            (0.0, 0.0) = (0.0, 0.0); (0.0, NAN) = (0.0, NAN); (1.0, 0.0) = (INF, 0.0); (1.5, INF) = (0.0, FRAC_PI_2);
            (1.5, NAN) = (NAN, NAN); (INF, 1.5) = (0.0, FRAC_PI_2); (INF, INF) = (0.0, FRAC_PI_2);
            (INF, NAN) = (0.0, NAN); (NAN, 1.5) = (NAN, NAN); (NAN, INF) = (~0.0, FRAC_PI_2); (NAN, NAN) = (NAN, NAN);
        cosh:
            (0.0, 0.0) = (1.0, 0.0); (0.0, INF) = (NAN, ~0.0); (0.0, NAN) = (NAN, ~0.0); (1.5, INF) = (NAN, NAN);
            (1.5, NAN) = (NAN, NAN); (INF, 0.0) = (INF, 0.0); (INF, 1.5) = (INF, INF); (INF, 2.0) = (-INF, INF);
            (INF, INF) = (~INF, NAN); (INF, NAN) = (INF, NAN); (NAN, 0.0) = (NAN, ~0.0); (NAN, 1.5) = (NAN, NAN);
            (NAN, NAN) = (NAN, NAN);
        sinh:
            (0.0, 0.0) = (0.0, 0.0); (0.0, INF) = (~0.0, NAN); (0.0, NAN) = (~0.0, NAN); (1.5, INF) = (NAN, NAN);
            (1.5, NAN) = (NAN, NAN); (INF, 0.0) = (INF, 0.0); (INF, 1.5) = (INF, INF); (INF, 4.0) = (-INF, -INF);
            (INF, INF) = (~INF, NAN); (INF, NAN) = (~INF, NAN); (NAN, 0.0) = (NAN, 0.0); (NAN, 1.5) = (NAN, NAN);
            (NAN, NAN) = (NAN, NAN);
        tanh:
            (0.0, 0.0) = (0.0, 0.0); (0.0, INF) = (0.0, NAN); (1.5, INF) = (NAN, NAN); (0.0, NAN) = (0.0, NAN);
            (1.5, NAN) = (NAN, NAN); (INF, 1.5) = (1.0, 0.0); (INF, 2.0) = (1.0, -0.0); (INF, INF) = (1.0, ~0.0);
            (INF, NAN) = (1.0, ~0.0); (NAN, 0.0) = (NAN, 0.0); (NAN, 1.5) = (NAN, NAN); (NAN, NAN) = (NAN, NAN);
            (800.0, 1.0) = (1.0, 0.0);
        tan: (1.0, 800.0) = (0.0, 1.0);
        exp:
            (0.0, 0.0) = (1.0, 0.0); (-0.0, 0.0) = (1.0, 0.0); (1.5, INF) = (NAN, NAN); (1.5, NAN) = (NAN, NAN);
            (INF, 0.0) = (INF, 0.0); (-INF, 1.5) = (0.0, 0.0); (-INF, 2.0) = (-0.0, 0.0); (INF, 1.5) = (INF, INF);
            (INF, 2.0) = (-INF, INF); (-INF, INF) = (~0.0, ~0.0); (INF, INF) = (~INF, NAN); (-INF, NAN) = (~0.0, ~0.0);
            (INF, NAN) = (~INF, NAN); (NAN, 0.0) = (NAN, 0.0); (NAN, 1.5) = (NAN, NAN); (NAN, NAN) = (NAN, NAN);
        ln:
            (-0.0, 0.0) = (-INF, PI); (0.0, 0.0) = (-INF, 0.0); (1.5, INF) = (INF, FRAC_PI_2); (1.5, NAN) = (NAN, NAN);
            (-INF, 1.5) = (INF, PI); (INF, 1.5) = (INF, 0.0); (-INF, INF) = (INF, PI_3_4); (INF, INF) = (INF, FRAC_PI_4);
            (INF, NAN) = (INF, NAN); (-INF, NAN) = (INF, NAN); (NAN, 1.5) = (NAN, NAN); (NAN, INF) = (INF, NAN);
            (NAN, NAN) = (NAN, NAN); (-1.0, 0.0) = (0.0, PI); (-1.0, -0.0) = (0.0, -PI);
        sqrt:
            (-0.0, 0.0) = (0.0, 0.0); (0.0, 0.0) = (0.0, 0.0); (1.5, INF) = (INF, INF); (NAN, INF) = (INF, INF);
            (1.5, NAN) = (NAN, NAN); (-INF, 1.5) = (0.0, INF); (INF, 1.5) = (INF, 0.0); (-INF, NAN) = (NAN, ~INF);
            (INF, NAN) = (INF, NAN); (NAN, 1.5) = (NAN, NAN); (NAN, NAN) = (NAN, NAN);
            (-4.0, 0.0) = (0.0, 2.0); (-4.0, -0.0) = (0.0, -2.0);
        logistic:
            (-1000.0, 0.0) = (0.0, 0.0); (1000.0, 0.0) = (1.0, 0.0); (INF, 1.5) = (1.0, 0.0); (-INF, 1.5) = (0.0, 0.0);
            (0.0, 0.0) = (0.5, 0.0); (NAN, 1.5) = (NAN, NAN);
        exp_m1: (-0.0, -0.0) = (-0.0, -0.0); (-INF, 1.5) = (-1.0, 0.0); (INF, 0.0) = (INF, 0.0);
        ln_1p: (-0.0, 0.0) = (-0.0, 0.0); (-1.0, 0.0) = (-INF, 0.0); (-2.0, -0.0) = (0.0, -PI);
        cbrt: (0.0, -0.0) = (0.0, -0.0); (8.0, 0.0) = (2.0, 0.0); (INF, 1.5) = (INF, 0.0);
        sign:
            (0.0, -0.0) = (0.0, -0.0); (INF, 1.0) = (1.0, 0.0); (-INF, INF) = (-0.5_f64.sqrt(), 0.5_f64.sqrt());
            (f64::MAX, 0.0) = (1.0, 0.0); (NAN, 1.0) = (NAN, NAN);
        rsqrt: (INF, 1.5) = (0.0, -0.0); (4.0, 0.0) = (0.5, -0.0);
    }
    // f(conj z) = conj f(z), and the odd and the even ones.
    let parts = [0.0, -0.0, 0.5, 2.0, -0.5, -2.0, 800.0, -800.0, 1e300, 5e-324, INF, -INF, NAN];
    macro_rules! symmetric {
        ($($name:ident $parity:expr;)*) => {$({
            let (f, _): OfComplex = of_complex!($name);
            let parity: Option<f64> = $parity;
            for (x, y) in parts.into_iter().flat_map(|x| parts.map(|y| (x, y))) {
                let z = Complex::new(x, y);
                let (w, mirrored) = (f(z), f(z.conj()));
                let open = w.re.is_nan() || w.im.is_nan();
                let agrees = |a: f64, b: f64| same(a, b) || (open && same(a.abs(), b.abs()));
                let right = agrees(w.re, mirrored.re) && agrees(-w.im, mirrored.im);
                report.row(
                    format_args!("{}({z:?}) and its conjugate", stringify!($name)),
                    (!right).then(|| format!("{w:?} and {mirrored:?}")),
                );
                let Some(sign) = parity else { continue };
                let turned = f(-z);
                let right = agrees(w.re * sign, turned.re) && agrees(w.im * sign, turned.im);
                report.row(
                    format_args!("{}({z:?}) and of -z", stringify!($name)),
                    (!right).then(|| format!("{w:?} and {turned:?}")),
                );
            }
        })*};
    }
    let (odd, even, neither) = (Some(-1.0), Some(1.0), None);
    symmetric! {
        exp neither; exp2 neither; exp_m1 neither; ln neither; ln_1p neither; log2 neither; log10 neither;
        logistic neither; sqrt neither; rsqrt neither; cbrt neither; acos neither; acosh neither;
        sin odd; tan odd; asin odd; atan odd; sinh odd; tanh odd; asinh odd; atanh odd; sign odd; recip odd;
        cos even; cosh even;
    }
    all.finish(4000);
}

/// C17, annex G.5.1: what is not zero by zero, and what is infinite by a finite number, is
/// infinite; a finite number by an infinite one is zero.
#[test]
fn complex_quotients() {
    let mut report = Report::new("complex quotients");
    let quotient = |a: Complex<f64>, b: Complex<f64>| {
        let single = |z: Complex<f64>| array![Complex::new(z.re as f32, z.im as f32)];
        let w = (single(a) / single(b)).eval().expect("they fit").to_vec()[0];
        let w32 = Complex::new(f64::from(w.re), f64::from(w.im));
        [(array![a] / array![b]).eval().expect("they fit").to_vec()[0], w32]
    };
    let parts = [0.0, -0.0, 1.0, -2.5, 3e30, INF, -INF, NAN];
    let all: Vec<_> = parts.into_iter().flat_map(|x| parts.map(|y| Complex::new(x, y))).collect();
    let infinite = |z: Complex<f64>| z.re.is_infinite() || z.im.is_infinite();
    let finite = |z: Complex<f64>| z.re.is_finite() && z.im.is_finite();
    let zero = |z: Complex<f64>| z.re == 0.0 && z.im == 0.0;
    for (&a, &b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
        for q in quotient(a, b) {
            let right = match () {
                _ if infinite(a) && finite(b) => infinite(q),
                _ if finite(a) && infinite(b) => zero(q),
                _ if zero(a) && zero(b) => q.is_nan(),
                _ if zero(b) && finite(a) => infinite(q),
                _ if finite(a) && finite(b) => finite(q),
                _ => true,
            };
            report.row(format_args!("{a:?} / {b:?}"), (!right).then(|| format!("{q}")));
        }
    }
    // Where a product, or the square of the modulus, would overflow or vanish.
    let c = Complex::new;
    for (a, b, want) in [
        (c(1e308, 1e308), c(1e308, 1e308), c(1.0, 0.0)),
        (c(1.5e308, -1.5e308), c(1e308, 1e308), c(0.0, -1.5)),
        (c(5e-324, 5e-324), c(5e-324, 5e-324), c(1.0, 0.0)),
        (c(1e-308, 0.0), c(1e-308, 1e-308), c(0.5, -0.5)),
        (c(1e308, 0.0), c(2e-5, 1e308), c(0.0, -1.0)),
        (c(1e-300, 1e-300), c(1e300, 1e300), c(0.0, 0.0)),
        (c(1e300, 0.0), c(0.0, 1e-300), c(0.0, -INF)),
        (c(f64::MAX, f64::MAX), c(2.0, 0.0), c(f64::MAX / 2.0, f64::MAX / 2.0)),
    ] {
        let [q, _] = quotient(a, b);
        let near = |x: f64, y: f64| x == y || (x - y).abs() <= 1e-15;
        let right = near(q.re, want.re) && near(q.im, want.im) || (q.is_nan() && infinite(want));
        report.row(format_args!("{a:?} / {b:?}"), (!right).then(|| format!("{q}")));
    }
    report.finish(8000);
}
