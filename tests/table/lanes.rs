//! What goes along an axis: scans, softmax, sorting, quantiles, against definitions element by
//! element, through all layouts.

use conformance::naive::Naive;
use conformance::naive::half::{BF16, F16};
use conformance::naive::scalar::Scalar;
use conformance::support::execs::in_pool;
use conformance::support::layouts::difference;
use conformance::support::report::problem_of;
use conformance::support::{Held, Recipe, Report, TestElement, Ways};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt::Debug;
use zerostride::prelude::*;
use zerostride::{
    ArrayD, CumMax, CumMin, CumProd, CumSum, Element, Error, ErrorKind, Exec, Ordered,
    QuantileMethod, Scan, ViewD, bf16, f16,
};

/// Changes each lane along an axis, once.
fn each_lane<T: Scalar, U: Copy>(
    array: &Naive<T>,
    axis: usize,
    f: impl Fn(&[T]) -> Vec<U>,
) -> Naive<U> {
    let lane = |index: &[usize]| -> Vec<T> {
        (0..array.shape[axis])
            .map(|i| {
                let mut at = index.to_vec();
                at[axis] = i;
                array.at(&at)
            })
            .collect()
    };
    let len = f(&vec![array.data[0]; array.shape[axis]]).len();
    let mut shape = array.shape.clone();
    shape[axis] = len;
    let mut changed = HashMap::new();
    Naive::from_fn(&shape, |index| {
        let mut first = index.to_vec();
        first[axis] = 0;
        changed.entry(first).or_insert_with_key(|first| f(&lane(first)))[index[axis]]
    })
}

const SHAPES: &[&[usize]] =
    &[&[1], &[37], &[3, 5], &[33, 70], &[6, 1, 9], &[4, 18, 3], &[2, 3, 2, 5]];

/// Shapes, and an axis of each, along which scans go by whole blocks of lanes, and by several long
/// rows at a time, with some left.
const LONG: &[(&[usize], usize)] = &[(&[17, 133], 1), (&[17, 133], 0), (&[6, 2083], 0)];

/// Runs `f` for each shape, axis and layout.
fn through_layouts<T: TestElement>(
    seed: usize,
    mut f: impl FnMut(&Held<T>, &Naive<T>, usize, usize),
) {
    let mut number = seed;
    for shape in SHAPES {
        for axis in 0..shape.len() {
            for recipe in Recipe::all_readable(shape.len()) {
                number += 1;
                let values = Naive::numbered(shape, |i| T::nth(i * 7 + number));
                let held = Held::new(&values, &recipe);
                f(&held, &held.naive(), axis, number);
            }
        }
    }
}

fn scan<T: TestElement, U: TestElement, S: Scan<T, Output = U> + Copy>(
    report: &mut Report,
    name: &str,
    op: S,
    naive: fn(&[T]) -> Vec<Option<U>>,
) {
    scan_by(report, name, |view, axis| view.scan(op, axis), naive);
}

/// As [`scan`], by this function.
fn scan_by<T: TestElement, U: TestElement>(
    report: &mut Report,
    name: &str,
    by: impl Fn(&ViewD<'_, T>, usize) -> Result<ArrayD<U>, Error> + Sync,
    naive: fn(&[T]) -> Vec<Option<U>>,
) {
    let mut check = |held: &Held<T>, values: &Naive<T>, axis: usize, number: usize| {
        let want = each_lane(values, axis, naive);
        // Without one of them, an error.
        let data: Option<Vec<U>> = want.data.iter().copied().collect();
        for way in Ways::Turn(number).list() {
            let problem = problem_of(|| match way.0.install(|| by(&held.view(), axis)) {
                Ok(got) => {
                    let Some(data) = &data else { return Some("not an error".to_owned()) };
                    let want = Naive { shape: want.shape.clone(), data: data.clone() };
                    difference(
                        &Naive { shape: got.shape().to_vec(), data: got.to_vec() },
                        &want,
                        |a, b| a.same(b),
                    )
                }
                Err(error) => data.is_some().then(|| error.to_string()),
            });
            report.row(
                format!("{name} of {} {held} along {axis}, {way}", std::any::type_name::<T>()),
                problem,
            );
        }
    };
    through_layouts::<T>(name.len(), &mut check);
    for (number, &(shape, axis)) in LONG.iter().enumerate() {
        let values = Naive::numbered(shape, |i| T::nth(i * 7 + 3));
        let recipe = &Recipe::all_readable(shape.len())[0];
        check(&Held::new(&values, recipe), &values, axis, number + name.len());
    }
}

/// What has come of the elements up to each.
fn running<T: Copy, A: Copy, U>(
    values: &[T],
    start: A,
    step: impl Fn(A, T) -> A,
    output: impl Fn(A) -> U,
) -> Vec<U> {
    let mut carry = start;
    let go_on = |&value: &T| {
        carry = step(carry, value);
        output(carry)
    };
    values.iter().map(go_on).collect()
}

#[test]
fn scans_of_integers() {
    let mut report = Report::new("scans");
    in_pool(|| {
        macro_rules! integers {
            ($($type:ident)*) => {$(
                scan_by::<$type, $type>(&mut report, "cumsum", |x, axis| x.cumsum(axis), |x| {
                    running(x, 0, |a: i128, x| a + x as i128, |a| a.try_into().ok())
                });
                scan::<$type, $type, _>(&mut report, "cumprod", CumProd, |x| {
                    let step = |a: Option<i128>, x| a.and_then(|a| a.checked_mul(x as i128));
                    running(x, Some(1), step, |a| a.and_then(|a| a.try_into().ok()))
                });
                scan::<$type, $type, _>(&mut report, "cummax", CumMax, |x| running(x, $type::MIN, |a, x| a.max(x), Some));
                scan::<$type, $type, _>(&mut report, "cummin", CumMin, |x| running(x, $type::MAX, |a, x| a.min(x), Some));
            )*};
        }
        integers! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize }
    });
    report.finish(1000);
}

/// Sums that end beside the largest and the smallest number, and what is one more or less: along
/// one lane, several, and many; the error says the first sum that does not fit.
#[test]
fn sums_at_the_ends() {
    let mut report = Report::new("sums at the ends");
    macro_rules! ends {
        ($($type:ident)*) => {$(
            for (extent, lanes) in [(3, 1), (3, 2), (3, 5), (3, 40), (70, 1), (70, 9), (70, 300)] {
                for (end, one) in [($type::MAX, 1_i128), ($type::MIN, -1)] {
                    for over in [0, one] {
                        // The last element of the last lane but one, or of the only one.
                        let at = lanes.max(2) - 2;
                        let first = i128::from(end) - one;
                        // Of unsigned numbers, nothing leads below 0.
                        let (Ok(first), Ok(step)) = ($type::try_from(first), $type::try_from(one))
                        else {
                            continue;
                        };
                        let last = $type::try_from(one + over).expect("a small number");
                        let value = |(i, j): (usize, usize)| match (i, j == at) {
                            (0, true) => first,
                            (i, true) if i == extent - 1 => if over == 0 { step } else { last },
                            _ => 0,
                        };
                        let x = Array2::from_shape_fn([extent, lanes], value);
                        for (axis, x) in [(0, x.view()), (1, x.t())] {
                            let end_of_lane = [[extent - 1, at], [at, extent - 1]][axis];
                            let got = x.cumsum(axis).map(|sums| sums[end_of_lane]);
                            let turned = x.to_owned().cumsum(axis).map(drop);
                            let as_wanted = match over {
                                0 => matches!(got, Ok(sum) if sum == end) && turned.is_ok(),
                                _ => {
                                    let wrong = (i128::from(end) + one).to_string();
                                    let says = |err: Error| err.to_string().contains(&wrong);
                                    got.is_err_and(says) && turned.is_err_and(says)
                                }
                            };
                            let name = stringify!($type);
                            report.row(
                                format!("{extent} x {lanes} of {name}, {end} and {over}, {axis}"),
                                (!as_wanted).then(|| "not as wanted".to_owned()),
                            );
                        }
                    }
                }
            }
        )*};
    }
    ends! { i8 i16 i32 i64 u8 u16 u32 u64 }
    report.finish(300);
}

#[test]
fn scans() {
    let mut report = Report::new("scans");
    in_pool(|| {
        macro_rules! floats {
            ($($type:ident: |$x:ident| $wide:expr, |$y:ident| $narrow:expr;)*) => {$(
                scan::<$type, $type, _>(&mut report, "cumsum", CumSum, |x| {
                    running(x, 0.0, |a: f64, $x: $type| a + $wide, |$y| Some($narrow))
                });
                scan::<$type, $type, _>(&mut report, "cummax", CumMax, |x| running(x, x[0], Scalar::maximum, Some));
                scan::<$type, $type, _>(&mut report, "cummin", CumMin, |x| running(x, x[0], Scalar::minimum, Some));
            )*};
        }
        floats! {
            f32: |x| f64::from(x), |y| y as f32;
            f64: |x| x, |y| y;
            f16: |x| x.to_f64(), |y| f16::from_bits(F16.encode(y));
            bf16: |x| x.to_f64(), |y| bf16::from_bits(BF16.encode(y));
        }
        scan::<f64, f64, _>(&mut report, "cumprod", CumProd, |x| {
            running(x, 1.0, |a: f64, x| a * x, Some)
        });
        scan::<f32, f32, _>(&mut report, "cumprod", CumProd, |x| {
            running(x, 1.0, |a: f32, x| a * x, Some)
        });
    });
    report.finish(500);
    // NaN stays; integers that no longer fit are an error.
    let nan = array![1.0, f64::NAN, 2.0].cummax(0).unwrap().to_vec();
    assert!(nan[0] == 1.0 && nan[1].is_nan() && nan[2].is_nan());
    assert_eq!(
        array![i64::MAX, 1].cumsum(0).unwrap_err().to_string(),
        "the cumsum of the elements, 9223372036854775808, does not fit in i64: `x.cast::<f64>().cumsum(axis)` holds it to 53 \
         bits"
    );
    assert_eq!(
        array![100_u8, 100, 100].cumsum(0).unwrap_err().to_string(),
        "the cumsum of the elements, 300, does not fit in u8: `x.cast::<u64>().cumsum(axis)` holds it"
    );
    assert_eq!(
        array![100_i8, -2].cumprod(0).unwrap_err().to_string(),
        "the cumprod of the elements, -200, does not fit in i8: `x.cast::<i64>().cumprod(axis)` holds it"
    );
    // What does not fit on the way is an error, even if the last sum does.
    assert!(array![127_i8, 1, -1].cumsum(0).is_err());
    assert_eq!(array![-128_i8, 127, 1].cumsum(0).unwrap().to_vec(), [-128, -1, 0]);
    assert_eq!(
        array![i64::MIN, 1, -1, 0].cumprod(0).unwrap_err().kind(),
        &ErrorKind::ReductionOverflow { op: "cumprod", value: Some(1 << 63), output: "i64" }
    );
    assert_eq!(array![-1_i64, 1 << 62, 2].cumprod(0).unwrap().to_vec(), [-1, -1 << 62, i64::MIN]);
    // Zeros of either sign, and NaN of one.
    let bits = |x: Array1<f64>| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let (zero, below) = (0.0_f64.to_bits(), (-0.0_f64).to_bits());
    assert_eq!(bits(array![-0.0, 0.0, -0.0].cummax(0).unwrap()), [below, zero, zero]);
    assert_eq!(bits(array![0.0, -0.0, 0.0].cummin(0).unwrap()), [zero, below, below]);
    let half = |x: Array1<f16>| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let zeros = array![-f16::ZERO, f16::ZERO, -f16::NAN, f16::INFINITY];
    assert_eq!(half(zeros.cummax(0).unwrap()), [0x8000, 0, 0x7e00, 0x7e00]);
    assert_eq!(half(zeros.cummin(0).unwrap()), [0x8000, 0x8000, 0x7e00, 0x7e00]);
    let nan = f64::NAN.to_bits();
    assert_eq!(bits(array![1.0, -f64::NAN, 2.0].cummin(0).unwrap()), [1.0_f64.to_bits(), nan, nan]);
    assert_eq!(
        bits(array![f64::INFINITY, -f64::INFINITY, 2.0].cumsum(0).unwrap())[1..],
        [nan, nan]
    );
    assert!(array![1, 2].cumsum(1).is_err());
    assert_eq!(Array2::<f32>::zeros([0, 3]).cumsum(0).unwrap().shape(), [0, 3]);
}

#[test]
fn softmax_and_its_logarithm() {
    let mut report = Report::new("softmax");
    in_pool(|| {
        for logarithm in [false, true] {
            through_layouts::<f64>(usize::from(logarithm), |held, values, axis, number| {
                let want = each_lane(values, axis, |x| {
                    let max = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    let sum: f64 = x.iter().map(|x| (x - max).exp()).sum();
                    x.iter()
                        .map(|x| if logarithm { x - max - sum.ln() } else { (x - max).exp() / sum })
                        .collect()
                });
                let row_major = Held::new(values, &Recipe::c(values.shape.len()));
                let plain = Exec::new().parallel(false);
                let reference =
                    plain.install(|| softmax(row_major.view(), axis, logarithm)).unwrap();
                for way in Ways::Turn(number).list() {
                    let problem = problem_of(|| {
                        match way.0.install(|| softmax(held.view(), axis, logarithm)) {
                            Ok(got) if got != reference => {
                                Some("differs from the row-major one".to_owned())
                            }
                            Ok(got) => difference(
                                &Naive { shape: got.shape().to_vec(), data: got.to_vec() },
                                &want,
                                |a, b| (a - b).abs() <= 1e-14 * (1.0 + b.abs()),
                            ),
                            Err(error) => Some(error.to_string()),
                        }
                    });
                    report.row(format!("{logarithm} of {held} along {axis}, {way}"), problem);
                }
            });
        }
    });
    report.finish(300);
    // Many slabs; sums over all; extremes.
    let x = Array2::from_fn([700, 300], |[i, j]| ((i * 7 + j * 3) % 41) as f32 * 0.25);
    for sum in x.softmax(1).unwrap().sum_axis(1).unwrap().to_vec() {
        assert!((sum - 1.0).abs() < 1e-5, "{sum}");
    }
    assert!((x.softmax(..).unwrap().sum().unwrap() - 1.0).abs() < 1e-5);
    assert_eq!(array![1e30_f32, -1e30].softmax(0).unwrap().to_vec(), [1.0, 0.0]);
    assert_eq!(array![f32::NEG_INFINITY, 3.0].softmax(0).unwrap().to_vec(), [0.0, 1.0]);
    assert!(array![f32::NAN, 3.0].softmax(0).unwrap().to_vec().iter().all(|x| x.is_nan()));
    let half = array![f16::from_f32(1.0), f16::from_f32(1.0)];
    assert_eq!(half.softmax(0).unwrap().to_vec(), [f16::from_f32(0.5); 2]);
    softmax_of_halves(f16::from_f32);
    softmax_of_halves(bf16::from_f32);
}

/// That in `f32`, rounded once.
fn softmax_of_halves<T: Float<Compute = f32> + Debug>(of: fn(f32) -> T)
where
    f32: zerostride::CastTo<T>,
{
    for shape in [[1, 5], [7, 8], [3, 1000], [40, 70], [2000, 90]] {
        let x = Array2::from_fn(shape, |[i, j]| of(((i * 7 + j * 13) % 61) as f32 * 0.37 - 9.0));
        let (wide, t) = (x.cast::<f32>().eval().unwrap(), x.t().to_owned());
        let same = |got: Result<Array2<T>, zerostride::Error>,
                    want: Result<Array2<f32>, zerostride::Error>| {
            assert_eq!(got.unwrap(), want.unwrap().cast::<T>().eval().unwrap(), "{shape:?}");
        };
        for axis in 0..2 {
            same(x.softmax(axis), wide.softmax(axis));
            same(x.log_softmax(axis), wide.log_softmax(axis));
            same(t.t().softmax(axis), wide.softmax(axis));
            same((&x * T::one()).softmax(axis), wide.softmax(axis));
        }
        same(x.softmax(..), wide.softmax(..));
    }
}

/// Compares an array with the naive one.
fn check<U: Element + PartialEq + Debug>(
    report: &mut Report,
    row: String,
    got: ArrayD<U>,
    want: &Naive<U>,
) {
    let got = Naive { shape: got.shape().to_vec(), data: got.to_vec() };
    let problem = (got.shape != want.shape || got.data != want.data)
        .then(|| format!("{got:?}, want {want:?}"));
    report.row(row, problem);
}

#[test]
fn sorting_and_what_it_is_good_for() {
    let mut report = Report::new("sorting");
    in_pool(|| {
        through_layouts::<f64>(0, |held, values, axis, _| {
            let view = held.view();
            let row = |what: &str| format!("{what} of {held} along {axis}");
            let sorted = |x: &[f64]| {
                let mut x = x.to_vec();
                x.sort_by(f64::total_cmp);
                x
            };
            check(
                &mut report,
                row("sort"),
                view.sort(axis).unwrap(),
                &each_lane(values, axis, sorted),
            );
            let order = |x: &[f64], down: bool| {
                let mut order: Vec<usize> = (0..x.len()).collect();
                order.sort_by(
                    |&a, &b| if down { x[b].total_cmp(&x[a]) } else { x[a].total_cmp(&x[b]) },
                );
                order
            };
            let ascending = |x: &[f64]| order(x, false);
            check(
                &mut report,
                row("argsort"),
                view.argsort(axis).unwrap(),
                &each_lane(values, axis, ascending),
            );
            let k = values.shape[axis].div_ceil(2);
            let (largest, indices) = view.top_k(axis, k).unwrap();
            let first = |x: &[f64]| order(x, true)[..k].to_vec();
            check(&mut report, row("top_k"), indices, &each_lane(values, axis, first));
            let first = |x: &[f64]| first(x).iter().map(|&i| x[i]).collect();
            check(&mut report, row("top_k"), largest, &each_lane(values, axis, first));
            for q in [0.0, 0.3, 0.5, 1.0] {
                let between = |x: &[f64]| {
                    let (x, place) = (sorted(x), q * (x.len() - 1) as f64);
                    let (low, high) = (x[place.floor() as usize], x[place.ceil() as usize]);
                    vec![if low == high { low } else { low + (high - low) * place.fract() }]
                };
                let mut want = each_lane(values, axis, between);
                want.shape.remove(axis);
                let got = view.quantile_axis(axis, q).unwrap();
                let near = |got: f64, want: f64| (got - want).abs() <= 1e-15 * want.abs().max(1.0);
                let all_near =
                    got.to_vec().iter().zip(&want.data).all(|(&got, &want)| near(got, want));
                report.holds(row("quantile"), got.shape() == want.shape && all_near);
                let all = between(&values.data)[0];
                report.holds(row("quantile of all"), near(view.quantile(q).unwrap(), all));
            }
            let differences = |x: &[f64]| x.windows(2).map(|pair| pair[1] - pair[0]).collect();
            if values.shape[axis] > 1 {
                check(
                    &mut report,
                    row("diff"),
                    view.diff(axis).unwrap(),
                    &each_lane(values, axis, differences),
                );
            }
            let digits = |x: &[f64]| vec![x.iter().fold(1.0, |sum, x| sum / 2.0 + x)];
            let mut want = each_lane(values, axis, digits);
            want.shape.remove(axis);
            let folded = view.fold_axis(axis, 1.0, |sum, x| sum / 2.0 + x).unwrap();
            check(&mut report, row("fold_axis"), folded, &want);
            report.equal(
                row("fold"),
                view.fold(1.0, |sum, x| sum / 2.0 + x).unwrap(),
                digits(&values.data)[0],
            );
            let mut different = sorted(&values.data);
            different.dedup();
            let (got, counts) = view.unique().unwrap();
            report.equal(row("unique"), got.to_vec(), different);
            report.equal(row("counts"), counts.sum().unwrap(), values.data.len());
            let (counts, edges) = view.histogram(5, -3.0, 4.5).unwrap();
            let edges = edges.to_vec();
            let bin = |i: usize| {
                let inside = |x: &&f64| {
                    **x >= edges[i] && (**x < edges[i + 1] || (i == 4 && **x <= edges[5]))
                };
                values.data.iter().filter(inside).count()
            };
            report.equal(row("histogram"), counts.to_vec(), (0..5).map(bin).collect());
        });
    });
    report.finish(2000);
}

/// Arrays of `len` elements in some order of the given ones, by one thread and by several: the
/// indices in ascending and in descending order, the elements and how often each occurs, by
/// insertion. `order` has NaN after all else, and zeros of either sign equal; `sorted` -0 before
/// +0.
fn orders<T: Ordered + Debug + 'static>(
    report: &mut Report,
    elements: &[T],
    order: impl Fn(T, T) -> Ordering,
    sorted: impl Fn(T, T) -> Ordering,
) {
    let name = std::any::type_name::<T>();
    for len in [1, 2, 3, 7, 20, 31, 32, 33, 100, 1000] {
        let x: Vec<T> =
            (0..len).map(|i| elements[(i * i * 7 + i * 3 + len) % elements.len()]).collect();
        let indices = |order: &dyn Fn(T, T) -> Ordering| {
            let mut indices: Vec<usize> = Vec::new();
            for i in 0..len {
                let below = |&&j: &&usize| order(x[j], x[i]).is_le();
                indices.insert(indices.iter().take_while(below).count(), i);
            }
            indices
        };
        let is_nan = |x: T| x.partial_cmp(&x).is_none();
        let ascending = indices(&order);
        let descending =
            indices(&|a, b| if is_nan(a) || is_nan(b) { order(a, b) } else { order(b, a) });
        let in_order: Vec<T> = indices(&sorted).into_iter().map(|i| x[i]).collect();
        let mut different: Vec<(T, usize)> = Vec::new();
        for &x in &in_order {
            match different.last_mut() {
                Some((last, count)) if order(*last, x).is_eq() => *count += 1,
                _ => different.push((x, 1)),
            }
        }
        // As text, which tells zeros apart, and not NaN.
        let text = |values: &[T]| format!("{values:?}");
        let array = Array1::from_vec(x.clone());
        // The same beside others, along the axis that is not the last.
        let columns = Array2::from_fn([len, 2], |[i, j]| x[if j == 0 { i } else { len - 1 - i }]);
        for exec in [Exec::new().parallel(false), Exec::new().grain(1)] {
            let row = |what: &str| format!("{what} of {len} {name}, {exec:?}");
            exec.install(|| {
                let got = array.argsort(0).unwrap().to_vec();
                report.equal(row("argsort"), got, ascending.clone());
                let got = array.sort(0).unwrap().to_vec();
                report.equal(row("sort"), text(&got), text(&in_order));
                let got = columns.sort(0).unwrap();
                report.equal(row("sort, columns"), text(&got.column(1).to_vec()), text(&in_order));
                let got = columns.argsort(0).unwrap().column(0).to_vec();
                report.equal(row("argsort, columns"), got, ascending.clone());
                for k in [1, len / 2, len] {
                    let (values, got) = array.top_k(0, k).unwrap();
                    let want: Vec<T> = descending[..k].iter().map(|&i| x[i]).collect();
                    report.equal(row("top_k"), got.to_vec(), descending[..k].to_vec());
                    report.equal(row("top_k"), text(&values.to_vec()), text(&want));
                }
                let (values, counts) = array.unique().unwrap();
                let (want, wanted): (Vec<T>, Vec<usize>) = different.iter().copied().unzip();
                report.equal(row("unique"), text(&values.to_vec()), text(&want));
                report.equal(row("counts"), counts.to_vec(), wanted);
            });
        }
    }
}

#[test]
fn orders_of_all_types() {
    let mut report = Report::new("orders");
    in_pool(|| {
        macro_rules! integers {
            ($($type:ident)*) => {$(
                let elements = [$type::MIN, 3, 0, $type::MAX, 1, 3, $type::MAX - 1, $type::MIN + 1, 7];
                orders(&mut report, &elements, |a, b| a.cmp(&b), |a, b| a.cmp(&b));
            )*};
        }
        integers! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize }
        orders(&mut report, &[true, false, true], |a, b| a.cmp(&b), |a, b| a.cmp(&b));
        macro_rules! floats {
            ($($type:ident: |$x:ident| $narrow:expr;)*) => {$(
                let tiny = $type::from_bits(1);
                let elements = [
                    $type::NAN, -$type::NAN, $type::INFINITY, $type::NEG_INFINITY, $type::MAX,
                    $type::MIN, tiny, -tiny,
                ];
                let more = [0.0, -0.0, 1.0, -1.5, 2.25, 1.0, -0.0].map(|$x: f32| $narrow);
                let order = |a: $type, b: $type| {
                    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
                };
                let sorted = |a: $type, b: $type| {
                    let sign = |x: $type| if x.is_nan() { false } else { x.is_sign_positive() };
                    order(a, b).then(sign(a).cmp(&sign(b)))
                };
                orders(&mut report, &[&elements[..], &more].concat(), order, sorted);
            )*};
        }
        floats! {
            f32: |x| x;
            f64: |x| x.into();
            f16: |x| f16::from_f32(x);
            bf16: |x| bf16::from_f32(x);
        }
    });
    report.finish(3600);
}

/// The median of zeros is the one in the middle, -0 below +0, whatever the order in memory; and
/// sorting keeps the bits of all elements.
#[test]
fn signs_and_bits_are_kept() {
    for (values, want) in [([-0.0_f64, 0.0, 0.0], 0.0_f64), ([0.0, -0.0, -0.0], -0.0)] {
        for turn in 0..3 {
            let x = Array1::from_fn(3, |[i]| values[(i + turn) % 3]);
            assert_eq!(x.median().unwrap().to_bits(), want.to_bits(), "{x:?}");
        }
    }
    let nans = [0x7ff8_0000_0000_0001, 0xfff0_0000_0000_0001, 0x7fff_ffff_ffff_ffff, u64::MAX];
    let x = Array1::from_fn(5, |[i]| nans.get(i).map_or(1.0, |&bits| f64::from_bits(bits)));
    let mut got: Vec<u64> = x.sort(0).unwrap().iter().map(|x| x.to_bits()).collect();
    assert_eq!(got.remove(0), 1_f64.to_bits());
    got.sort();
    assert_eq!(got, [nans[0], nans[2], nans[1], nans[3]]);
}

/// Masks of few elements and of many, also such as several threads take, by a filter.
#[test]
fn elements_by_masks() {
    let mut report = Report::new("masks");
    in_pool(|| {
        for len in [0, 1, 5, 254, 255, 256, 600, 16_383, 16_384, 16_385, 40_000] {
            for (name, every) in [("none", 0), ("all", 1), ("every third", 3), ("few", 5000)] {
                let chosen = |i: usize| every > 0 && i.is_multiple_of(every);
                let x = Array1::from_fn(len, |[i]| i as u32);
                let mask = Array1::from_fn(len, |[i]| chosen(i));
                let want: Vec<u32> = (0..len).filter(|&i| chosen(i)).map(|i| i as u32).collect();
                for exec in [Exec::new().parallel(false), Exec::new().grain(1)] {
                    let got = exec.install(|| x.compress(&mask)).unwrap().to_vec();
                    report.equal(format!("{name} of {len}, {exec:?}"), got, want.clone());
                }
                let columns = Array2::from_fn([len, 2], |[i, j]| (i + j) as u32);
                let got = columns.column(1).compress(mask.map(|is| !is)).unwrap().to_vec();
                let want: Vec<u32> =
                    (0..len).filter(|&i| !chosen(i)).map(|i| i as u32 + 1).collect();
                report.equal(format!("all but {name} of a column of {len}"), got, want);
            }
        }
    });
    report.finish(120);
}

/// Lanes of expressions, few and many, in either order of memory, as those of the same array.
#[test]
fn lanes_of_expressions() {
    let mut report = Report::new("lanes of expressions");
    for shape in [[1, 1], [3, 4], [5, 1], [90, 110]] {
        let x = Array2::from_fn(shape, |[i, j]| ((i * 37 + j * 11) % 23) as f64 - 7.0);
        let y = Array2::from_fn([shape[1], shape[0]], |[j, i]| ((i + j) % 5) as f64);
        let row = Array1::from_fn(shape[1], |[j]| (j % 3) as f64);
        macro_rules! each {
            ($($name:literal: $expression:expr;)*) => {$(
                let name = $name;
                let computed = $expression.eval().unwrap();
                let array = Array2::from_fn(shape, |index| computed[index]);
                for axis in [0, 1] {
                    let row = |what: &str| format!("{what} of {name}, {shape:?} along {axis}");
                    let sorted = $expression.sort(axis).unwrap();
                    report.equal(row("sort"), sorted, array.sort(axis).unwrap());
                    let order = $expression.argsort(axis).unwrap();
                    report.equal(row("argsort"), order, array.argsort(axis).unwrap());
                    let medians = $expression.median_axis(axis).unwrap();
                    report.equal(row("median"), medians, array.median_axis(axis).unwrap());
                    let sums = $expression.cumsum(axis).unwrap();
                    report.equal(row("cumsum"), sums, array.cumsum(axis).unwrap());
                    let folded = $expression.fold_axis(axis, 1.0, |a, x| a / 2.0 + x).unwrap();
                    let want = array.fold_axis(axis, 1.0, |a, x| a / 2.0 + x).unwrap();
                    report.equal(row("fold_axis"), folded, want);
                    report.holds(row("no such axis"), $expression.sort(2).is_err());
                }
                let chosen = $expression.compress(array.map(|x| x > 2.0)).unwrap().to_vec();
                let want: Vec<f64> = array.iter().copied().filter(|&x| x > 2.0).collect();
                report.equal(format!("compress of {name}, {shape:?}"), chosen, want);
            )*};
        }
        each! {
            "alike": (&x * 2.0);
            "transposed": (y.t() + 1.0);
            "both": (&x + y.t());
            "along": (&x - row.along([1]));
        }
    }
    report.finish(200);
}

/// Every method of quantiles by its definition, in integers as far as that goes: numbers count from
/// 1, and `q` is `k / 16`.
#[test]
fn methods_of_quantiles() {
    use QuantileMethod::*;
    let mut report = Report::new("methods of quantiles");
    for n in 1..=17_i64 {
        // Shuffled; the element of number `i` is the square of `i`.
        let element = |number: i64| (number.clamp(1, n) as f64).powi(2);
        let x = Array1::from_fn(n as usize, |[i]| element((i as i64 * 19 + 5) % n + 1));
        let matrix = Array2::from_fn([n as usize, 3], |[i, j]| x[[i]] * [1.0, -0.0, 1.0][j]);
        for k in 0..=16 {
            let q = k as f64 / 16.0;
            // The place times 16, then what a place between two elements becomes.
            let whole = |place: i64| (place.div_euclid(16), place.rem_euclid(16));
            let (low, part) = whole(16 + (n - 1) * k);
            let (count, rest) = whole(n * k);
            let between = |place: f64| {
                let (low, part) = (place.floor(), place - place.floor());
                element(low as i64) * (1.0 - part) + element(low as i64 + 1) * part
            };
            let middle = |number: i64| (element(number) + element(number + 1)) / 2.0;
            let place = n as f64 * q;
            let wants = [
                (Linear, between((low as f64) + part as f64 / 16.0)),
                (Lower, element(low)),
                (Higher, element(low + i64::from(part > 0))),
                (Midpoint, if part > 0 { middle(low) } else { element(low) }),
                // Numbers that are even from 0.
                (Nearest, element(low + i64::from(part > 8 || (part == 8 && low % 2 == 0)))),
                (InvertedCdf, element(count + i64::from(rest > 0))),
                (AveragedInvertedCdf, if rest > 0 { element(count + 1) } else { middle(count) }),
                (
                    ClosestObservation,
                    element(count + i64::from(rest > 8 || (rest == 8 && count % 2 == 1))),
                ),
                (InterpolatedInvertedCdf, between(place)),
                (Hazen, between(place + 0.5)),
                (Weibull, between(place + q)),
                (MedianUnbiased, between(place + (q + 1.0) / 3.0)),
                (NormalUnbiased, between(place + q / 4.0 + 3.0 / 8.0)),
            ];
            for (method, want) in wants {
                let want = want.clamp(element(1), element(n));
                let near = |got: f64| (got - want).abs() <= 1e-12 * want;
                let got = x.quantile_by(q, method).unwrap();
                report.row(
                    format!("{method:?} {q} of {n}"),
                    (!near(got)).then(|| format!("{got}, want {want}")),
                );
                let all = matrix.quantile_axis_by(0, q, method).unwrap().to_vec();
                report
                    .holds(format!("{method:?} {q} of {n} along an axis"), all == [got, 0.0, got]);
            }
        }
    }
    report.finish(7000);
}

/// A quantile of finite or equal numbers is finite or that number, and lies between its neighbours.
#[test]
fn quantiles_of_extremes() {
    let (inf, max) = (f64::INFINITY, f64::MAX);
    let mut report = Report::new("quantiles of extremes");
    let rows: &[([f64; 2], f64, f64)] = &[
        ([-inf, 1.0], 0.5, -inf),
        ([-inf, 1.0], 0.75, -inf),
        ([-inf, 1.0], 1.0, 1.0),
        ([-inf, 1.0], 0.0, -inf),
        ([-inf, 1e308], 0.01, -inf),
        ([-1e308, inf], 0.99, inf),
        ([1.0, inf], 0.5, inf),
        ([1.0, inf], 0.0, 1.0),
        ([inf, inf], 0.3, inf),
        ([-inf, -inf], 0.7, -inf),
        ([-1.7e308, 1.7e308], 0.5, 0.0),
        ([-max, max], 0.25, -max / 2.0),
        ([-max, max], 0.75, max / 2.0),
        ([max, max], 0.9, max),
        ([0.1, 0.1], 0.7, 0.1),
        ([5e-324, 1e-323], 0.25, 5e-324),
    ];
    for &(values, q, want) in rows {
        report.equal(
            format!("{q} of {values:?}"),
            Array1::from_vec(values.to_vec()).quantile(q).unwrap(),
            want,
        );
        let both = Array2::from_fn([2, 2], |[i, j]| values[(i + j) % 2]);
        report.equal(
            format!("{q} of {values:?}, axis"),
            both.quantile_axis(0, q).unwrap().to_vec(),
            vec![want; 2],
        );
    }
    report.holds("both infinities", array![-inf, inf].median().unwrap().is_nan());
    report.equal("the ends of both infinities", array![-inf, inf].quantile(1.0).unwrap(), inf);
    report.equal("f32", array![-3e38_f32, 3e38].median().unwrap(), 0.0);
    report.equal("f16", array![f16::MIN, f16::MAX].median().unwrap(), f16::ZERO);
    for part in 0..=100 {
        let (q, low, high) = (f64::from(part) / 100.0, 0.1, 0.1_f64.next_up());
        let got = array![low, high].quantile(q).unwrap();
        report.row(
            format!("{q} of neighbours"),
            (got < low || got > high).then(|| format!("{got:e}")),
        );
    }
    let nan = array![1.0, -f64::NAN].median().unwrap();
    report.equal("the bits of NaN", nan.to_bits(), f64::NAN.to_bits());
    report.finish(100);
}

#[test]
fn corners() {
    let nan = f64::NAN;
    assert_eq!(array![nan, 2.0, -0.0, 1.0].argsort(0).unwrap().to_vec(), [2, 3, 1, 0]);
    assert!(array![nan, 2.0].median().unwrap().is_nan());
    assert_eq!(
        array![[1_u8, 4], [3, 2]].cast::<f64>().median_axis(0).unwrap().to_vec(),
        [2.0, 3.0]
    );
    assert_eq!(array![f64::INFINITY, f64::INFINITY].median().unwrap(), f64::INFINITY);
    let (values, counts) = array![nan, 1.0, nan].unique().unwrap();
    assert!(values[0] == 1.0 && values[1].is_nan() && counts.to_vec() == [1, 2]);
    let empty = Array2::<f64>::zeros([0, 3]);
    assert!(matches!(
        empty.median_axis(0).unwrap_err().kind(),
        ErrorKind::NoElements { op: "quantile", .. }
    ));
    assert_eq!(empty.sort(1).unwrap().shape(), [0, 3]);
    assert_eq!(empty.diff(0).unwrap().shape(), [0, 3]);
    assert!(matches!(
        empty.top_k(0, 1).unwrap_err().kind(),
        ErrorKind::TooFewAlongAxis { wanted: 1, .. }
    ));
    assert!(matches!(array![1.0].quantile(1.5).unwrap_err().kind(), ErrorKind::Quantile { .. }));
    assert!(matches!(
        array![1.0].histogram(0, 0.0, 1.0).unwrap_err().kind(),
        ErrorKind::Histogram { bins: 0, .. }
    ));
    // More bins than there is memory for.
    assert!(array![1.0].histogram(usize::MAX, 0.0, 1.0).is_err());
    // More elements than there is memory for, though the view has one.
    let one = array![1.0];
    let endless = one.broadcast_in_dim([1 << 50], [0]).unwrap();
    assert!(endless.sort(0).is_err() && endless.median().is_err() && endless.cumsum(0).is_err());
    assert!(
        endless.softmax(0).is_err()
            && endless.unique().is_err()
            && endless.fold(0.0, |a, x| a + x).is_err()
    );
    assert!(
        array![1.0].histogram(3, 1.0, 1.0).is_err() && array![1.0].histogram(3, 0.0, nan).is_err()
    );
    assert!(array![1.0].sort(1).is_err());
}

/// A number belongs to the bin whose ends it lies between, by the ends as they are given: at an end
/// and just below it, where a division by the width is rounded to either side.
#[test]
fn histograms_at_the_ends_of_bins() {
    let mut report = Report::new("ends of bins");
    for (low, high) in [(0.0, 1.0), (0.1, 0.7), (-0.3, 1.1), (1e300, 1.5e308), (-8e307, 8e307)] {
        for bins in 1..60 {
            let ends = array![0.0].histogram(bins, low, high).unwrap().1.to_vec();
            // Equal parts, to the last places.
            let end = |i: usize| {
                let part = i as f64 / bins as f64;
                low * (1.0 - part) + high * part
            };
            let near = |i: usize| (ends[i] - end(i)).abs() <= 4e-15 * low.abs().max(high);
            report.holds(
                format!("ends of {bins} bins from {low} to {high}"),
                ends.len() == bins + 1 && ends[bins] == high && (0..bins).all(near),
            );
            let beside = |end: &f64| [end.next_down(), *end, end.next_up()];
            let outside = [f64::NAN, f64::INFINITY, f64::MAX, low - 1.0, high + 1.0, -0.0, 5e-324];
            let outside = outside.into_iter().flat_map(|x| [x, -x]);
            let values = ends.iter().flat_map(beside).chain(outside);
            let values = Array1::from_vec(values.collect());
            let bin = |i: usize| {
                let below = |x: f64| x < ends[i + 1] || (i + 1 == bins && x == high);
                values.iter().filter(|&&x| x >= ends[i] && below(x)).count()
            };
            let counts = values.histogram(bins, low, high).unwrap().0.to_vec();
            report.equal(
                format!("{bins} bins from {low} to {high}"),
                counts,
                (0..bins).map(bin).collect(),
            );
        }
    }
    report.finish(590);
    // The distance of the ends is to be a number.
    let (most, x) = (f64::MAX, array![1.0]);
    for (low, high) in [(-most, most), (0.0, f64::INFINITY), (-1e308, 1e308), (2.0, 1.0)] {
        let error = x.histogram(4, low, high).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Histogram { bins: 4, .. }), "{error}");
    }
}

fn softmax(
    x: zerostride::View<'_, f64, zerostride::Dyn>,
    axis: usize,
    logarithm: bool,
) -> Result<zerostride::Array<f64, zerostride::Dyn>, zerostride::Error> {
    if logarithm { x.log_softmax(axis) } else { x.softmax(axis) }
}

/// Few lanes and many, side by side and one after the other, of few elements and of many: each way
/// in which scans and folds go along them.
#[test]
fn few_and_many_lanes() {
    let mut report = Report::new("few and many lanes");
    let shapes: [&[usize]; 11] = [
        &[1],
        &[513],
        &[4, 3],
        &[3, 17],
        &[20, 20],
        &[30, 40],
        &[300, 5],
        &[9, 100],
        &[5, 3, 7],
        &[2, 9, 33],
        &[1000, 3],
    ];
    for shape in shapes {
        let source = Naive::numbered(shape, |number| (number * 37 % 101) as i32 - 50);
        let array = ArrayD::from_shape_vec(shape, source.data.clone()).unwrap();
        for axis in 0..shape.len() {
            let row = |what: &str| format!("{what} of {shape:?} along {axis}");
            let sums = |lane: &[i32]| -> Vec<i32> {
                lane.iter()
                    .scan(0, |sum, x| {
                        *sum += x;
                        Some(*sum)
                    })
                    .collect()
            };
            let want = each_lane(&source, axis, sums);
            check(&mut report, row("cumsum"), array.cumsum(axis).unwrap(), &want);
            let weigh = |all: i32, x: i32| all.wrapping_mul(31).wrapping_add(x);
            let folded = |lane: &[i32]| vec![lane.iter().fold(7, |all, &x| weigh(all, x))];
            let mut want = each_lane(&source, axis, folded);
            want.shape.remove(axis);
            let got = array.fold_axis(axis, 7, weigh).unwrap();
            check(&mut report, row("fold_axis"), got, &want);
            let exec = Exec::new().grain(1);
            let got = in_pool(|| exec.install(|| array.fold_axis(axis, 7, weigh))).unwrap();
            check(&mut report, row("fold_axis by threads"), got, &want);
            // The error is that of the first sum in memory that does not fit.
            if shape[axis] > 2 {
                let large = array.mapv(|x| if x % 2 == 0 { 120_i8 } else { 9 });
                let wide = large.cast::<i64>().cumsum(axis).unwrap();
                let want = wide.iter().find(|sum| **sum > 127).map(|sum| i128::from(*sum));
                let value = large.cumsum(axis).err().and_then(|error| match error.kind() {
                    ErrorKind::ReductionOverflow { value, .. } => *value,
                    _ => None,
                });
                report.equal(row("what does not fit"), value, want);
            }
        }
    }
    report.finish(70);
}
