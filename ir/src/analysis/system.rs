//! Facts about synchronous systems that need no run: where steps begin, and who may write what.

use super::CallGraph;
use crate::entities::{Block, Proc, Var};
use crate::inst::{InstData, Place, Terminator};
use crate::program::{Procedure, Program, System};
use cranelift_entity::EntitySet;

/// Where the first step of a process begins. An empty entry block is the block it jumps to, so that a process which
/// comes back to its first label is where it was.
pub fn first_location(body: &Procedure) -> Block {
    let data = &body.blocks[body.entry];
    match &data.term {
        Terminator::Jump(to) if data.insts.is_empty() && data.params.is_empty() && to.args.is_empty() => to.block,
        _ => body.entry,
    }
}

/// The blocks where a step of a process can begin, the first one first, then in the order of the layout.
pub fn locations(body: &Procedure) -> Vec<Block> {
    let mut seen: EntitySet<Block> = EntitySet::new();
    let first = first_location(body);
    seen.insert(first);
    let mut found = vec![first];
    for &block in &body.layout {
        if let Terminator::Step(to) = &body.blocks[block].term {
            if seen.insert(to.block) {
                found.push(to.block);
            }
        }
    }
    found
}

/// What a procedure, with all it calls, may read and write.
#[derive(Clone, Debug, Default)]
pub struct Accesses {
    pub reads: EntitySet<Var>,
    pub writes: EntitySet<Var>,
}

/// For each process what it may read and write.
pub fn accesses(program: &Program, system: &System) -> Vec<Accesses> {
    let calls = CallGraph::compute(program);
    system.processes.iter().map(|process| accesses_of(program, &calls, process.body)).collect()
}

pub fn accesses_of(program: &Program, calls: &CallGraph, proc: Proc) -> Accesses {
    let mut found = Accesses::default();
    for proc in calls.reachable([proc]).iter() {
        let procedure = &program.procs[proc];
        for &inst in procedure.layout.iter().flat_map(|&b| &procedure.blocks[b].insts) {
            match procedure.insts[inst].data {
                InstData::Read { place: Place::Global(var) } | InstData::Load { place: Place::Global(var), .. } => {
                    found.reads.insert(var);
                }
                InstData::Write { place: Place::Global(var), .. }
                | InstData::Store { place: Place::Global(var), .. } => {
                    found.writes.insert(var);
                }
                InstData::Read { place: Place::Local(_) }
                | InstData::Load { place: Place::Local(_), .. }
                | InstData::Write { place: Place::Local(_), .. }
                | InstData::Store { place: Place::Local(_), .. }
                | InstData::Const(_)
                | InstData::Unary { .. }
                | InstData::Binary { .. }
                | InstData::Ite { .. }
                | InstData::Update { .. }
                | InstData::Havoc { .. }
                | InstData::Call { .. }
                | InstData::Assume { .. }
                | InstData::Assert { .. }
                | InstData::Unsupported { .. }
                | InstData::Print { .. } => {}
            }
        }
    }
    found
}
