//! Z3's solvers on formulas like those of bounded model checking: `cargo test --release -p syncline-engines --test
//! logic_bench -- --ignored --nocapture`. The figures are in `docs/decisions/0002-solver.md`.

use std::time::{Duration, Instant};
use syncline_engines::logic::{Answer, ArraySolver, Core, Limits, Solver, Term, TermStore, Z3Solver};
use syncline_ir::{BinOp, Scalar, Type, UnOp};

const DEPTH: usize = 50;
const LIMIT: Duration = Duration::from_secs(10);

/// A loop: the state of one iteration to the next, with fresh inputs, and what must not happen.
struct Family {
    name: &'static str,
    types: Vec<Type>,
    step: fn(&mut TermStore, &[Term], &str) -> Vec<Term>,
    bad: fn(&mut TermStore, &[Term]) -> Term,
}

fn c32(s: &mut TermStore, v: u128) -> Term {
    s.bv(32, v)
}

/// Two counters that move together or not at all.
fn counter(s: &mut TermStore, x: &[Term], name: &str) -> Vec<Term> {
    let go = s.new_symbol(name, Type::BOOL);
    let (one, two, ten) = (c32(s, 1), c32(s, 2), c32(s, 1000));
    let (a, b) = (s.add(x[0], one), s.add(x[1], two));
    let below = s.bin(BinOp::Slt, x[0], ten);
    let c = s.and(go, below);
    vec![s.ite(c, a, x[0]), s.ite(c, b, x[1])]
}

fn counter_bad(s: &mut TermStore, x: &[Term]) -> Term {
    let two = c32(s, 2);
    let twice = s.bin(BinOp::Mul, x[0], two);
    let same = s.eq(twice, x[1]);
    s.not(same)
}

/// A sum of products of inputs below 16.
fn products(s: &mut TermStore, x: &[Term], name: &str) -> Vec<Term> {
    let (a, b) = (s.new_symbol(name, Type::bv(4)), s.new_symbol(name, Type::bv(4)));
    let (a, b) = (s.un(UnOp::ZExt(32), a), s.un(UnOp::ZExt(32), b));
    let product = s.bin(BinOp::Mul, a, b);
    let one = c32(s, 1);
    vec![s.add(x[0], product), s.add(x[1], one)]
}

fn products_bad(s: &mut TermStore, x: &[Term]) -> Term {
    let bound = c32(s, 225);
    let most = s.bin(BinOp::Mul, x[1], bound);
    s.bin(BinOp::Ult, most, x[0])
}

/// A controller: an input letter, a state of 16, a 32-bit register; the bad state takes 48 steps.
fn machine(s: &mut TermStore, x: &[Term], name: &str) -> Vec<Term> {
    let letter = s.new_symbol(name, Type::bv(32));
    let (mut state, mut reg) = (x[0], x[1]);
    for k in 0..16u128 {
        let (here, sym, next, back) = (c32(s, k), c32(s, k * 7 % 5), c32(s, (k + 1) % 16), c32(s, k / 2));
        let at = s.eq(x[0], here);
        let hit = s.eq(letter, sym);
        let to = s.ite(hit, next, back);
        state = s.ite(at, to, state);
        let amount = c32(s, k + 3);
        let grown = s.add(x[1], amount);
        let both = s.and(at, hit);
        reg = s.ite(both, grown, reg);
    }
    vec![state, reg]
}

fn machine_bad(s: &mut TermStore, x: &[Term]) -> Term {
    let (last, high) = (c32(s, 15), c32(s, 460));
    let (at, enough) = (s.eq(x[0], last), s.bin(BinOp::Slt, high, x[1]));
    s.and(at, enough)
}

/// A buffer of 8-bit cells: a write at an input index, a read at another; cells never exceed 100.
fn buffer(s: &mut TermStore, x: &[Term], name: &str) -> Vec<Term> {
    let (i, j, v) =
        (s.new_symbol(name, Type::bv(32)), s.new_symbol(name, Type::bv(32)), s.new_symbol(name, Type::bv(8)));
    let limit = s.bv(8, 101);
    let ok = s.bin(BinOp::Ult, v, limit);
    let cell = s.select(x[0], j);
    let value = s.ite(ok, v, cell);
    let seen = s.bin(BinOp::Ult, x[1], cell);
    let max = s.ite(seen, cell, x[1]);
    vec![s.store(x[0], i, value), max]
}

fn buffer_bad(s: &mut TermStore, x: &[Term]) -> Term {
    let limit = s.bv(8, 100);
    s.bin(BinOp::Ult, limit, x[1])
}

fn families() -> Vec<Family> {
    let w = Type::bv(32);
    vec![
        Family { name: "counter", types: vec![w, w], step: counter, bad: counter_bad },
        Family { name: "products", types: vec![w, w], step: products, bad: products_bad },
        Family { name: "machine", types: vec![w, w], step: machine, bad: machine_bad },
        Family {
            name: "buffer",
            types: vec![Type::Array { index: 32, elem: Scalar::Bv(8) }, Type::bv(8)],
            step: buffer,
            bad: buffer_bad,
        },
    ]
}

/// Unrolls step by step; every iteration has a guard, state symbols at its head, and one check. The depth reached,
/// the time, and the number of satisfiable checks.
fn unroll(family: &Family, solver: &mut dyn Solver) -> (usize, Duration, usize) {
    let mut store = TermStore::new();
    let start = Instant::now();
    let limits = Limits::until(start + LIMIT);
    let mut guard = store.tt();
    let mut state: Vec<Term> =
        family.types.iter().map(|&ty| store.constant_term(syncline_ir::Const::zero(ty))).collect();
    let mut sat = 0;
    for depth in 0..DEPTH {
        let name = format!("in{depth}");
        let next = (family.step)(&mut store, &state, &name);
        let stay = store.new_symbol("stay", Type::BOOL);
        let taken = store.new_symbol("block", Type::BOOL);
        let entered = store.and(guard, stay);
        let defined = store.eq(taken, entered);
        solver.assert(&mut store, defined);
        let heads: Vec<Term> = family.types.iter().map(|&ty| store.new_symbol("head", ty)).collect();
        for (&head, &value) in heads.iter().zip(&next) {
            if store.ty(head).is_array() {
                solver.assert_array_eq(&mut store, taken, head, value);
            } else {
                let same = store.eq(head, value);
                let linked = store.implies(taken, same);
                solver.assert(&mut store, linked);
            }
        }
        (guard, state) = (taken, heads);
        let bad = (family.bad)(&mut store, &state);
        match solver.check(&mut store, &[guard, bad], &limits) {
            Answer::Sat => sat += 1,
            Answer::Unsat => {}
            Answer::Unknown(_) => return (depth, start.elapsed(), sat),
        }
    }
    (DEPTH, start.elapsed(), sat)
}

#[test]
#[ignore = "a measurement"]
fn compare_solvers() {
    for family in families() {
        let array = family.types[0].is_array();
        for core in [Core::BitBlast, Core::General, Core::Combined, Core::Tactics] {
            for eliminate in [true, false] {
                if !(eliminate || array && matches!(core, Core::General | Core::Combined)) {
                    continue;
                }
                let inner = Z3Solver::new(core);
                let mut solver: Box<dyn Solver> =
                    if eliminate { Box::new(ArraySolver::new(inner)) } else { Box::new(inner) };
                let (depth, time, sat) = unroll(&family, &mut *solver);
                let arrays = if !array {
                    ""
                } else if eliminate {
                    " eliminated"
                } else {
                    " native"
                };
                println!("{:10} {core:?}{arrays}: depth {depth}, {time:.2?}, {sat} sat", family.name);
            }
        }
    }
}
