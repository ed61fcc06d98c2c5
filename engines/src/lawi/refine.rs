//! Refinement: labels along a path that keep it from a violation, or the violation itself.
//!
//! A state of the node's label from which the property is violated becomes an obligation at the node: a cube of states
//! that all take the same way to the violation, given its inputs (the model projected onto the state, and widened by a
//! core). An obligation that its parent's label leads to has a predecessor there, an obligation of its own; one that no
//! run enters is blocked by a lemma, made as general as it can be. What is left when all are blocked is a sequence of
//! interpolants for the path: each label follows from the one above over the edge between them. An obligation that the
//! start of runs enters is the beginning of a violation.
//!
//! Relative induction: where nodes follow each other at the same cut, a lemma is looked for that keeps itself over the
//! edge. It then holds at all of these nodes, once it holds at the first. Before that, one is looked for that no node of
//! less depth breaks, as in PDR's frames: it is the likeliest to hold at nodes to come, and labels that agree cover.
//! Whatever the search for a lemma assumed, it is added to a node only by a query of its own.

use super::search::Search;
use super::tree::NodeId;
use crate::companion::{Companion, Turns};
use crate::relation::{generalise, Blocker, Cube, End, Inputs, Literal, Outcome, Stop};
use crate::task::Context;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// States at a node from which the property is violated, and by which way.
struct Obligation {
    node: NodeId,
    cube: Cube,
    /// With these a run goes from the cube to the next obligation; from the last one to the violation.
    inputs: Inputs,
    next: Option<usize>,
}

/// What leads into a cube.
enum Entry {
    Start(Inputs),
    State(Cube, Inputs),
    None,
}

impl Search<'_> {
    /// Strengthens labels until no run from the node's label violates the property before the next cut; the end if a run
    /// from the start does.
    pub fn refine(&mut self, v: NodeId, companion: &mut Companion, context: &mut Context) -> Outcome<Option<End>> {
        let mut refined = false;
        while !self.tree.nodes[v].harmless {
            let here = self.here(v);
            let Some((cube, inputs)) = self.relation.find_bad(&here)? else {
                self.tree.nodes[v].harmless = true;
                break;
            };
            refined = true;
            self.counts.refinements += 1;
            let cube = self.without_vector(v, cube);
            if let Some(way) = self.block(v, cube, inputs, companion, context)? {
                return Ok(Some(End::Violated(way)));
            }
        }
        if refined {
            for w in self.tree.path(v) {
                if !self.tree.is_closed(w) {
                    self.close(w)?;
                }
            }
        }
        Ok(None)
    }

    fn without_vector(&self, node: NodeId, mut cube: Cube) -> Cube {
        let vector = &self.tree.nodes[node].vector;
        cube.literals.retain(|l| !vector.contains(l));
        cube
    }

    /// Blocks the cube at the node; the inputs of a run from the start if one comes there.
    fn block(
        &mut self,
        v: NodeId,
        cube: Cube,
        inputs: Inputs,
        companion: &mut Companion,
        context: &mut Context,
    ) -> Outcome<Option<Vec<Inputs>>> {
        let mut obligations = vec![Obligation { node: v, cube, inputs, next: None }];
        let mut queue = BinaryHeap::new();
        queue.push(Reverse((self.tree.nodes[v].depth, 0)));
        while let Some(Reverse((depth, id))) = queue.pop() {
            companion.turn(context)?;
            self.counts.obligations += 1;
            let Obligation { node, cube, .. } = &obligations[id];
            let (node, cube) = (*node, cube.clone());
            if self.tree.nodes[node].label.excludes(&cube, &self.lemmas) {
                continue;
            }
            match self.enter_or_block(node, &cube)? {
                Entry::Start(inputs) => return Ok(Some(way(&obligations, inputs, id))),
                Entry::State(before, inputs) => {
                    let Some(parent) = self.tree.nodes[node].parent else {
                        return Err(Stop::Unknown("an obligation above the root".into()));
                    };
                    let before = self.without_vector(parent, before);
                    obligations.push(Obligation { node: parent, cube: before, inputs, next: Some(id) });
                    queue.push(Reverse((depth - 1, obligations.len() - 1)));
                    queue.push(Reverse((depth, id)));
                }
                Entry::None => {}
            }
        }
        Ok(None)
    }

    /// What leads into the cube at the node; if nothing does, a lemma says so from now on.
    fn enter_or_block(&mut self, node: NodeId, cube: &Cube) -> Outcome<Entry> {
        let chain = self.chain(node);
        let alone = chain.len() == 1;
        if chain.len() < self.tree.nodes[node].depth as usize {
            let mut blocker = AtNode { search: self, first: chain[0], node, scope: Scope::Tree };
            if let Some(smaller) = blocker.blocked(cube.clone())? {
                let lemma = self.generalised(Scope::Tree, &chain, smaller)?;
                if self.add_along(&chain, lemma)? {
                    self.counts.tree_lemmas += 1;
                    return Ok(Entry::None);
                }
            }
        }
        if !alone {
            let entry = self.enter(node, cube, true)?;
            if !matches!(entry, Entry::None) {
                return Ok(entry);
            }
            let mut blocker = AtNode { search: self, first: chain[0], node, scope: Scope::Chain };
            if let Some(smaller) = blocker.blocked(cube.clone())? {
                let lemma = self.generalised(Scope::Chain, &chain, smaller)?;
                if self.add_along(&chain, lemma)? {
                    return Ok(Entry::None);
                }
            }
        }
        let entry = self.enter(node, cube, false)?;
        if matches!(entry, Entry::None) {
            let lemma = self.generalised(Scope::Node, &[node], cube.clone())?;
            let lemma = self.lemmas.number(lemma);
            self.add_lemma(node, lemma)?;
        }
        Ok(entry)
    }

    /// The nodes above this one that are at the same cut without another one in between, and this one: the last.
    fn chain(&self, node: NodeId) -> Vec<NodeId> {
        let mut chain = vec![node];
        while let Some(parent) = self.tree.nodes[chain[chain.len() - 1]].parent {
            if !self.tree.same_control(parent, node) {
                break;
            }
            chain.push(parent);
        }
        chain.reverse();
        chain
    }

    /// What leads into the cube from the label of the node's parent; if `outside`, from those of its states that are not
    /// in the cube themselves.
    fn enter(&mut self, node: NodeId, cube: &Cube, outside: bool) -> Outcome<Entry> {
        if self.refuted(node, cube, outside)?.is_some() {
            return Ok(Entry::None);
        }
        let whole = self.with_vector(node, cube);
        let parent = self.tree.nodes[node].parent;
        Ok(match parent.and_then(|p| self.tree.nodes[p].cut) {
            None => Entry::Start(self.relation.start_values()),
            Some(_) => {
                let (before, inputs) = self.relation.before(&whole)?;
                Entry::State(before, inputs)
            }
        })
    }

    /// Why nothing leads there, if so: the literals of the cube that say that.
    fn refuted(&mut self, node: NodeId, cube: &Cube, outside: bool) -> Outcome<Option<Vec<Literal>>> {
        let Some(parent) = self.tree.nodes[node].parent else {
            return Err(Stop::Unknown("nothing is above the root".into()));
        };
        let whole = self.with_vector(node, cube);
        let needed = if self.tree.nodes[parent].cut.is_none() {
            self.relation.no_start(&whole)?
        } else {
            let mut assumptions = self.here(parent);
            if outside {
                assumptions.push(self.relation.excluded(cube));
            }
            self.relation.no_step(&whole, &assumptions)?
        };
        // What the vector says is said of the node already.
        Ok(needed.map(|needed| needed.into_iter().filter(|l| cube.literals.contains(l)).collect()))
    }

    /// Why no node above the depth leads into the cube, if so, its own states set aside: the literals that say that.
    fn refuted_in_tree(&mut self, depth: u32, cube: &Cube) -> Outcome<Option<Vec<Literal>>> {
        let leads = |v: &NodeId| {
            let node = &self.tree.nodes[*v];
            node.depth < depth && node.children.iter().any(|&c| self.tree.nodes[c].cut == Some(cube.cut))
        };
        let nodes: Vec<NodeId> = self.tree.nodes.keys().filter(leads).collect();
        let mut needed = Vec::new();
        let mut any = Vec::new();
        for node in nodes {
            if self.tree.nodes[node].cut.is_some() {
                let here = self.here(node);
                any.push(self.relation.system.store.and_all(here));
                continue;
            }
            match self.relation.no_start(cube)? {
                Some(literals) => needed.extend(literals),
                None => return Ok(None),
            }
        }
        let any = self.relation.system.store.or_all(any);
        let outside = self.relation.excluded(cube);
        let step = self.relation.no_step(cube, &[any, outside])?;
        Ok(step.map(|literals| [needed, literals].concat()))
    }

    /// A larger cube that is blocked too.
    fn generalised(&mut self, scope: Scope, chain: &[NodeId], cube: Cube) -> Outcome<Cube> {
        let before = cube.literals.len();
        let (first, node) = (chain[0], chain[chain.len() - 1]);
        let best = generalise(&mut AtNode { search: self, first, node, scope }, cube)?;
        self.counts.dropped += (before - best.literals.len()) as u64;
        Ok(best)
    }

    /// Adds the lemma along the nodes from the first down; false if one of them has not got it.
    fn add_along(&mut self, chain: &[NodeId], lemma: Cube) -> Outcome<bool> {
        let number = self.lemmas.number(lemma.clone());
        for &node in chain {
            if self.tree.nodes[node].label.implies(number, &self.lemmas).is_some() {
                continue;
            }
            if self.entered(node, &[], &[&lemma])?.is_some() {
                return Ok(false);
            }
            self.add_lemma(node, number)?;
        }
        Ok(true)
    }
}

/// Which nodes must not lead into a cube for it to be blocked.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Scope {
    /// All above the node's depth, and the start, set aside what is in the cube: the lemma is likely to hold elsewhere.
    Tree,
    /// The node's parent, set aside what is in the cube, and the parent of the first node of its chain.
    Chain,
    /// The node's parent.
    Node,
}

/// Cubes are blocked at a node.
struct AtNode<'f, 's> {
    search: &'f mut Search<'s>,
    /// Of the chain.
    first: NodeId,
    node: NodeId,
    scope: Scope,
}

impl Blocker for AtNode<'_, '_> {
    fn word(&self, literal: Literal) -> u32 {
        self.search.relation.word_of(literal)
    }

    fn blocked(&mut self, cube: Cube) -> Outcome<Option<Cube>> {
        let depth = self.search.tree.nodes[self.node].depth;
        let needed = match self.scope {
            Scope::Tree => self.search.refuted_in_tree(depth, &cube)?,
            Scope::Chain => self.search.refuted(self.node, &cube, true)?,
            Scope::Node => self.search.refuted(self.node, &cube, false)?,
        };
        let Some(mut needed) = needed else { return Ok(None) };
        if self.scope == Scope::Chain
            && self.search.refuted(self.first, &sorted(&cube, needed.clone()), false)?.is_none()
        {
            match self.search.refuted(self.first, &cube, false)? {
                Some(more) => needed.extend(more),
                None => return Ok(None),
            }
        }
        Ok(Some(sorted(&cube, needed)))
    }
}

/// The cube with these literals only.
fn sorted(cube: &Cube, mut literals: Vec<Literal>) -> Cube {
    literals.sort_unstable();
    literals.dedup();
    Cube { cut: cube.cut, literals }
}

/// The inputs of a run from its start to the violation.
fn way(obligations: &[Obligation], start: Inputs, first: usize) -> Vec<Inputs> {
    let mut way = vec![start];
    let mut at = Some(first);
    while let Some(id) = at {
        way.push(obligations[id].inputs.clone());
        at = obligations[id].next;
    }
    way
}
