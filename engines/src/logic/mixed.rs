//! CaDiCaL for as long as formulas are bit-vectors, Z3 from the first float on.
//!
//! What was asserted is kept, so that the second solver gets it all when it takes over. [`MixedSolver::only_sat`] has
//! no second solver: with floats it knows no answer.

use super::sat::SatSolver;
use super::solver::{Answer, Interrupt, Limits, Solver, SolverStats};
use super::term::{Term, TermStore};
use super::z3::{Core, Z3Solver};
use rustc_hash::FxHashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use syncline_ir::Const;

pub struct MixedSolver {
    current: Box<dyn Solver>,
    /// Empty once the second solver is in charge.
    asserted: Vec<Term>,
    /// Terms known to be without floats.
    plain: FxHashSet<Term>,
    floats: bool,
    /// Floats are for nobody here.
    only_sat: bool,
    before: SolverStats,
    interrupted: Arc<AtomicBool>,
    inner: Arc<Mutex<Interrupt>>,
}

impl Default for MixedSolver {
    fn default() -> MixedSolver {
        MixedSolver::new()
    }
}

impl MixedSolver {
    pub fn new() -> MixedSolver {
        let current: Box<dyn Solver> = Box::new(SatSolver::new());
        let inner = Arc::new(Mutex::new(current.interrupt_handle()));
        MixedSolver {
            current,
            asserted: Vec::new(),
            plain: FxHashSet::default(),
            floats: false,
            only_sat: false,
            before: SolverStats::default(),
            interrupted: Arc::default(),
            inner,
        }
    }

    /// CaDiCaL alone.
    pub fn only_sat() -> MixedSolver {
        MixedSolver { only_sat: true, ..MixedSolver::new() }
    }

    /// Hands over to the second solver if the term has floats in it.
    fn prepare(&mut self, store: &mut TermStore, term: Term) {
        if self.floats {
            return;
        }
        let mut stack = vec![term];
        while let Some(t) = stack.pop() {
            if !self.plain.insert(t) {
                continue;
            }
            if !SatSolver::takes(store.ty(t)) {
                self.switch(store);
                return;
            }
            stack.extend(store.node(t).args());
        }
    }

    fn refuses(&self) -> bool {
        self.only_sat && self.floats
    }

    fn switch(&mut self, store: &mut TermStore) {
        self.floats = true;
        if self.only_sat {
            return;
        }
        self.before = self.current.stats();
        self.current = Box::new(Z3Solver::new(Core::BitBlast));
        if let Ok(mut inner) = self.inner.lock() {
            *inner = self.current.interrupt_handle();
            if self.interrupted.load(Ordering::Relaxed) {
                inner();
            }
        }
        for formula in std::mem::take(&mut self.asserted) {
            self.current.assert(store, formula);
        }
        self.plain = FxHashSet::default();
    }
}

impl Solver for MixedSolver {
    fn assert(&mut self, store: &mut TermStore, formula: Term) {
        self.prepare(store, formula);
        if !self.floats {
            self.asserted.push(formula);
        }
        if !self.refuses() {
            self.current.assert(store, formula);
        }
    }

    fn assert_array_eq(&mut self, store: &mut TermStore, guard: Term, array: Term, value: Term) {
        self.current.assert_array_eq(store, guard, array, value);
    }

    fn assert_cells(&mut self, store: &mut TermStore, array: Term, index: Term, value: Term) {
        self.current.assert_cells(store, array, index, value);
    }

    fn check(&mut self, store: &mut TermStore, assumptions: &[Term], limits: &Limits) -> Answer {
        assumptions.iter().for_each(|&t| self.prepare(store, t));
        if self.refuses() {
            return Answer::Unknown("CaDiCaL decides no floats".into());
        }
        self.current.check(store, assumptions, limits)
    }

    fn model_value(&mut self, store: &TermStore, term: Term) -> Const {
        self.current.model_value(store, term)
    }

    fn core(&mut self) -> Vec<Term> {
        self.current.core()
    }

    fn interrupt_handle(&self) -> Interrupt {
        let (flag, inner) = (self.interrupted.clone(), self.inner.clone());
        Arc::new(move || {
            flag.store(true, Ordering::Relaxed);
            if let Ok(inner) = inner.lock() {
                inner();
            }
        })
    }

    fn stats(&self) -> SolverStats {
        self.before + self.current.stats()
    }
}
