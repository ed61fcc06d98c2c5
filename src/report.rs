//! What the user reads: a line a property, the reasons below it, the trace, and the verdict as the last line.

use crate::answer::{location, Account, Answer};
use crate::args::CheckArgs;
use crate::chart::follow::{self, Run};
use crate::chart::report::{Finding, Findings};
use crate::chart::Charted;
use crate::crew::Ran;
use crate::load::{source_line, Loaded};
use crate::outside;
use crate::reactive;
use crate::table::{self, Table};
use crate::testcase;
use crate::trace::{self, Change, Step, Steps};
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
/// Steps of a trace that are printed.
const PRINTED: usize = 60;

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
            let answer = Answer::Unknown(reason.clone());
            self.results.entry(prop).or_insert(Property { prop, answer, seconds, engine: None });
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

    fn print(&self, traces: &BTreeMap<Prop, Told>, runs: &BTreeMap<Prop, Run>, stats: bool) {
        if self.results.is_empty() && self.stopped.is_none() {
            say!("The input has no property: no assert, no __VERIFIER_error, no reach_error, and no --check.");
        }
        match self.findings() {
            Some(findings) => {
                let words = |p: &Property| match &p.answer {
                    Answer::Unknown(reason) => Some(self.reason(reason)),
                    Answer::Safe(_) | Answer::Unsafe(_) => None,
                };
                findings.print(words, runs);
            }
            None => self.print_results(traces),
        }
        let decided = self.results.values().any(|p| !matches!(p.answer, Answer::Unknown(_)));
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
            let word = verdict_word(&p.answer);
            let place = self.place(data.origin);
            say!("{:width$}  {word:7}  {:7.2} s  {place}  {}", data.name, p.seconds, data.description);
            if let Answer::Unknown(reason) = &p.answer {
                say!("    because: {}", self.reason(reason));
            }
            match traces.get(&p.prop) {
                Some(Told { table: Some(table), .. }) => table.print(),
                Some(Told { table: None, steps }) => self.print_trace(steps),
                None => {}
            }
        }
    }

    /// What ran, why, and what it did.
    fn print_stats(&self) {
        let width = self.ran.iter().map(|r| r.work.name().len()).max().unwrap_or(0);
        say!("engines:");
        for ran in &self.ran {
            let why = ran.unknown.as_ref().map(|r| format!("; {}", self.reason(r))).unwrap_or_default();
            say!(
                "    {:width$}  {:6.2} s to {:6.2} s  {}, decided {}{why}",
                ran.work.name(),
                ran.from,
                ran.to,
                ran.end.words(),
                ran.decided.len()
            );
            say!("    {:width$}  chosen: {}", "", ran.why);
        }
        self.ran.iter().filter_map(|r| r.account.as_ref()).for_each(print_account);
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
            .map(|(origin, text)| json!({ "location": location(&self.program, *origin), "text": text }))
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
            "statistics": self.main_account().map(account_json),
            "engines": self.ran.iter().map(|r| self.ran_json(r)).collect::<Vec<_>>(),
        })
    }

    /// What was done by the one that decided most.
    fn main_account(&self) -> Option<&Account> {
        let told = self.ran.iter().filter(|r| r.account.is_some());
        told.max_by_key(|r| r.decided.len()).and_then(|r| r.account.as_ref())
    }

    fn ran_json(&self, ran: &Ran) -> Json {
        json!({
            "engine": ran.work.name(),
            "chosen": ran.why,
            "from": ran.from,
            "to": ran.to,
            "end": ran.end.words(),
            "decided": ran.decided.iter().map(|&p| self.name(p)).collect::<Vec<_>>(),
            "reason": ran.unknown.as_ref().map(|r| self.reason(r)),
            "statistics": ran.account.as_ref().map(account_json),
        })
    }

    fn property_json(&self, p: &Property, told: Option<&Told>) -> Json {
        let data = &self.program.props[p.prop];
        let (reason, certificate) = match &p.answer {
            Answer::Unknown(reason) => (Some(self.reason(reason)), None),
            Answer::Unsafe(_) => (None, None),
            Answer::Safe(summary) => (None, Some(summary)),
        };
        json!({
            "name": data.name,
            "kind": data.kind.name(),
            "description": data.description,
            "location": location(&self.program, data.origin),
            "verdict": verdict_word(&p.answer),
            "engine": p.engine,
            "seconds": p.seconds,
            "reason": reason,
            "certificate": certificate,
            "trace": told.map(|told| trace_json(&told.steps)),
            "table": told.and_then(|told| told.table.as_ref()).map(Table::json),
        })
    }
}

fn verdict_word(answer: &Answer) -> &'static str {
    match answer {
        Answer::Safe(_) => "SAFE",
        Answer::Unsafe(_) => "UNSAFE",
        Answer::Unknown(_) => "UNKNOWN",
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

fn print_account(account: &Account) {
    say!("{}:", account.engine);
    for (name, count) in &account.counts {
        say!("    {count:>12}  {name}");
    }
    account.notes.iter().for_each(|note| say!("    {note}"));
    let Account { checks, sat, unsat, unknown, asserted, seconds, .. } = account;
    say!("    {checks:>12}  solver checks ({sat} sat, {unsat} unsat, {unknown} unknown)");
    say!("    {asserted:>12}  formulas asserted");
    say!("    {seconds:>12.3}  seconds in the solver");
}

fn account_json(account: &Account) -> Json {
    let counts: serde_json::Map<String, Json> = account.counts.iter().map(|(k, v)| (k.clone(), json!(v))).collect();
    json!({
        "engine": account.engine,
        "counts": counts,
        "notes": account.notes,
        "solver": {
            "checks": account.checks,
            "sat": account.sat,
            "unsat": account.unsat,
            "unknown": account.unknown,
            "asserted": account.asserted,
            "seconds": account.seconds,
        },
    })
}
