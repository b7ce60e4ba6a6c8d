//! Conversions: every pair of types element by element, and many of them as expressions, in every
//! way.

use super::check::{Target, unary};
use conformance::naive::Naive;
use conformance::naive::convert::{Convert, Number, convert};
use conformance::naive::half::{BF16, F16, Format};
use conformance::support::execs::in_pool;
use conformance::support::{Held, Recipe, Report, TestElement, Ways};
use zerostride::ops::{Cast, CastTo};
use zerostride::{Complex, bf16, f16};

/// Values at which conversions have corners: limits of the integer types, and ties of the
/// floating-point ones with their neighbours.
fn numbers() -> Vec<Number> {
    let mut integers = Vec::new();
    for bits in 0..=64 {
        let power = 1_i128 << bits;
        integers.extend([power - 1, power, power + 1]);
    }
    // One bit more than bf16, f16, f32 and f64 hold: half-way between two of their values.
    for digits in [8, 11, 24, 53] {
        for shift in 0..64 - digits {
            for odd in [1, 3] {
                let tie = ((1_i128 << digits) + odd) << shift;
                integers.extend([tie - 1, tie, tie + 1]);
            }
        }
    }
    integers.extend([65503, 65504, 65505, 65519, 65520, 65521]);
    let mut floats: Vec<f64> = integers.iter().map(|&i| i as f64).collect();
    floats.extend(floats.clone().iter().map(|f| 1.0 / f));
    floats.extend([
        0.3,
        0.5,
        0.999,
        1.5,
        2.5,
        254.5,
        255.999,
        1e30,
        1e300,
        3.4e38,
        f64::from(f32::MAX),
        f64::MAX,
    ]);
    floats.extend([0.0, f64::INFINITY, f64::NAN, f64::MIN_POSITIVE, 5e-324, 1e-46]);
    for format in [F16, BF16] {
        for value in halfway(format) {
            // The neighbours differ from the tie in the last bit of an f64 only.
            floats.extend([
                value.next_down(),
                value,
                value.next_up(),
                value * (1.0 + 1e-9),
                value * (1.0 - 1e-9),
            ]);
        }
    }
    let integers = integers.iter().flat_map(|&i| [i, -i]).map(Number::Integer);
    integers.chain(floats.iter().flat_map(|&f| [f, -f]).map(Number::Float)).collect()
}

/// Half-way between neighbours of a 16-bit format: subnormal, smallest normal, ordinary, largest.
fn halfway(format: Format) -> Vec<f64> {
    let one = 1 << format.fraction;
    let infinity = format.encode(f64::INFINITY);
    let lower = [
        0,
        1,
        2,
        one - 2,
        one - 1,
        one,
        one + 1,
        format.encode(1.0),
        format.encode(3.0),
        infinity - 3,
        infinity - 2,
    ];
    let mut ties: Vec<f64> =
        lower.iter().map(|&bits| (format.decode(bits) + format.decode(bits + 1)) / 2.0).collect();
    let largest = format.decode(infinity - 1);
    ties.push(largest + (largest - format.decode(infinity - 2)) / 2.0);
    ties
}

fn values<T: TestElement + Convert>() -> Vec<T> {
    T::corners().into_iter().chain(numbers().into_iter().map(T::of)).collect()
}

fn one_by_one<T: TestElement + Convert + CastTo<U>, U: TestElement + Convert>(report: &mut Report) {
    for value in values::<T>() {
        let (got, want) = (value.cast_to(), convert::<T, U>(value));
        let problem = (!got.same(want)).then(|| format!("got {got:?}, want {want:?}"));
        report.row(format_args!("{value:?} of {} to {}", T::NAME, U::NAME), problem);
    }
}

fn as_expression<T: TestElement + Convert + CastTo<U>, U: TestElement + Convert>(
    report: &mut Report,
) {
    let data = values::<T>();
    let array =
        Naive { shape: vec![data.len() / 29, 29], data: data[..data.len() / 29 * 29].to_vec() };
    let case = (U::NAME, Cast::<U>::new(), convert::<T, U>);
    let (flat, scattered) = (Recipe::c(2), Recipe::c(2).stepped(1, 2));
    unary(
        report,
        case,
        &Held::new(&array, &flat),
        Target { ways: Ways::Half(0), ..Target::exact(&flat) },
    );
    let backwards = Held::new(&array, &Recipe::f(2).reversed(2));
    unary(report, case, &backwards, Target { ways: Ways::Half(1), ..Target::exact(&scattered) });
}

/// `check` for each type in the first list with each in the second.
macro_rules! pairs {
    ($check:ident $report:ident [$($from:ty),*] $to:tt) => { $( pairs!(@ $check $report $from, $to); )* };
    (@ $check:ident $report:ident $from:ty, [$($to:ty),*]) => { $( $check::<$from, $to>($report); )* };
}

macro_rules! one_by_one {
    ($($test:ident: $from:tt;)*) => {$(
        #[test]
        fn $test() {
            let mut report = Report::new("conversions one by one");
            let r = &mut report;
            pairs!(one_by_one r $from [
                i8, i16, i32, i64, isize, u8, u16, u32, u64, usize, f32, f64, f16, bf16, bool, Complex<f32>, Complex<f64>
            ]);
            report.finish(100_000);
        }
    )*};
}
one_by_one! {
    from_signed: [i8, i16, i32, i64, isize];
    from_unsigned: [u8, u16, u32, u64, usize];
    from_float: [f32, f64, f16, bf16];
    from_others: [bool, Complex<f32>, Complex<f64>];
}

#[test]
fn as_expressions() {
    let mut report = Report::new("conversions as expressions");
    in_pool(|| {
        let r = &mut report;
        pairs!(as_expression r [f32, f64] [i8, u8, i32, u32, i64, u64, bool, f16, bf16, f32, f64]);
        pairs!(as_expression r [i64, u8] [i8, u16, i32, f32, f64, f16, bf16, bool, Complex<f32>]);
        pairs!(as_expression r [f16, bf16, bool, Complex<f64>] [f32, i16, u64, bool, f16, Complex<f32>]);
    });
    report.finish(300);
}
