//! [`Elements`]: the elements of a view one by one, in lines as long as the strides allow.

use crate::dimension::Dimension;
use crate::element::Element;
use crate::layout::Layout;
use crate::raw::Memory;
use crate::walk::Walk;
use std::marker::PhantomData;

/// The addresses of `left` elements that lie `stride` apart, all of them in bounds, each given out
/// once, from either end.
#[derive(Clone, Debug)]
pub(crate) struct Line<'a, T> {
    first: *mut T,
    stride: isize,
    left: usize,
    lifetime: PhantomData<&'a [T]>,
}

// SAFETY: a line gives addresses, and does nothing with them; what its users give of the elements
// there is a `&T` or a `&mut T`, and with these bounds both of those may be sent and shared.
unsafe impl<T: Send + Sync> Send for Line<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Line<'_, T> {}

impl<T> Line<'_, T> {
    /// How many are left.
    #[inline]
    pub fn len(&self) -> usize {
        self.left
    }

    /// The address of the first of those left.
    #[inline]
    pub fn first(&self) -> *mut T {
        self.first
    }

    /// How far they lie apart.
    #[inline]
    pub fn stride(&self) -> isize {
        self.stride
    }

    /// The address of element `i` of those left.
    #[inline]
    pub fn at(&self, i: usize) -> *mut T {
        assert!(i < self.left);
        self.first.wrapping_offset(i as isize * self.stride)
    }

    /// The address of the first of those left, if they lie side by side.
    #[inline]
    pub fn side_by_side(&self) -> Option<*mut T> {
        (self.stride == 1).then_some(self.first)
    }

    #[inline]
    pub fn new(memory: Memory<'_, T>, place: usize, stride: isize, left: usize) -> Self {
        Line { first: memory.strided(place, stride, left), stride, left, lifetime: PhantomData }
    }

    #[inline]
    fn empty() -> Self {
        Line { first: std::ptr::dangling_mut(), stride: 1, left: 0, lifetime: PhantomData }
    }

    #[inline]
    pub fn next(&mut self) -> Option<*mut T> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let element = self.first;
        self.first = element.wrapping_offset(self.stride);
        Some(element)
    }

    #[inline]
    fn next_back(&mut self) -> Option<*mut T> {
        self.left = self.left.checked_sub(1)?;
        Some(self.first.wrapping_offset(self.left as isize * self.stride))
    }

    /// Leaves out the next `count` elements, of which there are as many.
    #[inline]
    fn skip(&mut self, count: usize) {
        self.left -= count;
        // Wrapping: beyond the last one there need not be an address.
        self.first = self.first.wrapping_offset((count as isize).wrapping_mul(self.stride));
    }
}

/// Lines of equal length, one after the other.
#[derive(Clone, Debug)]
struct Lines<'a, T, R: Dimension> {
    memory: Memory<'a, T>,
    /// Where they begin.
    walk: Walk<R>,
    len: usize,
    stride: isize,
}

impl<'a, T, R: Dimension> Lines<'a, T, R> {
    #[inline]
    fn line(&self, place: usize) -> Line<'a, T> {
        Line::new(self.memory, place, self.stride, self.len)
    }

    #[inline]
    fn next(&mut self) -> Option<Line<'a, T>> {
        let (_, place) = self.walk.next()?;
        Some(self.line(place))
    }

    #[inline]
    fn next_back(&mut self) -> Option<Line<'a, T>> {
        let (_, place) = self.walk.next_back()?;
        Some(self.line(place))
    }
}

/// The addresses of the elements that a layout reaches, in logical order, from both ends. Each is
/// in bounds, and that of each index is given out once.
#[derive(Clone, Debug)]
pub(crate) struct Elements<'a, T, R: Dimension> {
    front: Line<'a, T>,
    /// What lies between the front and the back; nothing, if the layout is one line.
    lines: Option<Lines<'a, T, R>>,
    back: Line<'a, T>,
}

impl<'a, T: Element, R: Dimension> Elements<'a, T, R> {
    /// The layout is that of a view of this memory, or a part of it.
    #[inline]
    pub fn new(memory: Memory<'a, T>, layout: &Layout<R>) -> Self {
        let (front, back) = (Line::empty(), Line::empty());
        if layout.is_empty() {
            return Elements { front, lines: None, back };
        }
        let (outer, len, stride) = layout.lines();
        match outer {
            None => Elements { front: Line::new(memory, layout.offset(), stride, len), lines: None, back },
            Some(outer) => {
                Elements { front, lines: Some(Lines { memory, walk: Walk::new(outer), len, stride }), back }
            }
        }
    }

    #[inline]
    pub fn len(&self) -> usize {
        let between = self.lines.as_ref().map_or(0, |lines| lines.walk.len() * lines.len);
        self.front.left + between + self.back.left
    }

    #[inline]
    pub fn next(&mut self) -> Option<*mut T> {
        if self.front.left == 0 {
            self.front = match self.lines.as_mut().and_then(Lines::next) {
                Some(line) => line,
                None => std::mem::replace(&mut self.back, Line::empty()),
            };
        }
        self.front.next()
    }

    #[inline]
    pub fn next_back(&mut self) -> Option<*mut T> {
        if self.back.left == 0 {
            self.back = match self.lines.as_mut().and_then(Lines::next_back) {
                Some(line) => line,
                None => std::mem::replace(&mut self.front, Line::empty()),
            };
        }
        self.back.next_back()
    }

    /// Leaves out the next `count` elements; all, if there are no more.
    #[inline]
    pub fn skip(&mut self, count: usize) {
        if count <= self.front.left {
            return self.front.skip(count);
        }
        let mut count = count - self.front.left;
        self.front = Line::empty();
        if let Some(lines) = &mut self.lines {
            let whole = (count / lines.len).min(lines.walk.len());
            lines.walk.skip(whole);
            count -= whole * lines.len;
            if let Some(line) = lines.next() {
                self.front = line;
                return self.front.skip(count);
            }
        }
        self.back.skip(count.min(self.back.left));
    }

    /// The next elements that lie on one line: all of that line which are left.
    #[inline]
    pub fn next_line(&mut self) -> Option<Line<'a, T>> {
        if self.front.left > 0 {
            return Some(std::mem::replace(&mut self.front, Line::empty()));
        }
        if let Some(line) = self.lines.as_mut().and_then(Lines::next) {
            return Some(line);
        }
        let back = std::mem::replace(&mut self.back, Line::empty());
        if back.left > 0 { Some(back) } else { None }
    }
}
