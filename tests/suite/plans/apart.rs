//! Reductions of matrices whose rows lie apart: against the same of a copy without gaps, which goes
//! by other kernels.

use conformance::support::execs::{Ways, in_pool};
use std::sync::atomic::{AtomicUsize, Ordering};
use zerostride::prelude::*;
use zerostride::{Complex, Element, View2, f16};

/// Irregular, so that another order of additions shows; with equal elements.
fn at(i: usize, k: usize) -> f64 {
    ((i * 7919 + k * 104_729) % 997) as f64 / 97.0 - 4.0
}

/// A larger matrix and a part of it with so many rows and columns: the first columns, the last ones
/// or every second row, backwards.
fn larger<T: Element>(number: usize, r: usize, c: usize, value: fn(f64) -> T) -> Array2<T> {
    match number % 3 {
        2 => Array2::from_fn([2 * r, c], |[i, k]| value(at(r - 1 - i / 2, k))),
        _ => Array2::from_fn([r, c + 5], |[i, k]| value(at(i, k))),
    }
}

fn part<T: Element>(whole: &Array2<T>, number: usize, c: usize) -> View2<'_, T> {
    let part = match number % 3 {
        0 => whole.slice(s![.., ..c]),
        1 => whole.slice(s![.., 5..]),
        _ => whole.slice(s![..;-2, ..]),
    };
    part.expect("a part")
}

/// Few rows and many; of less than a vector, some, as many as are copied and more, and more than a
/// block has.
const ROWS: [usize; 7] = [1, 2, 7, 16, 41, 100, 300];
const COLUMNS: [usize; 14] = [1, 2, 3, 15, 16, 17, 31, 48, 100, 255, 256, 257, 700, 5000];

/// All reductions of a matrix and of a copy, as numbers.
macro_rules! found {
    ($x:expr) => {{
        let x = $x;
        let y = x * 2.0;
        let mut all = vec![
            x.sum()?,
            x.max()?,
            x.mean()?,
            (y - x).square().sum()?,
            x.var(0.0)?,
            x.argmin()? as f64,
        ];
        all.extend(x.sum_axis(1)?.iter());
        all.extend(x.max_axis(1)?.iter());
        all.extend(x.var_axis(1, 0.0)?.iter());
        all.extend((x * x).sum_axis(1)?.iter());
        all.extend(x.argmax_axis(1)?.iter().map(|&i| i as f64));
        all.extend(x.sum_axis(0)?.iter());
        all
    }};
}

#[test]
fn each_is_that_of_a_copy() {
    let mut failures = Vec::new();
    for (number, (r, c)) in ROWS.iter().flat_map(|&r| COLUMNS.map(move |c| (r, c))).enumerate() {
        let whole = larger(number, r, c, |x| x);
        let x = part(&whole, number, c);
        let copy = Array2::from_fn([r, c], |[i, k]| x[[i, k]]);
        let ways = if number % 9 == 0 { Ways::All } else { Ways::Turn(number) };
        for way in ways.list() {
            let both = || -> Result<_, zerostride::Error> { Ok((found!(x), found!(copy.view()))) };
            let (found, expected) = in_pool(|| way.0.install(both)).expect("it fits");
            let differ = |(a, b): &(&f64, &f64)| a.to_bits() != b.to_bits();
            if let Some((k, (a, b))) =
                found.iter().zip(&expected).enumerate().find(|(_, pair)| differ(pair))
            {
                failures.push(format!("{r} x {c}, {way}, number {k}: {a}, not {b}"));
            }
        }
    }
    assert!(failures.is_empty(), "{} failures: {:#?}", failures.len(), failures);
}

/// Elements of other sizes, and those whose sums are exact.
#[test]
fn of_other_types() {
    for (number, (r, c)) in [(5, 30), (40, 33), (90, 300), (300, 90)].into_iter().enumerate() {
        for way in Ways::All.list() {
            in_pool(|| {
                way.0.install(|| {
                    macro_rules! check {
                        ($type:ty, $value:expr) => {{
                            let whole = larger::<$type>(number, r, c, $value);
                            let x = part(&whole, number, c);
                            let copy = Array2::from_fn([r, c], |[i, k]| x[[i, k]]);
                            let name = stringify!($type);
                            assert_eq!(x.sum(), copy.sum(), "{name}, {r} x {c}, {way}");
                            let (found, expected) = (x.sum_axis(1), copy.sum_axis(1));
                            assert_eq!(found, expected, "{name}, {r} x {c}, {way}");
                        }};
                    }
                    check!(f32, |x| x as f32);
                    check!(f16, f16::from_f64);
                    check!(Complex<f64>, |x| Complex::new(x, 1.0 - x));
                    check!(i32, |x| (x * 100.0) as i32);
                    check!(i64, |x| (x * 1e6) as i64);
                    check!(u8, |x| u8::from(x > 3.9));
                });
            });
        }
    }
}

/// Several axes, of which the innermost lies apart, folded with the one before it and by itself.
#[test]
fn of_several_axes() {
    let whole = Array3::from_fn([6, 45, 90], |[i, j, k]| at(i * 41 + j, k));
    for columns in [40, 77] {
        let x = whole.slice(s![1.., 2..;2, 3..3 + columns]).expect("a part");
        let copy = x.to_owned();
        for way in Ways::All.list() {
            in_pool(|| {
                way.0.install(|| {
                    assert_eq!(x.sum(), copy.sum(), "{way}");
                    assert_eq!(x.var(0.0), copy.var(0.0), "{way}");
                    assert_eq!(x.sum_axis(2), copy.sum_axis(2), "{way}");
                    assert_eq!(x.sum_axis([1, 2]), copy.sum_axis([1, 2]), "{way}");
                    assert_eq!(x.sum_axis([0, 2]), copy.sum_axis([0, 2]), "{way}");
                    assert_eq!(x.max_axis([1, 2]), copy.max_axis([1, 2]), "{way}");
                });
            });
        }
    }
}

/// A closure is called once for each element, however many vectors they fill.
#[test]
fn closures_are_called_once() {
    for (r, c) in [(3, 17), (40, 70), (100, 100), (2, 700), (500, 300)] {
        let whole = Array2::from_fn([r, c + 2], |[i, k]| at(i, k));
        let x: View2<'_, f64> = whole.slice(s![.., 1..=c]).expect("a part");
        let copy = x.to_owned();
        let calls = AtomicUsize::new(0);
        let twice = |x: f64| {
            calls.fetch_add(1, Ordering::Relaxed);
            2.0 * x
        };
        assert_eq!(x.map(twice).sum(), copy.map(|x| 2.0 * x).sum(), "{r} x {c}");
        assert_eq!(calls.swap(0, Ordering::Relaxed), r * c, "{r} x {c}");
        assert_eq!(x.map(twice).sum_axis(1), copy.map(|x| 2.0 * x).sum_axis(1), "{r} x {c}");
        assert_eq!(calls.swap(0, Ordering::Relaxed), r * c, "{r} x {c}, along rows");
        assert_eq!(x.map(twice).sum_axis(0), copy.map(|x| 2.0 * x).sum_axis(0), "{r} x {c}");
        assert_eq!(calls.swap(0, Ordering::Relaxed), r * c, "{r} x {c}, down columns");
    }
}
