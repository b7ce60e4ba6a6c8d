//! Operations at all sizes, beside `ndarray`.
//!
//! ```sh
//! cargo run --release -p benches --bin sweep [-- --filter NAME] [--most N] [--json FILE]
//! cargo run --release -p benches --bin plot -- FILE out.svg
//! ```

use benches::sweep::{EFFORT, LIMIT, OPERATIONS, Operation, Point, sizes, summary};
use benches::threads::Threads;
use serde_json::json;
use std::io::Write;
use std::process::ExitCode;

const USAGE: &str = "\
sweep [--filter NAME] [--most N] [--json FILE]

  --filter NAME    only operations whose names contain NAME
  --most N         up to so many elements (10000000)
  --json FILE      also write the figures to FILE, which `plot` draws

Our time by ndarray's, which runs on one thread: ours on one thread, then as by default. A star:
above the limit.";

fn run() -> Result<(), String> {
    let (mut filter, mut most, mut json) = (String::new(), 10_000_000, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--filter" => filter = value()?,
            "--most" => most = value()?.parse().map_err(|_| "--most needs a number")?,
            "--json" => json = Some(value()?),
            "--help" | "-h" => {
                println!("{USAGE}");
                return Ok(());
            }
            other => return Err(format!("unknown option {other}\n\n{USAGE}")),
        }
    }
    let chosen: Vec<&Operation> =
        OPERATIONS.iter().filter(|one| one.name.contains(&filter)).collect();
    let mut points = Vec::new();
    for threads in Threads::ALL {
        print!("{:<9}", threads.name());
        chosen.iter().for_each(|operation| print!(" {:>8}", operation.name));
        println!();
        for elements in sizes(most) {
            print!("{elements:<9}");
            for operation in &chosen {
                print!(" {:>8}", cell(operation, elements, threads, &mut points)?);
                // The cells come one by one, some of them slowly. Nothing depends on seeing them.
                let _ = std::io::stdout().flush();
            }
            println!();
        }
        println!();
    }
    print!("above {LIMIT}\n{}", summary(&points));
    if let Some(path) = json {
        let points: Vec<_> = points.iter().map(Point::json).collect();
        let text = format!("{:#}\n", json!({ "sweep": points, "limit": LIMIT }));
        std::fs::write(&path, text).map_err(|error| format!("{path}: {error}"))?;
    }
    Ok(())
}

/// The ratio, as a cell of the table; its point joins the others.
fn cell(
    operation: &Operation,
    elements: usize,
    threads: Threads,
    points: &mut Vec<Point>,
) -> Result<String, String> {
    if elements < operation.least {
        return Ok(String::new());
    }
    let point = operation.measure(elements, threads, EFFORT)?;
    let mark = if point.ratio() > LIMIT { "*" } else { " " };
    let cell = format!("{:.2}{mark}", point.ratio());
    points.push(point);
    Ok(cell)
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
