//! Values on the heap, if there is memory for them: where `Box::new` would end the program.

use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};

/// A value on the heap, if there is memory for it.
#[doc(hidden)]
#[inline]
pub fn boxed<T>(value: T) -> Option<Box<[T; 1]>> {
    let mut list = Vec::new();
    list.try_reserve_exact(1).ok()?;
    list.push(value);
    list.into_boxed_slice().try_into().ok()
}

/// A value on the heap that is dropped by a call: nothing of that is compiled as part of what holds
/// it, which may be one type for each expression.
#[doc(hidden)]
#[derive(Debug)]
pub struct Heap<T>(ManuallyDrop<Box<[T; 1]>>);

impl<T> Heap<T> {
    /// Puts a value there, if there is memory for it.
    #[inline]
    pub fn new(value: T) -> Option<Self> {
        boxed(value).map(|value| Heap(ManuallyDrop::new(value)))
    }
}

impl<T> Deref for Heap<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0[0]
    }
}

impl<T> DerefMut for Heap<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0[0]
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
