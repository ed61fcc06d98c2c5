//! Loops as nested strongly connected components (Bourdoncle's weak topological order, Steensgaard's loops): each
//! component of more than a lone block has a header; without the edges into the header its other blocks fall apart
//! into smaller components, and so on. Irreducible control flow needs no special case.
//!
//! The header is the block of the component that comes first in reverse postorder: some edge from outside leads to
//! it, and where one block dominates the component, it is that one. A reducible program thus gets its natural loops.
//! Time is edges times nesting depth.

use super::Cfg;
use crate::entities::Block;
use crate::program::Procedure;
use cranelift_entity::{entity_impl, EntityRef, PrimaryMap, SecondaryMap};

/// A loop of one procedure.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LoopId(u32);
entity_impl!(LoopId, "loop");

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Component {
    Block(Block),
    Loop(LoopId),
}

#[derive(Clone, Debug)]
pub struct Loop {
    pub header: Block,
    pub parent: Option<LoopId>,
    /// 0 for an outermost loop.
    pub depth: u32,
    /// In topological order, the header first. The order ignores the edges to the headers of the loops it is in.
    pub body: Vec<Component>,
}

#[derive(Clone, Debug)]
pub struct LoopNest {
    /// The reachable blocks, in topological order.
    pub top: Vec<Component>,
    /// A loop stands after its parent.
    pub loops: PrimaryMap<LoopId, Loop>,
    pub innermost: SecondaryMap<Block, Option<LoopId>>,
}

impl LoopNest {
    pub fn compute(proc: &Procedure) -> LoopNest {
        LoopNest::of(&Cfg::compute(proc))
    }

    pub fn of(cfg: &Cfg) -> LoopNest {
        let mut nest = LoopNest { top: Vec::new(), loops: PrimaryMap::new(), innermost: SecondaryMap::new() };
        let mut tarjan = Tarjan::new(cfg);
        let (top, mut work) = nest.split(&mut tarjan, None, cfg.rpo().to_vec());
        nest.top = top;
        while let Some((id, blocks)) = work.pop() {
            let header = nest.loops[id].header;
            nest.innermost[header] = Some(id);
            let rest = blocks.into_iter().filter(|&b| b != header).collect();
            let (body, inner) = nest.split(&mut tarjan, Some(id), rest);
            nest.loops[id].body.extend(body);
            work.extend(inner);
        }
        nest
    }

    /// Cuts the blocks of `parent` (without its header) into components, and makes a loop of each that has a cycle;
    /// their bodies hold the header only, and are returned with their blocks to be cut in turn.
    fn split(
        &mut self,
        tarjan: &mut Tarjan<'_>,
        parent: Option<LoopId>,
        blocks: Vec<Block>,
    ) -> (Vec<Component>, Vec<(LoopId, Vec<Block>)>) {
        let mut order = Vec::new();
        let mut work = Vec::new();
        let depth = parent.map_or(0, |p| self.loops[p].depth + 1);
        for mut component in tarjan.components(&blocks) {
            let block = component[0];
            if component.len() == 1 && !tarjan.cfg.succs(block).contains(&block) {
                self.innermost[block] = parent;
                order.push(Component::Block(block));
                continue;
            }
            component.sort_unstable_by_key(|&b| tarjan.cfg.rpo_index(b));
            let header = component[0];
            let id = self.loops.push(Loop { header, parent, depth, body: vec![Component::Block(header)] });
            order.push(Component::Loop(id));
            work.push((id, component));
        }
        (order, work)
    }

    /// Whether the block lies in the loop, at any depth.
    pub fn contains(&self, l: LoopId, b: Block) -> bool {
        self.encloses(l, self.innermost[b])
    }

    /// Whether `inner` is `outer` or lies in it.
    pub fn encloses(&self, outer: LoopId, inner: Option<LoopId>) -> bool {
        let depth = self.loops[outer].depth;
        self.chain(inner).take_while(|&l| self.loops[l].depth >= depth).any(|l| l == outer)
    }

    /// The loop and those around it, from the inside out.
    pub fn chain(&self, innermost: Option<LoopId>) -> impl Iterator<Item = LoopId> + '_ {
        std::iter::successors(innermost, |&l| self.loops[l].parent)
    }

    /// Whether what is defined at `def` may be used at `use_` in loop-closed form: no loop around `def` was left.
    pub fn may_use(&self, def: Block, use_: Block) -> bool {
        self.innermost[def].is_none_or(|l| self.contains(l, use_))
    }
}

/// Blocks that cut every cycle.
pub fn cut_points(nest: &LoopNest) -> Vec<Block> {
    nest.loops.values().map(|l| l.header).collect()
}

/// Strongly connected components of induced subgraphs.
struct Tarjan<'a> {
    cfg: &'a Cfg,
    /// The call of `components` a block takes part in.
    round: Vec<u32>,
    current: u32,
    /// 0 when not visited, `DONE` when its component is complete.
    low: Vec<u32>,
}

const DONE: u32 = u32::MAX;

impl<'a> Tarjan<'a> {
    fn new(cfg: &'a Cfg) -> Tarjan<'a> {
        let len = cfg.table_len();
        Tarjan { cfg, round: vec![0; len], current: 0, low: vec![0; len] }
    }

    /// In topological order. `blocks` must be in reverse postorder; where edges leave a choice, so is the result.
    fn components(&mut self, blocks: &[Block]) -> Vec<Vec<Block>> {
        self.current += 1;
        for &b in blocks {
            self.round[b.index()] = self.current;
            self.low[b.index()] = 0;
        }
        let mut result = Vec::new();
        let mut counter = 0;
        let mut open = Vec::new();
        for &root in blocks.iter().rev() {
            if self.low[root.index()] == 0 {
                self.visit(root, &mut counter, &mut open, &mut result);
            }
        }
        result.reverse();
        result
    }

    fn visit(&mut self, root: Block, counter: &mut u32, open: &mut Vec<Block>, result: &mut Vec<Vec<Block>>) {
        // Block, its number, its next edge.
        let mut stack: Vec<(Block, u32, usize)> = Vec::new();
        let mut enter = Some(root);
        loop {
            if let Some(block) = enter.take() {
                *counter += 1;
                self.low[block.index()] = *counter;
                open.push(block);
                stack.push((block, *counter, 0));
            }
            let Some((block, number, edge)) = stack.last_mut() else { return };
            if let Some(&next) = self.cfg.succs(*block).get(*edge) {
                *edge += 1;
                if self.round[next.index()] != self.current {
                    continue;
                }
                match self.low[next.index()] {
                    0 => enter = Some(next),
                    DONE => {}
                    low => self.low[block.index()] = self.low[block.index()].min(low),
                }
                continue;
            }
            let (block, number) = (*block, *number);
            stack.pop();
            let low = self.low[block.index()];
            if let Some((parent, _, _)) = stack.last() {
                self.low[parent.index()] = self.low[parent.index()].min(low);
            }
            if low == number {
                let at = open.iter().rposition(|&b| b == block).unwrap_or(0);
                let component = open.split_off(at);
                component.iter().for_each(|b| self.low[b.index()] = DONE);
                result.push(component);
            }
        }
    }
}
