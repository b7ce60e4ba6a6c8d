//! XLA as an oracle: expressions over all operations, element types and ranks, evaluated here and,
//! exported, by XLA.
//!
//! ```sh
//! python3 -m venv venv && venv/bin/pip install jax
//! cargo run --release -p stablehlo --features oracle --example oracle -- --python venv/bin/python [--seed N] [--count N] [--folder PATH]
//! ```
//!
//! There are three kinds of cases: each operation of the table for each of its element types, on
//! special and random values; reductions; and random trees of operations (COUNT, 1000 unless it is
//! said), on arrays of ranks 0 to 5, which repeat along axes of each other. The report is a table
//! for the page `docs/xla.md`.

mod compare;
mod entries;
mod random;
mod reductions;
mod trees;

use compare::{Outcome, compare};
use elementwise::ops::all_ops;
use entries::{Any, Entry, entries};
use random::Random;
use stablehlo::{ElementKind, Module};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What is asked of both sides.
struct Case {
    /// The operation, or `tree`.
    name: String,
    /// The type of the operands, for operations.
    kind: String,
    /// The expression in words.
    words: String,
    /// The operations in it, and the types of their operands.
    ops: BTreeSet<(&'static str, &'static str)>,
    /// The type of the result, and its elements.
    result: ElementKind,
    expected: Vec<u8>,
}

struct Arguments {
    python: PathBuf,
    seed: u64,
    count: usize,
    folder: PathBuf,
}

fn arguments() -> Option<Arguments> {
    let mut arguments = std::env::args().skip(1);
    let (mut python, mut seed, mut count) = (None, 1, 1000);
    let mut folder = std::env::temp_dir().join(format!("stablehlo-oracle-{}", std::process::id()));
    while let Some(name) = arguments.next() {
        let value = arguments.next()?;
        match name.as_str() {
            "--python" => python = Some(PathBuf::from(value)),
            "--seed" => seed = value.parse().ok()?,
            "--count" => count = value.parse().ok()?,
            "--folder" => folder = PathBuf::from(value),
            _ => return None,
        }
    }
    Some(Arguments { python: python?, seed, count, folder })
}

/// Writes a case for the other side, and notes what is to come out.
fn pose(folder: &Path, cases: &mut Vec<Case>, module: &Module, case: Case) -> Result<(), String> {
    let fail = |error: &dyn std::fmt::Display| format!("{}: {error}", case.words);
    let at = folder.join(format!("{}", cases.len()));
    module.write(&at).map_err(|error| fail(&error))?;
    // For who looks into a case.
    std::fs::write(at.join("ours.bin"), &case.expected).map_err(|error| fail(&error))?;
    cases.push(case);
    Ok(())
}

/// An expression as a case.
fn case(
    value: &Any,
    name: &str,
    kind: ElementKind,
    words: String,
    ops: BTreeSet<(&'static str, &'static str)>,
) -> Result<(Module, Case), String> {
    let fail = |error: &dyn std::fmt::Display| format!("{words}: {error}");
    let module = entries::export(value).map_err(|error| fail(&error))?;
    let (result, expected) = entries::evaluate(value).map_err(|error| fail(&error))?;
    let (name, kind) = (name.to_string(), kind.name().to_string());
    Ok((module, Case { name, kind, words, ops, result, expected }))
}

fn run(arguments: &Arguments) -> Result<bool, String> {
    let all = entries();
    let known: BTreeSet<&str> = all.iter().map(|entry| entry.name).collect();
    for row in all_ops().filter(|row| row.stablehlo != "none") {
        if !known.contains(row.name) {
            return Err(format!("`{}` is not among the operations of `entries.rs`", row.name));
        }
    }
    let folder = &arguments.folder;
    std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let mut cases = Vec::new();
    let mut random = Random::new(arguments.seed);
    // An operation on two of the same types is one case; with a scalar it is another entry.
    for entry in all.iter().filter(|entry| !entry.lifts) {
        let (value, words) = trees::single(&mut random, entry);
        let kind = entry.kinds[entry.kinds.len() - 1];
        let ops = BTreeSet::from([(entry.name, kind.name())]);
        let (module, case) = case(&value, entry.name, kind, words, ops)?;
        pose(folder, &mut cases, &module, case)?;
    }
    let reduced = reductions::reductions(&mut random).map_err(|error| error.to_string())?;
    for reductions::Reduced { name, of, module, result, expected } in reduced {
        let words = format!("{name} of {of}");
        let (name, kind) = (format!("reduction {name}"), of.name().to_string());
        let ops = BTreeSet::new();
        pose(folder, &mut cases, &module, Case { name, kind, words, ops, result, expected })?;
    }
    let singles = cases.len();
    for _ in 0..arguments.count {
        let tree = trees::tree(&mut random, &all);
        let (module, case) = case(&tree.value, "tree", tree.kind, tree.words, tree.ops)?;
        pose(folder, &mut cases, &module, case)?;
    }
    let names =
        cases.iter().enumerate().map(|(n, case)| format!("{n} {} {}\n", case.name, case.kind));
    std::fs::write(folder.join("names.txt"), names.collect::<String>())
        .map_err(|e| e.to_string())?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/oracle/oracle.py");
    let status = std::process::Command::new(&arguments.python)
        .arg(script)
        .arg(folder)
        .arg(cases.len().to_string())
        .status()
        .map_err(|error| format!("{}: {error}", arguments.python.display()))?;
    if !status.success() {
        return Err(format!("{} has failed", arguments.python.display()));
    }
    let outcome = |number: usize| -> Outcome {
        let at = folder.join(number.to_string());
        match std::fs::read(at.join("got.bin")) {
            Ok(got) => compare(&cases[number], &got),
            Err(_) => {
                let error = std::fs::read_to_string(at.join("error.txt")).unwrap_or_default();
                Outcome::Refused(error)
            }
        }
    };
    let outcomes: Vec<Outcome> = (0..cases.len()).map(outcome).collect();
    report(&cases, &outcomes, singles);
    Ok(true)
}

/// Prints what came out: by operation, and of the trees.
fn report(cases: &[Case], outcomes: &[Outcome], singles: usize) {
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, case) in cases.iter().enumerate().take(singles) {
        by_name.entry(&case.name).or_default().push(number);
    }
    let list = |numbers: &[usize], which: &dyn Fn(&Outcome) -> bool| -> String {
        let mut kinds: Vec<&str> = Vec::new();
        for &number in numbers.iter().filter(|&&number| which(&outcomes[number])) {
            if !kinds.contains(&cases[number].kind.as_str()) {
                kinds.push(&cases[number].kind);
            }
        }
        kinds.join(", ").replace('<', "\\<")
    };
    let same = |numbers: &&Vec<usize>| numbers.iter().all(|&n| outcomes[n] == Outcome::Same);
    let exact: Vec<String> =
        by_name.iter().filter(|(_, all)| same(all)).map(|(name, _)| format!("`{name}`")).collect();
    println!("The same bits in all types: {}.\n", exact.join(", "));
    println!("| Operation | The same bits | Within | Different |");
    println!("| --- | --- | --- | --- |");
    for (name, numbers) in by_name.iter().filter(|(_, all)| !same(all)) {
        let different: Vec<String> = numbers
            .iter()
            .filter(|&&number| outcomes[number].is_different())
            .map(|&number| format!("{}: {}", cases[number].kind, outcomes[number]))
            .collect();
        println!(
            "| `{name}` | {} | {} | {} |",
            list(numbers, &|outcome| *outcome == Outcome::Same),
            list(numbers, &|outcome| matches!(outcome, Outcome::Within(_))),
            different.join("; ").replace('|', "\\|").replace('<', "\\<")
        );
    }
    let count = |range: std::ops::Range<usize>, which: &dyn Fn(&Outcome) -> bool| {
        outcomes[range].iter().filter(|outcome| which(outcome)).count()
    };
    for (name, range) in
        [("operations and reductions", 0..singles), ("trees", singles..cases.len())]
    {
        println!(
            "\n{name}: {} cases, {} the same bits, {} within, {} different, {} refused",
            range.len(),
            count(range.clone(), &|outcome| *outcome == Outcome::Same),
            count(range.clone(), &|outcome| matches!(outcome, Outcome::Within(_))),
            count(range.clone(), &|outcome| matches!(outcome, Outcome::Different(_))),
            count(range.clone(), &|outcome| matches!(outcome, Outcome::Refused(_))),
        );
    }
    // Those that are not the same to the bit by themselves, for what type.
    let loose: BTreeSet<(&str, &str)> = (0..singles)
        .filter(|&number| outcomes[number] != Outcome::Same)
        .map(|number| (cases[number].name.as_str(), cases[number].kind.as_str()))
        .collect();
    println!("\ntrees that differ:");
    for number in (singles..cases.len()).filter(|&number| outcomes[number].is_different()) {
        let case = &cases[number];
        let because: Vec<String> = case
            .ops
            .iter()
            .filter(|(name, kind)| loose.contains(&(*name, *kind)))
            .map(|(name, kind)| format!("{name} of {kind}"))
            .collect();
        let because = if because.is_empty() { "NONE".to_string() } else { because.join(", ") };
        println!(
            "* {number} {}: {}: {}; operations that differ by themselves: {because}",
            case.kind, case.words, outcomes[number],
        );
    }
}

fn main() -> ExitCode {
    let Some(arguments) = arguments() else {
        eprintln!("oracle --python PATH [--seed N] [--count N] [--folder PATH]");
        return ExitCode::FAILURE;
    };
    match run(&arguments) {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// All of the entries of one type, for trees.
fn of_result(all: &[Entry], kind: ElementKind) -> impl Iterator<Item = &Entry> {
    all.iter().filter(move |entry| entry.result == kind)
}
