//! Filters and moving statistics: reductions over the windows along an axis, which overlap, beside
//! weights that repeat along the results, in all kinds of layouts and ways of execution, element by
//! element.

use super::pairs::{in_layout, sum};
use conformance::support::execs::{Ways, in_pool};
use zerostride::prelude::*;

/// Irregular, so that another order of additions shows.
fn at(i: usize, k: usize) -> f64 {
    ((i * 7919 + k * 104_729) % 9973) as f64 / 97.0 - 40.0
}

fn weight(k: usize) -> f64 {
    ((k * 6101) % 8831) as f64 / 8831.0 - 0.5
}

#[test]
fn along_one_axis() {
    let mut failures = Vec::new();
    // Results that fill no vector, one, several and several boxes; windows of one element, of a
    // part of a round, of several, and of what is not short.
    let shapes = [(3, 70), (5, 20), (40, 64), (17, 1300), (300, 33)];
    let sizes = [1, 2, 3, 9, 16, 17, 33, 63, 64];
    for (number, (&(r, c), &size)) in
        shapes.iter().flat_map(|shape| sizes.iter().map(move |size| (shape, size))).enumerate()
    {
        let x = in_layout(number, r, c, &at);
        let weights = Array1::from_fn(size, |[k]| weight(k));
        let ways = if r * c < 2000 { Ways::All } else { Ways::Turn(number) };
        for (axis, way) in (0..2).flat_map(|axis| ways.list().into_iter().map(move |w| (axis, w))) {
            let Ok(windows) = x.sliding_window_view(axis, size) else {
                assert!(size > x.shape()[axis], "{size} of {r} x {c} along {axis}");
                continue;
            };
            let (filtered, largest, means) = in_pool(|| {
                way.0.install(|| {
                    let filtered = (windows * weights.along([2])).sum_axis(2);
                    (filtered, windows.max_axis(2), windows.mean_axis(2))
                })
            });
            let [filtered, largest, means] =
                [filtered, largest, means].map(|x| x.expect("it fits"));
            for (i, j) in
                (0..filtered.nrows()).flat_map(|i| (0..filtered.ncols()).map(move |j| (i, j)))
            {
                let element = |k: usize| if axis == 0 { at(i + k, j) } else { at(i, j + k) };
                let all: Vec<f64> = (0..size).map(element).collect();
                let products: Vec<f64> = (0..size).map(|k| element(k) * weight(k)).collect();
                let expected = [
                    sum(&products),
                    all.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                    sum(&all) / size as f64,
                ];
                let found = [filtered[[i, j]], largest[[i, j]], means[[i, j]]];
                if found.map(f64::to_bits) != expected.map(f64::to_bits) {
                    failures.push(format!(
                        "{size} of {r} x {c} along {axis}, {way}, [{i}, {j}]: {found:?}, not {expected:?}"
                    ));
                    break;
                }
            }
        }
    }
    let some = &failures[..failures.len().min(20)];
    assert!(failures.is_empty(), "{} failures: {some:#?}", failures.len());
}

/// Windows of a list, as they lie, with steps, and in reverse order: those that are side by side
/// are as well the rows of a matrix of fewer rows.
#[test]
fn of_lists() {
    let mut failures = Vec::new();
    let sizes = [1, 2, 3, 5, 15, 16, 17, 40, 200];
    for (n, size) in [17, 20, 31, 32, 40, 100, 680, 700, 2500, 9000]
        .into_iter()
        .flat_map(|n| sizes.map(|size| (n, size)))
    {
        let x = Array1::from_fn(2 * n, |[i]| at(i, 0));
        let weights = Array1::from_fn(size, |[k]| weight(k));
        let whole = weights.mapv(|x| (1000.0 * x) as i64).eval().expect("it fits");
        for (name, list) in [
            ("as it lies", x.slice(s![..n])),
            ("with steps", x.slice(s![..;2])),
            ("in reverse", x.slice(s![..n;-1])),
        ] {
            let list = list.expect("a part");
            let Ok(windows) = list.sliding_window_view(0, size) else {
                assert!(size > n, "{size} of {n}");
                continue;
            };
            let integers = list.mapv(|x| x as i64).eval().expect("it fits");
            let filtered = (windows * weights.along([1])).sum_axis(1).expect("it fits");
            let counted = integers.sliding_window_view(0, size).expect("as many");
            let counted = (counted * whole.along([1])).sum_axis(1).expect("it fits");
            let largest = windows.max_axis(1).expect("it fits");
            let means = windows.mean_axis(1).expect("it fits");
            let dots = windows.dot(&weights).expect("it fits");
            assert_eq!(means.len(), n + 1 - size, "{size} of {n}");
            for i in 0..means.len() {
                let all: Vec<f64> = (0..size).map(|k| list[i + k]).collect();
                let products: Vec<f64> = (0..size).map(|k| all[k] * weights[k]).collect();
                let most = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let count: i64 = (0..size).map(|k| all[k] as i64 * whole[k]).sum();
                let dot = Array1::from(all.clone()).dot(&weights).expect("it fits");
                let expected = [sum(&products), most, sum(&all) / size as f64, count as f64, dot];
                let found = [filtered[i], largest[i], means[i], counted[i] as f64, dots[i]];
                if found.map(f64::to_bits) != expected.map(f64::to_bits) {
                    failures
                        .push(format!("{size} of {n} {name}, [{i}]: {found:?}, not {expected:?}"));
                    break;
                }
            }
        }
    }
    let some = &failures[..failures.len().min(20)];
    assert!(failures.is_empty(), "{} failures: {some:#?}", failures.len());
}

/// Windows along both axes: two axes are folded.
#[test]
fn along_two_axes() {
    let mut failures = Vec::new();
    for (number, (r, c, down, along)) in
        [(3, 3, 3, 3), (20, 30, 3, 3), (40, 70, 2, 5), (33, 400, 7, 1), (64, 64, 5, 5)]
            .into_iter()
            .enumerate()
    {
        let x = in_layout(number, r, c, &at);
        let weights = Array2::from_fn([down, along], |[k, l]| weight(k * along + l));
        for way in Ways::All.list() {
            let (filtered, largest) = in_pool(|| {
                way.0.install(|| -> Result<_, zerostride::Error> {
                    let windows = x.sliding_window_view(0, down)?;
                    let windows = windows.sliding_window_view(1, along)?;
                    let filtered = (windows * weights.along([2, 3])).sum_axis([2, 3])?;
                    Ok((filtered, windows.max_axis([2, 3])?))
                })
            })
            .expect("it fits");
            for (i, j) in (0..=r - down).flat_map(|i| (0..=c - along).map(move |j| (i, j))) {
                let number = |n: usize| at(i + n / along, j + n % along);
                let products: Vec<f64> = (0..down * along).map(|n| number(n) * weight(n)).collect();
                let most = (0..down * along).map(number).fold(f64::NEG_INFINITY, f64::max);
                let (found, expected) =
                    ((filtered[[i, j]], largest[[i, j]]), (sum(&products), most));
                if found != expected {
                    failures.push(format!(
                        "{down} x {along} of {r} x {c}, {way}, [{i}, {j}]: {found:?}, not {expected:?}"
                    ));
                    break;
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} failures: {failures:#?}", failures.len());
}

/// Several rows of results are folded by one call where they are short, and weights may differ from
/// one to the next.
#[test]
fn of_volumes() {
    let mut failures = Vec::new();
    let shape = [11, 19, 26];
    let at = |[i, j, k]: [usize; 3]| at(i * 19 + j, k);
    let x = Array3::from_shape_fn(shape, |(i, j, k)| at([i, j, k]));
    let many = Array2::from_fn([19, 9], |[j, k]| weight(j * 9 + k));
    for (axis, size) in (0..3).flat_map(|axis| [1, 2, 3, 8, 9].map(|size| (axis, size))) {
        let weights = Array1::from_fn(size, |[k]| weight(k));
        for way in Ways::All.list() {
            let (filtered, each) = in_pool(|| {
                way.0.install(|| -> Result<_, zerostride::Error> {
                    let windows = x.sliding_window_view(axis, size)?;
                    let own = many.slice(s![..windows.shape()[1], ..size])?;
                    let filtered = (windows * weights.along([3])).sum_axis(3)?;
                    Ok((filtered, (windows * own.along([1, 3])).sum_axis(3)?))
                })
            })
            .expect("it fits");
            let mut extents = shape;
            extents[axis] -= size - 1;
            assert_eq!((filtered.dim(), each.dim()), (extents, extents));
            let wrong = filtered.indexed_iter().find(|&(index, &found)| {
                let products = |weight: &dyn Fn(usize) -> f64| {
                    let mut all = Vec::new();
                    for k in 0..size {
                        let mut from = index;
                        from[axis] += k;
                        all.push(at(from) * weight(k));
                    }
                    sum(&all)
                };
                let expected = (products(&|k| weight(k)), products(&|k| many[[index[1], k]]));
                (found, each[index]) != expected
            });
            if let Some((index, _)) = wrong {
                failures.push(format!("{size} along {axis}, {way}, {index:?}"));
            }
        }
    }
    assert!(failures.is_empty(), "{} failures: {failures:#?}", failures.len());
}

/// Windows beside an array of more axes: they meet its last ones.
#[test]
fn under_the_rule_of_numpy() {
    let list = Array1::from_fn(304, |[i]| at(i, 0));
    let windows = list.sliding_window_view(0, 5).expect("as many");
    let other = Array3::from_fn([2, 300, 5], |[h, i, k]| at(i + h, k));
    let found = (numpy(windows) * numpy(&other)).sum_axis(2).expect("it fits");
    assert_eq!(found.shape(), [2, 300]);
    for (h, i) in (0..2).flat_map(|h| (0..300).map(move |i| (h, i))) {
        let products: Vec<f64> = (0..5).map(|k| at(i + k, 0) * at(i + h, k)).collect();
        assert_eq!(found[[h, i]].to_bits(), sum(&products).to_bits(), "[{h}, {i}]");
    }
}
