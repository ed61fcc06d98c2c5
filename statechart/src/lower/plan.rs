//! T1 and T3 without a status: the compound transitions of a chart with their scopes, and the ways that defaults and
//! history connectors lead.

use super::scan;
use crate::model::*;
use cranelift_entity::SecondaryMap;
use std::collections::{BTreeMap, BTreeSet};

/// Which child OR-states get, as far as that needs no status.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Goals {
    pub child: BTreeMap<State, State>,
    /// OR-states that are entered by one of their history connectors.
    pub via: BTreeMap<State, Connector>,
}

/// A way from an OR-state's default, or from a history connector without a past.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// Source to target.
    pub segments: Vec<Segment>,
    pub goals: Goals,
}

#[derive(Clone, Debug)]
pub(super) struct Compound {
    /// Source to target.
    pub segments: Vec<Segment>,
    pub sources: Vec<State>,
    pub goals: Goals,
    pub terminates: bool,
    pub scope: State,
}

#[derive(Default)]
pub(super) struct Plan {
    /// By scope.
    pub compounds: SecondaryMap<State, Vec<Compound>>,
    pub defaults: SecondaryMap<State, Vec<Way>>,
    pub histories: SecondaryMap<Connector, Vec<Way>>,
    /// The history connectors of each OR-state.
    pub connectors: SecondaryMap<State, Vec<Connector>>,
    /// Of a state among its parent's children.
    pub places: SecondaryMap<State, u32>,
    /// However the state is entered, there is a way, and finding it meets no fault: the OR-states at and below it have ways without
    /// guards, and all guards of their ways have a value.
    pub always_enters: SecondaryMap<State, bool>,
}

impl Plan {
    pub fn new(chart: &Chart) -> Plan {
        let mut plan = Plan::default();
        let ends = Ends::new(chart);
        for (connector, data) in &chart.connectors {
            if is_history(data.kind) {
                plan.connectors[data.parent].push(connector);
                plan.histories[connector] = ways(chart, &ends, End::Connector(connector), data.parent);
            }
        }
        for (state, data) in &chart.states {
            if data.kind == StateKind::Or {
                plan.defaults[state] = ways(chart, &ends, End::Default(state), state);
            }
            for (place, &child) in (0..).zip(&data.children) {
                plan.places[child] = place;
            }
        }
        // Children come behind their parents.
        for (state, data) in chart.states.iter().rev() {
            let inner = data.children.iter().all(|&child| plan.always_enters[child]);
            plan.always_enters[state] = inner && (data.kind != StateKind::Or || plan.enters_itself(chart, state));
        }
        let mut found: BTreeSet<BTreeSet<Segment>> = BTreeSet::new();
        for (segment, data) in &chart.segments {
            if matches!(data.source, End::State(_)) {
                found.extend(closures(chart, &ends, segment));
            }
        }
        for compound in found.iter().filter_map(|set| compound(chart, set)) {
            plan.compounds[compound.scope].push(compound);
        }
        plan
    }

    /// [`Plan::always_enters`] for an OR-state alone.
    fn enters_itself(&self, chart: &Chart, state: State) -> bool {
        let free = |way: &Way| {
            let guarded = |&s: &Segment| {
                let guard = &chart.segments[s].guard;
                guard.trigger.is_some() || guard.condition.is_some()
            };
            !way.goals.via.contains_key(&state) && !way.segments.iter().any(guarded)
        };
        let sure = |way: &Way| !way.segments.iter().any(|&s| scan::guard_may_fail(chart, &chart.segments[s].guard));
        let defaults = &self.defaults[state];
        let histories = || self.connectors[state].iter().map(|&c| &self.histories[c]);
        defaults.iter().any(free)
            && histories().all(|ways| ways.is_empty() || ways.iter().any(free))
            && defaults.iter().chain(histories().flatten()).all(sure)
    }
}

pub(super) fn is_history(kind: ConnectorKind) -> bool {
    match kind {
        ConnectorKind::History | ConnectorKind::DeepHistory => true,
        ConnectorKind::Condition
        | ConnectorKind::Switch
        | ConnectorKind::Junction
        | ConnectorKind::Joint
        | ConnectorKind::Termination => false,
    }
}

/// The segments into and out of each connector, and of each default.
struct Ends {
    into: SecondaryMap<Connector, Vec<Segment>>,
    out: SecondaryMap<Connector, Vec<Segment>>,
    defaults: SecondaryMap<State, Vec<Segment>>,
}

impl Ends {
    fn new(chart: &Chart) -> Ends {
        let mut ends = Ends { into: SecondaryMap::new(), out: SecondaryMap::new(), defaults: SecondaryMap::new() };
        for (segment, data) in &chart.segments {
            if let End::Connector(c) = data.target {
                ends.into[c].push(segment);
            }
            match data.source {
                End::Connector(c) => ends.out[c].push(segment),
                End::Default(state) => ends.defaults[state].push(segment),
                End::State(_) => {}
            }
        }
        ends
    }
}

/// The sets of segments that a compound transition with this segment can consist of: of an OR-connector one way in and one
/// out, of a joint all.
fn closures(chart: &Chart, ends: &Ends, first: Segment) -> Vec<BTreeSet<Segment>> {
    let mut done = Vec::new();
    let mut open = vec![BTreeSet::from([first])];
    'sets: while let Some(set) = open.pop() {
        for connector in connectors_of(chart, &set) {
            let (into, out) = (&ends.into[connector], &ends.out[connector]);
            let taken = |ways: &[Segment]| ways.iter().filter(|s| set.contains(s)).count();
            match chart.connectors[connector].kind {
                ConnectorKind::Condition | ConnectorKind::Switch | ConnectorKind::Junction => {
                    for ways in [out, into] {
                        match taken(ways) {
                            0 => {
                                open.extend(ways.iter().map(|&s| set.iter().copied().chain([s]).collect()));
                                continue 'sets;
                            }
                            1 => {}
                            _ => continue 'sets,
                        }
                    }
                }
                ConnectorKind::Joint => {
                    if taken(into) + taken(out) < into.len() + out.len() {
                        open.push(set.iter().chain(into).chain(out).copied().collect());
                        continue 'sets;
                    }
                }
                ConnectorKind::History | ConnectorKind::DeepHistory | ConnectorKind::Termination => {}
            }
        }
        done.push(set);
    }
    done
}

fn connectors_of(chart: &Chart, set: &BTreeSet<Segment>) -> BTreeSet<Connector> {
    let ends = set.iter().flat_map(|&s| [chart.segments[s].source, chart.segments[s].target]);
    let connector = |end| match end {
        End::Connector(c) => Some(c),
        End::State(_) | End::Default(_) => None,
    };
    ends.filter_map(connector).collect()
}

/// Segments behind all that lead into the connector they leave, else in the order of the chart.
fn in_order(chart: &Chart, set: &BTreeSet<Segment>) -> Vec<Segment> {
    let mut order: Vec<Segment> = Vec::new();
    let mut left: Vec<Segment> = set.iter().copied().collect();
    while !left.is_empty() {
        let waits = |s: Segment| match chart.segments[s].source {
            source @ End::Connector(_) => left.iter().any(|&t| chart.segments[t].target == source),
            End::State(_) | End::Default(_) => false,
        };
        // There is one, as connectors form no cycles.
        let next = left.iter().position(|&s| !waits(s)).unwrap_or(0);
        order.push(left.remove(next));
    }
    order
}

enum Target {
    State(State),
    History(Connector),
}

fn targets(chart: &Chart, segments: &[Segment]) -> (Vec<Target>, bool) {
    let (mut targets, mut terminates) = (Vec::new(), false);
    for &segment in segments {
        match chart.segments[segment].target {
            End::State(state) => targets.push(Target::State(state)),
            End::Default(_) => {}
            End::Connector(c) => match chart.connectors[c].kind {
                ConnectorKind::History | ConnectorKind::DeepHistory => targets.push(Target::History(c)),
                ConnectorKind::Termination => terminates = true,
                ConnectorKind::Condition | ConnectorKind::Switch | ConnectorKind::Junction | ConnectorKind::Joint => {}
            },
        }
    }
    (targets, terminates)
}

/// The targets seen from an OR-state that contains them. `None` if they are in two children of one OR-state.
fn goals(chart: &Chart, top: State, targets: &[Target]) -> Option<Goals> {
    let mut goals = Goals::default();
    for target in targets {
        let start = match *target {
            Target::State(state) => state,
            Target::History(c) => {
                let of = chart.connectors[c].parent;
                if goals.via.insert(of, c).is_some_and(|other| other != c) {
                    return None;
                }
                of
            }
        };
        let mut at = start;
        while at != top {
            let parent = chart.states[at].parent?;
            if chart.states[parent].kind == StateKind::Or
                && goals.child.insert(parent, at).is_some_and(|other| other != at)
            {
                return None;
            }
            at = parent;
        }
    }
    // A target inside says more than history does.
    goals.via.retain(|state, _| !goals.child.contains_key(state));
    Some(goals)
}

/// The ways that begin at a default or history connector of an OR-state and stay inside of it.
fn ways(chart: &Chart, ends: &Ends, from: End, of: State) -> Vec<Way> {
    let mut found = Vec::new();
    let firsts = match from {
        End::Connector(c) => &ends.out[c],
        End::Default(state) => &ends.defaults[state],
        End::State(_) => return found,
    };
    for &first in firsts {
        for set in closures(chart, ends, first) {
            let from_connectors = |&s: &Segment| s == first || matches!(chart.segments[s].source, End::Connector(_));
            let segments = in_order(chart, &set);
            let (targets, terminates) = targets(chart, &segments);
            let inside = |target: &Target| match *target {
                Target::State(state) => contains(chart, of, state),
                Target::History(c) => {
                    chart.connectors[c].parent == of || contains(chart, of, chart.connectors[c].parent)
                }
            };
            if terminates || !set.iter().all(from_connectors) || !targets.iter().all(inside) {
                continue;
            }
            if let Some(goals) = goals(chart, of, &targets) {
                found.push(Way { segments, goals });
            }
        }
    }
    found
}

/// `None`: it never fires, for no OR-state contains it, or it has targets that exclude each other.
fn compound(chart: &Chart, set: &BTreeSet<Segment>) -> Option<Compound> {
    let segments = in_order(chart, set);
    let mut sources = Vec::new();
    for &segment in &segments {
        match chart.segments[segment].source {
            End::State(state) => sources.push(state),
            End::Default(_) => return None,
            End::Connector(c) if is_history(chart.connectors[c].kind) => return None,
            End::Connector(_) => {}
        }
    }
    let (targets, terminates) = targets(chart, &segments);
    let root = chart.states.keys().next()?;
    if terminates {
        return Some(Compound { segments, sources, goals: Goals::default(), terminates, scope: root });
    }
    let holds = |outer: State| {
        let all_sources = sources.iter().all(|&s| contains(chart, outer, s));
        all_sources
            && targets.iter().all(|target| match *target {
                Target::State(state) => contains(chart, outer, state),
                Target::History(c) => {
                    let of = chart.connectors[c].parent;
                    outer == of || contains(chart, outer, of)
                }
            })
    };
    let mut at = chart.states[*sources.first()?].parent;
    while let Some(outer) = at {
        if chart.states[outer].kind == StateKind::Or && holds(outer) {
            let goals = goals(chart, outer, &targets)?;
            return Some(Compound { segments, sources, goals, terminates, scope: outer });
        }
        at = chart.states[outer].parent;
    }
    None
}

/// Is `inner` strictly below `outer`?
pub(super) fn contains(chart: &Chart, outer: State, inner: State) -> bool {
    ancestors(chart, inner).any(|state| state == outer)
}

/// The states strictly above a state, the nearest first.
pub(super) fn ancestors(chart: &Chart, state: State) -> impl Iterator<Item = State> + '_ {
    std::iter::successors(chart.states[state].parent, |&s| chart.states[s].parent)
}

/// The states below a state, itself included, outer before inner, in the order of the chart.
pub(super) fn below(chart: &Chart, state: State) -> Vec<State> {
    let mut found = Vec::new();
    let mut open = vec![state];
    while let Some(state) = open.pop() {
        found.push(state);
        open.extend(chart.states[state].children.iter().rev());
    }
    found
}
