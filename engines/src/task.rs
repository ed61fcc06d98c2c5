//! What every engine is asked and what it answers.

use crate::annotation::{Counted, Face, Formula, Location, Original, RangeWrite};
use crate::inline::Key;
use crate::logic::{default_solver, Solver, SolverStats};
use crate::portfolio::News;
use crate::vc::LoopKey;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};
use syncline_ir::inline::calls::CallPath;
use syncline_ir::interp::Values;
use syncline_ir::{Block, Obligation, Proc, Program, Prop, Site, Var};

/// Decide these properties of this program. The program is as the front end made it: engines run their own passes.
pub struct Task<'a> {
    pub program: &'a Program,
    pub props: Vec<Prop>,
    /// Of a synchronous system, the blocks of the entry procedure where the turn of each process begins.
    pub turns: Vec<Block>,
    /// Booleans that count steps, if the question does: each is true after a step only if the one before it was true before
    /// it. What engines find with this hint does not rest on it.
    pub counter: Vec<Var>,
    /// The inputs that say who wins where several processes have written.
    pub choices: Vec<Site>,
}

impl<'a> Task<'a> {
    /// About a sequential program.
    pub fn new(program: &'a Program, props: Vec<Prop>) -> Task<'a> {
        Task { program, props, turns: Vec::new(), counter: Vec::new(), choices: Vec::new() }
    }
}

impl Task<'_> {
    /// The question is how far the count goes. A violation only says: farther than this.
    pub fn counts(&self) -> bool {
        !self.counter.is_empty()
    }
}

/// The default of [`Context::eager`].
pub const EAGER: u64 = 400_000;

/// The answer on one property.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No run violates it, and the certificate shows that.
    Safe(Certificate),
    /// The run on these inputs violates it.
    Unsafe(Trace),
    Unknown(Reason),
}

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    Time,
    Memory,
    /// `--unwind` was met, and runs go beyond.
    UnwindBound(u32),
    /// Runs reach something that is not modelled.
    Unsupported(Obligation),
    /// The solver gave up, in its words.
    Solver(String),
    /// The evidence for a verdict did not pass its check; the verdict is withheld.
    Evidence(String),
    /// The engine is not made for this program, for this reason.
    NotForEngine(String),
    Cancelled,
}

/// The inputs of a run: for every site its values in the order of the run. What is missing is zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    pub inputs: BTreeMap<Site, Values>,
}

/// Formulas at loop headers.
pub type Annotations = BTreeMap<Location, Vec<Formula<Original>>>;

/// Why a property holds, in a form that can be checked without the engine.
#[derive(Clone, Debug)]
pub enum Certificate {
    /// Every run that goes on towards the property takes each loop at most so many times, and recurses so deep;
    /// within these bounds nothing is violated.
    Unwinding { bounds: BTreeMap<LoopKey, u32> },
    /// The formulas at the loop headers hold at the first header a run comes to, and at the next one whenever they
    /// hold at one; so they hold whenever a run comes to a header. From a header where they hold, a run that violates
    /// nothing on its way past `k` headers (this one is the first) violates nothing before the next one either; and no
    /// run violates anything before the header it comes to as number `k` + 1. With `k` = 0: no violation before the
    /// first header, and none between a header where they hold and the next.
    /// A header without formulas has `true`. Other blocks that have formulas count as headers.
    /// Only the calls that are `opened` are looked into, if that is given: the others may give anything back, leave anything in
    /// what they may write, and no run comes to one that may violate the property.
    Inductive { k: u32, annotations: Annotations, opened: Option<BTreeSet<CallPath>> },
    /// As [`Certificate::Inductive`], but the runs past `k` headers and to the next one come to no header twice with the
    /// same values of its cells. The cells determine what follows: runs from one header with equal cells and the same
    /// inputs violate something both or neither, and come to the same next header with equal cells.
    SimplePath { k: u32, annotations: Annotations, cells: BTreeMap<Location, Vec<Original>> },
    /// As [`Certificate::Unwinding`], but of runs in which a loop with accelerations may have several iterations made at
    /// once, each time it comes to its header, and makes no iteration by itself that an acceleration stands for.
    Accelerated { accelerations: Vec<Acceleration>, bounds: BTreeMap<LoopKey, u32> },
    /// The activations and iterations that matter; the first node is the entry's activation. A call that is not opened may
    /// give anything back. No run comes to a node twice, none violates the property in a node, and none comes to a call that
    /// is not opened and behind which it could be violated. This rests on contracts of procedures and of loops (by their
    /// header): each body keeps its own and those of what it calls, if these keep theirs.
    Inlining { nodes: Vec<InlinedNode>, contracts: BTreeMap<(Proc, Option<Block>), Contract> },
}

/// Several iterations of a loop at once: where the constraint holds for some n, the cells get the values of their closed
/// forms, and others that are not kept get any. The formulas speak of the state at the header, and of n.
#[derive(Clone, Debug)]
pub struct Acceleration {
    pub place: Location,
    /// Bits of n.
    pub width: u32,
    pub constraint: Formula<Counted<Original>>,
    /// The largest n, by the state alone, if only that many iterations are ever made at once: then the loop goes on so by
    /// itself, wherever one iteration is possible, and all of them are made.
    pub most: Option<Formula<Counted<Original>>>,
    pub closed: Vec<(Original, Formula<Counted<Original>>)>,
    /// Arrays that n iterations write to, and what; several writes to one array are made in this order, all iterations of
    /// the first before the second.
    pub written: Vec<RangeWrite<Original>>,
    /// Cells that stay as they are.
    pub kept: Vec<Original>,
}

/// What holds of a procedure, or of a loop from some iteration on to its end. Where there is none, everything is `true`,
/// and nothing is safe.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contract {
    /// Hold whenever it is entered, of what it takes in.
    pub requires: Vec<Formula<Face>>,
    /// Hold whenever it is left.
    pub ensures: Vec<Formula<Face>>,
    /// The property is not violated inside.
    pub safe: bool,
    /// Of a loop: blocks outside that it is never left to.
    pub never: Vec<Block>,
}

/// An activation of a procedure, or an iteration of a loop, of [`Certificate::Inlining`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InlinedNode {
    /// By call, or header of a loop that is entered or iterated: the node it leads to.
    pub opened: BTreeMap<Key, u32>,
}

/// What an engine has done, for `--stats` and reports: names and figures, in a fixed order.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    pub engine: &'static str,
    pub counts: Vec<(&'static str, u64)>,
    /// What else is worth saying: the closed forms of accelerated loops, each with its place.
    pub notes: Vec<String>,
    pub solver: SolverStats,
}

/// Shared between an engine and whoever started it.
#[derive(Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Takes a verdict on some properties.
type Report<'a> = dyn FnMut(&[Prop], Verdict) + 'a;

/// What an engine works with, all of it explicit.
pub struct Context<'a> {
    pub deadline: Instant,
    pub cancel: Cancel,
    /// Do not unwind beyond this.
    pub unwind: Option<u32>,
    /// Where the question counts steps ([`Task::counter`]): search no longer than this for what facts do not prove.
    pub search: Option<Duration>,
    /// Whether loops are accelerated ([`crate::accelerate`]); whether facts are looked for before proofs; whether inputs are
    /// guessed ([`crate::sample`]).
    pub accelerate: bool,
    pub invariants: bool,
    pub guesses: bool,
    /// Instructions of a program up to which all calls are put in place from the start ([`crate::cuts::Source`]).
    pub eager: u64,
    pub solver: Box<dyn Fn() -> Box<dyn Solver> + 'a>,
    /// Called now and then with what the engine is doing.
    pub progress: Box<dyn FnMut(&str) + 'a>,
    /// Other engines work on the same properties at the same time. Then a bounded search beside a proof is somebody else's,
    /// and so is what this engine is not made for.
    pub beside: bool,
    /// What the others have found out.
    pub news: News,
    /// Called with facts that hold whenever runs come there, for the others.
    pub tell: Box<dyn FnMut(&Annotations) + 'a>,
    /// Called with each verdict as it is found, and the properties it is about.
    report: Box<Report<'a>>,
    pub stats: Stats,
}

impl<'a> Context<'a> {
    pub fn new(deadline: Instant, mut found: impl FnMut(Prop, Verdict) + 'a) -> Context<'a> {
        Context::reporting(deadline, move |props, verdict| props.iter().for_each(|&p| found(p, verdict.clone())))
    }

    /// A context that is told verdicts on several properties at once: a certificate is then one of all of them.
    pub fn reporting(deadline: Instant, report: impl FnMut(&[Prop], Verdict) + 'a) -> Context<'a> {
        Context {
            deadline,
            cancel: Cancel::default(),
            unwind: None,
            search: None,
            accelerate: true,
            invariants: true,
            guesses: true,
            eager: EAGER,
            solver: Box::new(default_solver),
            progress: Box::new(|_| {}),
            beside: false,
            news: News::default(),
            tell: Box::new(|_| {}),
            report: Box::new(report),
            stats: Stats::default(),
        }
    }

    /// The verdict on a property.
    pub fn found(&mut self, prop: Prop, verdict: Verdict) {
        (self.report)(&[prop], verdict);
    }

    /// No run violates any of the properties: the certificate shows it of all of them together.
    pub fn proved(&mut self, props: &[Prop], certificate: Certificate) {
        (self.report)(props, Verdict::Safe(certificate));
    }

    /// Why there is no answer when a solver gives up with these words. A solver may be out of its time a moment before
    /// the deadline: that is no reason of its own.
    pub fn gave_up(&self, words: String) -> Reason {
        match self.must_stop() {
            Some(reason) => reason,
            None if words == "timeout" => Reason::Time,
            None => Reason::Solver(words),
        }
    }

    /// Why the engine must stop now, if it must.
    pub fn must_stop(&self) -> Option<Reason> {
        if self.cancel.is_cancelled() {
            Some(Reason::Cancelled)
        } else if Instant::now() >= self.deadline {
            Some(Reason::Time)
        } else {
            None
        }
    }
}
