//! Contracts in the names of the program as lowered: what the certificate has, and what an abstraction takes over from the
//! program with everything tracked.

use super::calltree::CallTree;
use super::contract::{Contracts, Kept};
use super::region::{Exit, RegionId};
use crate::annotation::{Face, Formula, FormulaNode};
use crate::logic::{Node, Term, TermStore};
use crate::task::Contract;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use syncline_ir::{Block, Proc, Type};

/// By procedure, and of its loops by header.
pub type Named = BTreeMap<(Proc, Option<Block>), Contract>;

/// New symbols for what a region gives back: its outputs, of a procedure also its results.
pub fn given(tree: &mut CallTree, id: RegionId) -> Vec<Term> {
    let region = tree.regions.get(id);
    let mut types: Vec<Type> = region.outputs.iter().map(|&c| tree.regions.cell_type(region.proc, c)).collect();
    if region.in_loop.is_none() && region.exits.first() == Some(&Exit::Return) {
        types.extend(tree.regions.brought(region.proc, Exit::Return));
    }
    types.into_iter().map(|ty| tree.store.new_symbol("face", ty)).collect()
}

/// What the symbols of a region's contract are.
pub(super) fn names(tree: &mut CallTree, id: RegionId, outputs: &[Term]) -> Vec<(Term, Face)> {
    let body = tree.body(id);
    let region = tree.regions.get(id);
    let inputs = body.inputs.iter().copied().zip(region.inputs.iter().map(|&cell| Face::In(cell)));
    let given = region.outputs.iter().map(|&cell| Face::Out(cell)).chain((0..).map(Face::Result));
    inputs.chain(outputs.iter().copied().zip(given)).collect()
}

pub(super) fn key(tree: &CallTree, id: RegionId) -> (Proc, Option<Block>) {
    let region = tree.regions.get(id);
    let nest = &tree.regions.nests[region.proc];
    (region.proc, region.in_loop.and_then(|l| nest.as_ref().map(|nest| nest.loops[l].header)))
}

impl Contracts {
    /// The contracts in the names of the program.
    pub fn named(&self, tree: &mut CallTree) -> Named {
        let mut named = BTreeMap::new();
        for (n, kept) in self.of.iter().enumerate() {
            let id = RegionId(n as u32);
            let names: FxHashMap<Term, Face> = names(tree, id, &kept.outputs).into_iter().collect();
            let region = tree.regions.get(id);
            let convert = |terms: &[Term]| {
                terms.iter().filter_map(|&t| formula(&tree.store, t, &names)).collect::<Vec<Formula<Face>>>()
            };
            let block = |&n: &usize| match region.exits[n] {
                Exit::Block(block) => Some(block),
                Exit::Return => None,
            };
            let contract = Contract {
                requires: convert(&kept.requires),
                ensures: convert(&kept.ensures),
                safe: kept.safe,
                never: kept.never.iter().filter_map(block).collect(),
            };
            if contract != Contract::default() {
                named.insert(key(tree, id), contract);
            }
        }
        named
    }

    /// The contracts as far as they speak of what is tracked. Each formula holds in all runs, so any of them may be left out.
    pub fn of_named(named: &Named, candidates: u64, tree: &mut CallTree) -> Contracts {
        let mut contracts = Contracts { candidates, of: Vec::new() };
        for id in (0..tree.regions.list.len() as u32).map(RegionId) {
            let Some(contract) = named.get(&key(tree, id)) else {
                contracts.of.push(Kept::default());
                continue;
            };
            let outputs = given(tree, id);
            let faces: FxHashMap<Face, Term> =
                names(tree, id, &outputs).into_iter().map(|(t, face)| (face, t)).collect();
            let exits = &tree.regions.get(id).exits;
            let never =
                contract.never.iter().filter_map(|&b| exits.iter().position(|&e| e == Exit::Block(b))).collect();
            let store = &mut tree.store;
            let mut convert = |formulas: &[Formula<Face>]| -> Vec<Term> {
                formulas.iter().filter_map(|f| term(store, f, &faces)).collect()
            };
            let (requires, ensures) = (convert(&contract.requires), convert(&contract.ensures));
            contracts.of.push(Kept { outputs, requires, ensures, safe: contract.safe, never });
        }
        contracts
    }
}

/// A term over named symbols as a formula.
fn formula(store: &TermStore, term: Term, names: &FxHashMap<Term, Face>) -> Option<Formula<Face>> {
    let mut formula = Formula::default();
    let mut done: FxHashMap<Term, u32> = FxHashMap::default();
    for t in store.reachable(&[term]) {
        let at = |t: Term| done[&t];
        let node = match store.node(t) {
            Node::Const(id) => FormulaNode::Const(store.const_value(id).clone()),
            Node::Var(_) => FormulaNode::State(*names.get(&t)?),
            Node::Un(op, a) => FormulaNode::Un(op, at(a)),
            Node::Bin(op, a, b) => FormulaNode::Bin(op, at(a), at(b)),
            Node::Ite(c, a, b) => FormulaNode::Ite(at(c), at(a), at(b)),
            Node::Store(..) => return None,
        };
        let number = formula.push(node);
        done.insert(t, number);
    }
    Some(formula)
}

/// A formula as a term; `None` if it speaks of what has no symbol.
pub(super) fn term(store: &mut TermStore, formula: &Formula<Face>, symbols: &FxHashMap<Face, Term>) -> Option<Term> {
    let mut terms: Vec<Term> = Vec::with_capacity(formula.nodes.len());
    for node in &formula.nodes {
        let at = |n: &u32| terms[*n as usize];
        let term = match node {
            FormulaNode::Const(c) => store.constant_term(c.clone()),
            FormulaNode::State(face) => *symbols.get(face)?,
            FormulaNode::Un(op, a) => store.un(*op, at(a)),
            FormulaNode::Bin(op, a, b) => store.bin(*op, at(a), at(b)),
            FormulaNode::Ite(c, a, b) => store.ite(at(c), at(a), at(b)),
        };
        terms.push(term);
    }
    terms.last().copied()
}
