//! Negation, conjunction, disjunction, conditionals.

use super::super::term::{Node, Term, TermStore};
use syncline_ir::{BinOp, Type, UnOp};

/// How many nodes of a nested conjunction are searched for an operand or its complement.
const SCAN: usize = 12;

fn dual(op: BinOp) -> BinOp {
    if op == BinOp::And {
        BinOp::Or
    } else {
        BinOp::And
    }
}

impl TermStore {
    pub(super) fn rewrite_not(&mut self, a: Term) -> Term {
        match self.node(a) {
            Node::Un(UnOp::Not, x) => x,
            _ => self.intern(Node::Un(UnOp::Not, a), Type::BOOL),
        }
    }

    /// Whether one term is `Not` of the other, as built.
    pub(super) fn complementary(&self, a: Term, b: Term) -> bool {
        self.node(a) == Node::Un(UnOp::Not, b) || self.node(b) == Node::Un(UnOp::Not, a)
    }

    /// `x = k` as its two parts.
    fn as_test(&self, t: Term) -> Option<(Term, Term)> {
        match self.node(t) {
            Node::Bin(BinOp::Eq, x, k) if self.constant(k).is_some() => Some((x, k)),
            _ => None,
        }
    }

    /// Two tests of one term against different constants, both as they stand (`And`) or both negated (`Or`).
    fn exclusive(&self, op: BinOp, a: Term, b: Term) -> bool {
        let (a, b) = match (op, self.node(a), self.node(b)) {
            (BinOp::And, ..) => (a, b),
            (_, Node::Un(UnOp::Not, a), Node::Un(UnOp::Not, b)) => (a, b),
            _ => return false,
        };
        matches!((self.as_test(a), self.as_test(b)), (Some((x, k)), Some((y, l))) if x == y && k != l)
    }

    /// `x = k` and `!(x = l)`: the first implies the second, so it decides a conjunction; in a disjunction the second.
    fn implied_test(&self, op: BinOp, a: Term, b: Term) -> Option<Term> {
        let Node::Un(UnOp::Not, inner) = self.node(b) else { return None };
        let ((x, k), (y, l)) = (self.as_test(a)?, self.as_test(inner)?);
        (x == y && k != l).then_some(if op == BinOp::And { a } else { b })
    }

    /// `And` or `Or`; `a` and `b` are not both constants, a constant is `b`.
    pub(super) fn rewrite_junction(&mut self, op: BinOp, a: Term, b: Term) -> Term {
        let (neutral, absorbing) = (self.bool(op == BinOp::And), self.bool(op == BinOp::Or));
        if a == b || b == neutral {
            return a;
        }
        if b == absorbing || self.complementary(a, b) || self.exclusive(op, a, b) {
            return absorbing;
        }
        for (x, y) in [(a, b), (b, a)] {
            if let Some(t) = self.implied_test(op, x, y) {
                return t;
            }
            if let Some(t) = self.absorb(op, x, y, absorbing) {
                return t;
            }
        }
        if let Some(t) = self.factor(op, a, b) {
            return t;
        }
        self.intern(Node::Bin(op, a, b), Type::BOOL)
    }

    /// `x op y` where `x` decides a part of `y`.
    fn absorb(&mut self, op: BinOp, x: Term, y: Term, absorbing: Term) -> Option<Term> {
        match self.node(y) {
            Node::Bin(o, _, _) if o == op => self.scan(op, y, x).map(|same| if same { y } else { absorbing }),
            Node::Bin(o, p, q) if o == dual(op) => {
                if self.scan(o, y, x) == Some(true) {
                    return Some(x);
                }
                if self.complementary(x, p) {
                    return Some(self.bin(op, x, q));
                }
                self.complementary(x, q).then(|| self.bin(op, x, p))
            }
            Node::Un(UnOp::Not, inner) => match self.node(inner) {
                // x op !(p op q): by De Morgan the dual junction of !p and !q.
                Node::Bin(o, p, q) if o == op => {
                    let rest = match () {
                        _ if p == x => q,
                        _ if q == x => p,
                        _ if self.complementary(p, x) || self.complementary(q, x) => return Some(x),
                        _ => return None,
                    };
                    let not = self.not(rest);
                    Some(self.bin(op, x, not))
                }
                // x op !(p dual q) = x op !p op !q
                Node::Bin(o, p, q) if o == dual(op) => {
                    if p == x || q == x {
                        return Some(absorbing);
                    }
                    let rest = match () {
                        _ if self.complementary(p, x) => q,
                        _ if self.complementary(q, x) => p,
                        _ => return None,
                    };
                    let not = self.not(rest);
                    Some(self.bin(op, x, not))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Looks for `x` (true) or its complement (false) among the operands of a nested junction.
    fn scan(&self, op: BinOp, root: Term, x: Term) -> Option<bool> {
        let mut stack = [root; SCAN];
        let mut len = 1;
        let mut seen = 0;
        while len > 0 && seen < SCAN {
            len -= 1;
            seen += 1;
            let t = stack[len];
            if t == x {
                return Some(true);
            }
            if self.complementary(t, x) || self.exclusive(op, t, x) {
                return Some(false);
            }
            if let Node::Bin(o, p, q) = self.node(t) {
                if o == op {
                    for child in [p, q] {
                        if len < SCAN {
                            stack[len] = child;
                            len += 1;
                        }
                    }
                }
            }
        }
        None
    }

    /// `(x & y) | (x & z)` is `x & (y | z)`, and its dual: the guards of two branches join to the guard before them.
    fn factor(&mut self, op: BinOp, a: Term, b: Term) -> Option<Term> {
        let d = dual(op);
        let (Node::Bin(oa, p, q), Node::Bin(ob, r, s)) = (self.node(a), self.node(b)) else { return None };
        if oa != d || ob != d {
            return None;
        }
        let (common, y, z) = match () {
            _ if p == r => (p, q, s),
            _ if p == s => (p, q, r),
            _ if q == r => (q, p, s),
            _ if q == s => (q, p, r),
            _ => return None,
        };
        let inner = self.bin(op, y, z);
        Some(self.bin(d, common, inner))
    }

    /// The condition is no constant and the sides differ.
    pub(super) fn rewrite_ite(&mut self, c: Term, a: Term, b: Term, ty: Type) -> Term {
        if let Node::Un(UnOp::Not, inner) = self.node(c) {
            return self.ite(inner, b, a);
        }
        // Below, `c` is known on either side.
        if let Some(t) = self.ite_known_side(c, a, b) {
            return t;
        }
        if let Some(t) = self.ite_merge(c, a, b) {
            return t;
        }
        let special = match ty {
            Type::BOOL => self.ite_bool(c, a, b),
            Type::Scalar(_) => self.ite_bv(c, a, b),
            Type::Array { .. } => self.ite_array(c, a, b),
        };
        special.unwrap_or_else(|| self.intern(Node::Ite(c, a, b), ty))
    }

    /// Drops the dead half of a nested conditional on the same condition, and uses `x = k` inside its own branch.
    fn ite_known_side(&mut self, c: Term, a: Term, b: Term) -> Option<Term> {
        if let Node::Ite(c2, x, y) = self.node(a) {
            if c2 == c {
                return Some(self.ite(c, x, b));
            }
            if self.complementary(c, c2) {
                return Some(self.ite(c, y, b));
            }
        }
        if let Node::Ite(c2, x, y) = self.node(b) {
            if c2 == c {
                return Some(self.ite(c, a, y));
            }
            if self.complementary(c, c2) {
                return Some(self.ite(c, a, x));
            }
        }
        match self.node(c) {
            Node::Bin(BinOp::Eq, x, k) if self.constant(k).is_some() && a == x => Some(self.ite(c, k, b)),
            // x = k ? k : x
            Node::Bin(BinOp::Eq, x, k) if (a, b) == (k, x) => Some(x),
            _ => None,
        }
    }

    /// Joins two conditionals that share a side.
    fn ite_merge(&mut self, c: Term, a: Term, b: Term) -> Option<Term> {
        if let Node::Ite(c2, x, y) = self.node(a) {
            if y == b {
                let both = self.and(c, c2);
                return Some(self.ite(both, x, b));
            }
            if x == b {
                let not = self.not(c2);
                let both = self.and(c, not);
                return Some(self.ite(both, y, b));
            }
        }
        if let Node::Ite(c2, x, y) = self.node(b) {
            if x == a {
                let either = self.or(c, c2);
                return Some(self.ite(either, a, y));
            }
            if y == a {
                let not = self.not(c2);
                let either = self.or(c, not);
                return Some(self.ite(either, a, x));
            }
        }
        None
    }

    fn ite_bool(&mut self, c: Term, a: Term, b: Term) -> Option<Term> {
        let (tt, ff) = (self.tt(), self.ff());
        if a == tt || a == c {
            return Some(self.or(c, b));
        }
        if b == ff || b == c {
            return Some(self.and(c, a));
        }
        if a == ff || self.complementary(a, c) {
            let not = self.not(c);
            return Some(self.and(not, b));
        }
        if b == tt || self.complementary(b, c) {
            let not = self.not(c);
            return Some(self.or(not, a));
        }
        self.complementary(a, b).then(|| self.eq(c, a))
    }

    /// Extensions move out of conditionals, so that a promoted `char` stays eight bits wide inside.
    fn ite_bv(&mut self, c: Term, a: Term, b: Term) -> Option<Term> {
        let op = match (self.node(a), self.node(b)) {
            (Node::Un(op @ (UnOp::ZExt(_) | UnOp::SExt(_)), _), _) => op,
            (_, Node::Un(op @ (UnOp::ZExt(_) | UnOp::SExt(_)), _)) => op,
            _ => return None,
        };
        let (x, y) = match (self.node(a), self.node(b)) {
            (Node::Un(o, x), Node::Un(p, y)) if o == op && p == op && self.ty(x) == self.ty(y) => (x, y),
            (Node::Un(o, x), _) if o == op => (x, self.unextend(op, b, self.width(x))?),
            (_, Node::Un(o, y)) if o == op => (self.unextend(op, a, self.width(y))?, y),
            _ => return None,
        };
        let narrow = self.ite(c, x, y);
        Some(self.un(op, narrow))
    }

    /// The constant that `op` extends from `width` to `t`.
    fn unextend(&mut self, op: UnOp, t: Term, width: u32) -> Option<Term> {
        let bits = self.as_bits(t)?;
        let narrow = self.bv(width, bits);
        (self.un(op, narrow) == t).then_some(narrow)
    }
}
