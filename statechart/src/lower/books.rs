//! The procedures of the system: the components, and those that keep the books.

use super::build::{Body, Ended, Evaluation};
use super::cx::{Cx, Timer, Waiting, Watch};
use super::plan::ancestors;
use super::ranges::declared;
use super::{states_of, Check, Subject};
use crate::model::*;
use syncline_ir::program::bits_for;
use syncline_ir::{BinOp, Const, Initial, InstData, Place, Proc, Prop, Terminator, Type, UnOp, Value, Var};

impl Cx<'_> {
    /// Properties that are there even if nothing can violate them: of states, transitions, and requirements.
    pub fn make_properties(&mut self) {
        for state in self.chart.states.keys().skip(1) {
            self.unreachable_property(state);
        }
        for segment in self.chart.segments.keys() {
            self.dead_property(segment);
        }
        for (n, requirement) in self.chart.requirements.iter().enumerate() {
            let subject = Subject::Requirement(n as u32);
            self.property(Check::Requirement, subject, &requirement.name, &requirement.text, requirement.position);
        }
    }
}

fn aside(failed: Value) -> Evaluation {
    Evaluation::Aside(failed, Vec::new())
}

/// The process of a component: transitions of its OR-states, then exiting lists, static reactions, entering lists.
pub(super) fn component(cx: &mut Cx, component: State) -> Proc {
    let chart = cx.chart;
    let data = &chart.states[component];
    let (mut body, head) = Body::process(cx, &data.path, data.position);
    let states = states_of(chart, component);
    // Whether states are active does not change in the step: once for all of the process.
    let mut above: Vec<State> = ancestors(chart, component).collect();
    above.reverse();
    for &state in above.iter().chain(&states) {
        let value = body.is_active(state);
        body.active.insert(state, value);
    }
    for &state in states.iter().filter(|&&s| chart.states[s].kind == StateKind::Or) {
        body.fire(state);
    }
    for &state in states.iter().rev().filter(|&&s| !chart.states[s].exiting.is_empty()) {
        let (active, left) = (body.is_active(state), body.is_left(state));
        let cond = body.and(active, left);
        body.when(cond, |body| chart.states[state].exiting.iter().for_each(|list| body.own_list(list)));
    }
    for &state in &states {
        body.reactions(state);
    }
    body.entering(&states);
    body.end_step(head)
}

impl<'a> Body<'_, 'a> {
    /// T5.
    fn reactions(&mut self, state: State) {
        let data = &self.cx.chart.states[state];
        if data.reactions.is_empty() {
            return;
        }
        let (active, left) = (self.is_active(state), self.is_left(state));
        let stays = self.not(left);
        let may = self.and(active, stays);
        self.when(may, |body| {
            for (n, reaction) in data.reactions.iter().enumerate() {
                body.locate(reaction.position);
                body.cx.here = reaction.position;
                let always = body.boolean(true);
                let (holds, condition) = body.guard(&reaction.guard, always);
                if let Some((evaluated, value)) = condition {
                    let props = [true, false].map(|v| body.cx.reaction_condition(state, n as u32, v));
                    body.judge_condition(props, evaluated, value);
                }
                body.when(holds, |body| {
                    body.write_bool(body.cx.vars.busy, true);
                    body.own_list(&reaction.action);
                });
            }
        });
    }

    /// Entering lists, outer before inner.
    fn entering(&mut self, states: &[State]) {
        for &state in states {
            let data = &self.cx.chart.states[state];
            let prop = if data.parent.is_some() { self.cx.unreachable_property(state) } else { None };
            if data.entering.is_empty() && prop.is_none() {
                continue;
            }
            self.locate(data.position);
            let entered = self.is_entered(state);
            self.when(entered, |body| {
                let always = body.boolean(true);
                body.report(prop, always);
                data.entering.iter().for_each(|list| body.own_list(list));
            });
        }
    }
}

/// H0: the root's default transitions and all entering lists.
pub(super) fn start(cx: &mut Cx) -> Proc {
    let chart = cx.chart;
    let root = cx.root();
    let mut body = Body::new(cx, "start", chart.states[root].position);
    let items = super::scan::written_by_scope(chart, body.cx.plan, root);
    let writer = body.begin_writer(&items);
    body.start_at_root(&writer);
    body.complete(root, &writer);
    body.end_writer(writer);
    let starts = body.is_started();
    body.when(starts, |body| chart.states[root].entering.iter().for_each(|list| body.own_list(list)));
    let inner: Vec<State> = super::plan::below(chart, root).into_iter().skip(1).collect();
    body.entering(&inner);
    body.finish()
}

/// Due actions of `sc!`. Emitting one may bring in others.
pub(super) fn scheduled(cx: &mut Cx) -> Option<Proc> {
    if cx.vars.schedules.is_empty() {
        return None;
    }
    let (mut body, head) = Body::process(cx, "scheduled", Position::default());
    let mut n = 0;
    while let Some(schedule) = body.cx.vars.schedules.get(n) {
        let (action, waiting) = (schedule.action, schedule.waiting);
        body.locate(action.position);
        let (due, _) = body.due(waiting);
        body.when(due, |body| {
            body.write_bool(body.cx.vars.busy, true);
            body.own_list(action);
        });
        n += 1;
    }
    Some(body.end_step(head))
}

impl Body<'_, '_> {
    /// Whether one that waits is due in this step, and what waits after it.
    fn due(&mut self, waiting: Waiting) -> (Value, Value) {
        match waiting {
            Waiting::Register { bits, .. } => {
                let old = self.read(bits);
                let width = self.ty(old).width().unwrap_or(1);
                let wide = width.max(33);
                let value = self.resize(old, wide);
                let advance = self.advance(wide);
                let rest = self.bin(BinOp::LShr, value, advance);
                let back = self.bin(BinOp::Shl, rest, advance);
                let none = self.eq(back, value);
                let due = self.not(none);
                (due, self.resize(rest, width))
            }
            Waiting::Counter { remaining, .. } => {
                let old = self.read(remaining);
                let width = self.ty(old).width().unwrap_or(1);
                let wide = width.max(33);
                let value = self.resize(old, wide);
                let advance = self.advance(wide);
                let (none, over) = (self.is(value, 0), self.bin(BinOp::Ule, value, advance));
                let some = self.not(none);
                let due = self.and(some, over);
                let less = self.bin(BinOp::Sub, value, advance);
                let zero = self.bv(wide, 0);
                let rest = self.ite(over, zero, less);
                (due, self.resize(rest, width))
            }
        }
    }
}

/// Observers of the requirements, on the status of the step's start. Their memory is written here.
pub(super) fn requirements(cx: &mut Cx) -> Option<Proc> {
    let chart = cx.chart;
    if chart.requirements.is_empty() || !cx.checks.contains(&Check::Requirement) {
        return None;
    }
    let mut body = Body::new(cx, "requirements", Position::default());
    for (n, requirement) in chart.requirements.iter().enumerate() {
        body.locate(requirement.position);
        body.cx.here = requirement.position;
        let subject = Subject::Requirement(n as u32);
        let (name, text) = (&requirement.name, &requirement.text);
        let prop = body.cx.property(Check::Requirement, subject, name, text, requirement.position);
        body.requirement(requirement, prop);
    }
    Some(body.finish())
}

impl<'a> Body<'_, 'a> {
    fn requirement(&mut self, requirement: &'a Requirement, prop: Option<Prop>) {
        // What cannot be evaluated is not kept.
        let (kept, ended) = self.evaluation(aside, |body| body.is_kept(requirement));
        let broken = self.not(kept);
        let broken = self.or(broken, ended.failed);
        self.report(prop, broken);
    }

    fn is_kept(&mut self, requirement: &'a Requirement) -> Value {
        let always = self.boolean(true);
        match &requirement.kind {
            RequirementKind::Always(c) => self.value(c, always),
            RequirementKind::LeadsTo { cause, effect, within } => {
                let cause = self.value(cause, always);
                let effect = self.value(effect, always);
                self.leads_to(requirement, cause, effect, *within)
            }
            RequirementKind::AfterUntil { after, holds, until } => {
                let after = self.occurs(after, always);
                let until = self.occurs(until, always);
                let name = format!("{} is to hold", requirement.name);
                let var = self.cx.variable(&name, Const::Bool(false), requirement.position);
                let before = self.read(var);
                let on = self.or(before, after);
                let goes_on = self.not(until);
                let on = self.and(on, goes_on);
                self.write(var, on);
                let holds = self.value(holds, on);
                let off = self.not(on);
                self.or(off, holds)
            }
        }
    }

    /// The steps since the oldest cause without effect are counted.
    fn leads_to(&mut self, requirement: &Requirement, cause: Value, effect: Value, within: u32) -> Value {
        let none = u128::from(within) + 1;
        let width = bits_for(within as usize + 3);
        let name = format!("{} waits", requirement.name);
        let var = self.cx.variable(&name, Const::bv(width, none), requirement.position);
        let before = self.read(var);
        let waits = self.is(before, none);
        let waits = self.not(waits);
        let one = self.bv(width, 1);
        let older = self.bin(BinOp::Add, before, one);
        let (zero, nothing) = (self.bv(width, 0), self.bv(width, none));
        let new = self.ite(cause, zero, nothing);
        let age = self.ite(waits, older, new);
        let age = self.ite(effect, nothing, age);
        let late = self.is(age, u128::from(within));
        // A violation is reported once; what comes later is asked anew.
        let again = self.ite(cause, zero, nothing);
        let next = match within {
            0 => nothing,
            _ => self.ite(late, again, age),
        };
        self.write(var, next);
        self.not(late)
    }
}

/// The step's end: everything that shows in the next step.
pub(super) fn commit(cx: &mut Cx) -> Proc {
    let mut body = Body::new(cx, "commit", Position::default());
    // Time-outs of time-outs, and conditions in them, may bring in more to watch: they come first.
    let mut updates = body.clocks();
    body.end_if_abandoned();
    body.judge_deferred();
    updates.extend(body.watched());
    updates.extend(body.locations());
    updates.extend(body.notes_of_last_step());
    updates.extend(body.waiting());
    let vars: Vec<(Var, Var)> = body.cx.vars.items.values().flatten().map(|cell| (cell.value, cell.next)).collect();
    for (value, next) in vars {
        let next = body.read(next);
        updates.push((value, next));
    }
    let events: Vec<(Var, Option<Var>)> =
        body.cx.vars.seen.values().copied().zip(body.cx.vars.raised.values().copied()).collect();
    for (seen, raised) in events {
        let raised = match raised {
            Some(raised) => body.read(raised),
            None => body.boolean(false),
        };
        updates.push((seen, raised));
    }
    if let Some(advance) = body.cx.vars.advance {
        let width = body.cx.program.vars[advance].ty.width().unwrap_or(1);
        let none = body.bv(width, 0);
        updates.push((advance, none));
    }
    for (var, value) in updates {
        body.write(var, value);
    }
    body.finish()
}

type Updates = Vec<(Var, Value)>;

impl Body<'_, '_> {
    fn clocks(&mut self) -> Updates {
        let mut updates = Vec::new();
        for n in 0..self.cx.vars.timers.len() {
            let Timer { event, elapsed, ever, in_label, .. } = self.cx.vars.timers[n];
            let always = self.boolean(true);
            let kind = if in_label { Evaluation::Guard } else { aside };
            let (occurs, ended) = self.evaluation(kind, |body| body.occurs(event, always));
            let whole = self.not(ended.failed);
            let occurs = self.and(occurs, whole);
            if let Some(ever) = ever {
                let before = self.read(ever);
                updates.push((ever, self.or(before, occurs)));
            }
            let now = self.elapsed_now(n);
            let zero = self.bv(32, 0);
            let value = self.ite(occurs, zero, now);
            let width = self.cx.program.vars[elapsed].ty.width().unwrap_or(1);
            updates.push((elapsed, self.resize(value, width)));
        }
        updates
    }

    /// The values of conditions at this step's start.
    fn watched(&mut self) -> Updates {
        let mut updates = Vec::new();
        let mut n = 0;
        while n < self.cx.vars.watches.len() {
            let Watch { watched, before, broken } = self.cx.vars.watches[n].clone();
            let always = self.boolean(true);
            let (value, Ended { at, .. }) = self.evaluation(aside, |body| body.value(watched, always));
            updates.push((before, value));
            for (spot, var) in broken {
                let mut failed = self.boolean(false);
                for &(_, here) in at.iter().filter(|(other, _)| *other == spot) {
                    failed = self.or(failed, here);
                }
                updates.push((var, failed));
            }
            n += 1;
        }
        let arrays: Vec<(Item, Vec<Var>)> = self.cx.vars.array_watches.clone().into_iter().collect();
        for (item, vars) in arrays {
            for (cell, before) in self.cx.vars.items[item].clone().into_iter().zip(vars) {
                let value = self.read(cell.value);
                updates.push((before, value));
            }
        }
        updates
    }

    /// Locations and history. What nobody can go back to is forgotten when it is left.
    fn locations(&mut self) -> Updates {
        let mut updates = Vec::new();
        for state in self.cx.chart.states.keys() {
            let (Some(at), Some(go)) = (self.cx.vars.at[state], self.cx.vars.go[state]) else { continue };
            let (old, go) = (self.read(at), self.read(go));
            let width = self.ty(old).width().unwrap_or(1);
            let go_width = self.ty(go).width().unwrap_or(1);
            let one = self.bv(go_width, 1);
            let place = self.bin(BinOp::Sub, go, one);
            let place = self.resize(place, width);
            let stays = self.is(go, 0);
            let mut kept = old;
            let left = self.is_left(state);
            match self.cx.vars.past[state] {
                None if self.cx.chart.states[state].parent.is_some() => {
                    let zero = self.bv(width, 0);
                    kept = self.ite(left, zero, old);
                }
                None => {}
                Some(past) => {
                    let (active, before) = (self.is_active(state), self.read(past));
                    let leaves = self.and(active, left);
                    let mut now = self.or(before, leaves);
                    if let Some(clear) = self.cx.vars.clear[state] {
                        let clear = self.read(clear);
                        let keep = self.not(clear);
                        now = self.and(now, keep);
                    }
                    updates.push((past, now));
                }
            }
            updates.push((at, self.ite(stays, kept, place)));
        }
        updates
    }

    /// `en`, `ex`, `wr`, `rd`.
    fn notes_of_last_step(&mut self) -> Updates {
        let mut updates = Vec::new();
        for (state, var) in self.cx.vars.entered.clone() {
            let entered = match self.cx.chart.states[state].parent {
                Some(_) => self.is_entered(state),
                None => self.is_started(),
            };
            updates.push((var, entered));
        }
        for (state, var) in self.cx.vars.exited.clone() {
            let (active, left) = (self.is_active(state), self.is_left(state));
            updates.push((var, self.and(active, left)));
        }
        for (item, var) in self.cx.vars.was_written.clone() {
            let mut written = self.boolean(false);
            for cell in self.cx.vars.items[item].clone() {
                let this = self.read(cell.written);
                written = self.or(written, this);
            }
            updates.push((var, written));
        }
        for (now, last) in self.cx.vars.read.values().copied().collect::<Vec<_>>() {
            let now = self.read(now);
            updates.push((last, now));
        }
        updates
    }

    /// A5; H2: what waits is forgotten when the chart ends.
    fn waiting(&mut self) -> Updates {
        let mut updates = Vec::new();
        let root = self.cx.root();
        let ends = self.is_left(root);
        for n in 0..self.cx.vars.schedules.len() {
            let waiting = self.cx.vars.schedules[n].waiting;
            let (_, rest) = self.due(waiting);
            let width = self.ty(rest).width().unwrap_or(1);
            let zero = self.bv(width, 0);
            let (var, next) = match waiting {
                Waiting::Register { bits, now, delay } => {
                    let now = self.read(now);
                    let new = self.bv(width, 1 << (delay - 1));
                    let new = self.ite(now, new, zero);
                    (bits, self.bin(BinOp::BvOr, rest, new))
                }
                Waiting::Counter { remaining, now } => {
                    let now = self.read(now);
                    let (none, idle, same) = (self.is(now, 0), self.is(rest, 0), self.eq(now, rest));
                    let fits = self.or(none, idle);
                    let fits = self.or(fits, same);
                    let second = self.not(fits);
                    self.when(second, |body| body.unsupported("a second action of one sc! waits"));
                    (remaining, self.ite(none, rest, now))
                }
            };
            updates.push((var, self.ite(ends, zero, next)));
        }
        updates
    }
}

/// The step's end.
pub(super) fn books(cx: &mut Cx, commit: Proc) -> Proc {
    let (mut body, head) = Body::process(cx, "books", Position::default());
    body.call(commit);
    body.end_step(head)
}

impl Body<'_, '_> {
    /// F1: all that the step evaluates has been evaluated.
    fn end_if_abandoned(&mut self) {
        let Some(abandoned) = self.cx.abandoned else { return };
        let abandoned = self.read(abandoned);
        let (end, next) = (self.new_block(), self.new_block());
        self.branch(abandoned, end, next);
        self.block = end;
        self.terminate(Terminator::Stop);
        self.block = next;
    }

    /// What the step has done, now that it is over.
    fn judge_deferred(&mut self) {
        for (prop, flag) in self.cx.deferred.clone() {
            let origin = self.cx.program.props[prop].origin;
            self.at = origin;
            let bad = self.read(flag);
            self.when(bad, |body| body.violate(prop));
        }
    }
}

/// Step 0.
pub(super) fn entry(cx: &mut Cx, start: Proc, commit: Proc) -> Proc {
    let chart = cx.chart;
    let mut body =
        Body::new(cx, "step 0", chart.states[chart.states.keys().next().unwrap_or(State::from_u32(0))].position);
    // Nothing has changed before.
    let updates = body.watched();
    for (var, value) in updates {
        body.write(var, value);
    }
    body.call(start);
    body.call(commit);
    body.finish()
}

/// The inputs. Each value of an unknown is one of the input, so nothing need be assumed.
pub(super) fn environment(cx: &mut Cx) -> Proc {
    let chart = cx.chart;
    let mut body = Body::new(cx, "environment", Position::default());
    if let (Some(var), Time::Asynchronous { max_advance }) = (body.cx.vars.advance, chart.time) {
        let width = body.cx.program.vars[var].ty.width().unwrap_or(1);
        let mut advance = body.bv(width, 1);
        if max_advance > 1 {
            let bits = bits_for(max_advance as usize);
            let site = body.cx.site("time that passes, less one", Type::bv(bits), Position::default());
            body.cx.map.inputs.advance = Some(site);
            let more = body.havoc(site);
            let more = body.resize(more, width);
            let sum = body.bin(BinOp::Add, more, advance);
            let most = body.bv(width, u128::from(max_advance));
            let over = body.bin(BinOp::Ult, most, sum);
            advance = body.ite(over, advance, sum);
        }
        body.write(var, advance);
    }
    for (item, data) in chart.items.iter().filter(|(_, data)| data.input) {
        let mut sites = Vec::new();
        for cell in body.cx.vars.items[item].clone() {
            let name = body.cx.program.vars[cell.value].name.clone();
            let ty = body.cx.program.vars[cell.value].ty;
            let site = body.cx.site(&name, ty, data.position);
            sites.push(site);
            body.locate(data.position);
            let value = body.havoc(site);
            let value = body.of_range(item, value);
            body.write(cell.value, value);
        }
        body.cx.map.inputs.items.push((item, sites));
    }
    for (event, data) in chart.events.iter().filter(|(_, data)| data.input) {
        let site = body.cx.site(&data.name, Type::BOOL, data.position);
        body.cx.map.inputs.events.push((event, site));
        body.locate(data.position);
        let seen = body.cx.vars.seen[event];
        let (raised, comes) = (body.read(seen), body.havoc(site));
        let value = body.or(raised, comes);
        body.write(seen, value);
    }
    body.finish()
}

impl Body<'_, '_> {
    /// The value, or the least one if it is not in the item's range. Reals are finite.
    fn of_range(&mut self, item: Item, value: Value) -> Value {
        let Some((min, max)) = declared(self.cx.chart, item) else {
            return match self.cx.chart.items[item].ty {
                ItemType::Real => {
                    let (nan, infinite) = (self.un(UnOp::FIsNan, value), self.un(UnOp::FIsInf, value));
                    let none = self.or(nan, infinite);
                    let zero = self.literal(Literal::Real(0.0));
                    self.ite(none, zero, value)
                }
                ItemType::Bool | ItemType::Int { .. } | ItemType::Enum(_) => value,
            };
        };
        let width = self.ty(value).width().unwrap_or(32);
        let (low, high) = (self.bv(width, min as i128 as u128), self.bv(width, max as i128 as u128));
        let (above, below) = (self.bin(BinOp::Sle, low, value), self.bin(BinOp::Sle, value, high));
        let inside = self.and(above, below);
        self.ite(inside, value, low)
    }
}

/// The requirements are judged, on the status of the step's start and whatever the step comes to. What was noted in the last
/// step is forgotten.
pub(super) fn prologue(cx: &mut Cx, requirements: Option<Proc>) -> Proc {
    let (mut body, head) = Body::process(cx, "prologue", Position::default());
    if let Some(requirements) = requirements {
        body.call(requirements);
    }
    for var in body.cx.vars.notes.clone() {
        if let Initial::Const(value) = body.cx.program.vars[var].init.clone() {
            let value = body.constant(value);
            body.write(var, value);
        }
    }
    let cells: Vec<(Var, Var)> = body.cx.vars.items.values().flatten().map(|cell| (cell.value, cell.next)).collect();
    for (value, next) in cells {
        let ty = body.cx.program.vars[value].ty;
        let place = Place::Global(value);
        let value = body.proc.append1(body.block, InstData::Read { place }, ty, body.at);
        body.write(next, value);
    }
    body.end_step(head)
}
