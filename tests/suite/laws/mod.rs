//! Laws that hold for all shapes and layouts, on random ones.

mod plan;
mod random;
mod results;
mod shapes;
pub mod strategies;
mod views;
