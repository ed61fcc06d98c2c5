//! The abstract reachability tree: nodes, covers, and the queue of nodes to look at. Nothing is solved here.
//!
//! A node is *closed* if it or a node above it is covered or has the label false: nothing below a closed node needs to be
//! looked at. A node that covers others is not closed; when it becomes so, what it covers is uncovered. Whatever opens
//! again is put back into the queue: the node, and the nodes below it that were never expanded.

use super::lemmas::{Label, Lemma, Lemmas};
use crate::cuts::Cut;
use crate::relation::Literal;
use cranelift_entity::{entity_impl, PrimaryMap};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);
entity_impl!(NodeId, "node");

pub struct Node {
    pub parent: Option<NodeId>,
    /// The discrete part, with the vector. `None` for the root, which is the start of runs.
    pub cut: Option<Cut>,
    /// The values of the location variables, if control is explicit. Sorted.
    pub vector: Vec<Literal>,
    pub depth: u32,
    pub label: Label,
    pub children: Vec<NodeId>,
    pub expanded: bool,
    /// No run through the label violates the property before the next cut.
    pub harmless: bool,
    covered_by: Option<NodeId>,
    covers: Vec<NodeId>,
    is_false: bool,
    queued: bool,
}

#[derive(Default)]
pub struct Tree {
    pub nodes: PrimaryMap<NodeId, Node>,
    queue: BinaryHeap<Reverse<(u32, NodeId)>>,
    pub uncovered: u64,
    pub requeued: u64,
}

impl Tree {
    /// A new node, in the queue.
    pub fn add(&mut self, parent: Option<NodeId>, cut: Option<Cut>, vector: Vec<Literal>) -> NodeId {
        let depth = parent.map_or(0, |p| self.nodes[p].depth + 1);
        let node = self.nodes.push(Node {
            parent,
            cut,
            vector,
            depth,
            label: Label::default(),
            children: Vec::new(),
            expanded: false,
            harmless: false,
            covered_by: None,
            covers: Vec::new(),
            is_false: false,
            queued: false,
        });
        if let Some(parent) = parent {
            self.nodes[parent].children.push(node);
        }
        self.enqueue(node);
        node
    }

    fn enqueue(&mut self, node: NodeId) {
        if !std::mem::replace(&mut self.nodes[node].queued, true) {
            self.queue.push(Reverse((self.nodes[node].depth, node)));
        }
    }

    /// The next node to look at: one of the least depth.
    pub fn dequeue(&mut self) -> Option<NodeId> {
        let Reverse((_, node)) = self.queue.pop()?;
        self.nodes[node].queued = false;
        Some(node)
    }

    /// The nodes from the root's child down to this one.
    pub fn path(&self, node: NodeId) -> Vec<NodeId> {
        let mut path: Vec<NodeId> = std::iter::successors(Some(node), |&n| self.nodes[n].parent).collect();
        path.pop();
        path.reverse();
        path
    }

    pub fn is_closed(&self, node: NodeId) -> bool {
        let mut up = std::iter::successors(Some(node), |&n| self.nodes[n].parent);
        up.any(|n| self.nodes[n].covered_by.is_some() || self.nodes[n].is_false)
    }

    pub fn covered_by(&self, node: NodeId) -> Option<NodeId> {
        self.nodes[node].covered_by
    }

    pub fn covers(&self, node: NodeId) -> Vec<NodeId> {
        self.nodes[node].covers.clone()
    }

    /// Whether both have the same discrete part.
    pub fn same_control(&self, v: NodeId, w: NodeId) -> bool {
        let (v, w) = (&self.nodes[v], &self.nodes[w]);
        v.cut == w.cut && v.vector == w.vector
    }

    /// The nodes that may cover this one if its label implies theirs: made before it, so that covers do not chase each
    /// other, with the same discrete part, and open. The latest first.
    pub fn candidates(&self, v: NodeId) -> Vec<NodeId> {
        let before = self.nodes.keys().take_while(|&w| w < v);
        let mut found: Vec<NodeId> = before.filter(|&w| self.same_control(v, w) && !self.is_closed(w)).collect();
        found.reverse();
        found
    }

    fn below(&self, node: NodeId) -> Vec<NodeId> {
        let mut found = vec![node];
        let mut at = 0;
        while let Some(&node) = found.get(at) {
            found.extend(&self.nodes[node].children);
            at += 1;
        }
        found
    }

    /// Nodes whose cover is closed now are uncovered.
    fn release(&mut self, closed: NodeId) {
        for y in self.below(closed) {
            for x in std::mem::take(&mut self.nodes[y].covers) {
                self.reopen(x);
            }
        }
    }

    /// `w` covers `v`, whose label implies that of `w`.
    pub fn cover(&mut self, v: NodeId, w: NodeId) {
        self.nodes[v].covered_by = Some(w);
        self.nodes[w].covers.push(v);
        self.release(v);
    }

    /// `v` is not covered any more.
    pub fn uncover(&mut self, v: NodeId) {
        if let Some(w) = self.nodes[v].covered_by {
            self.nodes[w].covers.retain(|&x| x != v);
            self.reopen(v);
        }
    }

    /// The node has lost its cover: it, and what is below it and was never expanded, is to be looked at.
    fn reopen(&mut self, v: NodeId) {
        self.nodes[v].covered_by = None;
        self.uncovered += 1;
        for node in self.below(v) {
            if !self.nodes[node].expanded {
                self.requeued += 1;
                self.enqueue(node);
            }
        }
    }

    /// Strengthens a label; whether it has become stronger.
    pub fn strengthen(&mut self, node: NodeId, lemma: Lemma, lemmas: &Lemmas) -> bool {
        if !self.nodes[node].label.add(lemma, lemmas) {
            return false;
        }
        if lemmas.is_false(lemma) {
            self.nodes[node].is_false = true;
            self.release(node);
        }
        true
    }
}
