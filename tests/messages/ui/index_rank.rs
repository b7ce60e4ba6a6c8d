use zerostride::prelude::*;

fn main() {
    let x = array![[1, 2], [3, 4]];
    let _ = x[[0, 1, 1]];
    let _ = x[0];
}
