use zerostride::prelude::*;

fn main() {
    let x = array![1_f32, 2.];
    let _ = !&x;
}
