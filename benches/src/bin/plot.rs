//! Draws the figures that the board or the sweep wrote.
//!
//! ```sh
//! cargo run --release -p benches --bin plot -- FIGURES.json out.svg
//! ```

use std::process::ExitCode;

fn run() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, output] = arguments.as_slice() else {
        return Err("plot FIGURES.json OUT.svg".to_owned());
    };
    let text = std::fs::read_to_string(input).map_err(|error| format!("{input}: {error}"))?;
    let figures = serde_json::from_str(&text).map_err(|error| format!("{input}: {error}"))?;
    let svg = benches::plot::svg(&figures).map_err(|error| format!("{input}: {error}"))?;
    std::fs::write(output, svg).map_err(|error| format!("{output}: {error}"))
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
