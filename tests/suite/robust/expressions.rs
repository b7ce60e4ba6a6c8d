//! Building an expression never fails and never panics; what does not fit is an error when it is
//! evaluated or assigned.

use super::extremes::size;
use crate::laws::strategies::cases;
use conformance::naive::{Naive, binary};
use proptest::prelude::*;
use zerostride::{ArrayD, Assign, Broadcast, Expr, ViewD, add, clamp, numpy, zip};

/// An array of few extents, and dims that are right, wrong or absurd.
fn operand() -> impl Strategy<Value = (Naive<i64>, Vec<usize>)> {
    let extent = prop_oneof![1 => Just(0_usize), 5 => Just(1_usize), 4 => Just(2_usize)];
    prop::collection::vec(extent, 0..4).prop_flat_map(|shape| {
        let ndim = shape.len();
        let dims = prop_oneof![
            8 => proptest::sample::subsequence((0..3).collect::<Vec<_>>(), ndim),
            1 => prop::collection::vec(0..3_usize, ndim),
            1 => prop::collection::vec(size(), 0..4),
            1 => prop::collection::vec(size(), 0..20),
        ];
        (Just(Naive::numbered(&shape, |number| number as i64 + 1)), dims)
    })
}

fn array(naive: &Naive<i64>) -> ArrayD<i64> {
    ArrayD::from_shape_vec(&naive.shape[..], naive.data.clone())
        .expect("as many elements as its shape says")
}

proptest! {
    #![proptest_config(cases(1500))]

    /// Two operands with dims of their own meet each other before they meet one that has all axes,
    /// or one after the other.
    #[test]
    fn the_order_of_meeting_makes_no_difference(
        (a, a_dims) in operand(),
        (b, b_dims) in operand(),
        (x, _) in operand(),
    ) {
        let (ax, bx, xx) = (array(&a), array(&b), array(&x));
        let together = ((ax.along(&a_dims[..]) - bx.along(&b_dims[..])) + &xx).eval();
        let one_by_one = ((&xx + ax.along(&a_dims[..])) - bx.along(&b_dims[..])).eval();
        // Equal ranks need no dims, but `along` always has some.
        let fits = |naive: &Naive<i64>, dims: &[usize]| dims.len() == naive.shape.len();
        let want = if fits(&a, &a_dims) && fits(&b, &b_dims) && x.shape.len() >= a.shape.len().max(b.shape.len()) {
            binary(&x, &a, &a_dims, |x, a| x + a).and_then(|sum| binary(&sum, &b, &b_dims, |s, b| s - b))
        } else {
            None
        };
        for got in [together, one_by_one] {
            let err = got.as_ref().err().cloned();
            let got = got.ok().map(|array| Naive { shape: array.shape().to_vec(), data: array.to_vec() });
            prop_assert_eq!(got, want.clone(), "{:?} along {:?}, {:?} along {:?}: {:?}", a, a_dims, b, b_dims, err);
        }
    }

    #[test]
    fn what_does_not_fit_is_an_error((a, a_dims) in operand(), (b, b_dims) in operand(), (x, dims) in operand()) {
        let (ax, bx, mut xx) = (array(&a), array(&b), array(&x));
        let results = [
            (&ax + &bx).eval(),
            (-(&ax * 2) + bx.along(&b_dims[..])).eval(),
            (numpy(&ax) - numpy(&bx)).eval(),
            clamp(&ax, &xx, &bx).eval(),
            clamp(ax.along(&a_dims[..]), &xx, bx.along(&b_dims[..])).eval(),
            (ax.along(&dims[..]) * &bx).eval(),
            zip((ax.along(&a_dims[..]), &xx, bx.along(&b_dims[..])))
                .map(|(a, x, b): (i64, i64, i64)| a + x + b)
                .eval(),
            add(&ax, &bx, &dims).and_then(Expr::eval),
            add(&ax + 1, &bx, &dims).and_then(Expr::eval),
        ];
        for err in results.iter().filter_map(|result| result.as_ref().err()) {
            prop_assert!(!err.to_string().is_empty());
        }
        let _ = (&ax + bx.along(&b_dims[..])).explain().map(|plan| plan.to_string());
        let _ = (ax.along(&a_dims[..]) + bx.along(&b_dims[..])).explain().map(|plan| plan.to_string());
        // What does not fit is not written at all; what fits keeps the destination's shape.
        let before = xx.to_vec();
        let assigned = [
            xx.assign(&ax).is_ok(),
            xx.assign(ax.along(&a_dims[..])).is_ok(),
            xx.assign(ax.along(&a_dims[..]) + bx.along(&b_dims[..])).is_ok(),
            xx.update(zerostride::ops::Add, bx.along(&b_dims[..]) * 2).is_ok(),
            xx.assign(7).is_ok(),
        ];
        prop_assert_eq!(xx.shape(), &x.shape[..]);
        prop_assert!(assigned[4]);
        let mut xx = array(&x);
        if xx.assign(&ax + bx.along(&b_dims[..])).is_err() {
            prop_assert_eq!(xx.to_vec(), before);
        }
    }
}

/// A view of more elements than memory holds can be made, and copying it is an error.
#[test]
fn results_that_do_not_fit_in_memory_are_errors() {
    let one = [1_i64];
    let huge = ViewD::from_strided(vec![1 << 30, 1 << 30], &[0, 0], 0, &one)
        .expect("one element, repeated");
    assert!((huge + 1).eval().is_err());
    assert!((huge + huge).eval().is_err());
    assert!(huge.try_to_owned().is_err());
    assert!(huge.broadcast_in_dim(vec![1 << 30, 1 << 30, 1 << 30], [0, 1]).is_err());
    let (column, row) =
        (huge.index_axis(0, 0).expect("an index"), huge.index_axis(1, 0).expect("an index"));
    assert!(
        (column.insert_axis(1).expect("an axis") * row.insert_axis(0).expect("an axis"))
            .eval()
            .is_err()
    );
    assert!(
        (huge + 1).explain().expect("a plan needs no memory").to_string().contains("1073741824")
    );
}
