//! Reductions: every one, for every type, along every set of axes, through the awkward layouts, in every way of execution.
//!
//! Each result is compared twice: with a naive definition that collects the elements index by index, and, to the bit, with that of the row-major
//! array with the baseline's instructions on one thread.

use crate::support::execs::in_pool;
use crate::support::report::problem_of;
use crate::support::{Held, Recipe, Report, TestElement, Ways};
use conformance::naive::scalar::Scalar;
use conformance::naive::{Naive, for_each_index};
use std::fmt::Debug;
use zerostride::{
    All, Any, ArgMax, ArgMin, Complex, CountNonzero, Element, Exec, Isa, LogSumExp, Max, Mean, Min, NanMax, NanMin,
    NormL2, Product, ProductWrapping, Reduction, Reductions, Std, Sum, SumWrapping, Var, bf16, f16, keep,
};

/// The elements of each result, in row-major order of the reduced axes; results in row-major order of the others.
fn collected<T: Scalar>(array: &Naive<T>, axes: &[usize]) -> Vec<Vec<T>> {
    let part = |inside: bool| -> Vec<usize> {
        array
            .shape
            .iter()
            .enumerate()
            .map(|(axis, &extent)| if axes.contains(&axis) == inside { extent } else { 1 })
            .collect()
    };
    let mut all = Vec::new();
    for_each_index(&part(false), |outer| {
        let mut elements = Vec::new();
        for_each_index(&part(true), |inner| {
            let index: Vec<usize> = outer.iter().zip(inner).map(|(a, b)| a + b).collect();
            elements.push(array.at(&index));
        });
        all.push(elements);
    });
    all
}

/// Whether two results are the same number, or both none.
#[allow(clippy::eq_op)]
fn alike<U: PartialEq>(a: &U, b: &U) -> bool {
    a == b || (a != a && b != b)
}

/// A reduction and its naive definition: of the elements, and of the extents of the axes they are from. `None` if there is none.
struct Case<F, T, U> {
    op: F,
    naive: fn(&[T], &[usize]) -> Option<U>,
    close: fn(&U, &U) -> bool,
}

impl<T: TestElement, U: Element + PartialEq + Debug, F: Reduction<T, Output = U> + Copy> Case<F, T, U> {
    fn run(&self, report: &mut Report, array: &Naive<T>, axes: &[usize], held: &Held<T>, ways: Ways) {
        let extents: Vec<usize> =
            (0..array.shape.len()).filter(|axis| axes.contains(axis)).map(|axis| array.shape[axis]).collect();
        let want: Option<Vec<U>> =
            collected(array, axes).iter().map(|elements| (self.naive)(elements, &extents)).collect();
        let row_major = Held::new(array, &Recipe::c(array.shape.len()));
        let plain = Exec::new().parallel(false).isa(Isa::BASELINE);
        let reference = plain.install(|| row_major.view().reduce_by(self.op, axes.to_vec()));
        for way in ways.list() {
            let row = || format!("{} of {} {held} along {axes:?}, {way}", F::NAME, std::any::type_name::<T>());
            let problem = problem_of(|| {
                let got = way.0.install(|| held.view().reduce_by(self.op, axes.to_vec()));
                let kept = way.0.install(|| held.view().reduce_by(self.op, keep(axes.to_vec())));
                let Some(want) = &want else {
                    return (got.is_ok() || kept.is_ok()).then(|| format!("{got:?}, want an error"));
                };
                let (got, kept) = match (got, kept) {
                    (Ok(got), Ok(kept)) => (got, kept),
                    (got, kept) => return Some(format!("{:?}, {:?}", got.err(), kept.err())),
                };
                let shape: Vec<usize> = (0..array.shape.len())
                    .filter(|axis| !axes.contains(axis))
                    .map(|axis| array.shape[axis])
                    .collect();
                if got.shape() != shape || kept.to_vec().len() != want.len() {
                    return Some(format!("shapes {:?} and {:?}", got.shape(), kept.shape()));
                }
                let (got, kept, reference) =
                    (got.to_vec(), kept.to_vec(), reference.as_ref().expect("as here").to_vec());
                let wrong = (0..want.len()).find(|&i| {
                    !(self.close)(&got[i], &want[i]) || !alike(&got[i], &reference[i]) || !alike(&got[i], &kept[i])
                });
                wrong.map(|i| {
                    format!(
                        "result {i} is {:?} (kept {:?}), want {:?}, row-major {:?}",
                        got[i], kept[i], want[i], reference[i]
                    )
                })
            });
            report.row(row(), problem);
        }
    }
}

/// Shapes, and the sets of axes as bits; `None` for all sets.
const SHAPES: &[(&[usize], Option<&[u32]>)] = &[
    (&[], None),
    (&[1], None),
    (&[3], None),
    (&[16], None),
    (&[37], None),
    (&[300], None),
    (&[3, 5], None),
    (&[1, 7], None),
    (&[40, 33], None),
    (&[5, 70], None),
    (&[70, 5], None),
    (&[4, 3, 18], None),
    (&[17, 2, 5], None),
    (&[3, 4, 2, 9], None),
    (&[2, 3, 2, 3, 5], None),
    (&[2, 1, 3, 1, 2, 2, 3, 2], Some(&[0b1, 0b1000_0000, 0b1111_1111, 0b0101_0101, 0b1010_1010])),
    (&[0], None),
    (&[0, 3], None),
    (&[2, 0, 3], None),
];

fn axes_of(ndim: usize, sets: Option<&[u32]>) -> Vec<Vec<usize>> {
    let all: Vec<u32> = (0..1 << ndim).collect();
    let sets = sets.unwrap_or(&all);
    sets.iter().map(|set| (0..ndim).filter(|axis| set >> axis & 1 == 1).collect()).collect()
}

/// One reduction through all shapes and axes; layouts and ways take turns.
fn all_shapes<T, U, F>(report: &mut Report, case: &Case<F, T, U>, special: &[T])
where
    T: TestElement,
    U: Element + PartialEq + Debug,
    F: Reduction<T, Output = U> + Copy,
{
    let mut number = 0;
    in_pool(|| {
        for &(shape, sets) in SHAPES {
            for axes in axes_of(shape.len(), sets) {
                number += 1;
                let recipes = Recipe::all_readable(shape.len());
                let recipe = &recipes[number % recipes.len()];
                let values = Naive::numbered(shape, |i| match special.get(i / 3 % 97) {
                    Some(&special) if i % 3 == 0 && number % 2 == 0 => special,
                    _ => T::nth(i * 5 + number),
                });
                let held = Held::new(&values, recipe);
                case.run(report, &held.naive(), &axes, &held, Ways::Turn(number));
            }
        }
    });
}

/// The order that `Reduction` documents, written down anew: blocks, lanes, halves.
fn in_order<T: Copy, A: Copy, B: Copy>(
    elements: &[T],
    extents: &[usize],
    start: A,
    step: impl Fn(A, T) -> A,
    join: impl Fn(A, A) -> A,
    total: impl Fn(A) -> B,
    merge: impl Fn(B, B) -> B,
) -> Option<B> {
    // So many elements are one unit; the next axis is cut into pieces of `cut` of them.
    let (mut unit, mut cut, mut span) = (1, 1, 1);
    for &extent in extents.iter().rev() {
        if unit * extent <= 4096 {
            unit *= extent;
            (cut, span) = (1, 1);
        } else {
            let pieces = extent.div_ceil(4096 / unit);
            cut = extent.div_ceil(pieces);
            if unit == 1 {
                cut = cut.next_multiple_of(16);
            }
            span = extent;
            break;
        }
    }
    let mut totals = Vec::new();
    for span in elements.chunks((span * unit).max(1)) {
        for block in span.chunks((cut * unit).max(1)) {
            let mut lanes = [start; 16];
            for (i, &element) in block.iter().enumerate() {
                lanes[i % 16] = step(lanes[i % 16], element);
            }
            let mut lanes: Vec<A> = lanes[..block.len().min(16)].to_vec();
            for half in [8, 4, 2, 1] {
                for low in 0..half {
                    if low + half < lanes.len() {
                        lanes[low] = join(lanes[low], lanes[low + half]);
                    }
                }
                lanes.truncate(half);
            }
            totals.push(total(lanes[0]));
        }
    }
    while totals.len() > 1 {
        totals = totals.chunks(2).map(|pair| if let [a, b] = *pair { merge(a, b) } else { pair[0] }).collect();
    }
    totals.first().copied()
}

macro_rules! integer_cases {
    ($report:ident, $($type:ident => $sum:ident;)*) => {$({
        let corners = $type::corners();
        let exact = |values: &[$type], _: &[usize]| $sum::try_from(values.iter().map(|&x| x as i128).sum::<i128>()).ok();
        all_shapes(&mut $report, &Case { op: Sum, naive: exact, close: alike }, &corners);
        let wrapped = |values: &[$type], _: &[usize]| Some(values.iter().fold(0, |a: $type, &x| a.wrapping_add(x)));
        all_shapes(&mut $report, &Case { op: SumWrapping, naive: wrapped, close: alike }, &corners);
        let product = |values: &[$type], _: &[usize]| match values.contains(&0) {
            true => Some(0),
            false => values.iter().try_fold(1, |a: $sum, &x| a.checked_mul(x as $sum)),
        };
        all_shapes(&mut $report, &Case { op: Product, naive: product, close: alike }, &corners);
        let wrapped = |values: &[$type], _: &[usize]| Some(values.iter().fold(1, |a: $type, &x| a.wrapping_mul(x)));
        all_shapes(&mut $report, &Case { op: ProductWrapping, naive: wrapped, close: alike }, &corners);
        let mean = |values: &[$type], _: &[usize]| {
            (!values.is_empty()).then(|| values.iter().map(|&x| x as i128).sum::<i128>() as f64 / values.len() as f64)
        };
        all_shapes(&mut $report, &Case { op: Mean, naive: mean, close: alike }, &corners);
        extremes!($report, $type, |a, b| a < b, |_: $type| false);
        moments!($report, $type => f64, |x: $type| x as f64, |y: f64| y, 1e-9);
    })*};
}

macro_rules! extremes {
    ($report:ident, $type:ident, $below:expr, $is_nan:expr $(, $nans:literal)?) => {{
        let corners = $type::corners();
        fn first(values: &[$type], down: bool, skip_nan: bool) -> Option<usize> {
            let (below, is_nan): (fn($type, $type) -> bool, fn($type) -> bool) = ($below, $is_nan);
            let mut best: Option<usize> = None;
            for (i, &x) in values.iter().enumerate() {
                let better = best.is_none_or(|at| {
                    let old = values[at];
                    match (is_nan(x), is_nan(old)) {
                        (true, false) => !skip_nan,
                        (false, true) => skip_nan,
                        (true, true) => false,
                        _ => {
                            if down {
                                below(x, old)
                            } else {
                                below(old, x)
                            }
                        }
                    }
                });
                if better {
                    best = Some(i);
                }
            }
            best
        }
        all_shapes(
            &mut $report,
            &Case { op: ArgMax, naive: |values: &[$type], _| first(values, false, false), close: alike },
            &corners,
        );
        all_shapes(
            &mut $report,
            &Case { op: ArgMin, naive: |values: &[$type], _| first(values, true, false), close: alike },
            &corners,
        );
        all_shapes(
            &mut $report,
            &Case {
                op: Max,
                naive: |values: &[$type], _| first(values, false, false).map(|i| values[i]),
                close: alike,
            },
            &corners,
        );
        all_shapes(
            &mut $report,
            &Case {
                op: Min,
                naive: |values: &[$type], _| first(values, true, false).map(|i| values[i]),
                close: alike,
            },
            &corners,
        );
        $(if $nans {
        all_shapes(
            &mut $report,
            &Case {
                op: NanMax,
                naive: |values: &[$type], _| first(values, false, true).map(|i| values[i]),
                close: alike,
            },
            &corners,
        );
        all_shapes(
            &mut $report,
            &Case {
                op: NanMin,
                naive: |values: &[$type], _| first(values, true, true).map(|i| values[i]),
                close: alike,
            },
            &corners,
        );
        })?
        all_shapes(
            &mut $report,
            &Case {
                op: CountNonzero,
                naive: |values: &[$type], _| Some(values.iter().filter(|&&x| x != <$type>::default()).count()),
                close: alike,
            },
            &corners,
        );
    }};
}

/// Whether two numbers are close, relative to the larger, or 1.
fn near(a: f64, b: f64, tolerance: f64) -> bool {
    alike(&a, &b) || (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1.0)
}

macro_rules! moments {
    ($report:ident, $type:ident => $output:ident, $wide:expr, $narrow:expr, $tolerance:literal) => {{
        fn variance(values: &[$type], ddof: f64) -> Option<f64> {
            let wide: fn($type) -> f64 = $wide;
            let len = values.len() as f64;
            let mean = values.iter().map(|&x| wide(x)).sum::<f64>() / len;
            (len > ddof).then(|| values.iter().map(|&x| (wide(x) - mean).powi(2)).sum::<f64>() / (len - ddof))
        }
        let close: fn(&$output, &$output) -> bool = |&a, &b| near(f64::from(a), f64::from(b), $tolerance);
        let narrow: fn(f64) -> $output = $narrow;
        let _ = narrow;
        all_shapes(
            &mut $report,
            &Case { op: Var { ddof: 0.0 }, naive: |values: &[$type], _| variance(values, 0.0).map($narrow), close },
            &[],
        );
        all_shapes(
            &mut $report,
            &Case {
                op: Std { ddof: 1.0 },
                naive: |values: &[$type], _| variance(values, 1.0).map(|x| $narrow(x.sqrt())),
                close,
            },
            &[],
        );
    }};
}

#[test]
fn integers() {
    let mut report = Report::new("reductions of integers");
    integer_cases! { report,
        i8 => i64; i16 => i64; i32 => i64; i64 => i64; isize => isize;
        u8 => u64; u16 => u64; u32 => u64; u64 => u64; usize => usize;
    }
    report.finish(13_000);
}

macro_rules! float_cases {
    ($report:ident, $($type:ident: $acc:ident, |$x:ident| $widen:expr, |$y:ident| $narrow:expr, $tolerance:literal;)*) => {$({
        let corners = $type::corners();
        fn wide($x: $type) -> $acc { $widen }
        fn narrow($y: f64) -> $type { $narrow }
        fn added(values: &[$type], extents: &[usize]) -> f64 {
            in_order(values, extents, -0.0, |a: $acc, x| a + wide(x), |a, b| a + b, f64::from, |a, b| a + b).unwrap_or(0.0)
        }
        let sum = |values: &[$type], extents: &[usize]| Some(narrow(added(values, extents)));
        all_shapes(&mut $report, &Case { op: Sum, naive: sum, close: alike }, &corners);
        let mean = |values: &[$type], extents: &[usize]| {
            (!values.is_empty()).then(|| narrow(added(values, extents) / values.len() as f64))
        };
        all_shapes(&mut $report, &Case { op: Mean, naive: mean, close: alike }, &corners);
        let product = |values: &[$type], extents: &[usize]| {
            let product = in_order(values, extents, 1.0, |a: $acc, x| a * wide(x), |a, b| a * b, |a| a, |a, b| a * b).unwrap_or(1.0);
            Some(narrow(f64::from(product)))
        };
        all_shapes(&mut $report, &Case { op: Product, naive: product, close: alike }, &corners);
        let norm = |values: &[$type], extents: &[usize]| {
            let square = |x: $type| f64::from(wide(x)) * f64::from(wide(x));
            let sum = in_order(values, extents, 0.0, |a: f64, x| a + square(x), |a, b| a + b, |a| a, |a, b| a + b).unwrap_or(0.0);
            Some(narrow(sum.sqrt()))
        };
        all_shapes(&mut $report, &Case { op: NormL2, naive: norm, close: alike }, &corners);
        extremes!($report, $type, |a, b| a < b, |x: $type| x != x, true);
        moments!($report, $type => $type, |x: $type| f64::from(wide(x)), narrow, $tolerance);
        let exponentials = |values: &[$type], _: &[usize]| {
            let values: Vec<f64> = values.iter().map(|&x| f64::from(wide(x))).collect();
            let max = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if values.iter().any(|x| x.is_nan()) {
                return Some(narrow(f64::NAN));
            }
            if max.is_infinite() {
                return Some(narrow(max));
            }
            Some(narrow(max + values.iter().map(|x| (x - max).exp()).sum::<f64>().ln()))
        };
        let close: fn(&$type, &$type) -> bool = |&a, &b| near(f64::from(a), f64::from(b), $tolerance);
        all_shapes(&mut $report, &Case { op: LogSumExp, naive: exponentials, close }, &corners);
    })*};
}

#[test]
#[allow(clippy::eq_op)]
fn floats() {
    let mut report = Report::new("reductions of floating-point numbers");
    float_cases! { report,
        f32: f32, |x| x, |y| y as f32, 1e-5;
        f64: f64, |x| x, |y| y, 1e-13;
        f16: f32, |x| x.to_f32(), |y| f16::from_f64(y), 2e-3;
        bf16: f32, |x| x.to_f32(), |y| bf16::from_f64(y), 2e-2;
    }
    report.finish(6000);
}

#[test]
fn complex_numbers_and_bools() {
    let mut report = Report::new("reductions of complex numbers and bools");
    macro_rules! complexes {
        ($($part:ident)*) => {$({
            let sum = |values: &[Complex<$part>], extents: &[usize]| {
                let start = Complex::new(-0.0, -0.0);
                let wide = |x: Complex<$part>| Complex::new(f64::from(x.re), f64::from(x.im));
                let sum = in_order(values, extents, start, |a, x| a + x, |a, b| a + b, wide, |a, b| a + b).unwrap_or_default();
                Some(Complex::new(sum.re as $part, sum.im as $part))
            };
            all_shapes(&mut report, &Case { op: Sum, naive: sum, close: alike }, &[]);
            let close: fn(&Complex<$part>, &Complex<$part>) -> bool = |a, b| {
                (a - b).norm() <= 1e-4 * a.norm().max(b.norm()) || (!b.is_finite() && !a.is_finite())
            };
            let product = |values: &[Complex<$part>], extents: &[usize]| {
                in_order(values, extents, Complex::new(1.0, 0.0), |a, x| a * x, |a, b| a * b, |a| a, |a, b| a * b).or(Some(Complex::new(1.0, 0.0)))
            };
            all_shapes(&mut report, &Case { op: Product, naive: product, close }, &[]);
            let norm = |values: &[Complex<$part>], _: &[usize]| {
                Some(values.iter().map(|x| f64::from(x.re).powi(2) + f64::from(x.im).powi(2)).sum::<f64>().sqrt() as $part)
            };
            let close: fn(&$part, &$part) -> bool = |&a, &b| near(f64::from(a), f64::from(b), 1e-6);
            all_shapes(&mut report, &Case { op: NormL2, naive: norm, close }, &[]);
        })*};
    }
    complexes! { f32 f64 }
    all_shapes(
        &mut report,
        &Case { op: Any, naive: |values: &[bool], _| Some(values.contains(&true)), close: alike },
        &[],
    );
    all_shapes(
        &mut report,
        &Case { op: All, naive: |values: &[bool], _| Some(!values.contains(&false)), close: alike },
        &[],
    );
    let count = |values: &[bool], _: &[usize]| Some(values.iter().filter(|&&x| x).count() as u64);
    all_shapes(&mut report, &Case { op: Sum, naive: count, close: alike }, &[]);
    extremes!(report, bool, |a, b| !a & b, |_: bool| false);
    report.finish(1400);
}

/// Sizes beyond a block, with every layout.
#[test]
fn layouts_of_several_blocks() {
    let mut report = Report::new("reductions of several blocks");
    let sum = |values: &[f32], extents: &[usize]| {
        in_order(values, extents, -0.0, |a: f32, x| a + x, |a, b| a + b, f64::from, |a, b| a + b)
            .map(|sum| sum as f32)
    };
    let sum = Case { op: Sum, naive: sum, close: alike };
    let first =
        |values: &[f32], _: &[usize]| (0..values.len()).rev().max_by(|&a, &b| values[a].total_cmp(&values[b]));
    let argmax = Case { op: ArgMax, naive: first, close: alike };
    let shapes: &[&[usize]] = &[
        &[9001],
        &[4097, 3],
        &[3, 5000],
        &[130, 67],
        &[70, 9, 31],
        &[21, 3, 5, 40],
        &[6, 7, 70],
        &[40, 5, 130],
        &[2, 4100, 2],
        &[300, 300],
    ];
    let mut number = 0;
    in_pool(|| {
        for shape in shapes {
            for axes in axes_of(shape.len(), None) {
                for recipe in Recipe::all_readable(shape.len()) {
                    number += 1;
                    // Of many sets of axes, each with other layouts.
                    if shape.len() > 2 && number % 3 != 0 {
                        continue;
                    }
                    let values = Naive::numbered(shape, |i| ((i * 7919 + number) % 1013) as f32 * 0.37 - 150.0);
                    let held = Held::new(&values, &recipe);
                    sum.run(&mut report, &held.naive(), &axes, &held, Ways::Turn(number));
                    argmax.run(&mut report, &held.naive(), &axes, &held, Ways::Turn(number + 5));
                }
            }
        }
    });
    report.finish(1000);
}
