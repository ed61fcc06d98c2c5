//! Who calls whom. Calls in blocks that are in no layout do not count; calls in unreachable blocks do.

use crate::entities::{Block, Inst, Proc};
use crate::inst::InstData;
use crate::program::{Program, System};
use cranelift_entity::{EntityRef, EntitySet, SecondaryMap};
use petgraph::graph::{DiGraph, NodeIndex};

/// A call instruction.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CallSite {
    pub caller: Proc,
    pub block: Block,
    pub inst: Inst,
}

#[derive(Clone, Debug)]
pub struct CallGraph {
    /// Without duplicates, in order of first call.
    pub callees: SecondaryMap<Proc, Vec<Proc>>,
    /// The calls of each procedure.
    pub sites: SecondaryMap<Proc, Vec<CallSite>>,
    /// Mutually recursive procedures together, callees before callers.
    pub components: Vec<Vec<Proc>>,
    /// Procedures that can come to call themselves.
    pub recursive: EntitySet<Proc>,
}

impl CallGraph {
    pub fn compute(program: &Program) -> CallGraph {
        let mut callees: SecondaryMap<Proc, Vec<Proc>> = SecondaryMap::new();
        let mut sites: SecondaryMap<Proc, Vec<CallSite>> = SecondaryMap::new();
        let mut seen: SecondaryMap<Proc, Option<Proc>> = SecondaryMap::new();
        for (caller, body) in program.procs.iter() {
            for &block in &body.layout {
                for &inst in &body.blocks[block].insts {
                    let InstData::Call { callee, .. } = body.insts[inst].data else { continue };
                    sites[callee].push(CallSite { caller, block, inst });
                    if seen[callee].replace(caller) != Some(caller) {
                        callees[caller].push(callee);
                    }
                }
            }
        }
        let components = components(program, &callees);
        let mut recursive = EntitySet::new();
        for component in &components {
            if component.len() > 1 || callees[component[0]].contains(&component[0]) {
                recursive.extend(component.iter().copied());
            }
        }
        CallGraph { callees, sites, components, recursive }
    }

    /// Every procedure, callees before callers where there is no recursion.
    pub fn bottom_up(&self) -> impl DoubleEndedIterator<Item = Proc> + '_ {
        self.components.iter().flatten().copied()
    }

    pub fn is_recursive(&self, proc: Proc) -> bool {
        self.recursive.contains(proc)
    }

    /// The procedures a run from one of the roots can be in, the roots included.
    pub fn reachable(&self, roots: impl IntoIterator<Item = Proc>) -> EntitySet<Proc> {
        let mut reached = EntitySet::new();
        let mut stack: Vec<Proc> = roots.into_iter().collect();
        while let Some(proc) = stack.pop() {
            if reached.insert(proc) {
                stack.extend(self.callees[proc].iter().copied());
            }
        }
        reached
    }
}

/// Where runs start: the entry; the processes, the environment and the observer of a system.
pub fn roots(program: &Program) -> Vec<Proc> {
    let bodies = |s: &'_ System| s.processes.iter().map(|p| p.body).chain(s.environment).chain(s.observer).collect();
    let system: Vec<Proc> = program.system.as_ref().map(bodies).unwrap_or_default();
    program.entry.into_iter().chain(system).collect()
}

/// Kosaraju's algorithm, since petgraph's Tarjan recurses as deeply as calls nest.
fn components(program: &Program, callees: &SecondaryMap<Proc, Vec<Proc>>) -> Vec<Vec<Proc>> {
    let mut graph: DiGraph<(), ()> = DiGraph::with_capacity(program.procs.len(), 0);
    for _ in program.procs.keys() {
        graph.add_node(());
    }
    for caller in program.procs.keys() {
        for callee in &callees[caller] {
            graph.add_edge(NodeIndex::new(caller.index()), NodeIndex::new(callee.index()), ());
        }
    }
    let as_procs = |c: Vec<NodeIndex>| c.into_iter().map(|n| Proc::new(n.index())).collect();
    petgraph::algo::kosaraju_scc(&graph).into_iter().map(as_procs).collect()
}
