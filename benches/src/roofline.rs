//! The least a workload could take: hand-written kernels that read and write as many bytes, and do
//! next to nothing with them.
//!
//! They use what is known to be best: buffers of their own in huge pages, all threads, the widest
//! vectors of the machine, streaming stores where the bytes do not fit in the last-level cache and
//! plain ones where they do.

#![allow(unsafe_code)]

use rayon::prelude::*;
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
    /// Three times as many, from one place.
    Third,
    /// Four times as many, from one place.
    Quarter,
    /// So many bytes, from one place; almost nothing is written.
    Read(usize),
    /// As many, and one of this number of equal parts of as many again.
    Planes(usize),
}

/// Buffers with a mix of traffic over them.
pub struct Roofline {
    mix: Mix,
    reads: [Buffer; 2],
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
        let words =
            if let Mix::Read(bytes) = mix { (bytes / 4).div_ceil(READ) } else { out_bytes / 4 };
        let reads = match mix {
            Mix::Read(_) => [words * READ, 0],
            Mix::Fill => [0, 0],
            Mix::Copy => [words, 0],
            Mix::Add => [words, words],
            Mix::Third => [words * 3, 0],
            Mix::Quarter => [words * 4, 0],
            Mix::Planes(planes) => [words, words / planes],
        };
        // `out` first, so that it tends to lie below the others: reads that are a little above the
        // last stores, by the lower bits of their addresses, wait for them.
        Roofline { mix, out: Buffer::new(words), reads: reads.map(Buffer::new) }
    }

    /// One pass.
    #[inline]
    pub fn run(&mut self) {
        let (reads, out) = (&self.reads, &mut *self.out);
        match self.mix {
            Mix::Add if out.len() < PLAIN => add_few(&reads[0], &reads[1], out),
            Mix::Fill => stream::<0, 0>([], &[], out),
            Mix::Copy => stream::<1, 0>([&reads[0]], &[], out),
            Mix::Add => stream::<2, 0>([&reads[0], &reads[1]], &[], out),
            Mix::Third => stream::<0, 3>([], &reads[0], out),
            Mix::Quarter => stream::<0, 4>([], &reads[0], out),
            Mix::Read(_) => stream::<0, READ>([], &reads[0], out),
            Mix::Planes(_) => planes(&reads[0], &reads[1], out),
        }
    }
}

/// Words in memory that begins at a cache line, and in huge pages if there is much of it.
struct Buffer {
    memory: Vec<u32>,
    start: usize,
}

impl Buffer {
    const HUGE_PAGE: usize = 2 << 20;

    /// Words all different, in memory that begins at a huge page if there is much of it.
    fn new(len: usize) -> Self {
        let align = if 4 * len >= Self::HUGE_PAGE { Self::HUGE_PAGE } else { 64 };
        // The library asks for huge pages. There is room to begin at the next boundary.
        let mut memory = zerostride::Array1::<u32>::full(len + align / 4, 0).into_vec();
        let start = memory.as_ptr().align_offset(align);
        memory.truncate(start + len);
        memory
            .par_iter_mut()
            .enumerate()
            .for_each(|(i, word)| *word = (i as u32).wrapping_mul(2_654_435_761));
        Buffer { memory, start }
    }
}

impl Deref for Buffer {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        &self.memory[self.start..]
    }
}

impl DerefMut for Buffer {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u32] {
        &mut self.memory[self.start..]
    }
}

/// Combined with every word: on some machines memory that holds zeros is written twice as fast, and
/// no workload does that.
const SALT: u32 = 0x3fc0_0001;

/// The words that are read for each one written, where there is nothing to write.
const READ: usize = 64;

/// Below this many words a plain loop is as good as any, and begins at once.
const PLAIN: usize = 128;

// Not inlined: as a function's own parameter, `out` is known to overlap nothing that is read.
#[inline(never)]
fn add_few(a: &[u32], b: &[u32], out: &mut [u32]) {
    out.iter_mut().zip(a.iter().zip(b)).for_each(|(word, (a, b))| *word = SALT ^ a ^ b);
}

/// Below this many bytes another thread is not worth waking.
const SERIAL: usize = 2 << 20;

/// `out` from `N` streams of its own length and one of `W` times its length.
fn stream<const N: usize, const W: usize>(same: [&[u32]; N], wide: &[u32], out: &mut [u32]) {
    let bytes = size_of_val(out) * (1 + N + W);
    let past_cache = bytes > last_level_cache();
    if bytes < SERIAL {
        kernel::<N, W>(&same, wide, out, past_cache);
        return;
    }
    let chunk = task_len(out.len(), past_cache);
    out.par_chunks_mut(chunk).enumerate().for_each(|(i, out)| {
        let range = i * chunk..i * chunk + out.len();
        let wide = &wide[W * range.start..W * range.end];
        kernel::<N, W>(&same.map(|stream| &stream[range.clone()]), wide, out, past_cache);
        fence(past_cache);
    });
}

/// Planes that share one operand, which is read again for each plane while it is still in the
/// first-level cache.
fn planes(images: &[u32], mask: &[u32], out: &mut [u32]) {
    const BLOCK: usize = 2048;
    let past_cache = size_of_val(out) * 2 + size_of_val(mask) > last_level_cache();
    let chunk = task_len(mask.len(), past_cache);
    let mut tasks: Vec<Vec<&mut [u32]>> =
        (0..mask.len().div_ceil(chunk)).map(|_| Vec::new()).collect();
    for plane in out.chunks_mut(mask.len()) {
        for (task, part) in tasks.iter_mut().zip(plane.chunks_mut(chunk)) {
            task.push(part);
        }
    }
    tasks.into_par_iter().enumerate().for_each(|(i, mut parts)| {
        let mask_part = &mask[i * chunk..][..parts[0].len()];
        for (j, mask_block) in mask_part.chunks(BLOCK).enumerate() {
            for (plane, part) in parts.iter_mut().enumerate() {
                let image =
                    &images[plane * mask.len() + i * chunk + j * BLOCK..][..mask_block.len()];
                kernel::<2, 0>(
                    &[image, mask_block],
                    &[],
                    &mut part[j * BLOCK..][..mask_block.len()],
                    past_cache,
                );
            }
        }
        fence(past_cache);
    });
}

/// Where there is much to do, several tasks for each thread, so that one that is late does not hold
/// up the others. Whole pages.
fn task_len(len: usize, past_cache: bool) -> usize {
    let tasks = if past_cache { 16 } else { 2 };
    len.div_ceil(tasks * rayon::current_num_threads()).next_multiple_of(1024)
}

/// The bytes of the last-level cache; 32 MiB where that cannot be found out.
pub fn last_level_cache() -> usize {
    static BYTES: OnceLock<usize> = OnceLock::new();
    *BYTES.get_or_init(|| {
        let read = |index: usize| {
            let text = std::fs::read_to_string(format!(
                "/sys/devices/system/cpu/cpu0/cache/index{index}/size"
            ))
            .ok()?;
            text.trim().strip_suffix('K')?.parse::<usize>().ok()
        };
        (0..8).filter_map(read).max().map_or(32 << 20, |kibibytes| kibibytes << 10)
    })
}

/// The words of a cache line.
type Line = [u32; 16];

/// Combines the streams line by line, and word by word before the first whole line of `out` and
/// after the last.
// Inlined, to be compiled for the instructions of the caller.
#[inline(always)]
fn lines<const N: usize, const W: usize>(
    same: &[&[u32]; N],
    wide: &[u32],
    out: &mut [u32],
    store: impl Fn(&mut Line, Line),
) {
    let head = out.as_ptr().align_offset(64).min(out.len());
    let tail = head + (out.len() - head) / 16 * 16;
    for i in (0..head).chain(tail..out.len()) {
        let narrowed = wide[W * i..][..W].iter().fold(SALT, |word, read| word ^ read);
        out[i] = same.iter().fold(narrowed, |word, stream| word ^ stream[i]);
    }
    let whole = out[head..].as_chunks_mut::<16>().0;
    // Slices of known length, so that no access needs a check.
    let same = same.each_ref().map(|stream| &stream[head..].as_chunks::<16>().0[..whole.len()]);
    let wide = &wide[W * head..].as_chunks::<16>().0[..W * whole.len()];
    for i in 0..whole.len() {
        let mut line = [SALT; 16];
        for stream in same {
            join(&mut line, &stream[i]);
        }
        for j in 0..W {
            join(&mut line, &wide[W * i + j]);
        }
        store(&mut whole[i], line);
    }
}

/// Combines a line with another one.
#[inline(always)]
fn join(line: &mut Line, read: &Line) {
    line.iter_mut().zip(read).for_each(|(word, read)| *word ^= read);
}

/// The loop by the best instructions of the machine.
///
/// `same` stays where it is: a copy of it by vectors would wait for the words it was just made of.
fn kernel<const N: usize, const W: usize>(
    same: &[&[u32]; N],
    wide: &[u32],
    out: &mut [u32],
    past_cache: bool,
) {
    assert!(same.iter().all(|stream| stream.len() == out.len()) && wide.len() == W * out.len());
    #[cfg(target_arch = "x86_64")]
    {
        let avx512 = is_x86_feature_detected!("avx512f");
        if avx512 || is_x86_feature_detected!("avx2") {
            // SAFETY: the functions ask for nothing but their instructions, which the machine has.
            return unsafe {
                if avx512 {
                    x86::avx512::<N, W>(same, wide, out, past_cache)
                } else {
                    x86::avx2::<N, W>(same, wide, out, past_cache)
                }
            };
        }
    }
    // There is no portable streaming store.
    let _ = past_cache;
    lines::<N, W>(same, wide, out, |to, line| *to = line);
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

    #[target_feature(enable = "avx512f")]
    pub fn avx512<const N: usize, const W: usize>(
        same: &[&[u32]; N],
        wide: &[u32],
        out: &mut [u32],
        past_cache: bool,
    ) {
        if past_cache {
            lines::<N, W>(same, wide, out, |to, line| stream512(to, line));
        } else {
            lines::<N, W>(same, wide, out, |to, line| *to = line);
        }
    }

    #[target_feature(enable = "avx2")]
    pub fn avx2<const N: usize, const W: usize>(
        same: &[&[u32]; N],
        wide: &[u32],
        out: &mut [u32],
        past_cache: bool,
    ) {
        if past_cache {
            lines::<N, W>(same, wide, out, |to, line| stream256(to, line));
        } else {
            lines::<N, W>(same, wide, out, |to, line| *to = line);
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn stream512(to: &mut Line, line: Line) {
        let to = to.as_mut_ptr();
        assert!(to.addr().is_multiple_of(64));
        // SAFETY: 64 bytes are borrowed for writing, and aligned to 64; any bits are a vector.
        unsafe { _mm512_stream_si512(to.cast(), std::mem::transmute::<Line, __m512i>(line)) };
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn stream256(to: &mut Line, line: Line) {
        let to = to.as_mut_ptr();
        assert!(to.addr().is_multiple_of(64));
        // SAFETY: 64 bytes are borrowed for writing, and aligned to 64; any bits are vectors.
        unsafe {
            let [low, high] = std::mem::transmute::<Line, [__m256i; 2]>(line);
            _mm256_stream_si256(to.cast(), low);
            _mm256_stream_si256(to.add(8).cast(), high);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each mix writes what it reads, at lengths with a head, a tail and several tasks, with both
    /// kinds of store.
    #[test]
    fn every_word_is_read_and_written() {
        for past_cache in [false, true] {
            for len in [0, 1, 15, 16, 17, 100, 1000] {
                for skip in [0, 1, 5] {
                    let words = |seed: u32, len: usize| -> Vec<u32> {
                        (0..len as u32).map(|i| i * 77 + seed).collect()
                    };
                    let (a, b, wide) = (words(1, len), words(2, len), words(3, 3 * len));
                    let mut memory = vec![0; skip + len];
                    kernel::<2, 0>(&[&a, &b], &[], &mut memory[skip..], past_cache);
                    fence(past_cache);
                    assert!((0..len).all(|i| memory[skip + i] == SALT ^ a[i] ^ b[i]));
                    kernel::<0, 3>(&[], &wide, &mut memory[skip..], past_cache);
                    fence(past_cache);
                    // Which of the three words meet depends on the line; all of them do.
                    let all = |words: &[u32]| words.iter().fold(0, |x, y| x ^ y);
                    let salt = if len % 2 == 0 { 0 } else { SALT };
                    assert_eq!(all(&memory[skip..]), salt ^ all(&wide));
                }
            }
        }
    }

    #[test]
    fn mixes_run_at_several_sizes() {
        for mix in [Mix::Fill, Mix::Copy, Mix::Add, Mix::Third, Mix::Quarter, Mix::Planes(3)] {
            for words in [3, 3 * 1000, 3 << 18] {
                let mut roofline = Roofline::new(mix, 4 * words);
                roofline.reads.iter_mut().for_each(|read| read.fill(5));
                roofline.out.fill(7);
                roofline.run();
                // Zero or three fives, or one; an even number of fives is nothing.
                let expected = match mix {
                    Mix::Copy | Mix::Third => 5,
                    _ => 0,
                };
                assert!(
                    roofline.out.iter().all(|&word| word == SALT ^ expected),
                    "{mix:?} of {words} words"
                );
            }
        }
    }
}
