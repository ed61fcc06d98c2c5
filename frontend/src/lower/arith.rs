//! Arithmetic on values: wrap-around, with what C leaves open made explicit.
//!
//! * A shift count outside the promoted type gives any value.
//! * A division that traps ends the run: an `assume`, or with the check an `assert` before it.

use super::build::FnLower;
use super::range::Range;
use crate::hir::{BinaryOp, Loc};
use crate::types::TypeId;
use syncline_ir::{BinOp, InstData, PropKind, Type, UnOp, Value};

/// A value with its C type, and its range where syntax shows one.
#[derive(Copy, Clone)]
pub(super) struct Operand {
    pub value: Value,
    pub ty: TypeId,
    pub range: Option<Range>,
}

/// Whether no division of these ranges traps.
pub(super) fn division_is_safe(a: Option<Range>, b: Option<Range>, ty: Option<Range>, signed: bool) -> bool {
    nonzero(b) && (!signed || never_overflows(a, b, ty))
}

fn nonzero(b: Option<Range>) -> bool {
    b.is_some_and(|r| !r.contains(0))
}

fn never_overflows(a: Option<Range>, b: Option<Range>, ty: Option<Range>) -> bool {
    let min = ty.map(|r| r.lo);
    b.is_some_and(|r| !r.contains(-1)) || a.zip(min).is_some_and(|(r, min)| !r.contains(min))
}

impl FnLower<'_, '_> {
    /// `left op right` for the operators that give a value of the left operand's type.
    pub fn arithmetic(&mut self, op: BinaryOp, left: Operand, right: Operand, loc: Loc) -> Value {
        let (a, b) = (left.value, right.value);
        if self.cx.is_float(left.ty) {
            return self.float_arithmetic(op, a, b);
        }
        let signed = self.cx.is_signed(left.ty);
        match op {
            BinaryOp::Add => self.overflowing(BinOp::Add, a, b, signed, loc),
            BinaryOp::Sub => self.overflowing(BinOp::Sub, a, b, signed, loc),
            BinaryOp::Mul => self.overflowing(BinOp::Mul, a, b, signed, loc),
            BinaryOp::Div | BinaryOp::Rem => {
                self.guard_division(left, right, loc);
                let op = match (op == BinaryOp::Div, signed) {
                    (true, true) => BinOp::SDiv,
                    (true, false) => BinOp::UDiv,
                    (false, true) => BinOp::SRem,
                    (false, false) => BinOp::URem,
                };
                self.bin(op, a, b)
            }
            BinaryOp::Shl => self.shift(BinOp::Shl, left, right, loc),
            BinaryOp::Shr if signed => self.shift(BinOp::AShr, left, right, loc),
            BinaryOp::Shr => self.shift(BinOp::LShr, left, right, loc),
            BinaryOp::And => self.bin(BinOp::BvAnd, a, b),
            BinaryOp::Or => self.bin(BinOp::BvOr, a, b),
            BinaryOp::Xor => self.bin(BinOp::BvXor, a, b),
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne => {
                self.unsupported("a comparison used as arithmetic");
                a
            }
        }
    }

    fn float_arithmetic(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        match op {
            BinaryOp::Add => self.bin(BinOp::FAdd, a, b),
            BinaryOp::Sub => self.bin(BinOp::FSub, a, b),
            BinaryOp::Mul => self.bin(BinOp::FMul, a, b),
            BinaryOp::Div => self.bin(BinOp::FDiv, a, b),
            BinaryOp::Rem
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge
            | BinaryOp::Eq
            | BinaryOp::Ne => {
                self.unsupported("an integer operator on floating-point values");
                a
            }
        }
    }

    fn overflowing(&mut self, op: BinOp, a: Value, b: Value, signed: bool, loc: Loc) -> Value {
        let result = self.bin(op, a, b);
        if signed && self.cx.checks(PropKind::Overflow) {
            self.check_overflow(op, a, b, result, loc);
        }
        result
    }

    /// The exact result, in a width that holds it, is the wrapped one extended.
    fn check_overflow(&mut self, op: BinOp, a: Value, b: Value, result: Value, loc: Loc) {
        let width = self.width(a);
        let wide = match op {
            BinOp::Mul => 2 * width,
            _ => width + 1,
        };
        if wide > syncline_ir::types::MAX_WIDTH {
            self.unsupported("an overflow check on 128-bit integers");
            return;
        }
        let (x, y) = (self.un(UnOp::SExt(wide), a), self.un(UnOp::SExt(wide), b));
        let exact = self.bin(op, x, y);
        let wrapped = self.un(UnOp::SExt(wide), result);
        let fits = self.bin(BinOp::Eq, exact, wrapped);
        self.check(PropKind::Overflow, fits, "no signed overflow", loc);
    }

    pub fn negate(&mut self, value: Value, signed: bool, loc: Loc) -> Value {
        if self.ty(value).width().is_none() {
            return self.un(UnOp::FNeg, value);
        }
        if signed && self.cx.checks(PropKind::Overflow) {
            let (width, min) = (self.width(value), self.minimum(value));
            debug_assert!(width > 0);
            let is_min = self.bin(BinOp::Eq, value, min);
            let fits = self.not(is_min);
            self.check(PropKind::Overflow, fits, "no signed overflow", loc);
        }
        self.un(UnOp::BvNeg, value)
    }

    /// The smallest signed number of the value's width.
    fn minimum(&mut self, value: Value) -> Value {
        let width = self.width(value);
        self.constant(syncline_ir::Const::bv(width, 1 << (width - 1)))
    }

    fn guard_division(&mut self, left: Operand, right: Operand, loc: Loc) {
        let signed = self.cx.is_signed(left.ty);
        let width = self.width(right.value);
        if !nonzero(right.range) {
            let zero = self.bv(width, 0);
            let is_zero = self.bin(BinOp::Eq, right.value, zero);
            let defined = self.not(is_zero);
            self.check(PropKind::Division, defined, "divisor is not zero", loc);
            self.assume(defined);
        }
        if signed && !never_overflows(left.range, right.range, self.cx.type_range(left.ty)) {
            let (min, minus_one) = (self.minimum(left.value), self.bv(width, -1));
            let is_min = self.bin(BinOp::Eq, left.value, min);
            let is_minus_one = self.bin(BinOp::Eq, right.value, minus_one);
            let traps = self.bin(BinOp::And, is_min, is_minus_one);
            let defined = self.not(traps);
            self.check(PropKind::Division, defined, "quotient fits its type", loc);
            self.assume(defined);
        }
    }

    /// A count out of range stands for the one a machine takes instead, which is unknown but always the same
    /// (`docs/decisions/0003-shifts.md`).
    fn shift(&mut self, op: BinOp, left: Operand, right: Operand, loc: Loc) -> Value {
        let width = self.width(left.value);
        let count_width = self.width(right.value);
        let count = if count_width > width {
            self.un(UnOp::Extract { hi: width - 1, lo: 0 }, right.value)
        } else {
            self.un(UnOp::ZExt(width), right.value)
        };
        if right.range.is_some_and(|r| r.within(0, i128::from(width) - 1)) {
            return self.bin(op, left.value, count);
        }
        let bound = self.bv(count_width, i128::from(width));
        // Negative counts are large ones here.
        let defined = self.bin(BinOp::Ult, right.value, bound);
        self.check(PropKind::Shift, defined, "shift count inside the type", loc);
        if self.const_bool(defined) == Some(true) {
            return self.bin(op, left.value, count);
        }
        let place = self.cx.shift_table(width);
        let other = self.emit(InstData::Load { place, index: count }, Type::bv(width));
        let count = self.ite(defined, count, other);
        self.bin(op, left.value, count)
    }
}
