//! Rows that are computed by one call: a matrix beside a row that repeats, in all kinds of layouts
//! and ways of execution, element by element.

use conformance::support::execs::{Ways, in_pool};
use zerostride::prelude::*;
use zerostride::{for_each, ops};

/// The matrix in some layout, of which element `[i, j]` is `at(i, j)`.
fn layouts(
    r: usize,
    c: usize,
    at: &dyn Fn(usize, usize) -> f64,
) -> Vec<(&'static str, Array2<f64>)> {
    let whole = Array2::<f64>::from_fn([r, c], |[i, j]| at(i, j));
    let wide =
        Array2::<f64>::from_fn([r + 2, c + 3], |[i, j]| at(i.wrapping_sub(1), j.wrapping_sub(2)));
    let backwards = Array2::<f64>::from_fn([r, c], |[i, j]| at(r - 1 - i, j));
    let apart = Array2::<f64>::from_fn([2 * r, c], |[i, j]| at(i / 2, j));
    let turned = Array2::<f64>::from_fn([c, r], |[j, i]| at(i, j));
    vec![
        ("as it lies", whole),
        ("a part", wide.slice_move(s![1..1 + r, 2..2 + c]).expect("a part")),
        ("backwards", backwards.slice_move(s![..;-1, ..]).expect("a part")),
        ("every other row", apart.slice_move(s![..;2, ..]).expect("a part")),
        ("turned", turned.reversed_axes()),
    ]
}

#[test]
fn rows_beside_one_that_repeats() {
    let mut failures = Vec::new();
    let at = |i: usize, j: usize| {
        ((i.wrapping_mul(31)).wrapping_add(j.wrapping_mul(17)) % 1009) as f64 * 0.25
    };
    let row = |j: usize| (j % 97) as f64 * 0.5 - 7.0;
    // Short rows, rows at the edges of registers, of lines, of what needs no plan, and of caches.
    let sizes = [
        (1, 1),
        (2, 7),
        (3, 8),
        (5, 9),
        (22, 22),
        (40, 65),
        (100, 128),
        (129, 130),
        (300, 17),
        (1000, 31),
        (700, 200),
    ];
    for (r, c) in sizes {
        let v = Array1::<f64>::from_fn(c, |[j]| row(j));
        let every_other = Array1::<f64>::from_fn(2 * c, |[j]| row(j / 2));
        let gaps = every_other.slice(s![..;2]).expect("a part");
        let once = v.view().insert_axis(0).expect("an axis");
        for (layout, x) in layouts(r, c, &at) {
            let number = r + c + layout.len();
            let ways = if r * c <= 500 { Ways::All } else { Ways::Turn(number) };
            for way in ways.list() {
                in_pool(|| {
                    way.0.install(|| {
                    let mut check = |what: &str, found: &dyn Fn(usize, usize) -> f64, f: &dyn Fn(f64, f64) -> f64| {
                        for (i, j) in (0..r).flat_map(|i| (0..c).map(move |j| (i, j))) {
                            let (found, expected) = (found(i, j), f(at(i, j), row(j)));
                            if found != expected {
                                failures.push(format!(
                                    "{r} x {c}, {layout}, {way}, {what} at [{i}, {j}]: {found}, not {expected}"
                                ));
                                return;
                            }
                        }
                    };
                    let sum = (&x + v.along([1])).eval().expect("they fit");
                    check("a sum", &|i, j| sum[[i, j]], &|x, v| x + v);
                    let apart = (&x * gaps.along([1]) - 1.0).eval().expect("they fit");
                    check("of a row with gaps", &|i, j| apart[[i, j]], &|x, v| x * v - 1.0);
                    let degenerate = (once - &x).eval().expect("they fit");
                    check("of one row", &|i, j| degenerate[[i, j]], &|x, v| v - x);
                    let long = (&x + v.along([1])).abs().sqrt().eval().expect("they fit");
                    check("of a function", &|i, j| long[[i, j]], &|x, v| (x + v).abs().sqrt());
                    let owned = (x.clone() + v.along([1])).eval().expect("they fit");
                    check("in the memory of an operand", &|i, j| owned[[i, j]], &|x, v| x + v);
                    let mut updated = x.clone();
                    updated.update(ops::Mul, v.along([1])).expect("they fit");
                    check("an update", &|i, j| updated[[i, j]], &|x, v| x * v);
                    let mut wide = Array2::<f64>::zeros([r + 1, c + 2]);
                    let mut part = wide.slice_mut(s![1.., 1..=c]).expect("a part");
                    part.assign(&x - v.along([1])).expect("they fit");
                    check("into a part", &|i, j| wide[[i + 1, j + 1]], &|x, v| x - v);
                    let around = wide.row(0).iter().chain(wide.column(0)).chain(wide.column(c + 1));
                    assert!(around.copied().all(|x| x == 0.0), "something else was written");
                    let mut turned = Array2::<f64>::zeros([c, r]);
                    turned.t_mut().assign(&x - v.along([1])).expect("they fit");
                    check("into columns", &|i, j| turned[[j, i]], &|x, v| x - v);
                    let mut both = (x.clone(), Array2::<f64>::zeros([r, c]));
                    for_each((&mut both.0, &mut both.1), v.along([1]), |(a, b), v| {
                        *b = *a - v;
                        *a += v;
                    })
                    .expect("they fit");
                    check("the first of two", &|i, j| both.0[[i, j]], &|x, v| x + v);
                    check("the second of two", &|i, j| both.1[[i, j]], &|x, v| x - v);
                })
                });
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} failures, {:#?}",
        failures.len(),
        &failures[..failures.len().min(20)]
    );
}

/// Vectors into columns, and from them.
#[test]
fn vectors_and_columns() {
    let mut failures = Vec::new();
    for n in [1_usize, 2, 5, 8, 33, 100, 3000] {
        let v = Array1::<f32>::from_fn(n, |[i]| i as f32);
        for step in [1_isize, 3, -2] {
            let width = step.unsigned_abs();
            let mut all = Array2::<f32>::full([n, width], -1.0);
            let whole = all.clone();
            let last = width as isize - 1;
            let mut lane = match step < 0 {
                true => all.slice_mut(s![..;-1, last]),
                false => all.slice_mut(s![.., last]),
            }
            .expect("a column");
            lane.assign(&v).expect("they fit");
            lane += 1.0;
            lane.update(ops::Add, &v).expect("they fit");
            for (i, j) in (0..n).flat_map(|i| (0..width).map(move |j| (i, j))) {
                let from = if step < 0 { n - 1 - i } else { i } as f32;
                let expected = if j == width - 1 { 2.0 * from + 1.0 } else { whole[[i, j]] };
                if all[[i, j]] != expected {
                    failures.push(format!("{n}, step {step}: {} at [{i}, {j}]", all[[i, j]]));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}
