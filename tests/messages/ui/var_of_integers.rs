//! Integers have no variance of their own type.

use zerostride::prelude::*;

fn main() {
    let x = array![1_u8, 2];
    let _ = x.var(0.0);
    let _ = x.std(1.0);
}
