//! What is computed without a plan has the bits of what is computed by one.

use conformance::support::execs::in_pool;
use zerostride::prelude::*;
use zerostride::{Error, Exec, NormL2};

/// The ways to a product of a matrix and a vector.
#[test]
fn products_with_vectors() {
    let mut failures = Vec::new();
    for k in
        [1_usize, 2, 3, 4, 5, 6, 15, 16, 17, 31, 33, 100, 256, 257, 1000, 1024, 1025, 4097, 70_001]
    {
        for m in [1_usize, 2, 3, 4, 6, 9, 12, 17, 40] {
            let at = |i: usize, j: usize| ((i * 31 + j * 17) % 1009) as f32 * 0.37 - 150.0;
            let a = Array2::<f32>::from_fn([m, k], |[i, j]| at(i, j));
            let turned = Array2::<f32>::from_fn([k, m], |[j, i]| at(i, j));
            let wide = Array2::<f32>::from_fn([m, k + 3], |[i, j]| at(i, j));
            let gaps = wide.slice(s![.., ..k]).expect("a part");
            let v = Array1::<f32>::from_fn(k, |[j]| ((j * 7) % 101) as f32 * 0.013 - 0.5);
            let beside = Array2::<f32>::from_fn([k, 3], |[j, l]| v[j] * (l as f32));
            let apart = beside.column(1);
            let back = v.flip(0).expect("an axis").to_owned();
            let expected = (&a * v.along([1])).sum_axis(1).expect("they fit");
            let dot = |x: View2<'_, f32>| x.dot(&v).expect("they fit").to_vec();
            let rows = |f: &dyn Fn(View1<'_, f32>) -> f32| a.rows().map(f).collect::<Vec<_>>();
            let ways = [
                ("rows", dot(a.view())),
                ("gaps", dot(gaps)),
                ("turned", dot(turned.t())),
                ("from the left", v.dot(&turned).expect("they fit").to_vec()),
                ("a column", a.dot(&apart).expect("they fit").to_vec()),
                ("a column from the left", apart.dot(&turned).expect("they fit").to_vec()),
                (
                    "backwards",
                    gaps.dot(&back.flip(0).expect("an axis")).expect("they fit").to_vec(),
                ),
                ("row by row", rows(&|row| row.dot(&v).expect("they fit"))),
                ("sums of rows", rows(&|row| (row * &v).sum().expect("they fit"))),
            ];
            for (way, found) in ways {
                let same = found.iter().zip(&expected).all(|(a, b)| a.to_bits() == b.to_bits());
                if !same || found.len() != m {
                    failures.push(format!("{m} x {k}, {way}"));
                }
            }
            // Of elements of another size, of which there are fewer in a vector.
            let double = |x: View2<'_, f32>| x.mapv(f64::from).eval().expect("it fits");
            let (v, turned) = (v.mapv(f64::from).eval().expect("it fits"), double(turned.view()));
            let expected = (double(a.view()) * v.along([1])).sum_axis(1).expect("they fit");
            let found = v.dot(&turned).expect("they fit");
            if !found.iter().zip(&expected).all(|(a, b)| a.to_bits() == b.to_bits()) {
                failures.push(format!("{m} x {k}, from the left, f64"));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Axes that are kept between others that are reduced: each result as the total of its elements.
#[test]
fn between_axes_that_are_reduced() {
    let mut failures = Vec::new();
    let value = |number: usize| ((number * 7919) % 10_007) as f32 * 0.37 - 1500.0;
    for rows in [1_usize, 2, 3, 16, 17, 300] {
        for width in [1_usize, 15, 16, 17, 31, 32, 33, 100, 257, 4096, 4097] {
            for results in [1_usize, 2, 5, 16, 33] {
                if rows * results * width > 1 << 20 {
                    continue;
                }
                let mut number = 0;
                let x = Array3::<f32>::from_fn([rows, results, width], |_| {
                    number += 1;
                    value(number)
                });
                let whole = x.mapv(|x| x as i64).eval().expect("it fits");
                let (sums, greatest) = (x.sum_axis([0, 2]), x.max_axis([0, 2]));
                let (means, integers) = (x.mean_axis(keep([0, 2])), whole.sum_axis([0, 2]));
                let (sums, greatest) = (sums.expect("no error"), greatest.expect("no error"));
                let (means, integers) = (means.expect("no error"), integers.expect("no error"));
                for at in 0..results {
                    let own = x.index_axis(1, at).expect("an index").to_owned();
                    let of = whole.index_axis(1, at).expect("an index");
                    let same = [
                        ("sum", sums[at], own.sum().expect("some")),
                        ("maximum", greatest[at], own.max().expect("some")),
                        ("mean", means[[0, at, 0]], own.mean().expect("some")),
                        ("sum of integers", integers[at] as f32, of.iter().sum::<i64>() as f32),
                    ];
                    for (what, found, expected) in same {
                        if found.to_bits() != expected.to_bits() {
                            failures.push(format!(
                                "{rows} x {results} x {width}, {what} {at}: {found}, not {expected}"
                            ));
                        }
                    }
                }
            }
        }
    }
    // Several axes before, of one block and of several.
    for (a, b) in [(2, 3), (1, 7), (16, 20)] {
        let x = ArrayD::<f32>::from_fn(vec![a, b, 3, 1, 2, 20], |at| {
            value(at.iter().fold(0, |number, &at| number * 21 + at))
        });
        let turned = x.to_shape(vec![a, b, 6, 20]).expect("as many").to_owned();
        let sums = x.sum_axis([0, 1, 5]).expect("no error");
        for at in 0..6 {
            let own = turned.index_axis(2, at).expect("an index").to_owned();
            let (found, expected) = (sums[[at / 2, 0, at % 2]], own.sum().expect("some"));
            if found.to_bits() != expected.to_bits() {
                failures.push(format!("{a} x {b}, sum {at}: {found}, not {expected}"));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// The error of a reduction of nothing names the shape, however that lies.
#[test]
fn extremes_of_nothing() {
    let mut failures = Vec::new();
    for shape in [[0, 1], [1, 0], [0, 3], [3, 0], [0, 0]] {
        let x = Array2::<f32>::zeros(shape);
        let turned = Array2::<f32>::zeros([shape[1], shape[0]]);
        let wide = Array2::<f32>::zeros([2 * shape[0], 3 * shape[1]]);
        let views = [
            ("as it is", x.view()),
            ("turned", turned.t()),
            ("reversed", x.flip(0).expect("an axis")),
            ("stepped", wide.slice(s![..;2, ..;3]).expect("a part")),
        ];
        for (lies, view) in views {
            let want = format!("along axes [0, 1], shape {shape:?} has none");
            let errors = [
                view.max().expect_err("there is none").to_string(),
                view.min().expect_err("there is none").to_string(),
                view.map(|x| x + 1.0).max().expect_err("there is none").to_string(),
            ];
            for error in errors.iter().filter(|error| !error.contains(&want)) {
                failures.push(format!("{shape:?}, {lies}: {error}"));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Windows, their updates and totals, element by element.
#[test]
fn windows() {
    let mut failures = Vec::new();
    let sizes = [(1, 1), (1, 5), (3, 3), (7, 1), (4, 7), (14, 14), (40, 9), (62, 62), (100, 130)];
    for (r, c) in sizes {
        let x = Array2::<f64>::from_fn([r + 3, c + 4], |[i, j]| (i * 13 + j * 7) as f64 * 0.25);
        let w = x.slice(s![1..1 + r, 2..2 + c]).expect("a window");
        let u = x.slice(s![2..2 + r, 1..1 + c]).expect("a window");
        let sum = (w + u * 2.0).eval().expect("they fit");
        let turned = (w.t() - u.t()).eval().expect("they fit");
        let (mut updated, mut across) = (x.clone(), x.clone());
        updated
            .slice_mut(s![1..1 + r, 2..2 + c])
            .expect("a window")
            .zip_mut_with(w, |x, y| *x += y * 0.5)
            .expect("they fit");
        {
            let mut turned = across.t_mut();
            let mut window = turned.slice_mut(s![2..2 + c, 1..1 + r]).expect("a window");
            window *= 3.0;
            window += w.t();
        }
        let products = (0..r).flat_map(|i| (0..c).map(move |j| (i, j)));
        let naive: f64 = products.map(|(i, j)| w[[i, j]] * u[[i, j]]).sum();
        let total = (w * u).sum().expect("they fit");
        if (total - naive).abs() > 1e-12 * naive.abs() {
            failures.push(format!("{r} x {c}: the total {total}, not {naive}"));
        }
        for (i, j) in (0..r).flat_map(|i| (0..c).map(move |j| (i, j))) {
            let (a, b) = (w[[i, j]], u[[i, j]]);
            let rows = [
                ("sum", sum[[i, j]], a + b * 2.0),
                ("turned", turned[[j, i]], a - b),
                ("updated", updated[[i + 1, j + 2]], a * 1.5),
                ("across", across[[i + 1, j + 2]], a * 3.0 + a),
            ];
            for (what, found, expected) in rows {
                if found != expected {
                    failures
                        .push(format!("{r} x {c}, {what} at [{i}, {j}]: {found}, not {expected}"));
                }
            }
        }
        let outside = updated
            .indexed_iter()
            .filter(|([i, j], _)| !(1..1 + r).contains(i) || !(2..2 + c).contains(j));
        if outside.into_iter().any(|([i, j], value)| *value != x[[i, j]]) {
            failures.push(format!("{r} x {c}: something else was changed"));
        }
        if !sum.is_standard_layout() {
            failures.push(format!("{r} x {c}: in another order"));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Small products of matrices in any layout, element by element.
#[test]
fn small_products() {
    let shapes = [
        (1, 1, 1),
        (2, 3, 4),
        (4, 4, 4),
        (3, 1, 5),
        (8, 8, 8),
        (16, 16, 16),
        (31, 32, 33),
        (3, 5, 70),
        (2, 7, 130),
    ];
    for (m, k, n) in shapes {
        let a = Array2::<f64>::from_fn([m, k], |[i, j]| (i * 3 + j) as f64 - 4.0);
        let b = Array2::<f64>::from_fn([k, n], |[i, j]| (i + 2 * j) as f64 - 3.0);
        let at = Array2::<f64>::from_fn([k, m], |[j, i]| a[[i, j]]);
        let bt = Array2::<f64>::from_fn([n, k], |[j, i]| b[[i, j]]);
        let expected =
            Array2::from_fn([m, n], |[i, j]| (0..k).map(|l| a[[i, l]] * b[[l, j]]).sum::<f64>());
        let products = [a.dot(&b), at.t().dot(&b), a.dot(&bt.t()), at.t().dot(&bt.t())];
        for product in products {
            assert_eq!(product.expect("they fit"), expected, "{m} x {k} x {n}");
        }
    }
}

/// The sum of at most a block of elements, as `Reduction` defines it: sixteen lanes, joined after
/// every sixteen rounds, put together by halves.
pub(super) fn sum_of_block(x: &[f64]) -> f64 {
    let mut joined = [-0.0; 16];
    for stretch in x.chunks(256) {
        let mut lanes = [-0.0; 16];
        for (i, x) in stretch.iter().enumerate() {
            lanes[i % 16] += x;
        }
        for (joined, lane) in joined.iter_mut().zip(lanes) {
            *joined += lane;
        }
    }
    for half in [8, 4, 2, 1] {
        for i in 0..half {
            joined[i] += joined[i + half];
        }
    }
    joined[0]
}

/// Totals of more blocks than are a stretch, by vectors and by plans, of one and of several parts:
/// they are reduced as elements are.
#[test]
fn totals_of_many_blocks() {
    let mut failures = Vec::new();
    for blocks in [255, 256, 257, 273, 511, 513, 1000] {
        let x =
            Array2::from_fn([blocks, 4096], |[i, j]| ((i * 37 + j * 11) % 101) as f64 * 0.1 - 3.7);
        let totals: Vec<f64> = x.rows().map(|row| sum_of_block(&row.to_vec())).collect();
        let want = sum_of_block(&totals).to_bits();
        let turned = Array2::from_fn([4096, blocks], |[j, i]| x[[i, j]]);
        for exec in [Exec::new().parallel(false), Exec::new().grain(1)] {
            let sums = exec.install(|| {
                let computed = x.mapv(|x| x);
                [x.sum(), turned.t().sum(), computed.sum(), computed.boxed().sum()]
            });
            for (way, sum) in sums.into_iter().enumerate() {
                let sum = sum.expect("few enough");
                if sum.to_bits() != want {
                    failures.push(format!("{blocks} blocks, way {way}, {exec:?}: {sum}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Totals of few elements, wherever they lie: side by side, at equal distances, in a window,
/// turned.
#[test]
fn totals_of_few() {
    let mut failures = Vec::new();
    let lens = (1..=150).chain([255, 256, 257, 300, 511, 512, 513, 1000, 1023, 1024, 1025, 4096]);
    for len in lens {
        let x = Array1::from_fn(len, |[i]| ((i * 37 + 11) % 101) as f64 * 0.1 - 3.7);
        let spread = Array1::from_fn(3 * len, |[i]| if i % 3 == 0 { x[i / 3] } else { f64::NAN });
        let back = Array1::from_fn(len, |[i]| x[len - 1 - i]);
        let spread = spread.slice(s![..;3]).expect("every third");
        let back = back.slice(s![..;-1]).expect("from the end");
        let mut ways: Vec<(&str, ViewD<'_, f64>)> = vec![
            ("side by side", x.as_dyn()),
            ("spread", spread.as_dyn()),
            ("back", back.as_dyn()),
        ];
        let columns = (2..=12).find(|columns| len % columns == 0).unwrap_or(1);
        let rows = len / columns;
        let wide = Array2::from_fn([rows + 1, columns + 2], |[i, j]| {
            let inside = i < rows && (1..=columns).contains(&j);
            if inside { x[i * columns + j - 1] } else { f64::NAN }
        });
        let turned = Array2::from_fn([columns, rows], |[j, i]| x[i * columns + j]);
        ways.push(("window", wide.slice(s![..rows, 1..=columns]).expect("a window").as_dyn()));
        ways.push(("turned", turned.t().as_dyn()));
        let sum = sum_of_block(x.as_slice().expect("side by side"));
        let dot = sum_of_block(&x.iter().map(|x| x * x).collect::<Vec<_>>());
        let largest = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let place = x.iter().position(|&x| x == largest).expect("it is there");
        let var = x.var(0.0).expect("there are some");
        for (way, view) in &ways {
            let found = [
                ("sum", view.sum(), sum),
                ("mean", view.mean(), sum / len as f64),
                ("max", view.max(), largest),
                ("argmax", view.argmax().map(|i| i as f64), place as f64),
                ("var", view.var(0.0), var),
                ("sum of squares", view.square().sum(), dot),
                ("sum of a closure's", view.map(|x| x * x).sum(), dot),
            ];
            for (of, found, expected) in found {
                if found.as_ref().ok().map(|x| x.to_bits()) != Some(expected.to_bits()) {
                    failures.push(format!("{of} of {len}, {way}: {found:?}, not {expected}"));
                }
            }
        }
        for (way, found) in [("self", x.dot(&x)), ("spread", spread.dot(&spread))] {
            if found.expect("one length").to_bits() != dot.to_bits() {
                failures.push(format!("dot of {len}, {way}"));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Totals of a few elements of an operation that goes through a buffer, beside an array that lies
/// otherwise.
#[test]
fn totals_through_buffers() {
    let mut failures = Vec::new();
    for (rows, columns) in [(1, 2), (2, 3), (5, 5), (7, 16), (20, 31), (32, 32), (33, 32)] {
        let x = Array2::from_fn([rows, columns], |[i, j]| ((i * 5 + j * 3) % 11) as f64 * 0.1);
        let y = Array2::from_fn([columns, rows], |[j, i]| ((i * 7 + j) % 13) as f64 - 6.0);
        let powers = x.exp().eval().expect("an array");
        let each = |f: fn(f64, f64) -> f64| -> Vec<f64> {
            let turned = (0..rows).flat_map(|i| (0..columns).map(move |j| [j, i]));
            powers.iter().zip(turned).map(|(&power, at)| f(power, y[at])).collect()
        };
        let sum = sum_of_block(&each(|a, b| a + b));
        let largest = each(|a, b| a * b).into_iter().fold(f64::NEG_INFINITY, f64::max);
        for (of, found, expected) in
            [("sum", (x.exp() + y.t()).sum(), sum), ("max", (x.exp() * y.t()).max(), largest)]
        {
            if found.as_ref().ok().map(|x| x.to_bits()) != Some(expected.to_bits()) {
                failures.push(format!("{of} of {rows} x {columns}: {found:?}, not {expected}"));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Totals of several blocks: those of what lies in row-major order, and by a plan.
#[test]
fn totals_of_blocks() {
    let shapes: [&[usize]; 8] = [
        &[100, 100],
        &[3, 5000],
        &[1, 9001],
        &[71, 2100],
        &[9, 1000, 3],
        &[1, 1, 5, 999],
        &[2, 2, 2100],
        &[4200, 2100],
    ];
    let mut failures = Vec::new();
    Exec::new().parallel(false).install(|| {
        for shape in shapes {
            let mut wide = shape.to_vec();
            *wide.last_mut().expect("an axis") += 1;
            let mut number = 0_u32;
            let gaps = ArrayD::<f32>::from_fn(&wide[..], |_| {
                number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (number >> 8) as f32 * 1e-5
            });
            let axis = shape.len() - 1;
            let gaps = gaps.slice_axis(axis, 0..shape[axis], 1).expect("a part");
            let whole = gaps.to_owned();
            let found = [
                (whole.sum(), gaps.sum()),
                (whole.max(), gaps.max()),
                (whole.var(1.0), gaps.var(1.0)),
                (whole.argmin().map(|i| i as f32), gaps.argmin().map(|i| i as f32)),
            ];
            for (number, (whole, gaps)) in found.into_iter().enumerate() {
                if whole.map(f32::to_bits).ok() != gaps.map(f32::to_bits).ok() {
                    failures.push(format!("{shape:?}, {number}"));
                }
            }
        }
    });
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Softmax row by row, and by slabs: on one thread and on several, past the cache and not.
#[test]
fn softmax_of_rows() {
    fn of<T: Float>(element: fn(f64) -> T, failures: &mut Vec<String>) {
        let ways = [
            Exec::new().parallel(false),
            Exec::new().parallel(false).cache(0),
            Exec::new().parallel(true).grain(1),
            Exec::new().parallel(true).grain(1).cache(0),
        ];
        for len in (1..=40).chain([100, 257, 1000, 1024, 1025, 2100, 4096, 4097, 33_000, 66_000]) {
            let at = |[i, j]: [usize; 2]| element(((i * 71 + j * 37) % 997) as f64 * 0.02);
            let x = Array2::<T>::from_fn([5, len], at);
            let turned = x.t().to_owned();
            for (way, exec) in ways.iter().enumerate() {
                for logarithm in [false, true] {
                    let of = |x: View2<'_, T>| match logarithm {
                        true => exec.install(|| x.log_softmax(1)).expect("an axis"),
                        false => exec.install(|| x.softmax(1)).expect("an axis"),
                    };
                    let (rows, slabs) = (of(x.view()), of(turned.t()));
                    if rows != slabs {
                        failures.push(format!("rows of {len}, way {way}, {logarithm}"));
                    }
                }
            }
        }
    }
    let mut failures = Vec::new();
    in_pool(|| {
        of(|x| x as f32, &mut failures);
        of(|x| x, &mut failures);
    });
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Folds and functions of lanes along each axis, few and many, on one thread and on several.
#[test]
fn folds_along_axes() {
    let mut failures = Vec::new();
    for shape in [[3, 4, 5], [1, 7, 2], [40, 30, 20], [6, 0, 3], [300, 40, 30]] {
        let x = Array3::from_fn(shape, |[i, j, k]| (i * 7 + j * 3 + k) as u64 % 11);
        for (way, x) in [("row-major", x.view()), ("turned", x.to_owned().t().to_owned().t())] {
            for axis in 0..3 {
                let step = |acc: u64, x: u64| acc.wrapping_mul(31) ^ x;
                let folded = x.fold_axis(axis, 7, step).expect("an axis");
                let of_lane = |lane: View1<'_, u64>| lane.iter().fold(7, |acc, &x| step(acc, x));
                let mapped = x.map_axis(axis, of_lane).expect("an axis");
                let expected: Vec<u64> = x.lanes(axis).expect("an axis").map(of_lane).collect();
                if folded.to_vec() != expected || mapped.to_vec() != expected {
                    failures.push(format!("{shape:?}, {way}, along {axis}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Folds of expressions over all elements, in their order: some are computed by parts.
#[test]
fn folds_of_expressions() {
    let mut failures = Vec::new();
    let step = |acc: u64, x: u64| acc.wrapping_mul(31) ^ x;
    for len in [0, 1, 7, 15, 16, 17, 63, 64, 65, 127, 128, 129, 1000] {
        let x = Array2::from_fn([5, len], |[i, j]| (i * 71 + j * 37) as u64 % 997);
        let turned = x.t().to_owned();
        let wide = Array2::from_fn([5, 3 * len], |[i, j]| x.get([i, j / 3]).map_or(0, |x| x * 2));
        let other = Array1::from_fn([len], |[j]| j as u64 * 3);
        let stepped = |row: usize| wide.slice(s![row, ..;3]).expect("it is there");
        for row in [0, 4] {
            let with = |double: bool| {
                let at = |j| if double { 2 * x[[row, j]] } else { x[[row, j]] };
                (0..len).fold(7, |acc, j| step(acc, at(j) + 3 * j as u64))
            };
            let mut check = |what: &str, found: Result<u64, Error>, expected: u64| {
                if found.as_ref().ok() != Some(&expected) {
                    failures.push(format!("{what} {row} of {len}: {found:?}, not {expected}"));
                }
            };
            check("row", (x.row(row) + &other).fold(7, step), with(false));
            check("column", (turned.column(row) + &other).fold(7, step), with(false));
            check("stepped", (stepped(row) + &other).fold(7, step), with(true));
            let pairs = zip((x.row(row), &other)).fold(7, |acc, (a, b)| step(acc, a + b));
            check("pairs", pairs, with(false));
        }
        let parts = (x.slice(s![1..4, ..]).expect("it is there") * 3).fold(7, step);
        let each = (1..4).flat_map(|i| (0..len).map(move |j| (i, j)));
        if parts.ok() != Some(each.fold(7, |acc, (i, j)| step(acc, 3 * x[[i, j]]))) {
            failures.push(format!("rows of a matrix of {len}"));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Norms are tried in fewer operations first, which loses very large and very small numbers: then
/// they are not the result.
#[test]
fn norms() {
    let mut failures = Vec::new();
    let at = |i: usize| (i * 7919 % 9973) as f64 / 97.0 - 40.0;
    let scales = [1.0, 0.0, 1e-140, 1e-160, 1e-310, 1e150, 1e200, 1e305, f64::INFINITY, f64::NAN];
    for (len, &scale) in
        [1, 2, 8, 17, 100, 5000].iter().flat_map(|len| scales.iter().map(move |s| (*len, s)))
    {
        let mut check = |what: &str, found: f64, expected: f64| {
            let close = if what == "the norm" { 1e-14 } else { 0.0 };
            let near = found == expected || ((found - expected) / expected).abs() < close;
            let undefined = found.is_nan() && expected.is_nan();
            if !near && !undefined {
                failures.push(format!("{what} of {len} times {scale}: {found}, not {expected}"));
            }
        };
        let x = Array1::from_fn([len], |[i]| at(i) * scale);
        // By its largest element, as hypot is.
        let largest = x.norm_max().expect("there are some");
        let ratios = x.iter().map(|x| (x / largest).powi(2)).sum::<f64>();
        let expected = if largest == 0.0 { 0.0 } else { largest * ratios.sqrt() };
        let whole = if largest.is_infinite() { largest } else { expected };
        let small = scale.abs() < 1e-300 && scale != 0.0;
        if !small {
            check("the norm", x.norm_l2().expect("it is defined"), whole);
        }
        let all = x.reduce_by(NormL2, ..).expect("it is defined");
        check("the same reduction", x.norm_l2().expect("it is defined"), all[[]]);
        let lazy = (&x * 1.0).norm_l2().expect("it is defined");
        check("that of an expression", lazy, all[[]]);
        // One of the rows is not as usual: all of them are right.
        let rows = Array2::from_fn([3, len], |[i, j]| at(j) * if i == 1 { scale } else { 1.0 });
        let found = rows.norm_l2_axis(1).expect("it is defined");
        let expected = rows.reduce_by(NormL2, 1).expect("it is defined");
        found.iter().zip(&expected).for_each(|(a, b)| check("a row's norm", *a, *b));
    }
    assert!(failures.is_empty(), "{} failures: {failures:#?}", failures.len());
}

/// What follows the element that decides is not computed.
#[test]
fn any_and_all_end() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    for len in [100, 1000, 100_000] {
        for decides in [0, 99] {
            let x = Array1::from_fn([len], |[i]| i);
            let calls = AtomicUsize::new(0);
            let any = x.mapv(|i| {
                calls.fetch_add(1, Ordering::Relaxed);
                i == decides
            });
            assert!(any.any().expect("it is defined"));
            let all = x.mapv(|i| {
                calls.fetch_add(1, Ordering::Relaxed);
                i != decides
            });
            assert!(!all.all().expect("it is defined"));
            let calls = calls.into_inner();
            assert!(calls <= 2 * 1024, "{calls} calls for element {decides} of {len}");
        }
        let x = Array1::from_fn([len], |[i]| i);
        assert!(!x.equal(len).any().expect("it is defined"));
        assert!(x.less(len).all().expect("it is defined"));
        assert!(x.equal(len - 1).any().expect("it is defined"));
        assert!(!x.less(len - 1).all().expect("it is defined"));
    }
}

/// Functions that take long are computed before they are reduced, or as they are reduced: to the
/// same bits.
#[test]
fn functions_at_the_root() {
    let mut failures = Vec::new();
    for shape in [[1, 1], [3, 17], [100, 10], [20, 3000], [3000, 20], [600, 300], [20_000, 8]] {
        // Among them arguments that are not usual.
        let x = Array2::from_fn(shape, |[i, j]| match (i * 31 + j * 17) % 1009 {
            0 => -800.0,
            k => k as f64 * 0.01 - 5.0,
        });
        for (layout, x) in [("row-major", x.view()), ("reversed", x.slice(s![..;-1, ..]).unwrap())]
        {
            let mut check = |what: &str, found: &[f64], expected: &[f64]| {
                let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits();
                if found.len() != expected.len() || !found.iter().zip(expected).all(same) {
                    failures.push(format!("{what} of {shape:?}, {layout}"));
                }
            };
            let (exp, tanh) = (x.exp().eval().unwrap(), x.tanh().eval().unwrap());
            for axis in [0, 1] {
                let sum = |x: &Array2<f64>| x.sum_axis(axis).unwrap().to_vec();
                let found = x.exp().sum_axis(axis).unwrap().to_vec();
                check("exponentials", &found, &sum(&exp));
                let found = x.tanh().sum_axis(axis).unwrap().to_vec();
                check("tangents", &found, &sum(&tanh));
                let found = x.exp().max_axis(axis).unwrap().to_vec();
                check("the largest", &found, &exp.max_axis(axis).unwrap().to_vec());
                let found = x.exp().var_axis(axis, 0.0).unwrap().to_vec();
                check("the variance", &found, &exp.var_axis(axis, 0.0).unwrap().to_vec());
            }
            check("all", &[x.exp().sum().unwrap()], &[exp.sum().unwrap()]);
            check("all of them", &[x.tanh().norm_l2().unwrap()], &[tanh.norm_l2().unwrap()]);
        }
    }
    assert!(failures.is_empty(), "{} failures: {failures:#?}", failures.len());
}

/// Several arrays folded in order, as they lie: rows, columns, whole matrices of either order.
#[test]
fn folds_of_several_arrays() {
    let mut failures = Vec::new();
    for (r, c) in [(1, 1), (2, 3), (7, 8), (20, 33), (0, 4), (4, 0)] {
        let at = |i: usize, j: usize| ((i * 31 + j * 17) % 101) as f64 * 0.37 - 9.0;
        let a = Array2::from_fn([r, c], |[i, j]| at(i, j));
        let b = Array2::from_fn([r, c], |[i, j]| at(j, i + 3));
        let turned = Array2::from_fn([c, r], |[j, i]| at(i, j));
        let index = |s: f64, x: f64, y: f64| s * 0.75 + x * y;
        let of = |indices: &mut dyn Iterator<Item = (usize, usize)>| {
            indices.fold(1.0, |s, (i, j)| index(s, a[[i, j]], b[[i, j]]))
        };
        let fold = |s, (x, y)| index(s, x, y);
        let mut cases = vec![
            (
                "all",
                zip((&a, &b)).fold(1.0, fold),
                of(&mut a.indexed_iter().map(|([i, j], _)| (i, j))),
            ),
            (
                "turned",
                zip((turned.t(), &b)).fold(1.0, fold),
                of(&mut a.indexed_iter().map(|([i, j], _)| (i, j))),
            ),
        ];
        if r * c > 0 {
            let (i, j) = (r / 2, c - 1);
            cases.push((
                "rows",
                zip((a.row(i), b.row(i))).fold(1.0, fold),
                of(&mut (0..c).map(|j| (i, j))),
            ));
            cases.push((
                "columns",
                zip((a.column(j), b.column(j))).fold(1.0, fold),
                of(&mut (0..r).map(|i| (i, j))),
            ));
            let sum = (a.row(i) + b.row(i) * 2.0).fold(0.0, |s, x| s * 0.5 + x);
            let expected = (0..c).fold(0.0, |s, j| s * 0.5 + (a[[i, j]] + b[[i, j]] * 2.0));
            cases.push(("a sum", sum, expected));
        }
        for (name, found, expected) in cases {
            match found {
                Ok(found) if found.to_bits() == expected.to_bits() => {}
                found => failures.push(format!("{r} x {c}, {name}: {found:?}, not {expected}")),
            }
        }
        // Extents of 1 would repeat.
        let longer = Array2::<f64>::zeros([r + 2, c + 2]);
        assert!((r, c) == (1, 1) || zip((&a, &longer)).fold(0.0, fold).is_err(), "{r} x {c}");
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Arrays that are as large as the result only together: a closure of both is called once for each
/// element.
#[test]
fn closures_of_outer_differences() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    for (n, m) in [(1, 1), (1, 5), (4, 1), (3, 4), (20, 17)] {
        let v = Array1::from_fn(n, |[i]| i as f64 * 1.5);
        let w = Array1::from_fn(m, |[j]| j as f64 * 0.25 - 1.0);
        let big = Array2::from_fn([n, m], |[i, j]| (i * m + j) as f64);
        let calls = AtomicUsize::new(0);
        let f = |x: f64| {
            calls.fetch_add(1, Ordering::Relaxed);
            x * x + 1.0
        };
        let differences =
            || v.insert_axis(1).expect("an axis") - w.insert_axis(0).expect("an axis");
        let at = |i: usize, j: usize| {
            let x = v[i] - w[j];
            x * x + 1.0
        };
        let all = differences().mapv(f).eval().expect("they fit");
        assert_eq!(calls.swap(0, Ordering::Relaxed), n * m, "{n} x {m}");
        assert_eq!(all, Array2::from_fn([n, m], |[i, j]| at(i, j)));
        let beside = (&big + differences().mapv(f)).eval().expect("they fit");
        assert_eq!(calls.swap(0, Ordering::Relaxed), n * m, "{n} x {m} beside an array");
        assert_eq!(beside, Array2::from_fn([n, m], |[i, j]| big[[i, j]] + at(i, j)));
        let sums = differences().mapv(f).sum_axis(1).expect("they fit");
        assert_eq!(calls.swap(0, Ordering::Relaxed), n * m, "{n} x {m} added up");
        let expected = all.sum_axis(1).expect("it has axes");
        assert_eq!(sums.mapv(f64::to_bits).eval(), expected.mapv(f64::to_bits).eval());
        let mut out = big.clone();
        out.assign(differences().mapv(f)).expect("they fit");
        assert_eq!((out, calls.swap(0, Ordering::Relaxed)), (all, n * m));
    }
}
