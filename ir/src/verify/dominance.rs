//! Dominators of one procedure, after T. Lengauer and R. E. Tarjan, "A fast algorithm for finding dominators in a
//! flowgraph" (1979), the simple version with path compression: `m log n` on every graph, where iterative algorithms
//! go quadratic on ladders and irreducible loops. All walks have explicit stacks.

use crate::entities::Block;
use crate::inst::Terminator;
use crate::program::Procedure;

const NONE: u32 = u32::MAX;

/// Which blocks are reachable, and which dominate which.
pub(super) struct Dominators {
    /// Depth-first number of each block, [`NONE`] if unreachable.
    number: Vec<u32>,
    /// By depth-first number: place in a preorder of the dominator tree, and size of the subtree.
    order: Vec<(u32, u32)>,
}

impl Dominators {
    /// `listed` says which blocks count as blocks; jumps to others are ignored.
    pub fn new(procedure: &Procedure, listed: &[bool]) -> Dominators {
        let mut search = Search::new(procedure, listed);
        let idom = search.dominators();
        Dominators { number: search.number, order: preorder(&idom) }
    }

    pub fn reachable(&self, block: Block) -> bool {
        self.number.get(block.as_u32() as usize).is_some_and(|&n| n != NONE)
    }

    /// Whether every path from the entry to `b` passes `a`. Both are reachable.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        let place = |block: Block| self.order[self.number[block.as_u32() as usize] as usize];
        let ((start, size), (place, _)) = (place(a), place(b));
        start <= place && place < start + size
    }
}

/// A parent has a smaller depth-first number than its children, so two sweeps do for a walk of the tree.
fn preorder(idom: &[u32]) -> Vec<(u32, u32)> {
    let mut size = vec![1u32; idom.len()];
    for n in (1..idom.len()).rev() {
        size[idom[n] as usize] += size[n];
    }
    let mut order = vec![(0, 0); idom.len()];
    let mut next = vec![1u32; idom.len()];
    for n in 0..idom.len() {
        let mut start = 0;
        if n > 0 {
            start = next[idom[n] as usize];
            next[idom[n] as usize] += size[n];
        }
        next[n] = start + 1;
        order[n] = (start, size[n]);
    }
    order
}

/// The tables of the paper, indexed by depth-first number.
struct Search {
    number: Vec<u32>,
    parent: Vec<u32>,
    /// Edges `(from, to)` by depth-first number, then the predecessors of `n` at `first[n]..first[n + 1]`.
    first: Vec<u32>,
    preds: Vec<u32>,
    semi: Vec<u32>,
    ancestor: Vec<u32>,
    label: Vec<u32>,
}

impl Search {
    fn new(procedure: &Procedure, listed: &[bool]) -> Search {
        let mut number = vec![NONE; procedure.blocks.len()];
        let mut vertex = Vec::new();
        let mut parent = Vec::new();
        let is_listed = |block: Block| listed.get(block.as_u32() as usize).copied().unwrap_or(false);
        // A step ends an activation as far as values are concerned: its target is entered from outside, as the entry is.
        let ends = |block: Block| matches!(procedure.blocks[block].term, Terminator::Step(_));
        let blocks = procedure.blocks.keys().filter(|&b| is_listed(b) && ends(b));
        let steps: Vec<Block> = blocks.flat_map(|b| procedure.successors(b).map(|to| to.block)).collect();
        let successors = |block: Option<Block>| -> Vec<Block> {
            match block {
                None => steps.iter().copied().filter(|&b| is_listed(b)).chain([procedure.entry]).collect(),
                Some(block) if ends(block) => Vec::new(),
                Some(block) => procedure.successors(block).map(|to| to.block).filter(|&b| is_listed(b)).collect(),
            }
        };
        // Number 0 is the outside. A block may be pushed once an edge; it is numbered when first popped, which gives a
        // depth-first tree.
        vertex.push(None);
        parent.push(0);
        let mut stack: Vec<(Block, u32)> = successors(None).into_iter().map(|b| (b, 0)).collect();
        while let Some((block, from)) = stack.pop() {
            let place = block.as_u32() as usize;
            if number[place] != NONE {
                continue;
            }
            let n = vertex.len() as u32;
            number[place] = n;
            vertex.push(Some(block));
            parent.push(from);
            stack.extend(successors(Some(block)).into_iter().map(|b| (b, n)));
        }
        let mut first = vec![0u32; vertex.len() + 1];
        let mut edges = Vec::new();
        for (n, &block) in (0u32..).zip(&vertex) {
            for to in successors(block) {
                let to = number[to.as_u32() as usize];
                edges.push((n, to));
                first[to as usize + 1] += 1;
            }
        }
        for n in 0..vertex.len() {
            first[n + 1] += first[n];
        }
        let mut fill = first.clone();
        let mut preds = vec![0; edges.len()];
        for (from, to) in edges {
            preds[fill[to as usize] as usize] = from;
            fill[to as usize] += 1;
        }
        let identity: Vec<u32> = (0..vertex.len() as u32).collect();
        let ancestor = vec![NONE; vertex.len()];
        Search { number, parent, first, preds, semi: identity.clone(), ancestor, label: identity }
    }

    /// The immediate dominator of each block by depth-first number; 0 for the entry.
    fn dominators(&mut self) -> Vec<u32> {
        let count = self.parent.len();
        let mut idom = vec![0u32; count];
        // Buckets as linked lists.
        let mut bucket = vec![NONE; count];
        let mut next = vec![NONE; count];
        for w in (1..count).rev() {
            for edge in self.first[w]..self.first[w + 1] {
                let best = self.eval(self.preds[edge as usize]);
                self.semi[w] = self.semi[w].min(self.semi[best as usize]);
            }
            let semi = self.semi[w] as usize;
            next[w] = bucket[semi];
            bucket[semi] = w as u32;
            let parent = self.parent[w];
            self.ancestor[w] = parent;
            let mut v = std::mem::replace(&mut bucket[parent as usize], NONE);
            while v != NONE {
                let best = self.eval(v);
                idom[v as usize] = if self.semi[best as usize] < self.semi[v as usize] { best } else { parent };
                v = next[v as usize];
            }
        }
        for w in 1..count {
            if idom[w] != self.semi[w] {
                idom[w] = idom[idom[w] as usize];
            }
        }
        idom
    }

    /// The vertex of least semidominator on the path to the root of the forest; compresses the path.
    fn eval(&mut self, v: u32) -> u32 {
        let mut path = Vec::new();
        let mut top = v;
        while self.ancestor[top as usize] != NONE {
            path.push(top);
            top = self.ancestor[top as usize];
        }
        // The child of the root keeps its label and its ancestor; those below take over what lies above them.
        for pair in (1..path.len()).rev() {
            let (above, below) = (path[pair] as usize, path[pair - 1] as usize);
            if self.semi[self.label[above] as usize] < self.semi[self.label[below] as usize] {
                self.label[below] = self.label[above];
            }
            self.ancestor[below] = top;
        }
        self.label[v as usize]
    }
}
