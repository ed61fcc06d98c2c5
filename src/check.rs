//! `syncline check`: reads, decides, and reports.
//!
//! Engines are processes of their own ([`crate::crew`]); each verdict is confirmed where it was found. This process keeps the
//! limits, shows progress, and gives the report even when an engine does not come back.

use crate::args::{CheckArgs, EngineName, InlineRefine, InlineStrategy, LawiEdges, SolverName};
use crate::certificate::Directory;
use crate::chart::Charted;
use crate::crew::{Crew, Planned, Work};
use crate::job::{Help, Job};
use crate::load::{self, Loaded, Wanted};
use crate::outbox::Heard;
use crate::project;
use crate::report::{reports, Report};
use crate::vacuity;
use crate::watch::Watch;
use crate::{BAD_INPUT, INTERNAL, USAGE};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use syncline_engines::logic::{external, Backend};
use syncline_engines::pdr::Effort;
use syncline_engines::portfolio::{self, Choice, Engine, Kind, Start};
use syncline_engines::{inline, kinduction, lawi};
use syncline_ir::passes::sequentialise::interleaved;
use syncline_ir::{Program, Prop};

pub fn main(args: CheckArgs) -> u8 {
    match project::named(&args.input.files) {
        Some(path) => project::check::main(&args, &path),
        None if args.input.files.is_empty() => {
            eprintln!("error: no FILE is given, and there is no {} here (`syncline init` writes one)", project::NAME);
            USAGE
        }
        None => project::cache::check(args, &[]),
    }
}

/// Decides the properties of one program.
pub fn program(args: CheckArgs) -> u8 {
    let start = Instant::now();
    let wanted = match args.propertyfile.as_deref().map(read_property_file).transpose() {
        Ok(wanted) => wanted.unwrap_or_default(),
        Err(message) => {
            eprintln!("error: {message}");
            return BAD_INPUT;
        }
    };
    if let Err(message) = reports::check(&args.reports) {
        eprintln!("error: {message}");
        return USAGE;
    }
    let Ok(time) = Duration::try_from_secs_f64(args.time()) else {
        eprintln!("error: --time {} is not a number of seconds", args.time());
        return USAGE;
    };
    let memory = args.memory();
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
    report.words = args.stats || reports::wanted(&args.reports);
    if !props.is_empty() {
        decide(&args, &program, &props, &watch, &mut report, Wants::Evidence);
        vacuity::look(&args, &program, &watch, &mut report);
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
    Some(Loaded { program: Arc::new(program), chart: None, ..loaded })
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

/// What is wanted of the engines.
#[derive(Copy, Clone, PartialEq, Eq)]
pub enum Wants {
    Verdicts,
    /// Also what the options want to have written.
    Evidence,
}

/// Has the engines that are asked for, or that fit, decide the properties.
pub fn decide(
    args: &CheckArgs,
    program: &Arc<Program>,
    props: &[Prop],
    watch: &Watch,
    report: &mut Report,
    wants: Wants,
) {
    let chart = report.chart();
    let certificate = args.certificate.clone().filter(|_| wants == Wants::Evidence);
    let witness = args.reports.witness.is_some() && wants == Wants::Evidence;
    let job = |planned: &Planned| Job {
        engine: match planned.work {
            Work::Engine(engine) => Some(engine),
            Work::Sample | Work::Stability => None,
        },
        kinduction: kinduction::Config { simple_path: args.simple_path },
        lawi: lawi_config(args),
        inline: inline_config(args),
        backend: backend(args),
        unwind: args.unwind,
        program: Arc::clone(program),
        props: planned.props.clone(),
        violated: Vec::new(),
        deadline: watch.deadline,
        certificates: certificate.is_some(),
        witness: witness.then_some(if args.input.ilp32 { 32 } else { 64 }),
        chart: chart.clone(),
        search: None,
        effort: Effort::default(),
        help: Help {
            accelerate: !args.no_accelerate,
            invariants: !args.no_invariants,
            guesses: !args.no_guesses,
            eager: args.eager,
        },
        beside: false,
        heard: Heard::new(),
    };
    let stages = plan(args, program, props, chart.as_deref());
    let directory = certificate.clone().map(Directory::new);
    Crew::new(props, directory, watch, report).run(stages, job);
}

/// Which processes there will be. Of a chart random runs come first, and beside them the proofs of what no run should do.
fn plan(args: &CheckArgs, program: &Program, props: &[Prop], chart: Option<&Charted>) -> Vec<Vec<Planned>> {
    let planned = |work, props: &[Prop], why| Planned { work, props: props.to_vec(), start: Start::AT_ONCE, why };
    let sample = planned(Work::Sample, props, "most questions about charts are about what some run does");
    let one = match engine(args) {
        Some(engine) => Some(planned(Work::Engine(engine), props, "asked for")),
        None if args.unwind.is_some() => Some(planned(Work::Engine(Engine::Bmc), props, "a bound is asked for")),
        None => None,
    };
    if let Some(one) = one {
        return match chart.is_some() && args.unwind.is_none() && !args.no_guesses {
            true => vec![vec![sample], vec![one]],
            false => vec![vec![one]],
        };
    }
    let stability = program.system.as_ref().and_then(|s| s.stability).map(|s| s.prop);
    let (ends, others): (Vec<Prop>, Vec<Prop>) = props.iter().partition(|&&p| Some(p) == stability);
    let kind = match &program.system {
        Some(_) if chart.is_some() => Kind::Chart,
        Some(_) => Kind::Synchronous,
        None => Kind::Sequential,
    };
    let each = |c: Choice| Planned { start: c.start, ..planned(Work::Engine(c.engine), &others, c.why) };
    let mut stage: Vec<Planned> = portfolio::choose(program, kind).into_iter().map(each).collect();
    stage.push(planned(Work::Stability, &ends, "it needs a bound on steps, or a lasso"));
    let mut stages = Vec::new();
    if let Some(charted) = chart {
        let is_fault = |prop: &Prop| charted.question(*prop).is_some_and(|q| !q.check.wants_violation());
        stages.push(if args.no_guesses { Vec::new() } else { vec![sample] });
        for planned in stage.iter_mut().filter(|p| p.work == Work::Engine(Engine::Together)) {
            let (faults, rest) = others.iter().partition(|&p| is_fault(p));
            stages[0].push(Planned { props: faults, ..planned.clone() });
            planned.props = rest;
        }
    }
    stage.retain(|p| !p.props.is_empty());
    stage.sort_by_key(|p| p.start.after);
    stages.push(stage);
    stages
}

/// The one engine asked for.
fn engine(args: &CheckArgs) -> Option<Engine> {
    match args.engine? {
        EngineName::Auto => None,
        EngineName::Bmc => Some(Engine::Bmc),
        EngineName::Kinduction => Some(Engine::Kinduction),
        EngineName::Pdr => Some(Engine::Pdr),
        EngineName::Together => Some(Engine::Together),
        EngineName::Explicit => Some(Engine::Explicit),
        EngineName::Lawi => Some(Engine::Lawi),
        EngineName::Inline => Some(Engine::Inline),
    }
}

/// The solver asked for. One that is a process of its own gets as much memory as this one.
fn backend(args: &CheckArgs) -> Backend {
    match &args.solver {
        SolverName::Mixed => Backend::Mixed,
        SolverName::Cadical => Backend::Cadical,
        SolverName::Z3 => Backend::Z3,
        SolverName::External(line) => {
            let memory = Some(args.memory());
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
        InlineStrategy::Opt => inline::Strategy::Opt,
    };
    let refinement = match args.inline_refine {
        InlineRefine::None => None,
        InlineRefine::Hierarchical => Some(inline::Refinement::Hierarchical),
        InlineRefine::Vc => Some(inline::Refinement::Conditions),
        InlineRefine::Linear => Some(inline::Refinement::Linear),
    };
    inline::Config { strategy, contracts: !args.inline_bare, refinement }
}

fn lawi_config(args: &CheckArgs) -> lawi::Config {
    let edges = match args.lawi_edges {
        LawiEdges::Blocks => lawi::Edges::Blocks,
        LawiEdges::Turns => lawi::Edges::Turns,
        LawiEdges::Statements => lawi::Edges::Statements,
    };
    lawi::Config { edges, vectors: args.lawi_vectors, bare: args.lawi_bare }
}
