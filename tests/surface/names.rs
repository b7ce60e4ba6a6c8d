//! The names of `ndarray`: each has a line in the page on migrating, and those that the page calls
//! the same are there. When one of them disappears, this does not compile.

use zerostride::prelude::*;
use zerostride::{
    ArcArray, ArcArray1, ArcArray2, Complex, CowArray, Error, MeshIndex, NewAxis, Order,
    concatenate, iter, kron, meshgrid, stack,
};

/// The page on migrating, and every public name of `ndarray` 0.17.
const PAGE: &str = include_str!("../../docs/migrating-from-ndarray.md");
const NAMES: &str = include_str!("../data/ndarray-0.17-names.txt");

#[test]
fn each_name_has_a_line() {
    let section = PAGE.split("## Every name").nth(1).expect("the section");
    let first_columns = section.lines().filter(|line| line.starts_with('|'));
    let listed: Vec<&str> = first_columns
        .flat_map(|line| line.split(" | ").next().expect("a column").split('`').skip(1).step_by(2))
        .map(|name| name.trim_end_matches('!'))
        .collect();
    let missing: Vec<&str> = NAMES.lines().filter(|name| !listed.contains(name)).collect();
    assert!(missing.is_empty(), "no line for {missing:?}");
    assert!(NAMES.lines().count() > 450);
}

/// Uses each expression.
macro_rules! used {
    ($($expression:expr),* $(,)?) => {
        $( let _ = $expression; )*
    };
}

#[test]
fn constructors_are_there() -> Result<(), Error> {
    used!(
        Array2::<f64>::zeros((2, 3)),
        Array2::<f64>::ones((2, 3).f()),
        Array2::<f64>::eye(2),
        Array2::from_elem((2, 3), 1.0),
        Array2::full((2, 3), 1.0),
        Array2::from_shape_fn((2, 3), |(i, j)| i + j),
        Array1::from_shape_fn(3, |i| i),
        Array2::from_shape_simple_fn((2, 3), || 1),
        Array2::from_fn((2, 3), |[i, j]| i + j),
        Array2::from_shape_vec((1, 2), vec![1, 2])?,
        Array2::from_shape_vec(((1, 2), Order::F), vec![1, 2])?,
        Array1::from_vec(vec![1]),
        Array1::from_iter(0..3),
        Array2::from_diag(&array![1, 2]),
        Array2::from_diag_elem(2, 7),
        Array1::linspace(0.0, 1.0, 3),
        Array1::logspace(10.0, 0.0, 1.0, 3),
        Array1::geomspace(1.0, 2.0, 3)?,
        Array1::range(0, 3, 1)?,
        Array1::<f32>::uninit(3)?,
        Array1::<f32>::default(3),
        Array2::from(vec![[1, 2]]),
        Array2::try_from(vec![vec![1, 2]])?,
        View1::from(&[1, 2][..]),
        View2::from(&[[1, 2]]),
        View2::from_slice((1, 2), &[1, 2])?,
        meshgrid((&array![1], &array![2]), MeshIndex::XY)?,
    );
    let mut data = [1, 2];
    used!(ViewMut1::from(&mut data[..]), ViewMut2::from_slice((1, 2), &mut data)?);
    Ok(())
}

#[test]
fn methods_are_there() -> Result<(), Error> {
    let mut a = array![[1.0, 2.0], [3.0, 4.0]];
    used!(
        a.shape(),
        a.strides(),
        a.ndim(),
        a.len(),
        a.is_empty(),
        a.len_of(Axis(0)),
        a.stride_of(Axis(0)),
        a.is_standard_layout(),
        a.dim(),
        a.nrows(),
        a.ncols(),
        a.is_square(),
        a.t(),
        a.clone().reversed_axes(),
        a.permuted_axes([1, 0])?,
        a.swap_axes(Axis(0), 1)?,
        a.flip(Axis(0))?,
        a.insert_axis(Axis(0))?,
        a.slice(s![..1, ..])?.remove_axis(Axis(0))?,
        a.squeeze(),
        a.merge_axes(Axis(0), Axis(1))?,
        a.to_shape(4)?,
        a.to_shape((4, Order::F))?,
        a.clone().into_shape_with_order(4)?,
        a.clone().into_shape(4)?,
        a.flatten(),
        a.clone().into_flat(),
        a.as_standard_layout(),
        a.broadcast_to([3, 2, 2])?,
        a.clone().into_dyn(),
        a.clone().into_dyn().into_rank::<Rank<2>>()?,
        a.get((0, 0)),
        a.first(),
        a.last(),
        a.as_ptr(),
        a.as_slice(),
        a.as_slice_memory_order(),
        a.slice(s![0, NewAxis, ..])?,
        a.clone().slice_move(s![.., 0])?,
        a.slice_axis(Axis(0), 0..1, 1)?,
        a.index_axis(Axis(0), 0)?,
        a.clone().index_axis_move(Axis(0), 0)?,
        a.clone().slice_axis_move(Axis(1), 1.., 1)?,
        a.take(Axis(0), &[0, 0])?,
        a.take(0, &vec![0, 0])?,
        a.take(0, &a.row(0).argsort(0)?)?,
        a.select(Axis(0), &[0, 0])?,
        a.view().select(Axis(1), &array![1].view())?,
        a.compress_axis(0, &a.column(0).greater(2.0).eval()?)?,
        a.part(s![.., 1..]),
        a.clone().permute([1, 0])?,
        a.permuted_axes([Axis(1), Axis(0)])?,
        a.row(0).broadcast_in_dim([3, 2], [Axis(1)])?,
        (&a + a.row(0).along([Axis(1)])).eval()?,
        a.var(1_u8)?,
        a.compress(a.greater(2.0))?,
        a.compress_axis(Axis(0), &[true, false])?,
        a.row(0),
        a.column(0),
        a.diag(),
        a.clone().into_diag(),
        a.view().split_at(Axis(0), 1)?,
        a.zeros_like(),
        a.ones_like(),
        a.full_like(1),
        a.roll(Axis(0), 1)?,
        a.tile([2, 2])?,
        a.repeat(Axis(1), 2)?,
        a.triu(0)?,
        a.tril(0)?,
        kron(&a, &a)?,
        a.to_owned(),
        a.to_vec(),
        a.clone().into_vec(),
        a.fold(0.0, |sum, x| sum + x)?,
        a.fold_axis(Axis(0), 0.0, |sum, x| sum + x)?,
        a.map_axis(Axis(0), |lane| lane[0])?,
        a.map(|x| x + 1.0).eval()?,
        a.sum()?,
        a.product()?,
        a.mean()?,
        a.var(1.0)?,
        a.std(1.0)?,
        a.sum_axis(Axis(0))?,
        a.product_axis(Axis(0))?,
        a.mean_axis(Axis(0))?,
        a.var_axis(Axis(0), 1.0)?,
        a.std_axis(Axis(0), 1.0)?,
        a.cumprod(Axis(0))?,
        a.cumsum(Axis(0))?,
        a.diff(Axis(0))?,
        a.sort(Axis(0))?,
        concatenate(Axis(0), &[a.view(), a.view()])?,
        stack(Axis(0), &[a.view(), a.view()])?,
        concatenate![Axis(0), a, a.t()]?,
        stack![Axis(0), a, a.view()]?,
    );
    used!(
        a.view_mut(),
        a.get_mut((0, 0)),
        a.first_mut(),
        a.last_mut(),
        a.swap((0, 0), (1, 1)),
        a.as_mut_ptr(),
        a.as_slice_mut(),
        a.view_mut().as_slice_memory_order_mut(),
        a.view_mut().into_slice(),
        a.view_mut().into_slice_memory_order(),
        a.slice_mut(s![0, ..])?,
        a.part_mut(s![0, ..]),
        a.slice_axis_mut(Axis(0), 0..1, 1)?,
        a.multi_slice_mut((s![0, ..], s![1, ..]))?,
        a.index_axis_mut(Axis(0), 0)?,
        a.row_mut(0),
        a.column_mut(0),
        a.diag_mut(),
        a.permuted_axes_mut([1, 0])?,
        a.t_mut(),
        a.flip_mut(Axis(0))?,
        a.map_axis_mut(Axis(0), |lane| lane[0])?,
        a.map_axis_ref(Axis(0), |lane| lane[0])?,
        a.take_cloned(Axis(0), &[0, 0])?,
        a.clone_from_view(a.clone().view())?,
        a.accumulate_axis_inplace(Axis(0), |before, x| *x += before)?,
        a.fill(1.0),
        a.assign(2.0)?,
        a.push_row(&[1.0, 2.0])?,
        a.push_column(&array![1.0, 2.0, 3.0])?,
        a.append(Axis(0), &array![[1.0, 2.0, 3.0]])?,
        a.push(Axis(1), &[1.0, 2.0, 3.0, 4.0])?,
        a.reserve(Axis(0), 10)?,
        a.remove_index(Axis(0), 0)?,
    );
    let complex = array![Complex::new(1.0, 2.0)];
    used!(complex.view().split_complex(), Array0::full((), 1).into_scalar());
    Ok(())
}

#[test]
fn iterators_are_there() -> Result<(), Error> {
    let mut a = array![[1, 2], [3, 4]];
    let _: iter::Iter<'_, i32, _> = a.iter();
    let _: iter::IndexedIter<'_, i32, _> = a.indexed_iter();
    let _: iter::AxisIter<'_, i32, Rank<2>> = a.axis_iter(Axis(0))?;
    let _: iter::AxisIter<'_, i32, Rank<2>> = a.outer_iter();
    let _: iter::Lanes<'_, i32, Rank<2>> = a.lanes(Axis(0))?;
    let _: iter::Lanes<'_, i32, Rank<2>> = a.rows();
    let _: iter::Lanes<'_, i32, Rank<2>> = a.columns();
    let _: iter::AxisChunks<'_, i32, Rank<2>> = a.axis_chunks_iter(Axis(0), 1)?;
    let _: iter::AxisChunks<'_, i32, Rank<2>> = a.axis_chunks(Axis(0), 1)?;
    let _: iter::ExactChunks<'_, i32, Rank<2>> = a.exact_chunks((1, 2))?;
    let _: iter::Windows<'_, i32, Rank<2>> = a.windows((1, 2))?;
    let _: iter::Windows<'_, i32, Rank<2>> = a.windows_with_stride((1, 2), (1, 1))?;
    let _: iter::AxisWindows<'_, i32, Rank<2>> = a.axis_windows(Axis(0), 1)?;
    let _: View3<'_, i32> = a.sliding_window_view(Axis(0), 1)?;
    let _: iter::AxisWindows<'_, i32, Rank<2>> = a.axis_windows_with_stride(Axis(0), 1, 1)?;
    let _: iter::IterMut<'_, i32, _> = a.iter_mut();
    let _: iter::IndexedIterMut<'_, i32, _> = a.indexed_iter_mut();
    let _: iter::AxisIterMut<'_, i32, Rank<2>> = a.axis_iter_mut(Axis(0))?;
    let _: iter::AxisIterMut<'_, i32, Rank<2>> = a.outer_iter_mut();
    let _: iter::LanesMut<'_, i32, Rank<2>> = a.lanes_mut(Axis(0))?;
    let _: iter::LanesMut<'_, i32, Rank<2>> = a.rows_mut();
    let _: iter::LanesMut<'_, i32, Rank<2>> = a.columns_mut();
    let _: iter::AxisChunksMut<'_, i32, Rank<2>> = a.axis_chunks_iter_mut(Axis(0), 1)?;
    let _: iter::ExactChunksMut<'_, i32, Rank<2>> = a.exact_chunks_mut((1, 2))?;
    use rayon::prelude::*;
    assert_eq!(a.par_iter().sum::<i32>(), 10);
    assert_eq!(a.rows().into_par_iter().map(|row| row[0]).collect::<Vec<_>>(), [1, 3]);
    a.par_iter_mut().for_each(|x| *x += 1);
    a.columns_mut().into_par_iter().for_each(|mut column| column[0] = 0);
    a.axis_chunks_mut(Axis(0), 1)?.into_par_iter().for_each(|mut chunk| chunk[[0, 1]] += 1);
    assert_eq!(a, array![[0, 1], [4, 6]]);
    Ok(())
}

#[test]
fn shared_arrays_are_there() -> Result<(), Error> {
    let mut shared: ArcArray2<f32> = array![[1.0, 2.0], [3.0, 4.0]].into_shared();
    let copy: ArcArray<f32, Rank<2>> = shared.clone();
    assert!(!shared.is_unique());
    shared.slice_mut(s![0, ..])?.fill(0.0);
    shared += &copy;
    assert_eq!((&shared + &copy).eval()?, array![[2.0, 4.0], [9.0, 12.0]]);
    assert_eq!((2.0 * &copy).sum()?, 20.0);
    let row: ArcArray1<f32> = copy.clone().index_axis_move(Axis(0), 1)?;
    assert_eq!(row.into_owned(), array![3.0, 4.0]);

    let a = array![[1.0, 2.0], [3.0, 4.0]];
    let mut cow: CowArray<'_, f64, Rank<2>> = CowArray::from(&a);
    assert_eq!((&cow * 2.0 - &a).eval()?, a);
    assert_eq!((-&cow.t().to_owned()).eval()?, (-a.t()).eval()?);
    cow.row_mut(0).fill(0.0);
    assert!(cow.is_owned() && !cow.is_view());
    cow.assign(&a)?;
    assert_eq!(cow.into_owned(), a);
    assert_eq!(a, &a);
    assert_eq!(&a, a.view());
    Ok(())
}
