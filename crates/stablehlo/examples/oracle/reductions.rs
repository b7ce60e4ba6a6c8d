//! Reductions of the library, as programs.

use crate::entries::Elements;
use crate::random::Random;
use arrayfile::FileElement;
use elementwise::{
    All, Any, ArgMax, ArgMin, Array3, CountNonzero, LogSumExp, Max, Mean, Min, NanMax, NanMean,
    NanMin, NanSum, NormL1, NormL2, NormMax, Product, ProductWrapping, Reduction, Reductions, Std,
    Sum, SumWrapping, Var,
};
use half::{bf16, f16};
use num_complex::Complex;
use stablehlo::{ElementKind, Error, Module, Program};

/// A reduction here, and as a module.
pub(crate) struct Reduced {
    pub(crate) name: &'static str,
    pub(crate) of: ElementKind,
    pub(crate) module: Module,
    pub(crate) result: ElementKind,
    pub(crate) expected: Vec<u8>,
}

/// Of a random array; `special` with infinities, NaN, and ends of the range.
fn reduced<T, F>(
    random: &mut Random,
    reduction: impl Fn() -> F,
    special: bool,
) -> Result<Reduced, Error>
where
    T: Elements,
    F: Reduction<T> + 'static,
    F::Output: FileElement,
{
    let x =
        Array3::<T>::from_fn(
            [5, 40, 6],
            |_| {
                if special { T::any(random) } else { T::tame(random) }
            },
        );
    let program = Program::new("main")?;
    let value = program.reduce(reduction(), &x, [0, 1])?;
    program.result("result", value)?;
    let expected = x.reduce_by(reduction(), [0, 1])?.to_vec();
    Ok(Reduced {
        name: F::NAME,
        of: T::KIND,
        module: program.finish()?,
        result: <F::Output as FileElement>::KIND,
        expected: bytemuck::cast_slice::<F::Output, u8>(&expected).to_vec(),
    })
}

/// All of them.
pub(crate) fn reductions(random: &mut Random) -> Result<Vec<Reduced>, Error> {
    let mut to = Vec::new();
    macro_rules! each {
        ($special:literal [$($type:ty),*] $ops:tt) => { $(each!(@ $special $type, $ops);)* };
        (@ $special:literal $type:ty, [$($op:expr),*]) => {
            $(to.push(reduced::<$type, _>(random, || $op, $special)?);)*
        };
    }
    each!(false [f32, f64, f16, bf16] [Sum, Mean, Product, LogSumExp, NormL1, NormL2]);
    each!(false [f32, f64, f16, bf16] [Var { ddof: 1.0 }, Std { ddof: 0.0 }]);
    each!(true [f32, f64, f16, bf16] [
        Max, Min, NanMax, NanMin, ArgMax, ArgMin, NormMax, CountNonzero
    ]);
    each!(true [i8, i16, i32, i64, u8, u16, u32, u64] [
        Max, Min, ArgMax, ArgMin, SumWrapping, ProductWrapping, CountNonzero
    ]);
    each!(true [bool] [Max, Min, ArgMax, Any, All, CountNonzero]);
    each!(false [Complex<f32>, Complex<f64>] [
        Sum, Mean, NormL1, NormL2, NormMax, CountNonzero
    ]);
    each!(false [f32, f64, f16, bf16] [NanSum, NanMean]);
    Ok(to)
}
