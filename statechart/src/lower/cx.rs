//! The tables of a chart under translation: its variables, properties, and where things come from.

use super::plan::{below, Plan};
use super::ranges::Ranges;
use super::scan::{self, Writers};
use super::{Check, Map, Options, Question, Subject};
use crate::model::*;
use cranelift_entity::{PrimaryMap, SecondaryMap};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use syncline_ir::program::bits_for;
use syncline_ir::{
    Const, FloatFormat, Initial, Origin, OriginData, Program, Prop, PropData, PropKind, Site, SiteData, Type, Var,
    VarData,
};

/// Arrays with more cells are not modelled.
pub(super) const MAX_CELLS: u32 = 256;

pub(super) struct Cx<'a> {
    pub chart: &'a Chart,
    pub checks: BTreeSet<Check>,
    /// Values outside of their range end the run.
    pub confined: bool,
    pub program: Program,
    pub map: Map,
    pub plan: &'a Plan,
    pub vars: Vars<'a>,
    pub ranges: Ranges,
    pub writers: Writers,
    /// Some evaluation may end the run (F1), so what a step does counts only once it is over.
    deferring: bool,
    /// Set in a step with which the run ends.
    pub abandoned: Option<Var>,
    /// For each property that is deferred, the flag that says it is violated in this step.
    pub deferred: BTreeMap<Prop, Var>,
    origins: HashMap<Position, Origin>,
    names: BTreeSet<String>,
    counts: BTreeMap<String, u32>,
    /// Properties of places in labels.
    places: HashMap<Spot, Option<Prop>>,
    subjects: BTreeMap<(Check, Subject), Prop>,
    hit_sites: BTreeMap<Prop, Site>,
    /// Where properties of labels are now.
    pub here: Position,
}

/// One scalar of an item.
#[derive(Copy, Clone)]
pub(super) struct Cell {
    pub value: Var,
    /// Its value at the step's end.
    pub next: Var,
    /// It was written in this step.
    pub written: Var,
}

/// An expression whose value at the start of the last step is kept.
#[derive(Clone)]
pub(super) struct Watch<'a> {
    pub watched: &'a Expr,
    pub before: Var,
    /// For each place in it that may fail: it had no value, because of this one.
    pub broken: Vec<(Spot, Var)>,
}

pub(super) struct Timer<'a> {
    pub event: &'a EventExpr,
    /// Time since the latest step before this one in which it occurred; at most `cap`, which also stands for never.
    pub elapsed: Var,
    pub cap: u32,
    /// It has occurred before this step: kept where evaluating N may fail, which is done from then on.
    pub ever: Option<Var>,
    /// Some label asks for it: that it cannot be evaluated is a fault of the step. In a requirement it is none.
    pub in_label: bool,
}

/// What waits of one `sc!`.
#[derive(Copy, Clone)]
pub(super) enum Waiting {
    /// The delay is a constant: bit n is set if one is due in n + 1 units. The flag: scheduled in this step.
    Register { bits: Var, now: Var, delay: u32 },
    /// Units until the one is due that waits, 0 if there is none; and the delay of one that was scheduled in this step.
    Counter { remaining: Var, now: Var },
}

pub(super) struct Schedule<'a> {
    pub action: &'a ActionList,
    pub waiting: Waiting,
}

pub(super) struct Vars<'a> {
    pub at: SecondaryMap<State, Option<Var>>,
    /// Which child an OR-state gets in this step: its place and one; 0: none. The root's last one ends the chart.
    pub go: SecondaryMap<State, Option<Var>>,
    /// It has been left, and its past was not cleared since.
    pub past: SecondaryMap<State, Option<Var>>,
    /// By which of its history connectors it is entered: the place in `Plan::connectors`, and one.
    pub via: SecondaryMap<State, Option<Var>>,
    /// It is entered as it was left.
    pub deep: SecondaryMap<State, Option<Var>>,
    pub clear: SecondaryMap<State, Option<Var>>,
    /// None of an array that is too large.
    pub items: PrimaryMap<Item, Vec<Cell>>,
    pub seen: PrimaryMap<Event, Var>,
    /// Of events that actions raise.
    pub raised: PrimaryMap<Event, Option<Var>>,
    pub asked: Var,
    /// Something is executed in this step.
    pub busy: Var,
    /// Time that has passed since the last step, in asynchronous time.
    pub advance: Option<Var>,
    pub entered: BTreeMap<State, Var>,
    pub exited: BTreeMap<State, Var>,
    pub was_written: BTreeMap<Item, Var>,
    /// In this step, and in the last one.
    pub read: BTreeMap<Item, (Var, Var)>,
    pub watches: Vec<Watch<'a>>,
    watch_keys: HashMap<String, usize>,
    /// Arrays whose cells at the last step's start are kept.
    pub array_watches: BTreeMap<Item, Vec<Var>>,
    pub timers: Vec<Timer<'a>>,
    timer_keys: HashMap<String, usize>,
    pub schedules: Vec<Schedule<'a>>,
    schedule_keys: HashMap<usize, usize>,
    /// What the prologue sets back to its initial value.
    pub notes: Vec<Var>,
}

impl<'a> Cx<'a> {
    pub fn new(chart: &'a Chart, plan: &'a Plan, options: &Options) -> Cx<'a> {
        let mut program = Program::new();
        program.files = chart.files.clone();
        let mut names = BTreeSet::new();
        let origin = program.no_origin();
        let site = program.sites.push(SiteData { name: "the property asked for".into(), ty: Type::bv(32), origin });
        let mut variable = |name: &str, ty, init| {
            names.insert(name.to_string());
            program.vars.push(VarData { name: name.into(), ty, init, origin })
        };
        let asked = variable("asked", Type::bv(32), Initial::Any(site));
        let busy = variable("busy", Type::BOOL, Initial::Const(Const::Bool(false)));
        let vars = Vars {
            at: SecondaryMap::new(),
            go: SecondaryMap::new(),
            past: SecondaryMap::new(),
            via: SecondaryMap::new(),
            deep: SecondaryMap::new(),
            clear: SecondaryMap::new(),
            items: PrimaryMap::new(),
            seen: PrimaryMap::new(),
            raised: PrimaryMap::new(),
            asked,
            busy,
            advance: None,
            entered: BTreeMap::new(),
            exited: BTreeMap::new(),
            was_written: BTreeMap::new(),
            read: BTreeMap::new(),
            watches: Vec::new(),
            watch_keys: HashMap::new(),
            array_watches: BTreeMap::new(),
            timers: Vec::new(),
            timer_keys: HashMap::new(),
            schedules: Vec::new(),
            schedule_keys: HashMap::new(),
            notes: vec![busy],
        };
        let map = Map { asked: Some((asked, site)), ..Map::default() };
        let mut cx = Cx {
            chart,
            checks: options.checks.iter().copied().collect(),
            confined: options.confined,
            program,
            map,
            ranges: Ranges::new(chart, options.confined),
            writers: scan::writers(chart, plan),
            plan,
            vars,
            deferring: scan::may_fail(chart),
            abandoned: None,
            deferred: BTreeMap::new(),
            origins: HashMap::new(),
            names,
            counts: BTreeMap::new(),
            places: HashMap::new(),
            subjects: BTreeMap::new(),
            hit_sites: BTreeMap::new(),
            here: Position::default(),
        };
        cx.make_states();
        cx.make_items();
        cx.make_timers();
        cx
    }

    pub fn root(&self) -> State {
        State::from_u32(0)
    }

    /// The code of `go` of the root that ends the chart.
    pub fn the_end(&self) -> u128 {
        self.chart.states[self.root()].children.len() as u128 + 1
    }

    pub fn place_in_parent(&self, state: State) -> u128 {
        u128::from(self.plan.places[state])
    }

    pub fn plan(&self) -> &'a Plan {
        self.plan
    }

    /// The nearest OR-states below a state.
    pub fn next_or_states(&self, state: State) -> Vec<State> {
        let mut found = Vec::new();
        let mut open = self.chart.states[state].children.clone();
        while let Some(state) = open.pop() {
            match self.chart.states[state].kind {
                StateKind::Basic => {}
                StateKind::Or => found.push(state),
                StateKind::And => open.extend(&self.chart.states[state].children),
            }
        }
        found
    }

    // Names, places in the source.

    pub fn origin(&mut self, position: Position) -> Origin {
        if position.line == 0 {
            return self.program.no_origin();
        }
        let Position { file, line, column } = position;
        let origins = &mut self.program.origins;
        *self.origins.entry(position).or_insert_with(|| origins.push(OriginData::Source { file, line, column }))
    }

    fn free_name(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_string();
        let mut n = 2;
        while !self.names.insert(name.clone()) {
            name = format!("{wanted}#{n}");
            n += 1;
        }
        name
    }

    pub fn proc_name(&mut self, wanted: &str) -> String {
        self.free_name(&format!("{wanted}()"))
    }

    pub fn path(&self, state: State) -> &'a str {
        &self.chart.states[state].path
    }

    // Variables.

    pub fn variable(&mut self, name: &str, init: Const, position: Position) -> Var {
        let name = self.free_name(name);
        let origin = self.origin(position);
        self.program.vars.push(VarData { name, ty: init.ty(), init: Initial::Const(init), origin })
    }

    /// A variable that is set back at the start of every step.
    pub fn note(&mut self, name: &str, init: Const, position: Position) -> Var {
        let var = self.variable(name, init, position);
        self.vars.notes.push(var);
        var
    }

    pub fn site(&mut self, name: &str, ty: Type, position: Position) -> Site {
        let origin = self.origin(position);
        self.program.sites.push(SiteData { name: name.to_string(), ty, origin })
    }

    /// A choice that is free.
    pub fn choice(&mut self, name: &str, ty: Type, position: Position) -> Site {
        let site = self.site(name, ty, position);
        self.map.choices.push(site);
        site
    }

    fn make_states(&mut self) {
        let chart = self.chart;
        for (state, data) in &chart.states {
            if data.kind != StateKind::Or {
                continue;
            }
            let is_root = data.parent.is_none();
            let count = data.children.len() + usize::from(is_root);
            // Before step 0 no state is active.
            let first = if is_root { data.children.len() as u128 } else { 0 };
            let at = self.variable(&format!("at({})", data.path), Const::bv(bits_for(count), first), data.position);
            let go = self.note(&format!("go({})", data.path), Const::bv(bits_for(count + 1), 0), data.position);
            self.vars.at[state] = Some(at);
            self.vars.go[state] = Some(go);
            let connectors = self.plan.connectors[state].len();
            if connectors > 0 {
                let width = bits_for(connectors + 1);
                let via = self.note(&format!("via({})", data.path), Const::bv(width, 0), data.position);
                self.vars.via[state] = Some(via);
                self.remember(state);
            }
        }
        for data in chart.connectors.values() {
            if data.kind == ConnectorKind::DeepHistory {
                for state in below(chart, data.parent) {
                    if chart.states[state].kind == StateKind::Or {
                        self.remember(state);
                        self.deep(state);
                    }
                }
            }
        }
    }

    fn remember(&mut self, state: State) {
        if self.vars.past[state].is_some() {
            return;
        }
        let data = &self.chart.states[state];
        let past = self.variable(&format!("past({})", data.path), Const::Bool(false), data.position);
        let clear = self.note(&format!("clear({})", data.path), Const::Bool(false), data.position);
        (self.vars.past[state], self.vars.clear[state]) = (Some(past), Some(clear));
    }

    fn deep(&mut self, state: State) {
        if self.vars.deep[state].is_none() {
            let data = &self.chart.states[state];
            let deep = self.note(&format!("deep({})", data.path), Const::Bool(false), data.position);
            self.vars.deep[state] = Some(deep);
        }
    }

    fn make_items(&mut self) {
        let chart = self.chart;
        for (item, data) in &chart.items {
            let count = data.array.map_or(1, |a| a.cells);
            let mut cells = Vec::new();
            for n in 0..if count <= MAX_CELLS { count } else { 0 } {
                let name = match data.array {
                    None => data.name.clone(),
                    Some(array) => format!("{}({})", data.name, i64::from(array.first) + i64::from(n)),
                };
                let init = self.stored(item, data.initial);
                let value = self.variable(&name, init.clone(), data.position);
                let next = self.variable(&format!("{name}.next"), init, data.position);
                let written = self.note(&format!("{name}.written"), Const::Bool(false), data.position);
                cells.push(Cell { value, next, written });
            }
            self.vars.items.push(cells);
        }
        let raised_events = scan::raised_events(chart);
        for (event, data) in &chart.events {
            let seen = self.variable(&data.name, Const::Bool(false), data.position);
            let name = format!("{}.raised", data.name);
            let is_raised = raised_events.contains(&event);
            let raised = is_raised.then(|| self.note(&name, Const::Bool(false), data.position));
            self.vars.seen.push(seen);
            self.vars.raised.push(raised);
        }
        if let Time::Asynchronous { max_advance } = chart.time {
            // One more than the largest must fit too.
            let width = bits_for(max_advance.max(1) as usize + 2);
            self.vars.advance = Some(self.variable("advance", Const::bv(width, 0), Position::default()));
        }
    }

    /// A literal as the item's variables hold it.
    pub fn stored(&self, item: Item, literal: Literal) -> Const {
        match literal {
            Literal::Bool(b) => Const::Bool(b),
            Literal::Int(n) => Const::bv(self.ranges.width(self.chart, item), n as i128 as u128),
            Literal::Real(x) => Const::Float { format: FloatFormat::F64, bits: u128::from(x.to_bits()) },
        }
    }

    fn make_timers(&mut self) {
        let mut remembered = BTreeSet::new();
        let (labels, requirements) = scan::timeouts(self.chart);
        let places = labels.into_iter().map(|t| (t, true)).chain(requirements.into_iter().map(|t| (t, false)));
        for ((event, delay), in_label) in places {
            let cap = self.ranges.delay_bound(self.chart, delay);
            let key = scan::event_key(self.chart, event);
            let next = self.vars.timers.len();
            let n = *self.vars.timer_keys.entry(key).or_insert(next);
            if n == next {
                self.vars.timers.push(Timer { event, elapsed: Var::from_u32(0), cap, ever: None, in_label });
            }
            let timer = &mut self.vars.timers[n];
            timer.cap = timer.cap.max(cap);
            timer.in_label |= in_label;
            if scan::expr_may_fail(self.chart, delay) {
                remembered.insert(n);
            }
        }
        for n in 0..self.vars.timers.len() {
            if remembered.contains(&n) {
                let name = format!("event {} has occurred", n + 1);
                self.vars.timers[n].ever = Some(self.variable(&name, Const::Bool(false), Position::default()));
            }
            let cap = u128::from(self.vars.timers[n].cap);
            let width = bits_for(cap as usize + 1);
            let var = self.variable(&format!("time since event {}", n + 1), Const::bv(width, cap), Position::default());
            self.vars.timers[n].elapsed = var;
        }
    }

    pub fn timer(&self, event: &EventExpr) -> Option<usize> {
        self.vars.timer_keys.get(&scan::event_key(self.chart, event)).copied()
    }

    // What is kept of the last step, made when it is first asked for.

    pub fn entered_flag(&mut self, state: State) -> Var {
        match self.vars.entered.get(&state) {
            Some(&var) => var,
            None => {
                let name = format!("en({})", self.path(state));
                let var = self.variable(&name, Const::Bool(false), self.chart.states[state].position);
                self.vars.entered.insert(state, var);
                var
            }
        }
    }

    pub fn exited_flag(&mut self, state: State) -> Var {
        match self.vars.exited.get(&state) {
            Some(&var) => var,
            None => {
                let name = format!("ex({})", self.path(state));
                let var = self.variable(&name, Const::Bool(false), self.chart.states[state].position);
                self.vars.exited.insert(state, var);
                var
            }
        }
    }

    pub fn written_flag(&mut self, item: Item) -> Var {
        match self.vars.was_written.get(&item) {
            Some(&var) => var,
            None => {
                let data = &self.chart.items[item];
                let var = self.variable(&format!("wr({})", data.name), Const::Bool(false), data.position);
                self.vars.was_written.insert(item, var);
                var
            }
        }
    }

    /// Those of `rd` are made before anything is emitted: all that reads must know of them.
    pub fn make_read_flags(&mut self, items: impl IntoIterator<Item = Item>) {
        for item in items {
            let data = &self.chart.items[item];
            let now = self.note(&format!("{} is read", data.name), Const::Bool(false), data.position);
            let last = self.variable(&format!("rd({})", data.name), Const::Bool(false), data.position);
            self.vars.read.insert(item, (now, last));
        }
    }

    /// The variable with the value that the expression had at the start of the last step.
    pub fn watch(&mut self, watched: &'a Expr, ty: Type) -> Watch<'a> {
        let key = scan::expr_key(self.chart, watched);
        if let Some(&n) = self.vars.watch_keys.get(&key) {
            return self.vars.watches[n].clone();
        }
        let n = self.vars.watches.len();
        let before = self.variable(&format!("condition {} before", n + 1), Const::zero(ty), Position::default());
        let mut broken = Vec::new();
        for spot in scan::failing_spots(self.chart, watched) {
            let name = format!("condition {} before has no value", n + 1);
            broken.push((spot, self.variable(&name, Const::Bool(false), Position::default())));
        }
        self.vars.watch_keys.insert(key, n);
        let watch = Watch { watched, before, broken };
        self.vars.watches.push(watch.clone());
        watch
    }

    pub fn watch_array(&mut self, item: Item) -> Vec<Var> {
        if let Some(vars) = self.vars.array_watches.get(&item) {
            return vars.clone();
        }
        let cells = self.vars.items[item].clone();
        let mut vars = Vec::new();
        for cell in cells {
            let VarData { name, ty, .. } = self.program.vars[cell.value].clone();
            vars.push(self.variable(&format!("{name} before"), Const::zero(ty), self.chart.items[item].position));
        }
        self.vars.array_watches.insert(item, vars.clone());
        vars
    }

    /// The place of a `sc!`.
    pub fn schedule(&mut self, action: &'a ActionList, delay: &Expr) -> Waiting {
        let key = std::ptr::from_ref(action) as usize;
        if let Some(&n) = self.vars.schedule_keys.get(&key) {
            return self.vars.schedules[n].waiting;
        }
        let n = self.vars.schedules.len();
        let name = format!("scheduled action {}", n + 1);
        let position = action.position;
        let waiting = match delay {
            Expr::Literal(Literal::Int(d)) if *d <= 64 => {
                let delay = (*d).max(1) as u32;
                let bits = self.variable(&name, Const::bv(delay, 0), position);
                let now = self.note(&format!("{name} now"), Const::Bool(false), position);
                Waiting::Register { bits, now, delay }
            }
            _ => {
                let width = match delay {
                    Expr::Literal(Literal::Int(d)) => bits_for(*d as usize + 1),
                    _ => 32,
                };
                let remaining = self.variable(&name, Const::bv(width, 0), position);
                let now = self.note(&format!("{name} now"), Const::bv(width, 0), position);
                Waiting::Counter { remaining, now }
            }
        };
        self.vars.schedule_keys.insert(key, n);
        self.vars.schedules.push(Schedule { action, waiting });
        waiting
    }

    // Properties.

    /// The property of this check about this subject, if the check is wanted. There is one, however often it is asked for.
    pub fn property(
        &mut self,
        check: Check,
        subject: Subject,
        owner: &str,
        description: &str,
        position: Position,
    ) -> Option<Prop> {
        if !self.checks.contains(&check) {
            return None;
        }
        if let Some(&prop) = self.subjects.get(&(check, subject)) {
            return Some(prop);
        }
        let question = Question { check, subject, spot: None };
        let prop = self.new_property(question, owner, description, position);
        self.subjects.insert((check, subject), prop);
        Some(prop)
    }

    /// The property of a place in a label, by its address.
    pub fn range_property(&mut self, spot: Spot, item: Option<Item>, what: &str) -> Option<Prop> {
        if !self.checks.contains(&Check::Range) {
            return None;
        }
        if let Some(&prop) = self.places.get(&spot) {
            return prop;
        }
        let owner = item.map_or(self.chart.name.as_str(), |i| self.chart.items[i].name.as_str()).to_string();
        let subject = item.map_or(Subject::Chart, Subject::Item);
        let question = Question { check: Check::Range, subject, spot: Some(spot) };
        let prop = Some(self.new_property(question, &owner, what, self.here));
        self.places.insert(spot, prop);
        prop
    }

    /// The property of a place whose evaluation was emitted.
    pub fn property_at(&self, spot: Spot) -> Option<Prop> {
        self.places.get(&spot).copied().flatten()
    }

    pub fn conflict_property(&mut self, scope: State) -> Option<Prop> {
        let data = &self.chart.states[scope];
        let what = format!("no two transitions inside {} are enabled together", data.path);
        self.property(Check::Conflict, Subject::State(scope), &data.path, &what, data.position)
    }

    pub fn unreachable_property(&mut self, state: State) -> Option<Prop> {
        let data = &self.chart.states[state];
        let what = format!("the state {} is never entered", data.path);
        self.property(Check::Unreachable, Subject::State(state), &data.path, &what, data.position)
    }

    /// An end of a segment, for people.
    fn end(&self, end: End) -> String {
        match end {
            End::State(state) => self.path(state).to_string(),
            End::Connector(c) => self.chart.connectors[c].name.clone(),
            End::Default(state) => format!("default of {}", self.path(state)),
        }
    }

    /// `source->target` of a segment.
    pub fn segment_name(&self, segment: Segment) -> String {
        let data = &self.chart.segments[segment];
        format!("{}->{}", self.end(data.source), self.end(data.target))
    }

    /// That an OR-state is never entered by default is no fault.
    pub fn dead_property(&mut self, segment: Segment) -> Option<Prop> {
        let data = &self.chart.segments[segment];
        if matches!(data.source, End::Default(_)) {
            return None;
        }
        let name = self.segment_name(segment);
        let what = format!("the transition {name} never fires: {}", data.label);
        self.property(Check::Dead, Subject::Segment(segment), &name, what.trim_end_matches([':', ' ']), data.position)
    }

    pub fn segment_condition(&mut self, segment: Segment, value: bool) -> Option<Prop> {
        let data = &self.chart.segments[segment];
        let name = self.segment_name(segment);
        let what = format!("the condition of {name} is always {}: {}", !value, data.label);
        let subject = Subject::SegmentCondition(segment, value);
        self.property(Check::Constant, subject, &name, &what, data.position)
    }

    pub fn reaction_condition(&mut self, state: State, n: u32, value: bool) -> Option<Prop> {
        let path = self.path(state);
        let what = format!("the condition of reaction {} of {path} is always {}", n + 1, !value);
        let position = self.chart.states[state].reactions[n as usize].position;
        let subject = Subject::ReactionCondition(state, n, value);
        self.property(Check::Constant, subject, &format!("{path}.reaction{}", n + 1), &what, position)
    }

    fn new_property(&mut self, question: Question, owner: &str, description: &str, position: Position) -> Prop {
        let check = question.check;
        let kind = match check {
            Check::Conflict => PropKind::Nondeterminism,
            Check::Race => PropKind::Race,
            Check::Stability => PropKind::Stability,
            Check::Unreachable | Check::Dead | Check::Constant => PropKind::Reach,
            Check::Range => PropKind::Bounds,
            Check::Requirement => PropKind::Assertion,
        };
        let stem = format!("{owner}.{}", check.name());
        let count = self.counts.entry(stem.clone()).or_insert(0);
        *count += 1;
        let name = format!("{stem}.{count}");
        let origin = self.origin(position);
        let prop = self.program.props.push(PropData { name, kind, description: description.to_string(), origin });
        self.map.questions.insert(prop, question);
        prop
    }

    /// The input that is asked for where the property is violated.
    pub fn hit_site(&mut self, prop: Prop) -> Site {
        if let Some(&site) = self.hit_sites.get(&prop) {
            return site;
        }
        let PropData { name, origin, .. } = self.program.props[prop].clone();
        let site = self.program.sites.push(SiteData { name: format!("{name} is violated"), ty: Type::BOOL, origin });
        self.hit_sites.insert(prop, site);
        self.map.hits.insert(site, prop);
        site
    }

    /// Of a property whose violation counts only when the step is over: the flag that notes it.
    pub fn deferred_flag(&mut self, prop: Prop) -> Option<Var> {
        let happens = self.map.questions.get(&prop).is_some_and(|q| q.check.wants_violation());
        if !self.deferring || !happens {
            return None;
        }
        if let Some(&flag) = self.deferred.get(&prop) {
            return Some(flag);
        }
        let name = format!("{} is violated", self.program.props[prop].name);
        let flag = self.note(&name, Const::Bool(false), Position::default());
        self.deferred.insert(prop, flag);
        Some(flag)
    }

    /// The note that the run ends with this step, made when something may end it.
    pub fn abandoned_flag(&mut self) -> Var {
        match self.abandoned {
            Some(flag) => flag,
            None => {
                let flag = self.note("the run ends", Const::Bool(false), Position::default());
                self.abandoned = Some(flag);
                flag
            }
        }
    }
}
