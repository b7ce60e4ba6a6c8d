//! Results of some thousand elements, of which some array is not in row-major order: computed some
//! rows at a time, of copies of as many.

use zerostride::prelude::*;
use zerostride::{Complex, Exec};

/// A number for an index, without any order; each is one of a byte.
fn at([i, j, k]: [usize; 3]) -> u8 {
    ((i * 7919 + j * 104_729 + k * 31) % 13) as u8
}

/// What each way of an expression makes of its elements, of one type.
fn check<T: Number>(failures: &mut Vec<String>, [a, b, c]: [usize; 3], from: fn(u8) -> T) {
    let of = |shape: [usize; 3], order: [usize; 3]| {
        Array3::from_fn(shape, |index| from(at(order.map(|axis| index[axis]))))
    };
    let x = of([a, b, c], [0, 1, 2]);
    let turned = of([c, b, a], [1, 2, 0]);
    let turned = turned.reversed_axes();
    let swapped = of([b, a, c], [2, 0, 1]);
    let swapped = swapped.permute([1, 0, 2]).expect("axes");
    let wide = of([2 * a, b + 1, c + 2], [0, 2, 1]);
    let wide = wide.slice(s![..;-2, 1.., 2..]).expect("a part");
    let ones = of([1, b, 1], [0, 1, 2]);
    let plane = Array2::from_fn([a, c], |[i, k]| from(at([k, 3, i])));
    let column = Array1::from_fn(a, |[i]| from(at([3, i, 1])));
    let row = Array1::from_fn(c, |[k]| from(at([k, 5, 1])));
    let rows = iota::<usize>(0).mapv(move |i: usize| from((i % 11) as u8));
    let mut same = |what: &str, found: Array3<T>, element: &dyn Fn([usize; 3]) -> T| {
        let expected = Array3::from_fn([a, b, c], element);
        if found.shape() != [a, b, c] || !found.iter().eq(expected.iter()) {
            let size = size_of::<T>();
            failures.push(format!("{what} of {:?}, {size} bytes", [a, b, c]));
        }
    };
    let into = |f: &dyn Fn(&mut ViewMut3<'_, T>)| {
        let mut into = x.clone();
        f(&mut into.view_mut());
        into
    };
    same("turned", (&x + &turned).eval().unwrap(), &|i| x[i] + turned[i]);
    same("both", (&turned * &swapped).eval().unwrap(), &|i| turned[i] * swapped[i]);
    same("turned alone", (&turned + &turned).eval().unwrap(), &|i| turned[i] + turned[i]);
    same("a part", (wide + &swapped).eval().unwrap(), &|i| wide[i] + swapped[i]);
    same(
        "beside what repeats",
        (&turned + column.along([0]) * &x + row.along([2])).eval().unwrap(),
        &|i| turned[i] + column[i[0]] * x[i] + row[i[2]],
    );
    same("a plane", (&swapped * plane.along([0, 2])).eval().unwrap(), &|i| {
        swapped[i] * plane[[i[0], i[2]]]
    });
    same("assigned", into(&|to| to.assign(&turned * &x + &swapped).unwrap()), &|i| {
        turned[i] * x[i] + swapped[i]
    });
    same("extents of one", into(&|to| *to += numpy(&ones) * &turned), &|i| {
        x[i] + ones[[0, i[1], 0]] * turned[i]
    });
    same("updated", into(&|to| *to += &turned), &|i| x[i] + turned[i]);
    same("the index", (&turned + rows).eval().unwrap(), &|i| turned[i] + from((i[0] % 11) as u8));
    same("NumPy's rule", into(&|to| to.assign(numpy(&row) * &turned).unwrap()), &|i| {
        row[i[2]] * turned[i]
    });
}

#[test]
fn of_some_rows() {
    let mut failures = Vec::new();
    // Of a few thousand bytes to many, with a last band that is shorter, and rows that are so long
    // that bands do not fit on the stack.
    let shapes = [
        [64, 1, 64],
        [65, 1, 70],
        [200, 1, 33],
        [33, 1, 300],
        [20, 1, 2000],
        [600, 1, 7],
        [3000, 1, 1],
        [30, 9, 10],
        [129, 3, 16],
        [17, 40, 30],
    ];
    for shape in shapes {
        for exec in [Exec::new().parallel(false), Exec::new().grain(1)] {
            exec.install(|| {
                check::<f64>(&mut failures, shape, f64::from);
                check::<f32>(&mut failures, shape, f32::from);
                check::<u8>(&mut failures, shape, |x| x / 4);
                check::<i64>(&mut failures, shape, i64::from);
                check::<Complex<f64>>(&mut failures, shape, |x| Complex::new(x.into(), 1.0));
            });
        }
    }
    assert!(failures.is_empty(), "{} failures: {failures:#?}", failures.len());
}

/// What has as many rows as a band, and not as many as the result, is an error.
#[test]
fn of_other_shapes() {
    let (x, turned) = (Array2::<f64>::zeros([64, 64]), Array2::<f64>::zeros([64, 64]));
    for rows in [2, 8, 16, 24, 32, 63] {
        let y = Array2::<f64>::ones([rows, 64]);
        let mut into = x.clone();
        assert!((turned.t() + &x + &y).eval().is_err(), "{rows}");
        assert!(into.assign(turned.t() + &y).is_err(), "{rows}");
        assert!(into.assign(&y).is_err() && into == x, "{rows}");
    }
}
