//! Facts of two literals: what implies what at a cut, proved by induction before any search.
//!
//! Systems of many processes need few kinds of lemmas, but as many of each kind as there are pairs of processes. A search
//! finds them one by one, each with its own obligation and generalisation. Here they are found together, as van Eijk
//! finds equivalences ("Sequential equivalence checking based on structural similarities", 2000): of the *atoms* at a cut,
//! all facts `a`, `a = b`, `a -> b` (either side negated or not) that no known state contradicts are candidates, and a
//! solver is asked for a start, or a step from a state in which all of them hold, that contradicts one. The state it
//! leads to is known from then on, and so are those that a walk on guessed inputs comes to from there: whatever is
//! inductive holds in them. Between two questions, states in which all candidates hold are made of known ones, and steps
//! from these tried ([`cross`]). When there is no such step, all candidates are invariants.
//!
//! The candidates are kept few: one literal stands for all that have the same values in the known states, and of the
//! implications between those only the ones that do not follow from two others are asked about. After many counterexamples,
//! those that only rare values are in are given up, since it takes long to see each of them contradicted.

mod cross;
mod table;

use crate::cuts::{Cut, CutSystem, Layer, Start, Unfolding};
use crate::guesser::{Guesser, Random};
use crate::logic::{Answer, Evaluator, Limits, ModelView, Solver, Term};
use crate::observe::{go_on, model, observe, State};
use crate::task::Context;
use cranelift_entity::SecondaryMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::{Duration, Instant};
use syncline_ir::{Scalar, Type};
use table::{Candidate, Signed, Table};

/// Atoms at one cut.
const MAX_ATOMS: usize = 240;
/// Candidates at all cuts: with more, none is asked about.
const MAX_CANDIDATES: usize = 6000;
/// Cells of so many values have an atom for each.
const MAX_CODES: usize = 24;
/// Words of so few bits have an atom for each of them.
const MAX_BITS: u32 = 3;
/// Walks from a state, and the steps of each.
const WALKS: usize = 4;
const WALK: usize = 8;
/// Counterexamples that are waited for, and those up to which all candidates count and not just likely ones. Not by time
/// alone, so that a slow machine finds the same facts.
const ROUNDS: u32 = 140;
const EARLY: u32 = 100;
/// States kept at a cut for making others of them.
const MAX_STATES: usize = 1000;
/// Candidates that in late rounds are still asked about: so many known states would contradict them if the sides had
/// nothing to do with each other.
const LIKELY: usize = 4;
/// The share of the time for concrete runs at first, and the most.
const OBSERVING: u32 = 8;
const MAX_OBSERVING: Duration = Duration::from_millis(500);

/// The atoms of each cut: the bits of narrow cells, the values of coded ones, and the predicates over its cells.
fn tables(system: &mut CutSystem, predicates: &[Term]) -> SecondaryMap<Cut, Table> {
    let mut tables = SecondaryMap::new();
    for cut in system.cuts.keys().collect::<Vec<_>>() {
        let mut atoms = Vec::new();
        for cell in system.cuts[cut].cells.clone() {
            let symbol = system.symbols[&cell];
            let codes = system.codes.get(&cell).map_or(0, Vec::len);
            match system.store.ty(symbol) {
                Type::Scalar(Scalar::Bool) => atoms.push(symbol),
                Type::Scalar(Scalar::Bv(width)) if (3..=MAX_CODES).contains(&codes) => {
                    for code in 0..codes as u128 {
                        let code = system.store.bv(width, code);
                        atoms.push(system.store.eq(symbol, code));
                    }
                }
                Type::Scalar(Scalar::Bv(width)) if width <= MAX_BITS => {
                    atoms.extend((0..width).map(|bit| super::bit_of(system, symbol, bit)));
                }
                Type::Scalar(_) | Type::Array { .. } => {}
            }
        }
        let symbols: FxHashSet<Term> = system.cuts[cut].cells.iter().map(|cell| system.symbols[cell]).collect();
        for &predicate in predicates {
            let of = system.store.symbols_of(&[predicate]);
            if of.iter().all(|&s| symbols.contains(&system.store.symbol_term(s))) {
                atoms.push(predicate);
            }
        }
        let mut seen = FxHashSet::default();
        atoms.retain(|&t| system.store.as_bool(t).is_none() && seen.insert(t));
        atoms.truncate(MAX_ATOMS);
        let cells = atoms.iter().map(|&atom| cells_of(system, cut, atom)).collect();
        tables[cut] = Table::new(atoms, cells);
    }
    tables
}

/// The places at the cut of the cells in a term.
fn cells_of(system: &CutSystem, cut: Cut, term: Term) -> Vec<usize> {
    let symbols = system.store.symbols_of(&[term]);
    let cells = symbols.into_iter().filter_map(|s| system.cell_of(s));
    cells.filter_map(|cell| system.cuts[cut].cells.iter().position(|&c| c == cell)).collect()
}

pub struct Pairs {
    tables: SecondaryMap<Cut, Table>,
    step: Unfolding,
    start: Unfolding,
    stepper: Box<dyn Solver>,
    starter: Box<dyn Solver>,
    /// The candidate holds where the step begins.
    selectors: FxHashMap<Candidate, Term>,
    /// Known states, for making others of them, and what holds beside the candidates.
    states: SecondaryMap<Cut, Vec<State>>,
    facts: Vec<(Cut, Term)>,
    guesser: Guesser,
    random: Random,
    /// Counterexamples so far, and the time that is left for all turns.
    rounds: u32,
    left: Duration,
    /// When this turn ends.
    until: Instant,
}

impl Pairs {
    /// Facts beside these, to be found in this time.
    pub fn new(
        system: &mut CutSystem,
        predicates: &[Term],
        facts: &[(Cut, Term)],
        time: Duration,
        context: &Context,
    ) -> Pairs {
        let now = Instant::now();
        let tables = tables(system, predicates);
        let observed = observe(system, now + (time / OBSERVING).min(MAX_OBSERVING), context);
        let mut step = Unfolding::new(system, Start::Anywhere);
        step.extend(system);
        let mut stepper = (context.solver)();
        let at: FxHashMap<Cut, Term> = step.layers[0].at.iter().copied().collect();
        for (cut, fact) in facts {
            let formula = system.store.implies(at[cut], *fact);
            stepper.assert(&mut system.store, formula);
        }
        let mut pairs = Pairs {
            tables,
            step,
            start: Unfolding::new(system, Start::Init),
            stepper,
            starter: (context.solver)(),
            selectors: FxHashMap::default(),
            states: SecondaryMap::new(),
            facts: facts.to_vec(),
            guesser: Guesser::new(&system.inlined.program),
            random: Random::new(),
            rounds: 0,
            left: time,
            until: now,
        };
        for (cut, states) in observed.states.iter() {
            states.iter().for_each(|state| pairs.learn(system, cut, state));
        }
        pairs
    }

    /// Works for a turn: the facts, none if they are not found in the time for all turns; `None` if there is more to do.
    pub fn run(&mut self, system: &mut CutSystem, turn: Duration) -> Option<Vec<(Cut, Term)>> {
        let now = Instant::now();
        self.until = now + turn.min(self.left);
        let found = self.settle(system);
        self.left = self.left.saturating_sub(now.elapsed());
        found.or_else(|| self.left.is_zero().then(Vec::new))
    }

    /// The candidates that are left when nothing contradicts them; `None` if the turn ends before.
    fn settle(&mut self, system: &mut CutSystem) -> Option<Vec<(Cut, Term)>> {
        while Instant::now() < self.until {
            let candidates = self.candidates();
            if candidates.len() > MAX_CANDIDATES || self.rounds >= ROUNDS {
                return Some(Vec::new());
            }
            self.rounds += 1;
            let terms: Vec<(Cut, Term)> = candidates.iter().map(|c| (c.cut, self.term(system, c))).collect();
            let Some(Reached { from, to: (cut, state) }) = self.contradicted(system, &candidates, &terms)? else {
                return Some(terms);
            };
            self.learn(system, cut, &state);
            for _ in 0..WALKS {
                self.walk(system, &candidates, (cut, state.clone()));
            }
            if let Some((cut, state)) = from {
                self.cross(system, cut, state);
            }
        }
        None
    }

    fn candidates(&self) -> Vec<Candidate> {
        let late = self.rounds >= EARLY;
        let likely = |(table, c): &(&Table, Candidate)| !late || table.expected(c) >= LIKELY;
        let all =
            self.tables.iter().flat_map(|(cut, table)| table.candidates(cut).into_iter().map(move |c| (table, c)));
        all.filter(likely).map(|(_, c)| c).collect()
    }

    /// A start, or a step from where all candidates hold, that contradicts one of them.
    fn contradicted(
        &mut self,
        system: &mut CutSystem,
        candidates: &[Candidate],
        terms: &[(Cut, Term)],
    ) -> Option<Option<Reached>> {
        let found = reached(system, &mut *self.starter, &self.start, 0, terms, &[], self.until)?;
        if found.is_some() {
            return Some(found);
        }
        let mut assumptions = Vec::new();
        for (candidate, &(cut, term)) in candidates.iter().zip(terms) {
            let at = self.step.layers[0].at.iter().find(|(c, _)| *c == cut).map_or(system.store.ff(), |a| a.1);
            let stepper = &mut self.stepper;
            assumptions.push(*self.selectors.entry(*candidate).or_insert_with(|| {
                let selector = system.store.new_symbol("pair", Type::BOOL);
                let there = system.store.and(selector, at);
                let formula = system.store.implies(there, term);
                stepper.assert(&mut system.store, formula);
                selector
            }));
        }
        reached(system, &mut *self.stepper, &self.step, 1, terms, &assumptions, self.until)
    }

    fn term(&self, system: &mut CutSystem, candidate: &Candidate) -> Term {
        let atoms = &self.tables[candidate.cut].atoms;
        let mut of = |s: Signed| match s.negated {
            true => system.store.not(atoms[s.atom]),
            false => atoms[s.atom],
        };
        let right = of(candidate.right);
        match candidate.left.map(&mut of) {
            None => right,
            Some(left) if candidate.same => system.store.eq(left, right),
            Some(left) => system.store.implies(left, right),
        }
    }

    fn values(&self, system: &CutSystem, cut: Cut, state: &State) -> Vec<bool> {
        let model = model(system, cut, state);
        let mut evaluator = Evaluator::new();
        let mut is_true = |&t: &Term| evaluator.eval(&system.store, t, &model).as_bool() == Some(true);
        self.tables[cut].atoms.iter().map(&mut is_true).collect()
    }

    /// The state is one that runs may come to, for all that candidates can say.
    fn learn(&mut self, system: &CutSystem, cut: Cut, state: &State) {
        let values = self.values(system, cut, state);
        self.tables[cut].add(&values);
        if self.states[cut].len() < MAX_STATES {
            self.states[cut].push(state.clone());
        }
    }

    /// Learns the states on a walk that contradict a candidate.
    fn walk(&mut self, system: &CutSystem, candidates: &[Candidate], mut at: (Cut, State)) {
        for _ in 0..WALK {
            match self.try_step(system, candidates, &at) {
                Some(next) => at = next,
                None => return,
            }
        }
    }

    /// Goes a step on guessed inputs, and learns where it leads if that contradicts a candidate.
    fn try_step(&mut self, system: &CutSystem, candidates: &[Candidate], at: &(Cut, State)) -> Option<(Cut, State)> {
        if Instant::now() >= self.until {
            return None;
        }
        let (cut, state) = go_on(system, &system.segments[at.0], at.0, &at.1, &mut self.guesser)?;
        let values = self.values(system, cut, &state);
        if candidates.iter().any(|c| c.cut == cut && !c.holds(&values)) {
            self.learn(system, cut, &state);
        }
        Some((cut, state))
    }
}

/// Where a run comes to, and from which cut if it does not start there.
struct Reached {
    from: Option<(Cut, State)>,
    to: (Cut, State),
}

/// A state of the layer in which one of these is false, under the assumptions; the outer `None` if that is too hard.
fn reached(
    system: &mut CutSystem,
    solver: &mut dyn Solver,
    unfolding: &Unfolding,
    layer: usize,
    terms: &[(Cut, Term)],
    assumptions: &[Term],
    until: Instant,
) -> Option<Option<Reached>> {
    let at = unfolding.layers[layer].at.clone();
    let mut goals = Vec::new();
    for &(cut, arrives) in &at {
        let here: Vec<Term> = terms.iter().filter(|t| t.0 == cut).map(|t| t.1).collect();
        let there: Vec<Term> = here.into_iter().map(|t| unfolding.at_layer(system, layer, t)).collect();
        let all = system.store.and_all(there);
        let not = system.store.not(all);
        goals.push(system.store.and(arrives, not));
    }
    let any = system.store.or_all(goals);
    let mut assumed = assumptions.to_vec();
    assumed.push(any);
    if any == system.store.ff() {
        return Some(None);
    }
    match solver.check(&mut system.store, &assumed, &Limits::until(until)) {
        Answer::Unsat => return Some(None),
        Answer::Unknown(_) => return None,
        Answer::Sat => {}
    }
    let mut view = ModelView::new(solver);
    let mut state = |layer: usize| {
        let Layer { at, cells } = &unfolding.layers[layer];
        let &(cut, _) = at.iter().find(|&&(_, arrives)| view.is_true(&system.store, arrives))?;
        let values = system.cuts[cut].cells.iter().map(|cell| view.value_of(&system.store, cells[cell])).collect();
        Some((cut, values))
    };
    let from = layer.checked_sub(1).and_then(&mut state);
    Some(Some(Reached { from, to: state(layer)? }))
}
