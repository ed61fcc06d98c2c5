//! Visits all expressions and statements of a chart.

use syncline_statechart::model::*;

pub enum Node<'a> {
    Event(&'a EventExpr),
    Expr(&'a Expr),
    List(&'a ActionList),
    Statement(&'a Statement),
}

pub fn chart<'a>(chart: &'a Chart, visit: &mut dyn FnMut(Node<'a>)) {
    for state in chart.states.values() {
        state.entering.iter().chain(&state.exiting).for_each(|l| list(l, visit));
        for reaction in &state.reactions {
            guard(&reaction.guard, visit);
            list(&reaction.action, visit);
        }
    }
    for segment in chart.segments.values() {
        guard(&segment.guard, visit);
        list(&segment.action, visit);
    }
    for requirement in &chart.requirements {
        match &requirement.kind {
            RequirementKind::Always(c) => expr(c, visit),
            RequirementKind::LeadsTo { cause, effect, within: _ } => {
                expr(cause, visit);
                expr(effect, visit);
            }
            RequirementKind::AfterUntil { after, holds, until } => {
                event(after, visit);
                expr(holds, visit);
                event(until, visit);
            }
        }
    }
}

fn guard<'a>(guard: &'a Guard, visit: &mut dyn FnMut(Node<'a>)) {
    guard.trigger.iter().for_each(|e| event(e, visit));
    guard.condition.iter().for_each(|e| expr(e, visit));
}

fn list<'a>(list: &'a ActionList, visit: &mut dyn FnMut(Node<'a>)) {
    visit(Node::List(list));
    statements(&list.statements, visit);
}

fn statements<'a>(list: &'a [Statement], visit: &mut dyn FnMut(Node<'a>)) {
    list.iter().for_each(|s| statement(s, visit));
}

fn statement<'a>(s: &'a Statement, visit: &mut dyn FnMut(Node<'a>)) {
    visit(Node::Statement(s));
    match s {
        Statement::Raise(_) | Statement::ClearHistory(_) | Statement::ClearDeepHistory(_) => {}
        Statement::Assign { item: _, index, value } => {
            index.iter().for_each(|e| expr(e, visit));
            expr(value, visit);
        }
        Statement::SetContext(_, value) => expr(value, visit),
        Statement::If { condition, then, otherwise } => {
            expr(condition, visit);
            statements(then, visit);
            statements(otherwise, visit);
        }
        Statement::When { event: of, then, otherwise } => {
            event(of, visit);
            statements(then, visit);
            statements(otherwise, visit);
        }
        Statement::For { variable: _, from, to, body } => {
            expr(from, visit);
            expr(to, visit);
            statements(body, visit);
        }
        Statement::While { condition, body } => {
            expr(condition, visit);
            statements(body, visit);
        }
        Statement::Schedule { action, delay } => {
            expr(delay, visit);
            list(action, visit);
        }
    }
}

fn event<'a>(e: &'a EventExpr, visit: &mut dyn FnMut(Node<'a>)) {
    visit(Node::Event(e));
    match e {
        EventExpr::Event(_)
        | EventExpr::Entered(_)
        | EventExpr::Exited(_)
        | EventExpr::Changed(Watched::Array(_))
        | EventExpr::Written(_)
        | EventExpr::Read(_) => {}
        EventExpr::BecameTrue(c) | EventExpr::BecameFalse(c) | EventExpr::Changed(Watched::Expr(c)) => expr(c, visit),
        EventExpr::Timeout(of, n) => {
            event(of, visit);
            expr(n, visit);
        }
        EventExpr::Not(e) => event(e, visit),
        EventExpr::And(a, b) | EventExpr::Or(a, b) => {
            event(a, visit);
            event(b, visit);
        }
        EventExpr::When(e, c) => {
            event(e, visit);
            expr(c, visit);
        }
    }
}

fn expr<'a>(e: &'a Expr, visit: &mut dyn FnMut(Node<'a>)) {
    visit(Node::Expr(e));
    match e {
        Expr::Literal(_) | Expr::Item(_) | Expr::Context(_) | Expr::In(_) => {}
        Expr::Cell(_, e) | Expr::Unary(_, e) | Expr::ToReal(e) => expr(e, visit),
        Expr::Occurs(e) => event(e, visit),
        Expr::Binary(_, a, b) => {
            expr(a, visit);
            expr(b, visit);
        }
    }
}
