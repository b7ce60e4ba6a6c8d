//! Every operation and every element type it is defined for, through the same few rows.

use super::check::{Target, binary, clamp, select, unary, update};
use conformance::naive::Naive;
use conformance::naive::scalar::Scalar;
use conformance::support::execs::in_pool;
use conformance::support::layouts::Same;
use conformance::support::{Held, Recipe, Report, TestElement, Ways};
use zerostride::ops::{self, Op};
use zerostride::{Complex, bf16, f16};

/// Two operands, where the one of lower rank lies, and a layout for the result.
struct Row {
    lhs: (&'static [usize], Recipe),
    rhs: (&'static [usize], Recipe),
    dims: &'static [usize],
    out: Recipe,
}

/// The rows: sizes above and below a box in several axes, layouts and broadcasts of each kind. They
/// cover what the plan distinguishes; `layouts` has all combinations.
fn rows() -> Vec<Row> {
    let (c, f) = (Recipe::c, Recipe::f);
    let row = |lhs, rhs, dims, out| Row { lhs, rhs, dims, out };
    vec![
        row((&[], c(0)), (&[], c(0)), &[], c(0)),
        row((&[0, 3], c(2)), (&[1, 3], f(2)), &[], f(2)),
        row((&[1100], c(1)), (&[1100], c(1)), &[], c(1)),
        row((&[4200], c(1)), (&[4200], c(1).reversed(1)), &[], c(1).stepped(0, 2)),
        row((&[37], c(1).stepped(0, 3)), (&[], c(0)), &[], c(1).reversed(1)),
        row((&[66, 35], c(2)), (&[66, 35], f(2)), &[], c(2).gapped(1, 3)),
        row((&[2, 1030], f(2)), (&[1, 1030], c(2).reversed(2)), &[], f(2)),
        row((&[70, 17], c(2).stepped(1, 2)), (&[70], c(1)), &[0], c(2).stepped(1, 5)),
        row((&[19], c(1).reversed(1)), (&[19, 41], f(2).reversed(3)), &[0], c(2).reversed(2)),
        row(
            (&[5, 1, 9], Recipe::permuted(&[2, 0, 1])),
            (&[1, 7, 9], c(3)),
            &[],
            Recipe::permuted(&[1, 2, 0]),
        ),
        row(
            (&[2, 3, 1, 2, 1, 2, 3, 2], f(8)),
            (&[3, 2, 2], c(3).reversed(5)),
            &[1, 3, 5],
            c(8).reversed(0b1001_0110),
        ),
    ]
}

/// The name of an operation, the library's and the naive one.
type Case<'a, O, T, U> = (&'a str, O, fn(T, T) -> U);

/// An operation of two operands through all rows, and on all pairs of corner values.
pub(super) fn all_rows<T: TestElement, U: TestElement, O: Op<(T, T), Output = U> + Copy + Send>(
    report: &mut Report,
    case: Case<'_, O, T, U>,
    same: Same<U>,
    corners: bool,
) {
    for (number, Row { lhs, rhs, dims, out }) in rows().iter().enumerate() {
        let (a, b) = (Held::ordinary(lhs.0, &lhs.1, 0), Held::ordinary(rhs.0, &rhs.1, 8));
        binary(
            report,
            case,
            (&a, &b, dims),
            Target { same, ways: Ways::Half(number), ..Target::exact(out) },
        );
    }
    if corners {
        let column = Held::new(&column_of(T::corners()), &Recipe::c(2));
        let row = Held::new(&row_of(T::corners()), &Recipe::c(2).reversed(2));
        let out = Recipe::c(2).stepped(1, 2);
        binary(report, case, (&column, &row, &[]), Target { same, ..Target::exact(&out) });
        // Pairs of neighbours, as they lie in memory: every lane of a vector has other values.
        let many = T::corners().into_iter().cycle().take(203).collect::<Vec<_>>();
        let (a, b) = (
            Naive { shape: vec![199], data: many[4..].to_vec() },
            Naive { shape: vec![199], data: many[..199].to_vec() },
        );
        let (a, b) = (Held::new(&a, &Recipe::c(1)), Held::new(&b, &Recipe::c(1)));
        binary(report, case, (&a, &b, &[]), Target { same, ..Target::exact(&Recipe::c(1)) });
    }
}

fn column_of<T: Copy>(data: Vec<T>) -> Naive<T> {
    Naive { shape: vec![data.len(), 1], data }
}

fn row_of<T: Copy>(data: Vec<T>) -> Naive<T> {
    Naive { shape: vec![1, data.len()], data }
}

/// In place, through the rows in which the left operand has the shape of the result.
fn all_updates<T: TestElement, O: Op<(T, T), Output = T> + Copy>(
    report: &mut Report,
    case: Case<'_, O, T, T>,
) {
    for (number, Row { lhs, rhs, dims, out }) in rows().iter().enumerate() {
        if lhs.0.iter().zip(rhs.0).all(|(a, b)| a >= b) && lhs.0.len() >= rhs.0.len() {
            update(
                report,
                case,
                (lhs.0, &Held::ordinary(rhs.0, &rhs.1, 8), dims),
                Target { ways: Ways::Half(number), ..Target::exact(out) },
            );
        }
    }
}

/// An operation of one operand through all rows, and on all corner values.
pub(super) fn all_operands<T: TestElement, U: TestElement, O: Op<T, Output = U> + Copy + Send>(
    report: &mut Report,
    case: (&str, O, fn(T) -> U),
    same: Same<U>,
    corners: bool,
) {
    for (number, Row { lhs, rhs, out, .. }) in rows().iter().enumerate() {
        let same_rank = lhs.0.len() == out.order.len();
        let (shape, recipe) = if same_rank { lhs } else { rhs };
        let target = Target { same, ways: Ways::Half(number), ..Target::exact(out) };
        unary(report, case, &Held::ordinary(shape, recipe, 0), target);
    }
    if corners {
        let row = Held::new(&row_of(T::corners()), &Recipe::c(2));
        unary(report, case, &row, Target { same, ..Target::exact(&Recipe::f(2)) });
    }
}

/// Three operands through layouts, each in turn a scalar, for an operation without broadcasting.
fn three_operands(mut each: impl FnMut(usize, [(&[usize], &Recipe); 3], &Recipe)) {
    let (c, f) = (Recipe::c, Recipe::f);
    let rows: [(&[usize], [Recipe; 3], Recipe); 3] = [
        (&[35, 33], [c(2), f(2), c(2).reversed(3)], f(2)),
        (&[2, 3, 177], [f(3), c(3).stepped(2, 2), Recipe::permuted(&[1, 0, 2])], c(3).gapped(2, 1)),
        (&[1030], [c(1), c(1), c(1)], c(1)),
    ];
    let (scalar, none) = (c(0), &[][..]);
    let mut number = 0;
    for (shape, recipes, out) in &rows {
        for scalars in 0..8 {
            let operand = |i: usize| {
                if scalars >> i & 1 == 1 { (none, &scalar) } else { (*shape, &recipes[i]) }
            };
            number += 1;
            each(
                number,
                [operand(0), operand(1), operand(2)],
                if scalars == 7 { &scalar } else { out },
            );
        }
    }
}

fn all_selects<T: TestElement>(report: &mut Report) {
    three_operands(|number, [p, t, f], out| {
        let (p, t, f) = (
            Held::ordinary(p.0, p.1, 0),
            Held::<T>::ordinary(t.0, t.1, 1),
            Held::ordinary(f.0, f.1, 2),
        );
        select(report, (&p, &t, &f), Target { ways: Ways::Turn(number), ..Target::exact(out) });
    });
}

fn all_clamps<T: TestElement>(report: &mut Report)
where
    ops::Clamp: Op<(T, T, T), Output = T>,
{
    three_operands(|number, [lo, x, hi], out| {
        let (lo, x, hi) = (
            Held::ordinary(lo.0, lo.1, 0),
            Held::ordinary(x.0, x.1, 1),
            Held::ordinary(hi.0, hi.1, 2),
        );
        clamp(report, (&lo, &x, &hi), Target { ways: Ways::Turn(number), ..Target::exact(out) });
    });
    // All triples of corner values: the bounds in the wrong order, NaN in each place.
    let corners: Vec<T> = T::corners().into_iter().step_by(2).collect();
    let n = corners.len();
    let triples = |of: fn(usize, usize) -> usize| {
        Held::new(&Naive::numbered(&[n * n * n], |i| corners[of(i, n)]), &Recipe::c(1))
    };
    let (lo, x, hi) = (triples(|i, n| i / n / n), triples(|i, n| i / n % n), triples(|i, n| i % n));
    clamp(report, (&lo, &x, &hi), Target::exact(&Recipe::c(1)));
}

/// Parts of complex numbers that are computed by different formulas here and there.
fn near<T: TestElement + Near>(a: T, b: T) -> bool {
    a.near(b)
}

/// Equality up to rounding, on moderate values.
trait Near {
    fn near(self, other: Self) -> bool;
}

macro_rules! near {
    ($($part:ident)*) => {$(
        impl Near for $part {
            fn near(self, other: Self) -> bool {
                (self - other).abs() <= 8.0 * $part::EPSILON * (1.0 + self.abs())
            }
        }
        impl Near for Complex<$part> {
            fn near(self, other: Self) -> bool {
                self.re.near(other.re) && self.im.near(other.im)
            }
        }
    )*};
}
near!(f32 f64);

/// The tests of one element type: the operations it has, in groups.
macro_rules! operations {
    ($($test:ident $type:ty: $($group:ident)*;)*) => {$(
        #[test]
        fn $test() {
            let mut report = Report::new(concat!("operations of ", stringify!($type)));
            in_pool(|| {
                let report = &mut report;
                $( operations!(@ $group report $type); )*
            });
            report.finish(100);
        }
    )*};
    (@ any $report:ident $type:ty) => {
        operations!(@@ $report $type: Add add, Mul mul);
        operations!(@@ $report $type: Equal equal, NotEqual not_equal);
        all_updates::<$type, _>($report, ("add", ops::Add, Scalar::add));
        all_selects::<$type>($report);
    };
    (@ number $report:ident $type:ty) => {
        operations!(@@ $report $type: Sub sub);
        operations!(@1 $report $type: Neg neg);
        all_updates::<$type, _>($report, ("sub", ops::Sub, Scalar::sub));
    };
    (@ ordered $report:ident $type:ty) => {
        operations!(@@ $report $type: Maximum maximum, Minimum minimum);
        operations!(@@ $report $type: Less less, LessEqual less_equal, Greater greater, GreaterEqual greater_equal);
        all_clamps::<$type>($report);
    };
    (@ real $report:ident $type:ty) => {
        operations!(@@ $report $type: Div div, Rem rem);
    };
    (@ signed $report:ident $type:ty) => { operations!(@1 $report $type: Abs abs); };
    (@ float $report:ident $type:ty) => { operations!(@1 $report $type: Abs abs, Sqrt sqrt); };
    (@ bits $report:ident $type:ty) => {
        operations!(@@ $report $type: BitAnd and, BitOr or, BitXor xor);
        operations!(@1 $report $type: Not not);
    };
    (@ complex $report:ident $type:ty) => {
        all_rows::<$type, $type, _>($report, ("div", ops::Div, Scalar::div), near, false);
        all_operands::<$type, _, _>($report, ("abs", ops::Abs, Scalar::abs), near, false);
        all_operands::<$type, $type, _>($report, ("sqrt", ops::Sqrt, Scalar::sqrt), near, false);
    };
    (@@ $report:ident $type:ty: $($Op:ident $name:ident),*) => {
        $( all_rows::<$type, _, _>($report, (stringify!($name), ops::$Op, Scalar::$name), Scalar::same, true); )*
    };
    (@1 $report:ident $type:ty: $($Op:ident $name:ident),*) => {
        $( all_operands::<$type, _, _>($report, (stringify!($name), ops::$Op, Scalar::$name), Scalar::same, true); )*
    };
}

operations! {
    i8 i8: any number ordered real signed bits;
    i16 i16: any number ordered real signed bits;
    i32 i32: any number ordered real signed bits;
    i64 i64: any number ordered real signed bits;
    isize isize: any number ordered real signed bits;
    u8 u8: any number ordered real bits;
    u16 u16: any number ordered real bits;
    u32 u32: any number ordered real bits;
    u64 u64: any number ordered real bits;
    usize usize: any number ordered real bits;
    f32 f32: any number ordered real float;
    f64 f64: any number ordered real float;
    half f16: any number ordered real float;
    brain bf16: any number ordered real float;
    complex32 Complex<f32>: any number complex;
    complex64 Complex<f64>: any number complex;
    bool bool: any ordered bits;
}
