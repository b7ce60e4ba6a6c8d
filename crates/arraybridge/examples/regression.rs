//! A linear regression by faer, on real data: how wide the petals of Fisher's irises are, by their
//! other three measurements.
//!
//! ```sh
//! cargo run --release -p arraybridge --features faer --example regression
//! ```
//!
//! The matrix of the measurements is made here and solved there, and what comes back is used here:
//! by views both ways. As a test, it compares with what R prints for
//! `summary(lm(Petal.Width ~ Sepal.Length + Sepal.Width + Petal.Length, iris))`.

use arraybridge::{IntoView, faer::AsFaer};
use elementwise::{Array1, Array2, Matrix, Reductions, UnaryMethods, View1, concatenate};
use faer::linalg::solvers::SolveLstsq;
use ndcore::s;
use std::error::Error;

const IRISES: &str = include_str!("../../zerostride/examples/data/iris.csv");

struct Fit {
    /// The constant and a factor for each measurement.
    factors: Array1<f64>,
    /// The share of the variance that the factors explain.
    r_squared: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let (x, y) = read()?;
    let Fit { factors, r_squared } = fit(&x, y.view())?;
    for (name, factor) in
        ["constant", "sepal length", "sepal width", "petal length"].iter().zip(&factors)
    {
        println!("{name:14} {factor:9.5}");
    }
    println!("{:14} {r_squared:9.4}", "R squared");
    Ok(())
}

/// A column of ones and three measurements; and the fourth one.
fn read() -> Result<(Array2<f64>, Array1<f64>), Box<dyn Error>> {
    let rows: Vec<Vec<f64>> = IRISES
        .lines()
        .filter_map(|line| line.split(',').take(4).map(|x| x.parse().ok()).collect())
        .collect();
    let irises = Array2::try_from(rows)?;
    let ones = Array2::<f64>::ones([irises.nrows(), 1]);
    let x = concatenate(1, &[ones.view(), irises.slice(s![.., ..3])?])?;
    Ok((x, irises.column(3).to_owned()))
}

/// Least squares by a QR decomposition.
fn fit(x: &Array2<f64>, y: View1<'_, f64>) -> Result<Fit, Box<dyn Error>> {
    let column = y.insert_axis(1)?;
    let solved = x.as_faer().qr().solve_lstsq(column.as_faer());
    let factors = solved.as_ref().into_view();
    let rest = (column - x.matmul(&factors)?).square().sum()?;
    let around_mean = (y - y.mean()?).square().sum()?;
    Ok(Fit { factors: factors.column(0).to_owned(), r_squared: 1.0 - rest / around_mean })
}

/// What R prints.
#[test]
fn as_published() -> Result<(), Box<dyn Error>> {
    use elementwise::Expr;
    use faer::linalg::solvers::Solve;
    let (x, y) = read()?;
    let Fit { factors, r_squared } = fit(&x, y.view())?;
    for (found, published) in factors.iter().zip([-0.24031, -0.20727, 0.22283, 0.52408]) {
        assert!((found - published).abs() < 6e-6, "{found} is not {published}");
    }
    assert!((r_squared - 0.9379).abs() < 6e-5, "{r_squared}");

    // The same by the normal equations, and Cholesky's decomposition of their matrix.
    let gram = x.t().matmul(&x)?;
    let right = x.t().matmul(&y.view().insert_axis(1)?)?;
    let cholesky = gram.as_faer().llt(faer::Side::Lower).map_err(|err| format!("{err:?}"))?;
    let same = cholesky.solve(right.as_faer());
    let difference = (same.as_ref().into_view().column(0) - &factors).abs().eval()?;
    assert!(difference.max()? < 1e-10, "{difference}");
    Ok(())
}
