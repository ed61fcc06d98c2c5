//! The cut-point system bit by bit, as PDR and lazy abstraction ask about it: cubes of state bits, one step of the
//! relation, and the start.
//!
//! A literal is one bit of one word of the state ([`words`]), true or false; a cube is a cut and some literals. The relation is functional: the
//! next state's bits are terms over this state and the inputs, so a primed cube is a set of assumptions like any other.
//! [`generalise`] makes blocked cubes larger, [`replay`] runs the system on inputs. [`decide`] is what the engines do
//! alike around their searches: facts ([`pairs`], with atoms of the [`pool`]), [`induction`] with them, [`races`] that they exclude,
//! one property after the other; where a question counts steps, [`counting`].

mod counting;
mod decide;
mod generalise;
mod induction;
mod pairs;
mod pool;
mod races;
mod replay;
mod settle;
mod sweep;
#[cfg(test)]
mod tests;
mod words;

pub use counting::Counting;
pub use decide::{decide, End, Engine, Question};
pub use generalise::{generalise, Blocker};
pub use replay::trace;
pub use words::{beyond_bits, Coding};

use crate::annotation::Cell;
use crate::cuts::{Cut, CutSystem, Start, Step, Unfolding};
use crate::logic::{Answer, Limits, ModelView, Solver, Symbol, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Instant;
use syncline_ir::{Const, Prop, Type};
use words::Word;

/// Why a search ended without an answer.
pub enum Stop {
    Unknown(String),
    Cancelled,
    /// The bounded search beside it has the answer.
    Decided,
    /// It has asked as much as it may for now ([`Relation::most_queries`]).
    Spent,
}

/// Words of so many bits are as good as predicates.
const NARROW: u32 = 8;

/// A bit of the state and its value.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Literal {
    pub bit: u32,
    pub value: bool,
}

/// The states at a cut that have these bits, which are sorted.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cube {
    pub cut: Cut,
    pub literals: Vec<Literal>,
}

impl Cube {
    pub fn new(cut: Cut, literals: impl IntoIterator<Item = Literal>) -> Cube {
        let mut literals: Vec<Literal> = literals.into_iter().collect();
        literals.sort_unstable();
        literals.dedup();
        Cube { cut, literals }
    }

    /// Whether every state of `other` is one of this.
    pub fn covers(&self, other: &Cube) -> bool {
        self.cut == other.cut && {
            let mut rest = other.literals.iter();
            self.literals.iter().all(|l| rest.any(|r| r == l))
        }
    }
}

/// A bit's term now, after a step, and at the start of runs; `None` where no run of that kind has the cell.
#[derive(Copy, Clone)]
struct BitTerms {
    now: Term,
    next: Option<Term>,
    first: Option<Term>,
}

impl BitTerms {
    fn after(&self, which: Which) -> Option<Term> {
        match which {
            Which::Start => self.first,
            Which::Step | Which::Lift => self.next,
        }
    }
}

/// Where runs come from.
#[derive(Copy, Clone)]
pub enum From<'a> {
    /// The start of the program.
    Start,
    /// A cut, under these assumptions.
    State(&'a [Term]),
}

impl From<'_> {
    fn which(self) -> Which {
        match self {
            From::Start => Which::Start,
            From::State(_) => Which::Step,
        }
    }
}

/// The values of the inputs of one step.
pub type Inputs = Vec<(Symbol, Const)>;

pub struct Relation<'s> {
    pub system: &'s mut CutSystem,
    words: Vec<Word>,
    has_predicates: bool,
    /// The word each bit is one of.
    word_of: Vec<u32>,
    terms: Vec<BitTerms>,
    /// The bits of each cut's cells.
    bits_of: FxHashMap<Cut, Vec<u32>>,
    now: FxHashMap<Cut, Term>,
    next: FxHashMap<Cut, Term>,
    first: FxHashMap<Cut, Term>,
    /// Inputs of one step, and of the start.
    step_inputs: Vec<Symbol>,
    start_inputs: Vec<Symbol>,
    pub solver: Box<dyn Solver>,
    lifter: Box<dyn Solver>,
    starter: Box<dyn Solver>,
    /// What stands for the last disjunction that was asked about, and where.
    asked: Option<(Which, Term)>,
    /// What runs do in one step, and before their first cut.
    steps: [Step; 2],
    pub violated: Term,
    pub violated_at_start: Term,
    pub deadline: Instant,
    pub queries: u64,
    /// No more queries than this: a search is left, and may be taken up again.
    pub most_queries: u64,
}

pub type Outcome<T> = Result<T, Stop>;

impl<'s> Relation<'s> {
    pub fn new(
        system: &'s mut CutSystem,
        prop: Prop,
        invariants: &[(Cut, Term)],
        predicates: &[Term],
        coding: Coding,
        factory: &dyn Fn() -> Box<dyn Solver>,
        deadline: Instant,
    ) -> Relation<'s> {
        let mut unfolding = Unfolding::new(system, Start::Anywhere);
        unfolding.extend(system);
        let start = Unfolding::new(system, Start::Init);
        let [from, to] = &unfolding.layers[..] else { unreachable!("two layers were made") };
        let steps = [unfolding.steps[1].clone(), start.steps[0].clone()];
        let [violated, violated_at_start] = [0, 1].map(|n: usize| steps[n].bad(&mut system.store, prop));
        let now: FxHashMap<Cut, Term> = from.at.iter().copied().collect();
        let mut solver = factory();
        for &(cut, invariant) in invariants {
            let formula = system.store.implies(now[&cut], invariant);
            solver.assert(&mut system.store, formula);
        }
        let symbols = |system: &CutSystem, step: &Step| {
            step.inputs.iter().filter_map(|i| system.store.as_symbol(i.value)).collect()
        };
        let mut relation = Relation {
            words: words::words(system, predicates, coding),
            has_predicates: !predicates.is_empty(),
            word_of: Vec::new(),
            terms: Vec::new(),
            bits_of: FxHashMap::default(),
            now,
            next: to.at.iter().copied().collect(),
            first: start.layers[0].at.iter().copied().collect(),
            step_inputs: symbols(system, &unfolding.steps[1]),
            start_inputs: symbols(system, &start.steps[0]),
            solver,
            lifter: factory(),
            starter: factory(),
            asked: None,
            steps,
            violated,
            violated_at_start,
            deadline,
            queries: 0,
            most_queries: u64::MAX,
            system,
        };
        relation.number_bits(&unfolding, &start);
        relation
    }

    /// Asks about another property from now on.
    pub fn ask(&mut self, prop: Prop) {
        self.violated = self.steps[0].bad(&mut self.system.store, prop);
        self.violated_at_start = self.steps[1].bad(&mut self.system.store, prop);
    }

    fn number_bits(&mut self, step: &Unfolding, start: &Unfolding) {
        let cuts: Vec<Cut> = self.system.cuts.keys().collect();
        for (number, word) in (0..).zip(&self.words) {
            let next = step.word(self.system, 1, word.term);
            let first = start.word(self.system, 0, word.term);
            let begin = self.terms.len() as u32;
            for bit in 0..word.width {
                let now = bit_of(self.system, word.term, bit);
                let next = next.map(|t| bit_of(self.system, t, bit));
                let first = first.map(|t| bit_of(self.system, t, bit));
                self.terms.push(BitTerms { now, next, first });
                self.word_of.push(number);
            }
            for &cut in cuts.iter().filter(|&&cut| words::is_at(self.system, word, cut)) {
                self.bits_of.entry(cut).or_default().extend(begin..self.terms.len() as u32);
            }
        }
    }

    /// The word a literal is a bit of.
    pub fn word_of(&self, literal: Literal) -> u32 {
        self.word_of[literal.bit as usize]
    }

    /// The bit of a Boolean cell.
    fn bit_of(&self, cell: Cell) -> Option<u32> {
        let symbol = *self.system.symbols.get(&cell)?;
        let word = self.words.iter().position(|w| w.width == 1 && w.term == symbol)?;
        self.word_of.iter().position(|&w| w as usize == word).map(|bit| bit as u32)
    }

    pub fn bit_count(&self) -> usize {
        self.terms.len()
    }

    fn literal(&mut self, literal: Literal, term: impl Fn(&BitTerms) -> Option<Term>) -> Term {
        let t = term(&self.terms[literal.bit as usize]).unwrap_or(self.system.store.ff());
        match literal.value {
            true => t,
            false => self.system.store.not(t),
        }
    }

    /// A state is in the cube: a term over this state.
    pub fn now(&mut self, cube: &Cube) -> Term {
        let literals: Vec<Term> = cube.literals.iter().map(|&l| self.literal(l, |t| Some(t.now))).collect();
        self.system.store.and_all(literals)
    }

    /// This state is at the cube's cut and not in it, or elsewhere.
    pub fn excluded(&mut self, cube: &Cube) -> Term {
        let inside = self.now(cube);
        let inside = self.system.store.and(self.now[&cube.cut], inside);
        self.system.store.not(inside)
    }

    /// This state is at the cut.
    pub fn at(&self, cut: Cut) -> Term {
        self.now[&cut]
    }

    /// Which of the cubes, all at this cut, one run enters that comes to the cut next, under the assumptions or from the
    /// start of runs: one such run's, by their places; `None` if no run enters any.
    pub fn entered(&mut self, cut: Cut, from: From, cubes: &[&Cube]) -> Outcome<Option<Vec<usize>>> {
        let inside: Vec<Term> = cubes.iter().map(|cube| self.inside(cube, from)).collect();
        let any = self.system.store.or_all(inside.iter().copied());
        if !self.comes(cut, from, any)? {
            return Ok(None);
        }
        let store = &self.system.store;
        let mut model = ModelView::new(match from {
            From::Start => &mut *self.starter,
            From::State(_) => &mut *self.solver,
        });
        Ok(Some((0..inside.len()).filter(|&i| model.is_true(store, inside[i])).collect()))
    }

    /// What these bits are when a run comes to the cut next and is in none of the cubes; `None` if no run does.
    pub fn another(&mut self, cut: Cut, from: From, bits: &[u32], cubes: &[Cube]) -> Outcome<Option<Vec<Literal>>> {
        let inside: Vec<Term> = cubes.iter().map(|cube| self.inside(cube, from)).collect();
        let any = self.system.store.or_all(inside);
        let none = self.system.store.not(any);
        if !self.comes(cut, from, none)? {
            return Ok(None);
        }
        let after: Vec<(u32, Option<Term>)> =
            bits.iter().map(|&bit| (bit, self.terms[bit as usize].after(from.which()))).collect();
        let store = &self.system.store;
        let mut model = ModelView::new(match from {
            From::Start => &mut *self.starter,
            From::State(_) => &mut *self.solver,
        });
        let value = |(bit, t): (u32, Option<Term>)| Literal { bit, value: t.is_some_and(|t| model.is_true(store, t)) };
        Ok(Some(after.into_iter().map(value).collect()))
    }

    /// A run is in the cube when it comes to its cut next.
    fn inside(&mut self, cube: &Cube, from: From) -> Term {
        let each: Vec<Term> = cube.literals.iter().map(|&l| self.literal(l, |t| t.after(from.which()))).collect();
        self.system.store.and_all(each)
    }

    /// Whether a run comes to the cut next with this.
    fn comes(&mut self, cut: Cut, from: From, with: Term) -> Outcome<bool> {
        let (arrivals, assumptions) = match from {
            From::Start => (&self.first, &[][..]),
            From::State(assumptions) => (&self.next, assumptions),
        };
        let Some(&arrives) = arrivals.get(&cut) else { return Ok(false) };
        let mut all = assumptions.to_vec();
        all.extend([arrives, with]);
        Ok(with != self.system.store.ff() && self.run(from.which(), &all)?)
    }

    /// The bits of the location variables at a cut: the coded cells.
    pub fn coded_bits(&self, cut: Cut) -> Vec<u32> {
        let word = |bit: u32| &self.words[self.word_of[bit as usize] as usize];
        let coded = |bit: &u32| word(*bit).cells.iter().all(|cell| self.system.codes.contains_key(cell));
        self.bits_of.get(&cut).into_iter().flatten().copied().filter(coded).collect()
    }

    /// This state is one a run starts in, with some inputs.
    pub fn start(&mut self) -> Term {
        let mut any = Vec::new();
        for (cut, first) in self.first.clone() {
            let mut all = vec![self.now[&cut], first];
            for bit in self.bits_of.get(&cut).cloned().unwrap_or_default() {
                let BitTerms { now, first, .. } = self.terms[bit as usize];
                let first = first.unwrap_or(self.system.store.ff());
                let equal = self.system.store.eq(now, first);
                all.push(equal);
            }
            any.push(self.system.store.and_all(all));
        }
        self.system.store.or_all(any)
    }

    fn run(&mut self, which: Which, assumptions: &[Term]) -> Outcome<bool> {
        if self.queries >= self.most_queries {
            return Err(Stop::Spent);
        }
        self.queries += 1;
        let solver = match which {
            Which::Step => &mut self.solver,
            Which::Lift => &mut self.lifter,
            Which::Start => &mut self.starter,
        };
        match solver.check(&mut self.system.store, assumptions, &Limits::until(self.deadline)) {
            Answer::Sat => Ok(true),
            Answer::Unsat => Ok(false),
            Answer::Unknown(words) => Err(Stop::Unknown(words)),
        }
    }

    /// A state under the assumptions from which the property is violated, with the inputs.
    pub fn find_bad(&mut self, assumptions: &[Term]) -> Outcome<Option<(Cube, Inputs)>> {
        let mut all = assumptions.to_vec();
        all.push(self.violated);
        if self.violated == self.system.store.ff() || !self.run(Which::Step, &all)? {
            return Ok(None);
        }
        let target = self.violated;
        self.predecessor(target).map(Some)
    }

    /// Whether a step leads into the cube under the assumptions: then from where; else which literals were needed.
    pub fn step_into(&mut self, cube: &Cube, assumptions: &[Term]) -> Outcome<Result<(Cube, Inputs), Vec<Literal>>> {
        match self.no_step(cube, assumptions)? {
            Some(needed) => Ok(Err(needed)),
            None => self.before(cube).map(Ok),
        }
    }

    /// No step leads into the cube under the assumptions: the literals needed to say so.
    pub fn no_step(&mut self, cube: &Cube, assumptions: &[Term]) -> Outcome<Option<Vec<Literal>>> {
        let Some(&arrives) = self.next.get(&cube.cut) else { return Ok(Some(Vec::new())) };
        let mut all = assumptions.to_vec();
        all.push(arrives);
        let primed: Vec<(Term, Literal)> = cube.literals.iter().map(|&l| (self.literal(l, |t| t.next), l)).collect();
        all.extend(primed.iter().map(|p| p.0));
        if all.contains(&self.system.store.ff()) {
            let never = primed.iter().find(|p| p.0 == self.system.store.ff());
            return Ok(Some(never.map(|p| p.1).into_iter().collect()));
        }
        if self.run(Which::Step, &all)? {
            return Ok(None);
        }
        let core: FxHashSet<Term> = self.solver.core().into_iter().collect();
        Ok(Some(primed.into_iter().filter(|(t, _)| core.contains(t)).map(|(_, l)| l).collect()))
    }

    /// After [`Relation::no_step`] has found that a step leads there: from where.
    pub fn before(&mut self, cube: &Cube) -> Outcome<(Cube, Inputs)> {
        let mut target: Vec<Term> = self.next.get(&cube.cut).copied().into_iter().collect();
        target.extend(cube.literals.iter().map(|&l| self.literal(l, |t| t.next)).collect::<Vec<_>>());
        let target = self.system.store.and_all(target);
        self.predecessor(target)
    }

    /// The state of the model, without the bits the target does not need with the model's inputs.
    fn predecessor(&mut self, target: Term) -> Outcome<(Cube, Inputs)> {
        let (cut, state, inputs) = {
            let mut model = ModelView::new(&mut *self.solver);
            let store = &self.system.store;
            let cut = self.now.iter().find(|(_, &at)| model.is_true(store, at)).map(|(&cut, _)| cut);
            let Some(cut) = cut else { return Err(Stop::Unknown("the model is at no cut".into())) };
            let none = Vec::new();
            let bits = self.bits_of.get(&cut).unwrap_or(&none);
            let value = |model: &mut ModelView, bit: u32| model.is_true(store, self.terms[bit as usize].now);
            let state: Vec<Literal> = bits.iter().map(|&bit| Literal { bit, value: value(&mut model, bit) }).collect();
            let inputs: Inputs =
                self.step_inputs.iter().map(|&s| (s, model.value_of(store, store.symbol_term(s)))).collect();
            (cut, state, inputs)
        };
        let literals = self.lift(cut, &state, &inputs, target)?;
        Ok((Cube { cut, literals }, inputs))
    }

    /// With these inputs every state of the cube meets the target: the literals the solver needed for that. All literals
    /// if the target depends on more than bits; then some state of the cube meets it.
    fn lift(&mut self, cut: Cut, state: &[Literal], inputs: &Inputs, target: Term) -> Outcome<Vec<Literal>> {
        if self.has_predicates {
            let few: Vec<Literal> = state.iter().copied().filter(|&l| self.is_narrow(l)).collect();
            if let Some(needed) = self.lift_from(cut, &few, inputs, target)? {
                return Ok(needed);
            }
        }
        // Where the target depends on what the cube does not say, of arrays and floats, nothing can be left out.
        Ok(self.lift_from(cut, state, inputs, target)?.unwrap_or_else(|| state.to_vec()))
    }

    /// The literal says much at once: it is a predicate, or a bit of a word that has few.
    fn is_narrow(&self, literal: Literal) -> bool {
        self.words[self.word_of(literal) as usize].width <= NARROW
    }

    fn lift_from(
        &mut self,
        cut: Cut,
        state: &[Literal],
        inputs: &Inputs,
        target: Term,
    ) -> Outcome<Option<Vec<Literal>>> {
        let mut assumptions: Vec<Term> = vec![self.now[&cut]];
        for (symbol, value) in inputs {
            // An array is no operand of an equation: what it holds stays open, and the lift may fail for that.
            if self.system.store.symbol_type(*symbol).is_array() {
                continue;
            }
            let symbol = self.system.store.symbol_term(*symbol);
            let value = self.system.store.constant_term(value.clone());
            let equal = self.system.store.eq(symbol, value);
            assumptions.push(equal);
        }
        let literals: Vec<(Term, Literal)> = state.iter().map(|&l| (self.literal(l, |t| Some(t.now)), l)).collect();
        assumptions.extend(literals.iter().map(|l| l.0));
        let missed = self.system.store.not(target);
        assumptions.push(missed);
        if self.run(Which::Lift, &assumptions)? {
            return Ok(None);
        }
        let core: FxHashSet<Term> = self.lifter.core().into_iter().collect();
        Ok(Some(literals.into_iter().filter(|(t, _)| core.contains(t)).map(|(_, l)| l).collect()))
    }

    /// Whether a run starts in the cube: its inputs, or the literals that say that none does.
    pub fn starts_in(&mut self, cube: &Cube) -> Outcome<Result<Inputs, Vec<Literal>>> {
        match self.no_start(cube)? {
            Some(needed) => Ok(Err(needed)),
            None => Ok(Ok(self.start_values())),
        }
    }

    /// No run starts in the cube: the literals needed to say so.
    pub fn no_start(&mut self, cube: &Cube) -> Outcome<Option<Vec<Literal>>> {
        let Some(&at) = self.first.get(&cube.cut) else { return Ok(Some(Vec::new())) };
        let literals: Vec<(Term, Literal)> = cube.literals.iter().map(|&l| (self.literal(l, |t| t.first), l)).collect();
        let ff = self.system.store.ff();
        if let Some(&(_, l)) = literals.iter().find(|l| l.0 == ff) {
            return Ok(Some(vec![l]));
        }
        let mut assumptions = vec![at];
        assumptions.extend(literals.iter().map(|l| l.0));
        if self.run(Which::Start, &assumptions)? {
            return Ok(None);
        }
        let core: FxHashSet<Term> = self.starter.core().into_iter().collect();
        Ok(Some(literals.into_iter().filter(|(t, _)| core.contains(t)).map(|(_, l)| l).collect()))
    }

    /// The cube cut down to these literals, and those that keep runs from starting in it.
    pub fn apart_from_start(&mut self, cube: &Cube, mut literals: Vec<Literal>) -> Outcome<Cube> {
        literals.sort_unstable();
        let smaller = Cube { cut: cube.cut, literals };
        if self.no_start(&smaller)?.is_some() {
            return Ok(smaller);
        }
        let mut literals = smaller.literals;
        match self.no_start(cube)? {
            Some(apart) => literals.extend(apart),
            None => return Err(Stop::Unknown("a blocked cube has a start in it".into())),
        }
        literals.sort_unstable();
        literals.dedup();
        Ok(Cube { cut: cube.cut, literals })
    }

    /// Whether a run violates the property before its first cut: its inputs.
    pub fn bad_at_start(&mut self) -> Outcome<Option<Inputs>> {
        let bad = self.violated_at_start;
        if bad == self.system.store.ff() || !self.run(Which::Start, &[bad])? {
            return Ok(None);
        }
        Ok(Some(self.start_values()))
    }

    /// The inputs of the start, after a check of it that had a model.
    pub fn start_values(&mut self) -> Inputs {
        let store = &self.system.store;
        let mut model = ModelView::new(&mut *self.starter);
        self.start_inputs.iter().map(|&s| (s, model.value_of(store, store.symbol_term(s)))).collect()
    }
}

#[derive(Copy, Clone)]
enum Which {
    Step,
    Lift,
    Start,
}

fn bit_of(system: &mut CutSystem, term: Term, bit: u32) -> Term {
    if system.store.ty(term) == Type::BOOL {
        return term;
    }
    let one = system.store.bv(1, 1);
    let bit = system.store.extract(bit, bit, term);
    system.store.eq(bit, one)
}
