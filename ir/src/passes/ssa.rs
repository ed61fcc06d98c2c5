//! Slots become values (Cytron et al., pruned by liveness, with iterated frontiers in linear time): reads take the
//! reaching value, joins get block parameters. An array slot is one value; loads and stores of its cells become
//! `select` and `update`. A slot that is read before it is written holds zero, as in the interpreter. Unreachable
//! blocks go away.
//!
//! Each slot costs time in the blocks where it is live or which its definitions dominate.

use super::edit::{mark_live_in, remove_unreachable_blocks, walk_tree, ScopedValues};
use crate::analysis::{Cfg, Dominators, IteratedFrontier, Marks};
use crate::consts::Const;
use crate::entities::{Block, Inst, Slot, Value};
use crate::inst::{InstData, Place};
use crate::ops::BinOp;
use crate::program::{Procedure, Program, ValueData, ValueDef};
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};

/// Turns the slots of every procedure into values.
pub fn ssa(program: &mut Program) {
    program.procs.values_mut().for_each(procedure);
}

fn procedure(proc: &mut Procedure) {
    remove_unreachable_blocks(proc);
    if proc.slots.is_empty() {
        return;
    }
    let cfg = Cfg::compute(proc);
    let dom = Dominators::of(proc.entry, &cfg);
    let params = place_params(proc, &cfg, &dom);
    let root = proc.entry;
    let slots = proc.slots.len();
    let mut renamer = Renamer {
        current: ScopedValues::new(slots),
        read: SecondaryMap::with_capacity(proc.values.len()),
        proc,
        params,
    };
    walk_tree(&mut renamer, root, &dom, Renamer::enter, |r, _| r.current.leave());
    proc.slots = PrimaryMap::new();
}

/// Where a slot is written, and where it is read before the block writes it.
#[derive(Clone, Default)]
struct SlotBlocks {
    defs: Vec<Block>,
    uses: Vec<Block>,
}

fn local(place: Place) -> Option<Slot> {
    match place {
        Place::Local(slot) => Some(slot),
        Place::Global(_) => None,
    }
}

/// The slot an instruction accesses: (slot, needs the old value, gives a new one).
fn access(data: &InstData) -> Option<(Slot, bool, bool)> {
    match *data {
        InstData::Read { place } | InstData::Load { place, .. } => local(place).map(|s| (s, true, false)),
        InstData::Write { place, .. } => local(place).map(|s| (s, false, true)),
        InstData::Store { place, .. } => local(place).map(|s| (s, true, true)),
        InstData::Const(_)
        | InstData::Unary { .. }
        | InstData::Binary { .. }
        | InstData::Ite { .. }
        | InstData::Update { .. }
        | InstData::Havoc { .. }
        | InstData::Call { .. }
        | InstData::Assume { .. }
        | InstData::Assert { .. }
        | InstData::Unsupported { .. }
        | InstData::Print { .. } => None,
    }
}

fn slot_blocks(proc: &Procedure) -> SecondaryMap<Slot, SlotBlocks> {
    let mut table: SecondaryMap<Slot, SlotBlocks> = SecondaryMap::with_capacity(proc.slots.len());
    for &block in &proc.layout {
        for &inst in &proc.blocks[block].insts {
            let Some((slot, uses, defines)) = access(&proc.insts[inst].data) else { continue };
            let entry = &mut table[slot];
            let written = entry.defs.last() == Some(&block);
            if uses && !written && entry.uses.last() != Some(&block) {
                entry.uses.push(block);
            }
            if defines && !written {
                entry.defs.push(block);
            }
        }
    }
    table
}

/// Adds the block parameters, and a zero at the entry for each slot that is live there. Gives for each block the
/// slots its new parameters stand for; the zeros come as the entry's.
fn place_params(proc: &mut Procedure, cfg: &Cfg, dom: &Dominators) -> SecondaryMap<Block, Vec<(Slot, Value)>> {
    let table = slot_blocks(proc);
    let mut params: SecondaryMap<Block, Vec<(Slot, Value)>> = SecondaryMap::with_capacity(proc.blocks.len());
    let mut frontier = IteratedFrontier::new(cfg, dom);
    let mut live = Marks::new(proc.blocks.len());
    let mut is_def = Marks::new(proc.blocks.len());
    let mut zeros = Vec::new();
    for slot in proc.slots.keys().collect::<Vec<_>>() {
        let SlotBlocks { defs, uses } = &table[slot];
        live.clear();
        is_def.clear();
        for &block in defs {
            is_def.insert(block);
        }
        mark_live_in(cfg, uses, |b| is_def.contains(b), &mut live);
        let mut defs = defs.clone();
        if live.contains(proc.entry) {
            let ty = proc.slots[slot].ty;
            let inst = proc.make_inst(InstData::Const(Const::zero(ty)), &[ty], proc.slots[slot].origin);
            zeros.push(inst);
            params[proc.entry].push((slot, proc.insts[inst].results[0]));
            defs.push(proc.entry);
        } else if defs.len() < 2 {
            // The one definition is on every path to a use.
            continue;
        }
        let ty = proc.slots[slot].ty;
        for block in frontier.solve(&defs, |b| live.contains(b)) {
            let param = proc.add_param(block, ty);
            params[block].push((slot, param));
        }
    }
    let entry = &mut proc.blocks[proc.entry].insts;
    entry.splice(0..0, zeros);
    params
}

struct Renamer<'a> {
    proc: &'a mut Procedure,
    params: SecondaryMap<Block, Vec<(Slot, Value)>>,
    current: ScopedValues<Slot>,
    /// What the result of a removed read is.
    read: SecondaryMap<Value, Option<Value>>,
}

impl Renamer<'_> {
    fn enter(&mut self, block: Block) {
        self.current.enter();
        for &(slot, value) in &self.params[block] {
            self.current.set(slot, value);
        }
        let insts = std::mem::take(&mut self.proc.blocks[block].insts);
        let kept = insts.into_iter().filter(|&inst| self.rewrite(inst)).collect();
        let data = &mut self.proc.blocks[block];
        data.insts = kept;
        data.term.map_args(|v| self.read[v].unwrap_or(v));
        for target in data.term.targets_mut() {
            let current = &self.current;
            let args = self.params[target.block].iter().map(|&(slot, _)| reaching(current, slot));
            target.args.extend(args);
        }
    }

    /// Whether the instruction stays.
    fn rewrite(&mut self, inst: Inst) -> bool {
        let node = &mut self.proc.insts[inst];
        node.data.map_args(|v| self.read[v].unwrap_or(v));
        let Some((slot, ..)) = access(&node.data) else { return true };
        match node.data {
            InstData::Read { .. } => {
                self.read[node.results[0]] = Some(reaching(&self.current, slot));
                false
            }
            InstData::Write { value, .. } => {
                self.current.set(slot, value);
                false
            }
            InstData::Load { index, .. } => {
                let array = reaching(&self.current, slot);
                node.data = InstData::Binary { op: BinOp::Select, args: [array, index] };
                true
            }
            InstData::Store { index, value, .. } => {
                let array = reaching(&self.current, slot);
                node.data = InstData::Update { array, index, value };
                let ty = self.proc.slots[slot].ty;
                let result = self.proc.values.push(ValueData { ty, def: ValueDef::Result(inst, 0) });
                node.results.push(result);
                self.current.set(slot, result);
                true
            }
            _ => unreachable!("access() lists the instructions above"),
        }
    }
}

fn reaching<K: EntityRef>(current: &ScopedValues<K>, key: K) -> Value {
    current.get(key).expect("a live slot is defined on every path, by the zero at the entry if need be")
}
