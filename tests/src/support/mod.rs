//! What `suite` and `table` share: element types with test values, layouts, ways of execution,
//! reports.

pub mod elements;
pub mod execs;
pub mod layouts;
pub mod report;

pub use elements::TestElement;
pub use execs::Ways;
pub use layouts::{Held, Recipe};
pub use report::Report;
