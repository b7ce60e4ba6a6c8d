//! The corners of the semantics with their answers in figures: they hold the naive definition to
//! the documents, too.

use conformance::support::execs::in_pool;
use conformance::support::{Report, Ways};
use zerostride::prelude::*;
use zerostride::{Complex, Element, Operand, bf16, clamp, concatenate, f16, ops, zip};

/// Evaluates an expression over vectors.
fn all<E: Expr<Rank = Rank<1>>>(expr: E) -> Vec<E::Elem> {
    expr.eval().expect("the shapes are equal").to_vec()
}

/// `x` converted.
fn to<T: Element + zerostride::CastTo<U> + zerostride::Scalar, U: Element>(x: &[T]) -> Vec<U> {
    all(Array1::from_vec(x.to_vec()).cast::<U>())
}

#[test]
fn integers_wrap_and_never_trap() {
    let mut report = Report::new("integers");
    let (min, max) = (i32::MIN, i32::MAX);
    let (a, b) = (array![max, min, 7, -7, 7, 0, min, min], array![1, -1, 2, 2, 0, 0, -1, 0]);
    report.equal("add", all(&a + &b), vec![min, max, 9, -5, 7, 0, max, min]);
    report.equal("sub", all(&a - &b), vec![max - 1, min + 1, 5, -9, 7, 0, min + 1, min]);
    report.equal("mul", all(&a * &b), vec![max, min, 14, -14, 0, 0, min, 0]);
    report.equal("div", all(&a / &b), vec![max, min, 3, -3, -1, -1, min, -1]);
    report.equal("rem", all(&a % &b), vec![0, 0, 1, -1, 7, 0, 0, min]);
    report.equal("neg", all(-&a), vec![-max, min, -7, 7, -7, 0, min, min]);
    report.equal("abs", all(a.abs()), vec![max, min, 7, 7, 7, 0, min, min]);
    report.equal("not", all(!&b), vec![-2, 0, -3, -3, -1, -1, 0, -1]);
    let (a, b) = (array![0_u8, 255, 7, 7], array![1, 2, 0, 2]);
    report.equal("u8 sub", all(&a - &b), vec![255, 253, 7, 5]);
    report.equal("u8 div", all(&a / &b), vec![0, 127, 255, 3]);
    report.equal("u8 rem", all(&a % &b), vec![0, 1, 7, 1]);
    report.equal("u8 neg", all(-&a), vec![0, 1, 249, 249]);
    let (a, b) = (array![i64::MIN, i64::MIN, i64::MAX], array![-1, 0, 2]);
    report.equal("i64 div", all(&a / &b), vec![i64::MIN, -1, i64::MAX / 2]);
    report.equal("i64 rem", all(&a % &b), vec![0, i64::MIN, 1]);
    report.finish(14);
}

#[test]
fn bools_are_logical() {
    let mut report = Report::new("bools");
    let (a, b) = (array![false, false, true, true], array![false, true, false, true]);
    report.equal("add", all(&a + &b), vec![false, true, true, true]);
    report.equal("mul", all(&a * &b), vec![false, false, false, true]);
    report.equal("xor", all(&a ^ &b), vec![false, true, true, false]);
    report.equal("not", all(!&a), vec![true, true, false, false]);
    report.equal("maximum", all(a.maximum(&b)), vec![false, true, true, true]);
    report.equal("minimum", all(a.minimum(&b)), vec![false, false, false, true]);
    report.equal("less", all(a.less(&b)), vec![false, true, false, false]);
    report.equal("greater_equal", all(a.greater_equal(&b)), vec![true, false, true, true]);
    report.finish(8);
}

/// Floats as bits, every NaN as one.
fn bits(x: Vec<f32>) -> Vec<u32> {
    x.into_iter().map(|x| if x.is_nan() { f32::NAN } else { x }.to_bits()).collect()
}

#[test]
fn floats_keep_nan_signed_zero_and_subnormals() {
    const NAN: f32 = f32::NAN;
    const INF: f32 = f32::INFINITY;
    let mut report = Report::new("floats");
    let tiny = f32::from_bits(1);
    let (a, b) =
        (array![1.0_f32, NAN, -0.0, 0.0, NAN, -INF], array![NAN, 1.0, 0.0, -0.0, NAN, 5.0]);
    report.equal("maximum", bits(all(a.maximum(&b))), bits(vec![NAN, NAN, 0.0, 0.0, NAN, 5.0]));
    report.equal("minimum", bits(all(a.minimum(&b))), bits(vec![NAN, NAN, -0.0, -0.0, NAN, -INF]));
    report.equal("equal", all(a.equal(&b)), vec![false, false, true, true, false, false]);
    report.equal("not_equal", all(a.not_equal(&b)), vec![true, true, false, false, true, true]);
    report.equal("less", all(a.less(&b)), vec![false, false, false, false, false, true]);
    report.equal("less_equal", all(a.less_equal(&b)), vec![false, false, true, true, false, true]);
    report.equal("greater", all(a.greater(&b)), vec![false; 6]);
    report.equal(
        "greater_equal",
        all(a.greater_equal(&b)),
        vec![false, false, true, true, false, false],
    );
    let (a, b) = (
        array![1.0_f32, 0.0, -5.5, 5.0, INF, -0.0, 5.0],
        array![0.0, 0.0, 2.0, INF, 2.0, 1.0, 0.0],
    );
    report.equal("div", bits(all(&a / &b)), bits(vec![INF, NAN, -2.75, 0.0, INF, -0.0, INF]));
    report.equal("rem", bits(all(&a % &b)), bits(vec![NAN, NAN, -1.5, 5.0, NAN, -0.0, NAN]));
    let a = array![4.0_f32, -0.0, -1.0, tiny, INF];
    report.equal("sqrt", bits(all(a.sqrt())), bits(vec![2.0, -0.0, NAN, 3.743_392e-23, INF]));
    report.equal("abs", bits(all((-&a).abs())), bits(vec![4.0, 0.0, 1.0, tiny, INF]));
    report.equal("neg", bits(all(-&array![0.0_f32, -0.0, tiny])), bits(vec![-0.0, 0.0, -tiny]));
    report.equal(
        "subnormals",
        bits(all(array![tiny] + 2.0 * &array![tiny])),
        bits(vec![f32::from_bits(3)]),
    );
    report.equal("halved", bits(all(&array![f32::MIN_POSITIVE] / 2.0)), vec![0x0040_0000]);
    let x = array![5.0_f32, 3.0, NAN, 2.0, 2.0, -0.0];
    let (lo, hi) = (array![0.0, 5.0, 0.0, NAN, 0.0, 0.0], array![1.0, 1.0, 1.0, 1.0, NAN, 1.0]);
    report.equal("clamp", bits(all(clamp(&lo, &x, &hi))), bits(vec![1.0, 1.0, NAN, NAN, NAN, 0.0]));
    // The branch not taken does not leak.
    let (p, t, f) = (array![true, false], array![1.0_f32, NAN], array![NAN, 2.0]);
    report.equal("select", bits(all(p.select(&t, &f))), bits(vec![1.0, 2.0]));
    report.finish(17);
}

#[test]
fn conversions_truncate_saturate_and_wrap() {
    let mut report = Report::new("conversions");
    let floats = [-1.7_f32, 2.9, 300.0, -300.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.9];
    report.equal("f32 to u8", to::<_, u8>(&floats), vec![0, 2, 255, 0, 0, 255, 0, 0]);
    report.equal("f32 to i8", to::<_, i8>(&floats), vec![-1, 2, 127, -128, 0, 127, -128, 0]);
    report.equal("f32 to i64", to::<_, i64>(&floats[4..7]), vec![0, i64::MAX, i64::MIN]);
    report.equal(
        "f64 to u64",
        to::<_, u64>(&[1e20, -1.0, 1.844_674_407_370_955e19]),
        vec![u64::MAX, 0, 18446744073709549568],
    );
    report.equal("i32 to i8", to::<_, i8>(&[300, -1, 128, -129]), vec![44, -1, -128, 127]);
    report.equal("i32 to u8", to::<_, u8>(&[-1, 256, 300]), vec![255, 0, 44]);
    report.equal("i8 to u64", to::<_, u64>(&[-1_i8]), vec![u64::MAX]);
    report.equal("i32 to f32", to::<_, f32>(&[16777217, 16777219]), vec![16777216.0, 16777220.0]);
    report.equal(
        "f32 to f16",
        to::<_, f16>(&[65519.0_f32, 65520.0]),
        vec![f16::MAX, f16::INFINITY],
    );
    // Just above half-way between 1 and the next f16: rounding to f32 first would lose what breaks
    // the tie.
    let above = 1.0 + 2_f64.powi(-11) + 2_f64.powi(-40);
    report.equal(
        "f64 to f16",
        to::<_, f16>(&[above, 1.0 + 2_f64.powi(-11)]),
        vec![f16::from_bits(0x3c01), f16::ONE],
    );
    let above = 1.0 + 2_f64.powi(-8) + 2_f64.powi(-40);
    report.equal(
        "f64 to bf16",
        to::<_, bf16>(&[above, 1.0 + 2_f64.powi(-8)]),
        vec![bf16::from_bits(0x3f81), bf16::ONE],
    );
    let tie = 257_i64 << 40;
    report.equal(
        "i64 to bf16",
        to::<_, bf16>(&[tie, tie + 1]),
        [256.0_f32, 258.0].map(|x| bf16::from_f32(x * 2_f32.powi(40))).to_vec(),
    );
    report.equal(
        "i64 to f16",
        to::<_, f16>(&[2049_i64, 2051, 65520, -65519]),
        [2048.0, 2052.0, f32::INFINITY, -65504.0].map(f16::from_f32).to_vec(),
    );
    report.equal(
        "f32 to bool",
        to::<_, bool>(&[0.0_f32, -0.0, f32::NAN, 1e-45]),
        vec![false, false, true, true],
    );
    report.equal("bool to i16", to::<_, i16>(&[true, false]), vec![1, 0]);
    let complex = [Complex::new(0.0_f64, 1.0), Complex::new(0.0, 0.0), Complex::new(-2.5, 9.0)];
    report.equal("complex to bool", to::<_, bool>(&complex), vec![true, false, true]);
    report.equal("complex to i32", to::<_, i32>(&complex), vec![0, 0, -2]);
    report.equal("i8 to complex", to::<_, Complex<f32>>(&[-3_i8]), vec![Complex::new(-3.0, 0.0)]);
    report.finish(18);
}

#[test]
fn complex_numbers() {
    type C = Complex<f64>;
    let mut report = Report::new("complex numbers");
    let c = C::new;
    let near = |a: C, b: C| (a - b).norm() <= 1e-15 * b.norm();
    let one = |expr: Vec<C>| expr[0];
    let of = |z: C| Array1::from_vec(vec![z]);
    let quotient = |a: C, b: C| one(all(&of(a) / &of(b)));
    report.holds("division", near(quotient(c(1.0, 2.0), c(3.0, -4.0)), c(-0.2, 0.4)));
    // The squares of the parts overflow, or vanish; the quotient does neither.
    report.holds("large", near(quotient(c(1e300, 1e300), c(1e300, 1e300)), c(1.0, 0.0)));
    report.holds("small", near(quotient(c(1e-300, 1e-300), c(1e-300, 0.0)), c(1.0, 1.0)));
    report.holds("by a real", near(quotient(c(4.0, -6.0), c(2.0, 0.0)), c(2.0, -3.0)));
    report.holds("by an imaginary", near(quotient(c(4.0, -6.0), c(0.0, 2.0)), c(-3.0, -2.0)));
    report.holds("by zero", !quotient(c(1.0, 1.0), c(0.0, 0.0)).is_finite());
    report.holds("modulus", near(c(all(of(c(3e200, -4e200)).abs())[0], 0.0), c(5e200, 0.0)));
    report.holds("root", near(one(all(of(c(-3.0, 4.0)).sqrt())), c(1.0, 2.0)));
    report.holds("root below the cut", near(one(all(of(c(-4.0, -0.0)).sqrt())), c(0.0, -2.0)));
    report.equal("equal", all(of(c(1.0, -0.0)).equal(&of(c(1.0, 0.0)))), vec![true]);
    report.equal(
        "not equal",
        all(of(c(1.0, f64::NAN)).not_equal(&of(c(1.0, f64::NAN)))),
        vec![true],
    );
    report.finish(11);
}

/// An operand can be named in generic code.
#[test]
fn generic_operands() {
    fn scaled<'a, T, B>(x: &'a Array2<T>, by: B) -> Array2<T>
    where
        T: zerostride::Numeric,
        B: Operand<T, Rank<2>, Expr: Expr<Elem = T>>,
        &'a Array2<T>: std::ops::Mul<B, Output: Expr<Elem = T, Rank = Rank<2>>>,
    {
        (x * by).eval().expect("the shapes fit")
    }
    let x = array![[1.0_f32, 2.0], [3.0, 4.0]];
    assert_eq!(scaled(&x, 2.0), array![[2.0, 4.0], [6.0, 8.0]]);
    assert_eq!(scaled(&x, &x), array![[1.0, 4.0], [9.0, 16.0]]);
    fn shifted<T: zerostride::Numeric>(x: &Array2<T>, by: T) -> Array2<T> {
        (x + by).eval().expect("a scalar fits")
    }
    assert_eq!(shifted(&x, 1.0), array![[2.0, 3.0], [4.0, 5.0]]);
}

/// Totals that are NaN are all the same one, whichever is among the elements, and wherever.
#[test]
fn totals_of_nan_are_one_nan() {
    let mut report = Report::new("totals of NaN");
    let odd = [f64::NAN, -f64::NAN, f64::from_bits(0xfff8_0000_0000_1234), f64::INFINITY];
    for (len, nan) in [1, 2, 3, 8, 9, 12, 16, 20, 40, 63, 64, 100, 300, 5000]
        .into_iter()
        .flat_map(|len| odd.map(|nan| (len, nan)))
    {
        for at in [0, len / 2, len - 1] {
            let mut x = Array1::from_shape_fn(len, |i| i as f64 - 1.5);
            x[at] = nan;
            if nan == f64::INFINITY {
                // Infinity less infinity, which processors make a NaN of their own of.
                x = concatenate(0, &[x.view(), array![f64::NEG_INFINITY].view()])
                    .expect("they fit");
            }
            let rows = x.insert_axis(0).expect("a matrix");
            let column =
                Array2::from_shape_fn([x.len(), 3], |(i, j)| if j == 1 { x[i] } else { 0.0 });
            let column = column.column(1);
            let totals = [
                ("sum", x.sum()),
                ("mean", x.mean()),
                ("product", (&x * f64::NAN).product()),
                ("dot", x.dot(&Array1::from_elem(x.len(), 1.0))),
                ("sum of a column", column.sum()),
                ("dot of a column", column.dot(&Array1::from_elem(x.len(), 1.0))),
                ("sum of an expression", (&x + 1.0).sum()),
                ("norm", (&x * f64::NAN).norm_l2()),
                ("sum along an axis", rows.sum_axis(1).map(|sums| sums[0])),
            ];
            for (name, total) in totals {
                let got = total.expect("it fits").to_bits();
                report.equal(format_args!("{name} of {len}, at {at}"), got, f64::NAN.to_bits());
            }
        }
    }
    report.finish(1000);
}

/// What an operation makes of NaN.
#[derive(Clone, Copy, PartialEq)]
enum Nan {
    /// The positive quiet NaN without a payload, whatever it is given.
    One,
    /// One that it is given, its sign apart, quiet or not.
    Kept,
    /// As the processor has it: of two NaN either, made quiet.
    Processor,
}

/// The bits of floating-point numbers.
trait Bits: Element + std::fmt::Debug {
    const INFINITY: u64;
    const QUIET: u64;
    fn of(bits: u64) -> Self;
    fn bits(self) -> u64;
    /// NaN of both signs, quiet and signalling, with payloads; and numbers.
    fn samples() -> Vec<Self> {
        let (infinity, quiet) = (Self::INFINITY, Self::QUIET);
        let sign = (infinity << 1) & !infinity;
        let nan = [quiet, quiet | 3, quiet | quiet >> 1, 5, quiet >> 1];
        let number = [0, infinity, infinity >> 1 & infinity, 1];
        let positive = nan.into_iter().map(|low| infinity | low).chain(number);
        let all = positive.flat_map(|bits| [bits, bits | sign]);
        // An odd number of them, so that each comes to lie in each lane of a vector.
        all.take(17).map(Self::of).collect()
    }
    fn is_nan(self) -> bool {
        // All but the sign.
        self.bits() & (Self::INFINITY | ((Self::QUIET << 1) - 1)) > Self::INFINITY
    }
    /// The NaN of [`Nan::One`].
    fn one() -> u64 {
        Self::INFINITY | Self::QUIET
    }
}

macro_rules! bits {
    ($($type:ident $bits:ident $infinity:literal $quiet:literal;)*) => {$(
        impl Bits for $type {
            const INFINITY: u64 = $infinity;
            const QUIET: u64 = $quiet;
            fn of(bits: u64) -> Self {
                $type::from_bits(bits as $bits)
            }
            fn bits(self) -> u64 {
                u64::from(self.to_bits())
            }
        }
    )*};
}
bits! {
    f32 u32 0x7f80_0000 0x0040_0000;
    f64 u64 0x7ff0_0000_0000_0000 0x0008_0000_0000_0000;
    f16 u16 0x7c00 0x0200;
    bf16 u16 0x7f80 0x0040;
}

/// So many sets of operands: each operand is the sample of a number that depends on that of the
/// set.
fn given<T: Bits, const N: usize>(len: usize, sample: fn(usize) -> [usize; N]) -> Vec<Vec<T>> {
    let samples = T::samples();
    (0..len).map(|i| sample(i).map(|number| samples[number % 17]).to_vec()).collect()
}

/// The operands of a place in each set.
fn operand<T: Bits>(given: &[Vec<T>], place: usize) -> Array1<T> {
    Array1::from_vec(given.iter().map(|given| given[place]).collect())
}

/// Checks that results at equal operands have equal bits, and that NaN are what they should be.
/// `given` has the bits of the operands of each result.
fn check_nan<T: Bits>(
    report: &mut Report,
    name: &str,
    nan: Nan,
    given: &[Vec<T>],
    results: &dyn Fn(&zerostride::Exec, usize) -> Vec<T>,
) {
    let mut known: std::collections::HashMap<Vec<u64>, u64> = std::collections::HashMap::new();
    for way in Ways::All.list() {
        // From other places in memory on, too.
        for start in [0, 1, 3] {
            let got = results(&way.0, start);
            let problem = got.iter().zip(&given[start..]).find_map(|(&got, given)| {
                let operands: Vec<u64> = given.iter().map(|x| x.bits()).collect();
                let nans: Vec<u64> =
                    given.iter().filter(|x| x.is_nan()).map(|x| x.bits() | T::QUIET).collect();
                let bits = got.bits();
                let before = *known.entry(operands).or_insert(bits);
                let either = nan == Nan::Processor && nans.len() > 1;
                let wrong = match nan {
                    _ if !got.is_nan() => before != bits,
                    Nan::One => bits != T::one(),
                    Nan::Kept => before != bits,
                    Nan::Processor if nans.is_empty() => before != bits,
                    Nan::Processor => !nans.contains(&bits),
                };
                (wrong || (before != bits && !either))
                    .then(|| format!("{given:x?} gives {bits:#x}, and elsewhere {before:#x}"))
            });
            report.row(format_args!("{name} from {start} on, {way}"), problem);
        }
    }
}

macro_rules! nan_of_one_operand {
    ($report:ident $names:ident $type:ident: $($name:ident $nan:ident;)*) => {$({
        $names.insert(stringify!($name));
        let given = given::<$type, 1>(17 * 64, |i| [i]);
        let x = operand(&given, 0);
        let name = format!("{} of {}", stringify!($name), stringify!($type));
        check_nan($report, &name, Nan::$nan, &given, &|exec, start| {
            exec.install(|| x.slice(s![start..]).expect("inside").$name().eval()).expect("it fits").to_vec()
        });
    })*};
}

macro_rules! nan_of_two_operands {
    ($report:ident $names:ident $type:ident: $($name:ident $Op:ident $nan:ident;)*) => {$({
        $names.insert(stringify!($name));
        let given = given::<$type, 2>(17 * 17 * 9, |i| [i, i / 17]);
        let (x, y) = (operand(&given, 0), operand(&given, 1));
        let name = format!("{} of {}", stringify!($name), stringify!($type));
        check_nan($report, &name, Nan::$nan, &given, &|exec, start| {
            let from = |x| View1::<$type>::slice(x, s![start..]).expect("inside");
            let both = zip::<($type, $type), _>((from(&x.view()), from(&y.view())));
            exec.install(|| both.apply(ops::$Op).eval()).expect("they fit").to_vec()
        });
    })*};
}

macro_rules! nan_of_three_operands {
    ($report:ident $type:ident: $($name:literal |$a:ident, $b:ident, $c:ident| $expr:expr;)*) => {$({
        let given = given::<$type, 3>(17 * 17 * 17, |i| [i, i / 17, i / 289]);
        let (x, y, z) = (operand(&given, 0), operand(&given, 1), operand(&given, 2));
        let name = format!("{} of {}", $name, stringify!($type));
        check_nan($report, &name, Nan::One, &given, &|exec, start| {
            let from = |x| View1::<$type>::slice(x, s![start..]).expect("inside");
            let (xs, ys, zs) = (x.view(), y.view(), z.view());
            let ($a, $b, $c) = (from(&xs), from(&ys), from(&zs));
            exec.install(|| $expr.eval()).expect("they fit").to_vec()
        });
    })*};
}

macro_rules! nan_tests {
    ($($test:ident $type:ident;)*) => {$(
        #[test]
        fn $test() {
            let mut report = Report::new("NaN");
            let mut names = std::collections::BTreeSet::new();
            in_pool(|| {
                let (report, names) = (&mut report, &mut names);
                nan_of_one_operand! { report names $type:
                    abs Kept; sign Kept; relu Kept; square Processor;
                    recip One; floor One; ceil One; trunc One; round One; round_ties_even One;
                    exp One; exp2 One; exp_m1 One; ln One; ln_1p One; log2 One; log10 One;
                    logistic One; sqrt One; rsqrt One; cbrt One; sin One; cos One; tan One;
                    asin One; acos One; atan One; sinh One; cosh One; tanh One; asinh One;
                    acosh One; atanh One; erf One; erfc One; gamma One; lgamma One; gelu One;
                    gelu_tanh One; silu One; softplus One;
                }
                nan_of_two_operands! { report names $type:
                    add Add Processor; sub Sub Processor; mul Mul Processor; div Div One;
                    rem Rem One; maximum Maximum One; minimum Minimum One; fmax Fmax One;
                    fmin Fmin One; pow Pow One; atan2 Atan2 One; hypot Hypot One;
                    copysign Copysign Kept; next_after NextAfter One;
                }
                nan_of_three_operands! { report $type:
                    "mul_add" |a, b, c| a.mul_add(b, c);
                    "clamp" |a, b, c| clamp(a, b, c);
                }
                let x = $type::samples();
                for slope in x.clone() {
                    let given: Vec<Vec<$type>> =
                        x.iter().cycle().take(17 * 16).map(|&x| vec![x, slope]).collect();
                    let x = operand(&given, 0);
                    check_nan(report, "leaky_relu", Nan::One, &given, &|exec, start| {
                        let x = x.slice(s![start..]).expect("inside");
                        exec.install(|| x.leaky_relu(slope).eval()).expect("it fits").to_vec()
                    });
                }
                names.extend(["neg", "mul_add", "clamp", "leaky_relu"]);
            });
            // Every other operation on floats makes no floats, or takes bits as they are.
            let apart = [
                "is_finite", "is_nan", "is_infinite", "real", "imag", "complex", "equal", "not_equal",
                "less", "less_equal", "greater", "greater_equal", "total_equal", "total_not_equal",
                "total_less", "total_less_equal", "total_greater", "total_greater_equal",
                "reduce_precision",
            ];
            names.extend(apart);
            for row in ops::all_ops().filter(|row| row.types.contains(&"f32, f64")) {
                report.holds(format_args!("{} is checked", row.name), names.contains(row.name));
            }
            report.finish(900);
        }
    )*};
}
nan_tests! {
    nan_of_f32 f32;
    nan_of_f64 f64;
    nan_of_f16 f16;
    nan_of_bf16 bf16;
}

/// The NaN of a root is the one of all functions, whatever made it.
#[test]
fn nan_of_roots() {
    let mut report = Report::new("NaN of roots");
    macro_rules! rows {
        ($($type:ty)*) => {$(
            for (name, data) in [
                ("infinite", vec![<$type>::INFINITY, 1.0]),
                ("infinite of both signs", vec![<$type>::INFINITY, -<$type>::INFINITY]),
                ("NaN", vec![1.0, <$type>::NAN]),
                ("NaN of the other sign", vec![1.0, -<$type>::NAN, 2.0]),
                ("many", vec![-<$type>::NAN; 300]),
            ] {
                let x = Array1::from_vec(data);
                let columns = x.broadcast_to([3, x.len()]).expect("it repeats").t().to_owned();
                let want = <$type>::NAN.to_bits();
                let bits = |x: $type| x.to_bits();
                let type_name = stringify!($type);
                report.equal(format!("std, {name}, {type_name}"), bits(x.std(0.0).unwrap()), want);
                report.equal(format!("var, {name}, {type_name}"), bits(x.var(0.0).unwrap()), want);
                let along = columns.std_axis(0, 0.0).unwrap();
                report.equal(format!("std_axis, {name}, {type_name}"), bits(along[1]), want);
                if name.starts_with("NaN") || name == "many" {
                    report.equal(format!("norm_l2, {name}, {type_name}"), bits(x.norm_l2().unwrap()), want);
                }
            }
        )*};
    }
    rows!(f32 f64);
    report.finish(36);
}
