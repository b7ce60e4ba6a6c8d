//! What the documents say of the code.

use std::fs;
use std::path::{Path, PathBuf};

#[path = "../../crates/zerostride/examples/ops_table.rs"]
#[allow(dead_code, unreachable_pub)]
mod ops_table;

#[test]
fn the_table_of_operations_is_that_of_the_code() {
    let page = include_str!("../../docs/ops.md");
    for (line, (written, printed)) in page.lines().zip(ops_table::markdown().lines()).enumerate() {
        assert_eq!(written, printed, "docs/ops.md, line {}: print it again", line + 1);
    }
    assert_eq!(page.lines().count(), ops_table::markdown().lines().count());
}

/// The Rust files below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let of = |path: PathBuf| match path.is_dir() {
        true => sources(&path),
        false => vec![path],
    };
    entries.flat_map(of).filter(|path| path.extension().is_some_and(|ext| ext == "rs")).collect()
}

/// How often words occur in code, outside of comments.
fn count(code: &str, words: &str) -> usize {
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.map(|line| line.matches(words).count()).sum()
}

#[test]
fn the_counts_of_unsafe_code_are_those_of_the_code() {
    let page = include_str!("../../docs/unsafe.md");
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let (mut wrong, mut all) = (Vec::new(), [(0, 0); 2]);
    let crates_of = [["ndcore", "elementwise"], ["arraybridge", "arrayfile"]];
    for (names, all) in crates_of.iter().zip(&mut all) {
        for path in names.iter().flat_map(|name| sources(&crates.join(name).join("src"))) {
            let code = fs::read_to_string(&path).unwrap();
            let blocks = count(&code, "unsafe {");
            (all.0, all.1) = (all.0 + blocks, all.1 + count(&code, "unsafe impl"));
            let name = path.strip_prefix(&crates).unwrap().to_str().unwrap().replace('\\', "/");
            let says = |end: &str| page.contains(&format!("`{name}` ({blocks}{end}"));
            if blocks > 0 && !says(")") && !says(" in a macro)") {
                wrong.push(format!("{name}: {blocks} blocks"));
            }
        }
    }
    assert!(wrong.is_empty(), "not in docs/unsafe.md: {wrong:#?}");
    let [(blocks, impls), (other_blocks, other_impls)] = all;
    for says in [
        format!("{blocks} blocks and {impls} implementations in `ndcore` and `elementwise`"),
        format!("{other_blocks} blocks, {other_impls} implementations and"),
    ] {
        assert!(page.contains(&says), "docs/unsafe.md does not say: {says}");
    }
}
