use zerostride::prelude::*;

fn main() {
    let (a, table) = (array![0.5, 1.5], vec![10.0, 20.0]);
    let weighed = move |x: f64| x * table[x as usize];
    let _ = a.mapv(weighed).eval();
}
