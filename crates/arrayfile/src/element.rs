//! [`FileElement`]: what a file can hold, listed once.

use bytemuck::{CheckedBitPattern, NoUninit, Zeroable};
use half::{bf16, f16};
use ndcore::Element;
use num_complex::Complex;
use std::fmt;

/// The element types that files know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ElementKind {
    /// `bool`: a byte, 0 or 1.
    Bool,
    /// `i8`.
    I8,
    /// `i16`.
    I16,
    /// `i32`.
    I32,
    /// `i64`, and `isize` where it has 64 bits.
    I64,
    /// `u8`.
    U8,
    /// `u16`.
    U16,
    /// `u32`.
    U32,
    /// `u64`, and `usize` where it has 64 bits.
    U64,
    /// `f16`: half precision.
    F16,
    /// `bf16`: the upper half of an `f32`.
    BF16,
    /// `f32`.
    F32,
    /// `f64`.
    F64,
    /// `Complex<f32>`.
    C64,
    /// `Complex<f64>`.
    C128,
}

impl ElementKind {
    /// All of them.
    pub const ALL: [ElementKind; 15] = [
        ElementKind::Bool,
        ElementKind::I8,
        ElementKind::I16,
        ElementKind::I32,
        ElementKind::I64,
        ElementKind::U8,
        ElementKind::U16,
        ElementKind::U32,
        ElementKind::U64,
        ElementKind::F16,
        ElementKind::BF16,
        ElementKind::F32,
        ElementKind::F64,
        ElementKind::C64,
        ElementKind::C128,
    ];

    /// The bytes of an element.
    pub const fn size(self) -> usize {
        match self {
            ElementKind::Bool | ElementKind::I8 | ElementKind::U8 => 1,
            ElementKind::I16 | ElementKind::U16 | ElementKind::F16 | ElementKind::BF16 => 2,
            ElementKind::I32 | ElementKind::U32 | ElementKind::F32 => 4,
            ElementKind::I64 | ElementKind::U64 | ElementKind::F64 | ElementKind::C64 => 8,
            ElementKind::C128 => 16,
        }
    }

    /// The bytes that change places between the two byte orders: those of one number, of which a
    /// complex one has two.
    pub const fn word(self) -> usize {
        match self {
            ElementKind::C64 => 4,
            ElementKind::C128 => 8,
            kind => kind.size(),
        }
    }

    /// The name of the type in Rust.
    pub const fn name(self) -> &'static str {
        match self {
            ElementKind::Bool => "bool",
            ElementKind::I8 => "i8",
            ElementKind::I16 => "i16",
            ElementKind::I32 => "i32",
            ElementKind::I64 => "i64",
            ElementKind::U8 => "u8",
            ElementKind::U16 => "u16",
            ElementKind::U32 => "u32",
            ElementKind::U64 => "u64",
            ElementKind::F16 => "f16",
            ElementKind::BF16 => "bf16",
            ElementKind::F32 => "f32",
            ElementKind::F64 => "f64",
            ElementKind::C64 => "Complex<f32>",
            ElementKind::C128 => "Complex<f64>",
        }
    }
}

impl fmt::Display for ElementKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

mod sealed {
    pub trait Sealed {}
}

/// What a file can hold: every element type that has arithmetic.
///
/// Implemented for `bool`, the integers up to 64 bits, `f16`, `bf16`, `f32`, `f64`, `Complex<f32>`
/// and `Complex<f64>`, and for nothing else.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an element type that files can hold",
    note = "files hold bool, i8 to i64, u8 to u64, isize, usize, f16, bf16, f32, f64 and complex numbers"
)]
pub trait FileElement: Element + CheckedBitPattern + NoUninit + Zeroable + sealed::Sealed {
    /// What files call it.
    const KIND: ElementKind;

    /// The memory of elements, to read into; `None` if not all bytes are elements.
    #[doc(hidden)]
    fn bytes_mut(elements: &mut [Self]) -> Option<&mut [u8]>;
}

macro_rules! plain {
    ($($type:ty: $kind:ident;)*) => {$(
        impl sealed::Sealed for $type {}

        impl FileElement for $type {
            const KIND: ElementKind = ElementKind::$kind;

            fn bytes_mut(elements: &mut [Self]) -> Option<&mut [u8]> {
                Some(bytemuck::cast_slice_mut(elements))
            }
        }
    )*};
}

plain! {
    i8: I8;
    i16: I16;
    i32: I32;
    i64: I64;
    u8: U8;
    u16: U16;
    u32: U32;
    u64: U64;
    f16: F16;
    bf16: BF16;
    f32: F32;
    f64: F64;
    Complex<f32>: C64;
    Complex<f64>: C128;
}

#[cfg(target_pointer_width = "64")]
plain! {
    isize: I64;
    usize: U64;
}

#[cfg(target_pointer_width = "32")]
plain! {
    isize: I32;
    usize: U32;
}

impl sealed::Sealed for bool {}

impl FileElement for bool {
    const KIND: ElementKind = ElementKind::Bool;

    fn bytes_mut(_: &mut [Self]) -> Option<&mut [u8]> {
        None
    }
}
