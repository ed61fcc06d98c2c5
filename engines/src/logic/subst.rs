//! Walks over terms: replacement of symbols, sizes, free symbols. Iterative, linear in the DAG.

use super::term::{Node, Symbol, Term, TermStore};
use rustc_hash::{FxHashMap, FxHashSet};

/// Replaces symbols by terms, and remembers results between calls.
#[derive(Default)]
pub struct Substitution {
    memo: FxHashMap<Term, Term>,
}

impl Substitution {
    /// `map` sends symbols to terms of their type.
    pub fn new(store: &TermStore, map: impl IntoIterator<Item = (Symbol, Term)>) -> Substitution {
        let memo = map
            .into_iter()
            .map(|(s, t)| {
                debug_assert_eq!(store.symbol_type(s), store.ty(t));
                (store.symbol_term(s), t)
            })
            .collect();
        Substitution { memo }
    }

    /// From now on this symbol is replaced too; no term that has it may have been asked for before.
    pub fn set(&mut self, symbol: Term, term: Term) {
        let old = self.memo.insert(symbol, term);
        debug_assert!(old.is_none_or(|t| t == term), "a symbol gets a second meaning");
    }

    /// `term` with all symbols replaced at once, rewritten anew.
    pub fn apply(&mut self, store: &mut TermStore, term: Term) -> Term {
        let mut stack = vec![term];
        while let Some(&t) = stack.last() {
            if self.memo.contains_key(&t) {
                stack.pop();
                continue;
            }
            let node = store.node(t);
            let before = stack.len();
            stack.extend(node.args().filter(|a| !self.memo.contains_key(a)));
            if stack.len() > before {
                continue;
            }
            let new = self.rebuild(store, t, node);
            self.memo.insert(t, new);
            stack.pop();
        }
        self.memo[&term]
    }

    fn rebuild(&self, store: &mut TermStore, t: Term, node: Node) -> Term {
        let m = |t: Term| self.memo[&t];
        if node.args().all(|a| m(a) == a) {
            return t;
        }
        match node {
            Node::Const(_) | Node::Var(_) => t,
            Node::Un(op, a) => store.un(op, m(a)),
            Node::Bin(op, a, b) => store.bin(op, m(a), m(b)),
            Node::Ite(c, a, b) => store.ite(m(c), m(a), m(b)),
            Node::Store(a, i, v) => store.store(m(a), m(i), m(v)),
        }
    }
}

impl TermStore {
    /// `term` with symbols replaced; use a [`Substitution`] for many terms.
    pub fn substitute(&mut self, term: Term, map: impl IntoIterator<Item = (Symbol, Term)>) -> Term {
        Substitution::new(self, map).apply(self, term)
    }

    /// The terms reachable from `roots`, operands before users.
    pub fn reachable(&self, roots: &[Term]) -> Vec<Term> {
        let mut seen: FxHashSet<Term> = FxHashSet::default();
        let mut stack: Vec<Term> = roots.to_vec();
        let mut out = Vec::new();
        while let Some(t) = stack.pop() {
            if seen.insert(t) {
                out.push(t);
                stack.extend(self.node(t).args());
            }
        }
        // Index order is topological.
        out.sort_unstable();
        out
    }

    /// How many different terms a formula has.
    pub fn dag_size(&self, roots: &[Term]) -> usize {
        self.reachable(roots).len()
    }

    /// The free symbols of terms, by rising index.
    pub fn symbols_of(&self, roots: &[Term]) -> Vec<Symbol> {
        self.reachable(roots).into_iter().filter_map(|t| self.as_symbol(t)).collect()
    }
}
