//! Closures within expressions: part of what they are an operand of, and called once for each
//! element of their own; in all layouts, on all ways from a few elements to a plan, element by
//! element.

use super::pairs::in_layout;
use conformance::support::execs::in_pool;
use std::sync::atomic::{AtomicUsize, Ordering};
use zerostride::prelude::*;
use zerostride::{Exec, Isa, for_each, zip};

fn execs() -> [(&'static str, Exec); 4] {
    let serial = Exec::new().parallel(false);
    [
        ("by default", Exec::new()),
        ("serial", serial),
        ("baseline", serial.isa(Isa::BASELINE)),
        ("parallel", Exec::new().parallel(true).grain(1)),
    ]
}

/// A value at an index.
type At<'a> = &'a dyn Fn(usize, usize) -> f64;

#[test]
fn within_expressions() {
    let mut failures = Vec::new();
    let x_at = |i: usize, j: usize| ((i * 31 + j * 7) % 64) as f64 * 0.25 - 3.0;
    let y_at = |i: usize, j: usize| ((i * 5 + j * 11) % 32) as f64 * 0.5 + 1.0;
    let v_at = |j: usize| (j % 16) as f64 + 1.0;
    let sizes = [(1, 1), (2, 3), (3, 16), (12, 4), (9, 17), (40, 33), (70, 130), (5, 3000)];
    for (number, &(r, c)) in sizes.iter().cycle().take(4 * sizes.len()).enumerate() {
        let (x, y) = (in_layout(number, r, c, &x_at), in_layout(number / 8, r, c, &y_at));
        let v = Array1::from_fn(c, |[j]| v_at(j));
        let w = Array1::from_fn(r, |[i]| v_at(i + 3));
        for (name, exec) in execs() {
            let calls = AtomicUsize::new(0);
            // Exact, so that the sums are the same in any order.
            let f = |x: f64| {
                calls.fetch_add(1, Ordering::Relaxed);
                x * 2.0 - 1.0
            };
            let g = |x: f64| x * 2.0 - 1.0;
            let mut check =
                |what: &str, want: usize, found: &dyn Fn() -> Array2<f64>, at: At<'_>| {
                    calls.store(0, Ordering::Relaxed);
                    let found = found();
                    let called = calls.load(Ordering::Relaxed);
                    let wrong = (0..r)
                        .flat_map(|i| (0..c).map(move |j| (i, j)))
                        .find(|&(i, j)| found[[i, j]] != at(i, j));
                    if called != want || wrong.is_some() {
                        failures.push(format!(
                        "{r} x {c}, layouts {number}, {name}: {what}: {called} calls, not {want}; \
                         wrong at {wrong:?}"
                    ));
                    }
                };
            in_pool(|| {
                exec.install(|| {
                    let all = r * c;
                    check(
                        "beside an array",
                        all,
                        &|| (&x * 0.5 + y.map(f)).eval().expect("they fit"),
                        &|i, j| x_at(i, j) * 0.5 + g(y_at(i, j)),
                    );
                    check(
                        "of a difference from a row, times a column",
                        all,
                        &|| ((&x - v.along([1])).map(f) * w.along([0])).eval().expect("they fit"),
                        &|i, j| g(x_at(i, j) - v_at(j)) * v_at(i + 3),
                    );
                    check(
                        "in a closure, in a product",
                        2 * all,
                        &|| (zip((&x, y.map(f))).map(|(x, y)| f(x + y)) * &x).eval().expect("ok"),
                        &|i, j| g(x_at(i, j) + g(y_at(i, j))) * x_at(i, j),
                    );
                    check(
                        "of a row, which repeats",
                        c,
                        &|| (&x + v.map(f).along([1])).eval().expect("they fit"),
                        &|i, j| x_at(i, j) + g(v_at(j)),
                    );
                    check(
                        "of a column along the rows",
                        r,
                        &|| (&x + w.along([0]).map(f)).eval().expect("they fit"),
                        &|i, j| x_at(i, j) + g(v_at(i + 3)),
                    );
                    check(
                        "beside one of all elements, of a row",
                        all + c,
                        &|| (x.map(f) * v.along([1]).map(f)).eval().expect("they fit"),
                        &|i, j| g(x_at(i, j)) * g(v_at(j)),
                    );
                    check(
                        "beside a function that goes through a buffer",
                        all,
                        &|| (x.map(f) + (&y * 0.0).exp()).eval().expect("they fit"),
                        &|i, j| g(x_at(i, j)) + 1.0,
                    );
                    check(
                        "added to a part",
                        all,
                        &|| {
                            let mut wide = Array2::<f64>::zeros([r + 1, c + 2]);
                            let mut part = wide.slice_mut(s![1.., 1..c + 1]).expect("a part");
                            part += &x - y.map(f);
                            part.to_owned()
                        },
                        &|i, j| x_at(i, j) - g(y_at(i, j)),
                    );
                    check(
                        "sums along each axis and over all",
                        4 * all,
                        &|| {
                            let of = || (&x + v.along([1])).map(f) * 0.5 - w.along([0]);
                            let same = |a: f64, b: f64| assert_eq!(a, b, "{r} x {c}, {name}");
                            let value = |i, j| g(x_at(i, j) + v_at(j)) * 0.5 - v_at(i + 3);
                            let down = of().sum_axis(0).expect("they fit");
                            (0..c).for_each(|j| same(down[j], (0..r).map(|i| value(i, j)).sum()));
                            let along = of().sum_axis(1).expect("they fit");
                            (0..r).for_each(|i| same(along[i], (0..c).map(|j| value(i, j)).sum()));
                            same(of().sum().expect("they fit"), along.iter().sum());
                            of().eval().expect("they fit")
                        },
                        &|i, j| g(x_at(i, j) + v_at(j)) * 0.5 - v_at(i + 3),
                    );
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

/// What a closure takes is measured by the first part of so many elements that they are not worth
/// threads if it takes little: each element is computed once, whatever is found.
#[test]
fn are_tried_before_they_are_shared() {
    let mut failures = Vec::new();
    // As many as are tried by default, for closures that take long, and little; in layouts of which
    // the first part is cut along either axis.
    for (number, long) in (0..4).flat_map(|layout| [(layout, false), (layout, true)]) {
        let (r, c) = if number == 0 { (3, 60_000) } else { (300, 601) };
        let x = in_layout(number, r, c, &|i, j| (i * 7 + j * 3) as f64);
        let calls = AtomicUsize::new(0);
        let f = |x: f64| {
            calls.fetch_add(1, Ordering::Relaxed);
            // The same value, as nobody can know.
            (0..if long { 20 } else { 0 }).fold(x + 1.0, |x, _| std::hint::black_box(x))
        };
        let right = |found: &Array2<f64>, at: At<'_>| {
            found.shape() == [r, c] && found.indexed_iter().all(|([i, j], x)| *x == at(i, j))
        };
        let once = || calls.swap(0, Ordering::Relaxed) == r * c;
        in_pool(|| {
            Exec::new().parallel(true).install(|| {
                let new = x.mapv(f).eval().expect("it fits");
                let mut checks = vec![once() && right(&new, &|i, j| (i * 7 + j * 3 + 1) as f64)];
                let mut changed = x.clone();
                changed.mapv_inplace(f);
                checks.push(once() && changed == new);
                let mut beside = x.to_owned();
                for_each((&mut changed, &mut beside), &x, |(a, b), x| {
                    (*a, *b) = (f(*a), x);
                })
                .expect("it fits");
                checks.push(once() && right(&changed, &|i, j| (i * 7 + j * 3 + 2) as f64));
                checks.push(beside == x);
                if checks.contains(&false) {
                    failures.push(format!("layout {number}, long: {long}: {checks:?}"));
                }
            });
        });
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
