//! How far the mathematical functions are from the correctly rounded ones, in units in the last
//! place (ULP):
//!
//! ```sh
//! cargo run --release -q -p conformance --bin ulp -- FILE.csv...                # against the results in files
//! cargo run --release -q -p conformance --bin ulp -- --exhaustive exp sin       # every f32
//! cargo run --release -q -p conformance --bin ulp -- --sample [FUNCTION...]     # a million points each, f32 and f64
//! ```
//!
//! Without names `--exhaustive` and `--sample` take all functions. Lines of a file are
//! `function,dtype,input_bits_hex,output_bits_hex`, with two inputs for `pow`, `atan2` and `hypot`;
//! `#` starts a comment.

#![forbid(unsafe_code)]

use conformance::accuracy::{
    Function, Functions, Operands, Worst, add_file, distance, evaluate, exhaustive, functions,
    points, promise,
};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::Path;
use std::process::ExitCode;

/// The points of a sample.
const SAMPLE: usize = 1_000_000;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (passed, failed) = match arguments.split_first() {
        Some((first, names)) if first == "--exhaustive" => all_f32(names),
        Some((first, names)) if first == "--sample" => {
            let (single, double) = (sample::<f32>(names), sample::<f64>(names));
            (single.0 + double.0, single.1 + double.1)
        }
        Some((first, _)) if !first.starts_with('-') => files(&arguments),
        _ => {
            eprintln!(
                "usage: ulp FILE.csv... | --exhaustive [FUNCTION...] | --sample [FUNCTION...]"
            );
            return ExitCode::from(2);
        }
    };
    println!("{passed} passed, {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn files(paths: &[String]) -> (usize, usize) {
    let (mut passed, mut failed) = (0, 0);
    for path in paths {
        match add_file(Path::new(path)) {
            Ok((more, wrong)) => {
                passed += more;
                failed += wrong;
            }
            Err(why) => {
                println!("{why}");
                failed += 1;
            }
        }
    }
    (passed, failed)
}

/// How far some work of so many steps has come: on a terminal only.
fn progress(steps: usize) -> ProgressBar {
    let style = "{pos}/{len} {wide_bar} {elapsed}, {eta} left {msg}";
    let style = ProgressStyle::with_template(style).expect("it is valid");
    ProgressBar::new(steps as u64).with_style(style)
}

/// The functions of these names; all, if there are none.
fn named<F: Functions>(names: &[String]) -> Vec<Function<F>> {
    let asked = |function: &Function<F>| {
        names.is_empty() || names.iter().any(|name| function.is_called(name))
    };
    functions::<F>().into_iter().filter(asked).collect()
}

fn sample<F: Functions>(names: &[String]) -> (usize, usize) {
    let (mut passed, mut failed) = (0, 0);
    let functions = named::<F>(names);
    let progress = progress(functions.len());
    for function in functions {
        progress.set_message(function.name);
        let (operands, promise) = (points(&function, SAMPLE), promise(function.name));
        let mut worst = Worst::new();
        match evaluate(&function, &operands) {
            Ok(results) => {
                for (i, got) in results.into_iter().enumerate() {
                    let inputs: Vec<F> = operands.iter().map(|operand| operand[i]).collect();
                    let want = function.reference(&inputs);
                    worst.add(&inputs, got, want, distance(got, want), promise);
                }
                progress.suspend(|| println!("{}", worst.describe(function.name, promise)));
            }
            Err(why) => {
                progress.suspend(|| println!("{why}"));
                worst.failed = operands[0].len();
                worst.count = worst.failed;
            }
        }
        progress.inc(1);
        passed += worst.count - worst.failed;
        failed += worst.failed;
    }
    (passed, failed)
}

/// Every bit pattern of `f32`, on two threads.
fn all_f32(names: &[String]) -> (usize, usize) {
    let (mut passed, mut failed) = (0, 0);
    let half = 1_u64 << 31;
    let of_one = |function: &Function<f32>| matches!(function.operands, Operands::One(..));
    let functions: Vec<_> = named::<f32>(names).into_iter().filter(of_one).collect();
    let progress = progress(2 * half as usize * functions.len());
    let tried = |more| progress.inc(more);
    for function in functions {
        progress.set_message(function.name);
        let halves = std::thread::scope(|scope| {
            let other = scope.spawn(|| exhaustive(&function, half..2 * half, &tried));
            [exhaustive(&function, 0..half, &tried), other.join().expect("no panic")]
        });
        let promise = promise(function.name);
        let [mut worst, other] = halves;
        worst.count += other.count;
        worst.failed += other.failed;
        if other.distance > worst.distance {
            (worst.distance, worst.at) = (other.distance, other.at);
        }
        progress.suspend(|| println!("{}", worst.describe(function.name, promise)));
        passed += worst.count - worst.failed;
        failed += worst.failed;
    }
    (passed, failed)
}
