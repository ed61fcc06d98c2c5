//! Removes arrays, incrementally, so that a solver only sees scalars.
//!
//! A read goes down the array term: a write becomes a conditional on equal indices, a run of writes at constant indices
//! a tree over the bits of the index ([`patch`]), a conditional stays one, a constant becomes a search tree, and at an
//! array symbol a fresh *cell* stands for the value at that index. Cells of one symbol at different indices are kept
//! consistent by Ackermann's constraints, emitted for a new cell against those before it, unless the indices surely
//! differ. Everything is memoised by array and (array-free) index. Where there are many cells or constant writes, their
//! constraints wait until a model violates them ([`lazy`]).
//!
//! `guard -> P = t` between arrays is never expanded: each cell of P, present or later, gets
//! `guard -> cell = read(t, index)`. Nor is an array that is defined cell by cell (the range-writes of accelerated
//! loops): each of its cells gets the definition, for its own index.
//!
//! The cost is writes at unknown indices times different unknown indices; `docs/decisions/0002-solver.md` has it against Z3's arrays.

mod lazy;
mod patch;

use super::eval::{Evaluator, Model};
use super::solver::{Answer, Interrupt, Limits, Solver, SolverStats};
use super::term::{Node, Symbol, Term, TermStore};
use lazy::{Lazy, Values, MANY_CELLS, MANY_WRITES};
use patch::{Patch, Patches};
use rustc_hash::{FxHashMap, FxHashSet};
use syncline_ir::{ArrayConst, BinOp, Const, Scalar, Type};

/// What an array symbol has been asked for, and what it equals.
#[derive(Default)]
struct SymbolCells {
    /// Cells at constant indices. They differ from each other.
    fixed: Vec<(Term, Term)>,
    /// Cells at other indices.
    free: Vec<(Term, Term)>,
    /// There are so many that not all are compared.
    many: bool,
    /// Guards (array-free) and the arrays the symbol equals under them.
    links: Vec<(Term, Term)>,
    /// What every cell is, with the symbol that stands for its index.
    rule: Option<(Term, Term)>,
}

/// What a cell is known to be.
#[derive(Copy, Clone)]
enum Known {
    /// Where the guard holds, the cell of this array at the same index.
    Linked { guard: Term, array: Term },
    /// This, with the cell's index in the place of the symbol.
    Defined { index: Term, value: Term },
}

/// Something to be translated.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
enum Goal {
    /// A scalar term.
    Scalar(Term),
    /// An array term at an array-free index.
    Read(Term, Term),
}

/// The translation. Create symbols' cells through it only.
#[derive(Default)]
pub struct ArrayEliminator {
    done: FxHashMap<Goal, Term>,
    cells: FxHashMap<Symbol, SymbolCells>,
    patches: Patches,
    /// The patches of the arrays that were read, by the last write.
    patch_of: FxHashMap<Term, Patch>,
    lazy: Lazy,
    /// Symbols with many cells.
    crowded: Vec<Symbol>,
    /// What is still to be said of cells, with their index.
    waiting: Vec<(Known, Term, Term)>,
    constraints: Vec<Term>,
}

impl ArrayEliminator {
    pub fn new() -> ArrayEliminator {
        ArrayEliminator::default()
    }

    /// An array-free term equal to a scalar term, given the [constraints](Self::take_constraints).
    pub fn eliminate(&mut self, store: &mut TermStore, term: Term) -> Term {
        if !store.has_arrays(term) {
            return term;
        }
        let result = self.run(store, Goal::Scalar(term));
        self.instantiate(store);
        result
    }

    /// Adds `guard -> array = value`; `array` is a symbol.
    pub fn link(&mut self, store: &mut TermStore, guard: Term, array: Term, value: Term) {
        let symbol = store.as_symbol(array).expect("a link is from an array symbol");
        let guard = self.run(store, Goal::Scalar(guard));
        if guard == store.ff() || array == value {
            return;
        }
        let entry = self.cells.entry(symbol).or_default();
        entry.links.push((guard, value));
        let known = Known::Linked { guard, array: value };
        self.waiting.extend(entry.fixed.iter().chain(&entry.free).map(|&(i, cell)| (known, i, cell)));
        self.instantiate(store);
    }

    /// Every cell of the array, a symbol, is the value, with its index in the place of the symbol `index`.
    pub fn define(&mut self, store: &mut TermStore, array: Term, index: Term, value: Term) {
        let symbol = store.as_symbol(array).expect("what is defined is an array symbol");
        let entry = self.cells.entry(symbol).or_default();
        debug_assert!(entry.rule.is_none(), "an array is defined twice");
        entry.rule = Some((index, value));
        let known = Known::Defined { index, value };
        self.waiting.extend(entry.fixed.iter().chain(&entry.free).map(|&(i, cell)| (known, i, cell)));
        self.instantiate(store);
    }

    /// The constraints that came up since the last call, to be asserted.
    pub fn take_constraints(&mut self) -> Vec<Term> {
        std::mem::take(&mut self.constraints)
    }

    /// Adds the constraints that are left out so far and that the model violates; true if there were any.
    fn correct(&mut self, store: &mut TermStore, values: &mut Values) -> bool {
        for symbol in &self.crowded {
            let Some(entry) = self.cells.get(symbol) else { continue };
            let cells: Vec<(Term, Term)> = entry.fixed.iter().chain(&entry.free).copied().collect();
            self.constraints.extend(self.lazy.cells(store, &cells, values));
        }
        self.constraints.extend(self.lazy.reads(store, &mut self.patches, values));
        !self.constraints.is_empty()
    }

    /// The indices at which a symbol was read, with the cells' symbols.
    pub fn cells_of(&self, symbol: Symbol) -> impl Iterator<Item = (Term, Term)> + '_ {
        self.cells.get(&symbol).into_iter().flat_map(|c| c.fixed.iter().chain(&c.free).copied())
    }

    fn instantiate(&mut self, store: &mut TermStore) {
        while let Some((known, index, cell)) = self.waiting.pop() {
            let constraint = match known {
                Known::Linked { guard, array } => {
                    let read = self.run(store, Goal::Read(array, index));
                    let same = store.eq(cell, read);
                    store.implies(guard, same)
                }
                Known::Defined { index: symbol, value } => {
                    let value = match store.as_symbol(symbol) {
                        Some(symbol) => store.substitute(value, [(symbol, index)]),
                        None => value,
                    };
                    let value = self.run(store, Goal::Scalar(value));
                    store.eq(cell, value)
                }
            };
            self.constrain(store, constraint);
        }
    }

    fn constrain(&mut self, store: &TermStore, constraint: Term) {
        if store.as_bool(constraint) != Some(true) {
            self.constraints.push(constraint);
        }
    }

    fn run(&mut self, store: &mut TermStore, goal: Goal) -> Term {
        let mut stack = vec![goal];
        while let Some(&g) = stack.last() {
            if self.done.contains_key(&g) {
                stack.pop();
                continue;
            }
            let result = match g {
                Goal::Scalar(t) => self.scalar(store, t, &mut stack),
                Goal::Read(a, i) => self.read(store, a, i, &mut stack),
            };
            if let Some(result) = result {
                self.done.insert(g, result);
                stack.pop();
            }
        }
        self.done[&goal]
    }

    /// A result, or its goal on the stack.
    fn need(&self, goal: Goal, stack: &mut Vec<Goal>) -> Option<Term> {
        let result = self.done.get(&goal).copied();
        if result.is_none() {
            stack.push(goal);
        }
        result
    }

    fn scalar(&mut self, store: &mut TermStore, t: Term, stack: &mut Vec<Goal>) -> Option<Term> {
        if !store.has_arrays(t) {
            return Some(t);
        }
        let mut of = |t: Term| self.need(Goal::Scalar(t), stack);
        Some(match store.node(t) {
            Node::Const(_) | Node::Var(_) => t,
            Node::Un(op, a) => match of(a)? {
                x if x == a => t,
                x => store.un(op, x),
            },
            Node::Bin(BinOp::Select, a, i) => {
                let i = of(i)?;
                self.need(Goal::Read(a, i), stack)?
            }
            Node::Bin(op, a, b) => {
                let (x, y) = (of(a), of(b));
                match (x?, y?) {
                    (x, y) if (x, y) == (a, b) => t,
                    (x, y) => store.bin(op, x, y),
                }
            }
            Node::Ite(c, a, b) => {
                let (z, x, y) = (of(c), of(a), of(b));
                match (z?, x?, y?) {
                    (z, x, y) if (z, x, y) == (c, a, b) => t,
                    (z, x, y) => store.ite(z, x, y),
                }
            }
            Node::Store(..) => unreachable!("an array is no scalar"),
        })
    }

    fn read(&mut self, store: &mut TermStore, array: Term, index: Term, stack: &mut Vec<Goal>) -> Option<Term> {
        Some(match store.node(array) {
            Node::Const(id) => match store.const_value(id).clone() {
                Const::Array(a) => lookup(store, &a, index),
                _ => unreachable!("the constant is an array"),
            },
            Node::Var(s) => self.cell(store, s, array, index),
            Node::Ite(c, a, b) => match self.need(Goal::Scalar(c), stack)? {
                c if c == store.tt() => self.need(Goal::Read(a, index), stack)?,
                c if c == store.ff() => self.need(Goal::Read(b, index), stack)?,
                c => {
                    let (x, y) = (self.need(Goal::Read(a, index), stack), self.need(Goal::Read(b, index), stack));
                    store.ite(c, x?, y?)
                }
            },
            Node::Store(_, i, _) if store.as_bits(i).is_some() => {
                let patch = self.patch(store, array, stack)?;
                if let Some(written) = store.as_bits(index).and_then(|i| self.patches.get(patch, i)) {
                    return Some(written);
                }
                let rest = self.need(Goal::Read(patch.base, index), stack)?;
                if patch.writes <= MANY_WRITES || patch::is_tree(store, index) {
                    return Some(self.patches.read(store, patch, index, rest));
                }
                let value = store.new_symbol("read", store.ty(rest));
                self.lazy.read(patch, index, rest, value);
                value
            }
            Node::Store(inner, i, v) => {
                let i = self.need(Goal::Scalar(i), stack)?;
                let hit = store.eq(i, index);
                if hit == store.ff() || store.surely_distinct(i, index) {
                    return self.need(Goal::Read(inner, index), stack);
                }
                let v = self.need(Goal::Scalar(v), stack);
                if hit == store.tt() {
                    return v;
                }
                let rest = self.need(Goal::Read(inner, index), stack);
                store.ite(hit, v?, rest?)
            }
            Node::Un(..) | Node::Bin(..) => unreachable!("no such operator gives an array"),
        })
    }

    /// The writes at constant indices that end with this one, down to the first other array.
    fn patch(&mut self, store: &TermStore, array: Term, stack: &mut Vec<Goal>) -> Option<Patch> {
        let mut writes = Vec::new();
        let (mut at, mut missing) = (array, false);
        let mut patch = loop {
            if let Some(&patch) = self.patch_of.get(&at) {
                break Some(patch);
            }
            let Node::Store(inner, i, v) = store.node(at) else { break None };
            let Some(i) = store.as_bits(i) else { break None };
            match store.has_arrays(v) {
                true => match self.need(Goal::Scalar(v), stack) {
                    Some(v) => writes.push((i, v)),
                    None => missing = true,
                },
                false => writes.push((i, v)),
            }
            at = inner;
        };
        if missing {
            return None;
        }
        let base = patch.map_or(at, |p| p.base);
        for (i, v) in writes.into_iter().rev() {
            patch = Some(self.patches.write(base, patch, i, v));
        }
        self.patch_of.extend(patch.map(|p| (array, p)));
        patch
    }

    /// A new cell of a symbol.
    fn cell(&mut self, store: &mut TermStore, symbol: Symbol, array: Term, index: Term) -> Term {
        let Type::Array { elem, .. } = store.ty(array) else { unreachable!("the symbol is an array") };
        let name = format!("{}[{}]", store.symbol_name(symbol), index.index());
        let cell = store.new_symbol(&name, elem.into());
        let fixed = store.as_bits(index).is_some();
        let entry = self.cells.entry(symbol).or_default();
        // Constant indices differ; anything else is compared with all.
        let others = entry.free.iter().chain(entry.fixed.iter().filter(|_| !fixed));
        let mut others: Vec<(Term, Term)> =
            others.copied().filter(|&(i, _)| !store.surely_distinct(i, index)).collect();
        if others.len() > MANY_CELLS {
            others.clear();
            self.crowded.extend((!entry.many).then_some(symbol));
            entry.many = true;
        }
        let linked = entry.links.iter().map(|&(guard, array)| Known::Linked { guard, array });
        let defined = entry.rule.map(|(index, value)| Known::Defined { index, value });
        self.waiting.extend(linked.chain(defined).map(|known| (known, index, cell)));
        if fixed { &mut entry.fixed } else { &mut entry.free }.push((index, cell));
        for (i, other) in others {
            let (same_index, same_cell) = (store.eq(i, index), store.eq(other, cell));
            let constraint = store.implies(same_index, same_cell);
            self.constrain(store, constraint);
        }
        cell
    }
}

/// A constant array at some index: a search tree over its runs of equal cells.
fn lookup(store: &mut TermStore, array: &ArrayConst, index: Term) -> Term {
    if let Some(i) = store.as_bits(index) {
        return store.constant_term(array.get(i).clone());
    }
    let last = syncline_ir::consts::mask(array.index, u128::MAX);
    let mut runs: Vec<(u128, Term)> = Vec::new();
    let push = |runs: &mut Vec<(u128, Term)>, start: u128, value: Term| {
        if runs.last().is_none_or(|r| r.1 != value) {
            runs.push((start, value));
        }
    };
    let default = store.constant_term(array.default_cell().clone());
    // The first index not yet covered; none once the last cell is.
    let mut next = Some(0u128);
    for (i, cell) in array.cells() {
        if next.is_some_and(|n| n < i) {
            push(&mut runs, next.unwrap_or(0), default);
        }
        let cell = store.constant_term(cell.clone());
        push(&mut runs, i, cell);
        next = (i < last).then(|| i + 1);
    }
    if let Some(n) = next {
        push(&mut runs, n, default);
    }
    search_tree(store, &runs, index, array.index)
}

/// The value of the run that has the index. Logarithmic in depth.
fn search_tree(store: &mut TermStore, runs: &[(u128, Term)], index: Term, width: u32) -> Term {
    if let [(_, value)] = runs {
        return *value;
    }
    let (low, high) = runs.split_at(runs.len() / 2);
    let bound = store.bv(width, high[0].0);
    let below = store.bin(BinOp::Ult, index, bound);
    let (low, high) = (search_tree(store, low, index, width), search_tree(store, high, index, width));
    store.ite(below, low, high)
}

/// A solver for formulas with arrays on top of one without.
pub struct ArraySolver<S> {
    inner: S,
    eliminator: ArrayEliminator,
    /// The assumptions of the last check, by what was assumed in their place.
    assumed: FxHashMap<Term, Term>,
    evaluator: Evaluator,
    /// Values of symbols in the last model, as far as they were asked for.
    values: FxHashMap<Symbol, Const>,
}

impl<S: Solver> ArraySolver<S> {
    pub fn new(inner: S) -> ArraySolver<S> {
        ArraySolver {
            inner,
            eliminator: ArrayEliminator::new(),
            assumed: FxHashMap::default(),
            evaluator: Evaluator::new(),
            values: FxHashMap::default(),
        }
    }

    fn eliminate(&mut self, store: &mut TermStore, term: Term) -> Term {
        let scalar = self.eliminator.eliminate(store, term);
        self.flush(store);
        scalar
    }

    fn flush(&mut self, store: &mut TermStore) {
        for constraint in self.eliminator.take_constraints() {
            self.inner.assert(store, constraint);
        }
    }

    /// Finds the values of the symbols of a term. An array symbol equals what it is linked to where the guard holds
    /// (cells nobody read included), and has its cells' values otherwise.
    fn find_values(&mut self, store: &TermStore, term: Term) {
        let mut stack = store.symbols_of(&[term]);
        let mut open: FxHashSet<Symbol> = FxHashSet::default();
        while let Some(&s) = stack.last() {
            if self.values.contains_key(&s) {
                stack.pop();
                continue;
            }
            let value = match store.symbol_type(s) {
                Type::Scalar(_) => self.inner.model_value(store, store.symbol_term(s)),
                Type::Array { index, elem } => match self.true_link(store, s) {
                    Some(linked) => {
                        // Symbols already open are on a cycle of links: their cells decide.
                        let before = stack.len();
                        if open.insert(s) {
                            let needed = store.symbols_of(&[linked]);
                            stack.extend(needed.iter().filter(|n| !self.values.contains_key(n) && !open.contains(n)));
                        }
                        if stack.len() > before {
                            continue;
                        }
                        if store.symbols_of(&[linked]).iter().all(|n| self.values.contains_key(n)) {
                            self.evaluator.eval(store, linked, &self.values as &dyn Model)
                        } else {
                            self.cell_values(store, s, index, elem)
                        }
                    }
                    None => self.cell_values(store, s, index, elem),
                },
            };
            self.values.insert(s, value);
            stack.pop();
        }
    }

    fn true_link(&mut self, store: &TermStore, s: Symbol) -> Option<Term> {
        let links = &self.eliminator.cells.get(&s)?.links;
        links.iter().find(|l| self.inner.model_value(store, l.0) == Const::TRUE).map(|l| l.1)
    }

    fn cell_values(&mut self, store: &TermStore, s: Symbol, index: u32, elem: Scalar) -> Const {
        let mut array = ArrayConst::filled(index, Const::zero(elem.into()));
        for (i, cell) in self.eliminator.cells_of(s) {
            if let Some(i) = self.inner.model_value(store, i).as_bits() {
                array.set(i, self.inner.model_value(store, cell));
            }
        }
        Const::Array(array)
    }
}

impl<S: Solver> Solver for ArraySolver<S> {
    fn assert(&mut self, store: &mut TermStore, formula: Term) {
        let formula = self.eliminate(store, formula);
        self.inner.assert(store, formula);
    }

    fn assert_array_eq(&mut self, store: &mut TermStore, guard: Term, array: Term, value: Term) {
        self.eliminator.link(store, guard, array, value);
        self.flush(store);
    }

    fn assert_cells(&mut self, store: &mut TermStore, array: Term, index: Term, value: Term) {
        self.eliminator.define(store, array, index, value);
        self.flush(store);
    }

    fn check(&mut self, store: &mut TermStore, assumptions: &[Term], limits: &Limits) -> Answer {
        self.evaluator.clear();
        self.values.clear();
        self.assumed.clear();
        let mut scalars = Vec::with_capacity(assumptions.len());
        for &t in assumptions {
            let scalar = self.eliminate(store, t);
            self.assumed.entry(scalar).or_insert(t);
            scalars.push(scalar);
        }
        loop {
            let answer = self.inner.check(store, &scalars, limits);
            let inner = &mut self.inner;
            if answer != Answer::Sat || !self.eliminator.correct(store, &mut |store, t| inner.model_value(store, t)) {
                return answer;
            }
            self.flush(store);
        }
    }

    fn model_value(&mut self, store: &TermStore, term: Term) -> Const {
        // Without arrays in sight the solver below knows best.
        if !store.has_arrays(term) {
            return self.inner.model_value(store, term);
        }
        self.find_values(store, term);
        self.evaluator.eval(store, term, &self.values as &dyn Model)
    }

    fn core(&mut self) -> Vec<Term> {
        self.inner.core().iter().filter_map(|t| self.assumed.get(t).copied()).collect()
    }

    fn interrupt_handle(&self) -> Interrupt {
        self.inner.interrupt_handle()
    }

    fn stats(&self) -> SolverStats {
        self.inner.stats()
    }
}
