//! Complex numbers have no order, integers no softmax and no matrix product, and axes are numbers.

use zerostride::Complex;
use zerostride::prelude::*;

fn main() {
    let z = Array1::<Complex<f32>>::zeros(3);
    let _ = z.max();
    let n = Array2::<i32>::zeros([2, 2]);
    let _ = n.softmax(1);
    let _ = n.matmul(&n);
    let _ = n.sum_axis("rows");
    let _ = n.sum_axis(-1);
}
