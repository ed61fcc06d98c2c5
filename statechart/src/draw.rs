//! A chart as a drawing, in Graphviz's language: a box in a box for each state, AND-states with dashed boxes for their parts,
//! connectors as small circles, transitions with their labels. What a run has visited can be marked.
//!
//! Graphviz has no edges between boxes (clusters): an edge goes to an invisible point inside, and is cut at the box's border
//! (`compound`, `lhead`, `ltail`).

use crate::model::*;
use std::collections::BTreeSet;
use std::fmt::Write;

/// What is to be marked.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    pub states: BTreeSet<State>,
    pub segments: BTreeSet<Segment>,
    /// The states of the last step: where the run ends.
    pub last: BTreeSet<State>,
}

/// Labels are broken into lines of about so many characters.
const LINE: usize = 34;
/// A wide one: what it leaves room for, others fit into.
const FONT: &str = "DejaVu Sans";
const PLAIN: &str = "#37474f";
const MARKED: &str = "#c62828";
const FILL: &str = "#ffebee";
const FILL_LAST: &str = "#ef9a9a";

/// The chart in Graphviz's language.
pub fn dot(chart: &Chart, marks: &Marks) -> String {
    let mut drawing = Drawing { chart, marks, out: String::new() };
    drawing.line(0, &format!("digraph {} {{", quote(&chart.name)));
    drawing.line(1, &format!("graph [compound=true, fontname=\"{FONT}\", fontsize=12, nodesep=0.4, ranksep=0.5];"));
    drawing.line(1, &format!("node [fontname=\"{FONT}\", fontsize=12, shape=box, style=filled, fillcolor=white];"));
    drawing.line(1, &format!("edge [fontname=\"{FONT}\", fontsize=10, arrowsize=0.7];"));
    if let Some(root) = chart.states.keys().next() {
        drawing.state(root, 1);
    }
    chart.segments.keys().for_each(|segment| drawing.segment(segment));
    drawing.line(0, "}");
    drawing.out
}

struct Drawing<'a> {
    chart: &'a Chart,
    marks: &'a Marks,
    out: String,
}

impl Drawing<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", 2 * depth);
    }

    fn color(&self, marked: bool) -> &'static str {
        if marked {
            MARKED
        } else {
            PLAIN
        }
    }

    /// What a state's box is drawn with.
    fn look(&self, state: State) -> String {
        let marked = self.marks.states.contains(&state);
        let basic = self.chart.states[state].kind == StateKind::Basic;
        let fill = match (basic, marked) {
            (true, _) if self.marks.last.contains(&state) => FILL_LAST,
            (true, true) => FILL,
            (true, false) | (false, _) => "white",
        };
        let width = if marked { 2.0 } else { 1.0 };
        format!("color=\"{}\", fillcolor=\"{fill}\", penwidth={width}", self.color(marked))
    }

    fn state(&mut self, state: State, depth: usize) {
        let data = &self.chart.states[state];
        let (look, label) = (self.look(state), quote(&self.text(state)));
        let part = data.parent.is_some_and(|p| self.chart.states[p].kind == StateKind::And);
        let style = if part { "rounded,filled,dashed" } else { "rounded,filled" };
        if data.kind == StateKind::Basic {
            self.line(depth, &format!("{state} [id={}, label={label}, style=\"{style}\", {look}];", quote(&data.path)));
            return;
        }
        self.line(depth, &format!("subgraph cluster_{state} {{"));
        self.line(
            depth + 1,
            &format!("id={}; label={label}; style=\"{style}\"; {};", quote(&data.path), semicolons(&look)),
        );
        self.line(depth + 1, &format!("{state} [shape=point, style=invis, width=0.01, label=\"\"];"));
        for &child in &data.children {
            self.state(child, depth + 1);
        }
        let inside = |(_, c): &(Connector, &ConnectorData)| c.parent == state;
        let connectors: Vec<Connector> = self.chart.connectors.iter().filter(inside).map(|(c, _)| c).collect();
        connectors.into_iter().for_each(|c| self.connector(c, depth + 1));
        let is_default = |s: &&SegmentData| s.source == End::Default(state);
        if self.chart.segments.values().any(|s| is_default(&s)) {
            let text =
                format!("default_{state} [shape=point, width=0.1, style=filled, fillcolor=\"{PLAIN}\", label=\"\"];");
            self.line(depth + 1, &text);
        }
        self.line(depth, "}");
    }

    /// A state's name, with what it does.
    fn text(&self, state: State) -> String {
        let data = &self.chart.states[state];
        let mut text = data.name.clone();
        let counts =
            [("entering", data.entering.len()), ("reactions", data.reactions.len()), ("exiting", data.exiting.len())];
        let has: Vec<&str> = counts.iter().filter(|(_, n)| *n > 0).map(|&(word, _)| word).collect();
        if !has.is_empty() {
            let _ = write!(text, "\n{}", has.join(", "));
        }
        text
    }

    fn connector(&mut self, connector: Connector, depth: usize) {
        let data = &self.chart.connectors[connector];
        let letter = match data.kind {
            ConnectorKind::Condition => "C",
            ConnectorKind::Switch => "S",
            ConnectorKind::Junction | ConnectorKind::Joint => "",
            ConnectorKind::History => "H",
            ConnectorKind::DeepHistory => "H*",
            ConnectorKind::Termination => "T",
        };
        let shape = match data.kind {
            ConnectorKind::Joint => {
                "shape=box, width=0.6, height=0.06, fixedsize=true, style=filled, fillcolor=\"#37474f\""
            }
            ConnectorKind::Junction => "shape=circle, width=0.12, fixedsize=true",
            _ => "shape=circle, width=0.28, fixedsize=true, fontsize=10",
        };
        let tip = quote(&data.name);
        self.line(depth, &format!("{connector} [label=\"{letter}\", tooltip={tip}, {shape}, color=\"{PLAIN}\"];"));
    }

    fn segment(&mut self, segment: Segment) {
        let data = &self.chart.segments[segment];
        let marked = self.marks.segments.contains(&segment);
        let (from, tail) = self.end(data.source);
        let (to, head) = self.end(data.target);
        let mut look = vec![format!("id=\"{segment}\""), format!("label={}", quote(&broken(&data.label)))];
        // An edge that ends in a box that it begins in cannot be cut at that box.
        let inside = |outer: Option<State>, inner: End| outer.is_some_and(|outer| self.is_inside(inner, outer));
        if let Some(state) = tail.filter(|_| !inside(tail, data.target)) {
            look.push(format!("ltail=cluster_{state}"));
        }
        if let Some(state) = head.filter(|_| !inside(head, data.source)) {
            look.push(format!("lhead=cluster_{state}"));
        }
        let color = self.color(marked);
        look.push(format!("color=\"{color}\", fontcolor=\"{color}\""));
        if marked {
            look.push("penwidth=2.2".to_string());
        }
        self.line(1, &format!("{from} -> {to} [{}];", look.join(", ")));
    }

    /// The node of a segment's end, and the box it stands for.
    fn end(&self, end: End) -> (String, Option<State>) {
        match end {
            End::State(state) => {
                let is_box = self.chart.states[state].kind != StateKind::Basic;
                (state.to_string(), is_box.then_some(state))
            }
            End::Connector(connector) => (connector.to_string(), None),
            End::Default(state) => (format!("default_{state}"), None),
        }
    }

    fn is_inside(&self, end: End, outer: State) -> bool {
        let state = match end {
            End::State(state) | End::Default(state) => state,
            End::Connector(connector) => self.chart.connectors[connector].parent,
        };
        std::iter::successors(Some(state), |&s| self.chart.states[s].parent).any(|s| s == outer)
    }
}

/// Attributes of a box are statements.
fn semicolons(look: &str) -> String {
    look.replace(", ", "; ")
}

fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out + "\""
}

/// The label in lines that are not too long.
fn broken(label: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in label.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < LINE => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines.join("\n")
}
