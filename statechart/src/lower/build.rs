//! Emitting the code of one procedure.

use super::cx::Cx;
use crate::model::{Position, Spot, State};
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
    /// What is being evaluated, for what cannot be.
    pub evaluation: Evaluation,
}

/// F1: what becomes of an evaluation that meets an index outside of its array or a division by zero.
pub(super) enum Evaluation {
    /// No label.
    Nothing,
    /// An action list: it ends there, and the step goes on at this block.
    List(Block),
    /// A guard, or the event of a time-out: it does not hold. The value says whether it has failed.
    Guard(Value),
    /// No fault of the step: a requirement, or a value kept for the step that follows. Where it failed is collected.
    Aside(Value, Vec<(Spot, Value)>),
}

/// How an evaluation ended.
pub(super) struct Ended {
    pub failed: Value,
    pub at: Vec<(Spot, Value)>,
}

impl<'c, 'a> Body<'c, 'a> {
    pub fn new(cx: &'c mut Cx<'a>, name: &str, position: Position) -> Body<'c, 'a> {
        let at = cx.origin(position);
        let name = cx.proc_name(name);
        let proc = Procedure::new(name, at);
        let block = proc.entry;
        let (active, context, evaluation) = (BTreeMap::new(), Vec::new(), Evaluation::Nothing);
        Body { cx, proc, block, at, active, context, reading: false, evaluation }
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

    /// The property is violated here if the condition holds. A run in which nobody asks for it goes on. That a state is entered or
    /// a transition fires counts once the step is over: a step that is abandoned has done neither.
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

    /// Emits an evaluation other than of an action list; also gives whether it has failed.
    pub fn evaluation<T>(&mut self, kind: fn(Value) -> Evaluation, emit: impl FnOnce(&mut Self) -> T) -> (T, Ended) {
        let no = self.boolean(false);
        let outer = std::mem::replace(&mut self.evaluation, kind(no));
        let result = emit(self);
        match std::mem::replace(&mut self.evaluation, outer) {
            Evaluation::Nothing | Evaluation::List(_) => (result, Ended { failed: no, at: Vec::new() }),
            Evaluation::Guard(failed) => (result, Ended { failed, at: Vec::new() }),
            Evaluation::Aside(failed, at) => (result, Ended { failed, at }),
        }
    }

    /// The property is violated if `bad`, and the run ends there and then.
    pub fn end_run(&mut self, prop: Option<Prop>, bad: Value) {
        if self.const_bool(bad) == Some(false) {
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

    /// What is evaluated here has no value if `bad`: F1.
    pub fn fail(&mut self, spot: Spot, prop: Option<Prop>, bad: Value) {
        if self.const_bool(bad) == Some(false) {
            return;
        }
        let failed = match self.evaluation {
            Evaluation::Nothing => return self.when(bad, |body| body.unsupported("a fault outside of a label")),
            Evaluation::List(end) => {
                let (out, next) = (self.new_block(), self.new_block());
                self.branch(bad, out, next);
                self.block = out;
                self.abandon(prop);
                self.jump(end);
                self.block = next;
                return;
            }
            Evaluation::Guard(failed) | Evaluation::Aside(failed, _) => failed,
        };
        // An evaluation ends with its first fault.
        let goes_on = self.not(failed);
        let first = self.and(bad, goes_on);
        let any = self.or(failed, bad);
        match &mut self.evaluation {
            Evaluation::Nothing | Evaluation::List(_) => {}
            Evaluation::Guard(failed) => {
                *failed = any;
                self.when(first, |body| body.abandon(prop));
            }
            Evaluation::Aside(failed, at) => {
                *failed = any;
                at.push((spot, first));
            }
        }
    }

    /// The property is violated, and the run ends with this step.
    fn abandon(&mut self, prop: Option<Prop>) {
        if let Some(prop) = prop {
            self.violate(prop);
        }
        let abandoned = self.cx.abandoned_flag();
        self.write_bool(abandoned, true);
    }

    /// What comes here is not modelled: no proof rests on it.
    pub fn unsupported(&mut self, reason: impl Into<String>) {
        let data = ObligationData { reason: reason.into(), origin: self.at };
        let obligation = self.cx.program.obligations.push(data);
        self.proc.append(self.block, InstData::Unsupported { obligation }, &[], self.at);
    }
}
