//! Property-directed reachability on the cut-point system (IC3, in the form of PDR), bit by bit.
//!
//! Frames F_0 ⊆ F_1 ⊆ ... hold lemmas: cubes that no run comes to in so many cuts. A state from which the property is
//! violated next becomes an obligation at the last frame; an obligation is blocked when no state of the frame before
//! leads there and no run starts there, and the cube is generalised by the solver's cores and by dropping literals
//! while it stays so. When a frame's lemmas all hold in the next one too, they are an inductive invariant: the
//! certificate. An obligation in which a run starts is the beginning of a violation.
//!
//! One solver serves all frames: a lemma of level i is on under the assumption of the frames up to i. Facts of the
//! system are asserted for every state. Deviations from the paper's form: cubes are at a cut, so that control needs
//! no bits; predecessors are widened by the core of "with these inputs the target is met", not by ternary simulation.
//! Floats and arrays in the state are not for this engine. Beside the frames a bounded search ([`crate::bmc`]) has half
//! of the time, for violations.

mod frames;
mod step;

use crate::bmc::Bmc;
use crate::cuts::{Cut, CutSystem};
use crate::houdini;
use crate::logic::{Evaluator, Model, Symbol, Term, TermStore};
use crate::sample;
use crate::task::{Certificate, Context, Reason, Stats, Task, Trace, Verdict};
use frames::Frames;
use rustc_hash::FxHashMap;
use std::time::{Duration, Instant};
use step::{bit_count, Inputs, Relation};
use syncline_ir::{passes, Const, Prop};

/// The frames' first turn; turns get longer as time goes on.
const FIRST_TURN: Duration = Duration::from_millis(500);

/// Why the search ended without an answer.
pub(crate) enum Stop {
    Unknown(String),
    Cancelled,
    /// The companion has the answer.
    Decided,
}

/// The bounded search beside the frames: as much time as they have had, now and then.
pub(crate) struct Companion<'b, 'p> {
    task: &'b Task<'b>,
    bmc: &'b mut Bmc<'p>,
    prop: Prop,
    /// When the frames were given their turn, and how long it is.
    since: Instant,
    turn: Duration,
    over: bool,
}

impl<'b, 'p> Companion<'b, 'p> {
    fn new(task: &'b Task<'b>, bmc: &'b mut Bmc<'p>, prop: Prop) -> Companion<'b, 'p> {
        Companion { task, bmc, prop, since: Instant::now(), turn: FIRST_TURN, over: false }
    }

    /// Lets the bounded search work if it is its turn, and says whether to stop.
    fn turn(&mut self, context: &mut Context) -> Result<(), Stop> {
        if !self.over && self.since.elapsed() >= self.turn {
            if self.turn == FIRST_TURN {
                sample::search(self.task, &mut self.bmc.undecided, context);
            }
            let deadline = context.deadline;
            context.deadline = deadline.min(Instant::now() + self.turn);
            self.over = self.bmc.run(context) != Reason::Time;
            context.deadline = deadline;
            self.turn *= 2;
            self.since = Instant::now();
            if !self.bmc.undecided.contains(&self.prop) {
                return Err(Stop::Decided);
            }
        }
        match context.must_stop() {
            Some(_) => Err(Stop::Cancelled),
            None => Ok(()),
        }
    }
}

/// How a search ends.
enum End {
    /// These hold at the cuts, whatever runs do.
    Proved(Vec<(Cut, Term)>),
    /// The inputs of the start and of each segment.
    Violated(Vec<Inputs>),
}

/// Decides the task's properties, one call of `context.found` each.
pub fn check(task: &Task, context: &mut Context) {
    let mut undecided = task.props.clone();
    sample::search_for(FIRST_TURN / 3, task, &mut undecided, context);
    context.stats = Stats { engine: "pdr", ..Stats::default() };
    if undecided.is_empty() {
        return;
    }
    let mut prepared = task.program.clone();
    passes::prepare(&mut prepared, &undecided);
    let mut bmc = Bmc::new(task, &prepared, undecided.clone(), context);
    let mut system = match CutSystem::new(task, &undecided, context.deadline).and_then(fits) {
        Ok(system) => system,
        Err(reason) => {
            bmc.run(context);
            bmc.undecided.into_iter().for_each(|p| (context.found)(p, Verdict::Unknown(reason.clone())));
            return;
        }
    };
    let mut invariants = houdini::invariants(&mut system, context).kept;
    let deadline = context.deadline;
    for (prop, left) in undecided.iter().copied().zip((1..=undecided.len() as u32).rev()) {
        if !bmc.undecided.contains(&prop) {
            continue;
        }
        // What one property does not need is for those after it.
        let now = Instant::now();
        context.deadline = now + deadline.saturating_duration_since(now) / left;
        let mut companion = Companion::new(task, &mut bmc, prop);
        let verdict = match search(&mut system, prop, &invariants, &mut companion, context) {
            Ok(End::Proved(lemmas)) => {
                invariants.extend(lemmas);
                let needed = houdini::support(&mut system, prop, 0, &invariants, context);
                Verdict::Safe(Certificate::Inductive { k: 0, annotations: system.annotations(&needed) })
            }
            Ok(End::Violated(inputs)) => match trace(&system, prop, &inputs) {
                Some(trace) => Verdict::Unsafe(trace),
                None => Verdict::Unknown(Reason::Solver("runs may reach something that is not modelled".into())),
            },
            Err(Stop::Unknown(words)) => Verdict::Unknown(context.must_stop().unwrap_or(Reason::Solver(words))),
            Err(Stop::Cancelled) => Verdict::Unknown(context.must_stop().unwrap_or(Reason::Cancelled)),
            Err(Stop::Decided) => continue,
        };
        context.deadline = deadline;
        bmc.undecided.retain(|&p| p != prop);
        (context.found)(prop, verdict);
    }
}

/// Refuses states that have more than bits.
fn fits(system: CutSystem) -> Result<CutSystem, Reason> {
    for data in system.cuts.values() {
        for cell in &data.cells {
            let symbol = system.symbols[cell];
            if bit_count(system.store.ty(symbol)) == 0 {
                let name = system.store.as_symbol(symbol).map_or("", |s| system.store.symbol_name(s));
                return Err(Reason::NotForEngine(format!("the state has more than bits: {name}")));
            }
        }
    }
    Ok(system)
}

fn search(
    system: &mut CutSystem,
    prop: Prop,
    invariants: &[(Cut, Term)],
    companion: &mut Companion,
    context: &mut Context,
) -> Result<End, Stop> {
    let relation = Relation::new(system, prop, invariants, &*context.solver, context.deadline);
    let mut frames = Frames::new(relation);
    let end = frames.run(companion, context);
    let counts = frames.counts();
    let solver = frames.relation.solver.stats();
    context.stats.counts = counts;
    context.stats.solver = solver;
    end
}

/// Values of cells and inputs.
struct Values(FxHashMap<Symbol, Const>);

impl Model for Values {
    fn value(&self, _store: &TermStore, symbol: Symbol) -> Option<Const> {
        self.0.get(&symbol).cloned()
    }
}

/// Runs the system on the inputs: what each site brings in, in the order of the run.
/// `None` if the run does not violate the property.
fn trace(system: &CutSystem, prop: Prop, inputs: &[Inputs]) -> Option<Trace> {
    let mut trace = Trace::default();
    let mut state: FxHashMap<Symbol, Const> = FxHashMap::default();
    let mut at: Option<Cut> = None;
    for step in inputs {
        let segment = system.segment(at);
        state.extend(step.iter().cloned());
        let values = Values(std::mem::take(&mut state));
        let mut evaluator = Evaluator::new();
        let mut eval = |t: Term| evaluator.eval(&system.store, t, &values);
        for input in &segment.inputs {
            if eval(input.guard).as_bool() == Some(true) {
                trace.inputs.entry(input.site).or_default().push(eval(input.value));
            }
        }
        if segment.violations.iter().any(|&(p, guard)| p == prop && eval(guard).as_bool() == Some(true)) {
            return Some(trace);
        }
        let arrival = segment.arrivals.iter().find(|a| eval(a.guard).as_bool() == Some(true))?;
        let mut next = FxHashMap::default();
        for (cell, &value) in system.cuts[arrival.cut].cells.iter().zip(&arrival.values) {
            next.insert(system.store.as_symbol(system.symbols[cell])?, eval(value));
        }
        at = Some(arrival.cut);
        state = next;
    }
    None
}
