//! Several blocks that are read together.

use super::{Block, HasOps, Reads};
use ndcore::Element;

macro_rules! tuples {
    ($($($part:ident $index:tt),*;)*) => {$(
        impl<$($part: HasOps),*> HasOps for ($($part,)*) {
            type Ops = ($($part::Ops,)*);

            #[inline(always)]
            fn ops(&self) -> Self::Ops {
                ($(self.$index.ops(),)*)
            }

            #[inline(always)]
            fn with_ops(self, ops: Self::Ops) -> Self {
                ($(self.$index.with_ops(ops.$index),)*)
            }
        }

        impl<$($part: Reads<Elem: Copy>),*> Reads for ($($part,)*) {
            type Elem = ($($part::Elem,)*);

            const SKIPS: bool = $($part::SKIPS)&&*;

            #[inline(always)]
            fn at(&self, run: usize, count: usize) -> Self {
                ($(self.$index.at(run, count),)*)
            }

            #[inline(always)]
            unsafe fn get(&self, i: usize) -> Self::Elem {
                // SAFETY: the caller's promise; no part is shorter than the whole.
                unsafe { ($(self.$index.get(i),)*) }
            }

            #[inline(always)]
            fn prefetch<const ROOT: bool>(&self, i: usize, len: usize) {
                $(self.$index.prefetch::<false>(i, len);)*
            }
        }

        impl<$($part: Block<Elem: Element>),*> Block for ($($part,)*) {
            type Elem = ($($part::Elem,)*);
            type Reads = ($($part::Reads,)*);

            #[inline(always)]
            fn reads(&self) -> Self::Reads {
                ($(self.$index.reads(),)*)
            }

            #[inline(always)]
            fn reads_of<const HERE: bool>(&self, row: Option<usize>, run: usize) -> Self::Reads {
                ($(self.$index.reads_of::<HERE>(row, run),)*)
            }

            const WIDE: bool = $($part::WIDE)&&*;
            const SKIPS: bool = $($part::SKIPS)&&*;

            #[inline(always)]
            fn len(&self) -> usize {
                usize::MAX$(.min(self.$index.len()))*
            }

            #[inline(always)]
            fn runs(&self) -> usize {
                let runs = usize::MAX;
                $(let runs = runs.min(self.$index.runs());)*
                runs
            }

            #[inline(always)]
            fn run(&self, number: usize) -> Self {
                ($(self.$index.run(number),)*)
            }

            #[inline(always)]
            fn line(&self, number: usize) -> Self {
                ($(self.$index.line(number),)*)
            }

            #[inline(always)]
            fn gathers(&self) -> bool {
                $(self.$index.gathers())||*
            }

            #[inline(always)]
            fn rows(&self) -> usize {
                usize::MAX$(.min(self.$index.rows()))*
            }

            #[inline(always)]
            fn row(&self, number: usize) -> Self {
                ($(self.$index.row(number),)*)
            }

            #[inline(always)]
            fn skip(&self, count: usize) -> Self {
                ($(self.$index.skip(count),)*)
            }
        }
    )*};
}

tuples! {
    A 0;
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
    A 0, B 1, C 2, D 3, E 4;
    A 0, B 1, C 2, D 3, E 4, F 5;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7;
}
