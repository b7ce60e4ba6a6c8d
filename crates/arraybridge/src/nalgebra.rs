//! Matrices of nalgebra: views go both ways with their strides, and owned matrices that lie column
//! after column change hands.
//!
//! ```
//! use arraybridge::{IntoArray, IntoView, nalgebra::{AsNalgebra, IntoNalgebra}};
//! use elementwise::{Array2, Expr, array};
//!
//! let a = array![[4.0, 1.0], [1.0, 3.0]];
//! let inverse = a.view().as_nalgebra()?.try_inverse().expect("it is regular");
//! let both = ((&inverse).into_view() * 11.0).eval()?;
//! assert!((both - array![[3.0, -1.0], [-1.0, 4.0]]).abs().eval()?.iter().all(|x| *x < 1e-12));
//! assert_eq!(a.clone().into_nalgebra().into_array(), a);
//! # use elementwise::UnaryMethods;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::{BridgeError, IntoArray, IntoView};
use elementwise::{Array1, Array2, View1, View2, ViewMut1, ViewMut2};
use nalgebra::{DMatrix, DMatrixView, DMatrixViewMut, DVector, DVectorView, DVectorViewMut};
use nalgebra::{Dim, Dyn, Matrix, MatrixView, MatrixViewMut, Scalar, U1};
use nalgebra::{VecStorage, ViewStorage, ViewStorageMut};
use ndcore::{Element, ShapeBuilder};

/// A view as nalgebra has it, with strides of its own.
pub type Strided<'a, T> = DMatrixView<'a, T, Dyn, Dyn>;
/// The same for writing.
pub type StridedMut<'a, T> = DMatrixViewMut<'a, T, Dyn, Dyn>;

/// Arrays and views as nalgebra has them.
pub trait AsNalgebra {
    /// nalgebra's type.
    type Nalgebra;

    /// The same elements where they lie, as a matrix or a vector of nalgebra; for writing, from a
    /// mutable view.
    ///
    /// # Errors
    /// [`NegativeStride`](BridgeError::NegativeStride): nalgebra has none.
    ///
    /// ```
    /// use arraybridge::nalgebra::AsNalgebra;
    /// let a = elementwise::array![[1, 2, 3], [4, 5, 6]];
    /// assert_eq!(a.view().as_nalgebra()?, nalgebra::dmatrix![1, 2, 3; 4, 5, 6]);
    /// let backwards = a.view().flip(1)?.as_nalgebra().unwrap_err();
    /// assert_eq!(
    ///     backwards.to_string(),
    ///     "axis 1 has a stride of -1; nalgebra has no negative ones"
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    // What is borrowed is a reference or a view already.
    #[allow(clippy::wrong_self_convention)]
    fn as_nalgebra(self) -> Result<Self::Nalgebra, BridgeError>;
}

/// Strides as nalgebra has them; those of axes along which nothing moves do not count.
fn strides<const N: usize>(shape: [usize; N], strides: &[isize]) -> Result<[Dyn; N], BridgeError> {
    let mut checked = [Dyn(0); N];
    for (axis, (extent, stride)) in shape.into_iter().zip(strides).enumerate() {
        checked[axis] = match usize::try_from(*stride) {
            Ok(stride) => Dyn(stride),
            Err(_) if extent <= 1 => Dyn(0),
            Err(_) => {
                return Err(BridgeError::NegativeStride {
                    axis,
                    stride: *stride,
                    what: "nalgebra",
                });
            }
        };
    }
    Ok(checked)
}

impl<'a, T: Element + Scalar> AsNalgebra for View2<'a, T> {
    type Nalgebra = Strided<'a, T>;

    fn as_nalgebra(self) -> Result<Strided<'a, T>, BridgeError> {
        let [rows, columns] = self.dim();
        let [down, right] = strides([rows, columns], self.strides())?;
        let shape = (Dyn(rows), Dyn(columns));
        // SAFETY: the elements that these strides reach are those of the view, which lie in one
        // allocation (I1) and are readable for 'a (I2).
        let storage = unsafe { ViewStorage::from_raw_parts(self.as_ptr(), shape, (down, right)) };
        Ok(Matrix::from_data(storage))
    }
}

impl<'a, T: Element + Scalar> AsNalgebra for ViewMut2<'a, T> {
    type Nalgebra = StridedMut<'a, T>;

    fn as_nalgebra(mut self) -> Result<StridedMut<'a, T>, BridgeError> {
        let [rows, columns] = self.dim();
        let strides = strides([rows, columns], self.strides())?.into();
        let (first, shape) = (self.as_mut_ptr(), (Dyn(rows), Dyn(columns)));
        // SAFETY: as above; this view is given up, and reaches no element twice (I3).
        let storage = unsafe { ViewStorageMut::from_raw_parts(first, shape, strides) };
        Ok(Matrix::from_data(storage))
    }
}

impl<'a, T: Element + Scalar> AsNalgebra for View1<'a, T> {
    type Nalgebra = DVectorView<'a, T, Dyn, Dyn>;

    fn as_nalgebra(self) -> Result<Self::Nalgebra, BridgeError> {
        let [stride] = strides([self.len()], self.strides())?;
        let shape = (Dyn(self.len()), U1);
        // SAFETY: as for matrices.
        let storage =
            unsafe { ViewStorage::from_raw_parts(self.as_ptr(), shape, (stride, Dyn(0))) };
        Ok(Matrix::from_data(storage))
    }
}

impl<'a, T: Element + Scalar> AsNalgebra for ViewMut1<'a, T> {
    type Nalgebra = DVectorViewMut<'a, T, Dyn, Dyn>;

    fn as_nalgebra(mut self) -> Result<Self::Nalgebra, BridgeError> {
        let [stride] = strides([self.len()], self.strides())?;
        let (first, shape) = (self.as_mut_ptr(), (Dyn(self.len()), U1));
        // SAFETY: as for matrices.
        let storage = unsafe { ViewStorageMut::from_raw_parts(first, shape, (stride, Dyn(0))) };
        Ok(Matrix::from_data(storage))
    }
}

impl<'a, T: Element + Scalar> AsNalgebra for &'a Array2<T> {
    type Nalgebra = Strided<'a, T>;

    fn as_nalgebra(self) -> Result<Strided<'a, T>, BridgeError> {
        self.view().as_nalgebra()
    }
}

impl<'a, T: Element + Scalar> AsNalgebra for &'a Array1<T> {
    type Nalgebra = DVectorView<'a, T, Dyn, Dyn>;

    fn as_nalgebra(self) -> Result<Self::Nalgebra, BridgeError> {
        self.view().as_nalgebra()
    }
}

/// What nalgebra lets safe code make lies in memory, and a mutable matrix reaches nothing twice.
const SAME_RULES: &str = "a matrix of nalgebra lies in memory, for writing each element once";

/// A stride as an array has it. One that fits no `isize` belongs to an axis along which nothing moves.
fn signed(stride: usize) -> isize {
    isize::try_from(stride).unwrap_or(0)
}

/// Of matrices of static size too: `matrix.fixed_view::<2, 3>(0, 0).into_view()`.
impl<'a, T, R, C, RS, CS> IntoView for MatrixView<'a, T, R, C, RS, CS>
where
    T: Element + Scalar,
    R: Dim,
    C: Dim,
    RS: Dim,
    CS: Dim,
{
    type View = View2<'a, T>;

    fn into_view(self) -> View2<'a, T> {
        let ((rows, columns), (down, right)) = (self.shape(), self.strides());
        let strides = [signed(down), signed(right)];
        // SAFETY: a view of nalgebra reaches what can be read for 'a.
        unsafe { View2::from_raw(self.as_ptr(), [rows, columns], &strides) }.expect(SAME_RULES)
    }
}

impl<'a, T, R, C, RS, CS> IntoView for MatrixViewMut<'a, T, R, C, RS, CS>
where
    T: Element + Scalar,
    R: Dim,
    C: Dim,
    RS: Dim,
    CS: Dim,
{
    type View = ViewMut2<'a, T>;

    /// # Panics
    /// If unsafe code made it with strides that reach elements twice, or in a way that is not plain.
    fn into_view(mut self) -> ViewMut2<'a, T> {
        let ((rows, columns), (down, right)) = (self.shape(), self.strides());
        let (first, strides) = (self.as_mut_ptr(), [signed(down), signed(right)]);
        // SAFETY: a mutable view of nalgebra reaches what nobody else reaches for 'a, and is given up.
        unsafe { ViewMut2::from_raw(first, [rows, columns], &strides) }.expect(SAME_RULES)
    }
}

impl<'a, T: Element + Scalar> IntoView for &'a DMatrix<T> {
    type View = View2<'a, T>;

    fn into_view(self) -> View2<'a, T> {
        View2::from_slice([self.nrows(), self.ncols()].f(), self.as_slice()).expect(SAME_RULES)
    }
}

impl<'a, T: Element + Scalar> IntoView for &'a DVector<T> {
    type View = View1<'a, T>;

    fn into_view(self) -> View1<'a, T> {
        View1::from(self.as_slice())
    }
}

impl<T: Element + Scalar> IntoArray for DMatrix<T> {
    type Array = Array2<T>;

    /// The memory is handed over: the array lies column after column.
    fn into_array(self) -> Array2<T> {
        let (rows, columns) = self.shape();
        Array2::from_shape_vec([rows, columns].f(), self.data.into()).expect(SAME_RULES)
    }
}

impl<T: Element + Scalar> IntoArray for DVector<T> {
    type Array = Array1<T>;

    /// The memory is handed over.
    fn into_array(self) -> Array1<T> {
        Array1::from_vec(self.data.into())
    }
}

/// Owned arrays as nalgebra has them.
pub trait IntoNalgebra {
    /// nalgebra's type.
    type Nalgebra;

    /// The same elements as an owned matrix, which lies column after column, or vector. An array
    /// that lies so hands over its memory; of any other one the elements are copied into that order.
    ///
    /// # Panics
    /// If the copy does not fit in memory.
    fn into_nalgebra(self) -> Self::Nalgebra;
}

impl<T: Element + Scalar> IntoNalgebra for Array2<T> {
    type Nalgebra = DMatrix<T>;

    fn into_nalgebra(self) -> DMatrix<T> {
        let [rows, columns] = self.dim();
        let data = self.reversed_axes().into_vec();
        DMatrix::from_data(VecStorage::new(Dyn(rows), Dyn(columns), data))
    }
}

impl<T: Element + Scalar> IntoNalgebra for Array1<T> {
    type Nalgebra = DVector<T>;

    fn into_nalgebra(self) -> DVector<T> {
        let len = self.len();
        DVector::from_data(VecStorage::new(Dyn(len), U1, self.into_vec()))
    }
}
