//! Every example of the two texts this library follows: XLA's "Broadcasting semantics", and a
//! lecture on NumPy's broadcasting.
//!
//! Each one prints the code that runs, for each operand its shape and the strides it is read with
//! (0: it repeats along that axis, nothing is copied), and the result. Each one is checked, too:
//! the program fails if a result or an error is not the expected one.
//!
//! ```sh
//! cargo run --release -p zerostride --example tour
//! ```

use std::fmt::Display;
use zerostride::prelude::*;
use zerostride::{Dimension, Element, Error, ErrorKind, RankOf, ResultRank, add, mul};

/// Evaluates an expression, shows it, and checks the result: `show!([operands, ..], expression,
/// expected)`.
///
/// The operands are named in the order in which the expression has them.
macro_rules! show {
    ([$($operand:ident),+], $expr:expr, $want:expr) => {
        show(stringify!($expr), &[$((stringify!($operand), $operand.shape())),+], $expr, &$want)?
    };
}

/// Checks that something is refused for the expected reason, and shows the error.
macro_rules! refuse {
    ($code:expr, $kind:pat) => {{
        let error = $code.err().expect("this example is refused");
        assert!(matches!(error.kind(), $kind), "refused for another reason: {error}");
        refused(stringify!($code), &error);
    }};
}

fn main() -> Result<(), Error> {
    section("XLA: broadcasting semantics");
    lower_rank_onto_higher()?;
    formal_definition()?;
    degenerate_dimensions()?;
    composition()?;

    section("A lecture on NumPy's broadcasting");
    scaling()?;
    lecture_rule()?;
    lecture_examples()?;
    lecture_exercise()?;

    println!("\nAll results are as expected.");
    Ok(())
}

fn lower_rank_onto_higher() -> Result<(), Error> {
    title("A matrix and a vector: (2,3) and (3)");
    let x = array![[1, 2, 3], [4, 5, 6]];
    let v = array![7, 8, 9];
    let sum = array![[8, 10, 12], [11, 13, 15]];
    show!([x, v], &x + v.along([1]), sum);
    text("The same in the words of XlaBuilder, Add(lhs, rhs, broadcast_dimensions):");
    show!([x, v], add(&x, &v, [1])?, sum);

    title("Without broadcasting dimensions it is invalid");
    text(
        "`&x + &v` does not compile, because the ranks differ in type. With ranks known only at run time it is an error:",
    );
    let (xd, vd) = (x.as_dyn(), v.as_dyn());
    refuse!((xd + vd).eval(), ErrorKind::UnequalRanks { .. });
    refuse!(add(&x, &v, []), ErrorKind::UnequalRanks { .. });

    title("A scalar needs no dimensions");
    show!([x], &x + 7, array![[8, 9, 10], [11, 12, 13]]);

    title("A 3x3 matrix and a vector: dimension 1, or dimension 0");
    let m = array![[10, 20, 30], [40, 50, 60], [70, 80, 90]];
    view(
        "v.broadcast_in_dim([3, 3], [1])",
        v.broadcast_in_dim([3, 3], [1])?,
        [[7, 8, 9]; 3].into(),
    );
    show!([m, v], &m + v.along([1]), array![[17, 28, 39], [47, 58, 69], [77, 88, 99]]);
    view(
        "v.broadcast_in_dim([3, 3], [0])",
        v.broadcast_in_dim([3, 3], [0])?,
        [[7; 3], [8; 3], [9; 3]].into(),
    );
    show!([m, v], &m + v.along([0]), array![[17, 27, 37], [48, 58, 68], [79, 89, 99]]);

    title("Dimension 0 is invalid for (2,3) and (3)");
    refuse!(
        (&x + v.along([0])).eval(),
        ErrorKind::DimExtent { axis: 0, dim: 0, operand_extent: 3, target_extent: 2, .. }
    );

    title("A 2x3x4 cuboid and a 3x4 matrix: dimensions (1,2)");
    let cuboid = Array3::from_fn([2, 3, 4], |[i, j, k]| 100 * (i + 1) + 4 * j + k);
    let matrix = Array2::from_fn([3, 4], |[j, k]| 1000 * (4 * j + k));
    let want = Array3::from_fn([2, 3, 4], |[i, j, k]| 100 * (i + 1) + 1001 * (4 * j + k));
    show!([cuboid, matrix], &cuboid + matrix.along([1, 2]), want);
    Ok(())
}

fn formal_definition() -> Result<(), Error> {
    title("MxNxPxQ and a vector T, at each dimension");
    text(
        "x[m, n, p, q] has the digits mnpq, and t[i] = 10000 (i + 1): a result 31204 is t[2] + x[1, 2, 0, 4].",
    );
    let x = Array4::from_fn([2, 3, 4, 5], |[m, n, p, q]| 1000 * m + 100 * n + 10 * p + q);
    println!("\n      x  {:?}  strides {:?}", x.shape(), x.strides());
    for dim in (0..4).rev() {
        let t = Array1::from_fn(x.shape()[dim], |[i]| 10_000 * (i + 1));
        let want = Array4::from_fn([2, 3, 4, 5], |index| x[index] + t[index[dim]]);
        table_row(&format!("x + t.along([{dim}])"), t.shape(), &x + t.along([dim]), &want)?;
    }

    title("MxNxPxQ and a matrix TxV, at each pair of dimensions");
    text("tv[i, j] = 100000 (i + 1) + 10000 (j + 1).");
    println!();
    for dims in [[2, 3], [1, 2], [0, 3], [0, 1], [0, 2], [1, 3]] {
        let extents = dims.map(|dim| x.shape()[dim]);
        let tv = Array2::from_fn(extents, |[i, j]| 100_000 * (i + 1) + 10_000 * (j + 1));
        let want = Array4::from_fn([2, 3, 4, 5], |index| x[index] + tv[dims.map(|dim| index[dim])]);
        table_row(&format!("x + tv.along({dims:?})"), tv.shape(), &x + tv.along(dims), &want)?;
    }

    title("The order of dimensions has to be strictly increasing");
    text("V to N and T to P:");
    let tv = Array2::<usize>::zeros([4, 3]);
    refuse!(
        (&x + tv.along([2, 1])).eval(),
        ErrorKind::DimsOrder { axis: 1, dim: 1, previous: 2, .. }
    );
    text(
        "V to both P and N. `tv.along([0, 2, 1])` does not compile, because a matrix has two axes; at run time:",
    );
    let tv = Array2::<usize>::zeros([2, 4]);
    refuse!(add(&x, &tv, [0, 2, 1]), ErrorKind::DimsLength { .. });
    text("Both T and V to one dimension:");
    let tv = Array2::<usize>::zeros([4, 4]);
    refuse!(
        (&x + tv.along([2, 2])).eval(),
        ErrorKind::DimsOrder { axis: 1, dim: 2, previous: 2, .. }
    );
    Ok(())
}

fn degenerate_dimensions() -> Result<(), Error> {
    title("Equal ranks: extents are equal, or one of them is 1");
    text("1. (2,1) and (2,3):");
    let (a, b) = (array![[10], [20]], array![[1, 2, 3], [4, 5, 6]]);
    show!([a, b], &a + &b, array![[11, 12, 13], [24, 25, 26]]);

    text("2. (1,2,5) and (7,2,5), elements [i, j, k] having the digits ijk:");
    let digits = |[i, j, k]: [usize; 3]| 100 * i + 10 * j + k;
    let (a, b) = (Array3::from_fn([1, 2, 5], digits), Array3::from_fn([7, 2, 5], digits));
    show!([a, b], &a + &b, Array3::from_fn([7, 2, 5], |[i, j, k]| 100 * i + 20 * j + 2 * k));

    text("3. (7,2,5) and (7,1,5):");
    let (a, b) = (Array3::from_fn([7, 2, 5], digits), Array3::from_fn([7, 1, 5], digits));
    show!([a, b], &a + &b, Array3::from_fn([7, 2, 5], |[i, j, k]| 200 * i + 10 * j + 2 * k));

    text("4. (7,2,5) and (7,2,6) are incompatible:");
    let (a, b) = (Array3::from_fn([7, 2, 5], digits), Array3::from_fn([7, 2, 6], digits));
    refuse!(
        (&a + &b).eval(),
        ErrorKind::Incompatible { axis: 2, lhs_extent: 5, rhs_extent: 6, .. }
    );

    title("Both stretch: an outer operation, (2,1) and (1,3)");
    let (column, row) = (array![[10], [20]], array![[1, 2, 3]]);
    show!([column, row], &column + &row, array![[11, 12, 13], [21, 22, 23]]);
    Ok(())
}

fn composition() -> Result<(), Error> {
    title("Both kinds at once: (4) and (1,2) with dimension (0)");
    let (v, row) = (array![1, 2, 3, 4], array![[5, 6]]);
    let want = array![[6, 7], [7, 8], [8, 9], [9, 10]];
    show!([v, row], v.along([0]) + &row, want);
    show!([v, row], add(&v, &row, [0])?, want);

    title("(1,2) and (4,3,1) with dimensions (1,2)");
    let matrix = array![[1000, 2000]];
    let cuboid = Array3::from_fn([4, 3, 1], |[i, j, _]| 10 * i + j);
    let want = Array3::from_fn([4, 3, 2], |[i, j, k]| 1000 * (k + 1) + 10 * i + j);
    show!([matrix, cuboid], matrix.along([1, 2]) + &cuboid, want);
    Ok(())
}

fn scaling() -> Result<(), Error> {
    title("An array and a scalar: (3,) and ()");
    let a = array![1, 2, 3];
    let b = 7;
    show!([a], &a * b, array![7, 14, 21]);
    let b = Array0::full([], 7);
    text(
        "A scalar in an array of rank 0 is an operand like any other; it has no axes, so all its strides in the result are 0:",
    );
    show!([a, b], &a * &b, array![7, 14, 21]);

    title("Each row by its own factor, each column by its own factor");
    let a = array![[1., 2., 3.], [4., 5., 6.]];
    let b = array![1., 10.];
    let c = array![0.1, 1., 10.];
    show!([a, b], &a * b.along([0]), array![[1., 2., 3.], [40., 50., 60.]]);
    show!([a, c], &a * c.along([1]), array![[0.1, 2., 30.], [0.4, 5., 60.]]);
    Ok(())
}

fn lecture_rule() -> Result<(), Error> {
    title("The rule of NumPy: align the shapes at the right, (3,4) and (4,)");
    let a = array![[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]];
    let b = array![10, 20, 30, 40];
    let want = array![[11, 22, 33, 44], [15, 26, 37, 48], [19, 30, 41, 52]];
    text("Here it has to be asked for by name:");
    show!([a, b], numpy(&a) + numpy(&b), want);
    text("The explicit form says the same, and says where:");
    show!([a, b], &a + b.along([1]), want);
    text(
        "No intermediate matrix is made. This is the view that the loop reads, four numbers in memory:",
    );
    view("b.broadcast_to([3, 4])", b.broadcast_to([3, 4])?, [[10, 20, 30, 40]; 3].into());
    Ok(())
}

fn lecture_examples() -> Result<(), Error> {
    let a = array![[1., 2., 3., 4.], [5., 6., 7., 8.]];

    title("Example 1: (2,4) and (2,1)");
    let b = array![[1.], [10.]];
    show!([a, b], &a * &b, array![[1., 2., 3., 4.], [50., 60., 70., 80.]]);

    title("Example 2: (2,4) and (4,1) cannot be broadcast");
    let b = array![[0.1], [1.], [10.], [100.]];
    refuse!(
        (&a * &b).eval(),
        ErrorKind::Incompatible { axis: 0, lhs_extent: 2, rhs_extent: 4, .. }
    );
    text("NumPy's rule refuses it, too:");
    refuse!((numpy(&a) * numpy(&b)).eval(), ErrorKind::Incompatible { axis: 0, .. });

    title("Example 3: (2,4) and (1,4)");
    let b = array![[0.1, 1., 10., 100.]];
    show!([a, b], &a * &b, array![[0.1, 2., 30., 400.], [0.5, 6., 70., 800.]]);

    title("Example 4: an RGB image (3,100,100) and a mask (100,100)");
    text("The mask is 0 in a square of 30 x 30 pixels, which is to be erased, and 1 elsewhere.");
    let img = Array3::from_fn([3, 100, 100], |[c, i, j]| (1 + c + i + j) as f32);
    let inside = |i: usize, j: usize| (40..70).contains(&i) && (20..50).contains(&j);
    let mask = Array2::from_fn([100, 100], |[i, j]| if inside(i, j) { 0. } else { 1. });
    let want =
        Array3::from_fn([3, 100, 100], |[c, i, j]| if inside(i, j) { 0. } else { img[[c, i, j]] });
    show!([img, mask], &img * mask.along([1, 2]), want);
    show!([img, mask], mul(&img, &mask, [1, 2])?, want);
    let edited = (&img * mask.along([1, 2])).eval()?;
    let erased = edited.iter().filter(|&&value| value == 0.).count();
    assert_eq!(erased, 3 * 30 * 30);
    text(&format!("Erased: {erased} values, 30 x 30 in each of the 3 channels."));
    Ok(())
}

fn lecture_exercise() -> Result<(), Error> {
    title("Exercise 2: from (4,) and (3,) to (3,4), through a reshape");
    let a = array![0, 1, 2, 3];
    let b = array![0, 1, 2];
    let want = array![[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5]];
    text("As the lecture does it, with b as one column:");
    let column = b.reshape([3, 1])?;
    show!([a, column], numpy(&a) + numpy(column), want);
    text("Explicitly, a along axis 1 of the column's rank:");
    show!([a, column], a.along([1]) + column, want);
    text("Without the reshape the vectors meet as they are, and do not fit:");
    refuse!((numpy(&a) + numpy(&b)).eval(), ErrorKind::Incompatible { .. });
    Ok(())
}

// From here on: printing.

/// Results with more elements than this are shown by a few of them.
const SHOWN: usize = 36;

fn section(name: &str) {
    println!("\n\n{}\n{name}\n{0}", "=".repeat(name.len()));
}

fn title(name: &str) {
    println!("\n\n{name}\n{}", "-".repeat(name.len()));
}

fn text(words: &str) {
    println!("\n  {words}");
}

/// Shows an expression, its operands as the plan reads them, and its result.
fn show<E>(
    code: &str,
    operands: &[(&str, &[usize])],
    expr: E,
    want: &Array<E::Elem, RankOf<E>>,
) -> Result<(), Error>
where
    E: Expr<Elem: PartialEq + Display, Rank: ResultRank> + Copy,
{
    println!("\n      {code}");
    let plan = expr.explain()?;
    assert_eq!(plan.operand_strides().count(), operands.len());
    let names = operands.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let shapes = operands.iter().map(|(_, shape)| format!("{shape:?}").len()).max().unwrap_or(0);
    for ((name, shape), strides) in operands.iter().zip(plan.operand_strides()) {
        println!("        {name:names$}  {:shapes$}  strides {strides:?}", format!("{shape:?}"));
    }
    let got = expr.eval()?;
    assert!(got == *want, "{code} gives\n{got}\ninstead of\n{want}");
    let head = format!("        {:names$}  {:?}  ", "=", got.shape());
    println!("{head}{}", elements(got.view(), head.len()));
    Ok(())
}

/// Shows a broadcast view by itself.
fn view<T: Element + PartialEq + Display, R: Dimension>(
    code: &str,
    view: View<'_, T, R>,
    want: Array<T, R>,
) {
    assert!(view == want, "{code} gives\n{view}\ninstead of\n{want}");
    println!("\n      {code}");
    let head = format!("        =  {:?}  strides {:?}  ", view.shape(), view.strides());
    println!("{head}{}", elements(view, head.len()));
}

/// One placement among several, in one line.
fn table_row<E>(
    dims: &str,
    shape: &[usize],
    expr: E,
    want: &Array<E::Elem, RankOf<E>>,
) -> Result<(), Error>
where
    E: Expr<Elem: PartialEq + Display, Rank: ResultRank> + Copy,
{
    let plan = expr.explain()?;
    let strides =
        plan.operand_strides().nth(1).map(|strides| format!("{strides:?}")).unwrap_or_default();
    let got = expr.eval()?;
    assert!(got == *want, "{dims} gives\n{got}\ninstead of\n{want}");
    let shape = format!("{shape:?}");
    println!(
        "      {dims:17}  {shape:6}  strides {strides:12}  =  {:?}  {}",
        got.shape(),
        elements(got.view(), 0)
    );
    Ok(())
}

/// All elements, the lines after the first indented; of many elements the first three and the last,
/// in logical order.
fn elements<T: Element + Display, R: Dimension>(view: View<'_, T, R>, indent: usize) -> String {
    if view.len() <= SHOWN {
        let text = view.to_string();
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default().to_owned();
        return lines.fold(first, |all, line| {
            all + format!("\n{:indent$}{line}", "").trim_end_matches(' ')
        });
    }
    let all: Vec<String> = view.iter().map(T::to_string).collect();
    format!("{}, .., {}", all[..3].join(", "), all[all.len() - 1])
}

/// Shows an error, wrapped.
fn refused(code: &str, error: &Error) {
    println!("\n      {code}");
    let mut line = String::from("        refused:");
    for word in error.to_string().split(' ') {
        if line.len() + word.len() > 110 {
            println!("{line}");
            line = String::from("                ");
        }
        line = line + " " + word;
    }
    println!("{line}");
}
