//! SMT-LIB 2 text, one definition a line. What is constant is computed, with the interpreter's own operators, so that
//! code decided by constants costs nothing; beyond that nothing is simplified: the text says what the program does.

use rustc_hash::FxHashMap;
use std::fmt::Write;
use syncline_ir::{eval, ArrayConst, BinOp, Const, FloatFormat, Scalar, Type, UnOp};

/// A defined or declared constant of the text: `n17`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Name(u32);

#[derive(Clone)]
pub struct Script {
    text: String,
    /// Constant arrays not written out yet.
    unwritten: FxHashMap<Name, ArrayConst>,
    /// By name, the scalar it is known to be.
    known: Vec<Option<Const>>,
    types: Vec<Type>,
    arrays: bool,
    floats: bool,
}

impl Script {
    pub fn new() -> Script {
        Script {
            text: String::new(),
            unwritten: FxHashMap::default(),
            known: Vec::new(),
            types: Vec::new(),
            arrays: false,
            floats: false,
        }
    }

    pub fn len(&self) -> usize {
        self.text.len()
    }

    pub fn ty(&self, name: Name) -> Type {
        self.types[name.0 as usize]
    }

    fn fresh(&mut self, ty: Type) -> Name {
        match ty {
            Type::Array { .. } => self.arrays = true,
            Type::Scalar(Scalar::Float(_)) => self.floats = true,
            Type::Scalar(Scalar::Bool | Scalar::Bv(_)) => {}
        }
        self.types.push(ty);
        self.known.push(None);
        Name(self.types.len() as u32 - 1)
    }

    /// An unknown value.
    pub fn declare(&mut self, ty: Type) -> Name {
        let name = self.fresh(ty);
        let _ = writeln!(self.text, "(declare-const n{} {})", name.0, sort(ty));
        name
    }

    fn define(&mut self, ty: Type, body: &str) -> Name {
        let name = self.fresh(ty);
        let _ = writeln!(self.text, "(define-fun n{} () {} {body})", name.0, sort(ty));
        name
    }

    /// A constant. It is written out only when something that is no constant needs it.
    pub fn constant(&mut self, value: &Const) -> Name {
        let name = self.fresh(value.ty());
        match value {
            Const::Array(array) => drop(self.unwritten.insert(name, array.clone())),
            Const::Bool(_) | Const::Bv { .. } | Const::Float { .. } => {
                self.known[name.0 as usize] = Some(value.clone())
            }
        }
        name
    }

    /// The name as it stands in the text, which defines it.
    fn refer(&mut self, name: Name) -> String {
        if let Some(value) = self.known(name) {
            return literal(value);
        }
        if let Some(array) = self.unwritten.remove(&name) {
            self.write_out(name, &array);
        }
        format!("n{}", name.0)
    }

    fn write_out(&mut self, name: Name, array: &ArrayConst) {
        let ty = self.ty(name);
        let mut body = format!("((as const {}) {})", sort(ty), literal(array.default_cell()));
        for (index, cell) in array.cells() {
            let part = self.define(ty, &body);
            body = format!("(store n{} {} {})", part.0, bits(array.index, index), literal(cell));
        }
        let _ = writeln!(self.text, "(define-fun n{} () {} {body})", name.0, sort(ty));
    }

    /// The scalar a name is known to be.
    pub fn known(&self, name: Name) -> Option<&Const> {
        self.known[name.0 as usize].as_ref()
    }

    /// Whether a condition is known to be so.
    pub fn is_known(&self, name: Name, value: bool) -> bool {
        self.known(name).and_then(Const::as_bool) == Some(value)
    }

    pub fn unary(&mut self, op: UnOp, arg: Name) -> Option<Name> {
        let from = self.ty(arg);
        let ty = op.result(from)?;
        if let Some(value) = self.known(arg).map(|a| eval::unary(op, a)) {
            return Some(self.constant(&value));
        }
        let arg = self.refer(arg);
        let body = match (op, from) {
            (UnOp::ToBits, Type::Scalar(Scalar::Float(format))) => self.stored_bits(format, &arg),
            _ => unary_text(op, from, &arg)?,
        };
        Some(self.define(ty, &body))
    }

    /// The stored encoding of a float. The standard has no function for it: the bits are those of a fresh vector that
    /// reads as the float. Every float has such bits, and only NaN has several; there the canonical ones are taken.
    fn stored_bits(&mut self, format: FloatFormat, arg: &str) -> String {
        let packed = self.declare(Type::bv(format.exponent_bits() + format.significand_bits()));
        let packed = format!("n{}", packed.0);
        let reads = format!("((_ to_fp {} {}) {packed})", format.exponent_bits(), format.significand_bits());
        let _ = writeln!(self.text, "(assert (= {reads} {arg}))");
        let stored = match format {
            FloatFormat::F32 | FloatFormat::F64 => packed,
            // x87 stores the leading one, which is 0 for denormals.
            FloatFormat::X87 => format!(
                "(concat ((_ extract 78 63) {packed}) (concat (ite (= ((_ extract 77 63) {packed}) (_ bv0 15)) #b0 #b1) \
                 ((_ extract 62 0) {packed})))"
            ),
        };
        let zero = Const::zero(Type::float(format));
        let nan = eval::unary(UnOp::ToBits, &eval::binary(BinOp::FDiv, &zero, &zero));
        format!("(ite (fp.isNaN {arg}) {} {stored})", literal(&nan))
    }

    pub fn binary(&mut self, op: BinOp, a: Name, b: Name) -> Option<Name> {
        let ty = op.result(self.ty(a), self.ty(b))?;
        if let (Some(array), Some(Const::Bv { bits, .. })) = (self.unwritten.get(&a), self.known(b)) {
            let cell = array.get(*bits).clone();
            return Some(self.constant(&cell));
        }
        if let (Some(x), Some(y)) = (self.known(a), self.known(b)) {
            let value = eval::binary(op, x, y);
            return Some(self.constant(&value));
        }
        let (a, b) = (self.refer(a), self.refer(b));
        Some(self.define(ty, &format!("({} {a} {b})", binary_text(op))))
    }

    pub fn ite(&mut self, cond: Name, then: Name, other: Name) -> Name {
        if let Some(cond) = self.known(cond).and_then(Const::as_bool) {
            return if cond { then } else { other };
        }
        let ty = self.ty(then);
        let (cond, then, other) = (self.refer(cond), self.refer(then), self.refer(other));
        self.define(ty, &format!("(ite {cond} {then} {other})"))
    }

    pub fn store(&mut self, array: Name, index: Name, value: Name) -> Name {
        let ty = self.ty(array);
        let (array, index, value) = (self.refer(array), self.refer(index), self.refer(value));
        self.define(ty, &format!("(store {array} {index} {value})"))
    }

    pub fn not(&mut self, a: Name) -> Name {
        if let Some(value) = self.known(a).map(|a| eval::unary(UnOp::Not, a)) {
            return self.constant(&value);
        }
        let a = self.refer(a);
        self.define(Type::BOOL, &format!("(not {a})"))
    }

    pub fn and(&mut self, a: Name, b: Name) -> Name {
        if self.is_known(a, false) || self.is_known(b, true) {
            return a;
        }
        if self.is_known(b, false) || self.is_known(a, true) {
            return b;
        }
        let (a, b) = (self.refer(a), self.refer(b));
        self.define(Type::BOOL, &format!("(and {a} {b})"))
    }

    pub fn or(&mut self, a: Name, b: Name) -> Name {
        if self.is_known(a, true) || self.is_known(b, false) {
            return a;
        }
        if self.is_known(b, true) || self.is_known(a, false) {
            return b;
        }
        let (a, b) = (self.refer(a), self.refer(b));
        self.define(Type::BOOL, &format!("(or {a} {b})"))
    }

    /// The whole query: does one of these hold?
    pub fn query(mut self, any: &[Name]) -> (String, &'static str) {
        let any: Vec<String> = any.iter().map(|&name| self.refer(name)).collect();
        let logic = match (self.arrays, self.floats) {
            (false, false) => "QF_BV",
            (true, false) => "QF_ABV",
            (false, true) => "QF_BVFP",
            (true, true) => "QF_ABVFP",
        };
        let _ = writeln!(self.text, "(assert (or false {}))", any.join(" "));
        (self.text, logic)
    }
}

fn float_sort(format: FloatFormat) -> String {
    format!("(_ FloatingPoint {} {})", format.exponent_bits(), format.significand_bits())
}

fn scalar_sort(scalar: Scalar) -> String {
    match scalar {
        Scalar::Bool => "Bool".into(),
        Scalar::Bv(w) => format!("(_ BitVec {w})"),
        Scalar::Float(format) => float_sort(format),
    }
}

fn sort(ty: Type) -> String {
    match ty {
        Type::Scalar(s) => scalar_sort(s),
        Type::Array { index, elem } => format!("(Array (_ BitVec {index}) {})", scalar_sort(elem)),
    }
}

fn bits(width: u32, value: u128) -> String {
    format!("(_ bv{value} {width})")
}

fn literal(value: &Const) -> String {
    match value {
        Const::Bool(b) => b.to_string(),
        Const::Bv { width, bits: value } => bits(*width, *value),
        Const::Float { format, bits: value } => from_bits(*format, &bits(format.storage_bits(), *value)),
        Const::Array(_) => String::from("array"),
    }
}

/// The stored encoding as a float. x87 stores its leading one; the sort has none. Where the bit does not fit the
/// exponent, the number is 0's exponent with a leading one, which means exponent 1, or NaN.
fn from_bits(format: FloatFormat, stored: &str) -> String {
    let FloatFormat::X87 = format else {
        return format!("((_ to_fp {} {}) {stored})", format.exponent_bits(), format.significand_bits());
    };
    let (exponent, fraction) = (format!("((_ extract 78 64) {stored})"), format!("((_ extract 62 0) {stored})"));
    let leading = format!("(= ((_ extract 63 63) {stored}) #b1)");
    let lowest = format!("(= {exponent} (_ bv0 15))");
    let number =
        format!("(fp ((_ extract 79 79) {stored}) (ite (and {lowest} {leading}) (_ bv1 15) {exponent}) {fraction})");
    format!("(ite (or {lowest} {leading}) {number} (_ NaN 15 64))")
}

/// The operator on a printed operand of type `from`; `None` where SMT-LIB has no term for it.
fn unary_text(op: UnOp, from: Type, a: &str) -> Option<String> {
    let width = from.width().unwrap_or(0);
    Some(match op {
        UnOp::Not => format!("(not {a})"),
        UnOp::BvNot => format!("(bvnot {a})"),
        UnOp::BvNeg => format!("(bvneg {a})"),
        UnOp::ZExt(to) => format!("((_ zero_extend {}) {a})", to - width),
        UnOp::SExt(to) => format!("((_ sign_extend {}) {a})", to - width),
        UnOp::Extract { hi, lo } => format!("((_ extract {hi} {lo}) {a})"),
        UnOp::FNeg => format!("(fp.neg {a})"),
        UnOp::FIsNan => format!("(fp.isNaN {a})"),
        UnOp::FIsInf => format!("(fp.isInfinite {a})"),
        UnOp::FSign => format!("(fp.isNegative {a})"),
        UnOp::FSqrt => format!("(fp.sqrt RNE {a})"),
        UnOp::FRound(mode) => format!("(fp.roundToIntegral {} {a})", mode.smtlib()),
        UnOp::FToF(f) => format!("((_ to_fp {} {}) RNE {a})", f.exponent_bits(), f.significand_bits()),
        UnOp::SToF(f) => format!("((_ to_fp {} {}) RNE {a})", f.exponent_bits(), f.significand_bits()),
        UnOp::UToF(f) => format!("((_ to_fp_unsigned {} {}) RNE {a})", f.exponent_bits(), f.significand_bits()),
        UnOp::FToS(to) => to_integer(from, a, to, true)?,
        UnOp::FToU(to) => to_integer(from, a, to, false)?,
        UnOp::FromBits(format) => from_bits(format, a),
        // Needs a definition of its own.
        UnOp::ToBits => return None,
    })
}

/// Truncation, and 0 where the result does not fit: the truncated value must lie in the integer type's range.
/// The range's ends are given as floats rounded toward the inside, so that the comparison is exact.
fn to_integer(from: Type, a: &str, to: u32, signed: bool) -> Option<String> {
    let Type::Scalar(Scalar::Float(format)) = from else { return None };
    let to_fp = |mode: &str, value: String, unsigned: bool| {
        let name = if unsigned { "to_fp_unsigned" } else { "to_fp" };
        format!("((_ {name} {} {}) {mode} {value})", format.exponent_bits(), format.significand_bits())
    };
    let convert = if signed { "fp.to_sbv" } else { "fp.to_ubv" };
    let (low, high) = if signed {
        (bits(to, 1u128 << (to - 1)), bits(to, (1u128 << (to - 1)) - 1))
    } else {
        (bits(to, 0), bits(to, if to == 128 { u128::MAX } else { (1u128 << to) - 1 }))
    };
    let rounded = format!("(fp.roundToIntegral RTZ {a})");
    let fits = format!(
        "(and (fp.leq {} {rounded}) (fp.leq {rounded} {}))",
        to_fp("RTP", low, !signed),
        to_fp("RTN", high, !signed)
    );
    Some(format!("(ite {fits} ((_ {convert} {to}) RTZ {a}) {})", bits(to, 0)))
}

fn binary_text(op: BinOp) -> &'static str {
    match op {
        BinOp::And => "and",
        BinOp::Or => "or",
        BinOp::Xor => "xor",
        BinOp::Eq => "=",
        BinOp::Add => "bvadd",
        BinOp::Sub => "bvsub",
        BinOp::Mul => "bvmul",
        BinOp::UDiv => "bvudiv",
        BinOp::SDiv => "bvsdiv",
        BinOp::URem => "bvurem",
        BinOp::SRem => "bvsrem",
        BinOp::BvAnd => "bvand",
        BinOp::BvOr => "bvor",
        BinOp::BvXor => "bvxor",
        BinOp::Shl => "bvshl",
        BinOp::LShr => "bvlshr",
        BinOp::AShr => "bvashr",
        BinOp::Concat => "concat",
        BinOp::Ult => "bvult",
        BinOp::Ule => "bvule",
        BinOp::Slt => "bvslt",
        BinOp::Sle => "bvsle",
        BinOp::FAdd => "fp.add RNE",
        BinOp::FSub => "fp.sub RNE",
        BinOp::FMul => "fp.mul RNE",
        BinOp::FDiv => "fp.div RNE",
        BinOp::FRem => "fp.rem",
        BinOp::FEq => "fp.eq",
        BinOp::FLt => "fp.lt",
        BinOp::FLe => "fp.leq",
        BinOp::Select => "select",
    }
}
