//! Every rule of the semantics on a chart of its own: the simulator against step tables worked out by hand.
//! `tests/statechart/rules/README.md` says how they are written.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syncline_statechart::import;
use syncline_statechart::model::*;
use syncline_statechart::sim::requirements::Observer;
use syncline_statechart::sim::table::Words;
use syncline_statechart::sim::{csv, Fault, FirstChoice, Inputs, Simulator, Status, StepResult};

/// The rules, and the parts of the decisions that have a chart of their own.
const RULES: [&str; 37] = [
    "S1",
    "S2",
    "S3",
    "T1-or",
    "T1-joint",
    "T1-joint-fork",
    "T2",
    "T3",
    "T4",
    "T4-conflict",
    "T5",
    "T6",
    "A1",
    "A1b",
    "A2",
    "A3",
    "A4",
    "A4-inputs",
    "A5-timeout",
    "A5-schedule",
    "A5-asynchronous",
    "F1",
    "H0",
    "H1",
    "H1-deep",
    "H1-clear",
    "H2",
    "M1",
    "M2",
    "D-default",
    "D-history-inside",
    "D-timeout-variable",
    "D-activities",
    "D-range",
    "D-division",
    "D-read",
    "R",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/statechart/rules")
}

#[test]
fn every_rule_has_its_table() {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "steps") {
            found.insert(path.file_stem().unwrap().to_string_lossy().into_owned());
        }
    }
    assert_eq!(found, RULES.iter().map(|r| r.to_string()).collect());
    let mut wrong = Vec::new();
    for rule in &found {
        if let Err(message) = compare(rule) {
            wrong.push(format!("{rule}: {message}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// One line of a table: what each column says.
struct Row {
    line: usize,
    cells: BTreeMap<String, String>,
}

fn read_table(text: &str) -> Vec<Row> {
    let mut columns: Vec<String> = Vec::new();
    let mut rows = Vec::new();
    for (n, line) in text.lines().enumerate() {
        if line.starts_with('#') || line.trim().is_empty() {
            continue;
        }
        let cells: Vec<String> = line.split('|').map(|cell| cell.trim().to_string()).collect();
        if columns.is_empty() {
            columns = cells;
            continue;
        }
        assert_eq!(cells.len(), columns.len(), "line {}: {} columns", n + 1, columns.len());
        rows.push(Row { line: n + 1, cells: columns.iter().cloned().zip(cells).collect() });
    }
    rows
}

fn compare(rule: &str) -> Result<(), String> {
    let chart = match import::read(&folder().join(format!("{rule}.xml")), &import::Options::default()) {
        Ok(chart) => chart,
        Err(errors) => return Err(errors.iter().map(|e| e.to_string()).collect::<Vec<_>>().join("; ")),
    };
    let rows = read_table(&std::fs::read_to_string(folder().join(format!("{rule}.steps"))).unwrap());
    let mut steps: Vec<Vec<&Row>> = Vec::new();
    for row in &rows {
        match row.cells["step"].as_str() {
            "or" => steps.last_mut().unwrap().push(row),
            number => {
                assert_eq!(number, steps.len().to_string(), "{rule}, line {}", row.line);
                steps.push(vec![row]);
            }
        }
    }
    let sim = Simulator::new(&chart);
    let mut run = Run { sim: &sim, observer: Observer::new(&chart), words: Words { chart: &chart } };
    let mut last: Option<StepResult> = None;
    for outcomes in &steps {
        last = Some(run.step(outcomes, last.as_ref())?);
    }
    Ok(())
}

struct Run<'a> {
    sim: &'a Simulator<'a>,
    observer: Observer,
    words: Words<'a>,
}

impl Run<'_> {
    /// Compares all outcomes of one step; returns the one the first row describes.
    fn step(&mut self, rows: &[&Row], last: Option<&StepResult>) -> Result<StepResult, String> {
        let line = rows[0].line;
        let chart = self.sim.chart();
        let (status, results) = match last {
            None => (None, self.sim.starts()),
            Some(last) => {
                let continues =
                    matches!(chart.time, Time::Asynchronous { .. }) && !last.is_empty() && line_is_late(rows[0]);
                let status = match rows[0].cells["inputs"].as_str() {
                    "-" if continues => last.next.clone(),
                    _ if continues => return Err(format!("line {line}: the superstep has not ended")),
                    "-" => return Err(format!("line {line}: the superstep has ended")),
                    text => self.sim.status_with_inputs(&last.next, &self.inputs(text)),
                };
                let results = self.sim.steps(&status);
                self.check_step(&status, &results);
                (Some(status), results)
            }
        };
        let violated = status.as_ref().map_or(String::new(), |status| self.violated(status));
        let wanted: Vec<BTreeMap<String, BTreeSet<String>>> = rows.iter().map(|row| wanted(row)).collect();
        let mut first = None;
        let mut missing: Vec<usize> = (0..wanted.len()).collect();
        for result in results {
            let mut found = self.describe(status.as_ref(), &result);
            found.insert("violated".into(), split(&violated));
            found.retain(|column, _| rows[0].cells.contains_key(column));
            match missing.iter().position(|&n| wanted[n] == found) {
                Some(at) if missing.remove(at) == 0 => first = Some(result),
                Some(_) => {}
                None => return Err(format!("line {line}: the simulator has\n  {found:?}\nthe table\n  {wanted:?}")),
            }
        }
        match missing.first() {
            None => Ok(first.unwrap()),
            Some(&n) => Err(format!("line {}: the simulator does not have this outcome", rows[n].line)),
        }
    }

    /// What holds of any step.
    fn check_step(&self, status: &Status, results: &[StepResult]) {
        let one = self.sim.step(status, &mut FirstChoice);
        assert_eq!(one, results[0]);
        assert_eq!(self.sim.is_stable(status), results[0].is_empty());
        for result in results {
            let next = &result.next;
            assert!(next.terminated || self.sim.s1_is_configuration(&next.configuration));
            let parent = |state: State| self.sim.chart().states[state].parent;
            for (n, &state) in result.left.iter().enumerate() {
                assert!(!result.left[..n].iter().any(|&earlier| Some(earlier) == parent(state)), "inner before outer");
            }
            for (n, &state) in result.entered.iter().enumerate() {
                assert!(!result.entered[n..].iter().any(|&later| Some(later) == parent(state)), "outer before inner");
            }
        }
    }

    fn violated(&mut self, status: &Status) -> String {
        let verdicts = self.observer.observe(self.sim, status);
        let requirements = &self.sim.chart().requirements;
        let names = verdicts.iter().zip(requirements).filter(|(verdict, _)| verdict != &&Ok(true));
        names.map(|(_, r)| r.name.clone()).collect::<Vec<_>>().join(",")
    }

    fn inputs(&self, text: &str) -> Inputs {
        let chart = self.sim.chart();
        let mut inputs = Inputs::default();
        for entry in split(text) {
            match entry.split_once('=') {
                Some(("time", value)) => inputs.advance = value.parse().unwrap(),
                Some((name, value)) => {
                    let (item, data) = chart.items.iter().find(|(_, data)| data.name == name).unwrap();
                    assert!(data.input);
                    inputs.items.push((item, None, csv::literal(chart, data.ty, value).unwrap()));
                }
                None => {
                    let (event, data) = chart.events.iter().find(|(_, data)| data.name == entry).unwrap();
                    assert!(data.input);
                    inputs.events.insert(event);
                }
            }
        }
        inputs
    }

    /// A step in the words of the tables.
    fn describe(&self, status: Option<&Status>, result: &StepResult) -> BTreeMap<String, BTreeSet<String>> {
        let chart = self.sim.chart();
        let state = |&state: &State| self.words.state(state);
        let next = &result.next;
        let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut put = |column: &str, entries: Vec<String>| {
            found.insert(column.into(), entries.into_iter().collect());
        };
        put("fired", result.fired.iter().map(|t| self.transition(t)).collect());
        put("left", result.left.iter().map(state).collect());
        put("entered", result.entered.iter().map(state).collect());
        put("reactions", result.reactions.iter().map(|(s, n)| format!("{}#{}", state(s), n + 1)).collect());
        put("changed", self.changed(status, next));
        let raised = if next.aborted { BTreeSet::new() } else { next.events.clone() };
        put("raised", raised.iter().map(|&e| chart.events[e].name.clone()).collect());
        put("faults", result.faults.iter().map(|fault| self.fault(fault)).collect());
        put("history", next.history.iter().map(|(s, child)| format!("{}={}", state(s), state(child))).collect());
        put(
            "active",
            next.configuration.iter().filter(|&&s| chart.states[s].kind == StateKind::Basic).map(state).collect(),
        );
        put("configuration", next.configuration.iter().map(state).collect());
        let waiting = next.scheduled.iter().enumerate().map(|(n, s)| format!("{}th {}", n, s.remaining));
        put("waiting", waiting.collect());
        found
    }

    fn changed(&self, status: Option<&Status>, next: &Status) -> Vec<String> {
        let before = |place| match status {
            Some(status) => status.values[place],
            None => self.sim.chart().items[place.0].initial.into(),
        };
        let changed = next.values.iter().filter(|(place, value)| before(place) != **value);
        changed.map(|(&place, &v)| format!("{}={}", self.words.place(place), self.words.value(place.0, v))).collect()
    }

    fn transition(&self, segments: &[Segment]) -> String {
        let segments: Vec<String> = segments.iter().map(|&s| self.words.segment(s).replace(" -> ", "->")).collect();
        segments.join(" ")
    }

    fn fault(&self, fault: &Fault) -> String {
        let name = |item: Item| &self.sim.chart().items[item].name;
        match fault {
            Fault::Conflict { scope, transitions } => {
                let all: Vec<String> = transitions.iter().map(|t| self.transition(t)).collect();
                format!("conflict {}: {}", self.words.state(*scope), all.join(" / "))
            }
            Fault::Race { item, cell, values } => {
                let values: Vec<String> = values.iter().map(|&v| self.words.value(*item, v)).collect();
                format!("race {}: {}", self.words.place((*item, *cell)), values.join(" / "))
            }
            Fault::Range { item, value, .. } => format!("range {}: {value}", name(*item)),
            Fault::Index { item, index, .. } => format!("index {}: {index}", name(*item)),
            Fault::Division { .. } => "division".into(),
            Fault::EndlessLoop { .. } => "loop".into(),
        }
    }
}

/// Step 1 is brought by the environment, whatever step 0 has done.
fn line_is_late(row: &Row) -> bool {
    row.cells["step"] != "1"
}

fn split(text: &str) -> BTreeSet<String> {
    text.split(',').map(str::trim).filter(|entry| !entry.is_empty()).map(str::to_string).collect()
}

fn wanted(row: &Row) -> BTreeMap<String, BTreeSet<String>> {
    let compared = row.cells.iter().filter(|(column, _)| !matches!(column.as_str(), "step" | "inputs"));
    let cell = |(column, text): (&String, &String)| match column.as_str() {
        // Times may be the same, so they are numbered.
        "waiting" => {
            let times = text.split(',').map(str::trim).filter(|time| !time.is_empty());
            (column.clone(), times.enumerate().map(|(n, time)| format!("{n}th {time}")).collect())
        }
        _ => (column.clone(), split(text)),
    };
    compared.map(cell).collect()
}
