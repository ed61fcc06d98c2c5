//! S2 and S3: what there is between two steps, and what the environment adds to it.

use super::Simulator;
use crate::model::*;
use cranelift_entity::EntityRef;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A value of an item. Reals are kept as their bits, so that statuses can be compared and hashed.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    Bool(bool),
    Int(i32),
    Real(u64),
}

impl From<Literal> for Value {
    fn from(literal: Literal) -> Value {
        match literal {
            Literal::Bool(b) => Value::Bool(b),
            Literal::Int(n) => Value::Int(n),
            Literal::Real(x) => Value::Real(x.to_bits()),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match *self {
            Value::Bool(b) => write!(f, "{b}"),
            Value::Int(n) => write!(f, "{n}"),
            Value::Real(bits) => write!(f, "{:?}", f64::from_bits(bits)),
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An item, or one cell of an array by its index.
pub type Place = (Item, Option<i32>);

/// An action that waits (A5).
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scheduled {
    /// Time units until it is performed; 0: in the coming step.
    pub remaining: u64,
    /// Which `sc!` of the chart, in the order of the chart.
    pub place: usize,
}

/// S2 "The status is the configuration, the values of conditions and data-items, the events that occurred in the last
/// step (internal and derived) or came from outside, the history of every state, and the pending timeouts and
/// scheduled actions."
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Status {
    /// The active states; none once the chart has terminated.
    pub configuration: BTreeSet<State>,
    pub values: BTreeMap<Place, Value>,
    /// Events with a name that are seen in the coming step.
    pub events: BTreeSet<Event>,
    /// Derived events seen in the coming step: `en`, `ex`, `wr`, `rd`.
    pub entered: BTreeSet<State>,
    pub exited: BTreeSet<State>,
    pub written: BTreeSet<Item>,
    pub read: BTreeSet<Item>,
    /// Values and configuration at the start of the step before: `tr`, `fs` and `ch` compare with them.
    pub previous_values: BTreeMap<Place, Value>,
    pub previous_configuration: BTreeSet<State>,
    /// The child with which an OR-state was left the last time.
    pub history: BTreeMap<State, State>,
    /// For each `tm(E, N)` of the chart the time since the latest step before the coming one in which E occurred. `None`: it
    /// has not, or N is a constant and the time is over.
    pub elapsed: Vec<Option<u64>>,
    /// Time that has passed since the step before.
    pub advance: u32,
    /// Sorted.
    pub scheduled: Vec<Scheduled>,
    /// H2.
    pub terminated: bool,
    /// A fault has ended the run: there are no more steps.
    pub aborted: bool,
}

impl Status {
    pub fn value(&self, item: Item) -> Option<Value> {
        self.values.get(&(item, None)).copied()
    }

    pub fn cell(&self, item: Item, index: i32) -> Option<Value> {
        self.values.get(&(item, Some(index))).copied()
    }

    pub fn is_in(&self, state: State) -> bool {
        self.configuration.contains(&state)
    }
}

/// What the environment brings before a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    pub events: BTreeSet<Event>,
    /// The cell's index, if the item is an array.
    pub items: Vec<(Item, Option<i32>, Literal)>,
    /// Time that passes; in synchronous time it is always 1.
    pub advance: u32,
}

impl Default for Inputs {
    fn default() -> Inputs {
        Inputs { events: BTreeSet::new(), items: Vec::new(), advance: 1 }
    }
}

/// The places of an item: one, or one for each cell.
pub fn places_of(chart: &Chart, item: Item) -> Vec<Place> {
    match chart.items[item].array {
        None => vec![(item, None)],
        Some(ArrayData { first, cells }) => (0..cells).map(|n| (item, Some(first.wrapping_add(n as i32)))).collect(),
    }
}

impl Simulator<'_> {
    /// Before step 0: no state is active, every item has its initial value.
    pub fn before_start(&self) -> Status {
        let chart = self.chart;
        let mut values = BTreeMap::new();
        for (item, data) in &chart.items {
            for place in places_of(chart, item) {
                values.insert(place, data.initial.into());
            }
        }
        Status {
            configuration: BTreeSet::new(),
            previous_values: values.clone(),
            values,
            events: BTreeSet::new(),
            entered: BTreeSet::new(),
            exited: BTreeSet::new(),
            written: BTreeSet::new(),
            read: BTreeSet::new(),
            previous_configuration: BTreeSet::new(),
            history: BTreeMap::new(),
            elapsed: vec![None; self.timeouts.len()],
            advance: 0,
            scheduled: Vec::new(),
            terminated: false,
            aborted: false,
        }
    }

    /// The environment comes: events are raised, items change, time passes. A4 "a change of an input is seen as `ch`, `tr`,
    /// `fs` in the step that brings it": the previous values stay as they are.
    pub fn status_with_inputs(&self, status: &Status, inputs: &Inputs) -> Status {
        let mut status = status.clone();
        status.events.extend(&inputs.events);
        for &(item, cell, value) in &inputs.items {
            status.values.insert((item, cell), value.into());
        }
        status.advance = match self.chart.time {
            Time::Synchronous => 1,
            Time::Asynchronous { .. } => inputs.advance,
        };
        let advance = u64::from(status.advance);
        for elapsed in status.elapsed.iter_mut().flatten() {
            *elapsed += advance;
        }
        for action in &mut status.scheduled {
            action.remaining = action.remaining.saturating_sub(advance);
        }
        status.scheduled.sort();
        status
    }

    /// S1 "A configuration is a maximal consistent set of states: the root; of an OR-state in it exactly one child; of
    /// an AND-state all children."
    pub fn s1_is_configuration(&self, set: &BTreeSet<State>) -> bool {
        let states = &self.chart.states;
        set.contains(&State::new(0))
            && set.iter().all(|&state| {
                let data = &states[state];
                let active = data.children.iter().filter(|child| set.contains(child)).count();
                let children = match data.kind {
                    StateKind::Or => active == 1,
                    StateKind::And => active == data.children.len(),
                    StateKind::Basic => active == 0,
                };
                children && data.parent.is_none_or(|parent| set.contains(&parent))
            })
    }
}

pub(super) struct Places<'a> {
    pub timeouts: Vec<(&'a EventExpr, &'a Expr)>,
    pub timeouts_of_labels: usize,
    pub schedules: Vec<&'a ActionList>,
}

/// The time-outs and scheduled actions of a chart: those of its states, then of its segments, then of its requirements.
pub(super) fn places(chart: &Chart) -> Places<'_> {
    let mut found = Collector::default();
    for state in chart.states.values() {
        state.entering.iter().chain(&state.exiting).for_each(|list| found.list(list));
        for reaction in &state.reactions {
            found.guard(&reaction.guard);
            found.list(&reaction.action);
        }
    }
    for segment in chart.segments.values() {
        found.guard(&segment.guard);
        found.list(&segment.action);
    }
    let timeouts_of_labels = found.timeouts.len();
    for requirement in &chart.requirements {
        match &requirement.kind {
            RequirementKind::Always(c) => found.expr(c),
            RequirementKind::LeadsTo { cause, effect, within: _ } => {
                found.expr(cause);
                found.expr(effect);
            }
            RequirementKind::AfterUntil { after, holds, until } => {
                found.event(after);
                found.expr(holds);
                found.event(until);
            }
        }
    }
    Places { timeouts: found.timeouts, timeouts_of_labels, schedules: found.schedules }
}

#[derive(Default)]
struct Collector<'a> {
    timeouts: Vec<(&'a EventExpr, &'a Expr)>,
    schedules: Vec<&'a ActionList>,
}

impl<'a> Collector<'a> {
    fn guard(&mut self, guard: &'a Guard) {
        if let Some(trigger) = &guard.trigger {
            self.event(trigger);
        }
    }

    fn list(&mut self, list: &'a ActionList) {
        self.statements(&list.statements);
    }

    fn statements(&mut self, statements: &'a [Statement]) {
        for statement in statements {
            match statement {
                Statement::If { then, otherwise, condition: _ } => {
                    self.statements(then);
                    self.statements(otherwise);
                }
                Statement::When { event, then, otherwise } => {
                    self.event(event);
                    self.statements(then);
                    self.statements(otherwise);
                }
                Statement::For { body, .. } | Statement::While { body, .. } => self.statements(body),
                Statement::Schedule { action, delay: _ } => {
                    self.schedules.push(action);
                    self.list(action);
                }
                Statement::Raise(_)
                | Statement::Assign { .. }
                | Statement::SetContext(..)
                | Statement::ClearHistory(_)
                | Statement::ClearDeepHistory(_) => {}
            }
        }
    }

    /// An inner time-out comes before the outer one.
    fn event(&mut self, event: &'a EventExpr) {
        match event {
            EventExpr::Timeout(of, delay) => {
                self.event(of);
                self.timeouts.push((of, delay));
            }
            EventExpr::Not(e) | EventExpr::When(e, _) => self.event(e),
            EventExpr::And(a, b) | EventExpr::Or(a, b) => {
                self.event(a);
                self.event(b);
            }
            EventExpr::Event(_)
            | EventExpr::Entered(_)
            | EventExpr::Exited(_)
            | EventExpr::BecameTrue(_)
            | EventExpr::BecameFalse(_)
            | EventExpr::Changed(_)
            | EventExpr::Written(_)
            | EventExpr::Read(_) => {}
        }
    }

    /// Only requirements have events inside expressions.
    fn expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Occurs(event) => self.event(event),
            Expr::Cell(_, e) | Expr::Unary(_, e) | Expr::ToReal(e) => self.expr(e),
            Expr::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            Expr::Literal(_) | Expr::Item(_) | Expr::Context(_) | Expr::In(_) => {}
        }
    }
}
