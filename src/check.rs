//! `syncline check`: reads, decides, has every verdict confirmed, and reports.
//!
//! The engine runs on a thread of its own with a large stack. This thread keeps the limits, shows progress, and gives
//! the report even when the engine does not come back.

use crate::args::{CheckArgs, InlineStrategy, LawiEdges, SolverName};
use crate::certificate::Directory;
use crate::job::{Job, Message};
use crate::load::{self, Loaded, Wanted};
use crate::report::{Property, Report};
use crate::watch::{Watch, LOOK};
use crate::{BAD_INPUT, INTERNAL, USAGE};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeSet;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::Arc;
use std::time::{Duration, Instant};
use syncline_engines::logic::{external, Backend};
use syncline_engines::{inline, kinduction, lawi};
use syncline_ir::passes::sequentialise::interleaved;
use syncline_ir::{Program, Prop};

/// Address space for the engine's stack; pages count only once touched.
const STACK: usize = 1 << 30;

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
    let memory = args.memory.saturating_mul(1 << 20);
    let (input, asked) = (args.input.clone(), wanted.clone());
    let loaded = match Watch::new(start, time, memory).within(move || load::loaded(&input, &asked)) {
        Ok(Some(loaded)) => loaded,
        Ok(None) => return INTERNAL,
        Err(limit) => {
            let mut report = Report::new(Loaded::default(), &[]);
            report.stop(limit.reason());
            return report.finish(&args, start.elapsed());
        }
    };
    let loaded = match loaded {
        Ok(loaded) if args.interleaving => match interleaving(loaded) {
            Some(loaded) => loaded,
            None => {
                eprintln!("error: --interleaving is for systems without blocking variables, and not for --check race");
                return USAGE;
            }
        },
        Ok(loaded) => loaded,
        Err(errors) => {
            load::print_errors(&errors);
            return BAD_INPUT;
        }
    };
    let program = loaded.program.clone();
    let props = match select(&loaded, &args, &wanted) {
        Ok(props) => props,
        Err(message) => {
            eprintln!("error: {message}");
            return USAGE;
        }
    };
    let total = time.saturating_mul(shares(&loaded, &props));
    let watch = Watch::new(start, total, memory);
    let mut report = Report::new(loaded, &props);
    if !props.is_empty() {
        decide(&args, program, props, &watch, &mut report);
    }
    report.finish(&args, watch.elapsed())
}

/// How often the time for one property is given: a chart has too many of them, and gets it for each kind of check.
fn shares(loaded: &Loaded, props: &[Prop]) -> u32 {
    let count = match &loaded.chart {
        None => props.len(),
        Some(charted) => {
            let checks = props.iter().filter_map(|&p| charted.question(p)).map(|q| q.check);
            checks.collect::<BTreeSet<_>>().len()
        }
    };
    count.max(1) as u32
}

/// The system with its turns in any order, in the place of the system.
fn interleaving(loaded: Loaded) -> Option<Loaded> {
    let mut program = interleaved(&loaded.program)?.program;
    let origin = program.no_origin();
    let text = "turns come in any order and the last writer wins: this is not the meaning of the system";
    program.assumptions.push((origin, text.to_string()));
    Some(Loaded { program: Arc::new(program), map: loaded.map, chart: None })
}

fn read_property_file(path: &std::path::Path) -> Result<Wanted, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    load::property_file(&text).map_err(|e| format!("{}: {e}", path.display()))
}

/// The properties asked for.
fn select(loaded: &Loaded, args: &CheckArgs, wanted: &Wanted) -> Result<Vec<Prop>, String> {
    use syncline_ir::PropKind;
    let program = &loaded.program;
    let mut props: Vec<Prop> = program.props.keys().collect();
    if let Some(charted) = &loaded.chart {
        props.retain(|&p| charted.wanted(p));
    }
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
    let (engine, unwind, lawi, inline) = (args.engine, args.unwind, lawi_config(args), inline_config(args));
    let kinduction = kinduction::Config { simple_path: args.simple_path };
    let chart = report.chart();
    let job = Job {
        engine,
        kinduction,
        lawi,
        inline,
        backend,
        unwind,
        program,
        props,
        deadline,
        certificate,
        chart,
        search: None,
    };
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(move || job.run(&sender));
    if let Err(e) = worker {
        report.give_up(&format!("no thread for the engine: {e}"));
        return;
    }
    let bar = progress_bar();
    loop {
        match receiver.recv_timeout(LOOK) {
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
            report.stop(limit.reason());
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

fn inline_config(args: &CheckArgs) -> inline::Config {
    let strategy = match args.inline_strategy {
        InlineStrategy::Tree => inline::Strategy::Tree,
        InlineStrategy::First => inline::Strategy::First,
        InlineStrategy::Maxc => inline::Strategy::MaxC,
        InlineStrategy::Randompick => inline::Strategy::RandomPick,
    };
    inline::Config { strategy, contracts: !args.inline_bare }
}

fn lawi_config(args: &CheckArgs) -> lawi::Config {
    let edges = match args.lawi_edges {
        LawiEdges::Blocks => lawi::Edges::Blocks,
        LawiEdges::Turns => lawi::Edges::Turns,
        LawiEdges::Statements => lawi::Edges::Statements,
    };
    lawi::Config { edges, vectors: args.lawi_vectors, bare: args.lawi_bare }
}
