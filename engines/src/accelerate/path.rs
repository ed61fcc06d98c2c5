//! Paths through a loop body, as conditions without choices.
//!
//! The segment from a loop's header back to it is one term a cell, with if-then-elses for the branches. A model of its
//! guard is one iteration; the conditions that this iteration decides, and the sides of the choices it takes, are
//! its path. Further paths are models that satisfy the conditions of none before.

use crate::annotation::Cell;
use crate::cuts::{Cut, CutSystem};
use crate::logic::subst::Substitution;
use crate::logic::{Answer, Evaluator, Limits, ModelView, Node, Solver, Symbol, Term, TermStore};
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Instant;
use syncline_ir::{BinOp, Const, Scalar, Site, Type, UnOp};

/// Bodies with more terms are not looked at: walks recurse.
const MAX_TERMS: usize = 20_000;

/// Headers on a way through loops inside another.
const MAX_WAY: usize = 4;

/// Everything a loop does from its header back to it.
pub struct Cycle {
    pub cut: Cut,
    pub guard: Term,
    /// Of the cut's cells, in their order.
    pub values: Vec<Term>,
    /// When which unknown value comes in.
    pub inputs: Vec<(Term, Site, Term)>,
    /// When a property is violated on the way.
    pub violated: Term,
}

/// A loop gone through at once: where the condition holds, cells get these values.
#[derive(Clone, Debug)]
pub struct Jump {
    pub enabled: Term,
    pub after: Vec<(Cell, Term)>,
}

/// The loops that can be.
pub type Jumps = FxHashMap<Cut, Vec<Jump>>;

/// The state after a loop that is gone through at once.
fn pass(system: &mut CutSystem, at: Cut, jumps: &[Jump], mut state: FxHashMap<Cell, Term>) -> FxHashMap<Cell, Term> {
    for jump in jumps {
        let cells = &system.cuts[at].cells;
        let map: Vec<(Symbol, Term)> =
            cells.iter().filter_map(|c| Some((system.store.as_symbol(system.symbols[c])?, state[c]))).collect();
        let mut substitution = Substitution::new(&system.store, map);
        let enabled = substitution.apply(&mut system.store, jump.enabled);
        for (cell, after) in &jump.after {
            let after = substitution.apply(&mut system.store, *after);
            let value = system.store.ite(enabled, after, state[cell]);
            state.insert(*cell, value);
        }
    }
    state
}

/// One way round a loop.
#[derive(Clone, Debug)]
pub struct Path {
    pub cut: Cut,
    /// What must hold at the header; it implies the cycle's guard.
    pub literals: Vec<Term>,
    /// Of the cut's cells, in their order.
    pub values: Vec<Term>,
    /// The unknown values that come in, in order: the site, and the symbol of the value.
    pub inputs: Vec<(Site, Term)>,
    /// When an iteration from the header violates a property.
    pub violated: Term,
}

impl Cycle {
    /// The way from the header of an innermost loop back to it.
    pub fn of(system: &mut CutSystem, cut: Cut) -> Option<Cycle> {
        let segment = &system.segments[cut];
        let arrival = segment.arrivals.iter().find(|a| a.cut == cut)?;
        let inputs = segment.inputs.iter().map(|i| (i.guard, i.site, i.value)).collect();
        let violated = system.store.or_all(segment.violations.iter().map(|v| v.1));
        Some(Cycle { cut, guard: arrival.guard, values: arrival.values.clone(), inputs, violated })
    }

    /// Ways from the header back to it through the headers of loops inside, each of which is gone through at once.
    pub fn through(system: &mut CutSystem, cut: Cut, jumps: &Jumps) -> Vec<Cycle> {
        let mut found = Vec::new();
        let cells = system.cuts[cut].cells.clone();
        let start = cells.iter().map(|c| (*c, system.symbols[c])).collect();
        let guard = system.store.tt();
        let mut work = vec![(vec![cut], guard, start)];
        while let Some((way, guard, state)) = work.pop() {
            let at = way[way.len() - 1];
            let state = if way.len() > 1 { pass(system, at, &jumps[&at], state) } else { state };
            let segment = system.segments[at].clone();
            if !segment.inputs.is_empty() {
                continue;
            }
            let map: Vec<(Symbol, Term)> =
                state.iter().filter_map(|(c, &t)| Some((system.store.as_symbol(system.symbols[c])?, t))).collect();
            let mut substitution = Substitution::new(&system.store, map);
            for arrival in &segment.arrivals {
                let taken = substitution.apply(&mut system.store, arrival.guard);
                let guard = system.store.and(guard, taken);
                let values: Vec<Term> =
                    arrival.values.iter().map(|&v| substitution.apply(&mut system.store, v)).collect();
                if arrival.cut == cut && way.len() > 1 {
                    let violated = system.store.ff();
                    found.push(Cycle { cut, guard, values, inputs: Vec::new(), violated });
                } else if !way.contains(&arrival.cut) && way.len() < MAX_WAY && jumps.contains_key(&arrival.cut) {
                    let state = system.cuts[arrival.cut].cells.iter().copied().zip(values).collect();
                    work.push((way.iter().copied().chain([arrival.cut]).collect(), guard, state));
                }
            }
        }
        found
    }

    /// At most so many paths, those first that change numbers and nothing else: loops wait, and count.
    pub fn paths(&self, system: &mut CutSystem, most: usize, solver: &mut dyn Solver, until: Instant) -> Vec<Path> {
        let mut found: Vec<Path> = Vec::new();
        let mut roots = self.values.clone();
        roots.push(self.guard);
        if system.store.dag_size(&roots) > MAX_TERMS {
            return found;
        }
        solver.assert(&mut system.store, self.guard);
        let counts = self.counts(system);
        let moves = self.moves(system);
        for mut wanted in [vec![counts, moves], vec![moves]] {
            wanted.retain(|&t| t != system.store.tt());
            while found.len() < most && Instant::now() < until {
                if solver.check(&mut system.store, &wanted, &Limits::until(until)) != Answer::Sat {
                    break;
                }
                let mut model = FxHashMap::default();
                let mut view = ModelView::new(solver);
                let mut all = roots.clone();
                all.extend(self.inputs.iter().map(|i| i.0));
                for symbol in system.store.symbols_of(&all) {
                    let value = view.value_of(&system.store, system.store.symbol_term(symbol));
                    model.insert(symbol, value);
                }
                let path = self.taken(system, &model);
                let again = system.store.and_all(path.literals.iter().copied());
                let other = system.store.not(again);
                solver.assert(&mut system.store, other);
                found.push(path);
            }
        }
        found
    }

    fn is_number(system: &CutSystem, cut: Cut, n: usize) -> bool {
        let cell = system.cuts[cut].cells[n];
        matches!(system.store.ty(system.symbols[&cell]), Type::Scalar(Scalar::Bv(_)))
            && !system.codes.contains_key(&cell)
    }

    /// Cells that are no numbers stay as they are.
    fn counts(&self, system: &mut CutSystem) -> Term {
        let mut same = Vec::new();
        for n in 0..self.values.len() {
            let symbol = system.symbols[&system.cuts[self.cut].cells[n]];
            if !Cycle::is_number(system, self.cut, n) && !system.store.ty(symbol).is_array() {
                same.push(system.store.eq(symbol, self.values[n]));
            }
        }
        system.store.and_all(same)
    }

    /// Some number changes.
    fn moves(&self, system: &mut CutSystem) -> Term {
        let mut differs = Vec::new();
        for n in 0..self.values.len() {
            if Cycle::is_number(system, self.cut, n) {
                let symbol = system.symbols[&system.cuts[self.cut].cells[n]];
                let same = system.store.eq(symbol, self.values[n]);
                differs.push(system.store.not(same));
            }
        }
        system.store.or_all(differs)
    }

    /// The path of one iteration.
    fn taken(&self, system: &mut CutSystem, model: &FxHashMap<Symbol, Const>) -> Path {
        let mut walk = Walk {
            store: &mut system.store,
            model,
            evaluator: Evaluator::new(),
            sides: FxHashMap::default(),
            required: FxHashSet::default(),
            literals: Vec::new(),
        };
        walk.require(self.guard, true);
        let values = self.values.iter().map(|&v| walk.side(v)).collect();
        let mut inputs = Vec::new();
        for &(guard, site, value) in &self.inputs {
            let taken = walk.is_true(guard);
            walk.require(guard, taken);
            if taken {
                inputs.push((site, value));
            }
        }
        let mut literals = walk.literals;
        literals.sort_unstable();
        literals.dedup();
        Path { cut: self.cut, literals, values, inputs, violated: self.violated }
    }
}

/// Collects what one iteration decides.
struct Walk<'a> {
    store: &'a mut TermStore,
    model: &'a FxHashMap<Symbol, Const>,
    evaluator: Evaluator,
    sides: FxHashMap<Term, Term>,
    required: FxHashSet<(Term, bool)>,
    literals: Vec<Term>,
}

impl Walk<'_> {
    fn is_true(&mut self, t: Term) -> bool {
        self.evaluator.eval(self.store, t, self.model).as_bool() == Some(true)
    }

    /// The term with the sides that the iteration takes in the place of choices.
    fn side(&mut self, t: Term) -> Term {
        if let Some(&known) = self.sides.get(&t) {
            return known;
        }
        let side = match self.store.node(t) {
            Node::Const(_) | Node::Var(_) => t,
            Node::Ite(c, a, b) => {
                let cond = self.is_true(c);
                self.require(c, cond);
                self.side(if cond { a } else { b })
            }
            Node::Un(op, a) => {
                let a = self.side(a);
                self.store.un(op, a)
            }
            Node::Bin(op, a, b) => {
                let (a, b) = (self.side(a), self.side(b));
                self.store.bin(op, a, b)
            }
            Node::Store(a, i, v) => {
                let (a, i, v) = (self.side(a), self.side(i), self.side(v));
                self.store.store(a, i, v)
            }
        };
        self.sides.insert(t, side);
        side
    }

    /// The condition has this value, for a reason that becomes part of the path.
    fn require(&mut self, t: Term, value: bool) {
        if self.store.as_bool(t).is_some() || !self.required.insert((t, value)) {
            return;
        }
        match self.store.node(t) {
            Node::Un(UnOp::Not, a) => self.require(a, !value),
            Node::Bin(op @ (BinOp::And | BinOp::Or), a, b) if self.store.ty(a) == Type::BOOL => {
                if value == (op == BinOp::And) {
                    self.require(a, value);
                    self.require(b, value);
                } else {
                    // One of them suffices; one that is required anyway is best.
                    let decides = |walk: &mut Self, t: Term| walk.is_true(t) == value;
                    let known = |walk: &Self, t: Term| walk.required.contains(&(t, value));
                    let first = decides(self, a) && (known(self, a) || !(decides(self, b) && known(self, b)));
                    self.require(if first { a } else { b }, value);
                }
            }
            Node::Bin(BinOp::Eq | BinOp::Xor, a, b) if self.store.ty(a) == Type::BOOL => {
                for side in [a, b] {
                    let is = self.is_true(side);
                    self.require(side, is);
                }
            }
            Node::Ite(c, a, b) => {
                let cond = self.is_true(c);
                self.require(c, cond);
                self.require(if cond { a } else { b }, value);
            }
            Node::Const(_) | Node::Var(_) | Node::Un(..) | Node::Bin(..) | Node::Store(..) => {
                let atom = self.side(t);
                let literal = if value { atom } else { self.store.not(atom) };
                if self.store.as_bool(literal).is_none() {
                    self.literals.push(literal);
                }
            }
        }
    }
}
