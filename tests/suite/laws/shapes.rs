//! The shape functions agree with the naive rules, on shapes and dims that fit and that do not.

use super::strategies::cases;
use conformance::naive;
use proptest::prelude::*;
use zerostride::{
    Array, ArrayD, Axes, Broadcast, Dyn, Expr, add, binary_shape, broadcast_in_dim_strict, clamp,
    degenerate_shape, numpy, numpy_shape, ternary_shape, zip,
};

/// Shapes of few different extents, so that many pairs fit.
fn shape(max_rank: usize) -> impl Strategy<Value = Vec<usize>> {
    let extent =
        prop_oneof![1 => Just(0_usize), 4 => Just(1_usize), 3 => Just(2_usize), 3 => Just(3_usize)];
    prop::collection::vec(extent, 0..=max_rank)
}

/// Dims that are often right for an operand of rank `small` in a result of rank `large`.
fn dims(small: usize, large: usize) -> impl Strategy<Value = Vec<usize>> {
    let increasing =
        proptest::sample::subsequence((0..large).collect::<Vec<_>>(), small.min(large));
    prop_oneof![
        6 => increasing.clone(),
        2 => increasing.prop_shuffle(),
        1 => prop::collection::vec(0..=large, 0..=large + 1),
        1 => prop::collection::vec(prop_oneof![Just(usize::MAX), Just(1 << 32), 0..3_usize], small),
        1 => Just(vec![]),
    ]
}

fn pair() -> impl Strategy<Value = (Vec<usize>, Vec<usize>, Vec<usize>)> {
    (shape(4), shape(4)).prop_flat_map(|(lhs, rhs)| {
        let dims = dims(lhs.len().min(rhs.len()), lhs.len().max(rhs.len()));
        (Just(lhs), Just(rhs), dims)
    })
}

fn found<E>(shape: Result<Axes<usize>, E>) -> Option<Vec<usize>> {
    shape.ok().map(|shape| shape.to_vec())
}

fn evaluated<T: zerostride::Element, E>(array: Result<Array<T, Dyn>, E>) -> Option<Vec<usize>> {
    array.ok().map(|array| array.shape().to_vec())
}

fn zeros(shape: &[usize]) -> ArrayD<i32> {
    ArrayD::zeros(shape)
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn binary((lhs, rhs, dims) in pair()) {
        let want = naive::binary_shape(&lhs, &rhs, &dims);
        prop_assert_eq!(found(binary_shape(&lhs, &rhs, &dims)), want.clone());
        let (a, b) = (zeros(&lhs), zeros(&rhs));
        // The named function, the operator with `along`, and a destination of that shape all accept
        // the same.
        let sum = add(&a, &b, &dims).ok().map(|sum| sum.eval().expect("its shape is checked"));
        prop_assert_eq!(sum.map(|sum| sum.shape().to_vec()), want.clone());
        let sum = match lhs.len().cmp(&rhs.len()) {
            std::cmp::Ordering::Less => Some(evaluated((a.along(&dims[..]) + &b).eval())),
            std::cmp::Ordering::Greater => Some(evaluated((&a + b.along(&dims[..])).eval())),
            // The operator alone does not take dims for equal ranks, where they say nothing.
            std::cmp::Ordering::Equal if dims.is_empty() => Some(evaluated((&a + &b).eval())),
            std::cmp::Ordering::Equal => None,
        };
        prop_assert!(sum.is_none_or(|sum| sum == want), "{:?} and {:?} along {:?}", lhs, rhs, dims);
    }

    #[test]
    fn binary_without_dims((lhs, rhs) in (shape(4), shape(4))) {
        let want = naive::binary_shape(&lhs, &rhs, &[]);
        prop_assert_eq!(found(binary_shape(&lhs, &rhs, &[])), want.clone());
        prop_assert_eq!(evaluated((&zeros(&lhs) + &zeros(&rhs)).eval()), want.clone());
        let zipped = zip((&zeros(&lhs), &zeros(&rhs))).map(|(a, b): (i32, i32)| a + b).eval();
        prop_assert_eq!(evaluated(zipped), want.clone());
        if lhs.len() == rhs.len() {
            prop_assert_eq!(found(degenerate_shape(&lhs, &rhs)), want);
        } else {
            prop_assert!(degenerate_shape(&lhs, &rhs).is_err());
        }
    }

    #[test]
    fn numpys_rule((lhs, rhs) in (shape(4), shape(4))) {
        let want = naive::numpy_shape(&lhs, &rhs);
        prop_assert_eq!(found(numpy_shape(&lhs, &rhs)), want.clone());
        prop_assert_eq!(evaluated((numpy(&zeros(&lhs)) + numpy(&zeros(&rhs))).eval()), want);
    }

    #[test]
    fn ternary(shapes in [shape(2), shape(2), shape(2)], alike in 0..8_usize) {
        // Often the same shape in several places.
        let of = |i: usize| if alike >> i & 1 == 1 { &shapes[0] } else { &shapes[i] };
        let shapes = [of(0), of(1), of(2)].map(|shape| &shape[..]);
        let want = naive::ternary_shape(shapes);
        prop_assert_eq!(found(ternary_shape(shapes)), want.clone());
        let [lo, x, hi] = shapes.map(zeros);
        prop_assert_eq!(evaluated(clamp(&lo, &x, &hi).eval()), want);
    }

    #[test]
    fn in_dim((operand, out, dims) in pair()) {
        let array = zeros(&operand);
        let want = naive::broadcasts_strictly_to(&operand, &out, &dims);
        prop_assert_eq!(broadcast_in_dim_strict(&operand, &out, &dims).is_ok(), want);
        prop_assert_eq!(array.broadcast_in_dim_strict(&out[..], &dims[..]).is_ok(), want);
        let want = naive::broadcasts_to(&operand, &out, &dims);
        prop_assert_eq!(array.broadcast_in_dim(&out[..], &dims[..]).is_ok(), want);
        let suffix: Vec<usize> = (out.len().saturating_sub(operand.len())..out.len()).collect();
        prop_assert_eq!(array.broadcast_to(&out[..]).is_ok(), naive::broadcasts_to(&operand, &out, &suffix));
    }

    #[test]
    fn broadcast_views_replicate(
        (out, dims, ones) in prop::collection::vec(1..5_usize, 0..=4).prop_flat_map(|out| {
            let all: Vec<usize> = (0..out.len()).collect();
            let rank = 0..=out.len();
            let dims = rank.prop_flat_map(move |rank| proptest::sample::subsequence(all.clone(), rank)).prop_shuffle();
            (Just(out), dims, 0..16_usize)
        }),
    ) {
        let extent = |i: usize| if ones >> i & 1 == 1 { 1 } else { out[dims[i]] };
        let shape: Vec<usize> = (0..dims.len()).map(extent).collect();
        let array = naive::Naive::numbered(&shape, |i| i as i32);
        let source = ArrayD::from_shape_vec(&shape[..], array.data.clone()).expect("as many elements");
        let view = source.broadcast_in_dim(&out[..], &dims[..]).expect("the dims are distinct and the extents fit");
        prop_assert_eq!(view.to_vec(), array.replicated(&out, &dims).data);
        // It is a view: the same memory, and stride 0 wherever it repeats.
        for axis in 0..out.len() {
            let own = dims.iter().position(|&dim| dim == axis);
            let repeats = own.is_none_or(|own| shape[own] == 1);
            prop_assert_eq!(view.strides()[axis] == 0, repeats, "axis {} of {:?}", axis, view);
        }
        prop_assert!(std::ptr::eq(&view[&vec![0; out.len()][..]], &source.as_slice().expect("it is in C order")[0]));
    }
}
