//! Rows, lanes, chunks and windows, on every layout and in every rank, against the elements read by
//! the index formula.

use super::iteration::{at_both_ends, shapes};
use conformance::naive::{Naive, for_each_index};
use conformance::support::report::problem_of;
use conformance::support::{Held, Recipe, Report};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};
use zerostride::prelude::*;
use zerostride::{Dimension, LayoutErrorKind, MAX_NDIM, SliceElem, Slices};

/// A part: its shape and its elements.
type Part = (Vec<usize>, Vec<i32>);

/// The elements whose index lies in a box.
fn part(source: &Naive<i32>, start: &[usize], extents: &[usize]) -> Part {
    let mut data = Vec::new();
    for_each_index(extents, |index| {
        let own: Vec<usize> = index.iter().zip(start).map(|(i, start)| i + start).collect();
        data.push(source.at(&own));
    });
    (extents.to_vec(), data)
}

/// The same without some axes, along which the box has an extent of 1.
fn without(mut part: Part, axes: &[usize]) -> Part {
    let mut axis = 0;
    part.0.retain(|_| {
        axis += 1;
        !axes.contains(&(axis - 1))
    });
    part
}

/// Boxes of these extents every so many steps, as far as they fit.
fn boxes(source: &Naive<i32>, extents: &[usize], steps: &[usize]) -> Vec<Part> {
    let count = |axis: usize| match source.shape[axis].checked_sub(extents[axis]) {
        Some(room) => room / steps[axis] + 1,
        None => 0,
    };
    let counts: Vec<usize> = (0..extents.len()).map(count).collect();
    let mut parts = Vec::new();
    for_each_index(&counts, |index| {
        let start: Vec<usize> = index.iter().zip(steps).map(|(i, step)| i * step).collect();
        parts.push(part(source, &start, extents));
    });
    parts
}

fn along(source: &Naive<i32>, axis: usize) -> Vec<Part> {
    let mut extents = source.shape.clone();
    extents[axis] = 1;
    (0..source.shape[axis])
        .map(|i| {
            let mut start = vec![0; extents.len()];
            start[axis] = i;
            without(part(source, &start, &extents), &[axis])
        })
        .collect()
}

fn lanes(source: &Naive<i32>, axis: usize) -> Vec<Part> {
    let mut starts = source.shape.clone();
    starts[axis] = 1;
    let mut extents = vec![1; starts.len()];
    extents[axis] = source.shape[axis];
    let others: Vec<usize> = (0..starts.len()).filter(|other| *other != axis).collect();
    let mut lanes = Vec::new();
    for_each_index(&starts, |start| lanes.push(without(part(source, start, &extents), &others)));
    lanes
}

fn chunks(source: &Naive<i32>, axis: usize, size: usize) -> Vec<Part> {
    let chunk = |first: usize| {
        let (mut start, mut extents) = (vec![0; source.shape.len()], source.shape.clone());
        (start[axis], extents[axis]) = (first, size.min(source.shape[axis] - first));
        part(source, &start, &extents)
    };
    (0..source.shape[axis]).step_by(size).map(chunk).collect()
}

fn slabs(source: &Naive<i32>, axis: usize, size: usize) -> Vec<Part> {
    let mut extents = source.shape.clone();
    extents[axis] = size;
    let mut steps = source.shape.iter().map(|extent| (*extent).max(1)).collect::<Vec<_>>();
    steps[axis] = 1;
    boxes(source, &extents, &steps)
}

/// What the iterators give, as the naive definitions give it.
fn seen<R: Dimension>(view: View<'_, i32, R>) -> Part {
    (view.shape().to_vec(), view.to_vec())
}

fn extents_of<R: Dimension>(extents: &[usize]) -> R::Shape {
    R::shape(extents).expect("as many extents as axes")
}

/// Every iterator over parts of a view, and what its parts are.
fn read<R: Dimension>(
    report: &mut Report,
    name: &str,
    view: View<'_, i32, R>,
    source: &Naive<i32>,
) {
    let ndim = source.shape.len();
    let mut row = |what: String, problem: &dyn Fn() -> Option<String>| {
        report.row(format_args!("{what} of {name}"), problem_of(problem));
    };
    let whole = (source.shape.clone(), source.data.clone());
    let one = vec![(vec![1], source.data.clone())];
    let first = if ndim == 0 { vec![whole.clone()] } else { along(source, 0) };
    row("outer_iter".into(), &|| at_both_ends(|| view.outer_iter().map(seen), &first));
    let rows = if ndim == 0 { one.clone() } else { lanes(source, ndim - 1) };
    row("rows".into(), &|| at_both_ends(|| view.rows().map(seen), &rows));
    let columns = if ndim == 0 { one } else { lanes(source, 0) };
    row("columns".into(), &|| at_both_ends(|| view.columns().map(seen), &columns));
    for axis in 0..ndim {
        let want = along(source, axis);
        row(format!("axis_iter({axis})"), &|| {
            at_both_ends(|| view.axis_iter(axis).expect("an axis").map(seen), &want)
        });
        let want = lanes(source, axis);
        row(format!("lanes({axis})"), &|| {
            at_both_ends(|| view.lanes(Axis(axis)).expect("an axis").map(seen), &want)
        });
        for size in [1, 2, 3, 100] {
            let want = chunks(source, axis, size);
            let iter = || view.axis_chunks(axis, size).expect("a size").map(seen);
            row(format!("axis_chunks({axis}, {size})"), &|| at_both_ends(iter, &want));
            let want = slabs(source, axis, size);
            let iter = || view.axis_windows(axis, size).expect("a size").map(seen);
            row(format!("axis_windows({axis}, {size})"), &|| at_both_ends(iter, &want));
            row(format!("sliding_window_view({axis}, {size})"), &|| {
                let sliding = view.sliding_window_view(axis, size);
                let is_error = size > source.shape[axis] || ndim == MAX_NDIM;
                let Ok(sliding) = sliding else {
                    return (!is_error).then(|| format!("{sliding:?}"));
                };
                // The window goes where the axis was.
                let mut order: Vec<usize> = (0..ndim - 1).collect();
                order.insert(axis, ndim - 1);
                let got: Vec<_> = (0..sliding.shape()[axis])
                    .map(|number| {
                        let one = sliding.as_dyn().index_axis(axis, number).expect("a window");
                        seen(one.permuted_axes(&order[..]).expect("a permutation"))
                    })
                    .collect();
                (is_error || got != want).then(|| format!("{got:?}"))
            });
        }
    }
    for (extents, steps) in [
        (vec![1; ndim], vec![1; ndim]),
        (vec![2; ndim], vec![1; ndim]),
        (vec![2; ndim], vec![3; ndim]),
    ] {
        let (shape, stride) = (extents_of::<R>(&extents), extents_of::<R>(&steps));
        let want = boxes(source, &extents, &extents);
        let iter = || view.exact_chunks(shape).expect("extents").map(seen);
        row(format!("exact_chunks({extents:?})"), &|| at_both_ends(iter, &want));
        let want = boxes(source, &extents, &vec![1; ndim]);
        let iter = || view.windows(shape).expect("extents").map(seen);
        row(format!("windows({extents:?})"), &|| at_both_ends(iter, &want));
        let want = boxes(source, &extents, &steps);
        let iter = || view.windows_with_stride(shape, stride).expect("extents").map(seen);
        row(format!("windows_with_stride({extents:?}, {steps:?})"), &|| at_both_ends(iter, &want));
    }
    let ends = (source.data.first().copied(), source.data.last().copied());
    row("ends".into(), &|| {
        ((view.first().copied(), view.last().copied()) != ends).then(|| "differ".to_owned())
    });
    let squeezed: Vec<usize> = source.shape.iter().copied().filter(|extent| *extent != 1).collect();
    row("squeeze".into(), &|| {
        (seen(view.squeeze()) != (squeezed.clone(), source.data.clone()))
            .then(|| format!("{:?}", view.squeeze()))
    });
    for axis in 0..ndim {
        for mid in 0..=source.shape[axis] {
            let (mut low, mut high) = (source.shape.clone(), source.shape.clone());
            (low[axis], high[axis]) = (mid, source.shape[axis] - mid);
            let mut start = vec![0; ndim];
            let low = part(source, &start, &low);
            start[axis] = mid;
            let want = (low, part(source, &start, &high));
            let got = view.split_at(axis, mid).map(|(low, high)| (seen(low), seen(high)));
            row(format!("split_at({axis}, {mid})"), &|| {
                (got.as_ref() != Ok(&want)).then(|| format!("{got:?}"))
            });
        }
    }
}

macro_rules! in_rank {
    ($ndim:expr, $view:expr, |$typed:ident| $body:expr; $($n:literal)*) => {
        match $ndim {
            $($n => {
                let $typed = $view.as_rank::<Rank<$n>>().expect("the rank is right");
                $body
            })*
            _ => unreachable!("no such rank"),
        }
    };
}

#[test]
fn parts_on_all_layouts() {
    let mut report = Report::new("parts");
    for shape in shapes().into_iter().filter(|shape| shape.len() <= 4) {
        let source = Naive::numbered(&shape, |number| number as i32);
        for recipe in Recipe::all(shape.len()) {
            let held = Held::new(&source, &recipe);
            let (name, view) = (held.to_string(), held.view());
            read(&mut report, &name, view.as_rank::<Dyn>().expect("any rank"), &source);
            let name = format!("{name}, rank in the type");
            in_rank!(shape.len(), view, |view| read(&mut report, &name, view, &source); 0 1 2 3 4);
        }
    }
    report.finish(5000);
}

/// Windows may repeat what repeats.
#[test]
fn parts_of_what_repeats() {
    let mut report = Report::new("parts of what repeats");
    for shape in [vec![3], vec![2, 3], vec![2, 3, 2]] {
        for recipe in Recipe::all_readable(shape.len()) {
            let held = Held::new(&Naive::numbered(&shape, |number| number as i32), &recipe);
            read(&mut report, &held.to_string(), held.view(), &held.naive());
        }
    }
    report.finish(1000);
}

/// Adds a number of its own to each part, all of which are held at once.
fn mark<'a, R: Dimension>(parts: impl Iterator<Item = ViewMut<'a, i32, R>>) {
    let all: Vec<_> = parts.collect();
    for (number, mut part) in all.into_iter().enumerate() {
        part.iter_mut().for_each(|x| *x += 1000 * (number as i32 + 1));
    }
}

/// What the elements become if the parts are marked; what is in no part stays.
fn marked(source: &Naive<i32>, parts: &[Part]) -> Naive<i32> {
    source.map(|x| {
        let of = parts.iter().position(|(_, data)| data.contains(&x));
        of.map_or(x, |number| x + 1000 * (number as i32 + 1))
    })
}

#[test]
fn parts_for_writing_on_all_layouts() {
    let mut report = Report::new("parts for writing");
    for shape in shapes().into_iter().filter(|shape| (1..=4).contains(&shape.len())) {
        let source = Naive::numbered(&shape, |number| number as i32);
        let ndim = shape.len();
        for recipe in Recipe::all(ndim) {
            type Change<'f> = &'f dyn Fn(ViewMutD<'_, i32>);
            let mut row = |what: &str, want: &[Part], change: Change<'_>| {
                let mut held = Held::new(&source, &recipe);
                let before = held.buffer.clone();
                let problem = problem_of(|| {
                    change(held.view_mut());
                    held.problem(&marked(&source, want), &before, |a, b| a == b)
                });
                report.row(format_args!("{what} of {held}"), problem);
            };
            row("outer_iter_mut", &along(&source, 0), &|mut view| mark(view.outer_iter_mut()));
            row("rows_mut", &lanes(&source, ndim - 1), &|mut view| mark(view.rows_mut()));
            row("columns_mut", &lanes(&source, 0), &|mut view| mark(view.columns_mut()));
            row("columns_mut, reversed", &lanes(&source, 0), &|mut view| {
                let mut parts: Vec<_> = view.columns_mut().rev().collect();
                parts.reverse();
                mark(parts.into_iter());
            });
            for axis in 0..ndim {
                row("axis_iter_mut", &along(&source, axis), &|mut view| {
                    mark(view.axis_iter_mut(axis).expect("an axis"))
                });
                row("lanes_mut", &lanes(&source, axis), &|mut view| {
                    mark(view.lanes_mut(axis).expect("an axis"))
                });
                for size in [1, 2, 100] {
                    row("axis_chunks_mut", &chunks(&source, axis, size), &|mut view| {
                        mark(view.axis_chunks_mut(axis, size).expect("a size"));
                    });
                }
            }
            for size in 1..=2 {
                let extents = vec![size; ndim];
                row("exact_chunks_mut", &boxes(&source, &extents, &extents), &|mut view| {
                    mark(view.exact_chunks_mut(&extents[..]).expect("extents"));
                });
            }
        }
    }
    report.finish(1500);
}

#[test]
fn several_slices_for_writing() {
    let mut report = Report::new("multi_slice_mut");
    let elems = |parts: &[(isize, Option<isize>, isize)]| -> Vec<SliceElem> {
        parts.iter().map(|&(start, end, step)| SliceElem::Range { start, end, step }).collect()
    };
    // All pairs of ranges of ten indices with small steps: they overlap if they have an index in
    // common.
    let mut ranges = Vec::new();
    for (start, end) in [(0, 10), (0, 5), (5, 10), (3, 9), (4, 4), (9, 10), (1, 10)] {
        ranges.extend([1, 2, 3, 4, 7, -1, -2, -3, -6].map(|step| (start, Some(end), step)));
    }
    let source = Array1::from_iter(0..10);
    for &a in &ranges {
        for &b in &ranges {
            let (a, b) = (elems(&[a]), elems(&[b]));
            let chosen = |elems: &[SliceElem]| {
                source.as_dyn().slice(Slices::from_slice(elems)).expect("a slice").to_vec()
            };
            let (first, second) = (chosen(&a), chosen(&b));
            let disjoint = first.iter().all(|x| !second.contains(x));
            let mut copy = source.clone().into_dyn();
            let got = copy.multi_slice_mut((Slices::from_slice(&a), Slices::from_slice(&b)));
            let problem = match got {
                Ok((mut x, mut y)) => {
                    let same = disjoint && x.to_vec() == first && y.to_vec() == second;
                    x.iter_mut().chain(y.iter_mut()).for_each(|x| *x = -1);
                    (!same).then(|| "gives other elements".to_owned())
                }
                Err(err) => disjoint.then(|| err.to_string()),
            };
            report.row(format_args!("{a:?} and {b:?}"), problem);
            let mut copy = source.clone().into_dyn();
            let got = copy.multi_slice_mut([&a, &b].map(|list| Slices::from_slice(list)));
            let problem = match got {
                Ok([x, y]) => {
                    let same = disjoint && x.to_vec() == first && y.to_vec() == second;
                    (!same).then(|| "gives other elements".to_owned())
                }
                Err(err) => disjoint.then(|| err.to_string()),
            };
            report.row(format_args!("an array of {a:?} and {b:?}"), problem);
        }
    }
    report.finish(7900);
    // Indices count from either end, and each is compared with those that count from the other.
    let mut report = Report::new("multi_slice_mut of indices");
    for rows in 1..=4_isize {
        for (a, b) in (-rows..rows).flat_map(|a| (-rows..rows).map(move |b| (a, b))) {
            let same = a.rem_euclid(rows) == b.rem_euclid(rows);
            let mut x = Array2::<u8>::zeros([rows as usize, 2]);
            let got = [
                (x.multi_slice_mut((s![a, ..], s![b, ..])).is_ok(), !same),
                (x.multi_slice_mut((s![NewAxis, a, -1], s![b, NewAxis, 1])).is_ok(), !same),
                (x.multi_slice_mut((s![a, 0], s![b, 1])).is_ok(), true),
                (x.multi_slice_mut((s![a, ..], s![.., -1])).is_ok(), false),
            ];
            let problem = got.iter().any(|(got, want)| got != want).then(|| format!("{got:?}"));
            report.row(format_args!("{a} and {b} of {rows}"), problem);
        }
    }
    report.finish(120);

    let mut a = Array2::from_fn([4, 5], |[i, j]| 10 * i + j);
    let parts = a.multi_slice_mut((s![0, ..], s![1.., ..2], s![1..;2, 2..], s![2, NewAxis, 2..]));
    let (mut row, corner, mut spread, line) = parts.expect("they have nothing in common");
    assert_eq!(
        (row.shape(), corner.shape(), spread.shape(), line.shape()),
        (&[5][..], &[3, 2][..], &[2, 3][..], &[1, 3][..])
    );
    row.fill(0);
    spread.iter_mut().zip(&corner).for_each(|(x, y)| *x = *y);
    assert_eq!(
        a,
        array![[0, 0, 0, 0, 0], [10, 11, 10, 11, 20], [20, 21, 22, 23, 24], [30, 31, 21, 30, 31]]
    );
    let err = a.multi_slice_mut((s![.., 0], s![0..2, 1..], s![1, ..])).unwrap_err();
    assert_eq!(err.kind(), &LayoutErrorKind::Overlap { first: 0, second: 2, shape: [4, 5].into() });
    assert!(a.multi_slice_mut((s![9, ..], s![0, ..])).is_err());
    let mut view = a.view_mut();
    assert!(view.multi_slice_mut((s![0..0, ..], s![.., ..])).is_ok());
}

/// Halves of what is left, at every place and beyond the end.
#[test]
fn parts_are_shared_out() {
    let mut report = Report::new("halves of parts");
    let mut a = Array3::from_fn([3, 4, 2], |[i, j, k]| (100 * i + 10 * j + k) as i32);
    let lists = |first: &mut dyn Iterator<Item = Part>, rest: &mut dyn Iterator<Item = Part>| {
        (first.collect::<Vec<_>>(), rest.collect::<Vec<_>>())
    };
    for taken in 0..3 {
        for count in (0..15).chain([usize::MAX]) {
            let mut lanes = a.lanes(1).expect("an axis");
            let all: Vec<Part> = lanes.by_ref().take(taken).map(seen).collect();
            let left: Vec<Part> = lanes.clone().map(seen).collect();
            let (first, rest) = lanes.split_at(count);
            let want =
                (left[..count.min(left.len())].to_vec(), left[count.min(left.len())..].to_vec());
            let got = lists(&mut first.map(seen), &mut rest.map(seen));
            report.equal(format_args!("{count} of lanes after {}", all.len()), got, want.clone());
            let mut lanes = a.lanes_mut(1).expect("an axis");
            lanes.by_ref().take(taken).for_each(drop);
            let (first, rest) = lanes.split_at(count);
            let seen = |view: ViewMut1<'_, i32>| seen(view.view());
            let got = lists(&mut first.map(seen), &mut rest.map(seen));
            report.equal(format_args!("{count} of mutable lanes after {taken}"), got, want);
        }
    }
    report.finish(90);
}

#[test]
fn refusals_name_what_was_asked() {
    let a = Array2::<u8>::zeros([4, 5]);
    let kind = |err: zerostride::LayoutError| err.into_kind();
    let axis = LayoutErrorKind::AxisOutOfRange { axis: 2, shape: [4, 5].into() };
    assert_eq!(kind(a.lanes(2).unwrap_err()), axis);
    assert_eq!(kind(a.axis_chunks(Axis(2), 1).unwrap_err()), axis);
    // Each element counts as often as it is met.
    #[cfg(target_pointer_width = "64")]
    {
        let (many, size) = (274_177 + 67_280_421_310_721 - 1, 67_280_421_310_721);
        let repeated = ViewD::from_strided(&[many][..], &[0], 0, &[1_u8]).expect("one element");
        let error = repeated.sliding_window_view(0, size).unwrap_err();
        assert!(matches!(error.kind(), LayoutErrorKind::SizeOverflow { .. }), "{error}");
    }
    assert_eq!(kind(a.axis_windows(2, 1).unwrap_err()), axis);
    let empty = LayoutErrorKind::EmptyPart { extents: [2, 0].into(), steps: [1, 1].into() };
    assert_eq!(kind(a.windows([2, 0]).unwrap_err()), empty);
    let empty = LayoutErrorKind::EmptyPart { extents: [2, 2].into(), steps: [0, 1].into() };
    assert_eq!(kind(a.windows_with_stride([2, 2], [0, 1]).unwrap_err()), empty);
    assert_eq!(
        kind(a.axis_chunks(0, 0).unwrap_err()),
        LayoutErrorKind::EmptyPart { extents: [0].into(), steps: [0].into() }
    );
    let rank = LayoutErrorKind::RankMismatch { expected: 2, found: 1 };
    assert_eq!(kind(a.as_dyn().windows(&[2][..]).unwrap_err()), rank);
    assert_eq!(a.windows([5, 1]).expect("none").len(), 0);
    assert_eq!(a.windows([usize::MAX, usize::MAX]).expect("none").len(), 0);
}

#[test]
fn single_rows_columns_and_elements() {
    let mut a = array![[1, 2, 3], [4, 5, 6]];
    assert_eq!((a.row(1).to_vec(), a.column(2).to_vec()), (vec![4, 5, 6], vec![3, 6]));
    assert_eq!((a.t().row(1).to_vec(), a.t().column(1).to_vec()), (vec![2, 5], vec![4, 5, 6]));
    a.row_mut(0).fill(0);
    a.column_mut(1)[1] = 9;
    a.swap([0, 0], [1, 2]);
    *a.first_mut().expect("it has elements") += 1;
    *a.last_mut().expect("it has elements") += 2;
    assert_eq!(a, array![[7, 0, 0], [4, 9, 2]]);
    assert_eq!((a.nrows(), a.ncols(), a.is_square(), a.len_of(Axis(1))), (2, 3, false, 3));
    for refused in [
        problem_of(|| {
            let _ = array![[1]].row(1);
            None
        }),
        problem_of(|| {
            let _ = array![[1]].column(7);
            None
        }),
    ] {
        assert!(refused.is_some_and(|text| text.contains("out of range for axis")));
    }
    let refused = problem_of(|| {
        array![1, 2].swap([0], [2]);
        None
    });
    assert_eq!(refused.as_deref(), Some("panics: index [2] is out of range for shape [2]"));
}

#[test]
fn an_index_that_is_out_of_range_is_named() {
    let a = Array2::from_fn([2, 3], |[i, j]| 10 * i + j);
    let (mut own, mut shared) = (a.clone(), a.clone().into_shared());
    let dynamic = a.clone().into_dyn();
    let mut cases = vec![
        problem_of(|| Some(a[[2, 0]].to_string())),
        problem_of(|| Some(a.view()[(2, 0)].to_string())),
        problem_of(|| Some(dynamic[&[2, 0][..]].to_string())),
        problem_of(|| Some(shared[[2, 0]].to_string())),
    ];
    cases.push(problem_of(|| {
        own[[2, 0]] = 1;
        None
    }));
    cases.push(problem_of(|| {
        own.view_mut()[[2, 0]] = 1;
        None
    }));
    cases.push(problem_of(|| {
        shared[[2, 0]] = 1;
        None
    }));
    let expected = match cfg!(debug_assertions) {
        true => "panics: index [2, 0] is out of range for shape [2, 3]",
        false => "panics: an index is out of range for shape [2, 3]; a debug build says which",
    };
    assert_eq!(cases, vec![Some(expected.to_owned()); cases.len()]);
    assert_eq!((own, shared.to_owned()), (a.clone(), a), "nothing was written");
}

#[test]
fn owned_arrays_become_their_parts() {
    let a = || Array2::from_fn([3, 4], |[i, j]| 10 * i + j);
    assert_eq!(a().slice_move(s![1.., ..;-2]).unwrap(), array![[13, 11], [23, 21]]);
    assert_eq!(a().slice_move(s![1, ..]).unwrap().into_vec(), [10, 11, 12, 13]);
    assert_eq!(a().index_axis_move(1, 3).unwrap().into_vec(), [3, 13, 23]);
    assert_eq!(a().insert_axis_move(Axis(1)).unwrap().shape(), [3, 1, 4]);
    assert_eq!(a().insert_axis_move(1).unwrap().remove_axis_move(1).unwrap(), a());
    assert!(a().remove_axis_move(0).is_err() && a().index_axis_move(0, 3).is_err());
    assert_eq!(a().into_shape(12).unwrap().into_vec(), a().into_vec());
    assert_eq!(a().reversed_axes().into_shape([2, 6]).unwrap(), a().t().to_shape([2, 6]).unwrap());
    assert_eq!(
        a().slice_move(s![.., 1..3]).unwrap().into_shape(6).unwrap(),
        array![1, 2, 11, 12, 21, 22]
    );
    assert_eq!(
        a().into_shape(5).unwrap_err().kind(),
        &LayoutErrorKind::ReshapeLength {
            from: [3, 4].into(),
            from_len: 12,
            to: [5].into(),
            to_len: 5
        }
    );
    // What an array gives up is not seen again, and what it keeps can be written.
    let mut part = a().slice_move(s![..;2, 1..]).unwrap();
    part += 100;
    assert_eq!(part, array![[101, 102, 103], [121, 122, 123]]);
    assert_eq!(part.clone().into_vec(), part.to_vec());
    let mut whole = a();
    whole.view_mut().slice_move(s![0, ..]).unwrap().fill(7);
    whole.view_mut().insert_axis_move(0).unwrap().index_axis_move(1, 1).unwrap().fill(8);
    whole
        .view_mut()
        .slice_move(s![2.., ..])
        .unwrap()
        .into_shape([2, 2])
        .unwrap()
        .row_mut(1)
        .fill(9);
    assert_eq!(whole, array![[7, 7, 7, 7], [8, 8, 8, 8], [20, 21, 9, 9]]);
    assert!(whole.t_mut().into_shape(12).is_err());
}

#[test]
fn column_major_shapes() {
    let mut report = Report::new("column-major");
    for shape in shapes() {
        let value = |index: &[usize]| index.iter().fold(1_i32, |sum, &i| 10 * sum + i as i32);
        let (rows, columns) = (
            ArrayD::from_fn(shape.clone(), |index| value(&index)),
            ArrayD::from_fn(shape.clone().f(), |index| value(&index)),
        );
        report.equal(format_args!("from_fn {shape:?}"), rows.to_vec(), columns.to_vec());
        report.holds(format_args!("layout of {shape:?}"), columns.layout().is_f_contiguous());
        let data = columns.as_slice_memory_order().expect("without gaps").to_vec();
        report.equal(
            format_args!("vec {shape:?}"),
            ArrayD::from_shape_vec(shape.clone().f(), data.clone()),
            Ok(rows.clone()),
        );
        let view = ViewD::from_slice(shape.clone().f(), &data).map(|view| view.to_owned());
        report.equal(format_args!("view {shape:?}"), view, Ok(rows));
        let full = ArrayD::full(shape.clone().f(), 7);
        report.holds(
            format_args!("full {shape:?}"),
            full.iter().all(|x| *x == 7) && full.layout().is_f_contiguous(),
        );
    }
    let typed = Array2::from_fn([2, 3].f(), |[i, j]| 10 * i + j);
    report.equal(
        "typed",
        (typed.strides(), typed.to_vec()),
        (&[1, 2][..], vec![0, 1, 2, 10, 11, 12]),
    );
    report.equal("zeros", Array2::<f32>::zeros((2, 3).f()).strides().to_vec(), vec![1, 2]);
    report.finish(60);
}

#[test]
fn what_is_made_of_other_things() {
    let matrix = array![[1, 2], [3, 4], [5, 6]];
    assert_eq!(Array1::from(&[1, 2][..]), array![1, 2]);
    assert_eq!(Array1::from(vec![1, 2].into_boxed_slice()), array![1, 2]);
    assert_eq!(Array2::from(vec![[1, 2], [3, 4], [5, 6]]), matrix);
    assert_eq!(Array3::from(vec![[[1, 2]], [[3, 4]]]), array![[[1, 2]], [[3, 4]]]);
    assert_eq!(Array2::<i32>::from(Vec::<[i32; 3]>::new()).shape(), [0, 3]);
    assert_eq!(Array2::try_from(vec![vec![1, 2], vec![3, 4], vec![5, 6]]), Ok(matrix.clone()));
    assert_eq!(Array2::try_from(&[vec![1, 2], vec![3, 4], vec![5, 6]][..]), Ok(matrix.clone()));
    assert_eq!(Array2::try_from(&[&[1, 2][..], &[3, 4], &[5, 6]][..]), Ok(matrix.clone()));
    assert_eq!(Array2::<i32>::try_from(Vec::<Vec<i32>>::new()).expect("no rows").shape(), [0, 0]);
    let ragged = Array2::try_from(vec![vec![1, 2], vec![3, 4], vec![5]]).unwrap_err();
    assert_eq!(ragged.kind(), &LayoutErrorKind::Ragged { row: 2, expected: 2, found: 1 });
    assert_eq!(Array3::try_from(vec![vec![vec![1], vec![2]]]), Ok(array![[[1], [2]]]));
    assert!(Array3::try_from(vec![vec![vec![1], vec![2]], vec![vec![3]]]).is_err());
    assert!(Array3::try_from(vec![vec![vec![1]], vec![vec![2, 3]]]).is_err());

    let mut nested = [[1, 2], [3, 4], [5, 6]];
    assert_eq!(View2::from(&nested), matrix);
    assert_eq!(View2::from(&nested[1..]), array![[3, 4], [5, 6]]);
    assert_eq!(View1::from(&nested[0]).sum_wrapping(), Ok(3));
    ViewMut2::from(&mut nested).row_mut(0).fill(0);
    assert_eq!(nested[0], [0, 0]);
    let mut vec = vec![1, 2, 3];
    ViewMut1::from(&mut vec)[0] = 9;
    assert_eq!(View1::from(&vec), array![9, 2, 3]);
    assert_eq!(View1::from(&vec[1..]), array![2, 3]);
    assert_eq!(View3::from(&[[[1], [2]]][..]), array![[[1], [2]]]);

    let dynamic = ArrayD::from(matrix.clone());
    assert_eq!(Array2::try_from(dynamic.clone()), Ok(matrix.clone()));
    let wrong = Array3::try_from(dynamic.clone()).unwrap_err();
    assert_eq!(wrong.kind(), &LayoutErrorKind::RankMismatch { expected: 3, found: 2 });
    assert_eq!(View2::try_from(ViewD::from(matrix.view())), Ok(matrix.view()));
    assert_eq!(View2::from(&matrix), matrix);
    assert!(View1::try_from(dynamic.view()).is_err());
}

#[test]
fn iteration_by_reference_and_by_value() {
    let mut a = array![[1, 2], [3, 4]];
    for x in &mut a {
        *x *= 10;
    }
    assert_eq!((&a).into_iter().sum::<i32>(), 100);
    for (x, y) in a.t_mut().into_iter().zip([1, 2, 3, 4]) {
        *x += y;
    }
    for x in &mut a.view_mut() {
        *x -= 1;
    }
    assert_eq!(a.t().into_iter().copied().collect::<Vec<_>>(), [10, 31, 22, 43]);
    assert_eq!((&a.t()).into_iter().len(), 4);
    let mut view = a.view_mut();
    assert_eq!((&view).into_iter().max(), Some(&43));
    assert_eq!((&mut view).into_iter().next_back(), Some(&mut 43));
    assert_eq!(a.clone().into_iter().collect::<Vec<_>>(), [10, 22, 31, 43]);
    assert_eq!(a.reversed_axes().into_iter().rev().collect::<Vec<_>>(), [43, 22, 31, 10]);
}

#[test]
fn equal_arrays_have_equal_hashes() {
    let hash = |value: &dyn Fn(&mut DefaultHasher)| {
        let mut state = DefaultHasher::new();
        value(&mut state);
        state.finish()
    };
    let a = array![[1, 2, 3], [4, 5, 6]];
    let f = Array2::from_fn([2, 3].f(), |[i, j]| (3 * i + j + 1) as i32);
    let of_a = hash(&|state| a.hash(state));
    assert_eq!(of_a, hash(&|state| f.hash(state)));
    assert_eq!(of_a, hash(&|state| a.view().hash(state)));
    assert_eq!(of_a, hash(&|state| a.as_dyn().hash(state)));
    assert_eq!(of_a, hash(&|state| a.clone().view_mut().hash(state)));
    assert_ne!(of_a, hash(&|state| a.t().hash(state)));
    assert_ne!(of_a, hash(&|state| a.to_shape([3, 2]).expect("as many").hash(state)));
    let all: HashSet<Array1<u8>> = [array![1, 2], array![2, 1], array![1, 2]].into_iter().collect();
    assert_eq!(all.len(), 2);
}

#[test]
fn defaults_have_no_elements_but_rank_0_and_a_shape_have_them() {
    assert_eq!(<Array1<f32> as Default>::default().shape(), [0]);
    assert_eq!(<Array3<f32> as Default>::default().shape(), [0, 0, 0]);
    assert_eq!(<ArrayD<f32> as Default>::default().shape(), [0]);
    assert_eq!(<Array0<u8> as Default>::default().into_scalar(), 0);
    let taken = std::mem::take(&mut array![1, 2]);
    assert_eq!(taken, array![1, 2]);
    let of_a_shape = Array2::<i32>::default((2, 3).f());
    assert_eq!((of_a_shape.shape(), of_a_shape.strides()), (&[2, 3][..], &[1, 2][..]));
    assert!(of_a_shape.iter().all(|&x| x == 0));
}

/// Closures over lines with gaps, few elements and more: each is called once for each element.
#[test]
fn closures_over_lines_of_every_length() {
    let mut report = Report::new("closures over lines");
    for len in [0, 1, 3, 8, 30, 511, 512, 513, 3000] {
        let a = Array2::<f64>::from_fn([len, 3], |[i, j]| (i * 7 + j) as f64 + 0.5);
        let (x, y) = (a.column(1), a.column(2).flip(0).expect("an axis"));
        let calls = AtomicUsize::new(0);
        let f = |(x, y): (f64, f64)| {
            calls.fetch_add(1, Ordering::Relaxed);
            if x > y { x - y } else { 0.25 * x * y }
        };
        let at = |i: usize| ((i * 7 + 1) as f64 + 0.5, ((len - 1 - i) * 7 + 2) as f64 + 0.5);
        let want: Vec<f64> =
            (0..len).map(at).map(|(x, y)| if x > y { x - y } else { 0.25 * x * y }).collect();
        let name = |what: &str| format!("{len}: {what}");
        let called = || calls.swap(0, Ordering::Relaxed);
        let new = zip((x, y)).map(f).eval().expect("they fit");
        report.equal(name("new"), (new.to_vec(), called()), (want.clone(), len));
        let mut out = Array2::<f64>::zeros([len, 2]);
        out.column_mut(1).assign(zip((x, y)).map(f)).expect("they fit");
        report.equal(name("assigned"), (out.column(1).to_vec(), called()), (want.clone(), len));
        let each = |out: &mut f64, xy: (f64, f64)| *out += f(xy);
        out.column_mut(0).update_each(zip((x, y)), each).expect("they fit");
        report.equal(name("updated"), (out.column(0).to_vec(), called()), (want.clone(), len));
        let largest = zip((x, y)).map(f).max().ok();
        let wanted = want.iter().copied().reduce(f64::max);
        report.equal(name("the largest"), (largest, called()), (wanted, len));
    }
    report.finish(36);
}
