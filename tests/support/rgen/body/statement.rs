//! Statements and expressions: what the loops' bodies and the helper functions are made of.

use super::{var_atom, wrapped, Array, Atom, Body};
use crate::support::rgen::Var;

impl Body<'_> {
    fn block(&mut self, depth: usize) {
        let (atoms, count) = (self.atoms.len(), 1 + self.rng.below(2));
        for _ in 0..count {
            self.statement(depth);
        }
        self.atoms.truncate(atoms);
    }

    fn var(&mut self) -> Option<Var> {
        (!self.vars.is_empty()).then(|| self.vars[self.rng.below(self.vars.len())].clone())
    }

    pub(super) fn statement(&mut self, depth: usize) {
        let Some(var) = self.var() else { return };
        let deep = u32::from(depth > 0);
        let calls = 2 * u32::from(!self.helpers.is_empty());
        let stores = 4 * u32::from(self.array.is_some());
        let weights = match self.plain_state {
            false => [9 * deep, 4, 1, 7, 6 * deep, 2 * deep, 2, 2 * deep, calls, stores, 1, 2],
            true => [9 * deep, 0, 2, 0, 4 * deep, 2 * deep, 2, 0, 0, 0, 1, 4],
        };
        match self.rng.weighted(&weights) {
            0 => self.rule(depth),
            1 => {
                self.kind("assignment");
                let value = self.expression(2);
                self.line(format!("{} = {};", var.name, wrapped(&var, &value)));
            }
            2 => {
                self.kind("constant");
                let value = self.rng.range(var.low, var.high());
                self.line(format!("{} = {value};", var.name));
            }
            3 => self.step(&var),
            4 => self.branch(depth),
            5 => self.switch(depth),
            6 => self.jump(),
            7 => self.bounded_loop(depth),
            8 => self.call(&var),
            9 => self.array_store(),
            11 => self.copy(&var),
            _ => {
                self.kind("temporary");
                let (name, value) = (self.name("t"), self.expression(2));
                self.line(format!("int {name} = ({value}) & 15;"));
                self.atoms.push(Atom { text: name, low: 0, high: 15 });
            }
        }
    }

    /// `if (in == 2 && a == 3) { a = 1; b = 0; }`
    fn rule(&mut self, depth: usize) {
        self.kind("rule");
        let conditions: Vec<String> = (0..1 + self.rng.below(3)).map(|_| self.comparison()).collect();
        let operator = if self.rng.chance(85) { " && " } else { " || " };
        self.open(format!("if ({}) {{", conditions.join(operator)));
        for _ in 0..1 + self.rng.below(2) {
            let Some(var) = self.var() else { break };
            if self.rng.chance(60) {
                let value = self.rng.range(var.low, var.high());
                self.line(format!("{} = {value};", var.name));
            } else if self.plain_state {
                self.copy(&var);
            } else {
                self.step(&var);
            }
        }
        if self.rng.chance(15) {
            self.jump();
        }
        if depth > 1 && self.rng.chance(15) {
            self.close("} else {");
            self.indent += 1;
            self.kind("else");
            self.block(depth - 1);
        }
        self.close("}");
    }

    /// `a = b;` if the values of b are values of a; else a constant.
    fn copy(&mut self, var: &Var) {
        let fits = |v: &&Var| v.name != var.name && v.low >= var.low && v.high() <= var.high();
        let sources: Vec<String> = self.vars.iter().filter(fits).map(|v| v.name.clone()).collect();
        if sources.is_empty() {
            let value = self.rng.range(var.low, var.high());
            return self.line(format!("{} = {value};", var.name));
        }
        self.kind("copy");
        let source = &sources[self.rng.below(sources.len())];
        self.line(format!("{} = {source};", var.name));
    }

    /// `if (a < 7) a += 2; else a = 0;`, within the range without a mask.
    fn step(&mut self, var: &Var) {
        self.kind("step");
        let Var { name, low, bits, .. } = var;
        let by = if *bits > 2 { self.rng.range(1, 3) } else { 1 };
        let (up, least, most) = (self.rng.chance(60), low + by, var.high() - by);
        let bound = self.rng.range(least.min(most), least.max(most));
        let text = match (up, by) {
            (true, 1) => format!("if ((int){name} <= {}) {name}++;", bound.min(most)),
            (true, _) => format!("if ((int){name} <= {}) {name} += {by};", bound.min(most)),
            (false, 1) => format!("if ((int){name} >= {}) {name}--;", bound.max(least)),
            (false, _) => format!("if ((int){name} >= {}) {name} = {name} - {by};", bound.max(least)),
        };
        self.line(text);
        if self.rng.chance(50) {
            let value = self.rng.range(*low, var.high());
            self.line(format!("else {name} = {value};"));
        }
    }

    fn branch(&mut self, depth: usize) {
        self.kind("if");
        let condition = self.condition();
        self.open(format!("if ({condition}) {{"));
        self.block(depth - 1);
        if self.rng.chance(50) {
            self.kind("else");
            self.close("} else {");
            self.indent += 1;
            self.block(depth - 1);
        }
        self.close("}");
    }

    fn switch(&mut self, depth: usize) {
        self.kind("switch");
        let value = self.expression(1);
        let outer = std::mem::replace(&mut self.in_switch, true);
        self.open(format!("switch (({value}) & 7) {{"));
        let mut label = self.rng.below(3);
        for _ in 0..2 + self.rng.below(3) {
            self.open(format!("case {label}: {{"));
            self.block(depth - 1);
            self.close("}");
            if self.rng.chance(80) {
                self.line("break;");
            }
            label += 1 + self.rng.below(2);
        }
        if self.rng.chance(50) {
            self.open("default: {");
            self.block(depth - 1);
            self.close("}");
        }
        self.close("}");
        self.in_switch = outer;
    }

    fn jump(&mut self) {
        if !self.in_loop {
            return;
        }
        let condition = self.comparison();
        if self.in_switch || self.rng.chance(65) {
            self.kind("continue");
            self.line(format!("if ({condition}) continue;"));
        } else {
            self.kind("break");
            let more = self.comparison();
            self.line(format!("if ({condition} && {more}) break;"));
        }
    }

    /// At most four times; the bound may be an input or the state.
    pub(super) fn bounded_loop(&mut self, depth: usize) {
        let (counter, atoms) = (self.name("i"), self.atoms.len());
        let bound = if self.rng.chance(50) {
            self.rng.range(2, 4).to_string()
        } else {
            format!("(int)(({}) & 3)", self.expression(1))
        };
        // The bound is taken once: the body may change what it is made of.
        let limit = self.name("n");
        self.line(format!("int {limit} = {bound};"));
        let (in_loop, in_switch) = (self.in_loop, self.in_switch);
        let counting = self.rng.chance(60);
        if counting {
            self.kind("bounded loop");
            self.open(format!("for (int {counter} = 0; {counter} < {limit}; {counter}++) {{"));
            (self.in_loop, self.in_switch) = (true, false);
        } else {
            self.kind("bounded while");
            self.line(format!("int {counter} = 0;"));
            self.open(format!("while ({counter} < {limit}) {{"));
            // `continue` would leave the counter as it is.
            self.in_loop = false;
        }
        self.atoms.push(Atom { text: counter.clone(), low: 0, high: 3 });
        self.block(depth.saturating_sub(1).min(1));
        self.atoms.truncate(atoms);
        (self.in_loop, self.in_switch) = (in_loop, in_switch);
        if !counting {
            self.line(format!("{counter}++;"));
        }
        self.close("}");
    }

    fn call(&mut self, var: &Var) {
        let (name, parameters) = self.helpers[self.rng.below(self.helpers.len())].clone();
        let arguments: Vec<String> = (0..parameters).map(|_| self.expression(1)).collect();
        let value = format!("{name}({})", arguments.join(", "));
        self.line(format!("{} = {};", var.name, wrapped(var, &value)));
    }

    fn array_store(&mut self) {
        let Some(Array { bits, .. }) = self.array else { return };
        self.kind("array");
        let (index, value) = (self.expression(1), self.expression(1));
        self.line(format!("m[({index}) & 3] = ({value}) & {};", (1 << bits) - 1));
    }

    pub(super) fn condition(&mut self) -> String {
        match self.rng.below(4) {
            0 => format!("({}) & 1", self.expression(2)),
            1 => format!("{} && {}", self.comparison(), self.comparison()),
            _ => self.comparison(),
        }
    }

    fn comparison(&mut self) -> String {
        let operator = self.rng.pick(&["==", "==", "==", "!=", "<", "<=", ">", ">="]);
        let Some(Atom { text, low, high }) = self.atom() else { return "1".into() };
        let value = if self.rng.chance(75) { self.rng.range(low, high).to_string() } else { self.expression(1) };
        format!("{text} {operator} {value}")
    }

    /// Something that can be read here.
    fn atom(&mut self) -> Option<Atom> {
        let (vars, atoms) = (self.vars.len(), self.atoms.len());
        if atoms > 0 && (vars == 0 || self.rng.chance(45)) {
            return Some(self.atoms[self.rng.below(atoms)].clone());
        }
        if let Some(Array { bits, .. }) = self.array {
            if self.rng.chance(15) {
                self.kind("array");
                let index = self.rng.below(4);
                let text =
                    if self.rng.chance(60) { index.to_string() } else { format!("({}) & 3", self.expression(1)) };
                return Some(Atom { text: format!("m[{text}]"), low: 0, high: (1 << bits) - 1 });
            }
        }
        (vars > 0).then(|| var_atom(&self.vars[self.rng.below(vars)]))
    }

    /// Small enough that nothing overflows.
    pub(super) fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.rng.chance(25) {
            if self.rng.chance(30) {
                return self.rng.range(0, 9).to_string();
            }
            return self.atom().map_or_else(|| "1".to_string(), |a| a.text);
        }
        let (a, b) = (self.expression(depth - 1), self.expression(depth - 1));
        let count = self.rng.range(1, 3);
        match self.rng.below(13) {
            0 | 1 => format!("({a} + {b})"),
            2 | 3 => format!("({a} - {b})"),
            4 => format!("({a} ^ {b})"),
            5 => format!("({a} & {b})"),
            6 => format!("({a} | {b})"),
            7 => format!("((({a}) & 31) << {count})"),
            8 => format!("(({a}) >> {count})"),
            9 => format!("({a} {} {b})", self.rng.pick(&["<", "==", ">=", "!="])),
            10 => format!("(({a}) {} {})", self.rng.pick(&["*", "/", "%"]), self.rng.range(2, 5)),
            11 => format!("({} ? {a} : {b})", self.comparison()),
            _ => format!("({}({a}))", self.rng.pick(&["~", "!", "-"])),
        }
    }
}
