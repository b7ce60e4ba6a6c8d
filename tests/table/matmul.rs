//! Matrix products against the sums they are, in all layouts.

use conformance::naive::Naive;
use conformance::naive::scalar::Scalar;
use conformance::support::execs::in_pool;
use conformance::support::report::problem_of;
use conformance::support::{Held, Recipe, Report, TestElement, Ways};
use zerostride::prelude::*;
use zerostride::{Complex, Error, ErrorKind, bf16, f16};

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

/// Of vectors that lie in memory in any way, up to as many elements as threads share: small whole
/// numbers, whose sums are exact in any order.
fn dots_of<T>(report: &mut Report)
where
    T: Number + zerostride::CastTo<f64> + std::fmt::Debug,
    i8: zerostride::CastTo<T>,
{
    let name = std::any::type_name::<T>();
    for len in [0, 1, 2, 5, 17, 33, 200, 1024, 1025, 5000, 300_000] {
        let values = Array2::from_fn([len, 2], |[i, j]| ((i * 7 + j * 3) % 8) as i8 - 3);
        let wide = values.cast::<T>().eval().unwrap();
        let turned = wide.t().to_owned();
        let one = wide.slice(s![..len.min(1), 0]).unwrap();
        let vectors = [
            ("a column", wide.column(0)),
            ("the other column, backwards", wide.slice(s![..;-1, 1]).unwrap()),
            ("side by side", turned.row(0)),
            ("backwards", turned.slice(s![1, ..;-1]).unwrap()),
            ("one element, again and again", one.broadcast_in_dim([len], [0]).unwrap()),
        ];
        for (a_way, a) in vectors {
            for (b_way, b) in vectors {
                let products = a.to_vec().into_iter().zip(b.to_vec());
                let as_f64 = zerostride::CastTo::<f64>::cast_to;
                let want: f64 = products.map(|(a, b)| as_f64(a) * as_f64(b)).sum();
                let problem = match a.dot(b) {
                    Ok(got) if as_f64(got) == want => None,
                    got => Some(format!("{got:?}, want {want}")),
                };
                report.row(format!("{name}, {len}: {a_way} by {b_way}"), problem);
            }
        }
    }
}

#[test]
fn vectors_of_any_layout() {
    let mut report = Report::new("dot products of vectors of any layout");
    in_pool(|| {
        dots_of::<f64>(&mut report);
        dots_of::<f32>(&mut report);
        dots_of::<i32>(&mut report);
        dots_of::<i64>(&mut report);
        dots_of::<Complex<f64>>(&mut report);
    });
    report.finish(1300);
}

/// Windows that overlap are the rows of a matrix, and the columns of another one.
fn windows_of<T: TestElement + Number>(report: &mut Report) {
    for (len, width) in [1, 2, 15, 16, 17, 30, 100, 300, 3000]
        .into_iter()
        .flat_map(|len| [1, 2, 3, 8, 15, 16, 17, 40, 65].map(|width| (len, width)))
        .filter(|(len, width)| width <= len)
    {
        let (x, h) =
            (Array1::from_shape_fn(len, T::nth), Array1::from_shape_fn(width, |i| T::nth(i + 2)));
        for (name, x, h) in [
            ("as they lie", x.view(), h.view()),
            ("from the end", x.slice(s![..;-1]).expect("all"), h.view()),
            ("by a list from the end", x.view(), h.slice(s![..;-1]).expect("all")),
        ] {
            let all = x.sliding_window_view(0, width).expect("a width");
            let want: Vec<T> = (0..=len - width)
                .map(|at| {
                    (0..width)
                        .fold(T::zero(), |sum, i| Scalar::add(sum, Scalar::mul(x[at + i], h[i])))
                })
                .collect();
            for way in Ways::Turn(len + width).list() {
                let got = way.0.install(|| [all.dot(&h), h.dot(&all.t())]);
                let problem = got.iter().find_map(|got| match got {
                    Ok(got) if got.to_vec() == want => None,
                    Ok(got) => Some(format!("{:?} for {want:?}", got.to_vec())),
                    Err(error) => Some(error.to_string()),
                });
                report.row(format!("{}: {len} by {width}, {name}", T::NAME), problem);
            }
        }
    }
}

#[test]
fn windows_with_vectors() {
    let mut report = Report::new("windows and vectors");
    windows_of::<f64>(&mut report);
    windows_of::<f32>(&mut report);
    windows_of::<i32>(&mut report);
    windows_of::<u64>(&mut report);
    windows_of::<Complex<f32>>(&mut report);
    report.finish(800);
}

/// One sum of many that does not fit is an error, wherever it is.
#[test]
fn windows_with_vectors_that_overflow() {
    for (len, width) in [(20, 3), (300, 3), (300, 17), (3000, 8)] {
        for at in [0, len / 2, len - 1] {
            let mut x = Array1::<i32>::ones(len);
            let h = Array1::<i32>::full(width, 2);
            x[at] = i32::MAX / 2;
            let all = x.sliding_window_view(0, width).unwrap();
            let error = all.dot(&h).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::ReductionOverflow { .. }), "{error}");
        }
    }
}

#[test]
fn misfits() {
    let (a, v) = (Array2::<f32>::zeros([2, 3]), Array1::<f32>::zeros(1));
    let kinds = [
        a.dot(&v).unwrap_err(),
        v.dot(&a).unwrap_err(),
        v.dot(&Array1::zeros(3)).unwrap_err(),
        v.slice(s![1..]).unwrap().dot(&v).unwrap_err(),
        (&v + 1.0).dot(&Array1::zeros(3)).unwrap_err(),
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

/// Products that have a vector: the factors are widened, whichever way is taken, and only the sum
/// is rounded. (Products of the numbers here have more digits than 16 bits hold, or overflow.)
fn dots_of_halves<T>(report: &mut Report, of: fn(f32) -> T)
where
    T: Number + zerostride::CastTo<f32> + std::fmt::Debug,
    f32: zerostride::CastTo<T>,
{
    let value = |i: usize| match i % 4 {
        3 => -256.0,
        _ => 1.0 + ((i * 7 + 3) % 127) as f32 / 128.0 + if i % 4 == 1 { 256.0 } else { 0.0 },
    };
    let name = std::any::type_name::<T>();
    let narrow = |x: Array1<f32>| x.cast::<T>().eval().unwrap();
    for len in [1, 2, 3, 4, 5, 8, 16, 17, 40, 64, 100, 300, 1000, 4096] {
        // Each product is beside its negative one, but for the last: sums do not overflow.
        let x = Array1::from_fn(len, |[i]| of(value(i)));
        let y =
            Array1::from_fn(len, |[i]| of(if i % 2 == 0 { value(i + 5) } else { -value(i + 4) }));
        let (wide_x, wide_y) = (x.cast::<f32>().eval().unwrap(), y.cast::<f32>().eval().unwrap());
        let want = narrow(array![wide_x.dot(&wide_y).unwrap()])[[0]];
        let mut apart = Array1::full(2 * len, T::zero());
        apart.slice_mut(s![..;2]).unwrap().assign(&x).unwrap();
        let apart = apart.slice(s![..;2]).unwrap();
        report.equal(format!("{name} by {len}"), x.dot(&y).unwrap(), want);
        report.equal(format!("{name} by {len}, apart"), apart.dot(&y).unwrap(), want);
        report.equal(format!("{name} by {len}, computed"), (&x * T::one()).dot(&y).unwrap(), want);
        for rows in [1, 2, 3, 4, 9, 40] {
            let a = Array2::from_fn([rows, len], |[i, k]| of(value(i * 3 + k)));
            let want = narrow(a.cast::<f32>().eval().unwrap().dot(&wide_y).unwrap());
            let turned = a.t().to_owned();
            for (way, got) in [
                ("rows", a.dot(&y)),
                ("columns", turned.t().dot(&y)),
                ("from the left", y.dot(&turned)),
                ("from the left, columns", y.dot(&a.t())),
                ("computed", (&a * T::one()).dot(&y)),
            ] {
                report.equal(format!("{name}, {rows} by {len}, {way}"), got.unwrap(), want.clone());
            }
        }
    }
}

#[test]
fn dots_of_16_bits() {
    let mut report = Report::new("dots of 16 bits");
    let half = |x: [f32; 2]| Array1::from_vec(x.map(f16::from_f32).to_vec());
    let product = half([256.0, 256.0]).dot(&half([256.0, -256.0]));
    report.equal("65536 - 65536", product.unwrap(), f16::ZERO);
    dots_of_halves::<f16>(&mut report, f16::from_f32);
    dots_of_halves::<bf16>(&mut report, bf16::from_f32);
    report.finish(925);
}

/// The same bits for any number of threads: of rows, columns and matrices of a batch that are
/// shared out, of rows times a vector, and of a vector times columns.
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
            vector.dot(&matrix(90, 700)).unwrap().to_vec(),
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

/// A part of a matrix gets what a matrix of its own does, to the bit, and nothing beside it.
#[test]
fn gemm_of_parts() {
    let of = |shape: [usize; 2], by: f64| {
        Array2::from_fn(shape, |[i, j]| (by * i as f64).sin() / (j as f64 + by))
    };
    for [m, k, n] in [[1, 1, 1], [5, 1, 3], [7, 4, 5], [11, 12, 13], [20, 20, 20]] {
        let (a, b, before) = (of([k, m], 0.3), of([k, n], 1.7), of([m + 2, n + 2], 0.9));
        let inner = s![1..-1, 1..-1];
        let mut own = before.part(inner).to_owned();
        own.gemm(0.1, a.t(), &b, 0.7).unwrap();
        let mut whole = before.clone();
        whole.part_mut(inner).gemm(0.1, a.t(), &b, 0.7).unwrap();
        assert_eq!(whole.part(inner), own, "{m} x {k} x {n}");
        whole.part_mut(inner).assign(before.part(inner)).unwrap();
        assert_eq!(whole, before, "{m} x {k} x {n}");
    }
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

/// A sum of products of integers by its definition, if 128 bits hold it: of factors that are cut in
/// two, so that the sums of either part do not wrap.
fn sum_of_products(factors: impl Iterator<Item = (i128, i128)>) -> Option<i128> {
    let (mut upper, mut lower) = (0_i128, 0_i128);
    for (a, b) in factors {
        upper += (a >> 32) * b;
        lower += (a & 0xffff_ffff) * b;
    }
    upper += lower >> 32;
    upper.checked_mul(1 << 32).map(|upper| upper + (lower & 0xffff_ffff))
}

/// Two lists of factors: small ones, ones whose products and sums just fit or just do not, and ones
/// whose large products cancel, or add up.
fn factors<T: TestElement>(pattern: usize, number: usize) -> (T, T) {
    let corners = T::corners();
    let (min, max) = (corners[0], corners[5]);
    let (zero, one) = (corners[6], corners[7]);
    let odd = number % 2 == 1;
    match (pattern, number) {
        (0, _) if number < 12 => (T::nth(number * 5 + 3), T::nth(number + 5)),
        (0, _) => (zero, T::nth(number)),
        // Just what fits at either end, and one more.
        (1 | 3, 0) => (max, one),
        (2, 0) => (min, one),
        (3, 2) => (one, one),
        (1..=3, _) => (zero, max),
        (4, _) => (max, if odd { Scalar::sub(zero, max) } else { max }),
        (5, _) => (min, min),
        (6, _) => (max, max),
        _ => (corners[number * 7 % corners.len()], corners[(number * 5 + 2) % corners.len()]),
    }
}

/// What is wrong with the elements of a product, of which some sums may not fit.
fn problem_of_sums<T: TestElement + TryFrom<i128>>(
    got: Result<Vec<T>, Error>,
    sums: &[Option<i128>],
) -> Option<String> {
    let fit: Option<Vec<T>> = sums.iter().map(|sum| T::try_from((*sum)?).ok()).collect();
    match (got, fit) {
        (Ok(got), Some(want)) => (got != want).then(|| format!("{got:?}, want {want:?}")),
        (Ok(got), None) => Some(format!("{got:?}, of sums that do not fit")),
        (Err(error), Some(_)) => Some(error.to_string()),
        (Err(error), None) => match error.kind() {
            ErrorKind::ReductionOverflow { op: "dot", value, .. } if sums.contains(value) => None,
            _ => Some(format!("another error: {error}")),
        },
    }
}

/// Products of integers with vectors are exact, or errors.
fn exact<T: TestElement + Number + TryFrom<i128> + Into<Wide>>(report: &mut Report) {
    let name = std::any::type_name::<T>();
    let wide = |(a, b): (T, T)| (a.into().0, b.into().0);
    for (pattern, len) in (0..8).flat_map(|pattern| [3, 8, 40, 5000].map(|len| (pattern, len))) {
        let of: Vec<(T, T)> = (0..len).map(|number| factors(pattern, number)).collect();
        let sum = [sum_of_products(of.iter().map(|&both| wide(both)))];
        let [a, b] = [|&(a, _): &(T, T)| a, |&(_, b): &(T, T)| b]
            .map(|part| Array1::from_vec(of.iter().map(part).collect()));
        // The same elements with gaps between them, and in reverse order.
        let apart = |x: &Array1<T>| Array1::from_fn(2 * len, |[i]| x[(len - 1 - i / 2,)]);
        let (a_apart, b_apart) = (apart(&a), apart(&b));
        let (a_apart, b_apart) =
            (a_apart.slice(s![..;-2]).unwrap(), b_apart.slice(s![..;-2]).unwrap());
        let products = [
            ("contiguous", a.dot(&b)),
            ("strided", a_apart.dot(b_apart)),
            ("strided and contiguous", a_apart.dot(&b)),
            ("of expressions", (&a + T::zero()).dot(&b * T::one())),
            ("of boxed expressions", (&a + T::zero()).boxed().dot(&b)),
        ];
        for (how, got) in products {
            let problem = problem_of_sums(got.map(|sum| vec![sum]), &sum);
            report.row(format!("{name}, {how}, pattern {pattern} of {len}"), problem);
        }
    }
    let shapes = [[3, 3], [20, 3], [3, 20], [6, 6], [2, 40], [40, 40], [3, 5000], [5000, 3]];
    for (pattern, [m, n]) in (0..8).flat_map(|pattern| shapes.map(|shape| (pattern, shape))) {
        // Rows after the first are of the next numbers.
        let at = |row: usize, k: usize| factors::<T>(pattern, if row == 0 { k } else { row + k });
        let vector = Array1::from_fn(n, |[k]| at(0, k).1);
        let sums: Vec<Option<i128>> = (0..m)
            .map(|row| sum_of_products((0..n).map(|k| wide((at(row, k).0, vector[(k,)])))))
            .collect();
        let rows = Array2::from_fn([m, n], |[row, k]| at(row, k).0);
        let columns = Array2::from_fn([n, m], |[k, row]| at(row, k).0);
        let gaps = Array2::from_fn([m, 2 * n], |[row, k]| at(row, k / 2).0);
        let gaps = gaps.slice(s![.., ..;2]).unwrap();
        let products = [
            ("rows by a vector", rows.dot(&vector)),
            ("a vector by columns", vector.dot(rows.t())),
            ("columns by a vector", columns.t().dot(&vector)),
            ("a vector by rows", vector.dot(&columns)),
            ("strided rows by a vector", gaps.dot(&vector)),
            ("a vector by strided columns", vector.dot(gaps.t())),
            ("an expression by a vector", (&rows + T::zero()).dot(&vector)),
        ];
        for (how, got) in products {
            let problem = problem_of_sums(got.map(|sums| sums.to_vec()), &sums);
            report.row(format!("{name}, {how}, pattern {pattern} of {m} x {n}"), problem);
        }
    }
}

/// An integer of any type.
struct Wide(i128);

macro_rules! wide {
    ($($type:ty)*) => {$(
        impl From<$type> for Wide {
            fn from(x: $type) -> Wide {
                Wide(x as i128)
            }
        }
    )*};
}
wide!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

#[test]
fn integers_with_vectors() {
    let mut report = Report::new("products of integers with vectors");
    exact::<i8>(&mut report);
    exact::<i16>(&mut report);
    exact::<i32>(&mut report);
    exact::<i64>(&mut report);
    exact::<isize>(&mut report);
    exact::<u8>(&mut report);
    exact::<u16>(&mut report);
    exact::<u32>(&mut report);
    exact::<u64>(&mut report);
    exact::<usize>(&mut report);
    report.finish(6000);
    let error = array![100_i8, 100].dot(&array![2_i8, 2]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the dot of the elements, 400, does not fit in i8: `x.cast::<i64>().dot(y.cast::<i64>())` \
         holds it"
    );
}
