//! The least a workload could take: hand-written kernels that read and write as many bytes, and do
//! next to nothing with them.
//!
//! They use buffers of their own in huge pages, all threads and the widest vectors of the machine.
//! What else is best depends on the machine and on the traffic, so where there is much of it each
//! roofline is the best of several [`Way`]s, which take part in a trial before it is timed.

#![allow(unsafe_code)]

use rayon::prelude::*;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

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

/// How a thread goes over memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// Whether it stores past the cache.
    pub past_cache: bool,
    /// In how many places it reads and writes in turn, a page or less in each.
    pub streams: usize,
    /// Whether it asks for lines before it reads them.
    pub prefetches: bool,
    /// Whether what is read begins at other places within pages than what is written: loads and
    /// stores whose addresses agree in the lower 12 bits may wait for each other.
    pub apart: bool,
}

impl Way {
    /// The plain one.
    const PLAIN: Way = Way { past_cache: false, streams: 1, prefetches: false, apart: false };
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Way { past_cache, streams, prefetches, apart } = *self;
        write!(f, "{} stores", if past_cache { "streaming" } else { "plain" })?;
        write!(f, ", {streams} {}", if streams == 1 { "stream" } else { "streams" })?;
        write!(f, "{}", if prefetches { ", prefetched" } else { "" })?;
        write!(f, "{}", if apart { ", apart" } else { "" })
    }
}

/// Buffers with a mix of traffic over them.
pub struct Roofline {
    mix: Mix,
    way: Way,
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
        let (out, reads) = (Buffer::new(words), reads.map(Buffer::new));
        let mut roofline = Roofline { mix, way: Way::PLAIN, out, reads };
        roofline.choose();
        roofline
    }

    /// The way that was found to be the best.
    pub fn way(&self) -> Way {
        self.way
    }

    /// One pass.
    #[inline]
    pub fn run(&mut self) {
        let (way, out) = (self.way, &mut *self.out);
        let [a, b] =
            [0, 1].map(|number| self.reads[number].from(if way.apart { number + 1 } else { 0 }));
        match self.mix {
            Mix::Add if out.len() < PLAIN => add_few(a, b, out),
            Mix::Fill => stream::<0, 0>([], &[], out, way),
            Mix::Copy => stream::<1, 0>([a], &[], out, way),
            Mix::Add => stream::<2, 0>([a, b], &[], out, way),
            Mix::Third => stream::<0, 3>([], a, out, way),
            Mix::Quarter => stream::<0, 4>([], a, out, way),
            Mix::Read(_) => stream::<0, READ>([], a, out, way),
            Mix::Planes(_) => planes(a, b, out, way),
        }
    }

    /// Tries one thing after the other, and keeps what gains.
    fn choose(&mut self) {
        let words = self.out.len() + self.reads.iter().map(|read| read.len()).sum::<usize>();
        if 4 * words < SERIAL {
            return;
        }
        let changes: [fn(&mut Way); 5] = [
            |way| way.past_cache = true,
            |way| way.apart = true,
            |way| way.streams = 2,
            |way| way.streams = 4,
            |way| way.prefetches = true,
        ];
        let mut least = self.time();
        for change in changes {
            let before = self.way;
            change(&mut self.way);
            let time = self.time();
            if time.as_secs_f64() < 0.98 * least.as_secs_f64() {
                least = time;
            } else {
                self.way = before;
            }
        }
    }

    /// The least time of a few passes.
    fn time(&mut self) -> Duration {
        let mut pass = || {
            let start = Instant::now();
            self.run();
            start.elapsed()
        };
        pass();
        (0..5).map(|_| pass()).min().expect("there are some")
    }
}

/// Words in memory that begins at a cache line, and in huge pages if there is much of it.
struct Buffer {
    memory: Vec<u32>,
    start: usize,
    len: usize,
}

impl Buffer {
    const HUGE_PAGE: usize = 2 << 20;
    /// How far apart places within pages are, in words: a quarter of a page and a line.
    const APART: usize = 272;

    /// Words all different, in memory that begins at a huge page if there is much of it.
    fn new(len: usize) -> Self {
        let align = if 4 * len >= Self::HUGE_PAGE { Self::HUGE_PAGE } else { 64 };
        // The library asks for huge pages. There is room to begin at the next boundary.
        let more = 2 * Self::APART;
        let mut memory = zerostride::Array1::<u32>::full(len + more + align / 4, 0).into_vec();
        let start = memory.as_ptr().align_offset(align);
        memory.truncate(start + len + more);
        memory
            .par_iter_mut()
            .enumerate()
            .for_each(|(i, word)| *word = (i as u32).wrapping_mul(2_654_435_761));
        Buffer { memory, start, len }
    }

    /// As many words, so many places further on.
    #[inline]
    fn from(&self, places: usize) -> &[u32] {
        &self.memory[self.start + places * Self::APART..][..self.len]
    }
}

impl Deref for Buffer {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        &self.memory[self.start..][..self.len]
    }
}

impl DerefMut for Buffer {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u32] {
        &mut self.memory[self.start..][..self.len]
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
fn stream<const N: usize, const W: usize>(
    same: [&[u32]; N],
    wide: &[u32],
    out: &mut [u32],
    way: Way,
) {
    if size_of_val(out) * (1 + N + W) < SERIAL {
        kernel::<N, W>(&same, wide, out, way);
        return;
    }
    let chunk = task_len(out.len(), way.past_cache);
    out.par_chunks_mut(chunk).enumerate().for_each(|(i, out)| {
        let range = i * chunk..i * chunk + out.len();
        let wide = &wide[W * range.start..W * range.end];
        in_turn::<N, W>(same.map(|stream| &stream[range.clone()]), wide, out, way);
        fence(way.past_cache);
    });
}

/// Equal parts in turn, a page or less of each.
fn in_turn<const N: usize, const W: usize>(
    same: [&[u32]; N],
    wide: &[u32],
    out: &mut [u32],
    way: Way,
) {
    if way.streams == 1 {
        return kernel::<N, W>(&same, wide, out, way);
    }
    let piece = (1024 / (N + W).max(1)).next_multiple_of(16);
    let part = out.len().div_ceil(way.streams).next_multiple_of(piece);
    for from in (0..part).step_by(piece) {
        for start in (from..out.len()).step_by(part) {
            let end = (start + piece).min(out.len());
            let same = same.map(|stream| &stream[start..end]);
            kernel::<N, W>(&same, &wide[W * start..W * end], &mut out[start..end], way);
        }
    }
}

/// Planes that share one operand, which is read again for each plane while it is still in the
/// first-level cache.
fn planes(images: &[u32], mask: &[u32], out: &mut [u32], way: Way) {
    const BLOCK: usize = 2048;
    let chunk = task_len(mask.len(), way.past_cache);
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
                    way,
                );
            }
        }
        fence(way.past_cache);
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
fn lines<const N: usize, const W: usize, const PREFETCH: bool>(
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
            if PREFETCH {
                prefetch(stream, i);
            }
            join(&mut line, &stream[i]);
        }
        for j in 0..W {
            if PREFETCH {
                prefetch(wide, W * i + j);
            }
            join(&mut line, &wide[W * i + j]);
        }
        store(&mut whole[i], line);
    }
}

/// Asks for a line that is read soon after this one; there may be none.
#[inline(always)]
fn prefetch(lines: &[Line], line: usize) {
    const AHEAD: usize = 24;
    let _ahead = lines.as_ptr().wrapping_add(line + AHEAD);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 has SSE, and a prefetch reads nothing, whatever the address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(_ahead.cast());
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
    way: Way,
) {
    assert!(same.iter().all(|stream| stream.len() == out.len()) && wide.len() == W * out.len());
    #[cfg(target_arch = "x86_64")]
    {
        let avx512 = is_x86_feature_detected!("avx512f");
        if avx512 || is_x86_feature_detected!("avx2") {
            // SAFETY: the functions ask for nothing but their instructions, which the machine has.
            return unsafe {
                match (avx512, way.prefetches) {
                    (true, true) => x86::avx512::<N, W, true>(same, wide, out, way.past_cache),
                    (true, false) => x86::avx512::<N, W, false>(same, wide, out, way.past_cache),
                    (false, true) => x86::avx2::<N, W, true>(same, wide, out, way.past_cache),
                    (false, false) => x86::avx2::<N, W, false>(same, wide, out, way.past_cache),
                }
            };
        }
    }
    // There is no portable streaming store.
    let _ = way;
    lines::<N, W, false>(same, wide, out, |to, line| *to = line);
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
    pub fn avx512<const N: usize, const W: usize, const PREFETCH: bool>(
        same: &[&[u32]; N],
        wide: &[u32],
        out: &mut [u32],
        past_cache: bool,
    ) {
        if past_cache {
            lines::<N, W, PREFETCH>(same, wide, out, |to, line| stream512(to, line));
        } else {
            lines::<N, W, PREFETCH>(same, wide, out, |to, line| *to = line);
        }
    }

    #[target_feature(enable = "avx2")]
    pub fn avx2<const N: usize, const W: usize, const PREFETCH: bool>(
        same: &[&[u32]; N],
        wide: &[u32],
        out: &mut [u32],
        past_cache: bool,
    ) {
        if past_cache {
            lines::<N, W, PREFETCH>(same, wide, out, |to, line| stream256(to, line));
        } else {
            lines::<N, W, PREFETCH>(same, wide, out, |to, line| *to = line);
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
        for (past_cache, prefetches) in [(false, false), (true, false), (false, true), (true, true)]
        {
            let way = Way { past_cache, prefetches, ..Way::PLAIN };
            for len in [0, 1, 15, 16, 17, 100, 1000] {
                for skip in [0, 1, 5] {
                    let words = |seed: u32, len: usize| -> Vec<u32> {
                        (0..len as u32).map(|i| i * 77 + seed).collect()
                    };
                    let (a, b, wide) = (words(1, len), words(2, len), words(3, 3 * len));
                    let mut memory = vec![0; skip + len];
                    kernel::<2, 0>(&[&a, &b], &[], &mut memory[skip..], way);
                    fence(past_cache);
                    assert!((0..len).all(|i| memory[skip + i] == SALT ^ a[i] ^ b[i]));
                    kernel::<0, 3>(&[], &wide, &mut memory[skip..], way);
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
                roofline.reads.iter_mut().for_each(|read| read.memory.fill(5));
                // Zero or three fives, or one; an even number of fives is nothing.
                let expected = match mix {
                    Mix::Copy | Mix::Third => 5,
                    _ => 0,
                };
                for (streams, apart) in [(1, false), (2, true), (4, false)] {
                    roofline.way = Way { streams, apart, ..roofline.way };
                    roofline.out.fill(7);
                    roofline.run();
                    assert!(
                        roofline.out.iter().all(|&word| word == SALT ^ expected),
                        "{mix:?} of {words} words, {}",
                        roofline.way
                    );
                }
            }
        }
    }
}
