//! Plans: their texts.

mod table;
