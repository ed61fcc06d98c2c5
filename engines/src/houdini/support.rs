//! What of the invariants a proof rests on: certificates should not say more, since each formula is checked again.
//!
//! From the property backwards: the core of "no violation after k cuts without one" names the invariants it needs, and
//! the core of each one's own induction step names what that needs, until nothing new is named. The result is inductive
//! by itself. A core is not the smallest, and where a question is too hard everything stays.

use crate::cuts::{Cut, CutSystem, Start, Unfolding};
use crate::logic::{Answer, Limits, Solver, Term};
use crate::task::Context;
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Instant;
use syncline_ir::{Prop, Type};

/// The share of the time left that may be spent.
const SHARE: u32 = 10;

/// Invariants that are inductive and suffice for the step of these properties; all of them where that takes too long.
/// Those given must be, with this `k`.
pub fn support(
    system: &mut CutSystem,
    props: &[Prop],
    k: u32,
    invariants: &[(Cut, Term)],
    context: &Context,
) -> Vec<(Cut, Term)> {
    support_on(system, props, k, false, invariants, context)
}

/// The same for a step that may take the states of a run to be pairwise different.
pub fn support_on_simple_paths(
    system: &mut CutSystem,
    prop: Prop,
    k: u32,
    invariants: &[(Cut, Term)],
    context: &Context,
) -> Vec<(Cut, Term)> {
    support_on(system, &[prop], k, true, invariants, context)
}

fn support_on(
    system: &mut CutSystem,
    props: &[Prop],
    k: u32,
    simple: bool,
    invariants: &[(Cut, Term)],
    context: &Context,
) -> Vec<(Cut, Term)> {
    let now = Instant::now();
    let until = now + context.deadline.saturating_duration_since(now) / SHARE;
    needed(system, props, k, simple, invariants, until, context).unwrap_or_else(|| invariants.to_vec())
}

fn needed(
    system: &mut CutSystem,
    props: &[Prop],
    k: u32,
    simple: bool,
    invariants: &[(Cut, Term)],
    until: Instant,
    context: &Context,
) -> Option<Vec<(Cut, Term)>> {
    let mut unfolding = Unfolding::new(system, Start::Anywhere);
    for _ in 0..=k {
        unfolding.extend(system);
    }
    let mut steps = Steps { solver: (context.solver)(), selectors: Vec::new(), number: FxHashMap::default() };
    for &(cut, term) in invariants {
        steps.select(system, &unfolding, k as usize, cut, term);
    }
    if simple {
        for formula in (0..=k as usize).flat_map(|layer| unfolding.differs(system, layer)).collect::<Vec<_>>() {
            steps.solver.assert(&mut system.store, formula);
        }
    }
    let step = unfolding.steps[k as usize + 1].clone();
    let bad: Vec<Term> = props.iter().map(|&prop| step.bad(&mut system.store, prop)).collect();
    let bad = system.store.or_all(bad);
    let mut found: FxHashSet<usize> = FxHashSet::default();
    let mut waiting = steps.core(system, bad, until)?;
    // An invariant's own step is one segment from anywhere.
    let mut single = Steps { solver: (context.solver)(), selectors: Vec::new(), number: FxHashMap::default() };
    for &(cut, term) in invariants {
        single.select(system, &unfolding, 0, cut, term);
    }
    let next: FxHashMap<Cut, Term> = unfolding.layers[1].at.iter().copied().collect();
    while let Some(n) = waiting.pop() {
        if !found.insert(n) {
            continue;
        }
        let (cut, term) = invariants[n];
        let Some(&at) = next.get(&cut) else { continue };
        let there = unfolding.at_layer(system, 1, term);
        let not = system.store.not(there);
        let violated = system.store.and(at, not);
        waiting.extend(single.core(system, violated, until)?);
    }
    let kept = invariants.iter().enumerate().filter(|(n, _)| found.contains(n));
    Some(kept.map(|(_, &invariant)| invariant).collect())
}

/// A solver in which each invariant holds at the first layers if its selector does.
struct Steps {
    solver: Box<dyn Solver>,
    selectors: Vec<Term>,
    number: FxHashMap<Term, usize>,
}

impl Steps {
    fn select(&mut self, system: &mut CutSystem, unfolding: &Unfolding, last: usize, cut: Cut, term: Term) {
        let selector = system.store.new_symbol("invariant", Type::BOOL);
        self.number.insert(selector, self.selectors.len());
        self.selectors.push(selector);
        for layer in 0..=last {
            let Some(&(_, at)) = unfolding.layers[layer].at.iter().find(|(c, _)| *c == cut) else { continue };
            let there = unfolding.at_layer(system, layer, term);
            let selected = system.store.and(selector, at);
            let formula = system.store.implies(selected, there);
            self.solver.assert(&mut system.store, formula);
        }
    }

    /// The invariants that keep this from happening; `None` if they are not seen to.
    fn core(&mut self, system: &mut CutSystem, goal: Term, until: Instant) -> Option<Vec<usize>> {
        if goal == system.store.ff() {
            return Some(Vec::new());
        }
        let mut assumptions = self.selectors.clone();
        assumptions.push(goal);
        match self.solver.check(&mut system.store, &assumptions, &Limits::until(until)) {
            Answer::Unsat => Some(self.solver.core().iter().filter_map(|t| self.number.get(t).copied()).collect()),
            Answer::Sat | Answer::Unknown(_) => None,
        }
    }
}
