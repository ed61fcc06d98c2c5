//! What an engine asks of a solver.
//!
//! Formulas are asserted once and for good; what varies between checks are assumptions. There is no push and pop:
//! an engine that wants to retract something guards it with a symbol of its own.

use super::term::{Term, TermStore};
use std::sync::Arc;
use std::time::{Duration, Instant};
use syncline_ir::Const;

/// The outcome of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    Sat,
    Unsat,
    /// With the reason: `timeout`, `interrupted`, `memory`, or the solver's own words.
    Unknown(String),
}

/// What one check may use.
#[derive(Copy, Clone, Default, Debug)]
pub struct Limits {
    /// The check ends soon after this instant. None: no limit.
    pub deadline: Option<Instant>,
}

impl Limits {
    pub fn until(deadline: Instant) -> Limits {
        Limits { deadline: Some(deadline) }
    }

    /// The time left; `None` without a deadline.
    pub fn left(&self) -> Option<Duration> {
        self.deadline.map(|d| d.saturating_duration_since(Instant::now()))
    }
}

/// Stops a running check from another thread, and every later one. It may outlive the solver.
pub type Interrupt = Arc<dyn Fn() + Send + Sync>;

/// What a solver has done so far.
#[derive(Copy, Clone, Default, Debug, PartialEq)]
pub struct SolverStats {
    pub checks: u64,
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    /// Formulas handed over, those added by array elimination included.
    pub asserted: u64,
    /// Terms translated for the solver.
    pub translated: u64,
    pub check_time: Duration,
}

impl std::ops::Add for SolverStats {
    type Output = SolverStats;

    fn add(self, other: SolverStats) -> SolverStats {
        SolverStats {
            checks: self.checks + other.checks,
            sat: self.sat + other.sat,
            unsat: self.unsat + other.unsat,
            unknown: self.unknown + other.unknown,
            asserted: self.asserted + other.asserted,
            translated: self.translated + other.translated,
            check_time: self.check_time + other.check_time,
        }
    }
}

/// An incremental solver. All terms of one solver are of one store.
pub trait Solver {
    /// Adds a formula for good.
    fn assert(&mut self, store: &mut TermStore, formula: Term);

    /// Adds `guard -> array = value` for good, both of one array type, `array` a symbol.
    fn assert_array_eq(&mut self, store: &mut TermStore, guard: Term, array: Term, value: Term);

    /// Adds for good that the array, a symbol, has this value at every index; `index` is the symbol that stands for it in
    /// the value, and occurs nowhere else.
    fn assert_cells(&mut self, store: &mut TermStore, array: Term, index: Term, value: Term);

    /// Whether the formulas asserted so far and the assumptions hold together. Assumptions are any Boolean terms.
    fn check(&mut self, store: &mut TermStore, assumptions: &[Term], limits: &Limits) -> Answer;

    /// The value of a term in the model of the last check, which answered `Sat`. Symbols the solver has not met are
    /// zero. Array terms have the cells that matter, the others are zero.
    fn model_value(&mut self, store: &TermStore, term: Term) -> Const;

    /// After `Unsat`: assumptions of the last check that are inconsistent with the formulas (not always a smallest set).
    fn core(&mut self) -> Vec<Term>;

    fn interrupt_handle(&self) -> Interrupt;

    fn stats(&self) -> SolverStats;
}
