//! Range-writes: many cells of an array written at once, as the iterations of an accelerated loop write them.
//!
//! For each number j below a count, the cell `from + stride * j` gets a value that may depend on j; the other cells stay as
//! they are. In a program a range-write is a call of a procedure that does this one cell after another, which is its
//! meaning for the interpreter. Unwinding does not follow the call: the result is an array that is defined cell by cell,
//! since an index says which j it is of, if of any.

use super::unroll::{Constraint, Unrolling};
use crate::annotation::{Counted, Formula, FormulaNode};
use crate::logic::{Term, TermStore};
use syncline_ir::{BinOp, Type, UnOp};

/// What a procedure that is a range-write does. Its arguments are the array, `from`, the count, and what the value speaks of.
#[derive(Clone, Debug)]
pub struct RangeRule {
    pub params: Vec<Type>,
    /// Not 0 in the bits of an index.
    pub stride: u128,
    /// About the arguments, by their number, and about j, which is its [`Counted::Count`].
    pub value: Formula<Counted<usize>>,
}

/// The number j below the count for which `from + stride * j` is this cell: whether there is one, and the smallest.
pub fn number_of(store: &mut TermStore, cell: Term, from: Term, stride: u128, count: Term) -> (Term, Term) {
    let (width, wide) = (store.width(cell), store.width(count));
    let bits = |value: u128| value & (u128::MAX >> (128 - width));
    let downwards = bits(stride) >> (width - 1) == 1 && width > 1;
    let (up, difference) = match downwards {
        true => (bits(stride.wrapping_neg()), store.bin(BinOp::Sub, from, cell)),
        false => (bits(stride), store.bin(BinOp::Sub, cell, from)),
    };
    let twos = up.trailing_zeros().min(width - 1);
    let rest = width - twos;
    let quotient = if twos == 0 { difference } else { store.extract(width - 1, twos, difference) };
    let inverse = store.bv(rest, inverse(up >> twos));
    let number = store.bin(BinOp::Mul, quotient, inverse);
    let both = rest.max(wide);
    let (a, b) = (fit(store, number, both), fit(store, count, both));
    let mut hit = store.bin(BinOp::Ult, a, b);
    if twos > 0 {
        let low = store.extract(twos - 1, 0, difference);
        let zero = store.bv(twos, 0);
        let divides = store.eq(low, zero);
        hit = store.and(divides, hit);
    }
    (hit, fit(store, number, wide))
}

/// As a bit-vector of this width: zeros in front, or the low bits.
fn fit(store: &mut TermStore, t: Term, width: u32) -> Term {
    match store.width(t) {
        w if w == width => t,
        w if w < width => store.un(UnOp::ZExt(width), t),
        _ => store.extract(width - 1, 0, t),
    }
}

/// Of an odd number, modulo any power of two up to 2^128: Newton's iteration doubles the bits that are right.
pub fn inverse(odd: u128) -> u128 {
    let mut x = odd;
    for _ in 0..7 {
        x = x.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(x)));
    }
    x
}

impl Unrolling<'_> {
    /// The array that a range-write makes; `None` if the call is not one, since passes have changed the procedure.
    pub(super) fn range_write(&mut self, rule: &RangeRule, args: &[Term]) -> Option<Term> {
        let types: Vec<Type> = args.iter().map(|&a| self.store.ty(a)).collect();
        let (&[array, from, count, ..], true) = (args, types == rule.params) else { return None };
        let Type::Array { index, .. } = self.store.ty(array) else { return None };
        let cell = self.fresh("cell", Type::bv(index));
        let (hit, number) = number_of(&mut self.store, cell, from, rule.stride, count);
        let written = self.value_of(&rule.value, args, number)?;
        let old = self.store.bin(BinOp::Select, array, cell);
        let value = self.store.ite(hit, written, old);
        let result = self.fresh("written", self.store.ty(array));
        self.constraints.push(Constraint::Cells { array: result, index: cell, value });
        Some(result)
    }

    fn value_of(&mut self, formula: &Formula<Counted<usize>>, args: &[Term], number: Term) -> Option<Term> {
        let store = &mut self.store;
        let mut terms: Vec<Term> = Vec::with_capacity(formula.nodes.len());
        for node in &formula.nodes {
            let of = |n: &u32| terms[*n as usize];
            let term = match node {
                FormulaNode::Const(c) => store.constant_term(c.clone()),
                FormulaNode::State(Counted::State(arg)) => *args.get(*arg)?,
                FormulaNode::State(Counted::Count) => number,
                FormulaNode::State(Counted::Input(_)) => return None,
                FormulaNode::Un(op, a) => store.un(*op, of(a)),
                FormulaNode::Bin(op, a, b) => store.bin(*op, of(a), of(b)),
                FormulaNode::Ite(c, a, b) => store.ite(of(c), of(a), of(b)),
            };
            terms.push(term);
        }
        terms.last().copied()
    }
}
