//! Reductions of what is computed before it is reduced, as a whole or slab by slab: to the bit
//! those of the array that it makes, however it is cut, and whatever operands lie like.

use conformance::support::execs::{Ways, in_pool};
use zerostride::prelude::*;

/// Elements of which no two sums are alike; some of them the largest of several.
fn at(index: [usize; 3]) -> f64 {
    let [i, j, k] = index;
    ((i * 31 + j * 17 + k * 7) % 1009) as f64 * 0.37 - ((i + j * 3 + k) % 11) as f64
}

/// What of an expression differs from that of its elements.
fn differing(found: &[Vec<f64>], expected: &[Vec<f64>]) -> Vec<usize> {
    let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits();
    let alike = |a: &[f64], b: &[f64]| a.len() == b.len() && a.iter().zip(b).all(same);
    (0..found.len()).filter(|&i| !alike(&found[i], &expected[i])).collect()
}

/// Sums, variances, largest elements and their places, along each axis, pairs of axes and all.
fn reduced<E>(x: E) -> Vec<Vec<f64>>
where
    E: Expr<Elem = f64, Rank = Rank<3>> + Copy,
{
    let mut all = Vec::new();
    for axis in 0..3 {
        all.push(x.sum_axis(axis).unwrap().to_vec());
        all.push(x.var_axis(axis, 0.0).unwrap().to_vec());
        all.push(x.max_axis(axis).unwrap().to_vec());
        let places = x.argmax_axis(axis).unwrap();
        all.push(places.iter().map(|&place| place as f64).collect());
    }
    for axes in [[0, 1], [0, 2], [1, 2]] {
        all.push(x.sum_axis(axes).unwrap().to_vec());
        let places = x.argmax_axis(axes).unwrap();
        all.push(places.iter().map(|&place| place as f64).collect());
    }
    all.push(vec![x.sum().unwrap(), x.var(0.0).unwrap(), x.argmax().unwrap() as f64]);
    all
}

#[test]
fn are_those_of_the_elements() {
    let shapes = [
        [3, 4, 5],
        [1, 1, 150_000],
        [150_000, 1, 1],
        [1, 600, 230],
        [1, 121, 1100],
        [9, 20_011, 1],
        [20_011, 3, 3],
        [2, 3, 30_011],
        [50, 41, 67],
        [17, 1, 10_007],
        [2111, 1, 71],
        [1, 2111, 70],
    ];
    let mut failures = Vec::new();
    for (turn, shape) in shapes.into_iter().enumerate() {
        let [p, q, r] = shape;
        let plain = Array3::from_shape_fn(shape, |(i, j, k)| at([i, j, k]));
        let other = Array3::from_shape_fn([r, q, p], |(k, j, i)| at([i, j, k]));
        let turned = other.permuted_axes([2, 1, 0]).unwrap();
        let reversed = plain.slice(s![..;-1, .., ..;-1]).unwrap();
        let row = Array1::from_shape_fn([r], |k| at([0, 0, k]));
        let (of_plain, of_turned) = (&plain * 2.0 + 1.0, turned * 2.0 - plain.view());
        let (of_reversed, of_row) = (reversed.abs(), plain.view() + row.along([2]) * 0.5);
        let square = |x: f64| x * x;
        let of_closure = reversed.mapv(&square);
        macro_rules! compare {
            ($($number:literal $what:ident)*) => {$(
                // Two of them for each shape: all of all take a minute.
                let turns = (turn + $number) % 5 < 2;
                let elements = $what.eval().unwrap();
                let expected = if turns { reduced(&elements) } else { Vec::new() };
                for way in Ways::Turn(turn).list().into_iter().filter(|_| turns) {
                    let found = in_pool(|| way.0.install(|| reduced($what)));
                    for number in differing(&found, &expected) {
                        let what = stringify!($what);
                        failures.push(format!("{what} {shape:?}, {way}: number {number}"));
                    }
                }
            )*};
        }
        compare!(0 of_plain 1 of_turned 2 of_reversed 3 of_row 4 of_closure);
    }
    assert!(failures.is_empty(), "{} failures: {failures:#?}", failures.len());
}
