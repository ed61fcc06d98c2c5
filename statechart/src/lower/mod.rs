//! A chart as a synchronous system ([`syncline_ir::System`]); `docs/decisions/0008-charts.md` says why it is as it is.
//!
//! ```text
//! entry:        step 0 (H0): the root's default, entering actions, `commit`
//! environment:  input items, external events, how far time advances
//! processes:    prologue (silent)   requirements; what was noted in the last step is forgotten
//!               one a component     the root, and each child of an AND-state, outer before inner: for each of its
//!                                   OR-states choose a compound transition with that scope and find where it leads
//!                                   ([`fire`]); then exiting lists, static reactions, entering lists
//!               scheduled           due actions of `sc!`
//!               books (silent)      `commit`: values, events, locations, history, clocks
//! ```
//!
//! * **No product.** Each OR-state has a location variable `at(S)`. A compound transition's process notes for each OR-state
//!   which child it gets (`go(S)`); so a state is left if `go` is set for an OR-state above it, and an inner scope
//!   fires only if that is not so: priority (T4) is the order of turns.
//! * **Effects show at the step's end** (A1): values go to `X.next`, and `commit` moves them.
//! * **Writers** (A3): each action list keeps what it writes and hands it over at its end; if another one has written
//!   already, an input says whose value stays, and different values are the race.
//! * **All faults of a step are met** (F1): an evaluation that has no value ends, the step goes on, and `commit` ends the run.
//! * **Every property is asked alone.** A violated `assert` ends a run, but a conflict or a reached state is no end
//!   of the chart. So each assert holds unless the variable `asked`, which nobody writes, names its property: no verdict
//!   depends on another property. Where a property is violated an input is asked for that nobody uses:
//!   whoever runs the program sees there what happened in a run ([`Map::hits`]).

mod action;
mod books;
mod build;
mod cx;
mod expr;
mod fire;
mod plan;
mod ranges;
mod scan;
mod status;

pub use status::{InputMeaning, Status, StepInputs};

use crate::model::{Chart, Item, Position, Segment, Spot, State, StateKind, Time};
use cx::Cx;
use plan::Plan;
use std::collections::{BTreeMap, BTreeSet};
use syncline_ir::{
    Proc, Process, Program, Prop, SharedVar, Site, Stability, StabilityAsk, System, TimeModel, Type, Var, WriteKind,
};

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
    /// A value assigned outside of its item's range ends the run, so that items need no more bits than their range. The
    /// program is then equal to the other one (same properties, same inputs) up to the first violation of such a range. Only
    /// with `Check::Range` among the checks is that violation noticed.
    pub confined: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { checks: Check::ALL.to_vec(), confined: false }
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
    /// Of the range check: the place in a label.
    pub spot: Option<Spot>,
}

/// From the program back to the chart.
#[derive(Clone, Debug, Default)]
pub struct Map {
    pub questions: BTreeMap<Prop, Question>,
    /// The variable that names the property asked for (its number and one; 0: none), and where its value comes from.
    pub asked: Option<(Var, Site)>,
    /// Asked for where a property is violated.
    pub hits: BTreeMap<Site, Prop>,
    /// The properties about values assigned outside of their range.
    pub ranges: BTreeSet<Prop>,
    /// Which of several enabled transitions, or of several written values, it is to be. Any value is one.
    pub choices: Vec<Site>,
    pub(crate) states: status::StateVars,
    pub(crate) inputs: status::InputSites,
}

/// Whether [`Options::confined`] makes the program smaller.
pub fn confinement_matters(chart: &Chart) -> bool {
    ranges::Ranges::new(chart, false).matter(chart)
}

/// Lowers a chart. Total: what cannot be modelled is an obligation in the program.
pub fn lower(chart: &Chart, options: &Options) -> Lowered {
    let plan = Plan::new(chart);
    let mut cx = Cx::new(chart, &plan, options);
    cx.make_read_flags(scan::read_items(chart));
    cx.make_properties();
    let components: Vec<(State, Proc)> =
        components(chart).into_iter().map(|component| (component, books::component(&mut cx, component))).collect();
    let start = books::start(&mut cx);
    let scheduled = books::scheduled(&mut cx);
    let requirements = books::requirements(&mut cx);
    let commit = books::commit(&mut cx);
    let books = books::books(&mut cx, commit);
    let environment = books::environment(&mut cx);
    let entry = books::entry(&mut cx, start, commit);
    let prologue = books::prologue(&mut cx, requirements);
    let process =
        |name: &str, body, silent| Process { name: name.to_string(), body, parent: None, control: None, silent };
    let mut processes = vec![process("prologue", prologue, true)];
    processes.extend(components.iter().map(|&(state, body)| process(&chart.states[state].path, body, false)));
    processes.extend(scheduled.map(|body| process("scheduled", body, false)));
    processes.push(process("books", books, true));
    cx.program.entry = Some(entry);
    let stability = stability(&mut cx);
    let shared = shared(&mut cx);
    let time = match chart.time {
        Time::Synchronous => TimeModel::Synchronous,
        Time::Asynchronous { .. } => TimeModel::Asynchronous,
    };
    cx.program.system =
        Some(System { processes, environment: Some(environment), observer: None, shared, time, stability });
    Lowered { program: cx.program, map: cx.map }
}

/// The root and the children of AND-states, outer before inner.
fn components(chart: &Chart) -> Vec<State> {
    let is_component = |state: &State| {
        let parent = chart.states[*state].parent;
        parent.is_none_or(|p| chart.states[p].kind == StateKind::And)
    };
    let root = chart.states.keys().next();
    root.map(|root| plan::below(chart, root)).unwrap_or_default().into_iter().filter(is_component).collect()
}

/// The states of a component: those below it that are in no inner one.
fn states_of(chart: &Chart, component: State) -> Vec<State> {
    let mut found = Vec::new();
    let mut open = vec![component];
    while let Some(state) = open.pop() {
        found.push(state);
        if chart.states[state].kind == StateKind::Or {
            open.extend(chart.states[state].children.iter().rev());
        }
    }
    found
}

fn stability(cx: &mut Cx) -> Option<Stability> {
    if cx.chart.time == Time::Synchronous {
        return None;
    }
    let position = cx.chart.states[cx.root()].position;
    let name = cx.chart.name.clone();
    let prop = cx.property(Check::Stability, Subject::Chart, &name, "every superstep ends", position)?;
    let site = cx.site("the status from which on the chart goes round", Type::BOOL, Position::default());
    Some(Stability { prop, ask: StabilityAsk::Lasso(site) })
}

/// What can be seen of the system at a step boundary, with the places in the map.
fn shared(cx: &mut Cx) -> Vec<SharedVar> {
    let mut shared = Vec::new();
    let mut add = |var: Var| {
        shared.push(SharedVar { var, write: WriteKind::Blocking, choice: None, cells: 0, race: None });
        (var, shared.len() - 1)
    };
    let states = &mut cx.map.states;
    for state in cx.chart.states.keys() {
        if let Some(at) = cx.vars.at[state] {
            states.at.insert(state, add(at));
        }
    }
    for (item, cells) in &cx.vars.items {
        states.items.insert(item, cells.iter().map(|cell| add(cell.value)).collect());
    }
    for (event, &seen) in &cx.vars.seen {
        states.events.insert(event, add(seen));
    }
    shared
}
