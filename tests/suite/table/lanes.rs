//! What goes along an axis: scans, softmax, sorting, quantiles, against definitions element by element, through all layouts.

use crate::support::execs::in_pool;
use crate::support::layouts::difference;
use crate::support::report::problem_of;
use crate::support::{Held, Recipe, Report, TestElement, Ways};
use conformance::naive::Naive;
use conformance::naive::scalar::Scalar;
use std::fmt::Debug;
use zerostride::prelude::*;
use zerostride::{ArrayD, CumMax, CumMin, CumProd, CumSum, Element, ErrorKind, Exec, Scan, bf16, f16};

/// Changes each lane along an axis.
fn each_lane<T: Scalar, U: Copy>(array: &Naive<T>, axis: usize, f: impl Fn(&[T]) -> Vec<U>) -> Naive<U> {
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
    Naive::from_fn(&shape, |index| f(&lane(index))[index[axis]])
}

const SHAPES: &[&[usize]] = &[&[1], &[37], &[3, 5], &[33, 70], &[6, 1, 9], &[4, 18, 3], &[2, 3, 2, 5]];

/// Runs `f` for each shape, axis and layout.
fn through_layouts<T: TestElement>(seed: usize, mut f: impl FnMut(&Held<T>, &Naive<T>, usize, usize)) {
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
    naive: fn(&[T]) -> Vec<U>,
) {
    through_layouts::<T>(name.len(), |held, values, axis, number| {
        let want = each_lane(values, axis, naive);
        for way in Ways::Turn(number).list() {
            let problem = problem_of(|| match way.0.install(|| held.view().scan(op, axis)) {
                Ok(got) => {
                    difference(&Naive { shape: got.shape().to_vec(), data: got.to_vec() }, &want, |a, b| a.same(b))
                }
                Err(error) => Some(error.to_string()),
            });
            report.row(format!("{name} of {} {held} along {axis}, {way}", std::any::type_name::<T>()), problem);
        }
    });
}

/// What has come of the elements up to each.
fn running<T: Copy, A: Copy, U>(values: &[T], start: A, step: impl Fn(A, T) -> A, output: impl Fn(A) -> U) -> Vec<U> {
    let mut carry = start;
    let go_on = |&value: &T| {
        carry = step(carry, value);
        output(carry)
    };
    values.iter().map(go_on).collect()
}

#[test]
fn scans() {
    let mut report = Report::new("scans");
    in_pool(|| {
        macro_rules! integers {
            ($($type:ident => $sum:ident;)*) => {$(
                scan::<$type, $sum, _>(&mut report, "cumsum", CumSum, |x| running(x, 0, |a: $sum, x| a + x as $sum, |a| a));
                scan::<$type, $type, _>(&mut report, "cummax", CumMax, |x| running(x, $type::MIN, |a: $type, x| a.max(x), |a| a));
                scan::<$type, $type, _>(&mut report, "cummin", CumMin, |x| running(x, $type::MAX, |a: $type, x| a.min(x), |a| a));
            )*};
        }
        integers! { i8 => i64; i16 => i64; i32 => i64; i64 => i64; u8 => u64; u16 => u64; u32 => u64; u64 => u64; }
        scan::<f32, f32, _>(&mut report, "cumsum", CumSum, |x| running(x, 0.0, |a: f32, x| a + x, |a| a));
        scan::<f64, f64, _>(&mut report, "cumsum", CumSum, |x| running(x, 0.0, |a: f64, x| a + x, |a| a));
        scan::<f16, f16, _>(&mut report, "cumsum", CumSum, |x| {
            running(x, 0.0, |a: f32, x| a + x.to_f32(), f16::from_f32)
        });
        scan::<bf16, bf16, _>(&mut report, "cumsum", CumSum, |x| {
            running(x, 0.0, |a: f32, x| a + x.to_f32(), bf16::from_f32)
        });
        scan::<f64, f64, _>(&mut report, "cumprod", CumProd, |x| running(x, 1.0, |a: f64, x| a * x, |a| a));
        scan::<f32, f32, _>(&mut report, "cummax", CumMax, |x| running(x, f32::NEG_INFINITY, f32::max, |a| a));
    });
    report.finish(1500);
    // NaN stays; integers that no longer fit are an error.
    let nan = array![1.0, f64::NAN, 2.0].cummax(0).unwrap().to_vec();
    assert!(nan[0] == 1.0 && nan[1].is_nan() && nan[2].is_nan());
    let overflow = array![i64::MAX, 1].cumsum(0).unwrap_err();
    assert!(matches!(overflow.kind(), ErrorKind::ReductionOverflow { op: "cumsum", .. }), "{overflow}");
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
                    x.iter().map(|x| if logarithm { x - max - sum.ln() } else { (x - max).exp() / sum }).collect()
                });
                let row_major = Held::new(values, &Recipe::c(values.shape.len()));
                let plain = Exec::new().parallel(false);
                let reference = plain.install(|| softmax(row_major.view(), axis, logarithm)).unwrap();
                for way in Ways::Turn(number).list() {
                    let problem = problem_of(|| match way.0.install(|| softmax(held.view(), axis, logarithm)) {
                        Ok(got) if got != reference => Some("differs from the row-major one".to_owned()),
                        Ok(got) => {
                            difference(&Naive { shape: got.shape().to_vec(), data: got.to_vec() }, &want, |a, b| {
                                (a - b).abs() <= 1e-14 * (1.0 + b.abs())
                            })
                        }
                        Err(error) => Some(error.to_string()),
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
}

/// Compares an array with the naive one.
fn check<U: Element + PartialEq + Debug>(report: &mut Report, row: String, got: ArrayD<U>, want: &Naive<U>) {
    let got = Naive { shape: got.shape().to_vec(), data: got.to_vec() };
    let problem = (got.shape != want.shape || got.data != want.data).then(|| format!("{got:?}, want {want:?}"));
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
            check(&mut report, row("sort"), view.sort(axis).unwrap(), &each_lane(values, axis, sorted));
            let order = |x: &[f64], down: bool| {
                let mut order: Vec<usize> = (0..x.len()).collect();
                order.sort_by(|&a, &b| if down { x[b].total_cmp(&x[a]) } else { x[a].total_cmp(&x[b]) });
                order
            };
            let ascending = |x: &[f64]| order(x, false);
            check(&mut report, row("argsort"), view.argsort(axis).unwrap(), &each_lane(values, axis, ascending));
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
                check(&mut report, row("quantile"), view.quantile_axis(axis, q).unwrap(), &want);
                let all = between(&values.data)[0];
                report.equal(row("quantile of all"), view.quantile(q).unwrap(), all);
            }
            let differences = |x: &[f64]| x.windows(2).map(|pair| pair[1] - pair[0]).collect();
            if values.shape[axis] > 1 {
                check(&mut report, row("diff"), view.diff(axis).unwrap(), &each_lane(values, axis, differences));
            }
            let digits = |x: &[f64]| vec![x.iter().fold(1.0, |sum, x| sum / 2.0 + x)];
            let mut want = each_lane(values, axis, digits);
            want.shape.remove(axis);
            let folded = view.fold_axis(axis, 1.0, |sum, x| sum / 2.0 + x).unwrap();
            check(&mut report, row("fold_axis"), folded, &want);
            report.equal(row("fold"), view.fold(1.0, |sum, x| sum / 2.0 + x).unwrap(), digits(&values.data)[0]);
            let mut different = sorted(&values.data);
            different.dedup();
            let (got, counts) = view.unique().unwrap();
            report.equal(row("unique"), got.to_vec(), different);
            report.equal(row("counts"), counts.sum().unwrap(), values.data.len());
            let (counts, edges) = view.histogram(5, -3.0, 4.5).unwrap();
            let edges = edges.to_vec();
            let bin = |i: usize| {
                let inside = |x: &&f64| **x >= edges[i] && (**x < edges[i + 1] || (i == 4 && **x <= edges[5]));
                values.data.iter().filter(inside).count()
            };
            report.equal(row("histogram"), counts.to_vec(), (0..5).map(bin).collect());
        });
    });
    report.finish(2000);
}

#[test]
fn corners() {
    let nan = f64::NAN;
    assert_eq!(array![nan, 2.0, -0.0, 1.0].argsort(0).unwrap().to_vec(), [2, 3, 1, 0]);
    assert!(array![nan, 2.0].median().unwrap().is_nan());
    assert_eq!(array![[1_u8, 4], [3, 2]].median_axis(0).unwrap().to_vec(), [2.0, 3.0]);
    assert_eq!(array![f64::INFINITY, f64::INFINITY].median().unwrap(), f64::INFINITY);
    let (values, counts) = array![nan, 1.0, nan].unique().unwrap();
    assert!(values[0] == 1.0 && values[1].is_nan() && counts.to_vec() == [1, 2]);
    let empty = Array2::<f64>::zeros([0, 3]);
    assert!(matches!(empty.median_axis(0).unwrap_err().kind(), ErrorKind::NoElements { op: "quantile", .. }));
    assert_eq!(empty.sort(1).unwrap().shape(), [0, 3]);
    assert_eq!(empty.diff(0).unwrap().shape(), [0, 3]);
    assert!(matches!(empty.top_k(0, 1).unwrap_err().kind(), ErrorKind::TooFewAlongAxis { wanted: 1, .. }));
    assert!(matches!(array![1.0].quantile(1.5).unwrap_err().kind(), ErrorKind::Quantile { .. }));
    assert!(matches!(array![1.0].histogram(0, 0.0, 1.0).unwrap_err().kind(), ErrorKind::Histogram { bins: 0, .. }));
    // More bins than there is memory for.
    assert!(array![1.0].histogram(usize::MAX, 0.0, 1.0).is_err());
    // More elements than there is memory for, though the view has one.
    let one = array![1.0];
    let endless = one.broadcast_in_dim([1 << 50], [0]).unwrap();
    assert!(endless.sort(0).is_err() && endless.median().is_err() && endless.cumsum(0).is_err());
    assert!(endless.softmax(0).is_err() && endless.unique().is_err() && endless.fold(0.0, |a, x| a + x).is_err());
    assert!(array![1.0].histogram(3, 1.0, 1.0).is_err() && array![1.0].histogram(3, 0.0, nan).is_err());
    assert!(array![1.0].sort(1).is_err());
}

fn softmax(
    x: zerostride::View<'_, f64, zerostride::Dyn>,
    axis: usize,
    logarithm: bool,
) -> Result<zerostride::Array<f64, zerostride::Dyn>, zerostride::Error> {
    if logarithm { x.log_softmax(axis) } else { x.softmax(axis) }
}
