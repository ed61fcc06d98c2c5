//! Cuts a program down to what matters for some of its properties.
//!
//! A run ends at its first failing `assert`, so one of another property becomes an `assume`. A run that can come to no
//! `assert` asked for and to no `unsupported` any more, in this activation or after it returns, violates nothing and
//! stops there. (Which caller an activation returns to is not told apart.) Whether that run would have ended does not
//! matter. In a system nothing is stopped, since that would end the run for every process. Output goes. Then `dce` removes what only the removed parts needed; before `ssa` that is little, so the
//! pipeline runs it again later.

use super::dce::dce;
use super::edit::remove_unreachable_blocks;
use crate::analysis::callgraph::{roots, CallSite};
use crate::analysis::{CallGraph, Cfg};
use crate::entities::{Block, Proc, Prop};
use crate::inst::{InstData, Terminator};
use crate::program::{Procedure, Program};
use cranelift_entity::{EntityRef, EntitySet, PrimaryMap};

/// Keeps verdicts on these properties, and every `unsupported` that bears on them.
pub fn slice(program: &mut Program, props: &[Prop]) {
    let mut wanted = EntitySet::new();
    wanted.extend(props.iter().copied());
    for proc in program.procs.values_mut() {
        remove_unreachable_blocks(proc);
        narrow(proc, &wanted);
    }
    if program.system.is_none() {
        let reach = Reach::compute(program);
        for (id, proc) in program.procs.iter_mut() {
            reach.stop_runs(id, proc);
            remove_unreachable_blocks(proc);
        }
    }
    dce(program);
}

/// Turns the other properties' asserts into assumptions and drops output.
fn narrow(proc: &mut Procedure, wanted: &EntitySet<Prop>) {
    for &block in &proc.layout {
        let insts = &mut proc.insts;
        proc.blocks[block].insts.retain(|&inst| {
            let data = &mut insts[inst].data;
            match *data {
                InstData::Assert { prop, cond } if !wanted.contains(prop) => *data = InstData::Assume { cond },
                InstData::Print { .. } => return false,
                InstData::Assert { .. }
                | InstData::Unsupported { .. }
                | InstData::Const(_)
                | InstData::Unary { .. }
                | InstData::Binary { .. }
                | InstData::Ite { .. }
                | InstData::Update { .. }
                | InstData::Havoc { .. }
                | InstData::Read { .. }
                | InstData::Write { .. }
                | InstData::Load { .. }
                | InstData::Store { .. }
                | InstData::Call { .. }
                | InstData::Assume { .. } => {}
            }
            true
        });
    }
}

/// What runs can still come to.
struct Reach {
    /// Procedures with a target in them or in something they call.
    hits: EntitySet<Proc>,
    /// Procedures after whose return a run can come to a target.
    returns: EntitySet<Proc>,
    /// For each procedure, the blocks at whose end a run can still come to a target.
    at_end: PrimaryMap<Proc, Vec<bool>>,
}

impl Reach {
    fn compute(program: &Program) -> Reach {
        let calls = CallGraph::compute(program);
        let hits = hits(program, &calls);
        let mut reach = Reach { hits, returns: EntitySet::new(), at_end: PrimaryMap::new() };
        let cfgs: PrimaryMap<Proc, Cfg> = program.procs.values().map(Cfg::compute).collect();
        for (id, proc) in program.procs.iter() {
            let targets = proc.layout.iter().copied().filter(|&b| reach.is_target_block(proc, b));
            let mut at_end = vec![false; proc.blocks.len()];
            mark_before(&cfgs[id], &mut at_end, targets);
            reach.at_end.push(at_end);
        }
        reach.follow_returns(program, &calls, &cfgs);
        reach
    }

    fn is_target(&self, data: &InstData) -> bool {
        match data {
            InstData::Assert { .. } | InstData::Unsupported { .. } => true,
            InstData::Call { callee, .. } => self.hits.contains(*callee),
            InstData::Const(_)
            | InstData::Unary { .. }
            | InstData::Binary { .. }
            | InstData::Ite { .. }
            | InstData::Update { .. }
            | InstData::Havoc { .. }
            | InstData::Read { .. }
            | InstData::Write { .. }
            | InstData::Load { .. }
            | InstData::Store { .. }
            | InstData::Assume { .. }
            | InstData::Print { .. } => false,
        }
    }

    fn is_target_block(&self, proc: &Procedure, block: Block) -> bool {
        proc.blocks[block].insts.iter().any(|&i| self.is_target(&proc.insts[i].data))
    }

    /// A return matters if something behind one of the calls does, and makes what leads to it matter, up to the
    /// callees whose calls stand there.
    fn follow_returns(&mut self, program: &Program, calls: &CallGraph, cfgs: &PrimaryMap<Proc, Cfg>) {
        let mut work: Vec<Proc> = Vec::new();
        if roots(program).is_empty() {
            work.extend(program.procs.keys());
        }
        for callee in program.procs.keys() {
            if calls.sites[callee].iter().any(|site| self.matters_after(program, site)) {
                work.push(callee);
            }
        }
        while let Some(id) = work.pop() {
            if !self.returns.insert(id) {
                continue;
            }
            let proc = &program.procs[id];
            let is_return = |&b: &Block| matches!(proc.blocks[b].term, Terminator::Return(_));
            let mut ends: Vec<Block> = proc.layout.iter().copied().filter(is_return).collect();
            ends.retain(|b| !std::mem::replace(&mut self.at_end[id][b.index()], true));
            mark_before(&cfgs[id], &mut self.at_end[id], ends.iter().copied());
            // Calls anywhere in this procedure may have come to matter.
            let sites = calls.callees[id].iter().filter(|&&callee| !self.returns.contains(callee));
            let found = sites.filter(|&&callee| {
                let here = calls.sites[callee].iter().filter(|s| s.caller == id);
                here.into_iter().any(|s| self.matters_after(program, s))
            });
            work.extend(found.copied().collect::<Vec<_>>());
        }
    }

    /// Whether a run can come to a target between the call's return and the end of the caller's activation, or after.
    fn matters_after(&self, program: &Program, site: &CallSite) -> bool {
        if self.at_end[site.caller][site.block.index()] {
            return true;
        }
        let proc = &program.procs[site.caller];
        let behind = proc.blocks[site.block].insts.iter().rev().take_while(|&&i| i != site.inst);
        behind.into_iter().any(|&i| self.is_target(&proc.insts[i].data))
    }

    fn stop_runs(&self, id: Proc, proc: &mut Procedure) {
        for n in 0..proc.layout.len() {
            let block = proc.layout[n];
            if self.at_end[id][block.index()] {
                continue;
            }
            let insts = &proc.blocks[block].insts;
            let kept = insts.iter().rposition(|&i| self.is_target(&proc.insts[i].data)).map_or(0, |last| last + 1);
            proc.blocks[block].insts.truncate(kept);
            proc.blocks[block].term = Terminator::Stop;
        }
    }
}

fn hits(program: &Program, calls: &CallGraph) -> EntitySet<Proc> {
    let mut hits = EntitySet::new();
    let mut work: Vec<Proc> = Vec::new();
    for (id, proc) in program.procs.iter() {
        let mut insts = proc.layout.iter().flat_map(|&b| &proc.blocks[b].insts);
        if insts.any(|&i| matches!(proc.insts[i].data, InstData::Assert { .. } | InstData::Unsupported { .. })) {
            work.push(id);
        }
    }
    while let Some(id) = work.pop() {
        if hits.insert(id) {
            work.extend(calls.sites[id].iter().map(|site| site.caller));
        }
    }
    hits
}

/// Marks the ends of the blocks from which control flow leads to one of the targets.
fn mark_before(cfg: &Cfg, at_end: &mut [bool], targets: impl Iterator<Item = Block>) {
    let mut stack: Vec<Block> = targets.collect();
    while let Some(block) = stack.pop() {
        for &pred in cfg.preds(block) {
            if !std::mem::replace(&mut at_end[pred.index()], true) {
                stack.push(pred);
            }
        }
    }
}
