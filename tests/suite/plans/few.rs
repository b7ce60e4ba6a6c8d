//! Few elements that plainly repeat, which take no plan: rows, columns, vectors along either axis,
//! in all kinds of layouts, of new results and of those that exist, element by element.

use super::pairs::in_layout;
use std::sync::atomic::{AtomicUsize, Ordering};
use zerostride::prelude::*;
use zerostride::{Error, View1, View2};

/// Extents that are equal, so that one axis could be taken for the other, and that are not; of rows
/// that are shorter than is worth a loop, and longer; and more than there is room for on the stack.
const SHAPES: [[usize; 2]; 9] =
    [[1, 1], [1, 5], [5, 1], [3, 3], [4, 9], [9, 4], [8, 8], [20, 20], [40, 70]];

fn a_at(i: usize, k: usize) -> f64 {
    (i * 7919 + k * 104_729) as f64 / 97.0
}

fn b_at(i: usize, k: usize) -> f64 {
    ((i * 6101 + k * 15_485) % 8831) as f64 / 89.0 - 50.0
}

/// Whether all elements are these.
fn is(result: View2<'_, f64>, [r, c]: [usize; 2], at: impl Fn(usize, usize) -> f64) -> bool {
    result.shape() == [r, c]
        && result.indexed_iter().all(|([i, k], x)| x.to_bits() == at(i, k).to_bits())
}

/// What does not hold of an expression whose element `[i, k]` is `at(i, k)`, which `eval`, `assign`
/// and `update` compute.
fn fails(
    shape: [usize; 2],
    at: &dyn Fn(usize, usize) -> f64,
    eval: &dyn Fn() -> Result<Array2<f64>, Error>,
    assign: &dyn Fn(&mut ViewMut2<'_, f64>) -> Result<(), Error>,
    update: &dyn Fn(&mut ViewMut2<'_, f64>),
) -> Option<&'static str> {
    let [r, c] = shape;
    if !eval().is_ok_and(|new| is(new.view(), shape, at)) {
        return Some("new");
    }
    // In row-major order, in the other one, and with gaps, beside which nothing is written.
    for way in 0..3 {
        let mut memory = match way {
            0 => Array2::from_elem([r, c], -1.0),
            1 => Array2::from_elem([c, r], -1.0).reversed_axes(),
            _ => Array2::from_elem([r + 2, c + 2], -1.0),
        };
        let check = |out: &mut ViewMut2<'_, f64>| {
            let assigned = assign(out).is_ok() && is(out.view(), shape, at);
            update(out);
            assigned && is(out.view(), shape, |i, k| at(i, k) + at(i, k))
        };
        let right = match way {
            0 | 1 => check(&mut memory.view_mut()),
            _ => {
                let inside = check(&mut memory.slice_mut(s![1..=r, 1..=c]).expect("a part"));
                let edge = |[i, k]: [usize; 2]| i == 0 || k == 0 || i > r || k > c;
                inside && memory.indexed_iter().all(|(index, x)| !edge(index) || *x == -1.0)
            }
        };
        if !right {
            return Some(["into row-major", "into column-major", "into a part"][way]);
        }
    }
    None
}

#[test]
fn repeat_as_they_say() {
    let mut failures = Vec::new();
    for (number, shape @ [r, c]) in SHAPES.into_iter().enumerate() {
        let all = in_layout(number, 1, c, &|_, k| a_at(0, k));
        let whole = View2::from(&all).broadcast_to([r, c]).expect("a row that repeats");
        let place = |repeats: bool, i: usize| if repeats { 0 } else { i };
        // The first operand: as large as the result, a row, a column, and a view that repeats.
        for (kind, layout) in (0..4).flat_map(|kind| (0..4).map(move |layout| (kind, layout))) {
            let (rows, columns) = (if kind == 1 { 1 } else { r }, if kind == 2 { 1 } else { c });
            let own = in_layout(layout, rows, columns, &a_at);
            let a = if kind == 3 { whole } else { own.view() };
            let a_of = |i, k| a_at(place(kind == 1 || kind == 3, i), place(kind == 2, k));
            let mut check = |of_b: &str, failed: Option<&str>| {
                if let Some(failed) = failed {
                    failures.push(format!("{shape:?}, {kind} by {layout}, {of_b}: {failed}"));
                }
            };
            // The second one: the same, and vectors along either axis.
            for of_b in 0..3 {
                let (rows, columns) =
                    (if of_b == 1 { 1 } else { r }, if of_b == 2 { 1 } else { c });
                // Together they are as large as the result.
                if (kind == 1 && of_b == 1 && r > 1) || (kind == 2 && of_b == 2 && c > 1) {
                    continue;
                }
                let b = in_layout(layout / 2 + of_b, rows, columns, &b_at);
                let at = |i, k| a_of(i, k) - 2.0 * b_at(place(of_b == 1, i), place(of_b == 2, k));
                check(
                    ["whole", "a row", "a column"][of_b],
                    fails(
                        shape,
                        &at,
                        &|| (a - 2.0 * &b).eval(),
                        &|out| out.assign(a - 2.0 * &b),
                        &|out| *out += a - 2.0 * &b,
                    ),
                );
            }
            for axis in 0..2 {
                // Together they are as large as the result, too.
                if (kind == 1 && axis == 1) || (kind == 2 && axis == 0) {
                    continue;
                }
                let long = in_layout(layout, 1, shape[axis], &|_, i| b_at(i, 1));
                let v: View1<'_, f64> = long.row(0);
                let at = |i, k| a_of(i, k) - 2.0 * b_at([i, k][axis], 1);
                check(
                    ["along 0", "along 1"][axis],
                    fails(
                        shape,
                        &at,
                        &|| (a - (2.0 * v).along([axis])).eval(),
                        &|out| out.assign(a - (2.0 * v).along([axis])),
                        &|out| *out += a - (2.0 * v).along([axis]),
                    ),
                );
            }
        }
    }
    assert!(failures.is_empty(), "{} fail:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn closures_over_what_repeats_are_called_once() {
    let calls = AtomicUsize::new(0);
    let f = |x: f64| {
        calls.fetch_add(1, Ordering::Relaxed);
        x + 1.0
    };
    let (x, v) = (Array2::<f64>::ones([3, 4]), Array1::<f64>::ones(4));
    let (row, line) = (Array2::<f64>::ones([1, 4]), Array1::<f64>::ones(3));
    let (mut out, mut along) = (Array2::<f64>::zeros([3, 4]), Array1::<f64>::zeros(3));
    let check = |what: &str, expected: usize| {
        assert_eq!(calls.swap(0, Ordering::Relaxed), expected, "{what}");
    };
    out.assign(&x + v.mapv(f).along([1])).unwrap();
    check("a row of a result", 4);
    assert_eq!((&x + row.mapv(f)).eval().unwrap(), Array2::from_elem([3, 4], 3.0));
    check("an array of one row", 4);
    out.assign((&x + v.along([1])).mapv(f)).unwrap();
    check("all of a result", 12);
    let one = Array0::from_elem((), 1.0);
    along.assign(line.view() + one.mapv(f).along([])).unwrap();
    check("a scalar beside a line", 1);
    assert_eq!(along, array![3.0, 3.0, 3.0]);
}

#[test]
fn what_has_to_be_equal_does_not_repeat() {
    let (x, row) = (Array2::<f64>::ones([3, 4]), Array2::<f64>::ones([1, 4]));
    let mut out = Array2::<f64>::zeros([3, 4]);
    assert!(x.greater(0.0).select(&x, &row).eval().is_err());
    assert!(out.assign(x.greater(0.0).select(&x, &row)).is_err());
    assert_eq!(out, Array2::<f64>::zeros([3, 4]), "nothing is written");
    assert!(x.clamp(&row, 2.0).eval().is_err());
    let (column, line) = (Array2::<f64>::ones([3, 1]), Array1::<f64>::ones(4));
    assert!(column.greater(0.0).select(&column, line.along([1])).eval().is_err());
}
