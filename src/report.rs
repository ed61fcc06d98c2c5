//! What the user reads: a line a property, the reasons below it, the trace, and the verdict as the last line.

use crate::args::CheckArgs;
use crate::chart::follow::{self, Run};
use crate::chart::report::{Finding, Findings};
use crate::chart::Charted;
use crate::load::{source_line, Loaded};
use crate::outside;
use crate::table::{self, Table};
use crate::testcase;
use crate::trace::{self, Change, Step, Steps};
use crate::{BAD_INPUT, INTERNAL};
use serde_json::{json, Value as Json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use syncline_engines::task::{Certificate, Reason, Stats, Verdict};
use syncline_ir::{Origin, OriginData, Program, Prop};

const SAFE: u8 = 0;
const UNSAFE: u8 = 10;
const UNKNOWN: u8 = 5;

/// How long the printing of a trace may take.
const TRACE_TIME: Duration = Duration::from_secs(20);
/// Steps of a trace that are printed.
const PRINTED: usize = 60;

pub struct Property {
    pub prop: Prop,
    pub verdict: Verdict,
    pub seconds: f64,
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
    pub stats: Option<Stats>,
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
            stats: None,
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
        match (self.findings(), &p.verdict) {
            (Some(findings), _) => findings.of(p.prop),
            (None, Verdict::Safe(_)) => Finding::Good,
            (None, Verdict::Unsafe(_)) => Finding::Fault,
            (None, Verdict::Unknown(_)) => Finding::Unknown,
        }
    }

    pub fn add(&mut self, property: Property) {
        self.results.entry(property.prop).or_insert(property);
    }

    /// The engine broke: everything undecided is unknown, and the exit status says so.
    pub fn give_up(&mut self, words: &str) {
        self.failure = Some(words.to_string());
    }

    /// A limit was met.
    pub fn stop(&mut self, reason: Reason) {
        self.stopped = Some(reason);
    }

    /// The certificate could not be written, for this reason.
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
            let verdict = Verdict::Unknown(reason.clone());
            self.results.entry(prop).or_insert(Property { prop, verdict, seconds });
        }
        let runs = match self.findings() {
            Some(findings) => findings.runs(Instant::now() + TRACE_TIME),
            None => BTreeMap::new(),
        };
        let traces: BTreeMap<Prop, Told> = self.traces(args);
        let to_stdout = args.json.as_deref().is_some_and(|p| p.as_os_str() == "-");
        if !to_stdout {
            self.print(&traces, &runs, args.stats);
        }
        let test = self.write_test(args);
        self.write_csv(args, &runs);
        let mut status = if self.not_written.is_some() { BAD_INPUT } else { self.status() };
        if let Some(path) = &args.json {
            let text = format!("{:#}\n", self.json(args, &traces, &runs, test, seconds, status));
            if to_stdout {
                say!("{}", text.trim_end());
            } else if let Err(e) = std::fs::write(path, text) {
                eprintln!("error: {}: {e}", path.display());
                status = BAD_INPUT;
            }
        }
        if !to_stdout {
            say!("{}", self.summary());
        }
        status
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
        let steps = |p: &Property| match &p.verdict {
            Verdict::Unsafe(t) => {
                let table = table::table(&self.program, t, deadline);
                let accesses = outside::first(&args.input, &self.program, t, deadline);
                Some((p.prop, Told { steps: trace::steps(&self.program, t, &accesses, deadline), table }))
            }
            Verdict::Safe(_) | Verdict::Unknown(_) => None,
        };
        self.results.values().filter_map(steps).collect()
    }

    /// Writes the test of the first violated property, and says on standard error what is to be known of it.
    fn write_test(&self, args: &CheckArgs) -> Json {
        let Some(path) = &args.test else { return Json::Null };
        let violated = self.results.values().find_map(|p| match &p.verdict {
            Verdict::Unsafe(trace) => Some((p.prop, trace)),
            Verdict::Safe(_) | Verdict::Unknown(_) => None,
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
            if let Verdict::Unknown(reason) = &p.verdict {
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

    fn print(&self, traces: &BTreeMap<Prop, Told>, runs: &BTreeMap<Prop, Run>, stats: bool) {
        if self.results.is_empty() && self.stopped.is_none() {
            say!("The input has no property: no assert, no __VERIFIER_error, no reach_error, and no --check.");
        }
        match self.findings() {
            Some(findings) => {
                let words = |p: &Property| match &p.verdict {
                    Verdict::Unknown(reason) => Some(self.reason(reason)),
                    Verdict::Safe(_) | Verdict::Unsafe(_) => None,
                };
                findings.print(words, runs);
            }
            None => self.print_results(traces),
        }
        let decided = self.results.values().any(|p| !matches!(p.verdict, Verdict::Unknown(_)));
        if decided && !self.program.assumptions.is_empty() {
            say!("The verdicts rest on:");
            for (origin, text) in &self.program.assumptions {
                say!("    {}: {text}", self.place(*origin));
            }
        }
        if stats {
            self.print_stats();
        }
    }

    fn print_results(&self, traces: &BTreeMap<Prop, Told>) {
        let width = self.results.keys().map(|&p| self.program.props[p].name.len()).max().unwrap_or(0);
        for p in self.results.values() {
            let data = &self.program.props[p.prop];
            let word = verdict_word(&p.verdict);
            let place = self.place(data.origin);
            say!("{:width$}  {word:7}  {:7.2} s  {place}  {}", data.name, p.seconds, data.description);
            if let Verdict::Unknown(reason) = &p.verdict {
                say!("    because: {}", self.reason(reason));
            }
            match traces.get(&p.prop) {
                Some(Told { table: Some(table), .. }) => table.print(),
                Some(Told { table: None, steps }) => self.print_trace(steps),
                None => {}
            }
        }
    }

    fn print_stats(&self) {
        let Some(stats) = &self.stats else { return };
        say!("{}:", stats.engine);
        for (name, count) in &stats.counts {
            say!("    {count:>12}  {name}");
        }
        let solver = &stats.solver;
        say!(
            "    {:>12}  solver checks ({} sat, {} unsat, {} unknown)",
            solver.checks,
            solver.sat,
            solver.unsat,
            solver.unknown
        );
        say!("    {:>12}  formulas asserted", solver.asserted);
        say!("    {:>12.3}  seconds in the solver", solver.check_time.as_secs_f64());
    }

    fn print_trace(&self, steps: &Steps) {
        if let Some(place) = &steps.outside {
            say!("    the first access outside of its object is at {place}");
        }
        let all: Vec<&Step> = steps.first.iter().chain(&steps.last).collect();
        let half = PRINTED / 2;
        if all.len() <= PRINTED {
            all.iter().for_each(|s| print_step(s));
            return;
        }
        all[..half].iter().for_each(|s| print_step(s));
        let omitted = (all.len() - PRINTED) as u64 + steps.omitted;
        say!("    ... {omitted} more steps ...");
        all[all.len() - half..].iter().for_each(|s| print_step(s));
    }

    fn json(
        &self,
        args: &CheckArgs,
        traces: &BTreeMap<Prop, Told>,
        runs: &BTreeMap<Prop, Run>,
        test: Json,
        seconds: f64,
        status: u8,
    ) -> Json {
        let property = |p: &Property| {
            let mut json = self.property_json(p, traces.get(&p.prop));
            if let Some(findings) = self.findings() {
                json["chart"] = findings.json(p.prop, runs.get(&p.prop));
            }
            json
        };
        let properties: Vec<Json> = self.results.values().map(property).collect();
        let assumptions: Vec<Json> = self
            .program
            .assumptions
            .iter()
            .map(|(origin, text)| json!({ "location": self.location(*origin), "text": text }))
            .collect();
        json!({
            "tool": "syncline",
            "version": env!("CARGO_PKG_VERSION"),
            "files": args.input.files.iter().map(|f| f.display().to_string()).collect::<Vec<_>>(),
            "data_model": if args.input.ilp32 { "ILP32" } else { "LP64" },
            "verdict": self.summary(),
            "exit_status": status,
            "seconds": seconds,
            "properties": properties,
            "assumptions": assumptions,
            "test": test,
            "statistics": self.stats.as_ref().map(stats_json),
        })
    }

    fn property_json(&self, p: &Property, told: Option<&Told>) -> Json {
        let data = &self.program.props[p.prop];
        let (reason, certificate) = match &p.verdict {
            Verdict::Unknown(reason) => (Some(self.reason(reason)), None),
            Verdict::Unsafe(_) => (None, None),
            Verdict::Safe(Certificate::Unwinding { bounds }) => {
                let bounds: Vec<Json> = bounds
                    .iter()
                    .map(|(k, n)| json!({ "function": k.proc, "location": self.location(k.header), "bound": n }))
                    .collect();
                (None, Some(json!({ "kind": "unwinding", "bounds": bounds })))
            }
            Verdict::Safe(Certificate::Inductive { k, annotations }) => {
                let formulas: usize = annotations.values().map(Vec::len).sum();
                let size = json!({ "kind": "inductive", "k": k, "headers": annotations.len(), "formulas": formulas });
                (None, Some(size))
            }
            Verdict::Safe(Certificate::SimplePath { k, annotations, cells }) => {
                let formulas: usize = annotations.values().map(Vec::len).sum();
                let cells: usize = cells.values().map(Vec::len).sum();
                let headers = annotations.len();
                let size =
                    json!({ "kind": "simple path", "k": k, "headers": headers, "formulas": formulas, "cells": cells });
                (None, Some(size))
            }
            Verdict::Safe(Certificate::Inlining { nodes, contracts }) => {
                let opened: usize = nodes.iter().map(|n| n.opened.len()).sum();
                let formulas: usize = contracts.values().map(|c| c.requires.len() + c.ensures.len()).sum();
                let size = json!({
                    "kind": "inlining", "nodes": nodes.len(), "opened": opened,
                    "contracts": contracts.len(), "formulas": formulas,
                });
                (None, Some(size))
            }
        };
        json!({
            "name": data.name,
            "kind": data.kind.name(),
            "description": data.description,
            "location": self.location(data.origin),
            "verdict": verdict_word(&p.verdict),
            "seconds": p.seconds,
            "reason": reason,
            "certificate": certificate,
            "trace": told.map(|told| trace_json(&told.steps)),
            "table": told.and_then(|told| told.table.as_ref()).map(Table::json),
        })
    }

    fn location(&self, origin: Origin) -> Json {
        match &self.program.origins[origin] {
            OriginData::None => Json::Null,
            OriginData::Source { file, line, column } => {
                json!({ "file": self.program.files[*file as usize], "line": line, "column": column })
            }
            OriginData::Element(path) => json!({ "element": path }),
        }
    }
}

fn verdict_word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Safe(_) => "SAFE",
        Verdict::Unsafe(_) => "UNSAFE",
        Verdict::Unknown(_) => "UNKNOWN",
    }
}

fn print_step(step: &Step) {
    let text = source_line(&step.file, step.line).unwrap_or_default();
    say!("    {}:{} in {}: {}", step.file, step.line, step.function, text.trim());
    let show = |c: &Change| format!("{} {} {}", c.name, if c.input { "gives" } else { "=" }, c.value);
    let changes: Vec<String> = step.changes.iter().map(show).collect();
    say!("        {}", changes.join(", "));
    if step.outside {
        say!("        outside of its object here: from now on such reads give any value");
    }
}

fn trace_json(steps: &Steps) -> Json {
    let step = |s: &Step| {
        let change = |c: &Change| json!({ "name": c.name, "value": c.value, "input": c.input });
        let changes: Vec<Json> = s.changes.iter().map(change).collect();
        json!({ "file": s.file, "line": s.line, "function": s.function, "changes": changes, "outside": s.outside })
    };
    json!({
        "first": steps.first.iter().map(step).collect::<Vec<_>>(),
        "outside": steps.outside,
        "omitted": steps.omitted,
        "last": steps.last.iter().map(step).collect::<Vec<_>>(),
    })
}

fn stats_json(stats: &Stats) -> Json {
    let counts: serde_json::Map<String, Json> = stats.counts.iter().map(|(k, v)| (k.to_string(), json!(v))).collect();
    json!({
        "engine": stats.engine,
        "counts": counts,
        "solver": {
            "checks": stats.solver.checks,
            "sat": stats.solver.sat,
            "unsat": stats.solver.unsat,
            "unknown": stats.solver.unknown,
            "asserted": stats.solver.asserted,
            "seconds": stats.solver.check_time.as_secs_f64(),
        },
    })
}
