//! Instruction sets, chosen at run time.

#[cfg(target_arch = "x86_64")]
use super::stream;
use super::{Block, Sink, Store};

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
            if has_avx2() {
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
            all.extend(has_avx2().then_some(Isa(Level::Avx2)));
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
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    has_avx2()
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
}

/// Computes a run: the one inner loop of an expression, compiled for each instruction set.
///
/// With `streamed` it stores past the cache, where the machine can and `store` allows it; then `stream::fence` must follow
/// before another thread reads the output.
#[inline]
pub fn run<B: Block, S: Sink<B::Elem>>(isa: Isa, streamed: bool, store: &S, out: &mut [S::Slot], block: B) {
    let run: Run<B, S> = match (isa.0, streamed) {
        (Level::Baseline, _) => run_baseline,
        #[cfg(target_arch = "x86_64")]
        (Level::Avx2, false) => run_avx2,
        #[cfg(target_arch = "x86_64")]
        (Level::Avx2, true) => stream_avx2,
        #[cfg(target_arch = "x86_64")]
        (Level::Avx512, false) => run_avx512,
        #[cfg(target_arch = "x86_64")]
        (Level::Avx512, true) => stream_avx512,
    };
    // SAFETY: a function of a level only asks for a machine that has its features, and an `Isa` of that level exists only if this one was
    // found to.
    unsafe { run(store, out, block, 0) }
}

/// A loop for one instruction set: computes `out`, which begins at element `start` of the block.
type Run<B, S> = unsafe fn(&S, &mut [<S as Sink<<B as Block>::Elem>>::Slot], B, usize);

/// Computes each element into its slot.
#[inline(always)]
pub fn run_any<B: Block, S: Store<B::Elem>>(store: &S, out: &mut [S::Slot], block: B, start: usize) {
    if !B::RARE {
        each::<false, true, _, _>(store, out, block, start);
        return;
    }
    for (number, part) in out.chunks_mut(PART).enumerate() {
        let first = start + number * PART;
        if each::<true, false, _, _>(store, part, block, first) {
            each::<true, true, _, _>(store, part, block, first);
        } else {
            each::<false, true, _, _>(store, part, block, first);
        }
    }
}

/// The elements among which one rare argument makes all take the slower way.
const PART: usize = 256;

/// Computes each element, and stores it if `STORED`. Returns whether all arguments were usual, if they are taken to be `USUAL`.
// A function and no closure: those are not inlined if they are large, and then compiled for the baseline.
#[inline(always)]
fn each<const USUAL: bool, const STORED: bool, B: Block, S: Store<B::Elem>>(
    store: &S,
    out: &mut [S::Slot],
    block: B,
    start: usize,
) -> bool {
    assert!(start <= block.len() && out.len() <= block.len() - start, "a block is as long as its run");
    let mut all = true;
    for (i, slot) in out.iter_mut().enumerate() {
        // SAFETY: `i` is below `out.len()`, so by the line above `start + i` is below `block.len()`.
        let (value, usual) = unsafe { block.get::<USUAL>(start + i) };
        all &= usual;
        if STORED {
            store.put(slot, value);
        }
    }
    all
}

// Not inlined: as a function's own parameter, `out` is known to overlap nothing that is read.
#[inline(never)]
fn run_baseline<B: Block, S: Sink<B::Elem>>(store: &S, out: &mut [S::Slot], block: B, start: usize) {
    store.run(out, block, start);
}

/// The loops of a level of x86-64.
macro_rules! level {
    ($run:ident, $stream:ident, $features:literal) => {
        #[cfg(target_arch = "x86_64")]
        #[inline(never)]
        #[target_feature(enable = $features)]
        fn $run<B: Block, S: Sink<B::Elem>>(store: &S, out: &mut [S::Slot], block: B, start: usize) {
            store.run(out, block, start);
        }

        #[cfg(target_arch = "x86_64")]
        #[inline(never)]
        #[target_feature(enable = $features)]
        fn $stream<B: Block, S: Sink<B::Elem>>(store: &S, out: &mut [S::Slot], block: B, start: usize) {
            match size_of::<S::Slot>() {
                1 => level!(@ 64, $run, store, out, block, start),
                _ => level!(@ 32, $run, store, out, block, start),
            }
        }
    };
    (@ $piece:literal, $run:ident, $store:ident, $out:ident, $block:ident, $start:ident) => {{
        let Some(parts) = stream::Parts::<_, $piece>::of($store.blank(), $out) else {
            return $run($store, $out, $block, $start);
        };
        $run($store, parts.before, $block, $start);
        let mut at = $start + parts.before.len();
        for to in parts.pieces {
            let mut piece = [parts.blank; $piece];
            $store.run(&mut piece, $block, at);
            stream::store(to, &piece);
            at += $piece;
        }
        $run($store, parts.after, $block, at);
    }};
}

level!(run_avx2, stream_avx2, "avx2,fma");
level!(run_avx512, stream_avx512, "fma,avx512f,avx512bw,avx512dq,avx512vl");
