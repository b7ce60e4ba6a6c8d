//! [`Buffer`]: the memory an array owns.

use crate::element::Element;
use crate::error::{LayoutError, LayoutErrorKind};
use std::mem::MaybeUninit;

/// The memory an array owns.
#[derive(Clone)]
pub(crate) struct Buffer<T>(Vec<T>);

impl<T: Element> Buffer<T> {
    pub fn from_vec(data: Vec<T>) -> Self {
        Buffer(data)
    }

    pub fn into_vec(self) -> Vec<T> {
        self.0
    }

    #[inline]
    pub fn as_slice(&self) -> &[T] {
        &self.0
    }

    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.0
    }
}

/// An empty `Vec` with room for the `len` elements of an array of shape `shape`, which is only named in the error.
pub(crate) fn reserved<T>(len: usize, shape: &[usize]) -> Result<Vec<T>, LayoutError> {
    let mut data = Vec::new();
    if data.try_reserve_exact(len).is_err() {
        let bytes = len.saturating_mul(size_of::<T>());
        return Err(LayoutErrorKind::AllocationFailed { shape: shape.to_vec(), bytes }.into());
    }
    Ok(data)
}

impl<T: Element> Buffer<MaybeUninit<T>> {
    /// Memory for the `len` elements of an array of shape `shape`, which is only named in the error.
    pub fn uninit(len: usize, shape: &[usize]) -> Result<Self, LayoutError> {
        let mut data = reserved(len, shape)?;
        // Costs nothing: there is nothing to write.
        data.resize_with(len, MaybeUninit::uninit);
        Ok(Buffer(data))
    }
}
