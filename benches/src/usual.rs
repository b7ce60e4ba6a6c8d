//! What users write, statement by statement: loops over rows and columns, windows, closures, joins,
//! small products; at sizes from a few elements up to what a second-level cache holds.

use crate::case::Output;
use crate::data::Input;
use crate::entrance::{Cases, both, matrix, outs, vector};
use crate::pair::Pair;
use ndarray::{self as nd, s as nd_s};
use std::cell::RefCell;
use std::hint::black_box;
use zerostride::prelude::*;
use zerostride::{concatenate, select, stack};

/// The lengths of vectors, and the sides of matrices.
const LENGTHS: [usize; 4] = [3, 22, 100, 1000];
const SIDES: [usize; 4] = [3, 8, 22, 100];

type Vectors<A> = fn(&Array1<f64>, &Array1<f64>) -> A;
type NdVectors<B> = fn(&nd::Array1<f64>, &nd::Array1<f64>) -> B;
type Matrices<A> = fn(&Array2<f64>, &Array2<f64>, &Array1<f64>) -> A;
type NdMatrices<B> = fn(&nd::Array2<f64>, &nd::Array2<f64>, &nd::Array1<f64>) -> B;
type Update = fn(&mut Array2<f64>, &Array1<f64>);
type NdUpdate = fn(&mut nd::Array2<f64>, &nd::Array1<f64>);

/// All of them.
pub(crate) fn add(cases: &mut Cases) {
    vectors(cases);
    orders(cases);
    bytes(cases);
    closures(cases);
    matrices(cases);
    rows(cases);
    updates(cases);
}

/// A statement about two vectors.
fn of_vectors<A, B>(cases: &mut Cases, name: &str, ours: Vectors<A>, nd: NdVectors<B>)
where
    A: Output + 'static,
    B: Output + 'static,
{
    for len in LENGTHS {
        cases.add(format!("{name} {len}"), None, move |judge| {
            let (x, y) = (vector("x", len), vector("y", len));
            judge(&mut Pair::new(|| ours(&x.ours, &y.ours), || nd(&x.nd, &y.nd)));
        });
    }
}

/// A statement about two matrices and a vector.
fn of_matrices<A, B>(cases: &mut Cases, name: &str, ours: Matrices<A>, nd: NdMatrices<B>)
where
    A: Output + 'static,
    B: Output + 'static,
{
    for side in SIDES {
        cases.add(format!("{name} {side}x{side}"), None, move |judge| {
            let (x, y) = (matrix("x", [side; 2]), matrix("y", [side; 2]));
            let v = vector("v", side);
            let nd = || nd(&x.nd, &y.nd, &v.nd);
            judge(&mut Pair::new(|| ours(&x.ours, &y.ours, &v.ours), nd));
        });
    }
}

/// A statement that changes a matrix.
fn of_update(cases: &mut Cases, name: &str, ours: Update, nd: NdUpdate) {
    for side in SIDES {
        cases.add(format!("{name} {side}x{side}"), None, move |judge| {
            let (x, v) = (matrix("x", [side; 2]), vector("v", side));
            judge(&mut Pair::update(both(&x), |x| ours(x, &v.ours), |x| nd(x, &v.nd)));
        });
    }
}

fn vectors(cases: &mut Cases) {
    of_vectors(cases, "a + b", |a, b| (a + b).eval().unwrap(), |a, b| a + b);
    of_vectors(cases, "a * b + a", |a, b| (a * b + a).eval().unwrap(), |a, b| a * b + a);
    of_vectors(cases, "sum", |a, _| a.sum().unwrap(), |a, _| a.sum());
    of_vectors(cases, "mean", |a, _| a.mean().unwrap(), |a, _| a.mean().unwrap());
    of_vectors(cases, "var", |a, _| a.var(0.0).unwrap(), |a, _| a.var(0.0));
    of_vectors(cases, "dot", |a, b| a.dot(b).unwrap(), |a, b| a.dot(b));
    of_vectors(
        cases,
        "squared distance",
        |a, b| (a - b).square().sum().unwrap(),
        |a, b| (a - b).mapv(|x| x * x).sum(),
    );
    of_vectors(
        cases,
        "largest",
        |a, _| a.max().unwrap(),
        |a, _| a.fold(f64::NEG_INFINITY, |max, &x| max.max(x)),
    );
    of_vectors(
        cases,
        "closure",
        |a, _| a.mapv(|x| x * x + 1.0).eval().unwrap(),
        |a, _| a.mapv(|x| x * x + 1.0),
    );
    of_vectors(
        cases,
        "closure that chooses",
        |a, _| {
            let (low, high) = black_box((-0.5, 0.5));
            let limited = a.mapv(|x| {
                if x < low {
                    low
                } else if x > high {
                    high
                } else {
                    x
                }
            });
            limited.eval().unwrap()
        },
        |a, _| {
            let (low, high) = black_box((-0.5, 0.5));
            a.mapv(|x| {
                if x < low {
                    low
                } else if x > high {
                    high
                } else {
                    x
                }
            })
        },
    );
    of_vectors(
        cases,
        "sigmoid by a closure",
        |a, _| a.mapv(|x| 1.0 / (1.0 + (-x).exp())).eval().unwrap(),
        |a, _| a.mapv(|x| 1.0 / (1.0 + (-x).exp())),
    );
    of_vectors(cases, "norm", |a, _| a.norm_l2().unwrap(), |a, _| a.dot(a).sqrt());
    of_vectors(cases, "exp", |a, _| a.exp().eval().unwrap(), |a, _| a.mapv(f64::exp));
    of_vectors(
        cases,
        "where",
        |a, b| select(a.greater(b), a, b).eval().unwrap(),
        |a, b| nd::Zip::from(a).and(b).map_collect(|&a, &b| if a > b { a } else { b }),
    );
    of_vectors(
        cases,
        "every other, sum",
        |a, _| a.slice(s![..;2]).unwrap().sum().unwrap(),
        |a, _| a.slice(nd_s![..;2]).sum(),
    );
    of_vectors(
        cases,
        "differences",
        |a, _| (a.slice(s![1..]).unwrap() - a.slice(s![..-1]).unwrap()).eval().unwrap(),
        |a, _| &a.slice(nd_s![1..]) - &a.slice(nd_s![..-1]),
    );
    of_vectors(
        cases,
        "fold",
        |a, _| a.fold(0.0, |sum, x| sum + x * x).unwrap(),
        |a, _| a.fold(0.0, |sum, x| sum + x * x),
    );
    of_vectors(
        cases,
        "owned + b",
        |a, b| (a.clone() * 0.5 + b).eval().unwrap(),
        |a, b| a.clone() * 0.5 + b,
    );
    of_vectors(
        cases,
        "concatenate",
        |a, b| concatenate(0, &[a.view(), b.view()]).unwrap(),
        |a, b| nd::concatenate(nd::Axis(0), &[a.view(), b.view()]).unwrap(),
    );
}

/// The middle of a copy that is sorted, or what lies so far above the least.
fn nd_quantile(values: &nd::Array1<f64>, q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = q * (sorted.len() - 1) as f64;
    let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    low + (high - low) * place.fract()
}

/// What takes all elements at once.
fn orders(cases: &mut Cases) {
    of_vectors(cases, "median", |a, _| a.median().unwrap(), |a, _| nd_quantile(a, 0.5));
    of_vectors(cases, "quantile", |a, _| a.quantile(0.2).unwrap(), |a, _| nd_quantile(a, 0.2));
    of_vectors(
        cases,
        "sort",
        |a, _| a.sort(0).unwrap(),
        |a, _| {
            let mut sorted = a.to_vec();
            sorted.sort_by(f64::total_cmp);
            nd::Array1::from_vec(sorted)
        },
    );
    of_vectors(
        cases,
        "argsort",
        |a, _| a.argsort(0).unwrap().mapv(|i| i as f64).eval().unwrap(),
        |a, _| {
            let mut indices: Vec<usize> = (0..a.len()).collect();
            indices.sort_by(|&i, &j| a[i].total_cmp(&a[j]));
            nd::Array1::from_vec(indices).mapv(|i| i as f64)
        },
    );
    of_vectors(
        cases,
        "compress",
        |a, _| a.compress(a.greater(0.5)).unwrap(),
        |a, _| a.iter().copied().filter(|&x| x > 0.5).collect::<nd::Array1<f64>>(),
    );
    of_vectors(
        cases,
        "unique",
        |a, _| a.unique().unwrap().0,
        |a, _| {
            let mut sorted = a.to_vec();
            sorted.sort_by(f64::total_cmp);
            sorted.dedup();
            nd::Array1::from_vec(sorted)
        },
    );
}

/// Closures over bytes that branch.
fn bytes(cases: &mut Cases) {
    // A step of the game of life, by numbers of neighbours from 0 to 8.
    let next = |cell: u8, count: u8| (count == 3 || (count == 2 && cell > 4)) as u8;
    let step = |x: &mut u8, y: u8| {
        if y > *x {
            *x += 1;
        } else if y == 0 {
            *x = 0;
        }
    };
    let cells = |name, len| Input::<u8, Rank<1>>::with_levels(name, &[len], 9);
    for len in LENGTHS {
        cases.add(format!("bytes by conditions {len}"), None, move |judge| {
            let (x, y) = (cells("x", len), cells("y", len));
            judge(&mut Pair::new(
                || zip((&x.ours, &y.ours)).map(|(cell, count)| next(cell, count)).eval().unwrap(),
                || nd::Zip::from(&x.nd).and(&y.nd).map_collect(|&cell, &count| next(cell, count)),
            ));
        });
        cases.add(format!("bytes by conditions, in place {len}"), None, move |judge| {
            let (x, y) = (cells("x", len), cells("y", len));
            judge(&mut Pair::update(
                (x.ours.clone(), x.nd.clone()),
                |x| x.zip_mut_with(&y.ours, step).unwrap(),
                |x| x.zip_mut_with(&y.nd, |x, &y| step(x, y)),
            ));
        });
    }
}

/// Closures with slots of several outputs, and those that carry something from slot to slot.
fn closures(cases: &mut Cases) {
    for n in [4, 16, 64] {
        cases.add(format!("two destinations {n}"), None, move |judge| {
            let y = vector("y", n);
            let (ours_too, nd_too) = outs::<Rank<1>>(&[n]);
            let (ours_too, nd_too) = (RefCell::new(ours_too), RefCell::new(nd_too));
            let ours = |x: &mut Array1<f64>| {
                let both = (x, &mut *ours_too.borrow_mut());
                for_each(both, &y.ours, |(x, z), y| (*x, *z) = (y + 1.0, y * 2.0)).unwrap();
            };
            let nd = |x: &mut nd::Array1<f64>| {
                let mut too = nd_too.borrow_mut();
                let zip = nd::Zip::from(x).and(&mut *too).and(&y.nd);
                zip.for_each(|x, z, y| (*x, *z) = (y + 1.0, y * 2.0));
            };
            judge(&mut Pair::update(both(&vector("x", n)), ours, nd));
        });
        cases.add(format!("running sum in turn {n}"), None, move |judge| {
            let y = vector("y", n);
            let ours = |x: &mut Array1<f64>| {
                let mut sum = 0.0;
                let running = |x: &mut f64, y: f64| {
                    sum += y;
                    *x = sum;
                };
                x.update_each_in_turn(&y.ours, running).unwrap();
            };
            let nd = |x: &mut nd::Array1<f64>| {
                let mut sum = 0.0;
                nd::Zip::from(x).and(&y.nd).for_each(|x, y| {
                    sum += y;
                    *x = sum;
                });
            };
            judge(&mut Pair::update(both(&vector("x", n)), ours, nd));
        });
    }
}

fn matrices(cases: &mut Cases) {
    of_matrices(cases, "a + b.t()", |a, b, _| (a + b.t()).eval().unwrap(), |a, b, _| a + &b.t());
    of_matrices(cases, "a + row", |a, _, v| (a + v.along([1])).eval().unwrap(), |a, _, v| a + v);
    // What compilers make of the bounds of indices.
    macro_rules! by_indices {
        ($a:ident, $b:ident, $zeros:expr) => {{
            let mut out = $zeros([$a.nrows(), $b.ncols()]);
            for i in 0..$a.nrows() {
                for j in 0..$b.ncols() {
                    let mut sum = 0.0;
                    for k in 0..$a.ncols() {
                        sum += $a[[i, k]] * $b[[k, j]];
                    }
                    out[[i, j]] = sum;
                }
            }
            out
        }};
    }
    of_matrices(
        cases,
        "dot by indices",
        |a, b, _| by_indices!(a, b, Array2::<f64>::zeros),
        |a, b, _| by_indices!(a, b, nd::Array2::<f64>::zeros),
    );
    of_matrices(cases, "sum", |a, _, _| a.sum().unwrap(), |a, _, _| a.sum());
    of_matrices(
        cases,
        "sum_axis 0",
        |a, _, _| a.sum_axis(0).unwrap(),
        |a, _, _| a.sum_axis(nd::Axis(0)),
    );
    of_matrices(
        cases,
        "sum_axis 1",
        |a, _, _| a.sum_axis(1).unwrap(),
        |a, _, _| a.sum_axis(nd::Axis(1)),
    );
    of_matrices(
        cases,
        "five shifted parts",
        |a, _, _| {
            let part = |i: usize, j: usize| {
                a.slice(s![i..a.nrows() - 2 + i, j..a.ncols() - 2 + j]).unwrap()
            };
            zip((part(1, 1), part(0, 1), part(2, 1), part(1, 0), part(1, 2)))
                .map(|(c, n, s, w, e)| c + 0.1 * (n + s + w + e - 4.0 * c))
                .eval()
                .unwrap()
        },
        |a, _, _| {
            let part =
                |i: usize, j: usize| a.slice(nd_s![i..a.nrows() - 2 + i, j..a.ncols() - 2 + j]);
            nd::Zip::from(part(1, 1))
                .and(part(0, 1))
                .and(part(2, 1))
                .and(part(1, 0))
                .and(part(1, 2))
                .map_collect(|c, n, s, w, e| c + 0.1 * (n + s + w + e - 4.0 * c))
        },
    );
    of_matrices(
        cases,
        "exponentials, sum_axis 0",
        |a, _, _| a.exp().sum_axis(0).unwrap(),
        |a, _, _| a.mapv(f64::exp).sum_axis(nd::Axis(0)),
    );
    of_matrices(
        cases,
        "sum of a part",
        |a, _, _| a.slice(s![1.., 1..]).unwrap().sum().unwrap(),
        |a, _, _| a.slice(nd_s![1.., 1..]).sum(),
    );
    of_matrices(
        cases,
        "largest of a part",
        |a, _, _| a.slice(s![1.., 1..]).unwrap().max().unwrap(),
        |a, _, _| a.slice(nd_s![1.., 1..]).fold(f64::NEG_INFINITY, |max: f64, &x| max.max(x)),
    );
    of_matrices(
        cases,
        "sum_axis 0 of a part",
        |a, _, _| a.slice(s![1.., 1..]).unwrap().sum_axis(0).unwrap(),
        |a, _, _| a.slice(nd_s![1.., 1..]).sum_axis(nd::Axis(0)),
    );
    of_matrices(
        cases,
        "sum_axis 1 of a part",
        |a, _, _| a.slice(s![1.., 1..]).unwrap().sum_axis(1).unwrap(),
        |a, _, _| a.slice(nd_s![1.., 1..]).sum_axis(nd::Axis(1)),
    );
    of_matrices(
        cases,
        "centred columns",
        |a, _, _| (a - a.mean_axis(0).unwrap().along([1])).eval().unwrap(),
        |a, _, _| a - &a.mean_axis(nd::Axis(0)).unwrap(),
    );
    of_matrices(cases, "a.dot(b)", |a, b, _| a.dot(b).unwrap(), |a, b, _| a.dot(b));
    of_matrices(cases, "a.t().dot(b)", |a, b, _| a.t().dot(b).unwrap(), |a, b, _| a.t().dot(b));
    of_matrices(cases, "a.dot(v)", |a, _, v| a.dot(v).unwrap(), |a, _, v| a.dot(v));
    of_matrices(cases, "a.t().dot(v)", |a, _, v| a.t().dot(v).unwrap(), |a, _, v| a.t().dot(v));
    of_matrices(
        cases,
        "a.t() * row",
        |a, _, v| (a.t() * v.along([1])).eval().unwrap(),
        |a, _, v| &a.t() * v,
    );
    of_matrices(
        cases,
        "rows taken",
        |a, _, _| a.take(0, &[0, 2, 1]).unwrap(),
        |a, _, _| a.select(nd::Axis(0), &[0, 2, 1]),
    );
    of_matrices(
        cases,
        "columns joined",
        |a, b, _| concatenate(1, &[a.view(), b.view()]).unwrap(),
        |a, b, _| nd::concatenate(nd::Axis(1), &[a.view(), b.view()]).unwrap(),
    );
    of_matrices(
        cases,
        "map_axis",
        |a, _, _| a.map_axis(1, |row| row.sum().unwrap()).unwrap(),
        |a, _, _| a.map_axis(nd::Axis(1), |row| row.sum()),
    );
    of_matrices(
        cases,
        "fold_axis",
        |a, _, _| a.fold_axis(0, 0.0, |sum, x| sum + x).unwrap(),
        |a, _, _| a.fold_axis(nd::Axis(0), 0.0, |sum, x| sum + x),
    );
}

/// Loops over rows, columns and windows.
fn rows(cases: &mut Cases) {
    of_matrices(
        cases,
        "sums of rows",
        |a, _, _| a.rows().map(|row| row.sum().unwrap()).sum::<f64>(),
        |a, _, _| a.rows().into_iter().map(|row| row.sum()).sum::<f64>(),
    );
    of_matrices(
        cases,
        "sums of columns",
        |a, _, _| a.columns().map(|column| column.sum().unwrap()).sum::<f64>(),
        |a, _, _| a.columns().into_iter().map(|column| column.sum()).sum::<f64>(),
    );
    of_matrices(
        cases,
        "dots of rows",
        |a, _, v| a.rows().map(|row| row.dot(v).unwrap()).sum::<f64>(),
        |a, _, v| a.rows().into_iter().map(|row| row.dot(v)).sum::<f64>(),
    );
    of_matrices(
        cases,
        "elements of rows",
        |a, _, _| a.rows().flat_map(|row| row.into_iter()).sum::<f64>(),
        |a, _, _| a.rows().into_iter().flatten().sum::<f64>(),
    );
    of_matrices(
        cases,
        "3x3 windows",
        |a, _, _| a.windows([3, 3]).unwrap().map(|window| window.sum().unwrap()).sum::<f64>(),
        |a, _, _| a.windows((3, 3)).into_iter().map(|window| window.sum()).sum::<f64>(),
    );
    of_matrices(
        cases,
        "stacked rows",
        |a, _, _| stack(0, &a.rows().collect::<Vec<_>>()).unwrap(),
        |a, _, _| {
            let rows: Vec<_> = a.rows().into_iter().collect();
            nd::stack(nd::Axis(0), &rows).unwrap()
        },
    );
    of_matrices(
        cases,
        "sum of the diagonal",
        |a, _, _| a.diag().sum().unwrap(),
        |a, _, _| a.diag().sum(),
    );
}

fn updates(cases: &mut Cases) {
    of_update(
        cases,
        "rows scaled",
        |a, _| a.rows_mut().for_each(|mut row| row *= 0.999),
        |a, _| a.rows_mut().into_iter().for_each(|mut row| row *= 0.999),
    );
    of_update(
        cases,
        "rows less a vector",
        |a, v| a.rows_mut().for_each(|mut row| row -= v),
        |a, v| a.rows_mut().into_iter().for_each(|mut row| row -= v),
    );
    of_update(
        cases,
        "columns assigned",
        |a, v| (0..a.ncols()).for_each(|j| a.column_mut(j).assign(v).unwrap()),
        |a, v| (0..a.ncols()).for_each(|j| a.column_mut(j).assign(v)),
    );
    of_update(
        cases,
        "a part += 1",
        |a, _| {
            let mut part = a.slice_mut(s![1.., 1..]).unwrap();
            part += 1.0;
        },
        |a, _| {
            let mut part = a.slice_mut(nd_s![1.., 1..]);
            part += 1.0;
        },
    );
    of_update(
        cases,
        "a part less a closure's",
        |a, v| {
            let row = v.slice(s![1..]).unwrap();
            let mut part = a.slice_mut(s![1.., 1..]).unwrap();
            part.mapv_inplace(|x| x * 0.999 + 1e-3);
            part -= row.along([1]);
        },
        |a, v| {
            let row = v.slice(nd_s![1..]);
            let mut part = a.slice_mut(nd_s![1.., 1..]);
            part.mapv_inplace(|x| x * 0.999 + 1e-3);
            part -= &row;
        },
    );
    of_update(
        cases,
        "columns scaled",
        |a, _| a.columns_mut().for_each(|mut column| column *= 0.999),
        |a, _| a.columns_mut().into_iter().for_each(|mut column| column *= 0.999),
    );
    of_update(
        cases,
        "columns added",
        |a, _| {
            let (mut left, right) = a.view_mut().split_at(1, 1).unwrap();
            for column in right.columns() {
                left.column_mut(0).scaled_add(1e-3, &column).unwrap();
            }
        },
        |a, _| {
            let (mut left, right) = a.view_mut().split_at(nd::Axis(1), 1);
            for column in right.columns() {
                left.column_mut(0).scaled_add(1e-3, &column);
            }
        },
    );
    of_update(
        cases,
        "two rows swapped",
        |a, _| {
            let (mut first, mut last) = a.multi_slice_mut((s![0, ..], s![-1, ..])).unwrap();
            first.iter_mut().zip(&mut last).for_each(|(a, b)| std::mem::swap(a, b));
        },
        |a, _| {
            let (mut first, mut last) = a.multi_slice_mut((nd_s![0, ..], nd_s![-1, ..]));
            first.iter_mut().zip(&mut last).for_each(|(a, b)| std::mem::swap(a, b));
        },
    );
}
