use zerostride::prelude::*;

fn main() {
    let _ = Array2::<f64>::zeros([2, 3, 4]);
}
