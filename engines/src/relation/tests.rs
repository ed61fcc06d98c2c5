//! Facts of two literals, on programs of which it is known by hand what holds.

use super::counting::Counting;
use super::{Coding, Relation};
use crate::annotation::Cell;
use crate::cuts::{Cut, CutSystem};
use crate::logic::{default_solver, Answer, Limits, Term};
use crate::task::{Context, Task};
use std::time::{Duration, Instant};
use syncline_ir::{read, Var};

/// The first loop may set `b`; the second is come to from the first with `b` as it was there.
const TWO_LOOPS: &str = "in0 = site \"in\": bool
    var @b: bool = false
    prop0 = assertion \"main.assertion.1\" \"\"
    entry main
    proc main {
    block0:
        jump block1
    block1:
        v0: bool = havoc in0
        branch v0, block2, block3
    block2:
        v1 = const true
        write @b, v1
        jump block1
    block3:
        v2: bool = read @b
        v3: bool = not v2
        assert prop0, v3
        jump block3
    }";

#[test]
fn what_holds_at_one_loop_says_nothing_about_the_next() {
    let program = read::program(TWO_LOOPS).unwrap_or_else(|e| panic!("{e:?}"));
    let deadline = Instant::now() + Duration::from_secs(60);
    let task = Task::new(&program, program.props.keys().collect());
    let mut system = CutSystem::new(&task, &task.props, deadline).unwrap_or_else(|reason| panic!("{reason:?}"));
    let cuts: Vec<Cut> = system.cuts.keys().collect();
    assert_eq!(cuts.len(), 2);
    let relation = Relation::new(&mut system, task.props[0], &[], &[], Coding::Values, &default_solver, deadline);
    let mut context = Context::new(deadline, |_, _| {});
    let facts = Counting::of_all_runs(relation, &mut context).unwrap_or_else(|_| panic!("no limit was set"));
    for cut in cuts {
        let mut solver = default_solver();
        for &(_, fact) in facts.iter().filter(|(at, _)| *at == cut) {
            solver.assert(&mut system.store, fact);
        }
        for value in [true, false] {
            let b: Term = system.symbol(Cell::Global(Var::from_u32(0)));
            let b = if value { b } else { system.store.not(b) };
            let answer = solver.check(&mut system.store, &[b], &Limits::until(deadline));
            assert_eq!(answer, Answer::Sat, "{cut:?}: runs come there with b = {value}");
        }
    }
}
