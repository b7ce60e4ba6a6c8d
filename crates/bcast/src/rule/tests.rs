//! The rules by tables: those of the pages and the source that each names.

use super::*;

type Shape = &'static [usize];
/// A shape, or the name of an error kind.
type Want = Result<Shape, &'static str>;

/// Panics with every failing row at once.
fn report(failures: Vec<String>) {
    assert!(failures.is_empty(), "{} rows fail:\n{}", failures.len(), failures.join("\n"));
}

/// Compares results with the shapes expected, or with the name of the error kind expected.
fn check_all<const N: usize>(rows: [(String, Result<Axes<usize>, Error>, Want); N]) {
    let failed = |got: &Result<Axes<usize>, Error>, want: &Want| match (got, want) {
        (Ok(got), Ok(want)) => got != *want,
        (Err(got), Err(want)) => name(got.kind()) != *want,
        _ => true,
    };
    report(
        rows.iter()
            .filter(|(_, got, want)| failed(got, want))
            .map(|(row, got, want)| format!("{row}: got {got:?}, want {want:?}"))
            .collect(),
    );
}

/// The variant's name, from its `Debug`.
fn name(kind: &ErrorKind) -> String {
    format!("{kind:?}").split_whitespace().next().unwrap_or_default().to_owned()
}

/// Checks an error's kind, and that its message has all the parts.
fn check_error<T: std::fmt::Debug>(result: Result<T, Error>, kind: ErrorKind, parts: &[&str]) {
    let error = result.unwrap_err();
    let message = error.to_string();
    assert_eq!(error.kind(), &kind);
    report(
        parts
            .iter()
            .filter(|p| !message.contains(**p))
            .map(|p| format!("no {p:?} in: {message}"))
            .collect(),
    );
    assert_eq!(error.into_kind(), kind);
}

#[test]
fn binary_rule() {
    let rows: [(Shape, Shape, Shape, Want); 62] = [
        // The examples of XLA's "Broadcasting semantics".
        (&[2, 3], &[3], &[], Err("UnequalRanks")),
        (&[2, 3], &[3], &[1], Ok(&[2, 3])),
        (&[2, 3], &[3], &[0], Err("DimExtent")),
        (&[2, 3], &[], &[], Ok(&[2, 3])),
        (&[3, 3], &[3], &[1], Ok(&[3, 3])),
        (&[3, 3], &[3], &[0], Ok(&[3, 3])),
        (&[2, 3, 4], &[3, 4], &[1, 2], Ok(&[2, 3, 4])),
        (&[5, 6, 7, 8], &[8], &[3], Ok(&[5, 6, 7, 8])),
        (&[5, 6, 7, 8], &[7], &[2], Ok(&[5, 6, 7, 8])),
        (&[5, 6, 7, 8], &[6], &[1], Ok(&[5, 6, 7, 8])),
        (&[5, 6, 7, 8], &[5], &[0], Ok(&[5, 6, 7, 8])),
        (&[5, 6, 7, 8], &[7, 8], &[2, 3], Ok(&[5, 6, 7, 8])),
        (&[5, 6, 7, 8], &[6, 7], &[1, 2], Ok(&[5, 6, 7, 8])),
        (&[5, 6, 7, 8], &[5, 8], &[0, 3], Ok(&[5, 6, 7, 8])),
        // "illegal to match V to N and T to P" and "V to both P and N".
        (&[5, 6, 7, 8], &[7, 6], &[2, 1], Err("DimsOrder")),
        (&[5, 6, 6, 8], &[6, 6], &[1, 1], Err("DimsOrder")),
        (&[2, 1], &[2, 3], &[], Ok(&[2, 3])),
        (&[1, 2, 5], &[7, 2, 5], &[], Ok(&[7, 2, 5])),
        (&[7, 2, 5], &[7, 1, 5], &[], Ok(&[7, 2, 5])),
        (&[7, 2, 5], &[7, 2, 6], &[], Err("Incompatible")),
        (&[2, 1], &[1, 3], &[], Ok(&[2, 3])),
        (&[4], &[1, 2], &[0], Ok(&[4, 2])),
        (&[1, 2], &[4, 3, 1], &[1, 2], Ok(&[4, 3, 2])),
        // Either operand grows, on either side.
        (&[3], &[2, 1], &[1], Ok(&[2, 3])),
        (&[1], &[2, 3], &[0], Ok(&[2, 3])),
        (&[1, 3], &[2, 1, 1], &[0, 2], Ok(&[2, 1, 3])),
        // Equal ranks: no dims or the identity, even where a permutation would make no
        // difference.
        (&[2, 3], &[2, 3], &[], Ok(&[2, 3])),
        (&[2, 3], &[2, 3], &[0, 1], Ok(&[2, 3])),
        (&[2, 1], &[1, 3], &[0, 1], Ok(&[2, 3])),
        (&[2, 2], &[2, 2], &[1, 0], Err("DimsNotIdentity")),
        (&[2, 3], &[2, 3], &[0], Err("DimsNotIdentity")),
        (&[2, 3], &[2, 3], &[0, 1, 2], Err("DimsNotIdentity")),
        (&[2, 3], &[2, 4], &[1, 0], Err("DimsNotIdentity")),
        (&[], &[], &[0], Err("DimsNotIdentity")),
        // One-element arrays are not scalars.
        (&[1], &[2, 3], &[], Err("UnequalRanks")),
        (&[1], &[1, 1], &[], Err("UnequalRanks")),
        // Scalars take no dims.
        (&[], &[2, 3], &[], Ok(&[2, 3])),
        (&[], &[2, 3], &[0], Err("DimsLength")),
        (&[3], &[2, 3], &[0, 1], Err("DimsLength")),
        (&[3, 4], &[2, 3, 4], &[1], Err("DimsLength")),
        // The order of checks: length, and then range, extent, order for each dim in turn.
        (&[3], &[2, 3], &[7, 8], Err("DimsLength")),
        (&[3], &[2, 3], &[2], Err("DimOutOfRange")),
        (&[3], &[2, 3], &[usize::MAX], Err("DimOutOfRange")),
        (&[4, 3], &[2, 3, 3], &[0, 9], Err("DimExtent")),
        (&[2, 3], &[2, 3, 3], &[0, 9], Err("DimOutOfRange")),
        (&[3, 4], &[2, 3, 4], &[2, 1], Err("DimExtent")),
        (&[4, 3], &[2, 3, 4], &[2, 1], Err("DimsOrder")),
        (&[3, 3], &[3, 3, 2], &[1, 1], Err("DimsOrder")),
        (&[3, 3, 9], &[3, 3, 2, 2], &[1, 0, 2], Err("DimsOrder")),
        // Zero extents.
        (&[], &[], &[], Ok(&[])),
        (&[], &[0], &[], Ok(&[0])),
        (&[1], &[0], &[], Ok(&[0])),
        (&[0], &[1], &[], Ok(&[0])),
        (&[0], &[0], &[], Ok(&[0])),
        (&[0], &[2], &[], Err("Incompatible")),
        (&[0], &[1, 3], &[0], Ok(&[0, 3])),
        (&[1], &[2, 0], &[1], Ok(&[2, 0])),
        (&[0], &[2, 3], &[0], Err("DimExtent")),
        (&[1], &[0, 3], &[0], Ok(&[0, 3])),
        // Extremes.
        (&[usize::MAX], &[usize::MAX, 2], &[0], Ok(&[usize::MAX, 2])),
        (&[1; 16], &[2; 16], &[], Ok(&[2; 16])),
        (&[1; 17], &[1; 17], &[1], Err("RankTooHigh")),
    ];
    // The rule does not depend on the side an operand is on.
    check_all(rows.map(|(a, b, dims, want)| {
        (format!("{a:?} + {b:?}, dims {dims:?}"), binary_shape(a, b, dims), want)
    }));
    check_all(rows.map(|(a, b, dims, want)| {
        (format!("{b:?} + {a:?}, dims {dims:?}"), binary_shape(b, a, dims), want)
    }));
}

#[test]
fn degenerate_rule() {
    let rows: [(Shape, Shape, Want); 8] = [
        (&[], &[], Ok(&[])),
        (&[2, 1, 4], &[1, 3, 4], Ok(&[2, 3, 4])),
        (&[0, 1], &[1, 0], Ok(&[0, 0])),
        (&[0], &[2], Err("Incompatible")),
        (&[2, 3], &[3, 2], Err("Incompatible")),
        (&[3], &[2, 3], Err("UnequalRanks")),
        (&[], &[3], Err("UnequalRanks")),
        (&[1; 17], &[1], Err("RankTooHigh")),
    ];
    check_all(rows.map(|(a, b, want)| (format!("{a:?}, {b:?}"), degenerate_shape(a, b), want)));
    check_all(rows.map(|(a, b, want)| (format!("{b:?}, {a:?}"), degenerate_shape(b, a), want)));
}

#[test]
fn broadcast_in_dim_rules() {
    // The operand, the result, the dims; what the strict and what the loose check say.
    type Verdict = Result<(), &'static str>;
    type Row = (Shape, Shape, Shape, Verdict, Verdict);
    let rows: [Row; 24] = [
        (&[3], &[2, 3], &[1], Ok(()), Ok(())),
        (&[], &[2, 3], &[], Ok(()), Ok(())),
        (&[], &[], &[], Ok(()), Ok(())),
        (&[2, 3], &[2, 3], &[0, 1], Ok(()), Ok(())),
        (&[2, 1], &[2, 5, 3], &[0, 2], Ok(()), Ok(())),
        (&[2, 3], &[3, 2], &[1, 0], Err("DimsOrder"), Ok(())),
        (&[3, 1], &[4, 2, 3], &[2, 1], Err("DimsOrder"), Ok(())),
        // Only the operand stretches, and 1 to 0 is a stretch.
        (&[1], &[0], &[0], Ok(()), Ok(())),
        (&[0], &[0, 3], &[0], Ok(()), Ok(())),
        (&[0], &[1], &[0], Err("DimExtent"), Err("DimExtent")),
        (&[2], &[1], &[0], Err("DimExtent"), Err("DimExtent")),
        (&[2], &[3, 2], &[0], Err("DimExtent"), Err("DimExtent")),
        (&[3], &[2, 3], &[], Err("DimsLength"), Err("DimsLength")),
        (&[], &[2, 3], &[9], Err("DimsLength"), Err("DimsLength")),
        (&[3, 3], &[3, 3], &[1, 1], Err("DimsOrder"), Err("DuplicateDim")),
        (&[3], &[2, 3], &[2], Err("DimOutOfRange"), Err("DimOutOfRange")),
        (&[3], &[2, 3], &[usize::MAX], Err("DimOutOfRange"), Err("DimOutOfRange")),
        // The order of checks: a dim above the rank, the ranks, and then one dim after the
        // other.
        (&[9, 3], &[2, 3], &[0, 3], Err("DimOutOfRange"), Err("DimExtent")),
        (&[9, 3], &[2, 3], &[0, 2], Err("DimExtent"), Err("DimExtent")),
        (&[1, 1, 1], &[2, 3], &[0, 1, 2], Err("OperandRankTooHigh"), Err("DimOutOfRange")),
        (&[1, 1, 1], &[2, 3], &[0, 1, 3], Err("DimOutOfRange"), Err("DimOutOfRange")),
        (&[1, 1, 1], &[2, 3], &[0, 1, 1], Err("OperandRankTooHigh"), Err("DuplicateDim")),
        (&[1, 1], &[2, 3], &[9, 9], Err("DimOutOfRange"), Err("DuplicateDim")),
        (&[], &[1; 17], &[], Err("RankTooHigh"), Err("RankTooHigh")),
    ];
    check_all(rows.map(|(operand, out, dims, want, _)| {
        let row = format!("strict: {operand:?} to {out:?}, dims {dims:?}");
        (row, broadcast_in_dim_strict(operand, out, dims), want.map(|()| out))
    }));
    check_all(rows.map(|(operand, out, dims, _, want)| {
        let row = format!("loose: {operand:?} to {out:?}, dims {dims:?}");
        (row, broadcast_in_dim(operand, out, dims), want.map(|()| out))
    }));
}

#[test]
fn ternary_rule() {
    let rows: [([Shape; 3], Want); 11] = [
        ([&[], &[], &[]], Ok(&[])),
        ([&[], &[2, 3], &[]], Ok(&[2, 3])),
        ([&[2, 3], &[], &[]], Ok(&[2, 3])),
        ([&[], &[], &[2, 3]], Ok(&[2, 3])),
        ([&[2, 3], &[2, 3], &[2, 3]], Ok(&[2, 3])),
        ([&[0], &[], &[0]], Ok(&[0])),
        ([&[1, 3], &[2, 3], &[]], Err("ShapesDiffer")),
        ([&[1], &[], &[0]], Err("ShapesDiffer")),
        ([&[], &[2], &[2, 3]], Err("ShapesDiffer")),
        ([&[], &[1], &[1, 1]], Err("ShapesDiffer")),
        ([&[], &[2], &[1; 17]], Err("RankTooHigh")),
    ];
    check_all(rows.map(|(shapes, want)| (format!("{shapes:?}"), ternary_shape(shapes), want)));
}

#[test]
fn numpy_rule() {
    let rows: [(Shape, Shape, Want); 10] = [
        (&[2, 3], &[3], Ok(&[2, 3])),
        (&[2, 3], &[], Ok(&[2, 3])),
        (&[4, 1], &[3], Ok(&[4, 3])),
        (&[8, 1, 6, 1], &[7, 1, 5], Ok(&[8, 7, 6, 5])),
        (&[15, 3, 5], &[3, 1], Ok(&[15, 3, 5])),
        (&[1], &[2, 0], Ok(&[2, 0])),
        (&[0], &[3, 1], Ok(&[3, 0])),
        (&[2, 3], &[2], Err("Incompatible")),
        (&[2, 1], &[8, 4, 3], Err("Incompatible")),
        (&[1; 17], &[], Err("RankTooHigh")),
    ];
    check_all(rows.map(|(a, b, want)| (format!("{a:?}, {b:?}"), numpy_shape(a, b), want)));
    check_all(rows.map(|(a, b, want)| (format!("{b:?}, {a:?}"), numpy_shape(b, a), want)));
}

#[test]
fn suffix_dims_are_the_last_axes() {
    assert_eq!(suffix_dims(0, 0), []);
    assert_eq!(suffix_dims(1, 3), [2]);
    assert_eq!(suffix_dims(3, 3), [0, 1, 2]);
    // No placement: dims too short for the rank, and no panic.
    assert_eq!(suffix_dims(3, 1), [0]);
    assert_eq!(suffix_dims(usize::MAX, usize::MAX).len(), MAX_NDIM);
    // The numpy rule is the binary rule with suffix dims, wherever both operands have the rank
    // for it.
    for (small, large) in [(&[3][..], &[2, 3][..]), (&[3, 1], &[2, 1, 4]), (&[0], &[5, 1])] {
        let dims = suffix_dims(small.len(), large.len());
        assert_eq!(binary_shape(small, large, &dims), numpy_shape(small, large));
    }
}

#[test]
fn error_is_one_word_and_crosses_threads() {
    fn check<T: std::error::Error + Send + Sync + Clone + 'static>() -> usize {
        size_of::<T>()
    }
    assert_eq!(check::<Error>(), size_of::<usize>());
}

#[test]
fn unequal_ranks_error() {
    check_error(
        binary_shape(&[3], &[2, 3], &[]),
        ErrorKind::UnequalRanks { lhs: [3].into(), rhs: [2, 3].into() },
        &["[3] and [2, 3]", "ranks 1 and 2", "`v.along([1])`", "`add(&v, &x, [1])`"],
    );
    // None of several is the one that is meant.
    check_error(
        binary_shape(&[3, 1, 3, 3], &[3], &[]),
        ErrorKind::UnequalRanks { lhs: [3, 1, 3, 3].into(), rhs: [3].into() },
        &[
            "[3, 1, 3, 3] and [3]",
            "`v.along([3])`",
            "`add(&x, &v, [3])`",
            "several fit",
            "`v.along([0])` or `v.along([2])` or `v.along([3])`",
            "`keep(axis)`",
        ],
    );
    check_error(
        binary_shape(&[4], &[2, 3], &[]),
        ErrorKind::UnequalRanks { lhs: [4].into(), rhs: [2, 3].into() },
        &["[4] and [2, 3]", "fits along no axes"],
    );
    // The operand of higher rank may be the one that stretches.
    check_error(
        binary_shape(&[4], &[1, 3], &[]),
        ErrorKind::UnequalRanks { lhs: [4].into(), rhs: [1, 3].into() },
        &["`v.along([0])`"],
    );
    check_error(
        degenerate_shape(&[], &[3]),
        ErrorKind::UnequalRanks { lhs: [].into(), rhs: [3].into() },
        &["[] and [3]", "`v.along([])`"],
    );
}

#[test]
fn dims_not_identity_error() {
    check_error(
        binary_shape(&[2, 2], &[2, 1], &[1, 0]),
        ErrorKind::DimsNotIdentity { lhs: [2, 2].into(), rhs: [2, 1].into(), dims: [1, 0].into() },
        &["dims [1, 0]", "[2, 2] and [2, 1]", "give [0, 1]", "transpose"],
    );
}

#[test]
fn dims_length_error() {
    check_error(
        binary_shape(&[3, 4], &[2, 3, 4], &[1]),
        ErrorKind::DimsLength {
            operand: [3, 4].into(),
            target: [2, 3, 4].into(),
            dims: [1].into(),
        },
        &[
            "dims [1]",
            "length 1",
            "shape [3, 4]",
            "rank 2",
            "shape [2, 3, 4]",
            "for example dims [1, 2]",
        ],
    );
    check_error(
        broadcast_in_dim(&[], &[2], &[0]),
        ErrorKind::DimsLength { operand: [].into(), target: [2].into(), dims: [0].into() },
        &["dims [0]", "shape []", "rank 0", "for example dims []"],
    );
}

#[test]
fn dim_out_of_range_error() {
    let kind = ErrorKind::DimOutOfRange {
        operand: [3].into(),
        target: [3, 3].into(),
        dims: [2].into(),
        axis: 0,
        dim: 2,
    };
    let parts = [
        "dims [2]",
        "axis 0 of shape [3]",
        "axis 2",
        "shape [3, 3] of rank 2",
        "for example dims [1] or [0]",
    ];
    check_error(binary_shape(&[3, 3], &[3], &[2]), kind.clone(), &parts);
    check_error(broadcast_in_dim(&[3], &[3, 3], &[2]), kind.clone(), &parts);
    check_error(broadcast_in_dim_strict(&[3], &[3, 3], &[2]), kind, &parts);
}

#[test]
fn dim_extent_error() {
    let kind = ErrorKind::DimExtent {
        operand: [1, 3].into(),
        target: [4, 2, 3].into(),
        dims: [0, 1].into(),
        axis: 1,
        dim: 1,
        operand_extent: 3,
        target_extent: 2,
    };
    let parts = [
        "dims [0, 1]",
        "axis 1 of shape [1, 3]",
        "axis 1 of shape [4, 2, 3]",
        "3 and 2",
        "only an axis of extent 1",
        "for example dims [1, 2] or [0, 2]",
    ];
    check_error(binary_shape(&[1, 3], &[4, 2, 3], &[0, 1]), kind.clone(), &parts);
    check_error(broadcast_in_dim(&[1, 3], &[4, 2, 3], &[0, 1]), kind.clone(), &parts);
    check_error(broadcast_in_dim_strict(&[1, 3], &[4, 2, 3], &[0, 1]), kind, &parts);

    let error = broadcast_in_dim(&[2], &[1], &[0]).unwrap_err().to_string();
    assert!(error.ends_with("2 and 1: a broadcast does not shrink an axis"), "{error}");
}

#[test]
fn dims_order_error() {
    let kind = ErrorKind::DimsOrder {
        operand: [4, 3].into(),
        target: [4, 3, 4].into(),
        dims: [2, 1].into(),
        axis: 1,
        dim: 1,
        previous: 2,
    };
    let parts = [
        "dims [2, 1]",
        "shape [4, 3]",
        "shape [4, 3, 4]",
        "1 (for axis 1)",
        "after 2",
        "for example dims [0, 1]",
        "transpose",
    ];
    check_error(binary_shape(&[4, 3], &[4, 3, 4], &[2, 1]), kind.clone(), &parts);
    check_error(broadcast_in_dim_strict(&[4, 3], &[4, 3, 4], &[2, 1]), kind, &parts);
}

#[test]
fn duplicate_dim_error() {
    check_error(
        broadcast_in_dim(&[3, 2, 3], &[3, 2, 3], &[1, 0, 1]),
        ErrorKind::DuplicateDim {
            operand: [3, 2, 3].into(),
            target: [3, 2, 3].into(),
            dims: [1, 0, 1].into(),
            axes: [0, 2],
            dim: 1,
        },
        &[
            "dims [1, 0, 1]",
            "axes 0 and 2 of shape [3, 2, 3]",
            "axis 1",
            "for example dims [0, 1, 2]",
        ],
    );
}

#[test]
fn incompatible_error() {
    check_error(
        binary_shape(&[7, 2, 5], &[7, 2, 6], &[]),
        ErrorKind::Incompatible {
            lhs: [7, 2, 5].into(),
            rhs: [7, 2, 6].into(),
            axis: 2,
            lhs_extent: 5,
            rhs_extent: 6,
        },
        &["[7, 2, 5] and [7, 2, 6]", "axis 2", "5 and 6"],
    );
    // Under NumPy's rule: the shapes as given, the axis of the result.
    check_error(
        numpy_shape(&[2], &[4, 3]),
        ErrorKind::Incompatible {
            lhs: [2].into(),
            rhs: [4, 3].into(),
            axis: 1,
            lhs_extent: 2,
            rhs_extent: 3,
        },
        &["[2] and [4, 3]", "axis 1 of the result", "2 and 3"],
    );
}

#[test]
fn operand_rank_too_high_error() {
    check_error(
        broadcast_in_dim_strict(&[1, 2, 3], &[2, 3], &[0, 1, 2]),
        ErrorKind::OperandRankTooHigh {
            operand: [1, 2, 3].into(),
            target: [2, 3].into(),
            dims: [0, 1, 2].into(),
        },
        &["shape [1, 2, 3] of rank 3", "shape [2, 3] of lower rank 2", "dims [0, 1, 2]"],
    );
}

#[test]
fn shapes_differ_error() {
    check_error(
        ternary_shape([&[], &[2, 3], &[2, 4]]),
        ErrorKind::ShapesDiffer {
            shapes: [[].into(), [2, 3].into(), [2, 4].into()],
            operands: [1, 2],
            axis: Some(1),
        },
        &["[], [2, 3] and [2, 4]", "operands 1 and 2", "axis 1", "`broadcast_in_dim`"],
    );
    check_error(
        ternary_shape([&[3], &[2, 3], &[]]),
        ErrorKind::ShapesDiffer {
            shapes: [[3].into(), [2, 3].into(), [].into()],
            operands: [0, 1],
            axis: None,
        },
        &["[3], [2, 3] and []", "operands 0 and 1", "rank"],
    );
}

#[test]
fn rank_too_high_error() {
    let long = [1; MAX_NDIM + 1];
    let kind = ErrorKind::RankTooHigh { ndim: 17, max: 16 };
    check_error(binary_shape(&[], &long, &[]), kind.clone(), &["rank 17", "at most 16"]);
    check_error(broadcast_in_dim(&long, &[], &[]), kind.clone(), &["rank 17", "at most 16"]);
    check_error(broadcast_in_dim_strict(&[], &long, &[]), kind, &["rank 17", "at most 16"]);
}

#[test]
fn does_not_fit_error() {
    let misfit = |value: &[usize], destination: &[usize]| -> Result<(), Error> {
        Err(ErrorKind::DoesNotFit { value: List::of(&value), destination: List::of(&destination) }
            .into())
    };
    check_error(
        misfit(&[3], &[2, 3]),
        ErrorKind::DoesNotFit { value: [3].into(), destination: [2, 3].into() },
        &["shape [3]", "shape [2, 3]", "`broadcast_in_dim([2, 3], [1])`"],
    );
    let error = misfit(&[2, 3], &[3]).unwrap_err().to_string();
    assert!(error.ends_with("the shapes must be equal"), "{error}");
}

#[test]
fn messages_of_made_up_kinds_do_not_panic() {
    // Kinds are public, so their fields can contradict each other; shapes can be longer than
    // any array's.
    let long: List<usize> = vec![1; 100].into();
    let kinds = [
        ErrorKind::UnequalRanks { lhs: long.clone(), rhs: [1; 50].into() },
        ErrorKind::UnequalRanks { lhs: [].into(), rhs: [].into() },
        ErrorKind::DimsLength { operand: long.clone(), target: [].into(), dims: long.clone() },
        ErrorKind::DimsOrder {
            operand: [].into(),
            target: long,
            dims: [].into(),
            axis: 9,
            dim: 9,
            previous: 9,
        },
        ErrorKind::ShapesDiffer {
            shapes: [[].into(), [].into(), [].into()],
            operands: [8, 9],
            axis: Some(7),
        },
    ];
    for kind in kinds {
        assert!(!Error::from(kind).to_string().is_empty());
    }
}
