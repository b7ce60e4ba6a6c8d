//! The list of reductions, and the methods it makes.

use super::{
    All, Any, ArgMax, ArgMin, Combine, CountNonzero, LogSumExp, Max, Mean, Min, NanMax, NanMin, NormL2, Product,
    ProductWrapping, ReduceAxes, Reduction, Std, Sum, SumWrapping, Var, run,
};
use crate::exec::Exec;
use crate::expr::{Apply, Expr};
use crate::ops::{Abs, Op};
use crate::types::Array;
use bcast::Error;
use ndcore::Dimension;

/// A row of [`REDUCTIONS`].
#[derive(Clone, Copy, Debug)]
pub struct ReductionInfo {
    /// The method's name; that over some axes ends in `_axis`.
    pub name: &'static str,
    /// The element types it is defined for.
    pub types: &'static str,
    /// The type of the result.
    pub output: &'static str,
    /// The result for no elements.
    pub empty: &'static str,
    /// What it is.
    pub doc: &'static str,
}

/// A row of the list is a reduction: its documentation, its two methods and their parameters, the value of the reduction, the type it is of, its
/// element types, those of its results, and its result for no elements.
macro_rules! reductions {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident $name_axis:ident ($($parameter:ident: $parameter_type:ty),*) = $op:expr => $reduction:ty,
        $types:literal => $output:literal, $empty:literal, $example:literal;
    )*) => {
        /// All reductions.
        pub const REDUCTIONS: &[ReductionInfo] = &[$(ReductionInfo {
            name: stringify!($name),
            types: $types,
            output: $output,
            empty: $empty,
            doc: concat!($($doc),+),
        }),*];

        /// The reductions as methods: of all elements, and along some axes (`_axis`), which are one (`1`), several (`[0, 2]`) or, with
        /// [`keep`](super::keep) around them, kept in the result with extent 1.
        ///
        /// What is reduced may be an array, a view, or an expression, of which no array is made. Results do not depend on the layout of the operands, the
        /// instruction set or the number of threads: see [`Reduction`] for the order.
        ///
        /// All of them return an error if the operands' shapes do not fit each other, if an axis is out of range or named twice, if the result
        /// does not fit in memory, or if there are no elements and the reduction has no result for that.
        ///
        /// ```
        /// use elementwise::{Reductions, array};
        /// let (x, y) = (array![[1.0_f64, 2.0], [3.0, 4.0]], array![[0.0, 2.0], [3.0, 6.0]]);
        /// assert_eq!(((&x - &y) * (&x - &y)).sum()?, 5.0);
        /// assert_eq!((&x * &y).sum_axis(1)?.to_vec(), [4.0, 33.0]);
        /// # Ok::<(), elementwise::Error>(())
        /// ```
        pub trait Reductions: Expr<Rank: Dimension> {
            $(
                $(#[doc = $doc])+
                ///
                /// # Errors
                /// Those of [`Reductions`], and those of the reduction.
                ///
                /// ```
                /// use elementwise::{Reductions, array};
                #[doc = $example]
                /// # Ok::<(), elementwise::Error>(())
                /// ```
                fn $name(self $(, $parameter: $parameter_type)*) -> Result<<$reduction as Reduction<Self::Elem>>::Output, Error>
                where
                    $reduction: Reduction<Self::Elem>,
                {
                    run::all(&self, &$op)
                }

                #[doc = concat!("As [`", stringify!($name), "`](Self::", stringify!($name), "), along the given axes.")]
                ///
                /// # Errors
                #[doc = concat!("As for [`", stringify!($name), "`](Self::", stringify!($name), ").")]
                fn $name_axis<Ax: ReduceAxes<Self::Rank>>(
                    self,
                    axes: Ax
                    $(, $parameter: $parameter_type)*
                ) -> Result<Array<<$reduction as Reduction<Self::Elem>>::Output, Ax::Rank>, Error>
                where
                    $reduction: Reduction<Self::Elem>,
                {
                    self.reduce_by($op, axes)
                }
            )*

            /// The sum of the absolute values.
            ///
            /// # Errors
            /// Those of [`Reductions`].
            ///
            /// ```
            /// use elementwise::{Reductions, array};
            /// assert_eq!(array![1.0_f64, -2.0].norm_l1()?, 3.0);
            /// # Ok::<(), elementwise::Error>(())
            /// ```
            fn norm_l1(self) -> Result<<Sum as Reduction<<Abs as Op<Self::Elem>>::Output>>::Output, Error>
            where
                Abs: Op<Self::Elem>,
                Sum: Reduction<<Abs as Op<Self::Elem>>::Output>,
            {
                run::all(&Apply::new(Abs, self), &Sum)
            }

            /// As [`norm_l1`](Self::norm_l1), along the given axes.
            ///
            /// # Errors
            /// Those of [`Reductions`].
            fn norm_l1_axis<Ax: ReduceAxes<Self::Rank>>(
                self,
                axes: Ax,
            ) -> Result<Array<<Sum as Reduction<<Abs as Op<Self::Elem>>::Output>>::Output, Ax::Rank>, Error>
            where
                Abs: Op<Self::Elem>,
                Sum: Reduction<<Abs as Op<Self::Elem>>::Output>,
            {
                Apply::new(Abs, self).reduce_by(Sum, axes)
            }

            /// The largest absolute value; NaN if there is a NaN.
            ///
            /// # Errors
            /// Those of [`Reductions`]; there is none of no elements.
            ///
            /// ```
            /// use elementwise::{Reductions, array};
            /// assert_eq!(array![1.0_f64, -2.0].norm_max()?, 2.0);
            /// # Ok::<(), elementwise::Error>(())
            /// ```
            fn norm_max(self) -> Result<<Max as Reduction<<Abs as Op<Self::Elem>>::Output>>::Output, Error>
            where
                Abs: Op<Self::Elem>,
                Max: Reduction<<Abs as Op<Self::Elem>>::Output>,
            {
                run::all(&Apply::new(Abs, self), &Max)
            }

            /// As [`norm_max`](Self::norm_max), along the given axes.
            ///
            /// # Errors
            /// As for [`norm_max`](Self::norm_max).
            fn norm_max_axis<Ax: ReduceAxes<Self::Rank>>(
                self,
                axes: Ax,
            ) -> Result<Array<<Max as Reduction<<Abs as Op<Self::Elem>>::Output>>::Output, Ax::Rank>, Error>
            where
                Abs: Op<Self::Elem>,
                Max: Reduction<<Abs as Op<Self::Elem>>::Output>,
            {
                Apply::new(Abs, self).reduce_by(Max, axes)
            }

            /// All elements combined by a closure, in the order that [`Reduction`] describes: so it has to be associative and commutative, but
            /// for rounding. [`Lanewise::fold`](super::Lanewise::fold) takes any closure, one element after the other.
            ///
            /// # Errors
            /// Those of [`Reductions`]; no elements cannot be combined.
            ///
            /// ```
            /// use elementwise::{Reductions, array};
            /// assert_eq!(array![6, 10, 15].reduce(|a, b| a | b)?, 15);
            /// # Ok::<(), elementwise::Error>(())
            /// ```
            fn reduce<F: Fn(Self::Elem, Self::Elem) -> Self::Elem + Sync>(self, f: F) -> Result<Self::Elem, Error> {
                run::all(&self, &Combine(f))
            }

            /// As [`reduce`](Self::reduce), along the given axes.
            ///
            /// # Errors
            /// As for [`reduce`](Self::reduce).
            fn reduce_axis<Ax, F>(self, axes: Ax, f: F) -> Result<Array<Self::Elem, Ax::Rank>, Error>
            where
                Ax: ReduceAxes<Self::Rank>,
                F: Fn(Self::Elem, Self::Elem) -> Self::Elem + Sync,
            {
                self.reduce_by(Combine(f), axes)
            }

            /// Any reduction, one of the list or one of your own, along the given axes (`..` for all).
            ///
            /// # Errors
            /// Those of [`Reductions`], and those of the reduction.
            fn reduce_by<F, Ax>(self, reduction: F, axes: Ax) -> Result<Array<F::Output, Ax::Rank>, Error>
            where
                F: Reduction<Self::Elem>,
                Ax: ReduceAxes<Self::Rank>,
            {
                run::along(&self, &reduction, &axes, &Exec::current())
            }

            /// How [`reduce_by`](Self::reduce_by) would compute this: loops, blocks, strides, tasks, bytes moved. Print it.
            ///
            /// # Errors
            /// If the operands' shapes do not fit each other, or an axis is out of range or named twice.
            ///
            /// ```
            /// use elementwise::{Array2, Reductions, Sum};
            /// let x = Array2::<f32>::zeros([64, 32]);
            /// assert!(x.explain_reduce(Sum, 1)?.to_string().contains("64 x 32 (folded)"));
            /// # Ok::<(), elementwise::Error>(())
            /// ```
            fn explain_reduce<F, Ax>(&self, reduction: F, axes: Ax) -> Result<crate::plan::Explanation, Error>
            where
                F: Reduction<Self::Elem>,
                Ax: ReduceAxes<Self::Rank>,
            {
                run::explain(self, &reduction, &axes, &Exec::current())
            }
        }
    };
}

impl<E: Expr<Rank: Dimension>> Reductions for E {}

reductions! {
    /// The sum. Of integers it is an `i64` or `u64` (`isize` or `usize` for those), or an error if it does not fit there;
    /// `f16` and `bf16` are added up in `f32`, `f32` and `f64` in a fixed order by halves; it is rounded to the element type once.
    sum sum_axis() = Sum => Sum, "all" => "i64, u64 for integers", "0",
    "assert_eq!(array![[200_u8, 100], [1, 2]].sum()?, 303_u64);\nassert_eq!(array![[200_u8, 100], [1, 2]].sum_axis(0)?.to_vec(), [201, 102]);";

    /// The sum modulo 2 to the number of bits, in the type of the elements.
    sum_wrapping sum_wrapping_axis() = SumWrapping => SumWrapping, "integers" => "the same", "0",
    "assert_eq!(array![200_u8, 100].sum_wrapping()?, 44);";

    /// The product. Of integers it is an `i64` or `u64` (`isize` or `usize` for those), or an error if it does not fit there.
    product product_axis() = Product => Product, "all but bool" => "i64, u64 for integers", "1",
    "assert_eq!(array![[2_i32, 3], [4, 5]].product_axis(1)?.to_vec(), [6, 20]);\nassert!(array![1_u64 << 40, 1 << 40].product().is_err());";

    /// The product modulo 2 to the number of bits, in the type of the elements.
    product_wrapping product_wrapping_axis() = ProductWrapping => ProductWrapping, "integers" => "the same", "1",
    "assert_eq!(array![100_u8, 3].product_wrapping()?, 44);";

    /// The arithmetic mean, rounded once. Of integers it is an `f64`.
    mean mean_axis() = Mean => Mean, "all" => "f64 for integers", "an error",
    "assert_eq!(array![[1_i32, 2], [3, 6]].mean()?, 3.0);\nassert_eq!(array![[1_i32, 2], [3, 6]].mean_axis(0)?.to_vec(), [2.0, 4.0]);";

    /// The variance, with the number of elements less `ddof` as the divisor: 0 for a population, 1 for a sample. In one pass, by Welford's
    /// recurrence. Of integers it is an `f64`. An error if there are no more elements than `ddof`.
    var var_axis(ddof: f64) = Var { ddof } => Var, "all real" => "f64 for integers", "an error",
    "assert_eq!(array![1.0_f64, 2.0, 3.0].var(0.0)?, 2.0 / 3.0);\nassert_eq!(array![[1.0_f64, 2.0], [3.0, 6.0]].var_axis(0, 1.0)?.to_vec(), [2.0, 8.0]);";

    /// The standard deviation: the square root of the variance.
    std std_axis(ddof: f64) = Std { ddof } => Std, "all real" => "f64 for integers", "an error",
    "assert_eq!(array![2.0_f64, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0].std(0.0)?, 2.0);";

    /// The smallest element; NaN if there is one.
    min min_axis() = Min => Min, "all real, bool" => "the same", "an error",
    "assert_eq!(array![[3_i32, 1], [2, 5]].min_axis(1)?.to_vec(), [1, 2]);";

    /// The largest element; NaN if there is one.
    max max_axis() = Max => Max, "all real, bool" => "the same", "an error",
    "assert_eq!(array![[3_i32, 1], [2, 5]].max()?, 5);\nassert!(array![1.0, f64::NAN].max()?.is_nan());";

    /// The smallest element that is not NaN; NaN if there is none.
    nanmin nanmin_axis() = NanMin => NanMin, "floating" => "the same", "an error",
    "assert_eq!(array![2.0, f64::NAN].nanmin()?, 2.0);";

    /// The largest element that is not NaN; NaN if there is none.
    nanmax nanmax_axis() = NanMax => NanMax, "floating" => "the same", "an error",
    "assert_eq!(array![2.0, f64::NAN].nanmax()?, 2.0);";

    /// The number of the first smallest element, in row-major order among those reduced (so along one axis, the index); of the first NaN if
    /// there is one.
    argmin argmin_axis() = ArgMin => ArgMin, "all real, bool" => "usize", "an error",
    "assert_eq!(array![3, 1, 1].argmin()?, 1);";

    /// The number of the first largest element, in row-major order among those reduced (so along one axis, the index); of the first NaN if
    /// there is one.
    argmax argmax_axis() = ArgMax => ArgMax, "all real, bool" => "usize", "an error",
    "assert_eq!(array![[3_i32, 1], [2, 5]].argmax_axis(1)?.to_vec(), [0, 1]);";

    /// Whether any element is true.
    any any_axis() = Any => Any, "bool" => "bool", "false",
    "assert!(array![false, true].any()?);";

    /// Whether all elements are true.
    all all_axis() = All => All, "bool" => "bool", "true",
    "assert_eq!(array![[true, true], [false, true]].all_axis(1)?.to_vec(), [true, false]);";

    /// The number of elements that are not zero; of `bool`, that are true.
    count_nonzero count_nonzero_axis() = CountNonzero => CountNonzero, "all" => "usize", "0",
    "assert_eq!(array![0.0_f64, -0.0, 1.5].count_nonzero()?, 1);";

    /// The Euclidean norm, of a matrix the Frobenius norm: the square root of the sum of the squared absolute values, which are added up in `f64`. Squares
    /// beyond `f64` overflow.
    norm_l2 norm_l2_axis() = NormL2 => NormL2, "floating, complex" => "floating", "0",
    "assert_eq!(array![[3.0_f32, 4.0]].norm_l2()?, 5.0);";

    /// The logarithm of the sum of the exponentials, without overflow, in one pass.
    log_sum_exp log_sum_exp_axis() = LogSumExp => LogSumExp, "floating" => "the same", "-inf",
    "assert_eq!(array![1000.0_f64, 1000.0].log_sum_exp()?, 1000.0 + 2f64.ln());";
}
