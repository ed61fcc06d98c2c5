//! A run as a table in the chart's words: a row for each step.

use super::requirements::Observer;
use super::{Fault, Place, Simulator, Status, StepResult, Superstep, Value};
use crate::model::*;

/// One step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Steps before this one that are like it and the row before, and have no row.
    pub left_out: u64,
    pub step: u64,
    pub time: u64,
    /// What the environment brought: events, and the items it changed.
    pub inputs: Vec<String>,
    /// Each compound transition with its ends and labels; then static reactions and scheduled actions.
    pub transitions: Vec<String>,
    pub left: Vec<String>,
    pub entered: Vec<String>,
    /// Items with their new value, and events raised.
    pub changed: Vec<String>,
    /// Faults, and requirements that are violated.
    pub faults: Vec<String>,
}

const HEADER: [&str; 8] = ["step", "time", "inputs", "transitions", "left", "entered", "changed", "faults"];
const TRANSITIONS: usize = 3;

impl Row {
    fn is_quiet(&self) -> bool {
        *self == Row { left_out: self.left_out, step: self.step, time: self.time, ..Row::default() }
    }

    fn cells(&self) -> [String; 8] {
        let join = |texts: &[String]| texts.join("; ");
        [
            self.step.to_string(),
            self.time.to_string(),
            join(&self.inputs),
            join(&self.transitions),
            join(&self.left),
            join(&self.entered),
            join(&self.changed),
            join(&self.faults),
        ]
    }
}

/// Writes down a run while it goes on.
pub struct Recorder<'a> {
    sim: &'a Simulator<'a>,
    observer: Observer,
    step: u64,
    time: u64,
    /// At the end of the step before.
    last: Status,
    left_out: u64,
}

/// Steps that are not written down since they are like the ones around them.
pub struct LeftOut {
    pub steps: u64,
    pub time: u64,
    /// At the end of the last of them.
    pub last: Status,
    /// What is remembered then.
    pub requirements: Observer,
}

impl<'a> Recorder<'a> {
    pub fn new(sim: &'a Simulator<'a>) -> Recorder<'a> {
        Recorder { sim, observer: Observer::new(sim.chart()), step: 0, time: 0, last: sim.before_start(), left_out: 0 }
    }

    /// Step 0.
    pub fn start(&mut self, start: &StepResult) -> Row {
        let row = self.words().row(&self.last, &self.last, start);
        self.last = start.next.clone();
        row
    }

    pub fn superstep(&mut self, superstep: &Superstep) -> Vec<Row> {
        let mut rows: Vec<Row> = superstep.steps.iter().map(|(status, result)| self.step(status, result)).collect();
        if let (false, Some(row)) = (superstep.settled, rows.last_mut()) {
            row.faults.push("the superstep does not end".into());
        }
        rows
    }

    /// Goes on behind these steps.
    pub fn leave_out(&mut self, steps: &LeftOut) {
        self.step += steps.steps;
        self.time += steps.time;
        self.left_out += steps.steps;
        self.last = steps.last.clone();
        self.observer = steps.requirements.clone();
    }

    fn step(&mut self, status: &Status, result: &StepResult) -> Row {
        self.step += 1;
        self.time += u64::from(status.advance);
        let (left_out, step, time) = (std::mem::take(&mut self.left_out), self.step, self.time);
        let mut row = Row { left_out, step, time, ..self.words().row(&self.last, status, result) };
        for (n, verdict) in self.observer.observe(self.sim, status).into_iter().enumerate() {
            let name = &self.sim.chart().requirements[n].name;
            match verdict {
                Ok(true) => {}
                Ok(false) => row.faults.push(format!("{name} is violated")),
                Err(fault) => row.faults.push(format!("{name}: {}", self.words().fault(&fault))),
            }
        }
        self.last = result.next.clone();
        row
    }

    fn words(&self) -> Words<'a> {
        Words { chart: self.sim.chart() }
    }
}

/// The table with columns under each other; columns in which nothing stands are left out. Of steps in which nothing happens
/// three or more in a row are one line.
pub fn text(rows: &[Row]) -> String {
    let mut lines: Vec<Vec<String>> = vec![HEADER.iter().map(|name| name.to_string()).collect()];
    let mut at = 0;
    while at < rows.len() {
        let quiet = rows[at..].iter().take_while(|row| row.is_quiet()).count();
        let steps = rows[at..at + quiet].iter().map(|row| 1 + row.left_out).sum::<u64>();
        let mut cells = rows[at].cells().to_vec();
        if steps >= 3 {
            cells[TRANSITIONS] = format!("hold {steps} steps");
        } else if rows[at].left_out > 0 {
            let mut more = vec![String::new(); HEADER.len()];
            more[TRANSITIONS] = format!("({} more steps like these)", rows[at].left_out);
            lines.push(more);
        }
        lines.push(cells);
        at += if steps >= 3 { quiet } else { 1 };
    }
    let width = |n: usize| lines.iter().map(|line| line[n].chars().count()).max().unwrap_or(0);
    let used = |n: usize| lines[1..].iter().any(|line| !line[n].is_empty());
    let columns: Vec<(usize, usize)> = (0..HEADER.len()).filter(|&n| used(n)).map(|n| (n, width(n))).collect();
    let mut out = String::new();
    for line in &lines {
        let cells: Vec<String> = columns.iter().map(|&(n, width)| format!("{:<width$}", line[n])).collect();
        out.push_str(cells.join("  ").trim_end());
        out.push('\n');
    }
    out
}

/// The table as comma-separated values.
pub fn csv(rows: &[Row]) -> String {
    let quote = |cell: &str| match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_string(),
    };
    let mut out = HEADER.join(",") + "\n";
    for row in rows {
        let cells: Vec<String> = row.cells().iter().map(|cell| quote(cell)).collect();
        out.push_str(&cells.join(","));
        out.push('\n');
    }
    out
}

/// Elements of a chart as its reader knows them.
pub struct Words<'a> {
    pub chart: &'a Chart,
}

impl Words<'_> {
    /// A state by its name, or its path if others have that name too.
    pub fn state(&self, state: State) -> String {
        let data = &self.chart.states[state];
        let alone = self.chart.states.values().filter(|other| other.name == data.name).count() == 1;
        if alone { &data.name } else { &data.path }.clone()
    }

    pub fn place(&self, (item, cell): Place) -> String {
        let name = &self.chart.items[item].name;
        match cell {
            Some(index) => format!("{name}({index})"),
            None => name.clone(),
        }
    }

    pub fn value(&self, item: Item, value: Value) -> String {
        match (self.chart.items[item].ty, value) {
            (ItemType::Enum(ty), Value::Int(n)) => {
                let names = &self.chart.enums[ty as usize].values;
                usize::try_from(n).ok().and_then(|n| names.get(n)).cloned().unwrap_or(n.to_string())
            }
            (ItemType::Enum(_) | ItemType::Bool | ItemType::Int { .. } | ItemType::Real, value) => value.to_string(),
        }
    }

    pub fn end(&self, end: End) -> String {
        match end {
            End::State(state) => self.state(state),
            End::Connector(connector) => self.chart.connectors[connector].name.clone(),
            End::Default(state) => format!("default({})", self.state(state)),
        }
    }

    /// `off -> c1`, without its label.
    pub fn segment(&self, segment: Segment) -> String {
        let data = &self.chart.segments[segment];
        format!("{} -> {}", self.end(data.source), self.end(data.target))
    }

    /// A compound transition: its segments with their labels.
    pub fn transition(&self, segments: &[Segment]) -> String {
        let one = |&segment: &Segment| {
            let label: Vec<&str> = self.chart.segments[segment].label.split_whitespace().collect();
            match label.is_empty() {
                true => self.segment(segment),
                false => format!("{}: {}", self.segment(segment), label.join(" ")),
            }
        };
        segments.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    pub fn fault(&self, fault: &Fault) -> String {
        match fault {
            Fault::Conflict { scope, transitions } => {
                let all: Vec<String> = transitions.iter().map(|t| self.transition(t)).collect();
                format!("conflict in {}: {}", self.state(*scope), all.join(" | "))
            }
            Fault::Race { item, cell, values } => {
                let values: Vec<String> = values.iter().map(|&v| self.value(*item, v)).collect();
                format!("race on {}: {}", self.place((*item, *cell)), values.join(" | "))
            }
            Fault::Range { item, value, .. } => {
                format!("{} is out of range for {}", self.value(*item, *value), self.chart.items[*item].name)
            }
            Fault::Index { item, index, .. } => format!("index {index} is outside of {}", self.chart.items[*item].name),
            Fault::Division { .. } => "division by zero".into(),
            Fault::EndlessLoop { position } => format!("endless loop at {}:{}", position.line, position.column),
        }
    }

    /// `last` is the status before the environment came.
    fn row(&self, last: &Status, status: &Status, result: &StepResult) -> Row {
        let mut row = Row::default();
        let event = |event: &Event| self.chart.events[*event].name.clone();
        row.inputs = status.events.difference(&last.events).map(event).collect();
        row.inputs.extend(self.differences(last, status));
        row.transitions = result.fired.iter().map(|t| self.transition(t)).collect();
        row.transitions
            .extend(result.reactions.iter().map(|&(s, n)| format!("reaction {} of {}", n + 1, self.state(s))));
        row.transitions.extend(result.performed.iter().map(|n| format!("scheduled action {}", n + 1)));
        row.left = result.left.iter().map(|&s| self.state(s)).collect();
        row.entered = result.entered.iter().map(|&s| self.state(s)).collect();
        row.changed = self.differences(status, &result.next);
        if !result.next.aborted {
            row.changed.extend(result.next.events.iter().map(event));
        }
        row.faults = result.faults.iter().map(|fault| self.fault(fault)).collect();
        row
    }

    pub fn differences(&self, from: &Status, to: &Status) -> Vec<String> {
        let differs = to.values.iter().filter(|(place, value)| from.values.get(place) != Some(value));
        differs.map(|(&place, &value)| format!("{} = {}", self.place(place), self.value(place.0, value))).collect()
    }
}
