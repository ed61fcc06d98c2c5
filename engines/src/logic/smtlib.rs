//! Queries as SMT-LIB 2 text, for any other solver.
//!
//! Every operator is a `define-fun` of its own, so the text is linear in the DAG and never nests deep. Arrays and
//! floats are written natively; floats use the standard's functions only: the bits of a float are those of a fresh
//! vector that reads as it. Conversions to integers are guarded, and x87's stored format is taken apart, as in the
//! [`Z3 back end`](super::z3).

use super::term::{nan_bits, Node, Term, TermStore};
use rustc_hash::FxHashSet;
use std::fmt::Write;
use syncline_ir::{ArrayConst, BinOp, Const, FloatFormat, Scalar, Type, UnOp};

/// A complete query: are the formulas satisfiable together? `expected` is `sat`, `unsat` or `unknown`.
pub fn write_query(store: &TermStore, asserts: &[Term], expected: &str) -> String {
    let mut writer = Writer { store, out: String::new() };
    let terms = store.reachable(asserts);
    let _ = writeln!(writer.out, "(set-info :status {expected})\n(set-logic {})", logic(store, &terms));
    for &t in &terms {
        writer.definition(t);
    }
    for &t in asserts {
        let _ = writeln!(writer.out, "(assert {})", writer.name(t));
    }
    writer.out.push_str("(check-sat)\n(exit)\n");
    writer.out
}

/// Defines a term and everything it is made of, except what was defined before.
pub fn define(store: &TermStore, term: Term, defined: &mut FxHashSet<Term>, out: &mut String) {
    let mut writer = Writer { store, out: std::mem::take(out) };
    let mut stack = vec![term];
    while let Some(&t) = stack.last() {
        if defined.contains(&t) {
            stack.pop();
            continue;
        }
        let before = stack.len();
        stack.extend(store.node(t).args().filter(|a| !defined.contains(a)));
        if stack.len() == before {
            stack.pop();
            defined.insert(t);
            writer.definition(t);
        }
    }
    *out = writer.out;
}

/// How a defined term is referred to.
pub fn reference(store: &TermStore, term: Term) -> String {
    Writer { store, out: String::new() }.name(term)
}

fn logic(store: &TermStore, terms: &[Term]) -> &'static str {
    let is_float = |ty| match ty {
        Type::Scalar(s) | Type::Array { elem: s, .. } => matches!(s, Scalar::Float(_)),
    };
    let arrays = terms.iter().any(|&t| store.ty(t).is_array());
    let floats = terms.iter().any(|&t| is_float(store.ty(t)));
    match (arrays, floats) {
        (false, false) => "QF_BV",
        (true, false) => "QF_ABV",
        (false, true) => "QF_BVFP",
        (true, true) => "QF_ABVFP",
    }
}

struct Writer<'a> {
    store: &'a TermStore,
    out: String,
}

impl Writer<'_> {
    /// How a term is referred to: constants as they are, everything else by name.
    fn name(&self, t: Term) -> String {
        match self.store.node(t) {
            Node::Const(id) => match self.store.const_value(id) {
                // Large: defined once.
                Const::Array(_) => format!("t{}", t.index()),
                scalar => constant(scalar),
            },
            Node::Var(s) => {
                let plain = |c: char| if c.is_ascii_alphanumeric() || "_.[]".contains(c) { c } else { '_' };
                let name: String = self.store.symbol_name(s).chars().map(plain).collect();
                format!("|{name}!{}|", s.index())
            }
            Node::Un(..) | Node::Bin(..) | Node::Ite(..) | Node::Store(..) => format!("t{}", t.index()),
        }
    }

    fn definition(&mut self, t: Term) {
        let node = self.store.node(t);
        let ty = sort(self.store.ty(t));
        let body = match node {
            Node::Const(id) => match self.store.const_value(id) {
                Const::Array(array) => array_constant(array),
                _ => return,
            },
            Node::Var(_) => {
                let _ = writeln!(self.out, "(declare-fun {} () {ty})", self.name(t));
                return;
            }
            Node::Un(op, a) => self.unary(op, a, t),
            Node::Bin(op, a, b) => format!("({} {} {})", Writer::operator(op), self.name(a), self.name(b)),
            Node::Ite(c, a, b) => format!("(ite {} {} {})", self.name(c), self.name(a), self.name(b)),
            Node::Store(a, i, v) => format!("(store {} {} {})", self.name(a), self.name(i), self.name(v)),
        };
        let _ = writeln!(self.out, "(define-fun t{} () {ty} {body})", t.index());
    }

    fn unary(&mut self, op: UnOp, a: Term, t: Term) -> String {
        let (x, from) = (self.name(a), self.store.ty(a));
        let format = match from {
            Type::Scalar(Scalar::Float(f)) => f,
            // Not looked at: the operand is no float.
            _ => FloatFormat::F32,
        };
        let width = from.width().unwrap_or(0);
        match op {
            UnOp::Not => format!("(not {x})"),
            UnOp::BvNot => format!("(bvnot {x})"),
            UnOp::BvNeg => format!("(bvneg {x})"),
            UnOp::ZExt(to) => format!("((_ zero_extend {}) {x})", to - width),
            UnOp::SExt(to) => format!("((_ sign_extend {}) {x})", to - width),
            UnOp::Extract { hi, lo } => format!("((_ extract {hi} {lo}) {x})"),
            UnOp::FNeg => format!("(fp.neg {x})"),
            UnOp::FIsNan => format!("(fp.isNaN {x})"),
            UnOp::FIsInf => format!("(fp.isInfinite {x})"),
            UnOp::FSign => format!("(fp.isNegative {x})"),
            UnOp::FSqrt => format!("(fp.sqrt RNE {x})"),
            UnOp::FRound(mode) => format!("(fp.roundToIntegral {} {x})", mode.smtlib()),
            UnOp::FToF(to) | UnOp::SToF(to) => format!("({} RNE {x})", to_fp("to_fp", to)),
            UnOp::UToF(to) => format!("({} RNE {x})", to_fp("to_fp_unsigned", to)),
            UnOp::FToS(w) => to_integer(format, w, true, &x),
            UnOp::FToU(w) => to_integer(format, w, false, &x),
            UnOp::FromBits(to @ (FloatFormat::F32 | FloatFormat::F64)) => format!("({} {x})", to_fp("to_fp", to)),
            UnOp::FromBits(FloatFormat::X87) => from_x87(&x),
            UnOp::ToBits => self.stored_bits(format, &x, t),
        }
    }

    fn operator(op: BinOp) -> &'static str {
        match op {
            BinOp::And => "and",
            BinOp::Or => "or",
            BinOp::Xor => "xor",
            // On floats too: the theory's equality is identity of values.
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

    /// The stored bits: a fresh vector that reads as the float, which has one encoding unless it is NaN.
    fn stored_bits(&mut self, format: FloatFormat, x: &str, t: Term) -> String {
        let packed = format!("bits{}", t.index());
        let width = format.exponent_bits() + format.significand_bits();
        let _ = writeln!(self.out, "(declare-fun {packed} () (_ BitVec {width}))");
        let _ = writeln!(self.out, "(assert (= ({} {packed}) {x}))", to_fp("to_fp", format));
        let stored = match format {
            FloatFormat::F32 | FloatFormat::F64 => packed,
            FloatFormat::X87 => format!(
                "(concat ((_ extract 78 63) {packed}) (ite (= ((_ extract 77 63) {packed}) (_ bv0 15)) #b0 #b1) \
                 ((_ extract 62 0) {packed}))"
            ),
        };
        format!("(ite (fp.isNaN {x}) (_ bv{} {}) {stored})", nan_bits(format), format.storage_bits())
    }
}

fn to_fp(function: &str, to: FloatFormat) -> String {
    format!("(_ {function} {} {})", to.exponent_bits(), to.significand_bits())
}

fn sort(ty: Type) -> String {
    match ty {
        Type::Scalar(Scalar::Bool) => "Bool".into(),
        Type::Scalar(Scalar::Bv(w)) => format!("(_ BitVec {w})"),
        Type::Scalar(Scalar::Float(f)) => format!("(_ FloatingPoint {} {})", f.exponent_bits(), f.significand_bits()),
        Type::Array { index, elem } => format!("(Array (_ BitVec {index}) {})", sort(elem.into())),
    }
}

fn constant(value: &Const) -> String {
    match value {
        Const::Bool(b) => b.to_string(),
        Const::Bv { width, bits } => format!("(_ bv{bits} {width})"),
        Const::Float { format, bits } => float_constant(*format, *bits),
        Const::Array(array) => array_constant(array),
    }
}

fn float_constant(format: FloatFormat, bits: u128) -> String {
    let (e, s) = (format.exponent_bits(), format.significand_bits());
    if bits == nan_bits(format) {
        return format!("(_ NaN {e} {s})");
    }
    // x87 stores its integer bit between exponent and fraction.
    let fraction_bits = s - 1;
    let stored_bits = format.storage_bits() - 1 - e;
    let fraction = bits & ((1u128 << fraction_bits) - 1);
    let exponent = (bits >> stored_bits) & ((1u128 << e) - 1);
    let sign = bits >> (format.storage_bits() - 1);
    format!("(fp #b{sign} (_ bv{exponent} {e}) (_ bv{fraction} {fraction_bits}))")
}

fn array_constant(array: &ArrayConst) -> String {
    let ty = sort(Type::Array { index: array.index, elem: array.elem });
    let mut text = String::new();
    // One store a cell, the first one innermost.
    (0..array.cell_count()).for_each(|_| text.push_str("(store "));
    let _ = write!(text, "((as const {ty}) {})", constant(array.default_cell()));
    for (i, value) in array.cells() {
        let _ = write!(text, " (_ bv{i} {}) {})", array.index, constant(value));
    }
    text
}

/// Truncation, 0 where the result does not fit.
fn to_integer(format: FloatFormat, width: u32, signed: bool, x: &str) -> String {
    let k = if signed { width - 1 } else { width };
    let bound = |k: u32, plus_one: bool| {
        // Exact in binary; out of range it rounds to infinity, which is as good a bound.
        let one = if plus_one { "1" } else { "0" };
        let digits = format!("#b01{}", if k == 0 { String::new() } else { "0".repeat(k as usize - 1) + one });
        format!("({} RNE {digits})", to_fp("to_fp", format))
    };
    // Above -1 for unsigned. For signed above -2^k - 1 if the format tells that from -2^k, else from -2^k on.
    let exact = signed && k > 0 && format.significand_bits() > width;
    let low = match (signed, exact) {
        (false, _) => format!("(fp.lt (fp.neg {}) {x})", bound(0, false)),
        (true, true) => format!("(fp.lt (fp.neg {}) {x})", bound(k, true)),
        // One bit: -1 and 0 fit, so what is above -2.
        (true, false) if k == 0 => format!("(fp.lt (fp.neg {}) {x})", bound(1, false)),
        (true, false) => format!("(fp.leq (fp.neg {}) {x})", bound(k, false)),
    };
    let function = if signed { "fp.to_sbv" } else { "fp.to_ubv" };
    let high = format!("(fp.lt {x} {})", bound(k, false));
    format!("(ite (and {low} {high}) ((_ {function} {width}) RTZ {x}) (_ bv0 {width}))")
}

/// Reads the 80 stored bits: unsupported encodings are NaN, pseudo-denormals what they stand for.
fn from_x87(x: &str) -> String {
    let exponent = format!("((_ extract 78 64) {x})");
    let fraction = format!("((_ extract 62 0) {x})");
    let integer = format!("(= ((_ extract 63 63) {x}) #b1)");
    let zero = format!("(= {exponent} (_ bv0 15))");
    let valid =
        format!("(ite (= {exponent} (_ bv32767 15)) (and {integer} (= {fraction} (_ bv0 63))) (or {zero} {integer}))");
    let number = format!("(fp ((_ extract 79 79) {x}) (ite (and {zero} {integer}) (_ bv1 15) {exponent}) {fraction})");
    format!("(ite {valid} {number} (_ NaN 15 64))")
}
