//! Functions: with and without side effects, recursive alone and in pairs, old style, with many parameters. A function
//! calls earlier ones only; recursion is by a depth parameter that starts small.

use super::{Class, Expr, Func, Gen, Storage, Var};
use crate::support::coverage::pair;
use crate::support::kinds::Kind;

impl Gen {
    pub(super) fn functions(&mut self, index: u64) {
        self.function(true);
        if self.rng.chance(50) {
            self.recursive();
        }
        if index.is_multiple_of(4) {
            self.mutual();
        }
        self.sweeping_functions();
        self.function(false);
        if self.rng.chance(20) {
            self.function(false);
        }
    }

    /// Generates into a buffer of its own with only the globals in scope; the text goes before or after `main`.
    fn definition(&mut self, func: &mut Func, head: &str, prototype: &str, make: impl FnOnce(&mut Self)) {
        let lines = std::mem::take(&mut self.lines);
        let scope = self.vars.len();
        (self.pure_fn, self.ret, self.may_return) = (func.pure_fn, func.ret, true);
        self.cost = 0;
        head.lines().for_each(|text| self.line(text));
        self.open("");
        make(self);
        self.close();
        func.cost += self.cost;
        (self.pure_fn, self.ret, self.may_return) = (false, None, false);
        self.vars.truncate(scope);
        let body = std::mem::replace(&mut self.lines, lines);
        if self.rng.chance(40) {
            self.cov.hit("declaration", "prototype");
            self.line(format!("{prototype};"));
            self.tail.extend(body);
        } else {
            self.lines.extend(body);
        }
    }

    fn param(&mut self, kind: Kind) -> String {
        let name = self.fresh("p");
        self.add_local(name.clone(), kind);
        name
    }

    fn function(&mut self, pure_fn: bool) {
        let name = self.fresh("f");
        let count = if self.rng.chance(20) { 7 + self.rng.below(4) } else { self.rng.below(4) };
        if count >= 7 {
            self.cov.hit("declaration", "many parameters");
        }
        let params: Vec<_> = (0..count).map(|_| self.any_kind()).collect();
        let ret = if !pure_fn && self.rng.chance(25) { None } else { Some(self.any_kind()) };
        if ret.is_none() {
            self.cov.hit("declaration", "void function");
        }
        let old_style = count > 0 && self.rng.chance(25);
        let mut func = Func { name, ret, params, old_style, pure_fn, cost: 0 };
        let scope = self.vars.len();
        let (head, prototype) = self.signature(&func);
        let params = self.vars.split_off(scope);
        self.definition(&mut func, &head, &prototype, |gen| {
            gen.vars.extend(params);
            gen.declare_local();
            if gen.rng.chance(30) {
                gen.local_array();
            }
            if gen.config.memory && gen.rng.chance(40) {
                gen.local_memory();
            }
            let (count, depth) = if gen.rng.chance(35) { (1, 2) } else { (2, 1) };
            gen.statements(count, depth);
            let result = gen.return_statement();
            gen.line(result);
        });
        self.funcs.push(func);
    }

    /// The head of the definition and the prototype; declares the parameters.
    fn signature(&mut self, func: &Func) -> (String, String) {
        let ret = func.ret.map_or("void", Kind::c_name);
        let storage = match self.rng.below(4) {
            0 => "static ",
            1 if !func.old_style => {
                self.cov.hit("declaration", "inline");
                "static inline "
            }
            _ => "",
        };
        let names: Vec<_> = func.params.iter().map(|&kind| self.param(kind)).collect();
        let typed: Vec<_> =
            func.params.iter().zip(&names).map(|(kind, name)| format!("{} {name}", kind.c_name())).collect();
        if func.old_style {
            self.cov.hit("declaration", "K&R");
            let head = format!("{storage}{ret} {}({}) {};", func.name, names.join(", "), typed.join("; "));
            return (head, format!("{storage}{ret} {}()", func.name));
        }
        let list = if typed.is_empty() { "void".to_string() } else { typed.join(", ") };
        let types: Vec<_> = func.params.iter().map(|kind| kind.c_name()).collect();
        let type_list = if types.is_empty() { "void".to_string() } else { types.join(", ") };
        (format!("{storage}{ret} {}({list})", func.name), format!("{storage}{ret} {}({type_list})", func.name))
    }

    /// Calls itself with a smaller depth, once or twice.
    fn recursive(&mut self) {
        self.cov.hit("declaration", "recursive");
        let (name, depth, value) = (self.fresh("r"), self.fresh("d"), self.fresh("p"));
        let (ret, kind) = (self.int_kind(), self.int_kind());
        let twice = self.rng.chance(40);
        let pure_fn = self.rng.chance(50);
        let mut func =
            Func { name: name.clone(), ret: Some(ret), params: vec![kind], old_style: false, pure_fn, cost: 0 };
        let head = format!("static {} {name}_(int {depth}, {} {value})", ret.c_name(), kind.c_name());
        let prototype = format!("static {} {name}_(int, {})", ret.c_name(), kind.c_name());
        self.definition(&mut func, &head, &prototype, |gen| {
            gen.mult = if twice { 16 } else { 6 };
            gen.vars.push(Var { read_only: true, ..Var::new(depth.clone(), Kind::Int, Storage::Local) });
            gen.add_local(value.clone(), kind);
            let base = gen.return_statement();
            gen.line(format!("if ({depth} <= 0) {base}"));
            gen.declare_local();
            gen.statements(2, 1);
            let own = Expr::primary(format!("{name}_"), ret);
            let first = gen.self_call(&own, &depth, 1, kind);
            // Two calls side by side run in an order C leaves open, so the first has a statement of its own.
            gen.line(format!("{value} = {};", first.text));
            gen.cov.hit("assign", pair("to", ret, kind));
            let mut result = if twice { gen.self_call(&own, &depth, 2, kind) } else { gen.expr(1, Class::Int) };
            let last = Expr::primary(value.clone(), kind);
            result = gen.binary("+", result, last);
            gen.cov.hit("return", pair("to", result.kind, ret));
            gen.line(format!("return {};", result.text));
            gen.mult = 1;
        });
        let start = if twice { 4 } else { 5 };
        self.line(format!(
            "static {} {name}({} {value}) {{ return {name}_({start}, {value}); }}",
            ret.c_name(),
            kind.c_name()
        ));
        self.funcs.push(func);
    }

    /// One call of every function, with its result observed.
    pub(super) fn call_everything(&mut self) {
        let sweeps = std::mem::take(&mut self.sweeps);
        sweeps.iter().for_each(|text| self.line(text));
        for func in self.funcs.clone() {
            let call = self.call(&func, 1);
            match func.ret {
                Some(_) => self.observe(call),
                None => self.line(format!("{};", call.text)),
            }
        }
    }

    fn self_call(&mut self, own: &Expr, depth: &str, by: u32, kind: Kind) -> Expr {
        let arg = self.expr(1, Class::Int);
        self.cov.hit("argument", pair("to", arg.kind, kind));
        Expr::primary(format!("{}({depth} - {by}, {})", own.text, arg.at(2)), own.kind)
    }

    /// Two functions that call each other.
    fn mutual(&mut self) {
        self.cov.hit("declaration", "mutually recursive");
        let (first, second) = (self.fresh("m"), self.fresh("m"));
        let (ret, other) = (self.int_kind(), self.int_kind());
        let (depth, value) = (self.fresh("d"), self.fresh("p"));
        let (a, b) = (ret.c_name(), other.c_name());
        self.line(format!("static {b} {second}(unsigned {depth}, {a} {value});"));
        let bodies = [(a, &first, b, &second), (b, &second, a, &first)];
        let mut defined = Vec::new();
        for (result, name, parameter, callee) in bodies {
            let lines = std::mem::take(&mut self.lines);
            let scope = self.vars.len();
            let kind = if result == a { other } else { ret };
            self.pure_fn = true;
            self.add_local(value.clone(), kind);
            let step = self.expr(2, Class::Int).at(2);
            let base = self.expr(1, Class::Int).at(3);
            self.pure_fn = false;
            self.vars.truncate(scope);
            self.lines = lines;
            defined.push(format!(
                "static {result} {name}(unsigned {depth}, {parameter} {value}) {{ return {depth} == 0 ? {base} : {callee}({depth} - 1, {step}); }}"
            ));
        }
        defined.iter().for_each(|text| self.line(text));
        let name = self.fresh("f");
        self.line(format!("static {a} {name}({b} {value}) {{ return {first}(5u, {value}); }}"));
        self.funcs.push(Func { name, ret: Some(ret), params: vec![other], old_style: false, pure_fn: true, cost: 40 });
    }
}
