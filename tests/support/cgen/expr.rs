//! Expressions without side effects, and the builders that count what is used.

use super::{Class, Expr, Gen, Place, Storage, Touched, Var, COST_LIMIT};
use crate::support::coverage::pair;
use crate::support::kinds::Kind;

/// How strongly a binary operator binds.
fn strength(op: &str) -> u8 {
    match op {
        "*" | "/" | "%" => 13,
        "+" | "-" => 12,
        "<<" | ">>" => 11,
        "<" | ">" | "<=" | ">=" => 10,
        "==" | "!=" => 9,
        "&" => 8,
        "^" => 7,
        "|" => 6,
        "&&" => 5,
        "||" => 4,
        _ => 1,
    }
}

/// The member's name of a bit-field's text.
fn last_name(var: &Var) -> &str {
    var.name.rsplit(['.', '>']).next().unwrap_or(&var.name)
}

impl Gen {
    /// An expression without side effects, at most `depth` operators deep.
    pub(super) fn expr(&mut self, depth: u32, class: Class) -> Expr {
        if depth == 0 || self.rng.chance(15) {
            return self.leaf(class);
        }
        match self.rng.weighted(&[30, 10, 8, 12, 8, 8, 4, 3, 3, 8, 3, 6]) {
            0 => self.arithmetic(depth, class),
            1 => self.division(depth, class),
            2 => self.shift(depth),
            3 => self.comparison(depth),
            4 => self.unary_expr(depth, class),
            5 => self.cast_expr(depth, class),
            6 => self.conditional_expr(depth, class),
            7 => self.elvis_expr(depth, class),
            8 => self.comma_expr(depth, class),
            9 => self.pure_call(depth, class),
            10 => self.statement_expr(depth, class),
            _ => self.sizeof_expr(depth),
        }
    }

    fn leaf(&mut self, class: Class) -> Expr {
        if self.rng.chance(65) {
            if let Some(read) = self.read_variable(class) {
                return read;
            }
        }
        if class == Class::Any && self.config.floats && self.rng.chance(15) {
            return self.float_constant();
        }
        self.int_constant()
    }

    /// Reads a scalar or an array element.
    pub(super) fn read_variable(&mut self, class: Class) -> Option<Expr> {
        let scalars_only = self.rng.chance(70);
        let var = self
            .pick_var(|var| (class == Class::Any || !var.kind.is_float()) && (!scalars_only || var.dims.is_empty()))?;
        Some(self.access(&var, true))
    }

    /// The variable, with indices if it is an array. Constant indices only, unless `computed`.
    pub(super) fn access(&mut self, var: &Var, computed: bool) -> Expr {
        match var.dims.len() {
            0 => {}
            1 => self.cov.hit("expression", "index"),
            2 => self.cov.hit("expression", "index 2-D"),
            _ => self.cov.hit("expression", "index 3-D"),
        }
        let indices: Vec<_> = var.dims.iter().map(|&dim| self.index(dim, computed)).collect();
        let decays = var.place != Place::Packed && !var.name.contains('@');
        if let ([index], true) = (&indices[..], self.config.memory && decays) {
            if self.rng.chance(20) {
                let (form, text) = if self.rng.chance(60) {
                    ("*(a + i)", format!("(*({} + ({index})))", var.name))
                } else {
                    ("i[a]", format!("({index})[{}]", var.name))
                };
                self.cov.hit("reference", form);
                return Expr::primary(text, var.kind);
            }
        }
        Expr::primary(var.indexed(&indices), var.kind)
    }

    pub(super) fn index(&mut self, dim: usize, computed: bool) -> String {
        if !computed || self.rng.chance(35) {
            return self.rng.below(dim).to_string();
        }
        let counters = |var: &Var| var.dims.is_empty() && var.bound.is_some_and(|bound| bound <= dim);
        if self.rng.chance(60) {
            if let Some(counter) = self.pick_var(counters) {
                return counter.name;
            }
        }
        let inner = self.expr(1, Class::Int);
        if dim.is_power_of_two() {
            let mask = Expr::primary(format!("{}", dim - 1), Kind::Int);
            self.binary("&", inner, mask).text
        } else {
            let inner = self.cast(Kind::UInt, inner);
            let size = Expr::primary(format!("{dim}"), Kind::Int);
            self.binary("%", inner, size).text
        }
    }

    /// A binary operator applied to operands that are safe for it.
    pub(super) fn binary(&mut self, op: &'static str, left: Expr, right: Expr) -> Expr {
        self.cov.hit("binary", pair(op, left.kind, right.kind));
        let kind = match op {
            "<" | ">" | "<=" | ">=" | "==" | "!=" | "&&" | "||" => Kind::Int,
            "<<" | ">>" => left.kind.promoted(),
            "," => right.kind,
            _ => Kind::arith(left.kind, right.kind),
        };
        let prec = strength(op);
        let extra = u8::from(self.rng.chance(25)) * 16;
        let text = format!("{} {op} {}", left.at(prec.max(extra)), right.at((prec + 1).max(extra)));
        Expr::new(text, kind, prec)
    }

    fn arithmetic(&mut self, depth: u32, class: Class) -> Expr {
        if class == Class::Any && self.rng.chance(60) {
            let op = self.rng.pick(&["+", "-", "*"]);
            let (left, right) = (self.expr(depth - 1, class), self.expr(depth - 1, class));
            return self.binary(op, left, right);
        }
        let op = self.rng.pick(&["+", "-", "*", "&", "|", "^"]);
        let (left, right) = (self.expr(depth - 1, Class::Int), self.expr(depth - 1, Class::Int));
        self.binary(op, left, right)
    }

    fn division(&mut self, depth: u32, class: Class) -> Expr {
        if class == Class::Any && self.config.floats && self.rng.chance(50) {
            let (left, right) = (self.expr(depth - 1, class), self.expr(0, Class::Int));
            let kind = self.rng.pick(&[Kind::Float, Kind::Double]);
            let right = self.cast(kind, right);
            return self.binary("/", left, right);
        }
        let op = self.rng.pick(&["/", "%"]);
        let left = self.expr(depth - 1, Class::Int);
        let right = self.divisor(depth - 1);
        self.binary(op, left, right)
    }

    /// An integer that is neither 0 nor -1.
    pub(super) fn divisor(&mut self, depth: u32) -> Expr {
        let inner = self.expr(depth, Class::Int);
        let masks =
            [("7", Kind::Int), ("127", Kind::Int), ("15u", Kind::UInt), ("31L", Kind::Long), ("255LL", Kind::LLong)];
        let (text, kind) = self.rng.pick(&masks);
        let mask = Expr::primary(text, kind);
        let low = self.binary("&", inner, mask);
        let offset = Expr::primary(format!("{}", 2 + self.rng.below(9)), Kind::Int);
        if self.rng.chance(70) {
            self.binary("+", low, offset)
        } else {
            let negative = self.unary("-", low);
            self.binary("-", negative, offset)
        }
    }

    fn shift(&mut self, depth: u32) -> Expr {
        let op = self.rng.pick(&["<<", ">>"]);
        let left = self.expr(depth - 1, Class::Int);
        let count = self.shift_count(depth - 1, left.kind);
        self.binary(op, left, count)
    }

    /// A count that is in range for a left operand of `kind`.
    pub(super) fn shift_count(&mut self, depth: u32, kind: Kind) -> Expr {
        if self.rng.chance(40) {
            let count = self.rng.below(kind.shift_mask() as usize + 1);
            return Expr::primary(format!("{count}"), Kind::Int);
        }
        let inner = self.expr(depth, Class::Int);
        let mask = Expr::primary(format!("{}", kind.shift_mask()), Kind::Int);
        self.binary("&", inner, mask)
    }

    fn comparison(&mut self, depth: u32) -> Expr {
        let op = self.rng.pick(&["<", ">", "<=", ">=", "==", "!=", "&&", "||"]);
        let (left, right) = (self.expr(depth - 1, Class::Any), self.expr(depth - 1, Class::Any));
        self.binary(op, left, right)
    }

    pub(super) fn unary(&mut self, op: &str, operand: Expr) -> Expr {
        self.cov.hit("unary", format!("{op}x {}", operand.kind.label()));
        let kind = if op == "!" { Kind::Int } else { operand.kind.promoted() };
        let mut inner = operand.at(15);
        if inner.starts_with(op) {
            inner = format!("({inner})");
        }
        Expr::new(format!("{op}{inner}"), kind, 15)
    }

    fn unary_expr(&mut self, depth: u32, class: Class) -> Expr {
        let op = self.rng.pick(&["+", "-", "~", "!"]);
        let class = match op {
            "~" => Class::Int,
            "!" => Class::Any,
            _ => class,
        };
        let operand = self.expr(depth - 1, class);
        self.unary(op, operand)
    }

    /// A cast that the caller knows to be in range.
    pub(super) fn cast(&mut self, kind: Kind, operand: Expr) -> Expr {
        self.cov.hit("cast", pair("to", operand.kind, kind));
        Expr::new(format!("({}){}", kind.c_name(), operand.at(15)), kind, 15)
    }

    fn cast_expr(&mut self, depth: u32, class: Class) -> Expr {
        let kind = if class == Class::Any { self.any_kind() } else { self.int_kind() };
        if kind.is_float() || kind == Kind::Bool {
            let operand = self.expr(depth - 1, Class::Any);
            return self.cast(kind, operand);
        }
        let operand = self.expr(depth - 1, Class::Any);
        let operand = self.integral(operand);
        self.cast(kind, operand)
    }

    /// Clamps a float so that it converts to any integer type in range; integers stay as they are.
    pub(super) fn integral(&mut self, operand: Expr) -> Expr {
        if !operand.kind.is_float() {
            return operand;
        }
        self.cov.hit("argument", pair("to", operand.kind, Kind::Double));
        Expr::primary(format!("clamp({})", operand.at(2)), Kind::Int)
    }

    pub(super) fn conditional(&mut self, condition: Expr, then: Expr, other: Expr) -> Expr {
        self.cov.hit("expression", "?:");
        let kind = Kind::arith(then.kind, other.kind);
        Expr::new(format!("{} ? {} : {}", condition.at(4), then.at(2), other.at(3)), kind, 3)
    }

    fn conditional_expr(&mut self, depth: u32, class: Class) -> Expr {
        let condition = self.expr(depth - 1, Class::Any);
        let (then, other) = (self.expr(depth - 1, class), self.expr(depth - 1, class));
        self.conditional(condition, then, other)
    }

    fn elvis_expr(&mut self, depth: u32, class: Class) -> Expr {
        let (first, second) = (self.expr(depth - 1, class), self.expr(depth - 1, class));
        self.cov.hit("expression", "a ?: b");
        let kind = Kind::arith(first.kind, second.kind);
        Expr::new(format!("{} ?: {}", first.at(4), second.at(3)), kind, 3)
    }

    fn comma_expr(&mut self, depth: u32, class: Class) -> Expr {
        let (first, second) = (self.expr(0, Class::Any), self.expr(depth - 1, class));
        let both = self.binary(",", first, second);
        Expr::primary(format!("({})", both.text), both.kind)
    }

    pub(super) fn sizeof_type(&mut self, kind: Kind) -> Expr {
        self.cov.hit("expression", "sizeof type");
        Expr::new(format!("sizeof({})", kind.c_name()), Kind::ULong, 15)
    }

    fn sizeof_expr(&mut self, depth: u32) -> Expr {
        let text = match self.rng.below(3) {
            0 => {
                let kind = self.any_kind();
                return self.sizeof_type(kind);
            }
            1 => match self.pick_var(|var| !var.dims.is_empty() && !var.name.contains('@')) {
                Some(var) => {
                    self.cov.hit("expression", "sizeof array");
                    let rows = self.rng.below(var.dims.len());
                    format!("sizeof {}{}", var.name, "[0]".repeat(rows))
                }
                None => return self.leaf(Class::Int),
            },
            _ => {
                self.cov.hit("expression", "sizeof expression");
                let text = self.expr(depth - 1, Class::Any).text;
                // A bit-field has no size, but its promoted value has.
                let bit_field =
                    self.vars.iter().any(|var| var.place == Place::BitField && text.contains(last_name(var)));
                if bit_field {
                    format!("sizeof(+({text}))")
                } else {
                    format!("sizeof({text})")
                }
            }
        };
        Expr::new(text, Kind::ULong, 15)
    }

    /// A call of a function without side effects, if one is cheap enough here.
    fn pure_call(&mut self, depth: u32, class: Class) -> Expr {
        let banned = self.ban.shared || !self.ban.names.is_empty();
        let affordable = COST_LIMIT / self.mult;
        let fits = |f: &&super::Func| {
            f.pure_fn && f.cost <= affordable && f.ret.is_some_and(|kind| class == Class::Any || !kind.is_float())
        };
        let candidates: Vec<_> = self.funcs.iter().filter(fits).cloned().collect();
        if banned || candidates.is_empty() {
            return self.arithmetic(depth, class);
        }
        let index = self.rng.below(candidates.len());
        self.call(&candidates[index], depth - 1)
    }

    /// A call with arguments that convert to the parameters' types.
    pub(super) fn call(&mut self, func: &super::Func, depth: u32) -> Expr {
        self.cov.hit("expression", "call");
        self.cost += self.mult * func.cost;
        let mut args = Vec::new();
        for &kind in &func.params {
            let arg = self.expr(depth.min(1), Self::class_for(kind));
            let arg = if func.old_style { self.cast(kind, arg) } else { arg };
            self.cov.hit("argument", pair("to", arg.kind, kind));
            args.push(arg.at(2));
        }
        Expr::primary(format!("{}({})", func.name, args.join(", ")), func.ret.unwrap_or(Kind::Int))
    }

    /// `({ ... })` that changes only its own variable.
    fn statement_expr(&mut self, depth: u32, class: Class) -> Expr {
        let kind = if class == Class::Any { self.any_kind() } else { self.int_kind() };
        let name = self.fresh("t");
        let first = self.expr(depth - 1, Self::class_for(kind));
        let second = self.expr(depth - 1, Class::Int);
        self.cov.hit("expression", "statement expression");
        self.cov.hit("init", pair("to", first.kind, kind));
        self.cov.hit("compound", pair("+", kind, second.kind));
        let head = format!("{} {name} = {};", kind.c_name(), first.at(2));
        let (last, kind) = if self.rng.chance(50) {
            (name.clone(), kind)
        } else {
            self.vars.push(Var { read_only: true, ..Var::new(name.clone(), kind, Storage::Local) });
            let last = self.expr(depth - 1, class);
            self.vars.pop();
            (last.text, last.kind)
        };
        Expr::primary(format!("({{ {head} {name} += {}; {last}; }})", second.at(2)), kind)
    }

    /// Generates under an extended ban and restores the old one.
    pub(super) fn with_ban<T>(&mut self, touched: &Touched, make: impl FnOnce(&mut Self) -> T) -> T {
        let old = self.ban.clone();
        self.ban = old.clone().join(touched.clone());
        let result = make(self);
        self.ban = old;
        result
    }
}
