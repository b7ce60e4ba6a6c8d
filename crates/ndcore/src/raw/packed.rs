//! [`Packed`] and [`Few`]: buffers for elements that are copied in the order in which they are
//! used.

use super::Memory;
use super::runs::Gather;
use crate::element::Element;
use crate::{LINE, scratch};
use std::alloc::{Layout as Bytes, handle_alloc_error};
use std::any::TypeId;
use std::convert::Infallible;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// A buffer of elements. The thread keeps its memory for the next one.
#[derive(Debug)]
pub struct Packed<T: Element> {
    /// Of no lines until there is something to pack.
    lines: scratch::Buffer,
    /// I4: this many of the elements are initialised.
    len: usize,
    elements: PhantomData<T>,
}

impl<T: Element> Packed<T> {
    /// Empty.
    #[inline]
    pub const fn new() -> Self {
        Packed { lines: scratch::Buffer::new(), len: 0, elements: PhantomData }
    }

    /// Room for `len` elements, of which none counts as initialised yet.
    #[inline]
    pub fn room(&mut self, len: usize) -> &mut [MaybeUninit<T>] {
        self.len = 0;
        self.slots(len)
    }

    /// Room for `len` elements, of which those held are the first.
    #[inline]
    fn slots(&mut self, len: usize) -> &mut [MaybeUninit<T>] {
        if !self.reserve(len) {
            // As the standard library does where its lists grow.
            handle_alloc_error(Bytes::array::<T>(len).unwrap_or(Bytes::new::<T>()));
        }
        // SAFETY: `reserve` has made room for as many; any bytes, initialised or not, are slots.
        unsafe { std::slice::from_raw_parts_mut(Self::first(self.lines.as_mut_ptr()).cast(), len) }
    }

    /// Where the first element lies, or would, in these lines.
    #[inline]
    fn first(lines: *mut MaybeUninit<scratch::Line>) -> *mut T {
        let first = lines.cast::<T>();
        if const { align_of::<T>() <= LINE } {
            first
        } else {
            first.map_addr(|address| address.next_multiple_of(align_of::<T>()))
        }
    }

    /// Makes room for `len` elements; false if there is no memory for them. What follows until then
    /// needs no memory.
    #[must_use]
    #[inline]
    pub fn reserve(&mut self, len: usize) -> bool {
        let spare = const { if align_of::<T>() <= LINE { 0 } else { align_of::<T>() } };
        let bytes = len.saturating_mul(size_of::<T>()).saturating_add(spare);
        bytes <= size_of_val(&self.lines[..]) || self.grow(bytes)
    }

    /// Takes another buffer, of so many bytes, for the elements held. False if there is no memory.
    #[inline(never)]
    fn grow(&mut self, bytes: usize) -> bool {
        let Some(lines) = scratch::take(bytes.div_ceil(LINE)) else { return false };
        let mut to = Packed { lines, ..Packed::new() };
        if self.len > 0 {
            to.slots(self.len).write_copy_of_slice(self.as_slice());
            to.len = self.len;
        }
        *self = to;
        true
    }

    /// Holds nothing.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Holds `len` elements, which a function initialises: it returns the slots it is given.
    ///
    /// # Panics
    /// If the function returns something else.
    #[inline]
    pub fn initialise(
        &mut self,
        len: usize,
        f: impl FnOnce(&mut [MaybeUninit<T>]) -> &mut [T],
    ) -> &mut [T] {
        match self.try_initialise::<Infallible>(len, |slots| Ok(f(slots))) {
            Ok(elements) => elements,
            Err(never) => match never {},
        }
    }

    /// As [`initialise`](Self::initialise), by a function that may fail.
    ///
    /// # Errors
    /// Those of the function.
    ///
    /// # Panics
    /// If the function returns other slots.
    #[inline]
    pub fn try_initialise<Err>(
        &mut self,
        len: usize,
        f: impl FnOnce(&mut [MaybeUninit<T>]) -> Result<&mut [T], Err>,
    ) -> Result<&mut [T], Err> {
        self.len = 0;
        self.try_append(len, f)?;
        Ok(self.as_mut_slice())
    }

    /// Holds `len` more elements, as by [`initialise`](Self::initialise).
    ///
    /// # Panics
    /// As that does.
    #[inline]
    pub fn append(&mut self, len: usize, f: impl FnOnce(&mut [MaybeUninit<T>]) -> &mut [T]) {
        match self.try_append::<Infallible>(len, |slots| Ok(f(slots))) {
            Ok(()) => {}
            Err(never) => match never {},
        }
    }

    #[inline]
    fn try_append<Err>(
        &mut self,
        len: usize,
        f: impl FnOnce(&mut [MaybeUninit<T>]) -> Result<&mut [T], Err>,
    ) -> Result<(), Err> {
        let held = self.len;
        let slots = &mut self.slots(held + len)[held..];
        let first = slots.as_ptr().cast::<T>();
        let filled = f(slots)?;
        assert!(filled.as_ptr() == first && filled.len() == len, "the slots, initialised");
        self.len = held + len;
        Ok(())
    }

    /// Holds the `len` elements of a memory that lie at `place` and along `axes`: see
    /// [`Memory::pack`].
    pub(super) fn copy(
        &mut self,
        from: Memory<'_, T>,
        place: usize,
        axes: &[(usize, isize)],
        len: usize,
    ) {
        self.initialise(len, |slots| from.pack(place, axes, slots));
    }

    /// `len` copies of one value.
    #[inline]
    pub fn fill(&mut self, value: T, len: usize) {
        self.room(len).fill(MaybeUninit::new(value));
        self.len = len;
    }

    /// The elements held.
    #[inline]
    pub fn as_slice(&self) -> &[T] {
        // SAFETY: initialised by I4.
        unsafe { std::slice::from_raw_parts(Self::first(self.lines.as_ptr().cast_mut()), self.len) }
    }

    /// The elements held, for writing.
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: initialised by I4.
        unsafe { std::slice::from_raw_parts_mut(Self::first(self.lines.as_mut_ptr()), self.len) }
    }
}

impl<T: Element> Drop for Packed<T> {
    #[inline]
    fn drop(&mut self) {
        if !self.lines.is_empty() {
            scratch::give(std::mem::take(&mut self.lines));
        }
    }
}

impl<T: Element> Default for Packed<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// Memory for copies of few elements, on the stack: for passes that take less time than it does to
/// get a buffer.
#[derive(Debug)]
#[repr(align(64))]
pub struct Few<const BYTES: usize = { Few::BYTES + Few::NOTES }>([MaybeUninit<u8>; BYTES]);

// Not of the default, whose size is made of these.
impl Few<0> {
    /// How much there is for elements, if nothing else is said.
    pub const BYTES: usize = 1 << 13;

    /// How much there is beside them for what says where elements lie.
    pub const NOTES: usize = 1 << 10;
}

impl Few {
    /// Nothing is in it.
    #[inline]
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Few::of_bytes()
    }

    /// How many bytes are used after `len` more elements of `size` bytes, if there is room for them
    /// after the first `used`.
    #[inline]
    pub fn after(used: usize, len: usize, size: usize) -> Option<usize> {
        Self::end(used, len, size).filter(|end| *end <= Few::BYTES)
    }

    /// How many bytes are used then, however many there are.
    #[inline]
    fn end(used: usize, len: usize, size: usize) -> Option<usize> {
        let start = used.next_multiple_of(Self::alignment(size));
        let end = start.checked_add(len.checked_mul(size)?)?;
        (Self::alignment(size) <= align_of::<Few>()).then_some(end)
    }

    /// At least the alignment of elements of so many bytes, which their size is a multiple of.
    #[inline]
    fn alignment(size: usize) -> usize {
        if size == 0 { align_of::<Few>() } else { 1 << size.trailing_zeros() }
    }
}

impl<const BYTES: usize> Few<BYTES> {
    /// So many bytes, of which no more are touched than are used.
    #[inline]
    pub const fn of_bytes() -> Self {
        Few([MaybeUninit::uninit(); BYTES])
    }

    /// All of it.
    #[inline]
    pub fn room(&mut self) -> Room<'_> {
        Room { bytes: &mut self.0, used: 0, last: None }
    }

    /// All of it as so many slots, if there is room.
    #[inline]
    pub fn slots<T: Element>(&mut self, len: usize) -> Option<&mut [MaybeUninit<T>]> {
        if align_of::<T>() > align_of::<Self>() || len.checked_mul(size_of::<T>())? > BYTES {
            return None;
        }
        // SAFETY: any bytes, initialised or not, are slots of this type.
        let (_, slots, _) = unsafe { self.0.align_to_mut::<MaybeUninit<T>>() };
        slots.get_mut(..len)
    }
}

/// What is left of a [`Few`].
#[derive(Debug)]
pub struct Room<'s> {
    bytes: &'s mut [MaybeUninit<u8>],
    /// How many bytes lie before these.
    used: usize,
    last: Option<Last>,
}

/// What was put into a room last to be read, and what that was made of: an expression often has the
/// same operand again. (`q * q * q` of a `q` that has it twice.)
#[derive(Clone, Copy, Debug)]
struct Last {
    origin: Origin,
    /// I12: for as long as the room has been lent, so many values of this type lie here, and nobody
    /// writes them.
    of: TypeId,
    at: *const (),
    len: usize,
}

impl Last {
    #[inline]
    fn is(&self, origin: &Origin, of: TypeId, len: usize) -> bool {
        self.origin == *origin && self.len == len && self.of == of
    }
}

/// Of what a copy is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    /// Where the first element lies, and along which axes the others.
    first: *const (),
    axes: [(usize, isize); 3],
}

impl Origin {
    /// Elements along some axes, the first of which lies here. None of more axes: they are not
    /// looked for.
    #[inline]
    pub(super) fn new<T>(first: *const T, axes: &[(usize, isize)]) -> Option<Self> {
        // Number by number: a call to copy a few takes longer, and waits for what has just been
        // written.
        let axes = match *axes {
            [] => [(0, 0); 3],
            [a] => [a, (0, 0), (0, 0)],
            [a, b] => [a, b, (0, 0)],
            [a, b, c] => [a, b, c],
            _ => return None,
        };
        Some(Origin { first: first.cast(), axes })
    }
}

impl<'s> Room<'s> {
    /// The next `len` slots, if there is room.
    #[inline]
    pub fn slots<T>(&mut self, len: usize) -> Option<&'s mut [MaybeUninit<T>]> {
        // Of elements without size, their size does not say how they are aligned.
        if align_of::<T>() > align_of::<Few>() {
            return None;
        }
        let bytes = self.bytes_of(len, size_of::<T>())?;
        // SAFETY: as many bytes, which begin where such elements may; any bytes, initialised or
        // not, are slots.
        Some(unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), len) })
    }

    /// The copy that lies here already, if it was made last, and of the same: of as many elements as
    /// the axes of the origin have.
    #[inline]
    pub(super) fn copy<T: Element>(&self, origin: &Origin, len: usize) -> Option<&'s [T]> {
        let last = self.last.filter(|last| last.is(origin, TypeId::of::<T>(), len))?;
        // SAFETY: I12: of the same type, and as many.
        Some(unsafe { std::slice::from_raw_parts(last.at.cast(), len) })
    }

    /// Remembers a copy that lies here.
    #[inline]
    pub(super) fn keep_copy<T: Element>(&mut self, origin: Origin, copy: &'s [T]) -> &'s [T] {
        let (of, at, len) = (TypeId::of::<T>(), copy.as_ptr().cast(), copy.len());
        self.last = Some(Last { origin, of, at, len });
        copy
    }

    /// As [`copy`](Self::copy), of what is gathered run by run.
    #[inline]
    pub(super) fn gather<T: Element>(&self, origin: &Origin) -> Option<&'s Gather<'s, T>> {
        let of = TypeId::of::<Gather<'static, T>>();
        let last = self.last.filter(|last| last.is(origin, of, 1))?;
        // SAFETY: I12: of the same type, but for the lifetime: it was kept for that of the room.
        Some(unsafe { &*last.at.cast() })
    }

    /// As [`keep_copy`](Self::keep_copy), of what is gathered.
    #[inline]
    pub(super) fn keep_gather<T: Element>(
        &mut self,
        origin: Origin,
        gather: &'s Gather<'s, T>,
    ) -> &'s Gather<'s, T> {
        let (of, at) = (TypeId::of::<Gather<'static, T>>(), std::ptr::from_ref(gather).cast());
        self.last = Some(Last { origin, of, at, len: 1 });
        gather
    }

    /// The bytes of the next `len` elements of `size` bytes, if there is room.
    #[inline]
    fn bytes_of(&mut self, len: usize, size: usize) -> Option<&'s mut [MaybeUninit<u8>]> {
        let end = Few::end(self.used, len, size)?;
        if end - self.used > self.bytes.len() {
            return None;
        }
        let skip = self.used.next_multiple_of(Few::alignment(size)) - self.used;
        let (taken, rest) = std::mem::take(&mut self.bytes).split_at_mut(end - self.used);
        (self.bytes, self.used) = (rest, end);
        Some(&mut taken[skip..])
    }
}
