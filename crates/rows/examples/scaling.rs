//! How much faster several ranks are than one: `tanh(x * v * v)` summed over axis 0.
//!
//! ```sh
//! cargo build --release -p rows --features mpi --example scaling
//! for n in 1 2; do RAYON_NUM_THREADS=1 mpirun -n $n target/release/examples/scaling; done
//! ```
//!
//! With two numbers as arguments it runs with each number of threads as ranks, in turns, one thread
//! of computation each, and prints the ratio: `scaling 1 2`. With `weak` before them, each rank has
//! as many rows whatever their number.

use elementwise::{Array1, Array2, Exec, Expr, Sum, UnaryMethods, s};
use rows::{Communicator, Error, Rows, threads};
use std::time::Instant;

const SHAPE: [usize; 2] = [65_536, 2048];

/// The median of the seconds of some rounds.
fn rounds(
    comm: &dyn Communicator,
    x: &Array2<f32>,
    first: usize,
    rows: usize,
) -> Result<f64, Error> {
    let v = Array1::<f32>::linspace(0.5, 1.5, SHAPE[1]);
    let rows = Rows::new(comm, [rows, SHAPE[1]]);
    let mut seconds = Vec::new();
    for _ in 0..5 {
        comm.barrier()?;
        let start = Instant::now();
        let of = |range: std::ops::Range<usize>| {
            let x = x.slice(s![range.start - first..range.end - first, ..])?;
            Ok((x * v.along([1]) * v.along([1])).tanh())
        };
        let sums = rows.reduce(of, Sum, 0)?;
        comm.barrier()?;
        seconds.push(start.elapsed().as_secs_f64());
        assert_eq!(sums.shape(), [SHAPE[1]]);
    }
    seconds.sort_by(f64::total_cmp);
    Ok(seconds[2])
}

/// Each rank makes the rows that it reads: nobody has all of them.
fn data(first: usize, rows: usize) -> Array2<f32> {
    Array2::from_fn([rows, SHAPE[1]], |[i, j]| {
        ((first + i) * 31 + j * 17) as f32 % 1009.0 * 0.004 - 2.0
    })
}

fn by_threads(numbers: [usize; 2], weak: bool) -> Result<(), Error> {
    let most = if weak { numbers[0].max(numbers[1]) } else { 1 };
    let x = data(0, SHAPE[0] / 4 * most);
    let time = |ranks: usize| {
        let rows = if weak { SHAPE[0] / 4 * ranks } else { SHAPE[0] / 4 };
        let serial = Exec::new().parallel(false);
        let seconds = serial.install(|| threads(ranks, |comm| rounds(comm, &x, 0, rows)))?;
        Ok::<_, Error>(seconds[0])
    };
    let mut ratios = Vec::new();
    for _ in 0..5 {
        let [a, b] = [time(numbers[0])?, time(numbers[1])?];
        println!("{} ranks {a:.4} s, {} ranks {b:.4} s: {:.2}", numbers[0], numbers[1], a / b);
        ratios.push(a / b);
    }
    ratios.sort_by(f64::total_cmp);
    println!("median {:.2}", ratios[2]);
    Ok(())
}

#[cfg(feature = "mpi")]
fn by_processes(weak: bool) -> Result<(), Error> {
    rows::mpi::run(|comm| {
        let all = if weak { SHAPE[0] / 4 * comm.size() } else { SHAPE[0] };
        // The blocks of these shapes have 4096 rows, and so have the shares of ranks.
        let blocks = all / 4096;
        let first =
            |rank: usize| (blocks / comm.size() * rank + rank.min(blocks % comm.size())) * 4096;
        let (start, end) = (first(comm.rank()), first(comm.rank() + 1));
        let seconds = rounds(comm, &data(start, end - start), start, all)?;
        if comm.rank() == 0 {
            println!("{} ranks, {all} rows: {seconds:.4} s", comm.size());
        }
        Ok(())
    })
}

#[cfg(not(feature = "mpi"))]
fn by_processes(_: bool) -> Result<(), Error> {
    Err("usage: scaling [weak] <ranks> <ranks>".into())
}

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let weak = arguments.first().is_some_and(|first| first == "weak");
    let numbers: Vec<usize> = arguments.iter().filter_map(|text| text.parse().ok()).collect();
    match numbers[..] {
        [] => by_processes(weak),
        [a, b] if a > 0 && b > 0 => by_threads([a, b], weak),
        _ => Err("usage: scaling [weak] <ranks> <ranks>".into()),
    }
}
