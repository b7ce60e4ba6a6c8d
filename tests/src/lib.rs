//! What the tests and the `oracle` program share: the naive definition of everything zerostride
//! computes, and XLA's answers.

#![forbid(unsafe_code)]

pub mod accuracy;
pub mod fuzz;
pub mod naive;
pub mod oracle;
pub mod random;
pub mod support;

/// The programs in the documents, as doctests.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../README.md")]
    mod readme {}
    #[doc = include_str!("../../docs/accuracy.md")]
    mod accuracy {}
    #[doc = include_str!("../../docs/adding-an-op.md")]
    mod adding_an_op {}
    #[doc = include_str!("../../docs/adding-a-reduction.md")]
    mod adding_a_reduction {}
    #[doc = include_str!("../../docs/architecture.md")]
    mod architecture {}
    #[doc = include_str!("../../docs/broadcasting.md")]
    mod broadcasting {}
    #[doc = include_str!("../../docs/own-elements.md")]
    mod own_elements {}
}
