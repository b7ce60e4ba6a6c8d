//! [`Report`]: collects the failing rows of a table, so that all are seen at once.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The rows of a table so far.
#[derive(Debug)]
pub struct Report {
    table: &'static str,
    rows: usize,
    failures: Vec<String>,
}

/// The most failures printed.
const SHOWN: usize = 60;

impl Report {
    /// Of a table with this name.
    pub fn new(table: &'static str) -> Self {
        Report { table, rows: 0, failures: Vec::new() }
    }

    /// Counts a row; `problem` is what is wrong with it, if anything is.
    pub fn row(&mut self, row: impl Display, problem: Option<String>) {
        self.rows += 1;
        if let Some(problem) = problem {
            self.failures.push(format!("{row}: {problem}"));
        }
    }

    /// Counts a row that compares two values.
    pub fn equal<T: PartialEq + std::fmt::Debug>(&mut self, row: impl Display, got: T, want: T) {
        let problem = (got != want).then(|| format!("got {got:?}, want {want:?}"));
        self.row(row, problem);
    }

    /// Counts a row that checks a condition.
    pub fn holds(&mut self, row: impl Display, condition: bool) {
        self.row(row, (!condition).then(|| "does not hold".to_owned()));
    }

    /// Panics with every failing row, or if the table has shrunk below `at_least` rows: as many as
    /// there are on a machine with the least instruction set, where rows are in all ways of
    /// execution.
    pub fn finish(self, at_least: usize) {
        let Report { table, rows, failures } = self;
        let shown = failures.iter().take(SHOWN).cloned().collect::<Vec<_>>().join("\n");
        assert!(failures.is_empty(), "{table}: {} of {rows} rows fail:\n{shown}", failures.len());
        assert!(rows >= at_least, "{table}: only {rows} rows, there should be {at_least}");
    }
}

/// What `f` says is wrong; if it panics, that. The row is then reported with the others.
pub fn problem_of(mut f: impl FnMut() -> Option<String>) -> Option<String> {
    caught(&mut f)
}

/// As [`problem_of`], compiled once.
fn caught(f: &mut dyn FnMut() -> Option<String>) -> Option<String> {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|panic| {
        let message = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or(panic.downcast_ref::<&str>().copied());
        Some(format!("panics: {}", message.unwrap_or("with no message")))
    })
}
