//! Functions of complex numbers, against a file of results: the error counts in units in the last
//! place of the modulus.

use super::{Float, parse};
use zerostride::prelude::*;
use zerostride::{Complex, Element};

/// How far a result may be from the exact one, in units in the last place of its modulus. A power
/// is as much less exact as its logarithm is large.
pub const PROMISES: [(&str, f64); 2] = [("c64", 1.0), ("c128", 4.0)];

/// Operands and results of one function and type.
#[derive(Debug)]
struct Rows<F> {
    name: String,
    operands: Vec<Vec<Complex<F>>>,
    want: Vec<Complex<F>>,
}

/// All rows of a file, in the order of the functions.
#[derive(Debug, Default)]
pub(super) struct File {
    singles: Vec<Rows<f32>>,
    doubles: Vec<Rows<f64>>,
}

impl File {
    /// Adds a row: the bits of the parts of the operands and of the result.
    pub(super) fn add(&mut self, name: &str, dtype: &str, bits: &[&str]) -> Result<(), String> {
        match dtype {
            "c64" => add(&mut self.singles, name, bits),
            _ => add(&mut self.doubles, name, bits),
        }
    }

    /// Evaluates all rows, and prints a line for each function and type. Returns how many results
    /// were within the promise, and how many were not.
    pub(super) fn check(&self) -> (usize, usize) {
        let mut counts = (0, 0);
        for rows in &self.singles {
            check("c64", rows, one::<f32>(&rows.name), two::<f32>(&rows.name), &mut counts);
        }
        for rows in &self.doubles {
            check("c128", rows, one::<f64>(&rows.name), two::<f64>(&rows.name), &mut counts);
        }
        counts
    }
}

fn add<F: Float>(all: &mut Vec<Rows<F>>, name: &str, bits: &[&str]) -> Result<(), String> {
    let parts: Result<Vec<F>, _> = bits.iter().map(|bits| parse(bits)).collect();
    let mut numbers: Vec<Complex<F>> =
        parts?.chunks(2).map(|z| Complex { re: z[0], im: z[z.len() - 1] }).collect();
    if !bits.len().is_multiple_of(2) || !(2..=3).contains(&numbers.len()) {
        return Err("one or two complex operands and a result are wanted".to_owned());
    }
    let at = all.iter().position(|rows| rows.name == name).unwrap_or_else(|| {
        let operands = vec![Vec::new(); numbers.len() - 1];
        all.push(Rows { name: name.to_owned(), operands, want: Vec::new() });
        all.len() - 1
    });
    all[at].want.extend(numbers.pop());
    for (operand, number) in all[at].operands.iter_mut().zip(numbers) {
        operand.push(number);
    }
    Ok(())
}

type One<F> = Option<fn(View1<'_, Complex<F>>) -> Vec<Complex<F>>>;
type Two<F> = Option<fn(View1<'_, Complex<F>>, View1<'_, Complex<F>>) -> Vec<Complex<F>>>;

/// The types of the parts that have the functions.
trait Part: Float {
    fn one(name: &str) -> One<Self>;
    fn two(name: &str) -> Two<Self>;
}

fn one<F: Part>(name: &str) -> One<F> {
    F::one(name)
}

fn two<F: Part>(name: &str) -> Two<F> {
    F::two(name)
}

macro_rules! part {
    ($($type:ident)*) => {$(
        part! { @ $type:
            exp exp2 exp_m1 ln ln_1p log2 log10 logistic sqrt rsqrt cbrt sin cos tan asin acos atan
            sinh cosh tanh asinh acosh atanh recip sign
        }
    )*};
    (@ $type:ident: $($name:ident)*) => {
        impl Part for $type {
            fn one(name: &str) -> One<$type> {
                match name {
                    $(stringify!($name) => Some(|x| x.$name().eval().expect("it fits").to_vec()),)*
                    _ => None,
                }
            }
            fn two(name: &str) -> Two<$type> {
                match name {
                    "div" => Some(|x, y| (x / y).eval().expect("they fit").to_vec()),
                    "pow" => Some(|x, y| x.pow(y).eval().expect("they fit").to_vec()),
                    _ => None,
                }
            }
        }
    };
}
part!(f32 f64);

fn check<F: Float>(
    dtype: &str,
    rows: &Rows<F>,
    one: One<F>,
    two: Two<F>,
    counts: &mut (usize, usize),
) where
    Complex<F>: Element,
{
    let Rows { name, operands, want } = rows;
    let promise = PROMISES.iter().find(|promise| promise.0 == dtype).expect("a type").1;
    let arrays: Vec<_> = operands.iter().map(|data| Array1::from_vec(data.clone())).collect();
    let got = match (one, two, &arrays[..]) {
        (Some(f), _, [x]) => f(x.view()),
        (_, Some(f), [x, y]) => f(x.view(), y.view()),
        _ => {
            println!("{name} of {dtype}: no such function of {} operands", operands.len());
            counts.1 += want.len();
            return;
        }
    };
    let (mut worst, mut at, mut failed) = (0.0_f64, None, 0);
    for (i, (&got, &want)) in got.iter().zip(want).enumerate() {
        let given: Vec<Complex<F>> = operands.iter().map(|operand| operand[i]).collect();
        let promise = if name == "pow" { promise * exponent(&given) } else { promise };
        let distance = distance(got, want);
        if distance.is_nan() || distance > promise {
            failed += 1;
            println!(
                "{name} of {dtype} at {given:?}: {got:?}, not {want:?}: {distance} ULP, promised {promise}"
            );
        }
        if distance > worst {
            (worst, at) = (distance, Some((given, got, want)));
        }
    }
    let at = at.map(|(given, got, want)| format!(" at {given:?}: {got:?}, not {want:?}"));
    println!(
        "{name} {dtype}: {} results, at most {worst:.3} ULP of the modulus{}",
        got.len(),
        at.unwrap_or_default()
    );
    counts.0 += got.len() - failed;
    counts.1 += failed;
}

/// 1 + |w ln z|
fn exponent<F: Float>(given: &[Complex<F>]) -> f64 {
    let [z, w] = [given[0], given[1]].map(|z| Complex::new(z.re.wide(), z.im.wide()));
    1.0 + (w.norm() * z.ln().norm())
}

/// The distance in units in the last place of the modulus of `want`; of infinite parts, and what is
/// beside them, part by part.
fn distance<F: Float>(got: Complex<F>, want: Complex<F>) -> f64 {
    let (g, w) = ([got.re.wide(), got.im.wide()], [want.re.wide(), want.im.wide()]);
    if w.iter().any(|part| part.is_infinite()) || g.iter().any(|part| !part.is_finite()) {
        // A neighbour of the largest number is infinite, and one zero as good as another.
        let part = |got: F, want: F| if got == want { 0.0 } else { super::distance(got, want) };
        return part(got.re, want.re).max(part(got.im, want.im));
    }
    let unit = unit::<F>(w[0].abs().max(w[1].abs()));
    // Halves and doubles, so that nothing overflows.
    ((g[0] - w[0]) / unit).hypot((g[1] - w[1]) / unit)
}

/// The unit in the last place of a number of this size.
fn unit<F: Float>(size: f64) -> f64 {
    let below = F::near(size).moved(-1).wide();
    let smallest = F::of_bits(1).wide();
    if size <= smallest { smallest } else { F::near(size).wide() - below }
}
