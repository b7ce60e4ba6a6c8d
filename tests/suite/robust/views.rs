//! Operations on a view, with arguments of all sizes: an answer or an error, and never a panic.

use super::extremes::{is_small, signed, size, sizes, slice};
use crate::laws::strategies::cases;
use proptest::prelude::*;
use zerostride::{Broadcast, Dyn, MAX_NDIM, Rank, Slices, ViewD};

/// Any view that can be made over some data: most are ordinary, some have extreme strides along
/// axes that are never walked, or repeat one element 2^62 times.
fn view() -> impl Strategy<Value = (Vec<usize>, Vec<isize>, usize)> {
    let axis = prop_oneof![
        10 => (0..5_usize, -4..5_isize),
        2 => (0..2_usize, signed()),
        2 => (size(), Just(0_isize)),
    ];
    (
        prop_oneof![10 => prop::collection::vec(axis.clone(), 0..5), 1 => prop::collection::vec(axis, MAX_NDIM)],
        0..40_usize,
    )
        .prop_map(|(axes, offset)| {
            let (shape, strides) = axes.into_iter().unzip();
            (shape, strides, offset)
        })
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn no_argument_panics(
        (shape, strides, offset) in view(),
        list in sizes(MAX_NDIM + 2),
        other in sizes(MAX_NDIM + 2),
        (a, b) in (size(), size()),
        elems in (0..5_usize).prop_flat_map(slice),
        more in prop::collection::vec(slice(3), 2),
    ) {
        let data: Vec<i32> = (0..40).collect();
        let Ok(view) = ViewD::from_strided(shape, &strides, offset, &data) else { return Ok(()) };
        let small = is_small(view.shape());

        let _ = (view.len(), view.is_empty(), view.is_standard_layout());
        let _ = (view.layout().is_contiguous(), view.layout().hull());
        let _ = (view.get(&list[..]), view.as_slice(), view.as_slice_memory_order());
        let _ = (view.iter().next(), view.iter().size_hint(), view.indexed_iter().next());
        let derived = [
            view.permuted_axes(&list[..]), view.swap_axes(a, b), view.insert_axis(a), view.remove_axis(a),
            view.index_axis(a, b), view.flip(a), view.reshape(&list[..]), view.slice(Slices::from_slice(&elems)),
            Ok(view.t()), view.as_rank::<Dyn>(),
        ];
        let _ = (view.axis_iter(a).map(|mut axis| (axis.next(), axis.size_hint())), view.axis_iter(b).is_ok());
        let _ = (view.lanes(a).map(|mut lanes| (lanes.next(), lanes.next_back(), lanes.len())), view.rows().nth(a));
        let _ = view.axis_chunks(a, b).map(|mut chunks| (chunks.next_back(), chunks.nth(b), chunks.len()));
        let _ = view.axis_windows(a, b).map(|mut windows| (windows.nth(a), windows.next_back()));
        let _ = view.sliding_window_view(a, b).map(|windows| windows.iter().nth(a).copied());
        let _ = view.exact_chunks(&list[..]).map(|mut chunks| (chunks.next(), chunks.nth_back(b)));
        let _ = view.windows(&list[..]).map(|mut windows| (windows.next_back(), windows.nth(a), windows.len()));
        let _ = view.windows_with_stride(&list[..], &other[..]).map(|mut windows| (windows.nth(b), windows.next()));
        let _ = (view.outer_iter().nth_back(a), view.columns().next_back(), view.first(), view.last());
        let _ = (view.split_at(a, b), view.squeeze(), view.iter().nth(a), view.iter().nth_back(b));
        let _ = (view.as_rank::<Rank<2>>().is_ok(), view.insert_axis(view.ndim()).is_ok());
        let broadcast = [
            view.broadcast_in_dim(&list[..], &other[..]).ok(),
            view.broadcast_in_dim_strict(&list[..], &other[..]).ok(),
            view.broadcast_to(&list[..]).ok(),
        ];
        // What came of it is as good a view as the first, and so is what comes of that.
        for view in derived.into_iter().filter_map(Result::ok).chain(broadcast.into_iter().flatten()) {
            let _ = (view.get(&other[..]), view.iter().next(), view.t().iter().next(), view.as_slice());
            let _ = (view.flip(b), view.reshape(&other[..]), view.index_axis(b, a), view.layout().check_unique());
            for elems in &more {
                if let Ok(view) = view.slice(Slices::from_slice(elems)) {
                    let _ = (view.iter().next(), view.flip(0), view.indexed_iter().nth(1));
                }
            }
            if is_small(view.shape()) {
                prop_assert_eq!(view.to_vec(), view.iter().copied().collect::<Vec<_>>());
            }
        }
        if small {
            prop_assert_eq!(view.iter().count(), view.len());
            let _ = (view.to_shape(&list[..]), view.to_owned(), format!("{view} {view:?}"), view == view.t());
        } else if view.to_shape(&list[..]).is_ok() {
            // One element that repeats has other shapes without a copy.
            let in_place = view.is_empty() || view.reshape(&list[..]).is_ok();
            prop_assert!(in_place, "a copy of {} elements", view.len());
        }
    }

    #[test]
    fn layouts_take_any_number(
        shape in sizes(MAX_NDIM),
        order in sizes(MAX_NDIM + 2),
        (a, b) in (size(), size()),
        step in signed(),
    ) {
        use zerostride::{Axes, Layout};
        let axes = Axes::from_slice(&shape).expect("not too many");
        let _ = (Layout::<Dyn>::nested(axes, &order), Layout::<Dyn>::f_order(axes));
        if let Ok(layout) = Layout::<Dyn>::c_order(axes) {
            let _ = (layout.slice_axis(a, b..a, step), layout.slice_axis(0, a..b, step), layout.permute(&order));
            let _ = (layout.place(&order), layout.index(a, b), layout.check_reach(a));
            let _ = layout.expand::<Dyn>(axes, &order);
        }
    }
}
