//! Primitive arrays of Arrow: columns of numbers as views, and arrays as columns; lists of fixed
//! size as matrices.
//!
//! ```
//! use arraybridge::{IntoView, arrow::IntoArrow};
//! use arrow_array::Float64Array;
//! use elementwise::{Array1, Expr};
//!
//! let prices = Float64Array::from(vec![12.0, 9.5, 30.0]);
//! let doubled: Array1<f64> = (prices.into_view()? * 2.0).eval()?;      // read where they lie
//! let column: Float64Array = doubled.into_arrow();                     // memory handed over
//! assert_eq!(column.values()[..], [24.0, 19.0, 60.0]);
//!
//! let gaps = Float64Array::from(vec![Some(1.0), None]);
//! assert_eq!(
//!     gaps.into_view().unwrap_err().to_string(),
//!     "1 of 2 elements are null; an array has a value for each"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::{BridgeError, IntoArray, IntoView};
use arrow_array::cast::AsArray;
use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{Array as _, FixedSizeListArray, PrimitiveArray};
use arrow_buffer::{Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field};
use elementwise::{Array1, Array2, View1, View2};
use ndcore::Element;
use std::sync::Arc;

/// Nulls are refused: what lies in their places is nobody's value.
fn without_nulls(array: &dyn arrow_array::Array) -> Result<(), BridgeError> {
    match array.null_count() {
        0 => Ok(()),
        count => Err(BridgeError::Nulls { count, len: array.len() }),
    }
}

/// Columns with nulls are an error; [`values`] and [`valid`] give both parts of them.
impl<'a, P: ArrowPrimitiveType<Native: Element>> IntoView for &'a PrimitiveArray<P> {
    type View = Result<View1<'a, P::Native>, BridgeError>;

    fn into_view(self) -> Self::View {
        without_nulls(self)?;
        Ok(values(self))
    }
}

/// All values of a column, where they lie. In the places of nulls there is anything: see [`valid`].
///
/// ```
/// use arraybridge::arrow::{valid, values};
/// use arrow_array::Int32Array;
/// use elementwise::Expr;
/// let column = Int32Array::from(vec![Some(3), None, Some(5)]);
/// let mask = valid(&column);
/// let filled = elementwise::select(&mask, values(&column), -1).eval()?;
/// assert_eq!(filled.to_vec(), [3, -1, 5]);
/// # Ok::<(), elementwise::Error>(())
/// ```
pub fn values<P: ArrowPrimitiveType<Native: Element>>(
    column: &PrimitiveArray<P>,
) -> View1<'_, P::Native> {
    let values: &[P::Native] = column.values();
    View1::from(values)
}

/// Where a column has values: an array, since Arrow has bits.
pub fn valid<P: ArrowPrimitiveType>(column: &PrimitiveArray<P>) -> Array1<bool> {
    match column.nulls() {
        Some(nulls) => nulls.iter().collect(),
        None => Array1::full(column.len(), true),
    }
}

/// Columns with nulls are an error. The memory is handed over if no other column shares it and it
/// was Rust's; otherwise the values are copied.
impl<P: ArrowPrimitiveType<Native: Element>> IntoArray for PrimitiveArray<P> {
    type Array = Result<Array1<P::Native>, BridgeError>;

    fn into_array(self) -> Self::Array {
        without_nulls(&self)?;
        let (_, values, _) = self.into_parts();
        let data = match values.into_inner().into_vec::<P::Native>() {
            Ok(data) => data,
            Err(shared) => ScalarBuffer::<P::Native>::from(shared).to_vec(),
        };
        Ok(Array1::from_vec(data))
    }
}

/// The elements of a list of fixed size, which lie side by side, as the rows of a matrix.
///
/// # Errors
/// [`ElementType`](BridgeError::ElementType), [`Nulls`](BridgeError::Nulls) among the lists or
/// their elements.
///
/// ```
/// use arraybridge::arrow::{matrix, rows};
/// use arrow_array::types::Float32Type;
/// use elementwise::array;
/// let lists = rows::<Float32Type>(array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])?;
/// assert_eq!((lists.value_length(), matrix::<Float32Type>(&lists)?.shape()), (3, &[2, 3][..]));
/// # Ok::<(), arraybridge::BridgeError>(())
/// ```
pub fn matrix<P: ArrowPrimitiveType<Native: Element>>(
    lists: &FixedSizeListArray,
) -> Result<View2<'_, P::Native>, BridgeError> {
    without_nulls(lists)?;
    let values = lists.values();
    let found = values.as_primitive_opt::<P>().ok_or_else(|| BridgeError::ElementType {
        expected: P::DATA_TYPE.to_string(),
        found: values.data_type().to_string(),
    })?;
    without_nulls(found)?;
    let width = usize::try_from(lists.value_length())
        .map_err(|_| BridgeError::Malformed("lists of a negative length"))?;
    let values: &[P::Native] = found.values();
    Ok(View2::from_slice([lists.len(), width], values)?)
}

/// Owned arrays as columns of Arrow.
pub trait IntoArrow<P: ArrowPrimitiveType> {
    /// The same elements as a column. The memory is handed over if the elements lie side by side in
    /// it, wherever they begin; otherwise they are copied.
    ///
    /// # Panics
    /// If a copy does not fit in memory.
    fn into_arrow(self) -> PrimitiveArray<P>;
}

impl<P: ArrowPrimitiveType<Native: Element>> IntoArrow<P> for Array1<P::Native> {
    fn into_arrow(self) -> PrimitiveArray<P> {
        PrimitiveArray::new(buffer(self), None)
    }
}

/// The elements in row-major order as memory that Arrow shares.
fn buffer<T, R>(array: elementwise::Array<T, R>) -> ScalarBuffer<T>
where
    T: Element + arrow_buffer::ArrowNativeType,
    R: ndcore::Dimension,
{
    let len = array.len();
    if !array.layout().is_c_contiguous() {
        return ScalarBuffer::from(array.into_vec());
    }
    let (layout, data) = array.into_layout_vec();
    let start = if len == 0 { 0 } else { layout.offset() };
    ScalarBuffer::new(Buffer::from_vec(data), start, len)
}

/// The rows of a matrix as lists of fixed size, without nulls; the memory as in
/// [`IntoArrow::into_arrow`].
///
/// # Errors
/// [`Extent`](BridgeError::Extent) if a row is longer than 2^31 - 1 elements, which Arrow's lists
/// cannot be.
pub fn rows<P: ArrowPrimitiveType<Native: Element>>(
    array: Array2<P::Native>,
) -> Result<FixedSizeListArray, BridgeError> {
    let [count, width] = array.dim();
    let size = i32::try_from(width).map_err(|_| BridgeError::Extent {
        axis: 1,
        extent: width,
        what: "a list of Arrow",
    })?;
    let field = Arc::new(Field::new_list_field(DataType::clone(&P::DATA_TYPE), false));
    let values = Arc::new(PrimitiveArray::<P>::new(buffer(array), None));
    let nulls: Option<NullBuffer> = None;
    // The number of lists is said too: lists of no elements would not tell.
    FixedSizeListArray::try_new_with_length(field, size, values, nulls, count)
        .map_err(|_| BridgeError::Malformed("rows that are no lists"))
}
