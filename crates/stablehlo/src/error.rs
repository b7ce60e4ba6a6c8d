//! [`Error`]: what has no meaning in StableHLO, and what does not fit.

use std::path::PathBuf;

/// Why an expression or a program cannot be exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An operation that says nothing of itself: a closure, or one that is not in the table.
    #[error(
        "{operation} is opaque, and so has no meaning in StableHLO; use operations of the table"
    )]
    Opaque {
        /// What it is, as far as it is known.
        operation: String,
    },
    /// An operation of the library that StableHLO does not have.
    #[error("`{operation}` of {element} has no meaning in StableHLO: {reason}")]
    NoMeaning {
        /// Its name.
        operation: &'static str,
        /// The type of the elements.
        element: &'static str,
        /// Why, and what to use in its place.
        reason: &'static str,
    },
    /// Elements of a type that StableHLO does not have.
    #[error("elements of type `{element}` have no meaning in StableHLO")]
    Element {
        /// The name of the type.
        element: &'static str,
    },
    /// Operands or axes that do not fit.
    #[error(transparent)]
    Shape(#[from] elementwise::Error),
    /// A reduction of no elements that has no result for them.
    #[error("`{operation}` of no elements has no result; the shape is {shape:?}")]
    NoElements {
        /// The reduction.
        operation: &'static str,
        /// The shape of what is reduced.
        shape: Vec<usize>,
    },
    /// A variance or standard deviation of no more elements than its `ddof`.
    #[error("`{operation}` of {len} elements with ddof {ddof} has no result")]
    Ddof {
        /// The reduction.
        operation: &'static str,
        /// How many elements there are.
        len: usize,
        /// What is taken off their number.
        ddof: f64,
    },
    /// A value of another program.
    #[error("a value in the expression belongs to another program")]
    OtherProgram,
    /// A name that is not a word of letters, digits and `_`, or is taken.
    #[error("`{name}` cannot be a name here: {reason}")]
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A program without results.
    #[error("the program `{name}` has no results")]
    NoResults {
        /// Its name.
        name: String,
    },
    /// No memory for a copy of an argument.
    #[error("no memory for a copy of an argument of {bytes} bytes")]
    Memory {
        /// Its size.
        bytes: usize,
    },
    /// A file that could not be written.
    #[error("`{}` could not be written", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// An argument that could not be written.
    #[error(transparent)]
    File(#[from] arrayfile::FileError),
    /// A defect of this crate: a lowering that does not fit its operation.
    #[error("the lowering `{lowering}` is at fault: {reason}")]
    Lowering {
        /// Its text.
        lowering: String,
        /// What is wrong.
        reason: String,
    },
}
