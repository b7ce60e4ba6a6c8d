//! Compares the library with NumPy, in a given Python:
//!
//! ```sh
//! cargo run -p differ -- --python python3 --count 1000000
//! cargo run -p differ -- --python python3 --record tests/differ/numpy.txt
//! cargo run -p differ -- --python python3 --question 12345
//! ```
//!
//! `--seed` is the number of the first question. Each comparison that fails is printed as a program
//! with the number of its question.

#![forbid(unsafe_code)]

use differ::{NumPy, Question, RECORDED, question};
use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::Instant;

/// The questions that are put at once.
const BATCH: u64 = 200;
/// The failures that are printed.
const SHOWN: u64 = 10;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!(
                "{why}\nusage: differ --python PYTHON [--count N] [--seed N] [--record FILE] [--question N]"
            );
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, Box<dyn std::error::Error>> {
    let (mut python, mut count, mut seed, mut record, mut one) = (None, 100_000, 0, None, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or("an option without its value")?;
        match &*name {
            "--python" => python = Some(value),
            "--count" => count = value.parse()?,
            "--seed" => seed = value.parse()?,
            "--record" => record = Some(value),
            "--question" => one = Some(value.parse::<u64>()?),
            _ => return Err(format!("no option {name}").into()),
        }
    }
    let mut numpy = NumPy::start(&python.ok_or("no Python is given")?)?;
    if let Some(number) = one {
        (seed, count) = (number, 1);
    }
    if record.is_some() {
        (seed, count) = (0, RECORDED);
    }
    let (start, mut failed, mut refused, mut text) = (Instant::now(), 0, 0, String::new());
    let mut next = seed;
    while next < seed + count {
        let end = (next + BATCH).min(seed + count);
        let questions: Vec<Question> =
            (next..end).map(|number| question(number, record.is_some())).collect();
        next = end;
        for (question, answer) in questions.iter().zip(numpy.ask(&questions)?) {
            refused += u64::from(question.answer.is_err());
            let _ = writeln!(text, "{}", question.recorded(&answer));
            let problem = question.problem(&answer);
            if one.is_some() {
                println!("{}\n// NumPy: {answer}", question.program);
            }
            if let Some(problem) = problem {
                failed += 1;
                if failed <= SHOWN {
                    println!("// Question {}. {problem}\n{}\n", question.number, question.program);
                }
            }
        }
        if record.is_none() {
            text.clear();
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{count} comparisons in {seconds:.1} s ({:.0} an hour) from question {seed}, {refused} of them of errors, {failed} failed",
        count as f64 / seconds * 3600.0
    );
    if let Some(file) = record {
        std::fs::write(file, text)?;
    }
    Ok(failed == 0)
}
