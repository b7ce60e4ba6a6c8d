//! [`ArcArray`], whose copies share their elements, and [`CowArray`], which may be a view: both
//! make a copy of their own before they are written to.

use crate::array::Array;
use crate::buffer::Buffer;
use crate::dimension::{Dimension, IntoLayout, Rank};
use crate::element::Item;
use crate::error::{LayoutError, or_panic};
use crate::layout::Layout;
use crate::raw::{Memory, View, ViewMut};
use num_traits::{One, Zero};
use std::marker::PhantomData;
use std::sync::Arc;

/// An array whose copies share their elements: to clone it moves nothing, and who writes to it
/// while it is shared gets a copy of its own first (copy on write).
///
/// It has the methods of an [`Array`]; those that write make it the only owner.
///
/// ```
/// use ndcore::{ArcArray2, array};
/// let a: ArcArray2<i32> = array![[1, 2], [3, 4]].into_shared();
/// let mut b = a.clone();
/// assert_eq!(a.as_ptr(), b.as_ptr());
/// b[[0, 0]] = 7;
/// assert_eq!((a, b.into_owned()), (array![[1, 2], [3, 4]].into(), array![[7, 2], [3, 4]]));
/// ```
pub struct ArcArray<T: Item, R: Dimension, E = ()> {
    buffer: Arc<Buffer<T>>,
    /// I7: reaches only the buffer, and no element of it twice.
    layout: Layout<R>,
    engine: PhantomData<fn() -> E>,
}

/// An [`ArcArray`] of rank 1.
pub type ArcArray1<T, E = ()> = ArcArray<T, Rank<1>, E>;
/// An [`ArcArray`] of rank 2.
pub type ArcArray2<T, E = ()> = ArcArray<T, Rank<2>, E>;

/// A view or an array: what gives a view where it can, and a copy where it must.
///
/// It has the methods of an [`Array`]; those that write make a copy of a view first (copy on
/// write).
///
/// ```
/// use ndcore::{CowArray, array};
/// let a = array![[1, 2], [3, 4]];
/// let mut cow = CowArray::from(a.view());
/// assert_eq!(cow.row(1).to_vec(), [3, 4]);
/// cow.fill(0);
/// assert!(cow.is_owned() && a[[0, 0]] == 1);
/// ```
pub enum CowArray<'a, T: Item, R: Dimension, E = ()> {
    /// A view of elements that lie elsewhere.
    Borrowed(View<'a, T, R, E>),
    /// Elements of its own.
    Owned(Array<T, R, E>),
}

impl<T: Item, R: Dimension, E> Clone for ArcArray<T, R, E> {
    /// Moves nothing.
    fn clone(&self) -> Self {
        ArcArray { buffer: self.buffer.clone(), layout: self.layout, engine: PhantomData }
    }
}

impl<T: Item, R: Dimension, E> Clone for CowArray<'_, T, R, E> {
    /// A view of the same elements, or a copy of an array.
    fn clone(&self) -> Self {
        match self {
            CowArray::Borrowed(view) => CowArray::Borrowed(*view),
            CowArray::Owned(array) => CowArray::Owned(array.clone()),
        }
    }
}

impl<T: Item, R: Dimension, E> View<'_, T, R, E> {
    /// A copy whose axes are nested in the same order.
    fn copied_alike(&self) -> Result<Array<T, R, E>, LayoutError> {
        let layout = self.layout().alike()?;
        let order = crate::Axes::outermost_first(layout.strides());
        let in_order = self.as_dyn().permuted_axes(order)?;
        Array::from_shape_vec_raw(layout, in_order.try_to_vec()?)
    }
}

impl<T: Item, R: Dimension, E> Array<T, R, E> {
    /// The same elements, to be shared; moves nothing.
    pub fn into_shared(self) -> ArcArray<T, R, E> {
        let (buffer, layout) = self.into_parts();
        ArcArray { buffer: Arc::new(buffer), layout, engine: PhantomData }
    }
}

impl<T: Item, R: Dimension, E> ArcArray<T, R, E> {
    /// Whether nobody shares the elements: then to write makes no copy.
    ///
    /// ```
    /// let a = ndcore::array![1, 2].into_shared();
    /// let b = a.clone();
    /// assert!(!a.is_unique());
    /// drop(b);
    /// assert!(a.is_unique());
    /// ```
    pub fn is_unique(&self) -> bool {
        Arc::strong_count(&self.buffer) == 1
    }

    /// Where the elements lie.
    #[inline]
    pub fn layout(&self) -> &Layout<R> {
        &self.layout
    }

    /// A view of the elements.
    #[inline]
    pub fn view(&self) -> View<'_, T, R, E> {
        // SAFETY: the layout reaches only the buffer (I7), which nobody writes to while it is
        // borrowed.
        unsafe { View::of_array(self.buffer.as_slice(), self.layout) }
    }

    /// A view for writing, of elements that nobody shares any more.
    ///
    /// # Panics
    /// If they are shared, and a copy does not fit in memory.
    #[track_caller]
    pub fn view_mut(&mut self) -> ViewMut<'_, T, R, E> {
        self.unshare();
        let buffer = Arc::get_mut(&mut self.buffer).expect("the only owner");
        // SAFETY: the layout reaches only the buffer, and no element of it twice (I7).
        unsafe { ViewMut::of_array(buffer.as_mut_slice(), self.layout) }
    }

    /// Makes a copy of the elements if they are shared.
    #[track_caller]
    pub(crate) fn unshare(&mut self) {
        if Arc::get_mut(&mut self.buffer).is_none() {
            let copy = or_panic(self.view().copied_alike());
            *self = copy.into_shared();
        }
    }

    /// The elements in an array of their own: moves nothing if nobody shares them, else makes a
    /// copy.
    ///
    /// # Panics
    /// If they are shared, and a copy does not fit in memory.
    ///
    /// ```
    /// let a = ndcore::array![1, 2].into_shared();
    /// assert_eq!(a.into_owned(), ndcore::array![1, 2]);
    /// ```
    #[track_caller]
    pub fn into_owned(self) -> Array<T, R, E> {
        match Arc::try_unwrap(self.buffer) {
            Ok(buffer) => Array::from_parts(buffer, self.layout),
            Err(buffer) => {
                let shared =
                    ArcArray { buffer, layout: self.layout, engine: PhantomData::<fn() -> E> };
                or_panic(shared.view().copied_alike())
            }
        }
    }

    /// The same memory by another layout, derived from this one's own by those operations of
    /// `layout.rs` that repeat nothing (I7).
    #[inline]
    pub(crate) fn derive<S: Dimension>(self, layout: Layout<S>) -> ArcArray<T, S, E> {
        let len = self.buffer.as_slice().len();
        assert!(layout.is_within(len), "a layout reaches outside its memory");
        ArcArray { buffer: self.buffer, layout: layout.settled(), engine: PhantomData }
    }

    /// As [`derive`](Self::derive), of the array where it is.
    pub(crate) fn relabel(&mut self, layout: Layout<R>) {
        let len = self.buffer.as_slice().len();
        assert!(layout.is_within(len), "a layout reaches outside its memory");
        self.layout = layout.settled();
    }

    #[inline]
    pub(crate) fn elements(&self) -> Memory<'_, T> {
        Memory::of(self.buffer.as_slice().into())
    }
}

impl<'a, T: Item, R: Dimension, E> CowArray<'a, T, R, E> {
    /// Whether this is a view of elements that lie elsewhere.
    pub fn is_view(&self) -> bool {
        matches!(self, CowArray::Borrowed(_))
    }

    /// Whether the elements are its own.
    pub fn is_owned(&self) -> bool {
        matches!(self, CowArray::Owned(_))
    }

    /// Where the elements lie.
    #[inline]
    pub fn layout(&self) -> &Layout<R> {
        match self {
            CowArray::Borrowed(view) => view.layout(),
            CowArray::Owned(array) => array.layout(),
        }
    }

    /// A view of the elements.
    #[inline]
    pub fn view(&self) -> View<'_, T, R, E> {
        match self {
            CowArray::Borrowed(view) => *view,
            CowArray::Owned(array) => array.view(),
        }
    }

    /// A view for writing, of elements of its own.
    ///
    /// # Panics
    /// If this is a view, and a copy does not fit in memory.
    #[track_caller]
    pub fn view_mut(&mut self) -> ViewMut<'_, T, R, E> {
        self.to_mut().view_mut()
    }

    /// Makes a copy of a view.
    #[track_caller]
    pub(crate) fn unshare(&mut self) {
        self.to_mut();
    }

    /// The array, which is a copy of the view if there was one.
    ///
    /// # Panics
    /// If a copy does not fit in memory.
    ///
    /// ```
    /// use ndcore::{CowArray, array};
    /// let a = array![1, 2, 3];
    /// let mut cow = CowArray::from(&a);
    /// cow.to_mut()[0] = 7;
    /// assert_eq!(cow.into_owned(), array![7, 2, 3]);
    /// ```
    #[track_caller]
    pub fn to_mut(&mut self) -> &mut Array<T, R, E> {
        if let CowArray::Borrowed(view) = self {
            let copy = or_panic(view.copied_alike());
            *self = CowArray::Owned(copy);
        }
        match self {
            CowArray::Owned(array) => array,
            CowArray::Borrowed(_) => unreachable!("a copy was made"),
        }
    }

    /// The elements in an array of their own: a copy of a view.
    ///
    /// # Panics
    /// If a copy does not fit in memory.
    #[track_caller]
    pub fn into_owned(self) -> Array<T, R, E> {
        match self {
            CowArray::Borrowed(view) => view.to_owned(),
            CowArray::Owned(array) => array,
        }
    }

    /// The same memory by another layout, derived from this one's own by those operations of
    /// `layout.rs` that repeat nothing.
    #[inline]
    pub(crate) fn derive<S: Dimension>(self, layout: Layout<S>) -> CowArray<'a, T, S, E> {
        match self {
            CowArray::Borrowed(view) => CowArray::Borrowed(view.derive(layout)),
            CowArray::Owned(array) => CowArray::Owned(array.derive(layout)),
        }
    }

    /// As [`derive`](Self::derive), of the array where it is.
    pub(crate) fn relabel(&mut self, layout: Layout<R>) {
        match self {
            CowArray::Borrowed(view) => view.relabel(layout),
            CowArray::Owned(array) => array.relabel(layout),
        }
    }

    #[inline]
    pub(crate) fn elements(&self) -> Memory<'_, T> {
        match self {
            CowArray::Borrowed(view) => view.elements(),
            CowArray::Owned(array) => array.elements(),
        }
    }
}

/// What the methods written once for all ask for, and the traits of arrays.
macro_rules! copy_on_write {
    ([$($lt:lifetime)?] $type:ty) => {
        impl<$($lt,)? T: Item, R: Dimension, E> $type {
            #[inline]
            pub(crate) fn derived<S: Dimension>(&self, layout: Layout<S>) -> View<'_, T, S, E> {
                View::of_memory(self.elements(), layout)
            }

            #[inline]
            pub(crate) fn derived_mut<S: Dimension>(
                &mut self,
                layout: Layout<S>,
            ) -> ViewMut<'_, T, S, E> {
                self.view_mut().derive(layout)
            }

            /// The element at an index; the array itself, if it has none there.
            #[inline]
            pub(crate) fn element(&self, index: &[usize]) -> Result<&T, &Self> {
                self.view().element(index).map_err(|_| self)
            }

            /// The element at an index for writing; the array itself, if it has none there.
            #[inline]
            pub(crate) fn element_mut(&mut self, index: &[usize]) -> Result<&mut T, &mut Self> {
                match self.layout().place(index) {
                    // SAFETY: the layout reaches the place. (It may be another one in a copy.)
                    Some(_) => Ok(unsafe { self.uget_mut_at(index) }),
                    None => Err(self),
                }
            }

            /// The element at an index for writing.
            ///
            /// # Safety
            /// The layout reaches it.
            #[inline]
            unsafe fn uget_mut_at(&mut self, index: &[usize]) -> &mut T {
                let view = self.view_mut();
                let place = view.layout().place_unchecked(index);
                // SAFETY: by the caller's promise the layout reaches the place (I1).
                unsafe { view.into_reference(place) }
            }

            /// All the elements as a slice, if they lie side by side in row-major order.
            #[inline]
            pub fn as_slice(&self) -> Option<&[T]> {
                self.view().as_slice()
            }

            /// As [`View::memory_from_first`].
            #[doc(hidden)]
            #[inline]
            pub fn memory_from_first(&self, len: usize) -> Option<&[T]> {
                self.view().memory_from_first(len)
            }

            /// All the elements as a slice for writing, if they lie side by side in row-major
            /// order.
            #[inline]
            pub fn as_slice_mut(&mut self) -> Option<&mut [T]> {
                self.view_mut().into_slice()
            }
        }

        impl<$($lt,)? T: Item, R: Dimension, E> IntoIterator for $type {
            type Item = T;
            type IntoIter = std::vec::IntoIter<T>;

            /// The elements by value, in logical (row-major) order.
            fn into_iter(self) -> std::vec::IntoIter<T> {
                self.into_owned().into_iter()
            }
        }
    };
}

copy_on_write!([] ArcArray<T, R, E>);
copy_on_write!(['a] CowArray<'a, T, R, E>);

impl<T: Item, R: Dimension, E> From<Array<T, R, E>> for ArcArray<T, R, E> {
    /// Moves nothing.
    fn from(array: Array<T, R, E>) -> Self {
        array.into_shared()
    }
}

/// As those of [`Array`].
impl<T: Item, R: Dimension, E> ArcArray<T, R, E> {
    /// As [`Array::zeros`].
    ///
    /// # Panics
    /// If it does not fit in memory.
    ///
    /// ```
    /// let zeros = ndcore::ArcArray2::<f64>::zeros((2, 3));
    /// assert_eq!(zeros.to_vec(), [0.0; 6]);
    /// ```
    #[track_caller]
    pub fn zeros<S: IntoLayout<Rank = R>>(shape: S) -> Self
    where
        T: Zero,
    {
        Array::zeros(shape).into_shared()
    }

    /// As [`Array::ones`].
    ///
    /// # Panics
    /// If it does not fit in memory.
    #[track_caller]
    pub fn ones<S: IntoLayout<Rank = R>>(shape: S) -> Self
    where
        T: One,
    {
        Array::ones(shape).into_shared()
    }

    /// As [`Array::from_elem`].
    ///
    /// # Panics
    /// If it does not fit in memory.
    ///
    /// ```
    /// assert_eq!(ndcore::ArcArray1::<i32>::from_elem(2, 7).to_vec(), [7, 7]);
    /// ```
    #[track_caller]
    pub fn from_elem<S: IntoLayout<Rank = R>>(shape: S, value: T) -> Self {
        Array::from_elem(shape, value).into_shared()
    }

    /// As [`Array::from_shape_fn`].
    ///
    /// # Panics
    /// If it does not fit in memory.
    #[track_caller]
    pub fn from_shape_fn<S: IntoLayout<Rank = R>>(
        shape: S,
        f: impl FnMut(<R as Dimension>::Pattern) -> T,
    ) -> Self {
        Array::from_shape_fn(shape, f).into_shared()
    }

    /// As [`Array::from_shape_vec`].
    ///
    /// # Errors
    /// As for that.
    ///
    /// ```
    /// use ndcore::ArcArray2;
    /// assert_eq!(ArcArray2::<i32>::from_shape_vec((1, 2), vec![3, 4])?[[0, 1]], 4);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    pub fn from_shape_vec<S: IntoLayout<Rank = R>>(
        shape: S,
        data: Vec<T>,
    ) -> Result<Self, LayoutError> {
        Array::from_shape_vec(shape, data).map(Array::into_shared)
    }
}

impl<T: Item, E> From<Vec<T>> for ArcArray<T, Rank<1>, E> {
    /// Moves nothing.
    fn from(data: Vec<T>) -> Self {
        Array::from(data).into_shared()
    }
}

impl<T: Item, E> FromIterator<T> for ArcArray<T, Rank<1>, E> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        Array::from_iter(elements).into_shared()
    }
}

impl<T: Item + Default, R: Dimension, E> Default for ArcArray<T, R, E> {
    /// As for [`Array`].
    fn default() -> Self {
        <Array<T, R, E> as Default>::default().into_shared()
    }
}

impl<'a, T: Item, R: Dimension, E> From<View<'a, T, R, E>> for CowArray<'a, T, R, E> {
    fn from(view: View<'a, T, R, E>) -> Self {
        CowArray::Borrowed(view)
    }
}

macro_rules! cow_of {
    ($([$($lt:lifetime)?] $type:ty;)*) => {$(
        impl<'a, $($lt,)? T: Item, R: Dimension, E> From<&'a $type> for CowArray<'a, T, R, E> {
            /// A view.
            fn from(array: &'a $type) -> Self {
                CowArray::Borrowed(array.view())
            }
        }
    )*};
}
cow_of! {
    [] Array<T, R, E>;
    [] ArcArray<T, R, E>;
    ['b] View<'b, T, R, E>;
    ['b] ViewMut<'b, T, R, E>;
}

impl<'a, T: Item, E> From<&'a [T]> for CowArray<'a, T, Rank<1>, E> {
    /// A view.
    fn from(data: &'a [T]) -> Self {
        CowArray::Borrowed(data.into())
    }
}

impl<T: Item, R: Dimension, E> From<Array<T, R, E>> for CowArray<'_, T, R, E> {
    /// Moves nothing.
    fn from(array: Array<T, R, E>) -> Self {
        CowArray::Owned(array)
    }
}
