use zerostride::prelude::*;

fn main() {
    let a = array![[1.0, 2.0]];
    let _ = a.select(0, &a);
    let _ = a.greater(1.0).select(&a, 0);
}
