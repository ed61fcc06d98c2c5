//! The pure operators, with their types. Their meaning is SMT-LIB's, so every encoder agrees with the interpreter:
//! arithmetic wraps; `udiv x 0` is all ones, `urem x 0` is x, and the signed ones follow from those; a shift by the
//! width or more gives 0 (`ashr`: copies of the sign). Floats round to nearest, ties to even.
//! There is one NaN. Conversions of floats to integers that do not fit give 0 (front ends guard them where C leaves the value open).

use crate::types::{FloatFormat, Scalar, Type, MAX_WIDTH};

/// How a float is rounded to an integral value.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Rounding {
    /// To the nearest, ties to even.
    Even,
    /// To the nearest, ties away from zero.
    Away,
    /// Toward zero.
    Zero,
    /// Toward positive infinity.
    Up,
    /// Toward negative infinity.
    Down,
}

impl Rounding {
    pub const ALL: [Rounding; 5] = [Rounding::Even, Rounding::Away, Rounding::Zero, Rounding::Up, Rounding::Down];

    /// SMT-LIB's name of the mode, which in lower case is that of the text form.
    pub fn smtlib(self) -> &'static str {
        match self {
            Rounding::Even => "RNE",
            Rounding::Away => "RNA",
            Rounding::Zero => "RTZ",
            Rounding::Up => "RTP",
            Rounding::Down => "RTN",
        }
    }
}

/// Operators of one operand.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum UnOp {
    /// bool -> bool
    Not,
    /// bv -> bv, complement
    BvNot,
    /// bv -> bv, two's complement negation
    BvNeg,
    /// bv -> wider (or equal) bv, zeros on the left
    ZExt(u32),
    /// bv -> wider (or equal) bv, copies of the sign on the left
    SExt(u32),
    /// bv -> bv of `hi - lo + 1` bits
    Extract { hi: u32, lo: u32 },
    /// float -> float, flips the sign; NaN stays NaN
    FNeg,
    /// float -> bool
    FIsNan,
    /// float -> bool
    FIsInf,
    /// float -> bool: below zero or -0; false for NaN
    FSign,
    /// float -> float, the square root, rounded to nearest; NaN below zero, -0 of -0
    FSqrt,
    /// float -> float without a fractional part; a zero keeps the operand's sign
    FRound(Rounding),
    /// float -> float, rounded
    FToF(FloatFormat),
    /// signed bv -> float, rounded
    SToF(FloatFormat),
    /// unsigned bv -> float, rounded
    UToF(FloatFormat),
    /// float -> bv of this width, truncated toward zero, read as signed; 0 where it does not fit
    FToS(u32),
    /// float -> bv of this width, truncated toward zero, read as unsigned; 0 where it does not fit
    FToU(u32),
    /// bv of the storage width -> float with that encoding
    FromBits(FloatFormat),
    /// float -> bv of the storage width (every NaN gives the canonical quiet one)
    ToBits,
}

/// Operators of two operands of one type, unless said otherwise.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum BinOp {
    // bool, bool -> bool
    And,
    Or,
    Xor,
    // any scalar -> bool. On floats this is identity of values (NaN equals NaN, +0 differs from -0).
    Eq,
    // bv, bv -> bv
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    BvAnd,
    BvOr,
    BvXor,
    Shl,
    LShr,
    AShr,
    /// bv, bv of any widths -> bv of the sum; the first operand is the high part
    Concat,
    // bv, bv -> bool
    Ult,
    Ule,
    Slt,
    Sle,
    // float, float -> float
    FAdd,
    FSub,
    FMul,
    FDiv,
    /// IEEE remainder: `x - y * n`, n the integer nearest to x / y, ties to even; exact
    FRem,
    // float, float -> bool, IEEE: every comparison with NaN is false
    FEq,
    FLt,
    FLe,
    /// array, index -> cell
    Select,
}

impl UnOp {
    /// The result's type, or `None` if the operand does not fit.
    pub fn result(self, arg: Type) -> Option<Type> {
        let Type::Scalar(arg) = arg else { return None };
        Some(match (self, arg) {
            (UnOp::Not, Scalar::Bool) => Type::BOOL,
            (UnOp::BvNot | UnOp::BvNeg, Scalar::Bv(w)) => Type::bv(w),
            (UnOp::ZExt(to) | UnOp::SExt(to), Scalar::Bv(w)) if to >= w && to <= MAX_WIDTH => Type::bv(to),
            (UnOp::Extract { hi, lo }, Scalar::Bv(w)) if lo <= hi && hi < w => Type::bv(hi - lo + 1),
            (UnOp::FNeg | UnOp::FSqrt | UnOp::FRound(_), Scalar::Float(f)) => Type::float(f),
            (UnOp::FIsNan | UnOp::FIsInf | UnOp::FSign, Scalar::Float(_)) => Type::BOOL,
            (UnOp::FToF(to), Scalar::Float(_)) => Type::float(to),
            (UnOp::SToF(to) | UnOp::UToF(to), Scalar::Bv(_)) => Type::float(to),
            (UnOp::FToS(w) | UnOp::FToU(w), Scalar::Float(_)) if (1..=MAX_WIDTH).contains(&w) => Type::bv(w),
            (UnOp::FromBits(f), Scalar::Bv(w)) if w == f.storage_bits() => Type::float(f),
            (UnOp::ToBits, Scalar::Float(f)) => Type::bv(f.storage_bits()),
            _ => return None,
        })
    }

    /// The mnemonic of the text form, without parameters.
    pub fn name(self) -> &'static str {
        match self {
            UnOp::Not => "not",
            UnOp::BvNot => "bvnot",
            UnOp::BvNeg => "bvneg",
            UnOp::ZExt(_) => "zext",
            UnOp::SExt(_) => "sext",
            UnOp::Extract { .. } => "extract",
            UnOp::FNeg => "fneg",
            UnOp::FIsNan => "fisnan",
            UnOp::FIsInf => "fisinf",
            UnOp::FSign => "fsign",
            UnOp::FSqrt => "fsqrt",
            UnOp::FRound(_) => "fround",
            UnOp::FToF(_) => "ftof",
            UnOp::SToF(_) => "stof",
            UnOp::UToF(_) => "utof",
            UnOp::FToS(_) => "ftos",
            UnOp::FToU(_) => "ftou",
            UnOp::FromBits(_) => "frombits",
            UnOp::ToBits => "tobits",
        }
    }
}

impl BinOp {
    /// Every operator, for readers and generators.
    pub const ALL: [BinOp; 31] = [
        BinOp::And,
        BinOp::Or,
        BinOp::Xor,
        BinOp::Eq,
        BinOp::Add,
        BinOp::Sub,
        BinOp::Mul,
        BinOp::UDiv,
        BinOp::SDiv,
        BinOp::URem,
        BinOp::SRem,
        BinOp::BvAnd,
        BinOp::BvOr,
        BinOp::BvXor,
        BinOp::Shl,
        BinOp::LShr,
        BinOp::AShr,
        BinOp::Concat,
        BinOp::Ult,
        BinOp::Ule,
        BinOp::Slt,
        BinOp::Sle,
        BinOp::FAdd,
        BinOp::FSub,
        BinOp::FMul,
        BinOp::FDiv,
        BinOp::FRem,
        BinOp::FEq,
        BinOp::FLt,
        BinOp::FLe,
        BinOp::Select,
    ];

    /// The result's type, or `None` if the operands do not fit.
    pub fn result(self, a: Type, b: Type) -> Option<Type> {
        use BinOp::*;
        Some(match (self, a, b) {
            (Select, Type::Array { index, elem }, Type::Scalar(Scalar::Bv(w))) if w == index => elem.into(),
            (Select, _, _) => return None,
            (_, Type::Array { .. }, _) | (_, _, Type::Array { .. }) => return None,
            (Concat, Type::Scalar(Scalar::Bv(x)), Type::Scalar(Scalar::Bv(y))) if x + y <= MAX_WIDTH => Type::bv(x + y),
            (Concat, _, _) => return None,
            (_, Type::Scalar(x), Type::Scalar(y)) if x == y => match (self, x) {
                (And | Or | Xor, Scalar::Bool) => Type::BOOL,
                (Eq, _) => Type::BOOL,
                (Add | Sub | Mul | UDiv | SDiv | URem | SRem, Scalar::Bv(_)) => a,
                (BvAnd | BvOr | BvXor | Shl | LShr | AShr, Scalar::Bv(_)) => a,
                (Ult | Ule | Slt | Sle, Scalar::Bv(_)) => Type::BOOL,
                (FAdd | FSub | FMul | FDiv | FRem, Scalar::Float(_)) => a,
                (FEq | FLt | FLe, Scalar::Float(_)) => Type::BOOL,
                _ => return None,
            },
            _ => return None,
        })
    }

    /// The mnemonic of the text form.
    pub fn name(self) -> &'static str {
        match self {
            BinOp::And => "and",
            BinOp::Or => "or",
            BinOp::Xor => "xor",
            BinOp::Eq => "eq",
            BinOp::Add => "add",
            BinOp::Sub => "sub",
            BinOp::Mul => "mul",
            BinOp::UDiv => "udiv",
            BinOp::SDiv => "sdiv",
            BinOp::URem => "urem",
            BinOp::SRem => "srem",
            BinOp::BvAnd => "bvand",
            BinOp::BvOr => "bvor",
            BinOp::BvXor => "bvxor",
            BinOp::Shl => "shl",
            BinOp::LShr => "lshr",
            BinOp::AShr => "ashr",
            BinOp::Concat => "concat",
            BinOp::Ult => "ult",
            BinOp::Ule => "ule",
            BinOp::Slt => "slt",
            BinOp::Sle => "sle",
            BinOp::FAdd => "fadd",
            BinOp::FSub => "fsub",
            BinOp::FMul => "fmul",
            BinOp::FDiv => "fdiv",
            BinOp::FRem => "frem",
            BinOp::FEq => "feq",
            BinOp::FLt => "flt",
            BinOp::FLe => "fle",
            BinOp::Select => "select",
        }
    }
}
