//! Methods that change what an array is of its memory, where it lies: another order of the axes,
//! or a part. They move no element. Written once for all that has elements, as in `methods.rs`.

use crate::array::Array;
use crate::axis::{IntoAxes, IntoAxis};
use crate::dimension::{Dimension, Dyn};
use crate::element::Item;
use crate::error::LayoutError;
use crate::raw::{View, ViewMut};
use crate::shared::{ArcArray, CowArray};
use crate::slice::{FitsRank, SliceElem, SliceRange, Slices};

macro_rules! relabelled {
    ([$($lt:lifetime)?] $($of:tt)*) => {
        impl<$($lt,)? T: Item, R: Dimension, E> $($of)* T, R, E> {
            /// Reverses the order along an axis, from now on; moves nothing. Of a view of the same
            /// elements, [`flip`](Self::flip).
            ///
            /// # Errors
            /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange).
            ///
            /// ```
            /// use ndcore::{array, Axis};
            /// let mut a = array![[1, 2, 3], [4, 5, 6]];
            /// a.invert_axis(Axis(1))?;
            /// assert_eq!(a, array![[3, 2, 1], [6, 5, 4]]);
            /// # Ok::<(), ndcore::LayoutError>(())
            /// ```
            pub fn invert_axis(&mut self, axis: impl IntoAxis) -> Result<(), LayoutError> {
                let layout = self.layout().flip(axis.into_axis())?;
                self.relabel(layout);
                Ok(())
            }

            /// Makes axis `axes[i]` axis `i`; moves nothing. Of a view of the same elements,
            /// [`permuted_axes`](Self::permuted_axes).
            ///
            /// # Errors
            /// [`NotAPermutation`](crate::LayoutErrorKind::NotAPermutation).
            ///
            /// ```
            /// let mut a = ndcore::Array3::full([2, 3, 4], 0);
            /// a.permute_axes([2, 0, 1])?;
            /// assert_eq!(a.shape(), [4, 2, 3]);
            /// # Ok::<(), ndcore::LayoutError>(())
            /// ```
            pub fn permute_axes(&mut self, axes: impl IntoAxes<R>) -> Result<(), LayoutError> {
                let layout = self.layout().permute(axes.into_axes()?.as_ref())?;
                self.relabel(layout);
                Ok(())
            }

            /// Reverses the order of the axes; moves nothing. Of a view of the same elements,
            /// [`t`](Self::t).
            ///
            /// ```
            /// let mut a = ndcore::array![[1, 2, 3], [4, 5, 6]];
            /// a.reverse_axes();
            /// assert_eq!(a, ndcore::array![[1, 4], [2, 5], [3, 6]]);
            /// ```
            pub fn reverse_axes(&mut self) {
                let layout = self.layout().reversed();
                self.relabel(layout);
            }

            /// Keeps the elements that [`s!`](crate::s) selects, and all axes: of one that an index
            /// is chosen of, that index alone. The others are given up, but their memory is not.
            ///
            /// # Errors
            /// See [`Layout::slice`](crate::Layout::slice);
            /// [`RankMismatch`](crate::LayoutErrorKind::RankMismatch) of
            /// [`NewAxis`](crate::NewAxis), for which there is no axis.
            ///
            /// ```
            /// use ndcore::{array, s};
            /// let mut a = array![[1, 2, 3], [4, 5, 6]];
            /// a.slice_collapse(s![1, 1..])?;
            /// assert_eq!(a, array![[5, 6]]);
            /// # Ok::<(), ndcore::LayoutError>(())
            /// ```
            pub fn slice_collapse<I: FitsRank<R>, O: Dimension, L: AsRef<[SliceElem]>>(
                &mut self,
                slices: Slices<I, O, L>,
            ) -> Result<(), LayoutError> {
                let layout = self.layout().collapse(slices.elems())?;
                self.relabel(layout);
                Ok(())
            }

            /// Keeps the elements whose index along `axis` is in `range`, every `step`-th of them.
            /// Of a view of them, [`slice_axis`](Self::slice_axis).
            ///
            /// # Errors
            /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange),
            /// [`SliceOutOfRange`](crate::LayoutErrorKind::SliceOutOfRange),
            /// [`ZeroStep`](crate::LayoutErrorKind::ZeroStep).
            ///
            /// ```
            /// use ndcore::{array, Axis};
            /// let mut a = array![1, 2, 3, 4, 5];
            /// a.slice_axis_inplace(Axis(0), 1.., 2)?;
            /// assert_eq!(a, array![2, 4]);
            /// # Ok::<(), ndcore::LayoutError>(())
            /// ```
            pub fn slice_axis_inplace(
                &mut self,
                axis: impl IntoAxis,
                range: impl SliceRange,
                step: isize,
            ) -> Result<(), LayoutError> {
                let layout = self.layout().slice_range(axis.into_axis(), range, step)?;
                self.relabel(layout);
                Ok(())
            }

            /// Keeps the elements whose index along `axis` is `index`, and the axis, whose extent
            /// is 1 then.
            ///
            /// # Errors
            /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange),
            /// [`IndexOutOfRange`](crate::LayoutErrorKind::IndexOutOfRange).
            ///
            /// ```
            /// use ndcore::{array, Axis};
            /// let mut a = array![[1, 2], [3, 4]];
            /// a.collapse_axis(Axis(0), 1)?;
            /// assert_eq!(a, array![[3, 4]]);
            /// # Ok::<(), ndcore::LayoutError>(())
            /// ```
            pub fn collapse_axis(
                &mut self,
                axis: impl IntoAxis,
                index: usize,
            ) -> Result<(), LayoutError> {
                let axis = axis.into_axis();
                // An error of the index, not of a range.
                self.layout().index(axis, index)?;
                let layout = self.layout().slice_axis(axis, index..index + 1, 1)?;
                self.relabel(layout);
                Ok(())
            }
        }

        impl<$($lt,)? T: Item, E> $($of)* T, Dyn, E> {
            /// Keeps the elements whose index along `axis` is `index`, without that axis. Where
            /// the rank is part of the type, [`index_axis_move`](Self::index_axis_move).
            ///
            /// # Errors
            /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange),
            /// [`IndexOutOfRange`](crate::LayoutErrorKind::IndexOutOfRange).
            ///
            /// ```
            /// use ndcore::{array, Axis};
            /// let mut a = array![[1, 2], [3, 4]].into_dyn();
            /// a.index_axis_inplace(Axis(1), 0)?;
            /// assert_eq!(a, array![1, 3].into_dyn());
            /// # Ok::<(), ndcore::LayoutError>(())
            /// ```
            pub fn index_axis_inplace(
                &mut self,
                axis: impl IntoAxis,
                index: usize,
            ) -> Result<(), LayoutError> {
                let layout = self.layout().index(axis.into_axis(), index)?;
                self.relabel(layout);
                Ok(())
            }

            /// Adds an axis of extent 1 before axis `axis`. Where the rank is part of the type,
            /// [`insert_axis_move`](Self::insert_axis_move).
            ///
            /// # Errors
            /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange),
            /// [`RankTooHigh`](crate::LayoutErrorKind::RankTooHigh).
            ///
            /// ```
            /// use ndcore::{array, Axis};
            /// let mut a = array![1, 2].into_dyn();
            /// a.insert_axis_inplace(Axis(1))?;
            /// assert_eq!(a.shape(), [2, 1]);
            /// # Ok::<(), ndcore::LayoutError>(())
            /// ```
            pub fn insert_axis_inplace(&mut self, axis: impl IntoAxis) -> Result<(), LayoutError> {
                let layout = self.layout().insert(axis.into_axis())?;
                self.relabel(layout);
                Ok(())
            }
        }
    };
}

relabelled!([] Array<);
relabelled!([] ArcArray<);
relabelled!(['a] CowArray<'a,);
relabelled!(['a] View<'a,);
relabelled!(['a] ViewMut<'a,);
