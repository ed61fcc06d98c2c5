//! Expressions with side effects. Each reports what it touches; whatever stands beside it without a sequence point is
//! generated under a ban of those variables.

use super::{Class, Expr, Func, Gen, Storage, Touched, Var, COST_LIMIT};
use crate::support::coverage::{compound_ops, pair};
use crate::support::kinds::Kind;

impl Gen {
    /// An expression that changes something, and what it changes.
    pub(super) fn effect(&mut self, depth: u32, class: Class) -> (Expr, Touched) {
        if depth == 0 {
            return self.basic_effect(class);
        }
        match self.rng.weighted(&[5, 3, 2, 2, 2, 1]) {
            0 => self.basic_effect(class),
            1 => {
                let (inner, touched) = self.effect(depth - 1, class);
                let other = self.with_ban(&touched, |gen| gen.expr(1, class));
                let op = self.rng.pick(&["+", "-", "*", "==", "<", ">="]);
                let swapped = self.rng.chance(50);
                let (left, right) = if swapped { (other, inner) } else { (inner, other) };
                (self.binary(op, left, right), touched)
            }
            2 => {
                let op = self.rng.pick(&["&&", "||"]);
                let (left, first) = self.effect(depth - 1, Class::Any);
                let (right, second) = self.effect(depth - 1, Class::Any);
                (self.binary(op, left, right), first.join(second))
            }
            3 => {
                let condition = self.expr(1, Class::Any);
                let (then, first) = self.effect(depth - 1, class);
                let (other, second) = self.effect(depth - 1, class);
                (self.conditional(condition, then, other), first.join(second))
            }
            4 => {
                let (left, first) = self.effect(depth - 1, Class::Any);
                let (right, second) = self.effect(depth - 1, class);
                let both = self.binary(",", left, right);
                (Expr::primary(format!("({})", both.text), both.kind), first.join(second))
            }
            _ => {
                let (inner, touched) = self.effect(depth - 1, Class::Int);
                let kind = self.int_kind();
                (self.cast(kind, inner), touched)
            }
        }
    }

    fn basic_effect(&mut self, class: Class) -> (Expr, Touched) {
        let wanted = |gen: &Gen, var: &Var| gen.writable(var) && (class == Class::Any || !var.kind.is_float());
        let candidates: Vec<_> = self.visible(|var| wanted(self, var));
        if candidates.is_empty() || self.rng.chance(20) {
            if let Some(called) = self.impure_call(class) {
                return called;
            }
        }
        if candidates.is_empty() {
            return (self.expr(1, class), Touched::default());
        }
        let index = self.rng.pick(&candidates);
        let var = self.vars[index].clone();
        match self.rng.below(4) {
            0 => {
                self.cov.hit("expression", "assignment value");
                let target = self.access(&var, true);
                let value = self.expr(1, Self::class_for(var.kind));
                (self.assignment(target, value), Touched::one(&var))
            }
            1 => {
                self.cov.hit("expression", "compound value");
                let target = self.access(&var, true);
                (self.compound(target, 1), Touched::one(&var))
            }
            2 if var.dims.is_empty() => self.chained(&var),
            _ => {
                self.cov.hit("expression", "incdec value");
                let target = self.access(&var, true);
                (self.incdec(target), Touched::one(&var))
            }
        }
    }

    /// `outer = inner op= value`: the outer target is a scalar the inner one does not touch.
    fn chained(&mut self, outer: &Var) -> (Expr, Touched) {
        let touched = Touched::one(outer);
        let kind_fits = |kind: Kind| outer.kind.is_float() || !kind.is_float();
        let inner = self.with_ban(&touched, |gen| {
            let candidates = gen.visible(|var| gen.writable(var) && kind_fits(var.kind));
            if candidates.is_empty() {
                return None;
            }
            let index = gen.rng.pick(&candidates);
            let var = gen.vars[index].clone();
            let target = gen.access(&var, true);
            let value = if gen.rng.chance(60) {
                let value = gen.expr(1, Self::class_for(var.kind));
                gen.assignment(target, value)
            } else {
                gen.compound(target, 1)
            };
            Some((value, var))
        });
        let target = Expr::primary(outer.name.clone(), outer.kind);
        match inner {
            Some((value, inner)) => {
                self.cov.hit("expression", "chained assignment");
                (self.assignment(target, value), touched.join(Touched::one(&inner)))
            }
            None => (self.incdec(target), touched),
        }
    }

    /// `target = value`; the value is in the target's range.
    pub(super) fn assignment(&mut self, target: Expr, value: Expr) -> Expr {
        self.cov.hit("assign", pair("to", value.kind, target.kind));
        Expr::new(format!("{} = {}", target.text, value.at(2)), target.kind, 2)
    }

    /// `target op= value` with an operator and a value that are safe for the target.
    pub(super) fn compound(&mut self, target: Expr, depth: u32) -> Expr {
        let ops = compound_ops();
        let op = if target.kind.is_float() { self.rng.pick(&ops[..4]) } else { self.rng.pick(&ops) };
        let value = match op {
            "<<" | ">>" => self.shift_count(depth, target.kind),
            "/" | "%" if !target.kind.is_float() => self.divisor(depth),
            _ if target.kind.is_float() => self.expr(depth, Class::Any),
            _ => self.expr(depth, Class::Int),
        };
        self.compound_with(target, op, value)
    }

    pub(super) fn compound_with(&mut self, target: Expr, op: &'static str, value: Expr) -> Expr {
        self.cov.hit("compound", pair(op, target.kind, value.kind));
        Expr::new(format!("{} {op}= {}", target.text, value.at(2)), target.kind, 2)
    }

    pub(super) fn incdec(&mut self, target: Expr) -> Expr {
        let op = self.rng.pick(&["++x", "--x", "x++", "x--"]);
        self.incdec_with(target, op)
    }

    pub(super) fn incdec_with(&mut self, target: Expr, op: &'static str) -> Expr {
        self.cov.hit("unary", format!("{op} {}", target.kind.label()));
        let prec = if op.starts_with('x') { 16 } else { 15 };
        Expr::new(op.replace('x', &target.text), target.kind, prec)
    }

    /// A call of a function that changes shared variables.
    pub(super) fn impure_call(&mut self, class: Class) -> Option<(Expr, Touched)> {
        if self.pure_fn || self.ban.shared {
            return None;
        }
        let fits = |func: &Func| func.ret.is_some_and(|kind| class == Class::Any || !kind.is_float()) && !func.pure_fn;
        let func = self.affordable(fits)?;
        Some((self.call(&func, 1), Touched::everything_shared()))
    }

    /// A function that satisfies `wanted` and whose call is cheap enough here.
    pub(super) fn affordable(&mut self, wanted: impl Fn(&Func) -> bool) -> Option<Func> {
        let limit = COST_LIMIT / self.mult;
        let fits: Vec<_> = self.funcs.iter().filter(|func| func.cost <= limit && wanted(func)).cloned().collect();
        if fits.is_empty() {
            return None;
        }
        let index = self.rng.below(fits.len());
        Some(fits[index].clone())
    }

    /// Something that can be assigned, of any kind; constant indices only unless `computed`.
    pub(super) fn lvalue(&mut self, computed: bool) -> Option<(Var, Expr)> {
        let candidates = self.visible(|var| self.writable(var));
        if candidates.is_empty() {
            return None;
        }
        let index = self.rng.pick(&candidates);
        let var = self.vars[index].clone();
        let target = self.access(&var, computed);
        Some((var, target))
    }

    /// `target = effect` or `target op= effect`, with a target that the effect leaves alone.
    pub(super) fn effect_statement(&mut self) -> Option<String> {
        let (value, touched) = self.effect(2, Class::Int);
        let old = self.ban.clone();
        self.ban = old.clone().join(Touched { shared: false, ..touched.clone() });
        let target = self.lvalue(false);
        self.ban = old;
        let (var, target) = target?;
        // The old value of a compound target is read beside the call, in an order C leaves open.
        let may_read = !touched.shared || var.storage == Storage::Local;
        let ops = ["+", "-", "*"];
        let whole = if may_read && self.rng.chance(40) {
            let op = self.rng.pick(&ops);
            self.compound_with(target, op, value)
        } else {
            self.assignment(target, value)
        };
        Some(format!("{};", whole.text))
    }
}
