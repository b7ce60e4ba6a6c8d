#![deny(unused_must_use)]

use zerostride::prelude::*;

fn turn(a: &Array2<f32>) -> Result<(), zerostride::Error> {
    a.swap_axes(0, 1)?;
    Ok(())
}

fn main() {
    turn(&array![[1.0]]).unwrap();
}
