//! States in which all candidates hold, made of known ones: steps from them must keep the candidates too.
//!
//! A state is crossed with another known one by taking over a cell, and then the cells of every candidate that this
//! breaks, until none is broken. In the end that is the other state as a whole; most often it is a mixture, and
//! what one process is doing gets to stand beside whatever the others may be doing. A solver's model shows
//! one such combination at a time, and a walk stays near where it began.

use super::table::Candidate;
use super::Pairs;
use crate::cuts::{Cut, CutSystem};
use crate::logic::Evaluator;
use crate::observe::{model, State};
use std::time::Instant;

/// States that are made one from the other, and cells that each may take over at first.
const STATES: usize = 24;
const CELLS: usize = 6;
/// Rounds of taking over what is broken.
const REPAIRS: usize = 6;

impl Pairs {
    /// From a state in which all candidates hold: others, and the steps from them.
    pub fn cross(&mut self, system: &CutSystem, cut: Cut, mut state: State) {
        let candidates = self.candidates();
        let here: Vec<Candidate> = candidates.iter().copied().filter(|c| c.cut == cut).collect();
        // A cut may have no cells.
        if state.is_empty() || self.states[cut].is_empty() || !self.all_hold(system, &here, cut, &state) {
            return;
        }
        for _ in 0..STATES {
            for _ in 0..CELLS {
                if Instant::now() >= self.until {
                    return;
                }
                if let Some(other) = self.crossed(system, &here, cut, &state) {
                    state = other;
                }
            }
            self.try_step(system, &candidates, &(cut, state.clone()));
        }
    }

    /// The state with a cell of another known one, and what has to go with it.
    fn crossed(&mut self, system: &CutSystem, here: &[Candidate], cut: Cut, state: &State) -> Option<State> {
        let donor = self.random.below(self.states[cut].len());
        let cell = self.random.below(state.len());
        let donor = &self.states[cut][donor];
        if donor[cell] == state[cell] {
            return None;
        }
        let mut mixed = state.clone();
        mixed[cell] = donor[cell].clone();
        for _ in 0..REPAIRS {
            let values = self.values(system, cut, &mixed);
            let mut broken = here.iter().filter(|c| !c.holds(&values)).peekable();
            if broken.peek().is_none() {
                return self.facts_hold(system, cut, &mixed).then_some(mixed);
            }
            for literal in broken.flat_map(|c| c.left.into_iter().chain([c.right])) {
                for &cell in &self.tables[cut].cells[literal.atom] {
                    mixed[cell] = donor[cell].clone();
                }
            }
        }
        None
    }

    fn all_hold(&self, system: &CutSystem, here: &[Candidate], cut: Cut, state: &State) -> bool {
        let values = self.values(system, cut, state);
        here.iter().all(|c| c.holds(&values)) && self.facts_hold(system, cut, state)
    }

    fn facts_hold(&self, system: &CutSystem, cut: Cut, state: &State) -> bool {
        let model = model(system, cut, state);
        let mut evaluator = Evaluator::new();
        let mut facts = self.facts.iter().filter(|f| f.0 == cut);
        facts.all(|&(_, fact)| evaluator.eval(&system.store, fact, &model).as_bool() == Some(true))
    }
}
