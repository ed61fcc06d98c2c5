//! Turns: the code of a process, from each place where its steps begin to the ends of steps.

use super::{Pending, ProcessVars, Sequentialiser};
use crate::consts::Const;
use crate::entities::{Block, Slot, Value};
use crate::inst::{BlockCall, InstData, Place, Terminator};
use crate::ops::BinOp;
use crate::program::Procedure;
use crate::types::Type;
use cranelift_entity::{EntityRef, SecondaryMap};

impl Sequentialiser<'_> {
    /// The code of each process as it is in its turn, and its slots.
    pub(super) fn make_bodies(&mut self) {
        for n in 0..self.processes.len() {
            let mut body = self.processes[n].body.clone();
            self.instrument(&mut body, n);
            for (slot, data) in body.slots.iter() {
                let mut data = data.clone();
                data.name = format!("{}.{}", self.system.processes[n].name, data.name);
                self.processes[n].slots[slot] = self.body.slots.push(data);
            }
            self.processes[n].body = body;
        }
    }

    /// The turn of a process: its body with the ends of steps leading to the next turn.
    pub(super) fn build_turn(&mut self, n: usize, next: Block) {
        let turn = self.turns[n];
        self.start_pending(turn, n);
        let from = self.read(turn, self.processes[n].at);
        let original = self.processes[n].body.clone();
        let blocks = self.splice(n, &original);
        let cases = self.processes[n].locations.iter().enumerate();
        let cases = cases.map(|(k, &block)| (k as u128, BlockCall::from(blocks[block]))).collect();
        let term = Terminator::Switch { value: from, cases, default: next.into() };
        self.body.set_term(turn, term, self.body.blocks[turn].term_origin);
        for &block in &original.layout {
            self.end_turn(n, blocks[block], from, next, &original.blocks[block].term, &blocks);
        }
    }

    fn start_pending(&mut self, turn: Block, n: usize) {
        for (k, pending) in self.pending.clone().into_iter().enumerate() {
            let var = self.system.shared[k].var;
            match pending {
                Pending::Single { writer, next } if writer == Some(n) => {
                    let value = self.read(turn, var);
                    self.write(turn, next, value);
                }
                Pending::Several(writers) => {
                    for (_, next, wrote) in writers.into_iter().filter(|(who, ..)| *who == n) {
                        let value = self.read(turn, var);
                        self.write(turn, next, value);
                        self.write_const(turn, wrote, Const::zero(self.out.vars[wrote].ty));
                    }
                }
                Pending::None | Pending::Single { .. } => {}
            }
        }
    }

    /// Copies blocks and instructions; terminators keep the original's values and targets.
    fn splice(&mut self, n: usize, original: &Procedure) -> SecondaryMap<Block, Block> {
        let mut blocks = SecondaryMap::with_default(self.head);
        let mut values: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
        for &block in &original.layout {
            blocks[block] = self.body.add_block(original.blocks[block].term_origin);
            for &param in &original.blocks[block].params {
                values[param] = Some(self.body.add_param(blocks[block], original.value_type(param)));
            }
        }
        let first = self.body.insts.len();
        for &block in &original.layout {
            for &inst in &original.blocks[block].insts {
                let node = &original.insts[inst];
                let types: Vec<Type> = node.results.iter().map(|&r| original.value_type(r)).collect();
                let mut data = node.data.clone();
                data.map_slots(|slot| self.processes[n].slots[slot]);
                let copy = self.body.append(blocks[block], data, &types, node.origin);
                for (&old, &new) in node.results.iter().zip(&self.body.insts[copy].results.clone()) {
                    values[old] = Some(new);
                }
            }
        }
        // Definitions may stand after uses in the layout, so operands come last.
        let of = |v: Value| values[v].unwrap_or(v);
        for k in first..self.body.insts.len() {
            self.body.insts[crate::entities::Inst::new(k)].data.map_args(of);
        }
        for &block in &original.layout {
            let mut term = original.blocks[block].term.clone();
            term.map_args(of);
            self.body.set_term(blocks[block], term, original.blocks[block].term_origin);
        }
        blocks
    }

    /// Gives a copied block its terminator in the whole.
    fn end_turn(
        &mut self,
        n: usize,
        block: Block,
        from: Value,
        next: Block,
        original: &Terminator,
        blocks: &SecondaryMap<Block, Block>,
    ) {
        let origin = self.body.blocks[block].term_origin;
        let number = |to: Block| self.processes[n].locations.iter().position(|&b| b == to);
        match original {
            Terminator::Step(to) => {
                let place = number(to.block).unwrap_or(0);
                self.arrive(n, block, Some(from), place);
                self.body.set_term(block, Terminator::Jump(next.into()), origin);
            }
            Terminator::Return(_) => {
                let over = self.processes[n].locations.len();
                self.arrive(n, block, None, over);
                self.forget(n, block, None);
                self.body.set_term(block, Terminator::Jump(next.into()), origin);
            }
            Terminator::Jump(_) | Terminator::Branch { .. } | Terminator::Switch { .. } | Terminator::Stop => {
                self.body.blocks[block].term.targets_mut().for_each(|t| t.block = blocks[t.block]);
            }
        }
    }

    /// Sets the location; the process has fired if it is another one than before.
    fn arrive(&mut self, n: usize, block: Block, from: Option<Value>, place: usize) {
        let ProcessVars { at, width, .. } = self.processes[n];
        let here = self.constant(block, Const::bv(width, place as u128));
        self.write(block, at, here);
        let Some(fired) = self.fired.filter(|_| !self.system.processes[n].silent) else { return };
        let moved = match from {
            Some(from) => {
                let same = self.binary(block, BinOp::Eq, from, here);
                self.not(block, same)
            }
            None => self.constant(block, Const::Bool(true)),
        };
        let before = self.read(block, fired);
        let value = self.binary(block, BinOp::Or, before, moved);
        self.write(block, fired, value);
    }

    /// The slots of a process are zero when it begins; on a condition, or always.
    pub(super) fn forget(&mut self, n: usize, block: Block, cond: Option<Value>) {
        let slots: Vec<Slot> = {
            let original = &self.program.procs[self.system.processes[n].body];
            original.slots.keys().map(|slot| self.processes[n].slots[slot]).collect()
        };
        for slot in slots {
            let ty = self.body.slots[slot].ty;
            let mut value = self.constant(block, Const::zero(ty));
            if let Some(cond) = cond {
                let old = self.body.append1(block, InstData::Read { place: Place::Local(slot) }, ty, self.at);
                value = self.body.ite(block, cond, value, old, self.at);
            }
            self.body.append(block, InstData::Write { place: Place::Local(slot), value }, &[], self.at);
        }
    }
}
