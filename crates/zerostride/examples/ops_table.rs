//! Prints `docs/ops.md`, the table of operations:
//!
//! ```sh
//! cargo run -p zerostride --example ops_table > docs/ops.md
//! ```

use zerostride::ops::all_ops;

fn main() {
    print!("{}", markdown());
}

/// The whole of `docs/ops.md`.
pub fn markdown() -> String {
    let mut page = String::from(HEAD);
    for op in all_ops() {
        // Outside of code, Markdown takes `Complex<f32>` for a tag.
        let (types, doc) = (op.types.join(", ").replace('<', "\\<"), op.doc.trim());
        let row = [
            &format!("`{}`", op.name),
            op.stablehlo,
            &op.arity.to_string(),
            &types,
            op.accuracy,
            doc,
        ];
        page += &format!("| {} |\n", row.map(|cell| cell.replace('|', "\\|")).join(" | "));
    }
    page += REDUCTIONS_HEAD;
    for reduction in zerostride::REDUCTIONS {
        let row = [
            &format!("`{}`", reduction.name),
            reduction.types,
            reduction.output,
            reduction.empty,
            reduction.doc.trim(),
        ];
        page += &format!("| {} |\n", row.map(|cell| cell.replace('|', "\\|")).join(" | "));
    }
    page + REDUCTIONS_TAIL
}

const REDUCTIONS_HEAD: &str = "
# Reductions

Each is a method of arrays, views and expressions: `x.sum()?` of all elements, `x.sum_axis(1)?` along an axis, `x.sum_axis([0, 2])?` along several, and
`x.sum_axis(keep(1))?` with the axes kept, with extent 1. No array is made of an expression. The order in which elements are taken follows from the shape
alone: see [decision 0012](decisions/0012-reductions.md).

| Name | Types | Result | Of nothing | What it computes |
| --- | --- | --- | --- | --- |
";

const REDUCTIONS_TAIL: &str = "
The result has the type of the elements, unless the table says otherwise. Numbers are integers, floating-point and complex numbers; real ones are not
complex. Further ones: `reduce` by an associative closure; `reduce_by` with a `MonoidReduction` or `Reduction` of your own: see
[adding a reduction](adding-a-reduction.md).

# Along an axis

`cumsum`, `cumprod`, `cummax`, `cummin` (or a `Scan` of your own), `diff`, `softmax`, `log_softmax`, `sort`, `argsort`, `top_k`, `median`, `quantile`
(`quantile_by` for all of NumPy's methods), `unique`, `histogram`, `fold`. They go along the axis in order, and compute an expression into an array first.

# Products

`dot` of vectors and matrices, `matmul` of matrices and batches of them, and `gemm`, which adds a product to a matrix, for any `Number`, by the feature
`matmul`, which is on unless it is turned off. Products of two matrices of integers, `matmul` and `gemm` wrap around, as `*` does. Where a vector takes part the product is a
sum of products, which of integers is exact: one that does not fit in their type is an error, which says what to cast to.
";

const HEAD: &str = "\
# Operations

This page is generated from the table of operations, by `cargo run -p zerostride --example ops_table > docs/ops.md`.
[Adding an operation](adding-an-op.md) explains the table.

* *Name*: `neg` is `zerostride::neg(&x)`, `add` is `zerostride::add(&x, &y, dims)`, where `dims` are the broadcast dimensions,
  and `select` is `zerostride::select(&p, &t, &f)`. An operation that has an operator in Rust is written with it too, as `-&x` and
  `&x + &y`; every other one is a method, as `x.sqrt()` and `x.maximum(&y)`. `cast` is only a method, `x.cast::<f32>()`.
  Where an operation is an argument, as in `x.update(ops::Maximum, &y)?`, it is a type of `zerostride::ops`: the name in camel
  case, but for `and`, `or` and `xor`, which are `ops::BitAnd`, `ops::BitOr` and `ops::BitXor`, as in Rust.
* *StableHLO* is what the operation is there: a name, or an expression of names there, rows of this
  table and definitions ([XLA](xla.md)); `none` if it has no meaning there.
* *Types* are the element types it is defined for; `i8..i64` includes `isize`, and `u8..u64` includes `usize`. The operands have the
  same element type, and so has the result, unless the description says otherwise; comparisons give `bool`. An unsupported pair of
  operation and type does not compile.

* *Within* says how far a result for `f32` or `f64` may be from the correctly rounded one, in units of its last place: see
  [accuracy](accuracy.md). Without an entry a result is exact, or rounded once. `f16` and `bf16` are computed in `f32` and rounded
  once more. For complex numbers the bound is in units of the modulus: see there.

| Name | StableHLO | Operands | Types | Within | What it computes |
| --- | --- | --- | --- | --- | --- |
";
