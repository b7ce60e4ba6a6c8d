//! [`FileElement`]: what a file can hold, listed once.

use bytemuck::{CheckedBitPattern, NoUninit, Zeroable};
use half::{bf16, f16};
use ndcore::Element;
use num_complex::Complex;
use std::fmt;

/// Declares the kinds: what the documentation says, the variant, the name in Rust, the bytes, and
/// what the formats call it.
macro_rules! kinds {
    ($($doc:literal $Kind:ident $name:literal $size:literal $npy:literal $tensors:expr;)*) => {
        /// The element types that files know.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ElementKind {
            $(
                #[doc = $doc]
                $Kind,
            )*
        }

        impl ElementKind {
            /// All of them.
            pub const ALL: [ElementKind; 15] = [$(ElementKind::$Kind),*];

            /// The bytes of an element.
            pub const fn size(self) -> usize {
                match self {
                    $(ElementKind::$Kind => $size,)*
                }
            }

            /// The name of the type in Rust.
            pub const fn name(self) -> &'static str {
                match self {
                    $(ElementKind::$Kind => $name,)*
                }
            }

            /// The letter and the size by which NumPy calls the type.
            #[cfg(feature = "npy")]
            pub(crate) fn in_npy(self) -> &'static str {
                match self {
                    $(ElementKind::$Kind => $npy,)*
                }
            }

            /// What `.safetensors` files call the type, if they have it.
            #[cfg(feature = "safetensors")]
            pub(crate) fn in_safetensors(self) -> Option<&'static str> {
                match self {
                    $(ElementKind::$Kind => $tensors,)*
                }
            }
        }
    };
}
kinds! {
    "`bool`: a byte, 0 or 1." Bool "bool" 1 "b1" Some("BOOL");
    "`i8`." I8 "i8" 1 "i1" Some("I8");
    "`i16`." I16 "i16" 2 "i2" Some("I16");
    "`i32`." I32 "i32" 4 "i4" Some("I32");
    "`i64`, and `isize` where it has 64 bits." I64 "i64" 8 "i8" Some("I64");
    "`u8`." U8 "u8" 1 "u1" Some("U8");
    "`u16`." U16 "u16" 2 "u2" Some("U16");
    "`u32`." U32 "u32" 4 "u4" Some("U32");
    "`u64`, and `usize` where it has 64 bits." U64 "u64" 8 "u8" Some("U64");
    "`f16`: half precision." F16 "f16" 2 "f2" Some("F16");
    "`bf16`: the upper half of an `f32`." BF16 "bf16" 2 "V2" Some("BF16");
    "`f32`." F32 "f32" 4 "f4" Some("F32");
    "`f64`." F64 "f64" 8 "f8" Some("F64");
    "`Complex<f32>`." C64 "Complex<f32>" 8 "c8" Some("C64");
    "`Complex<f64>`." C128 "Complex<f64>" 16 "c16" None;
}

impl ElementKind {
    /// The bytes that change places between the two byte orders: those of one number, of which a
    /// complex one has two.
    pub const fn word(self) -> usize {
        match self {
            ElementKind::C64 => 4,
            ElementKind::C128 => 8,
            kind => kind.size(),
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
