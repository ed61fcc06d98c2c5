//! The bounded search as engines use it: of the program as it is, and in turns with that of the program with accelerated
//! loops, if there are any to accelerate.
//!
//! What is decided quickly needs no acceleration, and constants decide much: the first turn is the plain search's.

use crate::accelerate::Accelerated;
use crate::bmc::Bmc;
use crate::task::{Context, Reason, Task};
use rustc_hash::FxHashSet;
use std::cell::OnceCell;
use std::time::{Duration, Instant};
use syncline_ir::{passes, InstData, Program, Prop};

/// The plain search's first turn, and then that of each.
const FIRST_TURN: Duration = Duration::from_millis(150);

/// The programs that are unwound.
pub(crate) struct Programs {
    pub plain: Program,
    accelerated: OnceCell<Option<Accelerated>>,
}

impl Programs {
    /// The program in the form in which it is unwound.
    pub fn new(task: &Task, props: &[Prop]) -> Programs {
        let mut plain = task.program.clone();
        passes::prepare(&mut plain, props);
        Programs { plain, accelerated: OnceCell::new() }
    }
}

/// The search, which can be left and taken up again.
pub(crate) struct Search<'p> {
    source: &'p Program,
    programs: &'p Programs,
    plain: Bmc<'p>,
    /// Why the plain search ended.
    over: Option<Reason>,
    accelerated: Option<Bmc<'p>>,
    pub undecided: Vec<Prop>,
    turn: Duration,
    /// When all the time is over.
    end: Instant,
}

impl<'p> Search<'p> {
    /// The programs are prepared for these properties.
    pub fn new(task: &Task<'p>, programs: &'p Programs, undecided: Vec<Prop>, context: &Context) -> Search<'p> {
        let plain = Bmc::new(task, &programs.plain, undecided.clone(), context);
        let source = task.program;
        Search {
            source,
            programs,
            plain,
            over: None,
            accelerated: None,
            undecided,
            turn: FIRST_TURN,
            end: context.deadline,
        }
    }

    /// Runs until everything is decided; the reason is why what is left is not. After [`Reason::Time`] it can be
    /// run again.
    pub fn run(&mut self, context: &mut Context) -> Reason {
        if context.unwind.is_some() || !context.accelerate {
            return turn(&mut self.plain, &mut self.undecided, context);
        }
        let deadline = context.deadline;
        loop {
            if self.over.is_none() {
                let alone = self.accelerated.is_none() && self.programs.accelerated.get().is_some();
                context.deadline = if alone { deadline } else { deadline.min(Instant::now() + self.turn) };
                let reason = turn(&mut self.plain, &mut self.undecided, context);
                self.over = Some(reason).filter(|r| *r != Reason::Time);
                context.deadline = deadline;
            }
            if self.undecided.is_empty() {
                return self.over.clone().unwrap_or(Reason::Cancelled);
            }
            if let Some(reason) = context.must_stop() {
                return self.over.clone().unwrap_or(reason);
            }
            // All runs have been seen.
            if let Some(reason @ Reason::Unsupported(_)) = &self.over {
                return reason.clone();
            }
            self.accelerate(context);
            let Some(bmc) = &mut self.accelerated else {
                match &self.over {
                    Some(reason) => return reason.clone(),
                    None => continue,
                }
            };
            context.deadline = if self.over.is_some() { deadline } else { deadline.min(Instant::now() + self.turn) };
            let reason = turn(bmc, &mut self.undecided, context);
            context.deadline = deadline;
            if self.undecided.is_empty() {
                return Reason::Cancelled;
            }
            if reason != Reason::Time {
                self.accelerated = None;
            }
            self.turn *= 2;
        }
    }

    /// Looks for loops to accelerate, once.
    fn accelerate(&mut self, context: &mut Context) {
        if self.programs.accelerated.get().is_some() {
            return;
        }
        let found = Accelerated::new(self.source, &self.undecided, self.end, context);
        let found = self.programs.accelerated.get_or_init(|| found);
        let Some(found) = found else { return };
        // What constants have decided in an endless loop is decided by no bound, and no certificate of bounds can say it.
        let asked = asserted(&found.prepared);
        let open: Vec<Prop> = self.undecided.iter().copied().filter(|prop| asked.contains(prop)).collect();
        if !open.is_empty() {
            let task = Task::new(self.source, Vec::new());
            self.accelerated = Some(Bmc::accelerated(&task, found, open, self.end, context));
        }
    }

    pub fn report(&self, context: &mut Context) {
        self.plain.report(context);
        self.report_acceleration(context);
    }

    /// What was accelerated, beside what the engine says of itself.
    pub fn report_acceleration(&self, context: &mut Context) {
        let Some(Some(accelerated)) = self.programs.accelerated.get() else { return };
        context.stats.counts.push(("accelerated paths", accelerated.accelerators.len() as u64));
        context.stats.notes.extend(accelerated.describe());
        if let Some(bmc) = &self.accelerated {
            bmc.report_accelerated(context);
        }
    }
}

/// The properties that some block asserts. One that was left out would only not be searched for here.
fn asserted(program: &Program) -> FxHashSet<Prop> {
    let mut found = FxHashSet::default();
    for proc in program.procs.values() {
        let insts = proc.layout.iter().flat_map(|&block| &proc.blocks[block].insts);
        found.extend(insts.filter_map(|&inst| match proc.insts[inst].data {
            InstData::Assert { prop, .. } => Some(prop),
            _ => None,
        }));
    }
    found
}

/// A turn of one of the searches; what is decided leaves the list.
fn turn(bmc: &mut Bmc, undecided: &mut Vec<Prop>, context: &mut Context) -> Reason {
    bmc.undecided.retain(|p| undecided.contains(p));
    let asked = bmc.undecided.clone();
    let reason = bmc.run(context);
    undecided.retain(|p| !asked.contains(p) || bmc.undecided.contains(p));
    reason
}
