//! Bit-blasting onto CaDiCaL: the back end for bit-vectors.
//!
//! Terms become gates ([`gates`]) and words of gates ([`words`]), each once; formulas become clauses. Arrays are
//! eliminated above ([`super::arrays`]); a formula with floats is refused by [`SatSolver::takes`], and [`super::mixed`]
//! has another back end for those.

mod gates;
mod words;

use super::eval::{Evaluator, Model};
use super::solver::{Answer, Interrupt, Limits, Solver, SolverStats};
use super::term::{Node, Symbol, Term, TermStore};
use gates::{Gates, Lit, FALSE, TRUE};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::Instant;
use syncline_ir::{BinOp, Const, Scalar, Type, UnOp};
use words::Word;

/// Asked by CaDiCaL now and then: is it time to stop?
#[derive(Default)]
pub struct Callback {
    deadline: Option<Instant>,
    interrupted: Arc<AtomicBool>,
}

impl cadical::Callbacks for Callback {
    fn terminate(&mut self) -> bool {
        self.interrupted.load(Ordering::Relaxed) || self.deadline.is_some_and(|d| Instant::now() >= d)
    }
}

pub struct SatSolver {
    gates: Gates,
    /// The bits of each term translated: where they start in `bits`, by the term's index.
    starts: Vec<u32>,
    bits: Vec<Lit>,
    quotients: FxHashMap<(bool, Term, Term), (Word, Word)>,
    stack: Vec<Term>,
    interrupted: Arc<AtomicBool>,
    assumed: Vec<(Term, Lit)>,
    /// Values of the variables in the last model.
    model: Vec<bool>,
    evaluator: Evaluator,
    stats: SolverStats,
}

const ABSENT: u32 = u32::MAX;

impl Default for SatSolver {
    fn default() -> SatSolver {
        SatSolver::new()
    }
}

impl SatSolver {
    pub fn new() -> SatSolver {
        SatSolver {
            gates: Gates::new(),
            starts: Vec::new(),
            bits: Vec::new(),
            quotients: FxHashMap::default(),
            stack: Vec::new(),
            interrupted: Arc::default(),
            assumed: Vec::new(),
            model: Vec::new(),
            evaluator: Evaluator::new(),
            stats: SolverStats::default(),
        }
    }

    /// Whether a term is one of this solver's: no floats, no arrays.
    pub fn takes(ty: Type) -> bool {
        matches!(ty, Type::Scalar(Scalar::Bool | Scalar::Bv(_)))
    }

    fn width(store: &TermStore, t: Term) -> usize {
        store.width(t).max(1) as usize
    }

    fn done(&self, t: Term) -> bool {
        self.starts.get(t.index()).is_some_and(|&s| s != ABSENT)
    }

    fn word(&self, store: &TermStore, t: Term) -> Word {
        let start = self.starts[t.index()] as usize;
        self.bits[start..start + SatSolver::width(store, t)].to_vec()
    }

    fn set(&mut self, t: Term, word: &[Lit]) {
        if self.starts.len() <= t.index() {
            self.starts.resize(t.index() + 1, ABSENT);
        }
        self.starts[t.index()] = self.bits.len() as u32;
        self.bits.extend_from_slice(word);
        self.stats.translated += 1;
    }

    /// Translates a term, its operands first.
    fn translate(&mut self, store: &TermStore, root: Term) -> Word {
        self.stack.push(root);
        while let Some(&t) = self.stack.last() {
            if self.done(t) {
                self.stack.pop();
                continue;
            }
            let before = self.stack.len();
            for a in store.node(t).args() {
                if !self.done(a) {
                    self.stack.push(a);
                }
            }
            if self.stack.len() == before {
                let word = self.blast(store, t);
                self.set(t, &word);
                self.stack.pop();
            }
        }
        self.word(store, root)
    }

    /// The gates of one term whose operands have theirs.
    fn blast(&mut self, store: &TermStore, t: Term) -> Word {
        match store.node(t) {
            Node::Const(id) => match store.const_value(id) {
                Const::Bool(b) => vec![if *b { TRUE } else { FALSE }],
                Const::Bv { width, bits } => {
                    (0..*width).map(|i| if bits >> i & 1 == 1 { TRUE } else { FALSE }).collect()
                }
                Const::Float { .. } | Const::Array(_) => unreachable!("{}", NOT_MINE),
            },
            Node::Var(_) => (0..SatSolver::width(store, t)).map(|_| self.gates.fresh()).collect(),
            Node::Un(op, a) => self.blast_unary(store, op, a),
            Node::Bin(op, a, b) => self.blast_binary(store, op, a, b),
            Node::Ite(c, a, b) => {
                let (c, a, b) = (self.word(store, c)[0], self.word(store, a), self.word(store, b));
                self.gates.word_mux(c, &a, &b)
            }
            Node::Store(..) => unreachable!("{}", NOT_MINE),
        }
    }

    fn blast_unary(&mut self, store: &TermStore, op: UnOp, a: Term) -> Word {
        let mut a = self.word(store, a);
        match op {
            UnOp::Not | UnOp::BvNot => self.gates.word_not(&a),
            UnOp::BvNeg => self.gates.negate(&a),
            UnOp::ZExt(to) => {
                a.resize(to as usize, FALSE);
                a
            }
            UnOp::SExt(to) => {
                a.resize(to as usize, a[a.len() - 1]);
                a
            }
            UnOp::Extract { hi, lo } => a[lo as usize..=hi as usize].to_vec(),
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
            | UnOp::ToBits => unreachable!("{}", NOT_MINE),
        }
    }

    fn blast_binary(&mut self, store: &TermStore, op: BinOp, ta: Term, tb: Term) -> Word {
        let (a, b) = (self.word(store, ta), self.word(store, tb));
        let g = &mut self.gates;
        match op {
            BinOp::And | BinOp::BvAnd => g.word_map(&a, &b, Gates::and),
            BinOp::Or | BinOp::BvOr => g.word_map(&a, &b, Gates::or),
            BinOp::Xor | BinOp::BvXor => g.word_map(&a, &b, Gates::xor),
            BinOp::Eq => vec![g.equal(&a, &b)],
            BinOp::Add => g.add(&a, &b, FALSE).0,
            BinOp::Sub => g.subtract(&a, &b).0,
            BinOp::Mul => g.multiply(&a, &b),
            BinOp::UDiv => self.quotient(false, (ta, &a), (tb, &b)).0,
            BinOp::URem => self.quotient(false, (ta, &a), (tb, &b)).1,
            BinOp::SDiv => self.quotient(true, (ta, &a), (tb, &b)).0,
            BinOp::SRem => self.quotient(true, (ta, &a), (tb, &b)).1,
            BinOp::Shl => g.shift_left(&a, &b),
            BinOp::LShr => g.shift_right(&a, &b, FALSE),
            BinOp::AShr => g.shift_right(&a, &b, a[a.len() - 1]),
            BinOp::Concat => b.into_iter().chain(a).collect(),
            BinOp::Ult => vec![g.below(&a, &b, false)],
            BinOp::Ule => vec![g.below(&a, &b, true)],
            BinOp::Slt => vec![g.below_signed(&a, &b, false)],
            BinOp::Sle => vec![g.below_signed(&a, &b, true)],
            BinOp::FAdd
            | BinOp::FSub
            | BinOp::FMul
            | BinOp::FDiv
            | BinOp::FRem
            | BinOp::FEq
            | BinOp::FLt
            | BinOp::FLe
            | BinOp::Select => unreachable!("{}", NOT_MINE),
        }
    }

    /// One divider serves quotient and remainder.
    fn quotient(&mut self, signed: bool, a: (Term, &[Lit]), b: (Term, &[Lit])) -> (Word, Word) {
        let key = (signed, a.0, b.0);
        if let Some(both) = self.quotients.get(&key) {
            return both.clone();
        }
        let both = if signed { self.gates.divide_signed(a.1, b.1) } else { self.gates.divide(a.1, b.1) };
        self.quotients.insert(key, both.clone());
        both
    }

    /// The operands of a nested disjunction (or, negated, of a nested conjunction), as literals of one clause. A part that
    /// is shared is looked at once: terms are graphs, and have exponentially many ways through them. Beyond [`MAX_CLAUSE`]
    /// literals the rest gets gates: guards are long conjunctions, each the one before with a literal more, and what has
    /// gates is not walked again for the next one.
    fn clause_of(&mut self, store: &mut TermStore, formula: Term) -> Vec<Lit> {
        let mut literals = Vec::new();
        let mut seen: FxHashSet<Term> = FxHashSet::default();
        let mut work = vec![formula];
        while let Some(t) = work.pop() {
            if !seen.insert(t) {
                continue;
            }
            let few = literals.len() + work.len() < MAX_CLAUSE;
            match store.node(t) {
                Node::Bin(BinOp::Or, a, b) if few && !self.done(t) => work.extend([a, b]),
                Node::Un(UnOp::Not, inner) if few && !self.done(t) && !self.done(inner) => match store.node(inner) {
                    Node::Bin(BinOp::And, a, b) => {
                        let (a, b) = (store.not(a), store.not(b));
                        work.extend([a, b]);
                    }
                    _ => literals.push(self.translate(store, t)[0]),
                },
                _ => literals.push(self.translate(store, t)[0]),
            }
        }
        literals
    }

    fn value(&self, lit: Lit) -> bool {
        self.model.get(lit.unsigned_abs() as usize).copied().unwrap_or(false) == (lit > 0)
    }
}

/// How long a clause of nested disjunctions may become.
const MAX_CLAUSE: usize = 32;

const NOT_MINE: &str = "floats and arrays do not come to this solver";

struct SymbolBits<'a>(&'a SatSolver);

impl Model for SymbolBits<'_> {
    fn value(&self, store: &TermStore, symbol: Symbol) -> Option<Const> {
        self.term(store, store.symbol_term(symbol))
    }

    /// Gates have their values in the model, if they were there when it was found.
    fn term(&self, store: &TermStore, t: Term) -> Option<Const> {
        if !self.0.done(t) {
            return None;
        }
        let word = self.0.word(store, t);
        if word.iter().any(|l| l.unsigned_abs() as usize >= self.0.model.len()) {
            return None;
        }
        let bits = word.iter().rev().fold(0u128, |bits, &l| bits << 1 | self.0.value(l) as u128);
        match store.ty(t) {
            Type::Scalar(Scalar::Bool) => Some(Const::Bool(bits == 1)),
            Type::Scalar(Scalar::Bv(width)) => Some(Const::bv(width, bits)),
            Type::Scalar(Scalar::Float(_)) | Type::Array { .. } => None,
        }
    }
}

impl Solver for SatSolver {
    fn assert(&mut self, store: &mut TermStore, formula: Term) {
        self.stats.asserted += 1;
        let mut seen: FxHashSet<Term> = FxHashSet::default();
        let mut work = vec![formula];
        while let Some(t) = work.pop() {
            if !seen.insert(t) {
                continue;
            }
            match store.node(t) {
                Node::Bin(BinOp::And, a, b) if !self.done(t) => work.extend([a, b]),
                _ => {
                    let clause = self.clause_of(store, t);
                    self.gates.clause(&clause);
                }
            }
        }
    }

    fn assert_array_eq(&mut self, _: &mut TermStore, _: Term, _: Term, _: Term) {
        unreachable!("{}", NOT_MINE)
    }

    fn assert_cells(&mut self, _: &mut TermStore, _: Term, _: Term, _: Term) {
        unreachable!("{}", NOT_MINE)
    }

    fn check(&mut self, store: &mut TermStore, assumptions: &[Term], limits: &Limits) -> Answer {
        let start = Instant::now();
        self.evaluator.clear();
        self.assumed = Vec::with_capacity(assumptions.len());
        for &t in assumptions {
            let literal = self.translate(store, t)[0];
            self.assumed.push((t, literal));
        }
        let callback = Callback { deadline: limits.deadline, interrupted: self.interrupted.clone() };
        self.gates.sat.set_callbacks(Some(callback));
        let answer = self.gates.sat.solve_with(self.assumed.iter().map(|a| a.1));
        self.stats.checks += 1;
        self.stats.check_time += start.elapsed();
        match answer {
            Some(true) => {
                self.stats.sat += 1;
                self.model.clear();
                self.model.push(false);
                for v in 1..=self.gates.variables() {
                    // A variable CaDiCaL has removed or never met may have any value.
                    self.model.push(self.gates.sat.value(v) == Some(true));
                }
                Answer::Sat
            }
            Some(false) => {
                self.stats.unsat += 1;
                Answer::Unsat
            }
            None => {
                self.stats.unknown += 1;
                let stopped = self.interrupted.load(Ordering::Relaxed);
                Answer::Unknown(if stopped { "interrupted" } else { "timeout" }.to_string())
            }
        }
    }

    fn model_value(&mut self, store: &TermStore, term: Term) -> Const {
        let mut evaluator = std::mem::take(&mut self.evaluator);
        let value = evaluator.eval(store, term, &SymbolBits(self));
        self.evaluator = evaluator;
        value
    }

    fn core(&mut self) -> Vec<Term> {
        let sat = &self.gates.sat;
        self.assumed.iter().filter(|a| sat.failed(a.1)).map(|a| a.0).collect()
    }

    fn interrupt_handle(&self) -> Interrupt {
        let flag = self.interrupted.clone();
        Arc::new(move || flag.store(true, Ordering::Relaxed))
    }

    fn stats(&self) -> SolverStats {
        self.stats
    }
}
