//! Programs whose results have the same bits for any number of ranks: each gives the hash of its
//! result. What one call of the library makes of the same in one process, `one_process!` compares
//! it with: in tests.

#[allow(unused_imports, reason = "for `one_process!`")]
use elementwise::Lanewise;
use elementwise::{
    All, Any, ArgMax, ArgMin, Array, Array1, Array2, Array3, Assign, BinaryMethods, Combine,
    CountNonzero, Dimension, Expr, IntoShape, LogSumExp, Matrix, Max, Mean, Min, NanMax, NanMean,
    NanMin, NanSum, NewAxis, NormL1, NormL2, NormMax, Number, Portable, Product, ProductWrapping,
    Reductions, Std, Sum, SumWrapping, UnaryMethods, Var, keep, s,
};
use half::f16;
use num_complex::Complex;
use rows::{Communicator, Error, Rows, Slabs, shared};
use std::ops::Range;

/// The names and the hashes of all programs.
pub type Hashes = Vec<(String, u64)>;

/// Numbers between -1 and 1 that look like chance.
fn noise<S: IntoShape>(shape: S, seed: u64) -> Result<Array<f64, S::Rank>, Error> {
    let shape = shape.into_shape()?;
    let len: usize = shape.as_ref().iter().product();
    let number = |i: usize| {
        let mut bits = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (seed << 32);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    let elements = (0..len).map(number).collect();
    Ok(Array::from_shape_vec(shape, elements)?)
}

/// The name of the type of the elements.
fn element_of<T: elementwise::Element, R: Dimension>(_: &Array<T, R>) -> &'static str {
    std::any::type_name::<T>().rsplit(':').next().unwrap_or_default().trim_end_matches('>')
}

/// The hash (FNV-1a) of the shape and the elements.
fn hash<T: Portable + elementwise::Element, R: Dimension>(x: &Array<T, R>) -> u64 {
    let (mut hash, mut bytes) = (0xcbf2_9ce4_8422_2325_u64, vec![0; T::SIZE]);
    let mut add = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    x.shape().iter().for_each(|extent| extent.to_le_bytes().into_iter().for_each(&mut add));
    for &element in x.iter() {
        element.put(&mut bytes);
        bytes.iter().copied().for_each(&mut add);
    }
    hash
}

/// The means of some vectors to which those of an array are nearest, after some rounds (k-means).
fn k_means(rows: &Rows<'_>, x: &Array2<f64>, k: usize) -> Result<Array2<f64>, Error> {
    let mut means = x.slice(s![..k, ..])?.to_owned();
    for _ in 0..5 {
        let near = |range: Range<usize>| {
            let away = x.slice(s![range, NewAxis, ..])? - means.slice(s![NewAxis, .., ..])?;
            Ok::<_, Error>((away * away).sum_axis(2)?.argmin_axis(1)?)
        };
        let labels = rows.gather(near)?;
        for cluster in 0..k {
            let chosen = labels.equal(cluster).cast::<f64>().eval()?;
            let of =
                |r: Range<usize>| Ok(x.slice(s![r.clone(), ..])? * chosen.slice(s![r])?.along([0]));
            let sum = rows.reduce(of, Sum, 0)?;
            means.row_mut(cluster).assign(&sum / chosen.sum()?.max(1.0))?;
        }
    }
    Ok(means)
}

/// The covariances of columns less their means and divided by their deviations.
fn correlations(rows: &Rows<'_>, x: &Array2<f64>) -> Result<Array2<f64>, Error> {
    let [n, d] = [x.shape()[0], x.shape()[1]];
    let of = |range| Ok(x.slice(s![range, ..])?);
    let (mean, std) = (rows.reduce(of, Mean, 0)?, rows.reduce(of, Std { ddof: 1.0 }, 0)?);
    let pairs = |range| {
        let z = ((of(range)? - mean.along([1])) / std.along([1])).eval()?.into_shared();
        let (i, j) = (z.clone().insert_axis_move(2)?, z.insert_axis_move(1)?);
        Ok(shared(&i) * shared(&j))
    };
    let sums = Rows::new(rows.comm(), [n, d, d]).reduce(pairs, Sum, 0)?;
    Ok((sums / (n - 1) as f64).eval()?)
}

/// Runs all programs.
pub fn all(comm: &dyn Communicator) -> Result<Hashes, Error> {
    let mut hashes = Hashes::new();
    /// A reduction of some rows of an array, and what one process makes of it.
    macro_rules! reduced {
        ($rows:expr, $array:ident, |$x:ident| $expr:expr, $op:expr, $axes:expr) => {{
            // Not of a type of its own each time, which would all be compiled.
            let of: &dyn Fn(Range<usize>) -> Result<_, Error> = &|range| {
                let $x = $array.slice_axis(0, range, 1)?;
                Ok($expr)
            };
            let result = $rows.reduce(of, $op, $axes)?;
            #[allow(unused_variables, reason = "what one process makes of it is for tests")]
            let $x = $array.view();
            let name = format!(
                "{}:{}:{}:{:?}:axes:{}",
                stringify!($op).split(" {").next().unwrap_or_default(),
                stringify!($expr).replace(' ', ""),
                element_of(&$array),
                $array.shape(),
                stringify!($axes).replace(' ', ""),
            )
            .replace(' ', "");
            let found = hash(&result);
            let expected = one_process!(hash(&($expr).reduce_by($op, $axes)?));
            if expected.is_some_and(|expected: u64| found != expected) {
                return Err(format!("{name} is not what one process computes").into());
            }
            hashes.push((name, found));
        }};
    }
    /// The same for several reductions over rows, over columns, and over both.
    macro_rules! over_all_axes {
        ($array:ident: $($op:expr),*) => {{
            let rows = Rows::new(comm, $array.shape());
            $(
                reduced!(rows, $array, |x| x, $op, 0);
                reduced!(rows, $array, |x| x, $op, 1);
                reduced!(rows, $array, |x| x, $op, ..);
            )*
        }};
    }

    // Uneven: 10,007 is prime.
    let x64 = noise([10_007, 5], 1)?;
    let x32 = x64.cast::<f32>().eval()?;
    let x16 = x64.cast::<f16>().eval()?;
    let whole = (&x64 * 100.0).cast::<i32>().eval()?;
    let bytes = (&x64 * 7.0).cast::<u8>().eval()?;
    let positive = x64.map(|x| x > 0.0).eval()?;
    let near_one = (&x64 * 1e-3 + 1.0).eval()?;
    let complex = (x64.map(|x| Complex::new(x, 1.0 - x))).eval()?;
    let one = num_complex::Complex::new(1.0, 0.0);
    let turned = (&complex * Complex::new(1e-3, 0.0) + one).eval()?;
    let with_nan = x64.map(|x| if x > 0.9 { f64::NAN } else { x }).eval()?;
    let (var, std) = (Var { ddof: 1.0 }, Std { ddof: 0.0 });
    over_all_axes!(x32: Sum, Mean, var, std, Min, ArgMax, LogSumExp, NormL1, NormL2, NormMax);
    over_all_axes!(x64: Sum, var, ArgMin, LogSumExp, Combine(|a: f64, b: f64| a.max(b)));
    over_all_axes!(x16: Sum, Max, ArgMax);
    over_all_axes!(whole: Sum, ProductWrapping, ArgMin);
    over_all_axes!(bytes: SumWrapping, CountNonzero);
    over_all_axes!(positive: Any, All);
    over_all_axes!(near_one: Product);
    over_all_axes!(turned: Product, NormL2);
    over_all_axes!(with_nan: NanMin, NanMax, NanSum, NanMean, Max);

    // Expressions; rows that have several blocks; few rows; ranks 1 and 3.
    let v = noise([5], 2)?.cast::<f32>().eval()?;
    let rows = Rows::new(comm, [10_007, 5]);
    reduced!(rows, x32, |x| (x * v.along([1]) * v.along([1])).tanh(), Sum, 0);
    reduced!(rows, x32, |x| (x * v.along([1])).exp(), Mean, keep(0));
    let wide = noise([37, 9000], 3)?.cast::<f32>().eval()?;
    over_all_axes!(wide: Sum, ArgMax, var);
    let few = noise([3, 70], 4)?;
    over_all_axes!(few: Sum, ArgMin, var);
    let cube = noise([1003, 6, 7], 5)?;
    let rows = Rows::new(comm, cube.shape());
    reduced!(rows, cube, |x| x, Sum, [0, 1]);
    reduced!(rows, cube, |x| x, Sum, [0, 2]);
    reduced!(rows, cube, |x| x, ArgMax, [0, 2]);
    reduced!(rows, cube, |x| x, Mean, keep([1, 2]));
    let vector = noise([100_003], 6)?;
    let rows = Rows::new(comm, vector.shape());
    reduced!(rows, vector, |x| x, Sum, 0);
    reduced!(rows, vector, |x| x, ArgMax, ..);
    let none = Array2::<f64>::zeros([0, 4]);
    let rows = Rows::new(comm, none.shape());
    reduced!(rows, none, |x| x, Sum, 0);
    // By slabs.
    let rows = Rows::new(comm, x32.shape()).in_slabs(Slabs { bytes: 5000, ahead: 1 });
    reduced!(rows, x32, |x| x, Sum, 0);
    reduced!(rows, x32, |x| x, ArgMin, ..);
    reduced!(rows, x32, |x| x, var, 1);

    // Softmax, matrix products, and whole programs.
    let rows = Rows::new(comm, x32.shape());
    let of = |range: Range<usize>| Ok(x32.slice(s![range, ..])?);
    for (name, expected, softmax) in [
        ("softmax:0", one_process!(hash(&x32.softmax(0)?)), rows.softmax(of, 0)?),
        ("softmax:1", one_process!(hash(&x32.softmax(1)?)), rows.softmax(of, 1)?),
        ("log_softmax:0", one_process!(hash(&x32.log_softmax(0)?)), rows.log_softmax(of, 0)?),
    ] {
        let found = hash(&rows.gather(|range| softmax.rows(range))?);
        if expected.is_some_and(|expected: u64| found != expected) {
            return Err(format!("{name} is not what one process computes").into());
        }
        hashes.push((name.to_string(), found));
    }
    let weights = noise([5, 40], 7)?;
    let product = rows.gather(|range| Ok(x64.slice(s![range, ..])?.dot(&weights)?))?;
    hashes.push(("product".to_string(), hash(&product)));
    hashes.push(("k_means".to_string(), hash(&k_means(&rows, &x64, 4)?)));
    hashes.push(("correlations".to_string(), hash(&correlations(&rows, &x64)?)));
    let _: (Array1<f32>, Array3<f64>) = (v, cube);
    Ok(hashes)
}

/// That types of numbers are said by their class, too.
#[allow(dead_code, reason = "compiled only")]
fn generic<T: Number<Wide: Portable> + Portable>(
    rows: &Rows<'_>,
    x: &Array2<T>,
) -> Result<Array1<T>, Error> {
    rows.reduce(|range| Ok(x.slice(s![range, ..])?), Sum, 0)
}
