//! Short sums over pairs of rows, which are packed with results side by side: squared distances,
//! products and places of extremes, in all kinds of layouts and ways of execution, element by
//! element.

use conformance::support::execs::{Ways, in_pool};
use std::sync::atomic::{AtomicUsize, Ordering};
use zerostride::prelude::*;
use zerostride::{View2, zip};

/// The matrix in some layout, of which element `[i, k]` is `at(i, k)`.
pub(super) fn in_layout(
    number: usize,
    r: usize,
    c: usize,
    at: &dyn Fn(usize, usize) -> f64,
) -> Array2<f64> {
    match number % 4 {
        0 => Array2::from_fn([r, c], |[i, k]| at(i, k)),
        1 => Array2::from_fn([c, r], |[k, i]| at(i, k)).reversed_axes(),
        2 => {
            let apart = Array2::<f64>::from_fn([r, 2 * c + 1], |[i, k]| at(i, k / 2));
            apart.slice_move(s![.., ..2 * c;2]).expect("a part")
        }
        _ => {
            let backwards = Array2::<f64>::from_fn([r, c], |[i, k]| at(i, c - 1 - k));
            backwards.slice_move(s![.., ..;-1]).expect("a part")
        }
    }
}

/// What the documentation of `Reduction` says of a block of at most 16 elements, or of sixteen
/// lanes of them: the upper half joined to the lower one.
pub(super) fn sum(elements: &[f64]) -> f64 {
    // What changes no number: the sum of -0 alone is -0.
    let mut lanes = [-0.0; 16];
    elements.iter().enumerate().for_each(|(i, x)| lanes[i % 16] += x);
    for half in [8, 4, 2, 1] {
        (0..half).for_each(|i| lanes[i] += lanes[i + half]);
    }
    lanes[0]
}

#[test]
fn of_rows() {
    let mut failures = Vec::new();
    // Irregular, so that another order of additions shows.
    let at = |i: usize, k: usize| ((i * 7919 + k * 104_729) % 9973) as f64 / 97.0 - 40.0;
    let to = |j: usize, k: usize| ((j * 6101 + k * 15_485) % 8831) as f64 / 89.0 - 50.0;
    // Results along the last axis that fill no vector, a part of one, several, and several boxes;
    // blocks of one element, of all lanes, of several rounds, and of what is not short. And so few
    // results along the last axis that the one before it goes inside.
    let extents = [1, 2, 3, 4, 7, 15, 16, 17, 33, 47, 63, 64, 255, 256];
    let sizes = [
        (5, 1),
        (40, 15),
        (3, 16),
        (300, 16),
        (9, 17),
        (70, 40),
        (2, 1500),
        (63, 2),
        (64, 2),
        (64, 15),
        (300, 3),
        (1000, 8),
    ];
    for (number, (&d, &(n, m))) in
        extents.iter().flat_map(|d| sizes.iter().map(move |size| (d, size))).enumerate()
    {
        let (p, c) = (in_layout(number, n, d, &at), in_layout(number / 4, m, d, &to));
        let ways = if n * m * d < 3000 { Ways::All } else { Ways::Turn(number) };
        for way in ways.list() {
            let mut check = |what: &str, found: &Array2<f64>, f: &dyn Fn(f64, f64) -> f64| {
                for (i, j) in (0..n).flat_map(|i| (0..m).map(move |j| (i, j))) {
                    let terms: Vec<f64> = (0..d).map(|k| f(at(i, k), to(j, k))).collect();
                    let (found, expected) = (found[[i, j]], sum(&terms));
                    if found.to_bits() != expected.to_bits() {
                        failures.push(format!(
                            "{n} and {m} rows of {d}, {way}, {what} at [{i}, {j}]: {found}, not {expected}"
                        ));
                        return;
                    }
                }
            };
            in_pool(|| {
                way.0.install(|| {
                    let (x, y) =
                        (p.insert_axis(1).expect("it fits"), c.insert_axis(0).expect("it fits"));
                    let distances = (x - y).square().sum_axis(2).expect("they fit");
                    check("distances", &distances, &|x, y| (x - y) * (x - y));
                    let products = (x * y).sum_axis(2).expect("they fit");
                    check("products", &products, &|x, y| x * y);
                    let kept = (y + 0.5 * x).sum_axis(keep(2)).expect("they fit");
                    let kept = kept.into_shape([n, m]).expect("as many");
                    check("sums, kept", &kept, &|x, y| y + 0.5 * x);
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

/// Rows, and a number for each result of a row: what is long lies as the rows do, and goes inside
/// without columns.
#[test]
fn scaled_rows() {
    let mut failures = Vec::new();
    let at = |i: usize, k: usize| ((i * 7919 + k * 104_729) % 9973) as f64 / 97.0 - 40.0;
    let scale = |j: usize| (j * 6101 % 8831) as f64 / 89.0 - 50.0;
    for (n, m, d) in [(64, 2, 3), (1000, 8, 8), (40_000, 8, 7), (300, 3, 16), (700, 15, 40)] {
        let x = Array2::from_fn([n, d], |[i, k]| at(i, k));
        let scales = Array1::from_fn(m, |[j]| scale(j));
        for way in Ways::Turn(n + d).list() {
            let scaled = || (x.insert_axis(1)? * scales.along([1])).sum_axis(2);
            let found = in_pool(|| way.0.install(scaled)).expect("they fit");
            for (i, j) in (0..n).flat_map(|i| (0..m).map(move |j| (i, j))) {
                let terms: Vec<f64> = (0..d).map(|k| at(i, k) * scale(j)).collect();
                let (found, expected) = (found[[i, j]], sum(&terms));
                if found.to_bits() != expected.to_bits() {
                    failures.push(format!(
                        "{n} rows of {d}, {m} each, {way}, [{i}, {j}]: {found}, not {expected}"
                    ));
                    break;
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} failures: {failures:#?}", failures.len());
}

/// Folded axes that are joined, around the axis of few results.
#[test]
fn around_few_results() {
    let mut failures = Vec::new();
    let at = |i: usize, k: usize| ((i * 7919 + k * 104_729) % 9973) as f64 / 97.0 - 40.0;
    for (n, d, m, e) in [(100, 5, 4, 8), (64, 1, 3, 9), (70, 2, 2, 2), (300, 20, 8, 3)] {
        let x = Array3::from_fn([n, d, e], |[i, k, l]| at(i, k * e + l));
        let scales = Array1::from_fn(m, |[j]| j as f64 + 0.5);
        for way in Ways::All.list() {
            let apart = || (x.insert_axis(2)? - scales.along([2])).sum_axis([1, 3]);
            let found = in_pool(|| way.0.install(apart)).expect("they fit");
            for (i, j) in (0..n).flat_map(|i| (0..m).map(move |j| (i, j))) {
                let terms: Vec<f64> = (0..d * e).map(|k| at(i, k) - (j as f64 + 0.5)).collect();
                let (found, expected) = (found[[i, j]], sum(&terms));
                if found.to_bits() != expected.to_bits() {
                    failures.push(format!(
                        "{n} x {d} x {m} x {e}, {way}, [{i}, {j}]: {found}, not {expected}"
                    ));
                    break;
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} failures: {failures:#?}", failures.len());
}

/// What does not join, and what is neither a sum nor whole vectors.
#[test]
fn other_reductions_of_rows() {
    let mut failures = Vec::new();
    // With equal elements, and NaN.
    let at = |i: usize, k: usize| match (i * 31 + k * 17) % 23 {
        22 => f64::NAN,
        x => (x / 2) as f64 - 4.0,
    };
    let to = |j: usize, k: usize| ((j * 13 + k * 29) % 7) as f64;
    for (number, (d, n, m)) in [
        (1, 20, 16),
        (2, 50, 19),
        (3, 7, 100),
        (5, 33, 31),
        (17, 4, 33),
        (40, 6, 18),
        (3, 70, 5),
        (18, 90, 4),
        (40, 64, 2),
    ]
    .into_iter()
    .enumerate()
    {
        let (p, c) = (in_layout(number, n, d, &at), in_layout(number + 1, m, d, &to));
        for way in Ways::All.list() {
            in_pool(|| {
                way.0.install(|| {
                    let pairs = || p.insert_axis(1).expect("it fits") - c.insert_axis(0).expect("it fits");
                    let least = pairs().argmin_axis(2).expect("they fit");
                    let most = pairs().max_axis(2).expect("they fit");
                    let var = pairs().var_axis(2, 0.0).expect("they fit");
                    let positive = pairs().greater(0.0).count_nonzero_axis(2).expect("they fit");
                    for (i, j) in (0..n).flat_map(|i| (0..m).map(move |j| (i, j))) {
                        let terms: Vec<f64> = (0..d).map(|k| at(i, k) - to(j, k)).collect();
                        let one = Array1::from_vec(terms.clone());
                        let nan = terms.iter().position(|x| x.is_nan());
                        let first = |x: f64| terms.iter().position(|y| *y == x).expect("it is one");
                        let smallest = terms.iter().copied().fold(f64::INFINITY, f64::min);
                        let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                        let expected = (
                            nan.unwrap_or_else(|| first(smallest)),
                            nan.map_or(largest, |_| f64::NAN).to_bits(),
                            one.var(0.0).expect("some").to_bits(),
                            terms.iter().filter(|x| **x > 0.0).count(),
                        );
                        let found = (
                            least[[i, j]],
                            most[[i, j]].to_bits(),
                            var[[i, j]].to_bits(),
                            positive[[i, j]],
                        );
                        if found != expected {
                            failures.push(format!(
                                "{n} and {m} rows of {d}, {way}, at [{i}, {j}]: {found:?}, not {expected:?}"
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

/// A closure is called once for each pair of elements, however many vectors they fill.
#[test]
fn closures_are_called_once() {
    for (n, m, d) in [(7, 16, 2), (5, 23, 3), (2, 100, 9), (3, 5, 4)] {
        let p = Array2::<f64>::from_fn([n, d], |[i, k]| (i * d + k) as f64);
        let c = Array2::<f64>::from_fn([m, d], |[j, k]| (j + k) as f64);
        let calls = AtomicUsize::new(0);
        let product = |(x, y): (f64, f64)| {
            calls.fetch_add(1, Ordering::Relaxed);
            x * y
        };
        let row = |x: &View2<f64>, i: usize| x.row(i).to_vec();
        let (x, y) = (p.insert_axis(1).expect("it fits"), c.insert_axis(0).expect("it fits"));
        let found = zip((x, y)).map(product).sum_axis(2).expect("they fit");
        assert_eq!(calls.load(Ordering::Relaxed), n * m * d, "{n} and {m} rows of {d}");
        for (i, j) in (0..n).flat_map(|i| (0..m).map(move |j| (i, j))) {
            let (a, b) = (row(&p.view(), i), row(&c.view(), j));
            let terms: Vec<f64> = a.iter().zip(&b).map(|(x, y)| x * y).collect();
            assert_eq!(found[[i, j]], sum(&terms), "{n} and {m} rows of {d}, at [{i}, {j}]");
        }
    }
}
