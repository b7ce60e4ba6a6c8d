//! Views for writing: distinct elements, halves that do not overlap, and errors instead of panics.

use super::extremes::{size, slice};
use crate::laws::strategies::{cases, recipe, shape};
use conformance::naive::{Naive, index_of};
use conformance::support::{Held, Recipe};
use proptest::prelude::*;
use std::collections::HashSet;
use zerostride::{ArrayD, Slices};

fn held() -> impl Strategy<Value = Held<i32>> {
    shape(0..=4).prop_flat_map(|shape| {
        let recipe = recipe(shape.len());
        (Just(shape), recipe).prop_map(|(shape, recipe): (_, Recipe)| {
            Held::new(&Naive::numbered(&shape, |number| number as i32), &recipe)
        })
    })
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn iter_mut_gives_each_element_once(mut held in held()) {
        let before = held.clone();
        let mut view = held.view_mut();
        let all: Vec<&mut i32> = view.iter_mut().collect();
        let distinct: HashSet<*const i32> = all.iter().map(|element| std::ptr::from_ref::<i32>(element)).collect();
        prop_assert_eq!(distinct.len(), before.naive().data.len());
        // All are held at once, and are in logical order.
        for (number, element) in all.into_iter().enumerate() {
            prop_assert_eq!(*element, number as i32);
            *element += 1000;
        }
        let want = before.naive().map(|x| x + 1000);
        prop_assert_eq!(held.problem(&want, &before.buffer, |a, b| a == b), None);
    }

    #[test]
    fn split_at_gives_two_parts((mut held, axis, mid) in held().prop_flat_map(|held| {
        let extent = held.shape.iter().max().copied().unwrap_or(0);
        (Just(held), 0..5_usize, prop_oneof![10 => 0..=extent, 1 => size()])
    })) {
        let before = held.clone();
        let valid = before.shape.get(axis).is_some_and(|&extent| mid <= extent);
        match held.view_mut().split_at(axis, mid) {
            Ok((mut low, mut high)) => {
                prop_assert!(valid);
                prop_assert_eq!(low.shape()[axis], mid);
                prop_assert_eq!(high.shape()[axis], before.shape[axis] - mid);
                low.fill(-1);
                high.iter_mut().for_each(|element| *element = -2);
            }
            Err(_) => prop_assert!(!valid),
        }
        let want = if valid {
            Naive::from_fn(&before.shape, |index| if index[axis] < mid { -1 } else { -2 })
        } else {
            before.naive()
        };
        prop_assert_eq!(held.problem(&want, &before.buffer, |a, b| a == b), None);
    }

    #[test]
    fn no_argument_panics(
        mut held in held(),
        list in prop::collection::vec(size(), 0..5),
        (a, b) in (size(), size()),
        elems in (0..5_usize).prop_flat_map(slice),
    ) {
        let before = held.buffer.clone();
        let mut view = held.view_mut();
        // Each of them reaches the elements that the same operation reaches for reading.
        if let Ok(mut part) = view.slice_mut(Slices::from_slice(&elems)) {
            prop_assert_eq!(part.iter_mut().count(), part.len());
        }
        let _ = (view.get_mut(&list[..]).is_some(), view.index_axis_mut(a, b).is_ok(), view.flip_mut(a).is_ok());
        let _ = (view.permuted_axes_mut(&list[..]).is_ok(), view.as_slice_mut().is_some(), view.t_mut().len());
        let _ = view.view_mut().split_at(a, b).is_ok();
        let _ = (view.lanes_mut(a).is_ok(), view.axis_iter_mut(a).is_ok(), view.axis_chunks_mut(a, b).is_ok());
        let _ = (view.exact_chunks_mut(&list[..]).is_ok(), view.rows_mut().nth(a).is_some());
        let _ = (view.outer_iter_mut().next_back().is_some(), view.first_mut().is_some(), view.last_mut().is_some());
        let (slices, whole) = (Slices::from_slice(&elems), Slices::from_slice(&[]));
        let _ = (view.multi_slice_mut((slices, slices)).is_ok(), view.multi_slice_mut((slices, whole, slices)).is_ok());
        let _ = (view.view_mut().slice_move(slices).is_ok(), view.view_mut().index_axis_move(a, b).is_ok());
        let _ = (view.view_mut().insert_axis_move(a).is_ok(), view.view_mut().remove_axis_move(b).is_ok());
        let _ = view.view_mut().into_shape(&list[..]).is_ok();
        let mut changed = view.view_mut();
        let _ = (changed.invert_axis(a).is_ok(), changed.permute_axes(&list[..]).is_ok());
        let _ = (changed.insert_axis_inplace(a).is_ok(), changed.index_axis_inplace(a, b).is_ok());
        let _ = (changed.slice_collapse(slices).is_ok(), changed.collapse_axis(b, a).is_ok());
        prop_assert_eq!(changed.iter_mut().count(), changed.len());
        prop_assert_eq!(&held.buffer, &before);
    }

    #[test]
    fn writing_through_a_part_writes_that_part((mut held, elems) in held().prop_flat_map(|held| {
        let elems = slice(held.shape.len());
        (Just(held), elems)
    })) {
        let slices = Slices::from_slice(&elems);
        let chosen: Option<HashSet<i32>> = held.view().slice(slices).ok().map(|part| part.iter().copied().collect());
        let before = held.clone();
        if let Ok(mut part) = held.view_mut().slice_mut(slices) {
            part.fill(-1);
        }
        let chosen = chosen.unwrap_or_default();
        let want = before.naive().map(|x| if chosen.contains(&x) { -1 } else { x });
        prop_assert_eq!(held.problem(&want, &before.buffer, |a, b| a == b), None);
    }
}

#[test]
fn writing_by_index() {
    let mut array = ArrayD::<usize>::zeros(vec![2, 3, 4]);
    for number in 0..24 {
        let index = index_of(&[2, 3, 4], number);
        array[&index[..]] = number;
        *array.get_mut(&index[..]).expect("in range") += 100;
    }
    assert_eq!(array.to_vec(), (100..124).collect::<Vec<_>>());
    array.t_mut()[[3, 0, 1]] = 7;
    assert_eq!(array[[1, 0, 3]], 7);
    array.permuted_axes_mut(&[1, 2, 0][..]).expect("a permutation")[[2, 0, 1]] = 8;
    assert_eq!(array[[1, 2, 0]], 8);
    array.flip_mut(2).expect("an axis")[[0, 0, 0]] = 9;
    assert_eq!(array[[0, 0, 3]], 9);
    array.index_axis_mut(1, 1).expect("an index").fill(5);
    assert!(array.index_axis(1, 1).expect("an index").iter().all(|&x| x == 5));
    assert_eq!(array[[1, 0, 3]], 7);
}
