//! Race analysis before the search (*Scalable Safety Verification of Statechart-like Programs*, 2.5.2): a choice between
//! writers is dropped where facts show that it does not matter.
//!
//! A variable that several processes write takes, at the end of a step, the value of the one that an input names. If from
//! every state that satisfies the facts a step does the same whatever that input is, it is zero from then on, and the
//! relation has a conditional less for every writer. A system in which no variable has several writers has no such input.
//!
//! Facts hold in all runs and go into the certificate. That is about the system with its choices: what a lemma needs to be
//! inductive there is the facts beside it, which say that the choice does not matter.

use crate::cuts::{Cut, CutSystem, Segment};
use crate::logic::subst::Substitution;
use crate::logic::{Answer, Limits, Solver, Symbol, Term};
use crate::task::Context;
use cranelift_entity::PrimaryMap;
use std::time::{Duration, Instant};
use syncline_ir::{Const, Scalar, Site, Type};

/// The most that one question may take.
const ASKING: Duration = Duration::from_millis(200);

/// The choices of a system, and what its segments are without those that do not matter.
pub struct Races {
    /// Exchanged with the system's while a search is on.
    segments: PrimaryMap<Cut, Segment>,
    open: Vec<(Cut, Symbol)>,
    /// So many facts were known when the open ones were last asked about.
    facts: Option<usize>,
    choices: u64,
}

impl Races {
    pub fn new(system: &CutSystem, choices: &[Site]) -> Races {
        let mut open = Vec::new();
        if !choices.is_empty() {
            for (cut, segment) in system.segments.iter() {
                let inputs = segment.inputs.iter().filter(|input| choices.contains(&input.site));
                open.extend(inputs.filter_map(|input| Some((cut, system.store.as_symbol(input.value)?))));
            }
        }
        let segments = if open.is_empty() { PrimaryMap::new() } else { system.segments.clone() };
        Races { segments, choices: open.len() as u64, open, facts: None }
    }

    /// Does something with the system without the choices that do not matter by these facts.
    pub fn without<T>(
        &mut self,
        system: &mut CutSystem,
        facts: &[(Cut, Term)],
        context: &mut Context,
        work: impl FnOnce(&mut CutSystem, &mut Context) -> T,
    ) -> T {
        if self.choices == 0 {
            return work(system, context);
        }
        self.resolve(system, facts, context);
        std::mem::swap(&mut system.segments, &mut self.segments);
        let done = work(system, context);
        std::mem::swap(&mut system.segments, &mut self.segments);
        done
    }

    pub fn counts(&self) -> [(&'static str, u64); 2] {
        [("race choices", self.choices), ("race choices dropped", self.choices - self.open.len() as u64)]
    }

    /// Drops what does not matter by these facts, of which there may be more than last time.
    pub fn resolve(&mut self, system: &mut CutSystem, facts: &[(Cut, Term)], context: &Context) {
        if self.facts.replace(facts.len()) == Some(facts.len()) {
            return;
        }
        for cut in system.cuts.keys().collect::<Vec<_>>() {
            if !self.open.iter().any(|(at, _)| *at == cut) {
                continue;
            }
            let mut solver = (context.solver)();
            for &(_, fact) in facts.iter().filter(|(at, _)| *at == cut) {
                solver.assert(&mut system.store, fact);
            }
            let asked = std::mem::take(&mut self.open);
            for (at, choice) in asked {
                if at != cut || !self.drop_choice(system, cut, choice, &mut *solver, context) {
                    self.open.push((at, choice));
                }
            }
        }
    }

    /// Drops the choice if no state that the solver knows of has a step that depends on it.
    fn drop_choice(
        &mut self,
        system: &mut CutSystem,
        cut: Cut,
        choice: Symbol,
        solver: &mut dyn Solver,
        context: &Context,
    ) -> bool {
        let store = &mut system.store;
        let zero = store.constant_term(Const::zero(store.symbol_type(choice)));
        let mut substitution = Substitution::new(store, vec![(choice, zero)]);
        let mut without = self.segments[cut].clone();
        let mut pairs: Vec<(Term, Term)> = Vec::new();
        let mut change = |term: &mut Term| {
            let after = substitution.apply(store, *term);
            pairs.push((std::mem::replace(term, after), after));
        };
        for arrival in &mut without.arrivals {
            change(&mut arrival.guard);
            arrival.values.iter_mut().for_each(&mut change);
        }
        without.violations.iter_mut().for_each(|(_, guard)| change(guard));
        without.unsupported.iter_mut().for_each(|(_, guard)| change(guard));
        without.inputs.iter_mut().for_each(|input| change(&mut input.guard));
        without.inputs.retain(|input| system.store.as_symbol(input.value) != Some(choice));
        let mut differ = Vec::new();
        for (before, after) in pairs.into_iter().filter(|(before, after)| before != after) {
            // Neither arrays nor floats have an equation that says that they are the same.
            let Type::Scalar(Scalar::Bool | Scalar::Bv(_)) = system.store.ty(before) else { return false };
            let same = system.store.eq(before, after);
            differ.push(system.store.not(same));
        }
        let any = system.store.or_all(differ);
        let limits = Limits::until(context.deadline.min(Instant::now() + ASKING));
        if any != system.store.ff() && solver.check(&mut system.store, &[any], &limits) != Answer::Unsat {
            return false;
        }
        self.segments[cut] = without;
        true
    }
}
