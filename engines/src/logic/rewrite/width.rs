//! Extraction, concatenation, extensions. C's promotions make these the most frequent operators of all: an operation
//! on extended operands whose high bits are cut off again is done at the narrow width.

use super::super::term::{Node, Term, TermStore};
use syncline_ir::{BinOp, Type, UnOp};

/// How deep to look before pushing an extraction into an expression.
const LOOK: u32 = 4;

impl TermStore {
    pub(super) fn rewrite_zext(&mut self, to: u32, a: Term) -> Term {
        if self.width(a) == to {
            return a;
        }
        match self.node(a) {
            Node::Un(UnOp::ZExt(_), x) => self.un(UnOp::ZExt(to), x),
            _ => self.intern(Node::Un(UnOp::ZExt(to), a), Type::bv(to)),
        }
    }

    pub(super) fn rewrite_sext(&mut self, to: u32, a: Term) -> Term {
        if self.width(a) == to {
            return a;
        }
        match self.node(a) {
            Node::Un(UnOp::SExt(_), x) => self.un(UnOp::SExt(to), x),
            // Extended by at least one zero: the sign is clear.
            Node::Un(UnOp::ZExt(_), x) => self.un(UnOp::ZExt(to), x),
            _ => self.intern(Node::Un(UnOp::SExt(to), a), Type::bv(to)),
        }
    }

    pub(super) fn rewrite_concat(&mut self, hi: Term, lo: Term) -> Term {
        let (wh, wl) = (self.width(hi), self.width(lo));
        if self.as_bits(hi) == Some(0) {
            return self.un(UnOp::ZExt(wh + wl), lo);
        }
        if let Some(t) = self.join(hi, lo) {
            return t;
        }
        match (self.node(hi), self.node(lo)) {
            (Node::Bin(BinOp::Concat, x, y), _) => {
                let rest = self.bin(BinOp::Concat, y, lo);
                self.bin(BinOp::Concat, x, rest)
            }
            (Node::Un(UnOp::ZExt(to), x), _) => {
                // Zeros stay outermost.
                let pad = to - self.width(x);
                let low = self.bin(BinOp::Concat, x, lo);
                let all = self.width(low) + pad;
                self.un(UnOp::ZExt(all), low)
            }
            (_, Node::Bin(BinOp::Concat, x, y)) => match self.join(hi, x) {
                Some(front) => self.bin(BinOp::Concat, front, y),
                None => self.intern(Node::Bin(BinOp::Concat, hi, lo), Type::bv(wh + wl)),
            },
            _ => self.intern(Node::Bin(BinOp::Concat, hi, lo), Type::bv(wh + wl)),
        }
    }

    /// Two neighbours that are one: constants, or adjacent parts of one term.
    fn join(&mut self, hi: Term, lo: Term) -> Option<Term> {
        let width = self.width(hi) + self.width(lo);
        if let (Some(h), Some(l)) = (self.as_bits(hi), self.as_bits(lo)) {
            return Some(self.bv(width, h << self.width(lo) | l));
        }
        let (x, top, cut) = self.as_part(hi);
        let (y, cut2, bottom) = self.as_part(lo);
        (x == y && cut == cut2 + 1).then(|| self.extract(top, bottom, x))
    }

    /// A term as a part of another: whole, high bit, low bit.
    fn as_part(&self, t: Term) -> (Term, u32, u32) {
        match self.node(t) {
            Node::Un(UnOp::Extract { hi, lo }, x) => (x, hi, lo),
            _ => (t, self.width(t) - 1, 0),
        }
    }

    pub(super) fn rewrite_extract(&mut self, hi: u32, lo: u32, a: Term) -> Term {
        let (w, out) = (self.width(a), hi - lo + 1);
        if out == w {
            return a;
        }
        match self.node(a) {
            Node::Un(UnOp::Extract { lo: base, .. }, x) => self.extract(base + hi, base + lo, x),
            Node::Un(UnOp::ZExt(_), x) => self.extract_zext(hi, lo, x),
            Node::Un(UnOp::SExt(_), x) => self.extract_sext(hi, lo, x),
            Node::Un(UnOp::BvNot, x) if self.narrowable(x, LOOK) => {
                let part = self.extract(hi, lo, x);
                self.un(UnOp::BvNot, part)
            }
            Node::Un(UnOp::BvNeg, x) if lo == 0 && self.narrowable(x, LOOK) => {
                let part = self.extract(hi, 0, x);
                self.un(UnOp::BvNeg, part)
            }
            Node::Bin(BinOp::Concat, x, y) => self.extract_concat(hi, lo, x, y),
            Node::Bin(op @ (BinOp::BvAnd | BinOp::BvOr | BinOp::BvXor), x, y) if self.narrowable2(x, y) => {
                let (x, y) = (self.extract(hi, lo, x), self.extract(hi, lo, y));
                self.bin(op, x, y)
            }
            Node::Bin(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), x, y) if lo == 0 && self.narrowable2(x, y) => {
                let (x, y) = (self.extract(hi, 0, x), self.extract(hi, 0, y));
                self.bin(op, x, y)
            }
            // The low bits of a sum depend on the low bits only.
            Node::Bin(BinOp::Add | BinOp::Sub | BinOp::Mul, x, y) if lo > 0 && hi + 1 < w && self.narrowable2(x, y) => {
                let low = self.extract(hi, 0, a);
                self.extract(hi, lo, low)
            }
            Node::Ite(c, x, y) if self.narrowable2(x, y) => {
                let (x, y) = (self.extract(hi, lo, x), self.extract(hi, lo, y));
                self.ite(c, x, y)
            }
            _ => self.intern(Node::Un(UnOp::Extract { hi, lo }, a), Type::bv(out)),
        }
    }

    fn extract_zext(&mut self, hi: u32, lo: u32, x: Term) -> Term {
        let (inner, out) = (self.width(x), hi - lo + 1);
        if lo >= inner {
            return self.bv(out, 0);
        }
        let part = self.extract(hi.min(inner - 1), lo, x);
        self.un(UnOp::ZExt(out), part)
    }

    fn extract_sext(&mut self, hi: u32, lo: u32, x: Term) -> Term {
        let (inner, out) = (self.width(x), hi - lo + 1);
        let part = self.extract(hi.min(inner - 1), lo.min(inner - 1), x);
        self.un(UnOp::SExt(out), part)
    }

    fn extract_concat(&mut self, hi: u32, lo: u32, x: Term, y: Term) -> Term {
        let cut = self.width(y);
        if hi < cut {
            return self.extract(hi, lo, y);
        }
        if lo >= cut {
            return self.extract(hi - cut, lo - cut, x);
        }
        let (x, y) = (self.extract(hi - cut, 0, x), self.extract(cut - 1, lo, y));
        self.bin(BinOp::Concat, x, y)
    }

    fn narrowable2(&self, x: Term, y: Term) -> bool {
        self.narrowable(x, LOOK) && self.narrowable(y, LOOK)
    }

    /// Whether an extraction from the term vanishes into it.
    fn narrowable(&self, t: Term, look: u32) -> bool {
        match self.node(t) {
            Node::Const(_) | Node::Un(UnOp::ZExt(_) | UnOp::SExt(_), _) | Node::Bin(BinOp::Concat, ..) => true,
            _ if look == 0 => false,
            Node::Un(UnOp::BvNot | UnOp::BvNeg, x) => self.narrowable(x, look - 1),
            Node::Bin(op, x, y) => {
                let low_bits_suffice =
                    matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::BvAnd | BinOp::BvOr | BinOp::BvXor);
                low_bits_suffice && self.narrowable(x, look - 1) && self.narrowable(y, look - 1)
            }
            Node::Ite(_, x, y) => self.narrowable(x, look - 1) && self.narrowable(y, look - 1),
            Node::Var(_) | Node::Un(..) | Node::Store(..) => false,
        }
    }
}
