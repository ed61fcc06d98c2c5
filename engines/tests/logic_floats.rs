//! What the solvers compute with floats is what `ir::eval` computes.

mod logic_gen;

use logic_gen::{value, Rng};
use syncline_engines::logic::{Answer, Core, Limits, Solver, Term, TermStore, Z3Solver};
use syncline_ir::{eval, BinOp, Const, FloatFormat, Rounding, Type, UnOp};

const FORMATS: [FloatFormat; 3] = [FloatFormat::F32, FloatFormat::F64, FloatFormat::X87];

/// The operators that have to do with floats, for operands of one format.
fn unary_ops(format: FloatFormat) -> Vec<(UnOp, Type)> {
    let float = Type::float(format);
    let mut ops: Vec<(UnOp, Type)> =
        [UnOp::FNeg, UnOp::FIsNan, UnOp::FIsInf, UnOp::FSign, UnOp::ToBits].map(|op| (op, float)).to_vec();
    ops.push((UnOp::FSqrt, float));
    ops.extend(Rounding::ALL.map(|mode| (UnOp::FRound(mode), float)));
    ops.extend(FORMATS.map(|to| (UnOp::FToF(to), float)));
    for w in [1, 8, 24, 25, 32, 53, 64, 65] {
        ops.extend([(UnOp::FToS(w), float), (UnOp::FToU(w), float)]);
        ops.extend([(UnOp::SToF(format), Type::bv(w)), (UnOp::UToF(format), Type::bv(w))]);
    }
    ops.push((UnOp::FromBits(format), Type::bv(format.storage_bits())));
    ops
}

const BINARY: [BinOp; 8] =
    [BinOp::FAdd, BinOp::FSub, BinOp::FMul, BinOp::FDiv, BinOp::FEq, BinOp::FLt, BinOp::FLe, BinOp::Eq];

/// Operands where something happens: random ones, whole numbers, values next to powers of two.
fn operand(rng: &mut Rng, ty: Type) -> Const {
    let Type::Scalar(syncline_ir::Scalar::Float(format)) = ty else { return value(rng, ty) };
    if rng.one_in(2) {
        return value(rng, ty);
    }
    let power = Const::bv(128, 1u128 << rng.below(128));
    let whole = eval::unary(UnOp::UToF(format), &power);
    let near = match rng.below(4) {
        0 => eval::to_bits(&whole).wrapping_sub(1),
        1 => eval::to_bits(&whole).wrapping_add(1),
        _ => eval::to_bits(&whole),
    };
    let near = eval::from_bits(syncline_ir::Scalar::Float(format), near);
    if rng.one_in(2) {
        eval::unary(UnOp::FNeg, &near)
    } else {
        near
    }
}

fn expect(solver: &mut dyn Solver, store: &mut TermStore, given: &[(Term, Const)], result: Term, expected: &Const) {
    let mut assumptions: Vec<Term> = Vec::new();
    for (t, c) in given {
        let c = store.constant_term(c.clone());
        assumptions.push(store.eq(*t, c));
    }
    let expected_term = store.constant_term(expected.clone());
    let same = store.eq(result, expected_term);
    let differs = store.not(same);
    assumptions.push(same);
    let what = format!("{:?} of {given:?} is {expected}", store.node(result));
    assert_eq!(solver.check(store, &assumptions, &Limits::default()), Answer::Sat, "{what}");
    for (t, c) in given {
        assert_eq!(&solver.model_value(store, *t), c, "{what}");
    }
    *assumptions.last_mut().unwrap() = differs;
    assert_eq!(solver.check(store, &assumptions, &Limits::default()), Answer::Unsat, "{what}");
}

fn agrees(core: Core, formats: &[FloatFormat], seed: u64, values: usize) {
    let mut rng = Rng(seed);
    for &format in formats {
        for (op, ty) in unary_ops(format) {
            let (mut store, mut solver) = (TermStore::new(), Z3Solver::new(core));
            let x = store.new_symbol("x", ty);
            let t = store.un(op, x);
            for _ in 0..values {
                let c = operand(&mut rng, ty);
                let expected = eval::unary(op, &c);
                expect(&mut solver, &mut store, &[(x, c)], t, &expected);
            }
        }
        for op in BINARY.into_iter().chain((format == FloatFormat::F32).then_some(BinOp::FRem)) {
            let (mut store, mut solver) = (TermStore::new(), Z3Solver::new(core));
            let ty = Type::float(format);
            let (x, y) = (store.new_symbol("x", ty), store.new_symbol("y", ty));
            let t = store.bin(op, x, y);
            for _ in 0..values {
                let (c, d) = (operand(&mut rng, ty), operand(&mut rng, ty));
                let expected = eval::binary(op, &c, &d);
                expect(&mut solver, &mut store, &[(x, c), (y, d)], t, &expected);
            }
        }
    }
}

#[test]
fn blasted_floats_compute_as_the_interpreter() {
    agrees(Core::BitBlast, &FORMATS, 0x5eed_0001_0002_0003, 8);
}

#[test]
fn native_floats_compute_as_the_interpreter() {
    agrees(Core::General, &[FloatFormat::F32], 0x5eed_0004_0005_0006, 1);
}
