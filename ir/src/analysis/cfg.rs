//! Predecessors, successors and the reverse postorder of the blocks that are reachable from the entry.
//!
//! Both tables list one entry per edge: a branch whose two targets are one block gives two. Blocks that cannot be
//! reached have neither successors nor predecessors here.

use crate::entities::Block;
use crate::program::Procedure;
use cranelift_entity::EntityRef;

const UNREACHABLE: u32 = u32::MAX;

#[derive(Clone, Debug)]
pub struct Cfg {
    succs: Adjacency,
    preds: Adjacency,
    rpo: Vec<Block>,
    rpo_index: Vec<u32>,
}

/// Lists of blocks, one per block, in one allocation.
#[derive(Clone, Debug)]
struct Adjacency {
    start: Vec<u32>,
    list: Vec<Block>,
}

impl Adjacency {
    fn new(blocks: usize, edges: &[(Block, Block)]) -> Adjacency {
        let mut start = vec![0u32; blocks + 1];
        for (from, _) in edges {
            start[from.index() + 1] += 1;
        }
        for i in 0..blocks {
            start[i + 1] += start[i];
        }
        let mut next = start.clone();
        let mut list = vec![Block::new(0); edges.len()];
        for (from, to) in edges {
            let at = &mut next[from.index()];
            list[*at as usize] = *to;
            *at += 1;
        }
        Adjacency { start, list }
    }

    fn of(&self, block: Block) -> &[Block] {
        let i = block.index();
        &self.list[self.start[i] as usize..self.start[i + 1] as usize]
    }
}

impl Cfg {
    pub fn compute(proc: &Procedure) -> Cfg {
        let blocks = proc.blocks.len();
        let rpo = reverse_postorder(proc);
        let mut rpo_index = vec![UNREACHABLE; blocks];
        for (i, block) in rpo.iter().enumerate() {
            rpo_index[block.index()] = i as u32;
        }
        let edges: Vec<(Block, Block)> =
            rpo.iter().flat_map(|&b| proc.successors(b).map(move |t| (b, t.block))).collect();
        let reversed: Vec<(Block, Block)> = edges.iter().map(|&(a, b)| (b, a)).collect();
        Cfg { succs: Adjacency::new(blocks, &edges), preds: Adjacency::new(blocks, &reversed), rpo, rpo_index }
    }

    pub fn succs(&self, block: Block) -> &[Block] {
        self.succs.of(block)
    }

    pub fn preds(&self, block: Block) -> &[Block] {
        self.preds.of(block)
    }

    /// The reachable blocks. Every block stands before its successors, but for edges back into a cycle.
    pub fn rpo(&self) -> &[Block] {
        &self.rpo
    }

    pub fn rpo_index(&self, block: Block) -> Option<usize> {
        Some(self.rpo_index[block.index()]).filter(|&i| i != UNREACHABLE).map(|i| i as usize)
    }

    pub fn is_reachable(&self, block: Block) -> bool {
        self.rpo_index[block.index()] != UNREACHABLE
    }

    /// Size of a table indexed by block.
    pub fn table_len(&self) -> usize {
        self.rpo_index.len()
    }
}

/// Later targets are searched first, so that the first target of a branch comes first in the order.
fn reverse_postorder(proc: &Procedure) -> Vec<Block> {
    let mut seen = vec![false; proc.blocks.len()];
    let mut order = Vec::with_capacity(proc.layout.len());
    let targets = |b: Block| proc.successors(b).map(|t| t.block).collect::<Vec<_>>();
    let mut stack = vec![(proc.entry, targets(proc.entry))];
    seen[proc.entry.index()] = true;
    while let Some((block, rest)) = stack.last_mut() {
        match rest.pop() {
            Some(next) => {
                if !std::mem::replace(&mut seen[next.index()], true) {
                    stack.push((next, targets(next)));
                }
            }
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}
