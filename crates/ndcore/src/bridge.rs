//! To and from the arrays and views of `ndarray`, version 0.17: nothing is copied, and strides are
//! kept, negative ones too.

use crate::array::Array;
use crate::dimension::{Dimension, Dyn, Rank};
use crate::element::Item;
use crate::error::LayoutError;
use crate::layout::Layout;
use crate::raw::{View, ViewMut};
use nd::ShapeBuilder;
use ndarray_0_17 as nd;

/// A rank as `ndarray` says it: `Rank<0>` to `Rank<6>` are `Ix0` to `Ix6`, all others `IxDyn`.
pub trait NdarrayRank: Dimension {
    /// The type of `ndarray`.
    type Dim: nd::Dimension;
}

macro_rules! ranks {
    ($($rank:ty: $dim:ty;)*) => {$(
        impl NdarrayRank for $rank {
            type Dim = $dim;
        }
    )*};
}

ranks! {
    Rank<0>: nd::Ix0;
    Rank<1>: nd::Ix1;
    Rank<2>: nd::Ix2;
    Rank<3>: nd::Ix3;
    Rank<4>: nd::Ix4;
    Rank<5>: nd::Ix5;
    Rank<6>: nd::Ix6;
    Rank<7>: nd::IxDyn;
    Rank<8>: nd::IxDyn;
    Dyn: nd::IxDyn;
}

/// Numbers, one for each axis, as `ndarray` has them.
fn dim<D: nd::Dimension>(numbers: impl ExactSizeIterator<Item = usize>) -> D {
    let mut dim = D::zeros(numbers.len());
    numbers.enumerate().for_each(|(axis, number)| dim[axis] = number);
    dim
}

/// A layout without its negative strides, from its lowest place on; for `ndarray`, which takes no
/// others, and turns axes around afterwards.
struct Forwards<D> {
    shape: nd::StrideShape<D>,
    /// How far the lowest place is below that of the first element.
    below: usize,
}

impl<D: nd::Dimension> Forwards<D> {
    fn of<R: NdarrayRank<Dim = D>>(layout: &Layout<R>) -> Self {
        let shape: D = dim(layout.shape().iter().copied());
        if layout.is_empty() {
            return Forwards { shape: shape.into(), below: 0 };
        }
        let axes = layout.shape().iter().zip(layout.strides());
        // What a layout reaches can be counted.
        let below = axes
            .filter(|(_, stride)| **stride < 0)
            .map(|(extent, stride)| (extent - 1) * stride.unsigned_abs())
            .sum();
        let strides = dim(layout.strides().iter().map(|stride| stride.unsigned_abs()));
        Forwards { shape: shape.strides(strides), below }
    }
}

/// The axes that go backwards.
fn backward<R: Dimension>(layout: &Layout<R>) -> impl Iterator<Item = nd::Axis> {
    let backward = |(axis, stride): (usize, &isize)| (*stride < 0).then_some(nd::Axis(axis));
    let axes = if layout.is_empty() { &[] } else { layout.strides() };
    axes.iter().enumerate().filter_map(backward)
}

impl<'a, T: Item, R: NdarrayRank, E> View<'a, T, R, E> {
    /// The same view as one of `ndarray`.
    ///
    /// ```
    /// use ndcore::array;
    /// let a = array![[1, 2, 3], [4, 5, 6]];
    /// let same = a.view().flip(1)?.as_ndarray();
    /// assert_eq!(same, ndarray_0_17::array![[3, 2, 1], [6, 5, 4]]);
    /// assert_eq!(same.strides(), [3, -1]);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    pub fn as_ndarray(&self) -> nd::ArrayView<'a, T, R::Dim> {
        let Forwards { shape, below } = Forwards::of(self.layout());
        let lowest = self.as_ptr().wrapping_sub(below);
        // SAFETY: the elements that these strides reach from the lowest place on are those of the
        // view, which lie in one allocation (I1) and are readable for 'a (I2); of a view without
        // elements nothing is reached, by strides of 0.
        let mut view = unsafe { nd::ArrayView::from_shape_ptr(shape, lowest) };
        backward(self.layout()).for_each(|axis| view.invert_axis(axis));
        view
    }
}

impl<'a, T: Item, R: NdarrayRank, E> ViewMut<'a, T, R, E> {
    /// The same view as one of `ndarray`, for writing.
    ///
    /// ```
    /// let mut a = ndcore::array![[1, 2], [3, 4]];
    /// a.view_mut().into_ndarray().row_mut(0).fill(0);
    /// assert_eq!(a, ndcore::array![[0, 0], [3, 4]]);
    /// ```
    pub fn into_ndarray(mut self) -> nd::ArrayViewMut<'a, T, R::Dim> {
        let Forwards { shape, below } = Forwards::of(self.layout());
        let lowest = self.as_mut_ptr().wrapping_sub(below);
        // SAFETY: as for `as_ndarray`; this view is given up, and reaches no element twice (I3).
        let mut view = unsafe { nd::ArrayViewMut::from_shape_ptr(shape, lowest) };
        backward(self.layout()).for_each(|axis| view.invert_axis(axis));
        view
    }

    /// The same elements as a view of `ndarray`, for reading.
    pub fn as_ndarray(&self) -> nd::ArrayView<'_, T, R::Dim> {
        self.view().as_ndarray()
    }

    /// The same elements as a view of `ndarray`, for writing.
    pub fn as_ndarray_mut(&mut self) -> nd::ArrayViewMut<'_, T, R::Dim> {
        self.view_mut().into_ndarray()
    }
}

impl<T: Item, R: NdarrayRank, E> Array<T, R, E> {
    /// A view of the elements as `ndarray` has them.
    ///
    /// ```
    /// let a = ndcore::array![[1., 2.], [3., 4.]];
    /// assert_eq!(a.as_ndarray().dot(&a.as_ndarray())[[1, 1]], 22.);
    /// ```
    pub fn as_ndarray(&self) -> nd::ArrayView<'_, T, R::Dim> {
        self.view().as_ndarray()
    }

    /// A view of the elements as `ndarray` has them, for writing.
    pub fn as_ndarray_mut(&mut self) -> nd::ArrayViewMut<'_, T, R::Dim> {
        self.view_mut().into_ndarray()
    }

    /// The same array as one of `ndarray`: the memory is handed over, with its layout.
    ///
    /// Nothing is copied to other memory. Of an array that has gaps between its elements and does
    /// not begin at the start of its memory, as slicing one with
    /// [`slice_move`](Self::slice_move) makes them, the elements move to the start.
    ///
    /// ```
    /// let a = ndcore::array![[1, 2, 3], [4, 5, 6]].reversed_axes();
    /// let first = a.view().as_ptr();
    /// let same = a.into_ndarray();
    /// assert_eq!(same, ndarray_0_17::array![[1, 4], [2, 5], [3, 6]]);
    /// assert_eq!((same.strides(), same.as_ptr()), (&[1, 3][..], first));
    /// ```
    pub fn into_ndarray(self) -> nd::Array<T, R::Dim> {
        const FITS: &str = "an array's layout reaches its own memory, no element of it twice";
        let (layout, mut data) = self.into_layout_vec();
        let Forwards { shape, below } = Forwards::of(&layout);
        let lowest = layout.offset() - below;
        let mut array = if layout.is_empty() {
            nd::Array::from_shape_vec(shape, Vec::new()).expect(FITS)
        } else if lowest > 0 && layout.size() == 1 + reach(&layout) {
            // Without gaps, it is a part of the memory in another order of the axes.
            let mut axes: Vec<usize> = (0..layout.ndim()).collect();
            axes.sort_by_key(|axis| {
                // An axis of one element has any stride; it is an outer one.
                let alone = layout.shape()[*axis] == 1;
                std::cmp::Reverse((alone, layout.strides()[*axis].unsigned_abs()))
            });
            let part = nd::Array::from_vec(data).slice_move(nd::s![lowest..lowest + layout.size()]);
            let nested: R::Dim = dim(axes.iter().map(|axis| layout.shape()[*axis]));
            let mut places = vec![0; axes.len()];
            axes.iter().enumerate().for_each(|(place, axis)| places[*axis] = place);
            let order: R::Dim = dim(places.into_iter());
            part.into_shape_with_order(nested).expect(FITS).permuted_axes(order)
        } else {
            data.drain(..lowest);
            nd::Array::from_shape_vec(shape, data).expect(FITS)
        };
        backward(&layout).for_each(|axis| array.invert_axis(axis));
        array
    }
}

/// How far the highest place is above the lowest, of a layout with elements.
fn reach<R: Dimension>(layout: &Layout<R>) -> usize {
    let axes = layout.shape().iter().zip(layout.strides());
    axes.map(|(extent, stride)| (extent - 1) * stride.unsigned_abs()).sum()
}

/// What safe code of `ndarray` makes is what arrays and views of this crate can be.
const SAME_RULES: &str = "arrays of ndarray reach no element for writing twice";

/// The conversions of one rank: `From` where the rank is in the type, `TryFrom` for a dynamic one,
/// which may be too high.
macro_rules! conversions {
    ($trait:ident, $method:ident, $dim:ty, $rank:ty, [$($error:tt)*], |$made:ident| $done:expr, $doc:literal) => {
        impl<'a, T: Item, E> $trait<nd::ArrayView<'a, T, $dim>> for View<'a, T, $rank, E> {
            $($error)*
            #[doc = $doc]
            fn $method(view: nd::ArrayView<'a, T, $dim>) -> conversions!(@ $trait) {
                // SAFETY: a view of `ndarray` reaches what can be read for 'a.
                let $made = <$rank>::shape(view.shape()).and_then(|shape| unsafe {
                    View::from_raw(view.as_ptr(), shape, view.strides())
                });
                $done
            }
        }

        impl<'a, T: Item, S: nd::Data<Elem = T>, E> $trait<&'a nd::ArrayBase<S, $dim>> for View<'a, T, $rank, E> {
            $($error)*
            #[doc = $doc]
            fn $method(array: &'a nd::ArrayBase<S, $dim>) -> conversions!(@ $trait) {
                $trait::$method(array.view())
            }
        }

        impl<'a, T: Item, E> $trait<nd::ArrayViewMut<'a, T, $dim>> for ViewMut<'a, T, $rank, E> {
            $($error)*
            #[doc = $doc]
            fn $method(mut view: nd::ArrayViewMut<'a, T, $dim>) -> conversions!(@ $trait) {
                let first = view.as_mut_ptr();
                // SAFETY: a mutable view of `ndarray` reaches what nobody else reaches for 'a, and
                // is given up.
                let $made = <$rank>::shape(view.shape()).and_then(|shape| unsafe {
                    ViewMut::from_raw(first, shape, view.strides())
                });
                $done
            }
        }

        impl<'a, T: Item, S: nd::DataMut<Elem = T>, E> $trait<&'a mut nd::ArrayBase<S, $dim>> for ViewMut<'a, T, $rank, E> {
            $($error)*
            #[doc = $doc]
            fn $method(array: &'a mut nd::ArrayBase<S, $dim>) -> conversions!(@ $trait) {
                $trait::$method(array.view_mut())
            }
        }

        impl<T: Item, E> $trait<nd::Array<T, $dim>> for Array<T, $rank, E> {
            $($error)*
            #[doc = $doc]
            fn $method(array: nd::Array<T, $dim>) -> conversions!(@ $trait) {
                let shape = <$rank>::shape(array.shape());
                let strides = array.strides().to_vec();
                let (data, offset) = array.into_raw_vec_and_offset();
                let $made = shape.and_then(|shape| {
                    Array::from_strided_vec(shape, &strides, offset.unwrap_or(0), data)
                });
                $done
            }
        }
    };
    (@ From) => { Self };
    (@ TryFrom) => { Result<Self, LayoutError> };
}

macro_rules! fixed {
    ($($dim:ident $rank:literal)*) => {$(
        conversions! {
            From, from, nd::$dim, Rank<$rank>, [], |made| made.expect(SAME_RULES),
            "The same elements where they lie; the strides are kept.\n\n# Panics\nIf unsafe code made \
             it for writing with strides that reach elements in a way that is not plain."
        }
    )*};
}

fixed! { Ix0 0 Ix1 1 Ix2 2 Ix3 3 Ix4 4 Ix5 5 Ix6 6 }

conversions! {
    TryFrom, try_from, nd::IxDyn, Dyn, [type Error = LayoutError;], |made| made,
    "The same elements where they lie; the strides are kept.\n\n# Errors\nIf there are more axes than \
     [`MAX_NDIM`](crate::MAX_NDIM), or unsafe code made it for writing with strides that reach \
     elements in a way that is not plain."
}

impl<T: Item, R: NdarrayRank, E> From<Array<T, R, E>> for nd::Array<T, R::Dim> {
    /// As [`Array::into_ndarray`].
    fn from(array: Array<T, R, E>) -> Self {
        array.into_ndarray()
    }
}

impl<'a, T: Item, R: NdarrayRank, E> From<View<'a, T, R, E>> for nd::ArrayView<'a, T, R::Dim> {
    /// As [`View::as_ndarray`].
    fn from(view: View<'a, T, R, E>) -> Self {
        view.as_ndarray()
    }
}
