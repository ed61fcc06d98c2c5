//! Mnemonics of unary operators with their parameters: `zext.32`, `extract.7.0`, `ftof.f64`, `fround.rtz`.

use super::cursor::float_format;
use crate::ops::{Rounding, UnOp};

/// The operator a mnemonic names.
pub(super) fn unary(mnemonic: &str) -> Option<UnOp> {
    let mut parts = mnemonic.split('.');
    let name = parts.next()?;
    let parameters = (parts.next(), parts.next());
    if parts.next().is_some() {
        return None;
    }
    Some(match (name, parameters) {
        ("not", (None, None)) => UnOp::Not,
        ("bvnot", (None, None)) => UnOp::BvNot,
        ("bvneg", (None, None)) => UnOp::BvNeg,
        ("zext", (Some(width), None)) => UnOp::ZExt(number(width)?),
        ("sext", (Some(width), None)) => UnOp::SExt(number(width)?),
        ("extract", (Some(hi), Some(lo))) => UnOp::Extract { hi: number(hi)?, lo: number(lo)? },
        ("fneg", (None, None)) => UnOp::FNeg,
        ("fisnan", (None, None)) => UnOp::FIsNan,
        ("fisinf", (None, None)) => UnOp::FIsInf,
        ("fsign", (None, None)) => UnOp::FSign,
        ("fsqrt", (None, None)) => UnOp::FSqrt,
        ("fround", (Some(mode), None)) => UnOp::FRound(rounding(mode)?),
        ("ftof", (Some(format), None)) => UnOp::FToF(float_format(format)?),
        ("stof", (Some(format), None)) => UnOp::SToF(float_format(format)?),
        ("utof", (Some(format), None)) => UnOp::UToF(float_format(format)?),
        ("ftos", (Some(width), None)) => UnOp::FToS(number(width)?),
        ("ftou", (Some(width), None)) => UnOp::FToU(number(width)?),
        ("frombits", (Some(format), None)) => UnOp::FromBits(float_format(format)?),
        ("tobits", (None, None)) => UnOp::ToBits,
        _ => return None,
    })
}

fn rounding(mode: &str) -> Option<Rounding> {
    Rounding::ALL.into_iter().find(|r| r.smtlib().to_lowercase() == mode)
}

fn number(digits: &str) -> Option<u32> {
    match digits.bytes().all(|b| b.is_ascii_digit()) {
        true => digits.parse().ok(),
        false => None,
    }
}
