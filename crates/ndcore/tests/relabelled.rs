//! What changes an array's axes in place, beside what each index then is by its definition: of all
//! kinds of arrays and views, of awkward layouts.

use ndcore::{ArrayD, Axis, CowArray, LayoutErrorKind, SliceElem, Slices};

/// A shape, strides, an offset and the length of the memory.
type Case = (&'static [usize], &'static [isize], usize, usize);

const CASES: [Case; 12] = [
    (&[], &[], 3, 5),
    (&[5], &[1], 0, 5),
    (&[4], &[-2], 7, 9),
    (&[3, 4], &[4, 1], 0, 12),
    (&[3, 4], &[1, 3], 2, 14),
    (&[2, 3], &[-8, 2], 9, 16),
    (&[0, 3], &[3, 1], 0, 0),
    (&[1, 1], &[9, 7], 1, 2),
    (&[2, 3, 4], &[12, 4, 1], 0, 24),
    (&[3, 5, 6], &[-1, 3, 15], 2, 90),
    (&[2, 1, 2, 1, 2, 1, 2, 1], &[1, 7, 2, 7, 4, 7, -8, 7], 8, 16),
    (&[1, 2, 1, 2, 1, 2, 1, 2, 3], &[1, 3, 1, 6, 1, 12, 1, 24, 1], 0, 48),
];

/// Of each index, from the first axis on, which index of the original it is.
type Source = Box<dyn Fn(&[usize]) -> Vec<usize>>;

/// What is done, by name; the shape it leads to, and where its elements come from.
struct Change {
    name: String,
    how: How,
    shape: Vec<usize>,
    source: Source,
}

enum How {
    Invert(usize),
    Permute(Vec<usize>),
    Reverse,
    Collapse(usize, usize),
    SliceAxis(usize, isize, Option<isize>, isize),
    SliceCollapse(Vec<SliceElem>),
    IndexAxis(usize, usize),
    InsertAxis(usize),
}

fn with(list: &[usize], at: usize, value: usize) -> Vec<usize> {
    let mut list = list.to_vec();
    list[at] = value;
    list
}

/// The places of `start..end` with a step, by definition: one after the other, or from the last one
/// backwards.
fn places(extent: usize, start: isize, end: Option<isize>, step: isize) -> Vec<usize> {
    let of = |bound: isize| if bound < 0 { bound + extent as isize } else { bound } as usize;
    let range = of(start)..end.map_or(extent, of);
    match step > 0 {
        true => range.step_by(step as usize).collect(),
        false => range.rev().step_by(-step as usize).collect(),
    }
}

fn changes(shape: &[usize]) -> Vec<Change> {
    let ndim = shape.len();
    let mut all = Vec::new();
    let mut add = |name: String, how, shape, source| {
        all.push(Change { name, how, shape, source });
    };
    let rotated: Vec<usize> = (0..ndim).map(|axis| (axis + 1) % ndim.max(1)).collect();
    let turned = rotated.clone();
    add(
        "permute_axes".into(),
        How::Permute(rotated.clone()),
        rotated.iter().map(|&axis| shape[axis]).collect(),
        Box::new(move |index| {
            let mut source = vec![0; index.len()];
            turned.iter().zip(index).for_each(|(&axis, &i)| source[axis] = i);
            source
        }),
    );
    add(
        "reverse_axes".into(),
        How::Reverse,
        shape.iter().rev().copied().collect(),
        Box::new(|index| index.iter().rev().copied().collect()),
    );
    for (axis, &extent) in shape.iter().enumerate() {
        let own = shape.to_vec();
        add(
            format!("invert_axis({axis})"),
            How::Invert(axis),
            own.clone(),
            Box::new(move |index| with(index, axis, extent - 1 - index[axis])),
        );
        for at in [0, extent / 2, extent.saturating_sub(1)] {
            if at >= extent {
                continue;
            }
            add(
                format!("collapse_axis({axis}, {at})"),
                How::Collapse(axis, at),
                with(&own, axis, 1),
                Box::new(move |index| with(index, axis, at)),
            );
            let mut less = own.clone();
            less.remove(axis);
            add(
                format!("index_axis_inplace({axis}, {at})"),
                How::IndexAxis(axis, at),
                less,
                Box::new(move |index| {
                    let mut index = index.to_vec();
                    index.insert(axis, at);
                    index
                }),
            );
            let mut elems = vec![SliceElem::Range { start: 0, end: None, step: -1 }; ndim];
            elems[axis] = SliceElem::Index(at as isize - extent as isize);
            let all = own.clone();
            add(
                format!("slice_collapse({axis}, {at})"),
                How::SliceCollapse(elems),
                with(&own, axis, 1),
                Box::new(move |index| {
                    let back = index.iter().zip(&all).map(|(i, extent)| extent - 1 - i);
                    with(&back.collect::<Vec<_>>(), axis, at)
                }),
            );
        }
        for (start, end, step) in [(0, None, 1), (0, None, 2), (0, None, -2), (0, Some(-1), -1)] {
            if extent == 0 && end.is_some() {
                continue;
            }
            let places = places(extent, start, end, step);
            add(
                format!("slice_axis_inplace({axis}, {start}..{end:?}, {step})"),
                How::SliceAxis(axis, start, end, step),
                with(&own, axis, places.len()),
                Box::new(move |index| with(index, axis, places[index[axis]])),
            );
        }
    }
    for axis in 0..=ndim {
        let mut more = shape.to_vec();
        more.insert(axis, 1);
        add(
            format!("insert_axis_inplace({axis})"),
            How::InsertAxis(axis),
            more,
            Box::new(move |index| {
                let mut index = index.to_vec();
                index.remove(axis);
                index
            }),
        );
    }
    all
}

/// Does it to an array or a view of any kind.
macro_rules! change {
    ($kind:expr, $how:expr) => {
        match $how {
            How::Invert(axis) => $kind.invert_axis(Axis(*axis)),
            How::Permute(axes) => $kind.permute_axes(&axes[..]),
            How::Reverse => {
                $kind.reverse_axes();
                Ok(())
            }
            How::Collapse(axis, at) => $kind.collapse_axis(Axis(*axis), *at),
            How::SliceAxis(axis, start, None, step) => {
                $kind.slice_axis_inplace(Axis(*axis), *start.., *step)
            }
            How::SliceAxis(axis, start, Some(end), step) => {
                $kind.slice_axis_inplace(Axis(*axis), *start..*end, *step)
            }
            How::SliceCollapse(elems) => $kind.slice_collapse(Slices::from_slice(elems)),
            How::IndexAxis(axis, at) => $kind.index_axis_inplace(Axis(*axis), *at),
            How::InsertAxis(axis) => $kind.insert_axis_inplace(Axis(*axis)),
        }
    };
}

#[test]
fn what_changes_the_axes_in_place_is_as_defined() {
    let mut failures = Vec::new();
    for (shape, strides, offset, len) in CASES {
        let data: Vec<usize> = (0..len).collect();
        let original = ArrayD::from_strided_vec(shape, strides, offset, data).unwrap();
        for Change { name, how, shape: expected, source } in &changes(shape) {
            macro_rules! check {
                ($kind:literal, $of:expr) => {{
                    let mut changed = $of;
                    change!(changed, how).unwrap();
                    let same = changed.shape() == &expected[..]
                        && changed
                            .indexed_iter()
                            .all(|(index, x)| original.get(&source(&index)[..]) == Some(x));
                    let count = expected.iter().product::<usize>();
                    if !same || changed.iter().count() != count {
                        failures.push(format!("{} {name} of {shape:?} {strides:?}", $kind));
                    }
                }};
            }
            check!("array", original.clone());
            check!("shared array", original.clone().into_shared());
            check!("borrowed array", CowArray::from(original.view()));
            check!("owned array", CowArray::from(original.clone()));
            check!("view", original.view());
            let mut written = original.clone();
            check!("mutable view", written.view_mut());
            // What is written by way of it is in the original, and nothing else is changed.
            let mut view = written.view_mut();
            change!(view, how).unwrap();
            view.iter_mut().for_each(|x| *x += 1000);
            let count = written.iter().filter(|&&x| x >= 1000).count();
            let right = written.iter().zip(&original).all(|(x, y)| x % 1000 == *y);
            if count != expected.iter().product::<usize>() || !right {
                failures.push(format!("writing by {name} of {shape:?} {strides:?}"));
            }
            // It grows as others do.
            let mut grown = original.clone();
            change!(grown, how).unwrap();
            if grown.ndim() > 0 {
                let before = grown.clone();
                grown.append(0, before.view()).unwrap();
                let halves = grown.view().split_at(0, before.shape()[0]).unwrap();
                if halves.0 != before || halves.1 != before {
                    failures.push(format!("growing after {name} of {shape:?} {strides:?}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn what_does_not_fit_changes_nothing() {
    let original =
        ArrayD::from_strided_vec(&[2, 3][..], &[3, 1], 0, (0..6).collect::<Vec<_>>()).unwrap();
    let range = SliceElem::Range { start: 0, end: None, step: 1 };
    let of_rank = |found| LayoutErrorKind::RankMismatch { expected: 2, found };
    let elems = |elems: &[SliceElem]| How::SliceCollapse(elems.to_vec());
    let refused = [
        (How::Invert(2), None),
        (How::Permute(vec![0, 0]), None),
        (How::Permute(vec![0]), None),
        (How::Collapse(2, 0), None),
        (How::Collapse(1, 3), None),
        (How::Collapse(1, usize::MAX), None),
        (How::SliceAxis(2, 0, None, 1), None),
        (How::SliceAxis(1, 0, None, 0), None),
        (How::SliceAxis(1, 2, Some(4), 1), None),
        (How::IndexAxis(0, 2), None),
        (How::InsertAxis(3), None),
        (elems(&[range]), Some(of_rank(1))),
        (elems(&[range, SliceElem::NewAxis]), Some(of_rank(1))),
        (elems(&[range, range, SliceElem::NewAxis]), Some(of_rank(3))),
        (elems(&[range, SliceElem::Index(3)]), None),
        (elems(&[range, SliceElem::Index(-4)]), None),
        (elems(&[range, SliceElem::Range { start: 0, end: Some(4), step: 1 }]), None),
        (elems(&[range, SliceElem::Range { start: 0, end: None, step: 0 }]), None),
    ];
    for (number, (how, kind)) in refused.iter().enumerate() {
        let mut array = original.clone();
        let error = change!(array, how).expect_err(&format!("row {number}"));
        if let Some(kind) = kind {
            assert_eq!(error.kind(), kind, "row {number}");
        }
        assert_eq!(array, original, "row {number}");
        let mut view = original.view();
        change!(view, how).expect_err(&format!("row {number}"));
        assert_eq!(view, original, "row {number}");
    }
}
