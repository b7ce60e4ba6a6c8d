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
    fn empty() -> Self {
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
pub(crate) struct Lines<'a, T, R: Dimension> {
    memory: Memory<'a, T>,
    /// Where they begin.
    walk: Walk<R>,
    len: usize,
    stride: isize,
}

impl<'a, T, R: Dimension> Lines<'a, T, R> {
    #[inline]
    fn line(&self, place: usize) -> Line<'a, T> {
        Line::reached(self.memory, place, self.stride, self.len)
    }

    /// Whether there is one axis of lines, which takes no odometer to walk along.
    const EVEN: bool = matches!(R::NDIM, Some(2));

    #[inline]
    fn next(&mut self) -> Option<Line<'a, T>> {
        let place = if Self::EVEN { self.walk.next_down()? } else { self.walk.next()?.1 };
        Some(self.line(place))
    }

    #[inline]
    fn next_back(&mut self) -> Option<Line<'a, T>> {
        let place = if Self::EVEN { self.walk.next_up()? } else { self.walk.next_back()?.1 };
        Some(self.line(place))
    }
}

/// The addresses of the elements that a layout reaches, in logical order, from both ends. Each is
/// in bounds, and that of each index is given out once.
#[derive(Clone, Debug)]
pub(crate) enum Elements<'a, T, R: Dimension> {
    /// Those from the first address up to the second one, side by side. They have a size. A case of
    /// its own, because of it the compiler makes loops without any other.
    Side(*mut T, *mut T, PhantomData<&'a [T]>),
    Lines {
        front: Line<'a, T>,
        /// What lies between the front and the back; nothing, if the layout is one line.
        between: Option<Lines<'a, T, R>>,
        back: Line<'a, T>,
    },
}

// SAFETY: as for `Line`.
unsafe impl<T: Send + Sync, R: Dimension> Send for Elements<'_, T, R> {}
// SAFETY: as for `Line`.
unsafe impl<T: Send + Sync, R: Dimension> Sync for Elements<'_, T, R> {}

impl<'a, T: Item, R: Dimension> Elements<'a, T, R> {
    /// Of a view, whose layout is in bounds.
    #[inline]
    pub fn new<E>(view: &View<'a, T, R, E>) -> Self {
        let (memory, layout) = (view.memory(), view.layout());
        let (front, back) = (Line::empty(), Line::empty());
        if layout.is_empty() {
            return Elements::Lines { front, between: None, back };
        }
        let (outer, len, stride) = layout.lines();
        if let Some(outer) = outer {
            let between = Some(Lines { memory, walk: Walk::new(outer), len, stride });
            return Elements::Lines { front, between, back };
        }
        let first = memory.reached(layout.offset(), stride, len);
        if stride == 1 && size_of::<T>() > 0 {
            Elements::Side(first, first.wrapping_add(len), PhantomData)
        } else {
            Elements::Lines { front: Line::from(first, stride, len), between: None, back }
        }
    }

    #[inline]
    pub fn len(&self) -> usize {
        match self {
            Elements::Side(next, end, _) => (end.addr() - next.addr()) / size_of::<T>().max(1),
            Elements::Lines { front, between, back } => {
                let between = between.as_ref().map_or(0, |lines| lines.walk.len() * lines.len);
                front.left + between + back.left
            }
        }
    }

    #[inline]
    pub fn next(&mut self) -> Option<*mut T> {
        match self {
            Elements::Side(next, end, _) => {
                if next == end {
                    return None;
                }
                let element = *next;
                *next = element.wrapping_add(1);
                Some(element)
            }
            Elements::Lines { front, between, back } => {
                if front.left == 0 {
                    *front = match between.as_mut().and_then(Lines::next) {
                        Some(line) => line,
                        None => std::mem::replace(back, Line::empty()),
                    };
                }
                front.next()
            }
        }
    }

    #[inline]
    pub fn next_back(&mut self) -> Option<*mut T> {
        match self {
            Elements::Side(next, end, _) => {
                if next == end {
                    return None;
                }
                *end = end.wrapping_sub(1);
                Some(*end)
            }
            Elements::Lines { front, between, back } => {
                if back.left == 0 {
                    *back = match between.as_mut().and_then(Lines::next_back) {
                        Some(line) => line,
                        None => std::mem::replace(front, Line::empty()),
                    };
                }
                back.next_back()
            }
        }
    }

    /// Leaves out the next `count` elements; all, if there are no more.
    #[inline]
    pub fn skip(&mut self, count: usize) {
        let all = self.len();
        match self {
            Elements::Side(next, ..) => *next = next.wrapping_add(count.min(all)),
            Elements::Lines { front, .. } if count <= front.left => front.skip(count),
            Elements::Lines { front, between, back } => {
                let mut count = count - front.left;
                *front = Line::empty();
                if let Some(lines) = between {
                    let whole = (count / lines.len).min(lines.walk.len());
                    lines.walk.skip(whole);
                    count -= whole * lines.len;
                    if let Some(line) = lines.next() {
                        *front = line;
                        return front.skip(count);
                    }
                }
                back.skip(count.min(back.left));
            }
        }
    }

    /// Leaves out the last `count` elements; all, if there are no more.
    #[inline]
    pub fn skip_back(&mut self, count: usize) {
        let all = self.len();
        match self {
            Elements::Side(_, end, _) => *end = end.wrapping_sub(count.min(all)),
            Elements::Lines { back, .. } if count <= back.left => back.left -= count,
            Elements::Lines { front, between, back } => {
                let mut count = count - back.left;
                *back = Line::empty();
                if let Some(lines) = between {
                    let whole = (count / lines.len).min(lines.walk.len());
                    lines.walk.skip_back(whole);
                    count -= whole * lines.len;
                    if let Some(line) = lines.next_back() {
                        *back = line;
                        back.left -= count;
                        return;
                    }
                }
                front.left -= count.min(front.left);
            }
        }
    }

    /// What is left of the line that the next element lies on; nothing, if that begins a line.
    #[inline]
    pub fn first_line(&mut self) -> Line<'a, T> {
        let len = self.len();
        match self {
            Elements::Side(next, end, _) => {
                let line = Line::from(*next, 1, len);
                *next = *end;
                line
            }
            Elements::Lines { front, .. } => std::mem::replace(front, Line::empty()),
        }
    }

    /// The line after the first one, or what is left of it.
    #[inline]
    pub fn next_line(&mut self) -> Option<Line<'a, T>> {
        match self {
            Elements::Side(..) => None,
            Elements::Lines { between, back, .. } => {
                if let Some(line) = between.as_mut().and_then(Lines::next) {
                    return Some(line);
                }
                let back = std::mem::replace(back, Line::empty());
                if back.left > 0 { Some(back) } else { None }
            }
        }
    }
}
