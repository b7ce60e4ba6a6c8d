//! What repeats in a result is computed once, at its own size, wherever it is written; and asking
//! for a shape or a plan computes nothing.

use conformance::support::Report;
use conformance::support::execs::in_pool;
use conformance::support::report::problem_of;
use std::sync::atomic::{AtomicUsize, Ordering};
use zerostride::prelude::*;
use zerostride::{ArgMax, Exec, Isa, Op, Sum, Var, ViewMut, ops};

/// Halves, and counts how often.
#[derive(Clone, Copy)]
struct Counting<'c>(&'c AtomicUsize);

impl Op<f64> for Counting<'_> {
    type Output = f64;

    fn apply(&self, x: f64) -> f64 {
        self.0.fetch_add(1, Ordering::Relaxed);
        x / 2.0
    }
}

/// Serial, split down to single elements, and past the cache.
fn execs() -> [(&'static str, Exec); 4] {
    let serial = Exec::new().parallel(false);
    [
        ("by default", Exec::new()),
        ("serial", serial.isa(Isa::BASELINE)),
        ("parallel", Exec::new().parallel(true).grain(1)),
        ("past the cache", Exec::new().parallel(true).grain(700).cache(0)),
    ]
}

/// How often some work counts, in a pool, so that it is split.
fn calls_of(calls: &AtomicUsize, exec: &Exec, work: &mut (dyn FnMut() + Send)) -> usize {
    calls.store(0, Ordering::Relaxed);
    in_pool(|| exec.install(work));
    calls.load(Ordering::Relaxed)
}

/// An array with other elements at each place.
macro_rules! numbered {
    ($array:ident, $shape:expr) => {{
        let mut next = 0.0;
        $array::<f64>::from_fn($shape, |_| {
            next += 0.25;
            next
        })
    }};
}

/// A row for each thing that can become of an expression. It is written out each time, because it
/// is used up; `shape` is that of its result.
macro_rules! counted {
    ($report:ident, $case:expr, $calls:ident, $want:expr, $array:ident, $shape:expr, $expr:expr) => {
        for (name, exec) in execs() {
            let case = format!("{}, {name}", $case);
            macro_rules! row {
                ($what:literal, $count:expr, $work:expr) => {
                    let problem = problem_of(|| {
                        let (got, want) = (calls_of(&$calls, &exec, &mut || $work), $count);
                        (got != want).then(|| format!("{got} calls, want {want}"))
                    });
                    $report.row(format!("{case}: {}", $what), problem);
                };
            }
            row!("result_shape", 0, {
                ($expr).result_shape().expect("it has a shape");
            });
            row!("explain", 0, {
                let _ = ($expr).explain().expect("it has a plan").to_string();
            });
            row!("explain_reduce", 0, {
                let _ = ($expr).explain_reduce(Sum, 0).expect("it has a plan").to_string();
            });
            row!("eval", $want, {
                ($expr).eval().expect("it fits");
            });
            let mut out = $array::<f64>::zeros($shape);
            row!("assign", $want, {
                out.assign($expr).expect("it fits");
            });
            let mut buffer = vec![0.0; 2 * $shape.iter().product::<usize>()];
            row!("update of every other element", $want, {
                let mut strides = $shape.map(|_| 2);
                for axis in (1..$shape.len()).rev() {
                    strides[axis - 1] = strides[axis] * $shape[axis] as isize;
                }
                let mut window =
                    ViewMut::from_strided($shape, &strides, 1, &mut buffer).expect("inside");
                window.update(ops::Add, $expr).expect("it fits");
            });
            row!("sum along 0", $want, {
                ($expr).sum_axis(0).expect("it fits");
            });
            row!("sum", $want, {
                ($expr).sum().expect("it fits");
            });
            row!("var along the last axis", $want, {
                ($expr).reduce_by(Var { ddof: 0.0 }, $shape.len() - 1).expect("it fits");
            });
            row!("argmax", $want, {
                ($expr).reduce_by(ArgMax, ..).expect("it fits");
            });
            row!("cumsum", $want, {
                ($expr).cumsum(0).expect("it fits");
            });
            row!("softmax", $want, {
                ($expr).softmax(0).expect("it fits");
            });
            row!("sort", $want, {
                ($expr).sort(0).expect("it fits");
            });
            row!("argsort", $want, {
                ($expr).argsort(0).expect("it fits");
            });
        }
    };
}

#[test]
fn in_rank_1() {
    let mut report = Report::new("hoisting in rank 1");
    let calls = AtomicUsize::new(0);
    let op = Counting(&calls);
    for n in [1, 2, 9, 20_000] {
        let x = numbered!(Array1, [n]);
        let (one, zero) = (numbered!(Array1, [1]), numbered!(Array0, []));
        let shape = [n];
        counted!(report, format!("x[{n}] + one.op"), calls, 1, Array1, shape, &x + one.apply(op));
        counted!(
            report,
            format!("x[{n}] + zero.op along"),
            calls,
            1,
            Array1,
            shape,
            &x + zero.apply(op).along([])
        );
        counted!(report, format!("x[{n}].op"), calls, n, Array1, shape, x.apply(op) + 1.0);
    }
    report.finish(4 * 3 * 4 * 14);
}

#[test]
fn in_rank_2() {
    let mut report = Report::new("hoisting in rank 2");
    let calls = AtomicUsize::new(0);
    let op = Counting(&calls);
    for [m, n] in [[3, 5], [7, 1], [1, 6], [40, 50], [120, 200]] {
        let shape = [m, n];
        let (x, y) = (numbered!(Array2, shape), numbered!(Array2, [n, m]));
        let (v, w) = (numbered!(Array1, [n]), numbered!(Array1, [m]));
        let (row, column) = (numbered!(Array2, [1, n]), numbered!(Array2, [m, 1]));
        let one = numbered!(Array2, [1, 1]);
        macro_rules! each {
            ($name:literal, $want:expr, $expr:expr) => {
                counted!(
                    report,
                    format!("{m} x {n}: {}", $name),
                    calls,
                    $want,
                    Array2,
                    shape,
                    $expr
                )
            };
        }
        each!("x + v.op along", n, &x + v.apply(op).along([1]));
        each!("x + v along.op", n, &x + v.along([1]).apply(op));
        each!("w along.op + y.t()", m, w.along([0]).apply(op) + y.t());
        each!("x + row.op", n, &x + row.apply(op));
        each!("x + column.op", m, &x + column.apply(op));
        each!("x + one.op", 1, &x + one.apply(op));
        each!("longer", n, (&x * 2.0 + (v.along([1]).apply(op) - 1.0).exp()) / &x);
        each!("twice in one", n + m, (&x + v.apply(op).along([1])).exp() - column.apply(op));
        each!("one in another", 2 * n, &x + v.apply(op).along([1]).apply(op));
        each!("row and column", m * n, &x + (v.along([1]) + w.along([0])).apply(op));
        each!("x.op", m * n, x.apply(op) - &x);
    }
    report.finish(5 * 11 * 4 * 14);
}

#[test]
fn in_ranks_3_and_4() {
    let mut report = Report::new("hoisting in ranks 3 and 4");
    let calls = AtomicUsize::new(0);
    let op = Counting(&calls);
    for [l, m, n] in [[2, 3, 4], [20, 12, 30]] {
        let shape = [l, m, n];
        let (x, plane, v) =
            (numbered!(Array3, shape), numbered!(Array2, [m, n]), numbered!(Array1, [n]));
        let thin = numbered!(Array3, [l, 1, n]);
        macro_rules! each {
            ($name:literal, $want:expr, $expr:expr) => {
                counted!(
                    report,
                    format!("{l} x {m} x {n}: {}", $name),
                    calls,
                    $want,
                    Array3,
                    shape,
                    $expr
                )
            };
        }
        each!("x + plane.op along", m * n, &x + plane.apply(op).along([1, 2]));
        each!("x + plane along.op", m * n, &x + plane.along([1, 2]).apply(op));
        each!("x + thin.op", l * n, &x + thin.apply(op));
        each!(
            "a vector in a plane",
            m * n + n,
            &x + (&plane + v.apply(op).along([1])).apply(op).along([1, 2])
        );
        each!(
            "a vector and a plane",
            m * n + n,
            &x * plane.along([1, 2]).apply(op) - v.along([2]).apply(op)
        );
    }
    for [k, l, m, n] in [[2, 3, 2, 3], [6, 5, 8, 9]] {
        let shape = [k, l, m, n];
        let (x, plane, v) =
            (numbered!(Array4, shape), numbered!(Array2, [l, n]), numbered!(Array1, [m]));
        macro_rules! each {
            ($name:literal, $want:expr, $expr:expr) => {
                counted!(
                    report,
                    format!("{k} x {l} x {m} x {n}: {}", $name),
                    calls,
                    $want,
                    Array4,
                    shape,
                    $expr
                )
            };
        }
        each!("x + plane along.op", l * n, &x + plane.along([1, 3]).apply(op));
        each!("x + v.op along", m, &x + v.apply(op).along([2]));
        each!(
            "both",
            l * n + m,
            (&x * plane.apply(op).along([1, 3])).exp() + v.along([2]).apply(op)
        );
    }
    report.finish(2 * 8 * 4 * 14);
}

/// What is assigned may repeat as a whole.
#[test]
fn in_larger_destinations() {
    let mut report = Report::new("hoisting in larger destinations");
    let calls = AtomicUsize::new(0);
    let op = Counting(&calls);
    for [m, n] in [[3, 5], [7, 1], [40, 50], [120, 200]] {
        let (v, w, row) =
            (numbered!(Array1, [n]), numbered!(Array1, [m]), numbered!(Array2, [1, n]));
        let one = numbered!(Array2, [1, 1]);
        for (name, exec) in execs() {
            macro_rules! row {
                ($what:literal, $want:expr, $expr:expr) => {
                    let (mut out, mut column_major) =
                        (Array2::<f64>::zeros([m, n]), Array2::<f64>::zeros([n, m]));
                    let problem = problem_of(|| {
                        let mut counts = Vec::new();
                        let mut count = |work: &mut (dyn FnMut() + Send)| {
                            counts.push(calls_of(&calls, &exec, work));
                        };
                        count(&mut || out.assign($expr).expect("it fits"));
                        count(&mut || out.update(ops::Add, $expr).expect("it fits"));
                        count(&mut || column_major.t_mut().assign($expr).expect("it fits"));
                        count(&mut || {
                            column_major.t_mut().update(ops::Mul, $expr).expect("it fits")
                        });
                        (counts != [$want; 4])
                            .then(|| format!("{counts:?} calls, want {} each", $want))
                    });
                    report.row(format!("{m} x {n}: {}, {name}", $what), problem);
                };
            }
            row!("v.op along", n, v.apply(op).along([1]));
            row!("v along.op", n, v.along([1]).apply(op));
            row!("w.op along", m, w.apply(op).along([0]));
            row!("row.op", n, row.apply(op));
            row!("one.op", 1, one.apply(op));
            row!("row.op + 1", n, row.apply(op) + 1.0);
            row!("(v.op + 1) along", n, (v.apply(op) + 1.0).along([1]));
            row!("v.op along + 1", n, v.apply(op).along([1]) + 1.0);
            row!("v.op along.exp()", n, v.apply(op).along([1]).exp());
            row!("v.op along + w.op along", n + m, v.apply(op).along([1]) + w.apply(op).along([0]));
        }
    }
    report.finish(4 * 4 * 10);
}
