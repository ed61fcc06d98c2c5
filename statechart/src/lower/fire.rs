//! Which compound transitions fire (T2 to T4, T6), and what entering completes (T1, T3, H1).
//!
//! For each OR-state that is active and not left: the compound transitions whose scope it is and that are enabled. One
//! of them, by an input if there are several, notes in `go` which children OR-states get, as far as its segments say. Then
//! [`Body::complete`] goes through the OR-states below, outer before inner: one that is entered and has no child yet
//! gets the one of its history or of its default. That such a child exists was asked before ([`Body::can_enter`]).

use super::action::Writer;
use super::build::Body;
use super::plan::{ancestors, below, Compound, Goals, Way};
use crate::model::*;
use std::collections::{BTreeMap, BTreeSet};
use syncline_ir::program::bits_for;
use syncline_ir::{BinOp, Block, Type, Value, Var};

impl<'a> Body<'_, 'a> {
    // What the status and this step's notes say of a state.

    /// It is in the configuration of the step's start.
    pub fn is_active(&mut self, state: State) -> Value {
        if let Some(&value) = self.active.get(&state) {
            return value;
        }
        let Some(parent) = self.cx.chart.states[state].parent else {
            let at = self.read_at(state);
            let ended = self.is(at, self.cx.the_end() - 1);
            return self.not(ended);
        };
        let above = self.is_active(parent);
        match self.cx.vars.at[parent] {
            None => above,
            Some(at) => {
                let at = self.read(at);
                let here = self.is(at, self.cx.place_in_parent(state));
                // The root's location is a child's place only while the root is active.
                match self.cx.chart.states[parent].parent {
                    None => here,
                    Some(_) => self.and(above, here),
                }
            }
        }
    }

    fn read_at(&mut self, state: State) -> Value {
        match self.cx.vars.at[state] {
            Some(var) => self.read(var),
            None => self.bv(1, 0),
        }
    }

    fn go(&self, state: State) -> Var {
        // Asked of OR-states only, and all of them have one.
        self.cx.vars.go[state].unwrap_or(self.cx.vars.busy)
    }

    /// A transition of this step leaves it, if it is active: an OR-state above gets a child.
    pub fn is_left(&mut self, state: State) -> Value {
        let chart = self.cx.chart;
        if chart.states[state].parent.is_none() {
            let go = self.read(self.go(state));
            return self.is(go, self.cx.the_end());
        }
        let mut left = self.boolean(false);
        for above in ancestors(chart, state).filter(|&s| chart.states[s].kind == StateKind::Or) {
            let go = self.read(self.go(above));
            let none = self.is(go, 0);
            let some = self.not(none);
            left = self.or(left, some);
        }
        left
    }

    /// It is entered in this step.
    pub fn is_entered(&mut self, state: State) -> Value {
        let mut at = state;
        while let Some(parent) = self.cx.chart.states[at].parent {
            if self.cx.chart.states[parent].kind == StateKind::Or {
                let go = self.read(self.go(parent));
                return self.is(go, self.cx.place_in_parent(at) + 1);
            }
            at = parent;
        }
        self.boolean(false)
    }

    /// This is step 0, before which no state is active, and the root is entered.
    pub fn is_started(&mut self) -> Value {
        let root = self.cx.root();
        let active = self.is_active(root);
        let go = self.read(self.go(root));
        let none = self.is(go, 0);
        let neither = self.or(active, none);
        self.not(neither)
    }

    // Firing.

    /// Lets an OR-state fire a transition whose scope it is.
    pub fn fire(&mut self, scope: State) {
        let compounds: &'a [Compound] = &self.cx.plan().compounds[scope];
        if compounds.is_empty() {
            return;
        }
        let data = &self.cx.chart.states[scope];
        self.locate(data.position);
        let next = self.new_block();
        let (active, left) = (self.is_active(scope), self.is_left(scope));
        let stays = self.not(left);
        let may = self.and(active, stays);
        let attempt = self.new_block();
        self.branch(may, attempt, next);
        self.block = attempt;
        let complete = self.new_block();
        let writer_items = super::scan::written_by_scope(self.cx.chart, self.cx.plan, scope);
        let writer = self.begin_writer(&writer_items);
        let at = self.read_at(scope);
        let dispatch = self.block;
        let mut cases = Vec::new();
        for (child, candidates) in self.by_child(scope, compounds) {
            let block = self.new_block();
            cases.push((self.cx.place_in_parent(child), block));
            self.block = block;
            self.fire_one(scope, &candidates, &writer, complete, next);
        }
        self.block = dispatch;
        self.switch(at, cases, next);
        self.block = complete;
        self.complete(scope, &writer);
        self.end_writer(writer);
        self.enter(next);
    }

    /// By the child of the scope below which all sources are, as they are active together; in the order of the chart.
    fn by_child(&self, scope: State, compounds: &'a [Compound]) -> BTreeMap<State, Vec<&'a Compound>> {
        let chart = self.cx.chart;
        let child = |source: State| {
            let path = std::iter::once(source).chain(ancestors(chart, source));
            path.take_while(|&s| s != scope).last()
        };
        let mut found: BTreeMap<State, Vec<&'a Compound>> = BTreeMap::new();
        for compound in compounds {
            let children: BTreeSet<Option<State>> = compound.sources.iter().map(|&s| child(s)).collect();
            if let (1, Some(&Some(child))) = (children.len(), children.first()) {
                found.entry(child).or_default().push(compound);
            }
        }
        found
    }

    /// One of these, if it is enabled.
    fn fire_one(&mut self, scope: State, candidates: &[&'a Compound], writer: &Writer, complete: Block, next: Block) {
        let mut enabled = Vec::new();
        for compound in candidates {
            let mut holds = self.boolean(true);
            for &source in &compound.sources {
                let active = self.is_active(source);
                holds = self.and(holds, active);
            }
            holds = self.guards(&compound.segments, holds);
            if !compound.terminates {
                let can = self.can_enter_below(scope, &compound.goals, false, holds);
                holds = self.and(holds, can);
            }
            enabled.push(holds);
        }
        let mut any = self.boolean(false);
        for &e in &enabled {
            any = self.or(any, e);
        }
        let fires = self.new_block();
        self.branch(any, fires, next);
        self.block = fires;
        self.write_bool(self.cx.vars.busy, true);
        self.choose(scope, &enabled, next, |body, n| {
            let compound = candidates[n];
            if compound.terminates {
                body.write_bits(body.go(scope), body.cx.the_end());
            } else {
                body.set_goals(&compound.goals);
            }
            body.take(&compound.segments, writer);
            body.jump(complete);
        });
    }

    /// The segments are taken: their actions, source to target.
    fn take(&mut self, segments: &[Segment], writer: &Writer) {
        for &segment in segments {
            let prop = self.cx.dead_property(segment);
            let always = self.boolean(true);
            self.report(prop, always);
            self.list(&self.cx.chart.segments[segment].action, writer);
        }
    }

    /// The conjunction of `under` and the segments' guards, evaluated in order up to one that does not hold.
    fn guards(&mut self, segments: &[Segment], under: Value) -> Value {
        let chart = self.cx.chart;
        let mut holds = under;
        for &segment in segments {
            let data = &chart.segments[segment];
            self.locate(data.position);
            self.cx.here = data.position;
            let (guard, condition) = self.guard(&data.guard, holds);
            if let Some((evaluated, value)) = condition {
                let props = [true, false].map(|v| self.cx.segment_condition(segment, v));
                self.judge_condition(props, evaluated, value);
            }
            holds = self.and(holds, guard);
        }
        holds
    }

    /// A condition is evaluated: it can be true, it can be false.
    pub fn judge_condition(&mut self, props: [Option<syncline_ir::Prop>; 2], evaluated: Value, value: Value) {
        let is_true = self.and(evaluated, value);
        self.report_at_once(props[0], is_true);
        let not = self.not(value);
        let is_false = self.and(evaluated, not);
        self.report_at_once(props[1], is_false);
    }

    /// Goes on with one of those that are enabled; with none: to `next`. More than one is the conflict of the scope.
    fn choose(&mut self, scope: State, enabled: &[Value], next: Block, mut emit: impl FnMut(&mut Self, usize)) {
        if enabled.len() == 1 {
            let block = self.new_block();
            self.branch(enabled[0], block, next);
            self.block = block;
            return emit(self, 0);
        }
        let (mut some, mut several) = (self.boolean(false), self.boolean(false));
        for &e in enabled {
            let both = self.and(some, e);
            several = self.or(several, both);
            some = self.or(some, e);
        }
        let prop = self.cx.conflict_property(scope);
        self.report(prop, several);
        let width = bits_for(enabled.len() + 1);
        let none = self.bv(width, enabled.len() as u128);
        let mut first = none;
        for (n, &e) in enabled.iter().enumerate().rev() {
            let number = self.bv(width, n as u128);
            first = self.ite(e, number, first);
        }
        let data = &self.cx.chart.states[scope];
        let site = self.cx.choice(&format!("the transition of {}", data.path), Type::bv(width), data.position);
        let named = self.havoc(site);
        let mut chosen = first;
        for (n, &e) in enabled.iter().enumerate() {
            let is = self.is(named, n as u128);
            let wins = self.and(is, e);
            chosen = self.ite(wins, named, chosen);
        }
        let blocks: Vec<Block> = enabled.iter().map(|_| self.new_block()).collect();
        let cases = blocks.iter().enumerate().map(|(n, &b)| (n as u128, b)).collect();
        self.switch(chosen, cases, next);
        for (n, block) in blocks.into_iter().enumerate() {
            self.block = block;
            emit(self, n);
        }
    }

    fn set_goals(&mut self, goals: &Goals) {
        for (&state, &child) in &goals.child {
            let place = self.cx.place_in_parent(child) + 1;
            self.write_bits(self.go(state), place);
        }
        for (&state, &connector) in &goals.via {
            let place = self.cx.plan.connectors[state].iter().position(|&c| c == connector).unwrap_or(0);
            if let Some(via) = self.cx.vars.via[state] {
                self.write_bits(via, place as u128 + 1);
            }
        }
    }

    // Completion.

    /// H0: the root gets the child of its default. If no way is enabled no state is ever active.
    pub fn start_at_root(&mut self, writer: &Writer) {
        let root = self.cx.root();
        let ways: &'a [Way] = &self.cx.plan().defaults[root];
        let next = self.new_block();
        self.choose_way(root, root, ways, writer, next);
        self.block = next;
    }

    /// Every OR-state below the scope (and the scope, if it is entered by its own history) that is entered gets a child.
    pub fn complete(&mut self, scope: State, writer: &Writer) {
        let chart = self.cx.chart;
        let own = self.cx.plan.compounds[scope].iter().any(|c| c.goals.via.contains_key(&scope));
        for state in below(chart, scope) {
            if chart.states[state].kind != StateKind::Or || (state == scope && !own) {
                continue;
            }
            let go = self.read(self.go(state));
            let mut open = self.is(go, 0);
            if state != scope {
                let entered = self.is_entered(state);
                open = self.and(entered, open);
            }
            let (resolve, next) = (self.new_block(), self.new_block());
            self.branch(open, resolve, next);
            self.block = resolve;
            self.resolve(state, scope, writer, next);
            self.block = next;
        }
    }

    /// Gives an OR-state that is entered its child, and goes on at `next`.
    fn resolve(&mut self, state: State, scope: State, writer: &Writer, next: Block) {
        let connectors = self.cx.plan.connectors[state].clone();
        let (via, deep) = (self.cx.vars.via[state], self.cx.vars.deep[state]);
        if via.is_some() || deep.is_some() {
            let mut by_history = self.boolean(false);
            let mut as_left = match deep {
                Some(var) => self.read(var),
                None => self.boolean(false),
            };
            for (n, &connector) in connectors.iter().enumerate() {
                let Some(via) = via else { break };
                let via = self.read(via);
                let this = self.is(via, n as u128 + 1);
                by_history = self.or(by_history, this);
                if self.cx.chart.connectors[connector].kind == ConnectorKind::DeepHistory {
                    as_left = self.or(as_left, this);
                }
            }
            by_history = self.or(by_history, as_left);
            let remembered = self.is_remembered(state);
            let again = self.and(by_history, remembered);
            let (back, on) = (self.new_block(), self.new_block());
            self.branch(again, back, on);
            self.block = back;
            self.enter_remembered(state, as_left);
            self.jump(next);
            self.block = on;
            for (n, &connector) in connectors.iter().enumerate() {
                let ways: &'a [Way] = &self.cx.plan().histories[connector];
                let Some(via) = via.filter(|_| !ways.is_empty()) else { continue };
                let via = self.read(via);
                let this = self.is(via, n as u128 + 1);
                let (here, on) = (self.new_block(), self.new_block());
                self.branch(this, here, on);
                self.block = here;
                self.choose_way(state, scope, ways, writer, next);
                self.block = on;
            }
        }
        let ways: &'a [Way] = &self.cx.plan().defaults[state];
        self.choose_way(state, scope, ways, writer, next);
    }

    /// There is a child last active: the one that is, or the one it was left with.
    fn is_remembered(&mut self, state: State) -> Value {
        let active = self.is_active(state);
        match self.cx.vars.past[state] {
            None => active,
            Some(past) => {
                let past = self.read(past);
                self.or(active, past)
            }
        }
    }

    /// It gets the child last active; if `as_left`, what is below that is entered as it was left too.
    fn enter_remembered(&mut self, state: State, as_left: Value) {
        let at = self.read_at(state);
        let go = self.go(state);
        let width = self.cx.program.vars[go].ty.width().unwrap_or(1);
        let at = self.resize(at, width);
        let one = self.bv(width, 1);
        let place = self.bin(BinOp::Add, at, one);
        self.write(go, place);
        for inner in self.cx.next_or_states(state) {
            if let Some(deep) = self.cx.vars.deep[inner] {
                self.write(deep, as_left);
            }
        }
    }

    fn choose_way(&mut self, state: State, scope: State, ways: &'a [Way], writer: &Writer, next: Block) {
        if ways.is_empty() {
            return self.jump(next);
        }
        let mut enabled = Vec::new();
        for way in ways {
            let always = self.boolean(true);
            let holds = self.guards(&way.segments, always);
            let can = self.can_enter_below(state, &way.goals, true, holds);
            enabled.push(self.and(holds, can));
        }
        self.choose(scope, &enabled, next, |body, n| {
            body.set_goals(&ways[n].goals);
            body.take(&ways[n].segments, writer);
            match ways[n].goals.via.get(&state) {
                None => body.jump(next),
                Some(&connector) => body.resolve_own(state, scope, connector, writer, next),
            }
        });
    }

    /// A default (or a way from a history connector) leads to a history connector of the OR-state itself.
    fn resolve_own(&mut self, state: State, scope: State, connector: Connector, writer: &Writer, next: Block) {
        let remembered = self.is_remembered(state);
        let (back, on) = (self.new_block(), self.new_block());
        self.branch(remembered, back, on);
        self.block = back;
        let as_left = self.boolean(self.cx.chart.connectors[connector].kind == ConnectorKind::DeepHistory);
        self.enter_remembered(state, as_left);
        self.jump(next);
        self.block = on;
        let ways: &'a [Way] = &self.cx.plan().histories[connector];
        self.choose_way(state, scope, ways, writer, next);
    }

    // Whether it can be completed. Most charts have defaults without guards, and no code is emitted.

    fn can_enter(&mut self, state: State, goals: &Goals, under: Value) -> Value {
        match self.cx.chart.states[state].kind {
            StateKind::Basic => self.boolean(true),
            StateKind::Or => self.can_enter_below(state, goals, false, under),
            StateKind::And => {
                // All are evaluated, also where one cannot be entered.
                let mut can = self.boolean(true);
                for &child in &self.cx.chart.states[state].children {
                    let this = self.can_enter(child, goals, under);
                    can = self.and(can, this);
                }
                can
            }
        }
    }

    /// The OR-state can get a child such that the goals are met.
    fn can_enter_below(&mut self, state: State, goals: &Goals, by_default: bool, under: Value) -> Value {
        if self.cx.plan.always_enters[state] {
            return self.boolean(true);
        }
        if let Some(&child) = goals.child.get(&state) {
            return self.can_enter(child, goals, under);
        }
        match goals.via.get(&state) {
            Some(&connector) => self.can_enter_history(state, connector, by_default, under),
            None => {
                let ways: &'a [Way] = &self.cx.plan().defaults[state];
                self.can_take(state, ways, under)
            }
        }
    }

    fn can_take(&mut self, state: State, ways: &'a [Way], under: Value) -> Value {
        let mut can = self.boolean(false);
        for way in ways {
            let holds = self.guards(&way.segments, under);
            let completes = self.can_enter_below(state, &way.goals, true, holds);
            let this = self.and(holds, completes);
            can = self.or(can, this);
        }
        can
    }

    fn can_enter_history(&mut self, state: State, connector: Connector, by_default: bool, under: Value) -> Value {
        let remembered = self.is_remembered(state);
        let deep = self.cx.chart.connectors[connector].kind == ConnectorKind::DeepHistory;
        let again = self.and(under, remembered);
        let back = self.can_enter_child(state, deep, again);
        let fresh = self.not(remembered);
        let under = self.and(under, fresh);
        let ways: &'a [Way] = &self.cx.plan().histories[connector];
        let on = match (ways.is_empty(), by_default) {
            (false, _) => self.can_take(state, ways, under),
            (true, true) => self.boolean(false),
            (true, false) => {
                let ways: &'a [Way] = &self.cx.plan().defaults[state];
                self.can_take(state, ways, under)
            }
        };
        self.ite(remembered, back, on)
    }

    /// The child last active can be entered, by default or as it was left.
    fn can_enter_child(&mut self, state: State, deep: bool, under: Value) -> Value {
        let mut can = self.boolean(false);
        for (n, &child) in self.cx.chart.states[state].children.iter().enumerate() {
            let at = self.read_at(state);
            let here = self.is(at, n as u128);
            let under = self.and(under, here);
            let this =
                if deep { self.can_enter_again(child, under) } else { self.can_enter(child, &Goals::default(), under) };
            let this = self.and(here, this);
            can = self.or(can, this);
        }
        can
    }

    fn can_enter_again(&mut self, state: State, under: Value) -> Value {
        match self.cx.chart.states[state].kind {
            StateKind::Basic => self.boolean(true),
            StateKind::And => {
                let mut can = self.boolean(true);
                for &child in &self.cx.chart.states[state].children {
                    let this = self.can_enter_again(child, under);
                    can = self.and(can, this);
                }
                can
            }
            StateKind::Or => {
                let remembered = self.is_remembered(state);
                let again = self.and(under, remembered);
                let back = self.can_enter_child(state, true, again);
                let fresh = self.not(remembered);
                let under = self.and(under, fresh);
                let on = self.can_enter_below(state, &Goals::default(), false, under);
                self.ite(remembered, back, on)
            }
        }
    }
}
