//! Few elements in typed matrices, as small programs have them: several operations on operands that
//! lie in all ways, and arrays that are given away.

use conformance::support::Report;
use zerostride::prelude::*;
use zerostride::{Array2, View2};

/// A matrix that lies in one of several ways in memory that it does not fill.
struct Lying {
    memory: Array2<f64>,
    way: usize,
}

/// The ways: whole, turned over, a window, every other row and column, every fourth column,
/// reversed, a column that repeats, a row that does.
const WAYS: usize = 8;

impl Lying {
    /// Of this shape; `seed` makes others of its elements.
    fn new([m, n]: [usize; 2], way: usize, seed: usize) -> Self {
        let shape = match way {
            1 => [n, m],
            2 => [m + 2, n + 3],
            3 => [2 * m, 2 * n + 1],
            4 => [m, 4 * n],
            6 => [m, 1],
            7 => [1, n],
            _ => [m, n],
        };
        let value = |[i, j]: [usize; 2]| ((i * 31 + j * 17 + seed * 7) % 23) as f64 - 11.5;
        Lying { memory: Array2::from_fn(shape, value), way }
    }

    fn view(&self) -> View2<'_, f64> {
        let all = self.memory.view();
        match self.way {
            1 => all.reversed_axes(),
            2 => all.slice_move(s![1..-1, 2..-1]).unwrap(),
            3 => all.slice_move(s![..;2, 1..;2]).unwrap(),
            4 => all.slice_move(s![.., ..;4]).unwrap(),
            5 => all.slice_move(s![..;-1, ..;-1]).unwrap(),
            _ => all,
        }
    }

    /// The element at an index of the shape.
    fn at(&self, [i, j]: [usize; 2]) -> f64 {
        let view = self.view();
        let [m, n] = view.dim();
        view[[if m == 1 { 0 } else { i }, if n == 1 { 0 } else { j }]]
    }
}

/// Shapes around the lengths at which ways change: short rows and long ones, few rows and many; and
/// so many that what does not lie in rows is copied in bands, or gathered row by row.
const SHAPES: [[usize; 2]; 18] = [
    [1, 1],
    [1, 7],
    [6, 1],
    [2, 2],
    [3, 4],
    [4, 8],
    [8, 8],
    [0, 5],
    [5, 0],
    [17, 3],
    [16, 7],
    [30, 30],
    [150, 5],
    [5, 200],
    [70, 33],
    [40, 64],
    [130, 100],
    [20, 300],
];

/// All elements of a result of this shape, by a function of the index.
fn each(shape: [usize; 2], f: impl Fn([usize; 2]) -> f64) -> Vec<u64> {
    let rows = (0..shape[0]).flat_map(|i| (0..shape[1]).map(move |j| [i, j]));
    rows.map(|index| bits_of(f(index))).collect()
}

fn bits(x: &Array2<f64>) -> Vec<u64> {
    x.to_vec().into_iter().map(bits_of).collect()
}

/// The bits of a number; of any NaN the same.
fn bits_of(x: f64) -> u64 {
    if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() }
}

#[test]
fn few_elements_of_several_operations() {
    let mut report = Report::new("several operations");
    let mut number = 0;
    for shape in SHAPES {
        for ways in 0..WAYS * WAYS * WAYS {
            let ways = [ways % WAYS, ways / WAYS % WAYS, ways / (WAYS * WAYS)];
            // Of large ones, some.
            number += 1;
            if shape[0] * shape[1] > 100 && number % 7 != 0 {
                continue;
            }
            let [a, b, c] = ways.map(|way| Lying::new(shape, way, number));
            let (x, y, z) = (a.view(), b.view(), c.view());
            // What stretches together to another shape has a test of its own.
            let whole = ways.iter().any(|&way| way < 6);
            if !whole {
                continue;
            }
            let at = |index| (a.at(index), b.at(index), c.at(index));
            let row = |what: &str| format!("{what} of {shape:?} in ways {ways:?}");
            let sums = (x + y - z + x * 2.0 - y).eval().unwrap();
            report.equal(
                row("five operands"),
                bits(&sums),
                each(shape, |index| {
                    let (x, y, z) = at(index);
                    x + y - z + x * 2.0 - y
                }),
            );
            let roots = ((x.square() + y.square()).sqrt() / (z.square() + 0.5)).eval().unwrap();
            report.equal(
                row("roots"),
                bits(&roots),
                each(shape, |index| {
                    let (x, y, z) = at(index);
                    (x * x + y * y).sqrt() / (z * z + 0.5)
                }),
            );
            let divided = (x / y.abs().sqrt() + z.sqrt()).eval().unwrap();
            report.equal(
                row("roots of what may repeat"),
                bits(&divided),
                each(shape, |index| {
                    let (x, y, z) = at(index);
                    x / y.abs().sqrt() + z.sqrt()
                }),
            );
        }
    }
    report.finish(6000);
}

#[test]
fn few_elements_of_arrays_given_away() {
    let mut report = Report::new("arrays given away");
    for shape in SHAPES {
        for way in 0..WAYS {
            for turned in [false, true] {
                let (a, b) = (Lying::new(shape, usize::from(turned), 3), Lying::new(shape, way, 8));
                let (x, y) = (a.view(), b.view());
                // As it lies: in column-major order, too.
                let own = || match turned {
                    true => x.reversed_axes().to_owned().reversed_axes(),
                    false => x.to_owned(),
                };
                let row = |what: &str| format!("{what} of {shape:?}, {turned}, beside way {way}");
                let expected = |f: fn(f64, f64) -> f64| each(shape, |i| f(a.at(i), b.at(i)));
                let given = own();
                let at = given.as_ptr();
                let sub = (given - y).eval().unwrap();
                report.holds(row("the memory"), sub.is_empty() || sub.as_ptr() == at);
                report.equal(row("less"), bits(&sub), expected(|x, y| x - y));
                let mul = (own() * y.abs()).eval().unwrap();
                report.equal(row("times"), bits(&mul), expected(|x, y| x * y.abs()));
                let two = ((own() - y) * y).eval().unwrap();
                report.equal(row("two operations"), bits(&two), expected(|x, y| (x - y) * y));
                let right = (y / own()).eval().unwrap();
                report.equal(row("at the right"), bits(&right), expected(|x, y| y / x));
            }
        }
        // What is stretched itself.
        let (row, column) = (Lying::new(shape, 7, 1), Lying::new(shape, 6, 2));
        let stretched = (row.memory.clone() - &column.memory).eval().unwrap();
        report.equal(
            format!("a row of {shape:?} less a column"),
            bits(&stretched),
            each(shape, |index| row.at(index) - column.at(index)),
        );
    }
    report.finish(1280);
    // What does not fit is named as it is elsewhere.
    let (a, b) = (Array2::<f64>::zeros([2, 3]), Array2::<f64>::zeros([2, 4]));
    let given = (a.clone() + &b).eval().unwrap_err().to_string();
    assert_eq!(given, (&a + &b).eval().unwrap_err().to_string());
}

/// Planes of three axes, whose elements lie near to each other or each on a line of the cache of
/// its own, turned over or not: updates of them, which leave the other planes as they were, and new
/// arrays.
#[test]
fn planes_that_lie_apart() {
    let mut report = Report::new("planes that lie apart");
    for [m, n, planes] in
        [[3, 5, 8], [17, 17, 8], [20, 17, 16], [1, 300, 9], [130, 131, 8], [40, 30, 3]]
    {
        let value = |[i, j, l]: [usize; 3]| ((i * 31 + j * 17 + l * 7) % 23) as f64 - 11.0;
        let all = Array3::from_fn([m, n, planes], value);
        for turned in [false, true] {
            let shape @ [rows, columns] = if turned { [n, m] } else { [m, n] };
            let at = |[i, j]: [usize; 2]| value(if turned { [j, i, 1] } else { [i, j, 1] });
            let matrix = Array2::from_fn(shape, |[i, j]| (i * 3 + j) as f64);
            let down = Array1::from_fn([rows], |[i]| i as f64 - 2.0);
            let across = Array1::from_fn([columns], |[j]| j as f64 * 2.0);
            let want = |way: usize| {
                each(shape, |[i, j]| match way {
                    0 => at([i, j]) - 1.5,
                    1 => at([i, j]) - matrix[[i, j]],
                    2 => at([i, j]) * down[i],
                    3 => at([i, j]) + (matrix[[i, j]] * 2.0 + across[j]),
                    _ => at([i, j]) + at([rows - 1 - i, j]),
                })
            };
            for way in 0..5 {
                let row = |what: &str| format!("{what} of {shape:?}, turned {turned}, way {way}");
                let plane = all.index_axis(2, 1).unwrap();
                let plane = if turned { plane.reversed_axes() } else { plane };
                let upside_down = plane.slice(s![..;-1, ..]).unwrap();
                let mut updated = all.clone();
                let mut slots = updated.index_axis_mut(2, 1).unwrap();
                if turned {
                    slots = slots.reversed_axes();
                }
                let new = match way {
                    0 => {
                        slots -= 1.5;
                        (plane - 1.5).eval()
                    }
                    1 => {
                        slots -= &matrix;
                        (plane - &matrix).eval()
                    }
                    2 => {
                        slots *= down.along([0]);
                        (plane * down.along([0])).eval()
                    }
                    3 => {
                        slots += &matrix * 2.0 + across.along([1]);
                        (plane + (&matrix * 2.0 + across.along([1]))).eval()
                    }
                    _ => {
                        slots += upside_down;
                        (plane + upside_down).eval()
                    }
                };
                report.equal(row("new"), bits(&new.unwrap()), want(way));
                report.equal(row("updated"), bits(&slots.to_owned()), want(way));
                let others = (0..planes).filter(|&l| l != 1);
                let mut kept = others
                    .map(|l| updated.index_axis(2, l).unwrap() == all.index_axis(2, l).unwrap());
                report.holds(row("the other planes"), kept.all(|kept| kept));
            }
        }
    }
    report.finish(180);
}
