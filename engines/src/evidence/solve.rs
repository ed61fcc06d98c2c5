//! A fresh solver for each query, and the queries it has answered, for those who want to ask again.

use super::emit::Query;
use super::refuse;
use crate::task::Reason;
use std::time::Instant;
use z3::{Params, SatResult, Solver};

/// Whether the query's assertions contradict each other.
pub(super) fn is_unsat(query: &Query, deadline: Instant) -> Result<bool, Reason> {
    let left = deadline.saturating_duration_since(Instant::now()).as_millis();
    if left == 0 {
        return Err(Reason::Time);
    }
    let logic = query.logic;
    let solver = Solver::new_for_logic(logic).ok_or_else(|| refuse(format!("the solver does not know {logic}")))?;
    let mut params = Params::new();
    params.set_u32("timeout", u32::try_from(left).unwrap_or(u32::MAX));
    solver.set_params(&params);
    solver.from_string(query.text.as_str());
    match solver.check() {
        SatResult::Unsat => Ok(true),
        SatResult::Sat => Ok(false),
        SatResult::Unknown if Instant::now() >= deadline => Err(Reason::Time),
        SatResult::Unknown => Err(refuse("the checking solver gave up")),
    }
}

/// A query with the answer `unsat`, as a file that stands for itself.
#[derive(Clone, Debug)]
pub struct Answered {
    /// What it is for, as part of a file name: letters, digits and `-`.
    pub purpose: String,
    /// What the answer says, in a sentence without its full stop.
    pub meaning: String,
    /// SMT-LIB 2, from `set-logic` to `check-sat`.
    pub text: String,
}

/// What a check of a certificate works with.
pub struct Judge {
    pub(super) deadline: Instant,
    answered: Option<Vec<Answered>>,
}

impl Judge {
    pub fn new(deadline: Instant) -> Judge {
        Judge { deadline, answered: None }
    }

    /// Keeps the queries a certificate rests on.
    pub fn keeping(deadline: Instant) -> Judge {
        Judge { deadline, answered: Some(Vec::new()) }
    }

    /// The queries kept, in the order they were asked.
    pub fn into_answered(self) -> Vec<Answered> {
        self.answered.unwrap_or_default()
    }

    pub(super) fn keep(&mut self, purpose: impl Into<String>, meaning: impl Into<String>, query: Query) {
        let Some(answered) = &mut self.answered else { return };
        // Extensions that solvers know under a logic of their own, such as constant arrays, need the widest one.
        let logic = if query.logic == "QF_BV" { "QF_BV" } else { "ALL" };
        let text = format!("(set-logic {logic})\n{}(check-sat)\n", query.text);
        answered.push(Answered { purpose: purpose.into(), meaning: meaning.into(), text });
    }
}
