//! Leaves that are functions of the index, against loops over indices.

use conformance::naive::{Naive, index_of};
use conformance::support::execs::in_pool;
use conformance::support::report::problem_of;
use conformance::support::{Held, Recipe, Report, Ways};
use zerostride::prelude::*;
use zerostride::{ArrayD, Exec, Floating, Generator, for_each_in_turn, generate};

const SHAPES: &[&[usize]] = &[
    &[],
    &[7],
    &[5000],
    &[0],
    &[2, 0, 3],
    &[4, 5],
    &[1, 6],
    &[130, 67],
    &[3, 4, 5],
    &[9, 2, 300],
    &[2, 1, 2, 3, 1, 2, 2, 3],
];

/// A leaf from outside of the library.
struct Weights;

impl Generator for Weights {
    type Elem = i64;
    type Rank = Floating;

    fn at(&self, index: &[usize]) -> i64 {
        index.iter().fold(1, |all, &index| all * 31 + index as i64)
    }
}

fn number(index: &[usize]) -> i64 {
    Weights.at(index)
}

#[test]
fn leaves() {
    let mut report = Report::new("leaves without memory");
    let mut case = 0;
    in_pool(|| {
        for shape in SHAPES {
            for recipe in Recipe::all(shape.len()) {
                case += 1;
                let x = Held::<i64>::ordinary(shape, &recipe, case);
                let values = x.naive();
                let axis = if shape.is_empty() { 0 } else { case % shape.len() };
                for way in Ways::Half(case).list() {
                    let row = |what: &str| format!("{what} {axis} beside {x}, {way}");
                    let compare = |got: Result<ArrayD<i64>, zerostride::Error>,
                                   want: Naive<i64>| {
                        let got = match got {
                            Ok(got) => got,
                            Err(error) => return Some(error.to_string()),
                        };
                        (got.to_vec() != want.data).then(|| format!("{got:?}, want {want:?}"))
                    };
                    let of = |f: &dyn Fn(&[usize], i64) -> i64| {
                        Naive::numbered(shape, |i| f(&index_of(shape, i), values.data[i]))
                    };
                    let problem = problem_of(|| {
                        let got = way.0.install(|| (x.view() * generate(Weights)).eval());
                        compare(got, of(&|index, x| x * number(index)))
                    });
                    report.row(row("weights"), problem);
                    let problem = problem_of(|| {
                        let to_i64 = |index: zerostride::Axes<usize>| number(&index);
                        let got = way.0.install(|| {
                            let all = indices(x.shape.clone());
                            zip((x.view(), all)).map(|(x, index)| x + to_i64(index)).eval()
                        });
                        compare(got, of(&|index, x| x + number(index)))
                    });
                    report.row(row("indices"), problem);
                    let problem = problem_of(|| {
                        let mut out = Held::<i64>::destination(shape, &recipe);
                        let before = out.buffer.clone();
                        way.0.install(|| out.view_mut().assign(generate(Weights))).unwrap();
                        out.problem(&of(&|index, _| number(index)), &before, |a, b| a == b)
                    });
                    report.row(row("assigned"), problem);
                    if shape.is_empty() {
                        continue;
                    }
                    let problem = problem_of(|| {
                        let got = way.0.install(|| (x.view() - iota::<i64>(axis)).eval());
                        compare(got, of(&|index, x| x - index[axis] as i64))
                    });
                    report.row(row("iota"), problem);
                    // One that is computed before the rest.
                    let problem = problem_of(|| {
                        let roots = (iota::<f64>(axis).map(|i| i * i)).sqrt().cast::<i64>();
                        let got = way.0.install(|| (x.view() - roots).eval());
                        compare(got, of(&|index, x| x - index[axis] as i64))
                    });
                    report.row(row("roots"), problem);
                    let sums = problem_of(|| {
                        let want: i64 = of(&|index, x| x * index[axis] as i64).data.iter().sum();
                        let got = way.0.install(|| (x.view() * iota::<i64>(axis)).sum()).unwrap();
                        (got != want).then(|| format!("{got}, want {want}"))
                    });
                    report.row(row("sum"), sums);
                    let along = problem_of(|| {
                        let want = of(&|index, x| x * index[axis] as i64);
                        let got =
                            way.0.install(|| (x.view() * iota::<i64>(axis)).sum_axis(0)).unwrap();
                        let rest = want.data.len() / shape[0].max(1);
                        let want: Vec<i64> = (0..rest)
                            .map(|i| (0..shape[0]).map(|j| want.data[j * rest + i]).sum())
                            .collect();
                        let same = got.to_vec() == want || shape.contains(&0);
                        (!same).then(|| format!("{got:?}, want {want:?}"))
                    });
                    report.row(row("sum along"), along);
                }
            }
        }
    });
    report.finish(1700);
}

/// An index of its own under `along`: that of the axes that the operand lies along.
#[test]
fn along() {
    let (x, v) = (Array2::<i64>::zeros([3, 4]), array![10, 20, 30]);
    let want = Array2::from_fn([3, 4], |[i, _]| 10 * (i as i64 + 1) + i as i64);
    assert_eq!((&x + (&v + iota::<i64>(0)).along([0])).eval().unwrap(), want);
    let large = Array3::<i64>::zeros([40, 50, 60]);
    let m = Array2::<i64>::zeros([40, 60]);
    let got = (&large + (&m + iota::<i64>(1).map(|k| 100 * k) + generate(Weights)).along([0, 2]))
        .eval()
        .unwrap();
    for ([i, _, k], got) in got.indexed_iter() {
        assert_eq!(*got, 100 * k as i64 + number(&[i, k]));
    }
    // With a function that is computed once for each of its own elements.
    let squares = (&m + iota::<i64>(0)).cast::<f64>().square().sqrt().cast::<i64>();
    let got = (&large + squares.along([1, 2])).eval();
    assert!(got.is_err(), "40 along 50");
    let turned = large.permuted_axes([1, 0, 2]).unwrap();
    let m = (&m + iota::<i64>(0)).cast::<f64>().exp().ln().round().cast::<i64>();
    let got = (turned + m.along([1, 2])).eval().unwrap();
    assert!(got.indexed_iter().all(|([_, j, _], got)| *got == j as i64));
}

#[test]
fn what_does_not_fit() {
    let x = Array2::<i64>::zeros([3, 4]);
    assert!((&x + iota::<i64>(2)).eval().is_err());
    assert!((Array2::<i64>::zeros([300, 400]) + iota::<i64>(2)).eval().is_err());
    assert!(zip((&x, indices([4, 3]))).map(|(x, _)| x).eval().is_err());
    let stretched = zip((&x, indices([1, 4]))).map(|(_, [i, j])| (i, j)).eval().unwrap();
    assert_eq!((stretched[[2, 3]], stretched.dim()), ((0, 3), [3, 4]));
    assert_eq!(indices([2, 2]).eval().unwrap().to_vec(), [[0, 0], [0, 1], [1, 0], [1, 1]]);
}

/// The order of a pass in turn is that of the indices.
#[test]
fn in_turn() {
    let mut x = Array3::<usize>::zeros([4, 5, 6].f());
    let (mut next, shape) = (0, x.dim());
    for_each_in_turn((&mut x,), indices(shape), |(x,), [i, j, k]| {
        assert_eq!((i * 5 + j) * 6 + k, next);
        *x = next;
        next += 1;
    })
    .unwrap();
    assert_eq!(x.to_vec(), (0..120).collect::<Vec<_>>());
}

/// The same for all numbers of threads.
#[test]
fn large() {
    let mut x = Array2::<u32>::zeros([900, 700]);
    let shape = x.dim();
    let exec = Exec::new().grain(1000);
    in_pool(|| {
        exec.install(|| {
            x.t_mut().update_each(indices([700, 900]), |x, [j, i]| *x = (i * 700 + j) as u32)
        })
    })
    .unwrap();
    assert_eq!(x.to_vec(), (0..(shape[0] * shape[1]) as u32).collect::<Vec<_>>());
}
