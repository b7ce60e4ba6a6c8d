//! Integer arithmetic that says where it overflows.

use super::{Any, ArgMax, run};
use crate::eval::eval_by;
use crate::exec::Exec;
use crate::expr::{Apply, Expr, Operand};
use crate::ops::{Add, AddOverflows, Mul, MulOverflows, Op, Sub, SubOverflows};
use crate::types::Array;
use bcast::{Error, ErrorKind};
use ndcore::{Dimension, List};

/// Integer arithmetic that is an error where it overflows. The operators wrap around,
/// `saturating_add` and its like stop at the ends, and `add_overflows` and its like are expressions
/// that say where.
///
/// The operands are read twice: to see whether anything overflows, and to compute.
pub trait CheckedMethods: Expr {
    /// The sum, if no element of it overflows.
    ///
    /// # Errors
    /// [`ErrorKind::IntegerOverflow`] with the index of the first element that does; if the
    /// operands' shapes do not fit.
    ///
    /// ```
    /// use elementwise::{CheckedMethods, array};
    /// let x = array![[1_u8, 2], [254, 3]];
    /// assert_eq!(x.checked_add(1)?, array![[2, 3], [255, 4]]);
    /// assert_eq!(
    ///     x.checked_add(&x).unwrap_err().to_string(),
    ///     "checked_add overflows at index [1, 0]: cast to a wider type first, or use `saturating_add`, or the operator, which wraps around",
    /// );
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn checked_add<B>(self, rhs: B) -> Result<Array<Self::Elem, Ranked<Self, B>>, Error>
    where
        B: Operand<Self::Elem, Self::Rank>,
        (Self, B::Expr): Expr<Rank: Dimension>,
        Add: Op<Elems<Self, B>, Output = Self::Elem>,
        AddOverflows: Op<Elems<Self, B>, Output = bool>,
    {
        checked("checked_add", "saturating_add", Add, AddOverflows, (self, rhs.into_expr()))
    }

    /// The difference, if no element of it overflows.
    ///
    /// # Errors
    /// As for [`checked_add`](Self::checked_add).
    ///
    /// ```
    /// use elementwise::{CheckedMethods, array};
    /// assert!(array![1_u8].checked_sub(2).is_err());
    /// ```
    fn checked_sub<B>(self, rhs: B) -> Result<Array<Self::Elem, Ranked<Self, B>>, Error>
    where
        B: Operand<Self::Elem, Self::Rank>,
        (Self, B::Expr): Expr<Rank: Dimension>,
        Sub: Op<Elems<Self, B>, Output = Self::Elem>,
        SubOverflows: Op<Elems<Self, B>, Output = bool>,
    {
        checked("checked_sub", "saturating_sub", Sub, SubOverflows, (self, rhs.into_expr()))
    }

    /// The product, if no element of it overflows.
    ///
    /// # Errors
    /// As for [`checked_add`](Self::checked_add).
    ///
    /// ```
    /// use elementwise::{CheckedMethods, array};
    /// assert_eq!(array![3_i8].checked_mul(-42)?.to_vec(), [-126]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn checked_mul<B>(self, rhs: B) -> Result<Array<Self::Elem, Ranked<Self, B>>, Error>
    where
        B: Operand<Self::Elem, Self::Rank>,
        (Self, B::Expr): Expr<Rank: Dimension>,
        Mul: Op<Elems<Self, B>, Output = Self::Elem>,
        MulOverflows: Op<Elems<Self, B>, Output = bool>,
    {
        checked("checked_mul", "saturating_mul", Mul, MulOverflows, (self, rhs.into_expr()))
    }
}

impl<E: Expr> CheckedMethods for E {}

/// The rank of two operands together.
type Ranked<E, B> = <(E, <B as Operand<<E as Expr>::Elem, <E as Expr>::Rank>>::Expr) as Expr>::Rank;
/// Their elements.
type Elems<E, B> = <(E, <B as Operand<<E as Expr>::Elem, <E as Expr>::Rank>>::Expr) as Expr>::Elem;

fn checked<E, O, P>(
    op: &'static str,
    saturating: &'static str,
    operation: O,
    overflows: P,
    operands: E,
) -> Result<Array<O::Output, E::Rank>, Error>
where
    E: Expr<Rank: Dimension>,
    O: Op<E::Elem>,
    P: Op<E::Elem, Output = bool>,
{
    // First, so that a result that does not fit in memory is refused before all of it is looked at.
    let computed = Apply::new(operation, operands);
    let result = eval_by(&computed, &Exec::current())?;
    let overflow = Apply::new(overflows, computed.into_args());
    if run::all_of(&overflow, &Any)? {
        let (mut number, shape) = (run::all_of(&overflow, &ArgMax)?, overflow.result_shape()?);
        let mut index = List::of(&*shape);
        for (index, extent) in index.iter_mut().zip(&shape[..]).rev() {
            (*index, number) = (number % extent, number / extent);
        }
        return Err(ErrorKind::IntegerOverflow { op, index, saturating }.into());
    }
    Ok(result)
}
