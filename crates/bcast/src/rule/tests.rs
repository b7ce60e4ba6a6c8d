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

/// What they say: the kind with its fields, by `Debug`, and the message.
#[test]
fn errors() {
    let misfit = |value: &[usize], destination: &[usize]| -> Result<(), Error> {
        let (value, destination) = (List::of(&value), List::of(&destination));
        Err(ErrorKind::DoesNotFit { value, destination }.into())
    };
    let rows: [(Vec<Result<(), Error>>, &str, &str); 21] = [
        (
            vec![binary_shape(&[3], &[2, 3], &[]).map(drop)],
            "UnequalRanks { lhs: [3], rhs: [2, 3] }",
            "operands of shapes [3] and [2, 3] have ranks 1 and 2: say which axes the rank-1 \
             operand v lies along: `v.along([1])`, or in XLA's form `add(&v, &x, [1])`; if v is \
             the result of a reduction, `keep(axis)` there keeps its place",
        ),
        // None of several is the one that is meant.
        (
            vec![binary_shape(&[3, 1, 3, 3], &[3], &[]).map(drop)],
            "UnequalRanks { lhs: [3, 1, 3, 3], rhs: [3] }",
            "operands of shapes [3, 1, 3, 3] and [3] have ranks 4 and 1: say which axes the \
             rank-1 operand v lies along, of which several fit, with other results: \
             `v.along([0])` or `v.along([2])` or `v.along([3])`, or in XLA's form `add(&x, &v, \
             [3])`; if v is the result of a reduction, `keep(axis)` there keeps its place",
        ),
        (
            vec![binary_shape(&[4], &[2, 3], &[]).map(drop)],
            "UnequalRanks { lhs: [4], rhs: [2, 3] }",
            "operands of shapes [4] and [2, 3] have ranks 1 and 2, and the rank-1 operand fits \
             along no axes of the other: reshape one of them first",
        ),
        // The operand of higher rank may be the one that stretches.
        (
            vec![binary_shape(&[4], &[1, 3], &[]).map(drop)],
            "UnequalRanks { lhs: [4], rhs: [1, 3] }",
            "operands of shapes [4] and [1, 3] have ranks 1 and 2: say which axes the rank-1 \
             operand v lies along: `v.along([0])`, or in XLA's form `add(&v, &x, [0])`; if v is \
             the result of a reduction, `keep(axis)` there keeps its place",
        ),
        (
            vec![degenerate_shape(&[], &[3]).map(drop)],
            "UnequalRanks { lhs: [], rhs: [3] }",
            "operands of shapes [] and [3] have ranks 0 and 1: say which axes the rank-0 operand \
             v lies along: `v.along([])`, or in XLA's form `add(&v, &x, [])`; if v is the result \
             of a reduction, `keep(axis)` there keeps its place",
        ),
        (
            vec![binary_shape(&[2, 2], &[2, 1], &[1, 0]).map(drop)],
            "DimsNotIdentity { lhs: [2, 2], rhs: [2, 1], dims: [1, 0] }",
            "dims [1, 0] do not fit operands of shapes [2, 2] and [2, 1]: operands of equal rank \
             are matched axis by axis, so leave the dims empty or give [0, 1]; to match other \
             axes, transpose an operand first",
        ),
        (
            vec![binary_shape(&[3, 4], &[2, 3, 4], &[1]).map(drop)],
            "DimsLength { operand: [3, 4], target: [2, 3, 4], dims: [1] }",
            "dims [1] have length 1, but shape [3, 4] has rank 2: give one axis of shape [2, 3, \
             4] for each axis of shape [3, 4], for example dims [1, 2]",
        ),
        (
            vec![broadcast_in_dim(&[], &[2], &[0]).map(drop)],
            "DimsLength { operand: [], target: [2], dims: [0] }",
            "dims [0] have length 1, but shape [] has rank 0: give one axis of shape [2] for \
             each axis of shape [], for example dims []",
        ),
        // The three rules have the words for dims in common.
        (
            vec![
                binary_shape(&[3, 3], &[3], &[2]).map(drop),
                broadcast_in_dim(&[3], &[3, 3], &[2]).map(drop),
                broadcast_in_dim_strict(&[3], &[3, 3], &[2]).map(drop),
            ],
            "DimOutOfRange { operand: [3], target: [3, 3], dims: [2], axis: 0, dim: 2 }",
            "dims [2] place axis 0 of shape [3] along axis 2, which shape [3, 3] of rank 2 does \
             not have: dims count from 0 and must be below that rank, for example dims [1] or [0]",
        ),
        (
            vec![
                binary_shape(&[1, 3], &[4, 2, 3], &[0, 1]).map(drop),
                broadcast_in_dim(&[1, 3], &[4, 2, 3], &[0, 1]).map(drop),
                broadcast_in_dim_strict(&[1, 3], &[4, 2, 3], &[0, 1]).map(drop),
            ],
            "DimExtent { operand: [1, 3], target: [4, 2, 3], dims: [0, 1], axis: 1, dim: 1, \
             operand_extent: 3, target_extent: 2 }",
            "dims [0, 1] place axis 1 of shape [1, 3] along axis 1 of shape [4, 2, 3], but the \
             extents there are 3 and 2: only an axis of extent 1 can stretch, for example dims \
             [1, 2] or [0, 2]",
        ),
        (
            vec![broadcast_in_dim(&[2], &[1], &[0]).map(drop)],
            "DimExtent { operand: [2], target: [1], dims: [0], axis: 0, dim: 0, operand_extent: \
             2, target_extent: 1 }",
            "dims [0] place axis 0 of shape [2] along axis 0 of shape [1], but the extents there \
             are 2 and 1: a broadcast does not shrink an axis",
        ),
        (
            vec![
                binary_shape(&[4, 3], &[4, 3, 4], &[2, 1]).map(drop),
                broadcast_in_dim_strict(&[4, 3], &[4, 3, 4], &[2, 1]).map(drop),
            ],
            "DimsOrder { operand: [4, 3], target: [4, 3, 4], dims: [2, 1], axis: 1, dim: 1, \
             previous: 2 }",
            "dims [2, 1] that place shape [4, 3] in shape [4, 3, 4] must strictly increase, but \
             1 (for axis 1) comes after 2: give every axis its own dim, in order, for example \
             dims [0, 1]; to reorder axes, transpose the operand first",
        ),
        (
            vec![broadcast_in_dim(&[3, 2, 3], &[3, 2, 3], &[1, 0, 1]).map(drop)],
            "DuplicateDim { operand: [3, 2, 3], target: [3, 2, 3], dims: [1, 0, 1], axes: [0, \
             2], dim: 1 }",
            "dims [1, 0, 1] place axes 0 and 2 of shape [3, 2, 3] both along axis 1 of shape [3, \
             2, 3]: give every axis its own dim, for example dims [0, 1, 2]",
        ),
        (
            vec![binary_shape(&[7, 2, 5], &[7, 2, 6], &[]).map(drop)],
            "Incompatible { lhs: [7, 2, 5], rhs: [7, 2, 6], axis: 2, lhs_extent: 5, rhs_extent: \
             6 }",
            "operands of shapes [7, 2, 5] and [7, 2, 6] are incompatible: along axis 2 of the \
             result their extents are 5 and 6, which must be equal unless one of them is 1",
        ),
        // Under NumPy's rule: the shapes as given, the axis of the result.
        (
            vec![numpy_shape(&[2], &[4, 3]).map(drop)],
            "Incompatible { lhs: [2], rhs: [4, 3], axis: 1, lhs_extent: 2, rhs_extent: 3 }",
            "operands of shapes [2] and [4, 3] are incompatible: along axis 1 of the result \
             their extents are 2 and 3, which must be equal unless one of them is 1",
        ),
        (
            vec![broadcast_in_dim_strict(&[1, 2, 3], &[2, 3], &[0, 1, 2]).map(drop)],
            "OperandRankTooHigh { operand: [1, 2, 3], target: [2, 3], dims: [0, 1, 2] }",
            "shape [1, 2, 3] of rank 3 cannot be broadcast to shape [2, 3] of lower rank 2 (dims \
             [0, 1, 2]): a broadcast never drops an axis; index or reduce the operand first",
        ),
        (
            vec![ternary_shape([&[], &[2, 3], &[2, 4]]).map(drop)],
            "ShapesDiffer { shapes: [[], [2, 3], [2, 4]], operands: [1, 2], axis: Some(1) }",
            "operands of shapes [], [2, 3] and [2, 4] must be scalars or have the same shape: \
             operands 1 and 2 (counted from 0) differ at axis 1; nothing stretches here, so say \
             how an operand is to be broadcast, with `along` or `broadcast_in_dim`",
        ),
        (
            vec![ternary_shape([&[3], &[2, 3], &[]]).map(drop)],
            "ShapesDiffer { shapes: [[3], [2, 3], []], operands: [0, 1], axis: None }",
            "operands of shapes [3], [2, 3] and [] must be scalars or have the same shape: \
             operands 0 and 1 (counted from 0) differ in rank; nothing stretches here, so say \
             how an operand is to be broadcast, with `along` or `broadcast_in_dim`",
        ),
        (
            vec![
                binary_shape(&[], &[1; 17], &[]).map(drop),
                broadcast_in_dim(&[1; 17], &[], &[]).map(drop),
                broadcast_in_dim_strict(&[], &[1; 17], &[]).map(drop),
            ],
            "RankTooHigh { ndim: 17, max: 16 }",
            "a shape of rank 17 is not supported: arrays have at most 16 axes",
        ),
        (
            vec![misfit(&[3], &[2, 3]).map(drop)],
            "DoesNotFit { value: [3], destination: [2, 3] }",
            "a value of shape [3] cannot be assigned to an array of shape [2, 3]: the shapes \
             must be equal; broadcast the value first, as `broadcast_in_dim([2, 3], [1])` does",
        ),
        (
            vec![misfit(&[2, 3], &[3]).map(drop)],
            "DoesNotFit { value: [2, 3], destination: [3] }",
            "a value of shape [2, 3] cannot be assigned to an array of shape [3]: the shapes \
             must be equal",
        ),
    ];
    let mut failures = Vec::new();
    for (results, kind, message) in rows {
        for error in results.into_iter().map(Result::unwrap_err) {
            let text = error.to_string();
            let got = (format!("{:?}", error.kind()), text, format!("{:?}", error.into_kind()));
            if got != (kind.to_owned(), message.to_owned(), kind.to_owned()) {
                failures.push(format!("got {got:?}, want {kind}: {message}"));
            }
        }
    }
    report(failures);
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
