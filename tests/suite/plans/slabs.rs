//! Results and updates of three axes and more whose rows lie side by side, but not the rows
//! themselves: interiors of arrays, beside what repeats in them.

use zerostride::Exec;
use zerostride::prelude::*;

/// A number for an index, without any order.
fn at(i: usize, j: usize, k: usize) -> f64 {
    ((i * 7919 + j * 104_729 + k * 31) % 997) as f64 / 97.0 - 4.0
}

type Part<'v> = ViewMut3<'v, f64>;
/// What is done with a part of an array, and what becomes of an element at an index.
type Case<'c> = (&'c str, &'c dyn Fn(&mut Part<'_>), &'c dyn Fn(f64, [usize; 3]) -> f64);

#[test]
fn interiors() {
    let mut failures = Vec::new();
    let shapes = [
        [1, 1, 1],
        [3, 3, 3],
        [2, 5, 7],
        [4, 1, 9],
        [1, 6, 6],
        [3, 4, 1],
        [6, 7, 8],
        [5, 6, 40],
        [9, 10, 70],
        [2, 3, 600],
        [40, 30, 3],
        // Lists of places are of 32 matrices: all but one of them, all, and one or two more.
        [31, 2, 5],
        [32, 3, 9],
        [33, 4, 9],
        [34, 1, 8],
        [65, 1, 8],
        [65, 3, 40],
        [0, 3, 4],
        [3, 4, 0],
    ];
    for [a, b, c] in shapes {
        let x = Array3::from_fn([a + 2, b + 1, c + 3], |[i, j, k]| at(i, j, k));
        let x = x.slice(s![1..a + 1, ..b, 2..c + 2]).expect("a part");
        let back = Array3::from_fn([a, 2 * b, c], |[i, j, k]| at(j, k, i));
        let back = back.slice(s![..;-1, ..;2, ..]).expect("a part");
        let turned = Array3::from_fn([c, b, a], |[i, j, k]| at(k, i, j));
        let turned = turned.reversed_axes();
        let row = Array1::from_fn(c, |[k]| at(k, 5, 1));
        let column = Array1::from_fn(a, |[i]| at(3, i, 1));
        let plane = Array2::from_fn([a, c], |[i, k]| at(i, 2, k));
        let ones = Array3::from_fn([1, b, 1], |[_, j, _]| at(9, j, 4));
        let cases: [Case<'_>; 10] = [
            ("assign", &|to| to.assign(x).unwrap(), &|_, [i, j, k]| x[[i, j, k]]),
            ("fill", &|to| to.fill(2.5), &|_, _| 2.5),
            ("+=", &|to| *to += x, &|old, index| old + x[index]),
            ("scaled_add", &|to| to.scaled_add(0.5, back).unwrap(), &|old, index| {
                old + 0.5 * back[index]
            }),
            ("mapv_inplace", &|to| to.mapv_inplace(|x| 3.0 - x), &|old, _| 3.0 - old),
            ("a row", &|to| to.assign(x * row.along([2]) + back).unwrap(), &|_, index| {
                x[index] * row[index[2]] + back[index]
            }),
            ("a column", &|to| *to -= x + column.along([0]), &|old, index| {
                old - (x[index] + column[index[0]])
            }),
            ("a plane", &|to| *to *= plane.along([0, 2]), &|old, [i, _, k]| old * plane[[i, k]]),
            ("ones", &|to| to.assign(x.greater(&ones).select(x, back)).unwrap(), &|_, index| {
                if x[index] > ones[[0, index[1], 0]] { x[index] } else { back[index] }
            }),
            ("turned", &|to| *to += &turned * x, &|old, index| old + turned[index] * x[index]),
        ];
        let whole = Array3::from_fn([2 * a + 1, b + 3, c + 2], |[i, j, k]| at(k, i, j));
        let places = Array3::from_fn(whole.dim(), |[i, j, k]| {
            (i * whole.shape()[1] + j) * whole.shape()[2] + k
        });
        for exec in [Exec::new().parallel(false), Exec::new().grain(1), Exec::new().cache(0)] {
            for (name, run, element) in &cases {
                for part in 0..3 {
                    let mut into = whole.clone();
                    let places = places.view();
                    let places = match part {
                        0 => places.slice(s![1..a + 1, 2..b + 2, 1..c + 1]),
                        1 => places.slice(s![..2 * a;2, 1..b + 1, ..c]),
                        _ => places.slice(s![1..a + 1;-1, ..b;-1, 2..c + 2]),
                    };
                    let mut expected = whole.to_vec();
                    for (index, &place) in places.expect("a part").indexed_iter() {
                        expected[place] = element(expected[place], index);
                    }
                    let to = match part {
                        0 => into.slice_mut(s![1..a + 1, 2..b + 2, 1..c + 1]),
                        1 => into.slice_mut(s![..2 * a;2, 1..b + 1, ..c]),
                        _ => into.slice_mut(s![1..a + 1;-1, ..b;-1, 2..c + 2]),
                    };
                    exec.install(|| run(&mut to.expect("a part")));
                    if into.to_vec() != expected {
                        failures.push(format!("{name} of {:?}, part {part}, {exec:?}", [a, b, c]));
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} failures: {failures:#?}", failures.len());
}

/// New results, of typed and dynamic ranks, of three axes to five.
#[test]
fn results() {
    let mut failures = Vec::new();
    let shapes = [
        [1, 1, 1],
        [3, 3, 3],
        [4, 5, 9],
        [2, 7, 40],
        [30, 20, 17],
        [31, 2, 9],
        [32, 4, 12],
        [33, 4, 9],
        [65, 1, 8],
        [97, 3, 16],
        [3, 0, 9],
    ];
    for [a, b, c] in shapes {
        let x = Array3::from_fn([a + 2, b + 2, c + 2], |[i, j, k]| at(i, j, k));
        let y = Array3::from_fn([a + 1, b + 3, c + 2], |[i, j, k]| at(k, i, j));
        let x = x.slice(s![1..-1, 1..-1, 1..-1]).expect("the interior");
        let y = y.slice(s![1.., 1..-2, 2..]).expect("a part");
        let row = Array1::from_fn(c, |[k]| at(k, 5, 1));
        let (outer, middle) =
            (Array1::from_fn(a, |[i]| at(i, 2, 3)), Array1::from_fn(b, |[j]| at(2, j, 3)));
        let five = [1, a, 1, b, c];
        let long = |x: View3<'_, f64>| {
            let x = x.insert_axis(0).and_then(|x| x.insert_axis(2)).expect("few axes");
            x.to_owned()
        };
        let wide = Array5::from_fn([1, a, 2, b, c + 1], |[_, i, _, j, k]| at(i, k, j));
        let wide = wide.slice(s![.., .., ..1, .., 1..]).expect("a part");
        let expected = Array3::from_fn([a, b, c], |index| x[index] * y[index] + row[index[2]]);
        let expected_of_five =
            Array5::from_fn(five, |[_, i, _, j, k]| x[[i, j, k]] - wide[[0, i, 0, j, k]]);
        let expected_of_columns = Array3::from_fn([a, b, c], |index| {
            (x[index] - outer[index[0]]) * middle[index[1]] + outer[index[0]]
        });
        for exec in [Exec::new().parallel(false), Exec::new().grain(1), Exec::new().cache(0)] {
            let mut check = |what: &str, right: bool| {
                if !right {
                    failures.push(format!("{what} of {:?}, {exec:?}", [a, b, c]));
                }
            };
            exec.install(|| {
                let found = (x * y + row.along([2])).eval().expect("it fits");
                check("typed", found == expected && found.is_standard_layout());
                let normed = (x - outer.along([0])) * middle.along([1]) + outer.along([0]);
                check("columns", normed.eval().expect("it fits") == expected_of_columns);
                let mut into =
                    wide.index_axis(2, 0).and_then(|x| x.index_axis(0, 0)).unwrap().to_owned();
                let normed = (x - outer.along([0])) * middle.along([1]) + outer.along([0]);
                into.assign(normed).expect("it fits");
                check("columns assigned", into == expected_of_columns);
                let (x_dyn, y_dyn) = (x.into_dyn(), y.into_dyn());
                let found = (x_dyn * y_dyn + row.along([2])).eval().expect("it fits");
                check("dynamic", found == expected.view().into_dyn());
                let found = (long(x) - wide).eval().expect("it fits");
                check("five axes", found == expected_of_five);
                let found = (x * y).sum().expect("it fits");
                let copy = (x * y).eval().expect("it fits");
                check("the sum", found.to_bits() == copy.sum().expect("it fits").to_bits());
            });
        }
    }
    assert!(failures.is_empty(), "{} failures: {failures:#?}", failures.len());
}

/// Parts of arrays of four axes, of which one is longer in memory: the axes after it have no gaps
/// between them, and are one row of a part, if they have none in any operand.
#[test]
fn rows_along_several_axes() {
    let mut failures = Vec::new();
    let shapes = [
        [3, 4, 5, 3],
        [2, 33, 4, 3],
        [35, 2, 3, 3],
        [4, 1, 6, 2],
        [1, 5, 1, 7],
        [5, 1, 1, 1],
        [2, 9, 16, 12],
        [33, 3, 20, 1],
        [6, 10, 30, 3],
        [2, 0, 3, 3],
    ];
    let value = |[i, j, k, l]: [usize; 4]| at(i * 5 + l, j, k);
    let other = |[i, j, k, l]: [usize; 4]| at(l, k + 3, i + j);
    for shape in shapes {
        // Element by element: what lies beside the part must stay as it is.
        let longer = |axis: usize, of: &dyn Fn([usize; 4]) -> f64| {
            let mut extents = shape;
            extents[axis] += 2;
            Array4::from_fn(extents, |mut index| match index[axis].checked_sub(1) {
                Some(own) if own < shape[axis] => {
                    index[axis] = own;
                    of(index)
                }
                _ => f64::NAN,
            })
        };
        let slices = |axis: usize| match axis {
            0 => s![1..-1, .., .., ..],
            1 => s![.., 1..-1, .., ..],
            2 => s![.., .., 1..-1, ..],
            _ => s![.., .., .., 1..-1],
        };
        for (to, x, y) in (0..64).map(|number| (number / 16, number / 4 % 4, number % 4)) {
            let (of_x, of_y) = (longer(x, &value), longer(y, &other));
            let x_part = of_x.slice(slices(x)).expect("a part");
            let y_part = of_y.slice(slices(y)).expect("a part");
            let (x_at, y_at) = (|index| value(index), |index| other(index));
            type Case4<'c> = (
                &'c str,
                &'c dyn Fn(&mut ViewMut<'_, f64, Rank<4>>),
                &'c dyn Fn(f64, [usize; 4]) -> f64,
            );
            let cases: [Case4<'_>; 5] = [
                ("+=", &|to| *to += x_part, &|old, at| old + x_at(at)),
                ("scaled_add", &|to| to.scaled_add(0.5, y_part).unwrap(), &|old, at| {
                    old + 0.5 * y_at(at)
                }),
                ("assign", &|to| to.assign(x_part * 2.0 + y_part).unwrap(), &|_, at| {
                    x_at(at) * 2.0 + y_at(at)
                }),
                ("roots", &|to| to.assign((x_part * y_part).abs().sqrt()).unwrap(), &|_, at| {
                    (x_at(at) * y_at(at)).abs().sqrt()
                }),
                (
                    "a closure",
                    &|to| to.zip_mut_with(x_part, |to, x| *to -= x).unwrap(),
                    &|old, at| old - x_at(at),
                ),
            ];
            for (name, run, element) in cases {
                let mut into = longer(to, &|[i, j, k, l]| at(l, i, j + k));
                let mut expected = into.clone();
                for (index, place) in expected.slice_mut(slices(to)).unwrap().indexed_iter_mut() {
                    *place = element(*place, index);
                }
                run(&mut into.slice_mut(slices(to)).expect("a part"));
                let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits();
                if !into.iter().zip(&expected).all(same) {
                    failures.push(format!("{name} of {shape:?}, {to} from {x} and {y}"));
                }
            }
            let new = (x_part - y_part * 3.0).eval().expect("they fit");
            if new != Array4::from_fn(shape, |at| x_at(at) - y_at(at) * 3.0) {
                failures.push(format!("a new one of {shape:?} from {x} and {y}"));
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} failures: {:#?}",
        failures.len(),
        &failures[..20.min(failures.len())]
    );
}

/// Whole arrays and parts, in all orders, of few elements beside one that repeats along any axes:
/// rows of a matrix, or of several.
#[test]
fn beside_what_repeats() {
    let mut failures = Vec::new();
    for shape @ [a, b, c] in [[3, 2, 4], [4, 1, 3], [1, 5, 2], [8, 8, 3], [2, 20, 17], [17, 2, 1]] {
        for (lies, layout) in (0..8).flat_map(|lies| (0..5).map(move |layout| (lies, layout))) {
            let own = |axis: usize| if lies & (1 << axis) != 0 { shape[axis] } else { 1 };
            let m = Array3::from_fn([own(0), own(1), own(2)], |[i, j, k]| at(i, j, k + 3));
            let met = |[i, j, k]: [usize; 3]| {
                m[[i.min(own(0) - 1), j.min(own(1) - 1), k.min(own(2) - 1)]]
            };
            let x = Array3::from_fn(shape, |[i, j, k]| at(k, j, i));
            let mut memory = Array3::<f64>::zeros([a + 1, 2 * b, c + 2]);
            let mut whole = match layout {
                1 => Array3::<f64>::zeros([c, a, b]).permute([1, 2, 0]).unwrap(),
                2 => Array3::<f64>::zeros([b, a, c]).permute([1, 0, 2]).unwrap(),
                _ => Array3::<f64>::zeros(shape),
            };
            let mut out = match layout {
                3 => memory.slice_mut(s![1.., ..;2, 1..c + 1]).expect("a part"),
                4 => memory.slice_mut(s![..a;-1, ..b, ..c;-1]).expect("a part"),
                _ => whole.view_mut(),
            };
            let are = |found: View3<'_, f64>, want: &dyn Fn([usize; 3]) -> f64| {
                found.indexed_iter().all(|(index, found)| *found == want(index))
            };
            let mut check = |what: &str, holds: bool| {
                if !holds {
                    failures.push(format!("{shape:?} along {lies:03b}, layout {layout}: {what}"));
                }
            };
            out.assign(&x * &m).unwrap();
            check("assign", are(out.view(), &|index| x[index] * met(index)));
            let less = |index| x[index] * met(index) - met(index);
            check("a new array", are((&out - &m).eval().unwrap().view(), &less));
            let sums = (&out - &m).sum_axis(0).unwrap();
            let sum = |[j, k]: [usize; 2]| (0..a).map(|i| less([i, j, k])).sum::<f64>();
            check("summed", sums.indexed_iter().all(|(at, x)| (x - sum(at)).abs() < 1e-9));
            out -= &m;
            check("-=", are(out.view(), &less));
            out.zip_mut_with(&m, |x, m| *x = m + 1.0).unwrap();
            check("zip_mut_with", are(out.view(), &|index| met(index) + 1.0));
            out.assign(zip((&x, &m)).map(|(x, m)| x + m * 2.0)).unwrap();
            let zipped = |index| x[index] + met(index) * 2.0;
            check("zip", are(out.view(), &zipped));
            out += m.mapv(|x| x - 1.0);
            check("a closure", are(out.view(), &|index| zipped(index) + (met(index) - 1.0)));
            drop(out);
            let touched = memory.iter().filter(|x| **x != 0.0).count();
            check("beside it", touched <= if layout < 3 { 0 } else { a * b * c });
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}
