//! Stratified and DAG inlining (Lal, Qadeer, Lahiri: "CORRAL", 2012; Lal, Qadeer: "Reachability modulo theories", 2013,
//! "DAG inlining", 2015): procedures and iterations of loops are opened only where the question asks for it.
//!
//! The regions opened so far form a tree or DAG ([`calltree`]). Two questions take turns. *Under*: does a run that stays in
//! what is open violate a property? That is a counterexample. *Over*: does one, if a call that is not open may give anything
//! back, and may itself violate what its region can? If not, nothing is violated. Otherwise the calls on that run are
//! opened, and only those. Calls beyond the recursion bound are blocked meanwhile; when they are the reason for the
//! answer (they are in the core), the bound grows.
//!
//! # Why it is sound
//! * *Under.* With `pass` of every open call and `more` of every shared node false, a true guard is the guard of a place that the
//!   run of the model's inputs comes to: by induction along the run, as in [`crate::vc`]. A shared node is entered by at most
//!   one way, for no run takes two ([`dag`]), so its symbols are those of one activation. The trace is replayed anyway.
//! * *Over.* Every run of the program satisfies the constraints: set the symbols of an open call to what the callee does. So
//!   if no assignment reaches a target in an opened node, or an open call whose region can reach one, no run does.
//!   The answer counts only if it does not depend on a blocked call: a bounded answer is no proof.
//! * The certificate is the tree or DAG, without any formula; [`crate::evidence`] makes the question anew from it and the
//!   program as lowered.
//!
//! # Contracts
//! What holds of procedures and loops in all runs is found first ([`contract`]) and added to both queries: where a node is
//! entered, where an open call comes back, and that an open call reaches nothing asked for.
//!
//! # Abstraction
//! With [`Config::refinement`] all this happens in a program in which few variables are tracked ([`abstraction`]).
//!
//! # Deviations
//! Loops are regions of their procedure instead of procedures of a rewritten program ([`region`]); violations are guards
//! instead of an error flag ([`body`]). Loops whose leaving constants decide are opened at once ([`calltree`]).

mod abstraction;
mod body;
mod calltree;
mod candidates;
mod conditions;
mod contract;
pub mod dag;
mod eliminate;
mod facts;
mod named;
mod opt;
mod path;
mod refine;
mod region;
#[cfg(test)]
mod tests;
mod values;

pub use dag::Strategy;
pub use refine::Refinement;
pub use region::Key;

use crate::logic::{Answer, Limits, ModelView, Solver, Term};
use crate::sample;
use crate::task::{Context, InlinedNode, Reason, Task, Trace, Verdict};
use crate::vc::{Constraint, TargetKind};
use calltree::{CallId, CallTree, Met, NodeId};
use path::Path;
use region::Regions;
use rustc_hash::FxHashSet;
use std::time::{Duration, Instant};
use syncline_ir::{passes, Obligation, Prop};

/// Instructions that constants may open beyond the bound, at first and more in each round.
const EAGER: u64 = 300_000;
/// Rounds shorter than this let the bound grow faster.
const CHEAP: Duration = Duration::from_millis(50);
const MAX_STEP: u32 = 64;

/// How the engine works.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Config {
    pub strategy: Strategy,
    /// Look for contracts first. Default: yes.
    pub contracts: bool,
    /// Track variables only where a counterexample asks for it. Default: no, all are tracked.
    pub refinement: Option<Refinement>,
}

impl Default for Config {
    fn default() -> Config {
        Config { strategy: Strategy::default(), contracts: true, refinement: None }
    }
}

/// Decides the task's properties, one call of `context.found` each.
pub fn check(task: &Task, config: Config, context: &mut Context) {
    let mut undecided = task.props.clone();
    if context.unwind.is_none() {
        sample::search(task, &mut undecided, context);
    }
    if undecided.is_empty() {
        return;
    }
    let mut program = task.program.clone();
    passes::run(&mut program, "slice", |p| passes::slice(p, &undecided));
    let reason = match Regions::new(&program, task.program) {
        Ok(regions) => abstraction::run(regions, config, &mut undecided, context),
        Err(reason) => reason,
    };
    for prop in undecided {
        context.found(prop, Verdict::Unknown(reason.clone()));
    }
}

/// The search in a program in which some variables, or all, are tracked.
struct Inliner<'p> {
    tree: CallTree<'p>,
    solver: Box<dyn Solver>,
    undecided: Vec<Prop>,
    /// Something not modelled that runs reach.
    unsupported: Option<Obligation>,
    bound: u32,
    step: u32,
    rounds: u64,
    until: Instant,
}

type Step<T> = Result<T, Reason>;

/// What the search comes to.
enum Found {
    /// Nothing asked for is reached.
    Proved,
    /// The model of the last query is a run that reaches this.
    Reached(TargetKind),
}

/// What the over query says.
enum Over {
    /// Nothing is violated.
    Proved,
    /// Not with the calls that the bound blocks.
    Bounded,
    /// These open calls are on a run that violates something if they may do anything.
    Open(Vec<CallId>),
    /// A run reaches what is not modelled.
    Unsupported(Obligation),
}

impl<'p> Inliner<'p> {
    fn new(mut tree: CallTree<'p>, undecided: Vec<Prop>, until: Instant, context: &Context) -> Inliner<'p> {
        if let Some(entry) = tree.regions.program.entry.map(|entry| tree.regions.id(entry, None)) {
            tree.start(entry);
        }
        let solver = (context.solver)();
        Inliner { tree, solver, undecided, unsupported: None, bound: 1, step: 1, rounds: 0, until }
    }

    /// Both queries in turns, until they show something.
    fn search(&mut self, context: &mut Context) -> Step<Found> {
        loop {
            if let Some(found) = self.round(context)? {
                return Ok(found);
            }
        }
    }

    /// Both queries, and what follows from them.
    fn round(&mut self, context: &mut Context) -> Step<Option<Found>> {
        let start = Instant::now();
        self.rounds += 1;
        self.assert_new();
        self.stop_if_due(context)?;
        (context.progress)(&format!("inline: bound {}, {} bodies", self.bound, self.tree.opened));
        if let Some(prop) = self.under(context)? {
            return Ok(Some(Found::Reached(TargetKind::Violation(prop))));
        }
        match self.over(context)? {
            Over::Proved => return Ok(Some(Found::Proved)),
            Over::Bounded => self.raise_bound(start, context)?,
            Over::Unsupported(obligation) => return Ok(Some(Found::Reached(TargetKind::Unsupported(obligation)))),
            Over::Open(calls) => {
                self.tree.eager = self.tree.instructions + EAGER;
                for call in calls {
                    self.tree.open(call);
                    self.stop_if_due(context)?;
                }
            }
        }
        Ok(None)
    }

    fn raise_bound(&mut self, start: Instant, context: &Context) -> Step<()> {
        if context.unwind.is_some_and(|limit| self.bound >= limit) {
            return Err(Reason::UnwindBound(self.bound));
        }
        if self.tree.regions.are_abstract() && self.bound >= abstraction::BOUND {
            return Err(Reason::UnwindBound(self.bound));
        }
        self.step = if start.elapsed() < CHEAP { (self.step * 2).min(MAX_STEP) } else { 1 };
        self.bound = self.bound.saturating_add(self.step).min(context.unwind.unwrap_or(u32::MAX));
        Ok(())
    }

    fn stop_if_due(&self, context: &Context) -> Step<()> {
        match context.must_stop() {
            Some(reason) => Err(reason),
            None if Instant::now() >= self.until => Err(Reason::Time),
            None => Ok(()),
        }
    }

    fn assert_new(&mut self) {
        for constraint in self.tree.take_constraints() {
            let store = &mut self.tree.store;
            match constraint {
                Constraint::Formula(formula) => self.solver.assert(store, formula),
                Constraint::ArrayEq { guard, array, value } => self.solver.assert_array_eq(store, guard, array, value),
                Constraint::Cells { array, index, value } => self.solver.assert_cells(store, array, index, value),
            }
        }
    }

    fn solve(&mut self, wanted: Term, assumed: Vec<Term>, context: &Context) -> Step<bool> {
        if wanted == self.tree.store.ff() {
            return Ok(false);
        }
        let mut assumptions = assumed;
        assumptions.push(wanted);
        match self.solver.check(&mut self.tree.store, &assumptions, &Limits::until(self.until)) {
            Answer::Sat => Ok(true),
            Answer::Unsat => Ok(false),
            Answer::Unknown(words) => Err(context.gave_up(words)),
        }
    }

    /// No call leads to a node but those that do.
    fn no_more(&mut self) -> Vec<Term> {
        let more: Vec<Term> = self.tree.nodes.iter().filter_map(|n| n.more).collect();
        more.into_iter().map(|m| self.tree.store.not(m)).collect()
    }

    /// A property that a run within what is open violates.
    fn under(&mut self, context: &Context) -> Step<Option<Prop>> {
        let targets =
            self.targets(|kind, undecided| matches!(kind, TargetKind::Violation(p) if undecided.contains(&p)));
        let wanted = self.tree.store.or_all(targets.iter().map(|&(_, reached)| reached));
        let mut assumed = self.no_more();
        let passes: Vec<Term> = self.tree.open_calls().map(|c| self.tree.call(c).pass).collect();
        assumed.extend(passes.into_iter().map(|p| self.tree.store.not(p)));
        if !self.solve(wanted, assumed, context)? {
            return Ok(None);
        }
        let mut model = ModelView::new(&mut *self.solver);
        let hit = targets.iter().find(|(_, reached)| model.is_true(&self.tree.store, *reached));
        match hit {
            Some(&(TargetKind::Violation(prop), _)) => Ok(Some(prop)),
            Some((TargetKind::Unsupported(_), _)) | None => Err(Reason::Solver("the model shows no violation".into())),
        }
    }

    fn targets(&self, wanted: impl Fn(TargetKind, &[Prop]) -> bool) -> Vec<(TargetKind, Term)> {
        let all = self.tree.nodes.iter().flat_map(|n| &n.targets);
        all.filter(|(kind, _)| wanted(*kind, &self.undecided)).copied().collect()
    }

    /// Whether something asked for can be reached when open calls may do anything.
    fn over(&mut self, context: &Context) -> Step<Over> {
        let met = self.unsupported.is_some();
        let targets = self.targets(|kind, undecided| match kind {
            TargetKind::Violation(p) => undecided.contains(&p),
            TargetKind::Unsupported(_) => !met,
        });
        let mut wanted: Vec<Term> = targets.iter().map(|&(_, reached)| reached).collect();
        let mut assumed = self.no_more();
        let mut blocked: FxHashSet<Term> = FxHashSet::default();
        let open: Vec<CallId> = self.tree.open_calls().collect();
        for &id in &open {
            let call = self.tree.call(id);
            let (guard, pass, error, level) = (call.guard, call.pass, call.error, call.level);
            if let Some(error) = error {
                let errs = self.tree.store.and(guard, error);
                wanted.push(errs);
            }
            if level > self.bound {
                let literals: Vec<Term> = [Some(pass), error].into_iter().flatten().collect();
                let literals: Vec<Term> = literals.into_iter().map(|l| self.tree.store.not(l)).collect();
                blocked.extend(literals.iter().copied());
                assumed.extend(literals);
            }
        }
        let any = self.tree.store.or_all(wanted);
        if !self.solve(any, assumed, context)? {
            let decided = any == self.tree.store.ff();
            let bounded = !decided && self.solver.core().iter().any(|t| blocked.contains(t));
            return Ok(if bounded { Over::Bounded } else { Over::Proved });
        }
        self.open_on_trace(&targets)
    }

    /// The open calls on the run of the model.
    fn open_on_trace(&mut self, targets: &[(TargetKind, Term)]) -> Step<Over> {
        let mut model = ModelView::new(&mut *self.solver);
        let mut open = Vec::new();
        walk(&self.tree, &mut model, |met, _| {
            if let Met::Call(call) = met {
                if self.tree.call(*call).dest.is_none() {
                    open.push(*call);
                }
            }
        });
        // Blocked calls stay closed; nothing behind them is on the trace.
        open.retain(|&c| self.tree.call(c).level <= self.bound);
        if !open.is_empty() {
            return Ok(Over::Open(open));
        }
        let hit = targets.iter().find(|(_, reached)| model.is_true(&self.tree.store, *reached));
        match hit {
            Some(&(TargetKind::Unsupported(obligation), _)) => Ok(Over::Unsupported(obligation)),
            _ => Err(Reason::Solver("the abstract run has no open call".into())),
        }
    }

    /// The inputs of the run in the model.
    fn trace(&mut self) -> Trace {
        let mut trace = Trace::default();
        let mut model = ModelView::new(&mut *self.solver);
        for &(site, value) in &self.tree.unknown {
            let value = model.value_of(&self.tree.store, value);
            trace.inputs.entry(site).or_default().push(value);
        }
        walk(&self.tree, &mut model, |met, model| {
            if let Met::Input { site, value, .. } = met {
                let value = model.value_of(&self.tree.store, *value);
                trace.inputs.entry(*site).or_default().push(value);
            }
        });
        trace
    }

    /// The blocks of the run in the model.
    fn path(&mut self, target: TargetKind) -> Path {
        let mut path = Path { blocks: Vec::new(), target };
        let mut model = ModelView::new(&mut *self.solver);
        walk(&self.tree, &mut model, |met, _| {
            if let Met::Block { block, .. } = met {
                path.blocks.push(*block);
            }
        });
        path
    }

    /// What was opened.
    fn nodes(&self) -> Vec<InlinedNode> {
        let mut nodes: Vec<InlinedNode> = self.tree.nodes.iter().map(|_| InlinedNode::default()).collect();
        for call in &self.tree.calls {
            if let Some(dest) = call.dest {
                nodes[call.from.0 as usize].opened.insert(call.key, dest.0);
            }
        }
        nodes
    }
}

/// Follows the run of a model: what it meets, in its order.
fn walk(tree: &CallTree, model: &mut ModelView, mut meet: impl FnMut(&Met, &mut ModelView)) {
    let mut stack: Vec<(NodeId, usize)> = vec![(NodeId(0), 0)];
    while let Some((node, at)) = stack.pop() {
        let Some(met) = tree.node(node).met.get(at) else { continue };
        stack.push((node, at + 1));
        let guard = match met {
            Met::Input { guard, .. } | Met::Block { guard, .. } => *guard,
            Met::Call(call) => tree.call(*call).guard,
        };
        if !model.is_true(&tree.store, guard) {
            continue;
        }
        meet(met, model);
        if let Met::Call(call) = met {
            stack.extend(tree.call(*call).dest.map(|dest| (dest, 0)));
        }
    }
}
