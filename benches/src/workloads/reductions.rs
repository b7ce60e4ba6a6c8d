//! Reductions, scans and matrix products. All of them into new arrays: what there is to read is
//! what costs.

use super::Size;
use crate::case::{Case, Judge, Mode};
use crate::data::Input;
use crate::roofline::Mix;
use ndarray::parallel::prelude::*;
use ndarray::{Axis, Zip};
use zerostride::prelude::*;

/// The bytes of an input.
fn bytes<R: crate::data::NdRank>(x: &Input<f32, R>) -> usize {
    size_of::<f32>() * x.ours.len()
}

/// The sum of all elements.
pub fn sum_all(size: Size, judge: Judge<'_>) {
    let shape = super::matrix(size);
    let x = Input::<f32, Rank<2>>::new("x", &shape);
    let value = x.value();
    Case::<f32, Rank<0>>::new(&[], Mode::New, &[&x], "sum(x)", move |_| {
        (0..shape[0] * shape[1]).map(value).sum()
    })
    // What 2^25 additions in a row lose in `f32`.
    .tolerance(2e-2)
    .ours_new(|| x.ours.sum_axis(..))
    .roofline(Mix::Read(bytes(&x)))
    .written(|| ndarray::arr0(x.nd.sum()))
    .best(|out| {
        out[()] = x.nd.axis_chunks_iter(Axis(0), 64).into_par_iter().map(|part| part.sum()).sum()
    })
    .judge(judge);
}

/// The sums along an axis of a matrix.
pub fn sum_axis(size: Size, axis: usize, judge: Judge<'_>) {
    let shape = super::matrix(size);
    let x = Input::<f32, Rank<2>>::new("x", &shape);
    let value = x.value();
    let answer = move |i: usize| match axis {
        0 => (0..shape[0]).map(|row| value(row * shape[1] + i)).sum::<f64>(),
        _ => (0..shape[1]).map(|column| value(i * shape[1] + column)).sum(),
    };
    Case::<f32, Rank<1>>::new(
        &[shape[1 - axis]],
        Mode::New,
        &[&x],
        &format!("sum(x, {axis})"),
        answer,
    )
    .tolerance(1e-5)
    .ours_new(|| x.ours.sum_axis(axis))
    .roofline(Mix::Read(bytes(&x)))
    .written(|| x.nd.sum_axis(Axis(axis)))
    .best(|out| match axis {
        0 => {
            let parts = x.nd.axis_chunks_iter(Axis(0), shape[0].div_ceil(8)).into_par_iter();
            *out = parts
                .map(|part| part.sum_axis(Axis(0)))
                .reduce_with(|a, b| a + b)
                .expect("there are rows");
        }
        _ => Zip::from(out).and(x.nd.rows()).par_for_each(|out, row| *out = row.sum()),
    })
    .judge(judge);
}

/// The sums over a batch and all places of images, for each channel: what normalising them takes.
pub fn sum_axes(size: Size, judge: Judge<'_>) {
    let [n, c, hw] = [size.pick(128, 4), 64, size.pick(4096, 256)];
    let x = Input::<f32, Rank<3>>::new("x", &[n, c, hw]);
    let value = x.value();
    let answer = move |i: usize| {
        (0..n).map(|j| (0..hw).map(|k| value((j * c + i) * hw + k)).sum::<f64>()).sum::<f64>()
    };
    Case::<f32, Rank<1>>::new(&[c], Mode::New, &[&x], "sum(x, (0, 2))", answer)
        .tolerance(1e-5)
        .ours_new(|| x.ours.sum_axis([0, 2]))
        .roofline(Mix::Read(bytes(&x)))
        .written(|| x.nd.sum_axis(Axis(2)).sum_axis(Axis(0)))
        .best(|out| {
            Zip::from(out)
                .and(x.nd.axis_iter(Axis(1)))
                .par_for_each(|out, channel| *out = channel.sum())
        })
        .judge(judge);
}

/// The largest element of each row.
pub fn max_axis(size: Size, judge: Judge<'_>) {
    let shape = super::matrix(size);
    let x = Input::<f32, Rank<2>>::new("x", &shape);
    let value = x.value();
    let answer = move |i: usize| {
        (0..shape[1]).map(|j| value(i * shape[1] + j)).fold(f64::NEG_INFINITY, f64::max)
    };
    Case::<f32, Rank<1>>::new(&[shape[0]], Mode::New, &[&x], "amax(x, 1)", answer)
        .ours_new(|| x.ours.max_axis(1))
        .roofline(Mix::Read(bytes(&x)))
        .written(|| x.nd.map_axis(Axis(1), |row| row.fold(f32::NEG_INFINITY, |a, &b| a.max(b))))
        .best(|out| {
            let rows = Zip::from(out).and(x.nd.rows());
            rows.par_for_each(|out, row| *out = row.fold(f32::NEG_INFINITY, |a, &b| a.max(b)));
        })
        .judge(judge);
}

/// The first of the largest elements of each row.
pub fn argmax_axis(size: Size, judge: Judge<'_>) {
    let shape = super::matrix(size);
    let x = Input::<f32, Rank<2>>::new("x", &shape);
    let value = x.value();
    let first = |row: &dyn Fn(usize) -> f64| {
        (0..shape[1]).fold(0, |best, j| if row(j) > row(best) { j } else { best }) as f64
    };
    let argmax = |row: ndarray::ArrayView1<'_, f32>| {
        row.iter()
            .enumerate()
            .fold((0, f32::NEG_INFINITY), |best, (j, &x)| if x > best.1 { (j, x) } else { best })
            .0
    };
    let answer = move |i: usize| first(&|j| value(i * shape[1] + j));
    Case::<usize, Rank<1>>::new(&[shape[0]], Mode::New, &[&x], "argmax(x, 1)", answer)
        .ours_new(|| x.ours.argmax_axis(1))
        .roofline(Mix::Read(bytes(&x)))
        .written(|| x.nd.map_axis(Axis(1), argmax))
        .best(|out| Zip::from(out).and(x.nd.rows()).par_for_each(|out, row| *out = argmax(row)))
        .judge(judge);
}

/// The variance of each column.
pub fn var_axis(size: Size, judge: Judge<'_>) {
    let shape = super::matrix(size);
    let x = Input::<f32, Rank<2>>::new("x", &shape);
    let value = x.value();
    let answer = move |i: usize| {
        let column = || (0..shape[0]).map(|row| value(row * shape[1] + i));
        let mean = column().sum::<f64>() / shape[0] as f64;
        column().map(|x| (x - mean).powi(2)).sum::<f64>() / shape[0] as f64
    };
    Case::<f32, Rank<1>>::new(&[shape[1]], Mode::New, &[&x], "var(x, 0)", answer)
        .tolerance(1e-3)
        .ours_new(|| x.ours.var_axis(0, 0.0))
        .roofline(Mix::Read(bytes(&x)))
        .written(|| x.nd.var_axis(Axis(0), 0.0))
        .best(|out| {
            let columns = out.axis_chunks_iter_mut(Axis(0), 256).into_par_iter();
            let parts = columns.zip(x.nd.axis_chunks_iter(Axis(1), 256));
            parts.for_each(|(mut out, x)| out.assign(&x.var_axis(Axis(0), 0.0)));
        })
        .judge(judge);
}

/// The squared distance of each row of one matrix from that of another.
pub fn squared_distances(size: Size, judge: Judge<'_>) {
    let shape = super::matrix(size);
    let (x, y) = (Input::<f32, Rank<2>>::new("x", &shape), Input::<f32, Rank<2>>::new("y", &shape));
    let (vx, vy) = (x.value(), y.value());
    let answer = move |i: usize| {
        let row = i * shape[1]..(i + 1) * shape[1];
        row.map(|at| (vx(at) - vy(at)).powi(2)).sum::<f64>()
    };
    Case::<f32, Rank<1>>::new(
        &[shape[0]],
        Mode::New,
        &[&x, &y],
        "sum((x - y) * (x - y), 1)",
        answer,
    )
    .tolerance(1e-5)
    .ours_new(|| ((&x.ours - &y.ours) * (&x.ours - &y.ours)).sum_axis(1))
    .roofline(Mix::Read(2 * bytes(&x)))
    .written(|| (&x.nd - &y.nd).mapv(|x| x * x).sum_axis(Axis(1)))
    .best(|out| {
        Zip::from(out).and(x.nd.rows()).and(y.nd.rows()).par_for_each(|out, x, y| {
            *out = Zip::from(x).and(y).fold(0.0, |sum, x, y| sum + (x - y) * (x - y));
        });
    })
    .judge(judge);
}

/// Softmax of each row.
pub fn softmax(size: Size, judge: Judge<'_>) {
    let shape = super::matrix(size);
    let x = Input::<f32, Rank<2>>::new("x", &shape);
    let value = x.value();
    // The sums, and the largest element, of which there is one in every row, or nearly.
    let sums: Vec<f64> = (0..shape[0])
        .into_par_iter()
        .map(|i| (0..shape[1]).map(|j| (value(i * shape[1] + j) - 16.0).exp()).sum())
        .collect();
    let answer = |i: usize| (value(i) - 16.0).exp() / sums[i / shape[1]];
    let normal = |x: ndarray::ArrayView1<'_, f32>, out: ndarray::ArrayViewMut1<'_, f32>| {
        let max = x.fold(f32::NEG_INFINITY, |a, &b| a.max(b));
        let mut sum = 0.0;
        Zip::from(out).and(x).for_each(|out, &x| {
            *out = (x - max).exp();
            sum += *out;
        });
        sum
    };
    Case::<f32, Rank<2>>::new(&shape, Mode::New, &[&x], "softmax(x, 1)", answer)
        .ours_new(|| x.ours.softmax(1))
        .roofline(Mix::Copy)
        .written(|| {
            let max = x.nd.map_axis(Axis(1), |row| row.fold(f32::NEG_INFINITY, |a, &b| a.max(b)));
            let mut out = (&x.nd - &max.insert_axis(Axis(1))).mapv(f32::exp);
            out /= &out.sum_axis(Axis(1)).insert_axis(Axis(1));
            out
        })
        .best(|out| {
            Zip::from(x.nd.rows()).and(out.rows_mut()).par_for_each(|x, mut out| {
                let sum = normal(x, out.view_mut());
                out /= sum;
            });
        })
        .judge(judge);
}

/// The squared distances of points from centres.
pub fn kmeans(size: Size, judge: Judge<'_>) {
    let [points, centres, dims] = [size.pick(65536, 512), 64, 32];
    let x = Input::<f32, Rank<3>>::new("x", &[points, 1, dims]);
    let c = Input::<f32, Rank<3>>::new("c", &[1, centres, dims]);
    let (vx, vc) = (x.value(), c.value());
    let answer = move |i: usize| {
        let (point, centre) = (i / centres * dims, i % centres * dims);
        (0..dims).map(|d| (vx(point + d) - vc(centre + d)).powi(2)).sum::<f64>()
    };
    let shape = [points, centres];
    Case::<f32, Rank<2>>::new(&shape, Mode::New, &[&x, &c], "sum((x - c) * (x - c), 2)", answer)
        .tolerance(1e-5)
        .ours_new(|| (&x.ours - &c.ours).square().sum_axis(2))
        .roofline(Mix::Copy)
        .written(|| (&x.nd - &c.nd).mapv(|x| x * x).sum_axis(Axis(2)))
        .best(|out| {
            let c = c.nd.index_axis(Axis(0), 0);
            Zip::from(out.rows_mut()).and(x.nd.outer_iter()).par_for_each(|mut out, x| {
                let x = x.row(0);
                for (out, c) in out.iter_mut().zip(c.rows()) {
                    *out = x.iter().zip(c).map(|(x, c)| (x - c) * (x - c)).sum();
                }
            });
        })
        .judge(judge);
}

/// The cumulative sums along an axis of a matrix.
pub fn cumsum(size: Size, axis: usize, judge: Judge<'_>) {
    let shape = super::matrix(size);
    let x = Input::<f32, Rank<2>>::new("x", &shape);
    let value = x.value();
    // Few different columns or rows are enough to see whether it is right.
    let mut sums = ndarray::Array2::from_shape_fn(shape, |(i, j)| value(i * shape[1] + j));
    sums.accumulate_axis_inplace(Axis(axis), |&before, sum| *sum += before);
    let sums = sums.into_raw_vec_and_offset().0;
    Case::<f32, Rank<2>>::new(&shape, Mode::New, &[&x], &format!("cumsum(x, {axis})"), |i| sums[i])
        .tolerance(1e-5)
        .ours_new(|| x.ours.cumsum(axis))
        .roofline(Mix::Copy)
        .written(|| {
            let mut out = x.nd.clone();
            out.accumulate_axis_inplace(Axis(axis), |&before, sum| *sum += before);
            out
        })
        .best(|out| {
            let other = Axis(1 - axis);
            let parts = out.axis_chunks_iter_mut(other, 256).into_par_iter();
            parts.zip(x.nd.axis_chunks_iter(other, 256)).for_each(|(mut out, x)| {
                out.assign(&x);
                out.accumulate_axis_inplace(Axis(axis), |&before, sum| *sum += before);
            });
        })
        .judge(judge);
}

/// The product of two matrices of 2^20 elements.
pub fn matmul(size: Size, judge: Judge<'_>) {
    let n = size.pick(1024, 64);
    let (a, b) =
        (Input::<f32, Rank<2>>::new("a", &[n, n]), Input::<f32, Rank<2>>::new("b", &[n, n]));
    let (va, vb) = (a.value(), b.value());
    let answer = move |i: usize| (0..n).map(|k| va(i / n * n + k) * vb(k * n + i % n)).sum::<f64>();
    Case::<f32, Rank<2>>::new(&[n, n], Mode::New, &[&a, &b], "matmul(a, b)", answer)
        .tolerance(1e-5)
        .ours_new(|| a.ours.matmul(&b.ours))
        .roofline(Mix::Add)
        .written(|| a.nd.dot(&b.nd))
        .best(|out| {
            let rows = out.axis_chunks_iter_mut(Axis(0), n / 2).into_par_iter();
            rows.zip(a.nd.axis_chunks_iter(Axis(0), n / 2)).for_each(|(mut out, a)| {
                ndarray::linalg::general_mat_mul(1.0, &a, &b.nd, 0.0, &mut out);
            });
        })
        .judge(judge);
}

/// The sum of few elements.
pub fn small(len: usize, judge: Judge<'_>) {
    let x = Input::<f32, Rank<1>>::new("x", &[len]);
    let value = x.value();
    Case::<f32, Rank<0>>::new(&[], Mode::New, &[&x], "sum(x)", move |_| (0..len).map(value).sum())
        .ours_new(|| Ok(Array0::from_elem((), x.ours.sum()?)))
        .roofline(Mix::Read(bytes(&x)))
        .written(|| ndarray::arr0(x.nd.sum()))
        .best(|out| out[()] = x.nd.sum())
        .judge(judge);
}
