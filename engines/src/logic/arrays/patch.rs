//! Writes at constant indices, looked up bit by bit.
//!
//! Initialisers and stores to known objects make chains of thousands of writes at constant indices. Compared one by
//! one, a read at an unknown index costs an equality of whole indices for each of them. Here such a chain is a trie over
//! the bits of the index (PATRICIA: Morrison, JACM 1968), and a read is a tree of conditionals over single bits: where
//! bits are skipped they are compared once, equal neighbours fall together, and a range of zeros costs next to nothing.
//!
//! Tries are persistent: a longer chain shares what it does not overwrite, and so do the terms of its reads.

use super::super::term::{Node, Term, TermStore};
use rustc_hash::{FxHashMap, FxHashSet};
use syncline_ir::consts::mask;
use syncline_ir::UnOp;

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
struct NodeId(u32);

#[derive(Copy, Clone)]
enum Trie {
    Cell {
        index: u128,
        value: Term,
    },
    /// Two parts that agree on the bits above `bit` and differ there. `index` is one of theirs.
    Fork {
        bit: u32,
        index: u128,
        low: NodeId,
        high: NodeId,
    },
}

/// What a chain of writes at constant indices does to the array below it.
#[derive(Copy, Clone)]
pub struct Patch {
    pub base: Term,
    root: NodeId,
    /// How many writes it is made of.
    pub writes: u32,
}

/// Neighbouring indices with one value, or where nothing was written.
pub struct Run {
    pub first: u128,
    pub last: u128,
    pub value: Option<Term>,
}

/// The patches of one translation. All values are array-free.
#[derive(Default)]
pub struct Patches {
    nodes: Vec<Trie>,
    /// Forks read so far: with the index and with what is read where nothing was written.
    forks: FxHashMap<(NodeId, Term, Term), Term>,
    /// The first index of each run, in order, of the patches that were asked for runs.
    runs: FxHashMap<NodeId, Vec<(u128, Option<Term>)>>,
}

impl Patches {
    /// A patch with one more write, or the first one on an array.
    pub fn write(&mut self, base: Term, below: Option<Patch>, index: u128, value: Term) -> Patch {
        let (root, writes) = match below {
            None => (self.push(Trie::Cell { index, value }), 0),
            Some(patch) => (self.insert(patch.root, index, value), patch.writes),
        };
        Patch { base, root, writes: writes + 1 }
    }

    fn push(&mut self, node: Trie) -> NodeId {
        self.nodes.push(node);
        NodeId(self.nodes.len() as u32 - 1)
    }

    fn insert(&mut self, at: NodeId, index: u128, value: Term) -> NodeId {
        let node = self.nodes[at.0 as usize];
        let (Trie::Cell { index: other, .. } | Trie::Fork { index: other, .. }) = node;
        let differ = (index ^ other).checked_ilog2();
        match (node, differ) {
            (Trie::Cell { .. }, None) => self.push(Trie::Cell { index, value }),
            (Trie::Fork { bit, index: other, low, high }, differ) if differ.is_none_or(|d| d <= bit) => {
                let (low, high) = match index >> bit & 1 {
                    0 => (self.insert(low, index, value), high),
                    _ => (low, self.insert(high, index, value)),
                };
                self.push(Trie::Fork { bit, index: other, low, high })
            }
            (_, differ) => {
                let bit = differ.unwrap_or(0);
                let cell = self.push(Trie::Cell { index, value });
                let (low, high) = if index >> bit & 1 == 0 { (cell, at) } else { (at, cell) };
                self.push(Trie::Fork { bit, index, low, high })
            }
        }
    }

    /// The value written at a constant index.
    pub fn get(&self, patch: Patch, index: u128) -> Option<Term> {
        let mut at = patch.root;
        loop {
            match self.nodes[at.0 as usize] {
                Trie::Cell { index: i, value } => return (i == index).then_some(value),
                Trie::Fork { bit, low, high, .. } => at = if index >> bit & 1 == 0 { low } else { high },
            }
        }
    }

    /// The run that has the index; `width` is the index's.
    pub fn run(&mut self, patch: Patch, width: u32, index: u128) -> Run {
        let max = mask(width, u128::MAX);
        let nodes = &self.nodes;
        let runs = self.runs.entry(patch.root).or_insert_with(|| runs(nodes, patch.root, max));
        // The first run begins at zero.
        let at = runs.partition_point(|r| r.0 <= index).saturating_sub(1);
        let (first, value) = runs[at];
        Run { first, last: runs.get(at + 1).map_or(max, |next| next.0 - 1), value }
    }

    /// The value at an index, `rest` where nothing was written.
    pub fn read(&mut self, store: &mut TermStore, patch: Patch, index: Term, rest: Term) -> Term {
        if !is_tree(store, index) {
            let width = store.width(index);
            return self.under(store, patch.root, width, index, rest);
        }
        leaves(store, index).into_iter().fold(rest, |rest, leaf| {
            let written = store.as_bits(leaf).and_then(|i| self.get(patch, i));
            let Some(value) = written else { return rest };
            let here = store.eq(index, leaf);
            store.ite(here, value, rest)
        })
    }

    /// A part, given that the index agrees with it on all bits from `above` on.
    fn under(&mut self, store: &mut TermStore, at: NodeId, above: u32, index: Term, rest: Term) -> Term {
        let (inside, sample, below) = match self.nodes[at.0 as usize] {
            Trie::Cell { index: i, value } => (value, i, 0),
            Trie::Fork { bit, index: i, .. } => (self.fork(store, at, index, rest), i, bit + 1),
        };
        if above == below || inside == rest {
            return inside;
        }
        let bits = store.un(UnOp::Extract { hi: above - 1, lo: below }, index);
        let expected = store.bv(above - below, sample >> below);
        let agrees = store.eq(bits, expected);
        store.ite(agrees, inside, rest)
    }

    fn fork(&mut self, store: &mut TermStore, at: NodeId, index: Term, rest: Term) -> Term {
        let Trie::Fork { bit, low, high, .. } = self.nodes[at.0 as usize] else { return rest };
        if let Some(&done) = self.forks.get(&(at, index, rest)) {
            return done;
        }
        let (low, high) = (self.under(store, low, bit, index, rest), self.under(store, high, bit, index, rest));
        let set = store.un(UnOp::Extract { hi: bit, lo: bit }, index);
        let one = store.bv(1, 1);
        let set = store.eq(set, one);
        let result = store.ite(set, high, low);
        self.forks.insert((at, index, rest), result);
        result
    }
}

/// The runs of a trie, from index zero to the last one.
fn runs(nodes: &[Trie], root: NodeId, max: u128) -> Vec<(u128, Option<Term>)> {
    let mut runs: Vec<(u128, Option<Term>)> = Vec::new();
    let mut push = |first: u128, value: Option<Term>| {
        if runs.last().is_none_or(|r| r.1 != value) {
            runs.push((first, value));
        }
    };
    // The first index not yet covered; none once the last one is.
    let mut next = Some(0);
    let mut stack = vec![root];
    while let Some(at) = stack.pop() {
        match nodes[at.0 as usize] {
            Trie::Fork { low, high, .. } => stack.extend([high, low]),
            Trie::Cell { index, value } => {
                if let Some(gap) = next.filter(|&n| n < index) {
                    push(gap, None);
                }
                push(index, Some(value));
                next = (index < max).then(|| index + 1);
            }
        }
    }
    if let Some(gap) = next {
        push(gap, None);
    }
    runs
}

/// Whether a term is a tree of conditionals over constants.
pub fn is_tree(store: &TermStore, t: Term) -> bool {
    store.const_tree(t) > 0
}

/// The leaves of a tree of conditionals over constants, each once.
fn leaves(store: &TermStore, tree: Term) -> Vec<Term> {
    let (mut leaves, mut seen, mut stack) = (Vec::new(), FxHashSet::default(), vec![tree]);
    while let Some(t) = stack.pop() {
        if !seen.insert(t) {
            continue;
        }
        match store.node(t) {
            Node::Ite(_, a, b) => stack.extend([b, a]),
            _ => leaves.push(t),
        }
    }
    leaves
}
