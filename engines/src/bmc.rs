//! Bounded model checking, complete where loops end: unwinds the program as long as runs can go on.
//!
//! A round asks the solver two things about the unwinding so far (see [`crate::vc`]): does a run violate a property,
//! and which holes does a run reach? The first is an answer; holes that no run reaches stay closed; the reached ones
//! are unwound further. When none is reached, the unwinding holds every run, and what is not violated is safe.
//! Each reached hole is unwound by one iteration (or call) a round, by more while rounds are cheap.
//!
//! Where constants decide the property, its certificate is these constants at the loop headers, since loops may have no
//! bounds; otherwise it is the bounds.
//!
//! Before the first formula come concrete runs on guessed inputs ([`crate::sample`]), and each round has one of its models
//! gone on from concretely, unless a bound is asked for.
//!
//! One solver serves all rounds and properties; targets and bounds are assumptions. Limits: a loop without end that
//! stays reachable is never proved, however trivially it is safe; those are for the proof engines.

use crate::accelerate::Accelerated;
use crate::cuts::CutSystem;
use crate::logic::{Answer, Limits, ModelView, Solver, Term};
use crate::sample::{self, Sampler};
use crate::search::{Programs, Search};
use crate::task::{Certificate, Context, Reason, Stats, Task, Trace, Verdict};
use crate::vc::range::RangeRule;
use crate::vc::{Constraint, HoleId, Options, Target, TargetKind, Unrolling};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::time::{Duration, Instant};
use syncline_ir::interp::Outcome;
use syncline_ir::{InstData, Proc, Procedure, Program, Prop};

/// Instructions that constant-decided loops may take beyond the bound, in the first round and more in each.
const EAGER: u64 = 300_000;
/// Rounds shorter than this let the unwinding grow faster.
const CHEAP_ROUND: Duration = Duration::from_millis(30);
/// The most iterations a hole is unwound by in one round.
const MAX_STEP: u32 = 64;

/// Instructions of a run with accelerated loops that are tried before it is told.
const REPLAYED: u64 = 2_000_000;

/// What the concrete runs from a model may take: as long as the round did, within these.
const SHORT_RUN: Duration = Duration::from_millis(10);
const LONG_RUN: Duration = Duration::from_millis(300);

/// Decides the task's properties, one call of `context.found` each.
pub fn check(task: &Task, context: &mut Context) {
    let mut undecided = task.props.clone();
    if context.unwind.is_none() {
        sample::search(task, &mut undecided, context);
    }
    if undecided.is_empty() {
        return;
    }
    let programs = Programs::new(task, &undecided);
    if let Some(certificate) = folded(task, &programs.plain, &undecided, context) {
        undecided.iter().for_each(|&p| context.found(p, Verdict::Safe(certificate.clone())));
        return;
    }
    let mut bmc = Search::new(task, &programs, undecided, context);
    let reason = bmc.run(context);
    bmc.report(context);
    for prop in std::mem::take(&mut bmc.undecided) {
        context.found(prop, Verdict::Unknown(reason.clone()));
    }
}

/// When constants alone decide that nothing is violated, loops need no unwinding, and may have no bounds: the
/// certificate is what the constants are at the loop headers.
fn folded(task: &Task, prepared: &Program, props: &[Prop], context: &Context) -> Option<Certificate> {
    let asks = |data: &InstData| matches!(data, InstData::Assert { .. } | InstData::Unsupported { .. });
    let listed = |p: &Procedure| p.layout.iter().any(|&b| p.blocks[b].insts.iter().any(|&i| asks(&p.insts[i].data)));
    if prepared.procs.values().any(listed) {
        return None;
    }
    let system = CutSystem::new(task, props, context.deadline).ok()?;
    let mut segments = std::iter::once(&system.init).chain(system.segments.values());
    let none = segments.all(|s| s.violations.is_empty() && s.unsupported.is_empty());
    none.then(|| system.certificate(0, &[]))
}

/// The search, which can be left and taken up again.
pub(crate) struct Bmc<'p> {
    unrolling: Unrolling<'p>,
    solver: Box<dyn Solver>,
    pub undecided: Vec<Prop>,
    /// Goes on from models, on the program as lowered.
    sampler: Sampler<'p>,
    /// The program as lowered, and what its rewritten form has to do with it, if that is what is unwound.
    source: &'p Program,
    accelerated: Option<&'p Accelerated>,
    /// When all the time is over: long runs are replayed beyond a turn.
    end: Instant,
    rounds: u64,
    step: u32,
}

type Step<T> = Result<T, Reason>;

impl<'p> Bmc<'p> {
    /// The program is prepared for these properties.
    pub fn new(task: &Task<'p>, program: &'p Program, undecided: Vec<Prop>, context: &Context) -> Bmc<'p> {
        Bmc::with(task, program, FxHashMap::default(), undecided, context)
    }

    fn with(
        task: &Task<'p>,
        program: &'p Program,
        range_writes: FxHashMap<Proc, Rc<RangeRule>>,
        undecided: Vec<Prop>,
        context: &Context,
    ) -> Bmc<'p> {
        let options = Options { eager: EAGER, deadline: Some(context.deadline) };
        let mut unrolling = Unrolling::new(program, options);
        unrolling.range_writes = range_writes;
        if let Some(entry) = program.entry {
            unrolling.start(entry);
        }
        let (sampler, source) = (Sampler::new(task.program), task.program);
        let solver = (context.solver)();
        Bmc {
            unrolling,
            solver,
            undecided,
            sampler,
            source,
            accelerated: None,
            end: context.deadline,
            rounds: 0,
            step: 1,
        }
    }

    /// Unwinds the program with accelerators in its place.
    pub fn accelerated(
        task: &Task<'p>,
        accelerated: &'p Accelerated,
        undecided: Vec<Prop>,
        end: Instant,
        context: &Context,
    ) -> Bmc<'p> {
        let bmc = Bmc::with(task, &accelerated.prepared, accelerated.range_writes(), undecided, context);
        Bmc { accelerated: Some(accelerated), end, ..bmc }
    }

    /// Runs until everything is decided; the reason is why what is left is not. After [`Reason::Time`] it can be
    /// run again.
    pub fn run(&mut self, context: &mut Context) -> Reason {
        if self.unrolling.instances == 0 {
            return Reason::Solver("the program has no entry".into());
        }
        loop {
            match self.round(context) {
                Ok(false) => {}
                Ok(true) => return Reason::Cancelled,
                Err(reason) => return reason,
            }
        }
    }

    /// One round; true when nothing is left to do.
    fn round(&mut self, context: &mut Context) -> Step<bool> {
        let start = Instant::now();
        self.rounds += 1;
        context.news.keep_open(&mut self.undecided);
        if self.undecided.is_empty() {
            return Ok(true);
        }
        self.assert_new();
        self.stop_if_due(context)?;
        (context.progress)(&format!("bmc: depth {}, {} block instances", self.depth(), self.unrolling.instances));
        while let Some(target) = self.find_target(context)? {
            self.violated(target, context)?;
        }
        if self.undecided.is_empty() {
            return Ok(true);
        }
        let (reached, going_on) = self.reached_holes(context)?;
        if reached.is_empty() {
            self.exhausted(context)?;
            return Ok(true);
        }
        let going_on = match self.accelerated {
            Some(accelerated) => going_on.and_then(|t| accelerated.expand(&t, false, context.deadline)),
            None => going_on,
        };
        if let Some(trace) = going_on.filter(|_| context.unwind.is_none()) {
            let most = start.elapsed().clamp(SHORT_RUN, LONG_RUN);
            self.sampler.go_on(&trace, most, &mut self.undecided, context);
            let undecided = &self.undecided;
            self.unrolling.targets.retain(|t| !matches!(t.kind, TargetKind::Violation(p) if !undecided.contains(&p)));
        }
        if self.undecided.is_empty() {
            return Ok(true);
        }
        self.step = if start.elapsed() < CHEAP_ROUND { (self.step * 2).min(MAX_STEP) } else { 1 };
        self.grow(&reached, context)?;
        Ok(false)
    }

    fn grow(&mut self, holes: &[HoleId], context: &Context) -> Step<()> {
        let lowest = holes.iter().map(|&h| self.unrolling.level(h)).min().unwrap_or(0);
        let limit = context.unwind.unwrap_or(u32::MAX);
        if lowest >= limit {
            return Err(Reason::UnwindBound(limit));
        }
        self.unrolling.options.eager = self.unrolling.instructions + EAGER;
        for &hole in holes {
            let left = limit.saturating_sub(self.unrolling.level(hole));
            if left == 0 {
                continue;
            }
            self.unrolling.expand(hole, self.step.min(left));
            self.stop_if_due(context)?;
        }
        Ok(())
    }

    /// The deepest unwinding of any loop or recursion.
    fn depth(&self) -> u32 {
        self.unrolling.depths.values().copied().max().unwrap_or(0)
    }

    fn stop_if_due(&self, context: &Context) -> Step<()> {
        match context.must_stop() {
            Some(reason) => Err(reason),
            None if self.unrolling.incomplete => Err(Reason::Time),
            None => Ok(()),
        }
    }

    fn assert_new(&mut self) {
        for constraint in self.unrolling.take_constraints() {
            let store = &mut self.unrolling.store;
            match constraint {
                Constraint::Formula(formula) => self.solver.assert(store, formula),
                Constraint::ArrayEq { guard, array, value } => self.solver.assert_array_eq(store, guard, array, value),
                Constraint::Cells { array, index, value } => self.solver.assert_cells(store, array, index, value),
            }
        }
    }

    /// Every hole closed: the runs within the unwinding.
    fn within(&mut self) -> Vec<Term> {
        let open: Vec<Term> = self.unrolling.holes().into_iter().map(|h| self.unrolling.hole(h).open).collect();
        open.into_iter().map(|open| self.unrolling.store.not(open)).collect()
    }

    fn solve(&mut self, wanted: Term, context: &Context) -> Step<bool> {
        if wanted == self.unrolling.store.ff() {
            return Ok(false);
        }
        let mut assumptions = self.within();
        assumptions.push(wanted);
        let limits = Limits { deadline: Some(context.deadline) };
        match self.solver.check(&mut self.unrolling.store, &assumptions, &limits) {
            Answer::Sat => Ok(true),
            Answer::Unsat => Ok(false),
            Answer::Unknown(words) => Err(context.gave_up(words)),
        }
    }

    /// A violation of an undecided property by a run within the unwinding.
    fn find_target(&mut self, context: &Context) -> Step<Option<Target>> {
        let undecided = &self.undecided;
        let wanted = |t: &Target| matches!(t.kind, TargetKind::Violation(p) if undecided.contains(&p));
        let targets: Vec<Target> = self.unrolling.targets.iter().filter(|t| wanted(t)).copied().collect();
        let any = self.unrolling.store.or_all(targets.iter().map(|t| t.reached));
        if !self.solve(any, context)? {
            self.forget_closed();
            return Ok(None);
        }
        let mut model = ModelView::new(&mut *self.solver);
        let hit = targets.into_iter().find(|t| model.is_true(&self.unrolling.store, t.reached));
        hit.map(Some).ok_or_else(|| Reason::Solver("the model shows no violation".into()))
    }

    /// Violations that no further unwinding can bring about need not be asked for again.
    fn forget_closed(&mut self) {
        let undecided = &self.undecided;
        let done = |t: &Target| !t.open && matches!(t.kind, TargetKind::Violation(p) if undecided.contains(&p));
        let closed: Vec<Term> = self.unrolling.targets.iter().filter(|t| done(t)).map(|t| t.reached).collect();
        self.unrolling.targets.retain(|t| !done(t));
        for reached in closed {
            let never = self.unrolling.store.not(reached);
            self.solver.assert(&mut self.unrolling.store, never);
        }
    }

    fn violated(&mut self, target: Target, context: &mut Context) -> Step<()> {
        let TargetKind::Violation(prop) = target.kind else { return Ok(()) };
        let mut trace = self.trace();
        if let Some(accelerated) = self.accelerated {
            trace = self.expanded(accelerated, &trace, prop, context)?;
        }
        self.undecided.retain(|&p| p != prop);
        self.unrolling.targets.retain(|t| t.kind != target.kind);
        context.found(prop, Verdict::Unsafe(trace));
        Ok(())
    }

    /// The run of the program as lowered, which violates the same property.
    fn expanded(&self, accelerated: &Accelerated, trace: &Trace, prop: Prop, context: &Context) -> Step<Trace> {
        let gone = |words: &str| context.must_stop().unwrap_or(Reason::Solver(words.into()));
        let trace = accelerated.expand(trace, true, self.end);
        let trace = trace.ok_or_else(|| gone("a run has more inputs than can be written down"))?;
        match sample::replay(self.source, &trace, REPLAYED, self.end) {
            Outcome::Violated(p) if p == prop => Ok(trace),
            // The evidence check runs all of it.
            Outcome::OutOfFuel if context.must_stop().is_none() => Ok(trace),
            _ => Err(gone("a run with accelerated loops is none of the program")),
        }
    }

    /// The inputs of the run in the model.
    fn trace(&mut self) -> Trace {
        let mut trace = Trace::default();
        let mut model = ModelView::new(&mut *self.solver);
        for event in self.unrolling.events() {
            if model.is_true(&self.unrolling.store, event.guard) {
                let value = model.value_of(&self.unrolling.store, event.value);
                trace.inputs.entry(event.site).or_default().push(value);
            }
        }
        trace
    }

    /// The holes that runs within the unwinding reach, and the inputs of a run that reaches one.
    fn reached_holes(&mut self, context: &Context) -> Step<(Vec<HoleId>, Option<Trace>)> {
        let mut going_on = None;
        let mut rest: Vec<(HoleId, Term)> = Vec::new();
        let mut reached = Vec::new();
        for hole in self.unrolling.holes() {
            let reach = self.unrolling.reach(hole);
            match self.unrolling.store.as_bool(reach) {
                Some(true) => reached.push(hole),
                Some(false) => {}
                None => rest.push((hole, reach)),
            }
        }
        while !rest.is_empty() {
            let any = self.unrolling.store.or_all(rest.iter().map(|&(_, reach)| reach));
            if !self.solve(any, context)? {
                break;
            }
            let mut model = ModelView::new(&mut *self.solver);
            let before = rest.len();
            rest.retain(|&(hole, reach)| {
                let hit = model.is_true(&self.unrolling.store, reach);
                if hit {
                    reached.push(hole);
                }
                !hit
            });
            if rest.len() == before {
                return Err(Reason::Solver("the model shows no hole".into()));
            }
            if going_on.is_none() {
                going_on = Some(self.trace());
            }
        }
        reached.sort_unstable();
        Ok((reached, going_on))
    }

    /// The unwinding holds every run: what is undecided is safe, unless a run leaves the modelled part.
    fn exhausted(&mut self, context: &mut Context) -> Step<()> {
        let unsupported: Vec<Target> =
            self.unrolling.targets.iter().filter(|t| matches!(t.kind, TargetKind::Unsupported(_))).copied().collect();
        let any = self.unrolling.store.or_all(unsupported.iter().map(|t| t.reached));
        if self.solve(any, context)? {
            let mut model = ModelView::new(&mut *self.solver);
            let hit = unsupported.iter().find(|t| model.is_true(&self.unrolling.store, t.reached));
            let reason = match hit.map(|t| t.kind) {
                Some(TargetKind::Unsupported(o)) => Reason::Unsupported(o),
                _ => Reason::Solver("the model shows no obligation".into()),
            };
            return Err(reason);
        }
        let bounds = self.unrolling.depths.iter().map(|(k, &d)| (k.clone(), d));
        let certificate = match self.accelerated {
            None => Certificate::Unwinding { bounds: bounds.collect() },
            Some(accelerated) => Certificate::Accelerated {
                accelerations: accelerated.certificate(),
                bounds: accelerated.bounds(bounds),
            },
        };
        for prop in std::mem::take(&mut self.undecided) {
            context.found(prop, Verdict::Safe(certificate.clone()));
        }
        Ok(())
    }

    /// What the search of the program with accelerators did, beside that of the other.
    pub fn report_accelerated(&self, context: &mut Context) {
        context.stats.counts.extend([
            ("accelerated rounds", self.rounds),
            ("accelerated depth", u64::from(self.depth())),
            ("accelerated block instances", self.unrolling.instances),
        ]);
        context.stats.solver = context.stats.solver + self.solver.stats();
    }

    pub fn report(&self, context: &mut Context) {
        context.stats = Stats {
            engine: "bmc",
            counts: vec![
                ("rounds", self.rounds),
                ("depth", self.depth() as u64),
                ("block instances", self.unrolling.instances),
                ("instructions", self.unrolling.instructions),
                ("terms", self.unrolling.store.len() as u64),
            ],
            notes: Vec::new(),
            solver: self.solver.stats(),
        };
    }
}
