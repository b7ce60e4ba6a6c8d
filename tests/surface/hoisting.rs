//! What repeats in a result is computed once, at its own size.

use conformance::support::Report;
use std::sync::atomic::{AtomicUsize, Ordering};
use zerostride::prelude::*;
use zerostride::{Exec, Op};

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

/// What is cheap is not computed before the rest of a small result: it is as if each of its arrays
/// lay along the axes.
#[test]
fn cheap_operations_before_along_in_small_results() {
    let mut report = Report::new("cheap operations along axes");
    for (rows, columns) in [(1, 1), (3, 5), (5, 1), (1, 6), (8, 8), (30, 9), (0, 4), (70, 60)] {
        let all = Array2::<f64>::from_fn([rows, columns + 2], |[i, j]| (i * 31 + j * 3) as f64);
        let a = all.slice(s![.., 1..columns + 1]).expect("a part");
        let v = Array1::<f64>::from_fn(columns, |[j]| 1.0 + j as f64);
        let reversed = v.flip(0).expect("an axis");
        let one = array![0.5];
        let c = Array1::<f64>::from_fn(rows, |[i]| 2.0 + i as f64);
        let along_rows = (&v * 2.0 - reversed + &one).along([1]);
        let x = |i: usize, j: usize| (i * 31 + (j + 1) * 3) as f64;
        let row = |j: usize| (1.0 + j as f64) * 2.0 - (columns - j) as f64 + 0.5;
        let column = |i: usize| 1.0 - (2.0 + i as f64);
        let want = Array2::from_fn([rows, columns], |[i, j]| x(i, j) * row(j) - column(i));
        let expr = || a * along_rows - (1.0 - &c).along([0]);
        let name = |what: &str| format!("{rows} x {columns}: {what}");
        report.equal(name("a new array"), expr().eval().expect("they fit"), want.clone());
        let mut out = Array2::<f64>::zeros([rows, columns]);
        out.assign(expr()).expect("they fit");
        report.equal(name("assigned"), out, want.clone());
        let mut big = Array2::<f64>::ones([rows + 2, columns + 2]);
        let mut part = big.slice_mut(s![1..rows + 1, 1..columns + 1]).expect("a part");
        part += expr();
        let sums = Array2::from_fn([rows, columns], |[i, j]| 1.0 + want[[i, j]]);
        report.equal(name("added to a part"), part.to_owned(), sums);
        // Halves: their sums are exact.
        let sums: Vec<f64> = (0..rows).map(|i| (0..columns).map(|j| want[[i, j]]).sum()).collect();
        let found = (expr() + 0.0).sum_axis(1).expect("they fit");
        report.equal(name("sums"), found, Array1::from_vec(sums));
        let nested = (a + (&v + (&one * 2.0).along([0])).along([1])).eval();
        let wanted = Array2::from_fn([rows, columns], |[i, j]| x(i, j) + 1.0 + j as f64 + 1.0);
        report.equal(name("along within along"), nested.expect("they fit"), wanted);
    }
    report.finish(40);
}

/// A closure is called once for each element of its own operand, wherever that repeats: in results
/// of few elements, which take no plan, too.
#[test]
fn closures_before_along_in_small_results() {
    let mut report = Report::new("closures along axes");
    let shapes = [[2, 3, 4], [4, 1, 3], [5, 2, 6], [1, 1, 7], [3, 4, 1], [0, 2, 3], [9, 8, 11]];
    for shape in shapes {
        for lies in 0_usize..8 {
            let dims: Vec<usize> = (0..3).filter(|axis| lies & 1 << axis != 0).collect();
            let own: Vec<usize> = dims.iter().map(|&axis| shape[axis]).collect();
            let value = |at: &[usize]| at.iter().fold(1.0, |all, &i| all * 8.0 + 2.0 * i as f64);
            let w = ArrayD::from_fn(own.clone(), |at| value(&at));
            let x = |at: [usize; 3]| (at[0] * 100 + at[1] * 10 + at[2]) as f64;
            let half = |at: [usize; 3]| {
                value(&dims.iter().map(|&axis| at[axis]).collect::<Vec<_>>()) / 2.0
            };
            let c = Array3::from_fn(shape, x);
            let [d, h, l] = shape;
            let turned = Array3::from_fn([l, d, h], |[k, i, j]| x([i, j, k]));
            let turned = turned.permuted_axes([1, 2, 0]).expect("each axis once");
            let sum = Array3::from_fn(shape, |at| x(at) + half(at));
            let calls = AtomicUsize::new(0);
            let closure = || w.apply(Counting(&calls)).along(&dims[..]);
            let mut check = |what: &str, found: Array3<f64>, want: &Array3<f64>| {
                let name = format!("{shape:?} along {dims:?}: {what}");
                let (called, own) = (calls.swap(0, Ordering::Relaxed), w.len());
                report.equal(format!("{name}: calls"), called, own);
                report.equal(name, found, want.clone());
            };
            check("a new array", (&c + closure()).eval().expect("it fits"), &sum);
            check("the other way round", (closure() + &c).eval().expect("it fits"), &sum);
            check("permuted", (turned + closure()).eval().expect("it fits"), &sum);
            let quarters = Array3::from_fn(shape, |at| x(at) + (half(at) + 1.0) / 2.0);
            let within = (&c + (closure() + 1.0) / 2.0).eval().expect("it fits");
            check("within another operation", within, &quarters);
            let mut out = c.clone();
            out += closure();
            check("added to an array", out, &sum);
            let twice = Array3::from_fn(shape, |at| 2.0 * x(at) + half(at));
            let mut out = turned.to_owned();
            out += &c + closure();
            check("added with another one", out, &twice);
            let mut large = Array3::<f64>::zeros([d, h, 2 * l]);
            let mut part = large.slice_mut(s![.., .., ..;2]).expect("a part");
            part.assign(&c + closure()).expect("it fits");
            check("assigned to a part", part.to_owned(), &sum);
            let sums =
                Array3::from_fn([d, 1, l], |[i, _, k]| (0..h).map(|j| sum[[i, j, k]]).sum::<f64>());
            let folded = (&c + closure()).sum_axis(1).expect("it fits");
            check("summed", folded.insert_axis(1).expect("an axis").to_owned(), &sums);
        }
    }
    report.finish(7 * 8 * 8 * 2);
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
