//! The board: every workload, ours beside its peers and the roofline.
//!
//! ```sh
//! cargo run --release -p benches --bin board [-- --json FILE] [--filter NAME] [--python PYTHON] [--reps N] [--quick]
//! ```

use benches::python::Session;
use benches::report::{Board, Conditions, Row};
use benches::timing::measure;
use benches::workloads::{Group, Size, Workload, all};
use benches::{case, roofline};
use indicatif::{ProgressBar, ProgressStyle};
use std::process::ExitCode;

const USAGE: &str = "\
board [--json FILE] [--filter NAME] [--python PYTHON] [--reps N] [--quick] [--list]

  --json FILE      also write the figures to FILE
  --filter NAME    only workloads whose names contain NAME, or those of the group NAME
  --python PYTHON  also time NumPy, numexpr, JAX and PyTorch, as far as this interpreter has them
  --reps N         rounds of each workload (15); workloads of microseconds get four times as many
  --quick          small arrays, to see whether everything runs; the figures say little
  --list           only print the workloads' names

Columns: our time, the roofline's (a hand-written kernel with the same traffic), their ratio, GB/s for the least
bytes the workload has to move, and each peer's time by ours.";

#[derive(Debug, Default)]
struct Options {
    json: Option<String>,
    filter: String,
    python: Option<String>,
    rounds: Option<usize>,
    quick: bool,
    list: bool,
}

fn options() -> Result<Option<Options>, String> {
    let mut options = Options::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--json" => options.json = Some(value()?),
            "--filter" => options.filter = value()?,
            "--python" => options.python = Some(value()?),
            "--reps" => {
                let rounds = value()?.parse().ok().filter(|&rounds| rounds > 0);
                options.rounds = Some(rounds.ok_or("--reps needs a positive number")?);
            }
            "--quick" => options.quick = true,
            "--list" => options.list = true,
            "--help" | "-h" => return Ok(None),
            other => return Err(format!("unknown option {other}\n\n{USAGE}")),
        }
    }
    Ok(Some(options))
}

fn run(options: &Options) -> Result<(), String> {
    let is_chosen = |workload: &Workload| {
        workload.name.contains(&options.filter) || workload.group.name() == options.filter
    };
    let chosen = all().into_iter().filter(is_chosen).collect::<Vec<_>>();
    if options.list {
        chosen.iter().for_each(|workload| println!("{}", workload.name));
        return Ok(());
    }
    if chosen.is_empty() {
        return Err(format!(
            "no workload's name contains {:?}; --list prints them",
            options.filter
        ));
    }
    let threads = rayon::current_num_threads();
    let mut python =
        options.python.as_ref().map(|python| Session::start(python, threads)).transpose()?;
    let packages = python.as_ref().map(|session| session.peers.clone()).unwrap_or_default();
    let rounds = options.rounds.unwrap_or(if options.quick { 3 } else { 15 });
    let conditions = Conditions {
        threads,
        isa: zerostride::Isa::best().name().to_owned(),
        cache: roofline::last_level_cache(),
        quick: options.quick,
        rounds,
        packages,
        load: load_average(),
    };
    println!("{} threads, {}, {} MiB of cache", threads, conditions.isa, conditions.cache >> 20);
    if let Some(load) = conditions.load.filter(|&load| load > 1.0) {
        println!(
            "the load average is {load}: with other work on the machine, what takes longer looks slower than it is"
        );
    }
    if options.quick {
        println!("quick: small arrays, the figures say little");
    }
    let mut peers = vec![case::ND_WRITTEN, case::ND_BEST];
    peers.extend(conditions.packages.iter().map(|(name, _)| name.as_str()));
    println!("\n{}", Board::heading(&peers));

    // In a terminal only; elsewhere the lines come as they are.
    let progress = ProgressBar::new(chosen.len() as u64);
    progress.set_style(
        ProgressStyle::with_template("{pos}/{len} {elapsed} {msg}").expect("it is valid"),
    );
    let size = if options.quick { Size::Quick } else { Size::Full };
    let mut rows = Vec::new();
    for workload in &chosen {
        let mut outcome = Ok(());
        progress.set_message(workload.name.clone());
        workload.run(size, &mut |trial| {
            outcome = (|| {
                trial.check()?;
                // Programs have no peers there.
                let mut python = python.as_mut().filter(|_| !trial.python.is_null());
                if let Some(session) = &mut python {
                    session.load(trial)?;
                }
                let rounds = if workload.group == Group::Small { 4 * rounds } else { rounds };
                let medians = measure(trial, python.as_deref_mut(), rounds)?;
                let mut row = Row::new(&workload.name, workload.group, trial.bytes, medians);
                row.way = trial.contestants.iter().find_map(|contestant| contestant.way.clone());
                progress.suspend(|| println!("{}", Board::line(&row, &peers)));
                rows.push(row);
                python.map_or(Ok(()), Session::unload)
            })();
        });
        outcome.map_err(|wrong| format!("{}: {wrong}", workload.name))?;
        progress.inc(1);
    }
    progress.finish_and_clear();
    let board = Board { conditions: conditions.clone(), rows };
    println!("\n{}", board.summary());
    if let Some(path) = &options.json {
        std::fs::write(path, format!("{:#}\n", board.json()))
            .map_err(|error| format!("{path}: {error}"))?;
    }
    Ok(())
}

/// The processes that wanted to run in the last minute, where the system tells.
fn load_average() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

fn main() -> ExitCode {
    let outcome = options().and_then(|options| match options {
        Some(options) => run(&options),
        None => {
            println!("{USAGE}");
            Ok(())
        }
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
