//! The reference simulator: what a chart means, rule by rule, after Harel and Naamad, "The STATEMATE Semantics of
//! Statecharts" (1996), in the numbered rules of `docs/statemate-semantics.md`.
//!
//! It is plain and slow on purpose: sets of states, maps of values, interpreted labels. Functions are named after their
//! rule. It shares the chart model with the lowering and nothing else.
//!
//! ```text
//! status       S2, S3: what there is between two steps, and how the environment adds to it
//! transitions  T1 to T4: compound transitions, which of them are enabled, their scopes
//! entry        T1, T3, H1: what entering completes
//! eval         A1, A4, A5: expressions and event expressions on the status of the step's start
//! actions      A1, A1b, A2: what one writer does
//! step         T5, T6, A3, F1, H0, H2: one step, with all its choices
//! drive        M1, M2: steps, supersteps, runs
//! requirements verdicts of requirements, step by step
//! csv, table   inputs read from and steps written to tables
//! ```
//!
//! That page also has what is decided where the rules leave something open.

mod actions;
pub mod csv;
mod drive;
mod entry;
mod eval;
pub mod requirements;
mod status;
mod step;
pub mod table;
#[cfg(test)]
mod tests;
mod transitions;

pub use actions::LOOP_LIMIT;
pub use drive::{Superstep, SUPERSTEP_LIMIT};
pub use status::{Inputs, Place, Scheduled, Status, Value};
pub use step::{Choice, Chooser, FirstChoice, Guarded, StepResult};

use crate::model::*;
use status::Places;
use transitions::Compound;

/// What a step may find wrong. The last three end the run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// T4: several compound transitions of one scope are enabled, or one with several ways to complete it. Each is the list
    /// of its segments, defaults included.
    Conflict { scope: State, transitions: Vec<Vec<Segment>> },
    /// A3.
    Race { item: Item, cell: Option<i32>, values: Vec<Value> },
    /// A value that is assigned lies outside of its item's range. The position is that of the action list.
    Range { item: Item, value: Value, position: Position, spot: Spot },
    /// An index outside of its array.
    Index { item: Item, index: i32, spot: Spot },
    /// By zero.
    Division { spot: Spot },
    /// An action list goes on for more than [`LOOP_LIMIT`] rounds of its loops.
    EndlessLoop { position: Position },
}

impl Fault {
    pub fn ends_run(&self) -> bool {
        match self {
            Fault::Conflict { .. } | Fault::Race { .. } | Fault::Range { .. } => false,
            Fault::Index { .. } | Fault::Division { .. } | Fault::EndlessLoop { .. } => true,
        }
    }
}

/// A chart with what is worth finding once: its compound transitions, and the places of time-outs and scheduled actions.
pub struct Simulator<'a> {
    chart: &'a Chart,
    compounds: Vec<Compound>,
    /// The event and the delay of every `tm(E, N)` of the chart, by its place.
    timeouts: Vec<(&'a EventExpr, &'a Expr)>,
    /// How many of them are in labels; the others are in requirements.
    timeouts_of_labels: usize,
    /// The action of every `sc!(A, N)`.
    schedules: Vec<&'a ActionList>,
}

impl<'a> Simulator<'a> {
    pub fn new(chart: &'a Chart) -> Simulator<'a> {
        let Places { timeouts, timeouts_of_labels, schedules } = status::places(chart);
        Simulator { chart, compounds: transitions::compounds(chart), timeouts, timeouts_of_labels, schedules }
    }

    pub fn chart(&self) -> &'a Chart {
        self.chart
    }
}
