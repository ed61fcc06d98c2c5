//! The types of values. There are no others: structs and unions are gone before the IR.

use std::fmt;

/// Widest bit-vector the IR has. Constants are machine words because of it (see `docs/ir.md`).
pub const MAX_WIDTH: u32 = 128;

/// IEEE interchange layout, plus x87's 80-bit format, which keeps its integer bit in the encoding.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum FloatFormat {
    /// `float`: 8 exponent bits, 24 significand bits.
    F32,
    /// `double`: 11 exponent bits, 53 significand bits.
    F64,
    /// `long double` on x86: 15 exponent bits, 64 significand bits, 80 bits stored.
    X87,
}

impl FloatFormat {
    pub fn exponent_bits(self) -> u32 {
        match self {
            FloatFormat::F32 => 8,
            FloatFormat::F64 => 11,
            FloatFormat::X87 => 15,
        }
    }

    /// Significand bits, the leading one included.
    pub fn significand_bits(self) -> u32 {
        match self {
            FloatFormat::F32 => 24,
            FloatFormat::F64 => 53,
            FloatFormat::X87 => 64,
        }
    }

    /// Bits of the stored encoding.
    pub fn storage_bits(self) -> u32 {
        match self {
            FloatFormat::F32 => 32,
            FloatFormat::F64 => 64,
            FloatFormat::X87 => 80,
        }
    }
}

/// A type that fits in one cell of an array.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Scalar {
    Bool,
    /// A bit-vector of 1 to [`MAX_WIDTH`] bits.
    Bv(u32),
    Float(FloatFormat),
}

/// The type of a value. Arrays map every bit-vector of the index width to a cell; bounds are the front end's.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Type {
    Scalar(Scalar),
    Array { index: u32, elem: Scalar },
}

impl Type {
    pub const BOOL: Type = Type::Scalar(Scalar::Bool);

    pub const fn bv(width: u32) -> Type {
        Type::Scalar(Scalar::Bv(width))
    }

    pub const fn float(format: FloatFormat) -> Type {
        Type::Scalar(Scalar::Float(format))
    }

    pub fn is_array(self) -> bool {
        matches!(self, Type::Array { .. })
    }

    pub fn scalar(self) -> Option<Scalar> {
        match self {
            Type::Scalar(s) => Some(s),
            Type::Array { .. } => None,
        }
    }

    /// The width of a bit-vector type.
    pub fn width(self) -> Option<u32> {
        match self {
            Type::Scalar(Scalar::Bv(w)) => Some(w),
            _ => None,
        }
    }
}

impl From<Scalar> for Type {
    fn from(s: Scalar) -> Type {
        Type::Scalar(s)
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Bool => write!(f, "bool"),
            Scalar::Bv(w) => write!(f, "bv{w}"),
            Scalar::Float(FloatFormat::F32) => write!(f, "f32"),
            Scalar::Float(FloatFormat::F64) => write!(f, "f64"),
            Scalar::Float(FloatFormat::X87) => write!(f, "x87"),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Scalar(s) => s.fmt(f),
            Type::Array { index, elem } => write!(f, "[bv{index}]{elem}"),
        }
    }
}
