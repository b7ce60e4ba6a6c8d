//! Reshaping, permuting, slicing and reversing views agree with the naive maps of indices.

use super::strategies::{cases, permutation, readable_recipe, shape};
use conformance::naive::{Naive, for_each_index, index_of, number_of, size};
use conformance::support::{Held, Recipe};
use proptest::prelude::*;
use zerostride::{SliceElem, Slices, ViewD};

/// A random array of rank `ranks` whose elements all differ, unless it repeats them.
fn array(ranks: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Held<i32>> {
    shape(ranks).prop_flat_map(|shape| {
        let recipe = readable_recipe(shape.len());
        (Just(shape), recipe).prop_map(|(shape, recipe): (_, Recipe)| {
            Held::new(&Naive::numbered(&shape, |number| number as i32), &recipe)
        })
    })
}

fn naive_of(view: ViewD<'_, i32>) -> Naive<i32> {
    // By index, so that iteration is not trusted here.
    let mut data = Vec::new();
    for_each_index(view.shape(), |index| data.push(view[index]));
    Naive { shape: view.shape().to_vec(), data }
}

/// The indices that a slice selects along an axis of this extent, or `None` if it does not fit.
fn selected(extent: usize, elem: SliceElem) -> Option<Vec<usize>> {
    let extent = extent as i128;
    let from_end =
        |position: isize| if position < 0 { position as i128 + extent } else { position as i128 };
    match elem {
        SliceElem::NewAxis => unreachable!("it has no axis"),
        SliceElem::Index(index) => {
            (0..extent).contains(&from_end(index)).then(|| vec![from_end(index) as usize])
        }
        SliceElem::Range { start, end, step } => {
            let (start, end) = (from_end(start), end.map_or(extent, from_end));
            if step == 0 || start < 0 || start > end || end > extent {
                return None;
            }
            // The range is chosen first; a negative step then walks it backwards, from its last
            // element.
            let range = start as usize..end as usize;
            let step_by = step.unsigned_abs();
            Some(if step > 0 {
                range.step_by(step_by).collect()
            } else {
                range.rev().step_by(step_by).collect()
            })
        }
    }
}

/// The slice of an array by definition, or `None` if it does not fit.
fn sliced(array: &Naive<i32>, elems: &[SliceElem]) -> Option<Naive<i32>> {
    let of_axes: Vec<SliceElem> =
        elems.iter().copied().filter(|elem| *elem != SliceElem::NewAxis).collect();
    if of_axes.len() != array.shape.len() {
        return None;
    }
    let chosen: Option<Vec<Vec<usize>>> =
        of_axes.iter().zip(&array.shape).map(|(&elem, &extent)| selected(extent, elem)).collect();
    let chosen = chosen?;
    let mut axis = 0;
    // For each axis of the result the axis of the source it selects from, if any.
    let (mut sources, mut shape) = (Vec::new(), Vec::new());
    for elem in elems {
        match elem {
            SliceElem::NewAxis => {
                sources.push(None);
                shape.push(1);
                continue;
            }
            SliceElem::Index(_) => {}
            SliceElem::Range { .. } => {
                sources.push(Some(axis));
                shape.push(chosen[axis].len());
            }
        }
        axis += 1;
    }
    Some(Naive::from_fn(&shape, |index| {
        let mut own: Vec<usize> =
            chosen.iter().map(|indices| indices.first().copied().unwrap_or(0)).collect();
        for (position, source) in sources.iter().enumerate() {
            if let Some(axis) = source {
                own[*axis] = chosen[*axis][index[position]];
            }
        }
        array.at(&own)
    }))
}

/// A slice of one axis, mostly one that fits an extent of about `extent`.
fn slice_elem(extent: usize) -> impl Strategy<Value = SliceElem> {
    let n = extent as isize;
    let position = prop_oneof![8 => 0..=n, 4 => -n..=0, 1 => -n - 2..=n + 2];
    let end = prop::option::weighted(0.7, position.clone());
    let ones = prop::sample::select(vec![1_isize, 1, -1]);
    let extremes = prop::sample::select(vec![isize::MIN, isize::MAX]);
    let step = prop_oneof![9 => ones, 3 => 2..4_isize, 3 => -4..-1_isize, 2 => extremes];
    prop_oneof![
        2 => position.clone().prop_map(SliceElem::Index),
        // A range in the right order more often than not.
        8 => (position, end, step, any::<bool>()).prop_map(|(start, end, step, order)| match end {
            Some(end) if order && start > end => SliceElem::Range { start: end, end: Some(start), step },
            end => SliceElem::Range { start, end, step },
        }),
    ]
}

fn slice_of(array: Held<i32>) -> impl Strategy<Value = (Held<i32>, Vec<SliceElem>)> {
    let elems: Vec<_> = array.shape.iter().map(|&extent| slice_elem(extent)).collect();
    let new_axes = prop::collection::vec(0..=array.shape.len(), 0..3);
    (Just(array), elems, new_axes).prop_map(|(array, mut elems, new_axes)| {
        new_axes.into_iter().for_each(|at| elems.insert(at, SliceElem::NewAxis));
        (array, elems)
    })
}

/// Some shape with as many elements: the extents' factors, dealt out anew.
fn other_shape(array: Held<i32>) -> impl Strategy<Value = (Held<i32>, Vec<usize>)> {
    let mut factors = Vec::new();
    let mut rest = size(&array.shape).max(1);
    for prime in 2.. {
        while rest.is_multiple_of(prime) {
            factors.push(prime);
            rest /= prime;
        }
        if rest == 1 {
            break;
        }
    }
    let count = factors.len();
    let empty = array.shape.contains(&0);
    // Mostly cut into stretches of the old order, which views can often express.
    (
        Just(array),
        prop::collection::vec(0..4_usize, count),
        Just(factors).prop_shuffle(),
        0..5_usize,
        any::<bool>(),
    )
        .prop_map(move |(array, mut axes, factors, one, sorted)| {
            if sorted {
                axes.sort_unstable();
            }
            let mut shape = vec![1; 5];
            axes.iter().zip(&factors).for_each(|(&axis, factor)| shape[axis] *= factor);
            if empty {
                shape[one] = 0;
            }
            (array, shape)
        })
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn permuted((array, axes) in array(0..=5).prop_flat_map(|array| {
        let axes = permutation(array.shape.len());
        (Just(array), axes)
    })) {
        let (view, source) = (array.view(), array.naive());
        let by = |axes: &[usize]| {
            let shape: Vec<usize> = axes.iter().map(|&axis| source.shape[axis]).collect();
            Naive::from_fn(&shape, |index| {
                let mut own = vec![0; axes.len()];
                axes.iter().zip(index).for_each(|(&axis, &i)| own[axis] = i);
                source.at(&own)
            })
        };
        prop_assert_eq!(naive_of(view.permuted_axes(&axes[..]).expect("a permutation")), by(&axes));
        let mut reversed: Vec<usize> = (0..axes.len()).collect();
        reversed.reverse();
        prop_assert_eq!(naive_of(view.t()), by(&reversed));
        if let [a, .., b] = axes[..] {
            let mut swapped: Vec<usize> = (0..axes.len()).collect();
            swapped.swap(a, b);
            prop_assert_eq!(naive_of(view.swap_axes(a, b).expect("axes")), by(&swapped));
        }
    }

    #[test]
    fn flipped(array in array(1..=4), axis in any::<prop::sample::Index>()) {
        let (axis, source) = (axis.index(array.shape.len()), array.naive());
        let want = Naive::from_fn(&source.shape, |index| {
            let mut own = index.to_vec();
            own[axis] = source.shape[axis] - 1 - own[axis];
            source.at(&own)
        });
        prop_assert_eq!(naive_of(array.view().flip(axis).expect("an axis")), want);
    }

    #[test]
    fn axes_inserted_removed_indexed(
        array in array(1..=4),
        axis in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
    ) {
        let (view, source) = (array.view(), array.naive());
        let new = axis.index(array.shape.len() + 1);
        let inserted = view.insert_axis(new).expect("an axis");
        let mut shape = source.shape.clone();
        shape.insert(new, 1);
        prop_assert_eq!(naive_of(inserted), Naive { shape, data: source.data.clone() });
        prop_assert_eq!(naive_of(inserted.remove_axis(new).expect("its extent is 1")), source.clone());

        let axis = axis.index(array.shape.len());
        let mut shape = source.shape.clone();
        let extent = shape.remove(axis);
        if extent > 0 {
            let at = at.index(extent);
            let want = Naive::from_fn(&shape, |index| {
                let mut own = index.to_vec();
                own.insert(axis, at);
                source.at(&own)
            });
            prop_assert_eq!(naive_of(view.index_axis(axis, at).expect("an index")), want.clone());
            prop_assert_eq!(naive_of(view.axis_iter(axis).expect("an axis").nth(at).expect("an index")), want);
        }
        prop_assert!(view.index_axis(axis, extent).is_err());
        prop_assert_eq!(view.axis_iter(axis).expect("an axis").len(), extent);
        prop_assert_eq!(view.remove_axis(axis).is_ok(), extent == 1);
    }

    #[test]
    fn slices((array, elems) in array(0..=4).prop_flat_map(slice_of)) {
        let got = array.view().slice(Slices::from_slice(&elems));
        let want = sliced(&array.naive(), &elems);
        let answer = got.as_ref().ok().map(|view| naive_of(*view));
        prop_assert_eq!(answer, want, "{:?} of {}: {:?}", elems, array, got.err());
    }

    #[test]
    fn reshaped((array, shape) in array(0..=4).prop_flat_map(other_shape)) {
        let (view, source) = (array.view(), array.naive());
        let want = Naive { shape: shape.clone(), data: source.data.clone() };
        let copied = view.to_shape(&shape[..]).expect("as many elements");
        prop_assert_eq!(naive_of(copied.view()), want.clone());
        prop_assert!(copied.is_view() || copied.is_standard_layout());

        // A view exists if and only if the places are linear in the new index, that is if each axis
        // has a stride of its own.
        let place = |index: &[usize]| {
            let own = index_of(&source.shape, number_of(&shape, index));
            own.iter().zip(&array.strides).map(|(&i, &stride)| i as isize * stride).sum::<isize>()
        };
        let mut linear = true;
        if !shape.contains(&0) {
            let unit = |axis: usize| {
                let mut index = vec![0; shape.len()];
                index[axis] = 1;
                if shape[axis] > 1 { place(&index) } else { 0 }
            };
            let strides: Vec<isize> = (0..shape.len()).map(unit).collect();
            for_each_index(&shape, |index| {
                let steps = index.iter().zip(&strides).map(|(&i, &stride)| i as isize * stride);
                linear &= place(index) == steps.sum::<isize>();
            });
        }
        match view.reshape(&shape[..]) {
            Ok(view) => prop_assert_eq!(naive_of(view), want),
            Err(err) => prop_assert!(!linear, "a view exists, but: {}", err),
        }
    }

    #[test]
    fn iteration_is_in_logical_order(array in array(0..=5)) {
        let (view, source) = (array.view(), array.naive());
        prop_assert_eq!(view.iter().copied().collect::<Vec<_>>(), source.data.clone());
        prop_assert_eq!(view.iter().len(), source.data.len());
        let folded = view.iter().fold(Vec::new(), |mut all, &x| { all.push(x); all });
        prop_assert_eq!(folded, source.data.clone());
        let mut number = 0;
        for (index, &value) in view.indexed_iter() {
            prop_assert_eq!(index.to_vec(), index_of(&source.shape, number));
            prop_assert_eq!(value, source.data[number]);
            number += 1;
        }
        prop_assert_eq!(number, source.data.len());
        prop_assert_eq!(view.to_vec(), source.data.clone());
        let owned = view.to_owned();
        prop_assert_eq!(owned.as_slice(), Some(&source.data[..]));
        // An iterator that was begun goes on where it is.
        let mut rest = view.iter();
        rest.next();
        prop_assert_eq!(rest.copied().collect::<Vec<_>>(), source.data.get(1..).unwrap_or_default());
    }
}
