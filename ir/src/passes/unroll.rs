//! Bounded unrolling: every loop of the nest becomes `bound + 1` copies of its body, each entered from the one before
//! by what were the edges to the header. Where the bound is used up the run is cut. Nested loops multiply, so the
//! result has up to `(bound + 1)^depth` copies of a block. Recursion is left alone.
//!
//! With `Cut::Stop` the result has fewer runs than the program (an under-approximation: a violation found is real, its
//! absence proves nothing about longer runs). With `Cut::Unsupported` a run past the bound meets an obligation, so the
//! absence of violations *and* of that proves the program.
//!
//! The pass brings the program into loop-closed form first: what a copy computes is then used in that copy or handed
//! on through parameters, and nothing outside has to choose between copies.

use super::close_loops::close_loops;
use super::edit::remove_unreachable_blocks;
use crate::analysis::{LoopId, LoopNest};
use crate::entities::{Block, Obligation, Origin, Value};
use crate::inst::{InstData, Terminator};
use crate::program::{ObligationData, Procedure, Program, ValueData, ValueDef};
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;

/// What happens to a run that goes around a loop once more than the bound allows.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Cut {
    /// It stops and violates nothing.
    Stop,
    /// It meets an obligation that says so.
    Unsupported,
}

/// Unrolls every loop to `bound` traversals of its back edges per entry.
pub fn unroll(program: &mut Program, bound: u32, cut: Cut) {
    close_loops(program);
    let Program { procs, obligations, .. } = program;
    for proc in procs.values_mut() {
        let nest = LoopNest::compute(proc);
        if nest.loops.is_empty() {
            continue;
        }
        let obligation = (cut == Cut::Unsupported).then(|| {
            let reason = format!("loops of {} are unrolled {bound} times only", proc.name);
            obligations.push(ObligationData { reason, origin: proc.origin })
        });
        let cut_block = make_cut(proc, obligation, proc.origin);
        unroll_loops(proc, &nest, bound, cut_block);
        remove_unreachable_blocks(proc);
    }
}

fn make_cut(proc: &mut Procedure, obligation: Option<Obligation>, origin: Origin) -> Block {
    let block = proc.add_block(origin);
    if let Some(obligation) = obligation {
        proc.append(block, InstData::Unsupported { obligation }, &[], origin);
    }
    block
}

fn unroll_loops(proc: &mut Procedure, nest: &LoopNest, bound: u32, cut: Block) {
    let mut members: SecondaryMap<LoopId, Vec<Block>> = SecondaryMap::new();
    for &block in &proc.layout {
        if let Some(l) = nest.innermost[block] {
            members[l].push(block);
        }
    }
    // Inner loops come after outer ones.
    for l in nest.loops.keys().rev() {
        let mut blocks = std::mem::take(&mut members[l]);
        unroll_one(proc, nest.loops[l].header, &mut blocks, bound, cut);
        if let Some(parent) = nest.loops[l].parent {
            members[parent].append(&mut blocks);
        }
    }
}

/// Unrolls a loop that has no other loops in it any more; `blocks` gets the copies.
fn unroll_one(proc: &mut Procedure, header: Block, blocks: &mut Vec<Block>, bound: u32, cut: Block) {
    let originals = blocks.clone();
    let copies: Vec<FxHashMap<Block, Block>> = (0..bound).map(|_| copy_blocks(proc, &originals)).collect();
    blocks.extend(copies.iter().flat_map(|copy| originals.iter().map(|b| copy[b])));
    for n in 0..=copies.len() {
        let next = copies.get(n).map(|copy| copy[&header]);
        for &original in &originals {
            let block = if n == 0 { original } else { copies[n - 1][&original] };
            for target in proc.blocks[block].term.targets_mut() {
                if target.block == header {
                    target.block = next.unwrap_or(cut);
                    if next.is_none() {
                        target.args.clear();
                    }
                } else if n > 0 {
                    target.block = copies[n - 1].get(&target.block).copied().unwrap_or(target.block);
                }
            }
        }
    }
}

/// Copies the blocks with new values; the copies' edges lead where the originals' do.
fn copy_blocks(proc: &mut Procedure, originals: &[Block]) -> FxHashMap<Block, Block> {
    let mut blocks: FxHashMap<Block, Block> = FxHashMap::default();
    let mut values: FxHashMap<Value, Value> = FxHashMap::default();
    for &original in originals {
        let origin = proc.blocks[original].term_origin;
        let copy = proc.add_block(origin);
        blocks.insert(original, copy);
        for param in proc.blocks[original].params.clone() {
            let ty = proc.value_type(param);
            values.insert(param, proc.add_param(copy, ty));
        }
        for inst in proc.blocks[original].insts.clone() {
            let mut node = proc.insts[inst].clone();
            let new = proc.insts.next_key();
            for (index, result) in (0..).zip(&mut node.results) {
                let ty = proc.values[*result].ty;
                let value = proc.values.push(ValueData { ty, def: ValueDef::Result(new, index) });
                values.insert(std::mem::replace(result, value), value);
            }
            proc.insts.push(node);
            proc.blocks[copy].insts.push(new);
        }
        let term: Terminator = proc.blocks[original].term.clone();
        proc.blocks[copy].term = term;
    }
    for copy in blocks.values() {
        let map = |v: Value| values.get(&v).copied().unwrap_or(v);
        let data = &mut proc.blocks[*copy];
        data.term.map_args(map);
        data.insts.iter().for_each(|&inst| proc.insts[inst].data.map_args(map));
    }
    blocks
}
