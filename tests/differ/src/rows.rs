//! The table of what is compared, and random questions about it.

use super::{Near, Question, Value, Values, listed, operand};
use conformance::fuzz::{Lying, exec, exec_text, random_shape};
use conformance::naive::size;
use conformance::random::Random;
use zerostride::prelude::*;
use zerostride::{Array, Dimension, Element, Error, QuantileMethod};

/// The operands and parameters of a question.
#[derive(Clone, Copy)]
struct Ask<'a, T: Element> {
    a: ViewD<'a, T>,
    b: ViewD<'a, T>,
    dims: &'a [usize],
    axes: &'a [usize],
    axis: usize,
    p: f64,
}

/// What the elements may be.
#[derive(Clone, Copy, PartialEq)]
enum Data {
    /// Of moderate size, none of them a negative zero or NaN.
    Tame,
    /// Any.
    Wild,
}
use Data::{Tame, Wild};

/// What the rounding errors of a result grow with.
#[derive(Clone, Copy)]
enum Scale {
    /// The result itself.
    Result,
    /// The sum of the magnitudes.
    Sum,
    /// The sum of the squares.
    Squares,
}

/// The shapes of the operands.
#[derive(Clone, Copy, PartialEq)]
enum Shapes {
    /// One, or a second one along some axes of it.
    Along,
    /// Matrices that can be multiplied.
    Matrices,
}

struct Row<T: Element> {
    program: &'static str,
    numpy: &'static str,
    near: Near,
    data: Data,
    scale: Scale,
    shapes: Shapes,
    run: fn(Ask<'_, T>) -> Result<Values, Error>,
}

fn values<T: Value, R: Dimension>(array: Array<T, R>) -> Values {
    let bits = array.iter().map(|x| x.bits()).collect();
    Values { of: T::NAME, shape: array.shape().to_vec(), bits }
}

macro_rules! rows {
    ($type:ty: $($near:expr, $data:ident $(, $scale:ident)? $(; $shapes:ident)?: $numpy:literal, |$q:ident| $expr:expr;)*) => {
        &[$(Row::<$type> {
            program: stringify!($expr),
            numpy: $numpy,
            near: $near,
            data: $data,
            scale: rows!(@scale $($scale)?),
            shapes: rows!(@shapes $($shapes)?),
            run: |$q| ($expr).map(values),
        }),*]
    };
    (@scale) => { Scale::Result };
    (@scale $scale:ident) => { Scale::$scale };
    (@shapes) => { Shapes::Along };
    (@shapes $shapes:ident) => { Shapes::$shapes };
}

use Near::{Rounded, Same, Ulp};

macro_rules! floats {
    ($type:ident) => {
        rows! { $type:
            Same, Wild: "a + b", |q| (q.a + q.b.along(q.dims)).eval();
            Same, Wild: "a - b", |q| (q.a - q.b.along(q.dims)).eval();
            Same, Wild: "b * a", |q| (q.b.along(q.dims) * q.a).eval();
            Same, Wild: "a / b", |q| (q.a / q.b.along(q.dims)).eval();
            Same, Wild: "np.fmod(a, b)", |q| (q.a % q.b.along(q.dims)).eval();
            Same, Wild: "(a + b) * a - b", |q| ((q.a + q.b.along(q.dims)) * q.a - q.b.along(q.dims)).eval();
            Same, Wild: "a + np.sqrt(abs(b))", |q| (q.a + q.b.along(q.dims).abs().sqrt()).eval();
            Same, Wild: "np.maximum(a, b)", |q| q.a.maximum(q.b.along(q.dims)).eval();
            Same, Wild: "np.minimum(a, b)", |q| q.a.minimum(q.b.along(q.dims)).eval();
            Same, Wild: "np.fmax(a, b)", |q| q.a.fmax(q.b.along(q.dims)).eval();
            Same, Wild: "np.copysign(a, b)", |q| q.a.copysign(q.b.along(q.dims)).eval();
            Same, Wild: "np.nextafter(a, b)", |q| q.a.next_after(q.b.along(q.dims)).eval();
            Same, Wild: "a < b", |q| q.a.less(q.b.along(q.dims)).eval();
            Same, Wild: "a >= b", |q| q.a.greater_equal(q.b.along(q.dims)).eval();
            Same, Wild: "a == b", |q| q.a.equal(q.b.along(q.dims)).eval();
            Same, Wild: "-a", |q| (-q.a).eval();
            Same, Wild: "abs(a)", |q| q.a.abs().eval();
            Same, Wild: "np.sign(a)", |q| q.a.sign().eval();
            Same, Wild: "np.sqrt(a)", |q| q.a.sqrt().eval();
            Same, Wild: "np.floor(a)", |q| q.a.floor().eval();
            Same, Wild: "np.ceil(a)", |q| q.a.ceil().eval();
            Same, Wild: "np.trunc(a)", |q| q.a.trunc().eval();
            Same, Wild: "np.rint(a)", |q| q.a.round_ties_even().eval();
            Same, Wild: "np.isfinite(a)", |q| q.a.is_finite().eval();
            Same, Wild: "np.isnan(a)", |q| q.a.is_nan().eval();
            Same, Wild: "1 / a", |q| q.a.recip().eval();
            Same, Wild: "np.where(a < p, a, b * np.ones_like(a))",
                |q| q.a.less(q.p as $type).select(q.a, q.b.broadcast_in_dim(q.a.shape(), q.dims)?).eval();
            Ulp(5), Wild: "np.exp(a)", |q| q.a.exp().eval();
            Ulp(5), Wild: "np.exp2(a)", |q| q.a.exp2().eval();
            Ulp(5), Wild: "np.expm1(a)", |q| q.a.exp_m1().eval();
            Ulp(5), Wild: "np.log(a)", |q| q.a.ln().eval();
            Ulp(5), Wild: "np.log1p(a)", |q| q.a.ln_1p().eval();
            Ulp(5), Wild: "np.log2(a)", |q| q.a.log2().eval();
            Ulp(5), Wild: "np.log10(a)", |q| q.a.log10().eval();
            Ulp(5), Wild: "np.cbrt(a)", |q| q.a.cbrt().eval();
            Ulp(5), Tame: "np.sin(a) + 0 * b", |q| (q.a.sin() + q.b.along(q.dims) * 0.0).eval();
            Ulp(5), Tame: "np.cos(a)", |q| q.a.cos().eval();
            Ulp(6), Tame: "np.tan(a)", |q| q.a.tan().eval();
            Ulp(5), Wild: "np.arcsin(a)", |q| q.a.asin().eval();
            Ulp(5), Wild: "np.arccos(a)", |q| q.a.acos().eval();
            Ulp(5), Wild: "np.arctan(a)", |q| q.a.atan().eval();
            Ulp(5), Wild: "np.sinh(a)", |q| q.a.sinh().eval();
            Ulp(5), Wild: "np.cosh(a)", |q| q.a.cosh().eval();
            Ulp(5), Wild: "np.tanh(a)", |q| q.a.tanh().eval();
            Ulp(5), Wild: "np.arcsinh(a)", |q| q.a.asinh().eval();
            Ulp(5), Wild: "np.arccosh(a)", |q| q.a.acosh().eval();
            Ulp(5), Wild: "np.arctanh(a)", |q| q.a.atanh().eval();
            Ulp(5), Wild: "np.arctan2(a, b)", |q| q.a.atan2(q.b.along(q.dims)).eval();
            Ulp(5), Wild: "np.hypot(a, b)", |q| q.a.hypot(q.b.along(q.dims)).eval();
            Ulp(5), Wild: "np.power(abs(a), b)", |q| q.a.abs().pow(q.b.along(q.dims)).eval();
            // Elements that repeat are all rounded to the same side.
            Rounded(4.0), Tame, Sum: "np.sum(a, axis=axes, dtype='g')", |q| q.a.sum_axis(q.axes);
            Rounded(4.0), Tame, Squares: "np.sum((a * b), axis=axes, dtype='g')", |q| (q.a * q.b.along(q.dims)).sum_axis(q.axes);
            Rounded(4.0), Tame, Sum: "np.mean(a, axis=axes, dtype='g')", |q| q.a.mean_axis(q.axes);
            Rounded(2.0), Tame, Squares: "np.var(a, axis=axes, dtype='g')", |q| q.a.var_axis(q.axes, 0.0);
            Rounded(400.0), Tame: "np.prod(a, axis=axes, dtype='g')", |q| q.a.product_axis(q.axes);
            Rounded(4.0), Tame, Sum: "np.sqrt(np.sum(np.square(a.astype('g')), axis=axes))", |q| q.a.norm_l2_axis(q.axes);
            Rounded(4.0), Tame, Sum: "np.sum(abs(a.astype('g')), axis=axes)", |q| q.a.norm_l1_axis(q.axes);
            Rounded(4.0), Tame, Sum: "log_sum_exp(a, axes)", |q| q.a.log_sum_exp_axis(q.axes);
            Same, Wild: "np.min(a, axis=axes)", |q| q.a.min_axis(q.axes);
            Same, Wild: "np.max(a, axis=axes, keepdims=True)", |q| q.a.max_axis(keep(q.axes));
            Same, Wild: "np.fmin.reduce(a, axis=axes)", |q| q.a.nanmin_axis(q.axes);
            Same, Wild: "np.fmax.reduce(a, axis=axes)", |q| q.a.nanmax_axis(q.axes);
            Same, Wild: "np.count_nonzero(a, axis=axes)", |q| q.a.count_nonzero_axis(q.axes);
            Same, Tame: "np.argmin(a, axis=axis)", |q| q.a.argmin_axis(q.axis);
            Same, Tame: "np.argmax(a, axis=axis)", |q| q.a.argmax_axis(q.axis);
            Same, Wild: "np.sort(a, axis=axis)", |q| q.a.sort(q.axis);
            Same, Tame: "np.argsort(a, axis=axis, kind='stable')", |q| q.a.argsort(q.axis);
            Same, Wild: "np.maximum.accumulate(a, axis=axis)", |q| q.a.cummax(q.axis);
            Same, Wild: "np.minimum.accumulate(a, axis=axis)", |q| q.a.cummin(q.axis);
            Rounded(4.0), Tame, Sum: "np.cumsum(a, axis=axis, dtype='f8')", |q| q.a.cumsum(q.axis);
            Same, Wild: "np.diff(a, axis=axis)", |q| q.a.diff(q.axis);
            Rounded(4.0), Tame, Sum: "np.median(a, axis=axis)", |q| q.a.median_axis(q.axis);
            Rounded(4.0), Tame, Sum: "np.quantile(a.astype('f8'), p, axis=axis)", |q| q.a.quantile_axis(q.axis, q.p);
            Same, Tame: "np.quantile(a, p, axis=axis, method='lower')",
                |q| q.a.quantile_axis_by(q.axis, q.p, QuantileMethod::Lower);
            Rounded(64.0), Tame: "softmax(a, axes)", |q| q.a.softmax(q.axes);
            Rounded(64.0), Tame, Squares; Matrices: "a.astype('g') @ b", |q| q.a.matmul(q.b);
        }
    };
}

macro_rules! integers {
    ($type:ident) => {
        rows! { $type:
            Same, Wild: "a + b", |q| (q.a + q.b.along(q.dims)).eval();
            Same, Wild: "a - b", |q| (q.a - q.b.along(q.dims)).eval();
            Same, Wild: "a * b", |q| (q.a * q.b.along(q.dims)).eval();
            Same, Tame: "quotient(a, b | 1)", |q| (q.a / (q.b.along(q.dims) | 1)).eval();
            Same, Tame: "np.fmod(a, b | 1)", |q| (q.a % (q.b.along(q.dims) | 1)).eval();
            Same, Wild: "(a & b) ^ a | b", |q| ((q.a & q.b.along(q.dims)) ^ q.a | q.b.along(q.dims)).eval();
            Same, Wild: "np.maximum(a, b)", |q| q.a.maximum(q.b.along(q.dims)).eval();
            Same, Wild: "a <= b", |q| q.a.less_equal(q.b.along(q.dims)).eval();
            Same, Wild: "a != b", |q| q.a.not_equal(q.b.along(q.dims)).eval();
            Same, Wild: "~a", |q| (!q.a).eval();
            Same, Wild: "np.bitwise_count(a if a.dtype.kind == 'u' else a.view('u' + a.dtype.str[2:]))",
                |q| q.a.popcount().eval();
            Same, Wild: "a.astype('f8')", |q| q.a.cast::<f64>().eval();
            Same, Wild: "exact(of, np.sum(a.astype(object), axis=axes))", |q| q.a.sum_axis(q.axes);
            Same, Tame: "exact(of, np.sum(a.astype(object), axis=axes))", |q| q.a.sum_axis(q.axes);
            Same, Wild: "np.sum(a, axis=axes, dtype=a.dtype, keepdims=True)", |q| q.a.sum_wrapping_axis(keep(q.axes));
            Same, Wild: "np.prod(a, axis=axes, dtype=a.dtype)", |q| q.a.product_wrapping_axis(q.axes);
            Same, Wild: "np.min(a, axis=axes)", |q| q.a.min_axis(q.axes);
            Same, Wild: "np.max(a + b, axis=axes)", |q| (q.a + q.b.along(q.dims)).max_axis(q.axes);
            Same, Wild: "np.argmin(a, axis=axis)", |q| q.a.argmin_axis(q.axis);
            Same, Tame: "np.argmax(a, axis=axis)", |q| q.a.argmax_axis(q.axis);
            Same, Tame: "np.count_nonzero(a, axis=axes)", |q| q.a.count_nonzero_axis(q.axes);
            Same, Tame: "exact(of, np.cumsum(a.astype(object), axis=axis))", |q| q.a.cumsum(q.axis);
            Same, Wild: "exact(of, np.cumsum(a.astype(object), axis=axis))", |q| q.a.cumsum(q.axis);
            Same, Wild: "np.minimum.accumulate(a, axis=axis)", |q| q.a.cummin(q.axis);
            Same, Wild: "np.sort(a, axis=axis)", |q| q.a.sort(q.axis);
            Same, Tame: "np.argsort(a, axis=axis, kind='stable')", |q| q.a.argsort(q.axis);
            Same, Wild: "np.diff(a, axis=axis)", |q| q.a.diff(q.axis);
            Same, Tame: "np.unique(a)", |q| q.a.unique().map(|(unique, _)| unique);
            Same, Tame: "np.unique(a, return_counts=True)[1]", |q| q.a.unique().map(|(_, counts)| counts);
        }
    };
}

const SINGLES: &[Row<f32>] = floats!(f32);
const DOUBLES: &[Row<f64>] = floats!(f64);
const INTEGERS: &[Row<i32>] = integers!(i32);
const BYTES: &[Row<u8>] = integers!(u8);
const BOOLS: &[Row<bool>] = rows! { bool:
    Same, Tame: "a & b", |q| (q.a & q.b.along(q.dims)).eval();
    Same, Tame: "a ^ b", |q| (q.a ^ q.b.along(q.dims)).eval();
    Same, Tame: "~a", |q| (!q.a).eval();
    Same, Tame: "np.any(a, axis=axes)", |q| q.a.any_axis(q.axes);
    Same, Tame: "np.all(a, axis=axes)", |q| q.a.all_axis(q.axes);
    Same, Tame: "np.count_nonzero(a | b, axis=axes)", |q| (q.a | q.b.along(q.dims)).count_nonzero_axis(q.axes);
    Same, Tame: "np.argmax(a, axis=axis)", |q| q.a.argmax_axis(q.axis);
    Same, Tame: "np.sort(a, axis=axis)", |q| q.a.sort(q.axis);
};

pub(super) fn question(random: &mut Random, small: bool) -> Question {
    macro_rules! float {
        ($type:ident) => {
            |random, data| {
                let tame = (random.bits() as i32) as $type / (1 << 26) as $type;
                if data == Tame {
                    return if tame == 0.0 { 1.0 } else { tame };
                }
                let wild = random.bits();
                match random.below(8) {
                    0 => random.of(&[
                        0.0,
                        -0.0,
                        1.0,
                        -1.0,
                        0.5,
                        $type::INFINITY,
                        $type::NEG_INFINITY,
                        $type::NAN,
                        $type::MAX,
                        $type::MIN,
                        $type::MIN_POSITIVE,
                        $type::from_bits(1),
                        -$type::from_bits(77),
                    ]),
                    // A signalling NaN is no number to NumPy, and none at all here.
                    1 => match $type::from_bits(wild as _) {
                        nan if nan.is_nan() => $type::NAN,
                        number => number,
                    },
                    _ => tame,
                }
            }
        };
    }
    macro_rules! integer {
        ($type:ident) => {
            |random, data| match data {
                Tame => random.between(0, 40) as $type,
                Wild if random.once_in(2) => random.bits() as $type,
                Wild => random.of(&[0, 1, $type::MIN, $type::MAX, 3, (0 as $type).wrapping_sub(1)]),
            }
        };
    }
    match random.below(20) {
        0..6 => of(random, DOUBLES, small, float!(f64)),
        6..12 => of(random, SINGLES, small, float!(f32)),
        12..16 => of(random, INTEGERS, small, integer!(i32)),
        16..19 => of(random, BYTES, small, integer!(u8)),
        _ => of(random, BOOLS, small, |random, _| random.once_in(2)),
    }
}

fn of<T: Value>(
    random: &mut Random,
    rows: &[Row<T>],
    small: bool,
    value: fn(&mut Random, Data) -> T,
) -> Question {
    let row = &rows[random.below(rows.len())];
    let most = if small { 12 } else { random.of(&[30, 200, 2000]) };
    let mut shape: Vec<usize>;
    let mut dims: Vec<usize>;
    let mut own: Vec<usize>;
    match row.shapes {
        Shapes::Along => {
            let ndim = 1 + random.below(4);
            shape = random_shape(random, ndim, most);
            dims = (0..ndim).filter(|_| !random.once_in(3)).collect();
            own = dims.iter().map(|&dim| if random.once_in(5) { 1 } else { shape[dim] }).collect();
            if random.once_in(6) && !row.numpy.contains("ones_like") {
                let axis = random.below(ndim);
                shape[axis] = 1;
            }
        }
        Shapes::Matrices => {
            shape = random_shape(random, 2, most);
            own = vec![shape[1], 1 + random.below(most / 2)];
            dims = vec![];
        }
    }
    // What there is of no elements is another matter: NumPy warns and says NaN, here it is an
    // error.
    if ["axis", "axes", "unique", "matmul"].iter().any(|word| row.program.contains(word)) {
        let some = |extent: &mut usize| *extent = (*extent).max(1);
        shape.iter_mut().for_each(some);
        own.iter_mut().for_each(some);
    }
    let a = Lying::new(random, &shape, true, |random| value(random, row.data));
    let b = Lying::new(random, &own, true, |random| value(random, row.data));
    if !row.program.contains("q.b") || row.shapes == Shapes::Matrices {
        dims.clear();
    }
    let ndim = shape.len();
    let mut axes = random.permutation(ndim);
    axes.truncate(random.below(ndim + 1));
    let axis = random.below(ndim);
    let p = random.of(&[0.0, 0.25, 0.5, 0.3, 0.9, 1.0]);
    let exec = exec(random);
    let ask = Ask { a: a.view(), b: b.view(), dims: &dims, axes: &axes, axis, p };
    let answer = exec.install(|| (row.run)(ask)).map_err(|err| err.to_string());
    let largest = |lying: &Lying<T>| {
        lying.buffer.iter().map(|x| x.magnitude()).filter(|x| x.is_finite()).fold(1.0, f64::max)
    };
    let (largest, len) = (largest(&a).max(largest(&b)), size(&shape) as f64);
    let scale = match row.scale {
        Scale::Result => f64::MIN_POSITIVE / f64::EPSILON,
        Scale::Sum => largest * len,
        Scale::Squares => largest * largest * len,
    };
    let uses_b = row.program.contains("q.b");
    let result = answer.as_ref().map_or(T::NAME, |values| values.of);
    let line = format!(
        "{}\t{result}\t{}\t{}\t{}\t{}\t{axis}\t{p}",
        row.numpy,
        operand(&a),
        if uses_b { operand(&b) } else { String::new() },
        if row.shapes == Shapes::Matrices { "matrix".to_owned() } else { listed(&dims) },
        listed(&axes)
    );
    let call = ["q.axes", "q.axis", "q.dims", "q.p", "q.a", "q.b"]
        .iter()
        .fold(row.program.to_owned(), |text, name| text.replace(name, &name[2..]));
    let program = || {
        format!(
            "use zerostride::prelude::*;\nuse zerostride::*;\n\nfn main() -> Result<(), Error> {{\n{}{}    \
             let (dims, axes, axis, p) = (&{dims:?}[..], &{axes:?}[..], {axis}, {p:?});\n{}    \
             // NumPy: {}\n    println!(\"{{:?}}\", exec.install(|| {call})?);\n    Ok(())\n}}",
            a.text("a", T::NAME),
            b.text("b", T::NAME),
            exec_text(exec),
            row.numpy
        )
    };
    let program = program();
    Question { number: 0, line, program, near: row.near, scale, answer }
}
