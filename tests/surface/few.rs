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
