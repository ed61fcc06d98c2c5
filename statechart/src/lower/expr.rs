//! Expressions and event expressions (A1, A4, A5), read on the status of the step's start.
//!
//! `under` says when the expression is evaluated at all: `and`, `or` and guards evaluate their right side only where it
//! decides, which matters to what fails (an index outside of its array, a division by zero) and to `rd`.

use super::build::{Body, Evaluation};
use super::cx::Watch;
use crate::model::*;
use syncline_ir::{BinOp, Const, FloatFormat, Type, UnOp, Value};

const F64: FloatFormat = FloatFormat::F64;

impl<'a> Body<'_, 'a> {
    /// `trigger[condition]`, and under which the condition is evaluated. F1: it does not hold if it cannot be evaluated.
    pub fn guard(&mut self, guard: &'a Guard, under: Value) -> (Value, Option<(Value, Value)>) {
        let ((holds, condition), ended) = self.evaluation(Evaluation::Guard, |body| body.whole_guard(guard, under));
        let whole = self.not(ended.failed);
        let holds = self.and(holds, whole);
        (holds, condition.map(|(evaluated, value)| (self.and(evaluated, whole), value)))
    }

    fn whole_guard(&mut self, guard: &'a Guard, under: Value) -> (Value, Option<(Value, Value)>) {
        let mut holds = self.boolean(true);
        if let Some(trigger) = &guard.trigger {
            holds = self.occurs(trigger, under);
        }
        let Some(condition) = &guard.condition else { return (holds, None) };
        let evaluated = self.and(under, holds);
        let value = self.value(condition, evaluated);
        (self.and(holds, value), Some((evaluated, value)))
    }

    /// The event occurs in this step.
    pub fn occurs(&mut self, event: &'a EventExpr, under: Value) -> Value {
        match event {
            EventExpr::Event(event) => self.read(self.cx.vars.seen[*event]),
            EventExpr::Entered(state) => {
                let flag = self.cx.entered_flag(*state);
                self.read(flag)
            }
            EventExpr::Exited(state) => {
                let flag = self.cx.exited_flag(*state);
                self.read(flag)
            }
            EventExpr::BecameTrue(c) => {
                let (now, before) = self.now_and_before(c, under, Some(true));
                let not_before = self.not(before);
                self.and(now, not_before)
            }
            EventExpr::BecameFalse(c) => {
                let (now, before) = self.now_and_before(c, under, Some(false));
                let not_now = self.not(now);
                self.and(not_now, before)
            }
            EventExpr::Changed(Watched::Expr(e)) => {
                let (now, before) = self.now_and_before(e, under, None);
                let same = self.eq(now, before);
                self.not(same)
            }
            EventExpr::Changed(Watched::Array(item)) => self.array_changed(*item),
            EventExpr::Written(item) => {
                let flag = self.cx.written_flag(*item);
                self.read(flag)
            }
            EventExpr::Read(item) => {
                let flag = self.cx.vars.read.get(item).map(|&(_, last)| last);
                match flag {
                    Some(flag) => self.read(flag),
                    None => self.boolean(false),
                }
            }
            EventExpr::Timeout(of, delay) => self.timeout(of, delay, under),
            EventExpr::Not(e) => {
                let value = self.occurs(e, under);
                self.not(value)
            }
            EventExpr::And(a, b) => {
                let a = self.occurs(a, under);
                let under = self.and(under, a);
                let b = self.occurs(b, under);
                self.and(a, b)
            }
            EventExpr::Or(a, b) => {
                let a = self.occurs(a, under);
                let not_a = self.not(a);
                let under = self.and(under, not_a);
                let b = self.occurs(b, under);
                self.or(a, b)
            }
            EventExpr::When(e, c) => {
                let e = self.occurs(e, under);
                let under = self.and(under, e);
                let c = self.inside_event(|body| body.value(c, under));
                self.and(e, c)
            }
        }
    }

    /// What is inside an event expression is not read by the action.
    fn inside_event<T>(&mut self, emit: impl FnOnce(&mut Self) -> T) -> T {
        let reading = std::mem::replace(&mut self.reading, false);
        let result = emit(self);
        self.reading = reading;
        result
    }

    /// The value before is looked at only if the one now is as `wanted`.
    fn now_and_before(&mut self, expr: &'a Expr, under: Value, wanted: Option<bool>) -> (Value, Value) {
        let now = self.inside_event(|body| body.value(expr, under));
        let Watch { before, broken, .. } = self.cx.watch(expr, self.proc.value_type(now));
        let before = self.read(before);
        let looked = match wanted {
            None => under,
            Some(true) => self.and(under, now),
            Some(false) => {
                let not = self.not(now);
                self.and(under, not)
            }
        };
        for (spot, broken) in broken {
            let broken = self.read(broken);
            let bad = self.and(looked, broken);
            let prop = self.cx.property_at(spot);
            self.fail(spot, prop, bad);
        }
        (now, before)
    }

    fn array_changed(&mut self, item: Item) -> Value {
        let before = self.cx.watch_array(item);
        let cells = self.cx.vars.items[item].clone();
        if cells.is_empty() {
            self.too_large(item);
        }
        let mut changed = self.boolean(false);
        for (cell, before) in cells.into_iter().zip(before) {
            let (now, before) = (self.read(cell.value), self.read(before));
            let same = self.eq(now, before);
            let other = self.not(same);
            changed = self.or(changed, other);
        }
        changed
    }

    /// A5: with this step the time since E has come to N.
    fn timeout(&mut self, of: &'a EventExpr, delay: &'a Expr, under: Value) -> Value {
        let again = self.occurs(of, under);
        let Some(timer) = self.cx.timer(of) else { return self.boolean(false) };
        let cap = self.cx.vars.timers[timer].cap;
        let before = self.elapsed(timer);
        let now = self.elapsed_now(timer);
        let never = self.is(before, u128::from(cap));
        let counts = self.not(never);
        let first = self.not(again);
        let under = self.and(under, first);
        let since = match self.cx.vars.timers[timer].ever {
            Some(ever) => self.read(ever),
            None => counts,
        };
        let under = self.and(under, since);
        let delay = self.inside_event(|body| body.value(delay, under));
        let zero = self.bv(32, 0);
        let (positive, not_yet) = (self.bin(BinOp::Slt, zero, delay), self.bin(BinOp::Slt, before, delay));
        let due = self.bin(BinOp::Sle, delay, now);
        let crossed = self.and(not_yet, due);
        let crossed = self.and(positive, crossed);
        let counting = self.and(counts, first);
        self.and(counting, crossed)
    }

    fn elapsed(&mut self, timer: usize) -> Value {
        let value = self.read(self.cx.vars.timers[timer].elapsed);
        self.resize(value, 32)
    }

    /// The time since the event, with what has passed before this step; in 32 bits.
    pub fn elapsed_now(&mut self, timer: usize) -> Value {
        let cap = u128::from(self.cx.vars.timers[timer].cap);
        let before = self.elapsed(timer);
        let before = self.resize(before, 40);
        let advance = self.advance(40);
        let sum = self.bin(BinOp::Add, before, advance);
        let most = self.bv(40, cap);
        let over = self.bin(BinOp::Ule, most, sum);
        let now = self.ite(over, most, sum);
        self.resize(now, 32)
    }

    /// The time that has passed since the last step.
    pub fn advance(&mut self, width: u32) -> Value {
        match self.cx.vars.advance {
            None => self.bv(width, 1),
            Some(var) => {
                let value = self.read(var);
                self.resize(value, width)
            }
        }
    }

    pub fn value(&mut self, expr: &'a Expr, under: Value) -> Value {
        match expr {
            Expr::Literal(literal) => self.literal(*literal),
            Expr::Item(item) => {
                self.note_read(*item, under);
                match self.cx.vars.items[*item].first().copied() {
                    Some(cell) => self.cell_value(*item, cell.value),
                    None => self.too_large(*item),
                }
            }
            Expr::Cell(item, index) => {
                let index = self.value(index, under);
                self.note_read(*item, under);
                self.cell(expr, *item, index, under)
            }
            Expr::Context(n) => self.get(self.context[*n as usize]),
            Expr::In(state) => self.is_active(*state),
            Expr::Occurs(event) => self.occurs(event, under),
            Expr::Unary(op, e) => {
                let value = self.value(e, under);
                self.unary(*op, value)
            }
            Expr::Binary(BinaryOp::And, a, b) => {
                let a = self.value(a, under);
                let under = self.and(under, a);
                let b = self.value(b, under);
                self.and(a, b)
            }
            Expr::Binary(BinaryOp::Or, a, b) => {
                let a = self.value(a, under);
                let not_a = self.not(a);
                let under = self.and(under, not_a);
                let b = self.value(b, under);
                self.or(a, b)
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.value(a, under), self.value(b, under));
                if matches!(op, BinaryOp::Div | BinaryOp::Mod) {
                    self.divides(expr, b, under);
                }
                self.binary(*op, a, b)
            }
            Expr::ToReal(e) => {
                let value = self.value(e, under);
                self.un(UnOp::SToF(F64), value)
            }
        }
    }

    pub fn literal(&mut self, literal: Literal) -> Value {
        self.constant(match literal {
            Literal::Bool(b) => Const::Bool(b),
            Literal::Int(n) => Const::bv(32, n as u32 as u128),
            Literal::Real(x) => Const::Float { format: F64, bits: u128::from(x.to_bits()) },
        })
    }

    fn note_read(&mut self, item: Item, under: Value) {
        let Some(&(now, _)) = self.cx.vars.read.get(&item).filter(|_| self.reading) else { return };
        let before = self.read(now);
        let value = self.or(before, under);
        self.write(now, value);
    }

    /// A stored value as a value of expressions.
    pub fn cell_value(&mut self, item: Item, var: syncline_ir::Var) -> Value {
        let value = self.read(var);
        match self.cx.chart.items[item].ty {
            ItemType::Int { .. } | ItemType::Enum(_) => self.resize_signed(value, 32),
            ItemType::Bool | ItemType::Real => value,
        }
    }

    fn cell(&mut self, place: &Expr, item: Item, index: Value, under: Value) -> Value {
        let cells = self.cx.vars.items[item].clone();
        if cells.is_empty() {
            return self.too_large(item);
        }
        let number = self.cell_number(item, index);
        let count = self.bv(32, cells.len() as u128);
        let inside = self.bin(BinOp::Ult, number, count);
        let outside = self.not(inside);
        let bad = self.and(under, outside);
        if self.const_bool(bad) != Some(false) {
            let what = format!("the index is in the bounds of {}", self.cx.chart.items[item].name);
            let spot = Spot::new(place, Failure::Index);
            let prop = self.cx.range_property(spot, Some(item), &what);
            self.fail(spot, prop, bad);
        }
        let mut value = self.cell_value(item, cells[0].value);
        for (n, cell) in cells.iter().enumerate().skip(1) {
            let here = self.is(number, n as u128);
            if self.const_bool(here) == Some(false) {
                continue;
            }
            let this = self.cell_value(item, cell.value);
            value = self.ite(here, this, value);
        }
        value
    }

    /// The place of a cell among the item's, as an unsigned number.
    pub fn cell_number(&mut self, item: Item, index: Value) -> Value {
        let first = self.cx.chart.items[item].array.map_or(0, |a| a.first);
        let first = self.bv(32, first as u32 as u128);
        self.bin(BinOp::Sub, index, first)
    }

    /// The array is not modelled; the value is of no account.
    pub fn too_large(&mut self, item: Item) -> Value {
        let data = &self.cx.chart.items[item];
        let ty = match data.ty {
            ItemType::Bool => Type::BOOL,
            ItemType::Real => Type::float(F64),
            ItemType::Int { .. } | ItemType::Enum(_) => Type::bv(32),
        };
        self.unsupported(format!("the array {} has more than {} cells", data.name, super::cx::MAX_CELLS));
        self.constant(Const::zero(ty))
    }

    fn divides(&mut self, place: &Expr, divisor: Value, under: Value) {
        let zero = match self.ty(divisor) {
            Type::Scalar(syncline_ir::Scalar::Float(_)) => {
                let zero = self.literal(Literal::Real(0.0));
                self.bin(BinOp::FEq, divisor, zero)
            }
            _ => self.is(divisor, 0),
        };
        let bad = self.and(under, zero);
        if self.const_bool(bad) != Some(false) {
            let spot = Spot::new(place, Failure::Division);
            let prop = self.cx.range_property(spot, None, "the divisor is not 0");
            self.fail(spot, prop, bad);
        }
    }

    fn is_real(&self, value: Value) -> bool {
        matches!(self.ty(value), Type::Scalar(syncline_ir::Scalar::Float(_)))
    }

    fn unary(&mut self, op: UnaryOp, value: Value) -> Value {
        match (op, self.is_real(value)) {
            (UnaryOp::Not, _) => self.not(value),
            (UnaryOp::Neg, true) => self.un(UnOp::FNeg, value),
            (UnaryOp::Neg, false) => self.un(UnOp::BvNeg, value),
            (UnaryOp::Abs, true) => {
                let (negative, other) = (self.un(UnOp::FSign, value), self.un(UnOp::FNeg, value));
                self.ite(negative, other, value)
            }
            (UnaryOp::Abs, false) => {
                let zero = self.bv(32, 0);
                let (negative, other) = (self.bin(BinOp::Slt, value, zero), self.un(UnOp::BvNeg, value));
                self.ite(negative, other, value)
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let real = self.is_real(a);
        let pick = |of_reals: BinOp, of_integers: BinOp| if real { of_reals } else { of_integers };
        match op {
            BinaryOp::And => self.and(a, b),
            BinaryOp::Or => self.or(a, b),
            BinaryOp::Xor => self.bin(BinOp::Xor, a, b),
            BinaryOp::Add => self.bin(pick(BinOp::FAdd, BinOp::Add), a, b),
            BinaryOp::Sub => self.bin(pick(BinOp::FSub, BinOp::Sub), a, b),
            BinaryOp::Mul => self.bin(pick(BinOp::FMul, BinOp::Mul), a, b),
            BinaryOp::Div => self.bin(pick(BinOp::FDiv, BinOp::SDiv), a, b),
            BinaryOp::Mod => self.bin(BinOp::SRem, a, b),
            BinaryOp::Min => {
                let less = self.bin(pick(BinOp::FLt, BinOp::Slt), a, b);
                self.ite(less, a, b)
            }
            BinaryOp::Max => {
                let more = self.bin(pick(BinOp::FLt, BinOp::Slt), b, a);
                self.ite(more, a, b)
            }
            BinaryOp::Eq => self.bin(pick(BinOp::FEq, BinOp::Eq), a, b),
            BinaryOp::Ne => {
                let same = self.bin(pick(BinOp::FEq, BinOp::Eq), a, b);
                self.not(same)
            }
            BinaryOp::Lt => self.bin(pick(BinOp::FLt, BinOp::Slt), a, b),
            BinaryOp::Le => self.bin(pick(BinOp::FLe, BinOp::Sle), a, b),
            BinaryOp::Gt => self.bin(pick(BinOp::FLt, BinOp::Slt), b, a),
            BinaryOp::Ge => self.bin(pick(BinOp::FLe, BinOp::Sle), b, a),
        }
    }
}
