//! `s![]`: ranges, steps, indices and new axes; negative numbers count from the end.

use zerostride::prelude::*;
use zerostride::{LayoutErrorKind, MAX_NDIM, NewAxis, SliceElem, Slices};

fn numbers() -> Array1<usize> {
    Array1::from_iter(0..10)
}

#[test]
fn a_negative_step_walks_the_range_from_its_last_element() {
    let a = numbers();
    let of = |slice| a.slice(slice).map(|view| view.to_vec());
    assert_eq!(of(s![0..5;-2]).unwrap(), [4, 2, 0]);
    assert_eq!(of(s![..;-1]).unwrap(), [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    assert_eq!(of(s![1..;-3]).unwrap(), [9, 6, 3]);
    assert_eq!(of(s![..-1;-4]).unwrap(), [8, 4, 0]);
    assert_eq!(of(s![2..3;-7]).unwrap(), [2]);
    assert!(of(s![4..4;-1]).unwrap().is_empty());
    assert_eq!(of(s![0..5;2]).unwrap(), [0, 2, 4]);
}

#[test]
fn ranges_of_every_kind() {
    let a = numbers();
    assert_eq!(a.slice(s![2..5]).unwrap().to_vec(), [2, 3, 4]);
    assert_eq!(a.slice(s![7..]).unwrap().to_vec(), [7, 8, 9]);
    assert_eq!(a.slice(s![..3]).unwrap().to_vec(), [0, 1, 2]);
    assert_eq!(a.slice(s![2..=4]).unwrap().to_vec(), [2, 3, 4]);
    assert_eq!(a.slice(s![..=1]).unwrap().to_vec(), [0, 1]);
    assert_eq!(a.slice(s![-3..]).unwrap().to_vec(), [7, 8, 9]);
    assert_eq!(a.slice(s![-4..=-2]).unwrap().to_vec(), [6, 7, 8]);
    assert_eq!(a.slice(s![-2..=-1]).unwrap().to_vec(), [8, 9]);
    #[allow(clippy::reversed_empty_ranges)] // -1 is the last element
    let inner = a.slice(s![1..-1]).unwrap();
    assert_eq!(inner.to_vec(), [1, 2, 3, 4, 5, 6, 7, 8]);
    assert!(a.slice(s![10..]).unwrap().is_empty());
    assert_eq!(a.slice(s![-1]).unwrap()[[]], 9);
    let (i, last) = (3_usize, -1_isize);
    let range = 1..last;
    assert_eq!(a.slice(s![i]).unwrap()[[]], 3);
    assert_eq!(a.slice(s![range]).unwrap().len(), 8);
}

#[test]
fn each_argument_speaks_of_its_axis() {
    let a = array![[[0, 1, 2], [3, 4, 5]], [[6, 7, 8], [9, 10, 11]]];
    assert_eq!(a.slice(s![1, .., ..;2]).unwrap(), array![[6, 8], [9, 11]]);
    assert_eq!(a.slice(s![.., -1, 0]).unwrap(), array![3, 9]);
    assert_eq!(a.slice(s![NewAxis, 0, .., 1, NewAxis]).unwrap(), array![[[1], [4]]]);
    let row: zerostride::View1<'_, i32> = a.slice(s![0, 1, ..]).unwrap();
    assert_eq!(row.to_vec(), [3, 4, 5]);
    // The same with the rank known only at run time.
    assert_eq!(a.as_dyn().slice(s![1, .., 0]).unwrap().to_vec(), [6, 9]);
}

#[test]
fn what_does_not_fit_names_what_was_asked() {
    let a = numbers();
    let kind = |slice| a.slice(slice).unwrap_err().into_kind();
    assert_eq!(
        kind(s![2..11]),
        LayoutErrorKind::SliceOutOfRange { start: 2, end: 11, axis: 0, shape: [10].into() }
    );
    let (start, end) = (5, 4);
    assert_eq!(
        kind(s![start..end]),
        LayoutErrorKind::SliceOutOfRange { start: 5, end: 4, axis: 0, shape: [10].into() }
    );
    assert_eq!(
        kind(s![-11..2]),
        LayoutErrorKind::SliceOutOfRange { start: -11, end: 2, axis: 0, shape: [10].into() }
    );
    assert_eq!(kind(s![..;0]), LayoutErrorKind::ZeroStep);
    let index = a.slice(s![10]).unwrap_err();
    assert_eq!(
        index.kind(),
        &LayoutErrorKind::IndexOutOfRange { index: 10, axis: 0, shape: [10].into() }
    );
    assert_eq!(
        a.slice(s![-11]).unwrap_err().to_string(),
        "index -11 is out of range for axis 0 of shape [10]"
    );
    let rank = a.as_dyn().slice(s![0, 0]).unwrap_err();
    assert_eq!(rank.kind(), &LayoutErrorKind::RankMismatch { expected: 1, found: 2 });
}

/// A slice has as many parts as an array may have axes, and no more.
#[test]
fn slices_of_the_highest_rank() {
    let all = SliceElem::Range { start: 0, end: None, step: 1 };
    let x = ArrayD::<i32>::zeros(vec![1; MAX_NDIM]);
    let sliced = |len| x.slice(Slices::from_slice(&vec![all; len])).map(|view| view.ndim());
    assert_eq!(sliced(MAX_NDIM).unwrap(), MAX_NDIM);
    assert!(sliced(MAX_NDIM + 1).is_err());
}

/// The rank of a slice is known before the type of the integers in it is: so what is indexed at
/// once is indexed by `usize`.
#[test]
fn slices_are_indexed_at_once() -> Result<(), zerostride::Error> {
    let x = Array2::<i64>::from_fn([4, 5], |[i, j]| (10 * i + j) as i64);
    assert_eq!(x.slice(s![1.., 2..])?[[0, 0]], 12);
    assert_eq!(x.slice(s![1..-1, ..=3;2])?[[1, 1]], 22);
    assert_eq!(x.slice(s![-1, ..])?[3], 33);
    assert_eq!(x.slice(s![1, NewAxis, ..4])?[[0, 2]], 12);
    let sum = (x.slice(s![1.., ..])? + x.slice(s![..-1, ..])?).eval()?[[0, 1]];
    assert_eq!(sum, 12);
    let mut y = x.clone();
    y.slice_mut(s![2.., ..])?[[0, 4]] = -1;
    assert_eq!(y[[2, 4]], -1);
    Ok(())
}
