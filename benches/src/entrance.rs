//! What it costs to enter the library: operations on so few elements that their arithmetic is next
//! to nothing, beside the same of `ndarray`.
//!
//! [`cases`] is the list that the command `entrance` and the criterion bench of that name share.
//! All are of `f64` unless their names say otherwise.

use crate::data::{Input, NdRank, nd_zeroed, zeroed};
use crate::pair::{Effort, Pair, PairJudge, Timing};
use ndarray::{Axis, Zip, s as nd_s};
use serde_json::{Value as Json, json};
use std::fmt;
use std::hint::black_box;
use std::time::Duration;
use zerostride::prelude::*;

/// The effort of each place in memory, which gives steady figures of all cases in a few seconds.
pub const EFFORT: Effort =
    Effort { sample: Duration::from_micros(100), budget: Duration::from_millis(6) };

/// Each case is timed with operands in several places of memory: a few hundred elements take up to
/// 1.5 times as long where the lower bits of addresses happen to agree, which they would do for all
/// of a run.
const PLACES: usize = 7;

/// The limit of whatever has none of its own but is a pass over elements: that of the sweep.
const PASS: f64 = 1.2;

/// One operation.
pub struct Case {
    /// Its name.
    pub name: String,
    /// The most that our time by `ndarray`'s should be, if the project has set a limit.
    pub limit: Option<f64>,
    setup: Box<dyn Fn(PairJudge<'_>) + Send + Sync>,
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Case");
        debug.field("name", &self.name).field("limit", &self.limit).finish_non_exhaustive()
    }
}

impl Case {
    /// Makes the operands and the two contestants, and hands them to `judge`.
    pub fn run(&self, judge: PairJudge<'_>) {
        (self.setup)(judge);
    }
}

/// A list under construction.
#[derive(Default)]
pub(crate) struct Cases(Vec<Case>);

impl Cases {
    pub(crate) fn add(
        &mut self,
        name: impl Into<String>,
        limit: impl Into<Option<f64>>,
        setup: impl Fn(PairJudge<'_>) + Send + Sync + 'static,
    ) {
        self.0.push(Case { name: name.into(), limit: limit.into(), setup: Box::new(setup) });
    }
}

/// All cases.
pub fn cases() -> Vec<Case> {
    let mut cases = Cases::default();
    reductions(&mut cases);
    short_rows(&mut cases);
    windows(&mut cases);
    broadcasts(&mut cases);
    adds::<Rank<1>>(&mut cases, "rank1");
    adds::<Rank<2>>(&mut cases, "rank2");
    adds::<Dyn>(&mut cases, "dyn");
    scalars(&mut cases);
    views(&mut cases);
    rows(&mut cases);
    elements(&mut cases);
    indices(&mut cases);
    makers(&mut cases);
    made(&mut cases);
    crate::usual::add(&mut cases);
    crate::pieces::add(&mut cases);
    cases.0
}

pub(crate) fn vector(name: &'static str, len: usize) -> Input<f64, Rank<1>> {
    Input::new(name, &[len])
}

pub(crate) fn matrix(name: &'static str, shape: [usize; 2]) -> Input<f64, Rank<2>> {
    Input::new(name, &shape)
}

/// The results of both, to be overwritten.
pub(crate) fn outs<R: NdRank>(shape: &[usize]) -> (Array<f64, R>, ndarray::Array<f64, R::Nd>) {
    (zeroed::<f64, R>(shape), nd_zeroed::<f64, R>(shape))
}

/// The arrays of an operand, to be changed.
pub(crate) fn both<R: NdRank>(x: &Input<f64, R>) -> (Array<f64, R>, ndarray::Array<f64, R::Nd>) {
    (x.ours.clone(), x.nd.clone())
}

fn reductions(cases: &mut Cases) {
    cases.add("dot_8", 1.5, |judge| {
        let x = vector("x", 8);
        judge(&mut Pair::new(|| x.ours.dot(&x.ours).unwrap(), || x.nd.dot(&x.nd)));
    });
    cases.add("column_sum_8", 2.0, |judge| {
        let x = matrix("x", [8, 8]);
        let (column, nd_column) = (x.ours.index_axis(1, 3).unwrap(), x.nd.column(3));
        judge(&mut Pair::new(|| column.sum().unwrap(), || nd_column.sum()));
    });
    cases.add("column_view_sum_8", 2.0, |judge| {
        let x = matrix("x", [8, 8]);
        let ours = || x.ours.index_axis(1, 3).unwrap().sum().unwrap();
        judge(&mut Pair::new(ours, || x.nd.column(3).sum()));
    });
    cases.add("column_dot_2000", 1.2, |judge| {
        let (x, y) = (matrix("x", [2000, 8]), vector("y", 2000));
        let ours = || x.ours.column(3).dot(&y.ours).unwrap();
        judge(&mut Pair::new(ours, || x.nd.column(3).dot(&y.nd)));
    });
    cases.add("sum_16", 2.0, |judge| {
        let x = vector("x", 16);
        judge(&mut Pair::new(|| x.ours.sum().unwrap(), || x.nd.sum()));
    });
    cases.add("mean_16", PASS, |judge| {
        let x = vector("x", 16);
        judge(&mut Pair::new(|| x.ours.mean().unwrap(), || x.nd.mean().unwrap()));
    });
    cases.add("max_16", PASS, |judge| {
        let x = vector("x", 16);
        let nd = || x.nd.fold(f64::NEG_INFINITY, |max, &x| max.max(x));
        judge(&mut Pair::new(|| x.ours.max().unwrap(), nd));
    });
    cases.add("square_distance_16", 2.0, |judge| {
        let (x, y) = (vector("x", 16), vector("y", 16));
        let ours = || (&x.ours - &y.ours).square().sum().unwrap();
        let nd = || Zip::from(&x.nd).and(&y.nd).fold(0.0, |sum, x, y| sum + (x - y) * (x - y));
        judge(&mut Pair::new(ours, nd));
    });
    for (shape, limits) in [([8, 8], [PASS, 1.0]), ([32, 64], [PASS, 0.5])] {
        for axis in [0, 1] {
            let name = format!("sum_axis{axis}_{}x{}", shape[0], shape[1]);
            cases.add(name, limits[axis], move |judge| {
                let x = matrix("x", shape);
                let ours = || x.ours.sum_axis(axis).unwrap();
                judge(&mut Pair::new(ours, || x.nd.sum_axis(Axis(axis))));
            });
        }
    }
    for len in [16, 64] {
        cases.add(format!("cumsum_{len}"), PASS, move |judge| {
            let x = vector("x", len);
            let nd = || {
                let mut sums = x.nd.clone();
                sums.accumulate_axis_inplace(Axis(0), |&before, sum| *sum += before);
                sums
            };
            judge(&mut Pair::new(|| x.ours.cumsum(0).unwrap(), nd));
        });
    }
    cases.add("softmax_4x8", None, |judge| {
        let x = matrix("x", [4, 8]);
        judge(&mut Pair::alone(|| x.ours.softmax(1).unwrap()));
    });
}

/// Reductions of 64 rows of few elements each.
fn short_rows(cases: &mut Cases) {
    for columns in [3, 8, 16, 22] {
        let operand = move || matrix("x", [64, columns]);
        cases.add(format!("sum_rows_64x{columns}"), PASS, move |judge| {
            let x = operand();
            judge(&mut Pair::new(|| x.ours.sum_axis(1).unwrap(), || x.nd.sum_axis(Axis(1))));
        });
        cases.add(format!("max_rows_64x{columns}"), PASS, move |judge| {
            let x = operand();
            let nd =
                || x.nd.map_axis(Axis(1), |row| row.fold(f64::NEG_INFINITY, |max, &x| max.max(x)));
            judge(&mut Pair::new(|| x.ours.max_axis(1).unwrap(), nd));
        });
        cases.add(format!("argmax_rows_64x{columns}"), PASS, move |judge| {
            let x = operand();
            let first = |row: ndarray::ArrayView1<'_, f64>| {
                let largest = |best: (usize, f64), (i, &x): (usize, &f64)| {
                    if x > best.1 { (i, x) } else { best }
                };
                row.iter().enumerate().fold((0, f64::NEG_INFINITY), largest).0
            };
            let ours = || x.ours.argmax_axis(1).unwrap();
            judge(&mut Pair::new(ours, || x.nd.map_axis(Axis(1), first)));
        });
        cases.add(format!("var_rows_64x{columns}"), PASS, move |judge| {
            let x = operand();
            let ours = || x.ours.var_axis(1, 0.0).unwrap();
            judge(&mut Pair::new(ours, || x.nd.var_axis(Axis(1), 0.0)));
        });
    }
}

/// Parts of a larger array, written.
fn windows(cases: &mut Cases) {
    cases.add("window_4x4_update", 1.5, |judge| {
        let ours = |x: &mut Array2<f64>| {
            let mut window = x.slice_mut(s![2..6, 3..7]).unwrap();
            window += 1.0;
        };
        let nd = |x: &mut ndarray::Array2<f64>| {
            let mut window = x.slice_mut(nd_s![2..6, 3..7]);
            window += 1.0;
        };
        judge(&mut Pair::update(both(&matrix("x", [16, 16])), ours, nd));
    });
    cases.add("block_3x3_assign", PASS, |judge| {
        let block = matrix("b", [3, 3]);
        let ours = |x: &mut Array2<f64>| {
            x.slice_mut(s![2..5, 3..6]).unwrap().assign(&block.ours).unwrap();
        };
        let nd = |x: &mut ndarray::Array2<f64>| x.slice_mut(nd_s![2..5, 3..6]).assign(&block.nd);
        judge(&mut Pair::update(both(&matrix("x", [16, 16])), ours, nd));
    });
    cases.add("block_3x3_to_block", PASS, |judge| {
        let from = matrix("f", [16, 16]);
        let ours = |x: &mut Array2<f64>| {
            let block = from.ours.slice(s![4..7, 1..4]).unwrap();
            x.slice_mut(s![2..5, 3..6]).unwrap().assign(block).unwrap();
        };
        let nd = |x: &mut ndarray::Array2<f64>| {
            let block = from.nd.slice(nd_s![4..7, 1..4]);
            x.slice_mut(nd_s![2..5, 3..6]).assign(&block);
        };
        judge(&mut Pair::update(both(&matrix("x", [16, 16])), ours, nd));
    });
    cases.add("block_3x3_to_owned", PASS, |judge| {
        let x = matrix("x", [16, 16]);
        let ours = || x.ours.slice(s![2..5, 3..6]).unwrap().to_owned();
        judge(&mut Pair::new(ours, || x.nd.slice(nd_s![2..5, 3..6]).to_owned()));
    });
    cases.add("block_3x3_fill", PASS, |judge| {
        let ours = |x: &mut Array2<f64>| x.slice_mut(s![2..5, 3..6]).unwrap().fill(1.0);
        let nd = |x: &mut ndarray::Array2<f64>| x.slice_mut(nd_s![2..5, 3..6]).fill(1.0);
        judge(&mut Pair::update(both(&matrix("x", [16, 16])), ours, nd));
    });
}

fn broadcasts(cases: &mut Cases) {
    const SHAPE: [usize; 2] = [8, 8];
    cases.add("add_transposed_8x8_into", 1.0, |judge| {
        let (a, b) = (matrix("a", SHAPE), matrix("b", SHAPE));
        let ours = |out: &mut Array2<f64>| out.assign(&a.ours + b.ours.t()).unwrap();
        let nd = |out: &mut ndarray::Array2<f64>| {
            Zip::from(out).and(&a.nd).and(b.nd.t()).for_each(|out, a, b| *out = a + b);
        };
        judge(&mut Pair::into(outs::<Rank<2>>(&SHAPE), ours, nd));
    });
    cases.add("add_transposed_8x8_new", PASS, |judge| {
        let (a, b) = (matrix("a", SHAPE), matrix("b", SHAPE));
        let ours = || (&a.ours + b.ours.t()).eval().unwrap();
        judge(&mut Pair::new(ours, || &a.nd + &b.nd.t()));
    });
    cases.add("add_row_8x8_into", 1.0, |judge| {
        let (a, row) = (matrix("a", SHAPE), vector("r", 8));
        let ours = |out: &mut Array2<f64>| out.assign(&a.ours + row.ours.along([1])).unwrap();
        let nd = |out: &mut ndarray::Array2<f64>| {
            let zip = Zip::from(out).and(&a.nd).and_broadcast(&row.nd);
            zip.for_each(|out, a, row| *out = a + row);
        };
        judge(&mut Pair::into(outs::<Rank<2>>(&SHAPE), ours, nd));
    });
    cases.add("add_row_8x8_new", 1.0, |judge| {
        let (a, row) = (matrix("a", SHAPE), vector("r", 8));
        let ours = || (&a.ours + row.ours.along([1])).eval().unwrap();
        judge(&mut Pair::new(ours, || &a.nd + &row.nd));
    });
    cases.add("add_column_8x8_new", PASS, |judge| {
        let (a, column) = (matrix("a", SHAPE), vector("c", 8));
        let ours = || (&a.ours + column.ours.along([0])).eval().unwrap();
        judge(&mut Pair::new(ours, || &a.nd + &column.nd.view().insert_axis(Axis(1))));
    });
}

/// Sums of 1 to 1024 elements of a rank; dynamic rank is 2 here.
fn adds<R: NdRank>(cases: &mut Cases, rank: &str) {
    for side in [1, 2, 4, 8, 16, 32] {
        let len: usize = side * side;
        let shape = if rank == "rank1" { vec![len] } else { vec![side, side] };
        let operands =
            move || (Input::<f64, R>::new("a", &shape), Input::<f64, R>::new("b", &shape));
        let again = operands.clone();
        cases.add(format!("add_{rank}_{len}_into"), 1.0, move |judge| {
            let (a, b) = operands();
            let ours = |out: &mut Array<f64, R>| out.assign(&a.ours + &b.ours).unwrap();
            let nd = |out: &mut ndarray::Array<f64, R::Nd>| {
                Zip::from(out).and(&a.nd).and(&b.nd).for_each(|out, a, b| *out = a + b);
            };
            judge(&mut Pair::into(outs::<R>(a.ours.shape()), ours, nd));
        });
        cases.add(format!("add_{rank}_{len}_new"), 1.0, move |judge| {
            let (a, b) = again();
            let ours = || (&a.ours + &b.ours).eval().unwrap();
            judge(&mut Pair::new(ours, || &a.nd + &b.nd));
        });
    }
}

/// Numbers as operands, updates, and a chain.
fn scalars(cases: &mut Cases) {
    cases.add("times_scalar_16_new", PASS, |judge| {
        let a = vector("a", 16);
        judge(&mut Pair::new(|| (&a.ours * 2.0).eval().unwrap(), || &a.nd * 2.0));
    });
    cases.add("times_scalar_16_into", PASS, |judge| {
        let a = vector("a", 16);
        let ours = |out: &mut Array1<f64>| out.assign(&a.ours * 2.0).unwrap();
        let nd = |out: &mut ndarray::Array1<f64>| {
            Zip::from(out).and(&a.nd).for_each(|out, a| *out = a * 2.0);
        };
        judge(&mut Pair::into(outs::<Rank<1>>(&[16]), ours, nd));
    });
    cases.add("update_scalar_16", PASS, |judge| {
        let ours = |x: &mut Array1<f64>| *x += 1.0;
        let nd = |x: &mut ndarray::Array1<f64>| *x += 1.0;
        judge(&mut Pair::update(both(&vector("x", 16)), ours, nd));
    });
    cases.add("update_array_16", PASS, |judge| {
        let y = vector("y", 16);
        let ours = |x: &mut Array1<f64>| *x += &y.ours;
        let nd = |x: &mut ndarray::Array1<f64>| *x += &y.nd;
        judge(&mut Pair::update(both(&vector("x", 16)), ours, nd));
    });
    cases.add("chain_16_new", PASS, |judge| {
        let [a, b, c] = ["a", "b", "c"].map(|name| vector(name, 16));
        let ours = || (&a.ours * &b.ours + &c.ours).eval().unwrap();
        judge(&mut Pair::new(ours, || &a.nd * &b.nd + &c.nd));
    });
    cases.add("chain_16_into", PASS, |judge| {
        let [a, b, c] = ["a", "b", "c"].map(|name| vector(name, 16));
        let ours = |out: &mut Array1<f64>| out.assign(&a.ours * &b.ours + &c.ours).unwrap();
        let nd = |out: &mut ndarray::Array1<f64>| {
            let zip = Zip::from(out).and(&a.nd).and(&b.nd).and(&c.nd);
            zip.for_each(|out, a, b, c| *out = a * b + c);
        };
        judge(&mut Pair::into(outs::<Rank<1>>(&[16]), ours, nd));
    });
}

/// Views, which compute nothing.
fn views(cases: &mut Cases) {
    cases.add("slice", 1.0, |judge| {
        let x = matrix("x", [8, 8]);
        let ours = || x.ours.slice(s![1..5, 2..6]).unwrap();
        judge(&mut Pair::new(ours, || x.nd.slice(nd_s![1..5, 2..6])));
    });
    cases.add("slice_step", 1.0, |judge| {
        let x = matrix("x", [8, 8]);
        let ours = || x.ours.slice(s![.., 1..7;2]).unwrap();
        judge(&mut Pair::new(ours, || x.nd.slice(nd_s![.., 1..7;2])));
    });
    cases.add("slice_index", 1.0, |judge| {
        let x = matrix("x", [8, 8]);
        let ours = || x.ours.slice(s![3, 2..6]).unwrap();
        judge(&mut Pair::new(ours, || x.nd.slice(nd_s![3, 2..6])));
    });
    cases.add("slice_mut", 1.0, |judge| {
        let ours = |x: &mut Array2<f64>| x.slice_mut(s![1..5, 2..6]).unwrap()[[0, 0]] = 1.0;
        let nd = |x: &mut ndarray::Array2<f64>| x.slice_mut(nd_s![1..5, 2..6])[[0, 0]] = 1.0;
        judge(&mut Pair::update(both(&matrix("x", [8, 8])), ours, nd));
    });
    cases.add("index_axis", 2.0, |judge| {
        let x = matrix("x", [8, 8]);
        judge(&mut Pair::new(|| x.ours.index_axis(0, 3).unwrap(), || x.nd.index_axis(Axis(0), 3)));
    });
    cases.add("index_axis_mut", 2.0, |judge| {
        let ours = |x: &mut Array2<f64>| x.index_axis_mut(1, 3).unwrap()[[2]] = 1.0;
        let nd = |x: &mut ndarray::Array2<f64>| x.index_axis_mut(Axis(1), 3)[[2]] = 1.0;
        judge(&mut Pair::update(both(&matrix("x", [8, 8])), ours, nd));
    });
    cases.add("transpose_view", None, |judge| {
        let x = matrix("x", [8, 8]);
        judge(&mut Pair::new(|| x.ours.t(), || x.nd.t()));
    });
}

/// Loops over rows.
fn rows(cases: &mut Cases) {
    cases.add("rows_sum_64x4", 2.0, |judge| {
        let x = matrix("x", [64, 4]);
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
    });
    cases.add("rows_iter_sum_64x4", 2.0, |judge| {
        let x = matrix("x", [64, 4]);
        let ours = || {
            let rows = x.ours.axis_iter(0).unwrap();
            rows.map(|row| row.iter().sum::<f64>()).sum::<f64>()
        };
        let nd = || x.nd.outer_iter().map(|row| row.iter().sum::<f64>()).sum::<f64>();
        judge(&mut Pair::new(ours, nd));
    });
    cases.add("rows_update_64x4", 2.0, |judge| {
        let row = vector("r", 4);
        let ours = |x: &mut Array2<f64>| {
            for i in 0..x.shape()[0] {
                let mut to = x.index_axis_mut(0, i).unwrap();
                to += &row.ours;
            }
        };
        let nd = |x: &mut ndarray::Array2<f64>| {
            for mut to in x.outer_iter_mut() {
                to += &row.nd;
            }
        };
        judge(&mut Pair::update(both(&matrix("x", [64, 4])), ours, nd));
    });
}

/// One element after the other.
fn elements(cases: &mut Cases) {
    for side in [4, 64] {
        let len = side * side;
        cases.add(format!("iter_sum_{len}"), None, move |judge| {
            let x = matrix("x", [side, side]);
            judge(&mut Pair::new(|| x.ours.iter().sum::<f64>(), || x.nd.iter().sum::<f64>()));
        });
        cases.add(format!("iter_loop_{len}"), None, move |judge| {
            let x = matrix("x", [side, side]);
            let ours = || {
                let mut count = 0;
                for &x in x.ours.iter() {
                    count += usize::from(x > 4.0);
                }
                count
            };
            let nd = || {
                let mut count = 0;
                for &x in x.nd.iter() {
                    count += usize::from(x > 4.0);
                }
                count
            };
            judge(&mut Pair::new(ours, nd));
        });
        cases.add(format!("iter_strided_{len}"), None, move |judge| {
            let x = matrix("x", [side, side]);
            let ours = || x.ours.t().iter().sum::<f64>();
            judge(&mut Pair::new(ours, || x.nd.t().iter().sum::<f64>()));
        });
        cases.add(format!("iter_mut_{len}"), 1.2, move |judge| {
            let ours = |x: &mut Array2<f64>| {
                for x in x.iter_mut() {
                    *x += 1.0;
                }
            };
            let nd = |x: &mut ndarray::Array2<f64>| {
                for x in x.iter_mut() {
                    *x += 1.0;
                }
            };
            judge(&mut Pair::update(both(&matrix("x", [side, side])), ours, nd));
        });
        cases.add(format!("equal_{len}"), 1.2, move |judge| {
            let (x, y) = (matrix("x", [side, side]), matrix("x", [side, side]));
            let ours = || u8::from(x.ours == y.ours);
            judge(&mut Pair::new(ours, || u8::from(x.nd == y.nd)));
        });
        cases.add(format!("from_fn_{len}"), 1.2, move |judge| {
            let ours = || Array2::from_fn([side, side], |[i, j]| (i * side + j) as f64);
            let nd =
                || ndarray::Array2::from_shape_fn([side, side], |(i, j)| (i * side + j) as f64);
            judge(&mut Pair::new(ours, nd));
        });
    }
}

/// New arrays: clones, one value, the memory of a `Vec`, and what is collected.
fn made(cases: &mut Cases) {
    for len in [9, 1000, 100_000] {
        cases.add(format!("clone_{len}"), PASS, move |judge| {
            let x = vector("x", len);
            judge(&mut Pair::new(|| x.ours.clone(), || x.nd.clone()));
        });
        cases.add(format!("from_elem_{len}"), PASS, move |judge| {
            let nd = || ndarray::Array1::from_elem(len, 1.5);
            judge(&mut Pair::new(|| Array1::from_elem(len, 1.5), nd));
        });
        cases.add(format!("from_vec_{len}"), PASS, move |judge| {
            let nd = || ndarray::Array1::from_vec(vec![1.5; len]);
            judge(&mut Pair::new(|| Array1::from_vec(vec![1.5; len]), nd));
        });
        cases.add(format!("collected_{len}"), PASS, move |judge| {
            let x = vector("x", len);
            let ours = || x.ours.iter().map(|x| x * 2.0).collect::<Array1<f64>>();
            let nd = || x.nd.iter().map(|x| x * 2.0).collect::<ndarray::Array1<f64>>();
            judge(&mut Pair::new(ours, nd));
        });
        cases.add(format!("running_sum_{len}"), PASS, move |judge| {
            let x = vector("x", len);
            let ours = || {
                let mut sum = 0.0;
                let sums = x.ours.iter().map(|x| {
                    sum += x;
                    sum
                });
                sums.collect::<Array1<f64>>()
            };
            let nd = || {
                let mut sum = 0.0;
                x.nd.mapv(|x| {
                    sum += x;
                    sum
                })
            };
            judge(&mut Pair::new(ours, nd));
        });
    }
}

/// Elements by their indices.
fn indices(cases: &mut Cases) {
    const SHAPE: [usize; 2] = [16, 16];
    /// The loop over all indices.
    fn each(mut f: impl FnMut([usize; 2])) {
        for i in 0..SHAPE[0] {
            for j in 0..SHAPE[1] {
                f([i, j]);
            }
        }
    }
    cases.add("index_typed_256", 1.1, |judge| {
        let x = matrix("x", SHAPE);
        let ours = || {
            let mut sum = 0.0;
            each(|index| sum += x.ours[index]);
            sum
        };
        let nd = || {
            let mut sum = 0.0;
            each(|index| sum += x.nd[index]);
            sum
        };
        judge(&mut Pair::new(ours, nd));
    });
    cases.add("index_dyn_256", 2.0, |judge| {
        let x = Input::<f64, Dyn>::new("x", &SHAPE);
        let ours = || {
            let mut sum = 0.0;
            each(|index| sum += x.ours[index]);
            sum
        };
        let nd = || {
            let mut sum = 0.0;
            each(|index| sum += x.nd[index]);
            sum
        };
        judge(&mut Pair::new(ours, nd));
    });
    cases.add("index_mut_typed_256", 1.1, |judge| {
        let ours = |x: &mut Array2<f64>| each(|index| x[index] += 1.0);
        let nd = |x: &mut ndarray::Array2<f64>| each(|index| x[index] += 1.0);
        judge(&mut Pair::update(both(&matrix("x", SHAPE)), ours, nd));
    });
    cases.add("index_mut_dyn_256", 2.0, |judge| {
        let ours = |x: &mut ArrayD<f64>| each(|index| x[index] += 1.0);
        let nd = |x: &mut ndarray::ArrayD<f64>| each(|index| x[index] += 1.0);
        judge(&mut Pair::update(both(&Input::<f64, Dyn>::new("x", &SHAPE)), ours, nd));
    });
}

/// New arrays.
fn makers(cases: &mut Cases) {
    cases.add("zeros_4x4", PASS, |judge| {
        let shape = [4, 4];
        let ours = || Array2::<f64>::zeros(shape);
        judge(&mut Pair::new(ours, || ndarray::Array2::<f64>::zeros(shape)));
    });
    cases.add("clone_4x4", PASS, |judge| {
        let x = matrix("x", [4, 4]);
        judge(&mut Pair::new(|| x.ours.clone(), || x.nd.clone()));
    });
    cases.add("column_to_owned_8", PASS, |judge| {
        let x = matrix("x", [8, 8]);
        judge(&mut Pair::new(|| x.ours.column(3).to_owned(), || x.nd.column(3).to_owned()));
    });
    // Rows that do not fill vectors.
    for columns in [5, 10, 20] {
        cases.add(format!("sum_axis1_100x{columns}"), PASS, move |judge| {
            let x = matrix("x", [100, columns]);
            let ours = || x.ours.sum_axis(1).unwrap();
            judge(&mut Pair::new(ours, || x.nd.sum_axis(Axis(1))));
        });
    }
    for side in [8, 100] {
        // `ndarray` keeps the order of the axes in memory, so that it copies memory as it lies.
        cases.add(format!("to_owned_transposed_{side}x{side}"), None, move |judge| {
            let x = matrix("x", [side, side]);
            judge(&mut Pair::new(|| x.ours.t().to_owned(), || x.nd.t().to_owned()));
        });
        // Both in row-major order.
        cases.add(format!("row_major_transposed_{side}x{side}"), PASS, move |judge| {
            let x = matrix("x", [side, side]);
            let nd = || x.nd.t().as_standard_layout().into_owned();
            judge(&mut Pair::new(|| x.ours.t().to_owned(), nd));
        });
    }
}

/// What a case took.
#[derive(Clone, Debug)]
pub struct Row {
    /// The case.
    pub name: String,
    /// Its limit.
    pub limit: Option<f64>,
    /// The times.
    pub timing: Timing,
}

impl Row {
    /// Checks and times a case.
    ///
    /// # Errors
    /// If the two results differ.
    pub fn measure(case: &Case, effort: Effort) -> Result<Row, String> {
        let mut timings = Vec::new();
        for place in 0..PLACES {
            // What is allocated after this begins elsewhere in a page.
            let _before = black_box(vec![0_u8; place * 848 + 1]);
            let mut outcome = Ok(());
            case.run(&mut |pair| {
                outcome = pair.check().map(|()| timings.push(pair.measure(effort)));
            });
            outcome.map_err(|wrong| format!("{}: {wrong}", case.name))?;
        }
        let timing = Timing::median(&timings);
        Ok(Row { name: case.name.clone(), limit: case.limit, timing })
    }

    /// Whether the ratio is above the limit.
    pub fn is_over(&self) -> bool {
        self.limit.zip(self.timing.ratio).is_some_and(|(limit, ratio)| ratio > limit)
    }

    /// The headings of [`Display`](fmt::Display).
    pub fn heading() -> String {
        let (ours, nd) = ("ours, ns", "ndarray, ns");
        format!("{:<28} {ours:>10} {nd:>12} {:>8} {:>6}", "case", "ratio", "limit")
    }

    /// The figures.
    pub fn json(&self) -> Json {
        json!({
            "name": self.name,
            "limit": self.limit,
            "ours_ns": self.timing.ours,
            "ndarray_ns": self.timing.nd,
            "ratio": self.timing.ratio,
        })
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cell = |value: Option<f64>, digits: usize| {
            value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
        };
        let (nd, ratio) = (cell(self.timing.nd, 1), cell(self.timing.ratio, 2));
        let (limit, mark) = (cell(self.limit, 1), if self.is_over() { "  over" } else { "" });
        let (name, ours) = (&self.name, self.timing.ours);
        write!(f, "{name:<28} {ours:>10.1} {nd:>12} {ratio:>8} {limit:>6}{mark}")
    }
}

#[cfg(test)]
mod tests {
    use super::{Row, Timing, cases};

    #[test]
    fn both_sides_of_every_case_agree() {
        for case in cases() {
            let mut judged = false;
            case.run(&mut |pair| {
                pair.check().unwrap_or_else(|wrong| panic!("{}: {wrong}", case.name));
                judged = true;
            });
            assert!(judged, "{}", case.name);
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<String> = cases().into_iter().map(|case| case.name).collect();
        names.sort();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn what_is_above_its_limit_is_marked() {
        let timing = Timing { ours: 3.0, nd: Some(2.0), ratio: Some(1.5) };
        let row = |limit| Row { name: "x".to_owned(), limit, timing };
        assert!(row(Some(1.4)).is_over() && row(Some(1.4)).to_string().ends_with("over"));
        assert!(!row(Some(1.5)).is_over() && !row(None).is_over());
        let alone = Timing { nd: None, ratio: None, ..timing };
        assert!(!Row { name: "x".to_owned(), limit: None, timing: alone }.is_over());
    }
}
