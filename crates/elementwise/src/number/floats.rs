//! The rows of floating-point and complex numbers.

use super::{Float, Inexact, Monoid, Native, Number, one_nan};
#[cfg(feature = "matmul")]
use crate::matmul;
use crate::ops::{Abs, Add, CastTo, Unary};
use crate::reduce::compiled::compiled;
use crate::reduce::{Compiled, NormL2, OwnType, Spread, Sum, UsualNormL2, Var};
use bcast::Error;
use half::{bf16, f16};
use num_complex::Complex;

/// Floating-point numbers: the type they are computed in.
macro_rules! floats {
    ($($type:ident: $compute:ty, $product:expr;)*) => {$(
        impl Number for $type {
            if_compiled! { float $type =>
                const SUMS: Option<&'static Compiled<$type, f64, $type>> =
                    compiled!(Compiled<$type, f64, $type>, Sum);
                const IN_OWN_TYPE: Option<&'static OwnType<$type, $type>> = {
                    static SUMS: OwnType<$type, $type> = OwnType::of_columns::<false>(0.0);
                    Some(&SUMS)
                };
                const MEANS_IN_OWN_TYPE: Option<&'static OwnType<$type, $type>> = {
                    static MEANS: OwnType<$type, $type> = OwnType::of_columns::<true>(0.0);
                    Some(&MEANS)
                };
                #[cfg(feature = "matmul")]
                const PRODUCTS: Option<&'static matmul::CompiledProducts<$type>> =
                    compiled!(matmul::CompiledProducts<$type>);
            }
            multiply!($product);
            #[cfg(feature = "matmul")]
            const BY_OPERATIONS: bool = size_of::<$type>() == size_of::<$compute>();

            type Wide = f64;
            type Acc = $compute;
            type Factor = $compute;
            type Product = $compute;
            type Modulus = $type;
            type RealPart = $type;

            #[inline(always)]
            fn widen(self) -> f64 {
                self.cast_to()
            }

            #[inline(always)]
            fn narrow(wide: f64, _: &'static str) -> Result<$type, Error> {
                Ok(Self::rounded(wide))
            }

            #[inline(always)]
            fn lift(self) -> $compute {
                self.cast_to()
            }

            #[inline(always)]
            fn total(acc: $compute) -> f64 {
                acc.into()
            }

            #[inline(always)]
            fn factor(self) -> $compute {
                self.cast_to()
            }

            #[inline(always)]
            fn of_factor(factor: $compute, _: &'static str) -> Result<$type, Error> {
                Ok(one_nan(factor).cast_to())
            }

            #[inline(always)]
            fn modulus(self) -> $type {
                Unary::<Abs>::unary(self)
            }
        }

        impl Inexact for $type {
            type Squares = <$compute as Native>::Squares;
            if_compiled! { float $type =>
                const NORMS: Option<&'static Compiled<$type, Self::Squares, $type>> =
                    compiled!(Compiled<$type, <$compute as Native>::Squares, $type>, NormL2);
                const USUAL_NORMS: Option<&'static Compiled<$type, f64, $type>> =
                    compiled!(Compiled<$type, f64, $type>, UsualNormL2);
            }

            #[inline(always)]
            fn squares(self) -> Self::Squares {
                Native::squares(CastTo::<$compute>::cast_to(self))
            }

            fn root(squares: Self::Squares) -> $type {
                Self::rounded(<$compute as Native>::root(squares))
            }

            #[inline(always)]
            fn square(self) -> f64 {
                let x: f64 = self.cast_to();
                x * x
            }

            #[inline(always)]
            fn usual_root(square: f64) -> Option<$type> {
                // Before the root, as for `root`.
                let root = || Self::rounded(one_nan(square).sqrt());
                <$compute as Native>::is_usual(square).then(root)
            }
        }

        impl Float for $type {
            type Compute = $compute;
            if_compiled! { float $type =>
                const SPREADS: Option<&'static Compiled<$type, Spread, $type>> =
                    compiled!(Compiled<$type, Spread, $type>, Var);
            }

            #[inline(always)]
            fn rounded(number: f64) -> $type {
                one_nan(number).cast_to()
            }
        }
    )*};
}
floats! {
    f32: f32, matmul::product_f32;
    f64: f64, matmul::product_f64;
    f16: f32, matmul::product_half;
    bf16: f32, matmul::product_half;
}

/// Complex numbers: the type of their parts.
macro_rules! complexes {
    ($($part:ident: $product:expr;)*) => {$(
        impl Number for Complex<$part> {
            if_compiled! { complex $part =>
                const SUMS: Option<&'static Compiled<Complex<$part>, Complex<f64>, Self>> =
                    compiled!(Compiled<Complex<$part>, Complex<f64>, Complex<$part>>, Sum);
                #[cfg(feature = "matmul")]
                const PRODUCTS: Option<&'static matmul::CompiledProducts<Self>> =
                    compiled!(matmul::CompiledProducts<Complex<$part>>);
            }
            multiply!($product);

            type Wide = Complex<f64>;
            type Acc = ($part, $part);
            type Factor = Complex<$part>;
            type Product = Self;
            type Modulus = $part;
            type RealPart = $part;

            #[inline(always)]
            fn widen(self) -> Complex<f64> {
                self.cast_to()
            }

            #[inline(always)]
            fn narrow(wide: Complex<f64>, _: &'static str) -> Result<Self, Error> {
                Ok(Complex::new(one_nan(wide.re).cast_to(), one_nan(wide.im).cast_to()))
            }

            #[inline(always)]
            fn lift(self) -> ($part, $part) {
                (self.re, self.im)
            }

            #[inline(always)]
            fn total((re, im): ($part, $part)) -> Complex<f64> {
                Complex::new(re.into(), im.into())
            }

            #[inline(always)]
            fn factor(self) -> Self {
                self
            }

            #[inline(always)]
            fn of_factor(factor: Self, _: &'static str) -> Result<Self, Error> {
                Ok(Complex::new(one_nan(factor.re), one_nan(factor.im)))
            }

            #[inline(always)]
            fn modulus(self) -> $part {
                Unary::<Abs>::unary(self)
            }
        }

        impl Inexact for Complex<$part> {
            type Squares = <$part as Native>::Squares;

            #[inline(always)]
            fn squares(self) -> Self::Squares {
                Monoid::<Add>::combine(Native::squares(self.re), Native::squares(self.im))
            }

            fn root(squares: Self::Squares) -> $part {
                <$part>::rounded(<$part as Native>::root(squares))
            }

            #[inline(always)]
            fn square(self) -> f64 {
                self.re.square() + self.im.square()
            }

            #[inline(always)]
            fn usual_root(square: f64) -> Option<$part> {
                <$part>::usual_root(square)
            }
        }
    )*};
}
complexes! {
    f32: matmul::product_c32;
    f64: matmul::product_c64;
}
