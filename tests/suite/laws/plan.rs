//! What the plan chooses (order, joins, tiles, cuts between threads) never changes a result.

use super::strategies::{cases, exec, operand, readable_recipe, recipe, shape};
use conformance::naive::scalar::Scalar;
use conformance::naive::{Naive, binary};
use conformance::support::execs::in_pool;
use conformance::support::{Held, Recipe};
use proptest::prelude::*;
use zerostride::{Array, Assign, Dyn, Exec, Expr};

/// An operand: the axes it lies along, and the array.
type Operand = (Vec<usize>, Held<i64>);

/// The result's shape, three operands of which the first has all axes, and a layout for the
/// destination.
fn operands() -> impl Strategy<Value = ([Operand; 3], Recipe)> {
    shape(0..=5)
        .prop_flat_map(|result| {
            let ndim = result.len();
            let each = |all| operand(result.clone(), all);
            ([each(true).boxed(), each(false).boxed(), each(false).boxed()], recipe(ndim))
        })
        .prop_map(|(operands, out)| {
            let mut seed = 0;
            let held = operands.map(|(dims, shape, recipe)| {
                seed += 4;
                (dims, Held::ordinary(&shape, &recipe, seed))
            });
            (held, out)
        })
}

/// `(a - b) * c`, index by index.
fn want([(_, a), (b_dims, b), (c_dims, c)]: &[Operand; 3]) -> Naive<i64> {
    let difference =
        binary(&a.naive(), &b.naive(), b_dims, |a, b| a - b).expect("the operands fit");
    binary(&difference, &c.naive(), c_dims, |d, c| d * c).expect("the operands fit")
}

fn eval([(_, a), (b_dims, b), (c_dims, c)]: &[Operand; 3], exec: &Exec) -> Array<i64, Dyn> {
    let expr = (a.view() - b.view().along(&b_dims[..])) * c.view().along(&c_dims[..]);
    in_pool(|| exec.install(|| expr.eval())).expect("the operands fit")
}

proptest! {
    #![proptest_config(cases(250))]

    #[test]
    fn new_arrays_are_as_by_definition((operands, _) in operands(), exec in exec()) {
        let (got, want) = (eval(&operands, &exec), want(&operands));
        prop_assert_eq!(got.shape(), &want.shape[..]);
        prop_assert_eq!(got.to_vec(), want.data);
    }

    #[test]
    fn destinations_are_as_by_definition((operands, out) in operands(), exec in exec()) {
        let want = want(&operands);
        let mut destination = Held::<i64>::destination(&want.shape, &out);
        let before = destination.buffer.clone();
        let [(_, a), (b_dims, b), (c_dims, c)] = &operands;
        let expr = (a.view() - b.view().along(&b_dims[..])) * c.view().along(&c_dims[..]);
        let mut view = destination.view_mut();
        in_pool(|| exec.install(|| view.assign(expr))).expect("the operands fit");
        prop_assert_eq!(destination.problem(&want, &before, i64::same), None);
    }

    #[test]
    fn updates_are_as_by_definition(
        (shape, out, (dims, operand, recipe)) in shape(0..=4).prop_flat_map(|shape| {
            (Just(shape.clone()), recipe(shape.len()), operand(shape, false))
        }),
        exec in exec(),
    ) {
        let b = Held::<i64>::ordinary(&operand, &recipe, 3);
        let mut destination = Held::<i64>::ordinary(&shape, &out, 1);
        let before = destination.buffer.clone();
        let want = binary(&destination.naive(), &b.naive(), &dims, |x, b| x - b).expect("the operands fit");
        let mut view = destination.view_mut();
        let operand = b.view().along(&dims[..]);
        in_pool(|| exec.install(|| view.update(zerostride::ops::Sub, operand))).expect("it fits");
        prop_assert_eq!(destination.problem(&want, &before, i64::same), None);
    }

    #[test]
    fn copies_are_as_by_definition(
        (shape, from, to) in shape(0..=5).prop_flat_map(|shape| {
            let ndim = shape.len();
            (Just(shape), readable_recipe(ndim), recipe(ndim))
        }),
        exec in exec(),
    ) {
        // The expression is a bare view.
        let source = Held::<i8>::ordinary(&shape, &from, 3);
        let mut destination = Held::<i8>::destination(&shape, &to);
        let before = destination.buffer.clone();
        let mut view = destination.view_mut();
        in_pool(|| exec.install(|| view.assign(source.view()))).expect("the shapes are equal");
        prop_assert_eq!(destination.problem(&source.naive(), &before, i8::same), None);
    }

    #[test]
    fn the_way_of_execution_changes_no_bit(
        bits in prop::collection::vec((any::<u32>(), any::<u32>(), any::<u32>()), 1..1500),
        execs in prop::collection::vec(exec(), 4),
        recipe in readable_recipe(1),
    ) {
        let of = |which: fn(&(u32, u32, u32)) -> u32| Naive {
            shape: vec![bits.len()],
            data: bits.iter().map(|bits| f32::from_bits(which(bits))).collect(),
        };
        let [a, b, c] = [of(|t| t.0), of(|t| t.1), of(|t| t.2)].map(|array| Held::new(&array, &recipe));
        let (a_values, b_values, c_values) = (a.naive().data, b.naive().data, c.naive().data);
        for exec in &execs {
            let expr = (a.view() * b.view() + c.view()) / b.view();
            let got = in_pool(|| exec.install(|| expr.eval())).expect("the shapes are equal").to_vec();
            for i in 0..got.len() {
                // Each operation rounds: nothing is contracted, whatever the instruction set
                // offers.
                let want = (a_values[i] * b_values[i] + c_values[i]) / b_values[i];
                prop_assert!(got[i].same(want), "{} of {} {} {}, want {want}", got[i], a_values[i], b_values[i], c_values[i]);
            }
        }
    }
}
