//! The value of a term under a model. Iterative: terms may be millions deep.

use super::term::{Node, Symbol, Term, TermStore};
use rustc_hash::FxHashMap;
use syncline_ir::{eval, BinOp, Const};

/// Values of symbols. A symbol without one is zero.
pub trait Model {
    fn value(&self, store: &TermStore, symbol: Symbol) -> Option<Const>;

    /// The value of a term, where the model has more than symbols.
    fn term(&self, _: &TermStore, _: Term) -> Option<Const> {
        None
    }
}

impl Model for FxHashMap<Symbol, Const> {
    fn value(&self, _: &TermStore, symbol: Symbol) -> Option<Const> {
        self.get(&symbol).cloned()
    }
}

/// Evaluates terms under one model and remembers what it has computed.
#[derive(Default)]
pub struct Evaluator {
    values: FxHashMap<Term, Const>,
    stack: Vec<Term>,
}

impl Evaluator {
    pub fn new() -> Evaluator {
        Evaluator::default()
    }

    /// Forgets everything: the model has changed.
    pub fn clear(&mut self) {
        self.values.clear();
    }

    /// The value of `term`. All calls between two `clear`s must be with the same model.
    pub fn eval(&mut self, store: &TermStore, term: Term, model: &(impl Model + ?Sized)) -> Const {
        self.stack.push(term);
        while let Some(&t) = self.stack.last() {
            if self.values.contains_key(&t) {
                self.stack.pop();
                continue;
            }
            // `None` once operands were pushed that have to come first.
            if let Some(value) = self.step(store, t, model) {
                self.values.insert(t, value);
                self.stack.pop();
            }
        }
        self.values[&term].clone()
    }

    fn step(&mut self, store: &TermStore, t: Term, model: &(impl Model + ?Sized)) -> Option<Const> {
        if let Some(value) = model.term(store, t) {
            return Some(value);
        }
        Some(match store.node(t) {
            Node::Const(id) => store.const_value(id).clone(),
            Node::Var(s) => model.value(store, s).unwrap_or_else(|| Const::zero(store.symbol_type(s))),
            Node::Un(op, a) => eval::unary(op, self.get(a)?),
            Node::Bin(BinOp::Select, a, i) => {
                let (a, i) = self.pair(a, i)?;
                match (a, i) {
                    (Const::Array(a), Const::Bv { bits, .. }) => a.get(*bits).clone(),
                    _ => unreachable!("a select is well-typed"),
                }
            }
            Node::Bin(op, a, b) => {
                let (a, b) = self.pair(a, b)?;
                eval::binary(op, a, b)
            }
            // Only the side that counts is evaluated.
            Node::Ite(c, a, b) => match self.get(c)? {
                Const::Bool(true) => self.get(a)?.clone(),
                _ => self.get(b)?.clone(),
            },
            Node::Store(a, i, v) => {
                let missing = [a, i, v].map(|t| self.get(t).is_none());
                if missing.contains(&true) {
                    return None;
                }
                match (self.values[&a].clone(), &self.values[&i]) {
                    (Const::Array(mut array), Const::Bv { bits, .. }) => {
                        array.set(*bits, self.values[&v].clone());
                        Const::Array(array)
                    }
                    _ => unreachable!("a store is well-typed"),
                }
            }
        })
    }

    /// The value of an operand, or none after putting it on the stack.
    fn get(&mut self, t: Term) -> Option<&Const> {
        if !self.values.contains_key(&t) {
            self.stack.push(t);
            return None;
        }
        self.values.get(&t)
    }

    fn pair(&mut self, a: Term, b: Term) -> Option<(&Const, &Const)> {
        let missing = [a, b].map(|t| self.get(t).is_none());
        if missing.contains(&true) {
            return None;
        }
        Some((&self.values[&a], &self.values[&b]))
    }
}

impl TermStore {
    /// The value of a term under a model; use an [`Evaluator`] for many terms.
    pub fn eval(&self, term: Term, model: &(impl Model + ?Sized)) -> Const {
        Evaluator::new().eval(self, term, model)
    }
}
