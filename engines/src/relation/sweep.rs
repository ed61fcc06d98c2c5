//! Which two literals are never true together, at all or from some count on: asked of all pairs at once.
//!
//! *At all*: a pair is proved if it is inductive by itself, given what has been proved before. Models of steps that break a
//! pair put it off, and a model breaks many, since nothing unproved is assumed in it; what no step breaks is a fact. That
//! goes on in passes, each with the facts of those before it. (Van Eijk's fixpoint, in [`pairs`](super::pairs), assumes all
//! candidates together. It finds more, but all that is wrong must be seen to be wrong first, and until then nothing is proved.)
//!
//! *From a count on*: states with a count of k come by one step from states with k - 1, so no induction is needed. A pair
//! is proved if no step leads to it from what is known of those.
//!
//! Literals are the bits of cells that are no numbers, and of cells with few values that they have one of these. Steps that models
//! have shown are kept: most of them are steps that the next question may be answered with.

use super::{Cube, Literal, Outcome, Relation, Stop, Which};
use crate::cuts::{Cut, CutSystem};
use crate::houdini::roots;
use crate::logic::{ModelView, Node, Term};
use rustc_hash::FxHashSet;
use syncline_ir::{BinOp, Type};

/// More literals are not paired up.
const MAX_LITERALS: usize = 400;

pub struct Sweep {
    cut: Cut,
    literals: Vec<Literal>,
    counter: Vec<u32>,
    /// Pairs that are not proved: for each literal those from itself on.
    open: Vec<Vec<bool>>,
    /// Pairs that are, by the places of their literals, and what was asked.
    proved: Vec<(usize, usize, Ask)>,
    /// Steps that models have shown.
    steps: Vec<Shown>,
}

/// A step: which literals were true before it, how far the count was then, and which literals are true after it.
struct Shown {
    before: Vec<bool>,
    count: usize,
    after: Vec<bool>,
    goes_on: bool,
}

/// Each literal before and after a step, and that it is true after it and was not before. A step may come from another cut:
/// what is true there says nothing about pairs at this one, so before it no literal counts as true.
struct Terms {
    now: Vec<Term>,
    after: Vec<Term>,
    fresh: Vec<Term>,
}

/// What is asked about pairs.
#[derive(Copy, Clone, PartialEq, Eq)]
pub enum Ask {
    /// Whether a step breaks the pair.
    Always,
    /// Whether a step leads to the pair and at least this count; with 0, to no count.
    Count(usize),
}

impl Sweep {
    /// The pairs of bits that are none of a number nor of the counter.
    pub fn new(relation: &Relation, cut: Cut, counter: &[u32]) -> Sweep {
        let mut bits = relation.bits_at(cut);
        let numbers = numbers(relation.system);
        bits.retain(|bit| !counter.contains(bit) && !numbers.contains(&relation.word_term(*bit)));
        bits.truncate(MAX_LITERALS / 2);
        // That a cell has not some value is said by those it has then.
        let is_cell = |bit: u32| relation.system.store.as_symbol(relation.word_term(bit)).is_some();
        let signs = |bit| [true, false].into_iter().filter(move |&value| value || is_cell(bit));
        let literals: Vec<Literal> =
            bits.iter().flat_map(|&bit| signs(bit).map(move |value| Literal { bit, value })).collect();
        let exclude = |a: Literal, b: Literal| a.bit == b.bit || relation.are_values(a.bit, b.bit);
        let n = literals.len();
        let open =
            (0..n).map(|a| (0..n).map(|b| b == a || b > a && !exclude(literals[a], literals[b])).collect()).collect();
        Sweep { cut, literals, counter: counter.to_vec(), open, proved: Vec::new(), steps: Vec::new() }
    }

    /// The pairs that are not reached at the start nor by a step: facts, if those found before are known to the solver.
    pub fn sweep(&mut self, relation: &mut Relation, ask: Ask) -> Outcome<Vec<Cube>> {
        let mut left = self.open.clone();
        self.reuse(&mut left, ask);
        self.take_out_reached(relation, &mut left, ask, Which::Start).map_err(|(stop, _)| stop)?;
        match self.take_out_reached(relation, &mut left, ask, Which::Step) {
            Ok(()) => {}
            // What was asked about is known.
            Err((Stop::Spent, asked)) if ask == Ask::Always => left[asked..].iter_mut().for_each(|row| row.fill(false)),
            Err((stop, _)) => return Err(stop),
        }
        let never: Vec<bool> = (0..left.len()).map(|a| left[a][a]).collect();
        let mut found = Vec::new();
        for a in 0..left.len() {
            for b in (a..left.len()).filter(|&b| left[a][b]) {
                // Counts only go up from 1: what holds with no count may fail later.
                self.open[a][b] = ask == Ask::Count(0);
                if a == b || !never[a] && !never[b] {
                    found.push(self.cube(a, b, ask));
                    self.proved.push((a, b, ask));
                }
            }
        }
        for a in (0..never.len()).filter(|&a| never[a] && ask != Ask::Count(0)) {
            self.open[a].fill(false);
            self.open.iter_mut().for_each(|row| row[a] = false);
        }
        Ok(found)
    }

    fn cube(&self, a: usize, b: usize, ask: Ask) -> Cube {
        let pair = [self.literals[a], self.literals[b]];
        Cube::new(self.cut, pair.into_iter().chain(self.count(ask)))
    }

    /// What is asked about the count.
    fn count(&self, ask: Ask) -> Option<Literal> {
        match ask {
            Ask::Always => None,
            Ask::Count(0) => Some(Literal { bit: self.counter[0], value: false }),
            Ask::Count(count) => Some(Literal { bit: self.counter[count - 1], value: true }),
        }
    }

    /// Takes out pairs by steps that are known. The count changes nothing in a step but itself, as long as it is not 0,
    /// so a step from a smaller count can be one from a larger.
    fn reuse(&mut self, left: &mut [Vec<bool>], ask: Ask) {
        let steps = std::mem::take(&mut self.steps);
        for step in &steps {
            let (leads_there, from) = match ask {
                Ask::Always => (true, step.count),
                Ask::Count(0) => (!step.goes_on, step.count),
                Ask::Count(1) => (step.goes_on, step.count),
                Ask::Count(count) => (step.goes_on && step.count > 0, count - 1),
            };
            if leads_there && self.allowed(step, from) {
                take_out(left, (ask == Ask::Always).then_some(&step.before), &step.after);
            }
        }
        self.steps = steps;
    }

    /// Whether what is proved allows the state before the step, with this count.
    fn allowed(&self, step: &Shown, count: usize) -> bool {
        let counts = |ask: &Ask| match ask {
            Ask::Always => true,
            Ask::Count(0) => count == 0,
            Ask::Count(least) => count >= *least,
        };
        !self.proved.iter().any(|(a, b, ask)| step.before[*a] && step.before[*b] && counts(ask))
    }

    /// Takes out the pairs that the solver finds reached; where that stops, how many literals have been asked about.
    fn take_out_reached(
        &mut self,
        relation: &mut Relation,
        left: &mut [Vec<bool>],
        ask: Ask,
        which: Which,
    ) -> Result<(), (Stop, usize)> {
        let Some(arrives) = relation.arrives(self.cut, which) else { return Ok(()) };
        let terms = self.terms(relation, which);
        let mut assumptions = vec![arrives];
        assumptions.extend(self.count(ask).map(|count| relation.literal(count, |t| t.after(which))));
        let alone = ask == Ask::Always && matches!(which, Which::Step);
        for a in 0..left.len() {
            // A pair is new if one of its literals is: the first, or, where the first was true before, the other.
            let not = relation.system.store.not(terms.now[a]);
            let cases = match alone {
                true => {
                    vec![(vec![terms.after[a], not], &terms.after), (vec![terms.after[a], terms.now[a]], &terms.fresh)]
                }
                false => vec![(vec![terms.after[a]], &terms.after)],
            };
            for (assumed, then) in cases {
                let all: Vec<Term> = assumptions.iter().copied().chain(assumed).collect();
                loop {
                    let partners: Vec<Term> = (a..left.len()).filter(|&b| left[a][b]).map(|b| then[b]).collect();
                    let any = relation.system.store.or_all(partners);
                    if !relation.meets(which, &all, any).map_err(|stop| (stop, a))? {
                        break;
                    }
                    let shown = self.shown(relation, which, &terms);
                    take_out(left, alone.then_some(&shown.before), &shown.after);
                    if matches!(which, Which::Step) {
                        self.steps.push(shown);
                    }
                }
            }
        }
        Ok(())
    }

    fn terms(&self, relation: &mut Relation, which: Which) -> Terms {
        let (mut now, mut fresh) = (Vec::new(), Vec::new());
        let after: Vec<Term> = self.literals.iter().map(|&l| relation.literal(l, |t| t.after(which))).collect();
        let here = relation.at(self.cut);
        for (&literal, &after) in self.literals.iter().zip(&after) {
            let before = relation.literal(literal, |t| Some(t.now));
            let before = relation.system.store.and(here, before);
            let not = relation.system.store.not(before);
            now.push(before);
            fresh.push(relation.system.store.and(after, not));
        }
        Terms { now, after, fresh }
    }

    /// What the model of the last question shows.
    fn shown(&self, relation: &mut Relation, which: Which, terms: &Terms) -> Shown {
        let first = self.counter.first().map(|&bit| Literal { bit, value: true });
        let goes_on = first.map(|count| relation.literal(count, |t| t.after(which)));
        let counts: Vec<Term> = self.counter.iter().map(|&bit| relation.terms[bit as usize].now).collect();
        let store = &relation.system.store;
        let mut model = ModelView::new(match which {
            Which::Start => &mut *relation.starter,
            Which::Step | Which::Lift => &mut *relation.solver,
        });
        let mut all = |terms: &[Term]| -> Vec<bool> { terms.iter().map(|&t| model.is_true(store, t)).collect() };
        let (before, after, counts) = (all(&terms.now), all(&terms.after), all(&counts));
        let count = counts.iter().take_while(|&&c| c).count();
        Shown { before, count, after, goes_on: goes_on.is_some_and(|t| all(&[t])[0]) }
    }
}

/// Takes out the pairs that are true together after a step, and were not before it if that counts.
fn take_out(left: &mut [Vec<bool>], before: Option<&Vec<bool>>, after: &[bool]) {
    let was = |a: usize, b: usize| before.is_some_and(|before| before[a] && before[b]);
    for a in (0..after.len()).filter(|&a| after[a]) {
        for b in (a..after.len()).filter(|&b| after[b] && !was(a, b)) {
            left[a][b] = false;
        }
    }
}

impl Relation<'_> {
    /// The bits of the cut's state.
    fn bits_at(&self, cut: Cut) -> Vec<u32> {
        self.bits_of.get(&cut).cloned().unwrap_or_default()
    }

    /// The word the bit is one of, as a term over this state.
    fn word_term(&self, bit: u32) -> Term {
        self.words[self.word_of[bit as usize] as usize].term
    }

    /// The bits say which of its values one cell has.
    fn are_values(&self, a: u32, b: u32) -> bool {
        let word = |bit: u32| &self.words[self.word_of[bit as usize] as usize];
        let coded = |cell| self.system.codes.contains_key(cell) && self.system.symbols[cell] != word(a).term;
        matches!((&word(a).cells[..], &word(b).cells[..]), ([x], [y]) if x == y && coded(x))
    }

    /// A run comes to the cut.
    fn arrives(&self, cut: Cut, which: Which) -> Option<Term> {
        match which {
            Which::Start => self.first.get(&cut).copied(),
            Which::Step | Which::Lift => self.next.get(&cut).copied(),
        }
    }

    fn assert(&mut self, which: Which, formula: Term) {
        let solver = match which {
            Which::Step => &mut self.solver,
            Which::Lift => &mut self.lifter,
            Which::Start => &mut self.starter,
        };
        solver.assert(&mut self.system.store, formula);
    }

    /// Whether a disjunction can be met under the assumptions. It is a clause of its own while it is asked about: gates for
    /// all that was ever asked would have to get values in every later model.
    pub(super) fn meets(&mut self, which: Which, assumptions: &[Term], any: Term) -> Outcome<bool> {
        let ff = self.system.store.ff();
        if any == ff || assumptions.contains(&ff) {
            return Ok(false);
        }
        if let Some((which, asked)) = self.asked.take() {
            let over = self.system.store.not(asked);
            self.assert(which, over);
        }
        let asked = self.system.store.new_symbol("asked", Type::BOOL);
        let formula = self.system.store.implies(asked, any);
        self.assert(which, formula);
        self.asked = Some((which, asked));
        let mut all = assumptions.to_vec();
        all.push(asked);
        self.run(which, &all)
    }
}

/// The cells that some segment counts with, or compares with others by order: their bits say little by themselves.
fn numbers(system: &CutSystem) -> FxHashSet<Term> {
    let store = &system.store;
    let mut found = FxHashSet::default();
    for t in store.reachable(&roots(system)) {
        let Node::Bin(BinOp::Ult | BinOp::Ule | BinOp::Slt | BinOp::Sle, a, b) = store.node(t) else { continue };
        if store.constant(a).is_none() && store.constant(b).is_none() {
            found.extend([a, b].map(|t| extended(system, t)));
        }
    }
    for segment in std::iter::once(&system.init).chain(system.segments.values()) {
        for arrival in &segment.arrivals {
            for (cell, &value) in system.cuts[arrival.cut].cells.iter().zip(&arrival.values) {
                if computes(system, value) {
                    found.insert(system.symbols[cell]);
                }
            }
        }
    }
    found
}

/// What a term is an extension or a part of.
fn extended(system: &CutSystem, mut term: Term) -> Term {
    while let Node::Un(_, inner) = system.store.node(term) {
        term = inner;
    }
    term
}

/// Whether one of the values that the conditionals choose from is computed.
fn computes(system: &CutSystem, value: Term) -> bool {
    let mut work = vec![extended(system, value)];
    let mut seen = FxHashSet::default();
    while let Some(t) = work.pop() {
        match system.store.node(t) {
            Node::Ite(_, a, b) if seen.insert(t) => work.extend([a, b].map(|t| extended(system, t))),
            Node::Bin(BinOp::Add | BinOp::Sub | BinOp::Mul, ..) => return true,
            _ => {}
        }
    }
    false
}
