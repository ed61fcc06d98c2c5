//! A counterexample is believed when the interpreter, given its inputs, violates the property it names.

use super::refuse;
use crate::task::{Reason, Trace};
use std::time::Instant;
use syncline_ir::interp::{self, Limits, NoObserver, Observer, Outcome, SiteQueues};
use syncline_ir::{Program, Prop};

/// Runs the trace.
pub fn run(program: &Program, trace: &Trace, observer: &mut dyn Observer, deadline: Option<Instant>) -> Outcome {
    let mut inputs = SiteQueues::new(&trace.inputs);
    interp::run(program, &mut inputs, observer, Limits { deadline, ..Limits::default() })
}

pub fn check(program: &Program, prop: Prop, trace: &Trace, deadline: Instant) -> Result<(), Reason> {
    match run(program, trace, &mut NoObserver, Some(deadline)) {
        Outcome::Violated(p) if p == prop => Ok(()),
        Outcome::OutOfFuel => Err(Reason::Time),
        other => Err(refuse(format!("the trace for {} does not replay: {other:?}", program.props[prop].name))),
    }
}
