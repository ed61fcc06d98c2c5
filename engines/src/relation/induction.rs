//! Whether facts make a property k-inductive by themselves: asked before any search for lemmas.

use crate::cuts::{Cut, CutSystem, Start, Unfolding};
use crate::logic::{Answer, Limits, Solver, Term};
use crate::task::Context;
use std::time::Instant;
use syncline_ir::Prop;

/// The largest k that is tried.
const MAX_K: u32 = 2;

/// Runs of a few segments from anywhere that satisfy the facts, and such from the start.
pub struct Induction {
    step: Unfolding,
    base: Unfolding,
    stepper: Box<dyn Solver>,
    starter: Box<dyn Solver>,
    facts: Vec<(Cut, Term)>,
    /// So many facts are assumed at each layer.
    assumed: Vec<usize>,
}

impl Induction {
    pub fn new(system: &mut CutSystem, context: &Context) -> Induction {
        let mut step = Unfolding::new(system, Start::Anywhere);
        step.extend(system);
        let base = Unfolding::new(system, Start::Init);
        let (stepper, starter) = ((context.solver)(), (context.solver)());
        Induction { step, base, stepper, starter, facts: Vec::new(), assumed: vec![0] }
    }

    /// These hold at every cut of every run.
    pub fn assume(&mut self, facts: &[(Cut, Term)]) {
        self.facts.extend_from_slice(facts);
    }

    /// The k with which the property is inductive, if that is seen in time.
    pub fn proves(&mut self, system: &mut CutSystem, prop: Prop, until: Instant) -> Option<u32> {
        for k in 0..=MAX_K {
            while self.step.steps.len() <= k as usize + 1 {
                self.step.extend(system);
                self.assumed.push(0);
            }
            (0..=k as usize).for_each(|layer| self.assume_at(system, layer));
            let bad = self.step.steps[k as usize + 1].bad(&mut system.store, prop);
            if never(&mut *self.stepper, system, bad, until)? {
                return self.holds_at_first(system, prop, k, until)?.then_some(k);
            }
            if self.step.layers[k as usize + 1].at.is_empty() {
                return None;
            }
        }
        None
    }

    fn assume_at(&mut self, system: &mut CutSystem, layer: usize) {
        let at = self.step.layers[layer].at.clone();
        for &(cut, fact) in &self.facts[self.assumed[layer]..] {
            let Some(&(_, at)) = at.iter().find(|(c, _)| *c == cut) else { continue };
            let there = self.step.at_layer(system, layer, fact);
            let formula = system.store.implies(at, there);
            self.stepper.assert(&mut system.store, formula);
        }
        self.assumed[layer] = self.facts.len();
    }

    /// No run violates the property before its cut number k + 1.
    fn holds_at_first(&mut self, system: &mut CutSystem, prop: Prop, k: u32, until: Instant) -> Option<bool> {
        while self.base.steps.len() <= k as usize {
            self.base.extend(system);
        }
        let mut any = Vec::new();
        for step in &self.base.steps[..=k as usize] {
            any.push(step.bad(&mut system.store, prop));
        }
        let any = system.store.or_all(any);
        never(&mut *self.starter, system, any, until)
    }
}

/// Whether no run does this; `None` if that is too hard.
fn never(solver: &mut dyn Solver, system: &mut CutSystem, bad: Term, until: Instant) -> Option<bool> {
    if bad == system.store.ff() {
        return Some(true);
    }
    match solver.check(&mut system.store, &[bad], &Limits::until(until)) {
        Answer::Sat => Some(false),
        Answer::Unsat => Some(true),
        Answer::Unknown(_) => None,
    }
}
