use zerostride::prelude::*;

fn main() {
    let a = Array2::<f64>::zeros([2, 3]);
    let _ = a.map_axis(Axis(1), |row| row.dot(&row));
}
