//! Fewer blocks: edges through empty blocks go straight to where those lead, a branch with one target becomes a jump
//! (arguments that differ are chosen by `ite`), a block that only follows one other is appended to it. Dead ends,
//! loops and the order of effects stay; a cycle of empty blocks stays a cycle. Loop-closed form may be lost.

use super::edit::{remove_unreachable_blocks, Aliases};
use crate::entities::{Block, Value};
use crate::inst::{BlockCall, Terminator};
use crate::program::{BlockData, Procedure, Program, ValueDef};
use cranelift_entity::{EntityRef, SecondaryMap};

/// One round opens chances for the next, as deep as choices nest; what deeper nests leave is only untidy.
const ROUNDS: usize = 16;

pub fn simplify_cfg(program: &mut Program) {
    for proc in program.procs.values_mut() {
        remove_unreachable_blocks(proc);
        for _ in 0..ROUNDS {
            let before = proc.layout.len();
            thread_empty_blocks(proc);
            let joined = join_branches(proc);
            remove_unreachable_blocks(proc);
            merge_chains(proc);
            if proc.layout.len() == before && !joined {
                break;
            }
        }
    }
}

/// The jump of an empty block whose parameters only that jump reads.
fn forwards<'a>(proc: &'a Procedure, uses: &[u32], block: Block) -> Option<&'a BlockCall> {
    let data = &proc.blocks[block];
    let Terminator::Jump(target) = &data.term else { return None };
    if block == proc.entry || !data.insts.is_empty() || target.block == block {
        return None;
    }
    let here = |p: Value| target.args.iter().filter(|&&a| a == p).count() as u32;
    data.params.iter().all(|&p| uses[p.index()] == here(p)).then_some(target)
}

fn count_uses(proc: &Procedure) -> Vec<u32> {
    let mut uses = vec![0u32; proc.values.len()];
    for &block in &proc.layout {
        let mut count = |v: Value| uses[v.index()] += 1;
        proc.blocks[block].insts.iter().for_each(|&i| proc.insts[i].data.for_each_arg(&mut count));
        proc.blocks[block].term.for_each_arg(&mut count);
    }
    uses
}

fn thread_empty_blocks(proc: &mut Procedure) {
    let uses = count_uses(proc);
    // Where an empty block leads in the end, in terms of its own parameters.
    let mut ends: SecondaryMap<Block, Option<BlockCall>> = SecondaryMap::with_capacity(proc.blocks.len());
    let mut on_path = vec![false; proc.blocks.len()];
    let mut any = false;
    for n in 0..proc.layout.len() {
        let mut path = Vec::new();
        let mut at = proc.layout[n];
        while let Some(next) = forwards(proc, &uses, at) {
            // A cycle is cut where the path comes back to itself: that block stays.
            if ends[at].is_some() || std::mem::replace(&mut on_path[at.index()], true) {
                break;
            }
            path.push(at);
            at = next.block;
        }
        for &block in &path {
            on_path[block.index()] = false;
        }
        for block in path.into_iter().rev().filter(|&b| b != at) {
            let Terminator::Jump(next) = &proc.blocks[block].term else { continue };
            let end = through(proc, next, &ends).unwrap_or_else(|| next.clone());
            ends[block] = Some(end);
            any = true;
        }
    }
    if !any {
        return;
    }
    for n in 0..proc.layout.len() {
        let block = proc.layout[n];
        let mut term = std::mem::replace(&mut proc.blocks[block].term, Terminator::Stop);
        for target in term.targets_mut() {
            if let Some(end) = through(proc, target, &ends) {
                *target = end;
            }
        }
        proc.blocks[block].term = term;
    }
}

/// The edge, led through the empty block it goes to.
fn through(proc: &Procedure, call: &BlockCall, ends: &SecondaryMap<Block, Option<BlockCall>>) -> Option<BlockCall> {
    let end = ends[call.block].as_ref()?;
    let pass = |&v: &Value| match proc.values[v].def {
        ValueDef::Param(block, index) if block == call.block => call.args[index as usize],
        ValueDef::Param(..) | ValueDef::Result(..) => v,
    };
    Some(BlockCall::new(end.block, end.args.iter().map(pass).collect()))
}

/// Turns branches with one target into jumps.
fn join_branches(proc: &mut Procedure) -> bool {
    let mut any = false;
    for n in 0..proc.layout.len() {
        let block = proc.layout[n];
        let target = match &proc.blocks[block].term {
            Terminator::Branch { cond, then, other } if then.block == other.block => {
                let (cond, then, other) = (*cond, then.clone(), other.clone());
                let origin = proc.blocks[block].term_origin;
                let choose = |(&a, &b): (&Value, &Value)| match a == b {
                    true => a,
                    false => proc.ite(block, cond, a, b, origin),
                };
                BlockCall::new(then.block, then.args.iter().zip(&other.args).map(choose).collect())
            }
            Terminator::Switch { cases, default, .. } if cases.iter().all(|(_, t)| t == default) => default.clone(),
            _ => continue,
        };
        proc.blocks[block].term = Terminator::Jump(target);
        any = true;
    }
    any
}

/// Appends each block that is only jumped to from one place to its predecessor.
fn merge_chains(proc: &mut Procedure) {
    let mut edges = vec![0u32; proc.blocks.len()];
    for &block in &proc.layout {
        proc.successors(block).for_each(|t| edges[t.block.index()] += 1);
    }
    let mut aliases = Aliases::default();
    let mut gone = vec![false; proc.blocks.len()];
    for n in 0..proc.layout.len() {
        let block = proc.layout[n];
        if gone[block.index()] {
            continue;
        }
        while let Terminator::Jump(target) = &proc.blocks[block].term {
            let next = target.block;
            if edges[next.index()] != 1 || next == proc.entry || next == block {
                break;
            }
            let args = target.args.clone();
            let data = std::mem::replace(&mut proc.blocks[next], BlockData::empty(proc.origin));
            gone[next.index()] = true;
            for (&param, arg) in data.params.iter().zip(args) {
                aliases.set(param, arg);
            }
            proc.blocks[block].insts.extend(data.insts);
            proc.set_term(block, data.term, data.term_origin);
        }
    }
    proc.layout.retain(|b| !gone[b.index()]);
    aliases.apply(proc);
}
