//! A process that never ends a step, as far as the shape of its code shows it.

use rustc_hash::FxHashSet;
use syncline_ir::{Block, InstData, Origin, Procedure, Terminator};

/// Places from which a step does not end: a cycle without a step that is not all inside sections, and code inside from
/// which nothing leads to the end of the step.
pub(super) fn endless(proc: &Procedure, atomic: &FxHashSet<Block>) -> Vec<(Origin, &'static str)> {
    let reached = reachable(proc);
    let mut found = Vec::new();
    let mut graph = petgraph::graphmap::DiGraphMap::<u32, ()>::new();
    for &block in &reached {
        graph.add_node(block.as_u32());
        for next in within_step(proc, block) {
            graph.add_edge(block.as_u32(), next.as_u32(), ());
        }
    }
    let mut circling: FxHashSet<Block> = FxHashSet::default();
    for component in petgraph::algo::kosaraju_scc(&graph) {
        let cycle = component.len() > 1 || component.iter().any(|&b| graph.contains_edge(b, b));
        circling.extend(component.iter().copied().map(Block::from_u32).filter(|_| cycle));
        let outside = component.iter().copied().map(Block::from_u32).filter(|b| !atomic.contains(b)).min();
        if let (true, Some(block)) = (cycle, outside) {
            let words = "this loop takes no step: put `idle();` or `;` into it, or make it part of an atomic section";
            found.push((proc.blocks[block].term_origin, words));
        }
    }
    if found.is_empty() {
        let words = "the step never ends here: nothing leads out of this code";
        let block = stuck(proc, &reached).into_iter().filter(|b| circling.contains(b)).min();
        found.extend(block.map(|block| (proc.blocks[block].term_origin, words)));
    }
    found
}

/// Whether a procedure can return or end the run.
pub(super) fn ends(proc: &Procedure) -> bool {
    let reached = reachable(proc);
    !stuck(proc, &reached).contains(&proc.entry)
}

fn within_step(proc: &Procedure, block: Block) -> Vec<Block> {
    match &proc.blocks[block].term {
        Terminator::Step(_) => Vec::new(),
        term => term.targets().map(|t| t.block).collect(),
    }
}

fn reachable(proc: &Procedure) -> Vec<Block> {
    let mut seen = FxHashSet::from_iter([proc.entry]);
    let mut found = vec![proc.entry];
    let mut at = 0;
    while at < found.len() {
        found.extend(proc.successors(found[at]).map(|t| t.block).filter(|b| seen.insert(*b)).collect::<Vec<_>>());
        at += 1;
    }
    found
}

/// The blocks from which no end of the step can be reached.
fn stuck(proc: &Procedure, reached: &[Block]) -> Vec<Block> {
    let mut fine: FxHashSet<Block> = reached.iter().copied().filter(|&b| is_end(proc, b)).collect();
    loop {
        let before = fine.len();
        // Backwards in the order of discovery most is found in one sweep.
        for &block in reached.iter().rev() {
            if within_step(proc, block).iter().any(|b| fine.contains(b)) {
                fine.insert(block);
            }
        }
        if fine.len() == before {
            break;
        }
    }
    reached.iter().copied().filter(|b| !fine.contains(b)).collect()
}

fn is_end(proc: &Procedure, block: Block) -> bool {
    let data = &proc.blocks[block];
    let gives_up = data.insts.iter().any(|&i| matches!(proc.insts[i].data, InstData::Unsupported { .. }));
    gives_up || matches!(data.term, Terminator::Step(_) | Terminator::Return(_) | Terminator::Stop)
}
