//! Instruction sets, chosen at run time.

#[cfg(target_arch = "x86_64")]
use super::stream;
use ndcore::{Element, Fill};
use std::hint::black_box;
use std::mem::MaybeUninit;

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

// Builds for tests leave instruction sets out: `RUSTFLAGS='--cfg zerostride_without="avx512"'`.
#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    !cfg!(zerostride_without = "avx2")
        && is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    has_avx2()
        && !cfg!(zerostride_without = "avx512")
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
}

/// A loop over slots, compiled for each instruction set.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub trait Kernel {
    /// What it writes to.
    type Slot: Element;

    /// What its loop is given as parameters of the function that it is: the operations, most often.
    /// Of a parameter, the compiler knows that what it refers to can be read at any time, and so
    /// reads it before the loop; of a reference that lies in memory it does not, and a closure that
    /// chooses between values that it captures would not become vectors.
    type Held: Copy;

    /// What is held.
    fn held(&self) -> Self::Held;

    /// Whether it is worth compiling for more than the baseline.
    const VECTORS: bool = true;

    /// Whether it is worth compiling for the widest instruction set too: see
    /// [`Op::WIDE`](crate::Op::WIDE).
    const WIDE: bool = true;

    /// Whether it may store past the cache: then each slot is written, whatever it held.
    const STREAMS: bool = false;

    /// Whether that is worth compiling for the widest instruction set too: where memory is the
    /// limit, it is not.
    const STREAMS_WIDE: bool = false;

    /// Whether it does; then [`fence`] must follow before another thread reads the output.
    #[inline(always)]
    fn streamed(&self) -> bool {
        false
    }

    /// What a slot may hold before it is written to past the cache.
    #[inline(always)]
    fn blank(&self) -> Option<Self::Slot> {
        None
    }

    /// How many of the slots lie before the first that begins a cache line, if it is worth it to go
    /// over those by themselves: a vector across two lines takes twice as long to store.
    #[inline(always)]
    fn before(&self, slots: &[Self::Slot]) -> usize {
        let _ = slots;
        0
    }

    /// Goes over the slots, of which the first has number `start`. Mark it as `#[inline(always)]`,
    /// and use no closures that are not: what is not inlined is compiled for the baseline.
    fn run(&self, held: Self::Held, slots: &mut [Self::Slot], start: usize);

    /// As [`run`](Self::run), where there are wider vectors than those of the baseline.
    #[inline(always)]
    fn run_wide(&self, held: Self::Held, slots: &mut [Self::Slot], start: usize) {
        self.run(held, slots, start);
    }

    /// As [`run`](Self::run), of slots of one run.
    #[inline(always)]
    fn stretch(&self, held: Self::Held, slots: &mut [Self::Slot], start: usize) {
        self.run(held, slots, start);
    }
}

/// A result of one block, compiled for each instruction set as a [`Kernel`] is. Few elements take no
/// longer than to write to memory what they are and read what has become of them: here both are in
/// registers, if the block has room there.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub trait Single {
    /// What is read.
    type Block;

    /// What its operations hold: see [`Kernel::Held`].
    type Held: Copy;

    /// What is made of it.
    type Output;

    /// Whether it is worth compiling for more than the baseline.
    const VECTORS: bool;

    /// Whether it is worth compiling for the widest instruction set too.
    const WIDE: bool;

    /// Makes it, of `len` elements. Mark it as `#[inline(always)]`, as that of a [`Kernel`].
    fn run(self, block: Self::Block, held: Self::Held, len: usize) -> Self::Output;

    /// As [`run`](Self::run), where there are wider vectors than those of the baseline.
    fn run_wide(self, block: Self::Block, held: Self::Held, len: usize) -> Self::Output;
}

/// The loop that fills slots with one value.
struct Filling<T>(T);

impl<T: Element> Kernel for Filling<T> {
    type Slot = MaybeUninit<T>;
    type Held = ();

    #[inline(always)]
    fn held(&self) {}

    #[inline(always)]
    fn run(&self, (): (), slots: &mut [MaybeUninit<T>], _: usize) {
        slots.fill(MaybeUninit::new(self.0));
    }
}

impl Isa {
    /// What fills slots with a value.
    pub(crate) fn fill<T: Element>(self) -> Fill<T> {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as for `run`.
            Level::Avx512 => |slots, value| unsafe { run_avx512(&Filling(value), (), slots, 0) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as for `run`.
            Level::Avx2 => |slots, value| unsafe { run_avx2(&Filling(value), (), slots, 0) },
            Level::Baseline => |slots, value| run_baseline(&Filling(value), (), slots, 0),
        }
    }

    /// Runs a kernel, in the form for this instruction set; past the cache where the machine can.
    // Not inlined: it is called in many places.
    #[inline(never)]
    pub(crate) fn dispatch<K: Kernel>(self, kernel: &K, slots: &mut [K::Slot]) {
        // Not of slots that straddle cache lines, some of which at a time would be large, too.
        if const { K::STREAMS && ndcore::LINE.is_multiple_of(size_of::<K::Slot>()) }
            && kernel.streamed()
        {
            return self.stream(kernel, slots);
        }
        let (before, slots) = slots.split_at_mut(kernel.before(slots));
        if !before.is_empty() {
            self.run(kernel, before, 0);
        }
        self.run(kernel, slots, before.len());
    }

    /// Computes a single result, in the form for this instruction set.
    #[inline(always)]
    pub(crate) fn single<S: Single>(
        self,
        single: S,
        block: S::Block,
        held: S::Held,
        len: usize,
    ) -> S::Output {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as for `run`.
            Level::Avx512 if S::VECTORS && S::WIDE => unsafe {
                single_avx512(single, block, held, len)
            },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as for `run`.
            Level::Avx2 | Level::Avx512 if S::VECTORS => unsafe {
                single_avx2(single, block, held, len)
            },
            _ => single_baseline(single, block, held, len),
        }
    }

    #[inline(always)]
    fn stream<K: Kernel>(self, kernel: &K, slots: &mut [K::Slot]) {
        let held = kernel.held();
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as for `run`.
            Level::Avx512 if K::STREAMS_WIDE => unsafe { stream_avx512(kernel, held, slots) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as for `run`.
            Level::Avx2 | Level::Avx512 => unsafe { stream_avx2(kernel, held, slots) },
            Level::Baseline => run_baseline(kernel, held, slots, 0),
        }
    }

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: &K, slots: &mut [K::Slot], start: usize) {
        let held = kernel.held();
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: an `Isa` of this level exists only if the machine was found to have its
            // features.
            Level::Avx512 if K::VECTORS && K::WIDE => unsafe {
                run_avx512(kernel, held, slots, start)
            },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above; the features of AVX-512 include those of AVX2.
            Level::Avx2 | Level::Avx512 if K::VECTORS => unsafe {
                run_avx2(kernel, held, slots, start)
            },
            _ => run_baseline(kernel, held, slots, start),
        }
    }
}

/// Makes what was stored past the cache visible to other threads, in the order of the program.
#[inline]
pub fn fence() {
    #[cfg(target_arch = "x86_64")]
    stream::fence();
}

/// The loop for the baseline.
// Not inlined: as a function's own parameter, `slots` is known to overlap nothing that is read.
#[inline(never)]
pub(super) fn run_baseline<K: Kernel>(
    kernel: &K,
    held: K::Held,
    slots: &mut [K::Slot],
    start: usize,
) {
    kernel.run(held, slots, start);
}

/// A single result by the baseline.
#[inline(never)]
fn single_baseline<S: Single>(single: S, block: S::Block, held: S::Held, len: usize) -> S::Output {
    single.run(block, held, len)
}

/// The functions of a level of x86-64.
macro_rules! level {
    ($run:ident, $single:ident, $stream:ident, $features:literal) => {
        #[cfg(target_arch = "x86_64")]
        #[inline(never)]
        #[target_feature(enable = $features)]
        fn $single<S: Single>(
            single: S,
            block: S::Block,
            held: S::Held,
            len: usize,
        ) -> S::Output {
            single.run_wide(block, held, len)
        }

        #[cfg(target_arch = "x86_64")]
        #[inline(never)]
        #[target_feature(enable = $features)]
        fn $run<K: Kernel>(kernel: &K, held: K::Held, slots: &mut [K::Slot], start: usize) {
            kernel.run_wide(held, slots, start);
        }

        #[cfg(target_arch = "x86_64")]
        #[inline(never)]
        #[target_feature(enable = $features)]
        fn $stream<K: Kernel>(kernel: &K, held: K::Held, slots: &mut [K::Slot]) {
            if const { size_of::<K::Slot>() == 1 } {
                level!(@ 64, $run, kernel, held, slots)
            } else {
                level!(@ 32, $run, kernel, held, slots)
            }
        }
    };
    (@ $piece:literal, $run:ident, $kernel:ident, $held:ident, $slots:ident) => {{
        let Some(parts) = stream::Parts::<_, $piece>::of($kernel.blank(), $slots) else {
            return $run($kernel, $held, $slots, 0);
        };
        // Of a closure that chooses, the compiler makes vectors in a loop, and not in as many
        // copies of it as it makes of one whose length it knows.
        let len = if size_of_val(&$held) > 0 { black_box($piece).min($piece) } else { $piece };
        $run($kernel, $held, parts.before, 0);
        let mut at = parts.before.len();
        for to in parts.pieces {
            let mut piece = [parts.blank; $piece];
            $kernel.stretch($held, &mut piece[..len], at);
            stream::store(to, &piece);
            at += $piece;
        }
        $run($kernel, $held, parts.after, at);
    }};
}

level!(run_avx2, single_avx2, stream_avx2, "avx2,fma");
level!(run_avx512, single_avx512, stream_avx512, "fma,avx512f,avx512bw,avx512dq,avx512vl");
