//! Which calls are put in place, and what the others may do.
//!
//! A call that is not put in place stays *open*: it gives back anything, leaves anything in the variables that its callee may
//! write, and violates any property that its callee may. The program so abstracted has all runs of the program and more.

use crate::analysis::system::accesses_of;
use crate::analysis::CallGraph;
use crate::entities::{Inst, Obligation, Proc, Prop, Var};
use crate::inst::InstData;
use crate::program::{Procedure, Program};
use cranelift_entity::PrimaryMap;
use std::collections::BTreeSet;

/// The instructions that call, from the entry down.
pub type CallPath = Vec<Inst>;

/// What a call may do beside giving back results.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    pub writes: Vec<Var>,
    pub props: Vec<Prop>,
    /// Something not modelled that runs may come to.
    pub unsupported: Option<Obligation>,
}

/// The calls that are put in place: those of small procedures, and those that somebody wants there.
#[derive(Clone, Debug)]
pub struct Calls {
    effects: PrimaryMap<Proc, Effects>,
    sizes: PrimaryMap<Proc, u64>,
    small: u64,
    opened: BTreeSet<CallPath>,
}

impl Calls {
    /// The calls of a program that a larger one was cut down to. What is open may do whatever it may in the larger one, which
    /// is the one that certificates are about; of its properties only these count. In place are the calls of procedures that
    /// have up to `small` instructions with theirs in place.
    pub fn new(program: &Program, larger: &Program, props: &[Prop], small: u64) -> Calls {
        let graph = CallGraph::compute(larger);
        let effects = larger.procs.keys().map(|proc| effects(larger, &graph, props, proc)).collect();
        Calls { effects, sizes: sizes(program), small, opened: BTreeSet::new() }
    }

    /// Puts these calls in place; whether any of them was open.
    pub fn open(&mut self, paths: impl IntoIterator<Item = CallPath>) -> bool {
        let before = self.opened.len();
        self.opened.extend(paths);
        self.opened.len() > before
    }

    /// What the call may do, if it stays open.
    pub(super) fn open_call(&self, path: &[Inst], callee: Proc) -> Option<&Effects> {
        let in_place = self.sizes[callee] <= self.small || self.opened.contains(path);
        (!in_place).then(|| &self.effects[callee])
    }
}

fn effects(program: &Program, graph: &CallGraph, asked: &[Prop], proc: Proc) -> Effects {
    let mut effects =
        Effects { writes: accesses_of(program, graph, proc).writes.iter().collect(), ..Effects::default() };
    let mut props = BTreeSet::new();
    for proc in graph.reachable([proc]).iter() {
        for data in instructions(&program.procs[proc]) {
            match *data {
                InstData::Assert { prop, .. } if asked.contains(&prop) => drop(props.insert(prop)),
                InstData::Unsupported { obligation } => effects.unsupported = Some(obligation),
                // What it writes is in the accesses.
                InstData::Write { .. }
                | InstData::Store { .. }
                | InstData::Assert { .. }
                | InstData::Const(_)
                | InstData::Unary { .. }
                | InstData::Binary { .. }
                | InstData::Ite { .. }
                | InstData::Update { .. }
                | InstData::Havoc { .. }
                | InstData::Read { .. }
                | InstData::Load { .. }
                | InstData::Call { .. }
                | InstData::Assume { .. }
                | InstData::Print { .. } => {}
            }
        }
    }
    effects.props = props.into_iter().collect();
    effects
}

/// Instructions of each procedure with all its calls in place; of recursive ones more than can be counted.
pub fn sizes(program: &Program) -> PrimaryMap<Proc, u64> {
    let graph = CallGraph::compute(program);
    let mut sizes: PrimaryMap<Proc, u64> = program.procs.keys().map(|_| u64::MAX).collect();
    for proc in graph.bottom_up().filter(|&proc| !graph.is_recursive(proc)) {
        let body = &program.procs[proc];
        let callees = instructions(body).map(|data| match data {
            InstData::Call { callee, .. } => sizes[*callee],
            _ => 0,
        });
        // As they are counted when they are put in place.
        let own = body.layout.len() + instructions(body).count() + body.slots.len();
        sizes[proc] = callees.fold(own as u64, u64::saturating_add);
    }
    sizes
}

fn instructions(body: &Procedure) -> impl Iterator<Item = &InstData> {
    body.layout.iter().flat_map(|&block| &body.blocks[block].insts).map(|&inst| &body.insts[inst].data)
}
