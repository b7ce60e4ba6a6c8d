//! Instruction sets, chosen at run time.

use super::{Block, Store};
use ndcore::LINE;

/// An instruction set that this machine has: a value of this type can only be had by detection.
///
/// Results do not depend on it; speed does.
///
/// ```
/// use elementwise::Isa;
/// println!("{} of {:?}", Isa::best().name(), Isa::available());
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Isa(Level);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    /// What the program was compiled for.
    Baseline,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Isa {
    /// What the program was compiled for; runs on every machine.
    pub const BASELINE: Isa = Isa(Level::Baseline);

    /// The best that this machine has.
    #[inline]
    pub fn best() -> Isa {
        #[cfg(target_arch = "x86_64")]
        {
            if has_avx512() {
                return Isa(Level::Avx512);
            }
            if is_x86_feature_detected!("avx2") {
                return Isa(Level::Avx2);
            }
        }
        Isa::BASELINE
    }

    /// All that this machine has, the slowest first.
    pub fn available() -> Vec<Isa> {
        #[allow(unused_mut)]
        let mut all = vec![Isa::BASELINE];
        #[cfg(target_arch = "x86_64")]
        {
            all.extend(is_x86_feature_detected!("avx2").then_some(Isa(Level::Avx2)));
            all.extend(has_avx512().then_some(Isa(Level::Avx512)));
        }
        all
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self.0 {
            Level::Baseline => "the baseline",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => "AVX-512",
        }
    }

    /// How many elements of `size` bytes one vector register holds.
    pub fn lanes(&self, size: usize) -> usize {
        let bytes = match self.0 {
            Level::Baseline => 16,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => 32,
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => 64,
        };
        (bytes / size.max(1)).max(1)
    }
}

impl std::fmt::Debug for Isa {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
}

/// Computes a run: the one inner loop of an expression, compiled for each instruction set.
///
/// With `streamed` it stores past the cache, where the machine can: for an output that will not be read again soon. Whole cache lines are then
/// written without being read first. [`stream_fence`] must follow before another thread reads the output.
#[inline]
pub fn run<B: Block, S: Store<B::Elem>>(isa: Isa, streamed: bool, store: &S, out: &mut [S::Slot], block: B) {
    let run: unsafe fn(&S, &mut [S::Slot], B) = match (isa.0, streamed) {
        (Level::Baseline, _) => run_baseline,
        #[cfg(target_arch = "x86_64")]
        (Level::Avx2, false) => run_avx2,
        #[cfg(target_arch = "x86_64")]
        (Level::Avx2, true) => stream::run_avx2,
        #[cfg(target_arch = "x86_64")]
        (Level::Avx512, false) => run_avx512,
        #[cfg(target_arch = "x86_64")]
        (Level::Avx512, true) => stream::run_avx512,
    };
    // SAFETY: a function of a level only asks for a machine that has its features, and an `Isa` of that level exists only if this one was
    // found to.
    unsafe { run(store, out, block) }
}

/// Makes what [`run`] has stored past the cache visible to other threads, in the order of the program.
#[inline]
pub fn stream_fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 machine has this instruction, and it has no precondition.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

#[inline(always)]
#[allow(clippy::needless_range_loop)]
fn run_any<B: Block, S: Store<B::Elem>>(store: &S, out: &mut [S::Slot], block: B) {
    // Counted by a plain range, and with the lengths known to be equal: then no access needs a check, which would cost the loop its last
    // whole vector.
    let len = out.len();
    let block = block.part(0, len);
    for i in 0..len {
        store.put(&mut out[i], block.get(i));
    }
}

// Not inlined: as a function's own parameter, `out` is known to overlap nothing that is read.
#[inline(never)]
fn run_baseline<B: Block, S: Store<B::Elem>>(store: &S, out: &mut [S::Slot], block: B) {
    run_any(store, out, block);
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2")]
fn run_avx2<B: Block, S: Store<B::Elem>>(store: &S, out: &mut [S::Slot], block: B) {
    run_any(store, out, block);
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn run_avx512<B: Block, S: Store<B::Elem>>(store: &S, out: &mut [S::Slot], block: B) {
    run_any(store, out, block);
}

/// Stores past the cache.
#[cfg(target_arch = "x86_64")]
mod stream {
    use super::{Block, LINE, Store, run_any};

    #[inline(never)]
    #[target_feature(enable = "avx2")]
    pub fn run_avx2<B: Block, S: Store<B::Elem>>(store: &S, out: &mut [S::Slot], block: B) {
        run(store, out, block);
    }

    #[inline(never)]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    pub fn run_avx512<B: Block, S: Store<B::Elem>>(store: &S, out: &mut [S::Slot], block: B) {
        run(store, out, block);
    }

    #[inline(always)]
    fn run<B: Block, S: Store<B::Elem>>(store: &S, out: &mut [S::Slot], block: B) {
        // What is combined with the output has to read it, and so its lines, first.
        let Some(blank) = store.blank() else { return run_any(store, out, block) };
        match size_of::<S::Slot>() {
            1 => run_pieces::<1024, B, S>(store, out, block, blank),
            2 => run_pieces::<512, B, S>(store, out, block, blank),
            4 => run_pieces::<256, B, S>(store, out, block, blank),
            8 => run_pieces::<128, B, S>(store, out, block, blank),
            16 => run_pieces::<64, B, S>(store, out, block, blank),
            _ => run_any(store, out, block),
        }
    }

    /// The bytes that are computed before they are stored. Few, so that the machine computes one piece while it stores another; but enough that
    /// the compiler makes a loop of vectors of them, and not one line of scalars after the other.
    const PIECE: usize = 1024;

    /// `N` slots are a piece.
    #[inline(always)]
    #[allow(clippy::needless_range_loop)]
    fn run_pieces<const N: usize, B: Block, S: Store<B::Elem>>(
        store: &S,
        out: &mut [S::Slot],
        block: B,
        blank: S::Slot,
    ) {
        // All of `out`, if its slots straddle lines.
        let head = out.as_ptr().align_offset(LINE).min(out.len());
        let (before, out) = out.split_at_mut(head);
        let (pieces, after) = out.as_chunks_mut::<N>();
        let body = block.part(head, pieces.len() * N);
        run_any(store, before, block.part(0, head));
        run_any(store, after, block.part(head + pieces.len() * N, after.len()));
        for k in 0..pieces.len() {
            let (mut piece, part) = ([blank; N], body.part(k * N, N));
            for j in 0..N {
                store.put(&mut piece[j], part.get(j));
            }
            store_piece(&mut pieces[k], &piece);
        }
    }

    #[inline(always)]
    fn store_piece<T: Copy, const N: usize>(to: &mut [T; N], from: &[T; N]) {
        let (to, from) = (to.as_mut_ptr().cast::<u8>(), from.as_ptr().cast::<u8>());
        assert!(size_of::<[T; N]>() == PIECE && to.addr().is_multiple_of(LINE));
        for line in (0..PIECE).step_by(LINE) {
            // SAFETY: both are `PIECE` bytes of memory, and `to` begins a line. The bytes are moved without being looked at, so that padding in
            // them may be uninitialised. The caller's caller has AVX enabled.
            unsafe {
                std::arch::asm!(
                    "vmovups {a}, [{from}]",
                    "vmovups {b}, [{from} + 16]",
                    "vmovups {c}, [{from} + 32]",
                    "vmovups {d}, [{from} + 48]",
                    "vmovntps [{to}], {a}",
                    "vmovntps [{to} + 16], {b}",
                    "vmovntps [{to} + 32], {c}",
                    "vmovntps [{to} + 48], {d}",
                    a = out(xmm_reg) _, b = out(xmm_reg) _, c = out(xmm_reg) _, d = out(xmm_reg) _,
                    from = in(reg) from.wrapping_add(line), to = in(reg) to.wrapping_add(line),
                    options(nostack, preserves_flags),
                );
            }
        }
    }
}
