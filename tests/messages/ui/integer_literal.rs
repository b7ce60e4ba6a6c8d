use zerostride::prelude::*;

fn main() {
    let x = array![1.0_f32, 2.0];
    let _ = &x * 2;
    let _ = 2 * &x;
}
