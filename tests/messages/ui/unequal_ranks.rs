use zerostride::prelude::*;

fn main() {
    let (x, v) = (array![[1., 2.], [3., 4.]], array![5., 6.]);
    let _ = &x + &v;
}
