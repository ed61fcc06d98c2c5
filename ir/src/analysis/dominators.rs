//! Dominators after Lengauer and Tarjan (the simple variant with path compression, O(m log n) on any graph; the
//! iterative algorithm of Cooper, Harvey and Kennedy is quadratic on a long run of tests that share one exit),
//! dominance frontiers, and iterated frontiers after Sreedhar and Gao, linear in the blocks without ever building the
//! frontiers, which can be quadratic.

use super::{Cfg, Marks};
use crate::entities::Block;
use crate::program::Procedure;
use cranelift_entity::{EntityRef, SecondaryMap};
use std::collections::BinaryHeap;

const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
pub struct Dominators {
    idom: Vec<Option<Block>>,
    children: Vec<Vec<Block>>,
    /// Depth in the dominator tree.
    level: Vec<u32>,
    /// The blocks dominated by a block are those whose number lies in its interval.
    interval: Vec<(u32, u32)>,
    entry: Block,
}

impl Dominators {
    pub fn compute(proc: &Procedure) -> Dominators {
        Dominators::of(proc.entry, &Cfg::compute(proc))
    }

    pub fn of(entry: Block, cfg: &Cfg) -> Dominators {
        let idom = LengauerTarjan::run(entry, cfg);
        let len = cfg.table_len();
        let mut children = vec![Vec::new(); len];
        let mut level = vec![0; len];
        // In reverse postorder a block stands after its dominators.
        for &block in cfg.rpo() {
            if let Some(parent) = idom[block.index()] {
                children[parent.index()].push(block);
                level[block.index()] = level[parent.index()] + 1;
            }
        }
        let interval = intervals(entry, &children);
        Dominators { idom, children, level, interval, entry }
    }

    /// The closest strict dominator; none for the entry and for unreachable blocks.
    pub fn idom(&self, block: Block) -> Option<Block> {
        self.idom[block.index()]
    }

    /// The blocks this one immediately dominates, in reverse postorder.
    pub fn children(&self, block: Block) -> &[Block] {
        &self.children[block.index()]
    }

    pub fn level(&self, block: Block) -> u32 {
        self.level[block.index()]
    }

    /// Whether every path to `b` leads through `a`. False if either is unreachable.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        let (first, last) = self.interval[a.index()];
        let (at, _) = self.interval[b.index()];
        at != NONE && first != NONE && first <= at && at < last
    }

    pub fn is_reachable(&self, block: Block) -> bool {
        block == self.entry || self.idom[block.index()].is_some()
    }

    /// For each block, the blocks where its dominance ends, without duplicates.
    pub fn frontiers(&self, cfg: &Cfg) -> SecondaryMap<Block, Vec<Block>> {
        let mut frontiers: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        for &join in cfg.rpo() {
            for &pred in cfg.preds(join) {
                let mut runner = Some(pred);
                while let Some(block) = runner.filter(|&r| Some(r) != self.idom(join)) {
                    // The joins come one after another, so a duplicate can only be the last entry.
                    if frontiers[block].last() == Some(&join) {
                        break;
                    }
                    frontiers[block].push(join);
                    runner = self.idom(block);
                }
            }
        }
        frontiers
    }
}

fn intervals(entry: Block, children: &[Vec<Block>]) -> Vec<(u32, u32)> {
    let mut interval = vec![(NONE, NONE); children.len()];
    let mut next = 0;
    let mut stack = vec![(entry, 0)];
    interval[entry.index()].0 = next;
    while let Some((block, at)) = stack.last_mut() {
        if let Some(&child) = children[block.index()].get(*at) {
            *at += 1;
            next += 1;
            interval[child.index()].0 = next;
            stack.push((child, 0));
        } else {
            interval[block.index()].1 = next + 1;
            stack.pop();
        }
    }
    interval
}

/// All vectors but `number` are indexed by preorder number.
struct LengauerTarjan {
    number: Vec<u32>,
    vertex: Vec<Block>,
    parent: Vec<u32>,
    semi: Vec<u32>,
    label: Vec<u32>,
    ancestor: Vec<u32>,
}

impl LengauerTarjan {
    fn run(entry: Block, cfg: &Cfg) -> Vec<Option<Block>> {
        let mut lt = LengauerTarjan::search(entry, cfg);
        let n = lt.vertex.len();
        let mut idom = vec![0u32; n];
        let mut bucket: Vec<Vec<u32>> = vec![Vec::new(); n];
        for w in (1..n as u32).rev() {
            for pred in cfg.preds(lt.vertex[w as usize]) {
                let u = lt.eval(lt.number[pred.index()]);
                lt.semi[w as usize] = lt.semi[w as usize].min(lt.semi[u as usize]);
            }
            bucket[lt.semi[w as usize] as usize].push(w);
            let parent = lt.parent[w as usize];
            lt.ancestor[w as usize] = parent;
            for v in std::mem::take(&mut bucket[parent as usize]) {
                let u = lt.eval(v);
                idom[v as usize] = if lt.semi[u as usize] < lt.semi[v as usize] { u } else { parent };
            }
        }
        let mut result = vec![None; cfg.table_len()];
        for w in 1..n {
            if idom[w] != lt.semi[w] {
                idom[w] = idom[idom[w] as usize];
            }
            result[lt.vertex[w].index()] = Some(lt.vertex[idom[w] as usize]);
        }
        result
    }

    fn search(entry: Block, cfg: &Cfg) -> LengauerTarjan {
        let mut number = vec![NONE; cfg.table_len()];
        let mut vertex = vec![entry];
        let mut parent = vec![NONE];
        number[entry.index()] = 0;
        let mut stack = vec![(entry, 0usize)];
        while let Some((block, at)) = stack.last_mut() {
            let Some(&next) = cfg.succs(*block).get(*at) else {
                stack.pop();
                continue;
            };
            *at += 1;
            if number[next.index()] == NONE {
                number[next.index()] = vertex.len() as u32;
                parent.push(number[block.index()]);
                vertex.push(next);
                stack.push((next, 0));
            }
        }
        let n = vertex.len() as u32;
        let ancestor = vec![NONE; vertex.len()];
        LengauerTarjan { number, vertex, parent, semi: (0..n).collect(), label: (0..n).collect(), ancestor }
    }

    /// The vertex of least semidominator on the forest path above `v`, compressing the path.
    fn eval(&mut self, v: u32) -> u32 {
        if self.ancestor[v as usize] == NONE {
            return v;
        }
        let mut path = vec![v];
        let mut top = v;
        while self.ancestor[self.ancestor[top as usize] as usize] != NONE {
            top = self.ancestor[top as usize];
            path.push(top);
        }
        path.pop();
        while let Some(x) = path.pop() {
            let above = self.ancestor[x as usize];
            if self.semi[self.label[above as usize] as usize] < self.semi[self.label[x as usize] as usize] {
                self.label[x as usize] = self.label[above as usize];
            }
            self.ancestor[x as usize] = self.ancestor[above as usize];
        }
        self.label[v as usize]
    }
}

/// Iterated dominance frontiers of many sets of blocks, one after another, on shared scratch space.
pub struct IteratedFrontier<'a> {
    cfg: &'a Cfg,
    dom: &'a Dominators,
    queued: Marks<Block>,
    walked: Marks<Block>,
    defs: Marks<Block>,
}

impl<'a> IteratedFrontier<'a> {
    pub fn new(cfg: &'a Cfg, dom: &'a Dominators) -> IteratedFrontier<'a> {
        let marks = || Marks::new(cfg.table_len());
        IteratedFrontier { cfg, dom, queued: marks(), walked: marks(), defs: marks() }
    }

    /// The blocks where a variable defined in `defs` needs a parameter, among those where it is live on entry.
    pub fn solve(&mut self, defs: &[Block], live_in: impl Fn(Block) -> bool) -> Vec<Block> {
        self.queued.clear();
        self.walked.clear();
        self.defs.clear();
        let mut queue: BinaryHeap<(u32, Block)> = BinaryHeap::new();
        for &def in defs {
            if self.defs.insert(def) {
                queue.push((self.dom.level(def), def));
            }
        }
        let mut result = Vec::new();
        let mut stack = Vec::new();
        // Deepest first: what is below a walked block has been seen at a level that made it a frontier already.
        while let Some((root_level, root)) = queue.pop() {
            self.walked.insert(root);
            stack.push(root);
            while let Some(block) = stack.pop() {
                for &succ in self.cfg.succs(block) {
                    if self.dom.level(succ) > root_level || !self.queued.insert(succ) || !live_in(succ) {
                        continue;
                    }
                    result.push(succ);
                    if !self.defs.contains(succ) {
                        queue.push((self.dom.level(succ), succ));
                    }
                }
                stack.extend(self.dom.children(block).iter().copied().filter(|&c| self.walked.insert(c)));
            }
        }
        result
    }
}
