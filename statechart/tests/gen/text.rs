//! A chart as XML, for the importer and for whoever looks at a failure. Everything is in parentheses.

use super::walk;
use std::fmt::Write;
use syncline_statechart::model::*;

/// The whole document.
pub fn xml(chart: &Chart) -> String {
    let mut text = String::new();
    let time = match chart.time {
        Time::Synchronous => "time=\"synchronous\"".to_string(),
        Time::Asynchronous { max_advance } => format!("time=\"asynchronous\" max-advance=\"{max_advance}\""),
    };
    let _ = writeln!(text, "<statechart name=\"{}\" {time}>", chart.name);
    declarations(&mut text, chart);
    children(&mut text, chart, chart.states.keys().next().expect("a chart has a root"), 1);
    text.push_str("  <requirements>\n");
    for requirement in &chart.requirements {
        let body = escape(&self::requirement(chart, &requirement.kind));
        let _ = writeln!(text, "    <requirement name=\"{}\">{body}</requirement>", requirement.name);
    }
    text.push_str("  </requirements>\n</statechart>\n");
    text
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The name of a scheduled list: its number in the chart.
fn scheduled(chart: &Chart, action: &ActionList) -> String {
    let (mut count, mut number) = (0, 0);
    walk::chart(chart, &mut |node| {
        if let walk::Node::Statement(Statement::Schedule { action: other, .. }) = node {
            count += 1;
            if std::ptr::eq(&**other, action) {
                number = count;
            }
        }
    });
    format!("act_{number}")
}

fn declarations(text: &mut String, chart: &Chart) {
    text.push_str("  <declarations>\n");
    for event in chart.events.values() {
        let usage = if event.input { "input" } else { "local" };
        let _ = writeln!(text, "    <event name=\"{}\" usage=\"{usage}\"/>", event.name);
    }
    for data in &chart.enums {
        let values: String = data.values.iter().map(|v| format!("<value name=\"{v}\"/>")).collect();
        let _ = writeln!(text, "    <enumeration name=\"{}\">{values}</enumeration>", data.name);
    }
    let mut fields = String::new();
    for item in chart.items.values() {
        let usage = if item.input { "input" } else { "local" };
        let array =
            item.array.map_or(String::new(), |a| format!(" array=\"{}..{}\"", a.first, a.first + a.cells as i32 - 1));
        let initial = match (item.initial, item.ty) {
            (Literal::Int(n), ItemType::Enum(ty)) => chart.enums[ty as usize].values[n as usize].clone(),
            (literal, _) => self::literal(literal),
        };
        let ty = match item.ty {
            ItemType::Bool => "type=\"condition\"".to_string(),
            ItemType::Int { min, max } => format!("type=\"integer\" min=\"{min}\" max=\"{max}\""),
            ItemType::Enum(ty) => format!("type=\"{}\"", chart.enums[ty as usize].name),
            ItemType::Real => "type=\"real\"".to_string(),
        };
        match item.name.strip_prefix("rec.") {
            Some(field) => {
                let _ = write!(fields, "<field name=\"{field}\" {ty} initial=\"{initial}\"/>");
            }
            None => {
                let name = &item.name;
                let _ = writeln!(
                    text,
                    "    <data-item name=\"{name}\" {ty}{array} usage=\"{usage}\" initial=\"{initial}\"/>"
                );
            }
        }
    }
    // What is scheduled has a name.
    walk::chart(chart, &mut |node| {
        if let walk::Node::Statement(Statement::Schedule { action, .. }) = node {
            let body = escape(&actions(chart, action));
            let _ = writeln!(text, "    <action name=\"{}\">{body}</action>", scheduled(chart, action));
        }
    });
    if !fields.is_empty() {
        let _ =
            writeln!(text, "    <record name=\"Rec\">{fields}</record>\n    <data-item name=\"rec\" type=\"Rec\"/>");
    }
    text.push_str("  </declarations>\n");
}

/// What is inside of a state: its lists, default, states and connectors, and the segments drawn in it.
fn children(text: &mut String, chart: &Chart, state: State, depth: usize) {
    let data = &chart.states[state];
    let pad = "  ".repeat(depth);
    for (tag, lists) in [("entering", &data.entering), ("exiting", &data.exiting)] {
        for list in lists {
            let _ = writeln!(text, "{pad}<{tag}>{}</{tag}>", escape(&actions(chart, list)));
        }
    }
    for reaction in &data.reactions {
        let label = label(chart, &reaction.guard, &reaction.action);
        let _ = writeln!(text, "{pad}<reaction>{}</reaction>", escape(&label));
    }
    for segment in chart.segments.values().filter(|s| s.source == End::Default(state)) {
        let label = label(chart, &segment.guard, &segment.action);
        let _ =
            writeln!(text, "{pad}<default target=\"{}\" label=\"{}\"/>", end(chart, segment.target), escape(&label));
    }
    for connector in chart.connectors.values().filter(|c| c.parent == state) {
        let _ = writeln!(text, "{pad}<connector name=\"{}\" kind=\"{}\"/>", connector.name, kind(connector.kind));
    }
    for &child in &data.children {
        let name = &chart.states[child].name;
        let tag = match chart.states[child].kind {
            StateKind::Or => "or-state",
            StateKind::And => "and-state",
            StateKind::Basic => "state",
        };
        let _ = writeln!(text, "{pad}<{tag} name=\"{name}\">");
        children(text, chart, child, depth + 1);
        let _ = writeln!(text, "{pad}</{tag}>");
    }
    if data.parent.is_none() {
        for segment in chart.segments.values().filter(|s| !matches!(s.source, End::Default(_))) {
            let (from, to) = (end(chart, segment.source), end(chart, segment.target));
            let label = escape(&label(chart, &segment.guard, &segment.action));
            let _ = writeln!(text, "{pad}<transition from=\"{from}\" to=\"{to}\" label=\"{label}\"/>");
        }
    }
}

fn kind(kind: ConnectorKind) -> &'static str {
    match kind {
        ConnectorKind::Condition => "condition",
        ConnectorKind::Switch => "switch",
        ConnectorKind::Junction => "junction",
        ConnectorKind::Joint => "joint",
        ConnectorKind::History => "history",
        ConnectorKind::DeepHistory => "deep-history",
        ConnectorKind::Termination => "termination",
    }
}

fn end(chart: &Chart, end: End) -> String {
    match end {
        End::State(s) | End::Default(s) => chart.states[s].name.clone(),
        End::Connector(c) => chart.connectors[c].name.clone(),
    }
}

pub fn label(chart: &Chart, guard: &Guard, action: &ActionList) -> String {
    // `E[C]` alone is a trigger with a condition.
    if let (Some(EventExpr::When(e, c)), None) = (&guard.trigger, &guard.condition) {
        let guard = Guard { trigger: Some((**e).clone()), condition: Some((**c).clone()) };
        return label(chart, &guard, action);
    }
    let mut text = guard.trigger.as_ref().map_or(String::new(), |e| event(chart, e));
    if let Some(condition) = &guard.condition {
        let _ = write!(text, "[{}]", expr(chart, condition, &[]));
    }
    if !action.statements.is_empty() {
        let _ = write!(text, "/{}", actions(chart, action));
    }
    text
}

pub fn requirement(chart: &Chart, kind: &RequirementKind) -> String {
    match kind {
        RequirementKind::Always(c) => format!("always {}", expr(chart, c, &[])),
        RequirementKind::LeadsTo { cause, effect, within } => {
            format!("{} leads to {} within {within} steps", expr(chart, cause, &[]), expr(chart, effect, &[]))
        }
        RequirementKind::AfterUntil { after, holds, until } => {
            format!("after {}, {} until {}", event(chart, after), expr(chart, holds, &[]), event(chart, until))
        }
    }
}

pub fn event(chart: &Chart, e: &EventExpr) -> String {
    let sub = |e: &EventExpr| event(chart, e);
    let c = |e: &Expr| expr(chart, e, &[]);
    match e {
        EventExpr::Event(e) => chart.events[*e].name.clone(),
        EventExpr::Entered(s) => format!("en({})", chart.states[*s].name),
        EventExpr::Exited(s) => format!("ex({})", chart.states[*s].name),
        EventExpr::BecameTrue(e) => format!("tr({})", c(e)),
        EventExpr::BecameFalse(e) => format!("fs({})", c(e)),
        EventExpr::Changed(Watched::Expr(e)) => format!("ch({})", c(e)),
        EventExpr::Changed(Watched::Array(i)) => format!("ch({})", chart.items[*i].name),
        EventExpr::Written(i) => format!("wr({})", chart.items[*i].name),
        EventExpr::Read(i) => format!("rd({})", chart.items[*i].name),
        EventExpr::Timeout(e, n) => format!("tm({}, {})", sub(e), c(n)),
        EventExpr::Not(e) => format!("(not {})", sub(e)),
        EventExpr::And(a, b) => format!("({} and {})", sub(a), sub(b)),
        EventExpr::Or(a, b) => format!("({} or {})", sub(a), sub(b)),
        EventExpr::When(e, condition) => format!("({}[{}])", sub(e), c(condition)),
    }
}

fn literal(literal: Literal) -> String {
    match literal {
        Literal::Bool(b) => b.to_string(),
        Literal::Int(n) => n.to_string(),
        Literal::Real(x) => format!("{x:?}"),
    }
}

/// `context`: the names of the list's context variables.
pub fn expr(chart: &Chart, e: &Expr, context: &[(String, ValueType)]) -> String {
    let sub = |e: &Expr| expr(chart, e, context);
    if let (Some(constant), false) = (folded(e), matches!(e, Expr::Literal(_))) {
        return sub(&Expr::Literal(constant));
    }
    match e {
        Expr::Literal(Literal::Int(n)) if *n < 0 => format!("({n})"),
        Expr::Literal(Literal::Real(x)) if *x < 0.0 => format!("({x:?})"),
        Expr::Literal(l) => literal(*l),
        Expr::Item(i) => chart.items[*i].name.clone(),
        Expr::Cell(i, index) => format!("{}({})", chart.items[*i].name, sub(index)),
        Expr::Context(n) => variable(context, *n),
        Expr::In(s) => format!("in({})", chart.states[*s].name),
        Expr::Occurs(e) => event(chart, e),
        Expr::Unary(UnaryOp::Not, e) => format!("(not {})", sub(e)),
        Expr::Unary(UnaryOp::Neg, e) => format!("(-{})", sub(e)),
        Expr::Unary(UnaryOp::Abs, e) => format!("abs({})", sub(e)),
        Expr::Binary(op @ (BinaryOp::Min | BinaryOp::Max), a, b) => {
            format!("{}({}, {})", operator(*op), sub(a), sub(b))
        }
        Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), a, b) => {
            let b = enum_name(chart, a, b).unwrap_or_else(|| sub(b));
            format!("({} {} {b})", sub(a), operator(*op))
        }
        Expr::Binary(op, a, b) => format!("({} {} {})", sub(a), operator(*op), sub(b)),
        Expr::ToReal(e) => sub(e),
    }
}

/// Signs and conversions of constants are the importer's to compute.
fn folded(e: &Expr) -> Option<Literal> {
    match e {
        Expr::Literal(literal @ (Literal::Int(_) | Literal::Real(_))) => Some(*literal),
        Expr::Unary(UnaryOp::Neg, e) => match folded(e)? {
            Literal::Int(n) => Some(Literal::Int(n.wrapping_neg())),
            Literal::Real(x) => Some(Literal::Real(-x)),
            Literal::Bool(_) => None,
        },
        Expr::ToReal(e) => match folded(e)? {
            Literal::Int(n) => Some(Literal::Real(n.into())),
            Literal::Bool(_) | Literal::Real(_) => None,
        },
        _ => None,
    }
}

/// A context variable; the importer keeps the `$` in its name.
fn variable(context: &[(String, ValueType)], n: u32) -> String {
    format!("${}", context[n as usize].0.trim_start_matches('$'))
}

/// The name of an enumeration's value that is compared with an item of it.
fn enum_name(chart: &Chart, item: &Expr, value: &Expr) -> Option<String> {
    let (Expr::Item(item), Expr::Literal(Literal::Int(n))) = (item, value) else { return None };
    match chart.items[*item].ty {
        ItemType::Enum(ty) => chart.enums[ty as usize].values.get(*n as usize).cloned(),
        ItemType::Bool | ItemType::Int { .. } | ItemType::Real => None,
    }
}

fn operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::And => "and",
        BinaryOp::Or => "or",
        BinaryOp::Xor => "xor",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Mod => "mod",
        BinaryOp::Min => "min",
        BinaryOp::Max => "max",
        BinaryOp::Eq => "=",
        BinaryOp::Ne => "/=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
    }
}

pub fn actions(chart: &Chart, list: &ActionList) -> String {
    statements(chart, &list.statements, &list.context)
}

fn statements(chart: &Chart, list: &[Statement], context: &[(String, ValueType)]) -> String {
    let parts: Vec<String> = list.iter().map(|s| statement(chart, s, context)).collect();
    parts.join("; ")
}

fn statement(chart: &Chart, s: &Statement, context: &[(String, ValueType)]) -> String {
    let e = |e: &Expr| expr(chart, e, context);
    let body = |list: &[Statement]| statements(chart, list, context);
    let otherwise = |list: &[Statement]| if list.is_empty() { String::new() } else { format!(" else {}", body(list)) };
    match s {
        Statement::Raise(event) => chart.events[*event].name.clone(),
        Statement::Assign { item, index, value } => {
            let place = index.as_ref().map_or(String::new(), |i| format!("({})", e(i)));
            let value = enum_name(chart, &Expr::Item(*item), value).unwrap_or_else(|| e(value));
            format!("{}{place} := {value}", chart.items[*item].name)
        }
        Statement::SetContext(n, value) => format!("{} := {}", variable(context, *n), e(value)),
        Statement::If { condition, then, otherwise: no } => {
            format!("if {} then {}{} end if", e(condition), body(then), otherwise(no))
        }
        Statement::When { event: of, then, otherwise: no } => {
            format!("when {} then {}{} end when", event(chart, of), body(then), otherwise(no))
        }
        Statement::For { variable: n, from, to, body: inner } => {
            let name = variable(context, *n);
            format!("for {name} in {} to {} loop {} end loop", e(from), e(to), body(inner))
        }
        Statement::While { condition, body: inner } => format!("while {} loop {} end loop", e(condition), body(inner)),
        Statement::Schedule { action, delay } => format!("sc!({}, {})", scheduled(chart, action), e(delay)),
        Statement::ClearHistory(state) => format!("hc!({})", chart.states[*state].name),
        Statement::ClearDeepHistory(state) => format!("dc!({})", chart.states[*state].name),
    }
}
