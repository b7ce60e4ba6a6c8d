//! [`Elements`]: the elements of a view one by one, in lines as long as the strides allow.

use crate::dimension::Dimension;
use crate::element::Item;
use crate::raw::{Memory, View};
use crate::walk::Walk;
use std::marker::PhantomData;

/// The addresses of `left` elements that lie `stride` apart, all of them in bounds, each given out
/// once, from either end.
#[derive(Clone, Copy, Debug)]
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

    /// The address of the first of those left, and how far they lie apart.
    #[inline]
    pub fn steps(&self) -> (*mut T, isize) {
        (self.first, self.stride)
    }

    /// The address of the first of those left, if they lie side by side.
    #[inline]
    pub fn side_by_side(&self) -> Option<*mut T> {
        (self.stride == 1).then_some(self.first)
    }

    /// So many elements side by side from an address on.
    #[inline]
    pub fn of_side_by_side(first: *mut T, left: usize) -> Self {
        Self::from(first, 1, left)
    }

    /// The elements at `place`, `place + stride`, ..; checks that they are in bounds.
    #[inline]
    pub fn new(memory: Memory<'_, T>, place: usize, stride: isize, left: usize) -> Self {
        Self::from(memory.strided(place, stride, left), stride, left)
    }

    /// As [`new`](Self::new), of elements that the layout of a view reaches: then they are in
    /// bounds (I1).
    #[inline]
    pub fn reached(memory: Memory<'_, T>, place: usize, stride: isize, left: usize) -> Self {
        Self::from(memory.reached(place, stride, left), stride, left)
    }

    #[inline]
    fn from(first: *mut T, stride: isize, left: usize) -> Self {
        Line { first, stride, left, lifetime: PhantomData }
    }

    #[inline]
    pub fn empty() -> Self {
        Self::from(std::ptr::dangling_mut(), 1, 0)
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
    pub fn next_back(&mut self) -> Option<*mut T> {
        self.left = self.left.checked_sub(1)?;
        Some(self.first.wrapping_offset(self.left as isize * self.stride))
    }

    /// Leaves out the next `count` elements, of which there are as many.
    #[inline]
    pub fn skip(&mut self, count: usize) {
        self.left -= count;
        // Wrapping: beyond the last one there need not be an address.
        self.first = self.first.wrapping_offset((count as isize).wrapping_mul(self.stride));
    }

    /// Leaves out the last `count` elements, of which there are as many.
    #[inline]
    pub fn skip_back(&mut self, count: usize) {
        self.left -= count;
    }
}

/// Lines of equal length, one after the other: their addresses alone, as in [`Elements`].
#[derive(Clone, Debug)]
pub(crate) struct Lines<T: Item, R: Dimension> {
    /// Nothing, at place 0.
    origin: Line<'static, T>,
    /// Where they begin.
    walk: Walk<R>,
    len: usize,
    stride: isize,
}

impl<T: Item, R: Dimension> Lines<T, R> {
    #[inline]
    fn line(&self, place: usize) -> Line<'static, T> {
        Line::from(self.origin.first.wrapping_add(place), self.stride, self.len)
    }

    /// Whether there is one axis of lines, which takes no odometer to walk along.
    const EVEN: bool = matches!(R::NDIM, Some(2));

    #[inline]
    fn next(&mut self) -> Option<Line<'static, T>> {
        let place = if Self::EVEN { self.walk.next_down()? } else { self.walk.next()?.1 };
        Some(self.line(place))
    }

    #[inline]
    fn next_back(&mut self) -> Option<Line<'static, T>> {
        let place = if Self::EVEN { self.walk.next_up()? } else { self.walk.next_back()?.1 };
        Some(self.line(place))
    }
}

/// The addresses of the elements that a layout reaches, in logical order, from both ends. Each is
/// in bounds, and that of each index is given out once. Without the lifetime of the view, which
/// what gives references adds: so an iterator that [keeps](Dimension::Kept) this in memory is no
/// borrow that ends with a destructor.
#[derive(Clone, Debug)]
pub(crate) struct Elements<T: Item, R: Dimension> {
    front: Line<'static, T>,
    /// What lies between the front and the back; nothing, if the layout is one line.
    between: Option<Lines<T, R>>,
    back: Line<'static, T>,
}

impl<T: Item, R: Dimension> Elements<T, R> {
    /// Whether there is one line, at the front: then no loop looks for another one.
    const ONE_LINE: bool = matches!(R::NDIM, Some(0 | 1));

    /// Of a view, whose layout is in bounds.
    #[inline]
    pub fn new<E>(view: &View<'_, T, R, E>) -> Self {
        let (memory, layout) = (view.memory(), view.layout());
        let (outer, len, stride) = layout.lines();
        let line = |place, len| Line::from(memory.reached(place, stride, len), stride, len);
        let (front, between) = match outer {
            None => {
                // What has no elements may begin anywhere.
                let place = if len == 0 { 0 } else { layout.offset() };
                (line(place, len), None)
            }
            Some(_) if layout.is_empty() => (Line::empty(), None),
            Some(outer) => {
                let origin = Line::from(memory.address(0), 1, 0);
                (Line::empty(), Some(Lines { origin, walk: Walk::new(outer), len, stride }))
            }
        };
        Elements { front, between, back: Line::empty() }
    }

    /// The address of the first of those left and how many there are, if they lie side by side in
    /// one line.
    #[inline]
    pub fn one_side(&self) -> Option<(*mut T, usize)> {
        let one = self.between.is_none() && self.front.stride == 1 && self.back.left == 0;
        one.then_some((self.front.first, self.front.left))
    }

    #[inline]
    pub fn len(&self) -> usize {
        let between = self.between.as_ref().map_or(0, |lines| lines.walk.len() * lines.len);
        self.front.left + between + self.back.left
    }

    #[inline]
    pub fn next(&mut self) -> Option<*mut T> {
        match R::NDIM {
            Some(_) => self.next_here(),
            None => self.next_apart(),
        }
    }

    /// As [`next`](Self::next), as a call: so little is compiled for it as part of a loop that the
    /// compiler makes another loop of elements that lie side by side.
    #[inline(never)]
    fn next_apart(&mut self) -> Option<*mut T> {
        self.next_here()
    }

    #[inline(always)]
    fn next_here(&mut self) -> Option<*mut T> {
        if !Self::ONE_LINE && self.front.left == 0 {
            self.front = match self.between.as_mut().and_then(Lines::next) {
                Some(line) => line,
                None => std::mem::replace(&mut self.back, Line::empty()),
            };
        }
        self.front.next()
    }

    #[inline]
    pub fn next_back(&mut self) -> Option<*mut T> {
        match R::NDIM {
            Some(_) => self.next_back_here(),
            None => self.next_back_apart(),
        }
    }

    /// As [`next_apart`](Self::next_apart), from the other end.
    #[inline(never)]
    fn next_back_apart(&mut self) -> Option<*mut T> {
        self.next_back_here()
    }

    #[inline(always)]
    fn next_back_here(&mut self) -> Option<*mut T> {
        if Self::ONE_LINE {
            return self.front.next_back();
        }
        if self.back.left == 0 {
            self.back = match self.between.as_mut().and_then(Lines::next_back) {
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
        if let Some(lines) = &mut self.between {
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

    /// Leaves out the last `count` elements; all, if there are no more.
    #[inline]
    pub fn skip_back(&mut self, count: usize) {
        if count <= self.back.left {
            return self.back.skip_back(count);
        }
        let mut count = count - self.back.left;
        self.back = Line::empty();
        if let Some(lines) = &mut self.between {
            let whole = (count / lines.len).min(lines.walk.len());
            lines.walk.skip_back(whole);
            count -= whole * lines.len;
            if let Some(line) = lines.next_back() {
                self.back = line;
                return self.back.skip_back(count);
            }
        }
        self.front.skip_back(count.min(self.front.left));
    }

    /// What is left of the line that the next element lies on; nothing, if that begins a line.
    #[inline]
    pub fn first_line(&mut self) -> Line<'static, T> {
        std::mem::replace(&mut self.front, Line::empty())
    }

    /// The line after the first one, or what is left of it.
    #[inline]
    pub fn next_line(&mut self) -> Option<Line<'static, T>> {
        if let Some(line) = self.between.as_mut().and_then(Lines::next) {
            return Some(line);
        }
        let back = std::mem::replace(&mut self.back, Line::empty());
        if back.left > 0 { Some(back) } else { None }
    }
}
