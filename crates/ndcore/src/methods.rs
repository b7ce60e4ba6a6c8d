//! What [`Array`], [`View`] and [`ViewMut`] have in common, written once for the three.
//!
//! Reading methods give views that live as long as `$lt`: for a `View<'a>` that is `'a` itself, for
//! the others the borrow of `self`.

use crate::array::Array;
use crate::axis::{IntoAxes, IntoAxis};
use crate::buffer::{Buffer, append_each, fill};
use crate::dimension::{Dimension, Dyn, IntoShape, Rank};
use crate::element::Item;
use crate::error::{LayoutError, LayoutErrorKind, or_panic};
use crate::index::NdIndex;
use crate::indexed::{IndexedIter, IndexedIterMut};
use crate::iter::{Iter, IterMut};
use crate::layout::Layout;
use crate::list::List;
use crate::multi::MultiSlice;
use crate::parts::{self, AxisIter, AxisIterMut, Subviews};
use crate::raw::{Memory, View, ViewMut};
use crate::shared::{ArcArray, CowArray};
use crate::slice::{FitsRank, SliceElem, SliceRange, Slices};

/// So few elements are copied one by one: of two axes at most, and of more, which have shorter
/// rows.
const FEW: usize = 64;
const FEW_OF_MORE: usize = 32;

/// How few elements of so many axes.
#[inline(always)]
const fn few_of(axes: usize) -> usize {
    if axes > 2 { FEW_OF_MORE } else { FEW }
}

macro_rules! reading {
    ($lt:lifetime) => {
        /// The extents.
        #[inline]
        pub fn shape(&self) -> &[usize] {
            self.layout().shape()
        }

        /// The extents in the rank's own type, `[usize; N]` for a typed rank.
        #[inline]
        pub fn dim(&self) -> R::Shape {
            self.layout().raw_shape()
        }

        /// The same as [`dim`](Self::dim), by the name that programs for `ndarray` have for it.
        ///
        /// ```
        /// use ndcore::Array2;
        /// let x = Array2::<f64>::zeros([2, 3]);
        /// assert_eq!(Array2::<u8>::zeros(x.raw_dim()).shape(), [2, 3]);
        /// ```
        #[inline]
        pub fn raw_dim(&self) -> R::Shape {
            self.dim()
        }

        /// The strides, in elements; negative along a reversed axis, zero along a repeated one.
        #[inline]
        pub fn strides(&self) -> &[isize] {
            self.layout().strides()
        }

        /// The number of axes.
        #[inline]
        pub fn ndim(&self) -> usize {
            self.layout().ndim()
        }

        /// The number of elements.
        #[inline]
        pub fn len(&self) -> usize {
            self.layout().size()
        }

        /// Whether there are no elements.
        #[inline]
        pub fn is_empty(&self) -> bool {
            self.shape().contains(&0)
        }

        /// Whether the elements lie side by side in row-major (C) order.
        #[inline]
        pub fn is_standard_layout(&self) -> bool {
            self.layout().is_c_contiguous()
        }

        /// The element at an index, or `None` if the index is out of range.
        ///
        /// ```
        /// let a = ndcore::array![[1, 2], [3, 4]];
        /// assert_eq!(a.get([1, 0]), Some(&3));
        /// assert_eq!(a.get([2, 0]), None);
        /// ```
        #[inline]
        pub fn get<I: NdIndex<R>>(&self, index: I) -> Option<&$lt T> {
            index.as_index(|index| self.element(index).ok())
        }

        /// The elements in logical (row-major) order.
        ///
        /// ```
        /// let a = ndcore::array![[1, 2], [3, 4]];
        /// assert_eq!(a.t().iter().copied().collect::<Vec<_>>(), [1, 3, 2, 4]);
        /// ```
        #[inline]
        pub fn iter(&self) -> Iter<$lt, T, R> {
            Iter::new(&self.view())
        }

        /// The elements with their indices, in logical (row-major) order.
        ///
        /// ```
        /// let a = ndcore::array![[1, 2], [3, 4]];
        /// let diagonal = a.indexed_iter().filter(|([i, j], _)| i == j).map(|(_, x)| *x);
        /// assert_eq!(diagonal.collect::<Vec<_>>(), [1, 4]);
        /// ```
        #[inline]
        pub fn indexed_iter(&self) -> IndexedIter<$lt, T, R> {
            IndexedIter::new(&self.view())
        }

        /// The subviews at index 0, 1, .. of an axis.
        ///
        /// # Errors
        /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange).
        ///
        /// ```
        /// let a = ndcore::array![[1, 2], [3, 4]];
        /// let columns: Vec<_> = a.axis_iter(1)?.map(|column| column.to_vec()).collect();
        /// assert_eq!(columns, [[1, 3], [2, 4]]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        #[inline]
        pub fn axis_iter(&self, axis: impl IntoAxis) -> Result<AxisIter<$lt, T, R, E>, LayoutError> {
            Ok(Subviews::new(self.elements(), self.layout().along(axis.into_axis())?))
        }

        /// The elements that [`s!`](crate::s) selects, as a view.
        ///
        /// # Errors
        /// See [`Layout::slice`].
        ///
        /// ```
        /// use ndcore::{array, s};
        /// let a = array![[1, 2, 3], [4, 5, 6]];
        /// assert_eq!(a.slice(s![.., ..;2])?, array![[1, 3], [4, 6]]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        #[inline]
        pub fn slice<I: FitsRank<R>, O: Dimension, L: AsRef<[SliceElem]>>(
            &self,
            slices: Slices<I, O, L>,
        ) -> Result<View<$lt, T, O, E>, LayoutError> {
            Ok(self.derived(self.layout().slice(&slices)?))
        }

        /// [`slice`](Self::slice) of a part that is there by construction, such as `s![1.., ..]`
        /// of a matrix that was just made: without a `?`, as an index in brackets, or
        /// [`row`](Self::row).
        ///
        /// # Panics
        /// If there is no such part; `slice` does not panic.
        ///
        /// ```
        /// use ndcore::{array, s};
        /// let a = array![[1, 2, 3], [4, 5, 6]];
        /// assert_eq!(a.part(s![.., ..;2]), array![[1, 3], [4, 6]]);
        /// assert_eq!(a.part(s![1, 1..]).to_vec(), [5, 6]);
        /// ```
        #[inline]
        #[track_caller]
        pub fn part<I: FitsRank<R>, O: Dimension, L: AsRef<[SliceElem]>>(
            &self,
            slices: Slices<I, O, L>,
        ) -> View<$lt, T, O, E> {
            self.derived(or_panic(self.layout().slice(&slices)))
        }

        /// The elements whose index along `axis` is in `range`, every `step`-th of them, as a view;
        /// a negative `step` begins at the end of the range. Bounds may be left out, and count from
        /// the end of the axis if they are negative, as in [`s!`](crate::s).
        ///
        /// # Errors
        /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange),
        /// [`SliceOutOfRange`](crate::LayoutErrorKind::SliceOutOfRange),
        /// [`ZeroStep`](crate::LayoutErrorKind::ZeroStep).
        ///
        /// ```
        /// let a = ndcore::array![1, 2, 3, 4];
        /// assert_eq!(a.slice_axis(0, 1..4, -2)?.to_vec(), [4, 2]);
        /// assert_eq!(a.slice_axis(0, ..-1, 1)?.to_vec(), [1, 2, 3]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        #[inline]
        pub fn slice_axis(
            &self,
            axis: impl IntoAxis,
            range: impl SliceRange,
            step: isize,
        ) -> Result<View<$lt, T, R, E>, LayoutError> {
            Ok(self.derived(self.layout().slice_range(axis.into_axis(), range, step)?))
        }

        /// The elements whose index along `axis` is `index`, as a view without that axis.
        ///
        /// # Errors
        /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange),
        /// [`IndexOutOfRange`](crate::LayoutErrorKind::IndexOutOfRange).
        #[inline]
        pub fn index_axis(&self, axis: impl IntoAxis, index: usize) -> Result<View<$lt, T, R::Smaller, E>, LayoutError> {
            self.view().at_index(axis.into_axis(), index)
        }

        /// The transposed view: the axes in reverse order.
        ///
        /// ```
        /// let a = ndcore::array![[1, 2, 3], [4, 5, 6]];
        /// assert_eq!((a.t().shape(), a.t().strides()), (&[3, 2][..], &[1, 3][..]));
        /// ```
        #[inline]
        pub fn t(&self) -> View<$lt, T, R, E> {
            self.derived(self.layout().reversed())
        }

        /// A view whose axis `i` is axis `axes[i]` of this array.
        ///
        /// # Errors
        /// [`NotAPermutation`](crate::LayoutErrorKind::NotAPermutation).
        ///
        /// ```
        /// let a = ndcore::Array3::full([2, 3, 4], 0);
        /// assert_eq!(a.permuted_axes([2, 0, 1])?.shape(), [4, 2, 3]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        #[inline]
        pub fn permuted_axes<S: IntoAxes<R>>(&self, axes: S) -> Result<View<$lt, T, R, E>, LayoutError> {
            Ok(self.derived(self.layout().permute(axes.into_axes()?.as_ref())?))
        }

        /// A view with two axes exchanged.
        ///
        /// # Errors
        /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange).
        #[inline]
        pub fn swap_axes(&self, a: impl IntoAxis, b: impl IntoAxis) -> Result<View<$lt, T, R, E>, LayoutError> {
            Ok(self.derived(self.layout().swap(a.into_axis(), b.into_axis())?))
        }

        /// A view with a new axis of extent 1 before axis `axis`.
        ///
        /// # Errors
        /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange),
        /// [`RankTooHigh`](crate::LayoutErrorKind::RankTooHigh).
        #[inline]
        pub fn insert_axis(&self, axis: impl IntoAxis) -> Result<View<$lt, T, R::Larger, E>, LayoutError> {
            Ok(self.derived(self.layout().insert(axis.into_axis())?))
        }

        /// A view without an axis of extent 1.
        ///
        /// # Errors
        /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange),
        /// [`AxisNotOne`](crate::LayoutErrorKind::AxisNotOne).
        #[inline]
        pub fn remove_axis(&self, axis: impl IntoAxis) -> Result<View<$lt, T, R::Smaller, E>, LayoutError> {
            Ok(self.derived(self.layout().remove(axis.into_axis())?))
        }

        /// A view with the order along an axis reversed.
        ///
        /// # Errors
        /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange).
        ///
        /// ```
        /// assert_eq!(ndcore::array![1, 2, 3].flip(0)?.to_vec(), [3, 2, 1]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        #[inline]
        pub fn flip(&self, axis: impl IntoAxis) -> Result<View<$lt, T, R, E>, LayoutError> {
            Ok(self.derived(self.layout().flip(axis.into_axis())?))
        }

        /// A view of the same elements in the same logical (row-major) order under another shape.
        ///
        /// # Errors
        /// [`ReshapeLength`](crate::LayoutErrorKind::ReshapeLength),
        /// [`ReshapeNeedsCopy`](crate::LayoutErrorKind::ReshapeNeedsCopy) if no strides express it;
        /// [`to_shape`](Self::to_shape) copies then.
        ///
        /// ```
        /// let a = ndcore::array![[1, 2, 3], [4, 5, 6]];
        /// assert_eq!(a.reshape([3, 2])?.strides(), [2, 1]);
        /// assert!(a.t().reshape(6).is_err());
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        #[inline]
        pub fn reshape<S: IntoShape>(&self, shape: S) -> Result<View<$lt, T, S::Rank, E>, LayoutError> {
            Ok(self.derived(self.layout().reshape(shape.into_shape()?)?))
        }

        /// A view with the rank known only at run time.
        #[inline]
        pub fn as_dyn(&self) -> View<$lt, T, Dyn, E> {
            self.derived(self.layout().to_dyn())
        }

        /// A view with the rank in another type.
        ///
        /// # Errors
        /// [`RankMismatch`](crate::LayoutErrorKind::RankMismatch).
        #[inline]
        pub fn as_rank<S: Dimension>(&self) -> Result<View<$lt, T, S, E>, LayoutError> {
            Ok(self.derived(self.layout().to_rank()?))
        }

        /// Clones of the elements in logical (row-major) order.
        ///
        /// # Panics
        /// If they do not fit in memory; [`try_to_vec`](Self::try_to_vec) does not panic.
        ///
        /// ```
        /// assert_eq!(ndcore::array![[1, 2], [3, 4]].t().to_vec(), [1, 3, 2, 4]);
        /// ```
        #[inline]
        #[track_caller]
        pub fn to_vec(&self) -> Vec<T> {
            // As in `to_owned`.
            if let Some(slice) = self.as_slice()
                && let Some(mut data) = Buffer::few(slice.len())
            {
                data.extend_from_slice(slice);
                return data;
            }
            or_panic(self.try_to_vec())
        }

        /// As [`to_vec`](Self::to_vec).
        ///
        /// # Errors
        /// [`AllocationFailed`](crate::LayoutErrorKind::AllocationFailed).
        ///
        /// ```
        /// // A view repeats elements for free; a copy of them all would not fit.
        /// let a = ndcore::View1::from_strided([1 << 60], &[0], 0, &[1_u64])?;
        /// assert!(a.try_to_vec().is_err());
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        pub fn try_to_vec(&self) -> Result<Vec<T>, LayoutError> {
            let mut data = Buffer::reserved(self.len(), self.shape())?;
            self.clone_to_vec(&mut data);
            Ok(data)
        }

        /// Appends clones of the elements in logical order to a list that has room for them.
        pub(crate) fn clone_to_vec(&self, data: &mut Vec<T>) {
            match self.as_slice() {
                Some(slice) => data.extend_from_slice(slice),
                // By squares and whole lines, if that is worth it.
                None if self.len() > few_of(self.ndim()) => {
                    self.elements().clone_to(self.layout(), data);
                }
                None => Iter::clone_all(&self.view(), data),
            }
        }

        /// An array of what a closure makes of each element, in row-major order; serially, in
        /// logical order. For values that own memory, and results that do: expressions, which are
        /// of plain values, have `map`.
        ///
        /// # Panics
        /// If the array does not fit in memory, or `f` panics.
        ///
        /// ```
        /// use ndcore::array;
        /// let names = array![["Ann".to_string(), "Bo".to_string()]];
        /// assert_eq!(names.map_ref(|name| name.len()), array![[3, 2]]);
        /// assert_eq!(array![1, 20].map_ref(|x| x.to_string()).to_vec(), ["1", "20"]);
        /// ```
        #[track_caller]
        pub fn map_ref<U: Item>(&self, f: impl FnMut(&$lt T) -> U) -> Array<U, R, E> {
            let layout = or_panic(Layout::c_order(self.dim()));
            let mut data = or_panic(Buffer::reserved(self.len(), self.shape()));
            let mut f = f;
            match self.as_slice() {
                Some(all) => append_each(&mut data, all.len(), |place| f(&all[place])),
                None => self.iter().for_each(|element| data.push(f(element))),
            }
            or_panic(Array::from_shape_vec_raw(layout, data))
        }

        /// What a closure makes of each lane along an axis, serially, in logical order. For values
        /// that own memory, and results that do: of plain values, `map_axis` does the same in
        /// parallel.
        ///
        /// # Errors
        /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange);
        /// [`AllocationFailed`](crate::LayoutErrorKind::AllocationFailed).
        ///
        /// ```
        /// use ndcore::array;
        /// let words = array![["a", "b"], ["c", "d"]].map_ref(|text| text.to_string());
        /// let lines = words.map_axis_ref(1, |lane| lane.to_vec().concat())?;
        /// assert_eq!(lines, array!["ab", "cd"]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        pub fn map_axis_ref<U: Item>(
            &self,
            axis: impl IntoAxis,
            f: impl FnMut(View<$lt, T, Rank<1>, E>) -> U,
        ) -> Result<Array<U, R::Smaller, E>, LayoutError> {
            let split = self.layout().lanes_along(axis.into_axis())?;
            let layout = Layout::c_order(split.0.raw_shape())?;
            let mut data = Buffer::reserved(layout.size(), layout.shape())?;
            Subviews::new(self.elements(), split).map_to(&mut data, f);
            Array::from_shape_vec_raw(layout, data)
        }

        /// Clones of the elements at these indices along an axis, in row-major order; an index may
        /// be there several times. Serially, of any [`Item`]: of plain values, `take` does the same
        /// in parallel.
        ///
        /// # Errors
        /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange),
        /// [`IndexOutOfRange`](crate::LayoutErrorKind::IndexOutOfRange),
        /// [`SizeOverflow`](crate::LayoutErrorKind::SizeOverflow),
        /// [`AllocationFailed`](crate::LayoutErrorKind::AllocationFailed).
        ///
        /// ```
        /// use ndcore::array;
        /// let words = array![["a", "b"], ["c", "d"]].map_ref(|text| text.to_string());
        /// assert_eq!(words.take_cloned(0, &[1, 1])?, array![["c", "d"], ["c", "d"]]);
        /// assert_eq!(words.take_cloned(1, &[1, 0])?, array![["b", "a"], ["d", "c"]]);
        /// assert!(words.take_cloned(1, &[2]).is_err());
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        pub fn take_cloned(
            &self,
            axis: impl IntoAxis,
            indices: &[usize],
        ) -> Result<Array<T, R, E>, LayoutError> {
            let axis = axis.into_axis();
            self.layout().along(axis)?;
            // Before there is a list of them.
            for &index in indices {
                self.layout().index(axis, index)?;
            }
            let mut pieces = Vec::new();
            if pieces.try_reserve_exact(indices.len().max(1)).is_err() {
                return Err(LayoutErrorKind::NoMemory.into());
            }
            for &index in indices {
                pieces.push(self.index_axis(axis, index)?.as_dyn().insert_axis(axis)?);
            }
            if pieces.is_empty() {
                pieces.push(self.as_dyn().slice_axis(axis, 0..0, 1)?);
            }
            Array::<T, Dyn, E>::concat(axis, &pieces)?.into_rank()
        }

        /// An array of clones of the elements, in row-major order.
        ///
        /// # Panics
        /// If it does not fit in memory; [`try_to_owned`](Self::try_to_owned) does not panic.
        ///
        /// ```
        /// let a = ndcore::array![[1, 2], [3, 4]];
        /// assert_eq!(a.t().to_owned().strides(), [2, 1]);
        /// ```
        #[track_caller]
        #[inline]
        pub fn to_owned(&self) -> Array<T, R, E> {
            // A few that are one stretch, as part of the caller: so the view need not lie in
            // memory, nor the array.
            if let Some(slice) = self.as_slice()
                && let Some(mut data) = Buffer::few(slice.len())
                && let Ok(layout) = Layout::c_order(self.dim())
            {
                data.extend_from_slice(slice);
                return Array::from_parts(Buffer::from_vec(data), layout);
            }
            // And so a short column.
            if const { matches!(R::NDIM, Some(1)) }
                && self.len() <= FEW
                && let Some(mut data) = Buffer::few(self.len())
                && let Ok(layout) = Layout::c_order(self.dim())
            {
                let mut each = self.iter();
                append_each(&mut data, self.len(), |_| each.next().expect("as many").clone());
                return Array::from_parts(Buffer::from_vec(data), layout);
            }
            or_panic(self.try_to_owned())
        }

        /// As [`to_owned`](Self::to_owned).
        ///
        /// # Errors
        /// [`AllocationFailed`](crate::LayoutErrorKind::AllocationFailed).
        pub fn try_to_owned(&self) -> Result<Array<T, R, E>, LayoutError> {
            let mut data = Buffer::reserved(self.len(), self.shape())?;
            self.clone_to_vec(&mut data);
            Array::from_flat(Layout::c_order(self.dim())?, data)
        }
    };
}

macro_rules! writing {
    () => {
        /// The elements for writing, in logical (row-major) order.
        ///
        /// ```
        /// let mut a = ndcore::array![[1, 2], [3, 4]];
        /// a.iter_mut().for_each(|x| *x *= 10);
        /// assert_eq!(a.to_vec(), [10, 20, 30, 40]);
        /// ```
        #[inline]
        pub fn iter_mut(&mut self) -> IterMut<'_, T, R> {
            IterMut::new(self.view_mut())
        }

        /// The elements with their indices for writing, in logical (row-major) order.
        ///
        /// ```
        /// let mut a = ndcore::array![[1, 2], [3, 4]];
        /// a.indexed_iter_mut().for_each(|([i, j], x)| if i != j { *x = 0 });
        /// assert_eq!(a.to_vec(), [1, 0, 0, 4]);
        /// ```
        #[inline]
        pub fn indexed_iter_mut(&mut self) -> IndexedIterMut<'_, T, R> {
            IndexedIterMut::new(self.view_mut())
        }

        /// The subviews at index 0, 1, .. of an axis, for writing.
        ///
        /// # Errors
        /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange).
        ///
        /// ```
        /// let mut a = ndcore::array![[1, 2], [3, 4]];
        /// for (j, mut column) in a.axis_iter_mut(1)?.enumerate() {
        ///     column.fill(j);
        /// }
        /// assert_eq!(a.to_vec(), [0, 1, 0, 1]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        #[inline]
        pub fn axis_iter_mut(
            &mut self,
            axis: impl IntoAxis,
        ) -> Result<AxisIterMut<'_, T, R, E>, LayoutError> {
            parts::along_mut(self.view_mut(), axis.into_axis())
        }

        /// The elements that [`s!`](crate::s) selects, for writing.
        ///
        /// # Errors
        /// See [`Layout::slice`].
        ///
        /// ```
        /// use ndcore::{array, s};
        /// let mut a = array![1, 2, 3, 4];
        /// a.slice_mut(s![..;2])?.fill(0);
        /// assert_eq!(a.to_vec(), [0, 2, 0, 4]);
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        #[inline]
        pub fn slice_mut<I: FitsRank<R>, O: Dimension, L: AsRef<[SliceElem]>>(
            &mut self,
            slices: Slices<I, O, L>,
        ) -> Result<ViewMut<'_, T, O, E>, LayoutError> {
            self.unshare();
            let layout = self.layout().slice(&slices)?;
            Ok(self.derived_mut(layout))
        }

        /// [`slice_mut`](Self::slice_mut) of a part that is there by construction, without a `?`:
        /// see `part`.
        ///
        /// # Panics
        /// If there is no such part; `slice_mut` does not panic.
        ///
        /// ```
        /// use ndcore::{array, s};
        /// let mut a = array![1, 2, 3, 4];
        /// a.part_mut(s![..;2]).fill(0);
        /// assert_eq!(a.to_vec(), [0, 2, 0, 4]);
        /// ```
        #[inline]
        #[track_caller]
        pub fn part_mut<I: FitsRank<R>, O: Dimension, L: AsRef<[SliceElem]>>(
            &mut self,
            slices: Slices<I, O, L>,
        ) -> ViewMut<'_, T, O, E> {
            self.unshare();
            let layout = or_panic(self.layout().slice(&slices));
            self.derived_mut(layout)
        }

        /// Several slices for writing at once: a tuple of two to six of them,
        /// `multi_slice_mut((s![..], s![..]))`, or an array, if they are alike.
        ///
        /// # Errors
        /// See [`Layout::slice`]; [`Overlap`](crate::LayoutErrorKind::Overlap) if two slices have
        /// an element in common.
        ///
        /// ```
        /// use ndcore::{array, s};
        /// let mut a = array![1, 2, 3, 4, 5, 6];
        /// let (mut even, odd) = a.multi_slice_mut((s![..;2], s![1..;2]))?;
        /// even.iter_mut().zip(&odd).for_each(|(x, y)| *x += y);
        /// assert_eq!(a.to_vec(), [3, 2, 7, 4, 11, 6]);
        /// let [first, last] = a.multi_slice_mut([s![..2], s![-2..]])?;
        /// assert_eq!((first.to_vec(), last.to_vec()), (vec![3, 2], vec![11, 6]));
        /// assert!(a.multi_slice_mut((s![..4], s![3..])).is_err());
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        pub fn multi_slice_mut<'s, M: MultiSlice<'s, T, R, E>>(
            &'s mut self,
            slices: M,
        ) -> Result<M::Output, LayoutError> {
            slices.slice_all(self.view_mut())
        }

        /// The elements whose index along `axis` is `index`, for writing, without that axis.
        ///
        /// # Errors
        /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange),
        /// [`IndexOutOfRange`](crate::LayoutErrorKind::IndexOutOfRange).
        #[inline]
        pub fn index_axis_mut(
            &mut self,
            axis: impl IntoAxis,
            index: usize,
        ) -> Result<ViewMut<'_, T, R::Smaller, E>, LayoutError> {
            self.view_mut().at_index(axis.into_axis(), index)
        }

        /// The transposed view for writing: the axes in reverse order.
        #[inline]
        pub fn t_mut(&mut self) -> ViewMut<'_, T, R, E> {
            self.unshare();
            let layout = self.layout().reversed();
            self.derived_mut(layout)
        }

        /// A view for writing with the order along an axis reversed.
        ///
        /// # Errors
        /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange).
        #[inline]
        pub fn flip_mut(
            &mut self,
            axis: impl IntoAxis,
        ) -> Result<ViewMut<'_, T, R, E>, LayoutError> {
            self.unshare();
            let layout = self.layout().flip(axis.into_axis())?;
            Ok(self.derived_mut(layout))
        }

        /// A view for writing whose axis `i` is axis `axes[i]` of this array.
        ///
        /// # Errors
        /// [`NotAPermutation`](crate::LayoutErrorKind::NotAPermutation).
        #[inline]
        pub fn permuted_axes_mut<S: IntoAxes<R>>(
            &mut self,
            axes: S,
        ) -> Result<ViewMut<'_, T, R, E>, LayoutError> {
            self.unshare();
            let layout = self.layout().permute(axes.into_axes()?.as_ref())?;
            Ok(self.derived_mut(layout))
        }

        /// A view for writing with the rank known only at run time.
        #[inline]
        pub fn as_dyn_mut(&mut self) -> ViewMut<'_, T, Dyn, E> {
            self.unshare();
            let layout = self.layout().to_dyn();
            self.derived_mut(layout)
        }

        /// Overwrites the elements with clones of those of an array of the same shape, serially. Of
        /// plain values, `assign` does the same in parallel.
        ///
        /// # Errors
        /// [`SourceShape`](crate::LayoutErrorKind::SourceShape).
        ///
        /// ```
        /// use ndcore::{array, s};
        /// let words = array![["a", "b"], ["c", "d"]].map_ref(|text| text.to_string());
        /// let mut turned = words.clone();
        /// turned.clone_from_view(words.t())?;
        /// turned.slice_mut(s![0, ..])?.clone_from_view(&words.column(0))?;
        /// assert_eq!(turned, array![["a", "c"], ["b", "d"]]);
        /// assert!(turned.clone_from_view(words.slice(s![.., 1..])?).is_err());
        /// # Ok::<(), ndcore::LayoutError>(())
        /// ```
        pub fn clone_from_view<'v>(
            &mut self,
            from: impl Into<View<'v, T, R, E>>,
        ) -> Result<(), LayoutError>
        where
            E: 'v,
        {
            let from = from.into();
            if self.shape() != from.shape() {
                let (expected, found) = (List::of(&self.shape()), List::of(&from.shape()));
                return Err(LayoutErrorKind::SourceShape { expected, found }.into());
            }
            self.iter_mut().zip(from.iter()).for_each(|(to, from)| to.clone_from(from));
            Ok(())
        }

        /// The element at an index for writing, or `None` if the index is out of range.
        #[inline]
        pub fn get_mut<I: NdIndex<R>>(&mut self, index: I) -> Option<&mut T> {
            index.as_index(|index| self.element_mut(index).ok())
        }

        /// All the elements in the order of memory, if they lie side by side in the order of some
        /// permutation of the axes, each of them forwards.
        #[inline]
        pub fn as_slice_memory_order(&self) -> Option<&[T]> {
            self.view().as_slice_memory_order()
        }

        /// As [`as_slice_memory_order`](Self::as_slice_memory_order), for writing.
        #[inline]
        pub fn as_slice_memory_order_mut(&mut self) -> Option<&mut [T]> {
            self.view_mut().into_slice_memory_order()
        }

        /// Sets every element to one value.
        pub fn fill(&mut self, value: T) {
            if let Some(slice) = self.as_slice_mut() {
                return fill(slice, value);
            }
            // Few take no longer in any order.
            if self.len() <= 64 || self.layout().is_in_memory_order() {
                return self.iter_mut().for_each(|element| element.clone_from(&value));
            }
            let layout = self.layout().in_memory_order();
            let mut this = self.derived_mut(layout);
            match this.as_slice_mut() {
                Some(slice) => fill(slice, value),
                None => this.iter_mut().for_each(|element| element.clone_from(&value)),
            }
        }
    };
}

methods_of_kinds!();

impl<T: Item, R: Dimension, E> Array<T, R, E> {
    #[inline]
    pub(crate) fn elements(&self) -> Memory<'_, T> {
        Memory::of(self.memory().into())
    }

    #[inline]
    pub(crate) fn derived<S: Dimension>(&self, layout: Layout<S>) -> View<'_, T, S, E> {
        View::of_memory(self.elements(), layout)
    }

    #[inline]
    pub(crate) fn derived_mut<S: Dimension>(&mut self, layout: Layout<S>) -> ViewMut<'_, T, S, E> {
        ViewMut::over_unique(self.memory_mut(), layout)
    }

    /// All the elements as a slice, if they lie side by side in row-major order.
    #[inline]
    pub fn as_slice(&self) -> Option<&[T]> {
        let (start, len) = (self.layout().offset(), self.layout().size());
        if self.layout().is_c_contiguous() { self.memory().get(start..)?.get(..len) } else { None }
    }
}

impl<'a, T: Item, R: Dimension, E> View<'a, T, R, E> {
    #[inline]
    pub(crate) fn elements(&self) -> Memory<'a, T> {
        self.memory()
    }

    #[inline]
    pub(crate) fn derived<S: Dimension>(&self, layout: Layout<S>) -> View<'a, T, S, E> {
        self.derive(layout)
    }

    /// The view itself, so that what is written for an array works for a view.
    #[inline]
    pub fn view(&self) -> View<'a, T, R, E> {
        *self
    }

    /// As [`as_slice`](Self::as_slice), by `ndarray`'s name.
    ///
    /// ```
    /// let a = ndcore::array![[1, 2], [3, 4]];
    /// assert_eq!(a.row(1).to_slice(), Some(&[3, 4][..]));
    /// assert_eq!(a.column(1).to_slice(), None);
    /// ```
    #[inline]
    pub fn to_slice(&self) -> Option<&'a [T]> {
        self.as_slice()
    }

    /// As [`as_slice_memory_order`](Self::as_slice_memory_order), by `ndarray`'s name.
    #[inline]
    pub fn to_slice_memory_order(&self) -> Option<&'a [T]> {
        self.as_slice_memory_order()
    }

    /// This view placed in a larger shape, repeating with stride 0: see [`Layout::expand`], the
    /// mechanism of broadcasting.
    ///
    /// # Errors
    /// See [`Layout::expand`].
    #[inline]
    pub fn expand<S: Dimension>(
        &self,
        shape: S::Shape,
        dims: &[usize],
    ) -> Result<View<'a, T, S, E>, LayoutError> {
        Ok(self.derive(self.layout().expand(shape, dims)?))
    }
}

impl<T: Item, R: Dimension, E> ViewMut<'_, T, R, E> {
    #[inline]
    pub(crate) fn elements(&self) -> Memory<'_, T> {
        self.memory()
    }

    #[inline]
    pub(crate) fn derived<S: Dimension>(&self, layout: Layout<S>) -> View<'_, T, S, E> {
        View::of_memory(self.memory(), layout)
    }

    #[inline]
    pub(crate) fn derived_mut<S: Dimension>(&mut self, layout: Layout<S>) -> ViewMut<'_, T, S, E> {
        self.view_mut().derive(layout)
    }
}
