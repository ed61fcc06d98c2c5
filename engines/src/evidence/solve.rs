//! A fresh solver for a query in text.

use super::refuse;
use crate::task::Reason;
use std::time::Instant;
use z3::{Params, SatResult, Solver};

/// Whether the text's assertions contradict each other.
pub fn is_unsat(text: &str, logic: &str, deadline: Instant) -> Result<bool, Reason> {
    let left = deadline.saturating_duration_since(Instant::now()).as_millis();
    if left == 0 {
        return Err(Reason::Time);
    }
    let solver = Solver::new_for_logic(logic).ok_or_else(|| refuse(format!("the solver does not know {logic}")))?;
    let mut params = Params::new();
    params.set_u32("timeout", u32::try_from(left).unwrap_or(u32::MAX));
    solver.set_params(&params);
    solver.from_string(text);
    match solver.check() {
        SatResult::Unsat => Ok(true),
        SatResult::Sat => Ok(false),
        SatResult::Unknown if Instant::now() >= deadline => Err(Reason::Time),
        SatResult::Unknown => Err(refuse("the checking solver gave up")),
    }
}
