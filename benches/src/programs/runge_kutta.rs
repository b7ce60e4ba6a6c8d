//! The method of Runge and Kutta of fourth order, on two systems of Lorenz.

use super::uniform;
use ndarray::Zip;
use zerostride::Error;
use zerostride::prelude::*;

/// Constants of the system of 1963.
const SIGMA: f64 = 10.0;
const RHO: f64 = 28.0;
const BETA: f64 = 8.0 / 3.0;
/// The force of the system of 1996.
const FORCE: f64 = 8.0;

/// A state near the resting one.
pub fn start(len: usize) -> Vec<f64> {
    (0..len).map(|i| FORCE + 0.01 * uniform(i)).collect()
}

/// The state after so many steps of length `h`; `slope` writes the time derivative of its first
/// argument to its second.
///
/// # Errors
/// Those of `slope`.
pub fn ours(
    start: &Array1<f64>,
    h: f64,
    steps: usize,
    slope: impl Fn(&Array1<f64>, &mut Array1<f64>) -> Result<(), Error>,
) -> Result<Array1<f64>, Error> {
    let mut x = start.clone();
    let [mut y, mut k1, mut k2, mut k3, mut k4] = [(); 5].map(|()| Array1::zeros(x.len()));
    for _ in 0..steps {
        slope(&x, &mut k1)?;
        y.assign(&x + &k1 * (h / 2.0))?;
        slope(&y, &mut k2)?;
        y.assign(&x + &k2 * (h / 2.0))?;
        slope(&y, &mut k3)?;
        y.assign(&x + &k3 * h)?;
        slope(&y, &mut k4)?;
        x += (&k1 + (&k2 + &k3) * 2.0 + &k4) * (h / 6.0);
    }
    Ok(x)
}

/// The system of 1963, of three numbers.
///
/// # Errors
/// None.
pub fn lorenz63(x: &Array1<f64>, out: &mut Array1<f64>) -> Result<(), Error> {
    out[0] = SIGMA * (x[1] - x[0]);
    out[1] = x[0] * (RHO - x[2]) - x[1];
    out[2] = x[0] * x[1] - BETA * x[2];
    Ok(())
}

/// The system of 1996, of any number of them in a circle.
///
/// # Errors
/// If there are less than four.
pub fn lorenz96(x: &Array1<f64>, out: &mut Array1<f64>) -> Result<(), Error> {
    let n = x.len();
    let (ahead, behind) = (x.slice(s![3..])?, x.slice(s![..n - 3])?);
    let (before, here) = (x.slice(s![1..n - 2])?, x.slice(s![2..n - 1])?);
    out.slice_mut(s![2..n - 1])?.assign((ahead - behind) * before - here + FORCE)?;
    for i in [0, 1, n - 1] {
        out[i] = (x[(i + 1) % n] - x[(i + n - 2) % n]) * x[(i + n - 1) % n] - x[i] + FORCE;
    }
    Ok(())
}

/// As [`lorenz96`], one number after the other.
///
/// # Errors
/// None.
pub fn lorenz96_ported(x: &Array1<f64>, out: &mut Array1<f64>) -> Result<(), Error> {
    let n = x.len();
    for i in 0..n {
        out[i] = (x[(i + 1) % n] - x[(i + n - 2) % n]) * x[(i + n - 1) % n] - x[i] + FORCE;
    }
    Ok(())
}

/// As [`ours`], with `ndarray`.
pub fn nd(
    start: &ndarray::Array1<f64>,
    h: f64,
    steps: usize,
    slope: impl Fn(&ndarray::Array1<f64>, &mut ndarray::Array1<f64>),
) -> ndarray::Array1<f64> {
    let mut x = start.clone();
    let [mut y, mut k1, mut k2, mut k3, mut k4] = [(); 5].map(|()| ndarray::Array1::zeros(x.len()));
    for _ in 0..steps {
        slope(&x, &mut k1);
        Zip::from(&mut y).and(&x).and(&k1).for_each(|y, x, k| *y = x + k * (h / 2.0));
        slope(&y, &mut k2);
        Zip::from(&mut y).and(&x).and(&k2).for_each(|y, x, k| *y = x + k * (h / 2.0));
        slope(&y, &mut k3);
        Zip::from(&mut y).and(&x).and(&k3).for_each(|y, x, k| *y = x + k * h);
        slope(&y, &mut k4);
        Zip::from(&mut x).and(&k1).and(&k2).and(&k3).and(&k4).for_each(|x, k1, k2, k3, k4| {
            *x += (k1 + (k2 + k3) * 2.0 + k4) * (h / 6.0);
        });
    }
    x
}

/// As [`lorenz63`], with `ndarray`.
pub fn nd_lorenz63(x: &ndarray::Array1<f64>, out: &mut ndarray::Array1<f64>) {
    out[0] = SIGMA * (x[1] - x[0]);
    out[1] = x[0] * (RHO - x[2]) - x[1];
    out[2] = x[0] * x[1] - BETA * x[2];
}

/// As [`lorenz96`], with `ndarray`.
pub fn nd_lorenz96(x: &ndarray::Array1<f64>, out: &mut ndarray::Array1<f64>) {
    let n = x.len();
    for i in 0..n {
        out[i] = (x[(i + 1) % n] - x[(i + n - 2) % n]) * x[(i + n - 1) % n] - x[i] + FORCE;
    }
}
