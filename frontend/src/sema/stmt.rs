//! Statements.

use super::{Res, Sema};
use crate::hir::*;
use crate::types::TypeId;
use lang_c::ast::{self, Expression, ForInitializer, Statement};
use lang_c::span::{Node, Span};
use rustc_hash::{FxHashMap, FxHashSet};

struct Goal {
    label: Label,
    defined: bool,
    span: Span,
}

struct Switch {
    ty: TypeId,
    cases: Vec<(i128, i128, Span)>,
    default: bool,
}

/// The function whose body is being read.
pub(super) struct Body<'a> {
    pub func: Func,
    pub result: TypeId,
    /// Points to the arguments beyond the parameters, where `va_start` asks for them.
    pub rest: Option<Obj>,
    labels: FxHashMap<&'a str, Goal>,
    switches: Vec<Switch>,
    /// Statements around that `break` can leave, and those that `continue` can.
    breakable: u32,
    loops: u32,
    /// Unknown names that have been reported.
    reported: FxHashSet<&'a str>,
}

impl Body<'_> {
    pub fn new(func: Func, result: TypeId) -> Self {
        Body {
            func,
            result,
            rest: None,
            labels: FxHashMap::default(),
            switches: Vec::new(),
            breakable: 0,
            loops: 0,
            reported: FxHashSet::default(),
        }
    }
}

impl<'a> Sema<'a> {
    /// Whether an unknown name is met for the first time in this function.
    pub(super) fn first_report(&mut self, name: &'a str) -> bool {
        self.body.as_mut().is_none_or(|body| body.reported.insert(name))
    }

    pub(super) fn function_name(&self) -> String {
        self.body.as_ref().map_or(String::new(), |body| self.unit.functions[body.func].name.clone())
    }

    /// The items of a block, in the scope that is open.
    pub(super) fn block_items(&mut self, items: &'a [Node<ast::BlockItem>]) -> Vec<Stmt> {
        let mut stmts = Vec::with_capacity(items.len());
        for item in items {
            // Whatever is wrong has been reported; the next item may be fine.
            let _ = match &item.node {
                ast::BlockItem::Declaration(d) => self.local_declaration(d, &mut stmts),
                ast::BlockItem::StaticAssert(a) => self.static_assert(a),
                ast::BlockItem::Statement(s) => self.statement(s).map(|stmt| stmts.push(stmt)),
            };
        }
        stmts
    }

    pub(super) fn statement(&mut self, node: &'a Node<Statement>) -> Res<Stmt> {
        let loc = self.loc(node.span);
        let kind = match &node.node {
            Statement::Labeled(labeled) => self.labeled(labeled)?,
            Statement::Compound(items) => {
                self.scope.enter();
                let stmts = self.block_items(items);
                self.scope.leave();
                StmtKind::Block(stmts)
            }
            Statement::Expression(None) => StmtKind::Empty,
            Statement::Expression(Some(e)) => self.expression_statement(e)?,
            Statement::If(s) => self.if_statement(s)?,
            Statement::Switch(s) => self.switch(s)?,
            Statement::While(s) => {
                let cond = self.condition(&s.node.expression)?;
                let body = Box::new(self.loop_body(&s.node.statement)?);
                StmtKind::While { cond, body }
            }
            Statement::DoWhile(s) => {
                let body = Box::new(self.loop_body(&s.node.statement)?);
                let cond = self.condition(&s.node.expression)?;
                StmtKind::DoWhile { body, cond }
            }
            Statement::For(s) => {
                self.scope.enter();
                let result = self.for_statement(s);
                self.scope.leave();
                result?
            }
            Statement::Goto(id) => {
                let label = self.label(&id.node.name, id.span, false)?;
                StmtKind::Goto(label)
            }
            Statement::Continue => match self.body.as_ref().is_some_and(|b| b.loops > 0) {
                true => StmtKind::Continue,
                false => return self.fail(node.span, "`continue` outside a loop"),
            },
            Statement::Break => match self.body.as_ref().is_some_and(|b| b.breakable > 0) {
                true => StmtKind::Break,
                false => return self.fail(node.span, "`break` outside a loop or switch"),
            },
            Statement::Return(e) => self.return_statement(e.as_deref(), node.span, loc)?,
            Statement::Asm(_) => StmtKind::Unsupported("inline assembly".into()),
        };
        Ok(Stmt { loc, kind })
    }

    fn expression_statement(&mut self, e: &'a Node<Expression>) -> Res<StmtKind> {
        if let Expression::UnaryOperator(op) = &e.node {
            if op.node.operator.node == ast::UnaryOperator::Complement {
                let text = self.source.original(e.span.start);
                if text.starts_with("goto") {
                    return Ok(StmtKind::Unsupported("computed goto".into()));
                }
                if text.starts_with("asm") || text.starts_with("__asm") {
                    return Ok(StmtKind::Unsupported("inline assembly".into()));
                }
            }
        }
        Ok(StmtKind::Expr(self.rvalue(e)?))
    }

    fn condition(&mut self, e: &'a Node<Expression>) -> Res<Expr> {
        let value = self.rvalue(e)?;
        self.check_condition(&value, e.span)?;
        Ok(value)
    }

    fn if_statement(&mut self, node: &'a Node<ast::IfStatement>) -> Res<StmtKind> {
        let cond = self.condition(&node.node.condition);
        let then = self.statement(&node.node.then_statement);
        let other = match &node.node.else_statement {
            Some(s) => Some(Box::new(self.statement(s)?)),
            None => None,
        };
        Ok(StmtKind::If { cond: cond?, then: Box::new(then?), other })
    }

    fn loop_body(&mut self, node: &'a Node<Statement>) -> Res<Stmt> {
        if let Some(body) = &mut self.body {
            body.breakable += 1;
            body.loops += 1;
        }
        let result = self.statement(node);
        if let Some(body) = &mut self.body {
            body.breakable -= 1;
            body.loops -= 1;
        }
        result
    }

    fn for_statement(&mut self, node: &'a Node<ast::ForStatement>) -> Res<StmtKind> {
        let mut init = Vec::new();
        match &node.node.initializer.node {
            ForInitializer::Empty => {}
            ForInitializer::Expression(e) => {
                let value = self.rvalue(e)?;
                init.push(Stmt { loc: value.loc, kind: StmtKind::Expr(value) });
            }
            ForInitializer::Declaration(d) => self.local_declaration(d, &mut init)?,
            ForInitializer::StaticAssert(a) => self.static_assert(a)?,
        }
        let cond = match &node.node.condition {
            Some(e) => Some(self.condition(e)?),
            None => None,
        };
        let step = match &node.node.step {
            Some(e) => Some(self.rvalue(e)?),
            None => None,
        };
        let body = Box::new(self.loop_body(&node.node.statement)?);
        Ok(StmtKind::For { init, cond, step, body })
    }

    fn switch(&mut self, node: &'a Node<ast::SwitchStatement>) -> Res<StmtKind> {
        let value = self.rvalue(&node.node.expression)?;
        if self.int_kind(value.ty).is_none() {
            return self.fail(node.node.expression.span, "`switch` needs an integer");
        }
        let value = self.promote(value);
        if let Some(body) = &mut self.body {
            body.switches.push(Switch { ty: value.ty, cases: Vec::new(), default: false });
            body.breakable += 1;
        }
        let result = self.statement(&node.node.statement);
        let switch = self.body.as_mut().and_then(|body| {
            body.breakable -= 1;
            body.switches.pop()
        });
        if let Some(mut switch) = switch {
            switch.cases.sort_by_key(|c| c.0);
            let twice = switch.cases.windows(2).find(|w| w[1].0 <= w[0].1).map(|w| w[1].2.start.max(w[0].2.start));
            if let Some(start) = twice {
                return self.fail(Span::span(start, start), "this case occurs twice");
            }
        }
        Ok(StmtKind::Switch { value, body: Box::new(result?) })
    }

    fn labeled(&mut self, node: &'a Node<ast::LabeledStatement>) -> Res<StmtKind> {
        let span = node.node.label.span;
        match &node.node.label.node {
            ast::Label::Identifier(id) => {
                let label = self.label(&id.node.name, id.span, true)?;
                let body = Box::new(self.statement(&node.node.statement)?);
                Ok(StmtKind::Labeled { label, body })
            }
            ast::Label::Case(e) => {
                let value = self.constant_integer(e)?;
                self.case(value, value, span, &node.node.statement)
            }
            ast::Label::CaseRange(range) => {
                let (lo, hi) = (self.constant_integer(&range.node.low)?, self.constant_integer(&range.node.high)?);
                self.case(lo, hi, span, &node.node.statement)
            }
            ast::Label::Default => {
                match self
                    .body
                    .as_mut()
                    .and_then(|b| b.switches.last_mut())
                    .map(|s| std::mem::replace(&mut s.default, true))
                {
                    Some(false) => {}
                    Some(true) => return self.fail(span, "a second `default` in one switch"),
                    None => return self.fail(span, "`default` outside a switch"),
                }
                Ok(StmtKind::Default(Box::new(self.statement(&node.node.statement)?)))
            }
        }
    }

    fn case(&mut self, lo: i128, hi: i128, span: Span, body: &'a Node<Statement>) -> Res<StmtKind> {
        let Some(ty) = self.body.as_ref().and_then(|b| b.switches.last()).map(|s| s.ty) else {
            return self.fail(span, "`case` outside a switch");
        };
        let model = self.unit.types.model;
        let Some(kind) = self.int_kind(ty) else { return self.fail(span, "`case` outside a switch") };
        let wrap = |v| super::typing::wrap(v, kind, model);
        let (lo, hi) = (wrap(lo), wrap(hi));
        if lo > hi {
            // gcc takes an empty range for no label at all.
            return Ok(self.statement(body)?.kind);
        }
        if let Some(switch) = self.body.as_mut().and_then(|b| b.switches.last_mut()) {
            switch.cases.push((lo, hi, span));
        }
        Ok(StmtKind::Case { lo, hi, body: Box::new(self.statement(body)?) })
    }

    fn label(&mut self, name: &'a str, span: Span, define: bool) -> Res<Label> {
        let Some(body) = &mut self.body else { return self.fail(span, "a label outside a function") };
        let labels = &mut self.unit.functions[body.func].labels;
        let goal = body.labels.entry(name).or_insert_with(|| Goal {
            label: labels.push(name.to_string()),
            defined: false,
            span,
        });
        if define && std::mem::replace(&mut goal.defined, true) {
            return self.fail(span, format!("label `{name}` is defined twice"));
        }
        Ok(goal.label)
    }

    /// At the end of a function: every label that is jumped to must exist.
    pub(super) fn check_labels(&mut self) {
        let Some(body) = &self.body else { return };
        let mut missing: Vec<(Span, &str)> =
            body.labels.iter().filter(|(_, goal)| !goal.defined).map(|(name, goal)| (goal.span, *name)).collect();
        missing.sort_by_key(|(span, _)| span.start);
        for (span, name) in missing {
            self.error(span, format!("label `{name}` is used but not defined"));
        }
    }

    fn return_statement(&mut self, e: Option<&'a Node<Expression>>, span: Span, loc: Loc) -> Res<StmtKind> {
        let Some(result) = self.body.as_ref().map(|b| b.result) else {
            return self.fail(span, "`return` outside a function");
        };
        let Some(e) = e else { return Ok(StmtKind::Return(None)) };
        let value = self.rvalue(e)?;
        if self.is_void(result) {
            let stmts = vec![Stmt { loc, kind: StmtKind::Expr(value) }, Stmt { loc, kind: StmtKind::Return(None) }];
            return Ok(StmtKind::Block(stmts));
        }
        let value = self.assign_convert(value, result, e.span)?;
        Ok(StmtKind::Return(Some(value)))
    }

    /// `({ ... })`: the value is that of the last expression.
    pub(super) fn statement_expression(&mut self, node: &'a Node<Statement>) -> Res<Expr> {
        let Statement::Compound(items) = &node.node else {
            return self.fail(node.span, "a block is expected here");
        };
        let loc = self.loc(node.span);
        if self.body.is_none() {
            return self.fail(node.span, "a statement expression outside a function");
        }
        self.scope.enter();
        let (last, first) = match items.split_last() {
            Some((last, first)) => (Some(last), first),
            None => (None, &items[..]),
        };
        let mut body = self.block_items(first);
        let value = match last.map(|item| &item.node) {
            Some(ast::BlockItem::Statement(Node { node: Statement::Expression(Some(e)), .. })) => self.last_value(e),
            Some(_) => {
                body.extend(self.block_items(&items[items.len() - 1..]));
                Ok(None)
            }
            None => Ok(None),
        };
        self.scope.leave();
        match value? {
            Some(StmtKind::Expr(value)) if !self.is_void(value.ty) => {
                let ty = value.ty;
                Ok(Expr { ty, loc, kind: ExprKind::StmtExpr { body, value: Some(Box::new(value)) } })
            }
            rest => {
                body.extend(rest.map(|kind| Stmt { loc, kind }));
                Ok(Expr { ty: self.basic.void, loc, kind: ExprKind::StmtExpr { body, value: None } })
            }
        }
    }

    fn last_value(&mut self, e: &'a Node<Expression>) -> Res<Option<StmtKind>> {
        self.expression_statement(e).map(Some)
    }
}
