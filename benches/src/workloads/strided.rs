//! Operands that lie in memory in another order than the result, or with gaps.

use super::Size;
use crate::case::{Case, Judge, Mode};
use crate::data::Input;
use crate::roofline::Mix;
use ndarray::Zip;
use zerostride::prelude::*;

/// `a + b.T`, square.
pub fn transpose(n: usize, judge: Judge<'_>) {
    let shape = [n, n];
    let (a, b) = (Input::<f32, Rank<2>>::new("a", &shape), Input::<f32, Rank<2>>::new("b", &shape));
    let (va, vb) = (a.value(), b.value());
    Case::new(&shape, Mode::Into, &[&a, &b], "a + permute(b, (1, 0))", move |i| {
        va(i) + vb(i % n * n + i / n)
    })
    .ours(|| &a.ours + b.ours.t())
    .roofline(Mix::Add)
    .written(|| &a.nd + &b.nd.t())
    .best(|out| Zip::from(out).and(&a.nd).and(b.nd.t()).par_for_each(|o, &a, &b| *o = a + b))
    .judge(judge);
}

/// `a + permuted(b, (2, 0, 1))`, 256 x 128 x 1024.
pub fn permute(size: Size, judge: Judge<'_>) {
    let shape = [size.pick(256, 64), size.pick(128, 32), size.pick(1024, 128)];
    let [n, m, k] = shape;
    let (a, b) =
        (Input::<f32, Rank<3>>::new("a", &shape), Input::<f32, Rank<3>>::new("b", &[m, k, n]));
    let (va, vb) = (a.value(), b.value());
    let answer = move |i: usize| {
        let (x, y, z) = (i / (m * k), i / k % m, i % k);
        va(i) + vb((y * k + z) * n + x)
    };
    Case::new(&shape, Mode::Into, &[&a, &b], "a + permute(b, (2, 0, 1))", answer)
        .ours(|| &a.ours + b.ours.permuted_axes([2, 0, 1]).expect("each axis once"))
        .roofline(Mix::Add)
        .written(|| &a.nd + &b.nd.view().permuted_axes([2, 0, 1]))
        .best(|out| {
            let b = b.nd.view().permuted_axes([2, 0, 1]);
            Zip::from(out).and(&a.nd).and(b).par_for_each(|o, &a, &b| *o = a + b);
        })
        .judge(judge);
}

/// `x[::2, ::3] * 2`. The bytes are those of the cache lines that must be read: every second row,
/// all of it.
pub fn step_slice(size: Size, judge: Judge<'_>) {
    // A whole number of thirds, so that the last line is not read for nothing.
    let (rows, columns) = (size.pick(8192, 128), 4096 - 4096 % 3);
    let x = Input::<f32, Rank<2>>::new("x", &[rows, columns]);
    let shape = [rows / 2, columns / 3];
    let (value, width) = (x.value(), shape[1]);
    let answer = move |i: usize| value(i / width * 2 * columns + i % width * 3) * 2.0;
    Case::new(&shape, Mode::Into, &[&x], "x[::2, ::3] * 2.0", answer)
        .bytes(4 * (rows / 2 * columns + shape[0] * shape[1]))
        .ours(|| x.ours.slice(s![..;2, ..;3]).expect("positive steps") * 2.0)
        .roofline(Mix::Third)
        .written(|| &x.nd.slice(ndarray::s![..;2, ..;3]) * 2.0)
        .best(|out| {
            let x = x.nd.slice(ndarray::s![..;2, ..;3]);
            Zip::from(out).and(x).par_for_each(|o, &x| *o = x * 2.0);
        })
        .judge(judge);
}

/// `a + b` with `b` reversed along both axes.
pub fn reversed(size: Size, judge: Judge<'_>) {
    let shape = super::matrix(size);
    let last = shape[0] * shape[1] - 1;
    let (a, b) = (Input::<f32, Rank<2>>::new("a", &shape), Input::<f32, Rank<2>>::new("b", &shape));
    let (va, vb) = (a.value(), b.value());
    Case::new(&shape, Mode::Into, &[&a, &b], "a + flip(b)", move |i| va(i) + vb(last - i))
        .ours(|| &a.ours + b.ours.slice(s![..;-1, ..;-1]).expect("steps that are not zero"))
        .roofline(Mix::Add)
        .written(|| &a.nd + &b.nd.slice(ndarray::s![..;-1, ..;-1]))
        .best(|out| {
            let b = b.nd.slice(ndarray::s![..;-1, ..;-1]);
            Zip::from(out).and(&a.nd).and(b).par_for_each(|o, &a, &b| *o = a + b);
        })
        .judge(judge);
}
