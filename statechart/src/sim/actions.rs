//! A1, A1b, A2: what one writer does. A writer is a compound transition with the actions of all its segments, one entering
//! or exiting list, a static reaction, or a scheduled action.

use super::eval::Reader;
use super::{Fault, Place, Scheduled, Simulator, Status, Value};
use crate::model::*;
use std::collections::{BTreeMap, BTreeSet};

/// Rounds of loops in one action list before it counts as endless.
pub const LOOP_LIMIT: u32 = 1_000_000;

/// What a writer has done. A1 "Their effects appear together when the step ends."
#[derive(Clone, Debug, Default)]
pub(super) struct Effects {
    /// A1b "Two writes to one item within one action list: the last one counts".
    pub values: BTreeMap<Place, Value>,
    pub events: BTreeSet<Event>,
    pub written: BTreeSet<Item>,
    pub read: BTreeSet<Item>,
    pub scheduled: Vec<Scheduled>,
    /// `hc!` and `dc!`: the OR-states whose past is forgotten.
    pub cleared: BTreeSet<State>,
    /// Range violations, and what has ended a list.
    pub faults: Vec<Fault>,
}

impl Simulator<'_> {
    /// Performs action lists in order, as one writer. A1 "All actions of a step read the status of the step's start." F1:
    /// one that meets a fault ends there; the others are performed.
    pub(super) fn a1_perform(&self, status: &Status, lists: &[&ActionList]) -> Effects {
        let mut effects = Effects::default();
        for list in lists {
            // A2: context variables are local to their list, and start as 0.
            let context = list.context.iter().map(|(_, ty)| zero(*ty)).collect();
            let reader = Reader::new(status, context);
            let mut run = Performance { sim: self, list, reader, effects: &mut effects, rounds: 0 };
            let ended = run.statements(&list.statements);
            let read = std::mem::take(&mut run.reader.read);
            effects.read.extend(read);
            effects.faults.extend(ended.err());
        }
        effects
    }
}

fn zero(ty: ValueType) -> Value {
    match ty {
        ValueType::Bool => Value::Bool(false),
        ValueType::Int => Value::Int(0),
        ValueType::Real => Value::Real(0.0f64.to_bits()),
    }
}

struct Performance<'a, 's> {
    sim: &'a Simulator<'a>,
    list: &'a ActionList,
    reader: Reader<'s>,
    effects: &'a mut Effects,
    rounds: u32,
}

impl Performance<'_, '_> {
    fn statements(&mut self, statements: &[Statement]) -> Result<(), Fault> {
        statements.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), Fault> {
        match statement {
            Statement::Raise(event) => {
                self.effects.events.insert(*event);
            }
            Statement::Assign { item, index, value } => self.assign(statement, *item, index.as_ref(), value)?,
            // A2 "written and read at once".
            Statement::SetContext(variable, value) => {
                self.reader.context[*variable as usize] = self.sim.value(&mut self.reader, value)?;
            }
            Statement::If { condition, then, otherwise } => {
                let holds = self.sim.holds(&mut self.reader, condition)?;
                self.statements(if holds { then } else { otherwise })?;
            }
            Statement::When { event, then, otherwise } => {
                let occurs = self.sim.occurs(&self.reader, event)?;
                self.statements(if occurs { then } else { otherwise })?;
            }
            Statement::For { variable, from, to, body } => {
                let from = self.sim.integer(&mut self.reader, from)?;
                let to = self.sim.integer(&mut self.reader, to)?;
                for n in from..=to {
                    self.round()?;
                    self.reader.context[*variable as usize] = Value::Int(n);
                    self.statements(body)?;
                }
            }
            Statement::While { condition, body } => {
                while self.sim.holds(&mut self.reader, condition)? {
                    self.round()?;
                    self.statements(body)?;
                }
            }
            Statement::Schedule { action, delay } => {
                let delay = self.sim.integer(&mut self.reader, delay)?;
                self.schedule(action, delay);
            }
            Statement::ClearHistory(state) => {
                self.effects.cleared.insert(*state);
            }
            Statement::ClearDeepHistory(state) => {
                let chart = self.sim.chart;
                let below = |s: &State| *s == *state || super::transitions::strictly_contains(chart, *state, *s);
                self.effects.cleared.extend(chart.states.keys().filter(below));
            }
        }
        Ok(())
    }

    fn round(&mut self) -> Result<(), Fault> {
        self.rounds += 1;
        match self.rounds > LOOP_LIMIT {
            true => Err(Fault::EndlessLoop { position: self.list.position }),
            false => Ok(()),
        }
    }

    fn assign(&mut self, at: &Statement, item: Item, index: Option<&Expr>, value: &Expr) -> Result<(), Fault> {
        let cell = match index {
            Some(index) => Some(self.sim.integer(&mut self.reader, index)?),
            None => None,
        };
        let value = self.sim.value(&mut self.reader, value)?;
        if !self.reader.status.values.contains_key(&(item, cell)) {
            return Err(Fault::Index { item, index: cell.unwrap_or(0), spot: Spot::new(at, Failure::Target) });
        }
        if !in_range(self.sim.chart, item, value) {
            let spot = Spot::new(at, Failure::Value);
            self.effects.faults.push(Fault::Range { item, value, position: self.list.position, spot });
        }
        self.effects.values.insert((item, cell), value);
        self.effects.written.insert(item);
        Ok(())
    }

    /// A5 "`sc!(A, N)` performs A N time units later", at least one.
    fn schedule(&mut self, action: &ActionList, delay: i32) {
        let place = self.sim.schedules.iter().position(|list| std::ptr::eq(*list, action));
        let place = place.expect("all scheduled actions of the chart have a place");
        self.effects.scheduled.push(Scheduled { remaining: delay.max(1) as u64, place });
    }
}

pub(super) fn in_range(chart: &Chart, item: Item, value: Value) -> bool {
    match (chart.items[item].ty, value) {
        (ItemType::Int { min, max }, Value::Int(n)) => (min..=max).contains(&n),
        (ItemType::Enum(ty), Value::Int(n)) => n >= 0 && (n as usize) < chart.enums[ty as usize].values.len(),
        (ItemType::Bool | ItemType::Real, _) => true,
        (ItemType::Int { .. } | ItemType::Enum(_), Value::Bool(_) | Value::Real(_)) => unreachable!("typed"),
    }
}
