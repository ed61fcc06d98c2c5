//! Charts on the command line: reading them, runs tried before the engines, traces followed by the reference simulator, and
//! verdicts in the chart's words.

pub mod follow;
pub mod report;
pub mod sample;

use crate::args::{CheckKind, InputArgs};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use syncline_frontend::{error::Place, Errors, FrontError};
use syncline_ir::{Program, Prop};
use syncline_statechart::import::{self, Mapping};
use syncline_statechart::lower::{self, Check, Map, Question};
use syncline_statechart::model::Chart;

/// A chart and its program.
pub struct Charted {
    pub chart: Chart,
    pub program: Arc<Program>,
    pub map: Map,
    /// The program in which values outside of their range end the run, if that makes a difference.
    pub confined: Option<Arc<Program>>,
    checks: Vec<Check>,
}

impl Charted {
    pub fn question(&self, prop: Prop) -> Option<Question> {
        self.map.questions.get(&prop).copied()
    }

    /// Whether the property belongs to a check that was asked for.
    pub fn wanted(&self, prop: Prop) -> bool {
        self.question(prop).is_some_and(|q| self.checks.contains(&q.check))
    }
}

/// Whether the input is a chart.
pub fn is_chart(files: &[PathBuf]) -> bool {
    files.first().is_some_and(|path| path.extension().is_some_and(|e| e.eq_ignore_ascii_case("xml")))
}

pub fn load(args: &InputArgs) -> Result<Charted, Errors> {
    let [path] = &args.files[..] else {
        let second = args.files.get(1).map(|p| p.display().to_string()).unwrap_or_default();
        return Err(FrontError::new(Place::file(second), "a chart is one file; it names its off-page charts").into());
    };
    let chart = read(path, args.mapping.as_deref(), &args.requirements)?;
    let wanted = checks(&args.check);
    let mut options = lower::Options { checks: wanted.clone(), confined: false };
    let confine = lower::confinement_matters(&chart);
    if confine && !wanted.contains(&Check::Range) {
        // Not asked for, but others may rest on it.
        options.checks.push(Check::Range);
    }
    let lowered = lower::lower(&chart, &options);
    let confined = confine.then(|| lower::lower(&chart, &lower::Options { confined: true, ..options }).program);
    Ok(Charted {
        chart,
        program: Arc::new(lowered.program),
        map: lowered.map,
        confined: confined.map(Arc::new),
        checks: wanted,
    })
}

/// The chart alone.
pub fn read(path: &Path, names: Option<&Path>, requirements: &[PathBuf]) -> Result<Chart, Errors> {
    let options = import::Options { mapping: mapping(names)?, requirements: requirements.to_vec() };
    import::read(path, &options).map_err(errors)
}

fn mapping(path: Option<&Path>) -> Result<Mapping, Errors> {
    let Some(path) = path else { return Ok(Mapping::default()) };
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|e| FrontError::new(Place::file(&*name), e.to_string()))?;
    Mapping::parse(&text, &name).map_err(errors)
}

fn errors(errors: Vec<import::Error>) -> Errors {
    let error = |e: import::Error| {
        let loc = Place { file: e.file, line: e.position.line, column: e.position.column };
        let element = if e.element.is_empty() { String::new() } else { format!(" ({})", e.element) };
        FrontError::new(loc, e.message + &element)
    };
    Errors(errors.into_iter().map(error).collect())
}

/// The checks asked for; all, if none is named.
fn checks(kinds: &[CheckKind]) -> Vec<Check> {
    let check = |kind: &CheckKind| match kind {
        CheckKind::Conflict => Some(Check::Conflict),
        CheckKind::Race => Some(Check::Race),
        CheckKind::Stability => Some(Check::Stability),
        CheckKind::Unreachable => Some(Check::Unreachable),
        CheckKind::Dead => Some(Check::Dead),
        CheckKind::Range => Some(Check::Range),
        CheckKind::Constant => Some(Check::Constant),
        CheckKind::Requirement => Some(Check::Requirement),
        CheckKind::Overflow
        | CheckKind::Shift
        | CheckKind::Div
        | CheckKind::Bounds
        | CheckKind::Pointer
        | CheckKind::Nondeterminism
        | CheckKind::All => None,
    };
    if kinds.is_empty() || kinds.contains(&CheckKind::All) {
        return Check::ALL.to_vec();
    }
    kinds.iter().filter_map(check).collect()
}
