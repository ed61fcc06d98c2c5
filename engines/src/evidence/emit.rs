//! SMT-LIB 2 text, one definition a line. What is constant is computed, with the interpreter's own operators, so that
//! code decided by constants costs nothing; beyond that nothing is simplified: the text says what the program does.
//! A query has the definitions it depends on, and no others. A definition is a declaration and an equation: `define-fun`
//! means the same, but solvers copy its body into whatever uses it when they read it, and took ten times as long.

use super::written::Made;
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::rc::Rc;
use syncline_ir::{eval, ArrayConst, BinOp, Const, FloatFormat, Scalar, Type, UnOp};

/// How many scalars a name is followed through.
const MAX_CHOICES: usize = 16;
/// How deep bodies nest in each other; readers may recurse.
const MAX_DEPTH: u32 = 100;
/// How long a body may be that is copied into another.
const MAX_NESTED: usize = 4000;

/// A defined or declared constant of the text: `n17`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Name(u32);

#[derive(Clone)]
pub struct Script {
    /// The bodies of the lines, one after another.
    text: String,
    lines: Vec<Line>,
    /// Constant arrays not written out yet.
    unwritten: FxHashMap<Name, ArrayConst>,
    /// By name, the scalar it is known to be.
    known: Vec<Option<Const>>,
    types: Vec<Type>,
    /// The scalars an if-then-else over constants can be, where they are few.
    choices: FxHashMap<Name, Rc<Vec<Const>>>,
    /// How arrays came about that have no text ([`super::written`]), and what was read of them.
    pub(super) made: FxHashMap<Name, Made>,
    pub(super) cells_read: FxHashMap<(Name, Name), Name>,
}

/// A line that a query needs whenever it needs the name. Its body mentions only names whose lines stand before it.
#[derive(Copy, Clone)]
struct Line {
    kind: Kind,
    name: Name,
    /// Where the body ends in the text; it starts where that of the line before ends.
    end: usize,
}

#[derive(Copy, Clone, PartialEq)]
enum Kind {
    Declare,
    Define,
    /// About a declared name.
    Assert,
}

/// A question for a solver: text without the logic, and the logic.
pub struct Query {
    pub text: String,
    pub logic: &'static str,
}

impl Script {
    pub fn new() -> Script {
        Script {
            text: String::new(),
            lines: Vec::new(),
            unwritten: FxHashMap::default(),
            known: Vec::new(),
            types: Vec::new(),
            choices: FxHashMap::default(),
            made: FxHashMap::default(),
            cells_read: FxHashMap::default(),
        }
    }

    pub fn len(&self) -> usize {
        self.text.len()
    }

    pub fn ty(&self, name: Name) -> Type {
        self.types[name.0 as usize]
    }

    fn fresh(&mut self, ty: Type) -> Name {
        self.types.push(ty);
        self.known.push(None);
        Name(self.types.len() as u32 - 1)
    }

    /// An unknown value.
    pub fn declare(&mut self, ty: Type) -> Name {
        let name = self.fresh(ty);
        self.line(Kind::Declare, name, "");
        name
    }

    /// An array without text: as text it could be any.
    pub(super) fn made(&mut self, ty: Type, made: Made) -> Name {
        let name = self.declare(ty);
        self.made.insert(name, made);
        name
    }

    fn line(&mut self, kind: Kind, name: Name, body: &str) {
        self.text.push_str(body);
        self.lines.push(Line { kind, name, end: self.text.len() });
    }

    fn define(&mut self, ty: Type, body: &str) -> Name {
        let name = self.fresh(ty);
        self.line(Kind::Define, name, body);
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
        self.line(Kind::Define, name, &body);
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
        let vector = self.declare(Type::bv(format.exponent_bits() + format.significand_bits()));
        let packed = format!("n{}", vector.0);
        let reads = format!("((_ to_fp {} {}) {packed})", format.exponent_bits(), format.significand_bits());
        self.line(Kind::Assert, vector, &format!("(= {reads} {arg})"));
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
        if op == BinOp::Eq && self.ty(a).is_array() && self.ty(a) == self.ty(b) {
            return Some(self.same_array(a, b));
        }
        let ty = op.result(self.ty(a), self.ty(b))?;
        if op == BinOp::Select && self.made.contains_key(&a) {
            return self.read_made(a, b);
        }
        if op == BinOp::And {
            return Some(self.and(a, b));
        }
        if op == BinOp::Or {
            return Some(self.or(a, b));
        }
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

    /// Whether two names are the same value, of any type. Of floats: the same number with the same sign, or both NaN.
    pub fn same(&mut self, a: Name, b: Name) -> Name {
        match (self.known(a), self.known(b)) {
            (Some(x), Some(y)) if x == y => self.constant(&Const::TRUE),
            _ => self.same_array(a, b),
        }
    }

    /// Arrays are compared by formulas only.
    fn same_array(&mut self, a: Name, b: Name) -> Name {
        if a == b {
            return self.constant(&Const::TRUE);
        }
        if let Some(same) = self.same_made(a, b) {
            return same;
        }
        let (a, b) = (self.refer(a), self.refer(b));
        self.define(Type::BOOL, &format!("(= {a} {b})"))
    }

    pub fn ite(&mut self, cond: Name, then: Name, other: Name) -> Name {
        if let Some(cond) = self.known(cond).and_then(Const::as_bool) {
            return if cond { then } else { other };
        }
        if then == other || self.known(then).is_some_and(|a| self.known(other) == Some(a)) {
            return then;
        }
        if self.made.contains_key(&then) || self.made.contains_key(&other) {
            return self.made(self.ty(then), Made::Ite(cond, then, other));
        }
        let choices = self.choices_of(then).zip(self.choices_of(other));
        let ty = self.ty(then);
        let (cond, then, other) = (self.refer(cond), self.refer(then), self.refer(other));
        let name = self.define(ty, &format!("(ite {cond} {then} {other})"));
        if let Some((mine, theirs)) = choices {
            let mut all = (*mine).clone();
            all.extend(theirs.iter().filter(|c| !mine.contains(c)).cloned());
            if all.len() <= MAX_CHOICES {
                self.choices.insert(name, Rc::new(all));
            }
        }
        name
    }

    fn choices_of(&self, name: Name) -> Option<Rc<Vec<Const>>> {
        match self.known(name) {
            Some(value) => Some(Rc::new(vec![value.clone()])),
            None => self.choices.get(&name).cloned(),
        }
    }

    /// False if it is plain that the name is not this scalar.
    pub fn may_be(&self, name: Name, value: &Const) -> bool {
        if matches!(value, Const::Float { .. }) {
            // One float has several encodings.
            return true;
        }
        match self.known(name) {
            Some(known) => known == value,
            None => self.choices.get(&name).is_none_or(|choices| choices.contains(value)),
        }
    }

    pub fn store(&mut self, array: Name, index: Name, value: Name) -> Name {
        let ty = self.ty(array);
        if self.made.contains_key(&array) {
            return self.made(ty, Made::Store(array, index, value));
        }
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

    /// Does one of `any` hold while all of `given` do?
    pub fn query(&mut self, given: &[Name], any: &[Name]) -> Query {
        let mut asked: Vec<String> = given.iter().map(|&name| self.refer(name)).collect();
        let any: Vec<String> = any.iter().map(|&name| self.refer(name)).collect();
        asked.push(format!("(or false false {})", any.join(" ")));
        let mut uses = vec![0; self.types.len()];
        asked.iter().for_each(|body| count(body, &mut uses));
        let mut wanted: Vec<(Line, &str)> = Vec::new();
        for at in (0..self.lines.len()).rev() {
            let line = self.lines[at];
            let start = if at == 0 { 0 } else { self.lines[at - 1].end };
            if uses[line.name.0 as usize] > 0 {
                let body = &self.text[start..line.end];
                count(body, &mut uses);
                wanted.push((line, body));
            }
        }
        wanted.reverse();
        let logic = logic(wanted.iter().map(|(line, _)| self.ty(line.name)));
        Query { text: self.nest(&wanted, &uses, &asked), logic }
    }

    /// Writes a definition that is used once where it is used: some solvers need time for each definition that grows
    /// with all those before it. What nests too deeply, or is too long to be copied, keeps its line.
    fn nest(&self, lines: &[(Line, &str)], uses: &[u32], asked: &[String]) -> String {
        let mut text = String::new();
        let mut bodies: FxHashMap<usize, (String, u32)> = FxHashMap::default();
        for &(Line { kind, name, .. }, body) in lines {
            let (body, depth) = expand(body, &mut bodies);
            let (n, sort) = (name.0, sort(self.ty(name)));
            let _ = match kind {
                Kind::Define if uses[n as usize] == 1 && depth < MAX_DEPTH && body.len() < MAX_NESTED => {
                    bodies.insert(n as usize, (body, depth));
                    Ok(())
                }
                Kind::Define => writeln!(text, "(declare-const n{n} {sort})\n(assert (= n{n} {body}))"),
                Kind::Declare => writeln!(text, "(declare-const n{n} {sort})"),
                Kind::Assert => writeln!(text, "(assert {body})"),
            };
        }
        for body in asked {
            let _ = writeln!(text, "(assert {})", expand(body, &mut bodies).0);
        }
        text
    }
}

fn logic(types: impl Iterator<Item = Type>) -> &'static str {
    let (mut arrays, mut floats) = (false, false);
    for ty in types {
        let scalar = match ty {
            Type::Array { elem, .. } => {
                arrays = true;
                elem
            }
            Type::Scalar(scalar) => scalar,
        };
        floats |= matches!(scalar, Scalar::Float(_));
    }
    match (arrays, floats) {
        (false, false) => "QF_BV",
        (true, false) => "QF_ABV",
        (false, true) => "QF_BVFP",
        (true, true) => "QF_ABVFP",
    }
}

/// The number of a name. No other word of SMT-LIB is an `n` followed by digits alone.
fn number(word: &str) -> Option<usize> {
    word.strip_prefix('n').and_then(|digits| digits.parse().ok())
}

/// What separates words.
const BETWEEN: [char; 3] = [' ', '(', ')'];

/// Counts how often each name stands in the body.
fn count(body: &str, uses: &mut [u32]) {
    for n in body.split(BETWEEN).filter_map(number) {
        uses[n] += 1;
    }
}

/// Replaces the names that have a body by it; the result and how deep it nests in bodies.
fn expand(body: &str, bodies: &mut FxHashMap<usize, (String, u32)>) -> (String, u32) {
    let (mut text, mut depth) = (String::with_capacity(body.len()), 0);
    for part in body.split_inclusive(BETWEEN) {
        let word = part.trim_end_matches(BETWEEN);
        match number(word).and_then(|n| bodies.remove(&n)) {
            Some((inner, inside)) => {
                depth = depth.max(inside + 1);
                text.push_str(&inner);
                text.push_str(&part[word.len()..]);
            }
            None => text.push_str(part),
        }
    }
    (text, depth)
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
