//! Arithmetic, bitwise operators, shifts. A constant operand is `b` where the operator commutes.

use super::super::term::{Node, Term, TermStore};
use super::all_ones;
use syncline_ir::consts::sign_extend;
use syncline_ir::{BinOp, UnOp};

impl TermStore {
    fn intern_bin(&mut self, op: BinOp, a: Term, b: Term) -> Term {
        let (a, b) = if super::is_commutative(op) { self.ordered(a, b) } else { (a, b) };
        let ty = self.ty(a);
        self.intern(Node::Bin(op, a, b), ty)
    }

    /// `x op c` with a constant `c`: the two.
    pub(super) fn with_const(&self, op: BinOp, t: Term) -> Option<(Term, u128)> {
        match self.node(t) {
            Node::Bin(o, x, c) if o == op => Some((x, self.as_bits(c)?)),
            _ => None,
        }
    }

    fn neg(&mut self, a: Term) -> Term {
        self.un(UnOp::BvNeg, a)
    }

    pub(super) fn rewrite_bvnot(&mut self, a: Term) -> Term {
        let w = self.width(a);
        match self.node(a) {
            Node::Un(UnOp::BvNot, x) => x,
            // ~(-x) = x - 1
            Node::Un(UnOp::BvNeg, x) => {
                let minus_one = self.bv(w, u128::MAX);
                self.add(x, minus_one)
            }
            // ~(x + c) = -x - c - 1 = -x + ~c
            Node::Bin(BinOp::Add, x, c) if self.as_bits(c).is_some() => {
                let c = self.as_bits(c).unwrap_or(0);
                let (neg, k) = (self.neg(x), self.bv(w, !c));
                self.add(neg, k)
            }
            _ => {
                let ty = self.ty(a);
                self.intern(Node::Un(UnOp::BvNot, a), ty)
            }
        }
    }

    pub(super) fn rewrite_neg(&mut self, a: Term) -> Term {
        let w = self.width(a);
        if w == 1 {
            return a;
        }
        match self.node(a) {
            Node::Un(UnOp::BvNeg, x) => x,
            // -(~x) = x + 1
            Node::Un(UnOp::BvNot, x) => {
                let one = self.bv(w, 1);
                self.add(x, one)
            }
            Node::Bin(BinOp::Sub, x, y) => self.bin(BinOp::Sub, y, x),
            Node::Bin(BinOp::Add, x, c) if self.as_bits(c).is_some() => {
                let (neg_x, neg_c) = (self.neg(x), self.neg(c));
                self.add(neg_x, neg_c)
            }
            _ => {
                let ty = self.ty(a);
                self.intern(Node::Un(UnOp::BvNeg, a), ty)
            }
        }
    }

    pub(super) fn rewrite_add(&mut self, a: Term, b: Term) -> Term {
        let w = self.width(a);
        if let Some(c) = self.as_bits(b) {
            if c == 0 {
                return a;
            }
            return match self.with_const(BinOp::Add, a) {
                Some((x, d)) => {
                    let sum = self.bv(w, c.wrapping_add(d));
                    self.add(x, sum)
                }
                None => self.intern_bin(BinOp::Add, a, b),
            };
        }
        for (x, y) in [(a, b), (b, a)] {
            // Constants move outwards.
            if let Node::Bin(BinOp::Add, p, c) = self.node(x) {
                if self.as_bits(c).is_some() {
                    let sum = self.add(p, y);
                    return self.add(sum, c);
                }
            }
            match self.node(x) {
                Node::Un(UnOp::BvNeg, p) => return self.bin(BinOp::Sub, y, p),
                Node::Bin(BinOp::Sub, p, q) if q == y => return p,
                _ => {}
            }
        }
        self.intern_bin(BinOp::Add, a, b)
    }

    pub(super) fn rewrite_sub(&mut self, a: Term, b: Term) -> Term {
        let w = self.width(a);
        if a == b {
            return self.bv(w, 0);
        }
        if let Some(c) = self.as_bits(b) {
            let neg = self.bv(w, c.wrapping_neg());
            return self.add(a, neg);
        }
        if self.as_bits(a).is_some() {
            let neg = self.neg(b);
            return self.add(neg, a);
        }
        if let Some((x, c)) = self.with_const(BinOp::Add, a) {
            let (diff, c) = (self.bin(BinOp::Sub, x, b), self.bv(w, c));
            return self.add(diff, c);
        }
        if let Some((y, c)) = self.with_const(BinOp::Add, b) {
            let (diff, c) = (self.bin(BinOp::Sub, a, y), self.bv(w, c.wrapping_neg()));
            return self.add(diff, c);
        }
        match (self.node(a), self.node(b)) {
            (_, Node::Un(UnOp::BvNeg, y)) => self.add(a, y),
            (Node::Bin(BinOp::Add, x, y), _) if x == b => y,
            (Node::Bin(BinOp::Add, x, y), _) if y == b => x,
            _ => self.intern_bin(BinOp::Sub, a, b),
        }
    }

    pub(super) fn rewrite_mul(&mut self, a: Term, b: Term) -> Term {
        let w = self.width(a);
        let Some(c) = self.as_bits(b) else { return self.intern_bin(BinOp::Mul, a, b) };
        if c == 0 {
            return b;
        }
        if c == 1 {
            return a;
        }
        if c == all_ones(w) {
            return self.neg(a);
        }
        if c.is_power_of_two() {
            let shift = self.bv(w, c.trailing_zeros() as u128);
            return self.bin(BinOp::Shl, a, shift);
        }
        match self.with_const(BinOp::Mul, a) {
            Some((x, d)) => {
                let product = self.bv(w, c.wrapping_mul(d));
                self.bin(BinOp::Mul, x, product)
            }
            None => self.intern_bin(BinOp::Mul, a, b),
        }
    }

    pub(super) fn rewrite_udiv(&mut self, a: Term, b: Term) -> Term {
        let w = self.width(a);
        match self.as_bits(b) {
            Some(0) => return self.bv(w, u128::MAX),
            Some(1) => return a,
            Some(c) if c.is_power_of_two() => {
                let shift = self.bv(w, c.trailing_zeros() as u128);
                return self.bin(BinOp::LShr, a, shift);
            }
            // Not when the divisor may be 0: the quotient then depends on the width.
            Some(c) => {
                if let Node::Un(UnOp::ZExt(_), x) = self.node(a) {
                    let inner = self.width(x);
                    if c > all_ones(inner) {
                        return self.bv(w, 0);
                    }
                    let c = self.bv(inner, c);
                    let quotient = self.bin(BinOp::UDiv, x, c);
                    return self.un(UnOp::ZExt(w), quotient);
                }
            }
            None => {}
        }
        self.intern_bin(BinOp::UDiv, a, b)
    }

    pub(super) fn rewrite_urem(&mut self, a: Term, b: Term) -> Term {
        let w = self.width(a);
        if let Some(c) = self.as_bits(b) {
            if c == 0 {
                return a;
            }
            if c.is_power_of_two() {
                let mask = self.bv(w, c - 1);
                return self.bin(BinOp::BvAnd, a, mask);
            }
        }
        if let Some((x, y)) = self.both_zext(a, b) {
            let rest = self.bin(BinOp::URem, x, y);
            return self.un(UnOp::ZExt(w), rest);
        }
        if a == b {
            return self.bv(w, 0);
        }
        self.intern_bin(BinOp::URem, a, b)
    }

    /// The operands of two zero extensions, brought to one width; a constant that fits counts as one. The first must
    /// be an extension.
    pub(super) fn both_zext(&mut self, a: Term, b: Term) -> Option<(Term, Term)> {
        let Node::Un(UnOp::ZExt(_), x) = self.node(a) else { return None };
        let (wx, wy) = (self.width(x), self.zext_width(b)?);
        let w = wx.max(wy);
        if w == self.width(a) {
            return None;
        }
        let y = self.extract(w - 1, 0, b);
        Some((self.un(UnOp::ZExt(w), x), y))
    }

    /// The width of what a term extends by zeros.
    fn zext_width(&self, t: Term) -> Option<u32> {
        match self.node(t) {
            Node::Un(UnOp::ZExt(_), y) => Some(self.width(y)),
            _ => self.as_bits(t).map(|c| (128 - c.leading_zeros()).max(1)),
        }
    }

    /// Whether the sign bit is surely clear.
    fn non_negative(&self, t: Term) -> bool {
        self.zext_width(t).is_some_and(|w| w < self.width(t))
    }

    pub(super) fn rewrite_sdiv(&mut self, a: Term, b: Term) -> Term {
        let w = self.width(a);
        if let Some(c) = self.as_bits(b) {
            match sign_extend(w, c) {
                1 => return a,
                -1 => return self.neg(a),
                _ => {}
            }
            // Zero is left to the back end: the quotient depends on the sign.
            if c != 0 && self.non_negative(a) && self.non_negative(b) {
                return self.bin(BinOp::UDiv, a, b);
            }
            if let Some(k) = power(w, c) {
                return self.sdiv_power(a, k);
            }
        }
        self.intern_bin(BinOp::SDiv, a, b)
    }

    /// Division by 2^k toward zero: adds 2^k - 1 to negative dividends, then shifts.
    fn sdiv_power(&mut self, a: Term, k: u32) -> Term {
        let w = self.width(a);
        let sign = self.extract(w - 1, w - 1, a);
        let bias = self.un(UnOp::SExt(k), sign);
        let bias = self.un(UnOp::ZExt(w), bias);
        let biased = self.add(a, bias);
        let quotient = self.extract(w - 1, k, biased);
        self.un(UnOp::SExt(w), quotient)
    }

    pub(super) fn rewrite_srem(&mut self, a: Term, b: Term) -> Term {
        let w = self.width(a);
        if let Some(c) = self.as_bits(b) {
            if c == 1 || c == all_ones(w) {
                return self.bv(w, 0);
            }
            if self.non_negative(a) && self.non_negative(b) {
                return self.bin(BinOp::URem, a, b);
            }
            if let Some(k) = power(w, c) {
                let quotient = self.sdiv_power(a, k);
                let shift = self.bv(w, k as u128);
                let multiple = self.bin(BinOp::Shl, quotient, shift);
                return self.bin(BinOp::Sub, a, multiple);
            }
        }
        self.intern_bin(BinOp::SRem, a, b)
    }

    pub(super) fn rewrite_bvand(&mut self, a: Term, b: Term) -> Term {
        let w = self.width(a);
        if a == b {
            return a;
        }
        if self.bv_complementary(a, b) {
            return self.bv(w, 0);
        }
        if let Some(c) = self.as_bits(b) {
            if c == 0 {
                return b;
            }
            if c == all_ones(w) {
                return a;
            }
            // A mask of low bits is an extension of an extraction.
            if (c + 1).is_power_of_two() {
                let low = self.extract(c.trailing_ones() - 1, 0, a);
                return self.un(UnOp::ZExt(w), low);
            }
        }
        if let Some(t) = self.bitwise(BinOp::BvAnd, a, b) {
            return t;
        }
        self.intern_bin(BinOp::BvAnd, a, b)
    }

    pub(super) fn rewrite_bvor(&mut self, a: Term, b: Term) -> Term {
        let w = self.width(a);
        if a == b {
            return a;
        }
        if self.bv_complementary(a, b) {
            return self.bv(w, u128::MAX);
        }
        match self.as_bits(b) {
            Some(0) => return a,
            Some(c) if c == all_ones(w) => return b,
            _ => {}
        }
        if let Some(t) = self.bitwise(BinOp::BvOr, a, b) {
            return t;
        }
        self.intern_bin(BinOp::BvOr, a, b)
    }

    pub(super) fn rewrite_bvxor(&mut self, a: Term, b: Term) -> Term {
        let w = self.width(a);
        if a == b {
            return self.bv(w, 0);
        }
        if self.bv_complementary(a, b) {
            return self.bv(w, u128::MAX);
        }
        match self.as_bits(b) {
            Some(0) => return a,
            Some(c) if c == all_ones(w) => return self.un(UnOp::BvNot, a),
            _ => {}
        }
        if let Some(t) = self.bitwise(BinOp::BvXor, a, b) {
            return t;
        }
        self.intern_bin(BinOp::BvXor, a, b)
    }

    fn bv_complementary(&self, a: Term, b: Term) -> bool {
        self.node(a) == Node::Un(UnOp::BvNot, b) || self.node(b) == Node::Un(UnOp::BvNot, a)
    }

    /// What the three bitwise operators share.
    fn bitwise(&mut self, op: BinOp, a: Term, b: Term) -> Option<Term> {
        let w = self.width(a);
        if let (Some((x, c)), Some(d)) = (self.with_const(op, a), self.as_bits(b)) {
            let both = match op {
                BinOp::BvAnd => c & d,
                BinOp::BvOr => c | d,
                _ => c ^ d,
            };
            let both = self.bv(w, both);
            return Some(self.bin(op, x, both));
        }
        for (x, y) in [(a, b), (b, a)] {
            if let Some((p, q)) = self.both_zext(x, y) {
                let narrow = self.bin(op, p, q);
                return Some(self.un(UnOp::ZExt(w), narrow));
            }
            // `Concat` with a constant: by halves.
            if let (Node::Bin(BinOp::Concat, hi, lo), Some(_)) = (self.node(x), self.as_bits(y)) {
                let cut = self.width(lo);
                let (y_hi, y_lo) = (self.extract(w - 1, cut, y), self.extract(cut - 1, 0, y));
                let (hi, lo) = (self.bin(op, hi, y_hi), self.bin(op, lo, y_lo));
                return Some(self.bin(BinOp::Concat, hi, lo));
            }
            // A mask of an extension by zeros keeps nothing above it.
            if let (BinOp::BvAnd, Node::Un(UnOp::ZExt(_), p)) = (op, self.node(x)) {
                let low = self.extract(self.width(p) - 1, 0, y);
                let narrow = self.bin(op, p, low);
                return Some(self.un(UnOp::ZExt(w), narrow));
            }
        }
        self.bitwise_flags(op, a, b)
    }

    /// The operators on `ite(c, 1, 0)` are those of the Booleans.
    fn bitwise_flags(&mut self, op: BinOp, a: Term, b: Term) -> Option<Term> {
        let (Node::Ite(c, x, y), Node::Ite(d, p, q)) = (self.node(a), self.node(b)) else { return None };
        if (x, y) != (p, q) || self.as_bits(x) != Some(1) || self.as_bits(y) != Some(0) {
            return None;
        }
        let joined = match op {
            BinOp::BvAnd => self.and(c, d),
            BinOp::BvOr => self.or(c, d),
            _ => self.bin(BinOp::Xor, c, d),
        };
        Some(self.ite(joined, x, y))
    }

    pub(super) fn rewrite_shift(&mut self, op: BinOp, a: Term, b: Term) -> Term {
        let w = self.width(a);
        if self.as_bits(a) == Some(0) {
            return a;
        }
        let Some(by) = self.as_bits(b) else { return self.intern_bin(op, a, b) };
        if by == 0 {
            return a;
        }
        if by >= w as u128 {
            return match op {
                BinOp::AShr => {
                    let sign = self.extract(w - 1, w - 1, a);
                    self.un(UnOp::SExt(w), sign)
                }
                _ => self.bv(w, 0),
            };
        }
        let by = by as u32;
        if op == BinOp::Shl {
            let (kept, zeros) = (self.extract(w - 1 - by, 0, a), self.bv(by, 0));
            return self.bin(BinOp::Concat, kept, zeros);
        }
        let kept = self.extract(w - 1, by, a);
        self.un(if op == BinOp::AShr { UnOp::SExt(w) } else { UnOp::ZExt(w) }, kept)
    }
}

/// k for the positive (as signed) power 2^k, k > 0.
fn power(width: u32, c: u128) -> Option<u32> {
    let k = c.trailing_zeros();
    (c.is_power_of_two() && k > 0 && k < width - 1).then_some(k)
}
