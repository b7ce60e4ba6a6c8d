//! The operations for each of their element types, under one type.

use crate::random::Random;
use arrayfile::FileElement;
use elementwise::ops::*;
use elementwise::{ArrayD, Boxed, CastTo, Dyn, Expr, Scalar, View, constant, iota, zip};
use half::{bf16, f16};
use num_complex::Complex;
use stablehlo::{ElementKind, Error, Module, to_stablehlo};

/// A boxed expression of any element type.
pub(crate) struct Any {
    pub kind: ElementKind,
    value: Box<dyn std::any::Any>,
}

impl Any {
    fn new<T: FileElement>(value: Boxed<'static, T, Dyn>) -> Any {
        Any { kind: T::KIND, value: Box::new(value) }
    }

    fn take<T: FileElement>(self) -> Boxed<'static, T, Dyn> {
        *self.value.downcast().expect("the type that the entry names")
    }
}

/// What is said of a type, for the one of this kind.
macro_rules! with_type {
    ($kind:expr, $T:ident => $body:expr) => {
        with_type! {
            @ $kind, $T => $body;
            Bool bool, I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, F16 f16,
            BF16 bf16, F32 f32, F64 f64, C64 Complex<f32>, C128 Complex<f64>
        }
    };
    (@ $kind:expr, $T:ident => $body:expr; $($Kind:ident $type:ty),*) => {
        match $kind {
            $(ElementKind::$Kind => {
                type $T = $type;
                $body
            })*
            _ => unreachable!("there are no others"),
        }
    };
}

/// As a module.
pub(crate) fn export(value: &Any) -> Result<Module, Error> {
    with_type!(value.kind, T => {
        let value = value.value.downcast_ref::<Boxed<'static, T, Dyn>>().expect("its type");
        to_stablehlo(value)
    })
}

/// As the elements in row-major order, as bytes.
pub(crate) fn evaluate(value: &Any) -> Result<(ElementKind, Vec<u8>), elementwise::Error> {
    with_type!(value.kind, T => {
        let value = value.value.downcast_ref::<Boxed<'static, T, Dyn>>().expect("its type");
        let all = value.clone().eval()?.to_vec();
        Ok((T::KIND, bytemuck::cast_slice::<T, u8>(&all).to_vec()))
    })
}

/// An operation for one type of operands.
pub(crate) struct Entry {
    pub name: &'static str,
    pub kinds: Vec<ElementKind>,
    pub result: ElementKind,
    /// Whether the operands have one shape.
    pub exact: bool,
    /// Whether the second operand is lifted to the axes that are given.
    pub lifts: bool,
    pub apply: Applied,
}

/// Elements for the leaves of expressions.
pub(crate) trait Elements: FileElement {
    /// One that may be special: zeros, infinities, NaN, ends of the range.
    fn any(random: &mut Random) -> Self;
    /// One that is not.
    fn tame(random: &mut Random) -> Self;
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl Elements for $type {
            fn any(random: &mut Random) -> Self {
                match random.below(4) {
                    0 => [0, 1, <$type>::MAX, <$type>::MIN, 2, <$type>::MAX - 1][random.below(6)],
                    1 => random.bits() as $type,
                    _ => Self::tame(random),
                }
            }

            fn tame(random: &mut Random) -> Self {
                (random.below(20) as i64 - if <$type>::MIN == 0 { 0 } else { 10 }) as $type
            }
        }
    )*};
}
integers!(i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! floats {
    ($($type:ty: $bits:ty, |$x:ident| $of:expr;)*) => {$(
        impl Elements for $type {
            fn any(random: &mut Random) -> Self {
                let $x: f64 = match random.below(4) {
                    0 => {
                        let special = [
                            0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 0.5,
                            -0.5, 1.5, 2.5, -2.5, 100.0, -100.0, 1e-3, 3e4, -3e4,
                        ];
                        special[random.below(special.len())]
                    }
                    1 => {
                        // Of any magnitude, but not subnormal.
                        let number = <$type>::from_bits(random.bits() as $bits);
                        return if number.is_normal() { number } else { Self::tame(random) };
                    }
                    _ => return Self::tame(random),
                };
                $of
            }

            fn tame(random: &mut Random) -> Self {
                let scale = [1.0, 4.0, 20.0][random.below(3)];
                let $x = (random.unit() * 2.0 - 1.0) * scale;
                $of
            }
        }
    )*};
}
floats! {
    f32: u32, |x| x as f32;
    f64: u64, |x| x;
    f16: u16, |x| f16::from_f64(x);
    bf16: u16, |x| bf16::from_f64(x);
}

macro_rules! complexes {
    ($($type:ty)*) => {$(
        impl Elements for Complex<$type> {
            fn any(random: &mut Random) -> Self {
                // Without infinities and NaN, of which the two sides have different rules.
                let part = |random: &mut Random| {
                    let part: $type = if random.one_in(4) {
                        [0.0, -0.0, 1.0, -1.0, 0.5, 20.0][random.below(6)]
                    } else {
                        <$type>::tame(random)
                    };
                    part
                };
                Complex::new(part(random), part(random))
            }

            fn tame(random: &mut Random) -> Self {
                Complex::new(<$type>::tame(random), <$type>::tame(random))
            }
        }
    )*};
}
complexes!(f32 f64);

impl Elements for bool {
    fn any(random: &mut Random) -> Self {
        random.one_in(2)
    }

    fn tame(random: &mut Random) -> Self {
        random.one_in(2)
    }
}

/// An array that lives to the end; now and then in column-major order, or backwards.
pub(crate) fn leaf(random: &mut Random, kind: ElementKind, shape: &[usize], special: bool) -> Any {
    with_type!(kind, T => {
        let len: usize = shape.iter().product();
        let mut all: Vec<T> = Vec::with_capacity(len);
        for _ in 0..len {
            all.push(if special { T::any(random) } else { T::tame(random) });
        }
        let mut own: Vec<usize> = shape.to_vec();
        let turned = random.one_in(3);
        if turned {
            own.reverse();
        }
        let array: &'static ArrayD<T> =
            Box::leak(Box::new(ArrayD::from_shape_vec(&own[..], all).expect("as many elements")));
        let view: View<'static, T, Dyn> = array.view();
        Any::new(if turned { view.t().lazy().boxed() } else { view.lazy().boxed() })
    })
}

/// How an operation is applied to operands; the second lies along axes, if it is lifted.
type Applied = Box<dyn Fn(Vec<Any>, &[usize]) -> Any>;

fn entry(
    name: &'static str,
    kinds: Vec<ElementKind>,
    result: ElementKind,
    apply: Applied,
) -> Entry {
    Entry { name, kinds, result, exact: false, lifts: false, apply }
}

/// The operands of an operation.
fn operands<const N: usize>(args: Vec<Any>) -> [Any; N] {
    <[Any; N]>::try_from(args).ok().expect("as many operands as the entry has kinds")
}

fn unary<T: Elements, O: Op<T> + Copy + Send + 'static>(op: O) -> Entry
where
    O::Output: FileElement,
{
    let apply = move |args: Vec<Any>, _: &[usize]| {
        let [a] = operands(args);
        Any::new(a.take::<T>().apply(op).boxed())
    };
    let name = O::NAME.expect("an operation of the table");
    entry(name, vec![T::KIND], <O::Output as FileElement>::KIND, Box::new(apply))
}

fn binary<T: Elements, O: Op<(T, T)> + Copy + Send + 'static>(op: O) -> Entry
where
    O::Output: FileElement,
{
    let apply = move |args: Vec<Any>, _: &[usize]| {
        let [a, b] = operands(args);
        Any::new(zip((a.take::<T>(), b.take::<T>())).apply(op).boxed())
    };
    let name = O::NAME.expect("an operation of the table");
    entry(name, vec![T::KIND; 2], <O::Output as FileElement>::KIND, Box::new(apply))
}

/// With the second operand along axes of the first.
fn lifted<T: Elements, O: Op<(T, T)> + Copy + Send + 'static>(op: O) -> Entry
where
    O::Output: FileElement,
{
    let apply = move |args: Vec<Any>, dims: &[usize]| {
        let [a, b] = operands(args);
        let b = b.take::<T>().along(dims);
        Any::new(zip((a.take::<T>(), b)).apply(op).boxed())
    };
    Entry { apply: Box::new(apply), lifts: true, ..binary::<T, O>(op) }
}

/// Operations on a scalar, and on the index along the first axis.
fn scalar<T: Elements + Scalar>() -> Vec<Entry>
where
    Add: Op<(T, T), Output = T>,
    Maximum: Op<(T, T), Output = T>,
    usize: CastTo<T>,
{
    let added = |args: Vec<Any>, _: &[usize]| {
        let [a] = operands(args);
        let three = 3_usize.cast_to();
        Any::new(zip((a.take::<T>(), constant::<T>(three))).apply(Add).boxed())
    };
    let index = |args: Vec<Any>, _: &[usize]| {
        let [a] = operands(args);
        Any::new(zip((iota::<T>(0), a.take::<T>())).apply(Maximum).boxed())
    };
    vec![
        entry("add", vec![T::KIND], T::KIND, Box::new(added)),
        entry("maximum", vec![T::KIND], T::KIND, Box::new(index)),
    ]
}

/// `select` between two of a type.
fn select<T: Elements>() -> Entry {
    let apply = |args: Vec<Any>, _: &[usize]| {
        let [p, t, f] = operands(args);
        let (t, f) = (t.take::<T>(), f.take::<T>());
        Any::new(p.take::<bool>().select(t, f).boxed())
    };
    let kinds = vec![ElementKind::Bool, T::KIND, T::KIND];
    Entry { exact: true, ..entry("select", kinds, T::KIND, Box::new(apply)) }
}

fn clamp<T: Elements>() -> Entry
where
    Clamp: Op<(T, T, T), Output = T>,
{
    let apply = |args: Vec<Any>, _: &[usize]| {
        let [lo, x, hi] = operands(args);
        let (lo, hi) = (lo.take::<T>(), hi.take::<T>());
        Any::new(x.take::<T>().clamp(lo, hi).boxed())
    };
    Entry { exact: true, ..entry("clamp", vec![T::KIND; 3], T::KIND, Box::new(apply)) }
}

fn cast<T: Elements + CastTo<U>, U: Elements>() -> Entry {
    let apply = |args: Vec<Any>, _: &[usize]| {
        let [a] = operands(args);
        Any::new(a.take::<T>().cast::<U>().boxed())
    };
    entry("cast", vec![T::KIND], U::KIND, Box::new(apply))
}

fn bitcast<T: Elements, U: Elements>() -> Entry
where
    Bitcast<U>: Op<T, Output = U>,
{
    let apply = |args: Vec<Any>, _: &[usize]| {
        let [a] = operands(args);
        Any::new(a.take::<T>().bitcast::<U>().boxed())
    };
    entry("bitcast", vec![T::KIND], U::KIND, Box::new(apply))
}

/// All operations of the first list for all types of the second.
macro_rules! each {
    ($to:ident, $make:ident, [$($type:ty),*], $ops:tt) => {
        $(each!(@ $to, $make, $type, $ops);)*
    };
    (@ $to:ident, $make:ident, $type:ty, [$($op:expr),*]) => {
        $to.extend([$($make::<$type, _>($op)),*]);
    };
}

/// Conversions from each of the first list to each of the second.
macro_rules! pairs {
    ($to:ident, $make:ident, [$($from:ty),*], $all:tt) => {
        $(pairs!(@ $to, $make, $from, $all);)*
    };
    (@ $to:ident, $make:ident, $from:ty, [$($type:ty),*]) => {
        $($to.push($make::<$from, $type>());)*
    };
}

type C32 = Complex<f32>;
type C64 = Complex<f64>;

/// All of them.
pub(crate) fn entries() -> Vec<Entry> {
    let mut to = Vec::new();
    each! {
        to, unary, [i8, i16, i32, i64, u8, u16, u32, u64],
        [Neg, Not, Square, Popcount, CountLeadingZeros]
    }
    each!(to, unary, [i8, i16, i32, i64], [Abs, Sign, Relu]);
    each!(to, unary, [bool], [Not]);
    each! {
        to, unary, [f32, f64, f16, bf16],
        [Neg, Abs, Sign, Square, Recip, Floor, Ceil, Trunc, Round, RoundTiesEven, IsFinite, IsNan,
         IsInfinite, Exp, Exp2, ExpM1, Ln, Ln1p, Log2, Log10, Logistic, Sqrt, Rsqrt, Cbrt, Sin, Cos,
         Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Asinh, Acosh, Atanh, Erf, Erfc, Gamma, Lgamma,
         Relu, Gelu, GeluTanh, Silu, Softplus, ReducePrecision { exponent: 5, mantissa: 3 }]
    }
    each!(to, unary, [f32], [LeakyRelu(0.1_f32)]);
    each!(to, unary, [f64], [LeakyRelu(0.1_f64)]);
    each!(to, unary, [f16], [LeakyRelu(f16::from_f32(0.1))]);
    each!(to, unary, [bf16], [LeakyRelu(bf16::from_f32(0.1))]);
    each!(to, unary, [f32, f64], [RealPart, ImagPart]);
    each! {
        to, unary, [C32, C64],
        [Neg, Abs, Sign, Square, Recip, Exp, Exp2, ExpM1, Ln, Ln1p, Log2, Log10, Logistic, Sqrt,
         Rsqrt, Cbrt, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Asinh, Acosh, Atanh,
         RealPart, ImagPart, Conj]
    }
    each! {
        to, binary, [i8, i16, i32, i64, u8, u16, u32, u64],
        [Add, Sub, Mul, Div, Rem, BitAnd, BitOr, BitXor, Maximum, Minimum, Pow, ShiftLeft,
         ShiftRightLogical, ShiftRightArithmetic, Shl, Shr, Equal, NotEqual, Less, LessEqual,
         Greater, GreaterEqual]
    }
    each! {
        to, binary, [bool],
        [Add, Mul, BitAnd, BitOr, BitXor, Maximum, Minimum, Equal, NotEqual, Less, LessEqual,
         Greater, GreaterEqual]
    }
    each! {
        to, binary, [f32, f64, f16, bf16],
        [Add, Sub, Mul, Div, Rem, Maximum, Minimum, Fmax, Fmin, Pow, Atan2, Hypot, Copysign,
         NextAfter, Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, TotalEqual,
         TotalNotEqual, TotalLess, TotalLessEqual, TotalGreater, TotalGreaterEqual]
    }
    each!(to, binary, [f32, f64], [ComplexFrom]);
    each!(to, binary, [C32, C64], [Add, Sub, Mul, Div, Pow, Equal, NotEqual]);
    each!(to, lifted, [i8, i32, u16, u64, f32, f64, f16, bf16, bool], [Add, Mul, Maximum]);
    each!(to, lifted, [i16, i64, u8, u32, C32, C64], [Add, Mul]);
    to.extend(
        [scalar::<i8>(), scalar::<i64>(), scalar::<u32>(), scalar::<f32>()].into_iter().flatten(),
    );
    to.extend([scalar::<f64>(), scalar::<bf16>(), scalar::<f16>()].into_iter().flatten());
    macro_rules! one {
        ($make:ident: $($type:ty)*) => { $(to.push($make::<$type>());)* };
    }
    one!(select: bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 C32 C64);
    one!(clamp: bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64);
    pairs! {
        to, cast, [bool, i8, i32, u8, u64, f16, bf16, f32, f64],
        [bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, C32]
    }
    pairs!(to, cast, [i16, i64, u16, u32], [f32, f64, bf16, u8]);
    pairs!(to, cast, [C32, C64], [bool, i32, u8, f32, f64, C32, C64]);
    pairs!(to, bitcast, [f32, i32, u32], [f32, i32, u32]);
    pairs!(to, bitcast, [f64, i64, u64], [f64, i64, u64]);
    pairs!(to, bitcast, [f16, bf16, u16, i16], [f16, bf16, u16, i16]);
    pairs!(to, bitcast, [i8, u8], [i8, u8]);
    to
}
