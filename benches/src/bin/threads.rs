//! All threads beside one, from 2^10 to 2^26 elements.
//!
//! ```sh
//! cargo run --release -p benches --bin threads [-- --json FILE]
//! cargo run --release -p benches --bin plot -- FILE out.svg
//! ```

use benches::scaling::{KINDS, Point};
use serde_json::json;
use std::process::ExitCode;
use zerostride::Exec;

fn run() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let file = match arguments.as_slice() {
        [] => None,
        [option, file] if option == "--json" => Some(file),
        _ => return Err("threads [--json FILE]".to_owned()),
    };
    let ways = [Exec::new(), Exec::new().parallel(false)];
    println!("time on {} threads by time on one", rayon::current_num_threads());
    print!("{:<9}", "elements");
    KINDS.iter().for_each(|work| print!(" {:>8}", work.name));
    println!();
    let mut points = Vec::new();
    for power in 10..=26 {
        print!("2^{power:<7}");
        for work in KINDS {
            let timing = work.measure(1 << power, ways)?;
            let point = Point { work: work.name, elements: 1 << power, timing };
            print!(" {:>8.2}", point.ratio());
            points.push(point);
        }
        println!();
    }
    if let Some(path) = file {
        let points: Vec<_> = points.iter().map(Point::json).collect();
        let title = "time on all threads by time on one, against the number of elements:";
        let text = format!("{:#}\n", json!({ "sweep": points, "limit": 1.0, "title": title }));
        std::fs::write(path, text).map_err(|error| format!("{path}: {error}"))?;
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
