//! What a row of the table of operations becomes.

/// The names of the element types in a row's arms.
macro_rules! type_names {
    ($($class:ident)*) => { &[$(type_names!(@ $class),)*] };
    (@ signed) => { "i8..i64" };
    (@ unsigned) => { "u8..u64" };
    (@ ints) => { "i8..i64, u8..u64" };
    (@ floats) => { "f32, f64" };
    (@ halves) => { "f16, bf16" };
    (@ complexes) => { "Complex<f32>, Complex<f64>" };
    (@ bools) => { "bool" };
}

/// The first of two, if it is given.
macro_rules! or {
    (, $default:expr) => {
        $default
    };
    ($given:expr, $default:expr) => {
        $given
    };
}

/// From this cost on, the operations of the table are functions, made of multiply-adds.
pub(super) const FUNCTION: usize = 8;

/// The cost of an operation for a type: its own, if it has one.
pub(super) const fn or_own(own: Option<usize>, cost: usize) -> usize {
    match own {
        Some(own) => own,
        None => cost,
    }
}

/// The result of an operation, any NaN as the one of [`Canonical`], unless it is asked for as it
/// comes.
macro_rules! result {
    ([] $body:expr) => {
        super::Canonical::canonical($body)
    };
    ([raw] $body:expr) => {
        $body
    };
}

macro_rules! unary_impl {
    ($type:ty, (
        $Op:ident, $output:ty, [$($cost:literal)?], $raw:tt, $a:ident, $body:expr
        $(, $is_usual:expr => $usual:expr)?
    )) => {
        impl Unary<$Op> for $type {
            type Output = $output;
            $( const COST: Option<usize> = Some($cost); )?
            $(
                const RARE: bool = true;

                #[inline(always)]
                fn is_usual(self) -> bool {
                    let $a = self;
                    $is_usual
                }

                #[inline(always)]
                fn usual(self) -> $output {
                    let $a = self;
                    $usual
                }
            )?

            #[inline(always)]
            fn unary(self) -> $output {
                let $a = self;
                result!($raw $body)
            }
        }
    };
}

macro_rules! binary_impl {
    ($type:ty, (
        $Op:ident, $output:ty, [$($cost:literal)?], $raw:tt, $a:ident, $b:ident, $body:expr
        $(, $is_usual:expr => $usual:expr)?
    )) => {
        impl Binary<$Op> for $type {
            type Output = $output;
            $( const COST: Option<usize> = Some($cost); )?
            $(
                const RARE: bool = true;

                #[inline(always)]
                fn is_usual(self, rhs: $type) -> bool {
                    let ($a, $b) = (self, rhs);
                    $is_usual
                }

                // It may be about one of them.
                #[allow(unused_variables)]
                #[inline(always)]
                fn usual(self, rhs: $type) -> $output {
                    let ($a, $b) = (self, rhs);
                    $usual
                }
            )?

            #[inline(always)]
            fn binary(self, rhs: $type) -> $output {
                let ($a, $b) = (self, rhs);
                result!($raw $body)
            }
        }
    };
}

// Where the results of all types are of the type of the operands, or `bool`, the implementation
// says so itself, and not type by type: so the type of an expression of literals is known before
// that of the literals is, and `(&x * &y).sum()?` infers.
macro_rules! op {
    (unary $($row:tt)+) => { op!(@ Unary unary T [a] $($row)+); };
    (binary $($row:tt)+) => { op!(@ Binary binary (T, T) [a b] $($row)+); };
    (@ $Of:ident $of:ident $args:tt $names:tt $Op:ident, $name:ident, $cost:expr, $(Self)+) => {
        op!(impl $of $args, $names $Op, $name, $cost, T, [T: $Of<$Op, Output = T>]);
    };
    (@ $Of:ident $of:ident $args:tt $names:tt $Op:ident, $name:ident, $cost:expr, $(bool)+) => {
        op!(impl $of $args, $names $Op, $name, $cost, bool, [T: $Of<$Op, Output = bool>]);
    };
    (@ $Of:ident $of:ident $args:tt $names:tt $Op:ident, $name:ident, $cost:expr, $($output:tt)+) => {
        op!(impl $of $args, $names $Op, $name, $cost, T::Output, [T: $Of<$Op>]);
    };
    (
        impl $of:ident $args:ty, [$a:ident $($b:ident)?]
        $Op:ident, $name:ident, $cost:expr, $output:ty, [$($bound:tt)+]
    ) => {
        impl<$($bound)+> Op<$args> for $Op {
            type Output = $output;
            const COST: usize = super::rows::or_own(T::COST, $cost);
            const MULTIPLY_ADDS: bool = super::rows::or_own(T::COST, $cost) >= super::rows::FUNCTION;
            const NAME: Option<&'static str> = Some(stringify!($name));

            const RARE: bool = T::RARE;
            op!(fuses $of $cost);

            #[inline(always)]
            fn apply(&self, ($a $(, $b)?): $args) -> $output {
                $a.$of($($b)?)
            }

            #[inline(always)]
            fn is_usual(&self, ($a $(, $b)?): $args) -> bool {
                $a.is_usual($($b)?)
            }

            #[inline(always)]
            fn apply_usual(&self, ($a $(, $b)?): $args) -> $output {
                $a.usual($($b)?)
            }
        }
    };
    // A square root is one instruction: a buffer would take longer.
    (fuses unary $cost:expr) => {
        const FUSES: bool = !T::RARE && super::rows::or_own(T::COST, $cost) <= 4;
    };
    (fuses binary $cost:expr) => {};
}

macro_rules! unary_ops {
    ($group:ident, operators: $(
        $(#[doc = $doc:literal])+
        $Op:ident $name:ident $stablehlo:literal $(within $accuracy:literal)? $(costs $cost:literal)? { $($class:ident $(costs $own:literal)? -> $output:tt $(, $raw:ident)?: |$a:ident| $body:expr $(, $is_usual:expr => $usual:expr)?;)+ }
    )+) => {
        $(
            op!(unary $Op, $name, or!($($cost)?, 1), $($output)+);

            $( for_types!($class => unary_impl!($Op, $output, [$($own)?], [$($raw)?], $a, $body $(, $is_usual => $usual)?)); )+
        )+

        /// The functions and the rows of these operations.
        pub mod $group {
            use super::*;

            $(
                $(#[doc = $doc])+
                #[inline]
                pub fn $name<T: ndcore::Element, A: Operand<T, Floating>>(
                    a: A,
                ) -> Lazy<Apply<$Op, A::Expr>> {
                    Apply::lazy($Op, a.into_expr())
                }
            )+

            pub(super) const ROWS: &[OpInfo] = &[$(OpInfo {
                name: stringify!($name),
                stablehlo: $stablehlo,
                arity: 1,
                types: type_names!($($class)+),
                accuracy: or!($($accuracy)?, ""),
                doc: concat!($($doc),+),
            }),+];
        }
    };
    ($group:ident, methods $Methods:ident: $(
        $(#[doc = $doc:literal])+
        $Op:ident $name:ident $stablehlo:literal $(alias $alias:literal)? $(within $accuracy:literal)? $(costs $cost:literal)? { $($class:ident $(costs $own:literal)? -> $output:tt $(, $raw:ident)?: |$a:ident| $body:expr $(, $is_usual:expr => $usual:expr)?;)+ }
    )+) => {
        unary_ops! {
            $group, operators: $(
                $(#[doc = $doc])+
                $Op $name $stablehlo $(within $accuracy)? $(costs $cost)? { $($class $(costs $own)? -> $output $(, $raw)?: |$a| $body $(, $is_usual => $usual)?;)+ }
            )+
        }

        $(
            $(#[doc = $doc])+
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            pub struct $Op;
        )+

        /// The operations of one operand that have no operator, as methods of every expression,
        /// array and view.
        // An expression takes its operands in, `is_nan` too.
        #[allow(clippy::wrong_self_convention)]
        pub trait $Methods: Expr {
            $(
                $(#[doc = $doc])+
                $(#[doc(alias = $alias)])?
                #[inline]
                fn $name(self) -> Lazy<Apply<$Op, Self::Node>>
                where
                    $Op: Op<Self::Elem>,
                {
                    Apply::lazy($Op, self.into_node())
                }
            )+
        }

        impl<E: Expr> $Methods for E {}
    };
}

macro_rules! binary_ops {
    ($group:ident, operators: $(
        $(#[doc = $doc:literal])+
        $Op:ident $name:ident $stablehlo:literal $(within $accuracy:literal)? $(costs $cost:literal)? { $($class:ident $(costs $own:literal)? -> $output:tt $(, $raw:ident)?: |$a:ident, $b:ident| $body:expr $(, $is_usual:expr => $usual:expr)?;)+ }
    )+) => {
        $(
            op!(binary $Op, $name, or!($($cost)?, 1), $($output)+);

            $( for_types!($class => binary_impl!($Op, $output, [$($own)?], [$($raw)?], $a, $b, $body $(, $is_usual => $usual)?)); )+
        )+

        /// The functions and the rows of these operations.
        pub mod $group {
            use super::*;

            $(
                $(#[doc = $doc])+
                ///
                /// XLA's form: `dims` are the `broadcast_dimensions` of the operand of lower rank,
                /// whichever side it is on; none (`[]`) for equal ranks and for scalars. The result
                /// is an expression whose shape has been checked.
                ///
                /// # Errors
                /// See [`bcast::binary_shape`].
                #[inline]
                pub fn $name<T, A, B, D>(
                    a: A,
                    b: B,
                    dims: D,
                ) -> Result<Lazy<Apply<$Op, <(A::Expr, B::Expr) as Pair>::Placed>>, Error>
                where
                    T: ndcore::Element,
                    A: Operand<T, Floating>,
                    B: Operand<T, Floating>,
                    D: AsRef<[usize]>,
                    (A::Expr, B::Expr): Pair,
                {
                    Ok(Apply::lazy($Op, (a.into_expr(), b.into_expr()).place(dims.as_ref())?))
                }
            )+

            pub(super) const ROWS: &[OpInfo] = &[$(OpInfo {
                name: stringify!($name),
                stablehlo: $stablehlo,
                arity: 2,
                types: type_names!($($class)+),
                accuracy: or!($($accuracy)?, ""),
                doc: concat!($($doc),+),
            }),+];
        }
    };
    ($group:ident, methods $Methods:ident: $(
        $(#[doc = $doc:literal])+
        $Op:ident $name:ident $stablehlo:literal $(within $accuracy:literal)? $(costs $cost:literal)? { $($class:ident $(costs $own:literal)? -> $output:tt $(, $raw:ident)?: |$a:ident, $b:ident| $body:expr $(, $is_usual:expr => $usual:expr)?;)+ }
    )+) => {
        binary_ops! {
            $group, operators: $(
                $(#[doc = $doc])+
                $Op $name $stablehlo $(within $accuracy)? $(costs $cost)? { $($class $(costs $own)? -> $output $(, $raw)?: |$a, $b| $body $(, $is_usual => $usual)?;)+ }
            )+
        }

        $(
            $(#[doc = $doc])+
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            pub struct $Op;
        )+

        /// The operations of two operands that have no operator, as methods of every expression,
        /// array and view.
        pub trait $Methods: Expr {
            $(
                $(#[doc = $doc])+
                #[inline]
                fn $name<B>(self, rhs: B) -> Lazy<Apply<$Op, (Self::Node, B::Expr)>>
                where
                    B: Operand<Self::Elem, Self::Rank>,
                {
                    Apply::lazy($Op, (self.into_node(), rhs.into_expr()))
                }
            )+
        }

        impl<E: Expr> $Methods for E {}
    };
}

pub(super) use {binary_impl, binary_ops, op, or, result, type_names, unary_impl, unary_ops};
