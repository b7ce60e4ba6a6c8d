//! Values on the heap, if there is memory for them: where `Box::new` would end the program.

use std::alloc::{Layout, alloc};
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};

/// A value on the heap, if there is memory for it.
// Without a list of one, of which more is compiled for each type than of all else here.
#[doc(hidden)]
#[inline]
pub fn boxed<T>(value: T) -> Option<Box<T>> {
    if size_of::<T>() == 0 {
        // Takes no memory.
        return Some(Box::new(value));
    }
    // SAFETY: it has a size.
    let memory = unsafe { alloc(Layout::new::<T>()) }.cast::<T>();
    if memory.is_null() {
        return None;
    }
    // SAFETY: it is as large as a `T` and as aligned, comes from the allocator of boxes, and nobody
    // else has it.
    unsafe {
        memory.write(value);
        Some(Box::from_raw(memory))
    }
}

/// A value on the heap that is dropped by a call: nothing of that is compiled as part of what holds
/// it, which may be one type for each expression.
#[doc(hidden)]
#[derive(Debug, PartialEq, Eq)]
pub struct Heap<T>(ManuallyDrop<Box<T>>);

impl<T> Heap<T> {
    /// Puts a value there, if there is memory for it.
    #[inline]
    pub fn new(value: T) -> Option<Self> {
        boxed(value).map(|value| Heap(ManuallyDrop::new(value)))
    }

    /// The value.
    pub fn into_inner(self) -> T {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: nobody reads it after this, and it is not dropped.
        *unsafe { ManuallyDrop::take(&mut this.0) }
    }
}

impl<T> Deref for Heap<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Heap<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T> Drop for Heap<T> {
    // Not inlined: see the type.
    #[inline(never)]
    fn drop(&mut self) {
        // SAFETY: nobody reads it after this.
        unsafe { ManuallyDrop::drop(&mut self.0) }
    }
}
