//! The layout of a new result follows its operands'.

use super::strategies::{cases, permutation};
use conformance::support::{Held, Recipe};
use proptest::prelude::*;
use zerostride::{Array, Array1, Array2, Broadcast, Dyn, Error, Expr};

/// The strides of an array without gaps whose axes are nested in this order, from the outermost.
fn strides_of(shape: &[usize], order: &[usize]) -> Vec<isize> {
    let mut strides = vec![0; shape.len()];
    let mut stride = 1;
    for &axis in order.iter().rev() {
        strides[axis] = stride as isize;
        stride *= shape[axis];
    }
    strides
}

fn order_c(ndim: usize) -> Vec<usize> {
    (0..ndim).collect()
}

fn sum(a: &Held<i32>, b: &Held<i32>) -> Array<i32, Dyn> {
    (a.view() + b.view()).eval().expect("the shapes fit")
}

/// Extents of at least 2, so that every axis has an order.
fn shape() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(2..5_usize, 1..=5)
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn operands_that_agree_are_followed(
        (shape, order) in shape().prop_flat_map(|shape| { let ndim = shape.len(); (Just(shape), permutation(ndim)) }),
        flips in 0..32_usize,
        step in 1..3_usize,
    ) {
        let last = shape.len() - 1;
        let a = Held::ordinary(&shape, &Recipe::permuted(&order).stepped(last, step), 0);
        let b = Held::ordinary(&shape, &Recipe::permuted(&order).reversed(flips), 1);
        let want = strides_of(&shape, &order);
        let (one, two) = ((a.view() + 1).eval().expect("a scalar fits"), sum(&a, &b));
        prop_assert_eq!(one.strides(), &want[..]);
        prop_assert_eq!(two.strides(), &want[..]);
    }

    #[test]
    fn axes_along_which_an_operand_repeats_do_not_vote(
        (shape, order) in shape().prop_flat_map(|shape| { let ndim = shape.len(); (Just(shape), permutation(ndim)) }),
        repeats in 0..32_usize,
        ones in 0..32_usize,
    ) {
        let a = Held::ordinary(&shape, &Recipe::permuted(&order), 0);
        let b = Held::ordinary(&shape, &Recipe::permuted(&order).repeated(repeats), 1);
        let want = strides_of(&shape, &order);
        let result = sum(&a, &b);
        prop_assert_eq!(result.strides(), &want[..]);
        // Nor does one with an extent of 1 there.
        let thin: Vec<usize> = shape.iter().enumerate().map(|(i, &n)| if ones >> i & 1 == 1 { 1 } else { n }).collect();
        let c = Held::ordinary(&thin, &Recipe::permuted(&order), 2);
        let result = sum(&a, &c);
        prop_assert_eq!(result.strides(), &want[..]);
        // A vector has nothing to say about the order of two axes.
        let v = Held::<i32>::ordinary(&shape[..1], &Recipe::c(1), 3);
        let result = (a.view() + v.view().along([0])).eval().expect("the shapes fit");
        prop_assert_eq!(result.strides(), &want[..]);
    }

    #[test]
    fn operands_that_disagree_give_row_major(
        (shape, order) in shape().prop_flat_map(|shape| { let ndim = shape.len(); (Just(shape), permutation(ndim)) }),
    ) {
        let backwards: Vec<usize> = order.iter().rev().copied().collect();
        let a = Held::ordinary(&shape, &Recipe::permuted(&order), 0);
        let b = Held::ordinary(&shape, &Recipe::permuted(&backwards), 1);
        let result = sum(&a, &b);
        prop_assert_eq!(result.strides(), strides_of(&shape, &order_c(shape.len())));
        let row_major = Held::ordinary(&shape, &Recipe::c(shape.len()), 2);
        let result = sum(&a, &row_major);
        prop_assert_eq!(result.strides(), strides_of(&shape, &order_c(shape.len())));
    }
}

#[test]
fn column_major_in_column_major_out() {
    let a = Held::<f64>::ordinary(&[3, 4], &Recipe::f(2), 0);
    let result = ((a.view() - 1.0) * a.view()).eval().expect("the shapes fit");
    assert_eq!(result.strides(), [1, 3]);
    let row = Held::<f64>::ordinary(&[4], &Recipe::c(1), 0);
    let result = (a.view() + row.view().along([1])).eval().expect("the shapes fit");
    assert_eq!(result.strides(), [1, 3]);
}

/// Few elements take no plan: the axes of a result are nested as those of many are.
#[test]
fn few_elements_lie_as_many_do() {
    for [rows, columns] in [[2, 3], [3, 4], [8, 9], [20, 30], [300, 400]] {
        let turned = Array2::from_shape_fn([columns, rows], |(j, i)| (31 * i + 7 * j) as f64);
        let (f, c) = (turned.t(), Array2::from_shape_fn([rows, columns], |(i, j)| (i + j) as f64));
        let (row, column) = (Array1::linspace(1.0, 2.0, columns), Array1::linspace(3.0, 5.0, rows));
        let (across, down) = (row.along([1]), column.along([0]));
        let strides = |result: Result<Array2<f64>, Error>| {
            let result = result.expect("the shapes fit");
            [result.strides()[0], result.strides()[1]]
        };
        let (row_major, column_major) = ([columns as isize, 1], [1, rows as isize]);
        assert_eq!(strides((f * across).eval()), column_major);
        assert_eq!(strides(((f - down) * 2.0 + across).eval()), column_major);
        assert_eq!(strides((down * f + f).eval()), column_major);
        // As do views that repeat along an axis of their own, alone and with others.
        let shape = [rows, columns];
        let wide = row.broadcast_in_dim(shape, [1]).expect("an axis of this extent");
        let tall = column.broadcast_in_dim(shape, [0]).expect("an axis of this extent");
        assert_eq!(strides((wide + tall).eval()), row_major);
        assert_eq!(strides((tall * 2.0).eval()), row_major);
        assert_eq!(strides((wide * f).eval()), column_major);
        assert_eq!(strides((tall - f + wide).eval()), column_major);
        assert_eq!(strides((tall * &c).eval()), row_major);
        let result = (wide * 3.0 - tall).eval().expect("the shapes fit");
        assert_eq!(result, Array2::from_shape_fn(shape, |(i, j)| row[j] * 3.0 - column[i]));
        // One that lies along all axes has a say as well.
        assert_eq!(strides((f + c.along([0, 1])).eval()), row_major);
        assert_eq!(strides((&c + f.along([0, 1]) * across).eval()), row_major);
        let result = ((f - down) * across).eval().expect("the shapes fit");
        let expected =
            Array2::from_shape_fn([rows, columns], |(i, j)| (f[[i, j]] - column[i]) * row[j]);
        assert_eq!(result, expected);
    }
}
