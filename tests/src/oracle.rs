//! XLA's answers, as rows of JSON, and what the public interface answers to the same questions.

mod check;
mod row;
mod typed;

pub use check::check;
pub use row::{Dims, Row};

use std::path::Path;

/// What came of some rows.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The rows answered as XLA did.
    pub passed: usize,
    /// The others in words, each with where it stands and what was answered; lines that are not
    /// rows, and files that cannot be read or have no rows, are among them.
    pub failures: Vec<String>,
}

impl Outcome {
    /// Checks every row of a file.
    pub fn add_file(&mut self, path: &Path) {
        match std::fs::read_to_string(path) {
            Ok(text) => self.add_text(&path.display().to_string(), &text),
            Err(err) => self.failures.push(format!("{}: cannot be read: {err}", path.display())),
        }
    }

    /// Checks every row of a text, one to a line; `name` says where the text comes from.
    pub fn add_text(&mut self, name: &str, text: &str) {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let mut rows = 0;
        for (number, line) in lines {
            rows += 1;
            let problem = match Row::parse(line) {
                Ok(row) => check(&row).err().map(|answer| format!("{line}\n    {answer}")),
                Err(why) => Some(format!("not a row: {why}: {line}")),
            };
            match problem {
                None => self.passed += 1,
                Some(problem) => self.failures.push(format!("{name}:{}: {problem}", number + 1)),
            }
        }
        if rows == 0 {
            self.failures.push(format!("{name}: has no rows"));
        }
    }
}
