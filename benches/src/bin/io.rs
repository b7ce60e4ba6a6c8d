//! Data in: files of NumPy beside `cat` and NumPy, and random arrays beside `ndarray-rand`.
//!
//! ```sh
//! cargo run --release -p benches --bin io [-- --python PYTHON] [--mib N]
//! ```
//!
//! With `--mib 0`, random arrays only.

use benches::timing::median;
use ndarray_rand::RandomExt;
use ndarray_rand::rand::SeedableRng;
use ndarray_rand::rand::distr::StandardUniform;
use ndarray_rand::rand::rngs::SmallRng;
use ndarray_rand::rand_distr::StandardNormal;
use std::error::Error;
use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use zerostride::file::{Map, npy};
use zerostride::random::Philox;
use zerostride::{Array1, Exec, View1};

const ROUNDS: usize = 7;
/// Elements of random arrays.
const RANDOM: usize = 1 << 24;

/// Answers each line with the milliseconds of two ways to read the file.
const SCRIPT: &str = "
import sys, time
import numpy as np
def timed(mode):
    start = time.perf_counter()
    array = np.load(sys.argv[1], mmap_mode=mode)
    taken = (time.perf_counter() - start) * 1e3
    del array
    return taken
print(np.__version__, flush=True)
for line in sys.stdin:
    print(timed(None), timed('r'), flush=True)
";

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A way to do something, and how long it took each time, in milliseconds.
struct Way<'a> {
    name: &'static str,
    work: Box<dyn FnMut() -> Outcome<()> + 'a>,
    times: Vec<f64>,
}

impl<'a> Way<'a> {
    fn new(name: &'static str, work: impl FnMut() -> Outcome<()> + 'a) -> Self {
        Way { name, work: Box::new(work), times: Vec::new() }
    }

    fn round(&mut self) -> Outcome<()> {
        let start = Instant::now();
        (self.work)()?;
        self.times.push(start.elapsed().as_secs_f64() * 1e3);
        Ok(())
    }
}

/// Prints medians, and each by the first one's.
fn print(title: &str, ways: Vec<(&'static str, Vec<f64>)>) {
    println!("\n{title}");
    let mut first = None;
    for (name, times) in ways {
        let time = median(times);
        let first = *first.get_or_insert(time);
        println!("  {name:34} {time:10.3} ms {:8.2}", time / first);
    }
}

/// The other process.
struct Numpy {
    child: std::process::Child,
    answers: BufReader<std::process::ChildStdout>,
    times: [Vec<f64>; 2],
}

impl Numpy {
    fn start(python: &str, path: &Path) -> Outcome<Numpy> {
        let mut child = Command::new(python)
            .args(["-c", SCRIPT])
            .arg(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut answers = BufReader::new(child.stdout.take().ok_or("no output")?);
        let mut version = String::new();
        answers.read_line(&mut version)?;
        println!("NumPy {}", version.trim());
        Ok(Numpy { child, answers, times: Default::default() })
    }

    fn round(&mut self) -> Outcome<()> {
        writeln!(self.child.stdin.as_mut().ok_or("no input")?, "again")?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        for (times, text) in self.times.iter_mut().zip(line.split_whitespace()) {
            times.push(text.parse()?);
        }
        Ok(())
    }
}

fn files(mib: usize, python: Option<&str>) -> Outcome<()> {
    let path: PathBuf = std::env::temp_dir().join(format!("board-{}.npy", std::process::id()));
    let array: Array1<f32> = Philox::new(1).uniform(mib << 18, 0.0..1.0)?;
    npy::write(&path, &array)?;
    let mut numpy = python.map(|python| Numpy::start(python, &path)).transpose()?;
    let sum = array.view().iter().step_by(1024).sum::<f32>();
    let mut ways = [
        Way::new("cat FILE > /dev/null", || {
            let done = Command::new("cat").arg(&path).stdout(Stdio::null()).status()?;
            if done.success() { Ok(()) } else { Err("cat failed".into()) }
        }),
        Way::new("std::fs::read", || {
            black_box(std::fs::read(&path)?);
            Ok(())
        }),
        Way::new("npy::read", || {
            black_box(npy::read::<f32, zerostride::Rank<1>>(&path)?);
            Ok(())
        }),
        Way::new("Map::open, npy::view", || {
            let map = open(&path)?;
            black_box(npy::view::<f32, zerostride::Rank<1>>(&map)?);
            Ok(())
        }),
        Way::new("the same, and an element of a page", || {
            let map = open(&path)?;
            let view: View1<f32> = npy::view(&map)?;
            let found = view.iter().step_by(1024).sum::<f32>();
            if found == sum { Ok(()) } else { Err("other elements".into()) }
        }),
    ];
    for _ in 0..ROUNDS {
        ways.iter_mut().try_for_each(Way::round)?;
        numpy.iter_mut().try_for_each(Numpy::round)?;
    }
    let mut times: Vec<_> = ways.into_iter().map(|way| (way.name, way.times)).collect();
    if let Some(numpy) = numpy {
        let [loaded, mapped] = numpy.times;
        times.push(("np.load", loaded));
        times.push(("np.load, mmap_mode='r'", mapped));
    }
    print(
        &format!("a .npy of {mib} MiB, in the system's cache; the last column is by cat's"),
        times,
    );
    Ok(std::fs::remove_file(&path)?)
}

/// The map of a file that this program has written.
#[allow(unsafe_code)]
fn open(path: &Path) -> Outcome<Map> {
    // SAFETY: nobody else writes to this file.
    Ok(unsafe { Map::open(path)? })
}

fn random() -> Outcome<()> {
    let serial = Exec::new().parallel(false);
    let mut rng = SmallRng::seed_from_u64(1);
    let mut uniform = [
        Way::new("ours, one thread", || {
            black_box(serial.install(|| Philox::new(1).uniform::<f32, _>(RANDOM, 0.0..1.0))?);
            Ok(())
        }),
        Way::new("ours, all threads", || {
            black_box(Philox::new(1).uniform::<f32, _>(RANDOM, 0.0..1.0)?);
            Ok(())
        }),
        Way::new("ndarray-rand, SmallRng", || {
            black_box(ndarray::Array1::<f32>::random_using(RANDOM, StandardUniform, &mut rng));
            Ok(())
        }),
    ];
    let mut rng = SmallRng::seed_from_u64(1);
    let mut normal = [
        Way::new("ours, one thread", || {
            black_box(serial.install(|| Philox::new(1).normal::<f32, _>(RANDOM, 0.0, 1.0))?);
            Ok(())
        }),
        Way::new("ours, all threads", || {
            black_box(Philox::new(1).normal::<f32, _>(RANDOM, 0.0, 1.0)?);
            Ok(())
        }),
        Way::new("ndarray-rand, SmallRng", || {
            black_box(ndarray::Array1::<f32>::random_using(RANDOM, StandardNormal, &mut rng));
            Ok(())
        }),
    ];
    for _ in 0..ROUNDS {
        uniform.iter_mut().try_for_each(Way::round)?;
        normal.iter_mut().try_for_each(Way::round)?;
    }
    let threads = rayon::current_num_threads();
    for (name, ways) in [("uniform", uniform), ("normal", normal)] {
        let title = format!("2^24 {name} f32, {threads} threads; the last column is by ours");
        print(&title, ways.into_iter().map(|way| (way.name, way.times)).collect());
    }
    Ok(())
}

fn main() -> Outcome<()> {
    let (mut python, mut mib) = (None, 1024);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--python" => python = Some(value()?),
            "--mib" => mib = value()?.parse()?,
            other => return Err(format!("unknown option {other}").into()),
        }
    }
    if mib > 0 {
        files(mib, python.as_deref())?;
    }
    random()
}
