//! [`Element`]: what an array can hold.

/// What an array can hold: any plain value.
///
/// Implemented for every such type. Without drop glue, a panic half-way through filling an array
/// leaves nothing to drop.
pub trait Element: Copy + Send + Sync + 'static {}

impl<T: Copy + Send + Sync + 'static> Element for T {}
