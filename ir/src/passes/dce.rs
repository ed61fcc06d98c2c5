//! Dead code: instructions without effect whose results nobody uses, parameters of blocks and procedures that nobody
//! reads, results that no caller reads. What is needed is marked from the effects backwards over the whole program,
//! so a value that only keeps itself alive around a loop or a recursion goes too.
//!
//! Control flow stays as it is, and with it loops that compute nothing: a run that never leaves one violates nothing
//! behind it. For the same reason a call is dropped only if its callee surely returns.
//!
//! A model names the inputs of a run by site and by how often the site was passed. So that the n-th time stays the n-th
//! time, the `havoc`s of a site stay all or go all, and a call that leads to one stays.
//!
//! Writes to variables are
//! effects, whether anyone reads them or not; run `lift_globals` and `ssa` first.

use super::edit::{drop_params, retain_by};
use crate::analysis::callgraph::{roots, CallSite};
use crate::analysis::{CallGraph, Cfg};
use crate::entities::{Block, Inst, Proc, Site, Value};
use crate::inst::{InstData, Place, Terminator};
use crate::program::{Procedure, Program, ValueDef};
use cranelift_entity::{EntityRef, EntitySet, PrimaryMap, SecondaryMap};

pub fn dce(program: &mut Program) {
    let calls = CallGraph::compute(program);
    let mut marker = Marker::new(program, &calls);
    marker.seed();
    marker.run();
    let Marker { live, live_calls, live_results, fixed, .. } = marker;
    let kept_params = program.procs.iter().map(|(id, proc)| kept_params(proc, &live[id], fixed.contains(id))).collect();
    let kept = Kept { params: kept_params, results: live_results };
    for (id, proc) in program.procs.iter_mut() {
        sweep(proc, id, &live[id], &live_calls[id], &kept);
    }
}

fn kept_params(proc: &Procedure, live: &EntitySet<Value>, fixed: bool) -> Vec<bool> {
    proc.params().iter().map(|&p| fixed || live.contains(p)).collect()
}

/// The procedures that do nothing but compute their results, surely do so, and bring in nothing unknown.
fn effect_free(program: &Program, calls: &CallGraph) -> EntitySet<Proc> {
    let mut free = EntitySet::new();
    for id in calls.bottom_up() {
        if !calls.is_recursive(id) && only_computes(&program.procs[id], &free) {
            free.insert(id);
        }
    }
    free
}

fn only_computes(proc: &Procedure, free: &EntitySet<Proc>) -> bool {
    let cfg = Cfg::compute(proc);
    let goes_forward = |b: Block| cfg.succs(b).iter().all(|&s| cfg.rpo_index(s) > cfg.rpo_index(b));
    let harmless = |inst: Inst| match &proc.insts[inst].data {
        InstData::Write { place, .. } | InstData::Store { place, .. } => matches!(place, Place::Local(_)),
        InstData::Call { callee, .. } => free.contains(*callee),
        InstData::Havoc { .. } => false,
        data => data.is_pure(),
    };
    cfg.rpo().iter().all(|&b| {
        let data = &proc.blocks[b];
        !matches!(data.term, Terminator::Stop | Terminator::Step(_))
            && goes_forward(b)
            && data.insts.iter().all(|&i| harmless(i))
    })
}

fn havocs(program: &Program) -> SecondaryMap<Site, Vec<(Proc, Value)>> {
    let mut havocs: SecondaryMap<Site, Vec<(Proc, Value)>> = SecondaryMap::with_capacity(program.sites.len());
    for (id, proc) in program.procs.iter() {
        for node in proc.layout.iter().flat_map(|&b| &proc.blocks[b].insts).map(|&i| &proc.insts[i]) {
            if let InstData::Havoc { site } = node.data {
                havocs[site].extend(node.results.iter().map(|&r| (id, r)));
            }
        }
    }
    havocs
}

/// Edges and returns of one procedure.
#[derive(Clone, Default)]
struct Flow {
    incoming: SecondaryMap<Block, Vec<(Block, u32)>>,
    returns: Vec<Block>,
}

impl Flow {
    fn of(proc: &Procedure) -> Flow {
        let mut flow = Flow::default();
        for &block in &proc.layout {
            for (n, target) in (0..).zip(proc.successors(block)) {
                flow.incoming[target.block].push((block, n));
            }
            if matches!(proc.blocks[block].term, Terminator::Return(_)) {
                flow.returns.push(block);
            }
        }
        flow
    }
}

struct Marker<'a> {
    program: &'a Program,
    calls: &'a CallGraph,
    flows: PrimaryMap<Proc, Flow>,
    /// The results of each site's `havoc`s; empty once they are marked.
    havocs: SecondaryMap<Site, Vec<(Proc, Value)>>,
    free: EntitySet<Proc>,
    /// Procedures whose parameters and results are not ours to change, since not every caller is in the program.
    fixed: EntitySet<Proc>,
    live: PrimaryMap<Proc, EntitySet<Value>>,
    live_calls: PrimaryMap<Proc, EntitySet<Inst>>,
    live_results: PrimaryMap<Proc, Vec<bool>>,
    work: Vec<(Proc, Value)>,
}

impl<'a> Marker<'a> {
    fn new(program: &'a Program, calls: &'a CallGraph) -> Marker<'a> {
        let mut fixed = EntitySet::new();
        fixed.extend(roots(program));
        if fixed.is_empty() {
            fixed.extend(program.procs.keys());
        }
        Marker {
            program,
            calls,
            flows: program.procs.values().map(Flow::of).collect(),
            havocs: havocs(program),
            free: effect_free(program, calls),
            fixed,
            live: program.procs.keys().map(|_| EntitySet::new()).collect(),
            live_calls: program.procs.keys().map(|_| EntitySet::new()).collect(),
            live_results: program.procs.values().map(|p| vec![false; p.results.len()]).collect(),
            work: Vec::new(),
        }
    }

    /// Marks what effects and control flow read.
    fn seed(&mut self) {
        let program = self.program;
        for (id, proc) in program.procs.iter() {
            if self.fixed.contains(id) {
                (0..proc.results.len()).for_each(|n| self.mark_result(id, n));
            }
            for &block in &proc.layout {
                for &inst in &proc.blocks[block].insts {
                    self.seed_inst(id, inst);
                }
                if let Terminator::Branch { cond: v, .. } | Terminator::Switch { value: v, .. } =
                    &proc.blocks[block].term
                {
                    self.mark(id, *v);
                }
            }
        }
    }

    fn seed_inst(&mut self, id: Proc, inst: Inst) {
        let data = &self.program.procs[id].insts[inst].data;
        match data {
            InstData::Call { callee, .. } => {
                if !self.free.contains(*callee) {
                    self.mark_call(id, inst);
                }
            }
            data if data.is_pure() => {}
            data => data.for_each_arg(|v| self.mark(id, v)),
        }
    }

    fn mark(&mut self, id: Proc, value: Value) {
        if self.live[id].insert(value) {
            self.work.push((id, value));
        }
    }

    fn mark_result(&mut self, id: Proc, index: usize) {
        if std::mem::replace(&mut self.live_results[id][index], true) {
            return;
        }
        for n in 0..self.flows[id].returns.len() {
            let block = self.flows[id].returns[n];
            if let Terminator::Return(values) = &self.program.procs[id].blocks[block].term {
                self.mark(id, values[index]);
            }
        }
    }

    fn mark_call(&mut self, id: Proc, inst: Inst) {
        if !self.live_calls[id].insert(inst) {
            return;
        }
        let InstData::Call { callee, args } = &self.program.procs[id].insts[inst].data else { return };
        for (&param, &arg) in self.program.procs[*callee].params().iter().zip(args) {
            if self.live[*callee].contains(param) || self.fixed.contains(*callee) {
                self.mark(id, arg);
            }
        }
    }

    fn run(&mut self) {
        let program = self.program;
        while let Some((id, value)) = self.work.pop() {
            let proc = &program.procs[id];
            match proc.values[value].def {
                ValueDef::Param(block, index) => self.mark_arguments(id, block, index as usize),
                ValueDef::Result(inst, index) => match &proc.insts[inst].data {
                    InstData::Call { callee, .. } => {
                        self.mark_call(id, inst);
                        self.mark_result(*callee, index as usize);
                    }
                    InstData::Havoc { site } => {
                        for (other, result) in std::mem::take(&mut self.havocs[*site]) {
                            self.mark(other, result);
                        }
                    }
                    data => data.for_each_arg(|v| self.mark(id, v)),
                },
            }
        }
    }

    fn mark_arguments(&mut self, id: Proc, block: Block, index: usize) {
        let program = self.program;
        let proc = &program.procs[id];
        for n in 0..self.flows[id].incoming[block].len() {
            let (pred, target) = self.flows[id].incoming[block][n];
            if let Some(call) = proc.blocks[pred].term.targets().nth(target as usize) {
                self.mark(id, call.args[index]);
            }
        }
        if block != proc.entry {
            return;
        }
        let calls = self.calls;
        for &CallSite { caller, inst, .. } in &calls.sites[id] {
            if !self.live_calls[caller].contains(inst) {
                continue;
            }
            if let InstData::Call { args, .. } = &program.procs[caller].insts[inst].data {
                self.mark(caller, args[index]);
            }
        }
    }
}

/// Which parameters and results of each procedure stay.
struct Kept {
    params: PrimaryMap<Proc, Vec<bool>>,
    results: PrimaryMap<Proc, Vec<bool>>,
}

fn sweep(proc: &mut Procedure, id: Proc, live: &EntitySet<Value>, live_calls: &EntitySet<Inst>, kept: &Kept) {
    for n in 0..proc.layout.len() {
        let block = proc.layout[n];
        let mut insts = std::mem::take(&mut proc.blocks[block].insts);
        insts.retain(|&inst| keep_inst(proc, inst, live, live_calls, kept));
        proc.blocks[block].insts = insts;
        if let Terminator::Return(values) = &mut proc.blocks[block].term {
            retain_by(values, &kept.results[id]);
        }
    }
    retain_by(&mut proc.results, &kept.results[id]);
    let mut dead: Vec<bool> = proc.values.keys().map(|v| !live.contains(v)).collect();
    for (&param, &stays) in proc.params().iter().zip(&kept.params[id]) {
        dead[param.index()] = !stays;
    }
    drop_params(proc, |v| dead[v.index()]);
}

/// Whether the instruction stays; a call that does is cut to what the callee still takes and gives.
fn keep_inst(
    proc: &mut Procedure,
    inst: Inst,
    live: &EntitySet<Value>,
    live_calls: &EntitySet<Inst>,
    kept: &Kept,
) -> bool {
    let node = &mut proc.insts[inst];
    let InstData::Call { callee, args } = &mut node.data else {
        return !node.data.is_pure() || node.results.iter().any(|&r| live.contains(r));
    };
    if !live_calls.contains(inst) {
        return false;
    }
    retain_by(args, &kept.params[*callee]);
    let results = &kept.results[*callee];
    node.results = node.results.iter().zip(results).filter(|(_, &stays)| stays).map(|(&r, _)| r).collect();
    for (n, &result) in node.results.iter().enumerate() {
        proc.values[result].def = ValueDef::Result(inst, n as u32);
    }
    true
}
