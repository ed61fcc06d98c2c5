//! Action lists (A1, A1b, A2) and writers (A3).
//!
//! A writer keeps what it writes in slots of its own and hands it over at its end. If somebody has written the item in
//! this step before, an input says whose value stays; different values are the race. An item that has one writer in
//! the whole chart needs none of that.

use super::build::{Body, Evaluation};
use super::cx::Waiting;
use super::ranges::declared;
use super::{Check, Subject};
use crate::model::*;
use std::collections::{BTreeMap, BTreeSet};
use syncline_ir::{BinOp, Const, FloatFormat, Place, Slot, Type, Value};

/// Loops of constant bounds with so few rounds are unrolled.
const MAX_UNROLLED: i64 = 64;

/// Who writes: the slots for the items that others write too. (value, whether it was written), a pair for each cell.
#[derive(Default)]
pub(super) struct Writer {
    pending: BTreeMap<Item, Vec<(Slot, Slot)>>,
}

impl<'a> Body<'_, 'a> {
    /// Begins a writer of these items.
    pub fn begin_writer(&mut self, items: &BTreeSet<Item>) -> Writer {
        let mut writer = Writer::default();
        for &item in items {
            if self.cx.writers[item] < 2 {
                continue;
            }
            let mut slots = Vec::new();
            for cell in self.cx.vars.items[item].clone() {
                let (name, ty) = (self.cx.program.vars[cell.value].name.clone(), self.cx.program.vars[cell.value].ty);
                let (value, wrote) = (self.slot(&name, ty), self.slot(&format!("{name}.wrote"), Type::BOOL));
                let zero = self.constant(Const::zero(ty));
                self.set(value, zero);
                let no = self.boolean(false);
                self.set(wrote, no);
                slots.push((value, wrote));
            }
            writer.pending.insert(item, slots);
        }
        writer
    }

    /// Hands over what the writer has written.
    pub fn end_writer(&mut self, writer: Writer) {
        for (item, slots) in writer.pending {
            for (n, (value, wrote)) in slots.into_iter().enumerate() {
                let wrote = self.get(wrote);
                self.when(wrote, |body| body.hand_over(item, n, value));
            }
        }
    }

    fn hand_over(&mut self, item: Item, n: usize, value: Slot) {
        let data = &self.cx.chart.items[item];
        let cell = self.cx.vars.items[item][n];
        let value = self.get(value);
        let (others, theirs) = (self.read(cell.written), self.read(cell.next));
        let same = self.eq(value, theirs);
        let differ = self.not(same);
        let race = self.and(others, differ);
        let what = format!("no two actions of one step write different values to {}", data.name);
        let prop = self.cx.property(Check::Race, Subject::Item(item), &data.name, &what, data.position);
        self.report(prop, race);
        let site = self.cx.choice(&format!("the value of {} stays", data.name), Type::BOOL, data.position);
        let stays = self.havoc(site);
        let keep = self.and(others, stays);
        let value = self.ite(keep, theirs, value);
        self.write(cell.next, value);
        self.write_bool(cell.written, true);
    }

    /// An action list that is a writer of its own.
    pub fn own_list(&mut self, list: &'a ActionList) {
        let writer = self.begin_writer(&super::scan::written_by(list));
        self.list(list, &writer);
        self.end_writer(writer);
    }

    /// Performs a list as (part of) a writer.
    pub fn list(&mut self, list: &'a ActionList, writer: &Writer) {
        if list.statements.is_empty() {
            return;
        }
        self.locate(list.position);
        self.cx.here = list.position;
        let outer = std::mem::take(&mut self.context);
        for (name, ty) in &list.context {
            let ty = match ty {
                ValueType::Bool => Type::BOOL,
                ValueType::Int => Type::bv(32),
                ValueType::Real => Type::float(FloatFormat::F64),
            };
            let slot = self.slot(name, ty);
            let zero = self.constant(Const::zero(ty));
            self.set(slot, zero);
            self.context.push(slot);
        }
        let reading = std::mem::replace(&mut self.reading, true);
        // F1: where a list cannot go on it ends; what it has done stays.
        let end = self.new_block();
        let evaluation = std::mem::replace(&mut self.evaluation, Evaluation::List(end));
        self.statements(&list.statements, writer);
        self.enter(end);
        self.evaluation = evaluation;
        self.reading = reading;
        self.context = outer;
    }

    fn statements(&mut self, statements: &'a [Statement], writer: &Writer) {
        statements.iter().for_each(|s| self.statement(s, writer));
    }

    fn evaluate(&mut self, expr: &'a Expr) -> Value {
        let always = self.boolean(true);
        self.value(expr, always)
    }

    fn statement(&mut self, statement: &'a Statement, writer: &Writer) {
        match statement {
            Statement::Raise(event) => {
                if let Some(raised) = self.cx.vars.raised[*event] {
                    self.write_bool(raised, true);
                }
            }
            Statement::Assign { item, index, value } => self.assign(statement, *item, index.as_ref(), value, writer),
            Statement::SetContext(n, e) => {
                let value = self.evaluate(e);
                self.set(self.context[*n as usize], value);
            }
            Statement::If { condition, then, otherwise } => {
                let cond = self.evaluate(condition);
                self.either(cond, then, otherwise, writer);
            }
            Statement::When { event, then, otherwise } => {
                let always = self.boolean(true);
                let cond = self.occurs(event, always);
                self.either(cond, then, otherwise, writer);
            }
            Statement::For { variable, from, to, body } => self.count(*variable, from, to, body, writer),
            Statement::While { condition, body } => {
                let (head, round, next) = (self.new_block(), self.new_block(), self.new_block());
                self.enter(head);
                let cond = self.evaluate(condition);
                self.branch(cond, round, next);
                self.block = round;
                self.statements(body, writer);
                self.jump(head);
                self.block = next;
            }
            Statement::Schedule { action, delay } => self.schedule(action, delay),
            Statement::ClearHistory(state) => self.clear(*state),
            Statement::ClearDeepHistory(state) => {
                for state in super::plan::below(self.cx.chart, *state) {
                    self.clear(state);
                }
            }
        }
    }

    fn clear(&mut self, state: State) {
        if let Some(flag) = self.cx.vars.clear[state] {
            self.write_bool(flag, true);
        }
    }

    fn either(&mut self, cond: Value, then: &'a [Statement], otherwise: &'a [Statement], writer: &Writer) {
        let (yes, no, next) = (self.new_block(), self.new_block(), self.new_block());
        self.branch(cond, yes, no);
        self.block = yes;
        self.statements(then, writer);
        self.jump(next);
        self.block = no;
        self.statements(otherwise, writer);
        self.enter(next);
    }

    /// The loop variable takes every value, whatever the body does to it.
    fn count(&mut self, variable: u32, from: &'a Expr, to: &'a Expr, body: &'a [Statement], writer: &Writer) {
        let context = self.context[variable as usize];
        if let (Expr::Literal(Literal::Int(from)), Expr::Literal(Literal::Int(to))) = (from, to) {
            if i64::from(*to) - i64::from(*from) < MAX_UNROLLED {
                for n in *from..=*to {
                    let value = self.literal(Literal::Int(n));
                    self.set(context, value);
                    self.statements(body, writer);
                }
                return;
            }
        }
        let (from, to) = (self.evaluate(from), self.evaluate(to));
        let (counter, last) = (self.slot("counter", Type::bv(32)), self.slot("last", Type::bv(32)));
        self.set(counter, from);
        self.set(last, to);
        let (round, again, next) = (self.new_block(), self.new_block(), self.new_block());
        let some = self.bin(BinOp::Sle, from, to);
        self.branch(some, round, next);
        self.block = round;
        let value = self.get(counter);
        self.set(context, value);
        self.statements(body, writer);
        let (value, to) = (self.get(counter), self.get(last));
        let over = self.eq(value, to);
        self.branch(over, next, again);
        self.block = again;
        let one = self.bv(32, 1);
        let more = self.bin(BinOp::Add, value, one);
        self.set(counter, more);
        self.jump(round);
        self.block = next;
    }

    fn assign(&mut self, place: &'a Statement, item: Item, index: Option<&'a Expr>, value: &'a Expr, writer: &Writer) {
        let index = index.map(|e| self.evaluate(e));
        let stays = self.cx.ranges.stays(self.cx.chart, item, value);
        let value = self.evaluate(value);
        let count = self.cx.vars.items[item].len();
        if count == 0 {
            self.too_large(item);
            return;
        }
        let number = match index {
            None => self.bv(32, 0),
            Some(index) => {
                let number = self.cell_number(item, index);
                let cells = self.bv(32, count as u128);
                let inside = self.bin(BinOp::Ult, number, cells);
                let outside = self.not(inside);
                if self.const_bool(outside) != Some(false) {
                    let what = format!("the index is in the bounds of {}", self.cx.chart.items[item].name);
                    let spot = Spot::new(place, Failure::Target);
                    let prop = self.cx.range_property(spot, Some(item), &what);
                    self.fail(spot, prop, outside);
                }
                number
            }
        };
        if let (Some((min, max)), false) = (declared(self.cx.chart, item), stays) {
            let (low, high) = (self.bv(32, min as i32 as u32 as u128), self.bv(32, max as i32 as u32 as u128));
            let (above, below) = (self.bin(BinOp::Sle, low, value), self.bin(BinOp::Sle, value, high));
            let fits = self.and(above, below);
            let outside = self.not(fits);
            let what = format!("the value assigned to {} is in {min}..{max}", self.cx.chart.items[item].name);
            let prop = self.cx.range_property(Spot::new(place, Failure::Value), Some(item), &what);
            self.cx.map.ranges.extend(prop);
            match self.cx.confined {
                true => self.end_run(prop, outside),
                false => self.report(prop, outside),
            }
        }
        for n in 0..count {
            let here = self.is(number, n as u128);
            if self.const_bool(here) != Some(false) {
                self.assign_cell(item, n, here, value, writer);
            }
        }
    }

    /// The cell gets the value if `here`.
    fn assign_cell(&mut self, item: Item, n: usize, here: Value, value: Value, writer: &Writer) {
        let cell = self.cx.vars.items[item][n];
        let value = match self.cx.program.vars[cell.value].ty.width() {
            Some(width) => self.resize_signed(value, width),
            None => value,
        };
        let (target, flag) = match writer.pending.get(&item) {
            Some(slots) => (Place::Local(slots[n].0), Place::Local(slots[n].1)),
            None => (Place::Global(cell.next), Place::Global(cell.written)),
        };
        let (old, wrote) = (self.read_place(target), self.read_place(flag));
        let value = self.ite(here, value, old);
        let wrote = self.or(wrote, here);
        self.write_place(target, value);
        self.write_place(flag, wrote);
    }

    fn read_place(&mut self, place: Place) -> Value {
        match place {
            Place::Global(var) => self.read(var),
            Place::Local(slot) => self.get(slot),
        }
    }

    fn write_place(&mut self, place: Place, value: Value) {
        match place {
            Place::Global(var) => self.write(var, value),
            Place::Local(slot) => self.set(slot, value),
        }
    }

    fn schedule(&mut self, action: &'a ActionList, delay: &'a Expr) {
        match self.cx.schedule(action, delay) {
            Waiting::Register { now, .. } => self.write_bool(now, true),
            Waiting::Counter { now, .. } => {
                let wanted = self.evaluate(delay);
                let (zero, one) = (self.bv(32, 0), self.bv(32, 1));
                let later = self.bin(BinOp::Slt, zero, wanted);
                let wanted = self.ite(later, wanted, one);
                let width = self.cx.program.vars[now].ty.width().unwrap_or(32);
                let wanted = self.resize(wanted, width);
                let before = self.read(now);
                let none = self.is(before, 0);
                let same = self.eq(before, wanted);
                let fits = self.or(none, same);
                let other = self.not(fits);
                self.when(other, |body| body.unsupported("one sc! with two delays in one step"));
                self.write(now, wanted);
            }
        }
    }
}
