//! Whether any element is, whether all are, and how many.

use super::{Place, Reduction};
use bcast::Error;
use ndcore::Element;

/// Whether any element is true.
#[derive(Clone, Copy, Debug, Default)]
pub struct Any;

/// Whether all elements are true.
#[derive(Clone, Copy, Debug, Default)]
pub struct All;

/// The number of elements that are not zero; of `bool`, that are true.
#[derive(Clone, Copy, Debug, Default)]
pub struct CountNonzero;

macro_rules! logic {
    ($($reduction:ident $name:literal $start:literal $op:tt;)*) => {$(
        impl Reduction<bool> for $reduction {
            type Acc = bool;
            type Total = bool;
            type Output = bool;
            const NAME: &'static str = $name;

            #[inline(always)]
            fn start(&self) -> bool {
                $start
            }

            #[inline(always)]
            fn step(&self, acc: bool, value: bool, _: usize) -> bool {
                acc $op value
            }

            const JOINS: bool = true;

            #[inline(always)]
            fn join(&self, a: bool, b: bool) -> bool {
                a $op b
            }

            #[inline(always)]
            fn total(&self, acc: bool, _: Place) -> bool {
                acc
            }

            #[inline(always)]
            fn merge(&self, a: bool, b: bool) -> bool {
                a $op b
            }

            #[inline(always)]
            fn finish(&self, total: bool, _: usize) -> Result<bool, Error> {
                Ok(total)
            }

            fn empty(&self) -> Option<bool> {
                Some($start)
            }
        }
    )*};
}
logic! {
    Any "any" false |;
    All "all" true &;
}

impl<T: Element + PartialEq + Default> Reduction<T> for CountNonzero {
    type Acc = u32;
    type Total = usize;
    type Output = usize;
    const NAME: &'static str = "count_nonzero";

    #[inline(always)]
    fn start(&self) -> u32 {
        0
    }

    #[inline(always)]
    fn step(&self, acc: u32, value: T, _: usize) -> u32 {
        acc.wrapping_add(u32::from(value != T::default()))
    }

    const JOINS: bool = true;

    #[inline(always)]
    fn join(&self, a: u32, b: u32) -> u32 {
        a.wrapping_add(b)
    }

    #[inline(always)]
    fn total(&self, acc: u32, _: Place) -> usize {
        acc as usize
    }

    #[inline(always)]
    fn merge(&self, a: usize, b: usize) -> usize {
        a + b
    }

    #[inline(always)]
    fn finish(&self, total: usize, _: usize) -> Result<usize, Error> {
        Ok(total)
    }

    fn empty(&self) -> Option<usize> {
        Some(0)
    }
}
