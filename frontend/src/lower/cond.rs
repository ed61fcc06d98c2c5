//! Conditions: as branches, or as Boolean values where that costs no branch.

use super::build::FnLower;
use super::Lower;
use crate::hir::{BinaryOp, Expr, ExprKind, Lval, LvalKind, UnaryOp};
use crate::types::Type as CType;
use syncline_ir::{BinOp, Block, BlockCall, PropKind, Scalar, Terminator, Type, Value};

/// Nodes of an operand of `&&`, `||`, `?:` that is still computed without a branch.
const PLAIN_BUDGET: u32 = 200;

/// A walk over an expression that asks whether it is plain.
pub(super) struct PlainWalk {
    /// Nodes it may still look at.
    pub budget: u32,
    /// Only constants: no variable is read, addresses are let through, and conversions of floats that may not fit.
    pub constant: bool,
}

impl Lower<'_> {
    /// Whether computing the expression early changes nothing: no effect, no trap, no unknown value, no check.
    pub fn is_plain(&self, expr: &Expr, walk: &mut PlainWalk) -> bool {
        if walk.budget == 0 || self.scalar(expr.ty).is_none() {
            return false;
        }
        walk.budget -= 1;
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Float { .. } => true,
            ExprKind::Load(lval) => {
                !walk.constant && matches!(lval.kind, LvalKind::Object(obj) if self.is_plain_object(obj))
            }
            ExprKind::Unary { op, arg } => {
                let checked = *op == UnaryOp::Neg && self.is_signed(expr.ty) && self.checks(PropKind::Overflow);
                !checked && self.is_plain(arg, walk)
            }
            ExprKind::Cast(arg) => {
                let open = self.is_float(arg.ty) && !self.is_float(expr.ty) && !self.is_bool(expr.ty);
                (walk.constant || !open) && self.is_plain(arg, walk)
            }
            ExprKind::Binary { op, left, right } => {
                self.is_plain_operator(*op, left, right) && self.is_plain(left, walk) && self.is_plain(right, walk)
            }
            ExprKind::LogAnd(a, b) | ExprKind::LogOr(a, b) => self.is_plain(a, walk) && self.is_plain(b, walk),
            ExprKind::Cond { cond, then, other } => {
                self.is_plain(cond, walk)
                    && then.as_ref().is_none_or(|e| self.is_plain(e, walk))
                    && self.is_plain(other, walk)
            }
            ExprKind::FuncAddr(_) => true,
            ExprKind::AddrOf(lval) | ExprKind::Decay(lval) => walk.constant && self.is_constant_place(lval),
            ExprKind::PtrAdd { ptr, index, .. } => {
                walk.constant && self.is_plain(ptr, walk) && self.is_plain(index, walk)
            }
            ExprKind::PtrDiff { left, right } => {
                walk.constant && self.is_plain(left, walk) && self.is_plain(right, walk)
            }
            ExprKind::Comma(..)
            | ExprKind::Assign { .. }
            | ExprKind::AssignOp { .. }
            | ExprKind::PtrAssign { .. }
            | ExprKind::IncDec { .. }
            | ExprKind::Call { .. }
            | ExprKind::StmtExpr { .. }
            | ExprKind::Unsupported(_) => false,
        }
    }

    /// Whether the address of an lvalue is a constant.
    fn is_constant_place(&self, lval: &Lval) -> bool {
        match &lval.kind {
            LvalKind::Object(obj) => !self.memory.is_moving(*obj),
            LvalKind::Str(_) => true,
            LvalKind::Member { base, .. } => self.is_constant_place(base),
            LvalKind::Deref(pointer) => self.is_plain(pointer, &mut PlainWalk { budget: PLAIN_BUDGET, constant: true }),
            LvalKind::Compound { .. } | LvalKind::Temp(_) => false,
        }
    }

    fn is_plain_operator(&self, op: BinaryOp, left: &Expr, right: &Expr) -> bool {
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
                !(self.is_signed(left.ty) && self.checks(PropKind::Overflow))
            }
            BinaryOp::Div | BinaryOp::Rem => {
                self.is_float(left.ty) || {
                    let (a, b) = (self.range(left), self.range(right));
                    super::arith::division_is_safe(a, b, self.type_range(left.ty), self.is_signed(left.ty))
                }
            }
            BinaryOp::Shl | BinaryOp::Shr => {
                let width = self.value_type(left.ty).width().unwrap_or(0);
                self.range(right).is_some_and(|r| r.within(0, i128::from(width) - 1))
            }
            BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge
            | BinaryOp::Eq
            | BinaryOp::Ne => true,
        }
    }

    pub fn plain(&self, expr: &Expr) -> bool {
        self.is_plain(expr, &mut PlainWalk { budget: PLAIN_BUDGET, constant: false })
    }

    /// Strips what does not change whether an expression differs from zero: casts that keep every value, or to
    /// `_Bool`, and `!= 0`.
    fn strip<'e>(&self, mut expr: &'e Expr) -> &'e Expr {
        loop {
            expr = match &expr.kind {
                ExprKind::Cast(arg) if self.keeps_truth(arg, expr) => arg,
                ExprKind::Binary { op: BinaryOp::Ne, left, right }
                    if matches!(right.kind, ExprKind::Int(0)) && !self.is_pointer(left.ty) =>
                {
                    left
                }
                _ => return expr,
            }
        }
    }

    fn keeps_truth(&self, from: &Expr, to: &Expr) -> bool {
        let model = self.unit.types.model;
        match (self.ctype(from.ty), self.ctype(to.ty)) {
            (CType::Int(_) | CType::Float(_), CType::Int(crate::types::IntKind::Bool)) => true,
            (CType::Int(from), CType::Int(to)) => from.bits(model) <= to.bits(model),
            _ => false,
        }
    }
}

impl FnLower<'_, '_> {
    /// Ends the current block: goes to `then` where the expression differs from zero, else to `other`.
    pub fn branch(&mut self, expr: &Expr, then: Block, other: Block) {
        let expr = self.cx.strip(expr);
        if let Some(value) = self.cx.const_int(expr) {
            self.set_loc(expr.loc);
            let target = if value != 0 { then } else { other };
            self.proc.set_term(self.block, Terminator::Jump(target.into()), self.at);
            return;
        }
        match &expr.kind {
            ExprKind::Unary { op: UnaryOp::Not, arg } => self.branch(arg, other, then),
            ExprKind::LogAnd(a, b) if !self.cx.plain(b) => {
                let middle = self.new_block();
                self.branch(a, middle, other);
                self.switch_to(middle);
                self.branch(b, then, other);
            }
            ExprKind::LogOr(a, b) if !self.cx.plain(b) => {
                let middle = self.new_block();
                self.branch(a, then, middle);
                self.switch_to(middle);
                self.branch(b, then, other);
            }
            ExprKind::Comma(first, value) => {
                self.effect(first);
                self.branch(value, then, other);
            }
            _ => {
                let cond = self.condition(expr);
                self.set_loc(expr.loc);
                self.branch_on(cond, then, other);
            }
        }
    }

    /// Whether the expression differs from zero, as a Boolean value.
    pub fn condition(&mut self, expr: &Expr) -> Value {
        let expr = self.cx.strip(expr);
        match &expr.kind {
            ExprKind::Unary { op: UnaryOp::Not, arg } => {
                let arg = self.condition(arg);
                self.set_loc(expr.loc);
                self.not(arg)
            }
            ExprKind::LogAnd(a, b) if self.cx.plain(b) => self.connective(BinOp::And, a, b, expr),
            ExprKind::LogOr(a, b) if self.cx.plain(b) => self.connective(BinOp::Or, a, b, expr),
            ExprKind::LogAnd(..) | ExprKind::LogOr(..) => self.short_circuit(expr),
            ExprKind::Binary { op, left, right } => match (Comparison::of(*op), op) {
                (Some(comparison), _) => self.comparison(comparison, left, right, expr),
                (None, BinaryOp::And) if self.is_truth(left) && self.is_truth(right) => {
                    self.connective(BinOp::And, left, right, expr)
                }
                (None, BinaryOp::Or) if self.is_truth(left) && self.is_truth(right) => {
                    self.connective(BinOp::Or, left, right, expr)
                }
                _ => self.truth_of(expr),
            },
            _ => self.truth_of(expr),
        }
    }

    /// Whether the expression is 0 or 1 by its form.
    fn is_truth(&self, expr: &Expr) -> bool {
        match &self.cx.strip(expr).kind {
            ExprKind::Unary { op: UnaryOp::Not, .. } | ExprKind::LogAnd(..) | ExprKind::LogOr(..) => true,
            ExprKind::Binary { op, .. } => Comparison::of(*op).is_some(),
            ExprKind::Load(lval) => self.cx.is_bool(lval.ty.ty),
            _ => false,
        }
    }

    fn truth_of(&mut self, expr: &Expr) -> Value {
        let value = self.expr(expr);
        self.set_loc(expr.loc);
        self.truth(value)
    }

    fn connective(&mut self, op: BinOp, a: &Expr, b: &Expr, whole: &Expr) -> Value {
        let a = self.condition(a);
        let b = self.condition(b);
        self.set_loc(whole.loc);
        self.bin(op, a, b)
    }

    /// `&&` and `||` whose right side must not be computed early.
    fn short_circuit(&mut self, expr: &Expr) -> Value {
        let (yes, no, join) = (self.new_block(), self.new_block(), self.new_block());
        let result = self.proc.add_param(join, Type::BOOL);
        self.branch(expr, yes, no);
        for (block, value) in [(yes, true), (no, false)] {
            self.switch_to(block);
            let value = self.boolean(value);
            self.jump_with(join, value);
        }
        self.switch_to(join);
        result
    }

    /// Ends the current block with a jump that passes one value.
    pub fn jump_with(&mut self, target: Block, value: Value) {
        let call = BlockCall::new(target, vec![value]);
        self.proc.set_term(self.block, Terminator::Jump(call), self.at);
    }

    fn comparison(&mut self, comparison: Comparison, left: &Expr, right: &Expr, whole: &Expr) -> Value {
        self.note_order(&[left, right], whole.loc);
        let a = self.expr(left);
        let b = self.expr(right);
        self.set_loc(whole.loc);
        self.compare(comparison, a, b, self.cx.is_signed(left.ty))
    }

    fn compare(&mut self, comparison: Comparison, a: Value, b: Value, signed: bool) -> Value {
        let float = matches!(self.ty(a).scalar(), Some(Scalar::Float(_)));
        let (less, less_equal, equal) = match (float, signed) {
            (true, _) => (BinOp::FLt, BinOp::FLe, BinOp::FEq),
            (false, true) => (BinOp::Slt, BinOp::Sle, BinOp::Eq),
            (false, false) => (BinOp::Ult, BinOp::Ule, BinOp::Eq),
        };
        match comparison {
            Comparison::Lt => self.bin(less, a, b),
            Comparison::Le => self.bin(less_equal, a, b),
            Comparison::Gt => self.bin(less, b, a),
            Comparison::Ge => self.bin(less_equal, b, a),
            Comparison::Eq => self.bin(equal, a, b),
            Comparison::Ne => {
                let same = self.bin(equal, a, b);
                self.not(same)
            }
        }
    }
}

/// The operators whose result is a truth value.
#[derive(Copy, Clone)]
enum Comparison {
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

impl Comparison {
    fn of(op: BinaryOp) -> Option<Comparison> {
        match op {
            BinaryOp::Lt => Some(Comparison::Lt),
            BinaryOp::Le => Some(Comparison::Le),
            BinaryOp::Gt => Some(Comparison::Gt),
            BinaryOp::Ge => Some(Comparison::Ge),
            BinaryOp::Eq => Some(Comparison::Eq),
            BinaryOp::Ne => Some(Comparison::Ne),
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor => None,
        }
    }
}
