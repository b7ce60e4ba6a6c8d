//! What must not compile, and the exact words of the compiler then, in `ui`. `TRYBUILD=overwrite
//! cargo test -p conformance --test messages` writes them anew: read them before they are kept.

#![forbid(unsafe_code)]

#[test]
fn messages() {
    trybuild::TestCases::new().compile_fail("ui/*.rs");
}

/// Whoever writes the messages anew must not lose the words that help.
#[test]
fn messages_say_what_to_write() {
    let rows = [
        ("unequal_ranks", "error[E0277]: operands of unequal rank: `Rank<1>` beside `Rank<2>`"),
        ("unequal_ranks", "`v.along([axis, ..])`"),
        ("unequal_ranks", "`zerostride::add(&x, &v, [1])`"),
        ("unequal_ranks_after_operator", "`v.along([axis, ..])`"),
        ("unequal_ranks_of_expressions", "`v.along([axis, ..])`"),
        ("unequal_ranks_in_assign", "`v.along([axis, ..])`"),
        (
            "mixed_element_types",
            "an operand with elements of type `f64` beside one with elements of type `f32`",
        ),
        ("mixed_element_types", "`x.cast::<f32>()`"),
        ("mixed_element_types_scalar", "`.cast::<U>()` converts"),
        ("along_number_of_dims", "give one result axis for each axis of the operand"),
        ("broadcast_number_of_dims", "give one result axis for each axis of the operand"),
        ("mean_of_integers", "`.cast::<f64>()` before it"),
        ("var_of_integers", "`.cast::<f64>()` before it"),
        ("quantile_of_integers", "`.cast::<f64>()` before it"),
        ("sum_of_bools", "`x.count_nonzero()` counts those that are true"),
        ("index_rank", "an index has one number for each axis"),
        ("slice_rank", "give one index or range for each axis of the array"),
    ];
    let mut missing = Vec::new();
    for (file, words) in rows {
        let path = format!("{}/ui/{file}.stderr", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        if !text.contains(words) {
            missing.push(format!("{file}.stderr: {words}"));
        }
    }
    assert!(missing.is_empty(), "these are not said:\n{}", missing.join("\n"));
}
