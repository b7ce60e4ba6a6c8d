//! Few elements that plainly repeat, which take no plan: rows, columns, vectors along either axis,
//! in all kinds of layouts, of new results and of those that exist, element by element.

use super::pairs::in_layout;
use conformance::support::Report;
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

/// What repeats along some axes is reduced as the array is that it is computed to, also where no
/// operand has all of its extents; and windows, which share elements, as a copy of them.
#[test]
fn are_reduced_as_they_repeat() -> Result<(), Error> {
    let mut report = Report::new("reductions of what repeats");
    macro_rules! check {
        ($name:expr, $expr:expr, $($axes:expr),*) => {{
            let (expr, whole) = ($expr, $expr.eval()?);
            report.equal(format!("{}: all", $name), expr.sum()?.to_bits(), whole.sum()?.to_bits());
            $({
                let (got, want) = (expr.sum_axis($axes)?, whole.sum_axis($axes)?);
                report.equal(format!("{}: sums {:?}", $name, $axes), got, want);
                let (got, want) = (expr.max_axis($axes)?, whole.max_axis($axes)?);
                report.equal(format!("{}: maxima {:?}", $name, $axes), got, want);
            })*
        }};
    }
    for [r, c] in SHAPES {
        for layout in 0..4 {
            let column = in_layout(layout, r, 1, &a_at);
            let row = in_layout(layout + 1, 1, c, &b_at);
            let name = format!("[{r}, 1] and [1, {c}] by {layout}");
            check!(&name, &column - 2.0 * &row, 0, 1, [0, 1]);
            // Folded as it is read, if it is not few elements.
            check!(format!("{name}, products"), &column * &row, 0, 1, [0, 1]);
            let (a, b) = (in_layout(layout, r, c, &a_at), in_layout(layout + 1, 4, c, &b_at));
            let (a, b) = (a.view().insert_axis(1)?, b.view().insert_axis(0)?);
            let name = format!("[{r}, 1, {c}] and [1, 4, {c}] by {layout}");
            check!(name, a + 3.0 * b, 0, 1, 2, [0, 2], [1, 2]);
            let whole = in_layout(layout, r, c, &a_at);
            for axis in [0, 1].into_iter().filter(|&axis| [r, c][axis] >= 3) {
                let windows = whole.sliding_window_view(axis, 3)?;
                let name = format!("windows along {axis} of [{r}, {c}] by {layout}");
                check!(name, windows, 0, 1, 2, [0, 2], [1, 2]);
            }
        }
    }
    report.finish(1000);
    Ok(())
}

/// An operand that an expression has again is read from the copy that was made of it; another one
/// that begins at the same element is not.
#[test]
fn operands_that_are_read_again() -> Result<(), Error> {
    let mut report = Report::new("operands that are read again");
    for [r, c] in SHAPES.into_iter().chain([[6, 6], [16, 16], [33, 40]]) {
        for layout in 0..4 {
            let a = in_layout(layout, r, c, &a_at);
            let long = Array1::from_fn([2 * r.max(c)], |[i]| b_at(i, 3));
            let (down, across) = (long.part(s![..r]), long.part(s![..c]));
            let stepped = long.part(s![..2 * r;2]);
            let name = format!("[{r}, {c}] by {layout}");
            let d = &a - down.along([0]);
            let cube = (d * d * d).eval()?;
            let at = |i, k| a_at(i, k) - b_at(i, 3);
            let want = |i, k| at(i, k) * at(i, k) * at(i, k);
            report.equal(format!("{name}: a cube"), is(cube.view(), [r, c], want), true);
            // The same first element along the other axis, or with another stride.
            let mixed = (d + across.along([1]) - down.along([0]) * stepped.along([0])).eval()?;
            let want = |i, k| at(i, k) + b_at(k, 3) - b_at(i, 3) * b_at(2 * i, 3);
            report.equal(format!("{name}: mixed"), is(mixed.view(), [r, c], want), true);
            let mut out = in_layout(layout + 1, r, c, &b_at);
            out += d * d;
            let want = |i, k| b_at(i, k) + at(i, k) * at(i, k);
            report.equal(format!("{name}: added"), is(out.view(), [r, c], want), true);
            // Of three axes, from copies.
            let cubes = (a.view().insert_axis(1)? - a.view().insert_axis(0)?).abs();
            let sum = (cubes * cubes).sum_axis(2)?;
            let mut same = sum.shape() == [r, r];
            for ([i, j], found) in sum.indexed_iter() {
                let each = (0..c).map(|k| (a_at(i, k) - a_at(j, k)).abs()).map(|x| x * x);
                let want: f64 = each.sum();
                same &= (found - want).abs() <= 1e-12 * want.abs();
            }
            report.equal(format!("{name}: distances"), same, true);
        }
    }
    report.finish(190);
    Ok(())
}

/// A new result lies as its operands do, in column-major order as well, however few there are.
#[test]
fn new_results_lie_as_their_operands_do() {
    let mut report = Report::new("strides of few results");
    for [r, c] in [[2, 3], [3, 3], [9, 4], [20, 20], [40, 70]] {
        let (a, b) = (in_layout(1, r, c, &a_at), in_layout(1, r, c, &b_at));
        let (row, column) = (in_layout(0, 1, c, &b_at), in_layout(0, r, 1, &b_at));
        let f_order = [1, r as isize];
        let mut check = |name: &str, result: Result<Array2<f64>, Error>| {
            let result = result.expect("it fits");
            report.equal(format!("{name} {r} x {c}"), result.strides().to_vec(), f_order.to_vec());
        };
        check("two", (&a - 2.0 * &b).eval());
        check("and a row", (&a - 2.0 * &row).eval());
        check("and a column", (&a - 2.0 * &column).eval());
        check("and a vector", (&a - row.row(0).along([1])).eval());
    }
    report.finish(20);
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
    // Parts that repeat in the result have one shape among them.
    assert!((&x + column.greater(0.0).select(&column, &row)).eval().is_err());
    assert!((&x + column.greater(0.0).select(&column, &x)).eval().is_err());
    assert!((&x + x.greater(0.0).select(&column, 1.0)).eval().is_err());
    let chosen = (&x + column.greater(0.0).select(&column, 7.0)).eval();
    assert_eq!(chosen.unwrap(), Array2::from_elem([3, 4], 2.0));
    // Of three axes, which are those of a matrix in all of them.
    let (x, rows) = (Array3::<f64>::ones([3, 2, 4]), Array3::<f64>::ones([1, 2, 4]));
    let mut out = Array3::<f64>::zeros([3, 2, 4]);
    assert!(x.greater(0.0).select(&x, &rows).eval().is_err());
    assert!(out.assign(x.greater(0.0).select(&x, &rows)).is_err());
    assert!(out.assign(x.clamp(&rows, 2.0)).is_err());
    assert!(out.assign(&x + rows.greater(0.0).select(&rows, &x)).is_err());
    assert_eq!(out, Array3::<f64>::zeros([3, 2, 4]), "nothing is written");
    out += rows.greater(0.0).select(&rows, 7.0);
    assert_eq!(out, x);
}

#[test]
fn axes_that_are_not_there_are_errors() {
    let x = Array2::<f64>::ones([3, 4]);
    let mut out = Array2::<f64>::zeros([3, 4]);
    for axis in [2, 31, 32, 63, 64, 100, usize::MAX] {
        let error = (&x + iota::<f64>(axis)).eval().expect_err("no such axis").to_string();
        assert!(error.contains(&axis.to_string()), "{axis}: {error}");
        assert!(out.assign(&x * iota::<f64>(axis)).is_err(), "{axis}");
    }
    assert_eq!(out, Array2::<f64>::zeros([3, 4]), "nothing is written");
}

/// The exponential of a number, one at a time: what is tested here is where elements lie.
fn exp(x: f64) -> f64 {
    array![x].exp().eval().expect("one element")[[0]]
}

#[test]
fn what_goes_through_buffers_repeats_as_it_says() {
    let mut failures = Vec::new();
    for (shape @ [r, c], layout) in SHAPES.iter().flat_map(|&shape| (0..4).map(move |l| (shape, l)))
    {
        let small = |i, k| a_at(i, k) / 1e6;
        let (own, other) = (in_layout(layout, r, c, &small), in_layout(layout / 2, r, c, &b_at));
        let (a, b) = (own.view(), other.view());
        let exps: Vec<f64> = (0..r * c).map(|at| exp(small(at / c, at % c))).collect();
        let exps_of_b: Vec<f64> = (0..r.max(c)).map(|i| exp(b_at(i, 1))).collect();
        let exps_of_indices: Vec<f64> = (0..r.max(c)).map(|i| exp(i as f64 / 8.0)).collect();
        let exp_at = |i: usize, k: usize| exps[i * c + k];
        let mut check = |what: &str, failed: Option<&str>| {
            if let Some(failed) = failed {
                failures.push(format!("{shape:?} by {layout}, {what}: {failed}"));
            }
        };
        macro_rules! checks {
            ($what:expr, $at:expr, $expr:expr) => {
                check(
                    $what,
                    fails(shape, &$at, &|| $expr.eval(), &|out| out.assign($expr), &|out| {
                        *out += $expr
                    }),
                )
            };
        }
        checks!("beside a whole", |i, k| exp_at(i, k) * b_at(i, k), a.exp() * b);
        checks!("of two", |i, k| exp_at(i, k) - exp(b_at(i, k)), a.exp() - b.exp());
        checks!("beside a scalar", |i, k| exp_at(i, k) + 1.0, a.exp() + 1.0);
        checks!(
            "beside indices",
            |i: usize, k: usize| exp_at(i, k) * i as f64 - k as f64,
            a.exp() * iota::<f64>(0) - iota::<f64>(1)
        );
        checks!(
            "indices of a shape",
            |i: usize, k: usize| (2 * i + 3 * k) as f64,
            indices([r, c]).map(|[i, k]| (2 * i + 3 * k) as f64)
        );
        let (long, stretches) = (
            in_layout(layout, 1, c, &|_, i| b_at(i, 1)),
            in_layout(layout, r, 1, &|i, _| b_at(i, 1)),
        );
        let v: View1<'_, f64> = long.row(0);
        checks!(
            "by NumPy's rule",
            |i, k| exp_at(i, k) * b_at(k, 1) - b_at(i, 1),
            numpy(a).exp() * numpy(v) - numpy(&stretches)
        );
        checks!(
            "by NumPy's rule, the lower rank first",
            |i: usize, k: usize| exps_of_b[k] - small(i, k),
            numpy(v).exp() - numpy(a)
        );
        for axis in 0..2 {
            let long = in_layout(layout, 1, shape[axis], &|_, i| b_at(i, 1));
            let v: View1<'_, f64> = long.row(0);
            let v_at = |i, k| b_at([i, k][axis], 1);
            checks!(
                ["along 0", "along 1"][axis],
                |i, k| exp_at(i, k) * v_at(i, k),
                a.exp() * v.along([axis])
            );
            checks!(
                ["lifted, along 0", "lifted, along 1"][axis],
                |i: usize, k: usize| exps_of_b[[i, k][axis]] - small(i, k),
                v.exp().along([axis]) - a
            );
            checks!(
                ["of indices along 0", "of indices along 1"][axis],
                |i: usize, k: usize| exps_of_indices[[i, k][axis]] - small(i, k),
                (iota::<f64>(axis) / 8.0).exp() - a
            );
            checks!(
                ["chosen by a mask, along 0", "chosen by a mask, along 1"][axis],
                |i, k| if b_at(i, k) > 0.0 { small(i, k) } else { v_at(i, k) },
                b.greater(0.0).select(a, v.along([axis]))
            );
            checks!(
                ["chosen by a mask along 0", "chosen by a mask along 1"][axis],
                |i, k| if v_at(i, k) > 0.0 { exp_at(i, k) } else { b_at(i, k) },
                v.greater(0.0).along([axis]).select(a.exp(), b)
            );
            checks!(
                ["limited along 0", "limited along 1"][axis],
                |i, k| {
                    let low = v_at(i, k);
                    if b_at(i, k) < low { low } else { b_at(i, k).min(50.0) }
                },
                b.clamp(v.along([axis]), 50.0)
            );
        }
    }
    assert!(failures.is_empty(), "{} fail:\n{}", failures.len(), failures.join("\n"));
}

/// All orders of three axes.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

#[test]
fn what_is_computed_before_the_rest_lies_anywhere() {
    let mut report = Report::new("few elements with parts that repeat");
    let at = |i: usize, j: usize, k: usize| (i * 7919 + j * 104_729 + k * 613) as f64 / 97.0;
    for shape in [[3, 4, 6], [1, 4, 2], [5, 1, 7], [2, 20, 30], [9, 30, 40]] {
        let base = Array3::from_shape_fn(shape, |(i, j, k)| at(i, j, k));
        for order in ORDERS {
            let x = base.permuted_axes(order).unwrap();
            let dim = x.dim();
            let m = Array3::from_shape_fn((dim[0], 1, dim[2]), |(i, _, k)| at(k, i, 1) - 900.0);
            let v = Array1::from_shape_fn(dim[1], |j| at(j, 2, j) + 1.0);
            let choose = |m: f64| if m < 0.0 { 1.0 } else { m };
            type Made = Result<Array3<f64>, Error>;
            type At<'a> = &'a dyn Fn(f64, f64, f64) -> f64;
            let rows: [(&str, Made, At<'_>); 7] = [
                ("less means", (x - &m).eval(), &|x, m, _| x - m),
                ("by a closure", (x / m.mapv(choose)).eval(), &|x, m, _| x / choose(m)),
                ("by a choice", (x / m.less(0.0).select(1.0, &m)).eval(), &|x, m, _| x / choose(m)),
                ("by roots", (x * v.along([1]).sqrt()).eval(), &|x, _, v| x * v.sqrt()),
                ("by roots, along", (x * v.sqrt().along([1])).eval(), &|x, _, v| x * v.sqrt()),
                (
                    "by roots of closures",
                    (x - (v.mapv(|v| v + 0.5).sqrt().along([1]) - m.mapv(choose))).eval(),
                    &|x, m, v| x - ((v + 0.5).sqrt() - choose(m)),
                ),
                (
                    "a root of both",
                    ((x + v.sqrt().along([1])).sqrt() * m.mapv(choose).sqrt()).eval(),
                    &|x, m, v| (x + v.sqrt()).sqrt() * choose(m).sqrt(),
                ),
            ];
            for (name, made, expected) in rows {
                let holds = made.is_ok_and(|made| {
                    made.shape() == x.shape()
                        && made.indexed_iter().all(|([i, j, k], got)| {
                            let expected = expected(x[[i, j, k]], m[[i, 0, k]], v[[j]]);
                            got.to_bits() == expected.to_bits()
                        })
                });
                report.holds(format!("{name}, {shape:?} in order {order:?}"), holds);
            }
        }
    }
    report.finish(210);
}
