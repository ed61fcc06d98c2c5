//! A1, A4, A5: expressions and event expressions, read on the status of the step's start.

use super::step::{f1_holds, Notes};
use super::{Fault, Simulator, Status, Value};
use crate::model::*;
use std::collections::BTreeSet;

/// What an expression may read beside the status.
pub(super) struct Reader<'s> {
    pub status: &'s Status,
    /// A2: the context variables of the action list.
    pub context: Vec<Value>,
    /// `tr`, `fs` and `ch` look at the step before.
    before: bool,
    /// The items that were evaluated: `rd` of the next step.
    pub read: BTreeSet<Item>,
}

impl<'s> Reader<'s> {
    pub fn new(status: &'s Status, context: Vec<Value>) -> Reader<'s> {
        Reader { status, context, before: false, read: BTreeSet::new() }
    }

    /// The same at the start of the step before.
    fn before(&self) -> Reader<'s> {
        Reader { status: self.status, context: self.context.clone(), before: true, read: BTreeSet::new() }
    }

    fn is_in(&self, state: State) -> bool {
        let active = if self.before { &self.status.previous_configuration } else { &self.status.configuration };
        active.contains(&state)
    }

    fn item(&mut self, at: &Expr, item: Item, cell: Option<i32>) -> Result<Value, Fault> {
        self.read.insert(item);
        let values = if self.before { &self.status.previous_values } else { &self.status.values };
        // The importer has checked that items without an index are no arrays: what is missing is an index.
        let missing = || Fault::Index { item, index: cell.unwrap_or(0), spot: Spot::new(at, Failure::Index) };
        values.get(&(item, cell)).copied().ok_or_else(missing)
    }
}

impl Simulator<'_> {
    /// `trigger[condition]`; the condition is evaluated if the trigger holds: its value, if it has one, beside whether all holds.
    pub(super) fn guard(&self, status: &Status, guard: &Guard) -> Result<(bool, Option<bool>), Fault> {
        let mut reader = Reader::new(status, vec![]);
        if let Some(trigger) = &guard.trigger {
            if !self.occurs(&reader, trigger)? {
                return Ok((false, None));
            }
        }
        match &guard.condition {
            Some(condition) => self.holds(&mut reader, condition).map(|holds| (holds, Some(holds))),
            None => Ok((true, None)),
        }
    }

    /// A4, A5: does the event occur in the step that starts with this status?
    pub(super) fn occurs(&self, reader: &Reader, event: &EventExpr) -> Result<bool, Fault> {
        let status = reader.status;
        Ok(match event {
            // S3: what was raised in the step before, or came from outside.
            EventExpr::Event(event) => status.events.contains(event),
            EventExpr::Entered(state) => status.entered.contains(state),
            EventExpr::Exited(state) => status.exited.contains(state),
            EventExpr::BecameTrue(c) => self.holds_now(reader, c)? && !self.held_before(reader, c)?,
            EventExpr::BecameFalse(c) => !self.holds_now(reader, c)? && self.held_before(reader, c)?,
            EventExpr::Changed(Watched::Expr(e)) => {
                self.value(&mut reader.now(), e)? != self.value(&mut reader.before(), e)?
            }
            EventExpr::Changed(Watched::Array(item)) => super::status::places_of(self.chart, *item)
                .iter()
                .any(|place| status.values.get(place) != status.previous_values.get(place)),
            EventExpr::Written(item) => status.written.contains(item),
            EventExpr::Read(item) => status.read.contains(item),
            EventExpr::Timeout(of, delay) => self.a5_timeout(reader, of, delay)?,
            EventExpr::Not(e) => !self.occurs(reader, e)?,
            EventExpr::And(a, b) => self.occurs(reader, a)? && self.occurs(reader, b)?,
            EventExpr::Or(a, b) => self.occurs(reader, a)? || self.occurs(reader, b)?,
            EventExpr::When(e, c) => self.occurs(reader, e)? && self.holds_now(reader, c)?,
        })
    }

    /// A5 "`tm(E, N)` occurs N time units after the latest occurrence of E": in the step with which the time since has come
    /// to N. N of 0 or less: never.
    fn a5_timeout(&self, reader: &Reader, of: &EventExpr, delay: &Expr) -> Result<bool, Fault> {
        if self.occurs(reader, of)? {
            return Ok(false);
        }
        let place = self.timeouts.iter().position(|(event, _)| std::ptr::eq(*event, of));
        let Some(elapsed) = place.and_then(|place| reader.status.elapsed[place]) else {
            return Ok(false);
        };
        let delay = i64::from(self.integer(&mut reader.now(), delay)?);
        let (now, before) = (elapsed as i64, elapsed as i64 - i64::from(reader.status.advance));
        Ok(delay > 0 && now >= delay && before < delay)
    }

    /// The time-outs as the next status has them: those whose event occurs in this step count from now on.
    /// F1: an event that cannot be evaluated does not occur; in a requirement that is no fault of the step.
    pub(super) fn a5_elapsed(&self, status: &Status, notes: &mut Notes) -> Vec<Option<u64>> {
        let reader = Reader::new(status, vec![]);
        let mut next = Vec::new();
        for (place, (event, delay)) in self.timeouts.iter().enumerate() {
            let occurs = match self.occurs(&reader, event) {
                outcome if place < self.timeouts_of_labels => f1_holds(outcome, notes),
                outcome => outcome.unwrap_or(false),
            };
            let elapsed = if occurs { Some(0) } else { status.elapsed[place] };
            // With a constant N the time is over when it has occurred: the count says nothing more.
            let over = match delay {
                Expr::Literal(Literal::Int(n)) => elapsed.is_some_and(|t| t as i64 >= i64::from(*n)),
                _ => false,
            };
            next.push(elapsed.filter(|_| !over));
        }
        next
    }

    fn holds_now(&self, reader: &Reader, condition: &Expr) -> Result<bool, Fault> {
        self.holds(&mut reader.now(), condition)
    }

    fn held_before(&self, reader: &Reader, condition: &Expr) -> Result<bool, Fault> {
        self.holds(&mut reader.before(), condition)
    }

    pub(super) fn holds(&self, reader: &mut Reader, condition: &Expr) -> Result<bool, Fault> {
        match self.value(reader, condition)? {
            Value::Bool(b) => Ok(b),
            Value::Int(_) | Value::Real(_) => unreachable!("a condition is a Boolean"),
        }
    }

    pub(super) fn integer(&self, reader: &mut Reader, expr: &Expr) -> Result<i32, Fault> {
        match self.value(reader, expr)? {
            Value::Int(n) => Ok(n),
            Value::Bool(_) | Value::Real(_) => unreachable!("an index, bound or time is an integer"),
        }
    }

    pub(super) fn value(&self, reader: &mut Reader, expr: &Expr) -> Result<Value, Fault> {
        Ok(match expr {
            Expr::Literal(literal) => (*literal).into(),
            Expr::Item(item) => reader.item(expr, *item, None)?,
            Expr::Cell(item, index) => {
                let index = self.integer(reader, index)?;
                reader.item(expr, *item, Some(index))?
            }
            Expr::Context(variable) => reader.context[*variable as usize],
            Expr::In(state) => Value::Bool(reader.is_in(*state)),
            Expr::Occurs(event) => Value::Bool(self.occurs(reader, event)?),
            Expr::Unary(op, e) => unary(*op, self.value(reader, e)?),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let a = self.holds(reader, a)?;
                let decided = a == (*op == BinaryOp::Or);
                Value::Bool(if decided { a } else { self.holds(reader, b)? })
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.value(reader, a)?, self.value(reader, b)?);
                binary(*op, a, b).ok_or_else(|| Fault::Division { spot: Spot::new(expr, Failure::Division) })?
            }
            Expr::ToReal(e) => real(f64::from(self.integer(reader, e)?)),
        })
    }
}

impl<'s> Reader<'s> {
    /// What is inside an event expression is not read by the action.
    fn now(&self) -> Reader<'s> {
        Reader { status: self.status, context: self.context.clone(), before: self.before, read: BTreeSet::new() }
    }
}

fn real(x: f64) -> Value {
    Value::Real(x.to_bits())
}

fn unary(op: UnaryOp, value: Value) -> Value {
    match (op, value) {
        (UnaryOp::Not, Value::Bool(b)) => Value::Bool(!b),
        (UnaryOp::Neg, Value::Int(n)) => Value::Int(n.wrapping_neg()),
        (UnaryOp::Neg, Value::Real(x)) => real(-f64::from_bits(x)),
        (UnaryOp::Abs, Value::Int(n)) => Value::Int(n.wrapping_abs()),
        (UnaryOp::Abs, Value::Real(x)) => real(f64::from_bits(x).abs()),
        (UnaryOp::Not, Value::Int(_) | Value::Real(_)) | (UnaryOp::Neg | UnaryOp::Abs, Value::Bool(_)) => {
            unreachable!("operands are as the operator wants them")
        }
    }
}

/// `None`: a division by zero.
fn binary(op: BinaryOp, a: Value, b: Value) -> Option<Value> {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => Some(Value::Bool(match op {
            BinaryOp::And => a && b,
            BinaryOp::Or => a || b,
            BinaryOp::Xor | BinaryOp::Ne => a != b,
            BinaryOp::Eq => a == b,
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => unreachable!("typed"),
            BinaryOp::Min | BinaryOp::Max => unreachable!("typed"),
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => unreachable!("typed"),
        })),
        (Value::Int(a), Value::Int(b)) => of_integers(op, a, b),
        (Value::Real(a), Value::Real(b)) => of_reals(op, f64::from_bits(a), f64::from_bits(b)),
        (Value::Bool(_) | Value::Int(_) | Value::Real(_), _) => unreachable!("both operands have one type"),
    }
}

fn of_integers(op: BinaryOp, a: i32, b: i32) -> Option<Value> {
    Some(match op {
        BinaryOp::Add => Value::Int(a.wrapping_add(b)),
        BinaryOp::Sub => Value::Int(a.wrapping_sub(b)),
        BinaryOp::Mul => Value::Int(a.wrapping_mul(b)),
        BinaryOp::Div | BinaryOp::Mod if b == 0 => return None,
        BinaryOp::Div => Value::Int(a.wrapping_div(b)),
        BinaryOp::Mod => Value::Int(a.wrapping_rem(b)),
        BinaryOp::Min => Value::Int(a.min(b)),
        BinaryOp::Max => Value::Int(a.max(b)),
        BinaryOp::Eq => Value::Bool(a == b),
        BinaryOp::Ne => Value::Bool(a != b),
        BinaryOp::Lt => Value::Bool(a < b),
        BinaryOp::Le => Value::Bool(a <= b),
        BinaryOp::Gt => Value::Bool(a > b),
        BinaryOp::Ge => Value::Bool(a >= b),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => unreachable!("typed"),
    })
}

fn of_reals(op: BinaryOp, a: f64, b: f64) -> Option<Value> {
    Some(match op {
        BinaryOp::Add => real(a + b),
        BinaryOp::Sub => real(a - b),
        BinaryOp::Mul => real(a * b),
        BinaryOp::Div if b == 0.0 => return None,
        BinaryOp::Div => real(a / b),
        BinaryOp::Min => real(if a < b { a } else { b }),
        BinaryOp::Max => real(if a > b { a } else { b }),
        BinaryOp::Eq => Value::Bool(a == b),
        BinaryOp::Ne => Value::Bool(a != b),
        BinaryOp::Lt => Value::Bool(a < b),
        BinaryOp::Le => Value::Bool(a <= b),
        BinaryOp::Gt => Value::Bool(a > b),
        BinaryOp::Ge => Value::Bool(a >= b),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Mod => unreachable!("typed"),
    })
}
