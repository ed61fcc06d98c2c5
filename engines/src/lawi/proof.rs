//! The end of a search: the tree is complete, and its open labels are an inductive invariant.

use super::lemmas::Label;
use super::search::Search;
use super::tree::NodeId;
use crate::cuts::Cut;
use crate::logic::Term;
use crate::relation::{Cube, From, Outcome, Stop};

impl Search<'_> {
    /// Every node is expanded with a child for whatever comes next and violates nothing, or has the label false, or lies
    /// under one that is covered by an open node with the same discrete part whose label follows. Asked in every build.
    pub fn check_complete(&mut self) -> Outcome<()> {
        let nodes: Vec<NodeId> = self.tree.nodes.keys().collect();
        for v in nodes {
            let whole = match self.tree.covered_by(v) {
                Some(w) => self.is_cover(v, w)?,
                None if self.tree.is_closed(v) => true,
                None => self.is_expanded(v)?,
            };
            if !whole {
                return Err(Stop::Unknown("the tree is not complete".into()));
            }
        }
        Ok(())
    }

    fn is_cover(&mut self, v: NodeId, w: NodeId) -> Outcome<bool> {
        if !self.tree.same_control(v, w) || self.tree.is_closed(w) {
            return Ok(false);
        }
        let (missing, _) = self.tree.nodes[v].label.missing(&self.tree.nodes[w].label, &self.lemmas);
        Ok(missing.is_empty() || self.implied(v, &missing)?)
    }

    fn is_expanded(&mut self, v: NodeId) -> Outcome<bool> {
        let node = &self.tree.nodes[v];
        if !node.expanded || !node.harmless {
            return Ok(false);
        }
        let (cut, children) = (node.cut, node.children.clone());
        let next: Vec<Cut> = self.relation.system.segment(cut).arrivals.iter().map(|a| a.cut).collect();
        for to in next {
            let there = children.iter().filter(|&&c| self.tree.nodes[c].cut == Some(to));
            let vectors = there.map(|&c| Cube { cut: to, literals: self.tree.nodes[c].vector.clone() });
            let vectors: Vec<Cube> = vectors.collect();
            if vectors.iter().any(|v| v.literals.is_empty()) {
                continue;
            }
            let here = self.here(v);
            let from = match cut {
                None => From::Start,
                Some(_) => From::State(&here),
            };
            if self.relation.another(to, from, &[], &vectors)?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// At each cut the labels of its open nodes, one of which holds.
    pub fn invariants(&mut self) -> Vec<(Cut, Term)> {
        let cuts: Vec<Cut> = self.relation.system.cuts.keys().collect();
        let mut invariants = Vec::new();
        for cut in cuts {
            let at_cut = |v: &NodeId| self.tree.nodes[*v].cut == Some(cut) && !self.tree.is_closed(*v);
            let open: Vec<NodeId> = self.tree.nodes.keys().filter(at_cut).collect();
            let open: Vec<NodeId> = open.iter().copied().filter(|&v| !self.is_weaker(&open, v)).collect();
            match open[..] {
                // One label is as many formulas as it has lemmas.
                [v] => {
                    for term in self.terms(v) {
                        invariants.push((cut, term));
                    }
                }
                _ => {
                    let mut any = Vec::new();
                    for &v in &open {
                        let terms = self.terms(v);
                        any.push(self.relation.system.store.and_all(terms));
                    }
                    let any = self.relation.system.store.or_all(any);
                    invariants.push((cut, any));
                }
            }
        }
        invariants
    }

    /// Another open label follows from the node's, which therefore adds nothing.
    fn is_weaker(&self, open: &[NodeId], v: NodeId) -> bool {
        let label = |v: NodeId| -> &Label { &self.tree.nodes[v].label };
        let follows = |v: NodeId, w: NodeId| label(v).missing(label(w), &self.lemmas).0.is_empty();
        open.iter().any(|&w| w != v && self.tree.same_control(v, w) && follows(v, w) && (w < v || !follows(w, v)))
    }

    /// The node's label and its vector.
    fn terms(&mut self, v: NodeId) -> Vec<Term> {
        let Some(cut) = self.tree.nodes[v].cut else { return Vec::new() };
        let vector = Cube { cut, literals: self.tree.nodes[v].vector.clone() };
        let mut terms = vec![self.relation.now(&vector)];
        for lemma in self.tree.nodes[v].label.lemmas().to_vec() {
            let cube = self.lemmas.cube(lemma).clone();
            let inside = self.relation.now(&cube);
            terms.push(self.relation.system.store.not(inside));
        }
        terms
    }
}
