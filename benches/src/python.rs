//! The peers that live in Python: one process for the whole board, asked over pipes for one round
//! of one workload at a time.

use crate::case::Trial;
use serde_json::{Value as Json, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const SCRIPT: &str = include_str!("../python/board.py");

/// The other process.
#[derive(Debug)]
pub struct Session {
    child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    /// The packages it has, by their versions.
    pub peers: Vec<(String, String)>,
}

impl Session {
    /// Starts the interpreter; its packages are to use this many threads.
    ///
    /// # Errors
    /// If it cannot be run.
    pub fn start(interpreter: &str, threads: usize) -> Result<Session, String> {
        let mut child = Command::new(interpreter)
            .args(["-c", SCRIPT, &threads.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{interpreter}: {error}"))?;
        let requests = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().expect("its output is a pipe"));
        let mut session = Session { child, requests, answers, peers: Vec::new() };
        let hello = session.read()?;
        let versions =
            hello["versions"].as_object().ok_or("the interpreter did not say what it has")?;
        session.peers = versions
            .iter()
            .map(|(name, version)| (name.clone(), version.as_str().unwrap_or("?").to_owned()))
            .collect();
        Ok(session)
    }

    /// Makes the operands of a workload there, and checks each peer's answer against the naive one.
    /// A peer that cannot do the workload is left out.
    ///
    /// # Errors
    /// If a peer's answer is wrong, or the process has ended.
    pub fn load(&mut self, trial: &Trial<'_>) -> Result<(), String> {
        let answer = self.ask(&json!({ "load": trial.python }))?;
        match answer["wrong"].as_str() {
            Some(wrong) => Err(wrong.to_owned()),
            None => Ok(()),
        }
    }

    /// One sample of each peer on the workload loaded, in milliseconds.
    ///
    /// # Errors
    /// If the process has ended.
    pub fn round(&mut self) -> Result<Vec<(String, f64)>, String> {
        let answer = self.ask(&json!({ "round": true }))?;
        let times = answer.as_object().ok_or("the interpreter did not answer with times")?;
        Ok(times.iter().filter_map(|(name, ms)| Some((name.clone(), ms.as_f64()?))).collect())
    }

    /// Frees what was loaded.
    ///
    /// # Errors
    /// If the process has ended.
    pub fn unload(&mut self) -> Result<(), String> {
        self.ask(&json!({ "unload": true })).map(|_| ())
    }

    fn ask(&mut self, request: &Json) -> Result<Json, String> {
        let requests =
            self.requests.as_mut().expect("the pipe is open until the session is dropped");
        writeln!(requests, "{request}")
            .and_then(|()| requests.flush())
            .map_err(|error| format!("Python: {error}"))?;
        self.read()
    }

    fn read(&mut self) -> Result<Json, String> {
        let mut line = String::new();
        self.answers.read_line(&mut line).map_err(|error| format!("Python: {error}"))?;
        serde_json::from_str(&line).map_err(|_| "Python ended without an answer".to_owned())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // It ends when its input does.
        self.requests = None;
        let _ = self.child.wait();
    }
}
