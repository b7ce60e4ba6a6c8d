use zerostride::prelude::*;

fn main() {
    let a = array![1.0, 2.0];
    let _: Array1<f64> = a.mapv(|x: f64| x * 2.0);
}
