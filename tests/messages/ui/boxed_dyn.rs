use zerostride::prelude::*;

fn chosen(x: &Array1<f32>) -> Box<dyn Expr<Elem = f32, Rank = Rank<1>>> {
    Box::new(x * 2.0)
}

fn main() {
    let _ = chosen(&array![1.0]);
}
