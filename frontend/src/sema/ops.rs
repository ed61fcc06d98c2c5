//! Operators: unary, binary, assignment, conditional, comma.

use super::expr::Operand;
use super::typing::plain;
use super::{Res, Sema};
use crate::hir::*;
use crate::tokens::SAME;
use crate::types::{Type, TypeId};
use lang_c::ast::{self, BinaryOperator, Expression, UnaryOperator};
use lang_c::span::{Node, Span};

/// What kind of operator it is.
enum Shape {
    Index,
    Plain(BinaryOp),
    And,
    Or,
    Assign(Option<BinaryOp>),
}

fn shape(op: &BinaryOperator) -> Shape {
    use BinaryOperator as B;
    match op {
        B::Index => Shape::Index,
        B::Multiply => Shape::Plain(BinaryOp::Mul),
        B::Divide => Shape::Plain(BinaryOp::Div),
        B::Modulo => Shape::Plain(BinaryOp::Rem),
        B::Plus => Shape::Plain(BinaryOp::Add),
        B::Minus => Shape::Plain(BinaryOp::Sub),
        B::ShiftLeft => Shape::Plain(BinaryOp::Shl),
        B::ShiftRight => Shape::Plain(BinaryOp::Shr),
        B::Less => Shape::Plain(BinaryOp::Lt),
        B::Greater => Shape::Plain(BinaryOp::Gt),
        B::LessOrEqual => Shape::Plain(BinaryOp::Le),
        B::GreaterOrEqual => Shape::Plain(BinaryOp::Ge),
        B::Equals => Shape::Plain(BinaryOp::Eq),
        B::NotEquals => Shape::Plain(BinaryOp::Ne),
        B::BitwiseAnd => Shape::Plain(BinaryOp::And),
        B::BitwiseXor => Shape::Plain(BinaryOp::Xor),
        B::BitwiseOr => Shape::Plain(BinaryOp::Or),
        B::LogicalAnd => Shape::And,
        B::LogicalOr => Shape::Or,
        B::Assign => Shape::Assign(None),
        B::AssignMultiply => Shape::Assign(Some(BinaryOp::Mul)),
        B::AssignDivide => Shape::Assign(Some(BinaryOp::Div)),
        B::AssignModulo => Shape::Assign(Some(BinaryOp::Rem)),
        B::AssignPlus => Shape::Assign(Some(BinaryOp::Add)),
        B::AssignMinus => Shape::Assign(Some(BinaryOp::Sub)),
        B::AssignShiftLeft => Shape::Assign(Some(BinaryOp::Shl)),
        B::AssignShiftRight => Shape::Assign(Some(BinaryOp::Shr)),
        B::AssignBitwiseAnd => Shape::Assign(Some(BinaryOp::And)),
        B::AssignBitwiseXor => Shape::Assign(Some(BinaryOp::Xor)),
        B::AssignBitwiseOr => Shape::Assign(Some(BinaryOp::Or)),
    }
}

pub(super) fn is_comparison(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne)
}

impl<'a> Sema<'a> {
    /// Long chains such as `a + b + c + ...` lean to the left and are taken in a loop.
    pub(super) fn binary(&mut self, e: &'a Node<Expression>) -> Res<Operand> {
        let mut chain: Vec<&'a Node<ast::BinaryOperatorExpression>> = Vec::new();
        let mut at = e;
        while let Expression::BinaryOperator(node) = &at.node {
            match shape(&node.node.operator.node) {
                Shape::Plain(_) | Shape::And | Shape::Or => chain.push(node),
                Shape::Index if chain.is_empty() => return self.index(node),
                Shape::Assign(op) if chain.is_empty() => return Ok(Operand::Value(self.assign(node, op)?)),
                Shape::Index | Shape::Assign(_) => break,
            }
            at = &node.node.lhs;
        }
        let mut value = self.rvalue(at)?;
        while let Some(node) = chain.pop() {
            let right = self.rvalue(&node.node.rhs)?;
            let loc = self.loc(node.node.operator.span);
            value = match shape(&node.node.operator.node) {
                Shape::Plain(op) => self.binary_values(op, value, right, node.node.operator.span)?,
                Shape::And => {
                    self.check_condition(&value, node.node.lhs.span)?;
                    self.check_condition(&right, node.node.rhs.span)?;
                    let kind = ExprKind::LogAnd(Box::new(value), Box::new(right));
                    Expr { ty: self.basic.int, loc, kind }
                }
                _ => {
                    self.check_condition(&value, node.node.lhs.span)?;
                    self.check_condition(&right, node.node.rhs.span)?;
                    let kind = ExprKind::LogOr(Box::new(value), Box::new(right));
                    Expr { ty: self.basic.int, loc, kind }
                }
            };
        }
        Ok(Operand::Value(value))
    }

    fn index(&mut self, node: &'a Node<ast::BinaryOperatorExpression>) -> Res<Operand> {
        let base = self.rvalue(&node.node.lhs)?;
        let index = self.rvalue(&node.node.rhs)?;
        let loc = self.loc(node.span);
        let (pointer, index) = if self.pointee(base.ty).is_some() { (base, index) } else { (index, base) };
        if self.pointee(pointer.ty).is_none() || self.int_kind(index.ty).is_none() {
            return self.fail(node.span, "indexing needs an array or pointer, and an integer");
        }
        let sum = self.pointer_add(pointer, index, false, node.span, loc)?;
        self.deref(sum, node.span, loc)
    }

    fn deref(&mut self, pointer: Expr, span: Span, loc: Loc) -> Res<Operand> {
        let Some(to) = self.pointee(pointer.ty) else {
            let text = self.describe(pointer.ty);
            return self.fail(span, format!("`*` needs a pointer, not `{text}`"));
        };
        if matches!(self.ty(to.ty), Type::Function(_)) {
            return Ok(Operand::Function(pointer));
        }
        Ok(Operand::Place(Lval { ty: to, loc, kind: LvalKind::Deref(Box::new(pointer)) }))
    }

    fn pointer_add(&mut self, ptr: Expr, index: Expr, subtract: bool, span: Span, loc: Loc) -> Res<Expr> {
        let ty = ptr.ty;
        let to = self.pointee(ty).unwrap_or(plain(ty));
        if !self.is_variable(to.ty) && self.step(ty).is_none() {
            let text = self.describe(to.ty);
            return self.fail(span, format!("the size of `{text}` is not known"));
        }
        let index = self.promote(index);
        let kind = ExprKind::PtrAdd { ptr: Box::new(ptr), index: Box::new(index), subtract };
        Ok(Expr { ty, loc, kind })
    }

    pub(super) fn check_condition(&mut self, value: &Expr, span: Span) -> Res<()> {
        if self.is_scalar(value.ty) || self.is_opaque(value.ty) {
            return Ok(());
        }
        let text = self.describe(value.ty);
        self.fail(span, format!("a value of type `{text}` is neither true nor false"))
    }

    pub(super) fn binary_values(&mut self, op: BinaryOp, left: Expr, right: Expr, span: Span) -> Res<Expr> {
        if self.is_opaque(left.ty) || self.is_opaque(right.ty) {
            let opaque = if self.is_opaque(left.ty) { left.ty } else { right.ty };
            let text = format!("arithmetic on `{}`", self.describe(opaque));
            let ty = if is_comparison(op) { self.basic.int } else { opaque };
            return Ok(self.unsupported(ty, span, text));
        }
        let pointers = (self.pointee(left.ty).is_some(), self.pointee(right.ty).is_some());
        if pointers != (false, false) {
            return self.pointer_values(op, left, right, pointers, span);
        }
        if !self.is_arithmetic(left.ty) || !self.is_arithmetic(right.ty) {
            return self.bad_operands(&left, &right, span);
        }
        let (left, right) = (self.promote(left), self.promote(right));
        let loc = self.loc(span);
        let integers = self.int_kind(left.ty).is_some() && self.int_kind(right.ty).is_some();
        let ty = match op {
            BinaryOp::Shl | BinaryOp::Shr if integers => {
                let ty = left.ty;
                let kind = ExprKind::Binary { op, left: Box::new(left), right: Box::new(right) };
                return Ok(Expr { ty, loc, kind });
            }
            BinaryOp::Shl | BinaryOp::Shr | BinaryOp::Rem | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor
                if !integers =>
            {
                return self.bad_operands(&left, &right, span);
            }
            _ => self.usual_types(left.ty, right.ty),
        };
        let Some(ty) = ty else { return self.bad_operands(&left, &right, span) };
        let (left_loc, right_loc) = (left.loc, right.loc);
        let left = Box::new(self.convert(left, ty, left_loc));
        let right = Box::new(self.convert(right, ty, right_loc));
        let ty = if is_comparison(op) { self.basic.int } else { ty };
        Ok(Expr { ty, loc, kind: ExprKind::Binary { op, left, right } })
    }

    fn bad_operands<T>(&mut self, left: &Expr, right: &Expr, span: Span) -> Res<T> {
        let (left, right) = (self.describe(left.ty), self.describe(right.ty));
        self.fail(span, format!("the operator does not take `{left}` and `{right}`"))
    }

    fn pointer_values(&mut self, op: BinaryOp, left: Expr, right: Expr, ptrs: (bool, bool), span: Span) -> Res<Expr> {
        let loc = self.loc(span);
        match (op, ptrs) {
            (BinaryOp::Add | BinaryOp::Sub, (true, false)) if self.int_kind(right.ty).is_some() => {
                self.pointer_add(left, right, op == BinaryOp::Sub, span, loc)
            }
            (BinaryOp::Add, (false, true)) if self.int_kind(left.ty).is_some() => {
                self.pointer_add(right, left, false, span, loc)
            }
            (BinaryOp::Sub, (true, true)) => {
                if self.step(left.ty).is_none_or(|s| s == 0) {
                    let text = "the difference of pointers to elements without a known size";
                    return Ok(self.unsupported(self.basic.ptrdiff, span, text));
                }
                let right = self.convert(right, left.ty, loc);
                let kind = ExprKind::PtrDiff { left: Box::new(left), right: Box::new(right) };
                Ok(Expr { ty: self.basic.ptrdiff, loc, kind })
            }
            _ if is_comparison(op) && self.is_scalar(left.ty) && self.is_scalar(right.ty) => {
                if !self.is_comparable(left.ty) || !self.is_comparable(right.ty) {
                    return self.bad_operands(&left, &right, span);
                }
                let ty = if ptrs.0 && !(ptrs.1 && self.is_null(&left)) { left.ty } else { right.ty };
                let (left_loc, right_loc) = (left.loc, right.loc);
                let left = Box::new(self.convert(left, ty, left_loc));
                let right = Box::new(self.convert(right, ty, right_loc));
                Ok(Expr { ty: self.basic.int, loc, kind: ExprKind::Binary { op, left, right } })
            }
            _ => self.bad_operands(&left, &right, span),
        }
    }

    fn is_comparable(&self, ty: TypeId) -> bool {
        matches!(self.ty(ty), Type::Pointer(_) | Type::Int(_))
    }

    /// A null pointer constant.
    pub(super) fn is_null(&self, e: &Expr) -> bool {
        (self.int_kind(e.ty).is_some() || e.ty == self.basic.void_ptr) && self.fold_int(e) == Some(0)
    }

    fn assign(&mut self, node: &'a Node<ast::BinaryOperatorExpression>, op: Option<BinaryOp>) -> Res<Expr> {
        let lval = self.place(&node.node.lhs)?;
        let right = self.rvalue(&node.node.rhs)?;
        let loc = self.loc(node.span);
        let ty = lval.ty.ty;
        let span = node.span;
        let record = matches!(self.ty(ty), Type::Record(_)) && op.is_none();
        if !record && !self.is_scalar(ty) && !self.is_opaque(ty) {
            let text = self.describe(ty);
            return self.fail(node.node.lhs.span, format!("an object of type `{text}` cannot be assigned to"));
        }
        let Some(op) = op else {
            let value = self.assign_convert(right, ty, span)?;
            let kind = ExprKind::Assign { lval: Box::new(lval), value: Box::new(value) };
            return Ok(Expr { ty, loc, kind });
        };
        if self.is_opaque(ty) || self.is_opaque(right.ty) {
            let text = format!("arithmetic on `{}`", self.describe(ty));
            return Ok(self.unsupported(ty, span, text));
        }
        if self.pointee(ty).is_some() {
            return self.pointer_assign(lval, right, op, span, loc);
        }
        let old = Expr { ty, loc, kind: ExprKind::Load(Box::new(lval.clone())) };
        // The types are those of `lval op right`; the value is computed once, by `AssignOp`.
        let sum = self.binary_values(op, old, right, span)?;
        let compute = sum.ty;
        match sum.kind {
            ExprKind::Binary { right, .. } => {
                let kind = ExprKind::AssignOp { op, lval: Box::new(lval), right, compute };
                Ok(Expr { ty, loc, kind })
            }
            kind => Ok(Expr { ty, loc, kind }),
        }
    }

    fn pointer_assign(&mut self, lval: Lval, index: Expr, op: BinaryOp, span: Span, loc: Loc) -> Res<Expr> {
        let ty = lval.ty.ty;
        let allowed = matches!(op, BinaryOp::Add | BinaryOp::Sub) && self.int_kind(index.ty).is_some();
        if !allowed {
            return self.fail(span, "a pointer takes only `+=` and `-=` with an integer");
        }
        if self.step(ty).is_none() {
            return Ok(self.unsupported(ty, span, "arithmetic on pointers to elements without a known size"));
        }
        let index = Box::new(self.promote(index));
        let kind = ExprKind::PtrAssign { lval: Box::new(lval), index, subtract: op == BinaryOp::Sub };
        Ok(Expr { ty, loc, kind })
    }

    pub(super) fn unary(&mut self, node: &'a Node<ast::UnaryOperatorExpression>) -> Res<Operand> {
        let arg = &node.node.operand;
        let span = node.span;
        let increment = |op: &UnaryOperator| matches!(op, UnaryOperator::PreIncrement | UnaryOperator::PostIncrement);
        match &node.node.operator.node {
            UnaryOperator::Address => Ok(Operand::Value(self.address(arg, span)?)),
            UnaryOperator::Indirection => {
                let pointer = self.rvalue(arg)?;
                let loc = self.loc(span);
                self.deref(pointer, span, loc)
            }
            UnaryOperator::PreIncrement | UnaryOperator::PreDecrement => {
                Ok(Operand::Value(self.inc_dec(arg, increment(&node.node.operator.node), true, span)?))
            }
            UnaryOperator::PostIncrement | UnaryOperator::PostDecrement => {
                Ok(Operand::Value(self.inc_dec(arg, increment(&node.node.operator.node), false, span)?))
            }
            UnaryOperator::Plus => Ok(Operand::Value(self.arithmetic_unary(None, arg, span)?)),
            UnaryOperator::Minus => Ok(Operand::Value(self.arithmetic_unary(Some(UnaryOp::Neg), arg, span)?)),
            UnaryOperator::Complement => {
                let text = self.source.original(node.node.operator.span.start);
                if text.starts_with("&&") {
                    return Ok(Operand::Value(self.unsupported(self.basic.void_ptr, span, "the address of a label")));
                }
                if text.starts_with("__real") || text.starts_with("__imag") {
                    return Ok(Operand::Value(self.unsupported(self.basic.double, span, "complex numbers")));
                }
                Ok(Operand::Value(self.arithmetic_unary(Some(UnaryOp::BitNot), arg, span)?))
            }
            UnaryOperator::Negate => {
                let value = self.rvalue(arg)?;
                self.check_condition(&value, arg.span)?;
                let loc = self.loc(span);
                let kind = ExprKind::Unary { op: UnaryOp::Not, arg: Box::new(value) };
                Ok(Operand::Value(Expr { ty: self.basic.int, loc, kind }))
            }
        }
    }

    fn address(&mut self, arg: &'a Node<Expression>, span: Span) -> Res<Expr> {
        let loc = self.loc(span);
        match self.operand(arg)? {
            Operand::Function(pointer) => Ok(pointer),
            Operand::Place(lval) => {
                if self.bit_field(&lval).is_some() {
                    return self.fail(span, "a bit-field has no address");
                }
                if let LvalKind::Deref(pointer) = lval.kind {
                    return Ok(*pointer);
                }
                let ty = self.pointer_to(lval.ty);
                Ok(Expr { ty, loc, kind: ExprKind::AddrOf(Box::new(lval)) })
            }
            Operand::Value(Expr { kind: ExprKind::Unsupported(text), ty, loc }) => {
                let ty = self.pointer_to(plain(ty));
                Ok(Expr { ty, loc, kind: ExprKind::Unsupported(text) })
            }
            Operand::Value(_) => self.fail(span, "only an object has an address"),
        }
    }

    fn inc_dec(&mut self, arg: &'a Node<Expression>, increment: bool, prefix: bool, span: Span) -> Res<Expr> {
        let lval = self.place(arg)?;
        let ty = lval.ty.ty;
        if self.is_opaque(ty) {
            let text = format!("arithmetic on `{}`", self.describe(ty));
            return Ok(self.unsupported(ty, span, text));
        }
        if !self.is_scalar(ty) {
            let text = self.describe(ty);
            return self.fail(span, format!("a value of type `{text}` cannot be counted up or down"));
        }
        if self.pointee(ty).is_some() && self.step(ty).is_none() {
            return Ok(self.unsupported(ty, span, "arithmetic on pointers to elements without a known size"));
        }
        let loc = self.loc(span);
        Ok(Expr { ty, loc, kind: ExprKind::IncDec { lval: Box::new(lval), increment, prefix } })
    }

    fn arithmetic_unary(&mut self, op: Option<UnaryOp>, arg: &'a Node<Expression>, span: Span) -> Res<Expr> {
        let value = self.rvalue(arg)?;
        if self.is_opaque(value.ty) {
            let text = format!("arithmetic on `{}`", self.describe(value.ty));
            return Ok(self.unsupported(value.ty, span, text));
        }
        let integer = self.int_kind(value.ty).is_some();
        if !self.is_arithmetic(value.ty) || (op == Some(UnaryOp::BitNot) && !integer) {
            let text = self.describe(value.ty);
            return self.fail(span, format!("the operator does not take `{text}`"));
        }
        let value = self.promote(value);
        let loc = self.loc(span);
        let Some(op) = op else { return Ok(value) };
        let ty = value.ty;
        if let ExprKind::Int(v) = value.kind {
            // Literals such as `-1`; the one negation that overflows is left for a check to find.
            let result = if op == UnaryOp::Neg { v.checked_neg() } else { None };
            let kind = self.int_kind(ty);
            if let (Some(r), Some(kind)) = (result, kind) {
                if kind.signed() && super::typing::wrap(r, kind, self.unit.types.model) == r {
                    return Ok(Expr { ty, loc, kind: ExprKind::Int(r) });
                }
            }
        }
        Ok(Expr { ty, loc, kind: ExprKind::Unary { op, arg: Box::new(value) } })
    }

    pub(super) fn conditional(&mut self, node: &'a Node<ast::ConditionalExpression>) -> Res<Expr> {
        let c = &node.node;
        let cond = self.rvalue(&c.condition)?;
        self.check_condition(&cond, c.condition.span)?;
        let loc = self.loc(node.span);
        let same = matches!(&c.then_expression.node, Expression::Identifier(id) if id.node.name == SAME);
        let other = self.rvalue(&c.else_expression)?;
        if same {
            let model = Expr { kind: ExprKind::Unsupported(String::new()), ..shallow(&cond) };
            let ty = self.conditional_type(&model, &other, self.is_null(&cond), node.span)?;
            let other = Box::new(self.branch(other, ty));
            return Ok(Expr { ty, loc, kind: ExprKind::Cond { cond: Box::new(cond), then: None, other } });
        }
        let then = self.rvalue(&c.then_expression)?;
        let ty = self.conditional_type(&then, &other, self.is_null(&then), node.span)?;
        let then = Some(Box::new(self.branch(then, ty)));
        let other = Box::new(self.branch(other, ty));
        Ok(Expr { ty, loc, kind: ExprKind::Cond { cond: Box::new(cond), then, other } })
    }

    fn branch(&mut self, value: Expr, ty: TypeId) -> Expr {
        match self.ty(ty) {
            Type::Record(_) => value,
            _ => {
                let loc = value.loc;
                self.convert(value, ty, loc)
            }
        }
    }

    fn conditional_type(&mut self, a: &Expr, b: &Expr, a_null: bool, span: Span) -> Res<TypeId> {
        if self.is_arithmetic(a.ty) && self.is_arithmetic(b.ty) {
            let (x, y) = (self.promoted_type(a), self.promoted_type(b));
            if let Some(ty) = self.usual_types(x, y) {
                return Ok(ty);
            }
        }
        if self.is_void(a.ty) || self.is_void(b.ty) {
            return Ok(self.basic.void);
        }
        let pointers = (self.pointee(a.ty), self.pointee(b.ty));
        match pointers {
            (Some(x), Some(y)) => {
                // A null constant takes the other's type; otherwise `void *` wins.
                if a_null || self.is_null(b) {
                    return Ok(if a_null { b.ty } else { a.ty });
                }
                if self.is_void(x.ty) || self.is_void(y.ty) {
                    return Ok(if self.is_void(x.ty) { a.ty } else { b.ty });
                }
                return Ok(self.composite(a.ty, b.ty).unwrap_or(a.ty));
            }
            (Some(_), None) if self.int_kind(b.ty).is_some() => return Ok(a.ty),
            (None, Some(_)) if self.int_kind(a.ty).is_some() => return Ok(b.ty),
            _ => {}
        }
        if a.ty == b.ty {
            return Ok(a.ty);
        }
        if let Some(ty) = self.composite(a.ty, b.ty) {
            return Ok(ty);
        }
        let (a, b) = (self.describe(a.ty), self.describe(b.ty));
        self.fail(span, format!("the branches have the types `{a}` and `{b}`, which do not go together"))
    }

    fn promoted_type(&mut self, e: &Expr) -> TypeId {
        match self.promoted_kind(e) {
            Some(kind) => self.int_type(kind),
            None => e.ty,
        }
    }

    /// `a, b, c`: a balanced tree, so that a long list does not nest deeply.
    pub(super) fn comma(&mut self, list: &'a [Node<Expression>], span: Span) -> Res<Expr> {
        let mut values = Vec::with_capacity(list.len());
        for e in list {
            values.push(self.rvalue(e)?);
        }
        while values.len() > 1 {
            let mut halved = Vec::with_capacity(values.len().div_ceil(2));
            let mut rest = values.into_iter();
            while let Some(left) = rest.next() {
                halved.push(match rest.next() {
                    Some(right) => {
                        let (ty, loc) = (right.ty, left.loc);
                        Expr { ty, loc, kind: ExprKind::Comma(Box::new(left), Box::new(right)) }
                    }
                    None => left,
                });
            }
            values = halved;
        }
        match values.pop() {
            Some(value) => Ok(value),
            None => self.fail(span, "an expression is missing"),
        }
    }
}

/// Type and place without the content.
fn shallow(e: &Expr) -> Expr {
    Expr { ty: e.ty, loc: e.loc, kind: ExprKind::Int(1) }
}
