//! Making arrays and views: what fits is made, what does not is an error.

use super::extremes::{is_small, signed, size, sizes};
use crate::laws::strategies::cases;
use conformance::naive::convert::{Convert, Number};
use conformance::support::report::problem_of;
use conformance::support::{Report, TestElement};
use proptest::prelude::*;
use zerostride::{
    Array1, ArrayD, Dyn, Layout, LayoutError, LayoutErrorKind, MAX_NDIM, ViewD, ViewMutD,
};

/// The number of elements, if it and the product of the extents that are not zero can be a size in
/// memory.
fn size_of(shape: &[usize]) -> Option<usize> {
    let product =
        shape.iter().try_fold(1_u128, |size, &extent| size.checked_mul(extent.max(1) as u128))?;
    (product <= isize::MAX as u128).then(|| if shape.contains(&0) { 0 } else { product as usize })
}

/// Whether a layout keeps to data of `len` elements; one without elements always does.
fn reaches_only(shape: &[usize], strides: &[isize], offset: usize, len: usize) -> bool {
    if shape.contains(&0) {
        return true;
    }
    let reach = |negative: bool| {
        let of_axis = |(&extent, &stride): (&usize, &isize)| (extent as i128 - 1) * stride as i128;
        shape
            .iter()
            .zip(strides)
            .map(of_axis)
            .filter(|&reach| (reach < 0) == negative)
            .sum::<i128>()
    };
    offset as i128 + reach(true) >= 0 && offset as i128 + reach(false) < len as i128
}

/// Shape, strides and offset, mostly with as many strides as extents.
fn strided() -> impl Strategy<Value = (Vec<usize>, Vec<isize>, usize, usize)> {
    sizes(MAX_NDIM + 2).prop_flat_map(|shape| {
        let ndim = shape.len();
        let strides =
            prop_oneof![20 => prop::collection::vec(signed(), ndim), 1 => prop::collection::vec(signed(), 0..5)];
        (Just(shape), strides, size(), 0..40_usize)
    })
}

proptest! {
    #![proptest_config(cases(3000))]

    #[test]
    fn strided_views((shape, strides, offset, len) in strided()) {
        let mut data = vec![7_u16; len];
        let sound = shape.len() <= MAX_NDIM && shape.len() == strides.len() && size_of(&shape).is_some();
        let fits = sound && reaches_only(&shape, &strides, offset, len);
        let view = ViewD::from_strided(shape.clone(), &strides, offset, &data);
        prop_assert_eq!(view.is_ok(), fits, "{:?}", view.err());
        if fits {
            let axes = view.expect("it fits").dim();
            prop_assert!(Layout::<Dyn>::strided(axes, &strides, offset, len).is_ok());
        }

        let mutable = ViewMutD::from_strided(shape.clone(), &strides, offset, &mut data);
        prop_assert!(fits || mutable.is_err());
        if let Ok(view) = mutable && is_small(&shape) {
            // Writing needs more: no element twice.
            let mut places: Vec<*const u16> = view.iter().map(std::ptr::from_ref).collect();
            let all = places.len();
            places.sort_unstable();
            places.dedup();
            prop_assert_eq!(places.len(), all, "{:?} by {:?} reaches an element twice", shape, strides);
        }
        let owned = ArrayD::from_strided_vec(shape.clone(), &strides, offset, data);
        prop_assert!(fits || owned.is_err());
    }

    #[test]
    fn packed_arrays(shape in sizes(MAX_NDIM + 2), extra in 0..2_usize) {
        let size = size_of(&shape).filter(|_| shape.len() <= MAX_NDIM);
        let len = size.unwrap_or(3).min(10_000);
        let data = vec![1_u8; len + extra];
        let fits = extra == 0 && size == Some(len);
        prop_assert_eq!(ViewD::from_slice(shape.clone(), &data).is_ok(), fits);
        prop_assert_eq!(ArrayD::from_shape_vec(shape.clone(), data).is_ok(), fits);
        prop_assert_eq!(zerostride::Axes::from_slice(&shape).is_some(), shape.len() <= MAX_NDIM);
        // Either small, or beyond the address space of the machine.
        if size.is_none_or(|size| !(10_000..1 << 50).contains(&size)) {
            let full = ArrayD::try_full(shape, 7_u8);
            prop_assert_eq!(full.is_ok(), size.is_some_and(|size| size < 10_000), "{:?}", full.err());
        }
    }

    #[test]
    fn overlapping_strides_are_read_only(
        extents in prop::collection::vec(2..5_usize, 1..4),
        zero in any::<prop::sample::Index>(),
    ) {
        let mut data = vec![0_i32; 200];
        let ndim = extents.len();
        let mut strides: Vec<isize> = (0..ndim).map(|axis| 5_isize.pow(axis as u32)).collect();
        prop_assert!(ViewMutD::from_strided(extents.clone(), &strides, 0, &mut data).is_ok());
        strides[zero.index(ndim)] = 0;
        prop_assert!(ViewD::from_strided(extents.clone(), &strides, 0, &data).is_ok());
        let refused = ViewMutD::from_strided(extents.clone(), &strides, 0, &mut data);
        let is_aliased = refused.as_ref().is_err_and(|err| matches!(err.kind(), LayoutErrorKind::Aliased { .. }));
        prop_assert!(is_aliased, "{:?}", refused);
    }
}

/// `arange` of all corner values of an integer type: the elements by definition, or refused if they
/// are too many.
fn ranges_of<T: TestElement + Convert>(
    report: &mut Report,
    arange: impl Fn(T, T, T) -> Result<Array1<T>, LayoutError>,
) {
    let exact = |x: T| match x.number() {
        Number::Integer(x) => x,
        other => unreachable!("{other:?} is no integer"),
    };
    let corners = T::corners();
    let triples = corners.iter().flat_map(|&a| corners.iter().map(move |&b| (a, b)));
    for ((start, end), step) in
        triples.flat_map(|pair| corners.iter().map(move |&step| (pair, step)))
    {
        let (first, distance, by) = (exact(start), exact(end) - exact(start), exact(step));
        let len = match by {
            0 => None,
            by if by.signum() != distance.signum() => Some(0),
            by => Some(distance.unsigned_abs().div_ceil(by.unsigned_abs())),
        };
        // Lengths that memory may or may not hold are not tried.
        if len.is_some_and(|len| (1000..1 << 60).contains(&len)) {
            continue;
        }
        let want: Option<Vec<T>> = len
            .filter(|len| *len < 1000)
            .map(|len| (0..len as i128).map(|i| T::of(Number::Integer(first + i * by))).collect());
        let problem = problem_of(|| match (arange(start, end, step), &want) {
            (Ok(got), Some(want)) if got.to_vec() == *want => None,
            (Err(_), None) => None,
            (Ok(got), _) => Some(format!("{} elements, want {len:?}", got.len())),
            (Err(err), _) => Some(err.to_string()),
        });
        report.row(format_args!("arange({start:?}, {end:?}, {step:?}) of {}", T::NAME), problem);
    }
}

#[test]
fn ranges_of_integers() {
    let mut report = Report::new("arange of integers");
    ranges_of::<i8>(&mut report, Array1::arange);
    ranges_of::<u8>(&mut report, Array1::arange);
    ranges_of::<i32>(&mut report, Array1::arange);
    ranges_of::<u32>(&mut report, Array1::arange);
    ranges_of::<i64>(&mut report, Array1::arange);
    ranges_of::<u64>(&mut report, Array1::arange);
    report.finish(5000);
}

#[test]
fn ranges_of_floats() {
    let mut report = Report::new("arange and linspace of floats");
    let values = [
        0.0,
        -0.0,
        1.0,
        -2.5,
        1e-300,
        1e300,
        f64::MAX,
        f64::MIN,
        f64::MIN_POSITIVE,
        5e-324,
        f64::INFINITY,
        f64::NAN,
    ];
    for start in values {
        for end in values {
            for step in values {
                if step == 0.0 {
                    report.holds(
                        format_args!("arange({start:?}, {end:?}, {step:?})"),
                        Array1::<f64>::arange(start, end, step).is_err(),
                    );
                    continue;
                }
                let len = ((end - start) / step).ceil();
                // Lengths that memory may or may not hold are not tried.
                if (1e4..1e15).contains(&len) {
                    continue;
                }
                let problem = problem_of(|| match Array1::<f64>::arange(start, end, step) {
                    Ok(array) => (array.len() as f64 != len.max(0.0))
                        .then(|| format!("{} elements", array.len())),
                    Err(_) => (len < 1e15).then(|| "refused".to_owned()),
                });
                report.row(format_args!("arange({start:?}, {end:?}, {step:?})"), problem);
            }
            for n in 0..4 {
                let array = Array1::<f64>::linspace(start, end, n);
                let ends = (
                    array.get(0).copied(),
                    n.checked_sub(1).and_then(|last| array.get(last).copied()),
                );
                let want = (
                    if n == 0 { None } else { Some(start) },
                    match n {
                        0 => None,
                        1 => Some(start),
                        _ => Some(end),
                    },
                );
                let same =
                    |a: Option<f64>, b: Option<f64>| a.map(f64::to_bits) == b.map(f64::to_bits);
                report.holds(
                    format_args!("linspace({start:?}, {end:?}, {n})"),
                    array.len() == n && same(ends.0, want.0) && same(ends.1, want.1),
                );
            }
        }
    }
    report.finish(1000);
}
