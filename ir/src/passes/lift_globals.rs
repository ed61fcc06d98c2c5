//! Globals become parameters and results, so that a procedure is a relation between values: it takes what it or
//! anything it calls may read or write, and gives back what they may write (the old value, on a path that does not).
//! The sets are the least solution over the components of the call graph.
//!
//! Inside a procedure a global lives in a slot, so `ssa` follows. The program's entry sets its slots to the initial
//! values; if it is called by others too, a new entry does so and calls it. Procedures that no run enters are removed
//! first. A program with a `System` is left alone: its variables are shared between processes and change at step
//! boundaries. So is a library: without an entry nothing says where the globals get their values.

use super::remove_unreachable_procs;
use crate::analysis::{CallGraph, Effects};
use crate::entities::{Inst, Origin, Proc, Slot, Var};
use crate::inst::{InstData, Place, Terminator};
use crate::program::{Initial, Procedure, Program, SlotData, ValueData, ValueDef, VarData};
use cranelift_entity::{PrimaryMap, SecondaryMap};
use std::rc::Rc;

/// What a procedure may do to globals, itself or by calls.
#[derive(Clone)]
struct Effect {
    /// Read or written: passed in.
    inputs: Rc<[Var]>,
    /// Written: passed back.
    outputs: Rc<[Var]>,
}

/// Afterwards no procedure refers to a global, and the table of variables is empty.
pub fn lift_globals(program: &mut Program) {
    let (Some(entry), None) = (program.entry, &program.system) else { return };
    if program.vars.is_empty() {
        return;
    }
    separate_entry(program, entry);
    remove_unreachable_procs(program);
    let effects = effects(program);
    let Program { procs, vars, entry, .. } = program;
    for (id, proc) in procs.iter_mut() {
        let mut lifter = Lifter { slots: make_slots(proc, vars, &effects[id].inputs), proc, vars, effects: &effects };
        let is_entry = Some(id) == *entry;
        lifter.body(if is_entry { &[] } else { &effects[id].outputs });
        lifter.prologue(&effects[id].inputs, is_entry);
    }
    // Their unknown initial values are inputs of the entry now, and must not come in twice.
    *vars = PrimaryMap::new();
}

/// If the entry is called, puts a new one before it, which only calls it.
fn separate_entry(program: &mut Program, entry: Proc) {
    if CallGraph::compute(program).sites[entry].is_empty() {
        return;
    }
    let old = &program.procs[entry];
    let name =
        (0..).map(|n| format!("{}.entry{n}", old.name)).find(|name| !program.procs.values().any(|p| p.name == *name));
    let mut start = Procedure::new(name.unwrap_or_default(), old.origin);
    start.results = old.results.clone();
    let args = old.params().iter().map(|&v| start.add_param(start.entry, old.value_type(v))).collect();
    let (block, results) = (start.entry, start.results.clone());
    let call = start.append(block, InstData::Call { callee: entry, args }, &results, old.origin);
    let returned = start.insts[call].results.to_vec();
    start.set_term(block, Terminator::Return(returned), old.origin);
    program.entry = Some(program.procs.push(start));
}

fn effects(program: &Program) -> PrimaryMap<Proc, Effect> {
    let all = Effects::compute(program);
    let of = |id: Proc| {
        let effect = all.of(id);
        Effect { inputs: effect.touched.iter().collect(), outputs: effect.written.iter().collect() }
    };
    program.procs.keys().map(of).collect()
}

fn make_slots(
    proc: &mut Procedure,
    vars: &PrimaryMap<Var, VarData>,
    inputs: &[Var],
) -> SecondaryMap<Var, Option<Slot>> {
    let mut slots = SecondaryMap::new();
    for &var in inputs {
        let VarData { name, ty, origin, .. } = &vars[var];
        slots[var] = Some(proc.slots.push(SlotData { name: name.clone(), ty: *ty, origin: *origin }));
    }
    slots
}

struct Lifter<'a> {
    proc: &'a mut Procedure,
    vars: &'a PrimaryMap<Var, VarData>,
    effects: &'a PrimaryMap<Proc, Effect>,
    slots: SecondaryMap<Var, Option<Slot>>,
}

impl Lifter<'_> {
    fn place(&self, var: Var) -> Place {
        self.slots[var].map_or(Place::Global(var), Place::Local)
    }

    /// Gives the slots their values at the start of the procedure.
    fn prologue(&mut self, inputs: &[Var], is_entry: bool) {
        let mut insts = Vec::with_capacity(2 * inputs.len());
        for &var in inputs {
            let VarData { ty, init, origin, .. } = &self.vars[var];
            let value = if is_entry {
                let data = match init {
                    Initial::Const(c) => InstData::Const(c.clone()),
                    Initial::Any(site) => InstData::Havoc { site: *site },
                };
                insts.push(self.proc.make_inst(data, &[*ty], *origin));
                self.proc.insts[insts[insts.len() - 1]].results[0]
            } else {
                self.proc.add_param(self.proc.entry, *ty)
            };
            insts.push(self.proc.make_inst(InstData::Write { place: self.place(var), value }, &[], *origin));
        }
        self.proc.blocks[self.proc.entry].insts.splice(0..0, insts);
    }

    fn body(&mut self, outputs: &[Var]) {
        for n in 0..self.proc.layout.len() {
            let block = self.proc.layout[n];
            let mut insts = Vec::with_capacity(self.proc.blocks[block].insts.len());
            for inst in std::mem::take(&mut self.proc.blocks[block].insts) {
                self.rewrite(inst, &mut insts);
            }
            if matches!(self.proc.blocks[block].term, Terminator::Return(_)) {
                let origin = self.proc.blocks[block].term_origin;
                for &var in outputs {
                    insts.push(self.read(var, origin));
                    let value = self.proc.insts[insts[insts.len() - 1]].results[0];
                    let Terminator::Return(values) = &mut self.proc.blocks[block].term else { break };
                    values.push(value);
                }
            }
            self.proc.blocks[block].insts = insts;
        }
        self.proc.results.extend(outputs.iter().map(|&var| self.vars[var].ty));
    }

    fn read(&mut self, var: Var, origin: Origin) -> Inst {
        self.proc.make_inst(InstData::Read { place: self.place(var) }, &[self.vars[var].ty], origin)
    }

    fn rewrite(&mut self, inst: Inst, out: &mut Vec<Inst>) {
        match &mut self.proc.insts[inst].data {
            InstData::Read { place }
            | InstData::Load { place, .. }
            | InstData::Write { place, .. }
            | InstData::Store { place, .. } => {
                if let Place::Global(var) = *place {
                    *place = self.slots[var].map_or(*place, Place::Local);
                }
                out.push(inst);
            }
            InstData::Call { callee, .. } => {
                let callee = *callee;
                self.call(inst, callee, out);
            }
            InstData::Const(_)
            | InstData::Unary { .. }
            | InstData::Binary { .. }
            | InstData::Ite { .. }
            | InstData::Update { .. }
            | InstData::Havoc { .. }
            | InstData::Assume { .. }
            | InstData::Assert { .. }
            | InstData::Unsupported { .. }
            | InstData::Print { .. } => out.push(inst),
        }
    }

    fn call(&mut self, inst: Inst, callee: Proc, out: &mut Vec<Inst>) {
        let effect = self.effects[callee].clone();
        let origin = self.proc.insts[inst].origin;
        let mut passed = Vec::with_capacity(effect.inputs.len());
        for &var in effect.inputs.iter() {
            let read = self.read(var, origin);
            out.push(read);
            passed.push(self.proc.insts[read].results[0]);
        }
        if let InstData::Call { args, .. } = &mut self.proc.insts[inst].data {
            args.extend(passed);
        }
        out.push(inst);
        for &var in effect.outputs.iter() {
            let index = self.proc.insts[inst].results.len() as u32;
            let ty = self.vars[var].ty;
            let value = self.proc.values.push(ValueData { ty, def: ValueDef::Result(inst, index) });
            self.proc.insts[inst].results.push(value);
            out.push(self.proc.make_inst(InstData::Write { place: self.place(var), value }, &[], origin));
        }
    }
}
