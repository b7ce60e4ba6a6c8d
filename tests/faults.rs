//! What cannot be had: memory that is not there, and computations that panic.
//!
//! With the k-th allocation of a call failing, for all k, the call has to return an error, or
//! succeed; each is tried in a process of its own, because what is wrong here ends the process.

use std::alloc::{GlobalAlloc, Layout as Memory, System};
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicIsize, Ordering};
use zerostride::prelude::*;
use zerostride::{
    CumSum, Error, Exec, SliceElem, Slices, bitcast_split, concatenate, f16, kron, pool_stats,
    select, set_pool_limit, stack,
};

/// The system's allocator, of which one allocation of a thread, or all from one on, can fail.
struct Failing;

/// The bytes that all threads hold.
static HELD: AtomicIsize = AtomicIsize::new(0);

thread_local! {
    /// The allocations before the one that fails; negative if none does.
    static LEFT: Cell<i64> = const { Cell::new(-1) };
    /// Whether those after it fail, too.
    static STAYS: Cell<bool> = const { Cell::new(false) };
    /// The allocations so far.
    static COUNT: Cell<i64> = const { Cell::new(0) };
}

fn fails() -> bool {
    COUNT.set(COUNT.get() + 1);
    let left = LEFT.get();
    if left > 0 {
        LEFT.set(left - 1);
    } else if left == 0 && !STAYS.get() {
        LEFT.set(-1);
    }
    if left == 0 && std::env::var_os("FAULT_TRACE").is_some() {
        LEFT.set(-1);
        eprintln!("{}", std::backtrace::Backtrace::force_capture());
        LEFT.set(if STAYS.get() { 0 } else { -1 });
    }
    left == 0
}

// SAFETY: hands every request on to the system's allocator as it is, or refuses it.
unsafe impl GlobalAlloc for Failing {
    unsafe fn alloc(&self, memory: Memory) -> *mut u8 {
        if fails() {
            return std::ptr::null_mut();
        }
        HELD.fetch_add(memory.size() as isize, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(memory) }
    }

    unsafe fn dealloc(&self, old: *mut u8, memory: Memory) {
        HELD.fetch_sub(memory.size() as isize, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(old, memory) }
    }
}

#[global_allocator]
static FAILING: Failing = Failing;

/// What a call came to; the value is dropped by the caller.
type Answer = Result<(), Error>;

/// The calls that are tried.
fn calls() -> Vec<(&'static str, Box<dyn Fn() -> Answer>)> {
    let x = Array2::from_fn([70, 90], |[i, j]| (i * 7 + j) as f64 % 13.0 + 1.0);
    let y = Array2::from_fn([90, 70], |[i, j]| (i + j * 3) as f64 % 11.0 + 1.0);
    let n = Array2::from_fn([70, 90], |[i, j]| (i * 5 + j) as i32 % 17);
    let v = Array1::from_fn(90, |[i]| i as f64 + 1.0);
    let wide = Array2::from_fn([70, 200], |[i, j]| (i + j) as f64);
    let cube = Array3::from_fn([5, 6, 7], |[i, j, k]| (i * 42 + j * 7 + k) as f64);
    let many = ArrayD::from_fn(&[2, 2, 2, 2, 2, 2, 2, 2, 2, 2][..], |_| 1.0_f64);
    let big = Array2::full([300, 500], 1.5_f64);
    let half = Array2::full([70, 90], f16::ONE);
    let large = Array2::full([20, 18], [7_u8; 300]);
    let mask = Array2::from_fn([70, 90], |[i, j]| (i + j) % 3 == 0);
    let mut calls: Vec<(&'static str, Box<dyn Fn() -> Answer>)> = Vec::new();
    macro_rules! calls {
        ($($name:literal: |$($own:ident),*| $call:expr;)*) => {$(
            calls.push(($name, {
                $(let $own = $own.clone();)*
                Box::new(move || ($call).map(drop).map_err(Error::from))
            }));
        )*};
    }
    calls! {
        "eval flat": |x| (&x * 2.0 + &x).eval();
        "eval few": |v| (v.slice(s![..9])? + v.slice(s![..9;-1])?).eval();
        "eval planned": |x, y| (&x + y.t()).eval();
        "eval along": |x, v| (&x + v.along([1])).eval();
        "eval hoisted": |x, v| (&x + v.along([1]).sqrt().exp()).eval();
        "eval of ten axes": |many| (many.t() + &many).eval();
        "eval of numpy": |x, v| (numpy(&x) + numpy(&v)).eval();
        "cast": |x| x.t().cast::<f32>().eval();
        "assign transposed": |x, y| x.try_to_owned()?.assign(y.t());
        "assign to columns": |wide, x| wide.try_to_owned()?.slice_mut(s![.., ..180;2])?.assign(&x * 2.0);
        "assign a scalar expression": |x, v| x.try_to_owned()?.assign(v.along([1]).exp());
        "update": |x, y| x.try_to_owned()?.update(zerostride::ops::Add, y.t());
        "explain": |x, y| (&x + y.t()).explain();
        "result_shape": |x, v| (&x + v.along([1])).result_shape();
        "sum": |x| (&x * &x).sum();
        "sum transposed": |x, y| (&x * y.t()).sum();
        "sum_axis 0": |x| x.sum_axis(0);
        "sum_axis 1": |x| x.t().sum_axis(0);
        "sum_axis of three": |cube| cube.sum_axis([0, 2]);
        "sum kept": |cube| cube.sum_axis(keep([1]));
        "mean": |x| x.mean_axis(0);
        "var": |x| x.var_axis(1, 0.0);
        "max": |x| (&x - 1.0).max();
        "argmax": |x| x.argmax_axis(0);
        "log_sum_exp": |x| x.log_sum_exp_axis(1);
        "norm_l2": |x| x.norm_l2();
        "reduce": |n| n.reduce(|a, b| a | b);
        "count_nonzero": |n| n.count_nonzero_axis(0);
        "sum of integers": |n| n.sum_axis(1);
        "sum that overflows": |n| n.cast::<u8>().sum();
        "cumsum": |x| x.cumsum(0);
        "cumsum of an expression": |x, y| (&x + y.t()).cumsum(1);
        "scan": |n| n.scan(CumSum, 1);
        "cummax": |x| x.cummax(1);
        "diff": |x| x.diff(0);
        "softmax": |x| x.softmax(1);
        "softmax of both": |x| x.t().softmax([0, 1]);
        "log_softmax": |x| x.log_softmax(0);
        "sort": |x| x.sort(0);
        "argsort": |x| x.argsort(1);
        "top_k": |x| x.slice(s![..3, ..9])?.top_k(1, 3);
        "median": |x| x.median();
        "quantile_axis": |x| x.quantile_axis(0, 0.3);
        "unique": |n| n.cast::<f64>().unique();
        "histogram": |x| x.histogram(10, 0.0, 20.0);
        "fold_axis": |n| n.fold_axis(0, 0_i32, |a, b| a + b);
        "checked_add": |n| n.checked_add(&n);
        "dot": |x, y| x.dot(&y);
        "dot of a vector": |x, v| x.dot(&v);
        "matmul": |cube| cube.matmul(cube.permuted_axes([0, 2, 1])?);
        "bitcast_split": |x| bitcast_split::<u32, _, _>(x.t());
        "to_owned": |x| x.t().try_to_owned();
        "to_vec": |x| x.t().try_to_vec();
        "to_shape": |x| x.t().to_shape(6300);
        "into_shape": |y| y.t().try_to_owned()?.into_shape([30, 210]);
        "full": |v| Array2::try_full([9, v.len()], 1_u8);
        "arange": |v| Array1::arange(0.0, v.len() as f64, 1.0);
        "broadcast_in_dim": |v| v.broadcast_in_dim([5, 90], [1]).map(|view| view.len());
        "windows": |x| x.windows([3, 3]).map(|windows| windows.count());
        "boxed": |x, y| (&x + y.t()).boxed().eval();
        "sum of a boxed one": |x, y| (&x + y.t()).boxed().sum_axis(0);
        "sum in pieces": |big| (&big + 1.0).abs().sum();
        "sum in slabs": |big| (&big + big.slice(s![..1, ..])?.exp()).sum_axis(1);
        "sum of many": |big| big.t().sum_axis(0);
        "max of a function": |big| big.exp().max();
        "var of an expression": |big| (&big * 2.0).var(1.0);
        "norms of an expression": |x, y| (&x - y.t()).norm_l2_axis(1);
        "any": |big| big.greater(2.0).any();
        "argmax of an expression": |big| (&big * -1.0).argmax();
        "product": |n| n.product_axis([]);
        "reduce large elements": |large| large.reduce_axis(0, |a, b| if a > b { a } else { b });
        "assign large elements": |large| large.try_to_owned()?.assign(large.flip(0)?);
        "dot of halves": |half| half.dot(&half.slice(s![0, ..])?);
        "softmax of halves": |half| half.softmax(0);
        "dot of two vectors": |v| v.slice(s![..;2])?.dot(&v.slice(s![..;-2])?);
        "dot from the left": |x, v| v.slice(s![..70])?.dot(&x);
        "dot of computed ones": |x, v| (&x * 2.0).dot(&v + 1.0);
        "dot of integers": |n| n.dot(&n.slice(s![0, ..])?);
        "concatenate": |x, y| concatenate(0, &[x.view(), y.t()]);
        "stack": |x, y| stack(1, &[x.view(), y.t()]);
        "take": |x| x.t().take(0, &[3, 1, 4, 1]);
        "compress": |x, mask| x.compress(&mask);
        "roll": |x| x.t().roll(1, 3);
        "tile": |x| x.t().tile([2, 3]);
        "repeat": |x| x.t().repeat(0, 3);
        "triu": |x| x.t().triu(1);
        "kron": |v| kron(v.slice(s![..9])?, v.slice(s![..;10])?);
        "select": |x, y, mask| select(&mask, &x, y.t()).eval();
        "masked_assign": |x, y, mask| x.try_to_owned()?.masked_assign(&mask, y.t());
        "update_each": |x, y| x.try_to_owned()?.update_each(y.t(), |x, y| *x += y);
        "for_each": |x, y| zerostride::for_each((&mut x.try_to_owned()?,), y.t(), |(x,), y| *x += y);
        "scaled_add": |x, y| x.try_to_owned()?.scaled_add(2.0, y.t());
        "gemm": |y| Array2::try_full([9, 8], 1.0)?
            .gemm(2.0, y.slice(s![..9, ..7])?, y.slice(s![..7, ..8])?, 1.0);
        "map_axis": |x| x.map_axis(0, |lane| lane.len());
        "median_axis": |x| x.median_axis(0);
        "argsort of an expression": |x, y| (&x + y.t()).argsort(0);
        "cumprod": |x| x.t().cumprod(1);
        "cummin of a few": |x| x.slice(s![..3, ..4])?.cummin(0);
        "all_close": |x, y| x.all_close(y.t(), 0.1, 0.1);
        "checked_mul of others": |n| n.checked_mul(n.slice(s![0, ..])?.along([1]));
        "powers": |x, v| x.pow(v.along([1])).eval();
        "complex": |x, y| x.complex(y.t()).exp().eval();
        "bitcast_join": |n| zerostride::bitcast_join::<u64, _, _>(n.t().slice(s![..4, ..70;2])?.t().slice(s![.., ..2])?);
        "concat of ndcore": |x| Array2::concat(0, &[x.view(), x.view()]);
        "append": |x, y| x.try_to_owned()?.append(0, y.t());
        "push": |x, v| x.try_to_owned()?.push(0, v.view());
        "linspace": |v| Array1::<f64>::geomspace(1.0, v.len() as f64, 50);
        "iota": |v| (zerostride::iota::<f64>(0) + v.view()).eval();
        "many operands": |x, y, v| (&x + y.t() * &x - y.t() / &x + v.along([1]) * v.along([1])
            + x.slice(s![..;-1, ..])? + x.slice(s![.., ..;-1])? - x.slice(s![..1, ..])?).eval();
        "sum of many operands": |x, y, v| (&x + y.t() * &x - y.t() / &x + v.along([1]).exp()
            + x.slice(s![..;-1, ..])? + x.slice(s![.., ..;-1])? - x.slice(s![..1, ..])?).sum_axis(1);
        "first_difference": |x, y| x.first_difference(y.t(), 0.0, 0.0);
        "stack of ndcore": |x| Array3::stack(1, &[x.view(), x.view()]);
        "take_cloned": |x| x.take_cloned(1, &[3, 1]);
        "drop of recycled memory": |big| big.try_to_owned();
        "a wrong push": |x| x.try_to_owned()?.push(0, x.column(0));
        "a wrong concatenation": |x, y| concatenate(0, &[x.view(), y.view()]);
        "a wrong take": |x| x.take(0, &[3, 100]);
        "a wrong histogram": |x| x.histogram(0, 0.0, 1.0);
        "a wrong integer": |n| n.checked_mul(i32::MAX);
        "a wrong dot": |n| (&n + (1 << 20)).dot((&n + (1 << 20)).sum_axis(0)?);
        "a slice that does not fit": |x| x.slice(s![99.., ..]).map(|view| view.len());
        "a wrong index": |x| x.index_axis(1, 1000).map(|view| view.len());
        "a wrong permutation": |x| x.permuted_axes([1, 1]).map(|view| view.len());
        "a wrong reshape": |x| x.reshape([7, 7]).map(|view| view.len());
        "a wrong rank": |x| x.as_dyn().into_rank_3();
        "wrong shapes": |x, v| (&x + v.along([0])).eval();
        "wrong dims": |x, v| (&x + v.along([7])).eval();
        "a wrong axis": |x| x.sum_axis(7);
        "a wrong axis twice": |x| x.sum_axis([1, 1]);
        "a wrong quantile": |x| x.quantile(7.0);
        "a wrong assignment": |x, y| x.try_to_owned()?.assign(&y);
        "a wrong product": |x| x.dot(&x);
        "mean of nothing": |v| v.slice(s![..0])?.mean();
        "a wrong list of slices": |x| x.as_dyn().slice(Slices::from_slice(&[SliceElem::Index(99)])).map(|view| view.len());
    }
    calls
}

/// `as_rank` of another rank.
trait IntoRank3 {
    fn into_rank_3(self) -> Answer;
}
impl IntoRank3 for ViewD<'_, f64> {
    fn into_rank_3(self) -> Answer {
        Ok(self.as_rank::<Rank<3>>().map(drop)?)
    }
}

/// The name of what is tried in the child, as `call:k:stays`.
const FAULT: &str = "FAULT";

/// In the child: one call with one failing allocation.
#[test]
fn one_fault() {
    let Ok(fault) = std::env::var(FAULT) else { return };
    let mut parts = fault.split(':');
    let mut number = || parts.next().and_then(|part| part.parse::<i64>().ok()).expect("a number");
    let (call, k, stays) = (number() as usize, number(), number() == 1);
    let calls = calls();
    let serial = Exec::new().parallel(false);
    // Once without a fault, so that what is made once is there.
    let _ = serial.install(&calls[call].1);
    STAYS.set(stays);
    LEFT.set(k);
    let answer = catch_unwind(AssertUnwindSafe(|| serial.install(&calls[call].1)));
    LEFT.set(-1);
    STAYS.set(false);
    // Afterwards everything works.
    let again = serial.install(&calls[call].1);
    match answer {
        Ok(Ok(())) => println!("[fine]"),
        Ok(Err(err)) => println!("[error] {err}"),
        Err(_) => println!("[panic]"),
    }
    drop(again);
}

/// The calls that end in an abort: the crate that multiplies matrices takes its buffers without
/// asking, and so do walks of more than four loops for their lists, and expressions that are boxed
/// for themselves. docs/testing.md says so.
const ABORTS_KNOWN: &[&str] = &["dot", "eval of ten axes", "boxed", "sum of a boxed one"];

#[test]
fn lack_of_memory_is_an_error() {
    if std::env::var_os(FAULT).is_some() {
        return;
    }
    let _alone = alone();
    set_pool_limit(0);
    let own = std::env::current_exe().expect("a path");
    let serial = Exec::new().parallel(false);
    let (mut tried, mut known) = (0, 0);
    let (mut aborted, mut panicked) = (Vec::new(), Vec::new());
    for (number, (name, call)) in calls().iter().enumerate() {
        let _ = serial.install(call);
        COUNT.set(0);
        let _ = serial.install(call);
        let count = COUNT.get();
        for k in 0..count {
            // Both at a time.
            let children = [0, 1].map(|stays| {
                let mut command = Command::new(&own);
                command.args(["--exact", "one_fault", "--nocapture", "--test-threads=1"]);
                command.env(FAULT, format!("{number}:{k}:{stays}")).stdout(Stdio::piped());
                (stays, command.stderr(Stdio::null()).spawn().expect("a child"))
            });
            for (stays, child) in children {
                tried += 1;
                let child = child.wait_with_output().expect("what a child says");
                let said = String::from_utf8_lossy(&child.stdout);
                let how = ["once", "from there on"][stays];
                let what = format!("{name}: allocation {k} of {count}, {how}");
                if said.contains("[fine]") || said.contains("[error]") {
                    continue;
                }
                if said.contains("[panic]") {
                    panicked.push(what);
                    continue;
                }
                if ABORTS_KNOWN.contains(name) {
                    known += 1;
                } else {
                    aborted.push(what);
                }
            }
        }
    }
    println!("{tried} faults, {known} known aborts");
    assert!(aborted.is_empty() && panicked.is_empty(), "{aborted:#?}\npanics: {panicked:#?}");
}

/// The pool of memory is one for the whole program: tests that look at it take turns.
fn alone() -> std::sync::MutexGuard<'static, ()> {
    static TURN: std::sync::Mutex<()> = std::sync::Mutex::new(());
    TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// A panic while recycled memory is filled: nobody takes elements from that memory any more,
/// because nothing proves that there are any in it.
#[test]
fn memory_that_was_not_filled_is_not_recycled() {
    if std::env::var_os(FAULT).is_some() {
        return;
    }
    let _alone = alone();
    const LEN: usize = 1 << 20;
    set_pool_limit(1 << 28);
    drop(Array1::<u32>::ones(LEN));
    assert!(pool_stats().blocks > 0, "large arrays are kept");
    let layout = zerostride::Layout::<Rank<1>>::c_order([LEN]).expect("it fits");
    let panic = catch_unwind(|| {
        Array1::<u32>::build::<zerostride::LayoutError>(layout, |mut slots| {
            slots.fill(MaybeUninit::uninit());
            std::panic::resume_unwind(Box::new("half way"))
        })
    });
    assert!(panic.is_err());
    assert!(Array1::<u32>::recycled(layout).is_none(), "the memory is not kept as elements");
    set_pool_limit(0);
}

/// Panics leave nothing behind: no memory, and no pool that does not work.
#[test]
fn panics_leave_nothing_behind() {
    if std::env::var_os(FAULT).is_some() {
        return;
    }
    let _alone = alone();
    let x = Array2::from_fn([300, 500], |[i, j]| (500 * i + j) as u32);
    let exec = Exec::new().grain(1000);
    let round = |bad: u32| {
        let f = |x: u32| if x == bad { std::panic::resume_unwind(Box::new(bad)) } else { x + 1 };
        let evaluated = catch_unwind(AssertUnwindSafe(|| exec.install(|| (x.map(f) + &x).eval())));
        let summed = catch_unwind(AssertUnwindSafe(|| exec.install(|| x.t().map(f).sum_axis(0))));
        let sorted = catch_unwind(AssertUnwindSafe(|| exec.install(|| x.map(f).sort(0))));
        for payload in [evaluated.err(), summed.err(), sorted.err()] {
            assert_eq!(payload.and_then(|payload| payload.downcast_ref().copied()), Some(bad));
        }
    };
    (0..5).for_each(|i| round(i * 7493));
    let before = HELD.load(Ordering::Relaxed);
    (0..20).for_each(|i| round(i * 7490));
    let more = HELD.load(Ordering::Relaxed) - before;
    assert!(more < 1 << 20, "{more} bytes more are held after 60 panics");
    let sum = exec.install(|| x.cast::<u64>().sum()).expect("it fits");
    assert_eq!(sum, (0..150_000).sum::<u64>());
}
