//! Where results lie.

use conformance::support::Report;
use zerostride::prelude::*;
use zerostride::{Error, Exec, concatenate, f16};

/// Strides of results do not depend on threads, also along axes of extent 1, where they lead
/// nowhere.
#[test]
fn strides_of_results() {
    let mut report = Report::new("strides of results");
    let serial = Exec::new().parallel(false);
    let parallel = Exec::new().parallel(true).grain(1);
    let orders = [[0, 1, 2], [2, 1, 0], [1, 0, 2], [2, 0, 1]];
    for shape in [
        [1, 1, 1],
        [5, 1, 7],
        [1, 90, 80],
        [90, 1, 80],
        [90, 80, 1],
        [1, 1, 900],
        [1, 64, 1],
        [20, 10, 30],
    ] {
        for (order, flip) in orders.into_iter().flat_map(|order| [(order, false), (order, true)]) {
            let mut inner_to_outer = [0; 3];
            order.iter().enumerate().for_each(|(place, &axis)| inner_to_outer[axis] = place);
            let held = Array3::from_fn(order.map(|axis| shape[axis]), |[i, j, k]| {
                ((i * 7 + j * 3 + k * 11) % 101) as f64
            });
            let x = held.permuted_axes(inner_to_outer).expect("a permutation");
            let x = if flip { x.flip(1).expect("an axis") } else { x };
            let half = x.cast::<f16>().eval().expect("it fits");
            let mut check = |name: &str, f: &dyn Fn() -> Result<Vec<isize>, Error>| {
                let [one, more] = [serial, parallel].map(|exec| exec.install(f).expect("it fits"));
                report.equal(format!("{name} of {shape:?} {order:?} {flip}"), more, one);
            };
            macro_rules! check {
                ($($name:literal: $call:expr;)*) => {$(
                    check($name, &|| Ok($call?.strides().to_vec()));
                )*};
            }
            check! {
                "sum": (&x + 1.0).eval();
                "exp": x.exp().eval();
                "greater": x.greater(50.0).eval();
                "sums along 0": x.sum_axis(keep(0));
                "sums along 2": x.sum_axis(keep(2));
                "maxima": (&x * 2.0).max_axis(keep([0, 2]));
                "variances": x.var_axis(1, 0.0);
                "places": x.argmax_axis(2);
                "boxed": (&x * 2.0).boxed().sum_axis(keep(1));
                "all": x.matmul(x.swap_axes(1, 2)?);
                "joined": concatenate(1, &[x, x]);
            }
            for axis in 0..3 {
                check! {
                    "cumsum": x.cumsum(axis);
                    "sort": x.sort(axis);
                    "softmax": x.softmax(axis);
                    "softmax of 16 bits": half.softmax(axis);
                    "median": x.median_axis(axis);
                    "diff": x.diff(axis);
                    "roll": x.roll(axis, 1);
                    "take": x.take(axis, &[0]);
                    "closure": x.reduce_axis(axis, |a, b| a + b);
                }
            }
        }
    }
    report.finish(2432);
}
