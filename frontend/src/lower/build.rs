//! Emitting instructions into the current block. Operators on constants are folded as they are emitted, and a block
//! holds each constant once.

use super::place::Home;
use super::Lower;
use crate::hir::{Func, Label, Loc, Obj};
use rustc_hash::FxHashMap;
use syncline_ir::{
    eval, BinOp, Block, Const, InstData, Origin, Place, Procedure, Prop, PropKind, Slot, SlotData, Terminator, Type,
    UnOp, Value, ValueDef,
};

/// A function under construction.
pub(super) struct FnLower<'l, 'a> {
    pub cx: &'l mut Lower<'a>,
    pub proc: Procedure,
    /// Where instructions go. After a jump it is a fresh block, which nothing reaches unless a label makes it so.
    pub block: Block,
    /// Origin of what is emitted next.
    pub at: Origin,
    pub homes: FxHashMap<Obj, Home>,
    pub labels: FxHashMap<Label, Block>,
    pub targets: Vec<super::stmt::JumpTargets>,
    pub switches: Vec<super::stmt::SwitchCases>,
    pub props: Vec<(Loc, Prop)>,
    /// The C type of the result, and what falling off the end returns.
    pub result: super::function::ResultKind,
    consts: FxHashMap<Const, Value>,
    /// Of which function.
    pub func: Option<Func>,
    /// Of a synchronous system: where steps end.
    pub words: super::system::Words,
}

impl<'l, 'a> FnLower<'l, 'a> {
    pub fn new(cx: &'l mut Lower<'a>, name: &str, loc: Loc) -> FnLower<'l, 'a> {
        let at = cx.origin(loc);
        let proc = Procedure::new(name, at);
        FnLower {
            cx,
            block: proc.entry,
            proc,
            at,
            homes: FxHashMap::default(),
            labels: FxHashMap::default(),
            targets: Vec::new(),
            switches: Vec::new(),
            props: Vec::new(),
            result: super::function::ResultKind::Void,
            consts: FxHashMap::default(),
            func: None,
            words: Default::default(),
        }
    }

    /// Sets the origin of what is emitted next.
    pub fn set_loc(&mut self, loc: Loc) {
        self.at = self.cx.origin(loc);
    }

    // Blocks and terminators.

    pub fn new_block(&mut self) -> Block {
        let block = self.proc.add_block(self.at);
        if self.words.section.is_some() {
            self.words.atomic.insert(block);
        }
        block
    }

    /// Goes on in `block`.
    pub fn switch_to(&mut self, block: Block) {
        self.block = block;
        self.consts.clear();
    }

    /// Ends the current block and goes on in a fresh one, unreachable so far.
    pub fn terminate(&mut self, term: Terminator) {
        self.proc.set_term(self.block, term, self.at);
        let next = self.new_block();
        self.switch_to(next);
    }

    /// Ends the current block with a jump and goes on in `next`.
    pub fn jump_to(&mut self, target: Block, next: Block) {
        self.proc.set_term(self.block, Terminator::Jump(target.into()), self.at);
        self.switch_to(next);
    }

    /// Falls through into `block`.
    pub fn enter(&mut self, block: Block) {
        self.jump_to(block, block);
    }

    /// Ends the current block with a branch; a constant condition is a jump.
    pub fn branch_on(&mut self, cond: Value, then: Block, other: Block) {
        let term = match self.const_bool(cond) {
            Some(true) => Terminator::Jump(then.into()),
            Some(false) => Terminator::Jump(other.into()),
            None => Terminator::Branch { cond, then: then.into(), other: other.into() },
        };
        self.proc.set_term(self.block, term, self.at);
    }

    // Values.

    pub fn ty(&self, value: Value) -> Type {
        self.proc.value_type(value)
    }

    /// The width of a bit-vector value.
    pub fn width(&self, value: Value) -> u32 {
        self.ty(value).width().unwrap_or(0)
    }

    pub fn as_const(&self, value: Value) -> Option<&Const> {
        match self.proc.values[value].def {
            ValueDef::Result(inst, _) => match &self.proc.insts[inst].data {
                InstData::Const(c) => Some(c),
                _ => None,
            },
            ValueDef::Param(..) => None,
        }
    }

    pub fn const_bool(&self, value: Value) -> Option<bool> {
        self.as_const(value).and_then(Const::as_bool)
    }

    pub fn constant(&mut self, value: Const) -> Value {
        if let Some(&v) = self.consts.get(&value) {
            return v;
        }
        let v = self.proc.constant(self.block, value.clone(), self.at);
        self.consts.insert(value, v);
        v
    }

    pub fn bv(&mut self, width: u32, bits: i128) -> Value {
        self.constant(Const::bv(width, bits as u128))
    }

    pub fn boolean(&mut self, value: bool) -> Value {
        self.constant(Const::Bool(value))
    }

    pub fn emit(&mut self, data: InstData, ty: Type) -> Value {
        self.proc.append1(self.block, data, ty, self.at)
    }

    pub fn act(&mut self, data: InstData) {
        self.proc.append(self.block, data, &[], self.at);
    }

    pub fn un(&mut self, op: UnOp, arg: Value) -> Value {
        match (op, self.ty(arg)) {
            (UnOp::ZExt(to) | UnOp::SExt(to), ty) if ty == Type::bv(to) => return arg,
            (UnOp::Extract { hi, lo: 0 }, ty) if ty == Type::bv(hi + 1) => return arg,
            (UnOp::FToF(to), ty) if ty == Type::float(to) => return arg,
            _ => {}
        }
        if let Some(c) = self.as_const(arg) {
            let folded = eval::unary(op, c);
            return self.constant(folded);
        }
        self.proc.unary(self.block, op, arg, self.at)
    }

    pub fn bin(&mut self, op: BinOp, a: Value, b: Value) -> Value {
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            let folded = eval::binary(op, x, y);
            return self.constant(folded);
        }
        match (op, self.const_bool(a), self.const_bool(b)) {
            (BinOp::And, Some(true), _) | (BinOp::Or, Some(false), _) => return b,
            (BinOp::And, _, Some(true)) | (BinOp::Or, _, Some(false)) => return a,
            (BinOp::And, Some(false), _) | (BinOp::Or, Some(true), _) => return a,
            (BinOp::And, _, Some(false)) | (BinOp::Or, _, Some(true)) => return b,
            _ => {}
        }
        self.proc.binary(self.block, op, a, b, self.at)
    }

    pub fn ite(&mut self, cond: Value, then: Value, other: Value) -> Value {
        match self.const_bool(cond) {
            Some(true) => then,
            Some(false) => other,
            None if then == other => then,
            None => self.proc.ite(self.block, cond, then, other, self.at),
        }
    }

    pub fn not(&mut self, arg: Value) -> Value {
        if let ValueDef::Result(inst, _) = self.proc.values[arg].def {
            if let InstData::Unary { op: UnOp::Not, arg: inner } = self.proc.insts[inst].data {
                return inner;
            }
        }
        self.un(UnOp::Not, arg)
    }

    /// `cond ? 1 : 0` in `width` bits.
    pub fn bool_to_bv(&mut self, cond: Value, width: u32) -> Value {
        let one = self.bv(width, 1);
        let zero = self.bv(width, 0);
        self.ite(cond, one, zero)
    }

    /// An unknown value of an IR type.
    pub fn havoc(&mut self, name: impl Into<String>, ty: Type) -> Value {
        let site = self.cx.site(name, ty, self.at);
        self.emit(InstData::Havoc { site }, ty)
    }

    // Variables.

    pub fn add_slot(&mut self, name: &str, ty: Type, loc: Loc) -> Slot {
        let origin = self.cx.origin(loc);
        self.proc.slots.push(SlotData { name: name.into(), ty, origin })
    }

    pub fn read(&mut self, place: Place) -> Value {
        let ty = self.cx.program.place_type(&self.proc, place);
        self.emit(InstData::Read { place }, ty)
    }

    pub fn write(&mut self, place: Place, value: Value) {
        self.act(InstData::Write { place, value });
    }

    // Properties and obligations.

    /// What comes here is not modelled: no proof rests on it.
    pub fn unsupported(&mut self, reason: impl Into<String>) {
        let obligation = self.cx.obligation(reason.into(), self.at);
        self.act(InstData::Unsupported { obligation });
    }

    pub fn assume(&mut self, cond: Value) {
        if self.const_bool(cond) != Some(true) {
            self.act(InstData::Assume { cond });
        }
    }

    /// A property that holds where `cond` does.
    pub fn assert(&mut self, kind: PropKind, cond: Value, description: impl Into<String>, loc: Loc) {
        let prop = self.cx.property(kind, description.into(), self.at);
        self.props.push((loc, prop));
        self.act(InstData::Assert { prop, cond });
    }

    /// As [`Self::assert`], for the kinds that are properties only on request; nothing where the condition is known.
    pub fn check(&mut self, kind: PropKind, cond: Value, description: &str, loc: Loc) {
        if self.cx.checks(kind) && self.const_bool(cond) != Some(true) {
            self.assert(kind, cond, description, loc);
        }
    }
}
