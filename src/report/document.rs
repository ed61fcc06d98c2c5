//! The results as data. `--json` writes this as it is (`docs/report.md` has every field, `docs/report.schema.json` is its
//! schema); the other reports are renderings of it.

use crate::answer::Place;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// Grows when a field changes its meaning or goes away; not when one is added.
pub const FORMAT: u32 = 1;

#[derive(Serialize)]
pub struct Document {
    pub tool: &'static str,
    pub version: &'static str,
    pub format: u32,
    pub files: Vec<String>,
    pub data_model: &'static str,
    /// The last line of the text output.
    pub verdict: String,
    pub exit_status: u8,
    pub seconds: f64,
    pub properties: Vec<Entry>,
    /// What the verdicts rest on.
    pub assumptions: Vec<Assumption>,
    /// What became of `--test`.
    pub test: Json,
    pub statistics: Option<Account>,
    pub engines: Vec<Engine>,
}

/// One property.
#[derive(Serialize)]
pub struct Entry {
    pub name: String,
    pub kind: &'static str,
    pub description: String,
    pub location: Option<Place>,
    pub verdict: &'static str,
    pub engine: Option<&'static str>,
    pub seconds: f64,
    /// Of UNKNOWN.
    pub reason: Option<String>,
    /// Of UNKNOWN: what was tried, and what may help.
    pub attempts: Vec<Attempt>,
    pub advice: Vec<String>,
    /// Of SAFE: it holds because no run comes to its code.
    pub vacuous: Option<String>,
    /// Of SAFE.
    pub certificate: Option<Json>,
    pub trace: Option<Trace>,
    /// Of a synchronous system's counterexample.
    pub table: Option<Vec<Row>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chart: Option<Charted>,
}

impl Entry {
    /// The verdict in the words of the input: of a chart, something that never happens may be a fault.
    pub fn word(&self) -> &'static str {
        self.chart.as_ref().map_or(self.verdict, |chart| chart.word)
    }

    pub fn is_fault(&self) -> bool {
        self.chart.as_ref().map_or(self.verdict == "UNSAFE", |chart| chart.fault)
    }

    pub fn is_unknown(&self) -> bool {
        self.verdict == "UNKNOWN"
    }

    /// What kind of question it is.
    pub fn rule(&self) -> &'static str {
        self.chart.as_ref().and_then(|chart| chart.check).unwrap_or(self.kind)
    }
}

/// An engine that was asked about a property and did not decide it.
#[derive(Serialize, PartialEq)]
pub struct Attempt {
    pub engine: &'static str,
    pub seconds: f64,
    /// The limit it met.
    pub end: String,
    /// How far it came, as it said last.
    pub progress: Option<String>,
}

impl std::fmt::Display for Attempt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, {:.1} s: {}", self.engine, self.seconds, self.end)?;
        match &self.progress {
            // Engines begin with their own name.
            Some(text) => write!(f, " (at: {})", text.strip_prefix(&format!("{}: ", self.engine)).unwrap_or(text)),
            None => Ok(()),
        }
    }
}

#[derive(Serialize)]
pub struct Assumption {
    pub location: Option<Place>,
    pub text: String,
}

/// Source lines in the order of the run; of a long one the middle is left out.
#[derive(Serialize)]
pub struct Trace {
    pub first: Vec<Step>,
    /// Where the first access outside of its object is.
    pub outside: Option<String>,
    pub omitted: u64,
    pub last: Vec<Step>,
}

#[derive(Serialize)]
pub struct Step {
    pub file: String,
    pub line: u32,
    pub function: String,
    pub changes: Vec<Change>,
    pub outside: bool,
}

#[derive(Serialize)]
pub struct Change {
    pub name: String,
    pub value: String,
    pub input: bool,
    /// Of a variable of the step's function.
    pub local: bool,
}

/// A step of a synchronous system.
#[derive(Serialize)]
pub struct Row {
    pub step: u64,
    pub inputs: BTreeMap<String, String>,
    /// By process; `None` in the step in which the run ends.
    pub locations: Option<BTreeMap<String, String>>,
    pub changed: BTreeMap<String, String>,
}

/// What there is to say of a property of a chart beside the rest.
#[derive(Serialize)]
pub struct Charted {
    pub check: Option<&'static str>,
    pub word: &'static str,
    pub fault: bool,
    pub run: Option<Vec<ChartRow>>,
}

/// A step of a chart.
#[derive(Serialize, Deserialize)]
pub struct ChartRow {
    /// Steps before this one that are like it and the row before, and have no row.
    pub left_out: u64,
    pub step: u64,
    pub time: u64,
    pub inputs: Vec<String>,
    pub transitions: Vec<String>,
    /// Where the segments of the transitions stand in the chart's files.
    pub fired: Vec<Place>,
    pub left: Vec<String>,
    pub entered: Vec<String>,
    /// After the step: the active child of every active OR-state.
    pub active: BTreeMap<String, String>,
    pub changed: Vec<String>,
    pub faults: Vec<String>,
}

/// What one process did.
#[derive(Serialize)]
pub struct Engine {
    pub engine: &'static str,
    pub chosen: &'static str,
    /// Seconds since the start of the tool.
    pub from: f64,
    pub to: f64,
    pub end: &'static str,
    pub decided: Vec<String>,
    /// Why it did not decide the others.
    pub reason: Option<String>,
    pub statistics: Option<Account>,
}

#[derive(Serialize)]
pub struct Account {
    pub engine: String,
    pub counts: BTreeMap<String, u64>,
    pub notes: Vec<String>,
    pub solver: SolverAccount,
}

#[derive(Serialize)]
pub struct SolverAccount {
    pub checks: u64,
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    pub asserted: u64,
    pub seconds: f64,
}
