//! The parts of complex numbers, as views of the memory of these.

use super::{Memory, View, ViewMut};
use crate::dimension::Dimension;
use crate::element::Item;
use crate::layout::Layout;
use num_complex::Complex;
use std::marker::PhantomData;

impl<'a, T> Memory<'a, Complex<T>> {
    /// The parts of the complex numbers, one after the other.
    fn parts(self) -> Memory<'a, T> {
        // A complex number is laid out as the pair of its parts. Of a length above half of
        // `isize::MAX`, which only elements without size can have, the rest is left out.
        let len = self.len.saturating_mul(2).min(isize::MAX as usize);
        Memory { data: self.data.cast(), len, lifetime: PhantomData }
    }
}

/// The layout of the first parts of complex numbers, and of the second ones.
fn parts_of<R: Dimension>(layout: &Layout<R>) -> Complex<Layout<R>> {
    let (mut strides, offset) = (layout.raw_strides(), layout.offset().wrapping_mul(2));
    // Along an axis of extent 1 any stride is allowed, and twice that need not fit.
    strides.as_mut().iter_mut().for_each(|stride| *stride = stride.wrapping_mul(2));
    let of = |offset| Layout::of(layout.raw_shape(), strides, offset);
    Complex { re: of(offset), im: of(offset.wrapping_add(1)) }
}

impl<'a, T: Item, R: Dimension, E> View<'a, Complex<T>, R, E> {
    /// The real parts and the imaginary parts, as views of the same memory.
    ///
    /// ```
    /// use num_complex::Complex;
    /// let a = ndcore::array![Complex::new(1., 2.), Complex::new(3., 4.)];
    /// let Complex { re, im } = a.view().split_complex();
    /// assert_eq!((re.to_vec(), im.to_vec()), (vec![1., 3.], vec![2., 4.]));
    /// ```
    pub fn split_complex(self) -> Complex<View<'a, T, R, E>> {
        let (memory, layouts) = (self.memory.parts(), parts_of(&self.layout));
        Complex { re: View::of_memory(memory, layouts.re), im: View::of_memory(memory, layouts.im) }
    }
}

impl<'a, T: Item, R: Dimension, E> ViewMut<'a, Complex<T>, R, E> {
    /// The real parts and the imaginary parts for writing, as views of the same memory.
    ///
    /// ```
    /// use num_complex::Complex;
    /// let mut a = ndcore::array![Complex::new(1., 2.), Complex::new(3., 4.)];
    /// a.view_mut().split_complex().im.fill(0.);
    /// assert_eq!(a.to_vec(), [Complex::new(1., 0.), Complex::new(3., 0.)]);
    /// ```
    pub fn split_complex(self) -> Complex<ViewMut<'a, T, R, E>> {
        let (memory, layouts) = (self.memory.parts(), parts_of(&self.layout));
        // SAFETY: this view is given up. Its elements are reached once each (I3), and each has two
        // parts, of which one view has the first and the other one the second.
        let (re, im) = unsafe {
            (ViewMut::of_memory(memory, layouts.re), ViewMut::of_memory(memory, layouts.im))
        };
        Complex { re, im }
    }
}
