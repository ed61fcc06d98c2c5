//! Emitting the code of one procedure.

use super::cx::Cx;
use crate::model::{Position, State};
use std::collections::BTreeMap;
use syncline_ir::{
    eval, BinOp, Block, BlockCall, Const, InstData, ObligationData, Origin, Place, Proc, Procedure, Prop, Slot,
    SlotData, Terminator, Type, UnOp, Value, ValueDef, Var,
};

/// A procedure under construction.
pub(super) struct Body<'c, 'a> {
    pub cx: &'c mut Cx<'a>,
    pub proc: Procedure,
    /// Where instructions go.
    pub block: Block,
    pub at: Origin,
    /// Whether states are active, computed where everything that follows is dominated.
    pub active: BTreeMap<State, Value>,
    /// Context variables of the action list being emitted.
    pub context: Vec<Slot>,
    /// An action is being emitted: what it evaluates is read (`rd`).
    pub reading: bool,
    /// Expressions that fail do not end the run, but are noted here: some one has failed.
    pub failed: Option<Value>,
}

impl<'c, 'a> Body<'c, 'a> {
    pub fn new(cx: &'c mut Cx<'a>, name: &str, position: Position) -> Body<'c, 'a> {
        let at = cx.origin(position);
        let name = cx.proc_name(name);
        let proc = Procedure::new(name, at);
        let block = proc.entry;
        Body { cx, proc, block, at, active: BTreeMap::new(), context: Vec::new(), reading: false, failed: None }
    }

    /// The body of a process that does the same in every step.
    pub fn process(cx: &'c mut Cx<'a>, name: &str, position: Position) -> (Body<'c, 'a>, Block) {
        let mut body = Body::new(cx, name, position);
        let head = body.new_block();
        body.jump(head);
        body.block = head;
        (body, head)
    }

    /// Ends the process's step, to begin the next one at `head`.
    pub fn end_step(mut self, head: Block) -> Proc {
        self.terminate(Terminator::Step(head.into()));
        self.cx.program.procs.push(self.proc)
    }

    pub fn finish(mut self) -> Proc {
        self.terminate(Terminator::Return(Vec::new()));
        self.cx.program.procs.push(self.proc)
    }

    pub fn locate(&mut self, position: Position) {
        self.at = self.cx.origin(position);
    }

    // Control.

    pub fn new_block(&mut self) -> Block {
        self.proc.add_block(self.at)
    }

    pub fn terminate(&mut self, term: Terminator) {
        self.proc.set_term(self.block, term, self.at);
    }

    pub fn jump(&mut self, to: Block) {
        self.terminate(Terminator::Jump(to.into()));
    }

    /// Goes on in `block`, after a jump there.
    pub fn enter(&mut self, block: Block) {
        self.jump(block);
        self.block = block;
    }

    pub fn branch(&mut self, cond: Value, then: Block, other: Block) {
        let term = match self.const_bool(cond) {
            Some(true) => Terminator::Jump(then.into()),
            Some(false) => Terminator::Jump(other.into()),
            None => Terminator::Branch { cond, then: then.into(), other: other.into() },
        };
        self.terminate(term);
    }

    pub fn switch(&mut self, value: Value, cases: Vec<(u128, Block)>, default: Block) {
        let cases = cases.into_iter().map(|(n, block)| (n, BlockCall::from(block))).collect();
        self.terminate(Terminator::Switch { value, cases, default: default.into() });
    }

    /// Emits code that runs only if the condition holds.
    pub fn when(&mut self, cond: Value, emit: impl FnOnce(&mut Self)) {
        if self.const_bool(cond) == Some(false) {
            return;
        }
        let (then, next) = (self.new_block(), self.new_block());
        self.branch(cond, then, next);
        self.block = then;
        emit(self);
        self.enter(next);
    }

    // Values.

    pub fn ty(&self, value: Value) -> Type {
        self.proc.value_type(value)
    }

    fn as_const(&self, value: Value) -> Option<&Const> {
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
        self.proc.constant(self.block, value, self.at)
    }

    pub fn boolean(&mut self, value: bool) -> Value {
        self.constant(Const::Bool(value))
    }

    pub fn bv(&mut self, width: u32, bits: u128) -> Value {
        self.constant(Const::bv(width, bits))
    }

    pub fn un(&mut self, op: UnOp, arg: Value) -> Value {
        match (op, self.ty(arg)) {
            (UnOp::ZExt(to) | UnOp::SExt(to), ty) if ty == Type::bv(to) => return arg,
            (UnOp::Extract { hi, lo: 0 }, ty) if ty == Type::bv(hi + 1) => return arg,
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
            (BinOp::And, Some(true), _) | (BinOp::Or, Some(false), _) => b,
            (BinOp::And, _, Some(true)) | (BinOp::Or, _, Some(false)) => a,
            (BinOp::And, Some(false), _) | (BinOp::Or, Some(true), _) => a,
            (BinOp::And, _, Some(false)) | (BinOp::Or, _, Some(true)) => b,
            _ => self.proc.binary(self.block, op, a, b, self.at),
        }
    }

    pub fn and(&mut self, a: Value, b: Value) -> Value {
        self.bin(BinOp::And, a, b)
    }

    pub fn or(&mut self, a: Value, b: Value) -> Value {
        self.bin(BinOp::Or, a, b)
    }

    pub fn not(&mut self, arg: Value) -> Value {
        self.un(UnOp::Not, arg)
    }

    pub fn eq(&mut self, a: Value, b: Value) -> Value {
        self.bin(BinOp::Eq, a, b)
    }

    /// Whether a bit-vector has this value.
    pub fn is(&mut self, value: Value, bits: u128) -> Value {
        let width = self.ty(value).width().unwrap_or(1);
        let number = self.bv(width, bits);
        self.eq(value, number)
    }

    pub fn ite(&mut self, cond: Value, then: Value, other: Value) -> Value {
        match self.const_bool(cond) {
            Some(true) => then,
            Some(false) => other,
            None if then == other => then,
            None => self.proc.ite(self.block, cond, then, other, self.at),
        }
    }

    /// A bit-vector with another width, as an unsigned number; bits that do not fit are lost.
    pub fn resize(&mut self, value: Value, width: u32) -> Value {
        match self.ty(value).width() {
            Some(old) if old > width => self.un(UnOp::Extract { hi: width - 1, lo: 0 }, value),
            _ => self.un(UnOp::ZExt(width), value),
        }
    }

    /// As `resize`, as a signed number.
    pub fn resize_signed(&mut self, value: Value, width: u32) -> Value {
        match self.ty(value).width() {
            Some(old) if old > width => self.un(UnOp::Extract { hi: width - 1, lo: 0 }, value),
            _ => self.un(UnOp::SExt(width), value),
        }
    }

    pub fn havoc(&mut self, site: syncline_ir::Site) -> Value {
        let ty = self.cx.program.sites[site].ty;
        self.proc.append1(self.block, InstData::Havoc { site }, ty, self.at)
    }

    // Variables.

    pub fn read(&mut self, var: Var) -> Value {
        let ty = self.cx.program.vars[var].ty;
        self.proc.append1(self.block, InstData::Read { place: Place::Global(var) }, ty, self.at)
    }

    pub fn write(&mut self, var: Var, value: Value) {
        self.proc.append(self.block, InstData::Write { place: Place::Global(var), value }, &[], self.at);
    }

    pub fn write_bool(&mut self, var: Var, value: bool) {
        let value = self.boolean(value);
        self.write(var, value);
    }

    pub fn write_bits(&mut self, var: Var, bits: u128) {
        let width = self.cx.program.vars[var].ty.width().unwrap_or(1);
        let value = self.bv(width, bits);
        self.write(var, value);
    }

    pub fn slot(&mut self, name: &str, ty: Type) -> Slot {
        self.proc.slots.push(SlotData { name: name.to_string(), ty, origin: self.at })
    }

    pub fn get(&mut self, slot: Slot) -> Value {
        let ty = self.proc.slots[slot].ty;
        self.proc.append1(self.block, InstData::Read { place: Place::Local(slot) }, ty, self.at)
    }

    pub fn set(&mut self, slot: Slot, value: Value) {
        self.proc.append(self.block, InstData::Write { place: Place::Local(slot), value }, &[], self.at);
    }

    pub fn call(&mut self, callee: Proc) {
        self.proc.append(self.block, InstData::Call { callee, args: Vec::new() }, &[], self.at);
    }

    // Properties.

    /// The property is violated here if the condition holds. A run in which nobody asks for it goes on.
    pub fn report(&mut self, prop: Option<Prop>, bad: Value) {
        let Some(prop) = prop else { return };
        if self.const_bool(bad) == Some(false) {
            return;
        }
        match self.cx.deferred_flag(prop) {
            Some(flag) => self.when(bad, |body| body.write_bool(flag, true)),
            None => self.when(bad, |body| body.violate(prop)),
        }
    }

    /// As `report`, where the step may have nothing to execute: noting anything would be executing.
    pub fn report_at_once(&mut self, prop: Option<Prop>, bad: Value) {
        if let Some(prop) = prop {
            self.when(bad, |body| body.violate(prop));
        }
    }

    /// The run comes to a violation of the property.
    pub fn violate(&mut self, prop: Prop) {
        let hit = self.cx.hit_site(prop);
        self.havoc(hit);
        let asked = self.read(self.cx.vars.asked);
        let this = self.is(asked, u128::from(prop.as_u32()) + 1);
        let cond = self.not(this);
        self.proc.append(self.block, InstData::Assert { prop, cond }, &[], self.at);
    }

    /// What was evaluated has no value if `bad`: that is a violation, and the run ends.
    pub fn fail(&mut self, prop: Option<Prop>, bad: Value) {
        if self.const_bool(bad) == Some(false) {
            return;
        }
        if let Some(failed) = self.failed {
            self.failed = Some(self.or(failed, bad));
            return;
        }
        let (end, next) = (self.new_block(), self.new_block());
        self.branch(bad, end, next);
        self.block = end;
        if let Some(prop) = prop {
            self.violate(prop);
        }
        self.terminate(Terminator::Stop);
        self.block = next;
    }

    /// What comes here is not modelled: no proof rests on it.
    pub fn unsupported(&mut self, reason: impl Into<String>) {
        let data = ObligationData { reason: reason.into(), origin: self.at };
        let obligation = self.cx.program.obligations.push(data);
        self.proc.append(self.block, InstData::Unsupported { obligation }, &[], self.at);
    }
}
