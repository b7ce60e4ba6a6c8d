//! Counts what expressions allocate: the result, and nothing else that grows with the data.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use zerostride::Exec;
use zerostride::prelude::*;

/// The system's allocator, counting the bytes asked for by all threads.
struct Counting;

static BYTES: AtomicUsize = AtomicUsize::new(0);

// SAFETY: hands every request on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    // The default `alloc_zeroed` and `realloc` call these two.

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(old, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// What planning, errors that did not happen and rayon's queues may take, whatever the size.
const SMALL: usize = 4 << 10;

/// What the tasks of a thread have of their own: some 300 bytes for each operand.
const TASKS_OF_THREAD: usize = 16 << 10;

/// The list of the parts that threads share: at most 16 for each, of some 600 bytes.
const PARTS_OF_THREAD: usize = 16 * 640;

/// One set of accumulators for each task, and the sums of blocks, of which each has up to 4096
/// elements: what a reduction has beside its result, where an array of the differences would have 8
/// MiB.
const TASKS: usize = 32 << 10;

/// The accumulators of results that are computed side by side, for each task.
const ACCUMULATORS: usize = 1 << 20;

/// The bytes that `f` allocates, the first time apart: the least of a few times, because a thread
/// that comes too late to take part of the work may have no buffers until the next time.
fn bytes_of<T>(mut f: impl FnMut() -> T) -> usize {
    drop(f());
    let times = (0..3).map(|_| {
        let before = BYTES.load(Ordering::Relaxed);
        let result = f();
        let bytes = BYTES.load(Ordering::Relaxed) - before;
        drop(result);
        bytes
    });
    times.min().expect("several times")
}

/// One test, because others would be counted, too.
#[test]
fn expressions_allocate_their_result_only() {
    assert!(bytes_of(|| vec![1_u8; 1 << 20]) >= 1 << 20, "the counter counts");
    let mut failures = Vec::new();
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get());
    let small = SMALL + threads * (TASKS_OF_THREAD + PARTS_OF_THREAD);
    let mut check = |what: &str, n: usize, bytes: usize, result: usize| {
        if bytes > result + small {
            failures.push(format!("{what} of {n} x {n}: {bytes} bytes, the result has {result}"));
        }
    };
    for n in [256, 1024] {
        let size = n * n * size_of::<f64>();
        let x = Array2::from_fn([n, n], |[i, j]| (i * 7 + j) as f64);
        let y = x.t().to_owned();
        let v = Array1::from_fn(n, |[i]| i as f64);
        let mut out = Array2::<f64>::zeros([n, n]);
        let mut wide = Array2::<f64>::zeros([n, 2 * n]);

        check(
            "a fused expression",
            n,
            bytes_of(|| ((&x - v.along([1])) * 2.0).eval().unwrap()),
            size,
        );
        check("equal layouts", n, bytes_of(|| (&x + &y).eval().unwrap()), size);
        check("a transpose", n, bytes_of(|| (&x * y.t()).eval().unwrap()), size);
        check("a column", n, bytes_of(|| (v.along([0]) / &x).eval().unwrap()), size);
        check(
            "an outer product",
            n,
            bytes_of(|| (v.insert_axis(1).unwrap() * v.insert_axis(0).unwrap()).eval().unwrap()),
            size,
        );
        check("a comparison", n, bytes_of(|| x.less(&y).eval().unwrap()), n * n);
        check("dynamic rank", n, bytes_of(|| (x.as_dyn() - v.along([1])).eval().unwrap()), size);
        check("NumPy's rule", n, bytes_of(|| (numpy(&x) + numpy(&v)).eval().unwrap()), size);

        // In the memory of an array that has been dropped.
        check("a clone", n, bytes_of(|| x.clone()), 0);
        check("a copy of a transpose", n, bytes_of(|| x.t().to_owned()), 0);

        check("assign", n, bytes_of(|| out.assign((&x - v.along([1])) * 2.0).unwrap()), 0);
        check("assign of a transpose", n, bytes_of(|| out.assign(&x * y.t()).unwrap()), 0);
        check("assign to a transpose", n, bytes_of(|| out.t_mut().assign(&x + 1.0).unwrap()), 0);
        check(
            "assign to columns",
            n,
            bytes_of(|| wide.slice_mut(s![.., ..;2]).unwrap().assign(&x - &y).unwrap()),
            0,
        );
        check(
            "assign to reversed rows",
            n,
            bytes_of(|| out.flip_mut(0).unwrap().assign(x.view()).unwrap()),
            0,
        );
        check("update", n, bytes_of(|| out += &x * v.along([0])), 0);
        check("a sum", n, bytes_of(|| ((&x - &y) * (&x - &y)).sum().unwrap()), TASKS);
        check(
            "a sum along rows",
            n,
            bytes_of(|| (&x - &y).square().sum_axis(1).unwrap()),
            n * 8 + TASKS,
        );
        check(
            "a sum along columns",
            n,
            bytes_of(|| (&x - v.along([1])).sum_axis(0).unwrap()),
            n * 8 + ACCUMULATORS,
        );
        // [n, 1, 16] - [1, n, 16], which is 16 times as large as the result.
        let (points, centres) = (Array3::<f64>::ones([n, 1, 16]), Array3::<f64>::zeros([1, n, 16]));
        let distances = || (&points - &centres).square().sum_axis(2).unwrap();
        check("squared distances", n, bytes_of(distances), size + ACCUMULATORS);
        check(
            "a broadcast view",
            n,
            bytes_of(|| v.broadcast_in_dim([n, n], [1]).unwrap().len()),
            0,
        );
        // Each thread has the buffers that it keeps, whichever takes part in what follows.
        rayon::broadcast(|_| {
            Exec::new().parallel(false).install(|| (x.to_owned() + &y).eval().unwrap());
        });
        // In the memory of an operand that is given away.
        let mut given: Vec<Array2<f64>> = (0..40).map(|_| x.to_owned()).collect();
        let mut next = || given.pop().expect("one for each case");
        check("an owned operand", n, bytes_of(|| (next() + &y).eval().unwrap()), 0);
        check(
            "one of two",
            n,
            bytes_of(|| (&y - (next() * 2.0).exp() + next()).eval().unwrap()),
            0,
        );
        check("one beside a transpose", n, bytes_of(|| (next() + y.t()).eval().unwrap()), 0);
        check("one beside a row", n, bytes_of(|| (v.along([1]) * next()).eval().unwrap()), 0);
        check("a transposed one", n, bytes_of(|| (-next().reversed_axes()).eval().unwrap()), 0);
        check("map_into", n, bytes_of(|| next().map_into(|x| x * 2.0)), 0);
        check("mapv_into", n, bytes_of(|| next().mapv_into(|x| x * 2.0)), 0);
        check(
            "update_each",
            n,
            bytes_of(|| out.update_each(zip((&x, y.t())), |o, (x, y)| *o += x * y).unwrap()),
            0,
        );
        check(
            "two destinations",
            n,
            bytes_of(|| {
                for_each(
                    (&mut out, wide.slice_mut(s![.., ..;2]).unwrap()),
                    indices([n, n]),
                    |(a, b), [i, j]| (*a, *b) = (i as f64, j as f64),
                )
                .unwrap()
            }),
            0,
        );
        check("masked_fill", n, bytes_of(|| out.masked_fill(x.greater(&y), 0.0).unwrap()), 0);
        check("iota", n, bytes_of(|| out.assign(&x * iota::<f64>(0) + iota::<f64>(1)).unwrap()), 0);
        check("a plan in words", n, bytes_of(|| (&x * y.t()).explain().unwrap().to_string()), 0);
    }
    // The smallest that the pool keeps, and those beside them: what is kept is taken again,
    // whatever makes the next array.
    for n in [8_190, 8_191, 8_192, 8_193, 10_000, 40_000] {
        let kept = if n * size_of::<f64>() < 1 << 16 { n * size_of::<f64>() } else { 0 };
        let x = Array1::from_fn([n], |[i]| i as f64);
        let y = x.to_owned();
        check("a new array", n, bytes_of(|| (&x * 2.0).eval().unwrap()), kept);
        check("a closure's", n, bytes_of(|| x.mapv(|x| x + 1.0).eval().unwrap()), kept);
        check("a mapped one", n, bytes_of(|| (&x + &y).abs().eval().unwrap()), kept);
        check("a clone", n, bytes_of(|| x.clone()), kept);
        check("cumulative sums", n, bytes_of(|| x.cumsum(0).unwrap()), kept);
        let before = zerostride::pool_stats().bytes;
        (0..100).for_each(|_| drop((&x * 2.0).eval().unwrap()));
        assert!(zerostride::pool_stats().bytes <= before + (1 << 20), "{n}: nothing piles up");
    }
    // What was made of a `Vec` goes back to the allocator, of which the next `Vec` asks.
    for n in [10_000, 40_000, 300_000] {
        let before = zerostride::pool_stats().bytes;
        drop(Array2::from_shape_vec([n / 10, 10], vec![1.0_f64; n]).unwrap());
        let mut grown = Vec::new();
        (0..n).for_each(|i| grown.push(i as f64));
        drop(Array1::from_vec(grown));
        assert_eq!(zerostride::pool_stats().bytes, before, "{n}: a Vec's memory is not kept");
    }
    // Arrays that are made in different ways, by turns, take over each other's memory.
    let n = 300_000;
    let x = Array1::from_fn([n], |[i]| i as f64);
    let ways: [(&str, &dyn Fn() -> Array1<f64>); 6] = [
        ("on threads", &|| (&x + 1.0).eval().unwrap()),
        ("serially", &|| Exec::new().parallel(false).install(|| (&x + 1.0).eval()).unwrap()),
        ("by a function", &|| Array1::from_fn([n], |[i]| i as f64)),
        ("a clone", &|| x.clone()),
        ("of one value", &|| Array1::full([n], 1.0)),
        ("cumulative sums", &|| x.cumsum(0).unwrap()),
    ];
    ways.iter().for_each(|(_, way)| drop(way()));
    for (name, first) in &ways {
        for (after, second) in &ways {
            let by_turns = || {
                drop(first());
                second()
            };
            check(&format!("{after} after {name}"), n, bytes_of(by_turns), n);
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
