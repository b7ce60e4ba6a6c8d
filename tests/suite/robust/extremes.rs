//! Extreme numbers, mixed with ordinary ones.

use proptest::prelude::*;
use zerostride::SliceElem;

/// Extents, axis numbers, indices and offsets.
pub fn size() -> impl Strategy<Value = usize> {
    prop_oneof![
        12 => 0..4_usize,
        2 => 4..20_usize,
        1 => prop::sample::select(vec![1 << 31, 1 << 62, 1 << 63, isize::MAX as usize, usize::MAX - 1, usize::MAX]),
    ]
}

/// Strides, positions and steps.
pub fn signed() -> impl Strategy<Value = isize> {
    prop_oneof![
        12 => -3..4_isize,
        2 => -20..20_isize,
        2 => prop::sample::select(vec![isize::MIN, isize::MIN + 1, -(1 << 62), 1 << 62, isize::MAX - 1, isize::MAX]),
    ]
}

/// Lists of up to `longest` sizes.
pub fn sizes(longest: usize) -> impl Strategy<Value = Vec<usize>> {
    prop_oneof![
        8 => prop::collection::vec(size(), 0..=5.min(longest)),
        1 => prop::collection::vec(prop_oneof![4 => Just(1), 1 => size()], 0..=longest),
    ]
}

/// A slice of one axis.
fn slice_elem() -> impl Strategy<Value = SliceElem> {
    prop_oneof![
        3 => signed().prop_map(SliceElem::Index),
        6 => (signed(), prop::option::of(signed()), signed())
            .prop_map(|(start, end, step)| SliceElem::Range { start, end, step }),
        3 => signed().prop_map(|step| SliceElem::Range { start: 0, end: None, step }),
        1 => Just(SliceElem::NewAxis),
    ]
}

/// The arguments of a slice of an array of about rank `ndim`.
pub fn slice(ndim: usize) -> impl Strategy<Value = Vec<SliceElem>> {
    prop_oneof![
        8 => prop::collection::vec(slice_elem(), ndim),
        1 => prop::collection::vec(slice_elem(), 0..6),
        1 => prop::collection::vec(slice_elem(), 14..20),
    ]
}

/// Whether every array of this shape is small, also in the sense that walking its outer axes is:
/// one of shape `[2^60, 0]` is not.
pub fn is_small(shape: &[usize]) -> bool {
    shape.iter().fold(1_usize, |size, &extent| size.saturating_mul(extent.max(1))) <= 10_000
}
