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

use crate::bmc::Bmc;
use crate::companion::{Companion, FIRST_TURN};
use crate::cuts::{Cut, CutSystem};
use crate::houdini;
use crate::logic::Term;
use crate::relation::{fits, trace, Inputs, Relation, Stop};
use crate::sample;
use crate::task::{Certificate, Context, Reason, Stats, Task, Verdict};
use frames::Frames;
use std::time::Instant;
use syncline_ir::{passes, Prop};

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
            Err(Stop::Unknown(words)) => Verdict::Unknown(context.gave_up(words)),
            Err(Stop::Cancelled) => Verdict::Unknown(context.must_stop().unwrap_or(Reason::Cancelled)),
            Err(Stop::Decided) => continue,
        };
        context.deadline = deadline;
        bmc.undecided.retain(|&p| p != prop);
        (context.found)(prop, verdict);
    }
}

fn search(
    system: &mut CutSystem,
    prop: Prop,
    invariants: &[(Cut, Term)],
    companion: &mut Companion,
    context: &mut Context,
) -> Result<End, Stop> {
    let relation = Relation::new(system, prop, invariants, &[], &*context.solver, context.deadline);
    let mut frames = Frames::new(relation);
    let end = frames.run(companion, context);
    let counts = frames.counts();
    let solver = frames.relation.solver.stats();
    context.stats.counts = counts;
    context.stats.solver = solver;
    end
}
