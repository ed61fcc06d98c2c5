//! The lowering against the simulator, which share nothing but the chart: generated charts are run as interpreted IR, and
//! every step must be one that the simulator allows from a status that it can have there, with the same faults, states
//! entered, transitions fired and requirements violated.
//!
//! `SYNCLINE_CHART_COUNT` sets the number of charts (400), `SYNCLINE_SEED` the seed, `SYNCLINE_CHART_FIRST` the number
//! of the first, `SYNCLINE_CHART_STEPS` the steps of a run (100). A chart that fails is left as XML in the target
//! directory's `tmp`.

mod gen;

use gen::cover::Coverage;
use gen::rng::Rng;
use gen::Profile;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use syncline_ir::interp::{self, Boundary, Limits, Outcome, Prepared, SiteQueues};
use syncline_ir::{Const, Prop, Scalar, Site, Type};
use syncline_statechart::import;
use syncline_statechart::lower::{self, Check, Lowered, StepInputs, Subject};
use syncline_statechart::model::*;
use syncline_statechart::sim::requirements::Observer;
use syncline_statechart::sim::{Choice, Chooser, Fault, Guarded, Inputs, Simulator, Status, StepResult};

const COUNT: u64 = 400;

fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name}={text} is not a number")),
        Err(_) => default,
    }
}

/// What the environment does once, by chance.
fn random_inputs(chart: &Chart, rng: &mut Rng) -> Inputs {
    let mut inputs = Inputs::default();
    if let Time::Asynchronous { max_advance } = chart.time {
        inputs.advance = 1 + rng.below(max_advance as usize) as u32;
    }
    let eager = rng.pick(&[20, 50, 80]);
    inputs.events = chart.events.keys().filter(|&e| chart.events[e].input && rng.chance(eager)).collect();
    for (item, data) in chart.items.iter().filter(|(_, data)| data.input) {
        let (first, cells) = data.array.map_or((0, 1), |a| (a.first, a.cells));
        for n in 0..cells as i32 {
            let value = match data.ty {
                ItemType::Bool => Literal::Bool(rng.chance(50)),
                ItemType::Int { min, max } => Literal::Int(rng.range(min.into(), max.into()) as i32),
                ItemType::Enum(ty) => Literal::Int(rng.below(chart.enums[ty as usize].values.len()) as i32),
                ItemType::Real => Literal::Real(rng.range(-8, 8) as f64 / 4.0),
            };
            inputs.items.push((item, data.array.map(|_| first + n), value));
        }
    }
    inputs
}

fn for_lowering(inputs: &Inputs) -> StepInputs {
    let mut items: BTreeMap<Item, Vec<Literal>> = BTreeMap::new();
    for &(item, _, value) in &inputs.items {
        items.entry(item).or_default().push(value);
    }
    StepInputs { advance: inputs.advance, events: inputs.events.clone(), items }
}

/// What a run of the IR shows of one step.
struct Seen {
    status: lower::Status,
    /// Some process did something: the environment does not come in asynchronous time.
    fired: bool,
    hits: BTreeSet<Prop>,
}

/// Feeds and watches a run.
struct Run<'a> {
    chart: &'a Chart,
    lowered: &'a Lowered,
    choices: BTreeSet<Site>,
    queues: SiteQueues,
    rng: Rng,
    hits: BTreeSet<Prop>,
    seen: Vec<Seen>,
}

struct Feed<'r, 'a>(&'r RefCell<Run<'a>>);
struct Watch<'r, 'a>(&'r RefCell<Run<'a>>);

impl interp::Inputs for Feed<'_, '_> {
    fn next(&mut self, site: Site, ty: Type) -> Const {
        let run = &mut *self.0.borrow_mut();
        if let Some(&prop) = run.lowered.map.hits.get(&site) {
            run.hits.insert(prop);
        }
        match ty {
            Type::Scalar(Scalar::Bool) if run.choices.contains(&site) => Const::Bool(run.rng.chance(50)),
            Type::Scalar(Scalar::Bv(width)) if run.choices.contains(&site) => {
                Const::bv(width, u128::from(run.rng.next()))
            }
            _ => run.queues.next(site, ty),
        }
    }
}

impl interp::Observer for Watch<'_, '_> {
    fn boundary(&mut self, boundary: &Boundary) {
        let run = &mut *self.0.borrow_mut();
        let hits = std::mem::take(&mut run.hits);
        let status = run.lowered.status(run.chart, boundary);
        run.seen.push(Seen { status, fired: boundary.fired, hits });
    }
}

/// Runs the IR for so many steps; also how the run ended, and what was hit after the last boundary.
fn run(
    chart: &Chart,
    lowered: &Lowered,
    inputs: &[Inputs],
    seed: u64,
    steps: usize,
) -> (Vec<Seen>, Outcome, BTreeSet<Prop>) {
    let prepared = Prepared::new(&lowered.program);
    let mut fuel = 100_000;
    loop {
        let mut queues = SiteQueues::default();
        inputs.iter().for_each(|i| lowered.queue(chart, &for_lowering(i), &mut queues));
        let choices = lowered.map.choices.iter().copied().collect();
        let (hits, seen) = (BTreeSet::new(), Vec::new());
        let run = RefCell::new(Run { chart, lowered, choices, queues, rng: Rng::new(seed, 1), hits, seen });
        let limits = Limits { fuel, ..Limits::default() };
        let outcome = prepared.run(&mut Feed(&run), &mut Watch(&run), limits);
        let run = run.into_inner();
        if run.seen.len() >= steps || outcome != Outcome::OutOfFuel || fuel > 100_000_000 {
            return (run.seen, outcome, run.hits);
        }
        fuel *= 4;
    }
}

/// A question of the lowering.
type Asked = (Check, Subject, Option<Spot>);

/// What a step of the simulator means in the lowering's properties.
fn asked_by(chart: &Chart, result: &StepResult) -> BTreeSet<Asked> {
    let mut asked = BTreeSet::new();
    for fault in &result.faults {
        asked.insert(match fault {
            Fault::Conflict { scope, .. } => (Check::Conflict, Subject::State(*scope), None),
            Fault::Race { item, .. } => (Check::Race, Subject::Item(*item), None),
            Fault::Range { item, spot, .. } | Fault::Index { item, spot, .. } => {
                (Check::Range, Subject::Item(*item), Some(*spot))
            }
            Fault::Division { spot } => (Check::Range, Subject::Chart, Some(*spot)),
            Fault::EndlessLoop { .. } => continue,
        });
    }
    let below_root = |s: &State| chart.states[*s].parent.is_some();
    let entered = result.entered.iter().filter(|s| below_root(s));
    asked.extend(entered.map(|&s| (Check::Unreachable, Subject::State(s), None)));
    let asked_for = |s: &Segment| !matches!(chart.segments[*s].source, End::Default(_));
    let fired = result.fired.iter().flatten().filter(|s| asked_for(s));
    asked.extend(fired.map(|&s| (Check::Dead, Subject::Segment(s), None)));
    asked.extend(result.conditions.iter().map(|&(of, value)| (Check::Constant, condition_of(of, value), None)));
    asked
}

fn condition_of(of: Guarded, value: bool) -> Subject {
    match of {
        Guarded::Segment(segment) => Subject::SegmentCondition(segment, value),
        Guarded::Reaction(state, n) => Subject::ReactionCondition(state, n as u32, value),
    }
}

/// What was hit, without what has no counterpart in the simulator's results.
fn asked_of(lowered: &Lowered, hits: &BTreeSet<Prop>) -> BTreeSet<Asked> {
    let questions = hits.iter().filter_map(|prop| lowered.map.questions.get(prop));
    let compared = |check: &Check| !matches!(check, Check::Stability | Check::Requirement);
    questions.filter(|q| compared(&q.check)).map(|q| (q.check, q.subject, q.spot)).collect()
}

/// The requirements among what was hit.
fn requirements_of(lowered: &Lowered, hits: &BTreeSet<Prop>) -> BTreeSet<u32> {
    let number = |prop: &Prop| match lowered.map.questions.get(prop)?.subject {
        Subject::Requirement(n) => Some(n),
        _ => None,
    };
    hits.iter().filter_map(number).collect()
}

/// A status in which the simulator may be, with what has been violated so far.
#[derive(Clone, Debug, PartialEq)]
struct Candidate {
    status: Status,
    observer: Observer,
    violated: BTreeSet<u32>,
    /// Of step 0, which ends at no boundary.
    pending: BTreeSet<Asked>,
}

fn shows(chart: &Chart, seen: &lower::Status, status: &Status) -> bool {
    let cell = |item: Item, n: usize| chart.items[item].array.map(|a| a.first + n as i32);
    let same = |item: Item, n: usize, value: Literal| status.values.get(&(item, cell(item, n))) == Some(&value.into());
    seen.configuration == status.configuration
        && seen.events == status.events
        && seen.items.iter().all(|(&item, cells)| cells.iter().enumerate().all(|(n, &v)| same(item, n, v)))
}

/// What happened with one chart.
#[derive(Default)]
struct Case {
    steps: usize,
    unsupported: bool,
    coverage: Coverage,
    wrong: Option<String>,
}

struct Comparison<'a> {
    chart: &'a Chart,
    lowered: &'a Lowered,
    sim: Simulator<'a>,
    candidates: Vec<Candidate>,
}

impl Comparison<'_> {
    /// All that the simulator can do in a step: with the next status, and what it violates.
    fn outcomes(&self, inputs: Option<&Inputs>) -> Vec<(Candidate, Status, StepResult, BTreeSet<Asked>)> {
        let mut outcomes = Vec::new();
        for candidate in &self.candidates {
            let start = match inputs {
                Some(inputs) => self.sim.status_with_inputs(&candidate.status, inputs),
                None => candidate.status.clone(),
            };
            let mut observer = candidate.observer.clone();
            let kept = observer.observe(&self.sim, &start);
            let broken = (0..).zip(&kept).filter(|(_, kept)| !matches!(kept, Ok(true))).map(|(n, _)| n);
            let violated: BTreeSet<u32> = candidate.violated.iter().copied().chain(broken).collect();
            for result in self.sim.steps(&start) {
                let asked = &asked_by(self.chart, &result) | &candidate.pending;
                let next = Candidate {
                    status: result.next.clone(),
                    observer: observer.clone(),
                    violated: violated.clone(),
                    pending: BTreeSet::new(),
                };
                outcomes.push((next, start.clone(), result, asked));
            }
        }
        outcomes
    }

    /// The step that was seen is one of those; the candidates are the statuses behind it.
    fn step(
        &mut self,
        seen: &Seen,
        violated: &BTreeSet<u32>,
        inputs: Option<&Inputs>,
        coverage: &mut Coverage,
    ) -> Result<(), String> {
        let hits = asked_of(self.lowered, &seen.hits);
        let mut next: Vec<Candidate> = Vec::new();
        let mut words = String::new();
        for (candidate, start, result, asked) in self.outcomes(inputs) {
            if result.next.aborted || !shows(self.chart, &seen.status, &candidate.status) {
                words += &format!("\nfrom {start:?}\nthe simulator does {result:?}");
                continue;
            }
            if asked != hits || candidate.violated != *violated {
                words +=
                    &format!("\nasked {asked:?}, not {hits:?}; violated {:?}, not {violated:?}", candidate.violated);
                continue;
            }
            coverage.step(self.chart, &start, &result);
            if !next.contains(&candidate) {
                next.push(candidate);
            }
        }
        if next.is_empty() {
            return Err(format!("seen {:?}\ninputs {inputs:?}{words}", seen.status));
        }
        self.candidates = next;
        Ok(())
    }
}

fn case(seed: u64, index: u64, profile: Profile, steps: usize) -> Case {
    let chart = gen::chart(seed, index, profile);
    let mut case = Case::default();
    case.coverage.chart(&chart);
    let lowered = lower::lower(&chart, &lower::Options::default());
    if let Err(violations) = syncline_ir::verify::verify(&lowered.program) {
        case.wrong = Some(violations.iter().map(|v| v.to_string()).collect::<Vec<_>>().join("\n"));
        return case;
    }
    let mut rng = Rng::new(seed ^ 0x5eed, index);
    let inputs: Vec<Inputs> = (0..steps).map(|_| random_inputs(&chart, &mut rng)).collect();
    let (seen, outcome, last_hits) = run(&chart, &lowered, &inputs, seed ^ index, steps);
    case.wrong = compare(&chart, &lowered, &inputs, &seen[..seen.len().min(steps)], &mut case).err();
    if case.wrong.is_none() && seen.len() < steps {
        case.wrong = ended(&chart, &lowered, &inputs, &seen, outcome, &last_hits, &mut case).err();
    }
    priorities(&chart, &mut rng, &mut case.coverage);
    case
}

fn start<'a>(chart: &'a Chart, lowered: &'a Lowered, case: &mut Case) -> Comparison<'a> {
    let sim = Simulator::new(chart);
    let observer = Observer::new(chart);
    let starts = sim.starts();
    if starts.iter().any(|s| !s.next.events.is_empty() || !s.next.written.is_empty()) {
        case.coverage.hit("rule", "H0 step 0 acts");
    }
    let candidate = |start: StepResult| Candidate {
        pending: asked_by(chart, &start),
        status: start.next,
        observer: observer.clone(),
        violated: BTreeSet::new(),
    };
    let candidates = starts.into_iter().map(candidate).filter(|c| !c.status.aborted).collect();
    Comparison { chart, lowered, sim, candidates }
}

/// Goes through the boundaries; how far it came is in the case.
fn compare(chart: &Chart, lowered: &Lowered, inputs: &[Inputs], seen: &[Seen], case: &mut Case) -> Result<(), String> {
    let mut comparison = start(chart, lowered, case);
    let mut violated = BTreeSet::new();
    let (mut came, mut quiet, mut busy) = (0, true, 0);
    for (n, step) in seen.iter().enumerate() {
        violated.extend(requirements_of(lowered, &step.hits));
        let inputs = if quiet { inputs.get(came) } else { None };
        comparison
            .step(step, &violated, inputs, &mut case.coverage)
            .map_err(|words| format!("step {}: {words}", n + 1))?;
        case.steps += 1;
        came += usize::from(quiet);
        quiet = chart.time == Time::Synchronous || !step.fired;
        busy = if quiet { 0 } else { busy + 1 };
        match busy {
            2 => case.coverage.hit("rule", "M2 superstep of several steps"),
            40 => case.coverage.hit("rule", "M2 endless superstep"),
            _ => {}
        }
    }
    Ok(())
}

/// The run has ended before its time: the simulator must be able to end there too, for the same reason.
fn ended(
    chart: &Chart,
    lowered: &Lowered,
    inputs: &[Inputs],
    seen: &[Seen],
    outcome: Outcome,
    last_hits: &BTreeSet<Prop>,
    case: &mut Case,
) -> Result<(), String> {
    match outcome {
        Outcome::Stopped => {}
        Outcome::Unsupported(_) => {
            case.unsupported = true;
            return Ok(());
        }
        other => return Err(format!("the run of the IR ends after {} steps: {other:?}", seen.len())),
    }
    let hits = asked_of(lowered, last_hits);
    let mut comparison = start(chart, lowered, case);
    if seen.is_empty() {
        let starts = comparison.sim.starts();
        let may = starts.iter().any(|s| s.next.aborted && asked_by(chart, s) == hits);
        if may {
            case.coverage.hit("rule", "F1 step 0 ends the run");
            return Ok(());
        }
    }
    let (mut came, mut quiet) = (0, true);
    let mut violated = BTreeSet::new();
    for step in seen {
        violated.extend(requirements_of(lowered, &step.hits));
        let now = if quiet { inputs.get(came) } else { None };
        comparison.step(step, &violated, now, &mut Coverage::default())?;
        came += usize::from(quiet);
        quiet = chart.time == Time::Synchronous || !step.fired;
    }
    let now = if quiet { inputs.get(came) } else { None };
    let outcomes = comparison.outcomes(now);
    violated.extend(requirements_of(lowered, last_hits));
    let same = outcomes
        .iter()
        .find(|(candidate, _, result, asked)| result.next.aborted && *asked == hits && candidate.violated == violated);
    match same {
        Some((_, start, result, _)) => {
            case.coverage.step(chart, start, result);
            Ok(())
        }
        None => Err(format!("the IR ends after {} steps with {hits:?}, the simulator {outcomes:?}", seen.len())),
    }
}

struct ByChance<'r>(&'r mut Rng);

impl Chooser for ByChance<'_> {
    fn choose(&mut self, choice: Choice) -> usize {
        self.0.below(choice.count())
    }
}

/// A short run of the simulator alone, to see where priorities decide.
fn priorities(chart: &Chart, rng: &mut Rng, coverage: &mut Coverage) {
    let sim = Simulator::new(chart);
    let mut status = sim.start(&mut ByChance(rng)).next;
    let mut quiet = true;
    for _ in 0..12 {
        if status.aborted {
            return;
        }
        if quiet {
            let inputs = random_inputs(chart, rng);
            status = sim.status_with_inputs(&status, &inputs);
        }
        let result = sim.step(&status, &mut ByChance(rng));
        coverage.priority(chart, &status, &result);
        quiet = chart.time == Time::Synchronous || result.is_empty();
        status = result.next;
    }
}

/// What is written as XML, read, and written again is the same text.
#[test]
fn the_importer_reads_what_was_written() {
    let count = setting("SYNCLINE_CHART_COUNT", COUNT);
    let (seed, first) = (setting("SYNCLINE_SEED", 1), setting("SYNCLINE_CHART_FIRST", 0));
    for index in first..first + count {
        let text = gen::text::xml(&gen::chart(seed, index, profile(index)));
        let chart = match import::from_str(&text, &import::Options::default()) {
            Ok(chart) => chart,
            Err(errors) => panic!("chart {index}: {}", errors[0]),
        };
        let again = gen::text::xml(&chart);
        let (text, again) = (comparable(&text), comparable(&again));
        let differs = text.iter().zip(&again).find(|(a, b)| a != b);
        assert!(text == again, "chart {index}: {differs:?}");
    }
}

/// The lines without named actions (whose context variables begin as 0 wherever they are used, as the importer says), and
/// without the numbers of these.
fn comparable(text: &str) -> Vec<String> {
    let plain = |line: &str| {
        let mut parts = line.split("act_");
        let first = parts.next().unwrap_or("").to_string();
        parts.fold(first, |text, part| text + "act_" + part.trim_start_matches(|c: char| c.is_ascii_digit()))
    };
    text.lines().filter(|line| !line.trim_start().starts_with("<action")).map(plain).collect()
}

fn profile(index: u64) -> Profile {
    if index.is_multiple_of(4) {
        Profile::Small
    } else {
        Profile::Large
    }
}

#[test]
fn the_lowering_does_what_the_simulator_does() {
    let count = setting("SYNCLINE_CHART_COUNT", COUNT);
    let coverage = agree(count, profile);
    if count >= COUNT {
        assert!(coverage.zeros().is_empty(), "never used: {:?}", coverage.zeros());
    }
}

/// F1: all faults of the step with which a run ends, whatever the order in which they are met.
#[test]
fn the_lowering_ends_runs_as_the_simulator_does() {
    let count = setting("SYNCLINE_CHART_COUNT", COUNT);
    let coverage = agree(count, |_| Profile::Reckless);
    let several = coverage.count("rule", "F1 several faults end the run");
    assert!(several * 40 >= count, "{several} of {count} runs end with several faults");
}

fn agree(count: u64, profile: fn(u64) -> Profile) -> Coverage {
    let (seed, first) = (setting("SYNCLINE_SEED", 1), setting("SYNCLINE_CHART_FIRST", 0));
    let steps = setting("SYNCLINE_CHART_STEPS", 100) as usize;
    let mut coverage = Coverage::default();
    let (mut wrong, mut total, mut unsupported) = (Vec::new(), 0, 0);
    for index in first..first + count {
        let case = case(seed, index, profile(index), steps);
        coverage.merge(&case.coverage);
        total += case.steps;
        unsupported += usize::from(case.unsupported);
        if let Some(words) = case.wrong {
            let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("chart{index}.xml"));
            let _ = std::fs::write(&path, gen::text::xml(&gen::chart(seed, index, profile(index))));
            let words: String = words.chars().take(4_000).collect();
            wrong.push(format!("chart {index} ({}): {words}", path.display()));
        }
    }
    println!("{}\n{count} charts, {total} steps, {unsupported} not modelled to the end", coverage.report());
    assert!(wrong.is_empty(), "{} of {count} charts differ; the first: {}", wrong.len(), wrong[0]);
    assert!(unsupported as u64 * 10 <= count, "{unsupported} of {count} charts are not modelled to the end");
    coverage
}
