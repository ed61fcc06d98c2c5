//! The intrinsics behind the macros of `syncline.h`, and the shapes the macros make of statements.

use crate::hir::{Callee, Expr, ExprKind, Func, Stmt, StmtKind, UnaryOp, Unit};
use syncline_ir::TimeModel;

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(in crate::lower) enum Word {
    Sync,
    Stop,
    Environment,
    Time(TimeModel),
    Always,
    Idle,
    Atomic,
    Choice,
    When,
}

impl Word {
    fn by_name(name: &str) -> Option<Word> {
        Some(match name.strip_prefix("__syncline_")? {
            "sync" => Word::Sync,
            "stop" => Word::Stop,
            "environment" => Word::Environment,
            "time_synchronous" => Word::Time(TimeModel::Synchronous),
            "time_asynchronous" => Word::Time(TimeModel::Asynchronous),
            "always" => Word::Always,
            "idle" => Word::Idle,
            "atomic" => Word::Atomic,
            "choice" => Word::Choice,
            "when" => Word::When,
            _ => return None,
        })
    }

    /// As the user writes it.
    pub fn name(self) -> &'static str {
        match self {
            Word::Sync => "sync",
            Word::Stop => "sync_stop",
            Word::Environment => "sync_environment",
            Word::Time(_) => "sync_time",
            Word::Always => "always",
            Word::Idle => "idle",
            Word::Atomic => "atomic",
            Word::Choice => "choice",
            Word::When => "when",
        }
    }
}

/// The word an expression calls. A function the program defines itself is none.
pub(in crate::lower) fn call_of<'e>(unit: &Unit, expr: &'e Expr) -> Option<(Word, &'e [Expr])> {
    match &expr.kind {
        ExprKind::Cast(inner) => call_of(unit, inner),
        ExprKind::Call { callee: Callee::Direct(func), args } if unit.functions[*func].body.is_none() => {
            Word::by_name(&unit.functions[*func].name).map(|word| (word, args.as_slice()))
        }
        _ => None,
    }
}

/// The function an argument names.
pub(super) fn named_function(arg: &Expr) -> Option<Func> {
    match &arg.kind {
        ExprKind::Cast(inner) => named_function(inner),
        ExprKind::FuncAddr(func) => Some(*func),
        _ => None,
    }
}

/// The section in `if (!__syncline_atomic()) {} else section`.
pub(super) fn atomic_body<'s>(unit: &Unit, stmt: &'s Stmt) -> Option<&'s Stmt> {
    let StmtKind::If { cond, other: Some(section), .. } = &stmt.kind else { return None };
    let ExprKind::Unary { op: UnaryOp::Not, arg } = &cond.kind else { return None };
    matches!(call_of(unit, arg), Some((Word::Atomic, _))).then_some(section)
}

/// The items of `switch (__syncline_choice()) { ... }`.
pub(super) fn choice_items<'s>(unit: &Unit, stmt: &'s Stmt) -> Option<&'s [Stmt]> {
    let StmtKind::Switch { value, body } = &stmt.kind else { return None };
    if !matches!(call_of(unit, value), Some((Word::Choice, _))) {
        return None;
    }
    match &body.kind {
        StmtKind::Block(items) => Some(items),
        _ => Some(std::slice::from_ref(body)),
    }
}

/// Guard and statement of `case N: if (__syncline_when(guard)) statement`.
pub(super) fn transition<'s>(unit: &Unit, item: &'s Stmt) -> Option<(&'s Expr, &'s Stmt)> {
    let StmtKind::Case { body, .. } = &item.kind else { return None };
    let StmtKind::If { cond, then, other: None } = &body.kind else { return None };
    match call_of(unit, cond) {
        Some((Word::When, [guard])) => Some((guard, then)),
        _ => None,
    }
}

/// The statements a statement is made of.
pub(super) fn inner(stmt: &Stmt) -> Vec<&Stmt> {
    match &stmt.kind {
        StmtKind::Empty
        | StmtKind::Expr(_)
        | StmtKind::Decl { .. }
        | StmtKind::Vla { .. }
        | StmtKind::Goto(_)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Return(_)
        | StmtKind::Unsupported(_) => Vec::new(),
        StmtKind::If { then, other, .. } => std::iter::once(&**then).chain(other.as_deref()).collect(),
        StmtKind::For { init, body, .. } => init.iter().chain([&**body]).collect(),
        StmtKind::While { body, .. }
        | StmtKind::DoWhile { body, .. }
        | StmtKind::Switch { body, .. }
        | StmtKind::Case { body, .. }
        | StmtKind::Default(body)
        | StmtKind::Labeled { body, .. } => vec![body],
        StmtKind::Block(stmts) => stmts.iter().collect(),
    }
}
