use zerostride::prelude::*;

fn main() -> Result<(), zerostride::Error> {
    let a = array![1.0, 2.0];
    let _ = (2.0 * &a).eval()?;
    Ok(())
}
