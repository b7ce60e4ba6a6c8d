use zerostride::prelude::*;

fn main() {
    let a = array![1.0, 2.0];
    let _ = &a + vec![3.0, 4.0];
    let _ = &a + [3.0, 4.0];
}
