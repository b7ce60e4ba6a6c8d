//! [`Axes`]: one number per axis, stored inline, for ranks known only at run time.

use std::fmt;
use std::ops::{Deref, DerefMut};

/// The highest rank an array of dynamic rank can have.
pub const MAX_NDIM: usize = 16;

/// A list of at most [`MAX_NDIM`] numbers, one per axis: the shape or the strides of an array whose
/// rank is known only at run time.
///
/// It never touches the heap, so views of dynamic rank are as `Copy` as views of typed rank. It
/// dereferences to a slice, which has every method one needs.
///
/// ```
/// use ndcore::Axes;
/// let shape: Axes<usize> = Axes::from_slice(&[2, 3]).unwrap();
/// assert_eq!(shape[1], 3);
/// assert_eq!(shape.len(), 2);
/// assert!(Axes::from_slice(&[1_usize; 17]).is_none());
/// ```
#[derive(Clone, Copy)]
pub struct Axes<T> {
    values: [T; MAX_NDIM],
    len: u8,
}

impl<T: Copy + Default> Axes<T> {
    /// A list of length zero.
    #[inline]
    pub fn new() -> Self {
        Axes { values: [T::default(); MAX_NDIM], len: 0 }
    }

    /// Copies a slice; `None` if it is longer than [`MAX_NDIM`].
    #[inline]
    pub fn from_slice(values: &[T]) -> Option<Self> {
        let mut axes = Self::new();
        axes.values.get_mut(..values.len())?.copy_from_slice(values);
        axes.len = values.len() as u8;
        Some(axes)
    }

    /// `len` copies of `value`.
    ///
    /// # Panics
    /// If `len` is greater than [`MAX_NDIM`].
    #[inline]
    pub fn filled(value: T, len: usize) -> Self {
        assert!(len <= MAX_NDIM, "a rank of {len} is above the limit of {MAX_NDIM}");
        Axes { values: [value; MAX_NDIM], len: len as u8 }
    }

    /// Appends a value.
    ///
    /// # Panics
    /// If the list already holds [`MAX_NDIM`] values.
    #[inline]
    pub fn push(&mut self, value: T) {
        self.values[usize::from(self.len)] = value;
        self.len += 1;
    }

    /// Inserts a value at position `at`, moving the later ones up.
    ///
    /// # Panics
    /// If `at` is beyond the end or the list already holds [`MAX_NDIM`] values.
    #[inline]
    pub fn insert(&mut self, at: usize, value: T) {
        self.push(value);
        self[at..].rotate_right(1);
    }

    /// Removes and returns the value at position `at`, moving the later ones down.
    ///
    /// # Panics
    /// If `at` is not a position of the list.
    #[inline]
    pub fn remove(&mut self, at: usize) -> T {
        let value = self[at];
        self[at..].rotate_left(1);
        self.len -= 1;
        value
    }
}

impl Axes<usize> {
    /// The axes of elements with these strides from the outermost one in memory, whatever the
    /// direction of each.
    ///
    /// # Panics
    /// If there are more than [`MAX_NDIM`].
    ///
    /// ```
    /// use ndcore::Axes;
    /// assert_eq!(Axes::outermost_first(&[1, -6, 2])[..], [1, 2, 0]);
    /// ```
    // By insertion, of so few: a library's sort would be compiled for each kind of layout.
    pub fn outermost_first(strides: &[isize]) -> Self {
        let mut order = Axes::new();
        for (axis, stride) in strides.iter().enumerate() {
            let is_further =
                |&&other: &&usize| strides[other].unsigned_abs() >= stride.unsigned_abs();
            let place = order.iter().take_while(is_further).count();
            order.insert(place, axis);
        }
        order
    }
}

impl<T: Copy + Default> Default for Axes<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Deref for Axes<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.values[..usize::from(self.len)]
    }
}

impl<T> DerefMut for Axes<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values[..usize::from(self.len)]
    }
}

impl<T> AsRef<[T]> for Axes<T> {
    #[inline]
    fn as_ref(&self) -> &[T] {
        self
    }
}

impl<T> AsMut<[T]> for Axes<T> {
    #[inline]
    fn as_mut(&mut self) -> &mut [T] {
        self
    }
}

impl<T: PartialEq> PartialEq for Axes<T> {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl<T: Eq> Eq for Axes<T> {}

impl<T: PartialEq> PartialEq<[T]> for Axes<T> {
    fn eq(&self, other: &[T]) -> bool {
        self[..] == *other
    }
}

impl<T: PartialEq, const N: usize> PartialEq<[T; N]> for Axes<T> {
    fn eq(&self, other: &[T; N]) -> bool {
        self[..] == other[..]
    }
}

impl<T: fmt::Debug> fmt::Debug for Axes<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self[..].fmt(f)
    }
}

impl<T: Copy + Default> FromIterator<T> for Axes<T> {
    /// # Panics
    /// If the iterator yields more than [`MAX_NDIM`] values.
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut axes = Self::new();
        for value in values {
            axes.push(value);
        }
        axes
    }
}
