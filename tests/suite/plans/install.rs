//! `Exec::install`: options hold within, are put back after, and are obeyed by every operation.

use conformance::support::execs::in_pool;
use conformance::support::report::problem_of;
use conformance::support::{Held, Recipe, Report, Ways};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex};
use std::thread::ThreadId;
use std::time::Duration;
use zerostride::prelude::*;
use zerostride::{Exec, Isa, Op, Sum, Var, ops};

fn options() -> [Exec; 3] {
    let a = Exec::new().parallel(false).isa(Isa::BASELINE);
    [a, a.parallel(true).grain(1), a.cache(0).grain(77)]
}

#[test]
fn installs_nest() {
    let [a, b, c] = options();
    let current = Exec::current;
    assert_eq!(current(), Exec::new());
    let result = a.install(|| {
        assert_eq!(current(), a);
        b.install(|| {
            assert_eq!(current(), b);
            c.install(|| assert_eq!(current(), c));
            assert_eq!(current(), b);
            // What is not said is that of the defaults, not of what is installed.
            assert_eq!(Exec::new(), Exec::default());
            Exec::new().install(|| assert_eq!(current(), Exec::new()));
            assert_eq!(current(), b);
        });
        assert_eq!(current(), a);
        // Twice the same.
        a.install(|| assert_eq!(current(), a));
        assert_eq!(current(), a);
        7
    });
    assert_eq!(result, 7);
    assert_eq!(current(), Exec::new());
}

#[test]
fn a_panic_puts_back_what_was_installed() {
    let [a, b, c] = options();
    let current = Exec::current;
    let panics = |exec: Exec| {
        let panic = catch_unwind(AssertUnwindSafe(|| {
            exec.install(|| {
                assert_eq!(current(), exec);
                c.install(|| panic!("within"))
            })
        }));
        assert!(panic.is_err());
    };
    panics(b);
    assert_eq!(current(), Exec::new());
    a.install(|| {
        panics(b);
        assert_eq!(current(), a);
    });
    assert_eq!(current(), Exec::new());
    // Of an operation, in the middle of a pass, on this thread and on others.
    for exec in options() {
        a.install(|| {
            let x = Array1::<f64>::zeros(10_000);
            let pass = || exec.install(|| x.map(|_| -> f64 { panic!("in an operation") }).eval());
            assert!(catch_unwind(AssertUnwindSafe(|| in_pool(pass))).is_err());
            let pass = || exec.install(|| (x.map(|_| -> f64 { panic!("in an operation") })).sum());
            assert!(catch_unwind(AssertUnwindSafe(pass)).is_err());
            assert_eq!(current(), a);
        });
    }
    assert_eq!(current(), Exec::new());
}

#[test]
fn other_threads_have_their_own() {
    let [a, b, _] = options();
    a.install(|| {
        std::thread::scope(|scope| {
            let there = scope.spawn(|| (Exec::current(), b.install(Exec::current)));
            assert_eq!(there.join().expect("no panic"), (Exec::new(), b));
        });
        assert_eq!(Exec::current(), a);
    });
}

#[test]
fn explanations_say_the_options() {
    let mut report = Report::new("explained options");
    let x = Array2::<f32>::zeros([300, 400]);
    let say = |explanation: Result<zerostride::plan::Explanation, zerostride::Error>| {
        explanation.expect("it has a plan").to_string()
    };
    for isa in Isa::available() {
        for parallel in [false, true] {
            let exec = Exec::new().isa(isa).parallel(parallel).grain(1).cache(1000);
            let texts = in_pool(|| {
                exec.install(|| [say((&x + 1.0).explain()), say((&x + 1.0).explain_reduce(Sum, 1))])
            });
            for (number, text) in texts.iter().enumerate() {
                let row = format!("{isa:?} {parallel} {number}");
                report.holds(
                    format!("{row}: {text}"),
                    text.contains(&format!("lanes of {}", isa.name())),
                );
                let threads = if parallel { "threads   5, " } else { "threads   1 (serial)" };
                report.holds(format!("{row}: {text}"), text.contains(threads));
            }
            report.holds("the cache", texts[0].contains("past the cache of 1000 bytes"));
        }
    }
    // The innermost counts, and after it the one around it.
    let [a, b, _] = options();
    in_pool(|| {
        a.install(|| {
            report.holds("nested", b.install(|| say((&x + 1.0).explain())).contains("threads   5"));
            report.holds("after", say((&x + 1.0).explain()).contains("(serial)"));
        })
    });
    report.finish(12);
}

/// The threads on which an operation ran.
#[derive(Default)]
struct Threads {
    seen: Mutex<BTreeSet<String>>,
    another: Condvar,
    /// Whether the first element waits for a second thread.
    waits: AtomicBool,
}

fn name(id: ThreadId) -> String {
    format!("{id:?}")
}

#[derive(Clone, Copy)]
struct Noting<'t>(&'t Threads);

impl Op<f64> for Noting<'_> {
    type Output = f64;

    fn apply(&self, x: f64) -> f64 {
        let mut seen = self.0.seen.lock().expect("no panic");
        seen.insert(name(std::thread::current().id()));
        if seen.len() > 1 {
            self.0.another.notify_all();
        } else if self.0.waits.swap(false, Ordering::Relaxed) {
            // Else one thread might be through before another has woken up.
            let wait = Duration::from_secs(5);
            drop(
                self.0
                    .another
                    .wait_timeout_while(seen, wait, |seen| seen.len() < 2)
                    .expect("no panic"),
            );
        }
        x * 0.5
    }
}

/// Something computed, with an operation in it.
type Work<'w> = &'w (dyn Fn(Noting<'_>) + Sync);

/// Every kind of operation.
fn each_operation(check: impl Fn(&str, Work<'_>)) {
    // Of several blocks along each axis, and in all.
    let array =
        |shape| Array2::<f64>::from_fn(shape, |[i, j]| ((i * 31 + j * 17) % 101) as f64 + 1.0);
    let (x, tall, v) =
        (array([40, 300]), array([9000, 8]), Array1::<f64>::from_fn(300, |[j]| j as f64));
    let new = || Array2::<f64>::zeros([40, 300]);
    let transposed = || Array2::<f64>::zeros([300, 40]);
    macro_rules! one {
        ($text:literal, |$op:ident| $result:expr) => {
            check($text, &|$op: Noting<'_>| {
                $result.map(drop).expect("it fits");
            })
        };
    }
    one!("eval", |op| x.apply(op).eval());
    one!("eval of two", |op| (&x + x.apply(op)).eval());
    one!("assign", |op| new().assign(x.apply(op)));
    one!("assign to a transpose", |op| transposed().t_mut().assign(x.apply(op)));
    one!("update", |op| new().update(ops::Add, x.apply(op)));
    one!("computed before", |op| (&x + v.apply(op).along([1])).eval());
    one!("computed before, assigned", |op| new().assign(v.along([1]).apply(op)));
    one!("sum", |op| x.apply(op).sum());
    one!("sum along 0", |op| tall.apply(op).sum_axis(0));
    one!("var along 1", |op| x.apply(op).reduce_by(Var { ddof: 0.0 }, 1));
    one!("argmax", |op| x.apply(op).argmax());
    one!("cumsum", |op| x.apply(op).cumsum(0));
    one!("softmax", |op| x.apply(op).softmax(1));
    one!("sort", |op| x.apply(op).sort(0));
    one!("argsort", |op| x.apply(op).argsort(1));
    one!("median", |op| x.apply(op).median());
}

#[test]
fn serial_is_obeyed() {
    let report = RefCell::new(Report::new("serial"));
    let exec = Exec::new().parallel(false).grain(1);
    each_operation(|text, work| {
        let threads = Threads::default();
        let here = in_pool(|| {
            exec.install(|| work(Noting(&threads)));
            name(std::thread::current().id())
        });
        let seen = threads.seen.into_inner().expect("no panic");
        report.borrow_mut().equal(text, seen, BTreeSet::from([here]));
    });
    report.into_inner().finish(16);
}

#[test]
fn parallel_is_obeyed() {
    let report = RefCell::new(Report::new("parallel"));
    let exec = Exec::new().parallel(true).grain(1);
    each_operation(|text, work| {
        let threads = Threads { waits: AtomicBool::new(true), ..Threads::default() };
        in_pool(|| exec.install(|| work(Noting(&threads))));
        let seen = threads.seen.into_inner().expect("no panic").len();
        report.borrow_mut().holds(format!("{text}: {seen} threads"), seen > 1);
    });
    report.into_inner().finish(16);
}

/// Whatever is installed, every operation has the same result.
#[test]
fn results_do_not_depend_on_options() {
    let mut report = Report::new("results by options");
    let plain = Exec::new().parallel(false).isa(Isa::BASELINE);
    for shape in [[6, 7], [60, 90], [3, 7000]] {
        let held = Held::<f64>::ordinary(&shape, &Recipe::f(2).reversed(1), 5);
        let results = || -> Vec<(&str, Vec<f64>)> {
            let x = held.view();
            let mut assigned = Array2::<f64>::zeros(shape).into_dyn();
            assigned.assign(x.exp()).expect("it fits");
            let mut updated = assigned.clone();
            updated.update(ops::Div, x * 3.0 + 0.1).expect("it fits");
            let places = x.argsort(1).expect("it fits");
            vec![
                ("eval", (x.sin() / 7.0).eval().expect("it fits").to_vec()),
                ("assign", assigned.to_vec()),
                ("update", updated.to_vec()),
                ("sum", vec![x.exp().sum().expect("it fits")]),
                ("mean along 1", x.exp().mean_axis(1).expect("it fits").to_vec()),
                ("var along 0", x.exp().var_axis(0, 0.0).expect("it fits").to_vec()),
                ("cumsum", x.exp().cumsum(1).expect("it fits").to_vec()),
                ("cumprod", (x * 0.1).cumprod(0).expect("it fits").to_vec()),
                ("softmax", x.softmax(1).expect("it fits").to_vec()),
                ("log_softmax", x.log_softmax([0, 1]).expect("it fits").to_vec()),
                ("sort", x.sort(1).expect("it fits").to_vec()),
                ("argsort", places.iter().map(|&place| place as f64).collect()),
                ("quantile", x.quantile_axis(1, 0.3).expect("it fits").to_vec()),
            ]
        };
        let want = plain.install(results);
        for way in Ways::All.list() {
            let mut got = Vec::new();
            let panic = problem_of(|| {
                got = in_pool(|| way.0.install(results));
                None
            });
            report.row(format!("{shape:?} {way}"), panic);
            for ((name, got), (_, want)) in got.into_iter().zip(&want) {
                let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                report.holds(format!("{shape:?} {way}: {name}"), bits(&got) == bits(want));
            }
        }
    }
    report.finish(3 * 4 * 14);
}
