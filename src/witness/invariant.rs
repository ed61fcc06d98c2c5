//! Formulas at loop headers as C, where C can say them. A formula is said bit by bit as it is meant: operators wrap, so all is
//! computed in unsigned types, and read as signed where it is compared so. What has no plain counterpart (floats, arrays,
//! divisions by what may be zero, names that cannot be seen at the loop) is left out.

use super::source::{IntType, Source};
use crate::answer::{location, Place};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use syncline_engines::annotation::{Formula, FormulaNode, Location, Original};
use syncline_engines::task::Annotations;
use syncline_ir::{BinOp, Const, Inst, InstData, Origin, OriginData, Proc, Procedure, Program, Scalar, Type, UnOp};

/// Longer expressions help nobody.
const LONGEST: usize = 4_000;

/// What holds whenever a run comes to a loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Invariant {
    pub place: Place,
    pub function: String,
    pub value: String,
}

/// Invariants of a proof, and how many formulas of it are none in C.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Invariants {
    pub invariants: Vec<Invariant>,
    pub left_out: usize,
}

/// The formulas as C. What is said of a loop in all activations of its function must hold in each: only loops of functions
/// that the entry calls in one way are spoken of.
pub fn invariants(program: &Program, annotations: &Annotations, long: u32) -> Invariants {
    let mut found = Invariants::default();
    let mut sources: BTreeMap<u32, Option<Source>> = BTreeMap::new();
    let mut places: BTreeMap<(u32, usize), usize> = BTreeMap::new();
    let mut all: Vec<((u32, usize), Invariant)> = Vec::new();
    for (at, formulas) in annotations {
        let said = header(program, at).and_then(|header| {
            let source = sources.entry(header.file).or_insert_with(|| read(&program.files[header.file as usize]));
            let source = source.as_ref()?;
            let keyword = source.loop_at(header.line, header.column)?;
            *places.entry((header.file, keyword)).or_default() += 1;
            let scope = Scope { program, at, proc: header.proc, source, file: header.file, keyword, long };
            Some(((header.file, keyword), scope.all(formulas)))
        });
        let Some((place, invariants)) = said else {
            found.left_out += formulas.len();
            continue;
        };
        found.left_out += formulas.len() - invariants.len();
        all.extend(invariants.into_iter().map(|invariant| (place, invariant)));
    }
    // Two headers at one loop: it is not plain which is which.
    for (place, invariant) in all {
        match places[&place] {
            1 => found.invariants.push(invariant),
            _ => found.left_out += 1,
        }
    }
    found.invariants.sort_by(|a, b| (&a.place, &a.value).cmp(&(&b.place, &b.value)));
    found.invariants.dedup();
    found
}

fn read(path: &str) -> Option<Source> {
    std::fs::read_to_string(path).ok().map(|text| Source::new(&text))
}

struct Header {
    proc: Proc,
    file: u32,
    line: u32,
    column: u32,
}

/// Where the header's block begins in the source.
fn header(program: &Program, at: &Location) -> Option<Header> {
    let proc = procedure(program, &at.calls)?;
    let procedure = &program.procs[proc];
    let block = procedure.blocks.get(at.header)?;
    let origin = block.insts.first().map_or(block.term_origin, |&inst| procedure.insts[inst].origin);
    match program.origins.get(origin)? {
        &OriginData::Source { file, line, column } => Some(Header { proc, file, line, column }),
        OriginData::None | OriginData::Element(_) => None,
    }
}

/// The procedure that these calls lead to, if no other ones do.
fn procedure(program: &Program, calls: &[Inst]) -> Option<Proc> {
    let mut proc = program.entry?;
    for &call in calls {
        let InstData::Call { callee, .. } = &program.procs[proc].insts.get(call)?.data else { return None };
        proc = *callee;
        if program.procs.values().map(|p| calls_of(p, proc)).sum::<usize>() != 1 {
            return None;
        }
    }
    Some(proc)
}

/// How often the procedure's text calls that one.
fn calls_of(procedure: &Procedure, callee: Proc) -> usize {
    let insts = procedure.layout.iter().flat_map(|&block| &procedure.blocks[block].insts);
    let is_call =
        |inst: &&Inst| matches!(&procedure.insts[**inst].data, InstData::Call { callee: c, .. } if *c == callee);
    insts.filter(is_call).count()
}

/// A loop, and what can be said at it.
struct Scope<'a> {
    program: &'a Program,
    at: &'a Location,
    proc: Proc,
    source: &'a Source,
    file: u32,
    keyword: usize,
    /// Bits of `long`.
    long: u32,
}

/// A value in C. Of a bit-vector the text has the value of its bits read as unsigned, of 32 and of 64 bits in that very type.
#[derive(Clone)]
struct Piece {
    ty: Type,
    text: String,
    /// The same read as signed, if that is shorter than a cast.
    signed: Option<String>,
    /// The signed reading is the source's own.
    natural: bool,
    constant: Option<u128>,
}

impl Scope<'_> {
    fn all(&self, formulas: &[Formula<Original>]) -> Vec<Invariant> {
        let token = &self.source.tokens[self.keyword];
        let file = self.program.files[self.file as usize].clone();
        let place = Place::Source { file, line: token.line, column: token.column };
        let function = self.program.procs[self.proc].name.clone();
        let invariant = |value| Invariant { place: place.clone(), function: function.clone(), value };
        formulas.iter().filter_map(|f| self.formula(f)).map(invariant).collect()
    }

    fn formula(&self, formula: &Formula<Original>) -> Option<String> {
        let mut pieces: Vec<Piece> = Vec::new();
        for node in &formula.nodes {
            let piece = match node {
                FormulaNode::Const(c) => constant(c)?,
                FormulaNode::State(name) => self.state(name)?,
                FormulaNode::Un(op, a) => unary(*op, &pieces[*a as usize])?,
                FormulaNode::Bin(op, a, b) => binary(*op, &pieces[*a as usize], &pieces[*b as usize])?,
                FormulaNode::Ite(c, a, b) => {
                    let [c, a, b] = [c, a, b].map(|&n| &pieces[n as usize]);
                    Piece::plain(a.ty, format!("({} ? {} : {})", c.text, a.text, b.text))
                }
            };
            if piece.text.len() > LONGEST {
                return None;
            }
            pieces.push(piece);
        }
        let root = pieces.pop().filter(|piece| piece.ty == Type::BOOL)?;
        Some(strip(&root.text).to_string())
    }

    /// A variable that can be seen at the loop under its name, and under no other's.
    fn state(&self, name: &Original) -> Option<Piece> {
        let procedure = &self.program.procs[self.proc];
        let (name, ty, origin) = match name {
            Original::Global(var) => {
                let data = &self.program.vars[*var];
                if procedure.slots.values().any(|s| s.name == data.name) {
                    return None;
                }
                (&data.name, data.ty, data.origin)
            }
            Original::Local { calls, slot } if *calls == self.at.calls => {
                let data = &procedure.slots[*slot];
                (&data.name, data.ty, data.origin)
            }
            Original::Local { .. } | Original::Value { .. } => return None,
        };
        let same = procedure.slots.values().filter(|s| s.name == *name).count()
            + self.program.vars.values().filter(|v| v.name == *name).count();
        if same != 1 || !self.source.sees(self.keyword, name) {
            return None;
        }
        let (signed, bits) = self.declared(origin, name)?;
        match ty {
            Type::Scalar(Scalar::Bool) => Some(Piece::plain(ty, format!("({name} != 0)"))),
            Type::Scalar(Scalar::Bv(width)) if width == bits => {
                let text = if signed { format!("({}){name}", unsigned(bits)?) } else { name.clone() };
                let plain = if signed { name.clone() } else { format!("({}){name}", signed_type(bits)?) };
                Some(Piece { ty, text, signed: Some(plain), natural: signed, constant: None })
            }
            Type::Scalar(_) | Type::Array { .. } => None,
        }
    }

    fn declared(&self, origin: Origin, name: &str) -> Option<IntType> {
        match location(self.program, origin)? {
            Place::Source { file, line, column } if file == self.program.files[self.file as usize] => {
                self.source.declared(line, column, name, self.long)
            }
            Place::Source { .. } | Place::Element { .. } => None,
        }
    }
}

impl Piece {
    fn plain(ty: Type, text: String) -> Piece {
        Piece { ty, text, signed: None, natural: false, constant: None }
    }

    fn width(&self) -> Option<u32> {
        match self.ty {
            Type::Scalar(Scalar::Bv(width)) => Some(width),
            _ => None,
        }
    }

    fn as_signed(&self) -> Option<String> {
        match &self.signed {
            Some(text) => Some(text.clone()),
            None => Some(format!("({}){}", signed_type(self.width()?)?, self.text)),
        }
    }
}

fn unsigned(bits: u32) -> Option<&'static str> {
    Some(match bits {
        8 => "unsigned char",
        16 => "unsigned short",
        32 => "unsigned int",
        64 => "unsigned long long",
        _ => return None,
    })
}

fn signed_type(bits: u32) -> Option<&'static str> {
    Some(match bits {
        8 => "signed char",
        16 => "short",
        32 => "int",
        64 => "long long",
        _ => return None,
    })
}

fn constant(c: &Const) -> Option<Piece> {
    match c {
        Const::Bool(b) => Some(Piece::plain(Type::BOOL, u32::from(*b).to_string())),
        Const::Bv { width, bits } => {
            let suffix = match width {
                0..=32 => "U",
                33..=64 => "ULL",
                _ => return None,
            };
            let value = syncline_ir::consts::sign_extend(*width, *bits);
            let long = if *width == 64 { "LL" } else { "" };
            // The smallest number has no literal.
            let least = value == -(1 << (width - 1));
            let signed = if least { format!("({}{long} - 1)", value + 1) } else { format!("{value}{long}") };
            let text = format!("{bits}{suffix}");
            let signed = signed_type(*width).map(|_| signed);
            Some(Piece { ty: Type::bv(*width), text, signed, natural: false, constant: Some(*bits) })
        }
        Const::Float { .. } | Const::Array(_) => None,
    }
}

fn unary(op: UnOp, a: &Piece) -> Option<Piece> {
    let ty = op.result(a.ty)?;
    let text = match op {
        UnOp::Not => format!("!{}", a.text),
        UnOp::BvNot => format!("({})~{}", unsigned(a.width()?)?, a.text),
        UnOp::BvNeg => format!("({})(0U - {})", unsigned(a.width()?)?, a.text),
        UnOp::ZExt(to) => format!("({}){}", unsigned(to)?, a.text),
        UnOp::SExt(to) => {
            let signed = a.as_signed()?;
            let text = format!("({}){signed}", unsigned(to)?);
            // Its signed reading is the same number in a wider type.
            let signed = Some(format!("({}){signed}", signed_type(to)?));
            return Some(Piece { ty, text, signed, natural: false, constant: None });
        }
        UnOp::Extract { hi, lo } => match unsigned(hi - lo + 1) {
            Some(ty) if lo == 0 => format!("({ty}){}", a.text),
            Some(ty) => format!("({ty})({} >> {lo})", a.text),
            // Bits of no type of their own: the others are masked out.
            None => {
                let mask = constant(&Const::bv(hi - lo + 1, (1 << (hi - lo + 1)) - 1))?;
                format!("(({} >> {lo}) & {})", a.text, mask.text)
            }
        },
        _ => return None,
    };
    Some(Piece::plain(ty, text))
}

fn binary(op: BinOp, a: &Piece, b: &Piece) -> Option<Piece> {
    let (x, y) = (&a.text, &b.text);
    let truth = |text: String| Some(Piece::plain(Type::BOOL, text));
    match op {
        BinOp::Or if x == "0" => return Some(b.clone()),
        BinOp::And if x == "1" => return Some(b.clone()),
        BinOp::And => return truth(format!("({x} && {y})")),
        BinOp::Or => return truth(format!("({x} || {y})")),
        BinOp::Xor => return truth(format!("({x} != {y})")),
        BinOp::Eq if a.ty == Type::BOOL => return truth(format!("({x} == {y})")),
        _ => {}
    }
    let width = a.width().filter(|&w| b.width() == Some(w))?;
    match op {
        BinOp::Eq if a.natural || b.natural => truth(format!("({} == {})", a.as_signed()?, b.as_signed()?)),
        BinOp::Eq => truth(format!("({x} == {y})")),
        BinOp::Ult => truth(format!("({x} < {y})")),
        BinOp::Ule => truth(format!("({x} <= {y})")),
        BinOp::Slt => truth(format!("({} < {})", a.as_signed()?, b.as_signed()?)),
        BinOp::Sle => truth(format!("({} <= {})", a.as_signed()?, b.as_signed()?)),
        _ => arithmetic(op, width, a, b),
    }
}

/// Bit-vectors to a bit-vector, in widths that C has.
fn arithmetic(op: BinOp, width: u32, a: &Piece, b: &Piece) -> Option<Piece> {
    let (x, y) = (&a.text, &b.text);
    let (u, s) = (unsigned(width)?, signed_type(width)?);
    let divisor = b.constant.filter(|&n| n != 0);
    let distance = b.constant.filter(|&n| n < u128::from(width));
    // Below the width of int operands are promoted to it, which is signed: they are made unsigned first.
    let wrapped = |sign: &str| match width {
        8 | 16 => format!("({u})((unsigned int){x} {sign} {y})"),
        _ => format!("({x} {sign} {y})"),
    };
    let text = match op {
        BinOp::Add => wrapped("+"),
        BinOp::Sub => wrapped("-"),
        BinOp::Mul => wrapped("*"),
        BinOp::BvAnd => wrapped("&"),
        BinOp::BvOr => wrapped("|"),
        BinOp::BvXor => wrapped("^"),
        BinOp::UDiv => divisor.map(|_| wrapped("/"))?,
        BinOp::URem => divisor.map(|_| wrapped("%"))?,
        BinOp::SDiv | BinOp::SRem => {
            // The smallest number by -1 has no result in C.
            divisor.filter(|&n| syncline_ir::consts::sign_extend(width, n) != -1)?;
            let sign = if op == BinOp::SDiv { "/" } else { "%" };
            let signed = format!("({} {sign} {})", a.as_signed()?, b.as_signed()?);
            return Some(Piece {
                ty: a.ty,
                text: format!("({u}){signed}"),
                signed: Some(signed),
                natural: true,
                constant: None,
            });
        }
        BinOp::Shl => {
            format!("({u})({} << {})", if width < 32 { format!("(unsigned int){x}") } else { x.clone() }, distance?)
        }
        BinOp::LShr => format!("({u})({x} >> {})", distance?),
        BinOp::AShr => format!("({u})(({s}){} >> {})", a.as_signed()?, distance?),
        _ => return None,
    };
    Some(Piece::plain(a.ty, text))
}

/// Without the parentheses around all of it.
fn strip(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) else { return text };
    let mut depth = 0i32;
    for c in inner.chars() {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if depth < 0 {
            return text;
        }
    }
    inner
}
