//! The traits of other crates: `serde`, `approx`, `bytemuck`.

use approx::{assert_abs_diff_eq, assert_abs_diff_ne, assert_relative_eq, assert_ulps_eq};
use ndarray as nd;
use serde_json::{from_str, to_string};
use zerostride::prelude::*;
use zerostride::{Complex, CowArray, bf16};

#[test]
fn ndarray_reads_what_is_serialised_and_writes_what_is_deserialised() {
    let ours = Array2::from_fn([2, 3], |[i, j]| (10 * i + j) as f64 / 3.0);
    let theirs = nd::Array2::from_shape_fn((2, 3), |(i, j)| (10 * i + j) as f64 / 3.0);
    let text = to_string(&ours).unwrap();
    assert_eq!(text, to_string(&theirs).unwrap());
    assert_eq!(from_str::<Array2<f64>>(&text).unwrap(), ours);
    assert_eq!(from_str::<ArrayD<f64>>(&text).unwrap(), ours);
    assert_eq!(from_str::<nd::Array2<f64>>(&text).unwrap(), theirs);

    // Logical order, whatever the layout.
    assert_eq!(to_string(&ours.t()).unwrap(), to_string(&theirs.t()).unwrap());
    let turned = to_string(&ours.flip(1).unwrap().slice(s![.., ..;2]).unwrap()).unwrap();
    let mut expected = theirs.clone();
    expected.invert_axis(nd::Axis(1));
    assert_eq!(turned, to_string(&expected.slice(nd::s![.., ..;2])).unwrap());

    let dynamic = to_string(&ours.clone().into_dyn()).unwrap();
    assert_eq!(dynamic, to_string(&theirs.clone().into_dyn()).unwrap());
    assert_eq!(from_str::<nd::ArrayD<f64>>(&dynamic).unwrap(), theirs.into_dyn());

    let scalar = to_string(&Array0::full((), 7)).unwrap();
    assert_eq!(scalar, to_string(&nd::arr0(7)).unwrap());
    assert_eq!(from_str::<Array0<i32>>(&scalar).unwrap().into_scalar(), 7);

    let complex = array![Complex::new(1.0_f32, -2.0)];
    assert_eq!(from_str::<Array1<Complex<f32>>>(&to_string(&complex).unwrap()).unwrap(), complex);
    let halves = array![bf16::ONE];
    assert_eq!(from_str::<Array1<bf16>>(&to_string(&halves).unwrap()).unwrap(), halves);
}

#[test]
fn shared_arrays_are_close_as_others() {
    let (a, b) = (array![1.0, 2.0], array![1.0, 2.5].into_shared());
    assert_abs_diff_eq!(a.clone().into_shared(), a);
    assert_abs_diff_ne!(b, a);
    assert_relative_eq!(CowArray::from(&b), b.view(), max_relative = 1e-9);
    assert_ulps_eq!(CowArray::from(&a), CowArray::from(a.view()));
}

#[test]
fn what_is_no_array_is_not_deserialised() {
    let table = [
        (r#"{"v":1,"dim":[3],"data":[1,2]}"#, "shape [3] needs 3 elements, the data has 2"),
        (r#"{"v":1,"dim":[1,2],"data":[1,2]}"#, "invalid length 2, expected a shape of 1 extents"),
        (r#"{"v":1,"dim":[],"data":[1]}"#, "invalid length 0, expected a shape of 1 extents"),
        (r#"{"v":1,"dim":[-2],"data":[1,2]}"#, "invalid value: integer `-2`, expected usize"),
        (r#"{"v":2,"dim":[2],"data":[1,2]}"#, "invalid value: integer `2`, expected version 1"),
        (r#"{"v":1,"data":[1,2]}"#, "missing field `dim`"),
        (r#"{"dim":[2],"data":[1,2]}"#, "missing field `v`"),
        (r#"{"v":1,"dim":[2]}"#, "missing field `data`"),
        (r#"{"v":1,"dim":[2],"dim":[2],"data":[1,2]}"#, "duplicate field `dim`"),
        (r#"{"v":1,"dim":[2],"data":[1,2],"x":0}"#, "unknown field `x`"),
        (r#"{"v":1,"dim":[2],"data":[1,"x"]}"#, "invalid type: string"),
        (r#"[1,[2]]"#, "invalid length 2, expected the three fields"),
        (r#"[1,[2],[1,2]]"#, ""),
    ];
    let mut failures = Vec::new();
    for (text, expected) in table {
        let found = from_str::<Array1<i32>>(text).map_err(|err| err.to_string());
        let fits = match &found {
            Ok(_) => expected.is_empty(),
            Err(found) => !expected.is_empty() && found.starts_with(expected),
        };
        if !fits {
            failures.push(format!("{text}: {found:?}, expected {expected}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let high = r#"{"v":1,"dim":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],"data":[1]}"#;
    let err = from_str::<ArrayD<i32>>(high).unwrap_err().to_string();
    assert!(err.starts_with("invalid length 17, expected a shape of at most 16 extents"), "{err}");
    let huge = r#"{"v":1,"dim":[9999999999,9999999999],"data":[1]}"#;
    assert!(from_str::<ArrayD<i32>>(huge).is_err());
}

#[test]
fn approx_compares_arrays_and_views() {
    let a = array![[1.0, 2.0], [3.0, 4.0]];
    let mut b = a.clone();
    b[[1, 0]] += 1e-9;
    assert_abs_diff_eq!(a, b, epsilon = 1e-8);
    assert_abs_diff_ne!(a, b, epsilon = 1e-10);
    assert_relative_eq!(a, b, max_relative = 1e-8);
    assert_abs_diff_eq!(a.t(), b.t(), epsilon = 1e-8);
    assert_abs_diff_eq!(a.view(), b, epsilon = 1e-8);
    assert_abs_diff_eq!(a, b.clone().into_dyn(), epsilon = 1e-8);
    assert_abs_diff_ne!(a, b.t(), epsilon = 1e-8);
    let next = a.map(f64::next_up).eval().unwrap();
    assert_ulps_eq!(a, next, epsilon = 0.0, max_ulps = 1);
    // Other shapes are not equal, however near the elements are.
    assert_abs_diff_ne!(a, array![[1.0, 2.0]]);
    assert_abs_diff_ne!(array![[1.0, 2.0]], array![1.0, 2.0].into_dyn());
    assert_abs_diff_ne!(array![f64::NAN], array![f64::NAN]);
    assert_abs_diff_eq!(Array2::<f32>::zeros([0, 3]), Array2::zeros([0, 3]));
}

#[test]
fn bits_are_elements_of_other_types_where_the_layout_allows() {
    let a = Array2::from_fn([3, 4], |[i, j]| (10 * i + j) as u16);
    let bytes = a.cast_elements::<u8>().unwrap();
    assert_eq!(bytes.shape(), [3, 8]);
    let back = bytes.cast_elements::<u16>().unwrap();
    assert_eq!((back, back.view().as_ptr()), (a.view(), a.view().as_ptr()));
    let wide = a.cast_elements::<[u16; 2]>().unwrap();
    assert_eq!(wide[[2, 1]], [22, 23]);
    let turned = a.t();
    assert_eq!(turned.cast_elements::<i16>().unwrap(), a.cast::<i16>().eval().unwrap().t());
    for refused in [
        a.cast_elements::<[u16; 3]>().map(drop),
        turned.cast_elements::<u8>().map(drop),
        a.flip(0).unwrap().cast_elements::<i16>().map(drop),
        a.slice(s![.., ..2]).unwrap().cast_elements::<i16>().map(drop),
        bytes.slice(s![0, 1..3]).unwrap().cast_elements::<u16>().map(drop),
        Array0::full((), 1_u16).cast_elements::<u8>().map(drop),
    ] {
        assert!(refused.unwrap_err().to_string().contains("has no form in elements of"));
    }
    let empty = Array2::<u16>::zeros([0, 4]);
    assert_eq!(empty.cast_elements::<u32>().unwrap().shape(), [0, 2]);
}
