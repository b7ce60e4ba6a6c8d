//! Operands that repeat along some axes of the result.

use super::Size;
use crate::case::{Case, Judge, Mode};
use crate::data::{Input, Value};
use crate::roofline::Mix;
use ndarray::{Axis, Zip};
use std::ops::Mul;
use zerostride::Numeric;
use zerostride::prelude::*;

/// `x + v`, a vector added to each row. Of a tall matrix with one column, to each element.
pub fn row(shape: [usize; 2], mode: Mode, judge: Judge<'_>) {
    let columns = shape[1];
    let (x, v) =
        (Input::<f32, Rank<2>>::new("x", &shape), Input::<f32, Rank<1>>::new("v", &[columns]));
    let (a, b) = (x.value(), v.value());
    Case::new(&shape, mode, &[&x, &v], "x + v", move |i| a(i) + b(i % columns))
        .ours(|| &x.ours + v.ours.along([1]))
        .roofline(Mix::Copy)
        .written(|| &x.nd + &v.nd)
        .best(|out| {
            Zip::from(out).and(&x.nd).and_broadcast(&v.nd).par_for_each(|o, &x, &v| *o = x + v)
        })
        .judge(judge);
}

/// `x + v[:, None]`, a vector added to each column.
pub fn column(shape: [usize; 2], mode: Mode, judge: Judge<'_>) {
    let [rows, columns] = shape;
    let (x, v) =
        (Input::<f32, Rank<2>>::new("x", &shape), Input::<f32, Rank<1>>::new("v", &[rows]));
    let (a, b) = (x.value(), v.value());
    Case::new(&shape, mode, &[&x, &v], "x + v[:, None]", move |i| a(i) + b(i / columns))
        .ours(|| &x.ours + v.ours.along([0]))
        .roofline(Mix::Copy)
        .written(|| &x.nd + &v.nd.view().insert_axis(Axis(1)))
        .best(|out| {
            let v = v.nd.view().insert_axis(Axis(1));
            Zip::from(out).and(&x.nd).and_broadcast(v).par_for_each(|o, &x, &v| *o = x + v);
        })
        .judge(judge);
}

/// `(n, 1) + (1, m)`.
pub fn outer(shape: [usize; 2], judge: Judge<'_>) {
    let [rows, columns] = shape;
    let (c, r) = (
        Input::<f32, Rank<2>>::new("c", &[rows, 1]),
        Input::<f32, Rank<2>>::new("r", &[1, columns]),
    );
    let (a, b) = (c.value(), r.value());
    Case::new(&shape, Mode::Into, &[&c, &r], "c + r", move |i| a(i / columns) + b(i % columns))
        .ours(|| &c.ours + &r.ours)
        .roofline(Mix::Fill)
        .written(|| &c.nd + &r.nd)
        .best(|out| {
            Zip::from(out)
                .and_broadcast(&c.nd)
                .and_broadcast(&r.nd)
                .par_for_each(|o, &c, &r| *o = c + r)
        })
        .judge(judge);
}

/// `[n, 3] + [3]`: a colour added to each pixel.
pub fn rgb(size: Size, judge: Judge<'_>) {
    row([size.pick(1 << 22, 1 << 17), 3], Mode::Into, judge);
}

/// `x * scale + bias`, by channel of an image batch.
pub fn scale_bias(size: Size, judge: Judge<'_>) {
    let (channels, side) = (64, 56);
    let shape = [size.pick(32, 2), channels, side, side];
    let x = Input::<f32, Rank<4>>::new("x", &shape);
    let (s, b) = (
        Input::<f32, Rank<1>>::new("s", &[channels]),
        Input::<f32, Rank<1>>::new("b", &[channels]),
    );
    let (vx, vs, vb) = (x.value(), s.value(), b.value());
    let python = "x * s[None, :, None, None] + b[None, :, None, None]";
    let answer = move |i: usize| {
        let channel = i / (side * side) % channels;
        vx(i) * vs(channel) + vb(channel)
    };
    Case::new(&shape, Mode::Into, &[&x, &s, &b], python, answer)
        .ours(|| &x.ours * s.ours.along([1]) + b.ours.along([1]))
        .roofline(Mix::Copy)
        .written(|| {
            let s = s.nd.view().insert_axis(Axis(1)).insert_axis(Axis(2));
            let b = b.nd.view().insert_axis(Axis(1)).insert_axis(Axis(2));
            &x.nd * &s + b
        })
        .best(|out| {
            let s = s.nd.view().insert_axis(Axis(1)).insert_axis(Axis(2));
            let b = b.nd.view().insert_axis(Axis(1)).insert_axis(Axis(2));
            let zip = Zip::from(out).and(&x.nd).and_broadcast(s).and_broadcast(b);
            zip.par_for_each(|o, &x, &s, &b| *o = x * s + b);
        })
        .judge(judge);
}

/// `[3, h, w] * [h, w]`: a mask on all channels.
pub fn mask<T: Value + Numeric + Mul<Output = T>>(size: Size, levels: u32, judge: Judge<'_>) {
    let (height, width) = (size.pick(2160, 240), size.pick(3840, 400));
    let shape = [3, height, width];
    let x = Input::<T, Rank<3>>::with_levels("x", &shape, levels);
    // Two levels: for u8, 0 and 1.
    let m = Input::<T, Rank<2>>::with_levels("m", &[height, width], 2);
    let (vx, vm) = (x.value(), m.value());
    Case::new(&shape, Mode::Into, &[&x, &m], "x * m", move |i| vx(i) * vm(i % (height * width)))
        .ours(|| &x.ours * m.ours.along([1, 2]))
        .roofline(Mix::Planes(3))
        .written(|| &x.nd * &m.nd)
        .best(|out| {
            Zip::from(out).and(&x.nd).and_broadcast(&m.nd).par_for_each(|o, &x, &m| *o = x * m)
        })
        .judge(judge);
}

/// `(a * b + a) * v - b`, with `v` along the rows.
pub fn chain(size: Size, judge: Judge<'_>) {
    let shape = super::matrix(size);
    let columns = shape[1];
    let (a, b) = (Input::<f32, Rank<2>>::new("a", &shape), Input::<f32, Rank<2>>::new("b", &shape));
    let v = Input::<f32, Rank<1>>::new("v", &[columns]);
    let (va, vb, vv) = (a.value(), b.value(), v.value());
    let answer = move |i| (va(i) * vb(i) + va(i)) * vv(i % columns) - vb(i);
    Case::new(&shape, Mode::Into, &[&a, &b, &v], "(a * b + a) * v - b", answer)
        .ours(|| (&a.ours * &b.ours + &a.ours) * v.ours.along([1]) - &b.ours)
        .roofline(Mix::Add)
        .written(|| (&a.nd * &b.nd + &a.nd) * &v.nd - &b.nd)
        .best(|out| {
            let zip = Zip::from(out).and(&a.nd).and(&b.nd).and_broadcast(&v.nd);
            zip.par_for_each(|o, &a, &b, &v| *o = (a * b + a) * v - b);
        })
        .judge(judge);
}

/// `[4096, 1, 64] + [1, 512, 64]`: 2^27 elements.
pub fn degenerate(size: Size, judge: Judge<'_>) {
    let shape = [size.pick(4096, 64), size.pick(512, 64), 64];
    let [n, m, inner] = shape;
    let (a, b) = (
        Input::<f32, Rank<3>>::new("a", &[n, 1, inner]),
        Input::<f32, Rank<3>>::new("b", &[1, m, inner]),
    );
    let (va, vb) = (a.value(), b.value());
    let answer = move |i: usize| {
        let (row, j, k) = (i / (m * inner), i / inner % m, i % inner);
        va(row * inner + k) + vb(j * inner + k)
    };
    Case::new(&shape, Mode::Into, &[&a, &b], "a + b", answer)
        .ours(|| &a.ours + &b.ours)
        .roofline(Mix::Fill)
        .written(|| &a.nd + &b.nd)
        .best(|out| {
            Zip::from(out)
                .and_broadcast(&a.nd)
                .and_broadcast(&b.nd)
                .par_for_each(|o, &a, &b| *o = a + b)
        })
        .judge(judge);
}

/// `x * sqrt(v)` along the rows: the root is worth computing once for each column.
pub fn hoist_sqrt(size: Size, judge: Judge<'_>) {
    let shape = super::matrix(size);
    let columns = shape[1];
    let (x, v) =
        (Input::<f32, Rank<2>>::new("x", &shape), Input::<f32, Rank<1>>::new("v", &[columns]));
    let (vx, vv) = (x.value(), v.value());
    Case::new(&shape, Mode::Into, &[&x, &v], "x * sqrt(v)", move |i| {
        vx(i) * vv(i % columns).sqrt()
    })
    .ours(|| &x.ours * v.ours.sqrt().along([1]))
    .roofline(Mix::Copy)
    .written(|| &x.nd * &v.nd.mapv(f32::sqrt))
    .best(|out| {
        let root = v.nd.mapv(f32::sqrt);
        Zip::from(out).and(&x.nd).and_broadcast(&root).par_for_each(|o, &x, &root| *o = x * root);
    })
    .judge(judge);
}

/// `[3, 5, 7, n] + [5]`, along axis 1.
pub fn axis_of_four(size: Size, judge: Judge<'_>) {
    let shape = [3, 5, 7, size.pick(100_000, 1000)];
    let below = shape[2] * shape[3];
    let (x, v) = (Input::<f32, Rank<4>>::new("x", &shape), Input::<f32, Rank<1>>::new("v", &[5]));
    let (vx, vv) = (x.value(), v.value());
    let answer = move |i: usize| vx(i) + vv(i / below % 5);
    Case::new(&shape, Mode::Into, &[&x, &v], "x + v[:, None, None]", answer)
        .ours(|| &x.ours + v.ours.along([1]))
        .roofline(Mix::Copy)
        .written(|| &x.nd + &v.nd.view().insert_axis(Axis(1)).insert_axis(Axis(2)))
        .best(|out| {
            let v = v.nd.view().insert_axis(Axis(1)).insert_axis(Axis(2));
            Zip::from(out).and(&x.nd).and_broadcast(v).par_for_each(|o, &x, &v| *o = x + v);
        })
        .judge(judge);
}
