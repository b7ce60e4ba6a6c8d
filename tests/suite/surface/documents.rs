//! What the documents say of the code.

#[path = "../../../crates/zerostride/examples/ops_table.rs"]
#[allow(dead_code, unreachable_pub)]
mod ops_table;

#[test]
fn the_table_of_operations_is_that_of_the_code() {
    let page = include_str!("../../../docs/ops.md");
    for (line, (written, printed)) in page.lines().zip(ops_table::markdown().lines()).enumerate() {
        assert_eq!(written, printed, "docs/ops.md, line {}: print it again", line + 1);
    }
    assert_eq!(page.lines().count(), ops_table::markdown().lines().count());
}
