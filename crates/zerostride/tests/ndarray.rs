//! To `ndarray` and back, by all layouts; and statistics of another crate, which knows `ndarray`
//! only, of real measurements.

use ndarray as nd;
use ndarray_stats::{CorrelationExt, QuantileExt, SummaryStatisticsExt};
use zerostride::prelude::*;
use zerostride::{Dimension, NdarrayRank, Rank};

/// The same shape, strides, place in memory and elements.
fn same<R: NdarrayRank>(name: &str, ours: View<'_, i32, R>, failures: &mut Vec<String>) {
    let theirs = ours.as_ndarray();
    let back: Vec<i32> = theirs.iter().copied().collect();
    let strides_count = !ours.is_empty();
    if theirs.shape() != ours.shape()
        || (strides_count
            && (theirs.strides() != ours.strides() || theirs.as_ptr() != ours.as_ptr()))
        || back != ours.to_vec()
    {
        failures.push(format!(
            "{name}: {:?} by {:?}: {:?} by {:?}, {back:?}",
            ours.shape(),
            ours.strides(),
            theirs.shape(),
            theirs.strides()
        ));
    }
}

/// Awkward layouts of rank 3.
fn layouts(each: &mut dyn FnMut(&str, View<'_, i32, Rank<3>>)) {
    let a = Array3::from_fn([3, 4, 5], |[i, j, k]| (100 * i + 10 * j + k) as i32);
    let view = a.view();
    each("rows", view);
    each("reversed axes", view.t());
    each("permuted", view.permuted_axes([1, 2, 0]).unwrap());
    each("all backwards", view.flip(0).unwrap().flip(1).unwrap().flip(2).unwrap());
    each("one backwards", view.t().flip(1).unwrap());
    each("stepped", view.slice(s![..;2, 1..;-2, ..]).unwrap());
    each("gapped", view.slice(s![1.., 1..3, 2..]).unwrap());
    each("repeated", view.slice(s![..1, .., ..]).unwrap().broadcast_to([6, 4, 5]).unwrap());
    each("one each", view.slice(s![1..2, 2..3, 3..4]).unwrap());
    each("no rows", view.slice(s![..0, .., ..]).unwrap());
    each("no columns", view.slice(s![.., .., 5..]).unwrap().flip(0).unwrap());
}

#[test]
fn views_go_there_and_back() {
    let mut failures = Vec::new();
    layouts(&mut |name, ours| {
        same(name, ours, &mut failures);
        same(name, ours.as_dyn(), &mut failures);
        let theirs = ours.as_ndarray();
        let back = View3::from(&theirs);
        let dynamic = ViewD::try_from(theirs.view().into_dyn()).unwrap();
        if back != ours || dynamic != ours || back.shape() != ours.shape() {
            failures.push(format!("{name}, back: {back:?}"));
        }
        if !ours.is_empty() && (back.strides() != ours.strides() || back.as_ptr() != ours.as_ptr())
        {
            failures.push(format!("{name}, back: strides {:?}", back.strides()));
        }
    });
    let scalar = Array0::full((), 7);
    same("rank 0", scalar.view(), &mut failures);
    let deep = Array::from_fn([1, 2, 1, 2, 1, 2, 1, 2], |i| i.iter().sum::<usize>() as i32);
    same("rank 8", deep.view(), &mut failures);
    assert!(failures.is_empty(), "{}", failures.join("\n"));

    let high = nd::ArrayD::<i32>::zeros(vec![1; 17]);
    let err = ViewD::try_from(high.view()).unwrap_err();
    assert_eq!(err.to_string(), "a rank of 17 is above the limit of 16 axes");
    assert!(ArrayD::try_from(high).is_err());
}

#[test]
fn views_for_writing_reach_their_elements_alone() {
    let mut theirs = nd::Array2::<i32>::zeros((4, 6));
    // Two halves that lie between each other: each is a view while the other one is written.
    let (mut left, right) = theirs.view_mut().split_at(nd::Axis(1), 3);
    let mut ours = ViewMut2::from(right);
    let mut other = ViewMut2::from(&mut left);
    ours.fill(2);
    other.assign(View2::from_slice([4, 3], &[1; 12]).unwrap()).unwrap();
    *ours.flip_mut(0).unwrap().get_mut([0, 0]).unwrap() = 9;
    assert_eq!(
        theirs,
        nd::array![[1, 1, 1, 2, 2, 2], [1, 1, 1, 2, 2, 2], [1, 1, 1, 2, 2, 2], [1, 1, 1, 9, 2, 2]]
    );

    let mut ours = Array2::from_fn([3, 4], |[i, j]| 10 * i + j);
    {
        let mut view = ours.view_mut();
        let mut turned = view.flip_mut(1).unwrap();
        turned.as_ndarray_mut().row_mut(0).assign(&nd::array![7, 8, 9, 10]);
        assert_eq!(turned.as_ndarray()[[0, 0]], 7);
    }
    assert_eq!(ours.row(0).to_vec(), [10, 9, 8, 7]);
    ours.as_ndarray_mut().swap_axes(0, 1);
}

/// An array of this layout, made by moves alone.
fn owned(which: usize) -> (&'static str, Array3<i32>) {
    let small = || Array3::from_fn([3, 4, 5], |[i, j, k]| (100 * i + 10 * j + k) as i32);
    // Large arrays begin at a cache line, somewhere in their memory.
    let large = || Array3::<i32>::full([30, 40, 5], 3);
    let numbered = |mut a: Array3<i32>| {
        a.iter_mut().enumerate().for_each(|(i, x)| *x = i as i32);
        a
    };
    match which {
        0 => ("rows", small()),
        1 => ("reversed axes", small().reversed_axes()),
        2 => ("large", numbered(large())),
        3 => ("large, reversed axes", numbered(large()).reversed_axes()),
        4 => ("backwards", small().slice_move(s![..;-1, .., ..;-1]).unwrap()),
        5 => ("large, backwards", numbered(large()).slice_move(s![..;-1, ..;-1, ..]).unwrap()),
        6 => ("its end", small().slice_move(s![1.., .., ..]).unwrap()),
        7 => ("gapped", small().slice_move(s![.., ..2, ..;2]).unwrap()),
        8 => ("gapped, its end", small().slice_move(s![1.., 1.., 2..;-1]).unwrap()),
        9 => ("one", small().slice_move(s![1..2, 2..3, 3..4]).unwrap()),
        10 => ("none", small().slice_move(s![.., 4.., ..]).unwrap()),
        _ => ("none, large", large().slice_move(s![..0, .., ..]).unwrap()),
    }
}

#[test]
fn owned_arrays_change_hands_without_a_copy() {
    let mut failures = Vec::new();
    for which in 0..12 {
        let (name, ours) = owned(which);
        let (expected, strides, first) =
            (ours.clone(), ours.strides().to_vec(), ours.view().as_ptr());
        let theirs = ours.into_ndarray();
        let moved = name == "gapped, its end";
        if View3::from(&theirs) != expected {
            failures.push(format!("{name}: other elements"));
        }
        let real = |extents: &[usize], strides: &[isize]| -> Vec<isize> {
            let both = extents.iter().zip(strides);
            both.filter(|(extent, _)| **extent > 1).map(|(_, stride)| *stride).collect()
        };
        if !expected.is_empty()
            && (real(theirs.shape(), theirs.strides()) != real(expected.shape(), &strides)
                || (theirs.as_ptr() == first) == moved)
        {
            failures.push(format!("{name}: strides {:?} of {strides:?}", theirs.strides()));
        }
        let first = theirs.as_ptr();
        let back = Array3::from(theirs);
        if back != expected || (!back.is_empty() && back.view().as_ptr() != first) {
            failures.push(format!("{name}: back"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));

    let mut theirs = nd::Array2::from_shape_fn((3, 4), |(i, j)| 10 * i + j);
    theirs.invert_axis(nd::Axis(1));
    let expected = theirs.clone();
    let ours = ArrayD::try_from(theirs.into_dyn()).unwrap();
    assert_eq!(ours.strides(), [4, -1]);
    assert_eq!(ours.into_ndarray(), expected.into_dyn());
}

/// Generic over the rank: what a library that takes arrays of either crate would write.
fn total<R: NdarrayRank + Dimension>(a: View<'_, f64, R>) -> f64 {
    a.as_ndarray().sum()
}

/// Statistics of a crate that knows `ndarray` only, of Fisher's irises.
#[test]
fn another_crate_computes_statistics() {
    let text = include_str!("../examples/data/iris.csv");
    let rows: Vec<Vec<f64>> = text
        .lines()
        .filter_map(|line| line.split(',').take(4).map(|x| x.parse().ok()).collect())
        .collect();
    let irises = Array2::try_from(rows).unwrap();
    assert_eq!(irises.shape(), [150, 4]);

    // The published correlations of the four measurements.
    let correlation = Array2::from(irises.t().as_ndarray().pearson_correlation().unwrap());
    let petals = correlation[[2, 3]];
    assert!((petals - 0.9628654).abs() < 1e-6, "{petals}");

    // Where both crates have a function, they agree.
    let lengths = irises.column(0);
    let skewness = lengths.as_ndarray().skewness().unwrap();
    assert!((skewness - 0.3117531).abs() < 1e-6, "{skewness}");
    assert_eq!(*lengths.as_ndarray().max().unwrap(), lengths.max().unwrap());
    assert!((total(irises.view()) - irises.sum().unwrap()).abs() < 1e-9);
}
