//! The functions and operations beyond arithmetic, against definitions of their own, through the
//! rows of `operations`.

use super::operations::{all_operands, all_rows};
use conformance::accuracy::{self, Float, Functions};
use conformance::naive::half::{BF16, F16, Format};
use conformance::naive::scalar::Scalar;
use conformance::support::execs::in_pool;
use conformance::support::{Report, Ways};
use zerostride::{Array1, BinaryMethods, Error, Expr, UnaryMethods, array, bf16, f16, ops, zip};

/// Integers, by `i128` and bit by bit.
macro_rules! integers {
    ($($test:ident $type:ident: $($sign:ident)?;)*) => {$(
        #[test]
        fn $test() {
            type T = $type;
            const WIDTH: i128 = T::BITS as i128;
            let mut report = Report::new(concat!("functions of ", stringify!($type)));
            /// The bits, and whether a shift amount is within the width.
            fn bit(x: T, at: i128) -> bool {
                x as i128 >> at & 1 == 1
            }
            fn of_bits(bit: impl Fn(i128) -> bool) -> T {
                (0..WIDTH).fold(0, |x, at| if bit(at) { x | (1 << at) } else { x })
            }
            fn saturated(x: i128) -> T {
                x.clamp(T::MIN as i128, T::MAX as i128) as T
            }
            fn overflows(x: i128) -> bool {
                x < T::MIN as i128 || x > T::MAX as i128
            }
            fn amount(x: T) -> i128 {
                if (0..WIDTH).contains(&(x as i128)) { x as i128 } else { WIDTH }
            }
            fn power(x: T, n: T) -> T {
                if (n as i128) < 0 {
                    return match x as i128 {
                        1 => 1,
                        -1 => if n as i128 % 2 == 0 { 1 } else { x },
                        _ => 0,
                    };
                }
                let mut result: T = 1;
                let (mut base, mut n) = (x, n as u128);
                while n > 0 {
                    if n % 2 == 1 {
                        result = (result as i128).wrapping_mul(base as i128) as T;
                    }
                    base = (base as i128).wrapping_mul(base as i128) as T;
                    n /= 2;
                }
                result
            }
            in_pool(|| {
                let report = &mut report;
                let same = Scalar::same;
                all_operands::<T, T, _>(report, ("square", ops::Square, |x| (x as i128).wrapping_mul(x as i128) as T), same, true);
                all_operands::<T, T, _>(report, ("popcount", ops::Popcount, |x| (0..WIDTH).filter(|&at| bit(x, at)).count() as T), same, true);
                let zeros: fn(T) -> T = |x| (0..WIDTH).rev().take_while(|&at| !bit(x, at)).count() as T;
                all_operands::<T, T, _>(report, ("count_leading_zeros", ops::CountLeadingZeros, zeros), same, true);
                all_rows::<T, T, _>(report, ("pow", ops::Pow, power), same, true);
                let left: fn(T, T) -> T = |x, n| of_bits(|at| at >= amount(n) && bit(x, at - amount(n)));
                all_rows::<T, T, _>(report, ("shift_left", ops::ShiftLeft, left), same, true);
                let logical: fn(T, T) -> T = |x, n| of_bits(|at| at + amount(n) < WIDTH && bit(x, at + amount(n)));
                all_rows::<T, T, _>(report, ("shift_right_logical", ops::ShiftRightLogical, logical), same, true);
                let arithmetic: fn(T, T) -> T = |x, n| of_bits(|at| bit(x, (at + amount(n)).min(WIDTH - 1)));
                all_rows::<T, T, _>(report, ("shift_right_arithmetic", ops::ShiftRightArithmetic, arithmetic), same, true);
                all_rows::<T, T, _>(report, ("shl", ops::Shl, left), same, true);
                let right = if T::MIN == 0 { logical } else { arithmetic };
                all_rows::<T, T, _>(report, ("shr", ops::Shr, right), same, true);
                let add: fn(T, T) -> T = |a, b| saturated(a as i128 + b as i128);
                all_rows::<T, T, _>(report, ("saturating_add", ops::SaturatingAdd, add), same, true);
                let sub: fn(T, T) -> T = |a, b| saturated(a as i128 - b as i128);
                all_rows::<T, T, _>(report, ("saturating_sub", ops::SaturatingSub, sub), same, true);
                let mul: fn(T, T) -> T = |a, b| saturated((a as i128).saturating_mul(b as i128));
                all_rows::<T, T, _>(report, ("saturating_mul", ops::SaturatingMul, mul), same, true);
                let add: fn(T, T) -> bool = |a, b| overflows(a as i128 + b as i128);
                all_rows::<T, bool, _>(report, ("add_overflows", ops::AddOverflows, add), Scalar::same, true);
                let sub: fn(T, T) -> bool = |a, b| overflows(a as i128 - b as i128);
                all_rows::<T, bool, _>(report, ("sub_overflows", ops::SubOverflows, sub), Scalar::same, true);
                let mul: fn(T, T) -> bool = |a, b| overflows((a as i128).saturating_mul(b as i128));
                all_rows::<T, bool, _>(report, ("mul_overflows", ops::MulOverflows, mul), Scalar::same, true);
                $(
                    let $sign: fn(T) -> T = |x| (x as i128).signum() as T;
                    all_operands::<T, T, _>(report, ("sign", ops::Sign, $sign), same, true);
                    all_operands::<T, T, _>(report, ("relu", ops::Relu, |x| if (x as i128) < 0 { 0 } else { x }), same, true);
                )?
            });
            report.finish(100);
        }
    )*};
}

integers! {
    i8_functions i8: sign;
    i16_functions i16: sign;
    i32_functions i32: sign;
    i64_functions i64: sign;
    u8_functions u8:;
    u16_functions u16:;
    u32_functions u32:;
    u64_functions u64:;
}

/// Floats, in `f64`: what is exact there, and rounded at most once.
macro_rules! floats {
    ($($test:ident $type:ident $bits:ident: |$x:ident| $wide:expr, |$y:ident| $narrow:expr;)*) => {$(
        #[test]
        fn $test() {
            type T = $type;
            let mut report = Report::new(concat!("functions of ", stringify!($type)));
            fn wide($x: T) -> f64 {
                $wide
            }
            fn narrow($y: f64) -> T {
                $narrow
            }
            /// -NaN, -infinity, .., NaN as numbers.
            fn order(x: T) -> i128 {
                let magnitude = (x.to_bits() & ($bits::MAX >> 1)) as i128;
                if x.to_bits() > $bits::MAX >> 1 { -1 - magnitude } else { magnitude }
            }
            fn next(a: T, b: T) -> T {
                let (x, y) = (wide(a), wide(b));
                if x.is_nan() || y.is_nan() {
                    return narrow(f64::NAN);
                }
                if x == y {
                    return b;
                }
                let smallest = T::from_bits(1);
                match (x == 0.0, x < y) {
                    (true, true) => smallest,
                    (true, false) => -smallest,
                    // Up among the positive numbers, or down among the negative ones, the bits
                    // count up.
                    (false, up) => T::from_bits(if up == (x > 0.0) { a.to_bits() + 1 } else { a.to_bits() - 1 }),
                }
            }
            fn ignoring(a: T, b: T, keep: fn(T, T) -> T) -> T {
                match (wide(a).is_nan(), wide(b).is_nan()) {
                    (true, _) => b,
                    (_, true) => a,
                    _ => keep(a, b),
                }
            }
            in_pool(|| {
                let report = &mut report;
                let one = |report: &mut Report, name, f: fn(T) -> T, run: fn(&mut Report, (&str, fn(T) -> T))| {
                    run(report, (name, f));
                };
                macro_rules! one {
                    ($name:ident $Op:ident: $f:expr) => {
                        one(report, stringify!($name), $f, |report, (name, f)| {
                            all_operands::<T, T, _>(report, (name, ops::$Op, f), Scalar::same, true);
                        });
                    };
                }
                macro_rules! two {
                    ($output:ty; $name:ident $Op:ident: $f:expr) => {
                        let f: fn(T, T) -> $output = $f;
                        all_rows::<T, $output, _>(report, (stringify!($name), ops::$Op, f), Scalar::same, true);
                    };
                }
                one!(sign Sign: |x| match wide(x) {
                    y if y > 0.0 => narrow(1.0),
                    y if y < 0.0 => narrow(-1.0),
                    _ => x,
                });
                one!(square Square: |x| narrow(wide(x) * wide(x)));
                one!(recip Recip: |x| narrow(1.0 / wide(x)));
                one!(floor Floor: |x| narrow(wide(x).floor()));
                one!(ceil Ceil: |x| narrow(wide(x).ceil()));
                one!(trunc Trunc: |x| narrow(wide(x).trunc()));
                one!(round Round: |x| narrow(wide(x).round()));
                one!(round_ties_even RoundTiesEven: |x| narrow(wide(x).round_ties_even()));
                one!(relu Relu: |x| narrow(if wide(x) > 0.0 || wide(x).is_nan() { wide(x) } else { 0.0 }));
                let finite: fn(T) -> bool = |x| wide(x).abs() < f64::INFINITY;
                all_operands::<T, bool, _>(report, ("is_finite", ops::IsFinite, finite), Scalar::same, true);
                let nan: fn(T) -> bool = |x| wide(x) != wide(x);
                all_operands::<T, bool, _>(report, ("is_nan", ops::IsNan, nan), Scalar::same, true);
                let infinite: fn(T) -> bool = |x| wide(x).abs() == f64::INFINITY;
                all_operands::<T, bool, _>(report, ("is_infinite", ops::IsInfinite, infinite), Scalar::same, true);
                two!(T; fmax Fmax: |a, b| ignoring(a, b, Scalar::maximum));
                two!(T; fmin Fmin: |a, b| ignoring(a, b, Scalar::minimum));
                two!(T; copysign Copysign: |a, b| {
                    if (a.to_bits() > $bits::MAX >> 1) == (b.to_bits() > $bits::MAX >> 1) { a } else { -a }
                });
                two!(T; next_after NextAfter: next);
                two!(bool; total_equal TotalEqual: |a, b| order(a) == order(b));
                two!(bool; total_not_equal TotalNotEqual: |a, b| order(a) != order(b));
                two!(bool; total_less TotalLess: |a, b| order(a) < order(b));
                two!(bool; total_less_equal TotalLessEqual: |a, b| order(a) <= order(b));
                two!(bool; total_greater TotalGreater: |a, b| order(a) > order(b));
                two!(bool; total_greater_equal TotalGreaterEqual: |a, b| order(a) >= order(b));
            });
            report.finish(100);
        }
    )*};
}

floats! {
    f32_functions f32 u32: |x| f64::from(x), |y| y as f32;
    f64_functions f64 u64: |x| x, |y| y;
    f16_functions f16 u16: |x| x.to_f64(), |y| f16::from_f64(y);
    bf16_functions bf16 u16: |x| x.to_f64(), |y| bf16::from_f64(y);
}

/// Results of `mul_add` in every way, against `want`; the rows are triples of bits.
macro_rules! fused {
    ($report:ident $type:ident: $triples:expr, $want:expr) => {{
        let triples: Vec<[_; 3]> = $triples;
        let of = |i: usize| {
            let column = triples.iter().map(|triple| $type::from_bits(triple[i]));
            zerostride::Array1::from_vec(column.collect())
        };
        let (a, b, c) = (of(0), of(1), of(2));
        let want: fn([_; 3]) -> _ = $want;
        let want: Vec<$type> = triples.iter().map(|&triple| want(triple)).collect();
        for way in Ways::All.list() {
            let got = zip::<($type, $type, $type), _>((&a, &b, &c)).apply(ops::MulAdd);
            let got = way.0.install(|| got.eval()).expect("they fit").to_vec();
            let wrong = (0..got.len()).find(|&i| !Scalar::same(got[i], want[i]));
            let problem = wrong.map(|i| {
                let [a, b, c] = triples[i].map($type::from_bits);
                format!("{a:?} * {b:?} + {c:?} is {:?}, not {:?}", got[i], want[i])
            });
            $report.row(format_args!("mul_add of {}, {way}", stringify!($type)), problem);
        }
    }};
}

/// Triples of 16-bit patterns: all kinds, and those whose sum is half-way between two values but
/// for a little.
fn half_triples(format: Format) -> Vec<[u16; 3]> {
    let mut triples = vec![[7.0, 37.0, -1e-30], [7.0, 37.0, 1e-30], [7.0, 37.0, 0.0]]
        .into_iter()
        .map(|triple: [f64; 3]| triple.map(|x| format.encode(x)))
        .collect::<Vec<_>>();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u16
    };
    let one = format.encode(1.0);
    for _ in 0..60_000 {
        triples.push([random(), random(), random()]);
        // Odd integers, whose product is often half-way, and a summand of any size.
        let odd = |bits: u16| format.encode(f64::from((bits % 128) | 1));
        triples.push([odd(random()), odd(random()), random()]);
        // Factors near 1, and a summand near their product.
        let near = |bits: u16| one - 64 + bits % 128;
        triples.push([near(random()), near(random()), near(random()) ^ (random() & 0x8000)]);
    }
    triples
}

#[test]
fn products_and_sums_are_rounded_once() {
    let mut report = Report::new("mul_add");
    in_pool(|| {
        let report = &mut report;
        fused!(report f16: half_triples(F16), |[a, b, c]| f16::from_bits(F16.encode_fused(a, b, c)));
        fused!(report bf16: half_triples(BF16), |[a, b, c]| bf16::from_bits(BF16.encode_fused(a, b, c)));
        let wide = |triple: [u16; 3]| triple.map(|bits| u32::from(bits) << 16 | u32::from(bits));
        fused!(report f32: half_triples(BF16).into_iter().map(wide).collect(), |triple| {
            let [a, b, c] = triple.map(f32::from_bits);
            a.mul_add(b, c)
        });
        let wide = |triple: [u16; 3]| triple.map(|bits| u64::from(bits) * 0x0001_0001_0001_0001);
        fused!(report f64: half_triples(BF16).into_iter().map(wide).collect(), |triple| {
            let [a, b, c] = triple.map(f64::from_bits);
            a.mul_add(b, c)
        });
    });
    report.finish(16);
}

/// Mathematical functions in every layout, on every instruction set: near the reference, and the
/// same bits everywhere.
macro_rules! mathematical {
    ($($name:ident $Op:ident;)*) => {
        #[test]
        fn mathematical_functions() {
            let mut report = Report::new("mathematical functions");
            in_pool(|| {
                let report = &mut report;
                $(
                    all_operands::<f32, f32, _>(report, (stringify!($name), ops::$Op, |x| own::<f32>(stringify!($name), x)), Scalar::same, true);
                    all_operands::<f64, f64, _>(report, (stringify!($name), ops::$Op, |x| own::<f64>(stringify!($name), x)), Scalar::same, true);
                )*
            });
            report.finish(1000);
        }
    };
}

/// The result for one element, which [`functions_keep_their_promises`] compares with the reference.
fn own<F: Functions>(name: &str, x: F) -> F {
    let function = accuracy::functions::<F>().into_iter().find(|function| function.name == name);
    let one = zerostride::Array1::from_vec(vec![x]);
    function.expect("it is in the list").call(&[one.view()])[0]
}

mathematical! {
    exp Exp;
    ln Ln;
    sin Sin;
    tan Tan;
    tanh Tanh;
    logistic Logistic;
    cbrt Cbrt;
    erfc Erfc;
    gelu_tanh GeluTanh;
    lgamma Lgamma;
}

fn promises<F: Functions>(report: &mut Report) {
    // As many as can be had in the time; `ulp --sample` takes a million, `ulp --exhaustive` all.
    let count = if cfg!(debug_assertions) { 10_000 } else { 1_000_000 };
    for function in accuracy::functions::<F>() {
        let operands = accuracy::points(&function, count);
        let limit = accuracy::promise(function.name);
        let problem = match accuracy::evaluate(&function, &operands) {
            Err(why) => Some(why),
            Ok(results) => results.into_iter().enumerate().find_map(|(i, got)| {
                let inputs: Vec<F> = operands.iter().map(|operand| operand[i]).collect();
                let want = function.reference(&inputs);
                let distance = accuracy::distance(got, want);
                (distance > limit)
                    .then(|| format!("at {inputs:?}: {got:e}, not {want:e}: {distance} ULP"))
            }),
        };
        report.row(format_args!("{} of {}", function.name, <F as Float>::NAME), problem);
    }
}

#[test]
fn functions_keep_their_promises() {
    let mut report = Report::new("accuracy");
    promises::<f32>(&mut report);
    promises::<f64>(&mut report);
    report.finish(68);
}

/// What a function has exactly, it gives: a unit in the last place is allowed elsewhere.
#[test]
fn exact_results_are_exact() {
    let mut report = Report::new("exact results");
    let mut row = |name: String, got: Result<Array1<f64>, Error>, want: f64| {
        let got = got.expect("it is computed")[0];
        report.equal(name, (got, got.to_bits()), (want, want.to_bits()));
    };
    for base in 2..=100_u64 {
        let (mut power, mut n) = (1_u64, 0.0);
        while let Some(next) = power.checked_mul(base).filter(|&next| next < 1 << 53) {
            (power, n) = (next, n + 1.0);
            let (x, y) = (array![base as f64], power as f64);
            row(format!("{base}^{n}"), x.pow(n).eval(), y);
            row(format!("-{base}^{n}"), (-&x).pow(n).eval(), if n % 2.0 == 0.0 { y } else { -y });
        }
    }
    for i in 0..3000_u32 {
        let x = f64::from(i.wrapping_mul(0x9e37_79b9)) * 1e-7 - 200.0;
        row(format!("the square of {x}"), array![x].pow(2.0).eval(), x * x);
        // Beside other exponents, too.
        let beside = array![x, 3.0].pow(&array![2.0, 0.5]).eval();
        row(format!("the square of {x} beside a root"), beside, x * x);
    }
    for n in -1074..1024 {
        let x = 2_f64.powi(n / 2) * 2_f64.powi(n - n / 2);
        row(format!("log2 of 2^{n}"), array![x].log2().eval(), f64::from(n));
        row(format!("2^{n}"), array![f64::from(n)].exp2().eval(), x);
    }
    for n in -323..=308 {
        let x: f64 = format!("1e{n}").parse().expect("it is a number");
        // Below, the numbers next to powers of 10 are far from them.
        if n > -308 {
            row(format!("log10 of 1e{n}"), array![x].log10().eval(), f64::from(n));
        }
        if (0..=22).contains(&n) {
            row(format!("10^{n}"), array![10.0].pow(f64::from(n)).eval(), x);
        }
    }
    for n in (1..=1000).chain((2000..200_000).step_by(997)) {
        let n = f64::from(n);
        row(format!("cbrt of {n}^3"), array![-n * n * n].cbrt().eval(), -n);
        row(format!("hypot of 3 and 4 times {n}"), array![3.0 * n].hypot(-4.0 * n).eval(), 5.0 * n);
    }
    use std::f64::consts::{E, FRAC_PI_2, FRAC_PI_4, PI, SQRT_2};
    row("e".into(), array![1.0].exp().eval(), E);
    row("acos(-1)".into(), array![-1.0].acos().eval(), PI);
    row("asin(1)".into(), array![1.0].asin().eval(), FRAC_PI_2);
    row("atan(1)".into(), array![1.0].atan().eval(), FRAC_PI_4);
    row("atan2(-0, -1)".into(), array![-0.0].atan2(-1.0).eval(), -PI);
    row("2^0.5".into(), array![2.0].pow(0.5).eval(), SQRT_2);
    report.finish(12_000);
}

#[test]
fn results_of_another_library() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data/functions.csv");
    let (passed, failed) = accuracy::add_file(&path).expect("it is there");
    assert_eq!(failed, 0);
    assert!(passed > 750, "only {passed} rows");
}

#[test]
fn complex_results_of_another_library() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data/complex.csv");
    let (passed, failed) = accuracy::add_file(&path).expect("it is there");
    assert_eq!(failed, 0);
    assert!(passed > 8000, "only {passed} rows");
}
