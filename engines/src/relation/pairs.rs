//! Facts of two literals: what implies what at a cut, proved by induction before any search.
//!
//! Systems of many processes need few kinds of lemmas, but as many of each kind as there are pairs of processes. A search
//! finds them one by one, each with its own obligation and generalisation. Here they are found together, as van Eijk
//! finds equivalences ("Sequential equivalence checking based on structural similarities", 2000): of the *atoms* at a cut,
//! all facts `a`, `a = b`, `a -> b` (either side negated or not) that no known state contradicts are candidates, and a
//! solver is asked for a start, or a step from a state in which all of them hold, that contradicts one. The state it
//! leads to is known from then on, and so are those that a walk on guessed inputs comes to from there: whatever is
//! inductive holds in them. When there is no such step, all candidates are invariants.
//!
//! The candidates are kept few: one literal stands for all that have the same values in the known states, and of the
//! implications between those only the ones that do not follow from two others are asked about.

use crate::cuts::{Cut, CutSystem, Start, Unfolding};
use crate::logic::{Answer, Evaluator, Limits, ModelView, Solver, Term};
use crate::observe::{go_on, model, observe, State};
use crate::guesser::Guesser;
use crate::task::Context;
use cranelift_entity::SecondaryMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Instant;
use syncline_ir::{Scalar, Type};

/// Atoms at one cut.
const MAX_ATOMS: usize = 240;
/// Candidates at all cuts: with more, none is asked about.
const MAX_CANDIDATES: usize = 6000;
/// Cells of so many values have an atom for each.
const MAX_CODES: usize = 24;
/// Words of so few bits have an atom for each of them.
const MAX_BITS: u32 = 3;
/// Steps of a walk.
const WALK: usize = 24;
/// The share of the time for concrete runs at first.
const OBSERVING: u32 = 4;

/// The facts of two literals that are inductive together, given these other facts; none if time does not suffice.
pub fn pairs(
    system: &mut CutSystem,
    facts: &[(Cut, Term)],
    predicates: &[Term],
    until: Instant,
    context: &Context,
) -> Vec<(Cut, Term)> {
    let tables = tables(system, predicates);
    if tables.values().all(|table| table.atoms.len() < 2) {
        return Vec::new();
    }
    let now = Instant::now();
    let observed = observe(system, now + until.saturating_duration_since(now) / OBSERVING, context);
    let mut pairs = Pairs::new(system, tables, facts, until, context);
    for (cut, states) in observed.states.iter() {
        for state in states {
            pairs.learn(system, cut, state);
        }
    }
    pairs.run(system).unwrap_or_default()
}

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
        tables[cut] = Table { columns: vec![Vec::new(); atoms.len()], atoms, known: 0 };
    }
    tables
}

/// What the atoms of a cut are in the states known there.
#[derive(Clone, Default)]
struct Table {
    atoms: Vec<Term>,
    /// A bit for each known state.
    columns: Vec<Vec<u64>>,
    known: usize,
}

/// An atom, or its negation.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
struct Signed {
    atom: usize,
    negated: bool,
}

impl Signed {
    fn all(atoms: &[usize]) -> Vec<Signed> {
        atoms.iter().flat_map(|&atom| [false, true].map(|negated| Signed { atom, negated })).collect()
    }
}

/// What may hold at a cut: the left side implies the right one, or is the same; without a left side, the right one holds.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
struct Candidate {
    cut: Cut,
    left: Option<Signed>,
    right: Signed,
    same: bool,
}

impl Candidate {
    fn holds(&self, values: &[bool]) -> bool {
        let of = |s: Signed| values[s.atom] != s.negated;
        match self.left {
            None => of(self.right),
            Some(left) if self.same => of(left) == of(self.right),
            Some(left) => !of(left) || of(self.right),
        }
    }
}

impl Table {
    fn add(&mut self, values: &[bool]) {
        let (word, bit) = (self.known / 64, self.known % 64);
        for (column, &value) in self.columns.iter_mut().zip(values) {
            if bit == 0 {
                column.push(0);
            }
            column[word] |= u64::from(value) << bit;
        }
        self.known += 1;
    }

    /// The literal's value in each known state, 64 at a time.
    fn signature(&self, literal: Signed) -> Vec<u64> {
        let mut words = self.columns[literal.atom].clone();
        if literal.negated {
            words.iter_mut().for_each(|w| *w = !*w);
        }
        if let (Some(last), 1..) = (words.last_mut(), self.known % 64) {
            *last &= (1 << (self.known % 64)) - 1;
        }
        words
    }

    /// All that the known states allow, without what follows from the rest.
    fn candidates(&self, cut: Cut) -> Vec<Candidate> {
        let mut found = Vec::new();
        let mut classes: FxHashMap<Vec<u64>, Signed> = FxHashMap::default();
        let mut chosen = Vec::new();
        for atom in 0..self.atoms.len() {
            // Of the two signs the one that is true in the first state.
            let first = self.columns[atom].first().is_some_and(|w| w & 1 == 1);
            let literal = Signed { atom, negated: !first };
            let signature = self.signature(literal);
            if signature.iter().map(|w| w.count_ones() as usize).sum::<usize>() == self.known {
                found.push(Candidate { cut, left: None, right: literal, same: false });
            } else if let Some(&other) = classes.get(&signature) {
                found.push(Candidate { cut, left: Some(literal), right: other, same: true });
            } else {
                classes.insert(signature, literal);
                chosen.push(atom);
            }
        }
        found.extend(self.implications(cut, &Signed::all(&chosen)));
        found
    }

    /// The implications between literals with different signatures that are not made of two others.
    fn implications(&self, cut: Cut, literals: &[Signed]) -> Vec<Candidate> {
        let signatures: Vec<Vec<u64>> = literals.iter().map(|&l| self.signature(l)).collect();
        let below = |a: &[u64], b: &[u64]| a.iter().zip(b).all(|(a, b)| a & !b == 0);
        let mut above: Vec<Vec<u64>> = vec![vec![0; literals.len().div_ceil(64)]; literals.len()];
        for a in 0..literals.len() {
            for b in (0..literals.len()).filter(|&b| b != a && below(&signatures[a], &signatures[b])) {
                above[a][b / 64] |= 1 << (b % 64);
            }
        }
        let mut found = Vec::new();
        for a in 0..literals.len() {
            let is_above = |b: usize| above[a][b / 64] >> (b % 64) & 1 == 1;
            let mut farther = vec![0u64; above[a].len()];
            for b in (0..literals.len()).filter(|&b| is_above(b)) {
                farther.iter_mut().zip(&above[b]).for_each(|(f, w)| *f |= w);
            }
            for b in (0..literals.len()).filter(|&b| is_above(b) && farther[b / 64] >> (b % 64) & 1 == 0) {
                // Each implication is there twice, the other time from the negations: literals of one atom are
                // neighbours, the negated one second.
                if (a, b) <= (b ^ 1, a ^ 1) {
                    found.push(Candidate { cut, left: Some(literals[a]), right: literals[b], same: false });
                }
            }
        }
        found
    }
}

struct Pairs {
    tables: SecondaryMap<Cut, Table>,
    step: Unfolding,
    start: Unfolding,
    stepper: Box<dyn Solver>,
    starter: Box<dyn Solver>,
    /// The candidate holds where the step begins.
    selectors: FxHashMap<Candidate, Term>,
    guesser: Guesser,
    until: Instant,
}

impl Pairs {
    fn new(
        system: &mut CutSystem,
        tables: SecondaryMap<Cut, Table>,
        facts: &[(Cut, Term)],
        until: Instant,
        context: &Context,
    ) -> Pairs {
        let mut step = Unfolding::new(system, Start::Anywhere);
        step.extend(system);
        let mut stepper = (context.solver)();
        let at: FxHashMap<Cut, Term> = step.layers[0].at.iter().copied().collect();
        for (cut, fact) in facts {
            let formula = system.store.implies(at[cut], *fact);
            stepper.assert(&mut system.store, formula);
        }
        Pairs {
            tables,
            step,
            start: Unfolding::new(system, Start::Init),
            stepper,
            starter: (context.solver)(),
            selectors: FxHashMap::default(),
            guesser: Guesser::new(&system.inlined.program),
            until,
        }
    }

    /// The candidates that are left when nothing contradicts them; `None` if time does not suffice.
    fn run(&mut self, system: &mut CutSystem) -> Option<Vec<(Cut, Term)>> {
        loop {
            let mut candidates = Vec::new();
            for (cut, table) in self.tables.iter() {
                candidates.extend(table.candidates(cut));
            }
            if candidates.len() > MAX_CANDIDATES || Instant::now() >= self.until {
                return None;
            }
            let Some((cut, state)) = self.contradicted(system, &candidates)? else {
                return Some(candidates.iter().map(|c| (c.cut, self.term(system, c))).collect());
            };
            self.walk(system, &candidates, cut, state);
        }
    }

    /// Where a start, or a step from where all candidates hold, contradicts one of them.
    fn contradicted(&mut self, system: &mut CutSystem, candidates: &[Candidate]) -> Option<Option<(Cut, State)>> {
        let terms: Vec<(Cut, Term)> = candidates.iter().map(|c| (c.cut, self.term(system, c))).collect();
        if let Some(found) = reached(system, &mut *self.starter, &self.start, 0, &terms, &[], self.until)? {
            return Some(Some(found));
        }
        let mut assumptions = Vec::new();
        for (candidate, &(cut, term)) in candidates.iter().zip(&terms) {
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
        reached(system, &mut *self.stepper, &self.step, 1, &terms, &assumptions, self.until)
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
    }

    /// Learns this state, and those on a walk from there that contradict a candidate.
    fn walk(&mut self, system: &CutSystem, candidates: &[Candidate], cut: Cut, state: State) {
        self.learn(system, cut, &state);
        let mut at = (cut, state);
        for _ in 0..WALK {
            if Instant::now() >= self.until {
                return;
            }
            let Some((cut, state)) = go_on(system, &system.segments[at.0], at.0, &at.1, &mut self.guesser) else {
                return;
            };
            let values = self.values(system, cut, &state);
            if candidates.iter().any(|c| c.cut == cut && !c.holds(&values)) {
                self.tables[cut].add(&values);
            }
            at = (cut, state);
        }
    }
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
) -> Option<Option<(Cut, State)>> {
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
    let &(cut, _) = at.iter().find(|&&(_, arrives)| view.is_true(&system.store, arrives))?;
    let cells = &unfolding.layers[layer].cells;
    let state = system.cuts[cut].cells.iter().map(|cell| view.value_of(&system.store, cells[cell])).collect();
    Some(Some((cut, state)))
}
