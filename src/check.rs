//! `syncline check`: reads, decides, has every verdict confirmed, and reports.
//!
//! The engine runs on a thread of its own with a large stack. This thread keeps the limits, shows progress, and gives
//! the report even when the engine does not come back.

use crate::args::{CheckArgs, Engine, SolverName};
use crate::certificate::Directory;
use crate::load::{self, Wanted};
use crate::report::{Property, Report};
use crate::watch::{Limit, Watch};
use crate::{BAD_INPUT, USAGE};
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::Arc;
use std::time::{Duration, Instant};
use syncline_engines::evidence::Judge;
use syncline_engines::logic::{external, Backend};
use syncline_engines::task::{Context, Reason, Stats, Task, Verdict};
use syncline_engines::{bmc, evidence, explicit, kinduction, pdr};
use syncline_ir::passes::sequentialise::sequentialised;
use syncline_ir::{Program, Prop};

/// Address space for the engine's stack; pages count only once touched.
const STACK: usize = 1 << 30;

enum Message {
    Progress(String),
    Found(Prop, Verdict),
    /// The certificate could not be written.
    NotWritten(String),
    Done(Stats),
}

pub fn main(args: CheckArgs) -> u8 {
    let start = Instant::now();
    let wanted = match args.propertyfile.as_deref().map(read_property_file).transpose() {
        Ok(wanted) => wanted.unwrap_or_default(),
        Err(message) => {
            eprintln!("error: {message}");
            return BAD_INPUT;
        }
    };
    let Ok(time) = Duration::try_from_secs_f64(args.time) else {
        eprintln!("error: --time {} is not a number of seconds", args.time);
        return USAGE;
    };
    let loaded = match load::loaded(&args.input, &wanted) {
        Ok(loaded) => loaded,
        Err(errors) => {
            load::print_errors(&errors);
            return BAD_INPUT;
        }
    };
    let program = loaded.program.clone();
    let props = match select(&program, &args, &wanted) {
        Ok(props) => props,
        Err(message) => {
            eprintln!("error: {message}");
            return USAGE;
        }
    };
    let total = time.saturating_mul(props.len().max(1) as u32);
    let watch = Watch::new(start, total, args.memory.saturating_mul(1 << 20));
    let mut report = Report::new(loaded, &props);
    if !props.is_empty() {
        decide(&args, program, props, &watch, &mut report);
    }
    report.finish(&args, watch.elapsed())
}

fn read_property_file(path: &std::path::Path) -> Result<Wanted, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    load::property_file(&text).map_err(|e| format!("{}: {e}", path.display()))
}

/// The properties asked for.
fn select(program: &Program, args: &CheckArgs, wanted: &Wanted) -> Result<Vec<Prop>, String> {
    use syncline_ir::PropKind;
    let mut props: Vec<Prop> = program.props.keys().collect();
    if wanted.error_functions.is_some() {
        let kinds = |kind| kind == PropKind::Reach || wanted.checks.contains(&kind);
        props.retain(|&p| kinds(program.props[p].kind));
    }
    if !args.property.is_empty() {
        for name in &args.property {
            if !props.iter().any(|&p| program.props[p].name == *name) {
                let known: Vec<&str> = props.iter().take(20).map(|&p| program.props[p].name.as_str()).collect();
                return Err(format!("there is no property {name}; there are: {}", known.join(", ")));
            }
        }
        props.retain(|&p| args.property.contains(&program.props[p].name));
    }
    Ok(props)
}

/// Runs the engine and takes in what it finds, to its end or to the first limit.
fn decide(args: &CheckArgs, program: Arc<Program>, props: Vec<Prop>, watch: &Watch, report: &mut Report) {
    let (sender, receiver) = mpsc::channel();
    let backend = backend(args);
    let certificate = args.certificate.clone().map(Directory::new);
    let deadline = watch.deadline;
    let job = Job { engine: args.engine, backend, unwind: args.unwind, program, props, deadline, certificate };
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(move || job.run(&sender));
    if let Err(e) = worker {
        report.give_up(&format!("no thread for the engine: {e}"));
        return;
    }
    let bar = progress_bar();
    loop {
        match receiver.recv_timeout(Duration::from_millis(40)) {
            Ok(Message::Progress(text)) => bar.set_message(text),
            Ok(Message::Found(prop, verdict)) => {
                let seconds = watch.elapsed().as_secs_f64();
                bar.suspend(|| report.add(Property { prop, verdict, seconds }));
            }
            Ok(Message::NotWritten(words)) => bar.suspend(|| report.not_written(words)),
            Ok(Message::Done(stats)) => {
                report.stats = Some(stats);
                break;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                report.give_up("the engine failed");
                break;
            }
        }
        bar.tick();
        if let Some(limit) = watch.met() {
            report.stop(match limit {
                Limit::Time => Reason::Time,
                Limit::Memory => Reason::Memory,
            });
            break;
        }
    }
    bar.finish_and_clear();
}

fn progress_bar() -> ProgressBar {
    // Hidden by itself when standard error is no terminal.
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
        bar.set_style(style);
    }
    bar
}

/// The solver asked for. One that is a process of its own gets as much memory as this one.
fn backend(args: &CheckArgs) -> Backend {
    match &args.solver {
        SolverName::Mixed => Backend::Mixed,
        SolverName::Cadical => Backend::Cadical,
        SolverName::Z3 => Backend::Z3,
        SolverName::External(line) => {
            let memory = Some(args.memory.saturating_mul(1 << 20));
            Backend::External(external::Command { line: line.clone(), memory })
        }
    }
}

struct Job {
    engine: Engine,
    backend: Backend,
    unwind: Option<u32>,
    program: Arc<Program>,
    props: Vec<Prop>,
    deadline: Instant,
    certificate: Option<Directory>,
}

impl Job {
    fn run(mut self, sender: &Sender<Message>) {
        // A synchronous system is decided as a sequential program; its runs are runs of the system.
        let whole = &*self.program;
        let sequential = sequentialised(whole);
        let program = &*sequential;
        let certificate = &mut self.certificate;
        let found = |prop, verdict| {
            let subject = if matches!(verdict, Verdict::Unsafe(_)) { whole } else { program };
            let (verdict, failure) = confirm(subject, prop, verdict, self.deadline, certificate.as_mut());
            if let Some(words) = failure {
                let _ = sender.send(Message::NotWritten(words));
            }
            // Nobody listens any more: the limits were met, and the process is about to end.
            let _ = sender.send(Message::Found(prop, verdict));
        };
        let mut context = Context::new(self.deadline, found);
        context.unwind = self.unwind;
        context.solver = Box::new(|| self.backend.solver());
        context.progress = Box::new(|text| drop(sender.send(Message::Progress(text.to_string()))));
        let task = Task { program, props: self.props.clone() };
        match self.engine {
            Engine::Bmc => bmc::check(&task, &mut context),
            Engine::Kinduction => kinduction::check(&task, &mut context),
            Engine::Pdr => pdr::check(&task, &mut context),
            Engine::Explicit => explicit::check(&task, &mut context),
        }
        let stats = std::mem::take(&mut context.stats);
        drop(context);
        let _ = sender.send(Message::Done(stats));
    }
}

/// The verdict if its evidence holds, with the queries written if they are wanted; what went wrong with that.
fn confirm(
    program: &Program,
    prop: Prop,
    verdict: Verdict,
    deadline: Instant,
    certificate: Option<&mut Directory>,
) -> (Verdict, Option<String>) {
    let Some(directory) = certificate else {
        return (evidence::confirm(program, prop, verdict, deadline), None);
    };
    let mut judge = Judge::keeping(deadline);
    let verdict = evidence::judge(program, prop, verdict, &mut judge);
    let failure = match &verdict {
        Verdict::Safe(_) => directory.add(&program.props[prop].name, &judge.into_answered()).err(),
        Verdict::Unsafe(_) | Verdict::Unknown(_) => None,
    };
    (verdict, failure)
}
