//! Reductions: every one, for every type, along every set of axes, through the awkward layouts, in
//! every way of execution.
//!
//! Each result is compared twice: with a naive definition that collects the elements index by
//! index, and, to the bit, with that of the row-major array with the baseline's instructions on one
//! thread.

use conformance::naive::half::{BF16, F16};
use conformance::naive::scalar::Scalar;
use conformance::naive::{Naive, for_each_index};
use conformance::support::execs::in_pool;
use conformance::support::report::problem_of;
use conformance::support::{Held, Recipe, Report, TestElement, Ways};
use zerostride::{
    All, Any, ArgMax, ArgMin, ArrayD, Complex, CountNonzero, Error, ErrorKind, Exec, Isa,
    LogSumExp, Max, Mean, Min, NanMax, NanMean, NanMin, NanSum, NormL1, NormL2, NormMax, Product,
    ProductWrapping, Reduction, Reductions, Std, Sum, SumWrapping, Var, bf16, f16, keep,
};

/// The elements of each result, in row-major order of the reduced axes; results in row-major order
/// of the others.
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

/// Whether two results are the same number, zeros of the same sign, or both none.
fn alike<U: Scalar>(a: &U, b: &U) -> bool {
    a.same(*b)
}

/// Results by their bits, so that every NaN is the same too.
trait Bits: Scalar {
    fn bits(self) -> u128;
}

macro_rules! bits {
    ($($type:ty: |$x:ident| $bits:expr;)*) => {$(
        impl Bits for $type {
            fn bits(self) -> u128 {
                let $x = self;
                $bits
            }
        }
    )*};
}
bits! {
    i8: |x| x as u128; i16: |x| x as u128; i32: |x| x as u128; i64: |x| x as u128; isize: |x| x as u128;
    u8: |x| x.into(); u16: |x| x.into(); u32: |x| x.into(); u64: |x| x.into(); usize: |x| x as u128;
    bool: |x| x.into();
    f32: |x| x.to_bits().into(); f64: |x| x.to_bits().into();
    f16: |x| x.to_bits().into(); bf16: |x| x.to_bits().into();
    Complex<f32>: |x| x.re.bits() << 64 | x.im.bits(); Complex<f64>: |x| x.re.bits() << 64 | x.im.bits();
}

/// A reduction to such results.
trait Reduces<T: zerostride::Element, U>: Reduction<T, Output = U> + Copy + Sync + 'static {}

impl<T: zerostride::Element, U, F: Reduction<T, Output = U> + Copy + Sync + 'static> Reduces<T, U>
    for F
{
}

/// Reduces along some axes, which the result keeps or not. The type of the reduction is known here
/// alone: what is around it is compiled once for each type of elements and of results.
type Reduce<T, U> = dyn Fn(&Held<T>, &[usize], bool) -> Result<ArrayD<U>, Error> + Sync;

/// A reduction and its naive definition: of the elements, and of the extents of the axes they are
/// from. `None` if there is none.
struct Case<T, U: Bits> {
    name: &'static str,
    reduce: Box<Reduce<T, U>>,
    naive: fn(&[T], &[usize]) -> Option<U>,
    close: fn(&U, &U) -> bool,
    /// Of a result of integers that does not fit, the number that the error names.
    value: fn(&[T]) -> Option<i128>,
}

impl<T: TestElement, U: Bits> Case<T, U> {
    fn new(
        op: impl Reduces<T, U>,
        naive: fn(&[T], &[usize]) -> Option<U>,
        close: fn(&U, &U) -> bool,
    ) -> Self {
        fn name<T: zerostride::Element, U, F: Reduces<T, U>>(_: &F) -> &'static str {
            F::NAME
        }
        let name = name::<T, U, _>(&op);
        let reduce = move |held: &Held<T>, axes: &[usize], kept: bool| {
            let (view, axes) = (held.view(), axes.to_vec());
            if kept { view.reduce_by(op, keep(axes)) } else { view.reduce_by(op, axes) }
        };
        Case { name, reduce: Box::new(reduce), naive, close, value: |_| None }
    }

    /// One that has to be the same to the bit.
    fn exact(op: impl Reduces<T, U>, naive: fn(&[T], &[usize]) -> Option<U>) -> Self {
        Case::new(op, naive, alike)
    }

    /// And one that does not fit is this number.
    fn checked(
        op: impl Reduces<T, U>,
        naive: fn(&[T], &[usize]) -> Option<U>,
        value: fn(&[T]) -> Option<i128>,
    ) -> Self {
        Case { value, ..Case::exact(op, naive) }
    }

    fn run(
        &self,
        report: &mut Report,
        array: &Naive<T>,
        axes: &[usize],
        held: &Held<T>,
        ways: Ways,
    ) {
        let extents: Vec<usize> = (0..array.shape.len())
            .filter(|axis| axes.contains(axis))
            .map(|axis| array.shape[axis])
            .collect();
        let all = collected(array, axes);
        let want: Option<Vec<U>> =
            all.iter().map(|elements| (self.naive)(elements, &extents)).collect();
        let row_major = Held::new(array, &Recipe::c(array.shape.len()));
        let plain = Exec::new().parallel(false).isa(Isa::BASELINE);
        let reference = plain.install(|| (self.reduce)(&row_major, axes, false));
        for way in ways.list() {
            let row = || {
                format!(
                    "{} of {} {held} along {axes:?}, {way}",
                    self.name,
                    std::any::type_name::<T>()
                )
            };
            let problem = problem_of(|| {
                let got = way.0.install(|| (self.reduce)(held, axes, false));
                let kept = way.0.install(|| (self.reduce)(held, axes, true));
                let Some(want) = &want else {
                    let (Err(got), Err(_)) = (&got, &kept) else {
                        return Some(format!("{got:?}, want an error"));
                    };
                    let ErrorKind::ReductionOverflow { value, .. } = got.kind() else {
                        return None;
                    };
                    // Of several, any.
                    let too_large = |elements: &&Vec<T>| (self.naive)(elements, &extents).is_none();
                    let mut values =
                        all.iter().filter(too_large).map(|elements| (self.value)(elements));
                    return (!values.any(|want| want == *value))
                        .then(|| format!("{got:?}, which is another value"));
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
                    !(self.close)(&got[i], &want[i])
                        || got[i].bits() != reference[i].bits()
                        || got[i].bits() != kept[i].bits()
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
fn all_shapes<T: TestElement, U: Bits>(report: &mut Report, case: &Case<T, U>, special: &[T]) {
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
            // Stretches of 16 elements for each lane.
            let mut lanes = vec![start; 16];
            for stretch in block.chunks(256) {
                let mut accs = [start; 16];
                for (i, &element) in stretch.iter().enumerate() {
                    accs[i % 16] = step(accs[i % 16], element);
                }
                lanes.iter_mut().zip(accs).for_each(|(lane, acc)| *lane = join(*lane, acc));
            }
            lanes.truncate(block.len());
            totals.push(total(by_halves(lanes, &join)));
        }
    }
    // The totals of the blocks are dealt out to lanes in turn, too.
    let mut lanes: Vec<B> = Vec::new();
    for (i, &total) in totals.iter().enumerate() {
        match lanes.get_mut(i % 16) {
            Some(lane) => *lane = merge(*lane, total),
            None => lanes.push(total),
        }
    }
    (!lanes.is_empty()).then(|| by_halves(lanes, &merge))
}

/// The upper half of at most 16 put together with the lower one, until one is left.
fn by_halves<A: Copy>(mut lanes: Vec<A>, join: impl Fn(A, A) -> A) -> A {
    for half in [8, 4, 2, 1] {
        for low in 0..half {
            if low + half < lanes.len() {
                lanes[low] = join(lanes[low], lanes[low + half]);
            }
        }
        lanes.truncate(half);
    }
    lanes[0]
}

/// The product of integers, unless it is beyond all of them: magnitudes only grow, but for a zero.
fn product_of(factors: impl Iterator<Item = i128> + Clone) -> Option<i128> {
    if factors.clone().any(|x| x == 0) {
        Some(0)
    } else {
        factors.into_iter().try_fold(1_i128, i128::checked_mul)
    }
}

macro_rules! integer_cases {
    ($report:ident, $($type:ident)*) => {$({
        let corners = $type::corners();
        fn wide(values: &[$type]) -> impl Iterator<Item = i128> + Clone {
            values.iter().map(|&x| x as i128)
        }
        fn narrow(wide: i128) -> Option<$type> {
            wide.try_into().ok()
        }
        let sum = |values: &[$type], _: &[usize]| narrow(wide(values).sum());
        all_shapes(&mut $report, &Case::checked(Sum, sum, |values| Some(wide(values).sum())), &corners);
        let wrapped = |values: &[$type], _: &[usize]| Some(values.iter().fold(0, |a: $type, &x| a.wrapping_add(x)));
        all_shapes(&mut $report, &Case::exact(SumWrapping, wrapped), &corners);
        let product = |values: &[$type], _: &[usize]| product_of(wide(values)).and_then(narrow);
        // Named as far as its magnitude fits in 64 bits.
        let value = |values: &[$type]| product_of(wide(values)).filter(|x| u64::try_from(x.unsigned_abs()).is_ok());
        all_shapes(&mut $report, &Case::checked(Product, product, value), &corners);
        let wrapped = |values: &[$type], _: &[usize]| Some(values.iter().fold(1, |a: $type, &x| a.wrapping_mul(x)));
        all_shapes(&mut $report, &Case::exact(ProductWrapping, wrapped), &corners);
        let norm = |values: &[$type], _: &[usize]| narrow(wide(values).map(i128::abs).sum());
        let value = |values: &[$type]| Some(wide(values).map(i128::abs).sum());
        all_shapes(&mut $report, &Case::checked(NormL1, norm, value), &corners);
        let norm = |values: &[$type], _: &[usize]| wide(values).map(i128::abs).max().and_then(narrow);
        let value = |values: &[$type]| wide(values).map(i128::abs).max();
        all_shapes(&mut $report, &Case::checked(NormMax, norm, value), &corners);
        extremes!($report, $type, |_: $type| false);
    })*};
}

macro_rules! extremes {
    ($report:ident, $type:ident, $is_nan:expr) => {{
        let corners = $type::corners();
        fn is_nan(x: $type) -> bool {
            let is_nan: fn($type) -> bool = $is_nan;
            is_nan(x)
        }
        /// The number of the first extreme, or of the first NaN.
        fn first(values: &[$type], down: bool) -> Option<usize> {
            let beats = |x: $type, old: $type| match (is_nan(x), is_nan(old)) {
                (false, false) => {
                    if down {
                        x.less(old)
                    } else {
                        old.less(x)
                    }
                }
                (x, old) => x && !old,
            };
            (0..values.len())
                .reduce(|best, i| if beats(values[i], values[best]) { i } else { best })
        }
        all_shapes(
            &mut $report,
            &Case::exact(ArgMax, |values: &[$type], _| first(values, false)),
            &corners,
        );
        all_shapes(
            &mut $report,
            &Case::exact(ArgMin, |values: &[$type], _| first(values, true)),
            &corners,
        );
        let max = |values: &[$type], _: &[usize]| values.iter().copied().reduce(Scalar::maximum);
        all_shapes(&mut $report, &Case::exact(Max, max), &corners);
        let min = |values: &[$type], _: &[usize]| values.iter().copied().reduce(Scalar::minimum);
        all_shapes(&mut $report, &Case::exact(Min, min), &corners);
        let count = |values: &[$type], _: &[usize]| {
            Some(values.iter().filter(|&&x| x != <$type>::default()).count())
        };
        all_shapes(&mut $report, &Case::exact(CountNonzero, count), &corners);
    }};
}

/// Whether two numbers are close, relative to the larger, or 1.
fn near(a: f64, b: f64, tolerance: f64) -> bool {
    a == b
        || (a.is_nan() && b.is_nan())
        || (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1.0)
}

#[test]
fn integers() {
    let mut report = Report::new("reductions of integers");
    integer_cases! { report, i8 i16 i32 i64 isize u8 u16 u32 u64 usize }
    report.finish(12_500);
}

macro_rules! float_cases {
    ($report:ident, $($type:ident: $acc:ident, |$x:ident| $widen:expr, |$y:ident| $narrow:expr, $tolerance:literal, $norm:literal;)*) => {$({
        let corners = $type::corners();
        fn wide($x: $type) -> $acc { $widen }
        fn narrow($y: f64) -> $type { $narrow }
        fn added(values: &[$type], extents: &[usize], f: fn($acc) -> $acc) -> f64 {
            in_order(values, extents, -0.0, |a: $acc, x| a + f(wide(x)), |a, b| a + b, f64::from, |a, b| a + b)
                .unwrap_or(0.0)
        }
        let sum = |values: &[$type], extents: &[usize]| Some(narrow(added(values, extents, |x| x)));
        all_shapes(&mut $report, &Case::exact(Sum, sum), &corners);
        let mean = |values: &[$type], extents: &[usize]| {
            (!values.is_empty()).then(|| narrow(added(values, extents, |x| x) / values.len() as f64))
        };
        all_shapes(&mut $report, &Case::exact(Mean, mean), &corners);
        fn without(values: &[$type]) -> (Vec<$type>, usize) {
            let zeros = values.iter().map(|&x| if x.is_nan() { narrow(0.0) } else { x }).collect();
            (zeros, values.iter().filter(|x| !x.is_nan()).count())
        }
        let sum = |values: &[$type], extents: &[usize]| Some(narrow(added(&without(values).0, extents, |x| x)));
        all_shapes(&mut $report, &Case::exact(NanSum, sum), &corners);
        let mean = |values: &[$type], extents: &[usize]| {
            let (zeros, count) = without(values);
            (!values.is_empty()).then(|| narrow(added(&zeros, extents, |x| x) / count as f64))
        };
        all_shapes(&mut $report, &Case::exact(NanMean, mean), &corners);
        let product = |values: &[$type], extents: &[usize]| {
            let product = in_order(values, extents, 1.0, |a: $acc, x| a * wide(x), |a, b| a * b, |a| a, |a, b| a * b).unwrap_or(1.0);
            Some(narrow(f64::from(product)))
        };
        all_shapes(&mut $report, &Case::exact(Product, product), &corners);
        let norm = |values: &[$type], extents: &[usize]| Some(narrow(added(values, extents, $acc::abs)));
        all_shapes(&mut $report, &Case::exact(NormL1, norm), &corners);
        let norm = |values: &[$type], _: &[usize]| values.iter().map(|&x| Scalar::abs(x)).reduce(Scalar::maximum);
        all_shapes(&mut $report, &Case::exact(NormMax, norm), &corners);
        // Relative to the largest, of which the square is 1.
        let norm = |values: &[$type], _: &[usize]| {
            let values: Vec<f64> = values.iter().map(|&x| f64::from(wide(x)).abs()).collect();
            let max = values.iter().copied().fold(0.0, Scalar::maximum);
            if max == 0.0 || !max.is_finite() {
                return Some(narrow(max));
            }
            // Of subnormal numbers there is no reciprocal.
            let up = if max < 1e-300 { 1e200 } else { 1.0 };
            let sum: f64 = values.iter().map(|x| (x * up / (max * up)).powi(2)).sum();
            Some(narrow(max * sum.sqrt()))
        };
        let close: fn(&$type, &$type) -> bool = |&a, &b| {
            let (a, b) = (f64::from(a), f64::from(b));
            a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= $norm * a + f64::from($type::from_bits(1))
        };
        all_shapes(&mut $report, &Case::new(NormL2, norm, close), &corners);
        extremes!($report, $type, |x: $type| x.is_nan());
        fn without_nan(values: &[$type], extreme: fn($type, $type) -> $type) -> Option<$type> {
            let number = values.iter().copied().filter(|x| !x.is_nan()).reduce(extreme);
            number.or(values.first().copied())
        }
        let max = |values: &[$type], _: &[usize]| without_nan(values, Scalar::maximum);
        all_shapes(&mut $report, &Case::exact(NanMax, max), &corners);
        let min = |values: &[$type], _: &[usize]| without_nan(values, Scalar::minimum);
        all_shapes(&mut $report, &Case::exact(NanMin, min), &corners);
        fn variance(values: &[$type], ddof: f64) -> Option<f64> {
            let len = values.len() as f64;
            let mean = values.iter().map(|&x| f64::from(wide(x))).sum::<f64>() / len;
            (len > ddof)
                .then(|| values.iter().map(|&x| (f64::from(wide(x)) - mean).powi(2)).sum::<f64>() / (len - ddof))
        }
        let close: fn(&$type, &$type) -> bool = |&a, &b| near(f64::from(a), f64::from(b), $tolerance);
        let var = |values: &[$type], _: &[usize]| variance(values, 0.0).map(narrow);
        all_shapes(&mut $report, &Case::new(Var { ddof: 0.0 }, var, close), &[]);
        let std = |values: &[$type], _: &[usize]| variance(values, 1.0).map(|x| narrow(x.sqrt()));
        all_shapes(&mut $report, &Case::new(Std { ddof: 1.0 }, std, close), &[]);
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
        all_shapes(&mut $report, &Case::new(LogSumExp, exponentials, close), &corners);
    })*};
}

#[test]
fn floats() {
    let mut report = Report::new("reductions of floating-point numbers");
    float_cases! { report,
        f32: f32, |x| x, |y| y as f32, 1e-5, 1e-7;
        f64: f64, |x| x, |y| y, 1e-13, 1e-14;
        f16: f32, |x| x.to_f32(), |y| f16::from_bits(F16.encode(y)), 2e-3, 1e-3;
        bf16: f32, |x| x.to_f32(), |y| bf16::from_bits(BF16.encode(y)), 2e-2, 1e-2;
    }
    report.finish(6000);
}

#[test]
fn complex_numbers_and_bools() {
    let mut report = Report::new("reductions of complex numbers and bools");
    macro_rules! complexes {
        ($($part:ident: $tolerance:literal)*) => {$({
            fn added(values: &[Complex<$part>], extents: &[usize]) -> Complex<f64> {
                let start = Complex::new(-0.0, -0.0);
                let wide = |x: Complex<$part>| Complex::new(f64::from(x.re), f64::from(x.im));
                in_order(values, extents, start, |a, x| a + x, |a, b| a + b, wide, |a, b| a + b).unwrap_or_default()
            }
            fn narrow(x: Complex<f64>) -> Complex<$part> {
                Complex::new(x.re as $part, x.im as $part)
            }
            let sum = |values: &[Complex<$part>], extents: &[usize]| Some(narrow(added(values, extents)));
            all_shapes(&mut report, &Case::exact(Sum, sum), &[]);
            let mean = |values: &[Complex<$part>], extents: &[usize]| {
                (!values.is_empty()).then(|| narrow(added(values, extents) / values.len() as f64))
            };
            all_shapes(&mut report, &Case::exact(Mean, mean), &[]);
            let close: fn(&Complex<$part>, &Complex<$part>) -> bool = |a, b| {
                (a - b).norm() <= 1e-4 * a.norm().max(b.norm()) || (!b.is_finite() && !a.is_finite())
            };
            let product = |values: &[Complex<$part>], extents: &[usize]| {
                in_order(values, extents, Complex::new(1.0, 0.0), |a, x| a * x, |a, b| a * b, |a| a, |a, b| a * b).or(Some(Complex::new(1.0, 0.0)))
            };
            all_shapes(&mut report, &Case::new(Product, product, close), &[]);
            let close: fn(&$part, &$part) -> bool = |&a, &b| near(f64::from(a), f64::from(b), $tolerance);
            let norm = |values: &[Complex<$part>], _: &[usize]| {
                Some(values.iter().map(|x| f64::from(x.re).powi(2) + f64::from(x.im).powi(2)).sum::<f64>().sqrt() as $part)
            };
            all_shapes(&mut report, &Case::new(NormL2, norm, close), &[]);
            let norm = |values: &[Complex<$part>], _: &[usize]| Some(values.iter().map(|x| f64::from(x.norm())).sum::<f64>() as $part);
            all_shapes(&mut report, &Case::new(NormL1, norm, close), &[]);
            let norm = |values: &[Complex<$part>], _: &[usize]| values.iter().map(|x| x.norm()).reduce($part::max);
            all_shapes(&mut report, &Case::new(NormMax, norm, close), &[]);
        })*};
    }
    complexes! { f32: 1e-6 f64: 1e-13 }
    all_shapes(
        &mut report,
        &Case::exact(Any, |values: &[bool], _| Some(values.contains(&true))),
        &[],
    );
    all_shapes(
        &mut report,
        &Case::exact(All, |values: &[bool], _| Some(!values.contains(&false))),
        &[],
    );
    extremes!(report, bool, |_: bool| false);
    report.finish(1400);
}

/// Sizes beyond a block, with every layout.
#[test]
fn layouts_of_several_blocks() {
    several_blocks(&[&[9001], &[4097, 3], &[3, 5000], &[130, 67], &[190, 210]]);
}

#[test]
fn layouts_of_several_blocks_of_more_axes() {
    several_blocks(&[&[70, 9, 31], &[21, 3, 5, 40], &[6, 7, 70], &[40, 5, 130], &[2, 4100, 2]]);
}

fn several_blocks(shapes: &[&[usize]]) {
    let mut report = Report::new("reductions of several blocks");
    let sum = |values: &[f32], extents: &[usize]| {
        in_order(values, extents, -0.0, |a: f32, x| a + x, |a, b| a + b, f64::from, |a, b| a + b)
            .map(|sum| sum as f32)
    };
    let sum = Case::exact(Sum, sum);
    let first = |values: &[f32], _: &[usize]| {
        (0..values.len()).rev().max_by(|&a, &b| values[a].total_cmp(&values[b]))
    };
    let argmax = Case::exact(ArgMax, first);
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
                    let values = Naive::numbered(shape, |i| {
                        ((i * 7919 + number) % 1013) as f32 * 0.37 - 150.0
                    });
                    let held = Held::new(&values, &recipe);
                    sum.run(&mut report, &held.naive(), &axes, &held, Ways::Turn(number));
                    argmax.run(&mut report, &held.naive(), &axes, &held, Ways::Turn(number + 5));
                }
            }
        }
    });
    report.finish(300);
}
