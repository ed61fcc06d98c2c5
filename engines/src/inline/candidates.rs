//! What contracts may say: the candidates of the elimination.
//!
//! For inputs and outputs that only ever get a few constants, that they have one of these, not this one, and
//! not these two together (the type-states of the property are such); comparisons of inputs that the region makes, and of
//! outputs that its callers make; that an output is as it came in; that nothing asked for is reached; that a loop is never
//! left to a block outside. Pairs of values come in a second turn, if the first leaves the entry open, three values in a third.

use super::body;
use super::contract::{Kind, Search};
use super::region::{Exit, RegionId};
use crate::logic::subst::Substitution;
use crate::logic::{Node, Term, TermStore};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;
use syncline_ir::{BinOp, Const, Type};

/// Different constants a cell may get for these to be candidates.
const MAX_VALUES: usize = 24;
/// How large a comparison may be.
const MAX_SIZE: u32 = 12;

/// What a cell may get: a few constants, or anything.
pub(super) type Values = Option<BTreeSet<Bits>>;

/// A scalar that can be ordered.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Bits {
    Bool(bool),
    Bv(u32, u128),
}

impl Bits {
    fn of(value: &Const) -> Option<Bits> {
        match value {
            Const::Bool(b) => Some(Bits::Bool(*b)),
            Const::Bv { width, bits } => Some(Bits::Bv(*width, *bits)),
            Const::Float { .. } | Const::Array(_) => None,
        }
    }

    fn term(self, store: &mut TermStore) -> Term {
        match self {
            Bits::Bool(b) => store.bool(b),
            Bits::Bv(width, bits) => store.bv(width, bits),
        }
    }
}

impl Search<'_, '_> {
    /// The candidates of the first turn; what cells may get is for the second.
    pub fn propose(&mut self) -> FxHashMap<Term, Values> {
        let values = self.values();
        let tt = self.tree.store.tt();
        for id in self.regions() {
            let region = self.tree.regions.get(id);
            let exits = region.exits.iter().enumerate();
            let blocks: Vec<usize> = exits.filter(|(_, e)| matches!(e, Exit::Block(_))).map(|(n, _)| n).collect();
            if region.hits {
                self.add(id, Kind::Safe, tt);
            }
            for n in blocks {
                self.add(id, Kind::Never(n), tt);
            }
        }
        for id in self.regions() {
            self.propose_unchanged(id);
            self.propose_values(id, &values);
        }
        for id in self.regions() {
            self.propose_comparisons(id);
        }
        values
    }

    fn propose_unchanged(&mut self, id: RegionId) {
        let region = self.tree.regions.get(id);
        let mut pairs = Vec::new();
        for (n, cell) in region.outputs.iter().enumerate() {
            if let Some(i) = region.inputs.iter().position(|c| c == cell) {
                pairs.push((self.bodies[id.0 as usize].inputs[i], self.outputs[id.0 as usize][n]));
            }
        }
        for (before, after) in pairs {
            if !self.tree.store.ty(before).is_array() {
                let same = self.tree.store.eq(before, after);
                self.add(id, Kind::Ensures, same);
            }
        }
    }

    fn propose_values(&mut self, id: RegionId, values: &FxHashMap<Term, Values>) {
        let inputs = self.bodies[id.0 as usize].inputs.clone().into_iter().map(|t| (Kind::Requires, t));
        let outputs = self.outputs[id.0 as usize].clone().into_iter().map(|t| (Kind::Ensures, t));
        for (kind, symbol) in inputs.chain(outputs).collect::<Vec<_>>() {
            let Some(Some(set)) = values.get(&symbol) else { continue };
            let equal: Vec<Term> = set.iter().map(|&v| self.equals(symbol, v)).collect();
            let any = self.tree.store.or_all(equal.iter().copied());
            self.add(id, kind, any);
            if set.len() > 1 {
                for e in equal {
                    let not = self.tree.store.not(e);
                    self.add(id, kind, not);
                }
            }
        }
    }

    fn equals(&mut self, symbol: Term, value: Bits) -> Term {
        let value = value.term(&mut self.tree.store);
        self.tree.store.eq(symbol, value)
    }

    /// Two enumerated cells do not have these two values together.
    pub fn propose_pairs(&mut self, id: RegionId, values: &FxHashMap<Term, Values>) {
        let few = |t: &Term| match values.get(t) {
            Some(Some(set)) if set.len() > 1 => Some((*t, set.clone())),
            _ => None,
        };
        let inputs: Vec<(Term, BTreeSet<Bits>)> = self.bodies[id.0 as usize].inputs.iter().filter_map(few).collect();
        let outputs: Vec<(Term, BTreeSet<Bits>)> = self.outputs[id.0 as usize].iter().filter_map(few).collect();
        let mut pairs = Vec::new();
        for (n, a) in inputs.iter().enumerate() {
            inputs[..n].iter().for_each(|b| pairs.push((Kind::Requires, b.clone(), a.clone())));
            outputs.iter().for_each(|b| pairs.push((Kind::Ensures, a.clone(), b.clone())));
        }
        for (n, a) in outputs.iter().enumerate() {
            outputs[..n].iter().for_each(|b| pairs.push((Kind::Ensures, b.clone(), a.clone())));
        }
        pairs.sort_by_key(|(_, a, b)| a.1.len() * b.1.len());
        for (kind, (x, xs), (y, ys)) in pairs {
            for &a in &xs {
                for &b in &ys {
                    let (first, second) = (self.equals(x, a), self.equals(y, b));
                    let both = self.tree.store.and(first, second);
                    let never = self.tree.store.not(both);
                    let alone = vec![self.tree.store.not(first), self.tree.store.not(second)];
                    self.add_weaker(id, kind, never, alone);
                }
            }
        }
    }

    /// Three enumerated cells do not have these three values together. Those with the fewest values come first.
    pub fn propose_triples(&mut self, id: RegionId, values: &FxHashMap<Term, Values>) {
        let few = |(output, t): (bool, &Term)| match values.get(t) {
            Some(Some(set)) if set.len() > 1 => Some((output, *t, set.clone())),
            _ => None,
        };
        let inputs = self.bodies[id.0 as usize].inputs.iter().map(|t| (false, t));
        let outputs = self.outputs[id.0 as usize].iter().map(|t| (true, t));
        let cells: Vec<(bool, Term, BTreeSet<Bits>)> = inputs.chain(outputs).filter_map(few).collect();
        let mut triples = Vec::new();
        for k in 0..cells.len() {
            for j in 0..k {
                triples.extend((0..j).map(|i| [i, j, k]));
            }
        }
        triples.sort_by_key(|triple| triple.iter().map(|&n| cells[n].2.len()).product::<usize>());
        for [i, j, k] in triples {
            let (a, b, c) = (&cells[i], &cells[j], &cells[k]);
            let kind = if a.0 || b.0 || c.0 { Kind::Ensures } else { Kind::Requires };
            for &x in &a.2 {
                for (&y, &z) in b.2.iter().flat_map(|y| c.2.iter().map(move |z| (y, z))) {
                    if self.is_full(id) {
                        return;
                    }
                    let parts = [self.equals(a.1, x), self.equals(b.1, y), self.equals(c.1, z)];
                    self.propose_never(id, kind, parts);
                }
            }
        }
    }

    /// Not all three together. What says so of one or two of them already is stronger.
    fn propose_never(&mut self, id: RegionId, kind: Kind, [a, b, c]: [Term; 3]) {
        let store = &mut self.tree.store;
        let mut never = |x: Term, y: Term| {
            let both = store.and(x, y);
            store.not(both)
        };
        let stronger = vec![never(a, a), never(b, b), never(c, c), never(a, b), never(a, c), never(b, c)];
        let first = store.and(a, b);
        let all = store.and(first, c);
        let term = store.not(all);
        self.add_weaker(id, kind, term, stronger);
    }

    /// Comparisons of inputs that the region makes, of outputs that a caller makes.
    fn propose_comparisons(&mut self, id: RegionId) {
        let body = Rc::clone(&self.bodies[id.0 as usize]);
        let mut roots: Vec<Term> = body.targets.iter().map(|&(_, t)| t).collect();
        roots.extend(body.calls.iter().map(|c| c.guard));
        roots.extend(body.exits.iter().map(|(g, _)| *g));
        let inputs: FxHashSet<Term> = body.inputs.iter().copied().collect();
        for t in comparisons(&self.tree.store, &roots, &inputs) {
            let not = self.tree.store.not(t);
            self.add(id, Kind::Requires, t);
            self.add(id, Kind::Requires, not);
        }
        for call in &body.calls {
            let mut given: Vec<Term> = call.outputs.clone();
            if self.outputs[call.callee.0 as usize].len() > given.len() {
                given.extend(call.brought.first().into_iter().flatten());
            }
            let symbols: FxHashSet<Term> = given.iter().copied().collect();
            let mut map = Substitution::default();
            given.iter().zip(&self.outputs[call.callee.0 as usize]).for_each(|(&a, &b)| map.set(a, b));
            for t in comparisons(&self.tree.store, &roots, &symbols) {
                let t = map.apply(&mut self.tree.store, t);
                let not = self.tree.store.not(t);
                self.add(call.callee, Kind::Ensures, t);
                self.add(call.callee, Kind::Ensures, not);
            }
        }
    }

    /// Which constants inputs and outputs get, whatever the guards: the least solution of the flow between regions.
    fn values(&mut self) -> FxHashMap<Term, Values> {
        let mut edges: Vec<(Term, Term)> = Vec::new(); // from a leaf to a symbol of an interface
        let mut meaning: FxHashMap<Term, Term> = FxHashMap::default();
        for (n, body) in self.bodies.iter().enumerate() {
            for call in &body.calls {
                let callee = call.callee.0 as usize;
                let mut given: Vec<Term> = call.outputs.clone();
                if self.outputs[callee].len() > given.len() {
                    given.extend(call.brought.first().into_iter().flatten());
                }
                meaning.extend(given.into_iter().zip(self.outputs[callee].iter().copied()));
                let args = call.args.iter().zip(&self.bodies[callee].inputs);
                args.for_each(|(&arg, &input)| leaves(&self.tree.store, arg, input, &mut edges));
            }
            for (_, values) in body.exits.iter().filter(|(g, _)| *g != self.tree.store.ff()) {
                let values = values.iter().zip(&self.outputs[n]);
                values.for_each(|(&value, &output)| leaves(&self.tree.store, value, output, &mut edges));
            }
        }
        if let Some(entry) = self.tree.regions.program.entry.map(|e| self.tree.regions.id(e, None)) {
            let (initial, _) = body::initial(&self.tree.regions, entry, &mut self.tree.store);
            let inputs = self.bodies[entry.0 as usize].inputs.clone();
            initial.into_iter().zip(inputs).for_each(|(value, input)| edges.push((value, input)));
        }
        let faces = self.bodies.iter().flat_map(|b| b.inputs.iter()).chain(self.outputs.iter().flatten());
        let mut values: FxHashMap<Term, Values> = faces.map(|&t| (t, Some(BTreeSet::new()))).collect();
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &(from, to) in &edges {
                let from = meaning.get(&from).copied().unwrap_or(from);
                let incoming = match self.tree.store.constant(from) {
                    Some(c) => Bits::of(c).map(|bits| BTreeSet::from([bits])),
                    None => values.get(&from).cloned().flatten(),
                };
                let Some(Some(set)) = values.get_mut(&to) else { continue };
                let before = set.len();
                match incoming {
                    Some(more) => set.extend(more),
                    None => {
                        values.insert(to, None);
                        changed = true;
                        continue;
                    }
                }
                if set.len() > MAX_VALUES {
                    values.insert(to, None);
                    changed = true;
                } else {
                    changed |= set.len() > before;
                }
            }
        }
        values.retain(|_, set| set.as_ref().is_some_and(|s| !s.is_empty()));
        values
    }
}

/// The leaves of a tree of `Ite` flow to the symbol.
fn leaves(store: &TermStore, term: Term, to: Term, edges: &mut Vec<(Term, Term)>) {
    let mut seen = FxHashSet::default();
    let mut work = vec![term];
    while let Some(t) = work.pop() {
        if t == to || !seen.insert(t) {
            continue;
        }
        match store.node(t) {
            Node::Ite(_, a, b) => work.extend([a, b]),
            Node::Const(_) | Node::Var(_) | Node::Un(..) | Node::Bin(..) | Node::Store(..) => edges.push((t, to)),
        }
    }
}

/// Small comparisons over these symbols alone.
fn comparisons(store: &TermStore, roots: &[Term], symbols: &FxHashSet<Term>) -> Vec<Term> {
    let mut size: FxHashMap<Term, u32> = FxHashMap::default();
    let mut found = Vec::new();
    for t in store.reachable(roots) {
        let own = match store.node(t) {
            Node::Const(_) => Some(0),
            Node::Var(_) => symbols.contains(&t).then_some(1),
            Node::Store(..) => None,
            node @ (Node::Un(..) | Node::Bin(..) | Node::Ite(..)) => {
                node.args().try_fold(1u32, |sum, a| Some(sum + size.get(&a)?))
            }
        };
        let Some(own) = own.filter(|&n| n <= MAX_SIZE) else { continue };
        size.insert(t, own);
        let compares =
            matches!(store.node(t), Node::Bin(BinOp::Eq | BinOp::Ult | BinOp::Ule | BinOp::Slt | BinOp::Sle, _, _));
        let is_cell = store.ty(t) == Type::BOOL && store.as_symbol(t).is_some();
        if own > 0 && (compares || is_cell) {
            found.push(t);
        }
    }
    found
}
