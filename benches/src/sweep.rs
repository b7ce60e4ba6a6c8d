//! Operations at all sizes: our time by `ndarray`'s, from one element to ten million.
//!
//! `ndarray` runs as it is written, on one thread; zerostride on one, and as it does by default.
//! All are of `f64`.

use crate::data::{Input, nd_zeroed, zeroed};
use crate::pair::{Effort, Pair, PairJudge, Timing};
use crate::threads::Threads;
use ndarray::{Axis, Zip, s as nd_s};
use serde_json::{Value as Json, json};
use std::fmt;
use std::time::Duration;
use zerostride::prelude::*;

/// The most that our time by `ndarray`'s should be, anywhere.
pub const LIMIT: f64 = 1.2;

/// The effort of a point.
pub const EFFORT: Effort =
    Effort { sample: Duration::from_micros(300), budget: Duration::from_millis(60) };

/// About three sizes in each power of ten: 1, 2, 5, 10 and so on.
pub fn sizes(most: usize) -> impl Iterator<Item = usize> {
    let powers = std::iter::successors(Some(1), |power| Some(power * 10));
    powers.flat_map(|power| [power, 2 * power, 5 * power]).take_while(move |&size| size <= most)
}

/// An operation.
#[derive(Clone, Copy)]
pub struct Operation {
    /// Its name.
    pub name: &'static str,
    /// The fewest elements that it is defined for.
    pub least: usize,
    setup: fn(usize, PairJudge<'_>),
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operation").field("name", &self.name).finish_non_exhaustive()
    }
}

/// All operations.
pub const OPERATIONS: &[Operation] = &[
    Operation { name: "add_new", least: 1, setup: add_new },
    Operation { name: "add_into", least: 1, setup: add_into },
    Operation { name: "add_t", least: 1, setup: add_transposed },
    Operation { name: "row", least: 1, setup: add_row },
    Operation { name: "column", least: 1, setup: add_column },
    Operation { name: "window", least: 1, setup: window },
    Operation { name: "dot", least: 1, setup: dot },
    Operation { name: "sum", least: 1, setup: sum },
    Operation { name: "sum_ax0", least: 1, setup: |n, judge| sum_axis(n, 0, judge) },
    Operation { name: "sum_ax1", least: 1, setup: |n, judge| sum_axis(n, 1, judge) },
    Operation { name: "rows_4", least: 4, setup: |n, judge| rows(n, 4, judge) },
    Operation { name: "rows_64", least: 64, setup: |n, judge| rows(n, 64, judge) },
    Operation { name: "blocks", least: 9, setup: blocks },
];

impl Operation {
    /// Makes operands of about `elements` elements and hands the contestants to `judge`.
    pub fn run(&self, elements: usize, judge: PairJudge<'_>) {
        (self.setup)(elements, judge);
    }

    /// Checks and times the operation.
    ///
    /// # Errors
    /// If the two results differ.
    pub fn measure(
        &self,
        elements: usize,
        threads: Threads,
        effort: Effort,
    ) -> Result<Point, String> {
        let measured = threads.run(|| {
            let mut outcome = None;
            self.run(elements, &mut |pair| {
                outcome = Some(pair.check().map(|()| pair.measure(effort)));
            });
            outcome.expect("an operation has a pair")
        });
        let timing = measured.map_err(|wrong| format!("{} of {elements}: {wrong}", self.name))?;
        Ok(Point { operation: self.name, threads, elements, timing })
    }
}

/// A matrix of about so many elements, as square as can be.
fn square(elements: usize) -> [usize; 2] {
    let rows = elements.isqrt().max(1);
    [rows, elements / rows]
}

fn vector(name: &'static str, elements: usize) -> Input<f64, Rank<1>> {
    Input::new(name, &[elements])
}

fn matrix(name: &'static str, shape: [usize; 2]) -> Input<f64, Rank<2>> {
    Input::new(name, &shape)
}

/// The results of both, to be overwritten.
fn outs(shape: [usize; 2]) -> (Array2<f64>, ndarray::Array2<f64>) {
    (zeroed::<f64, Rank<2>>(&shape), nd_zeroed::<f64, Rank<2>>(&shape))
}

fn add_new(n: usize, judge: PairJudge<'_>) {
    let (a, b) = (vector("a", n), vector("b", n));
    judge(&mut Pair::new(|| (&a.ours + &b.ours).eval().unwrap(), || &a.nd + &b.nd));
}

fn add_into(n: usize, judge: PairJudge<'_>) {
    let shape = square(n);
    let (a, b) = (matrix("a", shape), matrix("b", shape));
    let ours = |out: &mut Array2<f64>| out.assign(&a.ours + &b.ours).unwrap();
    let nd = |out: &mut ndarray::Array2<f64>| {
        Zip::from(out).and(&a.nd).and(&b.nd).for_each(|out, a, b| *out = a + b);
    };
    judge(&mut Pair::into(outs(shape), ours, nd));
}

fn add_transposed(n: usize, judge: PairJudge<'_>) {
    let shape = square(n);
    let (a, b) = (matrix("a", shape), matrix("b", [shape[1], shape[0]]));
    let ours = |out: &mut Array2<f64>| out.assign(&a.ours + b.ours.t()).unwrap();
    let nd = |out: &mut ndarray::Array2<f64>| {
        Zip::from(out).and(&a.nd).and(b.nd.t()).for_each(|out, a, b| *out = a + b);
    };
    judge(&mut Pair::into(outs(shape), ours, nd));
}

fn add_row(n: usize, judge: PairJudge<'_>) {
    let shape = square(n);
    let (a, row) = (matrix("a", shape), vector("r", shape[1]));
    let ours = |out: &mut Array2<f64>| out.assign(&a.ours + row.ours.along([1])).unwrap();
    let nd = |out: &mut ndarray::Array2<f64>| {
        let zip = Zip::from(out).and(&a.nd).and_broadcast(&row.nd);
        zip.for_each(|out, a, row| *out = a + row);
    };
    judge(&mut Pair::into(outs(shape), ours, nd));
}

fn add_column(n: usize, judge: PairJudge<'_>) {
    let shape = square(n);
    let (a, column) = (matrix("a", shape), vector("c", shape[0]));
    let ours = |out: &mut Array2<f64>| out.assign(&a.ours + column.ours.along([0])).unwrap();
    let nd = |out: &mut ndarray::Array2<f64>| {
        let zip = Zip::from(out).and(&a.nd).and_broadcast(column.nd.view().insert_axis(Axis(1)));
        zip.for_each(|out, a, column| *out = a + column);
    };
    judge(&mut Pair::into(outs(shape), ours, nd));
}

/// An update of all but the border.
fn window(n: usize, judge: PairJudge<'_>) {
    let [rows, columns] = square(n);
    let x = matrix("x", [rows + 2, columns + 2]);
    let ours = |x: &mut Array2<f64>| {
        let mut inner = x.slice_mut(s![1..rows + 1, 1..columns + 1]).unwrap();
        inner += 1.0;
    };
    let nd = |x: &mut ndarray::Array2<f64>| {
        let mut inner = x.slice_mut(nd_s![1..rows + 1, 1..columns + 1]);
        inner += 1.0;
    };
    judge(&mut Pair::update((x.ours, x.nd), ours, nd));
}

fn dot(n: usize, judge: PairJudge<'_>) {
    let (a, b) = (vector("a", n), vector("b", n));
    judge(&mut Pair::new(|| a.ours.dot(&b.ours).unwrap(), || a.nd.dot(&b.nd)));
}

fn sum(n: usize, judge: PairJudge<'_>) {
    let x = vector("x", n);
    judge(&mut Pair::new(|| x.ours.sum().unwrap(), || x.nd.sum()));
}

fn sum_axis(n: usize, axis: usize, judge: PairJudge<'_>) {
    let x = matrix("x", square(n));
    judge(&mut Pair::new(|| x.ours.sum_axis(axis).unwrap(), || x.nd.sum_axis(Axis(axis))));
}

/// A loop over short rows.
fn rows(n: usize, columns: usize, judge: PairJudge<'_>) {
    let x = matrix("x", [n / columns, columns]);
    let ours = || {
        let mut total = 0.0;
        for row in x.ours.axis_iter(0).unwrap() {
            total += row.sum().unwrap();
        }
        total
    };
    let nd = || {
        let mut total = 0.0;
        for row in x.nd.outer_iter() {
            total += row.sum();
        }
        total
    };
    judge(&mut Pair::new(ours, nd));
}

/// A loop that copies a matrix block by block, 3 by 3.
fn blocks(n: usize, judge: PairJudge<'_>) {
    let shape = square(n).map(|extent| extent / 3 * 3);
    let x = matrix("x", shape);
    let corners = || {
        let columns = (0..shape[1]).step_by(3);
        (0..shape[0]).step_by(3).flat_map(move |i| columns.clone().map(move |j| (i, j)))
    };
    let ours = |out: &mut Array2<f64>| {
        for (i, j) in corners() {
            let block = x.ours.slice(s![i..i + 3, j..j + 3]).unwrap();
            out.slice_mut(s![i..i + 3, j..j + 3]).unwrap().assign(block).unwrap();
        }
    };
    let nd = |out: &mut ndarray::Array2<f64>| {
        for (i, j) in corners() {
            let block = x.nd.slice(nd_s![i..i + 3, j..j + 3]);
            out.slice_mut(nd_s![i..i + 3, j..j + 3]).assign(&block);
        }
    };
    judge(&mut Pair::into(outs(shape), ours, nd));
}

/// What an operation took at one size.
#[derive(Clone, Debug)]
pub struct Point {
    /// The operation.
    pub operation: &'static str,
    /// How zerostride ran.
    pub threads: Threads,
    /// The size asked for: the operands have about as many.
    pub elements: usize,
    /// The times.
    pub timing: Timing,
}

impl Point {
    /// Our time by that of `ndarray`.
    pub fn ratio(&self) -> f64 {
        self.timing.ratio.unwrap_or(f64::NAN)
    }

    /// The figures.
    pub fn json(&self) -> Json {
        json!({
            "operation": self.operation,
            "threads": self.threads.name(),
            "elements": self.elements,
            "ours_ns": self.timing.ours,
            "ndarray_ns": self.timing.nd,
            "ratio": self.timing.ratio,
        })
    }
}

/// Where the points of each operation are above the limit, and by how much: a line for each.
pub fn summary(points: &[Point]) -> String {
    let lines = OPERATIONS.iter().flat_map(|op| Threads::ALL.map(|threads| (op.name, threads)));
    let line = |(name, threads): (&str, Threads)| {
        let mine = points.iter().filter(|at| at.operation == name && at.threads == threads);
        let over: Vec<&Point> = mine.clone().filter(|at| at.ratio() > LIMIT).collect();
        let worst = over.iter().max_by(|a, b| a.ratio().total_cmp(&b.ratio()))?;
        let (last, count) = (over.last()?.elements, over.len());
        Some(format!(
            "{name:<9} {:<8} {count:>3} of {:<3} the worst {:.2} at {}, the last at {last}\n",
            threads.name(),
            mine.count(),
            worst.ratio(),
            worst.elements,
        ))
    };
    lines.filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_of_every_operation_agree() {
        for operation in OPERATIONS {
            for elements in sizes(2000).filter(|&size| size >= operation.least) {
                let mut judged = false;
                operation.run(elements, &mut |pair| {
                    let agree = pair.check();
                    agree.unwrap_or_else(|wrong| {
                        panic!("{} of {elements}: {wrong}", operation.name)
                    });
                    judged = true;
                });
                assert!(judged, "{}", operation.name);
            }
        }
    }

    #[test]
    fn three_sizes_a_decade() {
        assert_eq!(sizes(100).collect::<Vec<_>>(), [1, 2, 5, 10, 20, 50, 100]);
        assert_eq!(square(10), [3, 3]);
        assert_eq!(square(2), [1, 2]);
    }

    #[test]
    fn what_is_above_the_limit_is_named() {
        let point = |elements, ratio| {
            let timing = Timing { ours: ratio, nd: Some(1.0), ratio: Some(ratio) };
            Point { operation: "sum", threads: Threads::One, elements, timing }
        };
        let said = summary(&[point(1, 1.3), point(10, 2.5), point(100, 1.1)]);
        assert!(said.contains("2 of 3") && said.contains("2.50 at 10, the last at 10"), "{said}");
    }
}
