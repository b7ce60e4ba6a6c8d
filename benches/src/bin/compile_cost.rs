//! What an expression costs to compile, beside eager functions over `ndarray`.
//!
//! ```sh
//! cargo run --release -p benches --bin compile_cost [-- FUNCTIONS]
//! ```
//!
//! It generates a crate of FUNCTIONS (100) different expressions, builds it in release, touches it,
//! and times the build of that crate alone; the same for reductions of a fifth as many; for the
//! same over `ndarray`, where each step makes an array; and for crates without any functions, whose
//! time is subtracted. The crates lie in Cargo's target directory.

use benches::compile_cost::{Cost, Crate, Kind, Library};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const TIMES: usize = 3;

/// Where this program's own build lies, which is in the target directory.
fn folder() -> std::io::Result<PathBuf> {
    let program = std::env::current_exe()?;
    let target =
        program.parent().and_then(Path::parent).map_or_else(std::env::temp_dir, Path::to_path_buf);
    Ok(target.join("compile_cost"))
}

fn run() -> Result<(), String> {
    let functions: usize = match std::env::args().nth(1) {
        None => 100,
        Some(text) => text.parse().ok().filter(|&n| n > 0).ok_or("compile_cost [FUNCTIONS]")?,
    };
    let workspace =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("this package lies in a workspace")?;
    let folder = folder().map_err(|error| error.to_string())?;
    let cost = |library: Library, kind: Kind, count: usize| -> Result<Cost, String> {
        let generated = Crate::generate(library, (kind, count), &folder, workspace)
            .map_err(|error| error.to_string())?;
        generated.cost(TIMES)
    };
    for (kind, functions) in [(Kind::Results, functions), (Kind::Reductions, functions.div_ceil(5))]
    {
        println!(
            "{functions} {} of 2 to 6 operations; release; median of {TIMES} builds after a touch\n",
            kind.name()
        );
        println!(
            "{:<12} {:>12} {:>12} {:>14} {:>14}",
            "", "rebuild", "of nothing", "ms each", "bytes each"
        );
        for library in [Library::Zerostride, Library::Ndarray] {
            let (nothing, all) = (cost(library, kind, 0)?, cost(library, kind, functions)?);
            println!(
                "{:<12} {:>9.0} ms {:>9.0} ms {:>14.1} {:>14}",
                library.name(),
                all.rebuild,
                nothing.rebuild,
                (all.rebuild - nothing.rebuild) / functions as f64,
                all.code.saturating_sub(nothing.code) / functions as u64,
            );
        }
        println!();
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
