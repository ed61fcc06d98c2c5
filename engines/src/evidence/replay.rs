//! A counterexample is believed when the interpreter, given its inputs, violates the property it names.
//!
//! A run that goes another way than the engine thought may go on for ever. So one that asks for very many values more than it has is
//! refused, which takes some seconds at most. It may ask for some: zeros at the end may have been left out, and
//! what comes in where it matters to nobody, such as in each iteration of a loop that copies an array.

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

/// Values that may be missing.
const MISSING: u64 = 10_000_000;

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
