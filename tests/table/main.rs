//! The case table: shapes by layouts by operations by element types by ways of execution.
//!
//! `check` runs one case in every way. `operations` takes every operation and type through the same
//! few rows; `layouts` takes few operations through every pair of layouts.

#![forbid(unsafe_code)]

mod casts;
mod check;
mod functions;
mod generated;
mod inplace;
mod lanes;
mod layouts;
mod matmul;
mod operations;
mod reductions;
