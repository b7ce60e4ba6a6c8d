//! The least a workload could take: hand-written kernels that read and write as many bytes, and do next to nothing with them.
//!
//! They use what is known to be best: buffers of their own in huge pages, all threads, the widest vectors of the machine, streaming stores
//! where the bytes do not fit in the last-level cache and plain ones where they do.

#![allow(unsafe_code)]

use rayon::prelude::*;
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

/// Which bytes are read for those that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mix {
    /// None.
    Fill,
    /// As many.
    Copy,
    /// Twice as many, from two places.
    Add,
    /// This many times as many, from one place: 3 or 4.
    Narrow(usize),
    /// As many, and one of this number of equal parts of as many again.
    Planes(usize),
}

/// Buffers with a mix of traffic over them.
pub struct Roofline {
    mix: Mix,
    reads: Vec<Buffer>,
    out: Buffer,
}

impl fmt::Debug for Roofline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Roofline").field("mix", &self.mix).finish_non_exhaustive()
    }
}

impl Roofline {
    /// Traffic that writes this many bytes, a multiple of 4.
    pub fn new(mix: Mix, out_bytes: usize) -> Self {
        let words = out_bytes / 4;
        let reads = match mix {
            Mix::Fill => vec![],
            Mix::Copy => vec![words],
            Mix::Add => vec![words, words],
            Mix::Narrow(times) => vec![words * times],
            Mix::Planes(planes) => vec![words, words / planes],
        };
        Roofline { mix, reads: reads.into_iter().map(Buffer::new).collect(), out: Buffer::new(words) }
    }

    /// One pass.
    #[inline]
    pub fn run(&mut self) {
        let (reads, out) = (&self.reads, &mut *self.out);
        match self.mix {
            Mix::Add if out.len() < PLAIN => {
                out.iter_mut().zip(reads[0].iter().zip(&*reads[1])).for_each(|(word, (a, b))| *word = a ^ b);
            }
            Mix::Fill => stream::<0, 0>([], &[], out),
            Mix::Copy => stream::<1, 0>([&reads[0]], &[], out),
            Mix::Add => stream::<2, 0>([&reads[0], &reads[1]], &[], out),
            Mix::Narrow(3) => stream::<0, 3>([], &reads[0], out),
            Mix::Narrow(4) => stream::<0, 4>([], &reads[0], out),
            Mix::Narrow(times) => unimplemented!("a kernel that reads {times} times what it writes"),
            Mix::Planes(_) => planes(&reads[0], &reads[1], out),
        }
    }
}

/// Words in memory that begins at a cache line, and in huge pages if there is much of it.
struct Buffer {
    start: *mut u32,
    len: usize,
    layout: Layout,
}

impl Buffer {
    const HUGE_PAGE: usize = 2 << 20;

    /// Zeros.
    fn new(len: usize) -> Self {
        let bytes = (4 * len).max(64);
        let align = if bytes >= Self::HUGE_PAGE { Self::HUGE_PAGE } else { 64 };
        let layout = Layout::from_size_align(bytes, align).expect("the size fits in memory");
        // SAFETY: the layout has a size.
        let start = unsafe { alloc(layout) };
        if start.is_null() {
            handle_alloc_error(layout);
        }
        #[cfg(target_os = "linux")]
        if align == Self::HUGE_PAGE {
            // SAFETY: whole pages within the allocation; the advice does not change what they hold.
            unsafe { libc::madvise(start.cast(), bytes / Self::HUGE_PAGE * Self::HUGE_PAGE, libc::MADV_HUGEPAGE) };
        }
        // SAFETY: `bytes` are allocated from `start` on.
        unsafe { start.write_bytes(0, bytes) };
        Buffer { start: start.cast(), len, layout }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { dealloc(self.start.cast(), self.layout) };
    }
}

impl Deref for Buffer {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        // SAFETY: the buffer owns `len` words from `start` on, initialised in `new` and aligned to more than a word.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u32] {
        // SAFETY: as in `deref`, and `self` is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.len) }
    }
}

/// Below this many words a plain loop is as good as any, and begins at once.
const PLAIN: usize = 128;

/// Below this many bytes another thread is not worth waking.
const SERIAL: usize = 2 << 20;

/// `out` from `N` streams of its own length and one of `W` times its length.
fn stream<const N: usize, const W: usize>(same: [&[u32]; N], wide: &[u32], out: &mut [u32]) {
    let bytes = size_of_val(out) * (1 + N + W);
    let past_cache = bytes > last_level_cache();
    if bytes < SERIAL {
        kernel::<N, W>(same, wide, out, past_cache);
        return;
    }
    let chunk = task_len(out.len(), past_cache);
    out.par_chunks_mut(chunk).enumerate().for_each(|(i, out)| {
        let range = i * chunk..i * chunk + out.len();
        let wide = &wide[W * range.start..W * range.end];
        kernel::<N, W>(same.map(|stream| &stream[range.clone()]), wide, out, past_cache);
        fence(past_cache);
    });
}

/// Planes that share one operand, which is read again for each plane while it is still in the first-level cache.
fn planes(images: &[u32], mask: &[u32], out: &mut [u32]) {
    const BLOCK: usize = 2048;
    let past_cache = size_of_val(out) * 2 + size_of_val(mask) > last_level_cache();
    let chunk = task_len(mask.len(), past_cache);
    let mut tasks: Vec<Vec<&mut [u32]>> = (0..mask.len().div_ceil(chunk)).map(|_| Vec::new()).collect();
    for plane in out.chunks_mut(mask.len()) {
        for (task, part) in tasks.iter_mut().zip(plane.chunks_mut(chunk)) {
            task.push(part);
        }
    }
    tasks.into_par_iter().enumerate().for_each(|(i, mut parts)| {
        let mask_part = &mask[i * chunk..][..parts[0].len()];
        for (j, mask_block) in mask_part.chunks(BLOCK).enumerate() {
            for (plane, part) in parts.iter_mut().enumerate() {
                let image = &images[plane * mask.len() + i * chunk + j * BLOCK..][..mask_block.len()];
                kernel::<2, 0>([image, mask_block], &[], &mut part[j * BLOCK..][..mask_block.len()], past_cache);
            }
        }
        fence(past_cache);
    });
}

/// Where there is much to do, several tasks for each thread, so that one that is late does not hold up the others. Whole pages.
fn task_len(len: usize, past_cache: bool) -> usize {
    let tasks = if past_cache { 16 } else { 2 };
    len.div_ceil(tasks * rayon::current_num_threads()).next_multiple_of(1024)
}

/// The bytes of the last-level cache; 32 MiB where that cannot be found out.
pub fn last_level_cache() -> usize {
    static BYTES: OnceLock<usize> = OnceLock::new();
    *BYTES.get_or_init(|| {
        let read = |index: usize| {
            let text =
                std::fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size")).ok()?;
            text.trim().strip_suffix('K')?.parse::<usize>().ok()
        };
        (0..8).filter_map(read).max().map_or(32 << 20, |kibibytes| kibibytes << 10)
    })
}

/// A cache line in registers.
trait Line: Copy {
    /// Sixteen words.
    const ZERO: Self;

    /// # Safety
    /// The line can be read, and the machine has the instructions; so for all functions here.
    unsafe fn load(from: *const u32) -> Self;
    unsafe fn join(self, other: Self) -> Self;
    /// # Safety
    /// The line can be written.
    unsafe fn store(self, to: *mut u32);
    /// # Safety
    /// The line can be written, and is one: `to` is aligned to it.
    unsafe fn stream(self, to: *mut u32);
}

impl Line for [u32; 16] {
    const ZERO: Self = [0; 16];

    #[inline(always)]
    unsafe fn load(from: *const u32) -> Self {
        // SAFETY: as above.
        unsafe { from.cast::<Self>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn join(self, other: Self) -> Self {
        std::array::from_fn(|i| self[i] ^ other[i])
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u32) {
        // SAFETY: as above.
        unsafe { to.cast::<Self>().write_unaligned(self) }
    }

    #[inline(always)]
    unsafe fn stream(self, to: *mut u32) {
        // SAFETY: as above. There is no portable streaming store.
        unsafe { self.store(to) }
    }
}

/// # Safety
/// The machine has the instructions of `L`, and all streams are as long as [`kernel`] says.
#[inline(always)]
unsafe fn lines<L: Line, const N: usize, const W: usize>(
    same: [&[u32]; N],
    wide: &[u32],
    out: &mut [u32],
    past_cache: bool,
) {
    const LINE: usize = 16;
    let head = if past_cache { out.as_ptr().align_offset(64).min(out.len()) } else { 0 };
    let tail = head + (out.len() - head) / LINE * LINE;
    for i in (0..head).chain(tail..out.len()) {
        let narrowed = (0..W).fold(0, |word, j| word ^ wide[W * i + j]);
        out[i] = same.iter().fold(narrowed, |word, stream| word ^ stream[i]);
    }
    let out = out.as_mut_ptr();
    let mut i = head;
    while i < tail {
        // SAFETY: `i + LINE <= tail <= out.len()`, the other streams are as long or `W` times as long, and for streaming stores the head ended
        // at a line.
        unsafe {
            let mut line = L::ZERO;
            for stream in same {
                line = line.join(L::load(stream.as_ptr().add(i)));
            }
            for j in 0..W {
                line = line.join(L::load(wide.as_ptr().add(W * i + LINE * j)));
            }
            if past_cache { line.stream(out.add(i)) } else { line.store(out.add(i)) }
        }
        i += LINE;
    }
}

/// The loop by the best instructions of the machine.
fn kernel<const N: usize, const W: usize>(same: [&[u32]; N], wide: &[u32], out: &mut [u32], past_cache: bool) {
    assert!(same.iter().all(|stream| stream.len() == out.len()) && wide.len() == W * out.len());
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the machine has AVX-512, and the lengths have been checked.
            return unsafe { x86::avx512::<N, W>(same, wide, out, past_cache) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the machine has AVX2, and the lengths have been checked.
            return unsafe { x86::avx2::<N, W>(same, wide, out, past_cache) };
        }
    }
    // SAFETY: every machine can do this, and the lengths have been checked.
    unsafe { lines::<[u32; 16], N, W>(same, wide, out, past_cache) }
}

/// Streaming stores are weakly ordered: before another thread may look, they are to be done.
fn fence(past_cache: bool) {
    #[cfg(target_arch = "x86_64")]
    if past_cache {
        // SAFETY: every x86-64 has SSE.
        unsafe { std::arch::x86_64::_mm_sfence() };
    }
    let _ = past_cache;
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Line, lines};
    use std::arch::x86_64::*;

    /// # Safety
    /// As for [`lines`].
    #[target_feature(enable = "avx512f")]
    pub unsafe fn avx512<const N: usize, const W: usize>(
        same: [&[u32]; N],
        wide: &[u32],
        out: &mut [u32],
        past_cache: bool,
    ) {
        // SAFETY: passed on.
        unsafe { lines::<__m512i, N, W>(same, wide, out, past_cache) }
    }

    /// # Safety
    /// As for [`lines`].
    #[target_feature(enable = "avx2")]
    pub unsafe fn avx2<const N: usize, const W: usize>(
        same: [&[u32]; N],
        wide: &[u32],
        out: &mut [u32],
        past_cache: bool,
    ) {
        // SAFETY: passed on.
        unsafe { lines::<[__m256i; 2], N, W>(same, wide, out, past_cache) }
    }

    // SAFETY of all: the callers of the trait's functions promise the memory and the instructions.

    impl Line for __m512i {
        // SAFETY: all bits zero are a vector.
        const ZERO: Self = unsafe { std::mem::zeroed() };

        #[inline(always)]
        unsafe fn load(from: *const u32) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_loadu_si512(from.cast()) }
        }

        #[inline(always)]
        unsafe fn join(self, other: Self) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_xor_si512(self, other) }
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut u32) {
            // SAFETY: as above.
            unsafe { _mm512_storeu_si512(to.cast(), self) }
        }

        #[inline(always)]
        unsafe fn stream(self, to: *mut u32) {
            // SAFETY: as above.
            unsafe { _mm512_stream_si512(to.cast(), self) }
        }
    }

    impl Line for [__m256i; 2] {
        // SAFETY: all bits zero are vectors.
        const ZERO: Self = unsafe { std::mem::zeroed() };

        #[inline(always)]
        unsafe fn load(from: *const u32) -> Self {
            // SAFETY: as above.
            unsafe { [_mm256_loadu_si256(from.cast()), _mm256_loadu_si256(from.add(8).cast())] }
        }

        #[inline(always)]
        unsafe fn join(self, other: Self) -> Self {
            // SAFETY: as above.
            unsafe { [_mm256_xor_si256(self[0], other[0]), _mm256_xor_si256(self[1], other[1])] }
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut u32) {
            // SAFETY: as above.
            unsafe {
                _mm256_storeu_si256(to.cast(), self[0]);
                _mm256_storeu_si256(to.add(8).cast(), self[1]);
            }
        }

        #[inline(always)]
        unsafe fn stream(self, to: *mut u32) {
            // SAFETY: as above.
            unsafe {
                _mm256_stream_si256(to.cast(), self[0]);
                _mm256_stream_si256(to.add(8).cast(), self[1]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each mix writes what it reads, at lengths with a head, a tail and several tasks, with both kinds of store.
    #[test]
    fn every_word_is_read_and_written() {
        for past_cache in [false, true] {
            for len in [0, 1, 15, 16, 17, 100, 1000] {
                for skip in [0, 1, 5] {
                    let words =
                        |seed: u32, len: usize| -> Vec<u32> { (0..len as u32).map(|i| i * 77 + seed).collect() };
                    let (a, b, wide) = (words(1, len), words(2, len), words(3, 3 * len));
                    let mut memory = vec![0; skip + len];
                    kernel::<2, 0>([&a, &b], &[], &mut memory[skip..], past_cache);
                    fence(past_cache);
                    assert!((0..len).all(|i| memory[skip + i] == a[i] ^ b[i]));
                    kernel::<0, 3>([], &wide, &mut memory[skip..], past_cache);
                    fence(past_cache);
                    // Which of the three words meet depends on the line; all of them do.
                    let all = |words: &[u32]| words.iter().fold(0, |x, y| x ^ y);
                    assert_eq!(all(&memory[skip..]), all(&wide));
                }
            }
        }
    }

    #[test]
    fn mixes_run_at_several_sizes() {
        for mix in [Mix::Fill, Mix::Copy, Mix::Add, Mix::Narrow(3), Mix::Narrow(4), Mix::Planes(3)] {
            for words in [3, 3 * 1000, 3 << 18] {
                let mut roofline = Roofline::new(mix, 4 * words);
                roofline.reads.iter_mut().for_each(|read| read.fill(5));
                roofline.out.fill(7);
                roofline.run();
                // Zero or three fives, or one; an even number of fives is nothing.
                let expected = match mix {
                    Mix::Copy | Mix::Narrow(3) => 5,
                    _ => 0,
                };
                assert!(roofline.out.iter().all(|&word| word == expected), "{mix:?} of {words} words");
            }
        }
    }
}
