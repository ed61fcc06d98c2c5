//! Elimination on candidates of which it is known by hand which hold.

use super::{eliminate, Houdini};
use crate::annotation::Cell;
use crate::cuts::{Cut, CutSystem};
use crate::logic::{default_solver, Answer, Interrupt, Limits, Solver, SolverStats, Term, TermStore};
use crate::task::{Context, Task};
use std::time::{Duration, Instant};
use syncline_ir::{read, BinOp, Const, Program, Var};

/// `x` is 0, 1, 2 or 9 at first; each turn adds 1 to it if it is below 9, and 2 to `y` if that is below 6.
const COUNTERS: &str = "in0 = site \"x\": bv4
    var @x: bv4 = bv4 0
    var @y: bv4 = bv4 0
    prop0 = assertion \"main.assertion.1\" \"\"
    entry main
    proc main {
    block0:
        v0: bv4 = havoc in0
        switch v0 { 0: block1, 1: block1, 2: block1, 9: block1, default: block6 }
    block1:
        write @x, v0
        jump block2
    block2:
        v1: bv4 = read @x
        v2: bv4 = read @y
        v3: bv4 = add v1, v2
        v4 = const bv4 14
        v5: bool = ule v3, v4
        assert prop0, v5
        v6 = const bv4 9
        v7: bool = ult v1, v6
        branch v7, block3, block4
    block3:
        v8 = const bv4 1
        v9: bv4 = add v1, v8
        write @x, v9
        jump block4
    block4:
        v10 = const bv4 6
        v11: bool = ult v2, v10
        branch v11, block5, block2
    block5:
        v12 = const bv4 2
        v13: bv4 = add v2, v12
        write @y, v13
        jump block2
    block6:
        stop
    }";

const X: u32 = 0;
const Y: u32 = 1;

fn deadline() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

fn system(program: &Program) -> (CutSystem, Cut) {
    let task = Task::new(program, program.props.keys().collect());
    let system = CutSystem::new(&task, &task.props, deadline()).unwrap_or_else(|reason| panic!("{reason:?}"));
    let cut = system.cuts.keys().next().unwrap_or_else(|| panic!("a loop has a header"));
    (system, cut)
}

fn counters() -> Program {
    read::program(COUNTERS).unwrap_or_else(|e| panic!("{e:?}"))
}

/// `variable <= bound`.
fn at_most(system: &mut CutSystem, variable: u32, bound: u128) -> Term {
    let cell = system.symbol(Cell::Global(Var::from_u32(variable)));
    let bound = system.store.bv(4, bound);
    system.store.bin(BinOp::Ule, cell, bound)
}

/// `variable != value`.
fn is_not(system: &mut CutSystem, variable: u32, value: u128) -> Term {
    let cell = system.symbol(Cell::Global(Var::from_u32(variable)));
    let value = system.store.bv(4, value);
    let equal = system.store.eq(cell, value);
    system.store.not(equal)
}

#[test]
fn what_some_start_contradicts_goes() {
    let program = counters();
    let (mut system, cut) = system(&program);
    let candidates: Vec<_> = (0..16).map(|value| (cut, is_not(&mut system, X, value))).collect();
    let holds = |value: &usize| ![0, 1, 2, 9].contains(value);
    let expected: Vec<_> = (0..16).filter(holds).map(|value| candidates[value]).collect();
    let context = Context::new(deadline(), |_, _| {});
    assert_eq!(eliminate::hold_at_start(&mut system, candidates, deadline(), &context), Some(expected));
}

#[test]
fn what_some_segment_breaks_goes_and_what_rests_on_it() {
    let program = counters();
    let (mut system, cut) = system(&program);
    let all =
        [is_not(&mut system, X, 5), at_most(&mut system, X, 9), at_most(&mut system, X, 8), at_most(&mut system, Y, 7)];
    let odd = is_not(&mut system, Y, 1);
    // Of the odd values of y none leads to 1 but 15, which is not below 6.
    let candidates: Vec<_> = all.into_iter().chain([odd]).map(|t| (cut, t)).collect();
    let expected = vec![candidates[1], candidates[3], candidates[4]];
    let context = Context::new(deadline(), |_, _| {});
    assert_eq!(eliminate::keep(&mut system, candidates, deadline(), &context), Some(expected));
}

/// Gives up on the first two questions it is asked: the one about all candidates, and that about the first by itself.
struct Reluctant {
    inner: Box<dyn Solver>,
    asked: u32,
}

impl Solver for Reluctant {
    fn assert(&mut self, store: &mut TermStore, formula: Term) {
        self.inner.assert(store, formula);
    }

    fn assert_array_eq(&mut self, store: &mut TermStore, guard: Term, array: Term, value: Term) {
        self.inner.assert_array_eq(store, guard, array, value);
    }

    fn assert_cells(&mut self, store: &mut TermStore, array: Term, index: Term, value: Term) {
        self.inner.assert_cells(store, array, index, value);
    }

    fn check(&mut self, store: &mut TermStore, assumptions: &[Term], limits: &Limits) -> Answer {
        self.asked += 1;
        match self.asked {
            1 | 2 => Answer::Unknown("reluctant".into()),
            _ => self.inner.check(store, assumptions, limits),
        }
    }

    fn model_value(&mut self, store: &TermStore, term: Term) -> Const {
        self.inner.model_value(store, term)
    }

    fn core(&mut self) -> Vec<Term> {
        self.inner.core()
    }

    fn interrupt_handle(&self) -> Interrupt {
        self.inner.interrupt_handle()
    }

    fn stats(&self) -> SolverStats {
        self.inner.stats()
    }
}

#[test]
fn what_is_kept_stays_though_it_is_too_hard_beside_more() {
    let program = counters();
    let (mut system, cut) = system(&program);
    let (first, second) = ((cut, at_most(&mut system, X, 9)), (cut, at_most(&mut system, Y, 7)));
    let mut context = Context::new(deadline(), |_, _| {});
    context.solver = Box::new(|| Box::new(Reluctant { inner: default_solver(), asked: 0 }));
    let mut houdini = Houdini { kept: vec![first], products: vec![second, second], candidates: 2, heard: 0 };
    // Each elimination gives up on one candidate: the first, then one of the two alike.
    assert!(houdini.try_products(&mut system, &context));
    assert_eq!(houdini.kept, vec![first, second]);
}
