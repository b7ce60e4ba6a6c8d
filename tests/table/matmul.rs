//! Matrix products against the sums they are, in all layouts.

use conformance::naive::Naive;
use conformance::naive::scalar::Scalar;
use conformance::support::execs::in_pool;
use conformance::support::report::problem_of;
use conformance::support::{Held, Recipe, Report, TestElement, Ways};
use zerostride::prelude::*;
use zerostride::{Complex, ErrorKind, bf16, f16};

/// The product by its definition. The test values are small and have few digits: every sum is
/// exact, but in `bf16`.
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

fn products<T: TestElement + Number>(report: &mut Report) {
    let shapes: &[(&[usize], &[usize])] = &[
        (&[3, 4], &[4, 5]),
        (&[1, 1], &[1, 1]),
        (&[70, 3], &[3, 41]),
        (&[50, 37], &[37, 45]),
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
        products::<i8>(&mut report);
        products::<u16>(&mut report);
        products::<i32>(&mut report);
        products::<u64>(&mut report);
    });
    report.finish(1400);
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

/// The same bits for any number of threads: of rows, columns and matrices of a batch that are shared
/// out, and of rows times a vector.
#[test]
fn threads() {
    let value = |i: usize, j: usize| ((i * 7 + j * 13) % 31) as f32 * 0.37;
    let matrix =
        |rows: usize, columns: usize| Array2::from_fn([rows, columns], |[i, j]| value(i, j));
    let batch = |rows: usize, columns: usize| {
        Array3::from_fn([7, rows, columns], |[k, i, j]| value(i + 5 * k, j))
    };
    let vector = Array1::from_fn(90, |[i]| value(i, 3));
    let products = || {
        [
            matrix(300, 90).matmul(&matrix(90, 130)).unwrap().to_vec(),
            matrix(130, 90).matmul(&matrix(90, 300)).unwrap().to_vec(),
            batch(20, 90).matmul(&batch(90, 30)).unwrap().to_vec(),
            matrix(300, 90).dot(&vector).unwrap().to_vec(),
        ]
    };
    let serial = zerostride::Exec::new().parallel(false).install(products);
    for threads in [1, 2, 3, 7, 16] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let exec = zerostride::Exec::new().grain(1);
        assert!(pool.install(|| exec.install(products)) == serial, "{threads} threads");
    }
}

/// Sums of products added to what is there, in all layouts.
fn added<T: TestElement + Number>(report: &mut Report) {
    let shapes: &[([usize; 2], [usize; 2])] = &[
        ([3, 4], [4, 5]),
        ([1, 1], [1, 1]),
        ([40, 33], [33, 40]),
        ([5, 0], [0, 3]),
        ([0, 4], [4, 3]),
    ];
    let recipes = Recipe::all(2);
    let two = T::one() + T::one();
    let mut number = 0;
    for (a_shape, b_shape) in shapes {
        for recipe in &recipes {
            number += 1;
            let another = |n: usize| &recipes[(n * number) % recipes.len()];
            let a = Held::<T>::ordinary(a_shape, another(2), number);
            let b = Held::<T>::ordinary(b_shape, another(3), number + 3);
            let mut c = Held::<T>::ordinary(&[a_shape[0], b_shape[1]], recipe, 1);
            let before = c.clone();
            let product = naive(&a.naive(), &b.naive(), T::zero());
            let old = c.naive();
            for (alpha, beta) in [(T::one(), T::zero()), (two, T::one()), (T::one(), two)] {
                c.buffer.clone_from(&before.buffer);
                let want = Naive {
                    shape: product.shape.clone(),
                    data: (product.data.iter().zip(&old.data))
                        .map(|(&p, &c)| Scalar::add(Scalar::mul(alpha, p), Scalar::mul(beta, c)))
                        .collect(),
                };
                let way = Ways::Turn(number).list()[0];
                let problem = problem_of(|| {
                    let (a, b) = (a.view(), b.view());
                    let mut view = c.view_mut();
                    let mut to = view.slice_mut(s![.., ..]).unwrap();
                    way.0.install(|| to.gemm(alpha, a, b, beta)).unwrap();
                    c.problem(&want, &before.buffer, |a, b| a == b)
                });
                let name = std::any::type_name::<T>();
                report.row(format!("{name}: {alpha:?} {a} by {b} + {beta:?} {c}, {way}"), problem);
            }
        }
    }
}

#[test]
fn gemm() {
    let mut report = Report::new("gemm");
    in_pool(|| {
        added::<f32>(&mut report);
        added::<f64>(&mut report);
        added::<Complex<f32>>(&mut report);
        added::<f16>(&mut report);
        added::<i16>(&mut report);
        added::<u64>(&mut report);
    });
    report.finish(800);
    let (a, mut c) = (Array2::<f64>::ones([2, 3]), Array2::full([2, 2], f64::NAN));
    // What was there is not read where it is multiplied by zero.
    c.gemm(1.0, &a, a.t(), 0.0).unwrap();
    assert_eq!(c, array![[3.0, 3.0], [3.0, 3.0]]);
    assert!(matches!(
        c.gemm(1.0, &a, &a, 0.0).unwrap_err().kind(),
        ErrorKind::MatrixProduct { .. }
    ));
    let misfit = c.gemm(1.0, a.t(), &a, 0.0).unwrap_err();
    assert!(matches!(misfit.kind(), ErrorKind::DoesNotFit { .. }), "{misfit}");
    assert_eq!(c, array![[3.0, 3.0], [3.0, 3.0]]);
}

/// Integers wrap around, in parts as in all.
#[test]
fn integers() {
    let a = Array2::from_fn([300, 40], |[i, j]| (i * 31 + j * 17) as u8);
    let b = Array2::from_fn([40, 270], |[i, j]| (i * 7 + j * 13) as u8);
    let wide = a.cast::<u64>().matmul(b.cast::<u64>()).unwrap();
    let exec = zerostride::Exec::new().grain(1);
    let got = in_pool(|| exec.install(|| a.matmul(&b))).unwrap();
    assert_eq!(got, wide.cast::<u8>().eval().unwrap());
}
