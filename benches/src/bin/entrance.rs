//! What small operations cost, beside `ndarray`.
//!
//! ```sh
//! cargo run --release -p benches --bin entrance [-- --filter NAME] [--json FILE]
//! ```

use benches::entrance::{EFFORT, Row, cases};
use benches::threads::Threads;
use serde_json::json;
use std::process::ExitCode;

const USAGE: &str = "\
entrance [--filter NAME] [--json FILE]

  --filter NAME    only cases whose names contain NAME
  --json FILE      also write the figures to FILE

Columns: the medians of our time and of ndarray's, in nanoseconds; the median of their ratios,
round by round; the most it should be. One thread.";

fn run() -> Result<(), String> {
    let (mut filter, mut json) = (String::new(), None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--filter" => filter = value()?,
            "--json" => json = Some(value()?),
            "--help" | "-h" => {
                println!("{USAGE}");
                return Ok(());
            }
            other => return Err(format!("unknown option {other}\n\n{USAGE}")),
        }
    }
    println!("{}", Row::heading());
    let measure = || {
        let chosen = cases().into_iter().filter(|case| case.name.contains(&filter));
        let rows = chosen.map(|case| {
            let row = Row::measure(&case, EFFORT)?;
            println!("{row}");
            Ok(row)
        });
        rows.collect::<Result<Vec<Row>, String>>()
    };
    let rows = Threads::One.run(measure)?;
    let over: Vec<&str> =
        rows.iter().filter(|row| row.is_over()).map(|row| row.name.as_str()).collect();
    println!("\nover their limits ({} of {}): {}", over.len(), rows.len(), over.join(", "));
    if let Some(path) = json {
        let cases: Vec<_> = rows.iter().map(Row::json).collect();
        let text = format!("{:#}\n", json!({ "entrance": cases }));
        std::fs::write(&path, text).map_err(|error| format!("{path}: {error}"))?;
    }
    Ok(())
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
