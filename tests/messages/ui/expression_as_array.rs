use zerostride::prelude::*;

fn main() {
    let (a, b) = (array![[1.0, 2.0]], array![[3.0, 4.0]]);
    let _: Array2<f64> = &a + &b;
}
