//! What a chart's defaults, connectors and ways must be, beyond names.
//!
//! A *way* goes from an origin (a state, a default, a history connector's own segment) through connectors to a target
//! (a state, a history or termination connector). Checked is every pair of an origin and a target that some compound
//! transition has (T1), without listing the compound transitions, of which there may be many.
//!
//! - An OR-state has one default, whose ways end inside it.
//! - Condition, switch and junction connectors have ways in and out; a joint has several in or several out; a history
//!   connector has ways in and at most one out, whose ways end inside its state; a termination connector has ways in only.
//! - Connectors form no cycle, and neither do a default and a history connector without a way out.
//! - The states that a joint waits for are orthogonal, and so are those a fork enters.
//! - No way leads from one component of an AND-state into another, unless it goes through a joint that waits for a state of that other
//!   one too: then the AND-state is left and entered as a whole (T3).

use super::error::Errors;
use super::names::Names;
use crate::model::{
    ActionList, Connector, ConnectorData, ConnectorKind, End, Guard, Segment, SegmentData, State, StateData, StateKind,
};
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use rustc_hash::FxHashSet;
use std::cell::Cell;

/// Ways through a connector.
pub const MAX_WAYS: u64 = 65_536;
/// Segments looked at for all pairs of origins and targets.
const MAX_STEPS: usize = 10_000_000;

/// A chart with one state needs no default: `pages` are the states that hold a file's chart.
pub(crate) fn imply_defaults(
    states: &PrimaryMap<State, StateData>,
    pages: impl Iterator<Item = State>,
    segments: &mut PrimaryMap<Segment, SegmentData>,
) {
    let sources: FxHashSet<End> = segments.values().map(|segment| segment.source).collect();
    for state in pages {
        let data = &states[state];
        let [child] = data.children.as_slice() else { continue };
        if !sources.contains(&End::Default(state)) {
            segments.push(SegmentData {
                source: End::Default(state),
                target: End::State(*child),
                guard: Guard::default(),
                action: ActionList { position: data.position, ..ActionList::default() },
                label: String::new(),
                position: data.position,
            });
        }
    }
}

pub(crate) fn check(
    states: &PrimaryMap<State, StateData>,
    connectors: &PrimaryMap<Connector, ConnectorData>,
    segments: &PrimaryMap<Segment, SegmentData>,
    names: &Names,
    errors: &mut Errors,
) {
    let mut depths: SecondaryMap<State, u32> = SecondaryMap::new();
    for (state, data) in states {
        depths[state] = data.parent.map_or(0, |parent| depths[parent] + 1);
    }
    let mut ins: SecondaryMap<Connector, Vec<Segment>> = SecondaryMap::new();
    let mut outs: SecondaryMap<Connector, Vec<Segment>> = SecondaryMap::new();
    for (segment, data) in segments {
        if let End::Connector(connector) = data.source {
            outs[connector].push(segment);
        }
        if let End::Connector(connector) = data.target {
            ins[connector].push(segment);
        }
    }
    let mut checker =
        Ways { states, connectors, segments, names, errors, depths, ins, outs, steps: Cell::new(MAX_STEPS) };
    checker.defaults();
    let degrees = checker.degrees();
    if checker.acyclic() && degrees && checker.few() {
        checker.joints();
        checker.ways();
        if checker.steps.get() == 0 {
            let root = &states[State::from_u32(0)];
            let message = "too many ways lead through the chart's connectors";
            errors.report(root.position, &format!("statechart {}", root.name), message);
        }
    }
}

struct Ways<'a> {
    states: &'a PrimaryMap<State, StateData>,
    connectors: &'a PrimaryMap<Connector, ConnectorData>,
    segments: &'a PrimaryMap<Segment, SegmentData>,
    names: &'a Names<'a>,
    errors: &'a mut Errors,
    depths: SecondaryMap<State, u32>,
    ins: SecondaryMap<Connector, Vec<Segment>>,
    outs: SecondaryMap<Connector, Vec<Segment>>,
    /// Segments that may still be looked at.
    steps: Cell<usize>,
}

impl Ways<'_> {
    fn at_connector(&mut self, connector: Connector, message: impl Into<String>) {
        let data = &self.connectors[connector];
        self.errors.report(data.position, &format!("connector {}", data.name), message);
    }

    fn at_segment(&mut self, segment: Segment, message: impl Into<String>) {
        let data = &self.segments[segment];
        let target = self.names.path(data.target);
        let element = match data.source {
            End::Default(_) => format!("default -> {target}"),
            source => format!("transition {} -> {target}", self.names.path(source)),
        };
        self.errors.report(data.position, &element, message);
    }

    fn kind(&self, end: End) -> Option<ConnectorKind> {
        match end {
            End::Connector(connector) => Some(self.connectors[connector].kind),
            End::State(_) | End::Default(_) => None,
        }
    }

    fn defaults(&mut self) {
        let mut found: FxHashSet<State> = FxHashSet::default();
        for (segment, data) in self.segments {
            if let End::Default(state) = data.source {
                if !found.insert(state) {
                    self.at_segment(segment, format!("`{}` has a default already", self.states[state].path));
                }
            }
        }
        for (state, data) in self.states {
            if data.kind == StateKind::Or && !data.children.is_empty() && !found.contains(&state) {
                let message = format!("`{}` has no default: which of its states is entered first?", data.path);
                let word = if data.parent.is_none() { "statechart" } else { "or-state" };
                self.errors.report(data.position, &format!("{word} {}", data.name), message);
            }
        }
    }

    /// Ways in and out, by number.
    fn degrees(&mut self) -> bool {
        let mut right = true;
        for (connector, data) in self.connectors {
            let (ins, outs) = (self.ins[connector].len(), self.outs[connector].len());
            let message = match data.kind {
                _ if ins == 0 => "no transition leads to this connector",
                ConnectorKind::Condition | ConnectorKind::Switch | ConnectorKind::Junction if outs == 0 => {
                    "no transition leads away from this connector"
                }
                ConnectorKind::Joint if outs == 0 => "no transition leads away from this connector",
                ConnectorKind::Joint if ins == 1 && outs == 1 => {
                    "a joint has several transitions in or several out; this one has one of each"
                }
                ConnectorKind::History | ConnectorKind::DeepHistory if outs > 1 => {
                    "a history connector has one transition out at most"
                }
                ConnectorKind::Termination if outs > 0 => "no transition leads away from a termination connector",
                ConnectorKind::Condition
                | ConnectorKind::Switch
                | ConnectorKind::Junction
                | ConnectorKind::Joint
                | ConnectorKind::History
                | ConnectorKind::DeepHistory
                | ConnectorKind::Termination => continue,
            };
            self.at_connector(connector, message);
            right = false;
        }
        right
    }

    fn next(&self, connector: Connector) -> impl Iterator<Item = Connector> + '_ {
        self.outs[connector].iter().filter_map(|&segment| match self.segments[segment].target {
            End::Connector(next) => Some(next),
            End::State(_) | End::Default(_) => None,
        })
    }

    /// Connectors, each before those it leads to; without those on cycles and behind them.
    fn order(&self) -> Vec<Connector> {
        let mut waiting: SecondaryMap<Connector, usize> = SecondaryMap::new();
        for connector in self.connectors.keys() {
            for next in self.next(connector) {
                waiting[next] += 1;
            }
        }
        let mut order: Vec<Connector> = self.connectors.keys().filter(|&c| waiting[c] == 0).collect();
        let mut done = 0;
        while let Some(&connector) = order.get(done) {
            done += 1;
            for next in self.next(connector) {
                waiting[next] -= 1;
                if waiting[next] == 0 {
                    order.push(next);
                }
            }
        }
        order
    }

    fn acyclic(&mut self) -> bool {
        let done: FxHashSet<Connector> = self.order().into_iter().collect();
        let mut left: FxHashSet<Connector> = self.connectors.keys().filter(|c| !done.contains(c)).collect();
        let mut acyclic = true;
        for start in self.connectors.keys() {
            // A walk over what is left comes to an end, or back to itself.
            let mut walk: Vec<Connector> = Vec::new();
            let mut walked: FxHashSet<Connector> = FxHashSet::default();
            let mut at = Some(start).filter(|c| left.contains(c));
            while let Some(connector) = at {
                if !walked.insert(connector) {
                    let ring = walk.iter().skip_while(|&&c| c != connector).take(10);
                    let names: Vec<&str> = ring.map(|&c| self.connectors[c].name.as_str()).collect();
                    let message = format!("connectors lead to each other in a cycle: {}", names.join(" -> "));
                    self.at_connector(connector, message);
                    acyclic = false;
                    break;
                }
                walk.push(connector);
                at = self.next(connector).find(|c| left.contains(c));
            }
            for connector in walk {
                left.remove(&connector);
            }
        }
        acyclic
    }

    /// The number of compound transitions through each connector is not absurd.
    fn few(&mut self) -> bool {
        let order = self.order();
        let count = |ways: &SecondaryMap<Connector, u64>, kind: ConnectorKind, ends: &mut dyn Iterator<Item = End>| {
            let each = ends.map(|end| match end {
                End::Connector(connector) => ways[connector],
                End::State(_) | End::Default(_) => 1,
            });
            match kind {
                ConnectorKind::Joint => each.fold(1, u64::saturating_mul),
                // A way ends here; behind a history connector others begin.
                ConnectorKind::History | ConnectorKind::DeepHistory | ConnectorKind::Termination => 1,
                ConnectorKind::Condition | ConnectorKind::Switch | ConnectorKind::Junction => {
                    each.fold(0, u64::saturating_add)
                }
            }
        };
        let mut ways_in: SecondaryMap<Connector, u64> = SecondaryMap::new();
        let mut ways_out: SecondaryMap<Connector, u64> = SecondaryMap::new();
        for &connector in &order {
            let ends = &mut self.ins[connector].iter().map(|&s| self.segments[s].source);
            ways_in[connector] = count(&ways_in, self.connectors[connector].kind, ends);
        }
        for &connector in order.iter().rev() {
            let ends = &mut self.outs[connector].iter().map(|&s| self.segments[s].target);
            ways_out[connector] = count(&ways_out, self.connectors[connector].kind, ends);
        }
        let many = order.into_iter().find(|&c| ways_in[c].saturating_mul(ways_out[c]) > MAX_WAYS);
        if let Some(connector) = many {
            self.at_connector(connector, format!("more than {MAX_WAYS} ways lead through this connector"));
        }
        many.is_none()
    }

    /// The state that an end is, for the hierarchy; a history connector enters its state.
    fn state(&self, end: End) -> State {
        match end {
            End::State(state) | End::Default(state) => state,
            End::Connector(connector) => self.connectors[connector].parent,
        }
    }

    fn common(&self, mut a: State, mut b: State) -> State {
        while a != b {
            // The root has no parent, and is the only one of its depth.
            let up = |state: State| self.states[state].parent.unwrap_or(state);
            match self.depths[a].cmp(&self.depths[b]) {
                std::cmp::Ordering::Less => b = up(b),
                std::cmp::Ordering::Greater => a = up(a),
                std::cmp::Ordering::Equal => (a, b) = (up(a), up(b)),
            }
        }
        a
    }

    /// The AND-state of which `a` and `b` are in different components.
    fn apart(&self, a: State, b: State) -> Option<State> {
        let common = self.common(a, b);
        (common != a && common != b && self.states[common].kind == StateKind::And).then_some(common)
    }

    /// The last segments of all ways that begin with `segment`.
    fn targets(&self, segment: Segment) -> Vec<Segment> {
        self.reach(segment, |ways, segment| ways.segments[segment].target, |ways, connector| &ways.outs[connector])
    }

    /// The first segments of all ways that end with `segment`.
    fn origins(&self, segment: Segment) -> Vec<Segment> {
        self.reach(segment, |ways, segment| ways.segments[segment].source, |ways, connector| &ways.ins[connector])
    }

    fn reach<'s>(
        &'s self,
        segment: Segment,
        end: impl Fn(&Self, Segment) -> End,
        more: impl Fn(&'s Self, Connector) -> &'s Vec<Segment>,
    ) -> Vec<Segment> {
        let mut seen: FxHashSet<Segment> = FxHashSet::default();
        let mut last = Vec::new();
        let mut open = vec![segment];
        while let Some(segment) = open.pop() {
            if !seen.insert(segment) || self.steps.get() == 0 {
                continue;
            }
            self.steps.set(self.steps.get() - 1);
            match (end(self, segment), self.kind(end(self, segment))) {
                (
                    End::Connector(connector),
                    Some(
                        ConnectorKind::Condition
                        | ConnectorKind::Switch
                        | ConnectorKind::Junction
                        | ConnectorKind::Joint,
                    ),
                ) => open.extend(more(self, connector)),
                _ => last.push(segment),
            }
        }
        last.sort_unstable_by_key(|segment| segment.index());
        last
    }

    fn joints(&mut self) {
        for (connector, data) in self.connectors {
            if data.kind != ConnectorKind::Joint || self.errors.full() {
                continue;
            }
            let sources: Vec<Vec<Segment>> = self.ins[connector].iter().map(|&s| self.origins(s)).collect();
            let targets: Vec<Vec<Segment>> = self.outs[connector].iter().map(|&s| self.targets(s)).collect();
            if sources.len() > 1 {
                let first = sources.iter().flatten().find(|&&s| !matches!(self.segments[s].source, End::State(_)));
                if let Some(&segment) = first {
                    self.at_segment(segment, format!("the joint `{}` waits for states only", data.name));
                    continue;
                }
                self.orthogonal(connector, &sources, true);
            }
            if targets.len() > 1 {
                let end = Some(ConnectorKind::Termination);
                let first = targets.iter().flatten().find(|&&s| self.kind(self.segments[s].target) == end);
                if let Some(&segment) = first {
                    self.at_segment(
                        segment,
                        format!("the fork `{}` cannot enter a state and end the chart", data.name),
                    );
                    continue;
                }
                self.orthogonal(connector, &targets, false);
            }
        }
    }

    /// States of different groups are in different components.
    fn orthogonal(&mut self, connector: Connector, groups: &[Vec<Segment>], sources: bool) {
        let total: usize = groups.iter().map(Vec::len).sum();
        if (total as u64).saturating_mul(total as u64) > 16 * MAX_WAYS {
            return self.at_connector(connector, "too many states are joined here");
        }
        let end = |segment: Segment| match sources {
            true => self.segments[segment].source,
            false => self.segments[segment].target,
        };
        let mut wrong = Vec::new();
        for (index, group) in groups.iter().enumerate() {
            let others = groups[index + 1..].iter().flatten();
            for &other in others {
                let clash =
                    group.iter().find(|&&own| self.apart(self.state(end(own)), self.state(end(other))).is_none());
                if let Some(&own) = clash {
                    let (a, b) = (self.names.path(end(own)), self.names.path(end(other)));
                    wrong.push((other, a, b));
                }
            }
        }
        let word = if sources { "waits for" } else { "enters" };
        let name = self.connectors[connector].name.clone();
        for (segment, a, b) in wrong {
            let message = format!(
                "the joint `{name}` {word} `{a}` and `{b}`, which are not in different components of an AND-state"
            );
            self.at_segment(segment, message);
        }
    }

    /// Each origin with each of its targets.
    fn ways(&mut self) {
        for (segment, data) in self.segments {
            if self.errors.full() {
                return;
            }
            let inside = match (data.source, self.kind(data.source)) {
                (End::Default(state), _) => Some(state),
                (End::Connector(connector), Some(ConnectorKind::History | ConnectorKind::DeepHistory)) => {
                    Some(self.connectors[connector].parent)
                }
                (End::State(_), _) => None,
                (End::Connector(_), _) => continue,
            };
            for last in self.targets(segment) {
                match inside {
                    Some(state) => self.stays_inside(state, data.source, last),
                    None => self.crosses_nothing(segment, last),
                }
            }
        }
    }

    fn stays_inside(&mut self, state: State, source: End, last: Segment) {
        let target = self.segments[last].target;
        let reached = self.state(target);
        let what = match source {
            End::Default(_) => "the default",
            End::State(_) | End::Connector(_) => "the history connector",
        };
        let path = self.states[state].path.clone();
        let message = match target {
            End::State(_) if reached != state && self.names.within(reached, state) => return,
            End::Connector(connector) => {
                match self.connectors[connector].kind {
                    ConnectorKind::Termination => format!("{what} of `{path}` ends the chart"),
                    _ if reached == state && matches!(source, End::Default(_)) && !self.outs[connector].is_empty() => {
                        return
                    }
                    _ if reached == state => {
                        format!("{what} of `{path}` leads to its own history, which may have no past and leads nowhere else")
                    }
                    _ if self.names.within(reached, state) => return,
                    _ => format!("{what} of `{path}` leads out of it, to `{}`", self.names.path(target)),
                }
            }
            End::State(_) | End::Default(_) => {
                format!("{what} of `{path}` leads out of it, to `{}`", self.names.path(target))
            }
        };
        self.at_segment(last, message);
    }

    fn crosses_nothing(&mut self, first: Segment, last: Segment) {
        let (source, target) = (self.segments[first].source, self.segments[last].target);
        if self.kind(target) == Some(ConnectorKind::Termination) {
            return;
        }
        let Some(and) = self.apart(self.state(source), self.state(target)) else { return };
        if !self.comes_from_both(first, last, and) {
            let message = format!(
                "the way from `{}` to `{}` crosses from one component of `{}` into another (only a joint that waits for a state there too may lead there)",
                self.names.path(source),
                self.names.path(target),
                self.states[and].path
            );
            self.at_segment(last, message);
        }
    }

    /// Whatever compound transition these segments are the ends of, it also leaves a state in the target's component of `and`:
    /// a joint that it cannot do without waits for one.
    fn comes_from_both(&self, first: Segment, last: Segment, and: State) -> bool {
        let reached = self.state(self.segments[last].target);
        let component =
            self.states[and].children.iter().copied().find(|&c| c == reached || self.names.within(reached, c));
        let Some(component) = component else { return false };
        let leaves = |segment: Segment| match self.segments[segment].source {
            End::State(state) => state == component || self.names.within(state, component),
            End::Default(_) | End::Connector(_) => false,
        };
        self.connectors.iter().any(|(joint, data)| {
            data.kind == ConnectorKind::Joint
                && self.ins[joint].iter().any(|&way| self.origins(way).into_iter().all(leaves))
                && !self.reach_around(first, joint).contains(&last)
        })
    }

    /// The last segments of all ways that begin with `segment` and do not go through the connector.
    fn reach_around(&self, segment: Segment, around: Connector) -> Vec<Segment> {
        const NONE: &Vec<Segment> = &Vec::new();
        self.reach(
            segment,
            |ways, segment| ways.segments[segment].target,
            |ways, connector| if connector == around { NONE } else { &ways.outs[connector] },
        )
    }
}
