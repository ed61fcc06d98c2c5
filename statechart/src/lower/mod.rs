//! A chart as a synchronous system ([`syncline_ir::System`]); `docs/decisions/0008-charts.md` says why it is as it is.
//!
//! ```text
//! entry:        step 0 (H0): the root's default, entering actions, `commit`
//! environment:  input items, external events, how far time advances
//! processes:    prologue (silent)   what was noted in the last step is forgotten
//!               one a component     the root, and each child of an AND-state, outer before inner: for each of its
//!                                   OR-states choose a compound transition with that scope and find where it leads
//!                                   ([`fire`]); then exiting lists, static reactions, entering lists
//!               scheduled           due actions of `sc!`
//!               books (silent)      requirements, then `commit`: values, events, locations, history, clocks
//! ```
//!
//! * **No product.** Each OR-state has a location variable `at(S)`. A compound transition's process notes for each OR-state
//!   which child it gets (`go(S)`); so a state is left if `go` is set for an OR-state above it, and an inner scope
//!   fires only if that is not so: priority (T4) is the order of turns.
//! * **Effects show at the step's end** (A1): values go to `X.next`, and `commit` moves them.
//! * **Writers** (A3): each action list keeps what it writes and hands it over at its end; if another one has written
//!   already, an input says whose value stays, and different values are the race.
//! * **Every property is asked alone.** A violated `assert` ends a run, but a conflict or a reached state is no end
//!   of the chart. So each assert holds unless the variable `asked`, which nobody writes, names its property: no verdict
//!   depends on another property. Where a property is violated an input is asked for that nobody uses:
//!   whoever runs the program sees there what happened in a run ([`Map::hits`]).

mod status;

pub use status::{Status, StepInputs};

use crate::model::{Chart, Connector, Event, Item, Segment, State};
use std::collections::BTreeMap;
use syncline_ir::{Program, Prop, Site, Var};

/// What is looked for in a chart.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Check {
    /// Two enabled compound transitions of one scope (T4).
    Conflict,
    /// Two writers with different values (A3).
    Race,
    /// Supersteps that never end (M2).
    Stability,
    /// States that are never entered.
    Unreachable,
    /// Transitions that never fire.
    Dead,
    /// Values outside of their range, indices outside of their array, division by zero.
    Range,
    /// Conditions that are always true or always false.
    Constant,
    Requirement,
}

impl Check {
    pub const ALL: [Check; 8] = [
        Check::Conflict,
        Check::Race,
        Check::Stability,
        Check::Unreachable,
        Check::Dead,
        Check::Range,
        Check::Constant,
        Check::Requirement,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Check::Conflict => "conflict",
            Check::Race => "race",
            Check::Stability => "stability",
            Check::Unreachable => "unreachable",
            Check::Dead => "dead",
            Check::Range => "range",
            Check::Constant => "constant",
            Check::Requirement => "requirement",
        }
    }

    /// Whether the property is that something never happens which ought to be possible: a violation is good news, and SAFE
    /// is the finding.
    pub fn wants_violation(self) -> bool {
        match self {
            Check::Unreachable | Check::Dead | Check::Constant => true,
            Check::Conflict | Check::Race | Check::Stability | Check::Range | Check::Requirement => false,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Options {
    /// Default: all.
    pub checks: Vec<Check>,
}

impl Default for Options {
    fn default() -> Options {
        Options { checks: Check::ALL.to_vec() }
    }
}

/// A chart that was lowered.
pub struct Lowered {
    pub program: Program,
    pub map: Map,
}

/// What a property is about.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    Chart,
    State(State),
    Segment(Segment),
    Item(Item),
    /// The guard of the n-th static reaction of a state.
    Reaction(State, u32),
    /// A label's condition, with the value it should be able to have.
    SegmentCondition(Segment, bool),
    ReactionCondition(State, u32, bool),
    /// By its number in the chart.
    Requirement(u32),
}

#[derive(Copy, Clone, Debug)]
pub struct Question {
    pub check: Check,
    pub subject: Subject,
}

/// From the program back to the chart.
#[derive(Clone, Debug, Default)]
pub struct Map {
    pub questions: BTreeMap<Prop, Question>,
    /// The variable that names the property asked for (its number and one; 0: none), and where its value comes from.
    pub asked: Option<(Var, Site)>,
    /// Asked for where a property is violated.
    pub hits: BTreeMap<Site, Prop>,
    /// Which of several enabled transitions, or of several written values, it is to be. Any value is one.
    pub choices: Vec<Site>,
    pub(crate) states: status::StateVars,
    pub(crate) inputs: status::InputSites,
}

/// Something about a transition that fired, for traces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fired {
    Segment(Segment),
    History(Connector),
    Event(Event),
}

/// Lowers a chart. Total: what cannot be modelled is an obligation in the program.
pub fn lower(_chart: &Chart, _options: &Options) -> Lowered {
    Lowered { program: Program::new(), map: Map::default() }
}
