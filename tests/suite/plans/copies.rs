//! Copies: of what lies otherwise, in blocks, and by indices, element by element.

use conformance::support::TestElement;
use conformance::support::execs::in_pool;
use zerostride::prelude::*;
use zerostride::{Complex, Exec};

/// Arrays assigned as they are, in any order of their axes, backwards, with gaps and repeated; and
/// totals beside operands that lie otherwise, which have the bits of those of a copy.
#[test]
fn copies_of_what_lies_otherwise() {
    let mut failures = Vec::new();
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let shapes =
        [[1, 1, 1], [2, 2, 2], [3, 1, 8], [4, 7, 9], [1, 22, 22], [20, 33, 5], [7, 64, 70]];
    for (shape, order) in shapes.into_iter().flat_map(|shape| orders.map(|order| (shape, order))) {
        let at = |i: usize| ((i * 7919) % 997) as f64 / 97.0 - 4.0;
        let whole =
            Array3::<f64>::from_fn(shape.map(|n| 2 * n), |[i, j, k]| at(i * 31 + j * 7 + k));
        let ordinary = whole.slice(s![..shape[0], ..shape[1], ..shape[2]]).expect("a part");
        let ordinary = ordinary.to_owned();
        let views = [
            ("ordinary", ordinary.view()),
            ("a part", whole.slice(s![1..1 + shape[0], ..shape[1], ..shape[2]]).expect("a part")),
            ("stepped", whole.slice(s![..;2, ..;2, ..;-2]).expect("a part")),
            ("backwards", ordinary.slice(s![..;-1, .., ..;-1]).expect("all of it")),
        ];
        for (lies, view) in views {
            let view = view.permuted_axes(order).expect("a permutation");
            let copy = Array3::from_fn(view.dim(), |index| view[index]);
            let beside = Array3::from_fn(view.dim(), |[i, j, k]| at(i + j * 13 + k * 5));
            for exec in [Exec::new().parallel(false), Exec::new().grain(1), Exec::new().cache(0)] {
                exec.install(|| {
                    let mut out = Array3::<f64>::zeros(view.dim());
                    out.assign(view).expect("it fits");
                    let mut into = whole.clone();
                    let mut part = into
                        .slice_mut(s![..;2, ..;2, ..;2])
                        .expect("a part")
                        .permuted_axes_mut(order)
                        .expect("a permutation")
                        .to_owned();
                    part.assign(view).expect("it fits");
                    let sums = [view, copy.view()].map(|x| {
                        let difference = &beside - x;
                        let total = (difference * difference).sum().expect("they fit");
                        let largest = (&beside * x).max().expect("they fit");
                        let sum = (x + &beside * x).exp().sum().expect("they fit");
                        [total, largest, sum].map(f64::to_bits)
                    });
                    if out != copy || part != copy || sums[0] != sums[1] {
                        failures.push(format!("{shape:?}, {order:?}, {lies}, {exec:?}: {sums:?}"));
                    }
                });
            }
        }
        let row = ordinary.slice(s![0, 0, ..]).expect("a row");
        let mut out = Array2::<f64>::zeros([5, shape[2]]);
        out.assign(row.broadcast_in_dim([5, shape[2]], [1]).expect("it fits")).expect("it fits");
        let mut down = Array2::<f64>::zeros([shape[2], 5]);
        down.assign(row.broadcast_in_dim([shape[2], 5], [0]).expect("it fits")).expect("it fits");
        if !(0..5).all(|i| (0..shape[2]).all(|k| out[[i, k]] == row[k] && down[[k, i]] == row[k])) {
            failures.push(format!("{shape:?}: a row repeated"));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Transposed arrays of more than a first-level cache holds, of elements of each size, and of lines
/// that do and do not begin with cache lines: as new arrays, into rows of an array and of a part.
#[test]
fn copies_of_many_that_are_turned() {
    fn all<T: TestElement + Copy + PartialEq + Default + std::fmt::Debug>(
        failures: &mut Vec<String>,
        element: impl Fn(usize) -> T,
    ) {
        let size = size_of::<T>();
        // Of 60 KiB, of 1.3 and 2 MiB, whatever the size of elements.
        for (rows, columns) in
            [(61, 1000 / size), (997, 1301 / size), (1001, 2048 / size), (4 * 512 / size, 1024)]
        {
            let x = Array2::<T>::from_fn([columns, rows], |[i, j]| element(i * 31 + j * 7919));
            let views = [
                ("ordinary", x.view()),
                ("backwards", x.slice(s![..;-1, ..]).expect("all of it")),
                ("a part", x.slice(s![1.., 1..]).expect("a part")),
            ];
            for (lies, view) in views {
                let turned = view.t();
                let copy = Array2::<T>::from_fn(turned.dim(), |[i, j]| view[[j, i]]);
                Exec::new().parallel(false).install(|| {
                    let mut out = Array2::<T>::from_elem(turned.dim(), T::default());
                    out.assign(turned).expect("it fits");
                    let [m, n] = turned.dim();
                    let mut wide = Array2::<T>::from_elem([m, n + 3], T::default());
                    wide.slice_mut(s![.., 2..-1]).expect("a part").assign(turned).expect("it fits");
                    let part = wide.slice(s![.., 2..-1]).expect("a part");
                    if out != copy || part != copy || turned.to_owned() != copy {
                        failures.push(format!("{size} bytes, {:?}, {lies}", turned.dim()));
                    }
                });
            }
        }
    }
    let mut failures = Vec::new();
    all(&mut failures, |i| (i % 251) as u8);
    all(&mut failures, |i| (i % 65521) as u16);
    all(&mut failures, |i| i as f32);
    all(&mut failures, |i| i as f64);
    all(&mut failures, |i| Complex::new(i as f64, -1.0));
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Elements by their indices along an axis, shared out anywhere among the lanes.
#[test]
fn taken_in_parts() {
    let mut failures = Vec::new();
    for (rows, len, count) in
        [(1, 1000, 999), (3, 101, 77), (7, 301, 37), (50, 13, 29), (999, 2, 1)]
    {
        let x = Array2::<f64>::from_fn([rows, len], |[i, j]| (i * 1000 + j) as f64);
        let indices: Vec<usize> = (0..count).map(|k| k * 7919 % len).collect();
        for exec in [Exec::new().parallel(false), Exec::new().grain(1)] {
            let (across, down) = in_pool(|| {
                exec.install(|| (x.take(1, &indices), x.t().to_owned().take(0, &indices)))
            });
            let (across, down) = (across.expect("indices"), down.expect("indices"));
            let same = (0..rows).all(|i| {
                (0..count).all(|k| {
                    let want = x[[i, indices[k]]];
                    across[[i, k]] == want && down[[k, i]] == want
                })
            });
            if !same || across.dim() != [rows, count] || down.dim() != [count, rows] {
                failures.push(format!("{rows} x {len}, {count} of them, {exec:?}"));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Blocks of an image, one after the other: few elements side by side in few rows.
#[test]
fn copies_of_blocks() {
    fn wrong<T: TestElement>() -> Vec<String> {
        let mut failures = Vec::new();
        for (rows, columns) in (1..=9).flat_map(|rows| (1..=9).map(move |columns| (rows, columns)))
        {
            for (down, across) in [(1, 1), (2, 3), (5, 9), (17, 1), (3, 20)] {
                let shape = [down, rows, across, columns];
                let mut number = 0;
                let x = Array4::<T>::from_fn(shape, |_| {
                    number += 1;
                    T::nth(number)
                });
                for flips in [vec![], vec![0], vec![1], vec![2], vec![0, 1, 2]] {
                    let mut view = x.view();
                    for &axis in &flips {
                        view = view.flip(axis).expect("an axis");
                    }
                    let blocks = view.permuted_axes([0, 2, 1, 3]).expect("a permutation");
                    let copy = blocks.to_owned().as_standard_layout().to_owned();
                    let index = |[i, j, k, l]: [usize; 4]| [i, k, j, l];
                    let same = copy.indexed_iter().all(|(at, &got)| got == view[index(at)]);
                    if !same {
                        failures.push(format!("{shape:?} flipped along {flips:?}"));
                    }
                }
            }
        }
        failures
    }
    let mut failures = wrong::<i8>();
    failures.extend(wrong::<f32>());
    failures.extend(wrong::<f64>());
    failures.extend(wrong::<Complex<f64>>());
    assert!(failures.is_empty(), "{failures:#?}");
}
