//! Functions of zerostride for Python: NumPy's arrays are read and written where they lie.

mod capsule;

use zerostride::{Op, ops};

/// The hyperbolic tangent of an element times a gain: an operation of one's own, which updates
/// memory in one pass.
#[derive(Clone, Copy)]
struct Squash;

impl Op<(f64, f64)> for Squash {
    type Output = f64;

    #[inline(always)]
    fn apply(&self, (x, gain): (f64, f64)) -> f64 {
        ops::Tanh.apply(x * gain)
    }
}

/// A fused expression, a reduction and a pass in place; and a sum of what any library has.
#[pyo3::pymodule]
mod zerostride_python {
    use crate::capsule;
    #[pymodule_export]
    use crate::capsule::Given;
    use numpy::{IntoPyArray, PyArray1, PyArray2};
    use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArray2};
    use pyo3::exceptions::PyValueError;
    use pyo3::{Bound, PyAny, PyResult, Python, pyfunction};
    use zerostride::prelude::*;

    fn refused(err: zerostride::Error) -> pyo3::PyErr {
        PyValueError::new_err(err.to_string())
    }

    /// `(x - mean) * scale`, with `mean` and `scale` along the columns of `x`: one pass.
    #[pyfunction]
    fn standardise<'py>(
        py: Python<'py>,
        x: PyReadonlyArray2<'py, f64>,
        mean: PyReadonlyArray1<'py, f64>,
        scale: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (x, mean, scale) = (x.as_array(), mean.as_array(), scale.as_array());
        let (x, mean, scale) = (View2::from(&x), View1::from(&mean), View1::from(&scale));
        let result = py.detach(|| ((x - mean.along([1])) * scale.along([1])).eval());
        Ok(result.map_err(refused)?.into_ndarray().into_pyarray(py))
    }

    /// The squared distance of each row of `x` from `centre`: a reduction of an expression, of
    /// which no array is made.
    #[pyfunction]
    fn distances<'py>(
        py: Python<'py>,
        x: PyReadonlyArray2<'py, f64>,
        centre: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (x, centre) = (x.as_array(), centre.as_array());
        let (x, centre) = (View2::from(&x), View1::from(&centre));
        let result = py.detach(|| (x - centre.along([1])).square().sum_axis(1));
        Ok(result.map_err(refused)?.into_ndarray().into_pyarray(py))
    }

    /// `tanh(gain * x)` in place of `x`, while other threads of Python run.
    #[pyfunction]
    fn squash(py: Python<'_>, mut x: PyReadwriteArray2<'_, f64>, gain: f64) -> PyResult<()> {
        let mut x = ViewMut2::from(x.as_array_mut());
        py.detach(|| x.update(super::Squash, gain)).map_err(refused)
    }

    /// The sum of a matrix of any library that knows DLPack, where it lies.
    #[pyfunction]
    fn total(x: &Bound<'_, PyAny>) -> PyResult<f64> {
        let tensor = capsule::take(x)?;
        let x: View2<f64> =
            tensor.view().map_err(|err| PyValueError::new_err(err.to_string()))?;
        x.sum().map_err(refused)
    }

    /// A matrix of `i * 10 + j`, transposed, for any library that knows DLPack.
    #[pyfunction]
    fn numbers(rows: usize, columns: usize) -> Given {
        let a = Array2::from_fn([rows, columns], |[i, j]| (i * 10 + j) as f64);
        Given(Some(a.reversed_axes().into()))
    }
}
