//! What the types promise to the rest of a program.

use zerostride::{
    Array2, ArrayD, Error, Exec, Expr, Isa, LayoutError, View1, View2, ViewMut2, array, s,
};

fn crosses_threads<T: Send + Sync>() {}

fn value_crosses_threads<T: Send + Sync>(_: &T) {}

#[test]
fn everything_crosses_threads() {
    crosses_threads::<Array2<f64>>();
    crosses_threads::<ArrayD<bool>>();
    crosses_threads::<View2<'static, f64>>();
    crosses_threads::<ViewMut2<'static, f64>>();
    crosses_threads::<Error>();
    crosses_threads::<LayoutError>();
    crosses_threads::<Exec>();
    crosses_threads::<Isa>();
    let (mut a, v) = (array![[1, 2], [3, 4]], array![1, 2]);
    value_crosses_threads(&((&a + v.along([0])) * 2));
    value_crosses_threads(&a.iter());
    value_crosses_threads(&a.indexed_iter());
    value_crosses_threads(&a.axis_iter(0));
    value_crosses_threads(&a.iter_mut());
}

#[test]
fn parts_of_one_array_are_written_by_two_threads() {
    let mut a = Array2::<usize>::zeros([8, 5]);
    let (mut top, mut bottom) = a.view_mut().split_at(0, 3).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || top.iter_mut().enumerate().for_each(|(i, x)| *x = i));
        scope.spawn(move || bottom.fill(100));
    });
    assert_eq!(a.to_vec()[..15], (0..15).collect::<Vec<_>>());
    assert_eq!(a.to_vec()[15..], [100; 25]);
}

#[test]
fn errors_are_one_word() {
    assert_eq!(size_of::<Error>(), size_of::<usize>());
    assert_eq!(size_of::<LayoutError>(), size_of::<usize>());
    fn is_error<E: std::error::Error + Send + Sync + Clone + PartialEq + 'static>() {}
    is_error::<Error>();
    is_error::<LayoutError>();
}

#[test]
fn what_comes_of_a_view_outlives_it() {
    fn last_of_first_row<'a>(matrix: &View2<'a, i32>) -> View1<'a, i32> {
        let flipped = matrix.flip(1).unwrap();
        flipped.slice(s![0, ..1]).unwrap()
    }
    let data = array![[1, 2, 3], [4, 5, 6]];
    let last = last_of_first_row(&data.view());
    let element: &i32 = last.iter().next().unwrap();
    assert_eq!((last.to_vec(), *element), (vec![3], 3));
}

#[test]
fn equality_is_logical() {
    let a = array![[1, 2], [3, 4]];
    let f = Array2::from_strided_vec([2, 2], &[1, 2], 0, vec![1, 3, 2, 4]).unwrap();
    assert_eq!(a, f);
    assert_eq!(a.view(), f);
    assert_eq!(a.as_dyn(), f.view());
    assert_ne!(a, f.t());
    assert_ne!(array![1, 2].into_dyn(), array![[1, 2]].into_dyn());
    assert_ne!(array![f64::NAN], array![f64::NAN]);
    assert_eq!(Array2::<f32>::zeros([0, 3]), Array2::<f32>::ones([0, 3]));
    assert_ne!(Array2::<f32>::zeros([0, 3]), Array2::<f32>::zeros([3, 0]));
}
