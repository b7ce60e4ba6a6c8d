//! Files that lie: whatever their bytes are, reading them ends in an array or an error, without a
//! panic, and with no more memory than the file has and 64 KiB (of what is deflated, what it really
//! inflates to; of the header of `.safetensors`, a third more).
//!
//! A longer run: `cargo test --release -p arrayfile --all-features --test lies -- 100000`.

use arrayfile::{Array, FileElement, npy};
use elementwise::{Array1, Array2, Array3};
use ndcore::{Dyn, ShapeBuilder};
use num_complex::Complex;
use std::alloc::{GlobalAlloc, Layout, System};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: all that is done is done by the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(live, Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let live = LIVE.fetch_add(size, Relaxed) + size - layout.size();
        LIVE.fetch_sub(layout.size(), Relaxed);
        PEAK.fetch_max(live, Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most memory that some work had at a time, beside what there was before.
fn peak_of(work: impl FnOnce()) -> usize {
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    work();
    PEAK.load(Relaxed) - before
}

/// A generator of small numbers; good enough to choose bytes.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

/// A file with some bytes changed: in its header most often, since its data may be anything.
fn mutated(dice: &mut Dice, file: &[u8], texts: &[&str]) -> Vec<u8> {
    let mut bytes = file.to_vec();
    for _ in 0..1 + dice.below(4) {
        let near = if dice.below(4) == 0 { bytes.len() } else { bytes.len().min(256) };
        // The directory of an archive is at its end.
        let at = match dice.below(3) {
            0 => bytes.len() - dice.below(near),
            _ => dice.below(near),
        }
        .min(bytes.len().saturating_sub(1));
        match dice.below(9) {
            0 => bytes.truncate(at),
            1 => bytes[at] ^= 1 << dice.below(8),
            2 => bytes[at] = dice.next() as u8,
            3 => bytes[at] = 0xFF,
            4 => {
                let digit = bytes.iter().skip(at).position(u8::is_ascii_digit);
                if let Some(digit) = digit {
                    bytes[at + digit] = b'0' + dice.below(10) as u8;
                }
            }
            5 => {
                let digits =
                    ["9", "99999999", "18446744073709551615", "4294967296", "0", "L", "-1"];
                let digit = bytes.iter().skip(at).position(u8::is_ascii_digit).unwrap_or(0);
                let text = digits[dice.below(digits.len())];
                bytes.splice(at + digit..at + digit, text.bytes());
            }
            6 => {
                let text = texts[dice.below(texts.len())];
                let end = (at + dice.below(2) * text.len()).min(bytes.len());
                bytes.splice(at..end, text.bytes());
            }
            7 => {
                let value = (dice.next() >> dice.below(64)).to_le_bytes();
                let width = [2, 4, 8][dice.below(3)].min(bytes.len() - at);
                bytes[at..at + width].copy_from_slice(&value[..width]);
            }
            _ => {
                let from = dice.below(bytes.len());
                let end = (from + dice.below(32)).min(bytes.len());
                let part = bytes[from..end].to_vec();
                bytes.splice(at..at, part);
            }
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

fn ramp(len: usize) -> impl Iterator<Item = usize> {
    0..len
}

fn npy_bytes<T: FileElement>(array: &Array<T, Dyn>) -> Vec<u8> {
    let mut bytes = Vec::new();
    npy::write_to(&mut bytes, array).unwrap();
    bytes
}

/// Several files of each format, small and large, whose mutations are read.
fn npy_seeds() -> Vec<Vec<u8>> {
    let small: Array2<f32> = Array2::from_fn([3, 4], |[i, j]| (i * j) as f32);
    let columns: Array3<i16> =
        Array3::from_fn([2, 3, 4].f(), |[i, j, k]| (i * 100 + j * 10 + k) as i16);
    let truths: Array1<bool> = ramp(5000).map(|i| i % 3 == 0).collect();
    let large: Array1<Complex<f64>> = ramp(5000).map(|i| Complex::new(i as f64, 0.5)).collect();
    let mut version_2 = npy_bytes(&small.clone().into_dyn());
    let length = u16::from_le_bytes([version_2[8], version_2[9]]);
    version_2[6] = 2;
    version_2.splice(8 + usize::from(length)..10 + usize::from(length), *b"\n\n");
    version_2.splice(8..10, u32::from(length - 2).to_le_bytes());
    version_2.drain(10 + usize::from(length)..12 + usize::from(length));
    vec![
        npy_bytes(&small.into_dyn()),
        npy_bytes(&columns.into_dyn()),
        npy_bytes(&truths.into_dyn()),
        npy_bytes(&large.into_dyn()),
        version_2,
    ]
}

const NPY_TEXTS: [&str; 14] = [
    "'descr': '<f8'",
    "'>c16'",
    "'|b1'",
    "[('x', '<f4')]",
    "True",
    "(3,)",
    "()",
    "((",
    "}",
    "{",
    "\u{e9}",
    "'shape': (1, 2), ",
    "\x03\0",
    "9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, ",
];

/// Reads a file in every way.
fn read_npy(bytes: &[u8], path: &Path) -> usize {
    fn each<T: FileElement>(bytes: &[u8], path: &Path) -> usize {
        let read = npy::read::<T, Dyn>(path).map(|array| array.dim());
        let viewed = npy::view::<T, Dyn>(bytes).map(|view| view.dim());
        if let Ok(shape) = viewed {
            assert_eq!(Some(&shape), read.as_ref().ok(), "what can be viewed can be read");
        }
        usize::from(read.is_ok())
    }
    each::<f32>(bytes, path)
        + each::<i16>(bytes, path)
        + each::<bool>(bytes, path)
        + each::<Complex<f64>>(bytes, path)
}

/// Reads a file as a stream, which may end at any time.
fn stream_npy(bytes: &[u8], path: &Path) -> usize {
    fn each<T: FileElement>(bytes: &[u8], path: &Path) -> usize {
        let read = npy::read_from::<T, Dyn>(&mut &bytes[..]).map(|array| array.dim());
        assert_eq!(
            read.as_ref().ok(),
            npy::read::<T, Dyn>(path).map(|array| array.dim()).ok().as_ref()
        );
        usize::from(read.is_ok())
    }
    each::<f32>(bytes, path) + each::<bool>(bytes, path) + each::<Complex<f64>>(bytes, path)
}

/// A run: `count` mutations of each format. `work` reads a file, and says what it may cost beside
/// its own size.
fn run(
    what: &str,
    count: usize,
    seeds: &[Vec<u8>],
    texts: &[&str],
    mut read: impl FnMut(&[u8], &Path) -> usize,
    bound: impl Fn(&[u8]) -> usize,
) {
    let path = std::env::temp_dir().join(format!("lies-{}{what}", std::process::id()));
    for seed in seeds {
        std::fs::write(&path, seed).unwrap();
        assert!(read(seed, &path) > 0, "{what}: the files that are changed can be read before");
    }
    let mut dice = Dice(7);
    let (mut done, mut most) = (0, 0);
    for number in 0..count {
        let bytes = mutated(&mut dice, &seeds[number % seeds.len()], texts);
        std::fs::write(&path, &bytes).unwrap();
        let mut read_now = 0;
        let peak = peak_of(|| read_now = read(&bytes, &path));
        done += usize::from(read_now > 0);
        let allowed = bound(&bytes);
        most = most.max(peak.saturating_sub(bytes.len()));
        assert!(
            peak <= allowed,
            "{what} {number}: {peak} bytes of memory for a file of {} bytes, allowed {allowed}",
            bytes.len()
        );
    }
    std::fs::remove_file(&path).unwrap();
    println!(
        "{what}: {count} files, {done} of them read, at most {most} bytes beyond the file's own"
    );
}

#[cfg(feature = "npz")]
mod archives {
    use super::*;
    use arrayfile::npz::{Npz, Writer};

    pub const TEXTS: [&str; 6] =
        ["PK\x01\x02", "PK\x03\x04", "PK\x05\x06", "PK\x06\x06", "a.npy", "\u{8}\0"];

    pub fn seeds() -> Vec<Vec<u8>> {
        let small = Array2::from_fn([3, 4], |[i, j]| (i * j) as f32);
        let large: Array1<f32> = ramp(20_000).map(|i| i as f32).collect();
        let zeros: Array1<f32> = Array1::zeros(50_000);
        let written = |deflated: bool, arrays: &[(&str, &Array<f32, Dyn>)]| {
            let mut bytes = Vec::new();
            let mut writer = Writer::new(&mut bytes);
            for (name, array) in arrays {
                if deflated {
                    writer.add_deflated(name, *array).unwrap();
                } else {
                    writer.add(name, *array).unwrap();
                }
            }
            writer.finish().unwrap();
            bytes
        };
        let (small, large, zeros) = (small.into_dyn(), large.into_dyn(), zeros.into_dyn());
        vec![
            written(false, &[("a", &small), ("b", &large)]),
            written(true, &[("a", &small), ("b", &large)]),
            written(true, &[("a", &zeros)]),
        ]
    }

    pub fn read(bytes: &[u8], path: &Path) -> usize {
        let (archive, file) = (Npz::from_bytes(bytes), Npz::open(path));
        let (Ok(archive), Ok(file)) = (&archive, &file) else {
            assert_eq!(archive.is_ok(), file.is_ok());
            return 0;
        };
        let _ = file.names().map(drop);
        let mut done = 0;
        for name in ["a", "b"] {
            let _ = file.header(name).map(drop);
            let shape = archive.read::<f32, Dyn>(name).map(|array| array.dim()).ok();
            assert_eq!(shape, file.read::<f32, Dyn>(name).map(|array| array.dim()).ok());
            let _ = archive.view::<f32, Dyn>(name).map(|view| view.len());
            done += usize::from(shape.is_some());
        }
        done
    }

    /// What the data inflate to is at most a thousand times the file; the array grows as they come.
    pub fn inflated(bytes: &[u8]) -> usize {
        bytes.len().max(3 * 4 * 50_000) + (64 << 10)
    }
}

#[cfg(feature = "safetensors")]
mod tensors {
    use super::*;
    use arrayfile::safetensors::{SafeTensors, Writer};
    use half::bf16;

    pub const TEXTS: [&str; 12] = [
        "\"dtype\"",
        "\"F32\"",
        "\"F8_E4M3\"",
        "[0,0]",
        "[",
        "{",
        "}",
        "\"",
        "\\u00e9",
        "\\",
        "\"__metadata__\":{\"a\":\"b\"},",
        "\"a\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]},",
    ];

    pub fn seeds() -> Vec<Vec<u8>> {
        let a = Array2::from_fn([3, 4], |[i, j]| (i * j) as f32);
        let b = Array1::full(5000, bf16::ONE);
        let mut small = Vec::new();
        Writer::new().add("a", &a).unwrap().metadata("k", "v\n").write_to(&mut small).unwrap();
        let mut large = Vec::new();
        let both = Writer::new().add("a", &a).unwrap().add("b", &b).unwrap();
        both.write_to(&mut large).unwrap();
        vec![small, large]
    }

    pub fn read(bytes: &[u8], path: &Path) -> usize {
        let (there, file) = (SafeTensors::from_bytes(bytes), SafeTensors::open(path));
        let (Ok(there), Ok(file)) = (&there, &file) else {
            assert_eq!(there.is_ok(), file.is_ok());
            return 0;
        };
        let _ = file.metadata().count();
        let mut done = 0;
        for tensor in file.tensors() {
            let name = tensor.name();
            let shape = there.to_array::<f32, Dyn>(&name).map(|array| array.dim()).ok();
            assert_eq!(shape, file.read::<f32, Dyn>(&name).map(|array| array.dim()).ok());
            let _ = there.view::<f32, Dyn>(&name).map(|view| view.len());
            let halves = file.read::<bf16, Dyn>(&name).is_ok();
            done += usize::from(shape.is_some()) + usize::from(halves);
        }
        done
    }
}

fn main() {
    // The arguments of test programs, of which a number says how long to run.
    let count = std::env::args().skip(1).find_map(|argument| argument.parse().ok());
    if std::env::args().any(|argument| argument == "--list") {
        return;
    }
    let count = count.unwrap_or(3000);
    // The pool keeps memory of dropped arrays, which would be counted.
    ndcore::set_pool_limit(0);
    let own = |bytes: &[u8]| bytes.len() + (64 << 10);
    run(".npy", count, &npy_seeds(), &NPY_TEXTS, read_npy, own);
    // Of a stream nothing is known beforehand: memory doubles as it comes.
    let twice = |bytes: &[u8]| own(bytes) + bytes.len();
    run("-stream.npy", count, &npy_seeds()[2..4], &NPY_TEXTS, stream_npy, twice);
    #[cfg(feature = "npz")]
    run(".npz", count, &archives::seeds(), &archives::TEXTS, archives::read, archives::inflated);
    #[cfg(feature = "safetensors")]
    run(".safetensors", count, &tensors::seeds(), &tensors::TEXTS, tensors::read, own);
}
