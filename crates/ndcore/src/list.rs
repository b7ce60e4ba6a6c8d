//! [`List`] and [`Text`]: values at fault, in errors that can be made where there is no memory.

use crate::axes::Axes;
use std::fmt;
use std::ops::{Deref, DerefMut};

/// A list of numbers in an error, such as a shape. It is read as a slice.
///
/// Up to [`MAX_NDIM`](crate::MAX_NDIM) of them take no memory of their own. Of more, that many are
/// kept if there is no memory for the rest.
///
/// ```
/// use ndcore::List;
/// let shape = List::of(&[2, 3]);
/// assert_eq!((shape.len(), shape[1]), (2, 3));
/// assert_eq!(shape, [2, 3]);
/// assert_eq!(format!("{shape:?}"), "[2, 3]");
/// ```
pub struct List<T> {
    few: Axes<T>,
    /// All of them, if they are more.
    many: Option<Box<[T]>>,
}

impl<T: Copy + Default> List<T> {
    /// The numbers of a slice, or of what is read as one.
    pub fn of<L: AsRef<[T]> + ?Sized>(list: &L) -> Self {
        let all = list.as_ref();
        if let Some(few) = Axes::from_slice(all) {
            return List { few, many: None };
        }
        let mut many = Vec::new();
        let there_is_room = many.try_reserve_exact(all.len()).is_ok();
        let many = there_is_room.then(|| {
            many.extend_from_slice(all);
            many.into_boxed_slice()
        });
        List { few: all.iter().copied().take(crate::MAX_NDIM).collect(), many }
    }
}

impl<T> Deref for List<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.many.as_deref().unwrap_or(&self.few)
    }
}

impl<T> DerefMut for List<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.many.as_deref_mut().unwrap_or(&mut self.few)
    }
}

impl<T> AsRef<[T]> for List<T> {
    fn as_ref(&self) -> &[T] {
        self
    }
}

impl<T: Copy + Default> Clone for List<T> {
    fn clone(&self) -> Self {
        List::of(&**self)
    }
}

impl<T: Copy + Default> Default for List<T> {
    fn default() -> Self {
        List { few: Axes::new(), many: None }
    }
}

impl<T: fmt::Debug> fmt::Debug for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: Copy + Default> FromIterator<T> for List<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut values = values.into_iter();
        let few = values.by_ref().take(crate::MAX_NDIM).collect::<Axes<T>>();
        let Some(next) = values.next() else { return List { few, many: None } };
        let mut many = Vec::new();
        for value in few.iter().copied().chain([next]).chain(values) {
            if many.try_reserve(1).is_err() {
                return List { few, many: None };
            }
            many.push(value);
        }
        List::of(&many)
    }
}

impl<T: Copy + Default> From<Vec<T>> for List<T> {
    fn from(list: Vec<T>) -> Self {
        List::of(&list)
    }
}

impl<T: Copy + Default> From<&[T]> for List<T> {
    fn from(list: &[T]) -> Self {
        List::of(list)
    }
}

impl<T: Copy + Default, const N: usize> From<[T; N]> for List<T> {
    fn from(list: [T; N]) -> Self {
        List::of(&list)
    }
}

impl<T: PartialEq> PartialEq for List<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for List<T> {}

macro_rules! equal {
    ($([$($generics:tt)*] $other:ty;)*) => {$(
        impl<T: PartialEq $($generics)*> PartialEq<$other> for List<T> {
            fn eq(&self, other: &$other) -> bool {
                **self == other[..]
            }
        }

        impl<T: PartialEq $($generics)*> PartialEq<List<T>> for $other {
            fn eq(&self, other: &List<T>) -> bool {
                self[..] == **other
            }
        }
    )*};
}
equal! {
    [] Vec<T>;
    [] [T];
    [] &[T];
    [, const N: usize] [T; N];
}

/// A short text in an error, such as a number that has no other form there. It is read as a `str`.
///
/// What is longer than 96 bytes is cut off.
///
/// ```
/// use ndcore::Text;
/// let text = Text::of(format_args!("{:?}", 0.5));
/// assert_eq!(&*text, "0.5");
/// assert_eq!(text.to_string(), "0.5");
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Text {
    bytes: [u8; Text::BYTES],
    len: usize,
}

impl Text {
    /// The longest text, in bytes.
    const BYTES: usize = 96;

    /// What is written.
    pub fn of(text: impl fmt::Display) -> Self {
        let mut to = Text { bytes: [0; Text::BYTES], len: 0 };
        // The rest is cut off.
        let _ = fmt::write(&mut to, format_args!("{text}"));
        to
    }
}

impl Text {
    /// A number, with an exponent where it would be long without one.
    pub fn of_number(number: f64) -> Self {
        let plain = number == 0.0 || !number.is_finite() || (1e-5..1e16).contains(&number.abs());
        if plain { Text::of(number) } else { Text::of(format_args!("{number:e}")) }
    }
}

impl fmt::Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = Text::BYTES - self.len;
        let mut len = text.len().min(room);
        while !text.is_char_boundary(len) {
            len -= 1;
        }
        self.bytes[self.len..][..len].copy_from_slice(&text.as_bytes()[..len]);
        self.len += len;
        if len == text.len() { Ok(()) } else { Err(fmt::Error) }
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

#[cfg(test)]
mod tests {
    use super::{List, Text};

    #[test]
    fn lists_hold_what_they_are_given() {
        for len in [0, 1, 2, 15, 16, 17, 40] {
            let all: Vec<usize> = (0..len).map(|i| i * i).collect();
            assert_eq!(List::of(&all), all);
            assert_eq!(all.iter().copied().collect::<List<_>>(), all);
            assert_eq!(List::from(all.clone()).clone(), all[..]);
        }
        assert_ne!(List::of(&[1, 2]), [2, 1]);
    }

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(Text::of("NaN"), "NaN");
        let long = "é".repeat(200);
        assert_eq!(Text::of(&long).len(), 96);
        let odd = format!("a{long}");
        assert_eq!(*Text::of(&odd), odd[..95]);
    }
}
