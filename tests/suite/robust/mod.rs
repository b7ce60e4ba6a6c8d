//! Nothing that can be refused panics, whatever numbers it is given.

mod constructors;
mod expressions;
mod extremes;
mod limits;
mod mutable;
mod views;
