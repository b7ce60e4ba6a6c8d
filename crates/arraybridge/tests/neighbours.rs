//! To other crates and back, by all layouts: the same elements, in the same place. What other
//! crates compute of views is compared with plain definitions.

use arraybridge::arrow::IntoArrow;
use arraybridge::faer::AsFaer;
use arraybridge::image::{IntoImage, flat_samples};
use arraybridge::nalgebra::{AsNalgebra, IntoNalgebra};
use arraybridge::{BridgeError, IntoArray, IntoView};
use arrow_array::types::{Float32Type, Float64Type, Int32Type};
use arrow_array::{Array as _, FixedSizeListArray, Float64Array, Int32Array, PrimitiveArray};
use bcast::Broadcast;
use elementwise::{
    Array1, Array2, Array3, Expr, Matrix, Reductions, UnaryMethods, View2, ViewMut2,
};
use image::{ImageBuffer, Luma, Rgb, RgbImage};
use ndcore::{ShapeBuilder, s};

/// Awkward layouts of rank 2.
fn layouts(each: &mut dyn FnMut(&str, View2<'_, f64>)) {
    let a = Array2::from_fn([5, 7], |[i, j]| (10 * i + j) as f64);
    let view = a.view();
    each("rows", view);
    each("columns", view.t());
    each("rows backwards", view.flip(0).unwrap());
    each("all backwards", view.flip(0).unwrap().flip(1).unwrap());
    each("columns backwards", view.t().flip(1).unwrap());
    each("stepped", view.slice(s![..;2, 1..;3]).unwrap());
    each("stepped backwards", view.slice(s![..;-2, ..;-3]).unwrap());
    each("gapped", view.slice(s![1..4, 2..6]).unwrap());
    each("a repeated row", view.slice(s![..1, ..]).unwrap().broadcast_to([6, 7]).unwrap());
    each("one repeated", view.slice(s![..1, ..1]).unwrap().broadcast_to([3, 4]).unwrap());
    each("one", view.slice(s![2..3, 3..4]).unwrap());
    each("one row backwards", view.slice(s![2..3, ..]).unwrap().flip(0).unwrap());
    each("no rows", view.slice(s![..0, ..]).unwrap());
    each("no columns", view.slice(s![.., 7..]).unwrap());
}

fn fails(failures: Vec<String>) {
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn views_go_to_faer_and_back() {
    let mut failures = Vec::new();
    layouts(&mut |name, ours| {
        let theirs = ours.as_faer();
        let elements = (0..theirs.nrows()).flat_map(|i| (0..theirs.ncols()).map(move |j| (i, j)));
        let elements: Vec<f64> = elements.map(|(i, j)| theirs[(i, j)]).collect();
        let back = theirs.into_view();
        if elements != ours.to_vec() || back != ours || back.shape() != ours.shape() {
            failures.push(format!("{name}: {elements:?}, back {back:?}"));
        }
        if !ours.is_empty() && (back.strides() != ours.strides() || back.as_ptr() != ours.as_ptr())
        {
            failures.push(format!("{name}: strides {:?} of {:?}", back.strides(), ours.strides()));
        }
        // Its own algorithms go by the same strides.
        let product = theirs * theirs.transpose();
        let expected = ours.matmul(&ours.t()).unwrap();
        if product.as_ref().into_view() != expected {
            failures.push(format!("{name}: the product with itself transposed"));
        }
        for column in ours.columns() {
            if column.as_faer().into_view() != column {
                failures.push(format!("{name}: a column"));
            }
        }
    });
    fails(failures);
}

#[test]
fn faer_writes_where_views_lie() {
    let mut a = Array2::<f64>::zeros([4, 6]);
    let (left, right) = a.view_mut().split_at(1, 3).unwrap();
    // Two halves that lie between each other, written at a time.
    let (mut left, mut right) = (left.as_faer(), right.as_faer());
    left.fill(1.0);
    right.fill(2.0);
    let mut back: ViewMut2<f64> = right.into_view();
    back[[3, 0]] = 9.0;
    left.into_view().row_mut(0).as_faer().fill(5.0);
    let expected = [[5, 5, 5, 2, 2, 2], [1, 1, 1, 2, 2, 2], [1, 1, 1, 2, 2, 2], [1, 1, 1, 9, 2, 2]];
    assert_eq!(a, Array2::from_fn([4, 6], |[i, j]| f64::from(expected[i][j])));
}

#[test]
fn faer_decomposes_views() {
    let mut failures = Vec::new();
    let base = Array2::from_fn([8, 10], |[i, j]| ((i * 7 + j * 3) % 11) as f64 - 4.0);
    let views = [
        ("rows", base.slice(s![..6, ..6]).unwrap()),
        ("columns", base.slice(s![..6, ..6]).unwrap().t()),
        ("backwards", base.slice(s![..6;-1, ..6;-1]).unwrap()),
        ("stepped", base.slice(s![2.., ..;2]).unwrap().slice(s![..5, ..]).unwrap()),
    ];
    let close = |a: View2<'_, f64>, b: View2<'_, f64>| {
        a.shape() == b.shape() && (a - b).abs().max().unwrap() < 1e-9
    };
    for (name, a) in views {
        let symmetric = (a.matmul(&a.t()).unwrap() + Array2::eye(a.nrows())).eval().unwrap();
        let b = Array2::from_fn([a.nrows(), 2], |[i, j]| (i + j) as f64);
        use faer::linalg::solvers::Solve;
        let x = a.as_faer().full_piv_lu().solve(b.as_faer());
        if !close(a.matmul(&x.as_ref().into_view()).unwrap().view(), b.view()) {
            failures.push(format!("{name}: solve"));
        }
        let llt = symmetric.as_faer().llt(faer::Side::Lower).unwrap();
        let l = llt.L().into_view();
        if !close(l.matmul(&l.t()).unwrap().view(), symmetric.view()) {
            failures.push(format!("{name}: Cholesky"));
        }
        let qr = a.as_faer().qr();
        let (q, r) = (qr.compute_thin_Q(), qr.thin_R().to_owned());
        if !close(q.as_ref().into_view().matmul(&r.as_ref().into_view()).unwrap().view(), a) {
            failures.push(format!("{name}: QR"));
        }
        let svd = a.as_faer().thin_svd().unwrap();
        let (u, v) = (svd.U().into_view(), svd.V().into_view());
        let values = svd.S().column_vector().into_view();
        let scaled = Array2::from_fn([u.nrows(), values.len()], |[i, j]| u[[i, j]] * values[j]);
        if !close(scaled.matmul(&v.t()).unwrap().view(), a) {
            failures.push(format!("{name}: SVD"));
        }
        let eigen = symmetric.as_faer().self_adjoint_eigenvalues(faer::Side::Lower).unwrap();
        let trace = symmetric.diag().sum().unwrap();
        if (eigen.iter().sum::<f64>() - trace).abs() > 1e-9 {
            failures.push(format!("{name}: eigenvalues {eigen:?}, trace {trace}"));
        }
    }
    fails(failures);
}

#[test]
fn views_go_to_nalgebra_and_back() {
    let (mut failures, mut gone) = (Vec::new(), 0);
    let mut each = |name: &str, ours: View2<'_, f64>| {
        let ([rows, columns], [down, right]) = (ours.dim(), [ours.strides()[0], ours.strides()[1]]);
        let theirs = match ours.as_nalgebra() {
            Ok(theirs) if (rows <= 1 || down == 1) && (columns <= 1 || right >= 0) => theirs,
            Err(BridgeError::ColumnStride { stride }) if rows > 1 && stride == down => return,
            Err(BridgeError::NegativeStride { axis: 1, stride, .. }) if stride == right => return,
            other => return failures.push(format!("{name}: {other:?}")),
        };
        gone += 1;
        let elements: Vec<f64> = theirs.transpose().iter().copied().collect();
        let back = theirs.into_view();
        if elements != ours.to_vec() || back != ours || back.shape() != ours.shape() {
            failures.push(format!("{name}: {elements:?}, back {back:?}"));
        }
        if !ours.is_empty() && back.as_ptr() != ours.as_ptr() {
            failures.push(format!("{name}: copied"));
        }
        let product = theirs * theirs.transpose();
        if (&product).into_view() != ours.matmul(&ours.t()).unwrap() {
            failures.push(format!("{name}: the product with itself transposed"));
        }
        for column in ours.columns() {
            if column.as_nalgebra().unwrap().into_view().column(0) != column {
                failures.push(format!("{name}: a column"));
            }
        }
    };
    layouts(&mut each);
    layouts(&mut |name, ours| each(&format!("{name}, transposed"), ours.t()));
    if gone < 8 {
        failures.push(format!("{gone} layouts only"));
    }
    fails(failures);
    let stepped = Array1::from_vec(vec![1, 2, 3]).slice_move(s![..;2]).unwrap();
    assert_eq!(stepped.as_nalgebra().unwrap_err(), BridgeError::ColumnStride { stride: 2 });
}

#[test]
fn nalgebra_writes_where_views_lie() {
    // Columns of six, of which one matrix has the upper three rows and the other one the lower
    // three.
    let mut a = Array2::<i32>::zeros([6, 4].f());
    let (left, right) = a.view_mut().split_at(0, 3).unwrap();
    let (mut left, mut right) = (left.as_nalgebra().unwrap(), right.as_nalgebra().unwrap());
    left.fill(1);
    right.fill(2);
    right.into_view()[[0, 3]] = 9;
    left.into_view().column_mut(0).as_nalgebra().unwrap().fill(5);
    let expected = [[5, 5, 5, 2, 2, 2], [1, 1, 1, 2, 2, 2], [1, 1, 1, 2, 2, 2], [1, 1, 1, 9, 2, 2]];
    assert_eq!(a, Array2::from_fn([6, 4], |[i, j]| expected[j][i]));

    let mut fixed = nalgebra::Matrix2x3::new(1, 2, 3, 4, 5, 6);
    assert_eq!(fixed.fixed_view::<2, 3>(0, 0).into_view()[[1, 0]], 4);
    fixed.fixed_view_mut::<2, 3>(0, 0).into_view()[[1, 0]] = 7;
    assert_eq!(fixed[(1, 0)], 7);
}

#[test]
fn owned_matrices_change_hands() {
    let columns = Array2::from_fn([3, 4].f(), |[i, j]| 10 * i + j);
    let (first, expected) = (columns.as_ptr(), columns.clone());
    let theirs = columns.into_nalgebra();
    assert_eq!((theirs.as_ptr(), theirs[(2, 1)]), (first, 21));
    let back = theirs.into_array();
    assert_eq!((back.as_ptr(), &back), (first, &expected));
    // In another order, they are copied into that of nalgebra.
    let rows = Array2::from_fn([3, 4], |[i, j]| 10 * i + j);
    assert_eq!(rows.into_nalgebra().into_array(), expected);
    let vector = Array1::from_vec(vec![1, 2, 3]);
    let first = vector.as_ptr();
    let back = vector.into_nalgebra().into_array();
    assert_eq!((back.as_ptr(), back.to_vec()), (first, vec![1, 2, 3]));
    let none = Array2::<f32>::zeros([0, 3]).into_nalgebra().into_array();
    assert_eq!(none.shape(), [0, 3]);
}

#[test]
fn columns_of_arrow() {
    let column = Int32Array::from(vec![1, 2, 3, 4, 5]);
    assert_eq!(column.into_view().unwrap().to_vec(), [1, 2, 3, 4, 5]);
    // A part of a column begins elsewhere.
    let part = column.slice(1, 3);
    assert_eq!(part.into_view().unwrap().to_vec(), [2, 3, 4]);
    // Nulls outside of the part do not count.
    let gaps = Int32Array::from(vec![None, Some(2), Some(3), None]);
    assert_eq!(gaps.slice(1, 2).into_view().unwrap().to_vec(), [2, 3]);
    assert_eq!(gaps.into_view(), Err(BridgeError::Nulls { count: 2, len: 4 }));
    assert_eq!(gaps.into_array(), Err(BridgeError::Nulls { count: 2, len: 4 }));

    for n in [0, 1, 5, 100_000] {
        let array: Array1<f64> = (0..n).map(f64::from).collect();
        let large = Array1::<f64>::full([n as usize], 0.5);
        for array in [array, large] {
            let (first, expected) = (array.as_ptr(), array.clone());
            let column: Float64Array = array.into_arrow();
            assert_eq!(column.into_view().unwrap(), expected, "{n}");
            if n > 0 {
                assert_eq!(column.values().as_ptr(), first, "{n}: the memory is handed over");
            }
            let back = column.into_array().unwrap();
            assert_eq!(back, expected, "{n}");
        }
    }
    // Shared memory is copied, and what lies otherwise is put into order.
    let shared = Float64Array::from(vec![1.0, 2.0]);
    let other = shared.clone();
    assert_eq!(shared.into_array().unwrap().to_vec(), other.values().to_vec());
    let stepped = Array1::from_vec(vec![1.0, 2.0, 3.0]).slice_move(s![..;-2]).unwrap();
    let stepped: PrimitiveArray<Float64Type> = stepped.into_arrow();
    assert_eq!(stepped.values()[..], [3.0, 1.0]);
}

#[test]
fn lists_of_arrow_are_matrices() {
    use arraybridge::arrow::{matrix, rows};
    for shape in [[3, 4], [0, 4], [3, 0], [1, 1]] {
        let array = Array2::from_fn(shape, |[i, j]| (10 * i + j) as i32);
        for array in [array.clone(), array.reversed_axes()] {
            let lists = rows::<Int32Type>(array.clone()).unwrap();
            assert_eq!(lists.len(), array.nrows());
            assert_eq!(matrix::<Int32Type>(&lists).unwrap(), array);
        }
    }
    let lists = rows::<Int32Type>(Array2::from_fn([5, 2], |[i, j]| (10 * i + j) as i32)).unwrap();
    let part = lists.slice(1, 3);
    assert_eq!(matrix::<Int32Type>(&part).unwrap().to_vec(), [10, 11, 20, 21, 30, 31]);
    let refused = matrix::<Float32Type>(&lists).unwrap_err();
    assert_eq!(refused.to_string(), "the elements are Int32, not Float32");
    let gaps = FixedSizeListArray::from_iter_primitive::<Int32Type, _, _>(
        vec![Some(vec![Some(1), Some(2)]), None],
        2,
    );
    assert_eq!(matrix::<Int32Type>(&gaps), Err(BridgeError::Nulls { count: 1, len: 2 }));
    let gaps = FixedSizeListArray::from_iter_primitive::<Int32Type, _, _>(
        vec![Some(vec![Some(1), None])],
        2,
    );
    assert_eq!(matrix::<Int32Type>(&gaps), Err(BridgeError::Nulls { count: 1, len: 2 }));
}

#[test]
fn pictures_go_there_and_back() {
    let mut picture = RgbImage::from_fn(5, 3, |x, y| Rgb([x as u8, y as u8, (x * y) as u8]));
    let first = picture.as_ptr();
    assert_eq!(picture.into_view().shape(), [3, 5, 3]);
    (&mut picture).into_view()[[2, 4, 1]] = 200;
    assert_eq!(picture.get_pixel(4, 2), &Rgb([4, 200, 8]));
    let array = picture.clone().into_array();
    let back: RgbImage = array.into_image().unwrap();
    assert_eq!(back, picture);
    let array: Array3<u8> = picture.into_array();
    let same: RgbImage = array.into_image().unwrap();
    assert_eq!(same.as_ptr(), first);
    // Memory longer than the picture needs.
    let long = ImageBuffer::<Luma<u16>, _>::from_raw(2, 2, vec![7; 9]).unwrap();
    assert_eq!(long.into_view().shape(), [2, 2, 1]);
    assert_eq!(long.into_array().to_vec(), [7; 4]);
    // Another order is copied.
    let again = same.clone().into_array();
    let turned = again.permuted_axes([1, 0, 2]).unwrap();
    let turned: RgbImage = turned.to_owned().into_image().unwrap();
    assert_eq!(turned.get_pixel(2, 4), same.get_pixel(4, 2));
    let refused: Result<RgbImage, _> = Array3::<u8>::zeros([2, 2, 4]).into_image();
    assert!(matches!(refused, Err(BridgeError::Channels { channels: 3, .. })));
}

#[test]
fn samples_by_strides() {
    let a = Array3::from_fn([4, 5, 3], |[i, j, k]| (100 * i + 10 * j + k) as u16);
    let view = a.view();
    let mut failures = Vec::new();
    for (name, view, fits) in [
        ("rows", view, true),
        ("turned", view.permuted_axes([1, 0, 2]).unwrap(), true),
        ("planes", view.permuted_axes([1, 2, 0]).unwrap(), true),
        ("backwards", view.flip(1).unwrap(), false),
        ("gapped", view.slice(s![.., 1..3, ..]).unwrap(), false),
        ("one row backwards", view.slice(s![..1, .., ..]).unwrap().flip(0).unwrap(), true),
        ("repeated", view.slice(s![..1, .., ..]).unwrap().broadcast_to([3, 5, 3]).unwrap(), false),
    ] {
        match (flat_samples(view), fits) {
            (Ok(flat), true) => {
                let [height, width, channels] = view.dim();
                for i in 0..height {
                    for j in 0..width {
                        for k in 0..channels {
                            let found = flat.get_sample(k as u8, j as u32, i as u32);
                            if found != Some(&view[[i, j, k]]) {
                                failures.push(format!("{name} [{i}, {j}, {k}]: {found:?}"));
                            }
                        }
                    }
                }
            }
            (Err(BridgeError::NegativeStride { axis: 1, .. }), false) if name == "backwards" => {}
            (Err(BridgeError::NotOnePiece { .. }), false) => {}
            (other, _) => failures.push(format!("{name}: {:?}", other.map(|flat| flat.layout))),
        }
    }
    let many = Array3::<u8>::zeros([1, 1, 300]);
    match flat_samples(many.view()) {
        Err(BridgeError::Extent { axis: 2, extent: 300, .. }) => {}
        other => failures.push(format!("300 channels: {:?}", other.map(|flat| flat.layout))),
    }
    fails(failures);
}

#[test]
fn matrices_are_drawn() {
    use arraybridge::image::{ColourMap, picture, picture_between};
    let extremes = [f64::NEG_INFINITY, -1.0, 0.0, 1.0, f64::INFINITY, f64::NAN];
    let row = Array2::from_fn([1, 6], |[_, j]| extremes[j]);
    for map in ColourMap::ALL {
        let drawn = picture(row.view(), map).unwrap();
        let colours: Vec<[u8; 3]> = drawn.pixels().map(|pixel| pixel.0).collect();
        let [low, middle, high] = [0.0, 0.5, 1.0].map(|share| map.colour(share));
        assert_eq!(colours, [low, low, middle, high, high, [255, 0, 255]], "{map:?}");
        // The same place, whichever way it lies.
        let turned = picture(row.t(), map).unwrap();
        assert_eq!((turned.dimensions(), turned.get_pixel(0, 3)), ((1, 6), drawn.get_pixel(3, 0)));
    }
    let halves = Array2::<half::f16>::ones([2, 2]);
    let drawn = picture(halves.view(), ColourMap::CoolWarm).unwrap();
    assert!(drawn.pixels().all(|pixel| pixel.0 == [221, 221, 221]), "one number is the middle");
    let huge = Array2::from_fn([1, 2], |[_, j]| [f64::MIN, f64::MAX][j]);
    let drawn = picture(huge.view(), ColourMap::Grey).unwrap();
    assert_eq!((drawn.get_pixel(0, 0).0, drawn.get_pixel(1, 0).0), ([0; 3], [255; 3]));
    let fixed = picture_between(huge.view(), 0.0, 1.0, ColourMap::Grey).unwrap();
    assert_eq!(fixed.get_pixel(1, 0).0, [255; 3]);
    assert_eq!(picture(Array2::<f32>::zeros([0, 3]).view(), ColourMap::Grey).unwrap().len(), 0);
    let one = Array2::<f32>::ones([1, 1]);
    let wide = one.view().broadcast_to([1 << 31, 1 << 31]).unwrap();
    assert!(matches!(
        picture_between(wide, 0.0, 1.0, ColourMap::Grey),
        Err(BridgeError::Layout(_))
    ));
    let long = one.view().broadcast_to([1, 1 << 33]).unwrap();
    assert!(matches!(
        picture_between(long, 0.0, 1.0, ColourMap::Grey),
        Err(BridgeError::Extent { axis: 1, .. })
    ));
}

#[test]
fn a_pass_from_arrow_to_a_picture() {
    let column = Float64Array::from_iter_values((0..12).map(f64::from));
    let grey = column.into_view().unwrap().to_shape([3, 4, 1]).unwrap().to_owned();
    let grey: Array3<u8> = (grey * 20.0).cast::<u8>().eval().unwrap();
    let picture: ImageBuffer<Luma<u8>, Vec<u8>> = grey.into_image().unwrap();
    assert_eq!(picture.get_pixel(3, 2), &Luma([220]));
}
