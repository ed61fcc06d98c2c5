//! The elimination: of all candidates the largest set that is inductive.
//!
//! Assuming the contract at a region's entry and those of its calls when they come back, the body keeps the contracts of its
//! calls where it makes them and its own where it is left. Each query is about the condition of one region; a model of it says
//! which candidates are broken. Those that are gone make the regions dirty that assumed them.

use super::body::{self, Body};
use super::contract::{Candidate, Kind, Search};
use super::region::RegionId;
use crate::logic::subst::Substitution;
use crate::logic::{Answer, Limits, ModelView, Solver, Term};
use crate::task::Context;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Instant;

/// What is asked about one region.
struct Asked {
    /// Holds what may be assumed.
    solver: Box<dyn Solver>,
    /// When a candidate is broken; that one is which is not off.
    wanted: Vec<(usize, Term)>,
    broken: Term,
    /// The candidates that it speaks of and that were not off before.
    open: Vec<usize>,
}

impl Search<'_, '_> {
    /// Removes candidates until the rest is inductive; `None` if time was up before.
    pub(super) fn eliminate(&mut self, context: &Context) -> Option<()> {
        self.drop_at_start();
        // One solver for each region: a model assigns everything that a solver holds.
        let mut asked: Vec<Asked> = self.regions().map(|id| self.ask((context.solver)(), id)).collect();
        let mut callers: Vec<Vec<usize>> = vec![Vec::new(); self.bodies.len()];
        for (n, body) in self.bodies.iter().enumerate() {
            body.calls.iter().for_each(|c| callers[c.callee.0 as usize].push(n));
        }
        let mut dirty: BTreeSet<usize> = (0..self.bodies.len()).collect();
        while let Some(n) = dirty.pop_last() {
            while let Some(gone) = self.fails(&mut asked[n], context)? {
                for k in gone {
                    self.candidates[k].alive = false;
                    let region = self.candidates[k].region.0 as usize;
                    match self.candidates[k].kind {
                        Kind::Requires => dirty.extend([region]),
                        Kind::Ensures | Kind::Safe | Kind::Never(_) => dirty.extend(callers[region].iter().copied()),
                    }
                }
            }
        }
        Some(())
    }

    /// What is required of the entry must hold of the initial values.
    fn drop_at_start(&mut self) {
        let Some(entry) = self.tree.regions.program.entry.map(|e| self.tree.regions.id(e, None)) else { return };
        let (initial, _) = body::initial(&self.tree.regions, entry, &mut self.tree.store);
        let mut map = Substitution::default();
        self.bodies[entry.0 as usize].inputs.iter().zip(initial).for_each(|(&s, t)| map.set(s, t));
        for &k in &self.of_region[entry.0 as usize] {
            let candidate = &mut self.candidates[k];
            if candidate.kind == Kind::Requires && candidate.alive {
                let holds = map.apply(&mut self.tree.store, candidate.term);
                candidate.alive = holds == self.tree.store.tt();
            }
        }
    }

    /// Asserts what may be assumed in a region, and collects what must hold there.
    fn ask(&mut self, solver: Box<dyn Solver>, id: RegionId) -> Asked {
        let body = Rc::clone(&self.bodies[id.0 as usize]);
        let mut asked = Asked { solver, wanted: Vec::new(), broken: self.tree.store.ff(), open: Vec::new() };
        let own = self.of_region[id.0 as usize].clone();
        let mut constants = self.constants(id);
        for k in own {
            let Candidate { alive, proved, .. } = self.candidates[k];
            if !alive {
                continue;
            }
            let (kind, term, on) = self.parts(k);
            let term = constants.apply(&mut self.tree.store, term);
            match kind {
                Kind::Requires => self.assume(&mut asked, k, on, term),
                Kind::Ensures | Kind::Never(_) | Kind::Safe if proved => {}
                Kind::Ensures => self.want_ensures(&mut asked, id, &body, k, term),
                Kind::Never(n) => asked.wanted.push((k, body.exits[n].0)),
                Kind::Safe => {
                    asked.wanted.extend(body.targets.iter().map(|&(_, reached)| (k, reached)));
                    for call in body.calls.iter().filter(|c| self.tree.regions.get(c.callee).hits) {
                        let mut of_callee = self.of_region[call.callee.0 as usize].iter().map(|&s| &self.candidates[s]);
                        let unsafe_ = match of_callee.find(|c| c.kind == Kind::Safe && c.alive) {
                            Some(c) if c.proved => self.tree.store.ff(),
                            Some(c) => self.tree.store.not(c.on),
                            None => self.tree.store.tt(),
                        };
                        let reached = self.tree.store.and(call.guard, unsafe_);
                        asked.wanted.push((k, reached));
                    }
                }
            }
        }
        for call in &body.calls {
            self.ask_call(&mut asked, call);
        }
        let store = &mut self.tree.store;
        asked.wanted.retain(|&(_, t)| t != store.ff());
        let broken: Vec<Term> = asked.wanted.iter().map(|&(k, t)| store.and(self.candidates[k].on, t)).collect();
        asked.broken = store.or_all(broken);
        asked.open.extend(asked.wanted.iter().map(|&(k, _)| k));
        asked.open.sort_unstable();
        asked.open.dedup();
        asked
    }

    fn ask_call(&mut self, asked: &mut Asked, call: &body::CallSite) {
        let callee = call.callee.0 as usize;
        let mut map = Substitution::default();
        self.bodies[callee].inputs.iter().zip(&call.args).for_each(|(&s, &t)| map.set(s, t));
        let given = call.outputs.iter().chain(call.brought.first().into_iter().flatten());
        self.outputs[callee].iter().zip(given).for_each(|(&s, &t)| map.set(s, t));
        let back = self.tree.store.and(call.guard, call.pass);
        for k in self.of_region[callee].clone() {
            let Candidate { alive, proved, .. } = self.candidates[k];
            if !alive {
                continue;
            }
            let (kind, term, on) = self.parts(k);
            match kind {
                Kind::Requires if proved => {}
                Kind::Requires => {
                    let holds = map.apply(&mut self.tree.store, term);
                    let not = self.tree.store.not(holds);
                    let broken = self.tree.store.and(call.guard, not);
                    asked.wanted.push((k, broken));
                }
                Kind::Ensures if !call.brought.is_empty() => {
                    let holds = map.apply(&mut self.tree.store, term);
                    let formula = self.tree.store.implies(back, holds);
                    self.assume(asked, k, on, formula);
                }
                Kind::Ensures => {}
                Kind::Safe if proved => {}
                Kind::Safe => asked.open.push(k),
                Kind::Never(n) => {
                    let taken = body::taken(&mut self.tree.store, back, &call.select, n);
                    let not = self.tree.store.not(taken);
                    self.assume(asked, k, on, not);
                }
            }
        }
    }

    fn want_ensures(&mut self, asked: &mut Asked, id: RegionId, body: &Body, k: usize, term: Term) {
        let never = self.tree.store.ff();
        for (guard, values) in body.exits.iter().filter(|(g, _)| *g != never) {
            let mut map = Substitution::default();
            self.outputs[id.0 as usize].iter().zip(values).for_each(|(&s, &t)| map.set(s, t));
            let holds = map.apply(&mut self.tree.store, term);
            let not = self.tree.store.not(holds);
            let broken = self.tree.store.and(*guard, not);
            asked.wanted.push((k, broken));
        }
    }

    fn parts(&self, k: usize) -> (Kind, Term, Term) {
        let c = &self.candidates[k];
        (c.kind, c.term, c.on)
    }

    fn assume(&mut self, asked: &mut Asked, k: usize, on: Term, formula: Term) {
        if formula == self.tree.store.tt() {
            return;
        }
        if self.candidates[k].proved {
            asked.solver.assert(&mut self.tree.store, formula);
            return;
        }
        let formula = self.tree.store.implies(on, formula);
        asked.solver.assert(&mut self.tree.store, formula);
        asked.open.push(k);
    }

    /// The candidates that the region breaks in some run, if there is one.
    fn fails(&mut self, asked: &mut Asked, context: &Context) -> Option<Option<Vec<usize>>> {
        if Instant::now() >= self.until || context.must_stop().is_some() {
            return None;
        }
        let (alive, gone): (Vec<usize>, Vec<usize>) =
            std::mem::take(&mut asked.open).into_iter().partition(|&k| self.candidates[k].alive);
        asked.open = alive;
        for k in gone {
            let off = self.tree.store.not(self.candidates[k].on);
            asked.solver.assert(&mut self.tree.store, off);
        }
        let mut assumptions = vec![asked.broken];
        assumptions.extend(asked.open.iter().map(|&k| self.candidates[k].on));
        match asked.solver.check(&mut self.tree.store, &assumptions, &Limits::until(self.until)) {
            Answer::Unsat => Some(None),
            Answer::Unknown(_) => None,
            Answer::Sat => {
                let mut model = ModelView::new(&mut *asked.solver);
                let wanted = asked.wanted.iter().filter(|(k, _)| self.candidates[*k].alive);
                let gone: BTreeSet<usize> =
                    wanted.filter(|(_, t)| model.is_true(&self.tree.store, *t)).map(|&(k, _)| k).collect();
                if gone.is_empty() {
                    return None;
                }
                Some(Some(gone.into_iter().collect()))
            }
        }
    }
}
