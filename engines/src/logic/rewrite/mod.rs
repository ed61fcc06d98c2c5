//! The constructors of terms. They fold constants and rewrite to normal forms, locally and in bounded time.
//!
//! Normal forms: constants stand right; `Sub` by a constant is `Add`, constants move outwards in sums; there is no
//! `Xor`, `Ule`, `Sle` (they are negations of `Eq`, `Ult`, `Slt`); shifts by constants are extractions and
//! concatenations, which nest to the right; operators with one constant operand go into trees of `Ite` whose leaves
//! are constants, so that `ite(c, 1, 0) != 0` is `c` and a finite state stays a finite state. No rule on floats
//! beyond folding. Nothing may rely on a normal form for soundness: past [`MAX_DEPTH`] nested rewrites the node is
//! taken as it stands.
//!
//! Constructors panic on ill-typed operands; the IR's verifier rules these out.

mod arith;
mod array;
mod boolean;
mod compare;
mod width;

use super::term::{Node, PushOp, Term, TermStore};
use syncline_ir::{eval, BinOp, Const, Type, UnOp};

/// Nesting of rewrites beyond which nodes are taken as they are: bounds the native stack.
const MAX_DEPTH: u32 = 100;

/// Largest tree of `Ite` over constants that arithmetic is pushed into. Comparisons, whose results are guards, go
/// into trees of any size.
const MAX_PUSH: u8 = 40;

/// Nodes one push may visit for the first time.
const MAX_PUSH_WORK: usize = 20_000;

impl TermStore {
    /// An operator of one operand.
    pub fn un(&mut self, op: UnOp, a: Term) -> Term {
        let ty = op.result(self.ty(a)).expect("ill-typed operand");
        if let Some(c) = self.constant(a) {
            let folded = eval::unary(op, c);
            return self.constant_term(folded);
        }
        if self.depth >= MAX_DEPTH {
            return self.intern(Node::Un(op, a), ty);
        }
        self.depth += 1;
        let t = match self.push_un(op, a) {
            Some(t) => t,
            None => self.rewrite_un(op, a, ty),
        };
        self.depth -= 1;
        debug_assert_eq!(self.ty(t), ty);
        t
    }

    fn rewrite_un(&mut self, op: UnOp, a: Term, ty: Type) -> Term {
        match op {
            UnOp::Not => self.rewrite_not(a),
            UnOp::BvNot => self.rewrite_bvnot(a),
            UnOp::BvNeg => self.rewrite_neg(a),
            UnOp::ZExt(to) => self.rewrite_zext(to, a),
            UnOp::SExt(to) => self.rewrite_sext(to, a),
            UnOp::Extract { hi, lo } => self.rewrite_extract(hi, lo, a),
            UnOp::FNeg
            | UnOp::FSqrt
            | UnOp::FRound(_)
            | UnOp::FIsNan
            | UnOp::FIsInf
            | UnOp::FSign
            | UnOp::FToF(_)
            | UnOp::SToF(_)
            | UnOp::UToF(_)
            | UnOp::FToS(_)
            | UnOp::FToU(_)
            | UnOp::FromBits(_)
            | UnOp::ToBits => self.intern(Node::Un(op, a), ty),
        }
    }

    /// An operator of two operands.
    pub fn bin(&mut self, op: BinOp, a: Term, b: Term) -> Term {
        let ty = op.result(self.ty(a), self.ty(b)).expect("ill-typed operands");
        if op == BinOp::Select {
            return self.rewrite_select(a, b, ty);
        }
        if let (Some(x), Some(y)) = (self.constant(a), self.constant(b)) {
            let folded = eval::binary(op, x, y);
            return self.constant_term(folded);
        }
        let (a, b) = if is_commutative(op) { self.ordered(a, b) } else { (a, b) };
        if self.depth >= MAX_DEPTH {
            return self.intern(Node::Bin(op, a, b), ty);
        }
        self.depth += 1;
        let t = match self.push_bin(op, a, b) {
            Some(t) => t,
            None => self.rewrite_bin(op, a, b, ty),
        };
        self.depth -= 1;
        debug_assert_eq!(self.ty(t), ty);
        t
    }

    fn rewrite_bin(&mut self, op: BinOp, a: Term, b: Term, ty: Type) -> Term {
        match op {
            BinOp::And | BinOp::Or => self.rewrite_junction(op, a, b),
            BinOp::Xor => {
                let same = self.eq(a, b);
                self.not(same)
            }
            BinOp::Eq => self.rewrite_eq(a, b),
            BinOp::Add => self.rewrite_add(a, b),
            BinOp::Sub => self.rewrite_sub(a, b),
            BinOp::Mul => self.rewrite_mul(a, b),
            BinOp::UDiv => self.rewrite_udiv(a, b),
            BinOp::SDiv => self.rewrite_sdiv(a, b),
            BinOp::URem => self.rewrite_urem(a, b),
            BinOp::SRem => self.rewrite_srem(a, b),
            BinOp::BvAnd => self.rewrite_bvand(a, b),
            BinOp::BvOr => self.rewrite_bvor(a, b),
            BinOp::BvXor => self.rewrite_bvxor(a, b),
            BinOp::Shl | BinOp::LShr | BinOp::AShr => self.rewrite_shift(op, a, b),
            BinOp::Concat => self.rewrite_concat(a, b),
            BinOp::Ult => self.rewrite_ult(a, b),
            BinOp::Slt => self.rewrite_slt(a, b),
            BinOp::Ule => {
                let above = self.bin(BinOp::Ult, b, a);
                self.not(above)
            }
            BinOp::Sle => {
                let above = self.bin(BinOp::Slt, b, a);
                self.not(above)
            }
            BinOp::FAdd
            | BinOp::FSub
            | BinOp::FMul
            | BinOp::FDiv
            | BinOp::FRem
            | BinOp::FEq
            | BinOp::FLt
            | BinOp::FLe => self.intern(Node::Bin(op, a, b), ty),
            BinOp::Select => self.rewrite_select(a, b, ty),
        }
    }

    /// `c ? a : b`.
    pub fn ite(&mut self, c: Term, a: Term, b: Term) -> Term {
        let ty = self.ty(a);
        assert!(self.ty(c) == Type::BOOL && self.ty(b) == ty, "ill-typed operands");
        if let Some(c) = self.as_bool(c) {
            return if c { a } else { b };
        }
        if a == b {
            return a;
        }
        if self.depth >= MAX_DEPTH {
            return self.intern(Node::Ite(c, a, b), ty);
        }
        self.depth += 1;
        let t = self.rewrite_ite(c, a, b, ty);
        self.depth -= 1;
        debug_assert_eq!(self.ty(t), ty);
        t
    }

    // Short names for what is used most

    pub fn not(&mut self, a: Term) -> Term {
        self.un(UnOp::Not, a)
    }

    pub fn and(&mut self, a: Term, b: Term) -> Term {
        self.bin(BinOp::And, a, b)
    }

    pub fn or(&mut self, a: Term, b: Term) -> Term {
        self.bin(BinOp::Or, a, b)
    }

    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let not = self.not(a);
        self.or(not, b)
    }

    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        self.bin(BinOp::Eq, a, b)
    }

    pub fn add(&mut self, a: Term, b: Term) -> Term {
        self.bin(BinOp::Add, a, b)
    }

    pub fn select(&mut self, array: Term, index: Term) -> Term {
        self.bin(BinOp::Select, array, index)
    }

    pub fn extract(&mut self, hi: u32, lo: u32, a: Term) -> Term {
        self.un(UnOp::Extract { hi, lo }, a)
    }

    /// The conjunction, built as a balanced tree.
    pub fn and_all(&mut self, terms: impl IntoIterator<Item = Term>) -> Term {
        let mut level: Vec<Term> = terms.into_iter().collect();
        self.balanced(BinOp::And, &mut level)
    }

    /// The disjunction, built as a balanced tree.
    pub fn or_all(&mut self, terms: impl IntoIterator<Item = Term>) -> Term {
        let mut level: Vec<Term> = terms.into_iter().collect();
        self.balanced(BinOp::Or, &mut level)
    }

    fn balanced(&mut self, op: BinOp, level: &mut Vec<Term>) -> Term {
        if level.is_empty() {
            return self.bool(op == BinOp::And);
        }
        while level.len() > 1 {
            let pairs = level.len() / 2;
            for i in 0..pairs {
                level[i] = self.bin(op, level[2 * i], level[2 * i + 1]);
            }
            if level.len() % 2 == 1 {
                level[pairs] = level[2 * pairs];
            }
            level.truncate(level.len().div_ceil(2));
        }
        level[0]
    }

    // Shared by the rules

    /// Constants right, otherwise the older term left.
    fn ordered(&self, a: Term, b: Term) -> (Term, Term) {
        match (self.constant(a).is_some(), self.constant(b).is_some()) {
            (true, false) => (b, a),
            (false, false) if b < a => (b, a),
            _ => (a, b),
        }
    }

    /// Pushes an operator into a tree of `Ite` over constants.
    fn push_un(&mut self, op: UnOp, a: Term) -> Option<Term> {
        let size = self.const_tree(a);
        (op != UnOp::Not && size > 1 && size <= MAX_PUSH).then(|| self.push_into(PushOp::Un(op), a, a)).flatten()
    }

    fn push_bin(&mut self, op: BinOp, a: Term, b: Term) -> Option<Term> {
        let limit = match op {
            BinOp::And | BinOp::Or | BinOp::Xor => return None,
            BinOp::Eq if self.ty(a) == Type::BOOL => return None,
            BinOp::Eq | BinOp::Ult | BinOp::Ule | BinOp::Slt | BinOp::Sle => u8::MAX,
            _ => MAX_PUSH,
        };
        let (op, tree, constant) = match (self.const_tree(a), self.const_tree(b)) {
            (n, 1) if n > 1 && n <= limit => (PushOp::Bin(op), a, b),
            (1, n) if n > 1 && n <= limit => (PushOp::Flipped(op), b, a),
            _ => return None,
        };
        self.push_into(op, tree, constant)
    }

    /// Rebuilds a tree of `Ite` with the operator applied to each (constant) leaf. Memoised for good: trees grow at
    /// the root from one unrolling to the next, so each node is visited once for an operator and a constant.
    fn push_into(&mut self, op: PushOp, tree: Term, constant: Term) -> Option<Term> {
        let key = |t: Term| (op, t, if matches!(op, PushOp::Un(_)) { t } else { constant });
        let mut stack = vec![tree];
        let mut work = 0;
        while let Some(&t) = stack.last() {
            if self.pushed.contains_key(&key(t)) {
                stack.pop();
                continue;
            }
            let result = match self.node(t) {
                Node::Ite(c, x, y) => match [x, y].map(|t| self.pushed.get(&key(t)).copied()) {
                    [Some(x), Some(y)] => self.ite(c, x, y),
                    [x_done, _] => {
                        stack.push(if x_done.is_none() { x } else { y });
                        continue;
                    }
                },
                _ => match op {
                    PushOp::Un(op) => self.un(op, t),
                    PushOp::Bin(op) => self.bin(op, t, constant),
                    PushOp::Flipped(op) => self.bin(op, constant, t),
                },
            };
            self.pushed.insert(key(t), result);
            stack.pop();
            work += 1;
            if work > MAX_PUSH_WORK {
                return None;
            }
        }
        self.pushed.get(&key(tree)).copied()
    }
}

/// The bits of -1.
fn all_ones(width: u32) -> u128 {
    syncline_ir::consts::mask(width, u128::MAX)
}

fn is_commutative(op: BinOp) -> bool {
    use BinOp::*;
    match op {
        And | Or | Xor | Eq | Add | Mul | BvAnd | BvOr | BvXor => true,
        // IEEE's are too but for NaNs' payloads; left alone, as all floats are.
        Sub | UDiv | SDiv | URem | SRem | Shl | LShr | AShr | Concat | Ult | Ule | Slt | Sle | FAdd | FSub | FMul
        | FDiv | FRem | FEq | FLt | FLe | Select => false,
    }
}

/// The constant array a term is.
fn as_array(c: Option<&Const>) -> Option<&syncline_ir::ArrayConst> {
    c.and_then(Const::as_array)
}
