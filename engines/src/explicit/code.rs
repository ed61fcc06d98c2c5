//! The program as flat code over registers of one machine word.
//!
//! Booleans, bit-vectors of up to 64 bits and floats of up to 64 bits are their bits; what is larger (wide vectors,
//! arrays) is the number of an interned constant, so equal words are equal values. The first registers hold constants.
//! Registers that may hold an input that is not decided yet are known before the run: only instructions on them are
//! [`Op::Checked`], all others work on words without looking.

use super::live::NONE;
use rustc_hash::FxHashMap;
use syncline_ir::consts::{mask, sign_extend};
use syncline_ir::{eval, BinOp, Block, Const, FloatFormat, Obligation, Prop, Scalar, Site, Type, UnOp};

pub(super) type Reg = u32;

/// Operations read their operands before they write. `t` and `f` are places in the code.
#[derive(Copy, Clone, Debug)]
pub(super) enum Op {
    Copy {
        dst: Reg,
        src: Reg,
    },
    /// Also copies what is known of an undecided input.
    CopySym {
        dst: Reg,
        src: Reg,
    },
    ZExt {
        dst: Reg,
        src: Reg,
        to: u8,
    },
    SExt {
        dst: Reg,
        src: Reg,
        from: u8,
        to: u8,
    },
    Extract {
        dst: Reg,
        src: Reg,
        lo: u8,
        width: u8,
    },
    Not {
        dst: Reg,
        src: Reg,
    },
    /// `width` is that of the second operand.
    Binary {
        op: BinOp,
        width: u8,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Ite {
        dst: Reg,
        cond: Reg,
        then: Reg,
        other: Reg,
    },
    /// On constants of any type.
    Slow {
        at: u32,
    },
    Checked {
        at: u32,
    },
    TestEq {
        a: Reg,
        b: Reg,
        t: u32,
        f: u32,
    },
    Test {
        op: BinOp,
        width: u8,
        a: Reg,
        b: Reg,
        t: u32,
        f: u32,
    },
    TestTrue {
        a: Reg,
        t: u32,
        f: u32,
    },
    Jump {
        to: u32,
    },
    Switch {
        a: Reg,
        at: u32,
    },
    Havoc {
        at: u32,
    },
    Assume {
        a: Reg,
    },
    Assert {
        a: Reg,
        prop: Prop,
    },
    Unsupported {
        obligation: Obligation,
    },
    Stop,
    /// A run comes to the header.
    Cut {
        header: u32,
    },
}

#[derive(Clone, Debug)]
pub(super) enum SlowKind {
    Unary(UnOp),
    Binary(BinOp),
    /// Array, index, value.
    Update,
}

#[derive(Clone, Debug)]
pub(super) struct SlowOp {
    pub kind: SlowKind,
    pub dst: Reg,
    pub args: Vec<(Reg, Type)>,
}

#[derive(Clone, Debug)]
pub(super) struct CheckedOp {
    pub inner: Op,
    /// Those that may be undecided.
    pub operands: Vec<Reg>,
    /// `NONE` if there is none, or if what is written is always decided.
    pub dst: Reg,
}

#[derive(Clone, Debug)]
pub(super) struct SwitchTable {
    /// By rising constant.
    pub cases: Vec<(u64, u32)>,
    pub default: u32,
}

#[derive(Copy, Clone, Debug)]
pub(super) struct HavocSite {
    pub site: Site,
    pub ty: Type,
    pub dst: Reg,
}

/// A cell of the state at a header, and where it lies in the packed state.
#[derive(Copy, Clone, Debug)]
pub(super) struct StateCell {
    pub cell: u32,
    pub reg: Reg,
    pub ty: Type,
    pub tainted: bool,
    pub word: u32,
    pub shift: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Header {
    pub block: Block,
    pub start: u32,
    pub cells: Vec<StateCell>,
    pub words: usize,
}

#[derive(Default)]
pub(super) struct Code {
    pub ops: Vec<Op>,
    pub checked: Vec<CheckedOp>,
    pub slow: Vec<SlowOp>,
    pub switches: Vec<SwitchTable>,
    pub havocs: Vec<HavocSite>,
    pub headers: Vec<Header>,
    /// The words of the first registers.
    pub consts: Vec<u64>,
    pub registers: usize,
    /// Where variables start: register and word.
    pub initial: Vec<(Reg, u64)>,
    /// The variables that start as inputs, in order; the register is `NONE` if nothing reads it.
    pub inputs: Vec<HavocSite>,
    pub entry: u32,
    pub boxed: Interner,
}

/// Constants by number.
#[derive(Default)]
pub(super) struct Interner {
    consts: Vec<Const>,
    numbers: FxHashMap<Const, u32>,
    /// Cells of all arrays: a measure of the memory.
    pub weight: usize,
}

impl Interner {
    pub fn number(&mut self, value: Const) -> u64 {
        if let Some(&n) = self.numbers.get(&value) {
            return u64::from(n);
        }
        let n = self.consts.len() as u32;
        self.weight += value.as_array().map_or(1, |a| a.cell_count() + 1);
        self.numbers.insert(value.clone(), n);
        self.consts.push(value);
        u64::from(n)
    }

    pub fn get(&self, number: u64) -> &Const {
        &self.consts[number as usize]
    }

    /// The word of a value of any type.
    pub fn word(&mut self, value: Const) -> u64 {
        if is_boxed(value.ty()) {
            self.number(value)
        } else {
            eval::to_bits(&value) as u64
        }
    }

    pub fn value(&self, ty: Type, word: u64) -> Const {
        match ty {
            Type::Scalar(scalar) if !is_boxed(ty) => eval::from_bits(scalar, u128::from(word)),
            Type::Scalar(_) | Type::Array { .. } => self.get(word).clone(),
        }
    }
}

/// Whether values of the type are interned.
pub(super) fn is_boxed(ty: Type) -> bool {
    match ty {
        Type::Scalar(Scalar::Bool | Scalar::Float(FloatFormat::F32 | FloatFormat::F64)) => false,
        Type::Scalar(Scalar::Bv(width)) => width > 64,
        Type::Scalar(Scalar::Float(FloatFormat::X87)) | Type::Array { .. } => true,
    }
}

/// The bits of a register that a value of the type takes.
pub(super) fn word_bits(ty: Type) -> u32 {
    match ty {
        _ if is_boxed(ty) => 32,
        Type::Scalar(Scalar::Bool) => 1,
        Type::Scalar(Scalar::Bv(width)) => width,
        Type::Scalar(Scalar::Float(format)) => format.storage_bits(),
        Type::Array { .. } => 32,
    }
}

/// The width of Booleans and of the bit-vectors that fit a word.
pub(super) fn word_width(ty: Type) -> Option<u32> {
    match ty {
        Type::Scalar(Scalar::Bool) => Some(1),
        Type::Scalar(Scalar::Bv(width)) if width <= 64 => Some(width),
        Type::Scalar(_) | Type::Array { .. } => None,
    }
}

#[inline]
fn low(width: u32, bits: u64) -> u64 {
    bits & (u64::MAX >> (64 - width))
}

#[inline]
fn signed(width: u32, bits: u64) -> i64 {
    ((bits << (64 - width)) as i64) >> (64 - width)
}

#[inline]
pub(super) fn sign_extended(from: u32, to: u32, bits: u64) -> u64 {
    low(to, signed(from, bits) as u64)
}

#[inline]
pub(super) fn extracted(lo: u32, width: u32, bits: u64) -> u64 {
    low(width, bits >> lo)
}

const NO_COMPARISON: &str = "only comparisons of words are compiled to this";

#[inline]
pub(super) fn compare(op: BinOp, width: u32, a: u64, b: u64) -> bool {
    match op {
        BinOp::Ult => a < b,
        BinOp::Ule => a <= b,
        BinOp::Slt => signed(width, a) < signed(width, b),
        BinOp::Sle => signed(width, a) <= signed(width, b),
        BinOp::Eq => a == b,
        BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::UDiv | BinOp::SDiv => {
            unreachable!("{NO_COMPARISON}")
        }
        BinOp::URem | BinOp::SRem | BinOp::BvAnd | BinOp::BvOr | BinOp::BvXor | BinOp::Shl | BinOp::LShr => {
            unreachable!("{NO_COMPARISON}")
        }
        BinOp::AShr | BinOp::Concat | BinOp::FAdd | BinOp::FSub | BinOp::FMul | BinOp::FDiv | BinOp::FRem => {
            unreachable!("{NO_COMPARISON}")
        }
        BinOp::FEq | BinOp::FLt | BinOp::FLe | BinOp::Select => unreachable!("{NO_COMPARISON}"),
    }
}

/// Whether [`binary`] computes the operator.
pub(super) fn is_word_op(op: BinOp) -> bool {
    match op {
        BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Eq | BinOp::Ult | BinOp::Ule | BinOp::Slt | BinOp::Sle => true,
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem => true,
        BinOp::BvAnd | BinOp::BvOr | BinOp::BvXor | BinOp::Shl | BinOp::LShr | BinOp::AShr | BinOp::Concat => true,
        BinOp::FAdd | BinOp::FSub | BinOp::FMul | BinOp::FDiv | BinOp::FRem => false,
        BinOp::FEq | BinOp::FLt | BinOp::FLe | BinOp::Select => false,
    }
}

const NO_WORD_OP: &str = "only operators on words are compiled to this";

/// An operator on words; see [`is_word_op`].
#[inline]
pub(super) fn binary(op: BinOp, width: u32, a: u64, b: u64) -> u64 {
    match op {
        BinOp::And | BinOp::BvAnd => a & b,
        BinOp::Or | BinOp::BvOr => a | b,
        BinOp::Xor | BinOp::BvXor => a ^ b,
        BinOp::Add => low(width, a.wrapping_add(b)),
        BinOp::Sub => low(width, a.wrapping_sub(b)),
        BinOp::Mul => low(width, a.wrapping_mul(b)),
        BinOp::Concat => (a << width) | b,
        BinOp::Shl => u32::try_from(b).ok().filter(|&by| by < width).map_or(0, |by| low(width, a << by)),
        BinOp::LShr => u32::try_from(b).ok().filter(|&by| by < width).map_or(0, |by| a >> by),
        BinOp::AShr => {
            let by = u32::try_from(b).ok().filter(|&by| by < width).unwrap_or(width - 1);
            low(width, (signed(width, a) >> by) as u64)
        }
        BinOp::UDiv => a.checked_div(b).unwrap_or_else(|| low(width, u64::MAX)),
        BinOp::URem => a.checked_rem(b).unwrap_or(a),
        BinOp::SDiv | BinOp::SRem => {
            let (x, y) = (sign_extend(width, u128::from(a)), sign_extend(width, u128::from(b)));
            let result = match (op, y, x < 0) {
                (BinOp::SRem, 0, _) => x,
                (BinOp::SRem, ..) => x.wrapping_rem(y),
                (_, 0, true) => 1,
                (_, 0, false) => -1,
                _ => x.wrapping_div(y),
            };
            mask(width, result as u128) as u64
        }
        BinOp::Eq | BinOp::Ult | BinOp::Ule | BinOp::Slt | BinOp::Sle => u64::from(compare(op, width, a, b)),
        BinOp::FAdd | BinOp::FSub | BinOp::FMul | BinOp::FDiv | BinOp::FRem => unreachable!("{NO_WORD_OP}"),
        BinOp::FEq | BinOp::FLt | BinOp::FLe | BinOp::Select => unreachable!("{NO_WORD_OP}"),
    }
}

impl Op {
    /// The labels in it.
    pub fn targets_mut(&mut self) -> [Option<&mut u32>; 2] {
        match self {
            Op::TestEq { t, f, .. } | Op::Test { t, f, .. } | Op::TestTrue { t, f, .. } => [Some(t), Some(f)],
            Op::Jump { to } => [Some(to), None],
            Op::Copy { .. }
            | Op::CopySym { .. }
            | Op::ZExt { .. }
            | Op::SExt { .. }
            | Op::Extract { .. }
            | Op::Not { .. }
            | Op::Binary { .. }
            | Op::Ite { .. }
            | Op::Slow { .. }
            | Op::Checked { .. }
            | Op::Switch { .. }
            | Op::Havoc { .. }
            | Op::Assume { .. }
            | Op::Assert { .. }
            | Op::Unsupported { .. }
            | Op::Stop
            | Op::Cut { .. } => [None, None],
        }
    }
}

impl Header {
    /// Lays the cells out in words, none across two.
    pub fn lay_out(&mut self) {
        let (mut word, mut shift) = (0, 0);
        for cell in &mut self.cells {
            let bits = word_bits(cell.ty);
            if shift + bits > 64 {
                (word, shift) = (word + 1, 0);
            }
            (cell.word, cell.shift) = (word, shift);
            shift += bits;
        }
        self.words = word as usize + 1;
    }

    #[inline]
    pub fn unpack(&self, cell: &StateCell, state: &[u64]) -> u64 {
        low(word_bits(cell.ty), state[cell.word as usize] >> cell.shift)
    }
}

impl HavocSite {
    /// A site whose value nobody reads.
    pub fn unread(site: Site, ty: Type) -> HavocSite {
        HavocSite { site, ty, dst: NONE }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_compute_what_constants_do() {
        for op in BinOp::ALL.into_iter().filter(|&op| is_word_op(op)) {
            for width in [1, 3, 4] {
                let is_bool = matches!(op, BinOp::And | BinOp::Or | BinOp::Xor);
                if is_bool && width != 1 {
                    continue;
                }
                for (a, b) in (0..1u64 << width).flat_map(|a| (0..1u64 << width).map(move |b| (a, b))) {
                    let of = |w: u64| match is_bool {
                        true => Const::Bool(w != 0),
                        false => Const::bv(width, u128::from(w)),
                    };
                    let expected = eval::to_bits(&eval::binary(op, &of(a), &of(b))) as u64;
                    assert_eq!(binary(op, width, a, b), expected, "{op:?} {a} {b} at {width}");
                }
            }
        }
        for (a, b) in [(i64::MIN as u64, u64::MAX), (7, 0), (u64::MAX, 63), (u64::MAX, 64), (5, u64::MAX)] {
            for op in BinOp::ALL.into_iter().filter(|&op| is_word_op(op)) {
                if matches!(op, BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Concat) {
                    continue;
                }
                let of = |w: u64| Const::bv(64, u128::from(w));
                let expected = eval::to_bits(&eval::binary(op, &of(a), &of(b))) as u64;
                assert_eq!(binary(op, 64, a, b), expected, "{op:?} {a} {b}");
            }
        }
    }
}
