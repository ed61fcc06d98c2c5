//! The model of a solver's last check, for any term.

use super::eval::{Evaluator, Model};
use super::solver::Solver;
use super::term::{Symbol, Term, TermStore};
use std::cell::RefCell;
use syncline_ir::Const;

/// The solver's model as values of terms: symbols come from the solver, the rest is evaluated here.
pub struct ModelView<'a> {
    symbols: SymbolValues<'a>,
    evaluator: Evaluator,
}

struct SymbolValues<'a>(RefCell<&'a mut dyn Solver>);

impl Model for SymbolValues<'_> {
    fn value(&self, store: &TermStore, symbol: Symbol) -> Option<Const> {
        Some(self.0.borrow_mut().model_value(store, store.symbol_term(symbol)))
    }
}

impl<'a> ModelView<'a> {
    pub fn new(solver: &'a mut dyn Solver) -> ModelView<'a> {
        ModelView { symbols: SymbolValues(RefCell::new(solver)), evaluator: Evaluator::new() }
    }

    pub fn value_of(&mut self, store: &TermStore, term: Term) -> Const {
        self.evaluator.eval(store, term, &self.symbols)
    }

    pub fn is_true(&mut self, store: &TermStore, term: Term) -> bool {
        self.value_of(store, term).as_bool() == Some(true)
    }
}
