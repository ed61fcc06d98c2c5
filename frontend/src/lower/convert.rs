//! Conversions between scalar C types, as gcc does them.
//!
//! A float that does not fit the integer type it is converted to gives any value. A pointer extends with its sign.

use super::build::FnLower;
use crate::types::{Type as CType, TypeId};
use syncline_ir::{BinOp, Const, FloatFormat, Scalar, UnOp, Value};

impl FnLower<'_, '_> {
    /// `value`, of C type `from`, as C type `to`. What is no scalar stays as it is: it stands behind an obligation.
    pub fn convert(&mut self, value: Value, from: TypeId, to: TypeId) -> Value {
        if from == to {
            return value;
        }
        let (Some(source), Some(target)) = (self.cx.scalar(from), self.cx.scalar(to)) else {
            return self.placeholder(to);
        };
        if self.cx.is_bool(to) {
            let truth = self.truth(value);
            return self.bool_to_bv(truth, 8);
        }
        let from_signed = match self.cx.ctype(from) {
            CType::Int(kind) => kind.signed(),
            _ => true,
        };
        match (source, target) {
            (Scalar::Bv(w), Scalar::Bv(to)) if to < w => self.un(UnOp::Extract { hi: to - 1, lo: 0 }, value),
            (Scalar::Bv(_), Scalar::Bv(to)) if from_signed => self.un(UnOp::SExt(to), value),
            (Scalar::Bv(_), Scalar::Bv(to)) => self.un(UnOp::ZExt(to), value),
            (Scalar::Bv(_), Scalar::Float(format)) if from_signed => self.un(UnOp::SToF(format), value),
            (Scalar::Bv(_), Scalar::Float(format)) => self.un(UnOp::UToF(format), value),
            (Scalar::Float(_), Scalar::Float(format)) => self.un(UnOp::FToF(format), value),
            (Scalar::Float(format), Scalar::Bv(width)) => {
                self.float_to_int(value, format, width, self.cx.is_signed(to))
            }
            (Scalar::Bool, _) | (_, Scalar::Bool) => value,
        }
    }

    /// The value a C condition has: whether a scalar differs from zero.
    pub fn truth(&mut self, value: Value) -> Value {
        match self.ty(value).scalar() {
            Some(Scalar::Bool) | None => value,
            Some(Scalar::Bv(width)) => {
                let zero = self.bv(width, 0);
                let is_zero = self.bin(BinOp::Eq, value, zero);
                self.not(is_zero)
            }
            Some(Scalar::Float(format)) => {
                let zero = self.constant(Const::Float { format, bits: 0 });
                let is_zero = self.bin(BinOp::FEq, value, zero);
                self.not(is_zero)
            }
        }
    }

    /// Truncation toward zero; any value where the result does not fit.
    pub(super) fn float_to_int(&mut self, value: Value, format: FloatFormat, width: u32, signed: bool) -> Value {
        let op = if signed { UnOp::FToS(width) } else { UnOp::FToU(width) };
        let fits = self.fits(value, format, width, signed);
        let converted = self.un(op, value);
        if self.const_bool(fits) == Some(true) {
            return converted;
        }
        let other = self.havoc("float out of range", syncline_ir::Type::bv(width));
        self.ite(fits, converted, other)
    }

    /// Whether the truncated value lies in the integer type: `min - 1 < x` and `x < max + 1`, where the format may
    /// not hold `min - 1`; then no value lies between it and `min`. NaN does not fit.
    fn fits(&mut self, value: Value, format: FloatFormat, width: u32, signed: bool) -> Value {
        let magnitude = if signed { width - 1 } else { width };
        let high = self.constant(power_of_two(format, magnitude, false));
        let above = if !signed {
            let low = self.constant(power_of_two(format, 0, true));
            self.bin(BinOp::FLt, low, value)
        } else if magnitude < format.significand_bits() {
            let below_min = self.bv(128, -(1i128 << magnitude) - 1);
            let low = self.un(UnOp::SToF(format), below_min);
            self.bin(BinOp::FLt, low, value)
        } else {
            let low = self.constant(power_of_two(format, magnitude, true));
            self.bin(BinOp::FLe, low, value)
        };
        let below = self.bin(BinOp::FLt, value, high);
        self.bin(BinOp::And, above, below)
    }

    /// A value for what is not modelled, so that lowering can go on behind the obligation.
    pub fn placeholder(&mut self, ty: TypeId) -> Value {
        let ty = self.cx.value_type(ty);
        self.constant(Const::zero(ty))
    }
}

/// `±2^exponent`; infinity where the format has no such number.
fn power_of_two(format: FloatFormat, exponent: u32, negative: bool) -> Const {
    let exponent_bits = format.exponent_bits();
    let bias = (1u128 << (exponent_bits - 1)) - 1;
    let all_ones = (1u128 << exponent_bits) - 1;
    let biased = (u128::from(exponent) + bias).min(all_ones);
    let fraction_bits = format.storage_bits() - exponent_bits - 1;
    // Only x87 stores the leading one.
    let leading = if format == FloatFormat::X87 { 1u128 << 63 } else { 0 };
    let sign = u128::from(negative) << (format.storage_bits() - 1);
    Const::Float { format, bits: sign | biased << fraction_bits | leading }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_in_every_format() {
        let bits = |format, exponent, negative| match power_of_two(format, exponent, negative) {
            Const::Float { bits, .. } => bits,
            other => panic!("{other}"),
        };
        assert_eq!(bits(FloatFormat::F32, 31, false), u128::from(2147483648f32.to_bits()));
        assert_eq!(bits(FloatFormat::F32, 128, false), u128::from(f32::INFINITY.to_bits()));
        assert_eq!(bits(FloatFormat::F64, 63, true), u128::from((-9223372036854775808f64).to_bits()));
        assert_eq!(bits(FloatFormat::X87, 0, true), 0xbfff_8000_0000_0000_0000);
    }
}
