//! Engines side by side: each one a process of its own, started when it is due. The first verdict on a property counts (it was
//! confirmed where it was found), the others hear of it, and when all is decided they are ended.
//!
//! An engine that fails, or that is ended because memory is short, has said UNKNOWN; the others go on. Why a property
//! stays undecided is then the reason that says most.

use crate::answer::{Account, Answer, Message};
use crate::certificate::Directory;
use crate::job::Job;
use crate::outbox::{Outbox, Word};
use crate::process::{self, Child, Ended, Link};
use crate::report::{Property, Report};
use crate::watch::{Limit, Watch, LOOK};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use syncline_engines::evidence::Answered;
use syncline_engines::portfolio::{Engine, Start};
use syncline_engines::task::Reason;
use syncline_ir::Prop;

/// Address space for an engine's stack; pages count only once touched.
const STACK: usize = 1 << 30;
/// So many processes may run side by side on any machine.
const FEWEST: usize = 2;
/// How long the one that has decided the last property may take to say what it did.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// What a process does.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Work {
    /// Random runs of a chart.
    Sample,
    Engine(Engine),
    /// Stability, with the engines that suit it.
    Stability,
}

impl Work {
    pub fn name(self) -> &'static str {
        match self {
            Work::Sample => "random runs",
            Work::Engine(engine) => engine.name(),
            Work::Stability => "stability",
        }
    }
}

/// A process to be.
#[derive(Clone)]
pub struct Planned {
    pub work: Work,
    pub props: Vec<Prop>,
    pub start: Start,
    pub why: &'static str,
}

/// How a process came to its end.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// By itself.
    Done,
    /// Everything was decided, or the time was over.
    Stopped,
    Memory,
    Failed,
}

impl End {
    pub fn words(self) -> &'static str {
        match self {
            End::Done => "done",
            End::Stopped => "stopped",
            End::Memory => "out of memory",
            End::Failed => "failed",
        }
    }
}

/// What is to be said of a process afterwards.
pub struct Ran {
    pub work: Work,
    pub why: &'static str,
    /// Seconds since the start of the tool.
    pub from: f64,
    pub to: f64,
    pub end: End,
    /// What it was asked about.
    pub asked: Vec<Prop>,
    pub decided: Vec<Prop>,
    /// Why it did not decide others: the first reason, and that for each.
    pub unknown: Option<Reason>,
    pub reasons: BTreeMap<Prop, Reason>,
    /// How far it came, as it said last.
    pub progress: Option<String>,
    pub account: Option<Account>,
}

struct Member {
    child: Child,
    ran: Ran,
    /// Queries of properties that it is about to decide.
    certified: BTreeMap<String, Vec<Answered>>,
}

/// The processes of a run.
pub struct Crew<'a> {
    watch: &'a Watch,
    report: &'a mut Report,
    /// The properties no process has decided yet.
    open: BTreeSet<Prop>,
    violated: Vec<Prop>,
    /// Why they are open, as each process says.
    reasons: BTreeMap<Prop, Vec<Reason>>,
    /// Words that a process hears when it starts: what the others have proved.
    facts: Vec<Word>,
    certificate: Option<Directory>,
    certified: BTreeSet<String>,
    members: Vec<Member>,
    /// The process that gave the last verdict.
    last: Option<u32>,
    bar: ProgressBar,
}

impl<'a> Crew<'a> {
    pub fn new(props: &[Prop], certificate: Option<Directory>, watch: &'a Watch, report: &'a mut Report) -> Crew<'a> {
        Crew {
            watch,
            report,
            open: props.iter().copied().collect(),
            violated: Vec::new(),
            reasons: BTreeMap::new(),
            facts: Vec::new(),
            certificate,
            certified: BTreeSet::new(),
            members: Vec::new(),
            last: None,
            bar: progress_bar(),
        }
    }

    /// Has the properties decided, one stage after the other: to the end, or to a limit. A stage makes room for the next when
    /// its first process has ended; the others go on beside. A job is made for each process.
    pub fn run(mut self, stages: Vec<Vec<Planned>>, job: impl Fn(&Planned) -> Job) {
        let last = stages.len().saturating_sub(1);
        for (n, stage) in stages.into_iter().enumerate() {
            let first = stage.first().map(|planned| planned.work).filter(|_| n < last);
            if self.open.is_empty() || self.stage(stage, first, &job).is_err() {
                break;
            }
        }
        let mut members = std::mem::take(&mut self.members);
        let last = self.last.filter(|_| self.report.wants_words());
        members.iter_mut().filter(|m| Some(m.child.id()) == last).for_each(Member::last_words);
        // All at once: it takes a while to give much memory back.
        members.iter().for_each(|m| m.child.kill());
        members.into_iter().for_each(|m| self.stopped(m, End::Stopped));
        self.bar.finish_and_clear();
        let failed = self.report.ran().iter().filter(|r| r.work != Work::Sample).all(|r| r.end == End::Failed);
        for prop in std::mem::take(&mut self.open) {
            let reasons = self.reasons.remove(&prop).unwrap_or_default();
            match reasons.into_iter().min_by_key(rank) {
                Some(Reason::Solver(words)) if failed => self.report.give_up(&words),
                Some(reason) => self.settle(prop, Answer::Unknown(reason), None),
                None => {}
            }
        }
    }

    /// Why these properties stay open, as far as one process goes.
    fn open_because(&mut self, props: &[Prop], reason: &Reason) {
        for &prop in props {
            self.reasons.entry(prop).or_default().push(reason.clone());
        }
    }

    /// Everything planned together, to the end of the process that the next stage waits for, or of all; an error if a limit
    /// was met.
    fn stage(&mut self, stage: Vec<Planned>, first: Option<Work>, job: &impl Fn(&Planned) -> Job) -> Result<(), ()> {
        let start = Instant::now();
        let beside = stage.len() > 1;
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get()).max(FEWEST);
        let mut waiting = stage;
        loop {
            if Instant::now() >= self.watch.deadline {
                waiting.clear();
                if self.members.is_empty() {
                    let open: Vec<Prop> = self.open.iter().copied().collect();
                    self.open_because(&open, &Reason::Time);
                    return Err(());
                }
            }
            let mut n = 0;
            while n < waiting.len() {
                let free = self.members.len() < cores;
                if self.members.is_empty() || waiting[n].start.is_due(start.elapsed(), free) {
                    self.start(waiting.remove(n), beside, job);
                } else {
                    n += 1;
                }
            }
            let over = match first {
                Some(first) => self.members.iter().all(|member| member.ran.work != first),
                None => self.members.is_empty(),
            };
            if over && waiting.is_empty() {
                return Ok(());
            }
            self.hear(LOOK);
            self.bar.tick();
            if self.open.is_empty() {
                return Ok(());
            }
            self.keep_limits()?;
        }
    }

    /// Starts a process for what is still open.
    fn start(&mut self, planned: Planned, beside: bool, job: &impl Fn(&Planned) -> Job) {
        let props: Vec<Prop> = planned.props.iter().copied().filter(|p| self.open.contains(p)).collect();
        if props.is_empty() {
            return;
        }
        let planned = Planned { props, ..planned };
        let (violated, facts) = (&self.violated, &self.facts);
        let child = process::start(|link| {
            let job =
                Job { violated: violated.clone(), beside: beside && planned.work != Work::Stability, ..job(&planned) };
            facts.iter().for_each(|word| job.heard.take(word));
            work(planned.work, job, link, beside)
        });
        let from = self.watch.elapsed().as_secs_f64();
        let (work, why) = (planned.work, planned.why);
        let mut ran = Ran {
            work,
            why,
            from,
            to: from,
            end: End::Failed,
            asked: planned.props,
            decided: Vec::new(),
            unknown: None,
            reasons: BTreeMap::new(),
            progress: None,
            account: None,
        };
        match child {
            Ok(child) => self.members.push(Member { child, ran, certified: BTreeMap::new() }),
            Err(e) => {
                let reason = Reason::Solver(format!("no process for {}: {e}", work.name()));
                self.open_because(&ran.asked, &reason);
                ran.unknown = Some(reason);
                self.report.add_ran(ran);
            }
        }
    }

    /// Takes in what the processes say, waiting at most so long.
    fn hear(&mut self, most: Duration) {
        let ready = process::ready(self.members.iter().map(|m| &m.child), most);
        // From the last one: those that have ended leave the list.
        for n in ready.into_iter().rev() {
            match self.members[n].child.lines() {
                Some(lines) => lines.iter().filter_map(|l| Message::read(l)).for_each(|m| self.take(n, m)),
                None => {
                    let member = self.members.remove(n);
                    self.ended(member);
                }
            }
        }
    }

    fn take(&mut self, n: usize, message: Message) {
        let member = &mut self.members[n];
        match message {
            Message::Progress(text) => {
                self.bar.set_message(format!("{}: {text}", member.ran.work.name()));
                member.ran.progress = Some(text);
            }
            Message::Certified(property, queries) => {
                if self.report.is_asked(&property) {
                    member.certified.insert(property, queries);
                } else {
                    // What other certificates rest on.
                    self.certify(property, queries);
                }
            }
            Message::Facts(about, facts) => {
                for fact in facts {
                    self.tell(n, Word::Fact(about.clone(), fact));
                }
            }
            Message::Done(account) => member.ran.account = Some(account),
            Message::Found(prop, answer) => self.found(n, prop, answer),
        }
    }

    fn found(&mut self, n: usize, prop: Prop, answer: Answer) {
        if !self.open.contains(&prop) {
            return;
        }
        let member = &mut self.members[n];
        if let Answer::Unknown(reason) = &answer {
            member.ran.unknown.get_or_insert_with(|| reason.clone());
            member.ran.reasons.entry(prop).or_insert_with(|| reason.clone());
            self.reasons.entry(prop).or_default().push(reason.clone());
            if let Reason::Evidence(words) = reason {
                // Another engine may still be right; this one was not, and that must not go unseen.
                let (engine, name) = (member.ran.work.name(), self.report.name(prop));
                self.bar.suspend(|| eprintln!("warning: {engine} on {name}: the evidence was refused: {words}"));
            }
            if let (Reason::Unsupported(_), Work::Engine(Engine::Bmc | Engine::Kinduction)) = (reason, member.ran.work)
            {
                // All runs were seen, none is a violation, and one leaves what is modelled: nobody will know more.
                self.settle(prop, answer, Some(n));
            }
            return;
        }
        member.ran.decided.push(prop);
        let queries = member.certified.remove(self.report.name(prop));
        if let (Answer::Safe(_), Some(queries)) = (&answer, queries) {
            self.certify(self.report.name(prop).to_string(), queries);
        }
        if let Answer::Unsafe(_) = answer {
            self.violated.push(prop);
        }
        self.settle(prop, answer, Some(n));
    }

    fn settle(&mut self, prop: Prop, answer: Answer, by: Option<usize>) {
        let seconds = self.watch.elapsed().as_secs_f64();
        let engine = by.map(|n| self.members[n].ran.work.name());
        let report = &mut self.report;
        self.bar.suspend(|| report.add(Property { prop, answer, seconds, engine }));
        self.open.remove(&prop);
        if let Some(n) = by {
            self.last = Some(self.members[n].child.id());
            self.tell(n, Word::Decided(prop.as_u32()));
        }
    }

    /// Tells the others what this one has found out.
    fn tell(&mut self, from: usize, word: Word) {
        let line = word.write();
        for (n, member) in self.members.iter_mut().enumerate() {
            if n != from {
                member.child.tell(&line);
            }
        }
        match word {
            Word::Fact(..) => self.facts.push(word),
            // Who starts later is not asked about it.
            Word::Decided(_) => {}
        }
    }

    fn certify(&mut self, property: String, queries: Vec<Answered>) {
        let Some(directory) = &mut self.certificate else { return };
        if self.certified.contains(&property) {
            return;
        }
        if let Err(words) = directory.add(&property, &queries) {
            let report = &mut self.report;
            self.bar.suspend(|| report.not_written(words));
        }
        self.certified.insert(property);
    }

    /// A process has said its last word.
    fn ended(&mut self, member: Member) {
        let Member { child, mut ran, .. } = member;
        ran.to = self.watch.elapsed().as_secs_f64();
        let well = child.wait() == Ended::Well && ran.account.is_some();
        ran.end = if well { End::Done } else { End::Failed };
        if !well {
            let words = format!("{} failed", ran.work.name());
            self.bar.suspend(|| eprintln!("warning: {words}"));
            self.open_because(&ran.asked, &Reason::Solver(words));
        }
        self.report.add_ran(ran);
    }

    /// Stops what must stop; an error if that is everything.
    fn keep_limits(&mut self) -> Result<(), ()> {
        if let Some(limit) = self.watch.met() {
            let open: Vec<Prop> = self.open.iter().copied().collect();
            self.open_because(&open, &limit.reason());
            return Err(());
        }
        let ids: Vec<u32> = self.members.iter().map(|m| m.child.id()).collect();
        if let Some(n) = self.watch.too_large(&ids) {
            let member = self.members.remove(n);
            self.open_because(&member.ran.asked, &Limit::Memory.reason());
            member.child.kill();
            self.stopped(member, End::Memory);
        }
        Ok(())
    }

    /// A process was ended.
    fn stopped(&mut self, member: Member, end: End) {
        let Member { child, mut ran, .. } = member;
        child.wait();
        ran.to = self.watch.elapsed().as_secs_f64();
        ran.end = if ran.account.is_some() { End::Done } else { end };
        self.report.add_ran(ran);
    }
}

impl Member {
    /// Waits for what it has to say of itself.
    fn last_words(&mut self) {
        let until = Instant::now() + LAST_WORDS;
        while self.ran.account.is_none() {
            let left = until.saturating_duration_since(Instant::now());
            if process::ready(std::iter::once(&self.child), left).is_empty() {
                return;
            }
            let Some(lines) = self.child.lines() else { return };
            for message in lines.iter().filter_map(|l| Message::read(l)) {
                if let Message::Done(account) = message {
                    self.ran.account = Some(account);
                }
            }
        }
    }
}

/// Does the work in the process made for it; whether it came to its end.
fn work(work: Work, job: Job, link: Link, others: bool) -> bool {
    let (outbox, from) = Outbox::new(link, others);
    job.heard.listen(from);
    let worker = move || match work {
        Work::Sample => job.sample(&outbox),
        Work::Engine(_) | Work::Stability => job.run(&outbox),
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(worker);
    thread.is_ok_and(|thread| thread.join().is_ok())
}

/// Of the reasons why a property is undecided, the one that says most comes first.
fn rank(reason: &Reason) -> u8 {
    match reason {
        Reason::Unsupported(_) => 0,
        Reason::UnwindBound(_) => 1,
        Reason::Evidence(_) => 2,
        Reason::Time => 3,
        Reason::Memory => 4,
        Reason::Solver(_) => 5,
        Reason::NotForEngine(_) => 6,
        Reason::Cancelled => 7,
    }
}

fn progress_bar() -> ProgressBar {
    // Hidden by itself when standard error is no terminal.
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
        bar.set_style(style);
    }
    bar
}
