//! Arrays made of others, on every layout, against the elements read by the index formula.

use super::iteration::shapes;
use conformance::naive::{Naive, for_each_index};
use conformance::support::report::problem_of;
use conformance::support::{Held, Recipe, Report};
use zerostride::prelude::*;
use zerostride::{
    ArcArray, CowArray, Exec, LayoutErrorKind, MeshIndex, Order, Rearrange, concatenate, kron,
    meshgrid, stack,
};

/// What the library gave, as the naive definitions give it.
fn seen(array: &ArrayD<i32>) -> Naive<i32> {
    Naive { shape: array.shape().to_vec(), data: array.to_vec() }
}

/// The elements at indices along an axis.
fn naive_take(source: &Naive<i32>, axis: usize, indices: &[usize]) -> Naive<i32> {
    let mut shape = source.shape.clone();
    shape[axis] = indices.len();
    Naive::from_fn(&shape, |index| {
        let mut index = index.to_vec();
        index[axis] = indices[index[axis]];
        source.at(&index)
    })
}

fn naive_concatenate(axis: usize, sources: &[&Naive<i32>]) -> Naive<i32> {
    let mut shape = sources[0].shape.clone();
    shape[axis] = sources.iter().map(|source| source.shape[axis]).sum();
    Naive::from_fn(&shape, |index| {
        let mut index = index.to_vec();
        let mut number = 0;
        while index[axis] >= sources[number].shape[axis] {
            index[axis] -= sources[number].shape[axis];
            number += 1;
        }
        sources[number].at(&index)
    })
}

/// What differs, in words.
fn differs(got: Result<ArrayD<i32>, impl std::fmt::Display>, want: &Naive<i32>) -> Option<String> {
    match got {
        Ok(array) if seen(&array) == *want => None,
        Ok(array) => Some(format!("got {:?}, want {want:?}", seen(&array))),
        Err(err) => Some(err.to_string()),
    }
}

#[test]
fn rearranged_on_all_layouts() {
    let mut report = Report::new("rearranged");
    for shape in shapes().into_iter().filter(|shape| shape.len() <= 4) {
        let source = Naive::numbered(&shape, |number| number as i32);
        let ndim = shape.len();
        for recipe in Recipe::all_readable(ndim) {
            let held = Held::new(&source, &recipe);
            let (source, view) = (held.naive(), held.view());
            let mut row =
                |what: &str,
                 want: Naive<i32>,
                 got: &dyn Fn() -> Result<ArrayD<i32>, zerostride::Error>| {
                    report.row(
                        format_args!("{what} of {held}"),
                        problem_of(|| differs(got(), &want)),
                    );
                };
            for (axis, &extent) in shape.iter().enumerate() {
                let lists: &[&[usize]] = if extent == 0 {
                    &[&[]]
                } else {
                    &[&[], &[0], &[extent - 1, 0, 0, extent / 2], &[extent / 2]]
                };
                for list in lists {
                    row(
                        &format!("take({axis}, {list:?})"),
                        naive_take(&source, axis, list),
                        &|| view.take(Axis(axis), *list),
                    );
                }
                for shift in [0, 1, -1, 5, isize::MIN, isize::MAX] {
                    let from = |i: usize| {
                        (i as i128 - shift as i128).rem_euclid((extent as i128).max(1)) as usize
                    };
                    let list: Vec<usize> = (0..extent).map(from).collect();
                    row(
                        &format!("roll({axis}, {shift})"),
                        naive_take(&source, axis, &list),
                        &|| view.roll(axis, shift),
                    );
                }
                for times in [0, 1, 3] {
                    let list: Vec<usize> = (0..extent * times).map(|i| i / times).collect();
                    row(
                        &format!("repeat({axis}, {times})"),
                        naive_take(&source, axis, &list),
                        &|| view.repeat(axis, times),
                    );
                }
                let mask: Vec<bool> = (0..extent).map(|i| i % 3 != 1).collect();
                let list: Vec<usize> = (0..extent).filter(|i| mask[*i]).collect();
                row(&format!("compress_axis({axis})"), naive_take(&source, axis, &list), &|| {
                    view.compress_axis(axis, &mask)
                });
            }
            for times in [vec![1; ndim], vec![2; ndim], (0..ndim).collect::<Vec<_>>()] {
                let extents: Vec<usize> = shape.iter().zip(&times).map(|(n, r)| n * r).collect();
                let want = Naive::from_fn(&extents, |index| {
                    let own: Vec<usize> = index.iter().zip(&shape).map(|(i, n)| i % n).collect();
                    source.at(&own)
                });
                row(&format!("tile({times:?})"), want, &|| view.tile(times.clone()));
            }
            for k in [0, 1, -1, 2, -2, 7, -7, isize::MIN, isize::MAX] {
                for upper in [true, false] {
                    let want = Naive::from_fn(&shape, |index| {
                        let zero = ndim >= 2 && {
                            let (i, j) = (index[ndim - 2] as i128, index[ndim - 1] as i128);
                            if upper { j - i < k as i128 } else { j - i > k as i128 }
                        };
                        if zero { 0 } else { source.at(index) }
                    });
                    row(&format!("tri {upper} {k}"), want, &|| {
                        if upper { view.triu(k) } else { view.tril(k) }
                    });
                }
            }
            let chosen: Vec<i32> = source.data.iter().copied().filter(|x| x % 3 != 0).collect();
            row("compress", Naive { shape: vec![chosen.len()], data: chosen }, &|| {
                view.compress(view.map(|x| x % 3 != 0)).map(Array::into_dyn)
            });
        }
    }
    report.finish(8000);
}

#[test]
fn joined_on_all_layouts() {
    let mut report = Report::new("joined");
    for shape in shapes().into_iter().filter(|shape| shape.len() <= 4) {
        let ndim = shape.len();
        let recipes = Recipe::all_readable(ndim);
        for (number, recipe) in recipes.iter().enumerate() {
            let first = Held::new(&Naive::numbered(&shape, |number| number as i32), recipe);
            for axis in 0..=ndim {
                let mut other = shape.clone();
                if let Some(extent) = other.get_mut(axis) {
                    *extent += 2;
                }
                let second = &recipes[(number + axis + 1) % recipes.len()];
                let second = Held::new(&Naive::numbered(&other, |n| -(n as i32)), second);
                let (a, b) = (first.naive(), second.naive());
                let name = format!("{first} and {second} along {axis}");
                if axis < ndim {
                    let want = naive_concatenate(axis, &[&a, &b, &a]);
                    let views = [first.view(), second.view(), first.view()];
                    report.row(&name, problem_of(|| differs(concatenate(axis, &views), &want)));
                    // An array grows by the same.
                    let want = naive_concatenate(axis, &[&a, &b, &a, &b]);
                    let grown = || {
                        let mut array = views[0].to_owned();
                        array.append(axis, second.view())?;
                        array.append(Axis(axis), first.view())?;
                        array.reserve(axis, 3)?;
                        array.append(axis, second.view())?;
                        Ok::<_, zerostride::Error>(array)
                    };
                    report.row(
                        format_args!("append: {name}"),
                        problem_of(|| differs(grown(), &want)),
                    );
                }
                // One after the other along a new axis.
                let mut inserted = a.clone();
                inserted.shape.insert(axis, 1);
                let want = naive_concatenate(axis, &[&inserted, &inserted]);
                let views = [first.view(), first.view()];
                report.row(
                    format_args!("stack: {name}"),
                    problem_of(|| differs(stack(axis, &views), &want)),
                );
                let mut none = a.shape.clone();
                none.insert(axis, 0);
                let pushed = || {
                    let mut array = ArrayD::zeros(none.clone());
                    array.push(axis, first.view())?;
                    array.push(axis, first.view())?;
                    Ok::<_, zerostride::Error>(array)
                };
                report.row(format_args!("push: {name}"), problem_of(|| differs(pushed(), &want)));
            }
        }
    }
    report.finish(1900);
}

/// Arrays that do not begin with their memory, or do not lie in it as a new one would.
#[test]
fn arrays_of_all_layouts_grow() {
    let mut report = Report::new("growing");
    for shape in [vec![3], vec![2, 3], vec![3, 1], vec![2, 3, 4], vec![1, 4, 2], vec![2, 0, 3]] {
        let ndim = shape.len();
        for recipe in Recipe::all(ndim) {
            let held = Held::new(&Naive::numbered(&shape, |number| number as i32), &recipe);
            let source = held.naive();
            for axis in 0..ndim {
                let array = || {
                    ArrayD::from_strided_vec(
                        shape.clone(),
                        &held.strides,
                        held.offset,
                        held.buffer.clone(),
                    )
                };
                let name = format!("{held} along {axis}");
                let want = naive_concatenate(axis, &[&source; 3]);
                let grown = || {
                    let mut array = array()?;
                    array.append(axis, held.view())?;
                    array.append(axis, held.view())?;
                    Ok::<_, zerostride::Error>(array)
                };
                report.row(&name, problem_of(|| differs(grown(), &want)));
                for index in 0..shape[axis] {
                    let rest: Vec<usize> = (0..shape[axis]).filter(|i| *i != index).collect();
                    let want = naive_take(&source, axis, &rest);
                    let removed = || {
                        let mut array = array()?;
                        array.remove_index(axis, index)?;
                        Ok::<_, zerostride::Error>(array)
                    };
                    report.row(
                        format_args!("without {index}: {name}"),
                        problem_of(|| differs(removed(), &want)),
                    );
                }
                // What is left after a slice was taken grows over the memory of the rest.
                if shape[axis] > 1 {
                    let want =
                        naive_concatenate(axis, &[&naive_take(&source, axis, &[0]), &source]);
                    let grown = || {
                        let mut array = array()?;
                        (1..shape[axis]).try_for_each(|_| array.remove_index(axis, 1))?;
                        array.append(axis, held.view())?;
                        Ok::<_, zerostride::Error>(array)
                    };
                    report.row(
                        format_args!("after a cut: {name}"),
                        problem_of(|| differs(grown(), &want)),
                    );
                }
            }
        }
    }
    report.finish(500);
}

/// An array without elements keeps the order of its axes in memory, but has none of its own.
#[test]
fn empty_arrays_of_all_orders_grow() {
    let mut report = Report::new("growing from nothing");
    for shape in [vec![2, 3], vec![3, 1], vec![2, 3, 4], vec![1, 4, 2], vec![2, 3, 1, 4]] {
        let ndim = shape.len();
        for recipe in Recipe::all(ndim) {
            let held = Held::new(&Naive::numbered(&shape, |number| number as i32), &recipe);
            let source = held.naive();
            for axis in 0..ndim {
                let name = format!("{held} along {axis}");
                let order = held.view().to_owned();
                let empty = || {
                    let none = order.slice_axis(axis, ..0, 1)?.to_owned();
                    let back =
                        ArrayD::zeros(none.shape().iter().rev().copied().collect::<Vec<_>>());
                    // In row-major order, in the opposite one, and as the source lies.
                    let lies = held.view().slice_axis(axis, ..0, 1)?.reversed_axes().to_owned();
                    Ok::<_, zerostride::Error>([none, back.reversed_axes(), lies.reversed_axes()])
                };
                let want = naive_concatenate(axis, &[&source; 2]);
                for which in 0..3 {
                    let grown = || {
                        let mut array = empty()?[which].clone();
                        array.append(axis, held.view())?;
                        array.append(axis, held.view())?;
                        Ok::<_, zerostride::Error>(array)
                    };
                    report.row(
                        format_args!("from number {which}: {name}"),
                        problem_of(|| differs(grown(), &want)),
                    );
                }
            }
        }
    }
    report.finish(300);
}

/// Rows are added where there is room for them, which grows by itself.
#[test]
fn growth_is_amortised() {
    let mut a = Array2::<u64>::zeros([0, 3]);
    let (mut moves, mut before) = (0, a.as_ptr());
    for i in 0..10_000_u64 {
        a.push_row(&[i, 2 * i, 3 * i]).expect("three elements");
        moves += usize::from(a.as_ptr() != before);
        before = a.as_ptr();
    }
    assert_eq!((a.shape(), a[[9_999, 2]]), (&[10_000, 3][..], 29_997));
    assert!(moves <= 30, "moved {moves} times");

    let mut a = Array2::<u64>::zeros([3, 0]);
    for i in 0..1000 {
        a.push_column(&[i, 2 * i, 3 * i]).expect("three elements");
    }
    assert_eq!((a.strides(), a[[2, 999]]), (&[1, 3][..], 2997));
}

/// Pieces with few bytes on each line of the result: of so many, in so many rows and so many
/// slices, that they are put there in bands, or after they have been put side by side.
#[test]
fn narrow_pieces_are_joined() {
    let mut report = Report::new("narrow pieces joined");
    for (count, shape) in [
        (2, vec![9000, 1]),
        (3, vec![3001, 2]),
        (8, vec![1500, 1]),
        (9, vec![1500, 1]),
        (20, vec![7001, 1]),
        (4, vec![1000, 2, 3]),
        (12, vec![2500, 1, 5]),
        (11, vec![3, 1001, 2]),
        (5, vec![1, 5000]),
        (13, vec![2, 10007]),
        (10, vec![1, 2, 8000, 1]),
    ] {
        let ndim = shape.len();
        let recipes = Recipe::all_readable(ndim);
        for axis in 0..ndim {
            // Of equal extents along the axis, or the first without elements, and a wider one.
            let uneven = axis > 0 && shape[axis] == 1;
            for first in (0..recipes.len()).step_by(3) {
                let held: Vec<Held<i32>> = (0..count)
                    .map(|n| {
                        let mut shape = shape.clone();
                        if uneven && first % 2 > 0 && n < 2 {
                            shape[axis] = 10 * n as usize;
                        }
                        let own =
                            Naive::numbered(&shape, |number| (1 + n) * 1_000_000 + number as i32);
                        // Those of one layout, and of all.
                        let other = if first % 2 == 0 { 0 } else { n as usize };
                        Held::new(&own, &recipes[(first + other) % recipes.len()])
                    })
                    .collect();
                let naive: Vec<Naive<i32>> = held.iter().map(Held::naive).collect();
                let want = naive_concatenate(axis, &naive.iter().collect::<Vec<_>>());
                let views: Vec<ViewD<'_, i32>> = held.iter().map(|held| held.view()).collect();
                for parallel in [false, true] {
                    let exec = Exec::current().parallel(parallel);
                    let joined = || exec.install(|| concatenate(axis, &views));
                    report.row(
                        format_args!("{count} of {}.. along {axis}, {parallel}", held[0]),
                        problem_of(|| {
                            let got = joined().map_err(|err| err.to_string());
                            let same = got.as_ref().is_ok_and(|got| seen(got) == want);
                            (!same).then(|| format!("differs: {:?}", got.map(|_| ())))
                        }),
                    );
                }
            }
        }
    }
    report.finish(100);
}

/// Pieces large enough to be copied by the engine, and by several threads.
#[test]
fn large_pieces_are_joined() {
    let a = Array2::from_fn([700, 900], |[i, j]| (1000 * i + j) as i32);
    let b = Array2::from_fn([900, 700], |[i, j]| -((1000 * i + j) as i32));
    let c = concatenate![Axis(0), a, b.t(), a].expect("equal extents");
    for (i, j) in [(0, 0), (699, 899), (700, 0), (700, 899), (1399, 5), (1400, 1), (2099, 899)] {
        let want = match i / 700 {
            1 => b[[j, i - 700]],
            _ => a[[i % 700, j]],
        };
        assert_eq!(c[[i, j]], want, "at {i}, {j}");
    }
    let d = concatenate![1, a.t(), b].expect("equal extents");
    assert_eq!((d.shape(), d[[899, 0]], d[[7, 701]]), (&[900, 1400][..], a[[0, 899]], b[[7, 1]]));
    let e = stack![2, a, b.t()].expect("one shape");
    assert!(
        e.indexed_iter().all(|([i, j, k], x)| *x == if k == 0 { a[[i, j]] } else { b[[j, i]] })
    );
    let indices: Vec<usize> = (0..2000).map(|i| i * 7 % 900).collect();
    for source in [a.clone(), b.reversed_axes()] {
        let taken = source.take(1, &indices).expect("indices");
        assert!(taken.indexed_iter().all(|([i, j], x)| *x == source[[i, indices[j]]]));
        let slices = source.take(0, &indices[..600]).map(|_| ()).is_err();
        assert!(slices, "there are only 700 rows");
    }
    let even = a.compress(a.map(|x| x % 2 == 0)).expect("one shape");
    assert!(even.iter().copied().eq(a.iter().copied().filter(|x| x % 2 == 0)));
    let tall = a.tile([3, 2]).expect("it fits");
    assert!(tall.indexed_iter().all(|([i, j], x)| *x == a[[i % 700, j % 900]]));
    let rows =
        a.map_axis(1, |row| row.iter().map(|x| i64::from(*x)).sum::<i64>()).expect("an axis");
    assert!(
        rows.iter()
            .zip(a.rows())
            .all(|(x, row)| *x == row.iter().map(|x| i64::from(*x)).sum::<i64>())
    );
}

#[test]
fn mapped_on_all_layouts() {
    let mut report = Report::new("map_axis, accumulate_axis_inplace");
    let weigh = |lane: &[i32]| lane.iter().fold(7, |sum: i32, x| sum.wrapping_mul(31) + x);
    for shape in shapes().into_iter().filter(|shape| (1..=4).contains(&shape.len())) {
        let source = Naive::numbered(&shape, |number| number as i32);
        for recipe in Recipe::all(shape.len()) {
            for axis in 0..shape.len() {
                let mut held = Held::new(&source, &recipe);
                let name = format!("{held} along {axis}");
                let mut results = shape.clone();
                results.remove(axis);
                let want = Naive::from_fn(&results, |index| {
                    let mut index = index.to_vec();
                    index.insert(axis, 0);
                    let lane: Vec<i32> = (0..shape[axis])
                        .map(|i| {
                            index[axis] = i;
                            source.at(&index)
                        })
                        .collect();
                    weigh(&lane)
                });
                report.row(
                    &name,
                    problem_of(|| {
                        differs(held.view().map_axis(axis, |lane| weigh(&lane.to_vec())), &want)
                    }),
                );
                let mut of_mutable = || {
                    let mut view = held.view_mut();
                    view.map_axis_mut(axis, |mut lane| {
                        let result = weigh(&lane.to_vec());
                        lane.fill(-1);
                        result
                    })
                };
                let problem = problem_of(|| differs(of_mutable(), &want));
                let filled = held.naive().data.iter().all(|x| *x == -1);
                report.row(format_args!("mut: {name}"), problem);
                report.holds(format_args!("filled: {name}"), filled);

                let mut held = Held::new(&source, &recipe);
                let before = held.buffer.clone();
                let want = Naive::from_fn(&shape, |index| {
                    let mut index = index.to_vec();
                    let mut terms = (0..=index[axis]).map(|i| {
                        index[axis] = i;
                        source.at(&index)
                    });
                    let first = terms.next().expect("a term");
                    terms.fold(first, |sum, x| sum.wrapping_mul(3) + x)
                });
                let accumulated = held
                    .view_mut()
                    .accumulate_axis_inplace(axis, |before, x| *x += before.wrapping_mul(3));
                report.holds(format_args!("accumulated: {name}"), accumulated.is_ok());
                let problem = held.problem(&want, &before, |a, b| a == b);
                report.row(format_args!("accumulated: {name}"), problem);
            }
        }
    }
    report.finish(1600);
}

/// Diagonals, merged axes, other orders, copy-on-write copies.
#[test]
fn forms_on_all_layouts() {
    let mut report = Report::new("forms");
    for shape in shapes().into_iter().filter(|shape| shape.len() <= 4) {
        let ndim = shape.len();
        let source = Naive::numbered(&shape, |number| number as i32);
        for recipe in Recipe::all_readable(ndim) {
            let held = Held::new(&source, &recipe);
            let (source, view, name) = (held.naive(), held.view(), held.to_string());
            let len = shape.iter().copied().min().unwrap_or(1);
            let diagonal: Vec<i32> = (0..len).map(|i| source.at(&vec![i; ndim])).collect();
            report.equal(format_args!("diag of {name}"), view.diag().to_vec(), diagonal);

            // All elements in either order.
            let mut columns = Vec::new();
            let backwards: Vec<usize> = shape.iter().rev().copied().collect();
            for_each_index(&backwards, |index| {
                columns.push(source.at(&index.iter().rev().copied().collect::<Vec<_>>()));
            });
            let size = source.data.len();
            let got = view.to_shape((size, Order::F)).expect("as many elements");
            report.equal(format_args!("to_shape F of {name}"), got.to_vec(), columns.clone());
            let got = view.to_owned().into_shape(size.f()).expect("as many elements");
            report.equal(format_args!("into_shape F of {name}"), got.to_vec(), columns);
            let got = view.flatten();
            report.equal(format_args!("flatten of {name}"), got.to_vec(), source.data.clone());
            let there = size > 0 && got.as_ptr() == view.as_ptr();
            report.equal(
                format_args!("flatten is a view of {name}"),
                there || size == 0,
                got.is_view() || size == 0,
            );

            let alike = view.full_like(7_u8);
            let packed = alike.as_slice_memory_order().is_some();
            report.holds(
                format_args!("full_like of {name}"),
                packed && alike.shape() == view.shape(),
            );

            let standard = view.as_standard_layout();
            let same = standard.as_slice() == Some(&source.data[..]);
            report.holds(format_args!("as_standard_layout of {name}"), same);

            // To write makes a copy, and changes nothing else.
            let mut cow = CowArray::from(view);
            let shared: ArcArray<i32, _> = view.to_owned().into_shared();
            let mut other = shared.clone();
            if size > 0 {
                let last: Vec<usize> = shape.iter().map(|extent| extent - 1).collect();
                cow[&last[..]] = -9;
                other[&last[..]] = -9;
                let mut changed = source.data.clone();
                *changed.last_mut().expect("an element") = -9;
                report.equal(format_args!("cow of {name}"), cow.to_vec(), changed.clone());
                report.equal(format_args!("arc of {name}"), other.to_vec(), changed);
                report
                    .holds(format_args!("owned now: {name}"), cow.is_owned() && other.is_unique());
            }
            report.equal(format_args!("unchanged: {name}"), view.to_vec(), source.data.clone());
            report.equal(
                format_args!("unchanged arc: {name}"),
                shared.to_vec(),
                source.data.clone(),
            );

            for take in 0..ndim {
                for into in 0..ndim {
                    let Ok(merged) = view.merge_axes(take, into) else { continue };
                    let mut extents = shape.clone();
                    let all = shape[take] * shape[into];
                    if take != into {
                        (extents[into], extents[take]) = (all, usize::from(all > 0));
                    }
                    let want = Naive::from_fn(&extents, |index| {
                        let mut index = index.to_vec();
                        if take != into {
                            (index[take], index[into]) =
                                (index[into] / shape[into], index[into] % shape[into]);
                        }
                        source.at(&index)
                    });
                    let got = seen(&merged.to_owned());
                    report.equal(format_args!("merge {take} into {into} of {name}"), got, want);
                }
            }
        }
    }
    report.finish(2300);
}

#[test]
fn errors_name_what_is_wrong() {
    let mut a = array![[1, 2, 3], [4, 5, 6]];
    let text = |err: &dyn std::fmt::Display| err.to_string();
    let b = array![[1, 2]];
    let cases = [
        (
            text(&concatenate::<i32, Rank<2>>(0, &[]).unwrap_err()),
            "no arrays were given to be joined along axis 0",
        ),
        (
            text(&concatenate![0, a, a, b].unwrap_err()),
            "array 2 of shape [1, 2] cannot be joined to one of shape [2, 3] along axis 0: all other extents must be equal",
        ),
        (
            text(&concatenate![2, a, a].unwrap_err()),
            "axis 2 does not exist: shape [2, 3] has 2 axes",
        ),
        (
            text(&stack![0, a, b].unwrap_err()),
            "array 1 of shape [1, 2] cannot be joined to one of shape [2, 3] along axis 0: all other extents must be equal",
        ),
        (text(&stack![3, a].unwrap_err()), "axis 3 does not exist: shape [2, 3] has 2 axes"),
        (text(&a.take(2, &[0]).unwrap_err()), "axis 2 does not exist: shape [2, 3] has 2 axes"),
        (
            text(&a.take(1, &[0, 7]).unwrap_err()),
            "index 7 is out of range for axis 1 of shape [2, 3]",
        ),
        (
            text(&a.compress(&array![true]).unwrap_err()),
            "a mask of shape [1] does not fit an array of shape [2, 3]: they must be equal",
        ),
        (
            text(&a.compress_axis(0, &[true]).unwrap_err()),
            "a mask of shape [1] does not fit an array of shape [2]: they must be equal",
        ),
        (text(&a.roll(5, 1).unwrap_err()), "axis 5 does not exist: shape [2, 3] has 2 axes"),
        (
            text(&a.map_axis(2, |_| 0).unwrap_err()),
            "axis 2 does not exist: shape [2, 3] has 2 axes",
        ),
        (
            text(&a.push_row(&[1]).unwrap_err()),
            "array 1 of shape [1, 1] cannot be joined to one of shape [2, 3] along axis 0: all other extents must be equal",
        ),
        (
            text(&a.remove_index(1, 3).unwrap_err()),
            "index 3 is out of range for axis 1 of shape [2, 3]",
        ),
        (
            text(
                &a.view()
                    .slice_axis(1, 0..2, 1)
                    .and_then(|a| a.merge_axes(0, 1).map(|_| ()))
                    .unwrap_err(),
            ),
            "axes 0 and 1 of shape [2, 2] with strides [3, 1] are not one walk and cannot be merged: use `to_shape`, which copies",
        ),
        (
            text(&a.clone().into_shape([4, 2].f()).unwrap_err()),
            "shape [2, 3] has 6 elements and cannot become shape [4, 2] with 8",
        ),
    ];
    for (got, want) in cases {
        assert_eq!(got, want);
    }
    assert_eq!(a.shape(), [2, 3]);
    let huge = View1::from_strided([1 << 60], &[0], 0, &[1_u64]).expect("one element");
    assert!(concatenate(0, &[huge, huge]).is_err());
    assert!(huge.repeat(0, 1 << 10).is_err());
    assert!(huge.tile([1 << 10]).is_err());
    assert!(huge.tile([1]).is_err());
    let mut few = array![1_u64];
    assert!(few.append(0, huge).is_err() && few.reserve(0, usize::MAX).is_err());
    assert_eq!(few, array![1]);
    assert!(kron(huge, huge).is_err());
    let err = Array1::<f64>::geomspace(0.0, 1.0, 3).unwrap_err();
    assert!(matches!(err.kind(), LayoutErrorKind::GeometricEnds { .. }));
}

/// Of fewer axes, of the most axes, and of extents that are huge where there are no elements:
/// errors, or results, and quick.
#[test]
fn hostile_ranks_and_extents() {
    for (shape, other) in [(&[2_usize, 3, 4][..], &[2_usize, 3][..]), (&[2], &[]), (&[], &[2])] {
        for axis in 0..4 {
            let mut array = ArrayD::<i32>::zeros(shape);
            let refused = array.append(axis, &ArrayD::zeros(other)).unwrap_err().to_string();
            let joined = "cannot be joined to one of shape";
            assert!(refused.contains(joined) || refused.contains("does not exist"), "{refused}");
            assert_eq!(array.shape(), shape);
        }
    }
    let most = ArrayD::<i32>::ones(&[1_usize; 16][..]);
    for times in [1 << 45, 1 << 61, usize::MAX] {
        assert!(most.repeat(0, times).is_err());
        let none = most.slice_axis(3, 0..0, 1).expect("a part");
        assert!(none.repeat(0, times).map_or(times > 1 << 60, |none| none.is_empty()));
    }
    assert_eq!(most.repeat(5, 3).expect("three").shape()[5], 3);
    let buffer = [0.0_f32];
    let none = ViewD::from_strided(&[1, 4, 1 << 43, 0][..], &[0; 4], 0, &buffer);
    let none = none.expect("no elements");
    for made in [none.triu(-1), none.tril(1), zerostride::concatenate(3, &[none, none])] {
        assert!(made.expect("no elements").is_empty());
    }
}

#[test]
fn kron_and_meshgrid() {
    let mut report = Report::new("kron");
    let extents =
        [([2, 3], [3, 2]), ([1, 1], [2, 2]), ([2, 0], [1, 3]), ([3, 1], [1, 4]), ([12, 9], [5, 4])];
    for (a, b) in extents {
        let x = Array2::from_fn(a, |[i, j]| 1 + (10 * i + j) as i32);
        let y = Array2::from_fn(b, |[i, j]| 2 + (3 * i + j) as i32);
        let want = Array2::from_fn([a[0] * b[0], a[1] * b[1]], |[i, j]| {
            x[[i / b[0], j / b[1]]] * y[[i % b[0], j % b[1]]]
        });
        report.equal(format_args!("{a:?} and {b:?}"), kron(&x, &y).expect("it fits"), want.clone());
        let (fx, fy) = (x.t().to_owned(), y.t().to_owned());
        report.equal(
            format_args!("{a:?} and {b:?} turned"),
            kron(fx.t(), fy.t()).expect("it fits"),
            want,
        );
    }
    for (a, b) in [([2, 3, 2], [3, 1, 2]), ([1, 2, 1], [2, 2, 5]), ([4, 5, 6], [3, 2, 2])] {
        let x = Array3::from_fn(a, |[i, j, k]| 1 + (100 * i + 10 * j + k) as i32);
        let y = Array3::from_fn(b, |[i, j, k]| 2 + (9 * i + 3 * j + k) as i32);
        let want = Array3::from_fn([a[0] * b[0], a[1] * b[1], a[2] * b[2]], |[i, j, k]| {
            x[[i / b[0], j / b[1], k / b[2]]] * y[[i % b[0], j % b[1], k % b[2]]]
        });
        report.equal(format_args!("{a:?} and {b:?}"), kron(&x, &y).expect("it fits"), want);
    }
    let (x, y) = (array![1, 2], array![3, 4, 5]);
    report.equal("vectors", kron(&x, &y).expect("it fits").to_vec(), vec![3, 4, 5, 6, 8, 10]);
    report.finish(14);

    let (x, y, z) = (array![1, 2, 3], array![0.5, 1.5], array!['a']);
    for indexing in [MeshIndex::XY, MeshIndex::IJ] {
        let (xs, ys, zs) = meshgrid((&x, &y, &z), indexing).expect("it fits");
        let shape = if indexing == MeshIndex::XY { [2, 3, 1] } else { [3, 2, 1] };
        assert_eq!((xs.shape(), ys.shape(), zs.shape()), (&shape[..], &shape[..], &shape[..]));
        for ([i, j, _], value) in xs.indexed_iter() {
            let (across, down) = if indexing == MeshIndex::XY { (j, i) } else { (i, j) };
            assert_eq!((*value, ys[[i, j, 0]], zs[[i, j, 0]]), (x[across], y[down], 'a'));
        }
    }
}

/// Indices and masks are lists, vectors, and views of them with gaps.
#[test]
fn indices_and_masks_are_vectors_too() -> Result<(), zerostride::Error> {
    use zerostride::prelude::*;
    let a = array![[1, 2, 3], [4, 5, 6]];
    let (indices, mask) = (array![2, 9, 0, 9], array![true, false, false, false, true, false]);
    let some = indices.slice(s![..;2])?;
    assert_eq!(a.take(1, some)?, array![[3, 1], [6, 4]]);
    assert_eq!(a.select(Axis(1), some)?, a.take(1, &[2, 0])?);
    assert_eq!((&a * 2).select(Axis(0), &vec![1])?, array![[8, 10, 12]]);
    assert_eq!(a.t().select(Axis(0), &array![2, 0])?, array![[3, 6], [1, 4]]);
    assert_eq!(a.row(0).into_dyn().select(Axis(0), &[])?.len(), 0);
    assert!(a.select(Axis(2), &[0]).is_err() && a.select(Axis(0), &[2]).is_err());
    assert_eq!(a.compress_axis(1, mask.slice(s![..;2])?)?, array![[1, 3], [4, 6]]);
    assert_eq!(a.greater(2).select(&a, 0).eval()?, array![[0, 0, 3], [4, 5, 6]]);
    assert_eq!(mask.select(Axis(0), &[4, 0, 1])?, array![true, true, false]);
    Ok(())
}

/// The order of axes of what is given up; of every kind.
#[test]
fn axes_of_every_kind_are_permuted() -> Result<(), zerostride::Error> {
    use zerostride::prelude::*;
    let make = || Array3::from_shape_fn((2, 3, 4), |(i, j, k)| 100 * i + 10 * j + k);
    let want = Array3::from_shape_fn((4, 2, 3), |(k, i, j)| 100 * i + 10 * j + k);
    let mut other = make();
    assert_eq!(make().permute([2, 0, 1])?, want);
    assert_eq!(make().view().permute([Axis(2), Axis(0), Axis(1)])?, want);
    assert_eq!(other.view_mut().permute((2, 0, 1))?, want);
    assert_eq!(make().into_shared().permute([2, 0, 1])?, want);
    assert_eq!(zerostride::CowArray::from(&make()).permute([2, 0, 1])?, want);
    assert_eq!(make().into_dyn().permute(vec![2, 0, 1])?, want);
    assert_eq!(make().into_dyn().permuted_axes([Axis(2), Axis(0), Axis(1)])?, want);
    assert!(make().permute([0, 0, 1]).is_err() && make().into_dyn().permute(vec![0]).is_err());
    assert!(make().into_dyn().permute([Axis(0)]).is_err());
    Ok(())
}
