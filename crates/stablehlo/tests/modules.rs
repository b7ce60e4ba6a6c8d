//! Modules against their texts; every operation of the table lowered; what has no meaning refused.

use elementwise::ops::all_ops;
use elementwise::{
    All, Any, ArgMax, ArgMin, Array1, Array2, Array3, ArrayD, BinaryMethods, CountNonzero, Expr,
    Floating, Func, Generator, LogSumExp, Max, Mean, Min, NanMax, NanMean, NanMin, NanSum, NormL1,
    NormL2, NormMax, Op, Product, ProductWrapping, REDUCTIONS, Std, Sum, SumWrapping, UnaryMethods,
    Var, array, clamp, constant, generate, indices, iota, keep, numpy, select, zip,
};
use num_complex::Complex;
use stablehlo::{Error, Module, Program, to_stablehlo};

/// The operations of a module, and what it returns: the lines of its function without what is the
/// same for all.
fn lines(module: &Module) -> Vec<String> {
    let inside = module.text().lines().filter(|line| line.starts_with("    "));
    inside.map(|line| line.trim().replace("stablehlo.", "")).collect()
}

/// A table of expressions and their modules' lines; every row that is wrong is shown.
macro_rules! texts {
    ($($expr:expr => $($line:literal)*;)*) => {{
        let mut wrong = String::new();
        $(
            let module = to_stablehlo(&$expr).expect(stringify!($expr));
            let (found, expected) = (lines(&module), vec![$($line.to_string()),*]);
            if found != expected {
                wrong += &format!("{}:\n  {}\n", stringify!($expr), found.join("\n  "));
            }
        )*
        assert!(wrong.is_empty(), "{wrong}");
    }};
}

#[test]
fn expressions() {
    let x = array![[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
    let (v, w, one) = (array![1.0_f32, 2.0, 3.0], array![1.0_f32, 2.0], array![[1.0_f32], [2.0]]);
    let n = array![1_i32, 2];
    let z = array![Complex::new(1.0_f64, -0.0)];
    let none = Array2::<f64>::zeros([0, 3]);
    texts! {
        // Arrays once, however often they stand there.
        &x + &x =>
            "%0 = add %arg0, %arg0 : tensor<2x3xf32>"
            "return %0 : tensor<2x3xf32>";
        // An array is its own module.
        x.lazy() => "return %arg0 : tensor<2x3xf32>";
        // Other strides are another argument.
        x.t() + x.t() =>
            "%0 = add %arg0, %arg0 : tensor<3x2xf32>"
            "return %0 : tensor<3x2xf32>";
        // Scalars to the bit.
        &x * 0.1 =>
            "%0 = constant dense<0x3DCCCCCD> : tensor<2x3xf32>"
            "%1 = multiply %arg0, %0 : tensor<2x3xf32>"
            "return %1 : tensor<2x3xf32>";
        &n - 7 =>
            "%0 = constant dense<7> : tensor<2xi32>"
            "%1 = subtract %arg0, %0 : tensor<2xi32>"
            "return %1 : tensor<2xi32>";
        &z * Complex::new(f64::NAN, -0.0) =>
            "%0 = constant dense<(0x7FF8000000000000, 0x8000000000000000)> : tensor<1xcomplex<f64>>"
            "%1 = multiply %arg0, %0 : tensor<1xcomplex<f64>>"
            "return %1 : tensor<1xcomplex<f64>>";
        &none + 1.0 =>
            "%0 = constant dense<> : tensor<0x3xf64>"
            "%1 = add %arg0, %0 : tensor<0x3xf64>"
            "return %1 : tensor<0x3xf64>";
        // What lies along axes, and what has extents of 1: one broadcast each.
        &x + v.along([1]) =>
            "%0 = broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>"
            "%1 = add %arg0, %0 : tensor<2x3xf32>"
            "return %1 : tensor<2x3xf32>";
        &x + &one =>
            "%0 = broadcast_in_dim %arg1, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x3xf32>"
            "%1 = add %arg0, %0 : tensor<2x3xf32>"
            "return %1 : tensor<2x3xf32>";
        // Computed at its own size, wherever `along` is written.
        &x * v.along([1]).sqrt() =>
            "%0 = sqrt %arg1 : tensor<3xf32>"
            "%1 = broadcast_in_dim %0, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>"
            "%2 = multiply %arg0, %1 : tensor<2x3xf32>"
            "return %2 : tensor<2x3xf32>";
        &x * (v.sqrt() + 1.0).along([1]) =>
            "%0 = sqrt %arg1 : tensor<3xf32>"
            "%1 = constant dense<0x3F800000> : tensor<3xf32>"
            "%2 = add %0, %1 : tensor<3xf32>"
            "%3 = broadcast_in_dim %2, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>"
            "%4 = multiply %arg0, %3 : tensor<2x3xf32>"
            "return %4 : tensor<2x3xf32>";
        // Two lifted operands in a rank of their own.
        (v.along([1]) * w.along([0])) - &x =>
            "%0 = broadcast_in_dim %arg0, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>"
            "%1 = broadcast_in_dim %arg1, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>"
            "%2 = multiply %0, %1 : tensor<2x3xf32>"
            "%3 = subtract %2, %arg2 : tensor<2x3xf32>"
            "return %3 : tensor<2x3xf32>";
        // The named functions, with broadcast dimensions on either side.
        elementwise::ops::functions::sub(&w, &x, [0]).unwrap() =>
            "%0 = broadcast_in_dim %arg0, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>"
            "%1 = subtract %0, %arg1 : tensor<2x3xf32>"
            "return %1 : tensor<2x3xf32>";
        // NumPy's rule.
        numpy(&x) + numpy(&v) =>
            "%0 = broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>"
            "%1 = add %arg0, %0 : tensor<2x3xf32>"
            "return %1 : tensor<2x3xf32>";
        clamp(0.0, &v, 1.0) =>
            "%0 = constant dense<0x00000000> : tensor<3xf32>"
            "%1 = constant dense<0x3F800000> : tensor<3xf32>"
            "%2 = clamp %0, %arg0, %1 : tensor<3xf32>"
            "return %2 : tensor<3xf32>";
        select(v.greater(1.0), &v, constant(0.5_f32)) =>
            "%0 = constant dense<0x3F800000> : tensor<3xf32>"
            "%1 = compare GT, %arg0, %0, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>"
            "%2 = constant dense<0x3F000000> : tensor<3xf32>"
            "%3 = select %1, %arg0, %2 : tensor<3xi1>, tensor<3xf32>"
            "return %3 : tensor<3xf32>";
        n.cast::<f64>() =>
            "%0 = convert %arg0 : (tensor<2xi32>) -> tensor<2xf64>"
            "return %0 : tensor<2xf64>";
        z.cast::<bool>() =>
            "%0 = constant dense<(0x0000000000000000, 0x0000000000000000)> : tensor<1xcomplex<f64>>"
            "%1 = compare NE, %arg0, %0, FLOAT : (tensor<1xcomplex<f64>>, tensor<1xcomplex<f64>>) -> tensor<1xi1>"
            "return %1 : tensor<1xi1>";
        z.cast::<f32>() =>
            "%0 = real %arg0 : (tensor<1xcomplex<f64>>) -> tensor<1xf64>"
            "%1 = convert %0 : (tensor<1xf64>) -> tensor<1xf32>"
            "return %1 : tensor<1xf32>";
        v.bitcast::<u32>() =>
            "%0 = bitcast_convert %arg0 : (tensor<3xf32>) -> tensor<3xui32>"
            "return %0 : tensor<3xui32>";
        v.reduce_precision(5, 10) =>
            "%0 = reduce_precision %arg0, format = e5m10 : tensor<3xf32>"
            "return %0 : tensor<3xf32>";
        v.leaky_relu(0.25) =>
            "%0 = constant dense<0x3E800000> : tensor<3xf32>"
            "%1 = constant dense<0x00000000> : tensor<3xf32>"
            "%2 = compare GT, %arg0, %1, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>"
            "%3 = multiply %0, %arg0 : tensor<3xf32>"
            "%4 = select %2, %arg0, %3 : tensor<3xi1>, tensor<3xf32>"
            "return %4 : tensor<3xf32>";
        &x + iota::<f32>(0) =>
            "%0 = iota dim = 0 : tensor<2xf32>"
            "%1 = broadcast_in_dim %0, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>"
            "%2 = add %arg0, %1 : tensor<2x3xf32>"
            "return %2 : tensor<2x3xf32>";
        // What is boxed is what it holds.
        (v.lazy().boxed() + 1.0).boxed() =>
            "%0 = constant dense<0x3F800000> : tensor<3xf32>"
            "%1 = add %arg0, %0 : tensor<3xf32>"
            "return %1 : tensor<3xf32>";
        // Functions of 16 bits are computed in f32.
        array![half::f16::ONE].exp() =>
            "%0 = convert %arg0 : (tensor<1xf16>) -> tensor<1xf32>"
            "%1 = exponential %0 : tensor<1xf32>"
            "%2 = convert %1 : (tensor<1xf32>) -> tensor<1xf16>"
            "return %2 : tensor<1xf16>";
    }
}

#[test]
fn the_whole_text() {
    let (x, v) = (array![[1.5_f64, 2.5]], array![true, false]);
    let module = to_stablehlo(&v.along([1]).select(&x, 0.0)).unwrap();
    let expected = "\
// StableHLO 1.4.0; results: result
module @main {
  func.func public @main(%arg0: tensor<2xi1>, %arg1: tensor<1x2xf64>) -> (tensor<1x2xf64>) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<2xi1>) -> tensor<1x2xi1>
    %1 = stablehlo.constant dense<0x0000000000000000> : tensor<1x2xf64>
    %2 = stablehlo.select %0, %arg1, %1 : tensor<1x2xi1>, tensor<1x2xf64>
    return %2 : tensor<1x2xf64>
  }
}
";
    assert_eq!(module.text(), expected);
}

/// The operations of the table that are lowered here, by their names.
macro_rules! lowered {
    ($($x:ident: $($name:ident)*;)*; $($a:ident, $b:ident: $($two:ident)*;)*) => {{
        let mut wrong = String::new();
        let mut names: Vec<&str> = Vec::new();
        $($(
            names.push(stringify!($name));
            if let Err(error) = to_stablehlo(&elementwise::ops::functions::$name(&$x)) {
                wrong += &format!("{} of {}: {error}\n", stringify!($name), stringify!($x));
            }
        )*)*
        $($(
            names.push(stringify!($two));
            let expr = elementwise::ops::functions::$two(&$a, &$b, []).unwrap();
            if let Err(error) = to_stablehlo(&expr) {
                wrong += &format!("{} of {}: {error}\n", stringify!($two), stringify!($a));
            }
        )*)*
        assert!(wrong.is_empty(), "{wrong}");
        names
    }};
}

#[test]
fn every_operation_of_the_table_has_a_lowering() {
    let (n, u, b) = (array![1_i16], array![1_u64], array![true]);
    let (x, h, z) = (array![1.0_f64], array![half::bf16::ONE], array![Complex::new(1.0_f32, 2.0)]);
    let mut names = lowered! {
        n: neg not abs sign square popcount count_leading_zeros relu;
        u: neg not square popcount count_leading_zeros;
        b: not;
        x: neg abs sign square recip floor ceil trunc round round_ties_even is_finite is_nan
            is_infinite exp exp2 exp_m1 ln ln_1p log2 log10 logistic sqrt rsqrt cbrt sin cos tan
            asin acos atan sinh cosh tanh asinh acosh atanh erf erfc gamma lgamma relu gelu
            gelu_tanh silu softplus real imag;
        h: neg abs sign square recip floor ceil trunc round round_ties_even is_finite is_nan
            is_infinite exp exp2 exp_m1 ln ln_1p log2 log10 logistic sqrt rsqrt cbrt sin cos tan
            asin acos atan sinh cosh tanh asinh acosh atanh erf erfc gamma lgamma relu gelu
            gelu_tanh silu softplus;
        z: neg abs sign square recip exp exp2 exp_m1 ln ln_1p log2 log10 logistic sqrt rsqrt cbrt
            sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh real imag conj;
        ;
        n, n: add sub mul div rem and or xor shl shr maximum minimum pow shift_left shift_right_logical
            shift_right_arithmetic equal not_equal less less_equal greater greater_equal;
        b, b: add mul and or xor maximum minimum equal not_equal less less_equal greater
            greater_equal;
        x, x: add sub mul div rem maximum minimum fmax fmin pow atan2 hypot copysign next_after
            complex equal not_equal less less_equal greater greater_equal total_equal
            total_not_equal total_less total_less_equal total_greater total_greater_equal;
        h, h: add sub mul div rem maximum minimum fmax fmin pow atan2 hypot copysign next_after
            equal not_equal less less_equal greater greater_equal total_equal total_not_equal
            total_less total_less_equal total_greater total_greater_equal;
        z, z: add sub mul div pow equal not_equal;
    };
    // Those above that are no functions.
    names.extend(["select", "clamp", "cast", "bitcast", "leaky_relu", "reduce_precision"]);
    let refused = [
        "mul_add",
        "saturating_add",
        "saturating_sub",
        "saturating_mul",
        "add_overflows",
        "sub_overflows",
        "mul_overflows",
    ];
    for row in all_ops() {
        assert_eq!(row.stablehlo == "none", refused.contains(&row.name), "`{}`", row.name);
        assert!(
            row.stablehlo == "none" || names.contains(&row.name),
            "`{}` is not lowered here: add it to the list, or say `none` in its row",
            row.name
        );
    }
}

/// An operation of one's own.
#[derive(Clone, Copy)]
struct Own;

impl Op<f64> for Own {
    type Output = f64;

    fn apply(&self, x: f64) -> f64 {
        x
    }
}

/// A generator of one's own.
#[derive(Clone, Copy)]
struct Chess;

impl Generator for Chess {
    type Elem = f64;
    type Rank = Floating;

    fn at(&self, index: &[usize]) -> f64 {
        index.iter().sum::<usize>() as f64
    }
}

/// What is refused, and words of the message.
macro_rules! refused {
    ($($expr:expr => $($word:literal)*;)*) => {{
        let mut wrong = String::new();
        $(
            match to_stablehlo(&$expr) {
                Ok(module) => wrong += &format!("{}:\n{}", stringify!($expr), module.text()),
                Err(error) => {
                    let text = error.to_string();
                    if [$($word),*].iter().any(|word| !text.contains(word)) {
                        wrong += &format!("{}: {text}\n", stringify!($expr));
                    }
                }
            }
        )*
        assert!(wrong.is_empty(), "{wrong}");
    }};
}

#[test]
fn what_has_no_meaning_is_refused() {
    let (x, n) = (array![1.0_f64, 2.0], array![1_u8, 2]);
    let pairs = Array1::from_fn([2], |[i]| (i, i));
    let matrix = Array2::<f64>::zeros([2, 2]);
    refused! {
        x.map(|x| x * 2.0) => "closure" "f64";
        zip((&x, &n)).map(|(x, n)| x * f64::from(n)) + 1.0 => "closure";
        x.apply(Own) => "closure" "opaque";
        zip((&x, &n)) => "tuple";
        x.lazy() + generate(Chess) => "generator";
        pairs.lazy() => "(usize, usize)";
        indices([2, 2]) => "[usize; 2]" ;
        n.saturating_add(&n) => "`saturating_add`" "u8" "saturates";
        n.mul_overflows(3) => "`mul_overflows`" "overflow";
        x.mul_add(&x, 1.0) => "`mul_add`" "a * b + c";
        &x + &Array1::<f64>::zeros(3) => "[2]" "[3]";
        &matrix + x.along([5]) => "5";
    }
    let closure = x.apply(Func(|x: f64| x));
    assert!(matches!(to_stablehlo(&closure), Err(Error::Opaque { .. })));
}

#[test]
fn programs() {
    let program = Program::new("softmax").unwrap();
    let x = program.input::<f32, _>("x", [4, 3]).unwrap();
    let highest = program.reduce(Max, x, 1).unwrap();
    let e = program.value((x - highest.along([0])).exp()).unwrap();
    let sum = program.reduce(Sum, e, 1).unwrap();
    program.result("y", e / sum.along([0])).unwrap();
    program.result("sum", sum).unwrap();
    let module = program.finish().unwrap();
    let expected = "\
// StableHLO 1.4.0; results: y, sum
module @softmax {
  func.func public @main(%x: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<4xf32>) {
    %0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%x init: %0) applies stablehlo.maximum across dimensions = [1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<4xf32>) -> tensor<4x3xf32>
    %3 = stablehlo.subtract %x, %2 : tensor<4x3xf32>
    %4 = stablehlo.exponential %3 : tensor<4x3xf32>
    %5 = stablehlo.constant dense<0x00000000> : tensor<f32>
    %6 = stablehlo.reduce(%4 init: %5) applies stablehlo.add across dimensions = [1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<4xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<4xf32>) -> tensor<4x3xf32>
    %8 = stablehlo.divide %4, %7 : tensor<4x3xf32>
    return %8, %6 : tensor<4x3xf32>, tensor<4xf32>
  }
}
";
    assert_eq!(module.text(), expected);
    assert_eq!(module.results()[1].name(), "sum");
    assert!(!module.arguments()[0].has_elements());
}

#[test]
fn every_reduction_has_a_meaning_or_is_refused() {
    let program = Program::new("reductions").unwrap();
    let x = program.input::<f64, _>("x", [2, 3, 4]).unwrap();
    let n = program.input::<i32, _>("n", [2, 3]).unwrap();
    let b = program.input::<bool, _>("b", [2, 3]).unwrap();
    let mut seen = Vec::new();
    macro_rules! reduced {
        ($($name:literal $of:ident $reduction:expr;)*) => {$(
            seen.push($name);
            let value = program.reduce($reduction, $of, keep(0)).expect($name);
            program.result($name, value).unwrap();
        )*};
    }
    reduced! {
        "sum" x Sum; "mean" x Mean; "product" x Product; "var" x Var { ddof: 1.0 };
        "std" x Std { ddof: 0.0 }; "min" x Min; "max" x Max; "nanmin" x NanMin; "nanmax" x NanMax;
        "nansum" x NanSum; "nanmean" x NanMean;
        "argmin" x ArgMin; "argmax" x ArgMax; "any" b Any; "all" b All;
        "count_nonzero" n CountNonzero; "log_sum_exp" x LogSumExp; "norm_l1" x NormL1;
        "norm_l2" x NormL2; "norm_max" x NormMax; "sum_wrapping" n SumWrapping;
        "product_wrapping" n ProductWrapping;
    }
    for row in REDUCTIONS {
        assert!(seen.contains(&row.name), "`{}` is not in the list", row.name);
    }
    let text = |result: Result<_, Error>| match result {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    };
    assert!(text(program.reduce(Sum, n, 0).map(|_| ())).contains("SumWrapping"));
    assert!(text(program.reduce(Product, n, 0).map(|_| ())).contains("ProductWrapping"));
    let none = program.input::<f64, _>("none", [0, 3]).unwrap();
    assert!(text(program.reduce(Max, none, 0).map(|_| ())).contains("[0, 3]"));
    assert!(text(program.reduce(Mean, none, 0).map(|_| ())).contains("`mean`"));
    assert!(program.reduce(Sum, none, 0).is_ok());
    assert!(text(program.reduce(Var { ddof: 4.0 }, x, 2).map(|_| ())).contains("ddof 4"));
    assert!(text(program.reduce(Sum, x, [1, 1]).map(|_| ())).contains("twice"));
    assert!(text(program.reduce(Sum, x, 3).map(|_| ())).contains("3"));
    let module = program.finish().unwrap();
    assert_eq!(module.results()[0].shape(), [1, 3, 4]);
}

#[test]
fn programs_refuse_what_is_not_theirs() {
    let (one, other) = (Program::new("one").unwrap(), Program::new("other").unwrap());
    let x = one.input::<f64, _>("x", [2]).unwrap();
    assert!(matches!(other.result("y", x * 2.0), Err(Error::OtherProgram)));
    assert!(matches!(other.finish(), Err(Error::NoResults { name }) if name == "other"));
    assert!(matches!(one.input::<f32, _>("x", [3]), Err(Error::Name { .. })));
    assert!(matches!(one.input::<f32, _>("0", [3]), Err(Error::Name { .. })));
    assert!(matches!(Program::new("a-b"), Err(Error::Name { .. })));
    assert!(matches!(one.result("y z", x), Err(Error::Name { .. })));
    one.result("y", x).unwrap();
    assert!(matches!(one.result("y", x), Err(Error::Name { .. })));
    let y = one.input::<f64, _>("w", [3]).unwrap();
    assert!(matches!(one.result("sum", x + y), Err(Error::Shape(_))));
}

#[test]
fn arrays_are_arguments_once_while_they_are_the_same() {
    let program = Program::new("changes").unwrap();
    let mut x = array![1.0_f64, 2.0];
    let named = program.argument("named", &x).unwrap();
    program.result("a", &x + named).unwrap();
    x[[0]] = 3.0;
    // At the same address, but no more the same.
    program.result("b", &x * 2.0).unwrap();
    program.result("c", &x * 3.0).unwrap();
    let module = program.finish().unwrap();
    let names: Vec<&str> = module.arguments().iter().map(|argument| argument.name()).collect();
    assert_eq!(names, ["named", "arg1"]);
    assert!(module.text().contains("stablehlo.add %named, %named"));
}

#[test]
fn files() {
    let folder = std::env::temp_dir().join(format!("stablehlo-files-{}", std::process::id()));
    let x = Array3::<f32>::from_fn([2, 3, 4], |[i, j, k]| (100 * i + 10 * j + k) as f32);
    let turned = x.permuted_axes([2, 0, 1]).unwrap();
    let module = to_stablehlo(&(turned.lazy() + turned.lazy())).unwrap();
    module.write(&folder).unwrap();
    assert_eq!(std::fs::read_to_string(folder.join("main.mlir")).unwrap(), module.text());
    let read: ArrayD<f32> = arrayfile::npy::read(folder.join("arg0.npy")).unwrap();
    assert_eq!(read.shape(), [4, 2, 3]);
    assert_eq!(read[&[3_usize, 1, 2][..]], 123.0);
    std::fs::remove_dir_all(&folder).unwrap();
    // A file where the folder should be.
    std::fs::write(&folder, "").unwrap();
    let error = module.write(&folder).unwrap_err();
    assert!(error.to_string().contains("stablehlo-files"), "{error}");
    std::fs::remove_file(&folder).unwrap();
}
