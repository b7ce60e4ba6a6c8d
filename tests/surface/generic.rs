//! Programs that are generic over the rank and the element type, with one bound a parameter.

use zerostride::prelude::*;
use zerostride::{Array, Dimension, Error, bf16, f16};

/// The classical Runge-Kutta method for `y' = f(t, y)`, of states of any rank and float.
struct RungeKutta<R: Dimension, F: Float> {
    state: Array<F, R>,
    stages: [Array<F, R>; 4],
    point: Array<F, R>,
    time: F,
}

impl<R: Dimension, F: Float> RungeKutta<R, F> {
    fn new(state: Array<F, R>) -> Self {
        let zeros = || Array::<F, R>::zeros(state.dim());
        let (stages, point) = ([zeros(), zeros(), zeros(), zeros()], zeros());
        RungeKutta { state, stages, point, time: F::zero() }
    }

    fn step(
        &mut self,
        step: F,
        f: impl Fn(F, &Array<F, R>, &mut Array<F, R>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let half = F::rounded(0.5);
        f(self.time, &self.state, &mut self.stages[0])?;
        for (stage, part) in [half, half, F::one()].into_iter().enumerate() {
            self.point.assign(&self.state + &self.stages[stage] * (step * part))?;
            f(self.time + step * part, &self.point, &mut self.stages[stage + 1])?;
        }
        let [k1, k2, k3, k4] = &self.stages;
        let two = F::from(2).expect("a small number");
        self.state += (k1 + k2 * two + k3 * two + k4) * (step / F::rounded(6.0));
        self.time += step;
        Ok(())
    }
}

/// e to 1, from y' = y, one entry at a time by another index.
fn growth<R: Dimension, F: Float>(start: Array<F, R>) -> Result<Array<F, R>, Error> {
    let mut solver = RungeKutta::new(start);
    for _ in 0..8 {
        solver.step(F::rounded(0.125), |_, y, dy| dy.assign(y))?;
    }
    Ok(solver.state)
}

#[test]
fn runge_kutta() {
    let e = std::f64::consts::E;
    let check = |got: f64, within: f64| assert!((got - e).abs() < within, "{got}");
    check(growth(array![1.0_f64]).unwrap()[0], 1e-5);
    check(growth(Array3::<f32>::ones([2, 1, 2])).unwrap()[[1, 0, 1]].into(), 1e-5);
    check(growth(Array0::<f64>::ones(())).unwrap()[[]], 1e-5);
    check(growth(ArrayD::<f64>::ones(vec![2, 2])).unwrap()[[1, 1]], 1e-5);
    check(growth(array![[f16::from_f32(1.0)]]).unwrap()[[0, 0]].into(), 0.02);
}

/// Lloyd's algorithm on points (one a row) of any float: the means of the clusters.
fn kmeans<F: Float>(
    points: &Array2<F>,
    mut means: Array2<F>,
    rounds: usize,
) -> Result<Array2<F>, Error> {
    for _ in 0..rounds {
        let differences = points.insert_axis(1)? - means.insert_axis(0)?;
        let nearest = differences.square().sum_axis(2)?.argmin_axis(1)?;
        for cluster in 0..means.nrows() {
            let of_cluster = nearest.equal(cluster);
            let count = of_cluster.count_nonzero()?;
            if count > 0 {
                let weights = nearest.map(|own| if own == cluster { F::one() } else { F::zero() });
                let sum = (points * weights.along([0])).sum_axis(0)?;
                let count = F::from(count).expect("a count");
                means.index_axis_mut(0, cluster)?.assign(&sum / count)?;
            }
        }
    }
    Ok(means)
}

fn two_clusters<F: Float>() -> Array2<F> {
    let points = Array2::from_fn([40, 2], |[i, j]| {
        F::rounded(if i % 2 == 0 { 1.0 } else { 5.0 } + (i / 20 + j) as f64 * 0.5)
    });
    let start = Array2::from_fn([2, 2], |[i, _]| F::rounded(i as f64 * 6.0));
    kmeans(&points, start, 5).unwrap()
}

#[test]
fn k_means() {
    let want = [1.25, 1.75, 5.25, 5.75];
    assert_eq!(two_clusters::<f64>().to_vec(), want);
    assert_eq!(two_clusters::<f32>().to_vec(), want.map(|x| x as f32));
    assert_eq!(two_clusters::<f16>().to_vec(), want.map(f16::from_f64));
    assert_eq!(two_clusters::<bf16>().to_vec(), want.map(bf16::from_f64));
}

/// Softmax along the last axis, as it is written down.
fn softmax<R: Dimension, F: Float>(x: &Array<F, R>) -> Result<Array<F, R>, Error> {
    let last = x.ndim() - 1;
    let shifted = x.view().lanes_less(last)?;
    let total = shifted.exp().sum_axis(keep(last))?;
    (shifted.exp() / &total).eval()
}

/// What is left of each lane when its largest element is taken off.
trait LanesLess<F: Float, R: Dimension> {
    fn lanes_less(self, axis: usize) -> Result<Array<F, R>, Error>;
}

impl<F: Float, R: Dimension> LanesLess<F, R> for View<'_, F, R> {
    fn lanes_less(self, axis: usize) -> Result<Array<F, R>, Error> {
        let largest = self.max_axis(keep(axis))?;
        (self - &largest).eval()
    }
}

#[test]
fn softmax_of_any_rank() {
    let x = array![[0.0_f64, 1.0, 2.0], [5.0, 5.0, 5.0]];
    let got = softmax(&x).unwrap();
    let total = 1.0 + 1f64.exp() + 2f64.exp();
    for (j, x) in [0.0, 1.0, 2.0].into_iter().enumerate() {
        assert!((got[[0, j]] - f64::exp(x) / total).abs() < 1e-15);
        assert!((got[[1, j]] - 1.0 / 3.0).abs() < 1e-15);
    }
    assert_eq!(softmax(&x.into_dyn()).unwrap(), got.as_dyn());
}

/// Columns of mean 0 and variance 1.
fn standardise<F: Float>(x: &Array2<F>) -> Result<Array2<F>, Error> {
    let (mean, std) = (x.mean_axis(keep(0))?, x.std_axis(keep(0), 0.0)?);
    ((x - &mean) / (&std + F::epsilon())).eval()
}

#[test]
fn standardised() {
    fn check<F: Float>(within: f64) {
        let x =
            Array2::from_fn([50, 3], |[i, j]| F::rounded(((i * 7) % 50) as f64 * 0.5 + j as f64));
        let y = standardise(&x).unwrap();
        for j in 0..3 {
            let (mean, var) = (y.column(j).mean().unwrap(), y.column(j).var(0.0).unwrap());
            assert!(
                mean.widen().abs() < within && (var.widen() - 1.0).abs() < within,
                "{mean} {var}"
            );
        }
    }
    check::<f64>(1e-9);
    check::<f32>(1e-5);
    check::<f16>(0.02);
}

/// Everything that a float has, of any float: operations, comparisons, functions, reductions,
/// products, settings, and its constants and functions one by one.
fn all_of_float<F: Float>() -> Result<(), Error> {
    let x = Array2::from_fn([3, 3], |[i, j]| F::rounded(0.1 + (3 * i + j) as f64 * 0.05));
    let y = (&x + &x - &x * &x / &x % &x).eval()?;
    let one = F::one();
    let functions = [
        x.abs().eval()?,
        x.sign().eval()?,
        x.square().recip().eval()?,
        x.floor().ceil().trunc().round().round_ties_even().eval()?,
        x.exp().exp2().exp_m1().eval()?,
        (&x + one).ln().ln_1p().eval()?,
        (&x + one).log2().eval()?,
        x.log10().logistic().eval()?,
        x.sqrt().rsqrt().cbrt().eval()?,
        x.sin().cos().tan().eval()?,
        x.asin().eval()?,
        x.acos().atan().eval()?,
        x.sinh().cosh().tanh().eval()?,
        (&x + one).acosh().asinh().eval()?,
        x.atanh().eval()?,
        x.erf().erfc().eval()?,
        x.gamma().lgamma().eval()?,
        x.relu().gelu().gelu_tanh().silu().softplus().eval()?,
        x.maximum(&y).minimum(&y).fmax(&y).fmin(&y).eval()?,
        x.pow(&y).atan2(&y).hypot(&y).copysign(&y).next_after(one).eval()?,
        x.mul_add(&y, one).eval()?,
        x.leaky_relu(F::epsilon()).eval()?,
        x.clamp(F::zero(), one).eval()?,
        x.less(&y).select(&x, &y).eval()?,
        (-&x).map(|x| x.mul_add(x, F::PI()) + num_traits_float(x)).eval()?,
        x.dot(&y)?,
        x.matmul(&y)?,
        x.cumsum(0)?,
        x.cummax(1)?,
        x.softmax(1)?,
        x.sort(0)?,
    ];
    for result in &functions {
        assert!(result.is_finite().all()? || result.is_nan().any()?, "{result}");
        assert_eq!(result.is_infinite().count_nonzero()?, 0);
    }
    let totals = x.total_less(&y).eval()?;
    assert_eq!(totals, x.less(&y).eval()?);
    assert!(x.less_equal(&x).all()? && x.equal(&x).all()? && !x.not_equal(&x).any()?);
    assert!(x.greater_equal(&x).all()? && !x.greater(&x).any()?);
    let v = x.row(0);
    let numbers: [F; 14] = [
        x.sum()?,
        x.product()?,
        x.mean()?,
        x.var(1.0)?,
        x.std(0.0)?,
        x.min()?,
        x.max()?,
        x.nanmin()?,
        x.log_sum_exp()?,
        x.norm_l1()?,
        x.norm_l2()?,
        x.norm_max()?,
        v.dot(v)?,
        x.median()?,
    ];
    assert!(numbers.iter().all(|number| number.is_finite() && *number > F::zero()));
    assert!(numbers.iter().copied().sum::<F>() > F::min_positive_value());
    assert!(numbers.iter().sum::<F>() > numbers.iter().copied().fold(F::min_value(), F::max));
    assert!(numbers.iter().product::<F>() <= F::max_value() && F::nan().is_nan());
    assert!(numbers.iter().copied().product::<F>() < F::infinity());
    assert!(F::neg_infinity() < F::neg_zero() && F::neg_zero() == F::zero());
    assert_eq!((x.argmin()?, x.argmax()?, x.count_nonzero()?), (0, 8, 9));
    Ok(())
}

/// A bound of another crate beside that of this one is no ambiguity.
fn num_traits_float<F: Float + num_traits::Float>(x: F) -> F {
    x.abs().sqrt().max(F::zero()) * F::from(2).unwrap_or_else(F::one)
}

#[test]
fn every_float_has_everything() {
    all_of_float::<f32>().unwrap();
    all_of_float::<f64>().unwrap();
    all_of_float::<f16>().unwrap();
    all_of_float::<bf16>().unwrap();
}

/// Any number: arithmetic, sums and products.
#[allow(clippy::eq_op)]
fn all_of_number<T: Number>(x: &Array2<T>) -> Result<T, Error> {
    let y = (x * x + x - x / x + T::one()).eval()?;
    let products = y.dot(x)?;
    let mut total = products.sum()? + y.square().sum()? + (-&y).sum()?;
    total += x.row(0).dot(x.row(1))?;
    Ok(total)
}

/// Any number with an order.
fn all_of_real<T: Real>(x: &Array2<T>) -> Result<T, Error> {
    let y = x.maximum(T::one()).minimum(x).eval()?;
    let larger = x.greater(T::zero()).count_nonzero()?;
    Ok(y.max()? + x.min()? + T::from(larger).expect("a small number") + all_of_number(x)?)
}

#[test]
fn any_number() {
    // y = x² + x - 1 + 1 = [[2, 2], [6, 6]]; its product with x = [[1, 1], [2, 2]] is
    // [[6, 6], [18, 18]]; squares 4 + 4 + 36 + 36; rows 2 + 2.
    let want = 48 + 80 - 16 + 4;
    assert_eq!(all_of_number(&array![[1_i32, 1], [2, 2]]).unwrap(), want);
    assert_eq!(all_of_number(&array![[1.0, 1.0], [2.0, 2.0]]).unwrap(), f64::from(want));
    let x = array![[1.0_f32, 1.0], [2.0, 2.0]];
    let complex = x.cast::<zerostride::Complex<f32>>().eval().unwrap();
    assert_eq!(all_of_number(&complex).unwrap().re, want as f32);
    assert_eq!(all_of_real(&array![[1_i64, 1], [2, 2]]).unwrap(), i64::from(want) + 2 + 1 + 4);
    assert_eq!(all_of_real(&array![[1.0_f32, 1.0], [2.0, 2.0]]).unwrap(), want as f32 + 7.0);
}

/// Shapes, indices and ranks of any dimension.
fn indices_of_any_rank<R: Dimension>(a: &Array<i32, R>) {
    let mut copy = Array::<i32, R>::zeros(a.dim());
    for (index, x) in a.indexed_iter() {
        copy[index] = a[index] + x;
    }
    let doubled = Array::<i32, R>::from_fn(a.dim(), |index| a[index] * 2);
    assert_eq!(copy, doubled);
    // A rank less and one more is the rank again.
    if a.ndim() > 0 {
        let row: zerostride::View<'_, i32, R::Smaller> = a.index_axis(0, 0).unwrap();
        let _: &[usize] = row.shape();
    }
}

#[test]
fn any_rank() {
    indices_of_any_rank(&Array0::full((), 1));
    indices_of_any_rank(&array![1, 2, 3]);
    indices_of_any_rank(&array![[1, 2], [3, 4]]);
    indices_of_any_rank(&array![[1, 2], [3, 4]].into_dyn());
}
