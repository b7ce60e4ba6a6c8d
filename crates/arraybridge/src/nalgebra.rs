//! Matrices of nalgebra: views whose columns lie side by side go both ways, and owned matrices that
//! lie column after column change hands.
//!
//! A row-major array is handed over as its transpose, `a.t()`. Elements of a column that lie apart
//! are refused although nalgebra has types for them, because safe functions of its version 0.35
//! read and write beyond such columns ([its issue
//! 1616](https://github.com/dimforge/nalgebra/issues/1616)).
//!
//! ```
//! use arraybridge::{IntoArray, IntoView, nalgebra::{AsNalgebra, IntoNalgebra}};
//! use elementwise::{Array2, Expr, array};
//!
//! let a = array![[4.0, 1.0], [1.0, 3.0]];
//! let inverse = a.t().as_nalgebra()?.transpose().try_inverse().expect("it is regular");
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

/// Arrays and views as nalgebra has them.
pub trait AsNalgebra {
    /// nalgebra's type.
    type Nalgebra;

    /// The same elements where they lie, as a matrix or a vector of nalgebra; for writing, from a
    /// mutable view.
    ///
    /// # Errors
    /// [`ColumnStride`](BridgeError::ColumnStride) if the elements of a column do not lie side by
    /// side; [`NegativeStride`](BridgeError::NegativeStride) if the columns go backwards: nalgebra
    /// does not.
    ///
    /// ```
    /// use arraybridge::{BridgeError, nalgebra::AsNalgebra};
    /// let a = elementwise::array![[1, 2, 3], [4, 5, 6]];
    /// assert_eq!(a.t().as_nalgebra()?, nalgebra::DMatrix::from_row_slice(3, 2, &[1, 4, 2, 5, 3, 6]));
    /// assert_eq!(a.as_nalgebra().unwrap_err(), BridgeError::ColumnStride { stride: 3 });
    /// let backwards = a.t().flip(1)?.as_nalgebra().unwrap_err();
    /// assert_eq!(
    ///     backwards.to_string(),
    ///     "axis 1 has a stride of -3; nalgebra has no negative ones"
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    // What is borrowed is a reference or a view already.
    #[allow(clippy::wrong_self_convention)]
    fn as_nalgebra(self) -> Result<Self::Nalgebra, BridgeError>;
}

/// From row to row is 1, unless there is but one row.
fn down(rows: usize, stride: isize) -> Result<U1, BridgeError> {
    if rows <= 1 || stride == 1 { Ok(U1) } else { Err(BridgeError::ColumnStride { stride }) }
}

/// From column to column, as nalgebra has it.
fn right([rows, columns]: [usize; 2], stride: isize) -> Result<Dyn, BridgeError> {
    match usize::try_from(stride) {
        // Nothing moves along it.
        _ if columns <= 1 => Ok(Dyn(rows)),
        Ok(stride) => Ok(Dyn(stride)),
        Err(_) => Err(BridgeError::NegativeStride { axis: 1, stride, what: "nalgebra" }),
    }
}

impl<'a, T: Element + Scalar> AsNalgebra for View2<'a, T> {
    type Nalgebra = DMatrixView<'a, T>;

    fn as_nalgebra(self) -> Result<DMatrixView<'a, T>, BridgeError> {
        let [rows, columns] = self.dim();
        let down = down(rows, self.strides()[0])?;
        let right = right([rows, columns], self.strides()[1])?;
        let (first, shape) = (self.as_ptr(), (Dyn(rows), Dyn(columns)));
        // SAFETY: the elements that these strides reach are those of the view, which lie in one
        // allocation (I1) and are readable for 'a (I2).
        let storage = unsafe { ViewStorage::from_raw_parts(first, shape, (down, right)) };
        Ok(Matrix::from_data(storage))
    }
}

impl<'a, T: Element + Scalar> AsNalgebra for ViewMut2<'a, T> {
    type Nalgebra = DMatrixViewMut<'a, T>;

    fn as_nalgebra(mut self) -> Result<DMatrixViewMut<'a, T>, BridgeError> {
        let [rows, columns] = self.dim();
        let down = down(rows, self.strides()[0])?;
        let right = right([rows, columns], self.strides()[1])?;
        let (first, shape) = (self.as_mut_ptr(), (Dyn(rows), Dyn(columns)));
        // SAFETY: as above; this view is given up, and reaches no element twice (I3).
        let storage = unsafe { ViewStorageMut::from_raw_parts(first, shape, (down, right)) };
        Ok(Matrix::from_data(storage))
    }
}

impl<'a, T: Element + Scalar> AsNalgebra for View1<'a, T> {
    type Nalgebra = DVectorView<'a, T>;

    fn as_nalgebra(self) -> Result<DVectorView<'a, T>, BridgeError> {
        let (len, stride) = (self.len(), self.strides()[0]);
        let slice = self.as_slice().ok_or(BridgeError::ColumnStride { stride })?;
        Ok(DVectorView::from_slice(slice, len))
    }
}

impl<'a, T: Element + Scalar> AsNalgebra for ViewMut1<'a, T> {
    type Nalgebra = DVectorViewMut<'a, T>;

    fn as_nalgebra(self) -> Result<DVectorViewMut<'a, T>, BridgeError> {
        let (len, stride) = (self.len(), self.strides()[0]);
        let slice = self.into_slice().ok_or(BridgeError::ColumnStride { stride })?;
        Ok(DVectorViewMut::from_slice(slice, len))
    }
}

impl<'a, T: Element + Scalar> AsNalgebra for &'a Array2<T> {
    type Nalgebra = DMatrixView<'a, T>;

    fn as_nalgebra(self) -> Result<DMatrixView<'a, T>, BridgeError> {
        self.view().as_nalgebra()
    }
}

impl<'a, T: Element + Scalar> AsNalgebra for &'a Array1<T> {
    type Nalgebra = DVectorView<'a, T>;

    fn as_nalgebra(self) -> Result<Self::Nalgebra, BridgeError> {
        self.view().as_nalgebra()
    }
}

/// What nalgebra lets safe code make lies in memory, and a mutable matrix reaches nothing twice.
const SAME_RULES: &str = "a matrix of nalgebra lies in memory, for writing each element once";

/// A stride as an array has it. One that fits no `isize` belongs to an axis along which nothing
/// moves.
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
    /// If unsafe code made it with strides that reach elements twice, or in a way that is not
    /// plain.
    fn into_view(mut self) -> ViewMut2<'a, T> {
        let ((rows, columns), (down, right)) = (self.shape(), self.strides());
        let (first, strides) = (self.as_mut_ptr(), [signed(down), signed(right)]);
        // SAFETY: a mutable view of nalgebra reaches what nobody else reaches for 'a, and is given
        // up.
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
    /// that lies so hands over its memory; of any other one the elements are copied into that
    /// order.
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
