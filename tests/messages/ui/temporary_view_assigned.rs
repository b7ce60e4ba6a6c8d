use zerostride::prelude::*;

fn main() -> Result<(), zerostride::Error> {
    let mut x = array![1, 2, 3];
    x.slice_mut(s![..2])? += 10;
    Ok(())
}
