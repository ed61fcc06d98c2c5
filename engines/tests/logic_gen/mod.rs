//! Random terms with their values by plain evaluation, for the tests of `logic`.
// Not every test uses all of it.
#![allow(dead_code)]

use rustc_hash::FxHashMap;
use syncline_engines::logic::{Evaluator, Symbol, Term, TermStore};
use syncline_ir::{eval, ArrayConst, BinOp, Const, FloatFormat, Rounding, Scalar, Type, UnOp};

pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() >> 11) as usize % n
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// How many assignments each term is checked under.
pub const MODELS: usize = 12;

pub struct Round {
    pub store: TermStore,
    pub models: Vec<FxHashMap<Symbol, Const>>,
    evaluators: Vec<Evaluator>,
    /// Terms with their values by plain evaluation of the tree they were asked as.
    pub pool: Vec<(Term, Vec<Const>)>,
}

fn scalar(rng: &mut Rng, ty: Scalar) -> Const {
    match ty {
        Scalar::Bool => Const::Bool(rng.one_in(2)),
        Scalar::Bv(w) => {
            let bits = match rng.below(6) {
                0 => 0,
                1 => 1,
                2 => u128::MAX,
                3 => 1 << rng.below(w as usize),
                _ => rng.next() as u128,
            };
            Const::bv(w, bits)
        }
        Scalar::Float(f) => {
            let bits = match rng.below(5) {
                0 => 0,
                1 => return Const::zero(Type::float(f)),
                // Few exponent bits: numbers near one.
                2 => return eval::unary(UnOp::SToF(f), &Const::bv(8, rng.next() as u128)),
                3 => eval::to_bits(&eval::unary(UnOp::ToBits, &Const::zero(Type::float(f)))) | rng.next() as u128,
                _ => (rng.next() as u128) << 64 | rng.next() as u128,
            };
            eval::from_bits(ty, bits)
        }
    }
}

pub fn value(rng: &mut Rng, ty: Type) -> Const {
    match ty {
        Type::Scalar(s) => scalar(rng, s),
        Type::Array { index, elem } => {
            let mut a = ArrayConst::filled(index, scalar(rng, elem));
            for _ in 0..rng.below(4) {
                a.set(rng.next() as u128 & ((1 << index) - 1), scalar(rng, elem));
            }
            Const::Array(a)
        }
    }
}

impl Round {
    pub fn new(rng: &mut Rng, floats: bool) -> Round {
        let mut round = Round {
            store: TermStore::new(),
            models: vec![FxHashMap::default(); MODELS],
            evaluators: (0..MODELS).map(|_| Evaluator::new()).collect(),
            pool: Vec::new(),
        };
        let (w, v) = (1 + rng.below(8) as u32, 1 + rng.below(8) as u32);
        let mut types = vec![Type::BOOL, Type::BOOL, Type::BOOL, Type::bv(w), Type::bv(w), Type::bv(w), Type::bv(v)];
        types.push(Type::Array { index: w.min(3), elem: Scalar::Bv(v) });
        types.push(Type::bv(w.min(3)));
        if floats {
            types.extend([Type::float(FloatFormat::F32); 2]);
            types.push(Type::float(FloatFormat::X87));
        }
        for ty in types {
            let t = round.store.new_symbol("x", ty);
            let s = round.store.as_symbol(t).unwrap();
            let values: Vec<Const> = (0..MODELS).map(|_| value(rng, ty)).collect();
            round.models.iter_mut().zip(&values).for_each(|(m, v)| drop(m.insert(s, v.clone())));
            round.pool.push((t, values));
        }
        round
    }

    /// A random operand of a type: an old term, or a constant.
    fn pick(&mut self, rng: &mut Rng, ty: Type) -> (Term, Vec<Const>) {
        let fits: Vec<usize> = (0..self.pool.len()).filter(|&i| self.store.ty(self.pool[i].0) == ty).collect();
        if fits.is_empty() || rng.one_in(5) {
            let c = value(rng, ty);
            return (self.store.constant_term(c.clone()), vec![c; MODELS]);
        }
        // Recent terms more often, so that rules meet each other's results.
        let i = fits.len() - 1 - rng.below(fits.len()).min(rng.below(fits.len()));
        self.pool[fits[i]].clone()
    }

    fn any(&mut self, rng: &mut Rng) -> (Term, Vec<Const>) {
        let i = self.pool.len() - 1 - rng.below(self.pool.len()).min(rng.below(self.pool.len()));
        self.pool[i].clone()
    }

    fn unary(&mut self, rng: &mut Rng) -> Option<(Term, Vec<Const>, String)> {
        let (a, va) = self.any(rng);
        let w = self.store.width(a).max(1);
        let hi = rng.below(w as usize) as u32;
        let lo = if rng.one_in(2) { 0 } else { rng.below(hi as usize + 1) as u32 };
        let ops = [
            UnOp::Not,
            UnOp::BvNot,
            UnOp::BvNeg,
            UnOp::ZExt(w + rng.below(4) as u32),
            UnOp::SExt(w + rng.below(4) as u32),
            UnOp::Extract { hi, lo },
            UnOp::Extract { hi, lo },
            UnOp::FNeg,
            UnOp::FIsNan,
            UnOp::FIsInf,
            UnOp::FSign,
            UnOp::FSqrt,
            UnOp::FRound(Rounding::ALL[rng.below(5)]),
            UnOp::FToF([FloatFormat::F32, FloatFormat::F64, FloatFormat::X87][rng.below(3)]),
            UnOp::SToF(FloatFormat::F32),
            UnOp::UToF(FloatFormat::X87),
            UnOp::FToS(8),
            UnOp::FToU(8),
            UnOp::ToBits,
        ];
        let op = ops[rng.below(ops.len())];
        op.result(self.store.ty(a))?;
        let values = va.iter().map(|v| eval::unary(op, v)).collect();
        let what = format!("{op:?} {a:?}");
        Some((self.store.un(op, a), values, what))
    }

    fn binary(&mut self, rng: &mut Rng) -> Option<(Term, Vec<Const>, String)> {
        let op = BinOp::ALL[rng.below(BinOp::ALL.len())];
        // Blasting a remainder takes a division as wide as exponents are far apart.
        if op == BinOp::FRem {
            return None;
        }
        let (mut a, mut va) = self.any(rng);
        let tb = match (op, self.store.ty(a)) {
            (BinOp::Select, Type::Array { index, .. }) => Type::bv(index),
            (BinOp::Concat, _) => Type::bv(1 + rng.below(8) as u32),
            (_, ty) => ty,
        };
        let (mut b, mut vb) = self.pick(rng, tb);
        if op != BinOp::Select && rng.one_in(2) {
            (a, va, b, vb) = (b, vb, a, va);
        }
        let ty = op.result(self.store.ty(a), self.store.ty(b))?;
        if ty.width().is_some_and(|w| w > 90) {
            return None;
        }
        let values = va.iter().zip(&vb).map(|(a, b)| eval::binary(op, a, b)).collect();
        let what = format!("{op:?} {a:?} {b:?}");
        Some((self.store.bin(op, a, b), values, what))
    }

    fn ternary(&mut self, rng: &mut Rng) -> (Term, Vec<Const>, String) {
        let (a, va) = self.any(rng);
        if let Type::Array { index, elem } = self.store.ty(a) {
            if rng.one_in(2) {
                let (i, vi) = self.pick(rng, Type::bv(index));
                let (v, vv) = self.pick(rng, elem.into());
                let values = (0..MODELS).map(|k| eval::update(&va[k], &vi[k], &vv[k])).collect();
                return (self.store.store(a, i, v), values, format!("store {a:?} {i:?} {v:?}"));
            }
        }
        let (c, vc) = self.pick(rng, Type::BOOL);
        let (b, vb) = self.pick(rng, self.store.ty(a));
        let values = (0..MODELS).map(|k| if vc[k] == Const::TRUE { va[k].clone() } else { vb[k].clone() }).collect();
        (self.store.ite(c, a, b), values, format!("ite {c:?} {a:?} {b:?}"))
    }

    /// One more term in the pool, checked; false if the operands did not fit.
    pub fn step(&mut self, rng: &mut Rng) -> bool {
        let made = match rng.below(10) {
            0..=2 => self.unary(rng),
            3..=7 => self.binary(rng),
            _ => Some(self.ternary(rng)),
        };
        let Some((t, values, what)) = made else { return false };
        for (k, expected) in values.iter().enumerate() {
            let got = self.evaluators[k].eval(&self.store, t, &self.models[k]);
            assert_eq!(&got, expected, "{what} became {:?}", self.store.node(t));
        }
        self.pool.push((t, values));
        true
    }
}
