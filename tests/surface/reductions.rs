//! What reductions promise beyond their results: which errors, which bits, which axes.

use conformance::support::Report;
use zerostride::prelude::*;
use zerostride::{
    Complex, ErrorKind, Exec, Inexact, Isa, LayoutErrorKind, NormL2, NormMax, Product, Reduction,
    Sum, Var, View1, bf16, f16, keep, s,
};

#[test]
fn errors_name_what_is_at_fault() {
    let x = Array2::<f32>::zeros([2, 3]);
    let out_of_range = x.sum_axis(2).unwrap_err();
    assert!(matches!(
        out_of_range.kind(),
        ErrorKind::Layout(LayoutErrorKind::AxisOutOfRange { axis: 2, .. })
    ));
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
    assert!(matches!(
        array![1.0].var(1.0).unwrap_err().kind(),
        ErrorKind::TooFewElements { op: "var", len: 1, .. }
    ));
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
    assert_eq!(
        v.broadcast_in_dim([1000, 2], [1]).unwrap().sum_axis(0).unwrap().to_vec(),
        [1500.0, 2500.0]
    );
}

/// 10^7 uniform numbers, and the same with another sign here and there, within a unit in the last
/// place of the exact sum.
#[test]
fn a_long_sum_is_exact_to_the_last_place() {
    let mut state = 1_u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 24) as f32
    };
    let x = Array1::from_fn(10_000_000, |_| next());
    // Multiples of 2^-24 below 2^24: exact in integers.
    let exact = |x: &Array1<f32>| {
        x.iter().map(|&x| (x * (1 << 24) as f32) as i64).sum::<i64>() as f64 / (1 << 24) as f64
    };
    let unit = |x: f64| f64::from((x as f32).next_up()) - f64::from(x as f32);
    let (sum, want) = (f64::from(x.sum().unwrap()), exact(&x));
    assert!((sum - want).abs() <= unit(want), "{sum} instead of {want}");
    let mean = f64::from(x.mean().unwrap());
    assert!((mean - want / 1e7).abs() <= unit(want / 1e7), "{mean}");
}

/// The same of `f64`, whose totals of blocks have no type with more digits: stretches of blocks
/// keep what had been 20 units to 6.
#[test]
fn a_long_sum_of_equal_doubles_is_off_by_little() {
    for value in [0.1_f64, 0.3, 0.7, 1.1, 1.0 / 3.0, std::f64::consts::PI] {
        let x = Array1::full(10_000_000, value);
        let want = value * 1e7;
        let rest = value.mul_add(1e7, -want);
        let unit = want.next_up() - want;
        for sum in [x.sum().unwrap(), (&x * 1.0).sum().unwrap(), x.mean().unwrap() * 1e7] {
            let off = ((sum - want) - rest) / unit;
            assert!(off.abs() <= 7.0, "10^7 times {value} is off by {off} units");
        }
    }
}

/// Worst are equal numbers, whose roundings all go the same way: 10^7 of them are 2.8 units in the
/// last place off, however they are added up. A lane that took all of its elements one after the
/// other was off by 38.
#[test]
fn a_long_sum_of_equal_numbers_is_off_by_little() {
    let x = Array1::full(10_000_000, 0.1_f32);
    let ones = Array1::full(10_000_000, 1.0_f32);
    let near = |got: f32, len: f64| {
        let want = f64::from(0.1_f32) * len;
        let unit = f64::from((want as f32).next_up()) - f64::from(want as f32);
        assert!((f64::from(got) - want).abs() <= 3.0 * unit, "{got} instead of {want}");
    };
    near(x.sum().unwrap(), 1e7);
    near((&x * 1.0).sum().unwrap(), 1e7);
    near((&x * 1.0).boxed().sum().unwrap(), 1e7);
    near(x.norm_l1().unwrap(), 1e7);
    near(x.dot(&ones).unwrap(), 1e7);
    near(x.cumsum(0).unwrap()[[9_999_999]], 1e7);
    near(x.mean().unwrap(), 1.0);
    near(x.complex(&x).eval().unwrap().sum().unwrap().im, 1e7);
    let rows = x.reshape([1_000_000, 10]).unwrap();
    for sum in rows.sum_axis(0).unwrap().iter().chain(&rows.t().sum_axis(1).unwrap()) {
        near(*sum, 1e6);
    }
}

/// The type of a result is that of the elements: so literals and generic code need no more than a
/// bound.
#[test]
fn results_have_the_type_of_the_elements() -> Result<(), zerostride::Error> {
    let x = array![1.0, 2.0];
    let (sum, product, mean, var, max) = (x.sum()?, x.product()?, x.mean()?, x.var(0.0)?, x.max()?);
    assert_eq!((sum, product, mean, var, max), (3.0, 2.0, 1.5, 0.25, 2.0));
    let norms = (x.norm_l1()?, x.norm_l2()?, x.norm_max()?);
    assert_eq!(norms, (3.0, 5_f64.sqrt(), 2.0));
    let (median, quantile, sums) = (x.median()?, x.quantile(0.75)?, x.cumsum(0)?);
    assert_eq!((median, quantile, sums.to_vec()), (1.5, 1.75, vec![1.0, 3.0]));
    assert_eq!(array![3, 4].sum()?, 7);
    let norm = array![Complex::new(3.0, 4.0)].norm_l2()?;
    assert_eq!(norm, 5.0);

    // Of expressions of literals, too.
    let y = array![2.0, 0.0];
    assert_eq!(((&x - &y) * (&x - &y)).sum()?, 5.0);
    assert_eq!((-&x + 2.0 * &y).exp().ln().max()?, 3.0);
    assert!(!x.greater(&y).all()?);
    assert_eq!((array![[7, 2]] % 4).max_axis(1)?.to_vec(), [3]);

    fn totals<T: Number>(x: &Array2<T>) -> Result<(T, T, Array1<T>), zerostride::Error> {
        Ok((x.sum()? + T::one(), x.product()?, x.sum_axis(0)?))
    }
    assert_eq!(totals(&array![[1_u8, 2], [3, 4]])?, (11, 24, array![4, 6]));
    let i = Complex::new(0.0_f32, 1.0);
    assert_eq!(totals(&array![[i, i]])?, (i + i + 1.0, i * i, array![i, i]));
    fn range<T: Real>(x: &Array1<T>) -> Result<T, zerostride::Error> {
        Ok((x.max()? - x.min()?) * x.norm_max()? + x.norm_l1()?)
    }
    assert_eq!((range(&array![1_i32, -3])?, range(&array![1.0_f32, -3.0])?), (16, 16.0));
    fn moments<T: Float>(x: &Array1<T>) -> Result<[T; 6], zerostride::Error> {
        Ok([x.mean()?, x.var(0.0)?, x.std(0.0)?, x.norm_l2()?, x.median()?, x.log_sum_exp()?])
    }
    assert_eq!(moments(&array![0.0_f64])?, [0.0; 6]);
    assert_eq!(moments(&array![f16::ZERO])?, [f16::ZERO; 6]);
    fn inexact<T: Inexact>(x: &Array1<T>) -> Result<T, zerostride::Error> {
        x.mean()
    }
    assert_eq!((inexact(&array![i, -i])?, inexact(&array![bf16::ONE])?), (i - i, bf16::ONE));
    fn wrapped<T: Integer>(x: &Array1<T>) -> Result<(T, T), zerostride::Error> {
        Ok((x.sum_wrapping()?, x.product_wrapping()?))
    }
    assert_eq!(wrapped(&array![200_u8, 100])?, (44, 32));
    Ok(())
}

/// Integers are added up and multiplied exactly, whatever the order, and a result that does not fit
/// is an error that says so.
#[test]
fn integers_that_do_not_fit() {
    let message = |error: zerostride::Error| error.to_string();
    assert_eq!(
        message(array![100_i8, 100].sum().unwrap_err()),
        "the sum of the elements, 200, does not fit in i8: `x.cast::<i64>().sum()` holds it, and `sum_wrapping` wraps around"
    );
    assert_eq!(array![100_i8, 100].cast::<i64>().sum().unwrap(), 200);
    assert_eq!(
        message(array![16_u8, 16].product().unwrap_err()),
        "the product of the elements, 256, does not fit in u8: `x.cast::<u64>().product()` holds it, and `product_wrapping` \
         wraps around"
    );
    assert_eq!(
        message(array![u64::MAX, 2].product().unwrap_err()),
        "the product of the elements does not fit in u64: `x.cast::<f64>().product()` holds it to 53 bits, and \
         `product_wrapping` wraps around"
    );
    assert_eq!(
        message(array![-128_i8].norm_l1().unwrap_err()),
        "the norm_l1 of the elements, 128, does not fit in i8: `x.cast::<i64>().norm_l1()` holds it"
    );
    assert_eq!(
        message(array![[-128_i8, 3], [5, 7]].norm_max_axis(0).unwrap_err()),
        "the norm_max of the elements, 128, does not fit in i8: `x.cast::<i64>().norm_max()` holds it"
    );
    assert_eq!(array![-127_i8, 5].norm_max().unwrap(), 127);
    assert_eq!(array![i64::MIN + 1, 0].norm_l1().unwrap(), i64::MAX);
    assert!(array![i64::MIN].norm_l1().is_err() && array![i64::MIN].norm_max().is_err());
    // On the way to a sum that fits, anything may happen.
    assert_eq!(array![127_i8, 127, -128, -126].sum().unwrap(), 0);
    assert_eq!(array![i64::MAX, i64::MAX, i64::MIN, i64::MIN].sum().unwrap(), -2);
    // The most negative number, in every order; and what does not fit beside a zero.
    let most_negative = [2_i64, -1, 1 << 62];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let x = Array1::from_vec(order.map(|i| most_negative[i]).to_vec());
        assert_eq!(x.product().unwrap(), i64::MIN, "{x}");
        // Far apart, so that whole accumulators and blocks meet.
        let mut far = Array1::full(10_000, 1_i64);
        for (i, at) in [3, 19, 7001].into_iter().enumerate() {
            far[[at]] = x[[i]];
        }
        assert_eq!(far.product().unwrap(), i64::MIN, "{x}");
        far[[4500]] = -1;
        assert!(far.product().is_err(), "{x}");
        far[[9000]] = 0;
        assert_eq!(far.product().unwrap(), 0, "{x}");
    }
    assert_eq!(array![i64::MIN, 1].product().unwrap(), i64::MIN);
    assert_eq!(array![-1_i8, -128, -1].product().unwrap(), -128);
    assert!(array![i64::MIN, -1].product().is_err());
    // 2^64 - 1, by its factors.
    let factors = array![3_u64, 5, 17, 257, 641, 65_537, 6_700_417];
    assert_eq!(factors.product().unwrap(), u64::MAX);
    assert!(array![3_u64, 5, 17, 257, 641, 65_537, 6_700_417, 2].product().is_err());
}

/// 16-bit results are rounded once, from all that has been added up, with every instruction set.
#[test]
fn sixteen_bits_are_rounded_once() {
    let tiny = 2_f32.powi(-15);
    for isa in zerostride::Isa::available() {
        let exec = Exec::new().isa(isa).parallel(false);
        let b = [256.0, 1.0, tiny].map(bf16::from_f32);
        let h = [2048.0, 1.0, 2_f32.powi(-12)].map(f16::from_f32);
        let bf = |reduced: zerostride::Array0<bf16>| reduced[[]].to_f32();
        let hf = |reduced: zerostride::Array0<f16>| reduced[[]].to_f32();
        let (b, h) = (Array1::from_vec(b.to_vec()), Array1::from_vec(h.to_vec()));
        assert_eq!(bf(exec.install(|| b.reduce_by(Sum, ..)).unwrap()), 258.0, "{isa:?}");
        assert_eq!(hf(exec.install(|| h.reduce_by(Sum, ..)).unwrap()), 2050.0, "{isa:?}");
        // Means of numbers that are half-way between two but for the last addend.
        let b = Array1::from_vec([257.0, 257.0, 257.0 * 2.0, tiny].map(bf16::from_f32).to_vec());
        let exact = (256.0 + 256.0 + 516.0 + f64::from(tiny)) / 4.0;
        assert_eq!(
            bf(exec.install(|| b.reduce_by(zerostride::Mean, ..)).unwrap()),
            bf16::from_f64(exact).to_f32(),
            "{isa:?}"
        );
    }
}

/// -0 is below +0, wherever they are and with every instruction set; NaN has one sign.
#[test]
fn zeros_and_nan_of_extremes() {
    let bits = |x: f64| x.to_bits();
    assert_eq!(bits(array![-0.0, 0.0].max().unwrap()), bits(0.0));
    assert_eq!(bits(array![0.0, -0.0].max().unwrap()), bits(0.0));
    assert_eq!(bits(array![-0.0, 0.0].min().unwrap()), bits(-0.0));
    assert_eq!(bits(array![0.0, -0.0].min().unwrap()), bits(-0.0));
    assert_eq!(bits(array![-0.0, -0.0].max().unwrap()), bits(-0.0));
    assert_eq!(bits(array![f64::NAN, 0.0, -0.0].nanmin().unwrap()), bits(-0.0));
    assert_eq!(bits(array![-0.0, f64::NAN, 0.0].nanmax().unwrap()), bits(0.0));
    assert_eq!(array![f16::ZERO, -f16::ZERO].min().unwrap().to_bits(), 0x8000);
    assert_eq!(array![-bf16::ZERO, bf16::ZERO].max().unwrap().to_bits(), 0);
    for isa in zerostride::Isa::available() {
        let exec = Exec::new().isa(isa).parallel(false);
        for (len, at) in [(2, 1), (40, 39), (5000, 17), (5000, 4999)] {
            let mut x = Array1::full(len, 0.0_f32);
            x[[at]] = -0.0;
            let got = |x: &Array1<f32>, min: bool| match min {
                true => exec.install(|| x.reduce_by(zerostride::Min, ..)).unwrap()[[]].to_bits(),
                false => exec.install(|| x.reduce_by(zerostride::Max, ..)).unwrap()[[]].to_bits(),
            };
            assert_eq!((got(&x, true), got(&x, false)), (1 << 31, 0), "{len}, {at}, {isa:?}");
            let y = (-&x).eval().unwrap();
            assert_eq!((got(&y, true), got(&y, false)), (1 << 31, 0), "{len}, {at}, {isa:?}");
            for nan in
                [f32::NAN, -f32::NAN, f32::from_bits(0x7f80_0001), f32::from_bits(0xffff_ffff)]
            {
                x[[at]] = nan;
                let nan = f32::NAN.to_bits();
                assert_eq!((got(&x, true), got(&x, false)), (nan, nan), "{len}, {at}, {isa:?}");
            }
        }
    }
    // And those that operations make or pass on.
    let inf = f64::INFINITY;
    for x in [array![inf, -inf], array![-inf, inf], array![-f64::NAN, 1.0], array![1.0, -f64::NAN]]
    {
        let nan = bits(f64::NAN);
        assert_eq!(bits(x.sum().unwrap()), nan, "{x}");
        assert_eq!(bits(x.mean().unwrap()), nan, "{x}");
        assert_eq!(bits(x.var(0.0).unwrap()), nan, "{x}");
        assert_eq!(bits((&x * 0.0).product().unwrap()), nan, "{x}");
    }
    let none = array![-f64::NAN, f64::NAN];
    assert_eq!(bits(none.nanmax().unwrap()), bits(f64::NAN));
    assert_eq!(bits(none.nanmin().unwrap()), bits(f64::NAN));
    assert_eq!(bits(none.nansum().unwrap()), bits(0.0));
    assert_eq!(bits(none.nanmean().unwrap()), bits(f64::NAN));
    assert_eq!(bits(none.norm_l2().unwrap()), bits(f64::NAN));
    assert_eq!(bits(none.norm_max().unwrap()), bits(f64::NAN));
}

/// Norms of numbers whose squares no type holds.
#[test]
fn norms_of_large_and_small_numbers() {
    let rows: &[(&[f64], f64)] = &[
        (&[1e-200, 1e-200], 2_f64.sqrt() * 1e-200),
        (&[3e-200, 4e-200], 5e-200),
        (&[3e200, 4e200], 5e200),
        (&[3e300, 4e300, 1.0, 1e-300], 5e300),
        (&[f64::MAX], f64::MAX),
        (&[f64::MIN_POSITIVE], f64::MIN_POSITIVE),
        (&[3.0 * 5e-324, 4.0 * 5e-324], 5.0 * 5e-324),
        (&[5e-324], 5e-324),
        (&[3e-160, 4e-160], 5e-160),
        (&[3e-140, 4e-140], 5e-140),
        (&[3e150, 4e150], 5e150),
        (&[3.0, 4.0, 1e-200], 5.0),
        (&[0.0, -0.0], 0.0),
        (&[f64::MAX, f64::MAX], f64::INFINITY),
        (&[f64::NEG_INFINITY, 1.0], f64::INFINITY),
    ];
    for (x, want) in rows {
        let x = Array1::from_vec(x.to_vec());
        let got = x.norm_l2().unwrap();
        assert!(got == *want || (got / want - 1.0).abs() < 1e-15, "{x:?}: {got:e}, want {want:e}");
        let complex = x.complex(0.0).eval().unwrap();
        assert_eq!(complex.norm_l2().unwrap(), got, "{x:?}");
        let columns = x.insert_axis(1).unwrap().broadcast_in_dim([x.len(), 40], [0, 1]).unwrap();
        assert_eq!(columns.norm_l2_axis(0).unwrap().to_vec(), [got; 40], "{x:?}");
    }
    assert!(array![f64::NAN, f64::INFINITY].norm_l2().unwrap().is_nan());
    assert_eq!(array![3e-30_f32, 4e-30].norm_l2().unwrap(), 5e-30);
    assert_eq!(array![Complex::new(3e-200, 4e-200)].norm_l2().unwrap(), 5e-200);
    assert!(
        (array![Complex::new(3e200_f64, 4e200)].norm_l2().unwrap() / 5e200 - 1.0).abs() < 1e-15
    );
}

/// As exact as two passes, however far from zero the elements are.
#[test]
fn variances_far_from_zero() {
    // Multiples of 1/8 between -64 and 64, around several places: all sums of distances from the
    // place are exact in integers.
    let eighths = |i: usize| ((i * 7919 + i * i % 613) % 1024) as i64 - 512;
    for place in [0.0, 1.0, 1e3, 1e8, -1e12] {
        for shape in [[3, 1], [17, 300], [2000, 7], [90, 5000]] {
            let x = Array2::from_fn(shape, |[i, j]| place + eighths(i * shape[1] + j) as f64 / 8.0);
            let exact = |elements: &mut dyn Iterator<Item = usize>| {
                let (mut len, mut sum, mut squares) = (0_i128, 0_i128, 0_i128);
                for element in elements.map(eighths).map(i128::from) {
                    (len, sum, squares) = (len + 1, sum + element, squares + element * element);
                }
                (len * squares - sum * sum) as f64 / 64.0 / (len * len) as f64
            };
            let close = |got: f64, want: f64| (got - want).abs() <= 4e-15 * want;
            let all = exact(&mut (0..x.len()));
            let got = x.var(0.0).unwrap();
            assert!(close(got, all), "{place} {shape:?}: {got:e}, want {all:e}");
            let std = x.std(0.0).unwrap();
            assert!(close(std, all.sqrt()), "{place} {shape:?}: {std:e}");
            for (j, got) in x.var_axis(0, 0.0).unwrap().to_vec().into_iter().enumerate() {
                let want = exact(&mut (0..shape[0]).map(|i| i * shape[1] + j));
                assert!(close(got, want), "{place} {shape:?} column {j}: {got:e}, want {want:e}");
            }
            for (i, got) in x.var_axis(1, 0.0).unwrap().to_vec().into_iter().enumerate() {
                let want = exact(&mut (i * shape[1]..(i + 1) * shape[1]));
                assert!(close(got, want), "{place} {shape:?} row {i}: {got:e}, want {want:e}");
            }
        }
    }
    // What is all the same has none; and a first element far from the rest does not spoil it.
    assert_eq!(Array1::full(10_000, 0.1_f32).var(0.0).unwrap(), 0.0);
    let mut x = Array1::from_fn(5000, |[i]| 1e8 + (i % 2) as f64);
    x[[0]] = 0.0;
    let want = {
        let mean = x.iter().map(|x| x / 5000.0).sum::<f64>();
        x.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 5000.0
    };
    assert!((x.var(0.0).unwrap() / want - 1.0).abs() < 1e-12);
    let far = Array1::from_fn(1_000_000, |[i]| 10_000.0 + (i * 7919 % 1000) as f32 / 1024.0);
    let (var, want) = (far.var(0.0).unwrap(), far.cast::<f64>().var(0.0).unwrap());
    assert!((f64::from(var) / want - 1.0).abs() < 1e-6, "{var} instead of {want}");
}

#[test]
fn degrees_of_freedom() {
    let x = array![1.0, 2.0, 4.0];
    for ddof in [-1.0, -f64::MIN_POSITIVE, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for error in [x.var(ddof).unwrap_err(), x.std(ddof).unwrap_err()] {
            assert!(matches!(error.kind(), ErrorKind::Ddof { .. }), "{error}");
        }
    }
    assert_eq!(
        x.var(-1.0).unwrap_err().to_string(),
        "the var with ddof -1 is not defined: ddof is taken off the number of elements, 0 or more of them"
    );
    assert!(matches!(
        x.std(3.0).unwrap_err().kind(),
        ErrorKind::TooFewElements { op: "std", len: 3, .. }
    ));
    assert_eq!(x.var(2.5).unwrap(), (14.0 / 3.0) / 0.5);
}

/// A reduction by a type of one's own, of a monoid of one's own.
#[test]
fn monoids_of_ones_own() {
    use zerostride::{Monoid, MonoidReduction, Named};
    struct Gcd;
    impl Monoid<Gcd> for u32 {
        const IDENTITY: u32 = 0;
        fn combine(self, other: u32) -> u32 {
            if other == 0 { self } else { Monoid::<Gcd>::combine(other, self % other) }
        }
    }
    impl Named for Gcd {
        const NAME: &'static str = "gcd";
    }
    impl MonoidReduction<u32> for Gcd {
        type Op = Gcd;
        type Acc = u32;
        type Total = u32;
        type Output = u32;
        fn lift(&self, x: u32) -> u32 {
            x
        }
        fn total(&self, acc: u32) -> u32 {
            acc
        }
        fn finish(&self, total: u32, _: usize) -> Result<u32, zerostride::Error> {
            Ok(total)
        }
    }
    let x = Array2::from_fn([70, 9], |[i, j]| ((i + 1) * (j + 1)) as u32);
    let all: Vec<u32> = (1..=9).collect();
    assert_eq!(x.reduce_by(Gcd, 0).unwrap().to_vec(), all);
    assert_eq!(x.t().reduce_by(Gcd, 1).unwrap().to_vec(), all);
    assert!(Array1::<u32>::zeros(0).reduce_by(Gcd, ..).is_err());
    // Those of the crate are `Reduction`s of the same accumulators in any type.
    fn joins<T: zerostride::Element, F: Reduction<T>>(_: F) -> bool {
        F::JOINS
    }
    assert!(
        joins::<i32, _>(zerostride::SumWrapping) && joins::<u8, _>(zerostride::ProductWrapping)
    );
    assert!(joins::<f64, _>(NormL2) && joins::<i8, _>(NormMax) && joins::<bf16, _>(Product));
}

/// Few elements of any size and alignment, wherever they lie.
#[test]
fn large_elements() {
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(align(128))]
    struct Aligned(u64);
    let (large, aligned) = (
        Array2::from_fn([40, 30], |[i, j]| [i as u64, j as u64, 1, 0, 7]),
        Array2::from_fn([40, 30], |[i, j]| Aligned((i * 31 + j) as u64)),
    );
    let shapes = [(1, 1), (2, 2), (3, 3), (2, 3), (3, 5), (2, 8), (4, 4), (5, 5), (9, 9), (30, 25)];
    for (r, c) in shapes {
        let places = || (1..=r).flat_map(|i| (2..c + 2).map(move |j| (i as u64, j as u64)));
        let count = (r * c) as u64;
        let (rows, columns): (u64, u64) =
            (places().map(|(i, _)| i).sum(), places().map(|(_, j)| j).sum());
        let large = large.slice(s![1..=r, 2..c + 2]).unwrap();
        let aligned = aligned.slice(s![1..=r, 2..c + 2]).unwrap();
        for (large, aligned) in [(large, aligned), (large.t(), aligned.t())] {
            let sum = large.reduce(|a, b| std::array::from_fn(|k| a[k] + b[k])).unwrap();
            assert_eq!(sum, [rows, columns, count, 0, 7 * count], "{r} x {c}");
            let sum = aligned.reduce(|a, b| Aligned(a.0 + b.0)).unwrap();
            assert_eq!(sum, Aligned(31 * rows + columns), "{r} x {c}");
        }
    }
}

/// The same bits for several numbers of threads up to 16, however finely the work is cut.
#[test]
fn threads_do_not_matter() {
    let x = Array3::from_fn([40, 90, 70], |[i, j, k]| {
        ((i * 7919 + j * 104_729 + k * 31) % 1009) as f32 * 0.37 - 100.0
    });
    let expression = || (&x * &x - 3.0).exp_m1();
    let serial = Exec::new().parallel(false);
    for axes in [vec![0], vec![1], vec![2], vec![0, 2], vec![0, 1, 2]] {
        let sum = serial.install(|| expression().reduce_by(Sum, axes.clone())).unwrap();
        let var =
            serial.install(|| expression().reduce_by(Var { ddof: 1.0 }, axes.clone())).unwrap();
        for threads in [1, 2, 3, 4, 7, 11, 16] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for grain in [1, 1000, 50_000] {
                let exec = Exec::new().grain(grain);
                let got = pool
                    .install(|| exec.install(|| expression().reduce_by(Sum, axes.clone())))
                    .unwrap();
                assert!(same(&got.to_vec(), &sum.to_vec()), "{axes:?}, {threads} threads");
                let got = pool
                    .install(|| {
                        exec.install(|| expression().reduce_by(Var { ddof: 1.0 }, axes.clone()))
                    })
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
    let x = Array2::from_fn([130, 77], |[i, j]| {
        ((i * 31 + j * 17) % 997) as f64 * if j % 13 == 0 { 1e9 } else { 0.5 }
    });
    let v = Array1::from_fn(77, |[j]| j as f64 * 0.25);
    let expression = || (&x - v.along([1])).sin() * 2.0;
    let result = expression().eval().unwrap();
    for axes in [vec![0], vec![1], vec![0, 1]] {
        assert_eq!(
            expression().sum_axis(axes.clone()).unwrap(),
            result.sum_axis(axes.clone()).unwrap()
        );
        assert_eq!(
            expression().argmin_axis(axes.clone()).unwrap(),
            result.argmin_axis(axes).unwrap()
        );
    }
}

#[test]
fn norms_and_closures() {
    let x = array![[3.0_f64, -4.0], [0.0, 12.0]];
    assert_eq!(
        (x.norm_l1().unwrap(), x.norm_l2().unwrap(), x.norm_max().unwrap()),
        (19.0, 13.0, 12.0)
    );
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
    // Along the rows 100 + 27 fits, and -100 + 27, 20 - 28; nothing overflows there, but one more
    // does.
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

/// Squares are folded as they are read: along each axis, in every layout, beyond what is computed
/// on the stack. All sums are exact.
#[test]
fn squares_of_arrays() {
    let mut report = Report::new("squares of arrays");
    for (m, n) in [(1, 1), (3, 5), (64, 64), (120, 130), (3, 9001), (9001, 3), (0, 4), (4, 0)] {
        let x = Array2::from_fn([m, n], |[i, j]| ((i * 31 + j * 17) % 23) as f64 - 11.0);
        let part = x.slice(s![..;-1, ..;2]).unwrap();
        for (name, view) in [("as it lies", x.view()), ("turned", x.t()), ("a part", part)] {
            let [rows, columns] = view.dim();
            let square = |i, j| view[[i, j]] * view[[i, j]];
            let of_row = |i| (0..columns).map(|j| square(i, j)).sum::<f64>();
            let of_column = |j| (0..rows).map(|i| square(i, j)).sum::<f64>();
            let want = [
                (0..columns).map(of_column).collect::<Vec<_>>(),
                (0..rows).map(of_row).collect(),
                vec![(0..rows).map(of_row).sum()],
            ];
            for parallel in [false, true] {
                let got = Exec::new().parallel(parallel).install(|| {
                    [
                        view.square().sum_axis(0).unwrap().to_vec(),
                        view.square().sum_axis(1).unwrap().to_vec(),
                        vec![view.square().sum().unwrap()],
                    ]
                });
                let problem = (got != want).then(|| "other sums".to_string());
                report.row(format!("{m} x {n}, {name}, parallel {parallel}"), problem);
            }
        }
    }
    report.finish(48);
}

/// What is drawn: a number from 0 on, one after the other.
fn drawn(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state >> 11
}

/// Sums of integers are those of any size, if the type holds them, and errors if not: of elements
/// near the ends of their types, which overflow on the way to a sum that fits, too.
macro_rules! sums_of_integers {
    ($($test:ident $type:ident;)*) => {$(
        #[test]
        fn $test() {
            let (mut seen, mut failures, mut state) = ([0; 2], Vec::new(), 88172645463325252_u64);
            let shapes: &[[usize; 3]] = &[
                [1, 1, 1], [1, 2, 16], [1, 3, 17], [2, 5, 31], [3, 1, 40], [2, 7, 100],
                [5, 16, 1], [4, 15, 2], [3, 33, 1], [7, 64, 1], [2, 65, 16], [1, 130, 1],
                [2, 4096, 1], [1, 4097, 20], [1, 3, 20_000], [3, 2, 9000], [1, 2, 300_000],
                [70, 5000, 1], [150, 3, 1000],
            ];
            for &[outer, len, inner] in shapes {
                // Of few elements large ones, of many small ones, so that some sums fit.
                for kind in 0..4 {
                    let value = |state: &mut u64| -> $type {
                        let few = [$type::MAX, $type::MIN, $type::MAX / 2, $type::MIN / 2, 1, 0];
                        let most = len.min($type::MAX as usize) as $type;
                        let small = ($type::MAX / most).max(1);
                        let random = drawn(state);
                        match (kind, random % 16) {
                            (0, _) => (random % 3) as $type % small,
                            (1, _) | (2, 1..) => (random as $type) % small,
                            (2, _) => few[(random >> 8) as usize % 6],
                            _ if len < 8 => few[(random >> 8) as usize % 6],
                            // One that takes the next back.
                            _ if $type::MIN == 0 => (random % 2) as $type,
                            _ if random % 2 == 0 => $type::MAX,
                            _ => $type::MIN.wrapping_add(1),
                        }
                    };
                    let size = outer * len * inner;
                    let data: Vec<$type> = (0..size).map(|_| value(&mut state)).collect();
                    let exact = |first: usize, column: usize| -> i128 {
                        let element = |row| data[(first * len + row) * inner + column] as i128;
                        (0..len).map(element).sum()
                    };
                    let expected: Vec<i128> =
                        (0..outer * inner).map(|n| exact(n / inner, n % inner)).collect();
                    let fits = expected.iter().all(|&sum| $type::try_from(sum).is_ok());
                    let array = Array3::from_shape_vec([outer, len, inner], data.clone()).unwrap();
                    // The same in other orders of memory, and with gaps.
                    let turned = array.permuted_axes([2, 1, 0]).unwrap().to_owned();
                    let wide = (outer, len, 2 * inner);
                    let wide = Array3::from_shape_fn(wide, |(i, j, k)| array[[i, j, k / 2]]);
                    let views = [
                        ("as it lies", array.view()),
                        ("turned", turned.permuted_axes([2, 1, 0]).unwrap()),
                        ("with gaps", wide.slice(s![.., .., ..;2]).unwrap()),
                    ];
                    for (layout, view) in views {
                        for parallel in [false, true] {
                            let exec = Exec::new().parallel(parallel).grain(1 << 10);
                            let (sums, kept) =
                                exec.install(|| (view.sum_axis(1), view.sum_axis(keep(1))));
                            if let (Ok(sums), Ok(kept)) = (&sums, &kept) {
                                assert_eq!(sums.shape(), [outer, inner]);
                                assert_eq!(kept.shape(), [outer, 1, inner]);
                                assert!(kept.iter().eq(sums), "the same with the axis kept");
                            }
                            assert_eq!(sums.is_ok(), kept.is_ok());
                            seen[usize::from(fits)] += 1;
                            let same = match &sums {
                                Ok(sums) => {
                                    fits && sums.iter().map(|&x| x as i128).eq(expected.clone())
                                }
                                Err(error) => {
                                    !fits && error.to_string().contains(stringify!($type))
                                }
                            };
                            if !same {
                                let shape = [outer, len, inner];
                                failures.push(format!("{shape:?} {kind} {layout} {parallel}"));
                            }
                        }
                    }
                    // Along two axes, of dynamic rank, and by columns that lie side by side.
                    let all = (0..inner).map(|k| expected[k..].iter().step_by(inner).sum::<i128>());
                    let all: Vec<i128> = all.collect();
                    let fits = all.iter().all(|&sum| $type::try_from(sum).is_ok());
                    let folded = array.as_dyn().sum_axis(&[0, 1][..]);
                    let flat = array.reshape([outer * len, inner]).unwrap();
                    for (layout, sums) in [
                        ("two axes", array.sum_axis([0, 1]).map(|sums| sums.into_dyn())),
                        ("dynamic", folded),
                        ("turned matrix", flat.t().sum_axis(1).map(|sums| sums.into_dyn())),
                    ] {
                        let right = match &sums {
                            Ok(sums) => {
                                fits && sums.iter().map(|&x| x as i128).eq(all.clone())
                            }
                            Err(_) => !fits,
                        };
                        if !right {
                            failures.push(format!("{layout} {outer}x{len}x{inner} {kind}"));
                        }
                    }
                    // Each list by itself.
                    let lists = if inner == 1 { outer } else { 0 };
                    for (first, &sum) in expected.iter().enumerate().take(lists) {
                        let list = View1::from_slice([len], &data[first * len..][..len]).unwrap();
                        if list.sum().ok() != $type::try_from(sum).ok() {
                            failures.push(format!("list {first} of {outer}x{len} {kind}"));
                        }
                    }
                }
            }
            assert!(failures.is_empty(), "{failures:#?}");
            assert!(seen[0] > 50 && seen[1] > 50, "sums that fit and sums that do not: {seen:?}");
        }
    )*};
}

sums_of_integers! {
    sums_of_i8_are_exact i8;
    sums_of_i16_are_exact i16;
    sums_of_i32_are_exact i32;
    sums_of_i64_are_exact i64;
    sums_of_isize_are_exact isize;
    sums_of_u8_are_exact u8;
    sums_of_u16_are_exact u16;
    sums_of_u32_are_exact u32;
    sums_of_u64_are_exact u64;
    sums_of_usize_are_exact usize;
}

/// What a sum of at most 256 numbers is by definition: element `i` goes to lane `i % 16`, and the
/// upper half of the lanes is added to the lower one until one is left.
macro_rules! sums_of_few_rows {
    ($($test:ident $type:ident;)*) => {$(
        #[test]
        fn $test() {
            let by_lanes = |column: &[$type]| -> $type {
                let mut lanes = [-0.0; 16];
                column.iter().enumerate().for_each(|(i, x)| lanes[i % 16] += x);
                for half in [8, 4, 2, 1] {
                    (0..half).for_each(|i| lanes[i] += lanes[i + half]);
                }
                lanes[0]
            };
            // Every NaN is this one.
            let bits = |x: $type| if x.is_nan() { $type::NAN.to_bits() } else { x.to_bits() };
            let infinity = $type::INFINITY;
            let special =
                [$type::NAN, infinity, -infinity, -0.0, $type::MAX, $type::MIN_POSITIVE, 0.0];
            let (mut failures, mut state) = (Vec::new(), 88172645463325252_u64);
            for len in [1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 33, 63, 64, 65] {
                let many = if len <= 4 { 20_000 } else { 1000 };
                for (outer, inner) in [(1, 255), (1, 256), (2, 257), (3, 300), (1, many)] {
                    let value = |state: &mut u64| -> $type {
                        match drawn(state) % 97 {
                            n @ 0..7 => special[n as usize],
                            7 => -special[(drawn(state) % 7) as usize],
                            // Most columns have none of those.
                            n => (drawn(state) as $type) * (n as $type - 50.0) / 1e9,
                        }
                    };
                    let array = Array3::from_shape_fn((outer, len, inner), |(_, _, k)| match k % 3 {
                        0 => value(&mut state),
                        _ => (drawn(&mut state) as $type) / 1e9 - 4000.0,
                    });
                    let expected: Vec<_> = (0..outer * inner)
                        .map(|n| {
                            let element = |j| array[[n / inner, j, n % inner]];
                            let sum = by_lanes(&(0..len).map(element).collect::<Vec<_>>());
                            (bits(sum), bits((f64::from(sum) / len as f64) as $type))
                        })
                        .collect();
                    let turned = array.permuted_axes([2, 1, 0]).unwrap().to_owned();
                    let views = [
                        ("as it lies", array.view()),
                        ("turned", turned.permuted_axes([2, 1, 0]).unwrap()),
                    ];
                    for (layout, view) in views {
                        let isas = Isa::available().into_iter();
                        for (isa, parallel) in isas.flat_map(|isa| [(isa, false), (isa, true)]) {
                            let exec = Exec::new().parallel(parallel).grain(1 << 10).isa(isa);
                            let (sums, means) =
                                exec.install(|| (view.sum_axis(1), view.mean_axis(1)));
                            let (sums, means) = (sums.unwrap(), means.unwrap());
                            let found = sums.iter().zip(&means);
                            let found = found.map(|(sum, mean)| (sum.to_bits(), mean.to_bits()));
                            if !found.eq(expected.iter().copied()) {
                                let shape = [outer, len, inner];
                                failures.push(format!("{shape:?} {layout} {isa:?} {parallel}"));
                            }
                        }
                    }
                }
            }
            failures.truncate(20);
            assert!(failures.is_empty(), "{failures:#?}");
        }
    )*};
}

sums_of_few_rows! {
    sums_of_few_rows_of_f32_are_as_defined f32;
    sums_of_few_rows_of_f64_are_as_defined f64;
}
