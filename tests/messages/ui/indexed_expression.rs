use zerostride::prelude::*;

fn main() {
    let a = array![1.0, 2.0];
    let doubled = a.map(|x: f64| x * 2.0);
    let _ = doubled[0];
    println!("{doubled}");
    for _ in doubled {}
}
