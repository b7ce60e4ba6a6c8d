//! Element types, their names in MLIR, and constants by their bits.

use arrayfile::{ElementKind, FileElement};
use elementwise::ElementType;
use half::{bf16, f16};
use num_complex::Complex;
use std::any::{Any, TypeId};

pub use arrayfile::ElementKind as Kind;

/// Calls a macro with each element type.
macro_rules! for_elements {
    ($m:ident) => {
        $m! {
            bool, i8, i16, i32, i64, isize, u8, u16, u32, u64, usize, f16, bf16, f32, f64,
            Complex<f32>, Complex<f64>
        }
    };
}
pub(crate) use for_elements;

/// The kind of an element type, if it has one.
pub fn kind_of(element: &ElementType) -> Option<Kind> {
    macro_rules! find {
        ($($type:ty),*) => {
            [$((TypeId::of::<$type>(), <$type as FileElement>::KIND)),*]
        };
    }
    let known = for_elements!(find);
    known.iter().find(|(id, _)| *id == element.id).map(|(_, kind)| *kind)
}

/// What MLIR calls an element type.
pub fn mlir(kind: Kind) -> &'static str {
    match kind {
        ElementKind::Bool => "i1",
        ElementKind::I8 => "i8",
        ElementKind::I16 => "i16",
        ElementKind::I32 => "i32",
        ElementKind::I64 => "i64",
        ElementKind::U8 => "ui8",
        ElementKind::U16 => "ui16",
        ElementKind::U32 => "ui32",
        ElementKind::U64 => "ui64",
        ElementKind::F16 => "f16",
        ElementKind::BF16 => "bf16",
        ElementKind::F32 => "f32",
        ElementKind::F64 => "f64",
        ElementKind::C64 => "complex<f32>",
        ElementKind::C128 => "complex<f64>",
        // The list has no other.
        _ => "none",
    }
}

pub fn is_complex(kind: Kind) -> bool {
    matches!(kind, Kind::C64 | Kind::C128)
}

pub fn is_half(kind: Kind) -> bool {
    matches!(kind, Kind::F16 | Kind::BF16)
}

pub fn is_float(kind: Kind) -> bool {
    is_half(kind) || matches!(kind, Kind::F32 | Kind::F64)
}

pub fn is_signed(kind: Kind) -> bool {
    matches!(kind, Kind::I8 | Kind::I16 | Kind::I32 | Kind::I64)
}

pub fn is_unsigned(kind: Kind) -> bool {
    matches!(kind, Kind::U8 | Kind::U16 | Kind::U32 | Kind::U64)
}

pub fn is_int(kind: Kind) -> bool {
    is_signed(kind) || is_unsigned(kind)
}

/// The type of the parts of a complex number; of any other, itself.
pub fn real(kind: Kind) -> Kind {
    match kind {
        Kind::C64 => Kind::F32,
        Kind::C128 => Kind::F64,
        kind => kind,
    }
}

/// The integer of as many bits.
pub fn bits(kind: Kind, signed: bool) -> Kind {
    match (kind.size(), signed) {
        (1, false) => Kind::U8,
        (2, false) => Kind::U16,
        (4, false) => Kind::U32,
        (_, false) => Kind::U64,
        (1, true) => Kind::I8,
        (2, true) => Kind::I16,
        (4, true) => Kind::I32,
        (_, true) => Kind::I64,
    }
}

/// A constant, as it is written in a module: exactly.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    pub kind: Kind,
    /// Between the brackets of `dense<..>`.
    pub text: String,
}

/// The bits of a number in the order in which they are read.
fn hex(bits: u64, kind: Kind) -> String {
    format!("0x{bits:0width$X}", width = 2 * kind.size())
}

impl Constant {
    /// The value of an element, if the type is known.
    pub fn of(value: &dyn Any, element: &ElementType) -> Option<Constant> {
        let kind = kind_of(element)?;
        macro_rules! integers {
            ($($type:ty),*) => {
                $(if let Some(value) = value.downcast_ref::<$type>() {
                    return Some(Constant { kind, text: value.to_string() });
                })*
            };
        }
        integers!(bool, i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);
        macro_rules! floats {
            ($($type:ty),*) => {
                $(if let Some(value) = value.downcast_ref::<$type>() {
                    return Some(Constant { kind, text: hex(u64::from(value.to_bits()), kind) });
                })*
            };
        }
        floats!(f16, bf16, f32, f64);
        macro_rules! complexes {
            ($($type:ty),*) => {
                $(if let Some(value) = value.downcast_ref::<Complex<$type>>() {
                    let part = |part: $type| hex(u64::from(part.to_bits()), real(kind));
                    let text = format!("({}, {})", part(value.re), part(value.im));
                    return Some(Constant { kind, text });
                })*
            };
        }
        complexes!(f32, f64);
        None
    }

    /// The nearest value of a type to a number; integers wrap around.
    pub fn number(number: f64, kind: Kind) -> Constant {
        let text = match kind {
            Kind::Bool => (number != 0.0).to_string(),
            Kind::I8 => (number as i64 as i8).to_string(),
            Kind::I16 => (number as i64 as i16).to_string(),
            Kind::I32 => (number as i64 as i32).to_string(),
            Kind::I64 => (number as i64).to_string(),
            Kind::U8 => (number as i64 as u8).to_string(),
            Kind::U16 => (number as i64 as u16).to_string(),
            Kind::U32 => (number as i64 as u32).to_string(),
            Kind::U64 => (number as i64 as u64).to_string(),
            Kind::F16 => hex(u64::from(f16::from_f64(number).to_bits()), kind),
            Kind::BF16 => hex(u64::from(bf16::from_f64(number).to_bits()), kind),
            Kind::F32 => hex(u64::from((number as f32).to_bits()), kind),
            Kind::C64 | Kind::C128 => {
                let part = |part| Constant::number(part, real(kind)).text;
                format!("({}, {})", part(number), part(0.0))
            }
            _ => hex(number.to_bits(), kind),
        };
        Constant { kind, text }
    }

    /// What no element is below (or above, if `highest`).
    pub fn end(kind: Kind, highest: bool) -> Constant {
        let text = match (kind, highest) {
            (Kind::Bool, highest) => highest.to_string(),
            (Kind::I8, false) => i8::MIN.to_string(),
            (Kind::I16, false) => i16::MIN.to_string(),
            (Kind::I32, false) => i32::MIN.to_string(),
            (Kind::I64, false) => i64::MIN.to_string(),
            (Kind::I8, true) => i8::MAX.to_string(),
            (Kind::I16, true) => i16::MAX.to_string(),
            (Kind::I32, true) => i32::MAX.to_string(),
            (Kind::I64, true) => i64::MAX.to_string(),
            (Kind::U8 | Kind::U16 | Kind::U32 | Kind::U64, false) => 0.to_string(),
            (Kind::U8, true) => u8::MAX.to_string(),
            (Kind::U16, true) => u16::MAX.to_string(),
            (Kind::U32, true) => u32::MAX.to_string(),
            (Kind::U64, true) => u64::MAX.to_string(),
            (kind, false) => return Constant::number(f64::NEG_INFINITY, kind),
            (kind, true) => return Constant::number(f64::INFINITY, kind),
        };
        Constant { kind, text }
    }

    /// The integer of which only the highest bit is set.
    pub fn highest_bit(kind: Kind) -> Constant {
        if is_signed(kind) {
            return Constant::end(kind, false);
        }
        Constant { kind, text: (1_u64 << (8 * kind.size() - 1)).to_string() }
    }
}
