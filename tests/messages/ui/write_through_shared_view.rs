use zerostride::prelude::*;

fn main() {
    let x = array![1, 2];
    x.view()[[0]] = 5;
}
