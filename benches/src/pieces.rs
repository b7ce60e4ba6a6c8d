//! Pieces of numerical programs, as their authors write them: the lines that networks, statistics,
//! filters and simulations are made of, over few elements and over some thousands.

use crate::case::Output;
use crate::data::Input;
use crate::entrance::{Cases, both, matrix, vector};
use crate::pair::Pair;
use ndarray::{self as nd, Axis as NdAxis, Zip, s as nd_s};
use zerostride::prelude::*;

/// Rows and columns of a matrix of samples.
const SAMPLES: [[usize; 2]; 4] = [[4, 4], [12, 12], [30, 3], [60, 60]];

type Ours<A> = fn(&Array2<f64>) -> A;
type Theirs<B> = fn(&nd::Array2<f64>) -> B;

/// All of them.
pub(crate) fn add(cases: &mut Cases) {
    norms(cases);
    statistics(cases);
    decisions(cases);
    filters(cases);
    batches(cases);
    steps(cases);
}

/// A statement about a matrix.
fn of_samples<A, B>(cases: &mut Cases, name: &str, ours: Ours<A>, nd: Theirs<B>)
where
    A: Output + 'static,
    B: Output + 'static,
{
    for shape in SAMPLES {
        cases.add(format!("{name} {}x{}", shape[0], shape[1]), None, move |judge| {
            let x = matrix("x", shape);
            judge(&mut Pair::new(|| ours(&x.ours), || nd(&x.nd)).tolerance(1e-9));
        });
    }
}

/// What networks do between their products of matrices.
fn norms(cases: &mut Cases) {
    of_samples(
        cases,
        "layer norm",
        |x| {
            let mean = x.mean_axis(keep(1)).unwrap();
            let var = x.var_axis(keep(1), 0.0).unwrap();
            ((x - &mean) / (&var + 1e-5).sqrt()).eval().unwrap()
        },
        |x| {
            let mean = x.mean_axis(NdAxis(1)).unwrap().insert_axis(NdAxis(1));
            let var = x.var_axis(NdAxis(1), 0.0).insert_axis(NdAxis(1));
            (x - &mean) / &(var + 1e-5).mapv(f64::sqrt)
        },
    );
    of_samples(
        cases,
        "layer norm by rows",
        |x| {
            let mut out = x.clone();
            for mut row in out.rows_mut() {
                let (mean, std) = (row.mean().unwrap(), row.std(0.0).unwrap());
                row.mapv_inplace(|x| (x - mean) / (std + 1e-5));
            }
            out
        },
        |x| {
            let mut out = x.clone();
            for mut row in out.rows_mut() {
                let (mean, std) = (row.mean().unwrap(), row.std(0.0));
                row.mapv_inplace(|x| (x - mean) / (std + 1e-5));
            }
            out
        },
    );
    of_samples(
        cases,
        "softmax of rows",
        |x| x.softmax(1).unwrap(),
        |x| {
            let mut out = x.clone();
            for mut row in out.rows_mut() {
                let max = row.fold(f64::NEG_INFINITY, |max, &x| max.max(x));
                row.mapv_inplace(|x| (x - max).exp());
                let sum = row.sum();
                row /= sum;
            }
            out
        },
    );
    of_samples(
        cases,
        "rows of length 1",
        |x| (x / x.square().sum_axis(keep(1)).unwrap().sqrt()).eval().unwrap(),
        |x| {
            let norms = x.map_axis(NdAxis(1), |row| row.dot(&row).sqrt());
            x / &norms.insert_axis(NdAxis(1))
        },
    );
    of_samples(
        cases,
        "gelu",
        |x| {
            let inner = 0.797_884_56 * (x + 0.044715 * x.square() * x);
            (0.5 * x * (1.0 + inner.tanh())).eval().unwrap()
        },
        |x| x.mapv(|x| 0.5 * x * (1.0 + (0.797_884_56 * (x + 0.044715 * x.powi(3))).tanh())),
    );
}

/// Columns of samples, as statistics look at them.
fn statistics(cases: &mut Cases) {
    of_samples(
        cases,
        "std_axis 0",
        |x| x.std_axis(0, 1.0).unwrap(),
        |x| x.std_axis(NdAxis(0), 1.0),
    );
    of_samples(
        cases,
        "mean_axis 1",
        |x| x.mean_axis(1).unwrap(),
        |x| x.mean_axis(NdAxis(1)).unwrap(),
    );
    of_samples(
        cases,
        "standard scores",
        |x| {
            let (mean, std) = (x.mean_axis(0).unwrap(), x.std_axis(0, 0.0).unwrap());
            ((x - mean.along([1])) / std.along([1])).eval().unwrap()
        },
        |x| {
            let (mean, std) = (x.mean_axis(NdAxis(0)).unwrap(), x.std_axis(NdAxis(0), 0.0));
            (x - &mean) / &std
        },
    );
    of_samples(
        cases,
        "covariances",
        |x| {
            let centred = (x - x.mean_axis(0).unwrap().along([1])).eval().unwrap();
            (centred.t().dot(&centred).unwrap() / (x.nrows() as f64 - 1.0)).eval().unwrap()
        },
        |x| {
            let centred = x - &x.mean_axis(NdAxis(0)).unwrap();
            centred.t().dot(&centred) / (x.nrows() as f64 - 1.0)
        },
    );
    of_samples(
        cases,
        "deviations of pairs of columns",
        |x| x.columns().map(|column| (column * x.column(0)).mean().unwrap()).sum::<f64>(),
        |x| {
            let columns = x.columns().into_iter();
            columns.map(|column| (&column * &x.column(0)).mean().unwrap()).sum::<f64>()
        },
    );
    of_samples(
        cases,
        "rolling deviations",
        |x| {
            let windows = x.axis_windows(0, 3).unwrap();
            windows.map(|window| window.std_axis(0, 0.0).unwrap().sum().unwrap()).sum::<f64>()
        },
        |x| {
            let windows = x.axis_windows(NdAxis(0), 3).into_iter();
            windows.map(|window| window.std_axis(NdAxis(0), 0.0).sum()).sum::<f64>()
        },
    );
    of_samples(
        cases,
        "logarithm of a sum of exponentials",
        |x| (x.exp().sum_axis(1).unwrap()).ln().eval().unwrap(),
        |x| x.mapv(f64::exp).sum_axis(NdAxis(1)).mapv(f64::ln),
    );
}

/// The largest of a row, and what follows from it.
fn decisions(cases: &mut Cases) {
    /// The first of the largest.
    fn first(row: nd::ArrayView1<'_, f64>) -> usize {
        let larger = |best: (usize, f64), (i, &x): (usize, &f64)| {
            if x > best.1 { (i, x) } else { best }
        };
        row.iter().enumerate().fold((0, f64::NEG_INFINITY), larger).0
    }
    of_samples(
        cases,
        "argmax row by row",
        |x| x.rows().map(|row| row.argmax().unwrap()).sum::<usize>(),
        |x| x.rows().into_iter().map(first).sum::<usize>(),
    );
    for len in [8, 24, 64, 300] {
        cases.add(format!("argmax {len}"), None, move |judge| {
            let x = vector("x", len);
            judge(&mut Pair::new(|| x.ours.argmax().unwrap(), || first(x.nd.view())));
        });
    }
    of_samples(
        cases,
        "nearest row",
        |x| {
            let first = x.row(0);
            x.rows().map(|row| (row - first).square().sum().unwrap()).fold(f64::INFINITY, f64::min)
        },
        |x| {
            let first = x.row(0);
            let rows = x.rows().into_iter();
            rows.map(|row| (&row - &first).mapv(|x| x * x).sum()).fold(f64::INFINITY, f64::min)
        },
    );
    of_samples(
        cases,
        "counted above the mean",
        |x| {
            let mean = x.mean().unwrap();
            x.iter().filter(|&&x| x > mean).count()
        },
        |x| {
            let mean = x.mean().unwrap();
            x.iter().filter(|&&x| x > mean).count()
        },
    );
}

/// Windows.
fn filters(cases: &mut Cases) {
    for (len, taps) in [(40, 5), (400, 16), (400, 120)] {
        cases.add(format!("dots of windows {len} {taps}"), None, move |judge| {
            let (x, taps) = (vector("x", len), vector("t", taps));
            let ours = || {
                let windows = x.ours.windows([taps.ours.len()]).unwrap();
                windows.map(|window| window.dot(&taps.ours).unwrap()).collect::<Array1<f64>>()
            };
            let nd = || {
                let windows = x.nd.windows(taps.nd.len());
                windows.into_iter().map(|window| window.dot(&taps.nd)).collect::<nd::Array1<f64>>()
            };
            judge(&mut Pair::new(ours, nd).tolerance(1e-9));
        });
        cases.add(format!("moving averages {len} {taps}"), None, move |judge| {
            let x = vector("x", len);
            let ours = || {
                let windows = x.ours.windows([taps]).unwrap();
                windows.map(|window| window.mean().unwrap()).collect::<Array1<f64>>()
            };
            let nd = || {
                let windows = x.nd.windows(taps).into_iter();
                windows.map(|window| window.mean().unwrap()).collect::<nd::Array1<f64>>()
            };
            judge(&mut Pair::new(ours, nd).tolerance(1e-9));
        });
    }
    for side in [4, 8, 20] {
        cases.add(format!("heat {side}x{side}x{side}"), None, move |judge| {
            let x = Input::<f64, Rank<3>>::new("x", &[side; 3]);
            let ours = |x: &mut Array3<f64>| {
                let lap = (x.slice(s![..-2, 1..-1, 1..-1]).unwrap()
                    + x.slice(s![2.., 1..-1, 1..-1]).unwrap()
                    - 2.0 * x.slice(s![1..-1, 1..-1, 1..-1]).unwrap())
                .eval()
                .unwrap();
                let mut inner = x.slice_mut(s![1..-1, 1..-1, 1..-1]).unwrap();
                inner += 0.1 * &lap;
            };
            let nd = |x: &mut nd::Array3<f64>| {
                let end = side - 1;
                let lap = &x.slice(nd_s![..end - 1, 1..end, 1..end])
                    + &x.slice(nd_s![2.., 1..end, 1..end])
                    - 2.0 * &x.slice(nd_s![1..end, 1..end, 1..end]);
                let mut inner = x.slice_mut(nd_s![1..end, 1..end, 1..end]);
                inner += &(0.1 * &lap);
            };
            judge(&mut Pair::update(both(&x), ours, nd).tolerance(1e-9));
        });
    }
}

/// Several matrices at a time.
fn batches(cases: &mut Cases) {
    for (heads, len, depth) in [(2, 5, 6), (4, 16, 8), (2, 60, 16)] {
        cases.add(format!("attention {heads} {len}x{depth}"), None, move |judge| {
            let [q, k, v] =
                ["q", "k", "v"].map(|name| Input::<f64, Rank<3>>::new(name, &[heads, len, depth]));
            let ours = || {
                let mut out = Array3::<f64>::zeros([heads, len, depth]);
                for head in 0..heads {
                    let at =
                        |x: &Input<f64, Rank<3>>| x.ours.index_axis(0, head).unwrap().to_owned();
                    let scores = at(&q).dot(at(&k).t()).unwrap() / (depth as f64).sqrt();
                    let weights = scores.softmax(1).unwrap();
                    let one = weights.dot(&at(&v)).unwrap();
                    out.index_axis_mut(0, head).unwrap().assign(&one).unwrap();
                }
                out
            };
            let nd = || {
                let mut out = nd::Array3::<f64>::zeros([heads, len, depth]);
                for head in 0..heads {
                    let at = |x: &Input<f64, Rank<3>>| x.nd.index_axis(NdAxis(0), head).to_owned();
                    let mut scores = at(&q).dot(&at(&k).t()) / (depth as f64).sqrt();
                    for mut row in scores.rows_mut() {
                        let max = row.fold(f64::NEG_INFINITY, |max, &x| max.max(x));
                        row.mapv_inplace(|x| (x - max).exp());
                        let sum = row.sum();
                        row /= sum;
                    }
                    out.index_axis_mut(NdAxis(0), head).assign(&scores.dot(&at(&v)));
                }
                out
            };
            judge(&mut Pair::new(ours, nd).tolerance(1e-9));
        });
    }
    for (count, channels, side) in [(2, 3, 4), (2, 3, 7), (4, 3, 16)] {
        let shape = [count, channels, side, side];
        cases.add(format!("batch norm {count}x{channels}x{side}x{side}"), None, move |judge| {
            let x = Input::<f64, Rank<4>>::new("x", &shape);
            let ours = || {
                let mean = x.ours.mean_axis(keep([0, 2, 3])).unwrap();
                let var = (&x.ours - &mean).square().mean_axis(keep([0, 2, 3])).unwrap();
                ((&x.ours - &mean) / (&var + 1e-5).sqrt()).eval().unwrap()
            };
            let nd = || {
                let means = |x: &nd::Array4<f64>| {
                    let one = x.mean_axis(NdAxis(3)).unwrap().mean_axis(NdAxis(2)).unwrap();
                    let one = one.mean_axis(NdAxis(0)).unwrap();
                    one.insert_axis(NdAxis(0)).insert_axis(NdAxis(2)).insert_axis(NdAxis(3))
                };
                let mean = means(&x.nd);
                let var = means(&(&x.nd - &mean).mapv(|x| x * x));
                (&x.nd - &mean) / &(var + 1e-5).mapv(f64::sqrt)
            };
            judge(&mut Pair::new(ours, nd).tolerance(1e-9));
        });
    }
}

/// Steps of iterations, in place.
fn steps(cases: &mut Cases) {
    for shape in SAMPLES {
        let [rows, columns] = shape;
        cases.add(format!("step of Adam {rows}x{columns}"), None, move |judge| {
            let (w, g) = (matrix("w", shape), matrix("g", shape));
            let (m, v) = (matrix("m", shape), matrix("v", shape));
            let ours = || {
                let m = (0.9 * &m.ours + 0.1 * &g.ours).eval().unwrap();
                let v = (0.999 * &v.ours + 0.001 * &g.ours * &g.ours).eval().unwrap();
                (&w.ours - 0.01 * (&m / 0.1) / ((&v / 0.001).sqrt() + 1e-8)).eval().unwrap()
            };
            let nd = || {
                let m = 0.9 * &m.nd + 0.1 * &g.nd;
                let v = 0.999 * &v.nd + 0.001 * &g.nd * &g.nd;
                &w.nd - &(0.01 * (&m / 0.1) / &((&v / 0.001).mapv(f64::sqrt) + 1e-8))
            };
            judge(&mut Pair::new(ours, nd).tolerance(1e-9));
        });
        cases.add(format!("logistic step {rows}x{columns}"), None, move |judge| {
            let (x, y) = (matrix("x", shape), vector("y", rows));
            let ours = |w: &mut Array1<f64>| {
                let p = (-x.ours.dot(&*w).unwrap()).mapv(|x| 1.0 / (1.0 + x.exp())).eval().unwrap();
                let gradient = x.ours.t().dot(&(p - &y.ours).eval().unwrap()).unwrap();
                w.scaled_add(-1e-3 / rows as f64, &gradient).unwrap();
            };
            let nd = |w: &mut nd::Array1<f64>| {
                let p = (-x.nd.dot(&*w)).mapv(|x| 1.0 / (1.0 + x.exp()));
                let gradient = x.nd.t().dot(&(p - &y.nd));
                w.scaled_add(-1e-3 / rows as f64, &gradient);
            };
            judge(&mut Pair::update(both(&vector("w", columns)), ours, nd).tolerance(1e-9));
        });
        cases.add(format!("Gram and Schmidt {rows}x{columns}"), None, move |judge| {
            let ours = |x: &mut Array2<f64>| {
                let (mut first, mut last) = x.multi_slice_mut((s![0, ..], s![-1, ..])).unwrap();
                let share = last.dot(&first).unwrap() / first.dot(&first).unwrap();
                last.scaled_add(-0.5 * share, &first).unwrap();
                first *= 0.999;
            };
            let nd = |x: &mut nd::Array2<f64>| {
                type Row<'a> = nd::ArrayViewMut1<'a, f64>;
                let (mut first, mut last): (Row<'_>, Row<'_>) =
                    x.multi_slice_mut((nd_s![0, ..], nd_s![-1, ..]));
                let share = last.dot(&first) / first.dot(&first);
                last.scaled_add(-0.5 * share, &first);
                first *= 0.999;
            };
            judge(&mut Pair::update(both(&matrix("x", shape)), ours, nd).tolerance(1e-9));
        });
    }
    for count in [4, 16] {
        cases.add(format!("forces of pairs {count}"), None, move |judge| {
            let x = matrix("x", [count, 3]);
            let ours = || {
                let mut forces = Array2::<f64>::zeros([count, 3]);
                for i in 0..count {
                    for j in (0..count).filter(|&j| j != i) {
                        let apart = (x.ours.row(j) - x.ours.row(i)).eval().unwrap();
                        let square = apart.dot(&apart).unwrap() + 1e-3;
                        let mut force = forces.row_mut(i);
                        force.scaled_add(1.0 / (square * square.sqrt()), &apart).unwrap();
                    }
                }
                forces
            };
            let nd = || {
                let mut forces = nd::Array2::<f64>::zeros([count, 3]);
                for i in 0..count {
                    for j in (0..count).filter(|&j| j != i) {
                        let apart = &x.nd.row(j) - &x.nd.row(i);
                        let square = apart.dot(&apart) + 1e-3;
                        let mut force = forces.row_mut(i);
                        force.scaled_add(1.0 / (square * square.sqrt()), &apart);
                    }
                }
                forces
            };
            judge(&mut Pair::new(ours, nd).tolerance(1e-9));
        });
    }
    cases.add("pairs of columns zipped 12x12", None, |judge| {
        let x = matrix("x", [12, 12]);
        let ours = || {
            let pairs = x.ours.columns().zip(x.ours.columns().skip(1));
            pairs.map(|(a, b)| zip((a, b)).map(|(a, b)| a.max(b)).sum().unwrap()).sum::<f64>()
        };
        let nd = || {
            let pairs = x.nd.columns().into_iter().zip(x.nd.columns().into_iter().skip(1));
            let larger =
                |(a, b)| Zip::from(a).and(b).fold(0.0, |sum, a: &f64, b: &f64| sum + a.max(*b));
            pairs.map(larger).sum::<f64>()
        };
        judge(&mut Pair::new(ours, nd).tolerance(1e-9));
    });
}
