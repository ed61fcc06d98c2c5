//! T1, T3, H1: "defaults, history and joint targets complete it to a full configuration".

use super::step::Notes;
use super::transitions::{goals, source_to_target, strictly_contains, t1_ways};
use super::{Simulator, Status};
use crate::model::*;
use std::collections::BTreeSet;

/// Where a compound transition leads to.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    State(State),
    /// A history connector, shallow or deep: a place inside the OR-state it belongs to.
    History(Connector),
}

/// One way to enter: the states, and the segments taken beside those of the compound transition itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Entry {
    pub states: BTreeSet<State>,
    pub segments: Vec<Segment>,
}

impl Entry {
    fn then(mut self, other: &Entry) -> Entry {
        self.states.extend(&other.states);
        self.segments.extend(&other.segments);
        self
    }
}

/// Every way of the one followed by every way of the other.
fn both(first: Vec<Entry>, second: &[Entry]) -> Vec<Entry> {
    first.iter().flat_map(|a| second.iter().map(|b| a.clone().then(b))).collect()
}

impl Simulator<'_> {
    /// T3 "enters the targets with everything S1 demands": all ways to do so below the scope. None: the
    /// transition is not enabled; several: it is a choice. The guards of all these ways are evaluated.
    pub(super) fn t3_enter(&self, status: &Status, scope: State, goals: &[Goal], notes: &mut Notes) -> Vec<Entry> {
        self.enter_below_or(status, scope, goals, false, notes)
    }

    /// All ways to enter a state such that the goals inside of it are reached.
    pub(super) fn enter(&self, status: &Status, state: State, goals: &[Goal], notes: &mut Notes) -> Vec<Entry> {
        let itself = vec![Entry { states: BTreeSet::from([state]), segments: vec![] }];
        match self.chart.states[state].kind {
            StateKind::Basic => itself,
            StateKind::Or => both(itself, &self.enter_below_or(status, state, goals, false, notes)),
            StateKind::And => {
                let mut ways = itself;
                for &child in &self.chart.states[state].children {
                    ways = both(ways, &self.enter(status, child, goals, notes));
                }
                ways
            }
        }
    }

    /// Exactly one child of an OR-state is entered: the one with goals in it, that of its history, or its default's.
    fn enter_below_or(
        &self,
        status: &Status,
        state: State,
        goals: &[Goal],
        by_default: bool,
        notes: &mut Notes,
    ) -> Vec<Entry> {
        let inside: Vec<Goal> = goals.iter().copied().filter(|&goal| self.lies_in(goal, state)).collect();
        if inside.is_empty() {
            return self.enter_by_way_from(status, state, End::Default(state), true, notes);
        }
        if let [Goal::History(connector)] = inside[..] {
            if self.chart.connectors[connector].parent == state {
                return self.h1_enter(status, state, connector, by_default, notes);
            }
        }
        let reaches = |child: State| inside.iter().any(|&goal| goal == Goal::State(child) || self.lies_in(goal, child));
        let children: Vec<State> =
            self.chart.states[state].children.iter().copied().filter(|&child| reaches(child)).collect();
        match children[..] {
            [child] => self.enter(status, child, &inside, notes),
            _ => vec![],
        }
    }

    /// Is the goal a place strictly below this state?
    fn lies_in(&self, goal: Goal, state: State) -> bool {
        match goal {
            Goal::State(target) => strictly_contains(self.chart, state, target),
            Goal::History(connector) => {
                let of = self.chart.connectors[connector].parent;
                of == state || strictly_contains(self.chart, state, of)
            }
        }
    }

    /// By the enabled ways out of the OR-state's default or of its history connector.
    fn enter_by_way_from(
        &self,
        status: &Status,
        state: State,
        from: End,
        by_default: bool,
        notes: &mut Notes,
    ) -> Vec<Entry> {
        let mut entries = Vec::new();
        for (first, data) in &self.chart.segments {
            if data.source != from {
                continue;
            }
            for way in t1_ways(self.chart, first) {
                let starts_here = way.iter().all(|&s| s == first || self.starts_at_connector(s));
                let segments = source_to_target(self.chart, &way);
                let (goals, terminates) = goals(self.chart, &segments);
                let stays = !terminates && goals.iter().all(|&goal| self.lies_in(goal, state));
                if !starts_here || !stays || !self.guards_hold(status, &segments, notes) {
                    continue;
                }
                let taken = vec![Entry { states: BTreeSet::new(), segments }];
                entries.extend(both(taken, &self.enter_below_or(status, state, &goals, by_default, notes)));
            }
        }
        entries
    }

    fn starts_at_connector(&self, segment: Segment) -> bool {
        matches!(self.chart.segments[segment].source, End::Connector(_))
    }

    /// H1 "A history connector enters the child last active, a deep one the whole last sub-configuration; without a
    /// past, its own outgoing segment or the default."
    fn h1_enter(
        &self,
        status: &Status,
        state: State,
        connector: Connector,
        by_default: bool,
        notes: &mut Notes,
    ) -> Vec<Entry> {
        let deep = self.chart.connectors[connector].kind == ConnectorKind::DeepHistory;
        let from = End::Connector(connector);
        match self.last_active(status, state) {
            Some(child) if deep => self.enter_again(status, child, notes),
            Some(child) => self.enter(status, child, &[], notes),
            None if self.chart.segments.values().any(|s| s.source == from) => {
                self.enter_by_way_from(status, state, from, by_default, notes)
            }
            // A default that leads to this very connector leads nowhere.
            None if by_default => vec![],
            None => self.enter_by_way_from(status, state, End::Default(state), true, notes),
        }
    }

    /// The last sub-configuration of a state; by default where there is no past.
    fn enter_again(&self, status: &Status, state: State, notes: &mut Notes) -> Vec<Entry> {
        let itself = vec![Entry { states: BTreeSet::from([state]), segments: vec![] }];
        match self.chart.states[state].kind {
            StateKind::Basic => itself,
            StateKind::Or => match self.last_active(status, state) {
                Some(child) => both(itself, &self.enter_again(status, child, notes)),
                None => self.enter(status, state, &[], notes),
            },
            StateKind::And => {
                let mut ways = itself;
                for &child in &self.chart.states[state].children {
                    ways = both(ways, &self.enter_again(status, child, notes));
                }
                ways
            }
        }
    }

    /// The child of an OR-state that is active, or else the one it was left with.
    pub(super) fn last_active(&self, status: &Status, state: State) -> Option<State> {
        let active = self.chart.states[state].children.iter().copied().find(|&child| status.is_in(child));
        active.or_else(|| status.history.get(&state).copied())
    }
}
