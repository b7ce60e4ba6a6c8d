//! Matrix products against the sums they are, in all layouts.

use crate::support::execs::in_pool;
use crate::support::report::problem_of;
use crate::support::{Held, Recipe, Report, TestElement, Ways};
use conformance::naive::Naive;
use conformance::naive::scalar::Scalar;
use zerostride::prelude::*;
use zerostride::{Complex, ErrorKind, MatMul, bf16, f16};

/// The product by its definition. The test values are small and have few digits: every sum is
/// exact.
fn naive<T: Scalar>(a: &Naive<T>, b: &Naive<T>, zero: T) -> Naive<T> {
    let last = a.shape.len() - 1;
    let mut shape: Vec<usize> =
        a.shape.iter().zip(&b.shape).map(|(a, b)| if *a == 1 { *b } else { *a }).collect();
    (shape[last - 1], shape[last]) = (a.shape[last - 1], b.shape[last]);
    Naive::from_fn(&shape, |index| {
        let at = |of: &Naive<T>, row: usize, column: usize| {
            let mut place: Vec<usize> = index
                .iter()
                .zip(&of.shape)
                .map(|(&i, &extent)| if extent == 1 { 0 } else { i })
                .collect();
            (place[last - 1], place[last]) = (row, column);
            of.at(&place)
        };
        (0..a.shape[last])
            .fold(zero, |sum, k| sum.add(at(a, index[last - 1], k).mul(at(b, k, index[last]))))
    })
}

fn products<T: TestElement + MatMul>(report: &mut Report) {
    let shapes: &[(&[usize], &[usize])] = &[
        (&[3, 4], &[4, 5]),
        (&[1, 1], &[1, 1]),
        (&[70, 3], &[3, 41]),
        (&[5, 0], &[0, 3]),
        (&[0, 4], &[4, 3]),
        (&[2, 3, 4], &[2, 4, 5]),
        (&[1, 3, 4], &[3, 4, 2]),
        (&[3, 1, 2, 4], &[1, 5, 4, 3]),
        (&[0, 2, 3], &[1, 3, 2]),
    ];
    let mut number = 0;
    for (a_shape, b_shape) in shapes {
        let recipes = Recipe::all_readable(a_shape.len());
        for (i, recipe) in recipes.iter().enumerate() {
            number += 1;
            let a = Held::<T>::ordinary(a_shape, recipe, number);
            let b = Held::<T>::ordinary(
                b_shape,
                &recipes[(i * 5 + number) % recipes.len()],
                number + 3,
            );
            let want = naive(&a.naive(), &b.naive(), T::zero());
            for way in Ways::Turn(number).list() {
                let problem = problem_of(|| match way.0.install(|| a.view().matmul(b.view())) {
                    Ok(got) if got.shape() == want.shape && got.to_vec() == want.data => None,
                    Ok(got) => Some(format!("{got:?}, want {want:?}")),
                    Err(error) => Some(error.to_string()),
                });
                report.row(format!("{} {a} by {b}, {way}", std::any::type_name::<T>()), problem);
            }
        }
    }
}

#[test]
fn matrix_products() {
    let mut report = Report::new("matrix products");
    in_pool(|| {
        products::<f32>(&mut report);
        products::<f64>(&mut report);
        products::<f16>(&mut report);
        products::<Complex<f32>>(&mut report);
        products::<Complex<f64>>(&mut report);
    });
    report.finish(700);
}

#[test]
fn vectors() {
    let (a, v, w) =
        (array![[1.0_f64, 2.0, 3.0], [4.0, 5.0, 6.0]], array![1.0, 10.0, 100.0], array![1.0, -1.0]);
    assert_eq!(v.dot(&v).unwrap(), 10101.0);
    assert_eq!(a.dot(&v).unwrap().to_vec(), [321.0, 654.0]);
    assert_eq!(w.dot(&a).unwrap().to_vec(), [-3.0, -3.0, -3.0]);
    // Of expressions, and of a broadcast view.
    assert_eq!((&a * 2.0).dot(&v - 1.0).unwrap().to_vec(), [630.0, 1278.0]);
    assert_eq!(
        a.dot(&w.broadcast_in_dim([3, 2], [1]).unwrap()).unwrap(),
        array![[6.0, -6.0], [15.0, -15.0]]
    );
}

#[test]
fn misfits() {
    let (a, v) = (Array2::<f32>::zeros([2, 3]), Array1::<f32>::zeros(1));
    let kinds = [
        a.dot(&v).unwrap_err(),
        v.dot(&a).unwrap_err(),
        a.matmul(&a).unwrap_err(),
        v.matmul(&v).unwrap_err(),
    ];
    for error in kinds {
        assert!(matches!(error.kind(), ErrorKind::MatrixProduct { .. }), "{error}");
    }
    let (a, b) = (Array3::<f32>::zeros([2, 3, 4]), Array3::<f32>::zeros([3, 4, 3]));
    assert!(a.matmul(&b).is_err());
}

/// In `f32`, and rounded once.
#[test]
fn halves() {
    let a =
        Array2::from_fn([9, 40], |[i, j]| bf16::from_f32(((i * 7 + j * 13) % 31) as f32 * 0.37));
    let b = Array2::from_fn([40, 7], |[i, j]| bf16::from_f32(((i * 5 + j * 3) % 29) as f32 * 0.61));
    let wide = a.cast::<f32>().matmul(b.cast::<f32>()).unwrap();
    assert_eq!(a.matmul(&b).unwrap(), wide.cast::<bf16>().eval().unwrap());
}

/// The same bits for any number of threads.
#[test]
fn threads() {
    let a = Array2::from_fn([150, 90], |[i, j]| ((i * 7 + j * 13) % 31) as f32 * 0.37);
    let b = Array2::from_fn([90, 130], |[i, j]| ((i * 5 + j * 3) % 29) as f32 * 0.61);
    let serial = zerostride::Exec::new().parallel(false).install(|| a.matmul(&b)).unwrap();
    for threads in [1, 2, 3, 7, 16] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let exec = zerostride::Exec::new().grain(1);
        assert_eq!(
            pool.install(|| exec.install(|| a.matmul(&b))).unwrap(),
            serial,
            "{threads} threads"
        );
    }
}
