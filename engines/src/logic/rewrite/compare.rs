//! Equality and order. A constant operand of `Eq` is `b`; `Ult` and `Slt` bring theirs there.

use super::super::term::{Node, Term, TermStore};
use super::all_ones;
use syncline_ir::consts::{mask, sign_extend};
use syncline_ir::{BinOp, Scalar, Type, UnOp};

impl TermStore {
    fn intern_cmp(&mut self, op: BinOp, a: Term, b: Term) -> Term {
        let (a, b) = if op == BinOp::Eq { self.ordered(a, b) } else { (a, b) };
        self.intern(Node::Bin(op, a, b), Type::BOOL)
    }

    pub(super) fn rewrite_eq(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return self.tt();
        }
        match self.ty(a) {
            Type::BOOL => self.eq_bool(a, b),
            Type::Scalar(Scalar::Bv(w)) => {
                let special = match self.as_bits(b) {
                    Some(c) => self.eq_const(a, c, b, w),
                    None => self.eq_terms(a, b),
                };
                special.unwrap_or_else(|| self.intern_cmp(BinOp::Eq, a, b))
            }
            Type::Scalar(_) | Type::Array { .. } => self.intern_cmp(BinOp::Eq, a, b),
        }
    }

    fn eq_bool(&mut self, a: Term, b: Term) -> Term {
        if let Some(b) = self.as_bool(b) {
            return if b { a } else { self.not(a) };
        }
        if self.complementary(a, b) {
            return self.ff();
        }
        let inner = match (self.node(a), self.node(b)) {
            (Node::Un(UnOp::Not, x), Node::Un(UnOp::Not, y)) => return self.eq(x, y),
            (Node::Un(UnOp::Not, x), _) => self.eq(x, b),
            (_, Node::Un(UnOp::Not, y)) => self.eq(a, y),
            _ => return self.intern_cmp(BinOp::Eq, a, b),
        };
        self.not(inner)
    }

    /// `a = c` for a bit-vector constant, the term `ct`.
    fn eq_const(&mut self, a: Term, c: u128, ct: Term, w: u32) -> Option<Term> {
        // One bit has one test.
        if w == 1 && c == 0 {
            let one = self.bv(1, 1);
            let set = self.eq(a, one);
            return Some(self.not(set));
        }
        match self.node(a) {
            Node::Un(UnOp::BvNot, x) => self.eq_moved(x, w, !c),
            Node::Un(UnOp::BvNeg, x) => self.eq_moved(x, w, c.wrapping_neg()),
            Node::Un(UnOp::ZExt(_), x) => {
                let inner = self.width(x);
                if c > all_ones(inner) {
                    return Some(self.ff());
                }
                self.eq_moved(x, inner, c)
            }
            Node::Un(UnOp::SExt(_), x) => {
                let inner = self.width(x);
                if sign_extend(w, c) != sign_extend(inner, mask(inner, c)) {
                    return Some(self.ff());
                }
                self.eq_moved(x, inner, c)
            }
            Node::Bin(BinOp::Concat, x, y) => {
                let (wx, wy) = (self.width(x), self.width(y));
                let (hi, lo) = (self.eq_moved(x, wx, c >> wy)?, self.eq_moved(y, wy, c)?);
                Some(self.and(hi, lo))
            }
            Node::Bin(BinOp::Add, x, k) => self.as_bits(k).and_then(|k| self.eq_moved(x, w, c.wrapping_sub(k))),
            Node::Bin(BinOp::Sub, x, y) if c == 0 => Some(self.eq(x, y)),
            Node::Bin(BinOp::BvXor, x, k) => match self.as_bits(k) {
                Some(k) => self.eq_moved(x, w, c ^ k),
                None if c == 0 => Some(self.eq(x, k)),
                None => None,
            },
            Node::Bin(BinOp::BvOr, x, y) if c == 0 => {
                let (x, y) = (self.eq(x, ct), self.eq(y, ct));
                Some(self.and(x, y))
            }
            Node::Bin(BinOp::Mul, x, k) => {
                let k = self.as_bits(k).filter(|k| k & 1 == 1)?;
                self.eq_moved(x, w, c.wrapping_mul(inverse(k)))
            }
            Node::Ite(cond, x, y) => self.eq_const_ite(cond, x, y, ct),
            _ => None,
        }
    }

    fn eq_moved(&mut self, x: Term, w: u32, c: u128) -> Option<Term> {
        let c = self.bv(w, c);
        Some(self.eq(x, c))
    }

    /// One side is a constant: the conditional dissolves into its condition. (Trees of constants never come here.)
    fn eq_const_ite(&mut self, cond: Term, x: Term, y: Term, ct: Term) -> Option<Term> {
        let (guard, known, other) = if self.as_bits(x).is_some() {
            (cond, x, y)
        } else if self.as_bits(y).is_some() {
            (self.not(cond), y, x)
        } else {
            return None;
        };
        let rest = self.eq(other, ct);
        if known == ct {
            return Some(self.or(guard, rest));
        }
        let not = self.not(guard);
        Some(self.and(not, rest))
    }

    /// Neither side is a constant.
    fn eq_terms(&mut self, a: Term, b: Term) -> Option<Term> {
        if let Some((x, y)) = self.same_extension(a, b) {
            return Some(self.eq(x, y));
        }
        for (a, b) in [(a, b), (b, a)] {
            if let Some((x, c)) = self.with_const(BinOp::Add, a) {
                if x == b {
                    return Some(self.ff());
                }
                if let Some((y, d)) = self.with_const(BinOp::Add, b) {
                    let k = self.bv(self.width(a), c.wrapping_sub(d));
                    let left = self.add(x, k);
                    return Some(self.eq(left, y));
                }
            }
            match self.node(a) {
                Node::Ite(c, x, y) if x == b => {
                    let rest = self.eq(y, b);
                    return Some(self.or(c, rest));
                }
                Node::Ite(c, x, y) if y == b => {
                    let (rest, not) = (self.eq(x, b), self.not(c));
                    return Some(self.or(not, rest));
                }
                Node::Bin(BinOp::Add, x, y) if x == b || y == b => {
                    let zero = self.bv(self.width(a), 0);
                    return Some(self.eq(if x == b { y } else { x }, zero));
                }
                Node::Un(UnOp::BvNot, x) if x == b => return Some(self.ff()),
                _ => {}
            }
        }
        None
    }

    /// The operands of two extensions of one kind from one width; zero extensions may differ in width.
    fn same_extension(&mut self, a: Term, b: Term) -> Option<(Term, Term)> {
        match (self.node(a), self.node(b)) {
            (Node::Un(UnOp::SExt(_), x), Node::Un(UnOp::SExt(_), y)) => {
                let w = self.width(x).max(self.width(y));
                Some((self.un(UnOp::SExt(w), x), self.un(UnOp::SExt(w), y)))
            }
            (Node::Un(UnOp::ZExt(_), _), Node::Un(UnOp::ZExt(_), _)) => self.both_zext(a, b),
            _ => None,
        }
    }

    pub(super) fn rewrite_ult(&mut self, a: Term, b: Term) -> Term {
        let w = self.width(a);
        if a == b {
            return self.ff();
        }
        if let Some(c) = self.as_bits(a) {
            // c < b: b is not below c + 1
            if c == all_ones(w) {
                return self.ff();
            }
            let next = self.bv(w, c + 1);
            let below = self.bin(BinOp::Ult, b, next);
            return self.not(below);
        }
        if let Some(c) = self.as_bits(b) {
            if c == 0 {
                return self.ff();
            }
            if c == 1 {
                let zero = self.bv(w, 0);
                return self.eq(a, zero);
            }
            if c == all_ones(w) {
                let same = self.eq(a, b);
                return self.not(same);
            }
            return self.ult_const(a, c, w).unwrap_or_else(|| self.intern_cmp(BinOp::Ult, a, b));
        }
        match self.same_extension(a, b) {
            Some((x, y)) => self.bin(BinOp::Ult, x, y),
            None => self.intern_cmp(BinOp::Ult, a, b),
        }
    }

    fn ult_const(&mut self, a: Term, c: u128, w: u32) -> Option<Term> {
        match self.node(a) {
            Node::Un(UnOp::ZExt(_), x) => {
                let inner = self.width(x);
                if c > all_ones(inner) {
                    return Some(self.tt());
                }
                let c = self.bv(inner, c);
                Some(self.bin(BinOp::Ult, x, c))
            }
            Node::Ite(cond, x, y) => self.cmp_const_ite(BinOp::Ult, cond, x, y, c, w),
            _ => None,
        }
    }

    /// A conditional with one constant side, compared with a constant.
    fn cmp_const_ite(&mut self, op: BinOp, cond: Term, x: Term, y: Term, c: u128, w: u32) -> Option<Term> {
        if self.as_bits(x).is_none() && self.as_bits(y).is_none() {
            return None;
        }
        let c = self.bv(w, c);
        let (x, y) = (self.bin(op, x, c), self.bin(op, y, c));
        Some(self.ite(cond, x, y))
    }

    pub(super) fn rewrite_slt(&mut self, a: Term, b: Term) -> Term {
        let w = self.width(a);
        let (min, max) = (1u128 << (w - 1), all_ones(w) >> 1);
        if a == b {
            return self.ff();
        }
        if let Some(c) = self.as_bits(a) {
            if c == max {
                return self.ff();
            }
            let next = self.bv(w, c.wrapping_add(1));
            let below = self.bin(BinOp::Slt, b, next);
            return self.not(below);
        }
        if let Some(c) = self.as_bits(b) {
            if c == min {
                return self.ff();
            }
            if c == mask(w, min.wrapping_add(1)) {
                let least = self.bv(w, min);
                return self.eq(a, least);
            }
            if c == max {
                let same = self.eq(a, b);
                return self.not(same);
            }
            return self.slt_const(a, c, w).unwrap_or_else(|| self.intern_cmp(BinOp::Slt, a, b));
        }
        let unsigned = match (self.node(a), self.node(b)) {
            (Node::Un(UnOp::ZExt(_), _), Node::Un(UnOp::ZExt(_), _)) => true,
            (Node::Un(UnOp::SExt(_), _), Node::Un(UnOp::SExt(_), _)) => false,
            _ => return self.intern_cmp(BinOp::Slt, a, b),
        };
        match self.same_extension(a, b) {
            Some((x, y)) => self.bin(if unsigned { BinOp::Ult } else { BinOp::Slt }, x, y),
            None => self.intern_cmp(BinOp::Slt, a, b),
        }
    }

    fn slt_const(&mut self, a: Term, c: u128, w: u32) -> Option<Term> {
        match self.node(a) {
            Node::Un(UnOp::ZExt(_), x) => {
                // Never negative.
                if sign_extend(w, c) <= 0 {
                    return Some(self.ff());
                }
                let inner = self.width(x);
                if c > all_ones(inner) {
                    return Some(self.tt());
                }
                let c = self.bv(inner, c);
                Some(self.bin(BinOp::Ult, x, c))
            }
            Node::Un(UnOp::SExt(_), x) => {
                let inner = self.width(x);
                let narrow = mask(inner, c);
                if sign_extend(inner, narrow) != sign_extend(w, c) {
                    // Out of the range of x, above or below.
                    return Some(self.bool(sign_extend(w, c) > 0));
                }
                let c = self.bv(inner, narrow);
                Some(self.bin(BinOp::Slt, x, c))
            }
            Node::Ite(cond, x, y) => self.cmp_const_ite(BinOp::Slt, cond, x, y, c, w),
            _ => None,
        }
    }
}

/// The inverse of an odd number modulo 2^128, and so modulo every smaller power.
fn inverse(odd: u128) -> u128 {
    // Newton: each step doubles the number of right bits, from 3.
    let mut x = odd;
    for _ in 0..6 {
        x = x.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(x)));
    }
    x
}
