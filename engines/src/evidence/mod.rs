//! Verdicts are checked again before anyone sees them, by code that shares nothing with the engines
//! but the IR itself: its operators, its interpreter and the nesting of its loops.
//!
//! * UNSAFE: the trace is run on the interpreter, on the program as the front end made it, and must violate the same
//!   property ([`replay`]).
//! * SAFE: the certificate is turned into queries about the program **before any pass** by a plain encoder that
//!   computes constants and rewrites nothing else ([`unwinding`] for bounds, [`accelerated`] for bounds of accelerated loops,
//!   [`inlining`] for what was opened, [`inductive`] for formulas at loop headers),
//!   written as SMT-LIB 2 text, and given to a fresh solver.
//!
//! What fails becomes UNKNOWN with the reason; it is an error of this tool, and is said so.

pub mod accelerated;
mod contract;
mod emit;
pub mod inductive;
pub mod inlining;
pub mod replay;
mod solve;
mod state;
pub mod unwinding;
mod written;

pub use solve::{Answered, Judge};

use crate::task::{Certificate, Reason, Verdict};
use std::time::Instant;
use syncline_ir::{Program, Prop};

/// Whether the formulas show all these properties together, by one check: up to the first violation of any of them a run
/// has come through the others, as the check takes it to have, so that no run violates any.
pub fn confirm_together(program: &Program, props: &[Prop], certificate: &Certificate, deadline: Instant) -> bool {
    let Certificate::Inductive { k: 0, annotations, opened } = certificate else { return false };
    inductive::check(program, props, 0, annotations, opened.as_ref(), &mut Judge::new(deadline)).is_ok()
}

/// The verdict, if its evidence holds.
pub fn confirm(program: &Program, prop: Prop, verdict: Verdict, deadline: Instant) -> Verdict {
    judge(program, prop, verdict, &mut Judge::new(deadline))
}

/// The verdict, if its evidence holds; the judge may keep the queries that show it.
pub fn judge(program: &Program, prop: Prop, verdict: Verdict, judge: &mut Judge) -> Verdict {
    let outcome = match &verdict {
        Verdict::Unknown(_) => return verdict,
        Verdict::Unsafe(trace) => replay::check(program, prop, trace, judge.deadline),
        Verdict::Safe(Certificate::Unwinding { bounds }) => unwinding::check(program, &[prop], bounds, judge),
        Verdict::Safe(Certificate::Accelerated { accelerations, bounds }) => {
            accelerated::check(program, &[prop], accelerations, bounds, judge)
        }
        Verdict::Safe(Certificate::Inductive { k, annotations, opened }) => {
            inductive::check(program, &[prop], *k, annotations, opened.as_ref(), judge)
        }
        Verdict::Safe(Certificate::SimplePath { k, annotations, cells }) => {
            inductive::check_simple_path(program, &[prop], *k, annotations, cells, judge)
        }
        Verdict::Safe(Certificate::Inlining { nodes, contracts }) => {
            inlining::check(program, &[prop], nodes, contracts, judge)
        }
    };
    match outcome {
        Ok(()) => verdict,
        Err(reason) => Verdict::Unknown(reason),
    }
}

/// The reason of a failed check.
fn refuse(words: impl Into<String>) -> Reason {
    Reason::Evidence(words.into())
}
