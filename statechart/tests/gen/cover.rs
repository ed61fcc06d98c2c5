//! What the generated charts are made of, and which rules their runs come to. A cell at zero is something the suite
//! claims to test and does not.

use super::walk::{self, Node};
use std::collections::BTreeMap;
use std::fmt::Write;
use syncline_statechart::model::*;
use syncline_statechart::sim::{Fault, Simulator, Status, StepResult};

/// Counters by table and cell.
#[derive(Clone, Default)]
pub struct Coverage(BTreeMap<(&'static str, &'static str), u64>);

/// Every cell the suite promises to use.
const PROMISED: &[(&str, &[&str])] = &[
    ("time", &["synchronous", "asynchronous", "asynchronous, advance"]),
    ("state", &["or", "and", "basic", "entering", "exiting", "reaction", "four components", "depth four"]),
    ("connector", &["condition", "switch", "junction", "joint", "history", "deep history", "termination"]),
    ("item", &["bool", "int", "enum", "real", "array", "input", "input array", "field"]),
    ("event", &["event", "en", "ex", "tr", "fs", "ch", "ch array", "wr", "rd", "tm", "not", "and", "or", "when"]),
    (
        "expression",
        &[
            "literal", "item", "cell", "context", "in", "occurs", "not", "neg", "abs", "and", "or", "xor", "add",
            "sub", "mul", "div", "mod", "min", "max", "eq", "ne", "lt", "le", "gt", "ge", "to real",
        ],
    ),
    (
        "statement",
        &[
            "raise",
            "assign",
            "assign cell",
            "context",
            "if",
            "else",
            "when",
            "for",
            "while",
            "schedule",
            "hc",
            "dc",
            "written twice",
        ],
    ),
    ("context", &["bool", "int", "real"]),
    ("requirement", &["always", "leads to", "after until"]),
    // Of transitions and reactions that were executed: their trigger.
    (
        "fired by",
        &["event", "en", "ex", "tr", "fs", "ch", "ch array", "wr", "rd", "tm", "not", "and", "or", "when", "none"],
    ),
    (
        "rule",
        &[
            "S3 event seen",
            "T1 condition",
            "T1 switch",
            "T1 junction",
            "T1 join",
            "T1 fork",
            "T1 join and fork in one AND-state",
            "T1 default with a choice",
            "T2 several transitions in one step",
            "T3 self",
            "T3 into itself",
            "T3 out of several levels",
            "T4 conflict",
            "T4 the outer one wins",
            "T5 reaction",
            "T5 reaction of a state that is left",
            "A3 race",
            "A3 race in an array",
            "A5 scheduled",
            "H0 step 0 acts",
            "H1 history",
            "H1 history without a past",
            "H1 deep history",
            "H1 deep history without a past",
            "H1 cleared",
            "H2 termination",
            "M2 superstep of several steps",
            "M2 endless superstep",
            "range violation",
            "index outside of its array",
            "division by zero",
            "F1 several faults end the run",
            "F1 other faults of the step that ends the run",
            "F1 step 0 ends the run",
        ],
    ),
];

impl Coverage {
    pub fn hit(&mut self, table: &'static str, cell: &'static str) {
        *self.0.entry((table, cell)).or_default() += 1;
    }

    pub fn merge(&mut self, other: &Coverage) {
        for (key, count) in &other.0 {
            *self.0.entry(*key).or_default() += count;
        }
    }

    pub fn count(&self, table: &'static str, cell: &'static str) -> u64 {
        self.0.get(&(table, cell)).copied().unwrap_or(0)
    }

    /// The promised cells that nothing used.
    pub fn zeros(&self) -> Vec<String> {
        let cells = PROMISED.iter().flat_map(|(table, cells)| cells.iter().map(move |cell| (*table, *cell)));
        cells.filter(|key| !self.0.contains_key(key)).map(|(table, cell)| format!("{table}: {cell}")).collect()
    }

    pub fn report(&self) -> String {
        let mut text = String::new();
        for (table, cells) in PROMISED {
            let _ = write!(text, "{table}:");
            for cell in *cells {
                let _ = write!(text, "  {cell} {}", self.0.get(&(table, cell)).unwrap_or(&0));
            }
            text.push('\n');
        }
        text
    }

    /// What the chart is made of.
    pub fn chart(&mut self, chart: &Chart) {
        self.hit(
            "time",
            match chart.time {
                Time::Synchronous => "synchronous",
                Time::Asynchronous { max_advance: 1 } => "asynchronous",
                Time::Asynchronous { .. } => "asynchronous, advance",
            },
        );
        for state in chart.states.values() {
            self.state(chart, state);
        }
        for connector in chart.connectors.values() {
            self.hit(
                "connector",
                match connector.kind {
                    ConnectorKind::Condition => "condition",
                    ConnectorKind::Switch => "switch",
                    ConnectorKind::Junction => "junction",
                    ConnectorKind::Joint => "joint",
                    ConnectorKind::History => "history",
                    ConnectorKind::DeepHistory => "deep history",
                    ConnectorKind::Termination => "termination",
                },
            );
        }
        for item in chart.items.values() {
            self.item(item);
        }
        for requirement in &chart.requirements {
            self.hit(
                "requirement",
                match requirement.kind {
                    RequirementKind::Always(_) => "always",
                    RequirementKind::LeadsTo { .. } => "leads to",
                    RequirementKind::AfterUntil { .. } => "after until",
                },
            );
        }
        walk::chart(chart, &mut |node| match node {
            Node::Event(e) => self.hit("event", event(e)),
            Node::Expr(e) => self.hit("expression", expr(e)),
            Node::List(list) => self.list(list),
            Node::Statement(s) => self.statement(s),
        });
    }

    fn state(&mut self, chart: &Chart, state: &StateData) {
        self.hit(
            "state",
            match state.kind {
                StateKind::Or => "or",
                StateKind::And => "and",
                StateKind::Basic => "basic",
            },
        );
        let has = [(!state.entering.is_empty(), "entering"), (!state.exiting.is_empty(), "exiting")];
        has.into_iter().filter(|(has, _)| *has).for_each(|(_, cell)| self.hit("state", cell));
        if !state.reactions.is_empty() {
            self.hit("state", "reaction");
        }
        if state.kind == StateKind::And && state.children.len() == 4 {
            self.hit("state", "four components");
        }
        let depth = std::iter::successors(state.parent, |&s| chart.states[s].parent).count();
        if depth >= 4 {
            self.hit("state", "depth four");
        }
    }

    fn item(&mut self, item: &ItemData) {
        self.hit(
            "item",
            match item.ty {
                ItemType::Bool => "bool",
                ItemType::Int { .. } => "int",
                ItemType::Enum(_) => "enum",
                ItemType::Real => "real",
            },
        );
        match (item.array.is_some(), item.input) {
            (true, true) => self.hit("item", "input array"),
            (true, false) => self.hit("item", "array"),
            (false, true) => self.hit("item", "input"),
            (false, false) => {}
        }
        if item.name.contains('.') {
            self.hit("item", "field");
        }
    }

    fn list(&mut self, list: &ActionList) {
        for (_, ty) in &list.context {
            self.hit(
                "context",
                match ty {
                    ValueType::Bool => "bool",
                    ValueType::Int => "int",
                    ValueType::Real => "real",
                },
            );
        }
        let target = |s: &Statement| match s {
            Statement::Assign { item, index: None, .. } => Some(*item),
            _ => None,
        };
        let targets: Vec<Item> = list.statements.iter().filter_map(target).collect();
        if (1..targets.len()).any(|n| targets[..n].contains(&targets[n])) {
            self.hit("statement", "written twice");
        }
    }

    fn statement(&mut self, s: &Statement) {
        self.hit(
            "statement",
            match s {
                Statement::Raise(_) => "raise",
                Statement::Assign { index: None, .. } => "assign",
                Statement::Assign { index: Some(_), .. } => "assign cell",
                Statement::SetContext(..) => "context",
                Statement::If { otherwise, .. } => {
                    if otherwise.is_empty() {
                        "if"
                    } else {
                        "else"
                    }
                }
                Statement::When { .. } => "when",
                Statement::For { .. } => "for",
                Statement::While { .. } => "while",
                Statement::Schedule { .. } => "schedule",
                Statement::ClearHistory(_) => "hc",
                Statement::ClearDeepHistory(_) => "dc",
            },
        );
    }

    /// A step that was made from a status, inputs included.
    pub fn step(&mut self, chart: &Chart, status: &Status, result: &StepResult) {
        for fault in &result.faults {
            self.hit(
                "rule",
                match fault {
                    Fault::Conflict { .. } => "T4 conflict",
                    Fault::Race { cell: None, .. } => "A3 race",
                    Fault::Race { cell: Some(_), .. } => "A3 race in an array",
                    Fault::Range { .. } => "range violation",
                    Fault::Index { .. } => "index outside of its array",
                    Fault::Division { .. } => "division by zero",
                    Fault::EndlessLoop { .. } => continue,
                },
            );
        }
        let ends = result.faults.iter().filter(|f| f.ends_run()).count();
        let others = result.faults.len() - ends;
        let mut hit = |holds: bool, cell| {
            if holds {
                self.hit("rule", cell);
            }
        };
        hit(ends > 1, "F1 several faults end the run");
        hit(ends > 0 && others > 0, "F1 other faults of the step that ends the run");
        hit(!status.events.is_empty(), "S3 event seen");
        hit(result.fired.len() > 1, "T2 several transitions in one step");
        hit(!result.reactions.is_empty(), "T5 reaction");
        hit(!result.performed.is_empty(), "A5 scheduled");
        hit(result.next.terminated && !status.terminated, "H2 termination");
        let forgotten = |s: &State| !result.next.history.contains_key(s);
        hit(status.history.keys().any(forgotten), "H1 cleared");
        for &(state, n) in &result.reactions {
            self.hit("fired by", trigger(&chart.states[state].reactions[n].guard));
        }
        for segments in &result.fired {
            self.hit("fired by", trigger(&chart.segments[segments[0]].guard));
            for &segment in segments {
                self.segment(chart, status, &chart.segments[segment]);
            }
        }
    }

    fn segment(&mut self, chart: &Chart, status: &Status, segment: &SegmentData) {
        let above = |s: State| std::iter::successors(chart.states[s].parent, |&s| chart.states[s].parent);
        match (segment.source, segment.target) {
            (End::State(a), End::State(b)) if a == b => self.hit("rule", "T3 self"),
            (End::State(a), End::State(b)) if above(b).any(|s| s == a) => self.hit("rule", "T3 into itself"),
            (End::State(a), End::State(b)) if above(b).count() + 1 < above(a).count() => {
                self.hit("rule", "T3 out of several levels");
            }
            (End::Default(_), End::Connector(_)) => self.hit("rule", "T1 default with a choice"),
            _ => {}
        }
        let End::Connector(connector) = segment.target else { return };
        let parent = chart.connectors[connector].parent;
        let active = chart.states[parent].children.iter().any(|&s| status.is_in(s));
        let past = active || status.history.contains_key(&parent);
        let out = chart.segments.values().filter(|s| s.source == segment.target).count();
        let cell = match (chart.connectors[connector].kind, past) {
            (ConnectorKind::Condition, _) => "T1 condition",
            (ConnectorKind::Switch, _) => "T1 switch",
            (ConnectorKind::Junction, _) => "T1 junction",
            (ConnectorKind::Joint, _) => {
                if out > 1 && leads_back(chart, connector) {
                    "T1 join and fork in one AND-state"
                } else if out > 1 {
                    "T1 fork"
                } else {
                    "T1 join"
                }
            }
            (ConnectorKind::History, true) => "H1 history",
            (ConnectorKind::History, false) => "H1 history without a past",
            (ConnectorKind::DeepHistory, true) => "H1 deep history",
            (ConnectorKind::DeepHistory, false) => "H1 deep history without a past",
            (ConnectorKind::Termination, _) => return,
        };
        self.hit("rule", cell);
    }

    /// Looks for what was enabled but for the transitions that fired: the chart without them makes the same step.
    pub fn priority(&mut self, chart: &Chart, status: &Status, result: &StepResult) {
        let mut without = chart.clone();
        for segments in &result.fired {
            // The trigger stays: time-outs are known by their place.
            without.segments[segments[0]].guard.condition = Some(Expr::Literal(Literal::Bool(false)));
        }
        let other = Simulator::new(&without).step(status, &mut syncline_statechart::sim::FirstChoice);
        let scope_of = |segments: &Vec<Segment>| match chart.segments[segments[0]].source {
            End::State(s) => Some(s),
            End::Connector(_) | End::Default(_) => None,
        };
        let inner = |s: State| !result.fired.iter().filter_map(scope_of).any(|f| f == s) && result.left.contains(&s);
        if other.fired.iter().filter_map(scope_of).any(inner) && other.left.len() < result.left.len() {
            self.hit("rule", "T4 the outer one wins");
        }
        if other.reactions.iter().any(|(s, _)| result.left.contains(s)) {
            self.hit("rule", "T5 reaction of a state that is left");
        }
    }
}

fn trigger(guard: &Guard) -> &'static str {
    guard.trigger.as_ref().map_or("none", event)
}

fn event(e: &EventExpr) -> &'static str {
    match e {
        EventExpr::Event(_) => "event",
        EventExpr::Entered(_) => "en",
        EventExpr::Exited(_) => "ex",
        EventExpr::BecameTrue(_) => "tr",
        EventExpr::BecameFalse(_) => "fs",
        EventExpr::Changed(Watched::Expr(_)) => "ch",
        EventExpr::Changed(Watched::Array(_)) => "ch array",
        EventExpr::Written(_) => "wr",
        EventExpr::Read(_) => "rd",
        EventExpr::Timeout(..) => "tm",
        EventExpr::Not(_) => "not",
        EventExpr::And(..) => "and",
        EventExpr::Or(..) => "or",
        EventExpr::When(..) => "when",
    }
}

fn expr(e: &Expr) -> &'static str {
    match e {
        Expr::Literal(_) => "literal",
        Expr::Item(_) => "item",
        Expr::Cell(..) => "cell",
        Expr::Context(_) => "context",
        Expr::In(_) => "in",
        Expr::Occurs(_) => "occurs",
        Expr::Unary(UnaryOp::Not, _) => "not",
        Expr::Unary(UnaryOp::Neg, _) => "neg",
        Expr::Unary(UnaryOp::Abs, _) => "abs",
        Expr::Binary(op, ..) => match op {
            BinaryOp::And => "and",
            BinaryOp::Or => "or",
            BinaryOp::Xor => "xor",
            BinaryOp::Add => "add",
            BinaryOp::Sub => "sub",
            BinaryOp::Mul => "mul",
            BinaryOp::Div => "div",
            BinaryOp::Mod => "mod",
            BinaryOp::Min => "min",
            BinaryOp::Max => "max",
            BinaryOp::Eq => "eq",
            BinaryOp::Ne => "ne",
            BinaryOp::Lt => "lt",
            BinaryOp::Le => "le",
            BinaryOp::Gt => "gt",
            BinaryOp::Ge => "ge",
        },
        Expr::ToReal(_) => "to real",
    }
}

/// A joint has two sources whose AND-state contains a target of it too.
fn leads_back(chart: &Chart, joint: Connector) -> bool {
    let above = |state: State| std::iter::successors(Some(state), |&s| chart.states[s].parent).collect::<Vec<_>>();
    let end = End::Connector(joint);
    let state = |end: End| match end {
        End::State(state) => Some(above(state)),
        End::Connector(_) | End::Default(_) => None,
    };
    let sources: Vec<_> = chart.segments.values().filter(|s| s.target == end).filter_map(|s| state(s.source)).collect();
    let mut targets = chart.segments.values().filter(|s| s.source == end).filter_map(|s| state(s.target));
    let [first, second, ..] = &sources[..] else { return false };
    let and = first.iter().find(|s| second.contains(s));
    and.is_some_and(|and| targets.any(|target| target.contains(and)))
}
