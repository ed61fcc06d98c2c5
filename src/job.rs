//! What an engine's process does: asks the engine, has its verdicts confirmed, and reports them.
//!
//! A synchronous system is decided as a sequential program; its runs are runs of the system. Stability is a question of
//! its own: "at most K steps since the last quiet one" is proved for some K, which grows while it is violated; and in
//! turns with that a lasso is looked for, a state that comes again without a quiet step, which refutes it.
//!
//! Of a chart, random runs come first ([`Job::sample`], a process of its own), then whether values stay in their ranges: if so,
//! the other questions are about a smaller program ([`Job::confine`]). Its properties are decided together, and a proof of
//! several is checked once ([`checked`]).

use crate::answer::{Answer as Reported, Message};
use crate::chart::{sample, Charted};
use crate::outbox::{About, Heard, Outbox};
use std::sync::Arc;
use std::time::{Duration, Instant};
use syncline_engines::evidence::{self, Judge};
use syncline_engines::logic::Backend;
use syncline_engines::pdr::Effort;
use syncline_engines::portfolio::Engine;
use syncline_engines::task::{Certificate, Context, Reason, Stats, Task, Verdict};
use syncline_engines::{bmc, explicit, inline, kinduction, lawi, pdr};
use syncline_ir::passes::sequentialise::sequentialise;
use syncline_ir::{Program, Prop, Stability, StabilityAsk};

/// The first K, and the one after which a lasso is more likely.
const FIRST_BOUND: u32 = 2;
const MOST_BOUND: u32 = 64;
/// The first turn for K and for the lasso; turns get longer by this factor.
const FIRST_TURN: Duration = Duration::from_secs(1);
const GROWTH: u32 = 3;
const LONGEST_TURN: Duration = Duration::from_secs(24 * 3600);
/// This part of the time left is not for facts about the first K.
const AFTER_FACTS: u32 = 4;
/// Stability gets at least this part of the time.
const MOST_SHARES: usize = 8;
/// The part of the time in which it may be proved that values stay in their ranges.
const CONFINING: u32 = 4;
/// So many properties or fewer do not wait long for each other.
const FEW: usize = 12;
/// The part of the time in which a proof may be checked while other engines look for another one.
const CHECKING: u32 = 12;
/// The same for one proof of several properties of a C program, and what it may take at least.
const CHECKING_TOGETHER: u32 = 60;
const PATIENCE: Duration = Duration::from_secs(2);
/// The most that random runs of a chart may take.
const SAMPLING: Duration = Duration::from_secs(3);

/// What engines may use beside themselves.
#[derive(Copy, Clone)]
pub struct Help {
    pub accelerate: bool,
    pub invariants: bool,
    pub guesses: bool,
    pub eager: u64,
}

pub struct Job {
    /// `None`: what suits the question.
    pub engine: Option<Engine>,
    pub kinduction: kinduction::Config,
    pub lawi: lawi::Config,
    pub inline: inline::Config,
    pub backend: Backend,
    pub unwind: Option<u32>,
    pub program: Arc<Program>,
    pub props: Vec<Prop>,
    /// Properties that are known to be violated.
    pub violated: Vec<Prop>,
    pub deadline: Instant,
    /// Whether the queries that show SAFE verdicts are wanted.
    pub certificates: bool,
    /// Whether invariants are wanted in C; the bits of `long`.
    pub witness: Option<u32>,
    pub chart: Option<Arc<Charted>>,
    /// How long an engine may search where the question counts steps.
    pub search: Option<Duration>,
    /// How far properties are followed together.
    pub effort: Effort,
    pub help: Help,
    /// Other engines are asked the same at the same time.
    pub beside: bool,
    /// What these say.
    pub heard: Heard,
}

impl Job {
    pub fn run(mut self, outbox: &Outbox) {
        let stability = self.program.system.as_ref().and_then(|s| s.stability);
        let stability = stability.filter(|s| self.props.contains(&s.prop));
        let mut props = self.props.clone();
        // A program without the question of stability says nothing of it.
        props.retain(|&p| stability.is_none_or(|s| s.prop != p));
        let mut stats = Stats::default();
        self.prove_by_facts(&mut props, outbox);
        self.confine(&mut props, outbox);
        let program = Arc::clone(&self.program);
        // The question of stability costs a copy of the state: others are asked without it.
        let plain = without_stability(&program);
        if !props.is_empty() {
            // Stability has the time of one property, and what the others leave.
            let (now, shares) = (Instant::now(), self.props.len().min(MOST_SHARES) as u32);
            let others = if stability.is_some() { shares.saturating_sub(1).max(1) } else { shares };
            let deadline = now + self.deadline.saturating_duration_since(now) / shares * others;
            let more = props.len() > 1;
            let news = self.heard.about(&program, &self.chart);
            stats = self.ask(self.suits(), &plain, props, deadline, Some(news), outbox, |subject, group, verdict| {
                let mut facts = None;
                let by = |on| self.checked_by(deadline, on);
                for (prop, verdict) in self.confirm_all(subject, group, verdict, &by, outbox) {
                    match &verdict {
                        Verdict::Safe(Certificate::Inductive { annotations, .. }) if more => {
                            facts = Some(annotations.clone());
                        }
                        Verdict::Safe(_) | Verdict::Unsafe(_) | Verdict::Unknown(_) => {}
                    }
                    self.report(prop, verdict, outbox);
                }
                if let Some(facts) = facts {
                    outbox.facts(news, &facts);
                }
            });
        }
        if let Some(stability) = stability {
            let last = self.stability(&program, stability, outbox);
            if stats.engine.is_empty() {
                stats = last;
            }
        }
        outbox.send(Message::Done(stats.into()));
    }

    /// The engine asked for, or the one that suits most questions about systems.
    fn suits(&self) -> Engine {
        self.engine.unwrap_or(if self.chart.is_some() { Engine::Together } else { Engine::Pdr })
    }

    /// When the check of a verdict on so many properties must be over. Where many wait for it, a proof that takes long to check
    /// is worth less than that of an engine beside this one; of a C program's properties one such proof should not keep those
    /// that were told with it waiting, nor the engine from proving others. Charts are told in groups that are checked as a whole.
    fn checked_by(&self, deadline: Instant, on: usize) -> Instant {
        let now = Instant::now();
        let left = deadline.saturating_duration_since(now);
        let many = self.props.len() > FEW;
        match (self.chart.is_some(), on) {
            (false, 2..) if many => now + (left / CHECKING_TOGETHER).max(PATIENCE).min(left),
            (false, _) if many => now + left / CHECKING,
            (true, 1) if many && self.beside => now + left / CHECKING,
            (true, _) | (false, _) => deadline,
        }
    }

    fn report(&self, prop: Prop, verdict: Verdict, outbox: &Outbox) {
        self.send(prop, self.smaller(prop, verdict), outbox);
    }

    fn send(&self, prop: Prop, verdict: Verdict, outbox: &Outbox) {
        outbox.send(Message::Found(prop, Reported::new(&self.program, verdict, self.witness)));
    }

    /// Of a chart whose ranges are not asked about: what simple facts prove at once. For the rest it may be worth proving the
    /// ranges first.
    fn prove_by_facts(&mut self, props: &mut Vec<Prop>, outbox: &Outbox) {
        let Some(charted) = self.chart.clone().filter(|_| self.unwind.is_none()) else { return };
        let ranges = self.props.iter().any(|p| charted.map.ranges.contains(p));
        let together = self.engine == Some(Engine::Together) && !self.certificates;
        if charted.confined.is_none() || ranges || !together || props.is_empty() {
            return;
        }
        let now = Instant::now();
        let until = now + self.deadline.saturating_duration_since(now) / 2;
        let plain = without_stability(&self.program);
        self.effort = Effort::Facts;
        let mut proved = Vec::new();
        self.ask(Engine::Together, &plain, props.clone(), until, None, outbox, |subject, group, verdict| {
            if matches!(verdict, Verdict::Safe(_)) {
                proved.extend(checked(subject, group, &verdict, &|_| until));
            }
        });
        self.effort = Effort::All;
        for (prop, verdict) in proved {
            if matches!(verdict, Verdict::Safe(_)) {
                props.retain(|&p| p != prop);
                self.report(prop, verdict, outbox);
            }
        }
    }

    /// Of a chart: if it is proved that no value leaves its range, goes on with the program in which that would be the end
    /// of the run. Both are the same up to there, so what is shown of it is then true of all runs.
    fn confine(&mut self, props: &mut Vec<Prop>, outbox: &Outbox) {
        let Some(charted) = self.chart.clone().filter(|_| self.unwind.is_none()) else { return };
        let Some(confined) = charted.confined.as_ref().filter(|_| self.engine != Some(Engine::Bmc)) else { return };
        let ranges: Vec<Prop> = charted.map.ranges.iter().copied().collect();
        if ranges.iter().any(|p| self.violated.contains(p)) {
            return;
        }
        let (now, deadline) = (Instant::now(), self.deadline);
        let until = now + deadline.saturating_duration_since(now) / CONFINING;
        let plain = without_stability(confined);
        let mut verdicts = Vec::new();
        self.ask(self.suits(), &plain, ranges.clone(), until, None, outbox, |subject, group, verdict| {
            // A trace must be one of the other program.
            let subject = if matches!(verdict, Verdict::Unsafe(_)) { &self.program } else { subject };
            let decided = checked(subject, group, &verdict, &|_| until).into_iter();
            verdicts.extend(decided.filter(|(_, verdict)| !matches!(verdict, Verdict::Unknown(_))));
        });
        let safe = |prop: &Prop| verdicts.iter().any(|(p, v)| p == prop && matches!(v, Verdict::Safe(_)));
        let all = ranges.iter().all(safe);
        let sequential = sequentialise(&plain).filter(|_| self.certificates);
        for (prop, verdict) in verdicts {
            let verdict = match (&verdict, &sequential) {
                (Verdict::Safe(_), Some(s)) if all => self.confirm(&s.program, prop, verdict, deadline, outbox),
                _ => verdict,
            };
            let holds = match verdict {
                Verdict::Safe(_) => all,
                Verdict::Unsafe(_) => true,
                Verdict::Unknown(_) => false,
            };
            if holds && props.contains(&prop) {
                props.retain(|&p| p != prop);
                self.report(prop, verdict, outbox);
            }
        }
        if all {
            self.program = Arc::clone(confined);
        }
    }

    /// Of a chart: what random runs show, cheaper than any engine.
    pub fn sample(self, outbox: &Outbox) {
        let Some(charted) = &self.chart else { return };
        outbox.send(Message::Progress("random runs".to_string()));
        let now = Instant::now();
        let until = now + (self.deadline.saturating_duration_since(now) / 4).min(SAMPLING);
        for (prop, trace) in sample::search(charted, &self.props, until) {
            let verdict = evidence::confirm(&self.program, prop, Verdict::Unsafe(trace), self.deadline);
            if let Verdict::Unsafe(_) = verdict {
                self.send(prop, verdict, outbox);
            }
        }
        outbox.send(Message::Done(Stats { engine: "random runs", ..Stats::default() }.into()));
    }

    /// Of a chart: the verdict with a smaller run, if that is one.
    fn smaller(&self, prop: Prop, verdict: Verdict) -> Verdict {
        let (Some(charted), Verdict::Unsafe(trace)) = (&self.chart, &verdict) else { return verdict };
        let smaller = sample::smaller(charted, prop, trace.clone(), self.deadline);
        if smaller == *trace {
            return verdict;
        }
        match evidence::confirm(&charted.program, prop, Verdict::Unsafe(smaller), self.deadline) {
            smaller @ Verdict::Unsafe(_) => smaller,
            Verdict::Safe(_) | Verdict::Unknown(_) => verdict,
        }
    }

    /// Asks the engine about these properties, with what others say of the same program. A verdict comes with the program
    /// its evidence is about, and the properties it is on.
    #[allow(clippy::too_many_arguments)]
    fn ask(
        &self,
        engine: Engine,
        whole: &Program,
        props: Vec<Prop>,
        deadline: Instant,
        news: Option<&About>,
        outbox: &Outbox,
        mut found: impl FnMut(&Program, &[Prop], Verdict),
    ) -> Stats {
        let sequential = sequentialise(whole);
        let (program, turns, counter) = match &sequential {
            Some(sequential) => (&sequential.program, sequential.turns.clone(), sequential.counter.clone()),
            None => (whole, Vec::new(), Vec::new()),
        };
        let found = |props: &[Prop], verdict| {
            let subject = if matches!(verdict, Verdict::Unsafe(_)) { whole } else { program };
            found(subject, props, verdict);
        };
        let mut context = Context::reporting(deadline, found);
        context.unwind = self.unwind;
        context.search = self.search;
        context.accelerate = self.help.accelerate;
        context.invariants = self.help.invariants;
        context.guesses = self.help.guesses;
        context.eager = self.help.eager;
        context.solver = Box::new(|| self.backend.solver());
        context.progress = Box::new(|text| outbox.progress(text));
        context.beside = self.beside;
        if let Some(news) = news {
            context.news = news.news.clone();
            context.tell = Box::new(|facts| outbox.facts(news, facts));
        }
        let choices = whole.system.iter().flat_map(|s| s.shared.iter().filter_map(|shared| shared.choice)).collect();
        let task = Task { program, props, turns, counter, choices };
        match engine {
            Engine::Bmc => bmc::check(&task, &mut context),
            Engine::Kinduction => kinduction::check_with(&task, self.kinduction, &mut context),
            Engine::Pdr => pdr::check(&task, &mut context),
            Engine::Together => pdr::check_together(&task, self.effort, &mut context),
            Engine::Explicit => explicit::check(&task, &mut context),
            Engine::Lawi => lawi::check(&task, self.lawi, &mut context),
            Engine::Inline => inline::check(&task, self.inline, &mut context),
        }
        std::mem::take(&mut context.stats)
    }

    /// The verdict on each of the properties, if its evidence holds; one by one where the queries for each are wanted.
    fn confirm_all(
        &self,
        program: &Program,
        props: &[Prop],
        verdict: Verdict,
        by: &dyn Fn(usize) -> Instant,
        outbox: &Outbox,
    ) -> Vec<(Prop, Verdict)> {
        match self.certificates {
            true => props.iter().map(|&p| (p, self.confirm(program, p, verdict.clone(), by(1), outbox))).collect(),
            false => checked(program, props, &verdict, by),
        }
    }

    /// The verdict if its evidence holds; the queries that show it are sent, if they are wanted.
    fn confirm(&self, program: &Program, prop: Prop, verdict: Verdict, deadline: Instant, outbox: &Outbox) -> Verdict {
        if !self.certificates {
            return evidence::confirm(program, prop, verdict, deadline);
        }
        let mut judge = Judge::keeping(deadline);
        let verdict = evidence::judge(program, prop, verdict, &mut judge);
        if let Verdict::Safe(_) = verdict {
            outbox.send(Message::Certified(program.props[prop].name.clone(), judge.into_answered()));
        }
        verdict
    }

    /// Bounds and lassos in turns; what the engine did in the last one.
    fn stability(&mut self, program: &Program, stability: Stability, outbox: &Outbox) -> Stats {
        let (mut bound, mut turn) = (FIRST_BOUND, FIRST_TURN);
        let mut answer = Answer::Open(Reason::Time);
        // A refusal is worth more to who asks than that there was no time for other attempts.
        let mut refused = None;
        let mut stats = Stats::default();
        while Instant::now() < self.deadline {
            // A larger bound comes at once: a violation is found sooner than a proof.
            let until = Instant::now() + turn;
            while Instant::now() < until.min(self.deadline) {
                let ask = StabilityAsk::Bound(bound);
                (answer, stats) = self.ask_about_stability(program, Stability { ask, ..stability }, turn, outbox);
                let Answer::Longer = answer else { break };
                bound = bound.saturating_mul(2);
                if bound > MOST_BOUND {
                    break;
                }
            }
            let mut gave_up = answer.gave_up();
            refused = refused.or(answer.refusal());
            if !matches!(answer, Answer::Decided(_)) {
                (answer, stats) = self.ask_about_stability(program, stability, turn, outbox);
                gave_up &= answer.gave_up();
                refused = refused.or(answer.refusal());
            }
            if gave_up || matches!(answer, Answer::Decided(_)) {
                break;
            }
            // What is not violated may still be too tight for a simple proof.
            if turn == FIRST_TURN {
                bound = bound.saturating_mul(2);
            }
            turn = (turn * GROWTH).min(LONGEST_TURN);
        }
        let verdict = match answer {
            Answer::Longer => Verdict::Unknown(refused.unwrap_or(Reason::Time)),
            Answer::Open(reason) => Verdict::Unknown(refused.unwrap_or(reason)),
            Answer::Decided(verdict) => verdict,
        };
        self.report(stability.prop, verdict, outbox);
        stats
    }

    /// When the engine must have answered a question about stability. Facts about the count are worth more than a turn:
    /// there is no way back to them.
    fn until(&self, engine: Engine, ask: StabilityAsk, turn: Duration) -> Instant {
        let now = Instant::now();
        let left = self.deadline.saturating_duration_since(now);
        let most = match (engine, ask) {
            (Engine::Pdr | Engine::Lawi, StabilityAsk::Bound(_)) => turn.max(left - left / AFTER_FACTS),
            _ => turn,
        };
        self.deadline.min(now + most)
    }

    /// One question about stability; a search for its answer takes no longer than a turn.
    fn ask_about_stability(
        &mut self,
        program: &Program,
        stability: Stability,
        turn: Duration,
        outbox: &Outbox,
    ) -> (Answer, Stats) {
        let whole = asking(program, stability);
        let mut answer = Answer::Open(Reason::Time);
        let deadline = self.deadline;
        let counts = matches!(stability.ask, StabilityAsk::Bound(_));
        // Arrays are not for PDR.
        let arrays = program.vars.values().any(|var| var.ty.is_array());
        let suits = match counts || self.chart.is_some() {
            true if arrays => Engine::Lawi,
            true => Engine::Pdr,
            false => Engine::Kinduction,
        };
        // There is but one property to follow.
        let engine = self.engine.filter(|&engine| engine != Engine::Together).unwrap_or(suits);
        let until = self.until(engine, stability.ask, turn);
        self.search = Some(turn);
        let stats = self.ask(engine, &whole, vec![stability.prop], until, None, outbox, |subject, _, verdict| {
            answer = match (stability.ask, verdict) {
                (StabilityAsk::Bound(_), Verdict::Unsafe(_)) => Answer::Longer,
                (_, verdict) => match self.confirm(subject, stability.prop, verdict, deadline, outbox) {
                    Verdict::Unknown(reason) => Answer::Open(reason),
                    verdict @ (Verdict::Safe(_) | Verdict::Unsafe(_)) => Answer::Decided(verdict),
                },
            };
        });
        (answer, stats)
    }
}

/// The verdict on each of the properties, if its evidence holds. A proof of several is checked once for all of them; if that
/// fails, for each half of them.
fn checked(
    program: &Program,
    props: &[Prop],
    verdict: &Verdict,
    by: &dyn Fn(usize) -> Instant,
) -> Vec<(Prop, Verdict)> {
    match verdict {
        Verdict::Safe(certificate) if props.len() > 1 => {
            if evidence::confirm_together(program, props, certificate, by(props.len())) {
                return props.iter().map(|&prop| (prop, verdict.clone())).collect();
            }
            let (some, others) = props.split_at(props.len() / 2);
            [some, others].into_iter().flat_map(|half| checked(program, half, verdict, by)).collect()
        }
        Verdict::Safe(_) | Verdict::Unsafe(_) | Verdict::Unknown(_) => {
            let one = |prop| evidence::confirm(program, prop, verdict.clone(), by(1));
            props.iter().map(|&prop| (prop, one(prop))).collect()
        }
    }
}

/// What came of a question about stability.
enum Answer {
    /// The bound is violated; longer than that is not for ever.
    Longer,
    Open(Reason),
    Decided(Verdict),
}

impl Answer {
    /// More time does not help.
    fn gave_up(&self) -> bool {
        match self {
            Answer::Open(reason) => *reason != Reason::Time,
            Answer::Longer | Answer::Decided(_) => false,
        }
    }

    /// Why evidence was refused.
    fn refusal(&self) -> Option<Reason> {
        match self {
            Answer::Open(reason @ Reason::Evidence(_)) => Some(reason.clone()),
            Answer::Open(_) | Answer::Longer | Answer::Decided(_) => None,
        }
    }
}

/// The program without the question about stability.
fn without_stability(program: &Program) -> Program {
    let mut program = program.clone();
    if let Some(system) = &mut program.system {
        system.stability = None;
    }
    program
}

/// The program with another question about stability.
fn asking(program: &Program, stability: Stability) -> Program {
    let mut program = program.clone();
    if let Some(system) = &mut program.system {
        system.stability = Some(stability);
    }
    program
}
