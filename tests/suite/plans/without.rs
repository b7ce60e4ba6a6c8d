//! What is computed without a plan has the bits of what is computed by one.

use zerostride::prelude::*;

/// The ways to a product of a matrix and a vector.
#[test]
fn products_with_vectors() {
    let mut failures = Vec::new();
    for k in [1_usize, 2, 5, 15, 16, 17, 31, 33, 100, 256, 257, 1000, 1024, 1025, 4097, 70_001] {
        for m in [1_usize, 3, 17, 40] {
            let at = |i: usize, j: usize| ((i * 31 + j * 17) % 1009) as f32 * 0.37 - 150.0;
            let a = Array2::<f32>::from_fn([m, k], |[i, j]| at(i, j));
            let turned = Array2::<f32>::from_fn([k, m], |[j, i]| at(i, j));
            let wide = Array2::<f32>::from_fn([m, k + 3], |[i, j]| at(i, j));
            let gaps = wide.slice(s![.., ..k]).expect("a part");
            let v = Array1::<f32>::from_fn(k, |[j]| ((j * 7) % 101) as f32 * 0.013 - 0.5);
            let expected = (&a * v.along([1])).sum_axis(1).expect("they fit");
            let dot = |x: View2<'_, f32>| x.dot(&v).expect("they fit").to_vec();
            let rows = |f: &dyn Fn(View1<'_, f32>) -> f32| a.rows().map(f).collect::<Vec<_>>();
            let ways = [
                ("rows", dot(a.view())),
                ("gaps", dot(gaps)),
                ("turned", dot(turned.t())),
                ("from the left", v.dot(&turned).expect("they fit").to_vec()),
                ("row by row", rows(&|row| row.dot(&v).expect("they fit"))),
                ("sums of rows", rows(&|row| (row * &v).sum().expect("they fit"))),
            ];
            for (way, found) in ways {
                let same = found.iter().zip(&expected).all(|(a, b)| a.to_bits() == b.to_bits());
                if !same || found.len() != m {
                    failures.push(format!("{m} x {k}, {way}"));
                }
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
