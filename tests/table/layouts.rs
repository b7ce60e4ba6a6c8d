//! Few operations through all layouts: of each operand against each of the other, with destinations
//! that take turns.

use super::check::{Target, binary, binary_along, update};
use conformance::naive::scalar::Scalar;
use conformance::support::execs::in_pool;
use conformance::support::{Held, Recipe, Report, TestElement, Ways};
use zerostride::ops::{self, Op};
use zerostride::{Complex, f16};

/// Subtraction, which tells its operands apart, of every layout and every other one, of arrays of
/// these shapes; of large ones, a fraction of the pairs, in which each layout occurs on both sides.
fn pairs<T>(lhs: &[usize], rhs: &[usize], dims: &[usize], one_in: usize)
where
    T: TestElement,
    ops::Sub: Op<(T, T), Output = T>,
{
    let mut report = Report::new("pairs of layouts");
    let shape = conformance::naive::binary_shape(lhs, rhs, dims).expect("the shapes fit");
    let outs = Recipe::all(shape.len());
    let mut number = 0;
    in_pool(|| {
        for (i, a) in Recipe::all_readable(lhs.len()).iter().enumerate() {
            for (j, b) in Recipe::all_readable(rhs.len()).iter().enumerate() {
                if (i + j) % one_in != 0 {
                    continue;
                }
                number += 1;
                let (a, b) =
                    (Held::<T>::ordinary(lhs, a, number), Held::ordinary(rhs, b, number + 5));
                let out = &outs[number % outs.len()];
                let target = Target { ways: Ways::Turn(number), ..Target::exact(out) };
                let case = ("sub", ops::Sub, T::sub as fn(T, T) -> T);
                if lhs.len() == rhs.len() || number % 2 == 0 {
                    binary(&mut report, case, (&a, &b, dims), target);
                } else {
                    binary_along(&mut report, case, (&a, &b, dims), target);
                }
            }
        }
    });
    report.finish(number);
}

/// The tests: element type, shapes of the operands, where the smaller one lies, and which fraction
/// of the pairs.
macro_rules! tests {
    ($($test:ident: $type:ty, $lhs:expr, $rhs:expr, $dims:expr $(, one in $one_in:literal)?;)*) => {$(
        #[test]
        fn $test() {
            pairs::<$type>(&$lhs, &$rhs, &$dims, 1 $(* $one_in)?);
        }
    )*};
}

// Sizes that cross the capacity of a box (16 KiB: 4096 elements of four bytes) and the side of a
// tile (64, 16) along several axes.
tests! {
    long_rows: i32, [2, 4110], [2, 4110], [], one in 2;
    long_columns: i32, [4110, 2], [4110, 2], [], one in 2;
    matrices: i32, [67, 131], [67, 131], [], one in 2;
    bytes: u8, [33, 65], [33, 65], [];
    wide_elements: Complex<f64>, [66, 35], [66, 35], [];
    row_by_column: f64, [1, 131], [41, 1], [];
    columns_of_a_matrix: f16, [40], [40, 37], [0];
    rows_of_a_matrix: i64, [40, 37], [37], [1];
    vectors: i16, [1050], [1050], [];
    blocks: i32, [11, 5, 23], [11, 5, 23], [];
    slabs: i32, [2, 3, 170], [2, 3, 170], [];
    cubes: i16, [18, 17, 19], [18, 1, 19], [], one in 4;
    outer_of_blocks: i32, [37, 1, 13], [5, 13], [1, 2];
    outer_axis_of_blocks: i32, [2, 41, 33], [2, 33], [0, 2];
    rank_4: i32, [5, 1, 8, 17], [5, 6, 1, 17], [];
    rank_8: i32, [2, 1, 3, 2, 1, 2, 3, 2], [2, 2, 3, 1, 2, 2, 3, 2], [];
    rank_12: i32, [2, 1, 2, 1, 3, 1, 2, 1, 2, 1, 5, 2], [3, 2, 2], [4, 8, 11];
    rank_0: i32, [], [], [];
    single: i32, [1, 1], [1, 1], [];
    scalar_and_matrix: i32, [], [36, 31], [];
    no_rows: i32, [0, 3], [1, 3], [];
    no_columns: i32, [3], [3, 0], [0];
    nothing_in_the_middle: i32, [2, 0, 4], [2, 1, 4], [];
}

/// In place, through every layout of the destination and every one of the operand.
#[test]
fn updates() {
    let mut report = Report::new("updates");
    let shapes: [(&[usize], &[usize], &[usize]); 5] = [
        (&[3, 1030], &[3, 1030], &[]),
        (&[36, 45], &[36, 1], &[]),
        (&[36, 45], &[45], &[1]),
        (&[9, 5, 23], &[5, 23], &[1, 2]),
        (&[1025], &[], &[]),
    ];
    let mut number = 0;
    in_pool(|| {
        for (shape, operand, dims) in shapes {
            for out in &Recipe::all(shape.len()) {
                for recipe in &Recipe::all_readable(operand.len()) {
                    let b = Held::<i32>::ordinary(operand, recipe, 3);
                    number += 1;
                    let target = Target { ways: Ways::Turn(number), ..Target::exact(out) };
                    update(&mut report, ("sub", ops::Sub, Scalar::sub), (shape, &b, dims), target);
                }
            }
        }
    });
    report.finish(500);
}
