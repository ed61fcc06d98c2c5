//! What contracts may say: the candidates of the elimination.
//!
//! First: for inputs and outputs that get few constants, that they have one of these, or not this one; comparisons of inputs that
//! the region makes, of outputs that its callers make, and of several cells ([`super::conditions`]); that an output is as it
//! came in; that nothing asked for is reached, that a loop is never left to a block outside, that nobody comes here. And what the
//! abstract interpretation says of loops ([`super::facts`]).
//!
//! Then, turn by turn, what several of these do not have together (the type-states of the property are such): pairs, then threes
//! and fours of what excludes each other in pairs, at last all threes, leaving out what is known of fewer of them, as in the
//! search for frequent sets (Agrawal, Srikant: "Fast Algorithms for Mining Association Rules", 1994).

use super::body::CallSite;
use super::conditions::Conditions;
use super::contract::{Kind, Search, Stage};
use super::region::{Exit, RegionId};
use super::values::{Bits, Flow};
use crate::logic::subst::Substitution;
use crate::logic::{Node, Term, TermStore};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::rc::Rc;
use syncline_ir::{BinOp, Type};

/// How large a comparison may be.
pub(super) const MAX_SIZE: u32 = 12;
/// Conditions of one region that are tried together with other things.
const MAX_CONDITIONS: usize = 24;
/// Groups of cells of one region.
const MAX_GROUPS: usize = 4_000;
/// Combinations of values of one region that are looked at in one turn.
const MAX_STEPS: u32 = 200_000;

/// A cell that gets a few constants, or a condition on inputs.
struct Enumerated {
    /// It is given back.
    output: bool,
    term: Term,
    /// That it has this value, for each.
    literals: Vec<Term>,
    /// It may have other values.
    any: bool,
    is: Is,
}

/// What has the values.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Is {
    Cell,
    Condition,
    /// A condition about several cells: what it has to do with others shows in no pair.
    Relation,
}

impl Enumerated {
    /// What a formula about these cells is.
    fn kind_of(cells: &[&Enumerated]) -> Kind {
        match cells.iter().any(|c| c.output) {
            true => Kind::Ensures,
            false => Kind::Requires,
        }
    }
}

impl Search<'_, '_> {
    /// The candidates of the first turn; what cells may get is for the second.
    pub fn propose(&mut self) -> Flow {
        let flow = Flow::of(self);
        let (tt, ff) = (self.tree.store.tt(), self.tree.store.ff());
        for id in self.regions() {
            // Nobody comes here. This is what is said of a region that no value flows into.
            self.add(id, Kind::Requires, ff);
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
            self.propose_values(id, &flow);
        }
        for id in self.regions() {
            self.propose_comparisons(id, &flow);
        }
        self.conditions = Conditions::find(self, &flow);
        for id in self.regions() {
            for (output, t) in self.conditions.of(id).collect::<Vec<_>>() {
                let kind = if output { Kind::Ensures } else { Kind::Requires };
                let not = self.tree.store.not(t);
                self.add_never(id, kind, vec![t]);
                self.add_never(id, kind, vec![not]);
            }
        }
        flow
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

    fn propose_values(&mut self, id: RegionId, flow: &Flow) {
        for cell in self.cells(id, flow) {
            let kind = Enumerated::kind_of(&[&cell]);
            let any = self.tree.store.or_all(cell.literals.iter().copied());
            self.add(id, kind, any);
            if cell.literals.len() > 1 && !cell.any {
                cell.literals.iter().for_each(|&e| self.add_never(id, kind, vec![e]));
            }
        }
    }

    /// The cells of a region that get a few constants; if they get others too, at least two.
    fn cells(&mut self, id: RegionId, flow: &Flow) -> Vec<Enumerated> {
        let inputs = self.bodies[id.0 as usize].inputs.iter().map(|&t| (false, t));
        let symbols: Vec<(bool, Term)> = inputs.chain(self.outputs[id.0 as usize].iter().map(|&t| (true, t))).collect();
        let mut cells = Vec::new();
        for (output, symbol) in symbols.into_iter().filter(|(_, t)| flow.relevant.contains(t)) {
            for (term, values) in flow.cells(&mut self.tree.store, symbol) {
                if values.set.len() > usize::from(values.any) {
                    let literals = values.set.iter().map(|&v| self.equals(term, v)).collect();
                    cells.push(Enumerated { output, term, literals, any: values.any, is: Is::Cell });
                }
            }
        }
        cells
    }

    /// The cells of a region that have several values, and the conditions on its inputs that are open.
    fn choices(&mut self, id: RegionId, flow: &Flow) -> Vec<Enumerated> {
        let mut cells = self.cells(id, flow);
        let excluded = |this: &Self, literal: Term| this.is_excluded(id, &[literal]);
        cells.iter_mut().for_each(|c| c.literals.retain(|&l| !excluded(self, l)));
        cells.retain(|c| c.literals.len() > 1);
        let terms: FxHashSet<Term> = cells.iter().map(|c| c.term).collect();
        let mut conditions = 0;
        let mut found: Vec<(bool, Term, Is)> =
            self.conditions.of(id).map(|(output, t)| (output, t, Is::Relation)).collect();
        for t in self.comparisons_of_inputs(id, flow) {
            if found.iter().all(|&(_, known, _)| known != t) {
                found.push((false, t, Is::Condition));
            }
        }
        for (output, term, is) in found {
            let literals = vec![term, self.tree.store.not(term)];
            let of_cell = is == Is::Condition && self.tree.store.node(term).args().any(|a| terms.contains(&a));
            let open = !of_cell && !terms.contains(&term) && !literals.iter().any(|&l| excluded(self, l));
            if open && conditions < MAX_CONDITIONS {
                conditions += 1;
                cells.push(Enumerated { output, term, literals, any: false, is });
            }
        }
        cells
    }

    fn equals(&mut self, symbol: Term, value: Bits) -> Term {
        let value = value.term(&mut self.tree.store);
        self.tree.store.eq(symbol, value)
    }

    /// With this value of one cell, another that may have any value has one of its constants.
    fn propose_thens(&mut self, id: RegionId, cells: &[Enumerated]) {
        for second in cells.iter().filter(|c| c.any) {
            let one = self.tree.store.or_all(second.literals.iter().copied());
            for first in cells.iter().filter(|&c| !std::ptr::eq(c, second)) {
                let kind = Enumerated::kind_of(&[first, second]);
                for &has in &first.literals {
                    let then = self.tree.store.implies(has, one);
                    self.add(id, kind, then);
                }
            }
        }
    }

    /// So many cells do not have some of their values together. Of more than two cells, each has to do with another one of
    /// them where the stage asks for it: some of their values exclude each other. Those with the most such ties come first,
    /// then those with the fewest values.
    pub fn propose_together(&mut self, id: RegionId, flow: &Flow, stage: Stage) {
        let cells = self.choices(id, flow);
        self.propose_thens(id, &cells);
        let fits = |group: &[usize]| group.iter().filter(|&&n| cells[n].is != Is::Cell).count() <= stage.conditions;
        let mut links: FxHashSet<(usize, usize)> = FxHashSet::default();
        let pairs = (0..cells.len()).flat_map(|k| (0..k).map(move |j| (j, k)));
        let all = stage.members == 2 || !stage.linked;
        links.extend(pairs.filter(|&(j, k)| all || self.are_linked(id, &cells[j], &cells[k])));
        let mut groups: Vec<Vec<usize>> = (0..cells.len()).map(|n| vec![n]).collect();
        for _ in 1..stage.members {
            groups = grown(&groups, &links, fits);
        }
        groups.sort_by_cached_key(|group| {
            let pairs = group.iter().flat_map(|&k| group.iter().map(move |&j| (j, k)));
            let linked = pairs.filter(|pair| links.contains(pair)).count();
            (Reverse(linked), group.iter().map(|&n| cells[n].literals.len()).product::<usize>())
        });
        let mut steps = MAX_STEPS;
        for group in groups {
            let group: Vec<&Enumerated> = group.iter().map(|&n| &cells[n]).collect();
            self.propose_of_group(id, &group, &mut Vec::new(), &mut steps);
        }
    }

    fn are_linked(&self, id: RegionId, a: &Enumerated, b: &Enumerated) -> bool {
        if a.is == Is::Relation || b.is == Is::Relation {
            return true;
        }
        a.literals.iter().any(|&x| b.literals.iter().any(|&y| self.is_excluded(id, &[x, y])))
    }

    /// What these cells do not have together, unless that is known of fewer of them already.
    fn propose_of_group(&mut self, id: RegionId, group: &[&Enumerated], chosen: &mut Vec<Term>, steps: &mut u32) {
        if *steps == 0 || self.is_full(id) {
            return;
        }
        *steps -= 1;
        let Some(cell) = group.get(chosen.len()) else {
            self.add_never(id, Enumerated::kind_of(group), chosen.clone());
            return;
        };
        for &literal in &cell.literals {
            chosen.push(literal);
            if !self.is_excluded(id, chosen) {
                self.propose_of_group(id, group, chosen, steps);
            }
            chosen.pop();
        }
    }

    /// Comparisons of inputs that the region makes, of outputs that a caller makes.
    fn propose_comparisons(&mut self, id: RegionId, flow: &Flow) {
        for t in self.comparisons_of_inputs(id, flow) {
            let not = self.tree.store.not(t);
            self.add_never(id, Kind::Requires, vec![not]);
            self.add_never(id, Kind::Requires, vec![t]);
        }
        let body = Rc::clone(&self.bodies[id.0 as usize]);
        let roots = body.guards();
        for call in &body.calls {
            let given = self.given(call);
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

    /// Of these the way through the region depends, or what it gives to others that matters.
    fn comparisons_of_inputs(&self, id: RegionId, flow: &Flow) -> Vec<Term> {
        let body = &self.bodies[id.0 as usize];
        let inputs: FxHashSet<Term> = body.inputs.iter().copied().collect();
        let mut roots = body.guards();
        for call in &body.calls {
            let args = call.args.iter().zip(&self.bodies[call.callee.0 as usize].inputs);
            roots.extend(args.filter(|(_, input)| flow.relevant.contains(input)).map(|(&arg, _)| arg));
        }
        for (_, values) in &body.exits {
            let values = values.iter().zip(&self.outputs[id.0 as usize]);
            roots.extend(values.filter(|(_, output)| flow.relevant.contains(output)).map(|(&value, _)| value));
        }
        comparisons(&self.tree.store, &roots, &inputs)
    }

    /// What a call gives back, in the order of its callee's outputs.
    pub(super) fn given(&self, call: &CallSite) -> Vec<Term> {
        let mut given: Vec<Term> = call.outputs.clone();
        if self.outputs[call.callee.0 as usize].len() > given.len() {
            given.extend(call.brought.first().into_iter().flatten());
        }
        given
    }
}

/// Groups with one more member each, that has to do with one of them. Members stand in their order.
fn grown(groups: &[Vec<usize>], links: &FxHashSet<(usize, usize)>, fits: impl Fn(&[usize]) -> bool) -> Vec<Vec<usize>> {
    let mut larger: BTreeSet<Vec<usize>> = BTreeSet::new();
    for &(j, k) in links {
        for group in groups {
            for (in_, new) in [(j, k), (k, j)] {
                if larger.len() < MAX_GROUPS && group.contains(&in_) && !group.contains(&new) {
                    let mut more = group.clone();
                    more.push(new);
                    more.sort_unstable();
                    if fits(&more) {
                        larger.insert(more);
                    }
                }
            }
        }
    }
    larger.into_iter().collect()
}

/// Small comparisons over these symbols alone.
pub(super) fn comparisons(store: &TermStore, roots: &[Term], symbols: &FxHashSet<Term>) -> Vec<Term> {
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
