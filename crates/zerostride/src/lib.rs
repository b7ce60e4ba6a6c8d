#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

/// Arrays for other crates and back, without copies: faer, nalgebra, Arrow, image, DLPack. The
/// crate [`arraybridge`].
#[cfg(any(
    feature = "arrow",
    feature = "dlpack",
    feature = "faer",
    feature = "image",
    feature = "nalgebra"
))]
pub use arraybridge as bridge;
/// Arrays in files: `.npy`, `.npz`, `.safetensors`. The crate [`arrayfile`].
#[cfg(any(feature = "npy", feature = "safetensors"))]
pub use arrayfile as file;
/// Random arrays. The crate [`arrayrandom`].
#[cfg(feature = "rand")]
pub use arrayrandom as random;
pub use bcast::{
    Broadcast, Dims, Error, ErrorKind, binary_shape, broadcast_in_dim_strict, degenerate_shape,
    numpy_shape, suffix_dims, ternary_shape,
};
pub use elementwise::ops::functions::*;
pub use elementwise::{
    Accumulator, All, Along, Any, Apply, ArcArray, ArcArray1, ArcArray2, ArgMax, ArgMin, Array,
    Array0, Array1, Array2, Array3, Array4, Array5, Array6, Array7, Array8, ArrayD, AsView,
    AsViewMut, Assign, BinaryMethods, Boxed, CastTo, CheckedMethods, Choice, Close, Closeness,
    Combine, ComplexNorms, Constant, CountNonzero, CowArray, CumMax, CumMin, CumProd, CumSum,
    Difference, ElementType, Elements, Erased, Exec, Expr, ExprRank, Float, Floating, Func, Fused,
    Inexact, Integer, Isa, Keep, Lanewise, Lazy, LogSumExp, Mask, Max, Mean, Min, Monoid,
    MonoidReduction, Named, NanMax, NanMean, NanMin, NanSum, Native, NormL1, NormL2, NormMax,
    Norms, Number, Numeric, Numpy, NumpyRank, OfIndex, OnThreads, Op, Operand, Operation, Ordered,
    Owned, Place, Plain, Product, ProductOf, ProductWrapping, QuantileMethod, REDUCTIONS, RankOf,
    Real, Rearrange, ReduceAxes, Reduction, ReductionInfo, Reductions, ResultRank, Scalar, Scan,
    Std, Sum, SumWrapping, Term, TooManyAxes, UnaryMethods, Var, View, View0, View1, View2, View3,
    View4, View5, View6, View7, View8, ViewD, ViewMut, ViewMut0, ViewMut1, ViewMut2, ViewMut3,
    ViewMut4, ViewMut5, ViewMut6, ViewMut7, ViewMut8, ViewMutD, Visitor, array, bitcast_join,
    bitcast_split, concatenate, constant, iter, keep, kron, numpy, ops, plan, stack, zip,
};
pub use elementwise::{
    Destination, Destinations, FloatFunctions, Functions, Generate, Generator, InPlace, IntoMapped,
    for_each, for_each_in_turn, generate, indices, iota,
};
#[cfg(feature = "matmul")]
pub use elementwise::{DotRank, Matrix, MatrixMut};
pub use half::{bf16, f16};
#[cfg(feature = "ndarray-0_17")]
pub use ndcore::NdarrayRank;
pub use ndcore::{
    Axes, Axis, ColumnMajor, Dimension, Dyn, Element, IntoAxes, IntoAxis, IntoLayout, IntoShape,
    Item, Layout, LayoutError, LayoutErrorKind, MAX_NDIM, MeshIndex, Meshgrid, MultiSlice, NewAxis,
    Order, PoolStats, Rank, ShapeBuilder, SliceElem, Slices, meshgrid, pool_stats, s,
    set_pool_limit, trim_pool,
};
pub use num_complex::Complex;

/// What most programs need: `use zerostride::prelude::*`.
pub mod prelude {
    #[cfg(feature = "rand")]
    pub use crate::random::{RandomExt, SampleExt};
    pub use crate::{
        Array, Array0, Array1, Array2, Array3, Array4, Array5, Array6, ArrayD, AsView, AsViewMut,
        Assign, Axis, BinaryMethods, Boxed, Broadcast, CheckedMethods, Closeness, ComplexNorms,
        Dimension, Dyn, Expr, Float, Integer, Item, Lanewise, Lazy, NewAxis, Norms, Number,
        Ordered, Rank, Real, Rearrange, Reductions, ShapeBuilder, UnaryMethods, View, View0, View1,
        View2, View3, View4, View5, View6, ViewD, ViewMut, ViewMut1, ViewMut2, ViewMut3, ViewMutD,
        array, constant, keep, numpy, s, zip,
    };
    pub use crate::{InPlace, IntoMapped, for_each, indices, iota};
    #[cfg(feature = "matmul")]
    pub use crate::{Matrix, MatrixMut};
}

/// The traits of rayon that go over parts of arrays on several threads, by `ndarray`'s name, for
/// programs that have no dependency on rayon of their own.
///
/// ```
/// use zerostride::parallel::prelude::*;
/// use zerostride::prelude::*;
/// let mut a = array![[1, 2], [3, 4]];
/// a.axis_iter_mut(0)?.into_par_iter().for_each(|mut row| row.fill(7));
/// assert_eq!(a, array![[7, 7], [7, 7]]);
/// # Ok::<(), zerostride::Error>(())
/// ```
pub mod parallel {
    /// `use zerostride::parallel::prelude::*`.
    pub mod prelude {
        pub use rayon::prelude::*;
    }
}
