//! Matrices and columns of faer: views go both ways with their strides, negative ones and those of
//! 0 too.
//!
//! faer's own matrices have memory of their own kind, so owned ones are viewed, or copied by
//! `to_owned` on either side.
//!
//! ```
//! use arraybridge::{IntoView, faer::AsFaer};
//! use elementwise::array;
//! use faer::linalg::solvers::Solve;
//!
//! let a = array![[2.0, 1.0], [1.0, 3.0]];
//! let b = array![[3.0], [5.0]];
//! let x = a.as_faer().partial_piv_lu().solve(b.as_faer());
//! let x = x.as_ref().into_view();                   // no copy: what faer computed, with operators
//! assert!((x - array![[0.8], [1.4]]).abs().eval()?.iter().all(|error| *error < 1e-12));
//! # use elementwise::{Expr, UnaryMethods};
//! # Ok::<(), elementwise::Error>(())
//! ```

use crate::IntoView;
use elementwise::{Array1, Array2, View1, View2, ViewMut1, ViewMut2};
use faer::{Col, ColMut, ColRef, Mat, MatMut, MatRef};
use ndcore::Element;

/// Arrays and views as faer has them.
pub trait AsFaer {
    /// faer's type.
    type Faer;

    /// The same elements where they lie, as a matrix or a column of faer; for writing, from a
    /// mutable view.
    ///
    /// ```
    /// use arraybridge::faer::AsFaer;
    /// use elementwise::{Array2, array};
    /// let mut a = array![[1.0, 2.0], [3.0, 4.0]];
    /// assert_eq!(a.view().flip(1)?.as_faer(), faer::mat![[2.0, 1.0], [4.0, 3.0]]);
    /// a.view_mut().as_faer().row_mut(0).fill(7.0);
    /// assert_eq!(a, array![[7.0, 7.0], [3.0, 4.0]]);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    // What is borrowed is a reference or a view already.
    #[allow(clippy::wrong_self_convention)]
    fn as_faer(self) -> Self::Faer;
}

/// From row to row, and from column to column.
fn strides<T: Element>(view: &View2<'_, T>) -> (isize, isize) {
    (view.strides()[0], view.strides()[1])
}

impl<'a, T: Element> AsFaer for View2<'a, T> {
    type Faer = MatRef<'a, T>;

    fn as_faer(self) -> MatRef<'a, T> {
        let ([rows, columns], (down, right)) = (self.dim(), strides(&self));
        // SAFETY: the elements that these strides reach are those of the view, which lie in one
        // allocation (I1) and are readable for 'a (I2); `as_ptr` is aligned and not null.
        unsafe { MatRef::from_raw_parts(self.as_ptr(), rows, columns, down, right) }
    }
}

impl<'a, T: Element> AsFaer for ViewMut2<'a, T> {
    type Faer = MatMut<'a, T>;

    fn as_faer(mut self) -> MatMut<'a, T> {
        let ([rows, columns], (down, right)) = (self.dim(), strides(&self.view()));
        // SAFETY: as above; this view is given up, and reaches no element twice (I3).
        unsafe { MatMut::from_raw_parts_mut(self.as_mut_ptr(), rows, columns, down, right) }
    }
}

impl<'a, T: Element> AsFaer for View1<'a, T> {
    type Faer = ColRef<'a, T>;

    fn as_faer(self) -> ColRef<'a, T> {
        // SAFETY: as for matrices.
        unsafe { ColRef::from_raw_parts(self.as_ptr(), self.len(), self.strides()[0]) }
    }
}

impl<'a, T: Element> AsFaer for ViewMut1<'a, T> {
    type Faer = ColMut<'a, T>;

    fn as_faer(mut self) -> ColMut<'a, T> {
        let (len, stride) = (self.len(), self.strides()[0]);
        // SAFETY: as for matrices; this view is given up.
        unsafe { ColMut::from_raw_parts_mut(self.as_mut_ptr(), len, stride) }
    }
}

impl<'a, T: Element> AsFaer for &'a Array2<T> {
    type Faer = MatRef<'a, T>;

    fn as_faer(self) -> MatRef<'a, T> {
        self.view().as_faer()
    }
}

impl<'a, T: Element> AsFaer for &'a Array1<T> {
    type Faer = ColRef<'a, T>;

    fn as_faer(self) -> ColRef<'a, T> {
        self.view().as_faer()
    }
}

/// What faer lets safe code make lies in memory, and a mutable matrix reaches nothing twice.
const SAME_RULES: &str = "a matrix of faer lies in memory, for writing each element once";

impl<'a, T: Element> IntoView for MatRef<'a, T> {
    type View = View2<'a, T>;

    fn into_view(self) -> View2<'a, T> {
        let (shape, strides) =
            ([self.nrows(), self.ncols()], [self.row_stride(), self.col_stride()]);
        // SAFETY: a matrix reaches what can be read for 'a.
        unsafe { View2::from_raw(self.as_ptr(), shape, &strides) }.expect(SAME_RULES)
    }
}

impl<'a, T: Element> IntoView for MatMut<'a, T> {
    type View = ViewMut2<'a, T>;

    /// # Panics
    /// If unsafe code made it with strides that reach elements twice, or in a way that is not
    /// plain.
    fn into_view(self) -> ViewMut2<'a, T> {
        let (shape, strides) =
            ([self.nrows(), self.ncols()], [self.row_stride(), self.col_stride()]);
        // SAFETY: a mutable matrix reaches what nobody else reaches for 'a, and is given up.
        unsafe { ViewMut2::from_raw(self.as_ptr_mut(), shape, &strides) }.expect(SAME_RULES)
    }
}

impl<'a, T: Element> IntoView for ColRef<'a, T> {
    type View = View1<'a, T>;

    fn into_view(self) -> View1<'a, T> {
        // SAFETY: as for matrices.
        unsafe { View1::from_raw(self.as_ptr(), [self.nrows()], &[self.row_stride()]) }
            .expect(SAME_RULES)
    }
}

impl<'a, T: Element> IntoView for ColMut<'a, T> {
    type View = ViewMut1<'a, T>;

    fn into_view(self) -> ViewMut1<'a, T> {
        let (shape, stride) = ([self.nrows()], [self.row_stride()]);
        // SAFETY: as for matrices.
        unsafe { ViewMut1::from_raw(self.as_ptr_mut(), shape, &stride) }.expect(SAME_RULES)
    }
}

impl<'a, T: Element> IntoView for &'a Mat<T> {
    type View = View2<'a, T>;

    fn into_view(self) -> View2<'a, T> {
        self.as_ref().into_view()
    }
}

impl<'a, T: Element> IntoView for &'a Col<T> {
    type View = View1<'a, T>;

    fn into_view(self) -> View1<'a, T> {
        self.as_ref().into_view()
    }
}
