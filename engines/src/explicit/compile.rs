//! From the flat procedure to [`Code`].
//!
//! Places, and values used in several blocks, have a register each; other values share a pool. A `read` is no
//! instruction but the place's register where nothing writes the place before the last use. The condition of a branch
//! becomes a decision: `and`, `or`, `not` and comparisons that serve nothing else turn into jumps, so a long condition
//! costs the comparisons that decide it.

mod branch;

use super::code::*;
use super::live::{constant, definition, written_place, Liveness, NONE};
use super::taint::Taint;
use crate::annotation::Cell;
use cranelift_entity::EntityRef;
use rustc_hash::{FxHashMap, FxHashSet};
use syncline_ir::analysis::Cfg;
use syncline_ir::{
    BinOp, Block, BlockCall, Const, Initial, Inst, InstData, InstNode, Place, Procedure, Program, Terminator, Type,
    UnOp, Value, Var,
};

/// `None` if there is a `switch` on a value that is no word.
pub(super) fn compile(program: &Program, body: &Procedure, cfg: &Cfg, live: &Liveness, cuts: &[Block]) -> Option<Code> {
    let on_word = |b: &Block| match &body.blocks[*b].term {
        Terminator::Switch { value, .. } => word_width(body.value_type(*value)).is_some(),
        Terminator::Jump(_)
        | Terminator::Branch { .. }
        | Terminator::Return(_)
        | Terminator::Stop
        | Terminator::Step(_) => true,
    };
    if !cfg.rpo().iter().all(on_word) {
        return None;
    }
    let taint = Taint::compute(program, body, cfg, live);
    let mut compiler = Compiler {
        program,
        body,
        live,
        taint,
        code: Code::default(),
        const_regs: FxHashMap::default(),
        value_regs: vec![NONE; body.values.len()],
        cell_regs: Vec::new(),
        next: 0,
        free: [Vec::new(), Vec::new()],
        labels: vec![NONE; body.blocks.len()],
        stubs: Vec::new(),
        last_use: vec![0; body.values.len()],
        lazy: FxHashSet::default(),
        writes: FxHashMap::default(),
    };
    compiler.place_constants(cfg);
    compiler.place_cells();
    for &block in cfg.rpo() {
        compiler.block(block, cuts);
    }
    Some(compiler.finish(cfg, cuts))
}

/// A pool register and where it dies are decided block by block.
struct Compiler<'a> {
    program: &'a Program,
    body: &'a Procedure,
    live: &'a Liveness,
    taint: Taint,
    code: Code,
    const_regs: FxHashMap<u64, Reg>,
    value_regs: Vec<Reg>,
    cell_regs: Vec<Reg>,
    next: Reg,
    /// Pool registers nothing lives in; the second list is for values that may be undecided.
    free: [Vec<Reg>; 2],
    /// Places in the code, first those of the blocks.
    labels: Vec<u32>,
    /// Edges with moves, to be written after the block.
    stubs: Vec<(u32, BlockCall)>,
    /// Where a value of the current block is used last, by position in the block.
    last_use: Vec<u32>,
    /// The instructions of the current block that its branch decides.
    lazy: FxHashSet<Inst>,
    /// Positions at which the current block writes, by place.
    writes: FxHashMap<Place, Vec<u32>>,
}

impl Compiler<'_> {
    fn place_constants(&mut self, cfg: &Cfg) {
        for &block in cfg.rpo() {
            for &inst in &self.body.blocks[block].insts {
                if let InstData::Const(c) = &self.body.insts[inst].data {
                    let reg = self.const_reg(c.clone());
                    self.body.insts[inst].results.iter().for_each(|r| self.value_regs[r.index()] = reg);
                }
            }
        }
        for data in self.program.vars.values() {
            if let Initial::Const(c) = &data.init {
                self.const_reg(c.clone());
            }
        }
        self.next = self.code.consts.len() as u32;
    }

    fn const_reg(&mut self, value: Const) -> Reg {
        let word = self.code.boxed.word(value);
        let next = self.code.consts.len() as u32;
        *self.const_regs.entry(word).or_insert_with(|| {
            self.code.consts.push(word);
            next
        })
    }

    fn place_cells(&mut self) {
        for (n, &cell) in self.live.cells.iter().enumerate() {
            let reg = self.next + n as u32;
            self.cell_regs.push(reg);
            match cell {
                Cell::Value(value) if constant(self.body, value).is_none() => self.value_regs[value.index()] = reg,
                Cell::Value(_) | Cell::Global(_) | Cell::Local(_) => {}
            }
        }
        self.next += self.live.cells.len() as u32;
        for (var, data) in self.program.vars.iter() {
            let cell = self.live.var_cell[var.index()];
            let reg = if cell == NONE { NONE } else { self.cell_regs[cell as usize] };
            match &data.init {
                Initial::Any(site) => self.code.inputs.push(HavocSite { site: *site, ty: data.ty, dst: reg }),
                Initial::Const(c) if reg != NONE => {
                    let word = self.code.boxed.word(c.clone());
                    self.code.initial.push((reg, word));
                }
                Initial::Const(_) => {}
            }
        }
        for (slot, data) in self.body.slots.iter() {
            let reg = self.cell_regs[self.live.slot_cell[slot.index()] as usize];
            let word = self.code.boxed.word(Const::zero(data.ty));
            self.code.initial.push((reg, word));
        }
    }

    fn label(&mut self) -> u32 {
        self.labels.push(NONE);
        self.labels.len() as u32 - 1
    }

    fn place_label(&mut self, label: u32) {
        self.labels[label as usize] = self.code.ops.len() as u32;
    }

    fn block(&mut self, block: Block, cuts: &[Block]) {
        self.place_label(block.as_u32());
        if let Some(header) = cuts.iter().position(|&c| c == block) {
            self.code.ops.push(Op::Cut { header: header as u32 });
        }
        self.look_ahead(block);
        let insts = &self.body.blocks[block].insts;
        for (position, &inst) in insts.iter().enumerate() {
            let node = &self.body.insts[inst];
            if self.lazy.contains(&inst) {
                continue;
            }
            self.inst(node, position as u32);
            node.data.for_each_arg(|v| self.release(v, position as u32));
        }
        self.terminator(&self.body.blocks[block].term);
        while let Some((label, call)) = self.stubs.pop() {
            self.place_label(label);
            self.moves(&call);
            self.code.ops.push(Op::Jump { to: call.block.as_u32() });
        }
        self.body.blocks[block].term.for_each_arg(|v| self.release(v, insts.len() as u32));
        for &inst in insts.iter() {
            if self.lazy.contains(&inst) {
                self.body.insts[inst].data.for_each_arg(|v| self.release(v, insts.len() as u32));
            }
        }
    }

    /// Finds what the branch decides, where values are used last and where places are written.
    fn look_ahead(&mut self, block: Block) {
        let data = &self.body.blocks[block];
        self.lazy.clear();
        self.writes.clear();
        if let Terminator::Branch { cond, .. } = &data.term {
            let here: FxHashSet<Inst> = data.insts.iter().copied().collect();
            let mut work = vec![*cond];
            while let Some(value) = work.pop() {
                let Some(inst) = self.decided(value).filter(|i| here.contains(i)) else { continue };
                self.lazy.insert(inst);
                if !is_test(&self.body.insts[inst].data) {
                    self.body.insts[inst].data.for_each_arg(|v| work.push(v));
                }
            }
        }
        let end = data.insts.len() as u32;
        for (position, &inst) in (0u32..).zip(&data.insts) {
            let at = if self.lazy.contains(&inst) { end } else { position };
            let last_use = &mut self.last_use;
            self.body.insts[inst].data.for_each_arg(|v| last_use[v.index()] = last_use[v.index()].max(at));
            if let Some(place) = written_place(&self.body.insts[inst].data) {
                self.writes.entry(place).or_default().push(position);
            }
        }
        data.term.for_each_arg(|v| self.last_use[v.index()] = end);
    }

    /// The instruction behind a value, if jumps can stand for it.
    fn decided(&self, value: Value) -> Option<Inst> {
        let inst = definition(self.body, value)?;
        if self.live.uses[value.index()] != 1 || self.live.value_cell[value.index()] != NONE {
            return None;
        }
        match &self.body.insts[inst].data {
            InstData::Unary { op: UnOp::Not, .. } => Some(inst),
            InstData::Binary { op: BinOp::And | BinOp::Or, .. } => Some(inst),
            data if is_test(data) => {
                let InstData::Binary { args: [a, _], .. } = data else { return None };
                word_width(self.body.value_type(*a)).map(|_| inst)
            }
            _ => None,
        }
    }

    fn release(&mut self, value: Value, position: u32) {
        let is_local = self.live.value_cell[value.index()] == NONE && constant(self.body, value).is_none();
        if !is_local || self.last_use[value.index()] != position {
            return;
        }
        let reg = std::mem::replace(&mut self.value_regs[value.index()], NONE);
        let first_pool = self.code.consts.len() as u32 + self.live.cells.len() as u32;
        // Below the pool: the value was a place's.
        if reg != NONE && reg >= first_pool {
            self.free[usize::from(self.taint.value(value))].push(reg);
        }
    }

    fn reg(&self, value: Value) -> Reg {
        self.value_regs[value.index()]
    }

    fn place_reg(&mut self, place: Place) -> Reg {
        let cell = self.live.place(place);
        match place {
            Place::Global(var) if cell == NONE => self.unwritten(var),
            Place::Global(_) | Place::Local(_) => self.cell_regs[cell as usize],
        }
    }

    /// The constant a variable is that nothing writes.
    fn unwritten(&mut self, var: Var) -> Reg {
        match &self.program.vars[var].init {
            Initial::Const(c) => self.const_reg(c.clone()),
            // Such a variable is a cell.
            Initial::Any(_) => NONE,
        }
    }

    fn place_tainted(&self, place: Place) -> bool {
        let cell = self.live.place(place);
        cell != NONE && self.taint.places[cell as usize]
    }

    /// The register for a result.
    fn result(&mut self, value: Value) -> Reg {
        let cell = self.live.value_cell[value.index()];
        if cell != NONE {
            return self.cell_regs[cell as usize];
        }
        let reg = self.free[usize::from(self.taint.value(value))].pop().unwrap_or_else(|| self.fresh());
        self.value_regs[value.index()] = reg;
        reg
    }

    fn fresh(&mut self) -> Reg {
        self.next += 1;
        self.next - 1
    }

    fn inst(&mut self, node: &InstNode, position: u32) {
        let result = node.results.first().copied();
        let unused = result.is_some_and(|r| self.live.uses[r.index()] == 0);
        if let InstData::Havoc { site } = node.data {
            let Some(value) = result else { return };
            let mut havoc = HavocSite::unread(site, self.body.value_type(value));
            if !unused {
                havoc.dst = self.result(value);
            }
            self.code.havocs.push(havoc);
            self.code.ops.push(Op::Havoc { at: self.code.havocs.len() as u32 - 1 });
            return;
        }
        if unused && node.data.is_pure() {
            return;
        }
        self.effect(node, result, position);
    }

    fn effect(&mut self, node: &InstNode, result: Option<Value>, position: u32) {
        match &node.data {
            // Handled before, or gone with inlining and slicing.
            InstData::Const(_) | InstData::Havoc { .. } | InstData::Call { .. } | InstData::Print { .. } => {}
            InstData::Assume { cond } => {
                let a = self.reg(*cond);
                self.emit(Op::Assume { a }, &[*cond], None);
            }
            InstData::Assert { prop, cond } => {
                let op = Op::Assert { a: self.reg(*cond), prop: *prop };
                self.emit(op, &[*cond], None);
            }
            InstData::Unsupported { obligation } => {
                self.code.ops.push(Op::Unsupported { obligation: *obligation });
            }
            InstData::Write { place, value } => {
                let (dst, src) = (self.place_reg(*place), self.reg(*value));
                let tainted = self.place_tainted(*place);
                self.copy(dst, src, tainted);
            }
            InstData::Store { place, index, value } => {
                let ty = self.program.place_type(self.body, *place);
                let array = self.place_reg(*place);
                let slow = SlowOp {
                    kind: SlowKind::Update,
                    dst: array,
                    args: vec![(array, ty), self.typed(*index), self.typed(*value)],
                };
                self.slow(slow, &[*index, *value], self.place_tainted(*place).then_some(array), None);
            }
            InstData::Read { .. }
            | InstData::Load { .. }
            | InstData::Unary { .. }
            | InstData::Binary { .. }
            | InstData::Ite { .. }
            | InstData::Update { .. } => {
                if let Some(value) = result {
                    self.compute(&node.data, value, position);
                }
            }
        }
    }

    fn compute(&mut self, data: &InstData, value: Value, position: u32) {
        match data {
            InstData::Read { place } => {
                let src = self.place_reg(*place);
                let last = self.last_use[value.index()];
                let next_write = self.writes.get(place).and_then(|w| w.iter().find(|&&p| p > position));
                if self.live.value_cell[value.index()] == NONE && next_write.is_none_or(|&w| w >= last) {
                    self.value_regs[value.index()] = src;
                    return;
                }
                let dst = self.result(value);
                self.copy(dst, src, self.taint.value(value));
            }
            InstData::Load { place, index } => {
                let ty = self.program.place_type(self.body, *place);
                let array = self.place_reg(*place);
                let args = vec![(array, ty), self.typed(*index)];
                let slow = SlowOp { kind: SlowKind::Binary(BinOp::Select), dst: self.result(value), args };
                self.slow(slow, &[*index], self.place_tainted(*place).then_some(array), Some(value));
            }
            InstData::Update { array, index, value: cell } => {
                let args = vec![self.typed(*array), self.typed(*index), self.typed(*cell)];
                let slow = SlowOp { kind: SlowKind::Update, dst: self.result(value), args };
                self.slow(slow, &[*array, *index, *cell], None, Some(value));
            }
            InstData::Ite { cond, then, other } => {
                let (cond_reg, a, b) = (self.reg(*cond), self.reg(*then), self.reg(*other));
                let op = Op::Ite { dst: self.result(value), cond: cond_reg, then: a, other: b };
                self.emit(op, &[*cond, *then, *other], Some(value));
            }
            InstData::Unary { op, arg } => self.unary(*op, *arg, value),
            InstData::Binary { op, args: [a, b] } => self.binary(*op, [*a, *b], value),
            InstData::Const(_)
            | InstData::Havoc { .. }
            | InstData::Write { .. }
            | InstData::Store { .. }
            | InstData::Call { .. }
            | InstData::Assume { .. }
            | InstData::Assert { .. }
            | InstData::Unsupported { .. }
            | InstData::Print { .. } => {}
        }
    }

    fn typed(&self, value: Value) -> (Reg, Type) {
        (self.reg(value), self.body.value_type(value))
    }

    fn copy(&mut self, dst: Reg, src: Reg, tainted: bool) {
        self.code.ops.push(if tainted { Op::CopySym { dst, src } } else { Op::Copy { dst, src } });
    }

    fn unary(&mut self, op: UnOp, arg: Value, value: Value) {
        let (from, to) = (word_width(self.body.value_type(arg)), word_width(self.body.value_type(value)));
        let src = self.reg(arg);
        let dst = self.result(value);
        let op = match (op, from, to) {
            (UnOp::Not, ..) => Op::Not { dst, src },
            (UnOp::ZExt(_), Some(_), Some(to)) => Op::ZExt { dst, src, to: to as u8 },
            (UnOp::SExt(_), Some(from), Some(to)) => Op::SExt { dst, src, from: from as u8, to: to as u8 },
            (UnOp::Extract { lo, .. }, Some(_), Some(to)) => Op::Extract { dst, src, lo: lo as u8, width: to as u8 },
            _ => {
                let slow = SlowOp { kind: SlowKind::Unary(op), dst, args: vec![self.typed(arg)] };
                return self.slow(slow, &[arg], None, Some(value));
            }
        };
        self.emit(op, &[arg], Some(value));
    }

    fn binary(&mut self, op: BinOp, [a, b]: [Value; 2], value: Value) {
        let widths = [a, b, value].map(|v| word_width(self.body.value_type(v)));
        let (x, y) = (self.typed(a), self.typed(b));
        let dst = self.result(value);
        match widths {
            [Some(_), Some(width), Some(_)] if is_word_op(op) => {
                self.emit(Op::Binary { op, width: width as u8, dst, a: x.0, b: y.0 }, &[a, b], Some(value));
            }
            _ => self.slow(SlowOp { kind: SlowKind::Binary(op), dst, args: vec![x, y] }, &[a, b], None, Some(value)),
        }
    }

    fn slow(&mut self, slow: SlowOp, args: &[Value], array: Option<Reg>, result: Option<Value>) {
        let op = Op::Slow { at: self.code.slow.len() as u32 };
        // What is stored is decided, so a place that was not is from now on.
        let dst = array.filter(|_| result.is_none()).unwrap_or(NONE);
        self.code.slow.push(slow);
        let mut operands = self.tainted(args);
        operands.extend(array);
        self.checked(op, operands, dst);
        debug_assert!(result.is_none_or(|r| !self.taint.value(r)));
    }

    fn tainted(&self, args: &[Value]) -> Vec<Reg> {
        args.iter().filter(|&&v| self.taint.value(v)).map(|&v| self.reg(v)).collect()
    }

    /// Writes an instruction, checked if an operand may be undecided.
    fn emit(&mut self, op: Op, args: &[Value], result: Option<Value>) {
        let operands = self.tainted(args);
        let dst = result.filter(|&r| self.taint.value(r)).map_or(NONE, |r| self.reg(r));
        self.checked(op, operands, dst);
    }

    fn checked(&mut self, op: Op, operands: Vec<Reg>, dst: Reg) {
        if operands.is_empty() {
            self.code.ops.push(op);
            return;
        }
        self.code.checked.push(CheckedOp { inner: op, operands, dst });
        self.code.ops.push(Op::Checked { at: self.code.checked.len() as u32 - 1 });
    }

    /// Labels become places; the headers get their states.
    fn finish(mut self, cfg: &Cfg, cuts: &[Block]) -> Code {
        let labels = std::mem::take(&mut self.labels);
        let place = |l: &mut u32| *l = labels[*l as usize];
        let ops = self.code.ops.iter_mut().chain(self.code.checked.iter_mut().map(|c| &mut c.inner));
        ops.for_each(|op| op.targets_mut().into_iter().flatten().for_each(place));
        for table in &mut self.code.switches {
            table.cases.iter_mut().for_each(|(_, l)| place(l));
            place(&mut table.default);
        }
        self.code.entry = labels[cfg.rpo()[0].index()];
        self.code.registers = self.next as usize;
        for &block in cuts {
            let varies = |&cell: &u32| match self.live.cells[cell as usize] {
                Cell::Value(value) => constant(self.body, value).is_none(),
                Cell::Global(_) | Cell::Local(_) => true,
            };
            let cells = self.live.live_cells(block).filter(varies).map(|cell| self.state_cell(cell)).collect();
            let mut header = Header { block, start: labels[block.index()] + 1, cells, words: 0 };
            header.lay_out();
            self.code.headers.push(header);
        }
        self.code
    }

    fn state_cell(&self, cell: u32) -> StateCell {
        let (ty, tainted) = match self.live.cells[cell as usize] {
            Cell::Global(var) => (self.program.vars[var].ty, self.taint.places[cell as usize]),
            Cell::Local(slot) => (self.body.slots[slot].ty, self.taint.places[cell as usize]),
            Cell::Value(value) => (self.body.value_type(value), self.taint.value(value)),
        };
        StateCell { cell, reg: self.cell_regs[cell as usize], ty, tainted, word: 0, shift: 0 }
    }
}

/// Comparisons that jumps can stand for.
fn is_test(data: &InstData) -> bool {
    matches!(data, InstData::Binary { op: BinOp::Eq | BinOp::Ult | BinOp::Ule | BinOp::Slt | BinOp::Sle, .. })
}
