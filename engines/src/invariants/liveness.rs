//! Which parts of the state are read again: facts about the others are of no use, and states without them are small.
//!
//! Rows of bits, one per block, solved backwards. An array is kept alive by a `load`, and a `store` does not end it.

use super::tables::Nodes;
use syncline_ir::analysis::Cfg;
use syncline_ir::{Block, InstData, Procedure};

pub(super) struct Liveness {
    words: usize,
    /// Live at the start of a block, its parameters not counted.
    live_in: Vec<u64>,
    /// Defined or written in a block, its parameters included.
    defined: Vec<u64>,
}

fn set(row: &mut [u64], node: u32) {
    row[node as usize / 64] |= 1 << (node % 64);
}

fn has(row: &[u64], node: u32) -> bool {
    row[node as usize / 64] >> (node % 64) & 1 != 0
}

fn bits(words: impl Iterator<Item = u64>, out: &mut Vec<u32>) {
    for (n, mut word) in words.enumerate() {
        while word != 0 {
            out.push(n as u32 * 64 + word.trailing_zeros());
            word &= word - 1;
        }
    }
}

impl Liveness {
    pub fn compute(body: &Procedure, cfg: &Cfg, nodes: &Nodes) -> Liveness {
        let words = (nodes.shared() as usize).div_ceil(64);
        let len = words * cfg.table_len();
        let mut result = Liveness { words, live_in: vec![0; len], defined: vec![0; len] };
        let mut killed = vec![0; len];
        for &block in cfg.rpo() {
            result.scan(body, nodes, block, &mut killed);
        }
        let used = result.live_in.clone();
        let mut row = vec![0u64; words];
        loop {
            let mut changed = false;
            for &block in cfg.rpo().iter().rev() {
                row.fill(0);
                for &succ in cfg.succs(block) {
                    row.iter_mut().zip(&result.live_in[result.range(succ)]).for_each(|(r, l)| *r |= l);
                }
                let range = result.range(block);
                for (n, i) in range.enumerate() {
                    let live = used[i] | (row[n] & !killed[i]);
                    changed |= live != result.live_in[i];
                    result.live_in[i] = live;
                }
            }
            if !changed {
                return result;
            }
        }
    }

    fn range(&self, block: Block) -> std::ops::Range<usize> {
        let start = block.as_u32() as usize * self.words;
        start..start + self.words
    }

    /// Fills in what the block itself uses, defines and overwrites.
    fn scan(&mut self, body: &Procedure, nodes: &Nodes, block: Block, killed: &mut [u64]) {
        let range = self.range(block);
        let (used, defined) = (&mut self.live_in[range.clone()], &mut self.defined[range.clone()]);
        let killed = &mut killed[range];
        let data = &body.blocks[block];
        for &param in &data.params {
            if let Some(node) = nodes.shared_value(param) {
                set(defined, node);
                set(killed, node);
            }
        }
        for &inst in &data.insts {
            let inst = &body.insts[inst];
            inst.data.for_each_arg(|v| {
                nodes.shared_value(v).filter(|&n| !has(killed, n)).iter().for_each(|&n| set(used, n))
            });
            match &inst.data {
                InstData::Read { place } | InstData::Load { place, .. } => {
                    let node = nodes.place(*place);
                    if !has(killed, node) {
                        set(used, node);
                    }
                }
                InstData::Write { place, .. } => {
                    set(defined, nodes.place(*place));
                    set(killed, nodes.place(*place));
                }
                InstData::Store { place, .. } => set(defined, nodes.place(*place)),
                InstData::Const(_)
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
            for node in inst.results.iter().filter_map(|&r| nodes.shared_value(r)) {
                set(defined, node);
                set(killed, node);
            }
        }
        data.term
            .for_each_arg(|v| nodes.shared_value(v).filter(|&n| !has(killed, n)).iter().for_each(|&n| set(used, n)));
    }

    /// The nodes alive at the start of the block.
    pub fn at(&self, block: Block) -> Vec<u32> {
        let mut out = Vec::new();
        bits(self.live_in[self.range(block)].iter().copied(), &mut out);
        out
    }

    /// What may be known at the end of `from` and is dead at the start of `to`. Parameters of `to` are for the caller
    /// to except.
    pub fn dying(&self, from: Block, to: Block) -> Vec<u32> {
        let mut out = Vec::new();
        let (a, b) = (self.range(from), self.range(to));
        let before = self.live_in[a.clone()].iter().zip(&self.defined[a]);
        bits(before.zip(&self.live_in[b]).map(|((l, d), t)| (l | d) & !t), &mut out);
        out
    }

    /// What is dead at the start of the block, of all there is.
    pub fn dead_at(&self, block: Block, count: u32) -> Vec<u32> {
        let row = &self.live_in[self.range(block)];
        (0..count).filter(|&n| !has(row, n)).collect()
    }
}
