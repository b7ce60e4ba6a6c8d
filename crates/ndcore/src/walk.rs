//! [`Walk`]: the indices and places of a layout, as numbers.

use crate::dimension::Dimension;
use crate::layout::Layout;

/// The indices and places of a layout in logical (row-major) order, from both ends.
#[derive(Clone, Debug)]
pub(crate) struct Walk<R: Dimension> {
    layout: Layout<R>,
    /// The index and the place of the next element, if one is left.
    index: R::Shape,
    place: usize,
    /// The number of the next element, and of the one that ends the walk.
    next: usize,
    end: usize,
}

impl<R: Dimension> Walk<R> {
    #[inline]
    pub fn new(layout: Layout<R>) -> Self {
        let index = R::zero_shape(layout.ndim());
        Walk { layout, index, place: layout.offset(), next: 0, end: layout.size() }
    }

    /// How many elements are left.
    #[inline]
    pub fn len(&self) -> usize {
        self.end - self.next
    }

    #[inline]
    pub fn next(&mut self) -> Option<(R::Shape, usize)> {
        if self.next == self.end {
            return None;
        }
        let now = (self.index, self.place);
        self.next += 1;
        self.step(self.layout.ndim());
        Some(now)
    }

    #[inline]
    pub fn next_back(&mut self) -> Option<(R::Shape, usize)> {
        if self.next == self.end {
            return None;
        }
        self.end -= 1;
        Some(self.number(self.end))
    }

    /// The place of the next element, where all lie along the first axis.
    #[inline]
    pub fn next_down(&mut self) -> Option<usize> {
        if self.next == self.end {
            return None;
        }
        let place = self.down(self.next);
        self.next += 1;
        Some(place)
    }

    /// As [`next_down`](Self::next_down), from the other end.
    #[inline]
    pub fn next_up(&mut self) -> Option<usize> {
        if self.next == self.end {
            return None;
        }
        self.end -= 1;
        Some(self.down(self.end))
    }

    #[inline]
    fn down(&self, number: usize) -> usize {
        let apart = self.layout.strides()[0] as usize;
        self.layout.offset().wrapping_add(number.wrapping_mul(apart))
    }

    /// How far the elements of a row are apart.
    #[inline]
    pub fn stride(&self) -> isize {
        self.layout.strides().last().copied().unwrap_or(0)
    }

    /// The next element and those that follow it along the last axis: the index and the place of
    /// the first, and how many there are.
    #[inline]
    pub fn next_row(&mut self) -> Option<(R::Shape, usize, usize)> {
        let left = self.len();
        if left == 0 {
            return None;
        }
        let now = (self.index, self.place);
        let Some(last) = self.layout.ndim().checked_sub(1) else {
            self.next = self.end;
            return Some((now.0, now.1, 1));
        };
        let run = left.min(self.layout.shape()[last] - self.index.as_ref()[last]);
        self.next += run;
        let steps = self.index.as_ref()[last].wrapping_mul(self.layout.strides()[last] as usize);
        self.place = self.place.wrapping_sub(steps);
        self.index.as_mut()[last] = 0;
        self.step(last);
        Some((now.0, now.1, run))
    }

    /// Leaves out the next `count` elements; all, if there are no more.
    #[inline]
    pub fn skip(&mut self, count: usize) {
        self.next += count.min(self.len());
        if self.next < self.end {
            (self.index, self.place) = self.number(self.next);
        }
    }

    /// Leaves out the last `count` elements; all, if there are no more.
    #[inline]
    pub fn skip_back(&mut self, count: usize) {
        self.end -= count.min(self.len());
    }

    /// Goes one step along the axis before `axis`, as the axes of an odometer do.
    #[inline]
    fn step(&mut self, mut axis: usize) {
        let (shape, strides) = (self.layout.shape(), self.layout.strides());
        let index = self.index.as_mut();
        while axis > 0 {
            axis -= 1;
            index[axis] += 1;
            self.place = self.place.wrapping_add(strides[axis] as usize);
            if axis == 0 || index[axis] < shape[axis] {
                return;
            }
            self.place = self.place.wrapping_sub(index[axis].wrapping_mul(strides[axis] as usize));
            index[axis] = 0;
        }
    }

    /// The index and the place of an element by its number.
    #[inline]
    fn number(&self, mut number: usize) -> (R::Shape, usize) {
        let (shape, strides) = (self.layout.shape(), self.layout.strides());
        let (mut index, mut place) = (R::zero_shape(shape.len()), self.layout.offset());
        let mut axis = shape.len();
        while axis > 0 {
            axis -= 1;
            // What is left at the first axis is its index.
            let own = if axis == 0 { number } else { number % shape[axis] };
            index.as_mut()[axis] = own;
            place = place.wrapping_add(own.wrapping_mul(strides[axis] as usize));
            if axis > 0 {
                number /= shape[axis];
            }
        }
        (index, place)
    }
}
