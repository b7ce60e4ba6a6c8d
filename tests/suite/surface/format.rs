//! The exact texts of `Display` and `Debug`.

use zerostride::{Array0, Array1, Array2, Array3, ArrayD, Complex, array};

#[test]
fn display_nests_brackets() {
    assert_eq!(array![1, 2, 3].to_string(), "[1, 2, 3]");
    assert_eq!(array![[1, 2], [3, 4]].to_string(), "[[1, 2],\n [3, 4]]");
    assert_eq!(
        array![[[1, 2], [3, 4]], [[5, 6], [7, 8]]].to_string(),
        "[[[1, 2],\n  [3, 4]],\n\n [[5, 6],\n  [7, 8]]]"
    );
    assert_eq!(Array0::full([], 5).to_string(), "5");
    assert_eq!(ArrayD::full(vec![1; 5], 5).to_string(), "[[[[[5]]]]]");
    // An empty line more for each axis further out.
    assert_eq!(Array3::<u8>::zeros([2, 1, 1]).to_string(), "[[[0]],\n\n [[0]]]");
    assert_eq!(ArrayD::<u8>::zeros(vec![2, 1, 1, 1]).to_string(), "[[[[0]]],\n\n\n [[[0]]]]");
}

#[test]
fn display_aligns_all_elements() {
    assert_eq!(array![[1, 20], [-300, 4]].to_string(), "[[   1,   20],\n [-300,    4]]");
    assert_eq!(array![1.5, f64::NAN, -2.0].to_string(), "[1.5, NaN,  -2]");
    assert_eq!(array![true, false].to_string(), "[ true, false]");
    assert_eq!(format!("{:.2}", array![1.0, 2.125, 33.0]), "[ 1.00,  2.12, 33.00]");
    assert_eq!(format!("{:.1}", array![Complex::new(1.0, -2.0)]), "[1.0-2.0i]");
}

#[test]
fn display_of_no_elements() {
    assert_eq!(Array1::<f32>::zeros(0).to_string(), "[]");
    assert_eq!(Array2::<f32>::zeros([0, 3]).to_string(), "[]");
    assert_eq!(Array2::<f32>::zeros([2, 0]).to_string(), "[[],\n []]");
}

#[test]
fn display_leaves_out_the_middle_of_many() {
    let thousand = Array1::arange(0, 1000, 1).expect("a range");
    assert!(!thousand.to_string().contains("..."));
    let more = Array1::arange(0, 1001, 1).expect("a range");
    assert_eq!(more.to_string(), "[   0,    1,    2, ...,  998,  999, 1000]");
    assert_eq!(format!("{more:#}").matches(',').count(), 1000);
    let matrix = Array2::from_fn([40, 40], |[i, j]| 100 * i + j);
    let rows = [
        "[[   0,    1,    2, ...,   37,   38,   39],",
        " [ 100,  101,  102, ...,  137,  138,  139],",
        " [ 200,  201,  202, ...,  237,  238,  239],",
        " ...,",
        " [3700, 3701, 3702, ..., 3737, 3738, 3739],",
        " [3800, 3801, 3802, ..., 3837, 3838, 3839],",
        " [3900, 3901, 3902, ..., 3937, 3938, 3939]]",
    ];
    assert_eq!(matrix.to_string(), rows.join("\n"));
    // An axis with nothing to leave out is shown whole.
    let tall = Array2::from_fn([501, 2], |[i, j]| 2 * i + j);
    assert_eq!(
        tall.to_string(),
        "[[   0,    1],\n [   2,    3],\n [   4,    5],\n ...,\n [ 996,  997],\n [ 998,  999],\n [1000, 1001]]"
    );
}

#[test]
fn debug_adds_shape_and_strides() {
    let a = array![[1.0, 2.5], [3.0, 4.0]];
    assert_eq!(format!("{a:?}"), "[[1.0, 2.5],\n [3.0, 4.0]], shape=[2, 2], strides=[2, 1]");
    assert_eq!(format!("{:?}", a.t()), "[[1.0, 3.0],\n [2.5, 4.0]], shape=[2, 2], strides=[1, 2]");
    assert_eq!(
        format!("{:?}", a.flip(1).expect("an axis").as_dyn()),
        "[[2.5, 1.0],\n [4.0, 3.0]], shape=[2, 2], strides=[2, -1]"
    );
    assert_eq!(format!("{:?}", Array0::full([], 'x')), "'x', shape=[], strides=[]");
    assert_eq!(format!("{:.1?}", array![1.25]), "[1.2], shape=[1], strides=[1]");
    assert_eq!(format!("{:?}", array![1, 2].view_mut()), "[1, 2], shape=[2], strides=[1]");
}
