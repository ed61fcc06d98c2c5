//! What the pure operators compute on constants: the one definition the interpreter, constant propagation and the
//! rewriting of terms share. SMT-LIB semantics, as [`crate::ops`] documents them.
//!
//! The work is done on raw bits (`false`/`true` as 0/1), so that the interpreter pays for no boxing. Floats go through
//! `rustc_apfloat` and never through the host's arithmetic, so `x87` needs no special treatment. Every float that comes
//! in is read canonically (one quiet NaN; x87 pseudo-denormals as the numbers they stand for, its other unsupported
//! encodings as NaN) and every float that goes out is canonical.
//!
//! Operands must be well typed ([`UnOp::result`], [`BinOp::result`]); the verifier sees to that, and a violation panics.

mod exact;

use crate::consts::{mask, sign_extend, ArrayConst, Const};
use crate::ops::{BinOp, Rounding, UnOp};
use crate::types::{FloatFormat, Scalar, Type};
use rustc_apfloat::ieee::{Double, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round, Status};

/// Applies a unary operator to a constant.
pub fn unary(op: UnOp, arg: &Const) -> Const {
    let (Type::Scalar(ty), Some(Type::Scalar(result))) = (arg.ty(), op.result(arg.ty())) else {
        panic!("ill-typed operand of {}: {}", op.name(), arg.ty());
    };
    from_bits(result, unary_bits(op, ty, to_bits(arg)))
}

/// Applies a binary operator to constants.
pub fn binary(op: BinOp, a: &Const, b: &Const) -> Const {
    let (Type::Scalar(ty), Some(Type::Scalar(result))) = (b.ty(), op.result(a.ty(), b.ty())) else {
        panic!("ill-typed operands of {}: {}, {}", op.name(), a.ty(), b.ty());
    };
    match a {
        Const::Array(array) => array.get(to_bits(b)).clone(),
        Const::Bool(_) | Const::Bv { .. } | Const::Float { .. } => {
            from_bits(result, binary_bits(op, ty, to_bits(a), to_bits(b)))
        }
    }
}

/// The array with one cell changed.
pub fn update(array: &Const, index: &Const, value: &Const) -> Const {
    let Const::Array(array) = array else { panic!("update of a value of type {}", array.ty()) };
    let mut array: ArrayConst = array.clone();
    array.set(to_bits(index), value.clone());
    Const::Array(array)
}

/// The bits of a scalar: `true` is 1, a float is its canonical encoding.
pub fn to_bits(value: &Const) -> u128 {
    match value {
        Const::Bool(b) => u128::from(*b),
        Const::Bv { bits, .. } => *bits,
        Const::Float { format, bits } => canonical(*format, *bits),
        Const::Array(_) => panic!("an array where a scalar belongs"),
    }
}

/// The scalar of this type with these bits.
pub fn from_bits(ty: Scalar, bits: u128) -> Const {
    match ty {
        Scalar::Bool => Const::Bool(bits & 1 != 0),
        Scalar::Bv(width) => Const::bv(width, bits),
        Scalar::Float(format) => Const::Float { format, bits: canonical(format, mask(format.storage_bits(), bits)) },
    }
}

/// [`unary`] on raw bits; `ty` is the operand's type.
pub(crate) fn unary_bits(op: UnOp, ty: Scalar, arg: u128) -> u128 {
    match op {
        UnOp::Not => arg ^ 1,
        UnOp::BvNot => mask(width(ty), !arg),
        UnOp::BvNeg => mask(width(ty), arg.wrapping_neg()),
        UnOp::ZExt(_) => arg,
        UnOp::SExt(to) => mask(to, sign_extend(width(ty), arg) as u128),
        UnOp::Extract { hi, lo } => mask(hi - lo + 1, arg >> lo),
        UnOp::FNeg | UnOp::FIsNan | UnOp::FIsInf | UnOp::FSign | UnOp::FRound(_) => match format(ty) {
            FloatFormat::F32 => float_unary::<Single>(op, arg),
            FloatFormat::F64 => float_unary::<Double>(op, arg),
            FloatFormat::X87 => float_unary::<X87DoubleExtended>(op, arg),
        },
        UnOp::FSqrt => match format(ty) {
            f @ FloatFormat::F32 => exact::sqrt::<Single>(f, arg),
            f @ FloatFormat::F64 => exact::sqrt::<Double>(f, arg),
            f @ FloatFormat::X87 => exact::sqrt::<X87DoubleExtended>(f, arg),
        },
        UnOp::FToF(to) => match format(ty) {
            FloatFormat::F32 => convert(Single::from_bits(arg), to),
            FloatFormat::F64 => convert(Double::from_bits(arg), to),
            FloatFormat::X87 => convert(X87DoubleExtended::from_bits(arg), to),
        },
        UnOp::SToF(to) => {
            let value = sign_extend(width(ty), arg);
            let magnitude = from_integer(to, value.unsigned_abs());
            // Rounding to nearest is symmetric, so the sign can be put on afterwards.
            magnitude | (u128::from(value < 0) << (to.storage_bits() - 1))
        }
        UnOp::UToF(to) => from_integer(to, arg),
        UnOp::FToS(to) => to_integer(ty, to, true, arg),
        UnOp::FToU(to) => to_integer(ty, to, false, arg),
        UnOp::FromBits(to) => canonical(to, arg),
        UnOp::ToBits => canonical(format(ty), arg),
    }
}

/// [`binary`] on raw bits; `ty` is the type of the second operand. `Select` has no raw form.
#[inline]
pub(crate) fn binary_bits(op: BinOp, ty: Scalar, a: u128, b: u128) -> u128 {
    match op {
        BinOp::And | BinOp::BvAnd => a & b,
        BinOp::Or | BinOp::BvOr => a | b,
        BinOp::Xor | BinOp::BvXor => a ^ b,
        BinOp::Eq => match ty {
            Scalar::Bool | Scalar::Bv(_) => u128::from(a == b),
            Scalar::Float(f) => u128::from(canonical(f, a) == canonical(f, b)),
        },
        BinOp::Add => mask(width(ty), a.wrapping_add(b)),
        BinOp::Sub => mask(width(ty), a.wrapping_sub(b)),
        BinOp::Mul => mask(width(ty), a.wrapping_mul(b)),
        BinOp::UDiv => a.checked_div(b).unwrap_or_else(|| mask(width(ty), u128::MAX)),
        BinOp::URem => a.checked_rem(b).unwrap_or(a),
        BinOp::SDiv => signed_div(width(ty), a, b),
        BinOp::SRem => signed_rem(width(ty), a, b),
        BinOp::Shl => shift(width(ty), b).map_or(0, |by| mask(width(ty), a << by)),
        BinOp::LShr => shift(width(ty), b).map_or(0, |by| a >> by),
        BinOp::AShr => {
            let by = shift(width(ty), b).unwrap_or(width(ty) - 1);
            mask(width(ty), (sign_extend(width(ty), a) >> by) as u128)
        }
        BinOp::Concat => (a << width(ty)) | b,
        BinOp::Ult => u128::from(a < b),
        BinOp::Ule => u128::from(a <= b),
        BinOp::Slt => u128::from(sign_extend(width(ty), a) < sign_extend(width(ty), b)),
        BinOp::Sle => u128::from(sign_extend(width(ty), a) <= sign_extend(width(ty), b)),
        BinOp::FAdd | BinOp::FSub | BinOp::FMul | BinOp::FDiv | BinOp::FEq | BinOp::FLt | BinOp::FLe => {
            float_binary_bits(op, format(ty), a, b)
        }
        BinOp::FRem => match format(ty) {
            f @ FloatFormat::F32 => exact::remainder::<Single>(f, a, b),
            f @ FloatFormat::F64 => exact::remainder::<Double>(f, a, b),
            f @ FloatFormat::X87 => exact::remainder::<X87DoubleExtended>(f, a, b),
        },
        BinOp::Select => panic!("select takes an array"),
    }
}

#[inline]
fn width(ty: Scalar) -> u32 {
    match ty {
        Scalar::Bv(width) => width,
        Scalar::Bool | Scalar::Float(_) => panic!("a {ty} where a bit-vector belongs"),
    }
}

fn format(ty: Scalar) -> FloatFormat {
    match ty {
        Scalar::Float(format) => format,
        Scalar::Bool | Scalar::Bv(_) => panic!("a {ty} where a float belongs"),
    }
}

/// The shift count if it is below the width.
#[inline]
fn shift(width: u32, by: u128) -> Option<u32> {
    u32::try_from(by).ok().filter(|&by| by < width)
}

/// Truncated quotient. By zero: -1 for what is not negative, 1 for the rest, which is what SMT-LIB's definition by
/// `udiv` gives. The smallest number by -1 is itself.
fn signed_div(width: u32, a: u128, b: u128) -> u128 {
    let (x, y) = (sign_extend(width, a), sign_extend(width, b));
    match (y, x < 0) {
        (0, true) => 1,
        (0, false) => mask(width, u128::MAX),
        _ => mask(width, x.wrapping_div(y) as u128),
    }
}

/// Remainder with the sign of the dividend; by zero the dividend.
fn signed_rem(width: u32, a: u128, b: u128) -> u128 {
    let (x, y) = (sign_extend(width, a), sign_extend(width, b));
    match y {
        0 => a,
        _ => mask(width, x.wrapping_rem(y) as u128),
    }
}

/// The one encoding of the value these bits stand for.
pub(crate) fn canonical(format: FloatFormat, bits: u128) -> u128 {
    match format {
        FloatFormat::F32 => encode(Single::from_bits(bits)),
        FloatFormat::F64 => encode(Double::from_bits(bits)),
        FloatFormat::X87 => encode(X87DoubleExtended::from_bits(bits)),
    }
}

fn encode<F: Float>(value: F) -> u128 {
    if value.is_nan() {
        F::NAN.to_bits()
    } else {
        value.to_bits()
    }
}

fn float_unary<F: Float>(op: UnOp, arg: u128) -> u128 {
    let x = F::from_bits(arg);
    match op {
        UnOp::FNeg => encode(-x),
        UnOp::FIsNan => u128::from(x.is_nan()),
        UnOp::FIsInf => u128::from(x.is_infinite()),
        UnOp::FSign => u128::from(x.is_negative() && !x.is_nan()),
        UnOp::FRound(mode) => encode(x.round_to_integral(direction(mode)).value),
        _ => panic!("{} does not stay in one float format", op.name()),
    }
}

fn direction(mode: Rounding) -> Round {
    match mode {
        Rounding::Even => Round::NearestTiesToEven,
        Rounding::Away => Round::NearestTiesToAway,
        Rounding::Zero => Round::TowardZero,
        Rounding::Up => Round::TowardPositive,
        Rounding::Down => Round::TowardNegative,
    }
}

fn float_binary_bits(op: BinOp, format: FloatFormat, a: u128, b: u128) -> u128 {
    match format {
        FloatFormat::F32 => float_binary::<Single>(op, a, b),
        FloatFormat::F64 => float_binary::<Double>(op, a, b),
        FloatFormat::X87 => float_binary::<X87DoubleExtended>(op, a, b),
    }
}

fn float_binary<F: Float>(op: BinOp, a: u128, b: u128) -> u128 {
    let (x, y) = (F::from_bits(a), F::from_bits(b));
    match op {
        BinOp::FAdd => encode((x + y).value),
        BinOp::FSub => encode((x - y).value),
        BinOp::FMul => encode((x * y).value),
        BinOp::FDiv => encode((x / y).value),
        BinOp::FEq => u128::from(x == y),
        BinOp::FLt => u128::from(x < y),
        BinOp::FLe => u128::from(x <= y),
        _ => panic!("{} is no float operator", op.name()),
    }
}

fn convert<F>(value: F, to: FloatFormat) -> u128
where
    F: Float + FloatConvert<Single> + FloatConvert<Double> + FloatConvert<X87DoubleExtended>,
{
    let mut inexact = false;
    match to {
        FloatFormat::F32 => encode(FloatConvert::<Single>::convert(value, &mut inexact).value),
        FloatFormat::F64 => encode(FloatConvert::<Double>::convert(value, &mut inexact).value),
        FloatFormat::X87 => encode(FloatConvert::<X87DoubleExtended>::convert(value, &mut inexact).value),
    }
}

fn from_integer(to: FloatFormat, value: u128) -> u128 {
    match to {
        FloatFormat::F32 => encode(Single::from_u128(value).value),
        FloatFormat::F64 => encode(Double::from_u128(value).value),
        FloatFormat::X87 => encode(X87DoubleExtended::from_u128(value).value),
    }
}

/// Truncates toward zero; 0 if the result does not fit in `width` bits.
fn to_integer(ty: Scalar, width: u32, signed: bool, arg: u128) -> u128 {
    let (magnitude, negative) = match format(ty) {
        FloatFormat::F32 => truncate(Single::from_bits(arg)),
        FloatFormat::F64 => truncate(Double::from_bits(arg)),
        FloatFormat::X87 => truncate(X87DoubleExtended::from_bits(arg)),
    };
    let Some(magnitude) = magnitude else { return 0 };
    let limit = match (signed, negative) {
        (true, true) => 1u128 << (width - 1),
        (true, false) => (1u128 << (width - 1)) - 1,
        (false, true) => 0,
        (false, false) => mask(width, u128::MAX),
    };
    match (magnitude <= limit, negative) {
        (false, _) => 0,
        (true, true) => mask(width, magnitude.wrapping_neg()),
        (true, false) => magnitude,
    }
}

/// The integer part's magnitude, `None` for NaN, infinities and what needs more than 128 bits; and the sign.
fn truncate<F: Float>(value: F) -> (Option<u128>, bool) {
    let result = value.abs().to_u128(128);
    let fits = !value.is_nan() && !result.status.contains(Status::INVALID_OP);
    (fits.then_some(result.value), value.is_negative())
}
