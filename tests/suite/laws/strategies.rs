//! Random shapes, layouts and ways of execution.

use conformance::support::Recipe;
use proptest::prelude::*;
use proptest::test_runner::Config;
use std::time::Duration;
use zerostride::{Exec, Isa};

/// So many random cases, and no file to remember the failing ones in: a test writes nothing into
/// the sources.
pub fn cases(cases: u32) -> Config {
    Config { cases, failure_persistence: None, max_shrink_iters: 5000, ..Config::default() }
}

/// Extents: mostly small, at times zero, beyond the side of a tile, or about as many as are taken
/// at a time somewhere.
fn extent() -> impl Strategy<Value = usize> {
    prop_oneof![
        1 => Just(0_usize),
        4 => Just(1_usize),
        14 => 2..6_usize,
        4 => 6..20_usize,
        2 => 30..70_usize,
        2 => (4..7_u32, 0..3_usize).prop_map(|(power, more)| (1 << power) - 1 + more),
        1 => 500..1100_usize,
    ]
}

/// Shapes of these ranks with at most a few thousand elements. Those without any count as if no
/// extent were 0: the memory that they lie in has as many.
pub fn shape(ranks: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(extent(), ranks).prop_map(|mut shape| {
        while shape.iter().map(|&extent| extent.max(1)).product::<usize>() > 4000 {
            let largest =
                (0..shape.len()).max_by_key(|&axis| shape[axis]).expect("it is not empty");
            shape[largest] = shape[largest] / 2 + 1;
        }
        shape
    })
}

/// A permutation of the axes.
pub fn permutation(ndim: usize) -> impl Strategy<Value = Vec<usize>> {
    Just((0..ndim).collect::<Vec<_>>()).prop_shuffle()
}

/// A layout that reaches no element twice.
pub fn recipe(ndim: usize) -> impl Strategy<Value = Recipe> {
    let step = prop_oneof![5 => Just(1_usize), 1 => 2..4_usize];
    let gap = prop_oneof![5 => Just(0_usize), 1 => 1..5_usize];
    (
        prop_oneof![1 => Just((0..ndim).collect::<Vec<_>>()), 2 => permutation(ndim)],
        prop::collection::vec(prop::bool::weighted(0.3), ndim),
        prop::collection::vec(step, ndim),
        prop::collection::vec(gap, ndim),
        0..4_usize,
    )
        .prop_map(move |(order, flips, steps, gaps, lead)| Recipe {
            name: "random".to_owned(),
            order,
            flips,
            steps,
            gaps,
            lead,
            repeats: vec![false; ndim],
        })
}

/// A layout in which elements may repeat along some axes.
pub fn readable_recipe(ndim: usize) -> impl Strategy<Value = Recipe> {
    (recipe(ndim), prop::collection::vec(prop::bool::weighted(0.15), ndim))
        .prop_map(|(recipe, repeats)| Recipe { repeats, ..recipe })
}

/// An operand of an operation on arrays of shape `result`: the axes it has, its shape with an
/// extent of 1 along some of them, and its layout.
pub fn operand(
    result: Vec<usize>,
    all_axes: bool,
) -> impl Strategy<Value = (Vec<usize>, Vec<usize>, Recipe)> {
    let ndim = result.len();
    let axes = prop::collection::vec(prop::bool::weighted(if all_axes { 1.0 } else { 0.7 }), ndim);
    let ones = prop::collection::vec(prop::bool::weighted(0.2), ndim);
    (axes, ones)
        .prop_map(move |(axes, ones)| {
            let dims: Vec<usize> = (0..ndim).filter(|&axis| axes[axis]).collect();
            let shape = dims
                .iter()
                .map(|&axis| if ones[axis] { 1 } else { result[axis] })
                .collect::<Vec<_>>();
            (dims, shape)
        })
        .prop_flat_map(|(dims, shape)| {
            let ndim = shape.len();
            (Just(dims), Just(shape), readable_recipe(ndim))
        })
}

/// A way of execution.
pub fn exec() -> impl Strategy<Value = Exec> {
    let cache = prop_oneof![Just(0), Just(Exec::default().cache)];
    let isa = prop::sample::select(Isa::available());
    (any::<bool>(), 0..600_usize, isa, cache, 0..200_u64).prop_map(
        |(parallel, grain, isa, cache, linger)| {
            let linger = Duration::from_micros(linger);
            Exec::new().parallel(parallel).grain(grain).isa(isa).cache(cache).linger(linger)
        },
    )
}
