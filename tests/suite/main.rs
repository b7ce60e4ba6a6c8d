//! The library against the naive definition, XLA's answers and its own laws.

#![forbid(unsafe_code)]

mod laws;
mod oracle;
mod plans;
mod robust;
