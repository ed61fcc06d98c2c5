//! Constants, and the values of the concrete interpreter.

use crate::types::{FloatFormat, Scalar, Type, MAX_WIDTH};
use rpds::RedBlackTreeMapSync;
use std::fmt;

/// A concrete value. Bits above the width are zero, always; use [`Const::bv`] to build one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Const {
    Bool(bool),
    Bv { width: u32, bits: u128 },
    Float { format: FloatFormat, bits: u128 },
    Array(ArrayConst),
}

/// An array value: `default` everywhere but at the listed cells. Copying is cheap, an update is logarithmic.
/// No cell holds the default (so equality of representation is equality of value).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ArrayConst {
    pub index: u32,
    pub elem: Scalar,
    default: Box<Const>,
    cells: RedBlackTreeMapSync<u128, Const>,
}

/// Keeps the low `width` bits.
pub fn mask(width: u32, bits: u128) -> u128 {
    debug_assert!((1..=MAX_WIDTH).contains(&width));
    if width >= 128 {
        bits
    } else {
        bits & ((1u128 << width) - 1)
    }
}

/// The two's complement reading of `bits`.
pub fn sign_extend(width: u32, bits: u128) -> i128 {
    let shift = 128 - width;
    ((bits << shift) as i128) >> shift
}

impl Const {
    pub const TRUE: Const = Const::Bool(true);
    pub const FALSE: Const = Const::Bool(false);

    /// A bit-vector; excess bits are dropped.
    pub fn bv(width: u32, bits: u128) -> Const {
        Const::Bv { width, bits: mask(width, bits) }
    }

    pub fn ty(&self) -> Type {
        match self {
            Const::Bool(_) => Type::BOOL,
            Const::Bv { width, .. } => Type::bv(*width),
            Const::Float { format, .. } => Type::float(*format),
            Const::Array(a) => Type::Array { index: a.index, elem: a.elem },
        }
    }

    /// All-zero bits: `false`, 0, +0.0, or an array of these.
    pub fn zero(ty: Type) -> Const {
        match ty {
            Type::Scalar(Scalar::Bool) => Const::FALSE,
            Type::Scalar(Scalar::Bv(width)) => Const::Bv { width, bits: 0 },
            Type::Scalar(Scalar::Float(format)) => Const::Float { format, bits: 0 },
            Type::Array { index, elem } => Const::Array(ArrayConst::filled(index, Const::zero(elem.into()))),
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Const::Bool(b) => Some(*b),
            _ => None,
        }
    }

    /// The bits of a bit-vector.
    pub fn as_bits(&self) -> Option<u128> {
        match self {
            Const::Bv { bits, .. } => Some(*bits),
            _ => None,
        }
    }

    pub fn as_array(&self) -> Option<&ArrayConst> {
        match self {
            Const::Array(a) => Some(a),
            _ => None,
        }
    }
}

impl ArrayConst {
    /// The array with `default` in every cell. `default` must be a scalar.
    pub fn filled(index: u32, default: Const) -> ArrayConst {
        let elem = default.ty().scalar().expect("an array of arrays was asked for");
        ArrayConst { index, elem, default: Box::new(default), cells: RedBlackTreeMapSync::new_sync() }
    }

    pub fn default_cell(&self) -> &Const {
        &self.default
    }

    pub fn get(&self, index: u128) -> &Const {
        self.cells.get(&index).unwrap_or(&self.default)
    }

    pub fn set(&mut self, index: u128, value: Const) {
        if value == *self.default {
            self.cells.remove_mut(&index);
        } else {
            self.cells.insert_mut(index, value);
        }
    }

    /// The cells that differ from the default, by rising index.
    pub fn cells(&self) -> impl Iterator<Item = (u128, &Const)> {
        self.cells.iter().map(|(i, c)| (*i, c))
    }

    pub fn cell_count(&self) -> usize {
        self.cells.size()
    }
}

/// Constants as in the text form: `true`, `bv32 17`, `f64 0x3ff0000000000000`, `[bv32]bv8 {0; 1: 104, 2: 105}`.
impl fmt::Display for Const {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Const::Bool(b) => write!(f, "{b}"),
            Const::Bv { width, bits } => write!(f, "bv{width} {bits}"),
            Const::Float { format, bits } => write!(f, "{} {bits:#x}", Scalar::Float(*format)),
            Const::Array(a) => {
                write!(f, "[bv{}]{} {{{}", a.index, a.elem, Payload(&a.default))?;
                for (n, (i, c)) in a.cells().enumerate() {
                    write!(f, "{}{i}: {}", if n == 0 { "; " } else { ", " }, Payload(c))?;
                }
                write!(f, "}}")
            }
        }
    }
}

/// A scalar constant without its type.
struct Payload<'a>(&'a Const);

impl fmt::Display for Payload<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Const::Bool(b) => write!(f, "{b}"),
            Const::Bv { bits, .. } => write!(f, "{bits}"),
            Const::Float { bits, .. } => write!(f, "{bits:#x}"),
            // Ill-formed, but a dump of it must not fail.
            Const::Array(_) => write!(f, "?"),
        }
    }
}
