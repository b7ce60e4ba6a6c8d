use zerostride::Numeric;
use zerostride::prelude::*;

fn scaled<T: Numeric>(x: &Array1<T>, by: T) -> Array1<T> {
    (by * x).eval().unwrap()
}

fn main() {
    let _ = scaled(&array![1.0], 2.0);
}
