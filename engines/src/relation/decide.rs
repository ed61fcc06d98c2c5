//! What PDR and lazy abstraction do alike: facts first, then a search for each property that these do not prove, with
//! the bounded search beside it.
//!
//! Race analysis comes first, and again when there are more facts ([`super::races`]).
//! Facts are what [`houdini`] keeps, implications between literals ([`super::pairs`]), and relations with products of cells;
//! where the question counts steps, what holds from some count on ([`super::counting`]), which comes first.
//! After each kind the properties that the facts make k-inductive are done. What is searched for are lemmas on top of
//! the facts. Where calls are open ([`crate::cuts::Source`]), a violation that comes to some has them put in place, and all this
//! begins anew. Every verdict carries its certificate or run; none rests on how it was found.

use super::counting::Counting;
use super::induction::Induction;
use super::pairs::Pairs;
use super::races::Races;
use super::{pool, trace, Coding, Inputs, Relation, Stop};
use crate::companion::{Companion, FIRST_TURN};
use crate::cuts::{Cut, CutSystem, Source};
use crate::houdini::{self, Houdini};
use crate::logic::Term;
use crate::sample;
use crate::search::{Programs, Search};
use crate::task::{Context, Reason, Stats, Task, Verdict};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use syncline_ir::inline::calls::CallPath;
use syncline_ir::inline::Inlined;
use syncline_ir::{Block, Prop};

/// The share of the time left for facts of two literals, at most.
const PAIRING: u32 = 4;
/// The time for the first tries to prove a property by induction with the facts, and the share of the time left for the
/// last one.
const QUICK: Duration = Duration::from_millis(300);
const INDUCTION: u32 = 6;

/// The share of the time left for searches in turns with facts of two literals.
const BRIEFLY: u32 = 3;

/// How a search ends.
pub enum End {
    /// These hold at the cuts, whatever runs do.
    Proved(Vec<(Cut, Term)>),
    /// The inputs of the start and of each segment.
    Violated(Vec<Inputs>),
}

/// A search for lemmas.
pub trait Engine {
    const NAME: &'static str;

    /// Blocks that cut beside the loop headers.
    fn cuts(&self, inlined: &Inlined) -> Vec<Block>;

    /// Why the engine is not for this system, if so.
    fn refuses(&self, system: &CutSystem) -> Option<Reason>;

    /// Whether facts are looked for, and tried, before the search.
    fn wants_facts(&self) -> bool {
        true
    }

    /// Proves or refutes the property, given facts that hold at the cuts.
    fn search(&self, question: &mut Question, companion: &mut Companion, context: &mut Context) -> Result<End, Stop>;

    /// Why the inputs of a violation are none of a run. The bounded search may have the rest of the time.
    fn why_not(&self, system: &CutSystem, companion: &mut Companion, context: &mut Context) -> Reason;
}

/// What a search is asked.
pub struct Question<'q> {
    pub system: &'q mut CutSystem,
    pub prop: Prop,
    pub facts: &'q [(Cut, Term)],
    /// Conditions and relations the program knows.
    pub predicates: &'q [Term],
}

/// Decides the task's properties, one call of `context.found` each.
pub fn decide<E: Engine>(engine: &E, task: &Task, context: &mut Context) {
    let mut undecided = task.props.clone();
    sample::search_for(FIRST_TURN / 3, task, &mut undecided, context);
    context.stats = Stats { engine: E::NAME, ..Stats::default() };
    if undecided.is_empty() {
        return;
    }
    let programs = Programs::new(task, &undecided);
    let mut bmc = Search::new(task, &programs, undecided.clone(), context);
    let mut source = Source::new(task, &undecided, context);
    let reason = loop {
        let built = CutSystem::of(&source, |inlined| engine.cuts(inlined), context.deadline);
        let built = built.and_then(|system| match engine.refuses(&system) {
            None => Ok(system),
            Some(reason) => Err(reason),
        });
        let system = match built {
            Ok(system) => system,
            Err(reason) => {
                if !context.beside {
                    bmc.run(context);
                }
                break reason;
            }
        };
        let mut proof = Proof::new(system, task, context);
        proof.run(engine, task, &mut bmc, context);
        let opens = source.open(std::mem::take(&mut proof.wanted)) && !bmc.undecided.is_empty();
        match context.must_stop() {
            None if opens => {}
            stop => {
                proof.report(context);
                break stop.unwrap_or(Reason::Cancelled);
            }
        }
    };
    bmc.report_acceleration(context);
    for prop in std::mem::take(&mut bmc.undecided) {
        context.found(prop, Verdict::Unknown(reason.clone()));
    }
}

/// What is known of the system.
struct Proof {
    system: CutSystem,
    houdini: Houdini,
    predicates: Vec<Term>,
    /// What holds at the cuts.
    facts: Vec<(Cut, Term)>,
    induction: Induction,
    races: Races,
    /// Open calls on the way to a violation, or to what is not modelled. It is none of a run before they are in place.
    wanted: BTreeSet<CallPath>,
    /// Facts of two literals, and properties that needed no search.
    pairs: usize,
    proved: u64,
}

impl Proof {
    fn new(mut system: CutSystem, task: &Task, context: &mut Context) -> Proof {
        let houdini = houdini::invariants(&mut system, context);
        let predicates = pool::predicates(&mut system);
        let mut induction = Induction::new(&mut system, context);
        let mut facts = houdini.kept.clone();
        facts.extend(system.in_range());
        induction.assume(&facts);
        let mut races = Races::new(&system, &task.choices);
        races.resolve(&mut system, &facts, context);
        Proof { facts, system, houdini, predicates, induction, races, wanted: BTreeSet::new(), pairs: 0, proved: 0 }
    }

    /// Decides what is undecided, or says which calls to open.
    fn run<E: Engine>(&mut self, engine: &E, task: &Task, bmc: &mut Search, context: &mut Context) {
        if engine.wants_facts() && context.invariants {
            if task.counts() {
                self.by_counting(task, bmc, context);
                let most = context.search.map(|search| Instant::now() + search);
                context.deadline = most.map_or(context.deadline, |most| most.min(context.deadline));
            }
            if !bmc.undecided.is_empty() {
                self.by_facts(engine, task, bmc, context);
            }
        }
        if self.wanted.is_empty() {
            self.by_search(engine, task, bmc, context);
        }
    }

    fn learn(&mut self, facts: &[(Cut, Term)]) {
        self.facts.extend_from_slice(facts);
        self.induction.assume(facts);
    }

    /// Where the question counts steps: finds facts about the count, and whether they prove it.
    fn by_counting(&mut self, task: &Task, bmc: &mut Search, context: &mut Context) {
        let &[prop] = &bmc.undecided[..] else { return };
        let Proof { system, facts, .. } = self;
        let relation = Relation::new(system, prop, facts, &[], Coding::Values, &*context.solver, context.deadline);
        let Some(mut counting) = Counting::new(relation, task) else { return };
        let proved = matches!(counting.run(context), Ok(true));
        // They hold even if time was over before there were enough of them.
        let found = counting.facts();
        self.pairs += found.len();
        self.learn(&found);
        if proved {
            let verdict = self.safe(prop, 0, context);
            self.proved += 1;
            bmc.undecided.clear();
            context.found(prop, verdict);
        }
    }

    /// Finds facts of each kind in turn, and what they prove.
    fn by_facts<E: Engine>(&mut self, engine: &E, task: &Task, bmc: &mut Search, context: &mut Context) {
        self.prove(QUICK, bmc, context);
        if bmc.undecided.is_empty() {
            return;
        }
        self.pair_up(engine, task, bmc, context);
        self.prove(QUICK, bmc, context);
        if bmc.undecided.is_empty() || !self.wanted.is_empty() {
            return;
        }
        let before = self.houdini.kept.clone();
        if self.houdini.try_products(&mut self.system, context) {
            let more: Vec<_> = self.houdini.kept.iter().copied().filter(|fact| !before.contains(fact)).collect();
            self.learn(&more);
        }
        let properties = bmc.undecided.len() as u32;
        let left = context.deadline.saturating_duration_since(Instant::now());
        self.prove(left / INDUCTION / properties, bmc, context);
    }

    /// Finds facts of two literals, in turns with the bounded search, and with searches that may do without these facts.
    fn pair_up<E: Engine>(&mut self, engine: &E, task: &Task, bmc: &mut Search, context: &mut Context) {
        (context.progress)("facts of two literals");
        let left = context.deadline.saturating_duration_since(Instant::now());
        let Proof { system, facts, predicates, races, .. } = self;
        let mut pairs = races.without(system, facts, context, |system, context| {
            Pairs::new(system, predicates, facts, left / PAIRING, context)
        });
        let mut turn = FIRST_TURN;
        let mut over = task.counts() || context.beside;
        let found = loop {
            if let Some(found) = pairs.run(&mut self.system, turn) {
                break found;
            }
            if !over {
                let deadline = context.deadline;
                context.deadline = deadline.min(Instant::now() + turn);
                over = bmc.run(context) != Reason::Time;
                context.deadline = deadline;
            }
            self.search_briefly(turn * 2, engine, task, bmc, context);
            if bmc.undecided.is_empty() || !self.wanted.is_empty() || context.must_stop().is_some() {
                return;
            }
            turn *= 2;
        };
        self.pairs += found.len();
        self.learn(&found);
        (context.tell)(&self.system.annotations(&found));
    }

    /// Takes in what other engines have proved, as far as it can be proved here too.
    fn hear(&mut self, context: &Context) {
        let before = self.houdini.kept.clone();
        if self.houdini.try_news(&mut self.system, context) {
            let more: Vec<_> = self.houdini.kept.iter().copied().filter(|fact| !before.contains(fact)).collect();
            self.learn(&more);
        }
    }

    /// Says SAFE of the properties that the facts make k-inductive, if that is seen in this time for each.
    fn prove(&mut self, time: Duration, bmc: &mut Search, context: &mut Context) {
        for prop in bmc.undecided.clone() {
            if context.must_stop().is_some() {
                return;
            }
            context.news.keep_open(&mut bmc.undecided);
            if !bmc.undecided.contains(&prop) {
                continue;
            }
            (context.progress)("induction with facts");
            let until = context.deadline.min(Instant::now() + time);
            if let Some(k) = self.induction.proves(&mut self.system, prop, until) {
                let verdict = self.safe(prop, k, context);
                self.proved += 1;
                bmc.undecided.retain(|&p| p != prop);
                context.found(prop, verdict);
            }
        }
    }

    fn safe(&mut self, prop: Prop, k: u32, context: &Context) -> Verdict {
        let needed = houdini::support(&mut self.system, &[prop], k, &self.facts, context);
        Verdict::Safe(self.system.certificate(k, &needed))
    }

    /// Searches for lemmas, property by property, until a call is to be opened.
    fn by_search<E: Engine>(&mut self, engine: &E, task: &Task, bmc: &mut Search, context: &mut Context) {
        let deadline = context.deadline;
        for prop in bmc.undecided.clone() {
            context.news.keep_open(&mut bmc.undecided);
            if !bmc.undecided.contains(&prop) {
                continue;
            }
            self.hear(context);
            // What one property does not need is for those after it.
            context.deadline = share(deadline, bmc.undecided.len() as u32);
            let mut companion = Companion::new(task, bmc, prop, context);
            let verdict = self.search(engine, prop, &mut companion, context);
            context.deadline = deadline;
            let Some(verdict) = verdict else { return };
            if companion.undecided() {
                bmc.undecided.retain(|&p| p != prop);
                context.found(prop, verdict);
            }
        }
    }

    /// Searches without the bounded one beside them, which together take about so long; what they do not decide stays open.
    fn search_briefly<E: Engine>(
        &mut self,
        time: Duration,
        engine: &E,
        task: &Task,
        bmc: &mut Search,
        context: &mut Context,
    ) {
        let deadline = context.deadline;
        let end = share(deadline, BRIEFLY);
        let open = bmc.undecided.clone();
        let time = (time / open.len().max(1) as u32).max(QUICK);
        for prop in open {
            let now = Instant::now();
            if now >= end || context.must_stop().is_some() {
                return;
            }
            context.deadline = end.min(now + time);
            let mut companion = Companion::silent(task, bmc, prop);
            let verdict = self.search(engine, prop, &mut companion, context);
            context.deadline = deadline;
            let Some(verdict) = verdict else { return };
            if !matches!(verdict, Verdict::Unknown(_)) && bmc.undecided.contains(&prop) {
                bmc.undecided.retain(|&p| p != prop);
                context.found(prop, verdict);
            }
        }
    }

    /// One search for lemmas. The companion may have the answer first: then it has told it. `None` if it comes to open calls, whose
    /// doing the violation may be: they are wanted.
    fn search<E: Engine>(
        &mut self,
        engine: &E,
        prop: Prop,
        companion: &mut Companion,
        context: &mut Context,
    ) -> Option<Verdict> {
        let Proof { system, facts, predicates, races, .. } = self;
        let end = races.without(system, facts, context, |system, context| {
            engine.search(&mut Question { system, prop, facts, predicates }, companion, context)
        });
        Some(match end {
            Ok(End::Proved(lemmas)) => {
                self.facts.extend(lemmas);
                self.safe(prop, 0, context)
            }
            Ok(End::Violated(inputs)) => {
                let (trace, violates) = trace(&self.system, prop, &inputs);
                let calls = self.system.open_calls(&trace);
                if !calls.is_empty() {
                    self.wanted = calls;
                    return None;
                }
                match violates {
                    true => Verdict::Unsafe(trace),
                    false => Verdict::Unknown(engine.why_not(&self.system, companion, context)),
                }
            }
            Err(Stop::Unknown(words)) => Verdict::Unknown(context.gave_up(words)),
            Err(Stop::Cancelled) => Verdict::Unknown(context.must_stop().unwrap_or(Reason::Cancelled)),
            Err(Stop::Decided | Stop::Spent) => Verdict::Unknown(Reason::Cancelled),
        })
    }

    fn report(&self, context: &mut Context) {
        context.stats.counts.extend([
            ("facts", self.facts.len() as u64),
            ("facts of two literals", self.pairs as u64),
            ("proved by facts", self.proved),
        ]);
        context.stats.counts.extend(self.races.counts());
        context.stats.counts.extend(self.system.calls());
    }
}

/// When this share of the time left is over.
fn share(deadline: Instant, parts: u32) -> Instant {
    let now = Instant::now();
    now + deadline.saturating_duration_since(now).max(Duration::ZERO) / parts
}
