//! Lazy abstraction with interpolants on the cut-point system: the engine of SYMPARA (thesis, chapter 2), after IMPACT
//! (McMillan, "Lazy Abstraction with Interpolants", 2006).
//!
//! An abstract reachability tree unwinds the cut-point system from the start of runs. A node is a cut and a label, a
//! conjunction of lemmas about the cells; the cut is the discrete part, and as each process of a synchronous system has
//! a cut where its turn starts, it says whose turn it is (`sp`). An edge is everything between two cuts. The main loop
//! ([`search`]) takes a node, covers it if it can, else strengthens labels until nothing is violated from it ([`refine`]),
//! and expands it. When no node is left, the labels are an invariant ([`proof`]). What facts prove needs no tree
//! ([`crate::relation::decide`], which PDR shares); those facts hold at every node, and labels are on top of them.
//!
//! # Why it is sound
//! * *Labels are Hoare-inductive.* The root is the start of runs. A lemma is added to a node only if, by a query, no run
//!   from the parent's label enters its cube over the edge between them. Labels only get stronger, so this stays true.
//!   So a run that comes down a path satisfies every label on it. Debug builds ask each of these queries once more.
//! * *Covers.* A node is covered only by an open node with the same cut (and vector) whose label follows from its own. When
//!   the cover's label gets stronger, the covered node gets the lemma too or is uncovered; when the cover is closed itself,
//!   what it covers is uncovered. (Facts hold at every cut of every run, and may be used everywhere.)
//! * *Nothing is lost.* The printed algorithm forgets nodes when a cover is removed: here the node and what is below it
//!   and was never expanded go back into the queue ([`tree`]). At the end it is checked, in every build, that each node is
//!   closed rightly, or expanded with a child for every cut that comes next and seen to violate nothing.
//! * *Hence* the disjunction of the open labels of each cut is inductive: a step from an open node leads to a child, whose
//!   label holds; the child is open, or covered by an open node whose label holds then. No step from an open node violates
//!   the property, and the start of runs does not. That is the certificate, which is checked again by other means.
//! * *Pruning.* An edge is pruned only when the label itself lets no run through: its end has the label false, by the same
//!   query as any lemma. The path that led there never counts.
//!
//! # Deviations
//! Interpolants come from blocked cubes, not from proofs ([`refine`]); their literals are bits of the state and predicates
//! ([`crate::relation`]). Locations of processes are state, not nodes;
//! [`Config::vectors`] makes them nodes for comparison. Edges are large loop-free blocks; [`Config::edges`]. Arrays
//! count as far as they are indexed by constants, floats not at all: a way to a violation that is none for that reason
//! ends the search. Beside the tree a bounded search ([`crate::bmc`]) has half of the time, for
//! violations.

mod lemmas;
mod proof;
mod refine;
mod search;
#[cfg(test)]
mod tests;
mod tree;

use crate::companion::Companion;
use crate::cuts::CutSystem;
use crate::relation::{beyond_bits, decide, Coding, End, Engine, Question, Relation, Stop};
use crate::task::{Context, Reason, Task};
use search::Search;
use syncline_ir::inline::Inlined;
use syncline_ir::Block;

/// What an edge of the tree is.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Edges {
    /// Everything between two cut points.
    #[default]
    Blocks,
    /// The turn of one process: the process scheduled next is part of a node.
    Turns,
    /// One basic block of the program.
    Statements,
}

/// Choices that are for comparison.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Config {
    /// Large blocks by default.
    pub edges: Edges,
    /// Explicit control: nodes are split by the values of the location variables (cells with few constants). Off by
    /// default: as many nodes as there are vectors.
    pub vectors: bool,
    /// The tree has to find all lemmas: no facts of two literals, no induction before it. Off by default: facts are found
    /// for all pairs at once, lemmas one by one. On, tests see what the tree does.
    pub bare: bool,
}

/// What has been done.
#[derive(Default)]
struct Counts {
    expanded: u64,
    refinements: u64,
    obligations: u64,
    tree_lemmas: u64,
    dropped: u64,
    pruned: u64,
    covers_by_member: u64,
    covers_by_cube: u64,
    covers_by_solver: u64,
    forced_covers: u64,
    forced_lemmas: u64,
    intermediate_covers: u64,
    implications: u64,
}

/// Decides the task's properties, one call of `context.found` each.
pub fn check(task: &Task, config: Config, context: &mut Context) {
    decide(&Lawi { task, config }, task, context);
}

struct Lawi<'t> {
    task: &'t Task<'t>,
    config: Config,
}

impl Engine for Lawi<'_> {
    const NAME: &'static str = "lawi";

    fn cuts(&self, inlined: &Inlined) -> Vec<Block> {
        match self.config.edges {
            Edges::Blocks => Vec::new(),
            Edges::Turns => turns(self.task, inlined),
            Edges::Statements => inlined.body().layout.clone(),
        }
    }

    fn refuses(&self, _: &CutSystem) -> Option<Reason> {
        None
    }

    fn wants_facts(&self) -> bool {
        !self.config.bare
    }

    fn search(&self, question: &mut Question, companion: &mut Companion, context: &mut Context) -> Result<End, Stop> {
        let Question { system, prop, facts, predicates } = question;
        let relation =
            Relation::new(system, *prop, facts, predicates, Coding::Binary, &*context.solver, context.deadline);
        let mut search = Search::new(relation, self.config, facts, context);
        let end = search.run(companion, context);
        context.stats.counts = search.counts();
        context.stats.solver = search.relation.solver.stats();
        end
    }

    fn why_not(&self, system: &CutSystem, companion: &mut Companion, context: &mut Context) -> Reason {
        let Some(name) = beyond_bits(system) else {
            return Reason::Solver("runs may reach something that is not modelled".into());
        };
        companion.rest(context);
        Reason::NotForEngine(format!("the state has more than bits: {name}"))
    }
}

/// The blocks where turns begin, as inlining has them.
fn turns(task: &Task, inlined: &Inlined) -> Vec<Block> {
    let begins = |block: &Block| {
        let Some((activation, original, true)) = inlined.blocks[*block] else { return false };
        inlined.call_path(activation).is_empty() && task.turns.contains(&original)
    };
    inlined.body().layout.iter().copied().filter(begins).collect()
}

impl Search<'_> {
    fn counts(&self) -> Vec<(&'static str, u64)> {
        let Counts { expanded, refinements, obligations, tree_lemmas, dropped, pruned, .. } = self.counts;
        let Counts { covers_by_member, covers_by_cube, covers_by_solver, .. } = self.counts;
        let Counts { forced_covers, forced_lemmas, intermediate_covers, implications, .. } = self.counts;
        let depth = self.tree.nodes.values().map(|n| n.depth).max().unwrap_or(0);
        vec![
            ("nodes", self.tree.nodes.len() as u64),
            ("depth", u64::from(depth)),
            ("expanded", expanded),
            ("refinements", refinements),
            ("obligations", obligations),
            ("lemmas", self.lemmas.len() as u64),
            ("lemmas for the whole tree", tree_lemmas),
            ("literals dropped", dropped),
            ("edges pruned", pruned),
            ("covers by equal lemmas", covers_by_member),
            ("covers by larger cubes", covers_by_cube),
            ("covers by the solver", covers_by_solver),
            ("covers forced", forced_covers),
            ("covers of intermediate nodes", intermediate_covers),
            ("lemmas forced", forced_lemmas),
            ("implications asked", implications),
            ("uncovered", self.tree.uncovered),
            ("requeued", self.tree.requeued),
            ("queries", self.relation.queries),
            ("cut points", self.relation.system.cuts.len() as u64),
            ("state bits", self.relation.bit_count() as u64),
        ]
    }
}
