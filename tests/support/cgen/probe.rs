//! The systematic part: each program takes the next few cells of every table (operator by operand kinds, conversions by
//! place), so that 300 programs visit them all, whatever the random part does.

use super::{Class, Expr, Gen};
use crate::support::coverage::{binary_cells, compound_ops, pair, ANY_OPS, CONVERSIONS, INT_OPS, UNARY};
use crate::support::kinds::Kind;

/// Cells a program takes of each table.
const BINARY: usize = 16;
const COMPOUND: usize = 8;
const CONVERTED: usize = 5;
const UNARIES: usize = 2;
const TRUTHS: usize = 3;

/// A prime that divides no table's size, so that steps of it visit every cell, and neighbours land in different programs.
const STRIDE: usize = 7919;

/// The cells of program `index`, `count` of them.
pub(super) fn turn<T: Copy>(cells: &[T], index: u64, count: usize) -> impl Iterator<Item = T> + '_ {
    (0..count).map(move |k| cells[((index as usize * count + k) * STRIDE) % cells.len()])
}

impl Gen {
    pub(super) fn probes(&mut self, index: u64) {
        let floats = self.config.floats;
        let ops: Vec<_> = ANY_OPS.iter().chain(&INT_OPS).copied().collect();
        for (op, left, right) in turn(&binary_cells(floats, &ops), index, BINARY) {
            self.on_one_line(|gen| gen.binary_probe(op, left, right));
        }
        for (op, left, right) in turn(&binary_cells(floats, &compound_ops()), index, COMPOUND) {
            self.on_one_line(|gen| gen.compound_probe(op, left, right));
        }
        let places = binary_cells(floats, &CONVERSIONS);
        for (place, from, to) in turn(&places, index, CONVERTED) {
            self.on_one_line(|gen| gen.conversion_probe(place, from, to));
        }
        let unary: Vec<_> = UNARY.iter().flat_map(|&op| self.kinds().iter().map(move |&kind| (op, kind))).collect();
        for (op, kind) in turn(&unary, index, UNARIES) {
            self.on_one_line(|gen| gen.unary_probe(op, kind));
        }
        for _ in 0..TRUTHS {
            self.on_one_line(Self::truth_probe);
        }
    }

    /// A probe's declarations and statements share a line: programs stay readable, and the reducer drops them together.
    fn on_one_line(&mut self, make: impl FnOnce(&mut Self)) {
        let before = self.lines.len();
        make(self);
        let joined: Vec<String> = self.lines.drain(before..).map(|text| text.trim().to_string()).collect();
        if !joined.is_empty() {
            self.line(joined.join(" "));
        }
    }

    /// An existing variable of the kind, or a constant's worth of one declared on the spot.
    fn operand(&mut self, kind: Kind) -> Expr {
        match self.pick_var(|var| var.kind == kind) {
            Some(var) => self.access(&var, true),
            None => {
                let value = self.initial_value(kind);
                self.declared(kind, value)
            }
        }
    }

    /// Declares a variable with this value.
    fn declared(&mut self, kind: Kind, value: Expr) -> Expr {
        let name = self.fresh("w");
        self.cov.hit("init", pair("to", value.kind, kind));
        self.line(format!("{} {name} = {};", kind.c_name(), value.at(2)));
        self.add_local(name.clone(), kind);
        Expr::primary(name, kind)
    }

    fn small(&mut self, kind: Kind, values: &[i64]) -> Expr {
        let value = self.rng.pick(values);
        let value = if value < 0 && !kind.is_signed() { -value } else { value };
        let value = if kind == Kind::Bool { 1 } else { value };
        let prec = if value < 0 { 15 } else { 16 };
        self.declared(kind, Expr::new(value.to_string(), Kind::Int, prec))
    }

    fn right_operand(&mut self, op: &str, left: Kind, right: Kind) -> Expr {
        match op {
            "<<" | ">>" => self.small(right, &[0, 1, 3, 7, 8, 15, 16, 24, 30, 31]),
            "/" | "%" if !left.is_float() && !right.is_float() => self.small(right, &[2, 3, 7, 100, -2, -3, -50, 127]),
            _ => self.operand(right),
        }
    }

    fn binary_probe(&mut self, op: &'static str, left: Kind, right: Kind) {
        let a = self.operand(left);
        let b = self.right_operand(op, left, right);
        let result = self.binary(op, a, b);
        let result = if op == "," { Expr::primary(format!("({})", result.text), result.kind) } else { result };
        self.observe(result);
    }

    fn compound_probe(&mut self, op: &'static str, left: Kind, right: Kind) {
        let converted = right.is_float() && !left.is_float() && left != Kind::Bool;
        let (target, value) = if converted {
            // The result is converted back to an integer type and must be in its range.
            let target = self.small(left, &[5, 6, 9, 10]);
            let text = self.rng.pick(&["1.5", "2.25", "0.5", "3.0", "4.75"]);
            (target, self.declared(right, Expr::primary(text, Kind::Double)))
        } else {
            let target = self.initial_value(left);
            (self.declared(left, target), self.right_operand(op, left, right))
        };
        let whole = self.compound_with(target.clone(), op, value);
        if self.rng.chance(50) {
            self.line(format!("{};", whole.text));
            self.observe(target);
        } else {
            self.observe(whole);
        }
    }

    /// A value of kind `from` that is in range of `to`.
    fn convertible(&mut self, from: Kind, to: Kind) -> Expr {
        if !from.is_float() {
            return self.operand(from);
        }
        let mut texts = vec!["0.0", "0.75", "17.25", "99.5", "120.99"];
        if to.is_signed() {
            texts.extend(["-1.0", "-0.5", "-100.25"]);
        }
        let text = self.rng.pick(&texts);
        let prec = if text.starts_with('-') { 15 } else { 16 };
        self.declared(from, Expr::new(text, Kind::Double, prec))
    }

    fn conversion_probe(&mut self, place: &'static str, from: Kind, to: Kind) {
        let value = self.convertible(from, to);
        let result = match place {
            "cast" => self.cast(to, value),
            "assign" => {
                let start = Expr::primary("1", Kind::Int);
                let target = self.declared(to, start);
                let whole = self.assignment(target.clone(), value);
                self.line(format!("{};", whole.text));
                target
            }
            "init" => self.declared(to, value),
            "argument" => self.through(to, to, value),
            _ => self.through(from, to, value),
        };
        self.observe(result);
    }

    /// Passes the value through a function of its own, declared before `main`.
    fn through(&mut self, parameter: Kind, result: Kind, value: Expr) -> Expr {
        let name = self.fresh("c");
        self.cov.hit("argument", pair("to", value.kind, parameter));
        self.cov.hit("return", pair("to", parameter, result));
        let (p, r) = (parameter.c_name(), result.c_name());
        self.line(format!("extern {r} {name}({p});"));
        let body = if self.rng.chance(30) {
            self.cov.hit("declaration", "K&R");
            // An old-style definition takes promoted arguments; the prototype in `main` would not fit it.
            self.lines.pop();
            self.line(format!("extern {r} {name}();"));
            format!("{r} {name}(x) {p} x; {{ return x; }}")
        } else {
            format!("{r} {name}({p} x) {{ return x; }}")
        };
        let old_style = body.contains("(x) ");
        self.tail.push(body);
        let argument = if old_style && value.kind != parameter { self.cast(parameter, value) } else { value };
        Expr::primary(format!("{name}({})", argument.at(2)), result)
    }

    fn unary_probe(&mut self, op: &'static str, kind: Kind) {
        if op == "~x" && kind.is_float() {
            return;
        }
        if op.contains("++") || op.contains("--") {
            let value = self.initial_value(kind);
            let target = self.declared(kind, value);
            let whole = self.incdec_with(target.clone(), op);
            self.observe(whole);
            return self.observe(target);
        }
        let operand = self.operand(kind);
        let whole = self.unary(&op[..1], operand);
        self.observe(whole);
        if kind.is_float() {
            return;
        }
        let seen = self.expr(1, Class::Any);
        self.observe(seen);
    }

    /// Something that differs from zero before it is cut or wrapped to its type, and mostly not afterwards.
    fn wrapping(&mut self) -> Expr {
        let narrow = [Kind::Char, Kind::SChar, Kind::UChar, Kind::Short, Kind::UShort];
        let kind = self.rng.pick(&narrow);
        match self.rng.below(4) {
            0 => {
                let inner = self.expr(0, Class::Int);
                let by = Expr::primary(self.rng.pick(&["8", "16", "7"]), Kind::Int);
                let shifted = self.binary("<<", inner, by);
                self.cast(kind, shifted)
            }
            1 => {
                let text = self.rng.pick(&["256", "0x10000", "65536L", "512u", "0x1000000LL", "255", "128"]);
                let suffixed = [("L", Kind::Long), ("u", Kind::UInt), ("LL", Kind::LLong)];
                let found = suffixed.iter().rev().find(|(suffix, _)| text.ends_with(suffix));
                self.cast(kind, Expr::primary(text, found.map_or(Kind::Int, |(_, kind)| *kind)))
            }
            2 => {
                let op = self.rng.pick(&["+", "-"]);
                let high = Expr::primary(self.rng.pick(&["4294967295u", "0xffffffff", "1u"]), Kind::UInt);
                let one = Expr::primary("1", Kind::Int);
                self.binary(op, high, one)
            }
            _ => {
                let inner = self.operand(kind);
                let high = Expr::primary(self.rng.pick(&["256", "65536"]), Kind::Int);
                let product = self.binary("*", inner, high);
                self.cast(kind, product)
            }
        }
    }

    /// Every place where only the truth of a value counts.
    fn truth_probe(&mut self) {
        let subject = self.wrapping();
        let (whole, tight) = (subject.at(3), subject.at(15));
        let other = self.expr(0, Class::Any).at(6);
        let forms: [(&str, String); 8] = [
            ("if", format!("if ({whole}) out(1); else out(2);")),
            ("!", format!("out(!{tight});")),
            ("?:", format!("out({} ? 3 : 4);", subject.at(4))),
            ("&&", format!("out({} && {other});", subject.at(6))),
            ("||", format!("out({other} || {});", subject.at(6))),
            ("_Bool", format!("out((_Bool){tight} + 5);")),
            ("while", format!("while ({whole}) {{ out(6); break; }}")),
            ("== 0", format!("if (({tight}) == 0) out(7);")),
        ];
        let (name, text) = &forms[self.rng.below(forms.len())];
        self.cov.hit("truth of", *name);
        self.line(text);
    }
}
