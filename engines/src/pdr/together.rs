//! Many properties with one set of frames.
//!
//! Frames hold what is true of the runs of a program, whatever is asked of it: the lemmas that block the bad states of one
//! property serve the others. A frame is cleared of the bad states of each property in turn; one that takes long is left
//! behind, and goes on at the next frame. Where frames grow, lemmas that are inductive together are taken out: they hold for
//! ever (frame ∞ of Bradley's IC3 with many properties), and what they prove is told at once, all properties in one
//! certificate. So a hard property does not keep the others waiting, and none is searched for twice.
//!
//! A bounded search has a share of the time, for violations that are far from the start.

use super::dive::Diving;
use super::frames::Frames;
use crate::bmc::Bmc;
use crate::companion::Alone;
use crate::cuts::{Cut, CutSystem};
use crate::houdini;
use crate::logic::Term;
use crate::relation::{beyond_bits, trace, Coding, Counting, End, Inputs, Outcome, Relation, Stop};
use crate::task::{Context, Reason, Stats, Task, Verdict};
use std::cell::OnceCell;
use std::time::{Duration, Instant};
use syncline_ir::{passes, Program, Prop};

/// The queries of a first dive, and of a property at the first frame it is at; twice as much each time it was not enough.
const DIVING: u64 = 300;
const CLEARING: u64 = 1000;
/// Those for facts of two literals.
const PAIRING: u64 = 3000;
/// After so many queries there are new solvers.
const RENEWING: u64 = 1500;
/// The bounded search begins after so long, and has one part in so many of the time.
const FIRST_SEARCH: Duration = Duration::from_secs(2);
const SEARCHING: u32 = 4;

/// How far the properties are followed.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub enum Effort {
    /// What facts about single cells and conditions prove; the rest is unknown.
    Facts,
    #[default]
    All,
}

/// Decides the task's properties; those with one proof together.
pub fn check_together(task: &Task, effort: Effort, context: &mut Context) {
    context.stats = Stats { engine: "pdr", ..Stats::default() };
    let built = CutSystem::new(task, &task.props, context.deadline).and_then(|system| match beyond_bits(&system) {
        None => Ok(system),
        Some(name) => Err(Reason::NotForEngine(format!("the state has more than bits: {name}"))),
    });
    let mut system = match built {
        Ok(system) => system,
        Err(reason) => {
            task.props.iter().for_each(|&p| context.found(p, Verdict::Unknown(reason.clone())));
            return;
        }
    };
    let mut facts = houdini::invariants(&mut system, context).kept;
    facts.extend(system.in_range());
    let Some(&first) = task.props.first() else { return };
    let relation = Relation::new(&mut system, first, &facts, &[], Coding::Binary, &*context.solver, context.deadline);
    let open = task.props.iter().map(|&prop| Open::new(prop)).collect();
    let mut search = Search { frames: Frames::new(relation), facts, open, renewed: 0 };
    let prepared = OnceCell::new();
    let mut beside = Beside { task, prepared: &prepared, bmc: None, since: Instant::now(), turn: FIRST_SEARCH };
    let end = match effort {
        Effort::Facts => search.by_facts(context).and(Err(Stop::Cancelled)),
        Effort::All => search.run(&mut beside, context),
    };
    context.stats.counts = search.frames.counts();
    context.stats.counts.push(("facts", search.facts.len() as u64));
    context.stats.solver = search.frames.relation.solver.stats();
    let reason = match end {
        Ok(()) => return,
        Err(Stop::Unknown(words)) => context.gave_up(words),
        Err(Stop::Cancelled | Stop::Decided | Stop::Spent) => context.must_stop().unwrap_or(Reason::Cancelled),
    };
    search.open.iter().for_each(|open| context.found(open.prop, Verdict::Unknown(reason.clone())));
}

/// A property that is not decided.
struct Open {
    prop: Prop,
    /// The queries it may take.
    clearing: u64,
    diving: u64,
    /// Not all its bad states are blocked at the last frame.
    behind: bool,
    dive: Diving,
}

impl Open {
    fn new(prop: Prop) -> Open {
        Open { prop, clearing: CLEARING, diving: DIVING, behind: false, dive: Diving::default() }
    }
}

struct Search<'s> {
    frames: Frames<'s>,
    /// What holds at the cuts.
    facts: Vec<(Cut, Term)>,
    open: Vec<Open>,
    /// How many queries the solvers before these answered.
    renewed: u64,
}

impl Search<'_> {
    fn run(&mut self, beside: &mut Beside, context: &mut Context) -> Outcome<()> {
        self.by_facts(context)?;
        self.pair_up(context)?;
        let mut since = 0;
        while !self.open.is_empty() {
            // Dives get as much as frames.
            let diving: u64 = self.open.iter().map(|open| open.diving).sum();
            if self.frames.relation.queries - since >= diving || since == 0 {
                self.dive(context)?;
                since = self.frames.relation.queries;
            }
            self.clear(context)?;
            beside.turn(&mut self.open, context)?;
            if self.open.iter().any(|open| !open.behind) {
                let fixed = self.frames.grow(&mut Alone, context)?;
                let more = self.frames.settle(fixed)?;
                if !more.is_empty() {
                    self.facts.extend(more);
                    self.prove(context)?;
                }
            }
        }
        Ok(())
    }

    /// What there is to say without a search.
    fn by_facts(&mut self, context: &mut Context) -> Outcome<()> {
        self.at_start(context)?;
        self.prove(context)
    }

    /// Violations before the first cut.
    fn at_start(&mut self, context: &mut Context) -> Outcome<()> {
        for prop in self.props() {
            self.frames.relation.ask(prop);
            if let Some(inputs) = self.frames.relation.bad_at_start()? {
                self.violated(prop, vec![inputs], context);
            }
        }
        Ok(())
    }

    /// Facts of two literals, as far as some queries go, and what they prove.
    fn pair_up(&mut self, context: &mut Context) -> Outcome<()> {
        let Some(first) = self.open.first() else { return Ok(()) };
        let system = &mut *self.frames.relation.system;
        let coding = Coding::Values;
        let mut relation =
            Relation::new(system, first.prop, &self.facts, &[], coding, &*context.solver, context.deadline);
        relation.most_queries = PAIRING;
        let facts = Counting::of_all_runs(relation, context)?;
        self.frames.assume(&facts);
        self.facts.extend(facts);
        self.prove(context)
    }

    fn props(&self) -> Vec<Prop> {
        self.open.iter().map(|open| open.prop).collect()
    }

    /// What other engines have decided is not looked for any more.
    fn hear(&mut self, context: &Context) {
        let mut props = self.props();
        context.news.keep_open(&mut props);
        self.open.retain(|open| props.contains(&open.prop));
    }

    /// Begins with new solvers if those have answered much.
    fn renew(&mut self, context: &Context) {
        let queries = self.frames.relation.queries;
        if queries - self.renewed >= RENEWING {
            self.renewed = queries;
            self.frames.renew(&self.facts, &*context.solver);
            self.open.iter().for_each(|open| open.dive.renew(&mut self.frames));
        }
    }

    /// Tries each property without frames.
    fn dive(&mut self, context: &mut Context) -> Outcome<()> {
        for n in self.props() {
            self.hear(context);
            let Some(open) = self.open.iter_mut().find(|open| open.prop == n) else { continue };
            let queries = open.diving;
            open.diving *= 2;
            self.renew(context);
            let Some(open) = self.open.iter_mut().find(|open| open.prop == n) else { continue };
            let mut dive = std::mem::take(&mut open.dive);
            self.frames.relation.ask(n);
            (context.progress)(&format!("pdr: dive, {} facts", self.facts.len()));
            let end = self.within(queries, |frames| frames.dive(&mut dive, context))?;
            if let Some(open) = self.open.iter_mut().find(|open| open.prop == n) {
                open.dive = dive;
            }
            match end {
                Some(End::Violated(inputs)) => self.violated(n, inputs, context),
                Some(End::Proved(lemmas)) => self.facts.extend(lemmas),
                None => {}
            }
        }
        self.prove(context)
    }

    /// Clears the last frame of the bad states of each property, as far as its queries go.
    fn clear(&mut self, context: &mut Context) -> Outcome<()> {
        for prop in self.props() {
            self.hear(context);
            let Some(open) = self.open.iter_mut().find(|open| open.prop == prop) else { continue };
            let queries = open.clearing;
            self.renew(context);
            self.frames.relation.ask(prop);
            let cleared = self.within(queries, |frames| frames.clear(&mut Alone, context))?;
            let Some(open) = self.open.iter_mut().find(|open| open.prop == prop) else { continue };
            open.behind = cleared.is_none();
            match cleared {
                Some(Some(End::Violated(inputs))) => self.violated(prop, inputs, context),
                Some(Some(End::Proved(_)) | None) => {}
                None => open.clearing *= 2,
            }
        }
        Ok(())
    }

    /// What comes of so many queries, if they suffice.
    fn within<T>(&mut self, queries: u64, work: impl FnOnce(&mut Frames) -> Outcome<T>) -> Outcome<Option<T>> {
        self.frames.relation.most_queries = self.frames.relation.queries + queries;
        let outcome = work(&mut self.frames);
        self.frames.relation.most_queries = u64::MAX;
        match outcome {
            Ok(done) => Ok(Some(done)),
            Err(Stop::Spent) => Ok(None),
            Err(stop) => Err(stop),
        }
    }

    fn violated(&mut self, prop: Prop, inputs: Vec<Inputs>, context: &mut Context) {
        self.open.retain(|open| open.prop != prop);
        let verdict = match trace(self.frames.relation.system, prop, &inputs) {
            (trace, true) => Verdict::Unsafe(trace),
            (_, false) => Verdict::Unknown(Reason::Solver("runs may reach something that is not modelled".into())),
        };
        context.found(prop, verdict);
    }

    /// Tells what the facts prove.
    fn prove(&mut self, context: &mut Context) -> Outcome<()> {
        self.hear(context);
        let proved = self.frames.relation.kept(self.props())?;
        if proved.is_empty() {
            return Ok(());
        }
        self.open.retain(|open| !proved.contains(&open.prop));
        let system = &mut *self.frames.relation.system;
        let needed = houdini::support(system, &proved, 0, &self.facts, context);
        context.proved(&proved, system.certificate(0, &needed));
        Ok(())
    }
}

/// The bounded search.
struct Beside<'p> {
    task: &'p Task<'p>,
    prepared: &'p OnceCell<Program>,
    bmc: Option<Bmc<'p>>,
    since: Instant,
    turn: Duration,
}

impl Beside<'_> {
    /// Lets it work if it is its turn.
    fn turn(&mut self, open: &mut Vec<Open>, context: &mut Context) -> Outcome<()> {
        if context.must_stop().is_some() {
            return Err(Stop::Cancelled);
        }
        if open.is_empty() || self.since.elapsed() < self.turn {
            return Ok(());
        }
        let props: Vec<Prop> = open.iter().map(|open| open.prop).collect();
        let prepared = self.prepared.get_or_init(|| {
            let mut program = self.task.program.clone();
            passes::prepare(&mut program, &props);
            program
        });
        let bmc = self.bmc.get_or_insert_with(|| Bmc::new(self.task, prepared, props.clone(), context));
        bmc.undecided.retain(|prop| props.contains(prop));
        let deadline = context.deadline;
        context.deadline = deadline.min(Instant::now() + self.turn / SEARCHING);
        bmc.run(context);
        context.deadline = deadline;
        open.retain(|open| bmc.undecided.contains(&open.prop));
        self.turn *= 2;
        self.since = Instant::now();
        Ok(())
    }
}
