//! The main loop (Algorithm 1 of the thesis): take a node, close it or refine what leads to a violation, expand it.

use super::lemmas::{Cheap, Lemma, Lemmas};
use super::tree::{NodeId, Tree};
use super::{Config, Counts};
use crate::companion::{Companion, Turns};
use crate::cuts::Cut;
use crate::logic::{Answer, Limits, Solver, Term};
use crate::relation::{Cube, End, From, Literal, Outcome, Relation, Stop};
use crate::task::Context;
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use syncline_ir::Type;

/// Nodes whose labels the solver is asked about when one is to be covered.
const MAX_ASKED: usize = 8;
/// Models that may take lemmas out of those that are tried on a node at once.
const MAX_MODELS: usize = 40;
/// Valuations of the location variables that one edge may lead to.
const MAX_VECTORS: usize = 4096;

pub struct Search<'s> {
    pub relation: Relation<'s>,
    pub config: Config,
    pub tree: Tree,
    pub lemmas: Lemmas,
    pub counts: Counts,
    /// Knows labels, not steps: for implications between labels.
    implier: Box<dyn Solver>,
    /// The node's label holds of this state.
    switches: SecondaryMap<NodeId, Option<Term>>,
    /// Every lemma that some node at the cut has had.
    known: FxHashMap<Cut, BTreeSet<Lemma>>,
    /// Lemmas that did not hold at a node while its parent's label had this version.
    failed: FxHashMap<(NodeId, Lemma), u32>,
}

impl<'s> Search<'s> {
    pub fn new(relation: Relation<'s>, config: Config, invariants: &[(Cut, Term)], context: &Context) -> Search<'s> {
        let mut implier = (context.solver)();
        for &(cut, invariant) in invariants {
            let formula = relation.system.store.implies(relation.at(cut), invariant);
            implier.assert(&mut relation.system.store, formula);
        }
        Search {
            relation,
            config,
            tree: Tree::default(),
            lemmas: Lemmas::default(),
            counts: Counts::default(),
            implier,
            switches: SecondaryMap::new(),
            known: FxHashMap::default(),
            failed: FxHashMap::default(),
        }
    }

    pub fn run(&mut self, companion: &mut Companion, context: &mut Context) -> Outcome<End> {
        if let Some(inputs) = self.relation.bad_at_start()? {
            return Ok(End::Violated(vec![inputs]));
        }
        let root = self.tree.add(None, None, Vec::new());
        self.tree.nodes[root].harmless = true;
        while let Some(v) = self.tree.dequeue() {
            companion.turn(context)?;
            (context.progress)(&format!("lawi: {} nodes, {} lemmas", self.tree.nodes.len(), self.lemmas.len()));
            if self.tree.is_closed(v) || self.close(v)? {
                continue;
            }
            if let Some(end) = self.refine(v, companion, context)? {
                return Ok(end);
            }
            if !self.tree.is_closed(v) {
                self.expand(v)?;
            }
        }
        self.check_complete()?;
        Ok(End::Proved(self.invariants()))
    }

    /// The node's label, as assumptions about this state.
    pub fn here(&mut self, node: NodeId) -> Vec<Term> {
        let Some(cut) = self.tree.nodes[node].cut else { return Vec::new() };
        vec![self.switch(node), self.relation.at(cut)]
    }

    fn switch(&mut self, node: NodeId) -> Term {
        if let Some(switch) = self.switches[node] {
            return switch;
        }
        let switch = self.relation.system.store.new_symbol("node", Type::BOOL);
        self.switches[node] = Some(switch);
        for literal in self.tree.nodes[node].vector.clone() {
            if let Some(cut) = self.tree.nodes[node].cut {
                let here = self.relation.now(&Cube { cut, literals: vec![literal] });
                self.assert_label(switch, here);
            }
        }
        switch
    }

    fn assert_label(&mut self, switch: Term, formula: Term) {
        let store = &mut self.relation.system.store;
        let formula = store.implies(switch, formula);
        self.relation.solver.assert(store, formula);
        self.implier.assert(store, formula);
    }

    /// Which of the cubes runs enter that come to the node from its parent's label: of one run. With the node's vector.
    pub fn entered(&mut self, node: NodeId, more: &[Term], cubes: &[&Cube]) -> Outcome<Option<Vec<usize>>> {
        let Some((parent, cut)) = self.tree.nodes[node].parent.zip(self.tree.nodes[node].cut) else { return Ok(None) };
        let with_vector: Vec<Cube> = cubes.iter().map(|&c| self.with_vector(node, c)).collect();
        let with_vector: Vec<&Cube> = with_vector.iter().collect();
        match self.tree.nodes[parent].cut {
            None => self.relation.entered(cut, From::Start, &with_vector),
            Some(_) => {
                let mut assumptions = self.here(parent);
                assumptions.extend_from_slice(more);
                self.relation.entered(cut, From::State(&assumptions), &with_vector)
            }
        }
    }

    /// The states of the cube that the node's vector has.
    pub fn with_vector(&self, node: NodeId, cube: &Cube) -> Cube {
        let mut cube = cube.clone();
        cube.literals.extend(&self.tree.nodes[node].vector);
        cube.literals.sort_unstable();
        cube.literals.dedup();
        cube
    }

    /// The lemma holds at the node: runs that come there from its parent's label do not enter the cube.
    pub fn add_lemma(&mut self, node: NodeId, lemma: Lemma) -> Outcome<()> {
        if cfg!(debug_assertions) {
            let cube = self.lemmas.cube(lemma).clone();
            assert!(self.entered(node, &[], &[&cube])?.is_none(), "a label does not follow from the one above it");
        }
        if !self.tree.strengthen(node, lemma, &self.lemmas) {
            return Ok(());
        }
        let switch = self.switch(node);
        let cube = self.lemmas.cube(lemma).clone();
        self.known.entry(cube.cut).or_default().insert(lemma);
        let outside = self.relation.excluded(&cube);
        self.assert_label(switch, outside);
        for x in self.tree.covers(node) {
            if !self.keeps_cover(x, lemma)? {
                self.tree.uncover(x);
            }
        }
        Ok(())
    }

    /// Whether the lemma, which the node's cover has got, holds there too.
    fn keeps_cover(&mut self, x: NodeId, lemma: Lemma) -> Outcome<bool> {
        if self.tree.nodes[x].label.implies(lemma, &self.lemmas).is_some() || self.implied(x, &[lemma])? {
            return Ok(true);
        }
        let cube = self.lemmas.cube(lemma).clone();
        if self.entered(x, &[], &[&cube])?.is_some() {
            return Ok(false);
        }
        self.counts.forced_lemmas += 1;
        self.add_lemma(x, lemma)?;
        Ok(true)
    }

    /// Whether the label has these lemmas as a consequence, by the solver.
    pub fn implied(&mut self, v: NodeId, lemmas: &[Lemma]) -> Outcome<bool> {
        let mut inside = Vec::new();
        for &lemma in lemmas {
            let cube = self.lemmas.cube(lemma).clone();
            inside.push(self.relation.now(&cube));
        }
        let any = self.relation.system.store.or_all(inside);
        let mut assumptions = self.here(v);
        assumptions.push(any);
        self.relation.queries += 1;
        self.counts.implications += 1;
        let limits = Limits::until(self.relation.deadline);
        match self.implier.check(&mut self.relation.system.store, &assumptions, &limits) {
            Answer::Sat => Ok(false),
            Answer::Unsat => Ok(true),
            Answer::Unknown(words) => Err(Stop::Unknown(words)),
        }
    }

    /// Covers the node if it can: strengthened with what is known at its cut, as far as that holds there (forced
    /// covering), by a node whose label follows: by cheap checks, then by the solver.
    pub fn close(&mut self, v: NodeId) -> Outcome<bool> {
        if self.tree.nodes[v].cut.is_none() {
            return Ok(false);
        }
        let forced = self.push(v)?;
        let candidates = self.tree.candidates(v);
        let mut rest = Vec::new();
        for w in candidates {
            let (missing, dearest) = self.tree.nodes[v].label.missing(&self.tree.nodes[w].label, &self.lemmas);
            if missing.is_empty() {
                match dearest {
                    Cheap::Member => self.counts.covers_by_member += 1,
                    Cheap::Subsumed => self.counts.covers_by_cube += 1,
                }
                self.cover(v, w, forced);
                return Ok(true);
            }
            rest.push((missing.len(), w, missing));
        }
        rest.sort_by_key(|r| r.0);
        for (_, w, missing) in rest.into_iter().take(MAX_ASKED) {
            if self.implied(v, &missing)? {
                self.counts.covers_by_solver += 1;
                self.cover(v, w, forced);
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn cover(&mut self, v: NodeId, w: NodeId, forced: bool) {
        self.counts.forced_covers += u64::from(forced);
        let system = &self.relation.system;
        self.counts.intermediate_covers +=
            u64::from(self.tree.nodes[v].cut.is_some_and(|cut| !system.cuts[cut].is_header));
        self.tree.cover(v, w);
    }

    /// Strengthens the label with the lemmas known at its cut that hold there; whether there were any.
    fn push(&mut self, v: NodeId) -> Outcome<bool> {
        let (Some(cut), Some(parent)) = (self.tree.nodes[v].cut, self.tree.nodes[v].parent) else { return Ok(false) };
        let version = self.tree.nodes[parent].label.version;
        let untried = |l: &Lemma| {
            self.tree.nodes[v].label.implies(*l, &self.lemmas).is_none() && self.failed.get(&(v, *l)) != Some(&version)
        };
        let mut tried: Vec<Lemma> = self.known.get(&cut).into_iter().flatten().copied().filter(untried).collect();
        for _ in 0..MAX_MODELS {
            if tried.is_empty() {
                return Ok(false);
            }
            let cubes: Vec<Cube> = tried.iter().map(|&l| self.lemmas.cube(l).clone()).collect();
            let cubes: Vec<&Cube> = cubes.iter().collect();
            match self.entered(v, &[], &cubes)? {
                None => {
                    self.counts.forced_lemmas += tried.len() as u64;
                    for lemma in tried {
                        self.add_lemma(v, lemma)?;
                    }
                    return Ok(true);
                }
                Some(hit) if hit.is_empty() => {
                    return Err(Stop::Unknown("the model enters no cube".into()));
                }
                Some(hit) => {
                    for &i in hit.iter().rev() {
                        let lemma = tried.remove(i);
                        self.failed.insert((v, lemma), version);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Makes the node's children, one for each cut that is next: those that the label lets no run come to have the label
    /// false at once (eager pruning).
    pub fn expand(&mut self, v: NodeId) -> Outcome<()> {
        let cut = self.tree.nodes[v].cut;
        let next: Vec<Cut> = self.relation.system.segment(cut).arrivals.iter().map(|a| a.cut).collect();
        for to in next {
            match self.config.vectors {
                false => drop(self.add_child(v, to, Vec::new())?),
                true => self.split(v, to)?,
            }
        }
        self.tree.nodes[v].expanded = true;
        self.counts.expanded += 1;
        Ok(())
    }

    fn add_child(&mut self, v: NodeId, to: Cut, vector: Vec<Literal>) -> Outcome<NodeId> {
        let child = self.tree.add(Some(v), Some(to), vector);
        let all = Cube { cut: to, literals: Vec::new() };
        if self.entered(child, &[], &[&all])?.is_none() {
            self.counts.pruned += 1;
            let never = self.lemmas.number(all);
            self.add_lemma(child, never)?;
        }
        Ok(child)
    }

    /// One child for each valuation of the location variables that a run may have at the cut, by the label.
    fn split(&mut self, v: NodeId, to: Cut) -> Outcome<()> {
        let locations = self.relation.coded_bits(to);
        let from = self.here(v);
        let mut vectors: Vec<Cube> = Vec::new();
        while vectors.len() <= MAX_VECTORS {
            let from = match self.tree.nodes[v].cut {
                None => From::Start,
                Some(_) => From::State(&from),
            };
            match self.relation.another(to, from, &locations, &vectors)? {
                Some(literals) => vectors.push(Cube { cut: to, literals }),
                None => break,
            }
        }
        if vectors.len() > MAX_VECTORS {
            return Err(Stop::Unknown("too many control vectors".into()));
        }
        if vectors.is_empty() {
            self.add_child(v, to, Vec::new())?;
        }
        for vector in vectors {
            self.add_child(v, to, vector.literals)?;
        }
        Ok(())
    }
}
