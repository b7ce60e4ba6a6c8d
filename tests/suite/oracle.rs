//! XLA's answers in `data/oracle`, every row; and that the check can fail.

use conformance::oracle::{Dims, Outcome, Row, check};
use std::path::Path;
use std::process::Command;

fn data(file: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data/oracle").join(file)
}

/// The file has this many rows, and all of them are answered as XLA answers.
fn passes(file: &str, rows: usize) {
    let mut outcome = Outcome::default();
    outcome.add_file(&data(file));
    let failures = &outcome.failures;
    assert!(failures.is_empty(), "{} rows fail:\n{}", failures.len(), failures.join("\n"));
    assert_eq!(outcome.passed, rows);
}

#[test]
fn shapes() {
    passes("shapes.jsonl", 3000);
}

#[test]
fn broadcast_in_dim() {
    passes("broadcast_in_dim.jsonl", 1000);
}

#[test]
fn values() {
    passes("values.jsonl", 80);
}

#[test]
fn clamp_and_select() {
    passes("clamp_select.jsonl", 400);
}

#[test]
fn dims_of_any_size_and_sign_can_be_read() {
    let dims = |dims: &str| {
        let line = format!(r#"{{"lhs":[2,3],"rhs":[3]{dims},"ok":false,"shape":null,"err":null}}"#);
        match Row::parse(&line).expect("a row") {
            Row::Shapes { dims, .. } => dims,
            row => panic!("{row:?}"),
        }
    };
    assert_eq!(dims(""), Dims::Given(vec![]));
    assert_eq!(dims(r#","dims":null"#), Dims::Given(vec![]));
    assert_eq!(dims(r#","dims":[]"#), Dims::Given(vec![]));
    assert_eq!(dims(r#","dims":[18446744073709551615]"#), Dims::Given(vec![usize::MAX]));
    assert_eq!(dims(r#","dims":[0,-1]"#), Dims::Unrepresentable);
    assert_eq!(dims(r#","dims":[18446744073709551616]"#), Dims::Unrepresentable);
    assert_eq!(dims(r#","dims":[-99999999999999999999999999]"#), Dims::Unrepresentable);
}

#[test]
fn wrong_answers_are_found() {
    let rows = [
        r#"{"lhs":[2,3],"rhs":[3],"dims":[1],"ok":false,"shape":null,"err":"made up"}"#,
        r#"{"lhs":[2,3],"rhs":[3],"dims":[0],"ok":true,"shape":[2,3],"err":null}"#,
        r#"{"lhs":[2,1],"rhs":[3],"dims":[1],"ok":true,"shape":[2,1],"err":null}"#,
        r#"{"lhs":[2,3],"rhs":[3],"dims":[-1],"ok":true,"shape":[2,3],"err":null}"#,
        r#"{"operand":[2,3],"out":[3,2],"dims":[1,0],"ok":true,"err":null}"#,
        r#"{"operand":[3],"out":[2,3],"dims":[1],"ok":false,"err":"made up"}"#,
        r#"{"op":"sub","lhs":[1],"rhs":[1],"dims":null,"lhs_data":[3],"rhs_data":[1],"shape":[1],"out":[-2]}"#,
        r#"{"op":"mul","lhs":[],"rhs":[1],"dims":null,"lhs_data":[0],"rhs_data":[-1],"shape":[1],"out":[0.0]}"#,
        r#"{"op":"add","lhs":[],"rhs":[1],"dims":null,"lhs_data":[0],"rhs_data":[1],"shape":[1,1],"out":[1]}"#,
        r#"{"op":"clamp","args":[[],[1,3],[2,3]],"ok":true,"shape":[2,3],"err":null}"#,
        r#"{"op":"select","args":[[],[2,3],[]],"ok":true,"shape":[3,2],"err":null}"#,
        r#"{"op":"select","args":[[],[2,3],[]],"ok":false,"shape":null,"err":"made up"}"#,
    ];
    for line in rows {
        let row = Row::parse(line).expect("a row");
        assert!(check(&row).is_err(), "this passes: {line}");
    }
}

#[test]
fn lines_that_are_no_rows_are_found() {
    let lines = [
        "nonsense",
        "[]",
        "{}",
        r#"{"lhs":[2],"ok":true,"shape":[2]}"#,
        r#"{"lhs":[2],"rhs":[-2],"dims":[],"ok":true,"shape":[2]}"#,
        r#"{"lhs":[2],"rhs":[2],"dims":[0.5],"ok":true,"shape":[2]}"#,
        r#"{"lhs":[2],"rhs":[2],"dims":["0"],"ok":true,"shape":[2]}"#,
        r#"{"lhs":[2],"rhs":[2],"dims":[],"ok":true,"shape":null}"#,
        r#"{"lhs":[2],"rhs":[2],"dims":[],"ok":"yes","shape":[2]}"#,
        r#"{"operand":[2],"dims":[0],"ok":true}"#,
        r#"{"op":"pow","lhs":[],"rhs":[],"lhs_data":[1],"rhs_data":[1],"shape":[],"out":[1]}"#,
        r#"{"op":"add","lhs":[2],"rhs":[],"lhs_data":[1],"rhs_data":[1],"shape":[2],"out":[2,2]}"#,
        r#"{"op":"clamp","args":[[],[]],"ok":true,"shape":[]}"#,
        r#"{"op":"fma","args":[[],[],[]],"ok":true,"shape":[]}"#,
    ];
    for line in lines {
        let mut outcome = Outcome::default();
        outcome.add_text("here", line);
        assert_eq!((outcome.passed, outcome.failures.len()), (0, 1), "{line}");
        assert!(outcome.failures[0].starts_with("here:1: not a row: "), "{}", outcome.failures[0]);
    }
}

/// The program's last line and whether it succeeded.
fn run(files: &[&Path]) -> (String, bool) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_oracle")).args(files).output().expect("the program runs");
    let text = String::from_utf8(output.stdout).expect("text");
    (text.lines().last().unwrap_or_default().to_owned(), output.status.success())
}

#[test]
fn the_program_reports_and_fails() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (wrong, empty) = (folder.join("wrong.jsonl"), folder.join("empty.jsonl"));
    let good = r#"{"lhs":[2,3],"rhs":[3],"dims":[1],"ok":true,"shape":[2,3],"err":null}"#;
    let bad = r#"{"lhs":[2,3],"rhs":[3],"dims":[0],"ok":true,"shape":[2,3],"err":null}"#;
    std::fs::write(&wrong, format!("{good}\n{bad}\n\nnonsense\n{good}\n"))
        .expect("a file can be written");
    std::fs::write(&empty, "\n").expect("a file can be written");
    assert_eq!(run(&[&data("values.jsonl")]), ("80 passed, 0 failed".to_owned(), true));
    assert_eq!(run(&[&wrong]), ("2 passed, 2 failed".to_owned(), false));
    assert_eq!(
        run(&[&data("values.jsonl"), &folder.join("missing.jsonl")]),
        ("80 passed, 1 failed".to_owned(), false)
    );
    assert_eq!(run(&[&empty]), ("0 passed, 1 failed".to_owned(), false));
    assert_eq!(run(&[]), (String::new(), false));
}
