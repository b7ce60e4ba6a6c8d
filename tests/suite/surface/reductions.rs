//! What reductions promise beyond their results: which errors, which bits, which axes.

use zerostride::prelude::*;
use zerostride::{Complex, ErrorKind, Exec, LayoutErrorKind, Sum, Var, f16};

#[test]
fn errors_name_what_is_at_fault() {
    let x = Array2::<f32>::zeros([2, 3]);
    let out_of_range = x.sum_axis(2).unwrap_err();
    assert!(matches!(out_of_range.kind(), ErrorKind::Layout(LayoutErrorKind::AxisOutOfRange { axis: 2, .. })));
    assert_eq!(
        x.sum_axis([1, 1]).unwrap_err().to_string(),
        "axis 1 is twice in [1, 1], the axes along which shape [2, 3] is to be reduced"
    );
    let none = Array2::<f32>::zeros([2, 0]);
    assert_eq!(
        none.max_axis(1).unwrap_err().to_string(),
        "the max of no elements is not defined: along axes [1], shape [2, 0] has none"
    );
    assert_eq!(none.sum_axis(1).unwrap().to_vec(), [0.0, 0.0]);
    assert_eq!(none.max_axis(0).unwrap().shape(), [0]);
    assert_eq!(none.product().unwrap(), 1.0);
    assert_eq!(
        array![u64::MAX, 1].sum().unwrap_err().to_string(),
        "the sum of the elements, 18446744073709551616, does not fit in u64: `x.cast::<f64>().sum()` holds it to 53 bits, \
         and `sum_wrapping` wraps around"
    );
    assert!(matches!(array![1.0].var(1.0).unwrap_err().kind(), ErrorKind::TooFewElements { op: "var", len: 1, .. }));
    // The operands' own misfit comes first.
    let y = Array2::<f32>::zeros([2, 4]);
    assert!(matches!((&x + &y).sum().unwrap_err().kind(), ErrorKind::Incompatible { axis: 1, .. }));
}

#[test]
fn all_forms_of_axes() {
    let x = Array3::from_fn([2, 3, 4], |[i, j, k]| (i * 100 + j * 10 + k) as i32);
    let two: Array1<i32> = x.sum_axis([2, 0]).unwrap();
    let dynamic = x.sum_axis(vec![0, 2]).unwrap();
    assert_eq!(two.to_vec(), dynamic.to_vec());
    let kept: Array3<i32> = x.sum_axis(keep([0, 2])).unwrap();
    assert_eq!(kept.shape(), [1, 3, 1]);
    let all: zerostride::Array0<i32> = x.sum_axis(..).unwrap();
    assert_eq!(all.to_vec(), [x.sum().unwrap()]);
    assert_eq!(x.sum_axis(keep(..)).unwrap().shape(), [1, 1, 1]);
    let none: Array3<i32> = x.sum_axis([]).unwrap();
    assert_eq!(none, x);
    // Of a view, and of one that repeats.
    assert_eq!(
        x.view().slice(s![1, .., 1..3]).unwrap().sum().unwrap(),
        x.slice(s![1, .., 1..3]).unwrap().iter().sum::<i32>()
    );
    let v = array![1.5_f64, 2.5];
    assert_eq!(v.broadcast_in_dim([1000, 2], [1]).unwrap().sum_axis(0).unwrap().to_vec(), [1500.0, 2500.0]);
}

/// 10^7 uniform numbers, and the same with another sign here and there, within a unit in the last place of the exact sum.
#[test]
fn a_long_sum_is_exact_to_the_last_place() {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 24) as f32
    };
    let x = Array1::from_fn(10_000_000, |_| next());
    // Multiples of 2^-24 below 2^24: exact in integers.
    let exact =
        |x: &Array1<f32>| x.iter().map(|&x| (x * (1 << 24) as f32) as i64).sum::<i64>() as f64 / (1 << 24) as f64;
    let unit = |x: f64| f64::from((x as f32).next_up()) - f64::from(x as f32);
    let (sum, want) = (f64::from(x.sum().unwrap()), exact(&x));
    assert!((sum - want).abs() <= unit(want), "{sum} instead of {want}");
    let mean = f64::from(x.mean().unwrap());
    assert!((mean - want / 1e7).abs() <= unit(want / 1e7), "{mean}");
    // Far from zero and close together: a naive formula would have no digit left, this one loses as many as the mean has deviations.
    let far = (&x + 10_000.0).eval().unwrap();
    let (var, want) = (far.var(0.0).unwrap(), far.cast::<f64>().var(0.0).unwrap());
    assert!((f64::from(var) / want - 1.0).abs() < 1e-3, "{var} instead of {want}");
    assert!((want - 1.0 / 12.0).abs() < 1e-3);
}

/// The same bits for 1 to 16 threads, however finely the work is cut.
#[test]
fn threads_do_not_matter() {
    let x =
        Array3::from_fn([40, 90, 70], |[i, j, k]| ((i * 7919 + j * 104_729 + k * 31) % 1009) as f32 * 0.37 - 100.0);
    let expression = || (&x * &x - 3.0).exp_m1();
    let serial = Exec::new().parallel(false);
    for axes in [vec![0], vec![1], vec![2], vec![0, 2], vec![0, 1, 2]] {
        let sum = serial.install(|| expression().reduce_by(Sum, axes.clone())).unwrap();
        let var = serial.install(|| expression().reduce_by(Var { ddof: 1.0 }, axes.clone())).unwrap();
        for threads in 1..=16 {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for grain in [1, 1000, 50_000] {
                let exec = Exec::new().grain(grain);
                let got = pool.install(|| exec.install(|| expression().reduce_by(Sum, axes.clone()))).unwrap();
                assert!(same(&got.to_vec(), &sum.to_vec()), "{axes:?}, {threads} threads");
                let got = pool
                    .install(|| exec.install(|| expression().reduce_by(Var { ddof: 1.0 }, axes.clone())))
                    .unwrap();
                assert!(same(&got.to_vec(), &var.to_vec()), "{axes:?}, {threads} threads");
            }
        }
    }
}

fn same(a: &[f32], b: &[f32]) -> bool {
    a.iter().map(|x| x.to_bits()).eq(b.iter().map(|x| x.to_bits()))
}

/// A reduction of an expression is that of its result, to the bit; of rare arguments too.
#[test]
fn fusion_does_not_matter() {
    let x =
        Array2::from_fn([130, 77], |[i, j]| ((i * 31 + j * 17) % 997) as f64 * if j % 13 == 0 { 1e9 } else { 0.5 });
    let v = Array1::from_fn(77, |[j]| j as f64 * 0.25);
    let expression = || (&x - v.along([1])).sin() * 2.0;
    let result = expression().eval().unwrap();
    for axes in [vec![0], vec![1], vec![0, 1]] {
        assert_eq!(expression().sum_axis(axes.clone()).unwrap(), result.sum_axis(axes.clone()).unwrap());
        assert_eq!(expression().argmin_axis(axes.clone()).unwrap(), result.argmin_axis(axes).unwrap());
    }
}

#[test]
fn norms_and_closures() {
    let x = array![[3.0_f64, -4.0], [0.0, 12.0]];
    assert_eq!((x.norm_l1().unwrap(), x.norm_l2().unwrap(), x.norm_max().unwrap()), (19.0, 13.0, 12.0));
    assert_eq!(x.norm_l2_axis(1).unwrap().to_vec(), [5.0, 12.0]);
    assert_eq!(x.norm_l1_axis(0).unwrap().to_vec(), [3.0, 16.0]);
    assert_eq!(x.norm_max_axis(0).unwrap().to_vec(), [3.0, 12.0]);
    assert_eq!(array![Complex::new(3.0_f32, 4.0)].norm_l1().unwrap(), 5.0);
    // Squares that `f32` does not hold.
    assert_eq!(array![3e30_f32, 4e30].norm_l2().unwrap(), 5e30);
    assert_eq!(array![[6_u8, 10], [12, 20]].reduce_axis(1, |a, b| a & b).unwrap().to_vec(), [2, 4]);
    assert!(Array1::<u8>::zeros(0).reduce(|a, _| a).is_err());
    // 16-bit numbers are added up in f32.
    let ones = Array1::full(5000, f16::ONE);
    assert_eq!((&ones * &ones).sum().unwrap(), f16::from_f32(5000.0));
}

#[test]
fn checked_arithmetic() {
    let (x, v) = (array![[100_i8, -100], [20, 3]], array![27_i8, -28]);
    assert_eq!(x.checked_add(v.along([1])).unwrap(), array![[127, -128], [47, -25]]);
    // Along the rows 100 + 27 fits, and -100 + 27, 20 - 28; nothing overflows there, but one more does.
    assert_eq!(x.checked_add(v.along([0])).unwrap(), array![[127, -73], [-8, -25]]);
    assert!(
        matches!(x.checked_mul(2).unwrap_err().kind(), ErrorKind::IntegerOverflow { index, .. } if *index == [0, 0])
    );
    assert!(
        matches!(x.checked_sub(30).unwrap_err().kind(), ErrorKind::IntegerOverflow { index, .. } if *index == [0, 1])
    );
    assert_eq!(Array2::<u8>::zeros([0, 3]).checked_sub(1).unwrap().shape(), [0, 3]);
    assert!(matches!(
        x.checked_add(&array![[1_i8, 2, 3]]).unwrap_err().kind(),
        ErrorKind::Incompatible { axis: 1, .. }
    ));
}

/// Of the highest rank there is.
#[test]
fn sixteen_axes() {
    let shape = [2, 1, 2, 1, 3, 1, 2, 1, 2, 1, 5, 2, 1, 2, 1, 3].to_vec();
    let len = shape.iter().product::<usize>();
    let x = ArrayD::from_shape_vec(shape, (0..len as i64).collect()).unwrap();
    let total = (len as i64 - 1) * len as i64 / 2;
    for axes in [vec![0, 4, 15], vec![2, 10, 11], (0..16).collect(), vec![15, 0, 7]] {
        for view in [x.view(), x.t(), x.flip(10).unwrap()] {
            let sums = view.sum_axis(axes.clone()).unwrap();
            assert_eq!((sums.ndim(), sums.sum().unwrap()), (16 - axes.len(), total));
            let kept = view.max_axis(keep(axes.clone())).unwrap();
            assert_eq!((kept.ndim(), kept.max().unwrap()), (16, len as i64 - 1));
        }
    }
    assert_eq!(x.argmax().unwrap(), len - 1);
    assert_eq!(x.t().argmin().unwrap(), 0);
}
