//! Instruction sets, chosen at run time.

use super::{Block, Store};

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
#[inline]
pub fn run<B: Block, S: Store<B::Elem>>(isa: Isa, store: &S, out: &mut [S::Slot], block: B) {
    let run: unsafe fn(&S, &mut [S::Slot], B) = match isa.0 {
        Level::Baseline => run_baseline,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => run_avx2,
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => run_avx512,
    };
    // SAFETY: a function of a level only asks for a machine that has its features, and an `Isa` of that level exists only if this one was
    // found to.
    unsafe { run(store, out, block) }
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
