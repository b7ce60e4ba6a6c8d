//! The exact texts of `Display` and `Debug`.

use conformance::support::Report;
use std::fmt;
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

/// What is between the braces is for each element.
#[test]
fn the_callers_format_is_that_of_each_element() {
    let mut report = Report::new("formats");
    let (floats, ints) = (array![1.0, -2.5, 1234.5], array![5, 255, 4096]);
    let rows = [
        ("{}", format!("{floats}"), "[     1,   -2.5, 1234.5]"),
        ("{:.1}", format!("{floats:.1}"), "[   1.0,   -2.5, 1234.5]"),
        ("{:8.1}", format!("{floats:8.1}"), "[     1.0,     -2.5,   1234.5]"),
        ("{:<8}", format!("{floats:<8}"), "[1       , -2.5    , 1234.5  ]"),
        ("{:*^9}", format!("{floats:*^9}"), "[****1****, **-2.5***, *1234.5**]"),
        ("{:+}", format!("{floats:+}"), "[     +1,    -2.5, +1234.5]"),
        ("{:+.2}", format!("{floats:+.2}"), "[   +1.00,    -2.50, +1234.50]"),
        ("{:08.2}", format!("{floats:08.2}"), "[00001.00, -0002.50, 01234.50]"),
        ("{:08}", format!("{floats:08}"), "[00000001, -00002.5, 001234.5]"),
        ("{:+08.1}", format!("{floats:+08.1}"), "[+00001.0, -00002.5, +01234.5]"),
        ("{:e}", format!("{floats:e}"), "[     1e0,   -2.5e0, 1.2345e3]"),
        ("{:.1e}", format!("{floats:.1e}"), "[ 1.0e0, -2.5e0,  1.2e3]"),
        ("{:<9.2E}", format!("{floats:<9.2E}"), "[1.00E0   , -2.50E0  , 1.23E3   ]"),
        ("{:10e}", format!("{floats:10e}"), "[       1e0,     -2.5e0,   1.2345e3]"),
        ("{:x}", format!("{ints:x}"), "[   5,   ff, 1000]"),
        ("{:#X}", format!("{ints:#X}"), "[   0x5,   0xFF, 0x1000]"),
        ("{:#06x}", format!("{ints:#06x}"), "[0x0005, 0x00ff, 0x1000]"),
        ("{:o}", format!("{:o}", array![8, 63]), "[10, 77]"),
        ("{:#o}", format!("{:#o}", array![8]), "[0o10]"),
        ("{:08b}", format!("{:08b}", array![5_u8, 255]), "[00000101, 11111111]"),
        ("{:#b}", format!("{:#b}", array![5, 2]), "[0b101,  0b10]"),
        ("{:?}", format!("{:?}", array![1.0, 2.5]), "[1.0, 2.5], shape=[2], strides=[1]"),
        ("{:.3?}", format!("{:.3?}", array![1.0, 2.5]), "[1.000, 2.500], shape=[2], strides=[1]"),
        ("{:>5?}", format!("{:>5?}", array!['a']), "[  'a'], shape=[1], strides=[1]"),
        ("{:5}", format!("{:5}", Array0::full([], 7)), "    7"),
        ("{:2}", format!("{:2}", array![[1, 2], [3, 4]]), "[[ 1,  2],\n [ 3,  4]]"),
        ("{:2}", format!("{:2}", Array2::<u8>::zeros([0, 3])), "[]"),
        ("{:.1e}", format!("{:.1e}", array![[1.0, 20.0]].t()), "[[1.0e0],\n [2.0e1]]"),
        ("{:x}", format!("{:x}", array![10, 11].view_mut()), "[a, b]"),
    ];
    for (format, got, want) in rows {
        report.equal(format, got.as_str(), want);
    }
    report.finish(25);
}

/// An element whose text is longer than any width between braces.
#[derive(Clone, Copy)]
struct Long(usize);

impl fmt::Display for Long {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..self.0).try_for_each(|_| f.write_str("x"))
    }
}

impl fmt::Debug for Long {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[test]
fn texts_and_widths_above_the_limit_of_widths() {
    let long = array![Long(70_000), Long(1)];
    let text = long.to_string();
    assert_eq!(text.len(), "[, ]".len() + 2 * 70_000);
    assert!(text.ends_with("    x]"));
    let debug = format!("{long:?}");
    assert!(debug.starts_with(&text) && debug.ends_with("shape=[2], strides=[1]"));
    let widest = usize::from(u16::MAX);
    assert_eq!(format!("{:widest$}", array![1, 2]).len(), "[, ]".len() + 2 * widest);
    assert_eq!(
        format!("{:<widest$?}", array![1]).len(),
        "[], shape=[1], strides=[1]".len() + widest
    );
}
