//! [`Memory`]: addresses of elements, and whether they are in bounds.

use crate::dimension::Dimension;
use crate::layout::Layout;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// The memory that a view's layout speaks of. Its length is at most `isize::MAX`.
#[derive(Debug)]
pub(crate) struct Memory<'a, T> {
    pub(super) data: NonNull<T>,
    pub(super) len: usize,
    pub(super) lifetime: PhantomData<&'a [T]>,
}

// SAFETY: what views give of their memory is what a `&[T]` or a `&mut [T]` of the elements they
// reach gives (I2), and with these bounds both of those may be sent and shared.
unsafe impl<T: Send + Sync> Send for Memory<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Memory<'_, T> {}

copied! {
    [T] Memory<'_, T>;
}

impl<T> Memory<'_, T> {
    #[inline]
    pub fn of(data: NonNull<[T]>) -> Self {
        // Of elements without size a slice can have more than any layout can count.
        let len =
            if size_of::<T>() == 0 { data.len().min(isize::MAX as usize) } else { data.len() };
        Memory { data: data.cast(), len, lifetime: PhantomData }
    }

    /// The address of `len` elements from `place` on, all of them in bounds.
    #[inline]
    pub fn pointer(&self, place: usize, len: usize) -> *mut T {
        // What has no elements may begin anywhere.
        if len == 0 {
            return self.data.as_ptr();
        }
        assert!(place <= self.len && len <= self.len - place);
        self.data.as_ptr().wrapping_add(place)
    }

    /// The address of the first of `len` elements that lie `stride` apart, all of them in bounds.
    #[inline]
    pub fn strided(&self, place: usize, stride: isize, len: usize) -> *mut T {
        if len > 0 {
            let reach = isize::try_from(len - 1).ok().and_then(|last| last.checked_mul(stride));
            // Since `self.len` is at most `isize::MAX`, what wraps is above it.
            let end = reach.map(|reach| place.wrapping_add(reach as usize));
            assert!(place < self.len && end.is_some_and(|end| end < self.len));
        }
        self.data.as_ptr().wrapping_add(place)
    }
}

impl<T> Memory<'_, T> {
    /// The elements at `place` and the `len - 1` places after it, all of which may be read.
    #[inline]
    pub(super) fn stretch(&self, place: usize, len: usize) -> &[T] {
        let first = self.pointer(place, len);
        // SAFETY: `pointer` has checked the bounds; the rest is what is asked for.
        unsafe { std::slice::from_raw_parts(first, len) }
    }

    /// Whether all elements of a layout are in bounds, wherever another one says it begins.
    #[inline]
    pub fn holds<O: Dimension, I: Dimension>(&self, starts: &Layout<O>, part: &Layout<I>) -> bool {
        let room =
            || Some((starts.offset(), self.len.checked_sub(1)?.checked_sub(starts.offset())?));
        let left = || part.left_beside(starts.left_beside(room()?)?);
        starts.is_empty() || part.is_empty() || left().is_some()
    }

    /// The address of a place, which may lie anywhere.
    #[inline]
    pub fn address(&self, place: usize) -> *mut T {
        self.data.as_ptr().wrapping_add(place)
    }

    /// As [`strided`](Self::strided), of elements that the layout of a view reaches: then they are
    /// in bounds (I1).
    #[inline]
    pub fn reached(&self, place: usize, stride: isize, len: usize) -> *mut T {
        debug_assert!(self.strided(place, stride, len) == self.data.as_ptr().wrapping_add(place));
        self.data.as_ptr().wrapping_add(place)
    }
}

impl<'a, T> Memory<'a, T> {
    /// The element at a place.
    ///
    /// # Safety
    /// For `'a` it is in bounds and readable.
    #[inline]
    pub unsafe fn reference(&self, place: usize) -> &'a T {
        debug_assert!(place < self.len);
        // SAFETY: the caller's promise.
        unsafe { &*self.data.as_ptr().add(place) }
    }
}

/// Asks the processor to fetch the cache lines of `len` elements from `place` on, which may lie
/// anywhere: into the first-level cache, or only into the second.
#[inline]
pub(super) fn prefetch<const FIRST: bool, T>(memory: Memory<'_, T>, place: isize, len: usize) {
    prefetch_from::<FIRST, T>(memory.data.as_ptr().wrapping_offset(place), len);
}

/// The same of elements from an address on.
// Inlined, to be compiled for the instructions of the caller.
#[inline(always)]
#[allow(unused_variables)]
pub(super) fn prefetch_from<const FIRST: bool, T>(first: *const T, len: usize) {
    #[cfg(target_arch = "x86_64")]
    for byte in (0..len * size_of::<T>()).step_by(crate::LINE) {
        use std::arch::x86_64::{_MM_HINT_T0, _MM_HINT_T1, _mm_prefetch};
        let address = first.cast::<i8>().wrapping_add(byte);
        // SAFETY: a prefetch is a hint; it reads nothing, and no address makes it fault.
        unsafe {
            match FIRST {
                true => _mm_prefetch::<{ _MM_HINT_T0 }>(address),
                false => _mm_prefetch::<{ _MM_HINT_T1 }>(address),
            }
        }
    }
}
