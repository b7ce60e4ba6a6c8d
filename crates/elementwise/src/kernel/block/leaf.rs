//! What lies in memory: runs, slices, and elements that lie apart.

use super::{Block, Reads};
use ndcore::{Element, Runs, Spaced, Starts, Strip, Window};

/// How many bytes ahead of their use elements are asked for.
const AHEAD_BYTES: usize = 2048;

/// What is one run.
macro_rules! one_run {
    ($([$($of:tt)*] $type:ty, |$self:ident, $i:ident| $get:expr;)*) => {$(
        impl<$($of)*> Reads for $type {
            type Elem = T;

            #[inline(always)]
            unsafe fn get(&self, $i: usize) -> T {
                let $self = self;
                // SAFETY: the caller's promise.
                unsafe { $get }
            }
        }
    )*};
}
one_run! {
    // In a debug build, what is checked takes less time than a call.
    [T: Copy] &[T], |slice, i| match cfg!(debug_assertions) {
        true => slice[i],
        false => *slice.get_unchecked(i),
    };
    [T: Element] Spaced<'_, T>, |spaced, i| spaced.get(i);
    [T: Element, const N: usize] Window<'_, T, N>, |window, i| window.get(i);
    [T: Element, const N: usize] Strip<'_, T, N>, |strip, i| strip.get(i);
}

impl<T: Copy> Reads for Starts<'_, T> {
    type Elem = T;

    const SKIPS: bool = true;

    #[inline(always)]
    fn at(&self, run: usize, count: usize) -> Self {
        Starts::at(self, run, count)
    }

    #[inline(always)]
    unsafe fn get(&self, i: usize) -> T {
        // SAFETY: the caller's promise.
        unsafe { Starts::get(self, i) }
    }

    #[inline(always)]
    fn prefetch<const ROOT: bool>(&self, i: usize, len: usize) {
        Starts::prefetch(self, i, len, AHEAD_BYTES);
    }
}

impl<T: Copy> Block for &[T] {
    type Elem = T;
    type Reads = Self;
    const SKIPS: bool = true;

    #[inline(always)]
    fn len(&self) -> usize {
        <[T]>::len(self)
    }

    #[inline(always)]
    fn reads(&self) -> Self {
        self
    }

    #[inline(always)]
    fn skip(&self, count: usize) -> Self {
        &self[count.min(<[T]>::len(self))..]
    }
}

impl<'a, T: Element> Block for Runs<'a, T> {
    type Elem = T;
    type Reads = Starts<'a, T>;
    const SKIPS: bool = true;

    #[inline(always)]
    fn len(&self) -> usize {
        Runs::len(self)
    }

    #[inline(always)]
    fn runs(&self) -> usize {
        self.count()
    }

    #[inline(always)]
    fn run(&self, number: usize) -> Self {
        Runs::run(self, number)
    }

    #[inline(always)]
    fn line(&self, number: usize) -> Self {
        Runs::line(self, number)
    }

    #[inline(always)]
    fn gathers(&self) -> bool {
        Runs::gathers(self)
    }

    #[inline(always)]
    fn reads(&self) -> Starts<'a, T> {
        self.starts()
    }

    #[inline(always)]
    fn reads_of<const HERE: bool>(&self, row: Option<usize>, run: usize) -> Starts<'a, T> {
        match row {
            None if HERE => self.run(run).starts(),
            Some(row) if HERE => self.row(row).run(run).starts(),
            _ => self.starts_of(row.unwrap_or(0), run),
        }
    }

    const STORED: bool = true;

    #[inline(always)]
    fn side_by_side(&self) -> Option<&[T]> {
        if Runs::gathers(self) { None } else { Some(self.first()) }
    }

    #[inline(always)]
    fn rows(&self) -> usize {
        self.rows_len()
    }

    #[inline(always)]
    fn row(&self, number: usize) -> Self {
        Runs::row(self, number)
    }

    #[inline(always)]
    fn skip(&self, count: usize) -> Self {
        Runs::skip(self, count)
    }
}

/// What lies apart, read where it is.
macro_rules! apart {
    ($([$($size:tt)*] $type:ty;)*) => {$(
        impl<T: Element, $($size)*> Block for $type {
            type Elem = T;
            type Reads = Self;

            #[inline(always)]
            fn reads(&self) -> Self {
                *self
            }

            #[inline(always)]
            fn len(&self) -> usize {
                <$type>::len(self)
            }
        }
    )*};
}
apart! {
    [] Spaced<'_, T>;
    [const N: usize] Window<'_, T, N>;
    [const N: usize] Strip<'_, T, N>;
}
