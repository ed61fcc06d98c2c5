//! Reading and writing arrays.

use super::super::term::{Node, PushOp, Term, TermStore};
use super::{as_array, MAX_DEPTH};
use syncline_ir::{BinOp, Const, Type};

/// Array constants are folded up to this many cells; a constant is hashed whole each time it is built.
const MAX_CELLS: usize = 64;

/// How many conditionals a constant index is pushed through.
const MAX_LIFT: u32 = 16;

impl TermStore {
    /// The array with one cell changed.
    pub fn store(&mut self, array: Term, index: Term, value: Term) -> Term {
        let ty = self.ty(array);
        assert_eq!(BinOp::Select.result(ty, self.ty(index)), Some(self.ty(value)), "ill-typed operands");
        // Writing back what is there.
        if self.node(value) == Node::Bin(BinOp::Select, array, index) {
            return array;
        }
        if let Node::Store(inner, i, _) = self.node(array) {
            if i == index {
                return self.store(inner, index, value);
            }
        }
        if let (Some(a), Some(i), Some(v)) = (as_array(self.constant(array)), self.as_bits(index), self.constant(value))
        {
            if a.get(i) == v {
                return array;
            }
            if a.cell_count() < MAX_CELLS {
                let mut changed = a.clone();
                changed.set(i, v.clone());
                return self.constant_term(Const::Array(changed));
            }
        }
        self.intern(Node::Store(array, index, value), ty)
    }

    pub(super) fn rewrite_select(&mut self, array: Term, index: Term, ty: Type) -> Term {
        self.select_lifted(array, index, ty, MAX_LIFT)
    }

    fn select_lifted(&mut self, mut array: Term, index: Term, ty: Type, lift: u32) -> Term {
        // Past writes to other cells.
        while let Node::Store(inner, i, v) = self.node(array) {
            if i == index {
                return v;
            }
            if !self.surely_distinct(i, index) {
                break;
            }
            array = inner;
        }
        if let Some(a) = as_array(self.constant(array)) {
            let cell = match self.as_bits(index) {
                Some(i) => Some(a.get(i).clone()),
                None if a.cell_count() == 0 => Some(a.default_cell().clone()),
                None => None,
            };
            if let Some(cell) = cell {
                return self.constant_term(cell);
            }
        }
        if let Node::Ite(c, x, y) = self.node(array) {
            if lift > 0 && self.depth < MAX_DEPTH && self.as_bits(index).is_some() {
                let key = (PushOp::Bin(BinOp::Select), array, index);
                if let Some(&t) = self.pushed.get(&key) {
                    return t;
                }
                let x = self.select_lifted(x, index, ty, lift - 1);
                let y = self.select_lifted(y, index, ty, lift - 1);
                let t = self.ite(c, x, y);
                self.pushed.insert(key, t);
                return t;
            }
        }
        self.intern(Node::Bin(BinOp::Select, array, index), ty)
    }

    /// Whether two indices differ in every model, as far as one can see: constants, or constants off one base.
    pub(crate) fn surely_distinct(&self, i: Term, j: Term) -> bool {
        let (x, c) = self.base_offset(i);
        let (y, d) = self.base_offset(j);
        x == y && c != d
    }

    /// A term as base plus constant; constants have no base.
    fn base_offset(&self, t: Term) -> (Option<Term>, u128) {
        match self.as_bits(t) {
            Some(c) => (None, c),
            None => match self.with_const(BinOp::Add, t) {
                Some((x, c)) => (Some(x), c),
                None => (Some(t), 0),
            },
        }
    }

    /// Two arrays that differ in one write join to one write.
    pub(super) fn ite_array(&mut self, c: Term, a: Term, b: Term) -> Option<Term> {
        if let (Node::Store(x, i, v), Node::Store(y, j, w)) = (self.node(a), self.node(b)) {
            if x == y && i == j {
                let value = self.ite(c, v, w);
                return Some(self.store(x, i, value));
            }
        }
        if let Node::Store(x, i, v) = self.node(a) {
            if x == b {
                let old = self.select(b, i);
                let value = self.ite(c, v, old);
                return Some(self.store(b, i, value));
            }
        }
        if let Node::Store(y, j, w) = self.node(b) {
            if y == a {
                let old = self.select(a, j);
                let value = self.ite(c, old, w);
                return Some(self.store(a, j, value));
            }
        }
        None
    }
}
