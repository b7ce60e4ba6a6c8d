use zerostride::prelude::*;

fn main() {
    let v = array![5., 6.];
    let _ = v.broadcast_in_dim([2, 2], [0, 1]);
}
