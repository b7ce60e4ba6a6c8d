//! Parts of matrices with gaps: every second, third, fourth or fifth row and column, from either
//! end, of few elements and of more than are gone over one by one. Element by element, and nothing
//! beside them is written.

use zerostride::Error;
use zerostride::prelude::*;

/// The steps down and across.
const STEPS: [[isize; 2]; 7] = [[2, 2], [1, 2], [1, 3], [3, 4], [2, -2], [-1, -4], [2, 5]];

/// The extents of a part: of rows that are short, that have more than is computed in place, and of
/// more elements than are gone over one by one.
const EXTENTS: [[usize; 2]; 6] = [[1, 40], [5, 9], [40, 90], [3, 700], [200, 170], [300, 240]];

/// The part of a matrix with these steps.
macro_rules! part {
    ($matrix:expr, $slice:ident, $steps:expr) => {
        $matrix.$slice(s![..;$steps[0], ..;$steps[1]])?
    };
}

/// Whether an array has these elements.
fn is(array: &Array2<f64>, at: impl Fn(usize, usize) -> f64) -> bool {
    array.indexed_iter().all(|([i, j], &x)| x.to_bits() == at(i, j).to_bits())
}

#[test]
fn are_gone_over_element_by_element() -> Result<(), Error> {
    let mut failures = Vec::new();
    for (steps, extents) in STEPS.iter().flat_map(|steps| EXTENTS.map(|extents| (steps, extents))) {
        let [rows, columns] = [0, 1].map(|axis| extents[axis] * steps[axis].unsigned_abs());
        let number = |(i, j): (usize, usize)| (i * 31 + j * 7 % 23) as f64 - 40.5;
        let x = Array2::from_shape_fn([rows, columns], number);
        let y = Array2::from_shape_fn([rows, columns], |(i, j)| number((j, i)) * 0.25);
        let z = Array2::from_shape_fn(extents, |(i, j)| (i + 3 * j) as f64);
        // Where an element of the part lies.
        let place = |at: usize, axis: usize| {
            let step = steps[axis].unsigned_abs();
            let last = extents[axis] * step - 1;
            if steps[axis] < 0 { last - at * step } else { at * step }
        };
        let of = |m: &Array2<f64>, i: usize, j: usize| m[[place(i, 0), place(j, 1)]];
        let (low, high) = (-10.0, 55.0);
        let clamp = |v: f64| {
            if v < low {
                low
            } else if v > high {
                high
            } else {
                v
            }
        };
        let mut check = |what: &str, as_wanted: bool| {
            if !as_wanted {
                failures.push(format!("{what}, {extents:?} by {steps:?}"));
            }
        };
        let (a, b) = (part!(x, slice, steps), part!(y, slice, steps));
        check("new sum", is(&(a + b).eval()?, |i, j| of(&x, i, j) + of(&y, i, j)));
        let sum = |i: usize, j: usize| (of(&x, i, j) - z[[i, j]]) * 2.0;
        check("new, beside a matrix", is(&((a - &z) * 2.0).eval()?, sum));
        check("new by a closure", is(&a.mapv(clamp).eval()?, |i, j| clamp(of(&x, i, j))));
        check("new root", is(&b.abs().sqrt().eval()?, |i, j| of(&y, i, j).abs().sqrt()));
        let mut update = |what: &str,
                          change: &dyn Fn(&mut Array2<f64>) -> Result<(), Error>,
                          value: &dyn Fn(usize, usize) -> f64|
         -> Result<(), Error> {
            let mut m = x.clone();
            change(&mut m)?;
            let mut wanted = x.clone();
            for (i, j) in (0..extents[0]).flat_map(|i| (0..extents[1]).map(move |j| (i, j))) {
                wanted[[place(i, 0), place(j, 1)]] = value(i, j);
            }
            check(what, is(&m, |i, j| wanted[[i, j]]));
            Ok(())
        };
        update(
            "*= scalar",
            &|m| {
                let mut part = part!(m, slice_mut, steps);
                part *= 3.0;
                Ok(())
            },
            &|i, j| of(&x, i, j) * 3.0,
        )?;
        update(
            "+= matrix",
            &|m| {
                let mut part = part!(m, slice_mut, steps);
                part += &z;
                Ok(())
            },
            &|i, j| of(&x, i, j) + z[[i, j]],
        )?;
        update(
            "-= part",
            &|m| {
                let mut part = part!(m, slice_mut, steps);
                part -= b;
                Ok(())
            },
            &|i, j| of(&x, i, j) - of(&y, i, j),
        )?;
        update("assign", &|m| part!(m, slice_mut, steps).assign(b * 0.5), &|i, j| {
            of(&y, i, j) * 0.5
        })?;
        let closure = |m: &mut Array2<f64>| {
            part!(m, slice_mut, steps).mapv_inplace(clamp);
            Ok(())
        };
        update("by a closure", &closure, &|i, j| clamp(of(&x, i, j)))?;
    }
    assert!(failures.is_empty(), "{} failures: {failures:#?}", failures.len());
    Ok(())
}
