//! [`Short`]: one number per loop, on the stack for the few loops that most walks have.

use crate::axes::MAX_NDIM;
use std::fmt;
use std::ops::{Deref, DerefMut};

/// The loops that take no memory of their own.
const FEW: usize = 4;

/// A list of at most [`MAX_NDIM`] numbers, one for each loop of a walk.
///
/// Up to four lie in it; only more take memory of their own. So unlike [`Axes`](crate::Axes), it is
/// passed on in a few registers.
#[derive(Clone, Default)]
pub struct Short<T> {
    len: usize,
    few: [T; FEW],
    many: Option<Box<[T; MAX_NDIM]>>,
}

/// Extents or indices of loops.
pub type Extents = Short<usize>;

impl<T: Copy + Default> Short<T> {
    /// A list of length zero.
    #[inline]
    pub fn new() -> Self {
        Self::default()
    }

    /// `len` copies of a value.
    ///
    /// # Panics
    /// If `len` is above [`MAX_NDIM`].
    #[inline]
    pub fn filled(value: T, len: usize) -> Self {
        if len <= FEW {
            return Short { len, few: [value; FEW], many: None };
        }
        Self::from_fn(len, |_| value)
    }

    /// A copy of a slice.
    ///
    /// # Panics
    /// If it has more than [`MAX_NDIM`] entries.
    #[inline]
    pub fn from_slice(values: &[T]) -> Self {
        Self::from_fn(values.len(), |i| values[i])
    }

    /// `len` values, each a function of its position.
    ///
    /// # Panics
    /// If `len` is above [`MAX_NDIM`].
    #[inline]
    pub fn from_fn(len: usize, mut value: impl FnMut(usize) -> T) -> Self {
        let few = [T::default(); FEW];
        let mut list = Short { len, few, many: if len > FEW { Self::many(len) } else { None } };
        for (i, to) in list.iter_mut().enumerate() {
            *to = value(i);
        }
        list
    }

    #[cold]
    #[inline(never)]
    fn many(len: usize) -> Option<Box<[T; MAX_NDIM]>> {
        assert!(len <= MAX_NDIM, "{len} loops are above the limit of {MAX_NDIM}");
        Some(Box::new([T::default(); MAX_NDIM]))
    }

    /// Appends a value.
    ///
    /// # Panics
    /// If the list already holds [`MAX_NDIM`] values.
    #[inline]
    pub fn push(&mut self, value: T) {
        if self.len < FEW {
            self.few[self.len] = value;
            self.len += 1;
        } else {
            self.push_long(value);
        }
    }

    #[cold]
    fn push_long(&mut self, value: T) {
        if self.many.is_none() {
            self.many = Self::many(FEW);
            let few = self.few;
            self.copy_from_slice(&few);
        }
        if let Some(many) = &mut self.many {
            many[self.len] = value;
            self.len += 1;
        }
    }
}

impl<T> Deref for Short<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.many {
            None => &self.few[..self.len],
            Some(many) => &many[..self.len],
        }
    }
}

impl<T> DerefMut for Short<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.many {
            None => &mut self.few[..self.len],
            Some(many) => &mut many[..self.len],
        }
    }
}

impl<'a, T> IntoIterator for &'a Short<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: Copy + Default> FromIterator<T> for Short<T> {
    /// # Panics
    /// If the iterator yields more than [`MAX_NDIM`] values.
    #[inline]
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut list = Self::new();
        values.into_iter().for_each(|value| list.push(value));
        list
    }
}

impl<T: PartialEq> PartialEq for Short<T> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl<T: Eq> Eq for Short<T> {}

impl<T: fmt::Debug> fmt::Debug for Short<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self[..].fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_any_length_are_lists() {
        for len in 0..=MAX_NDIM {
            let values: Vec<usize> = (10..10 + len).collect();
            let mut pushed = Short::new();
            values.iter().for_each(|&value| pushed.push(value));
            assert_eq!(pushed[..], values[..]);
            assert_eq!(Short::from_slice(&values), pushed);
            assert_eq!(values.iter().copied().collect::<Short<_>>(), pushed.clone());
            assert_eq!(Short::filled(7, len)[..], vec![7; len][..]);
            pushed.iter_mut().for_each(|value| *value += 1);
            assert!(pushed.iter().zip(&values).all(|(a, b)| *a == b + 1));
        }
    }
}
