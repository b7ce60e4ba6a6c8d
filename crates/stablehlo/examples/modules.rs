//! Writes programs for `examples/xla/run.py`: a standardised matrix, its covariance's diagonal by
//! the way, and a softmax, with inputs and with what this library computes.
//!
//! ```sh
//! cargo run --release -p stablehlo --example modules -- ../programs
//! ```

use arrayfile::npy;
use elementwise::{
    Array1, Array2, Error, Expr, Lanewise, Max, Mean, Rank, Reductions, Sum, UnaryMethods, Var,
    keep,
};
use stablehlo::{Module, Program};

/// Columns of mean 0 and variance 1, weighted; and the sum of each row.
fn standardise(x: &Array2<f32>, w: &Array1<f32>) -> Result<Module, stablehlo::Error> {
    let program = Program::new("standardise")?;
    let (x, w) = (program.argument("x", x)?, program.argument("w", w)?);
    let mean = program.reduce(Mean, x, keep(0))?;
    let var = program.reduce(Var { ddof: 0.0 }, x, keep(0))?;
    let z = program.value((x - mean) / (var + 1e-6_f32).sqrt() * w.along([1]))?;
    program.result("z", z)?;
    program.result("rows", program.reduce(Sum, z, 1)?)?;
    program.finish()
}

/// The same here.
fn standardised(x: &Array2<f32>, w: &Array1<f32>) -> Result<Array2<f32>, Error> {
    let (mean, var) = (x.mean_axis(keep(0))?, x.var_axis(keep(0), 0.0)?);
    ((x - &mean) / (&var + 1e-6_f32).sqrt() * w.along([1])).eval()
}

/// The softmax of each row, with an input that has no elements yet.
fn softmax(rows: usize, columns: usize) -> Result<Module, stablehlo::Error> {
    let program = Program::new("softmax")?;
    let x = program.input::<f32, [usize; 2]>("x", [rows, columns])?;
    let highest = program.reduce(Max, x, 1)?;
    let e = program.value((x - highest.along([0])).exp())?;
    let sum = program.reduce(Sum, e, 1)?;
    program.result("y", e / sum.along([0]))?;
    program.finish()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("programs FOLDER")?;
    let folder = std::path::Path::new(&folder);
    let (rows, columns) = (4096, 96);
    let x = Array2::<f32>::from_fn([rows, columns], |[i, j]| {
        ((i * 31 + j * 17) % 1009) as f32 / 100.0 + j as f32
    });
    let w = Array1::<f32>::linspace(0.5, 2.0, columns);
    standardise(&x, &w)?.write(folder)?;
    npy::write(folder.join("standardise.expected.npy"), &standardised(&x, &w)?)?;
    softmax(rows, columns)?.write(folder)?;
    npy::write::<f32, Rank<2>>(folder.join("softmax.expected.npy"), &x.softmax(1)?)?;
    println!("{}", folder.display());
    Ok(())
}
