//! What the tests and the `oracle` program share: the naive definition of everything zerostride computes, and XLA's answers.

#![forbid(unsafe_code)]

pub mod naive;
pub mod oracle;
