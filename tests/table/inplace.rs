//! Passes in place against loops over indices, in all layouts and ways.

use conformance::naive::Naive;
use conformance::support::execs::in_pool;
use conformance::support::report::problem_of;
use conformance::support::{Held, Recipe, Report, Ways};
use std::fmt::Display;
use zerostride::prelude::*;
use zerostride::{Axes, ErrorKind, Exec, ViewD, for_each_in_turn};

const SHAPES: &[&[usize]] = &[
    &[],
    &[1],
    &[7],
    &[3000],
    &[0],
    &[2, 0, 3],
    &[4, 5],
    &[1, 6],
    &[130, 67],
    &[3, 4, 5],
    &[9, 2, 300],
    &[2, 1, 2, 3, 1, 2, 2, 3],
];

/// One case: its number, the destinations `a`, `b` and `c` of three types, and the operands: `x` of
/// the same shape, `row` along the last axis.
struct Case {
    number: usize,
    shape: Vec<usize>,
    a: Held<f32>,
    b: Held<u8>,
    c: Held<i64>,
    x: Held<i32>,
    row: Naive<f32>,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for shape in SHAPES {
        let (writable, readable) = (Recipe::all(shape.len()), Recipe::all_readable(shape.len()));
        for (i, recipe) in writable.iter().enumerate() {
            let number = cases.len();
            let another = |n: usize| &writable[(i * n + number) % writable.len()];
            let last = shape.last().map_or(vec![], |last| vec![*last]);
            cases.push(Case {
                number,
                shape: shape.to_vec(),
                a: Held::ordinary(shape, recipe, number),
                b: Held::ordinary(shape, if number % 3 == 0 { recipe } else { another(2) }, 1),
                c: Held::ordinary(shape, if number % 4 < 2 { recipe } else { another(3) }, 2),
                x: Held::ordinary(shape, &readable[(i * 5 + number) % readable.len()], 3),
                row: Naive::numbered(&last, |i| (i % 5) as f32),
            });
        }
    }
    cases
}

/// Runs a pass over copies of the destinations, and compares them with what they should be.
fn check(
    report: &mut Report,
    case: &Case,
    what: impl Display,
    pass: impl Fn(&mut Held<f32>, &mut Held<u8>, &mut Held<i64>) -> Result<(), zerostride::Error>,
    want: (Naive<f32>, Naive<u8>, Naive<i64>),
) {
    for way in Ways::Half(case.number).list() {
        let (mut a, mut b, mut c) = (case.a.clone(), case.b.clone(), case.c.clone());
        let problem = problem_of(|| {
            if let Err(error) = way.0.install(|| pass(&mut a, &mut b, &mut c)) {
                return Some(error.to_string());
            }
            (a.problem(&want.0, &case.a.buffer, |a, b| a == b).map(|p| format!("a: {p}")))
                .or(b.problem(&want.1, &case.b.buffer, |a, b| a == b).map(|p| format!("b: {p}")))
                .or(c.problem(&want.2, &case.c.buffer, |a, b| a == b).map(|p| format!("c: {p}")))
        });
        report.row(
            format!("{what}, a {}, b {}, c {}, x {}, {way}", case.a, case.b, case.c, case.x),
            problem,
        );
    }
}

#[test]
fn one_destination() {
    let mut report = Report::new("update_each");
    in_pool(|| {
        for case in &cases() {
            let (a, b, c) = (case.a.naive(), case.b.naive(), case.c.naive());
            let (x, shape) = (case.x.naive(), case.shape.clone());
            let row = ViewD::from_slice(case.row.shape.clone(), &case.row.data).unwrap();
            let at_row = |number: usize| match case.row.data.len() {
                0 => 0.0,
                len => case.row.data[number % len],
            };
            let want = Naive::numbered(&shape, |i| a.data[i] * 2.0 + x.data[i] as f32 - at_row(i));
            check(
                &mut report,
                case,
                "update_each",
                |a, _, _| {
                    let (x, row) = (case.x.view(), row.along(dims(&shape)));
                    a.view_mut().update_each((x, row), |a, (x, row)| *a = *a * 2.0 + x as f32 - row)
                },
                (want, b.clone(), c.clone()),
            );
            let want = a.map(|a| -a);
            check(
                &mut report,
                case,
                "map_inplace",
                |a, _, _| {
                    a.view_mut().map_inplace(|a| *a = -*a);
                    Ok(())
                },
                (want.clone(), b.clone(), c.clone()),
            );
            check(
                &mut report,
                case,
                "mapv_inplace",
                |a, _, _| {
                    a.view_mut().mapv_inplace(|a| -a);
                    Ok(())
                },
                (want, b.clone(), c.clone()),
            );
            let want = Naive::numbered(&shape, |i| if x.data[i] > 0 { 9.0 } else { a.data[i] });
            check(
                &mut report,
                case,
                "masked_fill",
                |a, _, _| a.view_mut().masked_fill(case.x.view().greater(0), 9.0),
                (want, b.clone(), c.clone()),
            );
            let want =
                Naive::numbered(&shape, |i| if x.data[i] > 0 { at_row(i) } else { a.data[i] });
            check(
                &mut report,
                case,
                "masked_assign",
                |a, _, _| {
                    let mask = case.x.view().greater(0);
                    a.view_mut().masked_assign(mask, row.along(dims(&shape)))
                },
                (want, b.clone(), c.clone()),
            );
            // A function that goes through a buffer, and one that is computed before the rest.
            let want = Naive::numbered(&shape, |i| {
                a.data[i] + (x.data[i] as f32).cos() + (at_row(i) + 1.0).ln()
            });
            for way in Ways::Turn(case.number).list() {
                let mut a = case.a.clone();
                let problem = problem_of(|| {
                    let row = (row.along(dims(&shape)) + 1.0).ln();
                    let cosines = case.x.view().cast::<f32>().cos();
                    way.0
                        .install(|| {
                            a.view_mut().update_each((cosines, row), |a, (c, l)| *a += c + l)
                        })
                        .unwrap();
                    a.problem(&want, &case.a.buffer, |a, b| (a - b).abs() < 1e-4)
                });
                report.row(format!("functions, a {}, x {}, {way}", case.a, case.x), problem);
            }
        }
    });
    report.finish(1300);
}

fn dims(shape: &[usize]) -> Axes<usize> {
    let last: Vec<usize> = shape.len().checked_sub(1).into_iter().collect();
    Axes::from_slice(&last).expect("a rank")
}

#[test]
fn several_destinations() {
    let mut report = Report::new("for_each");
    in_pool(|| {
        for case in &cases() {
            let (a, b, c, x) = (case.a.naive(), case.b.naive(), case.c.naive(), case.x.naive());
            let want_a = Naive::numbered(&case.shape, |i| a.data[i] + x.data[i] as f32);
            let want_b = Naive::numbered(&case.shape, |i| b.data[i].wrapping_mul(3));
            let want_c = Naive::numbered(&case.shape, |i| c.data[i] * 2 - i64::from(x.data[i]));
            check(
                &mut report,
                case,
                "three",
                |a, b, c| {
                    let to = (a.view_mut(), b.view_mut(), c.view_mut());
                    for_each(to, case.x.view(), |(a, b, c), x| {
                        *a += x as f32;
                        *b = b.wrapping_mul(3);
                        *c = *c * 2 - i64::from(x);
                    })
                },
                (want_a, want_b.clone(), want_c),
            );
            let swapped =
                Naive::numbered(&case.shape, |i| i64::from(b.data[i].wrapping_mul(3)) + c.data[i]);
            check(
                &mut report,
                case,
                "two, of nothing",
                |_, b, c| {
                    let (mut b, mut c) = (b.view_mut(), c.view_mut());
                    for_each((&mut c, &mut b), (), |(c, b), ()| {
                        *b = b.wrapping_mul(3);
                        *c += i64::from(*b);
                    })
                },
                (a, want_b, swapped),
            );
        }
    });
    report.finish(500);
}

/// One element after the other, in row-major order, whatever lies how.
#[test]
fn in_turn() {
    let mut report = Report::new("in turn");
    for case in &cases() {
        let (a, b, c, x) = (case.a.naive(), case.b.naive(), case.c.naive(), case.x.naive());
        let mut total = 0;
        let totals = Naive::numbered(&case.shape, |i| {
            total += x.data[i] as i64 * (i as i64 % 7);
            total
        });
        let numbers = Naive::numbered(&case.shape, |i| i as f32);
        check(
            &mut report,
            case,
            "two in turn",
            |a, _, c| {
                let (mut total, mut number) = (0, 0);
                for_each_in_turn((c.view_mut(), a.view_mut()), case.x.view(), |(c, a), x| {
                    total += x as i64 * (number % 7);
                    (*c, *a) = (total, number as f32);
                    number += 1;
                })
            },
            (numbers.clone(), b.clone(), totals),
        );
        check(
            &mut report,
            case,
            "one in turn",
            |a, _, _| {
                let mut number = 0;
                a.view_mut().update_each_in_turn(case.x.view(), |a, _| {
                    *a = number as f32;
                    number += 1;
                })
            },
            (numbers, b, c),
        );
        let _ = a;
    }
    report.finish(500);
}

/// Vectors that lie apart, of few and of many elements.
#[test]
fn columns() {
    let mut report = Report::new("columns");
    for len in [0, 1, 2, 7, 64, 300, 5000, 70_000] {
        let (mut a, mut b) = (Array2::<i32>::zeros([len, 3]), Array2::<i64>::zeros([2, len]));
        let x = Array2::from_fn([len, 2], |[i, j]| (7 * i + j) as i32);
        let result = for_each(
            (a.column_mut(1), b.slice_mut(s![1, ..;-1]).unwrap()),
            zip((x.column(1), x.column(0))),
            |(a, b), (x, y)| (*a, *b) = (x, i64::from(y) - 1),
        );
        let result =
            result.and_then(|()| for_each((a.column_mut(2),), x.column(0), |(a,), x| *a -= x));
        let held = a.indexed_iter().all(|([i, j], &a)| {
            a == match j {
                0 => 0,
                1 => 7 * i as i32 + 1,
                _ => -7 * i as i32,
            }
        }) && b
            .indexed_iter()
            .all(|([row, i], &b)| b == if row == 0 { 0 } else { 7 * (len - 1 - i) as i64 - 1 });
        let problem = match result {
            Ok(()) if held => None,
            result => Some(format!("{result:?}, {a:?}, {b:?}")),
        };
        report.row(format!("{len} elements"), problem);
    }
    report.finish(8);
}

#[test]
fn misfits_change_nothing() {
    let (mut a, mut b) = (array![[1, 2], [3, 4]], array![[1, 2, 3]]);
    let error = for_each((&mut a, &mut b), (), |(a, b), ()| (*a, *b) = (0, 0)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::DoesNotFit { .. }), "{error}");
    assert!(a.update_each(&b, |a, _| *a = 0).is_err());
    assert!(a.update_each_in_turn(&b, |a, _| *a = 0).is_err());
    assert!(a.masked_fill(array![[true, false, true]], 0).is_err());
    assert!(Array2::<i32>::zeros([0, 2]).update_each(&b, |a, _| *a = 0).is_err());
    assert_eq!((a, b), (array![[1, 2], [3, 4]], array![[1, 2, 3]]));
}

/// A large pass is shared out, and each element is met once.
#[test]
fn large() {
    let mut a = Array2::<u32>::zeros([700, 1100]);
    let mut b = Array2::<u64>::zeros([1100, 700]);
    let v = Array1::from_fn(1100, |[j]| j as u32);
    let exec = Exec::new().grain(1000);
    in_pool(|| {
        exec.install(|| {
            for_each((&mut a, b.t_mut()), v.along([1]), |(a, b), v| {
                *a += v;
                *b += 1 + u64::from(v);
            })
        })
    })
    .unwrap();
    assert!(a.indexed_iter().all(|([_, j], a)| *a == j as u32));
    assert!(b.indexed_iter().all(|([j, _], b)| *b == j as u64 + 1));
}
