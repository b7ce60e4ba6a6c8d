use zerostride::prelude::*;

fn main() {
    let (x, y) = (array![1_f32, 2.], array![1_f64, 2.]);
    let _ = &x + &y;
}
