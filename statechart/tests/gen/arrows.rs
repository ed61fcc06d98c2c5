//! Defaults, transitions and connectors.

use super::Gen;
use cranelift_entity::EntityRef;
use syncline_statechart::model::*;

impl Gen {
    pub(super) fn arrows(&mut self) {
        self.histories();
        for or in self.states_of(StateKind::Or) {
            self.default_of(or);
        }
        for or in self.states_of(StateKind::Or) {
            self.ring(or);
        }
        let states = self.chart.states.len();
        let wanted = if self.large() { states / 2 + self.rng.below(states) } else { self.rng.below(6) };
        let limit = self.chart.segments.len() + wanted;
        for _ in 0..4 * wanted {
            if self.chart.segments.len() >= limit {
                break;
            }
            match self.rng.weighted(&[50, 18, 18, 12, 2]) {
                0 => self.simple(),
                1 => self.branching(),
                2 => self.back_by_history(),
                3 => self.joint(),
                _ => self.termination(),
            }
        }
        self.lost_histories();
    }

    /// A history connector to which nothing leads gets a way from its state.
    fn lost_histories(&mut self) {
        let all: Vec<Connector> = self.chart.connectors.keys().filter(|&c| self.is_history(c)).collect();
        for connector in all {
            let end = End::Connector(connector);
            if self.chart.segments.values().all(|s| s.target != end) {
                let or = self.chart.connectors[connector].parent;
                self.labelled(End::State(or), end);
            }
        }
    }

    /// A way from child to child, so that there is life in the chart.
    fn ring(&mut self, or: State) {
        let children = self.chart.states[or].children.clone();
        if children.len() < 2 || !self.rng.chance(75) {
            return;
        }
        for n in 0..children.len() {
            let guard = match self.rng.below(4) {
                0 => self.guard(),
                1 => Guard { trigger: Some(self.event_expr(1)), condition: None },
                _ => Guard { trigger: Some(EventExpr::Event(self.some_event())), condition: None },
            };
            let action = if self.rng.chance(60) { self.action_list(1) } else { ActionList::default() };
            let (from, to) = (children[n], children[(n + 1) % children.len()]);
            self.segment(End::State(from), End::State(to), guard, action);
        }
    }

    fn segment(&mut self, source: End, target: End, guard: Guard, action: ActionList) -> Segment {
        let position = self.position();
        self.chart.segments.push(SegmentData { source, target, guard, action, label: String::new(), position })
    }

    fn connector(&mut self, kind: ConnectorKind, parent: State) -> Connector {
        let name = format!("c_{}", self.chart.connectors.len());
        let position = self.position();
        self.chart.connectors.push(ConnectorData { kind, name, parent, position })
    }

    fn labelled(&mut self, source: End, target: End) {
        let guard = self.guard();
        let action = if self.rng.chance(45) { self.action_list(2) } else { ActionList::default() };
        self.segment(source, target, guard, action);
    }

    fn plain(&mut self, source: End, target: End) {
        let action = if self.rng.chance(25) { self.action_list(1) } else { ActionList::default() };
        self.segment(source, target, Guard::default(), action);
    }

    pub(super) fn ancestors(&self, state: State) -> Vec<State> {
        std::iter::successors(Some(state), |&s| self.chart.states[s].parent).collect()
    }

    /// No orthogonal components are crossed: one state is inside of the other, or the lowest that has both is an OR-state.
    fn legal(&self, source: State, target: State) -> bool {
        let (up, down) = (self.ancestors(source), self.ancestors(target));
        if source.index() == 0 || target.index() == 0 {
            return false;
        }
        if up.contains(&target) || down.contains(&source) {
            return true;
        }
        let common = up.iter().find(|s| down.contains(s));
        common.is_some_and(|&s| self.chart.states[s].kind == StateKind::Or)
    }

    fn inside(&self, outer: State) -> Vec<State> {
        let inside = |s: &State| *s != outer && self.ancestors(*s).contains(&outer);
        self.chart.states.keys().filter(inside).collect()
    }

    fn histories(&mut self) {
        let percent = if self.large() { 25 } else { 30 };
        for or in self.states_of(StateKind::Or) {
            if or.index() == 0 || !self.rng.chance(percent) {
                continue;
            }
            let kinds = match self.rng.below(3) {
                0 => vec![ConnectorKind::History],
                1 => vec![ConnectorKind::DeepHistory],
                _ => vec![ConnectorKind::History, ConnectorKind::DeepHistory],
            };
            for kind in kinds {
                let connector = self.connector(kind, or);
                if self.rng.chance(40) {
                    let inside = self.inside(or);
                    let target = self.rng.pick(&inside);
                    self.plain(End::Connector(connector), End::State(target));
                }
            }
        }
    }

    fn default_of(&mut self, or: State) {
        let from = End::Default(or);
        let children = self.chart.states[or].children.clone();
        let own = self.history_with_a_way_out(or);
        match (self.rng.weighted(&[75, 8, 14, 3]), own) {
            (1, _) => {
                let inside = self.inside(or);
                let target = self.rng.pick(&inside);
                self.plain(from, End::State(target));
            }
            (2, _) => self.default_with_choice(or, &children),
            (3, Some(history)) => self.plain(from, End::Connector(history)),
            _ => {
                let target = self.rng.pick(&children);
                self.plain(from, End::State(target));
            }
        }
    }

    fn history_with_a_way_out(&self, or: State) -> Option<Connector> {
        let of = |c: &Connector| self.chart.connectors[*c].parent == or && self.is_history(*c);
        let has_way = |c: &Connector| self.chart.segments.values().any(|s| s.source == End::Connector(*c));
        self.chart.connectors.keys().find(|c| of(c) && has_way(c))
    }

    fn is_history(&self, connector: Connector) -> bool {
        matches!(self.chart.connectors[connector].kind, ConnectorKind::History | ConnectorKind::DeepHistory)
    }

    /// A default through a connector: two ways that exclude each other, or (not of the root) any.
    fn default_with_choice(&mut self, or: State, children: &[State]) {
        let kind = self.rng.pick(&[ConnectorKind::Condition, ConnectorKind::Switch, ConnectorKind::Junction]);
        let connector = self.connector(kind, or);
        self.plain(End::Default(or), End::Connector(connector));
        let condition = self.condition(1, &Default::default());
        let other = match or.index() == 0 || self.rng.chance(60) {
            true => Expr::Unary(UnaryOp::Not, Box::new(condition.clone())),
            false => self.condition(1, &Default::default()),
        };
        for condition in [condition, other] {
            let target = End::State(self.rng.pick(children));
            let action = if self.rng.chance(30) { self.action_list(1) } else { ActionList::default() };
            let guard = Guard { trigger: None, condition: Some(condition) };
            self.segment(End::Connector(connector), target, guard, action);
        }
    }

    fn simple(&mut self) {
        let source = self.some_state();
        let target = match self.rng.weighted(&[60, 25, 8, 7]) {
            // Beside it, anywhere, itself, its own inside.
            0 => self.sibling(source),
            1 => self.some_state(),
            2 => source,
            _ => {
                let inside = self.inside(source);
                if inside.is_empty() {
                    source
                } else {
                    self.rng.pick(&inside)
                }
            }
        };
        if self.legal(source, target) {
            self.labelled(End::State(source), End::State(target));
        }
    }

    fn sibling(&mut self, state: State) -> State {
        let parent = self.chart.states[state].parent.unwrap_or(state);
        let children = self.chart.states[parent].children.clone();
        self.rng.pick(&children)
    }

    /// One or two ways into a connector, some out of it, perhaps through another one.
    fn branching(&mut self) {
        let first = self.some_state();
        let mut sources = vec![first];
        if self.rng.chance(30) {
            let more = self.sibling(first);
            if more != first {
                sources.push(more);
            }
        }
        let mut targets = Vec::new();
        for _ in 0..2 + self.rng.below(2) {
            let target = if self.rng.chance(70) { self.sibling(first) } else { self.some_state() };
            if sources.iter().all(|&s| self.legal(s, target)) {
                targets.push(End::State(target));
            }
        }
        if targets.is_empty() {
            return;
        }
        let kinds = [ConnectorKind::Condition, ConnectorKind::Switch, ConnectorKind::Junction];
        let parent = self.or_above(first);
        let kind = self.rng.pick(&kinds);
        let connector = self.connector(kind, parent);
        for source in sources {
            self.labelled(End::State(source), End::Connector(connector));
        }
        let mut from = End::Connector(connector);
        for target in targets {
            self.way_out(from, target);
            if self.rng.chance(20) {
                let kind = self.rng.pick(&kinds);
                let next = End::Connector(self.connector(kind, parent));
                self.way_out(from, next);
                self.way_out(next, target);
                from = next;
            }
        }
    }

    /// The nearest OR-state strictly above.
    fn or_above(&self, state: State) -> State {
        let up = self.ancestors(state);
        let or = up.iter().skip(1).find(|&&s| self.chart.states[s].kind == StateKind::Or);
        or.copied().unwrap_or(State::new(0))
    }

    /// A way out of a connector mostly has a condition, seldom a trigger.
    fn way_out(&mut self, source: End, target: End) {
        let mut guard = Guard::default();
        if self.rng.chance(75) {
            guard.condition = Some(self.condition(1, &Default::default()));
        }
        if self.rng.chance(20) {
            guard.trigger = Some(self.event_expr(1));
        }
        let action = if self.rng.chance(35) { self.action_list(1) } else { ActionList::default() };
        self.segment(source, target, guard, action);
    }

    fn back_by_history(&mut self) {
        let all: Vec<Connector> = self.chart.connectors.keys().filter(|&c| self.is_history(c)).collect();
        if all.is_empty() {
            return;
        }
        let history = self.rng.pick(&all);
        let or = self.chart.connectors[history].parent;
        // What is left and entered as a whole: the state, or the AND-state it is a component of.
        let mut whole = or;
        while let Some(parent) =
            self.chart.states[whole].parent.filter(|&p| self.chart.states[p].kind == StateKind::And)
        {
            whole = parent;
        }
        let source = if self.rng.chance(80) { self.sibling(whole) } else { self.some_state() };
        let child = self.chart.states[or].children[0];
        if !self.legal(source, child) || source == or || source == whole {
            return;
        }
        self.labelled(End::State(source), End::Connector(history));
        if self.rng.chance(70) && self.legal(whole, source) {
            let guard = Guard { trigger: Some(EventExpr::Event(self.some_event())), condition: None };
            self.segment(End::State(whole), End::State(source), guard, ActionList::default());
        }
    }

    /// Joins of components, forks into components, and both at once.
    fn joint(&mut self) {
        let ands = self.states_of(StateKind::And);
        if ands.is_empty() {
            return;
        }
        let and = self.rng.pick(&ands);
        let parts = self.parts(and);
        let (sources, targets) = match self.rng.below(3) {
            0 => (parts, vec![self.beside(and)]),
            1 => (vec![self.beside(and)], parts),
            _ => {
                let other = self.rng.pick(&ands);
                (parts, self.parts(other))
            }
        };
        let together = |s: State, t: State| self.legal(s, t) || self.leaves_its_component(&sources, s, t);
        let legal = sources.iter().all(|&s| targets.iter().all(|&t| together(s, t)));
        if !legal || (sources.len() < 2 && targets.len() < 2) || sources.contains(&and) {
            return;
        }
        let parent = self.or_above(and);
        let joint = End::Connector(self.connector(ConnectorKind::Joint, parent));
        let mut ways = Vec::new();
        for &source in &sources {
            ways.push((End::State(source), joint));
        }
        for &target in &targets {
            let end = match self.history_of(target) {
                Some(history) if self.rng.chance(40) => End::Connector(history),
                _ => End::State(target),
            };
            ways.push((joint, end));
        }
        for (n, (from, to)) in ways.into_iter().enumerate() {
            match n {
                0 => self.labelled(from, to),
                _ if from != joint && self.rng.chance(40) => self.way_out(from, to),
                _ => self.plain(from, to),
            }
        }
    }

    fn beside(&mut self, state: State) -> State {
        if self.rng.chance(70) {
            self.sibling(state)
        } else {
            self.some_state()
        }
    }

    /// A state in each of some components, at least two.
    fn parts(&mut self, and: State) -> Vec<State> {
        let mut components = self.chart.states[and].children.clone();
        while components.len() > 2 && self.rng.chance(50) {
            let gone = self.rng.below(components.len());
            components.remove(gone);
        }
        let part = |gen: &mut Gen, component: State| {
            let inside = gen.inside(component);
            if inside.is_empty() || gen.rng.chance(15) {
                component
            } else {
                gen.rng.pick(&inside)
            }
        };
        components.into_iter().map(|c| part(self, c)).collect()
    }

    /// Some source is in the component of the target from which this one is apart: the joint leads back into its AND-state.
    fn leaves_its_component(&self, sources: &[State], source: State, target: State) -> bool {
        let (up, down) = (self.ancestors(source), self.ancestors(target));
        let Some(&and) = up.iter().find(|s| down.contains(s)) else { return false };
        let within = |state: State, outer: State| state == outer || self.ancestors(state).contains(&outer);
        let component = self.chart.states[and].children.iter().copied().find(|&c| within(target, c));
        component.is_some_and(|component| sources.iter().any(|&s| within(s, component)))
    }

    /// The history connector of the OR-state in which a state is.
    fn history_of(&self, state: State) -> Option<Connector> {
        let parent = self.chart.states[state].parent?;
        self.chart.connectors.keys().find(|&c| self.is_history(c) && self.chart.connectors[c].parent == parent)
    }

    fn termination(&mut self) {
        if self.large() && self.rng.chance(60) {
            return;
        }
        let source = self.some_state();
        let parent = self.or_above(source);
        let connector = self.connector(ConnectorKind::Termination, parent);
        self.labelled(End::State(source), End::Connector(connector));
    }
}
