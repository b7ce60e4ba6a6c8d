#![doc = include_str!("../README.md")]

mod bitcast;
mod borrow;
mod close;
mod eval;
mod exec;
mod expr;
mod help;
mod inplace;
pub mod iter;
mod kernel;
mod math;
#[cfg(feature = "matmul")]
mod matmul;
mod number;
pub mod ops;
pub mod plan;
mod rearrange;
mod reduce;
mod threads;
mod trace;
mod types;

pub use bcast::{Error, ErrorKind};
pub use bitcast::{bitcast_join, bitcast_split};
pub use borrow::{AsView, AsViewMut};
pub use close::{Close, Closeness, Difference, IsClose};
pub use eval::Assign;
pub use exec::Exec;
pub use expr::{
    Along, Apply, Boxed, Choice, Constant, ElementType, Elements, Erased, Exact, Expr, ExprRank,
    Floating, Lazy, Mask, MeetsRank, Numpy, NumpyRank, OfIndex, Operand, Operation, Owned, Pair,
    RankOf, ResultRank, SameElement, Shared, Term, TooManyAxes, Visitor, Zip, clamp, constant,
    numpy, select, zip,
};
pub use expr::{Generate, Generator, Indices, Iota, generate, indices, iota};
pub use inplace::{Destination, Destinations, InPlace, IntoMapped, for_each, for_each_in_turn};
#[doc(hidden)]
pub use kernel::ByGroups;
pub use kernel::Isa;
#[cfg(feature = "matmul")]
pub use matmul::{DotRank, Matrix, MatrixMut};
pub use ndcore::{
    Axes, Axis, ColumnMajor, Dimension, Dyn, Element, IntoAxes, IntoAxis, IntoLayout, IntoShape,
    Item, Layout, LayoutError, LayoutErrorKind, MAX_NDIM, MeshIndex, Meshgrid, MultiSlice, NewAxis,
    Order, Rank, ShapeBuilder, SliceElem, Slices, meshgrid, s,
};
pub use number::{Float, Inexact, Integer, Monoid, Native, Number, Ordered, ProductOf};
pub use ops::{BinaryMethods, CastTo, Func, Numeric, Op, Real, UnaryMethods};
pub use ops::{FloatFunctions, Functions};
pub use rearrange::{Rearrange, concatenate, kron, stack};
pub use reduce::{
    Accumulator, All, Any, ArgMax, ArgMin, Blocks, CheckedMethods, Combine, ComplexNorms,
    CountNonzero, CumMax, CumMin, CumProd, CumSum, Keep, Lanewise, LogSumExp, Max, Mean, Min,
    MonoidReduction, Named, NanMax, NanMean, NanMin, NanSum, NormL1, NormL2, NormMax, Norms, Place,
    Plain, Portable, Product, ProductWrapping, QuantileMethod, REDUCTIONS, ReduceAxes, Reduction,
    ReductionInfo, Reductions, Scan, SoftmaxSteps, Std, Sum, SumWrapping, Var, keep,
};
pub use threads::OnThreads;
pub use types::{
    ArcArray, ArcArray1, ArcArray2, Array, Array0, Array1, Array2, Array3, Array4, Array5, Array6,
    Array7, Array8, ArrayD, CowArray, Fused, Scalar, View, View0, View1, View2, View3, View4,
    View5, View6, View7, View8, ViewD, ViewMut, ViewMut0, ViewMut1, ViewMut2, ViewMut3, ViewMut4,
    ViewMut5, ViewMut6, ViewMut7, ViewMut8, ViewMutD,
};

#[doc(hidden)]
pub use ndcore as __ndcore;

/// An array from its elements, up to rank 4: `array![1, 2]`, `array![[1, 2], [3, 4]]`. See
/// [`ndcore::array!`].
#[macro_export]
macro_rules! array {
    ($($elements:tt)*) => { $crate::__ndcore::array!($($elements)*).with_engine::<$crate::Fused>() };
}
