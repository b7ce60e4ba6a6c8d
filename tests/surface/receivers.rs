//! What is asked of an array can be asked of a view, a shared array and one that may be a view.

use zerostride::prelude::*;
use zerostride::{ArcArray, ArcArray1, ArcArray2, CowArray, Order};

/// A matrix of 2 x 3, by columns in memory.
fn matrix() -> Array2<i32> {
    Array2::from_shape_fn((3, 2), |(j, i)| (10 * i + j) as i32).reversed_axes()
}

/// Calls a macro with a matrix of each kind.
macro_rules! each_kind {
    ($with:ident) => {
        let (array, mut other) = (matrix(), matrix());
        $with!("array", matrix());
        $with!("view", array.view());
        $with!("mutable view", other.view_mut());
        $with!("shared array", array.clone().into_shared());
        $with!("owned cow", CowArray::from(array.clone()));
        $with!("borrowed cow", CowArray::from(&array));
    };
}

#[test]
fn forms_of_every_kind() {
    macro_rules! forms {
        ($kind:literal, $it:expr) => {
            assert_eq!($it.reversed_axes().shape(), [3, 2], "{}", $kind);
            assert_eq!($it.into_dyn(), matrix(), "{}", $kind);
            assert_eq!($it.into_dyn().into_rank::<Rank<2>>().unwrap(), matrix(), "{}", $kind);
            assert!($it.into_rank::<Rank<3>>().is_err(), "{}", $kind);
            assert_eq!($it.into_diag().to_vec(), [0, 11], "{}", $kind);
            assert_eq!($it.slice_move(s![.., 1..;-1]).unwrap().to_vec(), [2, 1, 12, 11], "{}", $kind);
            assert_eq!($it.index_axis_move(0, 1).unwrap().to_vec(), [10, 11, 12], "{}", $kind);
            let backwards = $it.slice_axis_move(1, 1.., -1).unwrap();
            assert_eq!(backwards.to_vec(), [2, 1, 12, 11], "{}", $kind);
            assert_eq!($it.insert_axis_move(1).unwrap().shape(), [2, 1, 3], "{}", $kind);
            let by_columns = $it.into_shape_with_order((6, Order::F)).unwrap();
            assert_eq!(by_columns.to_vec(), [0, 10, 1, 11, 2, 12], "{}", $kind);
            assert!($it.into_shape([5]).is_err(), "{}", $kind);
            assert_eq!($it.into_owned(), matrix(), "{}", $kind);
            assert_eq!((&$it).broadcast_to([2, 2, 3]).unwrap().len(), 12, "{}", $kind);
        };
    }
    each_kind!(forms);
}

#[test]
fn reshapes_copy_only_what_is_owned() {
    macro_rules! owned {
        ($kind:literal, $it:expr) => {
            assert_eq!($it.into_shape([6]).unwrap().to_vec(), [0, 1, 2, 10, 11, 12], "{}", $kind);
            assert_eq!($it.into_flat().to_vec(), [0, 1, 2, 10, 11, 12], "{}", $kind);
        };
    }
    owned!("array", matrix());
    owned!("shared array", matrix().into_shared());
    owned!("owned cow", CowArray::from(matrix()));
    owned!("borrowed cow", CowArray::from(&matrix()));
    assert!(matrix().view().into_shape([6]).is_err());
    assert!(matrix().view_mut().into_shape([6]).is_err());
}

#[test]
fn operators_of_every_kind_by_value() {
    let b = matrix();
    macro_rules! operators {
        ($kind:literal, $it:expr) => {
            let want = (&b + &b).eval().unwrap();
            assert_eq!(($it + &b).eval().unwrap(), want, "{}", $kind);
            assert_eq!((&b + $it).eval().unwrap(), want, "{}", $kind);
            assert_eq!(($it * 2).eval().unwrap(), want, "{}", $kind);
            assert_eq!((2 * $it).eval().unwrap(), want, "{}", $kind);
            assert_eq!((-$it).eval().unwrap(), (&b * -1).eval().unwrap(), "{}", $kind);
            assert_eq!(($it << 1).eval().unwrap(), want, "{}", $kind);
        };
    }
    each_kind!(operators);
}

#[test]
fn memory_in_its_order_of_every_kind() {
    macro_rules! memory {
        ($kind:literal, $it:expr) => {
            let mut it = $it;
            assert_eq!(it.as_slice_memory_order(), Some(&[0, 10, 1, 11, 2, 12][..]), "{}", $kind);
            it.as_slice_memory_order_mut().unwrap()[1] = 7;
            assert_eq!(it[[1, 0]], 7, "{}", $kind);
        };
    }
    let (array, mut other) = (matrix(), matrix());
    memory!("array", matrix());
    memory!("mutable view", other.view_mut());
    memory!("shared array", array.clone().into_shared());
    memory!("owned cow", CowArray::from(array.clone()));
    memory!("borrowed cow", CowArray::from(&array));
    assert_eq!(array, matrix());
}

#[test]
fn shared_arrays_are_made_and_compared_as_others() {
    assert_eq!(ArcArray2::<f64>::zeros((2, 3)), Array2::<f64>::zeros((2, 3)));
    assert_eq!(ArcArray2::<f64>::ones([2, 3]), Array2::<f64>::ones((2, 3)));
    assert_eq!(ArcArray1::from_elem(2, 7), array![7, 7]);
    assert_eq!(ArcArray1::from_shape_fn(3, |i| i), array![0, 1, 2]);
    assert_eq!(ArcArray1::from(vec![1, 2]), (1..3).collect::<ArcArray1<i32>>());
    assert!(ArcArray2::from_shape_vec((2, 2), vec![1]).is_err());
    let (mut a, b) = (array![1.0, 2.0], array![1.0, 2.0].into_shared());
    let cow = CowArray::from(&b);
    let equal = [b == cow, cow == b, a.view_mut() == b, b == a.view_mut()];
    assert_eq!(equal, [true; 4]);
    assert_eq!([a.view_mut() == cow, cow == a.view_mut()], [true; 2]);
    let text = serde_json::to_string(&b).unwrap();
    assert_eq!(text, serde_json::to_string(&a).unwrap());
    let back: ArcArray<f64, Rank<1>> = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (back, CowArray::from(a.as_slice().unwrap())),
        (b.clone(), CowArray::from(a.view()))
    );
    assert_eq!(b.clone().mapv_into(|x| 2.0 * x), array![2.0, 4.0]);
    assert_eq!(CowArray::from(&b).map_into(|x| x as i32), array![1, 2]);
    assert_eq!(b, a);
}

#[test]
fn shifts_of_signed_and_unsigned_integers() {
    let a = array![-5_i32, 5, i32::MIN];
    assert_eq!((&a << 1).eval().unwrap().to_vec(), [-10, 10, 0]);
    assert_eq!((&a >> 1).eval().unwrap().to_vec(), [-3, 2, i32::MIN / 2]);
    assert_eq!((&a >> &array![32, 31, 99]).eval().unwrap().to_vec(), [-1, 0, -1]);
    let b = array![0x80_u8, 3];
    assert_eq!((&b >> 7).eval().unwrap().to_vec(), [1, 0]);
    assert_eq!((1 << &b).eval().unwrap().to_vec(), [0, 8]);
    let mut c = array![1_i64, -2];
    c <<= 3;
    c >>= array![1, 2].view();
    assert_eq!(c.to_vec(), [4, -4]);
}
