//! Whether properties hold only because no run comes to their code: assumptions exclude every run, or nothing leads there.
//!
//! Engines are asked about a program in which a run that comes to a property's code violates the property ([`probe`]). A run is
//! found at once where there is one, as a rule; a proof that there is none is checked like any other. What is not decided in
//! a small part of the time that the verdicts took is not reported.

use crate::answer::Answer;
use crate::args::CheckArgs;
use crate::check::{decide, Wants};
use crate::load::Loaded;
use crate::report::Report;
use crate::watch::Watch;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use syncline_ir::passes::probe::{probe, probe_assumptions};
use syncline_ir::{Program, Prop};

/// The part of the time so far that may be spent on this, at least, and at most.
const SHARE: u32 = 10;
const LEAST: Duration = Duration::from_secs(2);
const MOST: Duration = Duration::from_secs(5);
/// Assumptions that are looked at to find the one that excludes all runs.
const ASSUMPTIONS: usize = 40;

/// What the names of a project's requirements have in them.
const REQUIREMENT: &str = ".requirement.";

/// Looks at the properties that hold, and tells the report of those that no run comes to.
pub fn look(args: &CheckArgs, program: &Program, watch: &Watch, report: &mut Report) {
    let safe = report.safe();
    let limit = (watch.elapsed() / SHARE).clamp(LEAST, MOST);
    let deadline = (Instant::now() + limit).min(watch.deadline);
    // A chart has no assumptions, and each of its properties is looked at in every step.
    if args.no_vacuity || safe.is_empty() || report.chart().is_some() || deadline <= Instant::now() {
        return;
    }
    let start = Instant::now();
    let probed = probe(program, &safe);
    let mut vacuous = probed.absent;
    let open: Vec<Prop> = probed.asked;
    let unreached = unreached(args, probed.program, &open, watch, deadline);
    vacuous.extend(open.into_iter().filter(|p| unreached.contains(p)));
    if !vacuous.is_empty() {
        let blamed = excluding(args, program, watch, deadline);
        for prop in vacuous {
            let asks = program.props[prop].name.contains(REQUIREMENT);
            let words = if asks { "what it asks about never comes up" } else { "no run reaches it" };
            let words = match &blamed {
                Some(place) => format!("{words}; no run gets past the assumption at {place}"),
                None => words.to_string(),
            };
            report.add_vacuous(prop, words);
        }
    }
    report.looked(start.elapsed());
}

/// The properties that no run violates, as far as that is decided.
fn unreached(args: &CheckArgs, program: Program, props: &[Prop], watch: &Watch, deadline: Instant) -> Vec<Prop> {
    if props.is_empty() || deadline <= Instant::now() {
        return Vec::new();
    }
    let program = Arc::new(program);
    let loaded = Loaded { program: Arc::clone(&program), ..Loaded::default() };
    let mut report = Report::new(loaded, props);
    decide(args, &program, props, &watch.until(deadline), &mut report, Wants::Verdicts);
    report.safe()
}

/// The first assumption that runs come to and none gets past.
fn excluding(args: &CheckArgs, program: &Program, watch: &Watch, deadline: Instant) -> Option<String> {
    let (probed, assumptions) = probe_assumptions(program, ASSUMPTIONS);
    let props: Vec<Prop> = assumptions.iter().flat_map(|a| [a.before, a.behind]).collect();
    if props.is_empty() || deadline <= Instant::now() {
        return None;
    }
    let probed = Arc::new(probed);
    let loaded = Loaded { program: Arc::clone(&probed), ..Loaded::default() };
    let mut report = Report::new(loaded, &props);
    decide(args, &probed, &props, &watch.until(deadline), &mut report, Wants::Verdicts);
    let answers: BTreeMap<Prop, &Answer> = report.answers().collect();
    let blamed = assumptions.iter().find(|a| {
        matches!(answers.get(&a.before), Some(Answer::Unsafe(_)))
            && matches!(answers.get(&a.behind), Some(Answer::Safe(_)))
    });
    blamed.map(|a| program.describe_origin(a.origin))
}
