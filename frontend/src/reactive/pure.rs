//! Requirements and assumptions look at the program and leave it as it is.

use super::text::EXPRESSION;
use crate::error::{Errors, FrontError};
use crate::hir::Unit;
use crate::mathlib;
use crate::parse::Parsed;
use lang_c::ast::*;
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

/// Refuses expressions that write, and calls of anything but functions of numbers.
pub fn check(parsed: &Parsed, unit: &Unit) -> Result<(), Errors> {
    let mut walk = Walk { parsed, unit, errors: Vec::new() };
    for node in &parsed.unit.0 {
        if let ExternalDeclaration::FunctionDefinition(f) = &node.node {
            if let DeclaratorKind::Identifier(id) = &f.node.declarator.node.kind.node {
                if id.node.name.starts_with(EXPRESSION) {
                    walk.visit_function_definition(&f.node, &f.span);
                }
            }
        }
    }
    match walk.errors.is_empty() {
        true => Ok(()),
        false => Err(Errors(walk.errors)),
    }
}

struct Walk<'p> {
    parsed: &'p Parsed,
    /// The program without them.
    unit: &'p Unit,
    errors: Vec<FrontError>,
}

impl Walk<'_> {
    fn error(&mut self, span: &Span, message: impl Into<String>) {
        self.errors.push(FrontError::new(self.parsed.source.place(span.start), message));
    }

    /// Functions the program defines itself are what it makes of them.
    fn is_number_function(&self, callee: &Node<Expression>) -> bool {
        let Expression::Identifier(id) = &callee.node else { return false };
        let name = id.node.name.as_str();
        let own = self.unit.functions.values().any(|f| f.name == name && f.body.is_some() && !f.library);
        !own && (matches!(name, "abs" | "labs" | "llabs") || mathlib::by_name(name).is_some())
    }
}

impl<'ast> Visit<'ast> for Walk<'_> {
    fn visit_binary_operator_expression(&mut self, e: &'ast BinaryOperatorExpression, span: &'ast Span) {
        use BinaryOperator::*;
        match e.operator.node {
            Assign => self.error(&e.operator.span, "this writes, and may only look: `==` compares"),
            AssignMultiply | AssignDivide | AssignModulo | AssignPlus | AssignMinus | AssignShiftLeft
            | AssignShiftRight | AssignBitwiseAnd | AssignBitwiseXor | AssignBitwiseOr => {
                self.error(&e.operator.span, "this writes, and may only look")
            }
            Index | Multiply | Divide | Modulo | Plus | Minus | ShiftLeft | ShiftRight | Less | Greater
            | LessOrEqual | GreaterOrEqual | Equals | NotEquals | BitwiseAnd | BitwiseXor | BitwiseOr | LogicalAnd
            | LogicalOr => {}
        }
        visit::visit_binary_operator_expression(self, e, span);
    }

    fn visit_unary_operator_expression(&mut self, e: &'ast UnaryOperatorExpression, span: &'ast Span) {
        use UnaryOperator::*;
        match e.operator.node {
            PostIncrement | PostDecrement | PreIncrement | PreDecrement => {
                self.error(&e.operator.span, "this writes, and may only look")
            }
            Address | Indirection | Plus | Minus | Complement | Negate => {}
        }
        visit::visit_unary_operator_expression(self, e, span);
    }

    fn visit_expression(&mut self, e: &'ast Expression, span: &'ast Span) {
        if let Expression::Statement(_) = e {
            self.error(span, "statements have no place here: write an expression");
        }
        visit::visit_expression(self, e, span);
    }

    fn visit_call_expression(&mut self, call: &'ast CallExpression, span: &'ast Span) {
        if !self.is_number_function(&call.callee) {
            self.error(
                span,
                "a call may change the program: only functions such as `abs` and `fabs` may be called here",
            );
        }
        visit::visit_call_expression(self, call, span);
    }
}
