//! Functions of the math library, by the operators of the IR.
//!
//! There is one NaN, so its sign is any: `signbit` and `copysign` ask for it.

use super::build::FnLower;
use crate::hir::Expr;
use crate::mathlib::MathFn;
use crate::types::DataModel;
use syncline_ir::{BinOp, Const, FloatFormat, Rounding, Scalar, Type, UnOp, Value};

/// The smallest number that is not subnormal.
fn smallest_normal(format: FloatFormat) -> Const {
    Const::Float { format, bits: with_exponent(format, 1) }
}

fn infinity(format: FloatFormat) -> Const {
    Const::Float { format, bits: with_exponent(format, (1 << format.exponent_bits()) - 1) }
}

/// The encoding with this exponent and fraction 0. Only x87 stores the leading one.
fn with_exponent(format: FloatFormat, exponent: u128) -> u128 {
    let field = format.storage_bits() - 1 - format.exponent_bits();
    exponent << field | if format == FloatFormat::X87 { 1 << 63 } else { 0 }
}

impl FnLower<'_, '_> {
    pub(super) fn math(&mut self, function: MathFn, args: &[Expr], whole: &Expr) -> Value {
        let values: Vec<Value> = args.iter().map(|e| self.expr(e)).collect();
        self.set_loc(whole.loc);
        let at = if function == MathFn::ClassifyAs { 5 } else { 0 };
        let (x, ty) = (values[at], args[at].ty);
        let same = function.arguments() != 2 || self.ty(x) == self.ty(values[1]);
        let format = match self.ty(x).scalar() {
            Some(Scalar::Float(format)) if same => format,
            _ => return self.unmodelled("a function of the math library on arguments of other types", whole.ty),
        };
        let result = match function {
            MathFn::Fabs => self.magnitude(x),
            MathFn::CopySign => self.copy_sign(x, values[1]),
            MathFn::Min | MathFn::Max => self.extreme(function == MathFn::Max, format, x, values[1]),
            MathFn::Dim => self.positive_difference(format, x, values[1]),
            MathFn::Sqrt => self.un(UnOp::FSqrt, x),
            MathFn::Round(mode) => self.un(UnOp::FRound(mode), x),
            MathFn::Remainder => self.bin(BinOp::FRem, x, values[1]),
            MathFn::Fmod => self.truncated_remainder(x, values[1]),
            MathFn::RoundTo(mode) => return self.round_to(mode, format, x, whole),
            MathFn::IsNan(_)
            | MathFn::IsInf { .. }
            | MathFn::IsFinite
            | MathFn::IsNormal
            | MathFn::SignBit { .. }
            | MathFn::IsUnordered
            | MathFn::IsLessGreater => return self.float_test(function, format, &values, whole),
            MathFn::Classify => {
                let classes = [0, 1, 4, 3, 2].map(|n| self.bv(32, n));
                let class = self.classify(format, x, classes);
                return self.int_result(class, whole);
            }
            MathFn::ClassifyAs => {
                let classes = std::array::from_fn(|n| values[n]);
                let class = self.classify(format, x, classes);
                return self.int_result(class, whole);
            }
        };
        self.convert(result, ty, whole.ty)
    }

    fn magnitude(&mut self, x: Value) -> Value {
        let negative = self.un(UnOp::FSign, x);
        let opposite = self.un(UnOp::FNeg, x);
        self.ite(negative, opposite, x)
    }

    /// The sign, which NaN has too.
    fn sign(&mut self, x: Value) -> Value {
        let sign = self.un(UnOp::FSign, x);
        let nan = self.un(UnOp::FIsNan, x);
        if self.const_bool(nan) == Some(false) {
            return sign;
        }
        let any = self.havoc("sign of NaN", Type::BOOL);
        self.ite(nan, any, sign)
    }

    fn copy_sign(&mut self, x: Value, y: Value) -> Value {
        let (own, other) = (self.un(UnOp::FSign, x), self.sign(y));
        let differ = self.bin(BinOp::Xor, own, other);
        let opposite = self.un(UnOp::FNeg, x);
        self.ite(differ, opposite, x)
    }

    /// `fmin`, `fmax`: NaN counts only if both are. Of two zeros the library takes one by its place.
    fn extreme(&mut self, largest: bool, format: FloatFormat, x: Value, y: Value) -> Value {
        let (low, high) = if largest { (y, x) } else { (x, y) };
        let first_wins = self.bin(BinOp::FLt, low, high);
        let second_wins = self.bin(BinOp::FLt, high, low);
        let takes_first = match format {
            FloatFormat::F32 | FloatFormat::F64 => self.cx.unit.types.model == DataModel::Lp64,
            FloatFormat::X87 => largest,
        };
        let x_is_nan = self.un(UnOp::FIsNan, x);
        let y_is_nan = self.un(UnOp::FIsNan, y);
        // Neither is less: zeros or equal numbers, or NaN among them.
        let tie = match takes_first {
            true => self.ite(x_is_nan, y, x),
            false => self.ite(y_is_nan, x, y),
        };
        let other = self.ite(second_wins, y, tie);
        self.ite(first_wins, x, other)
    }

    fn positive_difference(&mut self, format: FloatFormat, x: Value, y: Value) -> Value {
        let difference = self.bin(BinOp::FSub, x, y);
        let zero = self.constant(Const::Float { format, bits: 0 });
        // Infinities too; with NaN the difference is NaN.
        let none = self.bin(BinOp::FLe, x, y);
        self.ite(none, zero, difference)
    }

    /// `fmod` has the sign of x. Where the IEEE remainder has the other, it is one divisor away; the sum is exact.
    fn truncated_remainder(&mut self, x: Value, y: Value) -> Value {
        let rest = self.bin(BinOp::FRem, x, y);
        let (sign, negative) = (self.un(UnOp::FSign, rest), self.un(UnOp::FSign, x));
        let differ = self.bin(BinOp::Xor, sign, negative);
        let nan = self.un(UnOp::FIsNan, rest);
        let number = self.not(nan);
        let wrong = self.bin(BinOp::And, differ, number);
        let divisor = self.magnitude(y);
        let opposite = self.un(UnOp::FNeg, divisor);
        let step = self.ite(negative, opposite, divisor);
        let corrected = self.bin(BinOp::FAdd, rest, step);
        self.ite(wrong, corrected, rest)
    }

    fn round_to(&mut self, mode: Rounding, format: FloatFormat, x: Value, whole: &Expr) -> Value {
        let whole_number = self.un(UnOp::FRound(mode), x);
        match self.cx.scalar(whole.ty) {
            Some(Scalar::Bv(width)) => self.float_to_int(whole_number, format, width, self.cx.is_signed(whole.ty)),
            _ => self.unmodelled("a function of the math library with a result of another type", whole.ty),
        }
    }

    /// Tests: 0, or the number that says yes.
    fn float_test(&mut self, function: MathFn, format: FloatFormat, args: &[Value], whole: &Expr) -> Value {
        let x = args[0];
        let (truth, yes) = match function {
            MathFn::IsNan(yes) => (self.un(UnOp::FIsNan, x), yes),
            MathFn::IsInf { signed: false } => (self.un(UnOp::FIsInf, x), 1),
            MathFn::IsInf { signed: true } => {
                let (one, minus_one) = (self.bv(32, 1), self.bv(32, -1));
                let (negative, infinite) = (self.un(UnOp::FSign, x), self.un(UnOp::FIsInf, x));
                let sign = self.ite(negative, minus_one, one);
                let zero = self.bv(32, 0);
                let value = self.ite(infinite, sign, zero);
                return self.int_result(value, whole);
            }
            MathFn::IsNormal => {
                let magnitude = self.magnitude(x);
                let (low, high) = (self.constant(smallest_normal(format)), self.constant(infinity(format)));
                let large = self.bin(BinOp::FLe, low, magnitude);
                let small = self.bin(BinOp::FLt, magnitude, high);
                (self.bin(BinOp::And, large, small), 1)
            }
            MathFn::SignBit { library } => (self.sign(x), self.sign_bit(library, format)),
            MathFn::IsUnordered => {
                let (a, b) = (self.un(UnOp::FIsNan, x), self.un(UnOp::FIsNan, args[1]));
                (self.bin(BinOp::Or, a, b), 1)
            }
            MathFn::IsLessGreater => {
                let (a, b) = (self.bin(BinOp::FLt, x, args[1]), self.bin(BinOp::FLt, args[1], x));
                (self.bin(BinOp::Or, a, b), 1)
            }
            _ => {
                let (nan, infinite) = (self.un(UnOp::FIsNan, x), self.un(UnOp::FIsInf, x));
                let neither = self.bin(BinOp::Or, nan, infinite);
                (self.not(neither), 1)
            }
        };
        let (yes, no) = (self.bv(32, i128::from(yes)), self.bv(32, 0));
        let value = self.ite(truth, yes, no);
        self.int_result(value, whole)
    }

    /// The bit that the instruction finds which gcc, or the library, takes for it.
    fn sign_bit(&self, library: bool, format: FloatFormat) -> i32 {
        match (library, format) {
            (false, FloatFormat::F32) => i32::MIN,
            (false, FloatFormat::F64) => 1,
            (_, FloatFormat::X87) => 512,
            (true, _) if self.cx.unit.types.model == DataModel::Ilp32 => 512,
            (true, FloatFormat::F32) => 8,
            (true, FloatFormat::F64) => 128,
        }
    }

    /// `classes`: NaN, infinite, normal, subnormal, zero.
    fn classify(&mut self, format: FloatFormat, x: Value, classes: [Value; 5]) -> Value {
        let [nan, infinite, normal, subnormal, zero] = classes;
        let magnitude = self.magnitude(x);
        let low = self.constant(smallest_normal(format));
        let none = self.constant(Const::Float { format, bits: 0 });
        let is_small = self.bin(BinOp::FLt, magnitude, low);
        let is_zero = self.bin(BinOp::FEq, x, none);
        let (is_nan, is_infinite) = (self.un(UnOp::FIsNan, x), self.un(UnOp::FIsInf, x));
        let class = self.ite(is_small, subnormal, normal);
        let class = self.ite(is_zero, zero, class);
        let class = self.ite(is_infinite, infinite, class);
        self.ite(is_nan, nan, class)
    }

    /// An `int` as the type the function is declared with.
    fn int_result(&mut self, value: Value, whole: &Expr) -> Value {
        match self.cx.scalar(whole.ty) {
            Some(Scalar::Bv(32)) => value,
            Some(Scalar::Bv(width)) if width < 32 => self.cut(value, width),
            Some(Scalar::Bv(width)) => self.un(UnOp::SExt(width), value),
            _ => self.unmodelled("a function of the math library with a result of another type", whole.ty),
        }
    }
}
