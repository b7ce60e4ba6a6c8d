//! The list of reductions, and the methods it makes.

use super::{
    All, Any, ArgMax, ArgMin, Combine, CountNonzero, LogSumExp, Max, Mean, Min, NanMax, NanMean,
    NanMin, NanSum, NormL1, NormL2, NormMax, Product, ProductWrapping, ReduceAxes, Reduction, Std,
    Sum, SumWrapping, Var, monoids::UsualNormL2, run,
};
use crate::exec::Exec;
use crate::expr::{Expr, RankOf, ResultRank, settled};
use crate::number::{Float, Inexact, Integer, Number, Ordered};
use crate::ops::Real;
use crate::threads::OnThreads;
use crate::types::Array;
use bcast::Error;
use num_complex::Complex;
use num_traits::ToPrimitive;

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

/// What is taken from the number of elements, as it is given: what is no number, is not finite.
#[inline]
fn divisor(ddof: impl ToPrimitive) -> f64 {
    ddof.to_f64().unwrap_or(f64::NAN)
}

/// The traits with the methods. A row is a reduction: its documentation, its two methods and their
/// parameters, its value (and one that is tried before, in fewer operations), its element types,
/// those of its results, and its result for no elements, all three in words; what the elements have
/// to be, and the type of the result; and an example.
macro_rules! reductions {
    ($(
        $(#[$attribute:meta])*
        trait $trait:ident [$($generic:ident: $class:ident)?] of [$($expr:tt)+] {$(
            $(#[doc = $doc:literal])+
            $name:ident $name_axis:ident ($($parameter:ident: $parameter_type:ty),*) = $op:expr $(; $usual:expr)?,
            $types:literal => $output:literal, $empty:literal,
            [$($bound:tt)+] => $result:ty, $example:literal;
        )*} and {$($further:tt)*}
    )*) => {
        /// All reductions.
        pub const REDUCTIONS: &[ReductionInfo] = &[$($(ReductionInfo {
            name: stringify!($name),
            types: $types,
            output: $output,
            empty: $empty,
            doc: concat!($($doc),+),
        },)*)*];

        $(
            $(#[$attribute])*
            pub trait $trait$(<$generic: $class>)?: $($expr)+ {
                $(
                    $(#[doc = $doc])+
                    ///
                    /// # Errors
                    /// Those of [`Reductions`], and those of the reduction.
                    ///
                    /// ```
                    /// use elementwise::{ComplexNorms, Expr, Norms, Reductions, array};
                    #[doc = $example]
                    /// # Ok::<(), elementwise::Error>(())
                    /// ```
                    #[inline(always)]
                    fn $name(self $(, $parameter: $parameter_type)*) -> Result<$result, Error>
                    where
                        $($bound)+,
                    {
                        let expr = settled(self);
                        $(
                            if let Some(result) = run::all_usual(&expr, &$usual) {
                                return Ok(result);
                            }
                        )?
                        run::all(expr, &$op)
                    }

                    #[doc = concat!("As [`", stringify!($name), "`](Self::", stringify!($name), "), along the given axes.")]
                    ///
                    /// # Errors
                    #[doc = concat!("As for [`", stringify!($name), "`](Self::", stringify!($name), ").")]
                    fn $name_axis<Ax: ReduceAxes<RankOf<Self>>>(
                        self,
                        axes: Ax
                        $(, $parameter: $parameter_type)*
                    ) -> Result<Array<$result, Ax::Rank>, Error>
                    where
                        $($bound)+,
                    {
                        let (expr, exec) = (settled(self), Exec::current());
                        $(
                            if let Some(result) = run::along_usual(&expr, &$usual, &axes, &exec) {
                                return Ok(result);
                            }
                        )?
                        run::along(&expr, &$op, &axes, &exec)
                    }
                )*

                $($further)*
            }

            impl<$($generic: $class,)? E: $($expr)+> $trait$(<$generic>)? for E {}
        )*
    };
}

reductions! {
    /// The reductions as methods: of all elements, and along some axes (`_axis`), which are one
    /// (`1`), several (`[0, 2]`) or, with [`keep`](super::keep) around them, kept in the result
    /// with extent 1.
    ///
    /// What is reduced may be an array, a view, or an expression, of which no array is made. The
    /// type of a result is that of the elements, unless it is an index, a count or a `bool`.
    /// Results do not depend on the layout of the operands, the instruction set or the number of
    /// threads: see [`Reduction`] for the order.
    ///
    /// All of them return an error if the operands' shapes do not fit each other, if an axis is out
    /// of range or named twice, if the result does not fit in memory, or if there are no elements
    /// and the reduction has no result for that.
    ///
    /// ```
    /// use elementwise::{Reductions, array};
    /// let (x, y) = (array![[1.0_f64, 2.0], [3.0, 4.0]], array![[0.0, 2.0], [3.0, 6.0]]);
    /// assert_eq!(((&x - &y) * (&x - &y)).sum()?, 5.0);
    /// assert_eq!((&x * &y).sum_axis(1)?.to_vec(), [4.0, 33.0]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    trait Reductions [] of [Expr<Rank: ResultRank>] {
        /// The sum. Integers are added up in a wider type, and a sum that does not fit in theirs is
        /// an error, which says what to cast to; `f16` and `bf16` are added up in `f32`, `f32` and
        /// `f64` in a fixed order by halves; it is rounded once.
        sum sum_axis() = Sum, "numbers" => "the same", "0", [Self::Elem: Number] => Self::Elem,
        "assert_eq!(array![[20_u8, 10], [1, 2]].sum()?, 33);\n\
         assert_eq!(array![[20_u8, 10], [1, 2]].sum_axis(0)?.to_vec(), [21, 12]);\n\
         assert!(array![200_u8, 100].sum().is_err());\n\
         assert_eq!(array![200_u8, 100].cast::<u64>().sum()?, 300);";

        /// The sum modulo 2 to the number of bits.
        sum_wrapping sum_wrapping_axis() = SumWrapping, "integers" => "the same", "0",
        [Self::Elem: Integer] => Self::Elem,
        "assert_eq!(array![200_u8, 100].sum_wrapping()?, 44);";

        /// The product. One of integers that does not fit in their type is an error, which says
        /// what to cast to; `f16` and `bf16` are multiplied in `f32`.
        product product_axis() = Product, "numbers" => "the same", "1",
        [Self::Elem: Number] => Self::Elem,
        "assert_eq!(array![[2_i32, 3], [4, 5]].product_axis(1)?.to_vec(), [6, 20]);\n\
         assert!(array![1_u64 << 40, 1 << 40].product().is_err());";

        /// The product modulo 2 to the number of bits.
        product_wrapping product_wrapping_axis() = ProductWrapping, "integers" => "the same", "1",
        [Self::Elem: Integer] => Self::Elem,
        "assert_eq!(array![100_u8, 3].product_wrapping()?, 44);";

        /// The arithmetic mean, rounded once. Of integers, `x.cast::<f64>().mean()`.
        mean mean_axis() = Mean, "floating, complex" => "the same", "an error",
        [Self::Elem: Inexact] => Self::Elem,
        "assert_eq!(array![[1.0, 2.0], [3.0, 6.0]].mean()?, 3.0);\n\
         assert_eq!(array![[1, 2], [3, 6]].cast::<f64>().mean_axis(0)?.to_vec(), [2.0, 4.0]);";

        /// The variance, with the number of elements less `ddof` as the divisor: 0 for a
        /// population, 1 for a sample. In one pass, as exact as in two unless the very first
        /// elements are far from all others: see [`Var`](crate::Var). An error if there are no
        /// more elements than `ddof`, or that is negative or not finite. Any number will do for it:
        /// in code for any float `T`, `x.var(T::one())`.
        var var_axis(ddof: impl ToPrimitive) = Var { ddof: divisor(ddof) }, "floating" => "the same", "an error",
        [Self::Elem: Float] => Self::Elem,
        "assert_eq!(array![1.0, 2.0, 3.0].var(0.0)?, 2.0 / 3.0);\n\
         assert_eq!(array![[1.0, 2.0], [3.0, 6.0]].var_axis(0, 1.0)?.to_vec(), [2.0, 8.0]);";

        /// The standard deviation: the square root of the variance.
        std std_axis(ddof: impl ToPrimitive) = Std { ddof: divisor(ddof) }, "floating" => "the same", "an error",
        [Self::Elem: Float] => Self::Elem,
        "assert_eq!(array![2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0].std(0.0)?, 2.0);";

        /// The smallest element, -0 below +0; NaN if there is one.
        min min_axis() = Min, "real, bool" => "the same", "an error",
        [Self::Elem: Ordered] => Self::Elem,
        "assert_eq!(array![[3, 1], [2, 5]].min_axis(1)?.to_vec(), [1, 2]);";

        /// The largest element, +0 above -0; NaN if there is one.
        max max_axis() = Max, "real, bool" => "the same", "an error",
        [Self::Elem: Ordered] => Self::Elem,
        "assert_eq!(array![[3, 1], [2, 5]].max()?, 5);\n\
         assert!(array![1.0, f64::NAN].max()?.is_nan());";

        /// The smallest element that is not NaN, -0 below +0; NaN if there is none.
        nanmin nanmin_axis() = NanMin, "floating" => "the same", "an error",
        [Self::Elem: Float] => Self::Elem,
        "assert_eq!(array![2.0, f64::NAN].nanmin()?, 2.0);";

        /// The largest element that is not NaN, +0 above -0; NaN if there is none.
        nanmax nanmax_axis() = NanMax, "floating" => "the same", "an error",
        [Self::Elem: Float] => Self::Elem,
        "assert_eq!(array![2.0, f64::NAN].nanmax()?, 2.0);";

        /// The sum of the elements that are not NaN: 0 if there is none.
        nansum nansum_axis() = NanSum, "floating" => "the same", "0",
        [Self::Elem: Float] => Self::Elem,
        "assert_eq!(array![[2.0, f64::NAN], [3.0, 4.0]].nansum_axis(0)?.to_vec(), [5.0, 4.0]);";

        /// The arithmetic mean of the elements that are not NaN, rounded once; NaN if there is
        /// none.
        nanmean nanmean_axis() = NanMean, "floating" => "the same", "an error",
        [Self::Elem: Float] => Self::Elem,
        "assert_eq!(array![[2.0, f64::NAN], [3.0, 4.0]].nanmean_axis(0)?.to_vec(), [2.5, 4.0]);";

        /// The number of the first smallest element, in row-major order among those reduced (so
        /// along one axis, the index); of the first NaN if there is one.
        argmin argmin_axis() = ArgMin, "real, bool" => "usize", "an error",
        [Self::Elem: Ordered] => usize,
        "assert_eq!(array![3, 1, 1].argmin()?, 1);";

        /// The number of the first largest element, in row-major order among those reduced (so
        /// along one axis, the index); of the first NaN if there is one.
        argmax argmax_axis() = ArgMax, "real, bool" => "usize", "an error",
        [Self::Elem: Ordered] => usize,
        "assert_eq!(array![[3, 1], [2, 5]].argmax_axis(1)?.to_vec(), [0, 1]);";

        /// Whether any element is true. What follows the first one that is may be left out.
        any any_axis() = Any, "bool" => "bool", "false",
        [Any: Reduction<Self::Elem, Output = bool>] => bool,
        "assert!(array![false, true].any()?);";

        /// Whether all elements are true. What follows the first one that is not may be left out.
        all all_axis() = All, "bool" => "bool", "true",
        [All: Reduction<Self::Elem, Output = bool>] => bool,
        "assert_eq!(array![[true, true], [false, true]].all_axis(1)?.to_vec(), [true, false]);";

        /// The number of elements that are not zero; of `bool`, that are true.
        count_nonzero count_nonzero_axis() = CountNonzero, "all" => "usize", "0",
        [CountNonzero: Reduction<Self::Elem, Output = usize>] => usize,
        "assert_eq!(array![0.0, -0.0, 1.5].count_nonzero()?, 1);";

        /// The logarithm of the sum of the exponentials, without overflow, in one pass.
        log_sum_exp log_sum_exp_axis() = LogSumExp, "floating" => "the same", "-inf",
        [Self::Elem: Float] => Self::Elem,
        "assert_eq!(array![1000.0, 1000.0].log_sum_exp()?, 1000.0 + 2f64.ln());";
    } and {
        /// All elements combined by a closure, in the order that [`Reduction`] describes: so it has
        /// to be associative and commutative, but for rounding.
        /// [`Lanewise::fold`](super::Lanewise::fold) takes any closure, one element after the
        /// other.
        ///
        /// # Errors
        /// Those of [`Reductions`]; no elements cannot be combined.
        ///
        /// ```
        /// use elementwise::{Reductions, array};
        /// assert_eq!(array![6, 10, 15].reduce(|a, b| a | b)?, 15);
        /// # Ok::<(), elementwise::Error>(())
        /// ```
        fn reduce<F: Fn(Self::Elem, Self::Elem) -> Self::Elem + OnThreads>(self, f: F) -> Result<Self::Elem, Error> {
            run::all(settled(self), &Combine(f))
        }

        /// As [`reduce`](Self::reduce), along the given axes.
        ///
        /// # Errors
        /// As for [`reduce`](Self::reduce).
        fn reduce_axis<Ax, F>(self, axes: Ax, f: F) -> Result<Array<Self::Elem, Ax::Rank>, Error>
        where
            Ax: ReduceAxes<RankOf<Self>>,
            F: Fn(Self::Elem, Self::Elem) -> Self::Elem + OnThreads,
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
            Ax: ReduceAxes<RankOf<Self>>,
        {
            run::along(&settled(self), &reduction, &axes, &Exec::current())
        }

        /// How [`reduce_by`](Self::reduce_by) would compute this: loops, blocks, strides, tasks,
        /// bytes moved. Print it.
        ///
        /// # Errors
        /// If the operands' shapes do not fit each other, or an axis is out of range or named
        /// twice.
        ///
        /// ```
        /// use elementwise::{Array2, Reductions, Sum};
        /// let x = Array2::<f32>::zeros([64, 32]);
        /// assert!(x.explain_reduce(Sum, 1)?.to_string().contains("64 x 32 (folded)"));
        /// # Ok::<(), elementwise::Error>(())
        /// ```
        fn explain_reduce<F, Ax>(self, reduction: F, axes: Ax) -> Result<crate::plan::Explanation, Error>
        where
            F: Reduction<Self::Elem>,
            Ax: ReduceAxes<RankOf<Self>>,
        {
            run::explain(&settled(self), &reduction, &axes, &Exec::current())
        }
    }

    /// The norms of real numbers, as methods like those of [`Reductions`].
    trait Norms [] of [Expr<Rank: ResultRank, Elem: Real>] {
        /// The sum of the absolute values. One of integers that does not fit in their type is an
        /// error.
        norm_l1 norm_l1_axis() = NormL1, "real" => "the same", "0",
        [Self::Elem: Number] => Self::Elem,
        "assert_eq!(array![1.0, -2.0].norm_l1()?, 3.0);\n\
         assert!(array![-128_i8].norm_l1().is_err());";

        /// The Euclidean norm, of a matrix the Frobenius norm: the square root of the sum of the
        /// squares. Those are added up in `f64`, and neither those of very large numbers nor those
        /// of very small ones are lost.
        norm_l2 norm_l2_axis() = NormL2; UsualNormL2, "floating" => "the same", "0",
        [Self::Elem: Float] => Self::Elem,
        "assert_eq!(array![[3.0, 4.0]].norm_l2()?, 5.0);\n\
         assert_eq!(array![3e-200, 4e-200].norm_l2()?, 5e-200);";

        /// The largest absolute value; NaN if there is a NaN. One of integers that does not fit in
        /// their type is an error.
        norm_max norm_max_axis() = NormMax, "real" => "the same", "an error",
        [Self::Elem: Number] => Self::Elem,
        "assert_eq!(array![1.0, -2.0].norm_max()?, 2.0);";
    } and {}

    /// The norms of complex numbers, which are real, as methods like those of [`Reductions`].
    trait ComplexNorms [F: Real] of [Expr<Rank: ResultRank, Elem = Complex<F>>] {
        /// The sum of the absolute values.
        norm_l1 norm_l1_axis() = NormL1, "complex" => "of its parts", "0",
        [Complex<F>: Number<RealPart = F>] => F,
        "use num_complex::Complex;\nassert_eq!(array![Complex::new(3.0, 4.0)].norm_l1()?, 5.0);";

        /// The Euclidean norm, of a matrix the Frobenius norm: as for real numbers, of the absolute
        /// values.
        norm_l2 norm_l2_axis() = NormL2; UsualNormL2, "complex" => "of its parts", "0",
        [Complex<F>: Inexact<RealPart = F>] => F,
        "use num_complex::Complex;\nassert_eq!(array![Complex::new(3.0, 4.0)].norm_l2()?, 5.0);";

        /// The largest absolute value; NaN if there is a NaN.
        norm_max norm_max_axis() = NormMax, "complex" => "of its parts", "an error",
        [Complex<F>: Number<RealPart = F>] => F,
        "use num_complex::Complex;\nassert_eq!(array![Complex::new(3.0, 4.0)].norm_max()?, 5.0);";
    } and {}
}
