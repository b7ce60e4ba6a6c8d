//! Reductions of four axes beside what repeats along some of them, in all orders of the axes: each
//! result against the elements by their indices.

use zerostride::Exec;
use zerostride::prelude::*;

type Shape = [usize; 4];

/// A number for an index, without any order.
fn at([i, j, k, l]: Shape) -> i64 {
    ((i * 7919 + j * 104_729 + k * 31 + l * 613) % 997) as i64 - 400
}

/// All orders of four axes.
fn orders() -> Vec<Shape> {
    let all = (0..256).map(|n| [n / 64, n / 16 % 4, n / 4 % 4, n % 4]);
    all.filter(|order| (0..4).all(|axis| order.contains(&axis))).collect()
}

/// An array of this shape whose axes lie in this order in memory, from the outermost one: as it
/// lies, and the places of its axes.
fn array(shape: Shape, order: Shape) -> (Array4<i64>, Shape) {
    let mut back = [0; 4];
    order.iter().enumerate().for_each(|(position, &axis)| back[axis] = position);
    let lies = Array4::<i64>::from_fn(order.map(|axis| shape[axis]), |index| {
        at(back.map(|position| index[position]))
    });
    (lies, back)
}

#[test]
fn each_result_is_that_of_its_elements() {
    let mut failures = Vec::new();
    let shapes =
        [[5, 2, 5, 26], [3, 4, 17, 5], [2, 34, 3, 4], [4, 3, 33, 2], [2, 3, 2, 70], [7, 1, 2, 18]];
    let execs = [Exec::new().parallel(false), Exec::new().grain(1)];
    let mut number = 0;
    for shape in shapes {
        for order in orders() {
            let (a, axes) = array(shape, order);
            let a = a.permuted_axes(axes).expect("all axes");
            for repeats in 0..16 {
                number += 1;
                let once: Shape =
                    std::array::from_fn(
                        |axis| if repeats >> axis & 1 == 1 { 1 } else { shape[axis] },
                    );
                // In the order of the axes, or in the opposite one.
                let (b, axes) =
                    array(once, if number % 2 == 0 { [0, 1, 2, 3] } else { [3, 2, 1, 0] });
                let b = b.permuted_axes(axes).expect("all axes");
                let axis = number % 4;
                let kept: Shape =
                    std::array::from_fn(|other| if other == axis { 1 } else { shape[other] });
                let mut expected = [Array4::<i64>::zeros(kept), Array4::full(kept, i64::MIN)];
                for (index, &x) in a.indexed_iter() {
                    let place = std::array::from_fn(|axis| index[axis].min(once[axis] - 1));
                    let to = std::array::from_fn(|axis| index[axis].min(kept[axis] - 1));
                    let x = x - 3 * b[place];
                    expected[0][to] += x;
                    expected[1][to] = expected[1][to].max(x);
                }
                execs[number / 4 % 2].install(|| {
                    let found = [
                        (a - 3 * b).sum_axis(keep(axis)).expect("it fits"),
                        (a - 3 * b).max_axis(keep(axis)).expect("some"),
                    ];
                    if found != expected {
                        failures.push(format!("{shape:?} as {order:?}, {repeats:#b}, axis {axis}"));
                    }
                });
            }
        }
    }
    assert!(failures.is_empty(), "{} of {number} fail: {failures:#?}", failures.len());
}

/// Axes that are reduced with others between them: few elements are brought in another order first,
/// more of them, or what is worth threads, is folded by a plan.
#[test]
fn axes_apart_are_reduced_to_the_same_bits() {
    let mut failures = Vec::new();
    for shape in [[2, 3, 4, 4], [2, 3, 7, 7], [5, 1, 3, 18], [3, 4, 16, 33], [1, 2, 1, 5]] {
        for (number, order) in orders().into_iter().enumerate() {
            let (lies, axes) = array(shape, order);
            let lies = lies.map_into(|x| x as f64 / 97.0);
            let x = lies.permuted_axes(axes).expect("all axes");
            let weights = Array1::<f64>::from_fn([shape[1]], |[j]| 0.1 + j as f64);
            for reduced in [vec![0, 2], vec![0, 3], vec![0, 2, 3], vec![1, 3], vec![3, 0, 1]] {
                let reduced = &reduced[..];
                let run = |exec: Exec| {
                    exec.install(|| {
                        let centred = || x - weights.along([1]) * 0.25;
                        let places = centred().argmax_axis(reduced).expect("some").into_dyn();
                        [
                            x.sum_axis(reduced).expect("it fits").into_dyn(),
                            centred().mean_axis(reduced).expect("some").into_dyn(),
                            centred().square().sum_axis(reduced).expect("it fits").into_dyn(),
                            x.var_axis(reduced, 0.0).expect("some").into_dyn(),
                            centred().exp().sum_axis(reduced).expect("it fits").into_dyn(),
                            places.cast::<f64>().eval().expect("it fits"),
                        ]
                    })
                };
                let found = run(Exec::new().parallel(false));
                // Worth threads, so that it is planned.
                let planned = run(Exec::new().grain(1));
                let bits = |results: &[ArrayD<f64>]| -> Vec<Vec<u64>> {
                    results.iter().map(|x| x.iter().map(|x| x.to_bits()).collect()).collect()
                };
                let naive = {
                    let kept: Vec<usize> = (0..4).filter(|axis| !reduced.contains(axis)).collect();
                    let mut sums = ArrayD::<f64>::zeros(
                        kept.iter().map(|&axis| shape[axis]).collect::<Vec<_>>(),
                    );
                    for (index, value) in x.indexed_iter() {
                        let to: Vec<usize> = kept.iter().map(|&axis| index[axis]).collect();
                        sums[&to[..]] += value;
                    }
                    sums
                };
                let near = found[0].shape() == naive.shape()
                    && found[0].iter().zip(naive.iter()).all(|(a, b)| (a - b).abs() < 1e-9);
                if !near || bits(&found) != bits(&planned) {
                    failures.push(format!("{shape:?} as {number}, along {reduced:?}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} fail: {failures:#?}", failures.len());
}
