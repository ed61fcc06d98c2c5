//! T1 to T4: compound transitions, which of them are enabled on a status, and their scopes.

use super::entry::{Entry, Goal};
use super::step::{Guarded, Notes};
use super::{Simulator, Status};
use crate::model::*;
use cranelift_entity::EntityRef;
use std::collections::BTreeSet;

/// A compound transition up to its targets: what defaults and history add depends on the status.
#[derive(Debug)]
pub(super) struct Compound {
    /// Source to target.
    pub segments: Vec<Segment>,
    pub sources: Vec<State>,
    pub goals: Vec<Goal>,
    /// H2: one of its targets is a termination connector.
    pub terminates: bool,
    /// T3; `None`: no OR-state contains all its ends, and it never fires.
    pub scope: Option<State>,
}

/// A compound transition that is enabled, with one of the ways to complete it.
#[derive(Clone, Debug)]
pub(super) struct Enabled {
    pub scope: State,
    /// Defaults taken are included.
    pub segments: Vec<Segment>,
    pub entered: BTreeSet<State>,
    pub terminates: bool,
}

pub(super) fn root() -> State {
    State::new(0)
}

/// T1 "Segments joined by connectors form compound transitions": all those that begin with a segment out of a state.
pub(super) fn compounds(chart: &Chart) -> Vec<Compound> {
    let mut sets = BTreeSet::new();
    for (segment, data) in &chart.segments {
        if matches!(data.source, End::State(_)) {
            sets.extend(t1_ways(chart, segment));
        }
    }
    let runs_from_states = |set: &BTreeSet<Segment>| {
        set.iter().all(|&s| match chart.segments[s].source {
            End::State(_) => true,
            End::Default(_) => false,
            End::Connector(c) => match chart.connectors[c].kind {
                ConnectorKind::Condition | ConnectorKind::Switch | ConnectorKind::Junction | ConnectorKind::Joint => {
                    true
                }
                ConnectorKind::History | ConnectorKind::DeepHistory | ConnectorKind::Termination => false,
            },
        })
    };
    sets.into_iter().filter(runs_from_states).map(|set| compound(chart, &set)).collect()
}

/// T1 "condition, switch and junction connectors choose one way (OR), joint and fork take all (AND)": the sets of segments
/// that a compound transition with this segment can consist of.
pub(super) fn t1_ways(chart: &Chart, first: Segment) -> Vec<BTreeSet<Segment>> {
    let mut complete = Vec::new();
    let mut open = vec![BTreeSet::from([first])];
    while let Some(set) = open.pop() {
        match unmet(chart, &set) {
            None => complete.push(set),
            Some(Unmet::All(more)) => open.push(&set | &more),
            Some(Unmet::OneOf(choices)) => open.extend(choices.into_iter().map(|s| &set | &BTreeSet::from([s]))),
            Some(Unmet::Never) => {}
        }
    }
    complete.sort();
    complete
}

enum Unmet {
    All(BTreeSet<Segment>),
    OneOf(Vec<Segment>),
    Never,
}

/// The connectors at the ends of segments.
fn touched<'a>(chart: &'a Chart, set: &BTreeSet<Segment>) -> Vec<(Connector, &'a ConnectorData)> {
    let ends = set.iter().flat_map(|&s| [chart.segments[s].source, chart.segments[s].target]);
    let connector = |end| match end {
        End::Connector(c) => Some((c, &chart.connectors[c])),
        End::State(_) | End::Default(_) => None,
    };
    ends.filter_map(connector).collect()
}

/// What a connector demands and the set does not have yet.
fn unmet(chart: &Chart, set: &BTreeSet<Segment>) -> Option<Unmet> {
    for (connector, data) in touched(chart, set) {
        let end = End::Connector(connector);
        let into: Vec<Segment> = chart.segments.keys().filter(|&s| chart.segments[s].target == end).collect();
        let out: Vec<Segment> = chart.segments.keys().filter(|&s| chart.segments[s].source == end).collect();
        let chosen = |ways: &[Segment]| ways.iter().filter(|s| set.contains(s)).count();
        let (chosen_in, chosen_out) = (chosen(&into), chosen(&out));
        match data.kind {
            ConnectorKind::Condition | ConnectorKind::Switch | ConnectorKind::Junction => {
                if chosen_out == 0 {
                    return Some(Unmet::OneOf(out));
                }
                if chosen_in == 0 {
                    return Some(Unmet::OneOf(into));
                }
                if chosen_in > 1 || chosen_out > 1 {
                    return Some(Unmet::Never);
                }
            }
            ConnectorKind::Joint => {
                if chosen_in + chosen_out < into.len() + out.len() {
                    return Some(Unmet::All(into.into_iter().chain(out).collect()));
                }
            }
            // They end what comes in; a history connector's own way out is looked at when it has no past.
            ConnectorKind::History | ConnectorKind::DeepHistory | ConnectorKind::Termination => {}
        }
    }
    None
}

fn compound(chart: &Chart, set: &BTreeSet<Segment>) -> Compound {
    let mut compound = Compound {
        segments: source_to_target(chart, set),
        sources: vec![],
        goals: vec![],
        terminates: false,
        scope: None,
    };
    for &segment in &compound.segments {
        if let End::State(state) = chart.segments[segment].source {
            compound.sources.push(state);
        }
    }
    (compound.goals, compound.terminates) = goals(chart, &compound.segments);
    compound.scope = t3_scope(chart, &compound);
    compound
}

/// Where segments end; and whether they end the chart.
pub(super) fn goals(chart: &Chart, segments: &[Segment]) -> (Vec<Goal>, bool) {
    let (mut goals, mut terminates) = (Vec::new(), false);
    for &segment in segments {
        match chart.segments[segment].target {
            End::State(state) => goals.push(Goal::State(state)),
            End::Connector(c) => match chart.connectors[c].kind {
                ConnectorKind::History | ConnectorKind::DeepHistory => goals.push(Goal::History(c)),
                ConnectorKind::Termination => terminates = true,
                ConnectorKind::Condition | ConnectorKind::Switch | ConnectorKind::Junction | ConnectorKind::Joint => {}
            },
            End::Default(_) => {}
        }
    }
    (goals, terminates)
}

/// Each segment behind all that come into the connector it leaves; the order of the chart where that leaves a choice.
pub(super) fn source_to_target(chart: &Chart, set: &BTreeSet<Segment>) -> Vec<Segment> {
    let mut order: Vec<Segment> = Vec::new();
    while order.len() < set.len() {
        let waits = |s: Segment| match chart.segments[s].source {
            End::Connector(_) => {
                set.iter().any(|&t| chart.segments[t].target == chart.segments[s].source && !order.contains(&t))
            }
            End::State(_) | End::Default(_) => false,
        };
        match set.iter().find(|&&s| !order.contains(&s) && !waits(s)) {
            Some(&next) => order.push(next),
            None => unreachable!("connectors form no cycles"),
        }
    }
    order
}

/// Is `inner` strictly below `outer`?
pub(super) fn strictly_contains(chart: &Chart, outer: State, inner: State) -> bool {
    let mut at = chart.states[inner].parent;
    while let Some(state) = at {
        if state == outer {
            return true;
        }
        at = chart.states[state].parent;
    }
    false
}

/// T3 "Its scope is the lowest OR-state that strictly contains all sources and targets." H2: of a transition into a
/// termination connector it is the root.
fn t3_scope(chart: &Chart, compound: &Compound) -> Option<State> {
    if compound.terminates {
        return Some(root());
    }
    let contains_goal = |outer: State, goal: &Goal| match *goal {
        Goal::State(state) => strictly_contains(chart, outer, state),
        Goal::History(c) => {
            let of = chart.connectors[c].parent;
            outer == of || strictly_contains(chart, outer, of)
        }
    };
    let mut at = chart.states[*compound.sources.first()?].parent;
    while let Some(outer) = at {
        if chart.states[outer].kind == StateKind::Or
            && compound.sources.iter().all(|&s| strictly_contains(chart, outer, s))
            && compound.goals.iter().all(|goal| contains_goal(outer, goal))
        {
            return Some(outer);
        }
        at = chart.states[outer].parent;
    }
    None
}

impl Simulator<'_> {
    /// T2 "A compound transition is enabled when all its sources are in the configuration and the conjunction of its
    /// segments' triggers and conditions holds on the status at the start of the step": those of one scope, once
    /// for every way to complete them. If there is no such way it is not enabled.
    pub(super) fn t2_enabled(&self, status: &Status, scope: State, notes: &mut Notes) -> Vec<Enabled> {
        let mut enabled = Vec::new();
        for compound in self.compounds.iter().filter(|c| c.scope == Some(scope)) {
            if !compound.sources.iter().all(|&s| status.is_in(s))
                || !self.guards_hold(status, &compound.segments, notes)
            {
                continue;
            }
            let entries = if compound.terminates {
                vec![Entry::default()]
            } else {
                self.t3_enter(status, scope, &compound.goals, notes)
            };
            for entry in entries {
                let segments = compound.segments.iter().copied().chain(entry.segments).collect();
                enabled.push(Enabled { scope, segments, entered: entry.states, terminates: compound.terminates });
            }
        }
        enabled
    }

    /// Evaluated in order, up to the first that does not hold.
    pub(super) fn guards_hold(&self, status: &Status, segments: &[Segment], notes: &mut Notes) -> bool {
        segments.iter().all(|&s| self.guard_holds(status, Guarded::Segment(s), notes))
    }

    /// T3 "Executing it leaves every state of the configuration strictly below the scope". H2: a termination leaves the root
    /// too.
    pub(super) fn t3_left(&self, status: &Status, transition: &Enabled) -> BTreeSet<State> {
        let leaves = |state: State| transition.terminates || strictly_contains(self.chart, transition.scope, state);
        status.configuration.iter().copied().filter(|&s| leaves(s)).collect()
    }
}
