//! Reductions down the columns of a matrix, whose rows lie anywhere: each result against that of
//! its column as a vector, which goes by other kernels.

use conformance::support::execs::{Ways, in_pool};
use std::sync::atomic::{AtomicUsize, Ordering};
use zerostride::View2;
use zerostride::prelude::*;

/// Irregular, so that another order of additions shows; with equal elements.
fn at(i: usize, k: usize) -> f64 {
    ((i * 7919 + k * 104_729) % 997) as f64 / 97.0 - 4.0
}

/// The matrix as part of a larger one: its columns, or every second row, backwards.
fn within(number: usize, r: usize, c: usize) -> Array2<f64> {
    let part = match number % 3 {
        0 => Array2::from_fn([r, c + 3], |[i, k]| if k == 0 { f64::NAN } else { at(i, k - 1) })
            .slice_move(s![.., 1..=c]),
        1 => Array2::from_fn([2 * r, c + 1], |[i, k]| at(r - 1 - i / 2, k))
            .slice_move(s![..;-2, ..c]),
        _ => Array2::from_fn([r, c], |[i, k]| at(i, k)).slice_move(s![.., ..]),
    };
    part.expect("a part")
}

/// Rows for one round and parts of one, several rounds, and several stretches; columns for whole
/// vectors and others, one tile and several.
const ROWS: [usize; 15] = [1, 2, 3, 9, 15, 16, 17, 31, 33, 64, 65, 100, 255, 257, 530];
const COLUMNS: [usize; 8] = [15, 16, 17, 47, 64, 70, 128, 1100];

#[test]
fn each_is_that_of_its_column() {
    let mut failures = Vec::new();
    for (number, (r, c)) in ROWS.iter().flat_map(|&r| COLUMNS.map(move |c| (r, c))).enumerate() {
        let x = within(number, r, c);
        let weights = Array1::from_fn([c], |[k]| at(k, 3));
        let ways = if number % 7 == 0 { Ways::All } else { Ways::Turn(number) };
        for way in ways.list() {
            in_pool(|| {
                way.0.install(|| {
                    let sum = x.sum_axis(0).expect("it fits");
                    let weighted = (&x * weights.along([1])).sum_axis(0).expect("it fits");
                    let max = x.max_axis(0).expect("some");
                    let var = x.var_axis(0, 0.0).expect("some");
                    let place = (&x * -1.0).argmax_axis(0).expect("some");
                    for k in 0..c {
                        let one = Array1::from_fn([r], |[i]| x[[i, k]]);
                        let expected = [
                            one.sum().expect("it fits"),
                            (&one * weights[k]).sum().expect("it fits"),
                            one.max().expect("some"),
                            one.var(0.0).expect("some"),
                            one.argmin().expect("some") as f64,
                        ];
                        let found = [sum[k], weighted[k], max[k], var[k], place[k] as f64];
                        if found.map(f64::to_bits) != expected.map(f64::to_bits) {
                            failures.push(format!(
                                "{r} x {c}, {way}, column {k}: {found:?}, not {expected:?}"
                            ));
                            return;
                        }
                    }
                });
            });
        }
    }
    assert!(
        failures.is_empty(),
        "{} failures: {:#?}",
        failures.len(),
        &failures[..failures.len().min(20)]
    );
}

/// Several axes of which some are folded, with a part of each, and a leading axis of results.
#[test]
fn of_several_axes() {
    let whole = Array3::from_fn([5, 40, 90], |[i, j, k]| at(i * 41 + j, k));
    let x = whole.slice(s![1.., 2..;2, 3..80]).expect("a part");
    for way in Ways::All.list() {
        in_pool(|| {
            way.0.install(|| {
                let rows = x.sum_axis(1).expect("it fits");
                let both = x.sum_axis([0, 1]).expect("it fits");
                for k in 0..x.shape()[2] {
                    for i in 0..x.shape()[0] {
                        let one = Array1::from_fn([x.shape()[1]], |[j]| x[[i, j, k]]);
                        assert_eq!(rows[[i, k]], one.sum().expect("it fits"), "{way}, {i}, {k}");
                    }
                    let all = Array2::from_fn([x.shape()[0], x.shape()[1]], |[i, j]| x[[i, j, k]]);
                    assert_eq!(both[k], all.sum().expect("it fits"), "{way}, {k}");
                }
            });
        });
    }
}

/// A closure is called once for each element, however many vectors they fill.
#[test]
fn closures_are_called_once() {
    for (r, c) in [(3, 17), (16, 40), (40, 70), (70, 100), (300, 65)] {
        let whole = Array2::from_fn([r, c + 2], |[i, k]| at(i, k));
        let x: View2<f64> = whole.slice(s![.., 1..=c]).expect("a part");
        let calls = AtomicUsize::new(0);
        let twice = |x: f64| {
            calls.fetch_add(1, Ordering::Relaxed);
            2.0 * x
        };
        let found = x.map(twice).sum_axis(0).expect("it fits");
        assert_eq!(calls.load(Ordering::Relaxed), r * c, "{r} x {c}");
        for k in 0..c {
            let one = Array1::from_fn([r], |[i]| 2.0 * x[[i, k]]);
            assert_eq!(found[k], one.sum().expect("it fits"), "{r} x {c}, column {k}");
        }
    }
}
