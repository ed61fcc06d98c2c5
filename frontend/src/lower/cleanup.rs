//! Tidies a finished procedure: jumps through empty blocks go straight to their end, blocks nothing reaches leave
//! the layout, and a block with one way in that ends the block before it joins it. All linear.

use syncline_ir::{Block, Procedure, Terminator};

pub(super) fn run(proc: &mut Procedure) {
    thread(proc);
    prune(proc);
    merge(proc);
}

/// Redirects edges to blocks that only jump on. A cycle of such blocks keeps one edge into itself.
fn thread(proc: &mut Procedure) {
    let mut end: Vec<Option<Block>> = vec![None; proc.blocks.len()];
    for index in 0..proc.blocks.len() {
        let mut chain = Vec::new();
        let mut block = Block::from_u32(index as u32);
        let target = loop {
            if let Some(known) = end[block.as_u32() as usize] {
                break known;
            }
            // Marks the chain, so that walking into it again ends here.
            end[block.as_u32() as usize] = Some(block);
            match forward(proc, block) {
                Some(next) => chain.push(std::mem::replace(&mut block, next)),
                None => break block,
            }
        };
        for passed in chain {
            end[passed.as_u32() as usize] = Some(target);
        }
    }
    for data in proc.blocks.values_mut() {
        for call in data.term.targets_mut().filter(|c| c.args.is_empty()) {
            if let Some(target) = end[call.block.as_u32() as usize] {
                call.block = target;
            }
        }
        if let Terminator::Branch { then, other, .. } = &data.term {
            if then == other {
                data.term = Terminator::Jump(then.clone());
            }
        }
    }
}

/// The block that jumps to this one will lead to.
pub(super) fn end_of(proc: &Procedure, block: Block) -> Block {
    let mut at = block;
    // A chain longer than there are blocks is a cycle.
    for _ in 0..proc.blocks.len() {
        let Some(next) = forward(proc, at) else { break };
        at = next;
    }
    at
}

/// Where an empty block goes on.
fn forward(proc: &Procedure, block: Block) -> Option<Block> {
    let data = &proc.blocks[block];
    match &data.term {
        Terminator::Jump(call)
            if data.params.is_empty() && data.insts.is_empty() && call.args.is_empty() && block != proc.entry =>
        {
            Some(call.block)
        }
        _ => None,
    }
}

/// Keeps the reachable blocks, in their order.
fn prune(proc: &mut Procedure) {
    let mut reached = vec![false; proc.blocks.len()];
    let mut work = vec![proc.entry];
    reached[proc.entry.as_u32() as usize] = true;
    while let Some(block) = work.pop() {
        for call in proc.successors(block) {
            let seen = &mut reached[call.block.as_u32() as usize];
            if !std::mem::replace(seen, true) {
                work.push(call.block);
            }
        }
    }
    proc.layout.retain(|b| reached[b.as_u32() as usize]);
}

/// Joins a block that ends in a jump with its successor, if that has no other way in and no parameters.
fn merge(proc: &mut Procedure) {
    let mut ways_in = vec![0u32; proc.blocks.len()];
    ways_in[proc.entry.as_u32() as usize] = 1;
    for &block in &proc.layout {
        for call in proc.blocks[block].term.targets() {
            ways_in[call.block.as_u32() as usize] += 1;
        }
    }
    let mut gone = vec![false; proc.blocks.len()];
    for position in 0..proc.layout.len() {
        let block = proc.layout[position];
        if gone[block.as_u32() as usize] {
            continue;
        }
        while let Terminator::Jump(call) = &proc.blocks[block].term {
            let next = call.block;
            let joins = next != block
                && next != proc.entry
                && ways_in[next.as_u32() as usize] == 1
                && proc.blocks[next].params.is_empty();
            if !joins {
                break;
            }
            let taken = std::mem::take(&mut proc.blocks[next].insts);
            let term = std::mem::replace(&mut proc.blocks[next].term, Terminator::Stop);
            let origin = proc.blocks[next].term_origin;
            proc.blocks[block].insts.extend(taken);
            proc.set_term(block, term, origin);
            gone[next.as_u32() as usize] = true;
        }
    }
    proc.layout.retain(|b| !gone[b.as_u32() as usize]);
}
