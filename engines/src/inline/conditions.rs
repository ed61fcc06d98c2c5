//! Comparisons of several cells that contracts may speak of: those that the program makes, carried backwards to where they
//! come from.
//!
//! What a region asks of its inputs is asked of its callers' arguments there, and what a caller asks of outputs is asked of what
//! the exits give: weakest preconditions, one branch at a time. A value that a call has given back is taken as it went in,
//! or as one of the ways through the callee changes it. These are guesses: nothing rests on them, for candidates are made of
//! them (`token == local + 1` at the error is `token == local` before the process that counts `token` up). Such changes are
//! conditions of outputs too.

use super::candidates::{comparisons, MAX_SIZE};
use super::contract::Search;
use super::region::RegionId;
use super::values::Flow;
use crate::logic::subst::Substitution;
use crate::logic::{Node, Term, TermStore};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Instant;
use syncline_ir::BinOp;

/// Conditions of one region on what it takes in, and as many on what it gives back.
const MAX_CONDITIONS: usize = 6;
/// Branches of one value, ways to replace the values in one condition, conditions that one becomes in one region.
const MAX_LEAVES: usize = 4;
const MAX_WAYS: usize = 8;
const MAX_PLACED: usize = 24;

/// Where a condition holds: over the inputs, or over these and the outputs.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Side {
    Inputs,
    Outputs,
}

/// By region.
#[derive(Default)]
pub(super) struct Conditions {
    inputs: Vec<Vec<Term>>,
    outputs: Vec<Vec<Term>>,
}

impl Conditions {
    /// Those of a region, and whether they speak of its outputs.
    pub fn of(&self, id: RegionId) -> impl Iterator<Item = (bool, Term)> + '_ {
        let of = |side: &'_ [Vec<Term>]| side.get(id.0 as usize).cloned().unwrap_or_default();
        let inputs = of(&self.inputs).into_iter().map(|t| (false, t));
        inputs.chain(of(&self.outputs).into_iter().map(|t| (true, t)))
    }

    pub fn find(search: &mut Search, flow: &Flow) -> Conditions {
        let count = search.bodies.len();
        let mut back: Vec<FxHashMap<Term, (usize, usize)>> = vec![FxHashMap::default(); count];
        for (n, of) in back.iter_mut().enumerate() {
            let body = Rc::clone(&search.bodies[n]);
            for (call, site) in body.calls.iter().enumerate() {
                of.extend(search.given(site).into_iter().enumerate().map(|(k, t)| (t, (call, k))));
            }
        }
        let found = Conditions { inputs: vec![Vec::new(); count], outputs: vec![Vec::new(); count] };
        let mut finder = Finder { search, flow, back, found, work: VecDeque::new() };
        finder.seed();
        while let Some((id, side, t)) = finder.work.pop_front() {
            if Instant::now() >= finder.search.until {
                break;
            }
            match side {
                Side::Inputs => finder.through_callers(id, t),
                Side::Outputs => finder.through_exits(id, t),
            }
        }
        finder.found
    }
}

struct Finder<'f, 's, 't, 'p> {
    search: &'f mut Search<'t, 'p>,
    flow: &'s Flow,
    /// By region, what calls have given back: the call, and which of its outputs.
    back: Vec<FxHashMap<Term, (usize, usize)>>,
    found: Conditions,
    work: VecDeque<(RegionId, Side, Term)>,
}

impl Finder<'_, '_, '_, '_> {
    /// The comparisons that regions make, and how outputs change.
    fn seed(&mut self) {
        for id in self.search.regions() {
            let body = Rc::clone(&self.search.bodies[id.0 as usize]);
            let mut symbols: FxHashSet<Term> = body.inputs.iter().copied().collect();
            symbols.extend(self.back[id.0 as usize].keys().copied());
            for t in comparisons(&self.search.tree.store, &body.guards(), &symbols) {
                if speaks_of_several(&self.search.tree.store, t) {
                    self.place(id, t);
                }
            }
        }
        for id in self.search.regions() {
            for k in 0..self.search.outputs[id.0 as usize].len() {
                let output = self.search.outputs[id.0 as usize][k];
                if !self.flow.relevant.contains(&output) || self.search.tree.store.ty(output).is_array() {
                    continue;
                }
                let (changes, same) = (self.changes(id, k), self.unchanged(id, k));
                let same = same.filter(|_| !changes.is_empty()).map(|i| self.search.bodies[id.0 as usize].inputs[i]);
                for value in changes.into_iter().chain(same) {
                    let changed = self.search.tree.store.eq(output, value);
                    self.add(id, Side::Outputs, changed);
                }
            }
        }
    }

    fn add(&mut self, id: RegionId, side: Side, t: Term) {
        let of = match side {
            Side::Inputs => &mut self.found.inputs[id.0 as usize],
            Side::Outputs => &mut self.found.outputs[id.0 as usize],
        };
        let not = self.search.tree.store.not(t);
        if of.len() < MAX_CONDITIONS && !of.contains(&t) && !of.contains(&not) {
            of.push(t);
            self.work.push_back((id, side, t));
        }
    }

    fn through_callers(&mut self, id: RegionId, t: Term) {
        let inputs = self.search.bodies[id.0 as usize].inputs.clone();
        for caller in self.search.regions() {
            let body = Rc::clone(&self.search.bodies[caller.0 as usize]);
            for call in body.calls.iter().filter(|c| c.callee == id) {
                for t in self.ways(t, &inputs, &call.args) {
                    self.place(caller, t);
                }
            }
        }
    }

    fn through_exits(&mut self, id: RegionId, t: Term) {
        let (body, outputs) =
            (Rc::clone(&self.search.bodies[id.0 as usize]), self.search.outputs[id.0 as usize].clone());
        let never = self.search.tree.store.ff();
        for (_, values) in body.exits.iter().filter(|(guard, _)| *guard != never) {
            for t in self.ways(t, &outputs, values) {
                self.place(id, t);
            }
        }
    }

    /// The term with values put in for symbols, each branch of them by itself.
    fn ways(&mut self, t: Term, symbols: &[Term], values: &[Term]) -> Vec<Term> {
        let store = &self.search.tree.store;
        let occurs: FxHashSet<Term> = store.symbols_of(&[t]).iter().map(|&s| store.symbol_term(s)).collect();
        let parts = symbols.iter().zip(values).filter(|(s, _)| occurs.contains(s));
        let parts: Vec<(Term, Vec<Term>)> = parts.map(|(&s, &value)| (s, leaves(store, value))).collect();
        self.replaced(t, &parts)
    }

    /// The term with each choice of what is put in for symbols.
    fn replaced(&mut self, t: Term, parts: &[(Term, Vec<Term>)]) -> Vec<Term> {
        let mut ways: Vec<Vec<(Term, Term)>> = vec![Vec::new()];
        for (symbol, values) in parts {
            let more = ways.iter().flat_map(|way| {
                values.iter().map(|&value| way.iter().copied().chain([(*symbol, value)]).collect::<Vec<_>>())
            });
            ways = more.take(MAX_WAYS).collect();
        }
        let store = &mut self.search.tree.store;
        let put = |way: Vec<(Term, Term)>| {
            let mut map = Substitution::default();
            way.into_iter().for_each(|(symbol, value)| map.set(symbol, value));
            map.apply(store, t)
        };
        ways.into_iter().map(put).collect()
    }

    /// A condition on inputs of a region and on what its calls have given: where that can be said.
    fn place(&mut self, id: RegionId, t: Term) {
        let (mut work, mut placed) = (vec![t], 0);
        while let Some(t) = work.pop().filter(|_| placed < MAX_PLACED) {
            placed += 1;
            let store = &self.search.tree.store;
            let writes = |&t: &Term| matches!(store.node(t), Node::Store(..));
            let large = store.dag_size(&[t]) > MAX_SIZE as usize;
            if large || store.as_bool(t).is_some() || store.reachable(&[t]).iter().any(writes) {
                continue;
            }
            let symbols: Vec<Term> = store.symbols_of(&[t]).iter().map(|&s| store.symbol_term(s)).collect();
            let back = &self.back[id.0 as usize];
            match symbols.iter().filter_map(|s| back.get(s)).map(|&(call, _)| call).max() {
                None if symbols.iter().all(|s| self.search.bodies[id.0 as usize].inputs.contains(s)) => {
                    self.add(id, Side::Inputs, t);
                }
                None => {}
                Some(call) => {
                    self.say_of_callee(id, call, t, &symbols);
                    work.extend(self.before_call(id, call, t, &symbols));
                }
            }
        }
    }

    /// The condition as one of the callee's, if it gets all that this is about.
    fn say_of_callee(&mut self, id: RegionId, call: usize, t: Term, symbols: &[Term]) {
        let body = Rc::clone(&self.search.bodies[id.0 as usize]);
        let (site, back) = (&body.calls[call], &self.back[id.0 as usize]);
        let callee = site.callee.0 as usize;
        let mut map = Substitution::default();
        for symbol in symbols {
            let name = match back.get(symbol) {
                Some(&(of, k)) if of == call => Some(self.search.outputs[callee][k]),
                _ => {
                    let place = site.args.iter().position(|a| a == symbol);
                    place.map(|i| self.search.bodies[callee].inputs[i])
                }
            };
            let Some(name) = name else { return };
            map.set(*symbol, name);
        }
        let of_callee = map.apply(&mut self.search.tree.store, t);
        self.add(site.callee, Side::Outputs, of_callee);
    }

    /// What the condition was before the call, if the callee left what it gave back as it was, or changed it in one of its ways.
    fn before_call(&mut self, id: RegionId, call: usize, t: Term, symbols: &[Term]) -> Vec<Term> {
        let body = Rc::clone(&self.search.bodies[id.0 as usize]);
        let site = &body.calls[call];
        let callee = site.callee.0 as usize;
        let mut parts: Vec<(Term, Vec<Term>)> = Vec::new();
        for &symbol in symbols {
            let Some(&(of, k)) = self.back[id.0 as usize].get(&symbol) else { continue };
            if of != call {
                continue;
            }
            let mut values: Vec<Term> = Vec::new();
            if let Some(i) = self.unchanged(site.callee, k) {
                values.extend(leaves(&self.search.tree.store, site.args[i]));
            }
            for value in self.changes(site.callee, k) {
                let inputs = self.search.bodies[callee].inputs.clone();
                values.extend(self.ways(value, &inputs, &site.args));
            }
            values.truncate(MAX_LEAVES);
            parts.push((symbol, values));
        }
        self.replaced(t, &parts)
    }

    /// Which input an output is, if the region leaves it as it was.
    fn unchanged(&self, id: RegionId, output: usize) -> Option<usize> {
        let region = self.search.tree.regions.get(id);
        let cell = region.outputs.get(output)?;
        region.inputs.iter().position(|c| c == cell)
    }

    /// What an output may be, as terms over the inputs: other than the same input, and no constants.
    fn changes(&mut self, id: RegionId, output: usize) -> Vec<Term> {
        let body = Rc::clone(&self.search.bodies[id.0 as usize]);
        let same = self.unchanged(id, output).map(|i| body.inputs[i]);
        let mut found: Vec<Term> = Vec::new();
        let never = self.search.tree.store.ff();
        for (_, values) in body.exits.iter().filter(|(guard, _)| *guard != never) {
            let Some(&value) = values.get(output) else { continue };
            for leaf in leaves(&self.search.tree.store, value) {
                let Some(leaf) = self.over_inputs(id, leaf) else { continue };
                let store = &self.search.tree.store;
                let small = store.dag_size(&[leaf]) <= MAX_SIZE as usize;
                if small && store.constant(leaf).is_none() && Some(leaf) != same && !found.contains(&leaf) {
                    found.push(leaf);
                }
            }
        }
        found.truncate(MAX_LEAVES);
        found
    }

    /// A term over inputs and what calls gave back, if these leave all as it was.
    fn over_inputs(&mut self, id: RegionId, mut t: Term) -> Option<Term> {
        let body = Rc::clone(&self.search.bodies[id.0 as usize]);
        for _ in 0..=body.calls.len() {
            let store = &self.search.tree.store;
            let symbols: Vec<Term> = store.symbols_of(&[t]).iter().map(|&s| store.symbol_term(s)).collect();
            if symbols.iter().all(|s| body.inputs.contains(s)) {
                return Some(t);
            }
            let mut map = Substitution::default();
            for symbol in symbols.into_iter().filter(|s| !body.inputs.contains(s)) {
                let &(call, k) = self.back[id.0 as usize].get(&symbol)?;
                let site = &body.calls[call];
                map.set(symbol, site.args[self.unchanged(site.callee, k)?]);
            }
            t = map.apply(&mut self.search.tree.store, t);
        }
        None
    }
}

/// What a value is in the end of each of its branches.
fn leaves(store: &TermStore, value: Term) -> Vec<Term> {
    let (mut found, mut work) = (Vec::new(), vec![value]);
    while let Some(t) = work.pop().filter(|_| found.len() < MAX_LEAVES) {
        match store.node(t) {
            Node::Ite(_, a, b) => work.extend([b, a]),
            Node::Const(_) | Node::Var(_) | Node::Un(..) | Node::Bin(..) | Node::Store(..) if !found.contains(&t) => {
                found.push(t);
            }
            Node::Const(_) | Node::Var(_) | Node::Un(..) | Node::Bin(..) | Node::Store(..) => {}
        }
    }
    found
}

/// Whether a condition is about more than one cell.
fn speaks_of_several(store: &TermStore, t: Term) -> bool {
    let of_array = |t: &Term| matches!(store.node(*t), Node::Bin(BinOp::Select, ..));
    store.symbols_of(&[t]).len() > 1 || store.reachable(&[t]).iter().filter(|t| of_array(t)).count() > 1
}
