//! Takes candidates out until the rest holds at the first cuts and is kept by every segment.
//!
//! A round asks for a state in which all candidates hold and a segment that leads to one where some does not; those it
//! shows wrong go. Where that one question is too hard, each candidate is asked about by itself, and goes if its own
//! question is too hard as well: what is left is proved either way.

use crate::cuts::{Cut, CutSystem, Start, Unfolding};
use crate::logic::{Answer, Limits, ModelView, Solver, Term};
use crate::task::Context;
use rustc_hash::FxHashMap;
use std::time::Instant;
use syncline_ir::Type;

/// The share of the time left for the one question about all candidates.
const TOGETHER: u32 = 4;

/// The candidates that hold at the first cut of every run.
pub fn hold_at_start(
    system: &mut CutSystem,
    candidates: Vec<(Cut, Term)>,
    until: Instant,
    context: &Context,
) -> Option<Vec<(Cut, Term)>> {
    let start = Unfolding::new(system, Start::Init);
    let mut left = Left::new(system, &start, 0, candidates, (context.solver)());
    while left.filter(system, &[], until)? {}
    Some(left.candidates)
}

/// The candidates that are kept by every segment together.
pub fn keep(
    system: &mut CutSystem,
    candidates: Vec<(Cut, Term)>,
    until: Instant,
    context: &Context,
) -> Option<Vec<(Cut, Term)>> {
    let mut unfolding = Unfolding::new(system, Start::Anywhere);
    unfolding.extend(system);
    let at: FxHashMap<Cut, Term> = unfolding.layers[0].at.iter().copied().collect();
    let mut left = Left::new(system, &unfolding, 1, candidates, (context.solver)());
    // A selector for each candidate: retracted by not assuming it.
    let mut selectors: FxHashMap<(Cut, Term), Term> = FxHashMap::default();
    for &(cut, term) in &left.candidates {
        let selector = system.store.new_symbol("candidate", Type::BOOL);
        let there = system.store.and(selector, at[&cut]);
        let formula = system.store.implies(there, term);
        left.solver.assert(&mut system.store, formula);
        selectors.insert((cut, term), selector);
    }
    loop {
        let assumptions: Vec<Term> = left.candidates.iter().map(|c| selectors[c]).collect();
        if left.candidates.is_empty() || !left.filter(system, &assumptions, until)? {
            return Some(left.candidates);
        }
    }
}

/// The candidates that are left.
struct Left {
    candidates: Vec<(Cut, Term)>,
    /// For each, when a run is at its cut and it is false.
    goals: Vec<Term>,
    solver: Box<dyn Solver>,
    /// The question about all at once was too hard.
    hard: bool,
}

impl Left {
    fn new(
        system: &mut CutSystem,
        unfolding: &Unfolding,
        layer: usize,
        candidates: Vec<(Cut, Term)>,
        solver: Box<dyn Solver>,
    ) -> Left {
        let at: FxHashMap<Cut, Term> = unfolding.layers[layer].at.iter().copied().collect();
        let mut goals = Vec::new();
        for &(cut, term) in &candidates {
            let goal = match at.get(&cut) {
                Some(&at) => {
                    let there = unfolding.at_layer(system, layer, term);
                    let not = system.store.not(there);
                    system.store.and(at, not)
                }
                None => system.store.ff(),
            };
            goals.push(goal);
        }
        Left { candidates, goals, solver, hard: false }
    }

    /// Takes out candidates whose goal is met under the assumptions, or may be; false when there is none.
    fn filter(&mut self, system: &mut CutSystem, assumptions: &[Term], until: Instant) -> Option<bool> {
        if !self.hard {
            let any = system.store.or_all(self.goals.iter().copied());
            match self.ask(system, assumptions, any, within(until, TOGETHER)) {
                Answer::Unsat => return Some(false),
                Answer::Sat => return self.take_out(system).then_some(true),
                Answer::Unknown(_) => self.hard = true,
            }
        }
        for n in 0..self.goals.len() {
            if Instant::now() >= until {
                return None;
            }
            let share = 2 * (self.goals.len() - n) as u32;
            match self.ask(system, assumptions, self.goals[n], within(until, share)) {
                Answer::Unsat => {}
                Answer::Sat => return self.take_out(system).then_some(true),
                Answer::Unknown(_) => {
                    self.candidates.remove(n);
                    self.goals.remove(n);
                    return Some(true);
                }
            }
        }
        Some(false)
    }

    fn ask(&mut self, system: &mut CutSystem, assumptions: &[Term], goal: Term, until: Instant) -> Answer {
        if goal == system.store.ff() {
            return Answer::Unsat;
        }
        let mut assumed = assumptions.to_vec();
        assumed.push(goal);
        self.solver.check(&mut system.store, &assumed, &Limits::until(until))
    }

    /// Takes out what the model shows wrong; false if it shows nothing.
    fn take_out(&mut self, system: &CutSystem) -> bool {
        let mut model = ModelView::new(&mut *self.solver);
        let kept: Vec<bool> = self.goals.iter().map(|&g| !model.is_true(&system.store, g)).collect();
        let mut at = kept.iter();
        self.candidates.retain(|_| *at.next().unwrap_or(&true));
        let mut at = kept.iter();
        self.goals.retain(|_| *at.next().unwrap_or(&true));
        kept.contains(&false)
    }
}

/// A share of the time left.
fn within(until: Instant, share: u32) -> Instant {
    let now = Instant::now();
    now + until.saturating_duration_since(now) / share
}
