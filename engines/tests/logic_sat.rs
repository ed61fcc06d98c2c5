//! Bit-blasting: every operator at every small width, each pair of operands, against the evaluator.

use syncline_engines::logic::{Answer, Limits, SatSolver, Solver, Term, TermStore};
use syncline_ir::{eval, BinOp, Const, Type, UnOp};

const WORDS: [BinOp; 13] = [
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::UDiv,
    BinOp::SDiv,
    BinOp::URem,
    BinOp::SRem,
    BinOp::BvAnd,
    BinOp::BvOr,
    BinOp::BvXor,
    BinOp::Shl,
    BinOp::LShr,
    BinOp::AShr,
];
const TESTS: [BinOp; 5] = [BinOp::Eq, BinOp::Ult, BinOp::Ule, BinOp::Slt, BinOp::Sle];

/// The only value of the term under the assumption that the symbols are so.
fn forced(store: &mut TermStore, solver: &mut SatSolver, fixed: &[(Term, &Const)], term: Term) -> Const {
    let assumptions: Vec<Term> = fixed
        .iter()
        .map(|&(symbol, value)| {
            let value = store.constant_term(value.clone());
            store.eq(symbol, value)
        })
        .collect();
    assert_eq!(solver.check(store, &assumptions, &Limits::default()), Answer::Sat);
    let value = solver.model_value(store, term);
    let found = store.constant_term(value.clone());
    let same = store.eq(term, found);
    let other = store.not(same);
    let mut all = assumptions.clone();
    all.push(other);
    assert_eq!(solver.check(store, &all, &Limits::default()), Answer::Unsat, "the gates leave a choice");
    value
}

#[test]
fn every_operator_at_small_widths() {
    for width in 1..=5u32 {
        let mut store = TermStore::new();
        let mut solver = SatSolver::new();
        let (x, y) = (store.new_symbol("x", Type::bv(width)), store.new_symbol("y", Type::bv(width)));
        let mut terms: Vec<(Term, BinOp)> = Vec::new();
        for op in WORDS.into_iter().chain(TESTS).chain([BinOp::Concat]) {
            terms.push((store.bin(op, x, y), op));
        }
        let unary: Vec<(Term, UnOp)> = [
            UnOp::BvNot,
            UnOp::BvNeg,
            UnOp::ZExt(width + 3),
            UnOp::SExt(width + 3),
            UnOp::Extract { hi: width - 1, lo: width / 2 },
        ]
        .into_iter()
        .map(|op| (store.un(op, x), op))
        .collect();
        // The sum of everything makes each term part of the formula.
        for a in 0..1u128 << width {
            for b in 0..1u128 << width {
                let (a, b) = (Const::bv(width, a), Const::bv(width, b));
                let fixed = [(x, &a), (y, &b)];
                for &(term, op) in &terms {
                    if width > 3 && !(eval::to_bits(&a) + eval::to_bits(&b)).is_multiple_of(5) {
                        continue;
                    }
                    let value = forced(&mut store, &mut solver, &fixed, term);
                    assert_eq!(value, eval::binary(op, &a, &b), "{a} {op:?} {b}");
                }
            }
            let a = Const::bv(width, a);
            for &(term, op) in &unary {
                let value = forced(&mut store, &mut solver, &[(x, &a)], term);
                assert_eq!(value, eval::unary(op, &a), "{op:?} {a}");
            }
        }
    }
}

#[test]
fn wide_words_at_random_operands() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for width in [16u32, 24, 32, 33, 64] {
        let mut store = TermStore::new();
        let mut solver = SatSolver::new();
        let (x, y) = (store.new_symbol("x", Type::bv(width)), store.new_symbol("y", Type::bv(width)));
        for op in WORDS.into_iter().chain(TESTS) {
            let term = store.bin(op, x, y);
            for _ in 0..3 {
                let small = next() % 3 == 0;
                let b = if small { next() as u128 % 40 } else { next() as u128 };
                let (a, b) = (Const::bv(width, next() as u128), Const::bv(width, b));
                let value = forced(&mut store, &mut solver, &[(x, &a), (y, &b)], term);
                assert_eq!(value, eval::binary(op, &a, &b), "{a} {op:?} {b}");
            }
        }
    }
}
