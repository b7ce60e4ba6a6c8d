//! What a user writes and sees, in examples whose answers are written down here.

#![forbid(unsafe_code)]

mod documents;
mod edges;
mod few;
mod format;
mod generic;
mod hoisting;
mod iteration;
mod joins;
mod lazy;
mod names;
mod operators;
mod parts;
mod receivers;
mod reductions;
mod slices;
mod specials;
mod traits;
