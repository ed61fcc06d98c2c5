//! What the user reads. [`Report`] gathers results while they come and gives them out at the end: as text ([`text`]), and as a
//! [`document::Document`] from which every report file is made ([`reports`]).

mod advice;
mod build;
pub mod document;
mod html;
mod junit;
pub mod reports;
mod sarif;
mod text;
pub mod xml;

use crate::answer::Answer;
use crate::args::CheckArgs;
use crate::chart::follow::{self, Run};
use crate::chart::report::{Finding, Findings};
use crate::chart::Charted;
use crate::crew::Ran;
use crate::load::Loaded;
use crate::outside;
use crate::reactive;
use crate::table::{self, Table};
use crate::testcase;
use crate::trace::{self, Steps};
use crate::witness;
use crate::{BAD_INPUT, INTERNAL};
use serde_json::{json, Value as Json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use syncline_engines::task::Reason;
use syncline_ir::{Origin, Program, Prop};

const SAFE: u8 = 0;
const UNSAFE: u8 = 10;
const UNKNOWN: u8 = 5;

/// How long the printing of a trace may take.
const TRACE_TIME: Duration = Duration::from_secs(20);

pub struct Property {
    pub prop: Prop,
    pub answer: Answer,
    pub seconds: f64,
    /// Who gave the answer.
    pub engine: Option<&'static str>,
}

/// A counterexample in words; of a synchronous system also as a table.
struct Told {
    steps: Steps,
    table: Option<Table>,
}

pub struct Report {
    program: Arc<Program>,
    loaded: Loaded,
    props: Vec<Prop>,
    results: BTreeMap<Prop, Property>,
    /// What ran, in the order of its end.
    ran: Vec<Ran>,
    /// Whether what ran is to be told.
    pub words: bool,
    /// Properties that hold because no run comes to their code, with what is known of that.
    vacuous: BTreeMap<Prop, String>,
    /// How long that was looked for.
    looked: Duration,
    failure: Option<String>,
    stopped: Option<Reason>,
    not_written: Option<String>,
}

impl Report {
    pub fn new(loaded: Loaded, props: &[Prop]) -> Report {
        Report {
            program: loaded.program.clone(),
            loaded,
            props: props.to_vec(),
            results: BTreeMap::new(),
            ran: Vec::new(),
            words: false,
            vacuous: BTreeMap::new(),
            looked: Duration::ZERO,
            failure: None,
            stopped: None,
            not_written: None,
        }
    }

    /// The chart the program was made of.
    pub fn chart(&self) -> Option<Arc<Charted>> {
        self.loaded.chart.clone()
    }

    fn findings(&self) -> Option<Findings<'_>> {
        self.loaded.chart.as_deref().map(|charted| Findings::new(charted, &self.results))
    }

    /// What the verdict means: of a chart it may be a fault that something never happens.
    fn finding(&self, p: &Property) -> Finding {
        match (self.findings(), &p.answer) {
            (Some(findings), _) => findings.of(p.prop),
            (None, Answer::Safe(_)) => Finding::Good,
            (None, Answer::Unsafe(_)) => Finding::Fault,
            (None, Answer::Unknown(_)) => Finding::Unknown,
        }
    }

    pub fn add(&mut self, property: Property) {
        self.results.entry(property.prop).or_insert(property);
    }

    /// The engine broke: everything undecided is unknown, and the exit status says so.
    pub fn give_up(&mut self, words: &str) {
        self.failure = Some(words.to_string());
    }

    /// A process has ended.
    pub fn add_ran(&mut self, ran: Ran) {
        self.ran.push(ran);
    }

    pub fn ran(&self) -> &[Ran] {
        &self.ran
    }

    /// The properties that hold.
    pub fn safe(&self) -> Vec<Prop> {
        let is_safe = |p: &&Property| matches!(p.answer, Answer::Safe(_));
        self.results.values().filter(is_safe).map(|p| p.prop).collect()
    }

    pub fn answers(&self) -> impl Iterator<Item = (Prop, &Answer)> {
        self.results.values().map(|p| (p.prop, &p.answer))
    }

    /// The property holds because no run comes to its code.
    pub fn add_vacuous(&mut self, prop: Prop, words: String) {
        self.vacuous.insert(prop, words);
    }

    /// So long was looked for such properties.
    pub fn looked(&mut self, time: Duration) {
        self.looked = time;
    }

    pub fn wants_words(&self) -> bool {
        self.words
    }

    pub fn name(&self, prop: Prop) -> &str {
        &self.program.props[prop].name
    }

    /// Whether a property of this name is to be decided.
    pub fn is_asked(&self, name: &str) -> bool {
        self.props.iter().any(|&p| self.name(p) == name)
    }

    /// A limit was met.
    pub fn stop(&mut self, reason: Reason) {
        self.stopped = Some(reason);
    }

    /// A file that was asked for could not be written, for this reason.
    pub fn not_written(&mut self, words: String) {
        eprintln!("error: {words}");
        self.not_written = Some(words);
    }

    /// Prints everything; the exit status.
    pub fn finish(mut self, args: &CheckArgs, elapsed: Duration) -> u8 {
        let seconds = elapsed.as_secs_f64();
        let reason = self.stopped.clone().unwrap_or_else(|| match &self.failure {
            Some(words) => Reason::Solver(words.clone()),
            None => Reason::Cancelled,
        });
        for prop in self.props.clone() {
            let answer = Answer::Unknown(reason.clone());
            self.results.entry(prop).or_insert(Property { prop, answer, seconds, engine: None });
        }
        let runs = self.runs();
        let traces: BTreeMap<Prop, Told> = self.traces(args);
        let silent = reports::to_stdout(&args.reports);
        if !silent {
            self.print(&traces, &runs, args);
        }
        let test = self.write_test(args);
        self.write_csv(args, &runs);
        self.write_witness(args);
        if reports::wanted(&args.reports) {
            let document = self.document(args, &traces, &runs, test, seconds);
            for message in reports::write(&args.reports, &document, self.loaded.chart.as_deref().map(|c| &c.chart)) {
                self.not_written(message);
            }
        }
        if !silent {
            say!("{}", self.summary());
        }
        self.status()
    }

    /// Of a chart: the runs that show its faults. A fault whose run the reference simulator does not make is none.
    fn runs(&mut self) -> BTreeMap<Prop, Run> {
        let Some(findings) = self.findings() else { return BTreeMap::new() };
        let mut runs = BTreeMap::new();
        for (prop, run) in findings.runs(Instant::now() + TRACE_TIME) {
            match (run, self.results.get_mut(&prop)) {
                (Ok(run), _) => {
                    runs.insert(prop, run);
                }
                (Err(words), Some(property)) => {
                    let reason = Reason::Evidence(format!("the reference simulator does not make the run: {words}"));
                    property.answer = Answer::Unknown(reason);
                }
                (Err(_), None) => {}
            }
        }
        runs
    }

    /// Writes the witness, and says on standard error what is to be known of it.
    fn write_witness(&mut self, args: &CheckArgs) {
        let Some(path) = &args.reports.witness else { return };
        match witness::witness(args, &self.loaded, &self.results) {
            Ok((text, notes)) => {
                notes.iter().for_each(|note| eprintln!("note: the witness: {note}"));
                if path.as_os_str() == "-" {
                    say!("{}", text.trim_end());
                } else if let Err(e) = std::fs::write(path, text) {
                    self.not_written(format!("{}: {e}", path.display()));
                }
            }
            Err(why) => eprintln!("warning: no witness: {why}"),
        }
    }

    /// Of a chart: the inputs of the first fault's run.
    fn write_csv(&mut self, args: &CheckArgs, runs: &BTreeMap<Prop, Run>) {
        let (Some(path), Some(charted)) = (&args.csv, self.chart()) else { return };
        let Some(run) = runs.values().next() else { return };
        if let Err(e) = std::fs::write(path, follow::csv(&charted.chart, run)) {
            self.not_written(format!("{}: {e}", path.display()));
        }
    }

    fn traces(&self, args: &CheckArgs) -> BTreeMap<Prop, Told> {
        // Of a chart there are runs of the simulator instead.
        if self.loaded.chart.is_some() {
            return BTreeMap::new();
        }
        let deadline = Some(Instant::now() + TRACE_TIME);
        let steps = |p: &Property| match &p.answer {
            Answer::Unsafe(t) => {
                let table = table::table(&self.program, t, deadline);
                let table = table.or_else(|| reactive::table(&self.loaded, t, deadline));
                let accesses = outside::first(&args.input, &self.program, t, deadline);
                Some((p.prop, Told { steps: trace::steps(&self.program, t, &accesses, deadline), table }))
            }
            Answer::Safe(_) | Answer::Unknown(_) => None,
        };
        self.results.values().filter_map(steps).collect()
    }

    /// Writes the test of the first violated property, and says on standard error what is to be known of it.
    fn write_test(&self, args: &CheckArgs) -> Json {
        let Some(path) = &args.test else { return Json::Null };
        let violated = self.results.values().find_map(|p| match &p.answer {
            Answer::Unsafe(trace) => Some((p.prop, trace)),
            Answer::Safe(_) | Answer::Unknown(_) => None,
        });
        let Some((prop, trace)) = violated else { return Json::Null };
        let name = &self.program.props[prop].name;
        match testcase::write(args, &self.loaded, prop, trace, path) {
            Ok(test) => {
                test.notes.iter().for_each(|note| eprintln!("note: the test of {name}: {note}"));
                json!({ "property": name, "file": path.display().to_string(), "notes": test.notes })
            }
            Err(why) => {
                eprintln!("warning: no test of {name}: {why}");
                json!({ "property": name, "file": null, "reason": why })
            }
        }
    }

    fn status(&self) -> u8 {
        if self.not_written.is_some() {
            return BAD_INPUT;
        }
        let any = |finding: Finding| self.results.values().any(|p| self.finding(p) == finding);
        if any(Finding::Fault) {
            UNSAFE
        } else if self.failure.is_some() {
            INTERNAL
        } else if self.results.is_empty() || any(Finding::Unknown) {
            UNKNOWN
        } else {
            SAFE
        }
    }

    /// The last line.
    fn summary(&self) -> String {
        if self.results.is_empty() {
            return match &self.stopped {
                Some(limit) => format!("UNKNOWN({} while the input was read)", self.reason(limit)),
                None => "UNKNOWN(no property in the input)".to_string(),
            };
        }
        let name = |p: &Property| &self.program.props[p.prop].name;
        if let Some(p) = self.results.values().find(|p| self.finding(p) == Finding::Fault) {
            return format!("FALSE({})", name(p));
        }
        for p in self.results.values() {
            if let Answer::Unknown(reason) = &p.answer {
                return format!("UNKNOWN({})", self.reason(reason));
            }
        }
        "TRUE".to_string()
    }

    fn reason(&self, reason: &Reason) -> String {
        match reason {
            Reason::Time => "out of time".to_string(),
            Reason::Memory => "out of memory".to_string(),
            Reason::UnwindBound(n) => format!("runs go beyond the unwinding bound {n}"),
            Reason::Unsupported(o) => {
                // Those that the tool adds to a system on its way to the engines are not in the program as lowered.
                let o = self.program.obligations.get(*o);
                let words = o.map(|o| format!("unsupported: {} at {}", o.reason, self.place(o.origin)));
                words.unwrap_or_else(|| "unsupported: the system as a whole".to_string())
            }
            Reason::Solver(words) => words.clone(),
            Reason::Evidence(words) => format!("the evidence was refused: {words}"),
            Reason::NotForEngine(words) => format!("not for this engine: {words}"),
            Reason::Cancelled => "stopped".to_string(),
        }
    }

    fn place(&self, origin: Origin) -> String {
        self.program.describe_origin(origin)
    }
}

pub fn verdict_word(answer: &Answer) -> &'static str {
    match answer {
        Answer::Safe(_) => "SAFE",
        Answer::Unsafe(_) => "UNSAFE",
        Answer::Unknown(_) => "UNKNOWN",
    }
}
