//! What repeats in a result is computed once, at its own size.

use conformance::support::Report;
use std::sync::atomic::{AtomicUsize, Ordering};
use zerostride::prelude::*;
use zerostride::{Exec, Op};

/// Halves, and counts how often.
struct Counting<'c>(&'c AtomicUsize);

impl Op<f64> for Counting<'_> {
    type Output = f64;

    fn apply(&self, x: f64) -> f64 {
        self.0.fetch_add(1, Ordering::Relaxed);
        x / 2.0
    }
}

#[test]
fn operations_before_along_run_at_their_own_size() {
    let mut report = Report::new("hoisting");
    for (rows, columns) in [(3, 5), (7, 1), (300, 400), (0, 4)] {
        let x = Array2::<f64>::from_fn([rows, columns], |[i, j]| (i * 31 + j) as f64);
        let v = Array1::<f64>::from_fn(columns, |[j]| j as f64);
        let want =
            Array2::<f64>::from_fn([rows, columns], |[i, j]| (i * 31 + j) as f64 + j as f64 / 2.0);

        let calls = AtomicUsize::new(0);
        let got = (&x + v.apply(Counting(&calls)).along([1])).eval().expect("the shapes fit");
        report.equal(format!("{rows} x {columns}: calls"), calls.load(Ordering::Relaxed), columns);
        report.equal(format!("{rows} x {columns}: elements"), got.to_vec(), want.to_vec());

        let calls = AtomicUsize::new(0);
        let mut out = Array2::<f64>::zeros([rows, columns]);
        let expr = &x + v.apply(Counting(&calls)).along([1]);
        Exec::new().parallel(false).install(|| out.assign(expr)).expect("the shapes fit");
        report.equal(
            format!("{rows} x {columns}: calls, assigned"),
            calls.load(Ordering::Relaxed),
            columns,
        );
        report.equal(
            format!("{rows} x {columns}: elements, assigned"),
            out.to_vec(),
            want.to_vec(),
        );
    }
    report.finish(16);
}

#[test]
fn errors_of_what_is_computed_before_come_out() {
    let (x, v, w) = (Array2::<i32>::ones([2, 3]), array![1, 2, 3], array![1, 2]);
    let err = (&x + (&v + &w).along([1])).eval().expect_err("3 beside 2");
    assert_eq!(err, (&v + &w).eval().expect_err("3 beside 2"));
    // And what fits by itself may not fit there.
    assert!((&x + (&v + 1).along([0])).eval().is_err());
    assert_eq!((&x + (&v + 1).along([1])).eval().expect("it fits").to_vec(), [3, 4, 5, 3, 4, 5]);
}
