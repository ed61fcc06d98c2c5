//! T5, T6, A3, F1, H0, H2: one step, with all its choices.

use super::actions::Effects;
use super::transitions::{root, Enabled};
use super::{Fault, Place, Scheduled, Simulator, Status, Value};
use crate::model::*;
use std::collections::{BTreeMap, BTreeSet};

/// One possible outcome of one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepResult {
    pub next: Status,
    /// The compound transitions, each as its segments with the defaults taken, source to target.
    pub fired: Vec<Vec<Segment>>,
    /// Inner before outer.
    pub left: Vec<State>,
    /// Outer before inner.
    pub entered: Vec<State>,
    /// The static reactions performed: the state, and which of its reactions.
    pub reactions: Vec<(State, usize)>,
    /// The scheduled actions performed, by their place.
    pub performed: Vec<usize>,
    /// The conditions that were evaluated, and to what; also if the step has no effect.
    pub conditions: BTreeSet<(Guarded, bool)>,
    pub faults: Vec<Fault>,
}

/// What has a guard: a segment, or a static reaction by its place in its state.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Guarded {
    Segment(Segment),
    Reaction(State, usize),
}

/// What comes up while a step is made.
#[derive(Default)]
pub(super) struct Notes {
    pub faults: Vec<Fault>,
    pub conditions: BTreeSet<(Guarded, bool)>,
}

impl StepResult {
    /// Nothing was enabled: in asynchronous time the superstep ends with this step.
    pub fn is_empty(&self) -> bool {
        self.fired.is_empty() && self.reactions.is_empty() && self.performed.is_empty() && !self.next.aborted
    }
}

/// What is to be chosen.
#[derive(Debug)]
pub enum Choice<'c> {
    /// T4: one of these compound transitions, as their segments. The scope is that of a step's transitions, or the root when
    /// the chart starts.
    Transition { scope: State, transitions: &'c [Vec<Segment>] },
    /// A3: one of these values.
    Value { item: Item, cell: Option<i32>, values: &'c [Value] },
}

impl Choice<'_> {
    /// How many there are to choose from: two or more.
    pub fn count(&self) -> usize {
        match self {
            Choice::Transition { transitions, .. } => transitions.len(),
            Choice::Value { values, .. } => values.len(),
        }
    }
}

pub trait Chooser {
    /// A number below [`Choice::count`].
    fn choose(&mut self, choice: Choice) -> usize;
}

/// Always the first.
pub struct FirstChoice;

impl Chooser for FirstChoice {
    fn choose(&mut self, _: Choice) -> usize {
        0
    }
}

/// Goes through all sequences of choices, one after the other.
#[derive(Default)]
struct AllChoices {
    /// What was chosen, and out of how many.
    made: Vec<(usize, usize)>,
    at: usize,
}

impl Chooser for AllChoices {
    fn choose(&mut self, choice: Choice) -> usize {
        if self.at == self.made.len() {
            self.made.push((0, choice.count()));
        }
        self.at += 1;
        self.made[self.at - 1].0
    }
}

impl AllChoices {
    /// On to the next sequence; `false` if this was the last one.
    fn advance(&mut self) -> bool {
        self.at = 0;
        while let Some((chosen, count)) = self.made.pop() {
            if chosen + 1 < count {
                self.made.push((chosen + 1, count));
                return true;
            }
        }
        false
    }

    fn collect(mut one: impl FnMut(&mut dyn Chooser) -> StepResult) -> Vec<StepResult> {
        let mut choices = AllChoices::default();
        let mut results = vec![one(&mut choices)];
        while choices.advance() {
            results.push(one(&mut choices));
        }
        results
    }
}

/// What a step executes.
#[derive(Default)]
struct Executed {
    transitions: Vec<Enabled>,
    left: BTreeSet<State>,
    entered: BTreeSet<State>,
    reactions: Vec<(State, usize)>,
    performed: Vec<usize>,
}

impl Simulator<'_> {
    /// H0: all statuses in which the chart may be before step 1.
    pub fn initial(&self) -> Vec<Status> {
        self.starts().into_iter().map(|result| result.next).collect()
    }

    /// H0: step 0 with all its outcomes.
    pub fn starts(&self) -> Vec<StepResult> {
        AllChoices::collect(|chooser| self.start(chooser))
    }

    /// H0 "Before the first step the root's default transitions have been taken: their actions are step 0, its effects
    /// and `en` events are seen in step 1."
    pub fn start(&self, chooser: &mut dyn Chooser) -> StepResult {
        let status = self.before_start();
        let mut notes = Notes::default();
        let result = self.h0_start(&status, chooser, &mut notes);
        f1_finish(&status, result, notes)
    }

    /// All outcomes of one step. None if a fault has ended the run.
    pub fn steps(&self, status: &Status) -> Vec<StepResult> {
        match status.aborted {
            true => vec![],
            false => AllChoices::collect(|chooser| self.step(status, chooser)),
        }
    }

    /// One step; the choices are the chooser's.
    pub fn step(&self, status: &Status, chooser: &mut dyn Chooser) -> StepResult {
        let mut notes = Notes::default();
        let run = self.t6_execute(status, chooser, &mut notes);
        let result = self.execute(status, run, chooser, &mut notes);
        f1_finish(status, result, notes)
    }

    /// M2 "stable (no transition or static reaction enabled)"; a scheduled action that is due counts as enabled.
    pub fn is_stable(&self, status: &Status) -> bool {
        let mut notes = Notes::default();
        let run = self.t6_execute(status, &mut FirstChoice, &mut notes);
        let ends = notes.faults.iter().any(Fault::ends_run);
        run.transitions.is_empty() && run.reactions.is_empty() && run.performed.is_empty() && !ends
    }

    fn h0_start(&self, status: &Status, chooser: &mut dyn Chooser, notes: &mut Notes) -> StepResult {
        let ways = self.enter(status, root(), &[], notes);
        let enabled = ways.into_iter().map(|entry| Enabled {
            scope: root(),
            segments: entry.segments,
            entered: entry.states,
            terminates: false,
        });
        let transitions: Vec<Enabled> = t4_choose(root(), enabled.collect(), chooser, notes).into_iter().collect();
        let entered = transitions.iter().flat_map(|t| t.entered.iter().copied()).collect();
        let run = Executed { transitions, entered, ..Executed::default() };
        self.execute(status, run, chooser, notes)
    }

    /// T6 "A step executes a maximal set of enabled, non-conflicting, priority-respecting compound transitions, and all
    /// static reactions T5 allows."
    fn t6_execute(&self, status: &Status, chooser: &mut dyn Chooser, notes: &mut Notes) -> Executed {
        let mut run = Executed::default();
        if status.is_in(root()) {
            self.t4_fire_below(status, root(), chooser, notes, &mut run.transitions);
        }
        for transition in &run.transitions {
            run.left.extend(self.t3_left(status, transition));
            run.entered.extend(&transition.entered);
        }
        run.reactions = self.t5_reactions(status, &run.left, notes);
        run.performed = status.scheduled.iter().filter(|s| s.remaining == 0).map(|s| s.place).collect();
        run
    }

    /// T4 "Two enabled compound transitions conflict when they would leave a common state. If the scope of one strictly
    /// contains the scope of the other, the outer one wins." An OR-state has one active child, so transitions conflict
    /// exactly if their scopes are the same or nested: from the root inwards each active OR-state fires one
    /// transition whose scope it is, and if it can, none below it fires.
    fn t4_fire_below(
        &self,
        status: &Status,
        state: State,
        chooser: &mut dyn Chooser,
        notes: &mut Notes,
        fired: &mut Vec<Enabled>,
    ) {
        if self.chart.states[state].kind == StateKind::Or {
            let enabled = self.t2_enabled(status, state, notes);
            if let Some(transition) = t4_choose(state, enabled, chooser, notes) {
                fired.push(transition);
                return;
            }
        }
        for &child in self.chart.states[state].children.iter().filter(|&&child| status.is_in(child)) {
            self.t4_fire_below(status, child, chooser, notes, fired);
        }
    }

    /// T5 "A static reaction of a state runs in a step when its trigger holds, the state is in the configuration, and no
    /// transition of this step leaves it."
    fn t5_reactions(&self, status: &Status, left: &BTreeSet<State>, notes: &mut Notes) -> Vec<(State, usize)> {
        let mut run = Vec::new();
        for &state in status.configuration.difference(left) {
            for n in 0..self.chart.states[state].reactions.len() {
                if self.guard_holds(status, Guarded::Reaction(state, n), notes) {
                    run.push((state, n));
                }
            }
        }
        run
    }

    /// Performs all actions of the step, and makes the next status of what they did.
    fn execute(&self, status: &Status, run: Executed, chooser: &mut dyn Chooser, notes: &mut Notes) -> StepResult {
        let left: Vec<State> = run.left.iter().rev().copied().collect();
        let entered: Vec<State> = run.entered.iter().copied().collect();
        let lists = self.writers(&run, &left, &entered);
        let writers: Vec<Effects> = lists.iter().map(|lists| self.a1_perform(status, lists)).collect();
        let elapsed = self.a5_elapsed(status, notes);
        notes.faults.extend(writers.iter().flat_map(|w| w.faults.iter().cloned()));
        let values = a3_values(&writers, chooser, notes);
        let next = self.next(status, &run, &writers, values, elapsed);
        debug_assert!(
            next.terminated || next.configuration.is_empty() || self.s1_is_configuration(&next.configuration)
        );
        let fired = run.transitions.into_iter().map(|t| t.segments).collect();
        let (reactions, performed) = (run.reactions, run.performed);
        let (conditions, faults) = Default::default();
        StepResult { next, fired, left, entered, reactions, performed, conditions, faults }
    }

    /// The action lists of each writer: exiting ones, inner before outer; transitions; entering ones, outer before inner; static
    /// reactions; scheduled actions.
    fn writers(&self, run: &Executed, left: &[State], entered: &[State]) -> Vec<Vec<&ActionList>> {
        let chart = self.chart;
        let mut writers: Vec<Vec<&ActionList>> = Vec::new();
        writers.extend(left.iter().flat_map(|&s| chart.states[s].exiting.iter().map(|list| vec![list])));
        for transition in &run.transitions {
            writers.push(transition.segments.iter().map(|&s| &chart.segments[s].action).collect());
        }
        writers.extend(entered.iter().flat_map(|&s| chart.states[s].entering.iter().map(|list| vec![list])));
        writers.extend(run.reactions.iter().map(|&(s, n)| vec![&chart.states[s].reactions[n].action]));
        writers.extend(run.performed.iter().map(|&place| vec![self.schedules[place]]));
        writers
    }

    /// The status at the step's end: S3 "An event lives exactly one step: raised in step i, seen in step i+1, gone after."
    fn next(
        &self,
        status: &Status,
        run: &Executed,
        writers: &[Effects],
        values: BTreeMap<Place, Value>,
        elapsed: Vec<Option<u64>>,
    ) -> Status {
        let terminated = status.terminated || run.transitions.iter().any(|t| t.terminates);
        let stay = status.configuration.difference(&run.left);
        let mut next = Status {
            configuration: stay.chain(&run.entered).copied().collect(),
            values: status.values.clone(),
            events: writers.iter().flat_map(|w| w.events.iter().copied()).collect(),
            entered: run.entered.clone(),
            exited: run.left.clone(),
            written: writers.iter().flat_map(|w| w.written.iter().copied()).collect(),
            read: writers.iter().flat_map(|w| w.read.iter().copied()).collect(),
            previous_values: status.values.clone(),
            previous_configuration: status.configuration.clone(),
            history: self.h1_history(status, run, writers),
            elapsed,
            advance: 0,
            scheduled: waiting(status, writers),
            terminated,
            aborted: false,
        };
        next.values.extend(values);
        if terminated {
            // H2 "A termination connector ends the chart: no further step changes anything."
            next.configuration.clear();
            next.scheduled.clear();
        }
        next
    }

    /// H1: OR-states that are left record their child; "`hc!(S)`, `dc!(S)` clear at the step's end, after the step's own
    /// recording."
    fn h1_history(&self, status: &Status, run: &Executed, writers: &[Effects]) -> BTreeMap<State, State> {
        let mut history = status.history.clone();
        for &state in &run.left {
            if self.chart.states[state].kind == StateKind::Or {
                history.extend(self.last_active(status, state).map(|child| (state, child)));
            }
        }
        for cleared in writers.iter().flat_map(|w| &w.cleared) {
            history.remove(cleared);
        }
        history
    }
}

impl Simulator<'_> {
    /// T2, T5: the guard holds. F1: it does not if it cannot be evaluated.
    pub(super) fn guard_holds(&self, status: &Status, of: Guarded, notes: &mut Notes) -> bool {
        let guard = match of {
            Guarded::Segment(segment) => &self.chart.segments[segment].guard,
            Guarded::Reaction(state, n) => &self.chart.states[state].reactions[n].guard,
        };
        match self.guard(status, guard) {
            Ok((holds, condition)) => {
                notes.conditions.extend(condition.map(|value| (of, value)));
                holds
            }
            Err(fault) => f1_holds(Err(fault), notes),
        }
    }
}

/// F1 "A guard, or the event of a time-out, that cannot be evaluated does not hold": the fault is noted.
pub(super) fn f1_holds(outcome: Result<bool, Fault>, notes: &mut Notes) -> bool {
    outcome.unwrap_or_else(|fault| {
        notes.faults.push(fault);
        false
    })
}

/// F1 "Then the run ends: the step has no effect": the status stays as it was, and of the step only its faults count. Of a
/// step with a loop that does not end nothing else is known.
fn f1_finish(status: &Status, result: StepResult, notes: Notes) -> StepResult {
    let Notes { mut faults, conditions } = notes;
    let endless = |fault: &Fault| matches!(fault, Fault::EndlessLoop { .. });
    if faults.iter().any(endless) {
        faults.retain(endless);
    }
    let mut seen = BTreeSet::new();
    faults.retain(|fault| !fault.ends_run() || seen.insert(fault.clone()));
    if seen.is_empty() {
        return StepResult { conditions, faults, ..result };
    }
    let next = Status { aborted: true, ..status.clone() };
    let (fired, left, entered, reactions, performed) = Default::default();
    StepResult { next, fired, left, entered, reactions, performed, conditions, faults }
}

/// T4 "Otherwise the choice is non-deterministic, and that is a fault the checker reports."
fn t4_choose(scope: State, mut enabled: Vec<Enabled>, chooser: &mut dyn Chooser, notes: &mut Notes) -> Option<Enabled> {
    if enabled.len() < 2 {
        return enabled.pop();
    }
    let transitions: Vec<Vec<Segment>> = enabled.iter().map(|t| t.segments.clone()).collect();
    let chosen = chooser.choose(Choice::Transition { scope, transitions: &transitions });
    notes.faults.push(Fault::Conflict { scope, transitions });
    Some(enabled.swap_remove(chosen))
}

/// A3 "Two actions of one step that write different values to one item are a write-write race; the result is one of the
/// values (any)": for each place independently.
fn a3_values(writers: &[Effects], chooser: &mut dyn Chooser, notes: &mut Notes) -> BTreeMap<Place, Value> {
    let mut written: BTreeMap<Place, BTreeSet<Value>> = BTreeMap::new();
    for writer in writers {
        for (&place, &value) in &writer.values {
            written.entry(place).or_default().insert(value);
        }
    }
    let mut result = BTreeMap::new();
    for ((item, cell), values) in written {
        let values: Vec<Value> = values.into_iter().collect();
        let chosen = match values.len() {
            1 => 0,
            _ => chooser.choose(Choice::Value { item, cell, values: &values }),
        };
        result.insert((item, cell), values[chosen]);
        if values.len() > 1 {
            notes.faults.push(Fault::Race { item, cell, values });
        }
    }
    result
}

/// A5: the scheduled actions that are not performed yet, and the new ones.
fn waiting(status: &Status, writers: &[Effects]) -> Vec<Scheduled> {
    let old = status.scheduled.iter().filter(|s| s.remaining > 0);
    let mut scheduled: Vec<Scheduled> = old.chain(writers.iter().flat_map(|w| &w.scheduled)).copied().collect();
    scheduled.sort();
    scheduled
}
