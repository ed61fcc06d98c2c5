//! How blocks end: jumps with their moves, switches, and conditions as decisions.

use super::super::code::{word_width, Op, Reg, SwitchTable};
use super::super::live::{definition, NONE};
use super::Compiler;
use cranelift_entity::EntityRef;
use rustc_hash::FxHashSet;
use syncline_ir::{BinOp, BlockCall, InstData, Terminator, Value};

impl Compiler<'_> {
    pub(super) fn terminator(&mut self, term: &Terminator) {
        match term {
            Terminator::Jump(call) => {
                self.moves(call);
                self.code.ops.push(Op::Jump { to: call.block.as_u32() });
            }
            Terminator::Branch { cond, then, other } => {
                let (t, f) = (self.edge(then), self.edge(other));
                self.decision(*cond, t, f);
            }
            Terminator::Switch { value, cases, default } => {
                let mut table: Vec<(u64, u32)> = Vec::new();
                let mut seen = FxHashSet::default();
                for (constant, call) in cases {
                    let Ok(word) = u64::try_from(*constant) else { continue };
                    if seen.insert(word) {
                        table.push((word, self.edge(call)));
                    }
                }
                table.sort_unstable();
                let table = SwitchTable { cases: table, default: self.edge(default) };
                self.code.switches.push(table);
                let op = Op::Switch { a: self.reg(*value), at: self.code.switches.len() as u32 - 1 };
                self.emit(op, &[*value], None);
            }
            Terminator::Return(_) | Terminator::Stop | Terminator::Step(_) => self.code.ops.push(Op::Stop),
        }
    }

    /// Where a jump to the target leads: its block, or a piece of code that makes its moves first.
    fn edge(&mut self, call: &BlockCall) -> u32 {
        if self.pairs(call).is_empty() {
            return call.block.as_u32();
        }
        let label = self.label();
        self.stubs.push((label, call.clone()));
        label
    }

    /// Live parameters and what they become.
    fn pairs(&self, call: &BlockCall) -> Vec<(Reg, Reg, bool)> {
        let params = &self.body.blocks[call.block].params;
        let live = |p: Value| {
            let cell = self.live.value_cell[p.index()];
            cell != NONE && self.live.is_live(call.block, cell)
        };
        let pairs = params.iter().zip(&call.args).filter(|(&p, _)| live(p));
        pairs.map(|(&p, &a)| (self.reg(p), self.reg(a), self.taint.value(p))).filter(|(p, a, _)| p != a).collect()
    }

    pub(super) fn moves(&mut self, call: &BlockCall) {
        let mut pairs = self.pairs(call);
        let overlap = pairs.iter().any(|(_, src, _)| pairs.iter().any(|(dst, ..)| dst == src));
        if overlap {
            for pair in &mut pairs {
                let temporary = self.fresh();
                self.copy(temporary, pair.1, pair.2);
                pair.1 = temporary;
            }
        }
        for (dst, src, tainted) in pairs {
            self.copy(dst, src, tainted);
        }
    }

    /// Jumps to `t` or `f` as the value says.
    fn decision(&mut self, cond: Value, t: u32, f: u32) {
        enum Work {
            Decide(Value, u32, u32),
            Place(u32),
        }
        let mut work = vec![Work::Decide(cond, t, f)];
        while let Some(item) = work.pop() {
            let (value, t, f) = match item {
                Work::Place(label) => {
                    self.place_label(label);
                    continue;
                }
                Work::Decide(value, t, f) => (value, t, f),
            };
            let inst = definition(self.body, value).filter(|i| self.lazy.contains(i));
            match inst.map(|i| &self.body.insts[i].data) {
                Some(InstData::Unary { arg, .. }) => work.push(Work::Decide(*arg, f, t)),
                Some(InstData::Binary { op: op @ (BinOp::And | BinOp::Or), args: [a, b] }) => {
                    let next = self.label();
                    work.extend([Work::Decide(*b, t, f), Work::Place(next)]);
                    let (t, f) = if *op == BinOp::And { (next, f) } else { (t, next) };
                    work.push(Work::Decide(*a, t, f));
                }
                Some(InstData::Binary { op, args: [a, b] }) => {
                    let width = word_width(self.body.value_type(*a)).unwrap_or(64) as u8;
                    let (x, y) = (self.reg(*a), self.reg(*b));
                    let test = match op {
                        BinOp::Eq => Op::TestEq { a: x, b: y, t, f },
                        op => Op::Test { op: *op, width, a: x, b: y, t, f },
                    };
                    self.emit(test, &[*a, *b], None);
                }
                _ => self.emit(Op::TestTrue { a: self.reg(value), t, f }, &[value], None),
            }
        }
    }
}
