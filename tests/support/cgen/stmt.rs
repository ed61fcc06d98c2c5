//! Statements, chosen at random. Structured control flow is in `control`, `goto` in `jumps`.

use super::{Class, Expr, Gen, Place, Storage, Var};
use crate::support::coverage::pair;
use crate::support::kinds::Kind;

/// How often a statement may run before only simple ones are put there.
const NESTING_LIMIT: u64 = 120;

impl Gen {
    /// One statement; `depth` bounds the nesting of compound ones.
    pub(super) fn statement(&mut self, depth: u32) {
        if depth == 0 || self.mult > NESTING_LIMIT {
            return self.simple_statement();
        }
        match self.rng.weighted(&[40, 10, 12, 9, 9, 5, 5, 3]) {
            0 => self.simple_statement(),
            1 => self.branch(depth - 1),
            2 => self.loop_statement(depth - 1),
            3 => self.switch(depth - 1, false),
            4 => self.jump(depth - 1),
            5 => self.block(depth - 1),
            6 => self.array_block(depth - 1),
            _ => self.early_exit(),
        }
    }

    /// `count` statements in the current block.
    pub(super) fn statements(&mut self, count: usize, depth: u32) {
        for _ in 0..count {
            self.statement(depth);
        }
    }

    /// Statements in a block of their own, so that what they declare is never jumped over.
    pub(super) fn braced(&mut self, count: usize, depth: u32) {
        self.open("");
        self.scoped(|gen| gen.statements(count, depth));
        self.close();
    }

    /// Variables declared meanwhile are forgotten afterwards.
    pub(super) fn scoped(&mut self, make: impl FnOnce(&mut Self)) {
        let before = self.vars.len();
        make(self);
        self.vars.truncate(before);
    }

    pub(super) fn simple_statement(&mut self) {
        if self.config.memory && !self.pure_fn && self.rng.chance(30) {
            return self.memory_statement();
        }
        match self.rng.weighted(&[20, 14, 8, 10, 18, 8, 1]) {
            0 => self.assign_statement(),
            1 => self.update_statement("compound"),
            2 => self.update_statement("incdec"),
            3 => self.expression_statement(),
            4 => self.observe_statement(),
            5 => self.call_statement(),
            _ => {
                self.cov.hit("statement", "empty");
                self.line(";");
            }
        }
    }

    fn assign_statement(&mut self) {
        let Some((var, target)) = self.lvalue(true) else {
            return self.observe_statement();
        };
        self.cov.hit("statement", "assign");
        let value = self.expr(3, Self::class_for(var.kind));
        let whole = self.assignment(target, value);
        self.line(format!("{};", whole.text));
    }

    fn update_statement(&mut self, form: &'static str) {
        let Some((_, target)) = self.lvalue(true) else {
            return self.observe_statement();
        };
        self.cov.hit("statement", form);
        let whole = if form == "incdec" { self.incdec(target) } else { self.compound(target, 2) };
        self.line(format!("{};", whole.text));
    }

    fn expression_statement(&mut self) {
        self.cov.hit("statement", "expression");
        if self.rng.chance(50) {
            if let Some(text) = self.effect_statement() {
                return self.line(text);
            }
        }
        let (value, _) = self.effect(2, Class::Any);
        let cast = if self.rng.chance(15) { format!("(void)({});", value.text) } else { format!("{};", value.text) };
        self.line(cast);
    }

    /// Adds a value to the checksum, or prints it.
    pub(super) fn observe_statement(&mut self) {
        if self.pure_fn {
            return self.declare_local();
        }
        let value = self.expr(3, Class::Any);
        self.observe(value);
    }

    pub(super) fn observe(&mut self, value: Expr) {
        if value.kind.is_float() {
            self.cov.hit("argument", pair("to", value.kind, Kind::Double));
            return self.line(format!("real({});", value.at(2)));
        }
        // Printing is cheap only outside loops.
        if self.mult > 4 || self.rng.chance(40) {
            self.cov.hit("argument", pair("to", value.kind, Kind::LLong));
            return self.line(format!("out({});", value.at(2)));
        }
        if self.rng.chance(30) {
            self.cov.hit("format", "%lld");
            self.cov.hit("cast", pair("to", value.kind, Kind::LLong));
            return self.line(format!("printf(\"%lld\\n\", (long long){});", value.at(15)));
        }
        if self.rng.chance(8) {
            self.cov.hit("format", "%c");
            let value = Expr::new(format!("'A' + {} % 26", self.cast(Kind::UChar, value).at(13)), Kind::Int, 12);
            return self.line(format!("printf(\"%c\\n\", {});", value.text));
        }
        let formats = value.kind.formats();
        let format = self.rng.pick(formats);
        self.cov.hit("format", format);
        self.line(format!("printf(\"{format}\\n\", {});", value.at(2)));
    }

    fn call_statement(&mut self) {
        let pure_only = self.pure_fn;
        let Some(func) = self.affordable(|func| !pure_only && (func.ret.is_none() || !func.pure_fn)) else {
            return self.assign_statement();
        };
        self.cov.hit("statement", "call");
        let call = self.call(&func, 1);
        self.line(format!("{};", call.text));
    }

    /// A condition, now and then with a side effect.
    pub(super) fn condition(&mut self) -> String {
        if self.rng.chance(20) {
            return self.effect(1, Class::Any).0.text;
        }
        self.expr(2, Class::Any).text
    }

    fn branch(&mut self, depth: u32) {
        let condition = self.condition();
        let form = self.rng.below(4);
        if form == 0 {
            self.cov.hit("statement", "if");
            self.line(format!("if ({condition})"));
            self.indent += 1;
            self.unbraced(depth);
            self.indent -= 1;
            return;
        }
        self.open(format!("if ({condition})"));
        self.scoped(|gen| gen.statements(2, depth));
        if form == 1 {
            self.cov.hit("statement", "if");
            return self.close();
        }
        if form == 3 {
            self.cov.hit("statement", "else-if");
            let second = self.condition();
            self.close_with(&format!("else if ({second}) {{"));
            self.indent += 1;
            self.scoped(|gen| gen.statements(1, depth));
        }
        self.cov.hit("statement", "if-else");
        self.close_with("else {");
        self.indent += 1;
        self.scoped(|gen| gen.statements(1, depth));
        self.close();
    }

    /// One statement that is not a declaration.
    fn unbraced(&mut self, depth: u32) {
        if depth == 0 || self.pure_fn {
            self.braced(1, 0);
        } else {
            self.scoped(|gen| gen.statement(0));
        }
    }

    fn block(&mut self, depth: u32) {
        self.open("");
        self.scoped(|gen| {
            let hideable = gen.visible(|var| var.dims.is_empty() && !var.read_only && var.place == Place::Plain);
            if !hideable.is_empty() && gen.rng.chance(70) {
                let index = gen.rng.pick(&hideable);
                let name = gen.vars[index].name.clone();
                gen.cov.hit("statement", "shadow");
                gen.shadow(name);
            } else {
                gen.declare_local();
            }
            gen.cov.hit("statement", "block");
            if gen.config.memory && !gen.pure_fn && gen.rng.chance(40) {
                gen.local_memory();
            }
            gen.statements(2, depth);
        });
        self.close();
    }

    /// A variable that hides an outer one; its initialiser may not name it, since there it is the new one.
    fn shadow(&mut self, name: String) {
        let kind = self.any_kind();
        let value = self.initial_value(kind);
        self.cov.hit("init", pair("to", value.kind, kind));
        self.line(format!("{} {name} = {};", kind.c_name(), value.text));
        self.add_local(name, kind);
    }

    pub(super) fn add_local(&mut self, name: String, kind: Kind) {
        self.vars.push(Var::new(name, kind, Storage::Local));
    }

    /// A local with a computed initialiser, sometimes `static` (then with a constant one).
    pub(super) fn declare_local(&mut self) {
        let kind = self.any_kind();
        let name = self.fresh("v");
        if !self.pure_fn && self.rng.chance(20) {
            self.cov.hit("declaration", "static local");
            let value = if kind.is_float() { self.initial_value(kind) } else { self.constant_expr(1) };
            self.cov.hit("init", pair("to", value.kind, kind));
            self.line(format!("static {} {name} = {};", kind.c_name(), value.at(2)));
            self.vars.push(Var::new(name, kind, Storage::Shared));
            return;
        }
        self.cov.hit("declaration", "local");
        let value = self.expr(2, Self::class_for(kind));
        self.cov.hit("init", pair("to", value.kind, kind));
        self.line(format!("{} {name} = {};", kind.c_name(), value.at(2)));
        self.add_local(name, kind);
    }

    /// A block with a local array and a loop over it.
    fn array_block(&mut self, depth: u32) {
        self.open("");
        self.scoped(|gen| {
            gen.local_array();
            gen.loop_statement(depth);
        });
        self.close();
    }

    /// `break`, `continue` or `return` under a condition.
    pub(super) fn early_exit(&mut self) {
        let condition = self.expr(2, Class::Any).text;
        if self.may_return && self.rng.chance(40) {
            self.cov.hit("statement", "return-early");
            let value = self.return_statement();
            return self.line(format!("if ({condition}) {value}"));
        }
        if self.loops == 0 {
            return self.simple_statement();
        }
        let exit = self.rng.pick(&["break", "continue"]);
        self.cov.hit("statement", exit);
        self.line(format!("if ({condition}) {exit};"));
    }

    pub(super) fn return_statement(&mut self) -> String {
        self.cov.hit("statement", "return");
        match self.ret {
            Some(kind) => {
                let value = self.expr(2, Self::class_for(kind));
                self.cov.hit("return", pair("to", value.kind, kind));
                format!("return {};", value.text)
            }
            None => "return;".to_string(),
        }
    }
}
