//! A counterexample is believed when the interpreter, given its inputs, violates the property it names.
//!
//! A run that goes another way than the engine thought may go on for ever. An engine knows every value that a place of input
//! brings in if it knows one, so a run that asks for many more is refused, long before the time is over.

use super::refuse;
use crate::task::{Reason, Trace};
use std::time::Instant;
use syncline_ir::interp::{self, Inputs, Limits, NoObserver, Observer, Outcome, SiteQueues};
use syncline_ir::{Program, Prop};

/// Runs the trace.
pub fn run(program: &Program, trace: &Trace, observer: &mut dyn Observer, deadline: Option<Instant>) -> Outcome {
    let mut inputs = SiteQueues::new(&trace.inputs);
    interp::run(program, &mut inputs, observer, Limits { deadline, ..Limits::default() })
}

/// Values that may be missing: what is zero at the end of a run may have been left out.
const MISSING: u64 = 10_000;

pub fn check(program: &Program, prop: Prop, trace: &Trace, deadline: Instant) -> Result<(), Reason> {
    let mut inputs = SiteQueues::new(&trace.inputs).ending_after(MISSING);
    let limits = Limits { deadline: Some(deadline), ..Limits::default() };
    match interp::run(program, &mut inputs, &mut NoObserver, limits) {
        Outcome::Violated(p) if p == prop => Ok(()),
        Outcome::OutOfFuel if inputs.is_over() => {
            let name = &program.props[prop].name;
            Err(refuse(format!("the trace for {name} does not replay: it goes on when its inputs are used up")))
        }
        Outcome::OutOfFuel => Err(Reason::Time),
        other => Err(refuse(format!("the trace for {} does not replay: {other:?}", program.props[prop].name))),
    }
}
