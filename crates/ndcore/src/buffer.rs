//! [`Buffer`]: the memory an array owns.

use crate::LINE;
use crate::element::{Element, Item};
use crate::error::{LayoutError, LayoutErrorKind};
use crate::list::List;
use crate::pool;
use crate::turn::is_plain;
use std::mem::{ManuallyDrop, MaybeUninit, needs_drop};
use std::ptr::NonNull;

/// The memory an array owns. When it is dropped, the pool may keep it, if there is nothing to drop
/// in it.
pub(crate) struct Buffer<T: Item>(Vec<T>);

impl<T: Item> Drop for Buffer<T> {
    #[inline]
    fn drop(&mut self) {
        if Self::is_pooled(self.0.len()) && self.is_kept() {
            pool::give(std::mem::take(&mut self.0));
        }
    }
}

impl<T: Item> Buffer<T> {
    /// Clones of these elements; in the memory of a dropped array, if that of one is kept. `None`
    /// without memory.
    // An option, which is taken apart: what a call makes where it is to lie, lies in memory.
    #[inline(never)]
    pub fn clone_of(elements: &[T]) -> Option<Self> {
        let mut data = Self::reserved(elements.len(), &[]).ok()?;
        data.extend_from_slice(elements);
        Some(Buffer(data))
    }

    pub fn from_vec(data: Vec<T>) -> Self {
        Buffer(data)
    }

    pub fn into_vec(mut self) -> Vec<T> {
        std::mem::take(&mut self.0)
    }

    /// The memory, to be made longer, or shorter by what no layout reaches.
    pub fn vec_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }

    /// Makes room for more elements, twice as much if there is too little; in the memory of a
    /// dropped array, if one of that size is kept. False if there is no memory.
    #[inline]
    pub fn make_room(&mut self, more: usize) -> bool {
        self.0.capacity() - self.0.len() >= more || self.make_larger(more)
    }

    #[inline(never)]
    fn make_larger(&mut self, more: usize) -> bool {
        let Some(least) = self.0.len().checked_add(more) else { return false };
        let room = least.max(self.0.capacity().saturating_mul(2));
        if let Some(mut larger) = Self::kept(room) {
            larger.append(&mut self.0);
            let before = std::mem::replace(&mut self.0, larger);
            if Self::is_pooled(before.capacity()) {
                pool::give(before);
            }
            return true;
        }
        self.0.try_reserve(more).is_ok()
    }

    #[inline]
    pub fn as_slice(&self) -> &[T] {
        &self.0
    }

    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.0
    }

    /// Whether the pool keeps the memory of so many elements when it is dropped: then whoever needs
    /// as much has to ask it first.
    #[inline]
    pub fn is_pooled(len: usize) -> bool {
        !needs_drop::<T>() && len.saturating_mul(size_of::<T>()) >= pool::SMALLEST
    }

    /// Whether the pool keeps this memory, which is as much as it keeps: if it is more than that of a
    /// `Vec` has to be, or has room to spare, as what was [`reserved`](Self::reserved). A `Vec` that
    /// has grown has some, too, most often with room for a power of two.
    #[inline(always)]
    fn is_kept(&self) -> bool {
        let (len, room) = (self.0.len(), self.0.capacity());
        let spare = slack::<T>(len);
        let reserved = spare > 0 && room - len >= spare && !room.is_power_of_two();
        reserved || len * size_of::<T>() >= pool::SMALLEST_GIVEN
    }

    /// An empty `Vec` with room for so many elements, in the memory of a dropped array, if that of
    /// one is kept.
    pub fn kept(len: usize) -> Option<Vec<T>> {
        let mut data = if Self::is_pooled(len) { pool::take::<T>(len)? } else { return None };
        data.clear();
        Some(data)
    }

    /// As [`reserved`], but the memory may be that of a dropped array.
    // Few, as part of the caller: what is returned in memory is waited for.
    #[inline(always)]
    pub fn reserved(len: usize, shape: &[usize]) -> Result<Vec<T>, LayoutError> {
        match Self::few(len) {
            Some(few) => Ok(few),
            None => Self::reserved_many(len, shape),
        }
    }

    #[inline(never)]
    fn reserved_many(len: usize, shape: &[usize]) -> Result<Vec<T>, LayoutError> {
        if let Some(data) = Self::kept(len) {
            return Ok(data);
        }
        // Whoever takes the memory over from this array may want it to begin at a cache line.
        let spare = if Self::is_pooled(len) { slack::<T>(len) } else { 0 };
        let room = len.saturating_add(spare);
        // Not as much as a `Vec` that has grown: see `is_kept`.
        reserved(if room.is_power_of_two() { room.saturating_add(spare) } else { room }, shape)
    }

    /// An empty `Vec` with room for so many elements, if they are too few for the pool, and if
    /// there is memory.
    #[inline(always)]
    pub fn few(len: usize) -> Option<Vec<T>> {
        if len.saturating_mul(size_of::<T>()) >= pool::SMALLEST {
            return None;
        }
        let first = NonNull::new(allocated::<T>(len))?;
        // SAFETY: `allocated` has asked the global allocator for memory of the layout of just `len`
        // elements, nothing else has it, and none of them is taken to be initialised.
        Some(unsafe { Vec::from_raw_parts(first.as_ptr(), 0, len) })
    }

    /// Memory for at least the `len` elements of an array of shape `shape`, all of them `value`.
    #[inline(never)]
    pub fn full(len: usize, shape: &[usize], value: T) -> Result<Self, LayoutError> {
        let all = len + slack::<T>(len);
        let mut data = Self::reserved(all, shape)?;
        if !filled_with_zeros(&mut data, all, &value) {
            fill_room(&mut data, all, value);
        }
        Ok(Buffer(data))
    }

    /// Memory for at least `len` elements, taken over from a dropped array, with its old values in
    /// it.
    #[inline]
    pub fn recycled(len: usize) -> Option<Self> {
        let all = len + slack::<T>(len);
        let mut data = if Self::is_pooled(all) { pool::take::<T>(all)? } else { return None };
        if data.len() < all {
            let some = data.first()?.clone();
            data.resize(all, some);
        }
        Some(Buffer(data))
    }

    /// The first element that begins a cache line, if there is room for it before `len` elements.
    pub fn aligned_start(&self, len: usize) -> usize {
        let start = self.0.as_ptr().align_offset(LINE);
        if start <= self.0.len() - len { start } else { 0 }
    }
}

/// Memory of the global allocator for just `len` elements, or null if there is none; if it takes no
/// bytes, any address.
// Not inlined, and in a register: a result in memory would be waited for.
#[inline(never)]
fn allocated<T>(len: usize) -> *mut T {
    match std::alloc::Layout::array::<T>(len) {
        Ok(layout) if layout.size() == 0 => NonNull::dangling().as_ptr(),
        // SAFETY: it is of some bytes.
        Ok(layout) => unsafe { std::alloc::alloc(layout).cast() },
        Err(_) => std::ptr::null_mut(),
    }
}

/// Appends `count` values, which a function makes of their numbers, to a list that has room for
/// them.
// A loop here, and not that of `extend`: that one is a function of its own, which reads all that
// the closure captures again for each value.
#[inline(always)]
pub(crate) fn append_each<T>(data: &mut Vec<T>, count: usize, mut value: impl FnMut(usize) -> T) {
    // In a `const` block, so that the closure is called in one place, and becomes part of the loop.
    if const { needs_drop::<T>() } {
        // What has been made is dropped if the closure panics.
        return data.extend((0..count).map(value));
    }
    let len = data.len();
    for (number, slot) in data.spare_capacity_mut()[..count].iter_mut().enumerate() {
        slot.write(value(number));
    }
    // SAFETY: there is room for `count` values, each of which has just been written.
    unsafe { data.set_len(len + count) };
}

/// Values of which there are said to be so many; in the memory of a dropped array, if some is kept:
/// else that of each would be made anew.
// A loop over slots: a `Vec` asks before each value whether there is room for it, unless it knows
// the iterator. (It knows slices that are chained, which takes it a fifth of the time of this loop;
// of elements of arrays this loop takes a quarter, and of a closure that keeps something a sixth.)
#[inline(always)]
pub(crate) fn collected<T: Item>(mut values: impl Iterator<Item = T>, len: usize) -> Vec<T> {
    if const { needs_drop::<T>() } {
        return values.collect();
    }
    let mut data = match Buffer::<T>::few(len) {
        Some(few) => few,
        None => Buffer::<T>::reserved_many(len, &[]).unwrap_or_else(|_| Vec::with_capacity(len)),
    };
    let mut made = 0;
    for slot in &mut data.spare_capacity_mut()[..len] {
        let Some(value) = values.next() else { break };
        slot.write(value);
        made += 1;
    }
    // SAFETY: there is room for as many, and the first `made` slots have just been written.
    unsafe { data.set_len(made) };
    // What an iterator says of its length may be wrong. Not by a call: what it borrows would be
    // known to others, and kept in memory.
    if made == len {
        for value in values {
            data.push(value);
        }
    }
    data
}

/// So many bytes of one value are copied on.
const PIECE: usize = 1 << 10;

/// So many are made one by one, as part of the caller.
pub(crate) const FEW_BYTES: usize = 2 * PIECE;

/// Fills memory with clones of a value: of much, if it is a number, the first bytes, which are
/// copied to the others. Compilers store the parts of a value one by one, and what copies memory
/// stores whole vectors, as wide as the machine has them.
#[inline]
pub(crate) fn fill<T: Item>(slots: &mut [T], value: T) {
    if !is_copied_on::<T>() || size_of_val(slots) <= FEW_BYTES {
        return slots.fill(value);
    }
    fill_many(slots, PIECE / size_of::<T>(), value);
}

/// Whether that takes less time: of single bytes, compilers make what sets memory.
#[inline]
fn is_copied_on<T: Item>() -> bool {
    size_of::<T>() > 1 && is_plain::<T>()
}

#[inline(never)]
fn fill_many<T: Item>(slots: &mut [T], few: usize, value: T) {
    let (first, others) = slots.split_at_mut(few);
    first.fill(value);
    for piece in others.chunks_mut(few) {
        piece.clone_from_slice(&first[..piece.len()]);
    }
}

/// As [`fill`], of an empty list with room for as many.
fn fill_room<T: Item>(data: &mut Vec<T>, len: usize, value: T) {
    let few = PIECE / size_of::<T>().max(1);
    if !is_copied_on::<T>() || len <= few {
        return data.resize(len, value);
    }
    data.resize(few, value);
    while data.len() < len {
        data.extend_from_within(..few.min(len - data.len()));
    }
}

/// Makes `len` zeros of an empty list with room for as many, if this is a zero, by what sets memory
/// as fast as can be, also in a build that optimises little; whether it is.
fn filled_with_zeros<T: Item>(data: &mut Vec<T>, len: usize, value: &T) -> bool {
    if !is_zero(value) {
        return false;
    }
    let slots = &mut data.spare_capacity_mut()[..len];
    // SAFETY: the slots are all that is written, and all bits of the value are zero, too: so `len`
    // of them hold a copy of it. A number owns nothing.
    unsafe {
        slots.as_mut_ptr().write_bytes(0, len);
        data.set_len(len);
    }
    true
}

/// Whether a value is a number of which all bits are zero.
fn is_zero<T: Item>(value: &T) -> bool {
    // SAFETY: a number is initialised to the last bit, because its type has no padding.
    is_plain::<T>()
        && unsafe { std::slice::from_raw_parts((&raw const *value).cast::<u8>(), size_of::<T>()) }
            .iter()
            .all(|byte| *byte == 0)
}

/// The elements to spare so that a large array can begin at a cache line.
#[inline]
fn slack<T>(len: usize) -> usize {
    const LARGE: usize = 1 << 14;
    let bytes = len.saturating_mul(size_of::<T>());
    // Values to spare would be cloned and dropped like all others.
    let spare = !needs_drop::<T>() && LINE.is_multiple_of(size_of::<T>());
    if spare && bytes >= LARGE { LINE / size_of::<T>() } else { 0 }
}

/// An empty `Vec` with room for the `len` elements of an array of shape `shape`, which is only
/// named in the error. Large ones lie in huge pages.
#[inline]
pub fn reserved<T>(len: usize, shape: &[usize]) -> Result<Vec<T>, LayoutError> {
    let mut data = Vec::new();
    if data.try_reserve_exact(len).is_err() {
        return Err(allocation_failed(shape, len.saturating_mul(size_of::<T>())));
    }
    ask_for_huge_pages(data.spare_capacity_mut());
    Ok(data)
}

/// As [`reserved`], for an array: the memory may be that of a dropped one.
#[inline(always)]
pub fn reserved_for_array<T: Item>(len: usize, shape: &[usize]) -> Result<Vec<T>, LayoutError> {
    Buffer::reserved(len, shape)
}

impl<T: Element> Buffer<MaybeUninit<T>> {
    /// Memory for at least the `len` elements of an array of shape `shape`, which is only named in
    /// the error; it may be that of a dropped array.
    #[inline]
    pub fn uninit(len: usize, shape: &[usize]) -> Result<Self, LayoutError> {
        let all = len + slack::<T>(len);
        let mut data = ManuallyDrop::new(Buffer::<T>::reserved(all, shape)?);
        let (first, room) = (data.as_mut_ptr().cast(), data.capacity());
        // SAFETY: the parts are those of a `Vec` that is not dropped, `MaybeUninit<T>` has the size
        // and alignment of `T`, and there is room for `all` of them, which need not be initialised.
        Ok(Buffer(unsafe { Vec::from_raw_parts(first, all, room) }))
    }
}

#[cold]
#[inline(never)]
fn allocation_failed(shape: &[usize], bytes: usize) -> LayoutError {
    LayoutErrorKind::AllocationFailed { shape: List::of(&shape), bytes }.into()
}

/// Tells the system that this memory may lie in huge pages, which it then makes a few at a time,
/// and not thousands: for fresh memory, before it is written.
///
/// ```
/// let mut fresh = vec![0.0_f32; 1 << 22];
/// ndcore::ask_for_huge_pages(&mut fresh);
/// assert!(fresh.iter().all(|x| *x == 0.0));
/// ```
#[inline]
#[allow(unused_variables)]
pub fn ask_for_huge_pages<T>(memory: &mut [T]) {
    const HUGE: usize = 1 << 21;
    #[cfg(target_os = "linux")]
    if size_of_val(memory) >= 2 * HUGE {
        let (start, bytes) = (memory.as_mut_ptr().cast::<u8>(), size_of_val(memory));
        let skip = start.align_offset(HUGE);
        if skip < bytes {
            // SAFETY: the range lies inside memory that is the caller's, begins at a page, and the
            // advice changes nothing in it. That it may be refused does not matter.
            unsafe {
                libc::madvise(start.wrapping_add(skip).cast(), bytes - skip, libc::MADV_HUGEPAGE)
            };
        }
    }
}
