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
//! Floats and arrays in the state are not for this engine. What facts prove needs no frames, and beside the frames a
//! bounded search has half of the time, for violations ([`crate::relation::decide`]); not where steps are counted.

mod dive;
mod frames;
mod together;

pub use together::{check_together, Effort};

use crate::companion::Companion;
use crate::cuts::CutSystem;
use crate::relation::{beyond_bits, decide, Coding, End, Engine, Question, Relation, Stop};
use crate::task::{Context, Reason, Task};
use frames::Frames;
use syncline_ir::inline::Inlined;
use syncline_ir::Block;

/// Decides the task's properties, one call of `context.found` each.
pub fn check(task: &Task, context: &mut Context) {
    decide(&Pdr, task, context);
}

struct Pdr;

impl Engine for Pdr {
    const NAME: &'static str = "pdr";

    fn cuts(&self, _: &Inlined) -> Vec<Block> {
        Vec::new()
    }

    fn refuses(&self, system: &CutSystem) -> Option<Reason> {
        let name = beyond_bits(system)?;
        Some(Reason::NotForEngine(format!("the state has more than bits: {name}")))
    }

    fn search(&self, question: &mut Question, companion: &mut Companion, context: &mut Context) -> Result<End, Stop> {
        let Question { system, prop, facts, .. } = question;
        let relation = Relation::new(system, *prop, facts, &[], Coding::Binary, &*context.solver, context.deadline);
        let mut frames = Frames::new(relation);
        let end = frames.run(companion, context);
        context.stats.counts = frames.counts();
        context.stats.solver = frames.relation.solver.stats();
        end
    }

    fn why_not(&self, _: &CutSystem, _: &mut Companion, _: &mut Context) -> Reason {
        Reason::Solver("runs may reach something that is not modelled".into())
    }
}
