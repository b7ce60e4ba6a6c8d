//! Arrays as the same bits in elements of another size: StableHLO's `bitcast_convert` where it
//! changes the rank.

#![forbid(unsafe_code)]

use crate::types::{Array, View};
use bcast::Error;
use bytemuck::{AnyBitPattern, NoUninit};
use ndcore::{Dimension, Element, LayoutErrorKind, List};

/// Each element as a row of smaller ones, along a new last axis: of an `f32`, 4 of `u8`. The lowest
/// bits come first on every machine that stores them first, as x86-64 and ARM do.
///
/// For elements of the same size, see [`Expr::bitcast`](crate::Expr::bitcast).
///
/// # Errors
/// [`BitcastSize`](LayoutErrorKind::BitcastSize) if the size of `T` is not a multiple of that of
/// `U`; if the rank or the result is too large.
///
/// ```
/// let x = elementwise::array![1.0_f32];
/// let bytes = elementwise::bitcast_split::<u8, _, _>(x.view())?;
/// assert_eq!(bytes, elementwise::array![[0, 0, 128, 63]]);
/// # Ok::<(), elementwise::Error>(())
/// ```
pub fn bitcast_split<U, T, R>(x: View<'_, T, R>) -> Result<Array<U, R::Larger>, Error>
where
    U: Element + AnyBitPattern + NoUninit,
    T: Element + NoUninit,
    R: Dimension,
{
    let ratio = size_of::<T>()
        .checked_div(size_of::<U>())
        .filter(|ratio| ratio * size_of::<U>() == size_of::<T>());
    let ratio = ratio.ok_or_else(|| wrong_size::<T, U>(x.shape()))?;
    let shape: List<usize> = x.shape().iter().copied().chain([ratio]).collect();
    let data = same_bytes(&x.try_to_vec()?, &shape)?;
    Ok(Array::from_shape_vec(&shape[..], data)?.into_rank()?)
}

/// Each row along the last axis as one larger element: the inverse of [`bitcast_split`].
///
/// # Errors
/// [`BitcastSize`](LayoutErrorKind::BitcastSize) if a row has not the size of `U`, or there is no
/// axis.
///
/// ```
/// let bytes = elementwise::array![[0_u8, 0, 128, 63]];
/// let x = elementwise::bitcast_join::<f32, _, _>(bytes.view())?;
/// assert_eq!(x.to_vec(), [1.0]);
/// # Ok::<(), elementwise::Error>(())
/// ```
pub fn bitcast_join<U, T, R>(x: View<'_, T, R>) -> Result<Array<U, R::Smaller>, Error>
where
    U: Element + AnyBitPattern + NoUninit,
    T: Element + NoUninit,
    R: Dimension,
{
    let (last, shape) = x.shape().split_last().ok_or_else(|| wrong_size::<T, U>(x.shape()))?;
    if last.checked_mul(size_of::<T>()) != Some(size_of::<U>()) {
        return Err(wrong_size::<T, U>(x.shape()));
    }
    let data = same_bytes(&x.try_to_vec()?, shape)?;
    Ok(Array::from_shape_vec(shape, data)?.into_rank()?)
}

/// The bytes of elements as those of elements of another size, which make up an array of this
/// shape.
fn same_bytes<T: NoUninit, U: AnyBitPattern + NoUninit>(
    elements: &[T],
    shape: &[usize],
) -> Result<Vec<U>, Error> {
    let bytes: &[u8] = bytemuck::cast_slice(elements);
    let len = bytes.len().checked_div(size_of::<U>()).unwrap_or(0);
    let mut data = ndcore::reserved(len, shape)?;
    data.resize(len, U::zeroed());
    bytemuck::cast_slice_mut::<U, u8>(&mut data).copy_from_slice(bytes);
    Ok(data)
}

fn wrong_size<T, U>(shape: &[usize]) -> Error {
    let kind = LayoutErrorKind::BitcastSize {
        shape: List::of(&shape),
        from: size_of::<T>(),
        to: size_of::<U>(),
    };
    ndcore::LayoutError::from(kind).into()
}
