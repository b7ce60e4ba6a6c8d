//! What must not compile, and the exact words of the compiler then, in `ui`. `TRYBUILD=overwrite
//! cargo test -p messages` writes them anew: read them before they are kept.

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
        ("unequal_ranks", "`&x + v.along([1])`"),
        ("unequal_ranks", "`zerostride::add(&x, &v, [1])`"),
        ("unequal_ranks_after_operator", "`&x + v.along([1])`"),
        ("unequal_ranks_of_expressions", "`&x + v.along([1])`"),
        ("unequal_ranks_in_assign", "`&x + v.along([1])`"),
        (
            "mixed_element_types",
            "an operand with elements of type `f64` beside one with elements of type `f32`",
        ),
        ("mixed_element_types", "`x.cast::<f32>()`"),
        ("mixed_element_types_scalar", "`.cast::<U>()` converts"),
        ("unequal_ranks", "`&x + v.along([0])`"),
        ("unequal_ranks", "`&x - x.mean_axis(keep(1))?`"),
        ("integer_literal", "`2.0`, not `2`"),
        ("vec_operand", "`&x + View1::from(&vec[..])`"),
        ("slice_without_question_mark", "a `Result` takes a `?` first"),
        ("slice_without_question_mark", "cannot be an operand beside elements"),
        (
            "closure_that_fails",
            "a closure that may fail: `a.map_axis(1, |row| row.sum().unwrap())`",
        ),
        ("compared_expressions", "`(&a + &b).eval()? == c`"),
        ("indexed_expression", "write `.eval()?` to compute it"),
        ("dropped_expression", "error: unused `Lazy` that must be used"),
        ("dropped_expression", "computes nothing until it is evaluated"),
        ("dropped_view", "error: unused `ndcore::raw::View` that must be used"),
        ("dropped_view", "the array itself stays as it is"),
        ("mask_index", "`a.compress(&mask)?` takes the elements"),
        ("closure_not_sync", "`x.iter().map(|&x| ..).collect::<Array1<_>>()`"),
        ("closure_that_owns", "`x.mapv(&f)`"),
        ("select_by_numbers", "`x.take(0, &[2, 0])?`"),
        ("expression_taken_apart", "write `.eval()?` to compute it"),
        ("along_number_of_dims", "give one result axis for each axis of the operand"),
        ("broadcast_number_of_dims", "give one result axis for each axis of the operand"),
        ("mean_of_integers", "`.cast::<f64>()` before it"),
        ("var_of_integers", "`.cast::<f64>()` before it"),
        ("quantile_of_integers", "`.cast::<f64>()` before it"),
        ("sum_of_bools", "`x.count_nonzero()` counts those that are true"),
        ("index_rank", "an index has one number for each axis"),
        ("slice_rank", "give one index or range for each axis of the array"),
        ("values_that_own_memory", "note: `String` does not implement `Copy`"),
        ("values_that_own_memory", "one by one, by `map_ref`, `iter` or `iter_mut`"),
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

/// `docs/messages.md` quotes the compiler word for word: each block lies after the name of a file,
/// whose lines it has in their order.
#[test]
fn messages_are_documented() {
    let page = include_str!("../../docs/messages.md");
    let (mut name, mut said, mut wrong, mut quoted) = ("", None, Vec::new(), 0);
    for line in page.lines() {
        if let Some(file) = line.strip_prefix("<!-- ").and_then(|line| line.strip_suffix(" -->")) {
            name = file;
        } else if line == "```text" {
            let path = format!("{}/{name}", env!("CARGO_MANIFEST_DIR"));
            let text = std::fs::read_to_string(path).unwrap_or_default();
            said = Some(text.lines().map(str::to_owned).collect::<Vec<_>>().into_iter());
            quoted += 1;
        } else if line == "```" {
            said = None;
        } else if let Some(said) = &mut said
            && !said.any(|said| said.trim_end() == line)
        {
            wrong.push(format!("{name}: {line}"));
        }
    }
    assert!(wrong.is_empty(), "these are not said (any more):\n{}", wrong.join("\n"));
    assert!(quoted >= 15, "only {quoted} messages are quoted");
}

/// No message is about how operators are made.
#[test]
fn messages_list_nothing_internal() {
    let mut listed = Vec::new();
    let folder = format!("{}/ui", env!("CARGO_MANIFEST_DIR"));
    for file in std::fs::read_dir(folder).expect("the programs are there") {
        let path = file.expect("it can be read").path();
        if path.extension().is_some_and(|extension| extension == "stderr") {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            for words in [
                "BinaryOperator",
                "implements `zerostride::Operand",
                "implements `Term",
                "OfComputed`:",
            ] {
                if text.contains(words) {
                    listed.push(format!("{}: {words}", path.display()));
                }
            }
        }
    }
    assert!(listed.is_empty(), "{}", listed.join("\n"));
}
