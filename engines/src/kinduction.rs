//! k-induction on the cut-point system, with bounded model checking as its search for violations.
//!
//! * **Step**: from any cut in any state that satisfies the invariants, no run violates the property in its segment
//!   number k, having come through the segments before it (a violated assert ends a run, so coming through is
//!   what the induction hypothesis says). k counts visits of cut points, so several and nested loops need no care.
//! * **Base**: no run violates the property before its cut number k + 1. It is asked once the step holds.
//! * **Invariants**: the constants of the system, facts of the abstract interpretation, and what [`crate::houdini`] keeps of
//!   candidates from the program's own conditions.
//! * **Simple path** (an option): the step may take the states at the last k + 1 cuts to be pairwise different, after
//!   Sheeran, Singh and Stålmarck, *Checking safety properties using induction and a SAT-solver* (2000). A violating run
//!   with the fewest cuts repeats no state, since the cells of a cut determine what follows; that they do is asked again
//!   by the evidence check. With it some k suffices for every property that holds of a finite state; without it
//!   a loop among states that no run comes to defeats every k.
//!
//! In a large program calls are open at first ([`crate::cuts::Source`]). If the step fails, but not without them, those on the run
//! that it fails on are put in place, and so are those on a violation from the start. Then the induction begins anew.
//!
//! The step grows one layer at a time in one solver. Questions that are too hard for a share of the time come again after the
//! others, with the k they had. In between, the bounded search ([`crate::bmc`]) gets twice the time
//! of the steps: it finds violations, and proves programs whose loops end.

use crate::annotation::{Location, Original};
use crate::bmc;
use crate::companion::LONGEST_TURN;
use crate::cuts::{CutSystem, Source, Start, Unfolding};
use crate::houdini::{self, Houdini};
use crate::logic::{Answer, Limits, ModelView, Solver, Term};
use crate::sample;
use crate::search::{Programs, Search};
use crate::task::{Certificate, Context, Reason, Stats, Task, Trace, Verdict};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};
use syncline_ir::inline::calls::CallPath;
use syncline_ir::Prop;

/// The first turn of each of the two searches; turns get longer as time goes on.
const FIRST_TURN: Duration = Duration::from_millis(300);
/// The bounded search's share of a turn, the step having one.
const SEARCH_SHARE: u32 = 2;

/// What a question about one property may take, at least, where others wait.
const SHARE: Duration = Duration::from_millis(20);
/// Properties that are told together, and from how many on that is worth another question.
const TOGETHER: usize = 32;
const MANY: usize = 8;

/// How the step is asked.
#[derive(Copy, Clone, Default, Debug)]
pub struct Config {
    /// Of runs that repeat no state. The constraints grow with the square of k (default: not).
    pub simple_path: bool,
}

/// Decides the task's properties, one call of `context.found` each.
pub fn check(task: &Task, context: &mut Context) {
    check_with(task, Config::default(), context);
}

/// Decides the task's properties, one call of `context.found` each.
pub fn check_with(task: &Task, config: Config, context: &mut Context) {
    if context.unwind.is_some() {
        // Runs beyond the bound are not asked about, and induction is about all runs.
        return bmc::check(task, context);
    }
    let mut undecided = task.props.clone();
    sample::search_for(FIRST_TURN / 3, task, &mut undecided, context);
    if undecided.is_empty() {
        return;
    }
    let programs = Programs::new(task, &undecided);
    let mut bmc = Search::new(task, &programs, undecided.clone(), context);
    // Of a state that differs in what an open call leaves nothing is known.
    let mut source = match config.simple_path {
        true => Source::whole(task, &undecided),
        false => Source::new(task, &undecided, context),
    };
    let mut induction = Induction::new(&source, config, &undecided, context);
    let deadline = context.deadline;
    let mut turn = FIRST_TURN;
    let mut began = Instant::now();
    let reason = loop {
        if let Ok(induction) = &mut induction {
            if turn > FIRST_TURN {
                induction.strengthen(context);
            }
            context.news.keep_open(&mut bmc.undecided);
            let until = (Instant::now() + turn).min(deadline);
            induction.run(&mut bmc.undecided, until, context);
        }
        let wanted = induction.as_mut().map(|induction| std::mem::take(&mut induction.wanted)).unwrap_or_default();
        if !bmc.undecided.is_empty() && source.open(wanted) {
            induction = Induction::new(&source, config, &bmc.undecided, context);
            if Instant::now() < began + turn {
                continue;
            }
        }
        if turn == FIRST_TURN && !bmc.undecided.is_empty() {
            sample::search(task, &mut bmc.undecided, context);
        }
        if bmc.undecided.is_empty() {
            break Reason::Cancelled;
        }
        context.deadline = match induction {
            Ok(_) => (Instant::now() + turn * SEARCH_SHARE).min(deadline),
            Err(_) => deadline,
        };
        let reason = bmc.run(context);
        context.deadline = deadline;
        if bmc.undecided.is_empty() || reason != Reason::Time || context.must_stop().is_some() {
            break reason;
        }
        turn = (turn * 2).min(LONGEST_TURN);
        began = Instant::now();
    };
    bmc.report(context);
    if let Ok(induction) = &induction {
        induction.report(context);
    }
    for prop in std::mem::take(&mut bmc.undecided) {
        context.found(prop, Verdict::Unknown(reason.clone()));
    }
}

struct Induction {
    system: CutSystem,
    /// Runs from anywhere, and their solver.
    unfolding: Unfolding,
    solver: Box<dyn Solver>,
    /// The same without invariants.
    bare: Box<dyn Solver>,
    /// Runs from the start, and theirs.
    base: Unfolding,
    base_solver: Box<dyn Solver>,
    houdini: Houdini,
    /// The state of each cut in the names of a certificate, if states are told apart.
    distinct: Option<BTreeMap<Location, Vec<Original>>>,
    /// Properties to ask about, with the k of the question; those it was too hard for; those that need a larger k.
    queue: VecDeque<(Prop, u32)>,
    hard: Vec<(Prop, u32)>,
    open: Vec<Prop>,
    /// Properties whose step holds with this k.
    holds: Vec<(Prop, u32)>,
    /// Open calls without which the step would hold, or which a violation comes to.
    wanted: BTreeSet<CallPath>,
    k: u32,
}

type Outcome<T> = Result<T, Reason>;

impl Induction {
    fn new(source: &Source, config: Config, props: &[Prop], context: &mut Context) -> Outcome<Induction> {
        (context.progress)("kinduction: cut points");
        let mut system = CutSystem::of(source, |_| Vec::new(), context.deadline)?;
        let houdini = houdini::invariants(&mut system, context);
        let distinct = system.state_names().filter(|_| config.simple_path);
        let mut unfolding = Unfolding::new(&mut system, Start::Anywhere);
        let base = Unfolding::new(&mut system, Start::Init);
        unfolding.extend(&mut system);
        let mut induction = Induction {
            system,
            unfolding,
            solver: (context.solver)(),
            bare: (context.solver)(),
            base,
            base_solver: (context.solver)(),
            houdini,
            distinct,
            queue: props.iter().map(|&prop| (prop, 0)).collect(),
            hard: Vec::new(),
            open: Vec::new(),
            holds: Vec::new(),
            wanted: BTreeSet::new(),
            k: 0,
        };
        induction.assume_invariants(0);
        Ok(induction)
    }

    /// Runs at a layer satisfy the invariants.
    fn assume_invariants(&mut self, layer: usize) {
        for (cut, at) in self.unfolding.layers[layer].at.clone() {
            let here: Vec<Term> = self.houdini.kept.iter().filter(|(c, _)| *c == cut).map(|&(_, t)| t).collect();
            for term in here {
                let term = self.unfolding.at_layer(&mut self.system, layer, term);
                let formula = self.system.store.implies(at, term);
                self.solver.assert(&mut self.system.store, formula);
            }
        }
    }

    /// The state of a layer is none of those before it.
    fn assume_distinct(&mut self, layer: usize) {
        if self.distinct.is_some() {
            for formula in self.unfolding.differs(&mut self.system, layer) {
                self.solver.assert(&mut self.system.store, formula);
            }
        }
    }

    /// Looks for more invariants, which count from the first layer on.
    fn strengthen(&mut self, context: &mut Context) {
        let heard = self.houdini.try_news(&mut self.system, context);
        if self.houdini.try_products(&mut self.system, context) || heard {
            (0..=self.k as usize).for_each(|layer| self.assume_invariants(layer));
        }
    }

    /// Steps until the time is over; what is decided leaves the list.
    fn run(&mut self, undecided: &mut Vec<Prop>, until: Instant, context: &mut Context) {
        while !undecided.is_empty() && Instant::now() < until {
            (context.progress)(&format!("kinduction: k = {}", self.k));
            self.steps(undecided, until);
            self.bases(undecided, until, context);
            if !self.wanted.is_empty() {
                return;
            }
            if !self.queue.is_empty() {
                return;
            }
            if !self.open.is_empty() {
                if self.unfolding.layers[self.unfolding.layers.len() - 1].at.is_empty() {
                    return;
                }
                self.unfolding.extend(&mut self.system);
                self.k += 1;
                self.assume_invariants(self.k as usize);
                self.assume_distinct(self.k as usize);
                self.queue.extend(self.open.drain(..).map(|prop| (prop, self.k)));
            }
            self.queue.extend(self.hard.drain(..));
            if self.queue.is_empty() {
                return;
            }
        }
    }

    /// Asks for each property of the queue whether a run that came so far violates it next. One that is too hard for its share
    /// of the time does not keep the others waiting.
    fn steps(&mut self, undecided: &[Prop], until: Instant) {
        while let Some((prop, k)) = self.queue.pop_front() {
            if !undecided.contains(&prop) || self.holds.iter().any(|&(p, _)| p == prop) {
                continue;
            }
            let now = Instant::now();
            if now >= until {
                self.queue.push_front((prop, k));
                return;
            }
            let share = ((until - now) / (self.queue.len() as u32 + 1)).max(SHARE);
            let step = self.unfolding.steps[k as usize + 1].clone();
            let bad = step.bad(&mut self.system.store, prop);
            match solve(&mut *self.solver, &mut self.system, bad, until.min(now + share)) {
                Ok(false) => self.holds.push((prop, k)),
                Ok(true) => match self.calls_that_matter(k, bad, until) {
                    calls if calls.is_empty() => self.open.push(prop),
                    calls => self.wanted.extend(calls),
                },
                Err(_) => self.hard.push((prop, k)),
            }
        }
    }

    /// The open calls that the run in the model of the step comes to, if none violates the property without open calls. Any other
    /// run asks for a larger k, whatever calls do.
    fn calls_that_matter(&mut self, k: u32, bad: Term, until: Instant) -> BTreeSet<CallPath> {
        let open = &self.system.inlined.open;
        let inputs = self.unfolding.steps[..=k as usize + 1].iter().flat_map(|step| &step.inputs);
        let calls: Vec<(Term, &CallPath)> = inputs.filter_map(|i| Some((i.guard, open.get(&i.site)?))).collect();
        let store = &self.system.store;
        let mut model = ModelView::new(&mut *self.solver);
        let come_to = calls.iter().filter(|&&(guard, _)| model.is_true(store, guard));
        let come_to: BTreeSet<CallPath> = come_to.map(|&(_, path)| path.clone()).collect();
        if come_to.is_empty() {
            return come_to;
        }
        let guards: BTreeSet<Term> = calls.iter().map(|&(guard, _)| guard).collect();
        let without = guards.into_iter().map(|guard| self.system.store.not(guard));
        let mut asked: Vec<Term> = without.collect();
        asked.push(bad);
        match self.solver.check(&mut self.system.store, &asked, &Limits::until(until)) {
            Answer::Sat => BTreeSet::new(),
            Answer::Unsat | Answer::Unknown(_) => come_to,
        }
    }

    /// The base of what the step holds for. Of many properties, those that need no invariants are told together: that is one check
    /// of the evidence, and none of an invariant that only some of them need.
    fn bases(&mut self, undecided: &mut Vec<Prop>, until: Instant, context: &mut Context) {
        let mut together = Vec::new();
        let many = undecided.len() > MANY;
        for (prop, k) in self.holds.clone() {
            if !undecided.contains(&prop) {
                continue;
            }
            let Ok(violated) = self.base(prop, k, until) else { continue };
            let found = violated.then(|| self.counterexample(prop));
            let calls = found.as_ref().map(|(trace, _)| self.system.open_calls(trace)).unwrap_or_default();
            if !calls.is_empty() {
                self.wanted.extend(calls);
                continue;
            }
            let verdict = match found {
                None if many && k == 0 && self.holds_bare(prop) => {
                    together.push(prop);
                    continue;
                }
                None => Verdict::Safe(self.certificate(prop, k, context)),
                Some((trace, true)) => Verdict::Unsafe(trace),
                // Something unsupported comes first: the bounded search says so with its place.
                Some((_, false)) => continue,
            };
            undecided.retain(|&p| p != prop);
            context.found(prop, verdict);
        }
        for props in together.chunks(TOGETHER) {
            undecided.retain(|p| !props.contains(p));
            context.proved(props, self.system.certificate(0, &[]));
        }
    }

    /// No segment violates the property, wherever it starts.
    fn holds_bare(&mut self, prop: Prop) -> bool {
        let bad = self.unfolding.steps[1].clone().bad(&mut self.system.store, prop);
        matches!(solve(&mut *self.bare, &mut self.system, bad, Instant::now() + SHARE), Ok(false))
    }

    /// Whether a run of at most k steps from the start violates the property.
    fn base(&mut self, prop: Prop, k: u32, until: Instant) -> Outcome<bool> {
        while self.base.steps.len() <= k as usize {
            self.base.extend(&mut self.system);
        }
        let mut all = Vec::new();
        for step in &self.base.steps[..=k as usize] {
            all.push(step.bad(&mut self.system.store, prop));
        }
        let any = self.system.store.or_all(all);
        solve(&mut *self.base_solver, &mut self.system, any, until.max(Instant::now() + SHARE))
    }

    fn certificate(&mut self, prop: Prop, k: u32, context: &Context) -> Certificate {
        let (system, kept) = (&mut self.system, &self.houdini.kept);
        match &self.distinct {
            // One state is different from none.
            Some(cells) if k > 0 => {
                let needed = houdini::support_on_simple_paths(system, prop, k, kept, context);
                Certificate::SimplePath { k, annotations: system.annotations(&needed), cells: cells.clone() }
            }
            Some(_) | None => {
                let needed = houdini::support(system, &[prop], k, kept, context);
                system.certificate(k, &needed)
            }
        }
    }

    /// The inputs of the run in the model of the base, and whether it violates the property.
    fn counterexample(&mut self, prop: Prop) -> (Trace, bool) {
        let store = &self.system.store;
        let mut model = ModelView::new(&mut *self.base_solver);
        let mut violations = self.base.steps.iter().flat_map(|s| &s.violations);
        let violates = violations.any(|&(p, guard)| p == prop && model.is_true(store, guard));
        let mut trace = Trace::default();
        for input in self.base.steps.iter().flat_map(|s| &s.inputs) {
            if model.is_true(store, input.guard) {
                trace.inputs.entry(input.site).or_default().push(model.value_of(store, input.value));
            }
        }
        (trace, violates)
    }

    fn report(&self, context: &mut Context) {
        let Stats { engine, counts, solver, .. } = &mut context.stats;
        *engine = "kinduction";
        counts.extend([
            ("k", u64::from(self.k)),
            ("cut points", self.system.cuts.len() as u64),
            ("state bits", u64::from(self.system.state_bits())),
            ("candidates", self.houdini.candidates as u64),
            ("invariants", self.houdini.kept.len() as u64),
            ("step terms", self.system.store.len() as u64),
        ]);
        counts.extend(self.system.calls());
        *solver = *solver + self.solver.stats() + self.base_solver.stats();
    }
}

fn solve(solver: &mut dyn Solver, system: &mut CutSystem, wanted: Term, until: Instant) -> Outcome<bool> {
    if wanted == system.store.ff() {
        return Ok(false);
    }
    match solver.check(&mut system.store, &[wanted], &Limits::until(until)) {
        Answer::Sat => Ok(true),
        Answer::Unsat => Ok(false),
        Answer::Unknown(words) => Err(Reason::Solver(words)),
    }
}
