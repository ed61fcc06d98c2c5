//! Expressions, as values or for their effects only. Operands go from left to right; an assignment evaluates the
//! operands of its left side, then its right side, then reads and writes, as gcc does.

use super::arith::Operand;
use super::build::FnLower;
use super::place::Target;
use super::Lower;
use crate::hir::{BinaryOp, Callee, Expr, ExprKind, Loc, Lval, LvalKind, UnaryOp};
use crate::types::{IntKind, Type as CType, TypeId};
use syncline_ir::{BinOp, Const, PropKind, UnOp, Value};

impl<'a> FnLower<'_, 'a> {
    /// The value of an expression, of the IR type of its C type.
    pub fn expr(&mut self, expr: &Expr) -> Value {
        self.set_loc(expr.loc);
        if self.cx.is_record(expr.ty) {
            self.record(expr);
            return self.placeholder(expr.ty);
        }
        match &expr.kind {
            ExprKind::Int(value) => match self.cx.value_type(expr.ty).width() {
                Some(width) => self.bv(width, *value),
                None => self.placeholder(expr.ty),
            },
            ExprKind::Float { format, bits } => self.constant(Const::Float { format: *format, bits: *bits }),
            ExprKind::Load(lval) => {
                if let Some(value) = self.load_temporary(lval, expr.ty) {
                    return value;
                }
                let target = self.resolve(lval);
                self.set_loc(expr.loc);
                self.load(&target, expr.ty)
            }
            ExprKind::AddrOf(_)
            | ExprKind::Decay(_)
            | ExprKind::FuncAddr(_)
            | ExprKind::PtrAdd { .. }
            | ExprKind::PtrDiff { .. } => self.address(expr),
            ExprKind::Unary { op, arg } => self.unary(*op, arg, expr),
            ExprKind::Binary { op, left, right } => self.binary(*op, left, right, expr),
            ExprKind::LogAnd(..) | ExprKind::LogOr(..) => self.truth_value(expr),
            ExprKind::Cast(arg) => self.cast(arg, expr),
            ExprKind::Cond { cond, then, other } => self.conditional(cond, then.as_deref(), other, expr),
            ExprKind::Comma(first, second) => {
                self.effect(first);
                self.expr(second)
            }
            ExprKind::Assign { lval, value } => self.assign(lval, value),
            ExprKind::AssignOp { op, lval, right, compute } => self.assign_op(*op, lval, right, *compute, expr.loc),
            ExprKind::PtrAssign { lval, index, subtract } => self.pointer_assign(lval, index, *subtract, expr),
            ExprKind::IncDec { lval, increment, prefix } => self.inc_dec(lval, *increment, *prefix, expr),
            ExprKind::Call { callee, args } => {
                let result = self.call(callee, args, expr);
                self.set_loc(expr.loc);
                result.unwrap_or_else(|| self.placeholder(expr.ty))
            }
            ExprKind::StmtExpr { body, value } => {
                self.inner_statements(body);
                match value {
                    Some(value) => self.expr(value),
                    None => self.placeholder(expr.ty),
                }
            }
            ExprKind::Unsupported(what) => self.unmodelled(what.clone(), expr.ty),
        }
    }

    /// Evaluates an expression whose value is not wanted.
    pub fn effect(&mut self, expr: &Expr) {
        if self.cx.is_record(expr.ty) && !matches!(expr.kind, ExprKind::Load(_)) {
            self.record(expr);
            return;
        }
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Float { .. } | ExprKind::FuncAddr(_) => {}
            // What is only computed to be checked is computed.
            ExprKind::Load(_) if self.cx.checks(PropKind::Bounds) || self.cx.checks(PropKind::Pointer) => {
                self.expr(expr);
            }
            ExprKind::Unary { .. } if self.cx.checks(PropKind::Overflow) => {
                self.expr(expr);
            }
            // Reading for nothing: not even a `volatile` object notices.
            ExprKind::Load(lval) | ExprKind::AddrOf(lval) | ExprKind::Decay(lval) => self.lval_effects(lval),
            ExprKind::Unary { arg, .. } | ExprKind::Cast(arg) => self.effect(arg),
            ExprKind::PtrAdd { ptr, index, .. } => {
                self.effect(ptr);
                self.effect(index);
            }
            ExprKind::PtrDiff { left, right } => {
                self.effect(left);
                self.effect(right);
            }
            ExprKind::Comma(first, second) => {
                self.effect(first);
                self.effect(second);
            }
            ExprKind::LogAnd(a, b) => self.effect_if(a, Some(b), None),
            ExprKind::LogOr(a, b) => self.effect_if(a, None, Some(b)),
            ExprKind::Cond { cond, then, other } => self.effect_if(cond, then.as_deref(), Some(other)),
            ExprKind::Call { callee, args } => self.call_for_effect(callee, args, expr),
            ExprKind::StmtExpr { body, value } => {
                self.inner_statements(body);
                value.iter().for_each(|e| self.effect(e));
            }
            ExprKind::IncDec { lval, increment, .. } => {
                self.inc_dec(lval, *increment, true, expr);
            }
            // Divisions can trap and checks can fail, so operators are evaluated in full.
            ExprKind::Binary { .. }
            | ExprKind::Assign { .. }
            | ExprKind::AssignOp { .. }
            | ExprKind::PtrAssign { .. }
            | ExprKind::Unsupported(_) => {
                self.expr(expr);
            }
        }
    }

    /// `cond ? then : other` for effects.
    fn effect_if(&mut self, cond: &Expr, then: Option<&Expr>, other: Option<&Expr>) {
        let idle = |e: Option<&Expr>| e.is_none_or(|e| self.cx.plain(e));
        if idle(then) && idle(other) {
            return self.effect(cond);
        }
        let (yes, no, join) = (self.new_block(), self.new_block(), self.new_block());
        self.branch(cond, yes, no);
        for (block, arm) in [(yes, then), (no, other)] {
            self.switch_to(block);
            arm.into_iter().for_each(|e| self.effect(e));
            self.jump_to(join, join);
        }
    }

    /// The effects in the operands of an lvalue.
    pub fn lval_effects(&mut self, lval: &Lval) {
        match &lval.kind {
            LvalKind::Object(_) | LvalKind::Str(_) => {}
            LvalKind::Deref(e) | LvalKind::Temp(e) => self.effect(e),
            LvalKind::Member { base, .. } => self.lval_effects(base),
            LvalKind::Compound { obj, init } => self.declare_local(*obj, Some(init), lval.loc),
        }
    }

    /// An obligation, and some value to go on with.
    pub fn unmodelled(&mut self, what: impl Into<String>, ty: TypeId) -> Value {
        self.unsupported(what);
        self.havoc_c("a value that is not modelled", ty)
    }

    fn unary(&mut self, op: UnaryOp, arg: &Expr, whole: &Expr) -> Value {
        match op {
            UnaryOp::Not => self.truth_value(whole),
            UnaryOp::Neg => {
                let value = self.expr(arg);
                self.set_loc(whole.loc);
                self.negate(value, self.cx.is_signed(whole.ty), whole.loc)
            }
            UnaryOp::BitNot => {
                let value = self.expr(arg);
                self.set_loc(whole.loc);
                self.un(UnOp::BvNot, value)
            }
        }
    }

    /// A condition as the `int` it is in C.
    fn truth_value(&mut self, expr: &Expr) -> Value {
        let truth = self.condition(expr);
        self.set_loc(expr.loc);
        let width = self.cx.value_type(expr.ty).width().unwrap_or(32);
        self.bool_to_bv(truth, width)
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr, whole: &Expr) -> Value {
        match op {
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne => {
                self.truth_value(whole)
            }
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor => {
                self.note_order(&[left, right], whole.loc);
                let a = self.operand(left);
                let b = self.operand(right);
                self.set_loc(whole.loc);
                self.arithmetic(op, a, b, whole.loc)
            }
        }
    }

    fn operand(&mut self, expr: &Expr) -> Operand {
        Operand { value: self.expr(expr), ty: expr.ty, range: self.cx.range(expr) }
    }

    fn cast(&mut self, arg: &Expr, whole: &Expr) -> Value {
        if self.cx.is_void(whole.ty) {
            self.effect(arg);
            return self.placeholder(whole.ty);
        }
        if self.cx.scalar(whole.ty).is_none() || self.cx.scalar(arg.ty).is_none() {
            self.effect(arg);
            self.set_loc(whole.loc);
            return self.unmodelled(format!("a conversion to {}", self.cx.type_words(whole.ty)), whole.ty);
        }
        if self.cx.is_bool(whole.ty) && !self.cx.is_bool(arg.ty) {
            let truth = self.condition(arg);
            self.set_loc(whole.loc);
            return self.bool_to_bv(truth, 8);
        }
        let value = self.expr(arg);
        self.set_loc(whole.loc);
        self.convert(value, arg.ty, whole.ty)
    }

    fn conditional(&mut self, cond: &Expr, then: Option<&Expr>, other: &Expr, whole: &Expr) -> Value {
        if self.cx.scalar(whole.ty).is_none() {
            self.effect(whole);
            return self.placeholder(whole.ty);
        }
        let Some(then) = then else { return self.elvis(cond, other, whole) };
        if self.cx.plain(then) && self.cx.plain(other) {
            let cond = self.condition(cond);
            if let Some(known) = self.const_bool(cond) {
                return self.expr(if known { then } else { other });
            }
            let (a, b) = (self.expr(then), self.expr(other));
            self.set_loc(whole.loc);
            return self.ite(cond, a, b);
        }
        let (yes, no, join) = (self.new_block(), self.new_block(), self.new_block());
        let ty = self.cx.value_type(whole.ty);
        let result = self.proc.add_param(join, ty);
        self.branch(cond, yes, no);
        for (block, arm) in [(yes, then), (no, other)] {
            self.switch_to(block);
            let value = self.expr(arm);
            self.jump_with(join, value);
        }
        self.switch_to(join);
        result
    }

    /// `a ?: b`.
    fn elvis(&mut self, cond: &Expr, other: &Expr, whole: &Expr) -> Value {
        let value = self.expr(cond);
        self.set_loc(whole.loc);
        let truth = self.truth(value);
        let (no, join) = (self.new_block(), self.new_block());
        let ty = self.cx.value_type(whole.ty);
        let result = self.proc.add_param(join, ty);
        let yes = self.new_block();
        self.branch_on(truth, yes, no);
        self.switch_to(yes);
        let first = self.convert(value, cond.ty, whole.ty);
        self.jump_with(join, first);
        self.switch_to(no);
        let second = self.expr(other);
        self.jump_with(join, second);
        self.switch_to(join);
        result
    }

    fn assign(&mut self, lval: &Lval, value: &Expr) -> Value {
        if self.cx.scalar(lval.ty.ty).is_none() {
            self.lval_effects(lval);
            self.effect(value);
            self.set_loc(lval.loc);
            return self.unmodelled(format!("assignment of {}", self.cx.type_words(lval.ty.ty)), lval.ty.ty);
        }
        let target = self.resolve(lval);
        let value = self.expr(value);
        self.set_loc(lval.loc);
        self.store(&target, value);
        self.stored(&target, value)
    }

    /// The value an assignment has: what a read would give.
    fn stored(&mut self, target: &Target, value: Value) -> Value {
        match target {
            Target::Memory { field: Some(field), ty, .. } => {
                let bits = self.cut(value, field.width);
                self.fielded(bits, *ty, Some(*field))
            }
            Target::Memory { .. } | Target::Scalar { .. } | Target::Cell { .. } | Target::Lost => value,
        }
    }

    fn assign_op(&mut self, op: BinaryOp, lval: &Lval, right: &Expr, compute: TypeId, loc: Loc) -> Value {
        let target = self.resolve(lval);
        let b = self.operand(right);
        self.set_loc(loc);
        let old = self.load(&target, lval.ty.ty);
        let a = self.convert(old, lval.ty.ty, compute);
        // The old value keeps the range of the lvalue's type where the conversion does.
        let range = self
            .cx
            .type_range(lval.ty.ty)
            .filter(|r| self.cx.type_range(compute).is_some_and(|c| r.within(c.lo, c.hi)));
        let a = Operand { value: a, ty: compute, range: range.or(self.cx.type_range(compute)) };
        let result = self.arithmetic(op, a, b, loc);
        let new = self.convert(result, compute, lval.ty.ty);
        self.store(&target, new);
        self.stored(&target, new)
    }

    fn inc_dec(&mut self, lval: &Lval, increment: bool, prefix: bool, whole: &Expr) -> Value {
        let (ty, loc) = (lval.ty.ty, whole.loc);
        let target = self.resolve(lval);
        self.set_loc(loc);
        let old = self.load(&target, ty);
        if let Target::Lost = target {
            return old;
        }
        let new = if self.cx.is_pointer(ty) {
            let one = self.bv(32, 1);
            self.moved(old, one, true, !increment, whole)
        } else {
            self.stepped(old, ty, increment, loc)
        };
        self.store(&target, new);
        if prefix {
            self.stored(&target, new)
        } else {
            old
        }
    }

    /// The value plus or minus one, in its own type.
    fn stepped(&mut self, old: Value, ty: TypeId, increment: bool, loc: Loc) -> Value {
        let model = self.cx.unit.types.model;
        match self.cx.ctype(ty) {
            CType::Float(format) => {
                let one = self.bv(32, 1);
                let one = self.un(UnOp::SToF(*format), one);
                self.bin(if increment { BinOp::FAdd } else { BinOp::FSub }, old, one)
            }
            // `b++` makes it 1, `b--` turns it over.
            CType::Int(IntKind::Bool) if increment => self.bv(8, 1),
            CType::Int(IntKind::Bool) => {
                let one = self.bv(8, 1);
                self.bin(BinOp::BvXor, old, one)
            }
            CType::Int(kind) => {
                let one = self.bv(kind.bits(model), 1);
                let op = if increment { BinaryOp::Add } else { BinaryOp::Sub };
                // Narrow types are computed as `int`, where they cannot overflow, and cut back.
                if kind.bytes(model) < 4 {
                    return self.bin(if increment { BinOp::Add } else { BinOp::Sub }, old, one);
                }
                let operand = |value| Operand { value, ty, range: None };
                self.arithmetic(op, operand(old), operand(one), loc)
            }
            _ => self.unmodelled("++ or -- on an object that is no number", ty),
        }
    }

    /// Lists the order of evaluation as an assumption where it can be seen.
    pub fn note_order(&mut self, operands: &[&Expr], loc: Loc) {
        if operands.len() > 1 && self.cx.order_matters(operands) {
            let text = "operands and arguments are evaluated from left to right".to_string();
            self.cx.assume_line(text, loc);
        }
    }
}

/// Nodes of an operand that are looked at for effects.
const FOOTPRINT_BUDGET: u32 = 40;

/// What evaluating an expression does and depends on.
#[derive(Default)]
struct Footprint {
    writes: bool,
    calls: bool,
    reads_shared: bool,
    budget: u32,
}

impl Lower<'_> {
    /// Whether two operands can see each other's effects. Only looks at a bounded part of each.
    fn order_matters(&self, operands: &[&Expr]) -> bool {
        let (mut acting, mut readers, mut callers, mut pure_callers) = (0, 0, 0, 0);
        for expr in operands {
            let mut print = Footprint { budget: FOOTPRINT_BUDGET, ..Footprint::default() };
            self.footprint(expr, &mut print);
            acting += u32::from(print.writes || print.calls);
            readers += u32::from(print.reads_shared);
            callers += u32::from(print.calls);
            pure_callers += u32::from(print.calls && !print.reads_shared);
        }
        // Two that act, or one that calls and another that reads what the callee may change.
        acting > 1 || (readers > 1 && callers > 0) || (readers == 1 && pure_callers > 0)
    }

    fn footprint(&self, expr: &Expr, print: &mut Footprint) {
        if print.budget == 0 {
            return;
        }
        print.budget -= 1;
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Float { .. } | ExprKind::FuncAddr(_) | ExprKind::Unsupported(_) => {}
            ExprKind::Load(lval) => {
                if let LvalKind::Object(obj) = lval.kind {
                    print.reads_shared |= self.homes.contains_key(&obj);
                } else {
                    self.lval_footprint(lval, print);
                }
            }
            ExprKind::AddrOf(lval) | ExprKind::Decay(lval) => self.lval_footprint(lval, print),
            ExprKind::Unary { arg, .. } | ExprKind::Cast(arg) => self.footprint(arg, print),
            ExprKind::Binary { left, right, .. } | ExprKind::PtrDiff { left, right } => {
                self.footprint(left, print);
                self.footprint(right, print);
            }
            ExprKind::PtrAdd { ptr, index, .. } => {
                self.footprint(ptr, print);
                self.footprint(index, print);
            }
            ExprKind::LogAnd(a, b) | ExprKind::LogOr(a, b) | ExprKind::Comma(a, b) => {
                self.footprint(a, print);
                self.footprint(b, print);
            }
            ExprKind::Cond { cond, then, other } => {
                self.footprint(cond, print);
                then.iter().for_each(|e| self.footprint(e, print));
                self.footprint(other, print);
            }
            ExprKind::Call { callee: Callee::Direct(func), args } => {
                print.calls |= self.unit.functions[*func].body.is_some();
                args.iter().for_each(|e| self.footprint(e, print));
            }
            ExprKind::Call { callee: Callee::Indirect(_), .. } | ExprKind::StmtExpr { .. } => print.calls = true,
            ExprKind::Assign { .. }
            | ExprKind::AssignOp { .. }
            | ExprKind::PtrAssign { .. }
            | ExprKind::IncDec { .. } => print.writes = true,
        }
    }

    fn lval_footprint(&self, lval: &Lval, print: &mut Footprint) {
        match &lval.kind {
            LvalKind::Object(obj) => print.reads_shared |= self.homes.contains_key(obj),
            LvalKind::Deref(e) | LvalKind::Temp(e) => self.footprint(e, print),
            LvalKind::Member { base, .. } => self.lval_footprint(base, print),
            LvalKind::Str(_) | LvalKind::Compound { .. } => {}
        }
    }
}
