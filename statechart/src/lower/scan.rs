//! What labels contain, found before anything is emitted.

use super::plan::{below, Plan};
use crate::model::*;
use cranelift_entity::SecondaryMap;
use std::collections::BTreeSet;

/// For each item how many writers there can be in one step: a race needs two.
pub(super) type Writers = SecondaryMap<Item, u32>;

/// A part of a label.
pub(super) enum Part<'a> {
    Expr(&'a Expr),
    Event(&'a EventExpr),
    Statement(&'a Statement),
}

/// Visits every part of every label and requirement, outer parts before inner ones.
pub(super) fn visit<'a>(chart: &'a Chart, f: &mut dyn FnMut(Part<'a>)) {
    visit_labels(chart, f);
    visit_requirements(chart, f);
}

fn visit_labels<'a>(chart: &'a Chart, f: &mut dyn FnMut(Part<'a>)) {
    for state in chart.states.values() {
        for list in state.entering.iter().chain(&state.exiting) {
            visit_list(list, f);
        }
        for reaction in &state.reactions {
            visit_guard(&reaction.guard, f);
            visit_list(&reaction.action, f);
        }
    }
    for segment in chart.segments.values() {
        visit_guard(&segment.guard, f);
        visit_list(&segment.action, f);
    }
}

fn visit_requirements<'a>(chart: &'a Chart, f: &mut dyn FnMut(Part<'a>)) {
    for requirement in &chart.requirements {
        match &requirement.kind {
            RequirementKind::Always(c) => visit_expr(c, f),
            RequirementKind::LeadsTo { cause, effect, within: _ } => {
                visit_expr(cause, f);
                visit_expr(effect, f);
            }
            RequirementKind::AfterUntil { after, holds, until } => {
                visit_event(after, f);
                visit_expr(holds, f);
                visit_event(until, f);
            }
        }
    }
}

fn visit_guard<'a>(guard: &'a Guard, f: &mut dyn FnMut(Part<'a>)) {
    if let Some(trigger) = &guard.trigger {
        visit_event(trigger, f);
    }
    if let Some(condition) = &guard.condition {
        visit_expr(condition, f);
    }
}

pub(super) fn visit_list<'a>(list: &'a ActionList, f: &mut dyn FnMut(Part<'a>)) {
    visit_statements(&list.statements, f);
}

fn visit_statements<'a>(statements: &'a [Statement], f: &mut dyn FnMut(Part<'a>)) {
    for statement in statements {
        f(Part::Statement(statement));
        match statement {
            Statement::Raise(_) | Statement::ClearHistory(_) | Statement::ClearDeepHistory(_) => {}
            Statement::Assign { item: _, index, value } => {
                index.iter().for_each(|e| visit_expr(e, f));
                visit_expr(value, f);
            }
            Statement::SetContext(_, e) => visit_expr(e, f),
            Statement::If { condition, then, otherwise } => {
                visit_expr(condition, f);
                visit_statements(then, f);
                visit_statements(otherwise, f);
            }
            Statement::When { event, then, otherwise } => {
                visit_event(event, f);
                visit_statements(then, f);
                visit_statements(otherwise, f);
            }
            Statement::For { variable: _, from, to, body } => {
                visit_expr(from, f);
                visit_expr(to, f);
                visit_statements(body, f);
            }
            Statement::While { condition, body } => {
                visit_expr(condition, f);
                visit_statements(body, f);
            }
            Statement::Schedule { action, delay } => {
                visit_expr(delay, f);
                visit_list(action, f);
            }
        }
    }
}

fn visit_event<'a>(event: &'a EventExpr, f: &mut dyn FnMut(Part<'a>)) {
    f(Part::Event(event));
    match event {
        EventExpr::Event(_)
        | EventExpr::Entered(_)
        | EventExpr::Exited(_)
        | EventExpr::Changed(Watched::Array(_))
        | EventExpr::Written(_)
        | EventExpr::Read(_) => {}
        EventExpr::BecameTrue(e) | EventExpr::BecameFalse(e) | EventExpr::Changed(Watched::Expr(e)) => visit_expr(e, f),
        EventExpr::Timeout(of, delay) => {
            visit_event(of, f);
            visit_expr(delay, f);
        }
        EventExpr::Not(e) => visit_event(e, f),
        EventExpr::And(a, b) | EventExpr::Or(a, b) => {
            visit_event(a, f);
            visit_event(b, f);
        }
        EventExpr::When(e, c) => {
            visit_event(e, f);
            visit_expr(c, f);
        }
    }
}

fn visit_expr<'a>(expr: &'a Expr, f: &mut dyn FnMut(Part<'a>)) {
    f(Part::Expr(expr));
    match expr {
        Expr::Literal(_) | Expr::Item(_) | Expr::Context(_) | Expr::In(_) => {}
        Expr::Cell(_, e) | Expr::Unary(_, e) | Expr::ToReal(e) => visit_expr(e, f),
        Expr::Occurs(e) => visit_event(e, f),
        Expr::Binary(_, a, b) => {
            visit_expr(a, f);
            visit_expr(b, f);
        }
    }
}

type Timeouts<'a> = Vec<(&'a EventExpr, &'a Expr)>;

/// Every `tm(E, N)`, of labels and of requirements.
pub(super) fn timeouts(chart: &Chart) -> (Timeouts<'_>, Timeouts<'_>) {
    fn add<'a>(part: Part<'a>, found: &mut Timeouts<'a>) {
        if let Part::Event(EventExpr::Timeout(event, delay)) = part {
            found.push((&**event, &**delay));
        }
    }
    let (mut labels, mut requirements) = (Vec::new(), Vec::new());
    visit_labels(chart, &mut |part| add(part, &mut labels));
    visit_requirements(chart, &mut |part| add(part, &mut requirements));
    (labels, requirements)
}

/// The items of `rd(X)`.
pub(super) fn read_items(chart: &Chart) -> BTreeSet<Item> {
    let mut found = BTreeSet::new();
    visit(chart, &mut |part| {
        if let Part::Event(EventExpr::Read(item)) = part {
            found.insert(*item);
        }
    });
    found
}

pub(super) fn assignments(chart: &Chart) -> Vec<(Item, &Expr)> {
    let mut found = Vec::new();
    visit(chart, &mut |part| {
        if let Part::Statement(Statement::Assign { item, value, .. }) = part {
            found.push((*item, value));
        }
    });
    found
}

/// Whether some evaluation may have no value: an index outside of its array, a division by zero.
pub(super) fn may_fail(chart: &Chart) -> bool {
    let mut found = false;
    visit(chart, &mut |part| found |= part_may_fail(chart, &part));
    found
}

pub(super) fn expr_may_fail(chart: &Chart, expr: &Expr) -> bool {
    let mut found = false;
    visit_expr(expr, &mut |part| found |= part_may_fail(chart, &part));
    found
}

pub(super) fn guard_may_fail(chart: &Chart, guard: &Guard) -> bool {
    let mut found = false;
    visit_guard(guard, &mut |part| found |= part_may_fail(chart, &part));
    found
}

/// The places of an expression that may have no value.
pub(super) fn failing_spots(chart: &Chart, expr: &Expr) -> Vec<Spot> {
    let mut found = Vec::new();
    visit_expr(expr, &mut |part| {
        if let Part::Expr(e) = part {
            found.extend(failure(chart, e).map(|failure| Spot::new(e, failure)));
        }
    });
    found
}

/// What is the same for expressions that always have the same value. Where one may have none, its place counts.
pub(super) fn expr_key(chart: &Chart, expr: &Expr) -> String {
    match expr_may_fail(chart, expr) {
        true => format!("at {:?}", std::ptr::from_ref(expr)),
        false => format!("{expr:?}"),
    }
}

pub(super) fn event_key(chart: &Chart, event: &EventExpr) -> String {
    let mut may_fail = false;
    visit_event(event, &mut |part| may_fail |= part_may_fail(chart, &part));
    match may_fail {
        true => format!("at {:?}", std::ptr::from_ref(event)),
        false => format!("{event:?}"),
    }
}

fn part_may_fail(chart: &Chart, part: &Part) -> bool {
    match part {
        Part::Expr(expr) => failure(chart, expr).is_some(),
        Part::Statement(Statement::Assign { item, index: Some(index), .. }) => !index_stays(chart, *item, index),
        Part::Event(_) | Part::Statement(_) => false,
    }
}

/// What may be wrong with an expression itself, its operands aside.
fn failure(chart: &Chart, expr: &Expr) -> Option<Failure> {
    match expr {
        Expr::Cell(item, index) => (!index_stays(chart, *item, index)).then_some(Failure::Index),
        Expr::Binary(BinaryOp::Div | BinaryOp::Mod, _, divisor) => {
            let by_zero = match &**divisor {
                Expr::Literal(Literal::Int(n)) => *n == 0,
                Expr::Literal(Literal::Real(x)) => *x == 0.0,
                _ => true,
            };
            by_zero.then_some(Failure::Division)
        }
        Expr::Literal(_)
        | Expr::Item(_)
        | Expr::Context(_)
        | Expr::In(_)
        | Expr::Occurs(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::ToReal(_) => None,
    }
}

fn index_stays(chart: &Chart, item: Item, index: &Expr) -> bool {
    match (index, chart.items[item].array) {
        (Expr::Literal(Literal::Int(n)), Some(array)) => {
            let place = i64::from(*n) - i64::from(array.first);
            (0..i64::from(array.cells)).contains(&place)
        }
        _ => false,
    }
}

/// The items that an action list may write; not those of actions it schedules.
pub(super) fn written_by(list: &ActionList) -> BTreeSet<Item> {
    fn collect(statements: &[Statement], found: &mut BTreeSet<Item>) {
        for statement in statements {
            match statement {
                Statement::Assign { item, .. } => {
                    found.insert(*item);
                }
                Statement::If { then, otherwise, .. } | Statement::When { then, otherwise, .. } => {
                    collect(then, found);
                    collect(otherwise, found);
                }
                Statement::For { body, .. } | Statement::While { body, .. } => collect(body, found),
                Statement::Raise(_)
                | Statement::SetContext(..)
                | Statement::Schedule { .. }
                | Statement::ClearHistory(_)
                | Statement::ClearDeepHistory(_) => {}
            }
        }
    }
    let mut found = BTreeSet::new();
    collect(&list.statements, &mut found);
    found
}

/// The items that compound transitions of a scope may write, with all that completes them.
pub(super) fn written_by_scope(chart: &Chart, plan: &Plan, scope: State) -> BTreeSet<Item> {
    let mut segments: BTreeSet<Segment> =
        plan.compounds[scope].iter().flat_map(|c| c.segments.iter().copied()).collect();
    let is_root = chart.states[scope].parent.is_none();
    if !segments.is_empty() || is_root {
        for state in below(chart, scope) {
            let histories = plan.connectors[state].iter().flat_map(|&c| &plan.histories[c]);
            for way in plan.defaults[state].iter().chain(histories) {
                segments.extend(&way.segments);
            }
        }
    }
    segments.into_iter().flat_map(|s| written_by(&chart.segments[s].action)).collect()
}

/// Counts the writers of each item: the compound transitions of a scope are one, as they exclude each other.
pub(super) fn writers(chart: &Chart, plan: &Plan) -> Writers {
    let mut counts = Writers::new();
    let mut add = |items: BTreeSet<Item>| items.into_iter().for_each(|item| counts[item] += 1);
    for (state, data) in &chart.states {
        add(written_by_scope(chart, plan, state));
        for list in data.entering.iter().chain(&data.exiting).chain(data.reactions.iter().map(|r| &r.action)) {
            add(written_by(list));
        }
    }
    visit(chart, &mut |part| {
        if let Part::Statement(Statement::Schedule { action, .. }) = part {
            add(written_by(action));
        }
    });
    counts
}

/// The events that actions raise.
pub(super) fn raised_events(chart: &Chart) -> BTreeSet<Event> {
    let mut found = BTreeSet::new();
    visit(chart, &mut |part| {
        if let Part::Statement(Statement::Raise(event)) = part {
            found.insert(*event);
        }
    });
    found
}
