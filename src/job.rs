//! What the engine's thread does: asks the engine, has its verdicts confirmed, and sends them on.
//!
//! A synchronous system is decided as a sequential program; its runs are runs of the system. Stability is a question of
//! its own: "at most K steps since the last quiet one" is proved for some K, which grows while it is violated; and in
//! turns with that a lasso is looked for, a state that comes again without a quiet step, which refutes it.
//!
//! Of a chart, random runs come first, then whether values stay in their ranges: if so, the other questions are about a
//! smaller program ([`Job::confine`]). Its properties are decided together, and a proof of several is checked once
//! ([`Job::answers`]).

use crate::args::Engine;
use crate::certificate::Directory;
use crate::chart::{follow, sample, Charted};
use std::sync::mpsc::Sender;
use std::sync::Arc;
use std::time::{Duration, Instant};
use syncline_engines::evidence::{self, Judge};
use syncline_engines::logic::Backend;
use syncline_engines::pdr::Effort;
use syncline_engines::task::{Context, Reason, Stats, Task, Verdict};
use syncline_engines::{bmc, explicit, kinduction, lawi, pdr};
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
/// So many properties of a chart or fewer are not worth more than one engine.
const FEW: usize = 12;
/// Stability gets at least this part of the time.
const MOST_SHARES: usize = 8;
/// The part of the time in which it may be proved that values stay in their ranges.
const CONFINING: u32 = 4;
/// The part of the time in which a verdict may be checked while another engine is still to come.
const CHECKING: u32 = 12;
/// The most that random runs of a chart may take.
const SAMPLING: Duration = Duration::from_secs(3);

pub enum Message {
    Progress(String),
    Found(Prop, Verdict),
    /// The certificate could not be written.
    NotWritten(String),
    Done(Stats),
}

pub struct Job {
    /// `None`: what suits the input.
    pub engine: Option<Engine>,
    pub kinduction: kinduction::Config,
    pub lawi: lawi::Config,
    pub backend: Backend,
    pub unwind: Option<u32>,
    pub program: Arc<Program>,
    pub props: Vec<Prop>,
    pub deadline: Instant,
    pub certificate: Option<Directory>,
    pub chart: Option<Arc<Charted>>,
    /// How long an engine may search where the question counts steps.
    pub search: Option<Duration>,
    /// How far properties are followed together.
    pub effort: Effort,
}

impl Job {
    pub fn run(mut self, sender: &Sender<Message>) {
        let stability = self.program.system.as_ref().and_then(|s| s.stability);
        let stability = stability.filter(|s| self.unwind.is_none() && self.props.contains(&s.prop));
        let mut props = self.props.clone();
        props.retain(|&p| stability.is_none_or(|s| s.prop != p));
        let mut stats = Stats::default();
        self.sample(&mut props, sender);
        self.prove_by_facts(&mut props, sender);
        self.confine(&mut props, sender);
        let program = Arc::clone(&self.program);
        // The question of stability costs a copy of the state: others are asked without it.
        let plain = without_stability(&program);
        if !props.is_empty() {
            // Stability has the time of one property, and what the others leave.
            let (now, shares) = (Instant::now(), self.props.len().min(MOST_SHARES) as u32);
            let others = if stability.is_some() { shares.saturating_sub(1).max(1) } else { shares };
            let deadline = now + self.deadline.saturating_duration_since(now) / shares * others;
            let mut certificate = self.certificate.take();
            stats = self.decide(&plain, props, deadline, sender, |subject, prop, verdict, until| {
                let verdict = match verdict {
                    Answered::Checked(verdict) => verdict,
                    Answered::Open(verdict) => confirm(subject, prop, verdict, until, certificate.as_mut(), sender),
                };
                if until < deadline && matches!(verdict, Verdict::Unknown(_)) {
                    return Settled::No;
                }
                // Nobody listens any more if the limits were met: the process is about to end.
                let _ = sender.send(Message::Found(prop, self.agree(prop, verdict)));
                Settled::Yes
            });
            self.certificate = certificate;
        }
        if let Some(stability) = stability {
            let last = self.stability(&program, stability, sender);
            if stats.engine.is_empty() {
                stats = last;
            }
        }
        let _ = sender.send(Message::Done(stats));
    }

    /// Has the properties decided by the engine asked for, or by those that suit the input. A verdict comes with the program
    /// its evidence is about, and with the time until which that may be checked: where another engine is still to come, a
    /// proof whose check takes long is worth less than the next one's.
    fn decide(
        &self,
        program: &Program,
        mut props: Vec<Prop>,
        deadline: Instant,
        sender: &Sender<Message>,
        mut found: impl FnMut(&Program, Prop, Answered, Instant) -> Settled,
    ) -> Stats {
        let mut stats = Stats::default();
        let engines: &[Engine] = match (self.engine, &self.chart) {
            (Some(Engine::Bmc), _) => &[Engine::Bmc],
            (Some(Engine::Kinduction), _) | (None, None) => &[Engine::Kinduction],
            (Some(Engine::Pdr), _) => &[Engine::Pdr],
            (Some(Engine::Explicit), _) => &[Engine::Explicit],
            (Some(Engine::Lawi), _) => &[Engine::Lawi],
            (Some(Engine::Together), _) => &[Engine::Together],
            (None, Some(_)) if props.len() <= FEW => &[Engine::Together, Engine::Pdr],
            (None, Some(_)) => &[Engine::Together, Engine::Kinduction, Engine::Pdr],
        };
        for (n, &engine) in engines.iter().enumerate() {
            let now = Instant::now();
            let last = n + 1 == engines.len();
            let left = deadline.saturating_duration_since(now);
            let until = match engine {
                _ if last => deadline,
                Engine::Together => now + left / 4 * 3,
                _ => now + left / 4,
            };
            let asked = std::mem::take(&mut props);
            stats = self.ask(engine, program, asked, until, sender, |subject, group, verdict| {
                let now = Instant::now();
                let check = if last { deadline } else { now + deadline.saturating_duration_since(now) / CHECKING };
                for (prop, answer) in self.answers(subject, group, verdict, deadline) {
                    let open = !last && matches!(answer, Answered::Open(Verdict::Unknown(_)));
                    if open || found(subject, prop, answer, check) == Settled::No {
                        props.push(prop);
                    }
                }
            });
            if props.is_empty() {
                break;
            }
        }
        stats
    }

    /// The verdict for each of the properties. A proof of several is checked once for all of them, unless the queries for each
    /// are wanted.
    fn answers(&self, subject: &Program, props: &[Prop], verdict: Verdict, until: Instant) -> Vec<(Prop, Answered)> {
        let together = match &verdict {
            Verdict::Safe(certificate) if props.len() > 1 && self.certificate.is_none() => {
                evidence::confirm_together(subject, props, certificate, until)
            }
            Verdict::Safe(_) | Verdict::Unsafe(_) | Verdict::Unknown(_) => false,
        };
        let answer = |&prop: &Prop| match together {
            true => (prop, Answered::Checked(verdict.clone())),
            false => (prop, Answered::Open(verdict.clone())),
        };
        props.iter().map(answer).collect()
    }

    /// Of a chart whose ranges are not asked about: what simple facts prove at once. For the rest it may be worth proving the
    /// ranges first.
    fn prove_by_facts(&mut self, props: &mut Vec<Prop>, sender: &Sender<Message>) {
        let Some(charted) = self.chart.clone().filter(|_| self.unwind.is_none() && self.engine.is_none()) else {
            return;
        };
        let ranges = self.props.iter().any(|p| charted.map.ranges.contains(p));
        if charted.confined.is_none() || ranges || self.certificate.is_some() || props.is_empty() {
            return;
        }
        let now = Instant::now();
        let until = now + self.deadline.saturating_duration_since(now) / 2;
        let plain = without_stability(&self.program);
        self.effort = Effort::Facts;
        let mut proved = Vec::new();
        self.ask(Engine::Together, &plain, props.clone(), until, sender, |subject, group, verdict| {
            if matches!(verdict, Verdict::Safe(_)) {
                for (prop, answer) in self.answers(subject, group, verdict, until) {
                    proved.push((prop, answer.confirmed(subject, prop, until)));
                }
            }
        });
        self.effort = Effort::All;
        for (prop, verdict) in proved {
            if matches!(verdict, Verdict::Safe(_)) {
                props.retain(|&p| p != prop);
                let _ = sender.send(Message::Found(prop, verdict));
            }
        }
    }

    /// Of a chart: if it is proved that no value leaves its range, goes on with the program in which that would be the end
    /// of the run. Both are the same up to there, so what is shown of it is then true of all runs.
    fn confine(&mut self, props: &mut Vec<Prop>, sender: &Sender<Message>) {
        let Some(charted) = self.chart.clone().filter(|_| self.unwind.is_none()) else { return };
        let Some(confined) = &charted.confined else { return };
        let ranges: Vec<Prop> = charted.map.ranges.iter().copied().collect();
        if ranges.iter().any(|p| self.props.contains(p) && !props.contains(p)) {
            return; // A run has violated one.
        }
        let (now, deadline) = (Instant::now(), self.deadline);
        let until = now + deadline.saturating_duration_since(now) / CONFINING;
        let plain = without_stability(confined);
        let mut verdicts = Vec::new();
        self.decide(&plain, ranges.clone(), until, sender, |subject, prop, verdict, until| {
            // A trace must be one of the other program.
            let is_trace = matches!(verdict, Answered::Open(Verdict::Unsafe(_)));
            let verdict = verdict.confirmed(if is_trace { &self.program } else { subject }, prop, until);
            match verdict {
                Verdict::Unknown(_) => Settled::No,
                verdict => {
                    verdicts.push((prop, verdict));
                    Settled::Yes
                }
            }
        });
        let safe = |prop: &Prop| verdicts.iter().any(|(p, v)| p == prop && matches!(v, Verdict::Safe(_)));
        let all = ranges.iter().all(safe);
        let sequential = sequentialise(&plain).filter(|_| self.certificate.is_some());
        for (prop, verdict) in verdicts {
            let verdict = match (&verdict, &sequential) {
                (Verdict::Safe(_), Some(s)) if all => {
                    confirm(&s.program, prop, verdict, deadline, self.certificate.as_mut(), sender)
                }
                _ => self.agree(prop, verdict),
            };
            let holds = match verdict {
                Verdict::Safe(_) => all,
                Verdict::Unsafe(_) => true,
                Verdict::Unknown(_) => false,
            };
            if holds && props.contains(&prop) {
                props.retain(|&p| p != prop);
                let _ = sender.send(Message::Found(prop, verdict));
            }
        }
        if all {
            self.program = Arc::clone(confined);
        }
    }

    /// Of a chart: what random runs show, cheaper than any engine. What is decided leaves the list.
    fn sample(&self, props: &mut Vec<Prop>, sender: &Sender<Message>) {
        let Some(charted) = self.chart.as_ref().filter(|_| self.unwind.is_none()) else { return };
        let _ = sender.send(Message::Progress("random runs".to_string()));
        let now = Instant::now();
        let until = now + (self.deadline.saturating_duration_since(now) / 4).min(SAMPLING);
        for (prop, trace) in sample::search(charted, props, until) {
            let verdict = evidence::confirm(&self.program, prop, Verdict::Unsafe(trace), self.deadline);
            if let Verdict::Unsafe(_) = verdict {
                props.retain(|&p| p != prop);
                let _ = sender.send(Message::Found(prop, self.agree(prop, verdict)));
            }
        }
    }

    /// The verdict, if it is no trace of a chart that the reference simulator cannot follow. (Of what ought to be
    /// reachable no trace is reported.)
    fn agree(&self, prop: Prop, verdict: Verdict) -> Verdict {
        let (Some(charted), Verdict::Unsafe(trace)) = (&self.chart, &verdict) else { return verdict };
        if charted.question(prop).is_none_or(|q| q.check.wants_violation()) {
            return verdict;
        }
        match follow::follow(charted, prop, trace, self.deadline) {
            Ok(_) => verdict,
            Err(words) => Verdict::Unknown(Reason::Evidence(format!("internal error: {words}"))),
        }
    }

    /// Asks the engine about these properties. A verdict comes with the program its evidence is about.
    fn ask(
        &self,
        engine: Engine,
        whole: &Program,
        props: Vec<Prop>,
        deadline: Instant,
        sender: &Sender<Message>,
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
        context.solver = Box::new(|| self.backend.solver());
        context.progress = Box::new(|text| drop(sender.send(Message::Progress(text.to_string()))));
        let task = Task { program, props, turns, counter };
        match engine {
            Engine::Bmc => bmc::check(&task, &mut context),
            Engine::Kinduction => kinduction::check_with(&task, self.kinduction, &mut context),
            Engine::Pdr => pdr::check(&task, &mut context),
            Engine::Together => pdr::check_together(&task, self.effort, &mut context),
            Engine::Explicit => explicit::check(&task, &mut context),
            Engine::Lawi => lawi::check(&task, self.lawi, &mut context),
        }
        std::mem::take(&mut context.stats)
    }

    /// Bounds and lassos in turns; what the engine did in the last one.
    fn stability(&mut self, program: &Program, stability: Stability, sender: &Sender<Message>) -> Stats {
        let (mut bound, mut turn) = (FIRST_BOUND, FIRST_TURN);
        let mut answer = Answer::Open(Reason::Time);
        let mut stats = Stats::default();
        while Instant::now() < self.deadline {
            // A larger bound comes at once: a violation is found sooner than a proof.
            let until = Instant::now() + turn;
            while Instant::now() < until.min(self.deadline) {
                let ask = StabilityAsk::Bound(bound);
                (answer, stats) = self.ask_about_stability(program, Stability { ask, ..stability }, turn, sender);
                let Answer::Longer = answer else { break };
                bound = bound.saturating_mul(2);
                if bound > MOST_BOUND {
                    break;
                }
            }
            let mut gave_up = answer.gave_up();
            if !matches!(answer, Answer::Decided(_)) {
                (answer, stats) = self.ask_about_stability(program, stability, turn, sender);
                gave_up &= answer.gave_up();
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
            Answer::Longer => Verdict::Unknown(Reason::Time),
            Answer::Open(reason) => Verdict::Unknown(reason),
            Answer::Decided(verdict) => self.agree(stability.prop, verdict),
        };
        let _ = sender.send(Message::Found(stability.prop, verdict));
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
        sender: &Sender<Message>,
    ) -> (Answer, Stats) {
        let whole = asking(program, stability);
        let mut certificate = self.certificate.take();
        let mut answer = Answer::Open(Reason::Time);
        let deadline = self.deadline;
        let counts = matches!(stability.ask, StabilityAsk::Bound(_));
        let suits = if counts || self.chart.is_some() { Engine::Pdr } else { Engine::Kinduction };
        let engine = self.engine.unwrap_or(suits);
        let until = self.until(engine, stability.ask, turn);
        self.search = Some(turn);
        let stats = self.ask(engine, &whole, vec![stability.prop], until, sender, |subject, _, verdict| {
            answer = match (stability.ask, verdict) {
                (StabilityAsk::Bound(_), Verdict::Unsafe(_)) => Answer::Longer,
                (_, verdict) => match confirm(subject, stability.prop, verdict, deadline, certificate.as_mut(), sender)
                {
                    Verdict::Unknown(reason) => Answer::Open(reason),
                    verdict @ (Verdict::Safe(_) | Verdict::Unsafe(_)) => Answer::Decided(verdict),
                },
            };
        });
        self.certificate = certificate;
        (answer, stats)
    }
}

/// A verdict of an engine.
enum Answered {
    /// Its evidence has been checked.
    Checked(Verdict),
    Open(Verdict),
}

impl Answered {
    /// The verdict, if its evidence holds.
    fn confirmed(self, program: &Program, prop: Prop, deadline: Instant) -> Verdict {
        match self {
            Answered::Checked(verdict) => verdict,
            Answered::Open(verdict) => evidence::confirm(program, prop, verdict, deadline),
        }
    }
}

/// Whether a verdict stands, or the next engine is to be asked.
#[derive(PartialEq)]
enum Settled {
    Yes,
    No,
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

/// The verdict if its evidence holds, with the queries written if they are wanted; what went wrong with that is sent.
fn confirm(
    program: &Program,
    prop: Prop,
    verdict: Verdict,
    deadline: Instant,
    certificate: Option<&mut Directory>,
    sender: &Sender<Message>,
) -> Verdict {
    let Some(directory) = certificate else {
        return evidence::confirm(program, prop, verdict, deadline);
    };
    let mut judge = Judge::keeping(deadline);
    let verdict = evidence::judge(program, prop, verdict, &mut judge);
    let failure = match &verdict {
        Verdict::Safe(_) => directory.add(&program.props[prop].name, &judge.into_answered()).err(),
        Verdict::Unsafe(_) | Verdict::Unknown(_) => None,
    };
    if let Some(words) = failure {
        let _ = sender.send(Message::NotWritten(words));
    }
    verdict
}
